/* For tests of whole runs: kernels compiled from PTX text, a machine, configurations. */
#ifndef REGLOOM_TEST_RUN_ENV_H
#define REGLOOM_TEST_RUN_ENV_H

#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/run/run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* halve: x[i] /= 2 for i < n; *more = 1 if an element is still above `limit`. spin: never ends. poke: stores to its
 * argument. tell: n / 2 becomes the variable `told`, and is printed if asked for. */
static const char ptx[] =
	".version 7.0\n.target sm_50\n.address_size 64\n"
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	".visible .global .align 4 .u32 told;\n.global .align 1 .b8 format[4] = { 37, 100, 10, 0 };\n"
	".visible .entry halve(.param .u64 x, .param .u32 n, .param .u32 limit, .param .u64 more)\n{\n"
	"\t.reg .pred %p<3>;\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<6>;\n"
	"\tld.param.u64 %rd1, [x];\n\tld.param.u32 %r1, [n];\n\tld.param.u32 %r2, [limit];\n\tld.param.u64 %rd2, "
	"[more];\n"
	"\tmov.u32 %r3, %ctaid.x;\n\tmov.u32 %r4, %ntid.x;\n\tmov.u32 %r5, %tid.x;\n\tmad.lo.s32 %r6, %r3, %r4, %r5;\n"
	"\tsetp.ge.u32 %p1, %r6, %r1;\n\t@%p1 bra DONE;\n"
	"\tmul.wide.u32 %rd3, %r6, 4;\n\tadd.s64 %rd4, %rd1, %rd3;\n\tld.global.u32 %r7, [%rd4];\n\tshr.u32 %r8, %r7, "
	"1;\n"
	"\tst.global.u32 [%rd4], %r8;\n\tsetp.le.u32 %p2, %r8, %r2;\n\t@%p2 bra DONE;\n\tst.global.u32 [%rd2], 1;\n"
	"DONE:\n\tret;\n}\n"
	".visible .entry spin(.param .u64 at)\n{\nL:\n\tbra L;\n}\n"
	".visible .entry poke(.param .u64 at)\n{\n\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [at];\n\tst.global.u32 "
	"[%rd1], 7;\n\tret;\n}\n"
	".visible .entry tell(.param .u32 n, .param .u32 print)\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<5>;\n\t.reg "
	".b64 %rd<5>;\n\t.local .align 8 .b8 v[8];\n"
	"\tld.param.u32 %r1, [n];\n\tld.param.u32 %r2, [print];\n\tshr.u32 %r3, %r1, 1;\n\tsetp.ne.u32 %p1, %r2, "
	"0;\n\t@%p1 bra PRINT;\n"
	"\tst.global.u32 [told], %r3;\n\tret;\n"
	"PRINT:\n\tst.local.u32 [v], %r3;\n\tmov.u64 %rd1, format;\n\tmov.u64 %rd2, v;\n\tcvta.local.u64 %rd2, "
	"%rd2;\n\tcall (%r4), vprintf, (%rd1, %rd2);\n\tret;\n}\n";

#define LAUNCHES                                                                                                       \
	"buffers:\n  - {name: x, type: u32, count: 100, fill: ramp, start: 1000}\n  - {name: more, type: u32, count: " \
	"1}\n"                                                                                                         \
	"  - {name: half, type: u32, count: 100, fill: constant, value: 7}\n"                                          \
	"launches:\n  - kernel: halve\n    grid: [4]\n    block: [32]\n"                                               \
	"    args: [{buffer: x}, {value: 100}, {value: 8}, {buffer: more}]\n"
#define REPEATS "repeats:\n  - {first: 0, while: more, max_rounds: 20}\n"

struct env {
	struct arena a;
	struct diag d;
	char *text;
	size_t bytes;
	struct params params;
	struct run_config config[3];
	struct run_options o;
	struct module *m;
};

static inline void setup(struct env *e)
{
	struct source *s;
	struct pass_ctx cx;

	memset(e, 0, sizeof *e);
	arena_init(&e->a);
	diag_init(&e->d, open_memstream(&e->text, &e->bytes));
	s = new(&e->a, struct source);
	*s = (struct source){ "t.ptx", ptx, sizeof ptx - 1 };
	e->m = ptx_parse(s, &e->a, &e->d);
	ck_assert_msg(e->m, "%s", e->d.last);
	pass_ctx_init(&cx, &e->d);
	cx.opt.regmutex.size = REGMUTEX_OFF; /* variants are what a test writes */
	for (uint32_t i = 0; i < e->m->nkernel; i++)
		ck_assert(pass_compile(e->m->kernel[i], &cx) && pass_need(e->m->kernel[i], FACT_ALL, &cx));
	pass_ctx_free(&cx);
	ck_assert(params_machine(&e->params, "gtx480", &e->d) &&
		  rf_config_parse(&e->config[0].rf, "baseline", &e->params, &e->d));
	e->config[0].params = &e->params;
	e->config[0].name = "one";
	e->o.config = e->config;
	e->o.nconfig = 1;
	e->o.have_anno = ANNO_ALL;
}

static inline void teardown(struct env *e)
{
	fclose(e->d.out);
	free(e->text);
	diag_free(&e->d);
	arena_free(&e->a);
}

static inline struct launch_file *launches(struct env *e, const char *text)
{
	struct source *s = new(&e->a, struct source);
	struct launch_file *f;

	*s = (struct source){ .name = "t.yaml", .text = text, .len = strlen(text) };
	f = launch_read_source(s, &e->a, &e->d);
	ck_assert_msg(f, "%s", e->d.last);
	return f;
}

static inline const char *printed(struct env *e, const struct run *r)
{
	char *text, *kept;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	run_print(f, r, false, false);
	fclose(f);
	kept = arena_strndup(&e->a, text, n);
	free(text);
	return kept;
}

#endif

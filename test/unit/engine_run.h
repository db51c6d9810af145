/* For tests of the engine: PTX text in, one launch, memory out, in virtual or machine form. */
#ifndef REGLOOM_TEST_ENGINE_RUN_H
#define REGLOOM_TEST_ENGINE_RUN_H

#include "analyzer/ptx/ptx.h"
#include "runtime-model/engine/core.h"

#include <check.h>
#include <string.h>

enum { OUT_WORDS = 4096, IN_WORDS = 1024 };

struct rig {
	struct arena a;
	struct diag d;
	struct source src;
	struct pass_ctx cx;
	struct module *m;
	struct kernel *k;
	struct device *dev;
	uint64_t out_addr, in_addr;
	uint32_t *out, *in;
	unsigned char params[64];
	struct launch l;
	struct engine_options opt;
};

/* The module around a body: k(out, in, n) with registers of all classes. */
#define PTX_MODULE(decls, body)                                                                              \
	".version 7.0\n.target sm_70\n.address_size 64\n" decls "\n"                                         \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                             \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>; .reg .f64 " \
	"%g<9>;\n" body "\n}\n"
/* %r0: index of the thread over a one-dimensional grid; %d0: address of its word of out; %d1: in; %r39: n. */
#define PTX_INDEX                                                                                            \
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.s32 %r0, %r1, %r2, %r0;\n" \
	"ld.param.u64 %d0, [out]; mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, %d2; ld.param.u64 %d1, [in]; " \
	"ld.param.u32 %r39, [n];\n"
#define KERNEL(body) PTX_MODULE("", PTX_INDEX body " ret;")

static inline void rig_open_inlining(struct rig *r, const char *ptx, unsigned maxreg, unsigned limit)
{
	uint32_t n = 7;

	*r = (struct rig){ 0 };
	arena_init(&r->a);
	diag_init(&r->d, NULL);
	r->src = (struct source){ "t.ptx", ptx, strlen(ptx) };
	r->m = ptx_parse(&r->src, &r->a, &r->d);
	ck_assert_msg(r->m != NULL, "%s", r->d.last);
	r->k = r->m->kernel[0];
	pass_ctx_init(&r->cx, &r->d);
	r->cx.opt.inline_limit = limit;
	r->cx.opt.check = true;
	if (maxreg) {
		r->cx.opt.maxreg = maxreg;
		ck_assert_msg(pass_compile(r->k, &r->cx), "%s", r->d.last);
	} else {
		ck_assert_msg(pass_run(r->k, PASS_ID_link, &r->cx), "%s", r->d.last);
	}
	ck_assert(pass_need(r->k, FACT_CFG | FACT_PDOM | FACT_LIVE, &r->cx));
	r->dev = device_new(&r->d);
	r->out_addr = device_alloc(r->dev, "out", OUT_WORDS * 4);
	r->in_addr = device_alloc(r->dev, "in", IN_WORDS * 4);
	r->out = device_ptr(r->dev, r->out_addr, OUT_WORDS * 4);
	r->in = device_ptr(r->dev, r->in_addr, IN_WORDS * 4);
	for (uint32_t i = 0; i < IN_WORDS; i++)
		r->in[i] = i * 2654435761u;
	memcpy(r->params, &r->out_addr, 8);
	memcpy(r->params + 8, &r->in_addr, 8);
	memcpy(r->params + 16, &n, 4);
	r->l = (struct launch){
		.m = r->m, .k = r->k, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .params = r->params, .param_bytes = 20
	};
}

static inline void rig_open(struct rig *r, const char *ptx, unsigned maxreg)
{
	rig_open_inlining(r, ptx, maxreg, INLINE_LIMIT);
}

static inline void rig_close(struct rig *r)
{
	device_free(r->dev);
	pass_ctx_free(&r->cx);
	diag_free(&r->d);
	arena_free(&r->a);
}

static inline struct engine *rig_engine(struct rig *r)
{
	struct engine *e = engine_new(r->dev, &r->l, &r->opt, &r->d);

	ck_assert_msg(e != NULL, "%s", r->d.last);
	return e;
}

/* Runs to the end; false with a diagnostic in r->d. */
static inline bool rig_run(struct rig *r, struct engine_counts *counts)
{
	struct engine *e = rig_engine(r);
	bool ok = engine_run(e);

	if (counts)
		*counts = *engine_counts(e);
	engine_free(e);
	return ok;
}

/* What thread i leaves in its word of out. */
typedef uint32_t thread_fn(uint32_t i, const uint32_t *in);

/* The ways in which a kernel must give the same memory. */
enum { WAYS = 6 };
static inline uint32_t rig_way_threads(int way)
{
	if (way < 2)
		return 0;
	return way < 4 ? 63 : 16;
}
static inline void rig_way(struct rig *r, const char *ptx, int way)
{
	rig_open(r, ptx, rig_way_threads(way));
	r->opt.poison = way & 1;
	r->opt.poison_seed = (uint64_t)way * 77;
}

#endif

/* What the suites of single passes begin with: an arena, diagnostics, and a context in which each pass is checked by
 * its oracle. */
#ifndef REGLOOM_PASS_FIXTURE_H
#define REGLOOM_PASS_FIXTURE_H

#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"

#include <check.h>
#include <string.h>

static struct arena arena;
static struct diag diag;
static struct pass_ctx cx;

static inline void pass_setup(void)
{
	arena_init(&arena);
	diag_init(&diag, NULL);
	pass_ctx_init(&cx, &diag);
	cx.opt.check = true;
}

/* Code that stays as a test wrote it. */
static inline void pass_setup_plain(void)
{
	pass_setup();
	cx.opt.schedule = false;
	cx.opt.fold = false;
}

static inline void pass_teardown(void)
{
	pass_ctx_free(&cx);
	diag_free(&diag);
	arena_free(&arena);
}

/* The last kernel of this PTX, which has no header lines, compiled. */
static inline struct kernel *compile(const char *body)
{
	struct source *src = new(&arena, struct source); /* the module keeps it */
	struct module *m;

	src->name = "k.ptx";
	src->text = arena_printf(&arena, ".version 8.0\n.target sm_90\n.address_size 64\n%s", body);
	src->len = strlen(src->text);
	m = ptx_parse(src, &arena, &diag);
	ck_assert_msg(m && pass_compile(m->kernel[m->nkernel - 1], &cx), "%s", diag.last);
	return m->kernel[m->nkernel - 1];
}

/* The machine register that the n-th store to global memory stores. */
static inline uint32_t stored(const struct kernel *k, unsigned n)
{
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (op_info[k->insn[i].op].flags & OPF_STORE && k->insn[i].space == SP_GLOBAL && !n--)
			return insn_src(k, &k->insn[i])[1].val;
	ck_abort_msg("there is no such store");
	return 0;
}

static inline uint32_t block_named(const struct kernel *k, const char *label)
{
	for (uint32_t b = 0; b < k->nblock; b++)
		if (k->block[b].label && strcmp(k->block[b].label, label) == 0)
			return b;
	ck_abort_msg("there is no block %s", label);
	return 0;
}

#endif

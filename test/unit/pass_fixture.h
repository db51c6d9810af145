/* What the suites of single passes begin with: an arena, diagnostics, and a context in which each pass is checked by its
 * oracle. */
#ifndef REGLOOM_PASS_FIXTURE_H
#define REGLOOM_PASS_FIXTURE_H

#include "passes/pass.h"

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

#endif

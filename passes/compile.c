/* The back end from end to end: virtual form to machine form, with the facts that are asked for valid at the end. */
#include "passes/pass.h"

static uint32_t param_bytes(const struct kernel *k)
{
	uint32_t top = 0;

	for (uint32_t p = 0; p < k->nparam; p++)
		if (k->param[p].offset + k->param[p].size > top)
			top = k->param[p].offset + k->param[p].size;
	return top;
}

/* Code may be dead only because other code was: again while it shrinks, but no more than a few times. */
static bool remove_dead(struct kernel *k, struct pass_ctx *cx)
{
	uint32_t before;
	unsigned rounds = 0;

	do {
		before = k->ninsn;
		if (!pass_run(k, PASS_ID_dce, cx))
			return false;
	} while (k->ninsn < before && ++rounds < 4);
	return true;
}

bool pass_compile_for(struct kernel *k, unsigned facts, bool regmutex, struct pass_ctx *cx)
{
	if (k->form == FORM_VIRTUAL) {
		k->res.virtual_regs = k->nvreg;
		k->res.virtual_insns = k->ninsn;
		k->res.param_bytes = param_bytes(k);
		if (!pass_run(k, PASS_ID_link, cx) || !pass_run(k, PASS_ID_lower, cx))
			return false;
		if (cx->opt.fold &&
		    (!pass_run(k, PASS_ID_fold, cx) || !remove_dead(k, cx) || !pass_run(k, PASS_ID_narrow, cx) ||
		     !pass_run(k, PASS_ID_fold, cx) || !remove_dead(k, cx)))
			return false;
		if (cx->opt.schedule && !pass_run(k, PASS_ID_schedule, cx))
			return false;
		if (!pass_run(k, PASS_ID_allocate, cx))
			return false;
	}
	return pass_need(k, facts, cx) && (!regmutex || regmutex_make(k, cx));
}

bool pass_compile(struct kernel *k, struct pass_ctx *cx) { return pass_compile_for(k, FACT_ALL, true, cx); }

struct kernel *pass_annotate(const struct kernel *k, struct arena *a, struct pass_ctx *cx)
{
	struct kernel *x = ir_clone(k, a);

	return pass_need(x, FACT_ALL, cx) && regmutex_make(x, cx) ? x : NULL;
}

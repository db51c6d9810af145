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

/* Up to what the number of registers decides. */
static bool before_registers(struct kernel *k, struct pass_ctx *cx)
{
	k->res.virtual_regs = k->nvreg;
	k->res.virtual_insns = k->ninsn;
	k->res.param_bytes = param_bytes(k);
	if (!pass_run(k, PASS_ID_link, cx) || !pass_run(k, PASS_ID_lower, cx))
		return false;
	return !cx->opt.fold ||
	       (pass_run(k, PASS_ID_fold, cx) && remove_dead(k, cx) && pass_run(k, PASS_ID_narrow, cx) &&
		pass_run(k, PASS_ID_fold, cx) && remove_dead(k, cx));
}

static bool give_registers(struct kernel *k, struct pass_ctx *cx)
{
	return (!cx->opt.schedule || pass_run(k, PASS_ID_schedule, cx)) && pass_run(k, PASS_ID_allocate, cx);
}

/* How many registers k takes if it may have so many; 0: something is spilled then, or it has too few. */
static unsigned taken_with(const struct kernel *k, unsigned maxreg, const struct pass_ctx *of)
{
	struct pass_ctx cx = *of;
	unsigned taken = 0;
	struct kernel *c;
	struct arena a;
	struct diag d;

	arena_init(&a);
	arena_init(&cx.scratch);
	diag_init(&d, NULL);
	cx.diag = &d;
	cx.dump = NULL;
	cx.opt.check = false;
	cx.opt.maxreg = maxreg;
	c = ir_clone(k, &a);
	if (give_registers(c, &cx) && !c->nspill && !c->res.spill_loads && !c->res.spill_stores)
		taken = c->res.regs;
	diag_free(&d);
	arena_free(&cx.scratch);
	arena_free(&a);
	return taken;
}

/* The least number of registers with which nothing is spilled, by halving: the schedule follows the number, so less may
 * be enough again below one that is not, and that is not looked for. MAXREG_MOST: there is none. */
static unsigned least_registers(const struct kernel *k, const struct pass_ctx *cx)
{
	unsigned few = MAXREG_FEWEST - 1, enough = taken_with(k, MAXREG_MOST, cx);

	if (!enough)
		return MAXREG_MOST;
	enough = enough < MAXREG_FEWEST ? MAXREG_FEWEST : enough;
	while (few + 1 < enough) {
		const unsigned now = few + (enough - few) / 2;

		if (taken_with(k, now, cx))
			enough = now;
		else
			few = now;
	}
	return enough;
}

static bool to_machine_form(struct kernel *k, struct pass_ctx *cx)
{
	const unsigned maxreg = cx->opt.maxreg;
	bool ok;

	if (!before_registers(k, cx))
		return false;
	if (maxreg == MAXREG_LEAST)
		cx->opt.maxreg = least_registers(k, cx);
	ok = give_registers(k, cx);
	cx->opt.maxreg = maxreg;
	return ok;
}

bool pass_compile_for(struct kernel *k, unsigned facts, bool regmutex, struct pass_ctx *cx)
{
	if (k->form == FORM_VIRTUAL && !to_machine_form(k, cx))
		return false;
	return pass_need(k, facts, cx) && (!regmutex || regmutex_make(k, cx));
}

bool pass_compile(struct kernel *k, struct pass_ctx *cx) { return pass_compile_for(k, FACT_ALL, true, cx); }

struct kernel *pass_annotate(const struct kernel *k, struct arena *a, struct pass_ctx *cx)
{
	struct kernel *x = ir_clone(k, a);

	x->native = k->native;
	return pass_need(x, FACT_ALL, cx) && regmutex_make(x, cx) ? x : NULL;
}

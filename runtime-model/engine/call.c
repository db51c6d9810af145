/* Calls, returns and computed branches: where each lane goes, and what that leaves on the SIMT stack. */
#include "runtime-model/engine/simt.h"

#include <string.h>

bool levels_room(struct engine *e, struct warp *w)
{
	struct level *wider;

	if (w->depth + STACK_MAX <= w->room)
		return true;
	if (w->depth + STACK_MAX > LEVELS_MAX)
		return false;
	wider = new_array(&e->a, struct level, (size_t)2 * w->room);
	memcpy(wider, w->below, w->depth * sizeof *wider);
	w->below = wider;
	w->room *= 2;
	return true;
}

static const struct xtarget *find_key(const struct engine *e, const struct xinsn *x, uint64_t key)
{
	const struct xtarget *t = e->prog.target + x->dst[0];

	for (uint32_t n = 0; n < x->dst[1]; n++)
		if (t[n].key == key)
			return &t[n];
	return NULL;
}

/* Lanes by target, that of the lowest lane first. */
static bool part(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		 struct parts *to)
{
	const uint32_t *low = (x->src[0] < 0 ? e->prog.konst : w->reg) + (x->src[0] & INT32_MAX);

	EACH_ACTIVE(l, exec)
	{
		const struct xtarget *t;
		uint32_t n = 0;

		if (x->kind == X_BRX) {
			if (low[l] >= x->dst[1])
				return fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), l,
						"index %u is outside the %u labels of the table", low[l], x->dst[1]);
			t = e->prog.target + x->dst[0] + low[l];
		} else {
			uint64_t at = low[l] | (uint64_t)low[WARP_LANES + l] << 32;

			t = find_key(e, x, at);
			if (!t)
				return fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), l,
						"0x%llx is not the address of a function that may be called here",
						(unsigned long long)at);
		}
		while (n < to->n && to->p[n].pc != t->pc)
			n++;
		if (n == to->n) {
			to->p[to->n].pc = t->pc;
			to->p[to->n++].lanes = 0;
		}
		to->p[n].lanes |= 1u << l;
	}
	return true;
}

/* The lanes that do not execute it go on at the next instruction. */
static void add_rest(struct parts *to, uint32_t next, uint32_t rest)
{
	uint32_t n = 0;

	if (!rest)
		return;
	while (n < to->n && to->p[n].pc != next)
		n++;
	if (n == to->n)
		to->p[to->n++] = (struct part){ next, 0 };
	to->p[n].lanes |= rest;
}

bool control_transfer(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		      struct parts *to)
{
	uint32_t next = w->top.pc + 1, rest = w->top.active & ~exec;

	to->n = 0;
	if (x->kind == X_RETURN) {
		to->p[to->n].pc = simt_return_address(w);
		to->p[to->n++].lanes = exec;
		simt_return(w, exec);
		w->top.pc++;
		add_rest(to, next, rest);
		return true;
	}
	if (x->kind == X_CALL) {
		to->p[0].pc = x->target;
		to->p[0].lanes = exec;
		to->n = 1;
	} else if (!part(e, c, w, x, exec, to)) {
		return false;
	}
	if (!levels_room(e, w))
		return fault_in(e, FAULT_STACK, c, w, insn_of(e, x), (unsigned)__builtin_ctz(exec),
				"calls and branches are nested too deep: %u paths of the "
				"warp wait",
				w->depth);
	if (x->kind == X_BRX) {
		add_rest(to, next, rest);
		e->counts.branches++;
		e->counts.divergent += to->n > 1;
		simt_spread(w, to->p, to->n, x->rpc);
		return true;
	}
	simt_enter(w); /* never guarded: all active lanes go */
	simt_call(w, to->p, to->n);
	return true;
}

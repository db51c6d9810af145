/* Where control of machine code goes. A warp is a set of paths; lanes come together again at barriers of lanes, B0 to
 * B15, which hold for each lane the lanes that it waits for:
 *
 *   BSSY B    those that are here
 *   BSYNC B   waits until all of them that have not exited are here as well, and goes on with them
 *   BREAK B   takes the lanes that execute it out of what the others wait for
 *   BMOV      moves them to registers and back, around calls
 *
 * WARPSYNC.COLLECTIVE M, L waits until all lanes of M that have not exited are at such an instruction, wherever in the
 * code. All of them then execute the region behind that to which the last ones came, and go on at the L of their own at
 * its ENDCOLLECTIVE. WARPSYNC.EXCLUSIVE M parts lanes with different M, as .COLLECTIVE does; each group goes on alone,
 * until a BSYNC. The branches .DIV and .CONV compare the lanes whose guard holds with a mask, and all go one way: R2UR,
 * whose predicate holds for lanes with another value than that of the uniform register, guards them where masks differ.
 * So a shuffle works for lanes that come to it from both sides of a branch: ptxas gives all regions of a kernel that
 * are for each other the same registers.
 *
 * A path that waits leaves the top (simt_yield), and looks again whenever it comes back to it. What it waits for can
 * only come to be by lanes that arrive, exit or break: at the last two all paths that wait are looked at again.
 *
 * ptxas puts the BSYNC behind a loop that spins on a lock before what the lock guards, so who has the lock waits there
 * for who wants it. US patent 10067768 says how that goes on: a barrier does not wait for lanes that have yielded, and
 * is clear for them. Its YIELD stands in each loop that reads what others write, histograms too, so it does not say
 * that a lane waits; a path yields here when it is found to (spin.c).
 *
 * Such lanes have then gone ahead of others, whose barriers may name them still, in registers where callers' barriers
 * are kept: where all lanes of the warp wait for each other, a barrier lets its lanes go (flow_hurry).
 *
 * The code of ptxas also jumps out of what BSSY begins with no BREAK, to a WARPSYNC that names all lanes. There is no
 * way on but to let those at the BSYNC go: when all wait, none is waited for who waits at another instruction
 * (flow_release). */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/simt.h"

static const uint32_t *source(const struct engine *e, const struct warp *w, int32_t src)
{
	return (src < 0 ? e->prog.konst : w->reg) + (src & INT32_MAX);
}

static void add_part(struct parts *to, uint32_t pc, uint32_t lanes)
{
	uint32_t n = 0;

	while (n < to->n && to->p[n].pc != pc)
		n++;
	if (n == to->n)
		to->p[to->n++] = (struct part){ pc, 0 };
	to->p[n].lanes |= lanes;
}

/* The lanes go where `to` says, the others to the next instruction. */
static void go(struct engine *e, struct warp *w, struct parts *to, uint32_t exec)
{
	const uint32_t rest = w->top.active & ~exec;

	if (rest)
		add_part(to, w->top.pc + 1, rest);
	e->counts.branches++;
	e->counts.divergent += to->n > 1;
	simt_spread(w, to->p, to->n, UINT32_MAX);
}

static void branch(struct engine *e, struct warp *w, const struct xflow *f, uint32_t exec, uint32_t holds,
		   struct parts *to)
{
	const uint32_t active = w->top.active;
	uint32_t mask = f->ask >= ASK_APART ? source(e, w, f->mask)[__builtin_ctz(exec)] : 0;

	mask = f->mask_neg ? ~mask : mask;
	if (f->ask == ASK_ANY)
		holds = holds ? exec : 0;
	else if (f->ask == ASK_ALL)
		holds = holds == active ? holds : 0;
	else if (f->ask == ASK_APART)
		holds = holds != mask ? active : 0;
	else if (f->ask == ASK_TOGETHER)
		holds = holds == mask ? active : 0;
	if (holds)
		add_part(to, f->to, holds);
	go(e, w, to, holds);
}

/* Lanes that call a function of the driver do so, and come back. */
static bool call_runtime(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, unsigned r,
			 uint32_t lanes)
{
	const uint32_t at = e->prog.runtime + r;

	e->prog.step_of[at - e->prog.ninsn] = insn_of(e, x);
	e->events++; /* the host sees it */
	if (w->watching)
		spin_changes(w);
	return (!op_uses_heap(e->prog.code[at].target) || heap_start(e->dev)) &&
	       host_call(e, c, w, &e->prog.code[at], lanes);
}

static uint64_t register_pair(const struct engine *e, const struct warp *w, uint32_t r, unsigned l)
{
	const uint32_t *low = w->reg + e->prog.slot[r];

	return low[l] | (uint64_t)low[WARP_LANES + l] << 32;
}

static bool jump(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		 struct parts *to)
{
	const struct xflow *f = &e->prog.flow[x->target];
	const uint32_t *low = source(e, w, f->mask);
	uint32_t calls[HOST_COUNT] = { 0 };
	uint64_t to_of[WARP_LANES];

	EACH_ACTIVE(l, exec)
	{
		to_of[l] = f->base + (low[l] | (uint64_t)low[WARP_LANES + l] << 32);
		if (to_of[l] - NATIVE_RUNTIME_WINDOW < HOST_COUNT * (uint64_t)16)
			calls[(to_of[l] - NATIVE_RUNTIME_WINDOW) / 16] |= 1u << l;
	}
	for (unsigned r = 0; r < HOST_COUNT; r++) {
		if (calls[r] && !call_runtime(e, c, w, x, r, calls[r]))
			return false;
		EACH_ACTIVE(l, calls[r])
		to_of[l] = register_pair(e, w, 20, l);
	}
	EACH_ACTIVE(l, exec)
	{
		const uint64_t at = to_of[l];
		const uint32_t pc = native_insn_at(e, at);

		if (pc == UINT32_MAX)
			return fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), l,
					"goes to 0x%llx, where the kernel has no instruction", (unsigned long long)at);
		add_part(to, pc, 1u << l);
	}
	go(e, w, to, exec);
	return true;
}

static void exits(struct warp *w, uint32_t lanes)
{
	simt_exit(w, lanes);
	w->parked = 0;
}

/* Lanes of other paths that wait at instruction INSN for the same: a function that calls itself has as many of this
 * barrier as there are calls. They join the path on top if `take`. */
static uint32_t waiting(struct warp *w, const uint32_t *b, uint32_t insn, uint32_t mask, bool take)
{
	uint32_t found = 0;

	for (uint32_t i = w->depth; i--;) {
		const struct level v = w->below[i];

		if (v.pc != insn || !v.active || v.active & ~w->parked || b[__builtin_ctz(v.active)] != mask)
			continue;
		found |= v.active;
		if (take)
			simt_take(w, i);
	}
	if (take)
		w->top.active |= found;
	return found;
}

/* The lanes of every barrier like it wait for `lanes` no more. */
static void leave_barrier(struct warp *w, uint32_t bar, uint32_t lanes)
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		w->reg[bar + l] &= w->reg[bar + l] & lanes ? ~lanes : UINT32_MAX;
}

/* The BSYNC at this instruction; NULL: it is none. */
static const struct xflow *bsync_at(const struct engine *e, uint32_t insn)
{
	const struct xinsn *x = &e->prog.code[insn];

	return x->kind == X_FLOW && e->prog.flow[x->target].kind == FLOW_BSYNC ? &e->prog.flow[x->target] : NULL;
}

uint32_t flow_awaited(const struct engine *e, struct warp *w, uint32_t i)
{
	const struct xflow *f = bsync_at(e, w->below[i].pc);
	const uint32_t lanes = w->below[i].active;
	const uint32_t *b;
	uint32_t mask;

	if (!f || !lanes)
		return UINT32_MAX;
	b = w->reg + f->bar;
	mask = b[__builtin_ctz(lanes)];
	return mask & simt_live(&e->prog, w) & ~lanes & ~waiting(w, b, w->below[i].pc, mask, false);
}

bool flow_hurry(const struct engine *e, struct warp *w, uint32_t pc)
{
	for (uint32_t i = w->depth; w->ahead && i--;)
		if (flow_awaited(e, w, i) != UINT32_MAX) {
			w->unawaited = UINT32_MAX;
			w->parked &= ~w->below[i].active;
			return simt_leave(w, pc);
		}
	return false;
}

/* Lanes at this BSYNC wait for those no more. Whether any did. */
static bool give_up(struct warp *w, const struct xflow *f, uint32_t lanes, uint32_t gone)
{
	bool any = false;

	EACH_ACTIVE(l, lanes)
	{
		any |= (w->reg[f->bar + l] & gone) != 0;
		w->reg[f->bar + l] &= ~gone;
	}
	return any;
}

bool flow_release(struct engine *e, struct warp *w, uint32_t pc)
{
	const struct xflow *f = e->prog.flow ? bsync_at(e, pc) : NULL;
	uint32_t gone = f ? 0 : w->top.active;
	bool any;

	if (!e->prog.flow)
		return false;
	for (uint32_t i = w->depth; i--;)
		if (w->below[i].active && !simt_ends(&e->prog, w->below[i].pc) && !bsync_at(e, w->below[i].pc))
			gone |= w->below[i].active;
	any = f && give_up(w, f, w->top.active, gone);
	for (uint32_t i = w->depth; i--;)
		if (w->below[i].active && !simt_ends(&e->prog, w->below[i].pc) && (f = bsync_at(e, w->below[i].pc)))
			any |= give_up(w, f, w->below[i].active, gone);
	if (any) {
		w->parked = 0;
		w->top.pc = pc; /* comes back to it */
	}
	return any;
}

/* Those of `exec` that have the same number in b as the first of them. */
static uint32_t like_first(const uint32_t *b, uint32_t exec)
{
	const uint32_t of = b[__builtin_ctz(exec)];
	uint32_t same = 0;

	EACH_ACTIVE(l, exec)
	same |= (uint32_t)(b[l] == of) << l;
	return same;
}

static enum step bsync(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xflow *f = &e->prog.flow[x->target];
	const uint32_t *b = w->reg + f->bar, insn = insn_of(e, x), mask = b[__builtin_ctz(exec)];
	const uint32_t unawaited = w->unawaited, same = like_first(b, exec);
	uint32_t want;

	w->unawaited = 0;
	if (same != w->top.active) { /* the others go on, or wait for other lanes */
		simt_branch(w, same, insn, UINT32_MAX);
		if (exec != same)
			w->below[w->depth - 1].pc = insn;
		return STEP_SWITCH;
	}
	want = mask & simt_live(&e->prog, w) & ~same & ~waiting(w, b, insn, mask, false);
	if (want & ~unawaited && simt_leave(w, insn))
		return STEP_SWITCH;
	if (want & ~unawaited && !w->ahead) {
		if (flow_release(e, w, insn))
			return STEP_SWITCH;
		fault_in(e, FAULT_DEADLOCK, c, w, insn, WARP_LANES,
			 "lanes 0x%x wait at B%u for lanes 0x%x, which wait as well", same, f->number, want);
		return STEP_FAULT;
	}
	waiting(w, b, insn, mask, true);
	w->parked &= ~w->top.active;
	if (want) {
		w->ahead |= w->top.active;
		leave_barrier(w, f->bar, w->top.active);
	}
	w->top.pc = insn + 1;
	return STEP_DONE;
}

/* Lanes with another mask stay here, as a path that comes later; nothing is said of the warp as a whole until then. */
static enum step part_groups(struct warp *w, uint32_t same, uint32_t insn)
{
	w->whole = w->apart && w->whole < w->depth ? w->whole : w->depth;
	w->apart = true;
	simt_branch(w, same, insn, UINT32_MAX);
	w->below[w->depth - 1].pc = insn;
	return STEP_SWITCH;
}

/* Lanes of other paths that wait at a WARPSYNC.COLLECTIVE for the same lanes. They join the path on top if `take`. */
static uint32_t collected(struct engine *e, struct warp *w, uint32_t mask, bool take)
{
	uint32_t found = 0, above = w->top.active;

	for (uint32_t i = w->depth; i--;) {
		const struct level v = w->below[i];
		const struct xinsn *x = &e->prog.code[v.pc];
		const struct xflow *f = x->kind == X_FLOW ? &e->prog.flow[x->target] : NULL;
		const bool leaf = !(v.active & above);

		above |= v.active;
		if (!leaf || !v.active || v.active & ~w->parked || !f || f->kind != FLOW_COLLECT ||
		    source(e, w, f->mask)[__builtin_ctz(v.active)] != mask)
			continue;
		found |= v.active;
		if (!take)
			continue;
		EACH_ACTIVE(l, v.active)
		w->behind[l] = f->to;
		simt_take(w, i);
	}
	return found;
}

static enum step collect(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xflow *f = &e->prog.flow[x->target];
	const uint32_t *b = source(e, w, f->mask), insn = insn_of(e, x), mask = b[__builtin_ctz(exec)];
	const uint32_t want = mask & simt_live(&e->prog, w) & ~exec, same = like_first(b, exec);
	uint32_t others = collected(e, w, mask, false);

	if (same != exec)
		return part_groups(w, same, insn);
	if (exec != w->top.active || want & ~others) {
		if (exec == w->top.active &&
		    (simt_leave(w, insn) || flow_hurry(e, w, insn) || flow_release(e, w, insn)))
			return STEP_SWITCH;
		fault_in(e, FAULT_DEADLOCK, c, w, insn, WARP_LANES,
			 "lanes 0x%x wait for lanes 0x%x, which do not come to an instruction like this", exec,
			 want & ~others);
		return STEP_FAULT;
	}
	if (!w->behind)
		w->behind = new_array(&e->a, uint32_t, WARP_LANES);
	EACH_ACTIVE(l, exec)
	w->behind[l] = f->to;
	others = collected(e, w, mask, true);
	w->guests |= others;
	w->top.active |= others;
	w->parked &= ~w->top.active;
	w->top.pc = insn + 1;
	return STEP_DONE;
}

static enum step meet(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xflow *f = &e->prog.flow[x->target];
	const uint32_t *b = source(e, w, f->mask), insn = insn_of(e, x), mask = b[__builtin_ctz(exec)];
	const uint32_t same = like_first(b, exec);
	uint32_t missing;

	if (same != exec)
		return part_groups(w, same, insn);
	missing = mask & simt_live(&e->prog, w) & ~same & ~waiting(w, b, insn, mask, false);
	if (missing) {
		if (!(missing & w->top.active) &&
		    (simt_leave(w, insn) || flow_hurry(e, w, insn) || flow_release(e, w, insn)))
			return STEP_SWITCH;
		fault_in(e, FAULT_ILLEGAL, c, w, insn, WARP_LANES,
			 "the member mask 0x%x names lanes 0x%x, which do not come", mask, missing);
		return STEP_FAULT;
	}
	waiting(w, b, insn, mask, true);
	w->parked &= ~w->top.active;
	w->top.pc = insn + 1;
	return STEP_DONE;
}

/* The lanes of a region go where each came from. */
static void spread(struct engine *e, struct warp *w, uint32_t exec, struct parts *to)
{
	EACH_ACTIVE(l, exec)
	add_part(to, w->behind[l], 1u << l);
	w->guests &= ~exec;
	go(e, w, to, exec);
}

/* Makes lanes execute, of .PQUAD all of each four of which one does: those that already do, or it cannot be done
 * here. */
static bool activate(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t lanes, bool quads)
{
	enum { QUAD = 4, IN_QUAD = 0xf };

	for (unsigned l = 0; quads && l < WARP_LANES; l += QUAD)
		lanes |= lanes >> l & IN_QUAD ? (uint32_t)IN_QUAD << l : 0;
	return lanes == w->top.active ||
	       fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), WARP_LANES,
			"lanes 0x%x are to execute where lanes 0x%x do: lanes that are elsewhere cannot help here",
			lanes, w->top.active);
}

static bool move(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xflow *f = &e->prog.flow[x->target];
	const uint32_t *from = f->active ? NULL : source(e, w, f->mask);

	if (f->active && f->bar)
		return !exec || activate(e, c, w, x, w->reg[f->bar + __builtin_ctz(exec)], f->ask == ASK_ANY);
	EACH_ACTIVE(l, exec)
	w->reg[x->dst[0] + l] = from ? from[l] : w->top.active;
	if (f->clear && f->bar)
		EACH_ACTIVE(l, exec)
	w->reg[f->bar + l] = 0;
	return true;
}

enum step flow_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		       struct parts *to)
{
	const struct xflow *f = &e->prog.flow[x->target];
	const uint32_t holds = exec & (w->pred[f->pred] ^ (0u - (uint32_t)f->neg)), insn = w->top.pc;

	to->n = 0;
	switch (f->kind) {
	case FLOW_BRANCH:
		branch(e, w, f, exec, holds, to);
		return STEP_DONE;
	case FLOW_JUMP:
		if (!holds)
			go(e, w, to, 0);
		return !holds || jump(e, c, w, x, holds, to) ? STEP_DONE : STEP_FAULT;
	case FLOW_EXIT:
		w->top.pc = insn + 1;
		exits(w, holds);
		return STEP_DONE;
	case FLOW_BSYNC:
		if (holds)
			return bsync(e, c, w, x, holds);
		break;
	case FLOW_BSSY:
		EACH_ACTIVE(l, holds)
		w->reg[f->bar + l] = holds;
		break;
	case FLOW_BREAK:
		leave_barrier(w, f->bar, holds);
		w->parked = 0;
		break;
	case FLOW_COLLECT:
		if (holds)
			return collect(e, c, w, x, holds);
		break;
	case FLOW_MEET:
		if (holds)
			return meet(e, c, w, x, holds);
		break;
	case FLOW_SPREAD:
		if (!w->behind)
			break;
		spread(e, w, holds, to);
		return STEP_DONE;
	case FLOW_MOVE:
		if (!move(e, c, w, x, exec))
			return STEP_FAULT;
		break;
	}
	w->top.pc = insn + 1;
	return STEP_DONE;
}

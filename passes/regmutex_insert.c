/* Pass `regmutex`: acquire and release in a variant, k->base_regs given (Khorasani et al., ISCA 2018, section III-A3).
 *
 * The extended set, registers from k->base_regs on, is required at an instruction that names one of them, or before
 * which one is alive for the lanes that execute it, or for lanes that wait elsewhere while they do (k->wlive). It is
 * held there, and beyond where the cost model says so (regmutex_regions()). Each instruction has one state then,
 * whichever way a warp comes.
 *
 * An acquire stands where the state becomes held, a release where it ceases to be: between two instructions; at the end
 * of a block, on an edge or at the start of a block, whichever is executed less. The start of a block is right in any
 * case, and it must be that where a warp may come from other sides of a branch in another state, not over an edge. On
 * the edges it is executed by the lanes that take them, so a loop whose body holds the set acquires before it, not each
 * time round. An instruction that finds the set held (or not) already does nothing. At the end of a thread nothing is
 * released: hardware does that. */
#include "passes/edit.h"
#include "passes/regmutex_place.h"

#include <string.h>

#define NONE UINT32_MAX

struct insert {
	struct kernel *k;
	const uint8_t *hold;
	struct arrivals in;
	struct regmutex_cost cost;
	struct edit e;
};

static bool names_high(const struct kernel *k, const struct insn *i)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);

	for (unsigned u = 0; u < n; u++)
		if (use[u].reg >= k->base_regs && use[u].reg < MREG_RZ)
			return true;
	return false;
}

static bool any_high(const struct kernel *k, const uint64_t *set)
{
	return bitset_next(set, k->base_regs, MREG_RZ) < MREG_RZ;
}

void regmutex_required(const struct kernel *k, struct arena *a, uint8_t *need)
{
	uint64_t *set = bitset_new(a, MREG_ALL);

	for (uint32_t b = 0; b < k->nblock; b++) {
		bool waited = any_high(k, k->wlive->wait[b]);

		live_put(live_out(k, b), set);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j;

			live_step_back(k, &k->insn[i], set);
			need[i] = waited || names_high(k, &k->insn[i]) || any_high(k, set);
		}
		live_take(live_in(k, b), set);
	}
}

/* A path that is left midway comes back to the instruction itself: nothing can stand before it. What is alive there
 * keeps the others from releasing, but what it alone names does not. */
static uint32_t find_unsafe(const struct kernel *k, const uint8_t *need, const struct arrivals *in, struct arena *a)
{
	uint64_t *set = bitset_new(a, MREG_ALL);
	uint32_t found = NONE;

	for (uint32_t b = 0; b < k->nblock; b++) {
		if (!in->midway[b])
			continue;
		live_copy(set, live_out(k, b), MREG_ALL);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j;

			live_step_back(k, &k->insn[i], set);
			if (need[i] && insn_yields(k, &k->insn[i]) && !any_high(k, set))
				found = i;
		}
	}
	return found;
}

static void put(struct insert *s, uint32_t i)
{
	edit_before(&s->e, i, s->hold[i] ? OP_RF_ACQUIRE : OP_RF_RELEASE, ref_none(), ref_none());
}

static unsigned want(const struct insert *s, uint32_t b)
{
	return s->hold[s->in.first[b]] ? STATE_HELD : STATE_RELEASED;
}

/* Has the warp in the right state where block b begins. */
static void enter(struct insert *s, uint32_t b)
{
	const struct kernel *k = s->k;
	const struct cfg *g = k->cfg->local;
	unsigned right = want(s, b);
	uint64_t edges = 0;
	bool start = s->in.start[b] & ~right, any = start;

	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
		uint32_t p = g->pred[e];

		if (k->cfg->rpo_index[p] == NONE)
			continue;
		for (uint32_t x = g->succ_at[p]; x < g->succ_at[p + 1]; x++)
			if (g->succ[x] == b && s->in.edge[x] & ~right) {
				edges += regmutex_edge_runs(&s->cost, p, b) * (edit_edge_is_critical(k, p, b) ? 2 : 1);
				any = true;
			}
	}
	if (!any)
		return;
	if (start || edges >= s->cost.runs[b]) {
		put(s, k->block[b].first);
		return;
	}
	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
		uint32_t p = g->pred[e];

		for (uint32_t x = g->succ_at[p]; k->cfg->rpo_index[p] != NONE && x < g->succ_at[p + 1]; x++)
			if (g->succ[x] == b && s->in.edge[x] & ~right)
				edit_edge(&s->e, p, b, right == STATE_HELD ? OP_RF_ACQUIRE : OP_RF_RELEASE, ref_none(),
					  ref_none());
	}
}

static void go_through(struct insert *s, uint32_t b)
{
	const struct kernel *k = s->k;
	unsigned now = want(s, b);

	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
		unsigned right = s->hold[i] ? STATE_HELD : STATE_RELEASED;

		if (now != right)
			put(s, i);
		now = right;
		if (insn_yields(k, &k->insn[i]))
			now |= s->in.midway[b];
		/* lanes that wait hold registers which keep the others from releasing; and no path is left at a barrier
		 * in the held state */
		if (s->hold[i] || op_info[k->insn[i].op].flags & OPF_BARRIER)
			now = right;
	}
}

/* A thread's end gives the set back: a release before it is of no use. */
static void keep_to_the_end(const struct kernel *k, const uint8_t *never, uint8_t *hold)
{
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t last = k->block[b].first + k->block[b].n - 1;

		if (k->block[b].n > 1 && op_info[k->insn[last].op].flags & OPF_EXIT && insn_kills(&k->insn[last]) &&
		    !never[last] && hold[last - 1])
			hold[last] = 1;
	}
}

/* The state must be another one than the rules allow at this instruction; the size is not legal. */
static enum pass_result refuse(const struct kernel *k, uint32_t i, const uint8_t *waits)
{
	struct regmutex *r = k->plain->regmutex;

	r->size[r->chosen].why = waits[i] ? SIZE_WAITS : SIZE_COMPACT;
	r->size[r->chosen].at = i;
	return PASS_SAME;
}

enum pass_result pass_regmutex(struct kernel *k, struct pass_ctx *cx)
{
	struct arena *a = &cx->scratch;
	struct insert s = { .k = k };
	uint8_t *need, *never, *low, *hold, *waits;
	uint32_t unsafe;

	if (!k->plain || !k->base_regs)
		return PASS_SAME;
	need = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	never = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	low = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	hold = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	waits = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	regmutex_required(k, a, need);
	if (!k->plain->regmutex->rules_off) {
		regmutex_waits(k, a, waits);
		regmutex_never(k, waits, a, never, low);
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (need[i] && never[i])
			return refuse(k, i, waits);
	regmutex_cost_init(&s.cost, k, k->plain->regmutex, a);
	if (cx->opt.regmutex.place == REGMUTEX_PLACE_COST)
		regmutex_regions(&s.cost, need, never, 0, a, hold);
	else
		memcpy(hold, need, k->ninsn);
	keep_to_the_end(k, never, hold);
	s.hold = hold;
	regmutex_arrivals(k, hold, a, &s.in);
	unsafe = find_unsafe(k, need, &s.in, a);
	if (unsafe != NONE)
		return refuse(k, unsafe, waits);
	edit_begin(&s.e, k, a);
	for (uint32_t x = 0; x < k->cfg->nrpo; x++) {
		uint32_t b = k->cfg->rpo[x];

		if (!k->block[b].n)
			continue;
		enter(&s, b);
		go_through(&s, b);
	}
	if (k->native) {
		regmutex_note(k, &s.e, hold, k->plain->regmutex);
		return PASS_SAME;
	}
	if (!s.e.n)
		return PASS_SAME;
	edit_end(&s.e);
	return PASS_CHANGED;
}

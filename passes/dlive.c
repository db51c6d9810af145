/* Divergence-conservative liveness: RegMutex, section III-A1, Figure 3.
 *
 * "If a register is defined before a branch and is used within at least one of the branched basic blocks, the register
 * has to be considered alive within all the resulted branch basic blocks", "this makes the immediate post-dominator
 * [...] the first candidate for considering the architected register dead", and "if a register is defined within a
 * branch and is going to be used in a post-dominator basic block, it has to be assumed alive in other branches". So,
 * for a branch b whose lanes may part and the block p where they meet, what is live out of b, or into p, is alive in
 * all blocks that b leads to before p, from their first to their last instruction: whichever side goes first, whoever
 * waits. A branch that says .uni does not part a warp.
 *
 * The paper knows no functions, and no path that is left half-way. What lanes may read that wait in either of these
 * ways, warp liveness says (passes/wlive.c): it is joined in, so that the result holds for a warp as wlive's does, and
 * never says less.
 *
 * The blocks on the sides of branches that meet at p are all post-dominated by p, so the sides of two branches that
 * share a block meet at places of which one post-dominates the other. Places are worked off outer ones first; then what
 * a block has from outer branches has come to all blocks behind it already, and only news flows on: each register goes
 * once over each edge, and place. */
#include "elsewhere.h"

#define NONE UINT32_MAX

struct dlive {
	const struct kernel *k;
	const struct cfg *g; /* inside functions */
	uint64_t (*alive)[WLIVE_WORDS];
	uint32_t *stack, top;
	bool *waits; /* block is in the stack */
};

/* More of `from` into block b; then its successors are to be looked at. */
static void give(struct dlive *s, uint32_t b, const uint64_t *from)
{
	uint64_t more = 0;

	for (unsigned x = 0; x < WLIVE_WORDS; x++) {
		more |= from[x] & ~s->alive[b][x];
		s->alive[b][x] |= from[x];
	}
	if (!more || s->waits[b])
		return;
	s->waits[b] = true;
	s->stack[s->top++] = b;
}

/* The branches that meet at p. */
static void meet(struct dlive *s, uint32_t p, const uint32_t *branch, uint32_t nbranch)
{
	for (uint32_t x = 0; x < nbranch; x++) {
		uint64_t set[WLIVE_WORDS] = { 0 };

		live_put(live_out(s->k, branch[x]), set);
		if (p != NONE)
			live_put(live_in(s->k, p), set);
		for (uint32_t e = s->g->succ_at[branch[x]]; e < s->g->succ_at[branch[x] + 1]; e++)
			if (s->g->succ[e] != p)
				give(s, s->g->succ[e], set);
	}
	while (s->top) {
		uint32_t b = s->stack[--s->top];

		s->waits[b] = false;
		for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
			if (s->g->succ[e] != p)
				give(s, s->g->succ[e], s->alive[b]);
	}
}

/* Place of the block where the sides of b meet in the post-dominator tree, outer ones first. */
static uint32_t meeting(const struct kernel *k, uint32_t b)
{
	uint32_t p = reconvergence(k, b);

	return k->meet->pre[p == NONE ? k->nblock : p];
}

static void find_alive(struct dlive *s, struct arena *a)
{
	const struct kernel *k = s->k;
	uint32_t n = k->nblock, *at = new_array(a, uint32_t, (size_t)n + 4),
		 *branch = new_array(a, uint32_t, (size_t)n + 1);

	for (uint32_t b = 0; b < n; b++)
		if (warp_parts(k, b))
			at[meeting(k, b) + 2]++;
	for (uint32_t p = 0; p <= n; p++)
		at[p + 2] += at[p + 1];
	for (uint32_t b = 0; b < n; b++)
		if (warp_parts(k, b))
			branch[at[meeting(k, b) + 1]++] = b;
	for (uint32_t p = 0; p <= n; p++)
		if (at[p + 1] > at[p])
			meet(s, reconvergence(k, branch[at[p]]), branch + at[p], at[p + 1] - at[p]);
}

uint32_t dlive_most(const struct kernel *k, uint64_t (*alive)[WLIVE_WORDS])
{
	uint32_t most = 0;

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint64_t set[WLIVE_WORDS] = { 0 };
		uint32_t n;

		live_put(live_out(k, b), set);
		for (uint32_t j = k->block[b].n + 1; j--;) {
			n = dlive_count(set, alive[b]);
			most = n > most ? n : most;
			if (j)
				live_step_back(k, &k->insn[k->block[b].first + j - 1], set);
		}
	}
	return most;
}

enum pass_result pass_dlive(struct kernel *k, struct pass_ctx *cx)
{
	struct arena *a = &cx->scratch;
	uint32_t n = k->nblock;
	struct dlive s = {
		.k = k,
		.g = k->cfg->local,
		.alive = arena_alloc(k->a, ((size_t)n + 1) * sizeof *s.alive, 8),
		.stack = new_array(a, uint32_t, (size_t)n + 1),
		.waits = new_array(a, bool, (size_t)n + 1),
	};

	k->dlive = new(k->a, struct dliveness);
	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	memset(s.alive, 0, ((size_t)n + 1) * sizeof *s.alive);
	find_alive(&s, a);
	for (uint32_t b = 0; b < n; b++)
		for (unsigned x = 0; x < WLIVE_WORDS; x++)
			s.alive[b][x] |= k->wlive->wait[b][x];
	k->dlive->alive = s.alive;
	k->dlive->max_live32 = dlive_most(k, s.alive);
	return PASS_SAME;
}

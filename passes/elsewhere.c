/* Sums over the sides of branches. With P the block where the sides of b meet, its immediate post-dominator, the side
 * of successor s is all blocks that s leads to without passing P.
 *
 * Every way from s to P goes through s, ipdom(s), ipdom(ipdom(s)) and so on, in this order, and between two of these
 * through the sides of the first. So a side's sum is that over the ancestors of s in the post-dominator tree below P,
 * of what each does itself and on its own sides. Blocks of one depth depend on each other, as a loop's last block does
 * on itself, and are worked off until nothing changes; what lies deeper is known before. Sums over ancestors are found
 * with path compression (Tarjan 1979), since nested loops make long chains.
 *
 * Blocks from which no exit is reached have one in that tree (dom.c), so none is left out. */
#include "passes/elsewhere.h"

#define NONE UINT32_MAX

bool warp_parts(const struct kernel *k, uint32_t b)
{
	const struct insn *end = ir_block_end(k, b, OPF_BRANCH | OPF_TABLE);
	const struct cfg *g = k->cfg->local;

	return end && !(op_info[end->op].flags & OPF_CALL) && !(end->mods & MOD_UNI) &&
	       g->succ_at[b + 1] - g->succ_at[b] > 1 && k->cfg->rpo_index[b] != NONE;
}

/* The BSYNC behind which all lanes are together that its region parted: there they wait for each other alone. */
static bool is_meeting(const struct kernel *k, const struct insn *i)
{
	const uint32_t at = (uint32_t)(i - k->insn), b = ir_block_of(k, at);

	return k->block[b].first + k->block[b].n == at + 1 && reconvergence(k, b) != UINT32_MAX &&
	       k->cfg->local->succ_at[b + 1] == k->cfg->local->succ_at[b] + 1 &&
	       k->cfg->local->succ[k->cfg->local->succ_at[b]] == reconvergence(k, b);
}

bool insn_yields(const struct kernel *k, const struct insn *i)
{
	if (i->op == OP_SASS_SYNC)
		return !is_meeting(k, i);
	return op_info[i->op].flags & (OPF_BARRIER | OPF_CROSS) || i->op == OP_BAR_WARP_SYNC;
}

bool wsum_join(struct wsum *to, const struct wsum *from)
{
	uint64_t more = from->flags & ~to->flags;

	to->flags |= from->flags;
	for (unsigned w = 0; w < WLIVE_WORDS; w++) {
		more |= from->set[w] & ~to->set[w];
		to->set[w] |= from->set[w];
	}
	return more != 0;
}

/* Of each block in the post-dominator tree, whose root, the virtual exit, has 0. */
static uint32_t *find_depths(const struct kernel *k, struct arena *a)
{
	uint32_t n = k->nblock, *depth = new_array(a, uint32_t, (size_t)n + 1),
		 *at = new_array(a, uint32_t, (size_t)n + 1);

	for (uint32_t b = 0; b <= n; b++)
		at[k->meet->pre[b]] = b;
	for (uint32_t x = 0; x <= n; x++) /* parents before children */
		if (at[x] != n)
			depth[at[x]] = reconvergence(k, at[x]) == NONE ? 1 : depth[reconvergence(k, at[x])] + 1;
	return depth;
}

void elsewhere_init(struct elsewhere *x, const struct kernel *k, struct arena *a)
{
	const struct cfg *g = k->cfg->local;
	uint32_t n = k->nblock, *depth = find_depths(k, a), *fill;

	*x = (struct elsewhere){
		.k = k,
		.g = g,
		.n = k->cfg->nrpo,
		.order = new_array(a, uint32_t, (size_t)n + 1),
		.level_at = new_array(a, uint32_t, (size_t)n + 3),
		.top = new_array(a, uint32_t, (size_t)g->succ_at[n] + 1),
		.below = new_array(a, struct wsum, (size_t)g->succ_at[n] + 1),
		.all = new_array(a, struct wsum, (size_t)n + 1),
		.chain = new_array(a, struct wsum, (size_t)n + 1),
		.up = new_array(a, uint32_t, (size_t)n + 1),
		.stack = new_array(a, uint32_t, (size_t)n + 1),
		.nlevel = n,
	};
	/* level l holds depth n - l; within it later blocks first, since most of what a block depends on comes behind
	 * it */
	fill = x->level_at + 1;
	for (uint32_t y = 0; y < x->n; y++)
		fill[n - depth[k->cfg->rpo[y]] + 1]++;
	for (uint32_t l = 0; l < n; l++)
		fill[l + 1] += fill[l];
	for (uint32_t y = x->n; y--;)
		x->order[fill[n - depth[k->cfg->rpo[y]]]++] = k->cfg->rpo[y];
}

/* The ancestor of b that nothing deeper than the level at hand links further, with the sum of what lies before it in
 * chain[b]. */
static uint32_t find_top(struct elsewhere *x, uint32_t b)
{
	uint32_t n = 0, v = b;

	if (x->up[b] == NONE)
		return b;
	while (x->up[x->up[v]] != NONE) {
		x->stack[n++] = v;
		v = x->up[v];
	}
	while (n) {
		v = x->stack[--n];
		wsum_join(&x->chain[v], &x->chain[x->up[v]]);
		x->up[v] = x->up[x->up[v]];
	}
	return x->up[b];
}

static void find_sides(struct elsewhere *x, uint32_t b)
{
	for (uint32_t e = x->g->succ_at[b]; e < x->g->succ_at[b + 1]; e++) {
		uint32_t s = x->g->succ[e];

		if (s == reconvergence(x->k, b))
			continue;
		x->top[e] = find_top(x, s);
		memset(&x->below[e], 0, sizeof x->below[e]);
		if (x->top[e] != s)
			x->below[e] = x->chain[s];
		wsum_join(&x->all[b], &x->below[e]);
	}
}

/* What the other blocks of its level, or b itself, hand to b. */
static bool join_sides(struct elsewhere *x, uint32_t b, struct wsum *leaving)
{
	bool more = false;

	for (uint32_t e = x->g->succ_at[b]; e < x->g->succ_at[b + 1]; e++)
		if (x->g->succ[e] != reconvergence(x->k, b)) {
			more |= wsum_join(&x->all[b], &x->all[x->top[e]]);
			more |= wsum_join(&leaving[b], &leaving[x->top[e]]);
		}
	return more;
}

void elsewhere_sum(struct elsewhere *x, const struct wsum *own, struct wsum *leaving)
{
	for (uint32_t b = 0; b < x->k->nblock; b++) {
		x->all[b] = own[b];
		x->up[b] = NONE;
	}
	for (uint32_t l = 0; l < x->nlevel; l++) {
		uint32_t from = x->level_at[l], to = x->level_at[l + 1];

		for (uint32_t y = from; y < to; y++)
			find_sides(x, x->order[y]);
		for (bool more = true; more;) {
			more = false;
			for (uint32_t y = from; y < to; y++)
				more |= join_sides(x, x->order[y], leaving);
		}
		for (uint32_t y = from; y < to; y++) {
			x->chain[x->order[y]] = x->all[x->order[y]];
			x->up[x->order[y]] = reconvergence(x->k, x->order[y]);
		}
	}
}

void elsewhere_side(const struct elsewhere *x, uint32_t e, struct wsum *out)
{
	wsum_join(out, &x->below[e]);
	wsum_join(out, &x->all[x->top[e]]);
}

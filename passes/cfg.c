/* The control-flow graph: successors and predecessors of each block in flat arrays, and the reverse post-order.
 *
 * Successors come fall-through first, then the branch target; a branch to the next block is one edge. An unguarded bra,
 * ret or exit does not fall through, a guarded one does. A ret or exit has no edge of its own here: dom.c adds the
 * virtual exit. Unreachable blocks stay, with their edges, outside the reverse post-order. */
#include "pass.h"

static unsigned block_successors(const struct kernel *k, uint32_t b, uint32_t to[2])
{
	const struct block *bb = &k->block[b];
	const struct insn *last = bb->n ? &k->insn[bb->first + bb->n - 1] : NULL;
	unsigned n = 0;

	if (b + 1 < k->nblock && !(last && op_info[last->op].flags & OPF_END && insn_kills(last)))
		to[n++] = b + 1;
	if (last && op_info[last->op].flags & OPF_BRANCH) {
		uint32_t target = insn_src(k, last)[last->nsrc - 1].val;

		if (!n || to[0] != target)
			to[n++] = target;
	}
	return n;
}

static void add_edges(struct cfg *g, const struct kernel *k)
{
	uint32_t n = k->nblock, to[2], *fill;

	g->succ_at = new_array(k->a, uint32_t, n + 1);
	g->pred_at = new_array(k->a, uint32_t, n + 2);
	for (uint32_t b = 0; b < n; b++) {
		unsigned m = block_successors(k, b, to);

		g->succ_at[b + 1] = g->succ_at[b] + m;
		for (unsigned j = 0; j < m; j++)
			g->pred_at[to[j] + 2]++;
	}
	for (uint32_t b = 0; b < n; b++)
		g->pred_at[b + 2] += g->pred_at[b + 1];
	g->succ = new_array(k->a, uint32_t, g->succ_at[n] + 1);
	g->pred = new_array(k->a, uint32_t, g->succ_at[n] + 1);
	fill = g->pred_at + 1;          /* counted two places up, so filling leaves the starts one place up: in place */
	for (uint32_t b = 0; b < n; b++) {
		unsigned m = block_successors(k, b, to);

		for (unsigned j = 0; j < m; j++) {
			g->succ[g->succ_at[b] + j] = to[j];
			g->pred[fill[to[j]]++] = b;
		}
	}
}

/* Depth-first from block 0 with an explicit stack, so that depth costs no C stack. */
static void number_blocks(struct cfg *g, const struct kernel *k, struct arena *scratch)
{
	uint32_t n = k->nblock, top = 0, done = 0;
	uint32_t *stack = new_array(scratch, uint32_t, n + 1), *next = new_array(scratch, uint32_t, n + 1);
	uint32_t *post = new_array(scratch, uint32_t, n + 1);
	uint64_t *seen = bitset_new(scratch, n);

	g->rpo = new_array(k->a, uint32_t, n + 1);
	g->rpo_index = new_array(k->a, uint32_t, n + 1);
	if (n) {
		bitset_add(seen, 0);
		stack[top++] = 0;
		next[0] = g->succ_at[0];
	}
	while (top) {
		uint32_t b = stack[top - 1];

		if (next[b] < g->succ_at[b + 1]) {
			uint32_t s = g->succ[next[b]++];

			if (!bitset_has(seen, s)) {
				bitset_add(seen, s);
				stack[top++] = s;
				next[s] = g->succ_at[s];
			}
		} else {
			post[done++] = b;
			top--;
		}
	}
	g->nrpo = done;
	for (uint32_t b = 0; b < n; b++)
		g->rpo_index[b] = UINT32_MAX;
	for (uint32_t i = 0; i < done; i++) {
		g->rpo[i] = post[done - 1 - i];
		g->rpo_index[g->rpo[i]] = i;
	}
}

enum pass_result pass_cfg(struct kernel *k, struct pass_ctx *cx)
{
	struct cfg *g = new(k->a, struct cfg);

	add_edges(g, k);
	number_blocks(g, k, &cx->scratch);
	k->cfg = g;
	return PASS_SAME;
}

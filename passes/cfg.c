/* The control-flow graph: successors and predecessors of each block in flat arrays, and the reverse post-order.
 *
 * A call leads to the functions that it may call, and a return to the block behind every call of its function: a
 * register is alive through whatever may run while it holds a value. What belongs to one function alone, reconvergence
 * and loops, is found in the local graph, where a call leads to the block behind it.
 *
 * Successors come fall-through first, then the branch target; a branch to the next block is one edge. An unguarded bra,
 * ret or exit does not fall through, a guarded one does. A ret or exit has no edge of its own here: dom.c adds the
 * virtual exit. Unreachable blocks stay, with their edges, outside the reverse post-order. */
#include "pass.h"

#include "analyzer/ir/limits.h"

struct edges {
	const struct kernel *k;
	bool local;
	uint32_t *site_at, *site; /* blocks behind the calls of function p: site[site_at[p] .. site_at[p+1]) */
	uint32_t *mark, stamp;    /* by block: a successor of the block at hand already */
	uint32_t *to, n, cap;
	struct arena *a;
};

static void add(struct edges *e, uint32_t to)
{
	if (e->mark[to] == e->stamp || e->n > IR_EDGES_MAX)
		return;
	e->mark[to] = e->stamp;
	arena_grow(e->a, e->to, e->n, e->cap);
	e->to[e->n++] = to;
}

/* The successors of block b, behind those in e->to. */
static void block_successors(struct edges *e, uint32_t b)
{
	const struct kernel *k = e->k;
	const struct insn *end = ir_block_end(k, b, OPF_END);
	uint32_t flags = end ? op_info[end->op].flags : 0;

	e->stamp++;
	if (b + 1 < k->nblock && (!end || !insn_kills(end) || (e->local && flags & OPF_CALL)))
		add(e, b + 1);
	if (flags & (OPF_BRANCH | OPF_TABLE) && !(e->local && flags & OPF_CALL)) {
		struct ir_targets t = ir_targets(k, end);

		for (uint32_t n = 0; n < t.n; n++)
			add(e, ir_target(&t, n));
	}
	if (flags & OPF_RETURN && !e->local) {
		uint32_t p = ir_proc_of(k, b);

		for (uint32_t s = e->site_at[p]; s < e->site_at[p + 1]; s++)
			add(e, e->site[s]);
	}
}

/* Where functions return to. Each pair of a call and a target is one entry. */
static void find_sites(struct edges *e)
{
	const struct kernel *k = e->k;
	uint32_t *fill, nproc = k->nproc ? k->nproc : 1;

	e->site_at = new_array(e->a, uint32_t, (size_t)nproc + 2);
	fill = e->site_at + 1;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t b = 0; b < k->nblock; b++) {
			const struct insn *call = ir_block_end(k, b, OPF_CALL);
			struct ir_targets t = { .n = 0 };

			if (call)
				t = ir_targets(k, call);
			for (uint32_t n = 0; n < t.n; n++) {
				uint32_t p = ir_proc_of(k, ir_target(&t, n));

				if (pass)
					e->site[fill[p]++] = b + 1;
				else
					fill[p + 1]++;
			}
		}
		if (pass)
			return;
		for (uint32_t p = 0; p < nproc; p++)
			fill[p + 1] += fill[p];
		e->site = new_array(e->a, uint32_t, (size_t)fill[nproc] + 1);
	}
}

static bool add_edges(struct cfg *g, const struct kernel *k, bool local, struct pass_ctx *cx)
{
	struct arena *scratch = &cx->scratch;
	struct edges e = { .k = k, .local = local, .a = scratch };
	uint32_t n = k->nblock, *fill;

	e.mark = new_array(scratch, uint32_t, (size_t)n + 1);
	find_sites(&e);
	g->succ_at = new_array(k->a, uint32_t, (size_t)n + 1);
	g->pred_at = new_array(k->a, uint32_t, (size_t)n + 2);
	for (uint32_t b = 0; b < n; b++) {
		block_successors(&e, b);
		g->succ_at[b + 1] = e.n;
	}
	if (e.n > IR_EDGES_MAX)
		return diag_error_plain(cx->diag, k->name,
					"there are more than %d edges between the blocks of the kernel, the limit",
					IR_EDGES_MAX);
	g->succ = new_array(k->a, uint32_t, (size_t)e.n + 1);
	g->pred = new_array(k->a, uint32_t, (size_t)e.n + 1);
	for (uint32_t x = 0; x < e.n; x++) {
		g->succ[x] = e.to[x];
		g->pred_at[e.to[x] + 2]++;
	}
	for (uint32_t b = 0; b < n; b++)
		g->pred_at[b + 2] += g->pred_at[b + 1];
	fill = g->pred_at + 1; /* counted two places up, so filling leaves the starts one place up: in place */
	for (uint32_t b = 0; b < n; b++)
		for (uint32_t x = g->succ_at[b]; x < g->succ_at[b + 1]; x++)
			g->pred[fill[g->succ[x]]++] = b;
	return true;
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

	if (!add_edges(g, k, false, cx))
		return PASS_FAILED;
	g->local = g;
	if (k->nproc) {
		struct cfg *local = new(k->a, struct cfg);

		if (!add_edges(local, k, true, cx))
			return PASS_FAILED;
		g->local = local;
	}
	number_blocks(g, k, &cx->scratch);
	k->cfg = g;
	return PASS_SAME;
}

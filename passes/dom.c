/* Dominators and post-dominators: Lengauer and Tarjan 1979, the variant with path compression alone, O(e log n)
 * whatever the graph (a long chain of blocks that all branch to one join makes the iterative method quadratic). Nothing
 * recurses.
 *
 * Post-dominators are dominators of the reversed graph from a virtual exit. To it leads each block that ends in ret,
 * exit or a function's return, guarded ones too, and, so that every block has a post-dominator, the last block in
 * layout order of each cycle without a way out (strictly: of each strongly connected set that no edge leaves and that
 * no exit is in). */
#include "elsewhere.h"

#define NONE UINT32_MAX

/* A graph in flat arrays; every node that `root` reaches gets an immediate dominator. */
struct graph {
	uint32_t n, root;
	const uint32_t *succ_at, *succ, *pred_at, *pred;
};

/* State of the algorithm, over depth-first numbers 0 .. n-1 of the reachable nodes. */
struct lt {
	uint32_t n;
	uint32_t *node; /* node of a number */
	uint32_t *num;  /* number of a node, NONE: not reached */
	uint32_t *parent, *semi, *label, *ancestor, *idom;
	uint32_t *bucket, *in_bucket; /* lists: first member of a number's bucket, and the next one */
	uint32_t *path;
};

static uint32_t *filled(struct arena *a, uint32_t n, uint32_t x)
{
	uint32_t *p = new_array(a, uint32_t, (size_t)n + 1);

	for (uint32_t i = 0; i <= n; i++)
		p[i] = x;
	return p;
}

static void number_nodes(struct lt *t, const struct graph *g, struct arena *a)
{
	uint32_t *next = new_array(a, uint32_t, (size_t)g->n + 1), v = g->root;

	t->num[v] = 0;
	t->node[0] = v;
	t->n = 1;
	next[v] = g->succ_at[v];
	for (;;) {
		if (next[v] < g->succ_at[v + 1]) {
			uint32_t s = g->succ[next[v]++];

			if (t->num[s] != NONE)
				continue;
			t->parent[t->n] = t->num[v];
			t->num[s] = t->n;
			t->node[t->n++] = s;
			next[s] = g->succ_at[s];
			v = s;
		} else if (v != g->root) {
			v = t->node[t->parent[t->num[v]]];
		} else {
			return;
		}
	}
}

/* The number with the least semidominator on the path from v up to, and without, the root of its tree in the forest. */
static uint32_t eval(struct lt *t, uint32_t v)
{
	uint32_t top = 0, x = v;

	if (t->ancestor[v] == NONE)
		return v;
	while (t->ancestor[t->ancestor[x]] != NONE) {
		t->path[top++] = x;
		x = t->ancestor[x];
	}
	while (top) {
		uint32_t up;

		x = t->path[--top];
		up = t->ancestor[x];
		if (t->semi[t->label[up]] < t->semi[t->label[x]])
			t->label[x] = t->label[up];
		t->ancestor[x] = t->ancestor[up];
	}
	return t->label[v];
}

/* idom[v] by node, idom[root] == root, NONE where root does not reach. */
static void find_idoms(const struct graph *g, uint32_t *idom, struct arena *a)
{
	struct lt t = { .node = filled(a, g->n, 0), .num = filled(a, g->n, NONE), .parent = filled(a, g->n, 0) };

	number_nodes(&t, g, a);
	t.semi = filled(a, t.n, 0);
	t.label = filled(a, t.n, 0);
	t.ancestor = filled(a, t.n, NONE);
	t.idom = filled(a, t.n, 0);
	t.bucket = filled(a, t.n, NONE);
	t.in_bucket = filled(a, t.n, NONE);
	t.path = filled(a, t.n, 0);
	for (uint32_t i = 0; i < t.n; i++)
		t.semi[i] = t.label[i] = i;
	for (uint32_t w = t.n - 1; w > 0; w--) {
		uint32_t up = t.parent[w], v = t.node[w];

		for (uint32_t e = g->pred_at[v]; e < g->pred_at[v + 1]; e++) {
			uint32_t p = t.num[g->pred[e]], u;

			if (p == NONE)
				continue;
			u = eval(&t, p);
			if (t.semi[u] < t.semi[w])
				t.semi[w] = t.semi[u];
		}
		t.in_bucket[w] = t.bucket[t.semi[w]];
		t.bucket[t.semi[w]] = w;
		t.ancestor[w] = up;
		for (uint32_t x = t.bucket[up]; x != NONE; x = t.in_bucket[x]) {
			uint32_t u = eval(&t, x);

			t.idom[x] = t.semi[u] < t.semi[x] ? u : up;
		}
		t.bucket[up] = NONE;
	}
	for (uint32_t v = 0; v < g->n; v++)
		idom[v] = NONE;
	idom[g->root] = g->root;
	for (uint32_t w = 1; w < t.n; w++) {
		if (t.idom[w] != t.semi[w])
			t.idom[w] = t.idom[t.idom[w]];
		idom[t.node[w]] = t.node[t.idom[w]];
	}
}

/* Pre- and post-order numbers of the tree, children in node order. A node outside the tree gets numbers of its own,
 * under which it dominates itself alone. */
static void number_tree(struct domtree *t, uint32_t n, uint32_t root, struct arena *a)
{
	uint32_t *child = filled(a, n, NONE), *sibling = filled(a, n, NONE), npre = 0, npost = 0, v = root;

	for (uint32_t b = n; b-- > 0;)
		if (b != root && t->idom[b] != NONE) {
			sibling[b] = child[t->idom[b]];
			child[t->idom[b]] = b;
		}
	t->pre[v] = npre++;
	for (bool more = true; more;) {
		if (child[v] != NONE) {
			v = child[v];
			t->pre[v] = npre++;
			continue;
		}
		for (;;) {
			t->post[v] = npost++;
			more = v != root;
			if (!more)
				break;
			if (sibling[v] != NONE) {
				v = sibling[v];
				t->pre[v] = npre++;
				break;
			}
			v = t->idom[v];
		}
	}
	for (uint32_t b = 0; b < n; b++)
		if (t->idom[b] == NONE) {
			t->pre[b] = npre++;
			t->post[b] = npost++;
		}
}

static struct domtree *domtree_new(struct arena *a, uint32_t n)
{
	struct domtree *t = new(a, struct domtree);

	t->idom = new_array(a, uint32_t, (size_t)n + 1);
	t->pre = new_array(a, uint32_t, (size_t)n + 1);
	t->post = new_array(a, uint32_t, (size_t)n + 1);
	return t;
}

/* Of the local graph, with a node before the entries of all functions. */
static const struct domtree *local_dominators(const struct kernel *k, struct arena *a)
{
	const struct cfg *c = k->cfg->local;
	uint32_t n = k->nblock, nsucc = 0, npred = 0;
	uint32_t *succ_at = new_array(a, uint32_t, (size_t)n + 2), *pred_at = new_array(a, uint32_t, (size_t)n + 2);
	uint32_t *succ = new_array(a, uint32_t, (size_t)c->succ_at[n] + k->nproc + 1);
	uint32_t *pred = new_array(a, uint32_t, (size_t)c->pred_at[n] + k->nproc + 1);
	struct graph g = { n + 1, n, succ_at, succ, pred_at, pred };
	struct domtree *t = domtree_new(k->a, n + 1);

	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t e = c->succ_at[b]; e < c->succ_at[b + 1]; e++)
			succ[nsucc++] = c->succ[e];
		for (uint32_t e = c->pred_at[b]; e < c->pred_at[b + 1]; e++)
			pred[npred++] = c->pred[e];
		if (k->proc[ir_proc_of(k, b)].first == b)
			pred[npred++] = n;
		succ_at[b + 1] = nsucc;
		pred_at[b + 1] = npred;
	}
	for (uint32_t p = 0; p < k->nproc; p++)
		succ[nsucc++] = k->proc[p].first;
	succ_at[n + 1] = nsucc;
	pred_at[n + 1] = npred;
	find_idoms(&g, t->idom, a);
	number_tree(t, n + 1, n, a);
	for (uint32_t b = 0; b < n; b++)
		if (t->idom[b] == n)
			t->idom[b] = k->proc[ir_proc_of(k, b)].first == b ? b : NONE;
	return t;
}

enum pass_result pass_dom(struct kernel *k, struct pass_ctx *cx)
{
	const struct cfg *c = k->cfg;
	struct graph g = { k->nblock, 0, c->succ_at, c->succ, c->pred_at, c->pred };

	k->dom = domtree_new(k->a, k->nblock);
	if (k->nblock) {
		find_idoms(&g, k->dom->idom, &cx->scratch);
		number_tree(k->dom, k->nblock, 0, &cx->scratch);
	}
	k->dom->local = k->nproc ? local_dominators(k, &cx->scratch) : k->dom;
	return PASS_SAME;
}

/* ---- post-dominators ---- */

/* Adds to `reach` every block that leads to b. */
static void mark_leading_to(const struct cfg *c, uint32_t b, uint64_t *reach, uint32_t *stack)
{
	uint32_t top = 0;

	if (bitset_has(reach, b))
		return;
	bitset_add(reach, b);
	stack[top++] = b;
	while (top) {
		b = stack[--top];
		for (uint32_t e = c->pred_at[b]; e < c->pred_at[b + 1]; e++)
			if (!bitset_has(reach, c->pred[e])) {
				bitset_add(reach, c->pred[e]);
				stack[top++] = c->pred[e];
			}
	}
}

/* The blocks with an edge to the virtual exit. Where no exit can be reached: a depth-first walk against the edges that
 * starts anew from the last block in layout order finishes a set that no edge leaves after all that leads to it
 * (Kosaraju), and enters it at its last block. */
static uint64_t *find_exits(const struct kernel *k, struct arena *a)
{
	const struct cfg *c = k->cfg->local;
	uint32_t n = k->nblock, top = 0, done = 0;
	uint64_t *exits = bitset_new(a, n), *reach = bitset_new(a, n), *seen = bitset_new(a, n);
	uint32_t *stack = new_array(a, uint32_t, (size_t)n + 1), *next = new_array(a, uint32_t, (size_t)n + 1);
	uint32_t *post = new_array(a, uint32_t, (size_t)n + 1);

	for (uint32_t b = 0; b < n; b++) {
		const struct block *bb = &k->block[b];

		if (bb->n && op_info[k->insn[bb->first + bb->n - 1].op].flags & (OPF_EXIT | OPF_RETURN)) {
			bitset_add(exits, b);
			mark_leading_to(c, b, reach, stack);
		}
	}
	for (uint32_t root = n; root-- > 0;) {
		if (bitset_has(seen, root) || bitset_has(reach, root))
			continue;
		bitset_add(seen, root);
		next[root] = c->pred_at[root];
		stack[top++] = root;
		while (top) {
			uint32_t b = stack[top - 1], p;

			if (next[b] == c->pred_at[b + 1]) {
				post[done++] = b;
				top--;
				continue;
			}
			p = c->pred[next[b]++];
			if (bitset_has(seen, p) || bitset_has(reach, p))
				continue;
			bitset_add(seen, p);
			next[p] = c->pred_at[p];
			stack[top++] = p;
		}
	}
	while (done) {
		uint32_t b = post[--done];

		if (!bitset_has(reach, b)) {
			bitset_add(exits, b);
			mark_leading_to(c, b, reach, stack);
		}
	}
	return exits;
}

/* The tree of meet_find(), whose root is the virtual exit. */
static struct domtree *meeting_points(const struct kernel *k, struct arena *a)
{
	const uint32_t n = k->nblock;
	struct domtree *t = domtree_new(k->a, n + 1);

	meet_find(k, t->idom, a);
	for (uint32_t b = 0; b <= n; b++)
		if (t->idom[b] == NONE)
			t->idom[b] = n;
	number_tree(t, n + 1, n, a);
	for (uint32_t b = 0; b <= n; b++)
		if (t->idom[b] == n)
			t->idom[b] = NONE;
	return t;
}

enum pass_result pass_pdom(struct kernel *k, struct pass_ctx *cx)
{
	const struct cfg *c = k->cfg->local;
	struct arena *a = &cx->scratch;
	uint32_t n = k->nblock, nedge = c->succ_at[n] + n, from = 0, to = 0;
	uint64_t *exits = find_exits(k, a);
	uint32_t *to_at = new_array(a, uint32_t, (size_t)n + 2), *from_at = new_array(a, uint32_t, (size_t)n + 2);
	uint32_t *to_of = new_array(a, uint32_t, (size_t)nedge + 1),
		 *from_of = new_array(a, uint32_t, (size_t)nedge + 1);
	struct graph g = { n + 1, n, to_at, to_of, from_at, from_of };

	/* reversed: an edge leads from a block to its CFG predecessors, and from the exit, node n, to the ending
	 * blocks */
	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t e = c->pred_at[b]; e < c->pred_at[b + 1]; e++)
			to_of[to++] = c->pred[e];
		for (uint32_t e = c->succ_at[b]; e < c->succ_at[b + 1]; e++)
			from_of[from++] = c->succ[e];
		if (bitset_has(exits, b))
			from_of[from++] = n;
		to_at[b + 1] = to;
		from_at[b + 1] = from;
	}
	for (uint32_t b = bitset_next(exits, 0, n); b < n; b = bitset_next(exits, b + 1, n))
		to_of[to++] = b;
	to_at[n + 1] = to;
	from_at[n + 1] = from;
	k->pdom = domtree_new(k->a, n + 1);
	find_idoms(&g, k->pdom->idom, a);
	number_tree(k->pdom, n + 1, n, a);
	for (uint32_t b = 0; b <= n; b++)
		if (k->pdom->idom[b] == n)
			k->pdom->idom[b] = NONE;
	k->meet = k->native ? meeting_points(k, a) : k->pdom;
	return PASS_SAME;
}

/* Oracle for the control-flow graph and for both dominator trees, by their definitions: a dominates b if without a the
 * entry does not reach b; a post-dominates b if without a, b does not reach the virtual exit. Edges are taken from the
 * code itself. Every pair of blocks is compared.
 *
 * cost  blocks x edges steps and 2 x blocks^2 bits. A kernel of more than CHECK_MAX blocks is accepted unchecked. */
#include "pass.h"

enum { CHECK_MAX = 1500 };

struct oracle {
	const struct kernel *k;
	struct arena a;
	uint32_t n;
	uint64_t *edge;  /* n x n: b to c */
	uint64_t *exits; /* blocks with an edge to the virtual exit */
	uint64_t *seen;
	uint32_t *stack;
};

static uint64_t *row(uint64_t *m, uint32_t n, uint32_t b) { return m + (size_t)b * bitset_words(n); }

static bool enters(const struct kernel *k, uint32_t call, uint32_t proc)
{
	const struct insn *i = ir_block_end(k, call, OPF_CALL);
	struct ir_targets t = { .n = 0 };
	bool yes = false;

	if (i)
		t = ir_targets(k, i);
	for (uint32_t n = 0; n < t.n; n++)
		yes |= ir_target(&t, n) >= k->proc[proc].first &&
		       (proc + 1 == k->nproc || ir_target(&t, n) < k->proc[proc + 1].first);
	return yes;
}

/* local: inside functions, where a call leads to the block behind it. */
static void find_edges(struct oracle *o, bool local)
{
	const struct kernel *k = o->k;
	uint32_t proc = 0;

	memset(o->edge, 0, (size_t)bitset_words(o->n) * o->n * sizeof *o->edge);
	for (uint32_t b = 0; b < o->n; b++) {
		const struct block *bb = &k->block[b];
		bool falls = true;

		proc += proc + 1 < k->nproc && k->proc[proc + 1].first == b;
		for (uint32_t i = bb->first; i < bb->first + bb->n; i++) {
			const struct insn *x = &k->insn[i];
			uint32_t flags = op_info[x->op].flags;

			for (unsigned s = 0; s < x->nsrc; s++)
				if (insn_src(k, x)[s].kind == REF_BLOCK && !(local && flags & OPF_CALL))
					bitset_add(row(o->edge, o->n, b), insn_src(k, x)[s].val);
			for (uint32_t t = 0;
			     flags & OPF_TABLE && !(local && flags & OPF_CALL) && t < k->table[x->offset].n; t++)
				bitset_add(row(o->edge, o->n, b), k->target[k->table[x->offset].first + t].block);
			for (uint32_t c = 0; flags & OPF_RETURN && !local && c + 1 < o->n; c++)
				if (enters(k, c, proc))
					bitset_add(row(o->edge, o->n, b), c + 1);
			if (flags & (OPF_EXIT | OPF_RETURN))
				bitset_add(o->exits, b);
			if (flags & OPF_END && x->guard.kind == REF_NONE && !(x->mods & MOD_MAY) &&
			    !(local && flags & OPF_CALL))
				falls = false;
		}
		if (falls && b + 1 < o->n)
			bitset_add(row(o->edge, o->n, b), b + 1);
	}
}

/* Fills o->seen with what `from` reaches along edges when block `without` is taken out. */
static void reach(struct oracle *o, uint32_t from, uint32_t without)
{
	uint32_t top = 0;

	memset(o->seen, 0, bitset_words(o->n) * sizeof *o->seen);
	if (from == without)
		return;
	bitset_add(o->seen, from);
	o->stack[top++] = from;
	while (top) {
		const uint64_t *to = row(o->edge, o->n, o->stack[--top]);

		for (uint32_t c = bitset_next(to, 0, o->n); c < o->n; c = bitset_next(to, c + 1, o->n))
			if (c != without && !bitset_has(o->seen, c)) {
				bitset_add(o->seen, c);
				o->stack[top++] = c;
			}
	}
}

static bool meets(const uint64_t *a, const uint64_t *b, uint32_t n)
{
	uint64_t common = 0;

	for (uint32_t w = 0; w < bitset_words(n); w++)
		common |= a[w] & b[w];
	return common != 0;
}

/* A set that no edge leaves and that holds no exit gets an edge from its last block: b is in one if everything it
 * reaches reaches it, and is its last block if it reaches none with a higher number. */
static void add_endless(struct oracle *o)
{
	uint64_t *closure = new_array(&o->a, uint64_t, (size_t)bitset_words(o->n) * o->n + 1),
		 *real = bitset_new(&o->a, o->n);

	bitset_copy(real, o->exits, o->n);
	for (uint32_t b = 0; b < o->n; b++) {
		reach(o, b, UINT32_MAX);
		bitset_copy(row(closure, o->n, b), o->seen, o->n);
	}
	for (uint32_t b = 0; b < o->n; b++) {
		const uint64_t *r = row(closure, o->n, b);
		bool last = !meets(r, real, o->n) && bitset_next(r, b + 1, o->n) == o->n;

		for (uint32_t c = bitset_next(r, 0, o->n); last && c < o->n; c = bitset_next(r, c + 1, o->n))
			last = bitset_has(row(closure, o->n, c), b);
		if (last)
			bitset_add(o->exits, b);
	}
}

static bool check_edges(const struct oracle *o, struct diag *d)
{
	const struct cfg *g = o->k->cfg;
	uint32_t nedge = 0;

	for (uint32_t b = 0; b < o->n; b++) {
		nedge += bitset_count(o->edge + (size_t)b * bitset_words(o->n), o->n);
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			if (!bitset_has(o->edge + (size_t)b * bitset_words(o->n), g->succ[e]))
				return diag_error_plain(d, o->k->name,
							"no control flow leads from block %u to block %u", b,
							g->succ[e]);
		for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++)
			if (!bitset_has(o->edge + (size_t)g->pred[e] * bitset_words(o->n), b))
				return diag_error_plain(d, o->k->name,
							"no control flow leads from block %u to block %u", g->pred[e],
							b);
	}
	if (g->succ_at[o->n] != nedge || g->pred_at[o->n] != nedge)
		return diag_error_plain(d, o->k->name, "the graph has %u edges, the code %u", g->succ_at[o->n], nedge);
	return true;
}

/* dom: bit (b, a) is set if a (post-)dominates b. The immediate dominator of b is the strict one that all others
 * dominate. */
static bool check_tree(const struct oracle *o, const struct domtree *t, uint64_t *dom, bool post, struct diag *d)
{
	const char *what = post ? "post-dominators are" : "dominators are";

	for (uint32_t b = 0; b < o->n; b++) {
		const uint64_t *of = row(dom, o->n, b);
		uint32_t want = !post && b == 0 ? 0 : UINT32_MAX;

		for (uint32_t a = 0; a < o->n; a++)
			if (dominates(t, a, b) != bitset_has(of, a))
				return diag_error_plain(d, o->k->name,
							"%s wrong: removing block %u shows that it %s block %u", what,
							a, bitset_has(of, a) ? "dominates" : "does not dominate", b);
		for (uint32_t a = bitset_next(of, 0, o->n); a < o->n; a = bitset_next(of, a + 1, o->n))
			if (a != b && bitset_count(row(dom, o->n, a), o->n) + 1 == bitset_count(of, o->n))
				want = a;
		if (t->idom[b] != want)
			return diag_error_plain(d, o->k->name, "%s wrong: the immediate one of block %u is %d, not %d",
						what, b, (int)want, (int)t->idom[b]);
	}
	return true;
}

static void find_dominators(struct oracle *o, uint64_t *dom)
{
	uint64_t *reachable = bitset_new(&o->a, o->n);

	reach(o, 0, UINT32_MAX);
	bitset_copy(reachable, o->seen, o->n);
	for (uint32_t a = 0; a < o->n; a++) {
		reach(o, 0, a);
		for (uint32_t b = 0; b < o->n; b++)
			if (a == b || (bitset_has(reachable, a) && bitset_has(reachable, b) && !bitset_has(o->seen, b)))
				bitset_add(row(dom, o->n, b), a);
	}
}

static void find_post_dominators(struct oracle *o, uint64_t *dom)
{
	struct oracle back = *o; /* the same graph, edges turned round, so that one search from the exits does */
	uint32_t top;

	back.edge = new_array(&o->a, uint64_t, (size_t)bitset_words(o->n) * o->n + 1);
	for (uint32_t b = 0; b < o->n; b++)
		for (uint32_t c = 0; c < o->n; c++)
			if (bitset_has(row(o->edge, o->n, b), c))
				bitset_add(row(back.edge, o->n, c), b);
	for (uint32_t a = 0; a < o->n; a++) {
		uint64_t *seen = back.seen;

		memset(seen, 0, bitset_words(o->n) * sizeof *seen);
		top = 0;
		for (uint32_t b = bitset_next(o->exits, 0, o->n); b < o->n; b = bitset_next(o->exits, b + 1, o->n))
			if (b != a) {
				bitset_add(seen, b);
				back.stack[top++] = b;
			}
		while (top) {
			const uint64_t *to = row(back.edge, o->n, back.stack[--top]);

			for (uint32_t c = bitset_next(to, 0, o->n); c < o->n; c = bitset_next(to, c + 1, o->n))
				if (c != a && !bitset_has(seen, c)) {
					bitset_add(seen, c);
					back.stack[top++] = c;
				}
		}
		for (uint32_t b = 0; b < o->n; b++)
			if (!bitset_has(seen, b))
				bitset_add(row(dom, o->n, b), a);
	}
}

bool check_dom(const struct kernel *k, struct diag *d)
{
	struct oracle o = { .k = k, .n = k->nblock };
	size_t square = (size_t)bitset_words(o.n) * o.n + 1;
	uint64_t *dom;
	bool ok;

	if (!o.n || o.n > CHECK_MAX)
		return true;
	arena_init(&o.a);
	o.edge = new_array(&o.a, uint64_t, square);
	o.exits = bitset_new(&o.a, o.n);
	o.seen = bitset_new(&o.a, o.n);
	o.stack = new_array(&o.a, uint32_t, o.n);
	find_edges(&o, false);
	ok = !(k->facts & FACT_CFG) || check_edges(&o, d);
	if (ok && k->facts & FACT_DOM) {
		dom = new_array(&o.a, uint64_t, square);
		find_dominators(&o, dom);
		ok = check_tree(&o, k->dom, dom, false, d);
	}
	if (ok && k->facts & FACT_PDOM) {
		find_edges(&o, true);
		add_endless(&o);
		dom = new_array(&o.a, uint64_t, square);
		find_post_dominators(&o, dom);
		ok = check_tree(&o, k->pdom, dom, true, d);
	}
	arena_free(&o.a);
	return ok;
}

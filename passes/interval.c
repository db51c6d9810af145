/* Live intervals: the positions at which each virtual register is live, as spans in layout order, with holes.
 *
 * One backward walk over the code (Wimmer and Moessenboeck 2005), from the sets at block ends. Spilling does not change
 * blocks, and what it adds lives within one block, so the sets from before the first spill stay true for every register
 * that was not spilled; a predicate that moved to a general register lives on as that register. A guarded write does
 * not end a span: the old value lives on in the threads that do not write (but that of a fresh temporary is put back
 * under the same guard, so only those threads count). */
#include "passes/alloc.h"

static void add_span(struct alloc *x, uint32_t v, uint32_t from, uint32_t to)
{
	struct life *f = &x->life[v];
	struct span *head = f->span == ALLOC_NONE ? NULL : &x->span[f->span];

	if (from == to)
		return;
	if (head && head->from <= to) {
		if (from < head->from)
			head->from = from;
		if (to > head->to)
			head->to = to;
		return;
	}
	arena_grow(x->a, x->span, x->nspan, x->span_cap);
	x->span[x->nspan] = (struct span){ from, to, f->span };
	f->span = x->nspan++;
}

static void add_write(struct alloc *x, const struct insn *i, uint32_t v, uint32_t at)
{
	struct life *f = &x->life[v];
	struct span *head = f->span == ALLOC_NONE ? NULL : &x->span[f->span];
	bool live = head && head->from <= at && at < head->to;

	if (!live)
		add_span(x, v, at, at + 1);
	else if (insn_kills(i) || x->fate[v].fresh)
		head->from = at;
}

static uint64_t block_weight(const struct kernel *k, uint32_t b)
{
	uint32_t depth = k->cfg->depth[b] < 6 ? k->cfg->depth[b] : 6;

	return (uint64_t)1 << (3 * depth);
}

static void add_insn(struct alloc *x, const struct insn *i, uint32_t j, uint32_t block_from, uint64_t weight)
{
	struct kernel *k = x->k;
	struct reg_use use[REG_USE_MAX];
	unsigned nuse = insn_reg_uses(k, i, use);
	struct ref from, to;

	for (unsigned u = 0; u < nuse; u++) {
		x->life[use[u].reg].cost += weight;
		if (use[u].write) {
			add_write(x, i, use[u].reg, 2 * j + 1);
			x->life[use[u].reg].ndef++;
			x->life[use[u].reg].constant = alloc_is_constant(k, i);
		}
	}
	for (unsigned u = 0; u < nuse; u++)
		if (!use[u].write)
			add_span(x, use[u].reg, block_from, 2 * j + 1);
	if (!(op_info[i->op].flags & OPF_MOVE))
		return;
	from = insn_src(k, i)[0];
	to = insn_dst(k, i)[0];
	if (from.kind == REF_REG && to.kind == REF_REG && k->vreg[from.val].rc == k->vreg[to.val].rc) {
		x->life[from.val].hint = to.val;
		x->life[to.val].hint = from.val;
	}
}

void alloc_intervals(struct alloc *x)
{
	struct kernel *k = x->k;

	x->life = new_array(x->a, struct life, k->nvreg + 1);
	x->nspan = 0;
	for (uint32_t v = 0; v < k->nvreg; v++) {
		x->life[v].span = x->life[v].hint = ALLOC_NONE;
		x->life[v].reg = MREG_COUNT;
	}
	for (uint32_t b = k->nblock; b-- > 0;) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;
		struct live_set out = live_out(k, b);
		uint64_t weight = block_weight(k, b);

		for (uint32_t n = 0; n < out.n; n++) {
			uint32_t w = alloc_resolve(x, out.reg[n]);

			if (w != ALLOC_NONE)
				add_span(x, w, 2 * first, 2 * end);
		}
		for (uint32_t j = end; j-- > first;)
			add_insn(x, &k->insn[j], j, 2 * first, weight);
	}
	for (uint32_t v = 0; v < k->nvreg; v++) {
		struct life *f = &x->life[v];

		for (uint32_t s = f->span; s != ALLOC_NONE; s = x->span[s].next) {
			f->length += x->span[s].to - x->span[s].from;
			f->end = x->span[s].to;
		}
		if (f->ndef == 1 && f->constant)
			f->cost = (f->cost + 3) / 4; /* no store, and no load: a move for each use */
		f->fixed = x->fate[v].temp || f->length <= 2;
	}
}

/* Index compaction: old operands get their new registers, and MOVs go to the boundaries where a value changes its own.
 *
 * The MOVs of one boundary are a parallel copy. One whose destination no other still reads can be done; if there is
 * none, what is left are cycles, and one is opened through a register that nothing is in. There is one: only the
 * destinations hold anything then, at most as many as the base set has registers. */
#include "passes/compact.h"
#include "passes/edit.h"

#include <assert.h>

#define NONE COMPACT_NONE

struct copy {
	uint8_t from, to;
};

struct output {
	const struct compact *x;
	struct compact_result *out;
	struct edit *e;
	uint32_t move_cap;
	/* by old instruction: a branch behind MOVs into the extended set: it is to be held, too */
	bool *opens;
};

static void put_move(struct output *o, const struct compact_bound *at, struct copy c)
{
	if (at->edge_to == NONE)
		edit_before(o->e, at->at, OP_MOV_B32, ref_reg(c.to), ref_reg(c.from));
	else
		edit_edge(o->e, at->at, at->edge_to, OP_MOV_B32, ref_reg(c.to), ref_reg(c.from));
	arena_grow(o->x->k->a, o->out->move, o->out->nmove, o->move_cap);
	o->out->move[o->out->nmove++] = (struct compact_move){ 0, c.from, c.to };
	o->out->moves += at->weight;
}

/* used: registers that values are in which stay where they are. */
static void copy_parallel(struct output *o, const struct compact_bound *at, struct copy *c, uint32_t n, uint64_t *used)
{
	uint16_t readers[MREG_RZ] = { 0 };

	for (uint32_t y = 0; y < n; y++)
		readers[c[y].from]++;
	while (n) {
		bool done = false;

		for (uint32_t y = 0; y < n; y++)
			if (!readers[c[y].to]) {
				put_move(o, at, c[y]);
				readers[c[y].from]--;
				bitset_add(used, c[y].to);
				c[y--] = c[--n];
				done = true;
			}
		if (!done) {
			uint32_t free = 0;

			while (readers[free] || bitset_has(used, free))
				free++;
			assert(free < o->x->n);
			put_move(o, at, (struct copy){ c[0].from, (uint8_t)free });
			readers[c[0].from]--;
			readers[free]++;
			c[0].from = (uint8_t)free;
		}
	}
}

static bool same_place(const struct compact_bound *a, const struct compact_bound *b)
{
	return a->at == b->at && a->edge_to == b->edge_to;
}

/* MOVs into the extended set that go before a branch: that is executed with it, too. */
static void hold_branch(struct output *o, const struct compact_bound *b)
{
	const struct kernel *k = o->x->k;
	const struct cfg *g = k->cfg->local;
	const struct insn *branch = b->edge_to == NONE || g->succ_at[b->at + 1] != g->succ_at[b->at] + 1
					    ? NULL
					    : ir_block_end(k, b->at, OPF_BRANCH);

	if (branch)
		o->opens[branch - k->insn] = true;
}

static void put_moves(struct output *o)
{
	const struct compact *x = o->x;
	struct copy c[MREG_RZ];

	for (uint32_t b = 0, end; b < x->nbound; b = end) {
		uint64_t used[WLIVE_WORDS] = { 0 };
		uint32_t n = 0;

		for (end = b; end < x->nbound && same_place(&x->bound[b], &x->bound[end]); end++) {
			const struct compact_bound *bd = &x->bound[end];

			if (compact_moves(x, bd))
				c[n++] = (struct copy){ (uint8_t)compact_reg(x, bd->from, bd->was),
							(uint8_t)compact_reg(x, bd->to, bd->was) };
			else
				bitset_add(used, compact_reg(x, bd->to, bd->was));
		}
		if (n)
			hold_branch(o, &x->bound[b]);
		copy_parallel(o, &x->bound[b], c, n, used);
	}
}

/* Whether the first instruction that is executed from block b on is held. */
static bool begins_held(const struct kernel *k, const uint8_t *hold, uint32_t b)
{
	while (!k->block[b].n)
		b++;
	return hold[k->block[b].first];
}

static void describe(struct output *o, const uint32_t *origin)
{
	struct compact_result *out = o->out;
	struct kernel *k = o->x->k;

	out->hold = new_array(k->a, uint8_t, (size_t)k->ninsn + 1);
	out->origin = new_array(k->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		uint32_t from = origin[i];

		out->origin[i] = from;
		if (from & EDIT_NEW)
			out->origin[i] = from == (EDIT_JUMP | EDIT_NEW) ? COMPACT_JUMP : COMPACT_MOVE;
		out->hold[i] = from & EDIT_NEW ? 1 : o->x->hold[from] || o->opens[from];
		if (out->origin[i] == COMPACT_MOVE) {
			out->move[from & ~EDIT_NEW].insn = i;
			k->insn[i].mods |= MOD_MOVED;
		}
	}
	for (uint32_t i = k->ninsn; i--;)
		if (out->origin[i] == COMPACT_JUMP)
			out->hold[i] = begins_held(k, out->hold, insn_src(k, &k->insn[i])[0].val);
}

static void rename_operands(const struct compact *x)
{
	struct kernel *k = x->k;

	for (uint32_t o = 0; o < k->nopnd; o++)
		if (x->item_of[o] != NONE)
			k->opnd[o].val = compact_reg(x, x->item_of[o], k->opnd[o].val) & REF_VAL_MAX;
}

static void count(const struct compact *x, struct compact_result *out)
{
	uint64_t *cut = bitset_new(x->a, x->nvalue);

	for (uint32_t b = 0; b < x->nbound; b++)
		if (compact_moves(x, &x->bound[b]))
			bitset_add(cut, x->item[x->bound[b].from].value);
	out->values = x->nvalue;
	out->cut = bitset_count(cut, x->nvalue);
	for (uint32_t v = 0; v < x->nvalue; v++) {
		bool renamed = false;

		for (uint32_t y = x->item[v].first; y < x->item[v].first + x->item[v].n; y++)
			renamed |= compact_reg(x, y, x->item[y].was) != x->item[y].was;
		out->renamed += renamed;
	}
}

static bool compact(struct compact *x, struct pass_ctx *cx, struct compact_result *out)
{
	struct output o = { .x = x, .out = out };
	struct kernel *before = NULL;
	const char *why;
	struct edit e;

	compact_find_values(x);
	if (!compact_place(x)) {
		out->steps = x->steps;
		out->refused_at = x->refused_at;
		return false;
	}
	out->steps = x->steps;
	out->greedy = compact_cost(x);
	if (cx->opt.regmutex.exact_seconds > 0 && (why = compact_exact(x, cx->opt.regmutex.exact_seconds, &out->bound)))
		return diag_error_plain(cx->diag, x->k->name, "the solver of the fewest MOVs failed: %s", why);
	out->best = compact_cost(x);
	count(x, out);
	if (cx->opt.check)
		before = ir_clone(x->k, x->a);
	o.opens = new_array(x->a, bool, (size_t)x->k->ninsn + 1);
	o.e = &e;
	edit_begin(&e, x->k, x->a);
	put_moves(&o);
	rename_operands(x);
	describe(&o, edit_end(&e));
	x->k->facts = 0;
	return !before || check_compact(before, x->k, x->base, out, cx->diag);
}

bool regmutex_compact(struct kernel *k, struct pass_ctx *cx, uint32_t base, const uint8_t *hold,
		      struct compact_result *out)
{
	struct arena a;
	struct compact x = { .k = k, .a = &a, .base = base, .n = k->res.regs, .hold = hold };
	bool ok;

	assert(k->form == FORM_MACHINE && !(~k->facts & (FACT_CFG | FACT_LIVE | FACT_FREQ)) && base <= k->res.regs);
	*out = (struct compact_result){ .refused_at = NONE };
	arena_init(&a);
	ok = compact(&x, cx, out);
	arena_free(&a);
	return ok;
}

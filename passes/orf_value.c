/* The values of a region. One walk, forwards over its segments, keeps for each register two sets of writes: the results
 * that a read could find here, and the writes that it finds in an upper level, whichever way it was come here. The
 * second is empty
 * ("nothing") if some way has none: from the region's entry, where the value is in the main register file alone, or
 * behind a long-latency result, which goes nowhere else. A read that finds nothing reads the main register file; then
 * it may leave the operand in an upper level, a fill, and the next read finds that. This gives the cases of Figure 14:
 * (a) a write on one side is not found at the merge, (b) but on its side, (c) with one on each side the read finds
 * either.
 *
 * A guarded write adds itself to both sets and takes nothing away: lanes where the guard is false keep what they had. A
 * fill is made by unguarded reads alone, as the others' lanes would not have it.
 *
 * Sets are nodes, a write or the union of two nodes. Writes that one read may find must be in one entry, so they and
 * their reads are one value: union-find over nodes. What reaches an exit where its register is live, or a read that
 * finds nothing, goes to the main register file in any case. Each node is gone through once for each purpose, so all is
 * linear, but for the unions where ways meet. */
#include "orf_alloc.h"

enum { NOTHING = 0 };

struct sets {
	uint32_t results, found;
};
/* at the end of a segment: what is not NOTHING */
struct out {
	uint8_t reg;
	struct sets is;
};

struct orf_build {
	struct sets now[256];
	/* by segment of the region: pred[pred_at[s]] .., out[out_at[s]] .. */
	uint32_t *pred, *pred_at, *out_at;
	uint32_t seg_cap, pred_cap;
	struct out *out;
	uint32_t nout, out_cap;
	struct orf_write *write;
	uint32_t write_cap; /* as they were found */
	struct orf_read *read;
	uint32_t read_cap;
	uint32_t *write_node, write_node_cap; /* by write */
	uint32_t *order, order_cap;
};

/* ---- nodes ---- */
static uint32_t add_node(struct orf_work *w, uint32_t a, uint32_t b)
{
	arena_grow(w->a, w->node, w->nnode, w->node_cap);
	w->node[w->nnode] = (struct orf_node){ .a = a, .b = b, .parent = w->nnode };
	return w->nnode++;
}

static uint32_t root(struct orf_work *w, uint32_t x)
{
	while (w->node[x].parent != x)
		x = w->node[x].parent = w->node[w->node[x].parent].parent;
	return x;
}

static void push(struct orf_work *w, uint32_t *top, uint32_t x)
{
	arena_grow(w->a, w->stack, *top, w->stack_cap);
	w->stack[(*top)++] = x;
}

/* The results in a set go to the main register file. */
static void keep(struct orf_work *w, uint32_t set)
{
	uint32_t top = 0;

	push(w, &top, set);
	while (top) {
		struct orf_node *x = &w->node[w->stack[--top]];

		if (x == w->node || x->kept)
			continue;
		x->kept = true;
		if (x->b) {
			push(w, &top, x->b);
			push(w, &top, x->a);
		} else {
			w->build->write[x->a].mrf = true;
		}
	}
}

/* A read finds any of a set: its writes are one value. */
static void join(struct orf_work *w, uint32_t set)
{
	uint32_t top = 0;

	push(w, &top, set);
	while (top) {
		uint32_t x = w->stack[--top];

		if (w->node[x].joined)
			continue;
		w->node[x].joined = true;
		if (!w->node[x].b)
			continue;
		w->node[root(w, w->node[x].a)].parent = root(w, x);
		w->node[root(w, w->node[x].b)].parent = root(w, x);
		push(w, &top, w->node[x].b);
		push(w, &top, w->node[x].a);
	}
}

/* ---- the walk ---- */
static uint32_t add_write(struct orf_work *w, const struct orf_write *x)
{
	struct orf_build *b = w->build;

	arena_grow(w->a, b->write, w->nwrite, b->write_cap);
	arena_grow(w->a, b->write_node, w->nwrite, b->write_node_cap);
	b->write[w->nwrite] = *x;
	b->write_node[w->nwrite] = add_node(w, w->nwrite, 0);
	return b->write_node[w->nwrite++];
}

static void do_read(struct orf_work *w, uint32_t i, uint32_t seg, const struct insn_regs *regs, unsigned s)
{
	const struct insn *insn = &w->c->k->insn[i];
	struct orf_build *b = w->build;
	struct sets *now = &b->now[regs->src[s]];

	if (op_info[insn->op].flags & OPF_UNKNOWN) { /* perhaps not: in the main register file it is in any case */
		keep(w, now->results);
		return;
	}
	if (now->found != NOTHING) {
		arena_grow(w->a, b->read, w->nread, b->read_cap);
		b->read[w->nread++] = (struct orf_read){ .insn = i,
							 .seg = seg,
							 .index = (uint8_t)s,
							 .slot = regs->slot[s],
							 .shared = insn_is_shared(insn),
							 .found = now->found,
							 .results = now->results };
		join(w, now->found);
		return;
	}
	keep(w, now->results);
	if (w->c->o->read_operands && insn->guard.kind == REF_NONE)
		now->found = add_write(w, &(struct orf_write){ .insn = i,
							       .seg = seg,
							       .index = (uint8_t)s,
							       .slot = regs->slot[s],
							       .fill = true,
							       .shared = insn_is_shared(insn) });
}

static void do_write(struct orf_work *w, uint32_t i, uint32_t seg, const struct insn_regs *regs, unsigned d)
{
	const struct insn *insn = &w->c->k->insn[i];
	struct sets *now = &w->build->now[regs->dst[d]];
	bool guarded = !insn_kills(insn);
	uint32_t x;

	if (insn_is_long(insn) || op_info[insn->op].flags & OPF_UNKNOWN) {
		*now = (struct sets){ .results = guarded ? now->results : NOTHING, .found = NOTHING };
		return;
	}
	x = add_write(w, &(struct orf_write){ .insn = i,
					      .seg = seg,
					      .index = (uint8_t)d,
					      .slot = NO_SLOT,
					      .shared = insn_is_shared(insn),
					      .guarded = guarded });
	if (!guarded) {
		*now = (struct sets){ .results = x, .found = x };
		return;
	}
	now->results = now->results == NOTHING ? x : add_node(w, x, now->results);
	if (now->found != NOTHING)
		now->found = add_node(w, x, now->found);
}

static uint32_t either(struct orf_work *w, uint32_t x, uint32_t y)
{
	if (x == NOTHING || x == y)
		return y;
	return y == NOTHING ? x : add_node(w, x, y);
}

/* What holds before segment s of the region. */
static void enter(struct orf_work *w, uint32_t s)
{
	const struct orf_segment *seg = &w->c->seg[w->r->seg + s];
	struct orf_build *b = w->build;
	uint32_t ways[256] = { 0 }, n = b->pred_at[s + 1] - b->pred_at[s]; /* ways on which something is found */

	memset(b->now, 0, sizeof b->now);
	for (uint32_t p = 0; p < n; p++) {
		uint32_t from = b->pred[b->pred_at[s] + p];

		for (uint32_t o = b->out_at[from]; o < b->out_at[from + 1]; o++) {
			struct out *x = &b->out[o];
			struct sets *now = &b->now[x->reg];

			now->results = either(w, now->results, x->is.results);
			if (x->is.found != NOTHING)
				now->found = ways[x->reg]++ ? either(w, now->found, x->is.found) : x->is.found;
		}
	}
	for (unsigned r = 0; r < MREG_RZ; r++)
		if (seg->fresh || ways[r] != n)
			b->now[r].found = NOTHING;
}

/* What is live behind its exits goes to the main register file; what is live behind its end is remembered. */
static void leave(struct orf_work *w, uint32_t s)
{
	const struct orf_segment *seg = &w->c->seg[w->r->seg + s];
	struct orf_build *b = w->build;

	for (uint32_t r = bitset_next(seg->live, 0, MREG_RZ); r < MREG_RZ; r = bitset_next(seg->live, r + 1, MREG_RZ))
		keep(w, b->now[r].results);
	b->out_at[s] = b->nout;
	if (seg->nsucc) {
		struct live_set l = live_out(w->c->k, seg->block);

		for (uint32_t i = 0; i < l.n && l.reg[i] < MREG_RZ; i++)
			if (b->now[l.reg[i]].results != NOTHING || b->now[l.reg[i]].found != NOTHING) {
				arena_grow(w->a, b->out, b->nout, b->out_cap);
				b->out[b->nout++] = (struct out){ (uint8_t)l.reg[i], b->now[l.reg[i]] };
			}
	}
	b->out_at[s + 1] = b->nout;
}

static void find_preds(struct orf_work *w)
{
	const struct orf_region *r = w->r;
	struct orf_build *b = w->build;
	uint32_t n = 0;

	for (uint32_t s = 0; s < r->nseg; s++)
		n += w->c->seg[r->seg + s].nsucc;
	if (r->nseg + 2 > b->seg_cap) {
		b->seg_cap = 2 * (r->nseg + 2);
		b->pred_at = new_array(w->a, uint32_t, b->seg_cap);
		b->out_at = new_array(w->a, uint32_t, b->seg_cap);
	}
	if (n > b->pred_cap) {
		b->pred_cap = 2 * n;
		b->pred = new_array(w->a, uint32_t, b->pred_cap);
	}
	memset(b->pred_at, 0, ((size_t)r->nseg + 2) * sizeof *b->pred_at);
	for (uint32_t s = 0; s < r->nseg; s++)
		for (uint32_t e = 0; e < w->c->seg[r->seg + s].nsucc; e++)
			b->pred_at[w->c->seg[r->seg + s].succ[e] - r->seg + 2]++;
	for (uint32_t s = 0; s < r->nseg; s++)
		b->pred_at[s + 2] += b->pred_at[s + 1];
	for (uint32_t s = 0; s < r->nseg; s++)
		for (uint32_t e = 0; e < w->c->seg[r->seg + s].nsucc; e++)
			b->pred[b->pred_at[w->c->seg[r->seg + s].succ[e] - r->seg + 1]++] = s;
}

static void walk(struct orf_work *w)
{
	for (uint32_t s = 0; s < w->r->nseg; s++) {
		const struct orf_segment *seg = &w->c->seg[w->r->seg + s];

		enter(w, s);
		for (uint32_t i = seg->first; i < seg->first + seg->n; i++) {
			struct insn_regs regs;

			ir_insn_regs(w->c->k, &w->c->k->insn[i], &regs);
			for (unsigned x = 0; x < regs.nsrc; x++)
				do_read(w, i, w->r->seg + s, &regs, x);
			for (unsigned x = 0; x < regs.ndst; x++)
				do_write(w, i, w->r->seg + s, &regs, x);
		}
		leave(w, s);
	}
}

/* ---- values ---- */
/* A write that nobody finds is a value if it is a result that nobody reads at all: it may as well go to an upper
 * level. */
static bool is_value(const struct orf_work *w, uint32_t write)
{
	const struct orf_write *x = &w->build->write[write];

	return w->node[w->build->write_node[write]].joined || (!x->fill && !x->mrf);
}

static uint8_t register_of(const struct orf_work *w, const struct orf_write *x)
{
	struct insn_regs regs;

	ir_insn_regs(w->c->k, &w->c->k->insn[x->insn], &regs);
	return x->fill ? regs.src[x->index] : regs.dst[x->index];
}

/* Values in the order of their first writes; then writes and reads value by value, by counting. */
static void collect(struct orf_work *w)
{
	struct orf_build *b = w->build;
	uint32_t reads = 0, writes = 0;

	w->nvalue = 0;
	for (uint32_t x = 0; x < w->nwrite; x++) {
		uint32_t top;

		if (!is_value(w, x))
			continue;
		top = root(w, b->write_node[x]);
		if (!w->node[top].value) {
			arena_grow(w->a, w->value, w->nvalue, w->value_cap);
			w->value[w->nvalue++] = (struct orf_value){ .reg = register_of(w, &b->write[x]) };
			w->node[top].value = w->nvalue;
		}
		w->value[w->node[top].value - 1].nwrite++;
	}
	for (uint32_t x = 0; x < w->nread; x++)
		w->value[w->node[root(w, b->read[x].found)].value - 1].nread++;
	for (uint32_t v = 0; v < w->nvalue; v++) {
		w->value[v].write = writes;
		w->value[v].read = reads;
		writes += w->value[v].nwrite;
		reads += w->value[v].nread;
		w->value[v].nwrite = w->value[v].nread = 0;
	}
	while (w->write_cap < w->nwrite)
		w->write = arena_regrow(w->a, w->write, sizeof *w->write, 0, &w->write_cap);
	while (w->read_cap < w->nread)
		w->read = arena_regrow(w->a, w->read, sizeof *w->read, 0, &w->read_cap);
	for (uint32_t x = 0; x < w->nwrite; x++)
		if (is_value(w, x)) {
			struct orf_value *v = &w->value[w->node[root(w, b->write_node[x])].value - 1];

			w->node[b->write_node[x]].a = v->nwrite;
			w->write[v->write + v->nwrite++] = b->write[x];
		}
	for (uint32_t x = 0; x < w->nread; x++) {
		struct orf_value *v = &w->value[w->node[root(w, b->read[x].found)].value - 1];

		w->read[v->read + v->nread++] = b->read[x];
	}
}

void orf_values_find(struct orf_work *w, const struct orf_region *r)
{
	w->r = r;
	w->nwrite = w->nread = w->nnode = 0;
	w->build->nout = 0;
	add_node(w, 0, 0); /* NOTHING */
	find_preds(w);
	walk(w);
	collect(w);
}

void orf_work_init(struct orf_work *w, const struct orf_code *c, struct arena *a)
{
	*w = (struct orf_work){ .c = c, .a = a, .build = new(a, struct orf_build) };
	orf_energies(&w->fj, c->o);
	orf_cut_init(w);
}

/* Values of machine code, and their pieces.
 *
 * A node stands for a register from one definition, block entry or boundary on. Nodes that hold one value are joined
 * twice (union-find): into pieces, not over boundaries, and into values, over them too. The registers of an operand of
 * 64 bits belong to one piece, whose part 1 is the odd register. A guarded write goes on with the value that was there:
 * other lanes keep it. */
#include "passes/compact.h"

#include <stdlib.h>

#define NONE COMPACT_NONE

struct node {
	uint32_t piece, value;
	uint8_t was;
	bool tied, entry, waits;
};
struct stretch {
	uint32_t from, to, node;
};
struct ends {
	uint32_t node[MREG_RZ];
};
struct gap {
	uint64_t alive[WLIVE_WORDS];
};

struct find {
	struct compact *x;
	const struct kernel *k;
	struct node *node;
	uint32_t nnode, node_cap;
	struct stretch *stretch;
	uint32_t nstretch, stretch_cap;
	uint32_t *in_node; /* of the first register in k->live->in */
	struct ends *end;  /* by block: node at its end, of registers that are live out; else NONE */
	uint32_t cur[MREG_RZ], start[MREG_RZ], last[MREG_RZ]; /* last: where the value ends, as far as is known */
	struct gap *gap;              /* by instruction: alive before it, if a boundary is there */
	uint64_t waited[WLIVE_WORDS]; /* for somewhere where the set is not held */
};

static uint32_t new_node(struct find *f, uint32_t was)
{
	arena_grow(f->x->a, f->node, f->nnode, f->node_cap);
	f->node[f->nnode] = (struct node){ .piece = f->nnode, .value = f->nnode, .was = (uint8_t)was };
	return f->nnode++;
}

static uint32_t piece_root(struct find *f, uint32_t n)
{
	while (f->node[n].piece != n)
		n = f->node[n].piece = f->node[f->node[n].piece].piece;
	return n;
}

static uint32_t value_root(struct find *f, uint32_t n)
{
	while (f->node[n].value != n)
		n = f->node[n].value = f->node[f->node[n].value].value;
	return n;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The smaller number stays the root: results do not depend on the order of unions. */
static void join_value(struct find *f, uint32_t a, uint32_t b)
{
	a = value_root(f, a);
	b = value_root(f, b);
	f->node[greater(a, b)].value = smaller(a, b);
}

static void join_piece(struct find *f, uint32_t a, uint32_t b)
{
	join_value(f, a, b);
	a = piece_root(f, a);
	b = piece_root(f, b);
	f->node[greater(a, b)].piece = smaller(a, b);
}

/* ---- where the extended set is held ---- */
static bool enters_held(const struct compact *x, uint32_t b)
{
	while (b < x->k->nblock && !x->k->block[b].n)
		b++;
	return b < x->k->nblock && x->hold[x->k->block[b].first];
}

static bool leaves_held(const struct compact *x, uint32_t b)
{
	const struct block *bb = &x->k->block[b];

	return bb->n ? x->hold[bb->first + bb->n - 1] : enters_held(x, b);
}

static bool is_boundary(const struct compact *x, uint32_t i, uint32_t first)
{
	return i > first && !x->hold[i] != !x->hold[i - 1];
}

/* MOVs can stand on an edge inside a function, not between functions. */
static bool is_local_edge(const struct kernel *k, uint32_t from, uint32_t to)
{
	const struct cfg *g = k->cfg->local;

	if (k->cfg == g)
		return true;
	if (ir_block_end(k, from, OPF_CALL | OPF_RETURN))
		return false;
	for (uint32_t e = g->succ_at[from]; e < g->succ_at[from + 1]; e++)
		if (g->succ[e] == to)
			return true;
	return false;
}

/* ---- inside a block ---- */
static void find_gaps(struct find *f, uint32_t b)
{
	const struct kernel *k = f->k;
	uint64_t set[WLIVE_WORDS] = { 0 };

	live_put(live_out(k, b), set);
	for (uint32_t i = k->block[b].first + k->block[b].n; i-- > k->block[b].first;) {
		live_step_back(k, &k->insn[i], set);
		if (is_boundary(f->x, i, k->block[b].first))
			memcpy(f->gap[i].alive, set, sizeof set);
	}
}

static void add_stretch(struct find *f, uint32_t r)
{
	arena_grow(f->x->a, f->stretch, f->nstretch, f->stretch_cap);
	if (f->start[r] < f->last[r])
		f->stretch[f->nstretch++] = (struct stretch){ f->start[r], f->last[r], f->cur[r] };
}

static void add_bound(struct find *f, uint32_t from, uint32_t to, uint32_t at, uint32_t edge_to, uint64_t weight)
{
	struct compact *x = f->x;

	join_value(f, from, to);
	arena_grow(x->a, x->bound, x->nbound, x->bound_cap);
	x->bound[x->nbound++] = (struct compact_bound){
		.from = from, .to = to, .was = f->node[from].was, .at = at, .edge_to = edge_to, .weight = weight
	};
}

static void cross_gap(struct find *f, uint32_t i, uint64_t weight)
{
	for (uint32_t r = 0; r < MREG_RZ; r++) {
		uint32_t from = f->cur[r];

		if (from == NONE)
			continue;
		if (!bitset_has(f->gap[i].alive, r)) {
			add_stretch(f, r);
			f->cur[r] = NONE;
			continue;
		}
		f->last[r] = 2 * i;
		add_stretch(f, r);
		f->cur[r] = new_node(f, r);
		f->start[r] = f->last[r] = 2 * i;
		add_bound(f, from, f->cur[r], i, NONE, weight);
	}
}

static void read_operand(struct find *f, uint32_t i, uint32_t r)
{
	if (f->last[r] < 2 * i + 1)
		f->last[r] = 2 * i + 1;
}

static void write_operand(struct find *f, uint32_t i, uint32_t r, bool kills)
{
	if (kills || f->cur[r] == NONE) {
		if (f->cur[r] != NONE)
			add_stretch(f, r);
		f->cur[r] = new_node(f, r);
		f->start[r] = 2 * i + 1;
	}
	f->last[r] = 2 * i + 2;
}

static void step(struct find *f, uint32_t i)
{
	const struct kernel *k = f->k;
	const struct insn *in = &k->insn[i];

	for (unsigned pass = 0; pass < 2; pass++) /* sources before destinations */
		for (unsigned s = pass ? 0 : in->ndst; s < (pass ? in->ndst : in->ndst + (unsigned)in->nsrc); s++) {
			struct ref r = k->opnd[in->opnd + s];
			bool wide = insn_operand_class(k, in, s) == RC_64;

			if (r.kind != REF_REG || r.val >= MREG_RZ)
				continue;
			for (uint32_t h = 0; h <= wide; h++) {
				if (pass)
					write_operand(f, i, r.val + h, insn_kills(in));
				else
					read_operand(f, i, r.val + h);
			}
			f->x->item_of[in->opnd + s] = f->cur[r.val];
			if (wide) {
				join_piece(f, f->cur[r.val], f->cur[r.val + 1]);
				f->node[f->cur[r.val]].tied = true;
			}
		}
}

static void walk_block(struct find *f, uint32_t b)
{
	const struct kernel *k = f->k;
	const struct block *bb = &k->block[b];
	struct live_set in = live_in(k, b), out = live_out(k, b);

	memset(f->cur, 0xff, sizeof f->cur);
	for (uint32_t n = 0; n < in.n; n++)
		if (in.reg[n] < MREG_RZ) {
			f->cur[in.reg[n]] = f->in_node[k->live->in_at[b] + n];
			f->start[in.reg[n]] = f->last[in.reg[n]] = 2 * bb->first;
		}
	for (uint32_t i = bb->first; i < bb->first + bb->n; i++) {
		if (is_boundary(f->x, i, bb->first))
			cross_gap(f, i, k->freq->executions[b]);
		step(f, i);
	}
	memset(&f->end[b], 0xff, sizeof f->end[b]);
	for (uint32_t n = 0; n < out.n; n++)
		if (out.reg[n] < MREG_RZ) {
			f->last[out.reg[n]] = 2 * (bb->first + bb->n);
			f->end[b].node[out.reg[n]] = f->cur[out.reg[n]];
		}
	for (uint32_t r = 0; r < MREG_RZ; r++)
		if (f->cur[r] != NONE)
			add_stretch(f, r);
}

static void walk_edge(struct find *f, uint32_t from, uint32_t to)
{
	const struct kernel *k = f->k;
	struct live_set in = live_in(k, to);
	bool cut = leaves_held(f->x, from) != enters_held(f->x, to) && is_local_edge(k, from, to);
	uint64_t weight = k->freq->executions[from] < k->freq->executions[to] ? k->freq->executions[from]
									      : k->freq->executions[to];

	for (uint32_t n = 0; n < in.n; n++) {
		uint32_t old = in.reg[n] < MREG_RZ ? f->end[from].node[in.reg[n]] : NONE,
			 node = f->in_node[k->live->in_at[to] + n];

		if (old == NONE)
			continue;
		if (cut)
			add_bound(f, old, node, from, to, weight);
		else
			join_piece(f, old, node);
	}
}

/* Registers that lanes wait for while others execute without the extended set. */
static void find_waited(struct find *f)
{
	const struct kernel *k = f->k;

	if (!(k->facts & FACT_WLIVE))
		return;
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			if (!f->x->hold[i]) {
				for (unsigned w = 0; w < WLIVE_WORDS; w++)
					f->waited[w] |= k->wlive->wait[b][w];
				break;
			}
}

static void find_nodes(struct find *f)
{
	const struct kernel *k = f->k;
	uint32_t nin = k->live->in_at[k->nblock];

	f->in_node = new_array(f->x->a, uint32_t, (size_t)nin + 1);
	f->end = new_array_raw(f->x->a, struct ends, (size_t)k->nblock + 1);
	f->gap = new_array_raw(f->x->a, struct gap, (size_t)k->ninsn + 1);
	find_waited(f);
	for (uint32_t n = 0; n < nin; n++)
		if (k->live->in[n] < MREG_RZ) {
			f->in_node[n] = new_node(f, k->live->in[n]);
			f->node[f->in_node[n]].waits = bitset_has(f->waited, k->live->in[n]);
			f->node[f->in_node[n]].entry = n < k->live->in_at[1];
		}
	for (uint32_t b = 0; b < k->nblock; b++) {
		find_gaps(f, b);
		walk_block(f, b);
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++)
			walk_edge(f, b, k->cfg->succ[e]);
}

/* ---- items ---- */
struct order {
	uint32_t value, piece;
};

static int by_value(const void *p, const void *q)
{
	const struct order *a = p, *b = q;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->piece < b->piece ? -1 : a->piece > b->piece;
}

static void add_item(struct find *f, uint32_t node, uint32_t value)
{
	struct compact *x = f->x;

	x->item[x->nitem++] = (struct compact_item){ .value = value, .reg = MREG_RZ, .was = f->node[node].was };
}

/* A 64-bit operand somewhere: what is one pair, and begins with its even register. */
static void mark_wide(struct find *f, const uint32_t *piece_item, const uint32_t *value_item)
{
	for (uint32_t n = 0; n < f->nnode; n++) {
		struct compact_item *p = &f->x->item[piece_item[piece_root(f, n)]],
				    *v = &f->x->item[value_item[value_root(f, n)]];
		const struct node *d = &f->node[n];

		if (d->tied) {
			p->wide = v->wide = true;
			p->was &= 0xfe;
			v->was &= 0xfe;
		}
		p->base |= d->entry;
		v->base |= d->entry;
		p->waits |= d->waits;
		v->waits |= d->waits;
	}
}

static void make_items(struct find *f, uint32_t *piece_item, uint32_t *value_item)
{
	struct compact *x = f->x;
	struct order *o = new_array(x->a, struct order, (size_t)f->nnode + 1);
	uint32_t n = 0;

	for (uint32_t d = 0; d < f->nnode; d++)
		if (piece_root(f, d) == d)
			o[n++] = (struct order){ value_root(f, d), d };
	qsort(o, n, sizeof *o, by_value);
	x->item = new_array(x->a, struct compact_item, 2 * (size_t)n + 2);
	for (uint32_t p = 0; p < n; p++)
		if (!p || o[p - 1].value != o[p].value) {
			value_item[o[p].value] = x->nitem;
			add_item(f, o[p].value, x->nitem);
		}
	x->nvalue = x->nitem;
	for (uint32_t p = 0; p < n; p++) {
		struct compact_item *v = &x->item[value_item[o[p].value]];

		if (!v->n++)
			v->first = x->nitem;
		piece_item[o[p].piece] = x->nitem;
		add_item(f, o[p].piece, value_item[o[p].value]);
	}
	mark_wide(f, piece_item, value_item);
}

static int by_from(const void *p, const void *q)
{
	const struct compact_span *a = p, *b = q;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Sorted, and those that touch in one. */
static uint32_t tidy(struct compact_span *s, uint32_t n)
{
	uint32_t to = 0;

	for (uint32_t i = 1; i < n; i++)
		if (s[i].from < s[i - 1].from) {
			qsort(s, n, sizeof *s, by_from);
			break;
		}
	for (uint32_t i = 0; i < n; i++)
		if (to && s[i].from <= s[to - 1].to)
			s[to - 1].to = s[i].to > s[to - 1].to ? s[i].to : s[to - 1].to;
		else
			s[to++] = s[i];
	return to;
}

/* The spans of all items by item and part. */
static void place_spans(struct find *f, const uint32_t *piece_item, const uint32_t *value_item)
{
	struct compact *x = f->x;
	uint32_t *at = new_array(x->a, uint32_t, 2 * (size_t)x->nitem + 2), total = 0, to = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t s = 0; s < f->nstretch; s++) {
			const struct stretch *t = &f->stretch[s];
			uint32_t item[2] = { piece_item[piece_root(f, t->node)], value_item[value_root(f, t->node)] };

			for (unsigned which = 0; which < 2; which++) {
				struct compact_item *it = &x->item[item[which]];
				uint32_t slot = 2 * item[which] + (it->wide ? f->node[t->node].was & 1 : 0);

				if (pass)
					x->span[at[slot]++] = (struct compact_span){ t->from, t->to };
				else
					at[slot]++;
				it->base |= !pass && !x->hold[t->from / 2];
			}
		}
		if (pass)
			break;
		x->span = new_array(x->a, struct compact_span, 2 * (size_t)f->nstretch + 1);
		for (uint32_t slot = 0; slot < 2 * x->nitem; slot++) {
			uint32_t n = at[slot];

			at[slot] = total;
			total += n;
		}
	}
	for (uint32_t slot = 0, from = 0; slot < 2 * x->nitem; slot++) { /* at[]: ends, now */
		struct compact_item *it = &x->item[slot / 2];
		uint32_t n = tidy(x->span + from, at[slot] - from);

		memmove(x->span + to, x->span + from, n * sizeof *x->span);
		it->span[slot % 2] = to;
		it->span[slot % 2 + 1] = to + n;
		from = at[slot];
		to += n;
	}
	x->nspan = to;
}

static void place_bounds(struct find *f, const uint32_t *piece_item)
{
	struct compact *x = f->x;
	uint32_t n = 0, *fill;

	for (uint32_t b = 0; b < x->nbound; b++) {
		struct compact_bound *bd = &x->bound[b];

		bd->from = piece_item[piece_root(f, bd->from)];
		bd->to = piece_item[piece_root(f, bd->to)];
		x->item[bd->from].bound_at++;
		x->item[bd->to].bound_at++;
	}
	for (uint32_t p = x->nvalue; p < x->nitem; p++) {
		uint32_t own = x->item[p].bound_at;

		x->item[p].bound_at = n;
		n += own;
	}
	x->item[x->nitem].bound_at = n; /* behind the last piece */
	x->bound_of = new_array(x->a, uint32_t, (size_t)n + 1);
	fill = new_array(x->a, uint32_t, (size_t)x->nitem + 1);
	for (uint32_t p = x->nvalue; p < x->nitem; p++)
		fill[p] = x->item[p].bound_at;
	for (uint32_t b = 0; b < x->nbound; b++) {
		x->bound_of[fill[x->bound[b].from]++] = b;
		x->bound_of[fill[x->bound[b].to]++] = b;
	}
}

void compact_find_values(struct compact *x)
{
	struct find f = { .x = x, .k = x->k };
	uint32_t *piece_item, *value_item;

	x->item_of = new_array(x->a, uint32_t, (size_t)x->k->nopnd + 1);
	memset(x->item_of, 0xff, ((size_t)x->k->nopnd + 1) * sizeof *x->item_of);
	find_nodes(&f);
	piece_item = new_array(x->a, uint32_t, (size_t)f.nnode + 1);
	value_item = new_array(x->a, uint32_t, (size_t)f.nnode + 1);
	make_items(&f, piece_item, value_item);
	place_spans(&f, piece_item, value_item);
	place_bounds(&f, piece_item);
	for (uint32_t o = 0; o < x->k->nopnd; o++)
		if (x->item_of[o] != NONE)
			x->item_of[o] = piece_item[piece_root(&f, x->item_of[o])];
}

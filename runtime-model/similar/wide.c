/* A warp of 64 lanes: the rules of encode.h with four parts of 16 lanes in place of two (G-Scalar section 5.2, Figure
 * 10), from the values themselves, as signatures are of 32 lanes. The records of its halves were executed at different
 * times: what is of a warp (%warpid, clocks) is no one value in both, and what both read from one address need not
 * be. */
#include "runtime-model/similar/code.h"

#include <string.h>

enum { LANES = 2 * WARP_LANES, PARTS = LANES / HALF_LANES };
#define PART_LANES(q) ((uint64_t)LOW_HALF << (HALF_LANES * (q)))

/* struct encoding */
struct wide_encoding {
	uint64_t lanes; /* those without a thread too, unless divergent */
	uint8_t part[PARTS], all, bdi;
	bool divergent, same;
};

struct similar_wide {
	const struct similar_code *code;
	uint64_t missing;                                 /* lanes that have no thread */
	uint64_t same[ENCODE_PREDS], parts[ENCODE_PREDS]; /* as in struct scalar_warp */
	bool divergent;
	struct wide_encoding reg[];
};

struct similar_wide *similar_wide_new(const struct similar_code *c, struct arena *a)
{
	struct similar_wide *w = arena_alloc(a, sizeof *w + c->nreg * sizeof w->reg[0], _Alignof(struct similar_wide));

	w->code = c;
	return w;
}

void similar_wide_begin(struct similar_wide *w, uint64_t missing)
{
	w->missing = missing;
	memset(w->same, 0, sizeof w->same);
	memset(w->parts, 0, sizeof w->parts);
	w->divergent = false;
	memset(w->reg, 0, w->code->nreg * sizeof w->reg[0]);
}

/* ---- a register as it is written ---- */
static uint8_t same_bytes(uint32_t differ)
{
	return (uint8_t)(differ ? (unsigned)__builtin_clz(differ) / 8 : SAME_ALL);
}

/* threads: how many the warp has; of the others nothing is looked at, and the parts without threads are as lane 0. */
static struct wide_encoding encode_all(const uint32_t *low, const uint32_t *high, unsigned threads)
{
	struct wide_encoding e = { .lanes = UINT64_MAX };
	uint32_t all = 0, wide = 0;

	for (unsigned q = 0; q < PARTS; q++) {
		const unsigned left = threads > q * HALF_LANES ? threads - q * HALF_LANES : 0,
			       n = left < HALF_LANES ? left : HALF_LANES;
		const uint32_t *v = (q < 2 ? low : high) + q % 2 * HALF_LANES;
		uint32_t differ = 0;

		if (!n)
			v = low;
		for (unsigned l = 0; l < n; l++) {
			uint32_t delta = v[l] - low[0];

			differ |= v[l] ^ v[0];
			wide |= delta ^ (uint32_t)((int32_t)delta >> 31);
		}
		e.part[q] = same_bytes(differ);
		all |= differ | (v[0] ^ low[0]);
	}
	e.all = same_bytes(all);
	/* a sign bit is needed too */
	const unsigned bits = wide ? 32u - (unsigned)__builtin_clz(wide) : 0u;

	e.bdi = (uint8_t)bdi_of(all ? bits / 8 + 1 : 0);
	return e;
}

static struct wide_encoding encode_some(const struct joined *x, unsigned d)
{
	struct wide_encoding e = { .lanes = x->active, .divergent = true, .same = true };
	unsigned first = (unsigned)__builtin_ctzll(x->active);
	uint32_t v = x->value[first / WARP_LANES][d][first % WARP_LANES];

	for (uint64_t left = x->active; left; left &= left - 1) {
		unsigned l = (unsigned)__builtin_ctzll(left);

		e.same &= x->value[l / WARP_LANES][d][l % WARP_LANES] == v;
	}
	return e;
}

static void count_stored(const struct wide_encoding *e, struct similar_insn *n)
{
	unsigned parts = 0;

	n->writes++;
	for (unsigned q = 0; q < PARTS; q++)
		parts += e->part[q] + HALF_LANES * (4u - e->part[q]);
	if (e->divergent)
		parts = 4 * LANES;
	else if (e->all == SAME_ALL)
		parts = 4;
	n->stored[STORED_HALVES] += parts;
	n->stored[STORED_WHOLE] += e->divergent ? 4 * LANES : e->all + LANES * (4u - e->all);
	n->stored[STORED_BDI] += bdi_bytes((enum bdi)e->bdi, LANES);
}

static void decompress(struct wide_encoding *e, bool dead, struct similar_insn *n)
{
	const bool any = !e->divergent && e->lanes, stored[STORED_SCHEMES] = {
		[STORED_HALVES] = any && (e->part[0] || e->part[1] || e->part[2] || e->part[3]),
		[STORED_WHOLE] = any && e->all,
		[STORED_BDI] = e->bdi != BDI_NONE,
	};

	for (unsigned s = 0; s < STORED_SCHEMES; s++) {
		n->moves[s] += stored[s];
		n->elided[s] += stored[s] && dead;
	}
	if (stored[STORED_HALVES] && !dead)
		*e = (struct wide_encoding){ .lanes = UINT64_MAX };
}

/* ---- an instruction ---- */
static bool others_are_scalar(const uint64_t known[], const struct scalar_insn *i, uint64_t lanes)
{
	for (unsigned p = 0; p < ENCODE_PREDS; p++)
		if (i->reads >> p & 1 && lanes & ~known[p])
			return false;
	return !i->vector;
}

/* The lanes of half h that execute have one value in x's destination d. */
static bool half_agrees(const struct joined *x, unsigned h, unsigned d)
{
	uint32_t lanes = (uint32_t)(x->active >> (h * WARP_LANES));
	const uint32_t *v = x->value[h][d], first = v[__builtin_ctz(lanes)];

	while (lanes && v[__builtin_ctz(lanes)] == first)
		lanes &= lanes - 1;
	return !lanes;
}

/* The sources of x are one value. Are the results two, one of each half? Of memory the values say it; those of
 * predicates are not in the records. */
static bool of_each_half(const struct similar_wide *w, const struct joined *x, unsigned ndst)
{
	const uint32_t low = (uint32_t)x->active, high = (uint32_t)(x->active >> WARP_LANES);
	const struct scalar_insn *i = &w->code->insn[x->insn];
	bool differ = i->writes;

	if (!low || !high || (i->class != SCALAR_MEM && !w->code->of_warp[x->insn]))
		return false;
	if (w->code->of_warp[x->insn])
		return true;
	for (unsigned d = 0; d < ndst; d++) {
		if (!half_agrees(x, 0, d) || !half_agrees(x, 1, d))
			return false; /* a broken rule: agrees() tells */
		differ |= x->value[0][d][__builtin_ctz(low)] != x->value[1][d][__builtin_ctz(high)];
	}
	return differ;
}

/* Every thread of the warp executes x. */
static bool convergent(const struct similar_wide *w, const struct joined *x)
{
	return (x->active | w->missing) == UINT64_MAX;
}

/* *same: the lanes that one lane each executes for. */
static enum similar_how how(const struct similar_wide *w, const struct joined *x,
			    const struct wide_encoding *const src[], const struct similar_operands *o, uint64_t *same)
{
	const struct scalar_insn *i = &w->code->insn[x->insn];
	bool all, part[PARTS];

	*same = 0;
	if (i->class == SCALAR_NEVER || !x->active || (x->local && w->code->generic[x->insn]))
		return SIMILAR_VECTOR;
	all = others_are_scalar(w->same, i, x->active);
	if (!convergent(w, x)) {
		for (unsigned s = 0; s < o->nsrc; s++)
			all &= src[s]->divergent ? src[s]->same && src[s]->lanes == x->active : src[s]->all == SAME_ALL;
		all = all && !of_each_half(w, x, o->ndst);
		*same = all ? x->active : 0;
		return all ? SIMILAR_DIVERGENT : SIMILAR_VECTOR;
	}
	for (unsigned q = 0; q < PARTS; q++)
		part[q] = x->active & PART_LANES(q) && others_are_scalar(w->parts, i, x->active & PART_LANES(q));
	for (unsigned s = 0; s < o->nsrc; s++) {
		all &= !src[s]->divergent && src[s]->all == SAME_ALL;
		for (unsigned q = 0; q < PARTS; q++)
			part[q] &= !src[s]->divergent && src[s]->part[q] == SAME_ALL;
	}
	all = all && !of_each_half(w, x, o->ndst);
	for (unsigned q = 0; q < PARTS; q++)
		*same |= all || part[q] ? x->active & PART_LANES(q) : 0;
	if (all)
		return SIMILAR_SCALAR;
	return *same ? SIMILAR_PARTS : SIMILAR_VECTOR;
}

static unsigned lanes_needed(enum similar_how h, uint64_t same, uint64_t active)
{
	unsigned sum = 0;

	if (h == SIMILAR_SCALAR || h == SIMILAR_DIVERGENT)
		return 1;
	for (unsigned q = 0; q < PARTS; q++)
		sum += same & PART_LANES(q) ? 1 : (unsigned)__builtin_popcountll(active & PART_LANES(q));
	return sum;
}

static bool agrees(enum similar_how h, uint64_t same, const struct wide_encoding *e)
{
	bool ok = h == SIMILAR_SCALAR ? e->all == SAME_ALL : h != SIMILAR_DIVERGENT || e->same;

	for (unsigned q = 0; h == SIMILAR_PARTS && q < PARTS; q++)
		ok &= !(same & PART_LANES(q)) || e->part[q] == SAME_ALL;
	return ok;
}

static void count_reads(const struct wide_encoding *const src[], unsigned nsrc, bool all_or_none,
			struct similar_insn *n)
{
	if (!all_or_none)
		n->read_divergent += nsrc;
	else
		for (unsigned s = 0; s < nsrc; s++)
			n->read[src[s]->divergent ? 0 : src[s]->all]++;
}

/* Each is one value, and they may be different ones. */
static bool several_parts(uint64_t same) { return same & ~PART_LANES((unsigned)__builtin_ctzll(same) / HALF_LANES); }

bool similar_wide_step(struct similar_wide *w, const struct joined *x, struct similar_insn *insn)
{
	const struct scalar_insn *i = &w->code->insn[x->insn];
	const struct similar_operands *o = &w->code->operands[x->insn];
	const uint8_t *reg = w->code->reg + o->first;
	struct similar_insn *n = &insn[x->insn];
	const struct wide_encoding *src[EXEC_SRC_MAX];
	const bool in_part = x->active && !convergent(w, x),
		   divergent = i->control && i->guarded ? w->divergent : in_part;
	bool ok = true;
	enum similar_how h;
	uint64_t same;

	for (unsigned d = 0; in_part && d < o->ndst; d++)
		decompress(&w->reg[reg[o->nsrc + d]], o->dead >> d & 1, n);
	for (unsigned s = 0; s < o->nsrc; s++)
		src[s] = &w->reg[reg[s]];
	h = how(w, x, src, o, &same);
	n->issued++;
	n->divergent += divergent;
	n->how[h]++;
	count_reads(src, o->nsrc, !in_part, n);
	if (!x->active) {
		n->idle++;
		return true;
	}
	w->divergent = divergent;
	for (unsigned p = 0; p < ENCODE_PREDS; p++)
		if (i->writes >> p & 1) {
			w->same[p] = h == SIMILAR_PARTS && several_parts(same) ? 0 : same;
			w->parts[p] = same;
		}
	n->lanes += (unsigned)__builtin_popcountll(x->active);
	n->needed += lanes_needed(h, same, x->active);
	for (unsigned d = 0; d < o->ndst; d++) {
		struct wide_encoding *e = &w->reg[reg[o->nsrc + d]];

		*e = in_part ? encode_some(x, d)
			     : encode_all(x->value[0][d], x->value[1][d], (unsigned)__builtin_popcountll(~w->missing));
		ok &= agrees(h, same, e);
		count_stored(e, n);
	}
	return ok;
}

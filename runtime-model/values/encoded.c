/* Encoded registers: the state and the rules in time (encoded.h). The state is that after the youngest instruction that
 * has issued. The scoreboard keeps the accesses of a register in the order of the program, so that an older instruction
 * finds what was latched for it. */
#include "runtime-model/values/encoded.h"

#include "passes/uniform.h"

struct values *encoded_create(const struct axis_ctx *cx, const struct encoded_policy *policy)
{
	struct values *v = new(cx->arena, struct values);
	const struct params *p = cx->params;

	v->policy = policy;
	v->places = places_of(cx);
	v->st = cx->stats;
	v->arrays = p->rf_arrays;
	v->banks = (struct scalar_banks){ p->rf_banks, p->scalar_banks };
	v->partial = policy->by_lane && p->rf_partial_writes;
	v->half = policy->halves && p->gs_half;
	v->rules = policy->rules & ~(v->half ? 0 : (unsigned)RULE_HALF);
	v->dead = p->gs_moves == 2 ? cx->kernel->uniform : NULL;
	v->insn = scalar_decode(cx->kernel, cx->arena);
	v->tuples = policy->tuples ? affine_decode(cx->kernel, cx->arena) : NULL;
	v->warp = new_array(cx->arena, struct scalar_warp, cx->warps);
	v->entry = new_array(cx->arena, struct entry, v->places.n);
	v->latched = new_array_raw(cx->arena, struct latched_uop, UOP_IDS);
	v->stored = cx->checked ? places_stored(&v->places, cx->arena) : NULL;
	v->held = v->places.by_name ? new_array(cx->arena, struct encoding, v->places.entries) : NULL;
	v->stored_as = v->held && cx->checked ? new_array(cx->arena, struct encoding, v->places.entries) : NULL;
	return v;
}

/* As the warp finds it. What another warp wrote last counts as fresh. */
static struct encoding find(const struct values *v, unsigned warp, unsigned reg)
{
	const unsigned at = places_find(&v->places, warp, reg);

	return at < v->places.n && v->entry[at].owner == warp + 1 ? v->entry[at].e : (struct encoding){ .lanes = 0 };
}

static struct encoding leave(struct values *v, unsigned warp, unsigned reg, struct encoding e)
{
	v->entry[places_find(&v->places, warp, reg)] = (struct entry){ e, (uint16_t)(warp + 1) };
	return e;
}

/* The object says that nobody needs what the other lanes of u->dst[dst] hold. */
static bool others_are_dead(const struct values *v, const struct uop *u, unsigned dst)
{
	return v->dead && !u->apart && v->dead->value[v->dead->at[u->insn] + u->nsrc + dst].dead;
}

/* It executes in some lanes, and writes its results there; one without an active lane does neither. */
static bool writes_in_part(const struct uop *u) { return u->active && !uop_convergent(u); }

bool encoded_move(struct values *v, const struct uop *u, unsigned *reg)
{
	for (unsigned i = 0; writes_in_part(u) && i < u->ndst; i++)
		if (v->policy->compressed(find(v, u->warp, u->dst[i]), v->half) && !others_are_dead(v, u, i)) {
			*reg = u->dst[i];
			return true;
		}
	return false;
}

/* It is executed so. */
static void count(struct values *v, const struct scalar_insn *i, enum scalar_how how)
{
	struct stats *st = v->st;

	switch (how) {
	case HOW_VECTOR:
		break;
	case HOW_SCALAR:
		st->scalar_alu += i->class == SCALAR_ALU;
		st->scalar_sfu += i->class == SCALAR_SFU;
		st->scalar_mem += i->class == SCALAR_MEM;
		break;
	case HOW_LOW:
	case HOW_HIGH:
	case HOW_HALVES:
		st->scalar_half++;
		break;
	case HOW_DIVERGENT:
		st->scalar_divergent++;
		break;
	case HOW_AFFINE:
		st->scalar_affine++;
		break;
	}
}

/* A move decompresses its register, whatever lanes are active. */
static void issue_move(struct values *v, const struct uop *u, struct latched_uop *l)
{
	l->how = HOW_VECTOR;
	l->src[0] = find(v, u->warp, u->src[0]);
	l->dst[0] = leave(v, u->warp, u->dst[0], encoding_plain());
}

const char *encoded_issue(struct values *v, const struct uop *u)
{
	struct latched_uop *l = &v->latched[u->id];
	struct scalar_warp *w = &v->warp[u->warp];
	struct scalar_case c = { .insn = &v->insn[u->insn],
				 .active = u->active,
				 .missing = u->missing,
				 .local = u->local,
				 .n = u->nsrc,
				 .src = l->src };
	bool agrees = true;

	if (u->move) {
		issue_move(v, u, l);
		return NULL;
	}
	for (unsigned i = 0; i < u->nsrc; i++)
		l->src[i] = find(v, u->warp, u->src[i]);
	l->how = (uint8_t)scalar_how(w, &c, v->rules);
	if (l->how == HOW_VECTOR && v->tuples && affine_executes(&v->tuples[u->insn], w, &c, u->sig, u->ndst))
		l->how = HOW_AFFINE;
	v->st->valued_instructions++;
	v->st->divergent_instructions += scalar_divergent(w, &c);
	if (!v->places.by_name) /* else it may be reused, and not executed */
		count(v, c.insn, encoded_how(v, u));
	scalar_issued(w, &c, encoded_how(v, u));
	for (unsigned i = 0; u->active && i < u->ndst; i++) {
		v->st->moves_elided += !v->places.by_name && writes_in_part(u) &&
				       v->policy->compressed(find(v, u->warp, u->dst[i]), v->half);
		agrees &= scalar_agrees(encoded_how(v, u), &u->sig[i]);
		l->dst[i] = leave(v, u->warp, u->dst[i], encoding_of(&u->sig[i], u->active, u->missing));
	}
	if (agrees)
		return NULL;
	return encoded_how(v, u) == HOW_AFFINE
		       ? "is executed by one lane on bases and strides, and a result is not base and stride"
		       : "is executed by one lane for several, and its results in them are not the same";
}

/* One lane executes it for each value that its operands have: they come from base value registers as they are, past the
 * decompressor, and the result is one value, which nothing need compare (G-Scalar section 4.1; 4.2: "the same" for the
 * active lanes). */
static bool by_one_lane(const struct values *v, const struct uop *u)
{
	const enum scalar_how how = encoded_how(v, u);

	return how == HOW_SCALAR || how == HOW_HALVES || how == HOW_DIVERGENT;
}

static void count_read(struct values *v, const struct uop *u, struct encoding e)
{
	struct stats *st = v->st;
	uint64_t *const same[] = { &st->read_same0, &st->read_same1, &st->read_same2, &st->read_same3,
				   &st->read_same4 };

	if (!u->move && writes_in_part(u))
		st->read_divergent++;
	else
		++*same[e.divergent ? 0 : e.all];
	st->decompressions += v->policy->decompressor && v->policy->compressed(e, v->half) && !by_one_lane(v, u);
	st->affine_reads += v->policy->layout == LAYOUT_AFFINE && e.affine;
}

/* A scalar is in a bank of its own. */
static void place_scalar(const struct values *v, struct encoding e, struct bank_access *a)
{
	if (v->policy->layout == LAYOUT_SCALAR && encoding_is_scalar(e))
		scalar_banks_move(&v->banks, a);
}

void encoded_read(struct values *v, const struct uop *u, struct bank_access *a)
{
	for (uint32_t m = a->operands; m; m &= m - 1) {
		const struct encoding e = encoded_source(v, u, (unsigned)__builtin_ctz(m));

		count_read(v, u, e);
		a->arrays = (uint8_t)v->policy->arrays(e, v->half, v->arrays);
		place_scalar(v, e, a);
	}
	v->st->bvr_reads += v->policy->bvr ? 1u + v->half : scalar_banks_has(&v->banks, a);
}

void encoded_write(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a)
{
	const struct encoding e = encoded_result(v, u, dst);
	const bool compresses =
		!u->move && !by_one_lane(v, u) &&
		(v->policy->compressor == COMPRESS_ALL || (v->policy->compressor == COMPRESS_WHOLE && !e.divergent));

	a->arrays =
		(uint8_t)(v->partial && !v->policy->compressed(e, v->half) ? lane_arrays(v->arrays, e.lanes)
									   : v->policy->arrays(e, v->half, v->arrays));
	if (v->held)
		v->held[a->entry * v->banks.main + a->bank] = e;
	place_scalar(v, e, a);
	v->st->stored_bytes += v->policy->bytes(e, v->half);
	v->st->compressions += compresses;
	v->st->delta_compressions += compresses && v->policy->deltas;
	v->st->affine_writes += v->policy->layout == LAYOUT_AFFINE && e.affine;
	v->st->bvr_writes += v->policy->bvr ? 1u + v->half : scalar_banks_has(&v->banks, a);
}

unsigned encoded_lanes(struct values *v, const struct uop *u)
{
	if (v->places.by_name)
		count(v, &v->insn[u->insn], encoded_how(v, u));
	return scalar_lanes(encoded_how(v, u), u->active);
}

/* A register that is read to be compared, or copied, is expanded; a copy is of some lanes, word by word. */
void encoded_compare(struct values *v, const struct uop *u, const struct reuse_access *how, struct bank_access *a)
{
	const struct encoding e = v->held[how->phys], some = { .divergent = 1, .lanes = how->lanes };
	uint64_t *bvr = how->kind == REUSE_MOVE_WRITE ? &v->st->bvr_writes : &v->st->bvr_reads;

	(void)u;
	if (how->kind == REUSE_MOVE_WRITE) {
		v->held[how->phys] = some;
		a->arrays = (uint8_t)(v->partial ? lane_arrays(v->arrays, how->lanes)
						 : v->policy->arrays(some, v->half, v->arrays));
	} else {
		v->st->decompressions += v->policy->decompressor && v->policy->compressed(e, v->half);
		a->arrays = (uint8_t)v->policy->arrays(e, v->half, v->arrays);
		place_scalar(v, e, a);
	}
	*bvr += v->policy->bvr ? 1u + v->half : scalar_banks_has(&v->banks, a);
}

void encoded_warp_exit(struct values *v, unsigned warp)
{
	const unsigned from = v->places.by_name ? warp * PLACES_OF_WARP : 0,
		       to = v->places.by_name ? from + PLACES_OF_WARP : v->places.n;

	v->warp[warp] = (struct scalar_warp){ .divergent = false };
	for (unsigned e = from; e < to; e++)
		if (v->entry[e].owner == warp + 1)
			v->entry[e].owner = 0;
}

/* ---- checked mode ---- */
/* The lane that executes for lane l. */
static unsigned executes(enum scalar_how how, uint32_t active, unsigned l)
{
	switch (how) {
	case HOW_VECTOR:
	case HOW_AFFINE:
		break;
	case HOW_SCALAR:
	case HOW_DIVERGENT:
		return (unsigned)__builtin_ctz(active);
	case HOW_LOW:
		return l < HALF_LANES ? 0 : l;
	case HOW_HIGH:
		return l < HALF_LANES ? l : HALF_LANES;
	case HOW_HALVES:
		return l < HALF_LANES ? 0 : HALF_LANES;
	}
	return l;
}

/* What they have goes to all lanes for which they execute: of a tuple, base and stride. */
static void spread(const struct values *v, const struct uop *u, const uint32_t from[WARP_LANES],
		   uint32_t to[WARP_LANES])
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		to[l] = encoded_how(v, u) == HOW_AFFINE ? from[0] + l * (from[1] - from[0])
							: from[executes(encoded_how(v, u), u->active, l)];
}

/* An access activates the arrays that were touched. Which of fewer and larger ones these are, the model does not
 * say. */
static bool activates(const struct values *v, const struct bank_access *a, unsigned touched)
{
	return v->arrays != BYTE_ARRAYS || (unsigned)__builtin_popcount(touched) <= a->arrays;
}

const char *encoded_store(struct values *v, const struct uop *u, const struct bank_access *a, unsigned dst)
{
	const unsigned phys = scalar_banks_phys(&v->banks, a);
	uint32_t value[WARP_LANES];
	struct stored *r;
	unsigned touched;

	if (phys >= v->places.entries)
		return "there is no such place";
	r = &v->stored[phys];
	if (u->move)
		bytes_load(r, v->policy->layout, encoded_source(v, u, 0), v->half, value);
	else
		spread(v, u, u->dst_value[dst], value);
	touched = bytes_store(r, v->policy->layout, encoded_result(v, u, dst), v->half, value);
	if (v->stored_as)
		v->stored_as[phys] = encoded_result(v, u, dst);
	if (!activates(v, a, touched))
		return "it is written to arrays that are not activated";
	if (!u->move && first_other(value, u->dst_value[dst], u->active) != WARP_LANES)
		return "one lane computes it for others, and it is not theirs";
	return NULL;
}

const char *encoded_deliver(struct values *v, const struct uop *u, const struct bank_access *a, unsigned src,
			    uint32_t lane[WARP_LANES])
{
	const unsigned phys = scalar_banks_phys(&v->banks, a);
	uint32_t value[WARP_LANES];

	if (phys >= v->places.entries)
		return "nothing";
	if (!activates(v, a,
		       bytes_load(&v->stored[phys], v->policy->layout, encoded_source(v, u, src), v->half, value)))
		return "bytes of arrays that are not activated";
	spread(v, u, value, lane);
	return NULL;
}

void encoded_load(const struct values *v, unsigned phys, uint32_t lane[WARP_LANES])
{
	bytes_load(&v->stored[phys], v->policy->layout, v->stored_as[phys], v->half, lane);
}

void encoded_merge(struct values *v, unsigned phys, uint32_t lanes, const uint32_t lane[WARP_LANES])
{
	v->stored_as[phys] = (struct encoding){ .divergent = 1, .lanes = lanes };
	bytes_store(&v->stored[phys], v->policy->layout, v->stored_as[phys], v->half, lane);
}

void encoded_poison(struct values *v, unsigned phys) { bytes_poison(&v->stored[phys], phys); }

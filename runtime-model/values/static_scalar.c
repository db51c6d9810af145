/* Scalar registers and scalar execution by what the compiler proved (passes/uniform.h), in place of hardware that
 * compares lanes: no compressors, no comparators, no cycles more. One lane executes an instruction all of whose inputs
 * are uniform over the lanes that execute it, in whatever unit. A result that is uniform goes to a register file for
 * scalars, of params.scalar_banks banks behind the main ones, if no lane beside those that write needs what the
 * register held: all come to the instruction together and none is held back by its guard, or the others are dead. One
 * bit an entry says where it is, which a read finds as it finds its encoding in G-Scalar; a write that leaves other
 * lanes of a scalar register alone needs a move before, which makes a vector of it.
 * docs/SCALAR_FILES.md#static-scalars. */
#include "analyzer/elf/rlo.h"
#include "passes/uniform.h"
#include "runtime-model/core/encode.h"
#include "runtime-model/values/places.h"
#include "runtime-model/values/scalar_banks.h"

#include <string.h>

/* lanes: that execute; one: the first active one, for all; bits: sources and results in the file for scalars */
struct latched_insn {
	uint8_t lanes;
	bool one;
	uint32_t src, dst;
};

struct values {
	struct places places;
	struct stats *st;
	const struct uniform *u;
	const struct scalar_insn *insn;
	struct scalar_warp *warp;
	uint8_t *code; /* by instruction: ONE_LANE, ALL_LANES */
	struct scalar_banks banks;
	bool elide;
	/* by place: the warp whose scalar it holds, + 1; 0: it is a vector, or nothing */
	uint16_t *scalar;
	struct latched_insn *latched; /* by uop.id */
	struct stored *stored;        /* in checked mode, by physical register */
};

/* its inputs are uniform; it writes all lanes of a full warp, or none */
enum { ONE_LANE = 1, ALL_LANES = 2 };

static struct values *create(const struct axis_ctx *cx)
{
	struct values *v = new(cx->arena, struct values);
	const struct kernel *k = cx->kernel;

	*v = (struct values){ .places = places_of(cx),
			      .st = cx->stats,
			      .u = k->uniform,
			      .insn = scalar_decode(k, cx->arena),
			      .banks = { cx->params->rf_banks, cx->params->scalar_banks },
			      .elide = cx->params->gs_moves == 2 };
	v->warp = new_array(cx->arena, struct scalar_warp, cx->warps);
	v->scalar = new_array(cx->arena, uint16_t, v->places.n);
	v->latched = new_array_raw(cx->arena, struct latched_insn, UOP_IDS);
	v->stored = cx->checked ? places_stored(&v->places, cx->arena) : NULL;
	v->code = new_array(cx->arena, uint8_t, (size_t)k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		v->code[i] = uniform_inputs(v->u, i) != UNIFORM_NOT && v->insn[i].class != SCALAR_NEVER ? ONE_LANE : 0;
		if (v->u->flags[i] & UNIFORM_CONVERGENT && uniform_guard(v->u, i) != UNIFORM_NOT)
			v->code[i] |= ALL_LANES;
	}
	return v;
}

static uint16_t *place(const struct values *v, const struct uop *u, unsigned reg)
{
	return &v->scalar[places_find(&v->places, u->warp, reg)];
}

static bool is_scalar(const struct values *v, const struct uop *u, unsigned reg)
{
	const unsigned at = places_find(&v->places, u->warp, reg);

	return at < v->places.n && v->scalar[at] == u->warp + 1;
}

/* All lanes of the warp execute it, as far as the code says. */
static bool all_lanes(const struct values *v, const struct uop *u) { return v->code[u->insn] & ALL_LANES && !u->apart; }

static const struct uniform_value *result(const struct values *v, const struct uop *u, unsigned dst)
{
	return &v->u->value[v->u->at[u->insn] + u->nsrc + dst];
}

static bool move(struct values *v, const struct uop *u, unsigned *reg)
{
	for (unsigned d = 0; u->active && !all_lanes(v, u) && d < u->ndst; d++)
		if (is_scalar(v, u, u->dst[d]) && !(v->elide && !u->apart && result(v, u, d)->dead)) {
			*reg = u->dst[d];
			return true;
		}
	return false;
}

static void count(struct values *v, const struct uop *u, const struct scalar_case *c, bool scalar)
{
	const bool divergent = scalar_divergent(&v->warp[u->warp], c);

	v->st->valued_instructions++;
	v->st->divergent_instructions += divergent;
	v->st->scalar_divergent += scalar && divergent;
	v->st->scalar_alu += scalar && !divergent && c->insn->class == SCALAR_ALU;
	v->st->scalar_sfu += scalar && !divergent && c->insn->class == SCALAR_SFU;
	v->st->scalar_mem += scalar && !divergent && c->insn->class == SCALAR_MEM;
	scalar_issued(&v->warp[u->warp], c, HOW_VECTOR);
}

static const char *issue(struct values *v, const struct uop *u)
{
	struct latched_insn *l = &v->latched[u->id];
	const struct scalar_case c = {
		.insn = &v->insn[u->insn], .active = u->active, .missing = u->missing, .local = u->local
	};
	const bool scalar = !u->move && u->active && !u->local && v->code[u->insn] & ONE_LANE;
	bool agrees = true;

	*l = (struct latched_insn){ .lanes = (uint8_t)(scalar ? 1 : __builtin_popcount(u->active)), .one = scalar };
	for (unsigned s = 0; s < u->nsrc; s++)
		l->src |= (uint32_t)is_scalar(v, u, u->src[s]) << s;
	if (u->move) {
		*place(v, u, u->dst[0]) = 0;
		return NULL;
	}
	count(v, u, &c, scalar);
	for (unsigned d = 0; u->active && d < u->ndst; d++) {
		const struct uniform_value *x = result(v, u, d);
		const bool to_scalar = x->level != UNIFORM_NOT && (all_lanes(v, u) || (x->dead && !u->apart));

		v->st->moves_elided += !all_lanes(v, u) && is_scalar(v, u, u->dst[d]);
		l->dst |= (uint32_t)to_scalar << d;
		*place(v, u, u->dst[d]) = to_scalar ? (uint16_t)(u->warp + 1) : 0;
		agrees &= (!scalar && !to_scalar) || u->sig[d].same_active == SAME_ALL;
	}
	return agrees ? NULL : "is proved to have one result in all lanes, and has several";
}

static void read_access(struct values *v, const struct uop *u, struct bank_access *a)
{
	const unsigned s = a->operands ? (unsigned)__builtin_ctz(a->operands) : 0;

	if (!a->operands || !(v->latched[u->id].src >> s & 1))
		return;
	scalar_banks_move(&v->banks, a);
	v->st->bvr_reads++;
}

static void write_access(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a)
{
	if (!(v->latched[u->id].dst >> dst & 1))
		return;
	scalar_banks_move(&v->banks, a);
	v->st->bvr_writes++;
}

static unsigned lanes(struct values *v, const struct uop *u) { return v->latched[u->id].lanes; }

static void warp_exit(struct values *v, unsigned warp)
{
	v->warp[warp] = (struct scalar_warp){ .divergent = false };
	for (unsigned e = 0; e < v->places.n; e++)
		if (v->scalar[e] == warp + 1)
			v->scalar[e] = 0;
}

/* ---- checked mode ---- */
/* Lane by lane, or in the file for scalars. */
static struct encoding encoding(bool scalar, uint32_t lanes)
{
	return scalar ? (struct encoding){ .all = SAME_ALL, .lanes = UINT32_MAX }
		      : (struct encoding){ .divergent = 1, .lanes = lanes };
}

static const char *store(struct values *v, const struct uop *u, const struct bank_access *a, unsigned dst)
{
	const struct latched_insn *l = &v->latched[u->id];
	const unsigned phys = scalar_banks_phys(&v->banks, a);
	const bool scalar = l->dst >> dst & 1;
	uint32_t value[WARP_LANES];

	if (phys >= v->places.entries)
		return "there is no such place";
	if (u->move)
		bytes_load(&v->stored[phys], LAYOUT_SCALAR, encoding(l->src & 1, 0), false, value);
	else if (l->one || scalar)
		spread_one(u->dst_value[dst], (unsigned)__builtin_ctz(u->active), value);
	else
		memcpy(value, u->dst_value[dst], sizeof value);
	bytes_store(&v->stored[phys], LAYOUT_SCALAR, encoding(scalar, u->move ? UINT32_MAX : u->active), false, value);
	if (!u->move && first_other(value, u->dst_value[dst], u->active) != WARP_LANES)
		return "one lane's value is stored for others, and it is not theirs";
	return NULL;
}

static const char *deliver(struct values *v, const struct uop *u, const struct bank_access *a, unsigned src,
			   uint32_t lane[WARP_LANES])
{
	const struct latched_insn *l = &v->latched[u->id];
	const unsigned phys = scalar_banks_phys(&v->banks, a);
	uint32_t value[WARP_LANES];

	if (phys >= v->places.entries)
		return "nothing";
	bytes_load(&v->stored[phys], LAYOUT_SCALAR, encoding(l->src >> src & 1, 0), false, value);
	if (l->one)
		spread_one(value, (unsigned)__builtin_ctz(u->active), lane);
	else
		memcpy(lane, value, sizeof value);
	return NULL;
}

static void poison(struct values *v, unsigned phys) { bytes_poison(&v->stored[phys], phys); }

static const char *const parameters[] = { "gs_moves", "scalar_banks", NULL };

const struct values_ops static_scalar_values = {
	.name = "static-scalar",
	.source = "docs/SCALAR_FILES.md#static-scalars: what the compiler proved in place of what hardware detects",
	.parameters = parameters,
	.needs_anno = ANNO_SCALAR,
	.needs_record = WANT_SIG,
	.scalar_banks = true,
	.storage = scalar_banks_storage,
	.create = create,
	.issue = issue,
	.read = read_access,
	.write = write_access,
	.move = move,
	.lanes = lanes,
	.warp_exit = warp_exit,
	.store = store,
	.deliver = deliver,
	.poison = poison,
};

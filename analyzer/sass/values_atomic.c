/* Atomics and reductions of machine code in rows of PTX, and the query for the space of a generic address.
 *
 * A vector is an element after the other. A predicate result of ATOM says that the access has been made: not in local
 * memory, where code goes on with a load and a store (ptxas also expects that of some types in shared memory, which
 * here are as atomic as in global memory). CAST.SPIN is a compare-and-swap that only says whether it swapped: 1 or 0 in
 * its register, or a predicate. */
#include "analyzer/sass/values_memory.h"

#include <string.h>

/* ---- which operation ---- */
struct operation {
	const char *name, *type;
	enum op atom, red; /* red: OP_COUNT, there is none */
	bool wide;
};
#define BOTH(id) OP_ATOM_##id, OP_RED_##id
static const struct operation operations[] = {
	{ "ADD", "", BOTH(ADD_U32), false },
	{ "ADD", "S32", BOTH(ADD_S32), false },
	{ "ADD", "64", BOTH(ADD_U64), true },
	{ "ADD", "F32.FTZ.RN", BOTH(ADD_F32), false },
	{ "ADD", "F64.RN", BOTH(ADD_F64), true },
	{ "ADD", "F16x2.RN", BOTH(ADD_F16X2), false },
	{ "ADD", "BF16x2.RN", BOTH(ADD_BF16X2), false },
	{ "MIN", "F16x2.RN", BOTH(MIN_F16X2), false },
	{ "MIN", "BF16x2.RN", BOTH(MIN_BF16X2), false },
	{ "MAX", "F16x2.RN", BOTH(MAX_F16X2), false },
	{ "MAX", "BF16x2.RN", BOTH(MAX_BF16X2), false },
	{ "MIN", "", BOTH(MIN_U32), false },
	{ "MIN", "S32", BOTH(MIN_S32), false },
	{ "MIN", "64", BOTH(MIN_U64), true },
	{ "MIN", "S64", BOTH(MIN_S64), true },
	{ "MAX", "", BOTH(MAX_U32), false },
	{ "MAX", "S32", BOTH(MAX_S32), false },
	{ "MAX", "64", BOTH(MAX_U64), true },
	{ "MAX", "S64", BOTH(MAX_S64), true },
	{ "INC", "", BOTH(INC_U32), false },
	{ "DEC", "", BOTH(DEC_U32), false },
	{ "AND", "", BOTH(AND_B32), false },
	{ "AND", "64", BOTH(AND_B64), true },
	{ "OR", "", BOTH(OR_B32), false },
	{ "OR", "64", BOTH(OR_B64), true },
	{ "XOR", "", BOTH(XOR_B32), false },
	{ "XOR", "64", BOTH(XOR_B64), true },
	{ "EXCH", "", OP_ATOM_EXCH_B32, OP_COUNT, false },
	{ "EXCH", "64", OP_ATOM_EXCH_B64, OP_COUNT, true },
	{ "CAS", "", OP_ATOM_CAS_B32, OP_COUNT, false },
	{ "CAS", "64", OP_ATOM_CAS_B64, OP_COUNT, true },
	{ "CAST.SPIN", "", OP_ATOM_CAS_B32, OP_COUNT, false },
	{ "CAST.SPIN", "64", OP_ATOM_CAS_B64, OP_COUNT, true },
	{ "POPC.INC.32", "", BOTH(ADD_U32), false },
	{ "ARRIVE", "64", OP_SASS_ARRIVE, OP_COUNT, true },
};
#undef BOTH

/* Vectors, by their elements. */
static const struct {
	const char *type, *element;
	unsigned n;
} vectors[] = {
	{ "F16x4.RN", "F16x2.RN", 2 },   { "F16x8.RN", "F16x2.RN", 4 },   { "BF16x4.RN", "BF16x2.RN", 2 },
	{ "BF16x8.RN", "BF16x2.RN", 4 }, { "F32x2.RN", "F32.FTZ.RN", 2 }, { "F32x4.RN", "F32.FTZ.RN", 4 },
};

static const char *operation_name(const struct one *o)
{
	static const char *const field[] = { "atomop", "redop", "atomfop", "cast" };

	for (unsigned n = 0; n < sizeof field / sizeof *field; n++)
		if (sass_mod(o->s, field[n]) >= 0)
			return one_named(o, field[n]);
	return sass_mod(o->s, "castype") >= 0 ? "CAS" : "ADD";
}

static const char *type_name(const struct one *o)
{
	static const char *const field[] = { "atomtype", "redtype", "atomf", "castype" };

	for (unsigned n = 0; n < sizeof field / sizeof *field; n++)
		if (sass_mod(o->s, field[n]) >= 0)
			return one_named(o, field[n]);
	return "?";
}

static const struct operation *find_operation(const char *name, const char *type)
{
	for (unsigned n = 0; n < sizeof operations / sizeof *operations; n++)
		if (strcmp(operations[n].name, name) == 0 && strcmp(operations[n].type, type) == 0)
			return &operations[n];
	return NULL;
}

/* ---- one element ---- */
static struct ref operand(const struct one *o, enum sass_role r, const struct operation *as, unsigned part)
{
	const unsigned pair = r == SROLE_B ? 1 : 2;

	return as->wide ? one_pair(o, r, pair) : one_bits32(o, one_role(o, r), part);
}

/* Element number `part` at address `at`, its old value into d, under a guard of its own. */
static void put_element(const struct one *o, const struct operation *as, struct ref d, struct ref at, unsigned part,
			struct ref guard)
{
	const bool returns = d.kind == REF_REG || as->red == OP_COUNT;
	struct ref src[3] = { at };
	unsigned nsrc = 1;
	struct insn *x;

	src[nsrc++] = one_role(o, SROLE_B) ? operand(o, SROLE_B, as, part) : one_imm(o, 1);
	if (one_role(o, SROLE_C))
		src[nsrc++] = operand(o, SROLE_C, as, part);
	x = one_row(o, returns ? as->atom : as->red, &d, returns, src, nsrc);
	memory_describe(o, x, 1);
	x->offset += (int32_t)part * 4;
	x->guard = guard;
}

static bool swaps(const struct operation *as) { return as->atom == OP_ATOM_CAS_B32 || as->atom == OP_ATOM_CAS_B64; }

/* Whether the element is understood besides its operation. */
static bool is_known(const struct one *o, const struct operation *as)
{
	const struct sass_operand *d = one_role(o, SROLE_D);

	if (swaps(as) != (one_role(o, SROLE_C) != NULL))
		return false;
	return one_role(o, SROLE_B) || as->atom == OP_SASS_ARRIVE ||
	       (strcmp(as->name, "POPC.INC.32") == 0 && d && d->reg == SASS_ZERO);
}

/* CAST.SPIN: whether the old value is what it was compared with. */
static void put_success(const struct one *o, const struct operation *as, struct ref old)
{
	const struct ref p = one_result(o, SROLE_PD, 0), want = operand(o, SROLE_B, as, 0),
			 swapped = p.kind == REF_REG ? p : one_flag(0);

	one_put2(o, as->wide ? OP_SETP_EQ_B64 : OP_SETP_EQ_B32, swapped, old, want);
	if (as->wide)
		one_put3(o, OP_SELP_B64, one_pair_result(o, SROLE_D, 0, 0), one_imm(o, 1), one_imm(o, 0), swapped);
	else
		one_put3(o, OP_SELP_B32, one_result(o, SROLE_D, 0), one_imm(o, 1), one_imm(o, 0), swapped);
}

/* The predicate of ATOM, which then guards the access: the address is not in local memory. */
static struct ref put_made(const struct one *o, struct ref at)
{
	struct ref p = one_result(o, SROLE_PD, 0), sum = at;

	if (p.kind != REF_REG)
		return ref_none();
	if (memory_space_of(o) == SP_GENERIC) {
		if (o->s->imm) {
			sum = one_wide(3);
			one_put2(o, OP_ADD_S64, sum, at, one_imm(o, (uint64_t)o->s->imm));
		}
		one_put1(o, OP_ISSPACEP_LOCAL, one_flag(1), sum);
		one_put1(o, OP_NOT_PRED, p, one_flag(1));
	} else {
		one_put1(o, OP_MOV_PRED, p, one_imm(o, 1));
	}
	return p;
}

static void put_vector(const struct one *o, const struct operation *as, unsigned n, struct ref at, struct ref guard)
{
	for (unsigned part = 0; part < n; part++) {
		const struct ref d = one_result(o, SROLE_D, part);
		const struct ref old = d.kind == REF_REG && part + 1 < n ? one_word(1 + part) : d;

		put_element(o, as, old, at, part, guard);
	}
	for (unsigned part = 0; part + 1 < n; part++) {
		struct insn *x = one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, part), one_word(1 + part));

		if (x)
			x->guard = guard;
	}
}

void sem_atomic(const struct one *o)
{
	const char *name = operation_name(o), *type = type_name(o);
	const struct operation *as;
	struct ref at, old, guard;
	unsigned n = 1;

	for (unsigned v = 0; v < sizeof vectors / sizeof *vectors; v++)
		if (strcmp(vectors[v].type, type) == 0) {
			n = vectors[v].n;
			type = vectors[v].element;
		}
	as = find_operation(name, type);
	if (!as || !is_known(o, as)) {
		one_refuse(o, "this operation and type are not known");
		return;
	}
	at = memory_address(o);
	if (strcmp(name, "CAST.SPIN") == 0) {
		old = as->wide ? one_wide(3) : one_word(1);
		put_element(o, as, old, at, 0, ref_none());
		put_success(o, as, old);
		return;
	}
	guard = put_made(o, at);
	if (n > 1)
		put_vector(o, as, n, at, guard);
	else
		put_element(o, as, as->wide ? one_pair_result(o, SROLE_D, 0, 0) : one_result(o, SROLE_D, 0), at, 0,
			    guard);
}

/* ARRIVES.LDGSTSBAR: the copies before it, which have been made, arrive at an mbarrier object. From sm_90 on those are
 * another unit's. */
void sem_arrival(const struct one *o)
{
	const struct ref none = ref_none();
	struct ref src[2];

	if (o->v->k->native->sm >= 90) {
		one_refuse(o, "it belongs to the asynchronous units of Hopper and Blackwell");
		return;
	}
	src[0] = memory_address(o);
	src[1] = one_imm(o, 1);
	memory_describe(o, one_row(o, OP_SASS_ARRIVE, &none, 1, src, 2), 1);
}

/* ---- spaces ---- */
/* A predicate: a generic address is in shared memory, that of the own CTA (S) or of any of the cluster, in local memory
 * (L), or in neither (G). */
void sem_space(const struct one *o)
{
	const char *which = one_named(o, "qspc");
	const struct ref p = one_result(o, SROLE_PD, 0);
	struct ref at = memory_address(o);

	if (o->s->imm) {
		one_put2(o, OP_ADD_S64, one_wide(1), at, one_imm(o, (uint64_t)o->s->imm));
		at = one_wide(1);
	}
	if (strcmp(which, "L") == 0) {
		one_put1(o, OP_ISSPACEP_LOCAL, p, at);
	} else if (strcmp(which, "G") == 0) {
		one_put1(o, OP_SASS_QSPC_GLOBAL, p, at);
	} else if (strcmp(which, "CLUSTER") == 0) {
		one_put1(o, OP_SASS_QSPC_CLUSTER, p, at);
	} else {
		one_put1(o, OP_MOV_B32, one_word(0), (struct ref){ .kind = REF_SREG, .val = SREG_CLUSTER_CTARANK });
		one_put1(o, OP_CVT_U64_U32, one_wide(2), one_word(0));
		one_put2(o, OP_SASS_QSPC_SHARED, p, at, one_wide(2));
	}
}

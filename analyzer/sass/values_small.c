/* Minima, maxima and narrower numbers of machine code in rows of PTX. Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_one.h"

#include <string.h>

/* ---- minima ---- */
/* The names that rows have: "" is s32. */
static const char *type_of(const struct one *o)
{
	static const char *const field[] = { "vminmax", "vaddmm" };
	const char *name;

	if (sass_has(o->s, "64"))
		return sass_mod(o->s, "u32") == 1 ? "s64" : "u64";
	if (sass_mod(o->s, "u32") >= 0)
		return sass_mod(o->s, "u32") == 1 ? "s32" : "u32";
	for (unsigned n = 0; n < sizeof field / sizeof *field; n++)
		if (sass_mod(o->s, field[n]) >= 0) {
			name = one_named(o, field[n]);
			if (!*name)
				return "s32";
			return arena_printf(o->v->to->a, "%c%s", *name == 'U' ? 'u' : 's', name + 1);
		}
	return "?";
}

/* d = the lesser one of a and b where pp, else the greater one; UNIT: of words or pairs */
static void put_least(const struct one *o, struct ref d, struct ref a, struct ref b, const char *type, bool relu)
{
	const struct ref pp = one_predicate(o, SROLE_PP);
	const bool wide = strcmp(type + 1, "64") == 0;
	const enum op min = one_op(o, "min%s.%s", relu ? ".relu" : "", type),
		      max = one_op(o, "max%s.%s", relu ? ".relu" : "", type);
	const struct ref less = wide ? one_wide(1) : one_word(1), more = wide ? one_wide(2) : one_word(2);

	if (one_is_number(o, pp, 1)) {
		one_put2(o, min, d, a, b);
	} else if (one_is_number(o, pp, 0)) {
		one_put2(o, max, d, a, b);
	} else if (one_steps(o)) {
		one_put2(o, min, less, a, b);
		one_put2(o, max, more, a, b);
		one_put3(o, wide ? OP_SELP_B64 : OP_SELP_B32, d, less, more, pp);
	}
}

static bool two_halves(const char *type) { return strcmp(type + 1, "16x2") == 0; }

/* VIADDMNMX: a + b or a - b first. */
static void least_of_sum(const struct one *o, const char *type, bool relu)
{
	const struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B);
	const bool minus = one_negated(o, SROLE_B);

	if (two_halves(type))
		one_put2(o, minus ? OP_SASS_SUB_16X2 : OP_ADD_16X2, one_word(0), a, b);
	else
		one_put_sum(o, one_word(0), a, false, b, minus);
	put_least(o, one_result(o, SROLE_D, 0), one_word(0), one_source(o, SROLE_C), type, relu);
}

/* VIMNMX of two halves: where the result is that of a, the lower one first. */
static void least_and_which(const struct one *o, const char *type)
{
	const struct ref a = one_source(o, SROLE_A);

	put_least(o, one_word(3), a, one_source(o, SROLE_B), type, false);
	one_put2(o, OP_XOR_B32, one_word(4), one_word(3), a);
	one_put2(o, OP_SETP_EQ_B16, one_result(o, SROLE_PD, 0), one_word(4), one_imm(o, 0));
	one_put2(o, OP_SETP_LT_U32, one_result(o, SROLE_PE, 0), one_word(4), one_imm(o, 0x10000));
	one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, 0), one_word(3));
}

void sem_least(const struct one *o)
{
	const char *type = type_of(o);
	const bool relu = sass_mod(o->s, "relu76") > 0, narrow = strcmp(type + 1, "32") == 0;
	struct ref d = one_result(o, SROLE_D, 0);

	if (!one_steps(o) && (!narrow || relu || one_predicate(o, SROLE_PP).kind != REF_IMM))
		return;
	if (one_result(o, SROLE_PD, 0).kind == REF_REG || one_result(o, SROLE_PE, 0).kind == REF_REG) {
		if (two_halves(type) && !relu)
			least_and_which(o, type);
		else
			one_refuse(o, "which input won is not understood");
		return;
	}
	if (o->s->row->base == 0x046) {
		least_of_sum(o, type, relu);
	} else if (sass_has(o->s, "64")) {
		d = one_pair_result(o, SROLE_D, 0, 0);
		put_least(o, d, one_pair(o, SROLE_A, 0), one_pair(o, SROLE_B, 1), type, relu);
		one_put_pair(o, SROLE_D, 0, d);
	} else if (one_role(o, SROLE_C)) {
		put_least(o, one_word(0), one_source(o, SROLE_A), one_source(o, SROLE_B), type, false);
		put_least(o, d, one_word(0), one_source(o, SROLE_C), type, relu);
	} else {
		put_least(o, d, one_source(o, SROLE_A), one_source(o, SROLE_B), type, relu);
	}
}

/* ---- narrower numbers ---- */
/* The name of a field of types as rows write it: "s8" of "S8". */
static const char *small_type(const struct one *o, const char *field)
{
	const char *name = one_named(o, field);

	return arena_printf(o->v->to->a, "%c%s", *name == 'U' ? 'u' : 's', *name ? name + 1 : "");
}

void sem_saturate(const struct one *o)
{
	one_put1(o, one_op(o, "cvt.sat.%s.s32", small_type(o, "i2i")), one_result(o, SROLE_D, 0),
		 one_source(o, SROLE_B));
}

/* a and b, a above b, above what is left of c. Before sm_90 there is no .SAT in the code, and it saturates. */
void sem_pack(const struct one *o)
{
	const char *type = small_type(o, "i2ip");
	const bool upper = sass_mod(o->s, "half72") == 1; /* 2 and 3: of 4 and 2 bits */
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   d = one_result(o, SROLE_D, 0);

	if (upper) {
		one_put2(o, OP_SHR_U32, one_word(0), c, one_imm(o, 16));
		c = one_word(0);
	}
	if (upper && strcmp(type + 1, "8") != 0)
		one_refuse(o, "its third operand is not understood");
	else if (sass_mod(o->s, "i2ipsat") != (o->v->k->native->sm >= 90))
		one_refuse(o, "what it does without .SAT is not known");
	else if (strcmp(type + 1, "16") != 0)
		one_put3(o, one_op(o, "cvt.pack.sat.%s.s32.b32", type), d, a, b, c);
	else if (!one_is_zero(o, c))
		one_refuse(o, "its third operand is not understood");
	else
		one_put2(o, one_op(o, "cvt.pack.sat.%s.s32", type), d, a, b);
}

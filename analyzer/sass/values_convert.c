/* Conversions of machine code in rows of PTX: the row is found by its name in PTX, made of the instruction's fields.
 * Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_fp.h"

#include <string.h>

/* Fields of types, by value. */
static const char *const integers[] = { "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64" };
static const char *const floats[] = { "?", "f16", "f32", "f64", "bf16" };
static const char *const roundings[ROUNDINGS] = { "rn", "rm", "rp", "rz" };
static const char *const integral[ROUNDINGS] = { "rni", "rmi", "rpi", "rzi" };

static const char *named(const struct one *o, const char *field, const char *const *names, unsigned n)
{
	const int at = sass_mod(o->s, field);

	if (at >= 0 && at < (int)n)
		return names[at];
	one_refuse(o, "what it converts is not known");
	return "?";
}

#define NAMED(o, field, names) named(o, field, names, sizeof(names) / sizeof *(names))

static bool is_wide(const char *type) { return strstr(type, "64") != NULL; }
static bool is_half(const char *type) { return strstr(type, "f16") != NULL; }

/* ---- operands ---- */
/* Source b of 64 bits, whose immediate is the upper word. */
static struct ref wide_source(const struct one *o)
{
	const struct sass_operand *x = one_role(o, SROLE_B);

	return x && x->kind == SASS_INT ? one_imm(o, x->value << 32) : one_pair(o, SROLE_B, 0);
}

/* Source b of a type of floats, with its sign. */
static struct ref float_source(const struct one *o, const char *type)
{
	const struct sass_operand *x = one_role(o, SROLE_B);
	const bool upper = sass_mod(o->s, "half60") > 0;
	struct ref v;

	if (is_wide(type)) {
		v = wide_source(o);
		if (x && (x->abs || x->neg) && v.kind == REF_IMM)
			one_refuse(o, "the sign of a number");
		if (x && x->abs) {
			one_put1(o, OP_ABS_F64, one_wide(0), v);
			v = one_wide(0);
		}
		if (x && x->neg) {
			one_put1(o, OP_NEG_F64, one_wide(0), v);
			v = one_wide(0);
		}
		return v;
	}
	v = fp_value(o, SROLE_B, is_half(type) ? FP_16X2 : FP_32, 0);
	if (!upper)
		return v;
	if (!is_half(type))
		one_refuse(o, "half of a float");
	one_put2(o, OP_SHR_U32, one_word(0), v, one_imm(o, 16));
	return one_word(0);
}

/* Source b of a type of integers, of which one byte or half is chosen. */
static struct ref integer_source(const struct one *o, const char *type)
{
	const int part = sass_mod(o->s, "byte60");
	struct ref v = is_wide(type) ? wide_source(o) : one_source(o, SROLE_B);
	const unsigned bits = strstr(type, "8") ? 8 : 16;

	if (part <= 0)
		return v;
	one_put2(o, OP_SHR_U32, one_word(0), v, one_imm(o, bits * (unsigned)part));
	return one_word(0);
}

static void put(const struct one *o, enum op op, const char *type, struct ref v)
{
	struct ref d = is_wide(type) ? one_pair_result(o, SROLE_D, 0, 3) : one_result(o, SROLE_D, 0);

	fp_put(o, op, d, 1, v, ref_none(), ref_none());
	if (is_wide(type))
		one_put_pair(o, SROLE_D, 0, d);
}

/* ---- one number ---- */
/* .NTZ: a NaN gives 0; else 1 in the top place: as PTX has it of up to 32 bits, and where either side has 64. */
void sem_to_integer(const struct one *o)
{
	const char *to = NAMED(o, "f2id", integers), *from = NAMED(o, "f2is", floats),
		   *how = NAMED(o, "f2irnd", integral);
	const bool zero = sass_mod(o->s, "f2intz") > 0;

	if (zero == (is_wide(to) || is_wide(from))) {
		one_refuse(o, "what it makes of a NaN is not known");
		return;
	}
	put(o, one_op(o, "cvt.%s.%s.%s", how, to, from), to, float_source(o, from));
}

void sem_from_integer(const struct one *o)
{
	const char *to = NAMED(o, "i2fd", floats), *from = NAMED(o, "i2fs", integers),
		   *how = NAMED(o, "rnd", roundings);
	struct ref v = integer_source(o, from);

	if (strcmp(to, "bf16") == 0 && from[1] == '8') { /* which PTX does not have */
		one_put1(o, one_op(o, "cvt.%c32.%s", *from, from), one_word(1), v);
		from = *from == 'u' ? "u32" : "s32";
		v = one_word(1);
	}
	put(o, one_op(o, "cvt.%s.%s.%s", how, to, from), to, v);
}

void sem_from_word(const struct one *o)
{
	const char *to = NAMED(o, "i2fpd", floats), *from = NAMED(o, "i2fps", integers),
		   *how = NAMED(o, "rnd", roundings);

	put(o, one_op(o, "cvt.%s.%s.%s", how, to, from), to, one_source(o, SROLE_B));
}

void sem_to_integral(const struct one *o)
{
	const char *type = NAMED(o, "frnd", floats), *how = NAMED(o, "f2irnd", integral);

	put(o, one_op(o, "cvt.%s.%s.%s", how, type, type), type, float_source(o, type));
}

/* 0x104: up to 32 bits; 0x110: 64 on one side. */
void sem_float_to_float(const struct one *o)
{
	const bool narrow = o->s->row->base == 0x104;
	const char *to = NAMED(o, narrow ? "f2fd" : "cvtd", floats), *from = NAMED(o, narrow ? "f2fs" : "cvts", floats),
		   *how = NAMED(o, "rnd", roundings);
	const bool exact = strcmp(to, from) == 0 || (is_half(from) && !is_half(to)) || strcmp(to, "f64") == 0;

	if (exact)
		put(o, one_op(o, "cvt.%s.%s", to, from), to, float_source(o, from));
	else
		put(o, one_op(o, "cvt.%s.%s.%s", how, to, from), to, float_source(o, from));
}

/* ---- packed ---- */
/* The destination's type, and how many bits a pair of it has. */
static const char *const small[16] = { "f16",  "bf16", "?", "e2m1", "?",     "tf32", "e2m3", "e3m2",
				       "e5m2", "e4m3", "?", "?",    "ue8m0", "?",    "?",    "?" };
/* and the source's */
static const char *const small_source[16] = { "?", "f16",  "e5m2", "e4m3",  "?", "e2m1", "e2m3", "e3m2",
					      "?", "bf16", "?",    "ue8m0", "?", "?",    "?",    "?" };

static const char *modifiers(const struct one *o)
{
	static const char *const names[2][2] = { { "", ".satfinite" }, { ".relu", ".relu.satfinite" } };

	return names[sass_mod(o->s, "f2fprelu") > 0][sass_mod(o->s, "f2fpsat") > 0];
}

static const char *rounding(const struct one *o)
{
	return sass_mod(o->s, "rnd81") < 0 ? roundings[FP_RN] : NAMED(o, "rnd81", roundings);
}

/* Two floats to a pair, a above b; or one, into the lower half. */
static void pack(const struct one *o, const char *to, struct ref d)
{
	struct ref a, b = fp_value(o, SROLE_B, FP_32, 1);

	if (!one_role(o, SROLE_A)) {
		one_put1(o, one_op(o, "cvt.%s%s.%s.f32", rounding(o), modifiers(o), to), d, b);
		return;
	}
	a = fp_value(o, SROLE_A, FP_32, 0);
	one_put2(o, one_op(o, "cvt.%s%s.%sx2.f32", rounding(o), modifiers(o), to), d, a, b);
}

/* d = what is in word 3, below c. */
static void merge(const struct one *o, const char *to)
{
	const unsigned bits = strcmp(to, "e2m1") == 0 ? 8 : 16;

	one_put2(o, OP_SHL_B32, one_word(4), one_source(o, SROLE_C), one_imm(o, bits));
	one_put2(o, OP_OR_B32, one_result(o, SROLE_D, 0), one_word(3), one_word(4));
}

/* Two small numbers, of a half or a byte of b, to two of 16 bits. */
static void unpack(const struct one *o, const char *to)
{
	const char *from = NAMED(o, "f2fpsrc", small_source);
	const unsigned part = strcmp(from, "e2m1") == 0 ? 8 : 16,
		       of = (sass_mod(o->s, "f2fph88") > 0 ? 16u : 0) + (sass_mod(o->s, "f2fp72") > 0 ? 8u : 0);
	struct ref b = one_source(o, SROLE_B);

	if (of % part) {
		one_refuse(o, "a byte of a pair of bytes");
		return;
	}
	if (of) {
		one_put2(o, OP_SHR_U32, one_word(0), b, one_imm(o, of));
		b = one_word(0);
	}
	one_put1(o, one_op(o, "cvt.rn%s.%sx2.%sx2", modifiers(o), to, from), one_result(o, SROLE_D, 0), b);
}

/* Two of 16 bits to two small ones. */
static void repack(const struct one *o, const char *to, struct ref d)
{
	const char *from = NAMED(o, "f2fppair", small_source);

	one_put1(o, one_op(o, "cvt.%s%s.%sx2.%sx2", rounding(o), modifiers(o), to, from), d, one_source(o, SROLE_B));
}

void sem_pack_floats(const struct one *o)
{
	const char *to = NAMED(o, "f2fpdst", small);
	const bool merges = one_role(o, SROLE_C) && !one_is_zero(o, one_source(o, SROLE_C));
	struct ref d = merges ? one_word(3) : one_result(o, SROLE_D, 0);

	if (sass_mod(o->s, "h72") > 0 || (merges && sass_has(o->s, "MERGE_C")) || sass_mod(o->s, "rnd81") > FP_RZ) {
		one_refuse(o, "this form of packing is not known");
		return;
	}
	if (sass_has(o->s, "UNPACK_B")) {
		unpack(o, to);
		return;
	}
	if (sass_has(o->s, "UNPACK_B_MERGE_C"))
		repack(o, to, d);
	else
		pack(o, to, d);
	if (merges)
		merge(o, to);
}

/* Two floats, or halves of b, to two small ones, where all lanes have the same: without c, which ptxas gives none. */
void sem_pack_uniform(const struct one *o)
{
	static const char *const to[] = { "e5m2", "e4m3" };
	const int at = sass_mod(o->s, "uf2fpdst");
	const char *how = sass_mod(o->s, "relu74") > 0 ? ".relu" : "";
	struct ref d;

	if (at < 0 || sass_mod(o->s, "f2fpsat") < 1 || !one_is_zero(o, one_source(o, SROLE_C))) {
		one_refuse(o, "this form of packing is not known");
		return;
	}
	d = one_result(o, SROLE_D, 0);
	if (one_role(o, SROLE_A))
		one_put2(o, one_op(o, "cvt.rn%s.satfinite.%sx2.f32", how, to[at]), d, one_source(o, SROLE_A),
			 one_source(o, SROLE_B));
	else
		one_put1(o, one_op(o, "cvt.rn%s.satfinite.%sx2.f16x2", how, to[at]), d, one_source(o, SROLE_B));
}

/* Two floats to bytes below c: of which ptxas has one float alone. */
void sem_pack_bytes(const struct one *o)
{
	const char *how = NAMED(o, "f2irnd", integral);

	if (sass_mod(o->s, "f2ip") > 0 || sass_mod(o->s, "relu75") > 0 ||
	    !one_is_zero(o, fp_value(o, SROLE_A, FP_32, 0)) || !one_is_zero(o, one_source(o, SROLE_C))) {
		one_refuse(o, "how it packs is not known");
		return;
	}
	one_put1(o, one_op(o, "cvt.%s.u8.f32", how), one_result(o, SROLE_D, 0), fp_value(o, SROLE_B, FP_32, 1));
}

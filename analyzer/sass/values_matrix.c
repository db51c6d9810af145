/* Products of matrices, and their loads, stores and transposition, in rows of PTX. A machine instruction is the row of
 * mma.sync that has its shape and types; its operands hold the same fragments in the same order. */
#include "analyzer/sass/values_memory.h"

#include "analyzer/ir/matrix.h"

#include <ctype.h>
#include <string.h>

/* ---- names ---- */
struct name {
	const char *machine, *ptx;
};

/* The name of PTX for the value of a field; NULL: there is none. */
static const char *name_of(const struct one *o, const char *field, const struct name *known, unsigned n)
{
	const char *is = one_named(o, field);

	for (unsigned i = 0; i < n; i++)
		if (strcmp(known[i].machine, is) == 0)
			return known[i].ptx;
	one_refuse(o, "its shape or type is not known");
	return NULL;
}
#define NAME_OF(o, field, known) name_of(o, field, known, sizeof known / sizeof *known)

/* The name of a type, in PTX's small letters. */
static const char *type_of(const struct one *o, const char *field)
{
	char *t = arena_printf(o->v->to->a, "%s", one_named(o, field));

	for (char *c = t; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return t;
}

/* ---- operands ---- */
static struct ref part_of(const struct one *o, const struct sass_operand *x, unsigned n, bool wide)
{
	struct ref r;

	if (!wide)
		return one_bits32(o, x, n);
	r = x->reg == SASS_ZERO ? one_imm(o, 0) : ref_reg(VALUE_PAIR0 + x->reg + 2 * n);
	if (!x->neg)
		return r;
	one_put1(o, OP_NEG_F64, one_wide(0), r);
	return one_wide(0);
}

/* One factor of DMMA may be negated: a double that there is one of in each lane. */
static bool may_be_negated(const struct one *o, const struct matrix *m, unsigned part)
{
	return m->type[PART_D] == TY_F64 && part == PART_A && m->regs[part] == 1 &&
	       one_role(o, SROLE_A)->reg != SASS_ZERO;
}

/* D = A * B + C, the registers of each as many as the row says. */
static void put_product(const struct one *o, enum op op)
{
	static const enum sass_role role[] = { [PART_A] = SROLE_A, [PART_B] = SROLE_B, [PART_C] = SROLE_C };
	struct ref dst[8], src[24];
	unsigned ndst = 0, nsrc = 0;
	struct matrix m;
	bool wide;

	if (op == OP_COUNT || !matrix_of(op, &m))
		return;
	wide = m.type[PART_D] == TY_F64;
	for (unsigned p = PART_A; p <= PART_C; p++) {
		const struct sass_operand *x = one_role(o, role[p]);

		if (!x || x->kind != SASS_GPR || (x->neg && !may_be_negated(o, &m, p)) || x->abs ||
		    (x->reg != SASS_ZERO && x->n != m.regs[p] << wide)) {
			one_refuse(o, "its operands are not those of the product");
			return;
		}
		for (unsigned n = 0; n < m.regs[p]; n++)
			src[nsrc++] = part_of(o, x, n, wide);
	}
	for (unsigned n = 0; n < m.regs[PART_D]; n++)
		dst[ndst++] = wide ? one_pair_result(o, SROLE_D, 2 * n, 0) : one_result(o, SROLE_D, n);
	one_row(o, op, dst, ndst, src, nsrc);
}

/* Sparse ones have an operand with the places of elements, and the tables of PTX no row. */
static bool is_dense(const struct one *o)
{
	const bool dense = !one_role(o, SROLE_E) && !sass_has(o->s, "SP");

	if (!dense)
		one_refuse(o, "products of sparse matrices, or with scales, are not executed");
	return dense;
}

/* ---- products ---- */
/* One step of Volta's product, whose operands are the fragments of mma.m8n8k4: of a result of floats step n has
 * registers 2n and 2n + 1 and columns 0 to 3 (steps 0 and 1) or 4 to 7, of one of halves columns 4n to 4n + 3. The
 * others of the row's registers go nowhere. */
static void put_step(const struct one *o)
{
	static const char *const layout[] = { "row", "col" };
	const int step = sass_mod(o->s, "hmmastep"), d = sass_mod(o->s, "mmahalf"), c = sass_mod(o->s, "mmahalfc");
	const char *dtype = type_of(o, "mmahalf"), *ctype = type_of(o, "mmahalfc");
	const struct sass_operand *of_a = one_role(o, SROLE_A), *of_b = one_role(o, SROLE_B),
				  *of_c = one_role(o, SROLE_C);
	/* which pair of the row's registers */
	const unsigned nd = d ? 8 : 4, nc = c ? 8 : 4, at_d = 2 * (unsigned)step, at_c = d && !c ? at_d / 4 * 2 : at_d;
	struct ref dst[8], src[12];

	if (at_d >= nd || at_c >= nc) {
		one_refuse(o, "there is no such step");
		return;
	}
	for (unsigned n = 0; n < nd; n++)
		dst[n] = n - at_d < 2 ? one_result(o, SROLE_D, n - at_d) : ref_none();
	for (unsigned n = 0; n < 4; n++)
		src[n] = one_bits32(o, n < 2 ? of_a : of_b, n % 2);
	for (unsigned n = 0; n < nc; n++)
		src[4 + n] = n - at_c < 2 ? one_bits32(o, of_c, n - at_c) : one_imm(o, 0);
	one_row(o,
		one_op(o, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s", layout[sass_mod(o->s, "rowcol73")],
		       layout[sass_mod(o->s, "rowcol74")], dtype, ctype),
		dst, nd, src, 4 + nc);
}

void sem_product_half(const struct one *o)
{
	static const struct name shapes[] = { { "1684", "m16n8k4" }, { "1688", "m16n8k8" }, { "16816", "m16n8k16" } },
				 types[] = { { "", "f16" }, { "BF16", "bf16" }, { "TF32", "tf32" } };
	const char *shape, *type, *d = type_of(o, "mmahalf");

	if (sass_mod(o->s, "hmmastep") >= 0) {
		put_step(o);
		return;
	}
	if (!is_dense(o))
		return;
	shape = NAME_OF(o, "hmma", shapes);
	type = NAME_OF(o, "hmmatype", types);
	if (shape && type)
		put_product(o, one_op(o, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s", shape, d, type, type, d));
}

void sem_product_integer(const struct one *o)
{
	static const struct name shapes[] = {
		{ "8816", "m8n8k16" },   { "8832", "m8n8k32" },   { "16816", "m16n8k16" },
		{ "16832", "m16n8k32" }, { "16864", "m16n8k64" },
	};
	const char *shape;

	if (!is_dense(o))
		return;
	shape = NAME_OF(o, "imma", shapes);
	if (shape && sass_mod(o->s, "col") == 1)
		put_product(o, one_op(o, "mma.sync.aligned.%s.row.col.%ss32.%s.%s.s32", shape,
				      sass_mod(o->s, "immasat") > 0 ? "satfinite." : "", type_of(o, "immaa"),
				      type_of(o, "immab")));
	else
		one_refuse(o, "its layouts are not known");
}

void sem_product_bits(const struct one *o)
{
	static const struct name shapes[] = { { "88128", "m8n8k128" },
					      { "168128", "m16n8k128" },
					      { "168256", "m16n8k256" } };
	const char *shape = NAME_OF(o, "bmma", shapes);

	if (shape && sass_mod(o->s, "col") == 1 && sass_mod(o->s, "popc") == 1)
		put_product(
			o, one_op(o, "mma.sync.aligned.%s.row.col.%s.popc.s32.b1.b1.s32", shape, type_of(o, "bmmaop")));
	else
		one_refuse(o, "its layouts are not known");
}

void sem_product_double(const struct one *o)
{
	static const struct name shapes[] = {
		{ "884", "m8n8k4" },     { "8x8x4", "m8n8k4" },     { "16x8x4", "m16n8k4" },
		{ "16x8x8", "m16n8k8" }, { "16x8x16", "m16n8k16" },
	};
	static const struct name roundings[] = { { "", "" }, { "RM", "rm." }, { "RP", "rp." }, { "RZ", "rz." } };
	const char *shape = NAME_OF(o, "dmma", shapes), *rounding = NAME_OF(o, "rnd", roundings);

	if (shape && rounding)
		put_product(o, one_op(o, "mma.sync.aligned.%s.row.col.%sf64.f64.f64.f64", shape, rounding));
}

void sem_product_small(const struct one *o)
{
	static const struct name shapes[] = { { "16816", "m16n8k16" }, { "16832", "m16n8k32" } };
	const char *shape, *d = type_of(o, "qmmaf32");

	if (!is_dense(o))
		return;
	shape = NAME_OF(o, "qmma", shapes);
	if (shape && sass_mod(o->s, "col") == 1)
		put_product(o, one_op(o, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s", shape, d, type_of(o, "qmmaa"),
				      type_of(o, "qmmab"), d));
	else
		one_refuse(o, "its layouts are not known");
}

/* A predicate from three signs by a truth table. Met in sums with .sat, and where products of 4-bit numbers with
 * .satfinite are made of products of bytes: of two numbers and their sum it tells that the sum has overflowed, and
 * which way. */
void sem_signs(const struct one *o)
{
	const struct sass_operand *table = one_role(o, SROLE_LUT);
	const struct ref src[] = { one_source(o, SROLE_A), one_source(o, SROLE_B), one_source(o, SROLE_C),
				   one_imm(o, table ? table->value : 0) },
			 signs = one_word(0);

	one_row(o, OP_LOP3_B32, &signs, 1, src, 4);
	one_put2(o, OP_SETP_LT_S32, one_result(o, SROLE_PD, 0), signs, one_imm(o, 0));
}

/* ---- loads, stores, transposition ---- */
/* Registers of LDSM and STSM; 0: the form is not known. */
static unsigned tiles(const struct one *o)
{
	const int n = sass_mod(o->s, "ldsmn");

	if (sass_mod(o->s, "ldsmb") != 0 || sass_mod(o->s, "ldsmt") > 1 || n < 0 || n > 2) {
		one_refuse(o, "tiles of elements that are not 16 bits");
		return 0;
	}
	return 1u << n;
}

void sem_load_tiles(const struct one *o)
{
	const unsigned n = tiles(o);
	const struct ref at = memory_address(o);
	struct ref dst[4];
	struct insn *x;

	if (!n)
		return;
	for (unsigned i = 0; i < n; i++)
		dst[i] = one_result(o, SROLE_D, i);
	x = one_row(o, one_op(o, "ldmatrix.sync.aligned.m8n8.x%u%s.b16", n, sass_mod(o->s, "ldsmt") ? ".trans" : ""),
		    dst, n, &at, 1);
	if (x)
		memory_describe(o, x, 0);
}

void sem_store_tiles(const struct one *o)
{
	const unsigned n = tiles(o);
	struct ref src[5] = { memory_address(o) };
	struct insn *x;

	for (unsigned i = 0; i < n; i++)
		src[1 + i] = one_bits32(o, one_role(o, SROLE_B), i);
	if (!n)
		return;
	x = one_row(o, one_op(o, "stmatrix.sync.aligned.m8n8.x%u%s.b16", n, sass_mod(o->s, "ldsmt") ? ".trans" : ""),
		    NULL, 0, src, 1 + n);
	if (x)
		memory_describe(o, x, 0);
}

/* Eight rows of 32 numbers of 4 bits, each row in four lanes, as products of bytes have them: columns 0 to 15 in one
 * register, 16 to 31 in the next. What is known of it is sums over a row, to which the order does not matter: that it
 * is the fragments' own follows from the instruction's reaching across lanes. */
static void widen_rows(const struct one *o)
{
	enum { LANE, SHIFT, FROM, LOW, HIGH, BETWEEN };

	one_put1(o, OP_MOV_B32, one_word(LANE), (struct ref){ .kind = REF_SREG, .val = SREG_LANEID });
	one_put2(o, OP_AND_B32, one_word(SHIFT), one_word(LANE), one_imm(o, 1));
	one_put2(o, OP_SHL_B32, one_word(SHIFT), one_word(SHIFT), one_imm(o, 4));
	one_put2(o, OP_AND_B32, one_word(FROM), one_word(LANE), one_imm(o, 2));
	one_put2(o, OP_SHR_U32, one_word(FROM), one_word(FROM), one_imm(o, 1));
	one_put2(o, OP_AND_B32, one_word(LANE), one_word(LANE), one_imm(o, 28));
	one_put2(o, OP_OR_B32, one_word(FROM), one_word(FROM), one_word(LANE));
	for (unsigned n = LOW; n <= HIGH; n++) {
		const struct ref to = one_word(n), shuffle[] = { one_source(o, SROLE_A), one_word(FROM), one_imm(o, 31),
								 one_imm(o, UINT32_MAX) };

		one_row(o, OP_SHFL_IDX, &to, 1, shuffle, sizeof shuffle / sizeof *shuffle);
		/* the lower half's four numbers in the lower half of a byte each */
		one_put2(o, OP_SHR_U32, to, to, one_word(SHIFT));
		one_put2(o, OP_SHR_U32, one_word(BETWEEN), to, one_imm(o, 4));
		one_put3(o, OP_PRMT_B32, to, to, one_word(BETWEEN), one_imm(o, 0x5140));
		one_put2(o, OP_OR_B32, one_word(FROM), one_word(FROM), one_imm(o, 2));
	}
	for (unsigned n = LOW; n <= HIGH; n++)
		one_put2(o, OP_AND_B32, one_result(o, SROLE_D, n - LOW), one_word(n), one_imm(o, 0x0f0f0f0f));
}

void sem_transpose(const struct one *o)
{
	const char *size = one_named(o, "movmsz"), *how = one_named(o, "movm");

	if (strcmp(size, "16") == 0 && strcmp(how, "MT88") == 0)
		one_put1(o, OP_MOVMATRIX, one_result(o, SROLE_D, 0), one_source(o, SROLE_A));
	else if (strcmp(size, "U4TO8") == 0 && strcmp(how, "M832") == 0)
		widen_rows(o);
	else
		one_refuse(o, "elements that are neither 16 bits nor 4 that become 8");
}

/* Loads and stores of machine code in rows of PTX. An address is a register of 32 or 64 bits, a uniform register and an
 * offset; where the uniform register is a memory descriptor, it is the launch's and says nothing. */
#include "analyzer/sass/values_memory.h"

#include <string.h>

/* words that LDG.256 and STG.256 move */
enum { WORDS_256 = 8 };

/* ---- addresses ---- */
enum space memory_space_of(const struct one *o)
{
	switch (o->s->space) {
	case SSPACE_GLOBAL:
		return SP_GLOBAL;
	case SSPACE_SHARED:
		return SP_SHARED;
	case SSPACE_LOCAL:
		return SP_LOCAL;
	}
	return SP_GENERIC;
}

struct ref memory_narrow(const struct one *o, enum sass_role a, const struct sass_operand *u)
{
	const int scale = sass_mod(o->s, "xscale");
	const bool has_u = u && u->reg != SASS_ZERO;
	const struct ref at = one_role(o, a) ? one_source(o, a) : one_imm(o, 0);
	struct ref uniform;

	if (!has_u && scale <= 0)
		return at;
	if (!has_u) {
		one_put2(o, OP_SHL_B32, one_word(0), at, one_imm(o, (uint64_t)scale + 1));
		return one_word(0);
	}
	uniform = one_bits32(o, u, 0);
	if (one_is_zero(o, at))
		return uniform;
	if (scale > 0)
		one_put3(o, OP_MAD_LO_S32, one_word(0), at, one_imm(o, UINT64_C(2) << scale), uniform);
	else
		one_put2(o, OP_ADD_S32, one_word(0), at, uniform);
	return one_word(0);
}

/* A register of 32 or 64 bits, and a uniform pair; of LDGSTS one uniform register is the shared address's. */
static struct ref wide_address(const struct one *o)
{
	const struct sass_operand *a = one_role(o, SROLE_A), *u = one_role(o, SROLE_U);
	const bool descriptor = sass_has_descriptor(o->s), has_u = u && u->n == 2 && u->reg != SASS_ZERO && !descriptor;

	if (!a || a->reg == SASS_ZERO)
		return has_u ? one_pair(o, SROLE_U, 0) : one_imm(o, 0);
	if (a->n == 2) {
		if (!has_u)
			return one_pair(o, SROLE_A, 0);
		one_put2(o, OP_ADD_S64, one_wide(0), one_pair(o, SROLE_A, 0), one_pair(o, SROLE_U, 1));
		return one_wide(0);
	}
	if (descriptor)
		one_refuse(o, "an address of 32 bits with a descriptor");
	if (has_u)
		one_put3(o, OP_MAD_WIDE_U32, one_wide(0), one_bits32(o, a, 0), one_imm(o, 1), one_pair(o, SROLE_U, 1));
	else
		one_put1(o, OP_CVT_U64_U32, one_wide(0), one_bits32(o, a, 0));
	return one_wide(0);
}

struct ref memory_address(const struct one *o)
{
	const enum space s = memory_space_of(o);

	return s == SP_SHARED || s == SP_LOCAL ? memory_narrow(o, SROLE_A, one_role(o, SROLE_U)) : wide_address(o);
}

void memory_describe(const struct one *o, struct insn *x, unsigned vec)
{
	x->space = (uint8_t)memory_space_of(o);
	x->vec = (uint8_t)vec;
	x->offset = (int32_t)o->s->imm;
	if (strncmp(one_named(o, "order"), "STRONG", 6) == 0)
		x->mods |= MOD_RELAXED;
}

/* ---- loads and stores ---- */
/* The row of a load, and its elements. */
static enum op load_row(const char *size, unsigned *vec)
{
	static const struct {
		const char *size;
		enum op op;
		unsigned vec;
	} known[] = {
		{ "U8", OP_LD_U8, 1 }, { "S8", OP_LD_S8, 1 },  { "U16", OP_LD_U16, 1 }, { "S16", OP_LD_S16, 1 },
		{ "", OP_LD_B32, 1 },  { "64", OP_LD_B32, 2 }, { "128", OP_LD_B32, 4 }, { "U.128", OP_LD_B32, 4 },
	};

	for (unsigned n = 0; n < sizeof known / sizeof *known; n++)
		if (strcmp(size, known[n].size) == 0) {
			*vec = known[n].vec;
			return known[n].op;
		}
	return OP_COUNT;
}

static bool is_256(const struct one *o) { return sass_mod(o->s, "cop2") >= 0; }

/* Of LDG.256 and STG.256: which of the words. */
static unsigned word_mask(const struct one *o)
{
	const struct sass_operand *x = one_role(o, SROLE_NUM);

	return x ? (unsigned)x->value : 0;
}

/* Where the words of LDG.256 go: those of the mask, packed, of the lower half to the first operand, of the upper half
 * to the second. */
static void words_256(const struct one *o, struct ref dst[WORDS_256])
{
	const unsigned mask = word_mask(o), half = WORDS_256 / 2;

	for (unsigned n = 0, at = 0; n < WORDS_256; n++) {
		if (n == half)
			at = 0;
		dst[n] = ref_none();
		if (mask >> n & 1)
			dst[n] = one_result(o, n < half ? SROLE_D : SROLE_F, at++);
	}
}

void sem_load(const struct one *o)
{
	const struct ref pp = one_role(o, SROLE_PP) ? one_predicate(o, SROLE_PP) : one_imm(o, 1),
			 at = memory_address(o);
	struct ref dst[WORDS_256], not = pp;
	unsigned vec = WORDS_256;
	const enum op op = is_256(o) ? OP_LD_B32 : load_row(one_named(o, "size"), &vec);
	struct insn *x;

	if (op == OP_COUNT) {
		one_refuse(o, "its size is not known");
		return;
	}
	if (is_256(o))
		words_256(o, dst);
	else
		for (unsigned n = 0; n < vec; n++)
			dst[n] = one_result(o, SROLE_D, n);
	not .neg ^= 1;
	for (unsigned n = 0; n < vec && !one_is_number(o, pp, 1); n++) {
		x = one_put1(o, OP_MOV_B32, dst[n], one_imm(o, 0));
		if (x && pp.kind == REF_REG)
			x->guard = not ;
	}
	if (one_is_number(o, pp, 0))
		return;
	x = one_row(o, op, dst, vec, &at, 1);
	memory_describe(o, x, vec);
	if (pp.kind == REF_REG)
		x->guard = pp;
}

void sem_store(const struct one *o)
{
	const enum sass_role from = one_role(o, SROLE_B) ? SROLE_B : SROLE_C;
	struct ref src[1 + WORDS_256] = { memory_address(o) };
	unsigned vec = WORDS_256;
	const enum op load = is_256(o) ? OP_LD_B32 : load_row(one_named(o, "size"), &vec);
	enum op op = OP_ST_B32;

	if (load == OP_COUNT || (is_256(o) && word_mask(o) != 0xff)) {
		one_refuse(o, "its size is not known");
		return;
	}
	if (load == OP_LD_U8 || load == OP_LD_S8)
		op = OP_ST_B8;
	else if (load == OP_LD_U16 || load == OP_LD_S16)
		op = OP_ST_B16;
	for (unsigned n = 0; n < vec; n++) {
		const enum sass_role half = n < WORDS_256 / 2 ? SROLE_B : SROLE_E;

		src[1 + n] = one_bits32(o, one_role(o, is_256(o) ? half : from), is_256(o) ? n % (WORDS_256 / 2) : n);
	}
	memory_describe(o, one_row(o, op, NULL, 0, src, 1 + vec), vec);
}

/* ---- copies to shared memory ---- */
static struct ref plus(const struct one *o, struct ref at, int64_t offset, unsigned n, bool wide)
{
	if (!offset)
		return at;
	one_put2(o, wide ? OP_ADD_S64 : OP_ADD_S32, wide ? one_wide(n) : one_word(n), at, one_imm(o, (uint64_t)offset));
	return wide ? one_wide(n) : one_word(n);
}

/* cp.async: bytes that are not read are zeros. Where the predicate is false nothing is read. With .ZFILL the low bits
 * of the source's address say how many bytes at the end are not read: ptxas adds the bytes to be written, less those
 * to be read, to an aligned address. */
void sem_copy(const struct one *o)
{
	const struct sass_operand *from_offset = one_role(o, SROLE_IMM2), *u = one_role(o, SROLE_U);
	const unsigned bytes = sass_access_bytes(o->s);
	const struct ref pp = one_predicate(o, SROLE_PP);
	struct ref src[4];

	if (!bytes || !from_offset) {
		one_refuse(o, "its size is not known");
		return;
	}
	src[0] = memory_narrow(o, SROLE_E, u && u->n == 1 ? u : NULL);
	src[0] = plus(o, src[0], o->s->imm, 0, false);
	src[1] = plus(o, wide_address(o), (int64_t)from_offset->value, 1, true);
	src[2] = src[3] = one_imm(o, bytes);
	if (sass_mod(o->s, "cpzfill") > 0) {
		one_put1(o, OP_CVT_U32_D, one_word(1), src[1]);
		one_put2(o, OP_AND_B32, one_word(1), one_word(1), one_imm(o, bytes - 1));
		one_put2(o, OP_AND_B64, one_wide(1), src[1], one_imm(o, ~(uint64_t)(bytes - 1)));
		one_put2(o, OP_SUB_S32, one_word(1), src[2], one_word(1));
		src[1] = one_wide(1);
		src[3] = one_word(1);
	}
	if (one_is_number(o, pp, 0)) {
		src[3] = one_imm(o, 0);
	} else if (pp.kind == REF_REG) {
		one_put3(o, OP_SELP_B32, one_word(1), src[3], one_imm(o, 0), pp);
		src[3] = one_word(1);
	}
	one_row(o, OP_CP_ASYNC, NULL, 0, src, 4);
}

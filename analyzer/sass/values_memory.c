/* Loads and stores of machine code in rows of PTX. An address is a register of 32 or 64 bits, a uniform register and an
 * offset; where the uniform register is a memory descriptor, it is the launch's and says nothing. */
#include "analyzer/sass/values_one.h"

#include <string.h>

/* Is the uniform operand of the address a descriptor? */
static bool has_descriptor(const struct one *o)
{
	static const char *const field[] = { "desc", "descat", "descred", "desc71" };

	for (unsigned n = 0; n < sizeof field / sizeof *field; n++)
		if (sass_mod(o->s, field[n]) > 0)
			return true;
	return false;
}

/* A register of 32 bits, and a uniform one. */
static struct ref narrow_address(const struct one *o)
{
	const struct sass_operand *a = one_role(o, SROLE_A), *u = one_role(o, SROLE_U);
	const bool has_u = u && u->reg != SASS_ZERO;
	const int scale = sass_mod(o->s, "xscale");
	struct ref at = a ? one_bits32(o, a, 0) : one_imm(o, 0);

	if (scale > 0) {
		one_put2(o, OP_SHL_B32, one_word(0), at, one_imm(o, (uint64_t)scale + 1));
		at = one_word(0);
	}
	if (!has_u)
		return at;
	if (one_is_zero(o, at))
		return one_bits32(o, u, 0);
	one_put2(o, OP_ADD_S32, one_word(0), at, one_bits32(o, u, 0));
	return one_word(0);
}

/* A register of 32 or 64 bits, and a uniform pair. */
static struct ref wide_address(const struct one *o)
{
	const struct sass_operand *a = one_role(o, SROLE_A), *u = one_role(o, SROLE_U);
	const bool has_u = u && u->reg != SASS_ZERO && !has_descriptor(o);
	struct ref at;

	if (!a || a->reg == SASS_ZERO)
		return has_u ? one_pair(o, SROLE_U, 0) : one_imm(o, 0);
	if (a->n == 2) {
		at = one_pair(o, SROLE_A, 0);
	} else {
		one_put1(o, OP_CVT_U64_U32, one_wide(0), one_bits32(o, a, 0));
		at = one_wide(0);
	}
	if (!has_u)
		return at;
	one_put2(o, OP_ADD_S64, one_wide(0), at, one_pair(o, SROLE_U, 1));
	return one_wide(0);
}

static enum space space_of(const struct one *o)
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

static struct ref address(const struct one *o)
{
	const enum space s = space_of(o);

	return s == SP_SHARED || s == SP_LOCAL ? narrow_address(o) : wide_address(o);
}

static void describe(const struct one *o, struct insn *x, unsigned vec)
{
	x->space = (uint8_t)space_of(o);
	x->vec = (uint8_t)vec;
	x->offset = (int32_t)o->s->imm;
	if (strncmp(one_named(o, "order"), "STRONG", 6) == 0)
		x->mods |= MOD_RELAXED;
}

/* The row, and its elements. */
static enum op load_row(const char *size, unsigned *vec)
{
	static const struct {
		const char *size;
		enum op op;
		unsigned vec;
	} known[] = {
		{ "U8", OP_LD_U8, 1 }, { "S8", OP_LD_S8, 1 },  { "U16", OP_LD_U16, 1 }, { "S16", OP_LD_S16, 1 },
		{ "", OP_LD_B32, 1 },  { "64", OP_LD_B32, 2 }, { "128", OP_LD_B32, 4 }, { "U.128", OP_LD_B32, 4 }
	};

	for (unsigned n = 0; n < sizeof known / sizeof *known; n++)
		if (strcmp(size, known[n].size) == 0) {
			*vec = known[n].vec;
			return known[n].op;
		}
	return OP_COUNT;
}

void sem_load(const struct one *o)
{
	struct ref pp = one_role(o, SROLE_PP) ? one_predicate(o, SROLE_PP) : one_imm(o, 1), dst[4], at = address(o);
	unsigned vec = 0;
	enum op op = load_row(one_named(o, "size"), &vec);
	struct insn *x;

	if (op == OP_COUNT || sass_mod(o->s, "ldsu") > 0) {
		one_refuse(o, "its size is not known");
		return;
	}
	for (unsigned n = 0; n < vec; n++) {
		dst[n] = one_result(o, SROLE_D, n);
		if (!one_is_number(o, pp, 1)) {
			struct ref not = pp;

			not .neg ^= 1;
			x = one_put1(o, OP_MOV_B32, dst[n], one_imm(o, 0));
			if (x && pp.kind == REF_REG)
				x->guard = not ;
		}
	}
	if (one_is_number(o, pp, 0))
		return;
	x = one_row(o, op, dst, vec, &at, 1);
	describe(o, x, vec);
	if (pp.kind == REF_REG)
		x->guard = pp;
}

void sem_store(const struct one *o)
{
	struct ref src[5] = { address(o) };
	unsigned vec = 0;
	const enum op load = load_row(one_named(o, "size"), &vec);
	enum op op = OP_ST_B32;

	if (load == OP_COUNT) {
		one_refuse(o, "its size is not known");
		return;
	}
	if (load == OP_LD_U8 || load == OP_LD_S8)
		op = OP_ST_B8;
	else if (load == OP_LD_U16 || load == OP_LD_S16)
		op = OP_ST_B16;
	for (unsigned n = 0; n < vec; n++)
		src[1 + n] = one_bits32(o, one_role(o, SROLE_B), n);
	describe(o, one_row(o, op, NULL, 0, src, 1 + vec), vec);
}

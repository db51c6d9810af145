/* Which unit of a core of today an opcode of the IR is for, as the instructions are that ptxas makes of it; what it
 * makes more than one instruction of is taken for the one that has the result. */
#include "analyzer/ir/latency.h"

#include <string.h>

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Whether the mnemonic, up to its first alternative, has a part. */
static bool has(enum op op, const char *part)
{
	size_t n;
	const char *text = op_mnemonic(op, &n), *at = strstr(text, part);

	return at && at < text + n;
}

static bool of_halves(enum op op) { return has(op, "f16"); }

/* A conversion between integers is moving of bits, one from or to halves is arithmetic; the rest is queued. */
static enum sass_unit conversion(enum op op)
{
	if (op_info[op].flags & OPF_MOVE)
		return UNIT_SELECT;
	if (has(op, "cvt.f32.f16") || has(op, "cvt.f32.bf16"))
		return UNIT_HALF;
	if (of_halves(op) && has(op, ".f32"))
		return UNIT_INT;
	return has(op, "f") || has(op, ".e") || has(op, ".ue") ? UNIT_SPECIAL : UNIT_INT;
}

/* Moves, comparisons, bits, what is said of lanes: FU_OTHER, by the first row that fits. */
static enum sass_unit other(enum op op)
{
	static const struct {
		const char *begin;
		uint8_t unit;
	} row[] = {
		{ "mov", UNIT_SELECT },      { "selp", UNIT_SELECT },  { "slct", UNIT_SELECT },
		{ "cvta", UNIT_INT },        { "set", UNIT_SELECT },   { "isspacep", UNIT_SELECT },
		{ "testp", UNIT_SELECT },    { "abs", UNIT_SELECT },   { "neg", UNIT_SELECT },
		{ "brev", UNIT_SPECIAL },    { "popc", UNIT_SPECIAL }, { "clz", UNIT_SPECIAL },
		{ "bfind", UNIT_SPECIAL },   { "fns", UNIT_SPECIAL },  { "vote", UNIT_VOTE },
		{ "match", UNIT_OTHER },     { "redux", UNIT_OTHER },  { "elect", UNIT_OTHER },
		{ "activemask", UNIT_VOTE },
	};
	const char *text = op_info[op].text;

	if (begins(text, "cvt.") || begins(text, "cvt|"))
		return conversion(op);
	for (unsigned n = 0; n < sizeof row / sizeof *row; n++) {
		if (!begins(text, row[n].begin))
			continue;
		if (row[n].unit != UNIT_SELECT || begins(text, "mov") || begins(text, "selp"))
			return (enum sass_unit)row[n].unit;
		if (of_halves(op))
			return UNIT_HALF;
		return begins(text, "setp") && has(op, ".f64") ? UNIT_DOUBLE : UNIT_SELECT;
	}
	return UNIT_INT;
}

static enum sass_unit matrix(enum op op)
{
	if (has(op, ".f64"))
		return UNIT_MMA_DOUBLE;
	if (has(op, ".s32"))
		return UNIT_MMA_INT;
	return has(op, "e4m3") || has(op, "e5m2") ? UNIT_MMA_BYTE : UNIT_MMA_HALF;
}

static enum sass_unit memory(const struct insn *i)
{
	static const char *const texture[] = { "tex", "tld4", "txq", "su", "istypep" };

	for (unsigned n = 0; n < sizeof texture / sizeof *texture; n++)
		if (begins(op_info[i->op].text, texture[n]))
			return UNIT_TEXTURE;
	return i->space == SP_CONST || i->space == SP_PARAM ? UNIT_OTHER : UNIT_MEMORY;
}

static enum sass_unit multiplication(enum op op)
{
	return op_info[op].sig[0] == 'D' || has(op, ".hi") ? UNIT_WIDE : UNIT_IMAD;
}

static bool reads_sreg(const struct kernel *k, const struct insn *i)
{
	const struct ref r = i->nsrc ? insn_src(k, i)[0] : ref_none();

	return r.kind == REF_SREG && !sreg_is_of_warp((enum sreg)r.val);
}

unsigned control_sm(const struct kernel *k)
{
	enum { OLDEST = 75, USUAL = 80 };

	if (k->native)
		return k->native->sm;
	return k->m->sm < OLDEST ? USUAL : k->m->sm;
}

/* Integers of 64 bits have a unit of their own where its latency is known. */
static enum sass_unit integer(const struct kernel *k, const struct insn *i, enum sass_unit unit)
{
	const unsigned sm = control_sm(k);
	const char *sig = op_info[i->op].sig;
	const bool wide = sig[0] == 'D' || strstr(sig, "_D");

	return wide && sass_latency(sm, false, UNIT_LONG, UNIT_LONG) ? UNIT_LONG : unit;
}

enum sass_unit insn_unit(const struct kernel *k, const struct insn *i)
{
	const enum op op = (enum op)i->op;
	enum sass_unit unit;

	if (k->native)
		return (enum sass_unit)k->native->unit[i - k->insn];
	switch ((enum fu)op_info[op].fu) {
	case FU_INT_ADD:
		return integer(k, i, UNIT_INT);
	case FU_INT_MINMAX:
		return integer(k, i, UNIT_SELECT);
	case FU_INT_MUL:
	case FU_INT_MAD:
		return multiplication(op);
	case FU_FP_ADD:
	case FU_FP_MUL:
	case FU_FP_MAD:
		return of_halves(op) ? UNIT_HALF : UNIT_FMA;
	case FU_FP_MINMAX:
		return of_halves(op) ? UNIT_HALF : UNIT_SELECT;
	case FU_DP_ADD:
	case FU_DP_MINMAX:
	case FU_DP_MUL:
	case FU_DP_MAD:
		return UNIT_DOUBLE;
	case FU_INT_DIV:
	case FU_FP_DIV:
	case FU_DP_DIV:
	case FU_SFU:
		return UNIT_SPECIAL;
	case FU_OTHER:
		unit = other(op);
		if (unit == UNIT_SELECT && reads_sreg(k, i))
			return UNIT_OTHER;
		return unit == UNIT_INT || unit == UNIT_SELECT ? integer(k, i, unit) : unit;
	case FU_SHFL:
		return UNIT_MEMORY;
	case FU_MEM:
		return memory(i);
	case FU_CTRL:
		return op_info[op].flags & OPF_FENCE ? UNIT_OTHER : UNIT_CONTROL;
	case FU_BAR:
		return UNIT_CONTROL;
	case FU_TENSOR:
		return matrix(op);
	case FU_COUNT:
		break;
	}
	return UNIT_OTHER;
}

/* As which unit register PART of an operand is accessed. */
static enum sass_unit part_unit(enum sass_unit unit, bool write, bool pair, unsigned slot, unsigned part)
{
	enum { ADDEND = 2 };

	if (unit != UNIT_WIDE)
		return unit;
	if (write)
		return pair && !part ? UNIT_WIDE_LOW : UNIT_WIDE;
	if (slot != ADDEND)
		return unit;
	return part ? UNIT_WIDE_ADDEND_HIGH : UNIT_WIDE_ADDEND;
}

unsigned insn_accesses(const struct kernel *k, const struct insn *i, struct sass_access out[SASS_ACCESSES])
{
	const enum sass_unit unit = insn_unit(k, i);
	unsigned n = 0;

	if (i->guard.kind == REF_REG && !mreg_is_fixed(i->guard.val))
		out[n++] = (struct sass_access){ (uint16_t)i->guard.val, UNIT_GUARD, false, true };
	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
		const struct ref r = k->opnd[i->opnd + s];
		const bool write = s < i->ndst;
		const unsigned slot = write ? s : s - i->ndst;
		unsigned parts;

		if (r.kind != REF_REG || mreg_is_fixed(r.val))
			continue;
		parts = insn_operand_class(k, i, s) == RC_64 ? 2 : 1;
		for (unsigned p = 0; p < parts && n < SASS_ACCESSES; p++) {
			const enum sass_unit as =
				mreg_is_general(r.val) ? part_unit(unit, write, parts == 2, slot, p) : unit;

			out[n++] = (struct sass_access){ (uint16_t)(r.val + p), (uint8_t)as, write, false };
		}
	}
	return n;
}

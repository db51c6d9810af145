#include "analyzer/sass/latency.h"
#include "analyzer/sass/table.h"

#include <string.h>

/* bit of the opcode of what has variable latency: conversions, special functions, memory */
enum { QUEUED = 0x100 };

/* By mnemonic, what the class does not say. */
static const struct {
	const char *mnemonic;
	uint8_t unit;
} named[] = {
#define UNIT(mnemonic, unit) { mnemonic, UNIT_##unit },
#include "analyzer/sass/units.def"
#undef UNIT
};

/* What is queued, by class; of the others UNIT_OTHER. */
static enum sass_unit queued(enum sass_class c)
{
	static const uint8_t unit[SCLASS_COUNT] = {
		[SCLASS_LOAD] = UNIT_MEMORY,     [SCLASS_STORE] = UNIT_MEMORY,
		[SCLASS_ATOMIC] = UNIT_MEMORY,   [SCLASS_TEXTURE] = UNIT_TEXTURE,
		[SCLASS_SHUFFLE] = UNIT_MEMORY,  [SCLASS_SFU] = UNIT_SPECIAL,
		[SCLASS_CONVERT] = UNIT_SPECIAL, [SCLASS_INT] = UNIT_SPECIAL,
		[SCLASS_PRED] = UNIT_SPECIAL,    [SCLASS_BRANCH] = UNIT_CONTROL,
		[SCLASS_CALL] = UNIT_CONTROL,    [SCLASS_BRANCH_INDIRECT] = UNIT_CONTROL,
		[SCLASS_RETURN] = UNIT_CONTROL,  [SCLASS_CALL_INDIRECT] = UNIT_CONTROL,
		[SCLASS_EXIT] = UNIT_CONTROL,    [SCLASS_BSSY] = UNIT_CONTROL,
		[SCLASS_BSYNC] = UNIT_CONTROL,   [SCLASS_BREAK] = UNIT_CONTROL,
		[SCLASS_BARRIER] = UNIT_CONTROL, [SCLASS_SYNC] = UNIT_CONTROL,
	};

	return unit[c] ? (enum sass_unit)unit[c] : UNIT_OTHER;
}

enum sass_unit sass_unit(const struct sass_insn *s)
{
	const char *name = sass_mnemonic(s);

	if (!s->row)
		return UNIT_OTHER;
	if (strcmp(name, "IMAD") == 0 && (sass_has(s, "WIDE") || sass_has(s, "HI")))
		return UNIT_WIDE;
	for (unsigned n = 0; n < sizeof named / sizeof *named; n++)
		if (strcmp(named[n].mnemonic, name) == 0 && (!(s->row->base & QUEUED) || named[n].unit >= UNIT_GUARD))
			return named[n].unit <= UNIT_SELECT && sass_has(s, "64") ? UNIT_LONG
										 : (enum sass_unit)named[n].unit;
	if (s->row->base & QUEUED)
		return s->space == SSPACE_SURFACE ? UNIT_TEXTURE : queued(sass_class(s));
	return s->row->uniform ? UNIT_UNIFORM : UNIT_INT;
}

/* ---- accesses ---- */
struct listing {
	struct sass_access *out;
	unsigned n;
};

static void add(struct listing *l, uint32_t r, enum sass_unit unit, bool write, bool guard)
{
	if (!mreg_is_fixed(r) && l->n < SASS_ACCESSES)
		l->out[l->n++] = (struct sass_access){ (uint16_t)r, (uint8_t)unit, write, guard };
}

/* As which unit register PART of operand o is accessed. */
static enum sass_unit part_unit(const struct sass_operand *o, enum sass_unit unit, unsigned part)
{
	if (unit != UNIT_WIDE || o->kind != SASS_GPR)
		return unit;
	if (o->write)
		return o->n == 2 && !part ? UNIT_WIDE_LOW : UNIT_WIDE;
	if (o->role != SROLE_C)
		return unit;
	return part ? UNIT_WIDE_ADDEND_HIGH : UNIT_WIDE_ADDEND;
}

unsigned sass_accesses(const struct sass_insn *s, struct sass_access out[SASS_ACCESSES])
{
	const enum sass_unit unit = sass_unit(s);
	struct listing l = { out, 0 };

	if (!s->row)
		return 0;
	if (s->guard.reg != SASS_TRUE)
		add(&l, (s->guard.kind == SASS_UPRED ? MREG_UP0 : MREG_P0) + s->guard.reg, UNIT_GUARD, false, true);
	for (unsigned n = 0; n < s->nop; n++) {
		const struct sass_operand *o = &s->op[n];

		switch ((enum sass_kind)o->kind) {
		case SASS_GPR:
		case SASS_UGPR:
			for (unsigned p = 0; o->reg != SASS_ZERO && p < o->n; p++)
				if (o->reg + p < SASS_ZERO)
					add(&l, (o->kind == SASS_UGPR ? MREG_UR0 : 0) + o->reg + p,
					    part_unit(o, unit, p), o->write, false);
			break;
		case SASS_PRED:
		case SASS_UPRED:
			if (o->reg != SASS_TRUE)
				add(&l, (o->kind == SASS_UPRED ? MREG_UP0 : MREG_P0) + o->reg, unit, o->write, false);
			break;
		case SASS_PREDS:
			for (unsigned p = 0; p < SASS_TRUE; p++)
				if (o->value >> p & 1)
					add(&l, (s->row->uniform ? MREG_UP0 : MREG_P0) + p, unit, o->write, false);
			break;
		case SASS_CONST:
			if (o->bindless && o->reg != SASS_ZERO)
				add(&l, MREG_UR0 + o->reg, unit, false, false);
			break;
		case SASS_CBAR:
		case SASS_INT:
		case SASS_F32:
		case SASS_F64:
		case SASS_F16X2:
		case SASS_INT64:
		case SASS_MASK:
		case SASS_SREG:
			break;
		}
	}
	return l.n;
}

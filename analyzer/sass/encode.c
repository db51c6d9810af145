/* Fields to 128 bits: what decode.c reads, written by the same descriptions. Modifiers come first, since they say which
 * of the operands are there. */
#include "analyzer/sass/table.h"

static uint64_t uniform_bits(unsigned sm, uint16_t reg)
{
	if (sm >= 100)
		return reg;
	return reg == SASS_ZERO ? 63U : reg & 63U;
}

static void put_reg(struct sass_word *w, unsigned sm, unsigned lo, unsigned kind, uint16_t reg)
{
	if (kind == SASS_GPR)
		sass_put(w, lo, 8, reg);
	else
		sass_put(w, lo, sm >= 100 ? 8 : 6, uniform_bits(sm, reg));
}

static void put_target(struct sass_word *w, unsigned sm, const struct sass_field *f, int64_t target)
{
	uint64_t v = (uint64_t)(target - (f->kind == FIELD_TARGET_ABS ? 0 : 16));

	switch (f->kind) {
	case FIELD_TARGET_SSY:
		sass_put(w, 34, 30, v >> 2);
		break;
	case FIELD_TARGET_PC:
		sass_put(w, 24, 58, v);
		break;
	default:
		v >>= 2;
		if (sm >= 90) {
			sass_put(w, 16, 8, v);
			v >>= 8;
		}
		sass_put(w, 34, 48, v);
	}
}

static void put_operand(struct sass_word *w, unsigned sm, const struct sass_field *f, const struct sass_operand *o)
{
	if (f->derived)
		return;
	if (f->neg)
		sass_put(w, f->neg, 1, o->neg);
	if (f->abs)
		sass_put(w, f->abs, 1, o->abs);
	if (f->half)
		sass_put(w, f->half, 2, o->half);
	switch ((enum sass_kind)f->kind) {
	case SASS_GPR:
	case SASS_UGPR:
		if (f->bits.part[0].len < 8)
			sass_put_bits(w, &f->bits, o->reg);
		else
			put_reg(w, sm, f->bits.part[0].lo, f->kind, o->reg);
		break;
	case SASS_PRED:
	case SASS_UPRED:
		sass_put_bits(w, &f->bits, f->inverted ? 7U - o->reg : o->reg);
		break;
	case SASS_CBAR:
		sass_put_bits(w, &f->bits, o->reg);
		break;
	case SASS_CONST:
		sass_put_bits(w, &f->bits, o->value / f->scale);
		if (f->bindless)
			put_reg(w, sm, 32, SASS_UGPR, o->reg);
		else
			sass_put(w, f->bank, 5, o->bank);
		break;
	case SASS_PREDS:
		break;
	case SASS_INT:
	case SASS_F32:
	case SASS_F64:
	case SASS_F16X2:
	case SASS_INT64:
	case SASS_MASK:
	case SASS_SREG:
		sass_put_bits(w, &f->bits, o->value);
		break;
	}
}

/* Modifiers, and the bits of operands that are not there. */
static void put_mods(struct sass_word *w, unsigned sm, const struct sass_insn *i)
{
	const struct sass_table *t = sass_table();

	for (unsigned k = 0; k < i->nmod; k++) {
		const unsigned id = i->mod[k].field, v = i->mod[k].value;
		const struct sass_field *f;

		if (!(id & SASS_FIELD_ABSENT)) {
			sass_put_bits(w, &t->mod[id].bits, v);
			continue;
		}
		f = &t->field[i->row->field + (id & ~(unsigned)SASS_FIELD_ABSENT)];
		if (f->kind == SASS_UGPR)
			sass_put(w, f->bits.part[0].lo, sm >= 100 ? 8 : 6, v);
		else
			sass_put_bits(w, &f->bits, v & 0xff);
		if (f->neg)
			sass_put(w, f->neg, 1, v >> 8);
	}
}

struct sass_word sass_encode(unsigned sm, const struct sass_insn *i)
{
	const struct sass_table *t = sass_table();
	const struct sass_row *r = i->row;
	const struct control_code *c = &i->control;
	struct sass_word w = { r->match.vlo | r->base | (unsigned)r->form << 9, r->match.vhi };

	if (r->ext)
		w.hi |= UINT64_C(1) << 27;
	sass_put(&w, 12, 3, i->guard.reg);
	sass_put(&w, 15, 1, i->guard.neg);
	put_mods(&w, sm, i);
	for (unsigned k = 0; k < r->nfield; k++) {
		const struct sass_field *f = &t->field[r->field + k];

		if (f->conditional && !sass_holds(&f->cond, w))
			continue;
		if (f->kind >= FIELD_TARGET)
			put_target(&w, sm, f, i->target);
		else if (f->kind == FIELD_OFFSET)
			sass_put_bits(&w, &f->bits, (uint64_t)(i->imm / f->scale));
	}
	for (unsigned k = 0; k < i->nop; k++)
		put_operand(&w, sm, &t->field[r->field + i->op[k].field], &i->op[k]);
	sass_put(&w, 105, 4, c->stall);
	sass_put(&w, 109, 1, c->yield);
	sass_put(&w, 110, 3, c->wbar);
	sass_put(&w, 113, 3, c->rbar);
	sass_put(&w, 116, 6, c->wait);
	sass_put(&w, 122, 4, c->reuse);
	return w;
}

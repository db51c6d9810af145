/* 128 bits to fields. The row is found by (bits 11:0, bit 91), its match condition and the SM; each field is read as
 * the row describes it. Bits that are conditional and not there now are kept as they are, as a modifier without a name,
 * so that encoding gives them back. */
#include "analyzer/sass/table.h"

#include <string.h>

bool sass_sm_known(unsigned sm) { return sm >= 75 && sm <= 121; }

struct control_code sass_control(struct sass_word w)
{
	return (struct control_code){ (uint8_t)sass_get(w, 105, 4), (uint8_t)sass_get(w, 109, 1),
				      (uint8_t)sass_get(w, 110, 3), (uint8_t)sass_get(w, 113, 3),
				      (uint8_t)sass_get(w, 116, 6), (uint8_t)sass_get(w, 122, 4) };
}

static const struct sass_row *find_row(const struct sass_table *t, unsigned sm, struct sass_word w)
{
	const unsigned key = (unsigned)(w.lo & 0xfff) | (unsigned)(w.hi >> 27 & 1) << 12;

	for (unsigned i = t->first[key]; i < t->first[key + 1]; i++) {
		const struct sass_row *r = &t->row[t->list[i]];

		if (r->lo <= sm && sm <= r->hi && sass_holds(&r->match, w))
			return r;
	}
	return NULL;
}

/* Uniform registers have six bits up to sm_90, then eight; the highest is URZ. */
static uint16_t uniform_reg(unsigned sm, uint64_t v)
{
	if (sm >= 100)
		return (uint16_t)v;
	return (v & 63) == 63 ? SASS_ZERO : (uint16_t)(v & 63);
}

static int64_t sign(uint64_t v, unsigned bits) { return (int64_t)(v << (64 - bits)) >> (64 - bits); }

static unsigned bits_len(const struct sass_bits *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->n; i++)
		n += b->part[i].len;
	return n;
}

/* A field of its own size, in which all ones are URZ. */
static uint16_t small_uniform_reg(const struct sass_field *f, uint64_t v)
{
	return v == (UINT64_C(1) << bits_len(&f->bits)) - 1 ? SASS_ZERO : (uint16_t)v;
}

static void read_target(unsigned sm, struct sass_word w, const struct sass_field *f, struct sass_insn *out)
{
	int64_t v;

	out->has_target = true;
	switch (f->kind) {
	case FIELD_TARGET_SSY:
		out->target = 4 * sign(sass_get(w, 34, 30), 30) + 16;
		break;
	case FIELD_TARGET_PC:
		out->target = sign(sass_get(w, 24, 58), 58) + 16;
		break;
	default:
		v = sm >= 90 ? sign(sass_get(w, 34, 48) << 8 | sass_get(w, 16, 8), 56) : sign(sass_get(w, 34, 48), 48);
		out->target_absolute = f->kind == FIELD_TARGET_ABS;
		out->target = 4 * v + (out->target_absolute ? 0 : 16);
	}
}

static void add_mod(struct sass_insn *out, unsigned id, uint64_t value)
{
	if (out->nmod == SASS_MODS)
		return;
	out->mod[out->nmod].field = (uint16_t)id;
	out->mod[out->nmod++].value = (uint16_t)value;
}

/* What kind of operand it is says how its bits V are read. */
static void read_operand(unsigned sm, struct sass_word w, const struct sass_field *f, uint64_t v,
			 const struct sass_row *row, struct sass_operand *o)
{
	switch ((enum sass_kind)f->kind) {
	case SASS_GPR:
	case SASS_UGPR:
		if (f->kind == SASS_GPR)
			o->reg = (uint16_t)v;
		else
			o->reg = f->bits.part[0].len < 8 ? small_uniform_reg(f, v) : uniform_reg(sm, v);
		if (f->derived && o->reg != SASS_ZERO)
			o->reg++;
		if (o->reg != SASS_ZERO)
			o->n = (uint8_t)sass_width(f, w);
		break;
	case SASS_PRED:
	case SASS_UPRED:
		o->reg = (uint16_t)(f->inverted ? 7 - v : v);
		o->n = o->reg != SASS_TRUE;
		break;
	case SASS_CBAR:
		o->reg = (uint16_t)v;
		o->n = 1;
		break;
	case SASS_CONST:
		o->value = v * f->scale;
		o->n = (uint8_t)sass_width(f, w);
		if (f->bindless)
			o->reg = uniform_reg(sm, sass_get(w, 32, 8));
		else
			o->bank = (uint8_t)sass_get(w, f->bank, 5);
		break;
	case SASS_PREDS: /* the mask is the immediate, where that is the form; else any */
		o->value = row->form == 4 ? v : 0x7f;
		break;
	case SASS_INT:
	case SASS_F32:
	case SASS_F64:
	case SASS_F16X2:
	case SASS_INT64:
	case SASS_MASK:
	case SASS_SREG:
		o->value = f->is_signed ? (uint64_t)sign(v, bits_len(&f->bits)) : v;
		break;
	}
}

static void read_field(unsigned sm, struct sass_word w, const struct sass_field *f, unsigned index,
		       struct sass_insn *out)
{
	const uint64_t v = f->kind < FIELD_TARGET ? sass_get_bits(w, &f->bits) : 0;
	struct sass_operand *o;

	if (f->conditional && !sass_holds(&f->cond, w)) {
		const uint64_t raw = v & (f->kind == SASS_UGPR && sm < 100 ? 63 : 255);

		if (!f->derived)
			add_mod(out, SASS_FIELD_ABSENT | index,
				(uint64_t)(f->neg && sass_get(w, f->neg, 1)) << 8 | raw);
		return;
	}
	if (f->kind >= FIELD_TARGET) {
		read_target(sm, w, f, out);
		return;
	}
	if (f->kind == FIELD_OFFSET) {
		out->has_imm = true;
		out->imm = sign(v, bits_len(&f->bits)) * f->scale;
		return;
	}
	o = &out->op[out->nop++];
	*o = (struct sass_operand){
		.kind = f->kind, .role = f->role, .field = (uint8_t)index, .write = f->write, .bindless = f->bindless
	};
	if (f->neg)
		o->neg = sass_get(w, f->neg, 1);
	if (f->abs)
		o->abs = sass_get(w, f->abs, 1);
	if (f->half)
		o->half = (uint8_t)sass_get(w, f->half, 2);
	read_operand(sm, w, f, v, out->row, o);
}

bool sass_decode(unsigned sm, struct sass_word w, struct sass_insn *out)
{
	const struct sass_table *t = sass_table();
	const struct sass_row *r = find_row(t, sm, w);
	struct sass_word claimed;

	/* the operands and modifiers behind nop and nmod stay as they were: nobody reads them */
	out->row = r;
	out->nop = out->nmod = out->space = 0;
	out->has_imm = out->has_target = out->target_absolute = false;
	out->imm = out->target = 0;
	out->control = sass_control(w);
	out->guard = (struct sass_operand){ .kind = r && r->uniform ? SASS_UPRED : SASS_PRED,
					    .role = SROLE_PP,
					    .reg = (uint16_t)sass_get(w, 12, 3),
					    .neg = sass_get(w, 15, 1) };
	out->guard.n = out->guard.reg != SASS_TRUE;
	if (!r) {
		out->unclaimed = (struct sass_word){ w.lo, w.hi & ~(UINT64_C(0x1fffff) << 41) };
		return false;
	}
	out->space = r->space;
	claimed = r->claimed;
	for (unsigned i = 0; i < r->nmod; i++) {
		const struct sass_modref *ref = &t->ref[r->mod + i];

		for (unsigned k = ref->mod; k < (unsigned)ref->mod + ref->count; k++) {
			const struct sass_mod *m = &t->mod[k];

			if (sm < m->lo || sm > m->hi || !sass_holds(&m->cond, w))
				continue;
			add_mod(out, k, sass_get_bits(w, &m->bits));
			sass_put_bits(&claimed, &m->bits, ~UINT64_C(0));
		}
	}
	for (unsigned i = 0; i < r->nfield; i++)
		read_field(sm, w, &t->field[r->field + i], i, out);
	out->unclaimed = (struct sass_word){ w.lo & ~claimed.lo, w.hi & ~claimed.hi };
	return true;
}

enum sass_class sass_class(const struct sass_insn *i)
{
	return i->row ? (enum sass_class)i->row->class : SCLASS_UNKNOWN;
}
const char *sass_mnemonic(const struct sass_insn *i) { return i->row ? i->row->mnemonic : "?"; }

enum sass_sure sass_sure(const struct sass_insn *i) { return i->row ? (enum sass_sure)i->row->sure : SURE_GUESS; }

int sass_mod(const struct sass_insn *i, const char *id)
{
	const struct sass_table *t = sass_table();

	for (unsigned k = 0; k < i->nmod; k++)
		if (!(i->mod[k].field & SASS_FIELD_ABSENT) && !strcmp(t->mod[i->mod[k].field].id, id))
			return i->mod[k].value;
	return -1;
}

unsigned sass_takes_registers(const struct sass_insn *i)
{
	enum { TRY_ALLOC = 2 };

	for (unsigned o = 0; i->row && sass_mod(i, "setmaxreg") == TRY_ALLOC && o < i->nop; o++)
		if (i->op[o].role == SROLE_NUM)
			return (unsigned)i->op[o].value;
	return 0;
}

bool sass_decode_words(unsigned sm, const uint64_t w[2], struct sass_insn *out)
{
	return sass_decode(sm, (struct sass_word){ w[0], w[1] }, out);
}

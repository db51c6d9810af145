/* Operands of f16, bf16 and the smaller formats: which registers they take, and comparisons of pairs, which have a result for
 * each half. */
#include "insn.h"

enum scalar_type half_type(const struct mnemonic *mn, bool dst, char letter)
{
	static const char *const base[] = { "add", "sub", "mul", "fma", "neg", "abs", "min", "max", "ex2", "tanh", "setp", "set", "cvt" };
	bool mine = false, by_side = mnemonic_is(mn, "cvt") || mnemonic_is(mn, "set");
	enum scalar_type t = mn->ntypes ? mn->type[0] : TY_PRED;

	for (size_t i = 0; i < sizeof base / sizeof *base; i++)
		mine |= mnemonic_is(mn, base[i]);
	if (!mine || letter == 'P')
		return TY_PRED;
	if (mn->ntypes > 1 && (by_side ? !dst : letter == 'H'))          /* add.f32.f16 d, a, c: only a is an f16 */
		t = mn->type[1];
	return t == TY_F16 || t == TY_F16X2 || (type_info[t].kind == 'x' && type_info[t].bits >= 8) ? t : TY_PRED;
}

/* p and q = t0 and t1 BOOL c, where p, q, c and the guard may be one register: all is read before any is written, and the
 * guard last of all. */
static bool combined(struct build *b, const struct operand *second, const struct operand *c)
{
	static const enum op rows[] = { [CB_AND] = OP_AND_PRED, [CB_OR] = OP_OR_PRED, [CB_XOR] = OP_XOR_PRED };
	struct parser *p = b->p;
	struct use dst[2] = { b->dst[0], { .o = second, .letter = 'P', .bits = 1 } }, from = { .o = c, .letter = 'P', .bits = 1 };
	enum op row = rows[b->mn->cbool];
	struct mnemonic plain = *b->mn;
	struct build compare = *b;
	struct operand t[2];
	struct ref to[2], with, none;
	unsigned first;

	plain.cbool = CB_NONE;
	compare.mn = &plain;
	compare.guard = ref_none();
	for (unsigned d = 0; d < 2; d++) {
		t[d] = (struct operand){ .kind = O_REG, .type = TY_PRED, .n = 1, .off = b->mn->off, .val = ir_vreg(p->k, NULL, RC_PRED, 1) };
		compare.dst[d] = (struct use){ .o = &t[d], .letter = 'P', .bits = 1 };
		if (!use_destination(b, &dst[d], true, &to[d], &none))
			return false;
	}
	if (!use_source(b, &from, &with) || !insn_finish(&compare))
		return false;
	for (unsigned d = 0; d < 2; d++)
		t[d].val = build_binary(b, row, RC_PRED, ref_reg(t[d].val), with).val;
	first = to[0].kind == REF_REG && b->guard.kind == REF_REG && to[0].val == b->guard.val;
	for (unsigned n = 0; n < 2; n++)
		if (to[n ^ first].kind == REF_REG)
			build_emit1(b, OP_MOV_PRED, to[n ^ first], ref_reg(t[n ^ first].val), b->guard);
	return true;
}

/* setp.lt.f16x2 p|q, a, b: p of the low halves, q of the high ones. */
bool half_setp(struct build *b)
{
	static const struct operand sink = { .kind = O_SINK };
	struct parser *p = b->p;
	const struct mnemonic *mn = b->mn;
	const struct operand *o = &p->op[0], *second = o->second ? o->second : &sink;
	unsigned want = mn->cbool ? 4 : 3;

	if (p->nop != want)
		return parse_error(p, mn->off, "'%s' takes %u operands; %u %s given", mn->text, want, p->nop, p->nop == 1 ? "is" : "are");
	b->ndst = b->nsrc = 2;
	b->dst[0] = (struct use){ .o = o, .letter = 'P', .bits = 1 };
	b->dst[1] = (struct use){ .o = second, .letter = 'P', .bits = 1 };
	for (unsigned s = 0; s < 2; s++)
		b->src[s] = (struct use){ .o = &p->op[1 + s], .letter = 'W', .bits = 32 };
	return mn->cbool ? combined(b, second, &p->op[3]) : insn_finish(b);
}

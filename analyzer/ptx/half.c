/* Operands of f16, bf16 and the smaller formats: which registers they take, and comparisons of pairs, which have a
 * result for each half. */
#include "insn.h"

enum scalar_type half_type(const struct mnemonic *mn, bool dst, char letter)
{
	static const char *const base[] = { "add", "sub", "mul",  "fma",  "neg", "abs", "min",
					    "max", "ex2", "tanh", "setp", "set", "cvt" };
	bool mine = false, by_side = mnemonic_is(mn, "cvt") || mnemonic_is(mn, "set");
	enum scalar_type t = mn->ntypes ? mn->type[0] : TY_PRED;

	for (size_t i = 0; i < sizeof base / sizeof *base; i++)
		mine |= mnemonic_is(mn, base[i]);
	if (!mine || letter == 'P')
		return TY_PRED;
	if (mn->ntypes > 1 && (by_side ? !dst : letter == 'H')) /* add.f32.f16 d, a, c: only a is an f16 */
		t = mn->type[1];
	return t == TY_F16 || t == TY_F16X2 || (type_info[t].kind == 'x' && type_info[t].bits >= 8) ? t : TY_PRED;
}

/* p and q = t0 and t1 BOOL c, where p, q, c and the guard may be one register: all is read before any is written, and
 * the guard last of all. */
static bool combined(struct build *b, const struct operand *second, const struct operand *c)
{
	static const enum op rows[] = { [CB_AND] = OP_AND_PRED, [CB_OR] = OP_OR_PRED, [CB_XOR] = OP_XOR_PRED };
	struct parser *p = b->p;
	struct use dst[2] = { b->dst[0], { .o = second, .letter = 'P', .bits = 1 } },
		   from = { .o = c, .letter = 'P', .bits = 1 };
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
		t[d] = (struct operand){ .kind = O_REG,
					 .type = TY_PRED,
					 .n = 1,
					 .off = b->mn->off,
					 .val = ir_vreg(p->k, NULL, RC_PRED, 1) };
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
		return parse_error(p, mn->off, "'%s' takes %u operands; %u %s given", mn->text, want, p->nop,
				   p->nop == 1 ? "is" : "are");
	b->ndst = b->nsrc = 2;
	b->dst[0] = (struct use){ .o = o, .letter = 'P', .bits = 1 };
	b->dst[1] = (struct use){ .o = second, .letter = 'P', .bits = 1 };
	for (unsigned s = 0; s < 2; s++)
		b->src[s] = (struct use){ .o = &p->op[1 + s], .letter = 'W', .bits = 32 };
	return mn->cbool ? combined(b, second, &p->op[3]) : insn_finish(b);
}

/* A value where predicate P holds, else 0. */
static struct ref select(const struct build *b, struct ref p, uint32_t value)
{
	struct ref d = ref_reg(ir_vreg(b->p->k, NULL, RC_32, 32));
	struct insn *i = build_append(b, OP_SELP_B32, 1, 3);

	insn_dst(b->p->k, i)[0] = d;
	insn_src(b->p->k, i)[0] = ir_imm(b->p->k, value);
	insn_src(b->p->k, i)[1] = ir_imm(b->p->k, 0);
	insn_src(b->p->k, i)[2] = p;
	return d;
}

/* set.lt.dtype.f16x2 d, a, b{, c}: 1.0, or 0xffff where dtype is an integer, in each half that compares so. */
bool half_set(struct build *b, struct mnemonic *cmp)
{
	static const enum op rows[] = { [CB_AND] = OP_AND_PRED, [CB_OR] = OP_OR_PRED, [CB_XOR] = OP_XOR_PRED };
	struct parser *p = b->p;
	const struct mnemonic *mn = b->mn;
	enum scalar_type to = mn->type[0];
	const bool integer = to == TY_U32 || to == TY_S32;
	const uint32_t one = to == TY_F16X2 ? 0x3c00 : 0x3f80, yes = integer ? 0xffff : one;
	unsigned want = mn->cbool ? 4 : 3;
	struct use dst = { .o = &p->op[0], .letter = 'W', .bits = 32 },
		   third = { .o = &p->op[3], .letter = 'P', .bits = 1 };
	struct build compare = *b;
	struct operand t[2];
	struct ref r[2], c, d, low, high;
	struct insn *i;

	if (mn->ntypes != 2 || (yes != 0xffff && to != mn->type[1]))
		return parse_error(
			p, mn->off,
			"unsupported instruction '%s': its result is .u32, .s32 or of the type of the operands",
			mn->text);
	if (mnemonic_has(mn, "ftz") && !(op_info[cmp->op].flags & OPF_FTZ))
		return parse_error(p, mn->off, "'%s' takes no .ftz", mn->text);
	if (!isa_check(p, mn) || !insn_operands(p))
		return false;
	if (p->nop != want)
		return build_wrong_count(b, want, want);
	if (p->op[0].second)
		return parse_error(p, p->op[0].off, "'%s' has one destination", mn->text);
	cmp->mods |= mnemonic_has(mn, "ftz") ? MOD_FTZ : 0u;
	cmp->type[0] = cmp->type[1];
	cmp->ntypes = 1;
	cmp->cbool = CB_NONE;
	compare.mn = cmp;
	compare.guard = ref_none();
	compare.ndst = compare.nsrc = 2;
	for (unsigned n = 0; n < 2; n++) {
		r[n] = ref_reg(ir_vreg(p->k, NULL, RC_PRED, 1));
		t[n] = (struct operand){ .kind = O_REG, .type = TY_PRED, .n = 1, .off = mn->off, .val = r[n].val };
		compare.dst[n] = (struct use){ .o = &t[n], .letter = 'P', .bits = 1 };
		compare.src[n] = (struct use){ .o = &p->op[1 + n], .letter = 'W', .bits = 32 };
	}
	if (!use_destination(b, &dst, false, &d, &c) || !insn_finish(&compare) ||
	    (mn->cbool && !use_source(b, &third, &c)))
		return false;
	for (unsigned n = 0; n < 2 && mn->cbool; n++)
		r[n] = build_binary(b, rows[mn->cbool], RC_PRED, r[n], c);
	low = select(b, r[0], yes);
	high = select(b, r[1], yes << 16);
	i = build_append(b, OP_OR_B32, 1, 2);
	i->guard = b->guard;
	insn_dst(p->k, i)[0] = d;
	insn_src(p->k, i)[0] = low;
	insn_src(p->k, i)[1] = high;
	return true;
}

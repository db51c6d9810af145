/* Instructions that become several: set, and lop3 with a predicate. */
#include "insn.h"

#include <stdio.h>
#include <string.h>

static struct operand fresh_operand(struct parser *p, enum reg_class rc)
{
	uint32_t r = ir_vreg(p->k, NULL, rc, rc == RC_PRED ? 1 : 32);

	return (struct operand){ .kind = O_REG, .type = rc == RC_PRED ? TY_PRED : TY_B32, .n = 1, .val = r };
}

static struct operand number(uint64_t v) { return (struct operand){ .kind = O_CONST, .n = 1, .k = { .i = v } }; }

/* One row from operands as written; letters by the row's signature. */
static bool emit(struct build *like, const struct mnemonic *mn, struct ref guard, const struct operand *d,
		 const struct operand *const s[], unsigned nsrc)
{
	struct build b = { .p = like->p, .mn = mn, .guard = guard, .ndst = 1, .nsrc = nsrc };
	const char *sig = op_info[mn->op].sig, *letter = strchr(sig, '_') + 1;

	b.dst[0] = (struct use){ d, sig[0], (uint8_t)use_letter_bits(sig[0]), false };
	for (unsigned i = 0; i < nsrc; i++) {
		char l = i < op_info[mn->op].nsrc ? letter[i] : 'P';

		b.src[i] = (struct use){ s[i], l, (uint8_t)use_letter_bits(l), false };
	}
	return insn_finish(&b);
}

/* What set writes for true in each type that it may have. */
static const struct {
	enum scalar_type type;
	enum op select;
	uint32_t yes;
} set_type[] = {
	{ TY_U32, OP_SELP_B32, 0xffffffff }, { TY_S32, OP_SELP_B32, 0xffffffff }, { TY_F32, OP_SELP_B32, 0x3f800000 },
	{ TY_U16, OP_SELP_B16, 0xffff },     { TY_S16, OP_SELP_B16, 0xffff },     { TY_F16, OP_SELP_B16, 0x3c00 },
	{ TY_BF16, OP_SELP_B16, 0x3f80 },
};

/* set.CMP{.BOOL}{.ftz}.dtype.stype d, a, b{, c}: a comparison as of setp, then a selection. */
bool set_parse(struct build *b)
{
	struct parser *p = b->p;
	struct mnemonic cmp = *b->mn, sel = *b->mn;
	struct operand yes = number(0), no = number(0), pred, d;
	const struct operand *in[3] = { &p->op[1], &p->op[2], &p->op[3] };
	char key[64] = "setp";
	unsigned n = 4, types = 0, t = 0;

	if (!old_map_f64(p, &cmp))
		return false;
	for (unsigned i = 1; i < cmp.nparts; i++) {
		bool type = type_find(cmp.part[i].s, cmp.part[i].len) != TY_COUNT;

		if ((type && types++ == 0) || mnemonic_part_is(&cmp, i, "and") || mnemonic_part_is(&cmp, i, "or") ||
		    mnemonic_part_is(&cmp, i, "xor") || mnemonic_part_is(&cmp, i, "ftz"))
			continue;
		n += type && types == 2
			     ? (unsigned)snprintf(key + n, sizeof key - n, ".%s", type_info[cmp.type[1]].text)
			     : (unsigned)snprintf(key + n, sizeof key - n, ".%.*s", (int)cmp.part[i].len,
						  cmp.part[i].s);
		if (n >= sizeof key)
			return parse_error(p, cmp.off, "unknown instruction '%s'", cmp.text);
	}
	while (t < sizeof set_type / sizeof *set_type && (cmp.ntypes != 2 || set_type[t].type != cmp.type[0]))
		t++;
	cmp.op = op_find(key, n);
	if (cmp.op != OP_COUNT && op_info[cmp.op].opsig == OPSIG_PP_WW)
		return half_set(b, &cmp);
	if (cmp.op == OP_COUNT || t == sizeof set_type / sizeof *set_type)
		return parse_error(p, cmp.off,
				   "unsupported or misspelt instruction '%s': set has a comparison, the type of the "
				   "result and that of the operands",
				   cmp.text);
	cmp.mods |= old_ftz(p, &cmp);
	if (mnemonic_has(&cmp, "ftz")) {
		if (!(op_info[cmp.op].flags & OPF_FTZ))
			return parse_error(p, cmp.off, "'%s' takes no .ftz", cmp.text);
		cmp.mods |= MOD_FTZ;
	}
	if (!insn_operands(p))
		return false;
	n = cmp.cbool != CB_NONE ? 4 : 3;
	if (p->nop != n)
		return build_wrong_count(b, n, n);
	if (p->op[0].second)
		return parse_error(p, p->op[0].off, "'%s' has one destination", cmp.text);
	pred = fresh_operand(p, RC_PRED);
	cmp.type[0] = cmp.type[1];
	cmp.ntypes = 1;
	if (!emit(b, &cmp, ref_none(), &pred, in, n - 1))
		return false;
	d = p->op[0];
	if (sel.type[0] == TY_F16 || sel.type[0] == TY_BF16)
		sel.type[0] = d.type = TY_B16;
	if (sel.type[0] == TY_F32 && d.kind == O_REG && d.type == TY_F32)
		sel.type[0] = d.type = TY_B32; /* the bits of 1.0 */
	sel.op = set_type[t].select;
	sel.cbool = CB_NONE;
	sel.ntypes = 1;
	yes.k.i = set_type[t].yes;
	return emit(b, &sel, b->guard, &d, (const struct operand *const[]){ &yes, &no, &pred }, 3);
}

/* lop3.BOOL.b32 d|p, a, b, c, table, q: p is (d != 0) BOOL q. */
bool lop3_predicate_parse(struct build *b)
{
	struct parser *p = b->p;
	struct mnemonic mn = *b->mn;
	struct operand zero = number(0), value;

	mn.cbool = mnemonic_has(&mn, "and") ? CB_AND : CB_OR;
	if (!insn_operands(p))
		return false;
	if (mn.nparts != 3 || mn.ntypes != 1 || mn.type[0] != TY_B32)
		return parse_error(p, mn.off, "unsupported or misspelt instruction '%s'; did you mean 'lop3.b32'?",
				   mn.text);
	if (p->nop != 6)
		return build_wrong_count(b, 6, 6);
	if (!p->op[0].second)
		return parse_error(p, p->op[0].off, "'%s' has two destinations, d|p", mn.text);
	if (p->op[4].kind != O_CONST)
		return parse_error(p, p->op[4].off, "the truth table of '%s' is a constant", mn.text);
	value = fresh_operand(p, RC_32);
	mn.op = OP_LOP3_B32;
	{
		struct mnemonic plain = mn;

		plain.cbool = CB_NONE;
		if (!emit(b, &plain, ref_none(), &value,
			  (const struct operand *const[]){ &p->op[1], &p->op[2], &p->op[3], &p->op[4] }, 4))
			return false;
		plain.op = OP_MOV_B32;
		if (p->op[0].kind != O_SINK) {
			struct operand d = p->op[0];

			d.second = NULL;
			if (!emit(b, &plain, b->guard, &d, (const struct operand *const[]){ &value }, 1))
				return false;
		}
	}
	mn.op = OP_SETP_NE_B32;
	return emit(b, &mn, b->guard, p->op[0].second, (const struct operand *const[]){ &value, &zero, &p->op[5] }, 3);
}

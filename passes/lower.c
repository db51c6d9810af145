/* Lowering: what PTX says and the machine does not have becomes what it has.
 *
 *   ld.param of a 32- or 64-bit value at a constant address    mov from the constant bank, c[0][offset]; not with
 *                                                              --no-fold
 *   %ntid, %nctaid; WARP_SZ                                    c[0][...] below the parameters; 32
 *   cvta, cvta.to                                              mov (global), add and sub of the window's base (others)
 *   the address of a .shared or .local variable                an immediate: its offset in the kernel's frame
 *   a generic access that names a variable                     an access to the variable's space
 *
 * Narrower, unaligned, vector and indexed parameter loads stay loads from parameter space. Addresses of .global and
 * .const variables stay symbols: the loader knows them. Blocks and control flow do not change. */
#include "passes/pass.h"

/* params: become constants */
struct lower {
	struct kernel *k;
	struct rewrite rw;
	bool changed, params;
};

static struct ref imm_for(struct kernel *k, uint64_t v, char letter)
{
	return ir_imm(k, letter == 'D' || letter == 'G' ? v : (uint32_t)v);
}

/* The frame offset that a reference to a shared or local variable stands for. */
static bool frame_offset(const struct kernel *k, struct ref r, enum space *space, uint64_t *value)
{
	const struct symref *sr;
	const struct symbol *s;

	if (r.kind != REF_SYM)
		return false;
	sr = &k->symref[r.val];
	s = &k->m->sym[sr->sym];
	if (s->space != SP_SHARED && s->space != SP_LOCAL)
		return false;
	*space = s->space;
	*value = ir_frame_offset(k, s) + (uint64_t)sr->addend;
	return true;
}

static enum op mov_of_load(const struct insn *i)
{
	switch (op_info[i->op].opsig) {
	case OPSIG_W_M:
		return OP_MOV_B32;
	case OPSIG_F_M:
		return OP_MOV_F32;
	case OPSIG_D_M:
		return OP_MOV_B64;
	case OPSIG_G_M:
		return OP_MOV_F64;
	}
	return OP_COUNT;
}

/* A parameter load that can be a constant operand: whole, aligned, inside one parameter. */
static bool lower_param(struct lower *l, const struct insn *i)
{
	struct kernel *k = l->k;
	struct ref from, to;
	enum op mov = OP_COUNT;
	int64_t at, size;
	bool inside = false;

	if (!l->params || i->space != SP_PARAM || i->op >= OP_COUNT || !(op_info[i->op].flags & OPF_LOAD) ||
	    i->vec != 1 || i->mods & MOD_VOLATILE)
		return false;
	mov = mov_of_load(i);
	size = op_info[i->op].mem_bytes;
	from = insn_src(k, i)[0];
	if (mov == OP_COUNT || from.kind != REF_CONST || const_bank(from) != 0)
		return false;
	at = (int64_t)const_offset(from) + i->offset;
	for (uint32_t p = 0; p < k->nparam && !inside; p++) {
		int64_t start = PARAM_BASE + (int64_t)k->param[p].offset;

		inside = at >= start && at + size <= start + k->param[p].size;
	}
	if (!inside || at % size)
		return false;
	to = insn_dst(k, i)[0];
	struct insn *n = rewrite_new(&l->rw, mov, 1, 1, i);

	insn_dst(k, n)[0] = to;
	insn_src(k, n)[0] = ref_const(0, (uint32_t)at);
	return true;
}

/* mov from a special register whose value is in the constant bank, or fixed. */
static bool lower_sreg(struct lower *l, const struct insn *i)
{
	struct kernel *k = l->k;
	struct ref from, to, value;
	enum op cvt = OP_COUNT;
	struct insn *n;
	uint32_t t;

	if (!(op_info[i->op].flags & OPF_MOVE) || insn_src(k, i)[0].kind != REF_SREG)
		return false;
	from = insn_src(k, i)[0];
	to = insn_dst(k, i)[0];
	if (from.val >= SREG_NTID_X && from.val <= SREG_NTID_Z)
		value = ref_const(0, CONST_NTID + 4 * (from.val - SREG_NTID_X));
	else if (from.val >= SREG_NCTAID_X && from.val <= SREG_NCTAID_Z)
		value = ref_const(0, CONST_NCTAID + 4 * (from.val - SREG_NCTAID_X));
	else if (from.val == SREG_WARP_SZ)
		value = ir_imm(k, 32);
	else
		return false;
	if (op_info[i->op].opsig == OPSIG_D_D)
		cvt = OP_CVT_U64_U32;
	else if (op_info[i->op].opsig == OPSIG_H_H)
		cvt = OP_CVT_U16_W;
	t = cvt == OP_COUNT ? 0 : ir_vreg(k, sreg_name[from.val], RC_32, 32);
	n = rewrite_new(&l->rw, OP_MOV_B32, 1, 1, i);
	insn_dst(k, n)[0] = cvt == OP_COUNT ? to : ref_reg(t);
	insn_src(k, n)[0] = value;
	if (cvt != OP_COUNT) {
		n = rewrite_new(&l->rw, cvt, 1, 1, i);
		insn_dst(k, n)[0] = to;
		insn_src(k, n)[0] = ref_reg(t);
	}
	return true;
}

static bool window_base(enum space space, uint32_t *base)
{
	switch (space) {
	case SP_SHARED:
		*base = SHARED_WINDOW;
		return true;
	case SP_LOCAL:
		*base = LOCAL_WINDOW;
		return true;
	case SP_PARAM:
		*base = CONST_WINDOW;
		return true;
	case SP_CONST:
		*base = CONST_VARS_WINDOW;
		return true;
	case SP_NONE:
	case SP_GENERIC:
	case SP_GLOBAL:
	case SP_COUNT:
		break;
	}
	return false;
}

/* cvta has the named space in the instruction; the same offset holds in both directions. */
static bool lower_cvta(struct lower *l, const struct insn *i)
{
	struct kernel *k = l->k;
	bool to_space = i->op == OP_CVTA_TO_U64 || i->op == OP_CVTA_TO_U32,
	     wide = i->op == OP_CVTA_U64 || i->op == OP_CVTA_TO_U64;
	struct ref a, to, base_imm;
	struct insn *n;
	uint32_t base;

	if (!to_space && i->op != OP_CVTA_U64 && i->op != OP_CVTA_U32)
		return false;
	to = insn_dst(k, i)[0];
	a = insn_src(k, i)[0];
	if (window_base(i->space, &base)) {
		base_imm = ir_imm(k, base);
		if (to_space)
			n = rewrite_new(&l->rw, wide ? OP_SUB_S64 : OP_SUB_S32, 1, 2, i);
		else
			n = rewrite_new(&l->rw, wide ? OP_ADD_S64 : OP_ADD_S32, 1, 2, i);
		insn_src(k, n)[1] = base_imm;
	} else {
		n = rewrite_new(&l->rw, wide ? OP_MOV_B64 : OP_MOV_B32, 1, 1, i);
	}
	insn_dst(k, n)[0] = to;
	insn_src(k, n)[0] = a;
	return true;
}

/* Symbols among the operands of i, in place. */
static void lower_symbols(struct lower *l, struct insn *i)
{
	struct kernel *k = l->k;
	struct ref *src = insn_src(k, i);
	enum space space;
	uint64_t value;

	for (unsigned s = 0; s < i->nsrc; s++) {
		bool address = s == 0 && insn_has_address(i);

		if (src[s].kind != REF_SYM)
			continue;
		if (address && i->space == SP_GENERIC) {
			i->space = k->m->sym[k->symref[src[s].val].sym].space;
			l->changed = true;
		}
		if (!frame_offset(k, src[s], &space, &value))
			continue;
		l->changed = true;
		if (address) {
			int64_t at = (int64_t)value + i->offset;

			i->offset = at >= INT32_MIN && at <= INT32_MAX ? (int32_t)at : 0;
			src[s] = ir_imm(k, i->offset == at ? 0 : (uint32_t)at);
		} else {
			src[s] = imm_for(k, value, insn_operand_letter(i, i->ndst + s));
		}
	}
}

enum pass_result pass_lower(struct kernel *k, struct pass_ctx *cx)
{
	struct lower l = { .k = k, .params = cx->opt.fold };

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	rewrite_begin(&l.rw, k);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, n = k->block[b].n;

		rewrite_block(&l.rw);
		for (uint32_t j = first; j < first + n; j++) {
			struct insn *i = &l.rw.old[j];

			lower_symbols(&l, i);
			if (lower_param(&l, i) || lower_sreg(&l, i) || lower_cvta(&l, i))
				l.changed = true;
			else
				rewrite_keep(&l.rw, i);
		}
	}
	rewrite_end(&l.rw);
	return l.changed ? PASS_CHANGED : PASS_SAME;
}

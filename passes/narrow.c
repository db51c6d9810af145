/* 64-bit values of which only the low half is ever used become 32-bit ones.
 *
 * Shared and local addresses have 32 bits, but compilers compute them in 64 and the reader takes the low half of each.
 * The low half of a sum, product, left shift or bitwise combination needs only the low halves of its operands, so a
 * virtual register may shrink if each of its definitions is such an operation, and each of its uses either takes the
 * low half (cvt.u32.u64) or is an operand of an operation that shrinks too. The largest such set is found by starting
 * from all candidates and striking out until nothing changes (greatest fixed point); what leaves the set is looked at
 * again through the operands of its definitions only, so the work is linear in the uses. All definitions and uses of a
 * register change together, so loops and guarded definitions need no further argument: the new register always equals
 * the low half. */
#include "passes/pass.h"

struct narrow_row {
	uint16_t wide, slim;
};

/* The first `D` operands are those that shrink; W, H and B operands stay as they are. */
static const struct narrow_row rows[] = {
	{ OP_ADD_S64, OP_ADD_S32 },
	{ OP_SUB_S64, OP_SUB_S32 },
	{ OP_NEG_S64, OP_NEG_S32 },
	{ OP_MUL_LO_S64, OP_MUL_LO_S32 },
	{ OP_MAD_LO_S64, OP_MAD_LO_S32 },
	{ OP_MUL_WIDE_U32, OP_MUL_LO_S32 },
	{ OP_MUL_WIDE_S32, OP_MUL_LO_S32 },
	{ OP_MAD_WIDE_U32, OP_MAD_LO_S32 },
	{ OP_MAD_WIDE_S32, OP_MAD_LO_S32 },
	{ OP_AND_B64, OP_AND_B32 },
	{ OP_OR_B64, OP_OR_B32 },
	{ OP_XOR_B64, OP_XOR_B32 },
	{ OP_NOT_B64, OP_NOT_B32 },
	/* amounts of 32 and more clear the low half, and the 32-bit row clears at 32 too */
	{ OP_SHL_B64, OP_SHL_B32 },
	{ OP_SELP_B64, OP_SELP_B32 },
	{ OP_MOV_B64, OP_MOV_B32 },
	{ OP_CVT_U64_D, OP_MOV_B32 },
	{ OP_CVT_U64_U32, OP_MOV_B32 },
	{ OP_CVT_S64_S32, OP_MOV_B32 },
	{ OP_CVT_U64_U16, OP_CVT_U32_U16 },
	{ OP_CVT_S64_S16, OP_CVT_S32_S16 },
	{ OP_CVT_U64_U8, OP_CVT_U32_U8 },
	{ OP_CVT_S64_S8, OP_CVT_S32_S8 },
};

static enum op slim_op(enum op op)
{
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].wide == op)
			return rows[i].slim;
	return OP_COUNT;
}

/* A definition that may shrink: its row does, and no operand is one of which the low half cannot be named. */
static bool can_shrink(const struct kernel *k, const struct insn *i)
{
	const struct ref *src = insn_src(k, i);

	if (slim_op(i->op) == OP_COUNT || insn_dst(k, i)[0].kind != REF_REG)
		return false;
	for (unsigned s = 0; s < i->nsrc; s++)
		if (src[s].kind == REF_SREG || src[s].kind == REF_SYM)
			return false;
	return true;
}

struct narrow {
	struct kernel *k;
	uint64_t *in;           /* registers that may still shrink */
	uint32_t *def_at, *def; /* instructions that define register v: def[def_at[v] .. def_at[v+1]) */
	uint32_t *stack, top;
};

static void strike(struct narrow *n, struct ref r)
{
	if (r.kind == REF_REG && bitset_has(n->in, r.val)) {
		bitset_del(n->in, r.val);
		n->stack[n->top++] = r.val;
	}
}

static void find_candidates(struct narrow *n, struct arena *a)
{
	struct kernel *k = n->k;
	uint32_t *fill;

	n->in = bitset_new(a, k->nvreg);
	n->stack = new_array(a, uint32_t, k->nvreg + 1);
	n->def_at = new_array(a, uint32_t, k->nvreg + 2);
	fill = n->def_at + 1;
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t j = 0; j < k->ninsn; j++)
			for (unsigned s = 0; s < k->insn[j].ndst; s++) {
				struct ref r = insn_dst(k, &k->insn[j])[s];

				if (r.kind == REF_REG && pass)
					n->def[fill[r.val]++] = j;
				else if (r.kind == REF_REG)
					n->def_at[r.val + 2]++;
			}
		for (uint32_t v = 0; !pass && v < k->nvreg; v++)
			n->def_at[v + 2] += n->def_at[v + 1];
		if (!pass)
			n->def = new_array(a, uint32_t, n->def_at[k->nvreg + 1] + 1);
	}
	for (uint32_t v = 0; v < k->nvreg; v++)
		if (k->vreg[v].rc == RC_64 && n->def_at[v] != n->def_at[v + 1])
			bitset_add(n->in, v);
}

static void strike_all(struct narrow *n)
{
	struct kernel *k = n->k;

	for (uint32_t j = 0; j < k->ninsn; j++) {
		const struct insn *i = &k->insn[j];
		bool shrinks = can_shrink(k, i);

		if (!shrinks)
			for (unsigned s = 0; s < i->ndst; s++)
				strike(n, insn_dst(k, i)[s]);
		if (!shrinks && i->op != OP_CVT_U32_D)
			for (unsigned s = 0; s < i->nsrc; s++)
				strike(n, insn_src(k, i)[s]);
	}
	while (n->top) { /* a result that stays wide needs wide operands */
		uint32_t v = n->stack[--n->top];

		for (uint32_t d = n->def_at[v]; d < n->def_at[v + 1]; d++) {
			const struct insn *i = &k->insn[n->def[d]];

			for (unsigned s = 0; s < i->nsrc; s++)
				strike(n, insn_src(k, i)[s]);
		}
	}
}

/* The low half of a wide operand of a shrinking instruction. */
static struct ref low_half(struct narrow *n, struct rewrite *rw, const uint32_t *slim, const struct insn *like,
			   struct ref r)
{
	struct kernel *k = n->k;
	struct insn *c;
	uint32_t t;

	if (r.kind == REF_IMM)
		return ir_imm(k, (uint32_t)k->imm[r.val]);
	if (r.kind != REF_REG)
		return r; /* a constant: little endian, the low half is first */
	if (slim[r.val] != UINT32_MAX)
		return ref_reg(slim[r.val]);
	t = ir_vreg(k, k->vreg[r.val].name, RC_32, 32);
	c = rewrite_new(rw, OP_CVT_U32_D, 1, 1, like);
	insn_dst(k, c)[0] = ref_reg(t);
	insn_src(k, c)[0] = r;
	return ref_reg(t);
}

static void shrink(struct narrow *n, struct rewrite *rw, const uint32_t *slim, const struct insn *i)
{
	struct kernel *k = n->k;
	struct ref src[4], dst = insn_dst(k, i)[0];
	unsigned nsrc = i->nsrc;
	struct insn *x;

	for (unsigned s = 0; s < nsrc; s++) {
		src[s] = insn_src(k, i)[s];
		if (insn_operand_letter(i, 1 + s) == 'D')
			src[s] = low_half(n, rw, slim, i, src[s]);
	}
	x = rewrite_new(rw, slim_op(i->op), 1, nsrc, i);
	insn_dst(k, x)[0] = ref_reg(slim[dst.val]);
	for (unsigned s = 0; s < nsrc; s++)
		insn_src(k, x)[s] = src[s];
}

enum pass_result pass_narrow(struct kernel *k, struct pass_ctx *cx)
{
	struct narrow n = { .k = k };
	struct rewrite rw;
	uint32_t nwide = k->nvreg, *slim;
	bool any = false;

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	find_candidates(&n, &cx->scratch);
	strike_all(&n);
	slim = new_array(&cx->scratch, uint32_t, nwide + 1);
	for (uint32_t v = 0; v < nwide; v++) {
		slim[v] = UINT32_MAX;
		if (bitset_has(n.in, v)) {
			slim[v] = ir_vreg(k, k->vreg[v].name, RC_32, 32);
			any = true;
		}
	}
	if (!any)
		return PASS_SAME;
	rewrite_begin(&rw, k);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;

		rewrite_block(&rw);
		for (uint32_t j = first; j < end; j++) {
			struct insn *i = &rw.old[j];
			struct ref d = i->ndst ? insn_dst(k, i)[0] : ref_none(),
				   s = i->nsrc ? insn_src(k, i)[0] : ref_none();

			if (d.kind == REF_REG && d.val < nwide && slim[d.val] != UINT32_MAX) {
				shrink(&n, &rw, slim, i);
				continue;
			}
			if (i->op == OP_CVT_U32_D && s.kind == REF_REG && slim[s.val] != UINT32_MAX) {
				i->op = OP_MOV_B32;
				insn_src(k, i)[0].val = slim[s.val];
			}
			rewrite_keep(&rw, i);
		}
	}
	rewrite_end(&rw);
	return PASS_CHANGED;
}

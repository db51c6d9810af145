/* Uniform values, one instruction: what its results have in common over lanes, given what its sources have.
 *
 * Most instructions compute each lane from that lane alone: uniform sources make uniform results. Sums, differences and
 * products by uniform factors, and what only copies, keep values affine modulo 2^32; so does the lower half of 64 bits.
 * Of the upper half nothing is known, since carries come where they come, except in a shift by 32 and more.
 *
 * A load is the same in lanes that read one address together. Beyond the warp it is so only in memory that no thread
 * writes: constants and parameters. Local memory is each thread's own, and a generic address may be one of it in
 * kernels that have any. An atomic gives each lane its own old value. What a vote, a match or a sum over lanes gives is
 * one value for all that vote together, those whose member mask is the same. */
#include "passes/uniform_flow.h"

struct lanes lanes_meet(struct lanes a, struct lanes b)
{
	if (a.kind >= LANES_WARP && b.kind >= LANES_WARP)
		return a.kind < b.kind ? a : b;
	if (a.kind == LANES_VECTOR || b.kind == LANES_VECTOR)
		return lanes_of(LANES_VECTOR);
	return a.kind == b.kind && a.stride == b.stride ? a : lanes_of(LANES_AFFINE);
}

struct lanes lanes_cap(struct lanes a, enum lanes_kind most)
{
	if (most == LANES_VECTOR)
		return lanes_of(LANES_VECTOR);
	return a.kind > most ? lanes_of(most) : a;
}

/* ---- affine arithmetic, modulo 2^32 ---- */
static struct lanes affine(uint32_t stride)
{
	return stride ? (struct lanes){ (int32_t)stride, LANES_STRIDE } : lanes_of(LANES_WARP);
}

static struct lanes plus(struct lanes a, struct lanes b)
{
	if (lanes_uniform(a) && lanes_uniform(b))
		return lanes_meet(a, b);
	if (lanes_uniform(a))
		return b;
	if (lanes_uniform(b))
		return a;
	if (a.kind == LANES_STRIDE && b.kind == LANES_STRIDE)
		return affine((uint32_t)a.stride + (uint32_t)b.stride);
	return lanes_of(a.kind == LANES_VECTOR || b.kind == LANES_VECTOR ? LANES_VECTOR : LANES_AFFINE);
}

static struct lanes negated(struct lanes a) { return a.kind == LANES_STRIDE ? affine(0 - (uint32_t)a.stride) : a; }

/* A uniform factor, and its value if that is known. */
struct factor {
	struct lanes lanes;
	uint32_t value;
	bool known;
};

static struct lanes times(struct lanes a, struct factor by)
{
	if (lanes_uniform(a))
		return lanes_meet(a, by.lanes);
	if (a.kind == LANES_VECTOR)
		return a;
	return a.kind == LANES_STRIDE && by.known ? affine((uint32_t)a.stride * by.value) : lanes_of(LANES_AFFINE);
}

/* ---- operands ---- */
static struct lanes tid(const uint32_t block[3], unsigned axis)
{
	const uint64_t steps[] = { 1, block[0], (uint64_t)block[0] * block[1] }, below = steps[axis];
	bool rest = true;

	if (!block[0])
		return lanes_of(LANES_VECTOR);
	if (block[axis] == 1)
		return lanes_of(LANES_GRID);
	for (unsigned n = axis + 1; n < 3; n++)
		rest &= block[n] == 1;
	if (below % 32 == 0) /* it changes from warp to warp only */
		return lanes_of(LANES_WARP);
	return below == 1 && (rest || block[axis] % 32 == 0) ? affine(1) : lanes_of(LANES_VECTOR);
}

static struct lanes special(const struct uniform_flow *f, enum sreg s)
{
	if (s >= SREG_TID_X && s <= SREG_TID_Z)
		return tid(f->block, s - SREG_TID_X);
	if (s == SREG_LANEID)
		return affine(1);
	if (s >= SREG_LANEMASK_EQ && s <= SREG_LANEMASK_GE)
		return lanes_of(LANES_VECTOR);
	if (sreg_is_of_warp(s))
		return lanes_of(LANES_WARP);
	if ((s >= SREG_CTAID_X && s <= SREG_CTAID_Z) || s == SREG_SMID ||
	    (s >= SREG_CLUSTERID_X && s <= SREG_CLUSTERID_Z) ||
	    (s >= SREG_CLUSTER_CTAID_X && s <= SREG_CLUSTER_CTAID_Z) || s == SREG_CLUSTER_CTARANK)
		return lanes_of(LANES_CTA);
	return lanes_of(LANES_GRID); /* sizes and numbers of the launch */
}

struct lanes uniform_reg(const struct uniform_flow *f, uint32_t reg)
{
	struct lanes now;

	if (mreg_is_fixed(reg))
		return lanes_of(LANES_GRID);
	now = uniform_has_column(reg) ? f->now[uniform_column(f, reg)] : lanes_of(LANES_WARP);
	return uniform_is_of_warp(reg) && !lanes_uniform(now) ? lanes_of(LANES_WARP) : now;
}

/* A 64-bit register is the even one of a pair. */
static struct lanes operand(const struct uniform_flow *f, const struct insn *i, unsigned slot, unsigned half)
{
	const struct ref r = f->k->opnd[i->opnd + slot];

	if (r.kind == REF_SREG)
		return special(f, (enum sreg)r.val);
	if (r.kind != REF_REG)
		return lanes_of(LANES_GRID);
	return uniform_reg(f, mreg_is_fixed(r.val) ? r.val : r.val + half);
}

static struct lanes source(const struct uniform_flow *f, const struct insn *i, unsigned s, unsigned half)
{
	return operand(f, i, i->ndst + s, half);
}

static struct factor factor(const struct uniform_flow *f, const struct insn *i, unsigned s)
{
	const struct ref r = f->k->opnd[i->opnd + i->ndst + s];
	struct factor x = { .lanes = source(f, i, s, 0), .known = r.kind == REF_IMM };

	if (x.known)
		x.value = (uint32_t)f->k->imm[r.val];
	return x;
}

/* The lower 32 bits of the product of sources s and t. */
static struct lanes product(const struct uniform_flow *f, const struct insn *i, unsigned s, unsigned t)
{
	const struct lanes a = source(f, i, s, 0), b = source(f, i, t, 0);

	if (lanes_uniform(b))
		return times(a, factor(f, i, t));
	return lanes_uniform(a) ? times(b, factor(f, i, s)) : lanes_of(LANES_VECTOR);
}

/* Source 0 shifted left by source 1, not both uniform. */
static struct lanes shifted(const struct uniform_flow *f, const struct insn *i, unsigned half)
{
	const struct factor n = factor(f, i, 1);
	const struct lanes low = source(f, i, 0, 0);
	const uint32_t by = n.value - 32 * half; /* of the lower half, into this one */

	if (!lanes_uniform(n.lanes) || low.kind == LANES_VECTOR)
		return lanes_of(LANES_VECTOR);
	if (!n.known)
		return lanes_of(half ? LANES_VECTOR : LANES_AFFINE);
	if (n.value >= 32 * (half + 1u))
		return lanes_of(LANES_GRID);
	return half && n.value < 32 ? lanes_of(LANES_VECTOR)
				    : times(low, (struct factor){ lanes_of(LANES_GRID), 1u << by, true });
}

struct uniform_inputs uniform_read(const struct uniform_flow *f, const struct insn *i)
{
	struct uniform_inputs in = { lanes_of(LANES_GRID), lanes_of(LANES_GRID) };
	unsigned n;
	const struct reg_use *use = uniform_uses(f, i, &n);

	/* Of what may read everything it is none of the uses. */
	if (i->guard.kind == REF_REG && !mreg_is_fixed(i->guard.val))
		in.guard = uniform_reg(f, i->guard.val);
	for (unsigned u = 0; u < n; u++)
		if (!use[u].write && use[u].slot != 255)
			in.all = lanes_meet(in.all, uniform_reg(f, use[u].reg));
	for (unsigned s = 0; s < i->nsrc; s++)
		if (f->k->opnd[i->opnd + i->ndst + s].kind == REF_SREG)
			in.all = lanes_meet(in.all, source(f, i, s, 0));
	if (!lanes_uniform(in.all))
		in.all = lanes_of(LANES_VECTOR);
	return in;
}

/* Of instructions that look at other lanes. */
static struct lanes cross(const struct uniform_flow *f, const struct insn *i, const struct uniform_inputs *in,
			  unsigned slot)
{
	const bool together = !(i->mods & MOD_SYNC) || lanes_uniform(source(f, i, i->nsrc - 1u, 0));
	struct factor c;

	switch (i->op) {
	case OP_VOTE_ALL:
	case OP_VOTE_ANY:
	case OP_VOTE_UNI:
	case OP_VOTE_BALLOT:
	case OP_ACTIVEMASK:
	case OP_MATCH_ALL_B32:
	case OP_MATCH_ALL_B64:
	case OP_REDUX_ADD:
	case OP_REDUX_MIN_U32:
	case OP_REDUX_MIN_S32:
	case OP_REDUX_MAX_U32:
	case OP_REDUX_MAX_S32:
	case OP_REDUX_AND:
	case OP_REDUX_OR:
	case OP_REDUX_XOR:
		return lanes_of(together ? LANES_WARP : LANES_VECTOR);
	case OP_MATCH_ANY_B32:
	case OP_MATCH_ANY_B64:
		return lanes_of(lanes_uniform(in->all) ? LANES_WARP : LANES_VECTOR);
	case OP_ELECT:
		return lanes_of(together && slot == 0 ? LANES_WARP : LANES_VECTOR);
	case OP_SHFL_IDX: /* of one lane of 32, whether it executes or not */
		c = factor(f, i, 2);
		return lanes_of(c.known && (c.value & 0x1f1f) == 0x1f && lanes_uniform(source(f, i, 1, 0))
					? LANES_WARP
					: LANES_VECTOR);
	default:
		return lanes_of(LANES_VECTOR);
	}
}

static struct lanes loaded(const struct uniform_flow *f, const struct insn *i, struct lanes all)
{
	const struct kernel *k = f->k;
	/* of machine code, functions that are called may have local memory of their own */
	const bool has_local = k->res.local_bytes || k->res.stack ||
			       (k->native && (k->nproc || k->native->unknown || k->native->nnote));

	if (op_info[i->op].flags & OPF_ATOMIC || i->space == SP_LOCAL || (i->space == SP_GENERIC && has_local))
		return lanes_of(LANES_VECTOR);
	return i->space == SP_CONST || i->space == SP_PARAM ? all : lanes_cap(all, LANES_WARP);
}

/* Instructions that the engine has code for. */
static struct lanes engine_result(const struct uniform_flow *f, const struct insn *i, const struct uniform_inputs *in,
				  unsigned slot)
{
	const uint32_t flags = op_info[i->op].flags;

	if (flags & OPF_CROSS)
		return cross(f, i, in, slot);
	if (flags & OPF_LOAD)
		return lanes_uniform(in->all) ? loaded(f, i, in->all) : lanes_of(LANES_VECTOR);
	/* bar.red gives one result to all that execute it together, also where lanes give different barriers' numbers:
	 * the engine takes that of the first lane, and PTX says nothing of it. What calls that the host serves return
	 * may be anything. */
	return lanes_of(flags & OPF_BARRIER ? LANES_WARP : LANES_VECTOR);
}

/* Arithmetic on integers: source s of an instruction with 64-bit operands has its lower half here. */
static struct lanes low_half(const struct uniform_flow *f, const struct insn *i)
{
	switch (i->op) {
	case OP_ADD_S32:
	case OP_ADD_S64:
	case OP_ADD_CC_32:
	case OP_ADD_CC_64:
		return plus(source(f, i, 0, 0), source(f, i, 1, 0));
	case OP_SUB_S32:
	case OP_SUB_S64:
	case OP_SUB_CC_32:
	case OP_SUB_CC_64:
		return plus(source(f, i, 0, 0), negated(source(f, i, 1, 0)));
	case OP_ADDC_32:
	case OP_ADDC_64:
	case OP_ADDC_CC_32:
	case OP_ADDC_CC_64: /* the carry in is 0 or 1: no stride if it differs */
		return plus(plus(source(f, i, 0, 0), source(f, i, 1, 0)), source(f, i, 2, 0));
	case OP_SUBC_32:
	case OP_SUBC_64:
	case OP_SUBC_CC_32:
	case OP_SUBC_CC_64:
		return plus(plus(source(f, i, 0, 0), negated(source(f, i, 1, 0))), source(f, i, 2, 0));
	case OP_NEG_S32:
	case OP_NEG_S64:
	case OP_NOT_B32:
	case OP_NOT_B64:
		return negated(source(f, i, 0, 0));
	case OP_MUL_LO_S32:
	case OP_MUL_LO_S64:
	case OP_MUL_WIDE_U32:
	case OP_MUL_WIDE_S32:
		return product(f, i, 0, 1);
	case OP_MAD_LO_S32:
	case OP_MAD_LO_S64:
	case OP_MAD_WIDE_U32:
	case OP_MAD_WIDE_S32:
	case OP_MAD_CC_LO_32:
	case OP_MAD_CC_LO_64:
		return plus(product(f, i, 0, 1), source(f, i, 2, 0));
	case OP_MADC_LO_32:
	case OP_MADC_LO_64:
	case OP_MADC_CC_LO_32:
	case OP_MADC_CC_LO_64:
		return plus(plus(product(f, i, 0, 1), source(f, i, 2, 0)), source(f, i, 3, 0));
	default:
		return lanes_of(LANES_VECTOR);
	}
}

/* One of two values, all lanes the same one if the predicate is uniform: over no more than it is. */
static struct lanes chosen(const struct uniform_flow *f, const struct insn *i, unsigned half)
{
	const struct lanes by = source(f, i, 2, 0);

	return lanes_uniform(by) ? lanes_cap(lanes_meet(source(f, i, 0, half), source(f, i, 1, half)), by.kind)
				 : lanes_of(LANES_VECTOR);
}

/* Decoded machine code. Arithmetic makes uniform results of uniform sources, on either datapath, and special registers
 * are operands as PTX's are; of other instructions nothing is claimed, and of sums neither. */
static struct lanes native_result(const struct uniform_flow *f, const struct insn *i, const struct uniform_inputs *in)
{
	const uint32_t flags = op_info[i->op].flags;

	if (i->op == OP_SASS_SPECIAL && i->nsrc == 1 && i->ndst == 1 && !(i->mods & MOD_VARIES))
		return source(f, i, 0, 0);
	if (!lanes_uniform(in->all) || i->mods & MOD_VARIES || flags & (OPF_UNKNOWN | OPF_CROSS | OPF_ATOMIC))
		return lanes_of(LANES_VECTOR);
	if (flags & OPF_LOAD)
		return loaded(f, i, in->all);
	if (i->op == OP_SASS_SPECIAL) /* one that PTX has no name for is no operand */
		return i->nsrc ? in->all : lanes_of(LANES_VECTOR);
	return (i->op >= OP_SASS_MOVE && i->op <= OP_SASS_UNIFORM) || i->op == OP_SASS_SFU ? in->all
											   : lanes_of(LANES_VECTOR);
}

struct lanes uniform_result(const struct uniform_flow *f, const struct insn *i, const struct uniform_inputs *in,
			    unsigned slot, unsigned half)
{
	if (f->k->native)
		return native_result(f, i, in);
	if (!*op_info[i->op].expr || op_info[i->op].flags & (OPF_LOAD | OPF_ATOMIC | OPF_CROSS))
		return engine_result(f, i, in, slot);
	if (lanes_uniform(in->all))
		return in->all;
	switch (i->op) {
	case OP_UNPACK_B64:
		return source(f, i, 0, slot);
	case OP_MOV_B32:
	case OP_MOV_F32:
	case OP_CVT_U32_W:
	case OP_CVT_S32_W:
	case OP_CVT_U32_D:
	case OP_CVT_S32_D:
		return source(f, i, 0, 0);
	case OP_MOV_B64:
	case OP_MOV_F64:
	case OP_CVT_U64_D:
		return source(f, i, 0, half);
	case OP_PACK_B64:
		return source(f, i, half, 0);
	case OP_CVT_U64_U32:
		return half ? lanes_of(LANES_GRID) : source(f, i, 0, 0);
	case OP_CVT_S64_S32:
		return half ? lanes_of(LANES_VECTOR) : source(f, i, 0, 0);
	case OP_SELP_B32:
	case OP_SELP_F32:
	case OP_SELP_B64:
	case OP_SELP_F64:
		return chosen(f, i, half);
	case OP_SHL_B32:
	case OP_SHL_B64:
		return shifted(f, i, half);
	default: /* a second result is a carry */
		return slot || half ? lanes_of(LANES_VECTOR) : low_half(f, i);
	}
}

/* Encodings of registers, and eligibility for execution in fewer lanes: encode.h. */
#include "runtime-model/core/encode.h"

#include "analyzer/ir/texture.h"

/* ---- registers ---- */
struct encoding encoding_of(const struct value_sig *sig, uint32_t lanes, uint32_t missing)
{
	if ((lanes | missing) != UINT32_MAX)
		return (struct encoding){ .divergent = 1, .same = sig->same_active == SAME_ALL, .lanes = lanes };
	return (struct encoding){
		.lo = (uint16_t)(sig->same_lo & 7),
		.hi = (uint16_t)(sig->same_hi & 7),
		.all = (uint16_t)(sig->same_all & 7),
		.bdi = (uint16_t)bdi_of(sig->delta) & 3,
		.affine = sig->affine,
		.lanes = lanes,
	};
}

struct encoding encoding_plain(void) { return (struct encoding){ .lanes = UINT32_MAX }; }

unsigned encoding_bytes(struct encoding e, bool half)
{
	if (e.divergent)
		return WARP_LANES * 4;
	if (!half || e.all == SAME_ALL)
		return e.all + WARP_LANES * (4u - e.all);
	return e.lo + HALF_LANES * (4u - e.lo) + e.hi + HALF_LANES * (4u - e.hi);
}

/* Byte i of all lanes is in two of eight arrays, one for each half. */
unsigned encoding_arrays(struct encoding e, bool half, unsigned arrays)
{
	unsigned eighths = 8;

	if (!e.divergent && !half)
		eighths = 2 * (4u - e.all);
	else if (!e.divergent)
		eighths = e.all == SAME_ALL ? 0 : (4u - e.lo) + (4u - e.hi);
	return (eighths * arrays + 7) / 8;
}

/* ---- instructions ---- */
/* Different in the lanes of a warp: what hardware delivers for it is a vector. */
static bool is_vector(enum sreg r)
{
	return r == SREG_TID_X || r == SREG_TID_Y || r == SREG_TID_Z || r == SREG_LANEID || r == SREG_LANEMASK_EQ ||
	       r == SREG_LANEMASK_LT || r == SREG_LANEMASK_LE || r == SREG_LANEMASK_GT || r == SREG_LANEMASK_GE;
}

/* Each lane does it for itself and once, whatever the others do: control, what waits or communicates, what changes
 * memory by what is there, copies that somebody waits for. Or only the ways of one warp instruction have a meaning. */
static enum scalar_class class_of(const struct insn *i)
{
	const struct op_info *op = &op_info[i->op];
	const uint32_t never = OPF_BRANCH | OPF_END | OPF_EXIT | OPF_CALL | OPF_RETURN | OPF_TABLE | OPF_BARRIER |
			       OPF_FENCE | OPF_ATOMIC | OPF_CROSS | OPF_REGMUTEX;
	struct texture x;

	if (op->flags & never || op->fu == FU_CTRL || op->fu == FU_BAR || op->fu == FU_SHFL || op->fu == FU_TENSOR)
		return SCALAR_NEVER;
	if (op->fu == FU_SFU)
		return SCALAR_SFU;
	if (op->fu != FU_MEM)
		return SCALAR_ALU;
	if (i->space == SP_LOCAL || ((op->flags & OPF_LOAD) && (op->flags & OPF_STORE)))
		return SCALAR_NEVER;
	/* surfaces keep their order, which they do in one lane too */
	if (op->flags & OPF_SIDE && !texture_of((enum op)i->op, &x))
		return SCALAR_NEVER;
	return SCALAR_MEM;
}

static struct scalar_insn decode(const struct kernel *k, const struct insn *i)
{
	const struct op_info *op = &op_info[i->op];
	struct scalar_insn out = {
		.class = (uint8_t)class_of(i),
		.guarded = i->guard.kind != REF_NONE,
		.control = op->flags & (OPF_BRANCH | OPF_END | OPF_EXIT | OPF_CALL | OPF_RETURN | OPF_TABLE),
	};

	for (unsigned n = 0; n < i->ndst + (unsigned)i->nsrc; n++) {
		const struct ref *r = &k->opnd[i->opnd + n];

		if (r->kind == REF_SREG)
			out.vector |= is_vector((enum sreg)r->val);
		else if (r->kind == REF_REG && r->val >= MREG_P0 && r->val < MREG_PT)
			*(n < i->ndst ? &out.writes : &out.reads) |= (uint8_t)(1u << (r->val - MREG_P0));
	}
	return out;
}

struct scalar_insn *scalar_decode(const struct kernel *k, struct arena *a)
{
	struct scalar_insn *out = new_array(a, struct scalar_insn, k->ninsn + 1);

	for (uint32_t i = 0; i < k->ninsn; i++)
		out[i] = decode(k, &k->insn[i]);
	return out;
}

bool scalar_divergent(const struct scalar_warp *w, const struct scalar_case *c)
{
	if (c->insn->control && c->insn->guarded)
		return w->divergent;
	return c->active && !scalar_convergent(c);
}

static bool predicates_are(const uint32_t known[], const struct scalar_insn *i, uint32_t lanes)
{
	for (unsigned p = 0; p < ENCODE_PREDS; p++)
		if (i->reads >> p & 1 && lanes & ~known[p])
			return false;
	return true;
}

bool scalar_predicates(const struct scalar_warp *w, const struct scalar_insn *i, uint32_t lanes)
{
	return predicates_are(w->same, i, lanes);
}

/* What is no general register is one value in these lanes, by what is known of predicates. */
static bool others_are_scalar(const uint32_t known[], const struct scalar_insn *i, uint32_t lanes)
{
	return !i->vector && predicates_are(known, i, lanes);
}

static enum scalar_how how_divergent(const struct scalar_warp *w, const struct scalar_case *c)
{
	if (!others_are_scalar(w->same, c->insn, c->active))
		return HOW_VECTOR;
	for (unsigned s = 0; s < c->n; s++)
		if (c->src[s].divergent ? !c->src[s].same || c->src[s].lanes != c->active : c->src[s].all != SAME_ALL)
			return HOW_VECTOR;
	return HOW_DIVERGENT;
}

enum scalar_how scalar_how(const struct scalar_warp *w, const struct scalar_case *c, unsigned rules)
{
	static const enum scalar_how halves[] = { HOW_VECTOR, HOW_LOW, HOW_HIGH, HOW_HALVES };
	bool all, low, high;

	if (c->insn->class == SCALAR_NEVER || !(rules >> c->insn->class & 1) || !c->active || c->local)
		return HOW_VECTOR;
	if (!scalar_convergent(c))
		return rules & RULE_DIVERGENT ? how_divergent(w, c) : HOW_VECTOR;
	all = others_are_scalar(w->same, c->insn, c->active);
	low = others_are_scalar(w->parts, c->insn, c->active & LOW_HALF);
	high = c->active & HIGH_HALF && others_are_scalar(w->parts, c->insn, c->active & HIGH_HALF);
	for (unsigned s = 0; s < c->n; s++) {
		const struct encoding e = c->src[s];

		all &= encoding_is_scalar(e);
		low &= !e.divergent && e.lo == SAME_ALL;
		high &= !e.divergent && e.hi == SAME_ALL;
	}
	if (all)
		return HOW_SCALAR;
	return rules & RULE_HALF ? halves[low + 2 * high] : HOW_VECTOR;
}

void scalar_issued(struct scalar_warp *w, const struct scalar_case *c, enum scalar_how how)
{
	const bool divergent = scalar_divergent(w, c);
	uint32_t same = how == HOW_SCALAR || how == HOW_DIVERGENT ? c->active : 0, parts;

	if (how == HOW_LOW)
		same = c->active & LOW_HALF;
	else if (how == HOW_HIGH)
		same = c->active & HIGH_HALF;
	parts = how == HOW_HALVES ? c->active : same;
	if (c->active)
		w->divergent = divergent;
	for (unsigned p = 0; c->active && p < ENCODE_PREDS; p++)
		if (c->insn->writes >> p & 1) {
			w->same[p] = same;
			w->parts[p] = parts;
		}
}

unsigned scalar_lanes(enum scalar_how how, uint32_t active)
{
	switch (how) {
	case HOW_VECTOR:
		break;
	case HOW_SCALAR:
	case HOW_DIVERGENT:
	case HOW_AFFINE:
		return 1;
	case HOW_LOW:
		return 1 + (unsigned)__builtin_popcount(active & HIGH_HALF);
	case HOW_HIGH:
		return 1 + (unsigned)__builtin_popcount(active & LOW_HALF);
	case HOW_HALVES:
		return 2;
	}
	return (unsigned)__builtin_popcount(active);
}

bool scalar_agrees(enum scalar_how how, const struct value_sig *sig)
{
	switch (how) {
	case HOW_VECTOR:
		break;
	case HOW_SCALAR:
	case HOW_DIVERGENT:
		return sig->same_active == SAME_ALL;
	case HOW_LOW:
		return sig->same_lo == SAME_ALL;
	case HOW_HIGH:
		return sig->same_hi == SAME_ALL;
	case HOW_HALVES:
		return sig->same_lo == SAME_ALL && sig->same_hi == SAME_ALL;
	case HOW_AFFINE:
		return sig->affine;
	}
	return true;
}

/* Oracle of passes/uniform.c: executes the kernel with random values in four lanes of three warps, two of one CTA and
 * one of another, along the stack of paths that a warp has. Integer arithmetic that keeps values affine is computed;
 * any other instruction gives some number that depends on what it may depend on: its operands, and where it has them
 * also its lane, its warp, or when it executes. A guard is true or not as its number says. Then what is proved of a
 * register must be so of every value that is read or written, and no lane may read what a dead write took from it,
 * which it only ever learns from the annotation. Loops end at random; a walk that does not is cut. */
#include "analyzer/base/hash.h"
#include "passes/elsewhere.h"
#include "passes/uniform.h"

#define NONE UINT32_MAX

enum { LANES = 4, ALL = (1 << LANES) - 1, WARPS = 3, PATHS = 64, TIMES = 6, SEEDS = 6, STEPS_A_WARP = 20000 };

static const uint8_t position[LANES] = { 0, 1, 17, 31 }; /* in a warp of 32 */

/* frame: 0, or + 1 the number of paths below the call's own */
struct path {
	uint32_t pc, rpc, frame;
	uint8_t lanes;
};
struct once {
	uint8_t seen;
	uint32_t value[TIMES];
};

struct walk {
	const struct kernel *k;
	const struct uniform *u;
	struct diag *d;
	uint32_t *block_of;
	struct once *cta, *grid; /* by value of the annotation */
	uint64_t seed;
	/* one warp */
	uint32_t warp, number, ctaid;
	uint32_t reg[LANES][MREG_ALL];
	uint64_t lost[LANES][WLIVE_WORDS]; /* registers that a dead write has taken from a lane */
	uint32_t *times;                   /* by instruction */
	uint32_t clock, depth, frame;
	uint8_t there, parked; /* lanes that there are */
	struct path top, below[PATHS];
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * HASH_GOLDEN;
	return h ^ h >> 29;
}

/* ---- operands ---- */
static uint32_t special(const struct walk *w, enum sreg s, unsigned lane, unsigned half)
{
	static const uint32_t any[3] = { 16, 4, 1 };
	const uint32_t *b = w->u->block[0] ? w->u->block : any, linear = w->number * 32 + position[lane];

	switch ((unsigned)s) {
	case SREG_TID_X:
		return linear % b[0];
	case SREG_TID_Y:
		return linear / b[0] % b[1];
	case SREG_TID_Z:
		return linear / b[0] / b[1];
	case SREG_LANEID:
		return position[lane];
	case SREG_LANEMASK_EQ:
	case SREG_LANEMASK_LT:
	case SREG_LANEMASK_LE:
	case SREG_LANEMASK_GT:
	case SREG_LANEMASK_GE:
		return (uint32_t)mix(s, lane);
	case SREG_CTAID_X:
	case SREG_CTAID_Y:
	case SREG_CTAID_Z:
	case SREG_SMID:
	case SREG_CLUSTERID_X:
	case SREG_CLUSTERID_Y:
	case SREG_CLUSTERID_Z:
	case SREG_CLUSTER_CTAID_X:
	case SREG_CLUSTER_CTAID_Y:
	case SREG_CLUSTER_CTAID_Z:
	case SREG_CLUSTER_CTARANK:
		return (uint32_t)mix(mix(w->seed, s), w->ctaid);
	default:
		break;
	}
	if (s == SREG_WARPID || (s >= SREG_CLOCK && s <= SREG_GLOBALTIMER_HI) || (s >= SREG_PM0 && s <= SREG_PM7_64))
		return (uint32_t)mix(mix(mix(w->seed, s), half), s == SREG_WARPID ? w->number : mix(w->clock, w->warp));
	return (uint32_t)mix(mix(w->seed, s), half);
}

static uint32_t read_half(const struct walk *w, const struct insn *i, unsigned slot, unsigned lane, unsigned half)
{
	const struct ref r = w->k->opnd[i->opnd + slot];

	switch ((enum ref_kind)r.kind) {
	case REF_REG:
		if (r.val == MREG_PT)
			return !r.neg;
		return r.val == MREG_RZ ? 0 : w->reg[lane][r.val + half] ^ (mreg_is_pred(r.val) && r.neg);
	case REF_IMM:
		return (uint32_t)(w->k->imm[r.val] >> 32 * half);
	case REF_SREG:
		return special(w, (enum sreg)r.val, lane, half);
	case REF_NONE:
	case REF_CONST:
	case REF_SYM:
	case REF_BLOCK:
		break;
	}
	return (uint32_t)mix(mix(w->seed, r.kind), r.val * 2 + half);
}

static bool wide(const struct walk *w, const struct insn *i, unsigned slot)
{
	return insn_operand_class(w->k, i, slot) == RC_64;
}

static uint64_t source(const struct walk *w, const struct insn *i, unsigned s, unsigned lane)
{
	const unsigned slot = i->ndst + s;

	return read_half(w, i, slot, lane, 0) | (wide(w, i, slot) ? (uint64_t)read_half(w, i, slot, lane, 1) << 32 : 0);
}

static uint64_t all_sources(const struct walk *w, const struct insn *i, unsigned lane)
{
	uint64_t h = mix(i->op, (uint64_t)i->mods << 8 | i->cbool);

	for (unsigned s = 0; s < i->nsrc; s++)
		h = mix(h, source(w, i, s, lane));
	return h;
}

/* ---- results ---- */
/* Integer arithmetic of one lane. False: it is not of the kind that is computed. */
static bool arithmetic(const struct walk *w, const struct insn *i, unsigned lane, uint64_t *d)
{
	const uint64_t a = i->nsrc > 0 ? source(w, i, 0, lane) : 0, b = i->nsrc > 1 ? source(w, i, 1, lane) : 0;
	const uint64_t c = i->nsrc > 2 ? source(w, i, 2, lane) : 0, e = i->nsrc > 3 ? source(w, i, 3, lane) : 0;

	switch (i->op) {
	case OP_MOV_B32:
	case OP_MOV_F32:
	case OP_MOV_B64:
	case OP_MOV_F64:
	case OP_CVT_U32_W:
	case OP_CVT_S32_W:
	case OP_CVT_U64_D:
	case OP_CVT_U32_D:
	case OP_CVT_S32_D:
	case OP_CVT_U64_U32:
		*d = a;
		return true;
	case OP_CVT_S64_S32:
		*d = (uint64_t)(int64_t)(int32_t)(uint32_t)a;
		return true;
	case OP_ADD_S32:
	case OP_ADD_S64:
	case OP_ADD_CC_32:
	case OP_ADD_CC_64:
		*d = a + b;
		return true;
	case OP_SUB_S32:
	case OP_SUB_S64:
	case OP_SUB_CC_32:
	case OP_SUB_CC_64:
		*d = a - b;
		return true;
	case OP_ADDC_32:
	case OP_ADDC_64:
	case OP_ADDC_CC_32:
	case OP_ADDC_CC_64:
		*d = a + b + c;
		return true;
	case OP_SUBC_32:
	case OP_SUBC_64:
	case OP_SUBC_CC_32:
	case OP_SUBC_CC_64:
		*d = a + ~b + c;
		return true;
	case OP_NEG_S32:
	case OP_NEG_S64:
		*d = 0 - a;
		return true;
	case OP_NOT_B32:
	case OP_NOT_B64:
		*d = ~a;
		return true;
	case OP_MUL_LO_S32:
	case OP_MUL_LO_S64:
	case OP_MUL_WIDE_U32:
		*d = a * b;
		return true;
	case OP_MUL_WIDE_S32:
		*d = (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
		return true;
	case OP_MAD_LO_S32:
	case OP_MAD_LO_S64:
	case OP_MAD_WIDE_U32:
	case OP_MAD_CC_LO_64:
		*d = a * b + c;
		return true;
	case OP_MAD_WIDE_S32:
	case OP_MAD_CC_LO_32:
		*d = (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c;
		return true;
	case OP_MADC_LO_32:
	case OP_MADC_LO_64:
	case OP_MADC_CC_LO_32:
	case OP_MADC_CC_LO_64:
		*d = a * b + c + e;
		return true;
	case OP_SHL_B32:
		*d = (uint32_t)b > 31 ? 0 : a << b;
		return true;
	case OP_SHL_B64:
		*d = (uint32_t)b > 63 ? 0 : a << b;
		return true;
	case OP_PACK_B64:
		*d = (uint32_t)a | b << 32;
		return true;
	case OP_UNPACK_B64:
		*d = a;
		return true;
	case OP_SELP_B32:
	case OP_SELP_F32:
	case OP_SELP_B64:
	case OP_SELP_F64:
		*d = c ? a : b;
		return true;
	default:
		return false;
	}
}

/* What lanes with one member mask have together. */
static uint64_t group(const struct walk *w, const struct insn *i, unsigned lane, uint8_t exec)
{
	uint64_t h = mix(i->op, w->clock);

	for (unsigned l = 0; l < LANES; l++)
		if (exec >> l & 1 &&
		    (!(i->mods & MOD_SYNC) || source(w, i, i->nsrc - 1u, l) == source(w, i, i->nsrc - 1u, lane)))
			h = mix(h, mix(l, all_sources(w, i, l)));
	return mix(h, w->warp);
}

static uint64_t crossed(const struct walk *w, const struct insn *i, unsigned lane, unsigned slot, uint8_t exec)
{
	const struct ref r = w->k->opnd[i->opnd + i->ndst];

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
		return group(w, i, lane, exec);
	case OP_MATCH_ANY_B32:
	case OP_MATCH_ANY_B64:
		return mix(group(w, i, lane, exec), source(w, i, 0, lane));
	case OP_ELECT:
		return mix(group(w, i, lane, exec), slot ? lane : LANES);
	case OP_SHFL_IDX:
		if ((source(w, i, 2, lane) & 0x1f1f) != 0x1f)
			break;
		if (slot)
			return 1;
		if (r.kind == REF_REG && r.val != MREG_RZ)
			return w->reg[source(w, i, 1, lane) % LANES][r.val];
		return source(w, i, 0, lane);
	default:
		break;
	}
	return mix(mix(w->clock, w->warp), lane + LANES * slot);
}

/* Decoded machine code: a function of the operands that are named. */
static bool computes(const struct insn *i)
{
	return !(i->mods & MOD_VARIES) && ((i->op >= OP_SASS_MOVE && i->op <= OP_SASS_UNIFORM) ||
					   i->op == OP_SASS_SFU || (i->op == OP_SASS_SPECIAL && i->nsrc));
}

static uint64_t result(const struct walk *w, const struct insn *i, unsigned lane, unsigned slot, uint8_t exec)
{
	const uint32_t flags = op_info[i->op].flags;
	const struct resources *r = &w->k->res;
	uint64_t h, d;

	if (flags & OPF_CROSS)
		return crossed(w, i, lane, slot, exec);
	h = mix(mix(all_sources(w, i, lane), (uint32_t)i->offset), slot);
	if (flags & OPF_ATOMIC)
		return mix(mix(h, w->clock), mix(w->warp, lane));
	if (flags & OPF_LOAD) {
		const bool has_local = r->local_bytes || r->stack || (w->k->native && w->k->nproc);

		h = mix(h, mix(w->seed, i->space));
		if (i->space != SP_CONST && i->space != SP_PARAM)
			h = mix(h, mix(w->clock, w->warp));
		return i->mods & MOD_VARIES || i->space == SP_LOCAL || (i->space == SP_GENERIC && has_local)
			       ? mix(h, lane)
			       : h;
	}
	if (flags & OPF_BARRIER)
		return mix(w->clock, w->warp);
	if (i->op == OP_SASS_SPECIAL && i->nsrc == 1 && i->ndst == 1 && !(i->mods & MOD_VARIES))
		return source(w, i, 0, lane);
	if (flags & OPF_NATIVE && computes(i))
		return h;
	if (!*op_info[i->op].expr)
		return mix(mix(h, w->clock), mix(w->warp, lane));
	if (!arithmetic(w, i, lane, &d))
		return h;
	if (slot && i->op == OP_UNPACK_B64)
		return d >> 32;
	return slot ? h : d;
}

/* ---- what is proved ---- */
static bool wrong(const struct walk *w, uint32_t i, uint32_t reg, const char *what)
{
	struct arena a;

	arena_init(&a);
	diag_error_plain(w->d, w->k->name, "uniform: instruction %u, %s: R%u %s", i,
			 ir_print_insn(&a, w->k, &w->k->insn[i]), reg, what);
	arena_free(&a);
	return false;
}

static bool agrees(struct once *o, uint32_t k, uint32_t x)
{
	if (k >= TIMES)
		return true;
	if (!(o->seen >> k & 1))
		o->value[k] = x;
	o->seen = (uint8_t)(o->seen | 1u << k);
	return o->value[k] == x;
}

static bool check_value(struct walk *w, uint32_t i, uint32_t at, uint32_t reg, uint8_t exec)
{
	const struct uniform_value *v = &w->u->value[at];
	const unsigned first = (unsigned)__builtin_ctz(exec);

	for (unsigned l = first + 1; l < LANES; l++) {
		const uint32_t more = w->reg[l][reg] - w->reg[first][reg];

		if (!(exec >> l & 1))
			continue;
		if (v->level && more)
			return wrong(w, i, reg, "is not the same in all lanes");
		if (v->known && more != (uint32_t)v->stride * (uint32_t)(position[l] - position[first]))
			return wrong(w, i, reg, "is not affine with its stride");
	}
	if ((exec & 7) == 7 && v->affine && (w->reg[1][reg] - w->reg[0][reg]) * 17 != w->reg[2][reg] - w->reg[0][reg])
		return wrong(w, i, reg, "is not affine");
	if (v->level >= UNIFORM_CTA && w->ctaid == 0 && !agrees(&w->cta[at], w->times[i] - 1, w->reg[first][reg]))
		return wrong(w, i, reg, "is not the same over the CTA");
	return v->level < UNIFORM_GRID || agrees(&w->grid[at], w->times[i] - 1, w->reg[first][reg]) ||
	       wrong(w, i, reg, "is not the same over the grid");
}

static bool check_reads(struct walk *w, uint32_t i, const struct insn_regs *r, uint8_t exec, uint8_t active)
{
	if (w->u->flags[i] & UNIFORM_CONVERGENT && w->there == ALL && active != ALL)
		return wrong(w, i, 0, "or any: not all lanes come to the instruction together");
	if (uniform_guard(w->u, i) != UNIFORM_NOT && exec && exec != active)
		return wrong(w, i, 0, "or any: the guard is not the same in all lanes");
	for (unsigned s = 0; exec && s < r->nsrc; s++) {
		for (unsigned l = 0; l < LANES; l++)
			/* there predicates hang together */
			if (exec >> l & 1 && bitset_has(w->lost[l], r->src[s]) && !w->k->native)
				return wrong(w, i, r->src[s], "was taken from a lane by a write that is called dead");
		if (!check_value(w, i, w->u->at[i] + s, r->src[s], exec))
			return false;
	}
	return true;
}

static bool check_writes(struct walk *w, uint32_t i, const struct insn_regs *r, uint8_t exec)
{
	for (unsigned d = 0; exec && d < r->ndst; d++) {
		const uint32_t at = w->u->at[i] + r->nsrc + d;

		if (!check_value(w, i, at, r->dst[d], exec))
			return false;
		for (unsigned l = 0; l < LANES; l++)
			if (exec >> l & 1)
				bitset_del(w->lost[l], r->dst[d]);
			else if (w->u->value[at].dead)
				bitset_add(w->lost[l], r->dst[d]);
	}
	return true;
}

/* ---- paths: runtime-model/engine/simt.h ---- */
static bool push(struct walk *w, struct path p)
{
	if (w->depth == PATHS)
		return false;
	w->below[w->depth++] = p;
	return true;
}

static uint32_t entry_of(const struct walk *w, uint32_t b) { return b == NONE ? NONE : w->k->block[b].first; }

static bool settle(struct walk *w)
{
	while (w->top.pc == w->top.rpc || !w->top.lanes) {
		if (!w->depth)
			return false;
		w->top = w->below[--w->depth];
		if (w->top.frame) {
			w->frame = w->top.frame - 1;
			w->top.frame = 0;
		}
	}
	return true;
}

/* Lanes go to pc[n]; those that are there already meet at rpc. */
static bool part(struct walk *w, const uint32_t pc[LANES], const uint8_t lanes[LANES], unsigned n, uint32_t rpc)
{
	struct path here = w->top;

	if (n == 1) {
		w->top.pc = pc[0];
		return true;
	}
	if (rpc != here.rpc) {
		here.pc = rpc;
		if (!push(w, here))
			return false;
	}
	for (unsigned x = n; x--;)
		if (pc[x] != rpc && !push(w, (struct path){ pc[x], rpc, 0, lanes[x] }))
			return false;
	w->top = w->below[--w->depth];
	return true;
}

static bool yields(struct walk *w, uint32_t pc)
{
	uint8_t above = w->top.lanes;
	bool merged = false;

	w->parked |= w->top.lanes;
	for (uint32_t x = w->depth; x-- > w->frame;) {
		const struct path v = w->below[x];
		const bool leaf = !(v.lanes & above);

		above |= v.lanes;
		if (!leaf || v.pc != pc || v.rpc != w->top.rpc || !v.lanes || v.lanes & ~w->parked)
			continue;
		w->top.lanes |= v.lanes;
		memmove(w->below + x, w->below + x + 1, (--w->depth - x) * sizeof *w->below);
		merged = true;
	}
	if (merged)
		return true;
	above = w->top.lanes;
	for (uint32_t x = w->depth; x-- > w->frame;) {
		const struct path v = w->below[x];

		if (!(v.lanes & above) && v.lanes & ~w->parked) {
			memmove(w->below + x, w->below + x + 1, (w->depth - 1 - x) * sizeof *w->below);
			w->below[w->depth - 1] = w->top;
			w->top = v;
			return true;
		}
		above |= v.lanes;
	}
	return false;
}

/* The lanes in exec go where i sends them, the others on. False: the walk ends. */
static bool control(struct walk *w, const struct insn *i, uint8_t exec)
{
	const uint32_t flags = op_info[i->op].flags, next = w->top.pc + 1, b = w->block_of[w->top.pc];
	struct ir_targets t = { .n = 0 };
	uint32_t pc[LANES];
	uint8_t lanes[LANES], rest = w->top.lanes & (uint8_t)~exec;
	unsigned n = 0;

	if (flags & (OPF_EXIT | OPF_RETURN)) {
		for (uint32_t x = flags & OPF_EXIT ? 0 : w->frame; x < w->depth; x++)
			w->below[x].lanes &= (uint8_t)~exec;
		w->top.lanes = rest;
		w->top.pc = next;
		return true;
	}
	if (flags & (OPF_BRANCH | OPF_TABLE) && exec)
		t = ir_targets(w->k, i);
	for (unsigned l = 0; l <= LANES; l++) { /* those that go on come last */
		const uint8_t mine = l < LANES ? exec & (uint8_t)(1u << l) : rest;
		uint32_t to = next;
		unsigned x = 0;

		if (!mine)
			continue;
		if (l < LANES)
			to = entry_of(w, ir_target(&t, flags & OPF_TABLE ? (uint32_t)(source(w, i, 0, l) % t.n) : 0));
		while (x < n && pc[x] != to)
			x++;
		if (x == n) {
			pc[n] = to;
			lanes[n++] = 0;
		}
		lanes[x] |= mine;
	}
	if (i->mods & MOD_UNI && n > 1) { /* it says that this cannot be */
		n = 1;
		lanes[0] = w->top.lanes;
	}
	if (!(flags & OPF_CALL))
		return part(w, pc, lanes, n, entry_of(w, reconvergence(w->k, b)));
	w->top.pc = next;
	w->top.frame = w->frame + 1;
	if (!push(w, w->top))
		return false;
	w->frame = w->depth;
	w->top = (struct path){ pc[0], NONE, 0, lanes[0] };
	while (n-- > 1)
		if (!push(w, (struct path){ pc[n], NONE, 0, lanes[n] }))
			return false;
	return true;
}

/* One instruction. False: the walk ends, or *ok is false. */
static bool step(struct walk *w, bool *ok)
{
	const uint32_t i = w->top.pc;
	const struct insn *x = &w->k->insn[i];
	uint32_t to[REG_USE_MAX][LANES];
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(w->k, x, use);
	uint8_t exec = w->top.lanes, writes;
	struct insn_regs r;

	for (unsigned l = 0; x->guard.kind == REF_REG && l < LANES; l++)
		if ((x->guard.val == MREG_PT ? x->guard.neg : w->reg[l][x->guard.val] == x->guard.neg))
			exec &= (uint8_t) ~(1u << l);
	if (exec && insn_yields(w->k, x) &&
	    (op_info[x->op].flags & OPF_BARRIER || x->op == OP_BAR_WARP_SYNC || x->mods & MOD_SYNC) && yields(w, i))
		return true;
	w->parked &= (uint8_t)~w->top.lanes;
	ir_insn_regs(w->k, x, &r);
	w->times[i]++;
	w->clock++;
	if (!(*ok = check_reads(w, i, &r, exec, w->top.lanes)))
		return false;
	/* of decoded machine code: lanes whose guard is false may have any value there if nothing reads what was
	 * there */
	for (unsigned u = 0; u < n; u++) {
		writes = w->k->native && insn_kills_reg(x, use[u].reg) ? w->top.lanes : exec;
		for (unsigned l = 0; use[u].write && l < LANES; l++) {
			const struct ref d = w->k->native ? ref_reg(use[u].reg) : w->k->opnd[x->opnd + use[u].slot];
			const bool of_warp = mreg_file(use[u].reg) > FILE_PRED;
			const unsigned from = of_warp && writes ? (unsigned)__builtin_ctz(writes) : l;
			const uint64_t v = writes >> from & 1 ? result(w, x, from, use[u].slot, writes) : 0;

			to[u][l] = mreg_is_pred(use[u].reg) ? (uint32_t)(v >> 7 ^ v) & 1
							    : (uint32_t)(v >> 32 * (use[u].reg - d.val));
		}
	}
	for (unsigned u = 0; u < n; u++) {
		writes = w->k->native && insn_kills_reg(x, use[u].reg) ? w->top.lanes : exec;
		for (unsigned l = 0; use[u].write && l < LANES; l++)
			/* a warp has it once */
			if (writes >> l & 1 || (writes && mreg_file(use[u].reg) > FILE_PRED))
				w->reg[l][use[u].reg] = to[u][l];
	}
	if (!(*ok = check_writes(w, i, &r, exec)))
		return false;
	for (unsigned l = 0; x->mods & MOD_MAY && l < LANES; l++) /* by more than its guard */
		exec &= (uint8_t) ~((mix(mix(w->seed, w->clock), mix(w->warp, l)) & 1) << l);
	if (op_info[x->op].flags & (OPF_BRANCH | OPF_TABLE | OPF_EXIT | OPF_RETURN))
		return control(w, x, exec);
	w->top.pc++;
	return true;
}

static bool walk_warp(struct walk *w)
{
	const uint64_t threads = (uint64_t)w->u->block[0] * w->u->block[1] * w->u->block[2];
	bool ok = true;

	memset(w->reg, 0, sizeof w->reg);
	memset(w->lost, 0, sizeof w->lost);
	memset(w->times, 0, w->k->ninsn * sizeof *w->times);
	w->clock = (uint32_t)w->seed * 2 * STEPS_A_WARP; /* other numbers each time */
	w->depth = w->frame = w->parked = w->there = 0;
	for (unsigned l = 0; l < LANES; l++)
		if (!threads || w->number * 32 + position[l] < threads)
			w->there |= (uint8_t)(1u << l);
	w->top = (struct path){ 0, NONE, 0, w->there };
	for (unsigned n = 0; n < STEPS_A_WARP && settle(w) && w->top.pc < w->k->ninsn; n++)
		if (!step(w, &ok))
			break;
	return ok;
}

bool check_uniform(const struct kernel *k, struct diag *d)
{
	static const struct {
		uint8_t number, ctaid;
	} warps[WARPS] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
	struct arena a;
	struct walk *w;
	bool ok = true;

	if (k->form != FORM_MACHINE || !k->ninsn)
		return true;
	arena_init(&a);
	w = new(&a, struct walk);
	*w = (struct walk){ .k = k,
			    .u = k->uniform,
			    .d = d,
			    .block_of = new_array(&a, uint32_t, k->ninsn),
			    .times = new_array(&a, uint32_t, k->ninsn),
			    .cta = new_array(&a, struct once, (size_t)k->uniform->at[k->ninsn] + 1),
			    .grid = new_array(&a, struct once, (size_t)k->uniform->at[k->ninsn] + 1) };
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			w->block_of[k->block[b].first + j] = b;
	for (w->seed = 1; ok && w->seed <= SEEDS; w->seed++) {
		for (uint32_t v = 0; v < k->uniform->at[k->ninsn]; v++)
			w->cta[v].seen = w->grid[v].seen = 0;
		for (unsigned x = 0; ok && x < WARPS; x++) {
			w->warp = x;
			w->number = warps[x].number;
			w->ctaid = warps[x].ctaid;
			ok = walk_warp(w);
		}
	}
	arena_free(&a);
	return ok;
}

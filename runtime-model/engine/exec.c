/* Executes one warp for a visit. The loop is expanded twice: without records and poison, where nothing but execution costs
 * time, and with whatever the options ask. */
#include "runtime-model/engine/simt.h"
#include "runtime-model/engine/tensor.h"

#include "analyzer/base/rng.h"

#include <string.h>

#define ALL_LANES UINT32_MAX

static inline const uint32_t *source(const struct engine *e, const struct warp *w, int32_t src)
{
	return (src < 0 ? e->prog.konst : w->reg) + (src & INT32_MAX);
}

static uint32_t pred_source(const struct warp *w, const struct xinsn *x, unsigned s)
{
	return w->pred[x->src[s]] ^ (0u - (x->sneg >> s & 1u));
}

static void blend(uint32_t *d, const uint32_t t[WARP_LANES], uint32_t exec)
{
	if (exec == ALL_LANES) {
		memcpy(d, t, WARP_LANES * sizeof *d);
		return;
	}
	EACH_ACTIVE(l, exec)
		d[l] = t[l];
}

/* ---- special registers that differ between warps, lanes or moments ---- */
static void read_sreg(const struct engine *e, const struct cta *c, const struct warp *w, enum sreg s, uint32_t t[WARP_LANES],
                      uint32_t hi[WARP_LANES])
{
	uint64_t same = 0;

	switch (s) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z:
		memcpy(t, e->tid + (w->index * 3 + (unsigned)(s - SREG_TID_X)) * WARP_LANES, WARP_LANES * sizeof *t);
		return;
	case SREG_LANEID: case SREG_LANEMASK_EQ: case SREG_LANEMASK_LT: case SREG_LANEMASK_LE: case SREG_LANEMASK_GT:
	case SREG_LANEMASK_GE:
		for (uint32_t l = 0; l < WARP_LANES; l++) {
			uint32_t eq = 1u << l;

			t[l] = s == SREG_LANEID ? l : s == SREG_LANEMASK_EQ ? eq : s == SREG_LANEMASK_LT ? eq - 1 :
			       s == SREG_LANEMASK_LE ? eq | (eq - 1) : s == SREG_LANEMASK_GE ? 0 - eq : 0 - eq - eq;
		}
		return;
	case SREG_CTAID_X: case SREG_CTAID_Y: case SREG_CTAID_Z:
		same = c->id[s - SREG_CTAID_X];
		break;
	case SREG_WARPID: same = w->index; break;
	case SREG_SMID: same = c->index % 16; break;     /* as if CTAs were dealt to 16 SMs */
	case SREG_CLOCK: case SREG_CLOCK64: case SREG_GLOBALTIMER:
		same = w->insns;        /* the engine knows no time: instructions that the warp has executed */
		break;
	case SREG_NTID_X: case SREG_NTID_Y: case SREG_NTID_Z: case SREG_NCTAID_X: case SREG_NCTAID_Y: case SREG_NCTAID_Z:
	case SREG_NWARPID: case SREG_NSMID: case SREG_GRIDID: case SREG_WARP_SZ: case SREG_DYNAMIC_SMEM_SIZE:
	case SREG_TOTAL_SMEM_SIZE: case SREG_COUNT:
		break;                  /* constants of the launch, decoded as such */
	}
	for (unsigned l = 0; l < WARP_LANES; l++) {
		t[l] = (uint32_t)same;
		hi[l] = (uint32_t)(same >> 32);
	}
}

static void move_sreg(const struct engine *e, const struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	uint32_t t[WARP_LANES], hi[WARP_LANES] = { 0 };

	read_sreg(e, c, w, x->target, t, hi);
	blend(w->reg + x->dst[0], t, exec);
	if (x->pair)
		blend(w->reg + x->dst[0] + WARP_LANES, hi, exec);
}

/* ---- lanes that look at each other ---- */
static void vote(const struct engine *e, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	uint32_t among = exec, p = 0, t[WARP_LANES], *d = w->pred + x->dst[0];
	bool yes = false;

	if (x->target != OP_ACTIVEMASK) {
		p = pred_source(w, x, 0);
		among &= source(e, w, x->src[1])[__builtin_ctz(exec)];
	}
	if (x->target == OP_ACTIVEMASK || x->target == OP_VOTE_BALLOT) {
		for (unsigned l = 0; l < WARP_LANES; l++)
			t[l] = x->target == OP_ACTIVEMASK ? exec : p & among;
		blend(w->reg + x->dst[0], t, exec);
		return;
	}
	p &= among;
	yes = x->target == OP_VOTE_ALL ? p == among : x->target == OP_VOTE_ANY ? p != 0 : p == among || !p;
	*d = (*d & ~exec) | (yes ? exec : 0);
}

/* PTX ISA, shfl. A lane that reads one that does not execute gets what that lane's register holds. */
static void shuffle(const struct engine *e, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const uint32_t *a = source(e, w, x->src[0]), *b = source(e, w, x->src[1]), *c = source(e, w, x->src[2]);
	uint32_t t[WARP_LANES], in_range = 0, *q = w->pred + x->dst[1];

	for (int l = 0; l < WARP_LANES; l++) {
		int n = (int)(b[l] & 31), clamp = (int)(c[l] & 31), seg = (int)(c[l] >> 8 & 31), from = l;
		int max = (l & seg) | (clamp & ~seg), min = l & seg;
		bool ok;

		switch (x->target) {
		case OP_SHFL_UP:   from = l - n; ok = from >= max; break;
		case OP_SHFL_DOWN: from = l + n; ok = from <= max; break;
		case OP_SHFL_BFLY: from = l ^ n; ok = from <= max; break;
		default:           from = min | (n & ~seg); ok = from <= max; break;
		}
		t[l] = a[ok ? from : l];
		in_range |= (uint32_t)ok << l;
	}
	blend(w->reg + x->dst[0], t, exec);
	*q = (*q & ~exec) | (in_range & exec);
}

/* ---- matrices ---- */
static bool matrix(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xmatrix *mx = &e->prog.matrix[x->target];

	if (exec != ALL_LANES)
		return engine_fault(e, c, w, (uint32_t)(x - e->prog.code), WARP_LANES,
		                    "a matrix belongs to all lanes of a warp; only those of 0x%x are here", exec);
	if (mx->x.kind == MATRIX_MMA)
		tensor_product(e, w, mx);
	else if (mx->x.kind == MATRIX_MOVE)
		tensor_move(e, w, mx);
	else
		return tensor_transfer(e, c, w, x, mx);
	return true;
}

/* ---- barriers ---- */
/* A barrier is complete when all warps of the CTA that have not exited have arrived, or as many as bar.sync's thread count
 * says. A warp arrives once, whichever of its lanes execute the barrier. */
static bool barrier_complete(struct engine *e, struct cta *c, unsigned id)
{
	struct barrier *b = &c->barrier[id];

	if (!b->warps || b->warps < (b->threads ? b->threads / WARP_LANES : c->live))
		return false;
	for (unsigned i = 0; i < e->warps; i++)
		if (c->warp[i].state == WARP_BARRIER && c->warp[i].barrier == id)
			c->warp[i].state = WARP_READY;
	*b = (struct barrier){ 0 };
	return true;
}

static bool arrive(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	unsigned lane = (unsigned)__builtin_ctz(exec);
	uint32_t id = source(e, w, x->src[0])[lane], threads = source(e, w, x->src[1])[lane];
	uint32_t insn = (uint32_t)(x - e->prog.code);

	if (id >= BARRIERS)
		return engine_fault(e, c, w, insn, lane, "barrier %u does not exist; there are %d", id, BARRIERS);
	if (threads % WARP_LANES)
		return engine_fault(e, c, w, insn, lane, "the barrier's thread count, %u, is not a multiple of %d", threads, WARP_LANES);
	c->barrier[id].warps++;
	c->barrier[id].threads = threads;
	w->state = WARP_BARRIER;
	w->barrier = id;
	w->waits_at = insn;
	barrier_complete(e, c, id);
	return true;
}

static void finish(struct engine *e, struct cta *c, struct warp *w)
{
	w->state = WARP_DONE;
	c->live--;
	for (unsigned id = 0; id < BARRIERS; id++)
		if (c->barrier[id].warps && !c->barrier[id].threads)
			barrier_complete(e, c, id);
	if (w->stream)
		recorder_end(w->stream);
}

/* ---- records ---- */
static void save_sources(struct engine *e, const struct warp *w, const struct xinsn *x)
{
	for (unsigned i = 0; i < x->nval - (unsigned)x->nsig; i++)
		memcpy(e->value + i * WARP_LANES, w->reg + e->prog.reg_list[x->regs + i], WARP_LANES * sizeof *w->reg);
}

static void record(struct engine *e, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const uint32_t *written = e->prog.reg_list + x->regs + (x->nval - x->nsig);
	unsigned sigs = exec && e->rec.sigs ? x->nsig : 0, vals = exec && e->rec.values ? x->nval : 0;
	unsigned extra = e->nline + sigs * 2 + vals * 16;
	unsigned head = 1 + (extra >= EXTRA_LONG);
	uint64_t *at = recorder_reserve(&e->rec, w->stream, head + extra);

	*at++ = (uint64_t)(x - e->prog.code) << 40 | (uint64_t)(extra < EXTRA_LONG ? extra : EXTRA_LONG) << 32 | exec;
	if (head > 1)
		*at++ = extra;
	for (unsigned i = 0; i < e->nline; i++)
		*at++ = e->line[i];
	for (unsigned i = 0; i < sigs; i++, at += 2)
		e->lanes->sig(w->reg + written[i], exec, (struct value_sig *)(void *)at);
	if (vals) {
		unsigned nread = x->nval - (unsigned)x->nsig;

		memcpy(at, e->value, nread * WARP_LANES * sizeof *e->value);
		for (unsigned i = 0; i < x->nsig; i++)
			memcpy(at + (nread + i) * 16, w->reg + written[i], WARP_LANES * sizeof *w->reg);
	}
	recorder_publish(w->stream, head + extra);
}

/* ---- poison ---- */
static void spoil(struct warp *w, uint32_t *r, uint32_t lanes)
{
	EACH_ACTIVE(l, lanes)
		r[l] = (uint32_t)rng_next(&w->noise);
}

static void spoil_pred(struct warp *w, uint32_t *p, uint32_t lanes)
{
	*p = (*p & ~lanes) | ((uint32_t)rng_next(&w->noise) & lanes);
}

static void spoil_after(struct engine *e, struct warp *w, uint32_t insn, uint32_t lanes)
{
	const struct kill_list *k = &e->prog.kill[insn];
	const uint32_t *at = e->prog.kill_list + k->first;

	for (uint32_t i = 0; i < k->nreg; i++)
		spoil(w, w->reg + at[i], lanes);
	for (uint32_t i = 0; i < k->npred; i++)
		spoil_pred(w, w->pred + at[k->nreg + i], lanes);
}

/* Along an edge: what is live out of the branch's block and not into the block at instruction `to`. */
static void spoil_edge(struct engine *e, struct warp *w, uint32_t insn, uint32_t to, uint32_t lanes)
{
	const struct kernel *k = e->k;
	struct live_set out = live_out(k, e->prog.block_of[insn]), in = live_in(k, e->prog.block_of[to]);

	for (uint32_t n = 0, m = 0; n < out.n; n++) {
		uint32_t r = out.reg[n], at = e->prog.slot[r];
		bool pred = k->form == FORM_MACHINE ? mreg_is_pred(r) : k->vreg[r].rc == RC_PRED;

		while (m < in.n && in.reg[m] < r)
			m++;
		if (at == UINT32_MAX || (m < in.n && in.reg[m] == r))
			continue;
		if (pred) {
			spoil_pred(w, w->pred + at, lanes);
			continue;
		}
		spoil(w, w->reg + at, lanes);
		if (k->form == FORM_VIRTUAL && k->vreg[r].rc == RC_64)
			spoil(w, w->reg + at + WARP_LANES, lanes);
	}
}

/* ---- the loop ---- */
static inline __attribute__((always_inline))
void run(struct engine *e, struct cta *c, struct warp *w, const bool records, const bool poison)
{
	const struct xinsn *code = e->prog.code;
	const uint32_t *konst = e->prog.konst;
	uint32_t *reg = w->reg, *pred = w->pred;
	uint32_t left = w->budget;
	uint64_t threads = 0;
	struct parts to;

	while (left) {
		uint32_t pc = w->top.pc, active = w->top.active;
		const struct xinsn *x = &code[pc];
		uint32_t exec = active & (pred[x->guard] ^ x->gmask);
		bool gone = false;

		left--;
		threads += exec == ALL_LANES ? WARP_LANES : (unsigned)__builtin_popcount(exec);
		if (records) {
			e->nline = 0;
			if (e->rec.values && exec)
				save_sources(e, w, x);
		}
		w->top.pc = pc + 1;
		w->insns++;
		if (x->kind == X_ALU) {
			if (exec)
				x->fn.lane(x, reg, konst, pred, exec);
		} else if (x->kind == X_BRANCH) {
			bool parted;

			w->top.pc = pc;
			e->counts.branches++;
			parted = simt_branch(w, exec, x->target, x->rpc);
			e->counts.divergent += parted;
			if (poison && exec)
				spoil_edge(e, w, pc, x->target, exec);
			if (poison && exec != active)
				spoil_edge(e, w, pc, pc + 1, active & ~exec);
			if (records)
				record(e, w, x, exec);
			simt_settle(w);
			continue;
		} else if (exec) {
			switch ((enum xkind)x->kind) {
			case X_MEM:
				if (!memory_access(e, c, w, x, exec))
					goto out;
				break;
			case X_MATRIX:
				if (!matrix(e, c, w, x, exec))
					goto out;
				break;
			case X_SREG: move_sreg(e, c, w, x, exec); break;
			case X_VOTE: vote(e, w, x, exec); break;
			case X_SHUFFLE: shuffle(e, w, x, exec); break;
			case X_EXIT:
				simt_exit(w, exec);
				gone = true;
				break;
			case X_BARRIER:
				if (!arrive(e, c, w, x, exec))
					goto out;
				break;
			case X_TRAP:
				engine_fault(e, c, w, pc, (unsigned)__builtin_ctz(exec), "the program asked to stop");
				goto out;
			case X_CALL: case X_CALL_IND: case X_RETURN: case X_BRX:
				w->top.pc = pc;
				if (!control_transfer(e, c, w, x, exec, &to))
					goto out;
				if (poison) {
					for (uint32_t n = 0; n < to.n; n++)
						spoil_edge(e, w, pc, to.p[n].pc, to.p[n].lanes);
					if (exec != active)
						spoil_edge(e, w, pc, pc + 1, active & ~exec);
				}
				gone = true;
				break;
			case X_HOST:
				if (!host_call(e, c, w, x, exec))
					goto out;
				break;
			case X_NOTHING: case X_ALU: case X_BRANCH:
				break;
			}
		}
		if (poison)
			spoil_after(e, w, pc, active);
		if (records)
			record(e, w, x, exec);
		if ((gone || w->top.pc == w->top.rpc) && !simt_settle(w)) {
			finish(e, c, w);
			goto out;
		}
		if (w->state != WARP_READY)
			goto out;
	}
out:
	e->counts.warp_insns += w->budget - left;
	e->counts.thread_insns += threads;
	w->budget = left;
}

void warp_run(struct engine *e, struct cta *c, struct warp *w)
{
	if (e->opt.poison)
		run(e, c, w, e->rec.consumers != 0, true);
	else if (e->rec.consumers)
		run(e, c, w, true, false);
	else
		run(e, c, w, false, false);
}

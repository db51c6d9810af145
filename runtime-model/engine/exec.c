/* Executes one warp for a visit. The loop is expanded for what the options ask: execution alone, where nothing else
 * costs time, with records, with dead registers overwritten, or with executions counted. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/simt.h"
#include "runtime-model/engine/tensor.h"
#include "runtime-model/engine/texture.h"

#include "analyzer/base/rng.h"

#include <string.h>

#define ALL_LANES UINT32_MAX

static void blend(uint32_t *d, const uint32_t t[WARP_LANES], uint32_t exec)
{
	if (exec == ALL_LANES) {
		memcpy(d, t, WARP_LANES * sizeof *d);
		return;
	}
	EACH_ACTIVE(l, exec)
	d[l] = t[l];
}

/* Special registers that differ between warps, lanes or moments. */
static void move_sreg(const struct engine *e, const struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	uint32_t t[WARP_LANES], hi[WARP_LANES] = { 0 }, *d = w->reg + x->dst[0];

	if (exec == ALL_LANES && !x->pair) {
		sreg_read(e, c, w, (enum sreg)x->target, d, hi);
		return;
	}
	sreg_read(e, c, w, (enum sreg)x->target, t, hi);
	blend(d, t, exec);
	if (x->pair)
		blend(d + WARP_LANES, hi, exec);
}

/* ---- matrices ---- */
static bool matrix(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xmatrix *mx = &e->prog.matrix[x->target];

	if (exec != ALL_LANES)
		return fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), WARP_LANES,
				"a matrix belongs to all lanes of a warp; only those of 0x%x are here", exec);
	if (mx->x.kind == MATRIX_MMA)
		tensor_product(e, w, mx);
	else if (mx->x.kind == MATRIX_MOVE)
		tensor_move(e, w, mx);
	else
		return tensor_transfer(e, c, w, x, mx);
	return true;
}

static void finish(struct engine *e, struct cta *c, struct warp *w)
{
	w->state = WARP_DONE;
	e->events++;
	c->live--;
	if (e->sanitizing)
		race_exit(e, c, w);
	barrier_lanes_gone(e, c);
}

/* ---- records ---- */
static void save_sources(struct engine *e, const struct warp *w, const struct xinsn *x)
{
	for (unsigned i = 0; i < x->nval - (unsigned)x->nsig; i++)
		memcpy(e->value + i * WARP_LANES, w->reg + e->prog.reg_list[x->regs + i], WARP_LANES * sizeof *w->reg);
}

static inline uint64_t *reserve(struct engine *e, struct stream *s, unsigned n)
{
	if (s->used + n > e->rec.chunk_words)
		recorder_extend(&e->rec, s);
	return s->tail->word + s->used;
}

/* A record without payload: one more of the run, or the first of another. */
static inline void record_bare(struct engine *e, struct stream *s, uint32_t insn, uint32_t apart, uint32_t exec)
{
	if (s->room && s->next == (insn | apart) && s->active == exec) {
		s->room--;
		s->tail->word[s->used - 1] += RUN_ONE;
	} else {
		*reserve(e, s, 1) = RECORD_WORD(insn | apart, RECORD_RUN, exec);
		s->used++;
		s->room = RUN_MAX - 1;
		s->active = exec;
	}
	s->next = e->prog.follow[insn] | apart;
}

/* The signature of register v, of a warp some of whose lanes have no thread: record.h says what these count as. */
static __attribute__((noinline)) void sign_part(const struct engine *e, const uint32_t *v, uint32_t threads,
						uint32_t exec, struct value_sig *out)
{
	const unsigned n = (unsigned)__builtin_popcount(threads);
	const uint32_t stride = n > 1 ? v[1] - v[0] : 0;
	uint32_t filled[WARP_LANES];
	const unsigned like = n > WARP_LANES / 2 ? WARP_LANES / 2 : 0; /* whose value the lanes without a thread have */
	bool affine = true;

	for (unsigned l = 0; l < WARP_LANES; l++) {
		filled[l] = v[l < n ? l : like];
		affine &= l >= n || v[l] == v[0] + l * stride;
	}
	e->lanes->sig(filled, exec, out);
	out->affine = affine;
	out->stride = affine ? stride : 0;
	if (e->rec.h3)
		out->h3 = e->lanes->h3(filled);
}

static inline void sign(const struct engine *e, const struct warp *w, const uint32_t *v, uint32_t exec,
			struct value_sig *out)
{
	if (e->first_active[w->index] != UINT32_MAX) {
		sign_part(e, v, e->first_active[w->index], exec, out);
		return;
	}
	e->lanes->sig(v, exec, out);
	if (e->rec.h3)
		out->h3 = e->lanes->h3(v);
}

/* With what its registers hold, or very many lines. */
static __attribute__((noinline)) void record_long(struct engine *e, struct warp *w, const struct xinsn *x,
						  uint32_t exec)
{
	unsigned sigs = exec && e->rec.sigs ? x->nsig : 0, vals = exec && e->rec.values ? x->nval : 0;
	unsigned extra = e->nline + sigs * 2 + vals * 16, head = 1 + (extra >= RECORD_LONG);
	uint32_t insn = insn_of(e, x), apart = w->apart ? RECORD_APART : 0;
	struct stream *s = w->stream;
	const uint32_t *written;
	uint64_t *at;

	if (!extra) {
		record_bare(e, s, insn, apart, exec);
		return;
	}
	at = reserve(e, s, head + extra);
	s->used += head + extra;
	s->room = 0;
	*at++ = RECORD_WORD(insn | apart, extra < RECORD_LONG ? extra : RECORD_LONG, exec);
	if (head > 1)
		*at++ = extra;
	for (unsigned i = 0; i < e->nline; i++)
		*at++ = e->line[i];
	if (!(sigs | vals))
		return;
	written = e->prog.reg_list + x->regs + (x->nval - x->nsig);
	for (unsigned i = 0; i < sigs; i++, at += 2)
		sign(e, w, w->reg + written[i], exec, (void *)at);
	if (vals) {
		unsigned nread = x->nval - (unsigned)x->nsig;

		memcpy(at, e->value, nread * WARP_LANES * sizeof *e->value);
		for (unsigned i = 0; i < x->nsig; i++)
			memcpy(at + (nread + i) * 16, w->reg + written[i], WARP_LANES * sizeof *w->reg);
	}
}

static inline void record(struct engine *e, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	uint32_t insn = insn_of(e, x), apart = w->apart ? RECORD_APART : 0;
	struct stream *s = w->stream;
	unsigned n = e->nline;
	uint64_t *at;

	if (e->rec.sigs | e->rec.values || n >= RECORD_LONG) {
		record_long(e, w, x, exec);
		return;
	}
	if (!n) {
		record_bare(e, s, insn, apart, exec);
		return;
	}
	at = reserve(e, s, 1 + n);
	s->used += 1 + n;
	s->room = 0;
	at[0] = RECORD_WORD(insn | apart, n, exec);
	for (unsigned i = 0; i < n; i++)
		at[1 + i] = e->line[i];
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

static void spoil_list(struct engine *e, struct warp *w, const struct kill_list *k, uint32_t lanes)
{
	const uint32_t *at = e->prog.kill_list + k->first;

	for (uint32_t i = 0; i < k->nreg; i++)
		spoil(w, w->reg + at[i], lanes);
	for (uint32_t i = 0; i < k->npred; i++)
		spoil_pred(w, w->pred + at[k->nreg + i], lanes);
}

/* After an instruction that `lanes` were to execute and `exec` did: what is dead for them, and in all lanes what is
 * dead for the warp; what was written, in the other lanes, if those do not need it. Guests of a region (flow.c) may go
 * on elsewhere than liveness knows. */
static void spoil_after(struct engine *e, struct warp *w, uint32_t insn, uint32_t lanes, uint32_t exec)
{
	spoil_list(e, w, &e->prog.kill[insn], lanes & ~w->guests);
	if (w->apart)
		return;
	if (e->prog.over && exec)
		spoil_list(e, w, &e->prog.over[insn], ~exec);
	if (e->prog.give)
		spoil_list(e, w, &e->prog.give[insn], ALL_LANES);
}

/* Along an edge: what is live out of the branch's block and not into the block at instruction `to`. A call of the
 * driver's comes back into its own block, where that says nothing. */
static void spoil_edge(struct engine *e, struct warp *w, uint32_t insn, uint32_t to, uint32_t lanes)
{
	const struct kernel *k = e->k;
	struct live_set out = live_out(k, e->prog.block_of[insn]), in = live_in(k, e->prog.block_of[to]);

	if (k->block[e->prog.block_of[to]].first != to)
		return;
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

/* ---- the extended set of a variant ---- */
static bool not_held(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t lanes)
{
	const struct kernel *k = e->k;
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, &k->insn[insn], use), u = 0;

	while (u + 1 < n && (!mreg_is_general(use[u].reg) || use[u].reg < k->base_regs))
		u++;
	return fault_in(e, FAULT_ILLEGAL, c, w, insn, (unsigned)__builtin_ctz(lanes),
			"%s R%u of the extended set (R%u and above), which the warp does not hold",
			use[u].write ? "writes" : "reads", use[u].reg, k->base_regs);
}

/* Instruction insn of a variant, before `lanes` are to execute it. What a warp gives back is lost, in all lanes; an
 * acquire by one that holds it and a release by one that does not do nothing. False: a fault, reported. */
static bool hold_extended(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t lanes)
{
	switch ((enum extended_use)e->prog.extended[insn]) {
	case EXTENDED_NONE:
		break;
	case EXTENDED_NAMED:
		return w->holds || not_held(e, c, w, insn, lanes);
	case EXTENDED_ACQUIRE:
		w->holds = true;
		break;
	case EXTENDED_RELEASE:
		if (w->apart) /* others may be where it is needed */
			break;
		for (uint32_t r = e->k->base_regs; w->holds && r < MREG_RZ; r++)
			if (e->prog.slot[r] != UINT32_MAX)
				spoil(w, w->reg + e->prog.slot[r], ALL_LANES);
		w->holds = false;
		break;
	}
	return true;
}

/* A branch that says .uni has parted a warp, which PTX leaves undefined; releases rely on it (passes/wlive.c). */
static bool check_one_way(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t lanes)
{
	const struct insn *i = &e->k->insn[insn];

	return !(i->mods & MOD_UNI) || !(op_info[i->op].flags & (OPF_BRANCH | OPF_TABLE)) ||
	       op_info[i->op].flags & OPF_CALL ||
	       fault_in(e, FAULT_ILLEGAL, c, w, insn, (unsigned)__builtin_ctz(lanes),
			"the branch says .uni, and the warp's lanes do not all go one way");
}

/* ---- lanes that wait for each other ---- */
static inline void branch_back(struct engine *e, struct warp *w, uint32_t pc)
{
	if (!w->depth) {
		w->rounds = 0;
		w->watching = false;
		return;
	}
	w->rounds++;
	if (w->watching || (w->rounds >= SPIN_FIRST && (!(w->rounds & (w->rounds - 1)) || w->rounds % SPIN_OFTEN == 0)))
		spin_look(e, w, pc);
}

/* Whether instructions of the kind do, or may do, what others see, other than by memory_access(). */
static inline bool seen_by_others(enum xkind kind)
{
	return kind == X_EXIT || kind == X_BARRIER || kind == X_COPY || kind == X_TRAP || kind == X_MATRIX ||
	       kind == X_TEXTURE || kind == X_HOST;
}

/* Instructions and steps that the lanes of a path execute and then go on. */
static inline __attribute__((always_inline)) enum step act(struct engine *e, struct cta *c, struct warp *w,
							   const struct xinsn *x, uint32_t exec, const bool looks)
{
	bool ok = true;

	switch ((enum xkind)x->kind) {
	case X_MEM:
		if (looks)
			ok = sanitize_memory(e, c, w, x, exec);
		else
			ok = (w->watching ? spin_memory : memory_access)(e, c, w, x, exec);
		break;
	case X_MATRIX:
		ok = matrix(e, c, w, x, exec);
		break;
	case X_TEXTURE:
		ok = texture_execute(e, c, w, x, exec);
		break;
	case X_SREG:
		move_sreg(e, c, w, x, exec);
		break;
	case X_WARP:
		return warp_op(e, c, w, x, exec);
	case X_BARRIER:
		return barrier_execute(e, c, w, x, exec);
	case X_COPY:
		ok = async_copy(e, c, w, x, exec);
		break;
	case X_TRAP:
		fault_in(e, FAULT_TRAP, c, w, insn_of(e, x), (unsigned)__builtin_ctz(exec),
			 x->target == OP_BRKPT ? "a breakpoint" : "the program asked to stop");
		return STEP_FAULT;
	case X_HOST:
		ok = host_call(e, c, w, x, exec);
		break;
	case X_ALU:
		x->fn.lane(x, w->reg, e->prog.konst, w->pred, exec);
		break;
	case X_NOTHING:
	case X_BRANCH:
	case X_EXIT:
	case X_CALL:
	case X_CALL_IND:
	case X_RETURN:
	case X_BRX:
	case X_STEPS:
	case X_FLOW:
		break;
	case X_REFUSED:
		return fault_in(e, FAULT_ILLEGAL, c, w, insn_of(e, x), WARP_LANES, "cannot be executed: %s",
				e->prog.refused[x->target])
			       ? STEP_DONE
			       : STEP_FAULT;
	}
	return ok ? STEP_DONE : STEP_FAULT;
}

/* The steps of an instruction. One that is executed again begins anew: what they leave before its end is its own. */
static inline __attribute__((always_inline)) enum step all_steps(struct engine *e, struct cta *c, struct warp *w,
								 const struct xinsn *x, uint32_t exec, const bool looks)
{
	const struct xinsn *s = x + x->target;

	for (const struct xinsn *end = s + x->rpc; s < end; s++) {
		uint32_t lanes = exec & (w->pred[s->guard] ^ s->gmask);
		enum step got;

		if (!lanes)
			continue;
		if (w->watching && s->kind != X_MEM && seen_by_others((enum xkind)s->kind))
			spin_changes(w);
		got = act(e, c, w, s, s->whole ? ALL_LANES : lanes, looks);
		if (got != STEP_DONE)
			return got;
	}
	return STEP_DONE;
}

static enum step steps(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	return all_steps(e, c, w, x, exec, false);
}

static enum step looked_at_steps(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	return all_steps(e, c, w, x, exec, true);
}

/* Control codes of an instruction that is no branch; lanes that waited at it for the others have come to it as well. */
static bool proven(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t active, uint32_t exec)
{
	const uint32_t joined = w->top.pc == insn + 1 ? w->top.active & ~active : 0;

	return controls_step(e, c, w, insn, active | joined, exec | joined);
}

/* ---- the loop ---- */
static inline __attribute__((always_inline)) void run(struct engine *e, struct cta *c, struct warp *w,
						      const bool records, const bool poison, const bool profile,
						      const bool controls, const bool looks)
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
		enum step step;

		if (poison && e->prog.enter && !w->apart)
			spoil_list(e, w, &e->prog.enter[pc], ALL_LANES);
		if (poison && e->prog.extended && !hold_extended(e, c, w, pc, active))
			goto out;
		if (controls)
			controls_wait(e, w, pc, active);
		left--;
		threads += exec == ALL_LANES ? WARP_LANES : (unsigned)__builtin_popcount(exec);
		if (records) {
			e->nline = 0;
			if (e->rec.values && exec)
				save_sources(e, w, x);
		}
		if (profile)
			e->opt.profile[pc]++;
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
			if (poison)
				spoil_after(e, w, pc, active, exec);
			if (poison && parted && !check_one_way(e, c, w, pc, exec))
				goto out;
			if (controls && !controls_step(e, c, w, pc, active, exec))
				goto out;
			if (records)
				record(e, w, x, exec);
			simt_settle(w);
			if (w->apart)
				spin_together(w);
			if (x->target <= pc && exec)
				branch_back(e, w, pc);
			continue;
		} else if (exec) {
			if (w->watching && x->kind != X_MEM && seen_by_others((enum xkind)x->kind))
				spin_changes(w);
			switch ((enum xkind)x->kind) {
			case X_MEM:
			case X_MATRIX:
			case X_TEXTURE:
			case X_SREG:
			case X_COPY:
			case X_TRAP:
			case X_HOST:
			case X_REFUSED:
				if (act(e, c, w, x, exec, looks) == STEP_FAULT)
					goto out;
				break;
			case X_WARP:
			case X_BARRIER:
			case X_STEPS:
			case X_FLOW:
				if (x->kind == X_FLOW) {
					w->top.pc = pc;
					step = flow_execute(e, c, w, x, exec, &to);
					gone = true;
				} else if (x->kind == X_STEPS) {
					step = (looks ? looked_at_steps : steps)(e, c, w, x, exec);
				} else {
					step = act(e, c, w, x, exec, looks);
				}
				for (uint32_t n = 0; poison && x->kind == X_FLOW && step == STEP_DONE && n < to.n; n++)
					spoil_edge(e, w, pc, to.p[n].pc, to.p[n].lanes);
				if (step == STEP_DONE)
					break;
				if (step == STEP_FAULT)
					goto out;
				if (step == STEP_AGAIN)
					w->top.pc = pc;
				w->insns--;
				if (profile)
					e->opt.profile[pc]--;
				threads -= (unsigned)__builtin_popcount(exec);
				left++;
				if (w->apart)
					spin_together(w);
				if (step == STEP_SWITCH && !e->livelock)
					continue;
				goto out;
			case X_EXIT:
				simt_exit(w, exec);
				if (e->k->native)
					w->parked = 0;
				if (c->cluster_arrived)
					barrier_lanes_gone(e, c);
				gone = true;
				break;
			case X_CALL:
			case X_CALL_IND:
			case X_RETURN:
			case X_BRX:
				w->top.pc = pc;
				if (!control_transfer(e, c, w, x, exec, &to))
					goto out;
				if (poison && to.n > 1 && !check_one_way(e, c, w, pc, exec))
					goto out;
				for (uint32_t n = 0; poison && n < to.n; n++)
					spoil_edge(e, w, pc, to.p[n].pc, to.p[n].lanes);
				for (uint32_t n = 0;
				     records && e->rec.parts && (x->kind == X_BRX || x->kind == X_CALL_IND) && n < to.n;
				     n++)
					e->line[e->nline++] = (uint64_t)to.p[n].pc << 32 | to.p[n].lanes;
				gone = true;
				break;
			case X_NOTHING:
			case X_ALU:
			case X_BRANCH:
				break;
			}
		}
		if (poison)
			spoil_after(e, w, pc, active, exec);
		if (controls && !proven(e, c, w, pc, active, exec))
			goto out;
		if (records)
			record(e, w, x, exec);
		if (gone || w->top.pc == w->top.rpc) {
			if (!simt_settle(w)) {
				finish(e, c, w);
				goto out;
			}
			if (w->apart)
				spin_together(w);
		}
		if ((x->kind == X_BRX || x->kind == X_FLOW) && w->top.pc <= pc && exec)
			branch_back(e, w, pc);
		if (w->state != WARP_READY)
			goto out;
	}
out:
	e->counts.warp_insns += w->budget - left;
	e->counts.thread_insns += threads;
	w->budget = left;
	if (records && !e->livelock)
		recorder_publish(&e->rec, w->stream, w->state == WARP_DONE);
}

/* Expansions, each a function of its own, so that none takes another's registers. */
#define EXPAND(name, ...)                                                                           \
	static __attribute__((noinline)) void name(struct engine *e, struct cta *c, struct warp *w) \
	{                                                                                           \
		run(e, c, w, __VA_ARGS__);                                                          \
	}
EXPAND(run_alone, false, false, false, false, false)
EXPAND(run_recorded, true, false, false, false, false)
EXPAND(run_poisoned, e->recording, true, false, false, false)
EXPAND(run_counted, false, false, true, false, false)
EXPAND(run_proven, false, false, false, true, false)
EXPAND(run_looked_at, e->recording, false, e->opt.profile != NULL, false, true)

void warp_run(struct engine *e, struct cta *c, struct warp *w)
{
	e->recording = w->stream != NULL;
	if (e->opt.poison)
		run_poisoned(e, c, w);
	else if (e->sanitizing)
		run_looked_at(e, c, w);
	else if (e->recording)
		run_recorded(e, c, w);
	else if (e->opt.controls)
		run_proven(e, c, w);
	else if (e->opt.profile)
		run_counted(e, c, w);
	else
		run_alone(e, c, w);
}

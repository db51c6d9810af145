/* The issue stage: each scheduler offers its warps without hazards to the pipelines in the order that the issue axis
 * gives, and issues at most one instruction. */
#include "analyzer/base/hash.h"
#include "runtime-model/core/encode.h"
#include "runtime-model/sm/subcore.h"

#include <string.h>

static bool is_const(uint64_t passes) { return smem_space(passes) == SP_PARAM || smem_space(passes) == SP_CONST; }

/* What a generic access has turned out to be. */
static enum kind resolve(const struct dinsn *d, const struct record *r, bool passes)
{
	if (passes && is_const(r->line[r->nline - 1]) && (r->nline == 1 || line_address(r->line[0]) >= CONST_LINES))
		return KIND_CONST;
	if (passes && r->nline == 1)
		return KIND_SHARED;
	if (d->is_atomic)
		return KIND_ATOMIC;
	return d->is_store ? KIND_STORE : KIND_LOAD;
}

/* A line of local memory moves from where records have it, by the warp's number in the grid, to where the machine does,
 * by its place in the SM: the words of a number of all warps that the machine holds follow each other, first those of
 * the SMs' first CTAs. */
static uint64_t place_local(const struct sm *s, unsigned warp, uint64_t word)
{
	const struct sm_shared *g = s->g;
	const struct warp *w = &s->warp[warp];
	const uint64_t first = LOCAL_LINES / LINE_BYTES, line = line_address(word) / LINE_BYTES;
	uint64_t cta = s->id + (uint64_t)g->p->sms * w->cta_slot, ctas = (uint64_t)g->p->sms * g->max_ctas;

	if (!g->job->local_lines || line < first)
		return word;
	return word - line + first + ((line - first) % g->job->local_lines * ctas + cta) * g->warps_per_cta + w->in_cta;
}

/* What the load-store unit will have to do. A record's words are lines, then at most one word of passes, which is the
 * one without sectors; lines of the constant banks come last and become one word for each half that is touched. */
static void start_memory(struct sm *s, struct flight *f, const struct record *r)
{
	bool passes = r->nline && !is_line(r->line[r->nline - 1]);
	unsigned lines = r->nline - passes, plain = lines;
	uint64_t *out;

	if (f->kind == KIND_GENERIC)
		f->kind = (uint8_t)resolve(f->d, r, passes);
	if (passes)
		f->words = smem_words(r->line[lines]);
	if (passes && (f->kind == KIND_CONST || !is_const(r->line[lines]))) /* else its lines say enough */
		f->passes = s->p->core && smem_merged(r->line[lines]) ? smem_merged(r->line[lines])
								      : smem_passes(r->line[lines]);
	if ((f->kind == KIND_SHARED || f->kind == KIND_CONST) && r->active && !f->passes)
		f->passes = 1;
	if (f->kind == KIND_SHARED)
		return;
	assert(lines <= LINES_MAX);
	f->linebuf = s->mem.free_linebuf[--s->mem.nfree_linebuf];
	out = s->mem.linebuf + (size_t)f->linebuf * LINES_MAX;
	if (f->kind == KIND_CONST) {
		f->nline = (uint16_t)(r->nline ? const_take_lines(r, lines, out) : 0);
		return;
	}
	while (passes && plain && line_address(r->line[plain - 1]) >= CONST_LINES)
		plain--;
	for (unsigned i = 0; i < plain; i++)
		out[i] = place_local(s, f->u.warp, r->line[i]);
	f->nline = (uint16_t)plain;
	if (plain < lines) {
		const struct record rest = { .line = r->line + plain };

		f->nline = (uint16_t)(plain + const_take_lines(&rest, lines - plain, out + plain));
	}
}

HOT bool room(const struct sm *s, enum pipe pipe)
{
	const struct collector_set *set = &s->read.set[pipe];

	return s->flights < FLIGHTS && set->nid_oc < set->issue_max && (pipe != PIPE_MEM || s->mem.nfree_linebuf);
}

/* Warps whose next instruction finds no room in its pipeline, or which are being suspended. */
static uint64_t without_room(const struct sm *s)
{
	uint64_t out = s->exec.flushing;

	for (unsigned p = 0; p < PIPE_COUNT; p++)
		if (s->next_in[p] && !room(s, (enum pipe)p))
			out |= s->next_in[p];
	return out;
}

HOT unsigned free_flight(const struct sm *s) { return s->free_flight != NO_FLIGHT ? s->free_flight : s->fresh; }

/* Signatures and values of a record are good only until the next one: they move into the flight's own space. */
RARE void copy_values(struct sm *s, unsigned n, const struct dinsn *d, const struct record *r)
{
	struct uop *u = &s->flight[n].u;

	if (s->sig && r->sig) {
		struct value_sig *sig = s->sig + (size_t)n * UOP_DST_MAX;

		memcpy(sig, r->sig, (r->nsig < UOP_DST_MAX ? r->nsig : UOP_DST_MAX) * sizeof *sig);
		u->sig = sig;
	}
	if (s->val && r->values) {
		struct uop_values *v = &s->val[n];

		for (unsigned i = 0; i < u->nsrc; i++)
			memcpy(v->src[i], r->values + d->src_at[i] * WARP_LANES, sizeof v->src[i]);
		for (unsigned i = 0; i < u->ndst; i++)
			memcpy(v->dst[i], r->values + d->dst_at[i] * WARP_LANES, sizeof v->dst[i]);
		u->src_value = (const uint32_t(*)[WARP_LANES])v->src;
		u->dst_value = (const uint32_t(*)[WARP_LANES])v->dst;
	}
}

/* The flight prepared in slot n, an instruction or a move, leaves the free list. */
HOT struct flight *take_flight(struct sm *s, unsigned n, const struct dinsn *d, cycle now)
{
	struct flight *f = &s->flight[n];

	if (n == s->fresh)
		s->fresh++;
	else
		s->free_flight = f->next;
	if (++s->flights == FLIGHTS)
		s->awake = UINT_MAX;
	f->d = d;
	f->issued = now;
	f->kind = d->kind;
	f->verdict = REUSE_MISS;
	f->waited = 0;
	if (d->pipe == PIPE_MEM) {
		f->linebuf = NO_FLIGHT;
		f->nline = f->line_at = 0;
		f->lines_out = 1;
		f->passes = f->words = 0;
	}
	s->st.operand_reads += f->u.nsrc;
	s->st.operand_writes += f->u.active ? f->u.ndst : 0;
	s->st.uniform_reads += d->uniform_reads;
	s->st.uniform_writes += f->u.active ? d->uniform_writes : 0;
	warp_reserve(s, &s->warp[f->u.warp], d);
	return f;
}

/* There are no registers for what warp w would issue next. */
static bool refuse(struct sm *s, unsigned w, bool wakes, enum stall *why)
{
	s->warp[w].refused = wakes;
	s->moved |= wakes; /* it leaves the ready warps: issue_refused() */
	*why = STALL_RESIDENCY;
	return false;
}

/* u names an extended register that its warp does not hold. */
static bool is_fault(struct sm *s, const struct uop *u)
{
	const unsigned reg = s->ax.rf->residency->missing(s->ax.residency, u);

	if (reg == NO_REGISTER)
		return false;
	if (!s->take.fault.there)
		s->take.fault =
			(struct fault){ .there = true, .at = s->now, .warp = u->warp, .reg = reg, .insn = u->insn };
	s->take.failed = true;
	return true;
}

/* What the instruction prepared in slot n needs of the register file to issue. False with *why: not now, and nothing
 * has changed. */
RARE bool take_registers(struct sm *s, unsigned n, enum stall *why)
{
	const struct residency_ops *ops = s->ax.rf->residency;
	struct uop *u = &s->flight[n].u;

	if (ops->missing && is_fault(s, u))
		return refuse(s, u->warp, false, why);
	if (ops->may_issue && !ops->may_issue(s->ax.residency, u))
		return refuse(s, u->warp, ops->wakes, why);
	u->id = (uint16_t)n;
	if (s->ax.rename)
		rename_issue(s->ax.rename, u);
	if (ops->issue)
		ops->issue(s->ax.residency, u);
	if (s->checked)
		checked_issue(s, n);
	if (s->front)
		s->ax.rf->reuse->issue(s->ax.reuse, u);
	return true;
}

/* Some address of a memory instruction is in local memory. */
static bool touches_local(const struct record *r)
{
	for (unsigned i = 0; i < r->nline; i++)
		if (scalar_is_local(r->line[i]))
			return true;
	return false;
}

void issue_fault(struct sm *s, const struct uop *u, const char *wrong)
{
	if (!s->take.fault.there)
		s->take.fault =
			(struct fault){ .there = true, .at = s->now, .warp = u->warp, .insn = u->insn, .bug = wrong };
	s->take.failed = true;
}

/* Tells the values axis that u issues. */
static void values_issue(struct sm *s, const struct uop *u)
{
	const char *wrong = s->ax.rf->values->issue ? s->ax.rf->values->issue(s->ax.values, u) : NULL;

	if (wrong)
		issue_fault(s, u, wrong);
}

/* It goes to what is behind issue. */
HOT void enter_pipe(struct sm *s, unsigned n)
{
	struct collector_set *set = &s->read.set[s->flight[n].d->pipe];

	if (s->sub)
		subcore_enter(s, n);
	else if (s->front)
		front_enter(s, n);
	else
		set->id_oc[set->nid_oc++] = (uint16_t)n;
}

/* A move of register reg of warp w to itself, in the place of instruction d, which waits for it as for any other
 * write. */
RARE bool try_move(struct sm *s, unsigned w, const struct dinsn *next, unsigned reg, cycle now, enum stall *why)
{
	const struct dinsn *d = &s->g->move[reg];
	unsigned n = free_flight(s);
	struct uop *u = &s->flight[n].u;

	if (s->sub ? !subcore_move_room(s, w) : !room(s, (enum pipe)d->pipe))
		return false;
	*u = d->proto;
	u->insn = next->proto.insn;
	u->warp = (uint16_t)w;
	u->missing = s->warp[w].missing;
	u->active = ~u->missing;
	if (levels_hazard(s, u)) {
		*why = state_stall(s, WARP_SCOREBOARD);
		return false;
	}
	if (!take_registers(s, n, why))
		return false;
	values_issue(s, u);
	take_flight(s, n, d, now);
	levels_issue(s, n);
	enter_pipe(s, n);
	s->st.injected_moves++;
	if (s->watch.want)
		probe_issue(s, n);
	if (s->watch.wait)
		probe_issued(s, w);
	s->ax.rf->issue->issued(issue_of(s, w), w, u, now);
	warp_update(s, w);
	return true;
}

/* The warp's next instruction issues and leaves the buffer. */
HOT void take_from_buffer(struct sm *s, unsigned w, const struct uop *u, cycle now)
{
	struct warp *x = &s->warp[w];

	if (s->watch.wait)
		probe_issued(s, w);
	s->ax.rf->issue->issued(issue_of(s, w), w, u, now);
	x->ibuf_first++;
	if (--x->ibuf_n == 0 || s->sub)
		s->fetch.ready |= bit(w);
}

/* The warp goes on to its next record, unless a barrier holds it. */
HOT void advance(struct sm *s, unsigned w, const struct dinsn *d, const struct uop *u, cycle now)
{
	struct warp *x = &s->warp[w];

	take_from_buffer(s, w, u, now);
	if (d->kind == KIND_FENCE) {
		s->st.fences++;
		x->near_fence = s->sub && subcore_near_fence(s, d);
		x->at_fence = warp_fence_holds(x);
	}
	if (d->kind == KIND_BARRIER && u->active) {
		s->st.barrier_waits++;
		warp_arrive(s, w, d);
	} else {
		warp_next(s, w);
	}
	warp_update(s, w);
	if (s->watch.wait)
		probe_next(s, w, u->insn);
}

/* What axes say of the instruction prepared in slot n. False: it does not issue now; *moved: a move does in its
 * place. */
RARE bool ask_axes(struct sm *s, unsigned n, cycle now, enum stall *why, bool *moved)
{
	const struct rf_config *rf = s->ax.rf;
	struct uop *u = &s->flight[n].u;
	const unsigned w = u->warp;
	const struct dinsn *d = s->warp[w].next;
	unsigned reg;

	u->local = d->pipe == PIPE_MEM && touches_local(&s->warp[w].rec);
	copy_values(s, n, d, &s->warp[w].rec);
	if (rf->values->move && !s->front && rf->values->move(s->ax.values, u, &reg)) {
		*moved = try_move(s, w, d, reg, now, why);
		return false;
	}
	if (levels_hazard(s, u)) {
		s->exec.held |= bit(w);
		*why = state_stall(s, WARP_SCOREBOARD);
		return false;
	}
	if (!take_registers(s, n, why))
		return false;
	values_issue(s, u);
	return true;
}

/* Puts warp w's next instruction, or a move before it, into the pipeline. False with *why: nothing has changed. */
bool try_issue(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	struct warp *x = &s->warp[w];
	const struct dinsn *d = x->next;
	const unsigned n = free_flight(s);
	bool moved = false;
	struct flight *f;
	struct uop *u;

	*why = STALL_REUSE;
	if (s->front && d->kind == KIND_BARRIER && front_has_load(s, w))
		return false;
	*why = STALL_COLLECTOR;
	u = &s->flight[n].u;
	*u = d->proto;
	u->warp = (uint16_t)w;
	u->active = x->rec.active;
	u->missing = x->missing;
	u->apart = x->rec.apart;
	if (s->asked && !ask_axes(s, n, now, why, &moved))
		return moved;
	f = take_flight(s, n, d, now);
	s->st.warp_instructions++;
	s->st.thread_instructions += lanes_in(u->active);
	if (s->asked)
		levels_issue(s, n);
	if (d->pipe == PIPE_MEM) {
		start_memory(s, f, &x->rec);
		if (f->nline && (f->kind == KIND_LOAD || f->kind == KIND_ATOMIC || f->kind == KIND_TEXTURE))
			warp_reserve_long(s, x, d);
	}
	enter_pipe(s, n);
	if (s->watch.want)
		probe_issue(s, n);
	advance(s, w, d, u, now);
	return true;
}

/* Metadata needs no room anywhere and leaves no trace but its slot. */
static bool issue_metadata(struct sm *s, unsigned w, cycle now)
{
	const struct dinsn *d = s->warp[w].next;
	struct uop u = d->proto;

	u.warp = (uint16_t)w;
	u.active = s->warp[w].rec.active;
	u.missing = s->warp[w].missing;
	s->st.metadata_instructions++;
	take_from_buffer(s, w, &u, now);
	if (d->of_block)
		warp_set_next(s, w, insn_at(s, d->then));
	else
		warp_next_metadata(s, w, u.insn + 1);
	warp_update(s, w);
	if (s->watch.wait)
		probe_next(s, w, u.insn);
	warp_try_end(s, w); /* a warp without records */
	return true;
}

/* Warp w tries to acquire its extended set. */
static bool acquire(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	struct warp *x = &s->warp[w];
	const enum acquired how = s->ax.rf->residency->acquire(s->ax.residency, w);
	const bool first = !x->acquiring;

	s->st.rf_acquire_tries += how != ACQUIRE_HELD;
	if (how == ACQUIRE_NONE) {
		if (first)
			x->acquiring = now + 1;
		return refuse(s, w, true, why);
	}
	s->st.rf_acquires++;
	if (how == ACQUIRE_HELD)
		s->st.rf_acquires_held++;
	else if (first)
		s->st.rf_acquires_first++;
	else
		s->st.rf_acquire_wait_cycles += now + 1 - x->acquiring;
	x->acquiring = 0;
	return true;
}

/* An acquire or a release: a slot, nothing else; it borrows slot n of those in flight. False with *why: it waits. */
static bool issue_section(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	const unsigned n = free_flight(s);
	const struct dinsn *d = s->warp[w].next;
	struct flight *f = &s->flight[n];
	struct uop u = d->proto;

	*why = STALL_COLLECTOR;
	if (s->flights == FLIGHTS || (d->kind == KIND_ACQUIRE && !acquire(s, w, now, why)))
		return false;
	u.warp = (uint16_t)w;
	u.active = s->warp[w].rec.active;
	u.missing = s->warp[w].missing;
	u.id = (uint16_t)n;
	f->u = u;
	f->d = d;
	f->verdict = REUSE_MISS;
	values_issue(s, &u);
	if (s->asked)
		levels_issue(s, n);
	s->st.rf_releases += d->kind == KIND_RELEASE;
	/* else other lanes may be where it is needed: it is kept */
	if (d->kind == KIND_RELEASE && !s->warp[w].rec.apart) {
		if (s->ax.rf->residency->release(s->ax.residency, w) && s->checked)
			checked_release(s, w);
		registers_freed(s);
	}
	s->st.warp_instructions++;
	s->st.thread_instructions += lanes_in(u.active);
	if (s->watch.want)
		probe_issue(s, n);
	if (probing(s, PROBE_RETIRE))
		probe_flight(s, PROBE_RETIRE, n, 0, 0);
	f->d = NULL;
	take_from_buffer(s, w, &u, now);
	warp_next(s, w);
	warp_update(s, w);
	if (s->watch.wait)
		probe_next(s, w, u.insn);
	warp_try_end(s, w); /* its last instruction, with nothing outstanding */
	return true;
}

/* An acquire or a release that is none of the instructions: a slot, nothing else. */
static bool issue_point(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	struct warp *x = &s->warp[w];
	const struct dinsn *d = x->next;
	struct uop u = d->proto;

	if (d->kind == KIND_ACQUIRE && !acquire(s, w, now, why))
		return false;
	u.warp = (uint16_t)w;
	s->st.rf_points++;
	s->st.rf_releases += d->kind == KIND_RELEASE;
	x->holds = d->kind == KIND_ACQUIRE;
	if (!x->holds) {
		if (s->ax.rf->residency->release(s->ax.residency, w) && s->checked)
			checked_release(s, w);
		registers_freed(s);
	}
	if (s->watch.wait)
		probe_issued(s, w);
	s->ax.rf->issue->issued(issue_of(s, w), w, &u, now);
	warp_set_next(s, w, warp_of_record(s, w));
	warp_update(s, w);
	if (s->watch.wait)
		probe_next(s, w, u.insn);
	return true;
}

/* What enters no pipeline. */
bool issue_without_pipe(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	if (s->warp[w].next->is_point)
		return issue_point(s, w, now, why);
	return s->warp[w].next->kind == KIND_ALU ? issue_metadata(s, w, now) : issue_section(s, w, now, why);
}

/* Warp w, which has tried, waits for registers from now on. */
void issue_refused(struct sm *s, unsigned w)
{
	if (s->warp[w].refused)
		warp_update(s, w);
}

enum stall state_stall(const struct sm *s, enum warp_state st)
{
	static const enum stall of_state[][WARP_STATES] = {
		{
			[WARP_READY] = STALL_COLLECTOR,
			[WARP_REGISTERS] = STALL_RESIDENCY,
			[WARP_SCOREBOARD] = STALL_SCOREBOARD,
			[WARP_MEMORY] = STALL_MEMORY,
			[WARP_LONG] = STALL_MEMORY,
			[WARP_FENCE] = STALL_MEMORY,
			[WARP_BARRIER] = STALL_BARRIER,
			[WARP_FETCH] = STALL_FETCH,
			[WARP_FLUSH] = STALL_FETCH,
			[WARP_DRAIN] = STALL_DRAIN,
		},
		{
			[WARP_READY] = STALL_DISPATCH,
			[WARP_REGISTERS] = STALL_RESIDENCY,
			[WARP_WAIT] = STALL_WAIT,
			[WARP_CONSTANT] = STALL_IMC,
			[WARP_SCOREBOARD] = STALL_SHORT,
			[WARP_MEMORY] = STALL_SHORT,
			[WARP_LONG] = STALL_LONG,
			[WARP_FENCE] = STALL_MEMBAR,
			[WARP_BARRIER] = STALL_BARRIER,
			[WARP_FETCH] = STALL_FETCH,
			[WARP_FLUSH] = STALL_FETCH,
			[WARP_DRAIN] = STALL_DRAIN,
		},
	};

	return of_state[s->sub != NULL][st];
}

/* One of a set of warps that have come equally close, for watchers. Drawn by what the SM has issued: spread over all of
 * them, and the same whether idle cycles are stepped or skipped. */
static unsigned draw_warp(const struct sm *s, uint64_t among)
{
	uint64_t mixed = s->st.slots[STALL_ISSUED] * HASH_GOLDEN >> 32;

	if (probing(s, PROBE_SLOT))
		for (uint64_t n = mixed * (unsigned)__builtin_popcountll(among) >> 32; n; n--)
			among &= among - 1;
	return (unsigned)__builtin_ctzll(among);
}

/* Why a scheduler without a ready warp has none: the state of the warp that came closest, and that warp. */
enum stall issue_explain(const struct sm *s, uint64_t mine, unsigned *warp)
{
	for (unsigned st = WARP_READY + 1; st < WARP_STATES; st++)
		if (s->in_state[st] & mine) {
			*warp = draw_warp(s, s->in_state[st] & mine);
			return state_stall(s, (enum warp_state)st);
		}
	return STALL_EMPTY;
}

void issue_tell(struct sm *s, unsigned sch, uint32_t insn, cycle now)
{
	struct slot_use *u = &s->slot[sch];
	const unsigned warp = u->warp;

	if (u->why == STALL_ISSUED)
		u->insn = insn;
	else
		u->insn = warp == PROBE_NO_WARP ? 0 : probe_insn(s, warp);
	u->cta = warp == PROBE_NO_WARP ? 0 : s->warp[warp].cta;
	probe_slot(s, sch, now, 1);
}

/* Issues for a scheduler that nobody watches and that picks its warps: those without room need not be picked one by
 * one. */
static enum stall pick_and_issue(struct sm *s, unsigned sch, uint64_t ready, cycle now)
{
	const struct issue_ops *ops = s->ax.rf->issue;
	enum stall tried, why;
	uint64_t m;

	if (ops->narrow && !(ready = ops->narrow(s->ax.issue[sch], ready)))
		return STALL_PENDING;
	m = ready & ~s->exec.flushing;
	tried = m == ready ? STALL_ISSUED : STALL_COLLECTOR;
	while (m) {
		unsigned warp = ops->pick(s->ax.issue[sch], m), pipe = s->warp[warp].pipe;

		if (pipe != NO_PIPE && !room(s, (enum pipe)pipe)) {
			m &= ~s->next_in[pipe];
			why = STALL_COLLECTOR;
		} else if (s->exec.held & bit(warp)) {
			m &= ~bit(warp);
			why = STALL_SCOREBOARD;
		} else if (pipe == NO_PIPE ? issue_without_pipe(s, warp, now, &why) : try_issue(s, warp, now, &why)) {
			return STALL_ISSUED;
		} else {
			m &= ~bit(warp);
			issue_refused(s, warp);
		}
		if (tried == STALL_ISSUED || why < tried)
			tried = why;
	}
	return tried;
}

/* Offers the warps to the pipelines one by one; of those that are refused, *first is the one that came closest. */
static enum stall offer_and_issue(struct sm *s, unsigned sch, uint64_t ready, cycle now, unsigned *first,
				  uint32_t *insn)
{
	const struct issue_ops *ops = s->ax.rf->issue;
	const enum stall no_room = s->front && !front_room(s, sch) ? STALL_REUSE : STALL_COLLECTOR;
	uint64_t out = no_room == STALL_REUSE ? ~(uint64_t)0 : without_room(s), m = ready;
	enum stall tried = STALL_ISSUED, why;
	uint16_t order[WARPS_MAX];
	unsigned n = 0, i = 0;

	if (!ops->pick) {
		n = ops->order(s->ax.issue[sch], now, ready, order);
		m = 0;
		for (unsigned k = 0; k < n; k++)
			m |= bit(order[k]);
	} else if (ops->narrow) {
		m = ops->narrow(s->ax.issue[sch], ready);
	}
	if (!m) {
		tried = STALL_PENDING;
		*first = draw_warp(s, ready);
	}
	for (uint64_t left = s->watch.wait ? ready & ~m : 0; left; left &= left - 1)
		probe_refused(s, (unsigned)__builtin_ctzll(left), STALL_PENDING);
	while (ops->pick ? m != 0 : i < n) {
		unsigned warp = ops->pick ? ops->pick(s->ax.issue[sch], m) : order[i++];

		m &= ~bit(warp);
		*insn = s->warp[warp].rec.insn;
		why = s->exec.held & ~out & bit(warp) ? STALL_SCOREBOARD : no_room;
		if (!((out | s->exec.held) & bit(warp)) &&
		    (s->next_in[NO_PIPE] & bit(warp) ? issue_without_pipe(s, warp, now, &why)
						     : try_issue(s, warp, now, &why))) {
			*first = warp;
			return STALL_ISSUED;
		}
		if (s->watch.wait)
			probe_refused(s, warp, why);
		issue_refused(s, warp);
		if (tried == STALL_ISSUED || why < tried) {
			tried = why;
			*first = warp;
		}
	}
	return tried;
}

/* What a scheduler's slot of this cycle goes to. */
static void schedule(struct sm *s, unsigned sch, cycle now)
{
	uint64_t ready = s->in_state[WARP_READY] & s->sched_warps[sch];
	unsigned warp = PROBE_NO_WARP;
	uint32_t insn = 0;
	enum stall why;

	if (!ready)
		why = issue_explain(s, s->sched_warps[sch] & s->live, &warp);
	else if (s->picks)
		why = pick_and_issue(s, sch, ready, now);
	else
		why = offer_and_issue(s, sch, ready, now, &warp, &insn);
	if (why == STALL_ISSUED) {
		s->moved = true;
		s->progressed = now;
	} else if (why > STALL_RESIDENCY && s->in_state[WARP_REGISTERS] & s->sched_warps[sch]) {
		why = STALL_RESIDENCY; /* comes closer than the ready warps that were refused */
		warp = draw_warp(s, s->in_state[WARP_REGISTERS] & s->sched_warps[sch]);
	}
	issue_account(s, sch, why, warp, insn, now);
}

void schedule_step(struct sm *s, cycle now)
{
	const unsigned n = s->p->schedulers;

	if (s->in_state[WARP_FLUSH])
		fetch_flush(s);
	for (unsigned sch = 0; sch < n; sch++) {
		s->turn = sch + 1;
		schedule(s, sch, now);
	}
}

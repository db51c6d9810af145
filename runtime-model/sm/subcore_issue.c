/* Issue on a sub-core: one instruction in a cycle, of the warp that the issue axis picks among those that may.
 *
 * A warp may issue when its stall count is over, the barriers of dependence that its next instruction waits for are
 * 0 (or, with params.dependences 1, a scoreboard has no objection), the instruction is in its buffer, its constant
 * operand in the cache, the latch of its unit or the unit's queue free, and the control stage too. Ports of
 * registers are not looked at (sections 4 and 5.1). */
#include "runtime-model/sm/subcore.h"

#include <string.h>

/* ---- dependences ---- */
/* Of the barriers in the mask that are not 0, what the first waits for. */
static enum warp_state waits_for(const struct sub_warp *x, unsigned mask)
{
	return (enum warp_state)x->kind[__builtin_ctz(mask)];
}

/* DEPBAR: so many of its barrier may be outstanding, and none of the others that it names. */
static unsigned depbar_waits(const struct sub_warp *x, const struct sub_insn *i)
{
	unsigned mask = x->busy & i->mask;

	if (i->board < BOARDS && x->board[i->board] > i->left)
		mask |= 1u << i->board;
	return mask;
}

/* A scoreboard counts the readers of each register that have not read it: who writes waits for them, and who reads for
 * room among them (section 7.5). */
static bool readers_in_the_way(const struct sm *s, unsigned w, const struct dinsn *d)
{
	const uint8_t *readers = s->sub->readers[w];
	const unsigned limit = s->p->scoreboard_readers;

	for (unsigned i = 0; i < d->proto.ndst; i++)
		if (readers[d->proto.dst[i]])
			return true;
	for (unsigned i = 0; limit && i < d->proto.nsrc; i++)
		if (readers[d->proto.src[i]] >= limit)
			return true;
	return false;
}

static void wait_until(struct subcore *c, unsigned w, cycle until)
{
	c->warp[w].until = until;
	c->wakes[until % WAIT_CYCLES] |= bit(w);
}

/* When instruction i may issue that reads what r has written: a scoreboard hears of a result as it is there, which is
 * when an operand is read, and not so many stages before, as a control code knows. A guard is read at issue. */
static cycle readable(const struct sub_ways *ways, const struct recent *r, const struct sub_insn *i)
{
	cycle at = 0;

	for (unsigned n = 0; n < r->by->nnamed; n++) {
		const struct sass_access *from = &r->by->named[n];

		for (unsigned k = 0; from->write && k < i->nnamed; k++) {
			const struct sass_access *to = &i->named[k];
			cycle of;

			if (to->write || to->reg != from->reg)
				continue;
			of = r->issued + ways->latency[mreg_is_pred(to->reg)][from->unit][to->unit] +
			     (to->guard ? 0 : STAGES_TO_READ);
			at = of > at ? of : at;
		}
	}
	return at;
}

/* Its latest operand decides: from a unit to another one the way may be longer than to those that are served first,
 * and a guard is needed as the instruction issues (analyzer/ir/latency.def). */
static enum warp_state by_latency(const struct sm *s, unsigned w, const struct sub_insn *i)
{
	const struct sub_warp *y = &s->sub->warp[w];
	cycle until = 0;

	for (unsigned n = 0; n < y->nrecent; n++) {
		const cycle at = readable(s->g->sub_code.ways, &s->sub->recent[w][n], i);

		until = at > until ? at : until;
	}
	if (until <= s->now)
		return WARP_READY;
	wait_until(s->sub, w, until);
	return WARP_WAIT;
}

static bool is_over(const struct sub_ways *ways, const struct recent *r, cycle now)
{
	for (unsigned n = 0; n < r->by->nnamed; n++) {
		const struct sass_access *x = &r->by->named[n];

		if (x->write && r->issued + ways->most[mreg_is_pred(x->reg)][x->unit] + STAGES_TO_READ > now)
			return false;
	}
	return true;
}

void subcore_has_results(struct sm *s, unsigned n, cycle now)
{
	const struct sub_insn *by = s->flight[n].sub.insn;
	const unsigned w = s->flight[n].u.warp;
	struct sub_warp *y = &s->sub->warp[w];
	unsigned gone = 0;
	struct recent *r;

	if (!s->p->dependences || !by->nnamed)
		return;
	r = s->sub->recent[w];
	while (gone < y->nrecent && (y->nrecent - gone == RECENT_MAX || is_over(s->g->sub_code.ways, &r[gone], now)))
		gone++;
	y->nrecent = (uint8_t)(y->nrecent - gone);
	memmove(r, r + gone, y->nrecent * sizeof *r);
	r[y->nrecent++] = (struct recent){ now - by->latency - STAGES_TO_READ, by };
}

/* A scoreboard knows nothing of copies to shared memory, for which DEPBAR still waits. */
RARE enum warp_state by_scoreboard(const struct sm *s, struct warp *x, unsigned w)
{
	const struct sub_warp *y = &s->sub->warp[w];
	const struct sub_insn *i = sub_insn(s, x->next);
	const unsigned mask = i->depbar ? depbar_waits(y, i) : 0;

	if (i->depbar && (mask || y->unraised))
		return mask ? waits_for(y, mask) : WARP_SCOREBOARD;
	if (sb_meet(s, x->pending_long, x->next->reads_writes) && (!s->owed_bit || warp_owed(s, x) == WARP_LONG))
		return WARP_LONG;
	if (sb_meet(s, x->pending_mem, x->next->reads_writes))
		return WARP_MEMORY;
	if (sb_meet(s, x->pending, x->next->reads_writes) || readers_in_the_way(s, w, x->next))
		return WARP_SCOREBOARD;
	return by_latency(s, w, i);
}

static enum warp_state by_control_code(const struct sm *s, unsigned w, const struct sub_insn *i)
{
	const struct sub_warp *x = &s->sub->warp[w];
	const unsigned mask = (x->busy & i->code.wait) | (i->depbar ? depbar_waits(x, i) : 0);

	return mask ? waits_for(x, mask) : WARP_READY;
}

/* Warps by the unit of their next instruction, as far as they have been ready. */
static void next_is_for(const struct sm *s, unsigned w, unsigned unit)
{
	struct sub_warp *y = &s->sub->warp[w];

	if (y->unit == unit)
		return;
	s->sub->next_for[y->unit] &= ~bit(w);
	s->sub->next_for[unit] |= bit(w);
	y->unit = (uint8_t)unit;
}

/* An instruction of a code's own, which enters no pipeline: an acquire or a release of an extended set. */
static bool is_section(const struct dinsn *d)
{
	return (d->kind == KIND_ACQUIRE || d->kind == KIND_RELEASE) && !d->is_point;
}

/* Of what enters no pipeline, a release waits for what is written to the extended set until it is there. */
RARE enum warp_state without_pipe(const struct sm *s, struct warp *x, unsigned w)
{
	enum warp_state why = WARP_READY;

	if (is_section(x->next) && !s->p->dependences)
		why = by_control_code(s, w, sub_insn(s, x->next));
	if (why == WARP_READY && x->next->kind == KIND_RELEASE && s->sub->warp[w].extended_writes)
		why = sb_meet(s, x->pending_long, x->next->reads_writes) ? WARP_LONG : WARP_SCOREBOARD;
	if (why != WARP_READY)
		return why;
	return x->refused ? WARP_REGISTERS : WARP_READY;
}

/* Of a warp whose next instruction is in its buffer and whose stall count is over. */
static enum warp_state state_of_next(struct sm *s, unsigned w)
{
	struct warp *x = &s->warp[w];
	const struct sub_insn *i;
	enum warp_state why;

	if (x->next->into == NO_PIPE)
		return without_pipe(s, x, w);
	i = sub_insn(s, x->next);
	next_is_for(s, w, i->unit);
	why = s->p->dependences ? by_scoreboard(s, x, w) : by_control_code(s, w, i);
	if (why != WARP_READY)
		return why;
	if (s->sub->warp[w].no_constant)
		return WARP_CONSTANT;
	return x->refused ? WARP_REGISTERS : WARP_READY;
}

static enum warp_state state_standing(const struct warp *x)
{
	if (x->ended)
		return WARP_DRAIN;
	if (x->at_barrier)
		return WARP_BARRIER;
	return x->at_fence ? WARP_FENCE : WARP_FETCH;
}

enum warp_state subcore_state(struct sm *s, unsigned w)
{
	const struct warp *x = &s->warp[w];

	if (x->stands)
		return state_standing(x);
	if (x->ibuf_first != x->next->at)
		return WARP_FLUSH; /* whatever is on its way to the buffer lies on another path */
	if (!x->ibuf_n)
		return WARP_FETCH;
	return s->sub->warp[w].until > s->now ? WARP_WAIT : state_of_next(s, w);
}

/* ---- what issues ---- */
/* What a warp waits for that waits for this instruction. */
static enum warp_state kind_of(const struct sub_insn *i, const struct flight *f)
{
	if (i->unit != SUB_MEMORY)
		return WARP_SCOREBOARD;
	return f->nline && (f->kind == KIND_LOAD || f->kind == KIND_ATOMIC || f->kind == KIND_TEXTURE) ? WARP_LONG
												       : WARP_MEMORY;
}

static void raise_board(struct sm *s, unsigned n, unsigned board)
{
	const struct flight *f = &s->flight[n];
	struct sub_warp *x = &s->sub->warp[f->u.warp];
	const enum warp_state kind = kind_of(f->sub.insn, f);

	if (board >= BOARDS)
		return;
	if (!x->board[board]++ || kind == WARP_LONG)
		x->kind[board] = (uint8_t)kind;
	x->busy |= (uint8_t)(1u << board);
	if (x->board[board] < BOARD_MOST)
		return;
	x->full |= (uint8_t)(1u << board);
	sub_open(s, sub_of(s, f->u.warp));
}

/* Flight n raises its barriers, which show behind this cycle (section 4). */
static void raise_boards(struct sm *s, unsigned n)
{
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;
	struct sub_warp *x = &s->sub->warp[f->u.warp];

	x->unraised--;
	if (i->boards) {
		raise_board(s, n, i->code.wbar);
		raise_board(s, n, i->code.rbar);
	}
	if (!i->copies && !i->groups)
		return;
	x->copies = (uint16_t)(x->copies + i->copies);
	f->sub.group.number = x->groups;
	x->groups = (uint16_t)(x->groups + i->groups);
	if (i->groups && x->copies) {
		f->sub.group.left = x->copies;
		f->sub.group.next = x->group;
		x->group = (uint16_t)n;
	}
}

void subcore_raised(struct sm *s)
{
	for (unsigned m = s->sub->raisers; m; m &= m - 1) {
		struct sub *c = &s->sub->sub[__builtin_ctz(m)];
		const unsigned n = c->raising;

		raise_boards(s, n);
		if (s->flight[n].sub.insn->boards || s->p->dependences)
			warp_update_in(s, s->flight[n].u.warp, HAS_NEXT);
	}
	s->sub->raisers = 0;
}

static void lower(struct sm *s, unsigned w, unsigned board)
{
	struct sub_warp *x = &s->sub->warp[w];

	assert(x->board[board]);
	x->full &= (uint8_t) ~(1u << board);
	if (--x->board[board] == 0)
		x->busy &= (uint8_t) ~(1u << board);
	s->moved = true;
	warp_update_in(s, w, WAITS_FOR_OTHERS);
}

/* A scoreboard counts who has not read its operands yet. Under a reuse that renames a register is not written where an
 * older instruction reads it. */
static bool counts_readers(const struct sm *s) { return s->p->dependences && !s->front; }

static void has_read(struct sm *s, const struct uop *u, unsigned w)
{
	for (unsigned i = 0; i < u->nsrc; i++)
		s->sub->readers[w][u->src[i]]--;
	warp_update_in(s, w, WAITS_FOR_OTHERS);
}

void subcore_readers(struct sm *s, cycle now)
{
	struct reader *x = s->sub->reader[now % (READ_WINDOW + 1)];

	for (unsigned i = 0; i < s->p->schedulers; i++) {
		if (!x[i].u)
			continue;
		has_read(s, x[i].u, x[i].warp);
		x[i].u = NULL;
		s->sub->nreader--;
		s->moved = true;
	}
	if (s->sub->nreader)
		sub_note(s, now + 1);
}

void subcore_sources_read(struct sm *s, unsigned n)
{
	const struct flight *f = &s->flight[n];
	const struct sub_insn *x = f->sub.insn;
	const cycle at = s->now + READ_WINDOW;

	if (x->code.rbar < BOARDS)
		lower(s, f->u.warp, x->code.rbar);
	if (!counts_readers(s))
		return;
	if (x->unit >= SUB_XU) {
		has_read(s, &f->u, f->u.warp);
		return;
	}
	s->sub->reader[at % (READ_WINDOW + 1)][s->warp[f->u.warp].scheduler] =
		(struct reader){ &f->d->proto, f->u.warp };
	s->sub->nreader++;
}

void subcore_written(struct sm *s, unsigned n)
{
	const struct flight *f = &s->flight[n];

	if (f->sub.insn->code.wbar < BOARDS)
		lower(s, f->u.warp, f->sub.insn->code.wbar);
}

void subcore_delay(struct sm *s, unsigned w, cycle now)
{
	const cycle until = s->sub->warp[w].until;

	wait_until(s->sub, w, (until > now ? until : now) + 1);
	warp_update_in(s, w, HAS_NEXT);
}

/* Cycles behind an instruction in which its warp does not issue. */
static unsigned stall_of(const struct sm *s, const struct sub_insn *i)
{
	const unsigned stall = sass_stall_cycles(i->code);

	if (s->p->dependences)
		return 1;
	return !i->code.yield && stall < 2 ? 2 : stall; /* another warp has the next cycle (section 4) */
}

/* As issue_without_pipe(), and what its control code says of the cycles behind it. */
RARE bool issue_unpiped(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	const struct dinsn *d = s->warp[w].next;

	if (!issue_without_pipe(s, w, now, why))
		return false;
	if (!is_section(d) || !(s->live & bit(w)))
		return true;
	wait_until(s->sub, w, now + stall_of(s, sub_insn(s, d)));
	warp_update(s, w);
	return true;
}

/* Flight n comes to the control stage. Whoever renames has no need to know which registers are still to be read. */
HOT void take(struct sm *s, unsigned n)
{
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;
	struct sub_warp *x = &s->sub->warp[f->u.warp];
	struct sub *c = sub_of(s, f->u.warp);

	c->control = (uint16_t)n;
	c->raised = false;
	s->sub->reading |= 1u << c->id;
	f->sub.entered = s->now;
	f->sub.extended = subcore_writes_extended(s, &f->u);
	x->extended_writes = (uint16_t)(x->extended_writes + f->sub.extended);
	if (i->unit >= SUB_XU) {
		c->queue[i->unit].n++;
		c->queued += i->unit != SUB_MEMORY;
	} else {
		c->unit_free[i->unit] = s->now + i->interval;
	}
	for (unsigned k = 0; counts_readers(s) && k < f->u.nsrc; k++)
		s->sub->readers[f->u.warp][f->u.src[k]]++;
	s->st.sp_instructions += f->d->pipe == PIPE_SP;
	s->st.sfu_instructions += f->d->pipe == PIPE_SFU;
	s->st.mem_instructions += f->d->pipe == PIPE_MEM;
	count_lanes(s, f);
}

void subcore_enter(struct sm *s, unsigned n)
{
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->u.move ? &s->sub->move : &s->sub->insn[f->u.insn];
	struct sub_warp *x = &s->sub->warp[f->u.warp];

	f->sub.insn = i;
	sub_of(s, f->u.warp)->last = f->u.warp;
	f->sub.group.left = 0;
	f->sub.due = 0;
	f->sub.reads_late = false;
	f->more = false;
	x->unraised++;
	wait_until(s->sub, f->u.warp, s->now + stall_of(s, i));
	if (i->constant && !x->constant_missed) {
		s->st.const_reads++;
		s->st.const_read_hits++;
		s->st.const_operand_hits++;
	}
	if (!f->u.move)
		x->no_constant = x->constant_missed = false;
	if (s->front)
		front_enter(s, n);
	else
		take(s, n);
}

/* ---- which warp ---- */
/* The constant operand of warp w's next instruction is in the cache; else it has been asked for. A miss keeps the
 * sub-core from issuing for four cycles (section 5.1.1). */
static bool constant_there(struct sm *s, unsigned w, const struct sub_insn *i, cycle now)
{
	enum { HOLD_CYCLES = 4 };
	struct sub *c = sub_of(s, w);

	if (!i->constant || !s->p->l0c_sets || cache_find(&c->constants, i->constant))
		return true;
	if (!subcore_constant(s, s->warp[w].scheduler, i->constant, COMING_OPERAND, NO_FLIGHT, now))
		return false;
	s->sub->warp[w].no_constant = s->sub->warp[w].constant_missed = true;
	c->constant_hold = now + HOLD_CYCLES;
	s->moved = true;
	warp_update(s, w);
	return false;
}

/* The control stage and what is behind it have room for instruction i of warp w. */
static bool stages_have_room(struct sm *s, unsigned w, const struct sub_insn *i, cycle now, enum stall *why)
{
	const struct sub *c = sub_of(s, w);

	*why = STALL_DISPATCH;
	if (c->control != NO_FLIGHT)
		return false;
	*why = STALL_SHORT;
	if (s->sub->warp[w].full & i->boards)
		return false;
	*why = (enum stall)i->refused;
	if (i->unit >= SUB_XU)
		return c->queue[i->unit].n < (i->unit == SUB_MEMORY ? s->p->mem_queue : SLOW_QUEUE);
	if (c->unit_free[i->unit] > now)
		sub_note(s, c->unit_free[i->unit]);
	return c->unit_free[i->unit] <= now;
}

/* Under a reuse that renames its stages are between issue and the others: what is reused needs none of these. */
static bool has_room(struct sm *s, unsigned w, cycle now, enum stall *why)
{
	const struct dinsn *d = s->warp[w].next;
	const struct sub_insn *i = sub_insn(s, d);

	*why = STALL_DISPATCH;
	if (s->flights == FLIGHTS)
		return false;
	*why = STALL_SHORT;
	if (s->exec.held & bit(w))
		return false;
	*why = STALL_REUSE;
	if (s->front ? !front_room(s, s->warp[w].scheduler) : !stages_have_room(s, w, i, now, why))
		return false;
	*why = d->pipe == PIPE_MEM ? (enum stall)i->refused : STALL_IMC;
	return d->pipe == PIPE_MEM ? s->mem.nfree_linebuf != 0 : constant_there(s, w, i, now);
}

bool subcore_take(struct sm *s, unsigned n)
{
	const struct flight *f = &s->flight[n];
	enum stall why;

	if (!stages_have_room(s, f->u.warp, f->sub.insn, s->now, &why))
		return false;
	take(s, n);
	s->moved = true;
	return true;
}

bool subcore_move_room(const struct sm *s, unsigned w)
{
	return sub_of(s, w)->control == NO_FLIGHT && s->flights < FLIGHTS;
}

/* All that are ready wait for the queue that refused warp w, the first of them. Nobody has to ask again until the queue
 * has room, or one of the warps is in another state or has a barrier that counts no further: sub_open(). Where
 * others have a say in what issues they are asked. */
static void note_closed(struct sm *s, unsigned sch, uint64_t ready, unsigned w, enum stall why)
{
	struct sub *c = &s->sub->sub[sch];

	if (s->front || s->exec.flushing || s->ax.rf->issue->narrow || s->sub->warp[w].unit < SUB_XU)
		return;
	c->closed = ready;
	c->closed_why = (uint8_t)why;
	c->closed_insn = s->warp[w].rec.insn;
	c->closed_first = (uint16_t)w;
}

/* What note_closed() has noted still holds. */
static bool still_closed(const struct sm *s, const struct sub *c, uint64_t ready)
{
	return c->closed == ready && s->flights < FLIGHTS && !s->exec.flushing && !s->exec.held;
}

static enum stall offer(struct sm *s, unsigned sch, uint64_t ready, cycle now, unsigned *first, uint32_t *insn)
{
	const struct issue_ops *ops = s->ax.rf->issue;
	uint64_t m = ops->narrow ? ops->narrow(s->ax.issue[sch], ready) : ready;
	enum stall tried = STALL_ISSUED, why;

	m &= ~s->exec.flushing;
	if (!m) {
		*first = (unsigned)__builtin_ctzll(ready);
		return STALL_PENDING;
	}
	for (uint64_t left = s->watch.wait ? ready & ~m : 0; left; left &= left - 1)
		probe_refused(s, (unsigned)__builtin_ctzll(left), STALL_PENDING);
	if (!s->watch.wait && (s->front ? !front_room(s, sch) : s->sub->sub[sch].control != NO_FLIGHT) &&
	    !(m & s->next_in[NO_PIPE])) {
		*first = (unsigned)__builtin_ctzll(m);
		*insn = s->warp[*first].rec.insn;
		return s->front ? STALL_REUSE : STALL_DISPATCH;
	}
	if (still_closed(s, &s->sub->sub[sch], m)) {
		*first = s->sub->sub[sch].closed_first;
		*insn = s->sub->sub[sch].closed_insn;
		return (enum stall)s->sub->sub[sch].closed_why;
	}
	while (m) {
		const unsigned w = ops->pick(s->ax.issue[sch], m);

		m &= ~bit(w);
		*insn = s->warp[w].rec.insn;
		if (s->next_in[NO_PIPE] & bit(w) ? issue_unpiped(s, w, now, &why)
						 : has_room(s, w, now, &why) && try_issue(s, w, now, &why)) {
			s->sub->sub[sch].closed = 0;
			*first = w;
			return STALL_ISSUED;
		}
		if (s->watch.wait)
			probe_refused(s, w, why);
		issue_refused(s, w);
		if (tried == STALL_ISSUED) { /* the slot is the first one's */
			tried = why;
			*first = w;
		}
		if (why == STALL_IMC)
			return tried;
		/* its unit or queue is closed to the others, too */
		if (!s->watch.wait && why >= STALL_MATH && why <= STALL_TEX && why != STALL_IMC) {
			m &= ~s->sub->next_for[s->sub->warp[w].unit] | s->next_in[NO_PIPE];
			if (!m && tried == why && w == *first)
				note_closed(s, sch, ready, w, why);
		}
	}
	return tried;
}

/* The sub-core then sleeps until one of its warps is in another state, if none is ready, or until sub_open(), if the
 * queue that they wait for is closed. */
static void schedule(struct sm *s, unsigned sch, cycle now)
{
	const uint64_t ready = s->in_state[WARP_READY] & s->sched_warps[sch];
	unsigned w = PROBE_NO_WARP;
	uint32_t insn = 0;
	enum stall why;

	s->awake &= ~(1u << sch);
	if (!ready) {
		why = issue_explain(s, s->sched_warps[sch] & s->live, &w);
	} else if (s->sub->sub[sch].constant_hold > now) {
		why = STALL_IMC;
		w = (unsigned)__builtin_ctzll(ready);
		sub_note(s, s->sub->sub[sch].constant_hold);
	} else {
		why = offer(s, sch, ready, now, &w, &insn);
	}
	if (ready && (s->asked || !still_closed(s, &s->sub->sub[sch], ready)))
		s->awake |= 1u << sch;
	if (why == STALL_ISSUED) {
		s->moved = true;
		s->progressed = now;
	}
	issue_account(s, sch, why, w, insn, now);
}

void subcore_issue(struct sm *s, cycle now)
{
	uint64_t *wake = &s->sub->wakes[now % WAIT_CYCLES];
	unsigned left = (1u << s->p->schedulers) - 1;

	for (uint64_t m = *wake & s->live; m; m &= m - 1)
		warp_update(s, (unsigned)__builtin_ctzll(m));
	*wake = 0;
	if (s->watch.wait || probing(s, PROBE_SLOT))
		s->awake = UINT_MAX;
	while (left & s->awake) { /* an issue may wake those that come behind it */
		const unsigned sch = (unsigned)__builtin_ctz(left & s->awake);

		left &= ~1u << sch;
		s->turn = sch + 1;
		schedule(s, sch, now);
	}
	for (uint64_t m = s->moved ? 0 : s->in_state[WARP_WAIT]; m; m &= m - 1)
		sub_note(s, s->sub->warp[__builtin_ctzll(m)].until);
}

/* The state of a warp, its scoreboard and its barriers, as the stages change them. Functions in this header are those
 * that every instruction goes through; the others are in warp.c. */
#ifndef REGLOOM_SM_WARP_H
#define REGLOOM_SM_WARP_H

#include "runtime-model/sm/sm.h"

void warp_start(struct sm *s, unsigned w);
void warp_no_record(struct sm *s, unsigned w, enum record_status why); /* The warp has no next record. */
/* The warp has another state now, of which others may want to hear. */
void warp_change(struct sm *s, unsigned w, enum warp_state to);
/* Reserves what a long-latency operation writes, behind warp_reserve(). */
void warp_reserve_long(const struct sm *s, struct warp *w, const struct dinsn *d);
/* Returns the state of a warp whose next instruction reads a register of a long-latency operation, or the bit of them
 * all. The bit is cleared here when nothing is owed any more. */
enum warp_state warp_owed(const struct sm *s, struct warp *w);
void warp_arrive(struct sm *s, unsigned w, const struct dinsn *d);
void warp_try_end(struct sm *s, unsigned w); /* The warp leaves the SM if it has ended and nothing is outstanding. */

/* Loops over the words of a scoreboard, of which nearly all kernels use one. */
static inline bool sb_meet(const struct sm *s, const uint64_t a[], const uint64_t b[])
{
	uint64_t both = a[0] & b[0];

	for (unsigned i = 1; i < s->sb_words; i++)
		both |= a[i] & b[i];
	return both != 0;
}

static inline void sb_add(const struct sm *s, uint64_t to[], const uint64_t some[])
{
	to[0] |= some[0];
	for (unsigned i = 1; i < s->sb_words; i++)
		to[i] |= some[i];
}

static inline void sb_remove(const struct sm *s, uint64_t from[], const uint64_t some[])
{
	from[0] &= ~some[0];
	for (unsigned i = 1; i < s->sb_words; i++)
		from[i] &= ~some[i];
}

HOT void warp_reserve(const struct sm *s, struct warp *w, const struct dinsn *d)
{
	w->in_flight++;
	sb_add(s, w->pending, d->writes);
	if (d->pipe != PIPE_MEM)
		return;
	w->mem_flight++;
	sb_add(s, w->pending_mem, d->writes);
}

HOT void warp_release(const struct sm *s, struct warp *w, const struct dinsn *d)
{
	w->in_flight--;
	sb_remove(s, w->pending, d->writes);
	if (d->pipe != PIPE_MEM)
		return;
	w->mem_flight--;
	sb_remove(s, w->pending_mem, d->writes);
	sb_remove(s, w->pending_long, d->writes);
}

/* Read after write and write after write both show as a pending register among those the instruction names. */
HOT enum warp_state warp_state_of(const struct sm *s, struct warp *w)
{
	if (w->ended)
		return WARP_DRAIN;
	if (w->at_barrier)
		return WARP_BARRIER;
	if (w->at_fence)
		return WARP_FENCE;
	if (!w->ibuf_n || w->dry)
		return WARP_FETCH;
	if (w->ibuf_first != w->next->at)
		return WARP_FLUSH;
	if (!sb_meet(s, w->pending, w->next->reads_writes))
		return w->refused ? WARP_REGISTERS : WARP_READY;
	if (sb_meet(s, w->pending_long, w->next->reads_writes))
		return s->owed_bit ? warp_owed(s, w) : WARP_LONG;
	return sb_meet(s, w->pending_mem, w->next->reads_writes) ? WARP_MEMORY : WARP_SCOREBOARD;
}

/* A fence that it issued holds it: its accesses are not done, or stores not where the fence wants them. */
static inline bool warp_fence_holds(const struct warp *x) { return x->mem_flight || (x->stores && !x->near_fence); }

/* Sets what warp w issues next. */
static inline void warp_set_next(struct sm *s, unsigned w, const struct dinsn *d)
{
	struct warp *x = &s->warp[w];

	x->next = d;
	s->next_in[x->pipe] &= ~bit(w);
	x->pipe = d->into;
	s->next_in[x->pipe] |= bit(w);
}

/* The instruction of warp w's record, or the metadata of its block before it. */
static inline const struct dinsn *warp_of_record(const struct sm *s, unsigned w)
{
	const struct dinsn *d = insn_at(s, s->warp[w].rec.insn);

	return d->metadata ? insn_at(s, d->metadata) : d;
}

/* What comes before d, so that warp w holds the extended set where it has to and nowhere else; d: nothing. Where lanes
 * are apart others may be where it is needed. */
static inline const struct dinsn *warp_before(struct sm *s, unsigned w, const struct dinsn *d)
{
	const struct warp *x = &s->warp[w];
	const bool hold = s->hold[x->rec.insn];
	struct dinsn *p = &s->point[w];

	if (hold == x->holds || (!hold && x->rec.apart))
		return d;
	*p = s->g->code.point[!hold];
	p->at = d->at;
	p->proto.insn = x->rec.insn;
	return p;
}

/* Looks at the next record, behind an issue. Metadata of its block comes before it. */
HOT void warp_next(struct sm *s, unsigned w)
{
	struct warp *x = &s->warp[w];
	const struct record_source *from = &s->g->job->source;
	enum record_status status = from->next(from->ctx, x->cta, x->in_cta, &x->rec);
	const struct dinsn *d;

	if (status != RECORD_OK) {
		warp_no_record(s, w, status);
		return;
	}
	assert(x->rec.insn < s->ninsn);
	d = warp_of_record(s, w);
	warp_set_next(s, w, s->hold ? warp_before(s, w, d) : d);
}

/* Goes on to an instruction of the preamble, or behind it to the first record. */
static inline void warp_next_metadata(struct sm *s, unsigned w, uint32_t insn)
{
	struct warp *x = &s->warp[w];

	if (!INSN_IS_METADATA(insn)) {
		warp_next(s, w);
		return;
	}
	x->rec = (struct record){ .insn = insn, .active = ~x->missing };
	warp_set_next(s, w, insn_at(s, insn));
}

/* Warp w is in another state now, and its scheduler has to look again. */
HOT void warp_in_state(struct sm *s, unsigned w, enum warp_state to)
{
	struct warp *x = &s->warp[w];

	s->in_state[x->state] &= ~bit(w);
	s->in_state[to] |= bit(w);
	s->awake |= 1u << x->scheduler;
	x->state = (uint8_t)to;
}

/* Recomputes the state of warp w. */
HOT void warp_update(struct sm *s, unsigned w)
{
	struct warp *x = &s->warp[w];
	const enum warp_state to = s->sub ? subcore_state(s, w) : warp_state_of(s, x);

	if (to == x->state)
		return;
	if (s->watch.want || (bit(to) & MAY_DEMOTE))
		warp_change(s, w, to);
	else
		warp_in_state(s, w, to);
}

/* What has happened can change the state of warp w only if it is one of these. */
HOT void warp_update_in(struct sm *s, unsigned w, uint64_t states)
{
	if (bit(s->warp[w].state) & states)
		warp_update(s, w);
}

/* A register that warp w may wait for has been written. */
HOT void warp_released(struct sm *s, unsigned w)
{
	const struct warp *x = &s->warp[w];

	if (x->state == WARP_FENCE || x->ended)
		warp_try_end(s, w);
	else if (bit(x->state) & WAITS_FOR_OTHERS &&
		 (x->state != WARP_SCOREBOARD || s->sub || !sb_meet(s, x->pending, x->next->reads_writes)))
		warp_update(s, w);
}

/* The last of a flight, once what it held is released: its place is free, and its warp may go on. */
HOT void flight_landed(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];

	f->d = NULL;
	f->next = s->free_flight;
	s->free_flight = (uint16_t)n;
	s->flights--;
	s->progressed = now;
	s->moved = true;
	warp_released(s, f->u.warp);
	s->released = PROBE_NO_INSN;
}

#endif

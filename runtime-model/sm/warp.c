/* Warps: why each can or cannot issue (one state each, kept up to date by the events that change it), the scoreboard,
 * and barriers. */
#include "runtime-model/sm/warp.h"

void warp_reserve_long(const struct sm *s, struct warp *w, const struct dinsn *d)
{
	sb_add(s, w->pending_long, d->writes);
	w->pending_long[s->owed_word] |= s->owed_bit;
	w->pending[s->owed_word] |= s->owed_bit;
}

enum warp_state warp_owed(const struct sm *s, struct warp *w)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < s->sb_words; i++)
		any |= i == s->owed_word ? w->pending_long[i] & ~s->owed_bit : w->pending_long[i];
	if (any)
		return WARP_LONG;
	w->pending_long[s->owed_word] &= ~s->owed_bit;
	w->pending[s->owed_word] &= ~s->owed_bit;
	if (!sb_meet(s, w->pending, w->next->reads_writes))
		return w->refused ? WARP_REGISTERS : WARP_READY;
	return sb_meet(s, w->pending_mem, w->next->reads_writes) ? WARP_MEMORY : WARP_SCOREBOARD;
}

void warp_change(struct sm *s, unsigned w, enum warp_state to)
{
	struct warp *x = &s->warp[w];

	if (s->watch.wait)
		probe_wait_state(s, w, (enum warp_state)x->state);
	warp_in_state(s, w, to);
	if (probing(s, PROBE_STATE))
		probe_state(s, w, to == WARP_READY ? STALL_ISSUED : state_stall(s, to));
	if ((bit(to) & MAY_DEMOTE) && !levels_keep_place(s, w) &&
	    s->ax.rf->issue->waits_long(issue_of(s, w), w, s->now) && to != WARP_DRAIN)
		levels_suspend(s, w);
}

void residency_wake(const struct axes *ax, uint64_t warps)
{
	struct sm *s = ax->sm;

	for (warps &= s->in_state[WARP_REGISTERS]; warps; warps &= warps - 1) {
		unsigned w = (unsigned)__builtin_ctzll(warps);

		s->warp[w].refused = false;
		warp_update(s, w);
		s->moved = true;
	}
}

/* Warps of the CTA that wait at barrier n go on if all that it needs have come: so many threads, or every warp that has
 * not ended. Until then a waiting warp's record stays the barrier itself. */
static void try_barrier(struct sm *s, struct cta *c, unsigned n)
{
	uint64_t come = c->arrived[n];
	unsigned need = c->threads[n] ? (c->threads[n] + 31) / 32 : c->running;

	if (!come || (unsigned)__builtin_popcountll(come) < need)
		return;
	c->arrived[n] = 0;
	if (s->front)
		s->ax.rf->reuse->released(s->ax.reuse, c->first_warp);
	for (uint64_t m = come; m; m &= m - 1) {
		unsigned w = (unsigned)__builtin_ctzll(m);

		if (!s->warp[w].at_barrier || s->warp[w].barrier != n)
			continue; /* it only arrived */
		s->warp[w].at_barrier = false;
		warp_next(s, w);
		warp_try_end(s, w);
	}
}

void warp_no_record(struct sm *s, unsigned w, enum record_status why)
{
	struct warp *x = &s->warp[w];
	struct cta *c = &s->cta[x->cta_slot];

	if (why == RECORD_STOPPED) {
		x->dry = s->take.dry = true;
		return;
	}
	s->take.failed |= why == RECORD_FAILED;
	x->ended = true;
	s->fetch.ready &= ~bit(w);
	c->running--;
	for (unsigned n = 0; n < BARRIERS; n++)
		if (c->arrived[n])
			try_barrier(s, c, n);
}

void warp_start(struct sm *s, unsigned w)
{
	struct warp *x = &s->warp[w];

	warp_in_state(s, w, WARP_FETCH);
	s->live |= bit(w);
	s->nlive++;
	s->fetch.ready |= bit(w);
	if (s->sub)
		subcore_warp_start(s, w);
	if (s->front)
		s->ax.rf->reuse->warp_start(s->ax.reuse, w, s->cta[x->cta_slot].first_warp, x->cta);
	warp_next_metadata(s, w, s->first_insn);
	if (s->p->metadata == METADATA_ONCE)
		s->first_insn = 0;
	if (s->watch.wait)
		probe_wait_start(s, w);
	x->fetch_at = x->ibuf_first = x->ended ? 0 : x->next->at;
	warp_update(s, w);
	s->g->rf->issue->warp_start(issue_of(s, w), w, s->take.age++);
}

void warp_arrive(struct sm *s, unsigned w, const struct dinsn *d)
{
	struct warp *x = &s->warp[w];
	struct cta *c = &s->cta[x->cta_slot];
	bool given = d->barrier_in_record && x->rec.nline;
	unsigned n = given ? BARRIER_WORD_ID(x->rec.line[0]) : d->barrier;

	c->arrived[n] |= bit(w);
	c->threads[n] = given ? BARRIER_WORD_THREADS(x->rec.line[0]) : d->barrier_threads;
	if (d->barrier_passes) {
		warp_next(s, w);
	} else {
		x->at_barrier = true;
		x->barrier = (uint8_t)n;
	}
	try_barrier(s, c, n);
}

void warp_try_end(struct sm *s, unsigned w)
{
	struct warp *x = &s->warp[w];
	const struct rf_config *rf = s->g->rf;
	struct cta *c = &s->cta[x->cta_slot];

	x->at_fence &= warp_fence_holds(x);
	if (!x->ended || x->in_flight || x->stores || !((s->live & ~s->exec.flushing) & bit(w))) {
		if (s->live & bit(w))
			warp_update(s, w);
		return;
	}
	if (s->watch.wait)
		probe_wait_leave(s, w);
	s->in_state[x->state] &= ~bit(w);
	s->awake |= 1u << x->scheduler;
	s->next_in[x->pipe] &= ~bit(w);
	s->live &= ~bit(w);
	s->nlive--;
	s->fetch.ready &= ~bit(w);
	if (probing(s, PROBE_STATE))
		probe_state(s, w, STALL_EMPTY);
	rf->issue->warp_exit(issue_of(s, w), w);
	if (s->sub)
		subcore_warp_exit(s, w);
	if (rf->residency->warp_exit)
		rf->residency->warp_exit(s->ax.residency, w);
	if (s->checked)
		checked_warp_exit(s, w);
	if (rf->packing->warp_exit)
		rf->packing->warp_exit(s->ax.packing, w);
	if (rf->hierarchy->warp_exit)
		rf->hierarchy->warp_exit(s->ax.hierarchy, w);
	if (rf->values->warp_exit)
		rf->values->warp_exit(s->ax.values, w);
	if (s->front)
		rf->reuse->warp_exit(s->ax.reuse, w);
	registers_freed(s);
	if (--c->left)
		return;
	if (probing(s, PROBE_CTA_END))
		probe_warp(s, PROBE_CTA_END, c->first_warp, 0, s->g->warps_per_cta);
	c->live = false;
	s->ctas--;
	s->st.ctas++;
	s->take.ended = s->now;
	sm_open(s);
}

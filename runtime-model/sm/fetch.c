/* Fetch and decode: one access of the instruction cache in a cycle, for one warp whose buffer is empty, in round robin;
 * it brings up to ibuffer_entries instructions of one cache line, which the next cycle decodes. Fetch goes on straight
 * ahead; a buffer that does not hold the warp's next instruction is emptied when its scheduler looks at it, or as many
 * cycles later as the hierarchy axis puts between issue and the resolution of branches. */
#include "runtime-model/sm/warp.h"

/* A stage between issue and the resolution of branches holds the jump up. */
static bool held_up(struct sm *s, struct warp *x)
{
	const bool held = x->resolving < s->ax.rf->hierarchy->branch_cycles;

	x->resolving = held ? (uint8_t)(x->resolving + 1) : 0;
	s->moved |= held;
	return held;
}

void fetch_flush(struct sm *s)
{
	for (uint64_t m = s->in_state[WARP_FLUSH]; m; m &= m - 1) {
		unsigned w = (unsigned)__builtin_ctzll(m);
		struct warp *x = &s->warp[w];

		if (held_up(s, x))
			continue;
		x->ibuf_n = 0;
		x->fetch_at = x->ibuf_first = x->next->at;
		s->fetch.ready |= bit(w);
		if (s->sub)
			subcore_flushed(s, w);
		s->st.control_flushes++;
		if (probing(s, PROBE_FLUSH))
			probe_warp(s, PROBE_FLUSH, w, x->rec.insn, 0);
		s->moved = true;
		warp_update(s, w);
	}
}

void fetch_filled(struct sm *s, uint32_t line)
{
	struct cache_line *l = cache_victim(&s->fetch.icache, line);

	cache_take(&s->fetch.icache, l, line);
	for (uint64_t m = s->fetch.waits; m; m &= m - 1) {
		unsigned w = (unsigned)__builtin_ctzll(m);

		if (s->warp[w].miss_line != line)
			continue;
		s->fetch.waits &= ~bit(w);
		if (!s->warp[w].ended && !s->warp[w].ibuf_n)
			s->fetch.ready |= bit(w);
	}
}

static bool line_requested(const struct sm *s, uint32_t line)
{
	for (uint64_t m = s->fetch.waits; m; m &= m - 1)
		if (s->warp[__builtin_ctzll(m)].miss_line == line)
			return true;
	return false;
}

HOT void decode(struct sm *s)
{
	unsigned w = s->fetch.fetched.warp;
	struct warp *x = &s->warp[w];

	s->fetch.fetched.valid = false;
	s->moved = true;
	if (x->ended || !(s->live & bit(w)))
		return;
	x->ibuf_first = s->fetch.fetched.first;
	x->ibuf_n = s->fetch.fetched.n;
	x->fetch_at = s->fetch.fetched.first + s->fetch.fetched.n;
	warp_update(s, w);
}

/* Runs of instructions that follow each other by index, too: metadata does not. */
static void tell_fetched(struct sm *s, unsigned w, uint32_t at, unsigned n)
{
	struct dinsn *const *place = &s->g->code.place[(int32_t)at];

	for (unsigned i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && place[end]->proto.insn == place[end - 1]->proto.insn + 1)
			end++;
		probe_warp(s, PROBE_FETCH, w, place[i]->proto.insn, end - i);
	}
}

HOT void fetch(struct sm *s, unsigned w, cycle now)
{
	struct warp *x = &s->warp[w];
	const struct dinsn *d;

	/* nothing lies ahead: control must have gone elsewhere */
	if ((int32_t)x->fetch_at >= (int32_t)s->g->code.nplace)
		x->fetch_at = x->next->at;
	d = s->g->code.place[(int32_t)x->fetch_at];
	s->st.fetches++;
	s->moved = true;
	if (s->p->icache_sets && !cache_find(&s->fetch.icache, d->line)) {
		if (!line_requested(s, d->line)) {
			if (!lsu_send(s, now, MEMORY_READ, CODE_LINES + s->g->code_line + d->line, 15, RESPONSE_CODE,
				      0))
				return;
			s->st.icache_fills++;
		}
		s->st.icache_misses++;
		x->miss_line = d->line;
		s->fetch.waits |= bit(w);
		s->fetch.ready &= ~bit(w);
		return;
	}
	s->fetch.fetched.valid = true;
	s->fetch.fetched.warp = w;
	s->fetch.fetched.first = x->fetch_at;
	s->fetch.fetched.n = d->fetched;
	s->fetch.ready &= ~bit(w);
	s->fetch.last = w;
	if (probing(s, PROBE_FETCH))
		tell_fetched(s, w, x->fetch_at, d->fetched);
}

void fetch_step(struct sm *s, cycle now)
{
	if (!s->fetch.fetched.valid && !s->fetch.ready)
		return;
	if (s->fetch.fetched.valid)
		decode(s);
	if (s->fetch.ready)
		fetch(s, round_robin(s->fetch.ready, s->fetch.last), now);
}

/* The front end of sub-cores: each fetches one instruction a cycle from its L0 cache, decodes it in the next, and
 * has it in the buffer of its warp in the one behind (section 5.2). It fetches for the warp that issued last, if
 * that has room, counting what is on its way; else for the youngest that has. An L0 miss goes to the L1 instruction
 * cache, which takes one request a cycle and answers params.l1i_cycles each way later, and starts a stream: the
 * lines behind it are asked for, one a cycle, and wait in a buffer whose head moves into the L0 when it is fetched
 * from.
 *
 * Constants that are operands have a cache in each sub-core, constants that are loaded one in the SM; both lie
 * before the L1 of instructions (sections 5.4 and 9 of the artifact's notes). */
#include "runtime-model/sm/subcore.h"

#include <string.h>

/* Lines of constants in the L1 of instructions, of 128 bytes. */
#define CONSTANT_KEY(line) ((uint64_t)1 << 40 | ((line)-1) / 2)
#define CONSTANT_LINE(line) (CONST_LINES / LINE_BYTES + ((line)-1) / 2)

void subcore_fetch_init(struct sm *s)
{
	struct arena *a = &s->g->a;
	const struct params *p = s->p;

	cache_init(&s->sub->l1i, p->l1i_sets, p->l1i_ways, false, a);
	s->sub->next_coming = NEVER;
	for (unsigned i = 0; i < p->schedulers; i++) {
		cache_init(&s->sub->sub[i].l0, p->icache_sets, p->icache_ways, false, a);
		cache_init(&s->sub->sub[i].constants, p->l0c_sets, p->l0c_ways, false, a);
	}
}

/* ---- what is on its way ---- */
static bool is_code(const struct coming *c) { return c->kind == COMING_CODE || c->kind == COMING_STREAM; }
static uint64_t key_of(const struct coming *c) { return is_code(c) ? c->line : CONSTANT_KEY(c->line); }

enum asked_of { NO_ROOM, L1_HAS_IT, L2_IS_ASKED, L2_WAS_ASKED };
/* It is there after `cycles`, if the L1 has its line; else the L2 is asked. */
static enum asked_of ask(struct sm *s, struct coming c, unsigned cycles, cycle now)
{
	struct subcore *x = s->sub;
	const cycle start = x->l1i_free > now ? x->l1i_free : now;
	enum asked_of how = L1_HAS_IT;

	if (x->ncoming == COMING_MAX)
		return NO_ROOM;
	c.at = start + cycles;
	if (s->p->l1i_sets && !cache_find(&x->l1i, key_of(&c))) {
		bool asked = false;

		for (unsigned i = 0; i < x->ncoming; i++)
			asked |= x->coming[i].at == NEVER && key_of(&x->coming[i]) == key_of(&c);
		if (!asked && !lsu_send(s, now, MEMORY_READ,
					is_code(&c) ? CODE_LINES + s->g->code_line + c.line : CONSTANT_LINE(c.line), 15,
					is_code(&c) ? RESPONSE_CODE : RESPONSE_CONST, 0))
			return NO_ROOM;
		s->st.icache_fills += !asked && is_code(&c);
		how = asked ? L2_WAS_ASKED : L2_IS_ASKED;
		c.at = NEVER;
	}
	x->l1i_free = start + 1;
	if (c.at < x->next_coming)
		x->next_coming = c.at;
	x->coming[x->ncoming++] = c;
	s->moved = true;
	return how;
}

void subcore_line(struct sm *s, bool constant, uint32_t line)
{
	struct subcore *x = s->sub;

	for (unsigned i = 0; i < x->ncoming; i++) {
		struct coming *c = &x->coming[i];
		const uint64_t from = constant ? CONSTANT_LINE(c->line) : CODE_LINES + s->g->code_line + c->line;
		struct cache_line *l;

		if (c->at != NEVER || is_code(c) == constant || (uint32_t)from != line)
			continue;
		if (!cache_find(&x->l1i, key_of(c))) {
			l = cache_victim(&x->l1i, key_of(c));
			cache_take(&x->l1i, l, key_of(c));
		}
		c->at = s->now + s->p->l1i_cycles;
		if (c->at < x->next_coming)
			x->next_coming = c->at;
	}
}

static void into(struct cache *c, uint64_t line)
{
	if (!cache_find(c, line))
		cache_take(c, cache_victim(c, line), line);
}

/* Warps of a sub-core that wait for a line may fetch again. */
static void wake_fetch(struct sm *s, unsigned sub, uint32_t line)
{
	for (uint64_t m = s->fetch.waits & s->sched_warps[sub]; m; m &= m - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(m);

		if (s->warp[w].miss_line != line)
			continue;
		s->fetch.waits &= ~bit(w);
		if (!s->warp[w].ended)
			s->fetch.ready |= bit(w);
	}
}

static void arrived(struct sm *s, const struct coming *c)
{
	struct sub *k = &s->sub->sub[c->sub];

	switch ((enum coming_kind)c->kind) {
	case COMING_CODE:
		into(&k->l0, c->line);
		wake_fetch(s, c->sub, (uint32_t)c->line);
		break;
	case COMING_STREAM:
		for (unsigned i = 0; i < k->nstream; i++)
			k->stream_there[i] |= k->stream[i] == c->line;
		wake_fetch(s, c->sub, (uint32_t)c->line);
		break;
	case COMING_OPERAND:
		into(&k->constants, c->line);
		for (uint64_t m = s->live & s->sched_warps[c->sub]; m; m &= m - 1) {
			const unsigned w = (unsigned)__builtin_ctzll(m);

			if (!s->sub->warp[w].no_constant || sub_insn(s, s->warp[w].next)->constant != c->line)
				continue;
			s->sub->warp[w].no_constant = false;
			warp_update(s, w);
		}
		break;
	case COMING_LOAD:
		into(&s->ro.constants, c->line);
		queue_push(&s->mem.filled, c->flight);
		break;
	}
	s->moved = true;
}

void subcore_coming(struct sm *s, cycle now)
{
	struct subcore *x = s->sub;
	unsigned left = 0;

	x->next_coming = NEVER;
	for (unsigned i = 0; i < x->ncoming; i++) {
		const struct coming c = x->coming[i];

		if (c.at <= now) {
			arrived(s, &c);
			continue;
		}
		if (c.at < x->next_coming)
			x->next_coming = c.at;
		x->coming[left++] = c;
	}
	x->ncoming = left;
}

/* A read of constants, by a load or as an operand, and what became of it. */
static void count_constant(struct sm *s, enum coming_kind kind, unsigned flight, enum asked_of how)
{
	static const uint8_t line[] = {
		[L1_HAS_IT] = PROBE_LINE_HIT, [L2_WAS_ASKED] = PROBE_LINE_MERGE, [L2_IS_ASKED] = PROBE_LINE_MISS
	};
	const bool operand = kind == COMING_OPERAND;

	s->st.const_reads++;
	s->st.const_l15_hits += how == L1_HAS_IT;
	s->st.const_read_merges += how == L2_WAS_ASKED;
	s->st.const_read_misses += how == L2_IS_ASKED;
	s->st.const_operand_hits += operand && how == L1_HAS_IT;
	s->st.const_operand_merges += operand && how == L2_WAS_ASKED;
	s->st.const_operand_misses += operand && how == L2_IS_ASKED;
	if (!operand)
		lsu_sent(s, flight, (enum probe_line)line[how]);
}

bool subcore_constant(struct sm *s, unsigned sub, uint64_t line, enum coming_kind kind, unsigned flight, cycle now)
{
	const struct subcore *x = s->sub;
	enum asked_of how;

	if (kind == COMING_LOAD && (!s->p->const_sets || cache_find(&s->ro.constants, line))) {
		s->st.const_reads++;
		s->st.const_read_hits++;
		return lsu_sent(s, flight, PROBE_LINE_HIT);
	}
	for (unsigned i = 0; kind == COMING_OPERAND && i < x->ncoming; i++)
		if (x->coming[i].kind == kind && x->coming[i].sub == sub && x->coming[i].line == line) {
			count_constant(s, kind, flight, L2_WAS_ASKED);
			return true;
		}
	how = ask(
		s,
		(struct coming){ .line = line, .flight = (uint16_t)flight, .kind = (uint8_t)kind, .sub = (uint8_t)sub },
		s->p->l15_cycles, now);
	if (how == NO_ROOM)
		return false;
	count_constant(s, kind, flight, how);
	if (kind == COMING_LOAD)
		s->flight[flight].lines_out++;
	return true;
}

/* ---- fetch ---- */
static uint32_t lines_of_code(const struct sm *s) { return s->g->code.place[(int32_t)s->g->code.nplace - 1]->line + 1; }

/* The stream buffer asks for its next line. */
RARE void prefetch(struct sm *s, unsigned sub, cycle now)
{
	struct sub *c = &s->sub->sub[sub];

	if (c->nstream == s->p->prefetch_lines || c->stream_next >= lines_of_code(s)) {
		s->sub->streaming &= ~(1u << sub);
		return;
	}
	if (!ask(s, (struct coming){ .line = c->stream_next, .kind = COMING_STREAM, .sub = (uint8_t)sub },
		 2 * s->p->l1i_cycles, now))
		return;
	s->st.icache_prefetches++;
	c->stream_there[c->nstream] = false;
	c->stream[c->nstream++] = c->stream_next++;
}

/* The line is the head of the stream: it moves into the L0 if it is there. */
RARE bool from_stream(struct sm *s, unsigned sub, uint32_t line)
{
	struct sub *c = &s->sub->sub[sub];

	if (!c->nstream || c->stream[0] != line || !c->stream_there[0])
		return false;
	into(&c->l0, line);
	s->sub->streaming |= 1u << sub;
	c->nstream--;
	memmove(c->stream, c->stream + 1, c->nstream * sizeof *c->stream);
	memmove(c->stream_there, c->stream_there + 1, c->nstream * sizeof *c->stream_there);
	s->moved = true;
	return true;
}

/* Somebody of this sub-core waits for the line already, or the head of the stream is it. */
static bool is_asked(const struct sm *s, unsigned sub, uint32_t line)
{
	const struct sub *c = &s->sub->sub[sub];

	if (c->nstream && c->stream[0] == line)
		return true;
	for (unsigned i = 0; i < s->sub->ncoming; i++)
		if (s->sub->coming[i].kind == COMING_CODE && s->sub->coming[i].sub == sub &&
		    s->sub->coming[i].line == line)
			return true;
	return false;
}

RARE void miss(struct sm *s, unsigned sub, unsigned w, uint32_t line, cycle now)
{
	struct sub *c = &s->sub->sub[sub];

	if (!is_asked(s, sub, line)) {
		if (!ask(s, (struct coming){ .line = line, .kind = COMING_CODE, .sub = (uint8_t)sub },
			 2 * s->p->l1i_cycles, now))
			return;
		s->sub->streaming &= ~(1u << sub);
		s->sub->streaming |= (unsigned)(s->p->prefetch_lines != 0) << sub;
		c->stream_next = line + 1;
		c->nstream = 0;
	}
	s->st.icache_misses++;
	s->warp[w].miss_line = line;
	s->fetch.waits |= bit(w);
	s->fetch.ready &= ~bit(w);
	s->moved = true;
}

static void fetch(struct sm *s, unsigned sub, unsigned w, cycle now)
{
	struct sub *c = &s->sub->sub[sub];
	struct sub_warp *y = &s->sub->warp[w];
	struct warp *x = &s->warp[w];
	const struct dinsn *d;

	if ((int32_t)x->fetch_at >= (int32_t)s->g->code.nplace) {
		s->fetch.ready &= ~bit(w); /* behind the end: it stops until control goes elsewhere */
		return;
	}
	assert(x->ibuf_n + y->fetching < s->p->ibuffer_entries);
	d = s->g->code.place[(int32_t)x->fetch_at];
	s->moved = true;
	if (s->p->icache_sets && !cache_find(&c->l0, d->line) && !from_stream(s, sub, d->line)) {
		s->st.fetches++;
		miss(s, sub, w, d->line, now);
		return;
	}
	s->st.fetches++;
	c->fetched = (struct fetched){ (uint8_t)w, y->generation, x->fetch_at };
	s->sub->decoding |= 1u << sub;
	x->fetch_at++;
	y->fetching++;
	if (x->ibuf_n + y->fetching >= s->p->ibuffer_entries)
		s->fetch.ready &= ~bit(w);
	if (probing(s, PROBE_FETCH))
		probe_warp(s, PROBE_FETCH, w, d->proto.insn, 1);
}

static void decode(struct sm *s, unsigned sub)
{
	const struct fetched f = s->sub->sub[sub].fetched;
	struct warp *x = &s->warp[f.warp];
	struct sub_warp *y = &s->sub->warp[f.warp];

	s->moved = true;
	if (f.generation != y->generation || !(s->live & bit(f.warp)))
		return;
	y->fetching--;
	if (x->ended)
		return;
	if (!x->ibuf_n)
		x->ibuf_first = f.at;
	x->ibuf_n++;
	warp_update_in(s, f.warp, bit(WARP_FETCH) | bit(WARP_FLUSH));
}

/* The warp that issued last, or the youngest that has room. */
static unsigned choose(const struct sub *c, uint64_t ready)
{
	if (c->last < WARPS_MAX && ready >> c->last & 1)
		return c->last;
	for (unsigned i = c->nyoung; i--;)
		if (ready >> c->young[i] & 1)
			return c->young[i];
	return (unsigned)__builtin_ctzll(ready);
}

void subcore_fetch(struct sm *s, cycle now)
{
	struct subcore *x = s->sub;
	uint64_t ready;
	unsigned busy;

	if (s->in_state[WARP_FLUSH])
		fetch_flush(s);
	ready = s->fetch.ready & ~s->fetch.waits & s->live;
	busy = x->decoding | x->streaming;
	for (unsigned i = 0; ready && i < s->p->schedulers; i++)
		busy |= (unsigned)((ready & s->sched_warps[i]) != 0) << i;
	for (; busy; busy &= busy - 1) {
		const unsigned i = (unsigned)__builtin_ctz(busy);
		const uint64_t mine = ready & s->sched_warps[i];

		if (x->decoding >> i & 1)
			decode(s, i);
		x->decoding &= ~(1u << i);
		if (mine)
			fetch(s, i, choose(&x->sub[i], mine), now);
		if (x->streaming >> i & 1)
			prefetch(s, i, now);
	}
}

void subcore_flushed(struct sm *s, unsigned w)
{
	struct sub_warp *y = &s->sub->warp[w];

	y->generation++;
	y->fetching = 0;
	s->fetch.waits &= ~bit(w);
}

void subcore_warp_start(struct sm *s, unsigned w)
{
	struct sub *c = sub_of(s, w);
	const uint16_t generation = (uint16_t)(s->sub->warp[w].generation + 1);

	s->sub->next_for[s->sub->warp[w].unit] &= ~bit(w);
	s->sub->next_for[0] |= bit(w);
	s->sub->warp[w] = (struct sub_warp){ .generation = generation, .group = NO_FLIGHT };
	c->young[c->nyoung++] = (uint16_t)w;
	c->closed = 0;
}

void subcore_warp_exit(struct sm *s, unsigned w)
{
	struct sub *c = sub_of(s, w);
	unsigned i = 0;

	while (c->young[i] != w)
		i++;
	c->nyoung--;
	memmove(c->young + i, c->young + i + 1, (c->nyoung - i) * sizeof *c->young);
	for (unsigned b = 0; b < SUB_BANKS; b++)
		for (unsigned k = 0; k < SUB_SLOTS; k++)
			if (c->kept[b][k].warp == w)
				c->keeps &= (uint8_t)~kept_bit(b, k);
	s->fetch.waits &= ~bit(w);
	s->sub->warp[w].generation++;
}

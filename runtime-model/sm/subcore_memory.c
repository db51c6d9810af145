/* The memory pipeline of an SM of sub-cores: each sub-core's queue and address generation, the part that they share,
 * the L1 by sectors, the link back.
 *
 * The first instruction of a sub-core's queue leaves for the shared part when its operands are read and its addresses
 * made: so many cycles behind its issue as the table below has, and params.agu_cycles behind the one before. The shared
 * part takes one every params.mio_cycles, from the sub-cores in turn, and is closed for longer by what needs more
 * passes of shared memory, lines or bytes. Loads come back over a link of 64 bytes a cycle to their sub-core
 * (section 5.4, tables 1 and 2). Stores go through to the L2, and into a line that the L1 has. */
#include "runtime-model/sm/subcore.h"

/* Cycles from issue until an instruction leaves its sub-core, its sources read: of an address by lane, and of a uniform
 * one; more for each register of data. Section 5.4, table 2, where sources may be overwritten. */
static const struct leaving {
	uint8_t by_lane, uniform, word;
} leaving[ACCESS_KINDS] = {
	[ACCESS_LOAD] = { 11, 9, 0 },         [ACCESS_STORE] = { 12, 8, 2 },  [ACCESS_SHARED_LOAD] = { 9, 9, 0 },
	[ACCESS_SHARED_STORE] = { 10, 8, 2 }, [ACCESS_CONST] = { 28, 10, 0 }, [ACCESS_COPY] = { 13, 13, 0 },
	[ACCESS_SHUFFLE] = { 9, 9, 0 },
};

enum {
	WORD_CYCLES = 2,   /* A register of 32 lanes on a path of 64 bytes a cycle. */
	CONST_BY_LANE = 3, /* By which a constant comes later if lanes may name different ones, table 2: 29 after 26. */
	COPY_RESULT = 26,  /* Likewise of a copy to shared memory, 39. */
	UNIFORM_AGU = 2,   /* Between two that leave, without addresses by lane. */
	TAGS_CYCLE = 4,    /* Lines that the L1 looks up in a cycle (artifact: four banks). */
};

/* What is left of a latency behind the cycles that it begins with. */
static cycle left_of(uint32_t latency, unsigned begins) { return latency > begins ? latency - begins : 0; }

/* KB of shared memory that an SM may be configured for, the last up to which kernels go (CUDA C Programming Guide,
 * compute capabilities). */
static const struct {
	uint32_t capability;
	uint16_t kb[10];
} carveouts[] = {
	{ 70, { 0, 8, 16, 32, 64, 96 } },
	{ 75, { 32, 64 } },
	{ 80, { 0, 8, 16, 32, 64, 100, 132, 164 } },
	{ 86, { 0, 8, 16, 32, 64, 100 } },
	{ 90, { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228 } },
};

/* The least configuration that holds the CTAs that an SM takes, in bytes. */
static uint32_t carved_out(const struct sm *s)
{
	const uint32_t all =
		s->g->max_ctas * (s->g->job->shared_bytes ? s->g->job->shared_bytes + s->p->shared_cta_bytes : 0);
	unsigned row = sizeof carveouts / sizeof *carveouts, i = 0;

	while (--row && carveouts[row].capability > s->p->carveout)
		;
	while (carveouts[row].kb[i] * 1024u < all && i + 1 < sizeof carveouts[row].kb / sizeof *carveouts[row].kb &&
	       carveouts[row].kb[i + 1])
		i++;
	return carveouts[row].kb[i] * 1024u;
}

/* What shared memory leaves of their array is the L1. */
static void carve_out(struct sm *s)
{
	enum { SETS = 64, WAYS_LEAST = 2 };
	const uint32_t shared = carved_out(s), array = s->p->l1_array_bytes;
	const uint32_t ways = shared < array ? (array - shared) / LINE_BYTES / SETS : 0;

	cache_init(&s->mem.l1, SETS, ways < WAYS_LEAST ? WAYS_LEAST : ways, false, &s->g->a);
}

void subcore_memory_init(struct sm *s)
{
	struct subcore *c = s->sub;
	struct arena *a = &s->g->a;
	const unsigned n = s->p->l1_mshrs, waiters = LINE_WAITERS;

	if (s->p->carveout)
		carve_out(s);
	c->sending = NO_FLIGHT;
	c->memory_at = NEVER;
	for (unsigned i = 0; i < s->p->schedulers; i++)
		c->memory_due[i] = NEVER;
	c->turn = s->p->schedulers - 1;
	c->miss = new_array(a, struct sub_miss, n);
	for (unsigned i = 0; i < n; i++)
		c->miss[i].next = i + 1 < n ? (uint16_t)(i + 1) : NO_FLIGHT;
	c->free_miss = 0;
	c->waiter = new_array(a, struct sub_waiter, waiters);
	for (unsigned i = 0; i < waiters; i++)
		c->waiter[i].next = i + 1 < waiters ? (uint16_t)(i + 1) : NO_FLIGHT;
	c->free_waiter = 0;
	c->waiters_left = waiters;
}

/* ---- the way back ---- */
static unsigned data_cycles(const struct sm *s, unsigned n)
{
	return s->flight[n].u.ndst ? WORD_CYCLES * s->flight[n].sub.insn->words : 0;
}

/* Registers beyond the first of each bank are written behind it: their result is handed over so many cycles before the
 * last is written. */
static unsigned write_cycles(const struct sm *s, unsigned n)
{
	const unsigned words = s->flight[n].u.ndst;

	return words > SUB_BANKS ? (words + SUB_BANKS - 1) / SUB_BANKS - 1 : 0;
}

/* Flight n's data can take the link from that cycle on. */
static void deliver(struct sm *s, unsigned n, cycle from)
{
	struct sub *c = sub_of(s, s->flight[n].u.warp);
	const unsigned cycles = data_cycles(s, n);
	cycle at = from;

	if (cycles && c->link_free > at)
		at = c->link_free;
	if (cycles)
		c->link_free = at + cycles;
	at += cycles - (cycles ? write_cycles(s, n) : 0);
	result_at(s, n, (at > s->now ? at : s->now + 1) + deeper(s, n));
}

/* From when the L1 has a load's data to the link back. Whether it has had them or they have come from the L2: an
 * idle miss takes what a hit does, and the way beyond (docs/MACHINES.md). */
static cycle to_link(const struct sm *s)
{
	return left_of(s->p->l1_latency, leaving[ACCESS_LOAD].by_lane + WORD_CYCLES);
}

void subcore_returned(struct sm *s, unsigned n)
{
	if (s->sub->sending == n)
		return; /* others of its lines have not been sent */
	deliver(s, n, s->now + to_link(s));
}

/* ---- the L1 ---- */
static bool wait_for(struct sm *s, struct sub_miss *m, unsigned n)
{
	struct subcore *c = s->sub;
	const unsigned w = c->free_waiter;

	if (w == NO_FLIGHT)
		return false;
	c->free_waiter = c->waiter[w].next;
	c->waiters_left--;
	c->waiter[w] = (struct sub_waiter){ (uint16_t)n, m->first_waiter };
	m->first_waiter = (uint16_t)w;
	s->flight[n].lines_out++;
	return true;
}

/* Flight n waits for those of the sectors that have been asked for. */
static bool wait_for_asked(struct sm *s, struct cache_line *l, unsigned sectors, unsigned n)
{
	for (unsigned i = l->merges ? (unsigned)l->ready : NO_FLIGHT; i != NO_FLIGHT; i = s->sub->miss[i].next)
		if (s->sub->miss[i].sectors & sectors && !wait_for(s, &s->sub->miss[i], n))
			return false;
	return true;
}

/* Asks the L2 for sectors of line l. */
static bool ask(struct sm *s, struct cache_line *l, uint64_t line, unsigned sectors, unsigned n, cycle now)
{
	struct subcore *c = s->sub;
	const unsigned id = c->free_miss;
	struct sub_miss *m;

	if (id == NO_FLIGHT || c->free_waiter == NO_FLIGHT ||
	    !lsu_send(s, now, MEMORY_READ, line, sectors, RESPONSE_FILL, id))
		return false;
	m = &c->miss[id];
	c->free_miss = m->next;
	*m = (struct sub_miss){
		.line = l,
		.sectors = (uint8_t)sectors,
		.next = l->merges ? (uint16_t)l->ready : NO_FLIGHT,
		.first_waiter = NO_FLIGHT,
	};
	l->ready = id;
	l->merges |= (uint8_t)sectors;
	l->pending = true;
	return wait_for(s, m, n);
}

static bool load_line(struct sm *s, unsigned n, uint64_t line, unsigned sectors, cycle now)
{
	struct cache_line *l = cache_find(&s->mem.l1, line);
	enum { SECTORS = 4 };
	enum probe_line how = PROBE_LINE_HIT;
	unsigned missing, asked;

	if (s->sub->waiters_left <= SECTORS)
		return false;
	if (!l) {
		l = cache_victim(&s->mem.l1, line);
		if (!l || s->sub->free_miss == NO_FLIGHT)
			return false;
		cache_take(&s->mem.l1, l, line);
		l->merges = 0;
	}
	missing = sectors & ~l->valid;
	asked = missing & l->merges;
	if (missing & ~asked && !ask(s, l, line, missing & ~asked, n, now))
		return false;
	if (asked && !wait_for_asked(s, l, asked, n))
		return false;
	if (missing & ~asked)
		how = PROBE_LINE_MISS;
	else if (missing)
		how = PROBE_LINE_MERGE;
	s->st.l1_reads++;
	s->st.l1_read_hits += how == PROBE_LINE_HIT;
	s->st.l1_read_merges += how == PROBE_LINE_MERGE;
	s->st.l1_read_misses += how == PROBE_LINE_MISS;
	return lsu_sent(s, n, how);
}

static void filled(struct sm *s, unsigned id)
{
	struct subcore *c = s->sub;
	struct sub_miss *m = &c->miss[id];
	struct cache_line *l = m->line;
	unsigned w = m->first_waiter, before = (unsigned)l->ready;

	l->valid |= m->sectors;
	l->merges &= (uint8_t)~m->sectors;
	l->pending = l->merges != 0;
	if (before == id) {
		l->ready = m->next;
	} else {
		while (c->miss[before].next != id)
			before = c->miss[before].next;
		c->miss[before].next = m->next;
	}
	m->next = c->free_miss;
	c->free_miss = (uint16_t)id;
	while (w != NO_FLIGHT) {
		const unsigned next = c->waiter[w].next;

		queue_push(&s->mem.filled, c->waiter[w].flight);
		c->waiter[w].next = c->free_waiter;
		c->free_waiter = (uint16_t)w;
		c->waiters_left++;
		w = next;
	}
}

static bool store_line(struct sm *s, unsigned n, uint64_t line, unsigned sectors, bool local, cycle now)
{
	struct cache_line *l = cache_find(&s->mem.l1, line);
	const unsigned w = s->flight[n].u.warp;

	if (!lsu_send(s, now, MEMORY_WRITE, line, sectors, RESPONSE_ACK, w))
		return false;
	s->port.outbox[s->port.nout - 1].reply.insn = s->flight[n].u.insn;
	s->warp[w].stores++;
	s->st.l1_writes++;
	if (!local)
		return lsu_sent(s, n, PROBE_LINE_STORE);
	if (!l && (l = cache_victim(&s->mem.l1, line))) {
		cache_take(&s->mem.l1, l, line);
		l->merges = 0;
	}
	if (l)
		l->valid |= (uint8_t)sectors; /* a warp writes whole sectors of its own lines */
	return lsu_sent(s, n, PROBE_LINE_STORE);
}

/* Sends the next line of flight n. False: it must be tried again. */
static bool send_line(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];
	const uint64_t word = s->mem.linebuf[(size_t)f->linebuf * LINES_MAX + f->line_at];
	const uint64_t line = line_address(word) / LINE_BYTES;
	const unsigned sectors = line_sectors(word);
	const bool local = line_address(word) >= LOCAL_LINES;
	bool ok;

	if (line_address(word) >= CONST_LINES)
		return subcore_constant(s, s->warp[f->u.warp].scheduler,
					line_address(word) / CONST_LINE_BYTES - CONST_LINES / CONST_LINE_BYTES + 1 +
						(sectors == CONST_HIGH),
					COMING_LOAD, n, now);
	if (f->kind == KIND_STORE)
		return store_line(s, n, line, sectors, local, now);
	if (f->kind == KIND_ATOMIC || (f->d->bypass_l1 && !local)) {
		struct cache_line *l = cache_find(&s->mem.l1, line);
		const bool atomic = f->kind == KIND_ATOMIC;

		ok = lsu_send(s, now, atomic ? MEMORY_ATOMIC : MEMORY_READ, line, sectors, RESPONSE_DIRECT, n);
		if (ok && atomic && l)
			l->valid = 0;
		s->st.l1_bypasses += ok && !atomic;
		if (ok)
			lsu_sent(s, n, atomic ? PROBE_LINE_ATOMIC : PROBE_LINE_PAST);
		f->lines_out = (uint16_t)(f->lines_out + ok);
		return ok;
	}
	return load_line(s, n, line, sectors, now);
}

/* ---- the shared part ---- */
static const struct leaving *row_of(const struct sub_insn *i, const struct flight *f)
{
	unsigned access = i->access;

	if (f->kind == KIND_SHARED && !i->copies)
		access = f->d->is_store && !f->d->is_load ? ACCESS_SHARED_STORE : ACCESS_SHARED_LOAD;
	return &leaving[access];
}

static unsigned leaves_behind(const struct sub_insn *i, const struct flight *f)
{
	const struct leaving *l = row_of(i, f);

	return (i->uniform ? l->uniform : l->by_lane) + l->word * i->words;
}

/* When the first of a queue may leave for the shared part, or begin to read; NEVER: it has not read its operands. */
static cycle ready(struct sm *s, struct sub *c, cycle now)
{
	const struct sub_queue *q = &c->queue[SUB_MEMORY];
	const unsigned n = sub_first(q);
	const struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;
	const cycle behind = q->last + (i->uniform ? UNIFORM_AGU : s->p->agu_cycles);
	const cycle at = f->sub.entered + leaves_behind(i, f);

	if (now < f->sub.entered + STAGES_TO_MEMORY_READ)
		return f->sub.entered + STAGES_TO_MEMORY_READ;
	if (!subcore_queued_read(s, c, n, now))
		return NEVER;
	c->memory_read = true;
	return q->last && behind > at ? behind : at;
}

/* Flight n has used the shared part, where it is alone, for the last time in this cycle. */
static void probe_sent(struct sm *s, unsigned n, cycle now)
{
	const struct subcore *x = s->sub;
	const cycle free = x->shared_free > now ? x->shared_free : now + 1;

	if (probing(s, PROBE_SENT))
		probe_flight(s, PROBE_SENT, n, 0, (unsigned)(free - x->shared_since));
}

/* All lines of flight n have been sent, the last in this cycle. */
static void sent(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;
	cycle from;

	s->sub->sending = NO_FLIGHT;
	probe_sent(s, n, now);
	if (--f->lines_out)
		return;
	if (f->kind == KIND_STORE || !f->nline)
		from = now;
	else if (f->kind == KIND_CONST)
		from = now +
		       (i->uniform ? left_of(s->p->const_latency, leaving[ACCESS_CONST].uniform)
				   : left_of(s->p->const_latency + CONST_BY_LANE, leaving[ACCESS_CONST].by_lane)) -
		       data_cycles(s, n);
	else if (i->copies)
		from = now + COPY_RESULT;
	else
		from = now + left_of(s->p->l1_latency, leaving[ACCESS_LOAD].by_lane + WORD_CYCLES + i->uniform);
	deliver(s, n, from);
}

/* Sends as many lines of the instruction in the shared part as go in a cycle. */
RARE void send(struct sm *s, cycle now)
{
	const unsigned n = s->sub->sending;
	struct flight *f = &s->flight[n];

	for (unsigned i = 0; i < TAGS_CYCLE && f->line_at < f->nline; i++) {
		if (!send_line(s, n, now)) {
			s->st.l1_stall_cycles++;
			s->moved |= i != 0;
			sub_note(s, now + 1);
			return;
		}
		f->line_at++;
	}
	s->moved = true;
	if (f->line_at < f->nline)
		return;
	if (f->linebuf != NO_FLIGHT)
		s->mem.free_linebuf[s->mem.nfree_linebuf++] = f->linebuf;
	f->linebuf = NO_FLIGHT;
	sent(s, n, now);
}

/* Cycles for which flight n, which has left its sub-core, closes the shared part. */
static unsigned occupies(const struct sm *s, const struct flight *f)
{
	unsigned sectors = 0, cycles = s->p->mio_cycles;

	if (f->kind != KIND_CONST && f->passes > cycles)
		cycles = f->passes;
	if (f->kind == KIND_LOAD || f->kind == KIND_TEXTURE)
		for (unsigned i = 0; i < f->nline; i++)
			sectors += (unsigned)__builtin_popcount(
				line_sectors(s->mem.linebuf[(size_t)f->linebuf * LINES_MAX + i]));
	sectors = (sectors * SECTOR_BYTES + s->p->l1_bytes_cycle - 1) / s->p->l1_bytes_cycle;
	return sectors > cycles ? sectors : cycles;
}

/* An access of shared memory, or an exchange between lanes. */
static void shared_access(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;
	const bool access = i->access != ACCESS_SHUFFLE;
	const unsigned passes = access && f->passes > 2 ? f->passes : 2;
	cycle from = now + passes - 2;

	if (!access)
		from += left_of(s->p->shuffle_latency, leaving[ACCESS_SHUFFLE].by_lane);
	else if (f->u.ndst)
		from += left_of(s->p->shared_latency, leaving[ACCESS_SHARED_LOAD].by_lane + i->uniform);
	from -= access ? write_cycles(s, n) : 0;
	result_at(s, n, (from > now ? from : now + 1) + deeper(s, n));
}

static void leave(struct sm *s, struct sub *c, cycle now)
{
	struct subcore *x = s->sub;
	const unsigned n = sub_first(&c->queue[SUB_MEMORY]);
	struct flight *f = &s->flight[n];
	const struct sub_insn *i = f->sub.insn;

	f->sub.reads_late = i->access == ACCESS_CONST && !i->uniform && f->kind == KIND_CONST;
	subcore_leave_queue(s, c, SUB_MEMORY);
	c->memory_at = 0;
	c->memory_read = false;
	if (probing(s, PROBE_EXECUTE))
		probe_execute(s, n, s->warp[f->u.warp].scheduler, 0);
	if (f->d->pipe == PIPE_MEM)
		lsu_enters(s, n);
	x->shared_since = now;
	x->shared_free = now + occupies(s, f);
	s->moved = true;
	if (i->access == ACCESS_SHUFFLE || f->kind == KIND_SHARED) {
		probe_sent(s, n, now);
		shared_access(s, n, now);
		return;
	}
	x->sending = (uint16_t)n;
	send(s, now);
}

/* The first of that sub-core's queue goes on, if it can. Returns when to look at it again. */
static cycle go_on(struct sm *s, unsigned sub, cycle now)
{
	struct subcore *x = s->sub;
	struct sub *c = &x->sub[sub];
	cycle at;

	if (!c->memory_read && c->memory_at <= now)
		c->memory_at = ready(s, c, now);
	if (c->memory_at == NEVER) {
		c->memory_at = now + 1;
		return now + 1;
	}
	at = c->memory_at > x->shared_free ? c->memory_at : x->shared_free;
	if (at <= now && x->sending == NO_FLIGHT) {
		x->turn = sub;
		leave(s, c, now);
		return c->queue[SUB_MEMORY].there ? now + 1 : NEVER;
	}
	if (!c->memory_read)
		return c->memory_at;
	return at > now ? at : now + 1;
}

/* The queues in turn. */
static cycle go_on_all(struct sm *s, cycle now)
{
	struct subcore *x = s->sub;
	const unsigned n = s->p->schedulers;
	cycle next = NEVER;

	for (unsigned i = 0, sub = x->turn; i < n; i++) {
		sub = sub + 1 < n ? sub + 1 : 0;
		if (x->memory_due[sub] <= now)
			x->memory_due[sub] = go_on(s, sub, now);
		if (x->memory_due[sub] < next)
			next = x->memory_due[sub];
	}
	return next;
}

void subcore_memory(struct sm *s, cycle now)
{
	struct subcore *x = s->sub;

	if (x->sending != NO_FLIGHT)
		send(s, now);
	if (x->memory_at <= now)
		x->memory_at = go_on_all(s, now);
}

void subcore_filled(struct sm *s, const struct response *r)
{
	if (r->kind == RESPONSE_FILL)
		filled(s, r->id);
	else
		subcore_line(s, r->kind == RESPONSE_CONST, r->line);
}

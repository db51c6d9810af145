/* The load-store unit: one memory instruction at a time, one line, or one pass of shared memory, in a cycle; the L1
 * with its MSHRs; and the SM's port to the interconnect.
 *
 * Global stores go past the L1 and evict the line they hit; local stores write into it and are written back on
 * eviction. Atomics, .cg, .cv, volatile and strong accesses go to the L2. */
#include "runtime-model/sm/warp.h"

void lsu_init(struct sm *s, struct arena *a)
{
	const struct params *p = s->p;
	unsigned bufs = p->id_oc_mem + p->collectors_mem + p->oc_ex_mem + 1 + (s->front ? front_capacity(s) : 0);

	if (p->core)
		bufs = sizeof s->mem.free_linebuf / sizeof *s->mem.free_linebuf;

	s->mem.flight = NO_FLIGHT;
	s->mem.blocked = NEVER;
	s->mem.linebuf = new_array_raw(a, uint64_t, (size_t)bufs * LINES_MAX);
	for (unsigned i = 0; i < bufs; i++)
		s->mem.free_linebuf[i] = (uint16_t)i;
	s->mem.nfree_linebuf = bufs;
	cache_init(&s->mem.l1, p->l1_sets, p->l1_ways, p->l1_hash, a);
	s->mem.mshr = new_array(a, struct mshr, p->l1_mshrs);
	for (uint32_t i = 0; i < p->l1_mshrs; i++)
		s->mem.mshr[i].next_free = i + 1;
	queue_init(&s->mem.filled,
		   p->l1_mshrs * p->l1_merges + p->const_mshrs * CONST_WAITERS + RESPONSES +
			   (p->core ? LINE_WAITERS : 0),
		   a);
	s->port.heap = new_array_raw(a, struct response, RESPONSES + WARPS_MAX);
	s->port.outbox = new_array_raw(a, struct request, RESPONSES);
}

/* ---- responses, a heap by cycle ---- */
static bool before(const struct response *a, const struct response *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void heap_push(struct sm *s, struct response r)
{
	unsigned i = s->port.nheap++;

	while (i && before(&r, &s->port.heap[(i - 1) / 2])) {
		s->port.heap[i] = s->port.heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->port.heap[i] = r;
}

static struct response heap_pop(struct sm *s)
{
	struct response top = s->port.heap[0], r = s->port.heap[--s->port.nheap];
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < s->port.nheap) {
		if (child + 1 < s->port.nheap && before(&s->port.heap[child + 1], &s->port.heap[child]))
			child++;
		if (!before(&s->port.heap[child], &r))
			break;
		s->port.heap[i] = s->port.heap[child];
		i = child;
	}
	s->port.heap[i] = r;
	return top;
}

/* ---- the port ---- */
static bool queue_full(struct sm *s, cycle now)
{
	cycle oldest = s->port.depart[s->port.ndepart % s->p->l1_queue]; /* packet l1_queue before the next one */

	if (oldest <= now && s->port.nheap + s->port.nout + s->port.away < RESPONSES)
		return false;
	if (oldest > now && oldest < s->timed)
		s->timed = oldest;
	return true;
}

/* Cycles for which a packet keeps the port busy. Memory of a fixed latency is bound by the port alone, which then moves
 * the bytes of either direction; those of an atomic go both ways. */
static cycle port_cycles(const struct params *p, enum memory_kind kind, unsigned bytes)
{
	unsigned up = memory_flits(p, kind == MEMORY_READ ? 0 : bytes);

	if (p->memory_fixed)
		return ((kind == MEMORY_ATOMIC ? 2 : 1) * bytes + p->memory_bytes_cycle - 1) / p->memory_bytes_cycle;
	return (up * (uint64_t)p->sm_mhz + p->icnt_mhz - 1) / p->icnt_mhz;
}

bool lsu_send(struct sm *s, cycle now, enum memory_kind kind, uint64_t line, unsigned sectors, enum response_kind rk,
	      unsigned id)
{
	const struct params *p = s->p;
	unsigned bytes = (unsigned)__builtin_popcount(sectors) * SECTOR_BYTES;
	unsigned down = p->memory_fixed ? 0 : memory_reply_flits(p, kind, sectors);
	cycle start;

	if (queue_full(s, now))
		return false;
	s->st.sent_reads += kind == MEMORY_READ;
	s->st.sent_writes += kind == MEMORY_WRITE || kind == MEMORY_WRITEBACK;
	s->st.sent_atomics += kind == MEMORY_ATOMIC;
	start = s->port.free > now ? s->port.free : now;
	s->port.free = start + port_cycles(p, kind, bytes);
	s->port.depart[s->port.ndepart++ % p->l1_queue] = s->port.free;
	s->port.outbox[s->port.nout++] = (struct request){
		.made = now,
		.at = p->memory_fixed ? s->port.free : start,
		.line = line,
		.kind = (uint8_t)kind,
		.sectors = (uint8_t)sectors,
		.reply = { .order = s->port.order++,
			   .id = (uint16_t)id,
			   .kind = (uint8_t)rk,
			   .flits = (uint8_t)down,
			   .line = (uint32_t)line },
	};
	return true;
}

void lsu_starts(struct sm *s, unsigned w, cycle at)
{
	s->fetch.ready &= ~bit(w);
	heap_push(s,
		  (struct response){ .at = at, .order = s->port.order++, .id = (uint16_t)w, .kind = RESPONSE_START });
}

void lsu_answered(struct sm *s, const struct response *r)
{
	assert(r->at > s->now || !s->now);
	s->port.away--;
	heap_push(s, *r);
	if (r->at < s->wake)
		s->wake = r->at;
}

/* ---- what comes back ---- */
static void line_returned(struct sm *s, unsigned n)
{
	struct flight *f = &s->flight[n];

	if (--f->lines_out == 0) {
		if (s->sub)
			subcore_returned(s, n);
		else if (deeper(s, n))
			complete_at(s, n, s->now + s->deeper, false);
		else
			complete_now(s, n);
	}
	s->moved = true;
}

static void fill(struct sm *s, unsigned id)
{
	struct mshr *m = &s->mem.mshr[id];

	m->tag->pending = false;
	for (unsigned i = 0; i < m->n; i++)
		queue_push(&s->mem.filled, m->waiter[i]);
	m->next_free = s->mem.free_mshr;
	s->mem.free_mshr = id;
}

static void deliver(struct sm *s, const struct response *r)
{
	const bool of_subcore =
		s->sub && (r->kind == RESPONSE_FILL || r->kind == RESPONSE_CODE || r->kind == RESPONSE_CONST);

	s->moved = true;
	if (of_subcore) {
		subcore_filled(s, r);
		return;
	}
	switch ((enum response_kind)r->kind) {
	case RESPONSE_FILL:
		fill(s, r->id);
		break;
	case RESPONSE_DIRECT:
		queue_push(&s->mem.filled, r->id);
		break;
	case RESPONSE_ACK:
		s->warp[r->id].stores--;
		s->released = r->insn;
		warp_try_end(s, r->id);
		s->released = PROBE_NO_INSN;
		break;
	case RESPONSE_CODE:
		fetch_filled(s, r->line - (uint32_t)s->g->code_line);
		break;
	case RESPONSE_CONST:
		const_filled(s, r->id);
		break;
	case RESPONSE_TEX:
		s->ro.tex[r->id].there = true;
		break;
	case RESPONSE_START:
		s->fetch.ready |= bit(r->id);
		break;
	case RESPONSE_NONE:
		break;
	}
}

void lsu_responses(struct sm *s, cycle now)
{
	unsigned textured;

	while (s->port.nheap && s->port.heap[0].at <= now) {
		struct response r = heap_pop(s);

		deliver(s, &r);
	}
	while (s->mem.nhit && s->mem.hit[s->mem.hit_head].at <= now) {
		unsigned f = s->mem.hit[s->mem.hit_head].flight;

		s->mem.hit_head = (s->mem.hit_head + 1) % (sizeof s->mem.hit / sizeof *s->mem.hit);
		s->mem.nhit--;
		line_returned(s, f);
	}
	if (s->mem.filled.n)
		line_returned(s, queue_pop(&s->mem.filled));
	if (s->ro.ntex && tex_done(s, now, &textured))
		line_returned(s, textured);
}

cycle lsu_next(const struct sm *s, cycle now)
{
	cycle at = NEVER;

	if (s->mem.filled.n)
		return now + 1;
	if (s->port.nheap)
		at = s->port.heap[0].at;
	if (s->mem.nhit && s->mem.hit[s->mem.hit_head].at < at)
		at = s->mem.hit[s->mem.hit_head].at;
	if (s->ro.ntex && tex_next(s) < at)
		at = tex_next(s);
	return at > now ? at : now + 1;
}

/* ---- the L1 ---- */
/* Evicts what the victim holds. False: no room in the port's queue for a dirty line. */
static bool evict(struct sm *s, struct cache_line *l, cycle now)
{
	if (!l->dirty)
		return true;
	if (!lsu_send(s, now, MEMORY_WRITEBACK, cache_number(l), 15, RESPONSE_NONE, 0))
		return false;
	s->st.l1_writebacks++;
	l->dirty = 0;
	return true;
}

bool lsu_sent(struct sm *s, unsigned n, enum probe_line how)
{
	const struct flight *f = &s->flight[n];

	if (probing(s, PROBE_LINE))
		probe_flight(s, PROBE_LINE, n, how,
			     (unsigned)__builtin_popcount(
				     line_sectors(s->mem.linebuf[(size_t)f->linebuf * LINES_MAX + f->line_at])));
	return true;
}

static bool read_l1(struct sm *s, unsigned n, uint64_t line, cycle now)
{
	struct cache_line *l = cache_find(&s->mem.l1, line);
	struct mshr *m;
	uint32_t id;

	if (l && !l->pending) {
		s->mem.hit[(s->mem.hit_head + s->mem.nhit++) % (sizeof s->mem.hit / sizeof *s->mem.hit)] =
			(struct line_done){ now + s->p->l1_latency, (uint16_t)n };
		s->st.l1_reads++;
		s->st.l1_read_hits++;
		return lsu_sent(s, n, PROBE_LINE_HIT);
	}
	if (l) {
		m = &s->mem.mshr[l->ready];
		if (m->n == s->p->l1_merges)
			return false;
		m->waiter[m->n++] = (uint16_t)n;
		s->st.l1_reads++;
		s->st.l1_read_merges++;
		return lsu_sent(s, n, PROBE_LINE_MERGE);
	}
	l = cache_victim(&s->mem.l1, line);
	id = s->mem.free_mshr;
	if (!l || id == s->p->l1_mshrs || queue_full(s, now) || !evict(s, l, now) || queue_full(s, now))
		return false;
	lsu_send(s, now, MEMORY_READ, line, 15, RESPONSE_FILL, id);
	cache_take(&s->mem.l1, l, line);
	l->pending = true;
	l->ready = id;
	m = &s->mem.mshr[id];
	s->mem.free_mshr = m->next_free;
	m->tag = l;
	m->n = 1;
	m->waiter[0] = (uint16_t)n;
	s->st.l1_reads++;
	s->st.l1_read_misses++;
	return lsu_sent(s, n, PROBE_LINE_MISS);
}

/* Local stores: the line is the warp's own, so a miss takes it without reading it. */
static bool write_local(struct sm *s, unsigned n, uint64_t line, cycle now)
{
	struct cache_line *l = cache_find(&s->mem.l1, line);

	if (!l) {
		l = cache_victim(&s->mem.l1, line);
		if (!l || !evict(s, l, now))
			return false;
		cache_take(&s->mem.l1, l, line);
	}
	if (l->pending)
		return false;
	l->dirty = 1;
	s->st.l1_writes++;
	s->st.l1_local_writes++;
	return lsu_sent(s, n, PROBE_LINE_STORE);
}

static bool write_global(struct sm *s, unsigned n, uint64_t line, unsigned sectors, cycle now)
{
	struct cache_line *l;
	unsigned w = s->flight[n].u.warp;

	if (!lsu_send(s, now, MEMORY_WRITE, line, sectors, RESPONSE_ACK, w))
		return false;
	s->port.outbox[s->port.nout - 1].reply.insn = s->flight[n].u.insn;
	l = cache_find(&s->mem.l1, line);
	if (l && !l->pending)
		l->tag = 0;
	s->warp[w].stores++;
	s->st.l1_writes++;
	return lsu_sent(s, n, PROBE_LINE_STORE);
}

/* Sends the next line of f. False: it must be tried again. */
static bool send_line(struct sm *s, unsigned n, cycle now)
{
	struct flight *f = &s->flight[n];
	uint64_t word = s->mem.linebuf[(size_t)f->linebuf * LINES_MAX + f->line_at];
	uint64_t line = line_address(word) / LINE_BYTES;
	unsigned sectors = line_sectors(word);
	bool local = line_address(word) >= LOCAL_LINES, ok;

	if (f->kind == KIND_TEXTURE && !s->p->memory_fixed)
		return tex_read(s, n, line, now);
	if (line_address(word) >= CONST_LINES)
		return const_read(s, n, word, now);
	if (f->kind == KIND_STORE)
		return local && !s->p->memory_fixed ? write_local(s, n, line, now)
						    : write_global(s, n, line, sectors, now);
	if (f->kind == KIND_ATOMIC) {
		struct cache_line *l = cache_find(&s->mem.l1, line);

		ok = lsu_send(s, now, MEMORY_ATOMIC, line, sectors, RESPONSE_DIRECT, n);
		if (ok && l && !l->pending)
			l->tag = 0;
		if (ok)
			lsu_sent(s, n, PROBE_LINE_ATOMIC);
	} else if (s->p->memory_fixed || (f->d->bypass_l1 && !local)) {
		ok = lsu_send(s, now, MEMORY_READ, line, sectors, RESPONSE_DIRECT, n);
		s->st.l1_bypasses += ok;
		if (ok)
			lsu_sent(s, n, PROBE_LINE_PAST);
	} else {
		ok = read_l1(s, n, line, now);
	}
	f->lines_out = (uint16_t)(f->lines_out + ok);
	return ok;
}

static void unit_done(struct sm *s, unsigned n)
{
	s->mem.flight = NO_FLIGHT;
	if (probing(s, PROBE_SENT))
		probe_flight(s, PROBE_SENT, n, 0, 0);
}

/* The instruction in the unit goes on by a cycle. */
static void work(struct sm *s, cycle now)
{
	unsigned n = s->mem.flight;
	struct flight *f = &s->flight[n];

	if (now < s->mem.from) {
		if (s->mem.from < s->timed)
			s->timed = s->mem.from;
		return;
	}
	if (f->kind == KIND_SHARED) {
		s->moved = true;
		if (f->passes > 1) {
			f->passes--;
			return;
		}
		complete_at(s, n, now + s->p->shared_latency + deeper(s, n), false);
		unit_done(s, n);
		return;
	}
	if (f->passes && f->kind != KIND_CONST) { /* of a generic access that went to shared memory too */
		f->passes--;
		s->moved = true;
		return;
	}
	if (f->line_at < f->nline) {
		if (!send_line(s, n, now)) {
			if (s->mem.blocked == NEVER)
				s->mem.blocked = now;
			return;
		}
		if (s->mem.blocked != NEVER) {
			s->st.l1_stall_cycles += now - s->mem.blocked;
			s->mem.blocked = NEVER;
		}
		f->line_at++;
	}
	s->moved = true;
	if (f->passes > 1 && f->kind == KIND_CONST) { /* a line and an address in a cycle */
		f->passes--;
		return;
	}
	if (f->line_at < f->nline)
		return;
	s->mem.free_linebuf[s->mem.nfree_linebuf++] = f->linebuf;
	unit_done(s, n);
	if (--f->lines_out == 0)
		complete_at(s, n, now + (f->kind == KIND_CONST ? s->p->const_latency : 1) + deeper(s, n), false);
}

/* An instruction that has entered the unit, to watchers, before the width of shared memory adds to its passes. */
static void tell_access(struct sm *s, unsigned n)
{
	static const enum probe_access of_kind[] = {
		[KIND_ALU] = PROBE_ACCESS_NONE,     [KIND_SHARED] = PROBE_ACCESS_SHARED,
		[KIND_CONST] = PROBE_ACCESS_CONST,  [KIND_TEXTURE] = PROBE_ACCESS_TEXTURE,
		[KIND_LOAD] = PROBE_ACCESS_LINES,   [KIND_STORE] = PROBE_ACCESS_LINES,
		[KIND_ATOMIC] = PROBE_ACCESS_LINES, [KIND_GENERIC] = PROBE_ACCESS_LINES,
		[KIND_BARRIER] = PROBE_ACCESS_NONE, [KIND_FENCE] = PROBE_ACCESS_NONE,
	};
	const struct flight *f = &s->flight[n];

	probe_flight(s, PROBE_ACCESS, n, of_kind[f->kind], f->kind == KIND_SHARED && !f->passes ? 1 : f->passes);
}

void lsu_enters(struct sm *s, unsigned n)
{
	struct flight *f = &s->flight[n];
	uint32_t moved;

	if (probing(s, PROBE_ACCESS))
		tell_access(s, n);
	if (f->kind == KIND_SHARED || (f->kind != KIND_CONST && f->passes)) {
		s->st.shared_accesses++;
		s->st.shared_passes += f->passes ? f->passes : 1;
		s->st.shared_conflicts += f->passes ? f->passes - 1 : 0;
		moved = (f->words * 4u + s->p->shared_bytes_cycle - 1) / s->p->shared_bytes_cycle;
		if (moved > f->passes) /* the banks could do more than the width lets through */
			f->passes = moved;
	} else if (f->kind == KIND_CONST) {
		s->st.const_accesses++;
	} else if (f->kind == KIND_TEXTURE) {
		s->st.tex_accesses++;
	}
}

void lsu_step(struct sm *s, cycle now)
{
	struct collector_set *set = &s->read.set[PIPE_MEM];
	struct flight *f;

	if (s->mem.flight != NO_FLIGHT)
		work(s, now);
	if (s->mem.flight != NO_FLIGHT || !set->noc_ex)
		return;
	if (s->exec.unit_free[PIPE_MEM][0] > now) {
		if (s->exec.unit_free[PIPE_MEM][0] < s->timed)
			s->timed = s->exec.unit_free[PIPE_MEM][0];
		return;
	}
	s->mem.flight = set->oc_ex[0];
	f = &s->flight[s->mem.flight];
	set->noc_ex--;
	for (unsigned i = 0; i < set->noc_ex; i++)
		set->oc_ex[i] = set->oc_ex[i + 1];
	s->exec.unit_free[PIPE_MEM][0] = now + f->d->interval;
	s->mem.from = now + f->d->latency;
	s->st.mem_instructions++;
	if (probing(s, PROBE_EXECUTE))
		probe_execute(s, s->mem.flight, 0, 0);
	count_lanes(s, f);
	lsu_enters(s, s->mem.flight);
	s->moved = true;
}

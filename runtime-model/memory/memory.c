/* Interconnect and L2. Each port and slice is an amount of work already promised: a request adds its share and is done
 * when all of it is. Replies therefore never wait behind a reply that is not ready, as they would in a queue reserved
 * in order. What the L2 cannot take, for want of an MSHR, of a place among those that wait for a line, or of a line
 * that is not itself being filled, holds up its slice and all that comes after it. */
#include "runtime-model/memory/memory.h"
#include "runtime-model/memory/cache.h"
#include "runtime-model/memory/dram.h"

#include <assert.h>

/* partitions, and slices inside them, interleave every 256 bytes */
enum { LINE = LINE_BYTES, CHUNK_LINES = 2, ALL_SECTORS = 15 };

/* tags of partitions x l2_slices */
struct l2 {
	const struct params *p;
	struct cache *slice;
};

struct slice {
	struct cache *tags;
	uint64_t in, port; /* work: input port, data port (SM cycles) */
	cycle *fill;       /* ring: when each of the last l2_mshrs fills is done */
	unsigned nfill;
};

struct memory {
	const struct params *p;
	struct stats *st;
	struct slice *slice; /* partitions x l2_slices */
	struct dram *dram;   /* by partition */
};

/* of a line: its partition, its slice among all, its number there */
struct place {
	unsigned part, slice;
	uint64_t index;
};

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* n cycles of a clock of mhz, in SM cycles, rounded up. */
static uint64_t in_sm_cycles(const struct params *p, uint64_t n, uint32_t mhz)
{
	return mhz == p->sm_mhz ? n : (n * p->sm_mhz + mhz - 1) / mhz;
}

unsigned memory_flits(const struct params *p, unsigned bytes)
{
	return (p->packet_bytes + bytes + p->flit_bytes - 1) / p->flit_bytes;
}

unsigned memory_reply_flits(const struct params *p, enum memory_kind kind, unsigned sectors)
{
	unsigned n = (unsigned)__builtin_popcount(sectors);

	if (kind == MEMORY_WRITEBACK)
		return 0;
	if (p->l2_sectors)
		return n * memory_flits(p, kind == MEMORY_WRITE ? 0 : SECTOR_BYTES);
	return memory_flits(p, kind == MEMORY_WRITE ? 0 : n * SECTOR_BYTES);
}

static struct place place_of(const struct params *p, uint64_t n)
{
	uint64_t chunk = n / CHUNK_LINES, local = chunk / p->partitions;
	unsigned part = (unsigned)(chunk % p->partitions);

	return (struct place){ part, part * p->l2_slices + (unsigned)(local % p->l2_slices),
			       local / p->l2_slices * CHUNK_LINES + n % CHUNK_LINES };
}

unsigned memory_slice(const struct params *p, uint64_t n) { return place_of(p, n).slice; }

/* Byte address inside the partition of line `index` of a slice. */
static uint64_t dram_address(const struct params *p, unsigned slice, uint64_t index)
{
	return ((index / CHUNK_LINES * p->l2_slices + slice % p->l2_slices) * CHUNK_LINES + index % CHUNK_LINES) * LINE;
}

/* ---- tags, and what outlives a launch ---- */
struct l2 *l2_new(const struct params *p, struct arena *a)
{
	struct l2 *l = new(a, struct l2);
	unsigned n = p->partitions * p->l2_slices;

	l->p = p;
	l->slice = new_array(a, struct cache, n);
	for (unsigned i = 0; i < n; i++)
		cache_init(&l->slice[i], p->l2_sets, p->l2_ways, false, a);
	return l;
}

/* The line of a slice that is the index-th there. */
static uint64_t number_of(const struct params *p, unsigned slice, uint64_t index)
{
	const uint64_t local = index / CHUNK_LINES * p->l2_slices + slice % p->l2_slices;

	return (local * p->partitions + slice / p->l2_slices) * CHUNK_LINES + index % CHUNK_LINES;
}

static int by_use(const void *x, const void *y)
{
	const struct cache_line *a = *(struct cache_line *const *)x, *b = *(struct cache_line *const *)y;

	return a->used < b->used ? -1 : a->used > b->used;
}

struct l2_line *l2_lines(const struct l2 *l, uint32_t *n, struct arena *a)
{
	const unsigned slices = l->p->partitions * l->p->l2_slices, each = l->p->l2_sets * l->p->l2_ways;
	const struct cache_line **sorted = new_array(a, const struct cache_line *, each + 1u);
	struct l2_line *out = new_array(a, struct l2_line, (size_t)slices * each + 1);

	*n = 0;
	for (unsigned s = 0; s < slices; s++) {
		uint32_t held = 0;

		for (unsigned i = 0; i < each; i++)
			if (l->slice[s].line[i].tag)
				sorted[held++] = &l->slice[s].line[i];
		qsort(sorted, held, sizeof *sorted, by_use);
		for (uint32_t i = 0; i < held; i++)
			out[(*n)++] = (struct l2_line){ number_of(l->p, s, cache_number(sorted[i])), sorted[i]->valid,
							sorted[i]->dirty };
	}
	return out;
}

/* The line, in the place of what was used least lately. */
static struct cache_line *put_line(struct l2 *l, uint64_t number)
{
	const struct place w = place_of(l->p, number);
	struct cache *tags = &l->slice[w.slice];
	struct cache_line *c = cache_find(tags, w.index);

	if (!c) {
		c = cache_victim(tags, w.index);
		cache_take(tags, c, w.index);
	}
	return c;
}

void l2_hold(struct l2 *l, const struct l2_line *line, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct cache_line *c = put_line(l, line[i].number);

		c->valid = line[i].valid;
		c->dirty = line[i].dirty;
	}
}

void l2_line_pack(const struct l2_line *line, unsigned char to[L2_LINE_BYTES])
{
	for (unsigned b = 0; b < 8; b++)
		to[b] = (unsigned char)(line->number >> 8 * b);
	to[8] = line->valid;
	to[9] = line->dirty;
}

struct l2_line l2_line_unpack(const unsigned char from[L2_LINE_BYTES])
{
	struct l2_line x = { 0, from[8], from[9] };

	for (unsigned b = 0; b < 8; b++)
		x.number |= (uint64_t)from[b] << 8 * b;
	return x;
}

void l2_copied(struct l2 *l, uint64_t address, uint64_t bytes)
{
	for (uint64_t at = address / SECTOR_BYTES; bytes && at <= (address + bytes - 1) / SECTOR_BYTES; at++) {
		struct cache_line *c = put_line(l, at * SECTOR_BYTES / LINE);

		c->valid |= l->p->l2_sectors ? (uint8_t)(1u << at % (LINE / SECTOR_BYTES)) : ALL_SECTORS;
	}
}

/* Time begins anew. */
static void new_launch(struct l2 *l)
{
	for (unsigned i = 0; i < l->p->partitions * l->p->l2_slices; i++)
		for (unsigned n = 0; n < l->p->l2_sets * l->p->l2_ways; n++)
			l->slice[i].line[n].ready = 0;
}

struct memory *memory_new(const struct params *p, struct stats *st, struct l2 *kept, struct arena *a)
{
	struct memory *m = new(a, struct memory);
	unsigned n = p->partitions * p->l2_slices;

	m->p = p;
	m->st = st;
	m->slice = new_array(a, struct slice, n);
	m->dram = new_array(a, struct dram, p->partitions);
	if (kept)
		new_launch(kept);
	else
		kept = l2_new(p, a);
	for (unsigned i = 0; i < n; i++)
		m->slice[i] = (struct slice){ .tags = &kept->slice[i], .fill = new_array(a, cycle, p->l2_mshrs) };
	for (unsigned i = 0; i < p->partitions; i++)
		dram_init(&m->dram[i], p, st, a);
	return m;
}

/* ---- one request ---- */
/* t: when the slice looks at it */
struct visit {
	struct memory *m;
	struct slice *s;
	struct place w;
	cycle t;
};

static void hold(struct visit *v, cycle until)
{
	if (until <= v->t)
		return;
	v->m->st->l2_stall_cycles += until - v->t;
	v->s->in += until - v->t;
	v->t = until;
}

/* A line for v in its slice; what it displaces is written back. */
static struct cache_line *allocate(struct visit *v)
{
	struct cache_line *l = cache_victim(v->s->tags, v->w.index);

	hold(v, l->ready); /* the least recently used is still being filled, so all are */
	if (l->dirty) {
		v->m->st->l2_writebacks++;
		dram_access(&v->m->dram[v->w.part], v->t, dram_address(v->m->p, v->w.slice, cache_number(l)), 1,
			    (unsigned)__builtin_popcount(l->dirty) * SECTOR_BYTES, true);
	}
	cache_take(v->s->tags, l, v->w.index);
	return l;
}

/* Reads sectors of line l from DRAM. Returns the cycle from which they are there. */
static cycle fetch(struct visit *v, struct cache_line *l, unsigned sectors)
{
	const struct params *p = v->m->p;
	unsigned n = (unsigned)__builtin_popcount(sectors), requests = p->l2_sectors ? n : 1;
	cycle done;

	v->m->st->l2_fills += requests;
	for (unsigned i = 0; i < requests; i++)
		hold(v, v->s->fill[(v->s->nfill + i) % p->l2_mshrs]);
	done = dram_access(&v->m->dram[v->w.part], v->t, dram_address(p, v->w.slice, v->w.index), requests,
			   n * SECTOR_BYTES, false) +
	       p->dram_latency;
	for (unsigned i = 0; i < requests; i++)
		v->s->fill[v->s->nfill++ % p->l2_mshrs] = done;
	l->ready = max64(l->ready, done);
	l->valid |= (uint8_t)sectors;
	l->merges = 1;
	return done;
}

/* What a read or an atomic needs of line l (NULL: absent) comes, or is there. */
static cycle need(struct visit *v, struct cache_line **l, unsigned sectors, bool *hit)
{
	struct cache_line *c = *l;
	unsigned missing = c ? sectors & ~(unsigned)c->valid : sectors;

	*hit = !missing;
	if (missing) {
		if (!c)
			*l = c = allocate(v);
		return fetch(v, c, missing);
	}
	if (c->ready > v->t) {
		if (c->merges >= v->m->p->l2_merges)
			hold(v, c->ready);
		else
			c->merges++;
	}
	return c->ready;
}

/* A write. Returns the cycle from which it can be acknowledged. */
static cycle write(struct visit *v, struct cache_line *l, unsigned sectors)
{
	const struct params *p = v->m->p;
	unsigned all = p->l2_sectors ? sectors : ALL_SECTORS;
	cycle done = 0;

	if (!l) {
		l = allocate(v);
		if (p->l2_write_fetch >= 2 || (p->l2_write_fetch == 1 && sectors != all))
			fetch(v, l, all);
		if (p->l2_write_fetch == 3) {
			unsigned bytes = (unsigned)__builtin_popcount(sectors) * SECTOR_BYTES;

			return dram_access(&v->m->dram[v->w.part], v->t, dram_address(p, v->w.slice, v->w.index), 1,
					   bytes, true) +
			       p->dram_latency;
		}
	}
	l->valid |= (uint8_t)all;
	l->dirty |= (uint8_t)all;
	return done;
}

/* Of a header up and a header down: the least of every stage in memory_request() and of the network. */
cycle memory_round_trip(const struct params *p)
{
	if (p->memory_fixed)
		return p->memory_fixed;
	return 2 * in_sm_cycles(p, p->icnt_latency, p->icnt_mhz) + in_sm_cycles(p, 1, p->icnt_mhz) +
	       in_sm_cycles(p, p->l2_latency, p->l2_mhz) + in_sm_cycles(p, 1, p->icnt_mhz);
}

static cycle fixed_request(struct memory *m, cycle at, enum memory_kind kind, unsigned bytes)
{
	m->st->fixed_reads += kind == MEMORY_READ;
	m->st->fixed_writes += kind == MEMORY_WRITE;
	m->st->fixed_atomics += kind == MEMORY_ATOMIC;
	m->st->fixed_bytes += bytes * (kind == MEMORY_ATOMIC ? 2 : 1);
	return at + m->p->memory_fixed;
}

cycle memory_request(struct memory *m, cycle at, enum memory_kind kind, uint64_t n, unsigned sectors)
{
	const struct params *p = m->p;
	unsigned count = (unsigned)__builtin_popcount(sectors), bytes = count * SECTOR_BYTES;
	unsigned up = memory_flits(p, kind == MEMORY_READ ? 0 : bytes);
	unsigned moves = (bytes + p->l2_port_bytes - 1) / p->l2_port_bytes,
		 wanted = p->l2_sectors ? sectors : ALL_SECTORS;
	cycle way = in_sm_cycles(p, p->icnt_latency, p->icnt_mhz), ready = 0;
	cycle port = in_sm_cycles(p, p->l2_sectors && moves < count ? count : moves, p->l2_mhz);
	struct visit v = { .m = m, .w = place_of(p, n) };
	struct slice *s = v.s = &m->slice[v.w.slice];
	struct cache_line *l = cache_find(s->tags, v.w.index);
	bool hit;

	assert(sectors && sectors <= ALL_SECTORS);
	if (p->memory_fixed)
		return fixed_request(m, at, kind, bytes);
	m->st->icnt_flits_up += up;
	m->st->icnt_flits_down += memory_reply_flits(p, kind, sectors);
	s->in = max64(s->in, at + way) + in_sm_cycles(p, up, p->icnt_mhz);
	v.t = s->in + in_sm_cycles(p, p->l2_latency, p->l2_mhz);
	switch (kind) {
	case MEMORY_READ:
		m->st->l2_reads++;
		ready = need(&v, &l, wanted, &hit);
		m->st->l2_read_hits += hit;
		break;
	case MEMORY_WRITE:
	case MEMORY_WRITEBACK:
		m->st->l2_writes++;
		m->st->l2_write_hits += l != NULL;
		ready = write(&v, l, sectors);
		break;
	case MEMORY_ATOMIC:
		m->st->l2_atomics++;
		ready = need(&v, &l, wanted, &hit);
		l->dirty |= (uint8_t)wanted;
		port *= 2; /* read, then written */
		break;
	}
	s->port = max64(s->port, v.t) + port;
	/* sectors leave one by one as they are read */
	return max64(ready, s->port) - (p->l2_sectors ? port - port / count : 0);
}

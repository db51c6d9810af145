/* Interconnect and L2. Each port and slice is an amount of work already promised: a request adds its share and is done when
 * all of it is. Replies therefore never wait behind a reply that is not ready, as they would in a queue reserved in order. */
#include "runtime-model/memory.h"
#include "runtime-model/cache.h"
#include "runtime-model/dram.h"

enum { LINE = LINE_BYTES, CHUNK_LINES = 2 };     /* partitions interleave every 256 bytes */

struct slice { struct cache tags; uint64_t in, port, out; };     /* work: input port, data port, output port (SM cycles) */

struct memory {
	const struct params *p;
	struct stats *st;
	struct slice *slice;            /* partitions x l2_slices */
	struct dram *dram;              /* by partition */
	unsigned line_flits, ack_flits;
};

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* n cycles of a clock of mhz, in SM cycles, rounded up. */
static uint64_t in_sm_cycles(const struct params *p, uint64_t n, uint32_t mhz)
{
	return (n * p->sm_mhz + mhz - 1) / mhz;
}

unsigned memory_flits(const struct params *p, unsigned bytes)
{
	return (p->packet_bytes + bytes + p->flit_bytes - 1) / p->flit_bytes;
}

struct memory *memory_new(const struct params *p, struct stats *st, struct arena *a)
{
	struct memory *m = new(a, struct memory);
	unsigned n = p->partitions * p->l2_slices;

	m->p = p;
	m->st = st;
	m->slice = new_array(a, struct slice, n);
	m->dram = new_array(a, struct dram, p->partitions);
	for (unsigned i = 0; i < n; i++)
		cache_init(&m->slice[i].tags, p->l2_sets, p->l2_ways, a);
	for (unsigned i = 0; i < p->partitions; i++)
		dram_init(&m->dram[i], p, st);
	m->line_flits = memory_flits(p, LINE);
	m->ack_flits = memory_flits(p, 0);
	return m;
}

/* Where line n lives: its partition, and its line number inside the partition. */
static unsigned partition_of(const struct memory *m, uint64_t n, uint64_t *local)
{
	uint64_t chunk = n / CHUNK_LINES;

	*local = chunk / m->p->partitions * CHUNK_LINES + n % CHUNK_LINES;
	return (unsigned)(chunk % m->p->partitions);
}

/* Makes room for a line in the slice, writing back what it displaces, and fetches the line if asked. Returns the cycle
 * from which its data are there. */
static cycle allocate(struct memory *m, struct slice *s, unsigned part, uint64_t index, uint64_t local, cycle t, bool fetch, struct cache_line **out)
{
	struct cache_line *l = cache_victim(&s->tags, index);
	cycle ready = t;

	if (l->dirty) {
		uint64_t old = cache_number(l) * m->p->l2_slices + local % m->p->l2_slices;

		m->st->l2_writebacks++;
		dram_access(&m->dram[part], t, old * LINE, LINE, true);
	}
	cache_take(&s->tags, l, index);
	if (fetch)
		ready = dram_access(&m->dram[part], t, local * LINE, LINE, false) + m->p->dram_latency;
	l->ready = ready;
	*out = l;
	return ready;
}

/* Of a header up and a header down: the least of every stage in memory_request(). */
cycle memory_round_trip(const struct params *p)
{
	return 2 * in_sm_cycles(p, p->icnt_latency, p->icnt_mhz) + in_sm_cycles(p, 1, p->icnt_mhz) +
	       in_sm_cycles(p, p->l2_latency, p->l2_mhz) + in_sm_cycles(p, 1, p->icnt_mhz);
}

cycle memory_request(struct memory *m, cycle at, enum memory_kind kind, uint64_t n, unsigned sectors)
{
	const struct params *p = m->p;
	unsigned bytes = kind == MEMORY_READ ? 0 : (unsigned)__builtin_popcount(sectors & 15) * SECTOR_BYTES;
	unsigned up = memory_flits(p, bytes), down = kind == MEMORY_WRITE ? m->ack_flits : m->line_flits;
	cycle way = in_sm_cycles(p, p->icnt_latency, p->icnt_mhz), up_cycles = in_sm_cycles(p, up, p->icnt_mhz);
	cycle port = in_sm_cycles(p, (LINE + p->l2_port_bytes - 1) / p->l2_port_bytes, p->l2_mhz), t, ready;
	uint64_t local;
	unsigned part = partition_of(m, n, &local);
	struct slice *s = &m->slice[part * p->l2_slices + local % p->l2_slices];
	uint64_t index = local / p->l2_slices;
	struct cache_line *l = cache_find(&s->tags, index);

	if (kind == MEMORY_ATOMIC)
		down = memory_flits(p, bytes);
	m->st->icnt_flits_up += up;
	m->st->icnt_flits_down += down;
	s->in = max64(s->in, at + way) + up_cycles;
	t = s->in + in_sm_cycles(p, p->l2_latency, p->l2_mhz);
	s->port = max64(s->port, t) + port;
	ready = s->port;
	if (l)
		ready = max64(ready, l->ready);
	switch (kind) {
	case MEMORY_READ:
		m->st->l2_reads++;
		if (l)
			m->st->l2_read_hits++;
		else
			ready = max64(ready, allocate(m, s, part, index, local, t, true, &l));
		break;
	case MEMORY_WRITE:
		m->st->l2_writes++;
		if (l)
			m->st->l2_write_hits++;
		else
			allocate(m, s, part, index, local, t,
				 p->l2_write_fetch == 2 || (p->l2_write_fetch == 1 && sectors != 15), &l);
		l->dirty = true;
		break;
	case MEMORY_ATOMIC:
		m->st->l2_atomics++;
		if (!l)
			ready = max64(ready, allocate(m, s, part, index, local, t, true, &l));
		s->port += port;        /* read, then written */
		ready += port;
		l->dirty = true;
		break;
	}
	s->out = max64(s->out, t) + in_sm_cycles(p, down, p->icnt_mhz);
	return max64(ready, s->out) + way;
}

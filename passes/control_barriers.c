/* Where barriers of dependence are raised, and waited for.
 *
 * First, without barriers: data flow forwards over events, which are outstanding from the instruction that begins them
 * until one that depends on them. What is never depended on has no barrier. The sources of a queued instruction have
 * been read, too, when a later one of its queue, or its own result, has been waited for. Then each event gets a barrier
 * (control_assign.c). At last data flow over registers, each with the barriers that may be up for it: who touches the
 * register waits for them, which lowers them for all registers. Waits are only ever added until nothing changes, so
 * loops are right; those that can wait for nothing are taken away again. */
#include "passes/control.h"

#define NONE UINT32_MAX

struct barriers {
	struct control_work *w;
	const struct kernel *k;
	struct barrier_problem p;
	uint32_t *first;         /* by instruction: its event that says it has written; the next says it has read */
	uint32_t *at[2], *of[2]; /* by register: events that write it, that read it */
	uint64_t **in;           /* by block: events that may be outstanding */
	uint64_t *needed;        /* events */
	uint32_t *waits, nwaits, wcap; /* of the instruction at hand */
	bool record;
};

/* ---- events ---- */
static bool is_read_later(const struct control_work *w, uint32_t i, const struct sass_access *x)
{
	return w->queue[i] && !x->write && mreg_is_general(x->reg);
}

static void add_event(struct barriers *b, uint32_t i, bool write)
{
	static const uint8_t late[] = {
		[QUEUE_NONE] = 24, [QUEUE_MEMORY] = 32, [QUEUE_SPECIAL] = 16, [QUEUE_DOUBLE] = 40
	};
	enum { READ_LATE = 8 };
	const uint8_t queue = b->w->queue[i];

	arena_grow(b->w->a, b->p.event, b->p.nevent, b->p.event_cap);
	b->p.event[b->p.nevent++] = (struct barrier_event){ .insn = i,
							    .write = write,
							    .late = write ? late[queue] : READ_LATE,
							    .queue = queue,
							    .barrier = NO_BARRIER,
							    .twin = NONE };
}

/* By register, the events that it waits for as one that is written, or read. */
static void index_events(struct barriers *b)
{
	const struct control_work *w = b->w;

	for (unsigned write = 0; write < 2; write++) {
		uint32_t *at = b->at[write] = new_array(w->a, uint32_t, MREG_COUNT + 2u), n = 0;

		for (unsigned fill = 0; fill < 2; fill++) {
			for (uint32_t e = 0; e < b->p.nevent; e++) {
				const uint32_t i = b->p.event[e].insn;
				const struct sass_access *x = control_first(w, i);

				for (unsigned a = 0; b->p.event[e].write == write && a < control_accesses(w, i); a++) {
					if (write ? !x[a].write : !is_read_later(w, i, &x[a]))
						continue;
					if (fill)
						b->of[write][at[x[a].reg + 1]++] = e;
					else
						at[x[a].reg + 2]++, n++;
				}
			}
			for (uint32_t r = 0; !fill && r < MREG_COUNT; r++)
				at[r + 2] += at[r + 1];
			if (!fill)
				b->of[write] = new_array(w->a, uint32_t, n + 1u);
		}
	}
}

static void find_events(struct barriers *b)
{
	const struct control_work *w = b->w;

	b->first = new_array(w->a, uint32_t, b->k->ninsn + 1u);
	for (uint32_t i = 0; i < b->k->ninsn; i++) {
		const struct sass_access *x = control_first(w, i);
		bool reads = false, writes = false;

		b->first[i] = NONE;
		for (unsigned a = 0; a < control_accesses(w, i); a++) {
			reads |= is_read_later(w, i, &x[a]);
			writes |= x[a].write && w->slow[i];
		}
		if (!reads && !writes)
			continue;
		b->first[i] = b->p.nevent;
		add_event(b, i, true);
		add_event(b, i, false);
	}
	index_events(b);
}

/* ---- what is outstanding ---- */
static bool writes_all_of(const struct barriers *b, uint32_t i, uint32_t of)
{
	const struct sass_access *x = control_first(b->w, i), *y = control_first(b->w, of);

	for (unsigned n = 0; n < control_accesses(b->w, of); n++) {
		bool found = !y[n].write;

		for (unsigned a = 0; a < control_accesses(b->w, i); a++)
			found |= x[a].write && x[a].reg == y[n].reg;
		if (!found)
			return false;
	}
	return true;
}

/* An instruction of the same queue may overwrite what an earlier one reads, or all that it writes. */
static bool in_order(const struct barriers *b, uint32_t i, const struct barrier_event *e)
{
	return b->w->queue[i] && b->w->queue[i] == e->queue && (!e->write || writes_all_of(b, i, e->insn));
}

static void ends(struct barriers *b, uint64_t *state, uint32_t e)
{
	bitset_del(state, e);
	for (uint32_t n = 0; n < b->nwaits; n++)
		if (b->waits[n] == e)
			return;
	arena_grow(b->w->a, b->waits, b->nwaits, b->wcap);
	b->waits[b->nwaits++] = e;
	bitset_add(b->needed, e);
}

/* Instruction i has waited for event e: sources of its queue that are read before have been read. */
static void covers(struct barriers *b, uint64_t *state, uint32_t i, uint32_t first, uint32_t e)
{
	const struct barrier_event *x = &b->p.event[e];

	if (x->write)
		bitset_del(state, e + 1);
	if (!x->queue || x->insn < first || x->insn >= i)
		return;
	for (uint32_t f = bitset_next(state, 0, b->p.nevent); f < b->p.nevent;
	     f = bitset_next(state, f + 1, b->p.nevent)) {
		const struct barrier_event *y = &b->p.event[f];

		if (!y->write && y->queue == x->queue && !(y->insn > x->insn && y->insn < i))
			bitset_del(state, f);
	}
}

static void record(struct barriers *b, const uint64_t *state, uint32_t i, uint32_t block)
{
	struct barrier_problem *p = &b->p;
	const uint32_t depth = b->k->cfg->depth[block];
	struct barrier_point x = { p->nlist, b->nwaits, b->nwaits, i, b->k->block[block].first, 1 };

	for (uint32_t d = 0; d < depth; d++)
		x.weight *= FREQ_LOOP;
	for (uint32_t n = 0; n < b->nwaits; n++) {
		arena_grow(b->w->a, p->list, p->nlist, p->list_cap);
		p->list[p->nlist++] = b->waits[n];
	}
	for (uint32_t f = bitset_next(state, 0, p->nevent); f < p->nevent; f = bitset_next(state, f + 1, p->nevent))
		if (bitset_has(b->needed, f)) {
			arena_grow(b->w->a, p->list, p->nlist, p->list_cap);
			p->list[p->nlist++] = f;
			x.n++;
		}
	arena_grow(b->w->a, p->point, p->npoint, p->point_cap);
	p->point[p->npoint++] = x;
}

/* What instruction i depends on of events that write, or that read, by its accesses that read, or write. */
static void depend(struct barriers *b, uint64_t *state, uint32_t i, bool event_writes, bool writes)
{
	const struct sass_access *x = control_first(b->w, i);

	for (unsigned a = 0; a < control_accesses(b->w, i); a++)
		for (uint32_t l = b->at[event_writes][x[a].reg]; l < b->at[event_writes][x[a].reg + 1]; l++) {
			const uint32_t e = b->of[event_writes][l];

			if (x[a].write != writes || !bitset_has(state, e))
				continue;
			if (!writes || !in_order(b, i, &b->p.event[e]))
				ends(b, state, e);
			else if (event_writes)
				bitset_del(state, e);
		}
}

static void step(struct barriers *b, uint64_t *state, uint32_t i, uint32_t block)
{
	const struct sass_access *x = control_first(b->w, i);
	const unsigned n = control_accesses(b->w, i);
	uint32_t covered = 0;

	b->nwaits = 0;
	depend(b, state, i, true, false);
	depend(b, state, i, true, true);
	for (; covered < b->nwaits; covered++)
		covers(b, state, i, b->k->block[block].first, b->waits[covered]);
	depend(b, state, i, false, true);
	for (; covered < b->nwaits; covered++)
		covers(b, state, i, b->k->block[block].first, b->waits[covered]);
	if (b->record && b->nwaits)
		record(b, state, i, block);
	if (b->first[i] == NONE)
		return;
	for (unsigned a = 0; a < n; a++)
		if (x[a].write && b->w->slow[i])
			bitset_add(state, b->first[i]);
		else if (is_read_later(b->w, i, &x[a]))
			bitset_add(state, b->first[i] + 1);
}

static void walk(struct barriers *b, uint64_t *state, uint32_t block)
{
	const struct block *x = &b->k->block[block];

	for (uint32_t i = x->first; i < x->first + x->n; i++)
		step(b, state, i, block);
}

static void find_outstanding(struct barriers *b)
{
	const struct cfg *g = b->k->cfg;
	const uint32_t words = bitset_words(b->p.nevent);
	uint64_t *state = bitset_new(b->w->a, b->p.nevent);
	bool more = true;

	b->needed = bitset_new(b->w->a, b->p.nevent);
	b->in = new_array(b->w->a, uint64_t *, b->k->nblock + 1u);
	for (uint32_t x = 0; x < b->k->nblock; x++)
		b->in[x] = bitset_new(b->w->a, b->p.nevent);
	while (more) {
		more = false;
		for (uint32_t n = 0; n < g->nrpo; n++) {
			const uint32_t block = g->rpo[n];

			bitset_copy(state, b->in[block], b->p.nevent);
			walk(b, state, block);
			for (uint32_t s = g->succ_at[block]; s < g->succ_at[block + 1]; s++)
				for (uint32_t v = 0; v < words; v++) {
					uint64_t *to = &b->in[g->succ[s]][v];

					more |= (state[v] & ~*to) != 0;
					*to |= state[v];
				}
		}
	}
	b->record = true;
	for (uint32_t n = 0; n < g->nrpo; n++) {
		bitset_copy(state, b->in[g->rpo[n]], b->p.nevent);
		walk(b, state, g->rpo[n]);
	}
}

/* ---- waits ---- */
/* By register, barriers that may be up until it is written; until it has been read, by queue of who reads it. */
struct up {
	uint8_t write[MREG_COUNT];
	uint8_t read[MREG_COUNT][QUEUE_DOUBLE + 1];
};

static void lower(struct up *u, unsigned mask)
{
	for (uint32_t r = 0; mask && r < MREG_COUNT; r++) {
		u->write[r] &= (uint8_t)~mask;
		for (unsigned q = 0; q <= QUEUE_DOUBLE; q++)
			u->read[r][q] &= (uint8_t)~mask;
	}
}

/* Barriers that instruction i needs to find down. */
static unsigned must_wait(const struct control_work *w, const struct up *u, uint32_t i)
{
	const struct sass_access *x = control_first(w, i);
	unsigned mask = 0;

	for (unsigned a = 0; a < control_accesses(w, i); a++) {
		mask |= u->write[x[a].reg];
		for (unsigned q = 0; x[a].write && q <= QUEUE_DOUBLE; q++)
			mask |= q && q == w->queue[i] ? 0 : u->read[x[a].reg][q];
	}
	return mask;
}

static void raise(const struct control_work *w, struct up *u, uint32_t i)
{
	const struct control_code *c = &w->code[i];
	const struct sass_access *x = control_first(w, i);

	for (unsigned a = 0; a < control_accesses(w, i); a++) {
		if (x[a].write && c->wbar != NO_BARRIER)
			u->write[x[a].reg] |= (uint8_t)(1u << c->wbar);
		else if (c->rbar != NO_BARRIER && is_read_later(w, i, &x[a]))
			u->read[x[a].reg][w->queue[i]] |= (uint8_t)(1u << c->rbar);
	}
}

static bool join(struct up *to, const struct up *from)
{
	uint8_t *t = to->write;
	const uint8_t *f = from->write;
	bool more = false;

	_Static_assert(sizeof(struct up) == sizeof to->write + sizeof to->read, "nothing but bytes");
	for (size_t n = 0; n < sizeof *to; n++) {
		more |= (f[n] & ~t[n]) != 0;
		t[n] |= f[n];
	}
	return more;
}

/* Until nothing changes. grow: waits are added; else they are what they are, and `in` begins empty. */
static void flow(struct control_work *w, struct up *in, bool grow)
{
	const struct kernel *k = w->k;
	const struct cfg *g = k->cfg;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t n = 0; n < g->nrpo; n++) {
			const struct block *b = &k->block[g->rpo[n]];
			struct up u = in[g->rpo[n]];

			for (uint32_t i = b->first; i < b->first + b->n; i++) {
				const unsigned mask = must_wait(w, &u, i);

				more |= grow && (mask & ~w->code[i].wait);
				w->code[i].wait |= grow ? (uint8_t)mask : 0;
				lower(&u, w->code[i].wait);
				raise(w, &u, i);
			}
			for (uint32_t s = g->succ_at[g->rpo[n]]; s < g->succ_at[g->rpo[n] + 1]; s++)
				more |= join(&in[g->succ[s]], &u);
		}
	}
}

static unsigned all_up(const struct up *u)
{
	unsigned mask = 0;

	for (uint32_t r = 0; r < MREG_COUNT; r++) {
		mask |= u->write[r];
		for (unsigned q = 0; q <= QUEUE_DOUBLE; q++)
			mask |= u->read[r][q];
	}
	return mask;
}

static void set_waits(struct control_work *w)
{
	const struct kernel *k = w->k;
	struct up *in = new_array(w->a, struct up, k->nblock + 1u);

	flow(w, in, true);
	memset(in, 0, k->nblock * sizeof *in);
	flow(w, in, false);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			if (w->code[i].wait)
				w->code[i].wait &= (uint8_t)all_up(&in[b]);
			lower(&in[b], w->code[i].wait);
			raise(w, &in[b], i);
		}
}

void control_barriers(struct control_work *w)
{
	struct barriers b = { .w = w, .k = w->k };
	uint32_t *number, n = 0;

	find_events(&b);
	find_outstanding(&b);
	/* only those that are needed */
	number = new_array(w->a, uint32_t, b.p.nevent + 1u);
	for (uint32_t e = 0; e < b.p.nevent; e++) {
		number[e] = NONE;
		if (bitset_has(b.needed, e)) {
			number[e] = n;
			b.p.event[n++] = b.p.event[e];
		}
	}
	for (uint32_t e = 0; e + 1 < n; e++)
		if (b.p.event[e].insn == b.p.event[e + 1].insn) {
			b.p.event[e].twin = e + 1;
			b.p.event[e + 1].twin = e;
		}
	b.p.nevent = n;
	for (uint32_t l = 0; l < b.p.nlist; l++)
		b.p.list[l] = number[b.p.list[l]];
	barriers_assign(&b.p, w->a);
	for (uint32_t e = 0; e < n; e++)
		*(b.p.event[e].write ? &w->code[b.p.event[e].insn].wbar : &w->code[b.p.event[e].insn].rbar) =
			b.p.event[e].barrier;
	set_waits(w);
}

/* The front of the pipeline under a reuse that renames (Kim and Ro, HPCA 2018, sections V-B, V-C and VI-B): between
 * issue and the collectors an instruction passes the rename stage and the reuse stage, a cycle each, in the order in
 * which its scheduler issued. The reuse axis has latched what it renames as it issued; here it is looked up once, as it
 * comes to the reuse stage. A hit retires in the next cycle. A miss goes to the collectors of its pipeline, and holds
 * the stage until they have room. What has found a result pending leaves for the SM's retry queue, in order; a
 * scheduler whose stage gets no new instruction in a cycle asks for the first of the queue, which goes to its end if
 * the result is not there yet.
 *
 * A load in the queue may yet have to be executed, and what is younger in its warp and would change what it reads, or
 * let others change it, waits for it: a store or atomic in the reuse stage, a barrier before it issues.
 *
 * On a core of sub-cores the control stage stands behind the two, and each sub-core has a queue of its own, as what its
 * instructions wait for is in its own registers.
 *
 * In a cycle that is skipped nothing has changed, so every retry finds what it found before: the queue turns, and they
 * are counted. */
#include "runtime-model/sm/subcore.h"

#include "analyzer/base/rng.h"

struct front {
	unsigned cycles, ports, queues, room; /* stages; schedulers; room: of a queue */
	struct front_stages {
		uint16_t flight[FRONT_MAX]; /* the first is the oldest */
		unsigned n;
		bool missed; /* the first has, and holds the reuse stage */
		cycle since;
	} stages[SCHEDULERS_MAX];
	/* of those whose verdict is PENDING; and MISS, which wait for room behind */
	struct flight_queue queue[SCHEDULERS_MAX];
	cycle asked[FLIGHTS];  /* when it was looked up */
	cycle past[WARPS_MAX]; /* when the youngest store or barrier of a warp that has been looked up issued */
};

struct front *front_new(const struct sm *s, struct arena *a)
{
	const struct reuse_ops *ops = s->ax.rf->reuse;
	struct front *f = new(a, struct front);

	f->cycles = ops->front_cycles(s->p);
	f->ports = s->p->schedulers;
	f->queues = ops->parts(s->p);
	f->room = ops->queue(s->p) / f->queues;
	assert(f->cycles && f->cycles <= FRONT_MAX && f->room * f->queues <= FRONT_QUEUE_MAX);
	for (unsigned i = 0; i < f->queues; i++)
		queue_init(&f->queue[i], f->room + 1, a);
	return f;
}

/* Where instructions of that scheduler wait. */
static struct flight_queue *queue_of(const struct sm *s, unsigned scheduler)
{
	return &s->front->queue[scheduler % s->front->queues];
}

unsigned front_capacity(const struct sm *s)
{
	return s->front->cycles * s->front->ports + s->front->room * s->front->queues;
}

bool front_room(const struct sm *s, unsigned scheduler) { return s->front->stages[scheduler].n < s->front->cycles; }

unsigned front_first(const struct sm *s, unsigned scheduler)
{
	return s->front->stages[scheduler].n ? s->front->stages[scheduler].flight[0] : NO_FLIGHT;
}

uint64_t front_held(const struct sm *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < s->front->queues; i++)
		n += s->front->queue[i].n;
	for (unsigned i = 0; i < s->front->ports; i++)
		n += s->front->stages[i].n;
	return n;
}

bool front_waits(const struct sm *s, unsigned flight)
{
	const struct flight_queue *q = queue_of(s, s->warp[s->flight[flight].u.warp].scheduler);

	for (unsigned i = 0; i < q->n; i++)
		if (q->v[(q->head + i) & q->mask] == flight)
			return true;
	return false;
}

static bool is_load_of(const struct flight *f, unsigned warp)
{
	return f->u.warp == warp && f->d->pipe == PIPE_MEM && f->d->is_load;
}

static bool queue_has_load(const struct sm *s, unsigned warp)
{
	const struct flight_queue *q = queue_of(s, s->warp[warp].scheduler);

	for (unsigned i = 0; i < q->n; i++)
		if (is_load_of(&s->flight[q->v[(q->head + i) & q->mask]], warp))
			return true;
	return false;
}

bool front_has_load(const struct sm *s, unsigned warp)
{
	const struct front_stages *g = &s->front->stages[s->warp[warp].scheduler];

	for (unsigned i = 0; s->front->room && i < g->n; i++)
		if (is_load_of(&s->flight[g->flight[i]], warp))
			return true;
	return queue_has_load(s, warp);
}

void front_enter(struct sm *s, unsigned flight)
{
	struct front_stages *g = &s->front->stages[s->warp[s->flight[flight].u.warp].scheduler];

	g->flight[g->n++] = (uint16_t)flight;
}

static void take_first(struct front_stages *g)
{
	g->n--;
	for (unsigned i = 0; i < g->n; i++)
		g->flight[i] = g->flight[i + 1];
	g->missed = false;
}

/* It leaves the front for the collectors, or its sub-core's control stage, if there is room. */
static bool leave(struct sm *s, unsigned flight)
{
	struct collector_set *set = &s->read.set[s->flight[flight].d->pipe];

	if (s->sub)
		return subcore_take(s, flight);
	if (set->nid_oc == set->id_oc_max)
		return false;
	set->id_oc[set->nid_oc++] = (uint16_t)flight;
	s->moved = true;
	return true;
}

/* What it would have read, done and sent is left out; it retires in the next cycle. */
static void reuse(struct sm *s, unsigned flight)
{
	struct flight *f = &s->flight[flight];

	s->st.reused_instructions++;
	sources_read(s, flight, all_sources(&f->u), READ_ELSEWHERE, NULL);
	operands_read(s, &f->u);
	if (f->d->pipe == PIPE_MEM && f->linebuf != NO_FLIGHT)
		s->mem.free_linebuf[s->mem.nfree_linebuf++] = f->linebuf;
	complete_at(s, flight, s->now + 1, false);
}

static void tell_outcome(const struct sm *s, unsigned flight, cycle waited)
{
	const struct reuse_ops *ops = s->ax.rf->reuse;
	const struct uop *u = &s->flight[flight].u;
	uint64_t sources = 0;
	unsigned phys[UOP_SRC_MAX];

	for (unsigned i = 0; i < u->nsrc; i++) {
		unsigned before = 0;

		phys[i] = ops->physical(s->ax.reuse, u, i);
		while (phys[before] != phys[i])
			before++;
		sources += before == i ? mix64(phys[i] + 1) : 0;
	}
	probe_tell(s, &(struct probe_event){
			      .kind = PROBE_REUSE,
			      .sm = s->id,
			      .warp = u->warp,
			      .cta = s->warp[u->warp].cta,
			      .insn = u->insn,
			      .active = u->active,
			      .at = s->now,
			      .id = flight,
			      .where = ops->outcome(s->ax.reuse, u),
			      .n = waited,
			      .sources = sources,
		      });
}

/* Asks the reuse axis. A verdict that stands is acted on as far as it can be at once, and watchers are told. */
static enum reuse_verdict look_up(struct sm *s, unsigned flight, bool retry)
{
	const struct reuse_ops *ops = s->ax.rf->reuse;
	struct front *f = s->front;
	struct flight *x = &s->flight[flight];
	struct flight_queue *q = queue_of(s, s->warp[x->u.warp].scheduler);
	const enum reuse_verdict v = ops->lookup(s->ax.reuse, &x->u, retry || q->n < f->room, retry);

	x->verdict = (uint8_t)v;
	if (!retry)
		f->asked[flight] = s->now;
	if (!retry && probing(s, PROBE_LOOKUP))
		probe_flight(s, PROBE_LOOKUP, flight, v, 0);
	if (v == REUSE_PENDING) {
		assert(retry || q->n < f->room);
		queue_push(q, flight);
		s->moved |= !retry;
		return v;
	}
	s->moved = true;
	if (probing(s, PROBE_REUSE))
		tell_outcome(s, flight, s->now - f->asked[flight]);
	if (v == REUSE_HIT)
		reuse(s, flight);
	return v;
}

/* The reuse stage of one scheduler: true if a new instruction has come to it. */
static bool stage(struct sm *s, unsigned scheduler)
{
	struct front_stages *g = &s->front->stages[scheduler];
	bool looked = false;
	cycle due;

	if (!g->n)
		return false;
	due = s->flight[g->flight[0]].issued + s->front->cycles;
	if (due > s->now) {
		s->timed = due < s->timed ? due : s->timed;
		return false;
	}
	if (!g->missed) {
		const struct flight *f = &s->flight[g->flight[0]];

		if (f->d->pipe == PIPE_MEM && f->d->is_store && queue_has_load(s, f->u.warp))
			return false;
		looked = true;
		if ((f->d->pipe == PIPE_MEM && f->d->is_store) || f->d->kind == KIND_BARRIER)
			s->front->past[f->u.warp] = f->issued;
		if (look_up(s, g->flight[0], false) != REUSE_MISS) {
			take_first(g);
			return true;
		}
		g->missed = true;
		g->since = s->now;
	}
	if (leave(s, g->flight[0])) {
		s->st.front_stall_cycles += s->now - g->since;
		take_first(g);
	}
	return looked;
}

/* The first of the queue asks again, or, having missed, tries to leave. */
static void retry(struct sm *s, struct flight_queue *q)
{
	struct front *f = s->front;
	const unsigned n = queue_pop(q);

	if (s->flight[n].verdict == REUSE_PENDING) {
		s->st.reuse_retries++;
		if (look_up(s, n, true) == REUSE_PENDING)
			return;
	}
	assert(s->flight[n].verdict == REUSE_HIT || !is_load_of(&s->flight[n], s->flight[n].u.warp) ||
	       s->flight[n].issued >= f->past[s->flight[n].u.warp]);
	if (s->flight[n].verdict == REUSE_MISS && !leave(s, n)) {
		queue_push(q, n);
		return;
	}
	s->st.reuse_wait_cycles += s->now - f->asked[n];
}

void front_step(struct sm *s)
{
	const struct reuse_ops *ops = s->ax.rf->reuse;
	unsigned waiting[SCHEDULERS_MAX] = { 0 }, free[SCHEDULERS_MAX] = { 0 }; /* waiting: before this cycle's */

	for (unsigned q = 0; q < s->front->queues; q++)
		waiting[q] = s->front->queue[q].n;
	for (unsigned i = 0; i < s->front->ports; i++)
		free[i % s->front->queues] += !stage(s, i);
	for (unsigned q = 0; q < s->front->queues; q++)
		for (unsigned i = 0; i < free[q] && i < waiting[q]; i++)
			retry(s, &s->front->queue[q]);
	if (ops->busy(s->ax.reuse)) {
		ops->tick(s->ax.reuse, 1);
		s->moved = true;
	}
}

/* n cycles of a queue that `ports` schedulers ask for. */
static void turn(struct sm *s, struct flight_queue *q, unsigned ports, cycle n)
{
	const unsigned waiting = q->n;
	unsigned pending = 0;
	cycle turns;

	if (!waiting)
		return;
	for (unsigned i = 0; i < waiting; i++)
		pending += s->flight[q->v[(q->head + i) & q->mask]].verdict == REUSE_PENDING;
	turns = n * (waiting < ports ? waiting : ports);
	s->st.reuse_retries += turns / waiting * pending;
	for (turns %= waiting; turns; turns--) {
		const unsigned x = queue_pop(q);

		s->st.reuse_retries += s->flight[x].verdict == REUSE_PENDING;
		queue_push(q, x);
	}
}

void front_idle(struct sm *s, cycle n)
{
	struct front *f = s->front;

	for (unsigned q = 0; q < f->queues; q++)
		turn(s, &f->queue[q], f->ports / f->queues, n);
}

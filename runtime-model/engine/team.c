/* Threads that share out the CTAs of a launch, where their order cannot show (order.c).
 *
 * A member takes one CTA after the other and executes it to its end, in visits as the canonical order has them; so what
 * a CTA does does not depend on the number of members, and registers of one CTA stay in the cache. Each has a copy of
 * the engine with its own place, counts, diagnostics and guesses, and shares the rest, which nobody changes. The first
 * member is the launch's own engine; the others begin when it has executed SOLO_INSNS and, by what its CTAs took,
 * REST_INSNS are left to begin, so that a small launch starts no threads: until one runs, and until the last has ended,
 * may take a millisecond where processors are busy.
 *
 * The lowest CTA that fails is the one reported: members drop CTAs above it and finish those below.
 *
 * A CTA may wait for another that has not begun, by loads which look like any others, or for ever. A member that
 * executes for long without that anything begins or ends stops the team; then one thread looks whether it is a
 * livelock, in the canonical order and with all CTAs in flight that the window holds, and the team goes on with these
 * if it is not. */
#include "runtime-model/engine/core.h"

#include "analyzer/base/stack.h"

#include <signal.h>
#include <string.h>

enum { SOLO_INSNS = 1 << 14, REST_INSNS = 1 << 16, PATIENCE = 1 << 22, REPORT_INSNS = 1 << 17 };

struct member {
	struct engine *e; /* the launch's own, or `own` */
	struct engine own;
	struct team *team;
	pthread_t thread;
	bool started;
	unsigned turn, live;      /* the slot to visit next; slots in use */
	uint64_t events, look_at; /* at the last look; instruction at which to look again */
	struct diag d;
	uint64_t fault_cta; /* its lowest that has failed, or UINT64_MAX; what, and the diagnostic */
	struct launch_fault fault;
	const char *message;
	_Alignas(64) atomic_ullong insns, done; /* as far as it has come */
};

struct team {
	struct engine *e;
	unsigned n, window; /* window: CTAs in flight while a livelock is looked for */
	uint64_t solo_until;
	_Alignas(64) atomic_ullong next;      /* CTA to begin */
	_Alignas(64) atomic_ullong fault_cta; /* the lowest that has failed */
	atomic_bool halt;
	struct member member[];
};

/* ---- slots ---- */
static void make_slots(struct engine *e, unsigned n)
{
	struct cta *old = e->cta;

	if (n <= e->window && old)
		return;
	e->cta = new_array(&e->a, struct cta, n);
	if (old)
		memcpy(e->cta, old, e->window * sizeof *old);
	for (unsigned s = old ? e->window : 0; s < n; s++)
		e->cta[s].index = UINT64_MAX;
	e->window = n;
}

static struct cta *free_slot(struct engine *e)
{
	unsigned s = 0;

	while (s < e->window && e->cta[s].index != UINT64_MAX)
		s++;
	if (s == e->window)
		make_slots(e, s * 2);
	return &e->cta[s];
}

static void move_cta(struct engine *to, struct cta *c)
{
	struct cta *slot = free_slot(to), old = *slot;

	*slot = *c;
	*c = old;
}

/* A copy of the first member's engine, which is between two visits. */
static void make_copy(struct member *m)
{
	struct engine *own = &m->own;
	const struct engine *e = m->team->e;

	if (m->e)
		return;
	memcpy(own, e, sizeof *own);
	own->a = device_spare(e->dev, (unsigned)(m - m->team->member));
	own->d = &m->d;
	own->counts = (struct engine_counts){ 0 };
	own->done_ctas = own->events = 0;
	own->prog.mem = new_array(&own->a, struct xmem, e->prog.nmem + 1);
	if (e->prog.nmem)
		memcpy(own->prog.mem, e->prog.mem, e->prog.nmem * sizeof *e->prog.mem);
	own->team = NULL;
	own->cta = NULL;
	own->window = 0;
	make_slots(own, 1);
	m->e = own;
	m->look_at = own->patience;
}

/* ---- a member's work ---- */
static void *work_on_thread(void *member);

static void start_others(struct team *t)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's own threads' */
	for (unsigned i = 1; i < t->n; i++)
		if (!t->member[i].started) {
			make_copy(&t->member[i]);
			t->member[i].started = stack_thread(&t->member[i].thread, work_on_thread, &t->member[i]);
		}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	t->solo_until = UINT64_MAX;
}

static bool begin(struct member *m, struct cta *c)
{
	struct team *t = m->team;
	uint64_t n = atomic_load_explicit(&t->next, memory_order_relaxed);

	if (n >= t->e->ctas || n >= atomic_load_explicit(&t->fault_cta, memory_order_relaxed))
		return false;
	n = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
	if (n >= t->e->ctas)
		return false;
	m->e->next_cta = n;
	cta_start(m->e, c);
	m->live++;
	return true;
}

static void note_fault(struct member *m, uint64_t cta)
{
	unsigned long long lowest = atomic_load(&m->team->fault_cta);

	if (cta < m->fault_cta) {
		m->fault_cta = cta;
		m->fault = m->e->fault;
		m->message = arena_strndup(&m->e->a, m->d.last, strlen(m->d.last));
	}
	while (cta < lowest && !atomic_compare_exchange_weak(&m->team->fault_cta, &lowest, cta))
		;
	diag_free(&m->d);
	diag_init(&m->d, NULL);
	m->e->fault = (struct launch_fault){ 0 };
	atomic_store(&m->e->failed, false);
}

/* Of the first member. */
static void report_progress(struct member *m)
{
	struct team *t = m->team;
	struct engine_progress p = { .ctas = t->e->ctas };

	for (unsigned i = 0; i < t->n; i++) {
		p.warp_insns += atomic_load_explicit(&t->member[i].insns, memory_order_relaxed);
		p.ctas_done += atomic_load_explicit(&t->member[i].done, memory_order_relaxed);
	}
	if (p.warp_insns - m->e->reported < REPORT_INSNS)
		return;
	m->e->reported = p.warp_insns;
	m->e->opt.progress(m->e->opt.progress_ctx, &p);
}

/* Whether what the others could take off the first member is worth their start. */
static bool worth_it(const struct team *t)
{
	const struct engine *e = t->e;
	uint64_t next = atomic_load_explicit(&t->next, memory_order_relaxed),
		 rest = next < e->ctas ? e->ctas - next : 0;

	return e->opt.alone || e->counts.warp_insns / (e->done_ctas + 1) >= REST_INSNS / (rest + 1);
}

static void after_visit(struct member *m)
{
	struct engine *e = m->e;

	atomic_store_explicit(&m->insns, e->counts.warp_insns, memory_order_relaxed);
	atomic_store_explicit(&m->done, e->done_ctas, memory_order_relaxed);
	if (e == m->team->e && e->opt.progress)
		report_progress(m);
	if (e == m->team->e && e->counts.warp_insns >= m->team->solo_until && worth_it(m->team))
		start_others(m->team);
	if (e->counts.warp_insns < m->look_at)
		return;
	if (m->events == e->events)
		atomic_store(&m->team->halt, true);
	m->events = e->events;
	m->look_at = e->counts.warp_insns + e->patience;
}

static void work(struct member *m)
{
	struct team *t = m->team;
	struct engine *e = m->e;

	while (!atomic_load_explicit(&t->halt, memory_order_relaxed)) {
		struct cta *c = &e->cta[m->turn];
		uint64_t cta;

		m->turn = m->turn + 1 >= e->window ? 0 : m->turn + 1;
		if (stop_asked(e->opt.stop)) {
			e->stopped = STOP_ASKED;
			atomic_store(&t->halt, true);
			return;
		}
		if (c->index == UINT64_MAX && (m->live || !begin(m, c))) {
			if (m->live)
				continue;
			return;
		}
		cta = c->index;
		if (cta < atomic_load_explicit(&t->fault_cta, memory_order_relaxed)) {
			cta_visit(e, c);
			if (atomic_load_explicit(&e->failed, memory_order_relaxed))
				note_fault(m, cta);
		}
		if (cta >= atomic_load_explicit(&t->fault_cta, memory_order_relaxed))
			c->index = UINT64_MAX;
		m->live -= c->index == UINT64_MAX;
		after_visit(m);
	}
}

static void *work_on_thread(void *member)
{
	work(member);
	return NULL;
}

/* ---- the team ---- */
/* What the others have counted and left in flight comes to the launch's own engine. */
static void gather(struct team *t)
{
	struct engine *e = t->e;

	for (unsigned i = 1; i < t->n; i++) {
		struct member *m = &t->member[i];

		if (!m->e)
			continue;
		if (m->started)
			pthread_join(m->thread, NULL);
		m->started = false;
		e->counts.warp_insns += m->e->counts.warp_insns;
		e->counts.thread_insns += m->e->counts.thread_insns;
		e->counts.branches += m->e->counts.branches;
		e->counts.divergent += m->e->counts.divergent;
		e->done_ctas += m->e->done_ctas;
		e->events += m->e->events;
		e->stopped = e->stopped ? e->stopped : m->e->stopped;
		m->e->counts = (struct engine_counts){ 0 };
		m->e->done_ctas = m->e->events = 0;
		atomic_store(&m->insns, 0);
		atomic_store(&m->done, 0);
		for (unsigned s = 0; m->live; s++)
			if (m->e->cta[s].index != UINT64_MAX) {
				move_cta(e, &m->e->cta[s]);
				m->live--;
			}
	}
	atomic_store(&t->member[0].insns, e->counts.warp_insns);
	atomic_store(&t->member[0].done, e->done_ctas);
}

/* What is in flight, in turn to each. */
static void deal(struct team *t)
{
	struct engine *e = t->e;
	unsigned to = 0;

	for (unsigned s = 0; s < e->window; s++) {
		struct member *m = &t->member[to % t->n];

		if (e->cta[s].index == UINT64_MAX)
			continue;
		make_copy(m);
		if (to % t->n)
			move_cta(m->e, &e->cta[s]);
		m->live++;
		to++;
	}
	for (unsigned i = 0; i < t->n; i++) {
		struct member *m = &t->member[i];

		if (!m->e)
			continue;
		m->turn = 0;
		m->e->patience = e->patience;
		m->events = m->e->events;
		m->look_at = m->e->counts.warp_insns + e->patience;
	}
	t->solo_until = UINT64_MAX;
	if (t->n > 1 && to < 2)
		t->solo_until = e->counts.warp_insns + (e->opt.alone ? e->opt.alone : SOLO_INSNS);
	if (t->n > 1 && to >= 2)
		start_others(t);
}

static bool report_fault(struct team *t, struct diag *d)
{
	const struct member *m = NULL;

	for (unsigned i = 0; i < t->n; i++)
		if (t->member[i].message && (!m || t->member[i].fault_cta < m->fault_cta))
			m = &t->member[i];
	if (!m)
		return false;
	t->e->fault = m->fault;
	atomic_store(&t->e->failed, true);
	diag_replay(d, m->message, 1);
	return true;
}

/* One thread, in the canonical order, until it is known whether anything can still change. */
static void look_for_livelock(struct team *t)
{
	struct engine *e = t->e;
	uint64_t next = atomic_load(&t->next);

	make_slots(e, t->window);
	e->turn = 0;
	e->next_cta = next < e->ctas ? next : e->ctas;
	for (unsigned i = 0; i < e->window && e->next_cta < e->ctas; i++)
		if (e->cta[i].index == UINT64_MAX)
			cta_start(e, &e->cta[i]);
	livelock_begin(e);
	while (e->livelock && engine_advance(e))
		;
	atomic_store(&t->next, e->next_cta);
	t->member[0].live = 0;
}

bool team_run(struct engine *e)
{
	struct team *t = e->team;
	struct diag *d = e->d;

	e->limit = UINT64_MAX;
	while (e->done_ctas < e->ctas && !e->stopped && !atomic_load(&e->failed)) {
		atomic_store(&t->halt, false);
		deal(t);
		e->d = &t->member[0].d;
		work(&t->member[0]);
		e->d = d;
		t->member[0].live = 0;
		gather(t);
		if (report_fault(t, d) || e->stopped || e->done_ctas == e->ctas)
			break;
		look_for_livelock(t);
	}
	return !atomic_load(&e->failed) && !e->stopped;
}

void team_new(struct engine *e, unsigned threads)
{
	struct team *t;

	threads = threads < e->ctas ? threads : (unsigned)e->ctas;
	t = arena_alloc(&e->a, sizeof *t + threads * sizeof *t->member, 64);
	t->e = e;
	t->n = threads;
	t->window = e->window;
	atomic_store(&t->fault_cta, UINT64_MAX);
	e->window = 0;
	make_slots(e, 1);
	e->patience = e->opt.patience ? e->opt.patience : PATIENCE;
	for (unsigned i = 0; i < threads; i++) {
		struct member *m = &t->member[i];

		m->team = t;
		m->fault_cta = UINT64_MAX;
		m->e = i ? NULL : e;
		diag_init(&m->d, NULL);
	}
	e->team = t;
}

void team_free(struct engine *e)
{
	for (unsigned i = 0; e->team && i < e->team->n; i++) {
		diag_free(&e->team->member[i].d);
		if (i && e->team->member[i].e)
			device_give_spare(e->dev, i, e->team->member[i].own.a);
	}
}

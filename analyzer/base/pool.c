/* A ticket hands out the tasks: how many there are and the next one, in one word, so that a thread that comes late
 * takes a task of the run that is on, or none. The caller waits for tasks, not for threads: one that the system has put
 * aside holds nobody up. Threads without work spin for some microseconds and then sleep. */
#include "analyzer/base/pool.h"
#include "analyzer/base/stack.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { SPINS = 2000, TRIAL = 4, APART_MIN = 32, APART_MAX = 1024 };

/* Nanoseconds for a unit of work with and without threads, decaying averages. Every `apart` runs TRIAL of them are made
 * the slower way; that is twice as seldom each time it stays the slower one. */
enum way { ALONE, SHARED };
struct pace {
	double ns[2];
	unsigned run, apart;
};

struct pool {
	pool_task *task;
	void *ctx;
	struct pace pace;                         /* caller only */
	atomic_uint_fast64_t work;                /* of this run */
	_Alignas(64) atomic_uint_fast64_t ticket; /* tasks (32, high) | next */
	_Alignas(64) atomic_uint done;
	_Alignas(64) atomic_uint run; /* runs begun */
	bool stop;                    /* under lock */
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	unsigned started;
	pthread_t thread[];
};

unsigned pool_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void work(struct pool *p)
{
	for (;;) {
		uint64_t t = atomic_fetch_add_explicit(&p->ticket, 1, memory_order_acq_rel);
		unsigned n = (unsigned)(t >> 32), i = (unsigned)t;

		if (i >= n)
			return;
		atomic_fetch_add_explicit(&p->work, p->task(p->ctx, i), memory_order_relaxed);
		if (atomic_fetch_add_explicit(&p->done, 1, memory_order_acq_rel) + 1 == n) {
			pthread_mutex_lock(&p->lock);
			pthread_cond_signal(&p->ended);
			pthread_mutex_unlock(&p->lock);
		}
	}
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	unsigned seen = 0;
	bool stop = false;

	while (!stop) {
		for (unsigned i = 0; i < SPINS && atomic_load_explicit(&p->run, memory_order_acquire) == seen; i++)
			relax();
		pthread_mutex_lock(&p->lock);
		while (atomic_load_explicit(&p->run, memory_order_acquire) == seen && !p->stop)
			pthread_cond_wait(&p->begun, &p->lock);
		seen = atomic_load_explicit(&p->run, memory_order_acquire);
		stop = p->stop;
		pthread_mutex_unlock(&p->lock);
		if (!stop)
			work(p);
	}
	return NULL;
}

struct pool *pool_new(struct arena *a, unsigned threads, pool_task *task, void *ctx)
{
	struct pool *p;

	if (threads < 2)
		return NULL;
	p = arena_alloc(a, sizeof *p + threads * sizeof *p->thread, _Alignof(struct pool));
	p->task = task;
	p->ctx = ctx;
	p->pace.apart = APART_MIN;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->begun, NULL);
	pthread_cond_init(&p->ended, NULL);
	while (p->started + 1 < threads && stack_thread(&p->thread[p->started], worker, p))
		p->started++;
	if (p->started)
		return p;
	pool_free(p);
	return NULL;
}

static void run_shared(struct pool *p, unsigned n)
{
	atomic_store_explicit(&p->done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->ticket, (uint64_t)n << 32, memory_order_release);
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add_explicit(&p->run, 1, memory_order_release);
	pthread_cond_broadcast(&p->begun);
	pthread_mutex_unlock(&p->lock);
	work(p);
	for (unsigned i = 0; i < SPINS && atomic_load_explicit(&p->done, memory_order_acquire) < n; i++)
		relax();
	pthread_mutex_lock(&p->lock);
	while (atomic_load_explicit(&p->done, memory_order_acquire) < n)
		pthread_cond_wait(&p->ended, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static void run_alone(struct pool *p, unsigned n)
{
	uint64_t work = 0;

	for (unsigned i = 0; i < n; i++)
		work += p->task(p->ctx, i);
	atomic_store_explicit(&p->work, work, memory_order_relaxed);
}

static enum way choose(struct pace *c)
{
	enum way slower = c->ns[ALONE] > c->ns[SHARED] ? ALONE : SHARED;

	if (!c->ns[SHARED] || !c->ns[ALONE])
		return !c->ns[SHARED] ? SHARED : ALONE;
	if (++c->run < c->apart)
		return slower == ALONE ? SHARED : ALONE;
	if (c->run < c->apart + TRIAL)
		return slower;
	c->run = 0;
	c->apart = c->apart < APART_MAX ? c->apart * 2 : APART_MAX;
	return slower;
}

static double nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void pool_run(struct pool *p, unsigned n)
{
	struct pace *c = &p->pace;
	enum way way = choose(c), faster = c->ns[ALONE] < c->ns[SHARED] ? ALONE : SHARED;
	double from = nanoseconds(), work, ns;

	atomic_store_explicit(&p->work, 0, memory_order_relaxed);
	(way == SHARED ? run_shared : run_alone)(p, n);
	work = (double)atomic_load_explicit(&p->work, memory_order_relaxed);
	if (!work)
		return;
	ns = (nanoseconds() - from) / work;
	c->ns[way] = c->ns[way] ? 0.75 * c->ns[way] + 0.25 * ns : ns;
	if ((c->ns[ALONE] < c->ns[SHARED] ? ALONE : SHARED) != faster)
		c->apart = APART_MIN;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->begun);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->started; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->ended);
	pthread_cond_destroy(&p->begun);
	pthread_mutex_destroy(&p->lock);
}

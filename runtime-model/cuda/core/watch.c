/* A launch while it runs: how far it is, on a terminal, and what is known when SIGINT, SIGTERM or SIGHUP ends the
 * program. A thread of its own does both, since a handler may do next to nothing, and the thread that launches is
 * busy. The signal then ends the process as if nobody had handled it. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/base/stack.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock; /* of what follows, and of all that a report is made of */
	pthread_t thread;
	_Atomic pid_t owner;         /* whose thread it is: a forked child has none; 0: there is none */
	struct own from, to;         /* a pipe to the thread: the number of a signal, 0 to end */
	const struct cu_function *f; /* that runs; NULL: none does */
	const struct cu_launch *l;
	uint64_t number, since;         /* ns of the host */
	bool shown;                     /* a line stands on the terminal */
	int signal;                     /* that came */
	int stop;                       /* 0, or the limit that is reached, its number in limits[] + 1 */
	uint64_t spent_ns, spent_insns; /* of the launches before */
	_Atomic uint64_t ctas_done, ctas, warp_insns;
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

void watch_hold(void) { pthread_mutex_lock(&watch.lock); }
void watch_release(void) { pthread_mutex_unlock(&watch.lock); }

/* ---- limits ---- */
static const struct {
	enum cuda_option id;
	bool all, time;
} limits[] = {
	{ CUDA_OPT_MAX_LAUNCH_INSNS, false, false },
	{ CUDA_OPT_MAX_LAUNCH_SECONDS, false, true },
	{ CUDA_OPT_MAX_TOTAL_INSNS, true, false },
	{ CUDA_OPT_MAX_TOTAL_SECONDS, true, true },
};

/* Raises the flag if the launch that runs has come to one. */
static void look(void)
{
	const uint64_t ns = clock_ns() - watch.since, insns = watch.warp_insns;

	for (int i = 0; i < (int)(sizeof limits / sizeof *limits); i++) {
		const uint64_t spent = limits[i].time ? watch.spent_ns : watch.spent_insns,
			       before = limits[i].all ? spent : 0;
		const uint64_t most = process.opt.number[limits[i].id];
		const uint64_t done = limits[i].time ? (ns + before) / 1000000000 : insns + before;
		int none = 0;

		if (most && done >= most)
			__atomic_compare_exchange_n(&watch.stop, &none, i + 1, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	}
}

stop_flag watch_flag(void) { return &watch.stop; }

const char *watch_limit(struct arena *a)
{
	const int i = __atomic_load_n(&watch.stop, __ATOMIC_RELAXED) - 1;

	if (i < 0)
		return NULL;
	return arena_printf(a,
			    "the limit of %" PRIu64 " %s for %s is reached, with %" PRIu64 " of %" PRIu64 " CTAs done; "
			    "--%s N sets another, 0 none",
			    process.opt.number[limits[i].id], limits[i].time ? "s" : "warp instructions",
			    limits[i].all ? "all launches of a process" : "a launch", (uint64_t)watch.ctas_done,
			    (uint64_t)watch.ctas, cuda_option_name(limits[i].id));
}

/* ---- loops of graphs ---- */
void watch_loop_begin(struct watch_loop *l)
{
	watch_hold();
	*l = (struct watch_loop){ clock_ns(), watch.spent_insns, 0 };
	watch_release();
}

/* The limit that it has come to, its number in limits[]; -1: none. */
static int loop_limit(const struct watch_loop *l)
{
	uint64_t insns;

	watch_hold();
	insns = watch.spent_insns - l->insns;
	watch_release();
	for (int i = 0; i < (int)(sizeof limits / sizeof *limits); i++) {
		const uint64_t most = process.opt.number[limits[i].id];
		const uint64_t done = limits[i].time ? (clock_ns() - l->since) / 1000000000 : insns;

		if (!limits[i].all && most && done >= most)
			return i;
	}
	return -1;
}

enum cu_status watch_loop_again(struct watch_loop *l, bool idle)
{
	const int limit = loop_limit(l);
	enum cu_status s;

	l->rounds++;
	if (limit < 0 && !idle)
		return CU_OK;
	s = enter();
	if (s)
		return s;
	if (idle)
		say("error: a WHILE node of a graph has no end: its body launches no kernel, which alone could set its "
		    "condition to 0");
	else
		say("error: a WHILE node of a graph is stopped after %" PRIu64 " rounds: the limit of %" PRIu64
		    " %s for a launch is reached; --%s N sets another, 0 none",
		    l->rounds, process.opt.number[limits[limit].id], limits[limit].time ? "s" : "warp instructions",
		    cuda_option_name(limits[limit].id));
	process.sticky = CU_LAUNCH_TIMEOUT;
	process.cut |= !idle;
	return leave(CU_LAUNCH_TIMEOUT);
}

static void progress(uint64_t done, uint64_t ctas, uint64_t warp_insns)
{
	atomic_store_explicit(&watch.ctas_done, done, memory_order_relaxed);
	atomic_store_explicit(&watch.ctas, ctas, memory_order_relaxed);
	atomic_store_explicit(&watch.warp_insns, warp_insns, memory_order_relaxed);
	look();
}

void watch_executing(void *none, const struct engine_progress *p)
{
	(void)none;
	progress(p->ctas_done, p->ctas, p->warp_insns);
}

void watch_timing(void *none, const struct sim_progress *p)
{
	(void)none;
	progress(p->ctas_done, p->ctas, p->warp_insns);
}

/* ---- what is said ---- */
enum { FIRST_SECONDS = 1, REDRAW_MS = 250, LOOK_MS = 500 };

static double seconds_running(void) { return (double)(clock_ns() - watch.since) / 1e9; }

static void draw(void)
{
	const uint64_t ctas = watch.ctas;
	struct arena a;

	if (!watch.f || seconds_running() < FIRST_SECONDS)
		return;
	arena_init(&a);
	fprintf(stderr, "\r%.40s (launch %" PRIu64 "): %.0f%% of its CTAs, %.1f M warp instructions, %.0f s\033[K",
		kernel_name(watch.f->name, &a), watch.number, ctas ? 100 * (double)watch.ctas_done / (double)ctas : 0,
		(double)watch.warp_insns / 1e6, seconds_running());
	fflush(stderr);
	arena_free(&a);
	watch.shown = true;
}

static void erase(void)
{
	if (watch.shown)
		fputs("\r\033[K", stderr);
	watch.shown = false;
}

void watch_say(FILE *f)
{
	struct arena a;

	if (!watch.signal)
		return;
	arena_init(&a);
	fprintf(f, "\n  stopped by SIG%s", sigabbrev_np(watch.signal));
	if (watch.f)
		fprintf(f,
			" in launch %" PRIu64 ", of %s, which had run for %.1f s: %" PRIu64 " of %" PRIu64
			" CTAs, %.1f M warp instructions; what it wrote is lost, and nothing above counts it",
			watch.number, kernel_name(watch.f->name, &a), seconds_running(), (uint64_t)watch.ctas_done,
			(uint64_t)watch.l->grid[0] * watch.l->grid[1] * watch.l->grid[2],
			(double)watch.warp_insns / 1e6);
	fputc('\n', f);
	arena_free(&a);
}

/* ---- the thread ---- */
static void end_by(int sig)
{
	sigset_t s;

	watch.signal = sig;
	erase();
	if (watch.f)
		report_interrupted(watch.f, watch.l, watch.number, seconds_running(), watch.warp_insns, sig);
	report_end(false);
	signal(sig, SIG_DFL);
	sigemptyset(&s);
	sigaddset(&s, sig);
	pthread_sigmask(SIG_UNBLOCK, &s, NULL);
	raise(sig);
}

static void *run(void *none)
{
	const bool shows = isatty(STDERR_FILENO) && process.opt.wrapped && !process.opt.given[CUDA_OPT_QUIET];
	struct pollfd p = { .fd = watch.from.fd, .events = POLLIN };

	uselocale(process.plain);
	for (;;) {
		const int n = poll(&p, 1, shows ? REDRAW_MS : LOOK_MS);
		unsigned char sig = 0;

		if (n > 0 && (!own_is(&watch.from) || read(watch.from.fd, &sig, 1) != 1 || !sig))
			return none;
		watch_hold();
		if (sig)
			end_by(sig);
		if (watch.f)
			look();
		if (shows)
			draw();
		watch_release();
	}
}

static void on_signal(int sig)
{
	static volatile sig_atomic_t again;
	const unsigned char byte = (unsigned char)sig;

	if (!again && atomic_load(&watch.owner) == getpid() && own_is(&watch.to) && own_is(&watch.from) &&
	    write(watch.to.fd, &byte, 1) == 1) {
		again = 1;
		return;
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

void watch_start(void)
{
	static const int sig[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction s = { .sa_flags = SA_RESTART }, now;

	s.sa_handler = on_signal;
	sigemptyset(&s.sa_mask);
	for (unsigned i = 0; i < sizeof sig / sizeof *sig; i++)
		if (sigaction(sig[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
			sigaction(sig[i], &s, NULL);
}

/* Once in each process; without it there is neither a line nor a table on a signal. Signals are for the program's
 * threads. */
static void need_thread(void)
{
	sigset_t all, before;
	int ends[2];

	if (watch.owner == getpid())
		return;
	watch.owner = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	own_set(&watch.from, ends[0]);
	own_set(&watch.to, ends[1]);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (stack_thread(&watch.thread, run, NULL))
		watch.owner = getpid();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void watch_begin(const struct cu_function *f, const struct cu_launch *l, uint64_t number)
{
	need_thread();
	watch_hold();
	watch.f = f;
	watch.l = l;
	watch.number = number;
	watch.since = clock_ns();
	__atomic_store_n(&watch.stop, 0, __ATOMIC_RELAXED);
	progress(0, (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], 0);
	watch_release();
}

void watch_end(uint64_t warp_insns)
{
	watch_hold();
	watch.spent_ns += clock_ns() - watch.since;
	watch.spent_insns += warp_insns;
	erase();
	watch.f = NULL;
	watch_release();
}

void watch_stop(void)
{
	const unsigned char end = 0;

	if (watch.owner == getpid() && own_is(&watch.to) && own_is(&watch.from) && write(watch.to.fd, &end, 1) == 1)
		pthread_join(watch.thread, NULL);
	watch.owner = 0;
}

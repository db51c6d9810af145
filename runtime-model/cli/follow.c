#include "runtime-model/cli/follow.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static volatile sig_atomic_t asked;     /* the signal that came; a handler has nothing else to write to */
_Static_assert(sizeof asked == sizeof(int), "a stop flag is an int");

#define REDRAW_SECONDS 0.2

static double since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static const char *duration(char text[32], double s)
{
	if (s < 100)
		snprintf(text, 32, "%.0f s", s);
	else if (s < 6000)
		snprintf(text, 32, "%.0f min", s / 60);
	else
		snprintf(text, 32, "%.1f h", s / 3600);
	return text;
}

/* The rest takes as long for its share as what has been done. */
static void add_estimate(char *line, size_t room, const char *what, double seconds, double share)
{
	size_t n = strlen(line);
	char text[32];

	if (share > 0 && share < 1 && seconds > 1)
		snprintf(line + n, room - n, ", %s%s left", what, duration(text, seconds * (1 - share) / share));
}

static unsigned columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void draw(struct follow *w, const struct run_progress *p)
{
	static const char *const part[] = { [RUN_MAIN] = "", [RUN_POISON] = "checking: " };
	double t = since(&w->part_start), share = p->ctas ? (double)p->ctas_done / (double)p->ctas : 0;
	char line[400];
	int n;

	n = snprintf(line, sizeof line, "%s%.40s", part[p->part], p->kernel);
	if (p->launches_done)
		n += snprintf(line + n, sizeof line - (size_t)n, " (launch %llu)", (unsigned long long)p->launches_done + 1);
	if (p->ctas)
		n += snprintf(line + n, sizeof line - (size_t)n, ": %.0f%% of its CTAs", 100 * share);
	n += snprintf(line + n, sizeof line - (size_t)n, ", %.1f M instructions", (double)p->warp_insns / 1e6);
	if (p->cycles)
		n += snprintf(line + n, sizeof line - (size_t)n, ", %.2f M cycles", (double)p->cycles / 1e6);
	if (t > 0)
		n += snprintf(line + n, sizeof line - (size_t)n, ", %.1f M/s", (double)p->warp_insns / t / 1e6);
	(void)n;
	if (p->share >= 0)
		add_estimate(line, sizeof line, "", t, p->share);
	else
		add_estimate(line, sizeof line, "of this launch ", since(&w->launch_start), share);
	fprintf(stderr, "\r%.*s\033[K", (int)columns() - 1, line);
	fflush(stderr);
	w->shown = true;
}

static void progress(void *ctx, const struct run_progress *p)
{
	struct follow *w = ctx;

	if (!p->ctas || p->part != w->part) {
		clock_gettime(CLOCK_MONOTONIC, &w->launch_start);
		if (p->part != w->part)
			w->part_start = w->launch_start;
		w->part = p->part;
	}
	if (since(&w->drawn) < REDRAW_SECONDS)
		return;
	clock_gettime(CLOCK_MONOTONIC, &w->drawn);
	draw(w, p);
}

static void on_signal(int s)
{
	asked = s;
}

static void handle(void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags }, old;
	static const int signals[] = { SIGINT, SIGTERM };

	sigemptyset(&a.sa_mask);
	for (unsigned i = 0; i < 2; i++)        /* one that is ignored stays ignored, as nohup and shells want it */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &a, NULL);
}

void follow_begin(struct follow *w, const struct options *args, struct run_options *o)
{
	*w = (struct follow){ .terminal = isatty(STDERR_FILENO) == 1 };
	clock_gettime(CLOCK_MONOTONIC, &w->start);
	w->drawn = w->part_start = w->launch_start = w->start;
	if (w->terminal) {
		o->progress = progress;
		o->progress_ctx = w;
	}
	o->max_insns = args->number[OPT_MAX];
	o->max_cycles = args->number[OPT_MAX_CYCLES];
	o->guard_insns = given(args, OPT_MAX) ? 0 : RUN_GUARD_INSNS;
	o->stop = &asked;
	handle(on_signal, (int)SA_RESETHAND | SA_RESTART);
}

void follow_end(struct follow *w)
{
	handle(SIG_DFL, 0);
	if (w->shown)
		fputs("\r\033[K", stderr);
}

int follow_verdict(const struct run *r, struct arena *a)
{
	const struct run_stop *s = &r->stop;
	bool guard = s->guard && s->at.why == STOP_INSNS;

	if (!s->at.why)
		return EXIT_FINE;
	fprintf(stderr, "sm-model: stopped: %s%s%s%s\n", run_stop_text(r, a), guard ? "; --max-insns N sets another limit, 0 none" : "",
	        *s->at.where ? "; " : "", s->at.where);
	return s->at.why == STOP_ASKED ? EXIT_SIGNAL + asked : guard ? EXIT_INPUT : EXIT_FINE;
}

double follow_seconds(const struct follow *w) { return since(&w->start); }

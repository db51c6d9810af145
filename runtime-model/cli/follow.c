#include "runtime-model/cli/follow.h"
#include "analyzer/base/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

static size_t columns(void)
{
	const char *said = getenv("COLUMNS");
	unsigned long n = said ? strtoul(said, NULL, 10) : 0;
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		n = size.ws_col;
	return n > 1 ? n : 80;
}

/* The parts of the line in their order. Where there is no room for all, those of the least weight go first. */
enum part { PART_KERNEL, PART_LAUNCH, PART_CTAS, PART_INSNS, PART_CYCLES, PART_RATE, PART_LEFT, PARTS };
static const unsigned char weight[PARTS] = {
	[PART_LAUNCH] = 1, [PART_CYCLES] = 2, [PART_INSNS] = 3, [PART_KERNEL] = 4,
	[PART_RATE] = 5,   [PART_LEFT] = 6,   [PART_CTAS] = 7,
};
struct parts {
	char text[PARTS][80];
};

/* Into `line`, of `room` bytes: the text and its end. */
static void put_line(char *line, size_t room, struct parts *p)
{
	size_t n = 0;

	for (;;) {
		unsigned least = PARTS, left = 0;

		n = 0;
		for (unsigned i = 0; i < PARTS; i++) {
			if (!*p->text[i])
				continue;
			n += strlen(p->text[i]) + (n && i != PART_LAUNCH ? 2 : 0);
			least = least == PARTS || weight[i] < weight[least] ? i : least;
			left++;
		}
		if (n < room || left <= 1)
			break;
		*p->text[least] = 0;
	}
	*line = 0;
	n = 0;
	for (unsigned i = 0; i < PARTS && n < room; i++) {
		const char *gap = i == PART_CTAS ? ": " : ", ";

		if (i == PART_LAUNCH)
			gap = "";
		if (*p->text[i])
			n += (size_t)snprintf(line + n, room - n, "%s%s", n ? gap : "", p->text[i]);
	}
}

/* The rest takes as long for its share as what has been done. */
static void estimate(struct parts *l, const char *what, double seconds, double share)
{
	char text[32];

	if (share > 0 && share < 1 && seconds > 1)
		snprintf(l->text[PART_LEFT], sizeof l->text[0], "%s%s left", what,
			 duration(text, seconds * (1 - share) / share));
}

static void draw(struct follow *w, const struct run_progress *p)
{
	static const char *const part[] = {
		[RUN_MAIN] = "", [RUN_POISON] = "checking: ", [RUN_PROFILE] = "counting: "
	};
	double t = since(&w->part_start), share = p->ctas ? (double)p->ctas_done / (double)p->ctas : 0;
	struct parts l = { 0 };
	char line[400];
	size_t room = columns();

	snprintf(l.text[PART_KERNEL], sizeof l.text[0], "%s%.40s", part[p->part], p->kernel);
	if (p->launches_done)
		snprintf(l.text[PART_LAUNCH], sizeof l.text[0], " (launch %llu)",
			 (unsigned long long)p->launches_done + 1);
	if (p->ctas)
		snprintf(l.text[PART_CTAS], sizeof l.text[0], "%.0f%% of its CTAs", 100 * share);
	snprintf(l.text[PART_INSNS], sizeof l.text[0], "%.1f M instructions", (double)p->warp_insns / 1e6);
	if (p->cycles)
		snprintf(l.text[PART_CYCLES], sizeof l.text[0], "%.2f M cycles", (double)p->cycles / 1e6);
	if (t > 0)
		snprintf(l.text[PART_RATE], sizeof l.text[0], "%.1f M/s", (double)p->warp_insns / t / 1e6);
	if (p->share >= 0)
		estimate(&l, "", t, p->share);
	else
		estimate(&l, "of this launch ", since(&w->launch_start), share);
	put_line(line, room < sizeof line ? room : sizeof line, &l);
	fprintf(stderr, "\r%s\033[K", line);
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
	o->guard_all = given(args, OPT_MAX) ? 0 : RUN_GUARD_ALL;
	o->stop = signals_ask(false);
}

void follow_end(struct follow *w)
{
	signals_end();
	if (w->shown)
		fputs("\r\033[K", stderr);
}

int follow_verdict(const struct run *r, struct arena *a)
{
	const struct run_stop *s = &r->stop;
	bool guard = s->guard && s->at.why == STOP_INSNS;

	if (!s->at.why)
		return EXIT_FINE;
	fprintf(stderr, "sm-model: stopped: %s%s%s\n", run_stop_text(r, a),
		guard ? "; --max-insns N sets another limit, 0 none" : "", s->at.where);
	return EXIT_INPUT;
}

double follow_seconds(const struct follow *w) { return since(&w->start); }

/* Places as integer programs: y[t] = 1 if a value stays at least as long as step t says; so y of a step is at most y of
 * the step before; first steps of one value add up to 1 at most; those that take a point to no more than the bank has
 * entries.
 *
 * Where stays are no intervals, that many at each point need not mean that there are entries for them: intervals are
 * perfect graphs, others are not. Then the values that do not fit together become a row, and the program is solved
 * again. In programs one after the other fit is rare; the bound is right without it. All run in one process that ends
 * with the time; it writes what it finds into memory that is shared, and nothing there is believed before it has been
 * checked. */
#include "places.h"
#include "solver.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A problem reduced, with its first choice, and the numbers that its stays and steps had. */
struct both {
	struct places p;
	struct places_choice *choice;
	uint32_t *stay_of, *step_of;
};

/* choice: of its first value, in the shared array */
struct answer {
	int64_t bound;
	size_t choice;
};
struct shared {
	char why[200];
	bool failed;
	struct answer answer[];
};

struct work {
	struct both *both;
	uint32_t n, *order;
	struct shared *shared;
	struct places_choice *choice;
	double seconds;
};

/* ---- one program ---- */

struct rows {
	struct arena *a;
	uint32_t n, cap, nterm, term_cap;
	uint32_t *at, *col, at_cap;
	double *coef, *high;
	uint32_t coef_cap;
};

static void put_term(struct rows *r, uint32_t col, double coef)
{
	arena_grow(r->a, r->col, r->nterm, r->term_cap);
	arena_grow(r->a, r->coef, r->nterm, r->coef_cap);
	r->col[r->nterm] = col;
	r->coef[r->nterm++] = coef;
}

static void end_row(struct rows *r, double high)
{
	arena_grow(r->a, r->high, r->n, r->cap);
	r->high[r->n++] = high;
	arena_grow(r->a, r->at, r->n, r->at_cap);
	r->at[r->n] = r->nterm;
}

static void put_chains(struct rows *r, const struct places *p)
{
	uint32_t *first = new_array(r->a, uint32_t, (size_t)p->nvalue + 1),
		 *next = new_array(r->a, uint32_t, (size_t)p->nstay + 1);

	for (uint32_t s = 0; s < p->nstay; s++)
		for (uint32_t t = p->stay[s].first + 1; t < p->stay[s].first + p->stay[s].n; t++) {
			put_term(r, t, 1);
			put_term(r, t - 1, -1);
			end_row(r, 0);
		}
	for (uint32_t s = p->nstay; s-- > 0;) { /* lists of stays by value; 0: end */
		next[s] = first[p->stay[s].value];
		first[p->stay[s].value] = s + 1;
	}
	for (uint32_t v = 0; v < p->nvalue; v++) {
		if (!first[v] || !next[first[v] - 1])
			continue;
		for (uint32_t s = first[v]; s; s = next[s - 1])
			put_term(r, p->stay[s - 1].first, 1);
		end_row(r, 1);
	}
}

/* Of two neighbours on the line one often takes all that the other does: that one's row says enough. */
static bool within(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb)
{
	uint32_t i = 0;

	for (uint32_t j = 0; i < na && j < nb; j++)
		i += a[i] == b[j];
	return i == na;
}

static void put_capacity(struct rows *r, const struct places *p, uint32_t bank)
{
	uint32_t *at = new_array(r->a, uint32_t, (size_t)p->npoint + 1),
		 *fill = new_array(r->a, uint32_t, (size_t)p->npoint + 1), *of;

#define EACH_POINT(t, i)                                                                                            \
	for (uint32_t s = 0; s < p->nstay; s++)                                                                     \
		for (uint32_t t = p->stay[s].first; p->stay[s].bank == bank && t < p->stay[s].first + p->stay[s].n; \
		     t++)                                                                                           \
			for (uint32_t i = p->step[t].first; i < p->step[t].first + p->step[t].n; i++)
	EACH_POINT(t, i)
	at[p->point[i] + 1]++;
	for (uint32_t i = 0; i < p->npoint; i++) {
		fill[i] = at[i];
		at[i + 1] += at[i];
	}
	of = new_array(r->a, uint32_t, (size_t)at[p->npoint] + 1);
	EACH_POINT(t, i)
	of[fill[p->point[i]]++] = t;
#undef EACH_POINT
	for (uint32_t i = 0; i < p->npoint; i++) {
		uint32_t n = at[i + 1] - at[i], *here = of + at[i];

		if (n <= p->entries[bank])
			continue;
		if (i && at[i] - at[i - 1] >= n && within(here, n, of + at[i - 1], at[i] - at[i - 1]))
			continue;
		if (i + 1 < p->npoint && at[i + 2] - at[i + 1] > n &&
		    within(here, n, of + at[i + 1], at[i + 2] - at[i + 1]))
			continue;
		for (uint32_t j = 0; j < n; j++)
			put_term(r, here[j], 1);
		end_row(r, p->entries[bank]);
	}
}

static int64_t divisor(const struct places *p)
{
	int64_t a = 0;

	for (uint32_t t = 0; t < p->nstep; t++)
		for (int64_t b = p->step[t].gain; b;) {
			int64_t rest = a % b;

			a = b;
			b = rest;
		}
	return a ? a : 1;
}

static void read_solution(const struct places *p, const double *y, struct places_choice *c)
{
	for (uint32_t v = 0; v < p->nvalue; v++)
		c[v].stay = PLACES_NONE;
	for (uint32_t s = 0; s < p->nstay; s++) {
		uint32_t n = 0;

		while (n < p->stay[s].n && y[p->stay[s].first + n] > 0.5)
			n++;
		if (n)
			c[p->stay[s].value] = (struct places_choice){ s, p->stay[s].first + n - 1, 0 };
	}
}

/* p is reduced; best is a choice of it, better ones replace it. */
static void solve(const struct solver *sv, const struct places *p, double seconds, struct answer *out,
		  struct places_choice *best, struct arena *a)
{
	struct stopwatch watch = stopwatch_start(seconds);
	struct rows r = { .a = a };
	struct places_choice *c = new_array(a, struct places_choice, (size_t)p->nvalue + 1);
	double *y = new_array(a, double, (size_t)p->nstep + 1), *cost = new_array(a, double, (size_t)p->nstep + 1);
	double *low;
	int64_t unit = divisor(p), gain = places_gain(p, best);
	bool more = true;

	arena_grow(r.a, r.at, 0, r.at_cap);
	put_chains(&r, p);
	for (uint32_t b = 0; b < p->nbank; b++)
		put_capacity(&r, p, b);
	for (uint32_t s = 0; s < p->nstay; s++)
		for (uint32_t t = p->stay[s].first, n = 0; n < p->stay[s].n; n++, t++)
			cost[t] = -(double)((p->step[t].gain - (n ? p->step[t - 1].gain : 0)) / unit);
	while (more && stopwatch_left(&watch) > 0) {
		struct zero_one_result x;
		struct places_clash clash;
		int64_t bound;
		bool fits;

		low = new_array(a, double, (size_t)r.n + 1);
		for (uint32_t i = 0; i < r.n; i++)
			low[i] = -SOLVER_UNLIMITED;
		/* The greedy choice is no solution to begin from: with one Cbc at times stops early and has found
		 * nothing. */
		x = zero_one_solve(sv, &(struct zero_one){ p->nstep, r.n, cost, low, r.high, r.coef, r.at, r.col },
				   NULL, stopwatch_left(&watch), y);
		if (x.end == ZERO_ONE_INFEASIBLE)
			return;
		bound = (int64_t)floor(-x.bound + 1e-6 + fabs(x.bound) * 1e-9) * unit;
		if (fabs(x.bound) * (double)unit < (double)PLACES_GAIN_MAX && bound < out->bound)
			out->bound = bound > gain ? bound : gain;
		more = x.end == ZERO_ONE_OPTIMAL;
		if (!x.found)
			return;
		read_solution(p, y, c);
		fits = places_colour(p, c, &watch, a, &clash);
		if (fits && places_gain(p, c) > gain) {
			gain = places_gain(p, c);
			memcpy(best, c, p->nvalue * sizeof *c);
		}
		if (gain >= out->bound || fits || !clash.sure)
			return;
		for (uint32_t i = 0; i < clash.n; i++)
			put_term(&r, c[clash.value[i]].step, 1);
		end_row(&r, clash.n - 1);
	}
}

static void work(void *arg)
{
	struct work *w = arg;
	struct stopwatch watch = stopwatch_start(w->seconds);
	struct solver sv;
	struct arena a;

	if (!solver_load(&sv, w->shared->why, sizeof w->shared->why)) {
		w->shared->failed = true;
		return;
	}
	arena_init(&a);
	for (uint32_t i = 0; i < w->n && stopwatch_left(&watch) > 0; i++) {
		struct answer *x = &w->shared->answer[i];

		solve(&sv, &w->both[w->order[i]].p, stopwatch_left(&watch), x, w->choice + x->choice, &a);
		arena_reset(&a);
	}
	arena_free(&a);
}

/* ---- many problems ---- */

/* What values gain that do not compete, and where they stay. */
static int64_t most_of_all(const struct places *p, struct places_choice *c)
{
	int64_t sum = 0;

	for (uint32_t v = 0; v < p->nvalue; v++)
		c[v].stay = PLACES_NONE;
	for (uint32_t s = 0; s < p->nstay; s++)
		for (uint32_t t = p->stay[s].first; t < p->stay[s].first + p->stay[s].n; t++) {
			struct places_choice *x = &c[p->stay[s].value];

			if (p->step[t].gain > (x->stay == PLACES_NONE ? 0 : p->step[x->step].gain))
				*x = (struct places_choice){ s, t, 0 };
		}
	for (uint32_t v = 0; v < p->nvalue; v++)
		sum += c[v].stay == PLACES_NONE ? 0 : p->step[c[v].step].gain;
	return sum;
}

/* The same choice of the reduced problem, or a better one: a step that it left out is worth no more than one before
 * it. */
static void reduce_choice(const struct places_job *j, struct both *r, struct arena *a)
{
	uint32_t *to = new_array(a, uint32_t, (size_t)j->p.nstay + 1);

	for (uint32_t s = 0; s < r->p.nstay; s++)
		to[r->stay_of[s]] = s + 1;
	for (uint32_t v = 0; v < j->p.nvalue; v++) {
		uint32_t s = j->choice[v].stay == PLACES_NONE ? 0 : to[j->choice[v].stay], n = 0;

		r->choice[v].stay = PLACES_NONE;
		if (!s--)
			continue;
		while (n < r->p.stay[s].n && r->step_of[r->p.stay[s].first + n] <= j->choice[v].step)
			n++;
		if (n)
			r->choice[v] = (struct places_choice){ s, r->p.stay[s].first + n - 1, j->choice[v].entry };
	}
}

/* Takes a choice of the reduced problem if it is one and gains more than what is there. */
static void take(struct places_job *j, const struct both *r, const struct places_choice *c)
{
	int64_t gain = places_gain(&r->p, c);

	if (gain <= j->gain)
		return;
	j->gain = gain;
	for (uint32_t v = 0; v < j->p.nvalue; v++) {
		j->choice[v] = c[v];
		if (c[v].stay != PLACES_NONE) {
			j->choice[v].stay = r->stay_of[c[v].stay];
			j->choice[v].step = r->step_of[c[v].step];
		}
	}
}

/* Gain, bound and method of the choice that is there. c: by value. False: there may be a better one. */
static bool begin(struct places_job *j, struct places_choice *c)
{
	j->gain = places_gain(&j->p, j->choice);
	assert(j->gain >= 0);
	j->bound = most_of_all(&j->p, c);
	j->method = j->gain < j->bound ? PLACES_STOPPED : PLACES_ALL;
	return j->gain == j->bound;
}

/* Without the solver: nothing competes, or it is a flow. c: of begin(). */
static bool solve_here(struct places_job *j, struct both *r, struct places_choice *c, const struct stopwatch *watch,
		       struct arena *a)
{
	struct places_clash clash;

	most_of_all(&r->p, c);
	if (places_colour(&r->p, c, watch, a, &clash))
		j->method = PLACES_ALL;
	else if (places_flow(&r->p, watch, a, c))
		j->method = PLACES_FLOW;
	else
		return false;
	take(j, r, c);
	j->bound = j->gain;
	return true;
}

static int by_size(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static const char *solve_there(struct places_job *job, struct both *both, uint64_t *size, uint32_t n, double seconds,
			       struct arena *a)
{
	struct work w = { .both = both, .seconds = seconds, .order = new_array(a, uint32_t, (size_t)n + 1), .n = n };
	size_t choices = 0, bytes;
	const char *why;
	bool timed_out;

	qsort(size, n, sizeof *size, by_size);
	for (uint32_t i = 0; i < n; i++) {
		w.order[i] = (uint32_t)size[i];
		choices += both[w.order[i]].p.nvalue;
	}
	bytes = sizeof *w.shared + n * sizeof *w.shared->answer + choices * sizeof *w.choice;
	w.shared = solver_share(bytes);
	if (!w.shared)
		return "the solver cannot be started: no memory";
	w.choice = (struct places_choice *)(w.shared->answer + n);
	choices = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct both *r = &both[w.order[i]];

		w.shared->answer[i] = (struct answer){ job[w.order[i]].bound, choices };
		memcpy(w.choice + choices, r->choice, r->p.nvalue * sizeof *r->choice);
		choices += r->p.nvalue;
	}
	why = solver_run(work, &w, seconds, a, &timed_out);
	if (w.shared->failed)
		why = arena_printf(a, "%.*s", (int)sizeof w.shared->why, w.shared->why);
	for (uint32_t i = 0; i < n; i++) {
		struct places_job *j = &job[w.order[i]];
		int64_t bound = w.shared->answer[i].bound;

		take(j, &both[w.order[i]], w.choice + w.shared->answer[i].choice);
		if (bound < j->bound)
			j->bound = bound > j->gain ? bound : j->gain;
		if (j->bound <= j->gain)
			j->method = PLACES_PROGRAM;
	}
	solver_unshare(w.shared, bytes);
	return why;
}

const char *places_solve(struct places_job *job, uint32_t n, double seconds, struct arena *a)
{
	struct stopwatch watch = stopwatch_start(seconds);
	struct both *both = new_array(a, struct both, (size_t)n + 1);
	uint64_t *size = new_array(a, uint64_t, (size_t)n + 1);
	struct places_choice *c;
	uint32_t most = 0, open = 0, left = 0;

	for (uint32_t i = 0; i < n; i++)
		most = job[i].p.nvalue > most ? job[i].p.nvalue : most;
	c = new_array(a, struct places_choice, (size_t)most + 1);
	for (uint32_t i = 0; i < n; i++)
		if (!begin(&job[i], c))
			size[open++] = (uint64_t)job[i].p.nstep << 32 | i;
	qsort(size, open, sizeof *size, by_size);
	for (uint32_t x = 0; x < open && stopwatch_left(&watch) > 0; x++) {
		uint32_t i = (uint32_t)size[x];
		struct both *r = &both[i];

		r->p = places_reduce(&job[i].p, a, &r->stay_of, &r->step_of);
		r->choice = new_array(a, struct places_choice, (size_t)job[i].p.nvalue + 1);
		reduce_choice(&job[i], r, a);
		if (!solve_here(&job[i], r, c, &watch, a))
			size[left++] = (uint64_t)r->p.nstep << 32 | i;
	}
	return left && stopwatch_left(&watch) > 0 ? solve_there(job, both, size, left, stopwatch_left(&watch), a)
						  : NULL;
}

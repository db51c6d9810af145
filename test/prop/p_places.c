/* Places of values in small banks: random problems against brute force, against a first-come choice and the bound.
 * Every third is a line with one bank, which a flow solves. Usage: p_places [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "passes/graph/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM_EVERY 7 /* problems for one that is solved if it needs a process */
#define BRUTE_VALUES 7  /* problems of up to so many are solved by trying */
/* Cbc has so long; of larger problems a few, of sets of points in several banks, take it minutes. */
#define SECONDS 60

static bool fail(const char *what)
{
	printf("p_places: %s\n", what);
	return false;
}

enum shape { LINE, BANKS, SETS, SHAPES };

struct made {
	struct places p;
	uint32_t *entries;
	struct places_stay *stay;
	struct places_step *step;
	uint32_t *point, npoint, cap;
};

static void put_point(struct made *m, uint32_t p, struct arena *a)
{
	arena_grow(a, m->point, m->npoint, m->cap);
	m->point[m->npoint++] = p;
}

/* A stay of up to 4 steps: intervals from one place on, or any points. */
static void random_stay(struct made *m, uint64_t *r, enum shape shape, uint32_t value, uint32_t bank, int64_t scale,
			struct arena *a)
{
	uint32_t steps = 1 + rng_below(r, 4), at = rng_below(r, m->p.npoint);
	uint8_t *has = new_array(a, uint8_t, m->p.npoint);

	m->stay[m->p.nstay++] = (struct places_stay){ value, bank, m->p.nstep, steps };
	for (uint32_t s = 0; s < steps; s++) {
		struct places_step *t = &m->step[m->p.nstep++];

		*t = (struct places_step){ m->npoint, 0, scale * ((int64_t)rng_below(r, 90) - 15 + 20 * s) };
		for (uint32_t n = !s + rng_below(r, 4); n; n--) {
			uint32_t p = shape == SETS ? rng_below(r, m->p.npoint) : at++;

			if (p >= m->p.npoint || has[p]++)
				continue;
			put_point(m, p, a);
			t->n++;
		}
	}
}

static void random_places(struct made *m, uint64_t seed, struct arena *a)
{
	uint64_t r = seed;
	enum shape shape = (enum shape)(seed % SHAPES);
	uint32_t values = seed % 4 ? 1 + rng_below(&r, BRUTE_VALUES) : 8 + rng_below(&r, 60),
		 banks = shape == LINE ? 1 : 1 + rng_below(&r, 4);
	int64_t scale = rng_below(&r, 3) ? 1 + rng_below(&r, 5) * 10 : (int64_t)1 << 36;

	*m = (struct made){ .p = { .npoint = 2 + rng_below(&r, values * 3), .nvalue = values, .nbank = banks } };
	m->entries = new_array(a, uint32_t, banks);
	m->stay = new_array(a, struct places_stay, (size_t)values * banks);
	m->step = new_array(a, struct places_step, (size_t)values * banks * 4);
	for (uint32_t b = 0; b < banks; b++)
		m->entries[b] = b ? 1 : 1 + rng_below(&r, 4);
	for (uint32_t v = 0; v < values; v++)
		for (uint32_t b = 0; b < banks; b++)
			if (!b || rng_below(&r, 2))
				random_stay(m, &r, shape, v, b, scale, a);
	m->p.entries = m->entries;
	m->p.stay = m->stay;
	m->p.step = m->step;
	m->p.point = m->point;
}

/* Every stay, step and entry of each value in turn. */
static int64_t brute(const struct places *p, struct places_choice *c, uint32_t v)
{
	int64_t best, x;

	if (v == p->nvalue)
		return places_gain(p, c);
	best = brute(p, c, v + 1);
	for (uint32_t s = 0; s < p->nstay; s++) {
		if (p->stay[s].value != v)
			continue;
		for (uint32_t t = p->stay[s].first; t < p->stay[s].first + p->stay[s].n; t++)
			for (uint32_t e = 0; e < p->entries[p->stay[s].bank]; e++) {
				c[v] = (struct places_choice){ s, t, e };
				/* a choice of the first values that is none stays none */
				x = places_gain(p, c) < 0 ? -1 : brute(p, c, v + 1);
				best = x > best ? x : best;
				c[v].stay = PLACES_NONE;
			}
	}
	return best;
}

/* Each value in turn into the first entry that is free, for as long as it can. */
static int64_t first_come(const struct places *p, struct places_choice *c)
{
	int64_t gain = 0, x;

	for (uint32_t s = 0; s < p->nstay; s++) {
		uint32_t v = p->stay[s].value;
		bool placed = c[v].stay != PLACES_NONE;

		for (uint32_t t = p->stay[s].first + p->stay[s].n; t-- > p->stay[s].first && !placed;)
			for (uint32_t e = 0; e < p->entries[p->stay[s].bank] && !placed; e++) {
				c[v] = (struct places_choice){ s, t, e };
				x = places_gain(p, c);
				placed = x > gain;
				gain = placed ? x : gain;
				if (!placed)
					c[v].stay = PLACES_NONE;
			}
	}
	return gain;
}

struct tally {
	uint32_t method[PLACES_STOPPED + 1], brute, gained;
};

static bool test(uint64_t seed, struct tally *n)
{
	struct places_job job = { .gain = 0 };
	struct places_choice *c;
	const char *why;
	struct made m;
	struct arena a;
	int64_t first;
	bool ok = true;

	arena_init(&a);
	random_places(&m, seed, &a);
	job.p = m.p;
	c = new_array(&a, struct places_choice, m.p.nvalue);
	job.choice = new_array(&a, struct places_choice, m.p.nvalue);
	for (uint32_t v = 0; v < m.p.nvalue; v++)
		c[v].stay = job.choice[v].stay = PLACES_NONE;
	first = first_come(&m.p, job.choice);
	if (seed % SHAPES == LINE || seed % PROGRAM_EVERY == 0) {
		why = places_solve(&job, 1, SECONDS, &a);
		if (why)
			ok = fail(why);
		else if (places_gain(&m.p, job.choice) != job.gain)
			ok = fail("the choice is none, or gains something else than it says");
		else if (job.gain < first || job.gain > job.bound)
			ok = fail("the optimum is below a choice or above its bound");
		else if (job.method != PLACES_STOPPED && job.gain != job.bound)
			ok = fail("an optimum is not what it is bounded by");
		else if (job.method == PLACES_STOPPED && (m.p.nvalue <= BRUTE_VALUES || seed % SHAPES != SETS))
			ok = fail("a small problem, or one of intervals, is not solved");
		else if (seed % SHAPES == LINE && job.method == PLACES_PROGRAM)
			ok = fail("a line is not a flow");
		else if (m.p.nvalue <= 5 && brute(&m.p, c, 0) != job.gain)
			ok = fail("brute force finds another optimum");
		n->method[job.method]++;
		n->brute += m.p.nvalue <= 5;
		n->gained += job.gain > first;
	}
	arena_free(&a);
	if (!ok)
		printf("p_places: seed %" PRIu64 "\n", seed);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 200,
		 first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct tally n = { .brute = 0 };
	uint32_t failed = 0;

	for (uint64_t s = first; s < first + seeds; s++)
		failed += !test(s, &n);
	if (n.method[PLACES_STOPPED] > 1 + (n.method[PLACES_PROGRAM] + n.method[PLACES_FLOW]) / 100)
		failed += !fail("too many problems are not solved");
	printf("p_places: %" PRIu64 " problems, %u where all values fit, %u flows, %u integer programs, %u stopped, "
	       "%u by brute force, %u better than first come, %u failed\n",
	       seeds, n.method[PLACES_ALL], n.method[PLACES_FLOW], n.method[PLACES_PROGRAM], n.method[PLACES_STOPPED],
	       n.brute, n.gained, failed);
	return failed != 0;
}

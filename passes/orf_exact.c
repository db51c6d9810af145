/* Allocation as a problem of passes/graph/places.h. A bank of the problem is an entry of L0, or L1 with all its
 * entries; a point lies behind an instruction of the region; a step is a cut of a value (orf_cut.c): its first n reads,
 * for each n that partial ranges allow. With one level and no branches that is a flow of least cost, as Gebotys has it
 * (DAC 1997, whom section 9.3 of the paper cites for the opinion that there is nothing to be gained by it); else an
 * integer program. */
#include "orf_exact.h"

#include "passes/graph/places.h"

#include <assert.h>
#include <math.h>

#define SUM_MAX 0x1p49 /* of the gains of a region, below PLACES_GAIN_MAX */

/* of one organisation */
struct region {
	enum orf_organisation org;
	unsigned nl0;
	double scale;    /* gain / saved: 1, where whole fJ are no more than the solver can count */
	uint32_t *reads; /* by step: n of its cut */
	double *saved;   /* by step */
	double greedy;
};

struct orf_exact {
	struct arena *a;
	struct region *region;
	uint32_t n, cap;
	struct places_job *job;
	uint32_t job_cap;
	struct orf_pick **pick;
	/* the region that is being added */
	struct places_stay *stay;
	uint32_t nstay, stay_cap;
	struct places_step *step;
	uint32_t nstep, step_cap;
	double *saved;
	uint32_t saved_cap;
	uint32_t *reads, reads_cap, *point, npoint, point_cap;
	uint64_t *taken;
	uint32_t words; /* points of the stay so far */
};

struct orf_exact *orf_exact_new(struct arena *a)
{
	struct orf_exact *x = new(a, struct orf_exact);

	x->a = a;
	return x;
}

static uint32_t points_of(const struct orf_cut *cut)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < cut->nspan; s++)
		n += cut->span[s].to - cut->span[s].from;
	return n;
}

/* How many points of the cut the stay has. */
static uint32_t shared_points(const struct orf_exact *x, const struct orf_cut *cut)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < cut->nspan; s++)
		for (uint32_t p = cut->span[s].from; p < cut->span[s].to; p++)
			n += bitset_has(x->taken, p);
	return n;
}

static void begin_stay(struct orf_exact *x, uint32_t value, uint32_t bank)
{
	memset(x->taken, 0, x->words * sizeof *x->taken);
	arena_grow(x->a, x->stay, x->nstay, x->stay_cap);
	x->stay[x->nstay++] = (struct places_stay){ value, bank, x->nstep, 0 };
}

static void put_step(struct orf_exact *x, const struct orf_cut *cut, uint32_t n)
{
	uint32_t first = x->npoint;

	for (uint32_t s = 0; s < cut->nspan; s++)
		for (uint32_t p = cut->span[s].from; p < cut->span[s].to; p++) {
			if (bitset_has(x->taken, p))
				continue;
			bitset_add(x->taken, p);
			arena_grow(x->a, x->point, x->npoint, x->point_cap);
			x->point[x->npoint++] = p;
		}
	arena_grow(x->a, x->step, x->nstep, x->step_cap);
	arena_grow(x->a, x->saved, x->nstep, x->saved_cap);
	arena_grow(x->a, x->reads, x->nstep, x->reads_cap);
	x->saved[x->nstep] = cut->saved;
	x->reads[x->nstep] = n;
	x->step[x->nstep++] = (struct places_step){ first, x->npoint - first, 0 };
	x->stay[x->nstay - 1].n++;
}

/* The cuts of a value in one bank, shortest first. One that does not have all the points of the one before it begins
 * another stay. */
static void add_stays(struct orf_exact *x, struct orf_work *w, uint32_t value, struct orf_bank bank, uint32_t number,
		      bool partial)
{
	const struct orf_value *v = &w->value[value];
	bool begun = false;
	uint32_t have = 0;

	for (uint32_t n = partial && v->nread ? 1 : v->nread; n <= v->nread; n++) {
		struct orf_cut cut;

		orf_cut(w, v, n, bank, &cut);
		if (!cut.possible || !(cut.saved > 0))
			continue;
		assert(cut.nspan);
		if (!begun || shared_points(x, &cut) < have)
			begin_stay(x, value, number);
		begun = true;
		have = points_of(&cut);
		put_step(x, &cut, n);
	}
}

/* Gains in whole numbers that the solver can add up exactly. */
static double give_gains(struct orf_exact *x, uint32_t nvalue)
{
	double *most = new_array(x->a, double, (size_t)nvalue + 1), sum = 0, scale;

	for (uint32_t s = 0; s < x->nstay; s++)
		for (uint32_t t = x->stay[s].first; t < x->stay[s].first + x->stay[s].n; t++)
			most[x->stay[s].value] = fmax(most[x->stay[s].value], x->saved[t]);
	for (uint32_t v = 0; v < nvalue; v++)
		sum += most[v];
	scale = sum > SUM_MAX ? SUM_MAX / sum : 1;
	for (uint32_t t = 0; t < x->nstep; t++)
		x->step[t].gain = llround(x->saved[t] * scale);
	return scale;
}

static struct places_choice *choice_of(const struct orf_exact *x, uint32_t nvalue, const struct orf_pick *pick,
				       unsigned nl0, double *saved)
{
	struct places_choice *c = new_array(x->a, struct places_choice, (size_t)nvalue + 1);

	for (uint32_t v = 0; v < nvalue; v++)
		c[v].stay = PLACES_NONE;
	for (uint32_t s = 0; s < x->nstay; s++) {
		uint32_t v = x->stay[s].value;
		unsigned bank = pick[v].bank;

		if (bank == ORF_BANKS_MAX || x->stay[s].bank != (bank < nl0 ? bank : nl0))
			continue;
		for (uint32_t t = x->stay[s].first; t < x->stay[s].first + x->stay[s].n; t++)
			if (x->reads[t] == pick[v].n) {
				c[v] = (struct places_choice){ s, t, bank < nl0 ? 0 : bank - nl0 };
				*saved += x->saved[t];
			}
	}
	return c;
}

static void *keep(const struct orf_exact *x, const void *p, size_t bytes)
{
	return bytes ? memcpy(arena_alloc(x->a, bytes, _Alignof(uint64_t)), p, bytes) : NULL;
}

void orf_exact_add(struct orf_exact *x, struct orf_work *w, enum orf_organisation org, const struct orf_pick *greedy)
{
	struct orf_bank bank[ORF_BANKS_MAX];
	unsigned nl0, entries = w->c->o->entries;
	uint32_t *capacity;
	struct region r = { .org = org };

	orf_banks(org, entries, bank, &nl0);
	r.nl0 = nl0;
	if (bitset_words(w->r->npoint) > x->words) {
		x->words = bitset_words(w->r->npoint);
		x->taken = new_array(x->a, uint64_t, x->words);
	}
	x->nstay = x->nstep = x->npoint = 0;
	for (uint32_t v = 0; v < w->nvalue; v++)
		for (unsigned b = 0; b <= nl0; b++)
			add_stays(x, w, v, bank[b], b, b == nl0 && w->c->o->partial);
	r.scale = give_gains(x, w->nvalue);
	capacity = new_array(x->a, uint32_t, (size_t)nl0 + 1);
	for (unsigned b = 0; b <= nl0; b++)
		capacity[b] = b < nl0 ? 1 : entries;
	arena_grow(x->a, x->job, x->n, x->job_cap);
	x->job[x->n] = (struct places_job){ .choice = choice_of(x, w->nvalue, greedy, nl0, &r.greedy),
					    .p = { .entries = capacity,
						   .nbank = nl0 + 1,
						   .npoint = w->r->npoint,
						   .nvalue = w->nvalue,
						   .stay = keep(x, x->stay, x->nstay * sizeof *x->stay),
						   .nstay = x->nstay,
						   .step = keep(x, x->step, x->nstep * sizeof *x->step),
						   .nstep = x->nstep,
						   .point = keep(x, x->point, x->npoint * sizeof *x->point) } };
	r.saved = keep(x, x->saved, x->nstep * sizeof *x->saved);
	r.reads = keep(x, x->reads, x->nstep * sizeof *x->reads);
	arena_grow(x->a, x->region, x->n, x->cap);
	x->region[x->n++] = r;
}

const char *orf_exact_solve(struct orf_exact *x, double seconds)
{
	const char *why = places_solve(x->job, x->n, seconds, x->a);

	x->pick = new_array(x->a, struct orf_pick *, (size_t)x->n + 1);
	for (uint32_t i = 0; i < x->n; i++) {
		const struct places_job *j = &x->job[i];

		x->pick[i] = new_array(x->a, struct orf_pick, (size_t)j->p.nvalue + 1);
		for (uint32_t v = 0; v < j->p.nvalue; v++) {
			const struct places_choice *c = &j->choice[v];
			unsigned bank = c->stay == PLACES_NONE ? 0 : j->p.stay[c->stay].bank;

			x->pick[i][v] = (struct orf_pick){ 0, ORF_BANKS_MAX };
			if (c->stay != PLACES_NONE)
				x->pick[i][v] = (struct orf_pick){ x->region[i].reads[c->step], bank + c->entry };
		}
	}
	return why;
}

const struct orf_pick *orf_exact_picks(const struct orf_exact *x, uint32_t n) { return x->pick[n]; }

struct orf_saved orf_exact_saved(const struct orf_exact *x, enum orf_organisation org)
{
	struct orf_saved sum = { 0, 0, 0 };

	for (uint32_t i = 0; i < x->n; i++) {
		const struct places_job *j = &x->job[i];
		double saved = 0;

		if (x->region[i].org != org)
			continue;
		for (uint32_t v = 0; v < j->p.nvalue; v++)
			if (j->choice[v].stay != PLACES_NONE)
				saved += x->region[i].saved[j->choice[v].step];
		sum.greedy += x->region[i].greedy;
		sum.saved += saved;
		sum.bound += fmax(saved, (double)j->bound / x->region[i].scale);
	}
	return sum;
}

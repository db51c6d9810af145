/* Checking, shrinking and colouring choices of places. */
#include "places.h"

#include "analyzer/base/bitset.h"

enum { COLOUR_STEPS = 200000 };         /* of the search for entries: far more than a graph without its sparse parts takes */

int64_t places_gain(const struct places *p, const struct places_choice *c)
{
	int64_t gain = 0;
	uint32_t most = 0;
	uint64_t *taken;
	struct arena a;

	for (uint32_t b = 0; b < p->nbank; b++)
		most = p->entries[b] > most ? p->entries[b] : most;
	arena_init(&a);
	taken = bitset_new(&a, p->nbank * p->npoint * most);
	for (uint32_t v = 0; v < p->nvalue && gain >= 0; v++) {
		const struct places_stay *s;

		if (c[v].stay == PLACES_NONE)
			continue;
		s = c[v].stay < p->nstay ? &p->stay[c[v].stay] : NULL;
		if (!s || s->value != v || c[v].step < s->first || c[v].step - s->first >= s->n || c[v].entry >= p->entries[s->bank]) {
			gain = -1;
			break;
		}
		gain += p->step[c[v].step].gain;
		for (uint32_t t = s->first; t <= c[v].step && gain >= 0; t++)
			for (uint32_t i = p->step[t].first; i < p->step[t].first + p->step[t].n; i++) {
				uint32_t bit = (s->bank * most + c[v].entry) * p->npoint + p->point[i];

				if (bitset_has(taken, bit))
					gain = -1;
				bitset_add(taken, bit);
			}
	}
	arena_free(&a);
	return gain;
}

struct places places_reduce(const struct places *p, struct arena *a, uint32_t **stay_of, uint32_t **step_of)
{
	struct places_stay *stay = new_array(a, struct places_stay, (size_t)p->nstay + 1);
	struct places_step *step = new_array(a, struct places_step, (size_t)p->nstep + 1);
	uint32_t npoint = 0, *point;
	struct places out = *p;

	for (uint32_t s = 0; s < p->nstep; s++)
		npoint += p->step[s].n;
	point = new_array(a, uint32_t, (size_t)npoint + 1);
	*stay_of = new_array(a, uint32_t, (size_t)p->nstay + 1);
	*step_of = new_array(a, uint32_t, (size_t)p->nstep + 1);
	out.nstay = out.nstep = npoint = 0;
	for (uint32_t s = 0; s < p->nstay; s++) {
		struct places_stay *to = &stay[out.nstay];
		uint32_t begin = npoint;        /* of the step that is being put together */
		int64_t best = 0;

		*to = (struct places_stay){ p->stay[s].value, p->stay[s].bank, out.nstep, 0 };
		for (uint32_t t = p->stay[s].first; t < p->stay[s].first + p->stay[s].n; t++) {
			for (uint32_t i = 0; i < p->step[t].n; i++)
				point[npoint++] = p->point[p->step[t].first + i];
			if (p->step[t].gain <= best)
				continue;
			best = p->step[t].gain;
			if (npoint == begin) {          /* as many points as the step before, and better */
				step[out.nstep - 1].gain = best;
			} else {
				step[out.nstep++] = (struct places_step){ begin, npoint - begin, best };
				to->n++;
				begin = npoint;
			}
			(*step_of)[out.nstep - 1] = t;
		}
		npoint = begin;
		if (to->n)
			(*stay_of)[out.nstay++] = s;
	}
	out.stay = stay;
	out.step = step;
	out.point = point;
	return out;
}

/* ---- entries: colouring the graph of stays that share a point ---- */

struct colouring {
	uint32_t n, colours, words;
	const uint32_t *value;          /* of a node */
	uint64_t *adj;                  /* n rows */
	uint8_t *colour;                /* colours: none yet */
	uint64_t steps;                 /* that are left */
};

/* Colours that the neighbours of a node have. */
static uint64_t taken_near(const struct colouring *g, uint32_t v)
{
	const uint64_t *row = g->adj + (size_t)v * g->words;
	uint64_t taken = 0;

	for (uint32_t u = bitset_next(row, 0, g->n); u < g->n; u = bitset_next(row, u + 1, g->n))
		if (g->colour[u] < g->colours)
			taken |= (uint64_t)1 << g->colour[u];
	return taken;
}

/* DSATUR (Brélaz 1979) with backtracking over the nodes in `left`, of which no colour is new but the first unused one. */
static bool search(struct colouring *g, const uint64_t *left, uint32_t used)
{
	uint32_t best = UINT32_MAX;
	int saturation = -1;
	uint64_t taken, near = 0;

	for (uint32_t v = bitset_next(left, 0, g->n); v < g->n; v = bitset_next(left, v + 1, g->n)) {
		if (g->colour[v] < g->colours)
			continue;
		taken = taken_near(g, v);
		if (__builtin_popcountll(taken) > saturation) {
			saturation = __builtin_popcountll(taken);
			near = taken;
			best = v;
		}
	}
	if (best == UINT32_MAX)
		return true;
	for (uint32_t c = 0; c < g->colours && c <= used && g->steps; c++) {
		if (near >> c & 1)
			continue;
		g->steps--;
		g->colour[best] = (uint8_t)c;
		if (search(g, left, c == used ? used + 1 : used))
			return true;
		g->colour[best] = (uint8_t)g->colours;
	}
	return false;
}

/* Colours the nodes of `in`. What has fewer neighbours than there are colours gets one last, whatever the others have; of intervals,
 * whose graph is chordal, that is all of it. */
static bool colour_all(struct colouring *g, const uint64_t *in, struct arena *a)
{
	uint64_t *left = bitset_new(a, g->n);
	uint32_t *order = new_array(a, uint32_t, (size_t)g->n + 1), norder = 0;
	bool more = true;

	bitset_copy(left, in, g->n);
	memset(g->colour, (int)g->colours, g->n);
	while (more) {
		more = false;
		for (uint32_t v = bitset_next(left, 0, g->n); v < g->n; v = bitset_next(left, v + 1, g->n)) {
			uint32_t degree = 0;

			for (uint32_t w = 0; w < g->words; w++)
				degree += (uint32_t)__builtin_popcountll(g->adj[(size_t)v * g->words + w] & left[w]);
			if (degree < g->colours) {
				bitset_del(left, v);
				order[norder++] = v;
				more = true;
			}
		}
	}
	if (!search(g, left, 0))
		return false;
	while (norder)
		g->colour[order[norder - 1]] = (uint8_t)__builtin_ctzll(~taken_near(g, order[norder - 1])), norder--;
	return true;
}

static void add_conflicts(const struct places *p, const struct places_choice *c, struct colouring *g, struct arena *a)
{
	uint32_t *at = new_array(a, uint32_t, (size_t)p->npoint + 1), *fill = new_array(a, uint32_t, (size_t)p->npoint + 1), *of;

#define EACH_POINT(v, i) \
	for (const struct places_choice *x = &c[g->value[v]], *end = x + 1; x < end; x++) \
		for (uint32_t t = p->stay[x->stay].first; t <= x->step; t++) \
			for (uint32_t i = p->step[t].first; i < p->step[t].first + p->step[t].n; i++)
	for (uint32_t v = 0; v < g->n; v++)
		EACH_POINT(v, i)
			at[p->point[i] + 1]++;
	for (uint32_t i = 0; i < p->npoint; i++) {
		fill[i] = at[i];
		at[i + 1] += at[i];
	}
	of = new_array(a, uint32_t, (size_t)at[p->npoint] + 1);
	for (uint32_t v = 0; v < g->n; v++)
		EACH_POINT(v, i)
			of[fill[p->point[i]]++] = v;
#undef EACH_POINT
	for (uint32_t i = 0; i < p->npoint; i++)
		for (uint32_t x = at[i]; x < at[i + 1]; x++)
			for (uint32_t y = at[i]; y < at[i + 1]; y++)
				if (x != y)
					bitset_add(g->adj + (size_t)of[x] * g->words, of[y]);
}

/* Leaves out what can be left out of `in` without making it colourable. False: some search took too many steps. */
static bool shrink(struct colouring *g, uint64_t *in, struct arena *a)
{
	for (uint32_t v = 0; v < g->n; v++) {
		bitset_del(in, v);
		g->steps = COLOUR_STEPS;
		if (colour_all(g, in, a))
			bitset_add(in, v);
		else if (!g->steps)
			return false;
	}
	return true;
}

static bool colour_bank(const struct places *p, struct places_choice *c, uint32_t bank, struct arena *a, uint32_t **culprit,
                        uint32_t *nculprit, bool *sure)
{
	uint32_t *value = new_array(a, uint32_t, (size_t)p->nvalue + 1);
	struct colouring g = { .colours = p->entries[bank], .value = value, .steps = COLOUR_STEPS };
	uint64_t *in;

	for (uint32_t v = 0; v < p->nvalue; v++)
		if (c[v].stay != PLACES_NONE && p->stay[c[v].stay].bank == bank)
			value[g.n++] = v;
	g.words = bitset_words(g.n);
	g.adj = new_array(a, uint64_t, (size_t)g.n * g.words + 1);
	g.colour = new_array(a, uint8_t, (size_t)g.n + 1);
	in = bitset_new(a, g.n);
	for (uint32_t v = 0; v < g.n; v++)
		bitset_add(in, v);
	add_conflicts(p, c, &g, a);
	if (colour_all(&g, in, a)) {
		for (uint32_t v = 0; v < g.n; v++)
			c[value[v]].entry = g.colour[v];
		return true;
	}
	*sure = g.steps && shrink(&g, in, a);
	*nculprit = 0;
	*culprit = value;
	for (uint32_t v = 0; v < g.n; v++)
		if (!*sure || bitset_has(in, v))
			value[(*nculprit)++] = value[v];
	return false;
}

bool places_colour(const struct places *p, struct places_choice *c, struct arena *a, uint32_t **culprit, uint32_t *nculprit, bool *sure)
{
	for (uint32_t b = 0; b < p->nbank; b++)
		if (!colour_bank(p, c, b, a, culprit, nculprit, sure))
			return false;
	return true;
}

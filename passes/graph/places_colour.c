/* Entries for stays: colours of the graph in which stays that share a point are neighbours.
 *
 * A point with more stays than the bank has entries says no at once. Where it has no such point and stays are
 * intervals, entries are given from left to right (left edge; Hashimoto and Stevens, DAC 1971). Else stays with fewer
 * neighbours than there are entries get one last, whatever the others have (Chaitin, 1982), and each connected part of
 * what is left is searched (DSATUR; Brélaz, 1979). */
#include "places.h"
#include "solver.h"

#include <string.h>

/* of the search for entries: far more than a graph without its sparse parts takes */
enum { COLOUR_STEPS = 200000 };

/* a node, the colour that is tried next, how many colours the nodes before it have */
struct pick {
	uint32_t v, next, used;
};

struct colouring {
	const struct places *p;
	const struct places_choice *c;
	const struct stopwatch *watch;
	uint32_t n, colours;
	const uint32_t *value;    /* of a node */
	uint32_t *at, *of;        /* point i has nodes of[at[i]] .. of[at[i + 1] - 1] */
	uint32_t *near_at, *near; /* neighbours, likewise */
	uint8_t *colour;          /* colours: none yet */
	uint32_t *count;          /* v * colours + c: neighbours of v that have c */
	uint64_t *taken;          /* colours that neighbours have */
	uint8_t *left;            /* 1: not put off; 2: in the part that is searched */
	uint32_t *degree, *order, *part, npart;
	struct pick *pick;
	uint64_t steps; /* that are left; 0 as soon as the time is over */
};

#define EACH_POINT(g, v, i)                                                                            \
	for (const struct places_choice *x = &(g)->c[(g)->value[v]], *behind = x + 1; x < behind; x++) \
		for (uint32_t t = (g)->p->stay[x->stay].first; t <= x->step; t++)                      \
			for (uint32_t i = (g)->p->step[t].first; i < (g)->p->step[t].first + (g)->p->step[t].n; i++)

static void find_points(struct colouring *g, struct arena *a)
{
	uint32_t *fill = new_array(a, uint32_t, (size_t)g->p->npoint + 1);

	g->at = new_array(a, uint32_t, (size_t)g->p->npoint + 1);
	for (uint32_t v = 0; v < g->n; v++)
		EACH_POINT(g, v, i)
	g->at[g->p->point[i] + 1]++;
	for (uint32_t i = 0; i < g->p->npoint; i++) {
		fill[i] = g->at[i];
		g->at[i + 1] += g->at[i];
	}
	g->of = new_array(a, uint32_t, (size_t)g->at[g->p->npoint] + 1);
	for (uint32_t v = 0; v < g->n; v++)
		EACH_POINT(g, v, i)
	g->of[fill[g->p->point[i]]++] = v;
}

/* A point with more nodes than colours, or npoint. */
static uint32_t full_point(const struct colouring *g)
{
	uint32_t i = 0;

	while (i < g->p->npoint && g->at[i + 1] - g->at[i] <= g->colours)
		i++;
	return i;
}

/* ---- intervals ---- */

/* False: some stay has a gap, which another may fill. No point is full. */
static bool left_edge(struct colouring *g, struct arena *a)
{
	uint32_t *first = new_array(a, uint32_t, (size_t)g->n + 1), *last = new_array(a, uint32_t, (size_t)g->n + 1);
	/* behind the last point of each colour's stays so far */
	uint32_t *end = new_array(a, uint32_t, g->colours);

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t n = 0;

		first[v] = UINT32_MAX;
		EACH_POINT(g, v, i)
		{
			uint32_t point = g->p->point[i];

			first[v] = point < first[v] ? point : first[v];
			last[v] = point > last[v] ? point : last[v];
			n++;
		}
		if (last[v] - first[v] + 1 != n)
			return false;
	}
	for (uint32_t i = 0; i < g->p->npoint; i++)
		for (uint32_t x = g->at[i]; x < g->at[i + 1]; x++) {
			uint32_t v = g->of[x], c = 0;

			if (first[v] != i)
				continue;
			while (end[c] > i)
				c++;
			g->colour[v] = (uint8_t)c;
			end[c] = last[v] + 1;
		}
	return true;
}

/* ---- other stays ---- */

/* No point is full, so that these are few. */
static void find_neighbours(struct colouring *g, struct arena *a)
{
	uint32_t *seen = new_array(a, uint32_t, (size_t)g->n + 1), n = 0, cap = 0;

	g->near_at = new_array(a, uint32_t, (size_t)g->n + 1);
	for (uint32_t v = 0; v < g->n; v++) {
		seen[v] = v + 1;
		EACH_POINT(g, v, i)
		for (uint32_t y = g->at[g->p->point[i]]; y < g->at[g->p->point[i] + 1]; y++) {
			if (seen[g->of[y]] == v + 1)
				continue;
			seen[g->of[y]] = v + 1;
			arena_grow(a, g->near, n, cap);
			g->near[n++] = g->of[y];
		}
		g->near_at[v + 1] = n;
	}
	g->count = new_array(a, uint32_t, (size_t)g->n * g->colours + 1);
	g->taken = new_array(a, uint64_t, (size_t)g->n + 1);
	g->left = new_array(a, uint8_t, (size_t)g->n + 1);
	g->degree = new_array(a, uint32_t, (size_t)g->n + 1);
	g->order = new_array(a, uint32_t, (size_t)g->n + 1);
	g->part = new_array(a, uint32_t, (size_t)g->n + 1);
	g->pick = new_array(a, struct pick, (size_t)g->n + 1);
}

#define EACH_NEIGHBOUR(g, v, u) \
	for (uint32_t e = (g)->near_at[v], u; e < (g)->near_at[(v) + 1] && (u = (g)->near[e], true); e++)

static void paint(struct colouring *g, uint32_t v, uint32_t c)
{
	g->colour[v] = (uint8_t)c;
	EACH_NEIGHBOUR(g, v, u)
	if (!g->count[(size_t)u * g->colours + c]++)
		g->taken[u] |= (uint64_t)1 << c;
}

static void wipe(struct colouring *g, uint32_t v)
{
	uint32_t c = g->colour[v];

	g->colour[v] = (uint8_t)g->colours;
	EACH_NEIGHBOUR(g, v, u)
	if (!--g->count[(size_t)u * g->colours + c])
		g->taken[u] &= ~((uint64_t)1 << c);
}

/* Of the part's nodes without a colour the one whose neighbours have the most. */
static uint32_t most_saturated(const struct colouring *g)
{
	uint32_t best = UINT32_MAX;
	int saturation = -1;

	for (uint32_t i = 0; i < g->npart; i++) {
		uint32_t v = g->part[i];

		if (g->colour[v] == g->colours && __builtin_popcountll(g->taken[v]) > saturation) {
			saturation = __builtin_popcountll(g->taken[v]);
			best = v;
		}
	}
	return best;
}

/* Colours the part, of which no colour is new but the first unused one. */
static bool search(struct colouring *g)
{
	uint32_t depth = 0;

	g->pick[0] = (struct pick){ most_saturated(g), 0, 0 };
	for (;;) {
		struct pick *x = &g->pick[depth];
		uint32_t used;

		while (x->next < g->colours && x->next <= x->used && g->taken[x->v] >> x->next & 1)
			x->next++;
		if (x->next == g->colours || x->next > x->used) {
			if (!depth)
				return false;
			wipe(g, g->pick[--depth].v);
			continue;
		}
		if (!g->steps || stopwatch_left(g->watch) <= 0) {
			g->steps = 0;
			return false;
		}
		g->steps--;
		paint(g, x->v, x->next);
		used = x->next == x->used ? x->used + 1 : x->used;
		x->next++;
		if (++depth == g->npart)
			return true;
		g->pick[depth] = (struct pick){ most_saturated(g), 0, used };
	}
}

/* Puts off nodes of `in` with few neighbours, to the end of g->order; returns how many. */
static uint32_t put_off(struct colouring *g, const uint8_t *in)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		g->left[v] = in[v];
		g->degree[v] = 0;
		EACH_NEIGHBOUR(g, v, u)
		g->degree[v] += in[u];
		if (in[v] && g->degree[v] < g->colours)
			g->order[n++] = v;
	}
	for (uint32_t i = 0; i < n; i++) {
		g->left[g->order[i]] = 0;
		EACH_NEIGHBOUR(g, g->order[i], u)
		if (in[u] && g->degree[u]-- == g->colours)
			g->order[n++] = u;
	}
	return n;
}

static void find_part(struct colouring *g, uint32_t from)
{
	g->npart = 0;
	g->part[g->npart++] = from;
	g->left[from] = 2;
	for (uint32_t i = 0; i < g->npart; i++)
		EACH_NEIGHBOUR(g, g->part[i], u)
	if (g->left[u] == 1) {
		g->left[u] = 2;
		g->part[g->npart++] = u;
	}
}

/* Colours the nodes of `in`. False: what cannot be coloured is in g->part, or the steps have run out. */
static bool colour_all(struct colouring *g, const uint8_t *in)
{
	uint32_t noff = put_off(g, in);

	memset(g->colour, (int)g->colours, g->n);
	memset(g->count, 0, (size_t)g->n * g->colours * sizeof *g->count);
	memset(g->taken, 0, g->n * sizeof *g->taken);
	for (uint32_t v = 0; v < g->n; v++) {
		if (g->left[v] != 1)
			continue;
		find_part(g, v);
		if (!search(g))
			return false;
	}
	while (noff--)
		paint(g, g->order[noff], (uint32_t)__builtin_ctzll(~g->taken[g->order[noff]]));
	return true;
}

/* What is left of the part that has no colours if all is left out that can be. Nodes in g->part[0 .. g->npart); false:
 * steps or time ran out. */
static bool shrink(struct colouring *g, uint8_t *in, struct arena *a)
{
	uint32_t n = g->npart, *v = new_array(a, uint32_t, (size_t)n + 1);

	memcpy(v, g->part, n * sizeof *v);
	memset(in, 0, g->n);
	for (uint32_t i = 0; i < n; i++)
		in[v[i]] = 1;
	for (uint32_t i = 0; i < n; i++) {
		in[v[i]] = 0;
		g->steps = stopwatch_left(g->watch) > 0 ? COLOUR_STEPS : 0;
		if (g->steps && colour_all(g, in))
			in[v[i]] = 1;
		else if (!g->steps)
			return false;
	}
	g->npart = 0;
	for (uint32_t i = 0; i < n; i++)
		if (in[v[i]])
			g->part[g->npart++] = v[i];
	return true;
}

static bool colour_bank(const struct places *p, struct places_choice *c, uint32_t bank, const struct stopwatch *watch,
			struct arena *a, struct places_clash *clash)
{
	uint32_t *value = new_array(a, uint32_t, (size_t)p->nvalue + 1), *culprit, full;
	struct colouring g = {
		.p = p, .c = c, .watch = watch, .colours = p->entries[bank], .value = value, .steps = COLOUR_STEPS
	};
	bool fits = false;
	uint8_t *in;

	for (uint32_t v = 0; v < p->nvalue; v++)
		if (c[v].stay != PLACES_NONE && p->stay[c[v].stay].bank == bank)
			value[g.n++] = v;
	clash->sure = true;
	clash->value = culprit = new_array(a, uint32_t, (size_t)g.n + 1);
	find_points(&g, a);
	full = full_point(&g);
	if (full < p->npoint) {
		clash->n = g.colours + 1;
		for (uint32_t i = 0; i < clash->n; i++)
			culprit[i] = value[g.of[g.at[full] + i]];
		return false;
	}
	g.colour = new_array(a, uint8_t, (size_t)g.n + 1);
	fits = left_edge(&g, a);
	if (!fits) {
		find_neighbours(&g, a);
		in = new_array(a, uint8_t, (size_t)g.n + 1);
		memset(in, 1, g.n);
		fits = colour_all(&g, in);
		if (!fits) {
			clash->sure = g.steps && shrink(&g, in, a);
			clash->n = clash->sure ? g.npart : 0;
			for (uint32_t i = 0; i < clash->n; i++)
				culprit[i] = value[g.part[i]];
		}
	}
	for (uint32_t v = 0; v < g.n && fits; v++)
		c[value[v]].entry = g.colour[v];
	return fits;
}

bool places_colour(const struct places *p, struct places_choice *c, const struct stopwatch *watch, struct arena *a,
		   struct places_clash *clash)
{
	for (uint32_t b = 0; b < p->nbank; b++)
		if (!colour_bank(p, c, b, watch, a, clash))
			return false;
	return true;
}

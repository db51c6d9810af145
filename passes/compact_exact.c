/* The fewest MOVs that index compaction could do with, by integer programs over 0 and 1.
 *
 * First without registers' numbers: a piece that the warp executes with the extended set is in it (1) or in the base
 * set (0), neither of which may overflow; a MOV is executed at each boundary of a piece in the extended set, since the
 * other side is in the base set, and nowhere else. That leaves out that a value may have to change its register inside
 * the base set, and that pairs are aligned: no placement costs less. Where it costs as much as the one there is, that
 * is best. Else, of kernels that are small enough, the whole: each piece in one register, no two in one at a position,
 * and a MOV at each boundary whose sides differ.
 *
 * Best is said of values that are cut where the extended set is acquired and released, and nowhere else, and of MOVs
 * that carry them over; those that open a cycle of a parallel copy are not counted. */
#include "passes/compact.h"
#include "passes/graph/solver.h"

#include <math.h>

#define NONE COMPACT_NONE

/* Operands, columns and entries of the program that is tried; of lists of what is alive. */
enum { ENTRIES_MAX = 400000, COLUMNS_MAX = 30000, ALIVE_MAX = 4000000 };
#define COST_MAX 0x1p40 /* of all together: what the solver adds up exactly */

struct answer {
	bool failed, bounded, found;
	char why[200];
	double bound;
	uint8_t reg[];
};

/* that is being put together */
struct program {
	struct arena *a;
	double *cost;
	uint32_t ncol, col_cap;
	double *low, *high;
	uint32_t nrow, low_cap, high_cap;
	uint32_t *at;
	uint32_t at_cap;
	uint32_t *col;
	uint32_t n, entry_cap;
	double *coef;
	uint32_t coef_cap;
};

struct part {
	uint32_t piece, part;
};

struct exact {
	const struct compact *x;
	struct arena *a;
	struct answer *answer;
	double seconds, scale;
	uint32_t *at; /* by position: what is alive there, alive[at[p] .. at[p + 1]) */
	struct part *alive;
};

/* ---- programs ---- */
static uint32_t add_column(struct program *p, double cost)
{
	arena_grow(p->a, p->cost, p->ncol, p->col_cap);
	p->cost[p->ncol] = cost;
	return p->ncol++;
}

static void add_entry(struct program *p, uint32_t col, double coef)
{
	uint32_t n = p->n;

	arena_grow(p->a, p->col, n, p->entry_cap);
	arena_grow(p->a, p->coef, n, p->coef_cap);
	p->col[n] = col;
	p->coef[n] = coef;
	p->n++;
}

/* The entries since the last one are a row. */
static void end_row(struct program *p, double low, double high)
{
	uint32_t n = p->nrow;

	arena_grow(p->a, p->low, n, p->low_cap);
	arena_grow(p->a, p->high, n, p->high_cap);
	arena_grow(p->a, p->at, n + 1, p->at_cap);
	p->low[n] = low;
	p->high[n] = high;
	p->nrow++;
	p->at[p->nrow] = p->n;
}

static struct program program_new(struct arena *a)
{
	struct program p = { .a = a };

	arena_grow(a, p.at, 0, p.at_cap);
	p.at[0] = 0;
	return p;
}

static struct zero_one_result solve(const struct solver *s, const struct program *p, const double *start,
				    double seconds, double *value)
{
	struct zero_one z = { .ncol = p->ncol,
			      .nrow = p->nrow,
			      .cost = p->cost,
			      .low = p->low,
			      .high = p->high,
			      .coef = p->coef,
			      .at = p->at,
			      .col = p->col };

	return zero_one_solve(s, &z, start, seconds, value);
}

/* ---- what is alive ---- */
/* False: too much. */
static bool list_alive(struct exact *e)
{
	const struct compact *x = e->x;
	uint32_t npos = 2 * x->k->ninsn;
	uint64_t total = 0;

	for (uint32_t s = x->item[x->nvalue].span[0]; x->nitem > x->nvalue && s < x->item[x->nitem - 1].span[2]; s++)
		total += x->span[s].to - x->span[s].from;
	if (total > ALIVE_MAX)
		return false;
	e->at = new_array(e->a, uint32_t, (size_t)npos + 3);
	e->alive = new_array(e->a, struct part, total + 1);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = x->nvalue; i < x->nitem; i++)
			for (uint32_t part = 0; part < 2; part++)
				for (uint32_t s = x->item[i].span[part]; s < x->item[i].span[part + 1]; s++)
					for (uint32_t p = x->span[s].from; p < x->span[s].to; p++) {
						if (pass)
							e->alive[e->at[p + 1]++] = (struct part){ i, part };
						else
							e->at[p + 2]++;
					}
		for (uint32_t p = 0; p <= npos && !pass; p++)
			e->at[p + 1] += e->at[p];
	}
	return true;
}

static bool as_before(const struct exact *e, uint32_t p)
{
	uint32_t n = e->at[p + 1] - e->at[p];

	return p && !e->x->hold[p / 2] == !e->x->hold[(p - 1) / 2] && n == e->at[p] - e->at[p - 1] &&
	       memcmp(e->alive + e->at[p], e->alive + e->at[p - 1], n * sizeof *e->alive) == 0;
}

static double cost_of(const struct exact *e, uint64_t weight) { return (double)weight * e->scale; }

/* ---- base or extended ---- */
static double least_by_sets(struct exact *e, const struct solver *s)
{
	const struct compact *x = e->x;
	struct program p = program_new(e->a);
	uint32_t *col = new_array(e->a, uint32_t, (size_t)x->nitem + 1);
	double *value;

	for (uint32_t i = x->nvalue; i < x->nitem; i++) {
		uint64_t sum = 0;

		for (uint32_t b = x->item[i].bound_at; b < x->item[i + 1].bound_at; b++)
			sum += x->bound[x->bound_of[b]].weight;
		col[i] = x->item[i].base ? NONE : add_column(&p, cost_of(e, sum));
	}
	for (uint32_t q = 0; q < 2 * x->k->ninsn; q++) {
		uint32_t all = e->at[q + 1] - e->at[q], n = 0;

		if (!x->hold[q / 2] || as_before(e, q) || (all <= x->base && all <= x->n - x->base))
			continue;
		for (uint32_t y = e->at[q]; y < e->at[q + 1]; y++)
			if (col[e->alive[y].piece] != NONE) {
				add_entry(&p, col[e->alive[y].piece], 1);
				n++;
			}
		if (n)
			end_row(&p, (double)all - x->base, (double)x->n - x->base);
	}
	if (!p.ncol)
		return 0;
	value = new_array(e->a, double, (size_t)p.ncol + 1);
	return solve(s, &p, NULL, e->seconds / 2, value).bound;
}

/* ---- registers ---- */
/* of a piece: one for each register that it may have */
struct columns {
	uint32_t first, step, limit;
};

static uint32_t column(const struct columns *c, uint32_t reg)
{
	return reg % c->step || reg + c->step > c->limit ? NONE : c->first + reg / c->step;
}

static void add_places(struct exact *e, struct program *p, struct columns *c)
{
	const struct compact *x = e->x;

	for (uint32_t i = x->nvalue; i < x->nitem; i++) {
		c[i] = (struct columns){ p->ncol, x->item[i].wide ? 2 : 1, x->item[i].base ? x->base : x->n };
		for (uint32_t r = 0; r + c[i].step <= c[i].limit; r += c[i].step)
			add_entry(p, add_column(p, 0), 1);
		end_row(p, 1, 1);
	}
	for (uint32_t q = 0; q < 2 * x->k->ninsn; q++)
		for (uint32_t r = 0; r < x->n && !as_before(e, q); r++) {
			uint32_t before = p->n;

			for (uint32_t y = e->at[q]; y < e->at[q + 1]; y++) {
				const struct part *at = &e->alive[y];
				uint32_t to = r < at->part ? NONE : column(&c[at->piece], r - at->part);

				if (to != NONE)
					add_entry(p, to, 1);
			}
			if (p->n > before)
				end_row(p, 0, 1);
		}
}

static void add_moves(struct exact *e, struct program *p, const struct columns *c)
{
	const struct compact *x = e->x;

	for (uint32_t b = 0; b < x->nbound; b++) {
		const struct compact_bound *bd = &x->bound[b];
		uint32_t move = add_column(p, cost_of(e, bd->weight));
		uint32_t from_part = x->item[bd->from].wide ? bd->was & 1 : 0,
			 to_part = x->item[bd->to].wide ? bd->was & 1 : 0;

		for (uint32_t r = 0; r < x->n; r++) {
			uint32_t from = r < from_part ? NONE : column(&c[bd->from], r - from_part),
				 to = r < to_part ? NONE : column(&c[bd->to], r - to_part);

			if (from == NONE)
				continue;
			add_entry(p, from, 1);
			if (to != NONE)
				add_entry(p, to, -1);
			add_entry(p, move, -1);
			end_row(p, -1e30, 0);
		}
	}
}

static void by_registers(struct exact *e, const struct solver *s, double bound, double there)
{
	const struct compact *x = e->x;
	struct columns *c = new_array(e->a, struct columns, (size_t)x->nitem + 1);
	struct program p = program_new(e->a);
	struct zero_one_result r;
	double *start, *value;
	uint64_t entries = 0;

	for (uint32_t q = 0; q < 2 * x->k->ninsn; q++)
		entries += as_before(e, q) ? 0 : (uint64_t)(e->at[q + 1] - e->at[q]) * x->n;
	if (entries + 3 * (uint64_t)x->nbound * x->n > ENTRIES_MAX ||
	    (uint64_t)(x->nitem - x->nvalue) * x->n + x->nbound > COLUMNS_MAX)
		return;
	add_places(e, &p, c);
	add_moves(e, &p, c);
	start = new_array(e->a, double, (size_t)p.ncol + 1);
	value = new_array(e->a, double, (size_t)p.ncol + 1);
	for (uint32_t i = x->nvalue; i < x->nitem; i++)
		start[column(&c[i], compact_reg(x, i, x->item[i].was))] = 1;
	for (uint32_t b = 0; b < x->nbound; b++) {
		start[p.ncol - x->nbound + b] = compact_moves(x, &x->bound[b]);
		add_entry(&p, p.ncol - x->nbound + b, cost_of(e, x->bound[b].weight));
	}
	end_row(&p, bound, there);
	r = solve(s, &p, start, e->seconds / 2, value);
	if (r.end == ZERO_ONE_OPTIMAL || r.bound > bound)
		e->answer->bound = r.bound;
	if (!r.found || r.value >= there - 0.5 * e->scale)
		return;
	for (uint32_t i = x->nvalue; i < x->nitem; i++)
		for (uint32_t reg = 0; reg + c[i].step <= c[i].limit; reg += c[i].step)
			if (value[column(&c[i], reg)] > 0.5)
				e->answer->reg[i] = (uint8_t)reg;
	e->answer->found = true;
}

static void work(void *job)
{
	struct exact *e = job;
	double there = cost_of(e, compact_cost(e->x)), bound;
	struct solver s;

	e->answer->failed = !solver_load(&s, e->answer->why, sizeof e->answer->why);
	if (e->answer->failed)
		return;
	bound = least_by_sets(e, &s);
	e->answer->bound = bound;
	e->answer->bounded = true;
	if (bound < there - 0.5 * e->scale)
		by_registers(e, &s, bound, there);
}

const char *compact_exact(struct compact *x, double seconds, uint64_t *bound)
{
	struct arena a;
	struct exact e = { .x = x, .a = &a, .seconds = seconds };
	size_t bytes = sizeof *e.answer + x->nitem;
	uint64_t all = 0, there = compact_cost(x);
	const char *why = NULL;
	bool timed_out;

	*bound = there;
	if (!there)
		return NULL;
	*bound = 0;
	for (uint32_t b = 0; b < x->nbound; b++)
		all += x->bound[b].weight < UINT64_MAX / 4 - all ? x->bound[b].weight : 0;
	e.scale = (double)all > COST_MAX ? COST_MAX / (double)all : 1;
	e.answer = solver_share(bytes);
	if (!e.answer)
		return "the solver cannot be started: no memory";
	arena_init(&a);
	if (list_alive(&e)) {
		why = solver_run(work, &e, seconds, x->a, &timed_out);
		if (e.answer->bounded) /* Cbc may crash when its time is over: then it found nothing more */
			why = NULL;
		if (e.answer->failed)
			why = arena_printf(x->a, "%.*s", (int)sizeof e.answer->why, e.answer->why);
		for (uint32_t v = 0; e.answer->found && v < x->nvalue; v++)
			x->item[v].cut = true;
		for (uint32_t i = x->nvalue; e.answer->found && i < x->nitem; i++)
			x->item[i].reg = e.answer->reg[i];
		there = compact_cost(x);
		*bound = (uint64_t)ceil(fmax(e.answer->bound / e.scale * (1 - 1e-9) - 1e-6, 0));
		if (*bound > there)
			*bound = there;
	}
	solver_unshare(e.answer, bytes);
	arena_free(&a);
	return why;
}

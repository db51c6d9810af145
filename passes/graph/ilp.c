/* The integer program for bipartite edge frustration: minimize the weight of the lost edges so that each odd cycle
 * loses one. There are exponentially many cycles, so those come in when a solution breaks them (separate.c): first by
 * the linear program alone (Clp), which for many sparse graphs, all planar ones among them, has an integer optimum;
 * then by the integer program over the rows found so far (Cbc), whose optimum is a bound, and the answer if it breaks
 * no other cycle.
 *
 * This runs in a process of its own (exact.c). The libraries compute in floating point: what differs by less than a
 * part in 10^9 counts as equal. Weights are divided by their greatest common divisor, so the optimum is an integer, and
 * a bound is rounded up to one. */
#include "ilp.h"
#include "solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STALLS 8 /* rounds of the linear program that add nothing, before it gets no more complete subgraphs */

struct search {
	const struct sgraph *s;
	struct progress *p;
	struct rows rows;
	struct adjacency adj;
	struct arena mem;
	double *x, *cost, *unit; /* a solution; weights / gcd; ones */
	uint64_t gcd;
	uint8_t *side;
	struct stopwatch watch;
	struct solver call;
};

static bool failed(struct search *o, const char *what, int code)
{
	snprintf(o->p->why, sizeof o->p->why, "%s (status %d)", what, code);
	o->p->state = FAILED;
	return false;
}

/* No sides lose less than `value`, in units of the divisor. */
static void raise_bound(struct search *o, double value)
{
	double slack = 1e-6 + value * 1e-9, whole = ceil(value - slack);
	uint64_t bound = o->p->lost;

	if ((double)(o->p->lost / o->gcd) > value + slack)
		bound = whole > 0 ? (uint64_t)whole * o->gcd : 0;
	if (bound > o->p->bound)
		o->p->bound = bound < o->p->lost ? bound : o->p->lost;
}

/* Sides from a solution: a forest of the edges that it loses least of. */
static void round_solution(struct search *o)
{
	struct arena scratch;
	uint32_t other = 1 - o->p->current;
	uint64_t lost;

	arena_init(&scratch);
	sides_by_forest(o->s, o->x, &scratch, o->side);
	arena_free(&scratch);
	lost = sides_loss(o->s, o->side);
	if (lost >= o->p->lost)
		return;
	memcpy(o->p->side + (size_t)other * o->s->g.n, o->side, o->s->g.n);
	__atomic_store_n(&o->p->current, other, __ATOMIC_RELEASE);
	o->p->lost = lost;
}

static bool solved(struct search *o)
{
	if (o->p->bound < o->p->lost)
		return false;
	o->p->state = SOLVED;
	return true;
}

/* Leaves out complete subgraphs that the linear program's solution has room in: they are dense, and the integer program
 * is right without them. */
static void drop_idle(struct search *o)
{
	struct rows kept, *r = &o->rows;

	rows_init(&kept, &o->mem);
	for (uint32_t i = 0; i < r->n; i++) {
		double sum = 0;

		for (uint32_t k = r->at[i]; k < r->at[i + 1]; k++)
			sum += o->x[r->edge[k]];
		if (r->need[i] == 1 || sum < r->need[i] + 1e-6)
			rows_add(&kept, r->edge + r->at[i], r->at[i + 1] - r->at[i], r->need[i]);
	}
	*r = kept;
}

/* True: there is no answer yet, and no reason to stop. */
static bool linear(struct search *o)
{
	uint32_t n = o->s->g.m, given = 0, stalled = 0;
	double last = 0;
	Clp_Simplex *lp = o->call.Clp_newModel();
	double *zero = new_array(&o->mem, double, n);
	int *start = new_array(&o->mem, int, (size_t)n + 1);
	bool more = true;

	o->call.Clp_setLogLevel(lp, 0);
	o->call.Clp_addColumns(lp, (int)n, zero, o->unit, o->cost, start, NULL, NULL);
	while (more) {
		struct arena scratch;
		uint32_t rows;
		int *at, *column;
		double *ones, *need, *upper;

		if (!separate(o->s, &o->adj, o->x, &o->rows) && stalled < STALLS)
			separate_cliques(o->s, &o->adj, o->x, &o->rows);
		rows = o->rows.n - given;
		o->p->cycles = o->rows.n;
		if (!rows)
			break;
		arena_init(&scratch);
		at = new_array(&scratch, int, (size_t)rows + 1);
		column = new_array(&scratch, int, o->rows.nedge - o->rows.at[given]);
		ones = new_array(&scratch, double, o->rows.nedge - o->rows.at[given]);
		need = new_array(&scratch, double, rows);
		upper = new_array(&scratch, double, rows);
		for (uint32_t i = 0; i <= rows; i++)
			at[i] = (int)(o->rows.at[given + i] - o->rows.at[given]);
		for (uint32_t i = 0; i < o->rows.nedge - o->rows.at[given]; i++) {
			column[i] = (int)o->rows.edge[o->rows.at[given] + i];
			ones[i] = 1;
		}
		for (uint32_t i = 0; i < rows; i++) {
			need[i] = o->rows.need[given + i];
			upper[i] = SOLVER_UNLIMITED;
		}
		o->call.Clp_addRows(lp, (int)rows, need, upper, at, column, ones);
		arena_free(&scratch);
		given = o->rows.n;
		o->call.Clp_setMaximumSeconds(lp, stopwatch_left(&o->watch) > 0.01 ? stopwatch_left(&o->watch) : 0.01);
		o->call.Clp_dual(lp, 0);
		if (stopwatch_left(&o->watch) <= 0) {
			o->p->state = TIMED_OUT;
			more = false;
		} else if (o->call.Clp_status(lp) != 0) {
			more = failed(o, "the linear program has no solution", o->call.Clp_status(lp));
		} else {
			double value = o->call.Clp_objectiveValue(lp);

			memcpy(o->x, o->call.Clp_primalColumnSolution(lp), n * sizeof *o->x);
			round_solution(o);
			raise_bound(o, value);
			stalled = value > last * 1.0001 ? 0 : stalled + 1;
			last = value;
			more = !solved(o);
		}
	}
	o->call.Clp_deleteModel(lp);
	if (more)
		drop_idle(o);
	return more;
}

/* One integer program over the rows there are. True: go on with more rows. */
static bool integer(struct search *o)
{
	struct arena scratch;
	const uint8_t *side = o->p->side + (size_t)o->p->current * o->s->g.n;
	uint32_t n = o->s->g.m;
	double *low, *high, *best;
	struct zero_one_result r;
	bool more = false;

	arena_init(&scratch);
	best = new_array(&scratch, double, n);
	low = new_array(&scratch, double, o->rows.n);
	high = new_array(&scratch, double, o->rows.n);
	for (uint32_t i = 0; i < o->rows.n; i++) {
		low[i] = o->rows.need[i];
		high[i] = SOLVER_UNLIMITED;
	}
	for (uint32_t e = 0; e < n; e++)
		best[e] = edge_lost(o->s, e, side);
	r = zero_one_solve(&o->call,
			   &(struct zero_one){ n, o->rows.n, o->cost, low, high, NULL, o->rows.at, o->rows.edge }, best,
			   stopwatch_left(&o->watch), o->x);
	if (r.end == ZERO_ONE_OPTIMAL) {
		round_solution(o);
		raise_bound(o, r.value);
		more = !solved(o);
		if (more && !separate(o->s, &o->adj, o->x, &o->rows))
			more = failed(o, "the integer program's solution is worth something else than it says", 0);
		o->p->cycles = o->rows.n;
	} else if (r.end == ZERO_ONE_INFEASIBLE) {
		failed(o, "the integer program has no solution", 0);
	} else {
		if (r.found)
			round_solution(o);
		raise_bound(o, r.bound);
		if (!solved(o))
			o->p->state = TIMED_OUT;
	}
	arena_free(&scratch);
	return more && stopwatch_left(&o->watch) > 0;
}

void ilp_solve(const struct sgraph *s, double seconds, struct progress *p)
{
	struct search o = { .s = s, .p = p, .watch = stopwatch_start(seconds) };
	uint32_t m = s->g.m;

	arena_init(&o.mem);
	if (!solver_load(&o.call, p->why, sizeof p->why)) {
		p->state = FAILED;
	} else {
		rows_init(&o.rows, &o.mem);
		graph_adjacency(&s->g, &o.mem, &o.adj);
		o.x = new_array(&o.mem, double, m);
		o.cost = new_array(&o.mem, double, m);
		o.unit = new_array(&o.mem, double, m);
		o.side = new_array(&o.mem, uint8_t, s->g.n);
		for (uint32_t i = 0; i < m; i++) {
			uint64_t a = o.gcd, b = s->g.e[i].w;

			while (b) {
				uint64_t r = a % b;

				a = b;
				b = r;
			}
			o.gcd = a;
		}
		for (uint32_t i = 0; i < m; i++) {
			o.cost[i] = (double)(s->g.e[i].w / o.gcd);
			o.unit[i] = 1;
		}
		if (linear(&o))
			while (integer(&o))
				;
		if (p->state == RUNNING)
			p->state = TIMED_OUT;
	}
	arena_free(&o.mem);
}

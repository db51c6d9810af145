/* The integer program for bipartite edge frustration: minimize the weight of the lost edges so that each odd cycle loses one.
 * There are exponentially many cycles, so those come in when a solution breaks them (separate.c): first by the linear
 * program alone (Clp), which for many sparse graphs, all planar ones among them, has an integer optimum; then by the
 * integer program over the rows found so far (Cbc), whose optimum is a bound, and the answer if it breaks no other cycle.
 *
 * The libraries are loaded when they are needed: no other command pays for them, nor needs them. This runs in a process of its own
 * (exact.c), so what they print, leak, or do with signals stays there.
 *
 * They compute in floating point: what differs by less than a part in 10^9 counts as equal. Weights are divided by their
 * greatest common divisor, so the optimum is an integer, and a bound is rounded up to one. */
#include "ilp.h"

#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CLP_LIBRARY "libClp.so.1"
#define CBC_LIBRARY "libCbcSolver.so.3"

#define STALLS 8                /* rounds of the linear program that add nothing, before it gets no more complete subgraphs */
#define UNLIMITED 1e30          /* as a bound of a row */

#define CLP_FUNCTIONS(X) X(Clp_newModel) X(Clp_deleteModel) X(Clp_setLogLevel) X(Clp_addColumns) X(Clp_addRows) X(Clp_dual) \
	X(Clp_status) X(Clp_primalColumnSolution) X(Clp_objectiveValue) X(Clp_setMaximumSeconds)
#define CBC_FUNCTIONS(X) X(Cbc_newModel) X(Cbc_deleteModel) X(Cbc_setParameter) X(Cbc_loadProblem) X(Cbc_setInteger) X(Cbc_setMIPStartI) \
	X(Cbc_solve) X(Cbc_isProvenOptimal) X(Cbc_isProvenInfeasible) X(Cbc_getBestPossibleObjValue) X(Cbc_getObjValue) X(Cbc_getColSolution) \
	X(Cbc_numberSavedSolutions)

struct solver {
	const struct sgraph *s;
	struct progress *p;
	struct rows rows;
	struct adjacency adj;
	struct arena mem;
	double *x, *cost, *unit;                /* a solution; weights / gcd; ones */
	uint64_t gcd;
	uint8_t *side;
	double seconds;
	struct timespec start;
#define POINTER(f) __typeof__(f) *f;
	struct { CLP_FUNCTIONS(POINTER) CBC_FUNCTIONS(POINTER) } call;
};

static bool failed(struct solver *o, const char *what, int code)
{
	snprintf(o->p->why, sizeof o->p->why, "%s (status %d)", what, code);
	o->p->state = FAILED;
	return false;
}

static bool load(struct solver *o)
{
	void *clp = dlopen(CLP_LIBRARY, RTLD_NOW | RTLD_LOCAL), *cbc = dlopen(CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	const char *missing = clp && cbc ? NULL : dlerror();

	/* POSIX lets a pointer to an object hold one to a function; ISO C has no word for that. */
#define FROM(lib, f) \
	if (!missing) { \
		*(void **)&o->call.f = dlsym(lib, #f); \
		missing = o->call.f ? NULL : #f; \
	}
#define FROM_CLP(f) FROM(clp, f)
#define FROM_CBC(f) FROM(cbc, f)
	CLP_FUNCTIONS(FROM_CLP)
	CBC_FUNCTIONS(FROM_CBC)
	if (!missing)
		return true;
	snprintf(o->p->why, sizeof o->p->why, "the solver's libraries %s and %s cannot be loaded: %s", CLP_LIBRARY, CBC_LIBRARY, missing);
	o->p->state = FAILED;
	return false;
}

static double left(const struct solver *o)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return o->seconds - (double)(now.tv_sec - o->start.tv_sec) - (double)(now.tv_nsec - o->start.tv_nsec) * 1e-9;
}

/* No sides lose less than `value`, in units of the divisor. */
static void raise_bound(struct solver *o, double value)
{
	double slack = 1e-6 + value * 1e-9, whole = ceil(value - slack);
	uint64_t bound = o->p->lost;

	if ((double)(o->p->lost / o->gcd) > value + slack)
		bound = whole > 0 ? (uint64_t)whole * o->gcd : 0;
	if (bound > o->p->bound)
		o->p->bound = bound < o->p->lost ? bound : o->p->lost;
}

/* Sides from a solution: a forest of the edges that it loses least of. */
static void round_solution(struct solver *o)
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

static bool solved(struct solver *o)
{
	if (o->p->bound < o->p->lost)
		return false;
	o->p->state = SOLVED;
	return true;
}

/* Leaves out complete subgraphs that the linear program's solution has room in: they are dense, and the integer program is
 * right without them. */
static void drop_idle(struct solver *o)
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
static bool linear(struct solver *o)
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
			upper[i] = UNLIMITED;
		}
		o->call.Clp_addRows(lp, (int)rows, need, upper, at, column, ones);
		arena_free(&scratch);
		given = o->rows.n;
		o->call.Clp_setMaximumSeconds(lp, left(o) > 0.01 ? left(o) : 0.01);
		o->call.Clp_dual(lp, 0);
		if (left(o) <= 0) {
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
static bool integer(struct solver *o)
{
	struct arena scratch;
	const uint8_t *side = o->p->side + (size_t)o->p->current * o->s->g.n;
	uint32_t n = o->s->g.m, *fill;
	Cbc_Model *ip = o->call.Cbc_newModel();
	double *zero, *ones, *upper, *low, *best;
	int *start, *row, *index;
	char number[40];
	bool more = false;

	arena_init(&scratch);
	start = new_array(&scratch, int, (size_t)n + 1);
	fill = new_array(&scratch, uint32_t, (size_t)n + 1);
	row = new_array(&scratch, int, o->rows.nedge);
	ones = new_array(&scratch, double, o->rows.nedge);
	index = new_array(&scratch, int, n);
	zero = new_array(&scratch, double, n);
	best = new_array(&scratch, double, n);
	low = new_array(&scratch, double, o->rows.n);
	upper = new_array(&scratch, double, o->rows.n);
	for (uint32_t i = 0; i < o->rows.nedge; i++) {
		ones[i] = 1;
		start[o->rows.edge[i] + 1]++;
	}
	for (uint32_t e = 0; e < n; e++) {
		start[e + 1] += start[e];
		fill[e] = (uint32_t)start[e];
	}
	for (uint32_t r = 0; r < o->rows.n; r++) {
		low[r] = o->rows.need[r];
		upper[r] = UNLIMITED;
		for (uint32_t i = o->rows.at[r]; i < o->rows.at[r + 1]; i++)
			row[fill[o->rows.edge[i]]++] = (int)r;
	}
	o->call.Cbc_loadProblem(ip, (int)n, (int)o->rows.n, start, row, ones, zero, o->unit, o->cost, low, upper);
	for (uint32_t e = 0; e < n; e++)
		o->call.Cbc_setInteger(ip, (int)e);
	o->call.Cbc_setParameter(ip, "logLevel", "0");
	o->call.Cbc_setParameter(ip, "ratioGap", "0");
	o->call.Cbc_setParameter(ip, "allowableGap", "0");
	snprintf(number, sizeof number, "%.3f", left(o) > 0.01 ? left(o) : 0.01);
	o->call.Cbc_setParameter(ip, "seconds", number);
	o->call.Cbc_setParameter(ip, "timeMode", "elapsed");
	for (uint32_t e = 0; e < n; e++) {
		index[e] = (int)e;
		best[e] = edge_lost(o->s, e, side);
	}
	o->call.Cbc_setMIPStartI(ip, (int)n, index, best);
	o->call.Cbc_solve(ip);
	if (o->call.Cbc_isProvenOptimal(ip)) {
		memcpy(o->x, o->call.Cbc_getColSolution(ip), n * sizeof *o->x);
		round_solution(o);
		raise_bound(o, o->call.Cbc_getObjValue(ip));
		more = !solved(o);
		if (more && !separate(o->s, &o->adj, o->x, &o->rows))
			more = failed(o, "the integer program's solution is worth something else than it says", 0);
		o->p->cycles = o->rows.n;
	} else if (o->call.Cbc_isProvenInfeasible(ip)) {
		failed(o, "the integer program has no solution", 0);
	} else {
		if (o->call.Cbc_numberSavedSolutions(ip) > 0) {
			memcpy(o->x, o->call.Cbc_getColSolution(ip), n * sizeof *o->x);
			round_solution(o);
		}
		raise_bound(o, o->call.Cbc_getBestPossibleObjValue(ip));
		if (!solved(o))
			o->p->state = TIMED_OUT;
	}
	o->call.Cbc_deleteModel(ip);
	arena_free(&scratch);
	return more && left(o) > 0;
}

void ilp_solve(const struct sgraph *s, double seconds, struct progress *p)
{
	struct solver o = { .s = s, .p = p, .seconds = seconds };
	uint32_t m = s->g.m;

	clock_gettime(CLOCK_MONOTONIC, &o.start);
	arena_init(&o.mem);
	if (load(&o)) {
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

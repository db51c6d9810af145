/* The linear and integer solvers of COIN-OR, Clp and Cbc, and a process of its own for whoever works with them: what
 * they print, leak, do with signals, or crash on does not reach the caller. */
#ifndef REGLOOM_GRAPH_SOLVER_H
#define REGLOOM_GRAPH_SOLVER_H

#include "analyzer/base/arena.h"

#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <time.h>

#define SOLVER_UNLIMITED 1e30 /* as a bound of a row */

/* clang-format off */
#define SOLVER_CLP(X) \
	X(Clp_newModel) X(Clp_deleteModel) X(Clp_setLogLevel) X(Clp_addColumns) X(Clp_addRows) X(Clp_dual) \
	X(Clp_status) X(Clp_primalColumnSolution) X(Clp_objectiveValue) X(Clp_setMaximumSeconds)
#define SOLVER_CBC(X) \
	X(Cbc_newModel) X(Cbc_deleteModel) X(Cbc_setParameter) X(Cbc_loadProblem) X(Cbc_setInteger) \
	X(Cbc_setMIPStartI) X(Cbc_solve) X(Cbc_isProvenOptimal) X(Cbc_isProvenInfeasible) \
	X(Cbc_getBestPossibleObjValue) X(Cbc_getObjValue) X(Cbc_getColSolution) X(Cbc_numberSavedSolutions)
/* clang-format on */

/* The libraries' functions. They are loaded when they are needed: no other command pays for them, nor needs them. */
struct solver {
#define POINTER(f) __typeof__(f) *f;
	SOLVER_CLP(POINTER) SOLVER_CBC(POINTER)
#undef POINTER
};
/* False: what is missing is in why, of `bytes`. */
bool solver_load(struct solver *s, char *why, size_t bytes);

/* Minimize cost . x where every x is 0 or 1, and low[r] <= sum of coef[i] * x[col[i]] over i = at[r] .. at[r + 1) - 1
 * <= high[r]. */
/* coef NULL: all 1 */
struct zero_one {
	uint32_t ncol, nrow;
	const double *cost, *low, *high, *coef;
	const uint32_t *at, *col;
};
enum zero_one_end { ZERO_ONE_OPTIMAL, ZERO_ONE_INFEASIBLE, ZERO_ONE_STOPPED };
struct zero_one_result {
	enum zero_one_end end;
	bool found;          /* x is a solution: the optimum, or the best that the solver came to in time */
	double value, bound; /* of x; what no solution costs less than, up to a part in 10^9 */
};
/* start: a solution to begin from, or NULL. x: ncol numbers, as the solver has them (not rounded). */
struct zero_one_result zero_one_solve(const struct solver *s, const struct zero_one *p, const double *start,
				      double seconds, double *x);

struct stopwatch {
	struct timespec start;
	double seconds;
};
struct stopwatch stopwatch_start(double seconds);
double stopwatch_left(const struct stopwatch *w); /* seconds; below 0: over */

/* Zeroed memory that a process of solver_run() writes and the caller reads. NULL: none to be had. */
void *solver_share(size_t bytes);
void solver_unshare(void *p, size_t bytes);
/* Calls work(job) in a process of its own and waits for its end, or kills it a second after `seconds`. What it has
 * written into shared memory by then is there. NULL: it ended or was killed for the time, which is in *timed_out; else,
 * in arena a, what went wrong. */
const char *solver_run(void (*work)(void *job), void *job, double seconds, struct arena *a, bool *timed_out);

#endif

/* Clp and Cbc: loading them, and programs over 0 and 1. */
#include "solver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define CLP_LIBRARY "libClp.so.1"
#define CBC_LIBRARY "libCbcSolver.so.3"

bool solver_load(struct solver *s, char *why, size_t bytes)
{
	void *clp = dlopen(CLP_LIBRARY, RTLD_NOW | RTLD_LOCAL), *cbc = dlopen(CBC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	const char *missing = clp && cbc ? NULL : dlerror();

	/* POSIX lets a pointer to an object hold one to a function; ISO C has no word for that. */
#define FROM(lib, f)                              \
	if (!missing) {                           \
		*(void **)&s->f = dlsym(lib, #f); \
		missing = s->f ? NULL : #f;       \
	}
#define FROM_CLP(f) FROM(clp, f)
#define FROM_CBC(f) FROM(cbc, f)
	SOLVER_CLP(FROM_CLP)
	SOLVER_CBC(FROM_CBC)
	if (missing)
		snprintf(why, bytes, "the solver's libraries %s and %s cannot be loaded: %s", CLP_LIBRARY, CBC_LIBRARY,
			 missing);
	return !missing;
}

struct zero_one_result zero_one_solve(const struct solver *s, const struct zero_one *p, const double *start,
				      double seconds, double *x)
{
	struct zero_one_result result = { .end = ZERO_ONE_STOPPED };
	uint32_t n = p->ncol, nonzero = p->nrow ? p->at[p->nrow] : 0, *fill;
	Cbc_Model *ip = s->Cbc_newModel();
	double *zero, *ones, *value;
	int *first, *row, *index;
	struct arena a;
	char number[40];

	arena_init(&a);
	first = new_array(&a, int, (size_t)n + 1);
	fill = new_array(&a, uint32_t, (size_t)n + 1);
	row = new_array(&a, int, (size_t)nonzero + 1);
	value = new_array(&a, double, (size_t)nonzero + 1);
	ones = new_array(&a, double, (size_t)n + 1);
	zero = new_array(&a, double, (size_t)n + 1);
	index = new_array(&a, int, (size_t)n + 1);
	for (uint32_t i = 0; i < nonzero; i++)
		first[p->col[i] + 1]++;
	for (uint32_t c = 0; c < n; c++) {
		first[c + 1] += first[c];
		fill[c] = (uint32_t)first[c];
		index[c] = (int)c;
		ones[c] = 1;
	}
	for (uint32_t r = 0; r < p->nrow; r++)
		for (uint32_t i = p->at[r]; i < p->at[r + 1]; i++) {
			value[fill[p->col[i]]] = p->coef ? p->coef[i] : 1;
			row[fill[p->col[i]]++] = (int)r;
		}
	s->Cbc_loadProblem(ip, (int)n, (int)p->nrow, first, row, value, zero, ones, p->cost, p->low, p->high);
	for (uint32_t c = 0; c < n; c++)
		s->Cbc_setInteger(ip, (int)c);
	s->Cbc_setParameter(ip, "logLevel", "0");
	s->Cbc_setParameter(ip, "ratioGap", "0");
	s->Cbc_setParameter(ip, "allowableGap", "0");
	snprintf(number, sizeof number, "%.3f", seconds > 0.01 ? seconds : 0.01);
	s->Cbc_setParameter(ip, "seconds", number);
	s->Cbc_setParameter(ip, "timeMode", "elapsed");
	if (start)
		s->Cbc_setMIPStartI(ip, (int)n, index, start);
	s->Cbc_solve(ip);
	if (s->Cbc_isProvenOptimal(ip)) {
		result = (struct zero_one_result){ ZERO_ONE_OPTIMAL, true, s->Cbc_getObjValue(ip),
						   s->Cbc_getObjValue(ip) };
	} else if (s->Cbc_isProvenInfeasible(ip)) {
		result.end = ZERO_ONE_INFEASIBLE;
	} else {
		result.bound = s->Cbc_getBestPossibleObjValue(ip);
		result.found = s->Cbc_numberSavedSolutions(ip) > 0;
		result.value = result.found ? s->Cbc_getObjValue(ip) : 0;
	}
	if (result.found)
		memcpy(x, s->Cbc_getColSolution(ip), n * sizeof *x);
	s->Cbc_deleteModel(ip);
	arena_free(&a);
	return result;
}

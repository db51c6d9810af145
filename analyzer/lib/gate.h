/* Limits on what compiled kernels come to: ptx-annotate --check. All that is known of a kernel is its figures. */
#ifndef REGLOOM_GATE_H
#define REGLOOM_GATE_H

#include "analyzer/emit/findings.h"

/* kernel NULL: of all that have none of their own */
struct limit {
	enum figure figure;
	double bound;
	const char *kernel;
	bool used;
};
struct limits {
	struct limit *of;
	uint32_t n, cap;
};

/* "max-live=64,sgemm:min-occupancy=50": adds these. NULL, or what is wrong with them, in arena a. */
const char *limits_add(struct limits *l, const char *list, struct arena *a);
/* A file of such lists, one a line; '#' begins a comment. False with diagnostics. */
bool limits_read(struct limits *l, const char *path, struct arena *a, struct diag *d);
bool limits_want(const struct limits *l, enum figure f);        /* is there one on it */
const char *limit_text(const struct limit *l, struct arena *a); /* "max-live=64" */

struct gate_result {
	const struct limit *limit;
	double value;
	const char *missing; /* why there is no value, and so nothing to break, but: */
	bool untold;         /* there may be something, and nothing says how much */
	bool holds;
	struct figure_place at; /* of a broken one */
	const char *help;       /* what would help; NULL: nothing is known */
};
struct gate_kernel {
	const struct kernel_figures *of;
	const char *input;
	struct gate_result *result;
	uint32_t nresult, nbroken, nuntold;
};
struct gate {
	struct gate_kernel *of;
	uint32_t n, cap;
	struct arena *a;
};

/* Compares kernel x, which stays where it is, with the limits for it. False with a diagnostic: a limit needs what the
 * caller can say. */
bool gate_add(struct gate *g, struct limits *l, const struct kernel_figures *x, const char *input, struct diag *d);
/* Every limit for one kernel found it. False with a diagnostic. */
bool gate_complete(const struct gate *g, const struct limits *l, struct diag *d);
uint32_t gate_broken(const struct gate *g); /* limits, all kernels together */
uint32_t gate_untold(const struct gate *g); /* likewise, limits that may be broken */
bool gate_holds(const struct gate *g);      /* none of either */

void gate_write(FILE *f, const struct gate *g); /* tables for people */
/* docs/check.schema.json; false if memory or f failed */
bool gate_write_json(FILE *f, const struct gate *g);
void gate_findings(const struct gate *g, struct findings *all); /* a finding for each broken limit */

#endif

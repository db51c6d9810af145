/* What a run counted: one table (stats.def) of counters and formulas. A struct stats belongs to one SM or to the memory
 * system while the model runs, and they are merged at the end. */
#ifndef REGLOOM_STATS_H
#define REGLOOM_STATS_H

#include "analyzer/base/near.h"
#include "runtime-model/core/params.h"

#include <math.h>

/* where an issue slot went; the rows sum to the slots */
enum stall {
#define STALL(id, metric, what) STALL_##id,
#include "runtime-model/core/stall.def"
#undef STALL
	STALL_COUNT
};

struct stats {
#define COUNT(name, unit, what) uint64_t name;
#define FORMULA(name, unit, value, what)
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	uint64_t slots[STALL_COUNT];
};

void stats_reset(struct stats *s);
void stats_merge(struct stats *into, const struct stats *from); /* sums counter by counter */
/* adds now - before */
void stats_add_since(struct stats *into, const struct stats *now, const struct stats *before);

/* A metric by position, 0 .. stats_count() - 1: the counters, then the slots, then the formulas. */
/* value NAN: not known (energy.h) */
struct metric {
	const char *name, *unit, *what;
	bool integer;
	uint64_t count;
	double value;
};
#define METRIC_UNSEEN (-(double)INFINITY) /* a value that the configuration does not look for */
static inline bool metric_known(const struct metric *m) { return isfinite(m->value); }
/* in words, if it is not known */
static inline const char *metric_unknown(const struct metric *m) { return isinf(m->value) ? "-" : "not known"; }
unsigned stats_count(void);
struct metric stats_metric(unsigned i, const struct stats *s, const struct params *p);
const char *stats_name(unsigned i), *stats_unit(unsigned i);
/* By name. False if there is none. */
bool stats_index(const char *name, unsigned *i);
void stats_near(struct near *x); /* offers every name */
bool stats_find(const char *name, const struct stats *s, const struct params *p, struct metric *out);
/* The unit that people see, and what to multiply the value by for it. */
const char *stats_shown_unit(const struct metric *m, double *scale);

/* For people: the main numbers with units, slots as shares, register file, memory, energy. With `base` not NULL, each
 * number stands beside that run's and their ratio. `all`: every metric of the tables instead. */
void stats_print(FILE *f, const struct stats *s, const struct params *p, const struct stats *base, bool all);
/* {NAME: {"value", "unit"}}, counters as exact integers, null for a value that is not known or looked for; a new
 * reference, NULL if out of memory. */
json_t *metric_json(const struct metric *m); /* its value; a new reference */
json_t *stats_json(const struct stats *s, const struct params *p);
void stats_list(FILE *f); /* names, units, meanings */
/* Conservation: conserved.def. False with a diagnostic that names what does not hold: a bug of the model. */
bool stats_check(const struct stats *s, struct diag *d);

#endif

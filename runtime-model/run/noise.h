/* How much of a gain is chance: each configuration timed again under random delays (core/perturb.h), and the ratios to
 * the configuration beside it, run by run under the same seed. */
#ifndef REGLOOM_NOISE_H
#define REGLOOM_NOISE_H

#include "runtime-model/run/compare.h"

/* Two make a deviation. */
enum { PERTURB_LEAST = 2, PERTURB_MOST = 100 };

/* of numbers that are draws of one distribution */
struct noise {
	unsigned n;
	double mean, sd; /* sd: of one of them, with n - 1 */
	double half;     /* half the width of the 95 % interval of the mean: Student's t of n - 1, times sd / sqrt(n) */
};

struct noise noise_of(const double *v, unsigned n); /* n >= PERTURB_LEAST */
/* The rule: a change is one only if 1, no change, lies outside of the interval. With few runs two standard errors would
 * find a change in 12 % (n = 4) of what does not change; Student's t finds 5 % whatever n is. */
static inline bool noise_changed(const struct noise *x) { return fabs(x->mean - 1) > x->half; }
/* Ratios of a metric to that of the configuration beside. False: there are none, or it is the same in all runs. */
bool run_noise(const struct run *r, unsigned config, int kernel, unsigned metric, struct noise *out);

/* For people, of metrics that differ from run to run. Nothing without --perturb. */
void noise_print(FILE *out, const struct run *r, int kernel, const struct metric_choice *m);
/* docs/compare.schema.json, "perturbed"; a new reference; NULL: not perturbed. */
json_t *noise_json(const struct run *r, unsigned config, int kernel);

#endif

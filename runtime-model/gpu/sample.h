/* Timing a sample of a launch's CTAs and estimating the whole: docs/SAMPLING.md#sampling. */
#ifndef REGLOOM_SAMPLE_H
#define REGLOOM_SAMPLE_H

#include "runtime-model/core/stats.h"

enum { SAMPLE_CLUSTERS_MIN = 4, SAMPLE_CLUSTERS_MAX = 1000 };
/* How many times fewer CTAs are timed, at least: where a sample is asked for, and where it is chosen unasked. */
enum { SAMPLE_GAIN = 2, SAMPLE_GAIN_UNASKED = 4, SAMPLE_CLUSTERS_UNASKED = 8 };

/* CTAs of the grid; timed CTAs before them */
struct sample_range {
	uint64_t first, n, before;
};

/* which CTAs are timed, in order */
struct sample_plan {
	/* ranges 1 .. clusters; range 0 and the last are the launch's beginning and end */
	unsigned clusters;
	uint64_t ctas, timed, wave; /* of the grid; of these timed; that fill the machine */
	struct sample_range *range;
};

/* A plan for a launch, in arena a. False: it has too few CTAs to gain, and is timed whole. */
bool sample_plan(struct sample_plan *p, uint64_t ctas, uint64_t wave, unsigned clusters, unsigned gain,
		 struct arena *a);
uint64_t sample_needs(uint64_t wave, unsigned clusters, unsigned gain); /* CTAs that a launch must have */
uint64_t sample_cta(const struct sample_plan *p, uint64_t i);           /* the i-th timed CTA */
bool sample_has(const struct sample_plan *p, uint64_t cta);

/* The model's counters when the first CTA of a cluster's measured part had started (2 i), and when the first behind it
 * had. */
struct sample_marks {
	const struct sample_plan *plan;
	unsigned n;
	struct stats *at;
};
/* The number of timed CTAs that have started at mark n. */
uint64_t sample_mark_at(const struct sample_plan *p, unsigned n);

/* sums over launches */
struct sample_estimate {
	uint64_t launches, whole; /* launches estimated; timed whole for lack of CTAs */
	/* of the one of these that had most CTAs; the fewest that a sample of it takes */
	uint64_t whole_ctas, whole_needs;
	uint64_t timed_ctas, ctas;
	double variance; /* of the cycles */
	double bias;     /* of the cycles, at most: what is wrong in all clusters alike */
	double error;    /* half of the 95 % confidence interval of the cycles, and the bias */
};

/* A launch was timed whole: it has fewer CTAs than it needs. */
void sample_whole(struct sample_estimate *e, uint64_t ctas, uint64_t needs);
/* Extends what was counted of the timed CTAs to the launch, whose instructions are known; adds to *e. */
void sample_extend(const struct sample_marks *m, uint64_t warp_insns, uint64_t thread_insns, struct stats *st,
		   struct sample_estimate *e);

#endif

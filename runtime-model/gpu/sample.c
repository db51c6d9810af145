/* Clusters of consecutive CTAs, one in each of equally long strata of the launch, placed at random within: stratified
 * cluster sampling. A cluster begins with one wave, the CTAs that fill the machine, that only warms it up: caches and
 * the mixture of phases that CTAs are in. Then WAVES waves are measured. The beginning and the end of the launch, where
 * the machine fills and drains, are timed always. The machine goes from cluster to cluster without a pause, so nothing
 * else fills or drains.
 *
 * Cycles are a ratio estimate over warp instructions, whose total execution knows exactly (Cochran, Sampling
 * Techniques, 3rd edition, 6.3 and 6.4): sum of the clusters' cycles / sum of their instructions, times the
 * instructions not timed. Its variance comes from the residuals of the clusters, with the finite population correction;
 * the interval has Student's t for clusters - 1 degrees of freedom. SMARTS (Wunderlich et al., ISCA 2003) does the like
 * for intervals of instructions.
 *
 * That interval does not see what the jump from cluster to cluster does to all of them. The warm-ups show it: what they
 * took more, or less, than the measured parts for as many instructions is in the sum as it is, and decays into the
 * measured part. If it falls by half or more in a warm-up, by q = sqrt(1/2) in two waves, these have 1, q and the
 * measured part q^2 of it; that is q^2 / (1 + q - 2 q^2) = q of what the warm-up shows beside twice the measured
 * part. */
#include "runtime-model/gpu/sample.h"

#include "analyzer/base/rng.h"

#include <math.h>

#define LEFT 0.70710678 /* of a warm-up's excess, at most, in the measured part behind it */

enum {
	WARM = 4,
	WAVES = 2, /* of a cluster: before the measured part; this */
	ENDS = 2,  /* at each end of the launch */
};
_Static_assert(sizeof(struct stats) % sizeof(uint64_t) == 0, "counters and nothing else");

static uint64_t timed_ctas(uint64_t wave, unsigned clusters)
{
	return clusters * (WARM + WAVES) * wave + 2 * ENDS * wave;
}

uint64_t sample_needs(uint64_t wave, unsigned clusters, unsigned gain) { return gain * timed_ctas(wave, clusters); }

void sample_whole(struct sample_estimate *e, uint64_t ctas, uint64_t needs)
{
	e->whole++;
	if (ctas < e->whole_ctas)
		return;
	e->whole_ctas = ctas;
	e->whole_needs = needs;
}

bool sample_plan(struct sample_plan *p, uint64_t ctas, uint64_t wave, unsigned clusters, unsigned gain, struct arena *a)
{
	uint64_t length = (WARM + WAVES) * wave, ends = ENDS * wave, stratum, timed = timed_ctas(wave, clusters);

	if (!clusters || ctas < sample_needs(wave, clusters, gain))
		return false;
	*p = (struct sample_plan){ .clusters = clusters,
				   .ctas = ctas,
				   .timed = timed,
				   .wave = wave,
				   .range = new_array(a, struct sample_range, clusters + 2) };
	stratum = (ctas - 2 * ends) / clusters;
	p->range[0] = (struct sample_range){ 0, ends, 0 };
	for (unsigned i = 0; i < clusters; i++)
		p->range[i + 1] = (struct sample_range){ ends + i * stratum + mix64(i + 1) % (stratum - length + 1),
							 length, ends + i * length };
	p->range[clusters + 1] = (struct sample_range){ ctas - ends, ends, ends + clusters * length };
	return true;
}

uint64_t sample_cta(const struct sample_plan *p, uint64_t i)
{
	unsigned low = 0, high = p->clusters + 1;

	while (low < high) {
		unsigned mid = (low + high + 1) / 2;

		if (p->range[mid].before <= i)
			low = mid;
		else
			high = mid - 1;
	}
	return p->range[low].first + (i - p->range[low].before);
}

bool sample_has(const struct sample_plan *p, uint64_t cta)
{
	unsigned low = 0, high = p->clusters + 1;

	while (low < high) {
		unsigned mid = (low + high + 1) / 2;

		if (p->range[mid].first <= cta)
			low = mid;
		else
			high = mid - 1;
	}
	return cta - p->range[low].first < p->range[low].n;
}

uint64_t sample_mark_at(const struct sample_plan *p, unsigned n)
{
	const struct sample_range *r = &p->range[n / 2 + 1];

	return n % 2 ? r->before + r->n : r->before + WARM * p->wave;
}

/* Student's t for 97.5 %, by its expansion about the normal quantile (Abramowitz and Stegun, 26.7.5): 0.1 % off for 3,
 * less above. */
static double student(unsigned freedom)
{
	const double z = 1.959964, n = freedom, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;

	return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
	       (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

/* Cycles that clusters took more in their warm-ups, for as many instructions, than the measured parts: the mean of all
 * but the first one, in which caches may be cold as the launch found them. */
static double warm_excess(const struct sample_marks *m, double ratio)
{
	double sum = 0;

	for (unsigned i = 1; i < m->plan->clusters; i++) {
		const struct stats *from = &m->at[2 * i - 1], *to = &m->at[2 * i];

		sum += (double)(to->cycles - from->cycles) -
		       ratio * (double)(to->warp_instructions - from->warp_instructions);
	}
	return sum / (m->plan->clusters - 1);
}

static uint64_t scaled(uint64_t n, double f) { return (uint64_t)llround((double)n * f); }

void sample_extend(const struct sample_marks *m, uint64_t warp_insns, uint64_t thread_insns, struct stats *st,
		   struct sample_estimate *e)
{
	const struct sample_plan *p = m->plan;
	uint64_t *to = (uint64_t *)(void *)st, rest = warp_insns - st->warp_instructions;
	double cycles = 0, insns = 0, square = 0, ratio, units;

	for (unsigned i = 0; i < p->clusters; i++) {
		cycles += (double)(m->at[2 * i + 1].cycles - m->at[2 * i].cycles);
		insns += (double)(m->at[2 * i + 1].warp_instructions - m->at[2 * i].warp_instructions);
	}
	ratio = cycles / insns;
	for (unsigned i = 0; i < p->clusters; i++) {
		double d = (double)(m->at[2 * i + 1].cycles - m->at[2 * i].cycles) -
			   ratio * (double)(m->at[2 * i + 1].warp_instructions - m->at[2 * i].warp_instructions);

		square += d * d;
	}
	units = (double)p->ctas / (double)(WAVES * p->wave); /* places for a measured part */
	e->variance += square / (p->clusters - 1) / p->clusters * (1 - p->clusters / units) *
		       pow((double)rest / (insns / p->clusters), 2);
	e->bias += fabs(warm_excess(m, ratio)) * (p->clusters + LEFT * (double)rest / (insns / p->clusters));
	e->error = student(p->clusters - 1) * sqrt(e->variance) + e->bias;
	e->launches++;
	e->timed_ctas += p->timed;
	e->ctas += p->ctas;
	for (size_t i = 0; i < sizeof *st / sizeof *to; i++) {
		uint64_t sum = 0;

		for (unsigned n = 0; n < p->clusters; n++)
			sum += ((const uint64_t *)(const void *)&m->at[2 * n + 1])[i] -
			       ((const uint64_t *)(const void *)&m->at[2 * n])[i];
		to[i] += scaled(sum, (double)rest / insns);
	}
	st->warp_instructions = warp_insns;
	st->thread_instructions = thread_insns;
	st->ctas = p->ctas;
	st->unstarted_instructions = 0;
}

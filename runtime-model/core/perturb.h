/* Random delays, which show how much of a difference between two runs is chance: a model without them gives one number
 * out of a distribution, since a few cycles decide which warp is first, and all that follows. After Alameldeen and Wood
 * (Variability in architectural simulations of multi-threaded workloads, HPCA 2003), who delay each miss by a few
 * nanoseconds. */
#ifndef REGLOOM_PERTURB_H
#define REGLOOM_PERTURB_H

#include "analyzer/base/hash.h"
#include "runtime-model/core/params.h"

enum perturbed { PERTURB_CTA, PERTURB_REPLY };

/* Cycles by which the n-th event of a kind is late in a launch, 0 to perturb_cycles: a hash of what is given, so the
 * same on any number of threads. 0 without a seed. */
static inline cycle perturb_delay(const struct params *p, uint64_t launch, enum perturbed kind, uint64_t n)
{
	const uint64_t of = mix64(((uint64_t)p->perturb << 32 | launch) * HASH_GOLDEN) + kind;

	return p->perturb ? mix64(of + n * HASH_GOLDEN) % (p->perturb_cycles + 1) : 0;
}

#endif

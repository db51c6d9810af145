/* Occupancy of the modelled SM (passes/occupancy.h), with what its residency says registers admit. */
#ifndef REGLOOM_MODEL_OCCUPANCY_H
#define REGLOOM_MODEL_OCCUPANCY_H

#include "passes/occupancy.h"
#include "runtime-model/core/axes.h"
#include "runtime-model/core/params.h"

/* The query for a CTA of so many threads and bytes of shared memory, static and dynamic. It points to p, rf and k. */
struct occupancy_query occupancy_query_of(const struct params *p, const struct rf_config *rf, const struct kernel *k,
					  unsigned threads, uint32_t shared_bytes);

#endif

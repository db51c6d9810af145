/* What a kernel's reads of %clock and %globaltimer give. Execution knows no time, but the model sees when each
 * instruction that reads a clock issues. So a launch that reads one is executed twice: first timed, on a copy of
 * memory, by a job that readings_probe() watches; then on memory itself, with readings_clock() as its clock. */
#ifndef REGLOOM_READINGS_H
#define REGLOOM_READINGS_H

#include "runtime-model/core/probe.h"
#include "runtime-model/engine/engine.h"

struct readings;

bool readings_wanted(const struct kernel *k); /* does it read a clock? */
/* Of a launch of k, of so many CTAs and warps in each; in arena a, until readings_free(). */
struct readings *readings_new(const struct kernel *k, uint64_t ctas, unsigned warps, struct arena *a);
void readings_free(struct readings *r);
const struct gpu_probe *readings_probe(struct readings *r);
/* After the timed launch. start: the SM clock when it began, in cycles; mhz: of that clock. */
struct engine_clock readings_clock(struct readings *r, uint64_t start, unsigned mhz);

#endif

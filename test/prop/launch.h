/* The launch that a generated kernel is made for: its memory and parameters; executed, or timed, and the memory that it
 * leaves. */
#ifndef REGLOOM_PROP_LAUNCH_H
#define REGLOOM_PROP_LAUNCH_H

#include "runtime-model/engine/engine.h"
#include "runtime-model/gpu/sim.h"
#include "test/prop/gen.h"

/* the kernel's parameter block; 20 bytes count */
struct gen_params {
	uint64_t out, in;
	uint32_t n;
};

static inline size_t gen_out_bytes(const struct gen_options *o)
{
	return GEN_SHARED_BYTES + (size_t)o->grid * o->block * GEN_SLOT_BYTES;
}

/* The kernel that the seed and o make, parsed. NULL with a diagnostic; all in arena a. */
struct module *gen_module(uint64_t seed, const struct gen_options *o, struct arena *a, struct diag *d);
/* How many registers it is compiled for, where all sizes are to be tried: enough for most, or few and very few. */
static inline unsigned gen_maxreg(uint64_t seed)
{
	static const unsigned of[] = { 63, 32, 16 };

	return of[seed % 3];
}
/* Loads m, makes `out` (zeros) and `in` (from the seed) and points l at them through p, which must outlive it. */
bool gen_launch(struct device *dev, const struct module *m, uint64_t seed, const struct gen_options *o,
		struct gen_params *p, struct launch *l);

/* What the launch of m's kernel, or in its place of k if that is not NULL, leaves: gen_out_bytes(o) bytes of `out`, in
 * arena a, *out. False: it failed, with a diagnostic. */
enum { GEN_INSNS_MAX = 50000000 };
bool gen_execute(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
		 const struct engine_options *eo,
		 /* n: or NULL */
		 struct arena *a, unsigned char **out, struct engine_counts *n, struct diag *d);
bool gen_time(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
	      const struct sim_options *so,
	      /* what stats_check() says too */
	      struct arena *a, unsigned char **out, struct stats *st, struct diag *d);

#endif

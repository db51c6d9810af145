/* Random kernels as PTX text, from a seed: every construct that the passes must keep right, in kernels that end, never
 * fault, and leave everything they computed in memory, so that two executions can be compared byte for byte.
 *
 *   .entry gen(.param .u64 out, .param .u64 in, .param .u32 n)
 *
 * Thread g (of grid * block) with g < n owns GEN_SLOT_BYTES of `out` from GEN_SHARED_BYTES + g * GEN_SLOT_BYTES on; the
 * first GEN_SHARED_BYTES are counters that all threads change with commutative atomics. `in` holds GEN_IN_BYTES and is
 * only read. What a thread leaves there does not depend on the order in which warps run. */
#ifndef REGLOOM_GEN_H
#define REGLOOM_GEN_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

enum { GEN_SHARED_BYTES = 512, GEN_SLOT_BYTES = 1024, GEN_IN_BYTES = 4096 + 64 };

struct gen_options {
	unsigned statements; /* about how many, at the top level and inside of it */
	unsigned vars;       /* variables of each class, live from start to end: the register pressure */
	unsigned depth;      /* deepest nesting of branches and loops */
	bool barriers;       /* exchange through shared memory; then no thread leaves from inside a branch */
	/* votes and shuffles; then no thread leaves early, and blocks are whole warps */
	bool cross;
	bool floats; /* f32 and f64 operations */
	/* few values, the same statements and loads again, in whole warps: what warps compute and load is often the
	 * same */
	bool repeats;
	uint32_t grid, block, n; /* of the launch that the kernel is made for */
};

/* Options drawn from the seed: small and large kernels, low and high pressure, all features. */
void gen_options_random(struct gen_options *o, uint64_t seed);
/* The same for a kernel that repeats itself. */
void gen_options_repeat(struct gen_options *o, uint64_t seed);
/* The kernel's module, as PTX text in arena a. Same seed and options: same text. */
char *gen_kernel(uint64_t seed, const struct gen_options *o, struct arena *a);
/* Contents of `in`: awkward values of all types among random ones. */
void gen_fill(uint64_t seed, unsigned char in[GEN_IN_BYTES]);

#endif

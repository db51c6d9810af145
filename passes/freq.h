/* What is known when block frequencies are estimated, of a launch and from a run; pass_options point to it. Beside them
 * it decides what registers are shared between warps (passes/regmutex.h), by the CTA; plain code is the same with and
 * without. */
#ifndef REGLOOM_FREQ_H
#define REGLOOM_FREQ_H

#include "passes/occupancy.h"

/* of each kernel with a parameter of that name */
struct launch_param {
	const char *name;
	uint64_t value;
};
struct launch_facts {
	uint32_t block[3], grid[3]; /* 0: not known; a kernel's .reqntid goes first */
	uint32_t dynamic_bytes;     /* shared memory of a CTA that the launch adds */
	const struct launch_param *param;
	uint32_t nparam;    /* of two of one name the later counts */
	const char *kernel; /* whose launch it is; NULL: of all that no `next` names */
	const struct launch_facts *next;
};
/* Those of kernel k; NULL: nothing is known. */
const struct launch_facts *launch_facts_of(const struct launch_facts *l, const struct kernel *k);
/* A CTA of k as far as it is known: .reqntid, else the block of its launch. */
struct occupancy_cta launch_cta(const struct kernel *k, const struct launch_facts *l);

/* what a run counted: docs/profile.schema.json */
struct profile_kernel {
	const char *name;
	uint64_t code; /* ir_hash_code() of the kernel that ran */
	uint32_t nblock;
	const uint64_t *executions; /* by block: warps that executed it, in all launches */
};
struct profile {
	const char *path;
	const struct profile_kernel *kernel;
	uint32_t nkernel;
};

#endif

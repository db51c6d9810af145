/* What is known when block frequencies are estimated, of a launch and from a run; pass_options point to it. It decides nothing
 * else: the code that comes out is the same with and without. */
#ifndef REGLOOM_FREQ_H
#define REGLOOM_FREQ_H

#include <stdint.h>

struct launch_param { const char *name; uint64_t value; };       /* of each kernel with a parameter of that name */
struct launch_facts {
	uint32_t block[3], grid[3];     /* 0: not known; a kernel's .reqntid goes first */
	const struct launch_param *param; uint32_t nparam;
};

struct profile_kernel {                 /* what a run counted: docs/profile.schema.json */
	const char *name;
	uint64_t code;                  /* ir_hash_code() of the kernel that ran */
	uint32_t nblock;
	const uint64_t *executions;     /* by block: warps that executed it, in all launches */
};
struct profile {
	const char *path;
	const struct profile_kernel *kernel; uint32_t nkernel;
};

#endif

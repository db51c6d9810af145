/* Occupancy: how many CTAs of a kernel an SM holds at once, what limits that, and what would make room for one more. */
#ifndef REGLOOM_OCCUPANCY_H
#define REGLOOM_OCCUPANCY_H

#include "runtime-model/axis.h"

enum occupancy_limit { LIMIT_CTAS, LIMIT_THREADS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_COUNT };
const char *occupancy_limit_name(enum occupancy_limit why);

struct occupancy_query {
	const struct params *params;
	const struct rf_config *rf;     /* its residency says what registers admit */
	const struct kernel *kernel;
	unsigned threads;               /* of a CTA */
	uint32_t shared_bytes;          /* of a CTA, static and dynamic */
};

#define OCCUPANCY_ANY UINT32_MAX        /* a resource that the kernel does not use */
struct occupancy {
	unsigned ctas;                  /* of an SM; 0: the kernel does not fit */
	enum occupancy_limit why;       /* the first of those that admit no more */
	unsigned by[LIMIT_COUNT];       /* CTAs that each would admit alone, or OCCUPANCY_ANY */
	unsigned warps, warp_slots;     /* of an SM: held, there are */
};
struct occupancy occupancy_of(const struct occupancy_query *q);

/* What would make room for one more CTA: the least changes, each of which suffices alone. Within one, all are needed, and none
 * may be less. Found by trying occupancy_of(). A CTA of at most so many threads, ... */
struct occupancy_change {
	unsigned what;                  /* 1 << enum occupancy_limit: those that change; the others are the query's */
	unsigned threads, regs;         /* regs: of a thread */
	uint32_t shared_bytes;
};
enum { OCCUPANCY_GAINS = 2 };
struct occupancy_gain { unsigned n; struct occupancy_change change[OCCUPANCY_GAINS]; };  /* n 0: nothing of the kernel would */
struct occupancy_gain occupancy_gain(const struct occupancy_query *q);

/* The block size, a multiple of 32 up to what the kernel and PTX allow, that fills most warp slots with shared memory and registers as
 * they are; of several, the one nearest to q's. q->threads if none fills more. */
unsigned occupancy_best_block(const struct occupancy_query *q);

#endif

/* Occupancy: how many CTAs of a kernel an SM holds at once, what limits that, and what would make room for one more.
 * What registers admit is the register file's: statically, as GPUs do it, or by whatever by_registers() says. */
#ifndef REGLOOM_OCCUPANCY_H
#define REGLOOM_OCCUPANCY_H

#include "analyzer/ir/ir.h"

enum { WARP_THREADS = 32 };

/* of a machine: what an SM has to give */
struct sm_limits {
	const char *machine; /* "gtx480" */
	uint32_t registers;  /* of 32 bits */
	uint32_t granule;    /* registers of a thread are allocated in multiples of it */
	uint32_t shared_bytes, threads, ctas;
	/* Of real GPUs; 0: as the models have it. */
	uint32_t parts; /* warps are in partitions, each with its part of the registers */
	/* shared memory is allocated in multiples of it; bytes of each CTA beside its own */
	uint32_t shared_granule, cta_shared;
	uint32_t barriers; /* named barriers, which CTAs share */
};
/* The GTX 480 (runtime-model/machine/gtx480.def). */
#define SM_LIMITS_DEFAULT                                                                                      \
	{                                                                                                      \
		.machine = "gtx480", .registers = 32768, .granule = 4, .shared_bytes = 49152, .threads = 1536, \
		.ctas = 8                                                                                      \
	}

/* Those of real GPUs (sm_limits.def): of the newest that sm_SM code was made for, "sm_80"; of a name. False: there is
 * none. */
bool occupancy_sm(unsigned sm, struct sm_limits *out);
bool occupancy_sm_named(const char *name, struct sm_limits *out);
const char *occupancy_sm_name(unsigned i); /* of them in order; NULL after the last */

bool occupancy_same(const struct sm_limits *a, const struct sm_limits *b); /* In all but the machine's name. */

/* ---- what registers alone admit; regs, base, extended: of a thread ---- */
/* As they are allocated: rounded up, 1 at least. */
uint32_t occupancy_allocated(const struct sm_limits *m, uint32_t regs);
/* All of a CTA's registers, from its launch to its end. */
unsigned occupancy_static(const struct sm_limits *m, uint32_t regs, unsigned warps_per_cta);
/* RegMutex: base sets, and room for one extended set at least. Neither is rounded: the worked example of section
 * III-A2 has base sets of 18 registers where 4 are the granule. Where warps are in partitions, each has its sets in
 * its own, the registers of even numbers in one of two banks and the others in the other. 0: no CTA fits. */
unsigned occupancy_regmutex(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps_per_cta);
/* Paired warps: an extended set for each two warp slots of a partition, or one of a last slot alone. */
unsigned occupancy_paired(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps_per_cta);
/* Extended sets that so many warps of RegMutex share, at most one for each. */
uint32_t occupancy_sections(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps);
/* Those of them in one partition; part 0 of an SM that has none: all. */
uint32_t occupancy_sections_of(const struct sm_limits *m, uint32_t base, uint32_t extended, unsigned warps,
			       unsigned part);

/* ---- all limits ---- */
enum occupancy_limit { LIMIT_CTAS, LIMIT_THREADS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_COUNT };
const char *occupancy_limit_name(enum occupancy_limit why);

/* A CTA of a launch: threads, 0 if they are not known, and shared memory beside the kernel's own. */
struct occupancy_cta {
	uint32_t threads, dynamic_bytes;
};

struct occupancy_query {
	struct sm_limits sm;
	const struct kernel *kernel; /* its block sizes: .reqntid, .maxntid */
	unsigned threads, regs;      /* of a CTA; of a thread */
	uint32_t shared_bytes;       /* of a CTA, static and dynamic */
	/* CTAs that registers admit. NULL: occupancy_static(). */
	unsigned (*by_registers)(const struct occupancy_query *q, unsigned warps_per_cta);
	const void *ctx[2];      /* for by_registers() */
	uint32_t base, extended; /* likewise */
};

#define OCCUPANCY_ANY UINT32_MAX /* a resource that the kernel does not use */
struct occupancy {
	unsigned ctas;              /* of an SM; 0: the kernel does not fit */
	enum occupancy_limit why;   /* the first of those that admit no more */
	unsigned by[LIMIT_COUNT];   /* CTAs that each would admit alone, or OCCUPANCY_ANY */
	unsigned warps, warp_slots; /* of an SM: held, there are */
};
struct occupancy occupancy_of(const struct occupancy_query *q);

/* What would make room for one more CTA: the least changes, each of which suffices alone. Within one, all are needed,
 * and none may be less. Found by trying occupancy_of(). A CTA of at most so many threads, ... */
struct occupancy_change {
	unsigned what;          /* 1 << enum occupancy_limit: those that change; the others are the query's */
	unsigned threads, regs; /* regs: of a thread */
	uint32_t shared_bytes;
};
enum { OCCUPANCY_GAINS = 2 };
/* n 0: nothing of the kernel would */
struct occupancy_gain {
	unsigned n;
	struct occupancy_change change[OCCUPANCY_GAINS];
};
struct occupancy_gain occupancy_gain(const struct occupancy_query *q);
/* It in words: "at most 20 registers a thread (21 now); or blocks of 224 threads (256 now)"; or why there is none. */
const char *occupancy_gain_text(const struct occupancy_query *q, const struct occupancy_gain *g, struct arena *a);

/* The block size, a multiple of 32 up to what the kernel and PTX allow, that fills most warp slots with shared memory
 * and registers as they are; of several, the one nearest to q's. q->threads if none fills more. */
unsigned occupancy_best_block(const struct occupancy_query *q);

#endif

/* Whether what a kernel's annotation proves of its values is what an execution has: levels and strides of registers
 * that are read and written, guards, and where all lanes come together (passes/uniform.h). */
#ifndef REGLOOM_UNIFORM_SEEN_H
#define REGLOOM_UNIFORM_SEEN_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/record.h"

/* of the k-th executions of an instruction by several warps, the first that are compared */
enum { UNIFORM_TIMES = 64 };

struct uniform_seen; /* one launch */
struct uniform_cta;  /* one CTA of it, in flight */
/* k: machine form, FACT_UNIFORM valid and true of CTAs of `threads` threads. In arena a. */
struct uniform_seen *uniform_seen_new(const struct kernel *k, uint32_t threads, struct arena *a);
struct uniform_cta *uniform_cta_new(const struct uniform_seen *s, struct arena *a);
void uniform_cta_begin(struct uniform_cta *c); /* for the next CTA */
/* The next record of a warp, with values (WANT_VALUES). NULL, or in arena a what contradicts the annotation. */
const char *uniform_seen_step(struct uniform_seen *s, struct uniform_cta *c, unsigned warp, const struct record *r,
			      struct arena *a);
/* Registers of which something is proved that were compared, each time that one was read or written by some lane. */
uint64_t uniform_seen_compared(const struct uniform_seen *s);

#endif

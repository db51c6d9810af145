/* Where the values of excluded instructions (excluded.c) may go: through registers, and through memory that the launch
 * touches. */
#ifndef REGLOOM_FLOW_H
#define REGLOOM_FLOW_H

#include "analyzer/ir/ir.h"

struct mufu_table;

/* Why the result of instruction n of k may rightly be another on a device; NULL: it may not. t: a table that the device
 * follows, or NULL. */
const char *excluded(const struct kernel *k, uint32_t n, const struct mufu_table *t);

/* Memories are numbered: pieces that the host sees, then those of a launch alone. */
enum { FLOW_SHARED, FLOW_LOCAL, FLOW_ELSEWHERE, FLOW_OWN };

struct flow {
	const struct kernel *k; /* machine form, FACT_CFG valid */
	const struct mufu_table *mufu;
	unsigned pieces; /* memory FLOW_X is number pieces + FLOW_X */
	const uint64_t
		*touched; /* by instruction, flow_words() each: memories that it touched where the engine ran it */
	/* in: memories that may differ before the launch; out: after it */
	uint64_t *differs;
	/* An instruction whose address, guard or branch hangs on such a value, so that all that the kernel writes may
	 * differ; UINT32_MAX: there is none. */
	uint32_t decided;
};

static inline unsigned flow_words(unsigned pieces) { return bitset_words(pieces + FLOW_OWN); }
/* Conservative: a value that is made of one that may differ may differ; a memory does as a whole. FACT_CFG must be
 * valid. In arena a. */
void flow_run(struct flow *f, struct arena *a);

#endif

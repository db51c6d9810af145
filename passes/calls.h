/* Calls of a kernel's functions, in the order in which what functions do is summed up. */
#ifndef REGLOOM_CALLS_H
#define REGLOOM_CALLS_H

#include "analyzer/ir/ir.h"

/* Blocks that end in a call of functions that are known. Those of a function that is called come before those of its
 * callers, unless it calls itself, directly or not: facts that callers get from what they call are found in one round
 * over this list, facts that go the other way in one against it, and one round more says so. In arena a; linear in
 * blocks and targets. */
struct calls {
	const uint32_t *block;
	uint32_t n;
};
struct calls calls_in_order(const struct kernel *k, struct arena *a);
/* What such a block calls; of any other block nothing. */
static inline struct ir_targets calls_targets(const struct kernel *k, uint32_t b)
{
	const struct insn *call = ir_block_end(k, b, OPF_CALL);

	return call ? ir_targets(k, call) : (struct ir_targets){ .n = 0 };
}

#endif

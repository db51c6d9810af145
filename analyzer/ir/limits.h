/* Limits of a kernel's graph. Small inputs can stand for large ones: n branches through one table of n labels are n * n
 * edges. Compilers make a table for each branch, so that these limits are far from what they write. */
#ifndef REGLOOM_IR_LIMITS_H
#define REGLOOM_IR_LIMITS_H

enum {
	/* Of branches and calls by tables: labels or functions, once for each instruction that may go there. */
	IR_TARGETS_MAX = 1 << 19,
	IR_EDGES_MAX = 1 << 21, /* between blocks, those from returns to behind calls among them */
};

#endif

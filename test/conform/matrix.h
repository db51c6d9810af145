/* The matrix rows of the conformance suite: matrix.c has the tests, conform.c runs their kernels. */
#ifndef REGLOOM_CONFORM_MATRIX_H
#define REGLOOM_CONFORM_MATRIX_H

#include "test/conform/conform.h"

/* Tests a row of tensor.def; what it and its helpers (loads and stores of wmma) executed is marked. *differs: sums of
 * machine code are others, as they may be. */
bool matrix_check(enum op op, bool quick, bool covered[OP_COUNT], bool *differs);
/* Runs the one kernel of PTX, with parameters out and in, on one warp. COVERED, if not NULL: the rows that it has. */
bool matrix_run(const char *ptx, const void *in, size_t in_bytes, void *out, size_t out_bytes, bool machine,
		bool covered[OP_COUNT]);

#endif

/* Constant evaluation for pass_fold: a few exact integer operations over immediates. */
#ifndef REGLOOM_FOLD_H
#define REGLOOM_FOLD_H

#include "analyzer/ir/ir.h"

/* Value of op over immediate sources (zero-extended to 64 bits), for the 32- and 64-bit integer rows of the table in
 * fold_eval.c. False if op is not among them. *wide: the result has 64 bits, else the low 32 of *d count. */
bool fold_eval(enum op op, const uint64_t src[3], uint64_t *d, bool *wide);

/* The source that op returns unchanged when source `s` is the immediate v (x + 0, x * 1, x << 0 ...): its index, or
 * -1. */
int fold_identity(enum op op, unsigned s, uint64_t v);

#endif

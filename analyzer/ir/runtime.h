/* Calls of functions of the runtime (vprintf, malloc) in decoded machine code: SASS_UNKNOWN with an offset. The
 * function is in the driver, so what else it writes than its result, the instruction's destinations, is not known;
 * what it reads is: arguments and what each call hands over, in registers of the ABI (docs/LIFT.md says how that was
 * seen). */
#ifndef REGLOOM_IR_RUNTIME_H
#define REGLOOM_IR_RUNTIME_H

#include "analyzer/ir/ir.h"

/* general registers: the stack pointer, the first argument, a pair with the return address */
enum { RUNTIME_STACK = 1, RUNTIME_ARGUMENTS = 4, RUNTIME_RETURN = 20 };

static inline bool insn_calls_runtime(const struct insn *i) { return i->op == OP_SASS_UNKNOWN && i->offset > 0; }
/* ARGUMENTS: registers from RUNTIME_ARGUMENTS on, a bit each; not 0. */
static inline void insn_set_runtime(struct insn *i, uint32_t arguments) { i->offset = (int32_t)arguments; }
static inline uint32_t insn_runtime_arguments(const struct insn *i) { return (uint32_t)i->offset; }

#endif

/* Machine code of a cubin as kernels of the IR (docs/LIFT.md): a kernel for each entry, in
 * machine form, with the functions that it calls behind it. */
#ifndef REGLOOM_SASS_LIFT_H
#define REGLOOM_SASS_LIFT_H

#include "analyzer/cubin/cubin.h"
#include "analyzer/ir/ir.h"

/* Instruction i of the result is word k->native->word[i]; nothing is added, moved or left out but the padding behind
 * each function. What cannot be followed (targets of calls through registers, opcodes that the decoder does not know,
 * control that leaves its function) is conservative and in k->native->note. Strings and words are the cubin's or in
 * arena a. NULL with a diagnostic if there is no kernel, or a branch leaves its section. Linear in the code. */
struct module *sass_lift(const struct cubin *c, struct arena *a, struct diag *d);
/* The same of a file that may have variables alone. */
struct module *sass_lift_any(const struct cubin *c, struct arena *a, struct diag *d);

/* What PTX calls special register NUMBER of machine code; SREG_COUNT: nothing, or it is not known. */
enum sreg sass_special(uint64_t number);

#endif

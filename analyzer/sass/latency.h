/* Units and accesses of instructions of machine code, for analyzer/ir/latency.h. */
#ifndef REGLOOM_SASS_LATENCY_H
#define REGLOOM_SASS_LATENCY_H

#include "analyzer/ir/latency.h"
#include "analyzer/sass/sass.h"

enum sass_unit sass_unit(const struct sass_insn *s);
/* All accesses, the guard first; fixed registers are left out, and so are barriers of lanes. */
unsigned sass_accesses(const struct sass_insn *s, struct sass_access out[SASS_ACCESSES]);

#endif

/* Views of a compiled module for people and tools. The kernels are in machine form with CFG and liveness valid. */
#ifndef REGLOOM_EMIT_H
#define REGLOOM_EMIT_H

#include "analyzer/ir/ir.h"

/* Text listing after nvdisasm's life-range view: one column for each register (^ written, v read, x both, : live), the
 * live count, and the source line. text: the contents of m->file[i] where they could be read, else NULL entries. */
void emit_listing(FILE *f, const struct module *m, const struct kernel *k);
void emit_dot(FILE *f, const struct module *m, const struct kernel *k);           /* Graphviz: the CFG */
bool emit_json(FILE *f, const struct module *m);                                  /* docs/annotate.schema.json */
void emit_summary(FILE *f, const struct module *m, const struct kernel *k);       /* what the passes found, for people */

#endif

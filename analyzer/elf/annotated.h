/* The annotated cubin (docs/ANNOTATED_CUBIN.md): what the analyses found, in sections of the cubin that it was found
 * of, by section and byte of the code. The records are those of format.h. */
#ifndef REGLOOM_ANNOTATED_H
#define REGLOOM_ANNOTATED_H

#include "analyzer/cubin/cubin.h"
#include "analyzer/ir/ir.h"

/* Whether a cubin has annotations. */
bool annotated_has(const struct cubin *c);
/* The bytes of cubin c, read from s, with annotations of the kernels of m, which were lifted from it and have
 * FACT_OBJECT. Those that it may have had are replaced. The same module gives the same bytes. *bytes in arena a. */
bool annotated_write(const struct module *m, const struct cubin *c, const struct source *s, struct arena *a,
		     void **bytes, size_t *n, struct diag *d);
/* Reads the annotations of cubin c for the kernels of m, which were lifted from it: what code decides is computed again
 * and must be equal, what was chosen is checked and taken over. Kernels with annotations have FACT_OBJECT then, others
 * no facts. False with a diagnostic: the code is not the one that was annotated, or the annotations are damaged. */
bool annotated_read(struct module *m, const struct cubin *c, struct diag *d);

#endif

/* The annotated object: an ELF64 relocatable file (EM_NONE) with, for each kernel, code, resources, source lines and
 * annotations, each in its own versioned section. docs/RLO.md gives every field. Nothing in it is trusted on load. */
#ifndef REGLOOM_RLO_H
#define REGLOOM_RLO_H

#include "analyzer/ir/ir.h"

/* Which annotations a kernel carries; an axis value names the ones that it needs. */
enum anno { ANNO_LIVE = 1 << 0 };

/* Writes m, whose kernels are in machine form with FACT_CFG and FACT_LIVE valid. False with a diagnostic; nothing is left. */
bool rlo_write(const struct module *m, const char *path, struct diag *d);
/* Reads an object ("-": standard input). Checks every field, rebuilds CFG, post-dominators and liveness, and compares the
 * stored annotations with them. NULL with a diagnostic that names section and offset. */
struct module *rlo_read(const char *path, struct arena *a, struct diag *d);
/* The same from memory, for the fuzzer. name: for diagnostics. */
struct module *rlo_read_memory(const void *bytes, size_t n, const char *name, struct arena *a, struct diag *d);

#endif

/* The annotated object: an ELF64 relocatable file (EM_NONE) with, for each kernel, code, resources, source lines and
 * annotations, each in its own versioned section. docs/RLO.md gives every field. Nothing in it is trusted on load. */
#ifndef REGLOOM_RLO_H
#define REGLOOM_RLO_H

#include "analyzer/ir/ir.h"

/* Which annotations a kernel carries; an axis value names the ones that it needs. */
enum anno {
	ANNO_LIVE = 1 << 0,
	ANNO_RELEASE = 1 << 1,
	ANNO_CORF = 1 << 2,
	ANNO_STRAND = 1 << 3,
	ANNO_RFC = 1 << 4,
	ANNO_ORF = 1 << 5,
	/* ANNO_REGMUTEX: k->regmutex of each kernel */
	ANNO_OWF = 1 << 6,
	ANNO_REGMUTEX = 1 << 7,
	ANNO_SCALAR = 1 << 8
};
/* What every object carries; ANNO_REGMUTEX only where it was considered to share registers between warps. */
enum { ANNO_ALL = ANNO_LIVE | ANNO_RELEASE | ANNO_CORF | ANNO_STRAND | ANNO_RFC | ANNO_ORF | ANNO_OWF | ANNO_SCALAR };

/* Writes m, whose kernels are in machine form with FACT_OBJECT valid, to PATH ("-": standard output). False with a
 * diagnostic; nothing is left. Where m was parsed from text, insn.where becomes a line of the object's line table
 * (ir_where()). */
bool rlo_write(const struct module *m, const char *path, struct diag *d);
/* The same as bytes in arena a. */
bool rlo_encode(const struct module *m, struct arena *a, void **bytes, size_t *n, struct diag *d);
/* Reads an object ("-": standard input). Checks every field, makes FACT_OBJECT valid again, and compares the stored
 * annotations with it. Every kernel carries ANNO_ALL. NULL with a diagnostic that names section and offset. */
struct module *rlo_read(const char *path, struct arena *a, struct diag *d);
/* The same from memory. name: for diagnostics. */
struct module *rlo_read_memory(const void *bytes, size_t n, const char *name, struct arena *a, struct diag *d);

#endif

/* Sections added to a cubin, and taken away again (docs/ANNOTATED_CUBIN.md#container). Knows nothing of what they
 * hold. */
#ifndef REGLOOM_CUBIN_WRITE_H
#define REGLOOM_CUBIN_WRITE_H

#include "analyzer/base/diag.h"

struct cubin_addition {
	const char *name;
	const void *bytes;
	size_t n;
};

/* What all names of added sections begin with; those of the next two are added to each cubin that gets any. */
#define CUBIN_ADDED ".regloom."
#define CUBIN_CONTAINER ".regloom.container" /* what was there before */
#define CUBIN_NAMES ".regloom.names"         /* the names of all sections; a string table */

/* sh_type of all of them, from the range that ELF leaves to programs: nvlink drops sections of such a type, where it
 * would join others of one name. */
#define CUBIN_ADDED_TYPE 0x8000524cu

/* from 65,280 on the first section header says how many there are (ELF, e_shnum) */
enum { CUBIN_SECTIONS_MAX = 1 << 20 };

/* BYTES, a cubin that cubin_read() takes, with sections behind everything that it has. Each byte of it keeps its value
 * and its place, those of the ELF header left out that say where section headers are and how many. *out in arena a. */
bool cubin_add(const char *name, const void *bytes, size_t n, const struct cubin_addition *add, uint32_t nadd,
	       struct arena *a, void **out, size_t *out_n, struct diag *d);
/* The bytes that cubin_add() was given to make BYTES, in arena a; BYTES itself if it has no such sections. False with a
 * diagnostic: it has, but not where cubin_add() puts them. */
bool cubin_remove_added(const char *name, const void *bytes, size_t n, struct arena *a, const void **out, size_t *out_n,
			struct diag *d);

#endif

/* Machines that users describe in files. A file holds what params_print() prints, a value a line, and may begin with
 * "machine: NAME", whose values stand where it is silent (docs/MACHINES.md#files). */
#ifndef REGLOOM_MACHINE_FILE_H
#define REGLOOM_MACHINE_FILE_H

#include "runtime-model/core/params.h"

/* Does --machine=TEXT mean a file? It does if no machine is called so, and it has a '/' or a '.', or there is one. */
bool machine_is_file(const char *text);
/* Fills p with the machine of that name, or of that file. Texts in arena a, which outlives p. False with a
 * diagnostic. */
bool machine_read(struct params *p, const char *text, struct arena *a, struct diag *d);
/* Of a file that has been read: its path stands for it in messages and results, unless it names itself. */
bool machine_read_source(struct params *p, const struct source *s, struct arena *a, struct diag *d);

#endif

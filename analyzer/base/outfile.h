/* Output that appears whole or not at all: written to a temporary file beside the target, renamed on commit. */
#ifndef REGLOOM_OUTFILE_H
#define REGLOOM_OUTFILE_H

#include "diag.h"

struct outfile {
	FILE *f;                        /* write here */
	char *path, *temp;              /* temp is NULL for standard output, devices and pipes */
	struct diag *d;
};

/* Opens PATH for writing ("-": standard output). False with a diagnostic. Strings in arena a. */
bool outfile_open(struct outfile *o, const char *path, struct arena *a, struct diag *d);
/* Flushes, closes, renames. False with a diagnostic if any byte could not be written; then nothing is left behind. */
bool outfile_commit(struct outfile *o);
/* Throws away what was written. Harmless after commit. */
void outfile_discard(struct outfile *o);
/* Removes the temporary files of all that are open, as a signal handler may that ends the process. */
void outfile_abandon(void);

#endif

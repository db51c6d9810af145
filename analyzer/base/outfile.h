/* Output that appears whole or not at all. It is written to a file that has no name, where the file system has such
 * files (O_TMPFILE), and gets its own when it is whole; elsewhere, and for the moment in which it takes the place of an
 * older file, it has a temporary name beside the target, NAME.regloom-XXXXXX. Its writer holds a lock on it (flock), so
 * that what a killed writer leaves is known: the first file that a process opens in a folder removes all such there.
 *
 * What is replaced keeps its mode and, where that is allowed, its owner and group. Symbolic links are followed: the
 * link stays, and the file that it leads to is replaced. Devices, pipes, and descriptors by name (/dev/stdout,
 * /dev/fd/3), are written in place. */
#ifndef REGLOOM_OUTFILE_H
#define REGLOOM_OUTFILE_H

#include "diag.h"

#include <sys/stat.h>

struct outfile {
	FILE *f;    /* write here */
	char *path; /* as it was asked for */
	struct diag *d;
	bool whole;    /* the commit puts it in place; false: standard output, devices, pipes */
	bool replaces; /* there was a file, `was` */
	struct stat was;
	char *target, *temp; /* what links lead to; "": the file has no name so far */
	int fd;              /* another of the file: it holds the lock until that is in place */
};

/* Opens PATH for writing ("-": standard output). False with a diagnostic. Strings in arena a. */
bool outfile_open(struct outfile *o, const char *path, struct arena *a, struct diag *d);
/* Flushes, closes, puts in place. False with a diagnostic if any byte could not be written; then nothing is left
 * behind. */
bool outfile_commit(struct outfile *o);
/* Throws away what was written. Harmless after commit. */
void outfile_discard(struct outfile *o);
/* Removes the temporary files of all that are open, as a signal handler may that ends the process. */
void outfile_abandon(void);
/* Removes what killed writers have left in FOLDER. */
void outfile_sweep(const char *folder);
/* A file for reading and writing in FOLDER that has no name and goes with its last descriptor. -1 with errno. */
int outfile_unnamed(const char *folder);

#endif

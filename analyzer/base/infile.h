/* Input files. A pipe is read as it comes, whoever named it (a FIFO, or the shell for "<(command)"); one that nobody
 * writes into is refused after a while, so that no input is waited for forever. A file of one kind has a size that it
 * does not exceed. */
#ifndef REGLOOM_BASE_INFILE_H
#define REGLOOM_BASE_INFILE_H

#include "diag.h"

#include <sys/types.h>

/* Until a pipe has a writer, and until that writes. */
enum { INFILE_WRITER_SECONDS = 10, INFILE_SILENT_SECONDS = 600 };

/* Kinds of files that infile_source() reads, as a message calls them, and MiB. */
/* clang-format off */
#define INFILE_KINDS(K) \
	K(CODE,   "a file with machine code", 1024) \
	K(KERNEL, "text, LLVM bitcode and what else is no machine code", 256) \
	K(LAUNCH, "a launch file", 16) \
	K(SWEEP,  "a sweep file", 16) \
	K(LIMITS, "a file of limits", 1) \
	K(MACHINE, "a machine's file", 1) \
	K(MUFU, "a table of approximate functions", 1024) \
	K(JSON,   "a JSON file", 64)
/* clang-format on */
enum infile_kind {
#define K(id, text, mib) INFILE_##id,
	INFILE_KINDS(K)
#undef K
};

/* Reads a whole file ("-": standard input) into arena a, as source_read() does of kernels. False with a diagnostic if
 * it cannot be read or is larger than its kind may be. */
bool infile_source(struct source *s, enum infile_kind kind, const char *path, struct arena *a, struct diag *d);
/* A regular file that is open for reading, for what is read in parts or twice. NULL with errno otherwise; *other: that
 * is because it is of another kind. */
FILE *infile_regular(const char *path, bool *other);

#endif

/* Bytes that a saved launch keeps beside its launch file: one zstd frame with its size and a checksum. */
#ifndef REGLOOM_LAUNCH_ZIPPED_H
#define REGLOOM_LAUNCH_ZIPPED_H

#include "analyzer/base/arena.h"
#include "analyzer/base/diag.h"

#include <stdbool.h>
#include <stdio.h>

struct zipped_part {
	const void *bytes;
	uint64_t n;
};
/* The parts one behind the other. False: it cannot be written, errno says why. */
bool zipped_write(FILE *f, const struct zipped_part *part, uint32_t n);

struct zipped;
/* A file at `path`, whose bytes are *total. Each function reports what is wrong at `at`, once; in arena a. */
struct zipped *zipped_open(const char *path, struct loc at, uint64_t *total, struct arena *a, struct diag *d);
/* The next n of them, into memory that holds zeros: pages of zeros are not touched. */
bool zipped_take(struct zipped *p, void *to, uint64_t n);
bool zipped_close(struct zipped *p); /* all of it has been taken, and its checksum holds */
void zipped_drop(struct zipped *p);  /* it is looked at no more; p may be NULL */

#endif

/* Files of raw elements that a launch file names. */
#ifndef REGLOOM_LAUNCH_PATH_H
#define REGLOOM_LAUNCH_PATH_H

#include "analyzer/base/arena.h"
#include "analyzer/base/diag.h"

/* The path of FILE, which a launch file at LAUNCH_PATH names, in arena a. */
char *path_resolve(const char *file, const char *launch_path, struct arena *a);
/* Contents of FILE, which a launch file at LAUNCH_PATH names (relative to its folder), in arena a. NULL with a
 * diagnostic at `at` if it cannot be read or is not exactly count elements of `bytes` bytes long. */
const void *path_read_elements(const char *file, const char *launch_path, uint64_t count, unsigned bytes, struct loc at,
			       struct arena *a, struct diag *d);

#endif

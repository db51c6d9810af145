/* The seeds that a property tries, each in an arena and with diagnostics of its own. */
#ifndef REGLOOM_PROP_SEEDS_H
#define REGLOOM_PROP_SEEDS_H

#include "analyzer/base/diag.h"

struct seeds {
	const char *name;
	uint64_t n, first;
};

/* From the command line of the property called `name`: [SEEDS [FIRST]]; n: how many without. */
struct seeds seeds_of(const char *name, int argc, char **argv, uint64_t n);

/* The kernels on which mistakes made on purpose are tried, as many as of s, but few: always the same, so that a share
 * of the mistakes can be asked for.  Of few kernels that change, any share would be missed some day. */
struct seeds seeds_same(const struct seeds *s);

/* What is wrong with the kernel of that seed, or NULL; *at, 0 before: which of the property's configurations it was.
 * sums: what the property counts. */
typedef const char *seed_check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d);

/* How many fail; stops after five. Each is printed with its seed, `where` (or NULL) of its configuration, and the
 * diagnostic. */
unsigned seeds_try(const struct seeds *s, seed_check *check, void *sums, void (*where)(unsigned at));

#endif

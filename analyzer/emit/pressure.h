/* The registers that are live where most are: where each was made and is read next. */
#ifndef REGLOOM_EMIT_PRESSURE_H
#define REGLOOM_EMIT_PRESSURE_H

#include "analyzer/emit/view.h"

/* Instructions that one may come from, or go to, without passing another of its kind: the first in the code, how many,
 * and the one that is nearest in the order of the code: the last before the peak that makes it, the first from there on
 * that reads it; of those on the other side the first. */
/* start: also from the kernel's first instruction, with nothing made */
struct pressure_ends {
	uint32_t first, near, n;
	bool start;
};
struct pressure_value {
	uint32_t reg;
	struct pressure_ends made, read;
};
/* Of the general registers that are live before instruction v->most_at, by number; *n of them. In arena a. */
struct pressure_value *pressure_find(const struct view *v, uint32_t *n, struct arena *a);

#endif

/* The values of the six axes, as their list.def have them, so that a technique that is added is tried unasked. */
#ifndef REGLOOM_PROP_AXES_H
#define REGLOOM_PROP_AXES_H

#include "runtime-model/core/axes.h"
#include "runtime-model/core/params.h"
#include "runtime-model/engine/record.h"

#include <stdint.h>

/* the first is the plain one: "static", "none" */
struct axis_values {
	unsigned n;
	const char *const *name;
};
extern const struct axis_values axis_values[AXES];

/* Whether the configuration `text` has a meaning on machine p, for objects with the annotations `have` (enum anno);
 * then it is in *rf. */
bool axes_go(const char *text, const struct params *p, unsigned have, struct rf_config *rf);
enum { RF_TEXT = 128 };
/* A configuration into text: `rf`, "AXIS=VALUE,...", which goes with a two-level scheduler, values of the axes in the
 * set `drawn`, 1 << AXIS_VALUES, and a scheduler, drawn of those that go with it in that order. */
void axes_draw(const char *rf, unsigned drawn, uint64_t *rng, const struct params *p, unsigned have,
	       char text[RF_TEXT]);

/* `least` registers of an SM or a few more: the banks of a core of sub-cores are of one size. */
static inline unsigned in_whole_banks(const struct params *p, unsigned least)
{
	const unsigned row = p->core ? p->rf_banks * WARP_LANES : 1;

	return (least + row - 1) / row * row;
}

#endif

/* A configuration of the register file: one value on each of the six axes.  What a value can do is in axis.h, which
 * only axes and stages need; how a configuration is written is in config/rf_config.h. */
#ifndef REGLOOM_AXES_H
#define REGLOOM_AXES_H

#include <stdbool.h>
#include <stddef.h>

enum axis { AXIS_ISSUE, AXIS_RESIDENCY, AXIS_PACKING, AXIS_HIERARCHY, AXIS_VALUES, AXIS_REUSE, AXES };

extern const char *const axis_name[AXES];    /* "issue", ... */
bool axis_takes(const char *item, size_t n); /* whether the n characters are AXIS=... */

struct issue_ops;
struct residency_ops;
struct packing_ops;
struct hierarchy_ops;
struct values_ops;
struct reuse_ops;

/* one value on each axis, as --rf names it */
struct rf_config {
	const struct issue_ops *issue;
	const struct residency_ops *residency;
	const struct packing_ops *packing;
	const struct hierarchy_ops *hierarchy;
	const struct values_ops *values;
	const struct reuse_ops *reuse;
};

#endif

/* No hierarchy: every operand is read from and written to the main register file. */
#include "runtime-model/core/axis.h"

struct hierarchy {
	char unused;
};

static struct hierarchy *none_create(const struct axis_ctx *cx) { return new(cx->arena, struct hierarchy); }

const struct hierarchy_ops none_hierarchy = {
	.name = "none",
	.source = "docs/AXES.md: the baseline",
	.create = none_create,
};

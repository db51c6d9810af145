/* No use of values: an access activates the arrays that packing asked for, and every active lane executes. */
#include "runtime-model/core/axis.h"

struct values {
	char unused;
};

static struct values *none_create(const struct axis_ctx *cx) { return new(cx->arena, struct values); }

const struct values_ops none_values = {
	.name = "none",
	.source = "docs/AXES.md: the baseline",
	.create = none_create,
};

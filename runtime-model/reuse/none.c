/* No reuse: every instruction goes through the back end. */
#include "runtime-model/core/axis.h"

struct reuse {
	char unused;
};

static struct reuse *none_create(const struct axis_ctx *cx) { return new(cx->arena, struct reuse); }

const struct reuse_ops none_reuse = {
	.name = "none",
	.source = "docs/AXES.md: the baseline",
	.create = none_create,
};

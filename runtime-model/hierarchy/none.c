/* No hierarchy: every operand is read from and written to the main register file. */
#include "runtime-model/axis.h"

struct hierarchy { char unused; };

static struct hierarchy *none_create(const struct axis_ctx *cx)
{
	return new(cx->arena, struct hierarchy);
}

static uint32_t none_read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	(void)h;
	(void)x;
	return (uint32_t)(((uint64_t)1 << u->nsrc) - 1);
}

static uint32_t none_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	(void)h;
	(void)u;
	(void)x;
	return dsts;
}

static void none_suspend(struct hierarchy *h, unsigned warp, struct extra *x)
{
	(void)h;
	(void)warp;
	(void)x;
}

static void none_warp_exit(struct hierarchy *h, unsigned warp)
{
	(void)h;
	(void)warp;
}

const struct hierarchy_ops none_hierarchy = {
	.name = "none", .source = "docs/TIMING.md#axes: the baseline",
	.create = none_create, .read = none_read, .write = none_write, .suspend = none_suspend, .warp_exit = none_warp_exit,
};

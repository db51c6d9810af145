/* No use of values: an access activates the arrays that packing asked for, and every active lane executes. */
#include "runtime-model/axis.h"

struct values { char unused; };

static struct values *none_create(const struct axis_ctx *cx)
{
	return new(cx->arena, struct values);
}

static void none_read(struct values *v, const struct uop *u, struct bank_access *a)
{
	(void)v;
	(void)u;
	(void)a;
}

static void none_write(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a)
{
	(void)v;
	(void)u;
	(void)dst;
	(void)a;
}

static bool none_move(struct values *v, const struct uop *u, unsigned *reg)
{
	(void)v;
	(void)u;
	(void)reg;
	return false;
}

static unsigned none_lanes(struct values *v, const struct uop *u)
{
	(void)v;
	return (unsigned)__builtin_popcount(u->active);
}

static void none_warp_exit(struct values *v, unsigned warp)
{
	(void)v;
	(void)warp;
}

const struct values_ops none_values = {
	.name = "none", .source = "docs/TIMING.md#axes: the baseline",
	.create = none_create, .read = none_read, .write = none_write, .move = none_move, .lanes = none_lanes,
	.warp_exit = none_warp_exit,
};

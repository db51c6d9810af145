/* No reuse: every instruction goes through the back end. */
#include "runtime-model/axis.h"

struct reuse { char unused; };

static struct reuse *none_create(const struct axis_ctx *cx)
{
	return new(cx->arena, struct reuse);
}

static bool none_move(struct reuse *r, const struct uop *u, unsigned *reg)
{
	(void)r;
	(void)u;
	(void)reg;
	return false;
}

static enum reuse_verdict none_lookup(struct reuse *r, const struct uop *u)
{
	(void)r;
	(void)u;
	return REUSE_MISS;
}

static void none_reserve(struct reuse *r, const struct uop *u, enum reuse_verdict v)
{
	(void)r;
	(void)u;
	(void)v;
}

static unsigned none_map(struct reuse *r, unsigned warp, unsigned reg, unsigned phys)
{
	(void)r;
	(void)warp;
	(void)reg;
	return phys;
}

static uint32_t none_write(struct reuse *r, const struct uop *u, enum reuse_verdict v, uint32_t dsts, struct extra *x)
{
	(void)r;
	(void)u;
	(void)x;
	return v == REUSE_HIT ? 0 : dsts;
}

static void none_retire(struct reuse *r, const struct uop *u)
{
	(void)r;
	(void)u;
}

static void none_warp_exit(struct reuse *r, unsigned warp)
{
	(void)r;
	(void)warp;
}

const struct reuse_ops none_reuse = {
	.name = "none", .source = "docs/TIMING.md#axes: the baseline",
	.create = none_create, .move = none_move, .lookup = none_lookup, .reserve = none_reserve,
	.map = none_map, .write = none_write, .retire = none_retire, .warp_exit = none_warp_exit,
};

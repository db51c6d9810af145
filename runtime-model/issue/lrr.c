/* Loose round robin: warps try in slot order, beginning after the one that issued last; one that cannot issue is passed
 * over (Lakshminarayana and Kim, 2010, name it so). The null value of the axis: it knows nothing but the last issue. */
#include "runtime-model/core/axis.h"

struct issue {
	unsigned last;
};

static struct issue *lrr_create(const struct axis_ctx *cx, unsigned scheduler)
{
	struct issue *s = new(cx->arena, struct issue);

	(void)scheduler;
	s->last = 63;
	return s;
}

static void lrr_warp_start(struct issue *s, unsigned warp, uint64_t age)
{
	(void)s;
	(void)warp;
	(void)age;
}

static void lrr_warp_exit(struct issue *s, unsigned warp)
{
	(void)s;
	(void)warp;
}

static unsigned lrr_pick(const struct issue *s, uint64_t ready)
{
	uint64_t after = s->last == 63 ? 0 : ready & ~(uint64_t)0 << (s->last + 1);

	return (unsigned)__builtin_ctzll(after ? after : ready);
}

static void lrr_issued(struct issue *s, unsigned warp, const struct uop *u, uint64_t now)
{
	(void)u;
	(void)now;
	s->last = warp;
}

static bool lrr_waits_long(struct issue *s, unsigned warp, uint64_t now)
{
	(void)s;
	(void)warp;
	(void)now;
	return false;
}

const struct issue_ops lrr_issue = {
	.name = "lrr",
	.source = "Lakshminarayana and Kim, LCPC 2010",
	.create = lrr_create,
	.warp_start = lrr_warp_start,
	.warp_exit = lrr_warp_exit,
	.pick = lrr_pick,
	.issued = lrr_issued,
	.waits_long = lrr_waits_long,
};

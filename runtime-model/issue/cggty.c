/* Greedy, then youngest, as the issue stage of sub-cores has it (Huerta et al., MICRO 2025, section 5.1.2): the warp
 * that issued last goes on for as long as it can; otherwise the youngest warp that can issue does, by launch order.
 * What compilers say about a warp, its stall count and its barriers, is part of whether it can. */
#include "runtime-model/core/axis.h"

/* greedy: a warp, or NO_WARP */
struct issue {
	uint64_t age[64], seq[64], started; /* of warps of equal age, the one that started last is the youngest */
	unsigned greedy;
};

enum { NO_WARP = 64 };

static struct issue *cggty_create(const struct axis_ctx *cx, unsigned scheduler)
{
	struct issue *s = new(cx->arena, struct issue);

	(void)scheduler;
	s->greedy = NO_WARP;
	return s;
}

static void cggty_warp_start(struct issue *s, unsigned warp, uint64_t age)
{
	s->age[warp] = age;
	s->seq[warp] = s->started++;
}

static void cggty_warp_exit(struct issue *s, unsigned warp)
{
	if (s->greedy == warp)
		s->greedy = NO_WARP;
}

static bool younger(const struct issue *s, unsigned a, unsigned b)
{
	return s->age[a] != s->age[b] ? s->age[a] > s->age[b] : s->seq[a] > s->seq[b];
}

static unsigned cggty_pick(const struct issue *s, uint64_t ready)
{
	unsigned best = (unsigned)__builtin_ctzll(ready);

	if (s->greedy != NO_WARP && ready >> s->greedy & 1)
		return s->greedy;
	while (ready &= ready - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(ready);

		best = younger(s, w, best) ? w : best;
	}
	return best;
}

static void cggty_issued(struct issue *s, unsigned warp, const struct uop *u, uint64_t now)
{
	(void)u;
	(void)now;
	s->greedy = warp;
}

static bool cggty_waits_long(struct issue *s, unsigned warp, uint64_t now)
{
	(void)s;
	(void)warp;
	(void)now;
	return false;
}

const struct issue_ops cggty_issue = {
	.name = "cggty",
	.source = "Huerta et al., MICRO 2025, section 5.1.2",
	.create = cggty_create,
	.warp_start = cggty_warp_start,
	.warp_exit = cggty_warp_exit,
	.pick = cggty_pick,
	.issued = cggty_issued,
	.waits_long = cggty_waits_long,
};

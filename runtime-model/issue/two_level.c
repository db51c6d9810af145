/* Two-level scheduling (Gebhart et al., TOCS 2012, sections 3 and 7.2): of the warps of an SM only `active_warps` may
 * issue. A warp that comes to depend on a value from global, local or texture memory, or waits at a fence or a barrier,
 * or has issued everything, leaves the active set at once. A free place goes to the next pending warp that could issue,
 * in round robin over the warp slots, in the same cycle; a pending warp whose values have not come is passed over.
 *
 * Inside the active set warps issue greedily, then the oldest first, as gto does: the paper's choice. It compares with
 * round robin, which is the other value here, and the only one of the peer. So with all warps active these are gto and
 * lrr.
 *
 * The places are split over the schedulers: an equal share each, what is left over to the first ones. There is at least
 * one for each. */
#include "runtime-model/core/axis.h"

#include <assert.h>

extern const struct issue_ops gto_issue, lrr_issue;

struct issue {
	const struct issue_ops *inner;
	struct issue *order;   /* of inner */
	unsigned places, last; /* last: warp activated */
	uint64_t active;
	uint64_t pending; /* that are not active; one that has ended is never ready */
};

static struct issue *create(const struct axis_ctx *cx, unsigned scheduler, const struct issue_ops *inner)
{
	struct issue *s = new(cx->arena, struct issue);
	unsigned all = params_active_warps(cx->params), n = cx->params->schedulers;

	s->inner = inner;
	s->order = inner->create(cx, scheduler);
	s->places = all / n + (scheduler < all % n);
	s->last = 63;
	return s;
}

static struct issue *two_level_create(const struct axis_ctx *cx, unsigned scheduler)
{
	return create(cx, scheduler, &gto_issue);
}

static struct issue *two_level_rr_create(const struct axis_ctx *cx, unsigned scheduler)
{
	return create(cx, scheduler, &lrr_issue);
}

static void two_level_warp_start(struct issue *s, unsigned warp, uint64_t age)
{
	s->pending |= (uint64_t)1 << warp;
	s->inner->warp_start(s->order, warp, age);
}

static void two_level_warp_exit(struct issue *s, unsigned warp)
{
	assert(!(s->active >> warp & 1)); /* it left when it had issued everything */
	s->inner->warp_exit(s->order, warp);
}

/* Ready pending warps take the free places. Called again without an event between, it finds nothing more to do: cycles
 * in which nothing happens may be skipped. */
static void activate(struct issue *s, uint64_t ready)
{
	unsigned free;

	if (!(s->pending & ready))
		return;
	free = s->places - (unsigned)__builtin_popcountll(s->active);
	for (uint64_t m = s->pending & ready; m && free; m = s->pending & ready, free--) {
		uint64_t after = s->last == 63 ? 0 : m & ~(uint64_t)0 << (s->last + 1);

		s->last = (unsigned)__builtin_ctzll(after ? after : m);
		s->active |= (uint64_t)1 << s->last;
		s->pending &= ~((uint64_t)1 << s->last);
	}
}

static uint64_t two_level_narrow(struct issue *s, uint64_t ready)
{
	activate(s, ready);
	return ready & s->active;
}

static unsigned two_level_pick(const struct issue *s, uint64_t ready) { return s->inner->pick(s->order, ready); }

static void two_level_issued(struct issue *s, unsigned warp, const struct uop *u, uint64_t now)
{
	s->inner->issued(s->order, warp, u, now);
}

static bool two_level_waits_long(struct issue *s, unsigned warp, uint64_t now)
{
	uint64_t bit = (uint64_t)1 << warp;
	bool was_active = s->active & bit;

	(void)now;
	s->active &= ~bit;
	s->pending |= bit;
	return was_active;
}

static const char *const parameters[] = { "active_warps", NULL };

const struct issue_ops two_level_issue = {
	.name = "two-level",
	.source = "Gebhart et al., TOCS 2012, section 3: greedy inside; --set active_warps=N",
	.parameters = parameters,
	.demotes = true,
	.create = two_level_create,
	.warp_start = two_level_warp_start,
	.warp_exit = two_level_warp_exit,
	.pick = two_level_pick,
	.narrow = two_level_narrow,
	.issued = two_level_issued,
	.waits_long = two_level_waits_long,
};

const struct issue_ops two_level_rr_issue = {
	.name = "two-level-rr",
	.source = "Gebhart et al., TOCS 2012, section 3: round robin inside; --set active_warps=N",
	.parameters = parameters,
	.demotes = true,
	.create = two_level_rr_create,
	.warp_start = two_level_warp_start,
	.warp_exit = two_level_warp_exit,
	.pick = two_level_pick,
	.narrow = two_level_narrow,
	.issued = two_level_issued,
	.waits_long = two_level_waits_long,
};

/* Owner warp first (Jatala, Anantpur, Karkare: Improving GPU Performance Through Resource Sharing, HPDC 2016): warps of
 * CTAs that own what they share go first, since others wait for them to end; then those that share with no owner; then
 * those that have to wait, or will when they come so far. Residency says which is which. Among the warps of one class:
 * greedy, then oldest, the peer's baseline. */
#include "runtime-model/core/axis.h"

extern const struct issue_ops gto_issue;

struct issue {
	const struct axes *axes;
	void *gto; /* the state of its class-blind order */
};

static struct issue *owf_create(const struct axis_ctx *cx, unsigned scheduler)
{
	struct issue *s = new(cx->arena, struct issue);

	*s = (struct issue){ cx->axes, gto_issue.create(cx, scheduler) };
	return s;
}

static void owf_warp_start(struct issue *s, unsigned warp, uint64_t age) { gto_issue.warp_start(s->gto, warp, age); }

static void owf_warp_exit(struct issue *s, unsigned warp) { gto_issue.warp_exit(s->gto, warp); }

static unsigned owf_pick(const struct issue *s, uint64_t ready)
{
	uint64_t owners, others, best;

	s->axes->rf->residency->owners(s->axes->residency, &owners, &others);
	best = ready & ~others ? ready & ~others : ready;
	if (ready & owners)
		best = ready & owners;
	return gto_issue.pick(s->gto, best);
}

static void owf_issued(struct issue *s, unsigned warp, const struct uop *u, uint64_t now)
{
	gto_issue.issued(s->gto, warp, u, now);
}

static bool owf_waits_long(struct issue *s, unsigned warp, uint64_t now)
{
	return gto_issue.waits_long(s->gto, warp, now);
}

const struct issue_ops owf_issue = {
	.name = "owf",
	.source = "Jatala et al., HPDC 2016: owner warps first, then those that share with no owner; "
		  "docs/OWF.md",
	.create = owf_create,
	.warp_start = owf_warp_start,
	.warp_exit = owf_warp_exit,
	.pick = owf_pick,
	.asks_owners = true,
	.issued = owf_issued,
	.waits_long = owf_waits_long,
};

/* Greedy, then oldest (Rogers, O'Connor, Aamodt, MICRO 2012, section 6): the warp that issued last goes on for as long
 * as it can; otherwise the oldest warp that can issue does, by launch order. The peer's baseline policy. */
#include "runtime-model/core/axis.h"

#include <string.h>

struct issue {
	unsigned n, greedy; /* greedy: a warp, or NO_WARP */
	uint64_t age[64];   /* ascending; warp[i] is age[i] old */
	uint16_t warp[64];
};

enum { NO_WARP = 0xffff };

static struct issue *gto_create(const struct axis_ctx *cx, unsigned scheduler)
{
	struct issue *s = new(cx->arena, struct issue);

	(void)scheduler;
	s->greedy = NO_WARP;
	return s;
}

static void gto_warp_start(struct issue *s, unsigned warp, uint64_t age)
{
	unsigned i = s->n++;

	for (; i && s->age[i - 1] > age; i--) {
		s->age[i] = s->age[i - 1];
		s->warp[i] = s->warp[i - 1];
	}
	s->age[i] = age;
	s->warp[i] = (uint16_t)warp;
}

static void gto_warp_exit(struct issue *s, unsigned warp)
{
	unsigned i = 0;

	while (s->warp[i] != warp)
		i++;
	s->n--;
	memmove(s->warp + i, s->warp + i + 1, (s->n - i) * sizeof *s->warp);
	memmove(s->age + i, s->age + i + 1, (s->n - i) * sizeof *s->age);
	if (s->greedy == warp)
		s->greedy = NO_WARP;
}

static unsigned gto_pick(const struct issue *s, uint64_t ready)
{
	unsigned i = 0;

	if (s->greedy != NO_WARP && ready >> s->greedy & 1)
		return s->greedy;
	while (!(ready >> s->warp[i] & 1))
		i++;
	return s->warp[i];
}

static void gto_issued(struct issue *s, unsigned warp, const struct uop *u, uint64_t now)
{
	(void)u;
	(void)now;
	s->greedy = warp;
}

static bool gto_waits_long(struct issue *s, unsigned warp, uint64_t now)
{
	(void)s;
	(void)warp;
	(void)now;
	return false;
}

const struct issue_ops gto_issue = {
	.name = "gto",
	.source = "Rogers et al., MICRO 2012, section 6",
	.create = gto_create,
	.warp_start = gto_warp_start,
	.warp_exit = gto_warp_exit,
	.pick = gto_pick,
	.issued = gto_issued,
	.waits_long = gto_waits_long,
};

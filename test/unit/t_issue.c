/* Which warp issues, against the rules written out: random warps start, end, wait and are ready. */
#include "analyzer/base/rng.h"
#include "runtime-model/core/axis.h"

#include <check.h>
#include <string.h>

extern const struct issue_ops gto_issue, cggty_issue, lrr_issue, owf_issue, two_level_issue, two_level_rr_issue;

enum { WARPS = 64, NOBODY = 64, STEPS = 4000 };

/* What the rules look at. */
struct model {
	uint64_t live, active;
	uint64_t age[WARPS], seq[WARPS]; /* of equal age, the one that started first is older */
	unsigned issued;                 /* last */
	unsigned activated;              /* last */
	uint64_t owners, others;         /* for owf */
};
static struct model m;

static uint64_t bit(unsigned warp) { return (uint64_t)1 << warp; }

static void owners_of(const struct residency *r, uint64_t *owners, uint64_t *others)
{
	(void)r;
	*owners = m.owners;
	*others = m.others;
}

/* The first of `of` in slot order, behind `last`. */
static unsigned next_behind(unsigned last, uint64_t of)
{
	unsigned w = last;

	do
		w = (w + 1) % WARPS;
	while (!(of & bit(w)));
	return w;
}

static unsigned greedy_then_oldest(uint64_t ready)
{
	unsigned best = NOBODY;

	if (m.issued != NOBODY && ready & bit(m.issued))
		return m.issued;
	for (unsigned w = 0; w < WARPS; w++)
		if (ready & bit(w) &&
		    (best == NOBODY || m.age[w] < m.age[best] || (m.age[w] == m.age[best] && m.seq[w] < m.seq[best])))
			best = w;
	return best;
}

static unsigned greedy_then_youngest(uint64_t ready)
{
	unsigned best = NOBODY;

	if (m.issued != NOBODY && ready & bit(m.issued))
		return m.issued;
	for (unsigned w = 0; w < WARPS; w++)
		if (ready & bit(w) &&
		    (best == NOBODY || m.age[w] > m.age[best] || (m.age[w] == m.age[best] && m.seq[w] > m.seq[best])))
			best = w;
	return best;
}

static unsigned wanted(const struct issue_ops *ops, uint64_t ready)
{
	if (ops == &lrr_issue || ops == &two_level_rr_issue)
		return next_behind(m.issued == NOBODY ? WARPS - 1 : m.issued, ready);
	if (ops == &cggty_issue)
		return greedy_then_youngest(ready);
	if (ops == &owf_issue && ready & m.owners)
		ready &= m.owners;
	else if (ops == &owf_issue && ready & ~m.others)
		ready &= ~m.others;
	return greedy_then_oldest(ready);
}

/* Ready warps take free places, in round robin. */
static uint64_t narrowed(uint64_t ready, unsigned places)
{
	while (ready & ~m.active && (unsigned)__builtin_popcountll(m.active) < places) {
		m.activated = next_behind(m.activated, ready & ~m.active);
		m.active |= bit(m.activated);
	}
	return ready & m.active;
}

static unsigned any(uint64_t of, uint64_t *rng) { return next_behind(rng_below(rng, WARPS), of); }

static void step(const struct issue_ops *ops, struct issue *s, unsigned places, uint64_t *rng)
{
	const unsigned what = rng_below(rng, 8);
	uint64_t ready = m.live & rng_next(rng) & (what % 2 ? rng_next(rng) : UINT64_MAX);
	unsigned w;

	m.owners = rng_next(rng);
	m.owners &= rng_next(rng);
	m.others = rng_next(rng) & ~m.owners;
	if (what == 0 && ~m.live) {
		w = any(~m.live, rng);
		m.live |= bit(w);
		m.age[w] = rng_below(rng, 50);
		m.seq[w] = *rng;
		for (unsigned v = 0; v < WARPS; v++) /* the last one */
			m.seq[w] = m.seq[v] >= m.seq[w] && v != w ? m.seq[v] + 1 : m.seq[w];
		ops->warp_start(s, w, m.age[w]);
	} else if (what < 3 && m.live) { /* waits; and ends, perhaps */
		w = any(m.live, rng);
		ck_assert_int_eq(ops->waits_long(s, w, 0), (m.active & bit(w)) != 0);
		m.active &= ~bit(w);
		if (what == 1 || rng_below(rng, 2))
			return;
		m.live &= ~bit(w);
		ops->warp_exit(s, w);
		m.issued = m.issued == w && ops != &lrr_issue && ops != &two_level_rr_issue ? NOBODY : m.issued;
	} else if (ready) {
		if (ops->narrow) {
			const uint64_t may = narrowed(ready, places);

			ck_assert_uint_eq(ops->narrow(s, ready), may);
			ck_assert_uint_eq(ops->narrow(s, ready), may); /* asked again */
			ready = may;
		}
		if (!ready)
			return;
		w = ops->pick(s, ready);
		ck_assert_uint_eq(w, wanted(ops, ready));
		ops->issued(s, w, NULL, 0);
		m.issued = w;
	}
}

static const struct {
	const struct issue_ops *ops;
	unsigned active, schedulers, scheduler, places;
} row[] = {
	{ &gto_issue, 1, 1, 0, 0 },          { &cggty_issue, 1, 1, 0, 0 },        { &lrr_issue, 1, 1, 0, 0 },
	{ &owf_issue, 1, 1, 0, 0 },          { &two_level_issue, 1, 1, 0, 1 },    { &two_level_issue, 7, 1, 0, 7 },
	{ &two_level_issue, 7, 2, 0, 4 },    { &two_level_issue, 7, 2, 1, 3 },    { &two_level_issue, 1, 2, 1, 1 },
	{ &two_level_rr_issue, 5, 1, 0, 5 }, { &two_level_rr_issue, 9, 4, 0, 3 }, { &two_level_rr_issue, 9, 4, 1, 2 },
};

START_TEST(warps_issue_by_the_rules)
{
	const struct residency_ops shared = { .owners = owners_of };
	const struct rf_config rf = { .residency = &shared };
	struct axes axes = { .rf = &rf };
	struct arena a;
	struct params p;
	struct diag d;
	uint64_t rng = (uint64_t)_i + 1;
	struct axis_ctx cx = { .params = &p, .arena = &a, .axes = &axes };
	struct issue *s;
	uint64_t *behind;

	arena_init(&a);
	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "gtx480", &d));
	p.active_warps = row[_i].active;
	p.schedulers = row[_i].schedulers;
	m = (struct model){ .issued = NOBODY, .activated = WARPS - 1 };
	s = row[_i].ops->create(&cx, row[_i].scheduler);
	behind = new_array(&a, uint64_t, WARPS);
	for (unsigned n = 0; n < WARPS; n++)
		behind[n] = bit(n);
	for (unsigned n = 0; n < STEPS; n++)
		step(row[_i].ops, s, row[_i].places, &rng);
	for (unsigned n = 0; n < WARPS; n++) /* nothing behind the 64 warps is written */
		ck_assert_uint_eq(behind[n], bit(n));
	diag_free(&d);
	arena_free(&a);
}
END_TEST

Suite *suite_issue(void);
Suite *suite_issue(void)
{
	Suite *s = suite_create("issue");
	TCase *c = tcase_create("issue");

	tcase_add_loop_test(c, warps_issue_by_the_rules, 0, sizeof row / sizeof *row);
	suite_add_tcase(s, c);
	return s;
}

/* Resource sharing between CTAs (Jatala, Anantpur, Karkare: Improving GPU Performance Through Resource Sharing, HPDC
 * 2016), which RegMutex calls OWF. An SM takes more CTAs than its registers admit: some of them in pairs, whose warps
 * of the same number share registers. Of the R registers of a thread a warp of a pair has p = R - s for itself; the s
 * that k->owf ranks highest, those that are touched last, are there once for both. The first of the two that issues an
 * instruction which names one of them takes them, until it ends; the other waits at such an instruction.
 *
 * How many CTAs. The file admits N without sharing. A pair takes p registers of each of its warps more than one CTA, so
 * S more CTAs are taken, for as many of the N, where they find room: no fewer CTAs than without sharing can always go
 * on. CTA slots 0 .. N - S - 1 share nothing; slot N - S + i and slot N + i are pair i: with few CTAs nothing is
 * shared.
 *
 * Which warps wait. Were each pair of warps alone, CTAs could wait for each other: A1 has its registers and waits at a
 * barrier for A2, which waits for the registers of B2, which waits at a barrier for B1, which waits for those of A1. So
 * the first CTA of a pair of which a warp takes shared registers is its owner until it ends; a warp of the other CTA
 * takes only what a warp of the owner that has ended needs no more. Then no warp of an owner ever waits for registers,
 * since what it shares is free or its own: owners end. When one does, the other CTA becomes the owner at once if a warp
 * of it has taken registers, else whichever is first.
 *
 * Where registers are. Those of slots without a pair as in residency=static. Behind them, pair by pair, the p of each
 * warp of the one CTA, of the other, and the s of each pair of warps. In each part registers follow each other by
 * number, rotated over the banks.
 *
 * On a core of sub-cores (params.core 1) a warp reaches the two banks of its own, even registers the first, odd ones
 * the second. Warps of a pair must be in one sub-core: with a multiple of sub-cores in a CTA those of the same number
 * are, and of other CTAs nothing is shared. Half of what is shared is even, half odd, in each half the highest ranks:
 * so every bank is laid out alike, as above, with the warps of its sub-core and half of a warp's registers, in which
 * R, p, s and N count. */
#include "analyzer/base/bits.h"
#include "analyzer/elf/rlo.h"
#include "passes/owf.h"
#include "passes/pass.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/residency/rotate.h"

enum { ALONE = 0xff, PERCENT_MAX = 90 };

/* R, p, of one bank of those that a warp's registers are in by their numbers; N and S CTAs */
struct plan {
	unsigned regs, own, first, pairs;
};

struct residency {
	const struct axes *axes;
	struct stats *stats;
	const uint64_t *now;
	struct plan plan;
	unsigned warps_per_cta;
	unsigned files, parity; /* register files, with a part of each CTA's warps; banks by number, or 1 */
	bool rules;
	bool shared[256];                      /* by register */
	uint8_t index[256];                    /* in its part, by register */
	uint8_t partner[64];                   /* by warp: the warp that it shares with, or ALONE */
	uint16_t at[64], shared_at[64];        /* physical registers at which its parts begin, */
	uint8_t rotate[64], rotate_shared[64]; /* and by how much they are rotated */
	/* warps; taken: that have what they share; owners: all of a CTA that owns a pair */
	uint64_t live, taken, owners, waiting;
	uint64_t since[64]; /* of a waiting warp: since when */
};

/* With room for `entries` registers of 32 lanes, for at most `most` CTAs, and s shared registers. */
static struct plan plan_with(unsigned entries, unsigned regs, unsigned warps, unsigned most, unsigned s)
{
	struct plan x = { .regs = regs, .own = regs - s, .first = entries / (regs * warps) };

	if (x.first > most)
		x.first = most;
	if (s)
		x.pairs = (entries - x.first * regs * warps) / (x.own * warps);
	if (x.pairs > x.first)
		x.pairs = x.first;
	if (x.pairs > most - x.first)
		x.pairs = most - x.first;
	if (!x.pairs)
		x.own = regs;
	return x;
}

static unsigned parity_of(const struct params *p) { return p->core ? 2 : 1; }

/* As many shared registers as the machine says; or the fewest that admit as many CTAs as 90 percent of a thread's
 * would. */
static struct plan plan(const struct params *p, const struct kernel *k, unsigned warps_per_cta, unsigned most)
{
	const struct sm_limits sm = params_limits(p);
	const unsigned files = params_register_files(p), parity = parity_of(p), warps = warps_per_cta / files,
		       regs = occupancy_allocated(&sm, k->res.regs) / parity,
		       entries = p->rf_registers / WARP_LANES / files / parity, all = p->owf_shared / parity,
		       alone = occupancy_static(&sm, k->res.regs, warps_per_cta);
	struct plan best = { .regs = regs, .own = regs, .first = alone < most ? alone : most };

	if (warps_per_cta % files)
		return best;
	best = plan_with(entries, regs, warps, most, all < regs ? all : regs - 1);
	if (p->owf_shared)
		return best;
	for (unsigned s = 1; s <= regs * PERCENT_MAX / 100; s++) {
		const struct plan x = plan_with(entries, regs, warps, most, s);

		if (x.pairs > best.pairs)
			best = x;
	}
	return best;
}

static unsigned owf_max_ctas(const struct params *p, const struct kernel *k, unsigned warps)
{
	const unsigned slots = params_warps(p) / warps;
	const struct plan x = plan(p, k, warps, slots < p->ctas_per_sm ? slots : p->ctas_per_sm);
	const struct sm_limits sm = params_limits(p);
	const unsigned alone = occupancy_static(&sm, k->res.regs, warps);

	return x.first + x.pairs > alone ? x.first + x.pairs : alone;
}

/* The parts of warp `warp`, number `in_cta` of the CTA in that slot. */
static void place(struct residency *r, unsigned warp, unsigned slot, unsigned in_cta)
{
	const struct plan *x = &r->plan;
	const unsigned alone = x->first - x->pairs, n = r->warps_per_cta / r->files, s = x->regs - x->own,
		       in_file = in_cta / r->files;
	const bool second = slot >= x->first;
	unsigned pair, at;

	r->partner[warp] = ALONE;
	if (slot < alone) {
		r->at[warp] = (uint16_t)(warp / r->files * x->regs);
		return;
	}
	pair = second ? slot - x->first : slot - alone;
	at = alone * n * x->regs + pair * n * (2 * x->own + s);
	r->partner[warp] = (uint8_t)((second ? alone + pair : x->first + pair) * r->warps_per_cta + in_cta);
	r->at[warp] = (uint16_t)(at + (second ? n : 0) * x->own + in_file * x->own);
	r->shared_at[warp] = (uint16_t)(at + 2 * n * x->own + in_file * s);
}

/* Of the registers in its bank so many have a higher rank. */
static unsigned above(const struct residency *r, const struct owf *order, unsigned reg)
{
	unsigned n = 0;

	for (unsigned other = reg % r->parity; other < r->plan.regs * r->parity; other += r->parity)
		n += order->rank[other] > order->rank[reg];
	return n;
}

static void rotate(struct residency *r, unsigned warp, unsigned banks)
{
	const unsigned other = r->partner[warp];

	r->rotate[warp] = rotation(r->at[warp], warp % banks, banks, other == ALONE ? r->plan.regs : r->plan.own);
	if (other != ALONE)
		r->rotate_shared[warp] = rotation(r->shared_at[warp], (warp < other ? warp : other) % banks, banks,
						  r->plan.regs - r->plan.own);
}

static struct residency *owf_create(const struct axis_ctx *cx)
{
	struct residency *r = new(cx->arena, struct residency);
	const unsigned n = cx->warps_per_cta;
	unsigned parts[2][2] = { { 0 } };

	if (!(cx->kernel->facts & FACT_OWF)) {
		diag_error_plain(cx->diag, cx->kernel->name, "has no order of sharing, which residency=owf needs");
		return NULL;
	}
	*r = (struct residency){ .axes = cx->axes,
				 .stats = cx->stats,
				 .now = cx->now,
				 .warps_per_cta = n,
				 .files = params_register_files(cx->params),
				 .parity = parity_of(cx->params),
				 .rules = cx->params->owf_rules,
				 .plan = plan(cx->params, cx->kernel, n, cx->resident / n) };
	for (unsigned reg = 0; reg < r->plan.regs * r->parity; reg++) {
		r->shared[reg] = above(r, cx->kernel->owf, reg) < r->plan.regs - r->plan.own;
		r->index[reg] = (uint8_t)parts[reg % r->parity][r->shared[reg]]++;
	}
	for (unsigned w = 0; w < cx->resident; w++) {
		place(r, w, w / n, w % n);
		if (r->parity == 1)
			rotate(r, w, cx->params->rf_banks);
	}
	return r;
}

/* In the bank that its number says. */
static unsigned row_of(const struct residency *r, unsigned warp, unsigned reg)
{
	const struct plan *x = &r->plan;

	if (r->partner[warp] == ALONE)
		return r->at[warp] + rotated(reg / r->parity, r->rotate[warp], x->regs);
	if (r->shared[reg])
		return r->shared_at[warp] + rotated(r->index[reg], r->rotate_shared[warp], x->regs - x->own);
	return r->at[warp] + rotated(r->index[reg], r->rotate[warp], x->own);
}

static unsigned owf_map(struct residency *r, unsigned warp, unsigned reg)
{
	return (row_of(r, warp, reg) * r->files + warp % r->files) * r->parity + reg % r->parity;
}

static uint64_t cta_of(const struct residency *r, unsigned warp)
{
	const unsigned n = r->warps_per_cta;

	return (n == 64 ? ~(uint64_t)0 : bit(n) - 1) << warp / n * n;
}

static bool touches(const struct residency *r, const struct uop *u)
{
	if (r->partner[u->warp] == ALONE)
		return false;
	for (unsigned i = 0; i < u->nsrc; i++)
		if (r->shared[u->src[i]])
			return true;
	for (unsigned i = 0; i < u->ndst; i++)
		if (r->shared[u->dst[i]])
			return true;
	return false;
}

/* May a warp that has not taken what it shares do so? */
static bool may_take(const struct residency *r, unsigned warp)
{
	const unsigned other = r->partner[warp];

	if (r->taken & bit(other))
		return false;
	return !r->rules || !(r->owners & bit(other)) || !(r->live & bit(other));
}

static bool owf_may_issue(struct residency *r, const struct uop *u)
{
	if (!touches(r, u) || r->taken & bit(u->warp) || may_take(r, u->warp))
		return true;
	if (!(r->waiting & bit(u->warp)))
		r->since[u->warp] = *r->now;
	r->waiting |= bit(u->warp);
	return false;
}

static void owf_issue(struct residency *r, const struct uop *u)
{
	if (!touches(r, u) || r->taken & bit(u->warp))
		return;
	r->taken |= bit(u->warp);
	if (!(r->owners & bit(r->partner[u->warp])))
		r->owners |= cta_of(r, u->warp);
	r->stats->owf_locks++;
	if (!(r->waiting & bit(u->warp)))
		return;
	r->waiting &= ~bit(u->warp);
	r->stats->owf_locks_waited++;
	r->stats->owf_wait_cycles += *r->now - r->since[u->warp];
}

static bool owf_cta_start(struct residency *r, unsigned first, unsigned n)
{
	(void)n;
	r->live |= cta_of(r, first);
	return true;
}

static void owf_warp_exit(struct residency *r, unsigned warp)
{
	const uint64_t mine = cta_of(r, warp), others = r->partner[warp] == ALONE ? 0 : cta_of(r, r->partner[warp]);
	uint64_t wake = 0;

	r->live &= ~bit(warp);
	r->taken &= ~bit(warp);
	if (!(r->live & mine)) {
		r->owners &= ~mine;
		if (r->taken & others)
			r->owners |= others;
	}
	for (uint64_t m = r->waiting & others; m; m &= m - 1)
		if (may_take(r, (unsigned)__builtin_ctzll(m)))
			wake |= m & -m;
	residency_wake(r->axes, wake);
}

/* The one that it shares with: which has the registers, or may take them as its CTA is the owner. */
static uint64_t owf_holders(struct residency *r, unsigned warp)
{
	return r->waiting & bit(warp) ? bit(r->partner[warp]) : 0;
}

static const char *owf_describe(struct residency *r, const struct uop *u, struct arena *a)
{
	const unsigned other = r->partner[u->warp];

	if (!touches(r, u) || r->taken & bit(u->warp) || may_take(r, u->warp))
		return NULL;
	return arena_printf(a, "the %u registers that it shares with warp %u, which %s",
			    (r->plan.regs - r->plan.own) * r->parity, other,
			    r->taken & bit(other) ? "has them until it ends"
						  : "has not taken them, but is of the CTA that owns the pair");
}

static void owf_owners(const struct residency *r, uint64_t *owners, uint64_t *others)
{
	*owners = r->taken;
	*others = 0;
	for (uint64_t m = r->owners; m; m &= m - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(m);

		*owners |= bit(w);
		*others |= bit(r->partner[w]);
	}
	*others &= ~*owners;
}

/* For each warp whether it shares, the warp that it shares with, and whether it has taken the registers; for each CTA
 * whether it is an owner. The order of registers costs nothing: a compiler numbers them so. */
static unsigned owf_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "pairs of warps", params_warps(p) * (2 + index_bits(params_warps(p))) };
	out[1] = (struct storage_part){ "owners", p->ctas_per_sm };
	return 2;
}

static const char *const parameters[] = { "owf_shared", "owf_rules", NULL };

const struct residency_ops owf_residency = {
	.name = "owf",
	.source = "Jatala et al., HPDC 2016: pairs of CTAs share registers; docs/OWF.md",
	.needs_anno = ANNO_OWF,
	.create = owf_create,
	.max_ctas = owf_max_ctas,
	.cta_start = owf_cta_start,
	.warp_exit = owf_warp_exit,
	.parameters = parameters,
	.may_issue = owf_may_issue,
	.wakes = true,
	.issue = owf_issue,
	.map = owf_map,
	.fixed = true,
	.subcores = true,
	.owners = owf_owners,
	.holders = owf_holders,
	.describe = owf_describe,
	.storage = owf_storage,
};

/* Register file virtualization with availability (Jeon et al., MICRO 2015): a CTA starts whether or not the register
 * file has an entry for each of its registers; registers take entries when they are written, and warps that find none
 * are throttled. Several CTAs live where static allocation has room for one, in a file as small as the registers of one
 * CTA.
 *
 * An instruction that writes a register which is not there, and not about to be, takes a promise of an entry as it
 * issues; the renaming table maps it when the result comes. Promised and mapped registers are held. What is held counts
 * as an entry each, however narrow its values are and however well they are packed: the next write may make one wide.
 *
 * Nobody may be left without a way to its end. A CTA may come to hold all the registers of its warps that have not
 * ended, no more. So that a CTA can end, whatever those do that started after it on this SM, these together hold no
 * more than what leaves it that many entries: the oldest CTA is never throttled, when it has ended the next one is not,
 * and so on. And as many of the oldest as the file has entries for together, up to rfv_reserve, are left enough to end
 * side by side: without that CTAs that come later take entries early, hold them while they are throttled themselves,
 * and leave one CTA at work where static allocation has several. With rfv_reserve=0, as Jeon et al. throttle, it is
 * enough that some CTA could take all that it may need: the one that lacks fewest. When it has ended what it had is
 * enough for any other. Within a CTA no warp is preferred, as they may wait for each other at barriers.
 *
 * On a core of sub-cores all this holds of the file of each and its warps: a CTA that can take all that it may need in
 * every one can end. A CTA with few warps has none in some file, and leaves nothing there, so that one that can end is
 * not enough for any other: with rfv_reserve=0 all must be able to, in some order. */
#include "analyzer/base/bits.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/residency/rfv.h"

struct residency {
	struct rfv rfv;
	const struct axes *axes;
	struct stats *stats;
	const uint64_t *now;
	unsigned subs;                         /* sub-cores, each with a file of its own for its warps; or 1 */
	unsigned entries, regs, warps_per_cta; /* of one file; of a warp, at most */
	unsigned reserve;                      /* rfv_reserve */
	uint64_t live, waiting;                /* warps */
	unsigned nctas;
	uint8_t cta[64];    /* slots of the CTAs here, the oldest first */
	uint8_t wants[64];  /* of a waiting warp: entries, */
	uint64_t since[64]; /* and since when */
};

static struct residency *rfv_shared_create(const struct axis_ctx *cx)
{
	struct residency *r = new(cx->arena, struct residency);

	*r = (struct residency){ .axes = cx->axes,
				 .stats = cx->stats,
				 .now = cx->now,
				 .subs = params_register_files(cx->params),
				 .entries = cx->params->rf_registers / WARP_LANES / params_register_files(cx->params),
				 .regs = cx->kernel->res.regs,
				 .warps_per_cta = cx->warps_per_cta,
				 .reserve = cx->params->rfv_reserve };
	return rfv_init(&r->rfv, cx, "rfv-shared") ? r : NULL;
}

/* The registers of one CTA must fit. */
static unsigned rfv_shared_max_ctas(const struct params *p, const struct kernel *k, unsigned warps)
{
	const unsigned subs = params_register_files(p);

	return k->res.regs * ((warps + subs - 1) / subs) <= p->rf_registers / WARP_LANES / subs ? OCCUPANCY_ANY : 0;
}

static uint64_t warps_of(const struct residency *r, unsigned slot)
{
	return (r->warps_per_cta == 64 ? ~(uint64_t)0 : bit(r->warps_per_cta) - 1) << slot * r->warps_per_cta;
}

/* Those that have their registers in file `sub`. */
static uint64_t warps_in(const struct residency *r, unsigned sub)
{
	uint64_t out = 0;

	if (r->subs == 1)
		return ~out;
	for (unsigned w = sub; w < 64; w += r->subs)
		out |= bit(w);
	return out;
}

static unsigned held_by(const struct residency *r, uint64_t warps)
{
	unsigned n = 0;

	for (uint64_t m = r->live & warps; m; m &= m - 1)
		n += rename_held_by(r->rfv.rename, (unsigned)__builtin_ctzll(m));
	return n;
}

static unsigned held_in(const struct residency *r, unsigned sub)
{
	return r->subs == 1 ? rename_held(r->rfv.rename) : held_by(r, warps_in(r, sub));
}

/* Registers that these may come to hold. */
static unsigned most(const struct residency *r, uint64_t warps)
{
	return r->regs * (unsigned)__builtin_popcountll(r->live & warps);
}

/* Each CTA older than that one could still end, and the first `reserve` of them together, if those after them held
 * `wants` entries more of file `sub`. */
static bool older_can_end(const struct residency *r, unsigned slot, unsigned sub, unsigned wants)
{
	const uint64_t mine = warps_in(r, sub);
	unsigned younger = held_in(r, sub), together = 0;

	for (unsigned i = 0; i < r->nctas && r->cta[i] != slot; i++) {
		const uint64_t warps = warps_of(r, r->cta[i]) & mine;
		const unsigned own = most(r, warps);

		younger -= held_by(r, warps);
		if (i < r->reserve && together + own <= r->entries)
			together += own;
		if (younger + wants + (i < r->reserve && together > own ? together : own) > r->entries)
			return false;
	}
	return true;
}

/* A CTA can take all that it may need in each file, where so many entries of each are left. */
static bool can_end(const struct residency *r, unsigned slot, const unsigned left[], const unsigned held[])
{
	for (unsigned s = 0; s < r->subs; s++)
		if (left[s] + held[s] < r->regs * (unsigned)__builtin_popcountll(warps_of(r, slot) & warps_in(r, s)))
			return false;
	return true;
}

/* All CTAs could still end, one after the other, if that one had `wants` entries more of file `in`. */
static bool all_can_end(const struct residency *r, unsigned slot, unsigned in, unsigned wants)
{
	unsigned left[SCHEDULERS_MAX], held[64][SCHEDULERS_MAX];
	uint64_t ended = 0, before;

	for (unsigned s = 0; s < r->subs; s++) {
		left[s] = r->entries - held_in(r, s) - (s == in ? wants : 0);
		for (unsigned i = 0; i < r->nctas; i++)
			held[i][s] = held_by(r, warps_of(r, r->cta[i]) & warps_in(r, s)) +
				     (s == in && r->cta[i] == slot ? wants : 0);
	}
	do {
		before = ended;
		for (unsigned i = 0; i < r->nctas; i++) {
			if (ended & bit(i) || !can_end(r, r->cta[i], left, held[i]))
				continue;
			ended |= bit(i);
			for (unsigned s = 0; s < r->subs; s++)
				left[s] += held[i][s];
		}
	} while (ended != before);
	return (unsigned)__builtin_popcountll(ended) == r->nctas;
}

static bool admits(const struct residency *r, unsigned warp, unsigned wants)
{
	const unsigned slot = warp / r->warps_per_cta, sub = warp % r->subs;

	if (held_in(r, sub) + wants > r->entries)
		return false;
	return r->reserve ? older_can_end(r, slot, sub, wants) : all_can_end(r, slot, sub, wants);
}

/* Registers that u writes and that are not held. */
static unsigned wanted(const struct residency *r, const struct uop *u)
{
	unsigned n = 0;

	for (unsigned d = 0; d < u->ndst; d++)
		n += !rename_holds(r->rfv.rename, u->warp, u->dst[d]);
	return n;
}

static bool rfv_shared_may_issue(struct residency *r, const struct uop *u)
{
	const unsigned wants = wanted(r, u);

	if (!wants || admits(r, u->warp, wants))
		return true;
	if (!(r->waiting & bit(u->warp)))
		r->since[u->warp] = *r->now;
	r->waiting |= bit(u->warp);
	r->wants[u->warp] = (uint8_t)wants;
	return false;
}

static void rfv_shared_issue(struct residency *r, const struct uop *u)
{
	if (r->waiting & bit(u->warp)) {
		r->waiting &= ~bit(u->warp);
		r->stats->rfv_throttled++;
		r->stats->rfv_throttle_cycles += *r->now - r->since[u->warp];
	}
	rfv_release(&r->rfv, u);
}

static bool rfv_shared_cta_start(struct residency *r, unsigned first, unsigned n)
{
	(void)n;
	r->cta[r->nctas++] = (uint8_t)(first / r->warps_per_cta);
	r->live |= warps_of(r, first / r->warps_per_cta);
	return true;
}

/* Its entries are given back behind this: freed() follows. */
static void rfv_shared_warp_exit(struct residency *r, unsigned warp)
{
	unsigned n = 0;

	r->live &= ~bit(warp);
	for (unsigned i = 0; i < r->nctas; i++)
		if (r->live & warps_of(r, r->cta[i]))
			r->cta[n++] = r->cta[i];
	r->nctas = n;
}

static void rfv_shared_freed(struct residency *r)
{
	uint64_t wake = 0;

	for (uint64_t m = r->waiting; m; m &= m - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(m);

		if (admits(r, w, r->wants[w]))
			wake |= bit(w);
	}
	residency_wake(r->axes, wake);
}

/* Warps of older CTAs, for which entries are kept; if there are none that hold any, of all others. */
static uint64_t rfv_shared_holders(struct residency *r, unsigned warp)
{
	const unsigned slot = warp / r->warps_per_cta;
	const uint64_t mine = warps_in(r, warp % r->subs);
	uint64_t older = 0, others = r->live & ~warps_of(r, slot) & mine, hold = 0;

	for (unsigned i = 0; i < r->nctas && r->cta[i] != slot; i++)
		older |= r->live & warps_of(r, r->cta[i]) & mine;
	for (uint64_t m = r->reserve && older ? older : others; m; m &= m - 1)
		hold |= rename_held_by(r->rfv.rename, (unsigned)__builtin_ctzll(m)) ? m & -m : 0;
	return r->waiting & bit(warp) ? hold : 0;
}

static const char *rfv_shared_describe(struct residency *r, const struct uop *u, struct arena *a)
{
	const unsigned wants = wanted(r, u);

	if (!wants || admits(r, u->warp, wants))
		return NULL;
	return arena_printf(
		a, "%u entr%s of the register file%s: %u of %u are held, and the others kept so that %s CTA can end",
		wants, wants > 1 ? "ies" : "y", r->subs > 1 ? " of its sub-core" : "", held_in(r, u->warp % r->subs),
		r->entries, r->reserve ? "each older" : "some");
}

/* Beside the table and the free map: entries held, by CTA; their order. */
static unsigned rfv_shared_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	const unsigned subs = params_register_files(p);

	(void)regs;
	out[0] = (struct storage_part){ "throttle", p->ctas_per_sm * (subs * index_bits(storage_entries(p) / subs + 1) +
								      index_bits(p->ctas_per_sm)) };
	return 1;
}

static const char *const parameters[] = { "rename_ports", "rename_cycles", "release_metadata", "rfv_reserve", NULL };

const struct residency_ops rfv_shared_residency = {
	.name = "rfv-shared",
	.source = "Jeon et al., MICRO 2015: CTAs share what entries there are, throttled; docs/RFV.md#more-ctas",
	.needs_anno = ANNO_RELEASE,
	.create = rfv_shared_create,
	.max_ctas = rfv_shared_max_ctas,
	.cta_start = rfv_shared_cta_start,
	.warp_exit = rfv_shared_warp_exit,
	.parameters = parameters,
	.renames = true,
	.subcores = true,
	.metadata = rfv_metadata,
	.may_issue = rfv_shared_may_issue,
	.wakes = true,
	.issue = rfv_shared_issue,
	.freed = rfv_shared_freed,
	.holders = rfv_shared_holders,
	.describe = rfv_shared_describe,
	.storage = rfv_shared_storage,
};

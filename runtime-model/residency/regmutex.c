/* RegMutex (Khorasani, Asghari Esfeden, Farmahini-Farahani, Jayasena, Sarkar: RegMutex, ISCA 2018, section III-B)
 * and its specialisation for pairs of warps (III-C). A warp of a variant kernel has registers below k->base_regs for
 * itself from its CTA's launch on, its base set. The others, its extended set, are in one of the sections of the
 * shared register pool, which lies behind all base sets, from the regmutex.acquire that takes it to the
 * regmutex.release that gives it back.
 *
 *   regmutex         any warp takes any section: the first whose bit in the pool's bitmask is zero. The lookup table
 *                    says which.
 *   regmutex-paired  warp slots 2i and 2i + 1 have section i, which one of them holds at a time. A CTA with an odd
 *                    number of warps shares a pair with the next one; if the number of all warps is odd, the last has
 *                    a section to itself.
 *
 * Register x of warp w is physical register base w + x, or offset + extended section + x - base (Figure 6). Inside
 * each set they are rotated over the banks as in residency=static, those of a section by its number: bank (x + w)
 * mod banks, (x - base + section) mod banks.
 *
 * On a core of sub-cores (params.core 1) each has a pool of its own, behind the base sets of its warps in its two
 * banks, of which the first has the registers with even numbers: so the compiler has them, whose registers keep
 * their bank in a section. Warps of one sub-core share its sections; a pair is two that follow each other there, w
 * and w + sub-cores. Sections of all sub-cores are numbered in turn: s is the one of number s / sub-cores in sub-
 * core s mod sub-cores.
 *
 * What the paper leaves open. A release frees the section when the operands that were issued before it have been
 * read: writes it has waited for (sm/decode.c). A warp that acquires again before that takes its section back. A
 * warp that exits gives back what it holds.
 *
 * A kernel that is no variant has a base set of all its registers and no pool: residency=static. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/base/bits.h"
#include "analyzer/elf/rlo.h"
#include "passes/regmutex.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/residency/rotate.h"

#include <inttypes.h>

/* registers of a thread; where the pool begins, in the file */
struct sets {
	unsigned base, extended, offset;
};

struct residency {
	const struct axes *axes;
	struct stats *stats;
	const uint64_t *now;
	struct sets set;
	bool paired;
	unsigned subs;  /* sub-cores, each with a pool for the warps whose number mod subs is its own; or 1 */
	bool by_parity; /* registers are in the banks of a sub-core: where, map_in_sub_core() says */
	uint64_t reach[SCHEDULERS_MAX];  /* by sub-core: its sections */
	uint16_t behind[SCHEDULERS_MAX]; /* and its warps, behind whose base sets they are */
	uint64_t status;                 /* warps that have acquired: the warp status bitmask */
	uint64_t mapped;                 /* and those whose section is still read */
	uint64_t pool;                   /* sections taken: the SRP bitmask; unless paired */
	uint64_t waiting;                /* warps that have been refused */
	uint8_t section[64];             /* the lookup table: by warp, if mapped */
	uint16_t reads[64];              /* instructions issued that name extended registers and have not read */
	uint8_t rotate[64], rotate_section[64];
	uint64_t accounted; /* section-cycles are counted up to here */
};

/* Without the offset, for which the number of warps is wanted. */
static struct sets sets_of(const struct params *p, const struct kernel *k)
{
	const struct sm_limits sm = params_limits(p);
	unsigned regs = occupancy_allocated(&sm, k->res.regs),
		 base = k->base_regs && k->base_regs < regs ? k->base_regs : regs;

	return (struct sets){ .base = base, .extended = regs - base };
}

static unsigned regmutex_max_ctas(const struct params *p, const struct kernel *k, unsigned warps_per_cta)
{
	const struct sm_limits sm = params_limits(p);
	const struct sets s = sets_of(p, k);

	return occupancy_regmutex(&sm, s.base, s.extended, warps_per_cta);
}

static unsigned paired_max_ctas(const struct params *p, const struct kernel *k, unsigned warps_per_cta)
{
	const struct sm_limits sm = params_limits(p);
	const struct sets s = sets_of(p, k);

	return occupancy_paired(&sm, s.base, s.extended, warps_per_cta);
}

static unsigned regmutex_sections(const struct params *p, const struct kernel *k, unsigned resident)
{
	const struct sm_limits sm = params_limits(p);
	const struct sets s = sets_of(p, k);

	return s.extended ? occupancy_sections(&sm, s.base, s.extended, resident) : 0;
}

static unsigned pairs(unsigned warps) { return (warps + 1) / 2; }

/* Of the first `resident` warps those in that sub-core. */
static unsigned warps_of(unsigned resident, unsigned sub, unsigned subs) { return (resident + subs - 1 - sub) / subs; }

static unsigned paired_sections(const struct params *p, const struct kernel *k, unsigned resident)
{
	unsigned n = 0;

	for (unsigned i = 0; i < params_register_files(p); i++)
		n += pairs(warps_of(resident, i, params_register_files(p)));
	return sets_of(p, k).extended ? n : 0;
}

/* Those of one sub-core. */
static unsigned sections_of(const struct params *p, const struct sets *s, unsigned resident, unsigned sub, bool paired)
{
	const struct sm_limits sm = params_limits(p);

	if (!s->extended)
		return 0;
	return paired ? pairs(warps_of(resident, sub, params_register_files(p)))
		      : occupancy_sections_of(&sm, s->base, s->extended, resident, sub);
}

static struct residency *create(const struct axis_ctx *cx, bool paired)
{
	struct residency *r = new(cx->arena, struct residency);
	const unsigned banks = cx->params->rf_banks;
	unsigned sections = 0;

	*r = (struct residency){ .axes = cx->axes,
				 .stats = cx->stats,
				 .now = cx->now,
				 .set = sets_of(cx->params, cx->kernel),
				 .paired = paired };
	if (cx->kernel->base_regs && !r->set.extended) {
		diag_error_plain(cx->diag, cx->kernel->name, "has an extended set without registers");
		return NULL;
	}
	r->set.offset = cx->resident * r->set.base;
	r->subs = params_register_files(cx->params);
	r->by_parity = cx->params->core;
	for (unsigned i = 0; i < r->subs; i++) {
		const unsigned n = sections_of(cx->params, &r->set, cx->resident, i, paired);

		r->behind[i] = (uint16_t)warps_of(cx->resident, i, r->subs);
		for (unsigned k = 0; k < n; k++)
			r->reach[i] |= bit(k * r->subs + i);
		sections += n;
	}
	if (r->by_parity)
		return r;
	for (unsigned w = 0; w < cx->warps; w++)
		r->rotate[w] = rotation(w * r->set.base, w % banks, banks, r->set.base);
	for (unsigned i = 0; i < sections; i++)
		r->rotate_section[i] = rotation(r->set.offset + i * r->set.extended, i % banks, banks, r->set.extended);
	return r;
}

/* Even registers are in the first bank of the warp's sub-core, odd ones in the second: in each the base sets of its
 * warps, then its sections. */
static unsigned map_in_sub_core(const struct residency *r, unsigned warp, unsigned reg)
{
	const unsigned odd = reg % 2, sub = warp % r->subs, own = (r->set.base + 1 - odd) / 2,
		       shared = (r->set.base + r->set.extended + 1 - odd) / 2 - own;
	unsigned row = warp / r->subs * own + reg / 2;

	if (reg >= r->set.base)
		row = r->behind[sub] * own + r->section[warp] / r->subs * shared + reg / 2 - own;
	return (row * r->subs + sub) * 2 + odd;
}

static unsigned map(struct residency *r, unsigned warp, unsigned reg)
{
	const struct sets *s = &r->set;
	const unsigned at = r->section[warp];

	if (r->by_parity)
		return map_in_sub_core(r, warp, reg);
	if (reg < s->base)
		return warp * s->base + rotated(reg, r->rotate[warp], s->base);
	return s->offset + at * s->extended + rotated(reg - s->base, r->rotate_section[at], s->extended);
}

static void account(struct residency *r, uint64_t upto)
{
	r->stats->rf_section_cycles += (upto - r->accounted) * (unsigned)__builtin_popcountll(r->mapped);
	r->accounted = upto;
}

enum { WARPS = 64, NO_SECTION = WARPS };

/* The other warp of its pair; the warp, if no slot has that number. */
static unsigned peer(const struct residency *r, unsigned warp)
{
	const unsigned other = (warp / r->subs ^ 1) * r->subs + warp % r->subs;

	return other < WARPS ? other : warp;
}

/* The section that the warp could have now, or NO_SECTION. */
static unsigned find_section(const struct residency *r, unsigned warp)
{
	const unsigned sub = warp % r->subs;
	const uint64_t free = r->reach[sub] & ~r->pool;

	if (r->paired)
		return r->mapped & bit(peer(r, warp)) ? NO_SECTION : warp / r->subs / 2 * r->subs + sub;
	return free ? (unsigned)__builtin_ctzll(free) : NO_SECTION;
}

/* Warps that share sections with this one. */
static uint64_t others(const struct residency *r, unsigned warp)
{
	uint64_t out = 0;

	if (r->paired)
		return bit(peer(r, warp));
	for (unsigned w = warp % r->subs; w < WARPS; w += r->subs)
		out |= bit(w);
	return out;
}

static enum acquired acquire(struct residency *r, unsigned warp)
{
	const unsigned section = find_section(r, warp);

	if (r->status & bit(warp))
		return ACQUIRE_HELD;
	if (!(r->mapped & bit(warp)) && section == NO_SECTION) {
		r->waiting |= bit(warp);
		return ACQUIRE_NONE;
	}
	r->waiting &= ~bit(warp);
	r->status |= bit(warp);
	if (r->mapped & bit(warp)) /* it takes back what is still read */
		return ACQUIRE_TAKEN;
	account(r, *r->now);
	r->mapped |= bit(warp);
	r->section[warp] = (uint8_t)section;
	r->pool |= bit(section);
	return ACQUIRE_TAKEN;
}

/* The warp holds its section no longer, and nothing reads it. */
static void give_back(struct residency *r, unsigned warp)
{
	account(r, *r->now);
	r->mapped &= ~bit(warp);
	r->pool &= ~bit(r->section[warp]);
	residency_wake(r->axes, r->waiting & others(r, warp));
}

static bool release(struct residency *r, unsigned warp)
{
	if (!(r->status & bit(warp)))
		return false;
	r->status &= ~bit(warp);
	if (!r->reads[warp])
		give_back(r, warp);
	return true;
}

static void warp_exit(struct residency *r, unsigned warp)
{
	r->status &= ~bit(warp);
	if (r->mapped & bit(warp))
		give_back(r, warp);
}

static bool reads_extended(const struct residency *r, const struct uop *u)
{
	for (unsigned i = 0; i < u->nsrc; i++)
		if (u->src[i] >= r->set.base)
			return true;
	return false;
}

static unsigned missing(struct residency *r, const struct uop *u)
{
	if (r->status & bit(u->warp))
		return NO_REGISTER;
	for (unsigned i = 0; i < u->nsrc; i++)
		if (u->src[i] >= r->set.base)
			return u->src[i];
	for (unsigned i = 0; i < u->ndst; i++)
		if (u->dst[i] >= r->set.base)
			return u->dst[i];
	return NO_REGISTER;
}

static void issue(struct residency *r, const struct uop *u)
{
	r->reads[u->warp] = (uint16_t)(r->reads[u->warp] + reads_extended(r, u));
}

static void read_done(struct residency *r, const struct uop *u)
{
	if (!reads_extended(r, u) || --r->reads[u->warp] || r->status & bit(u->warp))
		return;
	give_back(r, u->warp);
}

static uint64_t holders(struct residency *r, unsigned warp)
{
	if (!(r->waiting & bit(warp)) || find_section(r, warp) != NO_SECTION)
		return 0;
	return r->mapped & others(r, warp);
}

static const char *describe(struct residency *r, const struct uop *u, struct arena *a)
{
	unsigned n;

	if (!holders(r, u->warp))
		return NULL;
	if (r->paired)
		return arena_printf(a, "the extended set of %u registers of warps %u and %u", r->set.extended,
				    u->warp < peer(r, u->warp) ? u->warp : peer(r, u->warp),
				    u->warp < peer(r, u->warp) ? peer(r, u->warp) : u->warp);
	n = (unsigned)__builtin_popcountll(r->reach[u->warp % r->subs]);
	return arena_printf(a, "an extended set of %u registers: there %s %u%s", r->set.extended, n == 1 ? "is" : "are",
			    n, r->subs > 1 ? " in its sub-core" : "");
}

/* Status and pool a bit for each warp slot, the lookup table a number for each, of its sub-core: 384 on 48. */
static unsigned regmutex_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "warp status", params_warps(p) };
	out[1] = (struct storage_part){ "pool bitmask", params_warps(p) };
	out[2] = (struct storage_part){ "lookup table",
					params_warps(p) * index_bits(params_warps(p) / params_register_files(p)) };
	return 2 + (out[2].bits != 0);
}

static unsigned paired_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "pair bitmask",
					params_register_files(p) * pairs(params_warps(p) / params_register_files(p)) };
	return 1;
}

static const char *cta_text(const struct occupancy_cta *cta, struct arena *a)
{
	const char *of = cta->threads ? arena_printf(a, "%" PRIu32 " threads", cta->threads) : "one warp";

	return cta->dynamic_bytes
		       ? arena_printf(a, "%s with %" PRIu32 " bytes of dynamic shared memory", of, cta->dynamic_bytes)
		       : of;
}

/* Some legal size lets in more warps than nothing shared. */
static bool may_gain(const struct regmutex *m)
{
	for (uint32_t x = 0; x < m->nsize; x++)
		if (m->size[x].why == SIZE_LEGAL && m->size[x].warps > m->warps)
			return true;
	return false;
}

/* The compiler chose the size, or none, for other CTAs than those launched, of which another one may be better. */
static const char *remark_cta(const struct kernel *k, const struct occupancy_cta *cta, struct arena *a)
{
	const struct regmutex *m = k->regmutex;
	struct regmutex here;

	if (m->reason == REGMUTEX_GIVEN ||
	    (m->cta.threads == cta->threads && m->cta.dynamic_bytes == cta->dynamic_bytes))
		return NULL;
	regmutex_examine(k, &m->needs, &m->sm, *cta, m->rules_off, m->even, &here, a);
	if (!m->extended && !may_gain(&here))
		return NULL;
	return arena_printf(
		a,
		"what warps of %s share, %" PRIu32
		" registers, was chosen for CTAs of %s, and those launched are of %s: annotate with the same --launch",
		kernel_name(k->name, a), m->extended, cta_text(&m->cta, a), cta_text(cta, a));
}

/* The compiler chose the size for another register file, or CTA. k: the plain kernel. */
static const char *remark(const struct params *p, const struct kernel *k, const struct occupancy_cta *cta,
			  struct arena *a)
{
	const struct regmutex *m = k->regmutex;

	if (!m)
		return NULL;
	if (m->sm.registers == p->rf_registers && m->sm.granule == p->reg_round && m->sm.threads == p->threads_per_sm)
		return remark_cta(k, cta, a);
	return arena_printf(a,
			    "what warps of %s share was chosen for an SM of %s with %" PRIu32
			    " registers in multiples of %" PRIu32 " and %" PRIu32 " warps, and this one has %" PRIu32
			    " in multiples of %" PRIu32 " and %u warps: annotate with --machine=%s%s",
			    kernel_name(k->name, a), m->sm.machine, m->sm.registers, m->sm.granule,
			    m->sm.threads / WARP_LANES, p->rf_registers, p->reg_round, params_warps(p), p->machine,
			    p->changes[0] ? " and the same --set" : "");
}

static struct residency *regmutex_create(const struct axis_ctx *cx) { return create(cx, false); }
static struct residency *regmutex_paired_create(const struct axis_ctx *cx) { return create(cx, true); }

#define REGMUTEX(ID, NAME, SOURCE, WHICH)             \
	const struct residency_ops ID##_residency = { \
		.name = NAME,                         \
		.source = SOURCE,                     \
		.needs_anno = ANNO_REGMUTEX,          \
		.variant = true,                      \
		.create = ID##_create,                \
		.max_ctas = WHICH##_max_ctas,         \
		.sections = WHICH##_sections,         \
		.storage = WHICH##_storage,           \
		.remark = remark,                     \
		.map = map,                           \
		.subcores = true,                     \
		.wakes = true,                        \
		.missing = missing,                   \
		.issue = issue,                       \
		.read_done = read_done,               \
		.acquire = acquire,                   \
		.release = release,                   \
		.warp_exit = warp_exit,               \
		.holders = holders,                   \
		.describe = describe,                 \
		.account = account,                   \
	};
REGMUTEX(regmutex, "regmutex", "RegMutex (ISCA 2018), section III-B; docs/REGMUTEX_HARDWARE.md#hardware", regmutex)
REGMUTEX(regmutex_paired, "regmutex-paired", "RegMutex (ISCA 2018), section III-C; docs/REGMUTEX_HARDWARE.md", paired)

/* How many registers the extended set has: RegMutex, section III-A2.
 *
 * The even ones of 10, 15, 20, 25, 30 and 35 percent of the registers used, rounded down, are candidates; those whose
 * base sets let most warps in stay. Of 38 and 39 registers all six are odd: by this rule such a kernel shares nothing.
 * The paper's text then prefers the largest with which more than half of the warps may have their extended sets at
 * once. Its worked example has candidates 4, 6 and 8 with 16, 26 and 32 sections for 48 warps and takes 6, which is the
 * smallest of those, not the largest; rows of Table I that any reading of this explains fit both. The registers used
 * are those that the kernel asks for, not rounded: of 36, RadixSort's 6 is no candidate, of 33 it is. Where no
 * candidate has sections for more than half of the warps, the one with most sections goes: the paper does not say.
 * docs/REGMUTEX.md#size has the table, row by row. A candidate is out if it lets no more warps in than the plain
 * kernel.
 *
 * Rule 1 against deadlock, room for one section at least, is part of the occupancy: rather one CTA less. Rule 2: where
 * a warp waits for others (passes/regmutex_waits.c), what it needs has room in the base set. */
#include "analyzer/base/kernel_name.h"
#include "passes/freq.h"
#include "passes/owf.h"
#include "passes/regmutex.h"

#include <string.h>

const char *const regmutex_reason_text[REGMUTEX_REASON_COUNT] = {
	[REGMUTEX_CHOSEN] = "chosen",
	[REGMUTEX_GIVEN] = "as asked for",
	[REGMUTEX_NO_CANDIDATE] = "too few registers to divide for more warps",
	[REGMUTEX_NO_GAIN] = "no size lets in more warps",
	[REGMUTEX_NOT_LEGAL] = "no legal size lets in more warps",
	[REGMUTEX_HELD] = "would hold it too long",
};
const char *const regmutex_why_text[SIZE_WHY_COUNT] = {
	[SIZE_LEGAL] = "legal",
	[SIZE_NO_SECTION] = "no room for one extended set beside the base sets of one CTA",
	[SIZE_WAITS] = "the base set has not room for what is alive where the warp waits for others",
	[SIZE_WORK] = ("too much work: no place in the base set was found in time for what is live where the extended "
		       "set is not held"),
	[SIZE_CALLS] = "calls take warps to places where they may hold it or not",
	[SIZE_COMPACT] = "values have no place in the base set where the extended set is not held",
};

static const unsigned percent[] = { 10, 15, 20, 25, 30, 35 };

/* ---- occupancy ---- */
static unsigned by_regmutex(const struct occupancy_query *q, unsigned warps_per_cta)
{
	return occupancy_regmutex(&q->sm, q->base, q->extended, warps_per_cta);
}

static unsigned by_paired(const struct occupancy_query *q, unsigned warps_per_cta)
{
	return occupancy_paired(&q->sm, q->base, q->extended, warps_per_cta);
}

struct occupancy_query regmutex_query(const struct kernel *k, const struct sm_limits *sm, struct occupancy_cta cta)
{
	struct occupancy_query q = {
		.sm = *sm,
		.kernel = k,
		.threads = cta.threads ? cta.threads : WARP_THREADS,
		.regs = k->res.regs,
		.shared_bytes = cta.threads ? k->res.shared_bytes + cta.dynamic_bytes : 0,
	};

	if (!cta.threads)
		q.sm.ctas = sm->threads / WARP_THREADS;
	return q;
}

static struct regmutex_size size_of(const struct regmutex *r, struct occupancy_query q, uint32_t extended)
{
	struct regmutex_size s = { .extended = extended, .base = r->regs - extended, .at = REGMUTEX_NONE };
	struct occupancy o;
	bool none;

	q.base = s.base;
	q.extended = extended;
	q.by_registers = by_regmutex;
	o = occupancy_of(&q);
	s.ctas = o.ctas;
	s.warps = o.warps;
	s.sections = occupancy_sections(&q.sm, s.base, extended, o.warps);
	none = !o.by[LIMIT_REGISTERS];
	q.by_registers = by_paired;
	o = occupancy_of(&q);
	s.paired_ctas = o.ctas;
	s.paired_warps = o.warps;
	if (none) {
		s.why = SIZE_NO_SECTION;
	} else if (s.base < r->needs.waiting && !r->rules_off) {
		s.why = SIZE_WAITS;
		s.at = r->needs.at;
		s.needs = r->needs.waiting;
	}
	return s;
}

/* Rule 2: the registers of the base set. */
void regmutex_find_needs(const struct kernel *k, enum regmutex_liveness how, struct regmutex_needs *r)
{
	struct arena a;
	uint16_t *demand;
	uint8_t *wait;

	arena_init(&a);
	demand = new_array(&a, uint16_t, (size_t)k->ninsn + 1);
	wait = new_array(&a, uint8_t, (size_t)k->ninsn + 1);
	regmutex_demand(k, how, demand);
	regmutex_waits(k, &a, wait);
	*r = (struct regmutex_needs){ .at = REGMUTEX_NONE };
	for (uint32_t i = 0; i < k->ninsn; i++) {
		if (demand[i] > r->most)
			r->most = demand[i];
		if (wait[i] != WAIT_NONE && (r->at == REGMUTEX_NONE || demand[i] > r->waiting)) {
			r->waiting = demand[i];
			r->at = i;
			r->wait = wait[i];
		}
	}
	arena_free(&a);
}

/* ---- the choice ---- */
void regmutex_choose(struct regmutex *r)
{
	uint32_t most = r->warps, best = REGMUTEX_NONE;
	bool ruled_out = false;

	for (uint32_t x = 0; x < r->nsize; x++) {
		ruled_out |= r->size[x].why != SIZE_LEGAL && r->size[x].warps > r->warps;
		if (r->size[x].why == SIZE_LEGAL && r->size[x].warps > most)
			most = r->size[x].warps;
	}
	for (uint32_t x = r->nsize; x--;) {
		const struct regmutex_size *s = &r->size[x], *b = best != REGMUTEX_NONE ? &r->size[best] : NULL;

		if (s->why == SIZE_LEGAL && s->warps == most && most > r->warps &&
		    (!b || 2 * s->sections > most || s->sections >= b->sections))
			best = x;
	}
	r->chosen = best;
	r->extended = best == REGMUTEX_NONE ? 0 : r->size[best].extended;
	r->base = r->regs - r->extended;
	if (best != REGMUTEX_NONE)
		r->reason = REGMUTEX_CHOSEN;
	else if (!r->nsize)
		r->reason = REGMUTEX_NO_CANDIDATE;
	else
		r->reason = ruled_out ? REGMUTEX_NOT_LEGAL : REGMUTEX_NO_GAIN;
}

/* What a thread needs registers for: all that the code names, also those that it takes from other warps while it
 * runs. */
static uint32_t registers_of(const struct kernel *k) { return k->native ? owf_registers(k) : k->res.regs; }

static void begin(struct regmutex *r, const struct kernel *k, const struct regmutex_needs *needs,
		  const struct sm_limits *sm, struct occupancy_cta cta, bool rules_off)
{
	struct occupancy_query q = regmutex_query(k, sm, cta);
	struct occupancy o = occupancy_of(&q);

	*r = (struct regmutex){
		.regs = occupancy_allocated(sm, registers_of(k)),
		.asked = registers_of(k),
		.sm = *sm,
		.cta = cta,
		.ctas = o.ctas,
		.warps = o.warps,
		.limit = o.why,
		.needs = *needs,
		.chosen = REGMUTEX_NONE,
		.rules_off = rules_off,
	};
}

void regmutex_examine(const struct kernel *k, const struct regmutex_needs *needs, const struct sm_limits *sm,
		      struct occupancy_cta cta, bool rules_off, bool even, struct regmutex *r, struct arena *a)
{
	struct occupancy_query q = regmutex_query(k, sm, cta);

	begin(r, k, needs, sm, cta, rules_off);
	r->even = even;
	r->size = new_array(a, struct regmutex_size, sizeof percent / sizeof *percent + r->regs / 2);
	for (uint32_t n = 2; even && n < r->regs; n += 2)
		r->size[r->nsize++] = size_of(r, q, n);
	for (unsigned p = 0; !even && p < sizeof percent / sizeof *percent; p++) {
		uint32_t n = r->asked * percent[p] / 100;

		if (n && n % 2 == 0 && (!r->nsize || r->size[r->nsize - 1].extended != n))
			r->size[r->nsize++] = size_of(r, q, n);
	}
	regmutex_choose(r);
}

/* The legal sizes nearest to one that is not, by the rules: "; legal are 4 and 12", in arena a. Whether registers find
 * places, the rules do not say. */
static const char *nearest(const struct regmutex *r, const struct kernel *k, uint32_t given, struct arena *a)
{
	struct occupancy_query q = regmutex_query(k, &r->sm, r->cta);
	uint32_t less = given, more = given;

	while (less && (less >= r->regs || less == given || size_of(r, q, less).why != SIZE_LEGAL))
		less--;
	while (more < r->regs && (more == given || size_of(r, q, more).why != SIZE_LEGAL))
		more++;
	if (less && more < r->regs)
		return arena_printf(a, "; the nearest legal sizes are %u and %u", less, more);
	if (less || more < r->regs)
		return arena_printf(a, "; the nearest legal size is %u", less ? less : more);
	return "; no size is legal";
}

/* A size that was given is not legal. */
static bool refuse(const struct kernel *k, const struct regmutex_size *s, struct pass_ctx *cx)
{
	const struct regmutex *r = k->regmutex;
	struct arena a;
	const char *text, *where, *near;

	arena_init(&a);
	near = s->why == SIZE_WAITS || s->why == SIZE_NO_SECTION ? nearest(r, k, s->extended, &a) : "";
	where = s->at != REGMUTEX_NONE ? ir_where(&a, k, &k->insn[s->at]) : "";
	text = arena_printf(&a, "an extended set of %u registers leaves %u of %u in the base set", s->extended, s->base,
			    r->regs);
	switch (s->why) {
	case SIZE_WAITS:
		if (s->at == REGMUTEX_NONE) {
			text = arena_printf(
				&a, "%s, and with it the warp would hold the extended set where it waits for others",
				text);
			break;
		}
		text = arena_printf(&a,
				    "%s, but %u are alive at %s%s%s, where the warp waits for others: they might wait "
				    "for its extended set",
				    text, s->needs, ir_print_insn(&a, k, &k->insn[s->at]), *where ? " at " : "", where);
		break;
	case SIZE_COMPACT:
		text = arena_printf(&a, "%s, but %s", text,
				    "what is live where the extended set is not held finds no place in it");
		if (s->at != REGMUTEX_NONE)
			text = arena_printf(&a, "%s, at %s%s%s", text, ir_print_insn(&a, k, &k->insn[s->at]),
					    *where ? " at " : "", where);
		break;
	case SIZE_CALLS:
		text = arena_printf(
			&a, "%s, and calls take warps to places where they may hold the extended set or not", text);
		break;
	case SIZE_WORK:
		text = arena_printf(&a,
				    "%s, and it is too much work to find places in it for all that is live where the "
				    "extended set is not held",
				    text);
		break;
	case SIZE_NO_SECTION:
		text = arena_printf(&a,
				    "%s: base sets of one CTA of %u threads and one extended set are more than the %u "
				    "registers of an SM",
				    text, r->cta.threads ? r->cta.threads : WARP_THREADS, r->sm.registers);
		break;
	case SIZE_LEGAL:
	case SIZE_WHY_COUNT:
		break;
	}
	diag_error_plain(cx->diag, k->name, "--regmutex=%u is not legal: %s%s", s->extended, text, near);
	arena_free(&a);
	return false;
}

bool regmutex_decide(struct kernel *k, struct pass_ctx *cx)
{
	const struct regmutex_options *o = &cx->opt.regmutex;
	struct occupancy_cta cta = launch_cta(k, cx->opt.launch);
	struct regmutex_needs needs;
	struct regmutex *r;

	k->regmutex = NULL;
	if (o->size == REGMUTEX_OFF)
		return true;
	regmutex_find_needs(k, o->liveness, &needs);
	r = k->regmutex = new(k->a, struct regmutex);
	if (o->size == REGMUTEX_AUTO || o->size == REGMUTEX_PAPER ||
	    (o->kernel && !kernel_is_named(k->name, o->kernel))) {
		regmutex_examine(k, &needs, &o->sm, cta, o->rules_off, o->size != REGMUTEX_PAPER, r, k->a);
		return true;
	}
	begin(r, k, &needs, &o->sm, cta, o->rules_off);
	if ((uint32_t)o->size >= r->regs) {
		struct arena a;

		arena_init(&a);
		diag_error_plain(cx->diag, k->name,
				 "--regmutex=%d is not legal: the kernel has %u registers a thread in all%s", o->size,
				 r->regs, nearest(r, k, (uint32_t)o->size, &a));
		arena_free(&a);
		return false;
	}
	r->size = new(k->a, struct regmutex_size);
	r->nsize = 1;
	r->size[0] = size_of(r, regmutex_query(k, &o->sm, cta), (uint32_t)o->size);
	r->chosen = 0;
	r->extended = r->size[0].extended;
	r->base = r->size[0].base;
	r->reason = REGMUTEX_GIVEN;
	return r->size[0].why == SIZE_LEGAL || refuse(k, &r->size[0], cx);
}

bool regmutex_drop(struct kernel *k, enum regmutex_why why, uint32_t at, uint32_t needs, struct pass_ctx *cx)
{
	struct regmutex *r = k->regmutex;
	struct regmutex_size *s = &r->size[r->chosen];

	s->why = why;
	s->at = at;
	s->needs = needs;
	if (r->reason == REGMUTEX_GIVEN)
		return refuse(k, s, cx);
	regmutex_choose(r);
	return true;
}

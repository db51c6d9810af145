/* RegMutex from end to end: the variant of a kernel.
 *
 * Demand says where more registers are alive than the base set has; regions of these, with what is merged, are where
 * the extended set is to be held (regmutex_regions.c); values that are alive elsewhere are moved into the base set
 * (regmutex_compact()); then acquire and release are put in where the code that came out of this needs them (pass
 * `regmutex`). A size for which one of these steps has no solution is dropped for the next. Decoded machine code has no
 * variant, but places for acquire and release (regmutex_points.c). */
#include "passes/regmutex_compact.h"
#include "passes/regmutex_place.h"

#include <string.h>
#include <time.h>

/* of compaction, each with more held than before */
enum { TRIES = 12 };
/* of its search: of these tries together, and for each instruction so many more */
enum { STEPS = 4 << 20, STEPS_INSN = 8 };

struct make {
	struct kernel *k, *c; /* plain; the variant, before anything is done to it */
	struct pass_ctx *cx;
	struct arena a, tried, scratch; /* the last two: of the placement that is tried */
	struct regmutex_cost cost;
	uint8_t *need, *never, *hold, *waits;
	bool placed; /* a placement has been found */
	uint16_t *demand;
	uint32_t at, needs; /* where a size failed: instruction of the plain kernel, registers */
};

static bool facts(struct kernel *c, struct pass_ctx *cx)
{
	return pass_need(c,
			 FACT_CFG | FACT_DOM | FACT_PDOM | FACT_LIVE | FACT_LOOP | FACT_WLIVE | FACT_FREQ |
				 (cx->opt.regmutex.liveness == REGMUTEX_LIVENESS_PAPER ? FACT_DLIVE : 0),
			 cx);
}

/* What has to be held, and what must not be. */
static enum regmutex_why find_hold(struct make *s)
{
	struct kernel *c = s->c;
	const struct regmutex *r = s->k->regmutex;
	uint8_t *low = new_array(&s->a, uint8_t, (size_t)c->ninsn + 1);

	regmutex_demand(c, s->cx->opt.regmutex.liveness, s->demand);
	if (!r->rules_off) {
		regmutex_waits(c, &s->a, s->waits);
		regmutex_never(c, s->waits, &s->a, s->never, low);
	}
	for (uint32_t i = 0; i < c->ninsn; i++) {
		s->need[i] = s->demand[i] > c->base_regs;
		if (s->need[i] && s->never[i]) {
			s->at = i;
			s->needs = s->demand[i];
			return SIZE_WAITS;
		}
		if (low[i] && !s->need[i])
			s->never[i] = 1;
	}
	return SIZE_LEGAL;
}

/* Holds at instruction i, and at more around it in its block with each try. False: it must not be held there. */
static bool widen(const struct make *s, uint32_t i, unsigned try, uint8_t *hold)
{
	const struct kernel *c = s->c;
	uint32_t b = 0, from, to;

	if (s->never[i] || hold[i])
		return false;
	while (i - c->block[b].first >= c->block[b].n)
		b++;
	from = i - c->block[b].first > (1u << try) ? i - (1u << try) : c->block[b].first;
	to = i + (1u << try) < c->block[b].first + c->block[b].n ? i + (1u << try) : c->block[b].first + c->block[b].n;
	for (uint32_t x = i; x < to && !s->never[x]; x++)
		hold[x] = 1;
	for (uint32_t x = i; x-- > from && !s->never[x];)
		hold[x] = 1;
	return true;
}

/* Compacts c, a copy of s->c, with more held than hold[] where that must be; until there is a placement, what is held
 * there is needed. False: its own check failed. */
static bool compact(struct make *s, struct kernel *c, struct pass_ctx *cx, uint8_t *hold, struct compact_result *out,
		    enum regmutex_why *why)
{
	uint64_t steps = 0;

	for (unsigned try = 0;; try++) {
		memset(out, 0, sizeof *out);
		if (regmutex_compact(c, cx, c->base_regs, hold, out))
			return true;
		if (out->refused_at >= s->c->ninsn)
			return false;
		s->at = out->refused_at;
		s->needs = s->demand[s->at];
		steps += out->steps;
		if (steps > STEPS + STEPS_INSN * (uint64_t)s->c->ninsn) {
			*why = SIZE_WORK;
			return true;
		}
		if (try == TRIES || !widen(s, s->at, try, hold)) {
			*why = SIZE_COMPACT;
			return true;
		}
		s->need[s->at] |= !s->placed;
	}
}

void regmutex_held(const struct kernel *k, struct arena *a, uint8_t *held)
{
	const struct cfg *g = k->cfg;
	uint8_t *in = new_array(a, uint8_t, (size_t)k->nblock + 1);

	for (bool more = true; more;) {
		more = false;
		for (uint32_t x = 0; x < g->nrpo; x++) {
			uint32_t b = g->rpo[x];
			uint8_t now = in[b];

			for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
				if (k->insn[i].op == OP_RF_RELEASE)
					now = 0;
				held[i] = now;
				if (k->insn[i].op == OP_RF_ACQUIRE)
					now = 1;
			}
			for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++) {
				more |= now > in[g->succ[e]];
				in[g->succ[e]] |= now;
			}
		}
	}
}

static void count(struct make *s, const struct kernel *c)
{
	struct regmutex *r = s->k->regmutex;
	uint8_t *held = new_array(&s->a, uint8_t, (size_t)c->ninsn + 1);

	r->acquires = r->releases = r->held = 0;
	r->acquires_weighted = r->releases_weighted = r->held_weighted = r->all_weighted = r->plain_weighted = 0;
	for (uint32_t b = 0; b < s->c->nblock; b++)
		r->plain_weighted += s->c->freq->executions[b] * s->c->block[b].n;
	regmutex_held(c, &s->a, held);
	for (uint32_t b = 0; b < c->nblock; b++)
		for (uint32_t i = c->block[b].first; i < c->block[b].first + c->block[b].n; i++) {
			uint64_t runs = c->freq->executions[b];

			r->acquires += c->insn[i].op == OP_RF_ACQUIRE;
			r->acquires_weighted += c->insn[i].op == OP_RF_ACQUIRE ? runs : 0;
			r->releases += c->insn[i].op == OP_RF_RELEASE;
			r->releases_weighted += c->insn[i].op == OP_RF_RELEASE ? runs : 0;
			r->held += held[i];
			r->held_weighted += held[i] ? runs : 0;
			r->all_weighted += runs;
		}
}

/* From a placement to code with acquire and release in c, a copy of s->c. False: a pass failed. */
static bool place(struct make *s, struct kernel *c, struct pass_ctx *cx, uint8_t *hold, struct compact_result *out,
		  enum regmutex_why *why)
{
	struct regmutex_size *size = &s->k->regmutex->size[s->k->regmutex->chosen], old = *size;
	bool ok;

	if (!facts(c, cx) || !compact(s, c, cx, hold, out, why))
		return false;
	if (*why != SIZE_LEGAL)
		return true;
	s->at = REGMUTEX_NONE;
	s->needs = 0;
	ok = ir_verify(c, cx->diag) && facts(c, cx) && pass_run(c, PASS_ID_regmutex, cx) &&
	     pass_need(c, FACT_CFG | FACT_FREQ, cx);
	*why = size->why;
	*size = old;
	return ok;
}

static bool try_placement(void *of, uint8_t *hold, struct regmutex_tried *out)
{
	struct make *s = of;
	struct compact_result moves;
	struct pass_ctx cx = *s->cx;
	enum regmutex_why why = SIZE_LEGAL;
	struct kernel *c;
	bool ok;

	arena_recycle(&s->tried);
	arena_recycle(&s->scratch);
	cx.scratch = s->scratch;
	cx.dump = NULL;
	cx.opt.check = false;
	cx.opt.regmutex.exact_seconds = 0;
	c = ir_clone(s->c, &s->tried);
	c->plain = s->k;
	c->base_regs = s->c->base_regs;
	ok = place(s, c, &cx, hold, &moves, &why) && why == SIZE_LEGAL;
	if (ok) {
		uint8_t *is = new_array(&s->tried, uint8_t, (size_t)c->ninsn + 1);
		double before = 0;

		*out = (struct regmutex_tried){ 0 };
		regmutex_held(c, &s->tried, is);
		for (uint32_t b = 0; b < c->nblock; b++)
			for (uint32_t i = c->block[b].first; i < c->block[b].first + c->block[b].n; i++) {
				double runs = (double)c->freq->executions[b],
				       cycles = runs * regmutex_cycles(&c->insn[i]);

				out->all += runs;
				out->cycles += cycles;
				out->held += is[i] ? cycles : 0;
			}
		for (uint32_t b = 0; b < s->c->nblock; b++)
			before += (double)s->c->freq->executions[b] * s->c->block[b].n;
		out->more = out->all - before;
		out->time = regmutex_time(&s->cost, out->all, out->held);
		s->placed = true;
	}
	s->scratch = cx.scratch;
	return ok;
}

static void make_free(struct make *s)
{
	arena_free(&s->tried);
	arena_free(&s->scratch);
	arena_free(&s->a);
}

/* Where the variant is to hold the set, before compaction asks for more. True: it has been made, quick: in few ways,
 * and is worth *out. */
static bool choose_hold(struct make *s, bool quick, struct regmutex_tried *out)
{
	memcpy(s->hold, s->need, s->c->ninsn);
	regmutex_cost_init(&s->cost, s->c, s->k->regmutex, &s->a);
	if (s->cx->opt.regmutex.place != REGMUTEX_PLACE_COST)
		return quick && try_placement(s, s->hold, out);
	if (regmutex_search(&s->cost, s->need, s->never, quick, try_placement, s, &s->a, s->hold, out))
		return true;
	regmutex_regions(&s->cost, s->need, s->never, 1, &s->a, s->hold);
	return false;
}

/* What the variant for the size that is chosen is to be: where it holds the set, or why there is none. quick: *any, if
 * it was made, and is worth *tried. False: a pass failed. */
static bool begin_one(struct make *s, bool quick, enum regmutex_why *why, bool *any, struct regmutex_tried *tried)
{
	struct kernel *k = s->k, *c = s->c = ir_clone(k, &s->a);
	struct regmutex *r = k->regmutex;
	size_t n = (size_t)c->ninsn + 1;
	struct timespec start, end;

	c->plain = k;
	c->base_regs = r->base;
	c->res.regs = r->regs;
	s->need = new_array(&s->a, uint8_t, n);
	s->never = new_array(&s->a, uint8_t, n);
	s->hold = new_array(&s->a, uint8_t, n);
	s->waits = new_array(&s->a, uint8_t, n);
	s->demand = new_array(&s->a, uint16_t, n);
	if (!facts(c, s->cx))
		return false;
	clock_gettime(CLOCK_MONOTONIC, &start);
	*why = find_hold(s);
	if (*why == SIZE_LEGAL)
		*any = choose_hold(s, quick, tried);
	clock_gettime(CLOCK_MONOTONIC, &end);
	s->cx->seconds[PASS_ID_regmutex] +=
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	return true;
}

/* Where functions call others through registers, more ways lead through them than regmutex_sides.c follows: the oracle
 * decides. */
static bool calls_are_right(const struct kernel *c, bool rules)
{
	struct diag d;
	bool right;

	diag_init(&d, NULL);
	right = check_regmutex(c, rules, NULL, &d);
	diag_free(&d);
	return right;
}

/* The variant for the size that is chosen, or why it has none. False: a pass failed. */
static bool make_one(struct make *s, enum regmutex_why *why)
{
	struct kernel *k = s->k, *c;
	struct regmutex *r = k->regmutex;
	struct compact_result moves;
	struct regmutex_tried tried;
	bool any;

	if (!begin_one(s, false, why, &any, &tried))
		return false;
	if (*why != SIZE_LEGAL)
		return true;
	c = ir_clone(s->c, k->a);
	c->plain = k;
	c->base_regs = r->base;
	if (!place(s, c, s->cx, s->hold, &moves, why))
		return false;
	if (*why != SIZE_LEGAL)
		return true;
	if (!pass_need(c, FACT_ALL, s->cx))
		return false;
	if (k->nproc && !calls_are_right(c, !r->rules_off)) {
		*why = SIZE_CALLS;
		return true;
	}
	if (s->cx->opt.check && !check_regmutex(c, !r->rules_off, NULL, s->cx->diag))
		return false;
	r->moves = moves.nmove;
	r->moves_weighted = moves.moves;
	count(s, c);
	k->variant = c;
	return true;
}

/* A profile has counts of the plain kernel's blocks, the variant has others: it is weighed by estimates. */
static bool make_estimated(struct make *s, enum regmutex_why *why)
{
	const struct profile *profile = s->cx->opt.profile;
	bool ok;

	s->cx->opt.profile = NULL;
	ok = make_one(s, why);
	s->cx->opt.profile = profile;
	return ok;
}

/* For regmutex_auto(). What is too long to be made more than once is taken for what it is worth at most. */
static bool weigh(struct kernel *k, struct pass_ctx *cx)
{
	struct regmutex_size *size = &k->regmutex->size[k->regmutex->chosen];
	const struct profile *profile = cx->opt.profile;
	struct make s = { .k = k, .cx = cx };
	enum regmutex_why why = SIZE_LEGAL;
	struct regmutex_tried tried;
	bool any = false, ok;

	if (k->native)
		return regmutex_weigh_points(k, cx);
	cx->opt.profile = NULL;
	ok = begin_one(&s, true, &why, &any, &tried);
	cx->opt.profile = profile;
	if (any)
		size->progress =
			regmutex_progress(size, tried.held, tried.cycles, tried.more / (tried.all - tried.more));
	size->why = why;
	if (why != SIZE_LEGAL) {
		size->at = s.at;
		size->needs = s.needs;
	}
	make_free(&s);
	return ok;
}

static bool by_auto(const struct kernel *k, const struct pass_ctx *cx)
{
	return k->regmutex->reason != REGMUTEX_GIVEN && cx->opt.regmutex.size != REGMUTEX_PAPER;
}

bool regmutex_make(struct kernel *k, struct pass_ctx *cx)
{
	if (cx->opt.regmutex.size == REGMUTEX_OFF)
		return true;
	if (!regmutex_decide(k, cx) || (by_auto(k, cx) && !regmutex_auto(k, cx, weigh)))
		return false;
	while (k->regmutex->chosen != REGMUTEX_NONE && k->regmutex->extended) {
		struct make s = { .k = k, .cx = cx };
		enum regmutex_why why = SIZE_LEGAL;
		bool ok;

		ok = k->native ? regmutex_make_points(k, cx, &why, &s.at, &s.needs) : make_estimated(&s, &why);
		make_free(&s);
		if (!ok)
			return false;
		if (why == SIZE_LEGAL)
			break;
		if (!regmutex_drop(k, why, s.at, s.needs, cx) || (by_auto(k, cx) && !regmutex_auto(k, cx, weigh)))
			return false;
	}
	return true;
}

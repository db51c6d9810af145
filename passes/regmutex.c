/* RegMutex from end to end: the variant of a kernel.
 *
 * Demand says where more registers are alive than the base set has; regions of these, with what is merged, are where the extended set is to be held
 * (regmutex_regions.c); values that are alive elsewhere are moved into the base set (regmutex_compact()); then acquire and release are put in where the
 * code that came out of this needs them (pass `regmutex`). A size for which one of these steps has no solution is dropped for the next. */
#include "passes/regmutex_compact.h"
#include "passes/regmutex_place.h"

#include <string.h>
#include <time.h>

enum { TRIES = 12 };                    /* of compaction, each with more held than before */

struct make {
	struct kernel *k, *c;           /* plain; the variant */
	struct pass_ctx *cx;
	struct arena a;
	uint8_t *need, *never, *hold, *waits;
	uint16_t *demand;
	uint32_t at, needs;             /* where a size failed: instruction of the plain kernel, registers */
};

static bool facts(struct make *s)
{
	return pass_need(s->c, FACT_CFG | FACT_DOM | FACT_PDOM | FACT_LIVE | FACT_LOOP | FACT_WLIVE | FACT_FREQ |
	                 (s->cx->opt.regmutex.liveness == REGMUTEX_LIVENESS_PAPER ? FACT_DLIVE : 0), s->cx);
}

/* What has to be held, and what must not be. */
static enum regmutex_why find_hold(struct make *s)
{
	struct kernel *c = s->c;
	const struct regmutex *r = s->k->regmutex;
	struct regmutex_cost cost;
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
	regmutex_cost_init(&cost, c, r, &s->a);
	if (s->cx->opt.regmutex.place == REGMUTEX_PLACE_COST)
		regmutex_regions(&cost, s->need, s->never, true, &s->a, s->hold);
	else
		memcpy(s->hold, s->need, c->ninsn);
	return SIZE_LEGAL;
}

/* Holds at instruction i, and at more around it in its block with each try. False: it must not be held there. */
static bool widen(struct make *s, uint32_t i, unsigned try)
{
	const struct kernel *c = s->c;
	uint32_t b = 0, from, to;

	if (s->never[i] || s->hold[i])
		return false;
	while (i - c->block[b].first >= c->block[b].n)
		b++;
	from = i - c->block[b].first > (1u << try) ? i - (1u << try) : c->block[b].first;
	to = i + (1u << try) < c->block[b].first + c->block[b].n ? i + (1u << try) : c->block[b].first + c->block[b].n;
	for (uint32_t x = i; x < to && !s->never[x]; x++)
		s->hold[x] = 1;
	for (uint32_t x = i; x-- > from && !s->never[x];)
		s->hold[x] = 1;
	return true;
}

/* False: its own check failed. */
static bool compact(struct make *s, enum regmutex_why *why)
{
	struct compact_result out;

	for (unsigned try = 0;; try++) {
		memset(&out, 0, sizeof out);
		if (regmutex_compact(s->c, s->cx, s->c->base_regs, s->hold, &out))
			break;
		if (out.refused_at >= s->c->ninsn)
			return false;
		s->at = out.refused_at;
		s->needs = s->demand[s->at];
		if (try == TRIES || !widen(s, out.refused_at, try)) {
			*why = SIZE_COMPACT;
			return true;
		}
	}
	s->k->regmutex->moves = out.nmove;
	s->k->regmutex->moves_weighted = out.moves;
	return true;
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

static void count(struct make *s)
{
	const struct kernel *c = s->c;
	struct regmutex *r = s->k->regmutex;
	uint8_t *held = new_array(&s->a, uint8_t, (size_t)c->ninsn + 1);

	r->acquires = r->releases = r->held = 0;
	r->acquires_weighted = r->releases_weighted = r->held_weighted = r->all_weighted = 0;
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

/* The variant for the size that is chosen, or why it has none. False: a pass failed. */
static bool make_one(struct make *s, enum regmutex_why *why)
{
	struct kernel *k = s->k, *c = s->c = ir_clone(k, k->a);
	struct regmutex *r = k->regmutex;
	struct regmutex_size *size = &r->size[r->chosen];
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
	if (!facts(s))
		return false;
	clock_gettime(CLOCK_MONOTONIC, &start);
	*why = find_hold(s);
	if (*why == SIZE_LEGAL && !compact(s, why))
		return false;
	clock_gettime(CLOCK_MONOTONIC, &end);
	s->cx->seconds[PASS_ID_regmutex] += (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	if (*why != SIZE_LEGAL)
		return true;
	size->why = SIZE_LEGAL;
	if (!ir_verify(c, s->cx->diag) || !facts(s) || !pass_run(c, PASS_ID_regmutex, s->cx))
		return false;
	*why = size->why;
	s->at = REGMUTEX_NONE;
	s->needs = 0;
	if (*why != SIZE_LEGAL)
		return true;
	if (!pass_need(c, FACT_ALL, s->cx))
		return false;
	if (s->cx->opt.check && !check_regmutex(c, !r->rules_off, s->cx->diag))
		return false;
	count(s);
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

bool regmutex_make(struct kernel *k, struct pass_ctx *cx)
{
	if (cx->opt.regmutex.size == REGMUTEX_OFF)
		return true;
	if (!regmutex_decide(k, cx))
		return false;
	while (k->regmutex->chosen != REGMUTEX_NONE && k->regmutex->extended) {
		struct make s = { .k = k, .cx = cx };
		enum regmutex_why why = SIZE_LEGAL;
		bool ok;

		arena_init(&s.a);
		ok = make_estimated(&s, &why);
		arena_free(&s.a);
		if (!ok)
			return false;
		if (why == SIZE_LEGAL)
			break;
		if (!regmutex_drop(k, why, s.at, s.needs, cx))
			return false;
	}
	return true;
}

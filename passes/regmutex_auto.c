/* The size of the extended set by how many warps it lets progress, not by how many it lets in.
 *
 * A warp that holds the extended set for a part h of the time for which it does not wait for it takes h of a section,
 * so at most sections / h of the warps that are in progress at a time; and fewer, as warps do not come one after the
 * other: by chance many want it at once, and sections are idle at other times. With n of all warps holding or waiting,
 * the others come to want one at (warps - n) / (1 - h), and min(n, sections) / h are done with theirs: the repairman's
 * problem of queueing theory, whose states have known odds. What progresses on average, warps - n + min(n, sections),
 * each with o more instructions to execute than the plain kernel's, is what a size is worth, over 1 + o; the plain
 * kernel is worth all warps that its registers let in. h and o are the variant's, which is made for that; before, h is
 * at least the part of the time at which more registers are needed than the base set has, so what a size is worth at
 * most is known. All even sizes are candidates, and are made in the order of that, until none that is left can be the
 * best, or MADE have been: most that are not worth it are never made. docs/REGMUTEX.md#size */
#include "passes/freq.h"
#include "passes/regmutex_place.h"

#define LARGE 1e100
/* less than this part of the time without the set is none */
enum { ALWAYS = 1000 };
/* percent of the plain kernel's warps: less is within what the model does not know */
enum { MARGIN = 105 };
/* sizes that are made for one kernel, at most */
enum { MADE = 8 };

uint32_t regmutex_progress(const struct regmutex_size *s, double held, double all, double more)
{
	/* of a state, from n = 0 on; of all, also times what progresses */
	double odds = 1, sum = 1, at_once = s->warps, ratio;
	uint32_t n;

	if (all - held < all / ALWAYS)
		return (uint32_t)((s->sections < s->warps ? s->sections : s->warps) * (double)REGMUTEX_PROGRESS /
				  (1 + more));
	ratio = held / (all - held);
	for (n = 1; n <= s->warps; n++) {
		uint32_t busy = n < s->sections ? n : s->sections;

		odds *= ratio * (s->warps - n + 1) / busy;
		sum += odds;
		at_once += odds * (s->warps - n + busy);
		if (sum > LARGE) {
			odds /= LARGE;
			sum /= LARGE;
			at_once /= LARGE;
		}
	}
	return (uint32_t)(at_once / sum * REGMUTEX_PROGRESS / (1 + more));
}

/* What each size is worth at most, where it is not known yet. */
static void find_bounds(const struct kernel *k, struct regmutex *r, enum regmutex_liveness how)
{
	struct arena a;
	uint16_t *demand;

	arena_init(&a);
	demand = new_array(&a, uint16_t, (size_t)k->ninsn + 1);
	regmutex_demand(k, how, demand);
	for (uint32_t x = 0; x < r->nsize; x++) {
		double held = 0, all = 0;

		if (r->size[x].why != SIZE_LEGAL || r->size[x].warps <= r->warps || r->size[x].progress)
			continue;
		for (uint32_t b = 0; b < k->nblock; b++)
			for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
				double cycles = (double)k->freq->executions[b] * regmutex_cycles(&k->insn[i]);

				all += cycles;
				held += demand[i] > r->size[x].base ? cycles : 0;
			}
		r->size[x].progress = regmutex_progress(&r->size[x], held, all, 0);
	}
	arena_free(&a);
}

static void take(struct regmutex *r, uint32_t x)
{
	r->chosen = x;
	r->extended = x == REGMUTEX_NONE ? 0 : r->size[x].extended;
	r->base = r->regs - r->extended;
}

static bool is_better(const struct regmutex_size *a, const struct regmutex_size *b)
{
	return a->progress > b->progress || (a->progress == b->progress && a->sections > b->sections);
}

/* Of the sizes that let more warps in the one of which most progress, for all that is known; of two alike the one with
 * more sections. */
static uint32_t find_best(const struct regmutex *r)
{
	uint32_t best = REGMUTEX_NONE;

	for (uint32_t x = 0; x < r->nsize; x++)
		if (r->size[x].why == SIZE_LEGAL && r->size[x].warps > r->warps &&
		    (best == REGMUTEX_NONE || is_better(&r->size[x], &r->size[best])))
			best = x;
	return best;
}

static bool choose(struct kernel *k, struct pass_ctx *cx, regmutex_weigh *weigh, bool *made)
{
	struct regmutex *r = k->regmutex;

	find_bounds(k, r, cx->opt.regmutex.liveness);
	for (uint32_t nmade = 0;; nmade++) {
		uint32_t best;

		for (uint32_t x = 0; nmade == MADE && x < r->nsize; x++) /* enough: the others are not looked at */
			r->size[x].progress = made[x] ? r->size[x].progress : 0;
		best = find_best(r);
		if (best == REGMUTEX_NONE) {
			take(r, REGMUTEX_NONE);
			r->reason = REGMUTEX_NOT_LEGAL;
			return true;
		}
		if (r->size[best].progress * 100 < (uint64_t)r->warps * REGMUTEX_PROGRESS * MARGIN) {
			take(r, REGMUTEX_NONE);
			r->reason = REGMUTEX_HELD;
			return true;
		}
		take(r, best);
		r->reason = REGMUTEX_CHOSEN;
		if (made[best])
			return true;
		made[best] = true;
		if (!weigh(k, cx))
			return false;
	}
}

bool regmutex_auto(struct kernel *k, struct pass_ctx *cx, regmutex_weigh *weigh)
{
	struct regmutex *r = k->regmutex;
	struct arena a;
	bool ok;

	if (r->chosen == REGMUTEX_NONE)
		return true;
	if (!pass_need(k, FACT_CFG | FACT_FREQ, cx))
		return false;
	arena_init(&a);
	ok = choose(k, cx, weigh, new_array(&a, bool, (size_t)r->nsize + 1));
	arena_free(&a);
	return ok;
}

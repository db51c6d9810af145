/* RegMutex of decoded machine code. Its instructions stay as they are and where they are, so no value moves to another
 * register, and no acquire or release is put in: what is found is where they would stand. A warp needs the extended set
 * wherever a register of it is named or alive; so what an instruction demands is its highest register
 * (passes/regmutex_demand.c), not how many there are. All else is as for a variant: sizes, rules, regions and places of
 * acquire and release (passes/regmutex_insert.c). */
#include "passes/edit.h"
#include "passes/regmutex_place.h"

#include <stdlib.h>
#include <string.h>

static uint32_t last_of(const struct kernel *k, uint32_t b) { return k->block[b].first + k->block[b].n - 1; }

static int by_place(const void *x, const void *y)
{
	const struct regmutex_point *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

void regmutex_note(const struct kernel *k, const struct edit *e, const uint8_t *hold, struct regmutex *r)
{
	struct arena *a = k->plain->a;

	r->point = new_array(a, struct regmutex_point, (size_t)e->n + 1);
	r->npoint = r->acquires = r->releases = r->held = 0;
	r->acquires_weighted = r->releases_weighted = r->held_weighted = r->plain_weighted = 0;
	for (uint32_t x = 0; x < e->n; x++) {
		const struct insertion *i = &e->ins[x];
		bool edge = i->to != UINT32_MAX, acquire = i->op == OP_RF_ACQUIRE;
		uint64_t runs = k->freq->executions[edge ? i->to : ir_block_of(k, i->from)];

		if (edge && k->freq->executions[i->from] < runs)
			runs = k->freq->executions[i->from];
		r->point[r->npoint++] = (struct regmutex_point){ edge ? k->block[i->to].first : i->from,
								 edge ? last_of(k, i->from) : REGMUTEX_NONE, acquire };
		*(acquire ? &r->acquires : &r->releases) += 1;
		*(acquire ? &r->acquires_weighted : &r->releases_weighted) += runs;
	}
	qsort(r->point, r->npoint, sizeof *r->point, by_place);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			r->held += hold[i];
			r->held_weighted += hold[i] ? k->freq->executions[b] : 0;
			r->plain_weighted += k->freq->executions[b];
		}
	r->all_weighted = r->plain_weighted + r->acquires_weighted + r->releases_weighted;
	r->hold = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	memcpy(r->hold, hold, k->ninsn);
}

/* The kernel with them put in, in arena a: for the oracle. */
static struct kernel *with_points(struct kernel *k, struct pass_ctx *cx, struct arena *a)
{
	const struct regmutex *r = k->regmutex;
	struct kernel *c = ir_clone(k, a);
	struct edit e;

	c->native = k->native; /* for its registers; words and parts are those of k */
	c->plain = k;
	c->base_regs = r->base;
	if (!pass_need(c, FACT_CFG, cx))
		return NULL;
	edit_begin(&e, c, a);
	for (uint32_t x = 0; x < r->npoint; x++) {
		const struct regmutex_point *p = &r->point[x];
		enum op op = p->acquire ? OP_RF_ACQUIRE : OP_RF_RELEASE;

		if (p->from == REGMUTEX_NONE)
			edit_before(&e, p->at, op, ref_none(), ref_none());
		else
			edit_edge(&e, ir_block_of(k, p->from), ir_block_of(k, p->at), op, ref_none(), ref_none());
	}
	if (e.n)
		edit_end(&e);
	return pass_need(c, FACT_CFG | FACT_PDOM | FACT_LIVE | FACT_LOOP | FACT_WLIVE, cx) ? c : NULL;
}

static bool has_point(const struct regmutex *r, uint32_t at, bool acquire)
{
	for (uint32_t p = 0; p < r->npoint; p++)
		if (r->point[p].at == at && r->point[p].from == REGMUTEX_NONE && r->point[p].acquire == acquire)
			return true;
	return false;
}

/* Inside blocks: held where it is required, and a point at each change. */
static bool blocks_right(const struct kernel *k, struct diag *d)
{
	const struct regmutex *r = k->regmutex;
	struct kernel c = *k;
	struct arena a;
	uint8_t *need;
	bool ok = true;

	arena_init(&a);
	need = new_array(&a, uint8_t, (size_t)k->ninsn + 1);
	c.base_regs = r->base;
	regmutex_required(&c, &a, need);
	for (uint32_t b = 0; ok && b < k->nblock; b++)
		for (uint32_t j = 0; ok && j < k->block[b].n; j++) {
			uint32_t i = k->block[b].first + j;

			if (k->cfg->rpo_index[b] == UINT32_MAX)
				break;
			if (need[i] && !r->hold[i])
				ok = diag_error_plain(
					d, k->name,
					"regmutex: at instruction %u the extended set is not held, but needed", i);
			else if (j && r->hold[i] != r->hold[i - 1] && !has_point(r, i, r->hold[i]))
				ok = diag_error_plain(
					d, k->name, "regmutex: nothing acquires or releases before instruction %u", i);
		}
	arena_free(&a);
	return ok;
}

bool regmutex_points_right(struct kernel *k, struct pass_ctx *cx)
{
	struct kernel *c;
	struct arena a;
	bool ok;

	if (((uint64_t)k->ninsn + k->nblock) * MREG_ALL > CHECK_REGMUTEX_MAX)
		return blocks_right(k, cx->diag);
	arena_init(&a);
	c = blocks_right(k, cx->diag) ? with_points(k, cx, &a) : NULL;
	ok = c && check_regmutex(c, !k->regmutex->rules_off, NULL, cx->diag);
	arena_free(&a);
	return ok;
}

static uint32_t demand_at(const struct kernel *k, uint32_t i, enum regmutex_liveness how)
{
	struct arena a;
	uint16_t *demand;
	uint32_t n;

	if (i == REGMUTEX_NONE)
		return 0;
	arena_init(&a);
	demand = new_array(&a, uint16_t, (size_t)k->ninsn + 1);
	regmutex_demand(k, how, demand);
	n = demand[i];
	arena_free(&a);
	return n;
}

/* The points of the size that is chosen, or why there are none. False: a pass failed. */
static bool find_points(struct kernel *k, struct pass_ctx *cx, struct regmutex_size *out)
{
	struct regmutex *r = k->regmutex;
	struct regmutex_size *size = &r->size[r->chosen], old = *size;
	struct kernel c = *k; /* facts and code are those of k: nothing is put in */
	bool ok;

	c.plain = k;
	c.base_regs = r->base;
	r->npoint = 0;
	ok = pass_run(&c, PASS_ID_regmutex, cx);
	*out = *size;
	*size = old;
	if (out->why != SIZE_LEGAL)
		out->needs = demand_at(k, out->at, cx->opt.regmutex.liveness);
	return ok;
}

bool regmutex_weigh_points(struct kernel *k, struct pass_ctx *cx)
{
	struct regmutex *r = k->regmutex;
	struct regmutex_size *size = &r->size[r->chosen], found;
	double held = 0, all = 0;

	if (!find_points(k, cx, &found))
		return false;
	if (found.why != SIZE_LEGAL) {
		*size = found;
		return true;
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			double cycles = (double)k->freq->executions[b] * regmutex_cycles(&k->insn[i]);

			all += cycles;
			held += r->hold[i] ? cycles : 0;
		}
	size->progress = regmutex_progress(size, held, all,
					   (double)(r->all_weighted - r->plain_weighted) /
						   (double)(r->plain_weighted ? r->plain_weighted : 1));
	return true;
}

/* What is written is right, always, for a reader looks too. Where functions are called more ways lead through them than
 * regmutex_sides.c follows, and the size is dropped. */
static bool points_are_right(struct kernel *k, struct pass_ctx *cx, enum regmutex_why *why)
{
	struct diag *said = cx->diag, quiet;
	FILE *dump = cx->dump;
	bool right;

	diag_init(&quiet, NULL);
	if (k->nproc)
		cx->diag = &quiet;
	cx->dump = NULL;
	right = regmutex_points_right(k, cx);
	cx->diag = said;
	cx->dump = dump;
	diag_free(&quiet);
	if (!right && k->nproc)
		*why = SIZE_CALLS;
	return right || k->nproc;
}

bool regmutex_make_points(struct kernel *k, struct pass_ctx *cx, enum regmutex_why *why, uint32_t *at, uint32_t *needs)
{
	struct regmutex_size found;

	if (!find_points(k, cx, &found))
		return false;
	*why = found.why;
	*at = found.at;
	*needs = found.needs;
	if (*why != SIZE_LEGAL)
		return true;
	return points_are_right(k, cx, why);
}

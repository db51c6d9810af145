/* Tiny registers: where all 32 lanes hold the same number and it fits one byte, sign-extended (0, 1, -1, small
 * counters), the register is that byte and a valid bit beside its place. An access looks there first, and activates no
 * array of the bank if the bit is set; it takes its turn at the bank all the same, so that time does not change. A
 * write of some lanes of a tiny register gives the byte to the others. The worked example of docs/ADDING.md. */
#include "runtime-model/core/checked.h"
#include "runtime-model/values/places.h"

#include <string.h>

/* bits: sources that are tiny; results that are; results written in part where one was */
struct latched_tiny {
	uint32_t src, dst, fill;
};
struct cell {
	int8_t byte;
	uint32_t lane[WARP_LANES];
};

struct values {
	struct places places;
	struct stats *st;
	unsigned banks, arrays;
	/* by place, behind the youngest instruction that has issued: the warp whose tiny register it holds, + 1; or
	 * 0 */
	uint16_t *tiny;
	struct latched_tiny *latched; /* by uop.id */
	struct cell *cell;            /* in checked mode, by physical register: what is stored */
};

static struct values *create(const struct axis_ctx *cx)
{
	struct values *v = new(cx->arena, struct values);

	*v = (struct values){
		.places = places_of(cx), .st = cx->stats, .banks = cx->params->rf_banks, .arrays = cx->params->rf_arrays
	};
	v->tiny = new_array(cx->arena, uint16_t, v->places.n);
	v->latched = new_array(cx->arena, struct latched_tiny, UOP_IDS);
	v->cell = cx->checked ? new_array(cx->arena, struct cell, v->places.entries) : NULL;
	return v;
}

static bool is_tiny(const struct values *v, const struct uop *u, unsigned reg)
{
	const unsigned at = places_find(&v->places, u->warp, reg);

	return at < v->places.n && v->tiny[at] == u->warp + 1;
}

/* What later accesses of u follow from is decided here, in the order of the program. */
static const char *issue(struct values *v, const struct uop *u)
{
	struct latched_tiny *l = &v->latched[u->id];

	*l = (struct latched_tiny){ .src = 0 };
	for (unsigned s = 0; s < u->nsrc; s++)
		l->src |= (uint32_t)is_tiny(v, u, u->src[s]) << s;
	for (unsigned d = 0; u->active && d < u->ndst; d++) {
		const bool all = u->active == UINT32_MAX, tiny = all && u->sig[d].same_all == 4 && u->sig[d].width == 1;

		l->dst |= (uint32_t)tiny << d;
		l->fill |= (uint32_t)(!all && is_tiny(v, u, u->dst[d])) << d;
		v->tiny[places_find(&v->places, u->warp, u->dst[d])] = tiny ? (uint16_t)(u->warp + 1) : 0;
	}
	return NULL;
}

static void read_access(struct values *v, const struct uop *u, struct bank_access *a)
{
	v->st->bvr_reads++;
	if (v->latched[u->id].src & a->operands)
		a->arrays = 0;
}

static void write_access(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a)
{
	const struct latched_tiny *l = &v->latched[u->id];

	v->st->bvr_writes++;
	v->st->compressions++;
	if (l->dst >> dst & 1)
		a->arrays = 0;
	else if (l->fill >> dst & 1)
		a->arrays = (uint8_t)v->arrays;
}

static void warp_exit(struct values *v, unsigned warp)
{
	for (unsigned at = 0; at < v->places.n; at++)
		if (v->tiny[at] == warp + 1)
			v->tiny[at] = 0;
}

/* A byte and a valid bit for each register of the file. */
static unsigned storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "tiny registers", storage_entries(p) * 9 };
	return 1;
}

/* ---- checked mode: the data path with its bytes ---- */
static struct cell *cell(const struct values *v, const struct bank_access *a)
{
	return &v->cell[a->entry * v->banks + a->bank];
}

static void expand(int8_t byte, uint32_t lane[WARP_LANES])
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		lane[l] = (uint32_t)(int32_t)byte;
}

static const char *store(struct values *v, const struct uop *u, const struct bank_access *a, unsigned dst)
{
	const struct latched_tiny *l = &v->latched[u->id];
	struct cell *c = cell(v, a);

	if (l->dst >> dst & 1) {
		c->byte = (int8_t)u->dst_value[dst][0];
		return NULL;
	}
	if (l->fill >> dst & 1)
		expand(c->byte, c->lane);
	for (uint32_t m = u->active; m; m &= m - 1)
		c->lane[__builtin_ctz(m)] = u->dst_value[dst][__builtin_ctz(m)];
	return a->arrays ? NULL : "no array is activated to take it";
}

static const char *deliver(struct values *v, const struct uop *u, const struct bank_access *a, unsigned src,
			   uint32_t lane[WARP_LANES])
{
	const struct cell *c = cell(v, a);

	if (v->latched[u->id].src >> src & 1)
		expand(c->byte, lane);
	else
		memcpy(lane, c->lane, sizeof c->lane);
	return NULL;
}

static void poison(struct values *v, unsigned phys)
{
	v->cell[phys].byte = (int8_t)checked_garbage(phys, WARP_LANES);
	for (unsigned l = 0; l < WARP_LANES; l++)
		v->cell[phys].lane[l] = checked_garbage(phys, l);
}

const struct values_ops tiny_values = {
	.name = "tiny",
	.source = "docs/ADDING.md: a byte and a bit in place of registers that hold one small number",
	.needs_record = WANT_SIG,
	.create = create,
	.issue = issue,
	.read = read_access,
	.write = write_access,
	.warp_exit = warp_exit,
	.storage = storage,
	.store = store,
	.deliver = deliver,
	.poison = poison,
};

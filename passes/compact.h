/* What the parts of index compaction share: values and where they are alive (compact_value.c), the registers that they
 * get (compact_place.c), the MOVs (regmutex_compact.c), the fewest possible (compact_exact.c).
 *
 * Positions: instruction i reads at 2i and writes at 2i + 1, so a result may take the register of an operand that dies.
 * Both are held if hold[i]. A boundary lies between two positions of which one is held and the other is not: a value
 * that is alive there can be cut into pieces, each with a register of its own. */
#ifndef REGLOOM_COMPACT_H
#define REGLOOM_COMPACT_H

#include "passes/regmutex_compact.h"

#define COMPACT_NONE UINT32_MAX

/* positions [from, to) */
struct compact_span {
	uint32_t from, to;
};

/* A value, or a piece of one. Part 0 is in register `reg`; part 1, of a wide one, in the next; reg is even then. */
struct compact_item {
	uint32_t span[3];  /* of part p: x->span[span[p] .. span[p + 1]), ascending */
	uint32_t value;    /* of a piece; of a value: itself */
	uint32_t first, n; /* of a value: its pieces, items first .. first + n - 1 */
	/* of a piece: its boundaries, x->bound_of[bound_at .. bound_at of the next piece) */
	uint32_t bound_at;
	/* of a value: what a cut is taken to cost (compact_place.c); UINT64_MAX of what cannot be cut */
	uint64_t cost;
	uint16_t reg, was; /* reg: MREG_RZ: none now. was: in the old code */
	bool wide;
	bool base;  /* has to be in the base set: alive somewhere without the extended one */
	bool waits; /* better in the base set: lanes may wait for it elsewhere */
	bool cut;   /* of a value: its pieces have registers, not it */
	bool locked;
};

/* A register of the old code that is alive at a boundary: piece `from` before it and `to` after it. Those of one place
 * follow each other. */
struct compact_bound {
	uint32_t from, to; /* items */
	uint32_t was;
	/* before instruction `at`; or, edge_to not COMPACT_NONE: on the edge from block `at` to that one */
	uint32_t at, edge_to;
	uint64_t weight; /* executions by a thread */
};

struct compact {
	struct kernel *k;
	struct arena *a;
	uint32_t base, n; /* registers: of the base set, of both */
	const uint8_t *hold;
	struct compact_item *item;
	uint32_t nvalue, nitem; /* values, then pieces */
	struct compact_span *span;
	uint32_t nspan;
	struct compact_bound *bound;
	uint32_t nbound, bound_cap;
	uint32_t *bound_of; /* by piece: indices of bound */
	uint32_t *item_of;  /* by operand in k->opnd: the piece that it names, COMPACT_NONE */
	uint32_t refused_at;
	uint64_t steps; /* compact_place() did */
	bool cheap;     /* it has come to the end of its searching */
};

/* Fills in everything but costs and registers. */
void compact_find_values(struct compact *x);
/* Gives a register to every value or to its pieces, for few MOVs. False, with x->refused_at. */
bool compact_place(struct compact *x);
/* Where old register `was` is now, as far as piece p goes. */
static inline uint32_t compact_reg(const struct compact *x, uint32_t p, uint32_t was)
{
	const struct compact_item *v = &x->item[x->item[p].value];

	if (v->cut)
		v = &x->item[p];
	return v->reg + (v->wide ? was & 1 : 0u);
}
static inline bool compact_moves(const struct compact *x, const struct compact_bound *b)
{
	return compact_reg(x, b->from, b->was) != compact_reg(x, b->to, b->was);
}
/* MOVs that carry values over, executed by a thread. */
uint64_t compact_cost(const struct compact *x);
/* Looks for a placement with fewer of them, for about so long, and takes it. *bound: no placement has fewer. NULL, or
 * what went wrong, in x->a. */
const char *compact_exact(struct compact *x, double seconds, uint64_t *bound);

#endif

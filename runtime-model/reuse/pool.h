/* The physical registers under reuse, of an SM or of one of its sub-cores: the free pool, and who refers to those that
 * are not in it (Kim and Ro, HPCA 2018, section V-E). A register returns to the pool with its last reference, at once:
 * the two cycles that hardware takes are off every path. With it goes, in the model, the identity of its value: what a
 * comparison with it finds. docs/WIR.md#registers. */
#ifndef REGLOOM_REUSE_POOL_H
#define REGLOOM_REUSE_POOL_H

#include "runtime-model/core/axis.h"

/* Entries of rename tables, of the reuse buffer, of the value signature buffer; instructions that have yet to read or
 * map it. */
enum holder { HOLD_TABLE, HOLD_BUFFER, HOLD_VSB, HOLD_FLIGHT, HOLDERS };

/* Of the 32 lanes. Two values of the same h3 and another hash are a false positive of the value signature buffer. */
struct identity {
	uint32_t h3, hash;
};

/* small, as many are touched */
struct phys {
	uint16_t by[HOLDERS];
	uint32_t refs;
	struct identity is;
};

struct pool {
	struct stats *stats;
	const struct axes *axes;
	const uint64_t *now;
	struct phys *reg;
	uint16_t *free;             /* ring: the register that has been free for longest is taken first */
	unsigned n, head;           /* registers */
	unsigned used, limit, peak; /* limit: so many may be used; more are, after the limit has sunk */
	unsigned starved;           /* instructions that wait for more registers than are left */
	uint64_t accounted;
	/* It numbers its registers from 0, which are in `banks` banks from `bank` on, of the `all` of the SM. */
	unsigned banks, bank, all;
	bool checked; /* the SM hears of each register that comes back: reuse_freed() */
};

void pool_init(struct pool *p, const struct axis_ctx *cx, unsigned registers);
/* What the SM calls register phys, or NO_REGISTER if it is that. */
static inline unsigned pool_name(const struct pool *p, unsigned phys)
{
	if (phys == NO_REGISTER || p->banks == p->all)
		return phys;
	return phys / p->banks * p->all + p->bank + phys % p->banks;
}
void pool_limit(struct pool *p, unsigned limit);
void pool_account(struct pool *p, uint64_t upto); /* counters that grow with time */
static inline unsigned pool_left(const struct pool *p) { return p->used < p->limit ? p->limit - p->used : 0; }
/* the low-register mode */
static inline bool pool_low(const struct pool *p) { return p->used >= p->limit || p->starved; }
void pool_starve(struct pool *p, bool more);     /* one more waits, or one less */
unsigned pool_take(struct pool *p);              /* a free register, with a reference HOLD_FLIGHT; pool_left() > 0 */
void pool_return(struct pool *p, unsigned phys); /* to the ring: nobody refers to it */

static inline void pool_count(struct pool *p, enum holder h)
{
	if (h == HOLD_FLIGHT)
		p->stats->flight_references++;
	else
		p->stats->reference_updates++;
}

static inline void pool_hold(struct pool *p, unsigned phys, enum holder h)
{
	p->reg[phys].by[h]++;
	p->reg[phys].refs++;
	pool_count(p, h);
}

static inline void pool_drop(struct pool *p, unsigned phys, enum holder h)
{
	struct phys *r = &p->reg[phys];

	assert(r->by[h] && r->refs);
	r->by[h]--;
	pool_count(p, h);
	if (--r->refs == 0)
		pool_return(p, phys);
}

/* NULL: no register is referred to, and all are free, each once; else in words what is wrong, in arena a. */
const char *pool_end(const struct pool *p, struct arena *a);

#endif

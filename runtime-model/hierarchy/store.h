/* The store of a level above the main register file: entries of one register of a warp each, 32 lanes of 32 bits.  A
 * hierarchy is a policy over it: which entry a register takes, when, and which one leaves.  What every such level does
 * is here: find a register, latch what an entry delivers, fill an entry with what the main register file delivers,
 * write results, push an entry out, forget dead lanes; the counters of levels; and, in checked mode, the values, with
 * garbage in every lane that nobody may find there.
 *
 * Entries know their lanes: `lanes` have the register's value in the entry, every other lane has it below.  So results
 * of some lanes of a warp need nothing of the others, and operands may come from both.  A hierarchy that names entries
 * itself, without tags, uses the values alone (store_value(), store_poison()). */
#ifndef REGLOOM_HIERARCHY_STORE_H
#define REGLOOM_HIERARCHY_STORE_H

#include "runtime-model/core/axis.h"

struct store_entry {
	uint64_t order; /* the lowest leaves first */
	uint32_t lanes; /* that have the register's value here */
	uint32_t dirty; /* of them, those that the main register file lacks */
	uint32_t dead;  /* of them, those whose value nobody reads again */
	/* lanes that the main register file delivers to the instruction `filler`, and so here */
	uint32_t coming;
	uint16_t filler;
	uint8_t reg;
	bool used;
};

struct store {
	unsigned n;            /* entries of a warp */
	struct store_entry *e; /* of warp w from w * n on */
	uint64_t clock;        /* of store_entry.order */
	const struct kernel *k;
	struct stats *st;
	const struct axes *axes;
	struct latched latched[UOP_SRC_MAX]; /* by the last store_latch() of each source */
	uint32_t (*value)[WARP_LANES];       /* checked mode: of each entry; else NULL */
};

/* A store of n entries for each warp of the SM, all free. */
void store_init(struct store *s, const struct axis_ctx *cx, unsigned n);

static inline struct store_entry *store_at(const struct store *s, unsigned warp, unsigned i)
{
	return &s->e[warp * s->n + i];
}

/* The value of an entry; NULL but in checked mode. */
static inline uint32_t *store_value(const struct store *s, const struct store_entry *e)
{
	return s->value ? s->value[e - s->e] : NULL;
}

/* Of entries first .. first + n - 1 of the warp the one that holds reg, or NULL. */
static inline struct store_entry *store_find(const struct store *s, unsigned warp, unsigned first, unsigned n,
					     unsigned reg)
{
	struct store_entry *e = store_at(s, warp, first);

	for (unsigned i = 0; i < n; i++)
		if (e[i].used && e[i].reg == reg)
			return &e[i];
	return NULL;
}

/* Of these entries the first that is free, else the one that leaves first. */
struct store_entry *store_victim(const struct store *s, unsigned warp, unsigned first, unsigned n);
/* The entry is reg's from now on, without a lane of it, and the last to leave. What it held is lost; store_drop()
 * before it makes that garbage in checked mode. */
void store_take(struct store *s, struct store_entry *e, unsigned reg);

/* Nobody may find what was in these lanes of the entry. */
void store_poison(const struct store *s, const struct store_entry *e, uint32_t lanes);
/* The entry is free. */
void store_drop(const struct store *s, struct store_entry *e);
void store_clear(const struct store *s, unsigned warp); /* all entries of the warp are */

/* These lanes of the entry's register are here now; value: of 32 lanes, NULL outside checked mode. */
void store_put(const struct store *s, struct store_entry *e, uint32_t lanes, const uint32_t *value);
/* Result u->dst[dst] of the active lanes comes to the entry, a write of `level`; through: the main register file gets
 * it, too. */
void store_write(const struct store *s, struct store_entry *e, const struct uop *u, unsigned dst, enum rf_level level,
		 bool through);

/* Latches what entry e (NULL: nothing) delivers of u->src[src] as number `number` of `level`.  False: the main register
 * file must deliver it, or some of its lanes. */
bool store_latch(struct store *s, const struct uop *u, unsigned src, const struct store_entry *e, enum rf_level level,
		 unsigned number);
/* read() of a move, which is of the main register file alone. */
uint32_t store_move(struct store *s, const struct uop *u);
/* hierarchy_ops.deliver and .warp_exit of a hierarchy whose struct begins with its store. */
void store_deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out);
void store_warp_exit(struct hierarchy *h, unsigned warp);

/* The main register file will deliver u->src of these lanes to entry e, unless it does so for an older reader. */
void store_expect(struct store_entry *e, const struct uop *u, uint32_t lanes);
/* It has delivered u->src[src].  False: the entry (or NULL) does not wait for u; it has left, or was overwritten. */
bool store_filled(const struct store *s, struct store_entry *e, const struct uop *u, unsigned src);

/* What the entry has of these lanes, and the main register file lacks, goes there, listed in x; the entry is free.
 * Whether anything did: not if nobody reads it again. */
bool store_write_back(const struct store *s, struct store_entry *e, uint32_t lanes, struct extra *x);

/* What an access of `bits` of an array costs that holds `entries` registers for each of `warps` warps, by the curve of
 * Hierarchical RF (TOCS 2012), Table IV, which begins at eight: pJ, for hierarchy_ops.access of a LEVEL_L1. */
struct rf_access store_access(unsigned entries, unsigned warps, unsigned bits);

/* Counts reads, or writes, of operands at a level by u. */
static inline void store_count(struct stats *st, const struct kernel *k, const struct uop *u, enum rf_level level,
			       bool write, unsigned n)
{
	if (level == LEVEL_L0) {
		*(write ? &st->rf_l0_writes : &st->rf_l0_reads) += n;
		return;
	}
	*(write ? &st->rf_l1_writes : &st->rf_l1_reads) += n;
	if (insn_is_shared(&k->insn[u->insn]))
		*(write ? &st->rf_l1_shared_writes : &st->rf_l1_shared_reads) += n;
}

#endif

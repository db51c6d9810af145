/* What both allocators to the ORF work on, the greedy one (orf.c) and the optimal one: the regions of a kernel, the
 * values that live in each, and what it saves to keep a value, or its first reads, in an upper level. */
#ifndef REGLOOM_ORF_ALLOC_H
#define REGLOOM_ORF_ALLOC_H

#include "passes/orf.h"
#include "passes/orf_energy.h"
#include "passes/pass.h"
#include "passes/strand.h"

/* of a set of general registers */
enum { GENERAL_WORDS = 4 };

/* A region is what values of upper levels cannot leave: a strand, or, if they do not cross branches, what a block has
 * of one. Its segments are runs of instructions, at most one in a block, in the order of the code; edges between them
 * lead forward. */
struct orf_segment {
	uint32_t first, n; /* instructions first .. first + n - 1 */
	uint32_t block, strand;
	uint32_t point; /* of the first one, see struct orf_region */
	bool fresh;     /* may be entered from elsewhere: nothing is in an upper level before it */
	/* segments of the region that may follow, by index in code->seg */
	const uint32_t *succ;
	uint32_t nsucc;
	/* registers whose values are read behind the region, where it is left from here */
	uint64_t live[GENERAL_WORDS];
	double weight; /* of each of its instructions */
};
/* segments; point p: after the p-th instruction of the region */
struct orf_region {
	uint32_t seg, nseg, npoint;
};
struct orf_code {
	const struct kernel *k;
	const struct orf_options *o;
	struct orf_segment *seg;
	uint32_t nseg;
	struct orf_region *region;
	uint32_t nregion; /* in the order of strands */
};
/* In arena a. Needs FACT_LIVE, FACT_STRAND, and for weights FACT_FREQ. */
void orf_code_build(struct orf_code *c, const struct kernel *k, const struct orf_options *o, struct arena *a);

/* A value: writes of one register, and the reads that find one of them, whichever way the region was gone through. A
 * write is a result, or a fill: an operand that comes from the main register file and stays (section 5.4). */
struct orf_write {
	uint32_t insn, seg;
	/* of the operand: ir_insn_regs() counts destinations, or sources if it is a fill */
	uint8_t index;
	uint8_t slot; /* of a fill's operand */
	bool fill, shared, guarded;
	/* a result that goes to the main register file in any case: it outlives the region or is read from there */
	bool mrf;
};
struct orf_read {
	uint32_t insn, seg;
	uint8_t index, slot;
	bool shared;
	/* nodes: the writes that it may find in an upper level; the results that it may find at all */
	uint32_t found, results;
};
struct orf_value {
	uint8_t reg;
	uint32_t write, nwrite; /* ascending */
	uint32_t read, nread;   /* likewise; none: one result that nobody reads */
};
/* A set of writes: one, or the union of two other sets. */
struct orf_node {
	uint32_t a, b; /* nodes; or b == 0: of write a alone */
	/* union-find: another node of the same value; 1 + the value's index at its root */
	uint32_t parent, value;
	bool kept, joined; /* its results go to the main register file; it is one value */
	uint32_t seen[2];  /* marks of orf_cut() */
};

/* points from .. to - 1 */
struct orf_span {
	uint32_t from, to;
};

/* Of an operand of a warp, by level and whether a shared unit reads or writes it; whole fJ, so that sums are exact. */
struct orf_energies {
	double read[RF_LEVELS][2], write[RF_LEVELS][2];
};
void orf_energies(struct orf_energies *e, const struct orf_options *o);

struct orf_work {
	const struct orf_code *c;
	const struct orf_region *r;
	struct orf_write *write;
	uint32_t nwrite, write_cap; /* of the values of this region: value after value */
	struct orf_read *read;
	uint32_t nread, read_cap;
	struct orf_value *value;
	uint32_t nvalue, value_cap; /* by first write, then register */
	struct orf_node *node;
	uint32_t nnode, node_cap;
	struct orf_energies fj;
	struct orf_build *build;    /* memory of orf_values_find() */
	struct orf_marks *marks;    /* of orf_cut() */
	uint32_t *stack, stack_cap; /* of nodes */
	struct arena *a;
};
void orf_work_init(struct orf_work *w, const struct orf_code *c, struct arena *a);
void orf_cut_init(struct orf_work *w);
/* The values of region r; those of the region before are forgotten. */
void orf_values_find(struct orf_work *w, const struct orf_region *r);

/* A value's first n reads from an upper level, the others from the main register file. */
struct orf_cut {
	bool possible; /* by the rules of the level and the option `writes` */
	double saved;  /* fJ, weighed, against all of it in the main register file; below 0: lost */
	double slots;  /* instructions, weighed, over which it takes an entry */
	const struct orf_span *span;
	uint32_t nspan; /* ascending: where it takes it; until the next cut */
	/* by write of the value: it goes to the entry; to the main register file. Until the next cut */
	const bool *used, *mrf;
};
/* An entry of an organisation. */
struct orf_bank {
	enum rf_level level;
	uint8_t entry; /* as in places */
	uint8_t slot;  /* of a split L0: the operand slot that it serves; else NO_SLOT: any */
};
enum { ORF_BANKS_MAX = 3 + ORF_ENTRIES_MAX };
/* Those of L0 first. Returns how many; *nl0 of them are L0's. */
unsigned orf_banks(enum orf_organisation org, unsigned entries, struct orf_bank bank[ORF_BANKS_MAX], unsigned *nl0);

void orf_cut(struct orf_work *w, const struct orf_value *v, uint32_t n, struct orf_bank bank, struct orf_cut *out);
/* What is picked of a value: its first n reads, in an entry of orf_banks(); bank ORF_BANKS_MAX: none. */
struct orf_pick {
	uint32_t n;
	unsigned bank;
};

struct orf_greedy; /* orf_greedy.c, with its memory */
struct orf_greedy *orf_greedy_new(struct arena *a);
/* Picks, by value, of w's region. */
void orf_greedy_pick(struct orf_greedy *g, struct orf_work *w, enum orf_organisation org, struct orf_pick *picks);

/* Makes k->orf: what pass_orf does. FACT_LIVE, FACT_STRAND and FACT_FREQ are valid. NULL, or what went wrong with the
 * solver, in scratch; then it is the greedy allocation, or better. */
const char *orf_allocate(struct kernel *k, const struct orf_options *o, struct arena *scratch);

#endif

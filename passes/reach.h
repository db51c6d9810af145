/* Which definition of a register reaches a place, on demand: what SSA form would say, of code that is not in it. Joins
 * are found at the iterated dominance frontiers of a register's definitions (Cytron et al. 1991), for those registers
 * only that are asked for. Blocks are joined inside functions (cfg.local): a call may write whatever its function
 * writes. */
#ifndef REGLOOM_REACH_H
#define REGLOOM_REACH_H

#include "passes/pass.h"

/* unknown: never written, or by a call */
enum reach_kind { REACH_UNKNOWN, REACH_INSN, REACH_JOIN };
/* instruction, or the block at whose start definitions meet */
struct reach_def {
	enum reach_kind kind;
	uint32_t at;
};

struct reach {
	const struct kernel *k;
	struct arena *a;
	const struct cfg *g;
	const struct domtree *dom; /* of g */
	/* ir_nreg(k), and behind them one for each word of local memory that holds spills */
	uint32_t nreg;
	/* instructions that define register r: def[def_at[r] .. def_at[r + 1]), ascending */
	uint32_t *def_at, *def;
	uint32_t *frontier_at, *frontier;
	uint64_t **join;    /* by register: blocks where definitions meet; NULL: not asked for yet */
	uint32_t *block_of; /* by instruction */
	uint32_t *spill_of; /* by instruction: index into k->spill + 1; 0: none */
	/* blocks that searches may still pass, and memory of joins, before all is unknown */
	uint64_t hops, words;
};

/* FACT_CFG and FACT_DOM valid. False if the kernel is too large for it. */
bool reach_init(struct reach *r, const struct kernel *k, struct arena *a);
/* The definition of reg that is in force in block b before instruction `before`. */
struct reach_def reach_find(struct reach *r, uint32_t reg, uint32_t b, uint32_t before);
/* The register that stands for the word of local memory at byte `at`, of a spill slot. */
static inline uint32_t reach_slot(const struct reach *r, uint32_t at) { return ir_nreg(r->k) + at / 4; }
static inline bool reach_block_reached(const struct reach *r, uint32_t b) { return r->dom->idom[b] != UINT32_MAX; }

#endif

/* Index compaction (RegMutex, section III-A4): while a warp is without its extended set, everything that is alive is in
 * the base set.
 *
 * A value is what definitions and uses of one register that belong together have in common (a web); one that is never
 * alive while the set may be released keeps whatever register it likes. Another one gets a register of the base set for
 * all of its life, or, where the base set has no room for that, it is cut where the set is acquired and released, and
 * MOVs carry it over. */
#ifndef REGLOOM_REGMUTEX_COMPACT_H
#define REGLOOM_REGMUTEX_COMPACT_H

#include "passes/pass.h"

/* insn: of the new code */
struct compact_move {
	uint32_t insn;
	uint8_t from, to;
};

struct compact_result {
	/* by instruction of the new code: as given; MOVs are executed while the set is held */
	uint8_t *hold;
	/* by instruction of the new code: the old one that it is, COMPACT_MOVE, or COMPACT_JUMP: of a new block */
	uint32_t *origin;
	struct compact_move *move;
	uint32_t nmove;
	uint64_t moves; /* executed by a thread, by k->freq */
	/* of them, those that carry values over, not those that open cycles: as found first; as they are; no placement
	 * has fewer. The last is 0 unless asked for (exact_seconds) */
	uint64_t greedy, best, bound;
	/* values; those that are in another register than before somewhere; that MOVs carry over */
	uint32_t values, renamed, cut;
	/* of the search for registers, also of one that found none: limited, in proportion to the code */
	uint64_t steps;
	uint32_t refused_at; /* instruction (of the old code) at which it cannot be done */
};
#define COMPACT_MOVE (UINT32_MAX - 1)
#define COMPACT_JUMP UINT32_MAX

/* k: machine form; FACT_CFG, FACT_LIVE and FACT_FREQ valid; k->res.regs registers may be used. hold[i]: the extended
 * set, registers from `base` on, may be held while instruction i executes; elsewhere it is not. It may be between two
 * instructions if it may be at both. Then, whenever it is not held, no register from base on is named, or alive; nor at
 * the kernel's entry. With FACT_WLIVE, what lanes wait for elsewhere is put into the base set too, where that costs
 * nothing.
 *
 * False: it cannot be done; k is as it was, and out->refused_at is where room is missing: if that instruction is not
 * held, to hold there would help. Values are cut only where hold changes, not on edges of calls and returns. With
 * opt.check, check_compact() has to agree; if it does not, that is in cx->diag, and refused_at is UINT32_MAX. out: in
 * k->a. cost: nearly linear; a search that takes longer ends, and cuts what has no place. If it is done, k's facts are
 * gone. */
bool regmutex_compact(struct kernel *k, struct pass_ctx *cx, uint32_t base, const uint8_t *hold,
		      struct compact_result *out);

/* Oracle, by symbolic execution: AFTER is BEFORE with other registers, whose every use reads what it read, and with
 * MOVs; and nothing from base on is named or alive where out->hold says that it is not held. Both in machine form,
 * whatever their facts. */
bool check_compact(const struct kernel *before, const struct kernel *after, uint32_t base,
		   const struct compact_result *out, struct diag *d);

#endif

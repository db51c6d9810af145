/* Register banks of NVIDIA's GPUs and the cache in front of them that instructions fill by their reuse flags.
 * docs/BANKS.md has the sources, what is inferred, and what is left out.
 *
 * Each of the four parts of an SM keeps its warps' registers in two banks: even and odd numbers. A bank delivers one
 * register (32 lanes of 32 bits) a cycle. A source operand that has its reuse flag set stays in the cache, in the place
 * of its slot (a, b or c) and bank; the next instruction that reads that slot from that bank finds it there, or puts it
 * out. These are the hardware's banks; CORF's (passes/corf.h) are those of a register file that packs narrow
 * registers. */
#ifndef REGLOOM_BANKS_H
#define REGLOOM_BANKS_H

#include "analyzer/ir/ir.h"
#include "analyzer/sass/sass.h"

enum { BANKS = 2, BANK_SLOTS = 4, BANK_WRITES = 4 };
/* cycles between two issues of a warp in which no other is likely to have come: for missed flags */
enum { BANK_NEAR = 3 };

/* Instructions that share entries of the cache: those of one kind of unit. */
enum bank_cache { BANK_CACHE_NONE, BANK_CACHE_CORE, BANK_CACHE_HALF, BANK_CACHE_FP64, BANK_CACHE_MMA, BANK_CACHES };

/* What an instruction asks for. n 0: the slot names no general register. */
struct bank_operand {
	uint8_t reg, n;
};
struct bank_request {
	struct bank_operand slot[BANK_SLOTS], write[BANK_WRITES];
	uint8_t flags; /* reuse, a bit for each slot */
	/* that its unit takes in the 32 lanes for; 0: reads do not hold it up, or that is not known */
	uint8_t cycles;
	uint8_t stall; /* cycles until the warp's next instruction may issue, at least 1 */
	uint8_t swaps; /* slots that may change places: bit 0 a and b, bit 1 a and c, bit 2 b and c */
	uint8_t cache; /* enum bank_cache: whose entries it reads through */
	bool waits;    /* for a dependency barrier: other warps are likely to issue before it */
	bool unknown;  /* may read and write anything */
};
void bank_request(struct bank_request *out, unsigned sm, const struct sass_insn *i);

/* What it gets. Slots are bits, as in `flags`. */
struct bank_use {
	/* registers that each bank delivers; each register once, those from the cache not at all */
	uint8_t read[BANKS];
	uint8_t wanted;         /* registers that it reads, each once */
	uint8_t conflict;       /* cycles: the busier bank's reads beyond those that its unit takes anyway */
	uint8_t bound;          /* the least that other register numbers could make of `conflict` */
	uint8_t flagged;        /* `conflict`, were all flags set that the block misses */
	uint8_t swapped;        /* and two operands exchanged as well */
	uint8_t delay;          /* cycles by which the issue of a warp that is alone is put back here */
	uint8_t flags, useless; /* set; set, and nothing finds it */
	/* read from the cache; a flag here would serve an instruction within BANK_NEAR cycles */
	uint8_t hit, missed;
	/* would be read from the cache, had an earlier instruction the flag that it misses */
	uint8_t served;
	uint8_t swap; /* the exchange, a bit of bank_request.swaps; 0: none makes less of `flagged` */
	/* registers of each slot's operand, from `reg` on; MREG_RZ and 0: none */
	uint8_t reg[BANK_SLOTS], n[BANK_SLOTS];
};
/* One block, in which a cache that was empty is filled. SCRATCH is not kept. cost: O(n) */
void banks_block(const struct bank_request *q, uint32_t n, struct bank_use *out);
/* Whether OUT is what a slower count finds, which searches for the hit of each operand: analyzer/sass/check_banks.c. */
bool banks_check(const struct bank_request *q, uint32_t n, const struct bank_use *out);

/* clang-format off */
#define BANK_TOTALS(T) \
	T(insns,     "instructions") \
	T(wanted,    "registers read, each once an instruction") \
	T(read,      "of them from banks") \
	T(hits,      "operands read from the reuse cache") \
	T(flags,     "reuse flags set") \
	T(useless,   "of them found by no instruction") \
	T(missed,    "flags that would serve and are not set") \
	T(conflicts, "cycles that banks take beyond what the unit takes") \
	T(flagged,   "of them, with the missed flags set") \
	T(swapped,   "and with operands exchanged") \
	T(bound,     "with the best register numbers, at least") \
	T(delay,     "cycles by which a warp that is alone issues later") \
	T(conflicted, "instructions with a conflict")
/* clang-format on */

struct bank_totals {
#define T(id, what) uint64_t id;
	BANK_TOTALS(T)
#undef T
};
void bank_add(struct bank_totals *t, const struct bank_use *u, uint64_t times);

struct banks {
	struct bank_use *insn;   /* by instruction of the kernel */
	struct bank_totals code; /* each instruction once */
	/* as often as its block is executed (FACT_FREQ); equal to `code` where that is not known */
	struct bank_totals run;
	bool weighted;
};
/* Of a kernel of machine code (k->native), in arena a; NULL of any other. FACT_FREQ is used where valid. */
const struct banks *banks_find(const struct kernel *k, struct arena *a);

/* "a/b": the operands of a bit of bank_use.swap. */
const char *bank_swap_name(uint8_t swap);

#endif

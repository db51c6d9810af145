/* When results are there: which unit an instruction is for, and how many cycles behind it, by the stall counts, the
 * first instruction may issue that reads what it writes. For whoever checks control codes, and for whoever times a core
 * that obeys them. latency.def has the numbers, and where they come from.
 *
 * An instruction of fixed latency reads its sources in order and has its result after so many cycles; one that is
 * queued raises barriers of dependence (SB0 to SB5), one when it has written and one when it has read. */
#ifndef REGLOOM_LATENCY_H
#define REGLOOM_LATENCY_H

#include "analyzer/ir/ir.h"

/* What writes or reads a register: UNIT_ID(name, what). The last ones only read, or are queued. */
#define SASS_UNITS(UNIT_ID)                                                         \
	UNIT_ID(FMA, "float arithmetic")                                            \
	UNIT_ID(IMAD, "integer multiplication")                                     \
	UNIT_ID(WIDE_LOW, "lower word of a product of 64 bits")                     \
	UNIT_ID(WIDE, "product of 64 bits: its upper word, its factors")            \
	UNIT_ID(INT, "integer arithmetic and bits")                                 \
	UNIT_ID(SELECT, "moves, comparisons, selections, extremes")                 \
	UNIT_ID(LONG, "integers of 64 bits")                                        \
	UNIT_ID(HALF, "pairs of halves")                                            \
	UNIT_ID(DOUBLE, "double precision")                                         \
	UNIT_ID(MMA_HALF, "matrices of halves")                                     \
	UNIT_ID(MMA_INT, "matrices of integers and bits")                           \
	UNIT_ID(MMA_BYTE, "matrices of 8 bits and less")                            \
	UNIT_ID(MMA_DOUBLE, "matrices of double precision")                         \
	UNIT_ID(UNIFORM, "uniform arithmetic")                                      \
	UNIT_ID(UMOVE, "uniform moves, constants and votes")                        \
	UNIT_ID(UFLOAT, "uniform float arithmetic and conversions")                 \
	UNIT_ID(ACROSS, "from lanes to uniform registers")                          \
	UNIT_ID(VOTE, "votes and predicates as a register")                         \
	UNIT_ID(WIDE_ADDEND, "lower word of what is added to a product of 64 bits") \
	UNIT_ID(WIDE_ADDEND_HIGH, "its upper word")                                 \
	UNIT_ID(GUARD, "the predicate that an instruction executes under")          \
	UNIT_ID(CONTROL, "branches, barriers and what else has no result")          \
	UNIT_ID(MEMORY, "memory, exchanges between lanes")                          \
	UNIT_ID(TEXTURE, "textures and surfaces")                                   \
	UNIT_ID(SPECIAL, "special functions, conversions, bit counts")              \
	UNIT_ID(OTHER, "what is queued elsewhere: special registers, constants by address, fences")
enum sass_unit {
#define UNIT_ID(name, what) UNIT_##name,
	SASS_UNITS(UNIT_ID)
#undef UNIT_ID
		UNIT_COUNT
};
extern const char *const sass_unit_name[UNIT_COUNT];

/* For which machine control codes of a kernel are: its target, or sm_80 where that is older than the tables. */
unsigned control_sm(const struct kernel *k);
/* The unit of an instruction in machine form; i is one of k's. */
enum sass_unit insn_unit(const struct kernel *k, const struct insn *i);

/* A register that an instruction names, r of machine code (ir.h), and as which unit it reads or writes it. */
struct sass_access {
	uint16_t reg;
	uint8_t unit; /* enum sass_unit */
	bool write, guard;
};
enum { SASS_ACCESSES = 256 };
/* Those of an instruction in machine form that is not decoded, the guard first; fixed registers are left out. */
unsigned insn_accesses(const struct kernel *k, const struct insn *i, struct sass_access out[SASS_ACCESSES]);

/* Cycles from the issue of what writes a predicate or another register as unit FROM to the first issue of what reads it
 * as unit TO; 0: FROM has no fixed latency there, or it is not known. */
unsigned sass_latency(unsigned sm, bool predicate, enum sass_unit from, enum sass_unit to);
/* The least and the most of them, of any reader. */
unsigned sass_latency_least(unsigned sm, bool predicate, enum sass_unit from);
/* The least of a general register to a reader of fixed latency, which the bypass serves. */
unsigned sass_latency_bypass(unsigned sm, enum sass_unit from);
unsigned sass_latency_most(unsigned sm, bool predicate, enum sass_unit from);

/* Instructions that are queued for one unit read their operands in their order, and finish in it: who waits for one has
 * waited for those before it. */
enum sass_queue { QUEUE_NONE, QUEUE_MEMORY, QUEUE_SPECIAL, QUEUE_DOUBLE };
enum sass_queue sass_queue(unsigned sm, enum sass_unit u);

/* Of barriers of dependence (Huerta et al., MICRO 2025, sections 4 and 5.4): who waits must issue so many cycles behind
 * who sets; what DEPBAR waits for is done so many behind it; no barrier is free again sooner behind its set. */
enum { BARRIER_SET_CYCLES = 2, DEPBAR_CYCLES = 4, BARRIER_HELD_CYCLES = 9 };
/* Cycles until the warp may issue again, where no barrier holds it. */
static inline unsigned sass_stall_cycles(struct control_code c)
{
	enum { DRAIN_CYCLES = 45 }; /* no stall, with the hint to yield: Huerta et al., MICRO 2025, section 4 */

	if (c.stall)
		return c.stall;
	return c.yield ? 1 : DRAIN_CYCLES;
}

#endif

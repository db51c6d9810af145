/* What accesses of a register-file hierarchy cost: Tables IV and V of Gebhart et al., "A Hierarchical Thread Scheduler
 * and Register File for Energy-Efficient Throughput Processors", TOCS 2012 (section 6.3), at 40 nm and 0.9 V. The
 * compiler weighs places by them, and the model multiplies its counters with them: this is the one place for both. */
#ifndef REGLOOM_ORF_ENERGY_H
#define REGLOOM_ORF_ENERGY_H

#include <stdbool.h>

/* main register file; RFC or ORF; the one above, or one of its banks */
enum rf_level { LEVEL_MRF, LEVEL_L1, LEVEL_L0, RF_LEVELS };

enum {
	/* accesses of 128 bits that bring a register of 32 lanes: Figure 1(c), 8 clusters of 4 lanes */
	OPERAND_ACCESSES = 8,
	OPERAND_WORDS = 32, /* of 32 bits that travel over wires */
};

/* pJ */
struct rf_access {
	double read, write;
};

/* Of 128 bits of one level. L1 has `entries` (1 or more) for each thread of `warps` active warps (1 or more); L0 has
 * one, whatever `entries` says; the main register file is as large as it is. */
struct rf_access orf_access_energy(enum rf_level level, unsigned entries, unsigned warps);
/* Between a level and the units, for 32 bits: pJ. Shared units: memory, texture and special functions. They have no
 * wires to L0; what is asked for it is answered as for L1. */
double orf_wire_energy(enum rf_level level, bool shared);
/* Of a register of a whole warp, with its way to or from the units. */
struct rf_access orf_operand_energy(enum rf_level level, unsigned entries, unsigned warps, bool shared);

#endif

/* What places come to, counted in the code: reads and writes of each level, and their energy. Static: how often a
 * thread executes what, the block frequencies say, or nothing does. */
#ifndef REGLOOM_ORF_TRAFFIC_H
#define REGLOOM_ORF_TRAFFIC_H

#include "analyzer/ir/ir.h"
#include "passes/orf.h"
#include "passes/orf_options.h"

/* Of each instruction of block b. What never ran in a profile weighs as if one warp had executed it. FREQ needs
 * FACT_FREQ. */
double orf_block_weight(const struct kernel *k, enum orf_weights weights, uint32_t b);

/* Operands of 32 bits, by level, and by whether a shared unit reads or writes them. A fill is a read of the main
 * register file and a write of its entry; a result that goes to two levels is two writes. */
struct orf_traffic {
	double read[RF_LEVELS][2], write[RF_LEVELS][2];
	/* without upper levels these are the reads and writes of the main register file */
	double operands_read[2], operands_written[2];
	/* of the writes of upper levels: operands; results that go to the main register file too */
	double fills, both;
	double filled[RF_LEVELS]; /* fills by level */
};
/* Each instruction counts as `weights` says. */
void orf_traffic_count(struct orf_traffic *t, const struct kernel *k, const struct orf *o, enum orf_weights weights);

/* pJ, of a warp's operands; base: were they all in the main register file. Access and wires apart. */
struct orf_spent {
	double access, wire, base_access, base_wire;
};
struct orf_spent orf_traffic_energy(const struct orf_traffic *t, const struct orf_options *o);

/* Encoding, section 7.9. Beside the deschedule bit of each instruction, register names grow into those of entries:
 * `names` of them instead of k's registers alone. An operand that names two places (a fill, a result in two levels)
 * needs one of `entries` + 1 names more, unless its entry follows from its register. */
struct orf_encoding {
	unsigned registers, entries, names;
	unsigned name_bits, name_bits_before;    /* to tell so many apart */
	unsigned second_bits;                    /* of the second place, of each operand that may have one */
	unsigned second_sources, second_results; /* operands in the code that name two places */
};
struct orf_encoding orf_encoding(const struct kernel *k, const struct orf *o, enum orf_organisation org);

#endif

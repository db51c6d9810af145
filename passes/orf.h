/* Places of operands in a register-file hierarchy that the compiler controls (Gebhart et al., TOCS 2012, sections 4.2
 * to 4.5 and 5). */
#ifndef REGLOOM_ORF_H
#define REGLOOM_ORF_H

#include "passes/orf_energy.h"
#include "passes/orf_options.h"

#include <stdbool.h>
#include <stdint.h>

enum orf_organisation {
	ORG_ORF, /* an operand register file of 1 to 8 entries above the main register file */
	/* and above it a last result file of one entry, for the private datapath alone */
	ORG_LRF,
	ORG_SPLIT, /* which has an entry for each of three operand slots */
	ORG_COUNT
};
extern const char *const orf_organisation_name[ORG_COUNT]; /* as the hierarchy axis has it: "split-lrf+orf" */

/* Where an operand is. Read: without a level from the main register file (PLACE_MRF alone); with one from that entry,
 * or, with PLACE_MRF, from the main register file and into the entry on its way (section 5.4). Written: to the entry,
 * with PLACE_MRF to the main register file, or to both; never to none. */
enum { PLACE_LEVEL = 3, PLACE_ENTRY_SHIFT = 2, PLACE_ENTRY = 7 << PLACE_ENTRY_SHIFT, PLACE_MRF = 1 << 5 };
static inline enum rf_level place_level(uint8_t place) { return (enum rf_level)(place & PLACE_LEVEL); }
/* of L1; of L0: operand slot, or 0 */
static inline unsigned place_entry(uint8_t place) { return (place & PLACE_ENTRY) >> PLACE_ENTRY_SHIFT; }
static inline bool place_mrf(uint8_t place) { return place & PLACE_MRF; }
static inline uint8_t place_of(enum rf_level level, unsigned entry, bool mrf)
{
	return (uint8_t)((unsigned)level | entry << PLACE_ENTRY_SHIFT | (mrf ? PLACE_MRF : 0));
}

/* of one organisation */
struct orf {
	uint8_t entries;    /* of the ORF */
	const uint32_t *at; /* instruction i: place[at[i]] .. place[at[i + 1]) */
	/* of each register that it reads, then of each that it writes, as ir_insn_regs() orders them */
	const uint8_t *place;
	struct orf_options options; /* that it was made with */
	/* With options.exact: what is saved against all operands in the main register file, in fJ by a thread's warp,
	 * weighed as the options say: by the greedy allocation, by this one, and by none more than that. Else 0. */
	double greedy, saved, bound;
};
/* Entries of level L0: one, or one for each operand slot; 0: there is no such level. */
unsigned orf_l0_entries(enum orf_organisation org);
/* Whether p may stand for an operand of organisation `org` with so many entries. */
bool place_valid(uint8_t p, enum orf_organisation org, unsigned entries);

#endif

/* Why operands are in the main register file alone: told beside places, for people, and not stored. */
#ifndef REGLOOM_ORF_WHY_H
#define REGLOOM_ORF_WHY_H

#include "analyzer/ir/ir.h"
#include "passes/orf.h"

enum orf_why {
	ORF_WHY_NOT,  /* it is in an upper level */
	ORF_WHY_LONG, /* the result of a long-latency operation, which goes nowhere else */
	ORF_WHY_CALL, /* a result that is read behind a call alone, with which its strand ends */
	/* a result that is read in other strands alone, an operand that comes from one; or not all ways here bring
	 * it */
	ORF_WHY_STRAND,
	ORF_WHY_LEVELS, /* it would have to be written to two levels, and `writes` forbids that */
	/* an entry would save nothing: it costs as much as its reads there save, or more */
	ORF_WHY_WORTH,
	/* no entry was free: what has them saves more, by instruction for which it has one */
	ORF_WHY_ENTRY,
	ORF_WHYS
};
extern const char *const orf_why_name[ORF_WHYS]; /* "no entry" */

/* By operand, as places are: enum orf_why. In arena a. Of an object as well, as it holds the options; if blocks were
 * weighed by a profile, which it does not, what saves nothing is weighed by their estimate. Needs FACT_ORF and what
 * made it. */
const uint8_t *orf_why(const struct kernel *k, enum orf_organisation org, struct arena *a);
/* How many results there are of each. */
void orf_why_count(const struct kernel *k, enum orf_organisation org, const uint8_t *why, uint32_t results[ORF_WHYS]);

#endif

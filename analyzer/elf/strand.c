/* Strands and hints for caches in an object, made from the facts. A reader makes them again from the code and
 * compares. */
#include "analyzer/elf/format.h"
#include "passes/rfc.h"
#include "passes/strand.h"

void rlo_encode_strands(const struct kernel *k, struct arena *a, struct rlo_strand_tables *out)
{
	*out = (struct rlo_strand_tables){ rlo_table_begin(RLO_R_strand, a), rlo_table_begin(RLO_R_rfc, a) };
	for (uint32_t i = 0; i < k->ninsn; i++) {
		RLO_PUT(&out->strand, strand, .id = k->strand->id[i], .begin = k->strand->begin[i]);
		RLO_PUT(&out->rfc, rfc, .last = k->rfc->last[i], .shared = k->rfc->shared[i]);
	}
	rlo_table_end(&out->strand, RLO_R_strand);
	rlo_table_end(&out->rfc, RLO_R_rfc);
}

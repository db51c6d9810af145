/* What places there are. */
#include "passes/orf.h"

#include "analyzer/ir/ir.h"

static unsigned entries_of(enum rf_level level, enum orf_organisation org, unsigned entries)
{
	switch (level) {
	case LEVEL_MRF:
		return 1;
	case LEVEL_L1:
		return entries;
	case LEVEL_L0:
		return org == ORG_ORF ? 0 : org == ORG_LRF ? 1 : NO_SLOT;
	case RF_LEVELS:
		break;
	}
	return 0;
}

bool place_valid(uint8_t p, enum orf_organisation org, unsigned entries)
{
	return p < 2 * PLACE_MRF && place_entry(p) < entries_of(place_level(p), org, entries) &&
	       (place_level(p) != LEVEL_MRF || place_mrf(p));
}

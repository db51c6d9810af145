/* What places there are. */
#include "passes/orf.h"

#include "analyzer/ir/ir.h"

unsigned orf_l0_entries(enum orf_organisation org)
{
	static const uint8_t entries[ORG_COUNT] = { [ORG_ORF] = 0, [ORG_LRF] = 1, [ORG_SPLIT] = NO_SLOT };

	return entries[org];
}

static unsigned entries_of(enum rf_level level, enum orf_organisation org, unsigned entries)
{
	switch (level) {
	case LEVEL_MRF:
		return 1;
	case LEVEL_L1:
		return entries;
	case LEVEL_L0:
		return orf_l0_entries(org);
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

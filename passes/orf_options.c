/* Names of the ways to allocate to the ORF. */
#include "passes/orf_options.h"

#define P(id, name, what) name,
const char *const orf_writes_name[ORF_WRITES_COUNT] = { ORF_WRITES(P) };
const char *const orf_ranges_name[ORF_RANGES_COUNT] = { ORF_RANGES(P) };
const char *const orf_weights_name[ORF_WEIGHTS_COUNT] = { ORF_WEIGHTS(P) };
#undef P

/* Names of the ways to allocate to the ORF. */
#include "passes/orf_options.h"

#include "analyzer/base/near.h"

#define P(id, name, what) name,
const char *const orf_writes_name[ORF_WRITES_COUNT] = { ORF_WRITES(P) };
const char *const orf_ranges_name[ORF_RANGES_COUNT] = { ORF_RANGES(P) };
const char *const orf_weights_name[ORF_WEIGHTS_COUNT] = { ORF_WEIGHTS(P) };
#undef P

enum orf_writes orf_writes_find(const char *name) { return name_find(orf_writes_name, ORF_WRITES_COUNT, name); }

enum orf_ranges orf_ranges_find(const char *name) { return name_find(orf_ranges_name, ORF_RANGES_COUNT, name); }

enum orf_weights orf_weights_find(const char *name) { return name_find(orf_weights_name, ORF_WEIGHTS_COUNT, name); }

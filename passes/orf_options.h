/* How values are put into the upper levels of the register file: what ptx-annotate --orf-... says. */
#ifndef REGLOOM_ORF_OPTIONS_H
#define REGLOOM_ORF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* P(id, name, what); the first of each is the default. */
#define ORF_WRITES(P)                                                                                       \
	P(BOTH, "both", "a value may be written to an upper level and to the main register file (default)") \
	P(ONE, "one", "to one level only (section 7.9)")                                                    \
	P(L0, "l0", "to L0 and the main register file, but not to L1 and it (section 7.9)")
#define ORF_RANGES(P)                                                                      \
	P(EXACT, "exact", "an entry is taken where its value may be read again (default)") \
	P(PAPER, "paper", "from the first write to the last read, in the order of the code (Figure 11)")
#define ORF_WEIGHTS(P)                                                                             \
	P(STATIC, "static", "each instruction of a strand counts once, as in the paper (default)") \
	P(FREQ, "freq", "as often as its block executes")

enum orf_writes {
#define P(id, name, what) ORF_WRITES_##id,
	ORF_WRITES(P)
#undef P
		ORF_WRITES_COUNT
};
enum orf_ranges {
#define P(id, name, what) ORF_RANGES_##id,
	ORF_RANGES(P)
#undef P
		ORF_RANGES_COUNT
};
enum orf_weights {
#define P(id, name, what) ORF_WEIGHTS_##id,
	ORF_WEIGHTS(P)
#undef P
		ORF_WEIGHTS_COUNT
};
extern const char *const orf_writes_name[ORF_WRITES_COUNT], *const orf_ranges_name[ORF_RANGES_COUNT],
								    *const orf_weights_name[ORF_WEIGHTS_COUNT];

enum { ORF_ENTRIES_MAX = 8, ORF_WARPS_MAX = 64, ORF_SECONDS_MAX = 86400 };

struct orf_options {
	unsigned entries; /* of L1, for each thread: 1 .. ORF_ENTRIES_MAX */
	unsigned warps;   /* that are active: the size of the arrays, for energies; 1 .. ORF_WARPS_MAX */
	/* energies are those of so many entries instead (limit study, section 8.3); 0: of `entries` */
	unsigned cost_entries;
	/* section 5.3: the last reads of a value may be left to the main register file */
	bool partial;
	/* section 5.4: what is read from the main register file may stay in an upper level */
	bool read_operands;
	/* section 5.5: values cross forward branches; else they are read in their own block */
	bool forward_branches;
	/* limit study (section 8.3): no strand ends because a warp waits for long-latency results */
	bool never_flush;
	/* strands go on past barriers: a warp keeps its entries where it waits at one (own; the paper names none) */
	bool past_barriers;
	/* the best allocation instead of the greedy one, as far as it is found in exact_seconds */
	bool exact;
	double exact_seconds; /* for each kernel, about */
	enum orf_writes writes;
	enum orf_ranges ranges;
	enum orf_weights weights;
};

#define ORF_OPTIONS_DEFAULT                                                                                 \
	{                                                                                                   \
		.entries = 3, .warps = 8, .partial = true, .read_operands = true, .forward_branches = true, \
		.exact_seconds = 10                                                                         \
	}

#endif

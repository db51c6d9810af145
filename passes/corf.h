/* Hints for packing registers together: which two share an entry (CORF), and at which end of an entry each is put
 * (CORF++). From Asghari Esfeden et al., "CORF: Coalescing Operand Register File for GPUs", ASPLOS 2019, sections 4.2
 * and 5.1. They travel as 64-bit metadata instructions in front of the kernel's code; docs/RLO.md has their bits. */
#ifndef REGLOOM_CORF_H
#define REGLOOM_CORF_H

#include "analyzer/ir/ir.h"
#include "passes/graph/graph.h"

/* ANY: the paper's "don't care" */
enum corf_align { ALIGN_ANY, ALIGN_LEFT, ALIGN_RIGHT };

/* How pairs, and ends of an entry, are chosen: P(id, name, what) in the order of the numbers in an object. */
#define CORF_PAIRS(P)                                                 \
	P(GREEDY, "greedy", "the paper's removal of edges (default)") \
	P(MATCHING, "matching", "the most weight that pairs can keep")
#define CORF_SIDES(P)                                                   \
	P(PAPER, "paper", "the paper's removal of edges on odd cycles") \
	P(DEFAULT, "default", "local search (default)")                 \
	P(EXACT, "exact", "the least loss, or what is found and proved of it in time")

enum corf_pairs {
#define P(id, name, what) PAIRS_##id,
	CORF_PAIRS(P)
#undef P
		PAIRS_COUNT
};
enum corf_sides {
#define P(id, name, what) SIDES_##id,
	CORF_SIDES(P)
#undef P
		SIDES_COUNT
};
extern const char *const corf_pairs_name[PAIRS_COUNT], *const corf_sides_name[SIDES_COUNT];
enum corf_pairs corf_pairs_find(const char *name); /* PAIRS_COUNT if there is none */
enum corf_sides corf_sides_find(const char *name);
/* of pass_options.sides_seconds */
enum { CORF_SECONDS_MAX = 86400 };

/* Of a kernel in machine form, by architected register R0 .. R254. Pairs exclude each other: partner[partner[r]] ==
 * r. */
struct corf_hints {
	uint8_t partner[256]; /* MREG_RZ: none */
	/* enum corf_align; ANY: no instruction reads it together with another register */
	uint8_t align[256];
	uint64_t *pair_word, *align_word; /* metadata instructions that say so to CORF, to CORF++ */
	uint32_t npair_word, nalign_word;
	/* Weights are sums over edges of k->affinity: reads of two registers together, by one thread or, if counted, by
	 * all warps. */
	bool counted;                        /* by a profile; else estimated */
	uint64_t total;                      /* of all edges */
	uint64_t pair_kept;                  /* of the edges between partners; one of the next two, by `pairs` */
	uint64_t greedy_kept, matching_kept; /* what each way to choose pairs keeps */
	uint64_t align_kept;                 /* of the edges between a left and a right register; the others' is lost */
	uint64_t align_bound;                /* no alignment loses less */
	enum corf_pairs pairs;
	enum corf_sides sides;
	bool limited; /* sides: a limit ended the listing of cycles (paper) or the search (exact) */
};

enum {
	CORF_OPCODE_BITS = 10, /* at the top of a word */
	CORF_OP_PAIRS = 0x3c0,
	CORF_OP_PAIRS_WIDE = 0x3c1,
	CORF_OP_ALIGN = 0x3c2,
	CORF_NARROW_REGS = 63, /* kernels with more registers have pairs of 8-bit numbers */
	CORF_ALIGN_REGS = 27,  /* in a word: 54 bits, two each */
};

/* Makes the words of h->partner and h->align, in arena a, for a kernel of `regs` registers. A pair's lower register
 * comes first, and pairs ascend; trailing words that would say ANY of every register are left out. */
void corf_encode(struct corf_hints *h, uint32_t regs, struct arena *a);
/* The other way: fills h->partner and h->align from h's words. False if these are no words that corf_encode() makes. */
bool corf_decode(struct corf_hints *h, uint32_t regs);

/* The pairs in a word that corf_encode() makes for partners; returns how many. */
unsigned corf_word_pairs(uint64_t word, uint8_t pair[4][2]);

/* The register-affinity graph of k, in machine form with FACT_CFG: nodes are registers, an edge's weight says how often
 * a thread reads both in one instruction, given how often it executes each block, and 1 at least (NULL: all weights are
 * 0). Edges in arena a. */
void affinity_build(const struct kernel *k, const uint64_t *executions, struct arena *a, struct wgraph *g);
/* The paper's choice of exclusive pairs (section 4.2): m->mate and m->weight, in arena a. */
void pairs_greedy(const struct wgraph *g, struct arena *a, struct matching *m);
/* Fills total, pair_kept and align_kept from partner and align. False if partners are not joined by an edge, or a
 * register has an alignment and no edge, or an edge and none. */
bool corf_weigh(struct corf_hints *h, const struct wgraph *g);

#endif

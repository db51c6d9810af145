/* What an explanation has counted. Private to runtime-model/explain. While the model runs, each SM writes to its own
 * (struct sm_counts); counts_merge() adds them up. */
#ifndef REGLOOM_EXPLAIN_COUNTS_H
#define REGLOOM_EXPLAIN_COUNTS_H

#include "analyzer/ir/ir.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/explain/explain.h"
#include "runtime-model/gpu/gpu.h"
#include "runtime-model/repeat/repeat.h"
#include "runtime-model/reuse/code.h"

/* What a memory instruction asked of the load-store unit. Ideal: if the bytes of its lanes lay side by side, and words
 * of shared memory in banks of their own. */
struct memory_counts {
	uint64_t times, lanes; /* entered the unit; active lanes */
	uint64_t cycles;       /* that it held the unit */
	/* those of them that want lines, of 128 bytes, 64 of constants; of 32 bytes */
	uint64_t lined, lines, ideal_lines, sectors;
	uint64_t how[PROBE_LINES];             /* lines, by what became of them */
	uint64_t passed, passes, ideal_passes; /* those that want shared memory; its passes */
	uint64_t uniform, addresses; /* those that want constants; different addresses in a warp, one a cycle */
	uint64_t results, latency;   /* of those that have one; cycles from issue to there */
};
_Static_assert(sizeof(struct memory_counts) % sizeof(uint64_t) == 0, "counters and nothing else");

/* Of repeated computations, what became of them; reused, though the window has no equal. */
enum became {
#define BECAME(id, name, words) BECAME_##id,
#include "runtime-model/explain/became.def"
#undef BECAME
	BECAMES
};
struct became_text {
	const char *name, *words;
};
extern const struct became_text became_text[BECAMES];
struct became_counts {
	uint64_t of[BECAMES], beyond;
};

/* What a warp did: the reasons of issue slots; the row ISSUED of its cycles: it could have issued, but was not
 * chosen. */
struct insn_counts {
	uint64_t slots[STALL_COUNT], cycles[STALL_COUNT]; /* of warps that stood at the instruction */
	uint64_t slots_for, cycles_for;                   /* of warps anywhere that waited for its result */
	uint64_t accesses, delayed, delay;                /* of register-file banks; that waited; cycles */
	uint64_t level[RF_LEVELS];                        /* operands by where they came from, if a hierarchy decides */
	struct memory_counts memory;
	struct repeat_counts repeat; /* if asked for; */
	struct became_counts became; /* and if the reuse axis renames */
};
struct warp_counts {
	uint64_t slots[STALL_COUNT], cycles[STALL_COUNT];
};
/* reads, writes */
struct bank_counts {
	uint64_t accesses[2], delayed[2], delay[2];
};

struct sm_counts {
	struct arena a;
	uint32_t ninsn; /* of the kernel */
	/* by instruction, and one for all metadata before them; NULL: no warp was there */
	struct insn_counts **insn;
	uint64_t slots[STALL_COUNT];
	struct warp_counts slot[PROBE_WARPS], of_cta[PROBE_WARPS]; /* by warp slot; by number in the CTA */
	struct bank_counts bank[PROBE_BANKS];
	/* Slots of a warp that waits, by reason, until the result comes and says whose it was. */
	uint64_t open[PROBE_WARPS][STALL_COUNT];
	uint64_t slots_for_none;   /* what ended the wait was no instruction's result */
	cycle unit_since;          /* the load-store unit took the instruction that it has */
	struct repeat *repeat;     /* NULL: not asked for */
	struct reuse_watch *reuse; /* likewise */
};

/* Launches with the same block and shared memory. */
struct launch_counts {
	unsigned threads;
	uint32_t shared_bytes;
	struct occupancy occupancy;
	struct occupancy_gain gain;
	const char *gain_text; /* it in words */
	unsigned best_block;
	struct occupancy best; /* with best_block */
	uint64_t launches, ctas, cycles, sm_cycles, warp_cycles;
};

struct kernel_counts {
	const struct kernel *k;
	/* by warp slot: the warp's number in its CTA, whose slots begin at a multiple of its warps */
	uint8_t in_cta[PROBE_WARPS];
	unsigned most_warps; /* of a CTA, over the launches */
	struct sm_counts **sm;
	struct launch_counts *launch;
	uint32_t nlaunch, launch_cap;
	uint32_t at;               /* index into launch, of the one under way */
	uint64_t ctas, timed_ctas; /* of its launches; fewer are timed of those that are sampled */
	struct stats st;           /* sums over its launches */
	struct kernel_counts *next;
};

struct explain {
	struct gpu_probe probe;
	struct arena a;
	bool reuse, renames;               /* repeated computations are counted too; what becomes of them */
	unsigned id_bits;                  /* if it renames: of a physical register */
	const struct params *params;       /* of the run: the same for all launches */
	unsigned threads_per_cta;          /* of the launch under way */
	unsigned banks;                    /* of an SM, those for scalars behind the others */
	struct kernel_counts *first, *now; /* in the order of their first launches; under way */
};

/* All SMs of a kernel together, in arena a. */
struct counts {
	const struct kernel_counts *kernel;
	struct insn_counts *insn; /* by instruction, then of all metadata */
	struct warp_counts slot[PROBE_WARPS], of_cta[PROBE_WARPS];
	struct bank_counts bank[PROBE_BANKS];
	uint64_t slots[STALL_COUNT], cycles[STALL_COUNT];
	uint64_t all_slots, all_cycles;
	uint64_t slots_for_none;
	struct repeat_counts repeat; /* of all instructions, as is: */
	struct became_counts became;
	struct repeat_samples samples;
};
void counts_merge(struct counts *c, const struct explain *e, const struct kernel_counts *k, struct arena *a);
void counts_add_insn(struct insn_counts *into, const struct insn_counts *from);

/* Instructions grouped by the source line that they come from, in arena a. */
struct line_counts {
	bool metadata;    /* not a line: what lies before the kernel */
	const char *file; /* NULL: not known */
	uint32_t line;
	const char *text; /* NULL: cannot be read */
	uint32_t insns;   /* that warps stood at or waited for */
	struct insn_counts n;
};
struct view;
/* of: by instruction, index into v; UINT32_MAX: nothing was counted */
struct lines {
	struct line_counts *v;
	uint32_t n;
	uint32_t *of;
};
void counts_lines(struct lines *l, const struct counts *c, struct view *v, struct arena *a);

/* memory.c: events of the load-store unit; their sums are the counters. */
void memory_count(struct insn_counts *n, struct sm_counts *s, const struct kernel *k, const struct probe_event *e);
void memory_add(struct memory_counts *into, const struct memory_counts *from);
bool memory_check(const struct memory_counts *n, const struct stats *st, struct diag *d);
/* else a diagnostic: it does not add up */
bool counts_same(struct diag *d, const char *what, uint64_t a, uint64_t b);

/* reuse.c: of one SM; events of instructions, moves left out, with the counts of theirs. A launch begins; in `pending`
 * ones an entry is there before its result. */
struct reuse_watch *reuse_watch_new(struct arena *a);
void reuse_watch_begin(struct reuse_watch *w, bool pending);
void reuse_watch_issue(struct reuse_watch *w, const struct probe_event *e, const struct repeat_found *found,
		       struct became_counts *n);
void reuse_watch_outcome(struct reuse_watch *w, const struct probe_event *e, struct became_counts *n);
void reuse_watch_retire(struct reuse_watch *w, const struct probe_event *e);
void became_add(struct became_counts *sum, const struct became_counts *x);
uint64_t became_reused(const struct became_counts *n);
/* Of those of BECAME_KIND, by what the code says of each. */
void became_kinds(uint64_t of[REUSE_WHY_COUNT], const struct explain *x, const struct counts *c, struct arena *a);

const char *reason_name(enum stall why); /* "memory" */
const char *reason_what(enum stall why);
uint64_t sum_reasons(const uint64_t n[STALL_COUNT]);

#endif

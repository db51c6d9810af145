/* Passes: one function, one row of passes.def. The runner supplies the facts that a pass needs, times it, drops the
 * facts that it does not keep, verifies the kernel and, in debug builds, runs the pass's own independent check. No pass
 * calls another. Facts live in the kernel arena. */
#ifndef REGLOOM_PASS_H
#define REGLOOM_PASS_H

#include "analyzer/ir/ir.h"
#include "passes/orf_options.h"
#include "passes/regmutex_options.h"

enum {
#define FACT(id, forget, check) FACT_ID_##id,
#include "passes/facts.def"
	FACT_COUNT
};
enum fact {
#define FACT(id, forget, check) FACT_##id = 1 << FACT_ID_##id,
#include "passes/facts.def"
	FACT_ALL = (1 << FACT_COUNT) - 1,
	/* What an object carries, or is checked by: frequencies are estimates, dlive is made of what it carries, and it
	   is not decoded. */
	FACT_OBJECT = FACT_ALL & ~(FACT_FREQ | FACT_DLIVE | FACT_KILLS),
};

/* FAILED: reported in cx->diag */
enum pass_result { PASS_SAME, PASS_CHANGED, PASS_FAILED };

enum pass_id {
#define PASS(id, needs, gives, keeps, what) PASS_ID_##id,
#include "passes/passes.def"
#undef PASS
	PASS_COUNT
};

enum { INLINE_LIMIT = 10000 };
/* for an operand register file: passes/schedule.c */
enum schedule { SCHEDULE_NONE, SCHEDULE_LATENCY, SCHEDULE_ORF, SCHEDULE_COUNT };

enum { MAXREG_LEAST = 0, MAXREG_MOST = 254, MAXREG_FEWEST = 8 };
struct pass_options {
	/* general registers a thread may use, 8 .. 254; MAXREG_LEAST: as few as nothing is spilled with */
	unsigned maxreg;
	unsigned maxpred; /* predicates, 1 .. 7 */
	/* instructions that a body may grow to by inlining; 0: every call stays a call */
	unsigned inline_limit;
	/* fold, narrow, remove dead code, make parameters constants; else an instruction stays one */
	bool fold;
	unsigned schedule;                 /* enum schedule: reorder within blocks */
	unsigned pairs, sides;             /* enum corf_pairs, corf_sides (corf.h): how CORF's hints are chosen */
	double sides_seconds;              /* SIDES_EXACT: of search in each kernel, about */
	struct orf_options orf;            /* how values are put into the upper levels of the register file */
	struct regmutex_options regmutex;  /* how registers are divided between warps, and for which machine */
	const struct launch_facts *launch; /* passes/freq.h; NULL: nothing is known */
	const struct profile *profile;     /* likewise: block frequencies of its kernels are those that it counted */
	bool check;                        /* run check_NAME after each pass (always on in debug builds) */
};

struct pass_ctx {
	struct diag *diag;
	struct arena scratch; /* reset after each pass */
	struct pass_options opt;
	double seconds[PASS_COUNT];
	unsigned runs[PASS_COUNT];
	FILE *dump; /* where --dump=ID prints; NULL: nowhere */
	enum pass_id dump_id;
};

#define PASS(id, needs, gives, keeps, what) enum pass_result pass_##id(struct kernel *k, struct pass_ctx *cx);
#include "passes/passes.def"
#undef PASS

struct pass_info {
	const char *id, *what;
	unsigned needs, gives, keeps;
	enum pass_result (*run)(struct kernel *, struct pass_ctx *);
};
extern const struct pass_info pass_info[PASS_COUNT];

/* default options: 63 registers, 7 predicates, schedule */
void pass_ctx_init(struct pass_ctx *cx, struct diag *d);
void pass_ctx_free(struct pass_ctx *cx);
/* Runs one pass with what it needs. False if it failed (in cx->diag). */
bool pass_run(struct kernel *k, enum pass_id id, struct pass_ctx *cx);
bool pass_need(struct kernel *k, unsigned facts, struct pass_ctx *cx); /* makes facts valid */
/* Virtual form to machine form: lower, fold, dce, schedule, allocate; k->form becomes FORM_MACHINE. All facts are valid
 * then, or those that are asked for and what they need; regmutex: k->regmutex is wanted. */
bool pass_compile(struct kernel *k, struct pass_ctx *cx);
bool pass_compile_for(struct kernel *k, unsigned facts, bool regmutex, struct pass_ctx *cx);
/* The same code as k's, which is in machine form, with all that cx->opt says found out anew: of another launch, say.
 * A kernel of its own in arena a. NULL with a diagnostic. */
struct kernel *pass_annotate(const struct kernel *k, struct arena *a, struct pass_ctx *cx);
/* The last step of it: k->regmutex and, if that is of use, k->variant (passes/regmutex.h). False: a size that was given
 * is not legal. */
bool regmutex_make(struct kernel *k, struct pass_ctx *cx);

/* ---- facts ---- */
/* edges in flat arrays: succ[succ_at[b] .. succ_at[b+1]) */
struct cfg {
	uint32_t *succ_at, *succ, *pred_at, *pred;
	uint32_t *rpo, nrpo; /* reachable blocks in reverse post-order */
	uint32_t *rpo_index; /* by block; UINT32_MAX: unreachable */
	/* succ and pred inside functions: a call leads to the next block, a return nowhere. Without functions this is
	 * the graph itself */
	const struct cfg *local;
	uint32_t *depth; /* loop nesting depth by block (FACT_LOOP), 0 outside */
	/* header of the innermost loop that the block is in, of a header itself; UINT32_MAX: none */
	uint32_t *loop;
	uint32_t *outer; /* of a header: that of the loop around it; UINT32_MAX: none */
};
/* by block; idom[entry] == entry; UINT32_MAX: none (unreachable, or the exit) */
struct domtree {
	uint32_t *idom;
	uint32_t *pre, *post; /* dominator-tree numbering: a dom b iff pre[a]<=pre[b] && post[b]<=post[a] */
	/* k->dom: the same of cfg.local, where every function's entry is its own idom */
	const struct domtree *local;
};
/* For k->pdom, UINT32_MAX also stands for the virtual exit that every ret, exit and unreachable end leads to. */
/* over ir_nreg(k) registers; block b: in[in_at[b] .. in_at[b+1]), ascending */
struct liveness {
	uint32_t *in_at, *in, *out_at, *out;
	uint32_t max_live32;            /* most 32-bit registers live at one point (a 64-bit one counts two) */
	uint32_t max_livep;             /* most predicates live at one point */
	uint32_t max_liveu, max_liveup; /* most uniform registers and uniform predicates, of decoded machine code */
};
struct live_set {
	const uint32_t *reg;
	uint32_t n;
};
static inline struct live_set live_in(const struct kernel *k, uint32_t b)
{
	return (struct live_set){ k->live->in + k->live->in_at[b], k->live->in_at[b + 1] - k->live->in_at[b] };
}
static inline struct live_set live_out(const struct kernel *k, uint32_t b)
{
	return (struct live_set){ k->live->out + k->live->out_at[b], k->live->out_at[b + 1] - k->live->out_at[b] };
}
/* Members into a bit vector, and out of it again. A walk over many blocks keeps one vector: what live_step_back()
 * leaves at a block's start is its live-in set. */
static inline void live_put(struct live_set s, uint64_t *set)
{
	for (uint32_t i = 0; i < s.n; i++)
		bitset_add(set, s.reg[i]);
}
static inline void live_take(struct live_set s, uint64_t *set)
{
	for (uint32_t i = 0; i < s.n; i++)
		bitset_del(set, s.reg[i]);
}
/* The set as a bit vector of n registers. */
static inline void live_copy(uint64_t *set, struct live_set s, uint32_t n)
{
	memset(set, 0, bitset_words(n) * sizeof *set);
	live_put(s, set);
}
/* Walks block b backwards: SET starts as live-out and is stepped over instruction i (from after it to before it). */
void live_step_back(const struct kernel *k, const struct insn *i, uint64_t *set);
/* The same with a count of the set's members kept: registers of 32 bits, a 64-bit one counting two, predicates, and
 * both of the uniform files. Convergence barriers are not counted. */
struct live_count {
	uint32_t regs, preds, uregs, upreds;
};
struct live_count live_put_counted(const struct kernel *k, struct live_set s, uint64_t *set); /* into an empty set */
void live_step_back_counted(const struct kernel *k, const struct insn *i, uint64_t *set, struct live_count *c);
void live_add(const struct kernel *k, uint64_t *set, uint32_t r, bool on, struct live_count *c);
/* What ends at one instruction, for a thread that executes it; the other lanes of its warp may go on reading. */
struct live_ends {
	/* registers read here whose value is not read again: dead after it, or overwritten by it in every lane.
	 * Ascending, as are those released */
	uint32_t last[REG_USE_MAX], nlast;
	uint32_t release[REG_USE_MAX], nrelease; /* live before it or written by it, and not live after it */
	uint32_t last_operands; /* bit s: source operand s has registers, and all of them are in last */
	bool last_guard;        /* the same of the guard */
};
/* AFTER: live after i. */
void live_find_ends(const struct kernel *k, const struct insn *i, const uint64_t *after, struct live_ends *e);
/* SET: live out of a predecessor of b and not live into b. */
void live_find_entry_release(const struct kernel *k, uint32_t b, uint64_t *set);
/* Liveness for a whole warp, in machine form: a register may be read again by the lanes that execute at a point of
 * block b if it is live there, and by lanes that wait elsewhere while they do if it is in wait[b] (passes/wlive.c). A
 * virtual register is none that warps share: in virtual form wait is NULL. */
enum { WLIVE_WORDS = (MREG_ALL + 63) / 64 };
struct warp_liveness {
	uint64_t (*wait)[WLIVE_WORDS];
};
/* Divergence-conservative liveness, in machine form (passes/dlive.c): at a point of block b a register is alive if it
 * is live there, or in alive[b]: what a side of a branch uses, or the block where its sides meet, in all of its sides;
 * and what wlive->wait has. */
struct dliveness {
	uint64_t (*alive)[WLIVE_WORDS];
	uint32_t max_live32; /* most general registers alive at one point */
};
/* Most general registers that are live, or in alive[] of their block, at one point. */
uint32_t dlive_most(const struct kernel *k, uint64_t (*alive)[WLIVE_WORDS]);
/* General registers that are in one of two sets. */
static inline uint32_t dlive_count(const uint64_t *a, const uint64_t *b)
{
	uint32_t n = 0;

	for (unsigned x = 0; x < MREG_RZ / 64; x++)
		n += (uint32_t)__builtin_popcountll(a[x] | b[x]);
	return n + (uint32_t)__builtin_popcountll((a[MREG_RZ / 64] | b[MREG_RZ / 64]) &
						  ((UINT64_C(1) << MREG_RZ % 64) - 1));
}
/* Where general registers become dead for a whole warp: reg[at[i] .. at[i + 1]) when instruction i has executed,
 * whichever lanes did; entry_reg[entry_at[b] .. entry_at[b + 1]) when a warp begins to execute block b, before its
 * first instruction. Both ascending. What a block without instructions would release, the block behind it does. In
 * virtual form there are none. */
struct release {
	const uint32_t *at;
	const uint16_t *reg;
	const uint32_t *entry_at;
	const uint16_t *entry_reg;
};
/* The metadata instructions of 64 bits that would tell hardware k->release: 10 bits are the opcode. One with flags, at
 * the start of each block that has releases after instructions, serves 18 instructions of up to three sources, 3 bits
 * each; one with numbers of registers, for those on entry, names 9 of 6 bits, or 6 of 8 where a kernel has more than 63
 * registers. */
struct release_words {
	uint32_t flags, numbers;
};
struct release_words release_words_of(const struct kernel *k, uint32_t b); /* those of block b */
struct release_words release_words(const struct kernel *k);
static inline bool dominates(const struct domtree *t, uint32_t a, uint32_t b)
{
	return t->pre[a] <= t->pre[b] && t->post[b] <= t->post[a];
}
/* Block at which the two sides of a branch ending block b meet again; UINT32_MAX: only at the exit. */
static inline uint32_t reconvergence(const struct kernel *k, uint32_t b) { return k->meet->idom[b]; }

/* How often a thread executes each block: passes/freq.c says how it is estimated. */
/* iterations of a loop that says nothing about them */
enum { FREQ_LOOP = 8 };
#define FREQ_MAX 1000000000000000u /* most executions of a block; so the sum over 10,000 blocks is below 2^64 */
enum trip_source {
	TRIPS_ASSUMED, /* FREQ_LOOP */
	TRIPS_STATIC,  /* found in the code */
	TRIPS_MEAN,    /* found; the mean over threads, iterations of loops around, or a range */
	TRIPS_BOUND,   /* at most so many: other exits depend on data */
	TRIPS_SAMPLED, /* the mean of some of too many threads and iterations, or of what is at most */
	TRIPS_PROFILE, /* counted in a run */
};
/* no: there is a profile, but this kernel is not in it */
enum freq_source { FREQ_ESTIMATED, FREQ_PROFILE, FREQ_NO_PROFILE };
struct freq_loop {
	/* outer: index of the loop around it, which comes before it; UINT32_MAX: none */
	uint32_t header, outer;
	enum trip_source source;
	/* each time the loop is entered; of a loop that ends at a test in its middle, whole ones */
	double iterations;
	double header_runs; /* executions of the header for that */
	uint32_t test;      /* blocks that this one dominates execute one time less; UINT32_MAX: none do */
};
struct freq {
	enum freq_source source;
	/* by block, of a thread, 0 only if unreachable; or what a profile counted; up to FREQ_MAX */
	uint64_t *executions;
	struct freq_loop *loop; /* less deep ones first, then by header */
	uint32_t nloop;
	uint32_t *loop_of; /* by block: the innermost loop that it is in; UINT32_MAX: none */
};
extern const char *const trip_source_name[]; /* "static" */
/* "64 iterations (static)", "at most 64 iterations", in arena a. */
char *freq_text(const struct freq_loop *l, struct arena *a);

/* ---- what the scheduler takes for the machine's cycles; it only orders picks ---- */
unsigned schedule_latency(enum fu u); /* from issue to dependent issue of what is no load */
unsigned schedule_load_latency(enum space s);

/* ---- independent oracles, slower, never the same code: passes/check_*.c ---- */
bool check_live(const struct kernel *k, struct diag *d); /* path search for each register and point */
/* path search from each killing write, with what is known of predicates */
bool check_kills(const struct kernel *k, struct diag *d);
bool check_dom(const struct kernel *k, struct diag *d); /* removal of each block, then reachability */
/* counts for each two registers; pairs and alignment by definition */
bool check_corf(const struct kernel *k, struct diag *d);
/* what each entry holds at each instruction, whichever way it was come there */
bool check_orf(const struct kernel *k, struct diag *d);
bool check_wlive(const struct kernel *k, struct diag *d);   /* a warp of three lanes, in every way it may go */
bool check_dlive(const struct kernel *k, struct diag *d);   /* by definition, branch by branch */
bool check_release(const struct kernel *k, struct diag *d); /* the definition, register by register */
/* regions by definition; a warp of three lanes, in every way it may go */
bool check_strand(const struct kernel *k, struct diag *d);
bool check_rfc(const struct kernel *k, struct diag *d); /* path search for each operand */
/* every path from each result and source that is not there at once */
bool check_control(const struct kernel *k, struct diag *d);
bool check_owf(const struct kernel *k, struct diag *d); /* a search along the instructions for each register */
/* random values in four lanes of three warps, along their stacks */
bool check_uniform(const struct kernel *k, struct diag *d);
/* Symbolic execution: each use in the allocated kernel reads the virtual register that the kernel before it read. */
bool check_alloc(const struct kernel *before, const struct kernel *after, const uint32_t *origin, struct diag *d);

#endif

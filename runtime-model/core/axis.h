/* The six axes of a register-file configuration (docs/ADDING.md). The pipeline (sm.c) knows a technique only through
 * these structs of function pointers; each value of an axis is one file in the folder of its axis and one row in that
 * folder's list.def. State is per SM, made by create() in the arena given, and only there, as SMs run on several
 * threads. The null value of each axis is its smallest valid file: a function may be NULL where its comment says what
 * holds then, which costs a run nothing. A value states what it needs: annotations of the object (enum anno), record
 * parts (enum record_want).
 *
 * The life of an operand: issue picks a warp; residency says whether the warp may issue and which physical register
 * each architected one is; hierarchy says, as it issues, which level serves each read; packing turns the reads that
 * reach the main register file into bank accesses, coalescing some; values says how many arrays each access activates
 * and how many lanes execute; reuse may let the instruction skip operand read and execution altogether, and then says
 * what its results write. Writes go the same way. */
#ifndef REGLOOM_AXIS_H
#define REGLOOM_AXIS_H

#include "analyzer/ir/ir.h"
#include "passes/orf_energy.h"
#include "runtime-model/engine/record.h"
#include "runtime-model/core/axes.h"
#include "runtime-model/core/params.h"
#include "runtime-model/core/probe.h"
#include "runtime-model/core/stats.h"
#include "runtime-model/core/storage.h"

#include <assert.h>

enum {
	UOP_SRC_MAX = EXEC_SRC_MAX,
	UOP_DST_MAX = EXEC_DST_MAX,
	/* A stage of one instruction may add so many accesses to those of its operands: each result may push another
	   one out of the upper levels, which hold 9 before. */
	EXTRA_MAX = 25,
	/* The accesses of one instruction in one stage, at most; a destination takes two at most. */
	ACCESS_MAX = UOP_SRC_MAX + EXTRA_MAX,
	SCHEDULERS_MAX = 8,
	UOP_IDS = 512, /* Instructions in flight on an SM, at most. */
};

/* One warp instruction in the pipeline. */
struct uop {
	/* Its index into the kernel. Metadata has indices from UINT32_MAX down (INSN_IS_METADATA). */
	uint32_t insn;
	uint16_t warp;      /* The slot of its warp on the SM. */
	uint8_t fu;         /* enum fu */
	uint8_t nsrc, ndst; /* It reads, and writes, so many different 32-bit general registers. */
	/* Their architected numbers. A register that is named twice appears once (ir_insn_regs()). */
	uint8_t src[UOP_SRC_MAX], dst[UOP_DST_MAX];
	/* Its number below UOP_IDS, which no other instruction of the SM has from its issue to its last write. */
	uint16_t id;
	uint32_t active;
	uint32_t missing; /* The lanes of its warp that have no thread: missing_lanes(). */
	bool apart;       /* As in the record: nothing that the object says of the whole warp holds. */
	/* It moves a register to itself, as an axis asked for before instruction insn. */
	bool move;
	bool local; /* Some lane's address is in local memory, which is known when it issues. */
	/* A signature of each dst, if the configuration asked for signatures; else NULL. */
	const struct value_sig *sig;
	/* In checked mode (WANT_VALUES), unless no lane is active: the 32 lanes of each src as they were before, and of
	   each dst as they are after. Else NULL. */
	const uint32_t (*src_value)[WARP_LANES], (*dst_value)[WARP_LANES];
};

/* Every thread of its warp executes it. */
static inline bool uop_convergent(const struct uop *u) { return (u->active | u->missing) == UINT32_MAX; }

/* One access of one bank of the main register file. */
struct bank_access {
	uint16_t bank;
	uint16_t entry; /* The row of the bank. */
	/* The row that the bytes in mask[1] come from, where a bank has two addresses. */
	uint16_t entry2;
	/* with a renaming table: bytes of its first operand and of its second one, as bits of `operands` */
	uint8_t mask[2];
	uint8_t arrays; /* It activates so many byte-sliced arrays, of params.rf_arrays. */
	/* A read may queue for its bank so many cycles behind the one in which it is listed. */
	uint8_t delay;
	bool write;
	/* Bit i: it delivers uop->src[i], or writes uop->dst[i], as `write` says. 0: it is an extra access. */
	uint32_t operands;
};

/* Accesses of the main register file beside those that deliver or write operands: evictions, flushes, verifying reads.
 * They queue for their banks and count as reads, writes and energy like all others; the instruction leaves its stage
 * when they have been served. The hook fills in banks and arrays, as a rule from packing, whose functions it may call
 * (struct axes). */
struct extra {
	unsigned n;
	struct bank_access a[EXTRA_MAX];
};

static inline void extra_add(struct extra *x, struct bank_access a, bool write)
{
	assert(x->n < EXTRA_MAX);
	a.write = write;
	a.operands = 0;
	x->a[x->n++] = a;
}

/* The state of one SM's axes, for a value that works with another one (owner-first issue asks residency, an eviction
 * asks packing). Filled as they are created, issue first and then in the order below: use it after create(). */
struct sm;
struct axes {
	const struct rf_config *rf; /* The functions that go with the state. */
	struct sm *sm;              /* The SM that they belong to. */
	/* The renaming table, which is made first, if residency or packing renames; else NULL. */
	struct rename *rename;
	struct issue *issue[SCHEDULERS_MAX];
	struct residency *residency;
	struct packing *packing;
	struct hierarchy *hierarchy;
	struct values *values;
	struct reuse *reuse;
};

/* What create() gets. */
struct axis_ctx {
	const struct params *params;
	const struct kernel *kernel;
	struct stats *stats; /* The counters of this SM. */
	struct arena *arena;
	struct diag *diag;
	const struct axes *axes; /* They live as long as the SM. */
	unsigned warps;          /* The warp slots of the SM. */
	unsigned resident;       /* So many of them may be taken at once: the first ones. */
	unsigned warps_per_cta;
	const uint64_t *now; /* The SM's cycle; it lives as long as the SM. */
	bool checked;        /* Records carry values, and so does the data path. */
};

/* Returns how many bits a number below n has. */
static inline unsigned index_bits(unsigned n) { return n > 1 ? 32 - (unsigned)__builtin_clz(n - 1) : 0; }

/* Returns how many of `arrays`, which hold a register word by word, hold a word of these lanes. */
static inline unsigned lane_arrays(unsigned arrays, uint32_t lanes)
{
	unsigned n = 0;

	if (lanes == UINT32_MAX)
		return arrays;
	for (; lanes; n++) {
		unsigned array = (unsigned)__builtin_ctz(lanes) * arrays / WARP_LANES,
			 next = ((array + 1) * WARP_LANES + arrays - 1) / arrays;

		lanes = next < WARP_LANES ? lanes >> next << next : 0;
	}
	return n;
}

/* ---- issue: which warp issues ---- */
struct issue;
struct issue_ops {
	const char *name;   /* As in --rf issue=NAME. */
	const char *source; /* Where the rules come from. */
	/* Parameters of the machine that only values read which name them, up to a NULL; NULL: there are none. */
	const char *const *parameters;
	unsigned needs_anno, needs_record;
	struct issue *(*create)(const struct axis_ctx *cx, unsigned scheduler);
	/* A warp with a smaller age was launched earlier. */
	void (*warp_start)(struct issue *s, unsigned warp, uint64_t age);
	void (*warp_exit)(struct issue *s, unsigned warp);
	/* Writes the warps of `ready` (bit w: warp w, of this scheduler, has an instruction without hazards) to out in
	 * the order in which they may try this cycle; returns how many. A technique may leave warps out. Called in a
	 * cycle in which nothing has changed since the last call, it gives the same answer: such cycles are skipped. */
	unsigned (*order)(struct issue *s, uint64_t now, uint64_t ready, uint16_t out[]);
	/* Or, if nothing but issues, starts and exits of warps changes that order: its first warp.
	 * `ready` is not empty. The model asks for the next one by leaving out those that cannot issue. One of the two
	 * is NULL. */
	unsigned (*pick)(const struct issue *s, uint64_t ready);
	/* With pick: those of `ready` that may try this cycle; called and answered as order(). NULL: all. */
	uint64_t (*narrow)(struct issue *s, uint64_t ready);
	/* u has issued; it may be a move. */
	void (*issued)(struct issue *s, unsigned warp, const struct uop *u, uint64_t now);
	bool asks_owners; /* It needs residency_ops.owners. */
	bool demotes;     /* waits_long() may return true. */
	/* The warp begins to wait for a long-latency operation (a value from global, local or texture memory; not from
	 * shared memory or the constants), a fence, a barrier, or its end, having issued everything. True: it is
	 * demoted (two-level scheduling), and unless it has ended, what it has in the upper levels of the hierarchy is
	 * given up: hierarchy->suspend. It begins again with nothing there, so its return to the active warps, which
	 * order() or narrow() decides, needs no hook. */
	bool (*waits_long)(struct issue *s, unsigned warp, uint64_t now);
};

/* ---- residency: which physical registers a warp holds, when ---- */
/* The warp held one already, and nothing changes; it has one now; or none is free. */
enum acquired { ACQUIRE_HELD, ACQUIRE_TAKEN, ACQUIRE_NONE };
enum { NO_REGISTER = UINT16_MAX };
struct residency;
struct residency_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct residency *(*create)(const struct axis_ctx *cx);
	/* Returns how many CTAs the register file admits at once; 0: the kernel does not fit. */
	unsigned (*max_ctas)(const struct params *p, const struct kernel *k, unsigned warps_per_cta);
	/* False: no room now, nothing is taken; asked again when registers may have been freed (warp_exit, read_done,
	 * release, ended). NULL: always. */
	bool (*cta_start)(struct residency *r, unsigned first_warp, unsigned nwarp);
	void (*warp_exit)(struct residency *r, unsigned warp); /* or NULL */
	const char *const *parameters;                         /* as in issue */
	bool variant; /* It runs the variant of a kernel that has one (rf_config_kernel()). */
	/* Returns how many metadata instructions inform this hardware at the start of block b of kernel k: a warp
	 * fetches and issues them whenever it comes to the block, as those of packing_ops.preamble. NULL: none. */
	unsigned (*metadata)(const struct kernel *k, uint32_t b);
	bool renames; /* It uses axes->rename; map() is then not asked. */
	/* Are there registers for u to issue now? Changes nothing; asked before the renaming table knows of u. False:
	 * the warp is asked again in the next cycle in which anything happens, or, if `wakes`, not before
	 * residency_wake(). NULL: always. */
	bool (*may_issue)(struct residency *r, const struct uop *u);
	/* A warp that was refused is not asked again before residency_wake(); that is a state of its own
	 * (STALL_RESIDENCY). */
	bool wakes;
	/* u issues, and the renaming table knows of it. Takes what u needs. Or NULL. */
	void (*issue)(struct residency *r, const struct uop *u);
	/* The extended set of a variant kernel (k->base_regs), of which `warp` issues a regmutex.acquire or
	 * regmutex.release. NULL: it cannot run variants. After ACQUIRE_NONE the warp waits for residency_wake().
	 * release() is called when no write of an extended register is outstanding; reads may be, until read_done().
	 * False: the warp held none, nothing changes. */
	enum acquired (*acquire)(struct residency *r, unsigned warp);
	bool (*release)(struct residency *r, unsigned warp);
	/* An extended register that u names though its warp holds no extended set: an error of the program.
	 * NO_REGISTER: none. Or NULL: never. */
	unsigned (*missing)(struct residency *r, const struct uop *u);
	/* Returns the physical register of an architected one: an index into the SM's warp registers, of which 128 KB
	 * hold 1024 with 32 lanes. */
	unsigned (*map)(struct residency *r, unsigned warp, unsigned reg);
	/* map() of a warp and a register is always the same, on every SM, so that it need not be asked again. */
	bool fixed;
	/* On a core of sub-cores it keeps the registers of a warp in the two banks of the warp's own. */
	bool subcores;
	/* Operands have been read, or will not be (REUSE_HIT): release points. Once for each issue(), moves included.
	 * Or NULL. */
	void (*read_done)(struct residency *r, const struct uop *u);
	/* The renaming table holds fewer registers than before (rename_held()), perhaps since a warp has left. Or
	 * NULL. */
	void (*freed)(struct residency *r);
	/* Warps for whose end others wait, or will, as they share registers; and those others. NULL: none ever do. */
	void (*owners)(const struct residency *r, uint64_t *owners, uint64_t *others);
	/* The warps that hold registers of which `warp` must get some to go on, as bits; 0: none does. Changes nothing.
	 * NULL: none ever does. */
	uint64_t (*holders)(struct residency *r, unsigned warp);
	/* For the report of a model without progress: what u's warp waits for here, in words. NULL: it does not; or
	 * none ever does. */
	const char *(*describe)(struct residency *r, const struct uop *u, struct arena *a);
	/* Counters that grow with time are right up to cycle `upto`, which never goes back. NULL: it has none. */
	void (*account)(struct residency *r, uint64_t upto);
	/* What it adds to an SM beside the renaming table (storage.h): how many structures, none of 0 bits. regs: of a
	 * thread, in the largest kernel. NULL: none. */
	unsigned (*storage)(const struct params *p, unsigned regs, struct storage_part out[STORAGE_PARTS]);
	/* What is to be said of kernel k, launched in such CTAs, on machine p though it runs, in arena a, as in
	 * hierarchy. NULL: nothing. Or NULL. */
	const char *(*remark)(const struct params *p, const struct kernel *k, const struct occupancy_cta *cta,
			      struct arena *a);
	/* Returns how many extended sets `resident` warps share. NULL: none. */
	unsigned (*sections)(const struct params *p, const struct kernel *k, unsigned resident);
};

/* Registers were freed for which these warps, as bits, may have been refused: those that wait can issue, if not in this
 * cycle then in the next, and what they need is asked for again. Called from any function of residency_ops but
 * may_issue() and acquire(). */
void residency_wake(const struct axes *ax, uint64_t warps);

/* ---- packing: which bytes of which entry hold a register; which reads coalesce ---- */
struct packing;
struct packing_ops {
	const char *name, *source;
	unsigned needs_anno, needs_record;
	struct packing *(*create)(const struct axis_ctx *cx);
	const char *const *parameters; /* as in issue */
	bool renames;                  /* It uses axes->rename; phys below is then 0. */
	/* Metadata instructions that inform this hardware, before the first of kernel k. Every warp, or as
	 * params.metadata says, fetches and issues them before its first instruction; they take a slot each and go no
	 * further; metadata_instructions counts them, warp_instructions and so IPC do not. They are none of k->insn,
	 * and other configurations do not have them. NULL: none. */
	unsigned (*preamble)(const struct kernel *k);
	/* Bank accesses that deliver the sources in `operands` (bit i: u->src[i]); phys[i]: their physical registers.
	 * Of a source that no access delivers nothing is stored. */
	unsigned (*read)(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
			 struct bank_access out[]);
	/* The access that writes u->dst[dst]; before it perhaps one that reads what the write does not cover. */
	unsigned (*write)(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys,
			  struct bank_access out[]);
	/* A write of a register takes one of params.packers, each of which aligns one write a cycle. */
	bool packed;
	/* Each operand is one access of bank phys mod rf_banks that activates all arrays, a write those of its lanes
	 * under rf_partial_writes: read() and write() need not be asked. */
	bool whole;
	void (*warp_exit)(struct packing *pk, unsigned warp); /* or NULL */
	/* as in residency */
	unsigned (*storage)(const struct params *p, unsigned regs, struct storage_part out[STORAGE_PARTS]);
	/* Checked mode only: the data path with its bytes. store(): the bank has granted a write of u->dst[dst], the
	 * lanes in u->active of u->dst_value[dst]. deliver(): it has granted the read of u->src[src]; what the bytes
	 * that access `a` finds unpack to. NULL: it has, else what is there instead, in words: no bytes, or an access
	 * that no bank can make. Both NULL: an entry holds what was written to it last. */
	void (*store)(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned dst);
	const char *(*deliver)(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned src,
			       uint32_t lane[WARP_LANES]);
};

/* ---- hierarchy: which level an operand is read from or written to ----
 * Levels: the main register file; L1, a cache or an operand register file of a few entries a thread; L0, of one entry,
 * or one for each operand slot. An entry is 32 lanes of 32 bits of one warp. The upper levels are read when an
 * instruction issues: what they deliver is latched then, before anything younger changes it. They are written when a
 * result, or an operand that fills an entry, comes. A hierarchy counts what it does in its levels (rf_l0_reads ...
 * tag_checks of stats.def); the SM counts the rest. */

/* What the upper levels deliver of one operand. */
struct latched {
	enum rf_level level; /* LEVEL_MRF: nothing */
	unsigned entry;
	/* The lanes that they deliver: all that execute, unless the main register file delivers the others. */
	uint32_t lanes;
	uint32_t value[WARP_LANES];
	const char *instead; /* What is there instead of a value, in words; NULL: a value is. */
};

struct hierarchy;
struct hierarchy_ops {
	const char *name, *source;
	const char *const *parameters; /* as in issue */
	unsigned needs_anno, needs_record;
	struct hierarchy *(*create)(const struct axis_ctx *cx);
	/* Its entries belong to active warps: it needs an issue axis that demotes (issue_ops.demotes) unless
	 * params.rf_flush is 0. */
	bool two_level;
	/* It relies on the strands of the kernel: an instruction that says STRAND_WAIT (passes/strand.h) waits until
	 * nothing is outstanding that a long-latency operation owes the warp, and at no other one does the warp lose
	 * its place for such a result. */
	bool waits;
	/* What is to be said of kernel k on machine p though it runs, in arena a: its annotations were made for another
	 * one. NULL: nothing. Or NULL. */
	const char *(*remark)(const struct params *p, const struct kernel *k, struct arena *a);
	/* It writes registers back later than the instruction that made them does. Such registers cannot be renamed. */
	bool writes_back;
	/* Bits that it adds to each instruction of the program (Hierarchical RF sections 4.7 and 7.9). NULL: none. */
	unsigned (*encoding_bits)(const struct params *p);
	/* A fetch after a jump comes so many cycles later, as a stage stands between issue and resolution (tag check).
	 */
	unsigned branch_cycles;
	/* u must not issue yet: an entry that it would read or write is owed a value by an older instruction, which is
	 * in flight. Asked again after write() or filled() of an instruction of its warp, until u issues; changes
	 * nothing. NULL: never. */
	bool (*hazard)(const struct hierarchy *h, const struct uop *u);
	/* u issues, perhaps as the first of a strand, perhaps without sources or active lanes; not if it was reused.
	 * Which sources the main register file must deliver: those in no upper level, and those of which a level has
	 * some lanes only (rf_split_reads). x: what a fill pushed out. Of a move (u->move) the annotations of u->insn
	 * say nothing. NULL: all. */
	uint32_t (*read)(struct hierarchy *h, const struct uop *u, struct extra *x);
	/* The main register file has delivered these of the sources that read() has asked it for. NULL: it need not
	 * know. */
	void (*filled)(struct hierarchy *h, const struct uop *u, uint32_t sources);
	/* u has its results: once, if it has destinations and an active lane, moves included, before a younger
	 * instruction that was waiting for them issues; perhaps after its warp was suspended. Which of `dsts`, not
	 * empty, go to the main register file. NULL: all. */
	uint32_t (*write)(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x);
	/* The warp is demoted; what it holds is written back in x. It does not issue before the banks have served that.
	 * Not called with params.rf_flush 0, nor at barriers with 2. Or NULL. */
	void (*suspend)(struct hierarchy *h, unsigned warp, struct extra *x);
	void (*warp_exit)(struct hierarchy *h, unsigned warp); /* or NULL */
	/* as in residency */
	unsigned (*storage)(const struct params *p, unsigned regs, struct storage_part out[STORAGE_PARTS]);
	/* What it costs to read and to write a register of a warp in an upper level of its own size: pJ.  NULL: the
	 * cost table's, by params.rf_cost_entries and active warps.  Reports of a machine that several configurations
	 * share take the last one that is given. */
	struct rf_access (*access)(const struct params *p, enum rf_level level);
	/* Checked mode only (axis_ctx.checked), in which the levels carry values: u->dst_value in write(), u->src_value
	 * in filled(), and NULL for a move, or for an instruction without active lanes, which change none. Called
	 * straight after read() for each source: what it has latched of u->src[src]. What an entry holds that was given
	 * up is garbage (checked.h). NULL if read is. */
	void (*deliver)(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out);
};

/* Returns the bits of levels that have so many entries for each warp. Active warps alone have entries, or all warps if
 * one that waits may keep what it has (Hierarchical RF sections 4.6 and 7.1). An entry has `bits` beside its register.
 */
static inline unsigned level_bits(const struct params *p, unsigned entries, unsigned bits)
{
	return (p->rf_flush == 1 ? params_active_warps(p) : params_warps(p)) * entries * (WARP_LANES * 32 + bits);
}

/* A register of the warp goes back to the main register file. Lists the write in x, as packing and values have it. In
 * checked mode `lanes` of it are value[] from now on: a read finds what waits in front of its bank. Elsewhere value is
 * not looked at. */
void extra_write_back(struct extra *x, const struct axes *ax, unsigned warp, unsigned reg, uint32_t lanes,
		      const uint32_t value[WARP_LANES]);

/* ---- values: how many arrays an access activates; how many lanes execute ----
 * What a register is encoded as is known in program order: the scoreboard keeps reads and writes of a register in
 * order, and signatures come with the instruction. So everything is decided, and latched by u->id, in issue(); the
 * functions that come later apply what was latched, and look at no state that a younger instruction may have changed.
 * docs/GSCALAR.md. */
struct values;
struct reuse_access;
struct values_ops {
	const char *name, *source;
	const char *const *parameters; /* as in issue */
	unsigned needs_anno, needs_record;
	struct values *(*create)(const struct axis_ctx *cx);
	/* Some registers live in the first params.scalar_banks banks behind the main ones: read() and write() may move
	 * an access to bank rf_banks + i, whose arrays are none of rf_arrays. */
	bool scalar_banks;
	/* u issues, a move or one that is reused too, when it has its registers: once, before any of the functions
	 * below but move(). From here on the state is that after u. NULL: fine; else what contradicts the state, in
	 * words ("..., and its results differ"): a bug, which ends the run. Or NULL. */
	const char *(*issue)(struct values *v, const struct uop *u);
	/* May change how many arrays an access activates, and its bank (scalar_banks). Or NULL. */
	void (*read)(struct values *v, const struct uop *u, struct bank_access *a);
	void (*write)(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a);
	/* Under a reuse that renames, what an access of u's results other than a write activates: a verifying read, of
	 * a register that holds what u->dst[how->dst] will, or not; the two of a dummy move, of the register before u
	 * and of its new one. May change its arrays. NULL: all of them. */
	void (*compare)(struct values *v, const struct uop *u, const struct reuse_access *how, struct bank_access *a);
	/* Must a register be moved to itself before u may issue (a compressed one that u writes in part)? Then *reg is
	 * it, and the move issues in u's place. Asked whenever u could issue, so again after the move has issued;
	 * changes nothing. NULL: never. Not asked under a reuse that renames: a register of which some lanes are
	 * written is a new one, and gets the others by a dummy move. */
	bool (*move)(struct values *v, const struct uop *u, unsigned *reg);
	/* Returns how many lanes execute, 0..32. NULL: the active ones do. */
	unsigned (*lanes)(struct values *v, const struct uop *u);
	unsigned extra_cycles;                              /* It adds so many cycles to the depth of the pipeline. */
	void (*warp_exit)(struct values *v, unsigned warp); /* or NULL */
	/* as in residency */
	unsigned (*storage)(const struct params *p, unsigned regs, struct storage_part out[STORAGE_PARTS]);
	/* Checked mode only: the data path with its bytes, as in packing. store(): the bank has granted a write of
	 * u->dst[dst]: of the lanes in u->active of u->dst_value[dst], or, where fewer lanes execute, of what the first
	 * of them computed, which all others get; of a move (u->dst_value NULL) of all lanes of what is there. NULL:
	 * that is what was executed; else what was stored instead, in words. deliver(): it has granted the read of
	 * u->src[src]; what the bytes that access `a` finds decompress to. NULL: it has, else what is there instead, in
	 * words. Both NULL: an entry holds what was written to it last. */
	const char *(*store)(struct values *v, const struct uop *u, const struct bank_access *a, unsigned dst);
	const char *(*deliver)(struct values *v, const struct uop *u, const struct bank_access *a, unsigned src,
			       uint32_t lane[WARP_LANES]);
	/* Checked mode under a reuse that renames: what physical register phys holds; a dummy move writes these lanes
	 * of it. There if compare is. */
	void (*load)(const struct values *v, unsigned phys, uint32_t lane[WARP_LANES]);
	void (*merge)(struct values *v, unsigned phys, uint32_t lanes, const uint32_t lane[WARP_LANES]);
	/* Checked mode only: physical register phys is dead, and its bytes are overwritten, those of the base value
	 * registers too. NULL if deliver is. */
	void (*poison)(struct values *v, unsigned phys);
};

/* ---- reuse: which instructions skip the back end (docs/WIR.md) ----
 * A value that renames maps each register that an instruction names to a physical one, which registers of equal value
 * may share. The SM has two stages more then, rename and reuse (sm/front.c): in order, an instruction from each
 * scheduler a cycle. Behind them it has been reused, or goes to the collectors, or waits for the result of another one.
 * Nothing is mapped before it is written. */
enum reuse_verdict { REUSE_MISS, REUSE_HIT, REUSE_PENDING };
/* What became of an instruction at the reuse stage, and why. */
enum reuse_outcome {
	OUTCOME_REUSED,
	OUTCOME_REUSED_LATE, /* It was reused after it had waited for a pending result. */
	OUTCOME_NEW,         /* It was looked up and not found, and was executed. */
	OUTCOME_QUEUE_FULL,  /* It was found pending, but there was no room to wait, and it was executed. */
	OUTCOME_RACE,        /* A load was found whose value differs, and it was executed. */
	/* The following were not looked up. */
	OUTCOME_KIND,      /* Its opcode or its operands forbid it. */
	OUTCOME_DIVERGENT, /* Not all lanes are active. */
	OUTCOME_PINNED,    /* A source is dedicated to its register. */
	OUTCOME_UNMAPPED,  /* A source was never written. */
	OUTCOME_STORE,     /* A load whose warp has stored since its barrier. */
	OUTCOME_BARRIERS,  /* A load whose CTA has used up its barrier count. */
	OUTCOMES
};
/* One access of a bank that the results of an instruction make: a verifying read, the two of a dummy move, a write. */
enum reuse_access_kind { REUSE_VERIFY, REUSE_MOVE_READ, REUSE_MOVE_WRITE, REUSE_WRITE };
struct reuse_access {
	uint8_t kind;
	uint8_t dst;    /* An index into u->dst. */
	uint16_t phys;  /* The physical register that is accessed. */
	uint16_t from;  /* Of a MOVE_WRITE: the register that its lanes come from. */
	uint32_t lanes; /* The lanes that are written; a read is of all lanes. */
};
enum { REUSE_ROUND_MAX = 2 * UOP_DST_MAX };
struct reuse_round {
	unsigned n;
	struct reuse_access a[REUSE_ROUND_MAX];
};
enum reuse_progress { ROUND_ACCESS, ROUND_WAIT, ROUND_DONE };

struct reuse;
struct reuse_ops {
	const char *name, *source;
	const char *const *parameters; /* as in issue */
	unsigned needs_anno, needs_record;
	struct reuse *(*create)(const struct axis_ctx *cx);
	/* All of the functions below are there; else none is, and every instruction goes through the back end. */
	bool renames;
	/* Returns the cycles between issue and the collectors, 1 to FRONT_MAX. The last one is that of the reuse stage.
	 */
	unsigned (*front_cycles)(const struct params *p);
	unsigned (*back_cycles)(const struct params *p); /* Likewise, between execution and the banks. */
	/* Returns how many instructions may wait for a pending result; 0: none do. */
	unsigned (*queue)(const struct params *p);
	/* Returns how many equal parts it is in, of which warps have one each in turn: 1, or one for each sub-core. */
	unsigned (*parts)(const struct params *p);
	unsigned (*registers)(const struct params *p); /* Physical registers of a part. */
	/* as in residency */
	unsigned (*storage)(const struct params *p, unsigned regs, struct storage_part out[STORAGE_PARTS]);
	/* first_warp is that of its CTA. */
	void (*warp_start)(struct reuse *r, unsigned warp, unsigned first_warp, uint64_t cta);
	void (*warp_exit)(struct reuse *r, unsigned warp);
	/* u issues, in program order; it is no move, there are none. Latched by u->id: its sources' physical registers,
	 * with a reference each, and what depends on the order (store flags, barrier count). */
	void (*issue)(struct reuse *r, const struct uop *u);
	/* Physical register of u->src[src], as latched. NO_REGISTER: nothing has been written to it since its warp
	 * began; no access is made. */
	unsigned (*physical)(const struct reuse *r, const struct uop *u, unsigned src);
	/* These sources have been read, or will not be: each once. */
	void (*sources_read)(struct reuse *r, const struct uop *u, uint32_t sources);
	/* u is in the reuse stage; or has waited, and asks again (retry), which the SM counts. room: it may wait. After
	 * MISS or HIT it is not asked again. A retry that finds it pending changes nothing: cycles in which nothing
	 * else happens are skipped, and retries in them counted. */
	enum reuse_verdict (*lookup)(struct reuse *r, const struct uop *u, bool room, bool retry);
	/* Asked behind lookup(), until u retires. */
	enum reuse_outcome (*outcome)(const struct reuse *r, const struct uop *u);
	/* u, a miss with destinations and an active lane, has its results: what they do to the banks now. Asked again
	 * when that has been served, until it is DONE. ROUND_WAIT: no register is free, nothing has changed; asked
	 * again in every cycle behind one in which anything has happened on the SM, tick() included. */
	enum reuse_progress (*round)(struct reuse *r, const struct uop *u, struct reuse_round *out);
	/* All is done, of every instruction, hits too: the mappings of its destinations change, if it has active lanes;
	 * what it reserved gets its result. */
	void (*retire)(struct reuse *r, const struct uop *u);
	/* Returns the physical register that it is now, or NO_REGISTER. */
	unsigned (*mapped)(const struct reuse *r, unsigned warp, unsigned reg);
	/* Warps of this CTA go on from a barrier: it is complete, or the last warp that it waited for has ended. */
	void (*released)(struct reuse *r, unsigned first_warp);
	bool (*busy)(const struct reuse *r); /* True: it does something in each cycle, and tick() must be called. */
	void (*tick)(struct reuse *r, uint64_t n);       /* n cycles are over, each of them a tick. */
	void (*account)(struct reuse *r, uint64_t upto); /* As in residency. */
	/* For the report of a model without progress, in words, in arena a: what u, which is in flight, waits for here,
	 * and who has it. NULL: nothing. */
	const char *(*describe)(const struct reuse *r, const struct uop *u, struct arena *a);
	/* The launch has run to its end. Returns NULL, or in words what is wrong. */
	const char *(*end)(struct reuse *r);
};
enum { FRONT_MAX = 8 };

/* A physical register has gone back to the pool: nothing reads what it holds, which is garbage from now on (checked
 * mode). */
void reuse_freed(const struct axes *ax, unsigned phys);
/* A bug: what contradicts the reuse of u, in words ("..., and its results differ"), which lives as long as the run. It
 * ends here. */
void reuse_fault(const struct axes *ax, const struct uop *u, const char *wrong);
/* No bug: u, a load, has found what another one loaded, instruction `insn` of a warp that had this slot and was of this
 * CTA, in cycle `at`; and execution says that memory holds something else; what their CTAs wait for by fences and
 * acquires may have ordered them, or not. It is remembered for the report (races.h). */
void reuse_race(const struct axes *ax, const struct uop *u, uint32_t insn, unsigned warp, uint64_t cta, uint64_t at,
		bool ordered);

/* ---- a configuration ---- */
/* Returns what a configuration runs where a launch says k: the variant that shares registers between warps, if the
 * configuration is for that and there is one. */
static inline const struct kernel *rf_config_kernel(const struct rf_config *c, const struct kernel *k)
{
	return c->residency->variant && k->variant ? k->variant : k;
}

/* Returns the banks of an SM's register file. Those for scalars lie behind the others. */
static inline unsigned rf_config_banks(const struct rf_config *c, const struct params *p)
{
	return p->rf_banks + (c->values->scalar_banks ? p->scalar_banks : 0);
}

static inline bool rf_config_renames(const struct rf_config *c) { return c->residency->renames || c->packing->renames; }

/* params.metadata */
enum { METADATA_NONE, METADATA_EVERY_WARP, METADATA_ONCE };
/* Returns how many metadata instructions there are at the start of block b of kernel k. */
static inline unsigned rf_config_block_words(const struct rf_config *c, const struct params *p, const struct kernel *k,
					     uint32_t b)
{
	return p->release_metadata && c->residency->metadata ? c->residency->metadata(k, b) : 0;
}
/* Returns how many metadata instructions lie before those of kernel k. */
static inline unsigned rf_config_preamble(const struct rf_config *c, const struct params *p, const struct kernel *k)
{
	return p->metadata != METADATA_NONE && c->packing->preamble ? c->packing->preamble(k) : 0;
}

#endif

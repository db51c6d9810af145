/* One SM, as its stages share it. Private to this folder and to runtime-model/gpu. A cycle runs the stages
 * last to first (sm.c), so that a stage sees what the one after it left.
 *
 * Sets of warps are 64-bit masks. An instruction in flight is a slot of sm->flight from its issue to its write-back.
 * Time that an SM spends with nothing to do is skipped: a step in which nothing moved asks for the next event
 * (sm_step). */
#ifndef REGLOOM_SM_H
#define REGLOOM_SM_H

#include "analyzer/base/bits.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/core/races.h"
#include "runtime-model/memory/cache.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/job.h"
#include "runtime-model/core/probe.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/memory/network.h"
#include "runtime-model/core/rename.h"

#include <assert.h>
#include <limits.h>

#define NEVER UINT64_MAX
/* Of the few functions that every instruction goes through: a call of each costs a tenth of all it takes. */
#define HOT static inline __attribute__((always_inline))

enum {
	WARPS_MAX = PROBE_WARPS,
	CTAS_MAX = 32,
	BANKS_MAX = PROBE_BANKS,
	UNITS_MAX = 8,
	PIPE_REG_MAX = 8,
	FLIGHTS = UOP_IDS,
	NO_FLIGHT = 0xffff,
	LINES_MAX = 256,      /* payload words of one record */
	FRONT_QUEUE_MAX = 64, /* instructions that wait for a result to be reused */
	WHEEL = 1024,         /* cycles ahead that a result may be scheduled */
	RESPONSES = 4096,
	CTA_BARRIERS = 16, /* of a CTA (PTX ISA, bar) */
	CLUSTER_BARRIER = CTA_BARRIERS,
	BARRIERS,             /* one more for barrier.cluster: a cluster is one CTA */
	SB_WORDS = 5,         /* at most, with a bit for each register of a kernel */
	NO_PIPE = PIPE_COUNT, /* of metadata, and of acquire and release, which enter none */
};

/* ---- the kernel, decoded for timing ---- */
enum kind {
	KIND_ALU,
	KIND_SHARED,
	KIND_CONST,
	KIND_TEXTURE,
	KIND_LOAD,
	KIND_STORE,
	KIND_ATOMIC,
	KIND_GENERIC,
	KIND_BARRIER,
	KIND_FENCE,
	KIND_ACQUIRE,
	KIND_RELEASE
};

struct dinsn {
	struct uop proto; /* all but warp, active, sig */
	/* Guard and predicates included, fixed registers not. */
	uint64_t reads_writes[SB_WORDS], writes[SB_WORDS];
	uint8_t kind, pipe, into; /* into: the pipe that it enters, or NO_PIPE */
	bool bypass_l1, is_store, is_load, is_atomic;
	uint16_t latency, interval;
	uint16_t lanes_at;        /* of the counter of its lanes, in struct stats */
	uint8_t barrier;          /* number */
	uint32_t barrier_threads; /* 0: all of the CTA */
	bool barrier_in_record;   /* both are in registers */
	bool barrier_passes;      /* bar.arrive: the warp does not wait */
	uint8_t fetched;          /* instructions that a fetch of this one brings */
	/* of metadata at the start of a block: what comes behind it, an index; of its first instruction: the first of
	 * these, or 0 */
	uint32_t then, metadata;
	bool of_block;
	uint32_t at;    /* place in the code, in which metadata has places too; of the preamble below 0 */
	uint8_t strand; /* begin[] of the kernel's strands, if the hierarchy relies on them; else 0 */
	uint32_t line;  /* of the instruction cache, that it is in */
	uint8_t src_at[UOP_SRC_MAX], dst_at[UOP_DST_MAX]; /* of each in a record's values, by 32 lanes */
};

/* k decoded: its instructions by index; metadata instructions have indices below 0: those of the preamble, which lie
 * before the kernel, and below these those of its blocks. */
struct code {
	struct dinsn *insn;
	struct dinsn **place; /* by struct dinsn.at */
	uint32_t nplace;      /* of places from 0 on */
};
/* words: metadata instructions at the start of each block. False with a diagnostic: an instruction that the model
 * cannot time. */
bool decode_kernel(const struct kernel *k, const struct params *p, unsigned preamble, const uint32_t *words,
		   struct code *out, struct arena *a, struct diag *d);
/* A move of each general register to itself, by register. */
struct dinsn *decode_moves(const struct params *p, struct arena *a);
/* the highest general register that they name, and one */
unsigned decode_reg_end(const struct dinsn *insn, unsigned n);
/* Numbers the registers that the n instructions name anew and densely, there and in the moves. Returns how many they
 * are. */
unsigned decode_renumber(struct dinsn *insn, unsigned n, struct dinsn *move);
/* The strands of k. Those of its instructions that wait for all long-latency results read bit `owed` of the
 * scoreboard. */
void decode_strands(struct dinsn *insn, const struct kernel *k, unsigned owed);

/* ---- instructions in flight ---- */
struct flight {
	struct uop u;
	const struct dinsn *d;
	cycle issued;
	uint16_t next;   /* in a bucket of the wheel, or the free list */
	uint8_t kind;    /* d->kind, a generic access resolved */
	uint16_t waited; /* cycles that writes have waited for their banks */
	uint8_t verdict; /* enum reuse_verdict */
	/* completed, but an older instruction has not read what it writes, or it has no register to write: its writes
	 * are not listed */
	bool held;
	bool more;               /* completed, and has accesses beside those listed: rounds.c */
	uint16_t linebuf;        /* LSU lines; NO_FLIGHT: none */
	uint16_t nline, line_at; /* lines; the next one to send */
	uint16_t lines_out;      /* sent, not returned; one more while some are unsent */
	uint32_t passes, words;  /* shared and constant: cycles left; different words of shared memory */
	/* writes not granted yet: bits over sm->acc, or over dst if sm->banks says where they are */
	uint64_t acc_left;
};

/* Of an instruction whose sources a hierarchy has been asked for: those that the main register file delivers; accesses
 * that wait in s->acc for its entry into a collector; cycles that its operands from the upper levels take there. */
/* l1, l0: operands from there */
struct asked {
	uint32_t from_main;
	uint8_t extras, port_cycles, l1, l0;
};

/* ring of mask + 1 entries */
struct flight_queue {
	uint16_t *v;
	unsigned head, n, mask;
};

/* ---- warps ---- */
/* In these a warp may lose its place among the active ones. */
#define MAY_DEMOTE (bit(WARP_REGISTERS) | bit(WARP_LONG) | bit(WARP_FENCE) | bit(WARP_BARRIER) | bit(WARP_DRAIN))
/* where a live warp stands; also the order in which they explain an empty slot */
enum warp_state {
	WARP_READY,
	WARP_REGISTERS,
	WARP_SCOREBOARD,
	WARP_MEMORY,
	WARP_LONG,
	WARP_FENCE,
	WARP_BARRIER,
	WARP_FETCH,
	WARP_FLUSH,
	WARP_DRAIN,
	WARP_STATES
};

struct warp {
	uint64_t cta;
	uint8_t cta_slot, in_cta; /* in_cta: its number in the CTA */
	uint8_t state;            /* enum warp_state */
	bool ended;               /* every instruction has issued */
	bool dry;                 /* the record source has stopped */
	bool at_barrier, at_fence;
	bool refused; /* by residency; not asked again before residency_wake() */
	uint8_t barrier;
	uint8_t resolving;       /* cycles that its jump has been held up (hierarchy_ops.branch_cycles) */
	uint8_t pipe, scheduler; /* pipe: of the next instruction, or NO_PIPE */
	uint32_t ibuf_first;     /* what is at ibuf_first .. ibuf_first + ibuf_n - 1 in the code is decoded */
	uint8_t ibuf_n;
	uint32_t fetch_at;   /* place in the code of what is fetched next */
	uint32_t miss_line;  /* instruction line waited for, if in sm->fetch.waits */
	uint32_t missing;    /* Lanes that have no thread. */
	unsigned in_flight;  /* Instructions. */
	unsigned mem_flight; /* Instructions in memory. */
	unsigned stores;     /* Store lines that are not acknowledged. */
	/* 1 + the cycle in which it first tried the acquire that it stands at; 0: it has not. */
	cycle acquiring;
	uint64_t pending[SB_WORDS];      /* Registers with a write outstanding. */
	uint64_t pending_mem[SB_WORDS];  /* Those that the MEM pipeline writes. */
	uint64_t pending_long[SB_WORDS]; /* Those that global, local or texture memory writes. */
	const struct dinsn *next;        /* the next one to issue, unless ended, and its record */
	struct record rec;
};

struct cta {
	bool live;
	uint64_t id;
	unsigned first_warp, left, running; /* warps that have not left the SM; that have not ended */
	uint64_t arrived[BARRIERS];         /* warps that wait at each barrier */
	uint32_t threads[BARRIERS];         /* that the barrier waits for; 0: all that run */
};

/* ---- stages ---- */
/* the collector units of one pipeline, with the registers before and after them */
struct collector_set {
	unsigned units, in, out, id_oc_max, oc_ex_max, last, nid_oc, noc_ex;
	unsigned issue_max;   /* id_oc_max; or, where instructions come from the stages of reuse, no limit */
	uint64_t free, ready; /* units */
	uint16_t id_oc[PIPE_REG_MAX], oc_ex[PIPE_REG_MAX];
};

/* A read in a bank's queue is one word: its unit, as in sm->read.unit, its access, and the low bits of the cycle in
 * which it was queued. */
#define READ_WORD(unit, acc, at) ((uint64_t)(at) << 32 | (uint64_t)(acc) << 8 | (unit))
#define READ_UNIT(r) ((unsigned)((r)&255))
#define READ_ACC(r) ((unsigned)((r) >> 8 & 255))
#define READ_AT(r) ((uint32_t)((r) >> 32))
struct bank_queue {
	uint64_t *v;
	unsigned head, n, mask;
};
#define NO_BANK UINT16_MAX
/* not in its queue before its READ_AT; NO_BANK: the upper levels have delivered then */
struct late_read {
	uint64_t read;
	uint16_t bank;
};

/* of one line on its way */
struct mshr {
	uint8_t n;
	uint16_t waiter[32];
	uint32_t next_free;
	struct cache_line *tag;
};

enum response_kind {
	RESPONSE_FILL,
	RESPONSE_DIRECT,
	RESPONSE_ACK,
	RESPONSE_CODE,
	RESPONSE_CONST,
	RESPONSE_TEX,
	RESPONSE_START, /* of no request: a warp may fetch its first instruction */
	RESPONSE_NONE
};
/* A packet of an SM to the memory system. `made` and the SM give its place among all; the response waits for its
 * cycle. */
struct request {
	cycle made, at;
	uint64_t line;
	uint8_t kind, sectors;
	struct response reply;
};

struct line_done {
	cycle at;
	uint16_t flight;
};

/* sectors of the two constant lines in one of 128 bytes */
enum { CONST_WAITERS = 32, CONST_LOW = 3, CONST_HIGH = 12 };
/* n 0: free */
struct const_miss {
	uint64_t line;
	unsigned n;
	uint16_t waiter[CONST_WAITERS];
};
/* delivered from `at` on, if the line is there */
struct tex_access {
	cycle at;
	uint16_t flight;
	bool there;
};

/* ---- what each stage keeps ---- */
struct fetch_stage {
	struct cache icache;
	uint64_t ready; /* Warps that may fetch. */
	uint64_t waits; /* Warps that wait for a line of instructions. */
	unsigned last;  /* The warp that fetched last. */
	/* What was fetched in the last cycle and is decoded in this one. */
	struct {
		bool valid;
		unsigned warp;
		uint32_t first;
		uint8_t n;
	} fetched;
};

/* Collector units and the banks' queues. */
struct read_stage {
	struct collector_set set[PIPE_COUNT];
	unsigned pool_turn;               /* The pipeline that comes first where pipelines share units. */
	uint16_t unit[PIPE_COUNT * 64];   /* The flight in each collector unit; pipeline p has those from 64 p on. */
	uint8_t reading[PIPE_COUNT * 64]; /* The reads of each unit that have not been granted. */
	struct bank_queue bank[BANKS_MAX];
	struct late_read *late; /* There is room for as many as a bank's queue holds. */
	unsigned nlate;
	uint32_t queued;   /* Banks with accesses that wait. */
	uint32_t taken[2]; /* Banks whose port, or whose read and whose write port, has been used in this cycle. */
};

/* Units, results that come, and their way into the banks. */
struct execute_stage {
	cycle unit_free[PIPE_COUNT][UNITS_MAX];
	uint16_t wheel[WHEEL]; /* The first flight that completes in each cycle to come. */
	uint8_t bus[WHEEL];    /* Results of SP and SFU in each cycle to come. */
	uint64_t wheel_used[WHEEL / 64];
	struct flight_queue writeback; /* Completed, but not all of their registers are written. */
	unsigned packers;              /* Packers without a write in this cycle; UINT_MAX: none are needed. */
	uint64_t held;       /* Warps that a hazard of the hierarchy has refused until one of its values comes. */
	uint64_t flushing;   /* Warps whose suspension has accesses left. */
	struct extra *flush; /* Those accesses, by warp. */
};

/* The load-store unit and the L1. */
struct memory_stage {
	uint16_t flight;   /* Its lines are being sent. */
	cycle from;        /* Its lines' addresses are known from here on. */
	cycle blocked;     /* It has been retrying since then; NEVER: it does not. */
	uint64_t *linebuf; /* Buffers of LINES_MAX words. */
	uint16_t free_linebuf[64 + 2 * PIPE_REG_MAX + 1 + SCHEDULERS_MAX * FRONT_MAX + FRONT_QUEUE_MAX];
	unsigned nfree_linebuf;
	struct cache l1;
	struct mshr *mshr;
	uint32_t free_mshr;
	struct line_done hit[512]; /* A ring of L1 hits on their way, in order. */
	unsigned hit_head, nhit;
	struct flight_queue filled; /* Lines that have come; one returns in a cycle. */
};

/* The constant and texture caches. */
struct read_only_stage {
	struct cache constants, textures;
	struct const_miss *const_miss;
	struct tex_access *tex; /* A ring of params.tex_queue accesses. */
	unsigned tex_head, ntex;
};

/* The port to the interconnect. */
struct port_stage {
	cycle depart[64]; /* A ring: when each of the last params.l1_queue packets left. */
	unsigned ndepart;
	cycle free;            /* When the link is free. */
	struct response *heap; /* Responses on their way, the first one on top. */
	unsigned nheap;
	uint32_t order;         /* Of responses that come in the same cycle. */
	struct request *outbox; /* Requests of this quantum, which the memory system has not seen. */
	unsigned nout;
	unsigned away; /* Requests that it has seen and not answered. */
};

/* CTAs that come, and how the launch ends for this SM. */
struct dispatch_stage {
	uint64_t age;      /* Warps launched so far. */
	cycle next_launch; /* No CTA comes before. */
	/* When it can be offered a CTA.  NEVER: when one ends, or when registers are freed and the last one that it was
	 * offered was refused for want of them. */
	cycle open;
	bool refused;
	bool failed; /* The record source has failed, an operand is wrong, or there is a fault. */
	struct fault {
		bool there;
		cycle at;
		unsigned warp, reg;
		uint32_t insn;
		const char *bug; /* What contradicts an axis, in words; NULL: an extended register was not held. */
	} fault;
	bool dry;    /* The record source has no more for some warp; the launch stops behind this quantum. */
	cycle ended; /* When its last CTA ended. */
};

/* What somebody watches. */
struct watch_stage {
	unsigned want;           /* PROBE(kind) | ... */
	cycle sample_at;         /* The next end of an interval. */
	struct probe_wait *wait; /* By warp: what it does since when; NULL: nobody asks. */
};

struct slot_use {
	enum stall why;
	uint16_t warp;
	uint32_t insn;
	uint64_t cta;
};

/* The operands of one instruction in checked mode. */
struct uop_values {
	uint32_t src[UOP_SRC_MAX][WARP_LANES], dst[UOP_DST_MAX][WARP_LANES];
};

struct sm {
	struct sm_shared *g;
	const struct params *p;
	unsigned id;
	struct stats st;
	struct axes ax;

	/* Time. */
	cycle now;        /* Of the last step, or of the last CTA launched. */
	cycle wake;       /* The next step. */
	cycle progressed; /* The last cycle in which an instruction issued or finished. */
	cycle accounted;  /* Slots and residency are counted up to here. */
	bool moved;       /* Something has changed in this step. */
	cycle timed;      /* The earliest cycle at which a resource frees itself; found anew in each step. */

	/* The kernel. */
	const struct dinsn *dinsn; /* sm_shared.code.insn; sb_words and ninsn are as there. */
	unsigned sb_words, ninsn;
	uint32_t first_insn; /* Where a warp starts: 0, or the first of the preamble. */
	/* If strands wait: a bit of the scoreboard that is set as long as another one in pending_long is, and until
	 * somebody looks; else 0. */
	unsigned owed_word;
	uint64_t owed_bit;

	/* Warps, and their schedulers (schedule.c). */
	struct warp warp[WARPS_MAX];
	struct cta cta[CTAS_MAX];
	unsigned ctas;  /* Resident ones. */
	unsigned nlive; /* How many warps are in `live`. */
	uint64_t live, in_state[WARP_STATES], sched_warps[SCHEDULERS_MAX];
	uint64_t next_in[NO_PIPE + 1];        /* Warps by the pipe of their next instruction. */
	struct slot_use slot[SCHEDULERS_MAX]; /* What became of each slot in the last cycle. */
	unsigned turn;                        /* Schedulers that have begun their turn in this cycle. */
	bool asked; /* Some axis beside issue has a say in an instruction's issue, or wants what it writes. */
	bool picks; /* Issue picks its warps one by one, into the collectors, and nobody watches the others. */

	/* Instructions in flight. */
	struct flight *flight;
	uint16_t free_flight; /* The first of those that have flown. */
	unsigned flights;     /* How many there are. */
	unsigned fresh;       /* The first that never was: it and those behind it hold nothing. */
	unsigned deeper; /* Cycles that axes add to a pipeline, and to a memory instruction that writes registers. */
	unsigned depth;  /* Cycles of a pipeline beside the latency of its unit, those included. */
	/* The instruction whose results, or the store whose acknowledgement, are being dealt with. */
	uint32_t released;
	/* Where each operand is, if each is one access and no axis looks at it; NULL: the accesses of each flight in
	 * the stage where it is are in acc. */
	const struct banks *banks;
	struct bank_access (*acc)[ACCESS_MAX];
	struct value_sig *sig;     /* UOP_DST_MAX for each flight; NULL: nobody wants them. */
	struct asked *from_levels; /* By flight; NULL: no hierarchy has a say in what is read. */
	/* Under a reuse that renames, else NULL: the stages in front, and what is in acc of a flight that has its
	 * results; and races of loads. */
	struct front *front;
	struct reuse_round *round;
	struct races *races;
	struct checked *checked; /* In checked mode, else NULL, as the next. */
	struct uop_values *val;

	struct fetch_stage fetch;
	struct read_stage read;
	struct execute_stage exec;
	struct memory_stage mem;
	struct read_only_stage ro;
	struct port_stage port;
	struct dispatch_stage take;
	struct watch_stage watch;
};

/* The bank of each register of each warp that the kernel names, where it is always the same. */
struct banks {
	uint8_t of[WARPS_MAX][256];
};

/* What the SMs of a launch share. */
struct sm_shared {
	const struct gpu_job *job;
	const struct params *p;
	const struct rf_config *rf;
	const char *rf_name; /* for people */
	unsigned records;    /* enum record_want, of the configuration */
	const struct kernel *k;
	unsigned preamble; /* metadata instructions before those of the kernel */
	struct code code;
	struct dinsn *move;
	uint64_t code_line;  /* of its kernel, of the lines of instructions */
	unsigned sb_words;   /* that they use of SB_WORDS */
	unsigned owed;       /* bit of the scoreboard; UINT_MAX: none */
	unsigned reg_end;    /* the highest register that they name, and one */
	struct banks *banks; /* the SMs'; NULL: see there */
	unsigned max_ctas, warps_per_cta;
	struct arena a;
	struct diag *diag;
};

/* sm.c */
bool sm_init(struct sm *s, struct sm_shared *g, unsigned id);
/* Goes on to cycle `end`; if CTAs remain (more), only to where it can take one; and not without warps: whether the
 * launch goes on is known when the SM is offered the next CTA, and what came meanwhile is dealt with then. Returns how
 * many cycles it stepped. */
bool sm_can_run(const struct sm *s, cycle end, bool more);
unsigned sm_run(struct sm *s, cycle end, bool more);
void sm_account(struct sm *s, cycle upto);
uint64_t sm_unstarted(const struct sm *s); /* instructions between their issue and their pipeline */
/* At cycle `now`, which the SM has come to, or has slept to without warps. False: no room. */
bool sm_start_cta(struct sm *s, uint64_t id, cycle now);

/* levels.c: the hierarchy axis */
bool levels_hazard(const struct sm *s, const struct uop *u); /* u must not issue yet */
void levels_issue(struct sm *s, unsigned flight);            /* it issues, and reads its upper levels */
void levels_tell(struct sm *s, unsigned flight);             /* the watchers, of an instruction that has issued */
bool levels_keep_place(const struct sm *s, unsigned w);      /* it waits in its new state, and must not be demoted */
void levels_suspend(struct sm *s, unsigned w);               /* it waits in its new state, and is demoted */

/* front.c: the stages before the collectors, and rounds.c: what results write, if s->front */
struct front *front_new(const struct sm *s, struct arena *a);
unsigned front_capacity(const struct sm *s); /* instructions in it, at most */
uint64_t front_held(const struct sm *s);     /* in it now */
bool front_room(const struct sm *s, unsigned scheduler);
/* the oldest in the stages of a scheduler, or NO_FLIGHT */
unsigned front_first(const struct sm *s, unsigned scheduler);
bool front_waits(const struct sm *s, unsigned flight); /* in the retry queue */
void front_enter(struct sm *s, unsigned flight);
void front_step(struct sm *s);
void front_idle(struct sm *s, cycle n);          /* n cycles in which nothing happened */
void rounds_next(struct sm *s, unsigned flight); /* f->held, f->more and f->acc_left say what there is to do */
void rounds_retire(struct sm *s, unsigned flight);

/* the other stages */
void fetch_step(struct sm *s, cycle now);
void fetch_flush(struct sm *s);
void fetch_filled(struct sm *s, uint32_t line);
void schedule_step(struct sm *s, cycle now);
void collect_step(struct sm *s, cycle now);
void execute_step(struct sm *s, cycle now);
void writeback_step(struct sm *s, cycle now);
void complete_now(struct sm *s, unsigned f);
cycle wheel_next(const struct sm *s, cycle now); /* next cycle after now with a completion, or NEVER */
/* Sends a packet if the port's queue has room. id, line: handed back with the response. */
bool lsu_send(struct sm *s, cycle now, enum memory_kind kind, uint64_t line, unsigned sectors, enum response_kind rk,
	      unsigned id);
void lsu_starts(struct sm *s, unsigned w, cycle at);       /* a warp that has come fetches from there on */
void lsu_answered(struct sm *s, const struct response *r); /* a reply will be there at r->at */
/* a line is on its way, or there; tells, and is always true */
bool lsu_sent(struct sm *s, unsigned flight, enum probe_line how);
void lsu_init(struct sm *s, struct arena *a);
void lsu_step(struct sm *s, cycle now);
void lsu_responses(struct sm *s, cycle now);
cycle lsu_next(const struct sm *s, cycle now);

/* read_only.c: constant and texture caches. A read that returns false must be tried again. */
void read_only_init(struct sm *s, struct arena *a);
/* The lines of the constant banks that r touches, as words of one line of 64 bytes each: `lines` words of r, or what
 * its word of passes says. */
unsigned const_take_lines(const struct record *r, unsigned lines, uint64_t out[]);
bool const_read(struct sm *s, unsigned flight, uint64_t word, cycle now);
void const_filled(struct sm *s, unsigned id);
bool tex_read(struct sm *s, unsigned flight, uint64_t line, cycle now);
bool tex_done(struct sm *s, cycle now, unsigned *flight); /* the next access to leave the queue */
cycle tex_next(const struct sm *s);

/* probe.c: tell the watchers, if probing() */
void probe_flight(struct sm *s, enum probe_kind kind, unsigned n, unsigned where, uint64_t count);
void probe_issue(struct sm *s, unsigned n);
void probe_warp(struct sm *s, enum probe_kind kind, unsigned w, uint32_t insn, uint64_t count);
void probe_state(struct sm *s, unsigned w, enum stall why);
void probe_slot(struct sm *s, unsigned scheduler, cycle from, uint64_t count);
void probe_access(struct sm *s, unsigned w, uint32_t insn, const struct bank_access *a, uint64_t waited);
void probe_tell(const struct sm *s, const struct probe_event *e);
void probe_sample_sm(struct sm *s); /* at the ends of intervals that have been reached */
static inline bool probing(const struct sm *s, enum probe_kind kind) { return s->watch.want >> kind & 1; }

/* probe_wait.c: what each warp does in each cycle, if s->watch.wait; and the instruction that it stands at */
struct probe_wait *probe_wait_new(struct arena *a);
void probe_wait_start(struct sm *s, unsigned w);
void probe_wait_state(struct sm *s, unsigned w, enum warp_state from); /* it was in this state until now */
void probe_wait_leave(struct sm *s, unsigned w);
void probe_wait_all(struct sm *s);                          /* of the warps that are left, up to s->accounted */
void probe_issued(struct sm *s, unsigned w);                /* it issues in this cycle, */
void probe_next(struct sm *s, unsigned w, uint32_t issued); /* and stands at its next instruction now */
void probe_refused(struct sm *s, unsigned w, enum stall why);
void probe_idle(struct sm *s, cycle n); /* all refusals stood for n cycles more */
uint32_t probe_insn(const struct sm *s, unsigned w);
enum stall state_stall(enum warp_state st); /* schedule.c */

/* checked.c: what the data path carries, if s->checked */
struct checked *checked_new(const struct axis_ctx *cx);
void checked_issue(struct sm *s, unsigned flight);
/* the upper levels have delivered what they have of its sources */
void checked_latched(struct sm *s, unsigned flight);
void checked_levels(struct sm *s, const struct uop *u, uint32_t dsts); /* these results went there alone */
void checked_no_strand(struct sm *s, unsigned warp);                   /* it is demoted in the middle of a strand */
/* the main register file has the bytes; should have; was not asked */
enum read_from { READ_STORED, READ_NOTHING, READ_ELSEWHERE };
/* a: the access, of what is stored. */
void checked_read(struct sm *s, unsigned flight, uint32_t sources, enum read_from from, const struct bank_access *a);
/* its write has been granted */
void checked_store(struct sm *s, const struct uop *u, const struct bank_access *a, unsigned dst);
/* under a reuse that renames: access n of its round has been granted */
void checked_access(struct sm *s, unsigned flight, unsigned n);
/* likewise: its destinations are mapped to where its results are */
void checked_mapped(struct sm *s, unsigned flight);
void checked_done(struct sm *s, const struct uop *u); /* all its writes have, or there were none */
void checked_release(struct sm *s, unsigned warp);    /* it has given its extended set up: what is there is dead */
void checked_warp_exit(struct sm *s, unsigned warp);
void checked_sum(const struct sm *s, struct checked_sums *into);
/* the first wrong operand of the n SMs, if there is one; always false */
bool checked_report(const struct sm *sm, unsigned n);

static inline void queue_init(struct flight_queue *q, unsigned entries, struct arena *a)
{
	for (q->mask = 1; q->mask + 1 < entries; q->mask = q->mask * 2 + 1)
		;
	q->v = new_array_raw(a, uint16_t, q->mask + 1);
}

/* The first member of m after `last`, or the first of all if none follows. m is not empty; last: 0..63. */
static inline unsigned round_robin(uint64_t m, unsigned last)
{
	uint64_t after = m & ~(uint64_t)1 << last;

	return (unsigned)__builtin_ctzll(after ? after : m);
}

static inline void queue_push(struct flight_queue *q, unsigned f)
{
	assert(q->n <= q->mask);
	q->v[(q->head + q->n++) & q->mask] = (uint16_t)f;
}

static inline unsigned queue_pop(struct flight_queue *q)
{
	unsigned f = q->v[q->head];

	q->head = --q->n ? (q->head + 1) & q->mask : 0; /* an empty one begins anew, where the cache has it */
	return f;
}

/* A CTA may be offered from the next cycle on. */
static inline void sm_open(struct sm *s)
{
	s->take.open = s->now + 1 > s->take.next_launch ? s->now + 1 : s->take.next_launch;
	s->take.refused = false;
}

static inline void registers_freed(struct sm *s)
{
	if (s->take.refused)
		sm_open(s);
}

/* Flight f completes in that cycle, its result on the bus or not. */
static inline void complete_at(struct sm *s, unsigned f, cycle at, bool result_bus)
{
	unsigned b = (unsigned)(at % WHEEL);

	assert(at - s->now - 1 < WHEEL - 1);
	s->flight[f].next = s->exec.wheel[b];
	s->exec.wheel[b] = (uint16_t)f;
	s->exec.wheel_used[b / 64] |= bit(b % 64);
	s->exec.bus[b] = (uint8_t)(s->exec.bus[b] + result_bus);
}

/* The physical register that a warp's architected one is in now; 0 where a renaming table says so. */
static inline unsigned physical(const struct sm *s, unsigned warp, unsigned reg)
{
	return s->ax.rename ? 0 : s->ax.rf->residency->map(s->ax.residency, warp, reg);
}

static inline unsigned lanes_in(uint32_t mask) { return mask == UINT32_MAX ? 32 : (unsigned)__builtin_popcount(mask); }

static inline unsigned executed_lanes(const struct sm *s, const struct uop *u)
{
	return s->ax.rf->values->lanes ? s->ax.rf->values->lanes(s->ax.values, u) : lanes_in(u->active);
}

/* Flight f enters its unit. */
static inline void count_lanes(struct sm *s, const struct flight *f)
{
	const unsigned n = executed_lanes(s, &f->u);

	s->st.executed_lanes += n;
	*(uint64_t *)(void *)((char *)&s->st + f->d->lanes_at) += n;
}

/* These sources of flight n, u.src[i] for bit i, have been read, or will not be. */
static inline void sources_read(struct sm *s, unsigned n, uint32_t sources, enum read_from from,
				const struct bank_access *a)
{
	const struct uop *u = &s->flight[n].u;

	if (s->checked)
		checked_read(s, n, sources, from, a);
	if (from != READ_ELSEWHERE && sources && s->ax.rf->hierarchy->filled) {
		s->ax.rf->hierarchy->filled(s->ax.hierarchy, u, sources);
		s->exec.held &= ~bit(u->warp);
	}
	if (s->front && sources)
		s->ax.rf->reuse->sources_read(s->ax.reuse, u, sources);
	for (; s->ax.rename && sources; sources &= sources - 1)
		rename_read(s->ax.rename, u->warp, u->src[__builtin_ctz(sources)]);
}

static inline uint32_t all_sources(const struct uop *u) { return (uint32_t)(((uint64_t)1 << u->nsrc) - 1); }

/* u has read its operands, or will not. */
static inline void operands_read(struct sm *s, const struct uop *u)
{
	if (!s->ax.rf->residency->read_done)
		return;
	s->ax.rf->residency->read_done(s->ax.residency, u);
	registers_freed(s);
}

static inline void count_reads(struct sm *s, unsigned n, unsigned arrays)
{
	s->st.rf_reads += n;
	s->st.rf_read_arrays += arrays;
}

static inline void count_write(struct sm *s, unsigned arrays)
{
	s->st.rf_writes++;
	s->st.rf_write_arrays += arrays;
}

static inline const struct dinsn *insn_at(const struct sm *s, uint32_t insn) { return &s->dinsn[(int32_t)insn]; }

static inline struct issue *issue_of(const struct sm *s, unsigned w) { return s->ax.issue[s->warp[w].scheduler]; }

#endif

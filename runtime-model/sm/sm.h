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
#include "runtime-model/core/job.h"
#include "runtime-model/core/probe.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/memory/network.h"
#include "runtime-model/core/rename.h"
#include "runtime-model/sm/code.h"

#include <assert.h>
#include <limits.h>

#define NEVER UINT64_MAX
/* Marks the few functions that every instruction goes through. They are inlined, since a call of one costs an
 * instruction a tenth of its whole time. */
#define HOT static inline __attribute__((always_inline))
/* Marks functions that few instructions go through, in stages that all go through. They are not inlined, since the
 * registers that they need would then be saved for every instruction. */
#define RARE static __attribute__((noinline))

enum {
	WARPS_MAX = PROBE_WARPS,
	CTAS_MAX = 32,
	BANKS_MAX = PROBE_BANKS,
	UNITS_MAX = 8,
	PIPE_REG_MAX = 8,
	FLIGHTS = UOP_IDS,
	NO_FLIGHT = 0xffff,
	LINES_MAX = 256,      /* The payload words of one record, at most. */
	FRONT_QUEUE_MAX = 64, /* Instructions that wait for a result to be reused. */
	WHEEL = 1024,         /* A result is scheduled fewer cycles ahead than this. */
	RESPONSES = 4096,
	LINE_WAITERS = FLIGHTS * 8, /* Under params.core 1: flights that wait for sectors, each for each. */
};

/* ---- instructions in flight ---- */
/* Of a copy to shared memory, and of what groups copies: it waits for all that were raised before it, in whatever order
 * they come. */
struct copy_group {
	uint16_t number; /* So many groups of its warp were raised before it. */
	uint16_t left;   /* It waits for so many copies. */
	uint16_t next;   /* The next older group of its warp that waits, or NO_FLIGHT. */
};

/* What a flight has beside that on a core of sub-cores (subcore.h). */
struct sub_flight {
	const struct sub_insn *insn;
	cycle entered;     /* When it came to the control stage. */
	cycle due;         /* Of fixed latency, when its result is written; in memory, when its result comes. */
	cycle listed_at;   /* Since when its accesses are known; */
	uint64_t accesses; /* those that have had no port yet; */
	uint8_t naccess;   /* how many there are; NOT_LISTED: not known yet. */
	bool reads_late;   /* Its sources are read when its result comes. */
	bool extended;     /* It writes a register of its warp's extended set. */
	struct copy_group group;
};

struct flight {
	struct uop u;
	const struct dinsn *d;
	cycle issued;
	uint16_t next;   /* The next flight in its bucket of the wheel, or in the free list. */
	uint8_t kind;    /* d->kind, or the kind of space that a generic access has been found to be in. */
	uint16_t waited; /* Its writes have waited so many cycles for their banks. */
	uint8_t verdict; /* enum reuse_verdict */
	/* It has completed, but its writes are not listed: an older instruction has not read what they overwrite, or
	   there is no register for them. */
	bool held;
	bool more;          /* It has completed, and has accesses beside those that are listed (rounds.c). */
	uint16_t linebuf;   /* The buffer with its lines; NO_FLIGHT: it has none. */
	uint16_t nline;     /* It has so many lines. */
	uint16_t line_at;   /* The next line to send. */
	uint16_t lines_out; /* Lines that were sent and have not returned, and one more while some are unsent. */
	uint32_t passes;    /* Cycles that an access of shared memory or constants has left. */
	uint32_t words;     /* The different words of shared memory that it wants. */
	/* Writes that have not been granted: bits over sm->acc, or over dst if sm->banks says where they are. */
	uint64_t acc_left;
	struct sub_flight sub;
};

/* What a hierarchy has answered of the sources of an instruction. */
struct asked {
	uint32_t from_main;  /* The main register file delivers these. */
	uint8_t extras;      /* So many accesses wait in sm->acc until it enters a collector. */
	uint8_t port_cycles; /* Its operands from the upper levels take so many cycles in the collector. */
	uint8_t l1, l0;      /* So many operands come from L1, and from L0. */
};

/* A ring of mask + 1 entries. */
struct flight_queue {
	uint16_t *v;
	unsigned head, n, mask;
};

/* ---- warps ---- */
/* In these states a warp may lose its place among the active ones. */
#define MAY_DEMOTE (bit(WARP_REGISTERS) | bit(WARP_LONG) | bit(WARP_FENCE) | bit(WARP_BARRIER) | bit(WARP_DRAIN))
/* In these a warp has its next instruction, and what it waits for is known by the codes of that, or by a scoreboard; */
#define HAS_NEXT                                                                                                \
	(bit(WARP_READY) | bit(WARP_REGISTERS) | bit(WARP_CONSTANT) | bit(WARP_SCOREBOARD) | bit(WARP_MEMORY) | \
	 bit(WARP_LONG))
/* in these it waits for other instructions. */
#define WAITS_FOR_OTHERS (bit(WARP_SCOREBOARD) | bit(WARP_MEMORY) | bit(WARP_LONG))
/* Where a live warp stands. An empty slot is explained by the states in this order. */
enum warp_state {
	WARP_READY,
	WARP_REGISTERS,
	WARP_WAIT,     /* The stall count of its last instruction. */
	WARP_CONSTANT, /* A constant operand. */
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
	uint8_t cta_slot;
	uint8_t in_cta; /* Its number in the CTA. */
	uint8_t state;  /* enum warp_state */
	union {
		struct {
			bool ended; /* Every instruction of it has issued. */
			bool dry;   /* The record source has stopped. */
			bool at_barrier, at_fence;
		};
		uint32_t stands; /* Not 0: one of these is so. */
	};
	bool near_fence; /* The fence that it is at waits for no store to be acknowledged: see subcore_near_fence(). */
	bool refused;    /* Residency has refused it, and is not asked again before residency_wake(). */
	uint8_t barrier;
	uint8_t resolving; /* Its jump has been held up for so many cycles (hierarchy_ops.branch_cycles). */
	uint8_t pipe;      /* The pipe of its next instruction, or NO_PIPE. */
	uint8_t scheduler;
	uint32_t ibuf_first; /* The place in the code of the first of its decoded instructions. */
	uint8_t ibuf_n;      /* So many of its instructions are decoded. */
	uint32_t fetch_at;   /* The place in the code of what is fetched next. */
	uint32_t miss_line;  /* The line of instructions that it waits for, if it is in sm->fetch.waits. */
	uint32_t missing;    /* The lanes that have no thread. */
	unsigned in_flight;  /* Instructions. */
	unsigned mem_flight; /* Instructions in memory. */
	unsigned stores;     /* Store lines that are not acknowledged. */
	/* 1 + the cycle in which it first tried the acquire that it stands at; 0: it has not. */
	cycle acquiring;
	const struct dinsn *next;        /* The next instruction to issue, unless it has ended. */
	struct record rec;               /* The record of that instruction. */
	bool holds;                      /* With sm->point: the extended set. */
	uint64_t pending[SB_WORDS];      /* Registers with a write outstanding. */
	uint64_t pending_mem[SB_WORDS];  /* Those that the MEM pipeline writes. */
	uint64_t pending_long[SB_WORDS]; /* Those that global, local or texture memory writes. */
};

struct cta {
	bool live;
	uint64_t id;
	unsigned first_warp;
	unsigned left;              /* Warps that have not left the SM. */
	unsigned running;           /* Warps that have not ended. */
	uint64_t arrived[BARRIERS]; /* The warps that wait at each barrier. */
	uint32_t threads[BARRIERS]; /* How many threads each barrier waits for; 0: for all that run. */
};

/* ---- stages ---- */
/* The collector units of one pipeline, with the pipeline registers before and behind them. */
struct collector_set {
	unsigned units, in, out, id_oc_max, oc_ex_max, last, nid_oc, noc_ex;
	unsigned issue_max;   /* id_oc_max; no limit where instructions come from the stages of reuse. */
	uint64_t free, ready; /* Sets of units. */
	uint16_t id_oc[PIPE_REG_MAX], oc_ex[PIPE_REG_MAX];
};

/* A read in a bank's queue is one word. It has the read's unit, as in sm->read.unit, its access, and the low bits of
 * the cycle in which it was queued. */
#define READ_WORD(unit, acc, at) ((uint64_t)(at) << 32 | (uint64_t)(acc) << 8 | (unit))
#define READ_UNIT(r) ((unsigned)((r)&255))
#define READ_ACC(r) ((unsigned)((r) >> 8 & 255))
#define READ_AT(r) ((uint32_t)((r) >> 32))
struct bank_queue {
	uint64_t *v;
	unsigned head, n, mask;
};
#define NO_BANK UINT16_MAX
/* A read that is not in its queue before its READ_AT. */
struct late_read {
	uint64_t read;
	uint16_t bank; /* NO_BANK: the upper levels have delivered at READ_AT. */
};

/* One line on its way, and the flights that wait for it. */
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

/* CONST_LOW and CONST_HIGH are the sectors of the two constant lines in one line of 128 bytes. */
enum { CONST_WAITERS = 32, CONST_LOW = 3, CONST_HIGH = 12 };
struct const_miss {
	uint64_t line;
	unsigned n; /* So many flights wait; 0: this one is free. */
	uint16_t waiter[CONST_WAITERS];
};
struct tex_access {
	cycle at; /* It is delivered from this cycle on, if the line is there. */
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

/* What the slots of a scheduler go to until it is asked again. */
struct slot_use {
	enum stall why;
	uint16_t warp;
	uint32_t insn;
	uint64_t cta;
	cycle from; /* Slots before this cycle are counted. */
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
	uint64_t next_in[NO_PIPE + 1]; /* Warps by the pipe of their next instruction. */
	struct slot_use slot[SCHEDULERS_MAX];
	unsigned awake; /* Of a core of sub-cores, those whose slots may go to something else now, as bits. */
	unsigned turn;  /* Schedulers that have begun their turn in this cycle. */
	/* Of machine code whose warps share registers, else NULL: by instruction, whether the extended set is held; and
	   by warp, the acquire or release before its next instruction. */
	const uint8_t *hold;
	struct dinsn *point;
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
	const struct bank_map *banks;
	struct bank_access (*acc)[ACCESS_MAX];
	struct value_sig *sig;     /* UOP_DST_MAX for each flight; NULL: nobody wants them. */
	struct asked *from_levels; /* By flight; NULL: no hierarchy has a say in what is read. */
	/* Under a reuse that renames, else NULL: the stages in front, and what is in acc of a flight that has its
	 * results; and races of loads. */
	struct front *front;
	struct subcore *sub; /* Under params.core 1, else NULL: what its sub-cores have in place of those stages. */
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
struct bank_map {
	uint8_t of[WARPS_MAX][256];
};

/* What sub-cores have of a kernel. */
struct sub_insn;
struct sub_ways;
struct sub_code {
	struct sub_insn *insn;       /* Of each instruction. */
	const struct sub_ways *ways; /* Under a scoreboard. */
};

/* What the SMs of a launch share. */
struct sm_shared {
	const struct gpu_job *job;
	const struct params *p;
	const struct rf_config *rf;
	const char *rf_name; /* The configuration's name, for people. */
	unsigned records;    /* What the configuration wants of records (enum record_want). */
	const struct kernel *k;
	unsigned preamble; /* So many metadata instructions lie before those of the kernel. */
	struct code code;
	struct dinsn *move;       /* By register. */
	struct sub_code sub_code; /* Under params.core 1. */
	uint64_t code_line;       /* The first line of the kernel's code. */
	unsigned sb_words;        /* The words of a scoreboard that the instructions use. */
	unsigned owed;            /* The bit of the scoreboard that decode_strands() reads; UINT_MAX: none. */
	unsigned reg_end;         /* One more than the highest register that the instructions name. */
	struct bank_map *banks;   /* What the SMs have as `banks`, or NULL. */
	unsigned max_ctas, warps_per_cta;
	struct arena a;
	struct diag *diag;
};

/* sm.c */
bool sm_init(struct sm *s, struct sm_shared *g, unsigned id);
/* Runs up to cycle `end`. If CTAs remain (more), it stops where the SM can take one. It does not run without warps:
 * whether the launch goes on is known when the SM is offered the next CTA, and what came meanwhile is dealt with then.
 * Returns how many cycles it stepped. */
bool sm_can_run(const struct sm *s, cycle end, bool more);
unsigned sm_run(struct sm *s, cycle end, bool more);
void sm_account(struct sm *s, cycle upto);
uint64_t sm_unstarted(const struct sm *s); /* Counts instructions between their issue and their pipeline. */
/* Starts a CTA at cycle `now`, which the SM has come to, or has slept to without warps. False: there is no room. */
bool sm_start_cta(struct sm *s, uint64_t id, cycle now);

/* levels.c: the hierarchy axis */
bool levels_hazard(const struct sm *s, const struct uop *u); /* True: u must not issue yet. */
void levels_issue(struct sm *s, unsigned flight);            /* The instruction issues, and reads its upper levels. */
void levels_tell(struct sm *s, unsigned flight);             /* Tells the watchers of an instruction that has issued. */
bool levels_keep_place(const struct sm *s, unsigned w); /* True: w waits in its new state and must not be demoted. */
void levels_suspend(struct sm *s, unsigned w);          /* Warp w waits in its new state, and is demoted. */

/* front.c: the stages before the collectors, and rounds.c: what results write, if s->front */
struct front *front_new(const struct sm *s, struct arena *a);
unsigned front_capacity(const struct sm *s); /* The instructions that it holds, at most. */
uint64_t front_held(const struct sm *s);     /* The instructions that it holds now. */
bool front_room(const struct sm *s, unsigned scheduler);
/* Returns the oldest instruction in the stages of a scheduler, or NO_FLIGHT. */
unsigned front_first(const struct sm *s, unsigned scheduler);
bool front_waits(const struct sm *s, unsigned flight); /* True: it is in the retry queue. */
/* Loads of the warp are in the front, or in its queue, if it has one: they may yet be executed. */
bool front_has_load(const struct sm *s, unsigned warp);
void front_enter(struct sm *s, unsigned flight);
void front_step(struct sm *s);
void front_idle(struct sm *s, cycle n);          /* Nothing has happened for n cycles. */
void rounds_next(struct sm *s, unsigned flight); /* f->held, f->more and f->acc_left say then what is left. */
void rounds_retire(struct sm *s, unsigned flight);

/* collector.c, execute.c, for both cores: the accesses of flight n's reads, of these sources alone, and of its
 * writes, as the axes have them, in s->acc; returns how many. */
unsigned list_reads(struct sm *s, unsigned n, uint32_t among);
unsigned list_writes(struct sm *s, unsigned n);

/* schedule.c, for both cores: warp w's next instruction issues, into a pipeline or into none. False with *why: not now,
 * and nothing has changed. */
bool try_issue(struct sm *s, unsigned w, cycle now, enum stall *why);
bool issue_without_pipe(struct sm *s, unsigned w, cycle now, enum stall *why);
void issue_fault(struct sm *s, const struct uop *u, const char *wrong); /* The launch fails: a bug, in words. */
void issue_refused(struct sm *s, unsigned w); /* Warp w, which has tried, may wait for registers from now on. */
/* Why a scheduler without a ready warp has none: the state of the warp that came closest, and that warp. */
enum stall issue_explain(const struct sm *s, uint64_t mine, unsigned *warp);
/* Tells the watchers what a scheduler's slot went to; insn: what issued. */
void issue_tell(struct sm *s, unsigned sch, uint32_t insn, cycle now);

/* subcore*.c: the core of today, if s->sub */
struct subcore *subcore_new(struct sm *s);
/* Facts of the instructions of kernel k, in arena a. False with a diagnostic: it has no control codes. */
bool subcore_decode(const struct kernel *k, const struct params *p, const struct dinsn *insn, struct sub_code *out,
		    struct arena *a, struct diag *d);
void subcore_step(struct sm *s, cycle now);
enum warp_state subcore_state(struct sm *s, unsigned w);
void subcore_warp_start(struct sm *s, unsigned w);
void subcore_warp_exit(struct sm *s, unsigned w);
void subcore_flushed(struct sm *s, unsigned w); /* Its buffer was emptied: what was fetched for it is dropped. */
bool subcore_move_room(const struct sm *s, unsigned w);
/* d is a fence among the threads of a CTA, which need what the L1 has taken, not what the L2 has. */
bool subcore_near_fence(const struct sm *s, const struct dinsn *d);
void subcore_enter(struct sm *s, unsigned flight);           /* It has issued. */
void subcore_returned(struct sm *s, unsigned flight);        /* All of its lines are there. */
void subcore_filled(struct sm *s, const struct response *r); /* Sectors, instructions or constants have come. */

/* the other stages */
void fetch_step(struct sm *s, cycle now);
void fetch_flush(struct sm *s);
void fetch_filled(struct sm *s, uint32_t line);
void schedule_step(struct sm *s, cycle now);
void collect_step(struct sm *s, cycle now);
void execute_step(struct sm *s, cycle now);
void writeback_step(struct sm *s, cycle now);
void complete_now(struct sm *s, unsigned f);
cycle wheel_next(const struct sm *s, cycle now); /* The next cycle after now with a completion, or NEVER. */
/* Sends a packet if the port's queue has room. The response hands id and line back. */
bool lsu_send(struct sm *s, cycle now, enum memory_kind kind, uint64_t line, unsigned sectors, enum response_kind rk,
	      unsigned id);
void lsu_starts(struct sm *s, unsigned w, cycle at);       /* A warp that has come fetches from there on. */
void lsu_answered(struct sm *s, const struct response *r); /* A reply will be there at r->at. */
/* Tells the watchers that a line is on its way, or there. Always returns true. */
bool lsu_sent(struct sm *s, unsigned flight, enum probe_line how);
void lsu_enters(struct sm *s, unsigned flight); /* Counts a memory instruction as its lines or passes begin. */
void lsu_init(struct sm *s, struct arena *a);
void lsu_step(struct sm *s, cycle now);
void lsu_responses(struct sm *s, cycle now);
cycle lsu_next(const struct sm *s, cycle now);

/* read_only.c: constant and texture caches. A read that returns false must be tried again. */
void read_only_init(struct sm *s, struct arena *a);
/* Writes the lines of 64 bytes of the constant banks that r touches to out, a word each, and returns how many. They are
 * those of `lines` words of r, or what its word of passes says. */
unsigned const_take_lines(const struct record *r, unsigned lines, uint64_t out[]);
bool const_read(struct sm *s, unsigned flight, uint64_t word, cycle now);
void const_filled(struct sm *s, unsigned id);
bool tex_read(struct sm *s, unsigned flight, uint64_t line, cycle now);
bool tex_done(struct sm *s, cycle now, unsigned *flight); /* Takes the next access that leaves the queue, if any. */
cycle tex_next(const struct sm *s);

/* probe.c: these tell the watchers. They are called if probing() is true. */
void probe_flight(struct sm *s, enum probe_kind kind, unsigned n, unsigned where, uint64_t count);
void probe_execute(struct sm *s, unsigned n, unsigned unit, unsigned cycles);
void probe_issue(struct sm *s, unsigned n);
void probe_warp(struct sm *s, enum probe_kind kind, unsigned w, uint32_t insn, uint64_t count);
void probe_state(struct sm *s, unsigned w, enum stall why);
void probe_slot(struct sm *s, unsigned scheduler, cycle from, uint64_t count);
void probe_access(struct sm *s, unsigned w, uint32_t insn, const struct bank_access *a, uint64_t waited);
void probe_tell(const struct sm *s, const struct probe_event *e);
void probe_sample_sm(struct sm *s); /* Tells the ends of intervals that have been reached. */
static inline bool probing(const struct sm *s, enum probe_kind kind) { return s->watch.want >> kind & 1; }

/* probe_wait.c: what each warp does in each cycle, if s->watch.wait; and the instruction that it stands at */
struct probe_wait *probe_wait_new(struct arena *a);
void probe_wait_start(struct sm *s, unsigned w);
void probe_wait_state(struct sm *s, unsigned w, enum warp_state from); /* The warp was in this state until now. */
void probe_wait_leave(struct sm *s, unsigned w);
void probe_wait_all(struct sm *s);           /* Tells it of the warps that are left, up to s->accounted. */
void probe_issued(struct sm *s, unsigned w); /* The warp issues in this cycle. */
void probe_next(struct sm *s, unsigned w, uint32_t issued); /* It has issued, and stands at its next instruction. */
void probe_refused(struct sm *s, unsigned w, enum stall why);
void probe_idle(struct sm *s, cycle n); /* All refusals stood for n cycles more. */
uint32_t probe_insn(const struct sm *s, unsigned w);
enum stall state_stall(const struct sm *s, enum warp_state st); /* schedule.c */

/* checked.c: what the data path carries, if s->checked */
struct checked *checked_new(const struct axis_ctx *cx);
void checked_issue(struct sm *s, unsigned flight);
/* The upper levels have delivered what they have of its sources. */
void checked_latched(struct sm *s, unsigned flight);
void checked_levels(struct sm *s, const struct uop *u, uint32_t dsts); /* These results went to the levels alone. */
void checked_no_strand(struct sm *s, unsigned warp); /* The warp is demoted in the middle of a strand. */
/* The main register file has the bytes; it should have them; the reuse cache has; it was not asked. */
enum read_from { READ_STORED, READ_NOTHING, READ_KEPT, READ_ELSEWHERE };
/* Of READ_STORED, `a` is the access. */
void checked_read(struct sm *s, unsigned flight, uint32_t sources, enum read_from from, const struct bank_access *a);
/* The reuse cache delivers source src, and holds these values. */
void checked_kept(struct sm *s, unsigned flight, unsigned src, const uint32_t value[WARP_LANES]);
/* A write of u has been granted. */
void checked_store(struct sm *s, const struct uop *u, const struct bank_access *a, unsigned dst);
/* Under a reuse that renames, access n of its round has been granted. */
void checked_access(struct sm *s, unsigned flight, unsigned n);
/* Likewise, its destinations are mapped to where its results are. */
void checked_mapped(struct sm *s, unsigned flight);
void checked_done(struct sm *s, const struct uop *u); /* All writes of u have been granted, or it had none. */
void checked_release(struct sm *s, unsigned warp); /* The warp has given up its extended set; what is there is dead. */
void checked_warp_exit(struct sm *s, unsigned warp);
void checked_sum(const struct sm *s, struct checked_sums *into);
/* Reports the first wrong operand of the n SMs, if there is one. Always returns false. */
bool checked_report(const struct sm *sm, unsigned n);

static inline void queue_init(struct flight_queue *q, unsigned entries, struct arena *a)
{
	for (q->mask = 1; q->mask + 1 < entries; q->mask = q->mask * 2 + 1)
		;
	q->v = new_array_raw(a, uint16_t, q->mask + 1);
}

/* Returns the first member of m after `last`, or the first of all if none follows. m is not empty, last is 0..63. */
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

/* Cycles from its data to its completion, of an instruction that writes registers: what axes put before the register
 * file. */
static inline cycle deeper(const struct sm *s, unsigned n) { return s->flight[n].u.ndst ? s->deeper : 0; }

static inline const struct dinsn *insn_at(const struct sm *s, uint32_t insn) { return &s->dinsn[(int32_t)insn]; }

static inline struct issue *issue_of(const struct sm *s, unsigned w) { return s->ax.issue[s->warp[w].scheduler]; }

/* Counts a scheduler's slots before cycle upto. */
static inline void slots_count(struct sm *s, unsigned sch, cycle upto)
{
	struct slot_use *u = &s->slot[sch];

	s->st.slots[u->why] += upto - u->from;
	u->from = upto;
}

/* What a scheduler's slots go to from this cycle on; insn: what issued. A slot in which something issues is counted at
 * once, for draw_warp() in schedule.c looks at how many they are. */
static inline void issue_account(struct sm *s, unsigned sch, enum stall why, unsigned warp, uint32_t insn, cycle now)
{
	slots_count(s, sch, now);
	s->slot[sch].why = why;
	s->slot[sch].warp = (uint16_t)warp;
	if (why == STALL_ISSUED)
		slots_count(s, sch, now + 1);
	if (probing(s, PROBE_SLOT))
		issue_tell(s, sch, insn, now);
}

#endif

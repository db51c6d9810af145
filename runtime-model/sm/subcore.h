/* The core of today (params.core 1): an SM of sub-cores, each with its own warps, L0 instruction cache, issue port,
 * register file and units, as Huerta et al. found it by measurement (MICRO 2025; its sections are cited where a rule
 * stands). Private to this folder. The stages of sm.h that differ are here, a file each:
 *
 *   subcore_code.c    what control codes and units say of each instruction, decoded once
 *   subcore_fetch.c   L0 caches, stream buffers, the L1 instruction cache, instruction buffers
 *   subcore_issue.c   when a warp may issue, and which one does
 *   subcore_read.c    control and allocate stage, reads, reuse cache, queues of slow units, results
 *   subcore_memory.c  the memory pipeline that the sub-cores share, the L1, constants
 *
 * An instruction that issues in cycle t is in the control stage in t + 1. One of fixed latency is then in the allocate
 * stage, from t + 2 on, until its reads fit in the three cycles behind; it reads, executes, and its result is there for
 * an instruction that issues its latency behind it. One of a slow unit goes to the unit's queue instead. */
#ifndef REGLOOM_SUBCORE_H
#define REGLOOM_SUBCORE_H

#include "analyzer/sass/latency.h"
#include "runtime-model/sm/warp.h"

/* What an instruction is for. Those from SUB_XU on are queued. */
enum sub_unit {
	SUB_FMA,  /* Single precision, and, where its lanes are those, products of integers. */
	SUB_IMAD, /* Products of integers beside twice the lanes of single precision. */
	SUB_ALU,
	SUB_HALF,
	SUB_FP64,
	SUB_MMA,
	SUB_UNIFORM,
	SUB_CONTROL,
	SUB_XU, /* Special functions and conversions. */
	SUB_SLOW_FP64,
	SUB_OTHER, /* Special registers, and what else is queued outside memory. */
	SUB_MEMORY,
	SUB_UNITS
};

/* How a memory instruction goes through the pipeline: rows of subcore_memory.c. */
enum sub_access {
	ACCESS_LOAD,
	ACCESS_STORE,
	ACCESS_SHARED_LOAD,
	ACCESS_SHARED_STORE,
	ACCESS_CONST,
	ACCESS_COPY, /* From global to shared memory. */
	ACCESS_SHUFFLE,
	ACCESS_KINDS
};

enum {
	SUB_BANKS = 2,
	SUB_SLOTS = 3, /* Operand slots that the reuse cache knows: a, b, c. */
	SLOT_NONE = SUB_SLOTS,
	BOARDS = BARRIERS_OF_DEPENDENCE,
	SUB_QUEUE_MAX = 16,
	STREAM_MAX = 64,
	READ_WINDOW = 3,
	STAGES_TO_READ = 2, /* From issue to the allocate stage. */
	STAGES_TO_MEMORY_READ = 5,
	RESULT_TO_WRITE = 4, /* From when a result can be used to its write. */
	PORT_CYCLES = 16,    /* Reads are booked fewer cycles ahead than this. */
	WAIT_CYCLES = 64,    /* A warp's stall count is below this. */
	COMING_MAX = 512,
	NOT_LISTED = 0xff,
	RECENT_MAX = 32, /* Results of a warp: one a cycle, and no latency of analyzer/ir/latency.def is longer. */
	BOARD_MOST = 63, /* A barrier of dependence counts to it (section 4). */
	SLOW_QUEUE = 3,  /* Instructions in the queue of a slow unit outside memory. */
};

/* Of an instruction, beside its struct dinsn. */
struct sub_insn {
	struct control_code code;
	uint8_t unit;        /* enum sub_unit */
	uint8_t access;      /* enum sub_access */
	uint8_t refused;     /* What its warp waits for while its unit or queue has no room: enum stall. */
	uint8_t boards;      /* The barriers that it raises, as bits. */
	uint8_t words;       /* Registers of data of a thread that a memory instruction moves; at least 1. */
	bool uniform;        /* No general register is part of its address. */
	bool wide_reads;     /* A matrix operand of four registers is read in twice the window. */
	bool near_fence;     /* A fence among the threads of a CTA. */
	bool copies, groups; /* LDGSTS; LDGDEPBAR, which completes when the copies before it have. */
	uint16_t latency;    /* Of a fixed-latency instruction, to who needs its result first. */
	uint16_t interval;
	/* DEPBAR: waits until at most `left` of `board` are outstanding, and none of those in the mask. */
	bool depbar;
	uint8_t board, left, mask;
	uint32_t constant; /* 1 + the line of 64 bytes of its constant operand, at bank * 2^24; 0: it has none. */
	uint8_t slot[UOP_SRC_MAX]; /* The operand slot that each source is in, or SLOT_NONE. */
	/* Under a scoreboard, all registers that it names, of all files. */
	const struct sass_access *named;
	uint16_t nnamed;
};

/* Of a kernel's target: cycles from a writer's issue to a reader's, by the units of both, of general registers and of
 * predicates; and the most of a writer. */
struct sub_ways {
	uint8_t latency[2][UNIT_COUNT][UNIT_COUNT], most[2][UNIT_COUNT];
};

/* Under a scoreboard: a result of fixed latency that not every reader may use yet, of an instruction that issued in
 * that cycle, or would have if nothing had held it. */
struct recent {
	cycle issued;
	const struct sub_insn *by;
};

/* What a warp has beside its struct warp. */
struct sub_warp {
	cycle until;              /* It does not issue before. */
	uint8_t board[BOARDS];    /* Outstanding instructions of each barrier of dependence. */
	uint8_t busy;             /* Barriers that are not 0, */
	uint8_t full;             /* and those that count no further. */
	uint8_t kind[BOARDS];     /* What it stands for, long memory if any of it is: enum warp_state. */
	uint8_t fetching;         /* Instructions on their way to its buffer. */
	bool no_constant;         /* Its next instruction waits for the constant cache. */
	bool constant_missed;     /* It has. */
	uint8_t unit;             /* Of its next instruction, when it was last ready. */
	uint16_t generation;      /* Of its buffer: what was fetched before a jump is of another one. */
	uint16_t copies;          /* Copies outstanding. */
	uint16_t groups;          /* Groups raised so far. */
	uint16_t group;           /* The youngest that waits for copies, or NO_FLIGHT. */
	uint16_t unraised;        /* Instructions that have issued and not raised their barriers yet. */
	uint8_t nrecent;          /* Of subcore.recent. */
	uint16_t extended_writes; /* Instructions in flight that write registers of its extended set. */
};

/* What is on its way to a sub-core from the caches of instructions and constants. */
enum coming_kind { COMING_CODE, COMING_STREAM, COMING_OPERAND, COMING_LOAD };
struct coming {
	cycle at; /* NEVER: the L2 has been asked. */
	uint64_t line;
	uint16_t flight; /* Of COMING_LOAD. */
	uint8_t kind, sub;
};

struct sub_queue {
	uint16_t v[SUB_QUEUE_MAX];
	unsigned head, n; /* n: with the one that is in the control stage. */
	unsigned there;   /* Those in v. */
	cycle last;       /* When the last one left. */
};

struct fetched {
	uint8_t warp;
	uint16_t generation;
	uint32_t at;
};

/* One sub-core. */
struct sub {
	unsigned id;             /* Its number. */
	uint16_t control, alloc; /* The instructions in these stages, or NO_FLIGHT. */
	bool listed;             /* The accesses of that in the allocate stage are listed; */
	bool looked_up;          /* some of them have to be looked up first; */
	uint8_t need[SUB_BANKS]; /* so many are reads of each bank; */
	uint8_t window;          /* so many cycles hold them if nobody else reads. */
	bool raised;             /* That of the control stage has been in it for a cycle. */
	uint16_t raising;        /* What raises its barriers at the end of this cycle, if it is in subcore.raisers. */
	cycle unit_free[SUB_UNITS];
	/* Each of these warps waits for the queue that refused the first, and these are all that were ready. */
	uint64_t closed;
	uint8_t closed_why;
	uint32_t closed_insn;
	uint16_t closed_first;
	cycle constant_hold; /* A miss of a constant operand keeps the others from issuing until then. */
	struct sub_queue queue[SUB_UNITS];
	cycle memory_at;  /* The first of those for memory does not leave before; */
	bool memory_read; /* it has its operands, so that this does not change. */
	unsigned queued;  /* Instructions in those of slow units. */
	/* Reads booked on each bank's ports, by cycle. */
	struct {
		cycle at;
		uint8_t used[SUB_BANKS];
	} port[PORT_CYCLES];
	uint8_t keeps; /* The entries of the reuse cache that hold something, as bits: kept_bit(). */
	struct kept {
		bool known;         /* In checked mode: `value` is what it holds. */
		uint16_t reg, warp; /* Under a reuse that renames, the physical register. */
		uint32_t value[WARP_LANES];
	} kept[SUB_BANKS][SUB_SLOTS];
	uint32_t written;                  /* Banks whose write port is taken in this cycle. */
	unsigned packers;                  /* Under packing, those without a write in it. */
	struct flight_queue results, late; /* Results that wait for it: of fixed latency; of slow units and memory. */
	cycle link_free;                   /* The link from the memory pipeline. */
	/* the front end */
	struct cache l0, constants;
	uint32_t stream[STREAM_MAX]; /* Lines in the stream buffer, the first the head, and whether they are there. */
	bool stream_there[STREAM_MAX];
	unsigned nstream;
	uint32_t stream_next;
	struct fetched fetched;
	uint16_t young[WARPS_MAX]; /* Its warps by age, the youngest last. */
	unsigned nyoung, last;     /* The warp that issued last. */
};

/* Sectors of one line that the L2 has been asked for. */
struct sub_miss {
	struct cache_line *line;
	uint8_t sectors;
	uint16_t next; /* Another one of its line, or of the free ones; NO_FLIGHT: none. */
	uint16_t first_waiter;
};
struct sub_waiter {
	uint16_t flight, next;
};

struct subcore {
	const struct sub_insn *insn; /* By instruction. */
	struct sub sub[SCHEDULERS_MAX];
	struct sub_warp warp[WARPS_MAX];
	uint64_t next_for[SUB_UNITS]; /* Warps by `unit`. */
	uint8_t (*readers)[256];      /* By warp and register, under a scoreboard: who has not read it yet. */
	/* Those of fixed latency that read, by sub-core and the cycle in which they have; NULL: none. */
	struct reader {
		const struct uop *u;
		unsigned warp;
	} reader[READ_WINDOW + 1][SCHEDULERS_MAX];
	unsigned nreader;
	struct recent (*recent)[RECENT_MAX]; /* By warp, likewise, the oldest first. */
	struct sub_insn move;                /* A move that an axis adds. */
	uint64_t wakes[WAIT_CYCLES];         /* Warps whose stall count ends in that cycle. */
	struct cache l1i;                    /* Of instructions, and behind the caches of constants. */
	/* Sub-cores, as bits: that decode in this cycle; whose stream buffer asks for the next line when it can. */
	unsigned decoding, streaming;
	struct coming coming[COMING_MAX];
	unsigned ncoming;
	cycle next_coming, l1i_free;
	/* the memory pipeline */
	/* Sub-cores with work, as bits: instructions in the control or allocate stage, or for slow units; results to
	   write; one that raises its barriers at the end of this cycle. */
	unsigned reading, writing, raisers;
	cycle memory_due[SCHEDULERS_MAX], memory_at; /* The first of each queue for memory, of all, goes on then. */
	uint16_t sending;                            /* Its lines are being sent, or NO_FLIGHT. */
	unsigned turn;                               /* The sub-core that sent last. */
	cycle shared_since, shared_free;             /* the last to be there came, and others may come */
	struct sub_miss *miss;
	uint16_t free_miss;
	struct sub_waiter *waiter;
	uint16_t free_waiter;
	unsigned waiters_left;
	cycle fp64_free; /* The unit that the sub-cores share. */
};

void subcore_fetch_init(struct sm *s);
void subcore_memory_init(struct sm *s);
void subcore_fetch(struct sm *s, cycle now);
void subcore_coming(struct sm *s, cycle now); /* Instructions and constants arrive. */
void subcore_issue(struct sm *s, cycle now);
void subcore_write(struct sm *s, cycle now);
void subcore_read(struct sm *s, cycle now);
void subcore_memory(struct sm *s, cycle now);
void subcore_raised(struct sm *s); /* The end of the cycle: barriers that were raised in it show. */
/* Asks for a line of 64 bytes of constants. False: there is no room now. */
bool subcore_constant(struct sm *s, unsigned sub, uint64_t line, enum coming_kind kind, unsigned flight, cycle now);
/* The L2 has answered for a line of 128 bytes of constants, or of instructions. */
void subcore_line(struct sm *s, bool constant, uint32_t line);
/* The operands of queued flight n have been read from the banks, as ports were free. */
bool subcore_queued_read(struct sm *s, struct sub *c, unsigned n, cycle now);
/* Flight n comes to the control stage from those of a reuse that renames. False: there is no room now. */
bool subcore_take(struct sm *s, unsigned n);
/* It leaves its queue. */
void subcore_leave_queue(struct sm *s, struct sub *c, unsigned unit);
/* Flight n has taken its operands, or does so in the read window that begins: its barrier of reads is lower. */
void subcore_sources_read(struct sm *s, unsigned n);
void subcore_readers(struct sm *s, cycle now);           /* Under a scoreboard: read windows end. */
void subcore_delay(struct sm *s, unsigned w, cycle now); /* Warp w issues a cycle later than its stall count says. */
void subcore_written(struct sm *s, unsigned n);          /* Its results are written. */
/* Flight n of fixed latency has its results, for who reads them first: others may have to wait. */
void subcore_has_results(struct sm *s, unsigned n, cycle now);

static inline struct sub *sub_of(const struct sm *s, unsigned w) { return &s->sub->sub[s->warp[w].scheduler]; }
static inline const struct sub_insn *sub_insn(const struct sm *s, const struct dinsn *d)
{
	return &s->sub->insn[d->proto.insn];
}
/* u writes a register of its warp's extended set. */
static inline bool subcore_writes_extended(const struct sm *s, const struct uop *u)
{
	const unsigned base = s->g->k->base_regs;

	for (unsigned i = 0; base && i < u->ndst; i++)
		if (u->dst[i] >= base)
			return true;
	return false;
}
/* A set of sub-cores, as bits from sub-core `first` on, and which one its first bit then is. */
static inline unsigned sub_turned(const struct sm *s, unsigned set, unsigned first)
{
	const unsigned n = s->p->schedulers;

	return (set << n | set) >> first & ((1u << n) - 1);
}
static inline unsigned sub_turn(const struct sm *s, unsigned first, unsigned turned)
{
	const unsigned sub = first + (unsigned)__builtin_ctz(turned), n = s->p->schedulers;

	return sub < n ? sub : sub - n;
}
/* An instruction comes to an empty queue for memory, and goes on then. */
static inline void subcore_memory_due(struct sm *s, unsigned sub, cycle at)
{
	s->sub->memory_due[sub] = at;
	if (at < s->sub->memory_at)
		s->sub->memory_at = at;
}
static inline unsigned kept_bit(unsigned bank, unsigned slot) { return 1u << (bank * SUB_SLOTS + slot); }
/* Its warps that wait for a queue have to ask again. */
static inline void sub_open(struct sm *s, struct sub *c)
{
	c->closed = 0;
	s->awake |= 1u << c->id;
}
static inline unsigned sub_first(const struct sub_queue *q) { return q->v[q->head]; }
/* Flight n has its result in that cycle, which may be later than the wheel has room for. */
static inline void result_at(struct sm *s, unsigned n, cycle at)
{
	const cycle last = s->now + WHEEL - 1;

	s->flight[n].sub.due = at;
	complete_at(s, n, at < last ? at : last, false);
}
static inline void sub_note(struct sm *s, cycle at)
{
	if (at < s->timed)
		s->timed = at;
}

#endif

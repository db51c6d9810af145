/* The engine's inside: a decoded kernel, CTAs and warps in flight, record streams. Shared by the files of this folder
 * only. */
#ifndef REGLOOM_ENGINE_CORE_H
#define REGLOOM_ENGINE_CORE_H

#include "passes/pass.h"
#include "runtime-model/engine/engine.h"
#include "runtime-model/engine/lanes.h"
#include "runtime-model/engine/mufu.h"

#include <pthread.h>
#include <stdatomic.h>

/* Instructions that a warp executes in one visit. A visit brings a warp's registers into the cache, so it should be
 * long; records of the whole window wait while one warp is served, so it should not be longer. */
enum { QUANTUM = 256 };
/* bytes a lane; keeps a record's lines below 256, as PTX does */
enum { LOCAL_ACCESS_MAX = 16 };

/* n elements in zeroed arena memory that starts on a cache line. */
static inline void *aligned_array(struct arena *a, size_t n, size_t bytes)
{
	unsigned char *p = arena_alloc_array(a, n + 64 / bytes + 1, bytes, 1);

	return p + (-(uintptr_t)p & 63);
}

/* ---- allocation.c ---- */
/* frees that are remembered for reports */
enum { FREED_MAX = 512, FREED_NAME = 40 };
/* freed: no bytes, at no address that anybody has */
struct allocation {
	uint64_t addr, bytes;
	unsigned char *host;
	unsigned char *granule;      /* enum granule of each, in a; NULL: all of it is memory */
	const char *name;            /* in a */
	uint32_t left, right, order; /* the tree; left also links free ones */
	uint32_t resources;          /* textures and surfaces in it */
	uint64_t gap, widest;        /* bytes that could be placed behind it; the most behind any of its subtree */
	unsigned char *unwritten;    /* the sanitizer's, in a: a bit for each byte; NULL: all are written */
	struct race_word **race;     /* likewise; NULL: nobody has looked */
	struct arena a;              /* its memory, if that is not the caller's */
	bool mapped;                 /* the caller's */
	bool shared;                 /* others may write it while a launch runs */
	bool heap;                   /* malloc's, which gives pieces of it */
};
struct freed {
	uint64_t addr, bytes;
	char name[FREED_NAME];
};

struct device;
void allocations_init(struct device *dev, uint64_t base, uint64_t limit);
void allocations_free(struct device *dev);
/* The allocation that holds addr, else the nearest one; UINT32_MAX if there is none. */
uint32_t device_nearest(const struct device *dev, uint64_t addr);
/* The one around [addr, addr + bytes), or NULL; and if it lets them be read, and those of the heap are ones that malloc
 * gave. */
const struct allocation *device_around(const struct device *dev, uint64_t addr, uint64_t bytes);
const struct allocation *device_holding(const struct device *dev, uint64_t addr, uint64_t bytes);
/* The state of the granule that holds the first of these bytes that may not be read, or written; GRANULE_OPEN: there is
 * none. They are inside al. */
enum granule allocation_forbids(const struct allocation *al, uint64_t addr, uint64_t bytes, bool write);
static inline bool allocation_allows(const struct allocation *al, uint64_t addr, uint64_t bytes, bool write)
{
	return !al->granule || allocation_forbids(al, addr, bytes, write) == GRANULE_OPEN;
}
/* where device_place_apart() says */
uint64_t device_alloc_apart(struct device *dev, const char *name, uint64_t bytes);
/* The last that held addr and was freed, among those remembered, or NULL. */
const struct freed *device_freed(const struct device *dev, uint64_t addr);
uint64_t device_top(const struct device *dev); /* the end of the highest allocation */

/* ---- device.c ---- */
enum { DEVICE_ALIGN = 512 };
#define ADDRESS_END ((uint64_t)1 << 47) /* of all memory, mapped or not; record.h has its own spaces above */

/* a module on the device */
struct loaded {
	struct arena a;
	const struct module *m;
	const struct loaded *of;        /* whose variables of the module these are; NULL: its own */
	uint64_t *addr;                 /* by symbol: address inside its own space */
	unsigned char *bank3;           /* .const variables */
	uint64_t bank3_bytes, bank3_at; /* their address in global memory, if anybody has asked */
};

enum { SPARES = 16 };

struct device {
	struct arena a;
	struct diag *d;
	uint64_t base, limit, size; /* where memory is allocated; bytes, for reports */
	bool placed;                /* by device_new_at() */
	struct allocation *alloc;   /* [0]: none, the start of the range */
	uint32_t nalloc, alloc_cap;
	uint32_t root, free_node;   /* of the tree by address */
	struct freed *freed;        /* the latest ones, round and round */
	uint64_t nfreed, freed_end; /* freed_end: behind all that was ever freed in the device's range */
	struct loaded **module;
	FILE *print;         /* of printf; NULL: dropped */
	uint64_t printed;    /* of all that was: device_printed() */
	struct bound *bound; /* textures, samplers, surfaces by handle, texture.h */
	uint32_t nbound, bound_cap, free_bound;
	struct bound_variable *bound_variable; /* variables of modules that stand for them */
	uint32_t nbound_variable, bound_variable_cap;
	struct heap *heap;          /* NULL: not used yet */
	struct requests *requests;  /* of kernels; NULL: nobody serves them (device_runtime.c) */
	uint64_t grid_barrier;      /* address of that of cooperative launches; 0: none yet */
	struct arena spare[SPARES]; /* memory of the last launch for the next one, by thread */
	struct chunk_pool *spare_chunks;
	struct sanitizer *sanitizer; /* NULL: nobody looks */
	uint64_t heap_bytes;
	uint32_t nshared; /* allocations that are */
	uint32_t nmodule, module_cap;
	const struct mufu_table *mufu;                    /* mufu.h; NULL: the engine's own functions */
	const struct mufu_function *function[MUFU_COUNT]; /* of it, unpacked in a; NULL: not yet */
};

/* An empty arena for a launch, with what the last one has left; and back. Threads of a launch are numbered from 0. */
struct arena device_spare(struct device *dev, unsigned thread);
void device_give_spare(struct device *dev, unsigned thread, struct arena a);

const struct loaded *device_loaded(const struct device *dev, const struct module *m);
/* Generic address of an offset in a space; global addresses are generic as they stand. */
uint64_t space_window(enum space s);

/* ---- decode.c ---- */
enum xkind {
	X_ALU,
	X_MEM,
	X_BRANCH,
	X_EXIT,
	X_BARRIER,
	X_SREG,
	X_WARP,
	X_COPY,
	X_NOTHING,
	X_TRAP,
	X_MATRIX,
	X_TEXTURE,
	X_CALL,
	X_CALL_IND,
	X_RETURN,
	X_BRX,
	X_HOST,
	X_STEPS,  /* several, not all of them X_ALU */
	X_FLOW,   /* of machine code: where control goes, barriers of lanes */
	X_REFUSED /* of machine code: program.refused says why it cannot be executed */
};

/* a memory instruction */
struct xmem {
	int64_t offset;
	uint32_t data[8];          /* elements: word offset of a destination, or operand of a source */
	int32_t address;           /* operand */
	uint32_t last;             /* allocation of the latest access, a good guess for the next */
	uint8_t space, bank;       /* enum space; constant bank of SP_CONST and SP_PARAM */
	uint8_t bytes, vec, total; /* of an element; elements; bytes * vec */
	bool load, atomic, wide, sx;
	bool strong;       /* by which threads tell each other something: volatile, relaxed, acquiring, an atomic */
	bool release;      /* what was done before is told */
	uint8_t nsrc;      /* operands of an atomic, the address among them */
	uint16_t mbarrier; /* row of an operation on an mbarrier object, else 0 */
};

/* An instruction of machine code of where control goes (native.c, flow.c). */
enum flow_kind {
	FLOW_BRANCH,
	FLOW_JUMP,
	FLOW_EXIT,
	FLOW_BSSY,
	FLOW_BSYNC,
	FLOW_BREAK,
	FLOW_MOVE,
	FLOW_COLLECT,
	FLOW_SPREAD,
	FLOW_MEET
};
/* What decides a branch: each lane's predicate; whether any lane's holds; whether the lanes that are here are others
 * than `mask`, or these. */
enum flow_ask { ASK_LANES, ASK_ANY, ASK_ALL, ASK_APART, ASK_TOGETHER };
struct xflow {
	uint8_t kind, ask; /* enum flow_kind, enum flow_ask */
	bool neg, mask_neg, clear, active;
	uint32_t pred; /* of a second guard, which `neg` negates */
	uint32_t to;   /* FLOW_BRANCH: instruction; FLOW_COLLECT: where the lanes go on behind the region */
	int32_t mask;  /* operand: lanes; FLOW_JUMP: the address, added to `base`; FLOW_MOVE: what is moved */
	uint64_t base;
	uint32_t bar;    /* word offset of the barrier of lanes */
	uint32_t number; /* which it is */
};

struct xtarget {
	uint64_t key;
	uint32_t pc;
};

/* in program.kill_list: word offsets, then predicates */
struct kill_list {
	uint32_t first, nreg, npred;
};

struct program {
	struct xinsn *code; /* of each instruction; behind these the steps of those that take several */
	uint32_t ninsn;
	uint32_t *step_of; /* the instruction of each step */
	struct xmem *mem;
	uint32_t nmem;
	struct xmatrix *matrix;
	uint32_t nmatrix; /* tensor.h */
	struct xtexture *texture;
	uint32_t ntexture, texture_cap; /* texture.h */
	struct xtarget *target;         /* of computed branches and calls: x->dst[0] is the first, x->dst[1] how many */
	struct xflow *flow;
	uint32_t nflow;
	uint32_t runtime; /* of machine code: the functions of the driver, behind the steps */
	const char **refused;
	uint32_t nrefused;
	uint32_t *follow; /* by instruction: the next one where no lane goes its own way, see record.h */
	uint32_t *konst;  /* [slot][32] broadcast values */
	uint32_t nkonst;
	uint32_t nslot, npred;  /* of one warp; slots 0 and 1, predicate 1: sinks; predicate 0: true */
	uint32_t *reg_list;     /* word offsets, see xinsn.regs */
	uint32_t *slot;         /* word offset by register, UINT32_MAX: unused; predicates: index */
	struct kill_list *kill; /* poison: registers dead after each instruction */
	/* poison: those dead for the whole warp after each instruction, and on entry to the block that begins with it;
	 * NULL in virtual form */
	struct kill_list *give, *enter;
	/* poison: those written of which the other lanes need nothing; NULL: not known */
	struct kill_list *over;
	uint32_t *kill_list;
	uint32_t *block_of;             /* poison: block by instruction */
	struct control_codes *controls; /* controls.c */
	uint8_t *extended;              /* poison, of a variant: enum extended_use by instruction, else NULL */
};
/* NAMED: registers of it */
enum extended_use { EXTENDED_NONE, EXTENDED_NAMED, EXTENDED_ACQUIRE, EXTENDED_RELEASE };

/* ---- chunks.c: memory of records ---- */
/* part of a stream; given back when every consumer has passed it */
struct chunk {
	_Atomic(struct chunk *) next;
	atomic_uint n;         /* words published */
	unsigned left, inside; /* consumers that have not passed it, that read it; the pool's lock */
	uint64_t *word;        /* NULL: in the file. Only of a full chunk that nobody reads this changes */
	uint64_t slot;         /* its place there, or NO_SLOT */
};
#define NO_SLOT UINT64_MAX
/* with register values, of which a product of matrices names 40 */
enum { CHUNK_BYTES = 4096, CHUNK_BYTES_VALUES = 8192 };

struct chunk_pool {
	pthread_mutex_t lock; /* of all that follows */
	size_t chunk_bytes;
	uint64_t cap, memory_bytes; /* memory that holds records: at most so much before the file is used; now */
	uint64_t used;              /* chunks that are not free */
	uint64_t slots;             /* of the file */
	struct slab *first, *at;    /* pieces of memory; the one that chunks are cut from, and how much of it is */
	uint64_t at_used, cut_bytes;
	struct chunk *free;
	struct free_words *free_words;
	int fd, error;         /* -1: no file; errno of what failed */
	struct arena a, names; /* slabs, for more than one launch; chunks */
};

struct chunk_pool *chunk_pool_new(void);
/* Forgets all chunks, keeps memory for those of the next launch. */
void chunk_pool_reset(struct chunk_pool *p, size_t chunk_bytes, uint64_t cap);
void chunk_pool_free(struct chunk_pool *p);
struct chunk *chunk_take(struct chunk_pool *p);
/* The producer has filled c; a consumer reads it from now on; it has passed it, or will not read it. False:
 * chunk_error() says why. */
bool chunk_filled(struct chunk_pool *p, struct chunk *c);
bool chunk_enter(struct chunk_pool *p, struct chunk *c);
bool chunk_leave(struct chunk_pool *p, struct chunk *c, bool entered, bool full);
const char *chunk_error(struct chunk_pool *p, struct arena *a);

/* ---- record.c ---- */
enum {
	RECORD_WORDS_MAX = 256, /* lines of a record */
	VALUES_MAX = 40,        /* registers that an instruction names */
	LEAD_CHUNKS = 8192,     /* that a consumer may be ahead of the slowest one */
};

/* of one consumer and warp */
struct cursor {
	struct chunk *chunk;
	uint32_t at;                /* next word */
	uint32_t run, insn, active; /* records that are left of a run; the next one */
	bool done, apart;
};

/* of one warp; all but the atomics are the producer's */
struct stream {
	_Atomic(struct chunk *) first;
	atomic_bool ended;
	struct chunk *tail;
	uint32_t used; /* words of tail written */
	/* records that the last word, a run, still takes: of this instruction (with RECORD_APART), in these lanes */
	uint32_t room, next, active;
};

/* of one CTA */
struct streams {
	atomic_uint left;
	struct streams *free;
	struct cursor *cursor; /* [consumer][warp] */
	struct stream w[];
};

enum { PAGE_CTAS = 1024 };
struct page {
	atomic_uint left;
	struct page *free;
	_Atomic(struct streams *) cta[PAGE_CTAS];
};

/* chunks that it has left behind */
struct consumer {
	_Alignas(64) atomic_ullong passed;
	atomic_bool gone;
};

struct recorder {
	unsigned consumers, want, warps, chunk_words;
	bool sigs, h3, values, parts;
	_Atomic(struct page *) *page; /* by CTA / PAGE_CTAS; NULL: none started yet, or all consumed */
	uint64_t ctas;
	atomic_ullong started; /* CTAs that have streams or had them */
	unsigned present;      /* consumers that are not gone; the producer's */
	struct consumer *consumer;
	struct chunk_pool *pool;
	struct engine *e;
	pthread_mutex_t lock; /* of the free lists and the arena */
	struct arena a;
	struct streams *free_streams;
	struct page *free_page;
};

void recorder_init(struct recorder *r, struct engine *e);
void recorder_free(struct recorder *r);
struct streams *recorder_start(struct recorder *r, uint64_t cta);
void recorder_skip(struct recorder *r, uint64_t cta); /* it has no streams: nobody reads it */
/* Goes on in a new chunk. */
void recorder_extend(struct recorder *r, struct stream *s);
/* What was written since the last time can be read now; ended: nothing will follow. */
void recorder_publish(struct recorder *r, struct stream *s, bool ended);
/* Consumer c reads nothing more. */
void recorder_leave(struct recorder *r, unsigned c);
/* Chunks that the slowest consumer has left behind. */
uint64_t recorder_slowest(const struct recorder *r);
/* What consumer c may read next of a warp without making records: OK, END, or NOTHING. */
enum peek { PEEK_OK, PEEK_END, PEEK_NOTHING };
enum peek recorder_next(struct recorder *r, const struct program *p, unsigned c, uint64_t cta, unsigned w,
			struct record *out);
/* The record at the cursor, which is no run. */
void recorder_view(const struct recorder *r, const struct program *p, struct cursor *cur, struct record *out);

/* The same as recorder_next(), where the warp's next record is in a chunk that the consumer is reading. */
static inline bool recorder_ready(struct recorder *r, const struct program *p, unsigned c, uint64_t cta, unsigned w,
				  struct record *out)
{
	struct page *page = atomic_load_explicit(&r->page[cta / PAGE_CTAS], memory_order_acquire);
	struct streams *s = page ? atomic_load_explicit(&page->cta[cta % PAGE_CTAS], memory_order_acquire) : NULL;
	const uint64_t *at;
	struct cursor *cur;
	uint32_t extra;

	if (!s)
		return false;
	cur = &s->cursor[c * r->warps + w];
	if (cur->run) {
		*out = (struct record){ .insn = cur->insn, .active = cur->active, .apart = cur->apart };
		cur->run--;
		cur->insn = p->follow[cur->insn];
		return true;
	}
	if (!cur->chunk || cur->at >= atomic_load_explicit(&cur->chunk->n, memory_order_acquire))
		return false;
	at = cur->chunk->word + cur->at;
	extra = *at >> 32 & 255;
	if (extra & RECORD_RUN) {
		*out = (struct record){ .insn = record_insn(*at), .active = (uint32_t)*at, .apart = record_apart(*at) };
		cur->run = extra & (RUN_MAX - 1);
		cur->insn = p->follow[out->insn];
		cur->active = out->active;
		cur->apart = out->apart;
		cur->at++;
		return true;
	}
	if (extra == RECORD_LONG || r->sigs || r->values) {
		recorder_view(r, p, cur, out);
		return true;
	}
	*out = (struct record){ .insn = record_insn(*at),
				.active = (uint32_t)*at,
				.apart = record_apart(*at),
				.nline = extra,
				.line = at + 1 };
	cur->at += 1 + extra;
	return true;
}

/* ---- a launch in flight ---- */
enum warp_state { WARP_READY, WARP_BARRIER, WARP_DONE };
/* of one frame; simt.h shows that 66 entries suffice */
enum { STACK_MAX = 72, BARRIERS = 16, CLUSTER_BARRIER = BARRIERS };
/* of all frames of a warp */
enum { LEVELS_MAX = 1 << 16 };

/* frame: that of the entry, + 1; 0: of the one above it */
struct level {
	uint32_t pc, rpc, active, frame;
};

struct warp {
	struct level top; /* the path that executes */
	struct level *below;
	uint32_t depth, room; /* entries of below, and places */
	/* entries of below that are not the current function's; 0: the kernel's own code */
	uint32_t frame;
	uint32_t parked; /* lanes of paths that wait for others at an instruction (simt.h) */
	/* spin.c */
	/* a path has left the top in the middle of a loop; the one on top is being watched */
	bool apart, watching;
	/* apart: until no entry from this one on has lanes that the path on top has not */
	uint32_t whole;
	uint32_t rounds; /* branches back since the warp was together, or a path left the top */
	uint32_t turn;   /* lane whose path goes on next */
	/* of machine code: lanes of paths that have let others go since all paths had a turn; those that the barrier of
	 * lanes on top does not wait for; lanes that went on without others that their barrier named */
	uint32_t yielded, unawaited, ahead;
	uint32_t atoms_changed; /* lanes of the last atomic that have changed what there was */
	struct spin *spin;      /* what was seen; NULL: nothing yet */
	uint32_t index;         /* in the CTA */
	uint32_t state, barrier;
	uint32_t waits_at; /* instruction of that barrier */
	bool reduced;      /* bar.red is complete, with this result */
	uint32_t result;
	/* in a region for lanes that came together at several instructions: where each goes on, and those that came
	   at another one than the region's (flow.c) */
	uint32_t *behind, guests;
	struct results *results;  /* of instructions with .sync, which paths have not taken yet (warp_ops.c) */
	uint32_t cluster_arrived; /* lanes that have arrived at the cluster's barrier and not passed it */
	uint32_t budget;
	uint64_t insns;
	/* reads of a clock; what the last one gave, or by how much that was more than insns; how many there were with
	 * hardly an instruction between, when the last one was, and what the first one gave (sreg.c) */
	uint64_t clock_reads, clock, reads_in_row, read_insns, first_read;
	uint64_t noise;            /* poison */
	bool holds;                /* poison, of a variant: the extended set, in all lanes */
	struct controls *controls; /* what is not delivered; NULL: not asked for */
	uint32_t *reg, *pred;
	unsigned char *local; /* [word][lane] */
	struct stream *stream;
};

struct barrier {
	uint32_t warps, threads;  /* arrived; threads it waits for, 0: all warps of the CTA */
	uint32_t op, insn, count; /* of the first arrival; bar.red: lanes whose predicate is true */
	bool all;                 /* and whether all are */
};

struct cta {
	uint64_t index; /* UINT64_MAX: empty */
	uint32_t id[3];
	uint32_t live; /* warps that have not exited */
	struct barrier barrier[BARRIERS];
	uint32_t cluster_id[3], in_cluster[3]; /* of its cluster in the grid, of it in its cluster */
	bool cluster_arrived;                  /* some thread of the cluster has, at the cluster's barrier */
	unsigned char *shared;
	struct shadow *shadow; /* what the sanitizer knows of it; NULL: nothing */
	struct warp *warp;
};

struct engine {
	struct arena a;
	struct device *dev;
	const struct loaded *mod;
	const struct lanes *lanes;
	struct diag *d;
	struct launch l;
	const struct kernel *k;
	struct engine_options opt;
	struct program prog;
	struct engine_counts counts;
	unsigned warps; /* per CTA */
	uint64_t ctas, next_cta, done_ctas;
	uint32_t cluster[3], cluster_ctas; /* CTAs of a cluster */
	unsigned window, turn;             /* window: a multiple of cluster_ctas */
	struct cta *cta;                   /* window slots */
	unsigned char *bank0;
	uint32_t bank0_bytes;
	unsigned char *bank0_known; /* of machine code: bytes that are */
	unsigned char *bank4, *bank4_known;
	uint32_t shared_bytes, local_bytes; /* local: of one thread, a multiple of 4, with its stack */
	uint32_t stack_at;                  /* where that starts; local_bytes: there is none */
	uint32_t *tid;                      /* [warp][x y z][32] */
	uint32_t *first_active;             /* [warp]: lanes that have a thread */
	uint32_t last_global;               /* as xmem.last, of copies and the like */
	struct recorder rec;
	struct sanitizing *sanitizing; /* NULL: nobody looks at what is done */
	struct team *team;             /* of threads, where CTAs go in any order; else NULL */
	const char *ordered;           /* why they do not */
	bool together;                 /* others may change global memory meanwhile: atomics are the host's */
	atomic_bool failed;
	struct launch_fault fault; /* what has; strings in a */
	bool recording;            /* the warp under way */
	bool unread;               /* all consumers have left */
	enum stop stopped;
	uint64_t limit; /* of counts.warp_insns; UINT64_MAX: none */
	/* livelock.c */
	uint64_t events, events_seen; /* warps and CTAs that began or ended, barriers that were passed */
	uint64_t look_at, patience;   /* warp instruction at which to look again; how many it waits */
	struct livelock *livelock;    /* NULL: not looking */
	unsigned let_go;              /* livelocks in a row that made other lanes go on */
	uint64_t reported;            /* instructions at the last report of progress */
	/* of what follows; whoever set `producing` owns all else that execution changes */
	pthread_mutex_t lock;
	pthread_cond_t made; /* records were made, or a consumer may make some that might not before */
	bool producing;
	atomic_uint waiting;
	uint64_t line[RECORD_WORDS_MAX];
	unsigned nline;
	uint32_t value[VALUES_MAX * WARP_LANES];
};

/* The instruction of the kernel that x executes, or is a step of. */
static inline uint32_t insn_of(const struct engine *e, const struct xinsn *x)
{
	const uint32_t at = (uint32_t)(x - e->prog.code);

	return at < e->prog.ninsn ? at : e->prog.step_of[at - e->prog.ninsn];
}

bool program_decode(struct engine *e);
/* poison.c: kill, give, enter, over and extended of e->prog, which is decoded */
void poison_list(struct engine *e);

/* For the decoding of rows that other files know: operands of insn, the instruction that becomes x. */
struct decoder;
bool decode_source(struct decoder *dc, struct ref r, char letter, int32_t *out);
uint32_t decode_destination(struct decoder *dc, struct ref r, char letter);
bool texture_decode(struct engine *e, struct decoder *dc, const struct insn *i, struct xinsn *x);

/* ---- sreg.c ---- */
bool sreg_constant(const struct engine *e, enum sreg s, uint64_t *v); /* the same for the whole launch: its value */
void sreg_read(const struct engine *e, const struct cta *c, struct warp *w, enum sreg s, uint32_t t[WARP_LANES],
	       uint32_t hi[WARP_LANES]);
uint32_t sreg_reserved_smem(const struct kernel *k, uint32_t own_bytes); /* bytes to add to shared memory */

/* ---- exec.c ---- */
/* Executes at most w->budget instructions of w. */
void warp_run(struct engine *e, struct cta *c, struct warp *w);

/* ---- call.c ---- */
/* Where the active lanes of a call, return or computed branch go, each place once. */
struct part {
	uint32_t pc, lanes;
};
struct parts {
	uint32_t n;
	struct part p[WARP_LANES];
};
/* Transfers control: w->top is at the instruction before. False: a fault, reported. */
bool control_transfer(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		      struct parts *to);
/* Room for one more frame of paths. False: there are too many. */
bool levels_room(struct engine *e, struct warp *w);

/* ---- host.c, heap.c ---- */
bool host_call(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);
void requests_free(struct device *dev);                  /* device_runtime.c */
uint64_t heap_alloc(struct device *dev, uint64_t bytes); /* 0: none left */
bool heap_free(struct device *dev, uint64_t addr);       /* false: malloc did not give this */
bool heap_start(struct device *dev);                     /* reserves it, at the first launch that may use it */
/* in its range: are these bytes malloc's to the kernels? */
bool heap_holds(const struct device *dev, uint64_t addr, uint64_t bytes);
struct heap_block {
	uint64_t addr, bytes;
	enum { HEAP_NEVER, HEAP_FREED, HEAP_BEHIND } is;
};
/* What addr, in its range and of nobody, is: never given; given once and freed; or behind a block, which is told. */
struct heap_block heap_about(const struct device *dev, uint64_t addr);

/* ---- warp_ops.c ---- */
/* What came of an instruction at which lanes or warps meet: a fault, reported; done; it is executed again when its warp
 * goes on; or another path of the warp is on top now. */
enum step { STEP_FAULT, STEP_DONE, STEP_AGAIN, STEP_SWITCH };
/* X_WARP: x->target is the row, x->rpc the source that is the member mask, UINT32_MAX: none. */
enum step warp_op(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);

/* ---- spin.c: lanes that wait for each other ---- */
enum { SPIN_FIRST = 16, SPIN_OFTEN = 1024 };
/* a branch back at pc was executed, and it is time */
void spin_look(struct engine *e, struct warp *w, uint32_t pc);
/* memory_access(), while w->watching */
bool spin_memory(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);
void spin_changes(struct warp *w);                  /* something has changed, or may have, that others see */
void spin_together(struct warp *w);                 /* w->apart is looked at again */
bool spin_switch(struct engine *e, struct warp *w); /* other lanes of the warp go on, if there are any that can */

/* ---- livelock.c ---- */
void livelock_look(struct engine *e);  /* between visits, once e->look_at has executed */
void livelock_begin(struct engine *e); /* looks now, for a time that follows from e->patience */
void livelock_run(struct engine *e, struct cta *c, struct warp *w); /* instead of warp_run(), while e->livelock */
void livelock_free(struct engine *e);

/* ---- cluster.c ---- */
void cluster_place(const struct engine *e, struct cta *c);              /* where it is, by c->index */
struct cta *cluster_first(const struct engine *e, const struct cta *c); /* of the slots of its cluster */
bool cluster_gone(const struct engine *e, const struct cta *c);         /* all of its slots are empty */
/* No warp of c can run: nor will one, whatever the other CTAs of its cluster do. */
bool cluster_stuck(const struct engine *e, const struct cta *c);
/* Whose shared memory an address of its space from CLUSTER_OFFSET on is in; NULL: there is no CTA of that rank, or it
 * has exited. */
const struct cta *cluster_peer(const struct engine *e, const struct cta *c, uint64_t at, uint32_t *rank);
/* The shared memory, of e->shared_bytes, that an address of its space is in; *at becomes the offset there. NULL: there
 * is none. */
unsigned char *cluster_shared(const struct engine *e, const struct cta *c, uint64_t *at);

/* ---- barrier.c ---- */
enum step barrier_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);
void barrier_lanes_gone(struct engine *e, struct cta *c);

/* ---- mbarrier.c, async.c: false: a fault, reported ---- */
bool mbarrier_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec,
		      uint32_t global, unsigned char *const mem[WARP_LANES]);
bool mbarrier_complete_tx(struct engine *e, struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
			  unsigned char *mem, uint32_t bytes);
bool async_copy(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);

/* ---- memory.c ---- */
/* The space that an address of a space, or generic, is in, and its memory without any report: NULL, nothing is there.
 * *n: bytes that follow in it. */
enum space memory_space(enum space s, uint64_t addr);
unsigned char *memory_byte(const struct engine *e, const struct cta *c, const struct warp *w, enum space s,
			   unsigned lane, uint64_t addr, unsigned *n);

/* The word of a record that says how many passes over the banks of shared or constant memory an access takes. */
static inline uint64_t memory_pass_word(enum space s, uint64_t offset, unsigned pass)
{
	return (uint64_t)s << 56 | (offset & 0xffffff) << 32 | pass;
}

/* One memory instruction; fills e->line when records are made. False: a fault, reported. */
bool memory_access(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);

/* Bytes of global memory as the host's. NULL: a fault, reported, of the first `piece` of them that is misaligned, is
 * not there or may not be read (written). */
unsigned char *memory_global(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane,
			     uint64_t addr, unsigned bytes, unsigned piece, bool write);
/* Bytes [addr, addr + bytes) of global or shared space, or generic, as host memory. False: a fault, reported. */
/* at: address in its own space */
struct span {
	unsigned char *host;
	enum space space;
	uint64_t at;
};
bool memory_span(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane, enum space s,
		 uint64_t addr, unsigned bytes, bool write, struct span *out);

/* Where an access of a space, or generic, is, without any report: PLACE_OTHER is all that nobody looks at. */
struct memory_place {
	enum space space;
	struct cta *owner;     /* of shared and local memory */
	struct allocation *al; /* of global memory */
	uint64_t at;           /* from the start of its memory */
	unsigned char *host;   /* of local memory NULL */
};
enum reach { PLACE_INSIDE, PLACE_OUTSIDE, PLACE_OTHER };
/* p->al: a guess, or NULL */
enum reach memory_place(struct engine *e, struct cta *c, enum space s, uint64_t addr, unsigned bytes, bool write,
			struct memory_place *p);

/* Where a warp's local memory lies in records: above all global memory, its own region for each warp of the launch. */
static inline uint64_t warp_local_base(const struct engine *e, const struct cta *c, const struct warp *w)
{
	return LOCAL_LINES + (c->index * e->warps + w->index) * engine_local_lines(e) * LINE_BYTES;
}

/* ---- coalesce.c ---- */
/* Lines of global memory in the order of the first active lane that touches them, with their sectors. */
#define EACH_ACTIVE(l, exec) \
	for (uint32_t left_ = (exec), l; left_ && (l = (uint32_t)__builtin_ctz(left_), 1); left_ &= left_ - 1)
unsigned coalesce_lines(const uint64_t addr[32], uint32_t exec, unsigned bytes, uint64_t line[]);
/* The same of all bytes from FIRST on: all lanes, one behind the other or at one place. */
unsigned coalesce_span(uint64_t first, unsigned bytes, uint64_t line[]);
/* Lines of n accesses of `bytes`, none of which crosses a line, in order. */
unsigned coalesce_pieces(const uint64_t addr[], unsigned n, unsigned bytes, uint64_t line[]);
/* Lines of local memory, interleaved by word: the address of lane l's byte o is base + (o / 4) * 128 + l * 4. */
unsigned coalesce_local(uint64_t base, const uint64_t offset[32], uint32_t exec, unsigned bytes, uint64_t line[]);
/* As in the low half of the record's word: passes, and different words moved. */
unsigned shared_passes(const uint64_t offset[32], uint32_t exec, unsigned bytes, bool atomic);
/* Of a load, to be added: passes in which GPUs since Volta serve it where pairs of lanes want the same words and
 * none is in the way of another, twice as many lanes at once as else; 0: they do not. */
unsigned merged_passes(const uint64_t offset[32], uint32_t exec, unsigned bytes);
unsigned const_passes(const uint64_t offset[32], uint32_t exec);

/* ---- order.c ---- */
/* Why the order of CTAs may show in what k leaves, in a; NULL: it cannot. *must: also to those who do not mind. */
const char *order_shows(const struct kernel *k, struct arena *a, bool *must);
/* The same of machine code, whose instructions do these steps. */
struct sass_steps;
const char *order_shows_native(const struct kernel *k, const struct kernel *steps, const struct sass_steps *of,
			       struct arena *a, bool *must);
/* Sets e->ordered and e->together by what one of these has said. */
void engine_choose_order(struct engine *e, const char *shows, bool must);

/* ---- team.c ---- */
void team_new(struct engine *e, unsigned threads); /* e->window: CTAs in flight if a livelock is looked for */
bool team_run(struct engine *e);
void team_free(struct engine *e);

/* ---- engine.c ---- */
void cta_start(struct engine *e, struct cta *c); /* CTA e->next_cta, in an empty slot */
void cta_visit(struct engine *e, struct cta *c); /* leaves the slot empty if the CTA has ended */
/* one visit of the canonical order. False: the launch is finished, has failed or is stopped */
bool engine_advance(struct engine *e);

/* ---- sanitizer.c, sanitize_sync.c, sanitize_race.c: all but the first only while e->sanitizing ---- */
void sanitize_begin(struct engine *e); /* if the device has a sanitizer */
void sanitize_cta(struct engine *e, struct cta *c);
/* memory_access(), or spin_memory(), of what may be made */
bool sanitize_memory(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec);
/* A lane reads or writes bytes that are in memory. */
void sanitize_span(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane, enum space s,
		   uint64_t addr, unsigned bytes, bool write);
/* Instead of `bytes` from addr on, of which `piece` at addr are outside memory: zeros that nobody else reads. NULL: it
 * is a fault. */
unsigned char *sanitize_outside(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned lane,
				enum space s, uint64_t addr, unsigned piece, unsigned bytes);
/* These lanes of the warp come to a barrier of a CTA, for so many threads; to the others of `mask` that are alive. */
void sync_arrive(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t exec, unsigned id,
		 uint32_t threads);
void sync_members(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, uint32_t mask, uint32_t live);
void race_arrive(struct engine *e, struct cta *c, struct warp *w, unsigned barrier);
void race_complete(struct engine *e, struct cta *c, unsigned barrier); /* before those who wait go on */
void race_meet(struct engine *e, struct cta *c, struct warp *w);
void race_release(struct engine *e, struct cta *c, struct warp *w);
void race_acquire(struct engine *e, struct cta *c, struct warp *w);
void race_exit(struct engine *e, struct cta *c, struct warp *w);

/* ---- fault.c ---- */
/* Reports, once, what the instruction did in a lane of a warp (lane 32: the warp as a whole; no CTA: the kernel).
 * Returns false. */
bool fault_in(struct engine *e, enum fault_kind kind, const struct cta *c, const struct warp *w, uint32_t insn,
	      unsigned lane, const char *fmt, ...) __attribute__((format(printf, 7, 8)));
bool fault_address(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
		   enum space s, uint64_t addr, unsigned bytes);
bool fault_deadlock(struct engine *e, const struct cta *c);
/* What these would report, as *out: nothing has failed. */
void fault_describe(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
		    const char *what, struct launch_fault *out);
void fault_describe_address(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned lane,
			    enum space s, uint64_t addr, unsigned bytes, struct launch_fault *out);
bool fault_report(struct engine *e, enum fault_kind kind, uint32_t insn, const char *text); /* once; false */
/* Parts of reports, in arena a: " (FILE:LINE)" of an instruction, or ""; "instruction N, TEXT (FILE:LINE)"; a warp at a
 * barrier. */
const char *fault_line(const struct engine *e, uint32_t insn, struct arena *a);
const char *fault_insn(const struct engine *e, uint32_t insn, struct arena *a);
const char *fault_waiting(const struct engine *e, const struct cta *c, const struct warp *w, struct arena *a);

#endif

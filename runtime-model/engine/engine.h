/* The functional engine: executes one kernel launch, warp by warp, and hands out records. Knows nothing about time.
 *
 * Order (docs/ENGINE.md#order): CTAs enter a window of `window` CTAs in index order; the engine goes round the window,
 * and each CTA runs until each of its warps has executed QUANTUM instructions, has exited, or waits at a barrier. The
 * order depends on nothing else, so memory effects, and the result of races, are the same for every consumer and thread
 * count.
 *
 * Rules that the ISA leaves open: registers and memory start as zeros. A barrier is complete when all warps of the CTA
 * that have not exited have arrived, or bar.sync's count of threads; a warp arrives once, whichever of its lanes do.
 * %clock and %globaltimer count the warp's executed instructions. %smid is the CTA's index mod 16. Lanes of one store
 * to one address: the highest wins; atomics go in lane order. Arithmetic NaNs are canonical (lane.h). */
#ifndef REGLOOM_ENGINE_H
#define REGLOOM_ENGINE_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/record.h"
#include "runtime-model/engine/stop.h"

#include <stdio.h>

/* ---- device memory ---- */
/* Generic address windows: analyzer/ir/ir.h. CONST_WINDOW is bank 0, CONST_VARS_WINDOW bank 3. */

struct device; /* global memory and loaded modules; one per process run */
/* Where the memory of a device begins, in a launch file as in a CUDA process: as on Linux, where the driver takes
 * addresses below the libraries of the process, so that their upper words need two bytes and their lower ones four. */
#define DEVICE_START UINT64_C(0x7e90d2000000)
/* 64 GiB from DEVICE_START on. */
struct device *device_new(struct diag *d);
/* The same for launches of m's kernels: those with addresses of 32 bits get memory from GLOBAL_START to 4 GiB. */
struct device *device_new_for(const struct module *m, struct diag *d);
/* One whose memory lies in [base, base + bytes), below 2^47. NULL with a diagnostic if it cannot. */
struct device *device_new_at(struct diag *d, uint64_t base, uint64_t bytes);
void device_free(struct device *dev);
/* Reserves bytes of zeroed global memory at the lowest address where a driver might put them, with red zones around
 * (allocation.c); 0 with a diagnostic on failure. Addresses depend on the order of calls alone. */
uint64_t device_alloc(struct device *dev, const char *name, uint64_t bytes);
/* The same at an address where nothing is yet, in the device's range or not. False with a diagnostic. */
bool device_alloc_at(struct device *dev, const char *name, uint64_t addr, uint64_t bytes);
/* Gives back what these gave. False: nothing that they gave begins at addr. */
bool device_release(struct device *dev, uint64_t addr);
/* The same with memory of the caller, at an address of his choice from GLOBAL_START to 2^47, in the device's range or
 * not, where nothing is yet; `host` as the address modulo 16. It must stay until device_unmap(). False with a
 * diagnostic. */
bool device_map(struct device *dev, const char *name, uint64_t addr, uint64_t bytes, void *host);
bool device_unmap(struct device *dev, uint64_t addr);
/* What either gave at addr lies at `host` from now on, as if device_map() had put it there: memory that is zeroed and
 * gets what it holds. No launch runs. */
void device_move(struct device *dev, uint64_t addr, void *host);
/* Others may write what lies at addr from now on, also while launches run, and read what these write; atomics are the
 * host's, as those of launches become. */
void device_share(struct device *dev, uint64_t addr);
bool device_shared(const struct device *dev); /* there is such memory: a copy of it (copy.h) cannot be made */
/* As device_map(), of a range, from a multiple of GRANULE_BYTES on, whose granules become memory one by one: at first
 * each is GRANULE_NONE. Only what may be read or written is touched at `host`. */
/* nothing is there; it is, but may not be touched; read; read and written */
enum granule { GRANULE_NONE, GRANULE_CLOSED, GRANULE_READ, GRANULE_OPEN };
enum { GRANULE_BYTES = 2 << 20 };
bool device_reserve(struct device *dev, const char *name, uint64_t addr, uint64_t bytes, void *host);
/* Of the granules in [addr, addr + bytes), inside one such range. Textures in what becomes GRANULE_NONE have no texels
 * from then on. */
void device_set_granules(struct device *dev, uint64_t addr, uint64_t bytes, enum granule state);
/* there is such a range: a copy of its memory (copy.h) cannot be made */
bool device_granular(const struct device *dev);
/* The lowest address in the device's range, a multiple of `align` (a power of two), where device_alloc() might put so
 * many bytes; 0: none. */
uint64_t device_place(const struct device *dev, uint64_t bytes, uint64_t align);
/* The same, but for what the program does not allocate itself (variables, the heap): not where it has freed something
 * of late, so that what still points there is found. Where there is no other room, there. */
uint64_t device_place_apart(const struct device *dev, uint64_t bytes, uint64_t align);
/* Host pointer to [addr, addr + bytes) of one allocation; NULL if it is not inside one, or may not be read. */
void *device_ptr(struct device *dev, uint64_t addr, uint64_t bytes);
/* All memory of the device that may be read, piece by piece: the first one that ends behind addr, from there on. False:
 * there is none. */
struct device_memory {
	uint64_t addr, bytes;
	const unsigned char *host;
	const char *name; /* as long as the memory is there */
	bool heap;        /* malloc's */
};
bool device_memory_from(const struct device *dev, uint64_t addr, struct device_memory *m);
/* Places m's .global and .const variables and applies their initialisers; those in `placed` go where that says. False
 * with a diagnostic. */
/* A .global variable: as device_map(), or with host NULL as device_alloc_at(). A .const variable: its address in global
 * memory. */
struct placed {
	uint32_t sym;
	uint64_t addr;
	void *host;
};
bool device_load(struct device *dev, const struct module *m);
bool device_load_at(struct device *dev, const struct module *m, const struct placed *placed, uint32_t n);
/* Loads m, read from the same text as `of`, which is loaded, for other kernels: the variables of the module are those
 * of `of`, its kernels' own are m's. Loaded already, it sees what has been written to constants of the module since.
 * False with a diagnostic. Unload it before `of`. */
bool device_load_with(struct device *dev, const struct module *m, const struct module *of);
/* Frees m's variables. No launch of m may be under way. False: it is not loaded. */
bool device_unload(struct device *dev, const struct module *m);
/* Where printf writes (NULL, as at first: nowhere), and how much malloc may give (0: HEAP_DEFAULT); before the first
 * launch. */
/* bytes, as in CUDA */
enum { HEAP_DEFAULT = 8 << 20, STACK_DEFAULT = 1024 };
void device_set_host(struct device *dev, FILE *print, uint64_t heap_bytes);
/* What it approximates, launches take from that table (mufu.h), which must stay; NULL, as at first: as the engine does.
 * Before the first launch. */
struct mufu_table;
void device_set_mufu(struct device *dev, const struct mufu_table *t);
bool device_set_heap(struct device *dev, uint64_t bytes); /* false: too late, a launch has used it */
/* ---- what kernels ask the device's runtime for: work that begins when their grid has ended ---- */
enum device_request_kind { REQUEST_LAUNCH, REQUEST_COPY, REQUEST_FILL, REQUEST_CONDITION };
struct device_request {
	enum device_request_kind kind;
	bool tail; /* after all others of the grid, and what these ask for */
	/* of a launch: kernel_address(); as many bytes of the parameters as are not zeros at the end */
	uint64_t kernel;
	uint32_t grid[3], block[3], shared, param_bytes;
	const void *param;
	/* of a copy; of a filling `from` is the value of a byte; of the condition `to` of a graph, its value */
	uint64_t to, from, bytes;
};
/* There are some only where somebody does what is asked: before the first launch. is_condition: whether a graph has a
 * condition with that handle. */
void device_serve_requests(struct device *dev, bool (*is_condition)(uint64_t handle));
/* Those of the launches so far, in order, in arena a; there are none then. */
struct device_request *device_requests(struct device *dev, uint32_t *n, struct arena *a);
/* a sum over calls of printf of their texts, whatever their order, written or not */
uint64_t device_printed(const struct device *dev);
/* a .global variable's address, or 0 */
uint64_t device_symbol(struct device *dev, const char *name, uint64_t *bytes);
/* The address of m->sym[sym]; 0: it is no .global variable, external, or m is not loaded. */
uint64_t device_variable(const struct device *dev, const struct module *m, uint32_t sym);
/* The address in global memory of a .const variable, through which host and kernels may read and write it too; 0: it is
 * none. */
uint64_t device_constant(struct device *dev, const struct module *m, uint32_t sym);
/* The same, but 0 if nobody has asked for it. */
uint64_t device_constant_known(const struct device *dev, const struct module *m, uint32_t sym);
/* The bytes of a .global or .const variable of m; NULL: it is none, external, or m is not loaded. */
void *device_variable_bytes(struct device *dev, const struct module *m, uint32_t sym);
/* Where cooperative launches have their barrier, which is placed there if there is none yet (addr not 0). 0: there is
 * none. */
uint64_t device_grid_barrier(struct device *dev, uint64_t addr);

/* Launches are looked at by s (sanitizer.h) from now on; NULL: by nobody. */
struct sanitizer;
void device_set_sanitizer(struct device *dev, struct sanitizer *s);
/* What it is to know of bytes inside one allocation: nobody has written them; the host has, as all memory counts until
 * the first is said; they are a copy of others. */
void device_unwritten(struct device *dev, uint64_t addr, uint64_t bytes);
void device_written(struct device *dev, uint64_t addr, uint64_t bytes);
void device_copied(struct device *dev, uint64_t to, uint64_t from, uint64_t bytes);

/* ---- textures, samplers, surfaces: docs/NUMERICS.md#textures-and-surfaces ---- */
struct sampler {
	bool linear, normalized;
	uint8_t address[3]; /* enum address_mode (texture.h) of x, y, z */
	/* with ADDRESS_BORDER: channels that the resource has, as a register holds them */
	uint32_t border[4];
	bool mip_linear;       /* between levels of detail */
	float bias, low, high; /* added to a level of detail; which is then clamped */
};
struct resource {
	const char *name;
	uint8_t reference; /* enum reference; a sampler has only the sampler */
	uint8_t dims;      /* 1 to 3, of a cube 2 */
	bool array, cube;
	uint32_t size[3], layers; /* texels of x, y, z, at least 1; layers of an array, cubes of one of cubes */
	uint8_t channels;         /* 1, 2, 4 */
	enum scalar_type type;    /* of a channel: u8 s8 u16 s16 u32 s32 f16 f32 */
	bool as_float;            /* 8- and 16-bit integers are read as floats of [0, 1] or [-1, 1] */
	struct sampler sampler;
	/* address of the texels: x runs fastest, then y, z, layer; faces of a cube are layers */
	uint64_t data;
	uint64_t pitch; /* bytes from a row to the next; 0: no gap between them */
	/* of detail, one behind the other, each half as large as the one before; 0: one. Without pitch */
	uint8_t levels;
};
/* Level n of r, as a resource of its own. */
struct resource device_level(const struct resource *r, unsigned n);
/* Adds it; module variables of its name, in modules loaded before, stand for it. Its handle, or 0 if `data` is not that
 * large. */
uint64_t device_resource(struct device *dev, const struct resource *r);
/* The same with that handle, which device_resource_next() gave of another device; 0 also if it is in use, or none. */
uint64_t device_resource_at(struct device *dev, const struct resource *r, uint64_t handle);
/* The first resource from number *n on, which then is the next one's. False: there is none. Those whose memory was
 * freed are left out. */
bool device_resource_next(const struct device *dev, uint32_t *n, struct resource *r, uint64_t *handle);
bool device_has_references(const struct device *dev);           /* variables of modules stand for some of them */
bool device_resource_free(struct device *dev, uint64_t handle); /* false: device_resource() did not give it */

/* ---- a launch ---- */
struct launch {
	const struct module *m;
	const struct kernel *k; /* either form */
	uint32_t grid[3], block[3];
	uint32_t cluster[3];     /* CTAs; zeros: as the kernel says, else one */
	uint32_t dynamic_shared; /* bytes */
	uint32_t stack_bytes;    /* of a thread, for recursive functions; 0: STACK_DEFAULT */
	const char *stack_by;    /* who says so, in messages; NULL: the launch file */
	const void *params;      /* k's parameter block, as laid out by k->param */
	uint32_t param_bytes;
	/* all CTAs in flight at once, and %envreg1 and 2 have the address of the grid's barrier */
	bool cooperative;
};

/* Into n the CTAs of a cluster of l; their product, if it is at most CLUSTER_MAX. */
uint32_t launch_cluster(const struct launch *l, uint32_t n[3]);
/* What is wrong with l's clusters, by its kernel, grid, cluster and dynamic_shared, in a; NULL: nothing. */
const char *launch_cluster_wrong(const struct launch *l, struct arena *a);

struct engine_progress {
	uint64_t ctas_done, ctas, warp_insns;
};

/* CTAs in flight */
enum { WINDOW_DEFAULT = 256 };

bool sreg_is_clock(enum sreg s); /* it differs from moment to moment */

/* What instructions that read a clock are told (gpu/readings.h makes it), in cycles from the start of the launch. */
struct engine_clock {
	const void *ctx;
	/* the n-th of a warp, from 0 on; false: nobody knows */
	bool (*at)(const void *ctx, uint64_t cta, unsigned warp, uint64_t n, uint64_t *when);
	uint64_t start; /* cycles of the clock at the start of the launch */
	unsigned mhz;   /* for %globaltimer, which counts nanoseconds */
};

struct engine_options {
	unsigned want;      /* enum record_want; 0 with consumers == 0: execute only */
	unsigned consumers; /* readers of every stream; 0: no records are made */
	/* CTAs in flight, at least the largest residency; 0: WINDOW_DEFAULT. It decides the order of execution. */
	unsigned window;
	bool (*wanted)(const void *ctx, uint64_t cta); /* CTAs whose records are made; NULL: all */
	const void *wanted_ctx;
	const struct engine_clock *clock; /* NULL: a clock counts the instructions of its warp */
	/* overwrite registers that liveness calls dead in the lanes that execute (needs FACT_LIVE), and in machine form
	 * those that k->release calls dead in all lanes (FACT_RELEASE), and in the lanes that do not execute an
	 * instruction what it writes, if k->uniform calls that dead (FACT_UNIFORM). Of a variant: the extended set too,
	 * when a warp releases it; a fault if one names a register of it that does not hold it */
	bool poison;
	uint64_t poison_seed;
	/* of machine code: a fault where stall counts and barriers of dependence let an instruction read or write what
	 * is not delivered yet. Not with records or a profile */
	bool controls;
	/* that share out CTAs; 0: the canonical order. They go in any order where that cannot show
	 * (docs/ENGINE.md#threads) */
	unsigned threads;
	uint64_t alone; /* instructions that the first executes before the others begin; 0: 2^14 */
	bool any_order; /* also where it can, unless the host serves calls; with threads */
	/* by instruction: warps that execute it are added; NULL: not counted. Not with records or poison */
	uint64_t *profile;
	uint64_t record_bytes; /* memory for records, beyond which they lie in a file of TMPDIR; 0: 512 MiB */
	/* engine_run stops after so many warp instructions; engine_next, if one call makes so many and a visit of every
	 * CTA of the window besides without finding its record; 0: no limit */
	uint64_t max_insns;
	/* instructions in which nothing begins or ends, after which a livelock is looked for; 0: 2^22 */
	uint64_t patience;
	stop_flag stop; /* looked at between visits, so many times a millisecond */
	/* of engine_run, about every 2^17 instructions; or NULL */
	void (*progress)(void *ctx, const struct engine_progress *p);
	void *progress_ctx;
};

/* What ended a launch that failed, beside the diagnostic. */
enum fault_kind {
	FAULT_NONE,
	FAULT_BOUNDS,   /* outside memory, of any space; near address 0 too */
	FAULT_FREED,    /* in memory that was freed */
	FAULT_UNMAPPED, /* in a reserved range, where nothing is */
	FAULT_ACCESS,   /* where memory is that may not be touched, or not written */
	/* an address that can only be the host's: far from all memory of a device_new_at() */
	FAULT_HOST,
	FAULT_MISALIGNED,
	FAULT_SPACE,    /* a space that does not allow it */
	FAULT_STACK,    /* the stack is too small */
	FAULT_CLUSTER,  /* shared memory of a CTA that the cluster has not, or that has exited */
	FAULT_RESOURCE, /* no such texture, sampler or surface, another shape, or a place outside it */
	FAULT_ASSERT,
	FAULT_TRAP, /* the program asked for it */
	FAULT_HEAP, /* free() of what malloc() did not give */
	/* what the ISA does not allow: lanes that are missing, barriers that do not match, a call of no function */
	FAULT_ILLEGAL,
	FAULT_DEADLOCK,
	FAULT_LIVELOCK,
	FAULT_LIMIT,   /* nothing of the program's: no room for records */
	FAULT_TIMEOUT, /* who launched it stopped it; never of engine_fault() */
};
struct launch_fault {
	enum fault_kind kind;
	const char *text;                        /* of the diagnostic, without the position */
	const char *kernel, *insn_text, *source; /* source: "FILE:LINE", or "" */
	uint32_t insn;
	/* which of these hold: all of a CTA's warps may be meant, or all of a warp's lanes */
	bool has_cta, has_thread;
	uint32_t cta[3], thread[3], warp, lane;
	bool has_address;
	enum space space;
	uint64_t address; /* in its space; SP_GENERIC: as the program has it */
	uint32_t bytes;
	bool heap; /* at or behind what malloc of kernels gave */
};

struct engine_counts {
	uint64_t warp_insns, thread_insns, branches, divergent;
};

struct engine;
/* Checks the launch (dimensions, parameters, shared memory) and decodes the kernel. NULL with a diagnostic. */
struct engine *engine_new(struct device *dev, const struct launch *l, const struct engine_options *o, struct diag *d);
void engine_free(struct engine *e);
/* Runs to the end with no consumers, or behind the last record that any of them reads. False with a diagnostic: fault,
 * deadlock, livelock. False without one: stopped. */
bool engine_run(struct engine *e);
/* The same after all consumers have left, or without any: no more records are made. */
bool engine_finish(struct engine *e);
/* Why it failed; kind FAULT_NONE: it has not. Good until engine_free(). */
const struct launch_fault *engine_fault(const struct engine *e);
/* Why CTAs go in the canonical order, on one thread; NULL: they go in any, on engine_options.threads. */
const char *engine_ordered(const struct engine *e);
enum stop engine_stopped(const struct engine *e);
/* Whether it has stopped and how far it has come; `where`: the warps of the first CTA in flight. */
void engine_describe(const struct engine *e, struct stopped *out);
const struct engine_counts *engine_counts(const struct engine *e);
unsigned engine_warps_per_cta(const struct engine *e);
/* of a warp's local memory, in records: one for each word of its threads */
uint64_t engine_local_lines(const struct engine *e);
uint64_t engine_ctas(const struct engine *e);

/* Next record of warp w of CTA cta for consumer c, making records as needed. The record stays valid until the same
 * consumer's next call for the same warp. Each consumer reads each warp to its END, once, or until it leaves.
 *
 * Threads: consumers run on threads of their own, at the same time, and one consumer may use several threads, for
 * different warps. Whoever finds its record ready takes it without a lock. Else one thread makes records, a visit at a
 * time, and the others sleep until each visit is done. A consumer that is 32 MiB of records ahead of the slowest one
 * sleeps before it makes more; the slowest one never waits for another, so nothing can lock up while every consumer
 * goes on reading. */
enum record_status engine_next(struct engine *e, unsigned c, uint64_t cta, unsigned w, struct record *out);
/* The same if that record has been made, else LATER: makes none and never waits. */
enum record_status engine_made(struct engine *e, unsigned c, uint64_t cta, unsigned w, struct record *out);
/* Consumer c reads nothing more, so that others need not wait for it. None of its threads may be in engine_next. */
void engine_leave(struct engine *e, unsigned c);

#endif

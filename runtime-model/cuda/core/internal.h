/* The process's inside. Everything here is done with the lock held, unless it says otherwise. */
#ifndef REGLOOM_CUDA_INTERNAL_H
#define REGLOOM_CUDA_INTERNAL_H

#include "analyzer/base/kernel_name.h"
#include "analyzer/base/sha256.h"
#include "runtime-model/cuda/core/options.h"
#include "runtime-model/cuda/core/pool.h"
#include "runtime-model/cuda/core/shared.h"
#include "runtime-model/engine/sanitizer.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/launch/launch.h"

#include <locale.h>
#include <pthread.h>

/* Return addresses into the program, beyond our libraries, innermost first; NULL behind the last. */
enum { CALLERS = 4 };
struct caller {
	const void *frame[CALLERS + 1];
};
/* of device memory, or of host memory that the device sees */
struct allocation_row {
	uint64_t addr, bytes; /* of the device */
	unsigned char *host;  /* where its bytes are */
	unsigned char *seen;  /* where the program sees them; NULL: it must not */
	bool mapped;          /* host is of mmap() */
	enum cu_memory kind;
	unsigned flags;
	uint64_t id;
	struct caller by;                /* who allocated it */
	struct CUmemPoolHandle_st *pool; /* that it is of, or NULL */
	struct piece *piece;             /* that it lies in (ipc.c), or NULL */
};
/* of memory (pool.c), in process.a */
struct CUmemPoolHandle_st {
	struct CUmemPoolHandle_st *next;
	struct shared_file *file;             /* that its memory lies in, or NULL */
	bool live, imported;                  /* imported: the file is another process's */
	bool no_reuse[3];                     /* as the program has set, remembered */
	uint64_t most, threshold, used, high; /* bytes; most 0: no limit */
};

struct place {
	const char *name;
	uint64_t addr;
};
/* a kernel with what is known of launches of such CTAs, of the first of them */
struct annotated {
	struct annotated *next;
	unsigned block[3];
	uint32_t dynamic_shared;
	const struct kernel *k; /* the function's code */
	const char *why;        /* it has no variant, though one was asked for; or NULL */
	struct shown *shown;    /* shown.c; NULL: nobody asks */
};
struct cu_function {
	struct cu_module *module;
	const char *name;
	/* in machine form, of PTX alone in a module of its own; NULL: not needed yet, or */
	const struct kernel *k;
	enum cu_status why;          /* it cannot be compiled: */
	const char *reason;          /* in words */
	struct cu_function_info set; /* what is settable of it */
	struct totals *totals;       /* report.c; NULL: never launched */
	bool saved;                  /* a launch of it was (save.c) */
	struct annotated *annotated; /* in the module's arena */
	const struct kernel *code;   /* of these the first; NULL: never timed */
	struct cu_function *next;
};

enum module_state { MODULE_NEW, MODULE_READY, MODULE_BAD };
struct cu_module {
	struct cu_module *next;
	struct arena a;
	const char *name;
	const void *image;
	enum module_state state;
	enum cu_status why; /* MODULE_BAD; in words: */
	const char *reason;
	struct source code;    /* PTX, or */
	bool native;           /* a cubin */
	unsigned ptx_sm;       /* of the PTX that this comes from; 0: not known */
	const char *elsewhere; /* of PTX: "sm_75, sm_80", other GPUs for which there is machine code; or NULL, "" */
	char hash[SHA256_HEX]; /* of all that its kernels are made from, but for their names */
	struct module *m;      /* its variables; of machine code its kernels too, of PTX their names alone: */
	const char *names;     /* "\nname\nname\n", in the order of the code */
	uint32_t nkernel;
	struct cu_function *function; /* those that somebody has asked for */
	struct place *place;
	uint32_t nplace, place_cap;
	bool loaded;   /* its variables are on the device */
	bool uncached; /* nothing tells its compiler from others */
};

struct cu_stream {
	struct cu_stream *next;
	unsigned flags;
	int priority;
	uint64_t id, now; /* ns of modelled time at which all that was issued has ended */
	pthread_t owner;  /* of one per thread */
};
struct cu_event {
	struct cu_event *next;
	unsigned flags;
	/* ns at which what was recorded has ended, and 1; 0: nothing was. In `own`, or its piece */
	_Atomic uint64_t own, *done;
	struct piece *piece; /* that other processes have too (ipc.c), or NULL */
};

struct totals;
struct failure;
struct freed_row;
/* ---- own.c ---- */
struct own {
	int fd;
	dev_t device;
	ino_t inode;
};
void own_set(struct own *o, int fd);
bool own_is(const struct own *o);            /* still what it was; a handler of signals may ask */
bool own_give(const struct own *o, int *fd); /* another number of it, for the program; false, unchanged: it is not */
/* of ipc.c: a file in pieces */
struct shared_file {
	struct own own;
	uint64_t bytes;
};

struct process {
	pthread_mutex_t lock;
	/* numbers are read and written with a point, whatever the program has set; the calling thread's own while it is
	 * inside */
	locale_t plain, theirs;
	struct arena a;
	struct diag d; /* errors of the machinery: out NULL, text in d.last */
	struct cuda_options opt;
	struct cu_device device;
	const struct params *sm; /* its SM as far as occupancy goes */
	enum cu_status dead;     /* there is no device: why */
	enum cu_status sticky;
	struct device *dev;
	struct sanitizer *sanitizer;         /* of the device; NULL: nobody looks */
	const struct cu_function *launching; /* the last that began */
	uint64_t base, bytes, used;          /* the range of addresses; of memory, allocated */
	uint64_t ids;                        /* of allocations and streams */
	struct allocation_row *row;
	uint32_t nrow, row_cap;                                 /* by addr */
	struct virtual *virtual;                                /* virtual.c; NULL: not used yet */
	struct shared_file *shared;                             /* NULL: none yet */
	struct CUmemPoolHandle_st first_pool, *pool, *pool_now; /* the device's, the others; NULL: the device's */
	struct cu_module *module;
	struct cu_stream *stream, legacy;
	struct cu_event *event;
	void *gone[256];
	unsigned ngone; /* a ring of streams and events; destroyed so far */
	struct cu_array *array;
	struct cu_mipmap *mipmap;
	struct cu_textures *texture;
	struct freed_row *freed;
	uint32_t nfreed; /* a ring; freed so far */
	uint64_t limit[CU_LIMIT_COUNT];
	uint64_t host_now;                   /* ns: what the host has waited for */
	uint64_t all_wait;                   /* ns: before this nothing begins that is issued from now on */
	uint64_t launches, not_launched;     /* that were asked for; of them, that were refused before they began */
	bool chosen;                         /* one of them was, by the options that choose */
	uint64_t timed_insns, *timed_cycles; /* by configuration */
	struct totals *totals;
	struct failure *failure, **failure_end; /* in the order of their launches */
	struct timing *timing;                  /* of launches that are timed; timed.c */
	struct shown *shown;                    /* kernels that are explained and the like; shown.c */
	struct watch *watched;                  /* what happens in each cycle of all that are timed; NULL: not yet */
	const struct kernel **code; /* whose code is on the device: of each function that was timed, in order */
	uint32_t ncode, code_cap;
	FILE *print;
	char *printed;
	size_t nprinted;      /* what kernels have printed and the program has not seen */
	uint64_t print_total; /* bytes that it has, or will have, seen */
	bool print_cut;       /* it is not all: it has been said */
	bool cut;             /* a launch was stopped at a limit, or not all that kernels printed was shown */
	struct own report;    /* file; fd -1: none */
	unsigned explained;   /* bits of enum explained */
	bool forks;           /* it has had children */
	bool report_lost;     /* a line could not be written */
	int status;           /* that the program exits with, once it does */
	uint64_t started_ns;
};
extern struct process process;

/* ---- process.c ---- */
/* Locks; CU_OK, or why nothing can be done, unlocked. */
enum cu_status enter(void);
/* for what a program does before it uses the device: a fork after that alone has a device */
enum cu_status enter_registration(void);
enum cu_status enter_anyway(void);      /* also after a launch that failed */
enum cu_status leave(enum cu_status s); /* unlocks */
/* frees it, after the next 256: until then no new handle is equal to it, and its use is told */
void handle_gone(void *handle);
bool explains(enum explained e); /* it would be said: for reasons that take long to find */
void explain(enum explained e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "regloom: " and a line on stderr; needs no lock */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void heard(const char *text); /* said to the user: who listens gets it too */
const char *last_error(void); /* of process.d, and forgets it; needs one to be there */
void flush_prints(void);
/* Calls it with the stack that compiling and executing want: a program's threads may have little. */
void with_stack(void (*f)(void *), void *ctx);
bool is_first_process(void); /* that regloom-run became, none of those that it started */
uint64_t clock_ns(void);     /* the host's */

/* ---- host.c: the range of addresses, whom a fault belongs to ---- */
bool host_reserve(struct process *p); /* process.base and .bytes; false with a diagnostic */
struct caller host_caller(void);
/* "main, app.cu:12", "app+0x1234", "?". Wrappers of CUDA's headers, as the template cudaMalloc(), do not count. */
const char *host_symbol(const struct caller *by, struct arena *a);
void host_watch(void);           /* accesses of device memory by host code are explained */
void host_check_libraries(void); /* once: says which foreign runtime is loaded too */

/* ---- watch.c: a launch while it runs, on a terminal and when a signal ends the program ---- */
/* from now on it is shown */
void watch_begin(const struct cu_function *f, const struct cu_launch *l, uint64_t number);
void watch_executing(void *none, const struct engine_progress *p); /* callbacks of the engine and of the model */
void watch_timing(void *none, const struct sim_progress *p);
void watch_end(uint64_t warp_insns);      /* that it executed */
stop_flag watch_flag(void);               /* raised when the launch comes to a limit: */
const char *watch_limit(struct arena *a); /* which, and where it was then; NULL: it has come to none */
/* what a report is made of is not touched until watch_release() by another than who asks */
void watch_hold(void);
void watch_release(void);
void watch_start(void); /* handles SIGINT and SIGTERM, if the program left them as they were */
void watch_stop(void);
void watch_say(FILE *f); /* of a signal that came: in which launch; else nothing */

/* ---- memory.c ---- */
struct freed_row {
	uint64_t addr, bytes;
	enum cu_memory kind;
	struct caller by, freed;
};
const struct freed_row *row_freed(uint64_t addr); /* the last one freed that held addr, of the latest few; NULL */
const char *memory_kind(enum cu_memory kind);
struct allocation_row *row_find(uint64_t addr); /* the one that holds addr, of the device; NULL */
struct allocation_row *row_near(uint64_t addr); /* else the nearest one; NULL: there is none */
enum cu_status row_add(uint64_t *addr, uint64_t bytes, uint64_t align, enum cu_memory kind, unsigned flags,
		       struct caller by);
void row_insert(struct allocation_row r); /* of addresses that the device has */
void row_remove(struct allocation_row *r);
void memory_reset(void);
void pools_reset(void); /* pool.c; with nothing allocated */

/* ---- virtual.c: of what is mapped in reserved addresses ---- */
/* the mapping that holds addr; false: there is none */
bool virtual_find(uint64_t addr, uint64_t *at, uint64_t *bytes, uint64_t *id);
/* on the host; NULL: some of it is not mapped, or may not be accessed */
unsigned char *virtual_bytes(uint64_t addr, uint64_t bytes, bool write);
void virtual_reset(void); /* before memory_reset() */

/* ---- ipc.c ---- */
/* A file of memory, without a name in any folder: with handles of memory and events; of cuMemCreate(), of a pool, which
 * other processes may be given; of cuMemCreate(), which they may not. */
enum file { FILE_HANDLES, FILE_MEMORY, FILE_POOL, FILE_DEVICE };
int file_new(enum file kind);            /* -1: no more can be opened */
bool is_file_of(int fd, enum file kind); /* of this process, or of another one */
/* The row's memory lies in f from now on, zeroed if it was. */
bool row_share(struct allocation_row *r, struct shared_file *f);
/* A handle of what row_share() put there, and what others make of it. */
void piece_write(char h[CU_POINTER_BYTES], const struct piece *x);
enum cu_status piece_row(struct allocation_row *r, int file, const char h[CU_POINTER_BYTES]);
void piece_end(struct piece *x); /* this process has it no longer; if it is its own, nobody may open it */

/* ---- module.c, image.c, extent.c, cache.c ---- */
/* How images begin; others are texts. */
enum {
	IMAGE_TEXT,
	IMAGE_WRAPPER = 0x466243b1,
	IMAGE_CONTAINER = (int)0xba55ed50,
	IMAGE_ELF = 0x464c457f,
	IMAGE_WRAPPER_BYTES = 24
};
int image_magic(const void *image);
enum cu_status function_need(struct cu_function *f); /* it is compiled and, with its module, on the device */
/* f's kernel, which is compiled, for launches like x, whose k it is. */
struct annotated *function_annotated(struct cu_function *f, const struct launch *x);
/* From now on this code of f is on the device, as that of a kernel that is timed. */
void function_code(struct cu_function *f, const struct kernel *k);
void modules_reset(void); /* their variables are not on the device any more */
/* Why a launch of that kernel cannot be, for status s: what is wrong with the image, or with the kernel. */
const char *kernel_reason(const struct cu_module *m, const char *name, enum cu_status s);
/* What of an image is executed on the device, in arena m->a: m->code, of machine code m->m too. What is wrong is said,
 * and m->reason. */
enum cu_status image_read(struct cu_module *m);
/* likewise, of what process.d says; returns s */
enum cu_status image_bad(struct cu_module *m, enum cu_status s);
/* n modules as one text, in arena a; *clash: a name that two of them define, or NULL. */
const char *link_modules(const struct source *ptx, unsigned n, const char **clash, struct arena *a);
/* What is compiled at a time: a kernel, or the variables of a module, with the names of its kernels as m->names. */
struct object {
	void *bytes;
	size_t n;
	const char *names;
};
/* Adds what tells this compiler from any other; false: nothing does, and nothing must be kept. */
bool cache_compiler(struct sha256 *s);
bool cache_get(struct object *o, const char *key, struct arena *a);
/* Only one process at a time makes an entry: cache_lock() waits until nobody does; -1: there is no cache, nothing is
 * kept. */
int cache_lock(const char *key);
void cache_put(const struct object *o, const char *key);
void cache_unlock(int lock);

/* ---- launch.c, fault.c ---- */
uint64_t function_shared(const struct cu_function *f); /* static */
struct measured;
/* of a launch, as it is said; in process.a */
struct failure {
	struct failure *next;
	uint64_t launch;
	enum cu_status status;
	enum fault_kind kind;                                                /* NONE: it could not be launched */
	const char *kernel, *symbol, *module, *what, *text, *where, *memory; /* memory: or NULL */
	struct launch_fault at;                                              /* its texts are not kept */
};
const char *fault_name(enum fault_kind k); /* in reports: "bounds" */
/* and of process.d; kept in process.failure */
/* A sanitizer's: of the launch under way. */
void finding_say(void *none, const struct finding *f);
const struct failure *fault_say(const struct cu_function *f, uint64_t number, const struct measured *m);

/* ---- stream.c ---- */
struct cu_stream *stream_of(struct cu_stream *s); /* NULL: invalid */
uint64_t stream_start(struct cu_stream *s);       /* when what is issued now begins */
void stream_end(struct cu_stream *s, uint64_t at);
void stream_wait_host(struct cu_stream *s); /* the host waits for it */
void streams_reset(void);
struct cu_event *event_new(unsigned flags); /* NULL: there is no memory */
void event_end(struct cu_event *e);
enum cu_status enter_event(const struct cu_event *e); /* enter(); INVALID_HANDLE: there is no such event */

/* ---- timed.c ---- */
/* What one launch came to. Counters of each configuration are in arena a. */
/* TIMED: by one configuration at least */
enum launch_mode { MODE_FUNCTIONAL, MODE_TIMED };
enum { NOTES = 4 + RACE_KINDS };
struct configured {
	bool ok, stopped, sampled;
	uint64_t sample_needs;
	const char *refused;
	const char *note[NOTES]; /* what is to be said though it ran */
	unsigned nnote;
	struct stats stats;
	double error;
};
struct measured {
	enum launch_mode mode;
	uint64_t start_ns;                 /* of its stream, modelled */
	uint64_t warp_insns, thread_insns; /* executed */
	uint64_t ns;                       /* modelled, */
	bool estimated;                    /* or estimated from instructions */
	double seconds;                    /* of the host */
	struct configured *config;         /* by configuration, if it was to be timed */
	struct launch_fault fault;         /* of a launch that failed while it ran */
	struct shown *shown;               /* of its kernel, or NULL */
	struct arena *a;
};
void measured_fault(void *m, const struct launch_fault *f); /* keeps it */
/* to the device: machines whose L2 sees copies have it there */
void timed_copied(uint64_t addr, uint64_t bytes);
/* Of device memory to device memory, and all of it that byte: as cu_copy() and cu_fill(), inside a call. */
enum cu_status memory_copy(uint64_t to, uint64_t from, uint64_t bytes, struct cu_stream *s);
enum cu_status memory_set(uint64_t addr, uint8_t value, uint64_t bytes, struct cu_stream *s);
/* The kernel with that kernel_address(), or NULL. */
struct cu_function *module_kernel(struct cu_module *m, uint64_t address);
/* Of a function that is one, on a stream that is one. */
enum cu_status launch_function(const struct cu_launch *l, struct cu_stream *stream);
void launch_children(const struct cu_launch *from, struct cu_stream *s); /* what its kernel asked for (child.c) */
/* Executes it alone; clock: what its reads of clocks give, or NULL. */
bool launch_functional(const struct launch *x, struct measured *m, const struct engine_clock *clock, struct diag *d);
bool launch_timed(struct cu_function *f, const struct launch *l, struct measured *m, struct arena *a, struct diag *d);
bool kernel_uses_heap(const struct kernel *k); /* malloc, free, launches from kernels */
/* Of the first configuration: its L2, NULL if that is cold at each launch; where the code of f's next launch begins. */
const struct l2 *timed_l2(void);
uint32_t timed_code_before(const struct cu_function *f);

/* ---- shown.c ---- */
/* What is shown of f's kernel for such CTAs; NULL: nobody asks. */
struct shown *shown_of(const struct cu_function *f, struct annotated *n);
/* Who watches that configuration, or NULL. */
const struct gpu_probe *shown_probe(const struct shown *s, unsigned config);
/* A launch has ended; s may be NULL. */
void shown_launch(struct shown *s, const struct launch *x, const struct measured *m);
bool launch_counted(struct shown *s, const struct launch *x, struct measured *m, struct diag *d);
void shown_print(FILE *f, struct arena *a); /* behind the table */
void shown_end(void);                       /* writes files */

/* ---- save.c ---- */
/* x as a launch file has it, in a: each argument as a number, or of more than 8 bytes as several. */
struct launch_spec launch_spec_of(const struct launch *x, struct arena *a);
/* Before it is executed; what fails is said. */
void launch_save(struct cu_function *f, const struct launch *x, uint64_t number);

/* ---- report.c, table.c ---- */
/* a reason, or a note */
struct refusal {
	struct refusal *next;
	const char *why;
	uint64_t launches;
};
/* of a kernel, over its launches */
struct totals {
	struct totals *next;
	/* name: with a number behind it, if another image has a kernel of that symbol */
	const char *symbol, *name;
	const char *hash;      /* of its image */
	const char *code;      /* that it runs as, "ptx", "sass"; NULL: no launch of it has begun */
	const char *elsewhere; /* as that of its image */
	unsigned registers;
	/* launches: that ended; failed: beside them */
	uint64_t launches, failed, timed, warp_insns, thread_insns, threads, ns;
	bool estimated;               /* some of ns */
	bool chosen;                  /* some were to be timed */
	struct stats *stats;          /* by configuration */
	uint64_t *measured, *refused; /* launches, likewise: that were timed; that the configuration could not run; */
	/* of those that were timed; whole: for lack of CTAs, of which a sample needs */
	uint64_t *stopped, *sampled, *whole;
	double *error; /* of the cycles of those that were sampled */
	uint64_t *needs;
	bool *unlike;          /* it did not time the same work as the first one */
	struct refusal **why;  /* likewise, the first few reasons of refusals */
	struct refusal **note; /* and notes */
	uint64_t not_launched; /* launches that were refused before they began, and */
	struct refusal *why_not;
};
void report_launch(struct cu_function *f, const struct cu_launch *l, const struct measured *m, uint64_t number,
		   uint64_t start);
void report_failure(struct cu_function *f, const struct cu_launch *l, const struct failure *x);
/* m: that has the kernel, or NULL. */
void report_not_launched(const char *symbol, const struct cu_module *m, const struct cu_launch *l, uint64_t number,
			 enum cu_status s, const char *why);
void report_mark(bool on);
void report_interrupted(const struct cu_function *f, const struct cu_launch *l, uint64_t number, double seconds,
			uint64_t warp_insns, int sig);
void report_end(bool orderly); /* false: a launch may be under way */
void table_print(FILE *f, struct totals *const *list, unsigned n, struct arena *a);

/* ---- array.c ---- */
enum cu_status array_side(const struct cu_side *s, uint64_t *addr, uint64_t *pitch, uint64_t *rows, uint64_t *bytes,
			  const struct allocation_row **row);
void arrays_reset(void);

#endif

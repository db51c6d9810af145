/* A CUDA process on the model: device memory, modules, streams, launches. Knows no ABI of NVIDIA's: the runtime
 * (../runtime) and the driver interface (../driver) are thin layers over it, in libraries of their own that share this
 * one.
 *
 * Every function takes the one lock of the process, so any thread may call any. Work is done when it is issued:
 * launches, copies and host functions of all streams happen in the order of the calls, which every program without a
 * host-device handshake inside one kernel allows. What a clock would have shown is kept beside, by stream
 * (docs/CUDA.md#clocks). A status is a number of CUDA's, the same in both interfaces (status.def). Every function that
 * returns one starts the process if need be, and returns the error of a launch that failed before; those that return
 * nothing else do what they can. */
#ifndef REGLOOM_CUDA_CORE_H
#define REGLOOM_CUDA_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

enum cu_status {
#define STATUS(id, number, runtime, driver, text) CU_##id = number,
#include "runtime-model/cuda/core/status.def"
#undef STATUS
};
const char *cu_status_runtime_name(int status); /* "cudaErrorInvalidValue"; NULL: there is no such status */
const char *cu_status_driver_name(int status);  /* "CUDA_ERROR_INVALID_VALUE"; NULL */
const char *cu_status_text(int status);         /* "invalid argument"; NULL: there is no such status */

/* ---- process: cu_start() at the first call of anything; options come from the environment that regloom-run sets,
 * defaults otherwise ---- */
/* CU_OK, or why there is no device: NOT_INITIALIZED in a forked child */
enum cu_status cu_start(void);
/* The runtime says that it is in the process, whether or not its names are seen: it begins what the driver interface
 * alone has to be told to begin. */
void cu_runtime_enter(void);
bool cu_runtime_here(void);
/* the error of a launch that failed: every later call returns it until cu_reset() */
enum cu_status cu_sticky(void);
/* frees everything the device holds; modules stay registered, their variables are as at first */
enum cu_status cu_reset(void);
enum cu_status cu_synchronize(void); /* what kernels printed is out; the sticky error, if there is one */
/* What is said of errors by calls of this thread goes to `text` too, as far as it fits, until called with NULL. */
void cu_listen(char *text, size_t room);
void cu_missing(const char *function); /* says once on stderr that regloom has no FUNCTION yet */
void cu_mark(bool on);                 /* the profiler's start and stop: a row in the report */

/* What the machine description and --sm say in CUDA's terms. Lives as long as the process; never NULL. */
struct cu_device {
	const char *name;      /* "regloom gtx480" */
	unsigned major, minor; /* compute capability */
	unsigned sms, threads_per_sm, ctas_per_sm, warp, threads_per_cta;
	unsigned block[3], grid[3]; /* at most */
	unsigned registers_per_sm, registers_per_cta;
	uint64_t memory, constant, l2; /* bytes */
	/* of a CTA: without and with the attribute set; of each, the system's */
	uint64_t shared_per_sm, shared_per_cta, shared_optin, shared_reserved;
	unsigned clock_khz, memory_clock_khz, bus_bits;
	unsigned copy_engines, texture_align, pitch_align, surface_align;
	unsigned pci_domain, pci_bus, pci_device;
	unsigned char uuid[16];
};
const struct cu_device *cu_device(void);

/* bytes: of a thread's stack; the buffer; malloc's heap */
enum cu_limit { CU_LIMIT_STACK, CU_LIMIT_PRINTF, CU_LIMIT_HEAP, CU_LIMIT_COUNT };
/* of the heap: INVALID_VALUE once a kernel that uses it has run */
enum cu_status cu_limit_set(enum cu_limit l, uint64_t bytes);
enum cu_status cu_limit_get(enum cu_limit l, uint64_t *bytes);

/* ---- memory: addresses lie in one range that the process reserves, so no host pointer is one; a host access to device
 * memory is a SIGSEGV ---- */
struct cu_stream;
struct cu_event;
struct cu_array;
struct CUmemPoolHandle_st;
/* RESERVED: addresses alone (virtual.h); IMPORTED: another process's (ipc.h) */
enum cu_memory { CU_DEVICE, CU_MANAGED, CU_PINNED, CU_REGISTERED, CU_ARRAY, CU_RESERVED, CU_IMPORTED };
struct cu_range {
	uint64_t addr, bytes; /* as the device sees it */
	/* as the host does; NULL: it does not. MANAGED and PINNED: addr; REGISTERED: what was registered */
	void *host;
	enum cu_memory kind;
	unsigned flags;                  /* as given */
	uint64_t id;                     /* no two allocations of a process have the same */
	struct CUmemPoolHandle_st *pool; /* that it is of (pool.h); NULL: of none */
};
/* Zeroed. align: 0 or a power of two; 256 at least. bytes 0: INVALID_VALUE. */
enum cu_status cu_alloc(uint64_t *addr, uint64_t bytes, uint64_t align, enum cu_memory kind, unsigned flags);
/* CU_MANAGED for a variable of a module, not where something was freed of late: what still points there is found. */
enum cu_status cu_alloc_variable(uint64_t *addr, uint64_t bytes, unsigned flags);
/* *addr (or NULL): where the device sees it. HOST_MEMORY_ALREADY_REGISTERED: a part of it is. */
enum cu_status cu_register(uint64_t *addr, void *host, uint64_t bytes, unsigned flags);
/* addr: what cu_alloc() or, of REGISTERED, cu_register() was given. INVALID_VALUE: no such allocation of that kind
 * (freed twice, inside one); of REGISTERED: HOST_MEMORY_NOT_REGISTERED. */
enum cu_status cu_free(uint64_t addr, enum cu_memory kind);      /* the host waits for the device */
enum cu_status cu_give_back(uint64_t addr, enum cu_memory kind); /* it does not */
/* the range that holds addr, device's or host's; false: plain host memory */
bool cu_find(struct cu_range *out, uint64_t addr);
bool cu_graph_owns(uint64_t addr); /* freeing it is the graph's affair */
enum cu_status cu_memory_info(uint64_t *free, uint64_t *total);

/* A box of bytes; a side is an address (either world) with pitches, or an array. */
/* x in bytes; pitch bytes a row, rows a slice */
struct cu_side {
	uint64_t addr;
	struct cu_array *array;
	uint64_t pitch, rows;
	uint64_t x, y, z;
};
/* width in bytes */
struct cu_box {
	uint64_t width, height, depth;
};
enum cu_way { CU_HOST_TO_HOST, CU_HOST_TO_DEVICE, CU_DEVICE_TO_HOST, CU_DEVICE_TO_DEVICE, CU_BY_ADDRESS };
/* INVALID_MEMCPY_DIRECTION: no such way; INVALID_VALUE: not all of it lies in one allocation of the kind that `way`
 * says, a host side of which may be any host memory; INVALID_PITCH_VALUE: rows overlap. An empty box is copied. */
enum cu_status cu_copy(const struct cu_side *to, const struct cu_side *from, const struct cu_box *box, enum cu_way way,
		       struct cu_stream *s);
/* a box of one line */
enum cu_status cu_copy_line(uint64_t to, uint64_t from, uint64_t bytes, enum cu_way way, struct cu_stream *s);
/* height rows of width bytes, `pitch` apart (depth slices of `rows` rows); the low element_bytes (1, 2, 4) of value
 * again and again. */
enum cu_status cu_fill(uint64_t addr, uint64_t pitch, uint64_t rows, uint32_t value, unsigned element_bytes,
		       const struct cu_box *box, struct cu_stream *s);

/* ---- modules: fatbin (nvcc's wrapper struct, or the container), PTX text, cubin ---- */
/* Loading looks at nothing; what is wrong with an image comes from the first call that needs what is in it, and is said
 * on stderr then. Machine code is read as a whole; a kernel of PTX is compiled by the first call that asks for it by
 * name or asks what it is like, and a bad one spoils no other: INVALID_PTX comes of it alone. */
struct cu_module;
struct cu_function;
/* The bytes of an image, as it says itself, of a text with its zero; n: those that there are, 0: not known. 0, which is
 * said: there are not so many. */
size_t cu_image_bytes(const void *image, size_t n);
/* image must live as long; name: for messages, or NULL */
enum cu_status cu_module_load(struct cu_module **out, const void *image, const char *name);
/* looks into it now: NO_BINARY_FOR_GPU, INVALID_PTX, INVALID_IMAGE; for interfaces that say so at once */
enum cu_status cu_module_check(struct cu_module *m);
enum cu_status cu_module_unload(struct cu_module *m); /* its functions too, its variables are freed */
/* NOT_FOUND; the same each time */
enum cu_status cu_module_function(struct cu_function **out, struct cu_module *m, const char *name);
enum cu_status cu_module_count(unsigned *n, struct cu_module *m);                        /* kernels in it */
enum cu_status cu_module_nth(struct cu_function **out, struct cu_module *m, unsigned i); /* compiles nothing */
/* .global and .const alike; NOT_FOUND */
enum cu_status cu_module_variable(uint64_t *addr, uint64_t *bytes, struct cu_module *m, const char *name);
/* Before the module is first needed: variable NAME, .managed or a pointer to it, lives at `addr`, memory of
 * CU_MANAGED. */
enum cu_status cu_module_place(struct cu_module *m, const char *name, uint64_t addr);
/* n images as one PTX text, which the caller frees; names for messages. What is wrong is said on stderr and, in room
 * bytes, in `why`, which may be NULL. */
struct cu_link_input {
	const void *image;
	const char *name;
};
enum cu_status cu_link(char **text, const struct cu_link_input in[], unsigned n, char *why, size_t room);
struct cu_function_info {
	const char *name;
	struct cu_module *module;
	unsigned registers, max_threads;  /* of a thread; of a CTA */
	uint64_t shared, constant, local; /* bytes: static of a CTA; of the module; of a thread */
	unsigned nparam;
	int ptx, binary;             /* 80 for 8.0, 90 for sm_90 */
	uint64_t max_dynamic_shared; /* settable, */
	int carveout, cache;         /* remembered only */
	bool nonportable_cluster, cluster_must_be_set;
	/* that a launch must have; zeros: any. Settable where the kernel does not say it */
	unsigned cluster[3];
};
enum cu_setting {
	CU_MAX_DYNAMIC_SHARED,
	CU_CARVEOUT,
	CU_CACHE,
	CU_NONPORTABLE_CLUSTER,
	CU_CLUSTER_WIDTH,
	CU_CLUSTER_HEIGHT,
	CU_CLUSTER_DEPTH
};
/* compiles nothing; either may be NULL */
enum cu_status cu_function_name(const char **name, struct cu_module **m, struct cu_function *f);
bool cu_function_ready(struct cu_function *f); /* it has been compiled */
enum cu_status cu_function_info(struct cu_function_info *out, struct cu_function *f);
/* INVALID_VALUE: more shared memory than a CTA may have; NOT_PERMITTED: the kernel says its cluster */
enum cu_status cu_function_set(struct cu_function *f, enum cu_setting what, int64_t value);
/* INVALID_VALUE: there is no such one */
enum cu_status cu_function_param(struct cu_function *f, unsigned i, uint64_t *offset, uint64_t *bytes);
/* of an SM */
enum cu_status cu_occupancy(unsigned *ctas, struct cu_function *f, unsigned threads, uint64_t dynamic_shared);
/* Clusters of l that fit the device at once, and the CTAs of the largest one that l's kernel may have; l->grid is not
 * looked at. */
struct cu_launch;
enum cu_status cu_occupancy_clusters(unsigned *clusters, const struct cu_launch *l);
enum cu_status cu_occupancy_cluster_size(unsigned *ctas, const struct cu_launch *l);

/* ---- launches ---- */
struct cu_launch {
	struct cu_function *f;
	unsigned grid[3], block[3], cluster[3]; /* cluster: CTAs; zeros: as the function has it */
	uint64_t dynamic_shared;
	struct cu_stream *stream;
	void **param; /* the address of each parameter, or NULL and */
	const void *param_block;
	uint64_t param_bytes; /* the block as the kernel has it */
	bool cooperative;
};
/* Checks as CUDA does (INVALID_CONFIGURATION, INVALID_VALUE, LAUNCH_OUT_OF_RESOURCES, COOPERATIVE_LAUNCH_TOO_LARGE),
 * executes, times, reports. A kernel that fails makes the status sticky, which the launch itself does not return. */
enum cu_status cu_launch(const struct cu_launch *l);
/* A launch that cannot be, for s, which is returned: counted and reported as those that cu_launch() refuses. Of l->f
 * or, where there is no such function, of what m (or NULL) has of that name. why: NULL: what is wrong with the kernel,
 * or with its image. After a launch that failed it is that one's error alone. */
enum cu_status cu_launch_refused(const struct cu_launch *l, struct cu_module *m, const char *name, enum cu_status s,
				 const char *why);

/* ---- streams and events; NULL is the legacy default stream, CU_STREAM_PER_THREAD the calling thread's own ---- */
#define CU_STREAM_LEGACY ((struct cu_stream *)1)
#define CU_STREAM_PER_THREAD ((struct cu_stream *)2)
enum { CU_STREAM_NON_BLOCKING = 1 };
enum cu_status cu_stream_create(struct cu_stream **out, unsigned flags, int priority);
enum cu_status cu_stream_destroy(struct cu_stream *s); /* INVALID_HANDLE, of all these: it is none */
bool cu_stream_valid(const struct cu_stream *s);
enum cu_status cu_stream_get(const struct cu_stream *s, unsigned *flags, int *priority, uint64_t *id);
enum cu_status cu_stream_synchronize(struct cu_stream *s);
enum cu_status cu_stream_wait(struct cu_stream *s, struct cu_event *e);
/* called now, on the caller's thread, without the lock */
enum cu_status cu_stream_host(struct cu_stream *s, void (*f)(void *), void *data);
enum { CU_EVENT_BLOCKING = 1, CU_EVENT_NO_TIMING = 2, CU_EVENT_INTERPROCESS = 4 };
enum cu_status cu_event_create(struct cu_event **out, unsigned flags);
enum cu_status cu_event_record(struct cu_event *e, struct cu_stream *s);
enum cu_status cu_event_record_all(struct cu_event *e); /* what all streams have been given */
/* what any stream is given from now on begins after it */
enum cu_status cu_event_wait_all(struct cu_event *e);
enum cu_status cu_event_query(struct cu_event *e); /* never NOT_READY */
/* INVALID_HANDLE: not recorded, or without timing */
enum cu_status cu_event_elapsed(double *ms, const struct cu_event *from, const struct cu_event *to);
enum cu_status cu_event_destroy(struct cu_event *e);

/* ---- arrays, textures, surfaces ---- */
enum { CU_ARRAY_LAYERED = 1, CU_ARRAY_SURFACE = 2, CU_ARRAY_CUBE = 4 };
struct cu_array_shape {
	/* texels; height and depth 0: 1-D, 2-D; depth: layers or 6 times cubes, if flags say so */
	uint64_t width, height, depth;
	unsigned channels, bits; /* 1, 2, 4; of each: 8, 16, 32 */
	char kind;               /* of each: 'u', 's', 'f' */
	unsigned flags;
};
enum cu_status cu_array_create(struct cu_array **out, const struct cu_array_shape *shape);
enum cu_status cu_array_destroy(struct cu_array *a);
enum cu_status cu_array_shape(struct cu_array_shape *out, const struct cu_array *a);
/* Levels of detail: at most so many as halve the largest side to 1; those of one are arrays that go with it, and not
 * before (cu_array_destroy(): INVALID_VALUE). */
struct cu_mipmap;
enum cu_status cu_mipmap_create(struct cu_mipmap **out, const struct cu_array_shape *shape, unsigned levels);
enum cu_status cu_mipmap_destroy(struct cu_mipmap *m);
enum cu_status cu_mipmap_shape(struct cu_array_shape *out, unsigned *levels, const struct cu_mipmap *m);
enum cu_status cu_mipmap_level(struct cu_array **out, const struct cu_mipmap *m, unsigned level);
/* Of the texels of an array, or of memory: 1-D (pitch 0), or rows `pitch` bytes apart. */
enum cu_address { CU_WRAP, CU_CLAMP, CU_MIRROR, CU_BORDER };
struct cu_texture {
	struct cu_array *array;
	struct cu_mipmap *mipmap; /* instead: its levels from `first` to `last` */
	unsigned first, last;
	bool mip_linear;       /* between two levels; */
	float bias, low, high; /* of a level, counted from `first`; clamped to [low, high] */
	uint64_t addr, pitch;
	struct cu_array_shape shape; /* the array's too */
	enum cu_address address[3];
	bool linear, normalized, as_float; /* filter; coordinates; integers are read as [0, 1] or [-1, 1] */
	uint32_t border[4];                /* with CU_BORDER: floats, or integers that are read as such */
};
struct cu_view {
	int format;
	size_t width, height, depth;
	unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
_Static_assert(sizeof(struct cu_view) == 112, "as CUDA_RESOURCE_VIEW_DESC");
/* some of an array's levels; another format, size or some of its layers: NOT_SUPPORTED, which is said */
enum cu_status cu_texture_view(struct cu_texture *t, const struct cu_view *v);
enum cu_status cu_texture_create(uint64_t *handle, const struct cu_texture *t);
enum cu_status cu_texture_destroy(uint64_t handle);
enum cu_status cu_surface_create(uint64_t *handle, struct cu_array *a);
enum cu_status cu_surface_destroy(uint64_t handle);

#pragma GCC visibility pop
#endif

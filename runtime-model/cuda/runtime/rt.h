/* The runtime library's inside: NVIDIA's interface (abi.h, cudart.def) over a CUDA process on the model (../core/core.h). One source, two libraries:
 * -DCUDART=12 and 13. Functions of the interface lie in a file for each chapter of cudart.def; each ends in done(), which remembers an error. */
#ifndef REGLOOM_CUDART_RT_H
#define REGLOOM_CUDART_RT_H

#include "analyzer/base/arena.h"
#include "runtime-model/cuda/core/core.h"
#include "runtime-model/cuda/runtime/abi.h"

#include <pthread.h>

/* ---- the interface ---- */
#if CUDART == 12
#define ONLY12(...) __VA_ARGS__
#define ONLY13(...)
#else
#define ONLY12(...)
#define ONLY13(...) __VA_ARGS__
#endif
#define BOTH(...) __VA_ARGS__
#pragma GCC visibility push(default)
#define FN(versions, chapter, name, types) versions(cudaError_t name types;)
#define FX(versions, chapter, type, name, types) versions(type name types;)
#define NO(versions, chapter, name) versions(cudaError_t name(void);)
#include "runtime-model/cuda/runtime/cudart.def"
#undef FN
#undef FX
#undef NO
#pragma GCC visibility pop

/* A function of a stream and its _ptsz form, whose default stream is the thread's own: args repeats the parameters with OWN(s) for the stream. */
#define OWN(s) ((s) ? (s) : cudaStreamPerThread)
#define UNPACK(...) __VA_ARGS__
#define STREAM_FN(name, args, ...) \
	cudaError_t name##_ptsz(__VA_ARGS__) { return name args; } \
	cudaError_t name(__VA_ARGS__)
/* A function on the default stream `s`, and its _ptds form. args repeats the parameters. */
#define DEFAULT_FN(name, args, ...) \
	static cudaError_t name##_on(cudaStream_t s, __VA_ARGS__); \
	cudaError_t name(__VA_ARGS__) { return name##_on(NULL, UNPACK args); } \
	cudaError_t name##_ptds(__VA_ARGS__) { return name##_on(cudaStreamPerThread, UNPACK args); } \
	static cudaError_t name##_on(cudaStream_t s, __VA_ARGS__)

/* ---- errors (error.c) ---- */
cudaError_t done(enum cu_status s);                      /* remembers s as the thread's last error, if it is one */
#define FAIL_IF(condition, status) do { if (condition) return done(CU_##status); } while (0)
void errors_forget(void);                                /* the device was reset */

/* ---- memory of the library's own: one arena, and the lock of all tables ---- */
struct runtime {
	pthread_mutex_t lock;
	struct arena a;
	unsigned flags;                                  /* cudaSetDeviceFlags */
	int cache, banks;                                /* cudaDeviceSetCacheConfig, cudaDeviceSetSharedMemConfig */
	uint64_t limit[8];                               /* those that core has not */
};
extern struct runtime rt;
#define LOCKED(...) do { pthread_mutex_lock(&rt.lock); __VA_ARGS__; pthread_mutex_unlock(&rt.lock); } while (0)
enum cu_status device_check(int device);                 /* INVALID_DEVICE, why there is none */

/* ---- what was registered (register.c) ---- */
struct rt_function;                                      /* behind a cudaKernel_t: a kernel of a registered image or of a library */
struct rt_function *function_find(const void *f);        /* by its host address, or a handle; NULL */
enum cu_status function_need(struct cu_function **out, const void *f);   /* INVALID_DEVICE_FUNCTION, or what is wrong with its image */
struct rt_function *function_of(struct cu_function *f, struct cu_module *m);     /* the handle of a library's kernel */
const char *function_name(const struct rt_function *f);
void functions_drop(struct cu_module *m);                /* a library is unloaded */
enum cu_status symbol_need(uint64_t *addr, uint64_t *bytes, const void *symbol); /* INVALID_SYMBOL */
void managed_forget(void);                               /* the device was reset: managed variables are made again */

/* ---- work (op.c): done now, or a node of a graph if the stream is being captured ---- */
enum op_kind { OP_EMPTY, OP_KERNEL, OP_COPY, OP_FILL, OP_HOST, OP_RECORD, OP_WAIT, OP_ALLOC, OP_FREE, OP_GRAPH };
struct op {
	enum op_kind kind;
	union {
		struct cu_launch launch;
		struct { struct cu_side to, from; struct cu_box box; enum cu_way way; } copy;
		struct { uint64_t addr, pitch, rows; uint32_t value; unsigned element; struct cu_box box; } fill;
		struct { cudaHostFn_t f; void *data; } host;
		struct cu_event *event;
		struct { uint64_t addr, bytes; cudaMemPool_t pool; } memory;
		cudaGraph_t graph;
	};
};
struct cu_stream *stream_of(cudaStream_t s);
enum cu_status op_issue(const struct op *o, cudaStream_t s);
enum cu_status op_run(const struct op *o, cudaStream_t s);       /* never a node */
enum cu_status capture_op(const struct op *o, cudaStream_t s, bool *taken);      /* taken: s is being captured, and o is a node now, or that failed */
enum cu_status capture_refuses(cudaStream_t s);          /* STREAM_CAPTURE_UNSUPPORTED: s is being captured and what would wait for it cannot be; ends the capture */
enum cu_status capture_refuses_all(void);                /* STREAM_CAPTURE_IMPLICIT: what waits for everything while a capture of mode `global` goes on */
void capture_forget(cudaStream_t s);                     /* NULL: of all */

/* ---- copies (copy.c) ---- */
enum cu_status way_of(enum cu_way *way, enum cudaMemcpyKind kind);
struct cu_side side_line(const void *p);
struct cu_side side_array(cudaArray_const_t a, size_t x, size_t y);
enum cu_status op_copy3d(struct op *o, const struct cudaMemcpy3DParms *p);
enum cu_status op_symbol(struct op *o, const void *symbol, size_t offset, const void *other, size_t bytes, enum cudaMemcpyKind kind, bool to_symbol);
unsigned array_element(const struct cu_array *a);        /* bytes; 0: there is no such array */

/* ---- others ---- */
enum cu_status launch_attributes(struct cu_launch *l, const cudaLaunchAttribute *attr, unsigned n, cudaEvent_t *record);       /* record: by when it ends, or NULL */
enum cu_status pool_alloc(uint64_t *addr, uint64_t bytes, cudaMemPool_t pool);
enum cu_status pool_free(uint64_t addr, enum cu_memory kind);    /* memory of any pool, or none */
void pools_reset(void);                                  /* the device was reset */
void advice_forget(uint64_t addr, uint64_t bytes);       /* bytes 0: all */
void stream_attributes_forget(cudaStream_t s);           /* NULL: all */
void textures_forget(void);
void graph_memory_forget(void);
bool graph_owns(uint64_t addr);                          /* memory that a graph allocated: freeing it is the graph's affair */

#endif

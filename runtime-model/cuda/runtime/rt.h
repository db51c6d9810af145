/* The runtime library's inside: NVIDIA's interface (abi.h, cudart.def) over a CUDA process on the model
 * (../core/core.h). One source, three libraries: -DCUDART=12 (with -DCUDART11, 11) and 13. Functions of the interface
 * lie in a file for each chapter of cudart.def; each ends in done(), which remembers an error. */
#ifndef REGLOOM_CUDART_RT_H
#define REGLOOM_CUDART_RT_H

#include "analyzer/base/arena.h"
#include "runtime-model/cuda/core/work.h"
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
cudaError_t cudart_missing(const char *name); /* a function that is not there: says so */
#ifdef CUDART11
/* CUDA 11 has other arguments under the same names. */
#define IN11(name, types, symbol) cudaError_t cuda11_##name types __asm__(symbol);
IN11(instantiate, (cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t), "cudaGraphInstantiate")
IN11(update, (cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, enum cudaGraphExecUpdateResult *), "cudaGraphExecUpdate")
IN11(entry_point, (const char *, void **, unsigned long long), "cudaGetDriverEntryPoint")
IN11(entry_point_ptsz, (const char *, void **, unsigned long long), "cudaGetDriverEntryPoint_ptsz")
#endif
#pragma GCC visibility pop

/* A function of a stream and its _ptsz form, whose default stream is the thread's own: args repeats the parameters with
 * OWN(s) for the stream. */
#define OWN(s) ((s) ? (s) : cudaStreamPerThread)
#define UNPACK(...) __VA_ARGS__
#define STREAM_FN(name, args, ...)                                 \
	cudaError_t name##_ptsz(__VA_ARGS__) { return name args; } \
	cudaError_t name(__VA_ARGS__)
/* A function on the default stream `s`, and its _ptds form. args repeats the parameters. */
#define DEFAULT_FN(name, args, ...)                                                                  \
	static cudaError_t name##_on(cudaStream_t s, __VA_ARGS__);                                   \
	cudaError_t name(__VA_ARGS__) { return name##_on(NULL, UNPACK args); }                       \
	cudaError_t name##_ptds(__VA_ARGS__) { return name##_on(cudaStreamPerThread, UNPACK args); } \
	static cudaError_t name##_on(cudaStream_t s, __VA_ARGS__)

/* ---- errors (error.c) ---- */
cudaError_t done(enum cu_status s); /* remembers s as the thread's last error, if it is one */
#define FAIL_IF(condition, status)                \
	do {                                      \
		if (condition)                    \
			return done(CU_##status); \
	} while (0)
void errors_forget(void); /* the device was reset */

/* ---- memory of the library's own: one arena, and the lock of all tables ---- */
struct runtime {
	pthread_mutex_t lock;
	struct arena a;
	unsigned flags;    /* cudaSetDeviceFlags */
	int cache, banks;  /* cudaDeviceSetCacheConfig, cudaDeviceSetSharedMemConfig */
	uint64_t limit[8]; /* those that core has not */
};
extern struct runtime rt;
#define LOCKED(...)                             \
	do {                                    \
		pthread_mutex_lock(&rt.lock);   \
		__VA_ARGS__;                    \
		pthread_mutex_unlock(&rt.lock); \
	} while (0)
enum cu_status device_check(int device); /* INVALID_DEVICE, why there is none */

/* ---- what was registered (register.c) ---- */
/* behind a cudaKernel_t: a kernel of a registered image or of a library */
struct rt_function;
struct rt_function *function_find(const void *f); /* by its host address, or a handle; NULL */
/* INVALID_DEVICE_FUNCTION, or what is wrong with its image */
enum cu_status function_need(struct cu_function **out, const void *f);
/* function_need() said s */
enum cu_status launch_refused(const struct cu_launch *l, const void *f, enum cu_status s);
struct rt_function *function_of(struct cu_function *f, struct cu_module *m);     /* the handle of a library's kernel */
void functions_drop(struct cu_module *m);                                        /* a library is unloaded */
enum cu_status symbol_need(uint64_t *addr, uint64_t *bytes, const void *symbol); /* INVALID_SYMBOL */
void managed_forget(void); /* the device was reset: managed variables are made again */

/* ---- work (../core/work.h) ---- */
static inline struct cu_stream *stream_of(cudaStream_t s) { return (struct cu_stream *)s; }
static inline enum cu_status op_issue(const struct op *o, cudaStream_t s) { return cu_op_issue(o, stream_of(s)); }
static inline enum cu_status op_run(const struct op *o, cudaStream_t s) { return cu_op_run(o, stream_of(s)); }

/* ---- copies (copy.c) ---- */
enum cu_status op_copy3d(struct op *o, const struct cudaMemcpy3DParms *p);
enum cu_status op_symbol(struct op *o, const void *symbol, size_t offset, const void *other, size_t bytes,
			 enum cudaMemcpyKind kind, bool to_symbol);
unsigned array_element(const struct cu_array *a); /* bytes; 0: there is no such array */

/* ---- others ---- */
/* record: by when it ends, or NULL */
enum cu_status launch_attributes(struct cu_launch *l, const cudaLaunchAttribute *attr, unsigned n, cudaEvent_t *record);
enum cu_status memory_release(uint64_t addr);      /* of OP_FREE */
void advice_forget(uint64_t addr, uint64_t bytes); /* bytes 0: all */
void stream_attributes_forget(cudaStream_t s);     /* NULL: all */
void textures_forget(void);

#endif

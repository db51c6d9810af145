/* The driver interface's inside: libcuda.so.1 over a CUDA process on the model (../core/core.h). Functions are in a
 * file for each chapter of the interface; every one that it has is exported: those that are not here are rows of
 * missing.def. Layouts and numbers are those of CUDA 12 and 13. */
#ifndef REGLOOM_CUDA_DRIVER_H
#define REGLOOM_CUDA_DRIVER_H

#include "runtime-model/cuda/core/work.h"

#include <stddef.h>

typedef int CUresult; /* enum cu_status */
typedef int CUdevice;
typedef struct cu_context *CUcontext;
typedef struct cu_module *CUmodule;
typedef struct cu_function *CUfunction;
typedef struct cu_stream *CUstream;
typedef struct cu_event *CUevent;
typedef struct cu_array *CUarray;
typedef struct cu_mipmap *CUmipmap;
typedef unsigned long long CUdeviceptr;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

/* A function of the interface. */
#define API(name, ...)                                                     \
	__attribute__((visibility("default"))) CUresult name(__VA_ARGS__); \
	CUresult name(__VA_ARGS__)
/* Another name of it, defined in the same file. */
#define ALIAS(name, old) extern __attribute__((visibility("default"), alias(#old))) __typeof__(old) name
/* One of a stream, the last argument but for what `more` says, and its _ptsz form whose default stream is the thread's
 * own. */
#define OWN(s) ((s) ? (s) : CU_STREAM_PER_THREAD)

/* A function of a stream, and its form whose default stream is the thread's own. */
#define OF_STREAM(name, params, args, own_args, ...)                                                     \
	static CUresult name##_of params __VA_ARGS__ API(name, UNPACK params) { return name##_of args; } \
	API(name##_ptsz, UNPACK params) { return name##_of own_args; }
#define UNPACK(...) __VA_ARGS__

/* ---- what contexts own: owned.c ---- */
enum owned_kind {
	OWNED_MEMORY,
	OWNED_MODULE,
	OWNED_STREAM,
	OWNED_EVENT,
	OWNED_ARRAY,
	OWNED_MIPMAP,
	OWNED_TEXTURE,
	OWNED_SURFACE
};
void own(enum owned_kind kind, uint64_t handle);                 /* the current context does */
void disown(enum owned_kind kind, uint64_t handle);              /* it has gone */
CUresult ended(CUresult s, enum owned_kind kind, const void *x); /* likewise, if s, which is returned, says so */
CUcontext owner(enum owned_kind kind, uint64_t handle);          /* NULL: none */
/* all of it goes; gone: the device was reset, and what was in its memory, whoever's, is no more */
void owned_end(CUcontext c, bool gone);
CUcontext context_now(void); /* NULL: none */
bool context_alive(CUcontext c);
void module_end(CUmodule m);
void texture_end(uint64_t handle);
void surface_end(uint64_t handle);

/* ---- module.c, function.c ---- */
char *file_read(const char *path, size_t *n, CUresult *why); /* with zeroes behind it, to be free()d; NULL: why */
void jit_logs(unsigned n, const int *option, void **value, const char *errors);
CUresult function_attribute(int *value, int attribute, CUfunction f);
CUresult function_set(CUfunction f, int attribute, int value);
CUresult function_parameter(CUfunction f, size_t i, size_t *offset, size_t *bytes);

/* of a graph */
struct edge {
	unsigned char from_port, to_port, type, reserved[5];
};

bool format_known(int format); /* array.c: of texels */

/* ---- memory.c ---- */
struct box3 {
	size_t from_x, from_y, from_z, from_level;
	int from_kind;
	const void *from_host;
	CUdeviceptr from;
	CUarray from_array;
	void *zero;
	size_t from_pitch, from_rows;
	size_t to_x, to_y, to_z, to_level;
	int to_kind;
	void *to_host;
	CUdeviceptr to;
	CUarray to_array;
	void *zero2;
	size_t to_pitch, to_rows;
	size_t width, height, depth;
};
CUresult box_op(struct op *o, const struct box3 *b);
struct box3 op_box(const struct op *o);
CUresult issue(const struct op *o, CUstream s, bool wait);             /* wait: the host does, so not in a capture */
enum cu_status memory_release(uint64_t addr);                          /* of OP_FREE */
CUresult read_launch(struct cu_launch *l, void **param, void **extra); /* function.c: the parameters */

/* Statuses of the driver interface that the runtime has another number for. */
CUresult told(enum cu_status s);
/* Whether a handle of that type can be given or taken there: it is the descriptor of a file. */
CUresult handle_of_file(const void *there, int type, unsigned long long flags);
/* Is there a context to work in? OK, NOT_INITIALIZED, INVALID_CONTEXT. */
CUresult ready(void);
CUresult device_ok(CUdevice d);
#define STARTED()                           \
	do {                                \
		CUresult r_ = device_ok(0); \
		if (r_)                     \
			return r_;          \
	} while (0)
#define READY()                        \
	do {                           \
		CUresult r_ = ready(); \
		if (r_)                \
			return r_;     \
	} while (0)

#endif

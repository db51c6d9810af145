/* The driver interface's inside: libcuda.so.1 over a CUDA process on the model (../core/core.h). Functions are in a file for each chapter of the
 * interface; every one that it has is exported: those that are not here are rows of missing.def. Layouts and numbers are those of CUDA 12 and 13. */
#ifndef REGLOOM_CUDA_DRIVER_H
#define REGLOOM_CUDA_DRIVER_H

#include "runtime-model/cuda/core/core.h"

#include <stddef.h>

typedef int CUresult;                   /* enum cu_status */
typedef int CUdevice;
typedef struct cu_context *CUcontext;
typedef struct cu_module *CUmodule;
typedef struct cu_function *CUfunction;
typedef struct cu_stream *CUstream;
typedef struct cu_event *CUevent;
typedef struct cu_array *CUarray;
typedef unsigned long long CUdeviceptr;

/* A function of the interface. */
#define API(name, ...) __attribute__((visibility("default"))) CUresult name(__VA_ARGS__); CUresult name(__VA_ARGS__)
/* Another name of it, defined in the same file. */
#define ALIAS(name, old) extern __attribute__((visibility("default"), alias(#old))) __typeof__(old) name
/* One of a stream, the last argument but for what `more` says, and its _ptsz form whose default stream is the thread's own. */
#define OWN(s) ((s) ? (s) : CU_STREAM_PER_THREAD)

/* Statuses of the driver interface that the runtime has another number for. */
CUresult told(enum cu_status s);
/* Is there a context to work in? OK, NOT_INITIALIZED, INVALID_CONTEXT. */
CUresult ready(void);
CUresult device_ok(CUdevice d);
#define READY() do { CUresult r_ = ready(); if (r_) return r_; } while (0)

#endif

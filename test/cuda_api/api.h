/* Tests of the runtime's interface, in plain C: the prototypes that cudart.def gives, a registered image as nvcc
 * registers it, and checks. */
#ifndef API_H
#define API_H

#include "runtime-model/cuda/runtime/abi.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CUDART == 12
#define ONLY12(...) __VA_ARGS__
#define ONLY13(...)
#else
#define ONLY12(...)
#define ONLY13(...) __VA_ARGS__
#endif
#define BOTH(...) __VA_ARGS__
#define FN(versions, chapter, name, types) versions(cudaError_t name types;)
#define FX(versions, chapter, type, name, types) versions(type name types;)
#define NO(versions, chapter, name)
#include "runtime-model/cuda/runtime/cudart.def"
#undef FN
#undef FX
#undef NO
#ifdef PER_THREAD
#include "per_thread.h" /* made of cudart.def: cudaMemcpyAsync is cudaMemcpyAsync_ptsz */
#endif

enum {
	Success = 0,
	InvalidValue = 1,
	OutOfMemory = 2,
	InvalidConfiguration = 9,
	InvalidPitch = 12,
	InvalidSymbol = 13,
	InvalidChannel = 20,
	InvalidDirection = 21,
	InvalidFilter = 26,
	InvalidNorm = 27,
	MissingConfiguration = 52,
	InvalidDeviceFunction = 98,
	InvalidDevice = 101,
	InvalidImage = 200,
	NoKernelImage = 209,
	UnsupportedLimit = 215,
	InvalidPtx = 218,
	FileNotFound = 301,
	InvalidHandle = 400,
	IllegalState = 401,
	NotFound = 500,
	IllegalAddress = 700,
	OutOfResources = 701,
	LaunchTimeout = 702,
	PeerNotEnabled = 705,
	Assert = 710,
	AlreadyRegistered = 712,
	NotRegistered = 713,
	IllegalInstruction = 715,
	Misaligned = 716,
	LaunchFailure = 719,
	NotSupported = 801,
	CaptureUnsupported = 900,
	CaptureInvalidated = 901,
	CaptureMerge = 902,
	CaptureUnmatched = 903,
	CaptureUnjoined = 904,
	CaptureIsolation = 905,
	UpdateFailure = 910,
	InvalidClusterSize = 912
};

extern unsigned checks, wrong;
#define CHECK(x) check((x), #x, __FILE__, __LINE__)
#define IS(x, want) is((x), (want), #x, __FILE__, __LINE__)
#define OK(x) IS(x, Success)
/* A call with wrong arguments: its error, which is then the thread's last one, and is forgotten. */
#define FAILS(x, want)                           \
	do {                                     \
		IS(x, want);                     \
		IS(cudaPeekAtLastError(), want); \
		IS(cudaGetLastError(), want);    \
		IS(cudaGetLastError(), Success); \
	} while (0)
void check(bool ok, const char *what, const char *file, int line);
void is(long long got, long long want, const char *what, const char *file, int line);

/* What a program's constructors register: kernels by the addresses of these functions, variables by those of these. */
void axpy(void);
void variables(void);
void uses_shared(void);
void prints(void);
void pokes(void);
void traps(void);
void at_most_64(void);
void samples(void);
void decides(void);
void absent(void);   /* registered, but not in the image */
void stranger(void); /* not registered */
extern unsigned counter_shadow, table_shadow[4], *managed_shadow, stranger_shadow;
extern void **image_handle;
enum packing { RAW, LZ4, ZSTD };
const void *make_fatbin(const char *ptx, enum packing p); /* nvcc's wrapper of a container; lives on */
const void *fatbin_of(const void *wrapper);
char *read_text(const char *path);
extern const char *folder; /* of the test's files */
extern char *kernels;      /* their PTX */

#define ARGS(...) \
	(void *[]) { __VA_ARGS__ }
static inline dim3 d(unsigned x, unsigned y, unsigned z) { return (dim3){ x, y, z }; }

/* y += a x on the device; waits and checks that y is `want`, of n words. */
void run_axpy(unsigned *y, const unsigned *x, unsigned a, unsigned n, cudaStream_t s);
unsigned first_word(const void *device);

/* clang-format off */
#define CASES \
	CASE(registration) CASE(launches) CASE(memory) CASE(managed) CASE(copies) CASE(symbols) CASE(arrays) \
	CASE(mipmaps) CASE(streams) CASE(events) CASE(threads) CASE(pools) CASE(graphs) CASE(conditions) CASE(capture) \
	CASE(device) CASE(errors) CASE(refusals) CASE(libraries) CASE(faults) CASE(missing) CASE(misuse) \
	CASE(processes) CASE(nothing) CASE(endless)
/* clang-format on */
#define CASE(name) void test_##name(void);
CASES
#undef CASE
#endif

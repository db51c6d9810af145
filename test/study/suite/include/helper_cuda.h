/* In place of the CUDA samples' header of this name, which programs of the suite include: their calls that look at
 * errors. */
#ifndef SUITE_HELPER_CUDA_H
#define SUITE_HELPER_CUDA_H
#include <cstdio>
#include <cstdlib>

static inline void suite_check(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
		exit(1);
	}
}
#define checkCudaErrors(call) suite_check(call, #call)
#define getLastCudaError(what) suite_check(cudaGetLastError(), what)
#endif

// errors: what a program is told that does wrong: bad launches, bad pointers, freed twice; and what stays: each fatal one in a process of its own.
// run:
// timed:
// mutant: s/if (where == 1)/if (where == 4)/
#include "program.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void store(int *p, int value) { p[threadIdx.x] = value; }
__global__ void __launch_bounds__(64) small() {}
__global__ void large_shared(int *out)
{
	extern __shared__ int s[];
	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

// Takes nothing of what other kernels of the file may have.
__global__ void wide(int *out)
{
	__shared__ int s[10 << 10];
	for (int i = threadIdx.x; i < 10 << 10; i += blockDim.x)
		s[i] = i;
	__syncthreads();
	out[threadIdx.x] = s[(10 << 10) - 1 - threadIdx.x];
}

__device__ int variable[10];

__global__ void go_wrong(int where, int *p)
{
	if (where == 1)
		p[1 << 20] = 1;                                                         // beyond its memory
	else if (where == 2)
		*reinterpret_cast<int *>(reinterpret_cast<char *>(p) + 2) = 1;           // misaligned
	else if (where == 3)
		asm("trap;");
	else
		*p = 1;
}

// The result of a call, which the last error is then, too, until it has been asked for.
static void fails(cudaError_t got, cudaError_t want, int line)
{
	if (got != want) {
		fprintf(stderr, "errors.cu:%d: %s, not %s\n", line, cudaGetErrorName(got), cudaGetErrorName(want));
		expect_failed()++;
	}
	const cudaError_t peek = cudaPeekAtLastError(), last = cudaGetLastError(), then = cudaGetLastError();
	if (peek != want || last != want || then != cudaSuccess) {
		fprintf(stderr, "errors.cu:%d: then %s, %s, %s\n", line, cudaGetErrorName(peek), cudaGetErrorName(last), cudaGetErrorName(then));
		expect_failed()++;
	}
}
#define FAILS(call, want) fails(call, want, __LINE__)
#define LAUNCH_FAILS(launch, want) do { launch; fails(cudaPeekAtLastError(), want, __LINE__); } while (0)

static int recoverable()
{
	int *p, host[64];
	CHECK(cudaMalloc(&p, sizeof host));
	store<<<1, 64>>>(p, 5);
	CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
	EXPECT(host[63] == 5);

	LAUNCH_FAILS((store<<<1, 1025>>>(p, 1)), cudaErrorInvalidConfiguration);
	LAUNCH_FAILS((store<<<0, 32>>>(p, 1)), cudaErrorInvalidConfiguration);
	LAUNCH_FAILS((store<<<dim3(1, 65536), 32>>>(p, 1)), cudaErrorInvalidConfiguration);
	LAUNCH_FAILS((store<<<1, dim3(1, 1, 65)>>>(p, 1)), cudaErrorInvalidConfiguration);
	small<<<1, 128>>>();                            // more than its launch bounds: which error is not documented
	const cudaError_t bounds = cudaGetLastError();
	EXPECT(bounds == cudaErrorInvalidValue || bounds == cudaErrorLaunchOutOfResources);
	wide<<<1, 64>>>(p);
	CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
	EXPECT(host[0] == (10 << 10) - 1);
	large_shared<<<1, 64, 48 << 10>>>(p);
	CHECK(cudaGetLastError());
	LAUNCH_FAILS((large_shared<<<1, 64, 60 << 10>>>(p)), cudaErrorInvalidValue);     // not asked for
	CHECK(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10));
	large_shared<<<1, 64, 60 << 10>>>(p);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
	EXPECT(host[0] == 63 && host[63] == 0);
	FAILS(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 10 << 20), cudaErrorInvalidValue);

	FAILS(cudaMalloc(&p, size_t(1) << 50), cudaErrorMemoryAllocation);
	FAILS(cudaMalloc(static_cast<void **>(nullptr), 16), cudaErrorInvalidValue);
	FAILS(cudaMemcpy(host, p, sizeof host, cudaMemcpyKind(17)), cudaErrorInvalidMemcpyDirection);
	FAILS(cudaMemcpyToSymbol(variable, host, sizeof variable + 4), cudaErrorInvalidValue);
	FAILS(cudaMemcpyToSymbol(host, host, 4), cudaErrorInvalidSymbol);
	FAILS(cudaSetDevice(99), cudaErrorInvalidDevice);
	cudaFuncAttributes attributes;
	FAILS(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(host)), cudaErrorInvalidDeviceFunction);
	FAILS(cudaFree(host), cudaErrorInvalidValue);
	int *q;
	CHECK(cudaMalloc(&q, 100));
	CHECK(cudaFree(q));
	FAILS(cudaFree(q), cudaErrorInvalidValue);
	CHECK(cudaFree(nullptr));
	cudaEvent_t a, b;
	CHECK(cudaEventCreate(&a));
	CHECK(cudaEventCreate(&b));
	float ms;
	FAILS(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
	CHECK(cudaMemset(p, 0, sizeof host));                                           // all that did no harm
	CHECK(cudaFree(p));
	EXPECT(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
	EXPECT(!strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration"));
	EXPECT(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));
	EXPECT(!strcmp(cudaGetErrorString(cudaError_t(-5)), "unrecognized error code"));
	return expect_failed() ? 1 : 0;
}

static int fatal(int where, cudaError_t want)
{
	int *p;
	CHECK(cudaMalloc(&p, 100));
	go_wrong<<<2, 1>>>(0, p);
	CHECK(cudaDeviceSynchronize());
	go_wrong<<<2, 1>>>(where, p);
	cudaError_t e = cudaGetLastError();                     // the launch may or may not know yet
	EXPECT(e == cudaSuccess || e == want);
	e = cudaDeviceSynchronize();
	EXPECT(e == want);
	if (e != want)
		fprintf(stderr, "%s, not %s\n", cudaGetErrorName(e), cudaGetErrorName(want));
	EXPECT(cudaMemset(p, 0, 4) == want);                    // for good
	EXPECT(cudaGetLastError() == want && cudaGetLastError() == want);
	EXPECT(cudaFree(p) == want);
	return expect_failed() ? 1 : 0;
}

template <class F> static bool in_child(F f)
{
	fflush(nullptr);
	const pid_t child = fork();
	if (child == 0)
		exit(f());
	int status;
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main()
{
	EXPECT(in_child(recoverable));
	EXPECT(in_child([] { return fatal(1, cudaErrorIllegalAddress); }));
	EXPECT(in_child([] { return fatal(2, cudaErrorMisalignedAddress); }));
	EXPECT(in_child([] { return fatal(3, cudaErrorLaunchFailure); }));
	return verdict("errors", true);
}

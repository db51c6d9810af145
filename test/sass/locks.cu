// Lanes of one warp that wait for each other. Each kernel leaves in *out what native.sh says.
#include <cstdio>

__device__ int lock, other, head, next_of[256];

static __device__ void acquire(int *l)
{
	while (atomicCAS(l, 0, 1) != 0) {}
	__threadfence();
}

static __device__ void release(int *l)
{
	__threadfence();
	atomicExch(l, 0);
}

extern "C" __global__ void lock_plain(volatile int *out, int n)
{
	acquire(&lock);
	*out += 1;
	release(&lock);
}

extern "C" __global__ void lock_sleep(volatile int *out, int n)
{
	unsigned ns = 8;

	while (atomicCAS(&lock, 0, 1) != 0) {
		__nanosleep(ns);
		ns = ns < 256 ? ns * 2 : ns;
	}
	__threadfence();
	*out += 1;
	release(&lock);
}

// two locks, one inside the other, in a loop; all lanes meet behind it
extern "C" __global__ void lock_loop(volatile int *out, int n)
{
	for (int i = 0; i < n; i++) {
		acquire(&lock);
		if ((threadIdx.x + i) % 3 == 0) {
			acquire(&other);
			*out += 1;
			release(&other);
		} else {
			*out += 1;
		}
		release(&lock);
	}
	__syncwarp();
	if (__shfl_xor_sync(~0u, threadIdx.x, 1) != (threadIdx.x ^ 1))
		*out = -1;
}

// each lane puts n nodes into a list, and one counts them
extern "C" __global__ void lock_list(volatile int *out, int n)
{
	for (int i = 0; i < n; i++) {
		const int me = 1 + i * blockDim.x + threadIdx.x;

		acquire(&lock);
		((volatile int *)next_of)[me] = *(volatile int *)&head;
		*(volatile int *)&head = me;
		release(&lock);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		for (int at = *(volatile int *)&head; at; at = ((volatile int *)next_of)[at])
			*out += 1;
}

static __device__ __noinline__ int guarded(volatile int *out, int *l, int by)
{
	int sum = 0;

	for (int i = 0; i < by; i++) {
		acquire(l);
		sum += ++*out;
		release(l);
	}
	return sum;
}

// the lock is taken in a function that some lanes call, inside a barrier of lanes of the caller
extern "C" __global__ void lock_called(volatile int *out, int n)
{
	int sum = 1;

	if (threadIdx.x % 4 != 1)
		sum = guarded(out, &lock, 1 + threadIdx.x % 4);
	__syncthreads();
	if (!__all_sync(~0u, sum > 0))
		*out = -1;
}

static __device__ __noinline__ int deep(volatile int *out, int depth)
{
	int sum = 1;

	if (depth > 0 && (threadIdx.x + depth) % 5 != 0)
		sum += deep(out, depth - 1);
	acquire(&lock);
	sum += ++*out;
	release(&lock);
	return sum;
}

// a function that calls itself: who still waits in it has the barriers of its callers in registers
extern "C" __global__ void lock_deep(volatile int *out, int n)
{
	if (deep(out, n) < 0)
		*out = -1;
	__syncwarp();
	if (!__all_sync(~0u, *out > 0))
		*out = -1;
}

// shared memory, barriers of the block around
extern "C" __global__ void lock_shared(volatile int *out, int n)
{
	__shared__ int l;
	__shared__ volatile int count;

	if (threadIdx.x == 0) {
		l = 0;
		count = 0;
	}
	__syncthreads();
	while (atomicCAS(&l, 0, 1) != 0) {}
	count += 1;
	__threadfence_block();
	atomicExch(&l, 0);
	__syncthreads();
	if (threadIdx.x == 0)
		*out = count;
}

// each lane waits for the one before it, first to last
extern "C" __global__ void lanes_chain(volatile int *out, int n)
{
	__shared__ volatile int at;
	const int t = threadIdx.x;

	if (t == 0)
		at = 0;
	__syncthreads();
	while (at != t) {}
	*out += 1;
	__threadfence();
	at = t + 1;
}

// odd lanes take what even ones make, n times, by flags
extern "C" __global__ void lanes_pairs(volatile int *out, int n)
{
	__shared__ volatile int full[64], value[64];
	const int t = threadIdx.x;

	full[t] = 0;
	__syncthreads();
	for (int i = 0; i < n; i++) {
		if (t & 1) {
			while (full[t] != 1) {}
			atomicAdd((int *)out, value[t]);
			full[t] = 0;
		} else {
			while (full[t + 1] != 0) {}
			value[t + 1] = i;
			__threadfence_block();
			full[t + 1] = 1;
		}
	}
}

// nobody gives it back
extern "C" __global__ void lock_kept(volatile int *out, int n)
{
	acquire(&lock);
	*out += 1;
}

// for ever as well, but the host sees what it does
extern "C" __global__ void prints_on(volatile int *out, int n)
{
	while (*out == 0)
		printf("%d\n", n);
}

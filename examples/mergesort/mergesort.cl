/* Sorts keys: a thread sorts KEYS of them in registers by a network (Batcher's), then a block merges runs of KEYS, of twice as many, and
 * so on, in shared memory: each thread finds by halving where its part of a merge begins in both runs, and merges KEYS. Then a kernel
 * that merges runs of whole blocks in the same way, between global buffers. */
#include "examples/gpu.cl.h"

enum { THREADS = 128, KEYS = 8, BLOCK = THREADS * KEYS };

#define EXCHANGE(a, b) do { \
	u32 low = MIN(k[a], k[b]), high = MAX(k[a], k[b]); \
	k[a] = low; \
	k[b] = high; \
} while (0)

static void sort8(u32 *k)
{
	EXCHANGE(0, 1); EXCHANGE(2, 3); EXCHANGE(4, 5); EXCHANGE(6, 7);
	EXCHANGE(0, 2); EXCHANGE(1, 3); EXCHANGE(4, 6); EXCHANGE(5, 7);
	EXCHANGE(1, 2); EXCHANGE(5, 6);
	EXCHANGE(0, 4); EXCHANGE(1, 5); EXCHANGE(2, 6); EXCHANGE(3, 7);
	EXCHANGE(2, 4); EXCHANGE(3, 5);
	EXCHANGE(1, 2); EXCHANGE(3, 4); EXCHANGE(5, 6);
}

/* KEYS keys from `place` on of the merge of a and b, n keys each: into k. */
#define MERGE(a, b, n, place) do { \
	u32 low = (place) > (n) ? (place) - (n) : 0, high = MIN(place, n); \
	\
	while (low < high) {                            /* how many of them come from a */ \
		u32 middle = (low + high) / 2; \
		\
		if ((a)[middle] <= (b)[(place) - 1 - middle]) \
			low = middle + 1; \
		else \
			high = middle; \
	} \
	\
	u32 ia = low, ib = (place) - low, next_a = ia < (n) ? (a)[ia] : ~0u, next_b = ib < (n) ? (b)[ib] : ~0u; \
	\
	_Pragma("unroll") for (u32 i = 0; i < KEYS; i++) { \
		bool from_a = ib >= (n) || (ia < (n) && next_a <= next_b); \
		\
		k[i] = from_a ? next_a : next_b; \
		if (from_a) { \
			ia++; \
			next_a = ia < (n) ? (a)[ia] : ~0u; \
		} else { \
			ib++; \
			next_b = ib < (n) ? (b)[ib] : ~0u; \
		} \
	} \
} while (0)

__kernel void merge_blocks(__global const u32 *in, __global u32 *out)
{
	__local u32 key[BLOCK];
	u32 t = THREAD_X, first = BLOCK_X * BLOCK, k[KEYS];

#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		k[i] = in[first + i * THREADS + t];
	sort8(k);
	for (u32 run = KEYS; run < BLOCK; run *= 2) {
		u32 start = t * KEYS & ~(2 * run - 1), place = t * KEYS - start;
		__local u32 *a = key + start, *b = a + run;

#pragma unroll
		for (u32 i = 0; i < KEYS; i++)
			key[t * KEYS + i] = k[i];
		BARRIER();
		MERGE(a, b, run, place);
		BARRIER();
	}
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		out[first + t * KEYS + i] = k[i];
}

/* Runs of `run` keys to runs of twice as many. */
__kernel void merge_runs(__global const u32 *in, __global u32 *out, u32 run)
{
	u32 at = GLOBAL_X * KEYS, start = at & ~(2 * run - 1), place = at - start, k[KEYS];
	__global const u32 *a = in + start, *b = a + run;

	MERGE(a, b, run, place);
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		out[at + i] = k[i];
}

/* A number for every n-th key, 20 of them, that depends on each and on their order. */
__kernel void merge_digest(__global const u32 *key, __global u32 *digest, u32 n)
{
	u32 i = GLOBAL_X, sum = 0;

	for (u32 j = 0; j < 20; j++)
		sum = sum * 1664525 + key[j * n + i];
	digest[i] = sum;
}

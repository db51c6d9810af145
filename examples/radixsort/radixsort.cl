/* Sorts pairs of key and value by BITS bits of the key: blocks count digits, one block adds up where each block's pairs of each digit
 * go, and blocks rank their pairs and put them there, in order. A thread has KEYS pairs in registers, past all barriers of the ranking.
 *
 * Ranks come from counters of 16 bits, one for each digit and thread, digit after digit and in each thread after thread: what precedes
 * a counter is how many pairs of the block go before those that it counts. Digits d and d + 8 share a word, so one addition adds both. */
#include "examples/gpu.cl.h"

enum {
	THREADS = 192, KEYS = 8, BITS = 4, DIGITS = 1 << BITS, HALF = DIGITS / 2,
	BLOCK = THREADS * KEYS,                         /* pairs of a block, and words of counters */
	SUM_THREADS = 256,
};

#define DIGIT(key) ((key) >> shift & (DIGITS - 1))

/* What is before x, and all of it, in each half. */
static u32 block_scan(__local u32 *share, u32 t, u32 x, u32 *all)
{
	u32 sum = x;

	share[t] = sum;
	BARRIER();
	for (u32 reach = 1; reach < THREADS; reach *= 2) {
		u32 left = t >= reach ? share[t - reach] : 0;

		BARRIER();
		share[t] = sum += left;
		BARRIER();
	}
	*all = share[THREADS - 1];
	BARRIER();
	return sum - x;
}

/* count[digit][block] */
__kernel void radix_count(__global const u32 *key, __global u32 *count, u32 shift)
{
	__local u32 digits[DIGITS];
	u32 t = THREAD_X;

	if (t < DIGITS)
		digits[t] = 0;
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		ATOMIC_ADD(&digits[DIGIT(key[BLOCK_X * BLOCK + i * THREADS + t])], 1);
	BARRIER();
	if (t < DIGITS)
		count[t * BLOCKS_X + BLOCK_X] = digits[t];
}

/* One block: n counts become the sums before each. */
__kernel void radix_sum(__global u32 *count, u32 n)
{
	__local u32 share[SUM_THREADS];
	u32 t = THREAD_X, each = (n + SUM_THREADS - 1) / SUM_THREADS, first = t * each, last = MIN(first + each, n), sum = 0;

	for (u32 i = first; i < last; i++)
		sum += count[i];
	share[t] = sum;
	BARRIER();
	for (u32 reach = 1; reach < SUM_THREADS; reach *= 2) {
		u32 left = t >= reach ? share[t - reach] : 0;

		BARRIER();
		share[t] += left;
		BARRIER();
	}
	sum = t ? share[t - 1] : 0;
	for (u32 i = first; i < last; i++) {
		u32 here = count[i];

		count[i] = sum;
		sum += here;
	}
}

__kernel void radix_scatter(__global const u32 *key, __global const u32 *value, __global u32 *new_key, __global u32 *new_value,
                            __global const u32 *before, u32 shift)
{
	__local u32 words[BLOCK], share[THREADS], start[DIGITS];
	__local u16 *counter = (__local u16 *)words;            /* [digit % HALF][thread][digit / HALF] */
	u32 t = THREAD_X, first = BLOCK_X * BLOCK + t * KEYS;
	u32 k[KEYS], v[KEYS], rank[KEYS], sum = 0, all;

#pragma unroll
	for (u32 i = 0; i < KEYS; i++) {
		k[i] = key[first + i];
		words[i * THREADS + t] = 0;
	}
#pragma unroll
	for (u32 i = 0; i < KEYS; i++) {                        /* a thread's own counters */
		u32 digit = DIGIT(k[i]), at = (digit % HALF * THREADS + t) * 2 + digit / HALF;

		rank[i] = counter[at];
		counter[at] = rank[i] + 1;
	}
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		sum += words[t * KEYS + i];
	sum = block_scan(share, t, sum, &all);
	sum += all << 16;                                       /* digits from HALF on go behind all others */
#pragma unroll
	for (u32 i = 0; i < KEYS; i++) {                        /* read again: eight registers less past the scan's barriers */
		u32 word = words[t * KEYS + i];

		words[t * KEYS + i] = sum;
		sum += word;
	}
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++) {
		u32 digit = DIGIT(k[i]);

		rank[i] += counter[(digit % HALF * THREADS + t) * 2 + digit / HALF];
	}
	if (t < DIGITS)                                         /* where the block's first pair of a digit goes, less its rank */
		start[t] = before[t * BLOCKS_X + BLOCK_X] - counter[t % HALF * THREADS * 2 + t / HALF];
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		v[i] = value[first + i];
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)                          /* sorted within the block, so that they leave side by side */
		words[rank[i]] = k[i];
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		k[i] = words[i * THREADS + t];
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++)
		words[rank[i]] = v[i];
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < KEYS; i++) {
		u32 to = start[DIGIT(k[i])] + i * THREADS + t;

		new_key[to] = k[i];
		new_value[to] = words[i * THREADS + t];
	}
}

/* A number for every n-th pair, 24 of them, that depends on each and on their order. */
__kernel void radix_digest(__global const u32 *key, __global const u32 *value, __global u32 *digest, u32 n)
{
	u32 i = GLOBAL_X, sum = 0;

	for (u32 j = 0; j < 24; j++)
		sum = sum * 1664525 + (value[j * n + i] ^ key[j * n + i] << 24);
	digest[i] = sum;
}

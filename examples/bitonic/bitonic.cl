/* Batcher's bitonic sorting network for keys with values. Blocks sort strips in shared memory, one up, the next down, so that two
 * make a bitonic sequence; sequences that are longer than a strip are merged at far distances in global memory and at near ones in
 * shared memory. A thread compares one pair at a time and never branches on the keys. */
#include "examples/gpu.cl.h"

enum { THREADS = 256, STRIP = 2 * THREADS };

/* The lower one of thread t's pair at a distance that is a power of two; the upper one lies `distance` further. */
static u32 lower(u32 t, u32 distance)
{
	return 2 * t - (t & (distance - 1));
}

/* Orders one pair in shared memory, the smaller key first if `up`. */
static void order(__local u32 *key, __local u32 *value, u32 i, u32 distance, bool up)
{
	u32 a = key[i], b = key[i + distance], x = value[i], y = value[i + distance];
	bool swap = (a > b) == up;

	key[i] = swap ? b : a;
	key[i + distance] = swap ? a : b;
	value[i] = swap ? y : x;
	value[i + distance] = swap ? x : y;
}

/* Sequences of first, 2 * first, ... last elements become sorted ones: first = 2 sorts strips, first = last = STRIP merges the rest
 * of sequences of `size` elements, which are STRIP or longer. */
__kernel void bitonic_strip(__global u32 *key, __global u32 *value, u32 first, u32 size)
{
	__local u32 k[STRIP], v[STRIP];
	u32 t = THREAD_X, at = BLOCK_X * STRIP;

	key += at;
	value += at;
	k[t] = key[t];
	v[t] = value[t];
	k[t + THREADS] = key[t + THREADS];
	v[t + THREADS] = value[t + THREADS];
	for (u32 n = first; n <= STRIP; n *= 2) {
		u32 in = n < STRIP ? n : size;                          /* of sequences of so many, every other one goes down */

		for (u32 distance = n / 2; distance > 0; distance /= 2) {
			u32 i = lower(t, distance);

			BARRIER();
			order(k, v, i, distance, ((at + i) & in) == 0);
		}
	}
	BARRIER();
	key[t] = k[t];
	value[t] = v[t];
	key[t + THREADS] = k[t + THREADS];
	value[t + THREADS] = v[t + THREADS];
}

/* Pairs that are too far apart for a strip. */
__kernel void bitonic_far(__global u32 *key, __global u32 *value, u32 distance, u32 size)
{
	u32 i = lower(GLOBAL_X, distance), a = key[i], b = key[i + distance];

	if ((a > b) == ((i & size) == 0)) {
		u32 x = value[i];

		key[i] = b;
		key[i + distance] = a;
		value[i] = value[i + distance];
		value[i + distance] = x;
	}
}

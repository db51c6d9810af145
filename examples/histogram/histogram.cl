/* Counts of the 256 byte values: each block counts its strip in shared memory with atomics, then adds its counts to the
 * result with global atomics. */
#include "examples/gpu.cl.h"

#define BINS 256

__kernel void histogram(__global const u32 *data, __global u32 *count, u32 words)
{
	__local u32 bin[BINS];
	u32 t = THREAD_X;

	for (u32 b = t; b < BINS; b += BLOCK_SIZE_X)
		bin[b] = 0;
	BARRIER();
	for (u32 i = GLOBAL_X; i < words; i += BLOCKS_X * BLOCK_SIZE_X) {
		u32 four = data[i];

		ATOMIC_ADD(&bin[four & 255], 1);
		ATOMIC_ADD(&bin[four >> 8 & 255], 1);
		ATOMIC_ADD(&bin[four >> 16 & 255], 1);
		ATOMIC_ADD(&bin[four >> 24], 1);
	}
	BARRIER();
	for (u32 b = t; b < BINS; b += BLOCK_SIZE_X)
		if (bin[b])
			ATOMIC_ADD(&count[b], bin[b]);
}

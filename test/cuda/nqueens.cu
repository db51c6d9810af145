// N queens: backtracking with explicit stacks of bit masks in local memory, each thread from its own first two rows.
#include <cstdint>

extern "C" __global__ void nqueens(uint32_t *solutions, uint32_t n)
{
	const uint32_t i = threadIdx.x, full = (1u << n) - 1, a = 1u << i % n, b = 1u << i / n;
	uint32_t columns[12], left[12], right[12], open[12], count = 0;
	int depth = 2;

	if (i >= n * n || (b & (a | a << 1 | a >> 1)))
		return;
	columns[2] = a | b;
	left[2] = (a << 1 | b) << 1;
	right[2] = (a >> 1 | b) >> 1;
	open[2] = full & ~(columns[2] | left[2] | right[2]);
	while (depth >= 2) {
		if (open[depth] == 0) {
			depth--;
			continue;
		}
		const uint32_t place = open[depth] & -open[depth];

		open[depth] ^= place;
		if (depth + 1 == int(n)) {
			count++;
			continue;
		}
		columns[depth + 1] = columns[depth] | place;
		left[depth + 1] = (left[depth] | place) << 1;
		right[depth + 1] = (right[depth] | place) >> 1;
		depth++;
		open[depth] = full & ~(columns[depth] | left[depth] | right[depth]);
	}
	atomicAdd(solutions, count);
}

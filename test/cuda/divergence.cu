// Control flow that diverges: nested branches, break and continue, early return, loops of different length, goto, short circuits.
#include <cstdint>

extern "C" __global__ void divergence(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	uint32_t x = in[i], steps = 0, y = 0;

	out[n + i] = 77;
	for (uint32_t v = x % 1000 + 1; v != 1; steps++) {      // Collatz
		if (v % 2) {
			if (v % 3 == 0 && steps % 2 == 0)
				y++;
			v = 3 * v + 1;
		} else {
			v /= 2;
			if (v % 64 == 0)
				continue;
		}
		y = y * 3 + v;
	}
	out[i] = steps << 24 ^ y;
	if (x % 5 == 0)
		return;
	for (uint32_t a = 0; a < x % 7; a++)
		for (uint32_t b = a; b < 9; b++) {
			if (a * b > 20 || (b == 7 && x & 16))
				break;
			if ((a ^ b) == 3)
				goto next;
			y += a * b + 1;
		}
next:
	out[n + i] = y;
	do
		y = y * 5 + 1;
	while (y % 16 != x % 16);
	out[2 * n + i] = x & 1 ? (x & 2 ? y : ~y) : x & 4 ? y + 1 : y - 1;
}

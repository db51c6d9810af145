// switch: dense (a branch table or a tree of compares), sparse, with fall-through, inside a loop as a byte-code interpreter.
#include <cstdint>

__device__ __noinline__ uint32_t dense(uint32_t op, uint32_t x)
{
	switch (op) {
	case 0: return x + 1;
	case 1: return x * 3;
	case 2: return x ^ 0x55555555;
	case 3: return ~x;
	case 4: x += 9; /* fall through */
	case 5: return x << 5 | x >> 27;
	case 6: return x - 77;
	case 7: return x / 3;
	case 8: return __popc(x);
	case 9: return x & -x;
	case 10: return x * x;
	case 11: return x % 1000;
	default: return 0;
	}
}
__device__ __noinline__ uint32_t sparse(uint32_t x)
{
	switch (x % 5000) {
	case 3: case 77: case 1024: return 1;
	case 4000: return 2;
	case 17: return 3;
	case 4999: return 4;
	}
	return x % 5000 < 2500 ? 5 : 6;
}

__constant__ uint8_t program[24] = { 2, 0, 9, 1, 5, 3, 10, 4, 12, 6, 11, 8, 13, 14, 7, 0, 1, 2, 3, 4, 5, 6, 15, 7 };

extern "C" __global__ void switch_table(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	uint32_t acc = x, pc = x % 8;

	out[i] = dense(x % 13, x);
	out[n + i] = sparse(i < 16 ? i * 313 + 4 : x);
	for (int steps = 0; steps < 40; steps++) {
		const uint8_t op = program[pc++ % 24];

		switch (op) {
		case 12: if (acc & 1) pc += 2; break;
		case 13: pc += acc % 3; break;
		case 14: acc ^= pc; continue;
		case 15: steps += 2; break;
		default: acc = dense(op, acc) + steps;
		}
	}
	out[2 * n + i] = acc;
}

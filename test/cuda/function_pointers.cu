// Function pointers: a table in constant memory, one chosen by data, one passed to a function, one in a struct.
#include <cstdint>

typedef uint32_t (*binary)(uint32_t, uint32_t);

__device__ uint32_t f_add(uint32_t a, uint32_t b) { return a + b; }
__device__ uint32_t f_sub(uint32_t a, uint32_t b) { return a - b; }
__device__ uint32_t f_mul(uint32_t a, uint32_t b) { return a * b; }
__device__ uint32_t f_rot(uint32_t a, uint32_t b) { return a << (b & 31) | a >> (-b & 31); }

__constant__ binary table[4] = { f_add, f_sub, f_mul, f_rot };
__device__ binary chosen = f_rot;

struct machine { binary op; uint32_t operand; };

__device__ __noinline__ uint32_t apply(binary f, uint32_t a, uint32_t b) { return f(a, b); }
__device__ __noinline__ uint32_t step(const machine *m, uint32_t x) { return m->op(x, m->operand); }

extern "C" __global__ void function_pointers(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	uint32_t x = in[i];
	machine m = { x & 1 ? f_add : f_mul, x >> 3 };

	out[i] = table[x & 3](x, 0x9e3779b9u);
	out[n + i] = apply(table[x >> 2 & 3], x, i) ^ chosen(x, i);
	for (int k = 0; k < 4; k++)
		x = step(&m, x) + table[(x + k) & 3](x, k + 1);
	out[2 * n + i] = x;
}

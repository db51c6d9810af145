/* Functions of one kernel whose address is taken (t_...) in different ways, and those that are called by name alone (n_...). With a kernel that is alone in
 * its file, the address is a number. */
typedef unsigned (*binary)(unsigned, unsigned);
struct __attribute__((packed)) odd { char c; binary f; };

__device__ __noinline__ unsigned n_shift(unsigned a, unsigned b) { return __popc(a ^ 77) << (b & 7); }
__device__ __noinline__ unsigned n_below(unsigned a, unsigned b) { return n_shift(b, a) - __brev(a); }
__device__ __noinline__ unsigned t_constant(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned t_packed(unsigned a, unsigned b) { return a * b + n_below(a, b); }
__device__ __noinline__ unsigned t_register(unsigned a, unsigned b) { return a - b; }
__device__ __noinline__ unsigned t_both(unsigned a, unsigned b) { return a * 3 ^ b; }

__constant__ binary table[2] = { t_constant, t_both };
__device__ odd one = { 1, t_packed };

extern "C" __global__ void pointers(unsigned *out, unsigned n)
{
	const binary f = n & 1 ? t_register : t_both;

	out[0] = f(n, 3);
	out[1] = table[n >> 1 & 1](n, out[7]);
	out[2] = one.f(n, 5);
	out[3] = n_shift(n, out[8]) + t_both(n, out[9]);
}

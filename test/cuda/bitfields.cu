// Bit-fields and unions: signed and unsigned fields across bytes, type punning, packing and unpacking.
#include <cstdint>

struct fields { unsigned a : 3; int b : 7; unsigned c : 11; int d : 11; };
struct longer { uint64_t lo : 37; int64_t hi : 27; };
union mixed { uint32_t u; float f; fields bits; uint8_t byte[4]; int16_t half[2]; };

extern "C" __global__ void bitfields(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	mixed v;
	longer l;

	v.u = x;
	v.bits.a += 3;
	v.bits.b = v.bits.d >> 2;
	v.bits.c ^= 0x2aa;
	out[i] = v.u;
	v.byte[x & 3] = uint8_t(~x);
	out[n + i] = uint32_t(v.half[x >> 1 & 1] * 3);
	l.lo = uint64_t(x) * 77;
	l.hi = int64_t(int32_t(x)) / 100;
	l.lo += l.hi;
	out[2 * n + i] = uint32_t(l.lo >> 5) ^ uint32_t(l.hi);
}

// Vector types and alignment: 8 to 128 bit loads and stores, members permuted, through shared memory, of packed structs.
#include <cstdint>

struct __align__(16) record { uint16_t a[4]; uint32_t b; uint8_t c, d, e, f; };
struct packed { uint8_t x, y, z; };

extern "C" __global__ void vector_loads(uint4 *out, const uint4 *in)
{
	__shared__ longlong2 s[64];
	__shared__ packed p[64];
	const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x;
	const uint4 v = in[i];
	const float4 f = ((const float4 *)in)[i];
	const ushort2 h = ((const ushort2 *)in)[i * 4 + 1];
	const uchar4 c = ((const uchar4 *)in)[i * 4 + 2];
	const record r = *(const record *)&in[i];
	const double2 d = ((const double2 *)in)[i];

	s[t] = ((const longlong2 *)in)[i];
	p[t] = packed{ c.x, c.w, c.z };
	__syncthreads();
	const longlong2 o = s[63 - t];
	const packed q = p[t ^ 5];

	out[i] = make_uint4(v.w, v.z, v.y, v.x);
	((float4 *)out)[n + i] = make_float4(f.y, f.x, f.w, f.z);
	((longlong2 *)out)[2 * n + i] = make_longlong2(o.y - o.x, o.x ^ o.y);
	((uchar4 *)out)[(3 * n + i) * 4] = make_uchar4(q.x, q.y, q.z, c.y);
	((ushort2 *)out)[(3 * n + i) * 4 + 1] = make_ushort2(h.y, uint16_t(h.x + r.a[3]));
	((uint2 *)out)[(3 * n + i) * 2 + 1] = make_uint2(r.b + r.d, uint32_t(r.c) << 8 | r.f);
	((double2 *)out)[4 * n + i] = make_double2(d.y, d.x);
}

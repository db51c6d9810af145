// Conversions: between all integer widths, floats and doubles, each rounding mode, saturation at the ends of the range, NaN to integer.
#include <cstdint>

extern "C" __global__ void conversions(uint32_t *out, uint64_t *wide, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	const float f = __uint_as_float(x % 0x14000000 + 0x3d800000) * (x & 0x80000000 ? -1.0f : 1.0f), w = __uint_as_float(x);
	const double d = double(f) * 1.0000001;
	const int64_t s = int64_t(x) * int32_t(in[(i + 1) % n]);

	out[i] = uint32_t(__float2int_rn(f)) ^ uint32_t(__float2int_rz(w)) * 3;
	out[n + i] = uint32_t(__float2int_ru(f)) + uint32_t(__float2int_rd(f)) * 5;
	out[2 * n + i] = __float2uint_rn(f) + __float2uint_rz(w) * 3;
	out[3 * n + i] = __float_as_uint(__int2float_rn(int(x))) ^ __float_as_uint(__int2float_rz(int(x)));
	out[4 * n + i] = __float_as_uint(__uint2float_ru(x)) ^ __float_as_uint(__uint2float_rd(x));
	out[5 * n + i] = __float_as_uint(__ll2float_rn(s)) ^ __float_as_uint(__ull2float_rz(uint64_t(s)));
	out[6 * n + i] = __float_as_uint(__double2float_rn(d)) + __float_as_uint(__double2float_rz(d)) + __float_as_uint(__double2float_ru(d));
	out[7 * n + i] = uint32_t(__double2int_rn(d)) ^ __double2uint_rd(d);
	out[8 * n + i] = uint32_t(int32_t(int8_t(x))) + uint32_t(uint16_t(x >> 3)) * 7 + uint32_t(int32_t(int16_t(x >> 9)));
	out[9 * n + i] = uint32_t(uint8_t(int(fabsf(f) * 0.001f))) + uint32_t(int16_t(int(f * 0.01f)));
	out[10 * n + i] = __float_as_uint(__saturatef(f * 0.25f)) + __float_as_uint(float(int8_t(x >> 8))) + __float_as_uint(float(uint16_t(x)));
	out[11 * n + i] = uint32_t(__double2hiint(d)) ^ uint32_t(__double2loint(d));
	wide[i] = uint64_t(__float2ll_rn(f * 1e7f)) + __float2ull_rz(w);
	wide[n + i] = uint64_t(__double2ll_rz(d * 1e9)) ^ __double2ull_rn(d);
	wide[2 * n + i] = uint64_t(__double_as_longlong(__ll2double_rn(s))) ^ uint64_t(__double_as_longlong(__ull2double_rd(uint64_t(s))));
	wide[3 * n + i] = uint64_t(__double_as_longlong(double(f))) + uint64_t(__double_as_longlong(double(int(x)))) + uint64_t(__double_as_longlong(double(x)));
	wide[4 * n + i] = uint64_t(int64_t(int32_t(x))) * 3 + uint64_t(x);
}

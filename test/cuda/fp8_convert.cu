// The 8-bit floats E4M3 and E5M2: from float and half with saturation, back to half. sm_90 has instructions, sm_80 gets code.
#include <cstdint>
#include <cuda_fp8.h>

extern "C" __global__ void fp8_convert(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	const float f = __uint_as_float(x % 0x09000000 + 0x3b000000) * (x & 0x80000000 ? -1.0f : 1.0f);
	const __half_raw e4 = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(x), __NV_E4M3), e5 = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(x), __NV_E5M2);
	const float2 pair = make_float2(f, -f * 0.3f);

	out[i] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3) | __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2) << 8 |
	         uint32_t(__nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3)) << 16;
	out[n + i] = e4.x | uint32_t(e5.x) << 16;
}

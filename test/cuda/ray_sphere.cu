// Rays against spheres in constant memory: nearest hit, square root and quotient correctly rounded, structs of vectors.
#include <cstdint>

struct vec { float x, y, z; };
struct sphere { vec at; float radius; };
__constant__ sphere scene[4] = { { { 0, 0, 10 }, 3 }, { { 2, 1, 7 }, 1 }, { { -3, -1, 12 }, 4 }, { { 0, 8, 9 }, 5 } };

__device__ float dot(vec a, vec b) { return __fmaf_rn(a.x, b.x, __fmaf_rn(a.y, b.y, __fmul_rn(a.z, b.z))); }

extern "C" __global__ void ray_sphere(float *distance, uint32_t *which)
{
	const uint32_t x = threadIdx.x, y = blockIdx.x, i = y * blockDim.x + x;
	vec d = { (float(x) - 15.5f) / 16.0f, (float(y) - 15.5f) / 16.0f, 1 };
	const float length = __fsqrt_rn(dot(d, d));
	float nearest = __int_as_float(0x7f800000);
	uint32_t hit = 9;

	d = { __fdiv_rn(d.x, length), __fdiv_rn(d.y, length), __fdiv_rn(d.z, length) };
	for (uint32_t k = 0; k < 4; k++) {
		const sphere &s = scene[k];
		const float b = dot(d, s.at), c = __fmaf_rn(-s.radius, s.radius, dot(s.at, s.at)), disc = __fmaf_rn(b, b, -c);

		if (disc < 0)
			continue;
		const float t = __fsub_rn(b, __fsqrt_rn(disc));
		if (t > 0 && t < nearest) {
			nearest = t;
			hit = k;
		}
	}
	distance[i] = nearest;
	which[i] = hit;
}

// Rounding to integers and decomposition, single and double: floor, ceil, trunc, rint, round, fmod, remainder, ldexp, frexp, modf, logb, nextafter.
#include <cstdint>

extern "C" __global__ void rounding(float *out, double *wide, const float *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	const float x = in[i], y = __fmul_rn(in[(i + 17) % n], 0.37f);
	const double u = __dmul_rn(double(x), 1048577.5), v = double(y);
	float whole;
	int e;

	out[i] = floorf(x);
	out[n + i] = ceilf(x);
	out[2 * n + i] = truncf(x);
	out[3 * n + i] = rintf(x);
	out[4 * n + i] = roundf(floorf(x) + 0.5f);
	out[5 * n + i] = fmodf(x, y);
	out[6 * n + i] = remainderf(x, y);
	out[7 * n + i] = ldexpf(x, int(i % 40) - 20);
	out[8 * n + i] = frexpf(x, &e);
	out[8 * n + i] += float(e);
	out[9 * n + i] = modff(x, &whole) * 0.5f;
	out[9 * n + i] += whole;
	out[10 * n + i] = nextafterf(x, y);
	out[11 * n + i] = logbf(x) + float(ilogbf(y));
	wide[i] = floor(u) + ceil(v);
	wide[n + i] = rint(u) - trunc(v);
	wide[2 * n + i] = fmod(u, v);
	wide[3 * n + i] = round(u);
	wide[4 * n + i] = ldexp(v, int(i % 90) - 45);
	wide[5 * n + i] = remainder(u, v);
}

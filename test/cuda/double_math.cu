// Double-precision functions of the CUDA library, small and large arguments: sin, cos, tan, exp, log, pow, cbrt, atan2, sinh, erf, tgamma.
#include <cstdint>

extern "C" __global__ void double_math(double *out, const double *in)
{
	const uint32_t i = threadIdx.x, n = blockDim.x;
	const double x = in[i], big = x * 1e7 * (1 + i * i), p = fabs(x) + 0.25;

	out[i] = sin(x) + cos(2 * x);
	out[n + i] = sin(big);
	out[2 * n + i] = cos(big);
	out[3 * n + i] = tan(x);
	out[4 * n + i] = exp(x);
	out[5 * n + i] = log(p) + log2(p * 3) + log10(p * 7) + log1p(p);
	out[6 * n + i] = pow(p, x);
	out[7 * n + i] = cbrt(x) + hypot(x, 3.0);
	out[8 * n + i] = atan2(x, p - 1) + asin(x / 16) + acos(x / 17);
	out[9 * n + i] = sinh(x) + cosh(x) + tanh(x);
	out[10 * n + i] = erf(x) + expm1(x * 0.01);
	out[11 * n + i] = rsqrt(p) + exp2(x);
}

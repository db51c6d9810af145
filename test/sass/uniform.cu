/* Values that are the same in all lanes: the uniform datapath, and operands straight from constant banks. */
#include <cstdint>

#define OUT(v) out[i++ * 1024 + threadIdx.x] = (v)
__constant__ uint32_t tab[256];
__constant__ double weight[32];
__constant__ float scale[64];

extern "C" __global__ void uniform(uint32_t *out, const uint32_t *in, uint32_t n, uint32_t m, int k, uint64_t w)
{
	uint32_t u = tab[n & 255], s = 0;
	int i = 0;

	for (uint32_t j = 0; j < n; j++) {
		u = (u << 3 | u >> (m & 31)) ^ tab[j];
		s += tab[(u + j) & 255] * m;
		if (u & m) {
			s = min(s, u);
			__syncthreads();
		} else if ((int)s > k) {
			s = __brev(u) + __popc(s) + __clz(u);
		}
		s += out[(j * 5 + m * 7) & 1023];
		OUT(in[s & 15] + __byte_perm(u, s, m));
	}
	OUT(n * m + k);
	OUT(n / m);
	OUT(k % 7);
	OUT((uint32_t)(w * n >> 20));
	OUT(w > 99 && k < 3 || m == n ? u : s);
	OUT(__umulhi(n, m) + max(k, 9) + (n & ~m | u));
	OUT(in[(threadIdx.x << 2) + n * 4] & m);
	OUT((threadIdx.x >> (k & 31)) + (n << threadIdx.x));
	OUT(threadIdx.x > n ? m : k);
	OUT(threadIdx.x * m + tab[7]);
	OUT(threadIdx.x * tab[9] + n);
	OUT((uint32_t)(((uint64_t)threadIdx.x * m + w) >> 3));
	OUT(__umulhi(threadIdx.x, m));
	OUT((threadIdx.x & m) ^ k);
	OUT(min(threadIdx.x, m) + __byte_perm(threadIdx.x, n, k));
	OUT(__shfl_sync(~0u, threadIdx.x, n));
}

extern "C" __global__ void constants(float *out, const float *in, double *wide, float f, float g, double d, int n)
{
	float a = in[threadIdx.x], b = in[threadIdx.x + 1024];
	double x = wide[threadIdx.x];
	int i = 0;

	OUT(a * f + b);
	OUT(a * b + g);
	OUT(a + f);
	OUT(a * g);
	OUT(f - g * 3.0f);
	OUT(fmaxf(a, f) + fminf(b, scale[3]));
	OUT(a < f ? b : g);
	OUT(b > scale[n & 63] ? f : a);
	OUT(sqrtf(f) + __sinf(g) + rsqrtf(a * scale[5]));
	OUT(1.0f / f + a / g + f / b);
	OUT((float)n + (float)(uint64_t)n);
	OUT((float)(int)f + floorf(g));
	OUT((float)d + (float)(int)d);
	wide[threadIdx.x + 1024] = x * d + weight[2];
	wide[threadIdx.x + 2048] = x + d;
	wide[threadIdx.x + 3072] = x * weight[n & 31];
	wide[threadIdx.x + 4096] = x < d ? weight[5] : x * x + d;
	wide[threadIdx.x + 5120] = sqrt(d) + 1.0 / d + (double)n + (double)f;
}

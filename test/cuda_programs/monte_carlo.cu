// monte_carlo: an option's price and pi from cuRAND's device generators, which are headers alone; states kept over launches; the same numbers made on the host.
// run:
// run: -paths=20000 -seed=99
// timed: -paths=1024
// mutant: s/x \* x + y \* y < 1/x * x + y * y < 1.1f/
#include "program.h"
#include <cmath>
#include <curand_kernel.h>
#include <vector>

__global__ void start(curandStatePhilox4_32_10_t *state, unsigned long long seed, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		curand_init(seed, i, 0, &state[i]);
}

__global__ void price(curandStatePhilox4_32_10_t *state, int each, float spot, float strike, float rate, float sigma, float time, double *sum, double *squares, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	curandStatePhilox4_32_10_t s = state[i];
	double total = 0, square = 0;
	for (int k = 0; k < each; k++) {
		const float z = curand_normal(&s), end = spot * expf((rate - 0.5f * sigma * sigma) * time + sigma * sqrtf(time) * z);
		const double pay = fmaxf(end - strike, 0.0f);
		total += pay;
		square += pay * pay;
	}
	state[i] = s;
	atomicAdd(sum, total);
	atomicAdd(squares, square);
}

__global__ void darts(unsigned long long seed, int each, unsigned *inside, unsigned *word, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned hits = 0;
	if (i < n) {
		curandState s;                          // XORWOW
		curand_init(seed, i, 0, &s);
		word[i] = curand(&s);
		for (int k = 0; k < each; k++) {
			const float x = curand_uniform(&s), y = curand_uniform(&s);
			hits += x * x + y * y < 1;
		}
	}
	hits = __reduce_add_sync(~0u, hits);
	if (threadIdx.x % 32 == 0)
		atomicAdd(inside, hits);
}

__global__ void words(curandStatePhilox4_32_10_t *state, uint4 *out, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = curand4(&state[i]);
}

// Philox 4x32-10 of Salmon et al., 2011.
static void philox(uint32_t c[4], uint32_t k0, uint32_t k1)
{
	for (int round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
		const uint64_t a = uint64_t(0xd2511f53u) * c[0], b = uint64_t(0xcd9e8d57u) * c[2];
		const uint32_t next[4] = {uint32_t(b >> 32) ^ c[1] ^ k0, uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ k1, uint32_t(a)};
		memcpy(c, next, sizeof next);
	}
}

int main(int argc, char **argv)
{
	const int paths = option(argc, argv, "paths", 40000), threads = 512, each = (paths + threads - 1) / threads, block = 128;
	const unsigned long long seed = option(argc, argv, "seed", 1234);
	const float spot = 100, strike = 105, rate = 0.03f, sigma = 0.2f, time = 1;
	curandStatePhilox4_32_10_t *state;
	uint4 *word, host[threads];
	double *sums;
	unsigned *inside, *first;
	CHECK(cudaMalloc(&state, threads * sizeof *state));
	CHECK(cudaMalloc(&word, sizeof host));
	CHECK(cudaMallocManaged(&sums, 2 * sizeof *sums));
	CHECK(cudaMallocManaged(&inside, sizeof *inside));
	CHECK(cudaMallocManaged(&first, threads * sizeof *first));
	start<<<threads / block, block>>>(state, seed, threads);
	words<<<threads / block, block>>>(state, word, threads);
	CHECK(cudaMemcpy(host, word, sizeof host, cudaMemcpyDeviceToHost));
	bool ok = true;
	for (int i = 0; i < threads; i++) {
		uint32_t c[4] = {0, 0, uint32_t(i), 0};
		philox(c, uint32_t(seed), uint32_t(seed >> 32));
		ok &= !memcmp(c, &host[i], sizeof c);
	}
	EXPECT(ok);
	sums[0] = sums[1] = 0;
	*inside = 0;
	price<<<threads / block, block>>>(state, each, spot, strike, rate, sigma, time, sums, sums + 1, threads);
	darts<<<threads / block, block>>>(seed, each, inside, first, threads);
	CHECK(cudaDeviceSynchronize());
	const double n = double(threads) * each, discount = std::exp(-rate * time), mean = sums[0] / n;
	const double deviation = discount * std::sqrt((sums[1] / n - mean * mean) / n);
	const double d1 = (std::log(double(spot) / strike) + (rate + 0.5 * sigma * sigma) * time) / (sigma * std::sqrt(time)), d2 = d1 - sigma * std::sqrt(time);
	const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
	const double exact = spot * normal(d1) - strike * discount * normal(d2), got = discount * mean;
	const double pi = 4.0 * *inside / n, pi_deviation = 4 * std::sqrt(0.785 * 0.215 / n);
	printf("%.0f paths: price %.4f +- %.4f (%.4f), pi %.4f +- %.4f\n", n, got, deviation, exact, pi, pi_deviation);
	ok &= std::fabs(got - exact) < 4 * deviation && std::fabs(pi - 3.14159265) < 4 * pi_deviation;
	int equal = 0;
	for (int i = 1; i < threads; i++)
		equal += first[i] == first[i - 1];
	EXPECT(equal < 2);
	for (void *p : {static_cast<void *>(state), static_cast<void *>(word), static_cast<void *>(sums), static_cast<void *>(inside), static_cast<void *>(first)})
		CHECK(cudaFree(p));
	return verdict("monte_carlo", ok);
}

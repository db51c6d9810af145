// black_scholes: prices of options in closed form, in float and in double by one template, parameters in constant memory set by symbol.
// build: -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=compute_80
// run:
// run: -options=999 -iterations=1
// timed: -options=512 -iterations=1
// mutant: s/rate + T(0.5)/rate - T(0.5)/
#include "program.h"
#include <vector>

struct Market { double rate, volatility; };
__constant__ Market market;
__device__ unsigned long long priced;

template <class T> __device__ T normal(T x) { return T(0.5) * erfc(-x * T(0.70710678118654752)); }

template <class T> __global__ void prices(const T *spot, const T *strike, const T *years, T *call, T *put, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const T rate = T(market.rate), v = T(market.volatility), root = sqrt(years[i]);
		const T d1 = (log(spot[i] / strike[i]) + (rate + T(0.5) * v * v) * years[i]) / (v * root), d2 = d1 - v * root;
		const T discounted = strike[i] * exp(-rate * years[i]);
		call[i] = spot[i] * normal(d1) - discounted * normal(d2);
		put[i] = discounted * normal(-d2) - spot[i] * normal(-d1);
		if (threadIdx.x == 0)
			atomicAdd(&priced, 1ull);
	}
}

template <class T> static bool run(const char *name, int n, int iterations, double tolerance)
{
	std::vector<T> in(3 * n), got(2 * n), want(2 * n);
	Random random(13);
	const Market m = {0.02, 0.3};
	for (int i = 0; i < n; i++) {
		const double s = in[i] = random.between(5, 30), k = in[n + i] = random.between(1, 100), t = in[2 * n + i] = random.between(0.25f, 10);
		const double d1 = (std::log(s / k) + (m.rate + 0.5 * m.volatility * m.volatility) * t) / (m.volatility * std::sqrt(t)), d2 = d1 - m.volatility * std::sqrt(t);
		const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
		want[i] = T(s * phi(d1) - k * std::exp(-m.rate * t) * phi(d2));
		want[n + i] = T(k * std::exp(-m.rate * t) * phi(-d2) - s * phi(-d1));
	}
	const unsigned long long zero = 0;
	unsigned long long count;
	CHECK(cudaMemcpyToSymbol(market, &m.volatility, sizeof m.volatility, offsetof(Market, volatility)));
	CHECK(cudaMemcpyToSymbol(market, &m.rate, sizeof m.rate));
	CHECK(cudaMemcpyToSymbolAsync(priced, &zero, sizeof zero));
	T *d;
	CHECK(cudaMalloc(&d, 5 * n * sizeof(T)));
	CHECK(cudaMemcpy(d, in.data(), 3 * n * sizeof(T), cudaMemcpyHostToDevice));
	prices<T><<<4, 128>>>(d, d + n, d + 2 * n, d + 3 * n, d + 4 * n, n);
	Timer timer;
	for (int i = 1; i < iterations; i++)
		prices<T><<<4, 128>>>(d, d + n, d + 2 * n, d + 3 * n, d + 4 * n, n);
	CHECK(cudaGetLastError());
	const float ms = timer.ms();
	CHECK(cudaMemcpy(got.data(), d + 3 * n, 2 * n * sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpyFromSymbol(&count, priced, sizeof count));
	Market back;
	CHECK(cudaMemcpyFromSymbol(&back, market, sizeof back));
	EXPECT(back.rate == m.rate && back.volatility == m.volatility);
	unsigned long long expected = 0;
	for (int i = 0; i < n; i += 128)
		expected++;
	EXPECT(count == expected * (iterations > 1 ? iterations : 1));
	CHECK(cudaFree(d));
	printf("%s: %d options, %d times, %.3f ms\n", name, n, iterations, ms);
	return same(name, got.data(), want.data(), 2 * n, tolerance, 30 * tolerance);
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "options", 4000), iterations = option(argc, argv, "iterations", 2);
	return verdict("black_scholes", run<float>("float", n, iterations, 2e-6) & run<double>("double", n, iterations, 1e-13));
}

// radix_sort: keys with values, four bits a pass; ranks by match and popc in a warp, offsets by a scan of counts; launches that depend on the data.
// run:
// run: -n=9001 -bits=16
// run: -n=64 -signed
// timed: -n=3000 -bits=8
// mutant: s/at += seen\[w\]\[digit\]/at += 0/
#include "program.h"
#include <algorithm>
#include <numeric>
#include <vector>

constexpr int BITS = 4, DIGITS = 1 << BITS, BLOCK = 128;

__global__ void count(const unsigned *key, unsigned n, int shift, unsigned *counts)        // counts[digit][block]
{
	__shared__ unsigned bins[DIGITS];
	const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
	if (threadIdx.x < DIGITS)
		bins[threadIdx.x] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&bins[key[i] >> shift & (DIGITS - 1)], 1);
	__syncthreads();
	if (threadIdx.x < DIGITS)
		counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void offsets(unsigned *counts, unsigned n)           // one block: exclusive sums
{
	__shared__ unsigned warp_total[32];
	unsigned base = 0;
	for (unsigned from = 0; from < n; from += blockDim.x) {
		const unsigned i = from + threadIdx.x, lane = threadIdx.x % 32;
		const unsigned mine = i < n ? counts[i] : 0;
		unsigned sum = mine;
		for (int d = 1; d < 32; d *= 2) {
			const unsigned other = __shfl_up_sync(~0u, sum, d);
			sum += lane >= d ? other : 0;
		}
		if (lane == 31)
			warp_total[threadIdx.x / 32] = sum;
		__syncthreads();
		unsigned before = 0, all = 0;
		for (unsigned w = 0; w < blockDim.x / 32; w++) {
			before += w < threadIdx.x / 32 ? warp_total[w] : 0;
			all += warp_total[w];
		}
		if (i < n)
			counts[i] = base + before + sum - mine;
		base += all;
		__syncthreads();
	}
}

__global__ void scatter(const unsigned *key, const unsigned *value, unsigned n, int shift, const unsigned *offset, unsigned *key_out, unsigned *value_out)
{
	__shared__ unsigned seen[BLOCK / 32][DIGITS];
	const unsigned i = blockIdx.x * BLOCK + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const unsigned k = i < n ? key[i] : ~0u, v = i < n ? value[i] : 0, digit = k >> shift & (DIGITS - 1);
	for (unsigned b = threadIdx.x; b < BLOCK / 32 * DIGITS; b += BLOCK)
		seen[0][b] = 0;
	__syncthreads();
	const unsigned tag = i < n ? digit << 28 : 1;              // lanes beyond the end are their own kind
	const unsigned peers = __match_any_sync(~0u, tag), rank = __popc(peers & ((1u << lane) - 1));
	if (i < n && rank == 0)
		seen[warp][digit] = __popc(peers);
	__syncthreads();
	if (i < n) {
		unsigned at = offset[digit * gridDim.x + blockIdx.x] + rank;
		for (unsigned w = 0; w < warp; w++)
			at += seen[w][digit];
		key_out[at] = k;
		value_out[at] = v;
	}
}

int main(int argc, char **argv)
{
	const unsigned n = option(argc, argv, "n", 20000), bits = option(argc, argv, "bits", 32);
	const unsigned flip = option(argc, argv, "signed", 0) ? 1u << 31 : 0;
	std::vector<unsigned> key(n), value(n), order(n), got(n), got_value(n);
	Random random(6);
	for (unsigned i = 0; i < n; i++) {
		key[i] = (bits < 32 ? random.next() & ((1u << bits) - 1) : random.next()) ^ flip;
		value[i] = order[i] = i;
	}
	const unsigned most = *std::max_element(key.begin(), key.end());
	const int significant = most ? 32 - __builtin_clz(most) : 1;
	std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return key[a] < key[b]; });
	const unsigned blocks = (n + BLOCK - 1) / BLOCK;
	unsigned *k[2], *v[2], *counts;
	for (int i = 0; i < 2; i++) {
		CHECK(cudaMalloc(&k[i], n * sizeof(unsigned)));
		CHECK(cudaMalloc(&v[i], n * sizeof(unsigned)));
	}
	CHECK(cudaMalloc(&counts, DIGITS * blocks * sizeof(unsigned)));
	CHECK(cudaMemcpy(k[0], key.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(v[0], value.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
	int now = 0, passes = 0;
	Timer timer;
	for (int shift = 0; shift < significant; shift += BITS, now = 1 - now, passes++) {
		count<<<blocks, BLOCK>>>(k[now], n, shift, counts);
		offsets<<<1, 256>>>(counts, DIGITS * blocks);
		scatter<<<blocks, BLOCK>>>(k[now], v[now], n, shift, counts, k[1 - now], v[1 - now]);
	}
	CHECK(cudaGetLastError());
	printf("%u keys, %d passes, %.3f ms\n", n, passes, timer.ms());
	CHECK(cudaMemcpy(got.data(), k[now], n * sizeof(unsigned), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(got_value.data(), v[now], n * sizeof(unsigned), cudaMemcpyDeviceToHost));
	bool ok = same("value", got_value.data(), order.data(), n);
	for (unsigned i = 0; i < n; i++)
		ok &= got[i] == key[order[i]];
	for (unsigned *p : {k[0], k[1], v[0], v[1], counts})
		CHECK(cudaFree(p));
	return verdict("radix_sort", ok);
}

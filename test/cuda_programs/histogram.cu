// histogram: pinned memory in pieces on four streams, counts in shared memory by atomics, added up in global memory; 64 and 256 bins.
// run:
// run: -bytes=300001 -streams=3 -bins=64
// timed: -bytes=20000 -streams=2
// mutant: s/atomicAdd(&total\[b\]/atomicMax(\&total[b]/
#include "program.h"
#include <vector>

template <int BINS> __global__ void count(const uint8_t *in, unsigned bytes, unsigned *total)
{
	__shared__ unsigned part[8][BINS];              // of each warp
	unsigned *mine = part[threadIdx.x / 32];

	for (unsigned b = threadIdx.x; b < 8 * BINS; b += blockDim.x)
		part[0][b] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[in[i] * BINS / 256], 1u);
	__syncthreads();
	for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x) {
		unsigned sum = 0;
		for (int w = 0; w < 8; w++)
			sum += part[w][b];
		atomicAdd(&total[b], sum);
	}
}

int main(int argc, char **argv)
{
	const unsigned bytes = option(argc, argv, "bytes", 1 << 18), streams = option(argc, argv, "streams", 4), bins = option(argc, argv, "bins", 256);
	uint8_t *host, *device;
	unsigned *total;
	CHECK(cudaMallocHost(&host, bytes));
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaMalloc(&total, bins * sizeof *total));
	CHECK(cudaMemset(total, 0, bins * sizeof *total));
	Random random(4);
	std::vector<unsigned> want(bins), got(bins);
	for (unsigned i = 0; i < bytes; i++) {
		const float x = random.unit();
		host[i] = uint8_t(x * x * 256);
		want[host[i] * bins / 256]++;
	}
	std::vector<cudaStream_t> stream(streams);
	for (cudaStream_t &s : stream)
		CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	CHECK(cudaDeviceSynchronize());
	const unsigned piece = (bytes + 2 * streams - 1) / (2 * streams);
	for (unsigned i = 0, from = 0; from < bytes; i++, from += piece) {
		const unsigned n = bytes - from < piece ? bytes - from : piece;
		const cudaStream_t s = stream[i % streams];
		CHECK(cudaMemcpyAsync(device + from, host + from, n, cudaMemcpyHostToDevice, s));
		if (bins == 64)
			count<64><<<4, 256, 0, s>>>(device + from, n, total);
		else
			count<256><<<4, 256, 0, s>>>(device + from, n, total);
		CHECK(cudaGetLastError());
	}
	for (cudaStream_t s : stream) {
		CHECK(cudaStreamSynchronize(s));
		EXPECT(cudaStreamQuery(s) == cudaSuccess);
		CHECK(cudaStreamDestroy(s));
	}
	CHECK(cudaMemcpy(got.data(), total, bins * sizeof *total, cudaMemcpyDeviceToHost));
	CHECK(cudaFreeHost(host));
	CHECK(cudaFree(device));
	CHECK(cudaFree(total));
	printf("%u bytes, %u bins, %u streams\n", bytes, bins, streams);
	return verdict("histogram", (bins == 64 || bins == 256) && same("bin", got.data(), want.data(), bins));
}

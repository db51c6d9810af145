// reduction: five ways to add up an array, each a template over type and block; passes until one number is left; block size by occupancy.
// run:
// run: -type=double -n=70001
// run: -type=float -n=4097 -threads=64
// run: -n=40000 -threads=0
// timed: -n=16384 -threads=128
// mutant: s/sum += __shfl_down_sync(~0u, sum, d)/sum += __shfl_down_sync(~0u, sum, d + 1)/
#include "program.h"
#include <vector>

template <class T> struct Shared {      // dynamic shared memory has one name in a file, and no type of its own
	__device__ operator T *() { extern __shared__ double2 shared_bytes[]; return reinterpret_cast<T *>(shared_bytes); }
};

template <class T> __global__ void interleaved(const T *in, T *out, unsigned n)
{
	T *s = Shared<T>();
	const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	s[t] = i < n ? in[i] : T(0);
	__syncthreads();
	for (unsigned d = 1; d < blockDim.x; d *= 2) {
		if (t % (2 * d) == 0)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

template <class T> __global__ void sequential(const T *in, T *out, unsigned n)
{
	T *s = Shared<T>();
	const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	s[t] = i < n ? in[i] : T(0);
	__syncthreads();
	for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
		if (t < d)
			s[t] += s[t + d];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

template <class T> __device__ T warp_sum(T sum)
{
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(~0u, sum, d);
	return sum;
}

template <class T, unsigned BLOCK> __global__ void unrolled(const T *in, T *out, unsigned n)
{
	T *s = Shared<T>();
	const unsigned t = threadIdx.x;
	T sum = 0;
	for (unsigned i = blockIdx.x * BLOCK * 2 + t; i < n; i += BLOCK * 2 * gridDim.x) {
		sum += in[i];
		if (i + BLOCK < n)
			sum += in[i + BLOCK];
	}
	s[t] = sum;
	__syncthreads();
	if (BLOCK >= 512) { if (t < 256) s[t] = sum = sum + s[t + 256]; __syncthreads(); }
	if (BLOCK >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; __syncthreads(); }
	if (BLOCK >= 128) { if (t < 64) s[t] = sum = sum + s[t + 64]; __syncthreads(); }
	if (t < 32) {
		if (BLOCK >= 64)
			sum += s[t + 32];
		sum = warp_sum(sum);
		if (t == 0)
			out[blockIdx.x] = sum;
	}
}

template <class T> __global__ void by_warps(const T *in, T *out, unsigned n)
{
	T *s = Shared<T>();
	const unsigned t = threadIdx.x, warps = blockDim.x / 32;
	T sum = 0;
	for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
		sum += in[i];
	sum = warp_sum(sum);
	if (t % 32 == 0)
		s[t / 32] = sum;
	__syncthreads();
	if (t < 32) {
		sum = warp_sum(t < warps ? s[t] : T(0));
		if (t == 0)
			out[blockIdx.x] = sum;
	}
}

template <class T> __global__ void by_atomics(const T *in, T *out, unsigned n)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	const T sum = warp_sum(i < n ? in[i] : T(0));
	if (threadIdx.x % 32 == 0)
		atomicAdd(out, sum);
}

template <class T> struct SharedFor { __host__ __device__ size_t operator()(int block) const { return block * sizeof(T); } };

template <class T> static T run(unsigned kind, const T *in, T *work, unsigned n, unsigned threads)
{
	const size_t shared = threads * sizeof(T);
	T *out = work, *other = work + n;
	for (;;) {
		unsigned blocks = (n + threads - 1) / threads;
		switch (kind) {
		case 0: interleaved<T><<<blocks, threads, shared>>>(in, out, n); break;
		case 1: sequential<T><<<blocks, threads, shared>>>(in, out, n); break;
		case 2:
			blocks = (blocks + 15) / 16;
			switch (threads) {
			case 32: unrolled<T, 32><<<blocks, 32, shared>>>(in, out, n); break;
			case 64: unrolled<T, 64><<<blocks, 64, shared>>>(in, out, n); break;
			case 128: unrolled<T, 128><<<blocks, 128, shared>>>(in, out, n); break;
			case 256: unrolled<T, 256><<<blocks, 256, shared>>>(in, out, n); break;
			default: threads = 512; unrolled<T, 512><<<blocks, 512, 512 * sizeof(T)>>>(in, out, n); break;
			}
			break;
		case 3: blocks = (blocks + 7) / 8; by_warps<T><<<blocks, threads, shared>>>(in, out, n); break;
		default:
			CHECK(cudaMemset(out, 0, sizeof *out));
			by_atomics<T><<<blocks, threads>>>(in, out, n);
			blocks = 1;
		}
		CHECK(cudaGetLastError());
		if (blocks == 1)
			break;
		in = out;
		n = blocks;
		std::swap(out, other);
	}
	T sum;
	CHECK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
	return sum;
}

template <class T> static bool all(const char *name, unsigned n, int threads)
{
	std::vector<T> in(n);
	Random random(3);
	T want = 0;
	for (T &x : in)
		want += x = T(random.below(256)) / 2;   // halves: every sum here is exact, in any order
	if (threads == 0) {
		int blocks;
		CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, by_warps<T>, SharedFor<T>(), 512));
		EXPECT(blocks > 0 && threads % 32 == 0 && threads <= 512);
		printf("by occupancy: blocks of %d, at least %d of them\n", threads, blocks);
		threads = threads >= 512 ? 512 : threads >= 256 ? 256 : 128;
	}
	T *din, *work;
	CHECK(cudaMalloc(&din, n * sizeof(T)));
	CHECK(cudaMalloc(&work, 2 * n * sizeof(T)));
	CHECK(cudaMemcpy(din, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
	bool ok = true;
	for (unsigned kind = 0; kind < 5; kind++) {
		Timer timer;
		const T sum = run(kind, din, work, n, threads);
		printf("%s, kernel %u: %.1f in %.4f ms\n", name, kind, double(sum), timer.ms());
		ok &= same("sum", &sum, &want, 1);
	}
	CHECK(cudaFree(din));
	CHECK(cudaFree(work));
	return ok;
}

int main(int argc, char **argv)
{
	const char *type = option(argc, argv, "type", "int");
	const unsigned n = option(argc, argv, "n", 1 << 16), threads = option(argc, argv, "threads", 256);
	const bool ok = !strcmp(type, "int") ? all<int>(type, n, threads) : !strcmp(type, "float") ? all<float>(type, n, threads) : all<double>(type, n, threads);
	return verdict("reduction", ok);
}

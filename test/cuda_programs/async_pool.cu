// async_pool: memory allocated and freed in the order of a stream, pools, and C++ classes that own streams, events and buffers and may throw.
// run:
// run: -rounds=2 -n=100
// timed: -rounds=1 -n=256
// mutant: s/y\[i\] += a \* x\[i\]/y[i] += a + x[i]/
#include "program.h"
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Failure : public std::runtime_error {
public:
	const cudaError_t error;
	Failure(cudaError_t e, const char *what) : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e)), error(e) {}
};
#define TRY(call) do { const cudaError_t try_error = (call); if (try_error != cudaSuccess) throw Failure(try_error, #call); } while (0)

class Stream {
	cudaStream_t s = nullptr;
public:
	Stream() { TRY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)); }
	~Stream() { if (s) cudaStreamDestroy(s); }
	Stream(Stream &&other) noexcept : s(std::exchange(other.s, nullptr)) {}
	operator cudaStream_t() const { return s; }
	void wait() const { TRY(cudaStreamSynchronize(s)); }
};

template <class T> class Buffer {
	T *p = nullptr;
	size_t n = 0;
	cudaStream_t s;
public:
	Buffer(size_t count, cudaStream_t stream) : n(count), s(stream) { TRY(cudaMallocAsync(&p, n * sizeof(T), s)); }
	~Buffer() { if (p) cudaFreeAsync(p, s); }
	Buffer(Buffer &&other) noexcept : p(std::exchange(other.p, nullptr)), n(other.n), s(other.s) {}
	T *get() const { return p; }
	void put(const std::vector<T> &v) { TRY(cudaMemcpyAsync(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice, s)); }
	void take(std::vector<T> &v) const { v.resize(n); TRY(cudaMemcpyAsync(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost, s)); }
};

template <class T> __global__ void axpy(T a, const T *x, T *y, size_t n)
{
	const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}

class Pipeline {
	Stream stream;
	Buffer<double> x, y;
public:
	Pipeline(const std::vector<double> &in, double start) : x(in.size(), stream), y(in.size(), stream)
	{
		x.put(in);
		y.put(std::vector<double>(in.size(), start));
		stream.wait();          // the vector goes away
	}
	void step(double a, size_t n)
	{
		axpy<<<unsigned((n + 127) / 128), 128, 0, stream>>>(a, x.get(), y.get(), n);
		TRY(cudaGetLastError());
	}
	std::vector<double> result() const
	{
		std::vector<double> v;
		y.take(v);
		stream.wait();
		return v;
	}
};

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 3000), rounds = option(argc, argv, "rounds", 4);
	int pools;
	CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
	EXPECT(pools);
	cudaMemPool_t pool;
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	uint64_t keep = UINT64_MAX;
	CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
	bool ok = true;
	try {
		std::vector<double> in(n);
		for (int i = 0; i < n; i++)
			in[i] = i * 0.5;
		std::vector<std::unique_ptr<Pipeline>> pipelines;
		for (int r = 0; r < rounds; r++)
			pipelines.push_back(std::make_unique<Pipeline>(in, r));
		for (int k = 1; k <= 3; k++)
			for (auto &p : pipelines)
				p->step(k, n);
		for (int r = 0; r < rounds; r++) {
			const std::vector<double> got = pipelines[r]->result();
			for (int i = 0; i < n; i++)
				ok &= got[i] == r + 6 * in[i];
		}
		pipelines.clear();
		CHECK(cudaDeviceSynchronize());
		uint64_t used;
		CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
		EXPECT(used == 0);
		CHECK(cudaMemPoolTrimTo(pool, 0));
	} catch (const Failure &f) {
		fprintf(stderr, "%s\n", f.what());
		return 2;
	}
	bool thrown = false;
	try {
		Stream s;
		Buffer<double> impossible(size_t(1) << 48, s);
	} catch (const Failure &f) {
		thrown = f.error == cudaErrorMemoryAllocation;
		cudaGetLastError();
	}
	EXPECT(thrown);
	printf("%d rounds of %d\n", rounds, n);
	return verdict("async_pool", ok);
}

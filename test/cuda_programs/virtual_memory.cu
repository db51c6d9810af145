// virtual_memory: arrays that grow where they are, by addresses reserved once and memory mapped behind memory; a ring that is mapped twice; the driver's functions by their names
// run:
// run: -mib=5 -steps=3
// timed: -mib=1 -steps=1
// mutant: s/x\[i\] = uint32_t(i)/x[i] = uint32_t(i + 1)/
#include "program.h"
#include <cuda.h>
#include <vector>

#define TRY(call) do { const CUresult try_result = (call); \
	if (try_result != CUDA_SUCCESS) { fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, int(try_result)); exit(2); } } while (0)

template <class F> F *driver(const char *name)
{
	void *f = nullptr;
	cudaDriverEntryPointQueryResult found;
	CHECK(cudaGetDriverEntryPointByVersion(name, &f, 12000, cudaEnableDefault, &found));
	EXPECT(f && found == cudaDriverEntryPointSuccess);
	return reinterpret_cast<F *>(f);
}
#define DRIVER(name) static const auto name##_f = driver<decltype(name)>(#name)

struct Device {         // one's own memory, readable and writable
	CUmemAllocationProp prop = {};
	CUmemAccessDesc access = {};
	size_t granule = 0;
	Device()
	{
		DRIVER(cuMemGetAllocationGranularity);
		prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
		prop.location = { CU_MEM_LOCATION_TYPE_DEVICE, { 0 } };
		access = { prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
		TRY(cuMemGetAllocationGranularity_f(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	}
};

template <class T> class Growing {
	const Device &d;
	CUdeviceptr at = 0;
	size_t reserved, mapped = 0;
	std::vector<size_t> pieces;
public:
	Growing(const Device &device, size_t most) : d(device), reserved((most * sizeof(T) + d.granule - 1) / d.granule * d.granule)
	{
		DRIVER(cuMemAddressReserve);
		TRY(cuMemAddressReserve_f(&at, reserved, 0, 0, 0));
	}
	Growing(const Growing &) = delete;
	~Growing()
	{
		DRIVER(cuMemUnmap);
		DRIVER(cuMemAddressFree);
		CUdeviceptr p = at;
		for (const size_t n : pieces) {
			TRY(cuMemUnmap_f(p, n));
			p += n;
		}
		TRY(cuMemAddressFree_f(at, reserved));
	}
	void grow(size_t n)
	{
		DRIVER(cuMemCreate);
		DRIVER(cuMemMap);
		DRIVER(cuMemRelease);
		DRIVER(cuMemSetAccess);
		const size_t bytes = (n * sizeof(T) + d.granule - 1) / d.granule * d.granule;
		CUmemGenericAllocationHandle h;
		if (bytes <= mapped)
			return;
		TRY(cuMemCreate_f(&h, bytes - mapped, &d.prop, 0));
		TRY(cuMemMap_f(at + mapped, bytes - mapped, 0, h, 0));
		TRY(cuMemSetAccess_f(at + mapped, bytes - mapped, &d.access, 1));
		TRY(cuMemRelease_f(h));
		pieces.push_back(bytes - mapped);
		mapped = bytes;
	}
	T *get() const { return reinterpret_cast<T *>(at); }
};

// Numbers from `from` on, and how often each of 16 kinds is there.
__global__ void fill(uint32_t *x, size_t from, size_t n)
{
	for (size_t i = from + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
		x[i] = uint32_t(i) * 2654435761u >> 7;
}

__global__ void count(const uint32_t *x, size_t n, unsigned *kinds)
{
	__shared__ unsigned own[16];
	if (threadIdx.x < 16)
		own[threadIdx.x] = 0;
	__syncthreads();
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
		atomicAdd(&own[x[i] & 15], 1u);
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&kinds[threadIdx.x], own[threadIdx.x]);
}

// Sums of 8 neighbours in a ring of n, whose second copy lies behind it.
__global__ void neighbours(const uint32_t *ring, uint32_t *sum, unsigned n, unsigned stride)
{
	const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
	uint32_t s = 0;
	for (unsigned k = 0; k < 8; k++)
		s += ring[i + k];
	if (i < n)
		sum[i / stride] = s;
}

static bool grows(const Device &d, size_t most, int steps)
{
	Growing<uint32_t> x(d, most);
	unsigned *kinds, got[16];
	bool ok = true;
	CHECK(cudaMalloc(&kinds, sizeof got));
	const uint32_t *first = x.get();
	size_t have = 0;
	for (int s = 1; s <= steps; s++) {
		const size_t n = most * s / steps;
		x.grow(n);
		EXPECT(x.get() == first);
		fill<<<32, 256>>>(x.get(), have, n);
		have = n;
		CHECK(cudaMemset(kinds, 0, sizeof got));
		count<<<32, 256>>>(x.get(), n, kinds);
		CHECK(cudaMemcpy(got, kinds, sizeof got, cudaMemcpyDeviceToHost));
		unsigned want[16] = {};
		for (size_t i = 0; i < n; i++)
			want[(uint32_t(i) * 2654435761u >> 7) & 15]++;
		ok = same("kinds", got, want, 16) && ok;
	}
	std::vector<uint32_t> all(most);
	CHECK(cudaMemcpy(all.data(), x.get(), most * sizeof all[0], cudaMemcpyDeviceToHost));    // across all pieces
	for (size_t i = 0; i < most; i++)
		if (all[i] != (uint32_t(i) * 2654435761u >> 7)) {
			fprintf(stderr, "x[%zu] is %u\n", i, all[i]);
			ok = false;
			break;
		}
	CHECK(cudaFree(kinds));
	return ok;
}

static bool ring(const Device &d)
{
	DRIVER(cuMemAddressReserve);
	DRIVER(cuMemAddressFree);
	DRIVER(cuMemCreate);
	DRIVER(cuMemMap);
	DRIVER(cuMemUnmap);
	DRIVER(cuMemRelease);
	DRIVER(cuMemSetAccess);
	const unsigned n = unsigned(d.granule / 4), stride = 64, sums = n / stride;
	CUmemGenericAllocationHandle h;
	CUdeviceptr at;
	uint32_t *out;
	std::vector<uint32_t> x(n), got(sums), want(sums);
	Random r(7);
	TRY(cuMemAddressReserve_f(&at, 2 * d.granule, 0, 0, 0));
	TRY(cuMemCreate_f(&h, d.granule, &d.prop, 0));
	TRY(cuMemMap_f(at, d.granule, 0, h, 0));
	TRY(cuMemMap_f(at + d.granule, d.granule, 0, h, 0));
	TRY(cuMemSetAccess_f(at, 2 * d.granule, &d.access, 1));
	for (uint32_t &v : x)
		v = r.below(1000);
	uint32_t *p = reinterpret_cast<uint32_t *>(at);
	CHECK(cudaMemcpy(p + n - 4, x.data() + n - 4, 16, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(p + n, x.data(), (n - 4) * 4u, cudaMemcpyHostToDevice));       // by its second copy
	CHECK(cudaMalloc(&out, sums * 4));
	neighbours<<<(sums + 255) / 256, 256>>>(p + n - 4, out, n, stride);
	CHECK(cudaMemcpy(got.data(), out, sums * 4, cudaMemcpyDeviceToHost));
	for (unsigned i = 0; i < sums; i++)
		for (unsigned k = 0; k < 8; k++)
			want[i] += x[(n - 4 + i * stride + k) % n];
	CHECK(cudaFree(out));
	TRY(cuMemUnmap_f(at, 2 * d.granule));
	TRY(cuMemAddressFree_f(at, 2 * d.granule));
	TRY(cuMemRelease_f(h));
	return same("sums", got.data(), want.data(), sums);
}

int main(int argc, char **argv)
{
	size_t before, after, total;
	bool ok;
	CHECK(cudaMemGetInfo(&before, &total));
	{
		const Device d;
		EXPECT(d.granule && d.granule % 4096 == 0);
		ok = grows(d, size_t(option(argc, argv, "mib", 3)) << 18, option(argc, argv, "steps", 2));
		ok = ring(d) && ok;
	}
	CHECK(cudaMemGetInfo(&after, &total));
	EXPECT(after == before);
	return verdict("virtual_memory", ok);
}

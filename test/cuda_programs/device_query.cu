// device_query: what the device says of itself, by properties and by attributes, that both agree and make sense; versions, functions, occupancy.
// run:
// mutant: s/s\[threadIdx.x\] = 2/s[threadIdx.x] = 3/
#include "program.h"

__global__ void __launch_bounds__(256, 2) kernel(int *out)
{
	__shared__ int s[256];
	s[threadIdx.x] = 2 * threadIdx.x;
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__constant__ int numbers[100];

int main()
{
	int devices, device, driver, runtime;
	CHECK(cudaGetDeviceCount(&devices));
	CHECK(cudaDriverGetVersion(&driver));
	CHECK(cudaRuntimeGetVersion(&runtime));
	CHECK(cudaGetDevice(&device));
	EXPECT(devices >= 1 && device == 0 && driver >= 12000 && runtime / 1000 == CUDART_VERSION / 1000);
	printf("driver %d.%d, runtime %d.%d\n", driver / 1000, driver % 100 / 10, runtime / 1000, runtime % 100 / 10);
	for (int d = 0; d < devices; d++) {
		cudaDeviceProp p;
		CHECK(cudaSetDevice(d));
		CHECK(cudaGetDeviceProperties(&p, d));
		printf("device %d: %s, capability %d.%d, %d SMs, %zu MiB, %d registers and %zu bytes shared a block\n", d, p.name, p.major, p.minor, p.multiProcessorCount,
		       p.totalGlobalMem >> 20, p.regsPerBlock, p.sharedMemPerBlock);
		const struct { cudaDeviceAttr attribute; long long value; } both[] = {
			{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock}, {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]}, {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
			{cudaDevAttrMaxGridDimX, p.maxGridSize[0]}, {cudaDevAttrMaxGridDimY, p.maxGridSize[1]}, {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<long long>(p.sharedMemPerBlock)},
			{cudaDevAttrTotalConstantMemory, static_cast<long long>(p.totalConstMem)}, {cudaDevAttrWarpSize, p.warpSize}, {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
			{cudaDevAttrMultiProcessorCount, p.multiProcessorCount}, {cudaDevAttrComputeCapabilityMajor, p.major}, {cudaDevAttrComputeCapabilityMinor, p.minor},
			{cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor}, {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
			{cudaDevAttrUnifiedAddressing, p.unifiedAddressing}, {cudaDevAttrManagedMemory, p.managedMemory}, {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
			{cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<long long>(p.sharedMemPerBlockOptin)}, {cudaDevAttrL2CacheSize, p.l2CacheSize},
			{cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth}, {cudaDevAttrPciBusId, p.pciBusID}, {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
			{cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor}, {cudaDevAttrConcurrentKernels, p.concurrentKernels},
		};
		for (const auto &b : both) {
			int value;
			CHECK(cudaDeviceGetAttribute(&value, b.attribute, d));
			if (value != b.value) {
				fprintf(stderr, "attribute %d is %d, not %lld\n", int(b.attribute), value, b.value);
				expect_failed()++;
			}
		}
		EXPECT(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsPerMultiProcessor >= 1024 && p.multiProcessorCount > 0);
		EXPECT(p.name[0] && p.major >= 7 && p.totalConstMem == 65536 && p.sharedMemPerBlock == 48 << 10 && p.unifiedAddressing == 1);
		EXPECT(p.sharedMemPerBlockOptin >= p.sharedMemPerBlock && p.sharedMemPerMultiprocessor >= p.sharedMemPerBlock);
		char id[32];
		int found;
		CHECK(cudaDeviceGetPCIBusId(id, sizeof id, d));
		CHECK(cudaDeviceGetByPCIBusId(&found, id));
		EXPECT(found == d);
		int peer = -1;
		CHECK(cudaDeviceCanAccessPeer(&peer, d, d));
		EXPECT(peer == 0);
		size_t free_bytes, total;
		CHECK(cudaMemGetInfo(&free_bytes, &total));
		EXPECT(free_bytes <= total && total <= p.totalGlobalMem);

		cudaFuncAttributes f;
		CHECK(cudaFuncGetAttributes(&f, kernel));
		printf("kernel: %d registers, %zu bytes shared, %zu local, PTX %d.%d\n", f.numRegs, f.sharedSizeBytes, f.localSizeBytes, f.ptxVersion / 10, f.ptxVersion % 10);
		EXPECT(f.numRegs > 0 && f.numRegs <= 128 && f.sharedSizeBytes == 1024 && f.maxThreadsPerBlock == 256 && f.ptxVersion >= 75);
		int blocks, least, size;
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
		EXPECT(blocks >= 2 && blocks * 256 <= p.maxThreadsPerMultiProcessor);
		CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &size, kernel, 0, 0));
		EXPECT(size > 0 && size <= 256 && least > 0);
		cudaDeviceProp like = {};
		like.major = p.major;
		int chosen;
		CHECK(cudaChooseDevice(&chosen, &like));
		CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
		cudaFuncCache cache;
		CHECK(cudaDeviceGetCacheConfig(&cache));
		int *out, host[512];
		CHECK(cudaMalloc(&out, sizeof host));
		kernel<<<2, 256>>>(out);
		CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
		EXPECT(host[0] == 510 && host[300] == 2 * (255 - 44));
		CHECK(cudaFree(out));
		void *address;
		size_t bytes;
		CHECK(cudaGetSymbolAddress(&address, numbers));
		CHECK(cudaGetSymbolSize(&bytes, numbers));
		EXPECT(address && bytes == sizeof numbers);
		CHECK(cudaDeviceReset());
	}
	return verdict("device_query", true);
}

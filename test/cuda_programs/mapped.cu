// mapped: memory of the host that kernels use as it is: allocated mapped, registered, written combined; what its pointers are.
// run:
// run: -n=1000
// timed: -n=512
// mutant: s/out\[i\] = a\[i\] ^ b\[i\]/out[i] = a[i] | b[i]/
#include "program.h"
#include <vector>

__global__ void mix(const unsigned *a, const unsigned *b, unsigned *out, unsigned *ones, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		out[i] = a[i] ^ b[i];
		atomicAdd(ones, __popc(out[i]));
	}
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 10000);
	const size_t bytes = n * sizeof(unsigned);
	int can;
	CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
	CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCanMapHostMemory, 0));
	if (!can)
		return fprintf(stderr, "mapped: this device cannot map memory of the host\n"), 2;
	unsigned *a, *b, *out, *ones;
	CHECK(cudaHostAlloc(&a, bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
	CHECK(cudaHostAlloc(&out, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
	b = static_cast<unsigned *>(aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
	CHECK(cudaHostRegister(b, bytes, cudaHostRegisterMapped));
	EXPECT(cudaHostRegister(b, bytes, cudaHostRegisterMapped) == cudaErrorHostMemoryAlreadyRegistered);
	CHECK(cudaMallocManaged(&ones, sizeof *ones));
	Random random(8);
	std::vector<unsigned> want(n);
	unsigned sum = 0;
	for (int i = 0; i < n; i++) {
		a[i] = random.next();
		b[i] = random.next();
		want[i] = a[i] ^ b[i];
		sum += __builtin_popcount(want[i]);
	}
	*ones = 0;
	unsigned *da, *db, *dout, flags;
	CHECK(cudaHostGetDevicePointer(&da, a, 0));
	CHECK(cudaHostGetDevicePointer(&db, b, 0));
	CHECK(cudaHostGetDevicePointer(&dout, out, 0));
	CHECK(cudaHostGetFlags(&flags, out));
	EXPECT(flags & cudaHostAllocMapped);
	mix<<<(n + 127) / 128, 128>>>(da, db, dout, ones, n);
	CHECK(cudaDeviceSynchronize());
	EXPECT(*ones == sum);
	const bool ok = same("out", out, want.data(), n);

	cudaPointerAttributes at;
	CHECK(cudaPointerGetAttributes(&at, out + 3));
	EXPECT(at.type == cudaMemoryTypeHost && at.hostPointer == out + 3 && at.devicePointer == dout + 3 && at.device == 0);
	CHECK(cudaPointerGetAttributes(&at, ones));
	EXPECT(at.type == cudaMemoryTypeManaged);
	CHECK(cudaPointerGetAttributes(&at, want.data()));
	EXPECT(at.type == cudaMemoryTypeUnregistered && !at.devicePointer);
	unsigned *device;
	CHECK(cudaMalloc(&device, bytes));
	CHECK(cudaPointerGetAttributes(&at, device));
	EXPECT(at.type == cudaMemoryTypeDevice && at.devicePointer == device);
	CHECK(cudaMemcpy(device, out, bytes, cudaMemcpyDefault));             // directions found out by addresses
	CHECK(cudaMemcpy(a, device, bytes, cudaMemcpyDefault));
	EXPECT(!memcmp(a, want.data(), bytes));
	CHECK(cudaHostUnregister(b));
	EXPECT(cudaHostUnregister(b) == cudaErrorHostMemoryNotRegistered);
	cudaGetLastError();
	free(b);
	CHECK(cudaFreeHost(a));
	CHECK(cudaFreeHost(out));
	CHECK(cudaFree(ones));
	CHECK(cudaFree(device));
	printf("%d words, %u ones\n", n, sum);
	return verdict("mapped", ok);
}

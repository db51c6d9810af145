// A shared library with a runtime of its own: a kernel, a variable, managed memory.
__device__ int table[4] = { 1, 2, 3, 4 };
__managed__ int sum;
__global__ void add(int k) { atomicAdd(&sum, table[threadIdx.x] * k); }

extern "C" int part(int k)
{
	sum = 0;
	add<<<1, 4>>>(k);
	return cudaDeviceSynchronize() == cudaSuccess ? sum : -1;
}

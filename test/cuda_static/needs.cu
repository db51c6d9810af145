// A program with a runtime of its own that needs a library with another (part.cu).
#include <cstdio>
extern "C" int part(int);
__global__ void set(int *x) { *x = 5; }

int main()
{
	int *x, y = 0;
	const void *table;
	cudaMalloc(&x, sizeof *x);
	set<<<1, 1>>>(x);
	cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);
	printf("%d %d\n", y, part(y));
	return cudaGetExportTable(&table, nullptr) != cudaErrorNotSupported;
}

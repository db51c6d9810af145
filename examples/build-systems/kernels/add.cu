// a[i] += b[i], and a host that compiles without a GPU.
#include "distance.h"

__global__ void add(float *a, const float *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		a[i] += b[i] + DISTANCE;
}

int main()
{
	return DISTANCE == 3 ? 0 : 1;
}

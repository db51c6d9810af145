// The GPU code of the fatbins here; test/golden/fatbin/make.sh compiles it.
extern "C" __global__ void axpy(float *y, const float *x, float a, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

template <class T> __global__ void fill(T *y, T a, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a;
}
template __global__ void fill<float>(float *, float, unsigned);

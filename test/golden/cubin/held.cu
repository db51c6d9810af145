// A function that keeps its return address in a high register over calls of another one, which the kernel calls too.
__device__ __noinline__ double quotient(double a, double b) { return a > b ? a / b : sqrt(b - a) / a; }
extern "C" __global__ void held(double *o, const double *x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	double v[8];
#pragma unroll
	for (int j = 0; j < 8; j++)
		v[j] = x[i + j * n];
	v[0] = sqrt(v[1]) + v[2] / v[3];
	v[4] = quotient(v[5], v[0]);
#pragma unroll
	for (int j = 0; j < 8; j++)
		o[i + j * n] = v[j] + v[(j + 1) % 8];
}

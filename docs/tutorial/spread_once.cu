// The same in one pass: the sums of the differences from the first reading, and of their squares. No reading is kept.
#define READINGS 81

extern "C" __global__ void spread(const float *x, float *y, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float first, sum = 0, squares = 0;

	if (t >= n)
		return;
	first = x[t];
	for (int i = 1; i < READINGS; i++) {
		float d = x[i * n + t] - first;

		sum += d;
		squares += d * d;
	}
	y[t] = (squares - sum * sum / READINGS) / READINGS;
}

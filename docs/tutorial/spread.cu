// How far the readings of each sensor are spread: their variance. Reading i of sensor t is x[i * n + t].
#define READINGS 81

extern "C" __global__ void spread(const float *x, float *y, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float v[READINGS], mean = 0, sum = 0;

	if (t >= n)
		return;
	for (int i = 0; i < READINGS; i++) {
		v[i] = x[i * n + t];
		mean += v[i];
	}
	mean /= READINGS;
	for (int i = 0; i < READINGS; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	y[t] = sum / READINGS;
}

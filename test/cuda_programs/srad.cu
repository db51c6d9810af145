// srad: speckle taken out of an image by diffusion: statistics by a reduction each round, two kernels, results of one round steer the next.
// run: 48 64 4 0.5
// run: 20 33 1 0.3
// timed: 32 32 1 0.5
// mutant: s/0.25f \* lambda \* divergence/0.20f * lambda * divergence/
#include "program.h"
#include <cmath>
#include <vector>

__global__ void statistics(const float *image, int n, double *sums)
{
	__shared__ double s[2][128];
	double sum = 0, squares = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		sum += image[i];
		squares += double(image[i]) * image[i];
	}
	s[0][threadIdx.x] = sum;
	s[1][threadIdx.x] = squares;
	__syncthreads();
	for (int d = blockDim.x / 2; d; d /= 2) {
		if (threadIdx.x < d)
			for (int k = 0; k < 2; k++)
				s[k][threadIdx.x] += s[k][threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x < 2)
		atomicAdd(&sums[threadIdx.x], s[threadIdx.x][0]);
}

__global__ void coefficients(const float *image, float4 *slope, float *c, int rows, int columns, float q0)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * columns + x;
	if (x >= columns || y >= rows)
		return;
	const float j = image[i];
	const float4 d = make_float4(image[max(y - 1, 0) * columns + x] - j, image[min(y + 1, rows - 1) * columns + x] - j, image[y * columns + max(x - 1, 0)] - j,
				     image[y * columns + min(x + 1, columns - 1)] - j);
	const float g = (d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w) / (j * j), l = (d.x + d.y + d.z + d.w) / j;
	const float q = (0.5f * g - l * l / 16) / ((1 + 0.25f * l) * (1 + 0.25f * l));
	slope[i] = d;
	c[i] = __saturatef(1 / (1 + (q - q0) / (q0 * (1 + q0))));
}

__global__ void diffuse(float *image, const float4 *slope, const float *c, int rows, int columns, float lambda)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * columns + x;
	if (x >= columns || y >= rows)
		return;
	const float4 d = slope[i];
	const float south = c[min(y + 1, rows - 1) * columns + x], east = c[y * columns + min(x + 1, columns - 1)];
	const float divergence = c[i] * d.x + south * d.y + c[i] * d.z + east * d.w;
	image[i] += 0.25f * lambda * divergence;
}

static void on_host(std::vector<double> &image, int rows, int columns, double lambda)
{
	const int n = rows * columns;
	double sum = 0, squares = 0;
	std::vector<double> c(n), d(4 * n);
	for (double x : image) {
		sum += x;
		squares += x * x;
	}
	const double mean = sum / n, q0 = (squares / n - mean * mean) / (mean * mean);
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < columns; x++) {
			const int i = y * columns + x;
			double *e = &d[4 * i], g = 0, l = 0;
			const double j = image[i];
			e[0] = image[(y ? y - 1 : 0) * columns + x] - j;
			e[1] = image[(y < rows - 1 ? y + 1 : y) * columns + x] - j;
			e[2] = image[y * columns + (x ? x - 1 : 0)] - j;
			e[3] = image[y * columns + (x < columns - 1 ? x + 1 : x)] - j;
			for (int k = 0; k < 4; k++) {
				g += e[k] * e[k] / (j * j);
				l += e[k] / j;
			}
			const double q = (0.5 * g - l * l / 16) / ((1 + 0.25 * l) * (1 + 0.25 * l)), v = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
			c[i] = v < 0 ? 0 : v > 1 ? 1 : v;
		}
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < columns; x++) {
			const int i = y * columns + x;
			const double *e = &d[4 * i];
			image[i] += 0.25 * lambda * (c[i] * e[0] + c[(y < rows - 1 ? y + 1 : y) * columns + x] * e[1] + c[i] * e[2] + c[y * columns + (x < columns - 1 ? x + 1 : x)] * e[3]);
		}
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: srad ROWS COLUMNS ROUNDS LAMBDA\n");
		return 2;
	}
	const int rows = atoi(argv[1]), columns = atoi(argv[2]), rounds = atoi(argv[3]), n = rows * columns;
	const float lambda = float(atof(argv[4]));
	std::vector<float> image(n), got(n);
	Random random(22);
	for (int i = 0; i < n; i++)
		image[i] = std::exp((i % columns > columns / 2 ? 0.7f : 0.3f) + random.between(-0.1f, 0.1f));
	std::vector<double> want(image.begin(), image.end());
	float *d, *c;
	float4 *slope;
	double *sums, host[2];
	CHECK(cudaMalloc(&d, n * sizeof *d));
	CHECK(cudaMalloc(&c, n * sizeof *c));
	CHECK(cudaMalloc(&slope, n * sizeof *slope));
	CHECK(cudaMalloc(&sums, sizeof host));
	CHECK(cudaMemcpy(d, image.data(), n * sizeof *d, cudaMemcpyHostToDevice));
	const dim3 block(16, 8), grid((columns + 15) / 16, (rows + 7) / 8);
	for (int r = 0; r < rounds; r++) {
		CHECK(cudaMemset(sums, 0, sizeof host));
		statistics<<<3, 128>>>(d, n, sums);
		CHECK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
		const double mean = host[0] / n, q0 = (host[1] / n - mean * mean) / (mean * mean);
		coefficients<<<grid, block>>>(d, slope, c, rows, columns, float(q0));
		diffuse<<<grid, block>>>(d, slope, c, rows, columns, lambda);
		CHECK(cudaGetLastError());
		on_host(want, rows, columns, lambda);
	}
	CHECK(cudaMemcpy(got.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
	bool ok = true;
	for (int i = 0; i < n; i++)
		ok &= close_to(got[i], want[i], 1e-4);
	for (void *p : {static_cast<void *>(d), static_cast<void *>(c), static_cast<void *>(slope), static_cast<void *>(sums)})
		CHECK(cudaFree(p));
	printf("%d x %d, %d rounds\n", rows, columns, rounds);
	return verdict("srad", ok);
}

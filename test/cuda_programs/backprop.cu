// backprop: a network with one hidden layer learns: sums of products by blocks, the rest on the host, weights changed on the device; several rounds.
// run: 256
// run: 64 5
// timed: 64 1
// mutant: s/0.3f \* delta\[x\]/0.2f * delta[x]/
#include "program.h"
#include <cmath>
#include <vector>

constexpr int HIDDEN = 16, ROWS = 16;

__global__ void forward(const float *input, const float *weight, float *partial, int n)        // a block: 16 inputs, all hidden units
{
	__shared__ float in[ROWS], product[ROWS][HIDDEN];
	const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * ROWS + y;
	if (x == 0)
		in[y] = i < n ? input[i] : 0;
	__syncthreads();
	product[y][x] = i < n ? weight[i * HIDDEN + x] * in[y] : 0;
	__syncthreads();
	for (int d = ROWS / 2; d; d /= 2) {
		if (y < d)
			product[y][x] += product[y + d][x];
		__syncthreads();
	}
	if (y == 0)
		partial[blockIdx.x * HIDDEN + x] = product[0][x];
}

__global__ void adjust(const float *delta, const float *input, float *weight, float *before, int n)
{
	const int x = threadIdx.x, i = blockIdx.x * blockDim.y + threadIdx.y, at = i * HIDDEN + x;
	if (i >= n)
		return;
	const float change = 0.3f * delta[x] * input[i] + 0.3f * before[at];
	weight[at] += change;
	before[at] = change;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: backprop INPUTS [ROUNDS]\n");
		return 2;
	}
	const int n = atoi(argv[1]), rounds = argc > 2 ? atoi(argv[2]) : 3, blocks = (n + ROWS - 1) / ROWS;
	std::vector<float> input(n), weight(n * HIDDEN), partial(blocks * HIDDEN), delta(HIDDEN), got(n * HIDDEN);
	std::vector<double> reference(n * HIDDEN), before(n * HIDDEN), out(HIDDEN), out_host(HIDDEN);
	Random random(27);
	for (float &x : input)
		x = random.unit();
	for (int i = 0; i < n * HIDDEN; i++)
		reference[i] = weight[i] = random.between(-0.1f, 0.1f);
	for (int h = 0; h < HIDDEN; h++)
		out[h] = out_host[h] = random.between(-1, 1);
	float *din, *dweight, *dbefore, *dpartial, *ddelta;
	CHECK(cudaMalloc(&din, n * sizeof(float)));
	CHECK(cudaMalloc(&dweight, n * HIDDEN * sizeof(float)));
	CHECK(cudaMalloc(&dbefore, n * HIDDEN * sizeof(float)));
	CHECK(cudaMalloc(&dpartial, blocks * HIDDEN * sizeof(float)));
	CHECK(cudaMalloc(&ddelta, HIDDEN * sizeof(float)));
	CHECK(cudaMemcpy(din, input.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dweight, weight.data(), n * HIDDEN * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(dbefore, 0, n * HIDDEN * sizeof(float)));
	const double target = 0.1;
	double first_error = 0, error = 0;
	const auto learn = [&](const std::vector<double> &sum, std::vector<double> &second, std::vector<double> &d) {       // the output layer; its error
		double o = 0;
		std::vector<double> hidden(HIDDEN);
		for (int h = 0; h < HIDDEN; h++) {
			hidden[h] = 1 / (1 + std::exp(-sum[h]));
			o += hidden[h] * second[h];
		}
		o = 1 / (1 + std::exp(-o));
		const double slope = o * (1 - o) * (target - o);
		for (int h = 0; h < HIDDEN; h++) {
			d[h] = hidden[h] * (1 - hidden[h]) * slope * second[h];
			second[h] += 0.3 * slope * hidden[h];
		}
		return std::fabs(target - o);
	};
	std::vector<double> sum(HIDDEN), d(HIDDEN);
	for (int r = 0; r < rounds; r++) {
		forward<<<blocks, dim3(HIDDEN, ROWS)>>>(din, dweight, dpartial, n);
		CHECK(cudaMemcpy(partial.data(), dpartial, partial.size() * sizeof(float), cudaMemcpyDeviceToHost));
		sum.assign(HIDDEN, 0);
		for (size_t i = 0; i < partial.size(); i++)
			sum[i % HIDDEN] += partial[i];
		error = learn(sum, out, d);
		if (r == 0)
			first_error = error;
		for (int h = 0; h < HIDDEN; h++)
			delta[h] = float(d[h]);
		CHECK(cudaMemcpy(ddelta, delta.data(), HIDDEN * sizeof(float), cudaMemcpyHostToDevice));
		adjust<<<(n + 7) / 8, dim3(HIDDEN, 8)>>>(ddelta, din, dweight, dbefore, n);
		CHECK(cudaGetLastError());

		sum.assign(HIDDEN, 0);
		for (int i = 0; i < n * HIDDEN; i++)
			sum[i % HIDDEN] += reference[i] * input[i / HIDDEN];
		learn(sum, out_host, d);
		for (int i = 0; i < n * HIDDEN; i++)
			reference[i] += before[i] = 0.3 * d[i % HIDDEN] * input[i / HIDDEN] + 0.3 * before[i];
	}
	CHECK(cudaMemcpy(got.data(), dweight, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
	bool ok = rounds < 2 || error < first_error;
	for (int i = 0; i < n * HIDDEN; i++)
		ok &= close_to(got[i], reference[i], 1e-5, 1e-6);
	for (float *p : {din, dweight, dbefore, dpartial, ddelta})
		CHECK(cudaFree(p));
	printf("%d inputs, %d rounds, error %.5f, then %.5f\n", n, rounds, first_error, error);
	return verdict("backprop", ok);
}

// lud: a matrix taken apart into lower and upper triangles in place, by blocks: diagonal, rim, inside, three launches a step.
// run: -s 64
// run: -s 32 -v
// timed: -s 32
// mutant: s/sum -= row\[ty\]\[i\] \* column\[i\]\[tx\]/sum += row[ty][i] * column[i][tx]/
#include "program.h"
#include <vector>

constexpr int SIDE = 16;

__global__ void diagonal(float *m, int n, int at)
{
	__shared__ float s[SIDE][SIDE + 1];
	const int t = threadIdx.x;
	for (int y = 0; y < SIDE; y++)
		s[y][t] = m[(at + y) * n + at + t];
	__syncthreads();
	for (int i = 0; i < SIDE - 1; i++) {
		if (t > i) {
			for (int j = 0; j < i; j++)
				s[t][i] -= s[t][j] * s[j][i];
			s[t][i] /= s[i][i];
		}
		__syncthreads();
		if (t > i)
			for (int j = 0; j < i + 1; j++)
				s[i + 1][t] -= s[i + 1][j] * s[j][t];
		__syncthreads();
	}
	for (int y = 0; y < SIDE; y++)
		m[(at + y) * n + at + t] = s[y][t];
}

__global__ void rim(float *m, int n, int at)            // half of the threads: the blocks right of the diagonal, the others: those below
{
	__shared__ float d[SIDE][SIDE], s[2][SIDE][SIDE + 1];
	const int t = threadIdx.x % SIDE, other = at + SIDE + blockIdx.x * SIDE;
	const bool right = threadIdx.x < SIDE;

	for (int y = right ? 0 : SIDE / 2; y < (right ? SIDE / 2 : SIDE); y++)
		d[y][t] = m[(at + y) * n + at + t];
	for (int y = 0; y < SIDE; y++)
		s[right][y][t] = right ? m[(at + y) * n + other + t] : m[(other + y) * n + at + t];
	__syncthreads();
	if (right)
		for (int i = 1; i < SIDE; i++)
			for (int j = 0; j < i; j++)
				s[1][i][t] -= d[i][j] * s[1][j][t];
	else
		for (int i = 0; i < SIDE; i++) {
			for (int j = 0; j < i; j++)
				s[0][t][i] -= s[0][t][j] * d[j][i];
			s[0][t][i] /= d[i][i];
		}
	__syncthreads();
	for (int y = 0; y < SIDE; y++)
		if (right)
			m[(at + y) * n + other + t] = s[1][y][t];
		else
			m[(other + y) * n + at + t] = s[0][y][t];
}

__global__ void inside(float *m, int n, int at)
{
	__shared__ float row[SIDE][SIDE], column[SIDE][SIDE];
	const int tx = threadIdx.x, ty = threadIdx.y, x = at + (blockIdx.x + 1) * SIDE + tx, y = at + (blockIdx.y + 1) * SIDE + ty;
	row[ty][tx] = m[y * n + at + tx];
	column[ty][tx] = m[(at + ty) * n + x];
	__syncthreads();
	float sum = m[y * n + x];
	for (int i = 0; i < SIDE; i++)
		sum -= row[ty][i] * column[i][tx];
	m[y * n + x] = sum;
}

int main(int argc, char **argv)
{
	int n = 0;
	bool verbose = false;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-s") && i + 1 < argc)
			n = atoi(argv[++i]);
		else if (!strcmp(argv[i], "-v"))
			verbose = true;
	if (n < SIDE || n % SIDE) {
		fprintf(stderr, "usage: lud -s SIDE [-v], SIDE a multiple of %d\n", SIDE);
		return 2;
	}
	std::vector<float> a(n * n), lu(n * n);
	Random random(23);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			a[y * n + x] = random.unit() + (x == y ? float(n) : 0);
	float *m;
	CHECK(cudaMalloc(&m, n * n * sizeof *m));
	CHECK(cudaMemcpy(m, a.data(), n * n * sizeof *m, cudaMemcpyHostToDevice));
	Timer timer;
	for (int at = 0; at < n; at += SIDE) {
		const int rest = (n - at) / SIDE - 1;
		diagonal<<<1, SIDE>>>(m, n, at);
		if (rest) {
			rim<<<rest, 2 * SIDE>>>(m, n, at);
			inside<<<dim3(rest, rest), dim3(SIDE, SIDE)>>>(m, n, at);
		}
	}
	CHECK(cudaGetLastError());
	if (verbose)
		printf("%.3f ms\n", timer.ms());
	CHECK(cudaMemcpy(lu.data(), m, n * n * sizeof *m, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(m));
	bool ok = true;
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			double sum = x >= y ? lu[y * n + x] : 0;
			for (int k = 0; k < y && k <= x; k++)
				sum += double(lu[y * n + k]) * lu[k * n + x];
			ok &= close_to(sum, a[y * n + x], 1e-4, 1e-4);
		}
	printf("%d x %d\n", n, n);
	return verdict("lud", ok);
}

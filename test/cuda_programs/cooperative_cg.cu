// cooperative_cg: conjugate gradients in one launch: a cooperative grid that meets at grid barriers, sums by cooperative groups, doubles in managed memory.
// run:
// run: -n=300 -blocks=3
// timed: -n=64 -blocks=2
// mutant: s/beta \* p\[i\]/beta + p[i]/
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
namespace cg = cooperative_groups;

struct Matrix { int n; const int *row, *column; const double *value; };

__device__ double grid_dot(const double *a, const double *b, int n, double *result, const cg::grid_group &grid)
{
	const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	double sum = 0;
	if (grid.thread_rank() == 0)
		*result = 0;
	grid.sync();
	for (int i = int(grid.thread_rank()); i < n; i += int(grid.size()))
		sum += a[i] * b[i];
	sum = cg::reduce(warp, sum, cg::plus<double>());
	if (warp.thread_rank() == 0)
		atomicAdd(result, sum);
	grid.sync();
	return *static_cast<volatile double *>(result);
}

__global__ void solve(Matrix a, double *x, double *r, double *p, double *ap, double *dots, double tolerance, int most, int *iterations)
{
	const cg::grid_group grid = cg::this_grid();
	const int first = int(grid.thread_rank()), step = int(grid.size());
	double rr = grid_dot(r, r, a.n, dots, grid);
	int k = 0;

	for (; k < most && rr > tolerance * tolerance; k++) {
		for (int i = first; i < a.n; i += step) {
			double sum = 0;
			for (int e = a.row[i]; e < a.row[i + 1]; e++)
				sum += a.value[e] * p[a.column[e]];
			ap[i] = sum;
		}
		grid.sync();
		const double alpha = rr / grid_dot(p, ap, a.n, dots + 1, grid);
		for (int i = first; i < a.n; i += step) {
			x[i] += alpha * p[i];
			r[i] -= alpha * ap[i];
		}
		grid.sync();
		const double next = grid_dot(r, r, a.n, dots + 2, grid), beta = next / rr;
		rr = next;
		for (int i = first; i < a.n; i += step)
			p[i] = r[i] + beta * p[i];
		grid.sync();
	}
	if (first == 0)
		*iterations = k;
}

template <class T> static T *managed(size_t n)
{
	T *p;
	CHECK(cudaMallocManaged(&p, n * sizeof(T)));
	return p;
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 1000), threads = 64;
	int blocks = option(argc, argv, "blocks", 0), can, each;
	cudaDeviceProp properties;
	CHECK(cudaGetDeviceProperties(&properties, 0));
	CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
	if (!can)
		return fprintf(stderr, "cooperative_cg: no cooperative launches here\n"), 2;
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, solve, threads, 0));
	const int most_blocks = each * properties.multiProcessorCount;
	if (!blocks)
		blocks = most_blocks < 8 ? most_blocks : 8;
	EXPECT(blocks <= most_blocks);

	// Tridiagonal, its diagonal larger than the rest of a row: symmetric and positive.
	int *row = managed<int>(n + 1), *column = managed<int>(3 * n), *iterations = managed<int>(1);
	double *value = managed<double>(3 * n), *x = managed<double>(n), *r = managed<double>(n), *p = managed<double>(n), *ap = managed<double>(n), *dots = managed<double>(3);
	Random random(12);
	std::vector<double> off(n);
	for (double &o : off)
		o = random.unit();
	int edges = 0;
	for (int i = 0; i < n; i++) {
		row[i] = edges;
		if (i) {
			column[edges] = i - 1;
			value[edges++] = off[i];
		}
		column[edges] = i;
		value[edges++] = 2.5 + (i % 3);
		if (i < n - 1) {
			column[edges] = i + 1;
			value[edges++] = off[i + 1];
		}
		x[i] = 0;
		p[i] = r[i] = 1;
	}
	row[n] = edges;
	Matrix a = {n, row, column, value};
	double tolerance = 1e-9;
	int most = 500;
	void *arguments[] = {&a, &x, &r, &p, &ap, &dots, &tolerance, &most, &iterations};
	CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(solve), dim3(blocks), dim3(threads), arguments, 0, nullptr));
	CHECK(cudaDeviceSynchronize());
	double worst = 0;
	for (int i = 0; i < n; i++) {
		double sum = -1;
		for (int e = row[i]; e < row[i + 1]; e++)
			sum += value[e] * x[column[e]];
		worst = std::fmax(worst, std::fabs(sum));
	}
	printf("%d unknowns, %d blocks, %d iterations, error %.2e\n", n, blocks, *iterations, worst);
	const bool ok = worst < 1e-8 && *iterations > 3 && *iterations < 100;
	EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(solve), dim3(most_blocks + 1), dim3(threads), arguments, 0, nullptr) == cudaErrorCooperativeLaunchTooLarge);
	cudaGetLastError();
	for (void *q : {static_cast<void *>(row), static_cast<void *>(column), static_cast<void *>(iterations), static_cast<void *>(value), static_cast<void *>(x), static_cast<void *>(r),
			static_cast<void *>(p), static_cast<void *>(ap), static_cast<void *>(dots)})
		CHECK(cudaFree(q));
	return verdict("cooperative_cg", ok);
}

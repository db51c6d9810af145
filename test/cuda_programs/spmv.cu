// spmv: a sparse matrix from a file of coordinates (Matrix Market) times a vector: a row a thread, a row a warp, jagged diagonals with rows in order of length.
// before: generate 400 7 matrix.mtx
// run: matrix.mtx
// before: generate 60 3 tiny.mtx
// timed: tiny.mtx
// mutant: s/sum += value\[e\] \* x\[column\[e\]\]/sum += value[e] * x[column[e] ^ 1]/
#include "program.h"
#include <algorithm>
#include <numeric>
#include <vector>

__global__ void by_threads(const int *row, const int *column, const float *value, const float *x, float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float sum = 0;
		for (int e = row[i]; e < row[i + 1]; e++)
			sum += value[e] * x[column[e]];
		y[i] = sum;
	}
}

__global__ void by_warps(const int *row, const int *column, const float *value, const float *__restrict__ x, float *y, int n)
{
	const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	if (i >= n)
		return;
	float sum = 0;
	for (int e = row[i] + lane; e < row[i + 1]; e += 32)
		sum += value[e] * __ldg(&x[column[e]]);
	for (int d = 16; d; d /= 2)
		sum += __shfl_xor_sync(~0u, sum, d);
	if (lane == 0)
		y[i] = sum;
}

__constant__ int diagonal_start[256];

__global__ void jagged(const int *column, const float *value, const int *order, const int *length, const float *x, float *y, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0;
	for (int d = 0; d < length[i]; d++) {
		const int e = diagonal_start[d] + i;
		sum += value[e] * x[column[e]];
	}
	y[order[i]] = sum;
}

static int generate(int n, int each, const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return perror(path), 1;
	Random random(25);
	std::vector<int> count(n);
	int total = 0;
	for (int &c : count)
		total += c = int(random.below(2 * each));
	fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%% made by spmv generate\n%d %d %d\n", n, n, total);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < count[i]; k++)
			fprintf(f, "%d %d %d.%d\n", i + 1, 1 + int(random.below(n)), int(random.below(20)) - 10, random.below(2) ? 5 : 25);
	return fclose(f) != 0;
}

template <class T> static T *to_device(const std::vector<T> &v)
{
	T *p;
	CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
	CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "generate"))
		return generate(atoi(argv[2]), atoi(argv[3]), argv[4]);
	FILE *f = argc == 2 ? fopen(argv[1], "r") : nullptr;
	char line[200];
	int n = 0, m, total;
	while (f && fgets(line, sizeof line, f) && line[0] == '%')
		;
	if (!f || sscanf(line, "%d %d %d", &n, &m, &total) != 3 || n != m) {
		fprintf(stderr, "usage: spmv MATRIX.mtx | spmv generate ROWS EACH MATRIX.mtx\n");
		return 2;
	}
	struct Entry { int row, column; float value; };
	std::vector<Entry> entry(total);
	for (Entry &e : entry) {
		if (fscanf(f, "%d %d %f", &e.row, &e.column, &e.value) != 3)
			return 2;
		e.row--;
		e.column--;
	}
	fclose(f);
	std::stable_sort(entry.begin(), entry.end(), [](const Entry &a, const Entry &b) { return a.row < b.row; });
	std::vector<int> row(n + 1), column, order(n), length(n), jagged_column(total), start;
	std::vector<float> value, x(n), want(n), got(n), jagged_value(total);
	Random random(26);
	for (float &v : x)
		v = float(random.below(64)) / 4;                // all products and sums are exact
	for (const Entry &e : entry) {
		row[e.row + 1]++;
		column.push_back(e.column);
		value.push_back(e.value);
		want[e.row] += e.value * x[e.column];
	}
	std::partial_sum(row.begin(), row.end(), row.begin());
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return row[a + 1] - row[a] > row[b + 1] - row[b]; });
	for (int i = 0; i < n; i++)
		length[i] = row[order[i] + 1] - row[order[i]];
	for (int d = 0, at = 0; d < length[0]; d++) {
		start.push_back(at);
		for (int i = 0; i < n && length[i] > d; i++, at++) {
			jagged_column[at] = column[row[order[i]] + d];
			jagged_value[at] = value[row[order[i]] + d];
		}
	}
	int *drow = to_device(row), *dcolumn = to_device(column), *dorder = to_device(order), *dlength = to_device(length), *djcolumn = to_device(jagged_column);
	float *dvalue = to_device(value), *djvalue = to_device(jagged_value), *dx = to_device(x), *dy;
	CHECK(cudaMalloc(&dy, n * sizeof *dy));
	CHECK(cudaMemcpyToSymbol(diagonal_start, start.data(), start.size() * sizeof(int)));
	bool ok = true;
	for (int kind = 0; kind < 3; kind++) {
		CHECK(cudaMemset(dy, 0xff, n * sizeof *dy));
		if (kind == 0)
			by_threads<<<(n + 63) / 64, 64>>>(drow, dcolumn, dvalue, dx, dy, n);
		else if (kind == 1)
			by_warps<<<(n + 3) / 4, 128>>>(drow, dcolumn, dvalue, dx, dy, n);
		else
			jagged<<<(n + 63) / 64, 64>>>(djcolumn, djvalue, dorder, dlength, dx, dy, n);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(got.data(), dy, n * sizeof *dy, cudaMemcpyDeviceToHost));
		ok &= same("y", got.data(), want.data(), n);
	}
	for (void *p : {static_cast<void *>(drow), static_cast<void *>(dcolumn), static_cast<void *>(dorder), static_cast<void *>(dlength), static_cast<void *>(djcolumn), static_cast<void *>(dvalue),
			static_cast<void *>(djvalue), static_cast<void *>(dx), static_cast<void *>(dy)})
		CHECK(cudaFree(p));
	printf("%d rows, %d entries, the longest row has %d\n", n, total, length[0]);
	return verdict("spmv", ok);
}

// needle: two sequences aligned by a table of scores, tiles along diagonals, a launch for each diagonal; the way back on the host.
// run: 96 10
// run: 160 3 trace.txt
// timed: 32 5
// mutant: s/max(max(diagonal, left), above)/max(diagonal, left)/
#include "program.h"
#include <algorithm>
#include <vector>

constexpr int TILE = 16;

__global__ void tiles(const int *reference, int *score, int columns, int penalty, int first_x, int first_y)
{
	__shared__ int s[TILE + 1][TILE + 1], r[TILE][TILE];
	const int t = threadIdx.x, bx = first_x + blockIdx.x, by = first_y - blockIdx.x;
	const int corner = by * TILE * columns + bx * TILE;             // the element above and left of the tile

	for (int y = 0; y < TILE; y++)
		r[y][t] = reference[corner + (y + 1) * columns + t + 1];
	if (t == 0)
		s[0][0] = score[corner];
	s[t + 1][0] = score[corner + (t + 1) * columns];
	s[0][t + 1] = score[corner + t + 1];
	__syncthreads();
	for (int d = 0; d < 2 * TILE - 1; d++) {
		const int x = t + 1, y = d - t + 1;
		if (y >= 1 && y <= TILE) {
			const int diagonal = s[y - 1][x - 1] + r[y - 1][x - 1], left = s[y][x - 1] - penalty, above = s[y - 1][x] - penalty;
			s[y][x] = max(max(diagonal, left), above);
		}
		__syncthreads();
	}
	for (int y = 0; y < TILE; y++)
		score[corner + (y + 1) * columns + t + 1] = s[y + 1][t + 1];
}

int main(int argc, char **argv)
{
	if (argc < 3 || atoi(argv[1]) % TILE) {
		fprintf(stderr, "usage: needle LENGTH PENALTY [TRACE], LENGTH a multiple of %d\n", TILE);
		return 2;
	}
	const int n = atoi(argv[1]), penalty = atoi(argv[2]), columns = n + 1, blocks = n / TILE;
	std::vector<int> a(columns), b(columns), similar(24 * 24), reference(columns * columns), score(columns * columns), want;
	Random random(20);
	for (int i = 0; i < 24; i++)
		for (int j = 0; j <= i; j++)
			similar[i * 24 + j] = similar[j * 24 + i] = i == j ? 4 + int(random.below(6)) : int(random.below(8)) - 5;
	for (int i = 1; i < columns; i++) {
		a[i] = random.below(24);
		b[i] = random.below(4) ? a[i] : random.below(24);
	}
	for (int y = 1; y < columns; y++)
		for (int x = 1; x < columns; x++)
			reference[y * columns + x] = similar[a[y] * 24 + b[x]];
	for (int i = 1; i < columns; i++)
		score[i] = score[i * columns] = -i * penalty;
	want = score;
	for (int y = 1; y < columns; y++)
		for (int x = 1; x < columns; x++) {
			int *w = &want[y * columns + x];
			*w = std::max({w[-columns - 1] + reference[y * columns + x], w[-1] - penalty, w[-columns] - penalty});
		}
	int *dr, *ds;
	const size_t bytes = score.size() * sizeof(int);
	CHECK(cudaMalloc(&dr, bytes));
	CHECK(cudaMalloc(&ds, bytes));
	CHECK(cudaMemcpy(dr, reference.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(ds, score.data(), bytes, cudaMemcpyHostToDevice));
	for (int i = 1; i <= blocks; i++)
		tiles<<<i, TILE>>>(dr, ds, columns, penalty, 0, i - 1);
	for (int i = blocks - 1; i >= 1; i--)
		tiles<<<i, TILE>>>(dr, ds, columns, penalty, blocks - i, blocks - 1);
	CHECK(cudaMemcpy(score.data(), ds, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(dr));
	CHECK(cudaFree(ds));
	int length = 0;
	FILE *f = argc > 3 ? fopen(argv[3], "w") : nullptr;
	for (int x = n, y = n; x > 0 || y > 0; length++) {
		const int here = score[y * columns + x];
		if (f)
			fprintf(f, "%d %d %d\n", y, x, here);
		if (x && y && here == score[(y - 1) * columns + x - 1] + reference[y * columns + x]) {
			x--;
			y--;
		} else if (x && here == score[y * columns + x - 1] - penalty)
			x--;
		else if (y)
			y--;
		else
			break;
	}
	if (f)
		fclose(f);
	EXPECT(length >= n && length <= 2 * n);
	printf("%d letters, score %d, way of %d steps\n", n, score.back(), length);
	return verdict("needle", same("score", score.data(), want.data(), score.size()));
}

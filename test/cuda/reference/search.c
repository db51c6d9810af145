/* Kernels of search, graphs, cellular automata and number theory. */
#include "test/cuda/reference/cuda_ref.h"

static uint32_t queens(uint32_t n, uint32_t row, uint32_t *column)
{
	uint32_t count = 0;

	if (row == n)
		return 1;
	for (uint32_t c = 0; c < n; c++) {
		bool free_square = true;

		for (uint32_t r = 0; r < row; r++)
			free_square &= column[r] != c && column[r] + row - r != c && column[r] + r != c + row;
		column[row] = c;
		if (free_square)
			count += queens(n, row + 1, column);
	}
	return count;
}

static void nqueens(const char *dir)
{
	uint32_t column[8], count = queens(7, 0, column);

	ref_write(dir, "nqueens.solutions.want", &count, sizeof count);
}

static void life(const char *dir)
{
	uint32_t *in = full_u32(64, 1), out[64];

	for (int step = 0; step < 2; step++) {
		memset(out, 0, sizeof out);
		for (int i = 0; i < 2048; i++) {
			uint32_t near = 0, alive = in[i / 32] >> i % 32 & 1;

			for (int k = 0; k < 9; k++)
				near += in[(i / 32 + 63 + k / 3) % 64] >> (i + 31 + k % 3) % 32 & 1;
			out[i / 32] |= (uint32_t)(near == 3 || (near == 4 && alive)) << i % 32;
		}
		memcpy(in, out, sizeof out);
	}
	ref_write(dir, "life.out.want", out, sizeof out);
	free(in);
}

static void bfs_frontier(const char *dir)
{
	enum { N = 200 };
	uint32_t level[N];
	bool changed = true;

	for (uint32_t v = 0; v < N; v++)
		level[v] = v == 3 ? 0 : UINT32_MAX;
	while (changed) { /* distances shrink until no edge shortens any */
		changed = false;
		for (uint32_t v = 0; v < N; v++) {
			uint32_t next[3] = { (v * 5 + 1) % N, v ^ 1, v < 7 ? v : v - 7 };

			for (int k = 0; k < 3 && level[v] != UINT32_MAX; k++)
				if (level[next[k]] > level[v] + 1) {
					level[next[k]] = level[v] + 1;
					changed = true;
				}
		}
	}
	ref_write(dir, "bfs_frontier.level.want", level, sizeof level);
}

static int upwards(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void binary_search(const char *dir)
{
	enum { N = 128 };
	uint32_t bounds[N];
	int32_t merged[2 * N];

	for (int i = 0; i < N; i++) {
		int key = i * 37 % 500 - 20;
		uint32_t below = 0, upto = 0;

		merged[i] = -40 + 3 * i;
		merged[N + i] = -100 + 5 * i;
		for (int k = 0; k < N; k++) {
			below += -40 + 3 * k < key;
			upto += -40 + 3 * k <= key;
		}
		bounds[i] = below | upto << 16;
	}
	qsort(merged, 2 * N, sizeof *merged, upwards);
	ref_write(dir, "binary_search.bounds.want", bounds, sizeof bounds);
	ref_write(dir, "binary_search.merged.want", merged, sizeof merged);
}

static void sieve(const char *dir)
{
	uint32_t *in = full_u32(64, 1), bits[64] = { 0 }, count = 0, divisor[64];

	for (uint32_t n = 2; n < 2048; n++) {
		bool prime = true;

		for (uint32_t d = 2; d * d <= n; d++)
			prime &= n % d != 0;
		bits[n / 32] |= (uint32_t)prime << n % 32;
		count += prime;
	}
	for (int t = 0; t < 64; t++) {
		uint32_t a = in[t] % 10000 * 6, b = in[t] >> 16;

		for (divisor[t] = a > b ? a : b; a % divisor[t] != 0 || b % divisor[t] != 0;)
			divisor[t]--;
	}
	ref_write(dir, "sieve.bits.want", bits, sizeof bits);
	ref_write(dir, "sieve.count.want", &count, sizeof count);
	ref_write(dir, "sieve.divisor.want", divisor, sizeof divisor);
	free(in);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_search[] = { REF(nqueens),       REF(life),  REF(bfs_frontier),
					REF(binary_search), REF(sieve), { NULL, NULL } };

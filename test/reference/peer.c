/* Data for the kernels in test/peer: what their host programs compute for input files and expected results. Too large
 * to commit, so it is made when the tests run: peer DIR. */
#include "ref.h"

enum { VECADD_N = 1 << 18, GEMM_N = 256, REDUCE_N = 1 << 19, MANDEL_W = 256, MANDEL_LIMIT = 256, BFS_N = 65536 };

static void peer_vecadd(const char *dir)
{
	float *c = ref_new(float, VECADD_N);

	for (int i = 0; i < VECADD_N; i++)
		c[i] = (float)(i % 1000) + (float)((i * 7) % 513);
	ref_write(dir, "vecadd.expect", c, VECADD_N * sizeof *c);
	free(c);
}

static void peer_sgemm(const char *dir)
{
	int n = GEMM_N;
	float *a = ref_new(float, n *n), *b = ref_new(float, n *n), *c = ref_new(float, n *n);

	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i % 7 - 3);
		b[i] = (float)(i % 11 - 5);
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	ref_write(dir, "sgemm.expect", c, (size_t)(n * n) * sizeof *c);
	free(a);
	free(b);
	free(c);
}

static void peer_reduce(const char *dir)
{
	int32_t *out = ref_new(int32_t, REDUCE_N / 512);

	for (int i = 0; i < REDUCE_N; i++)
		out[i / 512] += (i * 13) % 101;
	ref_write(dir, "reduce.expect", out, REDUCE_N / 512 * sizeof *out);
	free(out);
}

static void peer_mandel(const char *dir)
{
	int w = MANDEL_W;
	int32_t *out = ref_new(int32_t, w * w);

	for (int i = 0; i < w * w; i++) {
		float cr = -2.0f + 3.0f * (float)(i % w) / (float)w, ci = -1.5f + 3.0f * (float)(i / w) / (float)w,
		      x = 0, y = 0;
		int k = 0;

		while (k < MANDEL_LIMIT && x * x + y * y <= 4.0f) {
			float x2 = x * x, y2 = y * y;

			y = 2.0f * x * y + ci;
			x = x2 - y2 + cr;
			k++;
		}
		out[i] = k;
	}
	ref_write(dir, "mandel.expect", out, (size_t)(w * w) * sizeof *out);
	free(out);
}

static uint32_t lcg(uint32_t *s) { return *s = *s * 1664525u + 1013904223u; }

static void peer_bfs(const char *dir)
{
	int32_t *row = ref_new(int32_t, BFS_N + 1), *col = ref_new(int32_t, 11 * BFS_N),
		*level = ref_new(int32_t, BFS_N);
	int32_t *queue = ref_new(int32_t, BFS_N), n = 0, first = 0, last = 0;
	uint32_t s = 12345;

	for (int i = 0; i < BFS_N; i++) {
		row[i] = n;
		for (uint32_t k = 1 + (lcg(&s) >> 16) % 11; k; k--)
			col[n++] = (int32_t)((lcg(&s) >> 8) % BFS_N);
		level[i] = -1;
	}
	row[BFS_N] = n;
	level[0] = 0;
	ref_write(dir, "bfs.row", row, (BFS_N + 1) * sizeof *row);
	ref_write(dir, "bfs.col", col, (size_t)n * sizeof *col);
	ref_write(dir, "bfs.start", level, BFS_N * sizeof *level);
	queue[last++] = 0;
	while (first < last) {
		int32_t v = queue[first++];

		for (int32_t e = row[v]; e < row[v + 1]; e++)
			if (level[col[e]] < 0) {
				level[col[e]] = level[v] + 1;
				queue[last++] = col[e];
			}
	}
	ref_write(dir, "bfs.expect", level, BFS_N * sizeof *level);
	printf("bfs: %d edges\n", n);
	free(row);
	free(col);
	free(level);
	free(queue);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s DIR\n", argv[0]);
		return 2;
	}
	peer_vecadd(argv[1]);
	peer_sgemm(argv[1]);
	peer_reduce(argv[1]);
	peer_mandel(argv[1]);
	peer_bfs(argv[1]);
	return 0;
}

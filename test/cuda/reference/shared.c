/* Kernels of shared memory: the same results without blocks. */
#include "test/cuda/reference/cuda_ref.h"

static void block_reduce(const char *dir)
{
	uint32_t *in = full_u32(1000, 1), out[9];

	for (uint32_t b = 0; b < 3; b++) {
		uint32_t sum = 0, most = 0, least = UINT32_MAX;

		for (uint32_t i = 0; i < 1000; i++)
			if (i / 128 % 3 == b) {
				sum += in[i] % 1024;
				most = in[i] > most ? in[i] : most;
				least = in[i] < least ? in[i] : least;
			}
		out[3 * b] = f32_bits((float)sum);
		out[3 * b + 1] = most;
		out[3 * b + 2] = least;
	}
	ref_write(dir, "block_reduce.out.want", out, sizeof out);
	free(in);
}

static void block_scan(const char *dir)
{
	uint32_t *in = full_u32(512, 1), out[512], total[4] = { 0 }, sum = 0;

	for (int i = 0; i < 512; i++) {
		out[i] = sum;
		sum += in[i];
		total[i / 128] += in[i];
	}
	ref_write(dir, "block_scan.out.want", out, sizeof out);
	ref_write(dir, "block_scan.total.want", total, sizeof total);
	free(in);
}

static void transpose(const char *dir)
{
	enum { W = 40, H = 35 };
	uint32_t *in = full_u32(W * H, 1), a[W * H], b[W * H];

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			a[x * H + y] = in[y * W + x];
			b[(x / 4 * H + y) * 4 + x % 4] = in[y * W + x];
		}
	ref_write(dir, "transpose.a.want", a, sizeof a);
	ref_write(dir, "transpose.b.want", b, sizeof b);
	free(in);
}

static void histogram(const char *dir)
{
	uint8_t *in = ref_random_u8(3000, 1, 0, 256);
	uint32_t out[512] = { 0 };

	for (int i = 0; i < 3000; i++) {
		out[in[i]]++;
		out[256 + in[i]] += i < 200;
	}
	ref_write(dir, "histogram.out.want", out, sizeof out);
	free(in);
}

static void stencil(const char *dir)
{
	enum { W = 16, D = 6 };
	float *in = ref_random_f32(W * W * D, 1, -4, 4), out[W * W * D];

	for (int z = 0; z < D; z++)
		for (int y = 0; y < W; y++)
			for (int x = 0; x < W; x++) {
				int at = (z * W + y) * W + x;
				float left = in[x > 0 ? at - 1 : at], right = in[x < W - 1 ? at + 1 : at];
				float up = in[y > 0 ? at - W : at], down = in[y < W - 1 ? at + W : at];
				float below = in[z > 0 ? at - W * W : at], above = in[z < D - 1 ? at + W * W : at];

				out[at] = fmaf(-6, in[at], (left + right) + (up + down) + (below + above));
			}
	ref_write(dir, "stencil.out.want", out, sizeof out);
	free(in);
}

static void bitonic_sort(const char *dir)
{
	int32_t *in = ref_random_s32(256, 1, -60, 60), key[256];
	uint32_t place[256];

	for (int i = 0; i < 256; i++) { /* an item's place is the number of those before it */
		int base = i / 128 * 128, at = base;

		for (int k = base; k < base + 128; k++)
			at += in[k] < in[i] || (in[k] == in[i] && k < i);
		key[at] = in[i];
		place[at] = (uint32_t)(i - base);
	}
	ref_write(dir, "bitonic_sort.key.want", key, sizeof key);
	ref_write(dir, "bitonic_sort.place.want", place, sizeof place);
	free(in);
}

static int upwards(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void radix_sort(const char *dir)
{
	uint32_t *a = full_u32(256, 1);

	qsort(a, 128, sizeof *a, upwards);
	qsort(a + 128, 128, sizeof *a, upwards);
	ref_write(dir, "radix_sort.out.want", a, 256 * sizeof *a);
	free(a);
}

static void matmul_tiled(const char *dir)
{
	enum { W = 64 };
	float *a = ref_random_f32(W * W, 1, -1, 1), *b = ref_random_f32(W * W, 2, -1, 1), *c = ref_new(float, W *W);

	for (int k = 0; k < W; k++) /* each sum in the order of k, as the kernel has it */
		for (int i = 0; i < W; i++)
			for (int j = 0; j < W; j++)
				c[i * W + j] = fmaf(a[i * W + k], b[k * W + j], c[i * W + j]);
	ref_write(dir, "matmul_tiled.c.want", c, W * W * sizeof *c);
	free(a);
	free(b);
	free(c);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_shared[] = { REF(block_reduce), REF(block_scan),   REF(transpose),
					REF(histogram),    REF(stencil),      REF(bitonic_sort),
					REF(radix_sort),   REF(matmul_tiled), { NULL, NULL } };

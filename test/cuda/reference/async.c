/* Kernels of asynchronous copies and barriers: the same data without waiting. */
#include "test/cuda/reference/cuda_ref.h"

static void cp_async(const char *dir)
{
	uint32_t *in = full_u32(1280, 1), out[192] = { 0 };

	for (int t = 0; t < 64; t++) {
		const uint32_t *far = in + 4 * (63 - t), *beside = in + 4 * (t ^ 1);

		for (int r = 0; r < 5; r++, far += 256)
			out[t] = out[t] * 7 + (far[0] ^ far[1] * 3 ^ far[2] * 5 ^ far[3]);
		out[64 + t] = beside[1];
		out[128 + t] = beside[0] & (0xffffffffu >> (t ^ 1) % 3 * 8);
	}
	ref_write(dir, "cp_async.out.want", out, sizeof out);
	free(in);
}

static void async_pipeline(const char *dir)
{
	uint32_t *in = full_u32(448, 1), out[128] = { 0 };

	for (int t = 0; t < 64; t++) {
		for (int r = 0; r < 7; r++)
			out[t] = out[t] * 5 + in[r * 64 + t];
		out[64 + t] = in[127 - t] ^ in[t];
	}
	ref_write(dir, "async_pipeline.out.want", out, sizeof out);
	free(in);
}

static void cuda_barrier(const char *dir)
{
	uint32_t *in = full_u32(384, 1), out[448];

	for (uint32_t t = 0; t < 128; t++) {
		for (uint32_t r = 0; r < 3; r++)
			out[r * 128 + t] = in[r * 128 + 127 - t] + in[t] * r;
		if (t >= 64)
			out[384 + t - 64] = (191 - t) * 3;
	}
	ref_write(dir, "cuda_barrier.out.want", out, sizeof out);
	free(in);
}

static void named_barriers(const char *dir)
{
	uint32_t *in = full_u32(192, 1), out[256] = { 0 }, ones = 0, twos = 0, all = 1, any = 0;

	for (uint32_t t = 0; t < 96; t++) {
		ones += in[t] & 1;
		twos += t >= 32 && in[t] & 2;
		all &= in[t] != 12345;
		any |= in[t] % 512 == 7;
	}
	for (uint32_t t = 0; t < 96; t++) {
		for (uint32_t r = 0; r < 6 && t >= 32; r++)
			out[t] = out[t] * 3 + in[r * 32 + (t % 32 ^ t / 32)];
		out[96 + t] = ones | all << 16 | any << 17;
		if (t >= 32)
			out[192 + t - 32] = twos;
	}
	ref_write(dir, "named_barriers.out.want", out, sizeof out);
	free(in);
}

static void spin_flags(const char *dir)
{
	uint32_t *in = full_u32(8, 1), out[8];

	for (int b = 0; b < 8; b += 4)
		for (int k = 0; k < 4; k++)
			out[b + k] = (k > 0 ? out[b + k - 1] : 1) * 31 + in[b + k];
	ref_write(dir, "spin_flags.out.want", out, sizeof out);
	free(in);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_async[] = { REF(cp_async),       REF(async_pipeline), REF(cuda_barrier),
				       REF(named_barriers), REF(spin_flags),     { NULL, NULL } };

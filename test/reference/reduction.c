/* Reference of examples/reduction: the sums of the blocks' strips, then their sum. */
#include "ref.h"

enum { N = 1 << 18, BLOCKS = 128, THREADS = 256 };

struct reduction {
	int32_t *in, *part, total;
};

static void reduction_compute(void *state)
{
	struct reduction *s = state;

	s->total = 0;
	for (int b = 0; b < BLOCKS; b++) {
		s->part[b] = 0;
		for (int i = b * THREADS; i < N; i += BLOCKS * THREADS)
			for (int t = 0; t < THREADS; t++)
				s->part[b] += s->in[i + t];
		s->total += s->part[b];
	}
}

static void reduction_write(void *state, const char *dir)
{
	struct reduction *s = state;

	ref_write(dir, "reduction.parts.expect", s->part, BLOCKS * sizeof *s->part);
	ref_write(dir, "reduction.expect", &s->total, sizeof s->total);
}

int main(int argc, char **argv)
{
	struct reduction s = { ref_random_s32(N, 7, -1000, 1000), ref_new(int32_t, BLOCKS), 0 };

	return ref_main(argc, argv, &s, reduction_compute, reduction_write);
}

/* Reference of examples/scan. */
#include "ref.h"

enum { N = 16384 };

struct scan {
	int32_t *in;
	uint32_t *out;
};

static void scan_compute(void *state)
{
	struct scan *s = state;
	uint32_t sum = 0;

	for (int i = 0; i < N; i++) {
		s->out[i] = sum;
		sum += (uint32_t)s->in[i];
	}
}

static void scan_write(void *state, const char *dir)
{
	struct scan *s = state;

	ref_write(dir, "scan.expect", s->out, N * sizeof *s->out);
}

int main(int argc, char **argv)
{
	struct scan s = { ref_random_s32(N, 151, 0, 100000), ref_new(uint32_t, N) };

	return ref_main(argc, argv, &s, scan_compute, scan_write);
}

/* Reference of examples/histogram. */
#include "ref.h"

enum { N = 1 << 20, BINS = 256 };

struct histogram {
	uint8_t *data;
	uint32_t *count;
};

static void histogram_compute(void *state)
{
	struct histogram *s = state;

	memset(s->count, 0, BINS * sizeof *s->count);
	for (int i = 0; i < N; i++)
		s->count[s->data[i]]++;
}

static void histogram_write(void *state, const char *dir)
{
	ref_write(dir, "histogram.expect", ((struct histogram *)state)->count, BINS * sizeof(uint32_t));
}

int main(int argc, char **argv)
{
	struct histogram s = { ref_random_u8(N, 5, 16, 240), ref_new(uint32_t, BINS) };

	return ref_main(argc, argv, &s, histogram_compute, histogram_write);
}

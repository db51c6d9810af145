/* Reference of examples/collatz. */
#include "ref.h"

enum { N = 10000 };

static void collatz_compute(void *state)
{
	uint32_t *steps = state;

	for (uint64_t first = 1; first <= N; first++) {
		uint32_t k = 0;

		for (uint64_t n = first; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
			k++;
		steps[first - 1] = k;
	}
}

static void collatz_write(void *state, const char *dir)
{
	ref_write(dir, "collatz.expect", state, N * sizeof(uint32_t));
}

int main(int argc, char **argv) { return ref_main(argc, argv, ref_new(uint32_t, N), collatz_compute, collatz_write); }

/* Reference of examples/bitonic: the library's sort. No key is there twice, so that the order of the values is one. */
#include "ref.h"

enum { N = 4096 };

struct pair {
	uint32_t key, value;
};
struct bitonic {
	struct pair *in, *out;
};

static int pair_order(const void *a, const void *b)
{
	uint32_t x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;

	return (x > y) - (x < y);
}

static void bitonic_compute(void *state)
{
	struct bitonic *s = state;

	memcpy(s->out, s->in, N * sizeof *s->out);
	qsort(s->out, N, sizeof *s->out, pair_order);
}

static void bitonic_write(void *state, const char *dir)
{
	struct bitonic *s = state;
	uint32_t *key = ref_new(uint32_t, N), *value = ref_new(uint32_t, N);

	for (int i = 0; i < N; i++) {
		key[i] = s->out[i].key;
		value[i] = s->out[i].value;
		if (i > 0 && key[i] == key[i - 1]) {
			fprintf(stderr, "bitonic: key %u is there twice; choose another seed\n", key[i]);
			exit(3);
		}
	}
	ref_write(dir, "bitonic.expect", key, N * sizeof *key);
	ref_write(dir, "bitonic.value.expect", value, N * sizeof *value);
}

int main(int argc, char **argv)
{
	struct bitonic s = { ref_new(struct pair, N), ref_new(struct pair, N) };
	uint64_t seed = 161;

	for (uint32_t i = 0; i < N; i++)
		s.in[i] = (struct pair){ rng_below(&seed, 4000000000u), i };
	return ref_main(argc, argv, &s, bitonic_compute, bitonic_write);
}

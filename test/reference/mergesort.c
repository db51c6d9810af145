/* Reference of examples/mergesort: runs of two blocks, sorted by the C library. */
#include "ref.h"

enum { KEYS = 160 * 1024, RUN = 2 * 1024, EACH = 20, DIGESTS = KEYS / EACH };

struct keys {
	int32_t *start;
	uint32_t *key, *digest;
};

static int by_key(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void keys_compute(void *state)
{
	struct keys *s = state;

	memcpy(s->key, s->start, KEYS * sizeof *s->key);
	for (int i = 0; i < KEYS; i += RUN)
		qsort(s->key + i, RUN, sizeof *s->key, by_key);
	for (int i = 0; i < DIGESTS; i++) {
		s->digest[i] = 0;
		for (int j = i; j < KEYS; j += DIGESTS)
			s->digest[i] = s->digest[i] * 1664525 + s->key[j];
	}
}

static void keys_write(void *state, const char *dir)
{
	struct keys *s = state;

	ref_write(dir, "mergesort.expect", s->digest, DIGESTS * sizeof *s->digest);
}

int main(int argc, char **argv)
{
	struct keys s = { ref_random_s32(KEYS, 341, 0, INT32_MAX), ref_new(uint32_t, KEYS),
			  ref_new(uint32_t, DIGESTS) };

	return ref_main(argc, argv, &s, keys_compute, keys_write);
}

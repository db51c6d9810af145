/* Reference of examples/radixsort: a stable sort by counting, on all bits of the keys at once. */
#include "ref.h"

enum { PAIRS = 120 * 1536, KEYS = 256, EACH = 24, DIGESTS = PAIRS / EACH };

struct pairs {
	int32_t *key;
	uint32_t *order, *digest;
};

static void pairs_compute(void *state)
{
	struct pairs *s = state;
	uint32_t next[KEYS + 1] = { 0 };

	for (int i = 0; i < PAIRS; i++)
		next[s->key[i] + 1]++;
	for (int k = 0; k < KEYS; k++)
		next[k + 1] += next[k];
	for (int i = 0; i < PAIRS; i++)
		s->order[next[s->key[i]]++] = (uint32_t)i;
	for (int i = 0; i < DIGESTS; i++) {
		uint32_t sum = 0;

		for (int j = i; j < PAIRS; j += DIGESTS)
			sum = sum * 1664525 + (s->order[j] ^ (uint32_t)s->key[s->order[j]] << 24);
		s->digest[i] = sum;
	}
}

static void pairs_write(void *state, const char *dir)
{
	struct pairs *s = state;

	ref_write(dir, "radixsort.expect", s->digest, DIGESTS * sizeof *s->digest);
}

int main(int argc, char **argv)
{
	struct pairs s = { ref_random_s32(PAIRS, 311, 0, KEYS), ref_new(uint32_t, PAIRS), ref_new(uint32_t, DIGESTS) };

	return ref_main(argc, argv, &s, pairs_compute, pairs_write);
}

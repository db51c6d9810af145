/* Reference of examples/btree: N keys in order make the tree, and answer the queries without it. */
#include "ref.h"

enum { N = 4096, KEYS = 16384, QUERIES = 8192, RANGES = 2048, ORDER = 16, NODES = N / 4, NONE = 0xffff };

struct btree {
	uint32_t *sorted;
	uint16_t *value; /* the keys and their values */
	uint32_t *key;
	uint16_t *slot;
	uint8_t *used; /* the nodes, as the kernels read them */
	uint32_t nodes;
	int32_t *query;
	uint8_t *length;
	uint16_t *found;
	uint8_t *count;
};

/* Nodes from the leaves upwards, each 9 to 16 keys full; then the levels in the order of the numbers, from the root. */
static void btree_build(struct btree *s)
{
	uint64_t seed = 41;
	uint32_t *least = ref_new(uint32_t, N), below = N, first[8], width[8], levels = 0,
		 *key = ref_new(uint32_t, NODES * ORDER);
	uint16_t *slot = ref_new(uint16_t, NODES * ORDER);
	uint8_t *used = ref_new(uint8_t, NODES);

	memcpy(least, s->sorted, N * sizeof *least);
	for (; levels == 0 || below > 1; levels++) {
		uint32_t from = levels ? first[levels - 1] + width[levels - 1] : 0, node = from;

		first[levels] = from;
		for (uint32_t i = 0; i < below; node++) {
			used[node] = (uint8_t)(9 + rng_below(&seed, 8));
			if (below <= ORDER || used[node] > below - i)
				used[node] = (uint8_t)(below - i);
			for (uint32_t j = 0; j < used[node]; j++, i++) {
				key[node * ORDER + j] = least[i];
				/* of a child: its place in its level */
				slot[node * ORDER + j] = levels ? (uint16_t)i : s->value[i];
			}
			least[node - from] = key[node * ORDER];
		}
		below = width[levels] = node - from;
	}
	for (uint32_t l = levels; l-- > 0; s->nodes += width[l])
		for (uint32_t n = 0; n < width[l]; n++) {
			uint32_t to = s->nodes + n, from = first[l] + n;

			s->used[to] = used[from];
			for (uint32_t j = 0; j < ORDER; j++) {
				s->key[to * ORDER + j] = key[from * ORDER + j];
				s->slot[to * ORDER + j] = (uint16_t)(slot[from * ORDER + j] +
								     (l && j < used[from] ? s->nodes + width[l] : 0));
			}
		}
	free(least);
	free(key);
	free(slot);
	free(used);
}

static uint32_t rank_of(const struct btree *s, uint32_t wanted) /* how many keys are less */
{
	uint32_t low = 0, high = N;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (s->sorted[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void btree_compute(void *state)
{
	struct btree *s = state;

	for (int q = 0; q < QUERIES; q++) {
		uint32_t wanted = (uint32_t)s->query[q], rank = rank_of(s, wanted);

		s->found[q] = rank < N && s->sorted[rank] == wanted ? s->value[rank] : NONE;
	}
	for (int q = 0; q < RANGES; q++) {
		uint32_t from = (uint32_t)s->query[q];

		s->count[q] = (uint8_t)(rank_of(s, from + s->length[q]) - rank_of(s, from));
	}
}

static void btree_write(void *state, const char *dir)
{
	struct btree *s = state;

	ref_write(dir, "btree.key", s->key, s->nodes * ORDER * sizeof *s->key);
	ref_write(dir, "btree.slot", s->slot, s->nodes * ORDER * sizeof *s->slot);
	ref_write(dir, "btree.used", s->used, s->nodes);
	ref_write(dir, "btree.expect", s->found, QUERIES * sizeof *s->found);
	ref_write(dir, "btree.count.expect", s->count, RANGES);
}

int main(int argc, char **argv)
{
	struct btree s = {
		ref_new(uint32_t, N),
		ref_new(uint16_t, N),
		ref_new(uint32_t, NODES * ORDER),
		ref_new(uint16_t, NODES * ORDER),
		ref_new(uint8_t, NODES),
		0,
		ref_random_s32(QUERIES, 42, 0, KEYS),
		ref_random_u8(RANGES, 43, 0, 240),
		ref_new(uint16_t, QUERIES),
		ref_new(uint8_t, RANGES),
	};
	uint64_t seed = 40;

	for (uint32_t key = 0, n = 0; n < N; key++) /* N of KEYS, each as likely as the others */
		if (rng_below(&seed, KEYS - key) < N - n) {
			s.sorted[n] = key;
			s.value[n++] = (uint16_t)rng_below(&seed, 10000);
		}
	btree_build(&s);
	return ref_main(argc, argv, &s, btree_compute, btree_write);
}

/* Reference of examples/bfs: a graph of N vertices with uneven degrees and mostly short edges, searched twice. */
#include "ref.h"

enum { N = 8192, EDGES_MAX = 32 * N, NEAR = 384, SOURCE = 17 };

struct bfs {
	uint32_t *row;
	uint16_t *column;
	int32_t *level;
};

static void bfs_graph(struct bfs *s)
{
	uint64_t seed = 2024;
	uint32_t n = 0;

	for (uint32_t v = 0; v < N; v++) {
		uint32_t degree = 1 + rng_below(&seed, 4);

		s->row[v] = n;
		if (rng_below(&seed, 64) == 0) /* a few hubs make warps diverge */
			degree += rng_below(&seed, 28);
		for (uint32_t e = 0; e < degree; e++)
			s->column[n++] = (uint16_t)((v + N + rng_below(&seed, 2 * NEAR) - NEAR) % N);
	}
	s->row[N] = n;
}

/* Level by level over all vertices, as the kernel does it: this is what the speed of the model is compared with. */
static void bfs_compute(void *state)
{
	struct bfs *s = state;
	bool more = true;

	for (uint32_t v = 0; v < N; v++)
		s->level[v] = v == SOURCE ? 0 : -1;
	for (int32_t now = 0; more; now++) {
		more = false;
		for (uint32_t v = 0; v < N; v++) {
			if (s->level[v] != now)
				continue;
			for (uint32_t e = s->row[v]; e < s->row[v + 1]; e++)
				if (s->level[s->column[e]] < 0) {
					s->level[s->column[e]] = now + 1;
					more = true;
				}
		}
	}
}

/* The same distances found another way: with a queue. False if they differ. */
static bool bfs_agrees(const struct bfs *s)
{
	int32_t *level = ref_new(int32_t, N);
	uint32_t *queue = ref_new(uint32_t, N), first = 0, last = 0;
	bool same;

	for (uint32_t v = 0; v < N; v++)
		level[v] = -1;
	level[SOURCE] = 0;
	queue[last++] = SOURCE;
	while (first < last) {
		uint32_t v = queue[first++];

		for (uint32_t e = s->row[v]; e < s->row[v + 1]; e++)
			if (level[s->column[e]] < 0) {
				level[s->column[e]] = level[v] + 1;
				queue[last++] = s->column[e];
			}
	}
	same = memcmp(level, s->level, N * sizeof *level) == 0;
	free(level);
	free(queue);
	return same;
}

static void bfs_write(void *state, const char *dir)
{
	struct bfs *s = state;

	if (!bfs_agrees(s)) {
		fputs("bfs: two searches disagree\n", stderr);
		exit(1);
	}
	ref_write(dir, "bfs.row", s->row, (N + 1) * sizeof *s->row);
	ref_write(dir, "bfs.column", s->column, s->row[N] * sizeof *s->column);
	ref_write(dir, "bfs.expect", s->level, N * sizeof *s->level);
}

int main(int argc, char **argv)
{
	struct bfs s = { ref_new(uint32_t, N + 1), ref_new(uint16_t, EDGES_MAX), ref_new(int32_t, N) };

	bfs_graph(&s);
	return ref_main(argc, argv, &s, bfs_compute, bfs_write);
}

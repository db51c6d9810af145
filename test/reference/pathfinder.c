/* Reference of examples/pathfinder: row after row. */
#include "ref.h"

enum { W = 4096, ROWS = 49 };

struct pathfinder {
	uint8_t *cost;
	int32_t *sum, *next;
};

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void pathfinder_compute(void *state)
{
	struct pathfinder *s = state;

	for (int x = 0; x < W; x++)
		s->sum[x] = s->cost[x];
	for (int row = 1; row < ROWS; row++) {
		for (int x = 0; x < W; x++)
			s->next[x] = s->cost[row * W + x] +
				     least(s->sum[x], least(s->sum[x > 0 ? x - 1 : x], s->sum[x < W - 1 ? x + 1 : x]));
		memcpy(s->sum, s->next, W * sizeof *s->sum);
	}
}

static void pathfinder_write(void *state, const char *dir)
{
	ref_write(dir, "pathfinder.expect", ((struct pathfinder *)state)->sum, W * sizeof(int32_t));
}

int main(int argc, char **argv)
{
	struct pathfinder s = { ref_random_u8(ROWS * W, 71, 0, 10), ref_new(int32_t, W), ref_new(int32_t, W) };

	return ref_main(argc, argv, &s, pathfinder_compute, pathfinder_write);
}

/* Reference of examples/streamcluster: whole numbers, so every distance is exact. */
#include "ref.h"

enum {
	N = 1920,
	AXES = 16,
	CANDIDATES = 12,
	FIRST = 33,
	STEP = 155,
	PRICE = 2000,
	BURST = 96,
	TOPICS = 10,
	UNASSIGNED = 100000
};

struct stream {
	uint8_t *count;
	uint32_t *centre, *saved;
	int opened;
};

static uint32_t stream_distance(const struct stream *s, int a, int b)
{
	uint32_t distance = 0;

	for (int axis = 0; axis < AXES; axis++) {
		int apart = s->count[axis * N + a] - s->count[axis * N + b];

		distance += (uint32_t)(apart * apart);
	}
	return distance;
}

static void stream_compute(void *state)
{
	struct stream *s = state;
	uint32_t *cost = ref_new(uint32_t, N);

	s->opened = 0;
	for (int i = 0; i < N; i++) {
		cost[i] = UNASSIGNED;
		s->centre[i] = UINT32_MAX;
	}
	for (int c = 0; c < CANDIDATES; c++) {
		int candidate = FIRST + c * STEP;

		s->saved[c] = 0;
		for (int i = 0; i < N; i++) {
			uint32_t distance = stream_distance(s, i, candidate);

			s->saved[c] += distance < cost[i] ? cost[i] - distance : 0;
		}
		for (int i = 0; i < N && s->saved[c] > PRICE; i++) {
			uint32_t distance = stream_distance(s, i, candidate);

			if (distance < cost[i]) {
				cost[i] = distance;
				s->centre[i] = (uint32_t)candidate;
			}
		}
		s->opened += s->saved[c] > PRICE;
	}
	free(cost);
}

static void stream_write(void *state, const char *dir)
{
	struct stream *s = state;

	if (s->opened < 3 || s->opened == CANDIDATES) {
		fprintf(stderr, "streamcluster: %d of %d candidates opened\n", s->opened, CANDIDATES);
		exit(1);
	}
	ref_write(dir, "streamcluster.count", s->count, AXES * N);
	ref_write(dir, "streamcluster.expect", s->centre, N * sizeof *s->centre);
	ref_write(dir, "streamcluster.saved.expect", s->saved, CANDIDATES * sizeof *s->saved);
}

/* Bursts of points about one topic, which has counts on four axes; every 25th count of a point is another one. */
int main(int argc, char **argv)
{
	struct stream s = { ref_new(uint8_t, AXES * N), ref_new(uint32_t, N), ref_new(uint32_t, CANDIDATES), 0 };
	uint8_t *axes = ref_random_u8(TOPICS * 4, 911, 0, AXES), *size = ref_random_u8(TOPICS * 4, 912, 1, 8);
	uint64_t seed = 913;

	for (int i = 0; i < N; i++) {
		int topic = i / BURST * 7 % TOPICS;

		for (int k = 0; k < 4; k++)
			s.count[axes[topic * 4 + k] * N + i] = size[topic * 4 + k];
		for (int axis = 0; axis < AXES; axis++)
			if (rng_below(&seed, 25) == 0)
				s.count[axis * N + i] = (uint8_t)rng_below(&seed, 8);
	}
	return ref_main(argc, argv, &s, stream_compute, stream_write);
}

/* Reference of examples/kmeans. Clusters are compared exactly, so no point may lie between two centres by less than
 * what rounding can do. */
#include "ref.h"

enum { N = 4000, AXES = 4, CLUSTERS = 6, ROUNDS_MAX = 50 };

struct kmeans {
	uint8_t *point, *cluster;
	float *start, *centre;
	float margin;
	int rounds;
};

/* The nearest centre of a point. The margin falls to the least by which the second nearest is farther, relatively. */
static uint8_t kmeans_nearest(struct kmeans *s, int i)
{
	float least = INFINITY, second = INFINITY;
	uint8_t nearest = 0;

	for (unsigned c = 0; c < CLUSTERS; c++) {
		float distance = 0;

		for (int axis = 0; axis < AXES; axis++) {
			float apart = s->point[axis * N + i] - s->centre[c * AXES + axis];

			distance += apart * apart;
		}
		if (distance < least) {
			second = least;
			least = distance;
			nearest = c;
		} else if (distance < second) {
			second = distance;
		}
	}
	s->margin = fminf(s->margin, (second - least) / second);
	return nearest;
}

static void kmeans_compute(void *state)
{
	struct kmeans *s = state;
	bool moved = true;

	memcpy(s->centre, s->start, CLUSTERS * AXES * sizeof *s->centre);
	memset(s->cluster, 255, N);
	s->margin = 1;
	for (s->rounds = 0; moved && s->rounds < ROUNDS_MAX; s->rounds++) {
		uint32_t total[CLUSTERS][AXES + 1] = { { 0 } };

		moved = false;
		for (int i = 0; i < N; i++) {
			uint8_t c = kmeans_nearest(s, i);

			moved |= c != s->cluster[i];
			s->cluster[i] = c;
			for (int axis = 0; axis < AXES; axis++)
				total[c][axis] += s->point[axis * N + i];
			total[c][AXES]++;
		}
		for (int c = 0; c < CLUSTERS; c++)
			for (int axis = 0; axis < AXES; axis++)
				if (total[c][AXES])
					s->centre[c * AXES + axis] = (float)total[c][axis] / (float)total[c][AXES];
	}
}

static void kmeans_write(void *state, const char *dir)
{
	struct kmeans *s = state;

	if (s->margin < 4e-6f || s->rounds == ROUNDS_MAX) {
		fprintf(stderr, "kmeans: %d rounds; a point is as near to two centres but for %g\n", s->rounds,
			(double)s->margin);
		exit(1);
	}
	ref_write(dir, "kmeans.point", s->point, AXES * N);
	ref_write(dir, "kmeans.centre", s->start, CLUSTERS * AXES * sizeof *s->start);
	ref_write(dir, "kmeans.expect", s->cluster, N);
	ref_write(dir, "kmeans.centre.expect", s->centre, CLUSTERS * AXES * sizeof *s->centre);
}

int main(int argc, char **argv)
{
	struct kmeans s = {
		ref_new(uint8_t, AXES * N),
		ref_new(uint8_t, N),
		ref_new(float, CLUSTERS *AXES),
		ref_new(float, CLUSTERS *AXES),
		1,
		0,
	};
	uint64_t seed = 101;
	uint8_t *middle = ref_random_u8(CLUSTERS * AXES, 102, 48, 208);

	/* the sum of four draws: bell-shaped about its middle */
	for (int i = 0; i < N; i++)
		for (int axis = 0; axis < AXES; axis++) {
			uint32_t around = 0;

			for (int n = 0; n < 4; n++)
				around += rng_below(&seed, 25);
			s.point[axis * N + i] = (uint8_t)(middle[i % CLUSTERS * AXES + axis] + around - 48);
		}
	for (int c = 0; c < CLUSTERS; c++) /* the first points are the first centres */
		for (int axis = 0; axis < AXES; axis++)
			s.start[c * AXES + axis] = s.point[axis * N + c];
	return ref_main(argc, argv, &s, kmeans_compute, kmeans_write);
}

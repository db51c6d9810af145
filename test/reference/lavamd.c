/* Reference of examples/lavamd, in double precision. */
#include "ref.h"

enum { NX = 5, NY = 5, NZ = 6, BOX = 32, PARTICLES = NX * NY * NZ * BOX };

#define SHARP 0.5

struct boxes {
	float *particle, *result;
};

static void boxes_at(const struct boxes *s, int i, double sum[4])
{
	const float *a = s->particle + 4 * i;
	int x = i / BOX % NX, y = i / BOX / NX % NY, z = i / BOX / (NX * NY);

	for (int j = 0; j < PARTICLES; j++) {
		const float *b = s->particle + 4 * j;
		int ox = j / BOX % NX, oy = j / BOX / NX % NY, oz = j / BOX / (NX * NY);
		double d[3] = { (double)a[0] - b[0] + x - ox, (double)a[1] - b[1] + y - oy,
				(double)a[2] - b[2] + z - oz };
		double energy;

		if (abs(x - ox) > 1 || abs(y - oy) > 1 || abs(z - oz) > 1)
			continue;
		energy = b[3] * exp2(-SHARP * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
		sum[0] += energy;
		for (int k = 0; k < 3; k++)
			sum[1 + k] += 2 * SHARP * energy * d[k];
	}
}

static void boxes_compute(void *state)
{
	struct boxes *s = state;

	for (int i = 0; i < PARTICLES; i++) {
		double sum[4] = { 0 };

		boxes_at(s, i, sum);
		for (int k = 0; k < 4; k++)
			s->result[4 * i + k] = (float)sum[k];
	}
}

static void boxes_write(void *state, const char *dir)
{
	struct boxes *s = state;

	ref_write(dir, "lavamd.expect", s->result, 4 * PARTICLES * sizeof *s->result);
}

int main(int argc, char **argv)
{
	struct boxes s = { ref_random_f32(4 * PARTICLES, 291, 0, 1), ref_new(float, 4 * PARTICLES) };

	return ref_main(argc, argv, &s, boxes_compute, boxes_write);
}

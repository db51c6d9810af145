/* Reference of examples/normals, in double precision. */
#include "ref.h"

enum { POINTS = 240 * 192, NEIGHBOURS = 12, REACH = 32, POWERS = 3, GROUP = 4 };

#define UNIT 0x1p-16

struct cloud {
	int32_t *point;
	float *flatness;
	uint8_t *neighbour;
};

static double flatness_at(const struct cloud *s, int i)
{
	double mean[3] = { 0 }, c[3][3] = { { 0 } }, a[3][3], n[3] = { s->point[4 * i + 3] * UNIT, 0.5, 1 }, along = 0;

	for (int k = 0; k < NEIGHBOURS; k++) {
		int j = i + s->neighbour[k * POINTS + i] - REACH;
		double d[3];

		if (j < 0)
			j = 0;
		else
			j = j < POINTS ? j : POINTS - 1;
		for (int v = 0; v < 3; v++) {
			d[v] = (s->point[4 * j + v] - s->point[4 * i + v]) * UNIT;
			mean[v] += d[v] / NEIGHBOURS;
		}
		for (int v = 0; v < 9; v++)
			c[v / 3][v % 3] += d[v / 3] * d[v % 3];
	}
	for (int v = 0; v < 9; v++)
		c[v / 3][v % 3] -= NEIGHBOURS * mean[v / 3] * mean[v % 3];
	for (int v = 0; v < 9; v++) {
		int p = (v / 3 + 1) % 3, q = (v / 3 + 2) % 3, r = (v % 3 + 1) % 3, t = (v % 3 + 2) % 3;

		a[v % 3][v / 3] = c[p][r] * c[q][t] - c[p][t] * c[q][r];
	}
	for (int k = 0; k < POWERS; k++) {
		double p[3] = { 0 }, length = 0;

		for (int v = 0; v < 9; v++)
			p[v / 3] += a[v / 3][v % 3] * n[v % 3];
		for (int v = 0; v < 3; v++)
			length += p[v] * p[v];
		for (int v = 0; v < 3; v++)
			n[v] = p[v] / sqrt(length);
	}
	for (int v = 0; v < 9; v++)
		along += n[v / 3] * c[v / 3][v % 3] * n[v % 3];
	return along / (c[0][0] + c[1][1] + c[2][2]);
}

static void cloud_compute(void *state)
{
	struct cloud *s = state;

	for (int i = 0; i < POINTS; i += GROUP) {
		double sum = 0;

		for (int k = 0; k < GROUP; k++)
			sum += flatness_at(s, i + k);
		s->flatness[i / GROUP] = (float)(sum / GROUP);
	}
}

static void cloud_write(void *state, const char *dir)
{
	struct cloud *s = state;

	ref_write(dir, "normals.expect", s->flatness, POINTS / GROUP * sizeof *s->flatness);
}

int main(int argc, char **argv)
{
	struct cloud s = {
		ref_random_s32(4 * POINTS, 401, 0, 65536),
		ref_new(float, POINTS / GROUP),
		ref_random_u8(NEIGHBOURS * POINTS, 402, 0, 64),
	};

	return ref_main(argc, argv, &s, cloud_compute, cloud_write);
}

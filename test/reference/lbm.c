/* Reference of examples/lbm, in double precision. */
#include "ref.h"

enum {
	NX = 32,
	NY = 24,
	NZ = 30,
	CELLS = NX * NY * NZ,
	LAYERS = 6,
	FLOWS = CELLS / LAYERS,
	DIRECTIONS = 19,
	STEPS = 2
};

#define RELAX 0.75

struct fluid {
	float *start, *flow;
	double *f, *next;
};

/* Direction d in the order of the example: stays, faces, edges in the planes xy, xz, yz; each followed by its
 * opposite. */
static void way(int d, int v[3])
{
	int sign = d % 2 ? 1 : -1;

	v[0] = v[1] = v[2] = 0;
	if (d >= 7) {
		int plane = (d - 7) / 4, a = plane == 2, b = plane == 0 ? 1 : 2;

		v[a] = sign;
		v[b] = (d - 7) % 4 < 2 ? sign : -sign;
	} else if (d > 0) {
		v[(d - 1) / 2] = sign;
	}
}

static int cell(int x, int y, int z) { return ((z + NZ) % NZ * NY + (y + NY) % NY) * NX + (x + NX) % NX; }

/* Density and momentum of a cell. */
static void sums(const double *f, double m[4])
{
	memset(m, 0, 4 * sizeof *m);
	for (int d = 0; d < DIRECTIONS; d++) {
		int v[3];

		way(d, v);
		m[0] += f[d];
		for (int k = 0; k < 3; k++)
			m[1 + k] += v[k] * f[d];
	}
}

static void step(struct fluid *s)
{
	for (int i = 0; i < CELLS; i++) {
		double *f = s->next + i * DIRECTIONS, m[4];

		for (int d = 0; d < DIRECTIONS; d++) {
			int v[3];

			way(d, v);
			f[d] = s->f[cell(i % NX - v[0], i / NX % NY - v[1], i / (NX * NY) - v[2]) * DIRECTIONS + d];
		}
		sums(f, m);
		for (int d = 0; d < DIRECTIONS; d++) {
			double share = d < 7 ? 1.0 / 18 : 1.0 / 36, along = 0, square = 0;
			int v[3];

			if (d == 0)
				share = 1.0 / 3;
			way(d, v);
			for (int k = 0; k < 3; k++) {
				along += v[k] * m[1 + k] / m[0];
				square += m[1 + k] / m[0] * m[1 + k] / m[0];
			}
			f[d] += RELAX * (share * m[0] * (1 + 3 * along + 4.5 * along * along - 1.5 * square) - f[d]);
		}
	}
	memcpy(s->f, s->next, CELLS * DIRECTIONS * sizeof *s->f);
}

static void fluid_compute(void *state)
{
	struct fluid *s = state;

	for (int i = 0; i < CELLS; i++)
		for (int d = 0; d < DIRECTIONS; d++)
			s->f[i * DIRECTIONS + d] = s->start[d * CELLS + i];
	for (int i = 0; i < STEPS; i++)
		step(s);
	for (int i = 0; i < FLOWS; i++) {
		double all[4] = { 0 };

		for (int z = 0; z < LAYERS; z++) {
			double m[4];

			sums(s->f + ((i / (NX * NY) * LAYERS + z) * NX * NY + i % (NX * NY)) * DIRECTIONS, m);
			for (int k = 0; k < 4; k++)
				all[k] += m[k];
		}
		for (int k = 0; k < 4; k++)
			s->flow[4 * i + k] = (float)(all[k] / LAYERS);
	}
}

static void fluid_write(void *state, const char *dir)
{
	struct fluid *s = state;

	ref_write(dir, "lbm.expect", s->flow, 4 * FLOWS * sizeof *s->flow);
}

int main(int argc, char **argv)
{
	struct fluid s = {
		ref_random_f32(CELLS * DIRECTIONS, 351, 0.04, 0.06),
		ref_new(float, 4 * FLOWS),
		ref_new(double, CELLS *DIRECTIONS),
		ref_new(double, CELLS *DIRECTIONS),
	};

	return ref_main(argc, argv, &s, fluid_compute, fluid_write);
}

/* Reference of examples/euler3d, in double precision. */
#include "ref.h"

enum { WIDTH = 192, CELLS = 120 * WIDTH, FACES = 4, VARIABLES = 5, WALL = -1, FAR = -2, STEPS = 2, GROUP = 4 };

struct mesh {
	float *start, *normal, *energy;
	double *at, *flux;
};

/* Density, momentum in x, y, z, energy. */
static const double far_away[VARIABLES] = { 1, 0.5, 0.25, 0, 3 };

static int neighbour(int i, int face)
{
	int beyond = i % WIDTH < WIDTH / 2 ? WALL : FAR;

	switch (face) {
	case 0:
		return i % WIDTH ? i - 1 : i + WIDTH - 1;
	case 1:
		return i % WIDTH < WIDTH - 1 ? i + 1 : i + 1 - WIDTH;
	case 2:
		return i >= WIDTH ? i - WIDTH : beyond;
	default:
		return i + WIDTH < CELLS ? i + WIDTH : beyond;
	}
}

static double pressure_of(const double *u)
{
	return 0.4 * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

/* What of each variable flows along axis k. */
static void carried(const double *u, int k, double *flow)
{
	double v = u[1 + k] / u[0];

	for (int i = 1; i < 4; i++)
		flow[i] = v * u[i] + (i == 1 + k ? pressure_of(u) : 0);
	flow[0] = u[1 + k];
	flow[4] = v * (u[4] + pressure_of(u));
}

static double speeds(const double *u)
{
	return sqrt(u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0] + sqrt(1.4 * pressure_of(u) / u[0]);
}

static void face_flux(const struct mesh *s, int i, int face, double *flux)
{
	const double *own = s->at + i * VARIABLES, *other;
	double n[3], area = 0, blur;
	int j = neighbour(i, face);

	for (int k = 0; k < 3; k++) {
		n[k] = s->normal[(3 * face + k) * CELLS + i];
		area += n[k] * n[k];
	}
	if (j == WALL) {
		for (int k = 0; k < 3; k++)
			flux[1 + k] += n[k] * pressure_of(own);
		return;
	}
	other = j == FAR ? far_away : s->at + j * VARIABLES;
	blur = j == FAR ? 0 : -0.1 * sqrt(area) * (speeds(own) + speeds(other));
	for (int v = 0; v < VARIABLES; v++)
		flux[v] += blur * (own[v] - other[v]);
	for (int k = 0; k < 3; k++) {
		double a[VARIABLES], b[VARIABLES];

		carried(own, k, a);
		carried(other, k, b);
		for (int v = 0; v < VARIABLES; v++)
			flux[v] += 0.5 * n[k] * (a[v] + b[v]);
	}
}

static void mesh_compute(void *state)
{
	static const float rest[VARIABLES] = { [0] = 1, [4] = 3 };
	struct mesh *s = state;

	for (int i = 0; i < CELLS; i++)
		for (int v = 0; v < VARIABLES; v++)
			s->at[i * VARIABLES + v] = rest[v] + s->start[v * CELLS + i];
	for (int step = 0; step < STEPS; step++) {
		memset(s->flux, 0, CELLS * VARIABLES * sizeof *s->flux);
		for (int i = 0; i < CELLS; i++)
			for (int face = 0; face < FACES; face++)
				face_flux(s, i, face, s->flux + i * VARIABLES);
		for (int i = 0; i < CELLS * VARIABLES; i++)
			s->at[i] += 0.01 * s->flux[i];
	}
	for (int i = 0; i < CELLS / GROUP; i++) {
		double sum = 0;

		for (int k = 0; k < GROUP; k++)
			sum += s->at[(i * GROUP + k) * VARIABLES + 4];
		s->energy[i] = (float)(sum / GROUP);
	}
}

static void mesh_write(void *state, const char *dir)
{
	struct mesh *s = state;

	ref_write(dir, "euler3d.expect", s->energy, CELLS / GROUP * sizeof *s->energy);
}

int main(int argc, char **argv)
{
	struct mesh s = {
		ref_random_f32(VARIABLES * CELLS, 361, -0.25, 0.25),
		ref_random_f32(3 * FACES * CELLS, 362, -1, 1),
		ref_new(float, CELLS / GROUP),
		ref_new(double, VARIABLES *CELLS),
		ref_new(double, VARIABLES *CELLS),
	};

	return ref_main(argc, argv, &s, mesh_compute, mesh_write);
}

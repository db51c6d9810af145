/* Reference of examples/nbody: one step over all pairs. The exponential is our own, since the C library's last digit
 * depends on the machine, and the committed results are compared byte for byte. */
#include "ref.h"

enum { N = 1024 };

/* four floats a body; the fourth of `at` is its charge */
struct nbody {
	float *at, *start, *velocity, *next;
};

/* exp(x) for -80 < x < 80 within two units in the last place: 2^k times the Taylor series of the rest, |f| < 0.35. */
static float exponential(float x)
{
	float t = x * 1.44269504f;
	int k = (int)(t + (t < 0 ? -0.5f : 0.5f));
	float f = (x - (float)k * 0.693359375f) + (float)k * 2.12194440e-4f;
	float sum =
		1 +
		f * (1 + f * (1 / 2.f + f * (1 / 6.f + f * (1 / 24.f + f * (1 / 120.f + f * (1 / 720.f + f / 5040))))));
	union {
		uint32_t bits;
		float value;
	} two_k = { .bits = (uint32_t)(127 + k) << 23 };

	return sum * two_k.value;
}

static void nbody_compute(void *state)
{
	struct nbody *s = state;
	const float step = 0.0078125f, screening = 1.5f, softening = 0.0625f;

	for (int i = 0; i < N; i++) {
		const float *me = s->at + 4 * i;
		float *v = s->velocity + 4 * i, *to = s->next + 4 * i, force[3] = { 0, 0, 0 };

		for (int j = 0; j < N; j++) {
			const float *other = s->at + 4 * j;
			float d[3] = { me[0] - other[0], me[1] - other[1], me[2] - other[2] };
			float r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening;
			float r = sqrtf(r2);
			float f = other[3] * (1.0f / r + screening) * exponential(-screening * r) / r2;

			for (int c = 0; c < 3; c++)
				force[c] += f * d[c];
		}
		for (int c = 0; c < 3; c++) {
			v[c] = s->start[4 * i + c] + step * me[3] * force[c];
			to[c] = me[c] + step * v[c];
		}
		v[3] = s->start[4 * i + 3];
		to[3] = me[3];
	}
}

static void nbody_write(void *state, const char *dir)
{
	struct nbody *s = state;

	ref_write(dir, "nbody.at.expect", s->next, 4 * N * sizeof(float));
	ref_write(dir, "nbody.velocity.expect", s->velocity, 4 * N * sizeof(float));
}

int main(int argc, char **argv)
{
	struct nbody s = { ref_random_f32(4 * N, 21, -1, 1), ref_random_f32(4 * N, 22, -0.5, 0.5),
			   ref_new(float, 4 * N), ref_new(float, 4 * N) };

	return ref_main(argc, argv, &s, nbody_compute, nbody_write);
}

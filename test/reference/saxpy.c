/* Reference of examples/saxpy. */
#include "ref.h"

enum { N = 16384 };

struct saxpy {
	float *x, *y, *out, a;
};

static void saxpy_compute(void *state)
{
	struct saxpy *s = state;

	for (int i = 0; i < N; i++)
		s->out[i] = s->a * s->x[i] + s->y[i];
}

static void saxpy_write(void *state, const char *dir)
{
	ref_write(dir, "saxpy.expect", ((struct saxpy *)state)->out, N * sizeof(float));
}

int main(int argc, char **argv)
{
	struct saxpy s = { ref_ramp_f32(N, -16, 0.5, 64), ref_ramp_f32(N, 1, 0.25, 100), ref_new(float, N), 2.5f };

	return ref_main(argc, argv, &s, saxpy_compute, saxpy_write);
}

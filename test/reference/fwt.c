/* Reference of examples/fwt: two elements at a time, in double precision. */
#include "ref.h"

enum { N = 16384 };

struct fwt {
	float *in, *out;
	double *x;
};

static void fwt_compute(void *state)
{
	struct fwt *s = state;

	for (int i = 0; i < N; i++)
		s->x[i] = s->in[i];
	for (int stride = 1; stride < N; stride *= 2)
		for (int i = 0; i < N; i++)
			if (!(i & stride)) {
				double a = s->x[i], b = s->x[i + stride];

				s->x[i] = a + b;
				s->x[i + stride] = a - b;
			}
	for (int i = 0; i < N; i++)
		s->out[i] = (float)s->x[i];
}

static void fwt_write(void *state, const char *dir)
{
	struct fwt *s = state;

	ref_write(dir, "fwt.expect", s->out, N * sizeof *s->out);
}

int main(int argc, char **argv)
{
	struct fwt s = { ref_random_f32(N, 171, -1, 1), ref_new(float, N), ref_new(double, N) };

	return ref_main(argc, argv, &s, fwt_compute, fwt_write);
}

/* Reference of examples/dwt2d, in double precision: lines are lifted in place, mirrored at their ends. */
#include "ref.h"

enum { W = 512, H = 768, LEVELS = 3, STRIPS = 6 * 16, LOW = (W >> LEVELS) * (H >> LEVELS) };
/* columns of blocks, of all levels */
enum { ENERGIES = W * (H / STRIPS) * 21 / 16 };

struct dwt {
	float *picture, *low, *energy;
	double *in, *out, *squares;
};

static void lift(double *x, int n, int stride, int first, double a)
{
	for (int i = first; i < n; i += 2) {
		int left = i ? i - 1 : 1, right = i + 1 < n ? i + 1 : n - 2;

		x[i * stride] += a * (x[left * stride] + x[right * stride]);
	}
}

static void transform(double *x, int n, int stride)
{
	lift(x, n, stride, 1, -1.586134342);
	lift(x, n, stride, 0, -0.05298011854);
	lift(x, n, stride, 1, 0.8829110762);
	lift(x, n, stride, 0, 0.4435068522);
	for (int i = 0; i < n; i++)
		x[i * stride] *= i % 2 ? 1.149604398 / 2 : 1 / 1.149604398;
}

/* Column x of the whole as the kernels arrange it, low ones left: where is it in a line that is not arranged? */
static int from(int x, int width) { return x < width / 2 ? 2 * x : 2 * (x - width / 2) + 1; }

static void dwt_compute(void *state)
{
	struct dwt *s = state;

	for (int i = 0; i < W * H; i++)
		s->in[i] = s->picture[i];
	memset(s->squares, 0, ENERGIES * sizeof *s->squares);
	for (int level = 0, width = W, height = H, first = 0; level < LEVELS; level++, width /= 2, height /= 2) {
		for (int y = 0; y < height; y++)
			transform(s->in + y * width, width, 1);
		for (int x = 0; x < width; x++)
			transform(s->in + x, height, width);
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				double v = s->in[y * width + from(x, width)];

				if (y % 2 == 0 && x < width / 2)
					s->out[y / 2 * (width / 2) + x] = v;
				else
					s->squares[first + y / STRIPS * width + x] += v * v;
			}
		first += width * (height / STRIPS);
		memcpy(s->in, s->out, (size_t)(width / 2 * (height / 2)) * sizeof *s->in);
	}
	for (int i = 0; i < LOW; i++)
		s->low[i] = (float)s->out[i];
	for (int i = 0; i < ENERGIES; i++)
		s->energy[i] = (float)s->squares[i];
}

static void dwt_write(void *state, const char *dir)
{
	struct dwt *s = state;

	ref_write(dir, "dwt2d.expect", s->low, LOW * sizeof *s->low);
	ref_write(dir, "dwt2d.energy.expect", s->energy, ENERGIES * sizeof *s->energy);
}

int main(int argc, char **argv)
{
	struct dwt s = {
		ref_random_f32(W * H, 201, -128, 128),
		ref_new(float, LOW),
		ref_new(float, ENERGIES),
		ref_new(double, W *H),
		ref_new(double, W *H),
		ref_new(double, ENERGIES),
	};

	return ref_main(argc, argv, &s, dwt_compute, dwt_write);
}

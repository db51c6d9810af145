/* Reference of examples/backprop, in double precision. */
#include "ref.h"

enum { INPUTS = 1920, HIDDEN = 16, BLOCK = 16 };

struct net {
	float *input, *weight, *moved, *outward, *partial, *hidden, *delta;
};

static double squash(double x) { return 1 / (1 + exp(-x)); }

static void partial_sums(struct net *s)
{
	for (int b = 0; b < INPUTS / BLOCK; b++)
		for (int h = 0; h < HIDDEN; h++) {
			double sum = 0;

			for (int i = b * BLOCK; i < (b + 1) * BLOCK; i++)
				sum += (double)s->input[i] * s->weight[i * HIDDEN + h];
			s->partial[b * HIDDEN + h] = (float)sum;
		}
}

static void net_compute(void *state)
{
	const double target = 0.9, rate = 0.3, momentum = 0.3;
	struct net *s = state;
	double hidden[HIDDEN], output = 0, error;

	partial_sums(s);
	for (int h = 0; h < HIDDEN; h++) {
		double sum = 0;

		for (int b = 0; b < INPUTS / BLOCK; b++)
			sum += s->partial[b * HIDDEN + h];
		hidden[h] = squash(sum);
		s->hidden[h] = (float)hidden[h];
		output += hidden[h] * s->outward[h];
	}
	output = squash(output);
	error = output * (1 - output) * (target - output);
	for (int h = 0; h < HIDDEN; h++) {
		double delta = hidden[h] * (1 - hidden[h]) * s->outward[h] * error;

		s->delta[h] = (float)delta;
		for (int i = 0; i < INPUTS; i++)
			s->weight[i * HIDDEN + h] +=
				(float)(rate * delta * s->input[i] + momentum * s->moved[i * HIDDEN + h]);
	}
	partial_sums(s);
}

static void net_write(void *state, const char *dir)
{
	struct net *s = state;

	ref_write(dir, "backprop.expect", s->partial, INPUTS / BLOCK * HIDDEN * sizeof *s->partial);
	ref_write(dir, "backprop.hidden.expect", s->hidden, HIDDEN * sizeof *s->hidden);
	ref_write(dir, "backprop.delta.expect", s->delta, HIDDEN * sizeof *s->delta);
}

int main(int argc, char **argv)
{
	struct net s = {
		ref_random_f32(INPUTS, 401, 0, 1),
		ref_random_f32(INPUTS * HIDDEN, 402, -0.05, 0.05),
		ref_random_f32(INPUTS * HIDDEN, 403, -0.01, 0.01),
		ref_random_f32(HIDDEN, 404, -1, 1),
		ref_new(float, INPUTS),
		ref_new(float, HIDDEN),
		ref_new(float, HIDDEN),
	};

	return ref_main(argc, argv, &s, net_compute, net_write);
}

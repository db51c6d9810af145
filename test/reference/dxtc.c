/* Reference of examples/dxtc, in integers. */
#include "ref.h"

enum {
	WIDTH = 64,
	SIDE = 4,
	TEXELS = SIDE * SIDE,
	BLOCKS = WIDTH / SIDE * (WIDTH / SIDE),
	PAIRS = 64,
	COLOURS = 4,
	CHANNELS = 3
};

struct dxtc {
	uint32_t *image, *block;
	double error;
	int flat;
};

static uint32_t channel(uint32_t texel, int c) { return texel >> c * 8 & 255; }

/* To so many bits and back. */
static uint32_t fewer(uint32_t x, int bits) { return (x * ((1u << bits) - 1) + 127) / 255; }
static uint32_t back(uint32_t x, int bits) { return x << (8 - bits) | x >> (2 * bits - 8); }

static uint32_t block_palette(uint32_t pair, const uint32_t low[CHANNELS], const uint32_t high[CHANNELS],
			      uint32_t of[COLOURS][CHANNELS])
{
	static const int bits[CHANNELS] = { 5, 6, 5 }, at[CHANNELS] = { 11, 5, 0 };
	uint32_t ends = 0;

	for (int c = 0; c < CHANNELS; c++) {
		uint32_t wide = high[c] - low[c];
		uint32_t a = fewer(high[c] - wide * (pair % 8) / 16, bits[c]),
			 b = fewer(low[c] + wide * (pair / 8) / 16, bits[c]);

		ends |= a << at[c] | b << (at[c] + 16);
		of[0][c] = back(a, bits[c]);
		of[1][c] = back(b, bits[c]);
		of[2][c] = (2 * of[0][c] + of[1][c]) / 3;
		of[3][c] = (of[0][c] + 2 * of[1][c]) / 3;
	}
	return ends;
}

static uint32_t block_nearest(uint32_t of[COLOURS][CHANNELS], uint32_t texel, uint32_t *least)
{
	uint32_t best = 0;

	for (uint32_t k = 0; k < COLOURS; k++) {
		uint32_t distance = 0;

		for (int c = 0; c < CHANNELS; c++)
			distance += (of[k][c] - channel(texel, c)) * (of[k][c] - channel(texel, c));
		if (k == 0 || distance < *least) {
			*least = distance;
			best = k;
		}
	}
	return best;
}

static uint32_t block_error(const struct dxtc *s, const int texel[TEXELS], uint32_t of[COLOURS][CHANNELS],
			    uint32_t *codes)
{
	uint32_t sum = 0, least = 0;

	*codes = 0;
	for (int i = 0; i < TEXELS; i++) {
		*codes |= block_nearest(of, s->image[texel[i]], &least) << 2 * i;
		sum += least;
	}
	return sum;
}

static void dxtc_compute(void *state)
{
	struct dxtc *s = state;

	s->error = s->flat = 0;
	for (int b = 0; b < BLOCKS; b++) {
		uint32_t low[CHANNELS] = { 255, 255, 255 }, high[CHANNELS] = { 0 }, of[COLOURS][CHANNELS],
			 best = UINT32_MAX;
		int texel[TEXELS];

		for (int i = 0; i < TEXELS; i++) {
			texel[i] =
				(b / (WIDTH / SIDE) * SIDE + i / SIDE) * WIDTH + b % (WIDTH / SIDE) * SIDE + i % SIDE;
			for (int c = 0; c < CHANNELS; c++) {
				uint32_t x = channel(s->image[texel[i]], c);

				low[c] = x < low[c] ? x : low[c];
				high[c] = x > high[c] ? x : high[c];
			}
		}
		for (uint32_t p = 0; p < PAIRS; p++) {
			uint32_t ends = block_palette(p, low, high, of), codes,
				 error = block_error(s, texel, of, &codes);

			if (error < best) {
				best = error;
				s->block[2 * b] = ends;
				s->block[2 * b + 1] = codes;
			}
		}
		s->error += best;
		s->flat += memcmp(low, high, sizeof low) == 0;
	}
}

static void dxtc_write(void *state, const char *dir)
{
	struct dxtc *s = state;
	double mean = s->error / (WIDTH * WIDTH * CHANNELS);

	if (mean > 30 || s->flat < BLOCKS / 2 || s->flat > BLOCKS * 9 / 10) {
		fprintf(stderr, "dxtc: a mean square error of %g, %d of %d blocks flat\n", mean, s->flat, BLOCKS);
		exit(1);
	}
	ref_write(dir, "dxtc.image", s->image, WIDTH * WIDTH * sizeof *s->image);
	ref_write(dir, "dxtc.expect", s->block, 2 * BLOCKS * sizeof *s->block);
}

/* A sky, a sun, a hill, and a lake that gets darker downwards. In no block does one channel rise where another falls:
 * ends are on one diagonal alone. */
int main(int argc, char **argv)
{
	struct dxtc s = { ref_new(uint32_t, WIDTH * WIDTH), ref_new(uint32_t, 2 * BLOCKS), 0, 0 };

	for (int y = 0; y < WIDTH; y++)
		for (int x = 0; x < WIDTH; x++) {
			int hill = 34 + (x - 20) * (x - 20) / 60, sun = (x - 46) * (x - 46) + (y - 14) * (y - 14);
			uint32_t r = 130, g = 180, b = 235;

			if (sun < 64)
				r = g = b = 250;
			if (y > hill)
				r = 70, g = 140, b = 60;
			if (y > 52)
				r = 20, g = (uint32_t)(120 - 5 * (y - 52)), b = (uint32_t)(55 - 3 * (x % 8));
			s.image[y * WIDTH + x] = 0xff000000 | b << 16 | g << 8 | r;
		}
	return ref_main(argc, argv, &s, dxtc_compute, dxtc_write);
}

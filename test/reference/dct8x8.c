/* Reference of examples/dct8x8: the transform by its definition, with cosines, in double precision. */
#include "ref.h"
#include "picture.h"

enum { W = 128, H = 128, TILE = 8, KEEP = 9 };

/* basis: by frequency, then place */
struct dct {
	uint8_t *picture, *again;
	float *frequency;
	double basis[TILE][TILE];
};

/* Row by row, then column by column, of one tile; `back`: from frequencies to places. */
static void dct_tile(const struct dct *s, double tile[TILE][TILE], bool back)
{
	double half[TILE][TILE] = { { 0 } };

	for (int y = 0; y < TILE; y++)
		for (int to = 0; to < TILE; to++)
			for (int from = 0; from < TILE; from++)
				half[y][to] += tile[y][from] * (back ? s->basis[from][to] : s->basis[to][from]);
	memset(tile, 0, sizeof half);
	for (int x = 0; x < TILE; x++)
		for (int to = 0; to < TILE; to++)
			for (int from = 0; from < TILE; from++)
				tile[to][x] += half[from][x] * (back ? s->basis[from][to] : s->basis[to][from]);
}

static void dct_compute(void *state)
{
	struct dct *s = state;
	double tile[TILE][TILE];

	for (int at = 0; at < W * H; at += TILE) {
		if (at / W % TILE != 0)
			continue;
		for (int y = 0; y < TILE; y++)
			for (int x = 0; x < TILE; x++)
				tile[y][x] = s->picture[at + y * W + x] - 128.0;
		dct_tile(s, tile, false);
		for (int y = 0; y < TILE; y++)
			for (int x = 0; x < TILE; x++) {
				s->frequency[at + y * W + x] = (float)tile[y][x];
				if (x + y >= KEEP)
					tile[y][x] = 0;
			}
		dct_tile(s, tile, true);
		for (int y = 0; y < TILE; y++)
			for (int x = 0; x < TILE; x++) {
				double pixel = tile[y][x] + 128;

				pixel = pixel < 0 ? 0 : pixel;
				s->again[at + y * W + x] = (uint8_t)((pixel > 255 ? 255 : pixel) + 0.5);
			}
	}
}

static void dct_write(void *state, const char *dir)
{
	struct dct *s = state;

	ref_write(dir, "dct8x8.picture", s->picture, W * H);
	ref_write(dir, "dct8x8.expect", s->frequency, W * H * sizeof *s->frequency);
	ref_write(dir, "dct8x8.again.expect", s->again, W * H);
}

int main(int argc, char **argv)
{
	struct dct s = { .picture = ref_new(uint8_t, W * H),
			 .again = ref_new(uint8_t, W * H),
			 .frequency = ref_new(float, W *H) };

	for (int i = 0; i < W * H; i++)
		s.picture[i] = picture_at(i % W, i / W);
	for (int u = 0; u < TILE; u++)
		for (int x = 0; x < TILE; x++)
			s.basis[u][x] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * acos(-1) / (2 * TILE));
	return ref_main(argc, argv, &s, dct_compute, dct_write);
}

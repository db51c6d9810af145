/* Reference of examples/sobel. */
#include "ref.h"
#include "picture.h"

enum { W = 128, H = 128, LEAST = 12 };

struct sobel {
	uint8_t *picture, *size, *direction, *edge;
};

static void sobel_gradient(struct sobel *s, int x, int y)
{
	static const int weight[3] = { 1, 2, 1 };
	int gx = 0, gy = 0;

	for (int j = -1; j <= 1; j++)
		for (int i = -1; i <= 1; i++) {
			int here = s->picture[ref_clamp(y + j, H - 1) * W + ref_clamp(x + i, W - 1)];

			gx += i * weight[j + 1] * here;
			gy += j * weight[i + 1] * here;
		}
	s->size[y * W + x] = (uint8_t)((abs(gx) + abs(gy)) / 8);
	if (5 * abs(gy) < 2 * abs(gx))
		s->direction[y * W + x] = 0;
	else if (5 * abs(gx) < 2 * abs(gy))
		s->direction[y * W + x] = 2;
	else
		s->direction[y * W + x] = (gx < 0) == (gy < 0) ? 1 : 3;
}

static void sobel_compute(void *state)
{
	static const int aside[4] = { 1, W + 1, W, W - 1 };
	struct sobel *s = state;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			sobel_gradient(s, x, y);
	for (int y = 1; y < H - 1; y++)
		for (int x = 1; x < W - 1; x++) {
			const uint8_t *here = s->size + y * W + x;
			int d = aside[s->direction[y * W + x]];

			s->edge[y * W + x] = *here >= LEAST && *here > here[-d] && *here >= here[d] ? 255 : 0;
		}
}

static void sobel_write(void *state, const char *dir)
{
	struct sobel *s = state;

	ref_write(dir, "sobel.picture", s->picture, W * H);
	ref_write(dir, "sobel.expect", s->size, W * H);
	ref_write(dir, "sobel.edge.expect", s->edge, W * H);
}

int main(int argc, char **argv)
{
	struct sobel s = { ref_new(uint8_t, W * H), ref_new(uint8_t, W * H), ref_new(uint8_t, W * H),
			   ref_new(uint8_t, W * H) };

	for (int i = 0; i < W * H; i++)
		s.picture[i] = picture_at(i % W, i / W);
	return ref_main(argc, argv, &s, sobel_compute, sobel_write);
}

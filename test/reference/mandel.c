/* Reference of examples/mandel. */
#include "ref.h"

enum { WIDTH = 128, LIMIT = 100 };

static void mandel_compute(void *state)
{
	uint16_t *steps = state;

	for (int row = 0; row < WIDTH; row++)
		for (int col = 0; col < WIDTH; col++) {
			float cx = -2.0f + 3.0f * (float)col / (float)WIDTH,
			      cy = -1.5f + 3.0f * (float)row / (float)WIDTH, x = 0, y = 0;
			int n = 0;

			for (; n < LIMIT && x * x + y * y < 4.0f; n++) {
				float next = x * x - y * y + cx;

				y = 2.0f * x * y + cy;
				x = next;
			}
			steps[row * WIDTH + col] = (uint16_t)n;
		}
}

static void mandel_write(void *state, const char *dir)
{
	ref_write(dir, "mandel.expect", state, WIDTH * WIDTH * sizeof(uint16_t));
}

int main(int argc, char **argv)
{
	return ref_main(argc, argv, ref_new(uint16_t, WIDTH * WIDTH), mandel_compute, mandel_write);
}

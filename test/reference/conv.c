/* Reference of examples/conv. The input is what a layer before it would leave: each channel a picture less a threshold,
 * rectified. */
#include "ref.h"
#include "picture.h"

enum { W = 32, H = 32, CHANNELS = 8, OUT = 16, SHIFT = 5 };

struct conv {
	uint8_t *in, *out;
	int32_t *filter, *bias;
};

static void conv_compute(void *state)
{
	struct conv *s = state;

	for (int o = 0; o < OUT; o++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				int sum = s->bias[o];

				for (int i = 0; i < CHANNELS * 9; i++) {
					int from_y = y + i / 3 % 3 - 1, from_x = x + i % 3 - 1;

					if (from_y >= 0 && from_y < H && from_x >= 0 && from_x < W)
						sum += s->in[(i / 9 * H + from_y) * W + from_x] *
						       s->filter[o * CHANNELS * 9 + i];
				}
				sum = sum < 0 ? 0 : sum >> SHIFT;
				s->out[(o * H + y) * W + x] = (uint8_t)(sum > 255 ? 255 : sum);
			}
}

static void conv_write(void *state, const char *dir)
{
	struct conv *s = state;

	ref_write(dir, "conv.in", s->in, CHANNELS * H * W);
	ref_write(dir, "conv.expect", s->out, OUT * H * W);
}

int main(int argc, char **argv)
{
	struct conv s = {
		ref_new(uint8_t, CHANNELS * H * W),
		ref_new(uint8_t, OUT * H * W),
		ref_random_s32(OUT * CHANNELS * 9, 62, -24, 25),
		ref_random_s32(OUT, 63, -500, 1500),
	};

	for (int i = 0; i < CHANNELS * H * W; i++) {
		int c = i / (H * W), value = picture_at(i % W + 70 * c, i / W % H + 50 * c) - 90;

		s.in[i] = (uint8_t)(value < 0 ? 0 : value / 2);
	}
	return ref_main(argc, argv, &s, conv_compute, conv_write);
}

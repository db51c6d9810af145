// Game of life on a torus, a word of 32 cells a thread: neighbours added bit by bit, two launches from buffer to buffer.
#include <cstdint>

extern "C" __global__ void life(uint32_t *out, const uint32_t *in, uint32_t rows)
{
	const uint32_t y = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t ones = 0, twos = 0, fours = 0;
	auto add = [&](uint32_t x) {
		uint32_t c = ones & x, d;

		ones ^= x;
		d = twos & c;
		twos ^= c;
		fours |= d;
	};

	for (int dy = -1; dy <= 1; dy++) {
		const uint32_t row = in[(y + rows + dy) % rows];

		add(row << 1 | row >> 31);
		add(row >> 1 | row << 31);
		if (dy)
			add(row);
	}
	out[y] = ~fours & twos & (ones | in[y]);
}

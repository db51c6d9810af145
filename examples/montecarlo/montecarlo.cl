/* Monte Carlo prices of options on the mean and on the highest price of a path, the path antithetic to each beside it. A thread walks
 * PATHS paths at once, so that one hides the latency of another; all their states stay in registers until the block adds up. */
#include "examples/gpu.cl.h"

enum { THREADS = 128, PATHS = 4 };

struct market { float drift, volatility, strike, discount; u32 steps; };        /* a step, in powers of two; of a start of 1 */

/* Marsaglia's xorshift of 96 bits and a counter. */
struct source { u32 x, y, z, count; };

static u32 draw(struct source *s)
{
	u32 t = s->x ^ s->x << 10;

	s->x = s->y;
	s->y = s->z;
	s->z ^= s->z >> 26 ^ t ^ t >> 5;
	s->count += 362437;
	return s->z + s->count;
}

__kernel void montecarlo(__global const u32 *seed, __global float *asian, __global float *lookback, struct market m)
{
	__local float sum[2][THREADS];
	u32 t = THREAD_X, first = GLOBAL_X * PATHS;
	struct source source[PATHS];
	float up[PATHS], down[PATHS], up_mean[PATHS], down_mean[PATHS], up_high[PATHS], down_high[PATHS];
	float payoff = 0, high = 0;

#pragma unroll
	for (u32 p = 0; p < PATHS; p++) {
		source[p].x = seed[first + p];
		source[p].y = source[p].x * 69069 + 1;
		source[p].z = source[p].y * 69069 + 1;
		source[p].count = source[p].z * 69069 + 1;
		up[p] = down[p] = up_mean[p] = down_mean[p] = 0;
		up_high[p] = down_high[p] = 1;
	}
	for (u32 step = 0; step < m.steps; step++)
#pragma unroll
		for (u32 p = 0; p < PATHS; p++) {               /* one normal number of two uniform ones */
			float u = (float)(draw(&source[p]) >> 8) * 0x1p-24f + 0x1p-25f, v = (float)(draw(&source[p]) >> 8) * 0x1p-24f;
			float normal = SQRT(LOG2(u) * -1.386294361f) * COS((v - 0.5f) * 6.283185307f);
			float a, b;

			up[p] += m.drift + m.volatility * normal;
			down[p] += m.drift - m.volatility * normal;
			a = EXP2(up[p]);
			b = EXP2(down[p]);
			up_mean[p] += a;
			down_mean[p] += b;
			up_high[p] = MAX(up_high[p], a);
			down_high[p] = MAX(down_high[p], b);
		}
#pragma unroll
	for (u32 p = 0; p < PATHS; p++) {
		float scale = 1.0f / (float)m.steps;

		payoff += MAX(up_mean[p] * scale - m.strike, 0.0f) + MAX(down_mean[p] * scale - m.strike, 0.0f);
		high += (up_high[p] - EXP2(up[p])) + (down_high[p] - EXP2(down[p]));
	}
	sum[0][t] = payoff;
	sum[1][t] = high;
	BARRIER();
	for (u32 other = THREADS / 2; other; other /= 2) {
		if (t < other) {
			sum[0][t] += sum[0][t + other];
			sum[1][t] += sum[1][t + other];
		}
		BARRIER();
	}
	if (t == 0) {
		float scale = m.discount / (2 * PATHS * THREADS);

		asian[BLOCK_X] = sum[0][0] * scale;
		lookback[BLOCK_X] = sum[1][0] * scale;
	}
}

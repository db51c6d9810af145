/* Calls and puts after Black and Scholes (after the CUDA SDK's BlackScholes; examples/options prices calls alone, no two warps of which have the same
 * inputs): a book of positions, in which the same chains of 64 strikes come again and again. A thread prices one option after another. */
#include "examples/gpu.cl.h"

#define CHAIN 64
#define LOG2_E 1.44269504f

/* From a chain's spot and time to what each position of the book needs. */
__kernel void blackscholes_book(__global const u8 *book, __global const float *chain, __global float *spot, __global float *strike, __global float *years)
{
	u32 i = GLOBAL_X, c = book[i / CHAIN];

	spot[i] = chain[2 * c];
	strike[i] = chain[2 * c] * (0.75f + (float)(i % CHAIN) * (1.0f / 128));
	years[i] = chain[2 * c + 1];
}

/* Probability of less than x: Abramowitz and Stegun 26.2.17. */
static float normal(float x)
{
	float k = 1 / (1 + 0.2316419f * ABS(x));
	float tail = 0.39894228f * EXP2(-0.5f * LOG2_E * x * x) * k *
	             (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));

	return x > 0 ? 1 - tail : tail;
}

__kernel void blackscholes(__global const float *spot, __global const float *strike, __global const float *years, __global float *call, __global float *put,
                           float rate, float volatility, u32 n)
{
	for (u32 i = GLOBAL_X; i < n; i += (u32)BLOCKS_X * (u32)BLOCK_SIZE_X) {
		float root = SQRT(years[i]), spread = volatility * root;
		float d1 = (LOG2(spot[i] / strike[i]) * (1 / LOG2_E) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
		float in_1 = normal(d1), in_2 = normal(d1 - spread), due = strike[i] * EXP2(-rate * LOG2_E * years[i]);

		call[i] = spot[i] * in_1 - due * in_2;
		put[i] = due * (1 - in_2) - spot[i] * (1 - in_1);
	}
}

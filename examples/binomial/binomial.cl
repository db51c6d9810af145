/* American put options by the binomial lattice of Cox, Ross and Rubinstein: a block an option, a thread a price at expiry. Back in
 * time, step by step, what an option is worth is what it will be worth, discounted, or what selling now pays if that is more. The
 * values of neighbours come through shared memory; a thread's own price and the weights stay in registers. */
#include "examples/gpu.cl.h"

enum { STEPS = 127 };                                           /* a block has STEPS + 1 threads */

#define LOG2E 1.44269504f

__kernel void binomial(__global const f32x4 *option, __global float *worth, float rate, float volatility)
{
	__local float value[STEPS + 1];
	u32 t = THREAD_X;
	f32x4 o = option[BLOCK_X];
	float price = o.x, strike = o.y, step = o.z / STEPS, jump = volatility * SQRT(step) * LOG2E;
	float up = EXP2(jump), down = EXP2(-jump), growth = EXP2(rate * step * LOG2E);
	float rise = (growth - down) / (up - down) / growth, fall = 1 / growth - rise;     /* probabilities, discounted */

	price *= EXP2((2 * (float)t - STEPS) * jump);                   /* at expiry, after t steps up and the others down */

	float own = MAX(strike - price, 0.f);

	for (u32 left = STEPS; left > 0; left--) {
		value[t] = own;
		BARRIER();
		if (t < left) {
			price *= up;                                    /* t steps up, one down less */
			own = MAX(rise * value[t + 1] + fall * own, strike - price);
		}
		BARRIER();
	}
	if (t == 0)
		worth[BLOCK_X] = own;
}

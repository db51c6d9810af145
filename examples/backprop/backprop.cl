/* Trains a network of one hidden layer (Rodinia's backprop). A block has SIDE inputs, a row each, and the SIDE hidden units as columns, so half a
 * warp has one input. Products are summed by a tree over rows whose strides are powers of two, and these every thread computes in floats. */
#include "examples/gpu.cl.h"

enum { SIDE = 16, LEVELS = 4 };                        /* 1 << LEVELS is SIDE */
#define LOG2E 1.44269504f
#define POW(x, y) EXP2((y) * LOG2(x))

static float squash(float x)
{
	return 1 / (1 + EXP2(-x * LOG2E));
}

/* partial: of each block, what its inputs add to each hidden unit. */
__kernel void backprop_forward(__global const float *input, __global const float *weight, __global float *partial)
{
	__local float in[SIDE], product[SIDE][SIDE];
	u32 tx = THREAD_X, ty = THREAD_Y, row = BLOCK_X * SIDE + ty;

	if (tx == 0)
		in[ty] = input[row];
	product[ty][tx] = weight[row * SIDE + tx];
	BARRIER();
	product[ty][tx] *= in[ty];
	BARRIER();
#pragma clang loop unroll(disable)
	for (u32 i = 1; i <= LEVELS; i++) {
		u32 power = (u32)(POW(2.0f, (float)i) + 0.5f);

		if (ty % power == 0)
			product[ty][tx] += product[ty + power / 2][tx];
		BARRIER();
	}
	if (ty == 0)
		partial[BLOCK_X * SIDE + tx] = product[0][tx];
}

/* One block: the hidden units, the output, and what each unit is to change by. */
__kernel void backprop_error(__global const float *partial, u32 blocks, __global float *outward, float target, float rate,
                             __global float *hidden, __global float *delta, __global float *output)
{
	__local float sum[SIDE][SIDE], share[SIDE], error;
	u32 tx = THREAD_X, ty = THREAD_Y;
	float x = 0;

	for (u32 b = ty; b < blocks; b += SIDE)
		x += partial[b * SIDE + tx];
	sum[ty][tx] = x;
	BARRIER();
#pragma clang loop unroll(disable)
	for (u32 rows = SIDE / 2; rows; rows /= 2) {
		if (ty < rows)
			sum[ty][tx] += sum[ty + rows][tx];
		BARRIER();
	}
	if (ty == 0) {
		x = squash(sum[0][tx]);
		hidden[tx] = x;
		share[tx] = x * outward[tx];
	}
	BARRIER();
	if (ty == 0 && tx == 0) {
		float y = 0;

		for (u32 i = 0; i < SIDE; i++)
			y += share[i];
		y = squash(y);
		output[0] = y;
		error = y * (1 - y) * (target - y);
	}
	BARRIER();
	if (ty == 0) {
		delta[tx] = x * (1 - x) * outward[tx] * error;
		outward[tx] += rate * error * x;
	}
}

/* Weights move against the error, and on as they moved before. */
__kernel void backprop_adjust(__global const float *input, __global const float *delta, __global float *weight, __global float *moved,
                              float rate, float momentum)
{
	u32 row = BLOCK_X * SIDE + THREAD_Y, at = row * SIDE + THREAD_X;
	float step = rate * delta[THREAD_X] * input[row] + momentum * moved[at];

	weight[at] += step;
	moved[at] = step;
}

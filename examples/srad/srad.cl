/* Removes speckle from a picture (Rodinia's SRAD): a step of diffusion that stops at edges. One kernel finds how much each pixel
 * diffuses, from how its differences to its neighbours compare with the noise of the whole, the other lets it. */
#include "examples/gpu.cl.h"

enum { TX = 32, TY = 6 };

/* noise: the variance of the picture over the square of its mean */
__kernel void srad_diffusion(__global const float *picture, __global float *diffusion, int width, int height, float noise)
{
	__local float near[TY + 2][TX + 2];
	int tx = THREAD_X, ty = THREAD_Y, x = BLOCK_X * TX + tx, y = BLOCK_Y * TY + ty, i = y * width + x;
	int west = MAX(x - 1, 0), east = MIN(x + 1, width - 1), north = MAX(y - 1, 0), south = MIN(y + 1, height - 1);

	near[ty + 1][tx + 1] = picture[i];
	if (ty == 0)
		near[0][tx + 1] = picture[north * width + x];
	if (ty == TY - 1)
		near[TY + 1][tx + 1] = picture[south * width + x];
	if (tx == 0)
		near[ty + 1][0] = picture[y * width + west];
	if (tx == TX - 1)
		near[ty + 1][TX + 1] = picture[y * width + east];
	BARRIER();

	float here = near[ty + 1][tx + 1];
	float dn = near[ty][tx + 1] - here, ds = near[ty + 2][tx + 1] - here;
	float dw = near[ty + 1][tx] - here, de = near[ty + 1][tx + 2] - here;
	float square = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), curve = (dn + ds + dw + de) / here;
	float spread = 0.5f * square - 0.0625f * curve * curve, slope = 1 + 0.25f * curve;
	float relative = spread / (slope * slope), c = 1 / (1 + (relative - noise) / (noise * (1 + noise)));

	diffusion[i] = CLAMP(c, 0.0f, 1.0f);
}

__kernel void srad_step(__global const float *picture, __global const float *diffusion, __global float *next, int width, int height,
                        float step)
{
	__local float near[TY + 1][TX + 1], c[TY + 1][TX + 1];
	int tx = THREAD_X, ty = THREAD_Y, x = BLOCK_X * TX + tx, y = BLOCK_Y * TY + ty, i = y * width + x;
	int west = y * width + MAX(x - 1, 0), east = y * width + MIN(x + 1, width - 1);
	int north = MAX(y - 1, 0) * width + x, south = MIN(y + 1, height - 1) * width + x;

	near[ty][tx] = picture[i];
	c[ty][tx] = diffusion[i];
	if (ty == TY - 1) {
		near[TY][tx] = picture[south];
		c[TY][tx] = diffusion[south];
	}
	if (tx == TX - 1) {
		near[ty][TX] = picture[east];
		c[ty][TX] = diffusion[east];
	}
	BARRIER();

	float here = near[ty][tx], own = c[ty][tx];
	float dw = (tx > 0 ? near[ty][tx - 1] : picture[west]) - here, dn = (ty > 0 ? near[ty - 1][tx] : picture[north]) - here;
	float divergence = own * (dn + dw) + c[ty + 1][tx] * (near[ty + 1][tx] - here) + c[ty][tx + 1] * (near[ty][tx + 1] - here);

	next[i] = here + 0.25f * step * divergence;
}

/* Edges of a grey picture: the gradient of 3 x 3 pixels in integers, its size scaled to a byte and its direction to four; then
 * of each edge the crest alone, where the gradient is large and not less than across the edge on either side. */
#include "examples/gpu.cl.h"

/* Beyond its edge the picture repeats the edge. */
static int pixel(__global const u8 *from, int x, int y, int width, int height)
{
	return from[CLAMP(y, 0, height - 1) * width + CLAMP(x, 0, width - 1)];
}

__kernel void sobel(__global const u8 *from, __global u8 *size, __global u8 *direction, int width, int height)
{
	int x = GLOBAL_X, y = GLOBAL_Y;

	if (x >= width || y >= height)
		return;

	int nw = pixel(from, x - 1, y - 1, width, height), n = pixel(from, x, y - 1, width, height);
	int ne = pixel(from, x + 1, y - 1, width, height), w = pixel(from, x - 1, y, width, height);
	int e = pixel(from, x + 1, y, width, height), sw = pixel(from, x - 1, y + 1, width, height);
	int s = pixel(from, x, y + 1, width, height), se = pixel(from, x + 1, y + 1, width, height);
	int gx = ne + 2 * e + se - nw - 2 * w - sw, gy = sw + 2 * s + se - nw - 2 * n - ne;
	int ax = ABS(gx), ay = ABS(gy);
	u32 which;

	if (5 * ay < 2 * ax)                            /* less than 22 degrees from the x axis */
		which = 0;
	else if (5 * ax < 2 * ay)
		which = 2;
	else
		which = (gx < 0) == (gy < 0) ? 1 : 3;
	size[y * width + x] = (ax + ay) >> 3;
	direction[y * width + x] = which;
}

__kernel void sobel_thin(__global const u8 *size, __global const u8 *direction, __global u8 *edge, int width, int height,
                         int least)
{
	int x = GLOBAL_X, y = GLOBAL_Y, i = y * width + x;

	if (x >= width || y >= height)
		return;

	int here = size[i];
	bool crest = false;

	if (here >= least && x > 0 && x < width - 1 && y > 0 && y < height - 1) {
		u32 which = direction[i];
		int aside = which == 0 ? 1 : which == 1 ? width + 1 : which == 2 ? width : width - 1;

		crest = here > size[i - aside] && here >= size[i + aside];
	}
	edge[i] = crest ? 255 : 0;
}

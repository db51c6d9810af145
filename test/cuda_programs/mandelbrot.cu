// mandelbrot: blocks that take pieces of work from a counter until none is left, doubles that equal the host's to the bit, a picture written.
// build: -fmad=false
// run: 96 64 mandelbrot.pgm
// run: 33 20 small.pgm 300
// timed: 48 32 small.pgm 40
// mutant: s/out\[y \* width + x\] = uint16_t(iterations(left + x/out[y * width + x] = uint16_t(iterations(left - x/
#include "program.h"
#include <vector>

__device__ unsigned next_piece;

__host__ __device__ int iterations(double a, double b, int most)
{
	double x = 0, y = 0;
	int n = 0;
	for (double xx = 0, yy = 0; n < most && xx + yy <= 4; n++) {
		y = 2 * x * y + b;
		x = xx - yy + a;
		xx = x * x;
		yy = y * y;
	}
	return n;
}

__global__ void mandelbrot(uint16_t *out, int width, int height, double left, double top, double step, int most)
{
	__shared__ unsigned piece;
	const unsigned pieces_across = (width + blockDim.x - 1) / blockDim.x, pieces = pieces_across * ((height + blockDim.y - 1) / blockDim.y);
	for (;;) {
		if (threadIdx.x == 0 && threadIdx.y == 0)
			piece = atomicAdd(&next_piece, 1);
		__syncthreads();
		const unsigned mine = piece;
		__syncthreads();
		if (mine >= pieces)
			break;
		const int x = mine % pieces_across * blockDim.x + threadIdx.x, y = mine / pieces_across * blockDim.y + threadIdx.y;
		if (x < width && y < height)
			out[y * width + x] = uint16_t(iterations(left + x * step, top + y * step, most));
	}
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: mandelbrot WIDTH HEIGHT FILE.pgm [ITERATIONS]\n");
		return 2;
	}
	const int width = atoi(argv[1]), height = atoi(argv[2]), most = argc > 4 ? atoi(argv[4]) : 100;
	const double step = 3.0 / width, left = -2.2, top = -0.5 * step * height + 0.01;
	std::vector<uint16_t> got(width * height), want(width * height);
	uint16_t *out;
	CHECK(cudaMalloc(&out, got.size() * sizeof *out));
	unsigned *counter;
	CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&counter), next_piece));
	CHECK(cudaMemset(counter, 0, sizeof *counter));
	Timer timer;
	mandelbrot<<<5, dim3(16, 4)>>>(out, width, height, left, top, step, most);
	CHECK(cudaGetLastError());
	printf("%d x %d, %d iterations at most: %.3f ms\n", width, height, most, timer.ms());
	CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost));
	timed_on_host([&] {
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++)
				want[y * width + x] = uint16_t(iterations(left + x * step, top + y * step, most));
	});
	FILE *f = fopen(argv[3], "wb");
	if (!f)
		return perror(argv[3]), 2;
	fprintf(f, "P5\n%d %d\n255\n", width, height);
	for (uint16_t n : got)
		fputc(n >= most ? 0 : 255 - n * 255 / most, f);
	fclose(f);
	CHECK(cudaFree(out));
	return verdict("mandelbrot", same("pixel", got.data(), want.data(), got.size()));
}

// matmul: product of matrices by tiles in shared memory, the tile's side a template parameter; a kernel that runs several times.
// build: -lineinfo
// run:
// run: -wA=96 -hA=64 -wB=160 -block=32
// run: -wA=32 -hA=32 -wB=32 -block=8 -repeat=5
// timed: -wA=64 -hA=64 -wB=64 -repeat=1
// mutant: s/bs\[k\]\[tx\]/bs[tx][k]/
#include "program.h"
#include <vector>

template <int SIDE> __global__ void matmul(float *c, const float *a, const float *b, int width_a, int width_b)
{
	__shared__ float as[SIDE][SIDE], bs[SIDE][SIDE];
	const int tx = threadIdx.x, ty = threadIdx.y;
	const int row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
	float sum = 0;

	for (int tile = 0; tile < width_a; tile += SIDE) {
		as[ty][tx] = a[row * width_a + tile + tx];
		bs[ty][tx] = b[(tile + ty) * width_b + column];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < SIDE; k++)
			sum += as[ty][k] * bs[k][tx];
		__syncthreads();
	}
	c[row * width_b + column] = sum;
}

template <int SIDE> static void launch(float *c, const float *a, const float *b, int width_a, int height_a, int width_b)
{
	matmul<SIDE><<<dim3(width_b / SIDE, height_a / SIDE), dim3(SIDE, SIDE)>>>(c, a, b, width_a, width_b);
}

int main(int argc, char **argv)
{
	const int wa = option(argc, argv, "wA", 128), ha = option(argc, argv, "hA", 96), wb = option(argc, argv, "wB", 64);
	const int side = option(argc, argv, "block", 16), repeat = option(argc, argv, "repeat", 2);
	if (wa % side || ha % side || wb % side) {
		fprintf(stderr, "matmul: sides must be multiples of %d\n", side);
		return 2;
	}
	std::vector<float> a(wa * ha), b(wb * wa), c(wb * ha), want(wb * ha);
	Random random(2);
	for (float &x : a)
		x = random.between(-1, 1);
	for (float &x : b)
		x = random.between(-1, 1);
	timed_on_host([&] {
		for (int y = 0; y < ha; y++)
			for (int x = 0; x < wb; x++) {
				double sum = 0;
				for (int k = 0; k < wa; k++)
					sum += double(a[y * wa + k]) * b[k * wb + x];
				want[y * wb + x] = float(sum);
			}
	});
	float *da, *db, *dc;
	CHECK(cudaMalloc(&da, a.size() * sizeof *da));
	CHECK(cudaMalloc(&db, b.size() * sizeof *db));
	CHECK(cudaMalloc(&dc, c.size() * sizeof *dc));
	CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof *da, cudaMemcpyDefault));
	CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof *db, cudaMemcpyDefault));
	Timer timer;
	for (int i = 0; i < repeat; i++) {
		switch (side) {
		case 8: launch<8>(dc, da, db, wa, ha, wb); break;
		case 16: launch<16>(dc, da, db, wa, ha, wb); break;
		case 32: launch<32>(dc, da, db, wa, ha, wb); break;
		default: fprintf(stderr, "matmul: -block=8, 16 or 32\n"); return 2;
		}
		CHECK(cudaPeekAtLastError());
	}
	const float ms = timer.ms() / repeat;
	CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof *dc, cudaMemcpyDefault));
	printf("A(%d,%d) B(%d,%d): %.3f ms, %.2f GFlop/s\n", wa, ha, wb, wa, ms, 2e-6 * wa * ha * wb / ms);
	for (float *p : {da, db, dc})
		CHECK(cudaFree(p));
	return verdict("matmul", same("c", c.data(), want.data(), c.size(), 1e-5, 1e-5));
}

// classes: objects of several classes that one kernel makes, others call and one deletes, by tables of virtual functions in the module's data; tables of functions in global and constant memory.
// run:
// run: -n=1000
// timed: -n=64
// mutant: s/a > b ? a : b/a < b ? a : b/
#include "program.h"
#include <vector>

__device__ int deleted[3];

class Shape
{
public:
	__device__ virtual ~Shape() { atomicAdd(&deleted[0], 1); }
	__device__ virtual int area() const = 0;
	__device__ virtual int sides() const { return 4; }
};

class Box : public Shape
{
protected:
	const int w, h;

public:
	__device__ Box(int w, int h) : w(w), h(h) {}
	__device__ ~Box() override { atomicAdd(&deleted[1], 1); }
	__device__ int area() const override { return w * h; }
};

class Triangle : public Box
{
public:
	__device__ Triangle(int w, int h) : Box(w, h) {}
	__device__ ~Triangle() override { atomicAdd(&deleted[2], 1); }
	__device__ int area() const override { return w * h / 2; }
	__device__ int sides() const override { return 3; }
};

using Join = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int most(int a, int b) { return a > b ? a : b; }
__device__ int both(int a, int b) { return a ^ b; }
__device__ Join joins[] = {plus, most, both};
__constant__ Join fixed[] = {both, plus, most};

__global__ void make(Shape **s, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		s[i] = i % 3 ? static_cast<Shape *>(new Box(i, i % 7)) : new Triangle(i, 5);
}

__global__ void ask(Shape *const *s, int n, int2 *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = make_int2(s[i]->area(), s[i]->sides());
}

__global__ void join(const int2 *in, int n, int2 *out)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = make_int2(joins[i % 3](in[i].x, in[i].y), fixed[i / 2 % 3](in[i].x, in[i].y));
}

__global__ void drop(Shape **s, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		delete s[i];
}

static int joined(int how, int a, int b)
{
	switch (how) {
	case 0:
		return a + b;
	case 1:
		return a >= b ? a : b;
	default:
		return a ^ b;
	}
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 300), blocks = (n + 63) / 64;
	Shape **shape;
	int2 *answer, *result;
	CHECK(cudaMalloc(&shape, n * sizeof *shape));
	CHECK(cudaMalloc(&answer, n * sizeof *answer));
	CHECK(cudaMalloc(&result, n * sizeof *result));
	make<<<blocks, 64>>>(shape, n);
	ask<<<blocks, 64>>>(shape, n, answer);
	join<<<blocks, 64>>>(answer, n, result);
	drop<<<blocks, 64>>>(shape, n);
	std::vector<int2> got(n), how(n);
	CHECK(cudaMemcpy(got.data(), answer, n * sizeof *answer, cudaMemcpyDefault));
	CHECK(cudaMemcpy(how.data(), result, n * sizeof *result, cudaMemcpyDefault));
	int triangles = 0, gone[3];
	long long area = 0;
	for (int i = 0; i < n; i++) {
		const int a = i % 3 ? i * (i % 7) : i * 5 / 2, sides = i % 3 ? 4 : 3;
		triangles += i % 3 == 0;
		area += got[i].x;
		EXPECT(got[i].x == a && got[i].y == sides);
		EXPECT(how[i].x == joined(i % 3, a, sides) && how[i].y == joined((i / 2 + 2) % 3, a, sides));
	}
	CHECK(cudaMemcpyFromSymbol(gone, deleted, sizeof gone));
	EXPECT(gone[0] == n && gone[1] == n && gone[2] == triangles);
	printf("%d shapes, %d triangles, area %lld\n", n, triangles, area);
	CHECK(cudaFree(shape));
	CHECK(cudaFree(answer));
	CHECK(cudaFree(result));
	return verdict("classes", true);
}

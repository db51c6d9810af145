// polymorphism: objects with virtual functions made on the device, a table of function pointers fetched by the host, recursion on a stack that is set.
// build: -Xcudafe --diag_suppress=2886
// run:
// run: -shapes=200
// timed: -shapes=32
// mutant: s/return w \* h; }/return w + h; }/
#include "program.h"
#include <vector>

class Shape {
protected:
	float w;
public:
	__device__ explicit Shape(float w) : w(w) {}
	__device__ virtual ~Shape() {}
	__device__ virtual float area() const = 0;
	__device__ virtual int corners() const { return 0; }
};

class Circle : public Shape {
public:
	using Shape::Shape;
	__device__ float area() const override { return 3.0f * w * w; }                // as near as it needs to be
};

class Box : public Shape {
	float h;
public:
	__device__ Box(float w, float h) : Shape(w), h(h) {}
	__device__ float area() const override { return w * h; }
	__device__ int corners() const override { return 4; }
};

class Frame final : public Box {
	float hole;
public:
	__device__ Frame(float w, float h, float hole) : Box(w, h), hole(hole) {}
	__device__ float area() const override { return Box::area() - hole; }
	__device__ int corners() const override { return 2 * Box::corners(); }
};

__global__ void make(Shape **shape, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	switch (i % 3) {
	case 0: shape[i] = new Circle(i); break;
	case 1: shape[i] = new Box(i, 2); break;
	default: shape[i] = new Frame(i, 3, 1); break;
	}
}

__global__ void measure(Shape *const *shape, float *area, int *corners, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		area[i] = shape[i]->area();
		atomicAdd(corners, shape[i]->corners());
	}
}

__global__ void destroy(Shape **shape, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		delete shape[i];
}

typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ int minus(int a, int b) { return a - b; }
__device__ Operation operation[3] = {plus, times, minus};

__global__ void apply(Operation f, int *x, int b, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = f(x[i], b);
}

__global__ void apply_own(int *x, const int *which, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = operation[which[i]](x[i], i);
}

__device__ unsigned long long ackermann(unsigned m, unsigned long long n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int partition(int *a, int n)
{
	const int pivot = a[(n - 1) / 2];
	int i = -1, j = n;
	for (;;) {
		while (a[++i] < pivot)
			;
		while (a[--j] > pivot)
			;
		if (i >= j)
			return j;
		const int t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
}

__device__ void quicksort(int *a, int n)
{
	if (n > 1) {
		const int left = partition(a, n) + 1;
		quicksort(a, left);
		quicksort(a + left, n - left);
	}
}

__global__ void recurse(int *x, int each, unsigned long long *out)
{
	quicksort(x + threadIdx.x * each, each);
	out[threadIdx.x] = ackermann(2, threadIdx.x);
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "shapes", 100), grid = (n + 31) / 32;
	Shape **shape;
	float *area;
	int *x, *corners, *which;
	CHECK(cudaMalloc(&shape, n * sizeof *shape));
	CHECK(cudaMallocManaged(&area, n * sizeof *area));
	CHECK(cudaMallocManaged(&corners, sizeof *corners));
	CHECK(cudaMallocManaged(&x, n * sizeof *x));
	CHECK(cudaMallocManaged(&which, n * sizeof *which));
	*corners = 0;
	make<<<grid, 32>>>(shape, n);
	measure<<<grid, 32>>>(shape, area, corners, n);
	destroy<<<grid, 32>>>(shape, n);
	CHECK(cudaDeviceSynchronize());
	int count = 0;
	for (int i = 0; i < n; i++) {
		EXPECT(area[i] == (i % 3 == 0 ? 3.0f * i * i : i % 3 == 1 ? 2.0f * i : 3.0f * i - 1));
		count += i % 3 == 0 ? 0 : i % 3 == 1 ? 4 : 8;
	}
	EXPECT(*corners == count);

	Operation table[3];
	CHECK(cudaMemcpyFromSymbol(table, operation, sizeof table));
	for (int i = 0; i < n; i++) {
		x[i] = i;
		which[i] = i * i % 3;
	}
	apply<<<grid, 32>>>(table[1], x, 3, n);
	apply<<<grid, 32>>>(table[2], x, 5, n);
	apply_own<<<grid, 32>>>(x, which, n);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		const int y = 3 * i - 5;
		EXPECT(x[i] == (which[i] == 0 ? y + i : which[i] == 1 ? y * i : y - i));
	}

	size_t stack, more;
	CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
	CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
	CHECK(cudaDeviceGetLimit(&more, cudaLimitStackSize));
	EXPECT(stack > 0 && more >= 16384);
	const int each = n / 16;
	unsigned long long *value;
	CHECK(cudaMallocManaged(&value, 16 * sizeof *value));
	Random random(11);
	std::vector<long long> sum(16);
	for (int i = 0; i < 16 * each; i++)
		sum[i / each] += x[i] = int(random.below(1000)) - 500;
	recurse<<<1, 16>>>(x, each, value);
	CHECK(cudaDeviceSynchronize());
	for (int t = 0; t < 16; t++) {
		EXPECT(value[t] == 2ull * t + 3);
		for (int i = t * each; i < (t + 1) * each; i++) {
			EXPECT(i == t * each || x[i - 1] <= x[i]);
			sum[t] -= x[i];
		}
		EXPECT(sum[t] == 0);
	}
	for (void *p : {static_cast<void *>(shape), static_cast<void *>(area), static_cast<void *>(corners), static_cast<void *>(x), static_cast<void *>(which), static_cast<void *>(value)})
		CHECK(cudaFree(p));
	printf("%d shapes with %d corners\n", n, count);
	return verdict("polymorphism", true);
}

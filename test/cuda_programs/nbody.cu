// nbody: bodies that attract each other, tiles of positions in shared memory, several steps from buffer to buffer, compared with double precision on the host.
// run:
// run: -bodies=384 -steps=4 -block=128
// timed: -bodies=128 -steps=1
// mutant: s/a.y += s \* d.y/a.y += s * d.x/
#include "program.h"
#include <vector>

__device__ float3 attract(float4 me, float4 other, float3 a, float softening)
{
	const float3 d = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
	const float r = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + softening), s = other.w * r * r * r;
	a.x += s * d.x;
	a.y += s * d.y;
	a.z += s * d.z;
	return a;
}

__global__ void __launch_bounds__(256) step(float4 *to, const float4 *from, float4 *velocity, int n, float dt, float softening)
{
	extern __shared__ float4 tile[];
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float4 me = i < n ? from[i] : make_float4(0, 0, 0, 0);
	float3 a = {0, 0, 0};

	for (int first = 0; first < n; first += blockDim.x) {
		const int j = first + int(threadIdx.x);
		tile[threadIdx.x] = j < n ? from[j] : make_float4(0, 0, 0, 0);         // no mass, no force
		__syncthreads();
#pragma unroll 4
		for (int k = 0; k < int(blockDim.x); k++)
			a = attract(me, tile[k], a, softening);
		__syncthreads();
	}
	if (i < n) {
		float4 v = velocity[i];
		v.x += a.x * dt;
		v.y += a.y * dt;
		v.z += a.z * dt;
		velocity[i] = v;
		to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
	}
}

template <class T> struct Body { T p[3], v[3], mass; };

template <class T> static void on_host(std::vector<Body<T>> &b, T dt, T softening)
{
	std::vector<Body<T>> next = b;
	for (size_t i = 0; i < b.size(); i++) {
		for (const Body<T> &o : b) {
			T d[3], r = softening;
			for (int c = 0; c < 3; c++)
				r += (d[c] = o.p[c] - b[i].p[c]) * d[c];
			for (int c = 0; c < 3; c++)
				next[i].v[c] += dt * o.mass * d[c] / (r * std::sqrt(r));
		}
		for (int c = 0; c < 3; c++)
			next[i].p[c] += next[i].v[c] * dt;
	}
	b = next;
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "bodies", 500), steps = option(argc, argv, "steps", 3), block = option(argc, argv, "block", 64);
	const float dt = 0.01f, softening = 0.05f;
	std::vector<float4> position(n), velocity(n);
	std::vector<Body<double>> want(n);
	std::vector<Body<float>> single(n);
	Random random(7);
	for (int i = 0; i < n; i++) {
		float *p = &position[i].x, *v = &velocity[i].x;
		for (int c = 0; c < 3; c++) {
			want[i].p[c] = p[c] = random.between(-1, 1);
			want[i].v[c] = v[c] = random.between(-0.1f, 0.1f);
		}
		want[i].mass = p[3] = random.between(0.5f, 1.5f) / n;
		v[3] = 0;
		for (int c = 0; c < 3; c++) {
			single[i].p[c] = p[c];
			single[i].v[c] = v[c];
		}
		single[i].mass = p[3];
	}
	float4 *p[2], *v;
	const size_t bytes = n * sizeof(float4);
	for (float4 **x : {&p[0], &p[1], &v})
		CHECK(cudaMalloc(reinterpret_cast<void **>(x), bytes));
	CHECK(cudaMemcpy(p[0], position.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(v, velocity.data(), bytes, cudaMemcpyHostToDevice));
	Timer timer;
	for (int s = 0; s < steps; s++)
		step<<<(n + block - 1) / block, block, block * sizeof(float4)>>>(p[1 - s % 2], p[s % 2], v, n, dt, softening);
	const float ms = timer.ms();
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(position.data(), p[steps % 2], bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(velocity.data(), v, bytes, cudaMemcpyDeviceToHost));
	bool ok = true;
	for (int s = 0; s < steps; s++)
		on_host(want, double(dt), double(softening));
	timed_on_host([&] {
		for (int s = 0; s < steps; s++)
			on_host(single, dt, softening);
	});
	for (int i = 0; i < n; i++)
		ok &= close_to(single[i].p[0], want[i].p[0], 1e-4, 1e-5);
	for (int i = 0; i < n; i++)
		for (int c = 0; c < 3; c++)
			ok &= close_to((&position[i].x)[c], want[i].p[c], 1e-4, 1e-5) && close_to((&velocity[i].x)[c], want[i].v[c], 1e-3, 1e-4);
	for (void *x : {static_cast<void *>(p[0]), static_cast<void *>(p[1]), static_cast<void *>(v)})
		CHECK(cudaFree(x));
	printf("%d bodies, %d steps: %.3f ms, %.2f billion interactions/s\n", n, steps, ms, 1e-6 * n * n * steps / ms);
	return verdict("nbody", ok);
}

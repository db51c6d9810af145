// mipmap: an image halved level by level through surfaces of a mipmapped array, then seen small, through levels of detail given and by gradients
// run:
// run: -side=32 -seed=5
// timed: -side=32
// mutant: s/read(x \* 2 + 1, y \* 2 + 1)/read(x * 2, y * 2 + 1)/
#include "program.h"
#include <vector>

// A level from the one above it: the mean of four texels.
__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int side)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= side || y >= side)
		return;
	const auto read = [=](int i, int j) { return surf2Dread<float>(from, i * 4, j); };
	surf2Dwrite((read(x * 2, y * 2) + read(x * 2 + 1, y * 2) + read(x * 2, y * 2 + 1) + read(x * 2 + 1, y * 2 + 1)) / 4, to, x * 4, y);
}

// The middle of every pixel of a picture `side` wide, at a level of detail, or at that which its distance to the next asks for.
__global__ void shrink(cudaTextureObject_t t, float *out, int side, float lod, bool by_gradients)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= side || y >= side)
		return;
	const float u = (x + 0.5f) / side, v = (y + 0.5f) / side;
	out[y * side + x] = by_gradients ? tex2DGrad<float>(t, u, v, make_float2(1.0f / side, 0), make_float2(0, 1.0f / side)) : tex2DLod<float>(t, u, v, lod);
}

static cudaSurfaceObject_t surface_of(cudaArray_t a)
{
	cudaResourceDesc r = {};
	cudaSurfaceObject_t s;
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	CHECK(cudaCreateSurfaceObject(&s, &r));
	return s;
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t m, bool between, unsigned first, unsigned last, int side)
{
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaResourceViewDesc v = {};
	cudaTextureObject_t t;
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
	d.filterMode = cudaFilterModePoint;
	d.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
	d.readMode = cudaReadModeElementType;
	d.normalizedCoords = 1;
	d.maxMipmapLevelClamp = 99;
	v.format = cudaResViewFormatFloat1;
	v.width = v.height = side;
	v.firstMipmapLevel = first;
	v.lastMipmapLevel = last;
	CHECK(cudaCreateTextureObject(&t, &r, &d, &v));
	return t;
}

int main(int argc, char **argv)
{
	const int side = option(argc, argv, "side", 64);
	const dim3 block(8, 8);
	Random random(option(argc, argv, "seed", 1));
	std::vector<std::vector<float>> level(1, std::vector<float>(side * side));
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMipmappedArray_t m;
	cudaArray_t a, b;
	float *out;
	bool ok = true;

	for (float &x : level[0])
		x = float(random.below(4096));
	for (int n = side / 2; n >= 1; n /= 2) {
		std::vector<float> next(n * n);
		const std::vector<float> &now = level.back();
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				next[y * n + x] = (now[y * 2 * n * 2 + x * 2] + now[y * 2 * n * 2 + x * 2 + 1] + now[(y * 2 + 1) * n * 2 + x * 2] + now[(y * 2 + 1) * n * 2 + x * 2 + 1]) / 4;
		level.push_back(next);
	}
	const unsigned levels = unsigned(level.size());
	CHECK(cudaMallocMipmappedArray(&m, &format, make_cudaExtent(side, side, 0), levels, cudaArraySurfaceLoadStore));
	CHECK(cudaMalloc(&out, side * side * sizeof *out));
	CHECK(cudaGetMipmappedArrayLevel(&a, m, 0));
	CHECK(cudaMemcpy2DToArray(a, 0, 0, level[0].data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
	for (unsigned l = 1; l < levels; l++, a = b) {
		const int n = side >> l;
		CHECK(cudaGetMipmappedArrayLevel(&b, m, l));
		const cudaSurfaceObject_t from = surface_of(a), to = surface_of(b);
		halve<<<dim3((n + 7) / 8, (n + 7) / 8), block>>>(from, to, n);
		CHECK(cudaDestroySurfaceObject(from));
		CHECK(cudaDestroySurfaceObject(to));
		std::vector<float> got(n * n);
		CHECK(cudaMemcpy2DFromArray(got.data(), n * 4, b, 0, 0, n * 4, n, cudaMemcpyDeviceToHost));
		ok = same("level", got.data(), level[l].data(), n * n) && ok;
	}
	EXPECT(cudaGetMipmappedArrayLevel(&b, m, levels) == cudaErrorInvalidValue);
	for (int by_gradients = 0; by_gradients < 2; by_gradients++) {
		const cudaTextureObject_t t = texture_of(m, true, 0, levels - 1, side), part = texture_of(m, false, 1, 2, side);
		for (unsigned l = 0; l < levels; l++) {
			const int n = side >> l;
			std::vector<float> got(n * n);
			shrink<<<dim3((n + 7) / 8, (n + 7) / 8), block>>>(t, out, n, float(l), by_gradients);
			CHECK(cudaMemcpy(got.data(), out, n * n * 4, cudaMemcpyDeviceToHost));
			ok = same(by_gradients ? "by gradients" : "by level", got.data(), level[l].data(), n * n) && ok;
		}
		const int n = side / 4;                 // of the part the second level is its last
		std::vector<float> got(n * n), want(n * n);
		shrink<<<dim3((n + 7) / 8, (n + 7) / 8), block>>>(part, out, n, 5, false);
		CHECK(cudaMemcpy(got.data(), out, n * n * 4, cudaMemcpyDeviceToHost));
		ok = same("of a part", got.data(), level[2].data(), n * n) && ok;
		shrink<<<dim3((n + 7) / 8, (n + 7) / 8), block>>>(t, out, n, 1.75f, false);     // between two
		CHECK(cudaMemcpy(got.data(), out, n * n * 4, cudaMemcpyDeviceToHost));
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				want[y * n + x] = 0.25f * level[1][(y * 2 + 1) * n * 2 + x * 2 + 1] + 0.75f * level[2][y * n + x];
		ok = same("between levels", got.data(), want.data(), n * n, 1e-5) && ok;
		CHECK(cudaDestroyTextureObject(t));
		CHECK(cudaDestroyTextureObject(part));
	}
	CHECK(cudaFreeMipmappedArray(m));
	CHECK(cudaFree(out));
	return verdict("mipmap", ok);
}

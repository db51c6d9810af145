// volume: boxes in three dimensions: pitched memory, arrays, copies of parts, a texture of three dimensions, a layered one, and one over linear memory.
// run:
// run: -x=20 -y=7 -z=5
// timed: -x=16 -y=8 -z=4
// mutant: s/tex3D<float>(volume, x + 0.5f/tex3D<float>(volume, x + 1.5f/
#include "program.h"
#include <vector>

__global__ void smooth(cudaPitchedPtr to, cudaPitchedPtr from, cudaExtent n)     // n.width in elements
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
	if (x >= int(n.width) || y >= int(n.height))
		return;
	const auto at = [&](int i, int j, int k) -> int {
		i = min(max(i, 0), int(n.width) - 1);
		j = min(max(j, 0), int(n.height) - 1);
		k = min(max(k, 0), int(n.depth) - 1);
		return reinterpret_cast<const int *>(static_cast<const char *>(from.ptr) + (k * from.ysize + j) * from.pitch)[i];
	};
	int *row = reinterpret_cast<int *>(static_cast<char *>(to.ptr) + (z * to.ysize + y) * to.pitch);
	row[x] = 2 * at(x, y, z) + at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);
}

__global__ void sample(float *out, cudaTextureObject_t volume, cudaTextureObject_t layers, cudaTextureObject_t linear, int nx, int ny, int nz)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, i = (z * ny + y) * nx + x;
	if (x >= nx)
		return;
	const uchar4 c = tex1Dfetch<uchar4>(linear, i % 256);
	out[i] = tex3D<float>(volume, x + 0.5f, y + 0.5f, z + 0.5f) + 1000 * tex2DLayered<float>(layers, x + 0.5f, y + 0.5f, z % 3) + 0.25f * (c.x + c.y + c.z + c.w);
}

int main(int argc, char **argv)
{
	const int nx = option(argc, argv, "x", 37), ny = option(argc, argv, "y", 19), nz = option(argc, argv, "z", 8), n = nx * ny * nz;
	std::vector<int> in(n), want(n), got(n, -1);
	Random random(9);
	for (int &x : in)
		x = int(random.below(1000));
	const auto at = [&](int x, int y, int z) {
		x = x < 0 ? 0 : x >= nx ? nx - 1 : x;
		y = y < 0 ? 0 : y >= ny ? ny - 1 : y;
		z = z < 0 ? 0 : z >= nz ? nz - 1 : z;
		return in[(z * ny + y) * nx + x];
	};
	for (int z = 0; z < nz; z++)
		for (int y = 0; y < ny; y++)
			for (int x = 0; x < nx; x++)
				want[(z * ny + y) * nx + x] = 2 * at(x, y, z) + at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1);

	const cudaExtent box = make_cudaExtent(nx * sizeof(int), ny, nz);
	cudaPitchedPtr from, to;
	CHECK(cudaMalloc3D(&from, box));
	CHECK(cudaMalloc3D(&to, box));
	EXPECT(from.pitch >= nx * sizeof(int) && from.pitch % 32 == 0 && from.xsize == nx * sizeof(int) && from.ysize == size_t(ny));
	CHECK(cudaMemset3D(to, 0x7f, box));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(in.data(), nx * sizeof(int), nx, ny);
	copy.dstPtr = from;
	copy.extent = box;
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	smooth<<<dim3((nx + 15) / 16, (ny + 3) / 4, nz), dim3(16, 4)>>>(to, from, make_cudaExtent(nx, ny, nz));
	CHECK(cudaGetLastError());
	copy.srcPtr = to;
	copy.dstPtr = make_cudaPitchedPtr(got.data(), nx * sizeof(int), nx, ny);
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	bool ok = same("smooth", got.data(), want.data(), n);

	// A part of it, by rows, to a corner; the rest keeps what it had.
	std::vector<int> corner(n, -5), expected(n, -5);
	const int cx = nx / 2, cy = ny / 2;
	CHECK(cudaMemcpy2D(corner.data(), nx * sizeof(int), static_cast<char *>(to.ptr) + to.pitch + 2 * sizeof(int), to.pitch, cx * sizeof(int), cy, cudaMemcpyDeviceToHost));
	for (int y = 0; y < cy; y++)
		for (int x = 0; x < cx; x++)
			expected[y * nx + x] = want[(y + 1) * nx + x + 2];
	ok &= same("corner", corner.data(), expected.data(), n);

	// Textures: floats in an array of three dimensions, three layers, bytes in linear memory.
	std::vector<float> values(n), layer(3 * nx * ny), sampled(n), wanted(n);
	std::vector<uchar4> bytes(256);
	for (int i = 0; i < n; i++)
		values[i] = float(in[i]);
	for (int i = 0; i < 3 * nx * ny; i++)
		layer[i] = float(i % 97);
	for (int i = 0; i < 256; i++)
		bytes[i] = make_uchar4(i, 255 - i, i / 2, 7);
	const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
	cudaArray_t volume, layered;
	CHECK(cudaMalloc3DArray(&volume, &one, make_cudaExtent(nx, ny, nz)));
	CHECK(cudaMalloc3DArray(&layered, &one, make_cudaExtent(nx, ny, 3), cudaArrayLayered));
	cudaMemcpy3DParms fill = {};
	fill.srcPtr = make_cudaPitchedPtr(values.data(), nx * sizeof(float), nx, ny);
	fill.dstArray = volume;
	fill.extent = make_cudaExtent(nx, ny, nz);
	fill.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&fill));
	fill.srcPtr = make_cudaPitchedPtr(layer.data(), nx * sizeof(float), nx, ny);
	fill.dstArray = layered;
	fill.extent.depth = 3;
	CHECK(cudaMemcpy3D(&fill));
	uchar4 *linear;
	CHECK(cudaMalloc(&linear, 256 * sizeof *linear));
	CHECK(cudaMemcpy(linear, bytes.data(), 256 * sizeof *linear, cudaMemcpyHostToDevice));

	cudaTextureObject_t texture[3];
	cudaTextureDesc sampling = {};
	for (cudaTextureAddressMode &m : sampling.addressMode)
		m = cudaAddressModeClamp;
	sampling.filterMode = cudaFilterModePoint;
	sampling.readMode = cudaReadModeElementType;
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = volume;
	CHECK(cudaCreateTextureObject(&texture[0], &resource, &sampling, nullptr));
	resource.res.array.array = layered;
	CHECK(cudaCreateTextureObject(&texture[1], &resource, &sampling, nullptr));
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = linear;
	resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
	resource.res.linear.sizeInBytes = 256 * sizeof *linear;
	CHECK(cudaCreateTextureObject(&texture[2], &resource, &sampling, nullptr));
	float *out;
	CHECK(cudaMalloc(&out, n * sizeof *out));
	sample<<<dim3((nx + 31) / 32, ny, nz), 32>>>(out, texture[0], texture[1], texture[2], nx, ny, nz);
	CHECK(cudaMemcpy(sampled.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
	for (int z = 0, i = 0; z < nz; z++)
		for (int y = 0; y < ny; y++)
			for (int x = 0; x < nx; x++, i++) {
				const uchar4 c = bytes[i % 256];
				wanted[i] = values[i] + 1000 * layer[((z % 3) * ny + y) * nx + x] + 0.25f * (c.x + c.y + c.z + c.w);
			}
	ok &= same("sample", sampled.data(), wanted.data(), n);

	for (cudaTextureObject_t t : texture)
		CHECK(cudaDestroyTextureObject(t));
	CHECK(cudaFreeArray(volume));
	CHECK(cudaFreeArray(layered));
	for (void *p : {from.ptr, to.ptr, static_cast<void *>(linear), static_cast<void *>(out)})
		CHECK(cudaFree(p));
	printf("%d x %d x %d, rows of %zu bytes\n", nx, ny, nz, from.pitch);
	return verdict("volume", ok);
}

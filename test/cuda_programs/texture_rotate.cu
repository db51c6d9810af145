// texture_rotate: an image in an array, turned through a texture object: normalised coordinates, linear filter, wrap; the result by a surface, too.
// run:
// run: -width=40 -height=72 -angle=200
// timed: -width=32 -height=32
// mutant: s/(texture, u \* cosine - v/(texture, u * cosine + v/
#include "program.h"
#include <vector>

__global__ void rotate(float *out, cudaSurfaceObject_t surface, cudaTextureObject_t texture, int width, int height, float sine, float cosine)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
	const float got = tex2D<float>(texture, u * cosine - v * sine + 0.5f, v * cosine + u * sine + 0.5f);
	out[y * width + x] = got;
	surf2Dwrite(got, surface, x * int(sizeof got), y);
}

static float texel(const std::vector<float> &image, int width, int height, int x, int y)
{
	x = ((x % width) + width) % width;
	y = ((y % height) + height) % height;
	return image[y * width + x];
}

int main(int argc, char **argv)
{
	const int width = option(argc, argv, "width", 96), height = option(argc, argv, "height", 64), angle = option(argc, argv, "angle", 30);
	const float sine = std::sin(angle * 3.14159265f / 180), cosine = std::cos(angle * 3.14159265f / 180);
	std::vector<float> image(width * height), got(width * height), by_surface(width * height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			image[y * width + x] = 0.5f + 0.5f * std::sin(0.3f * x) * std::cos(0.2f * y);
	cudaArray_t array, target;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	CHECK(cudaMallocArray(&array, &format, width, height));
	CHECK(cudaMallocArray(&target, &format, width, height, cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice));
	cudaExtent extent;
	unsigned flags;
	cudaChannelFormatDesc described;
	CHECK(cudaArrayGetInfo(&described, &extent, &flags, target));
	EXPECT(int(extent.width) == width && int(extent.height) == height && flags == cudaArraySurfaceLoadStore && described.x == 32 && described.y == 0 && described.f == cudaChannelFormatKindFloat);

	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureDesc sampling = {};
	sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeWrap;
	sampling.filterMode = cudaFilterModeLinear;
	sampling.readMode = cudaReadModeElementType;
	sampling.normalizedCoords = 1;
	cudaTextureObject_t texture;
	CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
	cudaTextureDesc read_back;
	CHECK(cudaGetTextureObjectTextureDesc(&read_back, texture));
	EXPECT(read_back.filterMode == cudaFilterModeLinear && read_back.normalizedCoords == 1);
	cudaSurfaceObject_t surface;
	resource.res.array.array = target;
	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	float *out;
	CHECK(cudaMalloc(&out, width * height * sizeof *out));
	rotate<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(out, surface, texture, width, height, sine, cosine);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got.data(), out, width * height * sizeof *out, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy2DFromArray(by_surface.data(), width * sizeof(float), target, 0, 0, width * sizeof(float), height, cudaMemcpyDeviceToHost));

	bool ok = same("surface", by_surface.data(), got.data(), got.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
			float s = u * cosine - v * sine + 0.5f, t = v * cosine + u * sine + 0.5f;
			s = (s - std::floor(s)) * width - 0.5f;
			t = (t - std::floor(t)) * height - 0.5f;
			const int i = int(std::floor(s)), j = int(std::floor(t));
			const float a = s - i, b = t - j;
			const float want = (1 - a) * (1 - b) * texel(image, width, height, i, j) + a * (1 - b) * texel(image, width, height, i + 1, j) +
				(1 - a) * b * texel(image, width, height, i, j + 1) + a * b * texel(image, width, height, i + 1, j + 1);
			if (!close_to(got[y * width + x], want, 0, 0.01)) {            // weights have 8 bits
				if (ok)
					fprintf(stderr, "(%d, %d): %g, not %g\n", x, y, got[y * width + x], want);
				ok = false;
			}
		}
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFreeArray(target));
	CHECK(cudaFree(out));
	printf("%d x %d by %d degrees\n", width, height, angle);
	return verdict("texture_rotate", ok);
}

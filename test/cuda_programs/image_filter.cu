// image_filter: a picture from a file (PPM), its edges by a texture over pitched memory and a box filter in shared memory, a file out; kernels on pitched rows.
// before: generate 61 45 3 in.ppm
// run: in.ppm out.ppm
// run: -radius=3 in.ppm out3.ppm
// timed: in.ppm out.ppm
// mutant: s/+ p(1, -1) - p(-1, 1)/- p(1, -1) - p(-1, 1)/
#include "program.h"
#include <string>
#include <vector>

constexpr int BLOCK = 16, MOST = 4;

__global__ void gray(const uchar4 *in, size_t in_pitch, uint8_t *out, size_t out_pitch, int width, int height)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height) {
		const uchar4 c = reinterpret_cast<const uchar4 *>(reinterpret_cast<const char *>(in) + y * in_pitch)[x];
		out[y * out_pitch + x] = uint8_t((77 * c.x + 150 * c.y + 29 * c.z) >> 8);
	}
}

__global__ void edges(cudaTextureObject_t texture, uint8_t *out, size_t pitch, int width, int height)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	const auto p = [&](int dx, int dy) { return int(tex2D<uint8_t>(texture, float(x + dx), float(y + dy))); };
	const int h = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
	const int v = p(-1, -1) + 2 * p(0, -1) + p(1, -1) - p(-1, 1) - 2 * p(0, 1) - p(1, 1);
	out[y * pitch + x] = uint8_t(min(255, (abs(h) + abs(v)) / 2));
}

__global__ void box(const uint8_t *in, size_t pitch, uint8_t *out, int width, int height, int radius)
{
	__shared__ uint8_t tile[BLOCK + 2 * MOST][BLOCK + 2 * MOST];
	const int left = blockIdx.x * BLOCK - radius, top = blockIdx.y * BLOCK - radius, side = BLOCK + 2 * radius;

	for (int i = threadIdx.y * BLOCK + threadIdx.x; i < side * side; i += BLOCK * BLOCK) {
		const int x = min(max(left + i % side, 0), width - 1), y = min(max(top + i / side, 0), height - 1);
		tile[i / side][i % side] = in[y * pitch + x];
	}
	__syncthreads();
	const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y, window = 2 * radius + 1;
	if (x >= width || y >= height)
		return;
	int sum = 0;
	for (int j = 0; j < window; j++)
		for (int i = 0; i < window; i++)
			sum += tile[threadIdx.y + j][threadIdx.x + i];
	out[y * pitch + x] = uint8_t(sum / (window * window));
}

struct Picture { int width = 0, height = 0; std::vector<uchar4> pixel; };

static bool read_ppm(Picture &p, const char *path)
{
	FILE *f = fopen(path, "rb");
	int most;
	if (!f || fscanf(f, "P6 %d %d %d", &p.width, &p.height, &most) != 3 || most != 255 || fgetc(f) == EOF)
		return false;
	p.pixel.resize(size_t(p.width) * p.height);
	for (uchar4 &c : p.pixel) {
		uint8_t rgb[3];
		if (fread(rgb, 1, 3, f) != 3)
			return false;
		c = make_uchar4(rgb[0], rgb[1], rgb[2], 255);
	}
	fclose(f);
	return true;
}

static int generate(int width, int height, int seed, const char *path)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return perror(path), 1;
	Random random(seed);
	fprintf(f, "P6\n%d %d\n255\n", width, height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			const bool inside = (x - width / 2) * (x - width / 2) + (y - height / 2) * (y - height / 2) < width * height / 10;
			fputc(inside ? 220 : 30 + int(random.below(20)), f);
			fputc(x * 255 / width, f);
			fputc(y * 255 / height, f);
		}
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "generate"))
		return generate(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argv[5]);
	Picture picture;
	const int radius = option(argc, argv, "radius", 1);
	if (argc < 3 || radius > MOST || !read_ppm(picture, argv[argc - 2])) {
		fprintf(stderr, "usage: image_filter [-radius=N] IN.ppm OUT.pgm, N at most %d\n", MOST);
		return 2;
	}
	const int w = picture.width, h = picture.height;
	uchar4 *color;
	uint8_t *plain, *edge, *out;
	size_t color_pitch, pitch, edge_pitch;
	CHECK(cudaMallocPitch(&color, &color_pitch, w * sizeof *color, h));
	CHECK(cudaMallocPitch(&plain, &pitch, w, h));
	CHECK(cudaMallocPitch(&edge, &edge_pitch, w, h));
	EXPECT(pitch == edge_pitch);
	CHECK(cudaMalloc(&out, pitch * h));
	CHECK(cudaMemcpy2D(color, color_pitch, picture.pixel.data(), w * sizeof *color, w * sizeof *color, h, cudaMemcpyHostToDevice));
	CHECK(cudaMemset2D(edge, edge_pitch, 0xaa, w, h));
	const dim3 block(BLOCK, BLOCK), grid((w + BLOCK - 1) / BLOCK, (h + BLOCK - 1) / BLOCK);
	gray<<<grid, block>>>(color, color_pitch, plain, pitch, w, h);
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = plain;
	resource.res.pitch2D.desc = cudaCreateChannelDesc<uint8_t>();
	resource.res.pitch2D.width = w;
	resource.res.pitch2D.height = h;
	resource.res.pitch2D.pitchInBytes = pitch;
	cudaTextureDesc sampling = {};
	sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
	sampling.readMode = cudaReadModeElementType;
	cudaTextureObject_t texture;
	CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
	edges<<<grid, block>>>(texture, edge, pitch, w, h);
	box<<<grid, block>>>(edge, pitch, out, w, h, radius);
	CHECK(cudaDeviceSynchronize());
	std::vector<uint8_t> got(w * h), want(w * h), g(w * h), e(w * h);
	CHECK(cudaMemcpy2D(got.data(), w, out, pitch, w, h, cudaMemcpyDeviceToHost));

	for (int i = 0; i < w * h; i++)
		g[i] = uint8_t((77 * picture.pixel[i].x + 150 * picture.pixel[i].y + 29 * picture.pixel[i].z) >> 8);
	const auto at = [&](const std::vector<uint8_t> &v, int x, int y) { return int(v[(y < 0 ? 0 : y >= h ? h - 1 : y) * w + (x < 0 ? 0 : x >= w ? w - 1 : x)]); };
	static const int weight[3] = {1, 2, 1};
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			int a = 0, b = 0;
			for (int k = -1; k <= 1; k++) {
				a += weight[k + 1] * (at(g, x + 1, y + k) - at(g, x - 1, y + k));
				b += weight[k + 1] * (at(g, x + k, y - 1) - at(g, x + k, y + 1));
			}
			const int sum = (abs(a) + abs(b)) / 2;
			e[y * w + x] = uint8_t(sum > 255 ? 255 : sum);
		}
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			int sum = 0;
			for (int j = -radius; j <= radius; j++)
				for (int i = -radius; i <= radius; i++)
					sum += at(e, x + i, y + j);
			want[y * w + x] = uint8_t(sum / ((2 * radius + 1) * (2 * radius + 1)));
		}
	const bool ok = same("pixel", got.data(), want.data(), w * h);
	FILE *f = fopen(argv[argc - 1], "wb");
	if (!f)
		return perror(argv[argc - 1]), 2;
	fprintf(f, "P5\n%d %d\n255\n", w, h);
	fwrite(got.data(), 1, got.size(), f);
	fclose(f);
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFree(color));
	for (uint8_t *p : {plain, edge, out})
		CHECK(cudaFree(p));
	printf("%d x %d, rows of %zu and %zu bytes\n", w, h, color_pitch, pitch);
	return verdict("image_filter", ok);
}

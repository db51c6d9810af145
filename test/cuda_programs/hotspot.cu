// hotspot: temperatures of a chip, files of text in and out, several steps a launch in a tile with a rim that shrinks.
// build: -fmad=false
// before: generate 96 21
// run: 96 6 temp_96 power_96 output
// before: generate 32 22
// run: 32 1 temp_32 power_32 output
// timed: 32 2 temp_32 power_32 output
// mutant: s/(old\[ty\]\[e\] + old\[ty\]\[w\]/(old[ty][e] - old[ty][w]/
#include "program.h"
#include <string>
#include <vector>

constexpr int SIDE = 16, STEPS = 2;             // a tile, and steps of one launch: the rim is as wide
constexpr float AMBIENT = 80;

struct Chip { float step_over_capacity, rx, ry, rz; };

__global__ void hotspot(int steps, const float *power, const float *from, float *to, int n, Chip chip)
{
	__shared__ float old[SIDE][SIDE], now[SIDE][SIDE], heat[SIDE][SIDE];
	const int tx = threadIdx.x, ty = threadIdx.y, inner = SIDE - 2 * STEPS;
	const int x = int(blockIdx.x) * inner - STEPS + tx, y = int(blockIdx.y) * inner - STEPS + ty;
	const bool inside = x >= 0 && x < n && y >= 0 && y < n;

	if (inside) {
		old[ty][tx] = from[y * n + x];
		heat[ty][tx] = power[y * n + x];
	}
	__syncthreads();
	const int north = y > 0 ? ty - 1 : ty, south = y < n - 1 ? ty + 1 : ty, w = x > 0 ? tx - 1 : tx, e = x < n - 1 ? tx + 1 : tx;
	bool computed = false;
	for (int s = 0; s < steps; s++) {
		computed = inside && tx > s && tx < SIDE - 1 - s && ty > s && ty < SIDE - 1 - s;
		if (computed)
			now[ty][tx] = old[ty][tx] + chip.step_over_capacity * (heat[ty][tx] + (old[south][tx] + old[north][tx] - 2.0f * old[ty][tx]) * chip.ry +
				(old[ty][e] + old[ty][w] - 2.0f * old[ty][tx]) * chip.rx + (AMBIENT - old[ty][tx]) * chip.rz);
		__syncthreads();
		if (s == steps - 1)
			break;
		if (computed)
			old[ty][tx] = now[ty][tx];
		__syncthreads();
	}
	if (computed && tx >= STEPS && tx < SIDE - STEPS && ty >= STEPS && ty < SIDE - STEPS)
		to[y * n + x] = now[ty][tx];
}

static void on_host(const std::vector<float> &power, std::vector<float> &t, int n, const Chip &chip)
{
	const std::vector<float> old = t;
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			const float c = old[y * n + x], north = old[(y ? y - 1 : y) * n + x], south = old[(y < n - 1 ? y + 1 : y) * n + x];
			const float w = old[y * n + (x ? x - 1 : x)], e = old[y * n + (x < n - 1 ? x + 1 : x)];
			t[y * n + x] = c + chip.step_over_capacity * (power[y * n + x] + (south + north - 2.0f * c) * chip.ry + (e + w - 2.0f * c) * chip.rx + (AMBIENT - c) * chip.rz);
		}
}

static std::vector<float> read_file(const char *path, int n)
{
	FILE *f = fopen(path, "r");
	std::vector<float> v(n * n);
	for (float &x : v)
		if (!f || fscanf(f, "%f", &x) != 1) {
			fprintf(stderr, "hotspot: %s: not %d numbers\n", path, n * n);
			exit(2);
		}
	fclose(f);
	return v;
}

static void write_file(const std::string &path, const std::vector<float> &v)
{
	FILE *f = fopen(path.c_str(), "w");
	for (float x : v)
		fprintf(f, "%.9g\n", x);
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "generate")) {
		const int n = atoi(argv[2]);
		Random random(atoi(argv[3]));
		std::vector<float> t(n * n), p(n * n);
		for (int i = 0; i < n * n; i++) {
			t[i] = random.between(320, 345);
			p[i] = random.unit() < 0.1f ? random.between(0, 0.01f) : 0;
		}
		write_file(std::string("temp_") + argv[2], t);
		write_file(std::string("power_") + argv[2], p);
		return 0;
	}
	if (argc != 6) {
		fprintf(stderr, "usage: hotspot SIDE STEPS TEMPERATURES POWER OUTPUT | hotspot generate SIDE SEED\n");
		return 2;
	}
	const int n = atoi(argv[1]), steps = atoi(argv[2]), inner = SIDE - 2 * STEPS;
	std::vector<float> temperature = read_file(argv[3], n), power = read_file(argv[4], n), got(n * n);
	const float height = 0.016f / n, thick = 0.0005f, conductivity = 100, capacity = 0.5f * 1.75e6f * thick * height * height;
	Chip chip;
	chip.rx = 2.0f * conductivity * thick;
	chip.ry = chip.rx;
	chip.rz = conductivity * height * height / thick;
	chip.step_over_capacity = 0.001f / (3e6f / (0.5f * 1.75e6f * thick)) / capacity;
	float *dp, *dt[2];
	CHECK(cudaMalloc(&dp, n * n * sizeof *dp));
	CHECK(cudaMalloc(&dt[0], n * n * sizeof *dp));
	CHECK(cudaMalloc(&dt[1], n * n * sizeof *dp));
	CHECK(cudaMemcpy(dp, power.data(), n * n * sizeof *dp, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dt[0], temperature.data(), n * n * sizeof *dp, cudaMemcpyHostToDevice));
	int from = 0;
	for (int done = 0; done < steps; done += STEPS, from = 1 - from) {
		const dim3 grid((n + inner - 1) / inner, (n + inner - 1) / inner), block(SIDE, SIDE);
		hotspot<<<grid, block>>>(steps - done < STEPS ? steps - done : STEPS, dp, dt[from], dt[1 - from], n, chip);
	}
	CHECK(cudaMemcpy(got.data(), dt[from], n * n * sizeof *dp, cudaMemcpyDeviceToHost));
	for (int s = 0; s < steps; s++)
		on_host(power, temperature, n, chip);
	write_file(argv[5], got);
	CHECK(cudaFree(dp));
	CHECK(cudaFree(dt[0]));
	CHECK(cudaFree(dt[1]));
	printf("%d x %d, %d steps, in the middle %.4f\n", n, n, steps, got[n * n / 2]);
	return verdict("hotspot", same("temperature", got.data(), temperature.data(), n * n));
}

// kmeans: points to the nearest of k centres until few change, points through a texture over linear memory, centres in constant memory, sums by atomics.
// build: -fmad=false
// before: generate 1500 6 points.txt
// run: -k=5 points.txt
// run: -k=3 -threshold=10 points.txt
// before: generate 200 3 few.txt
// timed: -k=3 few.txt
// mutant: s/tex1Dfetch<float>(points, f \* n + i) - centre/tex1Dfetch<float>(points, f * n + i) + centre/
#include "program.h"
#include <vector>

constexpr int MOST_CENTRES = 32, MOST_FEATURES = 8;
__constant__ float centre[MOST_CENTRES * MOST_FEATURES];

__global__ void assign(cudaTextureObject_t points, int n, int features, int k, int *member, int *changed, long long *sum, int *count)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int index = -1;
	float best = 3e38f;
	for (int c = 0; c < k; c++) {
		float distance = 0;
		for (int f = 0; f < features; f++) {
			const float d = tex1Dfetch<float>(points, f * n + i) - centre[c * features + f];
			distance += d * d;
		}
		if (distance < best) {
			best = distance;
			index = c;
		}
	}
	if (member[i] != index) {
		member[i] = index;
		atomicAdd(changed, 1);
	}
	atomicAdd(&count[index], 1);
	for (int f = 0; f < features; f++)              // fixed point: the order of sums does not matter
		atomicAdd(reinterpret_cast<unsigned long long *>(&sum[index * features + f]), static_cast<unsigned long long>(static_cast<long long>(tex1Dfetch<float>(points, f * n + i) * 65536.0f)));
}

static int generate(int n, int features, const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return perror(path), 1;
	Random random(21);
	fprintf(f, "%d %d\n", n, features);
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < features; k++)
			fprintf(f, "%.4f ", 10 * float((i % 5) * (k + 1) % 4) + random.between(-4, 4));
		fprintf(f, "\n");
	}
	return fclose(f) != 0;
}

struct State { std::vector<float> centre; std::vector<int> member; int rounds; };

static void move(State &s, int features, int k, const long long *sum, const int *count)
{
	for (int c = 0; c < k; c++)
		for (int f = 0; f < features; f++)
			if (count[c])
				s.centre[c * features + f] = float(double(sum[c * features + f]) / 65536 / count[c]);
	s.rounds++;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "generate"))
		return generate(atoi(argv[2]), atoi(argv[3]), argv[4]);
	const int k = option(argc, argv, "k", 4), threshold = option(argc, argv, "threshold", 0);
	FILE *f = argc > 1 ? fopen(argv[argc - 1], "r") : nullptr;
	int n, features;
	if (!f || fscanf(f, "%d %d", &n, &features) != 2 || k > MOST_CENTRES || features > MOST_FEATURES) {
		fprintf(stderr, "usage: kmeans [-k=N] [-threshold=N] POINTS | kmeans generate POINTS FEATURES FILE\n");
		return 2;
	}
	std::vector<float> point(n * features);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < features; j++)
			if (fscanf(f, "%f", &point[j * n + i]) != 1)
				return 2;
	fclose(f);
	State device, host;
	device.rounds = 0;
	device.member.assign(n, -1);
	device.centre.resize(k * features);
	for (int c = 0; c < k; c++)
		for (int j = 0; j < features; j++)
			device.centre[c * features + j] = point[j * n + c * (n / k)];
	host = device;

	float *dpoint;
	int *member, *changed, *count;
	long long *sum;
	CHECK(cudaMalloc(&dpoint, point.size() * sizeof *dpoint));
	CHECK(cudaMalloc(&member, n * sizeof *member));
	CHECK(cudaMalloc(&changed, sizeof *changed));
	CHECK(cudaMalloc(&count, k * sizeof *count));
	CHECK(cudaMalloc(&sum, k * features * sizeof *sum));
	CHECK(cudaMemcpy(dpoint, point.data(), point.size() * sizeof *dpoint, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(member, -1, n * sizeof *member));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = dpoint;
	resource.res.linear.desc = cudaCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = point.size() * sizeof *dpoint;
	cudaTextureDesc sampling = {};
	sampling.readMode = cudaReadModeElementType;
	cudaTextureObject_t points;
	CHECK(cudaCreateTextureObject(&points, &resource, &sampling, nullptr));
	std::vector<long long> sums(k * features);
	std::vector<int> counts(k);
	int moved = n;
	while (moved > threshold && device.rounds < 50) {
		CHECK(cudaMemcpyToSymbol(centre, device.centre.data(), device.centre.size() * sizeof(float)));
		CHECK(cudaMemset(changed, 0, sizeof *changed));
		CHECK(cudaMemset(count, 0, k * sizeof *count));
		CHECK(cudaMemset(sum, 0, k * features * sizeof *sum));
		assign<<<(n + 127) / 128, 128>>>(points, n, features, k, member, changed, sum, count);
		CHECK(cudaMemcpy(&moved, changed, sizeof moved, cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(counts.data(), count, k * sizeof *count, cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(sums.data(), sum, k * features * sizeof *sum, cudaMemcpyDeviceToHost));
		move(device, features, k, sums.data(), counts.data());
	}
	CHECK(cudaMemcpy(device.member.data(), member, n * sizeof *member, cudaMemcpyDeviceToHost));

	moved = n;
	while (moved > threshold && host.rounds < 50) {
		moved = 0;
		counts.assign(k, 0);
		sums.assign(k * features, 0);
		for (int i = 0; i < n; i++) {
			int index = -1;
			float best = 3e38f;
			for (int c = 0; c < k; c++) {
				float distance = 0;
				for (int j = 0; j < features; j++) {
					const float d = point[j * n + i] - host.centre[c * features + j];
					distance += d * d;
				}
				if (distance < best) {
					best = distance;
					index = c;
				}
			}
			moved += host.member[i] != index;
			host.member[i] = index;
			counts[index]++;
			for (int j = 0; j < features; j++)
				sums[index * features + j] += static_cast<long long>(point[j * n + i] * 65536.0f);
		}
		move(host, features, k, sums.data(), counts.data());
	}
	CHECK(cudaDestroyTextureObject(points));
	for (void *p : {static_cast<void *>(dpoint), static_cast<void *>(member), static_cast<void *>(changed), static_cast<void *>(count), static_cast<void *>(sum)})
		CHECK(cudaFree(p));
	printf("%d points of %d features, %d centres, %d rounds\n", n, features, k, device.rounds);
	EXPECT(device.rounds == host.rounds && device.rounds > 1);
	return verdict("kmeans", same("member", device.member.data(), host.member.data(), n) & same("centre", device.centre.data(), host.centre.data(), device.centre.size()));
}

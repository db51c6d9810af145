// sha256sum: SHA-256 of files named on the command line and of many short messages, a thread each; constants in constant memory, rotations by funnel shifts.
// before: generate one.bin 1000 two.bin 0 three.bin 129
// run: one.bin two.bin three.bin
// run: -messages=100
// timed: -messages=32
// mutant: s/rotated(e, 6) ^ rotated(e, 11)/rotated(e, 6) ^ rotated(e, 12)/
#include "program.h"
#include <string>
#include <vector>

__constant__ uint32_t round_constant[64];

static void constants(uint32_t out[64])         // of cube roots of the first 64 primes
{
	int n = 0;
	for (uint64_t p = 2; n < 64; p++) {
		bool prime = true;
		for (uint64_t d = 2; d * d <= p; d++)
			prime &= p % d != 0;
		if (prime) {
			unsigned __int128 low = 0, high = (unsigned __int128)8 << 32;      // the largest r with r^3 <= p * 2^96
			while (high - low > 1) {
				const unsigned __int128 r = (low + high) / 2;
				const long double error = (long double)(uint64_t)r * (long double)(uint64_t)r * (long double)(uint64_t)r;
				if (error <= (long double)p * 0x1p96L)
					low = r;
				else
					high = r;
			}
			out[n++] = uint32_t(low);
		}
	}
}

__host__ __device__ inline uint32_t rotated(uint32_t x, int n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_r(x, x, n);
#else
	return x >> n | x << (32 - n);
#endif
}

__host__ __device__ inline void compress(uint32_t h[8], const uint8_t *block, const uint32_t *k)
{
	uint32_t w[16], v[8];
	for (int i = 0; i < 16; i++)
		w[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 | uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
	for (int i = 0; i < 8; i++)
		v[i] = h[i];
	for (int i = 0; i < 64; i++) {
		if (i >= 16) {
			const uint32_t a = w[(i - 15) % 16], b = w[(i - 2) % 16];
			w[i % 16] += (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[(i - 7) % 16] + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
		}
		const uint32_t e = v[4], a = v[0];
		const uint32_t t = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i % 16];
		const uint32_t u = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
		for (int j = 7; j > 0; j--)
			v[j] = v[j - 1];
		v[4] += t;
		v[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

__global__ void digest(const uint8_t *blocks, const int2 *extent, uint32_t *out, int messages)         // extent: first block, blocks
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= messages)
		return;
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	for (int b = 0; b < extent[i].y; b++)
		compress(h, blocks + 64 * size_t(extent[i].x + b), round_constant);
	for (int k = 0; k < 8; k++)
		out[8 * i + k] = h[k];
}

static std::string text(const uint32_t *h)
{
	char s[65];
	for (int i = 0; i < 8; i++)
		snprintf(s + 8 * i, 9, "%08x", h[i]);
	return s;
}

int main(int argc, char **argv)
{
	std::vector<std::string> name, message;
	if (argc > 1 && !strcmp(argv[1], "generate")) {
		Random random(24);
		for (int i = 2; i + 1 < argc; i += 2) {
			FILE *f = fopen(argv[i], "wb");
			for (int n = atoi(argv[i + 1]); f && n > 0; n--)
				fputc(int(random.below(256)), f);
			if (!f || fclose(f))
				return perror(argv[i]), 1;
		}
		return 0;
	}
	for (int i = 0; i < option(argc, argv, "messages", 0); i++) {
		name.push_back("-");
		message.push_back(std::string(i, char('a' + i % 26)));
	}
	name.push_back("abc");
	message.push_back("abc");
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-') {
			FILE *f = fopen(argv[i], "rb");
			if (!f)
				return perror(argv[i]), 2;
			std::string all;
			for (int c; (c = fgetc(f)) != EOF;)
				all += char(c);
			fclose(f);
			name.push_back(argv[i]);
			message.push_back(all);
		}
	std::vector<uint8_t> blocks;
	std::vector<int2> extent;
	for (const std::string &m : message) {
		const size_t first = blocks.size(), bits = m.size() * 8;
		blocks.insert(blocks.end(), m.begin(), m.end());
		blocks.push_back(0x80);
		while ((blocks.size() - first) % 64 != 56)
			blocks.push_back(0);
		for (int i = 56; i >= 0; i -= 8)
			blocks.push_back(uint8_t(uint64_t(bits) >> i));
		extent.push_back(make_int2(int(first / 64), int((blocks.size() - first) / 64)));
	}
	const int n = int(message.size());
	uint32_t k[64];
	constants(k);
	EXPECT(k[0] == 0x428a2f98 && k[63] == 0xc67178f2);
	CHECK(cudaMemcpyToSymbol(round_constant, k, sizeof k));
	uint8_t *dblocks;
	int2 *dextent;
	uint32_t *dout;
	std::vector<uint32_t> got(8 * n), want(8 * n);
	CHECK(cudaMalloc(&dblocks, blocks.size()));
	CHECK(cudaMalloc(&dextent, n * sizeof *dextent));
	CHECK(cudaMalloc(&dout, got.size() * sizeof *dout));
	CHECK(cudaMemcpy(dblocks, blocks.data(), blocks.size(), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dextent, extent.data(), n * sizeof *dextent, cudaMemcpyHostToDevice));
	digest<<<(n + 31) / 32, 32>>>(dblocks, dextent, dout, n);
	CHECK(cudaMemcpy(got.data(), dout, got.size() * sizeof *dout, cudaMemcpyDeviceToHost));
	timed_on_host([&] {
		for (int i = 0; i < n; i++) {
			uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
			for (int b = 0; b < extent[i].y; b++)
				compress(h, &blocks[64 * size_t(extent[i].x + b)], k);
			memcpy(&want[8 * i], h, sizeof h);
		}
	});
	for (int i = 0; i < n; i++) {
		if (name[i] != "-")
			printf("%s  %s\n", text(&got[8 * i]).c_str(), name[i].c_str());
		if (name[i] == "abc")
			EXPECT(text(&got[8 * i]) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	}
	CHECK(cudaFree(dblocks));
	CHECK(cudaFree(dextent));
	CHECK(cudaFree(dout));
	return verdict("sha256sum", same("digest", got.data(), want.data(), got.size()));
}

// warp_intrinsics: what the lanes of a warp tell each other: shuffles, votes, matches, reductions, masks of groups that are together; integer intrinsics beside.
// build: -O0 -G
// run:
// run: -n=96
// mutant: s/__shfl_xor_sync(~0u, x, 5)/__shfl_xor_sync(~0u, x, 4)/
#include "program.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

enum { SHUFFLES = 5, VOTES = 4, MATCHES = 3, REDUCTIONS = 6, BITS = 8, ALL = SHUFFLES + VOTES + MATCHES + REDUCTIONS + BITS };

__global__ void intrinsics(const unsigned *in, unsigned *out, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
	const unsigned x = in[i];
	unsigned *o = out + i;
	const auto put = [&](unsigned v) { *o = v; o += n; };

	put(__shfl_sync(~0u, x, 7));
	put(__shfl_up_sync(~0u, x, 3));
	put(__shfl_down_sync(~0u, x, 2, 8));
	put(__shfl_xor_sync(~0u, x, 5));
	put(__shfl_sync(~0u, x, lane + 1, 16));
	put(__ballot_sync(~0u, x % 3 == 0));
	put(__any_sync(~0u, x == 17));
	put(__all_sync(~0u, x < 90));
	put(lane % 2 ? __ballot_sync(0xaaaaaaaa, x % 5 == 1) : __ballot_sync(0x55555555, x % 5 == 2));
	int all;
	put(__match_any_sync(~0u, x % 8));
	put(__match_all_sync(~0u, x / 1000, &all));
	put(all);
	put(__reduce_add_sync(~0u, x));
	put(__reduce_min_sync(~0u, x));
	put(unsigned(__reduce_max_sync(~0u, int(x) - 50)));
	put(__reduce_and_sync(~0u, x | 1));
	put(__reduce_or_sync(~0u, 1u << x % 32));
	put(__reduce_xor_sync(~0u, x));
	put(__popc(x * 0x9e3779b9u));
	put(__clz(int(x)) * 64 + __ffs(int(x)));
	put(__brev(x));
	put(__byte_perm(x * 0x01010101u, 0x11223344, 0x4071));
	put(__funnelshift_l(x, ~x, x % 40));
	put(__umulhi(x * 0x12345678u, 0x9abcdef0u));
	put(__sad(int(x), 40, 3));
	unsigned group = 0;
	if (x % 4 < 2) {
		const cg::coalesced_group together = cg::coalesced_threads();
		group = together.size() << 16 | together.thread_rank() << 8 | (together.shfl(x, 0) & 255);
	}
	put(group);
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 256);
	std::vector<unsigned> x(n), got(n * ALL), want(n * ALL);
	Random random(18);
	for (unsigned &v : x)
		v = random.below(100);
	unsigned *in, *out;
	CHECK(cudaMalloc(&in, n * sizeof *in));
	CHECK(cudaMalloc(&out, got.size() * sizeof *out));
	CHECK(cudaMemcpy(in, x.data(), n * sizeof *in, cudaMemcpyHostToDevice));
	intrinsics<<<n / 32, 32>>>(in, out, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof *out, cudaMemcpyDeviceToHost));
	for (int w = 0; w < n; w += 32) {
		const unsigned *v = &x[w];
		unsigned sum = 0, least = ~0u, conjunction = ~0u, bits = 0, parity = 0, thirds = 0, odd = 0, even = 0, first = 0, size = 0;
		int most = -1000;
		bool any = false, below = true, equal = true;
		for (int l = 31; l >= 0; l--) {
			sum += v[l];
			least = v[l] < least ? v[l] : least;
			most = int(v[l]) - 50 > most ? int(v[l]) - 50 : most;
			conjunction &= v[l] | 1;
			bits |= 1u << v[l] % 32;
			parity ^= v[l];
			thirds |= unsigned(v[l] % 3 == 0) << l;
			odd |= unsigned(l % 2 && v[l] % 5 == 1) << l;
			even |= unsigned(l % 2 == 0 && v[l] % 5 == 2) << l;
			any |= v[l] == 17;
			below &= v[l] < 90;
			if (v[l] % 4 < 2) {
				first = v[l];
				size++;
			}
		}
		for (unsigned l = 0, rank = 0; l < 32; l++) {
			unsigned peers = 0, *o = &want[w + l];
			for (unsigned k = 0; k < 32; k++)
				peers |= unsigned(v[k] % 8 == v[l] % 8) << k;
			const uint64_t both = uint64_t(~v[l]) << 32 | v[l];
			const unsigned s = v[l] % 40 & 31, y = v[l];
			unsigned reversed = 0;
			for (int b = 0; b < 32; b++)
				reversed |= (y >> b & 1) << (31 - b);
			const unsigned repeated = y * 0x01010101u, permuted = 0x44u << 24 | (repeated & 255) << 16 | 0x11u << 8 | (repeated >> 8 & 255);
			const unsigned values[ALL] = {
				v[7], l >= 3 ? v[l - 3] : y, l % 8 + 2 < 8 ? v[l + 2] : y, v[l ^ 5], v[l / 16 * 16 + (l + 1) % 16],
				thirds, any, below, l % 2 ? odd : even,
				peers, equal ? ~0u : 0, equal,
				sum, least, unsigned(most), conjunction, bits, parity,
				unsigned(__builtin_popcount(y * 0x9e3779b9u)), unsigned((y ? __builtin_clz(y) : 32) * 64 + __builtin_ffs(int(y))), reversed, permuted,
				unsigned(both << s >> 32), unsigned(uint64_t(y * 0x12345678u) * 0x9abcdef0u >> 32), unsigned(abs(int(y) - 40) + 3),
				y % 4 < 2 ? size << 16 | rank << 8 | (first & 255) : 0,
			};
			rank += y % 4 < 2;
			for (int k = 0; k < ALL; k++)
				o[k * n] = values[k];
		}
	}
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	printf("%d lanes, %d values each\n", n, int(ALL));
	return verdict("warp_intrinsics", same("value", got.data(), want.data(), got.size()));
}

// SHA-256 of one 64-byte block each: rotations, a message schedule in a ring of 16 words, round constants in constant memory.
#include <cstdint>

__constant__ uint32_t k256[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
	0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
	0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};
__constant__ uint32_t h256[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

__device__ uint32_t ror(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

extern "C" __global__ void sha256(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = threadIdx.x;
	uint32_t w[16], s[8];

	for (int k = 0; k < 16; k++)            // 14 words of message, then the padding: a 1 bit and the length in bits
		w[k] = k < 14 ? __byte_perm(in[i * 14 + k], 0, 0x0123) : 0;
	w[13] = (w[13] & 0xffffff00) | 0x80;
	w[15] = 55 * 8;
	for (int k = 0; k < 8; k++)
		s[k] = h256[k];
#pragma unroll 1
	for (int r = 0; r < 64; r++) {
		uint32_t &m = w[r % 16];

		if (r >= 16) {
			const uint32_t a = w[(r + 1) % 16], b = w[(r + 14) % 16];

			m += (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[(r + 9) % 16] + (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
		}
		const uint32_t t = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k256[r] + m;
		const uint32_t u = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		for (int k = 7; k > 0; k--)
			s[k] = s[k - 1];
		s[4] += t;
		s[0] = t + u;
	}
	for (int k = 0; k < 8; k++)
		out[i * 8 + k] = s[k] + h256[k];
}

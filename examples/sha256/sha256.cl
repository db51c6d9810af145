/* SHA-256 (FIPS 180-4) of many short messages, one a thread; a message has one block of 64 bytes or two. The 16 words of a
 * block's schedule stay in registers, as the inner loop is unrolled. */
#include "examples/gpu.cl.h"

#define SLOT 128                                /* bytes from message to message */

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))

__constant u32 round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Four bytes of the padded message: its bytes, a bit, zeros. */
static u32 padded(__global const u8 *message, u32 length, u32 at)
{
	u32 word = 0;

	for (u32 i = at; i < at + 4; i++)
		word = word << 8 | (i < length ? message[i] : i == length ? 0x80 : 0);
	return word;
}

__kernel void sha256(__global const u8 *messages, __global const u8 *lengths, __global u32 *digests, u32 n)
{
	u32 m = GLOBAL_X, w[16];

	if (m >= n)
		return;

	u32 hash[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
	                0x5be0cd19 };
	__global const u8 *message = messages + m * SLOT;
	u32 length = lengths[m], blocks = (length + 9 + 63) / 64;           /* a bit and the length follow the message */

	for (u32 block = 0; block < blocks; block++) {
		u32 a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];

		for (u32 i = 0; i < 16; i++)
			w[i] = padded(message, length, block * 64 + i * 4);
		if (block == blocks - 1)
			w[15] = length * 8;
#pragma clang loop unroll(disable)
		for (u32 round = 0; round < 64; round += 16)
#pragma clang loop unroll(full)
			for (u32 i = 0; i < 16; i++) {
				u32 early = w[(i + 1) % 16], late = w[(i + 14) % 16];

				if (round)
					w[i] += (ROTATE(early, 7) ^ ROTATE(early, 18) ^ early >> 3) + w[(i + 9) % 16] +
					        (ROTATE(late, 17) ^ ROTATE(late, 19) ^ late >> 10);

				u32 one = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g)) +
				          round_constant[round + i] + w[i];
				u32 two = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

				h = g; g = f; f = e; e = d + one;
				d = c; c = b; b = a; a = one + two;
			}
		hash[0] += a; hash[1] += b; hash[2] += c; hash[3] += d;
		hash[4] += e; hash[5] += f; hash[6] += g; hash[7] += h;
	}
	for (u32 i = 0; i < 8; i++)
		digests[m * 8 + i] = __builtin_bswap32(hash[i]);                /* as bytes, the highest first */
}

// AES-128 encryption of one block each: the S-box in constant memory read at varying indexes, byte arrays, key expansion.
#include <cstdint>

__constant__ uint8_t sbox[256] = {
	99, 124, 119, 123, 242, 107, 111, 197, 48, 1, 103, 43, 254, 215, 171, 118, 202, 130, 201, 125, 250, 89, 71, 240,
	173, 212, 162, 175, 156, 164, 114, 192, 183, 253, 147, 38, 54, 63, 247, 204, 52, 165, 229, 241, 113, 216, 49, 21,
	4, 199, 35, 195, 24, 150, 5, 154, 7, 18, 128, 226, 235, 39, 178, 117, 9, 131, 44, 26, 27, 110, 90, 160,
	82, 59, 214, 179, 41, 227, 47, 132, 83, 209, 0, 237, 32, 252, 177, 91, 106, 203, 190, 57, 74, 76, 88, 207,
	208, 239, 170, 251, 67, 77, 51, 133, 69, 249, 2, 127, 80, 60, 159, 168, 81, 163, 64, 143, 146, 157, 56, 245,
	188, 182, 218, 33, 16, 255, 243, 210, 205, 12, 19, 236, 95, 151, 68, 23, 196, 167, 126, 61, 100, 93, 25, 115,
	96, 129, 79, 220, 34, 42, 144, 136, 70, 238, 184, 20, 222, 94, 11, 219, 224, 50, 58, 10, 73, 6, 36, 92,
	194, 211, 172, 98, 145, 149, 228, 121, 231, 200, 55, 109, 141, 213, 78, 169, 108, 86, 244, 234, 101, 122, 174, 8,
	186, 120, 37, 46, 28, 166, 180, 198, 232, 221, 116, 31, 75, 189, 139, 138, 112, 62, 181, 102, 72, 3, 246, 14,
	97, 53, 87, 185, 134, 193, 29, 158, 225, 248, 152, 17, 105, 217, 142, 148, 155, 30, 135, 233, 206, 85, 40, 223,
	140, 161, 137, 13, 191, 230, 66, 104, 65, 153, 45, 15, 176, 84, 187, 22,
};

__device__ uint8_t twice(uint8_t x) { return uint8_t(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }

extern "C" __global__ void aes(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = threadIdx.x;
	uint8_t key[16], s[16], t[16], rcon = 1;

	for (int k = 0; k < 16; k++) {
		key[k] = uint8_t(k * 17 + 3);
		s[k] = uint8_t(in[i * 4 + k / 4] >> k % 4 * 8) ^ key[k];
	}
#pragma unroll 1
	for (int round = 1; round <= 10; round++) {
#pragma unroll 1
		for (int k = 0; k < 16; k++)            // SubBytes and ShiftRows
			t[k] = sbox[s[(k + k % 4 * 4) % 16]];
#pragma unroll 1
		for (int k = 0; k < 16; k++)            // the next round key
			key[k] ^= k < 4 ? sbox[key[12 + (k + 1) % 4]] ^ (k == 0 ? rcon : 0) : key[k - 4];
		rcon = twice(rcon);
#pragma unroll 1
		for (int k = 0; k < 16; k++) {          // MixColumns, except in the last round, and AddRoundKey
			const uint8_t *c = t + k / 4 * 4, a = c[k % 4], b = c[(k + 1) % 4];

			s[k] = uint8_t((round == 10 ? a : twice(a ^ b) ^ b ^ c[(k + 2) % 4] ^ c[(k + 3) % 4]) ^ key[k]);
		}
	}
	for (int k = 0; k < 4; k++)
		out[i * 4 + k] = s[4 * k] | s[4 * k + 1] << 8 | s[4 * k + 2] << 16 | uint32_t(s[4 * k + 3]) << 24;
}

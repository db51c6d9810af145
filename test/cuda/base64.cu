// Base64: three bytes to four characters through an alphabet in constant memory, padding at the end, and decoding back.
#include <cstdint>

__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__device__ uint32_t digit(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : 63;
}

extern "C" __global__ void base64(uint8_t *text, uint8_t *back, const uint8_t *in, uint32_t count)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, left = 3 * i < count ? count - 3 * i : 0;
	uint32_t v = 0;

	if (left == 0)
		return;
	for (uint32_t k = 0; k < 3; k++)
		v = v << 8 | (k < left ? in[3 * i + k] : 0);
	char c[4];
	for (uint32_t k = 0; k < 4; k++)
		c[k] = k <= left ? alphabet[v >> (18 - 6 * k) & 63] : '=';
	*(uchar4 *)&text[4 * i] = make_uchar4(c[0], c[1], c[2], c[3]);
	v = 0;
	for (uint32_t k = 0; k < 4; k++)
		v = v << 6 | (c[k] == '=' ? 0 : digit(c[k]));
	for (uint32_t k = 0; k < 3 && k < left; k++)
		back[3 * i + k] = uint8_t(v >> (16 - 8 * k));
}

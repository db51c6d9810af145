/* The hash of WIR's value signature buffer, for lanes.c: a member of H3 (Carter and Wegman 1979; Ramakrishna, Fu and
 * Bahcekapili 1997), the family of all linear maps of 1024 bits to 32: each bit of the register chooses a row of a
 * fixed random matrix, and the chosen rows are xor-ed.
 *
 * Hardware has any matrix for the same XOR gates. Ours is one that software is fast with: row 64 i + b is the low half
 * of x^b times key i in GF(2^64), so that the hash is that half of the sum of word i times key i, 18 carry-less
 * products. It has full rank, no row is zero, none is there twice, and registers with the same value in all lanes never
 * collide (test/unit/t_sig.c). */
#ifndef REGLOOM_LANES_H3_H
#define REGLOOM_LANES_H3_H

#define GF_POLY 0x1b /* x^64 + x^4 + x^3 + x + 1 */
/* clang-format off */
#define H3_KEYS(X) /* digits of pi, behind those of the other hash */ \
	X(0x9c30d5392af26013) X(0xc5d1b023286085f0) X(0xca417918b8db38ef) X(0x8e79dcb0603a180e) \
	X(0x6c9e0e8bb01e8a3e) X(0xd71577c1bd314b27) X(0x78af2fda55605c60) X(0xe65525f3aa55ab94) \
	X(0x5748986263e81440) X(0x55ca396a2aab10b6) X(0xb4cc5c341141e8ce) X(0xa15486af7c72e993) \
	X(0xb3ee1411636fbc2a) X(0x2ba9c55d741831f6) X(0xce5c3e169b87931e) X(0xafd6ba336c24cf5c)
/* clang-format on */

#if defined(__PCLMUL__) && defined(__AVX2__)
static uint32_t h3(const uint32_t v[32])
{
	static const _Alignas(16) uint64_t key[16] = {
#define KEY(k) k,
		H3_KEYS(KEY)
#undef KEY
	};
	const __m128i poly = _mm_set_epi64x(0, GF_POLY);
	__m128i sum = _mm_setzero_si128(), w, k, over;

	for (unsigned i = 0; i < 16; i += 2) {
		w = _mm_loadu_si128((const void *)(v + 2 * i));
		k = _mm_load_si128((const void *)(key + i));
		sum = _mm_xor_si128(sum,
				    _mm_xor_si128(_mm_clmulepi64_si128(w, k, 0x00), _mm_clmulepi64_si128(w, k, 0x11)));
	}
	/* what is above 63, twice: the first time leaves 4 bits there */
	over = _mm_clmulepi64_si128(sum, poly, 0x01);
	sum = _mm_xor_si128(sum, _mm_xor_si128(over, _mm_clmulepi64_si128(over, poly, 0x01)));
	return (uint32_t)_mm_cvtsi128_si32(sum);
}
#else
#define TIMES_2(k) ((uint64_t)(k) << 1 ^ ((uint64_t)(k) >> 63) * GF_POLY)
/* A key times each polynomial of 4 bits. */
#define TIMES_4(k) TIMES_2(TIMES_2(k))
#define TIMES_8(k) TIMES_2(TIMES_4(k))
#define MULTIPLE(k, n) \
	(((n)&1 ? (k) : 0) ^ ((n)&2 ? TIMES_2(k) : 0) ^ ((n)&4 ? TIMES_4(k) : 0) ^ ((n)&8 ? TIMES_8(k) : 0))
#define MULTIPLES(k)                                                                                           \
	{ MULTIPLE(k, 0),  MULTIPLE(k, 1),  MULTIPLE(k, 2),  MULTIPLE(k, 3), MULTIPLE(k, 4),  MULTIPLE(k, 5),  \
	  MULTIPLE(k, 6),  MULTIPLE(k, 7),  MULTIPLE(k, 8),  MULTIPLE(k, 9), MULTIPLE(k, 10), MULTIPLE(k, 11), \
	  MULTIPLE(k, 12), MULTIPLE(k, 13), MULTIPLE(k, 14), MULTIPLE(k, 15) },

/* Horner's scheme, by digits of 4 bits. */
static uint32_t h3(const uint32_t v[32])
{
	static const uint64_t multiple[16][16] = { H3_KEYS(MULTIPLES) };
	uint64_t sum = 0;

	for (unsigned digit = 16; digit-- > 0;) {
		const uint64_t top = sum >> 60;

		sum = sum << 4 ^ top ^ top << 1 ^ top << 3 ^ top << 4;
		for (unsigned i = 0; i < 16; i++)
			sum ^= multiple[i][v[2 * i + digit / 8] >> digit % 8 * 4 & 15];
	}
	return (uint32_t)sum;
}
#undef TIMES_2
#undef TIMES_4
#undef TIMES_8
#undef MULTIPLE
#undef MULTIPLES
#endif
#undef H3_KEYS
#undef GF_POLY

#endif

/* Value signatures (record.h), for lanes.c: the same bits on every instruction-set level. Vectors of eight lanes, since
 * instructions mostly write so many at a time, and a larger load of what was just written would wait.
 *
 * The hash is that of XXH3's inner loop (Yann Collet, xxHash specification) over 16 words of 64 bits, two lanes each,
 * in four columns: d ^ key is split in halves whose product goes into the word's column, d itself into the neighbouring
 * column, so that no difference in one word is lost whatever the product does. Two folded 128-bit products and XXH3's
 * avalanche spread the columns over all 64 bits, of which 32 are kept. docs/RECORDS.md says what is known of its
 * quality. */
#ifndef REGLOOM_LANES_SIG_H
#define REGLOOM_LANES_SIG_H

static const _Alignas(64) uint64_t hash_key[16] = {
	/* digits of pi */
	0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
	0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917,
	0x9216d5d98979fb1b, 0xd1310ba698dfb5ac, 0x2ffd72dbd01adfb7, 0xb8e1afed6a267e96,
	0xba7c9045f12c7f99, 0x24a19947b3916cf7, 0x0801f2e2858efc16, 0x636920d871574e69,
};

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide p = (wide)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline uint64_t hash_end(const uint64_t column[4])
{
	uint64_t h = fold(column[0] ^ 0xa458fea3f4933d7e, column[1] ^ 0x0d95748f728eb658) +
		     fold(column[2] ^ 0x718bcd5882154aee, column[3] ^ 0x7b54a41dc25a59b5);

	h = (h ^ h >> 37) * 0x165667919e3779f9;
	return h ^ h >> 32;
}

/* Bits in which lanes differ; wide: from their sign; delta: what they differ from lane 0 by, from its sign; active: of
 * `written`, if not all are. */
struct differences {
	uint32_t wide, lo, hi, delta, active;
	bool affine;
};

#if defined(__AVX2__)
#define V8(at) _mm256_loadu_si256((const void *)(at))

static inline void differences(const uint32_t v[32], uint32_t written, uint32_t stride, struct differences *d,
			       uint64_t column[4])
{
	const __m256i v0 = V8(v), v1 = V8(v + 8), v2 = V8(v + 16), v3 = V8(v + 24);
	const __m256i b0 = _mm256_set1_epi32((int)v[0]), b16 = _mm256_set1_epi32((int)v[16]),
		      step = _mm256_set1_epi32((int)(stride * 8));
	__m256i wide, lo, hi, most, least, bent, line, sum, x, odd;
	__m128i all;

#define OR _mm256_or_si256
#define XOR _mm256_xor_si256
#define SIGN(u) XOR(u, _mm256_srai_epi32(u, 31))
	wide = OR(OR(SIGN(v0), SIGN(v1)), OR(SIGN(v2), SIGN(v3)));
	lo = OR(XOR(v0, b0), XOR(v1, b0));
	hi = OR(XOR(v2, b16), XOR(v3, b16));
	x = _mm256_sub_epi32(v0, b0);
	line = _mm256_mullo_epi32(_mm256_set1_epi32((int)stride), V8(lane_index));
	bent = XOR(x, line);
	most = least = x;
#define NEXT(u)                              \
	x = _mm256_sub_epi32(u, b0);         \
	most = _mm256_max_epi32(most, x);    \
	least = _mm256_min_epi32(least, x);  \
	line = _mm256_add_epi32(line, step); \
	bent = OR(bent, XOR(x, line));
	NEXT(v1)
	NEXT(v2)
	NEXT(v3)
#undef NEXT
	/* the larger one of the most and of the least without its sign */
	most = _mm256_max_epi32(most, XOR(least, _mm256_set1_epi32(-1)));
	if (written != ALL_LANES) {
		const __m256i first = _mm256_set1_epi32((int)v[written ? (unsigned)__builtin_ctz(written) : 0]);
		const __m256i mask = _mm256_set1_epi32((int)written);
		__m256i act;

#define ACTIVE(u, n) \
	_mm256_and_si256(XOR(u, first), _mm256_cmpeq_epi32(_mm256_and_si256(mask, V8(lane_bit + n)), V8(lane_bit + n)))
		act = OR(OR(ACTIVE(v0, 0), ACTIVE(v1, 8)), OR(ACTIVE(v2, 16), ACTIVE(v3, 24)));
#undef ACTIVE
		all = _mm_or_si128(_mm256_castsi256_si128(act), _mm256_extracti128_si256(act, 1));
		all = _mm_or_si128(all, _mm_shuffle_epi32(all, 0x4e));
		all = _mm_or_si128(all, _mm_shuffle_epi32(all, 0xb1));
		d->active = (uint32_t)_mm_cvtsi128_si32(all);
	}
	/* four ors over eight lanes: transpose, then add up */
	wide = OR(_mm256_unpacklo_epi32(wide, lo), _mm256_unpackhi_epi32(wide, lo));
	hi = OR(_mm256_unpacklo_epi32(hi, most), _mm256_unpackhi_epi32(hi, most));
	wide = OR(_mm256_unpacklo_epi64(wide, hi), _mm256_unpackhi_epi64(wide, hi));
	all = _mm_or_si128(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
	_mm_storeu_si128((void *)d, all);
	d->affine = _mm256_testz_si256(bent, bent);

	sum = _mm256_add_epi64(_mm256_add_epi64(v0, v1), _mm256_add_epi64(v2, v3));
	sum = _mm256_shuffle_epi32(sum, 0x4e);
#define TERM(u, n)                      \
	x = XOR(u, V8(hash_key + n));   \
	odd = _mm256_srli_epi64(x, 32); \
	sum = _mm256_add_epi64(sum, _mm256_mul_epu32(x, odd));
	TERM(v0, 0)
	TERM(v1, 4)
	TERM(v2, 8)
	TERM(v3, 12)
#undef TERM
	_mm256_storeu_si256((void *)column, sum);
#undef SIGN
#undef XOR
#undef OR
}
#else
static inline void differences(const uint32_t v[32], uint32_t written, uint32_t stride, struct differences *d,
			       uint64_t column[4])
{
	uint32_t wide = 0, lo = 0, hi = 0, delta = 0, bent = 0, act = 0,
		 first = v[written ? (unsigned)__builtin_ctz(written) : 0];

	for (unsigned l = 0; l < 32; l++)
		wide |= v[l] ^ (uint32_t)((int32_t)v[l] >> 31);
	for (unsigned l = 0; l < 32; l++)
		delta |= (v[l] - v[0]) ^ (uint32_t)((int32_t)(v[l] - v[0]) >> 31);
	for (unsigned l = 0; l < 32; l++)
		bent |= v[l] - v[0] - stride * lane_index[l];
	for (unsigned l = 0; l < 16; l++)
		lo |= v[l] ^ v[0];
	for (unsigned l = 16; l < 32; l++)
		hi |= v[l] ^ v[16];
	if (written != ALL_LANES)
		for (unsigned l = 0; l < 32; l++)
			act |= written & lane_bit[l] ? v[l] ^ first : 0;
	*d = (struct differences){ wide, lo, hi, delta, act, bent == 0 };
#if defined(__SSE2__)
	for (unsigned c = 0; c < 4; c += 2) {
		__m128i product = _mm_setzero_si128(), sum = product;

		for (unsigned i = c; i < 16; i += 4) {
			__m128i w = _mm_loadu_si128((const void *)(v + 2 * i)),
				x = _mm_xor_si128(w, _mm_load_si128((const void *)(hash_key + i)));

			product = _mm_add_epi64(product, _mm_mul_epu32(x, _mm_srli_epi64(x, 32)));
			sum = _mm_add_epi64(sum, w);
		}
		_mm_storeu_si128((void *)(column + c), _mm_add_epi64(product, _mm_shuffle_epi32(sum, 0x4e)));
	}
#else
	memset(column, 0, 4 * sizeof *column);
	for (unsigned i = 0; i < 16; i++) {
		uint64_t w = (uint64_t)v[2 * i + 1] << 32 | v[2 * i], x = w ^ hash_key[i];

		column[i & 3] += (x & UINT32_MAX) * (x >> 32);
		column[(i & 3) ^ 1] += w;
	}
#endif
}
#endif

static inline unsigned zeros(uint32_t x) /* leading; 32 of 0 */
{
#if defined(__LZCNT__)
	return _lzcnt_u32(x);
#else
	return x ? (unsigned)__builtin_clz(x) : 32;
#endif
}

static void sig(const uint32_t v[32], uint32_t written, struct value_sig *out)
{
	uint32_t stride = v[1] - v[0], all;
	struct differences d;
	uint64_t column[4];

	differences(v, written, stride, &d, column);
	all = d.lo | d.hi | (v[0] ^ v[16]);
	*out = (struct value_sig){
		.width = (40 - zeros(d.wide)) / 8, /* a sign bit is needed too */
		.same_all = zeros(all) / 8,
		.same_lo = zeros(d.lo) / 8,
		.same_hi = zeros(d.hi) / 8,
		.same_active = zeros(written == ALL_LANES ? all : d.active) / 8,
		.delta = (40 - zeros(d.delta)) / 8 - !all,
		.affine = d.affine,
		.stride = d.affine ? stride : 0,
		.hash = (uint32_t)hash_end(column),
	};
}

#endif

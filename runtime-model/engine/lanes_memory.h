/* Addresses of a memory instruction and loads of words, for lanes.c: facts about all lanes that make the common
 * accesses cheap, the same on every instruction-set level. */
#ifndef REGLOOM_LANES_MEMORY_H
#define REGLOOM_LANES_MEMORY_H

/* 32 words: one of each bank of shared memory */
enum { NEAR_BYTES = 128 };

/* Different words of which v[] - low + skew are the bytes; all of them below NEAR_BYTES. */
static inline unsigned different_words(const uint32_t v[32], uint32_t low, uint32_t skew)
{
	uint32_t words = 0;

	for (unsigned l = 0; l < 32; l++)
		words |= 1u << (v[l] - low + skew) / 4;
	return (unsigned)__builtin_popcount(words);
}

/* Are they x, x + step, x + 2 * step and so on? */
static inline bool in_steps(const uint32_t v[32], uint32_t x, uint32_t step)
{
#if defined(__AVX2__)
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), eight = _mm256_set1_epi32((int)(8 * step));
	__m256i want = _mm256_add_epi32(_mm256_set1_epi32((int)x),
					_mm256_mullo_epi32(lane, _mm256_set1_epi32((int)step))),
		bent;

	bent = _mm256_xor_si256(want, _mm256_loadu_si256((const void *)v));
	for (unsigned l = 8; l < 32; l += 8) {
		want = _mm256_add_epi32(want, eight);
		bent = _mm256_or_si256(bent, _mm256_xor_si256(want, _mm256_loadu_si256((const void *)(v + l))));
	}
	return _mm256_testz_si256(bent, bent);
#else
	uint32_t bent = 0;

	for (unsigned l = 0; l < 32; l++)
		bent |= v[l] - x - step * lane_index[l];
	return bent == 0;
#endif
}

static inline void ends(const uint32_t v[32], uint32_t *low, uint32_t *high)
{
#if defined(__AVX2__)
	const __m256i *p = (const void *)v;
	__m256i a = _mm256_loadu_si256(p), b = _mm256_loadu_si256(p + 1), c = _mm256_loadu_si256(p + 2),
		d = _mm256_loadu_si256(p + 3);
	__m256i least = _mm256_min_epu32(_mm256_min_epu32(a, b), _mm256_min_epu32(c, d));
	__m256i most = _mm256_xor_si256(_mm256_max_epu32(_mm256_max_epu32(a, b), _mm256_max_epu32(c, d)),
					_mm256_set1_epi32(-1));
	/* the greatest is what is left of all ones by the least difference: both at once */
	__m256i both = _mm256_min_epu32(_mm256_unpacklo_epi32(least, most), _mm256_unpackhi_epi32(least, most));
	__m128i x = _mm_min_epu32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));

	x = _mm_min_epu32(x, _mm_unpackhi_epi64(x, x));
	*low = (uint32_t)_mm_cvtsi128_si32(x);
	*high = ~(uint32_t)_mm_extract_epi32(x, 1);
#else
	*low = UINT32_MAX;
	*high = 0;
	for (unsigned l = 0; l < 32; l++) {
		*low = v[l] < *low ? v[l] : *low;
		*high = v[l] > *high ? v[l] : *high;
	}
#endif
}

/* Least, greatest and so on of 32-bit addresses, to which `offset` is still to be added. What is known of addresses
 * that are all the same, or one behind the other, is not found out lane by lane. */
static inline void facts32(const uint32_t v[32], uint32_t offset, unsigned step, struct addr_facts *facts)
{
	uint32_t low, high, bits = 0, skew;

	if (in_steps(v, v[0], 0)) {
		*facts = (struct addr_facts){ v[0], v[0], v[0] + offset, false, 1 };
		return;
	}
	/* a power of two, as large as what all are aligned to if the first is */
	if (v[31] > v[0] && in_steps(v, v[0], step)) {
		skew = (v[0] + offset) % 4;
		*facts = (struct addr_facts){
			v[0],
			v[31],
			v[0] + offset,
			true,
			31 * step < NEAR_BYTES - skew ? (skew + 31 * step) / 4 + 1 : 0,
		};
		return;
	}
	for (unsigned l = 0; l < 32; l++)
		bits |= v[l] + offset;
	ends(v, &low, &high);
	skew = (low + offset) % 4;
	*facts = (struct addr_facts){
		low, high, bits, false, high - low < NEAR_BYTES - skew ? different_words(v, low, skew) : 0,
	};
}

/* Of any addresses. */
static void facts64(const uint64_t at[32], unsigned step, struct addr_facts *facts)
{
	struct addr_facts f = { .low = UINT64_MAX };
	uint64_t bent = 0;
	uint32_t v[32];

	for (unsigned l = 0; l < 32; l++) {
		f.low = at[l] < f.low ? at[l] : f.low;
		f.high = at[l] > f.high ? at[l] : f.high;
		f.bits |= at[l];
		bent |= at[l] - at[0] - l * (uint64_t)step;
		v[l] = (uint32_t)at[l];
	}
	f.unit = bent == 0;
	if (f.high - f.low < NEAR_BYTES - f.low % 4)
		f.words = different_words(v, (uint32_t)f.low, f.low % 4);
	*facts = f;
}

static void addr(const uint32_t *base, bool wide, int64_t offset, uint32_t exec, unsigned step, uint64_t out[32],
		 struct addr_facts *facts)
{
	uint32_t some[32], first = (unsigned)__builtin_ctz(exec), low = base[first], high = wide ? base[first + 32] : 0,
			   other = 0;
	uint64_t origin = ((uint64_t)high << 32) + (uint64_t)offset;
	const uint32_t *v = exec == ALL_LANES ? base : some;

	if (!wide) {
		if (exec == ALL_LANES) {
			EACH_LANE some[l] = base[l] + (uint32_t)offset;
		} else {
			EACH_LANE some[l] = (exec & lane_bit[l] ? base[l] : low) + (uint32_t)offset;
		}
		EACH_LANE out[l] = some[l];
		facts32(some, 0, step, facts);
		return;
	}
	if (exec == ALL_LANES) {
		other = !in_steps(base + 32, high, 0);
	} else {
		for (unsigned l = 0; l < 32; l++)
			other |= exec & lane_bit[l] ? base[l + 32] ^ high : 0;
		EACH_LANE some[l] = exec & lane_bit[l] ? base[l] : low;
	}
	/* Mostly lanes differ in the low words alone, which then tell the same. */
	if (!other) {
		facts32(v, (uint32_t)offset, step, facts);
		EACH_LANE out[l] = origin + v[l];
		facts->low += origin;
		facts->high += origin;
		if (facts->low <= facts->high) /* else some wrapped round */
			return;
	}
	EACH_LANE out[l] = ((uint64_t)base[l + 32] << 32 | base[l]) + (uint64_t)offset;
	if (exec != ALL_LANES) {
		uint64_t same = out[first];

		EACH_LANE out[l] = exec & lane_bit[l] ? out[l] : same;
	}
	facts64(out, step, facts);
}

/* ---- loads ---- */
/* to[l] = the word at mem + at[l], all of them within 32 words. False, nothing done: no good here. */
static inline bool pick(const unsigned char *mem, uint64_t bytes, const uint64_t at[32], uint64_t low, uint32_t to[32])
{
#if defined(__AVX2__) && \
	!defined(__SANITIZE_THREAD__) /* it also reads words that nobody asked for, which others may be writing */
	uint64_t last = bytes / 4 * 4 - NEAR_BYTES, origin = low < last ? low : last;
	__m256i start = _mm256_set1_epi32((int)origin);
	const __m256i *word;
	__m256i w0, w1, w2, w3;

	if (bytes < NEAR_BYTES)
		return false;
	word = (const void *)(mem + origin);
	w0 = _mm256_loadu_si256(word);
	w1 = _mm256_loadu_si256(word + 1);
	w2 = _mm256_loadu_si256(word + 2);
	w3 = _mm256_loadu_si256(word + 3);

	for (unsigned l = 0; l < 32; l += 8) {
		__m256 a = _mm256_loadu_ps((const void *)(at + l)), b = _mm256_loadu_ps((const void *)(at + l + 4));
		__m256i at32 = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), 0xd8);
		__m256i byte = _mm256_sub_epi32(at32, start), i = _mm256_srli_epi32(byte, 2);
		/* bits 5 and 6 of the byte say in which of the four vectors its word is */
		__m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(byte, 26)),
		       upper = _mm256_castsi256_ps(_mm256_slli_epi32(byte, 25));
		__m256 p0 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w0, i)),
		       p1 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w1, i));
		__m256 p2 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w2, i)),
		       p3 = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(w3, i));
		__m256 got = _mm256_blendv_ps(_mm256_blendv_ps(p0, p1, odd), _mm256_blendv_ps(p2, p3, odd), upper);

		_mm256_storeu_ps((float *)(void *)(to + l), got);
	}
	return true;
#else
	(void)mem, (void)bytes, (void)at, (void)low, (void)to;
	return false;
#endif
}

static void load_words(const unsigned char *mem, uint64_t bytes, const uint64_t at[32], const struct addr_facts *facts,
		       uint32_t exec, uint32_t *d)
{
	uint32_t t[32], *to = exec == ALL_LANES ? d : t, same;

	if (facts->low == facts->high) {
		memcpy(&same, mem + at[0], sizeof same);
		EACH_LANE to[l] = same;
	} else if (!facts->words || !pick(mem, bytes, at, facts->low, to)) {
#pragma GCC unroll 8
		for (unsigned l = 0; l < 32; l++)
			memcpy(&to[l], mem + at[l], sizeof to[l]);
	}
	if (exec != ALL_LANES)
		EACH_LANE d[l] = exec & lane_bit[l] ? t[l] : d[l];
}

#endif

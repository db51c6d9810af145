/* The lane loops, expanded from analyzer/ir/ops.def: one function for each row (rare rows: rare.c), its body the row's
 * expression between loads and stores of the types that its signature names. Compiled once for each instruction-set
 * level under the name LANES_NAME; the loops have no dependence between lanes, even where a destination shares slots
 * with a source, because a lane reads its sources before it writes and touches its own lane only. -fno-math-errno and
 * -fno-trapping-math let the compiler make vectors of more loops; they change no result. */
#if defined(__clang__)                           /* before ops.def is first seen: clang places its warnings there */
#pragma clang diagnostic ignored "-Wpass-failed" /* of loops that it is told to make vectors of and cannot */
#endif

#include "runtime-model/engine/lanes.h"

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/lane_int.h"
#include "runtime-model/engine/lane_math.h"
#include "runtime-model/engine/lane_cvt.h"

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef LANES_NAME
#error "compile with -DLANES_NAME=lanes_base or another table's name"
#endif

#if defined(__clang__)
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < 32; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < 32; l++)
#endif
#define ALL_LANES UINT32_MAX

static const uint32_t lane_bit[32] = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
	1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
	1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

static inline const uint32_t *source(const struct xinsn *x, unsigned s, const uint32_t *reg, const uint32_t *konst)
{
	return (x->src[s] < 0 ? konst : reg) + (x->src[s] & INT32_MAX);
}

static inline uint32_t pred_source(const struct xinsn *x, unsigned s, const uint32_t *pred)
{
	return pred[x->src[s]] ^ (0u - (x->sneg >> s & 1u));
}

/* 32 bytes of 0 or 255 to a mask. */
static inline uint32_t mask_of(const uint8_t t[32])
{
#if defined(__AVX2__)
	return (uint32_t)_mm256_movemask_epi8(_mm256_loadu_si256((const void *)t));
#elif defined(__SSE2__)
	return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const void *)t)) |
	       (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const void *)(t + 16))) << 16;
#else
	uint32_t m = 0;

	for (unsigned l = 0; l < 32; l++)
		m |= (uint32_t)(t[l] & 1) << l;
	return m;
#endif
}

static inline void put_pred(uint32_t *p, uint32_t m, uint32_t exec) { *p = (*p & ~exec) | (m & exec); }

/* ---- loads and stores by letter of the signature; F and G obey the local constants ftz, sat, canon ---- */
#define GET_B(v, p)                        \
	const uint8_t v = (uint8_t)(p)[l]; \
	(void)v;
#define GET_H(v, p)                          \
	const uint16_t v = (uint16_t)(p)[l]; \
	(void)v;
#define GET_W(v, p)                \
	const uint32_t v = (p)[l]; \
	(void)v;
#define GET_D(v, p)                                              \
	const uint64_t v = (uint64_t)(p)[l + 32] << 32 | (p)[l]; \
	(void)v;
#define GET_F(v, p)                                                       \
	const float v = ftz ? flush_f32(f32_of((p)[l])) : f32_of((p)[l]); \
	(void)v;
#define GET_G(v, p)                                                    \
	const double v = f64_of((uint64_t)(p)[l + 32] << 32 | (p)[l]); \
	(void)v;
#define TYPE_B uint8_t
#define TYPE_H uint16_t
#define TYPE_W uint32_t
#define TYPE_D uint64_t
#define TYPE_F float
#define TYPE_G double
#define STORE1(v) pd[l] = on ? (v) : pd[l];
#define STORE2(v)                                                     \
	{                                                             \
		const uint64_t v64 = (v);                             \
		pd[l] = on ? (uint32_t)v64 : pd[l];                   \
		pd[l + 32] = on ? (uint32_t)(v64 >> 32) : pd[l + 32]; \
	}
#define PUT_H(d) STORE1(sx ? (uint32_t)(int16_t)(d) : (d))
#define PUT_W(d) STORE1(d)
#define PUT_D(d) STORE2(d)
#define PUT_F(d)                                               \
	{                                                      \
		float f = (d);                                 \
		f = ftz ? flush_f32(f) : f;                    \
		f = sat ? saturate_f32(f) : f;                 \
		STORE1(canon ? canonical_f32(f) : bits_f32(f)) \
	}

#define ARGS const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec
#define UNUSED (void)x, (void)reg, (void)konst, (void)pred, (void)exec
#define P(s) const uint32_t *const p##s = source(x, s, reg, konst);
#define CONSTANTS(unit, flags)               \
	enum { sx = ((flags)&OPF_SX) != 0 }; \
	(void)sx;
/* Arithmetic makes NaNs canonical; what only moves or selects bits keeps them. */
#define CANON(unit, flags, nsrc)                                                                          \
	enum { canon = (FU_##unit != FU_OTHER || (nsrc) == 1) && !((flags) & (OPF_MOVE | OPF_PAYLOAD)) }; \
	(void)canon;
#define PLAIN                                \
	const bool ftz = false, sat = false; \
	(void)ftz, (void)sat;
#define MODDED                                 \
	const bool ftz = x->ftz, sat = x->sat; \
	(void)ftz, (void)sat;

/* A row with one destination: a full warp writes, a partial one blends. */
#define LOOPS(D, GETS, ...)                                 \
	if (exec == ALL_LANES) {                            \
		const bool on = true;                       \
		EACH_LANE                                   \
		{                                           \
			TYPE_##D d = 0;                     \
			GETS __VA_ARGS__;                   \
			PUT_##D(d)                          \
		}                                           \
	} else {                                            \
		EACH_LANE                                   \
		{                                           \
			const bool on = exec & lane_bit[l]; \
			TYPE_##D d = 0;                     \
			GETS __VA_ARGS__;                   \
			PUT_##D(d)                          \
		}                                           \
	}
#define LOOPS_H LOOPS
#define LOOPS_W LOOPS
#define LOOPS_D LOOPS
#define LOOPS_F LOOPS
/* Doubles: which NaN it is is found out in a second loop, if there is any. */
#define nan1(r, a) (slow ? nan1(r, a) : (r))
#define nan2(r, a, b) (slow ? nan2(r, a, b) : (r))
#define nan3(r, a, b, c) (slow ? nan3(r, a, b, c) : (r))
#define LOOPS_G(D, GETS, ...)                                             \
	double result[32];                                                \
	uint64_t nans = 0;                                                \
	EACH_LANE                                                         \
	{                                                                 \
		enum { slow = false };                                    \
		(void)slow;                                               \
		double d = 0;                                             \
		GETS __VA_ARGS__;                                         \
		result[l] = d;                                            \
		nans |= d != d;                                           \
	}                                                                 \
	if (nans)                                                         \
		for (unsigned l = 0; l < 32; l++) {                       \
			enum { slow = true };                             \
			(void)slow;                                       \
			double d = 0;                                     \
			GETS __VA_ARGS__;                                 \
			result[l] = canon ? f64_of(canonical_f64(d)) : d; \
		}                                                         \
	if (exec == ALL_LANES) {                                          \
		const bool on = true;                                     \
		EACH_LANE STORE2(bits_f64(result[l]))                     \
	} else {                                                          \
		EACH_LANE                                                 \
		{                                                         \
			const bool on = exec & lane_bit[l];               \
			STORE2(bits_f64(result[l]))                       \
		}                                                         \
	}
#define ROW(name, D, nsrc, unit, flags, MODS, POINTERS, GETS, ...)                                            \
	static void name(ARGS)                                                                                \
	{                                                                                                     \
		uint32_t *const pd = reg + x->dst[0];                                                         \
		UNUSED;                                                                                       \
		CONSTANTS(unit, flags) CANON(unit, flags, nsrc) MODS POINTERS LOOPS_##D(D, GETS, __VA_ARGS__) \
	}
/* Every row defines op_ID and opm_ID (with .ftz and .sat), as a function or as a null constant. */
#define NULL_FN(prefix, id) enum { prefix##id = 0 };
#define ROWS(id, D, nsrc, unit, flags, POINTERS, GETS, ...) \
	NULL_FN(opm_, id)                                   \
	ROW(op_##id, D, nsrc, unit, flags, PLAIN, POINTERS, GETS, __VA_ARGS__)
/* Rows with a float somewhere; the compiler drops the second function where the row allows neither modifier. */
#define ROWS_F(id, D, nsrc, unit, flags, POINTERS, GETS, ...)                  \
	ROW(op_##id, D, nsrc, unit, flags, PLAIN, POINTERS, GETS, __VA_ARGS__) \
	ROW(opm_##id, D, nsrc, unit, flags, MODDED, POINTERS, GETS, __VA_ARGS__)

#define FN1(R, id, D, A, u, f, ...) R(id, D, 1, u, f, P(0), GET_##A(a, p0), __VA_ARGS__)
#define FN2(R, id, D, A, B, u, f, ...) R(id, D, 2, u, f, P(0) P(1), GET_##A(a, p0) GET_##B(b, p1), __VA_ARGS__)
#define FN3(R, id, D, A, B, C, u, f, ...) \
	R(id, D, 3, u, f, P(0) P(1) P(2), GET_##A(a, p0) GET_##B(b, p1) GET_##C(c, p2), __VA_ARGS__)
#define FN4(R, id, D, A, B, C, E, u, f, ...) \
	R(id, D, 4, u, f, P(0) P(1) P(2) P(3), GET_##A(a, p0) GET_##B(b, p1) GET_##C(c, p2) GET_##E(e, p3), __VA_ARGS__)
#define FNSEL(id, D, u, f, ...)                                                         \
	ROWS(id, D, 3, u, f, P(0) P(1) const uint32_t select = pred_source(x, 2, pred); \
	     , GET_##D(a, p0) GET_##D(b, p1) const bool c = select & lane_bit[l];, __VA_ARGS__)

#define FN_D_B(id, u, f, ...) FN1(ROWS, id, D, B, u, f, __VA_ARGS__)
#define FN_D_D(id, u, f, ...) FN1(ROWS, id, D, D, u, f, __VA_ARGS__)
#define FN_D_DD(id, u, f, ...) FN2(ROWS, id, D, D, D, u, f, __VA_ARGS__)
#define FN_D_DDD(id, u, f, ...) FN3(ROWS, id, D, D, D, D, u, f, __VA_ARGS__)
#define FN_D_DDP(id, u, f, ...) FNSEL(id, D, u, f, __VA_ARGS__)
#define FN_D_DDWW(id, u, f, ...) FN4(ROWS, id, D, D, D, W, W, u, f, __VA_ARGS__)
#define FN_D_DW(id, u, f, ...) FN2(ROWS, id, D, D, W, u, f, __VA_ARGS__)
#define FN_D_DWW(id, u, f, ...) FN3(ROWS, id, D, D, W, W, u, f, __VA_ARGS__)
#define FN_D_F(id, u, f, ...) FN1(ROWS_F, id, D, F, u, f, __VA_ARGS__)
#define FN_D_G(id, u, f, ...) FN1(ROWS_F, id, D, G, u, f, __VA_ARGS__)
#define FN_D_H(id, u, f, ...) FN1(ROWS, id, D, H, u, f, __VA_ARGS__)
#define FN_D_HHHH(id, u, f, ...) FN4(ROWS, id, D, H, H, H, H, u, f, __VA_ARGS__)
#define FN_D_W(id, u, f, ...) FN1(ROWS, id, D, W, u, f, __VA_ARGS__)
#define FN_D_WW(id, u, f, ...) FN2(ROWS, id, D, W, W, u, f, __VA_ARGS__)
#define FN_D_WWD(id, u, f, ...) FN3(ROWS, id, D, W, W, D, u, f, __VA_ARGS__)
#define FN_F_B(id, u, f, ...) FN1(ROWS_F, id, F, B, u, f, __VA_ARGS__)
#define FN_F_D(id, u, f, ...) FN1(ROWS_F, id, F, D, u, f, __VA_ARGS__)
#define FN_F_F(id, u, f, ...) FN1(ROWS_F, id, F, F, u, f, __VA_ARGS__)
#define FN_F_FF(id, u, f, ...) FN2(ROWS_F, id, F, F, F, u, f, __VA_ARGS__)
#define FN_F_FFP(id, u, f, ...) FNSEL(id, F, u, f, __VA_ARGS__)
#define FN_F_FFW(id, u, f, ...) FN3(ROWS, id, F, F, F, W, u, f, __VA_ARGS__)
#define FN_F_G(id, u, f, ...) FN1(ROWS_F, id, F, G, u, f, __VA_ARGS__)
#define FN_F_H(id, u, f, ...) FN1(ROWS_F, id, F, H, u, f, __VA_ARGS__)
#define FN_F_W(id, u, f, ...) FN1(ROWS_F, id, F, W, u, f, __VA_ARGS__)
#define FN_G_B(id, u, f, ...) FN1(ROWS, id, G, B, u, f, __VA_ARGS__)
#define FN_G_D(id, u, f, ...) FN1(ROWS_F, id, G, D, u, f, __VA_ARGS__)
#define FN_G_F(id, u, f, ...) FN1(ROWS_F, id, G, F, u, f, __VA_ARGS__)
#define FN_G_G(id, u, f, ...) FN1(ROWS_F, id, G, G, u, f, __VA_ARGS__)
#define FN_G_GG(id, u, f, ...) FN2(ROWS, id, G, G, G, u, f, __VA_ARGS__)
#define FN_G_GGG(id, u, f, ...) FN3(ROWS, id, G, G, G, G, u, f, __VA_ARGS__)
#define FN_G_GGP(id, u, f, ...) FNSEL(id, G, u, f, __VA_ARGS__)
#define FN_G_H(id, u, f, ...) FN1(ROWS, id, G, H, u, f, __VA_ARGS__)
#define FN_G_W(id, u, f, ...) FN1(ROWS_F, id, G, W, u, f, __VA_ARGS__)
#define FN_H_B(id, u, f, ...) FN1(ROWS, id, H, B, u, f, __VA_ARGS__)
#define FN_H_D(id, u, f, ...) FN1(ROWS, id, H, D, u, f, __VA_ARGS__)
#define FN_H_F(id, u, f, ...) FN1(ROWS_F, id, H, F, u, f, __VA_ARGS__)
#define FN_H_G(id, u, f, ...) FN1(ROWS_F, id, H, G, u, f, __VA_ARGS__)
#define FN_H_H(id, u, f, ...) FN1(ROWS_F, id, H, H, u, f, __VA_ARGS__)
#define FN_H_HH(id, u, f, ...) FN2(ROWS_F, id, H, H, H, u, f, __VA_ARGS__)
#define FN_H_HHH(id, u, f, ...) FN3(ROWS_F, id, H, H, H, H, u, f, __VA_ARGS__)
#define FN_H_HHP(id, u, f, ...) FNSEL(id, H, u, f, __VA_ARGS__)
#define FN_H_HW(id, u, f, ...) FN2(ROWS, id, H, H, W, u, f, __VA_ARGS__)
#define FN_H_W(id, u, f, ...) FN1(ROWS, id, H, W, u, f, __VA_ARGS__)
#define FN_W_B(id, u, f, ...) FN1(ROWS, id, W, B, u, f, __VA_ARGS__)
#define FN_W_FF(id, u, f, ...) FN2(ROWS_F, id, W, F, F, u, f, __VA_ARGS__)
#define FN_W_D(id, u, f, ...) FN1(ROWS, id, W, D, u, f, __VA_ARGS__)
#define FN_W_F(id, u, f, ...) FN1(ROWS_F, id, W, F, u, f, __VA_ARGS__)
#define FN_W_G(id, u, f, ...) FN1(ROWS_F, id, W, G, u, f, __VA_ARGS__)
#define FN_W_H(id, u, f, ...) FN1(ROWS, id, W, H, u, f, __VA_ARGS__)
#define FN_W_HH(id, u, f, ...) FN2(ROWS, id, W, H, H, u, f, __VA_ARGS__)
#define FN_W_HHW(id, u, f, ...) FN3(ROWS, id, W, H, H, W, u, f, __VA_ARGS__)
#define FN_W_W(id, u, f, ...) FN1(ROWS, id, W, W, u, f, __VA_ARGS__)
#define FN_W_WW(id, u, f, ...) FN2(ROWS_F, id, W, W, W, u, f, __VA_ARGS__)
#define FN_W_WWP(id, u, f, ...) FNSEL(id, W, u, f, __VA_ARGS__)
#define FN_W_WWW(id, u, f, ...) FN3(ROWS_F, id, W, W, W, W, u, f, __VA_ARGS__)
#define FN_W_WWWW(id, u, f, ...) FN4(ROWS, id, W, W, W, W, W, u, f, __VA_ARGS__)

/* Three floats: slct keeps the bits of what it selects, .ftz or not; it flushes the operand that it tests. */
#define GET_F_SELECTED(v, p)                                                          \
	const float v = ftz && !SELECTS ? flush_f32(f32_of((p)[l])) : f32_of((p)[l]); \
	(void)v;
#define ROW_FFF(name, u, f, MODS, ...)                                    \
	static void name(ARGS)                                            \
	{                                                                 \
		enum { SELECTS = FU_##u == FU_OTHER };                    \
		uint32_t *const pd = reg + x->dst[0];                     \
		UNUSED;                                                   \
		CANON(u, f, 3) MODS P(0) P(1) P(2) if (exec == ALL_LANES) \
		{                                                         \
			const bool on = true;                             \
			EACH_LANE { FFF_BODY(__VA_ARGS__) }               \
		}                                                         \
		else                                                      \
		{                                                         \
			EACH_LANE                                         \
			{                                                 \
				const bool on = exec & lane_bit[l];       \
				FFF_BODY(__VA_ARGS__)                     \
			}                                                 \
		}                                                         \
	}
#define FFF_BODY(...)                                                         \
	float d;                                                              \
	GET_F_SELECTED(a, p0) GET_F_SELECTED(b, p1) GET_F(c, p2) __VA_ARGS__; \
	if (SELECTS)                                                          \
	STORE1(bits_f32(d)) else PUT_F(d)
#define FN_F_FFF(id, u, f, ...) ROW_FFF(op_##id, u, f, PLAIN, __VA_ARGS__) ROW_FFF(opm_##id, u, f, MODDED, __VA_ARGS__)

/* Two destinations. */
#define FN_PAIR(id, D, A, u, f, ...)                                                 \
	NULL_FN(opm_, id)                                                            \
	static void op_##id(ARGS)                                                    \
	{                                                                            \
		uint32_t *const pd0 = reg + x->dst[0], *const pd1 = reg + x->dst[1]; \
		UNUSED;                                                              \
		CONSTANTS(u, f) P(0) EACH_LANE                                       \
		{                                                                    \
			const bool on = exec & lane_bit[l];                          \
			TYPE_##D d, d1;                                              \
			GET_##A(a, p0) __VA_ARGS__;                                  \
			pd0[l] = on ? d : pd0[l];                                    \
			pd1[l] = on ? d1 : pd1[l];                                   \
		}                                                                    \
	}
#define FN_HH_W(id, u, f, ...) FN_PAIR(id, H, W, u, f, __VA_ARGS__)
#define FN_WW_D(id, u, f, ...) FN_PAIR(id, W, D, u, f, __VA_ARGS__)

/* A number and a predicate, the carry. */
#define FN_CARRY(id, D, u, f, POINTERS, GETS, ...)            \
	NULL_FN(opm_, id)                                     \
	static void op_##id(ARGS)                             \
	{                                                     \
		uint32_t *const pd = reg + x->dst[0];         \
		uint8_t t[32];                                \
		UNUSED;                                       \
		POINTERS EACH_LANE                            \
		{                                             \
			const bool on = exec & lane_bit[l];   \
			TYPE_##D d;                           \
			bool d1;                              \
			GETS __VA_ARGS__;                     \
			PUT_##D(d) t[l] = d1 ? 255 : 0;       \
		}                                             \
		put_pred(pred + x->dst[1], mask_of(t), exec); \
	}
#define FN_CARRY2(id, D, u, f, ...) FN_CARRY(id, D, u, f, P(0) P(1), GET_##D(a, p0) GET_##D(b, p1), __VA_ARGS__)
#define FN_CARRY2P(id, D, u, f, ...)                                                    \
	FN_CARRY(id, D, u, f, P(0) P(1) const uint32_t carry = pred_source(x, 2, pred); \
		 , GET_##D(a, p0) GET_##D(b, p1) const bool c = carry & lane_bit[l];, __VA_ARGS__)
#define FN_WP_WW(id, u, f, ...) FN_CARRY2(id, W, u, f, __VA_ARGS__)
#define FN_DP_DD(id, u, f, ...) FN_CARRY2(id, D, u, f, __VA_ARGS__)
#define FN_WP_WWP(id, u, f, ...) FN_CARRY2P(id, W, u, f, __VA_ARGS__)
#define FN_DP_DDP(id, u, f, ...) FN_CARRY2P(id, D, u, f, __VA_ARGS__)
#define FN_WP_WWW(id, u, f, ...) \
	FN_CARRY(id, W, u, f, P(0) P(1) P(2), GET_W(a, p0) GET_W(b, p1) GET_W(c, p2), __VA_ARGS__)
#define FN_W_WWWP(id, u, f, ...)                                                            \
	ROWS(id, W, 4, u, f, P(0) P(1) P(2) const uint32_t carry = pred_source(x, 3, pred); \
	     , GET_W(a, p0) GET_W(b, p1) GET_W(c, p2) const bool e = carry & lane_bit[l];, __VA_ARGS__)

/* Predicates as masks. */
#define FN_P_P(id, u, fl, ...)                              \
	NULL_FN(opm_, id) static void op_##id(ARGS)         \
	{                                                   \
		UNUSED;                                     \
		const uint32_t a = pred_source(x, 0, pred); \
		uint32_t d;                                 \
		__VA_ARGS__;                                \
		put_pred(pred + x->dst[0], d, exec);        \
	}
#define FN_P_PP(id, u, fl, ...)                                                          \
	NULL_FN(opm_, id) static void op_##id(ARGS)                                      \
	{                                                                                \
		UNUSED;                                                                  \
		const uint32_t a = pred_source(x, 0, pred), b = pred_source(x, 1, pred); \
		uint32_t d;                                                              \
		__VA_ARGS__;                                                             \
		put_pred(pred + x->dst[0], d, exec);                                     \
	}

/* setp: p = cmp BOOL c, q = !cmp BOOL c. */
static inline void put_setp(const struct xinsn *x, uint32_t *pred, uint32_t exec, uint32_t m)
{
	uint32_t q = ~m;

	if (x->cbool) {
		uint32_t c = pred_source(x, 2, pred);

		m = combined(x->cbool, m, c);
		q = combined(x->cbool, q, c);
	}
	put_pred(pred + x->dst[0], m, exec);
	put_pred(pred + x->dst[1], q, exec);
}
#define ROW_P(name, A, flags, MODS, ...)                           \
	static void name(ARGS)                                     \
	{                                                          \
		uint8_t t[32];                                     \
		UNUSED;                                            \
		MODS P(0) P(1) EACH_LANE                           \
		{                                                  \
			bool d;                                    \
			GET_##A(a, p0) GET_##A(b, p1) __VA_ARGS__; \
			t[l] = d ? 255 : 0;                        \
		}                                                  \
		put_setp(x, pred, exec, mask_of(t));               \
	}
#define FN_P_HH(id, u, f, ...) NULL_FN(opm_, id) ROW_P(op_##id, H, f, PLAIN, __VA_ARGS__)
#define FN_P_WW(id, u, f, ...) NULL_FN(opm_, id) ROW_P(op_##id, W, f, PLAIN, __VA_ARGS__)
#define FN_P_DD(id, u, f, ...) NULL_FN(opm_, id) ROW_P(op_##id, D, f, PLAIN, __VA_ARGS__)
#define FN_P_GG(id, u, f, ...) NULL_FN(opm_, id) ROW_P(op_##id, G, f, PLAIN, __VA_ARGS__)
/* A predicate of one value. */
#define FN_P_D(id, u, f, ...)                                 \
	NULL_FN(opm_, id)                                     \
	static void op_##id(ARGS)                             \
	{                                                     \
		uint8_t t[32];                                \
		UNUSED;                                       \
		P(0)                                          \
		EACH_LANE                                     \
		{                                             \
			bool d;                               \
			GET_D(a, p0) __VA_ARGS__;             \
			t[l] = d ? 255 : 0;                   \
		}                                             \
		put_pred(pred + x->dst[0], mask_of(t), exec); \
	}
#define FN_P_FF(id, u, f, ...) ROW_P(op_##id, F, f, PLAIN, __VA_ARGS__) ROW_P(opm_##id, F, f, MODDED, __VA_ARGS__)

/* Rows whose code is elsewhere. */
#define NO_FN(id) NULL_FN(op_, id) NULL_FN(opm_, id)
#define OPX(id, ...) NO_FN(id)
#define OPR(...)
#define OPA(id, ...) NO_FN(id)
#define OP(id, text, sig, unit, flags, ...) FN_##sig(id, unit, flags, __VA_ARGS__)
#include "analyzer/ir/ops.def"

static const uint32_t lane_index[32] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* ---- value signatures ---- */
#include "runtime-model/engine/lanes_sig.h"
#include "runtime-model/engine/lanes_h3.h"

/* ---- memory ---- */
#include "runtime-model/engine/lanes_memory.h"

/* ---- matrices ---- */
#include "runtime-model/engine/lanes_matrix.h"

/* ---- the table ---- */
static lane_fn *const table[OP_COUNT] = {
#define OP(id, text, sg, unit, flags, ...) [OP_##id] = (lane_fn *)op_##id,
#define OPR(id, ...) [OP_##id] = rare_##id,
#define OPA(...)
#define OPX(id, ...)
#include "analyzer/ir/ops.def"
};
static lane_fn *const table_mod[OP_COUNT] = {
#define OP(id, text, sg, unit, flags, ...) \
	[OP_##id] = (flags) & (OPF_FTZ | OPF_SAT) ? (lane_fn *)opm_##id : (lane_fn *)0,
#define OPR(id, text, sg, unit, flags, ...) [OP_##id] = (flags) & (OPF_FTZ | OPF_SAT) ? rare_##id : (lane_fn *)0,
#define OPA(...)
#define OPX(id, ...)
#include "analyzer/ir/ops.def"
};
#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)
const struct lanes LANES_NAME = {
	.name = NAME_OF(LANES_NAME),
	.fn = table,
	.fn_mod = table_mod,
	.atom = atomics,
	.sig = sig,
	.h3 = h3,
	.addr = addr,
	.load = load_words,
	.halves = halves,
	.product = product,
	.product_s32 = product_s32,
};

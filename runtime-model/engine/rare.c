/* Rows of ops.def that kernels seldom execute (OPR): one function each, which goes from one active lane to the next.
 * They serve every table of lanes.c, so that the compiler sees them once and makes no vectors of them. */
#include "runtime-model/engine/lanes.h"

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/lane_fp.h"
#include "runtime-model/engine/lane_int.h"
#include "runtime-model/engine/lane_video.h"
#include "runtime-model/engine/lane_cvt.h"
#include "runtime-model/engine/mbarrier.h"

static inline const uint32_t *source(const struct xinsn *x, unsigned s, const uint32_t *reg, const uint32_t *konst)
{
	return (x->src[s] < 0 ? konst : reg) + (x->src[s] & INT32_MAX);
}

static inline bool pred_source(const struct xinsn *x, unsigned s, const uint32_t *pred, unsigned l)
{
	return (pred[x->src[s]] >> l & 1u) ^ (x->sneg >> s & 1u);
}

static inline uint64_t pair(const uint32_t *p, unsigned l) { return (uint64_t)p[l + 32] << 32 | p[l]; }
static inline void put_pair(uint32_t *p, unsigned l, uint64_t v)
{
	p[l] = (uint32_t)v;
	p[l + 32] = (uint32_t)(v >> 32);
}

/* setp: p = cmp BOOL c, q = !cmp BOOL c. */
static inline void put_setp(const struct xinsn *x, uint32_t *pred, unsigned l, bool p)
{
	bool q = !p, c;

	if (x->cbool) {
		c = pred_source(x, 2, pred, l);
		p = combined(x->cbool, p, c);
		q = combined(x->cbool, q, c);
	}
	pred[x->dst[0]] = (pred[x->dst[0]] & ~(1u << l)) | (uint32_t)p << l;
	pred[x->dst[1]] = (pred[x->dst[1]] & ~(1u << l)) | (uint32_t)q << l;
}

/* ---- by letter of the signature: sources v from operand s, destinations v to operand n ---- */
#define TYPE_P bool
#define TYPE_B uint8_t
#define TYPE_H uint16_t
#define TYPE_W uint32_t
#define TYPE_D uint64_t
#define TYPE_F float
#define TYPE_G double
#define GET_P(v, s)                                \
	const bool v = pred_source(x, s, pred, l); \
	(void)v;
#define GET_B(v, s)                                             \
	const uint8_t v = (uint8_t)source(x, s, reg, konst)[l]; \
	(void)v;
#define GET_H(v, s)                                               \
	const uint16_t v = (uint16_t)source(x, s, reg, konst)[l]; \
	(void)v;
#define GET_W(v, s)                                     \
	const uint32_t v = source(x, s, reg, konst)[l]; \
	(void)v;
#define GET_D(v, s)                                           \
	const uint64_t v = pair(source(x, s, reg, konst), l); \
	(void)v;
#define GET_F(v, s)                                                                                                    \
	const float v = x->ftz ? flush_f32(f32_of(source(x, s, reg, konst)[l])) : f32_of(source(x, s, reg, konst)[l]); \
	(void)v;
#define GET_G(v, s)                                                 \
	const double v = f64_of(pair(source(x, s, reg, konst), l)); \
	(void)v;
#define PUT_P(v, n)                      \
	if (setp)                        \
		put_setp(x, pred, l, v); \
	else                             \
		pred[x->dst[n]] = (pred[x->dst[n]] & ~(1u << l)) | (uint32_t)(v) << l;
#define PUT_H(v, n) reg[x->dst[n] + l] = sx ? (uint32_t)(int16_t)(v) : (v);
#define PUT_W(v, n) reg[x->dst[n] + l] = (v);
#define PUT_D(v, n) put_pair(reg + x->dst[n], l, v);
#define PUT_F(v, n)                       \
	v = x->ftz ? flush_f32(v) : v;    \
	v = x->sat ? saturate_f32(v) : v; \
	reg[x->dst[n] + l] = canon ? canonical_f32(v) : bits_f32(v);
#define PUT_G(v, n) put_pair(reg + x->dst[n], l, canon ? canonical_f64(v) : bits_f64(v));

/* D1, or D1 and D2, from up to four sources a, b, c, e. */
#define BEGIN(id, unit, flags, nsrc)                                                                               \
	void rare_##id(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec) \
	{                                                                                                          \
		enum {                                                                                             \
			sx = ((flags)&OPF_SX) != 0,                                                                \
			canon = (FU_##unit != FU_OTHER || (nsrc) == 1) && !((flags) & (OPF_MOVE | OPF_PAYLOAD)),   \
			setp = ((flags)&OPF_SETP) != 0                                                             \
		};                                                                                                 \
		const bool ftz = x->ftz, sat = x->sat;                                                             \
		(void)konst, (void)pred, (void)reg, (void)sx, (void)canon, (void)setp, (void)ftz, (void)sat;       \
		for (uint32_t left = exec; left; left &= left - 1) {                                               \
			unsigned l = (unsigned)__builtin_ctz(left);
#define END \
	}   \
	}
#define GETS1(A) GET_##A(a, 0)
#define GETS2(A, B) GETS1(A) GET_##B(b, 1)
#define GETS3(A, B, C) GETS2(A, B) GET_##C(c, 2)
#define GETS4(A, B, C, E) GETS3(A, B, C) GET_##E(e, 3)
#define ONE(id, u, f, n, D, GETS, ...)     \
	BEGIN(id, u, f, n) TYPE_##D d = 0; \
	GETS __VA_ARGS__;                  \
	PUT_##D(d, 0) END
#define TWO(id, u, f, n, D, D1, GETS, ...) \
	BEGIN(id, u, f, n) TYPE_##D d = 0; \
	TYPE_##D1 d1 = 0;                  \
	GETS __VA_ARGS__;                  \
	PUT_##D(d, 0) PUT_##D1(d1, 1) END

/* One line for each signature that a rare row has. */
#define FN_D_B(id, u, f, ...) ONE(id, u, f, 1, D, GETS1(B), __VA_ARGS__)
#define FN_D_D(id, u, f, ...) ONE(id, u, f, 1, D, GETS1(D), __VA_ARGS__)
#define FN_D_DD(id, u, f, ...) ONE(id, u, f, 2, D, GETS2(D, D), __VA_ARGS__)
#define FN_D_DDD(id, u, f, ...) ONE(id, u, f, 3, D, GETS3(D, D, D), __VA_ARGS__)
#define FN_D_DDF(id, u, f, ...) ONE(id, u, f, 3, D, GETS3(D, D, F), __VA_ARGS__)
#define FN_D_DDW(id, u, f, ...) ONE(id, u, f, 3, D, GETS3(D, D, W), __VA_ARGS__)
#define FN_D_DWW(id, u, f, ...) ONE(id, u, f, 3, D, GETS3(D, W, W), __VA_ARGS__)
#define FN_D_H(id, u, f, ...) ONE(id, u, f, 1, D, GETS1(H), __VA_ARGS__)
#define FN_D_W(id, u, f, ...) ONE(id, u, f, 1, D, GETS1(W), __VA_ARGS__)
#define FN_F_D(id, u, f, ...) ONE(id, u, f, 1, F, GETS1(D), __VA_ARGS__)
#define FN_F_F(id, u, f, ...) ONE(id, u, f, 1, F, GETS1(F), __VA_ARGS__)
#define FN_F_FF(id, u, f, ...) ONE(id, u, f, 2, F, GETS2(F, F), __VA_ARGS__)
#define FN_F_FFF(id, u, f, ...) ONE(id, u, f, 3, F, GETS3(F, F, F), __VA_ARGS__)
#define FN_F_G(id, u, f, ...) ONE(id, u, f, 1, F, GETS1(G), __VA_ARGS__)
#define FN_F_HF(id, u, f, ...) ONE(id, u, f, 2, F, GETS2(H, F), __VA_ARGS__)
#define FN_F_HHF(id, u, f, ...) ONE(id, u, f, 3, F, GETS3(H, H, F), __VA_ARGS__)
#define FN_F_W(id, u, f, ...) ONE(id, u, f, 1, F, GETS1(W), __VA_ARGS__)
#define FN_G_B(id, u, f, ...) ONE(id, u, f, 1, G, GETS1(B), __VA_ARGS__)
#define FN_G_D(id, u, f, ...) ONE(id, u, f, 1, G, GETS1(D), __VA_ARGS__)
#define FN_G_G(id, u, f, ...) ONE(id, u, f, 1, G, GETS1(G), __VA_ARGS__)
#define FN_G_GG(id, u, f, ...) ONE(id, u, f, 2, G, GETS2(G, G), __VA_ARGS__)
#define FN_G_GGF(id, u, f, ...) ONE(id, u, f, 3, G, GETS3(G, G, F), __VA_ARGS__)
#define FN_G_GGG(id, u, f, ...) ONE(id, u, f, 3, G, GETS3(G, G, G), __VA_ARGS__)
#define FN_G_GGW(id, u, f, ...) ONE(id, u, f, 3, G, GETS3(G, G, W), __VA_ARGS__)
#define FN_G_H(id, u, f, ...) ONE(id, u, f, 1, G, GETS1(H), __VA_ARGS__)
#define FN_H_B(id, u, f, ...) ONE(id, u, f, 1, H, GETS1(B), __VA_ARGS__)
#define FN_H_BB(id, u, f, ...) ONE(id, u, f, 2, H, GETS2(B, B), __VA_ARGS__)
#define FN_H_D(id, u, f, ...) ONE(id, u, f, 1, H, GETS1(D), __VA_ARGS__)
#define FN_H_F(id, u, f, ...) ONE(id, u, f, 1, H, GETS1(F), __VA_ARGS__)
#define FN_H_FF(id, u, f, ...) ONE(id, u, f, 2, H, GETS2(F, F), __VA_ARGS__)
#define FN_H_G(id, u, f, ...) ONE(id, u, f, 1, H, GETS1(G), __VA_ARGS__)
#define FN_H_H(id, u, f, ...) ONE(id, u, f, 1, H, GETS1(H), __VA_ARGS__)
#define FN_H_HH(id, u, f, ...) ONE(id, u, f, 2, H, GETS2(H, H), __VA_ARGS__)
#define FN_H_HHF(id, u, f, ...) ONE(id, u, f, 3, H, GETS3(H, H, F), __VA_ARGS__)
#define FN_H_HHH(id, u, f, ...) ONE(id, u, f, 3, H, GETS3(H, H, H), __VA_ARGS__)
#define FN_H_HHW(id, u, f, ...) ONE(id, u, f, 3, H, GETS3(H, H, W), __VA_ARGS__)
#define FN_H_W(id, u, f, ...) ONE(id, u, f, 1, H, GETS1(W), __VA_ARGS__)
#define FN_PP_WW(id, u, f, ...) TWO(id, u, f, 2, P, P, GETS2(W, W), __VA_ARGS__)
#define FN_P_F(id, u, f, ...) ONE(id, u, f, 1, P, GETS1(F), __VA_ARGS__)
#define FN_P_G(id, u, f, ...) ONE(id, u, f, 1, P, GETS1(G), __VA_ARGS__)
#define FN_P_HH(id, u, f, ...) ONE(id, u, f, 2, P, GETS2(H, H), __VA_ARGS__)
#define FN_W_B(id, u, f, ...) ONE(id, u, f, 1, W, GETS1(B), __VA_ARGS__)
#define FN_W_BBBB(id, u, f, ...) ONE(id, u, f, 4, W, GETS4(B, B, B, B), __VA_ARGS__)
#define FN_W_D(id, u, f, ...) ONE(id, u, f, 1, W, GETS1(D), __VA_ARGS__)
#define FN_W_DW(id, u, f, ...) ONE(id, u, f, 2, W, GETS2(D, W), __VA_ARGS__)
#define FN_W_F(id, u, f, ...) ONE(id, u, f, 1, W, GETS1(F), __VA_ARGS__)
#define FN_W_FF(id, u, f, ...) ONE(id, u, f, 2, W, GETS2(F, F), __VA_ARGS__)
#define FN_W_G(id, u, f, ...) ONE(id, u, f, 1, W, GETS1(G), __VA_ARGS__)
#define FN_W_H(id, u, f, ...) ONE(id, u, f, 1, W, GETS1(H), __VA_ARGS__)
#define FN_W_W(id, u, f, ...) ONE(id, u, f, 1, W, GETS1(W), __VA_ARGS__)
#define FN_W_WW(id, u, f, ...) ONE(id, u, f, 2, W, GETS2(W, W), __VA_ARGS__)
#define FN_W_WWF(id, u, f, ...) ONE(id, u, f, 3, W, GETS3(W, W, F), __VA_ARGS__)
#define FN_W_WWW(id, u, f, ...) ONE(id, u, f, 3, W, GETS3(W, W, W), __VA_ARGS__)
#define FN_W_WWP(id, u, f, ...) ONE(id, u, f, 3, W, GETS3(W, W, P), __VA_ARGS__)
#define FN_D_DDP(id, u, f, ...) ONE(id, u, f, 3, D, GETS3(D, D, P), __VA_ARGS__)
#define FN_W_WWWD(id, u, f, ...) ONE(id, u, f, 4, W, GETS4(W, W, W, D), __VA_ARGS__)
#define FN_W_WWWP(id, u, f, ...) ONE(id, u, f, 4, W, GETS4(W, W, W, P), __VA_ARGS__)
#define FN_D_DDDP(id, u, f, ...) ONE(id, u, f, 4, D, GETS4(D, D, D, P), __VA_ARGS__)
#define FN_WP_WW(id, u, f, ...) TWO(id, u, f, 2, W, P, GETS2(W, W), __VA_ARGS__)
#define FN_WP_WWP(id, u, f, ...) TWO(id, u, f, 3, W, P, GETS3(W, W, P), __VA_ARGS__)
#define FN_WP_WWW(id, u, f, ...) TWO(id, u, f, 3, W, P, GETS3(W, W, W), __VA_ARGS__)
#define FN_WP_WWWP(id, u, f, ...) TWO(id, u, f, 4, W, P, GETS4(W, W, W, P), __VA_ARGS__)
#define FN_DP_DD(id, u, f, ...) TWO(id, u, f, 2, D, P, GETS2(D, D), __VA_ARGS__)
#define FN_DP_DDP(id, u, f, ...) TWO(id, u, f, 3, D, P, GETS3(D, D, P), __VA_ARGS__)
#define FN_DP_DDD(id, u, f, ...) TWO(id, u, f, 3, D, P, GETS3(D, D, D), __VA_ARGS__)
#define FN_DP_DDDP(id, u, f, ...) TWO(id, u, f, 4, D, P, GETS4(D, D, D, P), __VA_ARGS__)

#define OP(...)
#define OPR(id, text, sig, unit, flags, ...) FN_##sig(id, unit, flags, __VA_ARGS__)
#define OPA(...)
#define OPX(...)
#include "analyzer/ir/ops.def"

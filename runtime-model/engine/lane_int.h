/* Pure functions of one lane for the rarer integer rows; see lane.h. */
#ifndef REGLOOM_LANE_INT_H
#define REGLOOM_LANE_INT_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/lane.h"

/* Predicates p and c, bit by bit, as a comparison combines them; how: enum cmp_bool, not CB_NONE. */
static inline uint32_t combined(unsigned how, uint32_t p, uint32_t c)
{
	if (how == CB_AND)
		return p & c;
	return how == CB_OR ? p | c : p ^ c;
}

/* What address a of shared memory names, in the CTA of that rank; own: the rank of the CTA that asks, whose own memory
 * has no window. */
static inline uint32_t mapa(uint32_t a, uint32_t rank, uint32_t own)
{
	const uint32_t at = a - CLUSTER_OFFSET < CLUSTER_MAX * CLUSTER_BYTES ? (a - CLUSTER_OFFSET) % CLUSTER_BYTES : a;

	if (rank == own)
		return at;
	return rank < CLUSTER_MAX ? CLUSTER_OFFSET + rank * CLUSTER_BYTES + at : CLUSTER_NOWHERE;
}
static inline uint32_t rank_of(uint32_t a, uint32_t own)
{
	return a - CLUSTER_OFFSET < CLUSTER_MAX * CLUSTER_BYTES ? (a - CLUSTER_OFFSET) / CLUSTER_BYTES : own;
}

/* Bits 16 to 47 of the product of two 24-bit numbers. */
static inline uint32_t mul24_hi_u(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16);
}
static inline uint32_t mul24_hi_s(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)((int64_t)(int32_t)sx24(a) * (int32_t)sx24(b)) >> 16);
}

static inline uint32_t min_u16x2(uint32_t a, uint32_t b)
{
	uint32_t low = (uint16_t)a < (uint16_t)b ? a & 0xffff : b & 0xffff;

	return (a >> 16 < b >> 16 ? a & 0xffff0000 : b & 0xffff0000) | low;
}
static inline uint32_t min_s16x2(uint32_t a, uint32_t b)
{
	return min_u16x2(a ^ 0x80008000, b ^ 0x80008000) ^ 0x80008000;
}
static inline uint32_t min_u8x4(uint32_t a, uint32_t b)
{
	uint32_t d = 0;

	for (unsigned i = 0; i < 32; i += 8)
		d |= ((a >> i & 255) < (b >> i & 255) ? a >> i & 255 : b >> i & 255) << i;
	return d;
}
static inline uint32_t min_s8x4(uint32_t a, uint32_t b)
{
	return min_u8x4(a ^ 0x80808080, b ^ 0x80808080) ^ 0x80808080;
}
/* a - b part by part; TOP: the highest bits of the parts. */
static inline uint32_t sub_parts(uint32_t a, uint32_t b, uint32_t top)
{
	return ((a | top) - (b & ~top)) ^ ((a ^ ~b) & top);
}
static inline uint32_t min_s32(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a : b; }
static inline uint32_t max_s32(uint32_t a, uint32_t b) { return (int32_t)a > (int32_t)b ? a : b; }
static inline uint32_t relu_s32(uint32_t a) { return (int32_t)a > 0 ? a : 0; }
static inline uint32_t relu_s16x2(uint32_t a)
{
	return a & ((a & 0x8000 ? 0 : 0xffffu) | (a & 0x80000000 ? 0 : 0xffff0000u));
}

/* SA, SB: 0x8000 and 0x80 where a's halves and b's bytes have a sign, else 0. */
static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, uint32_t sa, uint32_t sb)
{
	for (unsigned i = 0; i < 2; i++)
		c += (((a >> 16 * i & 0xffff) ^ sa) - sa) * (((b >> 8 * i & 255) ^ sb) - sb);
	return c;
}

static inline uint32_t bfind_u64(uint64_t a) { return a ? 63 - (uint32_t)__builtin_clzll(a) : UINT32_MAX; }
static inline uint32_t shift_of(uint32_t bit, uint32_t msb) { return bit == UINT32_MAX ? bit : msb - bit; }

/* N = offset: the n-th set bit of mask from base up, its n-th from base down if negative; 0: base itself, if it is
 * set. */
static inline uint32_t fns(uint32_t mask, uint32_t base, uint32_t offset)
{
	int32_t left = (int32_t)offset;
	int64_t step = left < 0 ? -1 : 1;

	if (left == 0)
		return base < 32 && mask >> (base & 31) & 1 ? base : UINT32_MAX;
	for (int64_t at = base; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && (left -= (int32_t)step) == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

/* LEN ones from bit a up. */
static inline uint32_t bmsk(uint32_t a, uint32_t len, bool beyond)
{
	return beyond ? 0 : (uint32_t)(low_ones(len) << (a & 31));
}

/* The low n <= 32 bits of a, sign-extended; n = 0: 0. */
static inline uint32_t sign_from(uint32_t a, uint32_t n)
{
	return n == 0 ? 0 : (uint32_t)((int32_t)(a << (32 - n)) >> (32 - n));
}

#endif

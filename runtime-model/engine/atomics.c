/* Atomics and reductions (OPA rows): one lane after the other, in lane order; on global memory that other threads are
 * at, too, by the host's atomic instructions. Addresses are aligned, by the ISA and in the host's memory. Never
 * vectors, so compiled once for all tables of lanes.c. In the semantics a is the old value in memory, b and c the
 * operands, d the new value. */
#include "runtime-model/engine/lanes.h"

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/lane_half.h"

#include <string.h>

static inline const uint32_t *source(const struct xinsn *x, unsigned s, const uint32_t *reg, const uint32_t *konst)
{
	return (x->src[s] < 0 ? konst : reg) + (x->src[s] & INT32_MAX);
}

static inline uint64_t pair(const uint32_t *p, unsigned l) { return (uint64_t)p[l + 32] << 32 | p[l]; }
static inline void put_pair(uint32_t *p, unsigned l, uint64_t v)
{
	p[l] = (uint32_t)v;
	p[l + 32] = (uint32_t)(v >> 32);
}

#define TYPE_H uint16_t
#define TYPE_W uint32_t
#define TYPE_D uint64_t
#define TYPE_F float
#define TYPE_G double
#define GET_H(v, s) uint16_t v = (uint16_t)source(x, s, reg, konst)[l];
#define GET_W(v, s) uint32_t v = source(x, s, reg, konst)[l];
#define GET_D(v, s) uint64_t v = pair(source(x, s, reg, konst), l);
#define GET_F(v, s)                                    \
	float v = f32_of(source(x, s, reg, konst)[l]); \
	IN_F(v)
#define GET_G(v, s) double v = f64_of(pair(source(x, s, reg, konst), l));
#define OLD_H pd[l] = old;
#define OLD_W pd[l] = old;
#define OLD_F pd[l] = bits_f32(old);
#define OLD_D put_pair(pd, l, old);
#define OLD_G put_pair(pd, l, bits_f64(old));
/* In global memory the units for atomics know no subnormal floats; those of shared memory do (PTX ISA, atom). */
#define IN_H(v)
#define IN_W(v)
#define IN_D(v)
#define IN_F(v) v = global >> l & 1 ? flush_f32(v) : v;
#define IN_G(v)
#define NEW_H(d)
#define NEW_W(d)
#define NEW_D(d)
#define NEW_F(d) IN_F(d) d = f32_of(canonical_f32(d));
#define NEW_G(d)

#define BITS_H uint16_t
#define BITS_W uint32_t
#define BITS_D uint64_t
#define BITS_F uint32_t
#define BITS_G uint64_t
#define ATOMIC(id, L, MORE, OLD, ...)                                                                       \
	static uint32_t at_##id(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t exec, \
				uint32_t global, unsigned char *const mem[])                                \
	{                                                                                                   \
		enum { slow = true };                                                                       \
		(void)slow;                                                                                 \
		uint32_t *const pd = reg + x->dst[0];                                                       \
		const uint32_t together = x->together ? global : 0;                                         \
		uint32_t changed = 0;                                                                       \
		(void)pd;                                                                                   \
		for (uint32_t left = exec; left; left &= left - 1) {                                        \
			unsigned l = (unsigned)__builtin_ctz(left);                                         \
			BITS_##L *at = (void *)mem[l], was, becomes;                                        \
			TYPE_##L old, a, d;                                                                 \
			was = together ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : *at;                       \
			do {                                                                                \
				memcpy(&old, &was, sizeof old);                                             \
				a = old;                                                                    \
				IN_##L(a)                                                                   \
				{                                                                           \
					GET_##L(b, 1)(void) a;                                              \
					MORE d = a;                                                         \
					__VA_ARGS__;                                                        \
				}                                                                           \
				NEW_##L(d) memcpy(&becomes, &d, sizeof d);                                  \
			} while (together >> l & 1 &&                                                       \
				 !__atomic_compare_exchange_n(at, &was, becomes, false, __ATOMIC_ACQ_REL,   \
							      __ATOMIC_ACQUIRE));                           \
			if (!(together >> l & 1))                                                           \
				*at = becomes;                                                              \
			changed |= (uint32_t)(was != becomes) << l;                                         \
			OLD                                                                                 \
		}                                                                                           \
		return changed;                                                                             \
	}
#define FN_H_MH(id, ...) ATOMIC(id, H, , OLD_H, __VA_ARGS__)
#define FN_W_MW(id, ...) ATOMIC(id, W, , OLD_W, __VA_ARGS__)
#define FN_D_MD(id, ...) ATOMIC(id, D, , OLD_D, __VA_ARGS__)
#define FN_F_MF(id, ...) ATOMIC(id, F, , OLD_F, __VA_ARGS__)
#define FN_G_MG(id, ...) ATOMIC(id, G, , OLD_G, __VA_ARGS__)
#define FN_H_MHH(id, ...) ATOMIC(id, H, GET_H(c, 2), OLD_H, __VA_ARGS__)
#define FN_W_MWW(id, ...) ATOMIC(id, W, GET_W(c, 2), OLD_W, __VA_ARGS__)
#define FN_D_MDD(id, ...) ATOMIC(id, D, GET_D(c, 2), OLD_D, __VA_ARGS__)
#define FN_O_MH(id, ...) ATOMIC(id, H, , , __VA_ARGS__)
#define FN_O_MW(id, ...) ATOMIC(id, W, , , __VA_ARGS__)
#define FN_O_MD(id, ...) ATOMIC(id, D, , , __VA_ARGS__)
#define FN_O_MF(id, ...) ATOMIC(id, F, , , __VA_ARGS__)
#define FN_O_MG(id, ...) ATOMIC(id, G, , , __VA_ARGS__)

#define OP(...)
#define OPR(...)
#define OPX(...)
#define OPA(id, text, sig, unit, flags, ...) FN_##sig(id, __VA_ARGS__)
#include "analyzer/ir/ops.def"

atom_fn *const atomics[OP_COUNT] = {
#define OP(...)
#define OPR(...)
#define OPX(...)
#define OPA(id, ...) [OP_##id] = at_##id,
#include "analyzer/ir/ops.def"
};

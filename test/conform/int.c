/* Integer arithmetic: the numbers are computed in 128 bits, then cut to the type. */
#include "test/conform/arith.h"

#define A number_of(t->src[0], trial_type(t, 0))
#define B number_of(t->src[1], trial_type(t, 0))
#define C number_of(t->src[2], trial_type(t, 0))

static bool fits(struct trial *t, const uint64_t got[2], wide n)
{
	enum scalar_type type = trial_type(t, 0);

	return is(t, got, wrap(trial_has(t, "sat") ? saturate(n, type) : n, bits_of(type)));
}

static bool o_add(struct trial *t, const uint64_t got[2]) { return fits(t, got, A + B); }
static bool o_sub(struct trial *t, const uint64_t got[2]) { return fits(t, got, A - B); }
/* .relu: a negative result is 0. Two numbers in a register: each by itself. */
static bool minmax(struct trial *t, const uint64_t got[2], bool max)
{
	enum scalar_type type;
	if (trial_type(t, 0) != TY_COUNT)
		type = trial_type(t, 0);
	else
		type = trial_has(t, "u16x2") ? TY_U16 : TY_S16;
	unsigned bits = bits_of(type);
	uint64_t d = 0;

	for (unsigned at = 0; at < (trial_type(t, 0) == TY_COUNT ? 32 : bits); at += bits) {
		wide a = number_of(t->src[0] >> at, type), b = number_of(t->src[1] >> at, type),
		     m = (a < b) == max ? b : a;

		d |= wrap(m < 0 && trial_has(t, "relu") ? 0 : m, bits) << at;
	}
	return is(t, got, d);
}
static bool o_min(struct trial *t, const uint64_t got[2]) { return minmax(t, got, false); }
static bool o_max(struct trial *t, const uint64_t got[2]) { return minmax(t, got, true); }
static bool o_add2(struct trial *t, const uint64_t got[2])
{
	return is(t, got,
		  ((t->src[0] + t->src[1]) & 0xffff) | (((t->src[0] >> 16) + (t->src[1] >> 16)) & 0xffff) << 16);
}

static bool o_abs(struct trial *t, const uint64_t got[2]) { return fits(t, got, A < 0 ? -A : A); }
static bool o_neg(struct trial *t, const uint64_t got[2]) { return fits(t, got, -A); }
static bool o_sad(struct trial *t, const uint64_t got[2]) { return fits(t, got, C + (A < B ? B - A : A - B)); }

/* The high half of a product of numbers of n bits: floor(product / 2^n). */
static wide high(wide product, unsigned n) { return product >> n; }

/* mul and mad: .lo, .hi of the type, .wide to twice the type. A product of two unsigned 64-bit numbers is unsigned. */
static wide product(const struct trial *t)
{
	enum scalar_type type = trial_type(t, 0);
	wide p = is_signed(type) ? A * B : (wide)((uwide)A * (uwide)B);

	if (!trial_has(t, "hi"))
		return p;
	return is_signed(type) ? high(p, bits_of(type)) : (wide)((uwide)p >> bits_of(type));
}
static bool o_mul(struct trial *t, const uint64_t got[2])
{
	return is(t, got, wrap(product(t), bits_of(trial_type(t, 0)) * (trial_has(t, "wide") ? 2 : 1)));
}
static bool o_mad(struct trial *t, const uint64_t got[2])
{
	enum scalar_type type = trial_type(t, 0);
	unsigned bits = bits_of(type);

	if (trial_has(t, "wide"))
		return is(t, got, wrap(product(t) + (wide)t->src[2], 2 * bits));
	return fits(t, got, product(t) + C);
}

/* mul24 and mad24: 24-bit operands, the low 32 or the high 32 of the 48 bits. */
static wide product24(const struct trial *t)
{
	wide limit = 1 << 24, a = (wide)(t->src[0] % (uint64_t)limit), b = (wide)(t->src[1] % (uint64_t)limit), p;

	if (is_signed(trial_type(t, 0))) {
		a = a >= limit / 2 ? a - limit : a;
		b = b >= limit / 2 ? b - limit : b;
	}
	p = a * b;
	return number_of(wrap(trial_has(t, "hi") ? high(p, 16) : p, 32), trial_type(t, 0));
}
static bool o_mul24(struct trial *t, const uint64_t got[2]) { return is(t, got, wrap(product24(t), 32)); }
static bool o_mad24(struct trial *t, const uint64_t got[2]) { return fits(t, got, product24(t) + C); }

/* Long division by shift and subtract; toward zero. A zero divisor: docs/SEMANTICS.md. */
static void divide(uint64_t a, uint64_t b, uint64_t *q, uint64_t *r)
{
	*q = 0;
	*r = 0;
	for (int i = 63; i >= 0; i--) {
		bool carry = *r >> 63;

		*r = *r << 1 | (a >> i & 1);
		if (carry || *r >= b) {
			*r -= b;
			*q |= (uint64_t)1 << i;
		}
	}
}
static bool o_divrem(struct trial *t, const uint64_t got[2], bool rem)
{
	unsigned bits = bits_of(trial_type(t, 0));
	wide a = A, b = B;
	uint64_t q, r;

	if (b == 0)
		return is(t, got, wrap(rem ? a : -1, bits));
	divide((uint64_t)(a < 0 ? -a : a), (uint64_t)(b < 0 ? -b : b), &q, &r);
	if (rem)
		return is(t, got, wrap(a < 0 ? -(wide)r : (wide)r, bits));
	return is(t, got, wrap((a < 0) != (b < 0) ? -(wide)q : (wide)q, bits));
}
static bool o_div(struct trial *t, const uint64_t got[2]) { return o_divrem(t, got, false); }
static bool o_rem(struct trial *t, const uint64_t got[2]) { return o_divrem(t, got, true); }

/* dp4a.atype.btype: bytes of a by bytes of b. */
static bool o_dp4a(struct trial *t, const uint64_t got[2])
{
	enum scalar_type sa = is_signed(trial_type(t, 0)) ? TY_S8 : TY_U8,
			 sb = is_signed(trial_type(t, 1)) ? TY_S8 : TY_U8;
	wide sum = (wide)t->src[2];

	for (unsigned i = 0; i < 4; i++)
		sum += number_of(t->src[0] >> 8 * i, sa) * number_of(t->src[1] >> 8 * i, sb);
	return is(t, got, wrap(sum, 32));
}

/* dp2a.mode.atype.btype: halves of a by the low or high two bytes of b. */
static bool o_dp2a(struct trial *t, const uint64_t got[2])
{
	enum scalar_type sa = is_signed(trial_type(t, 0)) ? TY_S16 : TY_U16,
			 sb = is_signed(trial_type(t, 1)) ? TY_S8 : TY_U8;
	wide sum = (wide)t->src[2];

	for (unsigned i = 0; i < 2; i++)
		sum += number_of(t->src[0] >> 16 * i, sa) *
		       number_of(t->src[1] >> (trial_has(t, "hi") ? 16 : 0) >> 8 * i, sb);
	return is(t, got, wrap(sum, 32));
}

#define INT(base, check) \
	{ base "*.u*", check, NULL }, { base "*.s*", check, NULL }
const struct oracle oracles_int[] = {
	INT("add", o_add),    INT("sub", o_sub),     INT("abs", o_abs),     INT("neg", o_neg),
	INT("min", o_min),    INT("max", o_max),     INT("sad", o_sad),     INT("mul", o_mul),
	INT("mad", o_mad),    INT("mul24", o_mul24), INT("mad24", o_mad24), INT("div", o_div),
	INT("rem", o_rem),    INT("dp4a", o_dp4a),   INT("dp2a", o_dp2a),   { "add.u16x2", o_add2, NULL },
	{ NULL, NULL, NULL },
};

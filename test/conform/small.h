/* Binary formats and exact rounding for the oracles of half.c and convert.c: a number is an MPFR value with enough bits
 * to be exact; rounding scales it by the unit of its place and takes an integral part. */
#ifndef REGLOOM_CONFORM_SMALL_H
#define REGLOOM_CONFORM_SMALL_H

#include "test/conform/conform.h"

#include <math.h>
#define MPFR_USE_INTMAX_T 1
#include <mpfr.h>

enum way { NEAREST, AWAY, ZERO, DOWN, UP };

struct format {
	int bits, precision, emin; /* emin: exponent of the least normal number */
	double max;
	/* codes; inf 0: no infinity. What lies above inf, or is nan, is a NaN; nan 0: none */
	uint64_t inf, nan;
};

static const struct format fmt_f16 = { 16, 11, -14, 65504, 0x7c00, 0x7fff };
static const struct format fmt_bf16 = { 16, 8, -126, 0x1.fep127, 0x7f80, 0x7fff };
static const struct format fmt_f32 = { 32, 24, -126, 0x1.fffffep127, 0x7f800000, 0x7fffffff };
static const struct format fmt_f64 = { 64, 53, -1022, 0x1.fffffffffffffp1023, 0x7ff0000000000000, 0xfff8000000000000 };

static inline bool fmt_nan(const struct format *f, uint64_t v)
{
	v &= ((uint64_t)1 << (f->bits - 1)) - 1;
	return f->inf ? v > f->inf : f->nan && v == f->nan;
}

static inline double fmt_value(const struct format *f, uint64_t v)
{
	uint64_t sign = v >> (f->bits - 1) & 1, e, m;
	double d;

	v &= ((uint64_t)1 << (f->bits - 1)) - 1;
	e = v >> (f->precision - 1);
	m = v & (((uint64_t)1 << (f->precision - 1)) - 1);
	if (fmt_nan(f, v))
		return NAN;
	if (f->inf && v == f->inf)
		d = INFINITY;
	else if (e == 0)
		d = ldexp((double)m, f->emin - f->precision + 1);
	else
		d = ldexp((double)(m | (uint64_t)1 << (f->precision - 1)), f->emin + (int)e - f->precision);
	return sign ? -d : d;
}

/* Of a number of the format. */
static inline uint64_t fmt_bits(const struct format *f, double d)
{
	uint64_t sign = (uint64_t)(signbit(d) != 0) << (f->bits - 1), unit;
	int e;

	if (isnan(d))
		return f->nan;
	d = fabs(d);
	if (isinf(d))
		return sign | f->inf;
	if (d == 0)
		return sign;
	frexp(d, &e);
	e = e - 1 < f->emin ? f->emin : e - 1;
	unit = (uint64_t)ldexp(d, f->precision - 1 - e);
	return sign | (unit + ((uint64_t)(e - f->emin) << (f->precision - 1)));
}

/* FINITE: overflow gives the largest number. */
static inline uint64_t fmt_round(const struct format *f, mpfr_t x, enum way how, bool finite)
{
	static mpfr_t y;
	static bool have;
	bool neg = mpfr_signbit(x), outward = how == NEAREST || how == AWAY || how == (neg ? DOWN : UP);
	double d, most;
	int e;

	if (!have)
		mpfr_init2(y, 1200);
	have = true;
	if (mpfr_nan_p(x))
		return f->nan;
	if (mpfr_zero_p(x))
		return fmt_bits(f, neg ? -0.0 : 0.0);
	most = finite || !f->inf ? f->max : INFINITY;
	if (mpfr_inf_p(x))
		return fmt_bits(f, neg ? -most : most);
	e = (int)mpfr_get_exp(x) - 1;
	e = (e < f->emin ? f->emin : e) - f->precision + 1;
	mpfr_mul_2si(y, x, -e, MPFR_RNDN);
	switch (how) {
	case NEAREST:
		mpfr_rint(y, y, MPFR_RNDN);
		break;
	case AWAY:
		mpfr_round(y, y);
		break;
	case ZERO:
		mpfr_trunc(y, y);
		break;
	case DOWN:
		mpfr_floor(y, y);
		break;
	case UP:
		mpfr_ceil(y, y);
		break;
	}
	mpfr_mul_2si(y, y, e, MPFR_RNDN);
	if (mpfr_cmpabs(y, (mpfr_set_d(x, f->max, MPFR_RNDN), x)) > 0) /* x is done with */
	{
		most = finite || !outward ? f->max : INFINITY;
		return fmt_bits(f, neg ? -most : most);
	}
	d = mpfr_get_d(y, MPFR_RNDN);
	return fmt_bits(f, d == 0 && neg ? -0.0 : d);
}

static inline enum way way_of(const struct trial *t)
{
	if (trial_has(t, "rz"))
		return ZERO;
	if (trial_has(t, "rm"))
		return DOWN;
	if (trial_has(t, "rp"))
		return UP;
	return trial_has(t, "rna") ? AWAY : NEAREST;
}

static inline bool fmt_subnormal(const struct format *f, uint64_t v)
{
	return !fmt_nan(f, v) && fabs(fmt_value(f, v)) < ldexp(1, f->emin);
}
/* .ftz of a source or result; .sat and .relu of a result. */
static inline uint64_t fmt_flush(const struct format *f, uint64_t v, bool ftz)
{
	return ftz && fmt_subnormal(f, v) ? v & (uint64_t)1 << (f->bits - 1) : v;
}
static inline uint64_t fmt_limit(const struct format *f, uint64_t v, bool sat, bool relu)
{
	double d = fmt_value(f, v);

	if (sat) {
		if (isnan(d) || signbit(d))
			return 0;
		return d > 1 ? fmt_bits(f, 1) : v;
	}
	return relu && !isnan(d) && signbit(d) ? 0 : v;
}

#endif

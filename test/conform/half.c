/* f16, bf16, their pairs and mixed precision: MPFR computes exactly and rounds once. */
#include "test/conform/small.h"

#include <stdio.h>
#include <string.h>

static mpfr_t x[3], d;

static void ready(void)
{
	static bool have;

	for (unsigned i = 0; !have && i < 3; i++)
		mpfr_init2(x[i], 64);
	if (!have)
		mpfr_init2(d, 1200);
	have = true;
}

static bool base_is(const struct trial *t, const char *name)
{
	size_t len;
	const char *s = trial_part(t, 0, &len);

	return len == strlen(name) && memcmp(s, name, len) == 0;
}

static const struct format *half_of(const struct trial *t)
{
	return trial_has(t, "bf16") || trial_has(t, "bf16x2") ? &fmt_bf16 : &fmt_f16;
}

static bool pairs(const struct trial *t) { return trial_has(t, "f16x2") || trial_has(t, "bf16x2"); }

/* One function of one half, for both. */
typedef uint64_t half_fn(const struct trial *t, const struct format *f, const uint64_t s[3]);

static bool each(struct trial *t, const uint64_t got[2], half_fn *fn)
{
	const struct format *f = half_of(t);

	t->want[0] = 0;
	for (unsigned h = 0; h < (pairs(t) ? 2u : 1u); h++) {
		uint64_t s[3];

		for (unsigned i = 0; i < 3; i++)
			s[i] = fmt_flush(f, t->src[i] >> 16 * h & 0xffff, t->mods & MOD_FTZ);
		t->want[0] |= fn(t, f, s) << 16 * h;
	}
	return got[0] == t->want[0];
}

/* ---- arithmetic ---- */
/* Of exact operands, all three formats given; exact but for the sign of a zero, which follows the rounding. */
static uint64_t operation(const struct trial *t, const struct format *const from[3], const struct format *to,
			  const uint64_t s[3])
{
	enum way how = way_of(t);
	mpfr_rnd_t zero = how == DOWN ? MPFR_RNDD : MPFR_RNDN;
	uint64_t v;

	ready();
	for (unsigned i = 0; i < 3; i++)
		mpfr_set_d(x[i], fmt_value(from[i], s[i]), MPFR_RNDN);
	if (base_is(t, "add"))
		mpfr_add(d, x[0], x[1], zero);
	else if (base_is(t, "sub"))
		mpfr_sub(d, x[0], x[1], zero);
	else if (base_is(t, "mul"))
		mpfr_mul(d, x[0], x[1], zero);
	else
		mpfr_fma(d, x[0], x[1], x[2], zero);
	v = fmt_round(to, d, how, false);
	v = fmt_flush(to, v, t->mods & MOD_FTZ);
	return fmt_limit(to, v, t->mods & MOD_SAT, trial_has(t, "relu"));
}

static uint64_t arith(const struct trial *t, const struct format *f, const uint64_t s[3])
{
	const struct format *const from[3] = { f, f, f };

	return operation(t, from, f, s);
}
static bool o_arith(struct trial *t, const uint64_t got[2]) { return each(t, got, arith); }

/* add.f32.f16 d, a, c; fma.rn.f32.f16 d, a, b, c */
static bool o_mixed(struct trial *t, const uint64_t got[2])
{
	const struct format *h = half_of(t), *const from[3] = { h, base_is(t, "fma") ? h : &fmt_f32, &fmt_f32 };

	t->want[0] = operation(t, from, &fmt_f32, t->src);
	return got[0] == t->want[0];
}

/* ---- sign, minimum, maximum ---- */
static uint64_t sign(const struct trial *t, const struct format *f, const uint64_t s[3])
{
	double v = fmt_value(f, s[0]);

	if (isnan(v))
		return 0x7fff;
	return fmt_bits(f, base_is(t, "abs") ? fabs(v) : -v);
}
static bool o_sign(struct trial *t, const uint64_t got[2]) { return each(t, got, sign); }

/* The pseudo-code of the ISA. */
static uint64_t minmax(const struct trial *t, const struct format *f, const uint64_t s[3])
{
	double a = fmt_value(f, s[0]), b = fmt_value(f, s[1]), r;
	bool negative = signbit(s[0] & 0x8000 ? -1.0 : 1.0) != signbit(s[1] & 0x8000 ? -1.0 : 1.0), take_a;

	if (trial_has(t, "xorsign")) {
		a = fabs(a);
		b = fabs(b);
	}
	if ((isnan(a) && isnan(b)) || (trial_has(t, "NaN") && (isnan(a) || isnan(b))))
		return 0x7fff;
	take_a = a == b ? signbit(a) != 0 : a < b;
	if (isnan(a))
		r = b;
	else if (isnan(b))
		r = a;
	else
		r = take_a == base_is(t, "min") ? a : b;
	return fmt_bits(f, trial_has(t, "xorsign") && negative ? -r : r);
}
static bool o_minmax(struct trial *t, const uint64_t got[2]) { return each(t, got, minmax); }

/* ---- comparison ---- */
static bool holds(const struct trial *t, const struct format *f, uint64_t va, uint64_t vb)
{
	size_t len;
	const char *cmp = trial_part(t, 1, &len);
	double a = fmt_value(f, fmt_flush(f, va, t->mods & MOD_FTZ)),
	       b = fmt_value(f, fmt_flush(f, vb, t->mods & MOD_FTZ));
	bool nan = isnan(a) || isnan(b), loose = len == 3 && cmp[2] == 'u';

	if (!strncmp(cmp, "num", 3) || !strncmp(cmp, "nan", 3))
		return nan == (cmp[1] == 'a');
	if (nan)
		return loose;
	switch (cmp[0] << 8 | cmp[1]) {
	case 'e' << 8 | 'q':
		return a == b;
	case 'n' << 8 | 'e':
		return a != b;
	case 'l' << 8 | 't':
		return a < b;
	case 'l' << 8 | 'e':
		return a <= b;
	case 'g' << 8 | 't':
		return a > b;
	default:
		return a >= b;
	}
}

/* Alone, and with each Boolean operator on a predicate c that is s0 < s1 as bits, or its negation. */
static bool w_setp(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	static const char *const how[] = { "", ".and", ".or", ".xor", ".and", ".or", ".xor" };
	const char *type = strrchr(mnemonic, '.'), *dst = pairs(t) ? "d0|d1" : "d0", *sign = n > 3 ? "!" : "";

	v->tag = n;
	if (n > 6)
		return false;
	if (n == 0)
		snprintf(v->ptx, sizeof v->ptx, "%s %s, s0, s1;", mnemonic, dst);
	else
		snprintf(v->ptx, sizeof v->ptx, "{ .reg .pred c; setp.lt.u%s c, s0, s1; %.*s%s%s %s, s0, s1, %sc; }",
			 pairs(t) ? "32" : "16", (int)(type - mnemonic), mnemonic, how[n], type, dst, sign);
	return true;
}

static bool o_setp(struct trial *t, const uint64_t got[2])
{
	const struct format *f = half_of(t);
	bool c = (t->src[0] < t->src[1]) != (t->v->tag > 3);

	for (unsigned h = 0; h < (pairs(t) ? 2u : 1u); h++) {
		bool p = holds(t, f, t->src[0] >> 16 * h & 0xffff, t->src[1] >> 16 * h & 0xffff);

		switch (t->v->tag) {
		case 0:
			break;
		case 1:
		case 4:
			p &= c;
			break;
		case 2:
		case 5:
			p |= c;
			break;
		default:
			p ^= c;
			break;
		}
		t->want[h] = p;
	}
	return got[0] == t->want[0] && (!pairs(t) || got[1] == t->want[1]);
}

/* set writes 1.0, or all ones, where the comparison holds. */
static bool w_set(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	static const char *const how[] = { "", ".and", ".or", ".xor", ".and", ".or", ".xor" };

	v->tag = n;
	if (n > 6)
		return false;
	if (n == 0)
		snprintf(v->ptx, sizeof v->ptx, "%s d0, s0, s1;", mnemonic);
	else
		snprintf(v->ptx, sizeof v->ptx, "{ .reg .pred c; setp.lt.u%s c, s0, s1; set%s%s d0, s0, s1, %sc; }",
			 pairs(t) ? "32" : "16", how[n], mnemonic + 3, n > 3 ? "!" : "");
	return true;
}

static bool o_set(struct trial *t, const uint64_t got[2])
{
	enum scalar_type to = trial_type(t, 0);
	uint64_t yes = 0xffff, all = 0;

	if (to == TY_F16 || to == TY_F16X2)
		yes = 0x3c00;
	else if (to == TY_BF16 || to == TY_BF16X2)
		yes = 0x3f80;

	o_setp(t, got);
	for (unsigned h = 0; h < (pairs(t) ? 2u : 1u); h++)
		all |= t->want[h] ? yes << 16 * h : 0;
	t->want[0] = all == 0xffff && !pairs(t) && type_info[to].bits == 32 ? 0xffffffff : all;
	return got[0] == t->want[0];
}

/* ---- approximations, within the ISA's bound of the exact value ---- */
static bool near(const struct trial *t, const struct format *f, uint64_t s, uint64_t got, uint64_t *want)
{
	bool ex2 = base_is(t, "ex2"), bf = f == &fmt_bf16, ftz = ex2 && bf;
	double relative = bf ? 0x1p-8 : 0, absolute = ex2 || bf ? 0 : ldexp(pow(2, 0.013), -11);
	double exact, have = fmt_value(f, got);

	if (ex2)
		relative = bf ? 0x1p-7 : ldexp(1, -9) * pow(2, -0.9);
	ready();
	s = fmt_flush(f, s, ftz);
	mpfr_set_d(x[0], fmt_value(f, s), MPFR_RNDN);
	if (ex2)
		mpfr_exp2(x[1], x[0], MPFR_RNDN);
	else
		mpfr_tanh(x[1], x[0], MPFR_RNDN);
	exact = mpfr_get_d(x[1], MPFR_RNDN);
	*want = fmt_flush(f, fmt_round(f, x[1], NEAREST, false), ftz);
	if (got == *want)
		return true;
	return isfinite(have) && isfinite(exact) &&
	       fabs(have - exact) <= relative * fabs(exact) + absolute + ldexp(0.5, f->emin - f->precision + 1);
}
static bool o_function(struct trial *t, const uint64_t got[2])
{
	const struct format *f = half_of(t);
	bool ok = true;

	t->want[0] = 0;
	for (unsigned h = 0; h < (pairs(t) ? 2u : 1u); h++) {
		uint64_t want;

		ok &= near(t, f, t->src[0] >> 16 * h & 0xffff, got[0] >> 16 * h & 0xffff, &want);
		t->want[0] |= want << 16 * h;
	}
	return ok;
}

/* ---- packs of bytes ---- */
static bool w_bytes(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	const char *type = strrchr(mnemonic, '.');

	if (t->row->nsrc == 4)
		snprintf(v->ptx, sizeof v->ptx,
			 "{ .reg .b8 b<4>; cvt.u8.u16 b0, s0; cvt.u8.u16 b1, s1; cvt.u8.u16 b2, s2; cvt.u8.u16 b3, s3; "
			 "mov%s d0, {b0, b1, b2, b3}; }",
			 type);
	else
		snprintf(v->ptx, sizeof v->ptx,
			 "{ .reg .b8 b<2>; cvt.u8.u16 b0, s0; cvt.u8.u16 b1, s1; mov%s d0, {b0, b1}; }", type);
	return n == 0;
}
static bool o_bytes(struct trial *t, const uint64_t got[2])
{
	t->want[0] = 0;
	for (unsigned i = 0; i < t->row->nsrc; i++)
		t->want[0] += t->src[i] * (uint64_t)pow(256, i);
	return got[0] == t->want[0];
}

#define TYPES(base, check, write)                                                                          \
	{ base "*.f16", check, write }, { base "*.f16x2", check, write }, { base "*.bf16", check, write }, \
	{                                                                                                  \
		base "*.bf16x2", check, write                                                              \
	}
#define MIXED(base) \
	{ base "*.f32.f16", o_mixed, NULL }, { base "*.f32.bf16", o_mixed, NULL }

const struct oracle oracles_half[] = {
	TYPES("add", o_arith, NULL),
	TYPES("sub", o_arith, NULL),
	TYPES("mul", o_arith, NULL),
	TYPES("fma", o_arith, NULL),
	MIXED("add"),
	MIXED("sub"),
	MIXED("fma"),
	TYPES("neg", o_sign, NULL),
	TYPES("abs", o_sign, NULL),
	TYPES("min", o_minmax, NULL),
	TYPES("max", o_minmax, NULL),
	TYPES("setp", o_setp, w_setp),
	{ "set*.u32.f16", o_set, w_set },
	{ "set*.u32.bf16", o_set, w_set },
	{ "set*.u16.f16", o_set, w_set },
	{ "set*.u16.bf16", o_set, w_set },
	{ "set*.f16x2.f16x2", o_set, w_set },
	{ "set*.bf16x2.bf16x2", o_set, w_set },
	TYPES("ex2", o_function, NULL),
	TYPES("tanh", o_function, NULL),
	{ "mov.pack4.b32", o_bytes, w_bytes },
	{ "mov.pack2.b16", o_bytes, w_bytes },
	{ NULL, NULL, NULL },
};

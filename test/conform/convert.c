/* Conversions between all types: a source becomes an exact MPFR number, which is rounded once to the destination's
 * format or to an integer; integers among themselves go through 128 bits. What the ISA says of NaNs, .sat, .relu and
 * .satfinite is applied to the values. */
#include "test/conform/arith.h"
#include "test/conform/small.h"

#include <stdio.h>
#include <string.h>

/* tf32 in a register of 32 bits; e2m1 and so on have no infinity, and some no NaN. */
static const struct format fmt_tf32 = { 19, 11, -126, 0x1.ffcp127, 0x3fc00, 0x3ffff };
static const struct format fmt_e5m2 = { 8, 3, -14, 57344, 0x7c, 0x7f };
static const struct format fmt_e4m3 = { 8, 4, -6, 448, 0, 0x7f };
static const struct format fmt_e3m2 = { 6, 3, -2, 28, 0, 0 };
static const struct format fmt_e2m3 = { 6, 4, 0, 7.5, 0, 0 };
static const struct format fmt_e2m1 = { 4, 2, 0, 6, 0, 0 };

/* values in a register, bits apart */
struct kind {
	const char *name;
	const struct format *f;
	unsigned count, apart;
};
static const struct kind kinds[] = {
	{ "f16", &fmt_f16, 1, 16 },    { "bf16", &fmt_bf16, 1, 16 },  { "f32", &fmt_f32, 1, 32 },
	{ "f64", &fmt_f64, 1, 64 },    { "f16x2", &fmt_f16, 2, 16 },  { "bf16x2", &fmt_bf16, 2, 16 },
	{ "tf32", &fmt_tf32, 1, 32 },  { "e5m2x2", &fmt_e5m2, 2, 8 }, { "e4m3x2", &fmt_e4m3, 2, 8 },
	{ "e3m2x2", &fmt_e3m2, 2, 8 }, { "e2m3x2", &fmt_e2m3, 2, 8 }, { "e2m1x2", &fmt_e2m1, 2, 4 },
};

static const struct kind *kind_of(enum scalar_type type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].name, type_info[type].text) == 0)
			return &kinds[i];
	return NULL;
}

static mpfr_t x;
static void ready(void)
{
	static bool have;

	if (!have)
		mpfr_init2(x, 128);
	have = true;
}

/* How a register of the destination's letter holds a value of an integer type: 8-bit results fill one of 32 bits. */
static uint64_t in_register(const struct trial *t, wide v, enum scalar_type type)
{
	v = (wide)wrap(v, type_info[type].bits);
	if (type_info[type].kind == 's')
		v = number_of((uint64_t)v, type);
	return value_cut(t->row->sig[0], (uint64_t)v);
}

static void range_of(enum scalar_type type, wide *min, wide *max)
{
	unsigned bits = type_info[type].bits;
	bool sign = type_info[type].text[0] == 's';

	*min = sign ? -((wide)1 << (bits - 1)) : 0;
	*max = ((wide)1 << (sign ? bits - 1 : bits)) - 1;
}

static wide clamped(wide v, enum scalar_type type)
{
	wide min, max;

	range_of(type, &min, &max);
	if (v < min)
		return min;
	return v > max ? max : v;
}

static bool integers(struct trial *t, const uint64_t got[2], enum scalar_type to, enum scalar_type from)
{
	wide v = number_of(t->src[0], from);

	t->want[0] = in_register(t, trial_has(t, "sat") ? clamped(v, to) : v, to);
	return got[0] == t->want[0];
}

/* The n-th value of a source register as a number in x. */
static void load(const struct kind *k, const struct trial *t, uint64_t v, unsigned n)
{
	uint64_t mask = k->f->bits == 64 ? UINT64_MAX : ((uint64_t)1 << k->f->bits) - 1;

	v = v >> n * k->apart & mask;
	v = k->f == &fmt_f32 ? fmt_flush(k->f, v, t->mods & MOD_FTZ) : v;
	mpfr_set_d(x, fmt_value(k->f, v), MPFR_RNDN);
}

static void integral(const struct trial *t)
{
	if (trial_has(t, "rni"))
		mpfr_rint(x, x, MPFR_RNDN);
	else if (trial_has(t, "rmi"))
		mpfr_floor(x, x);
	else if (trial_has(t, "rpi"))
		mpfr_ceil(x, x);
	else
		mpfr_trunc(x, x);
}

static bool to_integer(struct trial *t, const uint64_t got[2], enum scalar_type to, const struct kind *from)
{
	wide min, max;

	load(from, t, t->src[0], 0);
	range_of(to, &min, &max);
	if (mpfr_nan_p(x)) {
		bool far = from->f == &fmt_f64 || type_info[to].bits == 64;

		t->want[0] = in_register(t, far ? (wide)1 << (type_info[to].bits - 1) : 0, to);
		return got[0] == t->want[0];
	}
	integral(t);
	if (mpfr_cmp_d(x, -0x1p70) < 0)
		mpfr_set_d(x, -0x1p70, MPFR_RNDN);
	if (mpfr_cmp_d(x, 0x1p70) > 0)
		mpfr_set_d(x, 0x1p70, MPFR_RNDN);
	/* two halves, as MPFR gives at most 64 bits */
	{
		wide v;
		mpfr_t high;

		mpfr_init2(high, 128);
		mpfr_div_2si(high, x, 40, MPFR_RNDN);
		mpfr_floor(high, high);
		v = (wide)mpfr_get_sj(high, MPFR_RNDN);
		mpfr_mul_2si(high, high, 40, MPFR_RNDN);
		mpfr_sub(x, x, high, MPFR_RNDN);
		v = v * ((wide)1 << 40) + (wide)mpfr_get_sj(x, MPFR_RNDN);
		mpfr_clear(high);
		v = v < min ? min : v;
		t->want[0] = in_register(t, v > max ? max : v, to);
	}
	return got[0] == t->want[0];
}

/* x to one value of the destination. */
static uint64_t leave(const struct trial *t, const struct format *f)
{
	bool ftz = t->mods & MOD_FTZ && f == &fmt_f32;
	uint64_t v;

	if (mpfr_nan_p(x) && !f->nan)
		return fmt_bits(f, f->max);
	v = fmt_round(f, x, way_of(t), trial_has(t, "satfinite"));
	return fmt_limit(f, fmt_flush(f, v, ftz), t->mods & MOD_SAT, trial_has(t, "relu"));
}

static bool o_cvt(struct trial *t, const uint64_t got[2])
{
	enum scalar_type to = trial_type(t, 0), from = trial_type(t, 1);
	const struct kind *k = kind_of(to), *s = kind_of(from);

	ready();
	if (!k)
		return s ? to_integer(t, got, to, s) : integers(t, got, to, from);
	t->want[0] = 0;
	for (unsigned n = 0; n < k->count; n++) {
		if (!s)
			mpfr_set_prec(x, 128),
				number_of(t->src[0], from) < 0
					? mpfr_set_sj(x, (intmax_t)number_of(t->src[0], from), MPFR_RNDN)
					: mpfr_set_uj(x, (uintmax_t)number_of(t->src[0], from), MPFR_RNDN);
		else if (s->count == k->count)
			load(s, t, t->src[0], n);
		else /* a goes above b */
			load(s, t, t->src[1 - n], 0);
		if (trial_has(t, "rni") || trial_has(t, "rzi") || trial_has(t, "rmi") || trial_has(t, "rpi"))
			integral(t);
		t->want[0] |= leave(t, k->f) << n * k->apart;
	}
	if (to == TY_TF32)
		t->want[0] = mpfr_nan_p(x) ? 0x7fffffff : t->want[0] << 13;
	return got[0] == t->want[0];
}

/* ---- operands of 8 bits have registers of 8 bits ---- */
static bool w_byte_to(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	(void)t;
	snprintf(v->ptx, sizeof v->ptx, "{ .reg .b8 b; %s b, s0, s1; cvt.u32.u8 d0, b; }", mnemonic);
	return n == 0;
}
static bool w_byte_from(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	(void)t;
	snprintf(v->ptx, sizeof v->ptx, "{ .reg .b8 b; cvt.u8.u16 b, s0; %s d0, b; }", mnemonic);
	return n == 0;
}

/* ---- ue8m0: 2^(code - 127), 255 a NaN; the size of a number alone counts ---- */
static unsigned power(const struct trial *t, double a)
{
	int e;
	bool up = trial_has(t, "rp");

	if (isnan(a))
		return 255;
	a = fabs(a);
	if (isinf(a))
		return trial_has(t, "satfinite") ? 254 : 255;
	/* the first power that is not below it, or the last not above it */
	for (e = 0; e < 255; e++)
		if (up ? ldexp(1, e - 127) >= a : ldexp(1, e + 1 - 127) > a)
			break;
	return e == 255 && trial_has(t, "satfinite") ? 254 : (unsigned)e;
}
static bool o_ue8m0(struct trial *t, const uint64_t got[2])
{
	bool pair = t->row->nsrc == 1;
	double a = pair ? fmt_value(&fmt_bf16, t->src[0] >> 16) : fmt_value(&fmt_f32, t->src[0]);
	double b = pair ? fmt_value(&fmt_bf16, t->src[0] & 0xffff) : fmt_value(&fmt_f32, t->src[1]);

	t->want[0] = power(t, a) << 8 | power(t, b);
	return got[0] == t->want[0];
}
static bool o_from_ue8m0(struct trial *t, const uint64_t got[2])
{
	t->want[0] = 0;
	for (unsigned n = 0; n < 2; n++) {
		int c = (int)(t->src[0] >> 8 * n & 255);

		t->want[0] |= (c == 255 ? 0x7fff : fmt_bits(&fmt_bf16, ldexp(1, c - 127))) << 16 * n;
	}
	return got[0] == t->want[0];
}

/* ---- cvt.pack.sat.TYPE.s32 d, a, b, c ---- */
static bool o_pack(struct trial *t, const uint64_t got[2])
{
	enum scalar_type type = trial_type(t, 0);
	unsigned bits = type_info[type].bits;
	uint64_t a = wrap(clamped(number_of(t->src[0], TY_S32), type), bits),
		 b = wrap(clamped(number_of(t->src[1], TY_S32), type), bits);

	t->want[0] = 0;
	for (unsigned i = 0; i < 32; i++) {
		if (i < bits)
			t->want[0] |= (b >> i & 1) << i;
		else if (i < 2 * bits)
			t->want[0] |= (a >> (i - bits) & 1) << i;
		else
			t->want[0] |= (t->src[2] >> (i - 2 * bits) & 1) << i;
	}
	return got[0] == t->want[0];
}

const struct oracle oracles_convert[] = {
	{ "cvt", o_cvt, NULL },
	{ "cvt.pack", o_pack, NULL },
	{ "cvt*.e2m1x2.f32", o_cvt, w_byte_to },
	{ "cvt*.f16x2.e2m1x2", o_cvt, w_byte_from },
	{ "cvt*.ue8m0x2.f32", o_ue8m0, NULL },
	{ "cvt*.ue8m0x2.bf16x2", o_ue8m0, NULL },
	{ "cvt.rn.bf16x2.ue8m0x2", o_from_ue8m0, NULL },
	{ NULL, NULL, NULL },
};

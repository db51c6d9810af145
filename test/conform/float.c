/* Floating point of 32 and 64 bits: MPFR computes, with the exponent range and the subnormal numbers of the format;
 * what only looks at bits is written on bits. Approximate functions are held to the error that the ISA allows: of
 * MPFR's value. */
#include "test/conform/conform.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

/* ---- formats ---- */
struct format {
	int precision;
	mpfr_exp_t emin, emax;
	uint64_t sign, inf;
};
static const struct format single = { 24, -148, 128, 0x80000000, 0x7f800000 };
static const struct format full = { 53, -1073, 1024, 0x8000000000000000, 0x7ff0000000000000 };

static const struct format *format_of(const struct trial *t) { return trial_type(t, 0) == TY_F64 ? &full : &single; }

static bool is_nan(const struct format *f, uint64_t v) { return (v & ~f->sign) > f->inf; }
static bool is_subnormal(const struct format *f, uint64_t v) { return (v & f->inf) == 0; }
static uint64_t flushed(uint64_t v, unsigned mods)
{
	return mods & MOD_FTZ && is_subnormal(&single, v) ? v & single.sign : v;
}

static double value_of(const struct format *f, uint64_t v)
{
	uint32_t low = (uint32_t)v;
	double d;
	float s;

	memcpy(&d, &v, sizeof d);
	memcpy(&s, &low, sizeof s);
	return f == &full ? d : (double)s;
}

static uint64_t bits_of(const struct format *f, double d)
{
	float s = (float)d;
	uint64_t v;
	uint32_t low;

	memcpy(&v, &d, sizeof v);
	memcpy(&low, &s, sizeof low);
	return f == &full ? v : low;
}

/* What a NaN result is: of floats one pattern, of doubles the first operand that is a NaN, made quiet. */
static uint64_t nan_of(const struct format *f, const uint64_t *s, unsigned n)
{
	if (f == &single)
		return 0x7fffffff;
	for (unsigned i = 0; i < n; i++)
		if (is_nan(f, s[i]))
			return s[i] | 0x0008000000000000;
	return 0xfff8000000000000;
}

/* d, rounded with ternary value TERNARY inside the format's range, to the format. */
static uint64_t leave(const struct format *f, mpfr_t d, int ternary, mpfr_rnd_t how)
{
	mpfr_subnormalize(d, ternary, how);
	return bits_of(f, mpfr_get_d(d, MPFR_RNDN));
}

static void enter(const struct format *f)
{
	mpfr_set_emin(f->emin);
	mpfr_set_emax(f->emax);
}
static void wide(void)
{
	mpfr_set_emin(-100000);
	mpfr_set_emax(100000);
}

static mpfr_rnd_t rounding_of(const struct trial *t)
{
	if (trial_has(t, "rz"))
		return MPFR_RNDZ;
	if (trial_has(t, "rm"))
		return MPFR_RNDD;
	return trial_has(t, "rp") ? MPFR_RNDU : MPFR_RNDN;
}

static bool base_is(const struct trial *t, const char *name)
{
	size_t len;
	const char *s = trial_part(t, 0, &len);

	return len == strlen(name) && memcmp(s, name, len) == 0;
}

/* ---- IEEE operations ---- */
static uint64_t operation(const struct trial *t, const struct format *f, const uint64_t in[3])
{
	mpfr_rnd_t how = rounding_of(t);
	mpfr_t x[3], d, one;
	uint64_t s[3], v;
	int i;

	for (unsigned n = 0; n < 3; n++) {
		s[n] = f == &single ? flushed(in[n], t->mods) : in[n];
		mpfr_init2(x[n], f->precision);
		mpfr_set_d(x[n], value_of(f, s[n]), MPFR_RNDN);
	}
	mpfr_init2(d, f->precision);
	mpfr_init2(one, f->precision);
	mpfr_set_ui(one, 1, MPFR_RNDN);
	enter(f);
	if (base_is(t, "add"))
		i = mpfr_add(d, x[0], x[1], how);
	else if (base_is(t, "sub"))
		i = mpfr_sub(d, x[0], x[1], how);
	else if (base_is(t, "mul"))
		i = mpfr_mul(d, x[0], x[1], how);
	else if (base_is(t, "div"))
		i = mpfr_div(d, x[0], x[1], how);
	else if (base_is(t, "rcp"))
		i = mpfr_div(d, one, x[0], how);
	else if (base_is(t, "sqrt"))
		i = mpfr_sqrt(d, x[0], how);
	else
		i = mpfr_fma(d, x[0], x[1], x[2], how);
	v = mpfr_nan_p(d) ? nan_of(f, s, t->row->nsrc) : leave(f, d, i, how);
	wide();
	if (f == &single && !is_nan(f, v))
		v = flushed(v, t->mods);
	if (t->mods & MOD_SAT) {
		if (is_nan(f, v) || v & f->sign)
			v = 0;
		else
			v = v > 0x3f800000 ? 0x3f800000 : v;
	}
	for (unsigned n = 0; n < 3; n++)
		mpfr_clear(x[n]);
	mpfr_clear(d);
	mpfr_clear(one);
	return v;
}

static bool o_exact(struct trial *t, const uint64_t got[2])
{
	t->want[0] = operation(t, format_of(t), t->src);
	return got[0] == t->want[0];
}

static bool o_two(struct trial *t, const uint64_t got[2])
{
	uint64_t low[3], high[3];

	for (unsigned i = 0; i < 3; i++) {
		low[i] = (uint32_t)t->src[i];
		high[i] = t->src[i] >> 32;
	}
	t->want[0] = operation(t, &single, low) | operation(t, &single, high) << 32;
	return got[0] == t->want[0];
}

/* ---- approximations ---- */
/* |got - x| <= ulps * ulp + size + relative * |x|; exactly the rounded x where that is zero or infinite, or got is */
struct bound {
	double ulps, size, relative;
};

/* x: the value to 200 bits. s: the operands, for a NaN. */
static bool near(struct trial *t, const struct format *f, mpfr_t x, const uint64_t *s, uint64_t got, struct bound b)
{
	mpfr_t d, e;
	int ternary;
	bool ok;

	if (mpfr_nan_p(x)) {
		t->want[0] = nan_of(f, s, t->row->nsrc);
		return got == t->want[0];
	}
	mpfr_init2(d, f->precision);
	ternary = mpfr_set(d, x, MPFR_RNDN);
	enter(f);
	t->want[0] = leave(f, d, mpfr_check_range(d, ternary, MPFR_RNDN), MPFR_RNDN);
	wide();
	if (f == &single)
		t->want[0] = flushed(t->want[0], t->mods);
	if (got == t->want[0]) {
		mpfr_clear(d);
		return true;
	}
	if ((t->want[0] & ~f->sign) == 0 || (t->want[0] & ~f->sign) >= f->inf || (got & ~f->sign) >= f->inf ||
	    (f == &single && flushed(got, t->mods) != got)) {
		mpfr_clear(d);
		return false;
	}
	mpfr_init2(e, 200);
	mpfr_set_d(e, value_of(f, got), MPFR_RNDN);
	mpfr_sub(e, e, x, MPFR_RNDN);
	mpfr_abs(e, e, MPFR_RNDN);
	mpfr_set_d(d, value_of(f, t->want[0]), MPFR_RNDN);
	ok = mpfr_get_d(e, MPFR_RNDU) <= b.size + b.relative * fabs(mpfr_get_d(x, MPFR_RNDN)) +
						 b.ulps * ldexp(1, (int)(mpfr_get_exp(d) - f->precision < f->emin - 1
										 ? f->emin - 1
										 : mpfr_get_exp(d) - f->precision));
	mpfr_clear(d);
	mpfr_clear(e);
	return ok;
}

static bool o_function(struct trial *t, const uint64_t got[2])
{
	const struct format *f = format_of(t);
	uint64_t s[2] = { f == &single ? flushed(t->src[0], t->mods) : t->src[0],
			  f == &single ? flushed(t->src[1], t->mods) : t->src[1] };
	double a = value_of(f, s[0]), size = fabs(value_of(f, s[1]));
	struct bound b = { 0, 0, 0 };
	mpfr_t x, y;
	bool ok;

	wide();
	mpfr_init2(x, 200);
	mpfr_init2(y, 200);
	mpfr_set_d(x, a, MPFR_RNDN);
	mpfr_set_d(y, value_of(f, s[1]), MPFR_RNDN);
	if (base_is(t, "div")) {
		b.ulps = 2;
		mpfr_div(x, x, y, MPFR_RNDN);
		if (trial_has(t, "approx") && size > 0x1p126 && size < 0x1p128 && !isnan(a)) {
			if (isinf(a))
				mpfr_set_nan(x);
			else
				mpfr_set_zero(x, (s[0] ^ s[1]) & f->sign ? -1 : 1);
		}
	} else if (base_is(t, "rcp")) {
		b.ulps = 1;
		mpfr_ui_div(x, 1, x, MPFR_RNDN);
	} else if (base_is(t, "sqrt")) {
		b.relative = 0x1p-23;
		mpfr_sqrt(x, x, MPFR_RNDN);
	} else if (base_is(t, "rsqrt")) {
		if (f == &full)
			b.ulps = 2;
		else
			b.relative = exp2(-22.9);
		mpfr_rec_sqrt(x, x, MPFR_RNDN);
		if (a == 0)
			mpfr_set_inf(x, signbit(a) ? -1 : 1);
	} else if (base_is(t, "sin") || base_is(t, "cos")) {
		b.size = exp2(fabs(a) <= 2 * 3.14159265358979 ? -20.5 : -14.7);
		(base_is(t, "sin") ? mpfr_sin : mpfr_cos)(x, x, MPFR_RNDN);
	} else if (base_is(t, "lg2")) {
		if (a > 0.5 && a < 2)
			b.size = 0x1p-22;
		else
			b.relative = 0x1p-22;
		mpfr_log2(x, x, MPFR_RNDN);
	} else if (base_is(t, "ex2")) {
		b.ulps = 2;
		mpfr_exp2(x, x, MPFR_RNDN);
	} else if (is_subnormal(f, s[0])) { /* tanh: passes through */
		mpfr_set_d(x, a, MPFR_RNDN);
	} else {
		b.relative = 0x1p-11;
		mpfr_tanh(x, x, MPFR_RNDN);
	}
	ok = near(t, f, x, s, got[0], b);
	mpfr_clear(x);
	mpfr_clear(y);
	return ok;
}

/* The upper word of the operand, with subnormals as zeros; a result of 20 fraction bits, or zero below the normal
 * numbers. */
static bool o_gross(struct trial *t, const uint64_t got[2])
{
	uint64_t s = t->src[0] & 0xffffffff00000000, zero = s & full.sign;
	mpfr_t x;
	double want;

	if (is_nan(&full, s) || (zero && base_is(t, "rsqrt") && !is_subnormal(&full, s))) {
		t->want[0] = 0x7fffffff00000000;
		return got[0] == t->want[0];
	}
	if (is_subnormal(&full, s) || s == full.inf || s == (full.inf | full.sign)) {
		t->want[0] = zero | (is_subnormal(&full, s) ? full.inf : 0);
		return got[0] == t->want[0];
	}
	mpfr_init2(x, 200);
	mpfr_set_d(x, value_of(&full, s), MPFR_RNDN);
	if (base_is(t, "rcp"))
		mpfr_ui_div(x, 1, x, MPFR_RNDN);
	else
		mpfr_rec_sqrt(x, x, MPFR_RNDN);
	want = mpfr_get_d(x, MPFR_RNDN);
	mpfr_clear(x);
	t->want[0] = fabs(want) < 0x1p-1022 ? zero : bits_of(&full, want);
	if (fabs(want) < 0x1p-1022)
		return got[0] == zero;
	return !(got[0] & 0xffffffff) && fabs(value_of(&full, got[0]) - want) <= 0x1p-20 * fabs(want);
}

/* ---- on bits ---- */
/* Order of the numbers as integers, -0 below +0. */
static __int128_t order(const struct format *f, uint64_t v)
{
	return v & f->sign ? -(__int128_t)(v & ~f->sign) - 1 : (__int128_t)v;
}

static uint64_t lesser(const struct trial *t, const struct format *f, uint64_t a, uint64_t b)
{
	const uint64_t s[2] = { a, b };
	bool a_nan = is_nan(f, a), b_nan = is_nan(f, b);

	if ((a_nan && b_nan) || ((a_nan || b_nan) && trial_has(t, "NaN")))
		return nan_of(f, s, 2);
	if (a_nan || b_nan)
		return a_nan ? b : a;
	return base_is(t, "min") == (order(f, a) < order(f, b)) ? a : b;
}

static bool o_minmax(struct trial *t, const uint64_t got[2])
{
	const struct format *f = format_of(t);
	uint64_t s[3], d, sign;

	for (unsigned i = 0; i < 3; i++)
		s[i] = f == &single ? flushed(t->src[i], t->mods) : t->src[i];
	sign = (s[0] ^ s[1]) & f->sign;
	for (unsigned i = 0; i < 3 && trial_has(t, "abs"); i++)
		s[i] &= ~f->sign;
	d = lesser(t, f, s[0], s[1]);
	if (t->row->nsrc == 3)
		d = lesser(t, f, d, s[2]);
	if (trial_has(t, "xorsign") && !is_nan(f, d))
		d = (d & ~f->sign) | sign;
	t->want[0] = d;
	return got[0] == d;
}

/* The reader tells three operands from two; the text of the row has a part for that. */
static bool w_minmax(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	char text[160];
	char *three;

	snprintf(text, sizeof text, "%s", mnemonic);
	three = strstr(text, ".3.");
	if (three)
		memmove(three, three + 2, strlen(three + 2) + 1);
	return write_plain(t, text, n, v);
}

static bool o_sign(struct trial *t, const uint64_t got[2])
{
	const struct format *f = format_of(t);
	uint64_t a = f == &single ? flushed(t->src[0], t->mods) : t->src[0];

	if (base_is(t, "copysign"))
		t->want[0] = (t->src[1] & ~f->sign) | (t->src[0] & f->sign);
	else if (is_nan(f, a))
		t->want[0] = f == &single ? 0x7fffffff : a;
	else
		t->want[0] = base_is(t, "abs") ? a & ~f->sign : a ^ f->sign;
	return got[0] == t->want[0];
}

static bool o_testp(struct trial *t, const uint64_t got[2])
{
	const struct format *f = format_of(t);
	uint64_t size = t->src[0] & ~f->sign;
	bool sub = size && is_subnormal(f, size), finite = size < f->inf;

	if (trial_has(t, "finite"))
		t->want[0] = finite;
	else if (trial_has(t, "infinite"))
		t->want[0] = size == f->inf;
	else if (trial_has(t, "number"))
		t->want[0] = size <= f->inf;
	else if (trial_has(t, "notanumber"))
		t->want[0] = size > f->inf;
	else
		t->want[0] = trial_has(t, "normal") ? finite && !sub : sub;
	return got[0] == t->want[0];
}

/* CMP of a comparison of floats: -1 less, 0 equal, 1 greater, 2 unordered. */
static bool holds(const char *cmp, size_t len, int is)
{
	static const struct {
		const char *cmp, *when;
	} row[] = {
		{ "eq", "=" },   { "ne", "<>" },   { "lt", "<" },    { "le", "<=" },  { "gt", ">" },
		{ "ge", "=>" },  { "equ", "=?" },  { "neu", "<>?" }, { "ltu", "<?" }, { "leu", "<=?" },
		{ "gtu", ">?" }, { "geu", "=>?" }, { "num", "<=>" }, { "nan", "?" },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (strlen(row[i].cmp) == len && memcmp(row[i].cmp, cmp, len) == 0)
			return strchr(row[i].when, "<=>?"[is + 1]) != NULL;
	return false;
}

static bool compare(const struct trial *t, const struct format *f)
{
	uint64_t s[2] = { t->src[0], t->src[1] };
	int is = 2;
	size_t len;
	const char *cmp = trial_part(t, 1, &len);

	for (unsigned i = 0; i < 2; i++) {
		s[i] = f == &single ? flushed(s[i], t->mods) : s[i];
		s[i] = s[i] == f->sign ? 0 : s[i]; /* -0 equals +0 */
	}
	if (!is_nan(f, s[0]) && !is_nan(f, s[1]))
		is = order(f, s[0]) < order(f, s[1]) ? -1 : order(f, s[0]) > order(f, s[1]);
	return holds(cmp, len, is);
}

static bool o_setp(struct trial *t, const uint64_t got[2])
{
	t->want[0] = compare(t, format_of(t));
	return got[0] == t->want[0];
}

/* set: each text also with the Boolean operators, whose third source is the last bit of the first; tag: which. */
static const char *const set_bool[] = { "", ".and", ".or", ".xor" };
static bool w_set(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	const char *rest = mnemonic + strlen("set"),
		   *low = trial_type(t, 1) == TY_F64 ? "mov.b64 {w, hi}, s0;" : "mov.b32 w, s0;";

	if (n > 3)
		return false;
	v->tag = n;
	if (n)
		snprintf(v->ptx, sizeof v->ptx,
			 "{ .reg .b32 w; .reg .pred q; %s and.b32 w, w, 1; setp.ne.u32 q, w, 0; set%s%s d0, s0, s1, q; "
			 "}",
			 low, set_bool[n], rest);
	else
		snprintf(v->ptx, sizeof v->ptx, "%s d0, s0, s1;", mnemonic);
	return true;
}

static bool o_set(struct trial *t, const uint64_t got[2])
{
	bool d = compare(t, trial_type(t, 1) == TY_F64 ? &full : &single), q = t->src[0] & 1;

	if (t->v->tag == 1)
		d = d && q;
	else if (t->v->tag == 2)
		d = d || q;
	else
		d = t->v->tag == 3 ? d != q : d;
	if (!d)
		t->want[0] = 0;
	else
		t->want[0] = trial_type(t, 0) == TY_F32 ? 0x3f800000 : 0xffffffff;
	return got[0] == t->want[0];
}

const struct oracle oracles_float[] = {
	{ "set*.u32.f32", o_set, w_set },
	{ "set*.f32.f32", o_set, w_set },
	{ "set*.u32.f64", o_set, w_set },
	{ "set*.f32.f64", o_set, w_set },
	{ "add*.f32", o_exact, NULL },
	{ "add*.f64", o_exact, NULL },
	{ "sub*.f32", o_exact, NULL },
	{ "sub*.f64", o_exact, NULL },
	{ "mul*.f32", o_exact, NULL },
	{ "mul*.f64", o_exact, NULL },
	{ "fma*.f32", o_exact, NULL },
	{ "fma*.f64", o_exact, NULL },
	{ "add*.f32x2", o_two, NULL },
	{ "sub*.f32x2", o_two, NULL },
	{ "mul*.f32x2", o_two, NULL },
	{ "fma*.f32x2", o_two, NULL },
	{ "div.r*.f32", o_exact, NULL },
	{ "div.r*.f64", o_exact, NULL },
	{ "div.full.f32", o_function, NULL },
	{ "div.approx.f32", o_function, NULL },
	{ "rcp.r*.f32", o_exact, NULL },
	{ "rcp.approx.f32", o_function, NULL },
	{ "rcp.r*.f64", o_exact, NULL },
	{ "sqrt.r*.f32", o_exact, NULL },
	{ "sqrt.approx.f32", o_function, NULL },
	{ "sqrt.r*.f64", o_exact, NULL },
	{ "rsqrt.approx.f32", o_function, NULL },
	{ "rsqrt.approx.f64", o_function, NULL },
	{ "rcp.approx.ftz.f64", o_gross, NULL },
	{ "rsqrt.approx.ftz.f64", o_gross, NULL },
	{ "sin.approx.f32", o_function, NULL },
	{ "cos.approx.f32", o_function, NULL },
	{ "lg2.approx.f32", o_function, NULL },
	{ "ex2.approx.f32", o_function, NULL },
	{ "tanh.approx.f32", o_function, NULL },
	{ "min*.f32", o_minmax, w_minmax },
	{ "max*.f32", o_minmax, w_minmax },
	{ "min.f64", o_minmax, NULL },
	{ "max.f64", o_minmax, NULL },
	{ "abs.f32", o_sign, NULL },
	{ "abs.f64", o_sign, NULL },
	{ "neg.f32", o_sign, NULL },
	{ "neg.f64", o_sign, NULL },
	{ "copysign.f32", o_sign, NULL },
	{ "copysign.f64", o_sign, NULL },
	{ "testp*.f32", o_testp, NULL },
	{ "testp*.f64", o_testp, NULL },
	{ "setp*.f32", o_setp, NULL },
	{ "setp*.f64", o_setp, NULL },
	{ NULL, NULL, NULL },
};

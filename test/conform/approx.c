/* The approximate functions of 32-bit floats, over all inputs or a dense part of them, against double precision of the
 * C library, which is right to 2^-52: the largest error that occurs, and whether it keeps to what the PTX ISA
 * documents and to what docs/NUMERICS.md promises, 0.501 units of the last place.
 *   approx [--quick] [--all] [--only NAME]
 * By default one input of each 256 neighbours, all from 0.5 to 2, and sums of quarter turns; --all: every bit pattern;
 * --quick: one of 4096. The engine's own lane loops compute, with .ftz too where there is. */
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/lane_math.h"

#include "analyzer/base/rng.h"

#include <stdio.h>
#include <string.h>

enum measure { ULP, RELATIVE, ABSOLUTE, NO_BOUND };

/* The bound that the ISA gives for |a| in [low, high). */
struct range {
	double low, high;
	enum measure measure;
	double bound;
};

static double f_rcp(double a) { return 1 / a; }
static double f_rsqrt(double a) { return a == 0 ? copysign(INFINITY, a) : 1 / sqrt(a); }

static const struct function {
	const char *name;
	enum op op;
	double (*ref)(double);
	struct range range[4];
} function[] = {
	{ "rcp.approx", OP_RCP_APPROX_F32, f_rcp, { { 0, INFINITY, ULP, 1 } } },
	{ "sqrt.approx", OP_SQRT_APPROX_F32, sqrt, { { 0, INFINITY, RELATIVE, 0x1p-23 } } },
	/* 2^-22.9 */
	{ "rsqrt.approx", OP_RSQRT_F32, f_rsqrt, { { 0, INFINITY, RELATIVE, 0x1.125fbee250664p-23 } } },
	{ "sin.approx",
	  OP_SIN_F32,
	  sin,
	  { { 0, 6.2831853, ABSOLUTE, 0x1.6a09e667f3bcdp-21 },
	    { 6.2831853, 314.15926, ABSOLUTE, 0x1.3b2c47bff8329p-15 },
	    /* 2^-20.5, 2^-14.7 */
	    { 314.15926, INFINITY, NO_BOUND, 0 } } },
	{ "cos.approx",
	  OP_COS_F32,
	  cos,
	  { { 0, 6.2831853, ABSOLUTE, 0x1.6a09e667f3bcdp-21 },
	    { 6.2831853, 314.15926, ABSOLUTE, 0x1.3b2c47bff8329p-15 },
	    { 314.15926, INFINITY, NO_BOUND, 0 } } },
	{ "lg2.approx",
	  OP_LG2_F32,
	  log2,
	  { { 0, 0x1.000002p-1, RELATIVE, 0x1p-22 },
	    { 0x1.000002p-1, 2, ABSOLUTE, 0x1p-22 },
	    { 2, INFINITY, RELATIVE, 0x1p-22 } } },
	{ "ex2.approx", OP_EX2_F32, exp2, { { 0, INFINITY, ULP, 2 } } },
	{ "tanh.approx", OP_TANH_F32, tanh, { { 0, INFINITY, RELATIVE, 0x1p-11 } } },
};

struct worst {
	uint64_t n;
	double error, ulps;
	float at;
};

static double ulp_of(double v)
{
	int e = 0;

	frexp(v, &e);
	return ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* False: a special value is wrong, or the bound is exceeded. */
static bool judge(const struct function *f, float a, float got, bool ftz, struct worst worst[4])
{
	float in = ftz ? flush_f32(a) : a;
	double want = f->ref((double)in), error, size = fabs((double)in);
	unsigned r = 0;

	if (isnan(want) || isinf((float)want) || isinf(got) || isnan(got))
		return bits_f32(got) == canonical_f32((float)want);
	if (ftz && fabs(want) < 0x1p-126)
		return got == 0 ? !signbit(got) == !signbit(want)
				: fabs((double)got) == 0x1p-126 && fabs(want) > 0x1.fffffep-127;
	if (want == 0)
		return bits_f32(got) == bits_f32((float)want);
	while (r < 3 && f->range[r + 1].high > 0 && size >= f->range[r].high)
		r++;
	error = fabs((double)got - want);
	worst[r].n++;
	if (error / ulp_of(want) > worst[r].ulps) {
		worst[r].ulps = error / ulp_of(want);
		worst[r].at = a;
	}
	if (f->range[r].measure == ULP)
		error = error / ulp_of(want);
	else
		error = f->range[r].measure == RELATIVE ? error / fabs(want) : error;
	worst[r].error = error > worst[r].error ? error : worst[r].error;
	return worst[r].ulps < 0.501 && (f->range[r].measure == NO_BOUND || error <= f->range[r].bound);
}

struct test {
	const struct function *f;
	bool ftz;
	uint32_t reg[64];
	unsigned n;
	struct worst worst[4];
	bool failed;
};

static void flush(struct test *t)
{
	struct xinsn x = { .src = { 0 }, .dst = { 32 }, .ftz = t->ftz };
	uint32_t pred[8] = { 0 };

	(t->ftz ? lanes_best()->fn_mod : lanes_best()->fn)[t->f->op](&x, t->reg, NULL, pred, UINT32_MAX);
	for (unsigned l = 0; l < t->n; l++)
		if (!judge(t->f, f32_of(t->reg[l]), f32_of(t->reg[32 + l]), t->ftz, t->worst) && !t->failed) {
			t->failed = true;
			printf("FAIL  %s%s.f32: of %08x (%a) it makes %08x (%a); the value is %a\n", t->f->name,
			       t->ftz ? ".ftz" : "", t->reg[l], (double)f32_of(t->reg[l]), t->reg[32 + l],
			       (double)f32_of(t->reg[32 + l]), t->f->ref((double)f32_of(t->reg[l])));
		}
	t->n = 0;
}

static void try(struct test *t, uint32_t bits)
{
	t->reg[t->n++] = bits;
	if (t->n == 32)
		flush(t);
}

/* STEP a power of two: one of so many neighbours, chosen by a hash. */
static void sweep(struct test *t, uint32_t step)
{
	for (uint64_t i = 0; i < (uint64_t)1 << 32; i += step)
		try(t, (uint32_t)(i + (mix64(i) & (step - 1))));
	for (uint32_t i = 0x3f000000; step > 1 && step < 4096 && i < 0x40000000; i++)
		try(t, i);
	for (uint32_t i = 0; step > 1 && i < 200000; i++) /* where sine and cosine cross zero */
		for (uint32_t k = 0; k < 3; k++)
			try(t, bits_f32((float)(i * 0x1.921fb54442d18p+0)) + k - 1);
	while (t->n)
		try(t, 0);
}

static void print_bound(const struct range *r)
{
	if (r->measure == NO_BOUND)
		printf("%18s", "none");
	else if (r->measure == ULP)
		printf("%14g ulp", r->bound);
	else
		printf("  2^%-6.4g %s", log2(r->bound), r->measure == RELATIVE ? "relative" : "absolute");
}

static bool report(const struct test *t)
{
	for (unsigned r = 0; r < 4 && t->f->range[r].high > 0; r++) {
		const struct range *range = &t->f->range[r];
		char of[32];

		snprintf(of, sizeof of, "|a| in [%.4g, %.4g)", range->low, range->high);
		printf("%-13s%-5s %-24s %11llu   %.6f %15a ", t->f->name, t->ftz ? ".ftz" : "", of,
		       (unsigned long long)t->worst[r].n, t->worst[r].ulps, (double)t->worst[r].at);
		print_bound(range);
		if (range->measure == RELATIVE || range->measure == ABSOLUTE)
			printf("   2^%.2f", log2(t->worst[r].error));
		printf("\n");
	}
	return !t->failed;
}

/* ---- division: two operands ---- */
static bool divide(enum op op, const char *name, unsigned n)
{
	struct xinsn x = { .src = { 0, 32 }, .dst = { 64 } };
	uint32_t reg[96], pred[8] = { 0 };
	uint64_t seed = op, counted = 0;
	double most = 0;

	for (unsigned i = 0; i < n; i += 32) {
		for (unsigned l = 0; l < 64; l++)
			reg[l] = (uint32_t)rng_next(&seed) & (i & 32 ? 0xffffffff : 0xbfffffff);
		lanes_best()->fn[op](&x, reg, NULL, pred, UINT32_MAX);
		for (unsigned l = 0; l < 32; l++) {
			double a = (double)f32_of(reg[l]), b = (double)f32_of(reg[32 + l]), want = a / b,
			       size = fabs(b), got = (double)f32_of(reg[64 + l]), error;

			if (op == OP_DIV_APPROX_F32 && size > 0x1p126 && size < INFINITY)
				want = isfinite(a) ? copysign(0, a) * copysign(1, b) : NAN;
			if (isnan(want) || isinf((float)want) || want == 0)
				error = bits_f32((float)got) == canonical_f32((float)want) ? 0 : INFINITY;
			else
				error = fabs(got - want) / ulp_of(want);
			counted += isfinite(want) && want != 0;
			most = error > most ? error : most;
			if (!(error <= 2)) {
				printf("FAIL  %s.f32: %a / %a is not %a\n", name, a, b, got);
				return false;
			}
		}
	}
	printf("%-18s %-24s %11llu   %.6f %15s %18s\n", name, "random pairs", (unsigned long long)counted, most, "",
	       "2 ulp");
	return true;
}

int main(int argc, char **argv)
{
	uint32_t step = 256;
	const char *only = "";
	unsigned passed = 0, failed = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--all") == 0) {
			step = 1;
		} else if (strcmp(argv[i], "--quick") == 0) {
			step = 4096;
		} else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
			only = argv[++i];
		} else {
			fprintf(stderr, "usage: approx [--quick] [--all] [--only NAME]\n");
			return 2;
		}
	}
	printf("%-18s %-24s %11s   %-8s %15s %18s   %s\n", "function", "range", "results", "ulp", "at",
	       "bound of the ISA", "in that measure");
	for (unsigned n = 0; n < sizeof function / sizeof *function; n++)
		for (unsigned ftz = 0;
		     strstr(function[n].name, only) && ftz < (op_info[function[n].op].flags & OPF_FTZ ? 2u : 1u);
		     ftz++) {
			struct test t = { .f = &function[n], .ftz = ftz };

			sweep(&t, ftz && step < 4096 ? step * 16 : step);
			if (report(&t))
				passed++;
			else
				failed++;
		}
	for (unsigned n = 0; n < 2 && strstr("div.approx div.full", only); n++) {
		bool ok = divide(n ? OP_DIV_FULL_F32 : OP_DIV_APPROX_F32, n ? "div.full" : "div.approx",
				 step == 4096 ? 1 << 20 : 1 << 24);

		passed += ok;
		failed += !ok;
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}

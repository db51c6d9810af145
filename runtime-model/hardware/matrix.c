/* regloom-gpu matrix: how a device's matrix units round, and how our engine does, each described by what the same
 * products give. One result is looked at, D[0][0]: the sum of K products and C. The questions are those of Fasi,
 * Higham, Mikaitis and Pranesh (PeerJ Computer Science, 2021): terms of one block are shifted to the exponent of the
 * largest and lose what then lies below the bits that are kept, so that a small term beside a large one that cancels
 * is there afterwards or not. */
#include "runtime-model/hardware/command.h"
#include "runtime-model/hardware/edit.h"
#include "runtime-model/engine/lane.h"

#include <math.h>
#include <string.h>

enum { LANES = 32, IN_WORDS = 10, OUT_WORDS = 4, AT_B = 4, AT_C = 6, TERMS_MAX = 16 };

/* The types of the factors, and of C and D. small: the smallest power of two that is a normal factor; unit: the last
 * place of 1 in D. */
enum factor { FACTOR_F16, FACTOR_BF16, FACTOR_TF32 };
static const struct type {
	const char *kernel, *what;
	enum factor factor;
	bool half; /* C and D are halves */
	int big, small, least, unit;
} types[] = {
	{ "matrix_f16", "f16, sums in f32", FACTOR_F16, false, 15, -14, -24, -23 },
	{ "matrix_f16_f16", "f16, sums in f16", FACTOR_F16, true, 7, -12, -24, -10 },
	{ "matrix_bf16", "bf16, sums in f32", FACTOR_BF16, false, 60, -60, -133, -23 },
	{ "matrix_tf32", "tf32, sums in f32", FACTOR_TF32, false, 60, -60, -136, -23 },
};
enum { TYPES = sizeof types / sizeof *types };

/* A device with the kernels loaded, and the terms that it is asked for next. */
struct unit {
	struct hardware h;
	struct hardware_code *code;
	uint64_t in, out;
	const struct type *t;
	unsigned terms; /* K */
	double a[TERMS_MAX], b[TERMS_MAX], c;
	bool failed;
};

/* The half that is v, which has one. */
static uint32_t half_of(double v)
{
	const uint32_t sign = signbit(v) ? 0x8000 : 0;
	int e;
	const double m = frexp(fabs(v), &e);

	if (v == 0)
		return sign;
	if (e < -13)
		return sign | (uint32_t)ldexp(m, e + 24);
	return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexp(m, 11) & 1023);
}

static double of_half(uint32_t h)
{
	const int e = h >> 10 & 31;
	const double m = h & 1023;
	double v = e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);

	if (e == 31)
		v = m != 0 ? NAN : INFINITY;
	return h & 0x8000 ? -v : v;
}

static uint32_t encode(enum factor f, double v)
{
	if (f == FACTOR_F16)
		return half_of(v);
	return f == FACTOR_BF16 ? bits_f32((float)v) >> 16 : bits_f32((float)v);
}

/* Factor k of row 0 of A, or of column 0 of B, where the ISA has it: r is the register of k of the upper half. */
static void place(uint32_t in[LANES][IN_WORDS], const struct unit *u, unsigned k, unsigned first, unsigned r,
		  uint32_t word)
{
	const bool wide = u->t->factor == FACTOR_TF32;
	const unsigned each = wide ? 1 : 2, row = 4 * each;

	in[k % row / each][first + k / row * r] |= word << (k % each * 16);
}

/* D[0][0]. */
static double ask(struct unit *u)
{
	uint32_t in[LANES][IN_WORDS] = { { 0 } }, out[OUT_WORDS];
	const struct {
		uint64_t out, in;
	} param = { u->out, u->in };
	const struct hardware_launch l = { .kernel = u->t->kernel,
					   .grid = { 1, 1, 1 },
					   .block = { LANES, 1, 1 },
					   .param = &param,
					   .param_bytes = sizeof param };

	for (unsigned k = 0; k < u->terms; k++) {
		place(in, u, k, 0, 2, encode(u->t->factor, u->a[k]));
		place(in, u, k, AT_B, 1, encode(u->t->factor, u->b[k]));
	}
	in[0][AT_C] = u->t->half ? half_of(u->c) : bits_f32((float)u->c);
	if (u->failed || !u->h.ops->write(&u->h, u->in, in, sizeof in) || !u->h.ops->launch(&u->h, u->code, &l, NULL) ||
	    !u->h.ops->read(&u->h, out, u->out, sizeof out)) {
		u->failed = true;
		return 0;
	}
	return u->t->half ? of_half(out[0] & 0xffff) : (double)f32_of(out[0]);
}

static void clear(struct unit *u)
{
	memset(u->a, 0, sizeof u->a);
	memset(u->b, 0, sizeof u->b);
	u->c = 0;
}

static void term(struct unit *u, unsigned k, double a, double b)
{
	u->a[k] = a;
	u->b[k] = b;
}

/* Term k is sign * 2^e. */
static void power(struct unit *u, unsigned k, double sign, int e)
{
	const int low = e / 2;

	term(u, k, sign * ldexp(1, low), ldexp(1, e - low));
}

/* ---- what is asked ---- */
/* Is a small term still there between two large ones, which cancel? */
static bool survives(struct unit *u, unsigned big, unsigned other, unsigned small)
{
	clear(u);
	power(u, big, 1, 2 * u->t->big);
	power(u, other, -1, 2 * u->t->big);
	power(u, small, 1, 2 * u->t->small);
	return ask(u) != 0;
}

/* The last place behind 1 that a term may have and survive beside it, as a negative exponent. */
static int kept(struct unit *u)
{
	int last = 0;

	for (int e = 1; e <= -2 * u->t->small; e++) {
		clear(u);
		power(u, 0, 1, 0);
		power(u, 1, 1, -e);
		power(u, 2, -1, 0);
		last = ask(u) != 0 ? e : last;
	}
	return last;
}

static const char *say_kept(struct unit *u, struct arena *a)
{
	const int n = kept(u);

	return arena_printf(a, "%d%s", n, n == -2 * u->t->small ? " or more" : "");
}

/* sign * (1 + quarters / 4 of the last place), rounded */
static double rounded(struct unit *u, double sign, unsigned quarters)
{
	clear(u);
	power(u, 0, sign, 0);
	if (quarters & 2)
		power(u, 1, sign, u->t->unit - 1);
	if (quarters & 1)
		power(u, 2, sign, u->t->unit - 2);
	return ask(u);
}

static const char *say_rounding(struct unit *u, struct arena *a)
{
	const bool up = rounded(u, 1, 3) > 1, down = rounded(u, -1, 3) < -1;
	(void)a;
	if (up && down)
		return rounded(u, 1, 2) > 1 ? "nearest, ties away" : "nearest even";
	if (up || down)
		return up ? "up" : "down";
	return "towards zero";
}

/* Terms that are lost beside two others that are added with the first. */
static unsigned block(struct unit *u)
{
	unsigned n = 2;

	for (unsigned k = 2; k < u->terms; k++)
		n += !survives(u, 0, 1, k);
	return n;
}

static const char *say_block(struct unit *u, struct arena *a)
{
	const unsigned n = block(u);

	if (n == 2)
		return survives(u, 0, 2, 1) ? "exactly" : "one by one";
	return arena_printf(a, "%u at a time", n);
}

/* Does the last term survive between C and the first, which cancel it? */
static const char *say_c(struct unit *u, struct arena *a)
{
	bool survived;
	(void)a;
	clear(u);
	u->c = ldexp(1, 2 * u->t->big);
	power(u, 0, -1, 2 * u->t->big);
	power(u, u->terms - 1, 1, 2 * u->t->small);
	survived = ask(u) != 0;
	if (survived)
		return "with the first";
	return block(u) == u->terms ? "with all" : "last";
}

static const char *say_subnormal(struct unit *u, struct arena *a)
{
	bool factor, sum;
	(void)a;
	clear(u);
	term(u, 0, ldexp(1, u->t->least), ldexp(1, u->t->big));
	factor = ask(u) != 0;
	clear(u);
	u->c = ldexp(1, u->t->half ? -20 : -140);
	sum = ask(u) == u->c;
	if (factor && sum)
		return "kept";
	if (factor || sum)
		return factor ? "of factors kept" : "of sums kept";
	return "zeros";
}

static const struct question {
	const char *what;
	const char *(*say)(struct unit *u, struct arena *a);
} questions[] = {
	{ "terms are added", say_block },
	{ "C is added", say_c },
	{ "fraction bits kept of terms that are added together", say_kept },
	{ "sums are rounded", say_rounding },
	{ "subnormals", say_subnormal },
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* ---- the command ---- */
static bool load(struct unit *u, const struct image *image)
{
	const struct hardware_ops *o = u->h.ops;

	u->code = o->load(&u->h, image->bytes, image->n, image->name);
	u->in = u->code ? o->alloc(&u->h, sizeof(uint32_t[LANES][IN_WORDS])) : 0;
	u->out = u->in ? o->alloc(&u->h, sizeof(uint32_t[LANES][OUT_WORDS])) : 0;
	return u->out;
}

static bool describe(struct unit of[2], const struct type *t, struct arena *a)
{
	const unsigned wide = t->factor == FACTOR_TF32 ? 2 : 1;

	for (unsigned q = 0; q < QUESTIONS; q++) {
		const char *text[2];

		for (unsigned i = 0; i < 2; i++) {
			of[i].t = t;
			of[i].terms = (of[i].h.sm < 80 ? 8 : TERMS_MAX) / wide;
			text[i] = questions[q].say(&of[i], a);
			if (of[i].failed)
				return false;
		}
		printf("%-18s %-52s %-18s %s\n", q ? "" : t->what, questions[q].what, text[0], text[1]);
	}
	return true;
}

int command_matrix(const struct options *o, struct arena *a, struct diag *d)
{
	struct params machine;
	struct unit of[2] = { 0 };
	struct image image;
	bool ok;

	if (!open_hardware(&of[0].h, o, a, d))
		return EXIT_INPUT;
	ok = fitting_machine(&machine, NULL, &of[0].h, o, a, d) && kernels_image(&image, of[0].h.sm, a, d);
	if (ok)
		hardware_model(&of[1].h, &machine, of[0].h.sm, 0, a, d);
	ok = ok && load(&of[0], &image) && load(&of[1], &image);
	if (ok)
		printf("%-18s %-52s %-18s %s\n", "factors", "", of[0].h.name, "regloom");
	for (unsigned t = 0; ok && t < (of[0].h.sm < 80 ? 2 : TYPES); t++)
		ok = describe(of, &types[t], a);
	if (of[1].h.ops)
		of[1].h.ops->close(&of[1].h);
	of[0].h.ops->close(&of[0].h);
	return ok ? EXIT_FINE : EXIT_INPUT;
}

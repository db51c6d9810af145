/* Products of matrices: D = A * B + C.
 *
 * What the ISA leaves open, and what is done here (docs/NUMERICS.md): products of f16, bf16, tf32 and 8-bit floats are
 * exact; they are added to C in the order of k in double precision, and the sum is rounded once to the type of D, to
 * nearest even. Integers are exact, modulo 2^32 or clamped at the end (.satfinite). f64 is a chain of fma in the order
 * of k. */
#include "runtime-model/engine/tensor.h"

#include "runtime-model/engine/lane.h"
#include "runtime-model/engine/lane_fp.h"

/* ---- numbers ---- */
/* e4m3 has no infinity and one NaN. */
static double e4m3_value(uint32_t b)
{
	uint32_t e = b >> 3 & 15, m = b & 7;
	double v;
	if ((b & 127) == 127)
		v = __builtin_nan("");
	else
		v = e ? (double)f32_of((e + 120) << 23 | m << 20) : (double)m * 0x1p-9;

	return b >> 7 & 1 ? -v : v;
}

/* Of other types than f16, and e5m2, which is the upper half of one. */
static double value(enum scalar_type t, uint32_t raw)
{
	if (t == TY_BF16)
		return (double)f32_of(raw << 16);
	if (t == TY_TF32)
		return (double)f32_of(raw & 0xffffe000); /* 8 bits of exponent, 10 of mantissa */
	return t == TY_E4M3 ? e4m3_value(raw) : (double)f32_of(raw);
}

/* To nearest even; NaN is the canonical one. */
static uint32_t f16_bits(double v)
{
	uint64_t u = bits_f64(v), sign = u >> 63 << 15, half;

	u &= INT64_MAX;
	if (u > bits_f64(__builtin_inf()))
		return 0x7fff;
	if (u >= bits_f64(65520))
		return (uint32_t)sign | 0x7c00;
	if (u < bits_f64(0x1p-14))
		return (uint32_t)(sign | (uint64_t)__builtin_rint(f64_of(u) * 0x1p24));
	half = u + ((uint64_t)1 << 41) - 1 + (u >> 42 & 1);
	return (uint32_t)(sign | ((half >> 42) - ((uint64_t)1008 << 10)));
}

static uint32_t result(enum scalar_type t, double v) { return t == TY_F16 ? f16_bits(v) : canonical_f32((float)v); }

static void integers(enum scalar_type t, const uint32_t *raw, unsigned n, int32_t *out)
{
	const unsigned above = t == TY_S4 || t == TY_S8 ? 32u - type_info[t].bits : 0;

	for (unsigned i = 0; i < n; i++)
		out[i] = (int32_t)(raw[i] << above) >> above;
}

/* ---- registers to matrices and back ---- */
static void gather(const struct engine *e, const struct warp *w, const struct fragment *f, const int32_t *src,
		   uint32_t out[])
{
	const uint16_t *at = f->at;
	uint32_t mask = f->bits == 32 ? UINT32_MAX : (1u << f->bits) - 1;

	for (unsigned r = 0; r < f->regs; r++) {
		const uint32_t *v = matrix_operand(e, w, src[r]);

		for (unsigned l = 0; l < WARP_LANES; l++)
			for (unsigned j = 0; j < f->each; j++)
				out[*at++] = v[l] >> (j * f->bits & 31) & mask;
	}
}

static void scatter(struct warp *w, const struct fragment *f, const uint32_t *dst, const uint32_t in[])
{
	const uint16_t *at = f->at;

	for (unsigned r = 0; r < f->regs; r++)
		for (unsigned l = 0; l < WARP_LANES; l++) {
			uint32_t v = 0;

			for (unsigned j = 0; j < f->each; j++)
				v |= in[*at++] << (j * f->bits & 31);
			w->reg[dst[r] + l] = v;
		}
}

static void read_floats(const struct engine *e, const struct warp *w, const struct xmatrix *mx, enum matrix_part p,
			const int32_t *src, double out[])
{
	const struct fragment *f = &mx->part[p];
	uint32_t raw[MATRIX_ELEMENTS];
	unsigned n = f->rows * (unsigned)f->cols * f->count;

	gather(e, w, f, src, raw);
	for (unsigned i = 0; mx->x.type[p] == TY_E5M2 && i < n; i++)
		raw[i] <<= 8;
	if (mx->x.type[p] == TY_F16 || mx->x.type[p] == TY_E5M2) {
		e->lanes->halves(raw, n, out);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		out[i] = value(mx->x.type[p], raw[i]);
}

/* ---- products ---- */
static void product_float(const struct engine *e, struct warp *w, const struct xmatrix *mx)
{
	const struct matrix *x = &mx->x;
	unsigned m = x->m, n = x->n, k = x->k;
	double a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS];
	uint32_t raw[MATRIX_ELEMENTS];

	read_floats(e, w, mx, PART_A, mx->src, a);
	read_floats(e, w, mx, PART_B, mx->src + x->regs[PART_A], b);
	read_floats(e, w, mx, PART_C, mx->src + x->regs[PART_A] + x->regs[PART_B], c);
	for (unsigned q = 0; q < mx->part[PART_D].count; q++)
		e->lanes->product(a + q * m * k, b + q * k * n, c + q * m * n, m, n, k);
	for (unsigned i = 0; i < m * n * mx->part[PART_D].count; i++)
		raw[i] = result(x->type[PART_D], c[i]);
	scatter(w, &mx->part[PART_D], mx->dst, raw);
}

static uint32_t integer_result(const struct matrix *x, int64_t v) { return x->satfinite ? sat_s32(v) : (uint32_t)v; }

/* Rows and columns of k words. */
static void count_bits(const struct matrix *x, const int32_t *a, const int32_t *b, int32_t *sum, unsigned k)
{
	for (unsigned i = 0; i < x->m; i++)
		for (unsigned j = 0; j < x->n; j++) {
			sum[i * x->n + j] = 0;
			for (unsigned s = 0; s < k; s++) {
				const uint32_t f = (uint32_t)a[i * k + s], g = (uint32_t)b[s * x->n + j];

				sum[i * x->n + j] += __builtin_popcount(x->and ? f & g : f ^ g);
			}
		}
}

static void product_integer(const struct engine *e, struct warp *w, const struct xmatrix *mx)
{
	const struct matrix *x = &mx->x;
	unsigned m = x->m, n = x->n, k = mx->part[PART_A].cols;
	uint32_t raw[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS];
	int32_t a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], sum[MATRIX_ELEMENTS];

	gather(e, w, &mx->part[PART_A], mx->src, raw);
	integers(x->type[PART_A], raw, m * k, a);
	gather(e, w, &mx->part[PART_B], mx->src + x->regs[PART_A], raw);
	integers(x->type[PART_B], raw, k * n, b);
	gather(e, w, &mx->part[PART_C], mx->src + x->regs[PART_A] + x->regs[PART_B], c);
	if (x->type[PART_A] == TY_B1)
		count_bits(x, a, b, sum, k);
	else
		e->lanes->product_s32(a, b, sum, m, n, k); /* at most 128 products of 16 bits */
	for (unsigned i = 0; i < m * n; i++)
		c[i] = integer_result(x, (int64_t)(int32_t)c[i] + sum[i]);
	scatter(w, &mx->part[PART_D], mx->dst, c);
}

static void gather64(const struct engine *e, const struct warp *w, const struct fragment *f, const int32_t *src,
		     double out[])
{
	const uint16_t *at = f->at;

	for (unsigned r = 0; r < f->regs; r++) {
		const uint32_t *v = matrix_operand(e, w, src[r]);

		for (unsigned l = 0; l < WARP_LANES; l++)
			out[*at++] = f64_of((uint64_t)v[l + WARP_LANES] << 32 | v[l]);
	}
}

static void product_double(const struct engine *e, struct warp *w, const struct xmatrix *mx)
{
	const struct matrix *x = &mx->x;
	enum rounding round;
	if (x->round == 'z')
		round = ROUND_ZERO;
	else if (x->round == 'm')
		round = ROUND_DOWN;
	else
		round = x->round == 'p' ? ROUND_UP : ROUND_NEAREST;
	unsigned n = x->n, k = x->k;
	double a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS];
	const uint16_t *at = mx->part[PART_D].at;

	gather64(e, w, &mx->part[PART_A], mx->src, a);
	gather64(e, w, &mx->part[PART_B], mx->src + x->regs[PART_A], b);
	gather64(e, w, &mx->part[PART_C], mx->src + x->regs[PART_A] + x->regs[PART_B], c);
	for (unsigned i = 0; i < x->m; i++)
		for (unsigned j = 0; j < n; j++)
			for (unsigned s = 0; s < k; s++) {
				double f = a[i * k + s], g = b[s * n + j], *d = &c[i * n + j];

				*d = round == ROUND_NEAREST ? nan3(__builtin_fma(f, g, *d), f, g, *d)
							    : fma_f64(f, g, *d, round);
			}
	for (unsigned r = 0; r < mx->part[PART_D].regs; r++)
		for (unsigned l = 0; l < WARP_LANES; l++) {
			uint64_t v = bits_f64(c[*at++]);

			w->reg[mx->dst[r] + l] = (uint32_t)v;
			w->reg[mx->dst[r] + WARP_LANES + l] = (uint32_t)(v >> 32);
		}
}

void tensor_product(const struct engine *e, struct warp *w, const struct xmatrix *mx)
{
	if (mx->x.type[PART_D] == TY_F64)
		product_double(e, w, mx);
	else if (mx->x.type[PART_D] == TY_S32)
		product_integer(e, w, mx);
	else
		product_float(e, w, mx);
}

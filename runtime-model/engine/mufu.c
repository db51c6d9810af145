/* The functions that a GPU approximates, by a table of what one gave: where in the table an argument is, what
 * follows for it, and what ptxas puts around MUFU for PTX's rows (its machine code for sm_80 to sm_120 says it). */
#include "runtime-model/engine/mufu.h"

#include "runtime-model/engine/lane_fp.h"
#include "runtime-model/engine/lane_half.h"
#include "runtime-model/engine/lane_math.h"

const struct mufu_info mufu_info[MUFU_COUNT] = {
#define MUFU(id, name, function, type, kind, n, arguments) { name, function, type, arguments, MUFU_##kind, n },
#include "runtime-model/engine/mufu.def"
#undef MUFU
};

enum {
	BIAS = 127,
	FRACTION = 23,
	BIAS_HIGH = 1023,
	FRACTION_HIGH = 20,
	STEP_TURNS = 25, /* sin, cos: 2^-25 turns */
	LG2_NEAR = 2,    /* exponents 0 and -1; then those of positive results */
	LG2_POINTS = 7,
	TANH_LOW = -12,
	TANH_HIGH = 3
};
#define FRACTION_MASK ((1u << FRACTION) - 1)
#define FRACTION_HIGH_MASK ((1u << FRACTION_HIGH) - 1)

/* ---- the arguments of a table ---- */
static uint32_t one_of(unsigned fraction, int exponent, uint32_t index)
{
	const uint32_t bias = fraction == FRACTION ? BIAS : BIAS_HIGH;

	return (uint32_t)((int)bias + exponent) << fraction | (index & ((1u << fraction) - 1));
}

static int lg2_exponent(uint32_t place)
{
	if (place < LG2_NEAR)
		return -(int)place;
	place -= LG2_NEAR;
	return place < LG2_POINTS ? 1 << place : -(1 << (place - LG2_POINTS)) - 1;
}

static uint32_t lg2_place(int e)
{
	if (e == 0 || e == -1)
		return (uint32_t)-e;
	if (e > 0)
		return LG2_NEAR + 31 - (uint32_t)__builtin_clz((unsigned)e);
	return LG2_NEAR + LG2_POINTS + 31 - (uint32_t)__builtin_clz((unsigned)(-e - 1));
}

uint32_t mufu_argument(enum mufu id, uint32_t index)
{
	switch (id) {
	case MUFU_RCP:
	case MUFU_RSQ:
	case MUFU_SQRT:
	case MUFU_EX2:
		return one_of(FRACTION, (int)(index >> FRACTION), index);
	case MUFU_SIN:
	case MUFU_COS:
		return bits_f32((float)index * 0x1p-25f);
	case MUFU_LG2:
		return one_of(FRACTION, lg2_exponent(index >> FRACTION), index);
	case MUFU_TANH:
		return one_of(FRACTION, TANH_LOW + (int)(index >> FRACTION), index);
	case MUFU_RCP64H:
	case MUFU_RSQ64H:
		return one_of(FRACTION_HIGH, (int)(index >> FRACTION_HIGH), index);
	case MUFU_EX2_F16:
	case MUFU_TANH_F16:
	case MUFU_EX2_BF16:
	case MUFU_TANH_BF16:
	case MUFU_COUNT:
		break;
	}
	return index;
}

/* ---- where an argument is ---- */
/* The entry; what its result is multiplied with, 2^scale; and whether its sign changes. */
struct place {
	uint32_t index;
	int scale;
	bool negative;
};

/* All but lg2, tanh and what takes angles: the table has fractions of exponents 0 and, of a square root, 1. */
static bool place_power(enum mufu id, unsigned fraction, uint32_t a, struct place *p)
{
	const bool root = id != MUFU_RCP && id != MUFU_RCP64H;
	const uint32_t top = fraction == FRACTION ? 255 : 2047, e = a >> fraction & top;
	const int x = (int)e - (int)(top >> 1), odd = root ? x & 1 : 0;

	if (e == 0 || e == top || (root && a >> 31))
		return false;
	p->index = (uint32_t)odd << fraction | (a & ((1u << fraction) - 1));
	p->negative = a >> 31;
	p->scale = odd - x;
	if (root)
		p->scale /= 2;
	if (id == MUFU_SQRT)
		p->scale = -p->scale;
	return true;
}

/* x to the nearest whole number, to even; |x| <= 2^51. */
static double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

static bool place_angle(enum mufu id, uint32_t a, struct place *p)
{
	const double x = __builtin_fabs((double)f32_of(a));
	uint64_t steps;

	if (!(x > 0 && x < INFINITY))
		return false;
	steps = x < 0x1p24 ? (uint64_t)nearest(x * (1 << STEP_TURNS)) : 0;
	p->index = (uint32_t)steps & ((1u << (STEP_TURNS - 1)) - 1);
	p->negative = (steps >> (STEP_TURNS - 1) & 1) ^ (id == MUFU_SIN && a >> 31);
	return true;
}

static bool place_ex2(uint32_t a, struct place *p)
{
	const double x = (double)f32_of(a);
	int64_t steps;

	if (!(__builtin_fabs(x) > 0 && __builtin_fabs(x) < 256))
		return false;
	steps = (int64_t)nearest(x * (1 << FRACTION));
	p->index = (uint32_t)steps & FRACTION_MASK;
	p->scale = (int)(steps >> FRACTION) - 1;
	return true;
}

static bool place_tanh(uint32_t a, struct place *p)
{
	const float size = __builtin_fabsf(f32_of(a));
	const bool tiny = size < 0x1p-126f;
	const uint32_t u = bits_f32(tiny ? size * 0x1p24f : size);
	const int e = (int)(u >> FRACTION) - BIAS;

	if (!(size > 0 && size < INFINITY))
		return false;
	p->negative = a >> 31;
	p->index = mufu_info[MUFU_TANH].entries - 1;
	if (e < TANH_LOW) {
		p->scale = e - TANH_LOW - (tiny ? 24 : 0);
		p->index = u & FRACTION_MASK;
	} else if (e <= TANH_HIGH) {
		p->index = (uint32_t)(e - TANH_LOW) << FRACTION | (u & FRACTION_MASK);
	}
	return true;
}

/* False: what a is, or gives, is no number that a table has. */
static bool place(enum mufu id, uint32_t a, struct place *p)
{
	*p = (struct place){ .index = a };
	switch (id) {
	case MUFU_RCP:
	case MUFU_RSQ:
	case MUFU_SQRT:
		return place_power(id, FRACTION, a, p);
	case MUFU_RCP64H:
	case MUFU_RSQ64H:
		return place_power(id, FRACTION_HIGH, a, p);
	case MUFU_SIN:
	case MUFU_COS:
		return place_angle(id, a, p);
	case MUFU_EX2:
		return place_ex2(a, p);
	case MUFU_LG2:
		p->index = lg2_place((int)(a >> FRACTION) - BIAS) << FRACTION | (a & FRACTION_MASK);
		return a >> FRACTION != 0 && a >> FRACTION < 255;
	case MUFU_TANH:
		return place_tanh(a, p);
	case MUFU_EX2_F16:
	case MUFU_TANH_F16:
		return !nan_half(a, 0x7c00);
	case MUFU_EX2_BF16:
	case MUFU_TANH_BF16:
		return !nan_half(a, 0x7f80);
	case MUFU_COUNT:
		break;
	}
	return false;
}

/* ---- results ---- */
static uint32_t sign_of(enum mufu id)
{
	return mufu_info[id].kind == MUFU_F32 || mufu_info[id].kind == MUFU_HIGH ? 0x80000000 : 0x8000;
}

int64_t mufu_order(enum mufu id, uint32_t u)
{
	const uint32_t sign = sign_of(id);

	return u & sign ? -(int64_t)(u & (sign - 1)) : (int64_t)u;
}

uint32_t mufu_result(enum mufu id, int64_t order)
{
	return order < 0 ? (uint32_t)-order | sign_of(id) : (uint32_t)order;
}

static double high_f64(uint32_t u) { return f64_of((uint64_t)u << 32); }

/* Without a table. */
static uint32_t plain(enum mufu id, uint32_t a)
{
	const float x = f32_of(a);

	switch (id) {
	case MUFU_RCP:
		return bits_f32(flush_f32(1 / x));
	case MUFU_RSQ:
		return bits_f32(rsqrt_f32(x));
	case MUFU_SQRT:
		return bits_f32(__builtin_sqrtf(x));
	case MUFU_SIN:
		return bits_f32(sin_turns_f32(x));
	case MUFU_COS:
		return bits_f32(cos_turns_f32(x));
	case MUFU_EX2:
		return bits_f32(flush_f32(ex2_f32(x)));
	case MUFU_LG2:
		return bits_f32(lg2_f32(x));
	case MUFU_TANH:
		return bits_f32(tanh_f32(x));
	case MUFU_RCP64H:
		return (uint32_t)(bits_f64(rcp_gross_f64(high_f64(a))) >> 32);
	case MUFU_RSQ64H:
		return (uint32_t)(bits_f64(rsqrt_gross_f64(high_f64(a))) >> 32);
	case MUFU_EX2_F16:
		return ex2_f16(a);
	case MUFU_TANH_F16:
		return tanh_f16(a);
	case MUFU_EX2_BF16:
		return ex2_bf16(a);
	case MUFU_TANH_BF16:
		return tanh_bf16(a);
	case MUFU_COUNT:
		break;
	}
	return 0;
}

static int32_t difference(const struct mufu_function *f, uint32_t index)
{
	if (f->width == 1)
		return ((const int8_t *)f->difference)[index];
	return f->width == 2 ? ((const int16_t *)f->difference)[index] : ((const int32_t *)f->difference)[index];
}

static double power(int n) { return f64_of((uint64_t)(n + BIAS_HIGH) << 52); } /* of two */

uint32_t mufu_value(const struct mufu_function *f, uint32_t a)
{
	const enum mufu id = f->id;
	const enum mufu_kind kind = mufu_info[id].kind;
	uint32_t of = a, u;
	struct place p;
	float y;

	if (kind == MUFU_F16 || kind == MUFU_BF16)
		of &= 0xffff;
	else if (kind == MUFU_F32 && id != MUFU_TANH)
		of = bits_f32(flush_f32(f32_of(a)));
	if (!place(id, of, &p)) {
		u = plain(id, of);
		return kind == MUFU_F32 ? canonical_f32(f32_of(u)) : u;
	}
	/* the logarithm's entries stand for others of the same differences, not of the same result */
	u = mufu_exact(id, id == MUFU_LG2 ? of : mufu_argument(id, p.index));
	u = mufu_result(id, mufu_order(id, u) + difference(f, p.index));
	if (kind == MUFU_HIGH)
		return (uint32_t)(bits_f64(flush_f64(high_f64(u) * power(p.scale))) >> 32) | (uint32_t)p.negative << 31;
	if (kind != MUFU_F32)
		return u;
	y = (float)((double)f32_of(u) * power(p.scale));
	y = id == MUFU_TANH ? y : flush_f32(y);
	return canonical_f32(p.negative ? -y : y);
}

/* ---- rows ---- */
enum mufu mufu_of(enum op op)
{
	static const struct {
		enum op op;
		enum mufu id;
	} row[] = {
		{ OP_RCP_APPROX_F32, MUFU_RCP },
		{ OP_DIV_APPROX_F32, MUFU_RCP },
		{ OP_DIV_FULL_F32, MUFU_RCP },
		{ OP_RSQRT_F32, MUFU_RSQ },
		{ OP_SQRT_APPROX_F32, MUFU_SQRT },
		{ OP_SIN_F32, MUFU_SIN },
		{ OP_SASS_SIN_F32, MUFU_SIN },
		{ OP_COS_F32, MUFU_COS },
		{ OP_SASS_COS_F32, MUFU_COS },
		{ OP_EX2_F32, MUFU_EX2 },
		{ OP_LG2_F32, MUFU_LG2 },
		{ OP_TANH_F32, MUFU_TANH },
		{ OP_RCP_GROSS_F64, MUFU_RCP64H },
		{ OP_SASS_RCP64H, MUFU_RCP64H },
		{ OP_RSQRT_GROSS_F64, MUFU_RSQ64H },
		{ OP_SASS_RSQ64H, MUFU_RSQ64H },
		{ OP_EX2_F16, MUFU_EX2_F16 },
		{ OP_EX2_F16X2, MUFU_EX2_F16 },
		{ OP_TANH_F16, MUFU_TANH_F16 },
		{ OP_TANH_F16X2, MUFU_TANH_F16 },
		{ OP_EX2_BF16, MUFU_EX2_BF16 },
		{ OP_EX2_BF16X2, MUFU_EX2_BF16 },
		{ OP_TANH_BF16, MUFU_TANH_BF16 },
		{ OP_TANH_BF16X2, MUFU_TANH_BF16 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].op == op)
			return row[i].id;
	return MUFU_COUNT;
}

static float value_f32(const struct mufu_function *f, float a) { return f32_of(mufu_value(f, bits_f32(a))); }

/* a / b by a reciprocal; the operands are made smaller where that would be subnormal, of div.full, and larger, without
 * .ftz, where b is. */
static float divide(const struct mufu_function *f, float a, float b, bool full, bool ftz)
{
	const float size = __builtin_fabsf(b);
	float by = 1;

	if (full && size > 0x1p126f)
		by = 0.25f;
	else if (!ftz && size < 0x1p-126f)
		by = 0x1p24f;
	return (ftz ? flush_f32(a * by) : a * by) * value_f32(f, b * by);
}

/* The row of one float or two. Without .ftz ptxas scales what MUFU would lose. */
static float row_f32(const struct mufu_function *f, enum op op, float a, float b, bool ftz)
{
	const float size = __builtin_fabsf(a);
	const bool small = !ftz && size < 0x1p-126f;
	const float up = small ? 0x1p24f : 1;
	float y;

	if (op == OP_DIV_APPROX_F32 || op == OP_DIV_FULL_F32)
		return divide(f, a, b, op == OP_DIV_FULL_F32, ftz);
	if (op == OP_SIN_F32 || op == OP_COS_F32)
		return value_f32(f, f32_directed((double)a * 0x1.45f306p-3, ROUND_ZERO));
	if (op == OP_EX2_F32 && !ftz && a < -126) {
		y = value_f32(f, a * 0.5f);
		return y * y;
	}
	if (op == OP_RCP_APPROX_F32 && !ftz && size > 0x1p126f)
		return value_f32(f, a * 0.25f) * 0.25f;
	if (op == OP_LG2_F32)
		return value_f32(f, a * up) - (small ? 24.0f : 0.0f);
	if (op == OP_TANH_F32 || op == OP_EX2_F32 || op == OP_SASS_SIN_F32 || op == OP_SASS_COS_F32)
		return value_f32(f, a);
	y = value_f32(f, a * up);
	if (!small || op == OP_RCP_APPROX_F32)
		return y * up;
	return op == OP_RSQRT_F32 ? y * 0x1p12f : y * 0x1p-12f;
}

void mufu_lanes(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec)
{
	const uint32_t *src[4], *at;
	const struct mufu_function *f;
	enum op op;

	(void)pred;
	for (unsigned s = 0; s < 4; s++)
		src[s] = (x->src[s] < 0 ? konst : reg) + (x->src[s] & INT32_MAX);
	at = src[MUFU_SRC_FUNCTION];
	f = (const struct mufu_function *)(uintptr_t)((uint64_t)at[WARP_LANES] << 32 | at[0]);
	op = (enum op)src[MUFU_SRC_ROW][0];
	for (uint32_t left = exec; left; left &= left - 1) {
		const unsigned l = (unsigned)__builtin_ctz(left);
		const uint32_t a = src[0][l];
		float y;

		if (op == OP_RCP_GROSS_F64 || op == OP_RSQRT_GROSS_F64) {
			reg[x->dst[0] + WARP_LANES + l] = mufu_value(f, src[0][l + WARP_LANES]);
			reg[x->dst[0] + l] = 0;
		} else if (op == OP_EX2_F16X2 || op == OP_TANH_F16X2 || op == OP_EX2_BF16X2 || op == OP_TANH_BF16X2) {
			reg[x->dst[0] + l] = mufu_value(f, a & 0xffff) | mufu_value(f, a >> 16) << 16;
		} else if (mufu_info[f->id].kind != MUFU_F32) {
			reg[x->dst[0] + l] = mufu_value(f, a);
		} else {
			y = row_f32(f, op, x->ftz ? flush_f32(f32_of(a)) : f32_of(a),
				    x->ftz ? flush_f32(f32_of(src[1][l])) : f32_of(src[1][l]), x->ftz);
			y = x->ftz ? flush_f32(y) : y;
			y = x->sat ? saturate_f32(y) : y;
			reg[x->dst[0] + l] = canonical_f32(y);
		}
	}
}

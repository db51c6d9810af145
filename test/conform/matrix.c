/* Matrix rows: a kernel for each, made from its text. The product is computed here from plain matrices, element by
 * element; mma's registers are filled and read by the formulas that the PTX ISA prints below its figures, shape by
 * shape.
 *
 * Small integers, for which every order of summation gives the same, and random bits of the types, for which the sum is
 * that of docs/NUMERICS.md: exact products added in the order of k in double precision, rounded once. */
#include "test/conform/matrix.h"
#include "test/conform/native.h"

#include "analyzer/base/rng.h"
#include "analyzer/ir/matrix.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM_MAX = 256, PLACE = 2048, IN_BYTES = 3 * PLACE, LANES = 32, BATCH = 4 };

/* raw elements */
struct dense {
	unsigned rows, cols;
	enum scalar_type type;
	uint64_t v[BATCH][32 * DIM_MAX];
};

struct trial_matrix {
	enum op op;
	struct matrix x;
	bool small, differs;
	uint64_t rng;
	struct dense m[PART_COUNT], want;
	unsigned batch;
};

static unsigned bits_of(enum scalar_type t) { return type_info[t].bits; }

/* ---- numbers: independent of the engine's ---- */
static double decode(enum scalar_type t, uint64_t raw)
{
	int man;
	if (t == TY_F16)
		man = 10;
	else if (t == TY_BF16)
		man = 7;
	else if (t == TY_E4M3)
		man = 3;
	else
		man = t == TY_E5M2 ? 2 : 23;
	int total = (int)bits_of(t), ebits = t == TY_F64 ? 11 : total - 1 - man, bias = (1 << (ebits - 1)) - 1;
	int e, top = (1 << ebits) - 1;
	double f, sign = raw >> (total - 1) & 1 ? -1.0 : 1.0;
	uint64_t m;

	if (t == TY_F64) {
		memcpy(&f, &raw, 8);
		return f;
	}
	if (t == TY_TF32)
		raw &= ~(uint64_t)0x1fff;
	e = (int)(raw >> man & (uint64_t)top);
	m = raw & (((uint64_t)1 << man) - 1);
	if (t == TY_E4M3 && (raw & 127) == 127)
		return NAN;
	if (t != TY_E4M3 && e == top)
		return m ? NAN : sign * INFINITY;
	return sign * (e ? ldexp(1.0 + ldexp((double)m, -man), e - bias) : ldexp((double)m, 1 - bias - man));
}

static uint64_t encode(enum scalar_type t, double v)
{
	float f = (float)v;
	uint32_t u;
	int e;

	if (t == TY_F16) {
		double q, a = fabs(v);
		uint64_t sign = signbit(v) ? 0x8000 : 0;

		if (isnan(v))
			return 0x7fff;
		if (a == 0)
			return sign;
		if (isinf(a))
			e = 99;
		else
			e = ilogb(a) < -14 ? -14 : ilogb(a);
		q = e > 15 ? INFINITY : ldexp(nearbyint(ldexp(a, 10 - e)), e - 10);
		if (q > 65504)
			return sign | 0x7c00;
		return q < 0x1p-14
			       ? sign | (uint64_t)(q * 0x1p24)
			       : sign | (uint64_t)(ilogb(q) + 15) << 10 | ((uint64_t)ldexp(q, 10 - ilogb(q)) & 1023);
	}
	if (isnan(v))
		return 0x7fffffff;
	memcpy(&u, &f, 4);
	return u;
}

static int64_t whole(enum scalar_type t, uint64_t raw)
{
	unsigned n = bits_of(t);

	return type_info[t].text[0] == 's' && raw >> (n - 1) & 1 ? (int64_t)raw - ((int64_t)1 << n) : (int64_t)raw;
}

/* The bits of a small integer in a type. */
static uint64_t small_number(enum scalar_type t, int v)
{
	double d = v;
	float f = (float)v;
	uint32_t u;
	uint64_t w;

	memcpy(&u, &f, 4);
	memcpy(&w, &d, 8);
	switch (bits_of(t)) {
	case 64:
		return w;
	case 32:
		return t == TY_S32 ? (uint32_t)v : u;
	case 1:
		return (uint64_t)v & 1;
	case 4:
		return (uint64_t)(type_info[t].text[0] == 'u' ? abs(v) : v) & 15;
	default:
		break;
	}
	if (t == TY_S8 || t == TY_U8)
		return (uint64_t)(t == TY_U8 ? abs(v) : v) & 255;
	if (t == TY_F16 || t == TY_BF16)
		return t == TY_F16 ? encode(t, d) : u >> 16;
	for (uint64_t raw = 0; raw < 256; raw++)
		if (decode(t, raw) == d)
			return raw;
	return 0;
}

static uint64_t draw(struct trial_matrix *t, enum scalar_type type)
{
	uint64_t r = rng_next(&t->rng), mask = bits_of(type) == 64 ? UINT64_MAX : ((uint64_t)1 << bits_of(type)) - 1;
	double d;

	if (t->small)
		return small_number(type, (int)(r % 5) - 2);
	if (type == TY_F64 && r % 3) {
		d = ldexp((double)(int64_t)(r >> 8), -60 + (int)(r % 40));
		memcpy(&r, &d, 8);
		return r;
	}
	if ((type == TY_F32 || type == TY_TF32 || type == TY_BF16) && r % 4) { /* of like size: sums then round */
		uint64_t low = rng_next(&t->rng);

		return type == TY_BF16 ? (0x3e00 + (r & 0x81ff)) & 0xffff : (0x3e000000 + (low & 0x81ffffff)) & mask;
	}
	return type == TY_S32 && r % 8 == 0 ? 0x7fffff00 | (r >> 32 & 255) : r >> 13 & mask;
}

static void fill(struct trial_matrix *t, enum matrix_part p, unsigned rows, unsigned cols)
{
	struct dense *m = &t->m[p];

	*m = (struct dense){ .rows = rows, .cols = cols, .type = t->x.type[p] };
	for (unsigned b = 0; b < t->batch; b++)
		for (unsigned i = 0; i < rows * cols; i++)
			m->v[b][i] = draw(t, m->type);
}

static uint64_t element(const struct trial_matrix *t, unsigned b, unsigned i, unsigned j)
{
	const struct dense *am = &t->m[PART_A], *bm = &t->m[PART_B], *cm = &t->m[PART_C];
	enum scalar_type at = am->type, bt = bm->type, dt = t->x.type[PART_D];
	uint64_t c = cm->v[b][i * cm->cols + j], out;

	if (dt == TY_S32) {
		int64_t sum = (int32_t)c;

		for (unsigned k = 0; k < t->x.k; k++) {
			uint64_t x = am->v[b][i * am->cols + k], y = bm->v[b][k * bm->cols + j];

			if (at == TY_B1)
				sum += (int64_t)(t->x.and ? x & y : x ^ y);
			else
				sum += whole(at, x) * whole(bt, y);
		}
		if (t->x.satfinite) {
			if (sum > INT32_MAX)
				sum = INT32_MAX;
			else
				sum = sum < INT32_MIN ? INT32_MIN : sum;
		}
		return (uint32_t)sum;
	}
	volatile double acc = decode(cm->type, c); /* rounded by the mode in force, f64 alone */

	for (unsigned k = 0; k < t->x.k; k++) {
		double x = decode(at, am->v[b][i * am->cols + k]), y = decode(bt, bm->v[b][k * bm->cols + j]);

		acc = dt == TY_F64 ? fma(x, y, acc) : acc + x * y;
	}
	if (dt != TY_F64)
		return encode(dt, acc);
	memcpy(&out, (const void *)&acc, 8);
	return out;
}

static void multiply(struct trial_matrix *t)
{
	static const int mode[] = {
		['n'] = FE_TONEAREST, ['z'] = FE_TOWARDZERO, ['m'] = FE_DOWNWARD, ['p'] = FE_UPWARD
	};

	t->want = (struct dense){ .rows = t->x.m, .cols = t->x.n, .type = t->x.type[PART_D] };
	fesetround(mode[(unsigned char)t->x.round]);
	for (unsigned b = 0; b < t->batch; b++)
		for (unsigned i = 0; i < t->x.m; i++)
			for (unsigned j = 0; j < t->x.n; j++)
				t->want.v[b][i * t->x.n + j] = element(t, b, i, j);
	fesetround(FE_TONEAREST);
}

static bool same(enum scalar_type t, uint64_t got, uint64_t want)
{
	return got == want || (t == TY_F64 && isnan(decode(t, got)) && isnan(decode(t, want)));
}

static const double HALF_MAX = 65504;

/* Machine code that sums in an order of its own may be off by what so many roundings make. */
static bool fits(struct trial_matrix *t, const char *mnemonic, unsigned b, const unsigned at[2], uint64_t got,
		 uint64_t want)
{
	const struct dense *left = &t->m[PART_A], *right = &t->m[PART_B], *c = &t->m[PART_C];
	const enum scalar_type d = t->x.type[PART_D];
	const bool half = d == TY_F16;
	double most = 0;

	if (same(d, got, want))
		return true;
	if (!native_is_set() || (d != TY_F32 && !half) || !native_sums_differ(mnemonic) || isnan(decode(d, want)))
		return false;
	most = fabs(decode(c->type, c->v[b][at[0] * c->cols + at[1]]));
	for (unsigned k = 0; k < t->x.k; k++)
		most += fabs(decode(left->type, left->v[b][at[0] * left->cols + k]) *
			     decode(right->type, right->v[b][k * right->cols + at[1]]));
	t->differs = true;
	if (isinf(decode(d, want)) || isinf(decode(d, got))) /* of a part of the sum, which then stays so */
		return half && most >= HALF_MAX;
	/* of halves every eighth sum is rounded */
	return fabs(decode(d, got) - decode(d, want)) <= most * ldexp((double)t->x.k, half ? -3 - 11 : -24);
}

/* ---- the ISA's formulas: element i of a lane's fragment ---- */
static void figure_a(const struct matrix *x, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	unsigned g = lane >> 2, t = lane % 4, n = bits_of(x->type[PART_A]);
	bool low = true;

	*row = g;
	if (x->m == 8) {
		*col = n == 64 ? t : t * (32 / n) + i;
		return;
	}
	switch (n) {
	case 16:
		low = x->k == 8 ? i < 2 : i < 2 || (i >= 4 && i < 6);
		*col = t * 2 + (i & 1) + (i < 4 ? 0 : 8);
		break;
	case 32:
		low = i == 0 || i == 2;
		*col = i < 2 ? t : t + 4;
		break;
	case 64:
		low = i % 2 == 0;
		*col = i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t;
		break;
	case 8:
		low = i < 4 || (i >= 8 && i < 12);
		*col = t * 4 + (i & 3) + (i < 8 ? 0 : 16);
		break;
	case 4:
		low = i < 8 || (i >= 16 && i < 24);
		*col = t * 8 + (i & 7) + (i < 16 ? 0 : 32);
		break;
	default:
		low = i < 32 || (i >= 64 && i < 96);
		*col = t * 32 + (i & 31) + (i < 64 ? 0 : 128);
		break;
	}
	if (!low)
		*row = g + 8;
}

static void figure_b(const struct matrix *x, unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
	unsigned t = lane % 4;

	*col = lane >> 2;
	switch (bits_of(x->type[PART_B])) {
	case 16:
		*row = t * 2 + (i & 1) + (i < 2 ? 0 : 8);
		break;
	case 32:
	case 64:
		*row = t + 4 * i;
		break;
	case 8:
		*row = t * 4 + (i & 3) + (i < 4 ? 0 : 16);
		break;
	case 4:
		*row = t * 8 + (i & 7) + (i < 8 ? 0 : 32);
		break;
	default:
		*row = t * 32 + (i & 31) + (i < 32 ? 0 : 128);
		break;
	}
}

/* mma.m8n8k4 of f16: product of the lane, then its element. */
static unsigned figure_quad(const struct matrix *x, enum matrix_part p, unsigned lane, unsigned i, unsigned *row,
			    unsigned *col)
{
	bool low = lane < 16;

	if (p == PART_A) {
		if (x->col[0])
			*row = i % 4 + (low ? 0 : 4);
		else
			*row = lane % 4 + (low ? 0 : 4);
		*col = x->col[0] ? lane % 4 : i;
	} else if (p == PART_B) {
		*row = x->col[1] ? i : lane % 4;
		if (x->col[1])
			*col = lane % 4 + (low ? 0 : 4);
		else
			*col = i + (low ? 0 : 4);
	} else if (x->type[p] == TY_F16) {
		*row = lane % 4 + (low ? 0 : 4);
		*col = i;
	} else {
		*row = (lane & 1) + (i & 2) + (low ? 0 : 4);
		*col = (i & 4) + (lane & 2) + (i & 1);
	}
	return lane % 16 / 4;
}

static unsigned figure(const struct trial_matrix *t, enum matrix_part p, unsigned lane, unsigned i, unsigned *row,
		       unsigned *col)
{
	if (t->batch > 1)
		return figure_quad(&t->x, p, lane, i, row, col);
	if (p == PART_A)
		figure_a(&t->x, lane, i, row, col);
	else if (p == PART_B)
		figure_b(&t->x, lane, i, row, col);
	else {
		*row = (lane >> 2) + (i < 2 ? 0 : 8);
		*col = lane % 4 * 2 + (i & 1);
	}
	return 0;
}

/* Bits [at, at + n) of a byte array. */
static uint64_t get_bits(const unsigned char *p, uint64_t at, unsigned n)
{
	uint64_t v = 0;

	for (unsigned b = 0; b < n; b++)
		v |= (uint64_t)(p[(at + b) / 8] >> (at + b) % 8 & 1) << b;
	return v;
}

static void put_bits(unsigned char *p, uint64_t at, unsigned n, uint64_t v)
{
	for (unsigned b = 0; b < n; b++)
		p[(at + b) / 8] = (unsigned char)((p[(at + b) / 8] & ~(1u << (at + b) % 8)) | (unsigned)(v >> b & 1)
												      << (at + b) % 8);
}

/* ---- PTX ---- */
struct text {
	char s[16384];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->n += (size_t)vsnprintf(t->s + t->n, sizeof t->s - t->n, fmt, ap);
	va_end(ap);
}

static char class_of(enum scalar_type t)
{
	if (t == TY_F64)
		return 'd';
	return t == TY_F32 ? 'f' : 'r';
}
static const char *access_of(enum scalar_type t)
{
	if (t == TY_F64)
		return "f64";
	return t == TY_F32 ? "f32" : "u32";
}

static void registers(struct text *t, char c, unsigned first, unsigned n)
{
	say(t, "{");
	for (unsigned i = 0; i < n; i++)
		say(t, "%s%%%c%u", i ? ", " : "", c, first + i);
	say(t, "}");
}

static void begin(struct text *t)
{
	t->n = 0;
	say(t,
	    ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
	    ".reg .b32 %%r<128>;\n.reg .f32 %%f<128>;\n.reg .f64 %%d<128>;\n.reg .b64 %%a<16>;\n"
	    ".shared .align 16 .b8 buf[%d];\nld.param.u64 %%a1, [out];\nld.param.u64 %%a2, [in];\nmov.u32 %%r127, "
	    "%%tid.x;\n"
	    "mul.wide.u32 %%a3, %%r127, 256;\nadd.u64 %%a4, %%a2, %%a3;\nmul.wide.u32 %%a3, %%r127, 64;\nadd.u64 %%a5, "
	    "%%a1, %%a3;\n",
	    4 * PLACE);
}

/* Text of row OP, its n-th alternative; false: there is none. */
static bool alternative(enum op op, unsigned n, char *out, size_t size)
{
	const char *s = op_info[op].text;

	while (n--) {
		s = strchr(s, '|');
		if (!s++)
			return false;
	}
	snprintf(out, size, "%.*s", (int)strcspn(s, "|"), s);
	return true;
}

/* ---- mma ---- */
static bool check_mma(struct trial_matrix *t, const char *mnemonic)
{
	static const enum matrix_part order[] = { PART_A, PART_B, PART_C };
	unsigned char in[LANES * 256] = { 0 }, out[LANES * 64] = { 0 };
	unsigned first[PART_COUNT] = { 0, 32, 64, 96 }, at = 0, row, col;
	struct text ptx;

	begin(&ptx);
	for (unsigned g = 0; g < 3; g++) {
		enum matrix_part p = order[g];
		unsigned bits = bits_of(t->x.type[p]), bytes = bits == 64 ? 8 : 4;

		for (unsigned r = 0; r < t->x.regs[p]; r++)
			say(&ptx, "ld.global.%s %%%c%u, [%%a4+%u];\n", access_of(t->x.type[p]), class_of(t->x.type[p]),
			    first[p] + r, at + r * bytes);
		for (unsigned l = 0; l < LANES; l++)
			for (unsigned i = 0; i < t->x.regs[p] * bytes * 8 / bits; i++) {
				unsigned b = figure(t, p, l, i, &row, &col);

				put_bits(in, (l * 256ull + at) * 8 + i * (uint64_t)bits, bits,
					 t->m[p].v[b][row * t->m[p].cols + col]);
			}
		at += t->x.regs[p] * bytes;
	}
	say(&ptx, "%s ", mnemonic);
	registers(&ptx, class_of(t->x.type[PART_D]), first[PART_D], t->x.regs[PART_D]);
	for (unsigned g = 0; g < 3; g++) {
		say(&ptx, ", ");
		registers(&ptx, class_of(t->x.type[order[g]]), first[order[g]], t->x.regs[order[g]]);
	}
	say(&ptx, ";\n");
	for (unsigned r = 0; r < t->x.regs[PART_D]; r++)
		say(&ptx, "st.global.%s [%%a5+%u], %%%c%u;\n", access_of(t->x.type[PART_D]),
		    r * (t->x.type[PART_D] == TY_F64 ? 8 : 4), class_of(t->x.type[PART_D]), first[PART_D] + r);
	say(&ptx, "ret;\n}\n");
	for (unsigned machine = 0; machine < 2; machine++) {
		unsigned bits = bits_of(t->x.type[PART_D]), n = t->x.regs[PART_D] * (bits == 64 ? 64 : 32) / bits;

		if (!matrix_run(ptx.s, in, sizeof in, out, sizeof out, machine, NULL))
			return false;
		for (unsigned l = 0; l < LANES; l++)
			for (unsigned i = 0; i < n; i++) {
				unsigned b = figure(t, PART_D, l, i, &row, &col);
				uint64_t got = get_bits(out, l * 512ull + i * (uint64_t)bits, bits),
					 want = t->want.v[b][row * t->x.n + col];

				if (!fits(t, mnemonic, b, (unsigned[]){ row, col }, got, want)) {
					printf("      %s: row %u, column %u is %llx, not %llx\n", mnemonic, row, col,
					       (unsigned long long)got, (unsigned long long)want);
					return false;
				}
			}
	}
	return true;
}

/* ---- wmma ---- */
/* Elements from line to line. */
static unsigned stride_of(const struct dense *m, bool col, bool gaps)
{
	return (col ? m->rows : m->cols) + (gaps ? 128 / bits_of(m->type) : 0);
}

static uint64_t place_of(const struct dense *m, bool col, bool gaps, unsigned i, unsigned j)
{
	unsigned s = stride_of(m, col, gaps);

	return (uint64_t)(col ? j * s + i : i * s + j) * bits_of(m->type);
}

static void copy(struct text *t, const char *to_space, const char *to, const char *from_space, const char *from,
		 unsigned bytes)
{
	for (unsigned o = 0; o < bytes; o += 512)
		say(t,
		    "ld%s.v4.u32 {%%r120, %%r121, %%r122, %%r123}, [%s+%u];\nst%s.v4.u32 [%s+%u], {%%r120, %%r121, "
		    "%%r122, %%r123};\n",
		    from_space, from, o, to_space, to, o);
}

/* How: bit 0, layout of C and D; then global without gaps, global, shared, generic. */
static bool check_wmma(struct trial_matrix *t, const char *mnemonic, unsigned how, bool covered[OP_COUNT])
{
	static const char *const space_text[] = { ".global", ".global", ".shared", "" };
	const char *space = space_text[how / 2], *buffer = *space ? "buf" : "%a8";
	bool gaps = how / 2 > 0, shared = how / 2 > 1, c_col = how & 1;
	unsigned char in[IN_BYTES] = { 0 }, out[PLACE] = { 0 };
	struct text ptx;

	begin(&ptx);
	say(&ptx, "mul.wide.u32 %%a3, %%r127, 16;\nadd.u64 %%a6, %%a2, %%a3;\nmov.u64 %%a7, buf;\ncvta.shared.u64 "
		  "%%a8, %%a7;\n"
		  "add.u64 %%a9, %%a8, %%a3;\nadd.u64 %%a5, %%a1, %%a3;\n");
	if (shared) {
		copy(&ptx, "", "%a9", ".global", "%a6", IN_BYTES);
		say(&ptx, "bar.sync 0;\n");
	}
	say(&ptx, "mov.u64 %%a10, %s;\n", shared ? buffer : "%a2");
	for (unsigned p = PART_A; p <= PART_C; p++) {
		const struct dense *m = &t->m[p];
		bool col = p == PART_C ? c_col : t->x.col[p];

		for (unsigned i = 0; i < m->rows; i++)
			for (unsigned j = 0; j < m->cols; j++)
				put_bits(in, p * PLACE * 8ull + place_of(m, col, gaps, i, j), bits_of(m->type),
					 m->v[0][i * m->cols + j]);
		say(&ptx, "wmma.load.%c.sync.aligned.%s.m%un%uk%u%s.%s ", "abc"[p], col ? "col" : "row", t->x.m, t->x.n,
		    t->x.k, space, type_info[m->type].text);
		registers(&ptx, class_of(m->type), p * 32, t->x.regs[p]);
		say(&ptx, ", [%%a10+%u]", p * PLACE);
		if (gaps)
			say(&ptx, ", %u", stride_of(m, col, true));
		say(&ptx, ";\n");
	}
	say(&ptx, "%s ", mnemonic);
	registers(&ptx, class_of(t->x.type[PART_D]), 96, t->x.regs[PART_D]);
	for (unsigned p = PART_A; p <= PART_C; p++) {
		say(&ptx, ", ");
		registers(&ptx, class_of(t->x.type[p]), p * 32, t->x.regs[p]);
	}
	say(&ptx, ";\nmov.u64 %%a11, %s;\nmov.u32 %%r119, %u;\n", shared ? buffer : "%a1",
	    stride_of(&t->want, c_col, gaps));
	say(&ptx, "wmma.store.d.sync.aligned.%s.m%un%uk%u%s.%s [%%a11], ", c_col ? "col" : "row", t->x.m, t->x.n,
	    t->x.k, space, type_info[t->x.type[PART_D]].text);
	registers(&ptx, class_of(t->x.type[PART_D]), 96, t->x.regs[PART_D]);
	say(&ptx, ", %%r119;\n");
	if (shared) {
		say(&ptx, "bar.sync 0;\n");
		copy(&ptx, ".global", "%a5", "", "%a9", PLACE);
	}
	say(&ptx, "ret;\n}\n");
	for (unsigned machine = 0; machine < 2; machine++) {
		if (!matrix_run(ptx.s, in, sizeof in, out, sizeof out, machine, covered))
			return false;
		for (unsigned i = 0; i < t->x.m; i++)
			for (unsigned j = 0; j < t->x.n; j++) {
				uint64_t got =
					get_bits(out, place_of(&t->want, c_col, gaps, i, j), bits_of(t->want.type));
				uint64_t want = t->want.v[0][i * t->x.n + j];

				if (!fits(t, mnemonic, 0, (unsigned[]){ i, j }, got, want)) {
					printf("      %s, way %u: row %u, column %u is %llx, not %llx\n", mnemonic, how,
					       i, j, (unsigned long long)got, (unsigned long long)want);
					return false;
				}
			}
	}
	return true;
}

/* ---- tiles ---- */
/* Row l of tile i lies at in + 16 * ((i * 8 + l) * 5 % 32): rows in any order. */
static bool check_tiles(enum op op, const struct matrix *x)
{
	bool load = x->kind == MATRIX_LDMATRIX, move = x->kind == MATRIX_MOVE;
	unsigned tiles = move ? 1 : x->tiles;
	unsigned char in[LANES * 256], out[LANES * 64] = { 0 };
	uint64_t rng = op;
	struct text ptx;

	for (unsigned i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(rng_next(&rng) >> 20);
	begin(&ptx);
	say(&ptx, "mov.u64 %%a7, buf;\nmul.lo.u32 %%r126, %%r127, 5;\nand.b32 %%r126, %%r126, 31;\nshl.b32 %%r126, "
		  "%%r126, 4;\n"
		  "cvt.u64.u32 %%a8, %%r126;\nadd.u64 %%a8, %%a8, %%a7;\n");
	if (load) /* the first 16 bytes of each lane's input are row `lane` */
		say(&ptx,
		    "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%a4];\nst.shared.v4.u32 [%%a8], {%%r0, %%r1, %%r2, "
		    "%%r3};\nbar.sync 0;\n"
		    "%.*s.shared.b16 ",
		    (int)(strlen(op_info[op].text) - 4), op_info[op].text);
	else
		say(&ptx, "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%a4];\n%.*s%s.b16 ",
		    (int)(strlen(op_info[op].text) - 4), op_info[op].text, move ? "" : ".shared");
	if (move) {
		say(&ptx, "%%r4, %%r0;\n");
	} else if (load) {
		registers(&ptx, 'r', 4, tiles);
		say(&ptx, ", [%%a8];\n");
	} else {
		say(&ptx, "[%%a8], ");
		registers(&ptx, 'r', 0, tiles);
		say(&ptx, ";\nbar.sync 0;\nld.shared.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%a8];\n");
	}
	say(&ptx, "st.global.v4.u32 [%%a5], {%%r4, %%r5, %%r6, %%r7};\nret;\n}\n");
	for (unsigned machine = 0; machine < 2; machine++) {
		if (!matrix_run(ptx.s, in, sizeof in, out, sizeof out, machine, NULL))
			return false;
		for (unsigned i = 0; i < tiles; i++)
			for (unsigned row = 0; row < 8; row++)
				for (unsigned col = 0; col < 8; col++) {
					/* element (row, col) of the tile as its rows lie in memory, and in the
					 * registers */
					unsigned line = (i * 8 + row) * 256 + col * 2,
						 line_out = (i * 8 + row) * 64 + col * 2;
					unsigned r = x->trans ? col : row, c = x->trans ? row : col,
						 lane = r * 4 + c / 2;
					unsigned reg = lane * 256 + i * 4 + c % 2 * 2,
						 reg_out = lane * 64 + i * 4 + c % 2 * 2;
					unsigned from;
					if (load)
						from = line;
					else
						from = move ? row * 4 * 256 + col / 2 * 256 + col % 2 * 2 : reg;
					unsigned to = load || move ? reg_out : line_out;

					if (memcmp(in + from, out + to, 2) != 0) {
						printf("      %s: tile %u, row %u, column %u is wrong\n",
						       op_info[op].text, i, row, col);
						return false;
					}
				}
	}
	return true;
}

/* ---- rows ---- */
static bool check_product(enum op op, const struct matrix *x, bool quick, bool covered[OP_COUNT], bool *differs)
{
	static struct trial_matrix t;
	char mnemonic[160];
	bool ok = true;

	t.differs = false;
	for (unsigned n = 0; ok && alternative(op, n, mnemonic, sizeof mnemonic); n++)
		for (unsigned round = 0; ok && round < (quick ? 2 : 8); round++) {
			t.op = op;
			t.x = *x;
			t.small = round == 0;
			t.rng = op * 100 + round;
			t.batch = !x->wmma && x->type[PART_A] == TY_F16 && x->k == 4 ? BATCH : 1;
			fill(&t, PART_A, x->m, x->k);
			fill(&t, PART_B, x->k, x->n);
			fill(&t, PART_C, x->m, x->n);
			multiply(&t);
			if (!x->wmma)
				ok = check_mma(&t, mnemonic);
			for (unsigned how = round & 1 ? 2 : 0; x->wmma && ok && how < (round == 0 ? 8 : 4); how++)
				ok = check_wmma(&t, mnemonic, how, covered);
		}
	*differs = t.differs;
	return ok;
}

bool matrix_check(enum op op, bool quick, bool covered[OP_COUNT], bool *differs)
{
	struct matrix x;

	matrix_of(op, &x);
	if (x.kind == MATRIX_WLOAD || x.kind == MATRIX_WSTORE) /* executed by the products' kernels */
		return true;
	if (!(x.kind == MATRIX_MMA ? check_product(op, &x, quick, covered, differs) : check_tiles(op, &x)))
		return false;
	covered[op] = true;
	return true;
}

/* The lane loops: every row of the opcode table on awkward and random values, against formulas written from the PTX ISA
 * without a look at ops.def; all instruction-set levels against each other, bit for bit; signatures; address facts. */
#include "analyzer/ir/texture.h"
#include "test/unit/lane_oracles.h"

#include "runtime-model/engine/core.h"
#include "runtime-model/engine/lane_math.h"

#include "analyzer/base/rng.h"

#include <check.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

Suite *suite_lanes(void);

/* source s: slots 2 + 2s and 3 + 2s */
enum { SLOTS = 16, PREDS = 8, DST = 12, DST1 = 14, ROUNDS = 40 };

struct regs {
	uint32_t r[SLOTS][32], p[PREDS];
};

static const uint64_t awkward[] = {
	0,
	1,
	2,
	3,
	7,
	8,
	15,
	16,
	17,
	31,
	32,
	33,
	63,
	64,
	65,
	127,
	128,
	255,
	256,
	0x7fff,
	0x8000,
	0xffff,
	0x10000,
	0x7fffff,
	0x800000,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xfffffffe,
	0xffffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x8000000000000001,
	0xffffffffffffffff,
	0xfffffffffffffffe,
	0xffffffff80000000,
	0x100000000,
	0x5555555555555555,
	0x0123456789abcdef,
};
static const uint32_t awkward_f32[] = {
	0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f000000,
	0x3fc00000, 0x40200000, 0xc0200000, 0x4b000000, 0x4b7fffff, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
	0x4f800000, 0x5f000000, 0x5f800000, 0xdf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
	0x7f800001, 0xffc12345, 0x47000000, 0x477fff00, 0xc7000100, 0x3f7fffff, 0xbf000000, 0x437f8000, 0x33800000,
};
static const uint64_t awkward_f64[] = {
	0,
	0x8000000000000000,
	1,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x3fe0000000000000,
	0x4004000000000000,
	0x41dfffffffc00000,
	0x41e0000000000000,
	0xc1e0000000200000,
	0x41efffffffe00000,
	0x43e0000000000000,
	0xc3e0000000000000,
	0x43f0000000000000,
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x7ff0000000000001,
	0xfff8123400000000,
	0x36a0000000000000,
	0x3690000000000000,
	0x47efffffe0000000,
	0x47efffffefffffff,
	0x40dfffe000000000,
};
#define COUNT_OF(t) (sizeof(t) / sizeof *(t))

static char letter_of(const struct op_info *o, unsigned s) { return strchr(o->sig, '_')[1 + s]; }

static uint64_t draw(uint64_t *seed, char letter)
{
	uint64_t pick = rng_next(seed);

	if (pick % 3 == 0)
		return rng_next(seed);
	if (letter == 'F')
		return awkward_f32[pick / 3 % COUNT_OF(awkward_f32)];
	if (letter == 'G')
		return awkward_f64[pick / 3 % COUNT_OF(awkward_f64)];
	return awkward[pick / 3 % COUNT_OF(awkward)];
}

static void fill(struct regs *g, const struct op_info *o, uint64_t *seed)
{
	for (unsigned s = 0; s < SLOTS; s++)
		for (unsigned l = 0; l < 32; l++)
			g->r[s][l] = (uint32_t)rng_next(seed);
	for (unsigned s = 0; s < o->nsrc && s < 4; s++)
		for (unsigned l = 0; l < 32; l++) {
			uint64_t v = draw(seed, letter_of(o, s));

			g->r[2 + 2 * s][l] = (uint32_t)v;
			g->r[3 + 2 * s][l] = (uint32_t)(v >> 32);
		}
	for (unsigned p = 0; p < PREDS; p++)
		g->p[p] = (uint32_t)rng_next(seed);
}

static struct xinsn decoded(enum op op)
{
	const struct op_info *o = &op_info[op];
	bool pred = o->sig[0] == 'P';
	struct xinsn x = { .dst = { pred ? 5 : DST * 32, pred || (o->ndst > 1 && o->sig[1] == 'P') ? 6 : DST1 * 32 } };

	for (unsigned s = 0; s < 4; s++)
		x.src[s] = s < o->nsrc && letter_of(o, s) == 'P' ? (int32_t)(2 + s) : (int32_t)((2 + 2 * s) * 32);
	return x;
}

static uint64_t source_of(const struct regs *g, const struct op_info *o, unsigned s, unsigned l)
{
	switch (letter_of(o, s)) {
	case 'P':
		return g->p[2 + s] >> l & 1;
	case 'B':
		return (uint8_t)g->r[2 + 2 * s][l];
	case 'H':
		return (uint16_t)g->r[2 + 2 * s][l];
	case 'D':
	case 'G':
		return (uint64_t)g->r[3 + 2 * s][l] << 32 | g->r[2 + 2 * s][l];
	default:
		return g->r[2 + 2 * s][l];
	}
}

static const uint32_t masks[] = { 0xffffffff, 1, 0x80000000, 0x0000ffff, 0xaaaaaaaa, 0x00010001, 0x7fffffff };

/* Check writes a file at each of its assertions: too slow for loops of millions. */
#define MUST(cond, ...) ((cond) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define MUST_TRUE(cond) MUST(cond, "%s", #cond)
#define MUST_EQ(x, y) MUST((x) == (y), "%s is %llu, not %llu", #x, (unsigned long long)(x), (unsigned long long)(y))

/* ---- levels agree; lanes that do not execute keep everything ---- */
static bool machine_has_v3(void) { return strcmp(lanes_best()->name, "lanes_v3") == 0; }

static void levels_agree(unsigned row)
{
	const struct op_info *o = &op_info[row];
	struct xinsn x = decoded((enum op)row);
	uint64_t seed = (uint64_t)row * 977 + 1;

	if (!lanes_base.fn[row])
		return;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct regs before, base, best;
		uint32_t mask = masks[round % COUNT_OF(masks)];
		bool mod = round & 1 && lanes_base.fn_mod[row];

		fill(&before, o, &seed);
		base = best = before;
		x.sneg = round >> 2 & 7;
		x.cbool = o->flags & OPF_SETP && o->sig[0] == 'P' ? round >> 1 & 3 : 0;
		x.src[2] = x.cbool ? 4 : x.src[2];
		x.ftz = mod && o->flags & OPF_FTZ;
		x.sat = mod && o->flags & OPF_SAT;
		(mod ? lanes_base.fn_mod : lanes_base.fn)[row](&x, base.r[0], NULL, base.p, mask);
		(mod ? lanes_best()->fn_mod : lanes_best()->fn)[row](&x, best.r[0], NULL, best.p, mask);
		MUST(memcmp(&base, &best, sizeof base) == 0, "%s: levels differ", o->id);
		for (unsigned s = 0; s < SLOTS; s++)
			for (unsigned l = 0; l < 32; l++)
				if (!(mask >> l & 1) || s < DST)
					MUST(base.r[s][l] == before.r[s][l], "%s wrote slot %u lane %u", o->id, s, l);
		for (unsigned p = 0; p < PREDS; p++)
			MUST(((base.p[p] ^ before.p[p]) & ~mask) == 0 && (p == 5 || p == 6 || base.p[p] == before.p[p]),
			     "%s wrote predicate %u", o->id, p);
	}
}

START_TEST(every_row_is_equal_at_all_instruction_set_levels)
{
	for (unsigned row = 0; row < OP_COUNT; row++)
		levels_agree(row);
}
END_TEST

/* A destination may be any of the sources, and a pair may start or end in one. */
static void overlap(unsigned row)
{
	const struct op_info *o = &op_info[row];
	uint64_t seed = (uint64_t)row + 5;

	if (!lanes_base.fn[row] || o->sig[0] == 'P')
		return;
	for (unsigned s = 0; s < o->nsrc; s++)
		for (unsigned half = 0; half < 2; half++) {
			struct xinsn apart = decoded((enum op)row), same = apart;
			struct regs a, b;

			if (letter_of(o, s) == 'P' || o->ndst > 1)
				continue;
			same.dst[0] = (2 + 2 * s + half) * 32;
			fill(&a, o, &seed);
			b = a;
			lanes_best()->fn[row](&apart, a.r[0], NULL, a.p, 0xfff0ffff);
			lanes_best()->fn[row](&same, b.r[0], NULL, b.p, 0xfff0ffff);
			for (unsigned l = 0; l < 32; l++)
				if (0xfff0ffff >> l & 1)
					MUST(a.r[DST][l] == b.r[2 + 2 * s + half][l], "%s, source %u", o->id, s);
		}
}

START_TEST(destinations_may_be_sources)
{
	for (unsigned row = 0; row < OP_COUNT; row++)
		overlap(row);
}
END_TEST

/* ---- semantics ---- */
static uint64_t result_of(const struct regs *r, const struct op_info *o, unsigned l)
{
	if (o->sig[0] == 'P')
		return r->p[5] >> l & 1;
	return r->r[DST][l] | (o->sig[0] == 'D' || o->sig[0] == 'G' ? (uint64_t)r->r[DST + 1][l] << 32 : 0);
}

static void check_row(unsigned row)
{
	enum op op = semantics[row].op;
	const struct op_info *o = &op_info[op];
	struct xinsn x = decoded(op);
	uint64_t seed = (uint64_t)row + 99;

	for (unsigned round = 0; round < 300; round++) {
		struct regs r, in;

		fill(&in, o, &seed);
		r = in;
		lanes_best()->fn[op](&x, r.r[0], NULL, r.p, UINT32_MAX);
		for (unsigned l = 0; l < 32; l++) {
			uint64_t s[4] = { 0 };

			for (unsigned i = 0; i < o->nsrc; i++)
				s[i] = source_of(&in, o, i, l);
			MUST(result_of(&r, o, l) == semantics[row].want(s),
			     "%s(%llx, %llx, %llx, %llx) = %llx, not %llx", o->id, (unsigned long long)s[0],
			     (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)s[3],
			     (unsigned long long)result_of(&r, o, l), (unsigned long long)semantics[row].want(s));
		}
	}
}

/* Operands that random bits seldom give: of like exponents, nearly cancelling, halfway cases, tiny and huge results. */
static float near(uint64_t *seed, float x)
{
	uint64_t v = rng_next(seed);
	int shift = (int)(v >> 8 & 63) - 32;
	float y = f32_of((bits_f32(x) + (uint32_t)(v >> 16 & 7) - 3) ^ (uint32_t)(v & 1) << 31);

	y = ldexpf(y, shift);
	return v & 2 ? f32_of(bits_f32(y) & (0xffffffffu << (v >> 32) % 24)) : y;
}

START_TEST(directed_rounding_is_exact)
{
	static const struct {
		enum rounding how;
		int mode;
	} way[] = { { ROUND_ZERO, FE_TOWARDZERO }, { ROUND_DOWN, FE_DOWNWARD }, { ROUND_UP, FE_UPWARD } };
	uint64_t seed = 12;

	for (unsigned n = 0; n < 600000; n++) {
		float a = f32_of((uint32_t)rng_next(&seed)), b = near(&seed, n % 2 ? a : 1.5f),
		      c = near(&seed, n % 3 ? -a * b : a);
		int mode = way[n % 7 % 3].mode;
		enum rounding how = way[n % 7 % 3].how;

		MUST(rf(add_directed(a, b, how)) == rf(c_sum(a, b, mode)), "%a + %a, mode %d", (double)a, (double)b,
		     mode);
		MUST(rf(f32_directed((double)a * b, how)) == rf(c_product(a, b, mode)), "%a * %a, mode %d", (double)a,
		     (double)b, mode);
		MUST(rf(add_directed((double)a * b, c, how)) == rf(c_fma(a, b, c, mode)), "%a * %a + %a, mode %d",
		     (double)a, (double)b, (double)c, mode);
	}
}
END_TEST

START_TEST(rows_do_what_the_isa_says)
{
	for (unsigned row = 0; row < COUNT_OF(semantics); row++)
		check_row(row);
}
END_TEST

/* ---- modifiers, combined comparisons ---- */
static const struct {
	enum op op;
	bool ftz, sat;
	uint32_t a, b, c;
	uint64_t want;
} modified[] = {
	{ OP_ADD_F32, true, false, 0x00400000, 0, 0, 0 }, /* subnormal source */
	{ OP_ADD_F32, false, false, 0x00400000, 0, 0, 0x00400000 },
	{ OP_ADD_F32, true, false, 0x80400000, 0x80000000, 0, 0x80000000 },
	{ OP_SUB_F32, true, false, 0x00c00000, 0x00800000, 0, 0 }, /* subnormal result */
	{ OP_ADD_F32, false, true, 0x40000000, 0x3f800000, 0, 0x3f800000 },
	{ OP_ADD_F32, false, true, 0xc0000000, 0x3f800000, 0, 0 },
	{ OP_ADD_F32, false, true, 0x7fc00000, 0x3f800000, 0, 0 },
	{ OP_MUL_F32, false, true, 0x3f000000, 0x3f000000, 0, 0x3e800000 },
	{ OP_FMA_F32, true, true, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000 },
	{ OP_FMA_F32, true, false, 0x00000001, 0x7f000000, 0x3f800000, 0x3f800000 },
	{ OP_SETP_GT_F32, true, false, 0x00000001, 0, 0, 0 },
	{ OP_SETP_GT_F32, false, false, 0x00000001, 0, 0, 1 },
	{ OP_CVT_RPI_S32_F32, true, false, 0x00000001, 0, 0, 0 },
	{ OP_CVT_RPI_S32_F32, false, false, 0x00000001, 0, 0, 1 },
	{ OP_CVT_RN_F32_U32, false, true, 77, 0, 0, 0x3f800000 },
	{ OP_ABS_F32, true, false, 0x80000001, 0, 0, 0 },
	{ OP_NEG_F32, false, false, 0, 0, 0, 0x80000000 },
	{ OP_MIN_F32, true, false, 0x80000001, 0x3f800000, 0, 0x80000000 },
	/* tested operand flushed to -0 >= 0 */
	{ OP_SLCT_F32_F32, true, false, 0x00000005, 0x00000006, 0x80000001, 5 },
	{ OP_SLCT_F32_F32, false, false, 0x00000005, 0x00000006, 0x80000001, 6 },
	{ OP_EX2_F32, false, false, 0x41200000, 0, 0, 0x44800000 },
	{ OP_EX2_F32, false, false, 0xc3160000, 0, 0, 0 }, /* 2^-150 rounds to zero */
	{ OP_EX2_F32, false, false, 0xc3150000, 0, 0, 1 }, /* 2^-149 */
	{ OP_EX2_F32, false, false, 0x43000000, 0, 0, 0x7f800000 },
	{ OP_EX2_F32, false, false, 0xff800000, 0, 0, 0 },
	{ OP_EX2_F32, false, false, 0x7fc00001, 0, 0, 0x7fffffff },
	{ OP_LG2_F32, false, false, 0x44800000, 0, 0, 0x41200000 },
	{ OP_LG2_F32, false, false, 0x00000001, 0, 0, 0xc3150000 },
	{ OP_LG2_F32, true, false, 0x00000001, 0, 0, 0xff800000 },
	{ OP_LG2_F32, false, false, 0xbf800000, 0, 0, 0x7fffffff },
	{ OP_LG2_F32, false, false, 0x7f800000, 0, 0, 0x7f800000 },
	{ OP_RSQRT_F32, false, false, 0x40800000, 0, 0, 0x3f000000 },
	{ OP_RSQRT_F32, false, false, 0x80000000, 0, 0, 0xff800000 },
};

static void check_modified(unsigned row)
{
	enum op op = modified[row].op;
	struct xinsn x = decoded(op);
	struct regs r;
	uint64_t seed = 3;

	fill(&r, &op_info[op], &seed);
	r.r[2][9] = modified[row].a;
	r.r[4][9] = modified[row].b;
	r.r[6][9] = modified[row].c;
	x.ftz = modified[row].ftz;
	x.sat = modified[row].sat;
	(x.ftz || x.sat ? lanes_best()->fn_mod : lanes_best()->fn)[op](&x, r.r[0], NULL, r.p, UINT32_MAX);
	ck_assert_uint_eq(result_of(&r, &op_info[op], 9), modified[row].want);
}

START_TEST(modifiers_and_special_functions)
{
	for (unsigned row = 0; row < COUNT_OF(modified); row++)
		check_modified(row);
}
END_TEST

START_TEST(special_functions_are_right_to_one_unit_in_the_last_place)
{
	uint64_t seed = 4;

	for (unsigned n = 0; n < 20000; n++) {
		float a = (float)(rng_unit(&seed) * 250 - 125), p = f32_of((uint32_t)rng_next(&seed) >> 1);
		double want = exp2((double)a);

		MUST(fabs((double)ex2_f32(a) - want) <= want * 0x1.01p-24 + 0x1p-150, "ex2 %a", (double)a);
		if (!(p > 0) || isinf(p))
			continue;
		want = log2((double)p);
		MUST(fabs((double)lg2_f32(p) - want) <= fabs(want) * 0x1.01p-24, "lg2 %a", (double)p);
	}
}
END_TEST

START_TEST(setp_combines_and_gives_the_complement)
{
	static const struct {
		unsigned cbool;
		bool neg;
		uint32_t c, p, q;
	} rows[] = {
		{ CB_NONE, false, 0, 0x0000ffff, 0xffff0000 },
		{ CB_AND, false, 0x00ff00ff, 0x000000ff, 0x00ff0000 },
		{ CB_OR, false, 0x00ff00ff, 0x00ffffff, 0xffff00ff },
		{ CB_XOR, false, 0x00ff00ff, 0x00ffff00, 0xff0000ff },
		{ CB_AND, true, 0x00ff00ff, 0x0000ff00, 0xff000000 },
	};
	struct xinsn x = decoded(OP_SETP_LT_S32);

	for (unsigned i = 0; i < COUNT_OF(rows); i++) {
		struct regs r = { 0 };

		for (unsigned l = 0; l < 32; l++)
			r.r[2][l] = l - 16; /* < 0 in lanes 0 to 15 */
		x.cbool = (uint8_t)rows[i].cbool;
		x.sneg = rows[i].neg ? 4 : 0;
		x.src[2] = 4;
		r.p[4] = rows[i].c;
		lanes_best()->fn[OP_SETP_LT_S32](&x, r.r[0], NULL, r.p, UINT32_MAX);
		ck_assert_uint_eq(r.p[5], rows[i].p);
		ck_assert_uint_eq(r.p[6], rows[i].q);
	}
}
END_TEST

START_TEST(atomics_run_in_lane_order)
{
	static const struct {
		enum op op;
		uint32_t b, c, start, last_old, end;
	} rows[] = {
		{ OP_ATOM_ADD_U32, 3, 0, 10, 10 + 31 * 3, 10 + 32 * 3 },
		{ OP_ATOM_INC_U32, 4, 0, 0, 31 % 5, 32 % 5 },
		{ OP_ATOM_DEC_U32, 4, 0, 0, 4, 3 },
		{ OP_ATOM_EXCH_B32, 7, 0, 9, 7, 7 },
		{ OP_ATOM_MIN_S32, 0xffffffff, 0, 5, 0xffffffff, 0xffffffff },
		{ OP_ATOM_MAX_U32, 0xffffffff, 0, 5, 0xffffffff, 0xffffffff },
		{ OP_ATOM_CAS_B32, 5, 6, 5, 6, 6 },
		{ OP_ATOM_ADD_F32, 0x3f800000, 0, 0, 0x41f80000, 0x42000000 },
		{ OP_ATOM_XOR_B32, 1, 0, 0, 1, 0 },
	};

	for (unsigned i = 0; i < COUNT_OF(rows); i++)
		for (unsigned level = 0; level < 2; level++) {
			const struct lanes *ln = level ? lanes_best() : &lanes_base;
			struct xinsn x = { .src = { 0, 4 * 32, 6 * 32 }, .dst = { DST * 32 } };
			struct regs r = { 0 };
			uint32_t cell = rows[i].start;
			unsigned char *mem[32];

			for (unsigned l = 0; l < 32; l++) {
				mem[l] = (unsigned char *)&cell;
				r.r[4][l] = rows[i].b;
				r.r[6][l] = rows[i].c;
			}
			ln->atom[rows[i].op](&x, r.r[0], NULL, UINT32_MAX, level ? UINT32_MAX : 0, mem);
			ck_assert_uint_eq(cell, rows[i].end);
			ck_assert_uint_eq(r.r[DST][31], rows[i].last_old);
			ck_assert_uint_eq(r.r[DST][0], rows[i].start);
		}
}
END_TEST

/* One lane adds b to a cell in shared, another in global memory. */
START_TEST(float_atomics_lose_subnormals_in_global_memory)
{
	static const struct {
		uint32_t a, b, shared, global;
	} rows[] = {
		{ 0x00000005, 0x00000003, 0x00000008, 0 },          { 0x80000005, 0x80000003, 0x80000008, 0x80000000 },
		{ 0x00c00000, 0x80800000, 0x00400000, 0 },          { 0x80c00000, 0x00800000, 0x80400000, 0x80000000 },
		{ 0x00800000, 0x00000001, 0x00800001, 0x00800000 }, { 0x3f800000, 0x3f800000, 0x40000000, 0x40000000 },
		{ 0x7f800000, 0xff800000, 0x7fffffff, 0x7fffffff },
	};
	static const enum op ops[] = { OP_ATOM_ADD_F32, OP_RED_ADD_F32 };

	for (unsigned i = 0; i < 2 * COUNT_OF(rows); i++) {
		const struct lanes *ln = i & 1 ? lanes_best() : &lanes_base;
		struct xinsn x = { .src = { 0, 4 * 32 }, .dst = { DST * 32 } };
		struct regs r = { 0 };
		uint32_t cell[2] = { rows[i / 2].a, rows[i / 2].a };
		unsigned char *mem[32] = { [4] = (unsigned char *)&cell[0], [9] = (unsigned char *)&cell[1] };

		r.r[4][4] = r.r[4][9] = rows[i / 2].b;
		for (unsigned o = 0; o < 2; o++) {
			cell[0] = cell[1] = rows[i / 2].a;
			ln->atom[ops[o]](&x, r.r[0], NULL, 1u << 4 | 1u << 9, 1u << 9, mem);
			ck_assert_uint_eq(cell[0], rows[i / 2].shared);
			ck_assert_uint_eq(cell[1], rows[i / 2].global);
			ck_assert_uint_eq(r.r[DST][4], rows[i / 2].a); /* the old value is what was there */
			ck_assert_uint_eq(r.r[DST][9], rows[i / 2].a);
		}
	}
}
END_TEST

START_TEST(the_machine_gets_its_best_level)
{
#if defined(__x86_64__) && !defined(LANES_ONLY_BASE)
	ck_assert(machine_has_v3() == (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
				       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")));
#else
	ck_assert(!machine_has_v3());
#endif
}
END_TEST

/* Every row is either arithmetic that the lanes know, an atomic, of a kind that the engine executes itself, or decoded
 * machine code, which it does not. */
static void has_code(unsigned row)
{
	const struct op_info *o = &op_info[row];
	bool engine = o->flags & OPF_NATIVE || o->mem_bytes ||
		      o->flags & (OPF_BRANCH | OPF_EXIT | OPF_CROSS | OPF_SIDE | OPF_CALL | OPF_TABLE | OPF_RETURN) ||
		      texture_of(row, &(struct texture){ 0 }) || row == OP_CVTA_U64 || row == OP_CVTA_U32 ||
		      row == OP_CVTA_TO_U64 || row == OP_CVTA_TO_U32;

	MUST((lanes_base.fn[row] != NULL) == (o->expr[0] && !(o->flags & OPF_ATOMIC)), "%s", o->id);
	MUST((lanes_base.atom[row] != NULL) == ((o->flags & OPF_ATOMIC) != 0 && o->expr[0]), "%s", o->id);
	MUST((lanes_base.fn_mod[row] != NULL) == ((o->flags & (OPF_FTZ | OPF_SAT)) != 0), "%s", o->id);
	MUST(engine || lanes_base.fn[row], "%s", o->id);
}

/* ptxas's division of floats where FCHK says no, or its form with .ftz. */
static float quick_quotient(float a, float b, bool ftz)
{
	float r = flush_f32(1 / flush_f32(b)), q, rest;

#define KEEP(v) (ftz ? flush_f32(v) : (v))
	r = KEEP(__builtin_fmaf(r, KEEP(__builtin_fmaf(-b, r, 1)), r));
	q = KEEP(__builtin_fmaf(a, r, 0));
	rest = KEEP(__builtin_fmaf(-b, q, a));
	return KEEP(__builtin_fmaf(r, rest, q));
#undef KEEP
}

static uint32_t mantissa(uint64_t *r, unsigned round)
{
	static const uint32_t some[] = { 0, 1, 0x400000, 0x7ffffe, 0x7fffff };

	return round < 5 ? some[round] : (uint32_t)rng_next(r) & 0x7fffff;
}

START_TEST(what_fchk_does_not_stop_divides_exactly)
{
	uint64_t r = 1;
	unsigned quick = 0;

	for (uint32_t e = 0; e < 256 * 256; e++)
		for (unsigned n = 0; n < 49; n++) {
			const uint32_t a = (e & 255) << 23 | mantissa(&r, n % 7) | (n & 1u) << 31,
				       b = e >> 8 << 23 | mantissa(&r, n / 7);

			if (fchk(a, b))
				continue;
			quick++;
			for (int ftz = 0; ftz < 2; ftz++)
				MUST(bits_f32(quick_quotient(f32_of(a), f32_of(b), ftz)) ==
					     bits_f32(f32_of(a) / f32_of(b)),
				     "%08x / %08x", a, b);
		}
	MUST(quick > 1000000, "%u", quick);
}
END_TEST

START_TEST(every_row_has_code)
{
	for (unsigned row = 0; row < OP_COUNT; row++)
		has_code(row);
}
END_TEST

Suite *suite_lanes(void)
{
	Suite *s = suite_create("lanes");
	TCase *t = tcase_create("lanes");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, every_row_has_code);
	tcase_add_test(t, what_fchk_does_not_stop_divides_exactly);
	tcase_add_test(t, every_row_is_equal_at_all_instruction_set_levels);
	tcase_add_test(t, destinations_may_be_sources);
	tcase_add_test(t, rows_do_what_the_isa_says);
	tcase_add_test(t, directed_rounding_is_exact);
	tcase_add_test(t, modifiers_and_special_functions);
	tcase_add_test(t, special_functions_are_right_to_one_unit_in_the_last_place);
	tcase_add_test(t, setp_combines_and_gives_the_complement);
	tcase_add_test(t, atomics_run_in_lane_order);
	tcase_add_test(t, float_atomics_lose_subnormals_in_global_memory);
	tcase_add_test(t, the_machine_gets_its_best_level);
	suite_add_tcase(s, t);
	return s;
}

/* Where the machine code that ptxas makes does not give what the PTX ISA says, or the ISA leaves open what comes out:
 * of such texts those executions are not held against the engine, and all others are. Each was seen in the code. */
#include "test/conform/native.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bool where_fn(const struct trial *t, const uint64_t got[2]);

/* ---- where ---- */
static bool by_zero(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return t->src[1] == 0;
}

/* Places and lengths of bits are 0 to 255. */
static bool extract_far(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return (t->src[1] | t->src[2]) > 255;
}

static bool insert_far(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return (t->src[2] | t->src[3]) > 255;
}

/* A base above 31, or an offset that has no opposite. */
static bool no_such_bit(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return t->src[1] > 31 || (uint32_t)t->src[2] == UINT32_C(0x80000000);
}

static float as_float(uint64_t bits)
{
	const uint32_t word = (uint32_t)bits;
	float f;

	memcpy(&f, &word, sizeof f);
	return f;
}

static bool is_nan64(uint64_t bits) { return (bits << 1) > UINT64_C(0xffe0000000000000); }

/* More than 100 pi. */
static bool angle_far(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return fabsf(as_float(t->src[0])) > 314.0f;
}

static bool subnormal_source(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return fpclassify(as_float(t->src[0])) == FP_SUBNORMAL;
}

static bool both_nan32(const struct trial *t, const uint64_t got[2])
{
	return isnan(as_float(t->want[0])) && isnan(as_float(got[0])) && got[0] >> 32 == 0;
}

static bool nan_source(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return isnan(as_float(t->src[0]));
}

static bool both_nan64(const struct trial *t, const uint64_t got[2])
{
	return is_nan64(t->want[0]) && is_nan64(got[0]);
}

/* The third operand won, or should have. */
static bool other_one(const struct trial *t, const uint64_t got[2])
{
	const uint32_t c = (uint32_t)t->src[2];

	return (got[0] == c) != (t->want[0] == c);
}

/* The windows of docs/IR.md. */
static bool in_no_window(const struct trial *t, const uint64_t got[2])
{
	const uint64_t high = t->src[0] >> 24;

	return got[0] == 1 && (high == 0 || (high > 4 && high < 8));
}

/* An address that is not in the shared memory of the CTA's own, which is alone in its cluster; or another CTA. */
static bool in_no_cta(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return t->src[0] >> 24 != 0;
}

/* Generic addresses of shared memory are others in machine code. */
static bool in_other_window(const struct trial *t, const uint64_t got[2])
{
	(void)got;
	return t->src[0] >> 32 != NATIVE_SHARED_HIGH;
}

static bool of_no_cta(const struct trial *t, const uint64_t got[2]) { return in_no_cta(t, got) || t->src[1] != 0; }

/* ---- video instructions: "vshl.s32.u32.u32.sat.clamp d0, s0.h1, s1.b2;" ---- */
/* The bits of the n-th operand's part, and how many. */
static uint32_t part_of(const char *ptx, unsigned n, uint32_t word, unsigned *bits)
{
	const char *s = strchr(ptx, ' ');
	unsigned at;

	for (; s && n; n--)
		s = strchr(s + 1, ',');
	s += s ? strcspn(s + 1, ".,;") + 1 : 0;
	*bits = 32;
	if (!s || *s != '.')
		return word;
	*bits = s[1] == 'b' ? 8 : 16;
	at = (unsigned)(s[2] - '0') * *bits;
	return word >> at & ((1u << *bits) - 1);
}

static bool top_bit(const struct trial *t, unsigned source)
{
	unsigned bits;
	const uint32_t v = part_of(t->v->ptx, source + 1, (uint32_t)t->src[source], &bits);

	return v >> (bits - 1);
}

/* The lower half is right, the other is what the upper half of the result is. */
static bool upper_half(const struct trial *t, const uint64_t got[2])
{
	return ((got[0] ^ t->want[0]) & UINT64_C(0xffffffff0000ffff)) == 0;
}

/* The part is the most or the least that it can hold, by either account; all else is as it was. */
static bool part_at_limit(const struct trial *t, const uint64_t got[2])
{
	const uint32_t either[2] = { (uint32_t)t->want[0], (uint32_t)got[0] };
	uint32_t rest[2];
	bool limit = false;

	for (unsigned n = 0; n < 2; n++) {
		unsigned bits;
		const uint32_t v = part_of(t->v->ptx, 0, either[n], &bits), top = 1u << (bits - 1),
			       all = top | (top - 1), at = strstr(t->v->ptx, "d0.")[4] - '0';

		limit |= v == 0 || v == top || v == top - 1 || v == all;
		rest[n] = either[n] & ~(all << at * bits);
	}
	return limit && rest[0] == rest[1];
}

static bool signs_matter(const struct trial *t, const uint64_t got[2])
{
	return top_bit(t, 0) || top_bit(t, 1) || top_bit(t, 2) || (got[0] | t->want[0]) >> 31;
}

/* More than 34 bits of it may be set. */
static bool shifted_far(const struct trial *t, const uint64_t got[2])
{
	unsigned bits;
	uint32_t by = part_of(t->v->ptx, 2, (uint32_t)t->src[1], &bits);

	(void)got;
	return (strstr(t->v->ptx, ".wrap") ? by & 31 : by) > 2;
}

/* ---- the table ---- */
#define DIFFERS_OF(first, last, text, where, why) \
	{                                         \
		text, where, why, first, last     \
	}
#define DIFFERS(text, where, why) DIFFERS_OF(0, 999, text, where, why)
static const struct difference {
	const char *text; /* a pattern of the shell */
	where_fn *where;  /* NULL: of products of matrices, within native's bound */
	const char *why;
	unsigned from, to; /* targets */
} differences[] = {
	DIFFERS("rem.*", by_zero, "a remainder by zero is not specified"),
	DIFFERS("bfe.[us]64 *", extract_far, "places above 255 are not specified"),
	DIFFERS("bfi.b64 *", insert_far, "places above 255 are not specified"),
	DIFFERS("fns.b32 *", no_such_bit, "a base above 31 is not specified, and ptxas negates offsets"),
	DIFFERS("sin.approx*", angle_far, "angles beyond 100 pi have no bound"),
	DIFFERS("cos.approx*", angle_far, "angles beyond 100 pi have no bound"),
	DIFFERS("min.f64 *", both_nan64, "which NaN comes out is not specified"),
	DIFFERS("max.f64 *", both_nan64, "which NaN comes out is not specified"),
	DIFFERS("abs.f64 *", both_nan64, "which NaN comes out is not specified"),
	DIFFERS("neg.f64 *", both_nan64, "which NaN comes out is not specified"),
	DIFFERS("cvt*.f32.bf16 *", both_nan32, "ptxas shifts, and the NaN stays as it is"),
	DIFFERS("cvt.f32.f32 *", both_nan32, "ptxas moves, and the NaN stays as it is"),
	DIFFERS("cvt.f64.f64 *", both_nan64, "ptxas moves, and the NaN stays as it is"),
	DIFFERS("cvt.rna*.tf32.f32 *", nan_source, "ptxas rounds in integers and cuts the bits of a NaN"),
	DIFFERS("cvt.r[mp].ftz*.f16.f32 *", subnormal_source, "ptxas leaves out the .ftz"),
	DIFFERS("isspacep.global *", in_no_window, "an address in no window counts as global"),
	DIFFERS("mapa.u64 *", in_other_window, "generic addresses of shared memory have other numbers"),
	DIFFERS("getctarank.u64 *", in_other_window, "generic addresses of shared memory have other numbers"),
	DIFFERS("mapa.*", of_no_cta, "what is not in shared memory, or of a rank that there is not, is not specified"),
	DIFFERS("getctarank.*", in_no_cta, "what is not in shared memory is not specified"),
	DIFFERS("v*.h1, *", upper_half, "ptxas puts the upper half of the result into .h1"),
	DIFFERS("v*.m[ai][xn] d0, *", other_one,
		"ptxas compares what is below zero as unsigned, and results of vset as signed"),
	DIFFERS("v*.sat* d0.[bh][0-3], *", part_at_limit, "ptxas saturates to 32 bits, not to the part"),
	DIFFERS("vmad.*u32.*", signs_matter, "ptxas takes unsigned operands as signed, and saturates so"),
	DIFFERS("vshl.*.sat.*", shifted_far, "ptxas keeps 34 bits of what is shifted before it saturates"),
	DIFFERS("wmma.mma.*.tf32.tf32.f32", NULL, "two products of four elements one after the other"),
	DIFFERS_OF(0, 75, "wmma.mma.*k16.f*", NULL, "sm_75 has products of eight elements, one after the other"),
	DIFFERS_OF(90, 90, "mma.sync.aligned.m16n8k*.e[45]m[23].e[45]m[23].*", NULL,
		   "sm_90 makes halves of the bytes and two products, one after the other"),
	DIFFERS_OF(80, 999, "mma.sync.aligned.m8n8k4.*.f32.f16.f16.f*", NULL,
		   "a function sums the four products in turn"),
};
enum { DIFFERENCES = sizeof differences / sizeof *differences };

static bool met[DIFFERENCES];

static bool is_of(unsigned n, const char *text)
{
	const struct difference *x = &differences[n];

	return fnmatch(x->text, text, 0) == 0 && native_sm() >= x->from && native_sm() <= x->to;
}

bool native_differs(const struct trial *t, const uint64_t got[2])
{
	for (unsigned n = 0; n < DIFFERENCES; n++)
		if (differences[n].where && is_of(n, t->v->ptx) && differences[n].where(t, got)) {
			met[n] = true;
			return true;
		}
	return false;
}

bool native_may_differ(const char *text)
{
	for (unsigned n = 0; n < DIFFERENCES; n++)
		if (fnmatch(differences[n].text, text, 0) == 0)
			return true;
	return false;
}

bool native_sums_differ(const char *mnemonic)
{
	for (unsigned n = 0; n < DIFFERENCES; n++)
		if (!differences[n].where && is_of(n, mnemonic)) {
			met[n] = true;
			return true;
		}
	return false;
}

unsigned native_unmet(void)
{
	unsigned unmet = 0;

	for (unsigned n = 0; n < DIFFERENCES; n++)
		if (!met[n]) {
			unmet++;
			printf("not met: %s: %s\n", differences[n].text, differences[n].why);
		}
	return unmet;
}

/* Where the machine code that ptxas makes does not give what the PTX ISA says, or the ISA leaves open what comes out:
 * of such texts those executions are not held against the engine, and all others are. Each was seen in the code. */
#include "test/conform/native.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bool where_fn(const struct trial *t, const uint64_t got[2]);

/* ---- where ---- */
static bool anywhere(const struct trial *t, const uint64_t got[2])
{
	(void)t;
	(void)got;
	return true;
}

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

/* ---- the table ---- */
static const struct difference {
	const char *text; /* a pattern of the shell */
	where_fn *where;  /* NULL: of products of matrices, within native's bound */
	const char *why;
} differences[] = {
	{ "rem.*", by_zero, "a remainder by zero is not specified" },
	{ "bfe.[us]64 *", extract_far, "places above 255 are not specified" },
	{ "bfi.b64 *", insert_far, "places above 255 are not specified" },
	{ "fns.b32 *", no_such_bit, "a base above 31 is not specified, and ptxas negates offsets" },
	{ "sin.approx*", angle_far, "angles beyond 100 pi have no bound" },
	{ "cos.approx*", angle_far, "angles beyond 100 pi have no bound" },
	{ "min.f64 *", both_nan64, "which NaN comes out is not specified" },
	{ "max.f64 *", both_nan64, "which NaN comes out is not specified" },
	{ "abs.f64 *", both_nan64, "which NaN comes out is not specified" },
	{ "neg.f64 *", both_nan64, "which NaN comes out is not specified" },
	{ "cvt*.f32.bf16 *", both_nan32, "ptxas shifts, and the NaN stays as it is" },
	{ "cvt.f32.f32 *", both_nan32, "ptxas moves, and the NaN stays as it is" },
	{ "cvt.f64.f64 *", both_nan64, "ptxas moves, and the NaN stays as it is" },
	{ "cvt.rna*.tf32.f32 *", nan_source, "ptxas rounds in integers and cuts the bits of a NaN" },
	{ "cvt.r[mp].ftz*.f16.f32 *", subnormal_source, "ptxas leaves out the .ftz" },
	{ "isspacep.global *", in_no_window, "an address in no window counts as global" },
	{ "mapa.u64 *", in_other_window, "generic addresses of shared memory have other numbers" },
	{ "getctarank.u64 *", in_other_window, "generic addresses of shared memory have other numbers" },
	{ "mapa.*", of_no_cta, "what is not in shared memory, or of a rank that there is not, is not specified" },
	{ "getctarank.*", in_no_cta, "what is not in shared memory is not specified" },
	{ "v*.h1, *", anywhere, "ptxas puts the upper half of the result into .h1" },
	{ "v*.m[ai][xn] d0, *", other_one,
	  "ptxas compares what is below zero as unsigned, and results of vset as signed" },
	{ "v*.sat* d0.[bh][0-3], *", anywhere, "ptxas saturates to 32 bits, not to the part" },
	{ "vmad.*u32.*", anywhere, "ptxas takes unsigned operands as signed, and saturates so" },
	{ "vshl.*.sat.*", anywhere, "ptxas keeps 34 bits of what is shifted before it saturates" },
	{ "wmma.mma.*.tf32.tf32.f32", NULL, "two products of four elements one after the other" },
	{ "wmma.mma.*k16.f32.f*", NULL, "sm_75 has products of eight elements, one after the other" },
	{ "mma.sync.aligned.m8n8k4.*.f32.f16.f16.f*", NULL, "from sm_80 on a function sums the four products in turn" },
};
enum { DIFFERENCES = sizeof differences / sizeof *differences };

static bool met[DIFFERENCES];

bool native_differs(const struct trial *t, const uint64_t got[2])
{
	for (unsigned n = 0; n < DIFFERENCES; n++)
		if (differences[n].where && fnmatch(differences[n].text, t->v->ptx, 0) == 0 &&
		    differences[n].where(t, got)) {
			met[n] = true;
			return true;
		}
	return false;
}

bool native_sums_differ(const char *mnemonic)
{
	for (unsigned n = 0; n < DIFFERENCES; n++)
		if (!differences[n].where && fnmatch(differences[n].text, mnemonic, 0) == 0) {
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

/* Bits that a register file adds to an SM: the papers' numbers, and what shares a structure. */
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"

#include <check.h>
#include <string.h>

static struct params p;
static struct storage_part part[STORAGE_ALL];

static void machine(const char *name, const char *set)
{
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, name, &d));
	if (set)
		ck_assert_msg(params_set(&p, set, &d), "%s", d.last);
	diag_free(&d);
}

static struct rf_config config(const char *text)
{
	struct rf_config c;
	struct diag d;

	diag_init(&d, NULL);
	ck_assert_msg(rf_config_parse(&c, text, &p, &d), "%s", d.last);
	diag_free(&d);
	return c;
}

static unsigned bits(const char *text)
{
	const struct rf_config c = config(text);

	return rf_config_storage(&c, &p, STORAGE_REGISTERS);
}

/* Of one structure; 0: there is none of that name. */
static unsigned of(const char *text, const char *what)
{
	const struct rf_config c = config(text);
	const unsigned n = rf_config_storage_parts(&c, &p, STORAGE_REGISTERS, part);

	for (unsigned i = 0; i < n; i++)
		if (strcmp(part[i].what, what) == 0)
			return part[i].bits;
	return 0;
}

START_TEST(each_paper_counts_so_many)
{
	static const struct {
		const char *rf, *set;
		unsigned bits;
	} row[] = {
		{ "baseline", NULL, 0 },
		/* RegMutex section III-B: 384, where renaming takes 30,240 and 1,024; III-C: half a bit a warp */
		{ "regmutex", NULL, 384 },
		{ "regmutex-paired", NULL, 24 },
		{ "rfv", NULL, 30240 + 1024 },
		/* docs/OWF.md, RFV.md: partners and takers, owners; entries held by CTA, their order */
		{ "owf", NULL, 48 * (1 + 6 + 1) + 8 },
		{ "rfv-shared", NULL, 30240 + 1024 + 8 * (11 + 3) },
		/* CORF sections 6 and 8: 14 bits for each of 48 x 63 registers, 512 bytes of free map; CORF++ 128 bytes
		   more */
		{ "first-fit", NULL, 48 * 63 * 14 + 512 * 8 },
		{ "corf++", NULL, 48 * 63 * 14 + 512 * 8 + 128 * 8 },
		{ "corf", NULL, 48 * 63 * 14 + 512 * 8 + 8 * 63 * 6 },
		/* Hierarchical RF: entries of a thread times active warps, 1024 bits each */
		{ "orf", NULL, 3 * 8 * 1024 },
		{ "orf", "rf_l1_entries=8", 8 * 8 * 1024 },
		{ "lrf+orf", NULL, (3 + 1) * 8 * 1024 },
		{ "split-lrf+orf", NULL, (3 + 3) * 8 * 1024 },
		{ "orf", "rf_flush=0", 3 * 48 * 1024 },
		{ "orf-variable", NULL, 3 * 8 * 1024 },
		{ "orf-variable", "orf_pool=40", 40 * 1024 },
		{ "rfc", NULL, 3 * 8 * (1024 + 8) },
		{ "rfc2", NULL, 4 * 8 * (1024 + 8) },
		{ "all-l0", NULL, 0 },
		{ "all-l1", NULL, 0 },
		/* G-Scalar section 5.1: 64 x 38 bits in each of 16 banks; with halves a base and its encoding more */
		{ "compress", "gs_half=0", 16 * 64 * 38 },
		{ "g-scalar", "gs_half=0", 16 * 64 * 38 },
		{ "g-scalar", NULL, 16 * 64 * (38 + 36) },
		{ "warped-compression", NULL, 1024 * 2 },
		{ "affine", NULL, 1024 },
		{ "alu-scalar", NULL, 1024 * 33 },
		{ "static-scalar", NULL, 1024 * 33 },
		/* WIR section VII-E: 9.9 KB with its fields of 10 bits (t_energy.c has its parts) */
		{ "wir-rlpv", "reuse_field_bits=10", 80920 },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		machine("gtx480", row[i].set);
		ck_assert_msg(bits(row[i].rf) == row[i].bits, "%s, %s: %u", row[i].rf, row[i].set ? row[i].set : "",
			      bits(row[i].rf));
	}
	machine("gtx480", NULL);
	ck_assert_double_eq_tol(of("corf", "renaming table") / 8192., 5.16, 0.01); /* CORF section 8 */
	ck_assert_uint_eq(of("corf", "free map"), 512 * 8);
	/* G-Scalar: the register file grows by about 3 % */
	ck_assert_double_eq_tol(16 * 64 * 38. / (1024 * 1024), 0.03, 0.01);
	machine("hierarchical-rf", "active_warps=32");
	/* Hierarchical RF section 4.6: a quarter, as a quarter of the warps is active */
	ck_assert_uint_eq(bits("orf"), 4 * 3 * 8 * 1024);
}
END_TEST

/* CORF section 1: residency and packing "share a renaming table". */
START_TEST(what_two_axes_share_counts_once)
{
	machine("gtx480", NULL);
	ck_assert_uint_eq(bits("corf++,residency=rfv"), bits("corf++"));
	ck_assert_uint_eq(bits("corf++,residency=rfv-shared"), bits("corf++") + of("rfv-shared", "throttle"));
	ck_assert_uint_eq(bits("corf++,residency=rfv,hierarchy=orf,issue=two-level"), bits("corf++") + bits("orf"));
	ck_assert_uint_eq(bits("regmutex,hierarchy=split-lrf+orf,issue=two-level"), 384 + bits("split-lrf+orf"));
	ck_assert_uint_eq(bits("affine+wir-rlpv"), bits("affine") + bits("wir-rlpv"));
}
END_TEST

/* A table with a row for each register of a warp grows with the largest kernel. */
START_TEST(larger_kernels_need_wider_tables)
{
	struct rf_config c;

	machine("gtx480", NULL);
	c = config("rfv");
	ck_assert_uint_eq(rf_config_storage(&c, &p, 20), 30240 + 1024);
	ck_assert_uint_eq(rf_config_storage(&c, &p, 128), 48 * 128 * 10 + 1024);
	c = config("corf++");
	ck_assert_uint_eq(rf_config_storage(&c, &p, 20), bits("corf++"));
	ck_assert_uint_eq(rf_config_storage(&c, &p, 255), 48 * 255 * 14 + 4096 + 8 * 2 * 256);
	c = config("corf");
	ck_assert_uint_eq(rf_config_storage(&c, &p, 20), bits("corf"));
	ck_assert_uint_eq(rf_config_storage(&c, &p, 128), 48 * 128 * 14 + 4096 + 8 * 128 * 8);
	c = config("orf");
	ck_assert_uint_eq(rf_config_storage(&c, &p, 255), 3 * 8 * 1024);
}
END_TEST

/* Every preset says of what its bits are: no structure twice, none of 0 bits, together the sum. */
START_TEST(parts_add_up)
{
	static const char *const preset[] = {
#define PRESET(name, issue, residency, packing, hierarchy, values, reuse, what) name,
#include "runtime-model/config/presets.def"
#undef PRESET
	};

	machine("gtx480", NULL);
	for (unsigned i = 0; i < sizeof preset / sizeof *preset; i++) {
		const struct rf_config c = config(preset[i]);
		const unsigned n = rf_config_storage_parts(&c, &p, STORAGE_REGISTERS, part);
		unsigned sum = 0;

		for (unsigned x = 0; x < n; x++) {
			ck_assert_msg(part[x].bits > 0, "%s: %s", preset[i], part[x].what);
			sum += part[x].bits;
			for (unsigned y = 0; y < x; y++)
				ck_assert_str_ne(part[x].what, part[y].what);
		}
		ck_assert_uint_eq(sum, rf_config_storage(&c, &p, STORAGE_REGISTERS));
		ck_assert_msg(sum || strcmp(preset[i], "baseline") == 0 || strncmp(preset[i], "all-", 4) == 0,
			      "%s has no storage", preset[i]);
	}
}
END_TEST

Suite *suite_storage(void);
Suite *suite_storage(void)
{
	Suite *s = suite_create("storage");
	TCase *c = tcase_create("storage");

	tcase_add_test(c, each_paper_counts_so_many);
	tcase_add_test(c, what_two_axes_share_counts_once);
	tcase_add_test(c, larger_kernels_need_wider_tables);
	tcase_add_test(c, parts_add_up);
	suite_add_tcase(s, c);
	return s;
}

/* Parameters: machine descriptions, changes by name, range checks, listings. */
#include "passes/pass.h"
#include "runtime-model/energy.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct fixture { struct params p; struct diag d; };

static void init(struct fixture *f)
{
	diag_init(&f->d, NULL);
	ck_assert(params_machine(&f->p, "gtx480", &f->d));
}

START_TEST(the_gtx480_has_the_published_numbers)
{
	struct fixture f;

	init(&f);
	ck_assert_uint_eq(f.p.sms, 15);
	ck_assert_uint_eq(f.p.rf_registers, 32768);
	ck_assert_uint_eq(f.p.dram_mhz, 924);
	ck_assert_uint_eq(f.p.unit[FU_FP_MAD].latency, 5);
	ck_assert_uint_eq(f.p.unit[FU_SFU].interval, 8);
	ck_assert_int_eq(f.p.unit[FU_DP_ADD].pipe, PIPE_SFU);
	ck_assert_uint_eq(params_warps(&f.p), 48);
	for (unsigned u = 0; u < FU_COUNT; u++) {
		ck_assert_uint_ge(f.p.unit[u].latency, 1);
		ck_assert_uint_ge(f.p.unit[u].interval, 1);
		ck_assert_ptr_nonnull(f.p.unit[u].source);
	}
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		ck_assert_ptr_nonnull(f.p.source[i]);
	ck_assert(!params_machine(&f.p, "gtx9000", &f.d));
	ck_assert_ptr_nonnull(strstr(f.d.last, "gtx480"));
	diag_free(&f.d);
}
END_TEST

/* passes/ may not include the machine, so the scheduler has its own table. It differs where it says so: a memory instruction
 * is address generation to the machine and a hit of the first level to the scheduler. */
START_TEST(the_scheduler_knows_the_units_of_the_gtx480)
{
	struct fixture f;

	init(&f);
	for (unsigned u = 0; u < FU_COUNT; u++)
		ck_assert_msg(schedule_latency(u) == (u == FU_MEM ? f.p.l1_latency : f.p.unit[u].latency), "unit %u: %u cycles to the "
		              "scheduler, %u to the machine", u, schedule_latency(u), (unsigned)f.p.unit[u].latency);
	ck_assert_uint_eq(schedule_load_latency(SP_SHARED), f.p.shared_latency);
	ck_assert_uint_eq(schedule_load_latency(SP_LOCAL), f.p.l1_latency);
	ck_assert_uint_eq(schedule_load_latency(SP_CONST), f.p.l1_latency);
	ck_assert_uint_eq(schedule_load_latency(SP_PARAM), f.p.l1_latency);
	ck_assert_uint_gt(schedule_load_latency(SP_GLOBAL), f.p.l1_latency);        /* a miss */
	ck_assert_uint_eq(schedule_load_latency(SP_GENERIC), schedule_load_latency(SP_GLOBAL));
	diag_free(&f.d);
}
END_TEST

START_TEST(a_parameter_is_set_by_name)
{
	struct fixture f;

	init(&f);
	ck_assert(params_set(&f.p, "rf_banks=4", &f.d));
	ck_assert_uint_eq(f.p.rf_banks, 4);
	ck_assert_str_eq(f.p.source[PARAM_rf_banks], "set by the user");
	ck_assert(params_set(&f.p, "fp_mad_latency=9", &f.d));
	ck_assert_uint_eq(f.p.unit[FU_FP_MAD].latency, 9);
	ck_assert(params_set(&f.p, "int_mul_interval=3", &f.d));
	ck_assert_uint_eq(f.p.unit[FU_INT_MUL].interval, 3);
	ck_assert(params_set(&f.p, "energy=hrf", &f.d));
	ck_assert_str_eq(f.p.energy->name, "hrf");
	diag_free(&f.d);
}
END_TEST

static const struct { const char *text, *says; } bad[] = {
	{ "rf_banks", "not of the form" },         { "rf_banks=0", "out of range: 1 .. 32 banks" },
	{ "rf_banks=33", "out of range" },         { "rf_banks=", "not a whole number" },
	{ "rf_banks=4x", "not a whole number" },   { "rf_banks=-1", "not a whole number" },
	{ "rf_bank=4", "no parameter is called" }, { "=4", "no parameter is called" },
	{ "fp_mad_latency=0", "out of range" },    { "fp_mad_latency=901", "1 .. 900 cycles" },
	{ "fp_mad_width=1", "no parameter" },      { "energy=free", "no energy table" },
	{ "sms=99999999999999999999999", "not a whole number" },
};

START_TEST(what_is_unknown_or_out_of_range_is_refused)
{
	struct fixture f;
	struct params before;

	init(&f);
	before = f.p;
	ck_assert(!params_set(&f.p, bad[_i].text, &f.d));
	ck_assert_msg(strstr(f.d.last, bad[_i].says), "%s", f.d.last);
	ck_assert_mem_eq(&before, &f.p, sizeof before);
	diag_free(&f.d);
}
END_TEST

START_TEST(every_parameter_is_listed_printed_and_in_the_json)
{
	struct fixture f;
	char *listed, *printed;
	size_t n;
	FILE *out;
	json_t *o;

	init(&f);
	out = open_memstream(&listed, &n);
	params_list(out);
	fclose(out);
	out = open_memstream(&printed, &n);
	params_print(out, &f.p);
	fclose(out);
	o = params_json(&f.p);
#define PARAM(name, type, unit, def, min, max, what) \
	ck_assert_ptr_nonnull(strstr(listed, #name)); \
	ck_assert_ptr_nonnull(strstr(printed, #name)); \
	ck_assert_int_eq(json_integer_value(json_object_get(o, #name)), f.p.name);
#include "runtime-model/params.def"
#undef PARAM
	ck_assert_int_eq(json_integer_value(json_object_get(o, "fp_div_interval")), 4);
	ck_assert_ptr_nonnull(strstr(printed, "fp_div"));
	json_decref(o);
	free(listed);
	free(printed);
	diag_free(&f.d);
}
END_TEST

Suite *suite_params(void);
Suite *suite_params(void)
{
	Suite *s = suite_create("params");
	TCase *c = tcase_create("params");

	tcase_add_test(c, the_gtx480_has_the_published_numbers);
	tcase_add_test(c, the_scheduler_knows_the_units_of_the_gtx480);
	tcase_add_test(c, a_parameter_is_set_by_name);
	tcase_add_loop_test(c, what_is_unknown_or_out_of_range_is_refused, 0, sizeof bad / sizeof *bad);
	tcase_add_test(c, every_parameter_is_listed_printed_and_in_the_json);
	suite_add_tcase(s, c);
	return s;
}

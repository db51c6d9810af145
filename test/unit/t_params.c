/* Parameters: machine descriptions, changes by name, range checks, listings. */
#include "passes/orf_energy.h"
#include "passes/pass.h"
#include "runtime-model/core/energy.h"
#include "runtime-model/core/machine_file.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct params p; /* at first the GTX 480 */
static struct arena a;
static struct diag d;

static void begin(void)
{
	arena_init(&a);
	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "gtx480", &d));
}

static void end(void)
{
	diag_free(&d);
	arena_free(&a);
}

START_TEST(the_gtx480_has_the_published_numbers)
{
	ck_assert_uint_eq(p.sms, 15);
	ck_assert_uint_eq(p.rf_registers, 32768);
	ck_assert_uint_eq(p.dram_mhz, 924);
	ck_assert_uint_eq(p.unit[FU_FP_MAD].latency, 5);
	ck_assert_uint_eq(p.unit[FU_SFU].interval, 8);
	ck_assert_int_eq(p.unit[FU_DP_ADD].pipe, PIPE_SFU);
	ck_assert_uint_eq(params_warps(&p), 48);
	for (unsigned u = 0; u < FU_COUNT; u++) {
		ck_assert_uint_ge(p.unit[u].latency, 1);
		ck_assert_uint_ge(p.unit[u].interval, 1);
	}
	ck_assert(!params_machine(&p, "gtx9000", &d));
	ck_assert_msg(strstr(d.last, "there is: gtx480, regmutex, regmutex-half, corf, "), "%s", d.last);
}
END_TEST

/* The numbers that a paper gives. */
static const struct {
	const char *machine, *name;
	unsigned value;
} published[] = {
	{ "regmutex", "sms", 15 },
	{ "regmutex", "schedulers", 2 },
	{ "regmutex", "threads_per_sm", 48 * 32 },
	{ "regmutex", "rf_registers", 128 * 256 },
	{ "regmutex", "l2_sectors", 0 },
	{ "regmutex", "l2_write_fetch", 3 },
	{ "regmutex", "l2_preload", 0 },
	{ "regmutex-half", "rf_registers", 64 * 256 },
	{ "regmutex-half", "l2_write_fetch", 3 },
	{ "corf", "sms", 15 },
	{ "corf", "rf_banks", 4 },
	{ "corf", "rf_arrays", 8 },
	{ "corf", "oc_ports", 1 },
	{ "corf", "rf_read_write", 0 },
	{ "corf", "schedulers", 2 },
	{ "corf", "collectors", 4 },
	{ "corf", "threads_per_sm", 48 * 32 },
	{ "corf", "rf_registers", 128 * 256 },
	{ "hierarchical-rf", "schedulers", 1 },
	{ "hierarchical-rf", "threads_per_sm", 1024 },
	{ "hierarchical-rf", "memory_fixed", 400 },
	{ "hierarchical-rf", "shared_bytes", 32 << 10 },
	{ "hierarchical-rf", "memory_bytes_cycle", 32 },
	{ "hierarchical-rf", "shared_bytes_cycle", 32 },
	{ "hierarchical-rf", "active_warps", 8 },
	{ "g-scalar", "sm_mhz", 1400 },
	{ "g-scalar", "icnt_mhz", 700 },
	{ "g-scalar", "rf_banks", 16 },
	{ "g-scalar", "simt_lanes", 16 },
	{ "g-scalar", "partitions", 6 },
	{ "g-scalar", "schedulers", 2 },
	{ "g-scalar", "rf_partial_writes", 1 },
	{ "wir", "rf_banks", 8 },
	{ "wir", "rf_read_write", 1 },
	{ "wir", "l1_mshrs", 64 },
	{ "wir", "sm_mhz", 700 },
	{ "wir", "flit_bytes", 32 },
	{ "wir", "ctas_per_sm", 8 },
};

START_TEST(each_machine_has_the_numbers_of_its_paper)
{
	json_t *o;

	ck_assert(params_machine(&p, published[_i].machine, &d));
	o = params_json(&p);
	ck_assert_int_eq(json_integer_value(json_object_get(o, published[_i].name)), published[_i].value);
	json_decref(o);
}
END_TEST

START_TEST(caches_and_collectors_have_the_sizes_of_the_papers)
{
	ck_assert(params_machine(&p, "g-scalar", &d));
	ck_assert_uint_eq(p.collectors_sp + p.collectors_sfu + p.collectors_mem, 16);
	ck_assert_uint_eq(p.l1_sets * p.l1_ways * 128, 16 << 10);
	ck_assert_uint_eq(p.partitions * p.l2_slices * p.l2_sets * p.l2_ways * 128, 768 << 10);
	ck_assert(params_machine(&p, "wir", &d));
	ck_assert_uint_eq(p.l1_sets * p.l1_ways * 128, 32 << 10);
	ck_assert_uint_eq(p.l2_slices * p.l2_sets * p.l2_ways * 128, 128 << 10);
	ck_assert_uint_eq(p.icache_sets * p.icache_ways * 128, 2 << 10);
	ck_assert_uint_eq(p.const_sets * p.const_ways * 64, 8 << 10);
	ck_assert_uint_eq(p.tex_sets * p.tex_ways * 128, 12 << 10);
	ck_assert(params_machine(&p, "hierarchical-rf", &d));
	ck_assert_uint_eq(p.rf_banks * p.rf_arrays, 32);
	ck_assert_str_eq(p.energy->name, "hrf");
	ck_assert_str_eq(p.energy_origin.source, "Hierarchical RF Table V");
}
END_TEST

/* Every value of every machine is one that --set would take, and says where it comes from. */
START_TEST(every_machine_is_complete_and_in_range)
{
	static const char *const fu[] = {
#define X(n) #n,
		FU_LIST(X)
#undef X
	};
	struct params again;
	unsigned machines = 0;
	char text[96];

	for (const char *name; (name = params_machine_name(machines)); machines++) {
		ck_assert_msg(params_machine(&p, name, &d), "%s", d.last);
		again = p;
		ck_assert_str_eq(p.machine, name);
#define PARAM(id, type, unit, def, min, max, what)                           \
	snprintf(text, sizeof text, #id "=%u", (unsigned)p.id);              \
	ck_assert_msg(params_set(&again, text, &d), "%s: %s", name, d.last); \
	ck_assert_msg(p.origin[PARAM_##id].source &&strcmp(p.origin[PARAM_##id].source, "default"), "%s: " #id, name);
#include "runtime-model/core/params.def"
#undef PARAM
		for (unsigned u = 0; u < FU_COUNT; u++) {
			snprintf(text, sizeof text, "%s_latency=%u", fu[u], (unsigned)p.unit[u].latency);
			for (char *c = text; *c != '='; c++)
				*c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
			ck_assert_msg(params_set(&again, text, &d), "%s: %s", name, d.last);
			ck_assert_uint_ge(p.unit[u].interval, 1);
			ck_assert_ptr_nonnull(p.unit_origin[u].source);
		}
		ck_assert_ptr_nonnull(p.energy);
		ck_assert_ptr_nonnull(p.issue);
	}
	ck_assert_uint_eq(machines, 18);
	ck_assert_str_eq(params_machine_name(0), "gtx480");
}
END_TEST

/* Of the data sheets. */
static const struct {
	const char *machine;
	double gbs, l2_mb;
	unsigned sms, warps, array_kb;
} sheet[] = {
	{ "rtx2080ti", 616, 5.5, 68, 32, 96 }, { "a100", 1555, 40, 108, 64, 192 },
	{ "rtx3080", 760, 5, 68, 48, 128 },    { "rtx3080ti", 912, 6, 80, 48, 128 },
	{ "a10", 600, 6, 72, 48, 128 },        { "rtx4090", 1008, 72, 128, 48, 128 },
	{ "h100", 3350, 50, 132, 64, 256 },    { "h100-pcie", 2000, 50, 114, 64, 256 },
	{ "h200", 4800, 50, 132, 64, 256 },    { "b200", 8000, 126, 148, 64, 256 },
	{ "rtx5090", 1792, 96, 170, 48, 128 },
};

START_TEST(each_machine_of_subcores_has_the_sizes_of_its_data_sheet)
{
	for (unsigned i = 0, known = 0; params_machine_name(i); i++) {
		const char *name = params_machine_name(i);
		double gbs, l2, l1;
		unsigned n = 0;

		ck_assert(params_machine(&p, name, &d));
		if (!p.core)
			continue;
		while (n < sizeof sheet / sizeof *sheet && strcmp(sheet[n].machine, name) != 0)
			n++;
		ck_assert_msg(n < sizeof sheet / sizeof *sheet, "%s has no data sheet here", name);
		known++;
		gbs = p.dram_mhz * 1e6 * p.dram_bytes_cycle * p.partitions / 1e9;
		l2 = (double)p.partitions * p.l2_slices * p.l2_sets * p.l2_ways * 128 / (1 << 20);
		l1 = (double)p.l1_sets * p.l1_ways * 128 / 1024;
		ck_assert_msg(fabs(gbs / sheet[n].gbs - 1) < 0.02, "%s: %g GB/s", name, gbs);
		ck_assert_msg(fabs(l2 / sheet[n].l2_mb - 1) < 0.02, "%s: L2 of %g MB", name, l2);
		ck_assert_msg(l1 == sheet[n].array_kb && p.l1_array_bytes == l1 * 1024, "%s: L1 of %g KB", name, l1);
		ck_assert_uint_eq(p.sms, sheet[n].sms);
		ck_assert_uint_eq(params_warps(&p), sheet[n].warps);
		ck_assert_uint_eq(p.rf_registers, 65536);
		ck_assert_uint_eq(p.schedulers, 4);
		ck_assert_uint_eq(p.rf_banks, 2 * p.schedulers);
		ck_assert_uint_le(p.shared_bytes + p.shared_cta_bytes, p.l1_array_bytes);
		ck_assert_str_eq(p.issue, "cggty");
		ck_assert_str_eq(p.energy->name, "subcore");
		ck_assert(known <= sizeof sheet / sizeof *sheet && params_fit(&p, name, &d));
	}
}
END_TEST

START_TEST(a_machine_says_what_it_inherits)
{
	char *text;
	size_t n;
	FILE *out;

	ck_assert(params_machine(&p, "wir", &d) && params_set(&p, "rf_banks=2", &d));
	ck_assert_str_eq(p.origin[PARAM_collectors_sp].inherited, "gtx480");
	ck_assert_ptr_null(p.origin[PARAM_l1_sets].inherited);
	ck_assert_str_eq(p.unit_origin[FU_FP_MAD].inherited, "gtx480");
	ck_assert_ptr_null(p.unit_origin[FU_SFU].inherited);
	out = open_memstream(&text, &n);
	params_print(out, &p);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "inherited from gtx480: GPGPU-Sim GTX 480 configuration"));
	ck_assert_ptr_nonnull(strstr(text, "2 banks        --set\n"));
	ck_assert_ptr_nonnull(strstr(text, "machine wir: WIR"));
	ck_assert_ptr_nonnull(strstr(text, "scheduler gto (--rf issue=...), WIR Table II\n"));
	free(text);
}
END_TEST

/* passes/ may not include the machine, so the scheduler has its own table. It differs where it says so: a memory
 * instruction is address generation to the machine and a hit of the first level to the scheduler. */
START_TEST(the_scheduler_knows_the_units_of_the_gtx480)
{
	for (unsigned u = 0; u < FU_COUNT; u++)
		ck_assert_msg(schedule_latency(u) == (u == FU_MEM ? p.l1_latency : p.unit[u].latency),
			      "unit %u: %u cycles to the "
			      "scheduler, %u to the machine",
			      u, schedule_latency(u), (unsigned)p.unit[u].latency);
	ck_assert_uint_eq(schedule_load_latency(SP_SHARED), p.shared_latency);
	ck_assert_uint_eq(schedule_load_latency(SP_LOCAL), p.l1_latency);
	ck_assert_uint_eq(schedule_load_latency(SP_CONST), p.l1_latency);
	ck_assert_uint_eq(schedule_load_latency(SP_PARAM), p.l1_latency);
	ck_assert_uint_gt(schedule_load_latency(SP_GLOBAL), p.l1_latency); /* a miss */
	ck_assert_uint_eq(schedule_load_latency(SP_GENERIC), schedule_load_latency(SP_GLOBAL));
}
END_TEST

START_TEST(a_parameter_is_set_by_name)
{
	ck_assert(params_set(&p, "rf_banks=4", &d));
	ck_assert_uint_eq(p.rf_banks, 4);
	ck_assert_str_eq(p.origin[PARAM_rf_banks].source, "--set");
	ck_assert(params_set(&p, "fp_mad_latency=9", &d));
	ck_assert_uint_eq(p.unit[FU_FP_MAD].latency, 9);
	ck_assert(params_set(&p, "int_mul_interval=3", &d));
	ck_assert_uint_eq(p.unit[FU_INT_MUL].interval, 3);
	ck_assert(params_set(&p, "energy=hrf", &d));
	ck_assert_str_eq(p.energy->name, "hrf");
	ck_assert_str_eq(p.energy_origin.source, "--set");
}
END_TEST

/* And the L1 has entries for as many. */
START_TEST(every_scheduler_has_a_place_for_an_active_warp)
{
	static const struct {
		const char *active, *schedulers;
		unsigned want;
	} of[] = {
		{ "active_warps=1", "schedulers=1", 1 }, { "active_warps=1", "schedulers=2", 2 },
		{ "active_warps=5", "schedulers=2", 5 }, { "active_warps=3", "schedulers=8", 8 },
		{ "active_warps=8", "schedulers=8", 8 },
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		double read;

		ck_assert(params_set(&p, of[i].active, &d) && params_set(&p, of[i].schedulers, &d) &&
			  params_set(&p, "rf_l1_entries=6", &d));
		ck_assert_uint_eq(params_active_warps(&p), of[i].want);
		read = energy_find("hrf")->cost(COST_l1_read, &p);
		ck_assert_double_eq_tol(read, 8 * orf_access_energy(LEVEL_L1, 6, of[i].want).read, 1e-9);
	}
}
END_TEST

static const struct {
	const char *text, *says;
} bad[] = {
	{ "rf_banks", "not of the form" },
	{ "rf_banks=0", "out of range: 1 .. 32 banks" },
	{ "rf_banks=33", "out of range" },
	{ "rf_banks=", "not a whole number" },
	{ "rf_banks=4x", "not a whole number" },
	{ "rf_banks=-1", "out of range: 1 .. 32" },
	{ "rf_bank=4", "did you mean rf_banks?" },
	{ "=4", "no parameter is called" },
	{ "fp_mad_latency=0", "out of range" },
	{ "fp_mad_latency=901", "1 .. 900 cycles" },
	{ "issue=lrr", "--rf issue=lrr" },
	{ "fp_mad_latncy=1", "did you mean fp_mad_latency?" },
	{ "fp_mad_width=1", "no parameter" },
	{ "energy=free", "no energy table" },
	{ "sms=99999999999999999999999", "out of range" },
};

START_TEST(what_is_unknown_or_out_of_range_is_refused)
{
	struct params before;

	before = p;
	ck_assert(!params_set(&p, bad[_i].text, &d));
	ck_assert_msg(strstr(d.last, bad[_i].says), "%s", d.last);
	ck_assert_mem_eq(&before, &p, sizeof before);
}
END_TEST

static const struct {
	const char *set[4];
	bool fits;
} size[] = {
	{ { "l2_sets=65536" }, true },
	{ { "l2_sets=65536", "l2_ways=22" }, false },
	{ { "sms=256", "l1_ways=64", "l1_sets=1019" }, true },
	{ { "sms=256", "l1_ways=64", "l1_sets=1020" }, false },
	{ { "l2_sets=65536", "l2_ways=64", "l2_slices=4", "partitions=64" }, false },
};

START_TEST(a_machine_too_big_to_model_is_refused)
{
	for (unsigned i = 0; i < 4 && size[_i].set[i]; i++)
		ck_assert(params_set(&p, size[_i].set[i], &d));
	ck_assert_int_eq(params_fit(&p, "it", &d), size[_i].fits);
	ck_assert(size[_i].fits || (d.errors == 1 && strstr(d.last, "it: error: caches of")));
}
END_TEST

START_TEST(what_can_be_set_is_known)
{
	static const struct {
		const char *name;
		bool known;
	} row[] = {
		{ "energy", true },           { "energ", false },
		{ "energy2", false },         { "", false },
		{ "rf_bank", false },         { "rf_banks", true },
		{ "rf_banks2", false },       { "fp_div_latency", true },
		{ "fp_div", false },          { "fp_div_interval", true },
		{ "fp_diw_interval", false },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		char text[32];

		snprintf(text, sizeof text, "%s=1", row[i].name);
		ck_assert_msg(params_known(text, strlen(row[i].name)) == row[i].known, "%s", row[i].name);
	}
}
END_TEST

START_TEST(every_parameter_is_listed_printed_and_in_the_json)
{
	char *listed, *printed;
	size_t n;
	FILE *out;
	json_t *o;

	out = open_memstream(&listed, &n);
	params_list(out);
	fclose(out);
	out = open_memstream(&printed, &n);
	params_print(out, &p);
	fclose(out);
	o = params_json(&p);
#define PARAM(name, type, unit, def, min, max, what)             \
	ck_assert_ptr_nonnull(strstr(listed, "\n  " #name " ")); \
	ck_assert_ptr_nonnull(strstr(printed, #name));           \
	ck_assert_int_eq(json_integer_value(json_object_get(o, #name)), p.name);
#include "runtime-model/core/params.def"
#undef PARAM
	ck_assert_int_eq(json_integer_value(json_object_get(o, "fp_div_interval")), 4);
	ck_assert_ptr_nonnull(strstr(printed, "fp_div"));
	json_decref(o);
	free(listed);
	free(printed);
}
END_TEST

/* ---- machines in files ---- */
static char *printed(const struct params *of)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	params_print(out, of);
	fclose(out);
	return text;
}

static bool parse(struct params *to, const char *text)
{
	struct source *s = new(&a, struct source);

	*s = (struct source){ "mine.machine", text, strlen(text) };
	return machine_read_source(to, s, &a, &d);
}

/* What --dump-config prints reads back as the same machine, sources and all; and prints the same again. */
START_TEST(a_machine_that_is_printed_reads_back)
{
	for (unsigned i = 0; params_machine_name(i); i++) {
		struct params again;
		char *text, *back;

		ck_assert(params_machine(&p, params_machine_name(i), &d));
		text = printed(&p);
		ck_assert_msg(parse(&again, text), "%s", d.last);
		ck_assert(params_equal(&p, &again));
		ck_assert_str_eq(again.machine, p.machine);
		back = printed(&again);
		ck_assert_str_eq(back, text);
		ck_assert(params_set(&p, "rf_banks=3", &d));
		ck_assert(!params_equal(&p, &again));
		free(text);
		text = printed(&p);
		ck_assert(parse(&again, text));
		ck_assert(params_equal(&p, &again));
		ck_assert_str_eq(again.machine, "mine.machine"); /* as it is not that machine any more */
		free(text);
		free(back);
	}
}
END_TEST

START_TEST(choices_have_names)
{
	ck_assert(params_set(&p, "core=subcore", &d) && p.core == 1);
	ck_assert(params_set(&p, "core=fermi", &d) && p.core == 0);
	ck_assert(params_set(&p, "dependences=scoreboard", &d) && p.dependences == 1);
	ck_assert(params_set(&p, "dependences=control-codes", &d) && p.dependences == 0);
	ck_assert(!params_set(&p, "dependences=fermi", &d));
	/* of a parameter, not of any with as many letters */
	ck_assert(!params_set(&p, "rfc_sources=scoreboard", &d));
}
END_TEST

START_TEST(a_file_starts_from_a_machine)
{
	struct params a100;

	ck_assert(params_machine(&a100, "a100", &d));
	ck_assert_msg(parse(&p, "# mine\nmachine: a100\nmachine mine: half of it\n\n"
				"  sms 54 SMs guess: half of a100#sms # really\r\n?l2_latency: 99\n"
				"fp_mad_latency 5 cycles mine\nsfu 20 4 SFU\nscheduler lrr\nenergy hrf, why not\n"
				"register file corf\n  packing corf++ CORF"),
		      "%s", d.last);
	ck_assert_uint_eq(p.sms, 54);
	ck_assert_str_eq(p.origin[PARAM_sms].source, "guess: half of a100#sms");
	ck_assert_uint_eq(p.l2_latency, 99);
	ck_assert_str_eq(p.origin[PARAM_l2_latency].source, "mine.machine");
	ck_assert_uint_eq(p.unit[FU_FP_MAD].latency, 5);
	ck_assert_uint_eq(p.unit[FU_FP_MAD].interval, a100.unit[FU_FP_MAD].interval);
	ck_assert(p.unit[FU_SFU].latency == 20 && p.unit[FU_SFU].interval == 4 && p.unit[FU_SFU].pipe == PIPE_SFU);
	ck_assert_str_eq(p.issue, "lrr");
	ck_assert_str_eq(p.energy->name, "hrf");
	ck_assert_str_eq(p.energy_origin.source, "why not");
	ck_assert_str_eq(p.machine, "mine");
	ck_assert_str_eq(p.what, "half of it");
	ck_assert_uint_eq(p.dram_mhz, a100.dram_mhz);
	ck_assert(params_set(&p, "sms=3", &d));
	ck_assert(parse(&p, "machine: a100\n"));
	ck_assert_str_eq(p.machine, "mine.machine");
	ck_assert(params_equal(&p, &a100));
}
END_TEST

static const struct {
	const char *text, *says;
} wrong[] = {
	{ "machine: a100\n  smss 3\n", "mine.machine:2:3: error: no parameter is called 'smss'" },
	{ "machine: a100\n  smss 3\n", "did you mean sms?" },
	{ "machine: a100\nsms", "2:1: error: sms has no value" },
	{ "machine: a100\nsms many", "2:5: error: sms: 'many' is not a whole number" },
	{ "machine: a100\nsms   999 SMs", "2:7: error: sms=999 is out of range: 1 .. 256 SMs" },
	{ "machine: a100\nl2_latency 200 ns", "2:16: error: the unit of l2_latency is 'cycles'" },
	{ "machine: a100\nsms 3\nsms 3", "3:1: error: sms is given twice" },
	{ "machine: a100\nfp_mad_latency 3\nfp_mad_latency 3", "3:1: error: fp_mad_latency is given twice" },
	{ "machine: a100\nsfu 3\n", "2:1: error: sfu has a latency, an interval and a pipeline, as 'sfu 4 1 SP'" },
	{ "machine: a100\nsfu 3 1 XU\n", "2:9: error: no pipeline is called 'XU'" },
	{ "machine: a100\nsfu 3 0 SP\n", "2:7: error: sfu_interval=0 is out of range" },
	{ "machine: a100\nsfu 3 1 SP\nsfu 3 1 SP", "3:1: error: sfu is given twice" },
	{ "machine: a1000\n", "1:10: error: no machine is called 'a1000'" },
	{ "machine:\n", "1:1: error: 'machine: NAME' says from which machine this one starts" },
	{ "machine: a100\nmachine: h100", "2:1: error: a machine starts from one other" },
	{ "machine a: b\nmachine b: c", "2:1: error: this file has a name already" },
	{ "sms 3\nmachine: h100", "2:1: error: where a machine starts from stands before its own values" },
	{ "machine: a100\nenergy free", "2:8: error: no energy table is called 'free'" },
	{ "machine: a100\nenergy", "2:1: error: energy has no value" },
	{ "machine: a100\nscheduler", "2:1: error: scheduler has no value" },
	{ "machine: a100\npacking corf", "2:1: error: no parameter is called 'packing', but an axis" },
	{ "sms 3", "mine.machine: error: has no value for sm_mhz, icnt_mhz, l2_mhz and " },
	{ "", "mine.machine: error: has no value for sm_mhz" },
};

START_TEST(what_is_wrong_in_a_file_is_said_where_it_stands)
{
	ck_assert(!parse(&p, wrong[_i].text));
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_msg(strstr(d.last, wrong[_i].says), "%s", d.last);
}
END_TEST

/* A line of a value begins with a ? if and only if its source says that it is a guess; list machines counts them. */
START_TEST(guesses_are_marked)
{
	char *list, *text;
	size_t bytes;
	FILE *out = open_memstream(&list, &bytes);
	unsigned all = 0;

	params_list_machines(out);
	fclose(out);
	for (unsigned i = 0; params_machine_name(i); i++) {
		char row[64];
		unsigned n = 0;

		ck_assert(params_machine(&p, params_machine_name(i), &d));
		text = printed(&p);
		for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
			const char *guess = strstr(at, " guess: ");

			ck_assert_msg((*at == '?') == (guess && guess < end), "%.*s", (int)(end - at), at);
			n += *at == '?';
		}
		snprintf(row, sizeof row, "; %u of its numbers are guesses\n", n);
		ck_assert_msg(!n || strstr(list, row), "%s: %u", params_machine_name(i), n);
		all += n;
		free(text);
	}
	ck_assert_uint_gt(all, 100);
	free(list);
}
END_TEST

/* Of a machine of sub-cores every number says what it is worth. */
START_TEST(every_number_of_a_modern_machine_has_its_confidence)
{
	static const char *const begins[] = { "measured: ", "one source: ", "guess: ", "data sheet: ", "own: " };

	for (unsigned i = 0; params_machine_name(i); i++) {
		ck_assert(params_machine(&p, params_machine_name(i), &d));
		for (unsigned n = 0; p.core && n < PARAM_COUNT + FU_COUNT; n++) {
			const struct origin *o = n < PARAM_COUNT ? &p.origin[n] : &p.unit_origin[n - PARAM_COUNT];
			unsigned b = 0;

			while (b < 5 && strncmp(o->source, begins[b], strlen(begins[b])) != 0)
				b++;
			ck_assert_msg(b < 5 || (o->inherited && strcmp(o->inherited, "gtx480") == 0), "%s: %s",
				      p.machine, o->source);
		}
	}
}
END_TEST

Suite *suite_params(void);
Suite *suite_params(void)
{
	Suite *s = suite_create("params");
	TCase *c = tcase_create("params");

	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, the_gtx480_has_the_published_numbers);
	tcase_add_loop_test(c, each_machine_has_the_numbers_of_its_paper, 0, sizeof published / sizeof *published);
	tcase_add_test(c, caches_and_collectors_have_the_sizes_of_the_papers);
	tcase_add_test(c, every_machine_is_complete_and_in_range);
	tcase_add_test(c, each_machine_of_subcores_has_the_sizes_of_its_data_sheet);
	tcase_add_test(c, a_machine_says_what_it_inherits);
	tcase_add_test(c, the_scheduler_knows_the_units_of_the_gtx480);
	tcase_add_test(c, a_parameter_is_set_by_name);
	tcase_add_test(c, every_scheduler_has_a_place_for_an_active_warp);
	tcase_add_loop_test(c, what_is_unknown_or_out_of_range_is_refused, 0, sizeof bad / sizeof *bad);
	tcase_add_loop_test(c, a_machine_too_big_to_model_is_refused, 0, sizeof size / sizeof *size);
	tcase_add_test(c, what_can_be_set_is_known);
	tcase_add_test(c, every_parameter_is_listed_printed_and_in_the_json);
	tcase_add_test(c, a_machine_that_is_printed_reads_back);
	tcase_add_test(c, choices_have_names);
	tcase_add_test(c, a_file_starts_from_a_machine);
	tcase_add_loop_test(c, what_is_wrong_in_a_file_is_said_where_it_stands, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(c, guesses_are_marked);
	tcase_add_test(c, every_number_of_a_modern_machine_has_its_confidence);
	suite_add_tcase(s, c);
	return s;
}

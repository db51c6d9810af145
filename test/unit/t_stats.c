/* Statistics and energy: tables, merging, JSON, conservation, worked energy examples. */
#include "stub.h"

#include "runtime-model/run/chip.h"
#include "runtime-model/core/energy.h"

static struct stats counted(uint64_t from)
{
	struct stats s;

#define COUNT(name, unit, what) s.name = from++;
#define FORMULA(name, unit, value, what)
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	for (unsigned i = 0; i < STALL_COUNT; i++)
		s.slots[i] = from++;
	return s;
}

START_TEST(merging_adds_every_counter_and_reset_clears_it)
{
	struct stats a = counted(1), b = counted(1000), zero = { 0 };
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "gtx480", &d));
	stats_merge(&a, &b);
	for (unsigned i = 0; i < stats_count(); i++) {
		struct metric m = stats_metric(i, &a, &p);

		if (m.integer)
			ck_assert_uint_eq(m.count, 1001 + 2 * i);
	}
	stats_reset(&a);
	ck_assert_mem_eq(&a, &zero, sizeof a);
	diag_free(&d);
}
END_TEST

START_TEST(people_read_microjoules_and_microseconds)
{
	static const struct {
		const char *unit, *shown;
		double scale;
	} row[] = { { "pJ", "uJ", 1e-6 }, { "s", "us", 1e6 }, { "cycles", "cycles", 1 } };

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		const struct metric m = { .unit = row[i].unit };
		double scale;

		ck_assert_str_eq(stats_shown_unit(&m, &scale), row[i].shown);
		ck_assert(scale == row[i].scale);
	}
}
END_TEST

START_TEST(json_holds_every_metric_exactly)
{
	static const char *const promised[] = {
		"cycles",   "warp_instructions", "thread_instructions", "ipc",
		"rf_reads", "rf_writes",         "rf_dynamic_energy",
	};
	struct stats a = counted(((uint64_t)1 << 53) + 1);
	struct params p;
	struct diag d;
	json_t *o;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "gtx480", &d));
	o = stats_json(&a, &p);
	ck_assert_uint_eq(json_object_size(o), stats_count()); /* so no name occurs twice */
	for (unsigned i = 0; i < stats_count(); i++) {
		struct metric m = stats_metric(i, &a, &p), found;
		const json_t *v = json_object_get(o, m.name);

		ck_assert_str_eq(json_string_value(json_object_get(v, "unit")), m.unit);
		if (m.integer)
			ck_assert_uint_eq((uint64_t)json_integer_value(json_object_get(v, "value")), m.count);
		else if (metric_known(&m))
			ck_assert_double_eq(json_real_value(json_object_get(v, "value")), m.value);
		else /* levels and renaming in one: the table in force lacks them */
			ck_assert(json_is_null(json_object_get(v, "value")));
		ck_assert(stats_find(m.name, &a, &p, &found));
		ck_assert_str_eq(found.name, m.name);
	}
	for (unsigned i = 0; i < sizeof promised / sizeof *promised; i++)
		ck_assert_ptr_nonnull(json_object_get(o, promised[i]));
	json_decref(o);
	diag_free(&d);
}
END_TEST

/* CORF Table 2: 149.76 pJ a bank access of 1024 bits, 89.6 mW leakage an SM. Ten reads and four writes of all eight
 * arrays and two of one array; 7000 cycles at 700 MHz are 10 us, 15 SMs leak 15 * 89.6 mW * 10 us = 13.44 uJ. */
START_TEST(energy_is_events_times_cost)
{
	struct stats s = { 0 };
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "gtx480", &d));
	s.cycles = 7000;
	s.rf_read_arrays = 10 * 8;
	s.rf_write_arrays = 4 * 8 + 2;
	s.rf_powered_entries = 7000 * 15 * 1024;
	ck_assert_double_eq_tol(energy_component(ENERGY_rf_read, &s, &p), 1497.6, 1e-9);
	ck_assert_double_eq_tol(energy_component(ENERGY_rf_write, &s, &p), 4.25 * 149.76, 1e-9);
	ck_assert_double_eq_tol(energy_sum(ENERGY_DYNAMIC, &s, &p), 14.25 * 149.76, 1e-9);
	ck_assert_double_eq_tol(energy_component(ENERGY_rf_leakage, &s, &p), 13.44e6, 1e-3);
	ck_assert_double_eq_tol(energy_sum(ENERGY_DYNAMIC | ENERGY_LEAKAGE, &s, &p), 14.25 * 149.76 + 13.44e6, 1e-3);
	ck_assert(params_set(&p, "energy=hrf", &d));
	ck_assert_double_eq_tol(energy_sum(ENERGY_ACCESS, &s, &p), 10 * 64 + 4.25 * 88, 1e-9);
	ck_assert_double_eq_tol(energy_sum(ENERGY_WIRE, &s, &p), 14.25 * 32 * 1.9, 1e-9);
	ck_assert_double_eq_tol(energy_sum(ENERGY_DYNAMIC | ENERGY_LEAKAGE, &s, &p), 10 * 64 + 4.25 * 88 + 14.25 * 60.8,
				1e-9);
	diag_free(&d);
}
END_TEST

/* What a configuration has and a table does not price is named, and no sum that has it in is known; leakage of a file
 * that is wholly on is not. */
START_TEST(costs_that_a_table_lacks_are_named)
{
	static const struct {
		struct stats s;
		const char *names;
	} of[] = {
		{ { .cycles = 10, .rf_read_arrays = 8, .rf_write_arrays = 8, .rf_powered_entries = 10 * 15 * 1024 },
		  NULL },
		{ { .cycles = 10, .rf_powered_entries = 9, .rename_powered_cycles = 1 },
		  " gives no rf_leakage, rename_leakage:" },
		{ { .rename_lookups = 1 }, " gives no rename_access:" },
		{ { .rename_updates = 1 }, " gives no rename_access:" },
		{ { .width3_operations = 1 }, " gives no pack_operation:" },
		{ { .rename_powered_cycles = 1, .pack_powered_cycles = 1 }, " gives no rename_leakage, pack_leakage:" },
	};
	static const struct stats levels = { .rf_read_arrays = 8, .rf_l1_reads = 1, .rf_l0_writes = 1 };
	static const struct stats both = { .rf_l1_reads = 1, .rename_lookups = 1 };
	static const char *const sums[] = { "rf_access_energy", "rf_wire_energy",    "rf_dynamic_energy",
					    "rf_energy",        "rf_l1_read_energy", "rf_main_wire_energy" };
	struct params p;
	struct arena a;
	struct diag d;

	arena_init(&a);
	diag_init(&d, NULL);
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		const char *said;

		ck_assert(params_machine(&p, "gtx480", &d));
		ck_assert_ptr_null(energy_missing(&of[i].s, &p, &a));
		ck_assert(params_set(&p, "energy=hrf", &d));
		said = energy_missing(&of[i].s, &p, &a);
		ck_assert_msg(!said == !of[i].names && (!said || (strstr(said, of[i].names) &&
								  strstr(said, "; --set energy=corf gives them"))),
			      "%u: %s", i, said);
		ck_assert_int_eq(isnan(energy_sum(ENERGY_DYNAMIC | ENERGY_LEAKAGE, &of[i].s, &p)), of[i].names != NULL);
	}
	ck_assert(isnan(energy_component(ENERGY_rename, &of[2].s, &p)) &&
		  isnan(energy_sum(ENERGY_ACCESS, &of[2].s, &p)));
	ck_assert(energy_sum(ENERGY_WIRE, &of[2].s, &p) == 0 && energy_sum(ENERGY_LEAKAGE, &of[2].s, &p) == 0);
	ck_assert_ptr_null(energy_missing(&levels, &p, &a));
	ck_assert(!isnan(energy_sum(ENERGY_DYNAMIC | ENERGY_LEAKAGE, &levels, &p)));
	ck_assert_ptr_nonnull(
		strstr(energy_missing(&both, &p, &a),
		       " gives no rename_access: this configuration has them, so its energy is not known; "
		       "--set energy=all gives them"));
	ck_assert(params_set(&p, "energy=corf", &d));
	ck_assert_ptr_nonnull(
		strstr(energy_missing(&levels, &p, &a), " gives no rf_wire, l1_read, l1_wire, l0_write, l0_wire:"));
	ck_assert_ptr_nonnull(strstr(energy_missing(&levels, &p, &a), "; --set energy=hrf gives them"));
	for (unsigned i = 0; i < sizeof sums / sizeof *sums; i++) {
		struct metric m;
		json_t *j;

		ck_assert(stats_find(sums[i], &levels, &p, &m) && !metric_known(&m));
		j = metric_json(&m);
		ck_assert(json_is_null(j));
		json_decref(j);
	}
	diag_free(&d);
	arena_free(&a);
}
END_TEST

/* CORF Table 2: 1.83 pJ an access of the renaming table, which leaks 5.56 mW; section 8: 57 mW over 700 MHz and ten
 * units, 0.2 mW. A quarter of the entries is on for 10 us. */
START_TEST(packing_costs_a_table_its_logic_and_their_leakage)
{
	struct stats s = { .cycles = 7000,
			   .rename_lookups = 300,
			   .rename_updates = 100,
			   .width1_operations = 1,
			   .width2_operations = 20,
			   .width3_operations = 300,
			   .width4_operations = 4000,
			   .rename_powered_cycles = 7000 * 15,
			   .pack_powered_cycles = 7000 * 15,
			   .rf_powered_entries = 7000 * 15 * 256,
			   .rf_read_arrays = 8 };
	double sum = 0;
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "corf", &d));
	ck_assert_double_eq_tol(energy_component(ENERGY_rename, &s, &p), 400 * 1.83, 1e-9);
	ck_assert_double_eq_tol(energy_component(ENERGY_pack_logic, &s, &p), 4321 * 57 / 7.0, 1e-6);
	ck_assert_double_eq_tol(energy_sum(ENERGY_DYNAMIC, &s, &p), 149.76 + 400 * 1.83 + 4321 * 57 / 7.0, 1e-6);
	ck_assert_double_eq_tol(energy_component(ENERGY_rf_leakage, &s, &p), 13.44e6 / 4, 1e-3);
	ck_assert_double_eq_tol(energy_component(ENERGY_rename_leakage, &s, &p), 15 * 55600, 1e-3);
	ck_assert_double_eq_tol(energy_component(ENERGY_pack_leakage, &s, &p), 15 * 2000, 1e-3);
	for (unsigned c = 0; c <= ENERGY_pack_leakage; c++)
		sum += energy_component(c, &s, &p);
	ck_assert_double_eq_tol(energy_sum(ENERGY_DYNAMIC | ENERGY_LEAKAGE, &s, &p), sum, 1e-3);
	diag_free(&d);
}
END_TEST

static double value_of(const char *name, const struct stats *s, const struct params *p)
{
	struct metric m;

	ck_assert_msg(stats_find(name, s, p, &m), "%s", name);
	return m.value;
}

/* Hierarchical RF Tables IV and V, of a level at a time: 3 entries and 8 warps cost 1.2 and 4.4 pJ for 128 bits, L0 0.7
 * and 2; 0.2 and 0.4 mm, and 0.05. An eviction reads a level and writes the one below, whose own counters have the main
 * register file's. */
START_TEST(each_level_has_its_access_and_its_wire)
{
	static const struct {
		const char *metric;
		struct stats s;
		double pj;
	} of[] = {
		{ "rf_l1_read_energy",
		  { .rf_l1_reads = 10, .rf_l1_shared_reads = 4, .rf_l1_evictions = 5 },
		  15 * 8 * 1.2 },
		{ "rf_l1_wire_energy",
		  { .rf_l1_reads = 10, .rf_l1_shared_reads = 4, .rf_l1_evictions = 5 },
		  11 * 60.8 * 0.2 + 4 * 60.8 * 0.4 },
		{ "rf_l1_write_energy",
		  { .rf_l1_writes = 10, .rf_l1_shared_writes = 3, .rf_l0_evictions = 7 },
		  17 * 8 * 4.4 },
		{ "rf_l1_wire_energy",
		  { .rf_l1_writes = 10, .rf_l1_shared_writes = 3, .rf_l0_evictions = 7 },
		  14 * 60.8 * 0.2 + 3 * 60.8 * 0.4 },
		{ "rf_l0_read_energy", { .rf_l0_reads = 10, .rf_l0_evictions = 7, .rf_l0_flushes = 2 }, 19 * 8 * 0.7 },
		{ "rf_l0_write_energy", { .rf_l0_writes = 10 }, 10 * 8 * 2 },
		{ "rf_l0_wire_energy", { .rf_l0_reads = 10, .rf_l0_writes = 3, .rf_l0_flushes = 2 }, 15 * 60.8 * 0.05 },
		{ "rf_main_wire_energy", { .rf_read_arrays = 10 * 8, .rf_write_arrays = 4 * 8 }, 14 * 60.8 },
		{ "rf_access_energy",
		  { .rf_read_arrays = 8, .rf_l1_writes = 1, .rf_l0_reads = 1 },
		  64 + 8 * 4.4 + 8 * 0.7 },
		{ "rf_wire_energy", { .rf_read_arrays = 8, .rf_l1_writes = 1, .rf_l0_reads = 1 }, 60.8 * 1.25 },
	};
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "hierarchical-rf", &d));
	ck_assert(p.rf_l1_entries == 3 && p.active_warps == 8);
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		ck_assert_msg(fabs(value_of(of[i].metric, &of[i].s, &p) - of[i].pj) < 1e-9, "%u %s", i, of[i].metric);
		ck_assert_double_eq_tol(
			value_of("rf_dynamic_energy", &of[i].s, &p),
			value_of("rf_access_energy", &of[i].s, &p) + value_of("rf_wire_energy", &of[i].s, &p), 1e-9);
	}
	diag_free(&d);
}
END_TEST

/* Table IV: 4 entries and 8 warps cost what 8 and 4 do; rf_cost_entries stands for another size; L0 has one entry in
 * each. */
START_TEST(l1_costs_by_entries_and_active_warps)
{
	static const struct {
		const char *set[3];
		double read;
	} of[] = {
		{ { "rf_l1_entries=4" }, 1.9 },
		{ { "rf_l1_entries=8", "active_warps=4" }, 1.9 },
		{ { "rf_l1_entries=8" }, 3.4 },
		{ { "rf_l1_entries=8", "rf_cost_entries=3" }, 1.2 },
		{ { "rf_l1_entries=6", "active_warps=6" }, 1.7 },
	};
	struct stats s = { .rf_l1_reads = 1, .rf_l0_reads = 1 };
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		ck_assert(params_machine(&p, "hierarchical-rf", &d));
		for (unsigned k = 0; k < 3 && of[i].set[k]; k++)
			ck_assert(params_set(&p, of[i].set[k], &d));
		ck_assert_msg(fabs(value_of("rf_l1_read_energy", &s, &p) - 8 * of[i].read) < 1e-9, "%u", i);
	}
	diag_free(&d);
}
END_TEST

/* Section 8's limits: with 1.6 reads and 0.8 writes an instruction, all in L0 takes 87 % less than all in the main
 * register file, all in an L1 of 5 entries 61 %. That is access energy: of the wires too, 0.05 mm against 1 make
 * it 90.9 %. */
START_TEST(section_8_gives_its_limits_of_access_energy)
{
	struct stats main = { .rf_read_arrays = 16 * 8, .rf_write_arrays = 8 * 8 },
		     l1 = { .rf_l1_reads = 16, .rf_l1_writes = 8 }, l0 = { .rf_l0_reads = 16, .rf_l0_writes = 8 };
	struct params p;
	struct diag d;
	double of;

	diag_init(&d, NULL);
	ck_assert(params_machine(&p, "hierarchical-rf", &d) && params_set(&p, "rf_l1_entries=5", &d));
	of = value_of("rf_access_energy", &main, &p);
	ck_assert_double_eq_tol(of, 8 * (16 * 8 + 8 * 11), 1e-9);
	ck_assert_double_eq_tol(1 - value_of("rf_access_energy", &l0, &p) / of, 1 - 2.72 / 21.6, 1e-9); /* 0.874 */
	ck_assert_double_eq_tol(1 - value_of("rf_access_energy", &l1, &p) / of, 1 - 8.4 / 21.6, 1e-9);  /* 0.611 */
	ck_assert_double_eq_tol(1 - value_of("rf_dynamic_energy", &l0, &p) / value_of("rf_dynamic_energy", &main, &p),
				1 - 29.056 / 318.72, 1e-9);
	diag_free(&d);
}
END_TEST

/* Section 6.3: 87 W of 130 are dynamic, 70 % of that in 16 SMs, 15 % of that in their register files. Half the energy
 * saved is 7.5 % of an SM and 5.25 % of the chip, 4.55 W; five more bits cost 1.5 %. */
START_TEST(a_saving_is_a_share_of_sm_and_chip)
{
	struct chip_saving c = chip_saving(200, 100, 0, 5);

	ck_assert_double_eq_tol(c.rf, 0.5, 1e-12);
	ck_assert_double_eq_tol(c.sm, 0.075, 1e-12);
	ck_assert_double_eq_tol(c.chip, 0.0525, 1e-12);
	ck_assert_double_eq_tol(c.encoding, 0.015, 1e-12);
	ck_assert_double_eq_tol(c.net, 0.0375, 1e-12);
	ck_assert_double_eq_tol(c.watts, 0.0375 * 130 * 2 / 3, 1e-12);
	c = chip_saving(100, 150, 4, 1);
	ck_assert_double_eq_tol(c.rf, -0.5, 1e-12);
	ck_assert_double_eq_tol(c.encoding, -0.009, 1e-12);
	ck_assert_double_eq_tol(c.net, c.chip + 0.009, 1e-12);
}
END_TEST

START_TEST(what_does_not_add_up_is_named)
{
	struct stats s = { 0 };
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(stats_check(&s, &d));
	s.slots[STALL_MEMORY] = 3;
	ck_assert(!stats_check(&s, &d));
	ck_assert_ptr_nonnull(strstr(d.last, "slots_sum(s) is issue_slots, but they are 3 and 0"));
	s.issue_slots = 3;
	s.l1_read_hits = 1;
	ck_assert(!stats_check(&s, &d));
	ck_assert_ptr_nonnull(strstr(d.last, "l1_reads"));
	s.l1_reads = 1;
	ck_assert(stats_check(&s, &d));
	s.l2_writes = 1;
	ck_assert(!stats_check(&s, &d));
	ck_assert_ptr_nonnull(strstr(d.last, "l2_writes + fixed_writes is sent_writes, but they are 1 and 0"));
	diag_free(&d);
}
END_TEST

Suite *suite_stats(void);
Suite *suite_stats(void)
{
	Suite *s = suite_create("stats");
	TCase *c = tcase_create("stats");

	tcase_add_test(c, merging_adds_every_counter_and_reset_clears_it);
	tcase_add_test(c, people_read_microjoules_and_microseconds);
	tcase_add_test(c, json_holds_every_metric_exactly);
	tcase_add_test(c, energy_is_events_times_cost);
	tcase_add_test(c, packing_costs_a_table_its_logic_and_their_leakage);
	tcase_add_test(c, costs_that_a_table_lacks_are_named);
	tcase_add_test(c, each_level_has_its_access_and_its_wire);
	tcase_add_test(c, l1_costs_by_entries_and_active_warps);
	tcase_add_test(c, section_8_gives_its_limits_of_access_energy);
	tcase_add_test(c, a_saving_is_a_share_of_sm_and_chip);
	tcase_add_test(c, what_does_not_add_up_is_named);
	suite_add_tcase(s, c);
	return s;
}

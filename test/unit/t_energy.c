/* Energy of a whole GPU: costs as their sources give them, sums, scaling, runs worked out by hand. */
#include "stream.h"

#include "runtime-model/core/energy.h"
#include "runtime-model/reuse/storage.h"

#include <stdlib.h>

static double pj(enum energy_cost c, const struct params *p) { return energy_find("g-scalar")->cost(c, p); }

static void machine(struct params *p, const char *name)
{
	struct diag d;

	diag_init(&d, NULL);
	ck_assert(params_machine(p, name, &d));
	diag_free(&d);
}

static void set(struct params *p, const char *what)
{
	struct diag d;

	diag_init(&d, NULL);
	ck_assert_msg(params_set(p, what, &d), "%s", d.last);
	diag_free(&d);
}

/* GPUWattch: 40 nm of 90, at 0.9 V + 8/13 of 0.1 V; an access of its FPU is 2 x 3.9 x 14.91 pJ at 1.08 V, of which its
 * fit takes 0.64. */
START_TEST(costs_are_those_of_their_sources)
{
	const double v = 0.9 + 0.8 / 13, of_90 = 40 / 90.0;
	struct params p;

	machine(&p, "g-scalar");
	ck_assert_str_eq(p.energy->name, "g-scalar");
	ck_assert_double_eq_tol(pj(COST_lane_fp, &p), 2 * 3.9 * 14.91 / (1.08 * 1.08) * v * v * of_90 * 0.64, 1e-9);
	ck_assert_double_eq_tol(pj(COST_lane_fmul, &p), 1.8 * pj(COST_lane_fp, &p), 1e-9);
	ck_assert_double_eq_tol(pj(COST_lane_fdiv, &p), 48 * pj(COST_lane_fp, &p), 1e-9);
	ck_assert_double_eq_tol(pj(COST_lane_int, &p), 32 * 2 * 0.8 * 1.29 / (1.3 * 1.3) * v * v * of_90 * 2.38, 1e-9);
	ck_assert_double_eq_tol(pj(COST_lane_idiv, &p), 40 * 2 * 8 * 14.91 / (1.08 * 1.08) * v * v * of_90 * 0.51,
				1e-6);
	ck_assert_double_eq_tol(pj(COST_lane_sfu, &p), 24 / 40.0 * pj(COST_lane_idiv, &p), 1e-9);
	ck_assert_double_eq_tol(pj(COST_rf_read, &p), 64, 1e-9);           /* Hierarchical RF Table V */
	ck_assert_double_eq_tol(pj(COST_bvr_write, &p), 0.052 * 88, 1e-9); /* G-Scalar section 5.1 */
	ck_assert_double_eq_tol(pj(COST_compress, &p), 11.59, 0.01);       /* 16.22 mW at 1.4 GHz */
	ck_assert_double_eq_tol(pj(COST_decompress, &p), 11.33, 0.01);
	ck_assert_double_eq_tol(pj(COST_front_end, &p), 812.5, 1e-6); /* 13 W, 16 instructions a ns */
	ck_assert_double_eq_tol(pj(COST_shared_pass, &p), 160, 1e-9);
	ck_assert_double_eq_tol(pj(COST_l1_line, &p), 160 * sqrt(2), 1e-9); /* 16 KB */
	ck_assert_double_eq_tol(pj(COST_const_line, &p), 80, 1e-9);         /* 8 KB */
}
END_TEST

/* Special functions take 3 to 24 times what other floating-point instructions do: G-Scalar section 5.2, of
 * GPUWattch. */
START_TEST(a_special_function_costs_what_g_scalar_says_of_it)
{
	struct params p;

	machine(&p, "g-scalar");
	ck_assert(pj(COST_lane_sfu, &p) / pj(COST_lane_fmul, &p) > 3 &&
		  pj(COST_lane_sfu, &p) / pj(COST_lane_fmul, &p) < 24);
}
END_TEST

/* Every component belongs to one kind, and a GPU is all of them. */
START_TEST(sums_are_of_their_components)
{
	struct stats s = { .cycles = 1000,
			   .warp_instructions = 10,
			   .rf_read_arrays = 16,
			   .rf_write_arrays = 8,
			   .bvr_reads = 3,
			   .bvr_writes = 2,
			   .compressions = 6,
			   .delta_compressions = 2,
			   .decompressions = 5,
			   .lanes_int = 1,
			   .lanes_imul = 2,
			   .lanes_idiv = 3,
			   .lanes_fp = 4,
			   .lanes_fmul = 5,
			   .lanes_fdiv = 6,
			   .lanes_dp = 7,
			   .lanes_ddiv = 8,
			   .lanes_sfu = 9,
			   .lanes_mem = 10,
			   .lanes_control = 11,
			   .l1_reads = 12,
			   .shared_passes = 13,
			   .const_reads = 14,
			   .tex_reads = 15,
			   .icnt_flits_up = 16,
			   .l2_reads = 17,
			   .dram_bursts = 18 };
	const unsigned kinds[] = { ENERGY_RF, ENERGY_COLLECT, ENERGY_EXECUTE, ENERGY_REUSE, ENERGY_REST };
	double sum = 0, by_kind = 0;
	struct params p;

	machine(&p, "g-scalar");
	for (unsigned c = 0; c < ENERGY_COUNT; c++)
		sum += energy_component(c, &s, &p);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		by_kind += energy_sum(kinds[i], &s, &p);
	ck_assert(sum > 0);
	ck_assert_double_eq_tol(energy_sum(ENERGY_GPU, &s, &p), sum, 1e-9 * sum);
	ck_assert_double_eq_tol(by_kind, sum, 1e-9 * sum);
	ck_assert_double_eq_tol(energy_sum(ENERGY_EXECUTE, &s, &p),
				pj(COST_lane_int, &p) + 2 * pj(COST_lane_imul, &p) + 3 * pj(COST_lane_idiv, &p) +
					4 * pj(COST_lane_fp, &p) + 5 * pj(COST_lane_fmul, &p) +
					6 * pj(COST_lane_fdiv, &p) + 7 * pj(COST_lane_dp, &p) +
					8 * pj(COST_lane_ddiv, &p) + 9 * pj(COST_lane_sfu, &p) +
					10 * pj(COST_lane_mem, &p),
				1e-6);
	ck_assert_double_eq_tol(
		energy_component(ENERGY_collect, &s, &p),
		pj(COST_collect, &p) * (2 * (64 + 60.8) + 88 + 60.8 + 0.052 * (3 * 64 + 2 * 88) + 5 * 1.9), 1e-6);
	ck_assert_double_eq_tol(energy_component(ENERGY_compress, &s, &p) + energy_component(ENERGY_decompress, &s, &p),
				(4 * 16.22 + 2 * 16.22 / 0.19 + 5 * 15.86) / 1.4, 1e-9);
}
END_TEST

/* rest_percent takes what is neither register file nor execution; time is energy of what draws power by time; twice the
 * clock, half of it. */
START_TEST(the_rest_scales_and_follows_time)
{
	struct stats s = { .cycles = 1000,
			   .warp_instructions = 500,
			   .rf_read_arrays = 800,
			   .lanes_fp = 1000,
			   .l2_reads = 70,
			   .dram_bursts = 3 };
	struct params p, half;
	struct metric watts, efficiency;
	double steady, events;

	machine(&p, "g-scalar");
	half = p;
	set(&half, "rest_percent=50");
	ck_assert_double_eq_tol(energy_sum(ENERGY_REST, &s, &half), energy_sum(ENERGY_REST, &s, &p) / 2, 1e-6);
	ck_assert_double_eq_tol(energy_sum(ENERGY_GPU, &s, &p) - energy_sum(ENERGY_GPU, &s, &half),
				energy_sum(ENERGY_REST, &s, &half), 1e-6);
	steady = energy_sum(ENERGY_SM_STEADY | ENERGY_CHIP_STEADY, &s, &p);
	events = energy_sum(ENERGY_GPU, &s, &p) - steady;
	ck_assert(stats_find("gpu_power", &s, &p, &watts) && stats_find("ipc_per_watt", &s, &p, &efficiency));
	ck_assert_double_eq_tol(watts.value, (steady + events) * 1e-12 / (1000 / 1.4e9), 1e-9);
	ck_assert_double_eq_tol(efficiency.value, 0.5 / watts.value, 1e-12);
	set(&p, "sm_mhz=2800");
	ck_assert_double_eq_tol(energy_sum(ENERGY_GPU, &s, &p), events + steady / 2, 1e-6);
}
END_TEST

/* A table of a register file alone knows nothing of a GPU; nor does one that lacks a cost that a run has. The register
 * file's note stays silent. */
START_TEST(what_a_table_lacks_is_not_known)
{
	struct stats s = { .cycles = 10, .warp_instructions = 1, .lanes_int = 32, .rf_read_arrays = 8 };
	static const char *const names[] = { "exec_energy", "rest_energy", "sm_energy",
					     "gpu_energy",  "gpu_power",   "ipc_per_watt" };
	struct params p;
	struct arena a;
	struct metric m;

	arena_init(&a);
	machine(&p, "gtx480");
	ck_assert(!energy_has_gpu(&p));
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_msg(stats_find(names[i], &s, &p, &m) && !metric_known(&m), "%s", names[i]);
	ck_assert_ptr_null(energy_missing(&s, &p, &a));
	set(&p, "energy=g-scalar");
	ck_assert(energy_has_gpu(&p));
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_msg(stats_find(names[i], &s, &p, &m) && metric_known(&m) && m.value > 0, "%s", names[i]);
	s.lanes_tensor = 1;
	ck_assert(stats_find("gpu_energy", &s, &p, &m) && !metric_known(&m) &&
		  stats_find("rf_dynamic_energy", &s, &p, &m) && metric_known(&m));
	arena_free(&a);
}
END_TEST

/* Two warps that execute three instructions: a multiplication with addition in all lanes, a division of integers in 8,
 * a sine in 32. Operands: three reads and a write, two and one, one and one, of eight arrays each. */
START_TEST(a_run_costs_what_it_does_by_hand)
{
	const double reads = 2 * (3 + 2 + 1), writes = 2 * 3, access = reads * (64 + 60.8) + writes * (88 + 60.8);
	struct stream s;
	struct params *p = &s.p;

	stream_init(&s);
	machine(&s.p, "g-scalar");
	s.p.sms = 1;
	s.warps = 2;
	stream_record(&s, 0, stream_insn(&s, OP_FMA_F32, 1, 2, 3, 4));
	stream_record(&s, 0, stream_insn(&s, OP_DIV_U32, 5, 6, 7, -1))->active = 0xff;
	stream_record(&s, 0, stream_insn(&s, OP_SIN_F32, 8, 9, -1, -1));
	set(&s.p, "rf_partial_writes=0");
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.lanes_fmul, 64);
	ck_assert_uint_eq(s.st.lanes_idiv, 16);
	ck_assert_uint_eq(s.st.lanes_sfu, 64);
	ck_assert_uint_eq(s.st.executed_lanes, 144);
	ck_assert_double_eq_tol(energy_sum(ENERGY_DYNAMIC, &s.st, p), access, 1e-6);
	ck_assert_double_eq_tol(energy_sum(ENERGY_COLLECT, &s.st, p), access * pj(COST_collect, p), 1e-6);
	ck_assert_double_eq_tol(energy_sum(ENERGY_EXECUTE, &s.st, p),
				64 * pj(COST_lane_fmul, p) + 16 * pj(COST_lane_idiv, p) + 64 * pj(COST_lane_sfu, p),
				1e-6);
	ck_assert_double_eq_tol(energy_component(ENERGY_front_end, &s.st, p), 6 * 812.5, 1e-6);
	ck_assert_double_eq_tol(energy_component(ENERGY_sm_steady, &s.st, p),
				(double)s.st.cycles / 1.4 * (pj(COST_sm_leakage, p) + pj(COST_sm_clock, p)), 1e-3);
	stream_free(&s);
}
END_TEST

/* WIR Table III; an entry that holds 32-bit constants and pairs of registers takes as much more as it has bits. */
START_TEST(reuse_costs_what_table_iii_says)
{
	static const struct {
		enum energy_cost c;
		double pj;
	} given[] = {
		{ COST_rename_table, 3.50 }, { COST_reuse_buffer, 4.71 }, { COST_hash, 4.85 },
		{ COST_vsb, 4.96 },          { COST_allocator, 1.35 },    { COST_reference, 0.32 },
		{ COST_verify_cache, 2.93 },
	};
	struct params p;

	machine(&p, "wir");
	ck_assert_str_eq(p.energy->name, "wir");
	ck_assert_double_eq_tol(p.energy->cost(COST_reuse_buffer, &p), 4.71 * 135 / 59, 1e-9);
	set(&p, "reuse_field_bits=10");
	for (unsigned i = 0; i < sizeof given / sizeof *given; i++)
		ck_assert_double_eq_tol(p.energy->cost(given[i].c, &p), given[i].pj, 1e-9);
	/* what is not reuse's is of the register file and GPU of the other table, but for its caches */
	for (unsigned c = 0; c < COST_COUNT; c++)
		if ((c < COST_rename_table || c > COST_verify_cache) && c != COST_l1_line && c != COST_tex_line &&
		    c != COST_const_line)
			ck_assert_double_eq_tol(p.energy->cost(c, &p), pj(c, &p), 1e-9);
}
END_TEST

/* Each of the seven follows its counters alone: a register that is taken is given back once, what the verify cache
 * lacks is looked up and filled. None is the register file's, or scaled with the rest. */
START_TEST(reuse_logic_follows_its_counters)
{
	static const struct {
		struct stats s;
		double pj;
	} one[] = {
		{ { .rename_table_reads = 3, .rename_table_writes = 2 }, 5 * 3.50 },
		{ { .reuse_lookups = 2, .reuse_retries = 3, .reuse_updates = 4 }, 9 * 4.71 },
		{ { .hashes = 2 }, 2 * 4.85 },
		{ { .vsb_lookups = 3, .vsb_updates = 1 }, 4 * 4.96 },
		{ { .register_allocations = 2 }, 4 * 1.35 },
		{ { .reference_updates = 5, .flight_references = 2 }, 7 * 0.32 },
		{ { .verify_cache_hits = 3, .verify_cache_fills = 2, .verify_reads = 2 }, 7 * 2.93 },
	};
	struct params p, half;
	struct metric m;
	double all = 0;
	struct stats s = { 0 };

	machine(&p, "wir");
	set(&p, "reuse_field_bits=10");
	half = p;
	set(&half, "rest_percent=50");
	for (unsigned i = 0; i < sizeof one / sizeof *one; i++) {
		ck_assert_double_eq_tol(energy_sum(ENERGY_REUSE, &one[i].s, &p), one[i].pj, 1e-9);
		ck_assert_double_eq_tol(energy_sum(ENERGY_GPU, &one[i].s, &p), one[i].pj, 1e-9);
		ck_assert_double_eq_tol(energy_sum(ENERGY_SM_ALL, &one[i].s, &half), one[i].pj, 1e-9);
		ck_assert_double_eq_tol(energy_sum(ENERGY_RF | ENERGY_REST, &one[i].s, &p), 0, 1e-9);
		all += one[i].pj;
		stats_merge(&s, &one[i].s);
	}
	ck_assert(stats_find("reuse_logic_energy", &s, &p, &m));
	ck_assert_double_eq_tol(m.value, all, 1e-9);
}
END_TEST

/* A table without them: what reuse takes is not known, what the register file takes is; the note names a table that has
 * them. */
START_TEST(reuse_is_not_known_without_its_table)
{
	struct stats s = {
		.cycles = 10, .warp_instructions = 1, .rf_read_arrays = 8, .reuse_lookups = 1, .rename_table_reads = 2
	};
	struct params p;
	struct metric m;
	struct arena a;

	arena_init(&a);
	machine(&p, "gtx480");
	ck_assert(stats_find("reuse_logic_energy", &s, &p, &m) && !metric_known(&m));
	ck_assert(stats_find("rf_energy", &s, &p, &m) && metric_known(&m));
	ck_assert_str_eq(energy_missing(&s, &p, &a),
			 "the energy table corf gives no rename_table, reuse_buffer: this configuration has them, so "
			 "its energy is not known; --set energy=wir gives them, energy=all those of every technique");
	s.reuse_lookups = s.rename_table_reads = 0;
	ck_assert_ptr_null(energy_missing(&s, &p, &a));
	ck_assert(stats_find("reuse_logic_energy", &s, &p, &m) && metric_known(&m) && m.value == 0);
	arena_free(&a);
}
END_TEST

/* WIR section VII-E, in KB: 4.42 + 1.84 + 1.34 + 1.01 + 1.25 = 9.9. */
START_TEST(reuse_adds_the_bits_that_the_paper_says)
{
	static const struct {
		const char *what;
		unsigned bits;
		double kb;
	} given[STORAGE_PARTS] = {
		{ "rename tables", 48 * 63 * 12, 4.42 },      { "reuse buffer", 256 * 59, 1.84 },
		{ "value signature buffer", 256 * 43, 1.34 }, { "verify cache", 8 * 1035, 1.01 },
		{ "reference counts", 1024 * 10, 1.25 },
	};
	struct storage_part part[STORAGE_PARTS];
	struct params p;
	unsigned all = 0;

	machine(&p, "wir");
	ck_assert_uint_eq(reuse_entry_bits(&p), 135);
	set(&p, "reuse_field_bits=10");
	ck_assert_uint_eq(reuse_entry_bits(&p), 59);
	ck_assert_uint_eq(reuse_storage(&p, true, true, 20, part), STORAGE_PARTS);
	for (unsigned i = 0; i < STORAGE_PARTS; i++) {
		ck_assert_str_eq(part[i].what, given[i].what);
		ck_assert_uint_eq(part[i].bits, given[i].bits);
		ck_assert_double_eq_tol(part[i].bits / 8192., given[i].kb, 0.011);
		all += part[i].bits;
	}
	ck_assert_double_eq_tol(all / 8192., 9.9, 0.03);
	/* a kernel of more registers than that GPU has */
	ck_assert_uint_eq(reuse_storage(&p, true, true, 254, part), STORAGE_PARTS);
	ck_assert_uint_eq(part[0].bits, 48 * 254 * 12);
	ck_assert_uint_eq(part[1].bits, 256 * 59);
	ck_assert_uint_eq(reuse_storage(&p, false, false, 63, part), 3);
	ck_assert_str_eq(part[2].what, "reference counts");
	set(&p, "reuse_entries=0");
	ck_assert_uint_eq(reuse_storage(&p, true, false, 63, part), 3);
	ck_assert_str_eq(part[1].what, "value signature buffer");
}
END_TEST

/* One table for all: of each cost what the paper's own table says, but for leakage, of which the register file's part
 * is taken out of the SM's. */
START_TEST(the_table_for_all_has_the_costs_of_each_paper)
{
	static const struct {
		enum energy_cost first, last;
		const char *from;
	} range[] = {
		{ COST_rf_read, COST_rf_write, "hrf" },
		{ COST_rename_access, COST_pack_operation, "corf" },
		{ COST_rf_wire, COST_l0_wire, "hrf" },
		{ COST_rf_leakage, COST_pack_leakage, "corf" },
		{ COST_reuse_cache_read, COST_reuse_cache_write, "hrf" },
		{ COST_bvr_read, COST_decompress, "g-scalar" },
		{ COST_rename_table, COST_verify_cache, "wir" },
		{ COST_lane_int, COST_dram_byte, "g-scalar" },
		{ COST_sm_clock, COST_uncore_leakage, "g-scalar" },
	};
	const struct energy_table *all = energy_find("all");
	unsigned n = 0;
	struct params p;

	machine(&p, "gtx480");
	for (unsigned i = 0; i < sizeof range / sizeof *range; i++)
		for (enum energy_cost c = range[i].first; c <= range[i].last; c++, n++) {
			const struct energy_table *from = energy_find(range[i].from);

			ck_assert_msg(all->given[c].missing == from->given[c].missing &&
					      (all->given[c].missing || all->cost(c, &p) == from->cost(c, &p)),
				      "cost %u", (unsigned)c);
			ck_assert(!all->given[c].missing || c == COST_lane_tensor);
		}
	n += 3; /* COST_operand_stage, COST_result_stage, COST_uniform_access: of sub-cores alone */
	ck_assert_uint_eq(n, COST_COUNT - 1);
	ck_assert_double_eq_tol(all->cost(COST_sm_leakage, &p) + 89.6, pj(COST_sm_leakage, &p), 1e-9);
	ck_assert(all->cost(COST_sm_leakage, &p) > 0);
}
END_TEST

/* With all entries on, an SM leaks what it does in g-scalar; with all off, 89.6 mW less. What follows an access follows
 * one of any level. */
START_TEST(the_table_for_all_gates_entries_and_collects_from_levels)
{
	struct stats s = { .cycles = 7000, .rf_powered_entries = 7000 * 15 * 1024 },
		     levels = { .rf_l1_reads = 10, .rf_l0_writes = 4 };
	struct params p, gpu;

	machine(&p, "gtx480");
	machine(&gpu, "gtx480");
	set(&p, "energy=all");
	set(&gpu, "energy=g-scalar");
	ck_assert_double_eq_tol(energy_sum(ENERGY_SM_ALL, &s, &p), energy_sum(ENERGY_SM_ALL, &s, &gpu), 1e-3);
	s.rf_powered_entries = 0;
	s.rename_powered_cycles = 1;
	ck_assert_double_eq_tol(energy_sum(ENERGY_SM_ALL, &s, &p),
				energy_sum(ENERGY_SM_STEADY, &s, &gpu) - 15 * 89.6 * 10e3 + 5.56 / 0.7, 1e-3);
	ck_assert_double_eq_tol(energy_component(ENERGY_collect, &levels, &p),
				2.75 * energy_sum(ENERGY_DYNAMIC, &levels, &p), 1e-6);
	ck_assert(energy_sum(ENERGY_DYNAMIC, &levels, &p) > 0);
}
END_TEST

/* All tables, or one: what each gives with its unit and source, and what it does not. */
START_TEST(tables_are_listed_with_what_they_lack)
{
	static const char *const names[] = { "corf", "hrf",     "g-scalar",      "wir",
					     "all",  "subcore", "subcore-array", "subcore-wire" };

	for (unsigned n = 0; n <= sizeof names / sizeof *names; n++) {
		const char *only = n ? names[n - 1] : NULL;
		unsigned rows = 0;
		char *text;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);

		energy_list(f, only ? energy_find(only) : NULL);
		fclose(f);
		for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
			char row[40];
			const char *at;

			snprintf(row, sizeof row, "\n  %s ", names[i]);
			at = strstr(text, row);
			ck_assert_msg(!only || strcmp(only, names[i]) == 0 ? at && !strstr(at + 1, row) : !at, "%s",
				      text);
		}
		for (const char *at = text; (at = strstr(at, "\n  ")); at++)
			rows += at[3] != ' ';
		ck_assert_uint_eq(rows, only ? 1 : sizeof names / sizeof *names);
		free(text);
	}
}
END_TEST

/* AccelWattch: 80 pJ for an operand read and 68 for a result written, whatever their split; about half a nJ for a
 * multiply-add of a whole warp, fetch and execution in it; 0.8 of that on an A100. */
START_TEST(an_access_of_a_subcore_costs_what_accelwattch_says)
{
	const unsigned all = ENERGY_DYNAMIC | ENERGY_COLLECT;
	struct stats read = { .rf_reads = 10, .rf_read_arrays = 80 },
		     write = { .rf_writes = 10, .rf_write_arrays = 80 },
		     small = { .reuse_cache_reads = 10,
			       .reuse_cache_writes = 4,
			       .uniform_reads = 3,
			       .uniform_writes = 2 },
		     fma = { .warp_instructions = 1,
			     .lanes_fmul = 32,
			     .rf_reads = 3,
			     .rf_writes = 1,
			     .rf_read_arrays = 24,
			     .rf_write_arrays = 8 },
		     tick = { .cycles = 1000, .rf_powered_entries = 68ull * 2048 * 1000 };
	struct params p, old;
	double nj;

	machine(&p, "rtx2080ti");
	ck_assert_str_eq(p.energy->name, "subcore");
	ck_assert_double_eq_tol(energy_sum(all, &read, &p), 800, 1e-9);
	ck_assert_double_eq_tol(energy_sum(all, &write, &p), 680, 1e-9);
	for (unsigned i = 0; i < 2; i++) {
		struct params split = p;

		set(&split, i ? "energy=subcore-wire" : "energy=subcore-array");
		ck_assert_double_eq_tol(energy_sum(all, &read, &split), 800, 1e-9);
		ck_assert_double_eq_tol(energy_sum(all, &write, &split), 680, 1e-9);
		ck_assert_double_eq_tol(energy_component(ENERGY_rf_read, &read, &split), i ? 160 : 490, 1e-9);
	}
	ck_assert_double_eq_tol(energy_component(ENERGY_reuse_cache, &small, &p), 16 + 18, 1e-9);
	ck_assert_double_eq_tol(energy_component(ENERGY_uniform, &small, &p), 6, 1e-9);
	nj = energy_sum(ENERGY_GPU, &fma, &p) / 1000;
	ck_assert_msg(nj > 0.5 && nj < 0.55, "%g nJ", nj);
	/* 480 mW an SM, and 32.3 W, for 1000 cycles */
	ck_assert_double_eq_tol(energy_sum(ENERGY_GPU, &tick, &p), (68 * 480. + 32300) * 1e6 / p.sm_mhz, 1);
	machine(&p, "a100");
	ck_assert_double_eq_tol(energy_sum(ENERGY_GPU, &fma, &p) / 1000, 0.8 * nj, 1e-9);
	/* Tables of register files with collectors take uniform registers for nothing, and know no reuse cache. */
	machine(&old, "gtx480");
	ck_assert_double_eq_tol(energy_component(ENERGY_uniform, &small, &old), 0, 1e-9);
	ck_assert(isnan(energy_component(ENERGY_reuse_cache, &small, &old)));
	set(&old, "energy=all");
	ck_assert_double_eq_tol(energy_component(ENERGY_reuse_cache, &small, &old), 56 + 64, 1e-9);
}
END_TEST

Suite *suite_energy(void);
Suite *suite_energy(void)
{
	Suite *s = suite_create("energy");
	TCase *c = tcase_create("energy");

	tcase_add_test(c, costs_are_those_of_their_sources);
	tcase_add_test(c, a_special_function_costs_what_g_scalar_says_of_it);
	tcase_add_test(c, sums_are_of_their_components);
	tcase_add_test(c, the_rest_scales_and_follows_time);
	tcase_add_test(c, what_a_table_lacks_is_not_known);
	tcase_add_test(c, a_run_costs_what_it_does_by_hand);
	tcase_add_test(c, reuse_costs_what_table_iii_says);
	tcase_add_test(c, reuse_logic_follows_its_counters);
	tcase_add_test(c, reuse_is_not_known_without_its_table);
	tcase_add_test(c, reuse_adds_the_bits_that_the_paper_says);
	tcase_add_test(c, the_table_for_all_has_the_costs_of_each_paper);
	tcase_add_test(c, the_table_for_all_gates_entries_and_collects_from_levels);
	tcase_add_test(c, tables_are_listed_with_what_they_lack);
	tcase_add_test(c, an_access_of_a_subcore_costs_what_accelwattch_says);
	suite_add_tcase(s, c);
	return s;
}

/* Values that encode registers, in the SM: what accesses activate, which lanes execute, moves, predicates, what is
 * latched and what is refused. */
#include "passes/pass.h"
#include "passes/uniform.h"
#include "stream.h"

#define SAME(n)                                                             \
	{                                                                   \
		.same_all = n, .same_lo = n, .same_hi = n, .same_active = n \
	}
static const struct value_sig same[5] = { SAME(0), SAME(1), SAME(2), SAME(3), SAME(4) };
static const struct value_sig low = { .same_lo = 4, .same_hi = 1, .same_all = 1 },
			      high = { .same_hi = 4, .same_lo = 2, .same_all = 2 };
static const struct value_sig halves = { .same_lo = 4, .same_hi = 4, .same_all = 3 };
#undef SAME

static struct stream s;

static void begin(const char *rf)
{
	stream_init(&s);
	ck_assert(params_machine(&s.p, "g-scalar", &s.d));
	s.p.sms = 1;
	ck_assert_msg(rf_config_parse(&s.rf, rf, &s.p, &s.d), "%s", s.d.last);
}

static void set(const char *what) { ck_assert_msg(params_set(&s.p, what, &s.d), "%s", s.d.last); }

static void run(void) { ck_assert_msg(stream_run(&s), "%s", s.d.last); }

/* An instruction that is executed once, in these lanes, and leaves a result like sig. */
static struct stream_record *then(uint32_t insn, uint32_t active, const struct value_sig *sig)
{
	struct stream_record *r = stream_record(&s, 0, insn);

	r->active = active;
	r->nsig = sig != NULL;
	r->sig = sig;
	return r;
}

static uint32_t add(int d, int x, int y, uint32_t active, const struct value_sig *sig)
{
	const uint32_t insn = stream_insn(&s, OP_ADD_S32, d, x, y, -1);

	then(insn, active, sig);
	return insn;
}

/* Registers whose encoding no instruction under test has made: R20 of four equal bytes, R21 three, ... R24 none. One
 * array access each, of the writes alone, since constants are their sources. */
static void sources(void)
{
	for (int n = 0; n <= 4; n++)
		then(stream_insn(&s, OP_MOV_B32, 24 - n, -1, -1, -1), UINT32_MAX, &same[n]);
}

/* ---- pipeline ---- */
START_TEST(three_cycles_more)
{
	static const char *const rf[] = { "baseline", "compress", "g-scalar-nodiv", "g-scalar" };
	cycle cycles[4];

	for (unsigned i = 0; i < 4; i++) {
		begin(rf[i]);
		for (int n = 0; n < 10; n++)
			add(n + 1, n, -1, UINT32_MAX, &same[0]);
		run();
		cycles[i] = s.st.cycles;
		stream_free(&s);
		ck_assert_uint_eq(cycles[i], cycles[0] + (i ? 3 * 10 : 0));
	}
}
END_TEST

/* Cycles from a load to the issue of what uses it: of a line that misses, and of one that hits. Of texture, it has no
 * operand but its coordinates. */
static void use_distances(const char *rf, enum space space, bool texture, cycle at[2])
{
	const struct value_sig texels[] = { same[4], same[4], same[4], same[4] };
	uint32_t load, use;

	begin(rf);
	load = texture ? stream_insn(&s, OP_TEX_1D_F_F32, 4, -1, -1, -1)
		       : stream_memory(&s, OP_LD_B32, space, 4, 2, -1);
	use = stream_insn(&s, OP_ADD_S32, 1, 4, 9, -1);
	for (unsigned i = 0; i < 3; i++) { /* the first fetches the code */
		struct stream_record *r = then(load, UINT32_MAX, texture ? texels : &same[0]);

		r->nsig = texture ? 4 : 1;
		if (space == SP_CONST)
			stream_line(r, (uint64_t)SP_CONST << 56 | (uint64_t)(i == 0 ? 0 : 4096) << 32 | 1, 0);
		else if (space != SP_SHARED)
			stream_line(r, i == 0 ? 1 : 2, 15);
		then(use, UINT32_MAX, &same[0]);
	}
	run();
	for (unsigned i = 0; i < 2; i++)
		at[i] = stream_when(s.issued, 0, use, i + 1) - stream_when(s.issued, 0, load, i + 1);
	stream_free(&s);
}

START_TEST(three_cycles_more_for_what_memory_writes)
{
	static const struct {
		enum space space;
		bool texture;
	} of[] = { { SP_SHARED, false }, { SP_CONST, false }, { SP_GLOBAL, false }, { SP_GLOBAL, true } };
	static const char *const rf[] = { "compress", "g-scalar-nodiv", "g-scalar", "warped-compression",
					  "alu-scalar" };
	cycle base[2], more[2];

	for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
		use_distances("baseline", of[k].space, of[k].texture, base);
		ck_assert(of[k].space == SP_SHARED || base[0] > base[1] + 50);
		for (unsigned i = 0; i < sizeof rf / sizeof *rf; i++) {
			use_distances(rf[i], of[k].space, of[k].texture, more);
			for (unsigned n = 0; n < 2; n++)
				ck_assert_uint_eq(more[n], base[n] + (i < 4 ? 3 : 0));
		}
	}
}
END_TEST

/* ---- arrays ---- */
static void check_arrays(unsigned reads, unsigned writes)
{
	run();
	ck_assert_uint_eq(s.st.rf_read_arrays, reads);
	ck_assert_uint_eq(s.st.rf_write_arrays, writes);
	/* a read that activates no array is one all the same */
	ck_assert_uint_eq(s.st.rf_reads, s.st.rf_operand_reads);
}

START_TEST(arrays_follow_from_equal_bytes)
{
	begin("compress");
	set("gs_half=0");
	sources();
	check_arrays(0, 0 + 2 + 4 + 6 + 8);
	ck_assert_uint_eq(s.st.stored_bytes, 4 + (3 + 32) + (2 + 64) + (1 + 96) + 128);
	ck_assert_uint_eq(s.st.bvr_writes, 5);
	ck_assert_uint_eq(s.st.bvr_reads, 0);
	for (int r = 20; r <= 24; r++)
		add(1, r, -1, UINT32_MAX, &same[0]);
	check_arrays(0 + 2 + 4 + 6 + 8, 20 + 5 * 8);
	ck_assert_uint_eq(s.st.bvr_reads, 5);
	ck_assert(s.st.read_same4 == 1 && s.st.read_same3 == 1 && s.st.read_same2 == 1 && s.st.read_same1 == 1 &&
		  s.st.read_same0 == 1);
	ck_assert_uint_eq(s.st.decompressions, 4);
	ck_assert_uint_eq(s.st.compressions, 10);
	add(1, 9, -1, UINT32_MAX, &same[0]); /* nobody has written R9 */
	check_arrays(20 + 8, 20 + 6 * 8);
	ck_assert_uint_eq(s.st.read_same0, 2);
	stream_free(&s);
}
END_TEST

START_TEST(halves_have_arrays_and_base_values_of_their_own)
{
	for (unsigned half = 0; half < 2; half++) {
		begin("g-scalar");
		set(half ? "gs_half=1" : "gs_half=0");
		add(1, 9, -1, UINT32_MAX, &same[0]);
		add(2, 1, -1, UINT32_MAX, &halves);
		add(3, 1, -1, UINT32_MAX, &high);
		add(4, 2, 3, UINT32_MAX, &high);
		check_arrays(half ? 3 * 8 + 0 + 2 : 3 * 8 + 2 + 4, half ? 8 + 0 + 2 + 2 : 8 + 2 + 4 + 4);
		ck_assert_uint_eq(s.st.bvr_reads, 5 * (1 + half));
		ck_assert_uint_eq(s.st.bvr_writes, 4 * (1 + half));
		ck_assert_uint_eq(s.st.scalar_half, half);
		stream_free(&s);
	}
}
END_TEST

/* A bank of other arrays: in proportion, rounded up. */
START_TEST(arrays_in_proportion)
{
	static const struct {
		const char *set;
		unsigned writes;
	} of[] = { { "rf_arrays=1", 4 }, { "rf_arrays=4", 1 + 2 + 3 + 4 }, { "rf_arrays=32", 8 + 16 + 24 + 32 } };

	for (unsigned i = 0; i < 3; i++) {
		begin("compress");
		set(of[i].set);
		sources();
		check_arrays(0, of[i].writes);
		stream_free(&s);
	}
}
END_TEST

/* Stores that read R1 long after they have issued, an addition that writes it meanwhile: they find it as it was. */
START_TEST(an_access_is_as_it_was_when_its_instruction_issued)
{
	uint32_t store;

	begin("compress");
	s.p.collectors_mem = 1;
	then(stream_insn(&s, OP_MOV_B32, 1, -1, -1, -1), UINT32_MAX, &same[4]);
	store = stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, 1);
	for (unsigned i = 0; i < 10; i++) {
		struct stream_record *r = then(store, UINT32_MAX, NULL);

		for (unsigned l = 0; l < 8; l++)
			stream_line(r, 8 * i + l, 15);
	}
	add(1, 2, -1, UINT32_MAX, &same[0]);
	check_arrays(8, 8); /* R2 alone, which nobody has written; and R1 by the addition */
	ck_assert_uint_eq(s.st.read_same4, 10);
	ck_assert_uint_lt(stream_when(s.finished, 0, 2, 0), stream_when(s.finished, 0, store, 9));
	stream_free(&s);
}
END_TEST

/* Every counter adds up wherever a run is stopped: stream_run() checks. */
START_TEST(counters_add_up_wherever_a_run_stops)
{
	cycle all;

	begin("g-scalar");
	s.warps = 4;
	for (int i = 0; i < 6; i++) {
		add(1 + i, 9, -1, UINT32_MAX, &same[i % 4]);
		add(1 + i, 1 + i, -1, i & 1 ? 0xff : UINT32_MAX, &same[i % 4]);
		then(stream_memory(&s, OP_LD_B32, SP_SHARED, 10 + i, 1 + i, -1), UINT32_MAX, &same[0]);
	}
	run();
	all = s.st.cycles;
	ck_assert_uint_gt(s.st.injected_moves, 0);
	for (s.max_cycles = 1; s.max_cycles < all; s.max_cycles++) {
		run();
		ck_assert_uint_eq(s.st.cycles, s.max_cycles);
	}
	stream_free(&s);
}
END_TEST

/* What a warp leaves is nobody's: the next one in its place finds registers that nobody has written. */
static bool second_cta(uint64_t cta, unsigned warp)
{
	(void)warp;
	return cta == 1;
}

START_TEST(a_warp_begins_with_nothing)
{
	begin("g-scalar");
	s.p.ctas_per_sm = 1;
	s.ctas = 2;
	s.second = second_cta;
	add(1, -1, -1, UINT32_MAX, &same[4]);
	*stream_record(&s, 1, stream_insn(&s, OP_ADD_S32, 2, 1, -1, -1)) =
		(struct stream_record){ .insn = 1, .active = UINT32_MAX, .nsig = 1, .sig = &same[0] };
	check_arrays(8, 0 + 8);
	ck_assert_uint_eq(s.st.scalar_alu, 1);
	ck_assert_uint_eq(s.st.read_same0, 1);
	stream_free(&s);
}
END_TEST

/* Nor has it a scalar: R0, in the first place of all, is one of the first CTA's, and the second, which writes one lane
 * of it, moves nothing. */
START_TEST(a_warp_begins_with_no_scalars)
{
	static const uint32_t at[] = { 0, 4 };
	static const uint8_t flags[] = { UNIFORM_CONVERGENT | UNIFORM_GRID << UNIFORM_GUARD_AT, 0 };
	struct uniform_value value[8];
	struct uniform u = { .at = at, .value = value, .flags = flags };

	for (unsigned i = 0; i < 8; i++)
		value[i] = (struct uniform_value){ .level = i < 4 ? UNIFORM_WARP : UNIFORM_NOT };
	begin("static-scalar");
	s.k->uniform = &u;
	s.p.ctas_per_sm = 1;
	s.ctas = 2;
	s.second = second_cta;
	add(0, 1, 1, UINT32_MAX, &same[4]);
	*stream_record(&s, 1, stream_insn(&s, OP_ADD_S32, 0, 1, 1, -1)) =
		(struct stream_record){ .insn = 1, .active = 1, .nsig = 1, .sig = &same[0] };
	run();
	ck_assert_uint_eq(s.st.bvr_writes, 1);
	ck_assert_uint_eq(s.st.injected_moves, 0);
	stream_free(&s);
}
END_TEST

static bool second_warp(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp == 1;
}

/* Two warps that share one section of the register file: R8 of the second is not what the first has left there. */
START_TEST(a_shared_register_changes_hands_with_nothing)
{
	uint32_t acquire, release;

	begin("regmutex,values=g-scalar");
	s.warps = 2;
	s.second = second_warp;
	s.k->res.regs = 12;
	s.k->base_regs = 8;
	s.p.rf_registers = WARP_LANES * (2 * 8 + 4);
	acquire = stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	release = stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
	then(acquire, UINT32_MAX, NULL);
	add(8, 1, -1, UINT32_MAX, &same[4]);
	add(2, 8, -1, UINT32_MAX, &same[4]);
	then(release, UINT32_MAX, NULL);
	*stream_record(&s, 1, acquire) = (struct stream_record){ .insn = acquire, .active = UINT32_MAX };
	*stream_record(&s, 1, 3) =
		(struct stream_record){ .insn = 3, .active = UINT32_MAX, .nsig = 1, .sig = &same[0] };
	*stream_record(&s, 1, release) = (struct stream_record){ .insn = release, .active = UINT32_MAX };
	run();
	ck_assert_uint_lt(stream_when(s.issued, 0, 3, 0), stream_when(s.issued, 1, 3, 0));
	ck_assert_uint_eq(s.st.rf_acquires, 2);
	ck_assert_uint_eq(s.st.scalar_alu, 1);
	ck_assert_uint_eq(s.st.read_same4, 1);
	stream_free(&s);
}
END_TEST

/* ---- lanes ---- */
START_TEST(one_lane_executes_for_all_or_for_halves)
{
	static const struct value_sig *const of[] = { NULL, &same[4], &halves, &low, &same[2] };

	begin("g-scalar");
	for (int r = 1; r <= 4; r++)
		add(r, 9, -1, UINT32_MAX, of[r]);
	run();
	ck_assert_uint_eq(s.st.executed_lanes, 4 * 32);
	add(5, 1, 1, UINT32_MAX, &same[4]);
	run();
	ck_assert_uint_eq(s.st.executed_lanes, 4 * 32 + 1);
	ck_assert_uint_eq(s.st.scalar_alu, 1);
	add(6, 1, 2, UINT32_MAX, &halves);
	run();
	ck_assert_uint_eq(s.st.executed_lanes, 4 * 32 + 1 + 2);
	add(7, 2, 3, UINT32_MAX, &low);
	run();
	ck_assert_uint_eq(s.st.executed_lanes, 4 * 32 + 1 + 2 + 17);
	ck_assert_uint_eq(s.st.scalar_half, 2);
	add(8, 1, 4, UINT32_MAX, &same[1]);
	run();
	ck_assert_uint_eq(s.st.executed_lanes, 4 * 32 + 1 + 2 + 17 + 32);
	then(stream_insn(&s, OP_SIN_F32, 10, 1, -1, -1), UINT32_MAX, &same[4]);
	then(stream_memory(&s, OP_LD_B32, SP_SHARED, 11, 1, -1), UINT32_MAX, &same[4]);
	run();
	ck_assert_uint_eq(s.st.executed_lanes, 4 * 32 + 1 + 2 + 17 + 32 + 1 + 1);
	ck_assert(s.st.scalar_sfu == 1 && s.st.scalar_mem == 1 && s.st.scalar_alu == 1 && s.st.scalar_half == 2);
	/* what the program does is another matter */
	ck_assert_uint_eq(s.st.thread_instructions, s.st.warp_instructions * 32);
	stream_free(&s);
}
END_TEST

/* A block of 20: 16 threads in one half of its warp, 4 in the other, and 12 lanes that no instruction misses. */
START_TEST(lanes_without_a_thread_are_not_missed)
{
	enum { T = 0xfffff };

	for (unsigned diverge = 0; diverge < 2; diverge++) {
		begin("g-scalar");
		s.threads_per_cta = 20;
		s.p.missing_diverge = diverge;
		add(1, 9, -1, T, &same[4]);
		add(2, 1, -1, T, &same[4]);
		add(3, 9, -1, T, &low);
		add(4, 3, 2, T, &low);
		add(5, 9, -1, T, &high);
		add(6, 5, 2, T, &high);
		add(7, 2, -1, 0xff, &same[4]);
		run();
		ck_assert_uint_eq(s.st.divergent_instructions, diverge ? 7 : 1);
		ck_assert_uint_eq(s.st.scalar_alu, !diverge);
		ck_assert_uint_eq(s.st.scalar_half, diverge ? 0 : 2);
		ck_assert_uint_eq(s.st.scalar_divergent, 1);
		ck_assert_uint_eq(s.st.executed_lanes,
				  diverge ? 20 + 1 + 4 * 20 + 8 : 20 + 1 + 20 + (1 + 4) + 20 + (16 + 1) + 1);
		ck_assert_uint_eq(s.st.rf_write_arrays, diverge ? 7 * 8 : 0 + 0 + 2 * (0 + 3) + 2 * (2 + 0) + 8);
		ck_assert_uint_eq(s.st.injected_moves, 0);
		stream_free(&s);
	}
}
END_TEST

/* In the lower half alone: the upper one stores nothing, and is no half that one lane executes. */
START_TEST(a_half_without_threads_is_none)
{
	begin("g-scalar");
	s.threads_per_cta = 16;
	add(1, 9, -1, 0xffff, &(const struct value_sig){ .same_lo = 2, .same_hi = 4, .same_all = 2 });
	add(2, 1, -1, 0xffff, &same[0]);
	run();
	ck_assert_uint_eq(s.st.divergent_instructions, 0);
	ck_assert_uint_eq(s.st.scalar_half, 0);
	ck_assert_uint_eq(s.st.executed_lanes, 2 * 16);
	ck_assert_uint_eq(s.st.rf_write_arrays, 2 + 8);
	stream_free(&s);
}
END_TEST

/* Figure 6 in the SM: a register written by some lanes, read by the same, by fewer, by others, by all. */
START_TEST(one_lane_executes_for_the_active_ones)
{
	static const char *const rf[] = { "compress", "g-scalar-nodiv", "g-scalar" };

	for (unsigned i = 0; i < 3; i++) {
		begin(rf[i]);
		add(1, 9, -1, 0xac, &same[4]);
		add(2, 1, -1, 0xac, &same[4]);
		add(3, 1, -1, 0xa0, &same[4]);
		add(4, 1, -1, 0x53, &same[0]);
		add(5, 1, -1, UINT32_MAX, &same[0]);
		add(6, 1, -1, 0, &same[0]);
		run();
		ck_assert_uint_eq(s.st.divergent_instructions, 4);
		ck_assert_uint_eq(s.st.scalar_divergent, i == 2);
		ck_assert_uint_eq(s.st.executed_lanes, 4 + (i == 2 ? 1 : 4) + 2 + 4 + 32);
		ck_assert_uint_eq(s.st.read_divergent, 4);
		ck_assert_uint_eq(s.st.read_same0, 1 + 1); /* in all lanes, and in none, which is not divergent */
		ck_assert_uint_eq(s.st.rf_write_arrays, 5 * 8);
		ck_assert_uint_eq(s.st.injected_moves, 0);
		stream_free(&s);
	}
}
END_TEST

START_TEST(predicates_are_scalars_if_one_lane_computed_them)
{
	uint32_t setp, selp;

	begin("g-scalar");
	add(1, 9, -1, UINT32_MAX, &same[4]);
	setp = stream_insn(&s, OP_SETP_LT_S32, MREG_P0 + 3, 1, 1, -1);
	selp = stream_insn(&s, OP_SELP_B32, 2, 1, 1, MREG_P0 + 3);
	then(selp, UINT32_MAX, &same[4]); /* nobody has written P3 */
	then(setp, UINT32_MAX, NULL);
	then(selp, UINT32_MAX, &same[4]);
	then(stream_insn(&s, OP_SETP_LT_S32, MREG_P0 + 3, 1, 9, -1), UINT32_MAX, NULL);
	then(selp, UINT32_MAX, &same[4]);
	run();
	ck_assert_uint_eq(s.st.scalar_alu, 2);
	ck_assert_uint_eq(s.st.executed_lanes, 32 + 32 + 1 + 1 + 32 + 32);
	stream_free(&s);
}
END_TEST

/* A generic load from local memory: each lane has its own, wherever they point. */
START_TEST(local_memory_is_different_in_each_lane)
{
	uint32_t load;

	begin("g-scalar");
	add(1, 9, -1, UINT32_MAX, &same[4]);
	load = stream_memory(&s, OP_LD_B32, SP_GENERIC, 2, 1, -1);
	stream_line(then(load, UINT32_MAX, &same[4]), 9, 15);
	run();
	ck_assert_uint_eq(s.st.scalar_mem, 1);
	stream_line(then(load, UINT32_MAX, &same[0]), LOCAL_LINES / LINE_BYTES, 15);
	run();
	ck_assert_uint_eq(s.st.scalar_mem, 1);
	stream_free(&s);
}
END_TEST

/* Section 4.1: what one lane executes takes base values and leaves one, so that neither decompressor nor compressor
 * works; where the other half or the other operand is a vector they do. */
START_TEST(what_one_lane_executes_passes_no_compressor)
{
	static const struct {
		const char *rf;
		unsigned compressions, decompressions;
	} of[] = { { "compress", 9, 8 }, { "g-scalar-nodiv", 7, 5 }, { "g-scalar", 5, 2 }, { "alu-scalar", 0, 0 } };

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		begin(of[i].rf);
		add(1, 9, -1, UINT32_MAX, &same[4]);
		add(2, 1, 1, UINT32_MAX, &same[4]);
		add(3, 1, 2, UINT32_MAX, &same[4]);
		add(4, 1, 9, UINT32_MAX, &same[0]);
		add(5, 9, -1, UINT32_MAX, &halves);
		add(6, 5, 1, UINT32_MAX, &halves);
		add(7, 9, -1, UINT32_MAX, &low);
		add(8, 7, -1, UINT32_MAX, &low);
		add(10, 1, -1, 0xff, &same[4]);
		run();
		ck_assert_msg(s.st.compressions == of[i].compressions && s.st.decompressions == of[i].decompressions,
			      "%s: %u, %u", of[i].rf, (unsigned)s.st.compressions, (unsigned)s.st.decompressions);
		stream_free(&s);
	}
}
END_TEST

/* ---- moves ---- */
START_TEST(a_compressed_register_is_decompressed_before_some_lanes_are_written)
{
	static const struct value_sig lower = { .same_lo = 1 };
	static const struct {
		const struct value_sig *was;
		unsigned half, whole;
	} of[] = {
		{ &same[0], 0, 0 }, { &same[1], 1, 1 }, { &same[4], 1, 1 },
		{ &halves, 1, 1 },  { &low, 1, 1 },     { &lower, 1, 0 },
	};

	for (unsigned half = 0; half < 2; half++)
		for (unsigned i = 0; i < 6; i++) {
			const unsigned moves = half ? of[i].half : of[i].whole;

			begin("compress");
			set(half ? "gs_half=1" : "gs_half=0");
			add(1, 9, -1, UINT32_MAX, of[i].was);
			add(1, 9, -1, 0xffff, &same[4]);
			add(1, 9, -1, 1, &same[4]); /* it is not compressed any more */
			run();
			ck_assert_uint_eq(s.st.injected_moves, moves);
			ck_assert_uint_eq(s.st.warp_instructions, 3);
			ck_assert_uint_eq(s.st.rf_writes, 3 + moves);
			ck_assert_uint_eq(s.st.compressions, 3);
			ck_assert_uint_eq(s.st.decompressions, moves);
			ck_assert_uint_eq(s.st.executed_lanes, 32 + 16 + 1 + 32 * moves);
			ck_assert_uint_eq(s.st.moves_elided, 0);
			stream_free(&s);
		}
}
END_TEST

START_TEST(no_move_where_every_lane_or_none_is_written)
{
	begin("g-scalar");
	add(1, 9, -1, UINT32_MAX, &same[4]);
	add(1, 9, -1, UINT32_MAX, &same[3]);
	add(1, 9, -1, 0, &same[0]);
	add(2, 1, -1, 0xff, &same[0]); /* R1 is read, not written */
	run();
	ck_assert_uint_eq(s.st.injected_moves, 0);
	stream_free(&s);
}
END_TEST

/* Each register of a pair; the instruction waits for the moves, and its result is what is read afterwards. */
START_TEST(the_instruction_waits_for_its_moves)
{
	cycle without;

	for (unsigned moves = 0; moves < 2; moves++) {
		struct value_sig two[2] = { same[0], same[0] };

		begin("compress");
		for (int r = 4; r < 6; r++)
			add(r, 9, -1, UINT32_MAX, &same[moves ? 2 : 0]);
		then(stream_insn(&s, OP_ADD_F64, 4, 6, 8, -1), 0xff, two)->nsig = 2;
		add(1, 4, 5, UINT32_MAX, &same[0]);
		run();
		ck_assert_uint_eq(s.st.injected_moves, 2 * moves);
		ck_assert_uint_eq(s.st.rf_read_arrays, (2 + 4 + 2) * 8 + 2 * 4 * moves);
		ck_assert_uint_eq(s.st.rf_write_arrays, (moves ? 2 * 4 + 2 * 8 : 2 * 8) + 3 * 8);
		if (!moves)
			without = s.st.cycles;
		else
			ck_assert_uint_gt(s.st.cycles, without + 2 * s.p.unit[FU_OTHER].latency);
		stream_free(&s);
	}
}
END_TEST

/* An instruction that reads what it writes in part: after a move the register is not known to be one value any more. */
START_TEST(a_move_costs_what_was_known_of_the_register)
{
	static struct uniform_value value[4];
	static const uint32_t at[2] = { 0, 2 };
	static struct uniform u = { .at = at, .value = value };

	for (unsigned dead = 0; dead < 2; dead++) {
		begin("g-scalar");
		s.k->uniform = &u;
		value[3].dead = dead;
		add(1, 9, -1, UINT32_MAX, &same[4]);
		add(1, 1, -1, 0xff, &same[4]);
		run();
		ck_assert_uint_eq(s.st.injected_moves, !dead);
		ck_assert_uint_eq(s.st.scalar_divergent, dead);
		stream_free(&s);
	}
}
END_TEST

/* Of a divergent instruction whose other lanes nobody reads, unless all moves are asked for; nothing is left out where
 * all lanes are written, or where the register is not compressed any more. */
START_TEST(a_move_that_nobody_needs_is_left_out)
{
	static struct uniform_value value[8];
	static const uint32_t at[] = { 0, 2, 4, 6 }; /* each: its source, its result */
	static struct uniform u = { .at = at, .value = value };

	for (unsigned dead = 0; dead < 2; dead++)
		for (unsigned all = 0; all < 2; all++) {
			const bool elided = dead && !all;

			begin("compress");
			set(all ? "gs_moves=1" : "gs_moves=2");
			s.k->uniform = &u;
			for (unsigned i = 0; i < 8; i++)
				value[i].dead = true;
			value[5].dead = value[7].dead = dead;
			add(1, 9, -1, UINT32_MAX, &same[4]);
			add(1, 9, -1, UINT32_MAX, &same[4]);
			add(1, 9, -1, 0xff, &same[4]);
			add(1, 9, -1, 0xf, &same[4]);
			run();
			ck_assert_uint_eq(s.st.injected_moves, !elided);
			ck_assert_uint_eq(s.st.moves_elided, elided);
			stream_free(&s);
		}
}
END_TEST

/* ---- bugs and refusals ---- */
START_TEST(results_that_differ_end_the_run)
{
	begin("g-scalar");
	add(1, 9, -1, UINT32_MAX, &same[4]);
	add(2, 1, 1, UINT32_MAX, &same[3]);
	ck_assert(!stream_run(&s) && s.bug);
	ck_assert_msg(strstr(s.d.last, "internal error: under g-scalar instruction 1 `add.s32 R2, R1, R1` of SM 0 warp "
				       "0 (CTA 0, its warp 0) in cycle ") &&
			      strstr(s.d.last,
				     " is executed by one lane for several, and its results in them are not the same"),
		      "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* One lane executes what has uniform inputs, and a result that is proved uniform goes to the file for scalars: both
 * results of either are looked at, and those of neither may differ. */
START_TEST(what_is_proved_of_lanes_is_looked_at)
{
	static const uint32_t at[] = { 0 };

	for (unsigned n = 0; n < 16; n++) {
		const unsigned inputs = n & 1, result = n >> 1 & 1, differs = n >> 2;
		const struct value_sig sig[] = { same[differs & 1 ? 3 : 4], same[differs & 2 ? 3 : 4] };
		const uint8_t flags = (uint8_t)(UNIFORM_CONVERGENT | (inputs ? UNIFORM_WARP : 0) << UNIFORM_INPUTS_AT |
						UNIFORM_GRID << UNIFORM_GUARD_AT);
		struct uniform_value value[8];
		struct uniform u = { .at = at, .value = value, .flags = &flags };

		for (unsigned i = 0; i < 8; i++)
			value[i] = (struct uniform_value){ .level = result ? UNIFORM_WARP : UNIFORM_NOT };
		begin("static-scalar");
		s.k->uniform = &u;
		then(stream_insn(&s, OP_ADD_S64, 4, 8, 10, -1), UINT32_MAX, sig)->nsig = 2;
		ck_assert_msg(stream_run(&s) == !(differs && (inputs || result)), "case %u: %s", n, s.d.last);
		ck_assert(!s.bug || strstr(s.d.last, " is proved to have one result in all lanes, and has several"));
		stream_free(&s);
	}
}
END_TEST

static bool fits(const char *rf, const char *why)
{
	struct rf_config c;
	bool ok;

	ck_assert_msg(rf_config_parse(&c, rf, &s.p, &s.d), "%s", s.d.last);
	ok = rf_config_check(&c, &s.p, ~0u, "test", &s.d);
	ck_assert_msg(ok == !why && (ok || strstr(s.d.last, why)), "%s: %s", rf, ok ? "fits" : s.d.last);
	return ok;
}

START_TEST(what_does_not_fit_is_refused)
{
	static const char *const values[] = { "compress", "g-scalar-nodiv", "g-scalar" };
	char rf[128];

	begin("baseline");
	for (unsigned i = 0; i < 3; i++) {
#define WITH(before, after) (snprintf(rf, sizeof rf, before "values=%s" after, values[i]), rf)
		fits(WITH("", ""), NULL);
		fits(WITH("regmutex,", ""), NULL);
		fits(WITH("owf,", ""), NULL);
		fits(WITH("rfv,", ""), "and residency=rfv gives the register its place when it is written: choose one");
		fits(WITH("rfv-shared,", ""), "and residency=rfv-shared gives");
		fits(WITH("corf,", ""),
		     "and packing=corf each decide which bytes of an entry hold a register: choose one");
		fits(WITH("first-fit,", ""), "and packing=first-fit each");
		fits(WITH("rfc,", ""), "and hierarchy=rfc keeps some elsewhere, without their encoding: choose one");
		fits(WITH("orf,", ""), "and hierarchy=orf keeps");
		fits(WITH("all-l0,", ""), "and hierarchy=all-l0 keeps");
#undef WITH
	}
	stream_free(&s);
}
END_TEST

Suite *suite_values(void);
Suite *suite_values(void)
{
	Suite *su = suite_create("values");
	TCase *c = tcase_create("values");

	tcase_add_test(c, three_cycles_more);
	tcase_add_test(c, three_cycles_more_for_what_memory_writes);
	tcase_add_test(c, arrays_follow_from_equal_bytes);
	tcase_add_test(c, halves_have_arrays_and_base_values_of_their_own);
	tcase_add_test(c, arrays_in_proportion);
	tcase_add_test(c, an_access_is_as_it_was_when_its_instruction_issued);
	tcase_add_test(c, counters_add_up_wherever_a_run_stops);
	tcase_add_test(c, a_warp_begins_with_nothing);
	tcase_add_test(c, a_warp_begins_with_no_scalars);
	tcase_add_test(c, a_shared_register_changes_hands_with_nothing);
	tcase_add_test(c, one_lane_executes_for_all_or_for_halves);
	tcase_add_test(c, lanes_without_a_thread_are_not_missed);
	tcase_add_test(c, a_half_without_threads_is_none);
	tcase_add_test(c, what_one_lane_executes_passes_no_compressor);
	tcase_add_test(c, one_lane_executes_for_the_active_ones);
	tcase_add_test(c, predicates_are_scalars_if_one_lane_computed_them);
	tcase_add_test(c, local_memory_is_different_in_each_lane);
	tcase_add_test(c, a_compressed_register_is_decompressed_before_some_lanes_are_written);
	tcase_add_test(c, no_move_where_every_lane_or_none_is_written);
	tcase_add_test(c, the_instruction_waits_for_its_moves);
	tcase_add_test(c, a_move_that_nobody_needs_is_left_out);
	tcase_add_test(c, a_move_costs_what_was_known_of_the_register);
	tcase_add_test(c, results_that_differ_end_the_run);
	tcase_add_test(c, what_is_proved_of_lanes_is_looked_at);
	tcase_add_test(c, what_does_not_fit_is_refused);
	suite_add_tcase(su, c);
	return su;
}

/* The core of today beside what Huerta, Shoushtary, Cruz and Gonzalez measured on real GPUs (MICRO 2025; sections and
 * listings are theirs): exact cycles, on their sequences of instructions. */
#include "test/unit/subcore_code.h"
#include "runtime-model/core/checked.h"

Suite *suite_subcore(void);

/* One warp runs these instructions, from a full buffer; the cycles from the issue of the first to that of the last. */
static cycle between(struct stream *s, const struct asm_insn *i, unsigned n)
{
	struct asm_insn all[CODE_MAX];

	ck_assert_uint_lt(n, CODE_MAX);
	all[0] = warm;
	memcpy(all + 1, i, n * sizeof *i);
	asm_kernel(s, all, n + 1);
	for (unsigned k = 0; k <= n; k++)
		stream_record(s, 0, k);
	ck_assert_msg(stream_run(s), "%s", s->d.last);
	return stream_when(s->issued, 0, n, 0) - stream_when(s->issued, 0, 1, 0);
}

/* ---- section 3, listing 1: conflicts of reads ---- */
static const struct {
	uint8_t x, y;
	cycle cycles;
} conflicts[] = { { 19, 21, 5 }, { 18, 21, 6 }, { 18, 20, 7 } };

START_TEST(reads_of_one_bank_hold_up_the_clock)
{
	const struct asm_insn code[] = {
		CLOCK(2),
		NOP,
		{ .name = "FFMA", .d = 11, .a = 10, .b = 12, .c = 14 },
		{ .name = "FFMA", .d = 13, .a = 16, .b = conflicts[_i].x, .c = conflicts[_i].y },
		NOP,
		CLOCK(4)
	};
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 6), conflicts[_i].cycles);
	stream_free(&s);
}
END_TEST

/* Ports are looked at behind issue: without an instruction between, the second clock is read in time. */
START_TEST(ports_are_no_condition_of_issue)
{
	const struct asm_insn code[] = { CLOCK(2),
					 NOP,
					 { .name = "FFMA", .d = 11, .a = 10, .b = 12, .c = 14 },
					 { .name = "FFMA", .d = 13, .a = 16, .b = 18, .c = 20 },
					 CLOCK(4) };
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 5), 4);
	stream_free(&s);
}
END_TEST

/* What is held up comes later, and so does who depends on it: the stall count of the code is still right. */
START_TEST(conflicts_do_not_change_the_stall_count)
{
	static uint32_t v[5][4 * WARP_LANES];
	const uint32_t of[5][4] = { { 0 }, { 7, 7, 9, 0 }, { 7, 7, 7, 1 }, { 7, 7, 7, 2 }, { 2, 7, 3, 0 } };
	const struct asm_insn code[] = { warm,
					 { .name = "FADD", .d = 13, .a = 10, .b = 12, .stall = 12 },
					 { .name = "FFMA", .d = 11, .a = 10, .b = 12, .c = 14 },
					 { .name = "FFMA", .d = 13, .a = 16, .b = 18, .c = 20, .stall = 4 },
					 { .name = "FADD", .d = 15, .a = 13, .b = 12 } };
	struct stream s;

	asm_machine(&s);
	asm_kernel(&s, code, 5);
	for (unsigned i = 0; i < 5; i++) {
		for (unsigned n = 0; n < 4 * WARP_LANES; n++)
			v[i][n] = of[i][n / WARP_LANES];
		stream_record(&s, 0, i)->values = v[i];
	}
	s.checked = new(&s.a, struct checked_sums);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* ---- section 4: stall counts and yield ---- */
START_TEST(a_warp_issues_when_its_stall_count_is_over)
{
	const cycle want[] = { 8, 5 };
	const uint8_t stall[] = { 4, 1 };
	const struct asm_insn code[] = { CLOCK(2),
					 NOP,
					 { .name = "FADD", .d = 11, .a = 10, .b = 13, .stall = stall[_i] },
					 { .name = "FFMA", .d = 15, .a = 11, .b = 16, .c = 17 },
					 NOP,
					 CLOCK(4) };
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 6), want[_i]);
	stream_free(&s);
}
END_TEST

/* Products of integers have 16 lanes (docs/BANKS.md), single precision as many or 32: then it has a second path, which
 * a product of integers does not close. */
static const struct {
	const char *first, *second;
	unsigned fma_cycles, apart;
} paths[] = {
	{ "FFMA", "FFMA", 1, 1 }, { "IMAD", "IMAD", 1, 2 }, { "IMAD", "FFMA", 1, 1 }, { "FFMA", "IMAD", 1, 1 },
	{ "FFMA", "FFMA", 2, 2 }, { "IMAD", "IMAD", 2, 2 }, { "IMAD", "FFMA", 2, 2 }, { "FFMA", "IMAD", 2, 2 },
};

START_TEST(a_product_of_integers_takes_two_cycles)
{
	const struct asm_insn code[] = { { .name = paths[_i].first, .d = 11, .a = 10, .b = 13, .c = 12 },
					 { .name = paths[_i].second, .d = 15, .a = 16, .b = 17, .c = 18 } };
	struct stream s;

	asm_machine(&s);
	s.p.fma_cycles = paths[_i].fma_cycles;
	ck_assert_uint_eq(between(&s, code, 2), paths[_i].apart);
	stream_free(&s);
}
END_TEST

START_TEST(a_yield_alone_is_a_bubble)
{
	const struct asm_insn code[] = { { .name = "FADD", .d = 11, .a = 10, .b = 13, .yields = 1 }, NOP };
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 2), 2);
	stream_free(&s);
}
END_TEST

START_TEST(no_stall_with_a_yield_sleeps)
{
	const struct asm_insn code[] = { { .name = "FADD", .d = 11, .a = 10, .b = 13, .yields = 1, .stall = NO_STALL },
					 NOP };
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 2), 45);
	stream_free(&s);
}
END_TEST

/* R1 = 2, R2 = 9, R2 = 3 of R1, R3 = 4 of R2, in all lanes. */
static void valued(struct stream *s, uint8_t stall)
{
	static uint32_t v[5][4 * WARP_LANES];
	const uint32_t of[5][4] = { { 0 }, { 7, 7, 2, 0 }, { 7, 7, 9, 0 }, { 2, 7, 3, 0 }, { 3, 7, 7, 4 } };
	const struct asm_insn code[] = { warm,
					 { .name = "FADD", .d = 1, .a = 10, .b = 12 },
					 { .name = "FADD", .d = 2, .a = 10, .b = 12, .stall = 12 },
					 { .name = "FADD", .d = 2, .a = 1, .b = 12, .stall = stall },
					 { .name = "FFMA", .d = 3, .a = 2, .b = 12, .c = 14 } };

	asm_machine(s);
	asm_kernel(s, code, 5);
	for (unsigned i = 0; i < 5; i++) {
		for (unsigned n = 0; n < 4 * WARP_LANES; n++)
			v[i][n] = of[i][n / WARP_LANES];
		stream_record(s, 0, i)->values = v[i];
	}
	s->checked = new(&s->a, struct checked_sums);
}

/* The hardware does not look at registers: too small a count reads what was there before. */
START_TEST(too_small_a_stall_count_is_a_wrong_value)
{
	struct stream s;

	valued(&s, 4);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	stream_free(&s);
	valued(&s, 3);
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "reads R2"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* ---- section 5.1.2: greedy, then youngest ---- */
enum { INDEPENDENT = 32, FOUR = 4 };

/* Four warps of one sub-core meet at a barrier, if they are to begin together with full buffers, and run 32 independent
 * instructions; `order` gets who issued each of the first ones. The last that came to the barrier is warp 0. */
static void four_warps(struct stream *s, const struct asm_insn *second, bool together, unsigned order[], unsigned n)
{
	struct asm_insn code[INDEPENDENT + 1];

	for (unsigned i = 0; i <= INDEPENDENT; i++)
		code[i] = (struct asm_insn){ .name = "FADD", .d = 20, .a = 10, .b = 13 };
	code[0] = (struct asm_insn){ .name = "BAR" };
	code[2] = *second;
	asm_kernel(s, code, INDEPENDENT + 1);
	for (unsigned i = !together; i <= INDEPENDENT; i++)
		stream_record(s, 0, i);
	s->warps = 4 * FOUR;
	ck_assert_msg(stream_run(s), "%s", s->d.last);
	for (unsigned i = 0, k = 0; i < n; k++)
		if (s->issued->e[k].warp % 4 == 0 && s->issued->e[k].insn)
			order[i++] = s->issued->e[k].warp / 4;
}

static const struct asm_insn plain = { .name = "FADD", .d = 20, .a = 10, .b = 13 },
			     stalls = { .name = "FADD", .d = 20, .a = 10, .b = 13, .stall = 4 },
			     yields = { .name = "FADD", .d = 20, .a = 10, .b = 13, .yields = 1 };

START_TEST(the_youngest_goes_first_and_on)
{
	unsigned order[4 * INDEPENDENT];
	struct stream s;

	asm_machine(&s);
	four_warps(&s, &plain, false, order, 4 * INDEPENDENT);
	for (unsigned i = 0; i < 4 * INDEPENDENT; i++)
		ck_assert_uint_eq(order[i], 3 - i / INDEPENDENT);
	stream_free(&s);
}
END_TEST

/* A miss of the L0 cache lets the next youngest in, which has the lines from there on. */
START_TEST(a_miss_of_instructions_passes_the_turn)
{
	unsigned order[4 * INDEPENDENT], turns[8], n = 0;
	struct stream s;

	asm_machine(&s);
	s.p.icache_sets = 8;
	s.p.prefetch_lines = 0;
	four_warps(&s, &plain, false, order, 4 * INDEPENDENT);
	for (unsigned i = 0; i < 4 * INDEPENDENT && n < 8; i++)
		if (!i || order[i] != order[i - 1])
			turns[n++] = order[i];
	ck_assert_uint_ge(n, 5);
	ck_assert_uint_eq(turns[0], 3);
	ck_assert_uint_eq(turns[1], 2);
	stream_free(&s);
}
END_TEST

/* Which warp issues when, if that is the second instruction of each. */
static void check_order(const struct asm_insn *second, const unsigned want[], unsigned n)
{
	unsigned order[4 * INDEPENDENT];
	struct stream s;

	asm_machine(&s);
	four_warps(&s, second, true, order, n);
	for (unsigned i = 0; i < n; i++)
		ck_assert_msg(order[i] == want[i], "%u: %u", i, order[i]);
	stream_free(&s);
}

START_TEST(stalls_pass_the_turn_on)
{
	const unsigned want[] = { 0, 0, 3, 3, 2, 2, 1, 1, 3 };

	check_order(&stalls, want, sizeof want / sizeof *want);
}
END_TEST

START_TEST(a_yield_passes_the_turn_on)
{
	const unsigned want[] = { 0, 0, 3, 3, 2, 2, 3, 3 };

	check_order(&yields, want, sizeof want / sizeof *want);
}
END_TEST

/* ---- matrix products ---- */
static const struct {
	const char *name;
	unsigned half_rate;
	cycle cycles;
} products[] = { { "HMMA.F16", 0, 16 }, { "HMMA.F32", 0, 16 }, { "HMMA.F16", 1, 16 }, { "HMMA.F32", 1, 32 },
		 { "IMMA", 0, 8 },      { "IMMA", 1, 8 },      { "DMMA", 0, 8 } };

/* 16 x 8 x 16 multiplications, 128 of 16 bits in a cycle; half as many where single precision adds at half rate. Those
 * of 8 bits take half as long, and 8 x 8 x 4 of 64 bits four times as long each (the artifact's formula). */
START_TEST(a_product_closes_the_tensor_core)
{
	const struct asm_insn code[] = { { .name = products[_i].name, .d = 20, .a = 4, .b = 8, .c = 12 },
					 { .name = products[_i].name, .d = 24, .a = 4, .b = 8, .c = 12 } };
	struct stream s;

	asm_machine(&s);
	s.p.mma_macs = 128;
	s.p.mma_half_rate = products[_i].half_rate;
	ck_assert_uint_eq(between(&s, code, 2), products[_i].cycles);
	stream_free(&s);
}
END_TEST

/* A, B and C are five registers of each bank, which have six cycles, two of them taken by the FFMA before; in five
 * they would have waited for both. */
START_TEST(a_product_reads_in_twice_the_window)
{
	const struct asm_insn code[] = { CLOCK(2),
					 NOP,
					 { .name = "FFMA", .d = 31, .a = 32, .b = 34, .c = 36 },
					 { .name = "HMMA.F32", .d = 20, .a = 4, .b = 8, .c = 12 },
					 NOP,
					 CLOCK(38) };
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 6), 6);
	stream_free(&s);
}
END_TEST

/* ---- section 5.3.1: the reuse cache ---- */
#define USE(n, A, B, C, keep)                                                     \
	{                                                                         \
		.name = n, .d = 40, .a = (A), .b = (B), .c = (C), .reuse = (keep) \
	}
static const struct {
	struct asm_insn code[3];
	unsigned second, third; /* operands that they find */
} reuses[] = {
	{ { USE("IADD3", 2, 3, 4, 1), USE("FFMA", 2, 7, 8, 0), USE("IADD3", 2, 12, 13, 0) }, 1, 0 },
	{ { USE("IADD3", 2, 3, 4, 1), USE("FFMA", 2, 7, 8, 1), USE("IADD3", 2, 12, 13, 0) }, 1, 1 },
	{ { USE("IADD3", 2, 3, 4, 1), USE("FFMA", 7, 2, 8, 0), USE("IADD3", 2, 12, 13, 0) }, 0, 1 },
	{ { USE("IADD3", 2, 3, 4, 1), USE("FFMA", 4, 7, 8, 0), USE("IADD3", 2, 12, 13, 0) }, 0, 0 },
	/* not the paper's: what is written is forgotten */
	{ { USE("IADD3", 2, 3, 4, 1), { .name = "FADD", .d = 2, .a = 7, .b = 9 }, USE("IADD3", 2, 12, 13, 0) }, 0, 0 },
	{ { USE("IADD3", 2, 3, 4, 1), { .name = "FADD", .d = 6, .a = 7, .b = 9 }, USE("IADD3", 2, 12, 13, 0) }, 0, 1 },
};

START_TEST(the_reuse_cache_keeps_and_gives_up)
{
	for (unsigned n = 2; n <= 3; n++) {
		struct stream s;

		asm_machine(&s);
		between(&s, reuses[_i].code, n);
		ck_assert_uint_eq(s.st.reuse_cache_reads, reuses[_i].second + (n == 3 ? reuses[_i].third : 0));
		ck_assert_uint_eq(s.st.rf_operand_reads + s.st.reuse_cache_reads, s.st.operand_reads);
		stream_free(&s);
	}
}
END_TEST

/* ---- section 5.4, table 1: memory instructions of 1 to 4 sub-cores ---- */
static const struct {
	unsigned subs, sub;
	cycle sixth, seventh, eighth;
} back_to_back[] = {
	{ 1, 0, 13, 17, 21 }, { 2, 0, 13, 17, 21 }, { 2, 1, 15, 19, 23 }, { 3, 0, 13, 19, 25 }, { 3, 1, 15, 21, 27 },
	{ 3, 2, 17, 23, 29 }, { 4, 0, 13, 21, 29 }, { 4, 1, 15, 23, 31 }, { 4, 2, 17, 25, 33 }, { 4, 3, 19, 27, 35 },
};

START_TEST(memory_instructions_wait_for_their_queue)
{
	struct asm_insn code[10];
	cycle first;
	struct stream s;

	asm_machine(&s);
	code[0] = warm;
	for (unsigned i = 1; i < 10; i++)
		code[i] = (struct asm_insn){ .name = "LDG", .d = (uint8_t)(20 + i), .a = 2, .sets = 1 };
	asm_kernel(&s, code, 10);
	for (unsigned i = 0; i < 10; i++)
		stream_record(&s, 0, i);
	s.warps = back_to_back[_i].subs;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	first = stream_when(s.issued, back_to_back[_i].sub, 1, 0);
	for (unsigned i = 1; i < 5; i++)
		ck_assert_uint_eq(stream_when(s.issued, back_to_back[_i].sub, 1 + i, 0) - first, i);
	/* the paper's cycles begin with 2 */
	ck_assert_uint_eq(stream_when(s.issued, back_to_back[_i].sub, 6, 0) - first + 2, back_to_back[_i].sixth);
	ck_assert_uint_eq(stream_when(s.issued, back_to_back[_i].sub, 7, 0) - first + 2, back_to_back[_i].seventh);
	ck_assert_uint_eq(stream_when(s.issued, back_to_back[_i].sub, 8, 0) - first + 2, back_to_back[_i].eighth);
	stream_free(&s);
}
END_TEST

/* What a full queue is called depends on what would enter it. */
START_TEST(a_full_queue_has_the_name_of_its_access)
{
	static const struct {
		const char *name;
		enum stall why;
	} of[] = { { "LDG", STALL_LG }, { "STG", STALL_LG }, { "LDS", STALL_MIO }, { "MUFU", STALL_MIO } };

	for (unsigned n = 0; n < sizeof of / sizeof *of; n++) {
		struct asm_insn code[20];
		struct stream s;

		for (unsigned i = 0; i < 20; i++)
			code[i] = (struct asm_insn){ .name = of[n].name, .d = 20, .a = 2, .b = 4 };
		asm_machine(&s);
		between(&s, code, 20);
		ck_assert_uint_gt(s.st.slots[of[n].why], 10);
		ck_assert_uint_eq(s.st.slots[of[n].why == STALL_LG ? STALL_MIO : STALL_LG], 0);
		stream_free(&s);
	}
}
END_TEST

/* ---- section 5.4, table 2: until sources may be overwritten, until the result may be read; 0: there is none ---- */
enum { NOTHING, A_LINE, PASSES_1, PASSES_2, PASSES_4, A_CONSTANT };
static const struct {
	const char *name;
	uint8_t address; /* a register, or RZ: it is uniform */
	uint8_t touches;
	cycle war, raw;
} latencies[] = {
	{ "LDG", RZ, A_LINE, 9, 29 },      { "LDG.64", RZ, A_LINE, 9, 31 },   { "LDG.128", RZ, A_LINE, 9, 35 },
	{ "LDG", 2, A_LINE, 11, 32 },      { "LDG.64", 2, A_LINE, 11, 34 },   { "LDG.128", 2, A_LINE, 11, 38 },
	{ "STG", RZ, A_LINE, 10, 0 },      { "STG.64", RZ, A_LINE, 12, 0 },   { "STG.128", RZ, A_LINE, 16, 0 },
	{ "STG", 2, A_LINE, 14, 0 },       { "STG.64", 2, A_LINE, 16, 0 },    { "STG.128", 2, A_LINE, 20, 0 },
	{ "LDS", RZ, PASSES_1, 9, 23 },    { "LDS.64", RZ, PASSES_2, 9, 23 }, { "LDS.128", RZ, PASSES_4, 9, 25 },
	{ "LDS", 2, PASSES_1, 9, 24 },     { "LDS.64", 2, PASSES_2, 9, 24 },  { "LDS.128", 2, PASSES_4, 9, 26 },
	{ "STS", RZ, PASSES_1, 10, 0 },    { "STS.64", RZ, PASSES_2, 12, 0 }, { "STS.128", RZ, PASSES_4, 16, 0 },
	{ "STS", 2, PASSES_1, 12, 0 },     { "STS.64", 2, PASSES_2, 14, 0 },  { "STS.128", 2, PASSES_4, 18, 0 },
	{ "LDC", RZ, A_CONSTANT, 10, 26 }, { "LDC", 2, A_CONSTANT, 29, 29 },  { "LDGSTS", 2, A_LINE, 13, 39 },
	{ "SHFL", 2, NOTHING, 9, 24 }, /* artifact: 23 to 24 */
};

static void touch(struct stream_record *r, unsigned what)
{
	static const uint8_t passes[] = { [PASSES_1] = 1, [PASSES_2] = 2, [PASSES_4] = 4 };

	if (what == NOTHING)
		return;
	if (what == A_LINE)
		stream_line(r, 1 << 20, 15);
	else if (what == A_CONSTANT)
		r->line[r->nline++] = (uint64_t)SP_CONST << 56 | 1;
	else
		r->line[r->nline++] = (uint64_t)SP_SHARED << 56 | passes[what];
}

/* A load that brings the line, time for it to come, and the instruction; then one that waits for `board`. */
static cycle latency(unsigned row, bool war)
{
	const struct asm_insn code[] = {
		warm,
		{ .name = "LDG", .d = 30, .a = 2, .sets = 3, .stall = 2 },
		{ .name = "FADD", .d = 31, .a = 32, .b = 33, .waits = 4, .stall = 15 },
		{ .name = latencies[row].name,
		  .d = 20,
		  .a = latencies[row].address,
		  .b = 24,
		  .sets = war ? 0 : 1,
		  .reads = war ? 1 : 0,
		  .stall = 2 },
		{ .name = "FADD", .d = 36, .a = 37, .b = 38, .waits = 1 },
	};
	struct stream s;
	cycle c;

	asm_machine(&s);
	asm_kernel(&s, code, 5);
	for (unsigned i = 0; i < 5; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i == 1)
			stream_line(r, 1 << 20, 15);
		if (i == 3)
			touch(r, latencies[row].touches);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	c = stream_when(s.issued, 0, 4, 0) - stream_when(s.issued, 0, 3, 0);
	stream_free(&s);
	return c;
}

START_TEST(sources_and_results_take_what_was_measured)
{
	const cycle war = latency((unsigned)_i, true), raw = latencies[_i].raw ? latency((unsigned)_i, false) : 0;

	ck_assert_msg(war == latencies[_i].war && raw == latencies[_i].raw,
		      "%s, address %u: %lu and %lu, not %lu and %lu", latencies[_i].name, latencies[_i].address, war,
		      raw, latencies[_i].war, latencies[_i].raw);
}
END_TEST

/* ---- code of ours ---- */
static const struct control_code stalls_15 = { .stall = 15, .wbar = NO_BARRIER, .rbar = NO_BARRIER };
static const struct control_code reads_0 = { .stall = 2, .wbar = NO_BARRIER, .rbar = 0 };
static const struct control_code writes_0 = { .stall = 2, .wbar = 0, .rbar = NO_BARRIER };
static const struct control_code waits_0 = { .stall = 1, .wbar = NO_BARRIER, .rbar = NO_BARRIER, .wait = 1 };

enum { IMMEDIATE = -2 };
static const struct {
	enum op op;
	enum space space;
	int d, data;
	uint8_t touches;
	cycle war;
} compiled[] = {
	{ OP_LD_B32, SP_GLOBAL, 8, -1, A_LINE, 11 },
	{ OP_ST_B32, SP_GLOBAL, -1, 4, A_LINE, 14 },
	{ OP_ST_B64, SP_GLOBAL, -1, 4, A_LINE, 16 },
	{ OP_ST_B32, SP_GLOBAL, -1, IMMEDIATE, A_LINE, 14 }, /* machine code has a register for it */
	{ OP_LD_B32, SP_SHARED, 8, -1, PASSES_1, 9 },
	{ OP_ST_B32, SP_SHARED, -1, 4, PASSES_1, 12 },
	{ OP_ATOM_ADD_U32, SP_SHARED, 8, 4, PASSES_1, 9 }, /* nobody has measured it: as a load */
};

/* An access has read its sources when that of machine code has, with an address by lane: table 2. */
START_TEST(compiled_accesses_read_when_machine_code_does)
{
	const struct control_code code[] = { stalls_15, reads_0, waits_0 };
	struct stream s;
	uint32_t n;

	asm_machine(&s);
	s.k->control = code;
	stream_insn(&s, OP_ADD_S32, 9, 10, 11, -1);
	n = stream_memory(&s, compiled[_i].op, compiled[_i].space, compiled[_i].d, 2, compiled[_i].data);
	if (compiled[_i].data == IMMEDIATE) {
		const struct ref imm = ir_imm(s.k, 5);

		insn_src(s.k, &s.k->insn[n])[1] = imm;
	}
	stream_insn(&s, OP_ADD_S32, 9, 10, 11, -1);
	stream_straight(&s, 0);
	touch(&s.rec[0][1], compiled[_i].touches);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(stream_when(s.issued, 0, 2, 0) - stream_when(s.issued, 0, 1, 0), compiled[_i].war);
	stream_free(&s);
}
END_TEST

/* What acquires and releases an extended set enters no pipeline, and waits for barriers as all else does. */
START_TEST(sections_wait_for_their_barriers)
{
	for (unsigned waits = 1; waits < 3; waits++) {
		const struct control_code code[] = { stalls_15, writes_0, waits == 1 ? waits_0 : stalls_15,
						     waits == 2 ? waits_0 : stalls_15, stalls_15 };
		struct stream s;

		asm_machine(&s);
		s.k->res.regs = 16;
		s.k->base_regs = 8;
		s.k->control = code;
		ck_assert_msg(rf_config_parse(&s.rf, "regmutex", &s.p, &s.d), "%s", s.d.last);
		stream_insn(&s, OP_ADD_S32, 5, 6, 7, -1);
		stream_memory(&s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
		stream_insn(&s, OP_RF_ACQUIRE, -1, -1, -1, -1);
		stream_insn(&s, OP_RF_RELEASE, -1, -1, -1, -1);
		stream_insn(&s, OP_ADD_S32, 5, 6, 7, -1);
		stream_straight(&s, 0);
		stream_line(&s.rec[0][1], 1 << 20, 15);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_ge(stream_when(s.issued, 0, 1 + waits, 0), stream_when(s.finished, 0, 1, 0));
		ck_assert_uint_lt(stream_when(s.issued, 0, waits, 0), stream_when(s.finished, 0, 1, 0));
		stream_free(&s);
	}
}
END_TEST

/* ---- section 5.4: constants ---- */
START_TEST(a_constant_operand_that_misses_takes_79_cycles)
{
	const struct asm_insn code[] = { { .name = "FADD c", .d = 20, .a = 10, .stall = 15 },
					 { .name = "FADD c", .d = 21, .a = 10 },
					 NOP };
	cycle hit, missed;
	struct stream s;

	asm_machine(&s);
	s.p.l0c_sets = 4;
	s.p.l1i_sets = 0; /* the level behind has it */
	hit = between(&s, code, 3);
	missed = stream_when(s.issued, 0, 1, 0);
	stream_free(&s);
	ck_assert_uint_eq(hit, 16);
	asm_machine(&s);
	between(&s, code, 3);
	ck_assert_uint_eq(missed - stream_when(s.issued, 0, 1, 0), 79);
	stream_free(&s);
}
END_TEST

/* A miss keeps the sub-core for four cycles: the other warp issues in the fifth behind the last of the first. */
START_TEST(a_constant_operand_that_misses_holds_the_sub_core)
{
	struct asm_insn code[INDEPENDENT + 1];
	cycle last, next;
	struct stream s;

	for (unsigned i = 0; i < INDEPENDENT; i++)
		code[i] = (struct asm_insn){ .name = "FADD", .d = 20, .a = 10, .b = 13 };
	code[0] = (struct asm_insn){ .name = "BAR" };
	code[INDEPENDENT] = (struct asm_insn){ .name = "FADD c", .d = 20, .a = 10 };
	asm_machine(&s);
	s.p.l0c_sets = 4;
	s.p.l1i_sets = 0;
	s.warps = 8;
	asm_kernel(&s, code, INDEPENDENT + 1);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	last = stream_when(s.issued, 4, INDEPENDENT - 1, 0);
	next = stream_when(s.issued, 0, 1, 0);
	if (next < last) {
		last = stream_when(s.issued, 0, INDEPENDENT - 1, 0);
		next = stream_when(s.issued, 4, 1, 0);
	}
	ck_assert_uint_eq(next - last, 5);
	stream_free(&s);
}
END_TEST

/* ---- section 7.5: a scoreboard instead of control codes ---- */
/* The writer of an address waits until the load has read it, and a second reader for room, if there is a limit. */
START_TEST(a_scoreboard_counts_readers)
{
	const struct asm_insn writes[] = { { .name = "LDG", .d = 20, .a = 2 },
					   { .name = "FADD", .d = 2, .a = 10, .b = 13 } },
			      reads[] = { { .name = "LDG", .d = 20, .a = 2 }, { .name = "LDG", .d = 22, .a = 2 } };
	cycle behind[2];
	struct stream s;

	asm_machine(&s);
	s.p.dependences = 1;
	ck_assert_uint_eq(between(&s, writes, 2), 11); /* as with a control code, table 2 */
	stream_free(&s);
	for (unsigned limit = 0; limit < 2; limit++) {
		asm_machine(&s);
		s.p.dependences = 1;
		s.p.scoreboard_readers = limit;
		behind[limit] = between(&s, reads, 2);
		stream_free(&s);
	}
	ck_assert_uint_eq(behind[0], 1);
	ck_assert_uint_ge(behind[1], 9);
}
END_TEST

/* Instructions of fixed latency are readers until their window of three cycles is over, five behind issue; who writes
 * waits, and who reads for room. */
START_TEST(readers_of_fixed_latency_count)
{
	static const struct {
		struct asm_insn second;
		unsigned limit, behind;
	} row[] = {
		{ { .name = "FADD", .d = 22, .a = 2, .b = 15 }, 0, 1 },
		{ { .name = "FADD", .d = 22, .a = 2, .b = 15 }, 1, 5 },
		{ { .name = "FADD", .d = 22, .a = 2, .b = 15 }, 2, 1 },
		{ { .name = "FADD", .d = 22, .a = 4, .b = 15 }, 1, 1 },
		{ { .name = "FADD", .d = 2, .a = 4, .b = 15 }, 0, 5 },
	};
	const struct asm_insn code[] = { { .name = "FADD", .d = 20, .a = 2, .b = 13 }, row[_i].second };
	struct stream s;

	asm_machine(&s);
	s.p.dependences = 1;
	s.p.scoreboard_readers = row[_i].limit;
	ck_assert_uint_eq(between(&s, code, 2), row[_i].behind);
	stream_free(&s);
}
END_TEST

/* Codes that let FADD write R2 while the queue of a slow unit has yet to read it. Where a register moves when it is
 * written, the result waits until the last has read, cycles that count as one wait; else nothing holds it. */
START_TEST(a_register_that_moves_waits_for_its_readers)
{
	static const char *const rf[] = { "baseline", "first-fit" };
	const struct asm_insn code[] = { { .name = "MUFU", .d = 20, .b = 2 },
					 { .name = "MUFU", .d = 22, .b = 2 },
					 { .name = "MUFU", .d = 24, .b = 2 },
					 { .name = "FADD", .d = 2, .a = 10, .b = 13 } };
	cycle written[2];

	for (unsigned n = 0; n < 2; n++) {
		struct stream s;

		asm_machine(&s);
		ck_assert(rf_config_parse(&s.rf, rf[n], &s.p, &s.d));
		between(&s, code, 4);
		ck_assert_uint_eq(s.st.war_waits, n);
		written[n] = stream_when(s.finished, 0, 4, 0);
		stream_free(&s);
	}
	ck_assert_uint_gt(written[1], written[0] + 1);
}
END_TEST

/* It hears of a result as it is there, two cycles later than a control code lets a reader go; readers of some units
 * need a cycle more, and a guard is there 13 cycles behind its comparison. */
static const struct {
	const char *writer, *reader;
	cycle cycles;
} ways[] = { { "FADD", "FADD", 4 + 2 },
	     { "FADD", "IADD3", 5 + 2 },
	     { "IADD3", "IADD3", 4 + 2 },
	     { "IADD3", "FADD", 5 + 2 },
	     { "ISETP", "FADD P0", 13 } };

START_TEST(a_scoreboard_knows_the_way_of_a_result)
{
	const struct asm_insn code[] = { { .name = ways[_i].writer, .d = 20, .a = 11, .b = 13, .c = RZ },
					 { .name = ways[_i].reader, .d = 22, .a = 20, .b = 15, .c = RZ } };
	struct stream s;

	asm_machine(&s);
	s.p.dependences = 1;
	ck_assert_uint_eq(between(&s, code, 2), ways[_i].cycles);
	stream_free(&s);
}
END_TEST

/* Listing 3: a load reads what has been written, and has no bypass. */
START_TEST(an_address_is_written_before_it_is_read)
{
	static const uint32_t zero[8 * WARP_LANES];

	for (uint8_t stall = 4; stall <= 5; stall++) {
		const struct asm_insn code[] = { warm,
						 { .name = "MOV", .d = 2, .b = 10, .stall = stall },
						 { .name = "LDG", .d = 20, .a = 2, .sets = 1 } };
		struct stream s;

		asm_machine(&s);
		asm_kernel(&s, code, 3);
		for (unsigned i = 0; i < 3; i++)
			stream_record(&s, 0, i)->values = zero;
		stream_line(&s.rec[0][2], 1 << 20, 15);
		s.checked = new(&s.a, struct checked_sums);
		ck_assert_msg(stream_run(&s) == (stall == 5), "stall %u: %s", stall, s.d.last);
		if (stall == 4)
			ck_assert_msg(strstr(s.d.last, "before it is written"), "%s", s.d.last);
		stream_free(&s);
	}
}
END_TEST

/* ---- section 5.3: results ---- */
/* HADD2 takes a cycle more than the FFMA behind it, so that both results come in one cycle: neither reader is late. */
START_TEST(results_of_one_cycle_delay_nobody)
{
	const struct asm_insn code[] = { { .name = "HADD2", .d = 20, .a = 11 },
					 { .name = "FFMA", .d = 22, .a = 13, .b = 15, .c = 17, .stall = 4 },
					 { .name = "FADD", .d = 30, .a = 20, .b = 33 },
					 { .name = "FADD", .d = 32, .a = 22, .b = 35 },
					 NOP };
	struct stream s;

	asm_machine(&s);
	ck_assert_uint_eq(between(&s, code, 5), 7);
	ck_assert_uint_eq(s.st.rf_write_conflicts, 1);
	stream_free(&s);
}
END_TEST

/* A load whose bank a fixed-latency result takes in its cycle comes a cycle later. */
START_TEST(a_load_gives_way_to_a_result)
{
	cycle seen[2];

	for (unsigned n = 0; n < 2; n++) {
		/* LDS is there 24 cycles behind its issue; FADD writes 10 behind its own, the same bank or the other */
		const struct asm_insn code[] = { { .name = "LDS", .d = 20, .a = 2, .sets = 1, .stall = 14 },
						 { .name = "FADD", .d = (uint8_t)(n ? 22 : 23), .a = 10, .b = 13 },
						 { .name = "FADD", .d = 24, .a = 20, .b = 13, .waits = 1 } };
		struct asm_insn all[4] = { warm };
		struct stream s;

		memcpy(all + 1, code, sizeof code);
		asm_machine(&s);
		asm_kernel(&s, all, 4);
		for (unsigned i = 0; i < 4; i++)
			if (i == 1)
				touch(stream_record(&s, 0, i), PASSES_1);
			else
				stream_record(&s, 0, i);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		seen[n] = stream_when(s.issued, 0, 3, 0) - stream_when(s.issued, 0, 1, 0);
		stream_free(&s);
	}
	ck_assert_uint_eq(seen[0], 24);
	ck_assert_uint_eq(seen[1], 25);
}
END_TEST

Suite *suite_subcore(void)
{
	Suite *s = suite_create("subcore");
	TCase *t = tcase_create("published experiments");

	tcase_add_loop_test(t, reads_of_one_bank_hold_up_the_clock, 0, LOOP(conflicts));
	tcase_add_test(t, ports_are_no_condition_of_issue);
	tcase_add_test(t, conflicts_do_not_change_the_stall_count);
	tcase_add_loop_test(t, a_warp_issues_when_its_stall_count_is_over, 0, 2);
	tcase_add_loop_test(t, a_product_of_integers_takes_two_cycles, 0, LOOP(paths));
	tcase_add_test(t, a_yield_alone_is_a_bubble);
	tcase_add_test(t, no_stall_with_a_yield_sleeps);
	tcase_add_test(t, too_small_a_stall_count_is_a_wrong_value);
	tcase_add_test(t, the_youngest_goes_first_and_on);
	tcase_add_test(t, a_miss_of_instructions_passes_the_turn);
	tcase_add_test(t, stalls_pass_the_turn_on);
	tcase_add_test(t, a_yield_passes_the_turn_on);
	tcase_add_loop_test(t, the_reuse_cache_keeps_and_gives_up, 0, LOOP(reuses));
	tcase_add_loop_test(t, memory_instructions_wait_for_their_queue, 0, LOOP(back_to_back));
	tcase_add_loop_test(t, sources_and_results_take_what_was_measured, 0, LOOP(latencies));
	tcase_add_loop_test(t, compiled_accesses_read_when_machine_code_does, 0, LOOP(compiled));
	tcase_add_test(t, sections_wait_for_their_barriers);
	tcase_add_test(t, a_full_queue_has_the_name_of_its_access);
	tcase_add_test(t, a_constant_operand_that_misses_takes_79_cycles);
	tcase_add_test(t, a_constant_operand_that_misses_holds_the_sub_core);
	tcase_add_loop_test(t, a_product_closes_the_tensor_core, 0, LOOP(products));
	tcase_add_test(t, a_product_reads_in_twice_the_window);
	tcase_add_test(t, a_scoreboard_counts_readers);
	tcase_add_loop_test(t, readers_of_fixed_latency_count, 0, 5);
	tcase_add_loop_test(t, a_scoreboard_knows_the_way_of_a_result, 0, LOOP(ways));
	tcase_add_test(t, a_register_that_moves_waits_for_its_readers);
	tcase_add_test(t, an_address_is_written_before_it_is_read);
	tcase_add_test(t, results_of_one_cycle_delay_nobody);
	tcase_add_test(t, a_load_gives_way_to_a_result);
	suite_add_tcase(s, t);
	return s;
}

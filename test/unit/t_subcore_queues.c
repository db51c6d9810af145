/* What the core of today does where nobody measured: copies to shared memory, queues at their ends, units that
 * sub-cores share, fences, counters. */
#include "test/unit/subcore_code.h"

Suite *suite_subcore_queues(void);

/* ---- copies to shared memory ---- */
enum { HERE = 1 << 20, ELSEWHERE = 1 << 21, FURTHER = 1 << 22 };

/* Runs n instructions, each with its line; 0: it touches none. */
static void run_lines(struct stream *s, const struct asm_insn *code, const uint64_t *line, unsigned n)
{
	asm_kernel(s, code, n);
	for (unsigned i = 0; i < n; i++) {
		struct stream_record *r = stream_record(s, 0, i);

		if (line[i])
			stream_line(r, line[i], 15);
	}
	ck_assert_msg(stream_run(s), "%s", s->d.last);
}

/* The copy of the second group finds its line in the L1 and comes long before that of the first, which DEPBAR waits
 * for, under a scoreboard, too, which does not look at stall counts. */
START_TEST(a_group_waits_for_its_own_copies)
{
	const struct asm_insn code[] = { warm,
					 { .name = "LDG", .d = 30, .a = 2, .sets = 3, .stall = 2 },
					 { .name = "FADD", .d = 31, .a = 32, .b = 33, .waits = 4, .stall = 15 },
					 { .name = "LDGSTS", .d = 20, .a = 2 },
					 { .name = "LDGDEPBAR", .sets = 1 },
					 { .name = "LDGSTS", .d = 20, .a = 2 },
					 { .name = "LDGDEPBAR", .sets = 1, .stall = 2 },
					 { .name = "DEPBAR", .stall = 4 },
					 NOP };
	const uint64_t line[] = { [1] = HERE, [3] = ELSEWHERE, [5] = HERE, [8] = 0 };
	struct stream s;

	asm_machine(&s);
	s.p.dependences = (uint32_t)_i;
	run_lines(&s, code, line, 9);
	ck_assert_uint_lt(stream_when(s.finished, 0, 5, 0), stream_when(s.finished, 0, 3, 0));
	ck_assert_uint_gt(stream_when(s.issued, 0, 7, 0), stream_when(s.finished, 0, 3, 0));
	ck_assert_uint_ge(stream_when(s.finished, 0, 6, 0), stream_when(s.finished, 0, 4, 0));
	stream_free(&s);
}
END_TEST

/* Two loads raise one barrier, and the second finds its line in the L1. DEPBAR leaves one of them outstanding. */
START_TEST(a_wait_for_a_count_leaves_the_rest)
{
	const struct asm_insn code[] = { warm,
					 { .name = "LDG", .d = 30, .a = 2, .sets = 3, .stall = 2 },
					 { .name = "FADD", .d = 31, .a = 32, .b = 33, .waits = 4, .stall = 15 },
					 { .name = "LDG", .d = 20, .a = 2, .sets = 1 },
					 { .name = "LDG", .d = 22, .a = 2, .sets = 1, .stall = 2 },
					 { .name = "DEPBAR", .stall = 4 },
					 NOP };
	const uint64_t line[] = { [1] = HERE, [3] = ELSEWHERE, [4] = HERE, [6] = 0 };
	struct stream s;

	asm_machine(&s);
	run_lines(&s, code, line, 7);
	ck_assert_uint_ge(stream_when(s.issued, 0, 5, 0), stream_when(s.finished, 0, 4, 0));
	ck_assert_uint_lt(stream_when(s.issued, 0, 5, 0), stream_when(s.finished, 0, 3, 0));
	stream_free(&s);
}
END_TEST

/* However many groups there are, the last waits for its copy. */
START_TEST(groups_are_not_limited)
{
	enum { GROUPS = 24 };
	struct asm_insn code[2 + 2 * GROUPS] = { warm };
	struct stream s;

	for (unsigned i = 0; i < GROUPS; i++) {
		code[1 + 2 * i] = (struct asm_insn){ .name = "LDGSTS", .d = 20, .a = 2 };
		code[2 + 2 * i] = (struct asm_insn){ .name = "LDGDEPBAR", .sets = 1, .stall = 2 };
	}
	code[1 + 2 * GROUPS] = (struct asm_insn){ .name = "NOP", .waits = 1 };
	asm_machine(&s);
	asm_kernel(&s, code, 2 + 2 * GROUPS);
	for (unsigned i = 0; i < 2 + 2 * GROUPS; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i % 2 && i <= 2 * GROUPS)
			stream_line(r, i < 2 * GROUPS - 1 ? HERE : FURTHER, 15);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(stream_when(s.issued, 0, 1 + 2 * GROUPS, 0), stream_when(s.finished, 0, 2 * GROUPS - 1, 0));
	stream_free(&s);
}
END_TEST

/* ---- queues at their ends ---- */
/* One sub-core has all warps of its SM: hits of 128 bits leave every two cycles and take eight of its link each. */
START_TEST(results_wait_for_the_link_however_long)
{
	enum { LOADS = 30, WARPS = 16, N = 3 + LOADS };
	struct asm_insn code[N] = { warm,
				    { .name = "LDG", .d = 30, .a = RZ, .sets = 3, .stall = 2 },
				    { .name = "FADD", .d = 31, .a = 32, .b = 33, .waits = 4 } };
	cycle first = 0, last = 0;
	struct stream s;

	for (unsigned i = 3; i < N; i++)
		code[i] = (struct asm_insn){ .name = "LDG.128", .d = 20, .a = RZ, .sets = 1 };
	asm_machine(&s);
	s.p.schedulers = 1;
	s.p.rf_banks = 2;
	s.warps = WARPS;
	asm_kernel(&s, code, N);
	for (unsigned i = 0; i < N; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i == 1 || i > 2)
			stream_line(r, HERE, 1);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 0; i < s.finished->n; i++)
		if (s.finished->e[i].insn > 2) {
			first = first ? first : s.finished->e[i].at;
			last = s.finished->e[i].at;
		}
	ck_assert_uint_ge(last - first, (LOADS * WARPS - 2) * 8);
	stream_free(&s);
}
END_TEST

/* A barrier counts to 63: who would be the next waits until one of them has come. */
START_TEST(a_barrier_of_dependence_counts_to_63)
{
	enum { LOADS = 64, N = 1 + LOADS };
	struct asm_insn code[N] = { warm };
	cycle first = UINT64_MAX;
	struct stream s;

	for (unsigned i = 1; i < N; i++)
		code[i] = (struct asm_insn){ .name = "LDG", .d = 20, .a = 2, .sets = 1 };
	asm_machine(&s);
	asm_kernel(&s, code, N);
	for (unsigned i = 0; i < N; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i)
			stream_line(r, HERE, 1);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 1; i < N; i++)
		if (stream_when(s.finished, 0, i, 0) < first)
			first = stream_when(s.finished, 0, i, 0);
	ck_assert_uint_lt(stream_when(s.issued, 0, LOADS - 1, 0), first);
	ck_assert_uint_ge(stream_when(s.issued, 0, LOADS, 0), first);
	stream_free(&s);
}
END_TEST

/* The shared part is closed while shared memory makes its passes: who comes from another sub-core waits for all of
 * them. */
START_TEST(passes_of_shared_memory_close_the_shared_part)
{
	const struct asm_insn code[] = { warm,
					 { .name = "LDS", .d = 20, .a = 2, .sets = 1, .stall = 2 },
					 { .name = "NOP", .waits = 1 } };
	cycle apart[2];

	for (unsigned n = 0; n < 2; n++) {
		const unsigned passes = n ? 16 : 2;
		struct stream s;
		cycle at[2];

		asm_machine(&s);
		s.warps = 2;
		asm_kernel(&s, code, 3);
		for (unsigned i = 0; i < 3; i++) {
			struct stream_record *r = stream_record(&s, 0, i);

			if (i == 1)
				r->line[r->nline++] = (uint64_t)SP_SHARED << 56 | passes;
		}
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		for (unsigned w = 0; w < 2; w++)
			at[w] = stream_when(s.finished, w, 1, 0);
		apart[n] = at[0] > at[1] ? at[0] - at[1] : at[1] - at[0];
		stream_free(&s);
	}
	ck_assert_uint_eq(apart[0], 2);
	ck_assert_uint_eq(apart[1], 16);
}
END_TEST

/* A load whose line finds no room among those that have been asked for stays in the shared part, and holds up what
 * comes behind it, until the one before has its line. */
START_TEST(what_cannot_be_sent_holds_up_the_shared_part)
{
	const struct asm_insn code[] = { warm,
					 { .name = "LDG", .d = 20, .a = 2, .sets = 1 },
					 { .name = "LDG", .d = 22, .a = 2, .sets = 1 },
					 { .name = "LDG", .d = 24, .a = 2, .sets = 1 },
					 { .name = "LDS", .d = 26, .a = 2, .sets = 1, .stall = 2 },
					 { .name = "NOP", .waits = 1 } };
	struct stream s;

	asm_machine(&s);
	s.p.l1_mshrs = 1;
	asm_kernel(&s, code, 6);
	for (unsigned i = 0; i < 6; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i && i < 4)
			stream_line(r, HERE + i, 15);
		else if (i == 4)
			r->line[r->nline++] = (uint64_t)SP_SHARED << 56 | 1;
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 2; i < 4; i++)
		ck_assert_uint_gt(stream_when(s.finished, 0, i, 0) - stream_when(s.finished, 0, i - 1, 0),
				  s.p.l2_latency);
	ck_assert_uint_gt(stream_when(s.finished, 0, 4, 0) - stream_when(s.finished, 0, 1, 0), s.p.l2_latency);
	stream_free(&s);
}
END_TEST

/* There are places for 8 lines of each instruction in flight that wait for the L2, 4096, and who has its line gives its
 * place back: more loads than that miss, one behind the other. */
START_TEST(places_to_wait_for_a_line_are_given_back)
{
	enum { LOADS = 70, LINES = 4, WARPS = 48, N = 1 + LOADS };
	struct asm_insn code[N] = { warm };
	struct stream s;

	for (unsigned i = 1; i < N; i++)
		code[i] = (struct asm_insn){ .name = "LDG", .d = 20, .a = 2, .sets = 1, .waits = 1 };
	asm_machine(&s);
	s.warps = WARPS;
	s.max_cycles = 1000000;
	asm_kernel(&s, code, N);
	for (unsigned i = 0; i < N; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		for (unsigned l = 0; i && l < LINES; l++)
			stream_line(r, HERE + LINES * i + l, 15);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.stopped.why, STOP_NOT);
	ck_assert_uint_eq(s.finished->n, WARPS * N);
	ck_assert_uint_gt(s.st.l1_read_misses + s.st.l1_read_merges, 4096);
	stream_free(&s);
}
END_TEST

/* ---- caches ---- */
/* KB of shared memory of a kernel, and the ways that are left: what is free of 128 KB for so many lines in each of 64
 * sets, after a configuration of 0, 8, 16, 32, 64 or 100 KB. */
static const struct {
	uint32_t kb;
	unsigned ways;
} carved[] = { { 0, 16 }, { 8, 15 }, { 9, 14 }, { 32, 12 }, { 64, 8 }, { 65, 3 } };

/* So many lines of one set stay in the L1, so that they hit when they are loaded again. Of one more none does: each
 * comes when it is the oldest, and has gone. */
START_TEST(shared_memory_is_cut_out_of_the_l1)
{
	enum { SETS = 64 };

	for (unsigned more = 0; more < 2; more++) {
		const unsigned lines = carved[_i].ways + more;
		struct asm_insn code[CODE_MAX] = { warm };
		struct stream s;

		for (unsigned i = 1; i <= 2 * lines; i++)
			code[i] = (struct asm_insn){ .name = "LDG", .d = 20, .a = 2, .sets = 1, .waits = 1 };
		asm_machine(&s);
		s.p.carveout = 86;
		s.p.l1_array_bytes = 128 * 1024;
		s.shared_bytes = carved[_i].kb * 1024;
		s.p.shared_bytes = 100 * 1024;
		s.p.ctas_per_sm = 1;
		asm_kernel(&s, code, 1 + 2 * lines);
		for (unsigned i = 0; i <= 2 * lines; i++) {
			struct stream_record *r = stream_record(&s, 0, i);

			if (i)
				stream_line(r, HERE + (i - 1) % lines * SETS, 15);
		}
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_eq(s.st.l1_read_hits, more ? 0 : lines);
		stream_free(&s);
	}
}
END_TEST

/* Local memory is written through, and kept: who loads what its warp has stored finds it in the L1. A line of global
 * memory that is stored is not. */
START_TEST(a_line_of_local_memory_is_kept_when_it_is_stored)
{
	const struct asm_insn code[] = { warm,
					 { .name = "STG", .a = 2, .b = 4, .stall = 15 },
					 { .name = "LDG", .d = 20, .a = 2, .sets = 1, .stall = 2 },
					 { .name = "NOP", .waits = 1 } };

	for (unsigned local = 0; local < 2; local++) {
		struct stream s;

		asm_machine(&s);
		s.local_lines = local;
		asm_kernel(&s, code, 4);
		for (unsigned i = 0; i < 4; i++) {
			struct stream_record *r = stream_record(&s, 0, i);

			if (i == 1 || i == 2)
				stream_line(r, local ? LOCAL_LINES : HERE, 15);
		}
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_eq(s.st.l1_read_hits, local);
		ck_assert_uint_eq(s.st.sent_writes, 1);
		stream_free(&s);
	}
}
END_TEST

/* Two warps of each sub-core run through code of eight instructions to a line: each line behind the first is asked for
 * once, ahead of them. */
START_TEST(a_stream_fetches_ahead)
{
	struct asm_insn code[CODE_MAX];
	uint64_t missed[2];

	for (unsigned i = 0; i < CODE_MAX; i++)
		code[i] = (struct asm_insn){ .name = "FADD", .d = 20, .a = 10, .b = 13 };
	for (unsigned n = 0; n < 2; n++) {
		struct stream s;

		asm_machine(&s);
		s.p.icache_sets = 8;
		s.p.prefetch_lines = n ? 8 : 0;
		s.warps = 8;
		asm_kernel(&s, code, CODE_MAX);
		stream_straight(&s, 0);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		missed[n] = s.st.icache_misses;
		ck_assert_uint_eq(s.st.icache_prefetches, n * s.p.schedulers * ((s.k->ninsn - 1) / 8));
		stream_free(&s);
	}
	ck_assert_msg(missed[1] < missed[0], "%lu %lu", missed[1], missed[0]);
}
END_TEST

/* The lines of a stream are asked for one a cycle, whatever else happens: while the first is on its way all others are
 * asked for, and behind it no instruction waits for its line. */
START_TEST(a_stream_asks_in_each_cycle)
{
	struct asm_insn code[CODE_MAX];
	struct stream s;

	for (unsigned i = 0; i < CODE_MAX; i++)
		code[i] = (struct asm_insn){ .name = "FADD", .d = 20, .a = 10, .b = 13 };
	asm_machine(&s);
	s.p.icache_sets = 8;
	s.p.l1i_sets = 0; /* the level behind has it */
	s.p.prefetch_lines = 16;
	asm_kernel(&s, code, CODE_MAX);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(stream_when(s.issued, 0, CODE_MAX - 1, 0) - stream_when(s.issued, 0, 0, 0), CODE_MAX - 1);
	stream_free(&s);
}
END_TEST

/* The L1 of instructions asks the L2 once for each line of code that its four sub-cores miss, and they have it then. */
START_TEST(sub_cores_share_the_l1_of_instructions)
{
	enum { LINES = CODE_MAX / 8 };
	struct asm_insn code[CODE_MAX];
	struct stream s;

	for (unsigned i = 0; i < CODE_MAX; i++)
		code[i] = (struct asm_insn){ .name = "FADD", .d = 20, .a = 10, .b = 13 };
	asm_machine(&s);
	s.p.icache_sets = 8;
	s.p.l1i_sets = 64;
	s.p.prefetch_lines = 0;
	s.warps = 4;
	asm_kernel(&s, code, CODE_MAX);
	for (unsigned i = 0; i < CODE_MAX; i++)
		stream_record(&s, 0, i);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned w = 0; w < 4; w++)
		ck_assert_uint_gt(stream_when(s.issued, w, 8, 0) - stream_when(s.issued, w, 7, 0), s.p.l2_latency);
	ck_assert_uint_ge(s.st.icache_misses, 4 * LINES);
	ck_assert_uint_ge(s.st.icache_fills, LINES);
	ck_assert_uint_le(s.st.icache_fills, LINES + 1); /* a line that is fetched before the end is known */
	stream_free(&s);
}
END_TEST

/* ---- counters ---- */
/* A constant operand that another warp of the sub-core has asked for is a read, too. */
START_TEST(each_constant_operand_is_one_read)
{
	const struct asm_insn code[] = { warm, { .name = "FADD c", .d = 20, .a = 10 }, NOP };
	struct stream s;

	asm_machine(&s);
	s.p.l0c_sets = 4;
	s.p.l1i_sets = 0;
	s.warps = 9;
	asm_kernel(&s, code, 3);
	for (unsigned i = 0; i < 3; i++)
		stream_record(&s, 0, i);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.const_reads, 9);
	ck_assert_uint_eq(s.st.const_l15_hits, 4);
	ck_assert_uint_eq(s.st.const_operand_hits + s.st.const_operand_merges + s.st.const_operand_misses, 9);
	stream_free(&s);
}
END_TEST

/* What watchers are told of slots and warps. */
enum { TOLD = 12 };
struct told {
	struct gpu_probe probe;
	uint64_t waits[STALL_COUNT], slots[STALL_COUNT], issued[TOLD];
};

static void told(void *ctx, const struct probe_event *e)
{
	struct told *x = ctx;

	if (e->kind == PROBE_WAIT) {
		x->waits[e->why] += e->n;
		return;
	}
	x->slots[e->why] += e->n;
	if (e->why == STALL_ISSUED && e->insn < TOLD)
		x->issued[e->insn] += e->n;
}

/* Where a sub-core has one warp its slots wait for what that warp waits for; of the cycle in which it leaves, for its
 * last results, the slot is empty already. Those of an instruction are as many as warps that issue it. */
START_TEST(slots_wait_for_what_their_warp_waits_for)
{
	const struct asm_insn code[] = {
		warm,
		{ .name = "LDG", .d = 20, .a = 2, .sets = 1, .stall = 2 },
		{ .name = "FADD", .d = 21, .a = 20, .b = 33, .waits = 1, .stall = 4 },
		{ .name = "MUFU", .d = 22, .b = 21, .sets = 2 },
		{ .name = "MUFU", .d = 24, .b = 21, .sets = 2 },
		{ .name = "MUFU", .d = 26, .b = 21, .sets = 2 },
		{ .name = "MUFU", .d = 28, .b = 21, .sets = 2, .stall = 2 },
		{ .name = "STG", .a = 2, .b = 22, .waits = 2 },
		{ .name = "LDS", .d = 20, .a = 2, .sets = 1 },
		{ .name = "BAR" },
		{ .name = "MEMBAR", .waits = 1 },
		NOP,
	};
	struct told *x = calloc(1, sizeof *x);
	struct stream s;

	_Static_assert(sizeof code / sizeof *code == TOLD, "each of them");
	asm_machine(&s);
	s.warps = 4;
	asm_kernel(&s, code, TOLD);
	for (unsigned i = 0; i < TOLD; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i == 1 || i == 7)
			stream_line(r, HERE, 15);
		else if (i == 8)
			r->line[r->nline++] = (uint64_t)SP_SHARED << 56 | 1;
	}
	x->probe = (struct gpu_probe){ .ctx = x, .want = PROBE(SLOT) | PROBE(WAIT), .event = told };
	s.watcher = &x->probe;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_mem_eq(x->slots, s.st.slots, sizeof x->slots);
	for (unsigned i = 0; i < TOLD; i++)
		ck_assert_uint_eq(x->issued[i], 4);
	for (unsigned why = 0; why < STALL_COUNT; why++)
		if (why != STALL_ISSUED && why != STALL_EMPTY)
			ck_assert_msg(x->waits[why] == x->slots[why] + (why == STALL_DRAIN ? 4 : 0), "%u: %lu, not %lu",
				      why, x->waits[why], x->slots[why]);
	stream_free(&s);
	free(x);
}
END_TEST

/* ---- what sub-cores share ---- */
/* Warps 0 and 1 are in two sub-cores. One unit for double precision takes their instructions one behind the other, two
 * units at once. */
START_TEST(double_precision_has_one_unit_or_one_in_each)
{
	const struct asm_insn code[] = { warm,
					 { .name = "DADD", .d = 20, .a = 2, .c = 4, .sets = 1, .stall = 2 },
					 { .name = "NOP", .waits = 1 } };

	for (unsigned shared = 0; shared < 2; shared++) {
		struct stream s;
		cycle at[2];

		asm_machine(&s);
		s.p.fp64_shared = shared;
		s.p.fp64_cycles = 16;
		s.warps = 2;
		asm_kernel(&s, code, 3);
		stream_straight(&s, 0);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		for (unsigned w = 0; w < 2; w++)
			at[w] = stream_when(s.issued, w, 2, 0);
		ck_assert_uint_eq(at[0] > at[1] ? at[0] - at[1] : at[1] - at[0], shared ? 16 : 0);
		stream_free(&s);
	}
}
END_TEST

/* A fence holds its own warp until its stores are acknowledged by the L2, and no other one; among the threads of a CTA
 * until the L1 has taken them. */
static bool stores(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp == 0;
}

START_TEST(a_fence_drains_its_own_warp)
{
	const bool near = _i;
	const struct asm_insn code[] = {
		warm, { .name = "STG", .a = 2, .b = 4, .stall = 2 }, { .name = near ? "MEMBAR.CTA" : "MEMBAR" }, NOP
	};
	struct stream s;
	cycle held[2];

	asm_machine(&s);
	s.warps = 2;
	s.second = stores;
	asm_kernel(&s, code, 4);
	for (unsigned which = 0; which < 2; which++)
		for (unsigned i = 0; i < 4; i++)
			if (which || i != 1)
				stream_record(&s, which, i);
	stream_line(&s.rec[1][1], HERE, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned w = 0; w < 2; w++)
		held[w] = stream_when(s.issued, w, 3, 0) - stream_when(s.issued, w, 2, 0);
	if (near)
		ck_assert_uint_lt(held[0], s.p.l1_latency);
	else
		ck_assert_uint_ge(held[0], s.p.l2_latency);
	ck_assert_uint_gt(held[0], held[1]);
	ck_assert_uint_lt(held[1], 20);
	ck_assert_uint_eq(s.st.fences, 2);
	stream_free(&s);
}
END_TEST

/* What a warp has asked for may still change until it is there: a fence of any scope waits for it. */
START_TEST(a_fence_waits_for_its_loads)
{
	const struct asm_insn code[] = { warm,
					 { .name = "LDG", .d = 20, .a = 2, .sets = 1, .stall = 2 },
					 { .name = _i ? "MEMBAR.CTA" : "MEMBAR" },
					 NOP };
	struct stream s;

	asm_machine(&s);
	asm_kernel(&s, code, 4);
	for (unsigned i = 0; i < 4; i++)
		stream_record(&s, 0, i);
	stream_line(&s.rec[0][1], HERE, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_ge(stream_when(s.issued, 0, 3, 0) - stream_when(s.issued, 0, 2, 0), s.p.l2_latency);
	stream_free(&s);
}
END_TEST

/* Two reads of the clock are two cycles apart where a unit takes an instruction in each, whichever warps they are
 * of. */
START_TEST(the_clock_is_not_read_in_two_cycles_running)
{
	static const struct {
		const char *name;
		unsigned cycles, apart;
	} row[] = { { "CS2R", 1, 2 }, { "CS2R", 2, 2 }, { "IADD3", 1, 1 }, { "IADD3", 2, 2 } };
	const struct asm_insn code[] = { warm,
					 { .name = row[_i].name, .d = 20, .a = RZ, .b = RZ, .c = RZ },
					 { .name = row[_i].name, .d = 22, .a = RZ, .b = RZ, .c = RZ },
					 NOP };

	for (unsigned warps = 1; warps <= 5; warps += 4) { /* the fifth is in the first one's sub-core */
		struct stream s;
		cycle at[4];
		unsigned n = 0;

		asm_machine(&s);
		s.p.alu_cycles = row[_i].cycles;
		s.warps = warps;
		asm_kernel(&s, code, 4);
		stream_straight(&s, 0);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		for (unsigned w = 0; w < warps; w += 4)
			for (unsigned i = 1; i <= 2; i++)
				at[n++] = stream_when(s.issued, w, i, 0);
		for (unsigned i = 0; i < n; i++)
			for (unsigned k = 0; k < i; k++)
				ck_assert_uint_ge(at[i] > at[k] ? at[i] - at[k] : at[k] - at[i], row[_i].apart);
		ck_assert_uint_eq(at[1] - at[0], row[_i].apart);
		stream_free(&s);
	}
}
END_TEST

Suite *suite_subcore_queues(void)
{
	Suite *s = suite_create("subcore_queues");
	TCase *t;

	t = tcase_create("copies, queues, counters");
	tcase_add_loop_test(t, a_group_waits_for_its_own_copies, 0, 2);
	tcase_add_test(t, a_wait_for_a_count_leaves_the_rest);
	tcase_add_test(t, groups_are_not_limited);
	tcase_add_test(t, results_wait_for_the_link_however_long);
	tcase_add_test(t, a_barrier_of_dependence_counts_to_63);
	tcase_add_test(t, passes_of_shared_memory_close_the_shared_part);
	tcase_add_test(t, what_cannot_be_sent_holds_up_the_shared_part);
	tcase_add_test(t, places_to_wait_for_a_line_are_given_back);
	tcase_add_loop_test(t, shared_memory_is_cut_out_of_the_l1, 0, LOOP(carved));
	tcase_add_test(t, a_line_of_local_memory_is_kept_when_it_is_stored);
	tcase_add_test(t, a_stream_fetches_ahead);
	tcase_add_test(t, a_stream_asks_in_each_cycle);
	tcase_add_test(t, sub_cores_share_the_l1_of_instructions);
	tcase_add_test(t, each_constant_operand_is_one_read);
	tcase_add_test(t, slots_wait_for_what_their_warp_waits_for);
	tcase_add_test(t, double_precision_has_one_unit_or_one_in_each);
	tcase_add_loop_test(t, a_fence_drains_its_own_warp, 0, 2);
	tcase_add_loop_test(t, a_fence_waits_for_its_loads, 0, 2);
	tcase_add_loop_test(t, the_clock_is_not_read_in_two_cycles_running, 0, 4);
	suite_add_tcase(s, t);
	return s;
}

/* Chases of pointers on the machines of sub-cores, beside what was published of them (docs/MACHINES.md): one
 * thread's loads, each of which waits for the one before, and between them the addition that makes the address. */
#include "test/unit/subcore_code.h"

Suite *suite_chase(void);

enum { STEPS = 24, FIRST = 8, PUBLISHED = 3 /* percent */ };
enum level { IN_L1, IN_L2, IN_DRAM, LEVELS };

/* Mean cycles of a step, when all levels are warm. */
static double chase_step(const char *machine, enum level level)
{
	struct asm_insn code[1 + 2 * STEPS] = { { .name = "NOP", .stall = 12 } };
	const unsigned reads[LEVELS] = { 1, 2, STEPS }; /* of DRAM */
	struct stream s;
	cycle from, to;

	stream_init(&s);
	ck_assert(params_machine(&s.p, machine, &s.d));
	ck_assert(rf_config_parse(&s.rf, "baseline", &s.p, &s.d));
	/* the rest of the way of an instruction is no part of it */
	s.p.icache_sets = s.p.l0c_sets = s.p.const_sets = 0;
	if (level != IN_L1) { /* a cache of one line: each step evicts what the one before has read */
		s.p.carveout = 0;
		s.p.l1_sets = s.p.l1_ways = 1;
	}
	for (unsigned i = 0; i < STEPS; i++) {
		code[1 + 2 * i] = (struct asm_insn){ .name = "LDG", .d = 2, .a = 2, .sets = 1, .stall = 2 };
		code[2 + 2 * i] =
			(struct asm_insn){ .name = "IADD3", .d = 2, .a = 2, .b = 4, .c = RZ, .waits = 1, .stall = 4 };
	}
	asm_kernel(&s, code, 1 + 2 * STEPS);
	for (unsigned i = 0; i <= 2 * STEPS; i++) {
		struct stream_record *r = stream_record(&s, 0, i);
		const uint64_t step = i / 2, first = 64;
		/* L2: two lines in turn. DRAM: the next row of the same bank each time. */
		const uint64_t apart[LEVELS] = { 0, step % 2 * 8, step * s.p.partitions * 2 * 256 };

		if (i % 2)
			stream_line(r, first + apart[level], 1);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	from = stream_when(s.issued, 0, 1 + 2 * FIRST, 0);
	to = stream_when(s.issued, 0, 1 + 2 * (STEPS - 1), 0);
	if (level == IN_L1)
		ck_assert_uint_eq(s.st.l1_read_hits, STEPS - 1);
	else
		ck_assert_uint_eq(s.st.l1_read_misses, STEPS);
	ck_assert_uint_eq(s.st.dram_reads, reads[level]);
	if (level == IN_DRAM)
		ck_assert_uint_eq(s.st.dram_row_misses, STEPS);
	stream_free(&s);
	return (double)(to - from) / (STEPS - 1 - FIRST);
}

/* 0: nobody has published it. */
static const struct {
	const char *machine;
	unsigned published[LEVELS];
} chases[] = {
	{ "rtx2080ti", { 32, 236, 0 } }, { "a100", { 36, 206, 573 } },      { "rtx3080", { 36, 0, 0 } },
	{ "rtx4090", { 36, 285, 541 } }, { "h100-pcie", { 34, 265, 654 } }, { "h100", { 34, 265, 0 } },
	{ "rtx5090", { 36, 313, 0 } },
};

START_TEST(a_chase_takes_what_was_published)
{
	static const char *const name[LEVELS] = { "L1", "L2", "DRAM" };

	for (unsigned l = 0; l < LEVELS; l++) {
		const double want = chases[_i].published[l],
			     is = want ? chase_step(chases[_i].machine, (enum level)l) : 0;

		ck_assert_msg(is >= want * (100 - PUBLISHED) / 100 && is <= want * (100 + PUBLISHED) / 100,
			      "%s, %s: %.1f cycles, published %.0f", chases[_i].machine, name[l], is, want);
	}
}
END_TEST

Suite *suite_chase(void)
{
	Suite *s = suite_create("chase");
	TCase *t = tcase_create("chase");

	tcase_add_loop_test(t, a_chase_takes_what_was_published, 0, sizeof chases / sizeof *chases);
	suite_add_tcase(s, t);
	return s;
}

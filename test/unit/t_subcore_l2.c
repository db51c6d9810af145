/* What the memory pipeline of sub-cores leaves to the L2: atomics, which are made there whatever the L1 holds, and
 * lines of one partition, which wait for each other where those of several do not. */
#include "test/unit/subcore_code.h"

Suite *suite_subcore_l2(void);

enum { LINE = 1 << 20, CHUNK = 2 /* Lines of 128 bytes, after which the next partition begins. */ };

/* A load fills the L1, a second one finds the line there; the atomic is sent all the same and ends the copy, so that
 * the third load asks the L2 again. */
START_TEST(an_atomic_is_made_in_the_l2)
{
	const struct asm_insn code[] = {
		warm,
		{ .name = "LDG", .d = 20, .a = 2, .sets = 1, .stall = 2 },
		{ .name = "LDG", .d = 22, .a = 2, .sets = 2, .stall = 2, .waits = 1 },
		{ .name = "ATOMG", .d = 24, .a = 2, .b = 6, .sets = 3, .stall = 2, .waits = 2 },
		{ .name = "LDG", .d = 26, .a = 2, .sets = 4, .stall = 2, .waits = 4 },
		NOP
	};
	cycle took[6];
	struct stream s;

	asm_machine(&s);
	asm_kernel(&s, code, 6);
	for (unsigned i = 0; i < 6; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		if (i && i < 5)
			stream_line(r, LINE, 1);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 1; i < 5; i++)
		took[i] = stream_when(s.finished, 0, i, 0) - stream_when(s.issued, 0, i, 0);
	ck_assert_uint_eq(s.st.sent_atomics, 1);
	ck_assert_uint_eq(s.st.l1_read_hits, 1);
	ck_assert_uint_eq(s.st.l1_read_misses, 2);
	ck_assert_uint_eq(s.st.dram_reads, 1); /* the L2 has kept the line */
	ck_assert_uint_gt(took[3], 2 * took[2]);
	ck_assert_uint_gt(took[4], 2 * took[2]);
	stream_free(&s);
}
END_TEST

/* A load that is ordered among the threads of its SM finds the line in the L1; one among those of the GPU goes past
 * it. */
START_TEST(a_load_for_the_gpu_goes_past_the_l1)
{
	static const char *const name[] = { "LDG.SM", "LDG.GPU" };

	for (unsigned gpu = 0; gpu < 2; gpu++) {
		const struct asm_insn code[] = {
			warm,
			{ .name = "LDG", .d = 20, .a = 2, .sets = 1, .stall = 2 },
			{ .name = name[gpu], .d = 22, .a = 2, .sets = 2, .stall = 2, .waits = 1 },
			NOP
		};
		struct stream s;

		asm_machine(&s);
		asm_kernel(&s, code, 4);
		for (unsigned i = 0; i < 4; i++) {
			struct stream_record *r = stream_record(&s, 0, i);

			if (i == 1 || i == 2)
				stream_line(r, LINE, 1);
		}
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_eq(s.st.l1_bypasses, gpu);
		ck_assert_uint_eq(s.st.l1_read_hits, !gpu);
		stream_free(&s);
	}
}
END_TEST

/* Cycles until the last line of so many loads has come, each of 8 lines that lie `apart` lines from each other. */
static cycle loads_of(unsigned loads, unsigned apart, unsigned partitions)
{
	enum { LINES = 8 };
	const struct asm_insn code[] = { warm,
					 { .name = "LDG", .d = 20, .a = 2, .sets = 1, .stall = 1 },
					 { .name = "LDG", .d = 22, .a = 2, .sets = 2, .stall = 1 },
					 NOP };
	struct stream s;
	cycle took;

	asm_machine(&s);
	s.p.partitions = partitions;
	s.p.l2_slices = 1;
	s.p.l2_port_bytes = 8; /* slower than the way to the SM */
	s.p.l1_sets = 1;
	s.p.l1_ways = 2 * LINES;
	asm_kernel(&s, code, 4);
	for (unsigned i = 0; i < 4; i++) {
		struct stream_record *r = stream_record(&s, 0, i);

		for (unsigned n = 0; i && i <= loads && n < LINES; n++)
			stream_line(r, LINE + ((i - 1) * LINES + n) * apart, 15);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.l1_read_misses, loads * LINES);
	took = stream_when(s.finished, 0, loads, 0) - stream_when(s.issued, 0, 1, 0);
	stream_free(&s);
	return took;
}

/* So much longer does a second load take. */
static cycle second_load(unsigned apart, unsigned partitions)
{
	return loads_of(2, apart, partitions) - loads_of(1, apart, partitions);
}

/* A second load waits for the lines of the first in their partition, be it that all lie in one or that there is but
 * one; with partitions enough for all it is only sent later. */
START_TEST(lines_of_one_partition_wait_for_each_other)
{
	enum { PARTITIONS = 16 };
	const cycle spread = second_load(CHUNK, PARTITIONS);

	ck_assert_uint_gt(second_load(CHUNK * PARTITIONS, PARTITIONS), 2 * spread);
	ck_assert_uint_gt(second_load(CHUNK, 1), 2 * spread);
}
END_TEST

Suite *suite_subcore_l2(void)
{
	Suite *s = suite_create("subcore_l2");
	TCase *t = tcase_create("subcore_l2");

	tcase_add_test(t, an_atomic_is_made_in_the_l2);
	tcase_add_test(t, a_load_for_the_gpu_goes_past_the_l1);
	tcase_add_test(t, lines_of_one_partition_wait_for_each_other);
	suite_add_tcase(s, t);
	return s;
}

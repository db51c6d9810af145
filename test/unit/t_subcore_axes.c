/* What techniques add to the stages of a sub-core, to the cycle. */
#include "test/unit/subcore_code.h"

Suite *suite_subcore_axes(void);

/* Warps run these instructions, whose results all differ unless `alike`, under a configuration and a scoreboard. */
static void run(struct stream *s, const char *rf, const struct asm_insn *i, unsigned n, bool alike)
{
	asm_machine(s);
	s->p.dependences = 1;
	ck_assert(rf_config_parse(&s->rf, rf, &s->p, &s->d));
	asm_kernel(s, i, n);
	for (unsigned k = 0; k < n; k++) {
		struct stream_record *r = stream_record(s, 0, k);
		struct value_sig *sig = new_array(&s->a, struct value_sig, UOP_DST_MAX);

		for (unsigned x = 0; x < UOP_DST_MAX; x++)
			sig[x].h3 = sig[x].hash = alike ? 1 : UOP_DST_MAX * k + x + 1;
		r->sig = sig;
		r->nsig = UOP_DST_MAX;
		if (strncmp(i[k].name, "LDG", 3) == 0)
			stream_line(r, 1 << 20, 15);
		else if (strncmp(i[k].name, "LDS", 3) == 0)
			r->line[r->nline++] = (uint64_t)SP_SHARED << 56 | 1;
	}
}

/* From the issue of instruction 1 of warp 0 to that of the last. */
static cycle took(const char *rf, const struct asm_insn *i, unsigned n)
{
	struct stream s;
	cycle c;

	run(&s, rf, i, n, false);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	c = stream_when(s.issued, 0, n - 1, 0) - stream_when(s.issued, 0, 1, 0);
	stream_free(&s);
	return c;
}

/* ---- what lies between execution and the banks ---- */
static const char *const producers[] = { "FADD", "MUFU", "LDG", "LDS" };

/* An encoding of values adds its cycles to whatever writes a register. */
START_TEST(an_encoding_delays_every_result)
{
	enum { ENCODING = 3 };
	const struct asm_insn code[] = { warm,
					 { .name = producers[_i], .d = 20, .a = 2, .b = 3 },
					 { .name = "FADD", .d = 30, .a = 20, .b = 33 } };

	ck_assert_uint_eq(took("baseline,values=bdi", code, 3), took("baseline", code, 3) + ENCODING);
}
END_TEST

/* A renaming table takes a cycle of the three that a read may take to say where a register is: two operands of one bank
 * still fit behind it, three wait for a cycle in the allocate stage. Without a table they fit. */
START_TEST(what_is_looked_up_has_a_cycle_less_to_read)
{
	static const struct {
		const char *rf;
		uint8_t c;
		uint64_t held;
	} row[] = { { "baseline", 6, 0 }, { "first-fit", 7, 0 }, { "first-fit", 6, 3 } };
	struct asm_insn code[] = { warm,
				   { .name = "MOV", .d = 2, .b = RZ },
				   { .name = "MOV", .d = 3, .b = RZ },
				   { .name = "MOV", .d = 4, .b = RZ },
				   { .name = "MOV", .d = 5, .b = RZ },
				   { .name = "MOV", .d = 6, .b = RZ },
				   { .name = "MOV", .d = 7, .b = RZ },
				   { .name = "FFMA", .d = 12, .a = 2, .b = 4, .c = row[_i].c } };
	struct stream s;

	run(&s, row[_i].rf, code, 8, false);
	for (unsigned i = 0; i < 8; i++) /* full registers, which share no entry */
		s.rec[0][i].sig = NULL;
	s.p.rename_cycles = 1;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_conflict_cycles, row[_i].held);
	stream_free(&s);
}
END_TEST

/* ---- reuse ---- */
/* Rename and reuse are two cycles in front and two behind execution. A result of fixed latency is named when it has
 * been written, four cycles after a bypass would have had it; others are written before they are told of anyway. */
START_TEST(reuse_adds_its_stages_and_takes_the_bypass)
{
	const cycle more[] = { 2 + 2 + 4, 2 + 2, 2 + 2, 2 + 2 };
	const struct asm_insn code[] = { warm,
					 { .name = producers[_i], .d = 20, .a = 2, .b = 3 },
					 { .name = "FADD", .d = 30, .a = 20, .b = 33 } };

	ck_assert_uint_eq(took("baseline,reuse=wir-novsb", code, 3), took("baseline", code, 3) + more[_i]);
}
END_TEST

/* Eight warps compute the same. Of the two in each sub-core one finds what the other did, nobody what another sub-core
 * did, which has other registers. */
START_TEST(sub_cores_share_no_results)
{
	const struct asm_insn code[] = { warm, { .name = "MOV", .d = 2, .b = RZ } };
	struct stream s;

	run(&s, "baseline,reuse=wir-rlp", code, 2, true);
	s.warps = 8;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.reused_instructions, 4);
	ck_assert_uint_eq(s.st.register_allocations, 4);
	stream_free(&s);
}
END_TEST

/* What is reused needs no unit: a special function that all eight warps compute closes its unit once in each
 * sub-core, as the second of each warp is the first one once more. */
START_TEST(what_is_reused_needs_no_unit)
{
	const struct asm_insn code[] = { warm,
					 { .name = "MOV", .d = 2, .b = RZ },
					 { .name = "MUFU", .d = 4, .b = 2 },
					 { .name = "MUFU", .d = 6, .b = 4 } };
	struct stream s;

	run(&s, "baseline,reuse=wir-rlp", code, 4, true);
	s.warps = 8;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.sfu_instructions, 4);
	ck_assert_uint_eq(s.st.sfu_instructions + s.st.sp_instructions,
			  s.st.warp_instructions - s.st.reused_instructions);
	ck_assert_uint_eq(s.st.reused_instructions, 4 + 4 + 8);
	stream_free(&s);
}
END_TEST

/* The product is what instruction 1 has left in R2, and is compared with it. It waits for R2's bank, which those behind
 * it read for three cycles each: until the two that have booked it have read. They wait for each other as well. */
START_TEST(a_result_waits_to_be_compared)
{
	enum { PRODUCT = 7 };
	const struct asm_insn code[] = { warm,
					 { .name = "MOV", .d = 2, .b = RZ },
					 { .name = "FADD", .d = 4, .a = 2, .b = 2 },
					 { .name = "IADD3", .d = 6, .a = 2, .b = 2, .c = 2 },
					 { .name = "FFMA", .d = 8, .a = 2, .b = 2, .c = 2 },
					 { .name = "IMAD", .d = 10, .a = 2, .b = 2, .c = 2 },
					 { .name = "FFMA", .d = 14, .a = 2, .b = 6, .c = 10 },
					 { .name = "FMUL", .d = 12, .a = 2, .b = 2 },
					 { .name = "FFMA", .d = 16, .a = 6, .b = 10, .c = 2 },
					 { .name = "FFMA", .d = 18, .a = 10, .b = 2, .c = 6 },
					 { .name = "IMAD", .d = 20, .a = 2, .b = 6, .c = 10 },
					 { .name = "IMAD", .d = 22, .a = 6, .b = 10, .c = 2 } };
	struct stream s;

	run(&s, "baseline,reuse=wir-rlp", code, LOOP(code), false);
	s.p.vsb_entries = 4096;
	s.rec[0][PRODUCT].sig = s.rec[0][1].sig;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.verify_reads, 1);
	ck_assert_uint_eq(s.st.verify_conflict_cycles, 6);
	ck_assert_uint_eq(s.st.rf_conflict_cycles, 30);
	stream_free(&s);
}
END_TEST

/* A warp may write a register while an older load that reads it waits for its turn: it writes another one. */
START_TEST(renaming_leaves_no_reader_to_wait_for)
{
	static const char *const rf[] = { "baseline", "baseline,reuse=wir-novsb" };
	const struct asm_insn code[] = {
		warm, { .name = "MOV", .d = 2, .b = RZ },          { .name = "LDG", .d = 20, .a = 2 }, NOP, NOP,
		NOP,  { .name = "FADD", .d = 2, .a = 10, .b = 13 }
	};
	cycle behind[2];

	for (unsigned i = 0; i < 2; i++) {
		struct stream s;

		run(&s, rf[i], code, 7, false);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		behind[i] = stream_when(s.issued, 0, 6, 0) - stream_when(s.issued, 0, 2, 0);
		stream_free(&s);
	}
	ck_assert_uint_ge(behind[0], 9);
	ck_assert_uint_eq(behind[1], 4);
}
END_TEST

/* The reuse cache knows physical registers. A warp's register that is written is another one then, of which nothing is
 * kept; half a warp writes in place the second time, which ends what is kept. */
START_TEST(the_reuse_cache_knows_physical_registers)
{
	const uint32_t lanes[] = { UINT32_MAX, UINT32_MAX >> 16 };
	const struct asm_insn code[] = { warm,
					 { .name = "MOV", .d = 2, .b = RZ },
					 { .name = "FADD", .d = 20, .a = 2, .b = 33, .reuse = 1 },
					 { .name = "FADD", .d = 22, .a = 2, .b = 33, .reuse = 1 },
					 { .name = "IADD3", .d = 2, .a = 11, .b = 13, .c = RZ },
					 { .name = "FADD", .d = 24, .a = 2, .b = 33 } };
	struct stream s;

	run(&s, "baseline,reuse=wir-novsb", code, 6, false);
	for (unsigned i = 0; i < 6; i++)
		s.rec[0][i].active = lanes[_i];
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.reuse_cache_reads, 1);
	ck_assert_uint_eq(s.st.pinned_writes, _i);
	stream_free(&s);
}
END_TEST

Suite *suite_subcore_axes(void)
{
	Suite *s = suite_create("subcore_axes");
	TCase *t = tcase_create("stages of techniques");

	tcase_add_loop_test(t, an_encoding_delays_every_result, 0, LOOP(producers));
	tcase_add_loop_test(t, what_is_looked_up_has_a_cycle_less_to_read, 0, 3);
	tcase_add_loop_test(t, reuse_adds_its_stages_and_takes_the_bypass, 0, LOOP(producers));
	tcase_add_test(t, sub_cores_share_no_results);
	tcase_add_test(t, what_is_reused_needs_no_unit);
	tcase_add_test(t, a_result_waits_to_be_compared);
	tcase_add_test(t, renaming_leaves_no_reader_to_wait_for);
	tcase_add_loop_test(t, the_reuse_cache_knows_physical_registers, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

/* Checked mode on written-out streams: what is right passes, and each way to be wrong is found and named. */
#include "passes/corf.h"
#include "passes/pass.h"
#include "stream.h"
#include "runtime-model/core/checked.h"

#include <stdlib.h>

enum { LANES = WARP_LANES };

/* R1 = 10 + lane; R2 = R1 + R1; R3 = R1 + R2. Of what an instruction names twice the record has both. */
static uint32_t values[3][3 * LANES];

static void program(struct stream *s)
{
	stream_init(s);
	stream_insn(s, OP_ADD_S32, 1, 0, 0, -1);
	stream_insn(s, OP_ADD_S32, 2, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 3, 1, 2, -1);
	stream_straight(s, 0);
	for (uint32_t l = 0; l < LANES; l++) {
		const uint32_t v[3][3] = { { 77, 77, 10 + l },
					   { 10 + l, 10 + l, 20 + 2 * l },
					   { 10 + l, 20 + 2 * l, 30 + 3 * l } };

		for (unsigned i = 0; i < 3; i++)
			for (unsigned j = 0; j < 3; j++)
				values[i][j * LANES + l] = v[i][j];
	}
	for (unsigned i = 0; i < 3; i++)
		s->rec[0][i].values = values[i];
	s->checked = new(&s->a, struct checked_sums);
}

START_TEST(operands_that_were_written_are_compared)
{
	struct stats plain;
	struct stream s;

	program(&s);
	s.warps = 3;
	s.ctas = 20;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.checked->compared, 60 * 3); /* not R0, which nobody wrote */
	ck_assert_uint_eq(s.checked->overtaken, 0);
	ck_assert_uint_eq(s.checked->poisoned_bytes, 0);
	plain = s.st;
	s.checked = NULL;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_mem_eq(&plain, &s.st, sizeof plain);
	stream_free(&s);
}
END_TEST

START_TEST(a_wrong_value_ends_the_run_and_is_named)
{
	struct stream s;

	program(&s);
	values[1][LANES + 9]++; /* what is named twice: its first place counts */
	ck_assert(stream_run(&s));
	values[2][9] ^= 0x100;
	s.warps = 2;
	ck_assert(!stream_run(&s));
	ck_assert_ptr_nonnull(strstr(s.d.last, "register file baseline delivers a wrong operand in cycle "));
	ck_assert_ptr_nonnull(strstr(s.d.last, "instruction 2 `add.s32 R3, R1, R2` of SM 0 warp "));
	ck_assert_msg(strstr(s.d.last, "reads R1 in lane 9 as 0x00000013, not 0x00000113; it is in physical register "),
		      "%s", s.d.last);
	ck_assert_uint_eq(s.d.errors, 1);
	stream_free(&s);
}
END_TEST

/* Lanes that no instruction has written, or that do not read, may hold anything; the others stay when a write leaves
 * them out. */
START_TEST(lanes_are_compared_one_by_one)
{
	struct stream s;

	program(&s);
	s.rec[0][0].active = 0xffff;
	for (unsigned l = 16; l < LANES; l++)
		values[1][l]++;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	values[1][15]++;
	s.rec[0][1].active = ~(uint32_t)(1 << 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	s.rec[0][1].active = 1 << 15;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "in lane 15 as 0x00000019, not 0x0000001a"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* The register is overwritten when those that were issued before have read it, whatever comes behind them. */
static void release(struct stream *s, const uint32_t at[4], const uint16_t reg[], const uint32_t entry_at[2])
{
	struct release *r = new(&s->a, struct release);

	*r = (struct release){ at, reg, entry_at, reg };
	s->k->release = r;
}

START_TEST(dead_registers_are_overwritten)
{
	static const uint32_t at[] = { 0, 0, 0, 2 }, entry_at[] = { 0, 0 };
	static const uint16_t reg[] = { 1, 2 };
	struct stream s;

	program(&s);
	release(&s, at, reg, entry_at);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.checked->compared, 3);
	ck_assert_uint_eq(s.checked->poisoned_bytes, 2 * 128);
	stream_free(&s);
}
END_TEST

/* The baseline, and packing where registers stay allocated until their warp ends. */
static void packed(struct stream *s, int packing)
{
	static const char *const rf[] = { "baseline", "packing=first-fit", "packing=corf", "packing=corf++" };
	/* the values of program() */
	static const struct value_sig sig[3] = { { .width = 1 }, { .width = 1 }, { .width = 2 } };
	static struct corf_hints hints;

	memset(hints.partner, MREG_RZ, sizeof hints.partner);
	s->k->corf = &hints;
	ck_assert(rf_config_parse(&s->rf, rf[packing], &s->p, &s->d));
	for (unsigned i = 0; packing && i < 3; i++) {
		s->rec[0][i].sig = &sig[i];
		s->rec[0][i].nsig = 1;
	}
}

START_TEST(dead_registers_are_overwritten_where_they_are_packed)
{
	static const uint32_t at[] = { 0, 0, 0, 2 }, entry_at[] = { 0, 0 };
	static const uint16_t reg[] = { 1, 2 };
	struct stream s;

	program(&s);
	packed(&s, _i);
	release(&s, at, reg, entry_at);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.checked->compared, 3);
	ck_assert_uint_eq(s.checked->poisoned_bytes, 2 * LANES);
	stream_free(&s);
}
END_TEST

START_TEST(a_register_that_is_called_dead_too_early_is_found)
{
	/* after its reader, after its writer */
	static const uint32_t at[2][4] = { { 0, 0, 1, 1 }, { 0, 1, 1, 1 } }, entry_at[] = { 0, 0 };
	static const uint16_t reg[] = { 1 };
	struct stream s;

	program(&s);
	packed(&s, _i / 2);
	release(&s, at[_i % 2], reg, entry_at);
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, _i % 2 ? "instruction 1 " : "instruction 2 ") &&
			      strstr(s.d.last, "reads R1 in lane 0 as 0x"),
		      "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* A block's own releases come before its first instruction: here that reads the register. */
START_TEST(a_register_that_is_called_dead_on_entry_is_found)
{
	static const uint32_t at[] = { 0, 0, 0, 0 }, entry_at[] = { 0, 1 };
	static const uint16_t reg[] = { 2 };
	struct stream s;

	program(&s);
	release(&s, at, reg, entry_at);
	ck_assert_msg(stream_run(&s), "%s", s.d.last); /* dead at the start: nobody has written it */
	stream_record(&s, 0, 0)->values = values[0];
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(s.checked->poisoned_bytes, 0);
	stream_record(&s, 0, 2)->values = values[2];
	ck_assert(!stream_run(&s));
	ck_assert_ptr_nonnull(strstr(s.d.last, "reads R2 in lane 0"));
	stream_free(&s);
}
END_TEST

/* ---- a data path of its own: by register, of one warp ---- */
static struct path {
	uint32_t reg[256][LANES];
	unsigned flip, lose, calls;
	bool stored[256];
} path;

static void path_store(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned dst)
{
	(void)pk;
	(void)a;
	for (unsigned l = 0; l < LANES; l++)
		if (u->active >> l & 1)
			path.reg[u->dst[dst]][l] = u->dst_value[dst][l];
	path.stored[u->dst[dst]] = true;
}

static const char *path_deliver(struct packing *pk, const struct uop *u, const struct bank_access *a, unsigned src,
				uint32_t lane[WARP_LANES])
{
	(void)pk;
	(void)a;
	memcpy(lane, path.reg[u->src[src]], sizeof path.reg[0]);
	path.calls++;
	lane[5] ^= (uint32_t)(path.calls == path.flip) << 31;
	return path.stored[u->src[src]] && path.calls != path.lose ? NULL : "nothing";
}

static void own_path(struct stream *s, struct packing_ops *packing)
{
	path = (struct path){ .calls = 0 };
	program(s);
	*packing = *s->rf.packing;
	packing->store = path_store;
	packing->deliver = path_deliver;
	s->rf.packing = packing;
}

START_TEST(the_bytes_of_packing_are_what_is_compared)
{
	struct packing_ops packing;
	struct stream s;

	own_path(&s, &packing);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.checked->compared, 3);
	ck_assert_uint_eq(path.calls, 3);
	for (path.flip = 1; path.flip <= 3; path.flip++) {
		path.calls = 0;
		ck_assert(!stream_run(&s));
		ck_assert_ptr_nonnull(strstr(s.d.last, "in lane 5 as 0x8000"));
	}
	for (path.lose = 1; path.lose <= 3; path.lose++) {
		path.calls = 0;
		ck_assert(!stream_run(&s));
		ck_assert_ptr_nonnull(strstr(s.d.last, "in lane 0 as nothing, not 0x000000"));
	}
	stream_free(&s);
}
END_TEST

/* Packing lists no access for an operand that was written: it has lost it. */
static unsigned lists_nothing(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
			      struct bank_access out[])
{
	(void)pk;
	(void)u;
	(void)operands;
	(void)phys;
	(void)out;
	return 0;
}

START_TEST(an_operand_without_an_access_is_lost)
{
	struct packing_ops packing;
	struct stream s;

	own_path(&s, &packing);
	packing.read = lists_nothing;
	ck_assert(!stream_run(&s));
	ck_assert_ptr_nonnull(strstr(
		s.d.last,
		"instruction 1 `add.s32 R2, R1, R1` of SM 0 warp 0 (CTA 0, its warp 0) reads R1 in lane 0 as nothing"));
	stream_free(&s);
}
END_TEST

/* Without a renaming table a younger write may come before an older read, and it is known; with one it waits. One of
 * the same value is none. */
START_TEST(an_operand_that_a_younger_write_overtakes_is_left_out)
{
	static uint32_t store[2 * LANES], add[2 * LANES], last[2 * LANES];
	struct residency_ops residency;
	struct packing_ops packing;
	struct stream s;
	uint32_t n, first;

	path = (struct path){ .calls = 0 };
	stream_init(&s);
	s.checked = new(&s.a, struct checked_sums);
	n = stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, 1);
	first = stream_insn(&s, OP_ADD_S32, 1, 3, -1, -1);
	for (unsigned l = 0; l < LANES; l++) {
		store[l] = store[LANES + l] = 5;
		add[LANES + l] = 5;
	}
	stream_record(&s, 0, first)->values = add;
	for (unsigned i = 0; i < 10; i++) {
		struct stream_record *r = stream_record(&s, 0, n);

		r->values = store;
		for (unsigned l = 0; l < 8; l++)
			stream_line(r, 8 * i + l, 15);
	}
	s.p.collectors_mem = 1;
	memcpy(last, add, sizeof last);
	for (unsigned l = 0; l < LANES && _i != 2; l++)
		last[LANES + l] = 6;
	stream_record(&s, 0, first)->values = last;
	packing = *s.rf.packing;
	packing.store = path_store;
	packing.deliver = path_deliver;
	residency = *s.rf.residency;
	residency.renames = _i == 1;
	if (_i == 1) {
		s.rf.packing = &packing;
		s.rf.residency = &residency;
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.checked->overtaken, _i == 0);
	ck_assert_uint_eq(s.checked->compared, 9 + (_i != 0));
	stream_free(&s);
}
END_TEST

/* Of the SMs that go wrong in a quantum, the one that does so first. */
START_TEST(the_first_wrong_operand_is_reported_whatever_the_threads)
{
	const char *first = NULL;

	for (unsigned threads = 1; threads < 6; threads++) {
		struct stream s;

		program(&s);
		values[2][0]++;
		s.p.sms = 7;
		s.ctas = 30;
		s.threads = threads;
		s.quantum = threads % 2 ? 0 : 9;
		ck_assert(!stream_run(&s));
		ck_assert(!first || strcmp(first, s.d.last) == 0);
		first = first ? first : strdup(s.d.last);
		stream_free(&s);
	}
	free((void *)(uintptr_t)first);
}
END_TEST

Suite *suite_checked(void);
Suite *suite_checked(void)
{
	Suite *s = suite_create("checked");
	TCase *c = tcase_create("checked");

	tcase_add_test(c, operands_that_were_written_are_compared);
	tcase_add_test(c, a_wrong_value_ends_the_run_and_is_named);
	tcase_add_test(c, lanes_are_compared_one_by_one);
	tcase_add_test(c, dead_registers_are_overwritten);
	tcase_add_loop_test(c, dead_registers_are_overwritten_where_they_are_packed, 1, 4);
	tcase_add_loop_test(c, a_register_that_is_called_dead_too_early_is_found, 0, 8);
	tcase_add_test(c, a_register_that_is_called_dead_on_entry_is_found);
	tcase_add_test(c, the_bytes_of_packing_are_what_is_compared);
	tcase_add_test(c, an_operand_without_an_access_is_lost);
	tcase_add_loop_test(c, an_operand_that_a_younger_write_overtakes_is_left_out, 0, 3);
	tcase_add_test(c, the_first_wrong_operand_is_reported_whatever_the_threads);
	suite_add_tcase(s, c);
	return s;
}

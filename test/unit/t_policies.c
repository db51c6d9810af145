/* What each value of the packing axis counts in a run, with and without releases: metadata, entries switched on,
 * updates of the table, instructions that coalesce. One warp, each instruction needs the one before it. */
#include "stream.h"

#include "passes/corf.h"
#include "passes/pass.h"

enum { PAIR_WORDS = 3, ALIGN_WORDS = 5, LATER = 100 };

/* Widths: R1 = 1 byte; R3 = 3; R6 = R1 / R3, 4; R2 = 2; R4 = R1 + R2, 4; R1 = 3 bytes; R5 = sqrt(R1), 1. R1 and R2 are
 * a pair, R1 left and R2 right. */
static const struct {
	enum op op;
	int d, a, b;
	unsigned width;
} code[] = {
	{ OP_ADD_S32, 1, 0, 0, 1 },   { OP_ADD_S32, 3, 1, 1, 3 }, { OP_DIV_S32, 6, 1, 3, 4 },
	{ OP_ADD_S32, 2, 6, 6, 2 },   { OP_ADD_S32, 4, 1, 2, 4 }, { OP_ADD_S32, 1, 4, 4, 3 },
	{ OP_SQRT_F32, 5, 1, -1, 1 },
};
enum { INSNS = sizeof code / sizeof *code, WRITTEN = 6, RELEASED = 5 };

/* R3 after the division, R6, R2, R4 after their only reads, R1 after the root; the next release of R1 is none: it is
 * not mapped. */
static const uint32_t release_at[INSNS + 1] = { 0, 0, 0, 1, 2, 3, 4, 5 }, none_at[2] = { 0, 0 };
static const uint16_t release_reg[RELEASED] = { 3, 6, 2, 4, 1 };

/* entries: that hold something while the division executes, and while the root does.
 * first-fit: entry 0 has R1 R3, 1 R6, 2 R2, 3 R4; R1 grows into 4. The division reads one entry.
 * corf: entry 0 has R1 and room for R2 alone, 1 R3, 2 R6, 3 R4; R1 grows into 4. The sum reads one entry.
 * corf++: row 0 of bank 0 has R1 and R3, 1 R6, 2 R2, 3 R4; R1 grows into 4. Both read bytes that do not overlap.
 * With releases R3 is gone when the division executes; R2 goes beside R1 everywhere; nothing is left behind the last
 * read, not even what was kept for R2 in the entry of R1. */
static const struct {
	const char *rf;
	unsigned metadata, entries[2], coalesced;
	bool releases;
} policy[] = {
	{ "first-fit", 0, { 1, 5 }, 1, false },        { "first-fit,residency=rfv", 0, { 1, 0 }, 2, true },
	{ "corf", PAIR_WORDS, { 2, 5 }, 1, false },    { "corf,residency=rfv", PAIR_WORDS, { 1, 0 }, 1, true },
	{ "corf++", ALIGN_WORDS, { 1, 5 }, 2, false }, { "corf++,residency=rfv", ALIGN_WORDS, { 1, 0 }, 2, true },
};
enum { POLICIES = sizeof policy / sizeof *policy };

static struct corf_hints hints;
static struct value_sig sig[INSNS];
static const struct release releases = { release_at, release_reg, none_at, NULL };
static struct release released;

static void program(struct stream *s, const char *rf)
{
	stream_init(s);
	memset(&hints, 0, sizeof hints);
	memset(hints.partner, MREG_RZ, sizeof hints.partner);
	hints.partner[1] = 2;
	hints.partner[2] = 1;
	hints.align[1] = ALIGN_LEFT;
	hints.align[2] = ALIGN_RIGHT;
	hints.npair_word = PAIR_WORDS;
	hints.nalign_word = ALIGN_WORDS;
	released = releases;
	for (unsigned i = 0; i < INSNS; i++) {
		stream_insn(s, code[i].op, code[i].d, code[i].a, code[i].b, -1);
		sig[i] = (struct value_sig){ .width = code[i].width & 7 };
	}
	stream_straight(s, 0);
	s->k->corf = &hints;
	s->k->release = &released;
	s->k->facts |= FACT_RELEASE | FACT_CORF;
	for (unsigned i = 0; i < INSNS; i++) {
		s->rec[0][i].nsig = 1;
		s->rec[0][i].sig = &sig[i];
	}
	ck_assert(params_machine(&s->p, "corf", &s->d));
	s->p.sms = 1;
	ck_assert_msg(rf_config_parse(&s->rf, rf, &s->p, &s->d), "%s", s->d.last);
}

/* An instruction that takes so many cycles longer has as many entries switched on for so long. */
START_TEST(entries_metadata_and_updates)
{
	static const enum fu slower[] = { FU_INT_DIV, FU_SFU };
	struct stats plain;
	struct stream s;

	program(&s, policy[_i].rf);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	plain = s.st;
	ck_assert_uint_eq(plain.metadata_instructions, policy[_i].metadata);
	ck_assert_uint_eq(plain.warp_instructions, INSNS);
	ck_assert_uint_eq(plain.rename_updates, WRITTEN + 1 + (policy[_i].releases ? RELEASED : 0));
	ck_assert_uint_eq(plain.size_grows, 1);
	ck_assert_uint_eq(plain.multi_operand_instructions, 2);
	ck_assert_uint_eq(plain.coalesced_instructions, policy[_i].coalesced);
	for (unsigned i = 0; i < 2; i++) {
		s.p.unit[slower[i]].latency += LATER;
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		s.p.unit[slower[i]].latency -= LATER;
		ck_assert_uint_eq(s.st.cycles, plain.cycles + LATER);
		ck_assert_uint_eq(s.st.rf_powered_entries, plain.rf_powered_entries + LATER * policy[_i].entries[i]);
	}
	stream_free(&s);
}
END_TEST

Suite *suite_policies(void);
Suite *suite_policies(void)
{
	Suite *s = suite_create("policies");
	TCase *t = tcase_create("policies");

	tcase_add_loop_test(t, entries_metadata_and_updates, 0, POLICIES);
	suite_add_tcase(s, t);
	return s;
}

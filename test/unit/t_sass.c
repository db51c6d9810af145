/* Machine code: the tables are sound, encoding gives back what decoding read, and the text is that of nvdisasm. */
#include "analyzer/base/rng.h"
#include "analyzer/sass/table.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const unsigned sms[] = { 75, 80, 86, 89, 90, 100, 103, 110, 120, 121 };
enum { NSM = sizeof sms / sizeof *sms };

static const char *text(struct arena *a, unsigned sm, uint64_t lo, uint64_t hi, uint64_t pc)
{
	struct sass_insn i;
	struct sass_print how = { .pc = pc };

	ck_assert_msg(sass_decode(sm, (struct sass_word){ lo, hi }, &i), "sm_%u %016lx %016lx", sm, (unsigned long)lo, (unsigned long)hi);
	ck_assert_msg(!i.unclaimed.lo && !i.unclaimed.hi, "sm_%u %s: unclaimed %lx %lx", sm, sass_print(a, sm, &i, &how), (unsigned long)i.unclaimed.lo,
		(unsigned long)i.unclaimed.hi);
	struct sass_word w = sass_encode(sm, &i);
	ck_assert_msg(w.lo == lo && w.hi == hi, "sm_%u %s: encoded as %016lx %016lx", sm, sass_print(a, sm, &i, &how), (unsigned long)w.lo, (unsigned long)w.hi);
	return sass_print(a, sm, &i, &how);
}

/* Encodings that ptxas makes, and what nvdisasm writes for them. */
static const struct { unsigned sm; uint64_t lo, hi, pc; const char *text; } facts[] = {
#define FACT(sm, lo, hi, pc, text) { sm, UINT64_C(lo), UINT64_C(hi), pc, text },
#include "test/unit/sass_facts.def"
};

START_TEST(text_is_that_of_nvdisasm)
{
	struct arena a;

	arena_init(&a);
	ck_assert_str_eq(text(&a, facts[_i].sm, facts[_i].lo, facts[_i].hi, facts[_i].pc), facts[_i].text);
	arena_free(&a);
}
END_TEST

START_TEST(tables_have_no_mistake)
{
	const struct sass_table *t = sass_table();

	if (t->error) ck_abort_msg("%s", t->error);
	ck_assert_uint_gt(t->nrow, 700);
}
END_TEST

/* A word that the row takes: random, with the bits that select the row set. */
static struct sass_word word_for(const struct sass_row *r, uint64_t *g)
{
	struct sass_word w = { rng_next(g), rng_next(g) };

	w.lo = (w.lo & ~r->match.mlo) | r->match.vlo;
	w.hi = (w.hi & ~r->match.mhi) | r->match.vhi;
	sass_put(&w, 0, 12, r->base | (unsigned)r->form << 9);
	sass_put(&w, 91, 1, r->ext);
	return w;
}

/* Every bit is either read by a field and written by it again, or reported. */
START_TEST(encoding_gives_back_every_claimed_bit)
{
	const struct sass_table *t = sass_table();
	uint64_t g = 7;

	for (unsigned n = 0; n < t->nrow; n++)
		for (unsigned k = 0; k < NSM; k++) {
			if (sms[k] < t->row[n].lo || sms[k] > t->row[n].hi) continue;
			struct sass_word w = word_for(&t->row[n], &g), e;
			struct sass_insn i;

			ck_assert(sass_decode(sms[k], w, &i));
			e = sass_encode(sms[k], &i);
			if (e.lo != (w.lo & ~i.unclaimed.lo) || e.hi != (w.hi & ~i.unclaimed.hi))
				ck_abort_msg("sm_%u %s form %u (%s): %016lx %016lx became %016lx %016lx", sms[k], i.row->mnemonic, i.row->form, i.row->operands,
					(unsigned long)w.lo, (unsigned long)w.hi, (unsigned long)e.lo, (unsigned long)e.hi);
			ck_assert_uint_lt(i.nmod, SASS_MODS);
		}
}
END_TEST

START_TEST(control_fields_are_read_and_written)
{
	/* wait for barriers 0 and 5, set 2 on writing and 1 on reading, no yield, stall 11, reuse A and C */
	struct sass_word w = { 0x0000000302007223, (uint64_t)(5 << 17 | 0x21 << 11 | 1 << 8 | 2 << 5 | 1 << 4 | 11) << 41 | 0x4 };
	struct sass_control c = sass_control(w);
	char s[SASS_CONTROL_CHARS];

	ck_assert_uint_eq(c.stall, 11);
	ck_assert_uint_eq(c.yield, 1);
	ck_assert_uint_eq(c.wbar, 2);
	ck_assert_uint_eq(c.rbar, 1);
	ck_assert_uint_eq(c.wait, 0x21);
	ck_assert_uint_eq(c.reuse, 5);
	sass_print_control(s, c);
	ck_assert_str_eq(s, "[B0----5:R1:W2:-:S11]");
	sass_print_control(s, (struct sass_control){ .wbar = 7, .rbar = 7, .stall = 1 });
	ck_assert_str_eq(s, "[B------:R-:W-:Y:S01]");
}
END_TEST

START_TEST(an_unknown_opcode_is_unknown_and_keeps_its_control)
{
	struct sass_insn i;
	struct sass_word w = { 0x00000000000079ff, 0x000fe20003800000 };

	ck_assert(!sass_decode(80, w, &i));
	ck_assert_ptr_null(i.row);
	ck_assert_int_eq(sass_class(&i), SCLASS_UNKNOWN);
	ck_assert_uint_eq(i.control.stall, 1);
	ck_assert_uint_eq(i.unclaimed.lo, w.lo);
	ck_assert(!sass_sm_known(70));
	ck_assert(sass_sm_known(120));
}
END_TEST

Suite *suite_sass(void);
Suite *suite_sass(void)
{
	Suite *s = suite_create("sass");
	TCase *t = tcase_create("sass");

	tcase_add_test(t, tables_have_no_mistake);
	tcase_add_test(t, encoding_gives_back_every_claimed_bit);
	tcase_add_test(t, control_fields_are_read_and_written);
	tcase_add_test(t, an_unknown_opcode_is_unknown_and_keeps_its_control);
	tcase_add_loop_test(t, text_is_that_of_nvdisasm, 0, (int)(sizeof facts / sizeof *facts));
	suite_add_tcase(s, t);
	return s;
}

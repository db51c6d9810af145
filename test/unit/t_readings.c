/* Reads of clocks, as a model collects them; t_engine.c has an execution that is told them. */
#include "runtime-model/gpu/readings.h"
#include "test/unit/levels.h"

Suite *suite_readings(void);

/* clock, add, clock, in two warps of each CTA: read n of a warp is the issue of its n-th of them. */
START_TEST(each_warp_has_its_own)
{
	static const uint32_t reads[] = { 0, 2 };
	struct engine_clock c;
	struct readings *r;
	struct stream s;
	uint64_t at;

	stream_init(&s);
	s.warps = 2;
	s.ctas = 2;
	for (unsigned i = 0; i < 3; i++) {
		const uint32_t n =
			i == 1 ? stream_insn(&s, OP_ADD_S32, 1, 2, 1, -1) : stream_insn(&s, OP_MOV_B32, 2, -1, -1, -1);

		if (i != 1)
			insn_src(s.k, &s.k->insn[n])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_CLOCK };
	}
	stream_straight(&s, 0);
	ck_assert(readings_wanted(s.k));
	r = readings_new(s.k, 2, 2, &s.a);
	s.watcher = readings_probe(r);
	ck_assert(stream_run(&s));
	c = readings_clock(r, 0, 1000);
	for (unsigned w = 0; w < 2; w++) {
		for (unsigned n = 0; n < 2; n++) {
			ck_assert(c.at(c.ctx, 0, w, n, &at));
			ck_assert_uint_eq(at, stream_when(s.issued, w, reads[n], 0));
			ck_assert(c.at(c.ctx, 1, w, n, &at));
		}
		ck_assert(!c.at(c.ctx, 0, w, 2, &at));
	}
	readings_free(r);
	stream_free(&s);
}
END_TEST

START_TEST(a_kernel_without_a_clock_wants_none)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 1, -1);
	ck_assert(!readings_wanted(s.k));
	stream_free(&s);
}
END_TEST

Suite *suite_readings(void)
{
	Suite *s = suite_create("readings");
	TCase *t = tcase_create("readings");

	tcase_add_test(t, each_warp_has_its_own);
	tcase_add_test(t, a_kernel_without_a_clock_wants_none);
	suite_add_tcase(s, t);
	return s;
}

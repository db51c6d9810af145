/* What lets CTAs into an SM, what holds more of them out, and what would let one more in. */
#include "analyzer/base/rng.h"
#include "stream.h"
#include "runtime-model/core/occupancy.h"

static const struct {
	unsigned threads, regs;
	uint32_t shared;
	unsigned ctas;
	enum occupancy_limit why;
} room[] = {
	{ 32, 8, 0, 8, LIMIT_CTAS },         { 256, 20, 0, 6, LIMIT_THREADS },    { 256, 52, 0, 2, LIMIT_REGISTERS },
	{ 256, 21, 0, 5, LIMIT_REGISTERS },  { 256, 16, 16384, 3, LIMIT_SHARED }, { 512, 63, 0, 1, LIMIT_REGISTERS },
	{ 1024, 16, 0, 1, LIMIT_THREADS },   { 33, 16, 0, 8, LIMIT_CTAS },        { 1024, 40, 0, 0, LIMIT_REGISTERS },
	{ 128, 16, 49153, 0, LIMIT_SHARED },
};

START_TEST(occupancy_follows_threads_ctas_registers_and_shared_memory)
{
	enum occupancy_limit why;
	struct stream s;

	stream_init(&s);
	s.k->res.regs = room[_i].regs;
	ck_assert_uint_eq(gpu_max_ctas(&(struct gpu_job){ .params = &s.p,
							  .rf = &s.rf,
							  .kernel = s.k,
							  .threads_per_cta = room[_i].threads,
							  .shared_bytes = room[_i].shared },
				       &why),
			  room[_i].ctas);
	ck_assert_str_eq(occupancy_limit_name(why), occupancy_limit_name(room[_i].why));
	stream_free(&s);
}
END_TEST

/* For one more CTA: the alternatives, as threads, registers, shared bytes of those that must change, else 0. */
static const struct {
	unsigned threads, regs;
	uint32_t shared;
	unsigned n;
	struct {
		unsigned threads, regs;
		uint32_t shared;
	} to[2];
	unsigned block;
} gain[] = {
	/* 32768 / (256 * 20) = 6; at 24 registers 42 warps fit: 6 CTAs of 7 */
	{ 256, 21, 0, 2, { { 0, 20, 0 }, { 224, 0, 0 } }, 224 },
	{ 256, 20, 0, 1, { { 192, 0, 0 } }, 0 }, /* 48 warps: 7 CTAs of 6, and 51 warps of 20 registers */
	/* 3: 42.7; at 52 registers 19 warps fit, a prime */
	{ 256, 52, 0, 2, { { 0, 40, 0 }, { 192, 0, 0 } }, 608 },
	{ 256, 16, 16384, 1, { { 0, 0, 12288 } }, 512 }, /* 4 CTAs of 12 KB; 3 of 16 warps fill all 48 */
	{ 32, 8, 0, 0, { { 0, 0, 0 } }, 192 },           /* no ninth CTA; 8 of 6 warps fill all 48 */
	{ 512, 63, 0, 2, { { 0, 32, 0 }, { 256, 0, 0 } }, 0 },
	{ 1024, 30, 0, 2, { { 768, 20, 0 }, { 512, 0, 0 } }, 0 },
};

static unsigned ctas_after(struct occupancy_query q, const struct occupancy_change *c)
{
	q.regs = c->regs;
	q.threads = c->threads;
	q.shared_bytes = c->shared_bytes;
	return occupancy_of(&q).ctas;
}

START_TEST(occupancy_says_what_one_more_cta_takes)
{
	struct occupancy_gain g;
	struct occupancy_query q;
	struct stream s;

	stream_init(&s);
	s.k->res.regs = gain[_i].regs;
	q = occupancy_query_of(&s.p, &s.rf, s.k, gain[_i].threads, gain[_i].shared);
	g = occupancy_gain(&q);
	ck_assert_uint_eq(g.n, gain[_i].n);
	for (unsigned i = 0; i < g.n; i++) {
		const struct occupancy_change *c = &g.change[i];

		ck_assert_uint_eq(c->what >> LIMIT_THREADS & 1 ? c->threads : 0, gain[_i].to[i].threads);
		ck_assert_uint_eq(c->what >> LIMIT_REGISTERS & 1 ? c->regs : 0, gain[_i].to[i].regs);
		ck_assert_uint_eq(c->what >> LIMIT_SHARED & 1 ? c->shared_bytes : 0, gain[_i].to[i].shared);
	}
	ck_assert_uint_eq(occupancy_best_block(&q), gain[_i].block ? gain[_i].block : gain[_i].threads);
	stream_free(&s);
}
END_TEST

/* Does any value of one resource, with the others as they are, gain a CTA? */
static bool gains_alone(const struct occupancy_query *q, enum occupancy_limit what)
{
	unsigned ctas = occupancy_of(q).ctas;
	struct occupancy_change c = { 0, q->threads, q->regs, q->shared_bytes };
	unsigned *v;
	if (what == LIMIT_THREADS)
		v = &c.threads;
	else
		v = what == LIMIT_REGISTERS ? &c.regs : &c.shared_bytes;

	for (--*v; (int)*v > 0; --*v)
		if (ctas_after(*q, &c) > ctas)
			return true;
	return false;
}

START_TEST(every_advice_gains_a_cta_and_nothing_less_does)
{
	uint64_t rng = 20 + (uint64_t)_i;
	struct stream s;

	stream_init(&s);
	for (unsigned n = 0; n < 60; n++) {
		unsigned threads = 1 + (unsigned)rng_below(&rng, 1024);
		uint32_t shared = rng_below(&rng, 2) ? 1 + (uint32_t)rng_below(&rng, 20000) : 0;
		struct occupancy_query q;
		struct occupancy_gain g;
		unsigned ctas, single = 0;

		s.k->res.regs = 1 + (uint8_t)rng_below(&rng, 63);
		q = occupancy_query_of(&s.p, &s.rf, s.k, threads, shared);
		ctas = occupancy_of(&q).ctas;
		if (!ctas)
			continue;
		g = occupancy_gain(&q);
		for (unsigned i = 0; i < g.n; i++) {
			struct occupancy_change c = g.change[i];
			unsigned *const value[LIMIT_COUNT] = { NULL, &c.threads, &c.regs, &c.shared_bytes };

			ck_assert_uint_ne(c.what, 0);
			ck_assert_uint_gt(ctas_after(q, &c), ctas);
			for (unsigned r = LIMIT_THREADS; r < LIMIT_COUNT; r++)
				if (c.what >> r & 1) {
					++*value[r];
					ck_assert_uint_le(ctas_after(q, &c), ctas);
					--*value[r];
				}
			single |= c.what & (c.what - 1) ? 0 : c.what;
		}
		for (unsigned r = LIMIT_THREADS; r < LIMIT_COUNT; r++) /* what suffices alone is said */
			ck_assert_int_eq(gains_alone(&q, (enum occupancy_limit)r), single >> r & 1);
	}
	stream_free(&s);
}
END_TEST

START_TEST(a_kernel_that_does_not_fit_is_refused)
{
	struct stream s;

	stream_init(&s);
	s.k->res.regs = 60;
	s.warps = 32;
	stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_straight(&s, 0);
	ck_assert(!stream_run(&s));
	ck_assert_ptr_nonnull(strstr(s.d.last, "does not fit"));
	ck_assert_ptr_nonnull(strstr(s.d.last, "registers"));
	stream_free(&s);
}
END_TEST

Suite *suite_occupancy(void);
Suite *suite_occupancy(void)
{
	Suite *s = suite_create("occupancy");
	TCase *c = tcase_create("limits");

	tcase_add_loop_test(c, occupancy_follows_threads_ctas_registers_and_shared_memory, 0,
			    sizeof room / sizeof *room);
	tcase_add_loop_test(c, occupancy_says_what_one_more_cta_takes, 0, sizeof gain / sizeof *gain);
	tcase_add_loop_test(c, every_advice_gains_a_cta_and_nothing_less_does, 0, 8);
	tcase_add_test(c, a_kernel_that_does_not_fit_is_refused);
	suite_add_tcase(s, c);
	return s;
}

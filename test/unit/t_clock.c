/* Quanta: the memory system never answers sooner than an SM runs alone, and the result is that of stepping every cycle,
 * on any number of threads. */
#include "analyzer/base/pool.h"
#include "analyzer/base/rng.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/memory/network.h"
#include "stream.h"

static void note_arrival(void *ctx, unsigned sm, const struct response *r)
{
	(void)sm;
	*(cycle *)ctx = r->at;
}

START_TEST(no_reply_comes_before_the_round_trip)
{
	uint64_t seed = (uint64_t)_i + 1;
	struct stats st;
	struct stream s;
	struct memory *m;
	struct network *net;
	cycle at = 0, least = UINT64_MAX, trip;

	stream_init(&s);
	stats_reset(&st);
	if (_i) {
		static const char *const name[] = { "sm_mhz", "icnt_mhz", "l2_mhz", "dram_mhz" };

		for (unsigned i = 0; i < 4; i++)
			ck_assert(params_set(&s.p, arena_printf(&s.a, "%s=%u", name[i], 100 + rng_below(&seed, 3900)),
					     &s.d));
		s.p.icnt_latency = 1 + rng_below(&seed, 20);
		s.p.l2_latency = 1 + rng_below(&seed, 40);
		s.p.flit_bytes = 8 + rng_below(&seed, 200);
		s.p.l2_port_bytes = 8 + rng_below(&seed, 120);
	}
	trip = memory_round_trip(&s.p);
	m = memory_new(&s.p, &st, NULL, &s.a);
	net = network_new(&s.p, &s.a);
	for (unsigned i = 0; i < 2000; i++) {
		static const enum memory_kind answered[] = { MEMORY_READ, MEMORY_WRITE, MEMORY_ATOMIC };
		enum memory_kind kind = answered[rng_below(&seed, 3)];
		unsigned line = rng_below(&seed, 64), sectors = 1 + rng_below(&seed, 15);
		struct response r = { .flits = (uint8_t)memory_reply_flits(&s.p, kind, sectors) };
		cycle reply = 0;

		network_reply(net, memory_slice(&s.p, line), 0, memory_request(m, at, kind, line, sectors), &r);
		ck_assert_uint_ge(network_next(net), at + trip);
		network_run(net, UINT64_MAX, note_arrival, &reply);
		ck_assert_uint_ge(reply, at + trip);
		least = reply - at < least ? reply - at : least;
		at += rng_below(&seed, 2) ? rng_below(&seed, 4) : rng_below(&seed, 2000);
	}
	ck_assert_uint_ge(trip, 5);
	if (!_i)
		ck_assert_uint_lt(least, trip + 8); /* and the bound is not idle */
	stream_free(&s);
}
END_TEST

static bool first(uint64_t cta, unsigned warp) { return (cta ^ warp) % 3 == 0; }

/* CTAs of different lengths on more than one SM, some of them empty, with loads that meet in the L2. */
static struct stats perturbed(unsigned variant, unsigned quantum, unsigned threads, unsigned seed)
{
	struct stream s;
	struct stats st;

	stream_init(&s);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(&s, OP_ADD_S32, 3, 1, 1, -1);
	stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
	stream_barrier(&s, 0, 0);
	for (unsigned i = 0; i < 40; i++) {
		stream_line(stream_record(&s, 0, 0), 64 * i + 7, 15);
		stream_record(&s, 0, 1);
		stream_line(stream_record(&s, 0, 2), 64 * i + 6, i % 16 + !(i % 16));
	}
	stream_record(&s, 0, 3);
	for (unsigned i = 0; i < 100 * variant; i++)
		stream_record(&s, 1, 1);
	s.second = first;
	s.warps = 3;
	s.ctas = 70;
	s.p.sms = 5;
	s.p.cta_launch_cycles = 1 + 30 * variant;
	s.p.perturb = seed;
	s.shared_bytes = variant == 2 ? 20000 : 0;
	s.quantum = quantum;
	s.threads = threads;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	st = s.st;
	stream_free(&s);
	return st;
}

static struct stats mixed(unsigned variant, unsigned quantum, unsigned threads)
{
	return perturbed(variant, quantum, threads, 0);
}

START_TEST(a_seed_delays_and_changes_no_work)
{
	struct stats plain = mixed((unsigned)_i, 0, 1), before = plain;

	for (unsigned seed = 1; seed < 4; seed++) {
		struct stats st = perturbed((unsigned)_i, 0, 1, seed);

		for (unsigned n = 1; n < 3; n++) {
			struct stats again = perturbed((unsigned)_i, n % 2 ? 1 + 6 * n : 0, n, seed);

			ck_assert_msg(memcmp(&again, &st, sizeof st) == 0, "seed %u, %u threads", seed, n);
		}
		ck_assert_uint_ne(st.cycles, before.cycles);
		ck_assert_uint_ne(st.cycles, plain.cycles);
		ck_assert_uint_eq(st.warp_instructions, plain.warp_instructions);
		ck_assert_uint_eq(st.thread_instructions, plain.thread_instructions);
		ck_assert_uint_eq(st.operand_reads, plain.operand_reads);
		ck_assert_uint_eq(st.rf_reads, plain.rf_reads);
		ck_assert_uint_eq(st.ctas, 70);
		before = st;
	}
}
END_TEST

START_TEST(the_result_does_not_depend_on_the_quantum)
{
	struct stats each = mixed((unsigned)_i, 1, 1);

	ck_assert_uint_eq(each.ctas, 70);
	for (unsigned q = 0; q < 100; q = q * 5 + 2) {
		struct stats st = mixed((unsigned)_i, q, 1);

		ck_assert_msg(memcmp(&st, &each, sizeof st) == 0, "quantum %u: %llu cycles, not %llu", q,
			      (unsigned long long)st.cycles, (unsigned long long)each.cycles);
	}
}
END_TEST

START_TEST(the_result_does_not_depend_on_the_threads)
{
	struct stats one = mixed((unsigned)_i, 0, 1);

	for (unsigned n = 2; n < 8; n++) {
		struct stats st = mixed((unsigned)_i, n % 2 ? 7 : 0, n);

		ck_assert_msg(memcmp(&st, &one, sizeof st) == 0, "%u threads: %llu cycles, not %llu", n,
			      (unsigned long long)st.cycles, (unsigned long long)one.cycles);
	}
}
END_TEST

struct counted {
	unsigned n[200];
};

static unsigned count(void *ctx, unsigned i)
{
	struct counted *c = ctx;

	c->n[i]++;
	return i % 3;
}

START_TEST(a_pool_does_each_task_once)
{
	struct counted c = { { 0 } };
	struct arena a;
	struct pool *p;

	arena_init(&a);
	ck_assert(!pool_new(&a, 1, count, &c));
	p = pool_new(&a, (unsigned)_i, count, &c);
	ck_assert(p);
	for (unsigned run = 0; run < 300; run++)
		pool_run(p, run % 201);
	pool_run(p, 0);
	pool_free(p);
	for (unsigned i = 0; i < 200; i++)
		ck_assert_uint_eq(c.n[i], 200 - i + (i < 98 ? 98 - i : 0)); /* runs of 0 .. 200 and 0 .. 98 tasks */
	arena_free(&a);
	ck_assert_uint_ge(pool_cores(), 1);
}
END_TEST

Suite *suite_clock(void);
Suite *suite_clock(void)
{
	Suite *s = suite_create("clock");
	TCase *c = tcase_create("quanta");

	tcase_add_loop_test(c, no_reply_comes_before_the_round_trip, 0, 20);
	tcase_add_loop_test(c, the_result_does_not_depend_on_the_quantum, 0, 3);
	tcase_add_loop_test(c, the_result_does_not_depend_on_the_threads, 0, 3);
	tcase_add_loop_test(c, a_seed_delays_and_changes_no_work, 0, 3);
	tcase_add_loop_test(c, a_pool_does_each_task_once, 2, 6);
	suite_add_tcase(s, c);
	return s;
}

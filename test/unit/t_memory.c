/* What lies beyond the SMs: the L2, DRAM and the network between. */
#include "stream.h"

#include "runtime-model/memory/cache.h"
#include "runtime-model/memory/dram.h"
#include "runtime-model/memory/memory.h"
#include "runtime-model/memory/network.h"

#include "analyzer/base/rng.h"

START_TEST(l2_hits_lines_that_another_sm_has_read)
{
	struct stream s;

	stream_load(&s, SP_GLOBAL);
	s.p.sms = 2;
	s.ctas = 2;
	stream_line(stream_record(&s, 0, 0), 1000, 15);
	stream_record(&s, 0, 1);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_read_misses, 2);
	ck_assert_uint_eq(s.st.dram_reads, 8); /* the sectors of a line of data and of one of code */
	ck_assert_uint_eq(s.st.l2_read_hits, 2);
	stream_free(&s);
}
END_TEST

START_TEST(dram_serves_an_open_row_faster_and_at_its_bandwidth)
{
	struct stats st;
	struct stream s;
	struct dram d;
	cycle first, again, other, t = 1000;

	stream_init(&s);
	stats_reset(&st);
	dram_init(&d, &s.p, &st, &s.a);
	first = dram_access(&d, 1000, 0, 1, 128, false) - 1000;
	again = dram_access(&d, 2000, 512, 1, 128, false) - 2000;
	other = dram_access(&d, 3000, 1 << 20, 1, 128, false) - 3000;
	ck_assert_uint_lt(again, first);
	ck_assert_uint_lt(first, other); /* it must close the row first */
	ck_assert_uint_eq(st.dram_row_hits, 1);
	ck_assert_uint_eq(st.dram_row_misses, 2);
	/* RCD + CL + two bursts of 2 cycles, CCDL apart in one bank group, at 924 MHz, in cycles of 700 MHz */
	ck_assert_uint_eq(first, (29 * 700 + 923) / 924);

	dram_init(&d, &s.p, &st, &s.a);
	for (unsigned i = 0; i < 1000; i++)
		t = dram_access(&d, 0, i * 128u, 1, 128, false);
	ck_assert_uint_ge(t, 4000u * 700 / 924);
	ck_assert_uint_le(t, 4000u * 700 / 924 + 200);
	/* the data bus of a busy partition turns round for a batch of writes between two of reads */
	dram_init(&d, &s.p, &st, &s.a);
	for (unsigned i = 0; i < 64; i++)
		t = dram_access(&d, 0, i * 128u, 1, 128, false);
	ck_assert_uint_eq(dram_access(&d, 0, (1 << 20) + (1 << 13), 1, 128, true), ((4 * 65 + 2) * 700u + 923) / 924);
	ck_assert_uint_eq(dram_access(&d, 0, (1 << 21) + (1 << 14), 1, 128, false),
			  ((4 * 66 + 2 + 17) * 700u + 923) / 924);
	stream_free(&s);
}
END_TEST

START_TEST(a_reply_does_not_wait_behind_one_that_is_not_ready)
{
	struct stats st;
	struct stream s;
	struct memory *m;
	cycle miss, hit;

	stream_init(&s);
	stats_reset(&st);
	m = memory_new(&s.p, &st, NULL, &s.a);
	memory_request(m, 0, MEMORY_READ, 0, 15);
	miss = memory_request(m, 5000, MEMORY_READ, 24, 15); /* the same slice: 12 lines of 2 later */
	hit = memory_request(m, 5000, MEMORY_READ, 0, 15);
	ck_assert_uint_lt(hit, miss);
	ck_assert_uint_ge(hit - 5000, s.p.l2_latency + s.p.icnt_latency);
	ck_assert_uint_eq(st.l2_read_hits, 1);
	ck_assert_uint_eq(st.icnt_flits_up, 3);
	ck_assert_uint_eq(st.icnt_flits_down, 12);
	stream_free(&s);
}
END_TEST

START_TEST(dirty_lines_leave_the_l2_for_dram)
{
	struct stats st;
	struct stream s;
	struct memory *m;

	stream_init(&s);
	stats_reset(&st);
	s.p.l2_write_fetch = 1;
	s.p.l2_sectors = 0;
	m = memory_new(&s.p, &st, NULL, &s.a);
	/* lines of one set of one slice: 12 lines a round over the slices, 64 sets */
	for (uint64_t i = 0; i <= s.p.l2_ways; i++)
		memory_request(m, 1000 * i, MEMORY_WRITE, i * 12 * s.p.l2_sets, 15);
	ck_assert_uint_eq(st.l2_writebacks, 1);
	ck_assert_uint_eq(st.dram_writes, 1);
	ck_assert_uint_eq(st.dram_reads, 0);
	memory_request(m, 99999, MEMORY_WRITE, 1, 3);
	ck_assert_uint_eq(st.dram_reads, 1); /* a part of a line: the rest is read */
	stream_free(&s);
}
END_TEST

struct l2_test {
	struct stream s;
	struct stats st;
	struct memory *m;
};

static void l2_start(struct l2_test *t, struct l2 *kept)
{
	stats_reset(&t->st);
	t->m = memory_new(&t->s.p, &t->st, kept, &t->s.a);
}

START_TEST(a_sectored_l2_reads_what_is_asked_for)
{
	struct l2_test t;

	stream_init(&t.s);
	l2_start(&t, NULL);
	memory_request(t.m, 0, MEMORY_READ, 7, 3);
	ck_assert_uint_eq(t.st.dram_reads, 2);
	ck_assert_uint_eq(t.st.dram_bytes, 64);
	ck_assert_uint_eq(t.st.dram_bursts, 2); /* each sector takes a burst of 64 bytes */
	ck_assert_uint_eq(t.st.icnt_flits_down, 2);
	memory_request(t.m, 5000, MEMORY_READ, 7, 6); /* one of its sectors is there */
	ck_assert_uint_eq(t.st.dram_reads, 3);
	ck_assert_uint_eq(t.st.l2_read_hits, 0);
	memory_request(t.m, 9000, MEMORY_READ, 7, 7);
	ck_assert_uint_eq(t.st.l2_read_hits, 1);
	t.s.p.l2_sectors = 0;
	l2_start(&t, NULL);
	memory_request(t.m, 0, MEMORY_READ, 7, 3);
	ck_assert_uint_eq(t.st.dram_reads, 1);
	ck_assert_uint_eq(t.st.dram_bytes, 128);
	ck_assert_uint_eq(t.st.dram_bursts, 2);
	stream_free(&t.s);
}
END_TEST

START_TEST(a_write_that_misses_the_l2_does_what_its_policy_says)
{
	static const struct {
		uint32_t policy;
		uint64_t part_reads, whole_reads, writes;
	} row[] = {
		{ 0, 0, 0, 0 },
		{ 1, 1, 0, 0 },
		{ 2, 1, 1, 0 },
		{ 3, 1, 1, 1 },
	};
	struct l2_test t;

	stream_init(&t.s);
	t.s.p.l2_sectors = 0;
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		t.s.p.l2_write_fetch = row[i].policy;
		l2_start(&t, NULL);
		memory_request(t.m, 0, MEMORY_WRITE, 7, 3);
		ck_assert_uint_eq(t.st.dram_reads, row[i].part_reads);
		ck_assert_uint_eq(t.st.dram_writes, row[i].writes);
		memory_request(t.m, 5000, MEMORY_WRITE, 700, 15);
		ck_assert_uint_eq(t.st.dram_reads, row[i].part_reads + row[i].whole_reads);
		ck_assert_uint_eq(t.st.dram_writes, 2 * row[i].writes);
		ck_assert_uint_eq(t.st.l2_write_hits, 0);
	}
	stream_free(&t.s);
}
END_TEST

/* Line 0 is read by more than may wait for it: the rest, and what comes after them, waits until it is there. */
START_TEST(requests_that_an_l2_slice_cannot_note_hold_it_up)
{
	struct l2_test t;
	cycle first, other;

	stream_init(&t.s);
	for (uint32_t merges = 4; merges <= 8; merges += 4) {
		t.s.p.l2_merges = merges;
		l2_start(&t, NULL);
		first = memory_request(t.m, 0, MEMORY_READ, 0, 15);
		for (unsigned i = 1; i < 5; i++)
			memory_request(t.m, 0, MEMORY_READ, 0, 15);
		other = memory_request(t.m, 0, MEMORY_WRITE, 24, 15); /* the same slice: 12 slices of 2 lines on */
		ck_assert_int_eq(other > first, merges == 4);
	}
	t.s.p.l2_merges = 4;
	t.s.p.l2_mshrs = 4; /* the sectors of one line */
	l2_start(&t, NULL);
	first = memory_request(t.m, 0, MEMORY_READ, 0, 15);
	ck_assert_uint_eq(t.st.l2_stall_cycles, 0);
	other = memory_request(t.m, 0, MEMORY_READ, 24, 15);
	ck_assert_uint_gt(t.st.l2_stall_cycles, t.s.p.dram_latency);
	ck_assert_uint_gt(other, first + t.s.p.dram_latency);
	stream_free(&t.s);
}
END_TEST

START_TEST(what_the_l2_holds_outlives_a_launch)
{
	struct l2_test t;
	struct l2 *l2;

	stream_init(&t.s);
	l2 = l2_new(&t.s.p, &t.s.a);
	l2_copied(l2, 32, 96); /* sectors 1 to 3 of line 0 */
	l2_copied(l2, 4096, 0);
	l2_start(&t, l2);
	memory_request(t.m, 9000, MEMORY_READ, 0, 14);
	ck_assert_uint_eq(t.st.l2_read_hits, 1);
	memory_request(t.m, 9000, MEMORY_READ, 0, 15);
	memory_request(t.m, 9000, MEMORY_READ, 32, 15);
	ck_assert_uint_eq(t.st.l2_read_hits, 1);
	ck_assert_uint_eq(t.st.dram_reads, 5);
	l2_start(&t, l2);
	memory_request(t.m, 0, MEMORY_READ, 32, 15);
	ck_assert_uint_eq(t.st.l2_read_hits, 1);
	ck_assert_uint_eq(t.st.dram_reads, 0);
	stream_free(&t.s);
}
END_TEST

/* SM cycles from the arrival of the last of n requests, `step` bytes apart, to its end. */
static cycle dram_time(struct stream *s, unsigned n, uint64_t step, bool write, uint64_t then, bool then_write)
{
	struct stats st;
	struct dram d;

	stats_reset(&st);
	dram_init(&d, &s->p, &st, &s->a);
	for (unsigned i = 0; i < n; i++)
		dram_access(&d, 0, i * step, 1, 32, write);
	return dram_access(&d, 0, then, 1, 32, then_write);
}

START_TEST(dram_rules_cost_what_their_parameters_say)
{
	const uint64_t row = 1 << 16; /* bytes of a row of all banks */
	struct stream s;
	cycle with, without;

	stream_init(&s);
	s.p.sm_mhz = s.p.dram_mhz; /* then cycles are DRAM cycles */
	s.p.dram_queue = 0;
	/* a row is closed RAS or a column command after, reopened RP later; a write's data must be in for WR */
	ck_assert_uint_eq(dram_time(&s, 1, 0, false, row, false), 40 + 12 + 12 + 2);
	ck_assert_uint_eq(dram_time(&s, 1, 0, true, row, true), (12 + 4 + 2) + 12 + 12 + 12 + 4 + 2);
	s.p.dram_wr = 0;
	ck_assert_uint_eq(dram_time(&s, 1, 0, true, row, true), 40 + 12 + 4 + 2);
	/* one bank group serves a request in CCDL, two in a burst */
	with = dram_time(&s, 16, 512, false, 0, false);
	ck_assert_uint_eq(with, 17 * 3);
	s.p.dram_ccdl = 0;
	without = dram_time(&s, 16, 512, false, 0, false);
	ck_assert_uint_eq(without, 17 * 2);
	/* a request enters the scheduler's queue when one of the 8 before it has left: its row opens later */
	without = dram_time(&s, 8, 512, false, 1 << 13, false);
	s.p.dram_queue = 8;
	with = dram_time(&s, 8, 512, false, 1 << 13, false);
	ck_assert_uint_eq(without, 6 + 12 + 12 + 2); /* RRD after the other bank */
	ck_assert_uint_eq(with, (12 + 12 + 2) + 12 + 12 + 2);
	stream_free(&s);
}
END_TEST

static void count_arrival(void *ctx, unsigned sm, const struct response *r)
{
	(void)sm;
	(void)r;
	++*(uint64_t *)ctx;
}

struct arrivals {
	unsigned n, id[64], sm[64];
	cycle at[64];
};

static void arrive(void *ctx, unsigned sm, const struct response *r)
{
	struct arrivals *a = ctx;

	a->id[a->n] = r->id;
	a->sm[a->n] = sm;
	a->at[a->n++] = r->at;
}

static void leave(struct network *n, unsigned slice, unsigned sm, cycle ready, unsigned flits, unsigned id)
{
	network_reply(n, slice, sm, ready, &(struct response){ .flits = (uint8_t)flits, .id = (uint16_t)id });
}

START_TEST(a_reply_for_a_busy_sm_holds_up_those_behind_it)
{
	struct arrivals a = { 0 };
	struct network *n;
	struct stream s;

	stream_init(&s);
	s.p.sms = 4;
	s.p.icnt_latency = 10;
	n = network_new(&s.p, &s.a);
	ck_assert_uint_eq(network_next(n), UINT64_MAX);
	leave(n, 0, 0, 100, 4, 0); /* SM 0's port is taken from 100 to 104 */
	leave(n, 1, 0, 100, 4, 1); /* until 108 */
	leave(n, 1, 1, 101, 1, 2); /* for an idle SM, but behind that */
	leave(n, 2, 1, 101, 1, 3); /* another slice's is not */
	leave(n, 1, 2, 500, 1, 5); /* not ready: holds up nothing */
	leave(n, 1, 2, 300, 1, 4);
	ck_assert_uint_eq(network_next(n), 111);
	network_run(n, 115, arrive, &a); /* of all, those that are there before */
	ck_assert_uint_eq(a.n, 2);
	network_run(n, UINT64_MAX, arrive, &a);
	ck_assert_uint_eq(a.n, 6);
	for (unsigned i = 0; i < 6; i++) {
		static const struct {
			unsigned id, sm;
			cycle at;
		} want[] = {
			{ 0, 0, 114 }, { 3, 1, 112 }, { 1, 0, 118 }, { 2, 1, 119 }, { 4, 2, 311 }, { 5, 2, 511 },
		};

		ck_assert_uint_eq(a.id[i], want[i].id);
		ck_assert_uint_eq(a.sm[i], want[i].sm);
		ck_assert_uint_eq(a.at[i], want[i].at);
	}
	stream_free(&s);
}
END_TEST

/* Twelve slices with a backlog of packets of a flit for random SMs: Karol, Hluchyj and Morgan give 0.586 flits a cycle
 * and port for many ports as inputs saturate, 0.6 to 0.66 for a dozen. */
START_TEST(an_input_queued_crossbar_saturates_where_it_should)
{
	enum { EACH = 4000 };
	uint64_t arrived = 0, seed = 5;
	struct network *n;
	struct stream s;
	double rate;

	stream_init(&s);
	s.p.sms = 12;
	n = network_new(&s.p, &s.a);
	for (unsigned slice = 0; slice < 12; slice++)
		for (unsigned i = 0; i < EACH; i++)
			leave(n, slice, rng_below(&seed, 12), 0, 1, 0);
	network_run(n, 4000, count_arrival, &arrived); /* before the first slice has none left */
	rate = (double)arrived / 4000 / 12;
	ck_assert_double_ge(rate, 0.58);
	ck_assert_double_le(rate, 0.67);
	stream_free(&s);
}
END_TEST

START_TEST(slices_that_wait_for_one_sm_take_turns)
{
	struct arrivals a = { 0 };
	struct network *n;
	struct stream s;

	stream_init(&s);
	n = network_new(&s.p, &s.a);
	for (unsigned i = 0; i < 9; i++)
		leave(n, i % 3, 0, 0, 1, i % 3);
	network_run(n, UINT64_MAX, arrive, &a);
	for (unsigned i = 0; i < 9; i++)
		ck_assert_uint_eq(a.id[i], i % 3);
	stream_free(&s);
}
END_TEST

Suite *suite_memory(void);
Suite *suite_memory(void)
{
	Suite *s = suite_create("memory");
	TCase *c = tcase_create("memory");

	tcase_add_test(c, l2_hits_lines_that_another_sm_has_read);
	tcase_add_test(c, dram_serves_an_open_row_faster_and_at_its_bandwidth);
	tcase_add_test(c, a_reply_does_not_wait_behind_one_that_is_not_ready);
	tcase_add_test(c, dirty_lines_leave_the_l2_for_dram);
	tcase_add_test(c, a_sectored_l2_reads_what_is_asked_for);
	tcase_add_test(c, a_write_that_misses_the_l2_does_what_its_policy_says);
	tcase_add_test(c, requests_that_an_l2_slice_cannot_note_hold_it_up);
	tcase_add_test(c, what_the_l2_holds_outlives_a_launch);
	tcase_add_test(c, dram_rules_cost_what_their_parameters_say);
	tcase_add_test(c, a_reply_for_a_busy_sm_holds_up_those_behind_it);
	tcase_add_test(c, an_input_queued_crossbar_saturates_where_it_should);
	tcase_add_test(c, slices_that_wait_for_one_sm_take_turns);
	suite_add_tcase(s, c);
	return s;
}

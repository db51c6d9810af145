/* Streams of records: consumers on their own threads at their own pace, what is held for them and where, who waits for
 * whom. */
#include "test/unit/engine_run.h"

#include "analyzer/base/rng.h"

#include <sched.h>
#include <stdlib.h>

Suite *suite_stream(void);

#define BUSY                                                                                                          \
	KERNEL("mov.u32 %r3, 0; and.b32 %r6, %r0, 15;\n"                                                              \
	       "L: mad.lo.u32 %r4, %r3, 3, %r0; and.b32 %r4, %r4, 1023; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d1, " \
	       "%d3; ld.global.u32 %r5, [%d3];\n"                                                                     \
	       "and.b32 %r7, %r5, 1; setp.eq.u32 %p0, %r7, 0; @%p0 add.u32 %r8, %r8, %r5; @%p0 bra N; xor.b32 %r8, "  \
	       "%r8, %r5; N: add.u32 %r3, %r3, 1;\n"                                                                  \
	       "add.u32 %r9, %r6, 40; setp.lt.u32 %p1, %r3, %r9; @%p1 bra L; bar.sync 0; st.global.u32 [%d0], %r8;")
#define LONG_LOOP                                                                                                   \
	KERNEL("mov.u32 %r3, 0; L: add.u32 %r4, %r4, %r3; xor.b32 %r5, %r4, %r0; add.u32 %r3, %r3, 1; setp.lt.u32 " \
	       "%p0, %r3, %r39; @%p0 bra L; st.global.u32 [%d0], %r5;")

struct reader {
	struct engine *e;
	unsigned c;
	int pace; /* 0: CTA by CTA; 1: one record of each warp in turn; 2: bursts and pauses */
	uint64_t records, hash;
	bool failed;
};

static uint64_t digest(uint64_t h, const struct record *r)
{
	h = mix64(h ^ ((uint64_t)r->insn << 32 | r->active));
	for (unsigned i = 0; i < r->nline; i++)
		h = mix64(h ^ r->line[i]);
	for (unsigned i = 0; i < r->nsig; i++)
		h = mix64(h ^ r->sig[i].hash ^ r->sig[i].width);
	return h;
}

/* Reads `most` records of a warp into its own digest; false at its end. */
static bool read_some(struct reader *rd, uint64_t cta, unsigned w, unsigned most, uint64_t *h)
{
	struct record r;

	while (most--) {
		enum record_status s = engine_next(rd->e, rd->c, cta, w, &r);

		if (s != RECORD_OK) {
			rd->failed |= s == RECORD_FAILED;
			return false;
		}
		*h = digest(*h, &r);
		rd->records++;
	}
	return true;
}

enum { READ_CTAS = 24, READ_WARPS = 4, RESIDENT = 6 };

static void *read_all(void *arg)
{
	struct reader *rd = arg;
	uint64_t h[RESIDENT * READ_WARPS];
	bool open[RESIDENT * READ_WARPS];

	for (uint64_t base = 0; base < READ_CTAS; base += RESIDENT) {
		unsigned left = RESIDENT * READ_WARPS;

		for (unsigned i = 0; i < left; i++) {
			h[i] = i + base;
			open[i] = true;
		}
		while (left)
			for (unsigned i = 0; i < RESIDENT * READ_WARPS; i++) {
				unsigned most;
				if (rd->pace == 0)
					most = UINT32_MAX;
				else
					most = rd->pace == 1 ? 1 : 1 + (unsigned)mix64(rd->records + i) % 700;

				if (!open[i])
					continue;
				if (!read_some(rd, base + i / READ_WARPS, i % READ_WARPS, most, &h[i])) {
					open[i] = false;
					left--;
				}
				if (rd->pace == 2)
					sched_yield();
			}
		for (unsigned i = 0; i < RESIDENT * READ_WARPS; i++)
			rd->hash = mix64(rd->hash ^ h[i]);
	}
	return NULL;
}

enum { TINY_CAP = 64 << 10 };

static void open_busy(struct rig *r, uint64_t cap)
{
	rig_open(r, BUSY, 63);
	r->l.grid[0] = READ_CTAS;
	r->l.block[0] = READ_WARPS * 32;
	r->opt = (struct engine_options){ .want = WANT_SIG, .consumers = 1, .window = RESIDENT, .record_bytes = cap };
}

START_TEST(consumers_at_different_speeds_see_the_same_records)
{
	enum { READERS = 3 };
	struct reader alone = { .pace = 1 }, rd[READERS];
	pthread_t thread[READERS];
	struct rig r;
	struct engine *e;

	open_busy(&r, 0);
	alone.e = e = rig_engine(&r);
	read_all(&alone);
	ck_assert(!alone.failed);
	ck_assert_uint_eq(alone.records, engine_counts(e)->warp_insns);
	engine_free(e);

	r.opt.consumers = READERS;
	r.opt.record_bytes = _i ? TINY_CAP : 0;
	e = rig_engine(&r);
	for (unsigned c = 0; c < READERS; c++) {
		rd[c] = (struct reader){ .e = e, .c = c, .pace = (int)c };
		ck_assert_int_eq(pthread_create(&thread[c], NULL, read_all, &rd[c]), 0);
	}
	for (unsigned c = 0; c < READERS; c++) {
		pthread_join(thread[c], NULL);
		ck_assert(!rd[c].failed);
		ck_assert_uint_eq(rd[c].records, alone.records);
		ck_assert_uint_eq(rd[c].hash, alone.hash);
	}
	ck_assert_uint_eq(e->rec.pool->used, 0);
	ck_assert((e->rec.pool->slots != 0) == _i);
	engine_free(e);
	rig_close(&r);
}
END_TEST

START_TEST(memory_depends_on_the_window_and_not_on_the_length)
{
	size_t bytes[2];

	for (unsigned times = 0; times < 2; times++) {
		struct reader rd = { .pace = 1 };
		uint32_t rounds = times ? 20000 : 1000;
		struct rig r;

		rig_open(&r, LONG_LOOP, 63);
		memcpy(r.params + 16, &rounds, 4);
		r.l.grid[0] = READ_CTAS;
		r.l.block[0] = READ_WARPS * 32;
		r.opt = (struct engine_options){ .want = WANT_SIG, .consumers = 1, .window = RESIDENT };
		rd.e = rig_engine(&r);
		read_all(&rd);
		ck_assert(!rd.failed);
		ck_assert_uint_gt(rd.records, (uint64_t)rounds * READ_CTAS * READ_WARPS * 5);
		bytes[times] = rd.e->rec.a.total_bytes + rd.e->rec.pool->cut_bytes;
		engine_free(rd.e);
		rig_close(&r);
	}
	ck_assert_uint_lt(bytes[1], bytes[0] + (1u << 20));
	ck_assert_uint_lt(bytes[1], 4u << 20);
}
END_TEST

START_TEST(pages_of_consumed_ctas_go_back)
{
	struct rig r;
	struct engine *e;
	struct record rec;
	size_t after_first = 0;

	rig_open(&r, PTX_MODULE("", "mov.u32 %r0, 1; ret;"), 0);
	r.l.grid[0] = 40000;
	r.opt = (struct engine_options){ .consumers = 1, .window = 8 };
	e = rig_engine(&r);
	for (uint64_t cta = 0; cta < 40000; cta++) {
		ck_assert(engine_next(e, 0, cta, 0, &rec) == RECORD_OK && rec.insn == 0);
		ck_assert(engine_next(e, 0, cta, 0, &rec) == RECORD_OK && rec.insn == 1);
		ck_assert(engine_next(e, 0, cta, 0, &rec) == RECORD_END);
		if (cta == 3000)
			after_first = e->rec.a.total_bytes + e->rec.pool->cut_bytes;
	}
	ck_assert_uint_eq(e->rec.a.total_bytes + e->rec.pool->cut_bytes, after_first);
	engine_free(e);
	rig_close(&r);
}
END_TEST

START_TEST(a_fault_reaches_every_consumer_once_reported)
{
	struct rig r;
	struct engine *e;
	struct record rec;
	enum record_status s;
	unsigned n = 0;

	rig_open(&r, KERNEL("ld.global.u32 %r3, [%d1+8192];"), 0);
	r.opt.consumers = 2;
	e = rig_engine(&r);
	for (unsigned c = 0; c < 2; c++) {
		while ((s = engine_next(e, c, 0, 0, &rec)) == RECORD_OK)
			n++;
		ck_assert(s == RECORD_FAILED);
		ck_assert(engine_next(e, c, 0, 0, &rec) == RECORD_FAILED);
	}
	ck_assert_uint_eq(n % 2, 0);
	ck_assert_uint_gt(n, 8); /* what came before the fault */
	ck_assert_uint_eq(r.d.errors, 1);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* ---- what is held ---- */
static void open_long(struct rig *r, uint32_t rounds, unsigned want, unsigned consumers)
{
	rig_open(r, LONG_LOOP, 63);
	memcpy(r->params + 16, &rounds, 4);
	r->l.grid[0] = READ_CTAS;
	r->l.block[0] = READ_WARPS * 32;
	r->opt = (struct engine_options){ .want = want, .consumers = consumers, .window = READ_CTAS };
}

/* The first warp alone is read, so everything that the others did waits. */
START_TEST(runs_of_arithmetic_take_bits)
{
	struct rig r;
	struct engine *e;
	uint64_t h = 0, made;
	struct reader rd = { 0 };

	open_long(&r, 20000, 0, 1);
	rd.e = e = rig_engine(&r);
	ck_assert(!read_some(&rd, 0, 0, UINT32_MAX, &h) && !rd.failed);
	made = e->counts.warp_insns;
	ck_assert_uint_gt(made, 5u * 20000 * READ_CTAS * READ_WARPS * 9 / 10);
	ck_assert_uint_lt(e->rec.pool->used * CHUNK_BYTES, made / 6);
	for (uint64_t i = 1; i < READ_CTAS * READ_WARPS; i++)
		ck_assert(!read_some(&rd, i / READ_WARPS, (unsigned)(i % READ_WARPS), UINT32_MAX, &h) && !rd.failed);
	ck_assert_uint_eq(rd.records, engine_counts(e)->warp_insns);
	ck_assert_uint_eq(e->rec.pool->used, 0);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* With values in records too, whose chunks are larger. */
START_TEST(what_does_not_fit_lies_in_a_file)
{
	uint64_t hash[2];

	for (unsigned times = 0; times < 2; times++) {
		struct reader rd = { 0 };
		struct rig r;

		open_busy(&r, times ? TINY_CAP : 0);
		r.opt.want |= _i ? WANT_VALUES : 0;
		r.opt.window = READ_CTAS;
		rd.e = rig_engine(&r);
		read_all(&rd);
		ck_assert(!rd.failed);
		ck_assert_uint_eq(rd.records, engine_counts(rd.e)->warp_insns);
		hash[times] = rd.hash;
		ck_assert((rd.e->rec.pool->slots != 0) == times);
		ck_assert(!times || rd.e->rec.pool->cut_bytes <= TINY_CAP + (uint64_t)READ_CTAS * READ_WARPS * 2 *
										    rd.e->rec.pool->chunk_bytes);
		engine_free(rd.e);
		ck_assert_int_eq(r.dev->spare_chunks->fd, -1);
		rig_close(&r);
	}
	ck_assert_uint_eq(hash[0], hash[1]);
}
END_TEST

START_TEST(a_folder_that_takes_no_file_ends_the_launch)
{
	const char *was = getenv("TMPDIR");
	char *keep = was ? strdup(was) : NULL;
	struct reader rd = { 0 };
	struct rig r;

	setenv("TMPDIR", "/nonexistent/folder", 1);
	open_busy(&r, TINY_CAP);
	r.opt.window = READ_CTAS;
	rd.e = rig_engine(&r);
	read_all(&rd);
	ck_assert(rd.failed);
	ck_assert_uint_eq(r.d.errors, 1);
	ck_assert_msg(strstr(r.d.last, "/nonexistent/folder (TMPDIR)") != NULL, "%s", r.d.last);
	engine_free(rd.e);
	rig_close(&r);
	if (keep)
		setenv("TMPDIR", keep, 1);
	else
		unsetenv("TMPDIR");
	free(keep);
}
END_TEST

/* The next launch on a device uses the memory of the one before, whatever lay there. */
START_TEST(memory_serves_the_next_launch)
{
	struct reader rd[3] = { 0 };
	struct slab *first = NULL;
	struct rig r;

	open_busy(&r, 0);
	for (unsigned times = 0; times < 3; times++) {
		rd[times].e = rig_engine(&r);
		if (times == 1) { /* leaves all that was made */
			struct record out;

			ck_assert(engine_next(rd[1].e, 0, READ_CTAS - 1, 0, &out) == RECORD_OK);
		} else {
			read_all(&rd[times]);
		}
		ck_assert(times == 0 || rd[times].e->rec.pool->first == first);
		first = rd[times].e->rec.pool->first;
		engine_free(rd[times].e);
		memset(r.out, 0, OUT_WORDS * sizeof *r.out);
	}
	ck_assert_uint_eq(rd[0].hash, rd[2].hash);
	rig_close(&r);
}
END_TEST

/* ---- who waits for whom ---- */
static unsigned waiting(struct engine *e) { return atomic_load(&e->waiting); }

/* Consumer 0 runs away until it sleeps; then the other reads, or leaves. */
START_TEST(who_is_ahead_sleeps_and_the_slowest_goes_on)
{
	struct reader fast = { .pace = 0 }, slow = { .c = 1, .pace = 1 };
	pthread_t thread;
	struct rig r;
	struct engine *e;

	open_long(&r, 10000, WANT_SIG, 2);
	r.opt.window = RESIDENT;
	fast.e = slow.e = e = rig_engine(&r);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_all, &fast), 0);
	while (!waiting(e))
		sched_yield();
	ck_assert_uint_gt(atomic_load(&e->rec.consumer[0].passed), LEAD_CHUNKS);
	pthread_mutex_lock(&e->lock);
	ck_assert_uint_lt(e->counts.warp_insns, (uint64_t)5 * 10000 * READ_CTAS * READ_WARPS * 3 / 4);
	pthread_mutex_unlock(&e->lock);
	if (_i)
		engine_leave(e, 1);
	else
		read_all(&slow);
	pthread_join(thread, NULL);
	ck_assert(!fast.failed && !slow.failed);
	ck_assert_uint_eq(fast.records, engine_counts(e)->warp_insns);
	ck_assert(_i || (slow.records == fast.records && slow.hash == fast.hash));
	ck_assert_uint_eq(e->rec.pool->used, 0);
	engine_free(e);
	rig_close(&r);
}
END_TEST

START_TEST(a_consumer_may_leave_at_any_time)
{
	struct reader gone = { 0 }, stays = { .c = 1, .pace = 1 };
	struct rig r;
	struct engine *e;
	uint64_t h = 0;

	open_busy(&r, _i ? TINY_CAP : 0);
	r.opt.consumers = 2;
	gone.e = stays.e = e = rig_engine(&r);
	for (unsigned w = 0; w < READ_WARPS; w++) /* some CTAs whole, one in part, the others not at all */
		for (uint64_t cta = 0; cta < 3; cta++)
			read_some(&gone, cta, w, cta < 2 ? UINT32_MAX : 20 * w, &h);
	engine_leave(e, 0);
	engine_leave(e, 0);
	read_all(&stays);
	ck_assert(!stays.failed);
	ck_assert_uint_eq(stays.records, engine_counts(e)->warp_insns);
	ck_assert_uint_eq(e->rec.pool->used, 0);
	engine_free(e);
	rig_close(&r);
}
END_TEST

struct share {
	struct reader rd;
	unsigned first;
};

/* Every third warp of every CTA. */
static void *read_share(void *arg)
{
	struct share *s = arg;

	for (uint64_t i = s->first; i < READ_CTAS * READ_WARPS; i += 3) {
		uint64_t h = i;

		read_some(&s->rd, i / READ_WARPS, (unsigned)(i % READ_WARPS), UINT32_MAX, &h);
		s->rd.hash += mix64(h);
	}
	return NULL;
}

/* One consumer's warps on three threads. */
START_TEST(threads_share_a_consumer)
{
	uint64_t hash = 0;

	for (unsigned times = 0; times < 2; times++) {
		struct share s[3];
		pthread_t thread[3];
		uint64_t sum = 0, records = 0;
		struct rig r;
		struct engine *e;

		open_busy(&r, TINY_CAP);
		e = rig_engine(&r);
		for (unsigned t = 0; t < 3; t++) {
			s[t] = (struct share){ .rd = { .e = e }, .first = t };
			if (times)
				ck_assert_int_eq(pthread_create(&thread[t], NULL, read_share, &s[t]), 0);
			else
				read_share(&s[t]);
		}
		for (unsigned t = 0; t < 3; t++) {
			if (times)
				pthread_join(thread[t], NULL);
			ck_assert(!s[t].rd.failed);
			sum += s[t].rd.hash;
			records += s[t].rd.records;
		}
		ck_assert_uint_eq(records, engine_counts(e)->warp_insns);
		ck_assert(!times || sum == hash);
		hash = sum;
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

Suite *suite_stream(void)
{
	Suite *s = suite_create("stream");
	TCase *t = tcase_create("stream");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, consumers_at_different_speeds_see_the_same_records, 0, 2);
	tcase_add_test(t, memory_depends_on_the_window_and_not_on_the_length);
	tcase_add_test(t, pages_of_consumed_ctas_go_back);
	tcase_add_test(t, a_fault_reaches_every_consumer_once_reported);
	tcase_add_test(t, runs_of_arithmetic_take_bits);
	tcase_add_loop_test(t, what_does_not_fit_lies_in_a_file, 0, 2);
	tcase_add_test(t, a_folder_that_takes_no_file_ends_the_launch);
	tcase_add_test(t, memory_serves_the_next_launch);
	tcase_add_loop_test(t, who_is_ahead_sleeps_and_the_slowest_goes_on, 0, 2);
	tcase_add_loop_test(t, a_consumer_may_leave_at_any_time, 0, 2);
	tcase_add_test(t, threads_share_a_consumer);
	suite_add_tcase(s, t);
	return s;
}

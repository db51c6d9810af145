/* Watchers of a run: launches, counters at intervals, several at once. */
#include "stream.h"

enum { SAMPLES = 4096, SMS = 4 };

struct sample { unsigned sm; cycle upto; struct stats st; };

struct watch {
	struct gpu_probe probe;
	unsigned starts, ends, n, events;
	cycle cycles;
	struct sample v[SAMPLES];
};

static void started(void *ctx, const struct gpu_job *j)
{
	struct watch *s = ctx;

	ck_assert_uint_eq(j->params->sms, SMS);
	s->starts++;
	s->n = 0;
}

static void ended(void *ctx, cycle cycles, const struct stats *st)
{
	struct watch *s = ctx;

	ck_assert_uint_eq(cycles, st->cycles);
	s->ends++;
	s->cycles = cycles;
}

static void sampled(void *ctx, unsigned sm, cycle upto, const struct stats *st)
{
	struct watch *s = ctx;

	ck_assert_uint_lt(s->n, SAMPLES);
	s->v[s->n++] = (struct sample){ sm, upto, *st };
}

static void counted(void *ctx, const struct probe_event *e)
{
	struct watch *s = ctx;

	ck_assert_int_eq(e->kind, PROBE_CTA_START);
	s->events++;
}

/* Loads and stores of several CTAs on four SMs. */
static void program(struct stream *s)
{
	stream_init(s);
	s->p.sms = SMS;
	s->warps = 2;
	s->ctas = 40;
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, 4, -1);
	stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 2, 5);
	for (unsigned i = 0; i < 20; i++)
		for (uint32_t n = 0; n < 3; n++) {
			struct stream_record *r = stream_record(s, 0, n);

			if (n != 1)
				stream_line(r, i * 64 + n, 15);
		}
}

static void watch_init(struct watch *s, cycle interval, const struct gpu_probe *next)
{
	s->probe = (struct gpu_probe){
		.ctx = s, .want = PROBE(CTA_START), .event = counted, .start = started, .end = ended, .interval = interval,
		.sample = sampled, .next = next,
	};
}

/* The last that an SM, or the memory system, had counted at cycle `upto`. */
static const struct sample *find(const struct watch *s, unsigned sm, cycle upto)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i].sm == sm && s->v[i].upto == upto)
			return &s->v[i];
	return NULL;
}

START_TEST(samples_come_at_each_interval_and_add_up_to_the_counters)
{
	struct watch *a = calloc(2, sizeof *a), *b = a + 1;
	struct stats sum;
	struct stream s;

	program(&s);
	watch_init(a, 100, &b->probe);
	watch_init(b, 70, NULL);
	s.watcher = &a->probe;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(a->starts, 1);
	ck_assert_uint_eq(a->ends, 1);
	ck_assert_uint_eq(a->cycles, s.st.cycles);
	ck_assert_uint_eq(a->events, s.ctas);
	ck_assert_uint_eq(b->events, s.ctas);
	ck_assert_uint_gt(s.st.cycles, 1000);

	stats_reset(&sum);
	for (unsigned sm = 0; sm <= SMS; sm++) {
		unsigned id = sm < SMS ? sm : PROBE_MEMORY;
		uint64_t slots = 0;

		for (cycle at = 100; at < s.st.cycles; at += 100) {
			const struct sample *x = find(a, id, at);

			ck_assert_ptr_nonnull(x);
			ck_assert_uint_eq(x->st.issue_slots, id == PROBE_MEMORY ? 0 : at * s.p.schedulers);
			for (unsigned i = slots = 0; i < STALL_COUNT; i++)
				slots += x->st.slots[i];
			ck_assert_uint_eq(slots, x->st.issue_slots);
		}
		for (cycle at = 70; at < s.st.cycles; at += 70)
			ck_assert_ptr_nonnull(find(b, id, at));
		ck_assert_ptr_nonnull(find(a, id, s.st.cycles));
		stats_merge(&sum, &find(a, id, s.st.cycles)->st);
		if (s.st.cycles % 70)
			ck_assert_ptr_nonnull(find(b, id, s.st.cycles));
	}
	sum.cycles = s.st.cycles;
	sum.launches = 1;
	ck_assert_mem_eq(&sum, &s.st, sizeof sum);
	stream_free(&s);
	free(a);
}
END_TEST

START_TEST(samples_do_not_depend_on_the_quantum)
{
	struct watch *a = calloc(2, sizeof *a), *b = a + 1;
	struct stream s;

	program(&s);
	watch_init(a, 64, NULL);
	watch_init(b, 64, NULL);
	s.watcher = &a->probe;
	ck_assert(stream_run(&s));
	s.watcher = &b->probe;
	s.quantum = 1;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(a->n, b->n);
	for (unsigned i = 0; i < a->n; i++)
		ck_assert_mem_eq(&a->v[i].st, &find(b, a->v[i].sm, a->v[i].upto)->st, sizeof a->v[i].st);
	stream_free(&s);
	free(a);
}
END_TEST

Suite *suite_probe(void);

Suite *suite_probe(void)
{
	Suite *s = suite_create("probe");
	TCase *t = tcase_create("probe");

	tcase_add_test(t, samples_come_at_each_interval_and_add_up_to_the_counters);
	tcase_add_test(t, samples_do_not_depend_on_the_quantum);
	suite_add_tcase(s, t);
	return s;
}

/* Watchers of a run: launches, counters at intervals, several at once; what warps do in each cycle. */
#include "stream.h"

enum { SAMPLES = 4096, SMS = 4 };

struct sample {
	unsigned sm;
	cycle upto;
	struct stats st;
};

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

static void program(struct stream *s) { stream_traffic(s, SMS, 2, 40, 20); }

static void watch_init(struct watch *s, cycle interval, const struct gpu_probe *next)
{
	s->probe = (struct gpu_probe){
		.ctx = s,
		.want = PROBE(CTA_START),
		.event = counted,
		.start = started,
		.end = ended,
		.interval = interval,
		.sample = sampled,
		.next = next,
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

/* ---- what warps do ---- */
enum { WAITS = 1 << 14 };

struct waits {
	struct gpu_probe probe;
	struct probe_event v[WAITS];
	unsigned n;
	uint64_t issued, waited, slots[STALL_COUNT], access[2], delayed[2], delay;
};

static void tallied(void *ctx, const struct probe_event *e)
{
	struct waits *w = ctx;

	if (e->kind == PROBE_SLOT) {
		w->slots[e->why] += e->n;
		w->issued += e->why == STALL_ISSUED;
	} else if (e->kind == PROBE_BANK) {
		w->access[e->write]++;
		w->delayed[e->write] += e->n != 0;
		w->delay += e->write ? 0 : e->n;
	} else {
		ck_assert_uint_gt(e->n, 0);
		w->waited += e->n;
		if (w->n < WAITS)
			w->v[w->n++] = *e;
	}
}

static struct waits *waits_new(struct stream *s)
{
	struct waits *w = new(&s->a, struct waits);

	w->probe = (struct gpu_probe){ .ctx = w, .want = PROBE(SLOT) | PROBE(WAIT) | PROBE(BANK), .event = tallied };
	s->watcher = &w->probe;
	return w;
}

/* All of warp w's waits at insn for `why`, and what ended the last of them. */
static uint64_t waited(const struct waits *x, unsigned w, uint32_t insn, enum stall why, uint32_t *producer)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < x->n; i++)
		if (x->v[i].warp == w && x->v[i].insn == insn && x->v[i].why == why) {
			n += x->v[i].n;
			*producer = x->v[i].producer;
		}
	return n;
}

START_TEST(a_wait_names_its_instruction_and_the_one_that_ended_it)
{
	uint32_t p = 0;
	struct waits *w;
	struct stream s;
	cycle at[5];

	stream_init(&s);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(&s, OP_ADD_S32, 5, 1, 1, -1);
	stream_insn(&s, OP_ADD_S32, 6, 4, 5, -1); /* the load comes last */
	stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 2, 6);
	stream_insn(&s, OP_MEMBAR, -1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, 7, 1, 1, -1);
	stream_straight(&s, 0);
	stream_line(&s.rec[0][0], 7, 15);
	stream_line(&s.rec[0][3], 9, 15);
	w = waits_new(&s);
	ck_assert(stream_run(&s));
	for (uint32_t i = 0; i < 5; i++)
		at[i] = stream_when(s.issued, 0, i, 0);

	ck_assert_uint_eq(waited(w, 0, 0, STALL_FETCH, &p), at[0]);
	ck_assert_uint_eq(p, PROBE_NO_INSN);
	ck_assert_uint_eq(waited(w, 0, 2, STALL_MEMORY, &p), at[2] - at[1] - 1 - waited(w, 0, 2, STALL_FETCH, &p));
	ck_assert_uint_gt(waited(w, 0, 2, STALL_MEMORY, &p), 100);
	ck_assert_uint_eq(p, 0);
	ck_assert_uint_eq(waited(w, 0, 3, STALL_SCOREBOARD, &p), at[3] - at[2] - 1);
	ck_assert_uint_eq(p, 2);
	ck_assert_uint_gt(waited(w, 0, 4, STALL_MEMORY, &p), 100); /* the fence, for the store */
	ck_assert_uint_eq(p, 3);
	ck_assert_uint_eq(waited(w, 0, 5, STALL_DRAIN, &p), s.st.cycles - 1 - stream_when(s.issued, 0, 5, 0));
	ck_assert_uint_eq(p, 5);
	stream_free(&s);
}
END_TEST

START_TEST(a_ready_warp_that_is_not_chosen_waits_its_turn)
{
	uint32_t p = 0;
	struct waits *w;
	struct stream s;

	stream_init(&s);
	s.p.schedulers = 1;
	s.warps = 2;
	for (unsigned i = 0; i < 2; i++)
		stream_insn(&s, OP_ADD_S32, 4 + (int)i, 1, 1, -1);
	stream_straight(&s, 0);
	w = waits_new(&s);
	ck_assert(stream_run(&s));
	/* warp 1 is decoded while warp 0, which gto stays with, issues its second instruction: once */
	ck_assert_uint_eq(stream_when(s.issued, 0, 1, 0), stream_when(s.issued, 0, 0, 0) + 1);
	ck_assert_uint_eq(stream_when(s.issued, 1, 0, 0), stream_when(s.issued, 0, 1, 0) + 1);
	ck_assert_uint_eq(waited(w, 1, 0, STALL_ISSUED, &p), 1);
	ck_assert_uint_eq(p, PROBE_NO_INSN);
	ck_assert_uint_eq(w->waited + w->issued, s.st.resident_warp_cycles);
	stream_free(&s);
}
END_TEST

/* Loads, stores, barriers, divisions that fill their collectors; warps that wait in every way. */
static void mixture(struct stream *s, unsigned seed)
{
	stream_init(s);
	s->p.sms = 1 + seed % 3;
	s->warps = 5 + seed;
	s->ctas = 9;
	s->k->res.regs = 20;
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, 4, -1);
	stream_insn(s, OP_DIV_S32, 6, 5, 1, -1);
	stream_barrier(s, 0, 0);
	stream_insn(s, OP_DIV_F32, 7, 1, 2, -1);
	stream_insn(s, OP_FMA_F32, 8, 12, 16, 8);
	stream_insn(s, OP_MEMBAR, -1, -1, -1, -1);
	stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 2, 8);
	stream_memory(s, OP_LD_B32, SP_SHARED, 9, 3, -1);
	for (unsigned i = 0; i < 24; i++)
		for (uint32_t n = 0; n < 9; n++) {
			struct stream_record *r = stream_record(s, 0, (n * (1 + seed) + i * seed) % 9);

			for (unsigned l = 0; r->insn == 0 && l < 1 + i % 4; l++)
				stream_line(r, i * 64 + l * (7 + seed), 15);
			if (r->insn == 7)
				stream_line(r, i * 16, 3);
			if (r->insn == 8)
				r->line[r->nline++] = 1 + i % 5; /* passes */
		}
}

START_TEST(what_warps_do_adds_up_to_their_residence_and_accesses_to_the_counters)
{
	uint64_t pending = 0;
	struct waits *w;
	struct stream s;

	mixture(&s, (unsigned)_i);
	if (_i >= 6) { /* two of the warps that are ready may issue */
		ck_assert(rf_config_parse(&s.rf, "baseline,issue=two-level", &s.p, &s.d));
		s.p.active_warps = 2;
	}
	w = waits_new(&s);
	ck_assert(stream_run(&s));
	for (unsigned i = 0; i < w->n; i++)
		pending += w->v[i].why == STALL_PENDING ? w->v[i].n : 0;
	if (_i >= 6)
		ck_assert_uint_gt(pending, s.st.slots[STALL_PENDING]);
	else
		ck_assert_uint_eq(pending, 0);
	ck_assert_uint_eq(w->waited + w->issued, s.st.resident_warp_cycles);
	ck_assert_mem_eq(w->slots, s.st.slots, sizeof w->slots);
	ck_assert_uint_eq(w->access[0], s.st.rf_reads);
	ck_assert_uint_eq(w->access[1], s.st.rf_writes);
	ck_assert_uint_eq(w->delayed[0], s.st.rf_bank_conflicts);
	ck_assert_uint_eq(w->delayed[1], s.st.rf_write_conflicts);
	ck_assert_uint_eq(w->delay, s.st.rf_conflict_cycles);
	for (unsigned i = 0; i < w->n; i++)
		if (w->v[i].why == STALL_SCOREBOARD || w->v[i].why == STALL_MEMORY || w->v[i].why == STALL_DRAIN)
			ck_assert_uint_lt(w->v[i].producer, s.k->ninsn);
	stream_free(&s);
}
END_TEST

Suite *suite_probe(void);

Suite *suite_probe(void)
{
	Suite *s = suite_create("probe");
	TCase *t = tcase_create("probe");

	tcase_add_test(t, samples_come_at_each_interval_and_add_up_to_the_counters);
	tcase_add_test(t, samples_do_not_depend_on_the_quantum);
	tcase_add_test(t, a_wait_names_its_instruction_and_the_one_that_ended_it);
	tcase_add_test(t, a_ready_warp_that_is_not_chosen_waits_its_turn);
	tcase_add_loop_test(t, what_warps_do_adds_up_to_their_residence_and_accesses_to_the_counters, 0, 9);
	suite_add_tcase(s, t);
	return s;
}

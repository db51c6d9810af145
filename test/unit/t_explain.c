/* Explanations of written-out streams, worked out by hand; that they add up, and that it shows when they do not. */
#include "runtime-model/explain/counts.h"
#include "stream.h"

#include <stdlib.h>

static struct explain *watch(struct stream *s)
{
	struct explain *x = explain_new(false, &s->a);

	s->watcher = explain_probe(x, NULL);
	return x;
}

static struct counts merged(struct stream *s, const struct explain *x)
{
	struct counts c;

	ck_assert_msg(explain_check(x, false, &s->d), "%s", s->d.last);
	ck_assert_ptr_nonnull(x->first);
	counts_merge(&c, x, x->first, &s->a);
	return c;
}

/* A load, an addition that needs it, another that needs that; one warp. */
static void chain(struct stream *s)
{
	stream_init(s);
	s->p.schedulers = 1;
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, 4, -1);
	stream_insn(s, OP_ADD_S32, 6, 5, 5, -1);
	stream_straight(s, 0);
	stream_line(&s->rec[0][0], 7, 15);
}

START_TEST(slots_go_to_the_instruction_that_waits_and_to_what_it_waits_for)
{
	struct explain *x;
	struct counts c;
	struct stream s;
	cycle at[3];

	chain(&s);
	x = watch(&s);
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	for (uint32_t i = 0; i < 3; i++)
		at[i] = stream_when(s.issued, 0, i, 0);
	ck_assert_uint_eq(c.all_slots, s.st.cycles);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(c.insn[i].slots[STALL_ISSUED], 1);
	ck_assert_uint_eq(c.insn[0].slots[STALL_FETCH], at[0]);
	ck_assert_uint_eq(c.insn[1].slots[STALL_MEMORY], at[1] - at[0] - 1);
	ck_assert_uint_eq(c.insn[2].slots[STALL_FETCH] + c.insn[2].slots[STALL_SCOREBOARD], at[2] - at[1] - 1);
	/* it is gone in the last cycle's turn */
	ck_assert_uint_eq(c.insn[2].slots[STALL_DRAIN], s.st.cycles - at[2] - 2);
	ck_assert_uint_eq(c.slots[STALL_EMPTY], 1);
	ck_assert_uint_eq(c.insn[0].slots_for, c.insn[1].slots[STALL_MEMORY]);
	ck_assert_uint_eq(c.insn[1].slots_for, c.insn[2].slots[STALL_SCOREBOARD]);
	ck_assert_uint_eq(c.insn[2].slots_for, c.insn[2].slots[STALL_DRAIN]);
	ck_assert_uint_eq(c.slots_for_none, 0);
	/* of the only warp, cycles are slots; it has also spent the cycle in which it left */
	ck_assert_uint_eq(c.insn[1].cycles[STALL_MEMORY], c.insn[1].slots[STALL_MEMORY]);
	ck_assert_uint_eq(c.insn[0].cycles_for, c.insn[0].slots_for);
	ck_assert_uint_eq(c.insn[2].cycles[STALL_DRAIN], c.insn[2].slots[STALL_DRAIN] + 1);
	ck_assert_mem_eq(&c.of_cta[0], &c.slot[0], sizeof c.slot[0]);
	explain_free(x);
	stream_free(&s);
}
END_TEST

START_TEST(conflicts_go_to_the_bank_and_the_instruction)
{
	struct explain *x;
	struct counts c;
	struct stream s;

	stream_init(&s);
	s.k->res.regs = 40;
	stream_insn(&s, OP_FMA_F32, 4, 3, 19, 35); /* three registers of bank 3: waits of 1 and 2 cycles */
	stream_insn(&s, OP_FMA_F32, 5, 6, 7, 8);
	stream_straight(&s, 0);
	x = watch(&s);
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	ck_assert_uint_eq(c.bank[3].accesses[0], 3);
	ck_assert_uint_eq(c.bank[3].delayed[0], 2);
	ck_assert_uint_eq(c.bank[3].delay[0], 3);
	ck_assert_uint_eq(c.bank[4].accesses[1], 1);
	ck_assert_uint_eq(c.bank[7].accesses[0], 1);
	ck_assert_uint_eq(c.bank[7].delayed[0], 0);
	ck_assert_uint_eq(c.insn[0].accesses, 4);
	ck_assert_uint_eq(c.insn[0].delayed, 2);
	ck_assert_uint_eq(c.insn[0].delay, 3);
	ck_assert_uint_eq(c.insn[1].delayed, 0);
	explain_free(x);
	stream_free(&s);
}
END_TEST

/* A store of 8 lines where one would do, a load whose line it evicts and one that finds it, and a shared load of 32
 * passes. */
START_TEST(lines_and_passes_go_to_the_memory_instruction)
{
	struct explain *x;
	struct counts c;
	struct stream s;
	struct stream_record *store;
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	stream_init(&s);
	stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(&s, OP_ADD_S32, 5, 4, 4, -1);
	stream_memory(&s, OP_LD_B64, SP_GLOBAL, 6, 5, -1);
	stream_memory(&s, OP_LD_B32, SP_SHARED, 9, 2, -1);
	stream_straight(&s, 0);
	store = &s.rec[0][0];
	for (unsigned i = 0; i < 8; i++)
		stream_line(store, 100 + i, 1);
	stream_line(&s.rec[0][1], 7, 15);
	stream_line(&s.rec[0][3], 7, 15);
	s.rec[0][3].active = 0xffff;
	s.rec[0][4].line[s.rec[0][4].nline++] = 32 | 32 << 16 | (uint64_t)SP_SHARED << 56;
	x = watch(&s);
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	ck_assert_uint_eq(c.insn[0].memory.times, 1);
	ck_assert_uint_eq(c.insn[0].memory.lines, 8);
	ck_assert_uint_eq(c.insn[0].memory.ideal_lines, 1);
	ck_assert_uint_eq(c.insn[0].memory.sectors, 8);
	ck_assert_uint_eq(c.insn[0].memory.how[PROBE_LINE_STORE], 8);
	ck_assert_uint_eq(c.insn[0].memory.cycles, c.insn[1].memory.cycles + 7);
	ck_assert_uint_eq(c.insn[0].memory.results, 0);
	ck_assert_uint_eq(c.insn[1].memory.how[PROBE_LINE_MISS], 1);
	ck_assert_uint_eq(c.insn[1].memory.sectors, 4);
	ck_assert_uint_eq(c.insn[1].memory.latency, s.st.load_cycles - c.insn[3].memory.latency);
	ck_assert_uint_eq(c.insn[2].memory.times, 0);
	ck_assert_uint_eq(c.insn[3].memory.how[PROBE_LINE_HIT], 1);
	ck_assert_uint_eq(c.insn[3].memory.lanes, 16);
	ck_assert_uint_eq(c.insn[3].memory.ideal_lines, 1);
	ck_assert_uint_eq(c.insn[4].memory.passes, 32);
	ck_assert_uint_eq(c.insn[4].memory.ideal_passes, 1);
	ck_assert_uint_eq(c.insn[4].memory.lined, 0);
	explain_print(f, x, s.m, 1u << EXPLAIN_MEMORY | 1u << EXPLAIN_LISTING);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "lines 8.0/1.0 "));
	ck_assert_ptr_nonnull(strstr(text, "passes 32.0/1.0 "));
	ck_assert_ptr_nonnull(strstr(text, "7 of 10 lines (70.0%)"));
	ck_assert_ptr_nonnull(strstr(text, "31 of 32 passes (96.9%)"));
	free(text);
	explain_free(x);
	stream_free(&s);
}
END_TEST

/* Eight warps that load the same lines: none has most of the slots that they wait for. */
START_TEST(slots_of_equal_warps_are_drawn)
{
	struct explain *x;
	struct counts c;
	struct stream s;
	uint64_t least = UINT64_MAX, most = 0;

	stream_init(&s);
	s.p.schedulers = 1;
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(&s, OP_ADD_S32, 2, 4, 4, -1);
	for (unsigned i = 0; i < 40; i++) {
		stream_line(stream_record(&s, 0, 0), i, 15);
		stream_record(&s, 0, 1);
	}
	s.warps = 8;
	x = watch(&s);
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	for (unsigned w = 0; w < 8; w++) {
		least = c.slot[w].slots[STALL_MEMORY] < least ? c.slot[w].slots[STALL_MEMORY] : least;
		most = c.slot[w].slots[STALL_MEMORY] > most ? c.slot[w].slots[STALL_MEMORY] : most;
	}
	ck_assert_uint_gt(least, 0);
	ck_assert_uint_lt(most, c.slots[STALL_MEMORY] / 2);
	explain_free(x);
	stream_free(&s);
}
END_TEST

START_TEST(launches_of_a_kernel_add_up_by_kernel_and_block)
{
	struct explain *x;
	struct counts c;
	struct kernel *other;
	struct stream s;
	uint64_t cycles;

	chain(&s);
	s.p.sms = 2;
	s.ctas = 5;
	x = watch(&s);
	ck_assert(stream_run(&s));
	cycles = s.st.cycles;
	ck_assert(stream_run(&s));
	s.warps = 3;
	ck_assert(stream_run(&s));
	cycles = 2 * cycles + s.st.cycles;
	other = s.k; /* the same code by another name */
	s.k = new(&s.a, struct kernel);
	*s.k = *other;
	s.k->name = "other";
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	ck_assert_ptr_eq(c.kernel->k, other);
	ck_assert_uint_eq(c.kernel->st.launches, 3);
	ck_assert_uint_eq(c.all_slots, 2 * cycles);
	ck_assert_uint_eq(c.insn[1].slots[STALL_ISSUED], 5 + 5 + 15);
	ck_assert_uint_eq(c.kernel->nlaunch, 2);
	ck_assert_uint_eq(c.kernel->launch[0].launches, 2);
	ck_assert_uint_eq(c.kernel->launch[0].ctas, 10);
	ck_assert_uint_eq(c.kernel->launch[1].threads, 96);
	ck_assert_uint_eq(c.of_cta[0].slots[STALL_ISSUED], 3 * 15);
	ck_assert_uint_eq(c.of_cta[2].slots[STALL_ISSUED], 3 * 5);
	ck_assert_str_eq(c.kernel->next->k->name, "other");
	ck_assert_uint_eq(c.kernel->next->st.launches, 1);
	explain_free(x);
	stream_free(&s);
}
END_TEST

/* Passes on all events but the first of one kind and reason. */
struct sieve {
	struct gpu_probe probe;
	const struct gpu_probe *to;
	enum probe_kind kind;
	enum stall why;
	bool done;
};

static void sieve_event(void *ctx, const struct probe_event *e)
{
	struct sieve *v = ctx;

	if (!v->done && e->kind == v->kind && ((e->kind != PROBE_SLOT && e->kind != PROBE_WAIT) || e->why == v->why))
		v->done = true;
	else
		v->to->event(v->to->ctx, e);
}

static void sieve_start(void *ctx, const struct gpu_job *j)
{
	struct sieve *v = ctx;

	v->to->start(v->to->ctx, j);
}

static void sieve_end(void *ctx, cycle cycles, const struct stats *st)
{
	struct sieve *v = ctx;

	v->to->end(v->to->ctx, cycles, st);
}

static const struct {
	enum probe_kind kind;
	enum stall why;
	const char *says;
} lost[] = {
	{ PROBE_SLOT, STALL_ISSUED, "slots by SM" },
	{ PROBE_SLOT, STALL_EMPTY, "slots by SM" },
	{ PROBE_WAIT, STALL_FETCH, "resident_warp_cycles" },
	{ PROBE_WAIT, STALL_MEMORY, "resident_warp_cycles" },
	{ PROBE_BANK, STALL_ISSUED, "rf_reads" },
	{ PROBE_ACCESS, STALL_ISSUED, "mem_instructions" },
	{ PROBE_LINE, STALL_ISSUED, "misses of the caches" },
};

START_TEST(what_is_lost_does_not_add_up)
{
	struct explain *x;
	struct sieve v = { .kind = lost[_i].kind, .why = lost[_i].why };
	struct stream s;

	chain(&s);
	x = explain_new(false, &s.a);
	v.to = explain_probe(x, NULL);
	v.probe = *v.to;
	v.probe.ctx = &v;
	v.probe.event = sieve_event;
	v.probe.start = sieve_start;
	v.probe.end = sieve_end;
	s.watcher = &v.probe;
	ck_assert(stream_run(&s));
	ck_assert(v.done);
	ck_assert(!explain_check(x, false, &s.d));
	ck_assert_msg(strstr(s.d.last, lost[_i].says) != NULL, "%s", s.d.last);
	explain_free(x);
	stream_free(&s);
}
END_TEST

START_TEST(the_report_names_every_reason_and_the_json_sums)
{
	char *text;
	size_t bytes, i;
	struct explain *x;
	struct counts c;
	struct stream s;
	json_t *all, *k, *v;
	uint64_t slots = 0;
	FILE *f = open_memstream(&text, &bytes);

	chain(&s);
	s.warps = 7;
	s.ctas = 3;
	x = watch(&s);
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	explain_print(f, x, s.m, (1u << EXPLAIN_SECTIONS) - 1);
	fclose(f);
	for (unsigned r = 0; r < STALL_COUNT; r++)
		if (c.slots[r])
			ck_assert_msg(strstr(text, reason_name((enum stall)r)) != NULL, "%s",
				      reason_name((enum stall)r));
	ck_assert_ptr_nonnull(strstr(text, "test: 1 launch, "));
	ck_assert_ptr_nonnull(strstr(text, "limited by threads: CTA slots 8, threads 6"));
	ck_assert_ptr_nonnull(strstr(text, "[0002]  add.s32 R6, R5, R5"));
	free(text);

	all = explain_json(x, s.m);
	k = json_array_get(json_object_get(all, "kernels"), 0);
	json_array_foreach(json_object_get(k, "instructions"), i, v)
	{
		const char *name;
		json_t *n;

		json_object_foreach(json_object_get(v, "slots"), name, n) slots += (uint64_t)json_integer_value(n);
	}
	ck_assert_uint_eq(slots + c.slots[STALL_EMPTY], s.st.issue_slots);
	ck_assert_uint_eq(json_array_size(json_object_get(k, "warps")), 7);
	ck_assert_uint_eq(json_array_size(json_object_get(k, "sms")), s.p.sms);
	json_decref(all);
	explain_free(x);
	stream_free(&s);
}
END_TEST

static unsigned three(const struct kernel *k)
{
	(void)k;
	return 3;
}

/* Metadata before the kernel are no instruction of it, and a line of their own. */
START_TEST(metadata_have_a_row_of_their_own)
{
	struct packing_ops packing;
	struct explain *x;
	struct counts c;
	struct stream s;
	size_t bytes;
	char *text;
	FILE *f = open_memstream(&text, &bytes);
	json_t *all, *lines;

	chain(&s);
	packing = *s.rf.packing;
	packing.preamble = three;
	s.rf.packing = &packing;
	x = watch(&s);
	ck_assert(stream_run(&s));
	c = merged(&s, x);
	ck_assert_uint_eq(c.insn[3].slots[STALL_ISSUED], 3);
	ck_assert_uint_gt(c.insn[3].slots[STALL_FETCH], 0);
	ck_assert_uint_eq(c.insn[0].slots[STALL_ISSUED], 1);
	explain_print(f, x, s.m, (1u << EXPLAIN_SECTIONS) - 1);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "  (metadata)"));
	ck_assert_ptr_nonnull(strstr(text, "(metadata before the kernel)\n"));
	free(text);
	all = explain_json(x, s.m);
	lines = json_object_get(json_array_get(json_object_get(all, "kernels"), 0), "lines");
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(lines, json_array_size(lines) - 1), "text")),
			 "metadata before the kernel");
	json_decref(all);
	explain_free(x);
	stream_free(&s);
}
END_TEST

START_TEST(sections_are_chosen_by_name)
{
	unsigned sections;
	struct stream s;

	stream_init(&s);
	ck_assert(explain_parse(&sections, "", &s.d));
	ck_assert_uint_eq(sections, EXPLAIN_DEFAULT);
	ck_assert(explain_parse(&sections, "sms,lines", &s.d));
	ck_assert_uint_eq(sections, EXPLAIN_DETAIL | 1u << EXPLAIN_SMS | 1u << EXPLAIN_LINES);
	ck_assert(explain_parse(&sections, "all", &s.d));
	ck_assert_uint_eq(sections, EXPLAIN_DETAIL | ((1u << EXPLAIN_SECTIONS) - 1));
	ck_assert(!explain_parse(&sections, "lines,line", &s.d));
	ck_assert_ptr_nonnull(strstr(s.d.last, "there is no 'line'"));
	ck_assert(!explain_parse(&sections, ",lines", &s.d));
	stream_free(&s);
}
END_TEST

Suite *suite_explain(void);

Suite *suite_explain(void)
{
	Suite *s = suite_create("explain");
	TCase *t = tcase_create("explain");

	tcase_add_test(t, slots_go_to_the_instruction_that_waits_and_to_what_it_waits_for);
	tcase_add_test(t, conflicts_go_to_the_bank_and_the_instruction);
	tcase_add_test(t, lines_and_passes_go_to_the_memory_instruction);
	tcase_add_test(t, slots_of_equal_warps_are_drawn);
	tcase_add_test(t, launches_of_a_kernel_add_up_by_kernel_and_block);
	tcase_add_loop_test(t, what_is_lost_does_not_add_up, 0, sizeof lost / sizeof *lost);
	tcase_add_test(t, the_report_names_every_reason_and_the_json_sums);
	tcase_add_test(t, metadata_have_a_row_of_their_own);
	tcase_add_test(t, sections_are_chosen_by_name);
	suite_add_tcase(s, t);
	return s;
}

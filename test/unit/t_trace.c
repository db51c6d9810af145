/* Traces of written-out streams: what the files hold, cycle by cycle. */
#include "levels.h"
#include "passes/strand.h"
#include "runtime-model/trace/trace.h"

#include <unistd.h>

static const char *path(const char *name)
{
	static char text[64];

	snprintf(text, sizeof text, "/tmp/regloom-%d-%s", (int)getpid(), name);
	return text;
}

static char *read_away(const char *name, struct arena *a)
{
	char *text = arena_alloc(a, 1 << 20, 1);
	FILE *f = fopen(path(name), "rb");

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, (1 << 20) - 1, f)] = 0;
	fclose(f);
	ck_assert_int_eq(unlink(path(name)), 0);
	return text;
}

/* R1 = R0 * R0; R2 = R1 + R16, both operands in bank 1 of warp 0. */
static void two(struct stream *s)
{
	stream_init(s);
	s->k->res.regs = 20;
	stream_insn(s, OP_MUL_LO_S32, 1, 0, 0, -1);
	stream_insn(s, OP_ADD_S32, 2, 1, 17, -1);
	stream_straight(s, 0);
}

/* The log of a run with its first cycle, which depends on the latency of memory, left out. */
static char *log_of(struct stream *s, const struct trace_window *w)
{
	struct kanata *k = kanata_open(path("log"), w, &s->a, &s->d);

	ck_assert_ptr_nonnull(k);
	s->watcher = kanata_probe(k);
	ck_assert(stream_run(s));
	ck_assert(kanata_close(k, NULL));
	return read_away("log", &s->a);
}

START_TEST(kanata_log_has_each_stage_in_its_cycle)
{
	static const char expected[] =
		"I\t0\t0\t0\nL\t0\t0\tmul.lo.s32 R1, R0, R0\nL\t0\t1\tCTA 0, warp 0\nS\t0\t0\tF\n"
		"I\t1\t1\t0\nL\t1\t0\tadd.s32 R2, R1, R17\nL\t1\t1\tCTA 0, warp 0\nS\t1\t0\tF\n"
		"C\t1\nE\t0\t0\tF\nS\t0\t0\tD\nE\t1\t0\tF\nS\t1\t0\tD\n"
		/* issue; the other begins to wait */
		"C\t1\nE\t0\t0\tD\nL\t0\t1\t, lanes ffffffff\nS\t0\t0\tIs\nS\t1\t1\tdep\n"
		"C\t1\nE\t0\t0\tIs\nS\t0\t0\tOc\n" /* in a collector */
		/* read in the first, left */
		"C\t2\nE\t0\t0\tOc\nS\t0\t0\tWu\n"
		"C\t1\nE\t0\t0\tWu\nS\t0\t0\tEx\n" /* starts */
		/* latency 4 + 2, written at once */
		"C\t6\nE\t0\t0\tEx\nS\t0\t0\tWb\n"
		"E\t1\t1\tdep\nE\t1\t0\tD\nL\t1\t1\t, lanes ffffffff\nS\t1\t0\tIs\nW\t1\t0\t0\n"
		"C\t1\nE\t0\t0\tWb\nR\t0\t0\t0\nE\t1\t0\tIs\nS\t1\t0\tOc\n"
		"C\t1\n" /* bank 1 gives R1 */
		/* and R17 must wait for it */
		"S\t1\t1\tbk\n"
		"C\t1\nE\t1\t1\tbk\n"
		"C\t1\nE\t1\t0\tOc\nS\t1\t0\tWu\n"
		"C\t1\nE\t1\t0\tWu\nS\t1\t0\tEx\n"
		"C\t6\nE\t1\t0\tEx\nS\t1\t0\tWb\n"
		"C\t1\nE\t1\t0\tWb\nR\t1\t1\t0\n";
	struct trace_window w = { 0, 0, TRACE_ALL_SMS };
	struct stream s;
	char *text;

	two(&s);
	text = log_of(&s, &w);
	ck_assert(strncmp(text, "Kanata\t0004\nC=\t", 15) == 0);
	text = strstr(text, "I\t0");
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, expected);
	stream_free(&s);
}
END_TEST

/* A load, and an addition that begins a strand, for which the warp waits suspended. */
static void strand(struct stream *s, struct levels *t)
{
	static const uint8_t begin[] = { 0, STRAND_BEGIN | STRAND_WAIT | STRAND_LONG };
	static struct strands strands = { .begin = begin };

	stream_init(s);
	ck_assert(rf_config_parse(&s->rf, "issue=two-level", &s->p, &s->d));
	levels_use(t, s);
	t->ops.waits = true;
	s->k->strand = &strands;
	s->p.icache_sets = 0;
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 4, 2, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, 4, -1);
	stream_straight(s, 0);
	stream_line(&s->rec[0][0], 7, 15);
}

START_TEST(traces_mark_suspensions_and_strands)
{
	const struct trace_window w = { 0, 0, 0 };
	char expected[80], *text;
	struct chrome *c;
	struct levels t;
	struct stream s;

	strand(&s, &t);
	text = log_of(&s, &w);
	ck_assert_msg(strstr(text, "\nL\t1\t1\t, suspended before it in cycle 2\n"), "%s", text);
	ck_assert_msg(strstr(text, "\nL\t1\t1\t, begins a strand after all of memory\n"), "%s", text);
	c = chrome_open(path("trace"), &w, &s.a, &s.d);
	s.watcher = chrome_probe(c);
	ck_assert(stream_run(&s));
	ck_assert(chrome_close(c, NULL));
	text = read_away("trace", &s.a);
	ck_assert_msg(strstr(text, "\"ts\":2,\"name\":\"suspended\",\"args\":{\"instruction\":\"add.s32 R5, R4, R4\""),
		      "%s", text);
	snprintf(expected, sizeof expected, "\"ts\":%d,\"name\":\"strand, after all of memory\"",
		 (int)stream_when(s.issued, 0, 1, 0));
	ck_assert_msg(strstr(text, expected), "%s", text);
	stream_free(&s);
}
END_TEST

/* Control that jumps flushes what was fetched behind the jump. */
START_TEST(kanata_log_flushes_what_does_not_issue)
{
	struct trace_window w = { 0, 0, 0 };
	struct stream s;
	char *text;
	unsigned flushed = 0;

	two(&s);
	s.n[0] = 0;
	stream_record(&s, 0, 0);
	stream_record(&s, 0, 0);
	text = log_of(&s, &w);
	for (const char *at = text; (at = strstr(at, "\nR\t")); at++) {
		unsigned id, serial, how;

		ck_assert_int_eq(sscanf(at, "\nR\t%u\t%u\t%u", &id, &serial, &how), 3);
		ck_assert_uint_le(how, 1);
		flushed += how;
	}
	ck_assert_uint_eq(flushed, 2);
	ck_assert_uint_eq(s.st.control_flushes, 1);
	stream_free(&s);
}
END_TEST

START_TEST(kanata_log_of_a_window_begins_and_ends_there)
{
	struct trace_window w = { 1000000, 10, 0 };
	struct stream s;

	two(&s);
	ck_assert_str_eq(log_of(&s, &w), "Kanata\t0004\n");
	stream_free(&s);
}
END_TEST

static unsigned one(const struct kernel *k)
{
	(void)k;
	return 1;
}

/* Fetched like all, gone without a stage behind that. */
START_TEST(kanata_log_shows_metadata)
{
	struct trace_window w = { 0, 0, 0 };
	struct packing_ops packing;
	struct stream s;
	char *text;

	two(&s);
	packing = *s.rf.packing;
	packing.preamble = one;
	s.rf.packing = &packing;
	text = log_of(&s, &w);
	ck_assert_ptr_nonnull(strstr(text, "I\t0\t2\t0\nL\t0\t0\tmetadata\n"));
	ck_assert_ptr_nonnull(strstr(text, "I\t1\t0\t0\nL\t1\t0\tmul.lo.s32 R1, R0, R0\n"));
	ck_assert_ptr_nonnull(strstr(text, "R\t0\t0\t0\n"));
	stream_free(&s);
}
END_TEST

static json_t *chrome_of(struct stream *s, const struct trace_window *w, bool runs)
{
	struct chrome *c = chrome_open(path("json"), w, &s->a, &s->d);
	char *text;
	json_t *o;

	ck_assert_ptr_nonnull(c);
	s->watcher = chrome_probe(c);
	ck_assert_int_eq(stream_run(s), runs);
	ck_assert(chrome_close(c, NULL));
	text = read_away("json", &s->a);
	o = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(o);
	return o;
}

START_TEST(chrome_trace_shows_metadata)
{
	struct trace_window w = { 0, 0, 0 };
	struct packing_ops packing;
	struct stream s;
	bool found = false;
	json_t *o, *e;
	size_t i;

	two(&s);
	packing = *s.rf.packing;
	packing.preamble = one;
	s.rf.packing = &packing;
	o = chrome_of(&s, &w, true);
	json_array_foreach(json_object_get(o, "traceEvents"), i, e)
	{
		const char *at = json_string_value(json_object_get(json_object_get(e, "args"), "instruction"));

		found |= at && strcmp(at, "metadata") == 0;
	}
	ck_assert(found);
	json_decref(o);
	stream_free(&s);
}
END_TEST

/* The n-th slice of that name on a track of process 2, SM 0; fails the test if there is none. */
static json_t *slice_of(json_t *trace, const char *name, int track, unsigned n)
{
	size_t i;
	json_t *e;

	json_array_foreach(json_object_get(trace, "traceEvents"), i,
			   e) if (strcmp(json_string_value(json_object_get(e, "ph")), "X") == 0 &&
				  json_integer_value(json_object_get(e, "pid")) == 2 &&
				  json_integer_value(json_object_get(e, "tid")) == track &&
				  strcmp(json_string_value(json_object_get(e, "name")), name) == 0 &&
				  n-- == 0) return e;
	ck_abort_msg("no slice %s on track %d", name, track);
	return NULL;
}

static void lies(json_t *e, cycle from, cycle n)
{
	ck_assert_int_eq(json_integer_value(json_object_get(e, "ts")), (json_int_t)from);
	ck_assert_int_eq(json_integer_value(json_object_get(e, "dur")), (json_int_t)n);
}

enum { WARP = 1000, IN_FLIGHT = 1001, COLLECTOR = 100, SP_UNIT = 1 };

START_TEST(chrome_trace_has_each_slice_in_its_cycle)
{
	struct trace_window w = { 0, 0, TRACE_ALL_SMS };
	struct stream s;
	json_t *o;
	cycle t;

	two(&s);
	o = chrome_of(&s, &w, true);
	t = stream_when(s.issued, 0, 0, 0);
	lies(slice_of(o, "fetch", WARP, 0), 0, t - 1);
	lies(slice_of(o, "ready", WARP, 0), t - 1, 1);
	lies(slice_of(o, "mul.lo.s32", WARP, 0), t, 1);
	lies(slice_of(o, "result", WARP, 0), t + 1, 9);
	lies(slice_of(o, "add.s32", WARP, 0), t + 10, 1);
	lies(slice_of(o, "mul.lo.s32", IN_FLIGHT, 0), t, 10);
	lies(slice_of(o, "to a collector", IN_FLIGHT, 0), t, 1);
	lies(slice_of(o, "read operands", IN_FLIGHT, 0), t + 1, 1);
	lies(slice_of(o, "to its unit", IN_FLIGHT, 0), t + 2, 2);
	lies(slice_of(o, "execute", IN_FLIGHT, 0), t + 4, 6);
	lies(slice_of(o, "add.s32", IN_FLIGHT, 0), t + 10, 11);
	lies(slice_of(o, "read operands", IN_FLIGHT, 1), t + 11, 2);
	lies(slice_of(o, "mul.lo.s32", COLLECTOR, 0), t + 1, 2);
	lies(slice_of(o, "add.s32", COLLECTOR, 0), t + 11, 3);
	lies(slice_of(o, "mul.lo.s32", SP_UNIT, 0), t + 4, s.p.unit[FU_INT_MUL].interval);
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_object_get(slice_of(o, "add.s32", IN_FLIGHT, 0), "args"), "bank_wait_cycles")),
			 1);
	json_decref(o);
	stream_free(&s);
}
END_TEST

/* Of the counters, the sum over the intervals is what the run counted. */
START_TEST(chrome_counters_sum_to_the_run)
{
	struct trace_window w = { 0, 0, TRACE_ALL_SMS };
	double instructions = 0, warps = 0, lines = 0;
	struct stream s;
	json_t *o, *e;
	size_t i;

	stream_init(&s);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_line(stream_record(&s, 0, 0), 5, 15);
	o = chrome_of(&s, &w, true);
	json_array_foreach(json_object_get(o, "traceEvents"), i, e)
	{
		const char *name = json_string_value(json_object_get(e, "name"));
		double v = json_real_value(json_object_get(json_object_get(e, "args"), "value"));
		json_int_t ts = json_integer_value(json_object_get(e, "ts"));
		double n = (double)s.st.cycles - (double)ts < 100 ? (double)s.st.cycles - (double)ts : 100;

		if (strcmp(json_string_value(json_object_get(e, "ph")), "C") != 0)
			continue;
		v = json_is_integer(json_object_get(json_object_get(e, "args"), "value"))
			    ? (double)json_integer_value(json_object_get(json_object_get(e, "args"), "value"))
			    : v;
		instructions += strcmp(name, "instructions a cycle") == 0 ? v * n : 0;
		warps += strcmp(name, "resident warps") == 0 ? v * n : 0;
		lines += strcmp(name, "DRAM, GB/s") == 0 ? v * 1000 / s.p.sm_mhz * n / 128 : 0;
	}
	ck_assert_double_eq_tol(instructions, 1, 1e-4);
	ck_assert_double_eq_tol(warps, (double)s.st.resident_warp_cycles, 1e-2);
	ck_assert_double_eq_tol(lines, (double)(s.st.dram_reads + s.st.dram_writes), 1e-3);
	json_decref(o);
	stream_free(&s);
}
END_TEST

/* A barrier that one of two warps never comes to: the run fails, the trace ends with what there was. */
START_TEST(chrome_trace_of_a_deadlock_is_whole)
{
	struct trace_window w = { 0, 0, TRACE_ALL_SMS };
	struct stream s;
	json_t *o;

	stream_init(&s);
	s.warps = 1;
	s.p.progress_cycles = 1000;
	stream_barrier(&s, 1, 64);
	stream_straight(&s, 0);
	o = chrome_of(&s, &w, false);
	ck_assert_int_gt(json_integer_value(json_object_get(slice_of(o, "barrier", WARP, 0), "dur")), 0);
	json_decref(o);
	stream_free(&s);
}
END_TEST

START_TEST(no_file_without_a_launch)
{
	struct trace_window w = { 0, 0, TRACE_ALL_SMS };
	struct chrome *c;
	struct kanata *k;
	struct stream s;

	stream_init(&s);
	c = chrome_open(path("json"), &w, &s.a, &s.d);
	k = kanata_open(path("log"), &w, &s.a, &s.d);
	ck_assert(chrome_close(c, NULL) && kanata_close(k, NULL));
	ck_assert_int_ne(access(path("json"), F_OK), 0);
	ck_assert_int_ne(access(path("log"), F_OK), 0);
	ck_assert_ptr_null(chrome_open("/nonexistent/x", &w, &s.a, &s.d));
	stream_free(&s);
}
END_TEST

/* clock, add, add that needs it, clock: in two warps of two CTAs, each time the same. */
START_TEST(clocks_measure_between_issues)
{
	const struct clock_pair *p;
	struct clocks *c;
	struct stream s;
	unsigned n;

	stream_init(&s);
	s.warps = 2;
	s.ctas = 2;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t at =
			i % 3 ? stream_insn(&s, OP_ADD_S32, 1, 1, 1, -1) : stream_insn(&s, OP_MOV_B32, 2, -1, -1, -1);

		if (i % 3 == 0)
			insn_src(s.k, &s.k->insn[at])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_CLOCK };
	}
	stream_straight(&s, 0);
	c = clocks_new(&s.a);
	s.watcher = clocks_probe(c);
	ck_assert(stream_run(&s));
	p = clocks_pairs(c, &n, &s.a);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(p->from, 0);
	ck_assert_uint_eq(p->to, 3);
	ck_assert_uint_eq(p->times, 4);
	ck_assert_uint_le(p->min, p->max);
	ck_assert_uint_eq(p->min, stream_when(s.issued, 0, 3, 0) - stream_when(s.issued, 0, 0, 0));
	ck_assert_uint_ge(p->sum, 4 * p->min);
	ck_assert_uint_le(p->sum, 4 * p->max);
	clocks_free(c);
	stream_free(&s);
}
END_TEST

Suite *suite_trace(void);
Suite *suite_trace(void)
{
	Suite *s = suite_create("trace");
	TCase *t = tcase_create("trace");

	tcase_add_test(t, kanata_log_has_each_stage_in_its_cycle);
	tcase_add_test(t, kanata_log_flushes_what_does_not_issue);
	tcase_add_test(t, traces_mark_suspensions_and_strands);
	tcase_add_test(t, kanata_log_of_a_window_begins_and_ends_there);
	tcase_add_test(t, kanata_log_shows_metadata);
	tcase_add_test(t, chrome_trace_shows_metadata);
	tcase_add_test(t, chrome_trace_has_each_slice_in_its_cycle);
	tcase_add_test(t, chrome_counters_sum_to_the_run);
	tcase_add_test(t, chrome_trace_of_a_deadlock_is_whole);
	tcase_add_test(t, no_file_without_a_launch);
	tcase_add_test(t, clocks_measure_between_issues);
	suite_add_tcase(s, t);
	return s;
}

/* The two-level scheduler: which warps may issue, what suspends one, which one takes its place. */
#include "stream.h"

static void open_stream(struct stream *s, const char *issue, unsigned active, unsigned schedulers, unsigned warps)
{
	char text[64];

	stream_init(s);
	s->p.active_warps = active;
	s->p.schedulers = schedulers;
	s->warps = warps;
	snprintf(text, sizeof text, "issue=%s", issue);
	ck_assert(rf_config_parse(&s->rf, text, &s->p, &s->d));
}

/* Warps that issued before `end`. */
static uint64_t issued_before(const struct stream *s, cycle end)
{
	uint64_t warps = 0;

	for (unsigned i = 0; i < s->issued->n && s->issued->e[i].at < end; i++)
		warps |= (uint64_t)1 << s->issued->e[i].warp;
	return warps;
}

static unsigned count(uint64_t warps) { return (unsigned)__builtin_popcountll(warps); }

/* Each warp adds for long; then it waits for a load. Until the first one waits, only the active ones have issued. */
static const struct {
	const char *issue;
	unsigned active, schedulers, warps, want;
} place[] = {
	{ "two-level", 1, 1, 16, 1 },    { "two-level", 4, 1, 16, 4 },    { "two-level", 16, 1, 16, 16 },
	{ "two-level", 40, 1, 16, 16 },  { "two-level", 4, 2, 16, 4 },    { "two-level", 5, 2, 16, 5 },
	{ "two-level", 1, 2, 16, 2 },    { "two-level", 6, 4, 16, 6 },    { "two-level-rr", 1, 1, 16, 1 },
	{ "two-level-rr", 6, 1, 16, 6 }, { "two-level-rr", 5, 2, 16, 5 }, { "two-level-rr", 64, 8, 16, 16 },
};

START_TEST(only_the_active_warps_issue)
{
	struct stream s;
	cycle first = UINT64_MAX;

	open_stream(&s, place[_i].issue, place[_i].active, place[_i].schedulers, place[_i].warps);
	stream_insn(&s, OP_MIN_S32, 1, 1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	for (unsigned i = 0; i < 40; i++)
		stream_record(&s, 0, 0);
	stream_line(stream_record(&s, 0, 1), 9, 15);
	stream_record(&s, 0, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 0; i < s.issued->n; i++)
		if (s.issued->e[i].insn == 1 && s.issued->e[i].at < first)
			first = s.issued->e[i].at;
	ck_assert_uint_eq(count(issued_before(&s, first)), place[_i].want);
	ck_assert_uint_eq(s.st.warp_instructions, place[_i].warps * 42);
	if (place[_i].want < place[_i].warps)
		ck_assert_uint_gt(s.st.slots[STALL_PENDING], 0);
	else
		ck_assert_uint_eq(s.st.slots[STALL_PENDING], 0);
	stream_free(&s);
}
END_TEST

/* What a warp waits for here, and whether another one gets its place meanwhile: it issues before the first goes on. */
static const struct {
	enum op op;
	enum space space;
	unsigned lines;
	uint64_t line;
	bool suspends;
} waits[] = {
	{ OP_LD_B32, SP_GLOBAL, 1, 9, true },
	{ OP_LD_B32, SP_LOCAL, 1, LOCAL_LINES / LINE_BYTES, true },
	{ OP_TEX_2D_F_S32, SP_NONE, 1, 9, true },
	{ OP_ATOM_ADD_U32, SP_GLOBAL, 1, 9, true },
	{ OP_LD_B32, SP_GENERIC, 1, 9, true },
	{ OP_LD_B32, SP_GENERIC, 0, 1, false }, /* a word of passes: shared memory */
	{ OP_LD_B32, SP_SHARED, 0, 1, false },
	{ OP_LD_B32, SP_CONST, 0, 1, false },
	{ OP_LD_B32, SP_PARAM, 0, 1, false },
	{ OP_SIN_F32, SP_NONE, 0, 0, false },
	{ OP_DIV_S32, SP_NONE, 0, 0, false },
};

START_TEST(a_value_of_long_latency_suspends)
{
	struct stream s;
	struct stream_record *r;

	open_stream(&s, "two-level", 1, 1, 2);
	stream_memory(&s, waits[_i].op, waits[_i].space, 1, 2, 3);
	stream_insn(&s, OP_ADD_S32, 4, 1, -1, -1);
	r = stream_record(&s, 0, 0);
	if (waits[_i].lines)
		stream_line(r, waits[_i].line, 15);
	else if (waits[_i].space != SP_NONE)
		r->line[r->nline++] = waits[_i].line;
	stream_record(&s, 0, 1);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	if (waits[_i].suspends)
		ck_assert_uint_lt(stream_when(s.issued, 1, 0, 0), stream_when(s.issued, 0, 1, 0));
	else
		ck_assert_uint_gt(stream_when(s.issued, 1, 0, 0), stream_when(s.issued, 0, 1, 0));
	stream_free(&s);
}
END_TEST

/* A load does not suspend: the use of its value does, unless the value has come. */
START_TEST(a_warp_stays_until_it_needs_the_value)
{
	struct stream s;

	open_stream(&s, "two-level", 1, 1, 2);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(&s, OP_SIN_F32, 5, 5, -1, -1);
	stream_insn(&s, OP_ADD_S32, 4, 1, -1, -1);
	stream_line(stream_record(&s, 0, 0), 9, 15);
	for (unsigned i = 0; i < 100; i++)
		stream_record(&s, 0, 1);
	stream_record(&s, 0, 2);
	ck_assert(stream_run(&s));
	ck_assert_uint_gt(stream_when(s.issued, 1, 0, 0), stream_when(s.issued, 0, 2, 0));
	stream_free(&s);
}
END_TEST

static bool above_zero(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp > 0;
}

static bool not_three(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp != 3;
}

/* One place. Warp 3 waits for a load; those behind it run to their end one by one, and although its value has come
 * soon, it is its turn only after them. */
START_TEST(places_go_round)
{
	static const unsigned want[] = { 0, 1, 2, 4, 5, 6, 7, 3 };
	unsigned order[8], n = 0;
	struct stream s;

	open_stream(&s, "two-level", 1, 1, 8);
	s.second = not_three;
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(&s, OP_ADD_S32, 4, 1, -1, -1);
	stream_insn(&s, OP_SIN_F32, 5, 5, -1, -1);
	stream_line(stream_record(&s, 0, 0), 9, 15);
	stream_record(&s, 0, 1);
	for (unsigned i = 0; i < 20; i++)
		stream_record(&s, 1, 2);
	ck_assert(stream_run(&s));
	for (unsigned i = 0; i < s.issued->n; i++) {
		unsigned w = s.issued->e[i].warp;

		if (s.issued->e[i].insn == 1 || (s.issued->e[i].insn == 2 && (!n || order[n - 1] != w))) {
			ck_assert_uint_lt(n, 8);
			order[n++] = w;
		}
	}
	ck_assert_uint_eq(n, 8);
	ck_assert_mem_eq(order, want, sizeof want);
	ck_assert_uint_lt(stream_when(s.finished, 3, 0, 0), stream_when(s.issued, 6, 2, 0));
	stream_free(&s);
}
END_TEST

/* More warps than places at a barrier: those that have come make room. */
START_TEST(a_barrier_gives_its_places_up)
{
	static const unsigned active[] = { 1, 2, 3, 7, 32 };
	struct stream s;
	uint32_t n;

	open_stream(&s, _i % 2 ? "two-level-rr" : "two-level", active[_i / 2], 2, 32);
	stream_insn(&s, OP_ADD_S32, 1, 1, -1, -1);
	n = stream_barrier(&s, 0, 0);
	for (unsigned i = 0; i < 5; i++) {
		stream_record(&s, 0, 0);
		stream_record(&s, 0, n);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.warp_instructions, 32 * 10);
	for (unsigned i = 1; i < 5; i++) { /* nobody passes it before the last has come */
		cycle come = 0, gone = UINT64_MAX;

		for (unsigned w = 0; w < 32; w++) {
			cycle a = stream_when(s.issued, w, n, i - 1), b = stream_when(s.issued, w, 0, i);

			come = a > come ? a : come;
			gone = b < gone ? b : gone;
		}
		ck_assert_uint_lt(come, gone);
	}
	stream_free(&s);
}
END_TEST

/* A warp whose stores are under way holds no place, at a fence (0) or at its end (1). */
START_TEST(a_fence_and_an_end_give_their_places_up)
{
	struct stream s;
	uint32_t store, fence;

	open_stream(&s, "two-level", 1, 1, 3);
	store = stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, 2);
	fence = stream_insn(&s, OP_MEMBAR, -1, -1, -1, -1);
	stream_line(stream_record(&s, 0, store), 9, 15);
	if (_i == 0) {
		stream_record(&s, 0, fence);
		stream_line(stream_record(&s, 0, store), 9, 15);
	}
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned w = 0; w < 2; w++) /* an acknowledgement takes longer */
		ck_assert_uint_lt(stream_when(s.issued, w + 1, store, 0), stream_when(s.issued, w, store, 0) + 50);
	if (_i == 0)
		ck_assert_uint_gt(stream_when(s.issued, 0, store, 1), stream_when(s.issued, 2, store, 0));
	stream_free(&s);
}
END_TEST

/* A mix of everything, by warps in two programs and several CTAs. */
static void mix(struct stream *s)
{
	uint32_t bar, ld, sh, st;

	for (int i = 0; i < 6; i++)
		stream_insn(s, i % 3 ? OP_FMA_F32 : OP_SIN_F32, 1 + i, 2 + i, 3, i % 3 ? 4 : -1);
	bar = stream_barrier(s, 0, 0);
	ld = stream_memory(s, OP_LD_B32, SP_GLOBAL, 2, 9, -1);
	sh = stream_memory(s, OP_LD_B32, SP_SHARED, 3, 9, -1);
	st = stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 2, 9);
	s->second = above_zero;
	for (unsigned p = 0; p < 2; p++)
		for (unsigned i = 0; i < 30; i++) {
			stream_record(s, p, i % 6);
			stream_record(s, p, (i * 5 + p) % 6);
			if (i % 7 == 3)
				stream_record(s, p, bar);
			if (i % (3 + p) == 0)
				stream_line(stream_record(s, p, ld), 16 * i, 15);
			stream_record(s, p, sh);
			if (i % 5 == 0)
				stream_line(stream_record(s, p, st), 8 * i, 3);
		}
	s->ctas = 9;
	s->warps = 6;
}

/* With a place for every warp these are gto and lrr, cycle by cycle. */
START_TEST(with_all_warps_active_it_is_the_inner_scheduler)
{
	static const char *const name[2][2] = { { "gto", "two-level" }, { "lrr", "two-level-rr" } };
	struct stream s[2];

	for (unsigned i = 0; i < 2; i++) {
		open_stream(&s[i], name[_i][i], 64, 2, 6);
		mix(&s[i]);
		ck_assert_msg(stream_run(&s[i]), "%s", s[i].d.last);
	}
	s[1].st.suspensions = 0; /* a warp that loses a place has it back at once */
	ck_assert_mem_eq(&s[0].st, &s[1].st, sizeof s[0].st);
	ck_assert_uint_eq(s[0].issued->n, s[1].issued->n);
	for (unsigned i = 0; i < s[0].issued->n; i++) {
		ck_assert_uint_eq(s[0].issued->e[i].at, s[1].issued->e[i].at);
		ck_assert_uint_eq(s[0].issued->e[i].warp, s[1].issued->e[i].warp);
	}
	stream_free(&s[0]);
	stream_free(&s[1]);
}
END_TEST

START_TEST(every_number_of_places_makes_progress)
{
	struct stream s;

	open_stream(&s, _i % 2 ? "two-level-rr" : "two-level", (unsigned)_i / 2 + 1, _i % 4 < 2 ? 1 : 2, 6);
	mix(&s);
	s.p.progress_cycles = 20000;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.warp_instructions, 9 * (s.n[0] + 5 * s.n[1]));
	stream_free(&s);
}
END_TEST

/* A warp that gave its place up at a barrier, and waits for memory when it is let go, has none to give up again. */
START_TEST(a_place_is_given_up_once)
{
	struct stream s;
	uint32_t bar;

	open_stream(&s, "two-level", 2, 1, 2);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	bar = stream_barrier(&s, 0, 0);
	stream_insn(&s, OP_ADD_S32, 4, 1, -1, -1);
	stream_line(stream_record(&s, 0, 0), 9, 15);
	stream_record(&s, 0, bar);
	stream_record(&s, 0, bar + 1);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.suspensions, 2); /* the other one's when it needs the value */
	stream_free(&s);
}
END_TEST

Suite *suite_two_level(void);
Suite *suite_two_level(void)
{
	Suite *s = suite_create("two_level");
	TCase *c = tcase_create("two_level");

	tcase_add_loop_test(c, only_the_active_warps_issue, 0, sizeof place / sizeof *place);
	tcase_add_loop_test(c, a_value_of_long_latency_suspends, 0, sizeof waits / sizeof *waits);
	tcase_add_test(c, a_warp_stays_until_it_needs_the_value);
	tcase_add_test(c, places_go_round);
	tcase_add_loop_test(c, a_barrier_gives_its_places_up, 0, 10);
	tcase_add_loop_test(c, a_fence_and_an_end_give_their_places_up, 0, 2);
	tcase_add_loop_test(c, with_all_warps_active_it_is_the_inner_scheduler, 0, 2);
	tcase_add_loop_test(c, every_number_of_places_makes_progress, 0, 20);
	tcase_add_test(c, a_place_is_given_up_once);
	suite_add_tcase(s, c);
	return s;
}

/* The stages that a reuse that renames adds to the SM: values in checked mode, and what watchers see. */
#include "toy_reuse.h"

/* ---- checked mode: R1 = 7, then all lanes, or some, of R1 = 9, then R3 = R1 ---- */
static uint32_t seven[32], nine[32], third[2 * 32], both[2 * 32];

static void values(struct stream *s, uint32_t active)
{
	struct stream_record *r;

	for (unsigned l = 0; l < 32; l++) {
		seven[l] = 7;
		nine[l] = 9;
		third[l] = third[32 + l] = active >> l & 1 ? 9 : 7;
	}
	stream_init(s);
	toy_use(s);
	s->checked = new(&s->a, struct checked_sums);
	stream_record(s, 0, stream_insn(s, OP_MOV_B32, 1, -1, -1, -1))->values = seven;
	r = stream_record(s, 0, stream_insn(s, OP_MOV_B32, 1, -1, -1, -1));
	r->values = nine;
	r->active = active;
	stream_record(s, 0, stream_insn(s, OP_MOV_B32, 3, 1, -1, -1))->values = third;
}

START_TEST(checked_mode_compares_what_is_not_written)
{
	struct stream s;

	values(&s, UINT32_MAX);
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 1);
	stream_free(&s);
	values(&s, UINT32_MAX); /* a register that is said to hold the value, and holds another one */
	t.rounds[1] = "V";
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "stores a wrong result") &&
			      strstr(s.d.last, "writes R1, and maps it to a register that does not hold it"),
		      "%s", s.d.last);
	stream_free(&s);
	values(&s, UINT32_MAX); /* likewise, taken by an instruction that hits */
	t.does[1] = HITS;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "and takes a register to be reused that does not hold it"), "%s", s.d.last);
	stream_free(&s);
	values(&s, UINT32_MAX); /* the same value: a verifying read, then a hit */
	s.rec[0][1].values = seven;
	memcpy(both, seven, sizeof seven);
	memcpy(both + 32, seven, sizeof seven);
	s.rec[0][2].values = both;
	t.rounds[1] = "V";
	run(&s);
	t.starts = t.exits = t.issues = t.looks = 0;
	t.does[1] = HITS;
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 1 + 2);
	stream_free(&s);
}
END_TEST

/* The lanes of which the new register gets its value by a dummy move; garbage where there was none. */
START_TEST(checked_mode_follows_dummy_moves)
{
	struct stream s;

	values(&s, 0xffff);
	t.rounds[1] = "R MW";
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 1);
	stream_free(&s);
	values(&s, 0xffff);
	t.rounds[1] = "R"; /* what it has read is not written, nor is its result */
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "maps it to a register that does not hold it"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

static void free_now(struct reuse *r, const struct uop *u)
{
	toy_retire(r, u);
	if (u->insn == 1)
		reuse_freed(t.axes, 1);
}

START_TEST(checked_mode_makes_garbage_of_what_is_freed)
{
	struct stream s;

	values(&s, UINT32_MAX);
	t.ops.retire = free_now;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "that does not hold it") || strstr(s.d.last, "reads R1 in lane 0 as 0x"), "%s",
		      s.d.last);
	stream_free(&s);
}
END_TEST

/* ---- what watchers see ---- */
struct seen {
	struct gpu_probe probe;
	struct probe_event e[64];
	unsigned n;
};

static void see(void *ctx, const struct probe_event *e)
{
	struct seen *x = ctx;

	if (x->n < 64)
		x->e[x->n++] = *e;
}

START_TEST(watchers_see_lookups_and_outcomes)
{
	struct seen x = { .probe = { .ctx = &x, .want = PROBE(LOOKUP) | PROBE(REUSE), .event = see } };
	unsigned n = 0;
	struct stream s;

	waiting(&s, 2);
	s.watcher = &x.probe;
	run(&s);
	ck_assert_uint_eq(x.n, 2 * 3);
	for (unsigned i = 0; i < x.n; i++) {
		const struct probe_event *e = &x.e[i];

		if (e->insn != 1)
			continue;
		n++;
		if (e->kind == PROBE_LOOKUP) {
			ck_assert_uint_eq(e->where, REUSE_PENDING);
			ck_assert_uint_eq(e->at, stream_when(s.issued, 1, 1, 0) + 2);
		} else {
			ck_assert_uint_eq(e->where, OUTCOME_REUSED_LATE);
			ck_assert_uint_eq(e->at, stream_when(s.finished, 0, 0, 0));
			ck_assert_uint_eq(e->n, s.st.reuse_wait_cycles);
		}
	}
	ck_assert_uint_eq(n, 2);
	stream_free(&s);
}
END_TEST

Suite *suite_front_seen(void);
Suite *suite_front_seen(void)
{
	Suite *s = suite_create("front_seen");
	TCase *c = tcase_create("front");

	tcase_add_test(c, checked_mode_compares_what_is_not_written);
	tcase_add_test(c, checked_mode_follows_dummy_moves);
	tcase_add_test(c, checked_mode_makes_garbage_of_what_is_freed);
	tcase_add_test(c, watchers_see_lookups_and_outcomes);
	suite_add_tcase(s, c);
	return s;
}

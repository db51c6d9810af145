/* Register-file configurations and the axis values, each through its interface alone. */
#include "stream.h"

/* Of each test. */
static struct rf_config c;
static struct params p;
static struct diag d;

static void begin(void) { diag_init(&d, NULL); }
static void end(void) { diag_free(&d); }

static void machine(const char *name) { ck_assert(params_machine(&p, name, &d)); }

/* "baseline" has the scheduler of the machine. */
static const struct {
	const char *machine, *text, *name, *issue;
} good[] = {
	{ "gtx480", "baseline", "baseline", "gto" },
	{ "gtx480", "baseline,issue=lrr", "baseline,issue=lrr", "lrr" },
	{ "gtx480", "issue=lrr", "baseline,issue=lrr", "lrr" },
	{ "gtx480", "issue=cggty", "baseline,issue=cggty", "cggty" },
	{ "gtx480", "issue=gto,residency=static,packing=none,hierarchy=none,values=none,reuse=none", "baseline",
	  "gto" },
	{ "gtx480", "issue=two-level", "baseline,issue=two-level", "two-level" },
	{ "corf", "baseline", "baseline", "two-level-rr" },
	{ "corf", "packing=none", "baseline", "two-level-rr" },
	{ "corf", "issue=gto", "baseline,issue=gto", "gto" },
	{ "hierarchical-rf", "baseline", "baseline", "two-level" },
	{ "g-scalar", "baseline", "baseline", "gto" },
};

START_TEST(a_configuration_parses_to_its_shortest_name)
{
	struct rf_config again;
	struct arena a;

	machine(good[_i].machine);
	arena_init(&a);
	ck_assert(rf_config_parse(&c, good[_i].text, &p, &d));
	ck_assert_str_eq(rf_config_name(&c, &p, &a), good[_i].name);
	ck_assert_str_eq(c.issue->name, good[_i].issue);
	ck_assert(rf_config_parse(&again, rf_config_name(&c, &p, &a), &p, &d));
	ck_assert_mem_eq(&c, &again, sizeof c);
	ck_assert(rf_config_check(&c, &p, 0, "test", &d));
	ck_assert_uint_eq(rf_config_records(&c), 0);
	arena_free(&a);
}
END_TEST

static const struct {
	const char *text, *says;
} bad[] = {
	{ "", "no preset is called ''" },
	{ "fast", "no preset is called 'fast'" },
	{ "baseline,", "no preset is called ''" },
	{ "issue=lrr,baseline", "the preset 'baseline' must come first" },
	{ "rfc,orf", "'rfc' and 'orf' are two presets, and a configuration has one" },
	{ "rfc,issue=lrr,orf", "'rfc' and 'orf' are two presets" },
	{ "lrf", "did you mean lrf+orf?" },
	{ "split", "did you mean split-lrf+orf?" },
	{ "first", "did you mean first-fit?" },
	{ "orf+", "did you mean orf?" },
	{ "wir-rlpv+affine", "did you mean affine+wir-rlpv?" },
	{ "forward-first-fit", "`sm-model list rf` names them" },
	{ "lrf+split-orf", "did you mean split-lrf+orf?" },
	{ "issue=fifo", "issue=fifo is unknown; there is: gto, cggty, lrr, two-level, two-level-rr" },
	{ "issue=", "issue= is unknown" },
	{ "colour=red", "no axis is called 'colour'" },
	{ "issue=gto,issue=lrr", "the axis 'issue' is given twice" },
};

/* Of a machine's file, which may say what it likes. */
START_TEST(a_machine_has_a_scheduler_that_there_is)
{
	machine("gtx480");
	p.issue = "fifo";
	ck_assert(!rf_config_parse(&c, "baseline", &p, &d));
	ck_assert_msg(strstr(d.last, "gtx480: error: its scheduler 'fifo' is unknown; there is: gto, cggty, lrr"), "%s",
		      d.last);
}
END_TEST

START_TEST(what_is_unknown_or_given_twice_is_refused)
{
	machine("gtx480");
	ck_assert(!rf_config_parse(&c, bad[_i].text, &p, &d));
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_msg(strstr(d.last, bad[_i].says), "%s", d.last);
}
END_TEST

START_TEST(an_object_without_the_annotations_needed_is_refused)
{
	struct issue_ops needy;

	machine("gtx480");
	ck_assert(rf_config_parse(&c, "baseline", &p, &d));
	needy = *c.issue;
	needy.needs_anno = 1;
	needy.needs_record = WANT_SIG;
	c.issue = &needy;
	ck_assert(!rf_config_check(&c, &p, 0, "k.rlo", &d));
	ck_assert_ptr_nonnull(strstr(d.last, "liveness"));
	ck_assert(rf_config_check(&c, &p, 1, "k.rlo", &d));
	ck_assert_uint_eq(rf_config_records(&c), WANT_SIG);
}
END_TEST

START_TEST(two_renaming_tables_are_refused)
{
	static const char *const others[] = { "residency=rfv", "residency=rfv-shared", "residency=regmutex",
					      "residency=owf", "packing=first-fit",    "packing=corf" };
	struct reuse_ops renames;

	machine("gtx480");
	ck_assert(rf_config_parse(&c, "first-fit", &p, &d));
	ck_assert(rf_config_check(&c, &p, 0, "k.rlo", &d));
	renames = *c.reuse;
	renames.name = "wir";
	renames.renames = true;
	c.reuse = &renames;
	ck_assert(!rf_config_check(&c, &p, 0, "k.rlo", &d));
	ck_assert_ptr_nonnull(strstr(d.last, "packing=first-fit and reuse=wir"));
	ck_assert(rf_config_parse(&c, "baseline", &p, &d));
	c.reuse = &renames;
	ck_assert(rf_config_check(&c, &p, 0, "k.rlo", &d));
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
		ck_assert(rf_config_parse(&c, others[i], &p, &d));
		c.reuse = &renames;
		ck_assert(!rf_config_check(&c, &p, ~0u, "k.rlo", &d));
		ck_assert_msg(strstr(d.last, others[i]) && strstr(d.last, "reuse=wir"), "%s", d.last);
	}
}
END_TEST

/* On a core of sub-cores: what each has a share of is one for each; whoever changes when a result is there wants a
 * scoreboard; some values take banks that a sub-core does not reach. */
static const struct {
	const char *rf, *set, *says;
} of_sub_cores[] = {
	{ "wir-rlpv", "dependences=1", NULL },
	{ "wir-rlpv", "dependences=0", "under reuse=wir-rlpv a result is there at another time" },
	{ "g-scalar", "dependences=0", "under values=g-scalar a result is there at another time" },
	{ "rfc", "dependences=0", "under hierarchy=rfc a result is there at another time" },
	{ "corf", "dependences=0", "packing=corf may move a register" },
	{ "wir-rlpv", "reuse_entries=30", "each of 4 sub-cores has as many of reuse_entries, which is 30" },
	{ "wir-rlpv", "vsb_entries=1", "each of 4 sub-cores has as many of vsb_entries, which is 1" },
	{ "wir-rlpv", "verify_entries=6", "each of 4 sub-cores has as many of verify_entries, which is 6" },
	{ "wir-rlpv", "reuse_queue=5", "each of 4 sub-cores has as many of reuse_queue, which is 5" },
	{ "wir-rl", "reuse_queue=5", NULL }, /* which has none */
	{ "wir-rlp", "verify_entries=5", NULL },
	{ "baseline", "reg_round=1", "as many registers in each of two banks, and reg_round is 1" },
	{ "owf", "dependences=0", NULL },
	{ "baseline", "rf_banks=4", "each of 4 sub-cores has two banks, and rf_banks is 4" },
	{ "baseline", "rf_registers=4480", "rf_registers is 4480, not a multiple of 256" },
};

START_TEST(a_sub_core_reaches_its_own)
{
	machine("rtx3080");
	ck_assert(params_set(&p, "dependences=1", &d) && params_set(&p, of_sub_cores[_i].set, &d));
	ck_assert(rf_config_parse(&c, of_sub_cores[_i].rf, &p, &d));
	ck_assert_int_eq(rf_config_check(&c, &p, ~0u, "k.rlo", &d), !of_sub_cores[_i].says);
	if (of_sub_cores[_i].says)
		ck_assert_msg(strstr(d.last, of_sub_cores[_i].says), "%s", d.last);
}
END_TEST

START_TEST(a_residency_of_all_banks_has_no_sub_cores)
{
	struct residency_ops all;

	machine("rtx3080");
	ck_assert(rf_config_parse(&c, "baseline", &p, &d));
	all = *c.residency;
	all.subcores = false;
	c.residency = &all;
	ck_assert(!rf_config_check(&c, &p, ~0u, "k.rlo", &d));
	ck_assert_ptr_nonnull(strstr(d.last, "residency=static gives a register any bank of an SM"));
}
END_TEST

START_TEST(upper_levels_take_every_result)
{
	static const char *const rf[] = { "hierarchy=rfc", "hierarchy=rfc2", "hierarchy=all-l0", "hierarchy=all-l1",
					  "hierarchy=orf" };
	struct reuse_ops wir;

	machine("hierarchical-rf");
	ck_assert(rf_config_parse(&c, "baseline", &p, &d));
	wir = *c.reuse;
	wir.name = "wir";
	wir.renames = true;
	c.reuse = &wir;
	ck_assert(rf_config_check(&c, &p, 0, "k.rlo", &d));
	for (unsigned i = 0; i < sizeof rf / sizeof *rf; i++) {
		ck_assert(rf_config_parse(&c, rf[i], &p, &d));
		c.reuse = &wir;
		ck_assert(!rf_config_check(&c, &p, ~0u, "k.rlo", &d));
		ck_assert_msg(strstr(d.last, "and reuse=wir leaves results where others have written them"), "%s",
			      d.last);
	}
}
END_TEST

START_TEST(upper_levels_need_a_scheduler_that_demotes_and_registers_that_stay)
{
	struct hierarchy_ops cache;

	machine("gtx480");
	ck_assert(rf_config_parse(&c, "issue=lrr", &p, &d));
	cache = *c.hierarchy;
	cache.name = "cache";
	cache.two_level = cache.writes_back = true;
	c.hierarchy = &cache;
	ck_assert(!rf_config_check(&c, &p, 0, "k.rlo", &d));
	ck_assert_msg(strstr(d.last, "hierarchy=cache has entries for the active warps of a two-level scheduler alone, "
				     "and this is issue=lrr"),
		      "%s", d.last);
	p.rf_flush = 0;
	ck_assert(rf_config_check(&c, &p, 0, "k.rlo", &d));
	ck_assert(rf_config_parse(&c, "first-fit,issue=two-level-rr", &p, &d));
	p.rf_flush = 1;
	c.hierarchy = &cache;
	ck_assert(!rf_config_check(&c, &p, 0, "k.rlo", &d));
	ck_assert_msg(strstr(d.last, "packing=first-fit gives a register its place when an instruction writes it, and "
				     "hierarchy=cache"),
		      "%s", d.last);
	cache.writes_back = false;
	ck_assert(rf_config_check(&c, &p, 0, "k.rlo", &d));
}
END_TEST

static struct axis_ctx context(struct stream *s)
{
	static const struct axes none;

	return (struct axis_ctx){
		.axes = &none,
		.params = &s->p,
		.kernel = s->k,
		.stats = &s->st,
		.arena = &s->a,
		.diag = &s->d,
		.warps = 48,
		.warps_per_cta = 4,
	};
}

/* The warps of `ready` as the policy picks them one after another. */
static unsigned order(const struct stream *s, const struct issue *is, uint64_t ready, uint16_t out[])
{
	unsigned n = 0;

	while (ready) {
		out[n] = (uint16_t)s->rf.issue->pick(is, ready);
		ready &= ~((uint64_t)1 << out[n++]);
	}
	return n;
}

START_TEST(gto_orders_greedy_first_then_by_age)
{
	struct stream s;
	struct axis_ctx cx;
	struct issue *is;
	uint16_t out[64];

	stream_init(&s);
	cx = context(&s);
	is = s.rf.issue->create(&cx, 0);
	s.rf.issue->warp_start(is, 4, 30);
	s.rf.issue->warp_start(is, 2, 10);
	s.rf.issue->warp_start(is, 0, 20);
	ck_assert_uint_eq(order(&s, is, 0x15, out), 3);
	ck_assert_uint_eq(out[0], 2);
	ck_assert_uint_eq(out[1], 0);
	ck_assert_uint_eq(out[2], 4);
	s.rf.issue->issued(is, 4, NULL, 0);
	order(&s, is, 0x15, out);
	ck_assert_uint_eq(out[0], 4);
	ck_assert_uint_eq(out[1], 2);
	ck_assert_uint_eq(order(&s, is, 0x5, out), 2); /* the greedy one is not ready */
	ck_assert_uint_eq(out[0], 2);
	s.rf.issue->warp_exit(is, 4);
	s.rf.issue->warp_start(is, 4, 40); /* a new warp in the slot is not greedy */
	order(&s, is, 0x15, out);
	ck_assert_uint_eq(out[0], 2);
	ck_assert_uint_eq(out[2], 4);
	stream_free(&s);
}
END_TEST

START_TEST(lrr_begins_after_the_last_issue)
{
	struct stream s;
	struct axis_ctx cx;
	struct issue *is;
	uint16_t out[64];

	stream_init(&s);
	ck_assert(rf_config_parse(&s.rf, "issue=lrr", &s.p, &s.d));
	cx = context(&s);
	is = s.rf.issue->create(&cx, 0);
	order(&s, is, 0x15, out);
	ck_assert_uint_eq(out[0], 0);
	s.rf.issue->issued(is, 2, NULL, 0);
	ck_assert_uint_eq(order(&s, is, 0x15, out), 3);
	ck_assert_uint_eq(out[0], 4);
	ck_assert_uint_eq(out[1], 0);
	ck_assert_uint_eq(out[2], 2);
	stream_free(&s);
}
END_TEST

START_TEST(static_residency_gives_every_warp_its_own_registers)
{
	static const unsigned sizes[] = { 1, 13, 16, 20, 32, 63 };
	struct stream s;
	struct axis_ctx cx;
	struct residency *r;
	bool seen[48 * 64] = { false };
	unsigned regs = sizes[_i], alloc = (regs + 3) / 4 * 4;

	stream_init(&s);
	s.k->res.regs = regs;
	cx = context(&s);
	r = s.rf.residency->create(&cx);
	for (unsigned w = 0; w < 48; w++)
		for (unsigned i = 0; i < regs; i++) {
			unsigned phys = s.rf.residency->map(r, w, i);

			ck_assert_uint_lt(phys, 48 * alloc);
			ck_assert(!seen[phys]);
			seen[phys] = true;
			if (alloc % s.p.rf_banks == 0)
				ck_assert_uint_eq(phys % s.p.rf_banks, (i + w) % s.p.rf_banks);
		}
	stream_free(&s);
}
END_TEST

START_TEST(the_null_values_pass_everything_through)
{
	struct stream s;
	struct axis_ctx cx;
	struct uop u = { .nsrc = 2, .ndst = 1, .src = { 3, 4 }, .dst = { 5 }, .active = 0xff };
	uint16_t phys[] = { 35, 17 };
	struct bank_access a[ACCESS_MAX], b;
	struct packing *pk;

	stream_init(&s);
	cx = context(&s);
	pk = s.rf.packing->create(&cx);
	ck_assert_uint_eq(s.rf.packing->read(pk, &u, 3, phys, a), 2);
	ck_assert_uint_eq(a[0].bank, 3);
	ck_assert_uint_eq(a[0].entry, 2);
	ck_assert_uint_eq(a[1].bank, 1);
	ck_assert_uint_eq(a[1].operands, 2);
	ck_assert_uint_eq(a[0].arrays, s.p.rf_arrays);
	ck_assert_uint_eq(s.rf.packing->write(pk, &u, 0, 40, &b), 1);
	ck_assert_uint_eq(b.bank, 8);
	ck_assert(s.rf.hierarchy->create(&cx) && !s.rf.hierarchy->read && !s.rf.hierarchy->write);
	ck_assert(s.rf.values->create(&cx) && !s.rf.values->read && !s.rf.values->lanes);
	ck_assert(s.rf.reuse->create(&cx) && !s.rf.reuse->renames);
	stream_free(&s);
}
END_TEST

Suite *suite_axis(void);
Suite *suite_axis(void)
{
	Suite *s = suite_create("axis");
	TCase *t = tcase_create("axis");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_loop_test(t, a_configuration_parses_to_its_shortest_name, 0, sizeof good / sizeof *good);
	tcase_add_test(t, a_machine_has_a_scheduler_that_there_is);
	tcase_add_loop_test(t, what_is_unknown_or_given_twice_is_refused, 0, sizeof bad / sizeof *bad);
	tcase_add_test(t, an_object_without_the_annotations_needed_is_refused);
	tcase_add_test(t, two_renaming_tables_are_refused);
	tcase_add_loop_test(t, a_sub_core_reaches_its_own, 0, sizeof of_sub_cores / sizeof *of_sub_cores);
	tcase_add_test(t, a_residency_of_all_banks_has_no_sub_cores);
	tcase_add_test(t, upper_levels_take_every_result);
	tcase_add_test(t, upper_levels_need_a_scheduler_that_demotes_and_registers_that_stay);
	tcase_add_test(t, gto_orders_greedy_first_then_by_age);
	tcase_add_test(t, lrr_begins_after_the_last_issue);
	tcase_add_loop_test(t, static_residency_gives_every_warp_its_own_registers, 0, 6);
	tcase_add_test(t, the_null_values_pass_everything_through);
	suite_add_tcase(s, t);
	return s;
}

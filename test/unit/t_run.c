/* A launch file run from beginning to end on a kernel compiled from PTX text: results, repeats, faults, reports. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/run/noise.h"
#include "test/unit/run_env.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_functional_run_gives_the_right_memory)
{
	struct env e;
	struct run r;
	struct launch_file *f;
	const char *text;
	const uint32_t *x;

	setup(&e);
	e.o.nconfig = 0;
	e.o.checked = true;
	f = launches(&e, LAUNCHES REPEATS "expect:\n  - {buffer: x, other: half, allow_mismatch: 0.5}\n");
	ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	/* 1000 .. 1099 come below 9 after seven rounds: 1000 / 128 = 7, 1024 / 128 = 8 */
	ck_assert_uint_eq(r.launch[0].rounds, 7);
	x = device_ptr(r.dev, f->buffer[0].address, 400);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(x[i], (1000 + i) / 128);
	ck_assert(r.check == CHECK_FAIL && r.expect[0].mismatches == 76 && r.expect[0].allowed == 50 && !r.differs);
	ck_assert(r.counts.warp_insns == r.launch[0].warp_insns && r.counts.thread_insns > 7 * 100 * 8);
	text = printed(&e, &r);
	ck_assert(strstr(text, "result   FAIL") && strstr(text, "76 of 100 elements differ, 50 may"));
	ck_assert(strstr(text, "x[24] is 8, expected 7") && strstr(text, "... and 71 more"));
	ck_assert(strstr(text, "PASS  with dead registers overwritten"));
	run_free(&r);
	teardown(&e);
}
END_TEST

START_TEST(a_timed_run_executes_the_same_instructions)
{
	struct env e;
	struct run timed, plain;
	struct launch_file *f;
	const char *text;

	setup(&e);
	f = launches(&e, LAUNCHES REPEATS);
	ck_assert_msg(run_launches(&timed, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	e.o.nconfig = 0;
	ck_assert_msg(run_launches(&plain, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(timed.check == CHECK_NONE && timed.launch[0].rounds == 7);
	ck_assert_uint_eq(timed.timing[0].stats.warp_instructions, plain.counts.warp_insns);
	ck_assert_uint_eq(timed.timing[0].stats.thread_instructions, plain.counts.thread_insns);
	ck_assert(timed.timing[0].stats.cycles > 7 * 100 && timed.timing[0].cycles[0] == timed.timing[0].stats.cycles &&
		  timed.timing[0].stats.launches == 7);
	ck_assert(memcmp(device_ptr(timed.dev, f->buffer[0].address, 400),
			 device_ptr(plain.dev, f->buffer[0].address, 400), 400) == 0);
	text = printed(&e, &timed);
	ck_assert(strstr(text, "machine  gtx480, register file baseline\n") && strstr(text, "not checked"));
	run_free(&timed);
	run_free(&plain);
	teardown(&e);
}
END_TEST

START_TEST(another_register_file_stands_beside_the_baseline)
{
	struct env e;
	struct run r, base;
	struct launch_file *f;

	setup(&e);
	f = launches(&e, LAUNCHES REPEATS);
	ck_assert_msg(run_launches(&base, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	e.config[1] = e.config[0];
	ck_assert(rf_config_parse(&e.config[0].rf, "issue=lrr", &e.params, &e.d));
	e.o.nconfig = 2;
	ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(memcmp(&r.timing[1].stats, &base.timing[0].stats, sizeof(struct stats)) == 0);
	ck_assert(strstr(printed(&e, &r), "register file baseline,issue=lrr beside baseline") ||
		  strstr(printed(&e, &r), "register file issue=lrr beside baseline"));
	run_free(&r);
	run_free(&base);
	teardown(&e);
}
END_TEST

/* A configuration whose SM is too small for the kernel fails by itself; the others count what they count alone. */
START_TEST(configurations_fail_one_by_one)
{
	struct env e;
	struct run r, alone;
	struct params small;
	struct launch_file *f;

	setup(&e);
	f = launches(&e, LAUNCHES REPEATS);
	small = e.params;
	ck_assert(params_set(&small, "rf_registers=1024", &e.d) && params_set(&small, "reg_round=64", &e.d) &&
		  rf_config_parse(&e.config[2].rf, "issue=lrr", &e.params, &e.d));
	e.config[1] = (struct run_config){ .name = "small", .params = &small, .rf = e.config[0].rf };
	e.config[2].name = "other";
	e.config[2].params = &e.params;
	e.o.nconfig = 3;
	ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(e.d.errors == 1 && !r.timing[0].failed && r.timing[1].failed && !r.timing[2].failed &&
		  r.launch[0].rounds == 7);
	ck_assert_msg(strstr(e.d.last, "configuration small: halve: error: a CTA of 32 threads"), "%s", e.d.last);
	run_free(&r);
	for (unsigned i = 0; i < 3; i += 2) {
		struct run_options o = e.o;

		o.config = &e.config[i];
		o.nconfig = 1;
		ck_assert_msg(run_launches(&alone, e.m, f, &o, &e.a, &e.d), "%s", e.d.last);
		ck_assert(memcmp(&r.timing[i].stats, &alone.timing[0].stats, sizeof(struct stats)) == 0);
		ck_assert(r.timing[i].cycles[0] == alone.timing[0].cycles[0] &&
			  r.launch[0].warp_insns == alone.launch[0].warp_insns);
		run_free(&alone);
	}
	e.config[0].params = e.config[2].params = &small;
	ck_assert(!run_launches(&r, e.m, f, &e.o, &e.a, &e.d) && r.launch[0].rounds == 0);
	run_free(&r);
	teardown(&e);
}
END_TEST

static char *json_text(const struct run *r)
{
	json_t *o = run_json(r);
	char *text;

	ck_assert(o);
	text = json_dumps(o, JSON_INDENT(2));
	json_decref(o);
	return text;
}

START_TEST(two_runs_give_the_same_json)
{
	static const char *const names[] = { "cycles",   "warp_instructions", "thread_instructions", "ipc",
					     "rf_reads", "rf_writes",         "rf_dynamic_energy" };
	struct env e;
	struct run r;
	struct launch_file *f;
	char *text[2];
	json_t *o, *metrics;

	setup(&e);
	f = launches(&e, LAUNCHES REPEATS);
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
		text[i] = json_text(&r);
		run_free(&r);
	}
	ck_assert_str_eq(text[0], text[1]);
	o = json_loads(text[0], 0, NULL);
	ck_assert_str_eq(json_string_value(json_object_get(o, "kernel")), "halve");
	ck_assert_str_eq(json_string_value(json_object_get(o, "machine")), "gtx480");
	ck_assert_str_eq(json_string_value(json_object_get(o, "rf")), "baseline");
	ck_assert_str_eq(json_string_value(json_object_get(o, "check")), "none");
	metrics = json_object_get(o, "metrics");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		json_t *m = json_object_get(metrics, names[i]);

		ck_assert_msg(json_number_value(json_object_get(m, "value")) > 0, "%s", names[i]);
		ck_assert(json_is_string(json_object_get(m, "unit")));
	}
	json_decref(o);
	free(text[0]);
	free(text[1]);
	teardown(&e);
}
END_TEST

START_TEST(a_run_that_cannot_go_on_says_why)
{
	struct env e;
	struct run r;
	struct launch_file *f;

	setup(&e);
	e.o.nconfig = 0;
	f = launches(&e, "buffers:\n  - {name: x, type: u32, count: 4}\n"
			 "launches:\n  - {kernel: poke, grid: [1], block: [1], args: [{buffer: x, offset: 16}]}\n");
	ck_assert(!run_launches(&r, e.m, f, &e.o, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "poke") && strstr(e.d.last, "st.global.u32"), "%s", e.d.last);
	run_free(&r);
	f = launches(&e, "launches:\n  - {kernel: gone, grid: [1], block: [1]}\n");
	ck_assert(!run_launches(&r, e.m, f, &e.o, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "the module has no kernel 'gone'; it has halve, spin, poke"), "%s", e.d.last);
	run_free(&r);
	teardown(&e);
}
END_TEST

#define SPIN "  - {kernel: spin, grid: [3], block: [64], args: [{buffer: x}]}\n"

START_TEST(an_endless_kernel_ends_at_the_limit)
{
	struct env e;
	struct run r;

	setup(&e);
	e.o.guard_insns = 5000;
	for (int functional = 0; functional < 2; functional++) {
		struct launch_file *f = launches(&e, LAUNCHES SPIN REPEATS "expect:\n  - {buffer: x, other: half}\n");
		const char *text;

		e.o.nconfig = !functional;
		ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
		/* this limit is of each launch: these passed */
		ck_assert_uint_eq(r.launch[0].rounds, 7);
		ck_assert(r.check == CHECK_PARTIAL && r.stop.guard && r.stop.launch == 1 &&
			  r.stop.at.why == STOP_INSNS);
		ck_assert(r.stop.at.ctas_done == 0 && r.stop.at.ctas == 3 &&
			  strstr(r.stop.at.where, functional ? ", bra " : ", instruction 0 `bra "));
		ck_assert_uint_ge(r.launch[1].warp_insns, 5000);
		ck_assert_uint_le(r.launch[1].warp_insns, functional ? 5000 : 15000);
		text = printed(&e, &r);
		ck_assert(strstr(
			text,
			"PARTIAL: a launch is limited to 5000 warp instructions, in launch 2, spin, with 0 of 3 CTAs"));
		ck_assert(!strstr(text, "elements differ"));
		run_free(&r);
	}
	e.o.guard_insns = 0;
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d));
	e.o.guard_insns = r.launch[0].warp_insns / 7 - 1; /* the first round executes the most */
	run_free(&r);
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d));
	ck_assert(r.check == CHECK_PARTIAL && r.stop.at.why == STOP_INSNS && r.stop.launch == 0);
	run_free(&r);
	teardown(&e);
}
END_TEST

#define TELL "  - {kernel: tell, grid: [1], block: [32], args: [{value: 8}, {value: 0}]}\n"

/* Short as each is: a round counts as a thousand instructions at least, and more than ten launches' worth is too
 * much. */
START_TEST(rounds_and_launches_count_towards_the_guards)
{
	static const struct {
		const char *yaml, *said;
		unsigned launch;
		uint64_t rounds;
	} cases[] = {
		{ "launches:\n" TELL TELL "repeats:\n  - {first: 1, rounds: 2000000000}\n",
		  "PARTIAL: a launch is limited to 5000 warp instructions over all rounds, before launch 2, tell, "
		  "round 6",
		  1, 5 },
		{ "launches:\n" TELL TELL "repeats:\n  - {first: 0, last: 1, rounds: 4}\n", "", 0, 4 },
		{ "launches:\n" TELL TELL TELL TELL "repeats:\n  - {first: 0, last: 3, rounds: 4}\n",
		  "PARTIAL: all launches are limited to 10000 warp instructions, before launch 3, tell, round 3", 2,
		  2 },
	};
	struct env e;
	struct run r;

	setup(&e);
	e.o.guard_insns = 5000;
	e.o.guard_all = 10000;
	for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		e.o.nconfig = i & 1;
		ck_assert_msg(run_launches(&r, e.m, launches(&e, cases[i / 2].yaml), &e.o, &e.a, &e.d), "%s", e.d.last);
		ck_assert_msg(strstr(printed(&e, &r), cases[i / 2].said), "%s", printed(&e, &r));
		ck_assert_uint_eq(r.launch[cases[i / 2].launch].rounds, cases[i / 2].rounds);
		if (*cases[i / 2].said)
			ck_assert(r.check == CHECK_PARTIAL && r.stop.guard && r.stop.at.why == STOP_INSNS);
		else
			ck_assert(!r.stop.at.why);
		run_free(&r);
	}
	teardown(&e);
}
END_TEST

START_TEST(limits_are_of_all_launches_and_the_part_until_then_adds_up)
{
	const struct stats *st;
	struct env e;
	struct run whole, r;

	setup(&e);
	ck_assert(run_launches(&whole, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d));
	ck_assert(whole.check == CHECK_NONE && whole.stop.at.why == STOP_NOT);
	run_free(&whole);
	st = &whole.timing[0].stats;
	for (uint64_t n = 1; n < st->cycles; n += 97) {
		const struct stats *part;

		e.o.max_cycles = n;
		ck_assert_msg(run_launches(&r, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d), "%s", e.d.last);
		part = &r.timing[0].stats;
		ck_assert(r.check == CHECK_PARTIAL && r.stop.at.why == STOP_CYCLES && part->cycles == n);
		ck_assert(stats_check(part, &e.d) && part->warp_instructions <= st->warp_instructions);
		ck_assert(part->issue_slots == n * e.params.schedulers * e.params.sms);
		run_free(&r);
	}
	e.o.max_cycles = st->cycles;
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d) && r.check == CHECK_NONE);
	run_free(&r);
	e.o.max_cycles = 0;
	e.o.nconfig = 0;
	for (uint64_t n = 1; n <= st->warp_instructions; n += 7) {
		e.o.max_insns = n;
		ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d));
		ck_assert(r.counts.warp_insns == n &&
			  r.stop.at.why == (n == st->warp_instructions ? STOP_NOT : STOP_INSNS));
		run_free(&r);
	}
	teardown(&e);
}
END_TEST

static void raise_flag(void *ctx, const struct run_progress *p)
{
	int *at = ctx; /* the flag, and the warp instructions at which to raise it */

	at[0] |= p->warp_insns >= (uint64_t)at[1] && p->ctas;
}

START_TEST(a_flag_stops_a_run_wherever_it_is)
{
	int at[2] = { 0, 300000 };
	struct env e;
	struct run r;
	json_t *o;

	setup(&e);
	e.o.stop = &at[0];
	e.o.progress = raise_flag;
	e.o.progress_ctx = at;
	e.config[1] = e.config[0];
	e.config[1].name = "two";
	ck_assert(rf_config_parse(&e.config[0].rf, "issue=lrr", &e.params, &e.d));
	for (unsigned n = 0; n < 3; n++) {
		/* of all: the flag rises by what they have issued together, perhaps before one of them has come far */
		uint64_t cycles = 0;

		e.o.nconfig = n;
		at[0] = 0;
		ck_assert_msg(run_launches(&r, e.m, launches(&e, LAUNCHES SPIN REPEATS), &e.o, &e.a, &e.d), "%s",
			      e.d.last);
		ck_assert(r.check == CHECK_PARTIAL && r.stop.at.why == STOP_ASKED && r.stop.launch == 1);
		ck_assert_uint_ge(r.launch[1].warp_insns, 100000);
		for (unsigned i = 0; i < n; i++) {
			ck_assert(r.timing[i].stop.why == STOP_ASKED && !r.timing[i].failed);
			cycles += r.timing[i].stats.cycles;
		}
		ck_assert(!n || cycles > 1000);
		o = run_json(&r);
		ck_assert_str_eq(json_string_value(json_object_get(o, "check")), "partial");
		ck_assert_str_eq(json_string_value(json_object_get(json_object_get(o, "partial"), "why")), "asked");
		json_decref(o);
		run_free(&r);
	}
	at[0] = 1; /* before it begins: buffers are not filled */
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d));
	ck_assert(r.check == CHECK_PARTIAL && r.stop.at.ctas == 0 && r.launch[0].rounds == 0);
	ck_assert(strstr(printed(&e, &r), "PARTIAL: interrupted, before launch 1, halve"));
	ck_assert_uint_eq(*(uint32_t *)device_ptr(r.dev, r.f->buffer[0].address, 4), 0);
	run_free(&r);
	teardown(&e);
}
END_TEST

/* A launch that one configuration ends in time and the other does not: both stop behind it. */
START_TEST(configurations_stop_each_at_its_limit)
{
	struct params slow;
	struct env e;
	struct run r;

	setup(&e);
	slow = e.params;
	ck_assert(params_set(&slow, "dram_latency=2000", &e.d));
	e.config[1] = (struct run_config){ .name = "slow", .params = &slow, .rf = e.config[0].rf };
	e.o.nconfig = 2;
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d));
	ck_assert_uint_lt(r.timing[0].stats.cycles + 100, r.timing[1].stats.cycles);
	e.o.max_cycles = r.timing[0].stats.cycles + 50;
	run_free(&r);
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES REPEATS), &e.o, &e.a, &e.d));
	ck_assert(r.launch[0].rounds == 1 && r.stop.config == 1 && r.stop.at.why == STOP_CYCLES);
	ck_assert(r.timing[0].stop.why == STOP_NOT && r.timing[0].stats.cycles == e.o.max_cycles - 50);
	ck_assert(r.timing[1].stop.why == STOP_CYCLES && r.timing[1].stats.cycles == e.o.max_cycles);
	ck_assert(strstr(printed(&e, &r), "in launch 1, halve, configuration slow, with "));
	run_free(&r);
	teardown(&e);
}
END_TEST

/* 1000 CTAs on one SM, of which four clusters are timed; memory is that of the whole launch. */
START_TEST(a_sample_estimates_the_launch)
{
#define MANY                                                                                                         \
	"buffers:\n  - {name: x, type: u32, count: 32000, fill: ramp, start: 1000}\n  - {name: more, type: u32, "    \
	"count: 1}\n"                                                                                                \
	"launches:\n  - {kernel: halve, grid: [1000], block: [32], args: [{buffer: x}, {value: 32000}, {value: 8}, " \
	"{buffer: more}]}\n"
	const struct sample_estimate *s;
	struct run whole, r;
	struct env e;

	setup(&e);
	ck_assert(params_set(&e.params, "sms=1", &e.d));
	e.config[1] = e.config[0];
	e.config[1].name = "two";
	ck_assert(rf_config_parse(&e.config[1].rf, "issue=lrr", &e.params, &e.d));
	e.o.nconfig = 2;
	ck_assert(run_launches(&whole, e.m, launches(&e, MANY), &e.o, &e.a, &e.d));
	e.o.sample = 4;
	ck_assert_msg(run_launches(&r, e.m, launches(&e, MANY), &e.o, &e.a, &e.d), "%s", e.d.last);
	for (unsigned i = 0; i < 2; i++) {
		const struct stats *a = &whole.timing[i].stats, *b = &r.timing[i].stats;

		s = &r.timing[i].estimate;
		ck_assert(s->launches == 1 && s->whole == 0 && s->ctas == 1000 && s->timed_ctas == 4 * 6 * 8 + 4 * 8);
		ck_assert(a->warp_instructions == b->warp_instructions &&
			  a->thread_instructions == b->thread_instructions && a->ctas == b->ctas);
		ck_assert_double_lt(fabs((double)a->cycles - (double)b->cycles), 0.1 * (double)a->cycles);
		ck_assert_double_lt(fabs((double)a->l1_reads - (double)b->l1_reads), 0.03 * (double)a->l1_reads);
		ck_assert_double_lt(s->error, 0.3 * (double)a->cycles);
	}
	ck_assert_mem_eq(device_ptr(r.dev, r.f->buffer[0].address, 128000),
			 device_ptr(whole.dev, whole.f->buffer[0].address, 128000), 128000);
	ck_assert(strstr(printed(&e, &r), "ESTIMATED  one from 224 of 1000 CTAs; cycles +- "));
	run_free(&whole);
	run_free(&r);
	ck_assert(run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d)); /* too small for that */
	s = &r.timing[0].estimate;
	ck_assert(s->launches == 0 && s->whole == 1 && !strstr(printed(&e, &r), "ESTIMATED"));
	run_free(&r);
	teardown(&e);
}
END_TEST

START_TEST(wrong_liveness_is_found_by_poison)
{
	struct env e;
	struct run r;
	struct launch_file *f;
	struct kernel *k;

	setup(&e);
	e.o.nconfig = 0;
	e.o.checked = true;
	f = launches(&e, LAUNCHES REPEATS);
	k = e.m->kernel[0];
	memset(k->live->in_at, 0, sizeof(uint32_t) * (k->nblock + 1));
	memset(k->live->out_at, 0, sizeof(uint32_t) * (k->nblock + 1));
	/* The poisoned values are addresses and bounds here: memory differs, or the kernel faults. */
	if (run_launches(&r, e.m, f, &e.o, &e.a, &e.d))
		ck_assert(r.differs && r.check == CHECK_FAIL &&
			  strstr(e.d.last, "liveness or release is wrong, or a kernel reads what it never wrote"));
	else
		ck_assert(strstr(e.d.last, "halve"));
	run_free(&r);
	teardown(&e);
}
END_TEST

START_TEST(an_interval_is_that_of_students_t)
{
	/* n and the 0.975 quantile of n - 1 degrees of freedom, from printed tables */
	static const struct {
		unsigned n;
		double t;
	} of[] = { { 2, 12.706 }, { 5, 2.776 }, { 10, 2.262 }, { 11, 2.228 }, { 31, 2.042 }, { 100, 1.984 } };
	double v[PERTURB_MOST];

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		const unsigned n = of[i].n;
		struct noise x;

		for (unsigned k = 0; k < n; k++) /* 1 .. n: the variance is n (n + 1) / 12 */
			v[k] = k + 1;
		x = noise_of(v, n);
		ck_assert_double_eq_tol(x.mean, (n + 1) / 2., 1e-9);
		ck_assert_double_eq_tol(x.sd, sqrt(n * (n + 1) / 12.), 1e-9);
		ck_assert_double_eq_tol(x.half * sqrt(n) / x.sd, of[i].t, 6e-4);
	}
	v[0] = 1.02, v[1] = 1.04, v[2] = 1.03; /* deviation 0.01, half 4.3027 x 0.01 / sqrt(3) = 0.0248 */
	ck_assert(noise_changed(&(struct noise){ .mean = noise_of(v, 3).mean, .half = noise_of(v, 3).half }));
	v[0] = 1.01;
	ck_assert(!noise_changed(&(struct noise){ .mean = noise_of(v, 3).mean, .half = noise_of(v, 3).half }));
}
END_TEST

START_TEST(delays_change_time_and_no_work)
{
	struct env e;
	struct run r, plain;
	struct launch_file *f;
	struct params far;
	struct noise x;
	unsigned cycles;

	setup(&e);
	e.config[1] = e.config[0];
	far = e.params;
	far.l2_latency = 2 * far.l2_latency;
	e.config[1].params = &far;
	e.o.nconfig = 2;
	f = launches(&e, LAUNCHES REPEATS);
	ck_assert_msg(run_launches(&plain, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	e.o.perturb = 4;
	ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(r.ntimed == 10 && r.opt.nconfig == 2 && run_metric_index("cycles", &cycles));
	for (unsigned i = 0; i < 2; i++)
		ck_assert(memcmp(&r.timing[i].stats, &plain.timing[i].stats, sizeof(struct stats)) == 0);
	for (unsigned i = 2; i < r.ntimed; i++) {
		const struct stats *a = &r.timing[i].stats, *b = &r.timing[i % 2].stats;

		ck_assert(a->cycles != b->cycles);
		ck_assert(a->warp_instructions == b->warp_instructions &&
			  a->thread_instructions == b->thread_instructions && a->operand_reads == b->operand_reads &&
			  a->rf_reads == b->rf_reads && a->ctas == b->ctas);
	}
	ck_assert(!run_noise(&r, 0, RUN_ALL_KERNELS, cycles, &x));
	ck_assert(run_noise(&r, 1, RUN_ALL_KERNELS, cycles, &x));
	ck_assert(x.n == 4 && x.sd > 0 && x.mean > 1.1 && noise_changed(&x));
	ck_assert(!run_noise(&plain, 1, RUN_ALL_KERNELS, cycles, &x));
	run_free(&r);
	run_free(&plain);
	e.o.perturb = 128; /* 2 x 129 */
	ck_assert(!run_launches(&r, e.m, f, &e.o, &e.a, &e.d) && strstr(e.d.last, "more than 256"));
	run_free(&r);
	teardown(&e);
}
END_TEST

Suite *suite_run(void);
Suite *suite_run(void)
{
	Suite *s = suite_create("run");
	TCase *t = tcase_create("run");

	tcase_add_test(t, a_functional_run_gives_the_right_memory);
	tcase_add_test(t, a_timed_run_executes_the_same_instructions);
	tcase_add_test(t, another_register_file_stands_beside_the_baseline);
	tcase_add_test(t, configurations_fail_one_by_one);
	tcase_add_test(t, two_runs_give_the_same_json);
	tcase_add_test(t, a_run_that_cannot_go_on_says_why);
	tcase_add_test(t, an_endless_kernel_ends_at_the_limit);
	tcase_add_test(t, rounds_and_launches_count_towards_the_guards);
	tcase_add_test(t, limits_are_of_all_launches_and_the_part_until_then_adds_up);
	tcase_add_test(t, a_flag_stops_a_run_wherever_it_is);
	tcase_add_test(t, configurations_stop_each_at_its_limit);
	tcase_add_test(t, a_sample_estimates_the_launch);
	tcase_add_test(t, wrong_liveness_is_found_by_poison);
	tcase_add_test(t, an_interval_is_that_of_students_t);
	tcase_add_test(t, delays_change_time_and_no_work);
	suite_add_tcase(s, t);
	return s;
}

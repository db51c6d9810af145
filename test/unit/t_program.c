/* Plain kernels and their variants in one run: each program is executed once, and both must leave the same memory. */
#include "passes/regmutex.h"
#include "test/unit/run_env.h"

#include <unistd.h>

Suite *suite_program(void);

/* A variant of kernel k: the whole of it between acquire and release; `wrong`: with another result. */
static void add_variant(struct env *e, struct kernel *k, bool wrong)
{
	struct kernel *v = ir_clone(k, &e->a);
	struct pass_ctx cx;
	struct rewrite rw;

	v->plain = k;
	v->base_regs = 2;
	rewrite_begin(&rw, v);
	for (uint32_t b = 0; b < v->nblock; b++) {
		uint32_t first = v->block[b].first, end = first + v->block[b].n;

		rewrite_block(&rw);
		for (uint32_t i = first; i < end; i++) {
			if (i == 0 || op_info[rw.old[i].op].flags & OPF_EXIT)
				rewrite_new(&rw, i ? OP_RF_RELEASE : OP_RF_ACQUIRE, 0, 0, NULL);
			if (wrong && strstr(op_info[rw.old[i].op].text, "shr"))
				rw.old[i].op = (uint16_t)OP_SHL_B32;
			rewrite_keep(&rw, &rw.old[i]);
		}
	}
	rewrite_end(&rw);
	pass_ctx_init(&cx, &e->d);
	ck_assert_msg(ir_verify(v, &e->d) && pass_need(v, FACT_ALL, &cx), "%s", e->d.last);
	pass_ctx_free(&cx);
	k->variant = v;
	k->regmutex = new(&e->a, struct regmutex);
}

/* The second configuration is for variants. */
static void two_programs(struct env *e)
{
	e->config[1] = e->config[0];
	e->config[1].name = "two";
	ck_assert(rf_config_parse(&e->config[1].rf, "residency=regmutex", &e->params, &e->d));
	e->config[2] = e->config[0];
	e->config[2].name = "three";
	e->o.nconfig = 3;
	e->o.checked = true;
}

START_TEST(a_variant_is_executed_on_its_own_and_leaves_the_same_memory)
{
	struct launch_file *f;
	struct env e;
	struct run r;
	json_t *json;

	setup(&e);
	add_variant(&e, e.m->kernel[0], false);
	two_programs(&e);
	f = launches(&e, LAUNCHES REPEATS);
	for (unsigned k = 1; k < 3; k++) /* that do not run: not asked about */
		ck_assert(!e.m->kernel[k]->regmutex);
	ck_assert_msg(run_launches(&r, e.m, f, &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(r.timing[0].program == PROGRAM_PLAIN && r.timing[1].program == PROGRAM_VARIANT &&
		  r.timing[2].program == PROGRAM_PLAIN);
	ck_assert(run_both_programs(&r) && r.dev == r.device[PROGRAM_PLAIN] && !r.variant.where && !r.differs);
	ck_assert_uint_eq(r.check, CHECK_NONE);
	ck_assert(!r.timing[0].failed && !r.timing[1].failed && !r.timing[2].failed);
	/* an acquire and a release for each of 4 warps in each round */
	ck_assert_uint_eq(r.timing[1].stats.warp_instructions,
			  r.timing[0].stats.warp_instructions + 8 * r.launch[0].rounds);
	ck_assert_uint_eq(r.timing[2].stats.cycles, r.timing[0].stats.cycles);
	ck_assert_uint_eq(r.launch[0].warp_insns, r.timing[0].stats.warp_instructions);
	ck_assert_uint_eq(r.timing[1].kernel[0].cycles, r.timing[1].stats.cycles);
	ck_assert_msg(strstr(printed(&e, &r), "PASS  variants of halve leave the same memory"), "%s", printed(&e, &r));
	json = run_json(&r);
	ck_assert_str_eq(json_string_value(json_object_get(json, "program")), "plain");
	ck_assert(json_is_true(json_object_get(json_object_get(json, "variant_memory"), "same")));
	json_decref(json);
	run_free(&r);
	teardown(&e);
}
END_TEST

/* 0: nothing is expected; 1: what is expected holds of both; 2: of the plain kernel alone. */
START_TEST(a_variant_that_leaves_other_memory_is_judged_by_what_is_expected)
{
	static const enum check said[] = { CHECK_NONE, CHECK_PASS, CHECK_FAIL };
	const char *text = "";
	uint32_t right[100];
	struct env e;
	struct run r;
	char path[] = "/tmp/regloom-run-XXXXXX";
	int fd = mkstemp(path);

	setup(&e);
	add_variant(&e, e.m->kernel[0], true);
	two_programs(&e);
	for (uint32_t i = 0; i < 100; i++)
		right[i] = _i == 1 ? 7 : (1000 + i) / 2;
	ck_assert_int_eq(write(fd, right, sizeof right), sizeof right);
	if (_i)
		text = arena_printf(&e.a, "expect:\n  - {buffer: %s, file: %s}\n", _i == 1 ? "half" : "x", path);
	ck_assert_msg(run_launches(&r, e.m, launches(&e, arena_printf(&e.a, "%s%s", LAUNCHES, text)), &e.o, &e.a, &e.d),
		      "%s", e.d.last);
	ck_assert(r.variant.where == LEFT_BUFFER && strcmp(r.variant.name, "x") == 0 && r.variant.element == 0 &&
		  r.variant.address != 0);
	ck_assert_uint_eq(r.variant_check, said[_i]);
	ck_assert_uint_eq(r.check, _i == 1 ? CHECK_PASS : CHECK_FAIL);
	ck_assert_msg(strstr(printed(&e, &r),
			     _i == 1 ? "NOTE  variants of halve leave other memory: buffer x from element 0 on"
				     : "FAIL  variants of halve leave other memory: buffer x from element 0 on"),
		      "%s", printed(&e, &r));
	run_free(&r);
	teardown(&e);
	unlink(path);
	close(fd);
}
END_TEST

/* 0: a variable; 1: what is printed; 2: neither, of a right variant. */
START_TEST(a_variant_that_leaves_or_prints_something_else_is_found)
{
	static const enum left where[] = { LEFT_VARIABLE, LEFT_PRINTED, LEFT_SAME };
	static const char *const said[] = {
		"FAIL  variants of tell leave other memory: variable told from byte 0 on",
		"FAIL  variants of tell print something else; ",
		"PASS  variants of tell leave the same memory\n",
	};
	char *text = NULL;
	size_t bytes;
	struct env e;
	struct run r;
	json_t *report, *json;

	setup(&e);
	add_variant(&e, e.m->kernel[3], _i < 2);
	two_programs(&e);
	e.o.print = open_memstream(&text, &bytes);
	ck_assert_msg(run_launches(&r, e.m,
				   launches(&e, arena_printf(&e.a,
							     "launches:\n  - {kernel: tell, grid: [2], block: [32], "
							     "args: [{value: 100}, {value: %d}]}\n",
							     _i)),
				   &e.o, &e.a, &e.d),
		      "%s", e.d.last);
	fclose(e.o.print);
	ck_assert_uint_eq(bytes, _i ? 64 * 3 : 0); /* by the plain kernel alone */
	ck_assert(!_i || strncmp(text, "50\n", 3) == 0);
	ck_assert_uint_eq(r.variant.where, where[_i]);
	ck_assert_uint_eq(r.check, _i < 2 ? CHECK_FAIL : CHECK_NONE);
	ck_assert_msg(strstr(printed(&e, &r), said[_i]), "%s", printed(&e, &r));
	report = run_json(&r);
	json = json_object_get(report, "variant_memory");
	ck_assert_int_eq(json_is_true(json_object_get(json, "same")), _i == 2);
	ck_assert(!_i == (json_object_get(json, "variable") != NULL));
	ck_assert((_i == 1) == json_is_false(json_object_get(json, "printed")));
	json_decref(report);
	free(text);
	run_free(&r);
	teardown(&e);
}
END_TEST

START_TEST(a_configuration_for_variants_runs_plain_kernels_that_have_none)
{
	struct env e;
	struct run r;

	setup(&e);
	two_programs(&e);
	/* nobody asked whether they may have one */
	ck_assert(!run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "residency=regmutex needs annotations that the object lacks: base and extended "
				       "set; make it again by ptx-annotate without --regmutex=off"),
		      "%s", e.d.last);
	run_free(&r);
	e.m->kernel[0]->regmutex = new(&e.a, struct regmutex);
	ck_assert_msg(run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(!r.device[PROGRAM_VARIANT] && r.timing[1].program == PROGRAM_PLAIN);
	ck_assert_uint_eq(r.timing[1].stats.cycles, r.timing[0].stats.cycles);
	run_free(&r);
	teardown(&e);
}
END_TEST

START_TEST(variants_are_executed_without_timing_if_asked_for)
{
	struct env e;
	struct run r;

	setup(&e);
	e.o.nconfig = 0;
	e.o.variant = true;
	ck_assert(!run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "has no variants of kernels"), "%s", e.d.last);
	run_free(&r);
	add_variant(&e, e.m->kernel[0], false);
	e.o.checked = true;
	ck_assert_msg(run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d), "%s", e.d.last);
	ck_assert(!r.device[PROGRAM_PLAIN] && r.dev == r.device[PROGRAM_VARIANT]);
	ck_assert_msg(strstr(printed(&e, &r), "program  variants of halve\n"), "%s", printed(&e, &r));
	run_free(&r);
	e.m->kernel[0]->variant->insn[0].op = OP_RF_RELEASE; /* so it never acquires */
	ck_assert(!run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "of the extended set (R2 and above), which the warp does not hold"), "%s",
		      e.d.last);
	run_free(&r);
	e.o.profile = true;
	ck_assert(!run_launches(&r, e.m, launches(&e, LAUNCHES), &e.o, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, "a profile is of the plain kernels"), "%s", e.d.last);
	run_free(&r);
	teardown(&e);
}
END_TEST

Suite *suite_program(void)
{
	Suite *s = suite_create("program");
	TCase *t = tcase_create("program");

	tcase_add_test(t, a_variant_is_executed_on_its_own_and_leaves_the_same_memory);
	tcase_add_loop_test(t, a_variant_that_leaves_other_memory_is_judged_by_what_is_expected, 0, 3);
	tcase_add_loop_test(t, a_variant_that_leaves_or_prints_something_else_is_found, 0, 3);
	tcase_add_test(t, a_configuration_for_variants_runs_plain_kernels_that_have_none);
	tcase_add_test(t, variants_are_executed_without_timing_if_asked_for);
	suite_add_tcase(s, t);
	return s;
}

/* What a run found, for people and for tools. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/run/noise.h"
#include "runtime-model/run/run.h"

#include <math.h>
#include <string.h>

const char *check_name(enum check c)
{
	static const char *const name[] = { [CHECK_NONE] = "none",
					    [CHECK_PASS] = "pass",
					    [CHECK_FAIL] = "fail",
					    [CHECK_PARTIAL] = "partial",
					    [CHECK_ERROR] = "error" };

	return name[c];
}

static const char *stop_reason(const struct run *r, struct arena *a)
{
	const struct run_options *o = &r->opt;

	switch (r->stop.at.why) {
	case STOP_NOT:
	case STOP_ASKED:
		break;
	case STOP_INSNS:
		if (r->stop.guard && r->stop.all)
			return arena_printf(a, "all launches are limited to %llu warp instructions",
					    (unsigned long long)o->guard_all);
		if (r->stop.guard)
			return arena_printf(a, "a launch is limited to %llu warp instructions%s",
					    (unsigned long long)o->guard_insns,
					    r->stop.round ? " over all rounds" : "");
		return arena_printf(a, "the limit of %llu warp instructions is reached",
				    (unsigned long long)o->max_insns);
	case STOP_CYCLES:
		return arena_printf(a, "the limit of %llu cycles is reached", (unsigned long long)o->max_cycles);
	}
	return "interrupted";
}

const char *run_stop_text(const struct run *r, struct arena *a)
{
	const struct run_stop *s = &r->stop;
	const struct launch_spec *l = &r->f->launch[s->launch];
	static const char *const of_part[] = { [RUN_MAIN] = "",
					       [RUN_POISON] = ", of the run with dead registers overwritten",
					       [RUN_CONTROLS] = ", of the run that proves control codes",
					       [RUN_PROFILE] = ", of the run that counts" };
	const char *which = arena_printf(
		a, "launch %u, %s%s%s%s", s->launch + 1, kernel_name(l->kernel, a),
		s->round ? arena_printf(a, ", round %u", s->round + 1) : "",
		r->opt.nconfig > 1 ? arena_printf(a, ", configuration %s", r->opt.config[s->config].name) : "",
		of_part[s->part]);

	if (!s->at.ctas)
		return arena_printf(a, "%s, before %s", stop_reason(r, a), which);
	return arena_printf(a, "%s, in %s, with %llu of %llu CTAs done", stop_reason(r, a), which,
			    (unsigned long long)s->at.ctas_done, (unsigned long long)s->at.ctas);
}

/* ---- for people ---- */
enum { NAME_COLUMNS = 40 };

static const char *dims_text(struct arena *a, const uint32_t v[3])
{
	if (v[2] > 1)
		return arena_printf(a, "%ux%ux%u", v[0], v[1], v[2]);
	return v[1] > 1 ? arena_printf(a, "%ux%u", v[0], v[1]) : arena_printf(a, "%u", v[0]);
}

void run_print_launches(FILE *out, const struct run *r, const uint64_t *cycles)
{
	struct arena a;
	int wide = 6;

	arena_init(&a);

	for (unsigned i = 0; i < r->f->nlaunch; i++) {
		const char *name = kernel_name(r->f->launch[i].kernel, &a);

		if ((int)strlen(name) > wide)
			wide = (int)strlen(name);
	}
	if (wide > NAME_COLUMNS)
		wide = NAME_COLUMNS;
	fprintf(out, "\n  %-*s  %-12s  %-9s  %6s  %12s%s\n", wide, "launch", "grid", "block", "rounds", "instructions",
		cycles ? "        cycles" : "");
	for (unsigned i = 0; i < r->f->nlaunch; i++) {
		const struct launch_spec *l = &r->f->launch[i];
		const struct run_launch *n = &r->launch[i];

		fprintf(out, "  %-*s  %-12s  %-9s  %6llu  %12llu", wide,
			kernel_short_name(kernel_name(l->kernel, &a), NAME_COLUMNS, &a), dims_text(&a, l->grid),
			dims_text(&a, l->block), (unsigned long long)n->rounds, (unsigned long long)n->warp_insns);
		if (cycles)
			fprintf(out, "  %12llu", (unsigned long long)cycles[i]);
		fputc('\n', out);
	}
	arena_free(&a);
}

static void print_expect(FILE *out, const struct expect_result *e)
{
	fprintf(out, "  %s  %s against %s: ", e->pass ? "PASS" : "FAIL", e->buffer, e->against);
	if (e->mismatches)
		fprintf(out, "%llu of %llu elements differ", (unsigned long long)e->mismatches,
			(unsigned long long)e->count);
	else
		fprintf(out, "%llu elements agree", (unsigned long long)e->count);
	if (e->allowed)
		fprintf(out, ", %llu may", (unsigned long long)e->allowed);
	if (e->largest > 0)
		fprintf(out, "; largest difference %.3g", e->largest);
	fputc('\n', out);
	for (unsigned i = 0; i < e->nshown; i++)
		fprintf(out, "        %s[%llu] is %s, expected %s\n", e->buffer, (unsigned long long)e->shown[i].index,
			e->shown[i].got, e->shown[i].expected);
	if (e->mismatches > e->nshown)
		fprintf(out, "        ... and %llu more\n", (unsigned long long)(e->mismatches - e->nshown));
}

static void print_counts(FILE *out, const struct engine_counts *c)
{
	fprintf(out, "\n  %-22s %14llu\n  %-22s %14llu\n  %-22s %14llu\n  %-22s %14llu\n", "warp instructions",
		(unsigned long long)c->warp_insns, "thread instructions", (unsigned long long)c->thread_insns,
		"branches", (unsigned long long)c->branches, "divergent branches", (unsigned long long)c->divergent);
}

static bool has_baseline(const struct run *r) { return r->opt.nconfig > 1 && !r->timing[1].failed; }

static void print_estimate(FILE *out, const struct run_timing *t, const char *whose)
{
	const struct sample_estimate *e = &t->estimate;

	if (e->whole)
		fprintf(out,
			"  NOT SAMPLED  %s: %llu launch%s timed whole; the largest has %llu CTAs, and a sample needs "
			"at least %llu\n",
			whose, (unsigned long long)e->whole, e->whole == 1 ? "" : "es",
			(unsigned long long)e->whole_ctas, (unsigned long long)e->whole_needs);
	if (e->launches)
		fprintf(out,
			"  ESTIMATED  %s from %llu of %llu CTAs; cycles +- %.2f %%: %.2f %% with 95 %% confidence, and "
			"a bias of up to %.2f %%\n",
			whose, (unsigned long long)e->timed_ctas, (unsigned long long)e->ctas,
			100 * e->error / (double)t->stats.cycles, 100 * (e->error - e->bias) / (double)t->stats.cycles,
			100 * e->bias / (double)t->stats.cycles);
}

static const char *by_level(const struct checked_sums *c, char *text, size_t room)
{
	snprintf(text, room, " (L1 %llu, L0 %llu)", (unsigned long long)c->l1, (unsigned long long)c->l0);
	return text;
}

static void print_checked(FILE *out, const struct run *r)
{
	fprintf(out, "  %s  with dead registers overwritten, %s\n", r->differs ? "FAIL" : "PASS",
		r->differs ? "memory differs" : "all buffers are the same");
	for (unsigned i = 0; i < r->opt.nconfig; i++) {
		const struct checked_sums *c = &r->timing[i].checked;
		char text[96];

		if (!r->timing[i].failed)
			fprintf(out,
				"  PASS  %s delivered %llu operands%s with the right values, %llu overtaken by a "
				"younger write; "
				"%llu bytes of dead registers overwritten\n",
				r->opt.config[i].name, (unsigned long long)c->compared,
				c->l1 + c->l0 ? by_level(c, text, sizeof text) : "", (unsigned long long)c->overtaken,
				(unsigned long long)c->poisoned_bytes);
	}
}

static void print_variant(FILE *out, const struct run *r)
{
	const struct memory_difference *x = &r->variant;
	const char *wrong = r->variant_check == CHECK_FAIL ? "what is expected does not hold of it"
							   : "nothing is expected that would tell which is right";
	struct arena a;

	arena_init(&a);
	if (x->where)
		fprintf(out, "  %s  variants of %s %s; %s\n", r->variant_check == CHECK_PASS ? "NOTE" : "FAIL",
			run_variants(r, &a),
			x->where == LEFT_PRINTED
				? "print something else"
				: arena_printf(&a, "leave other memory: %s, address 0x%llx",
					       memory_difference_text(x, &a), (unsigned long long)x->address),
			r->variant_check == CHECK_PASS ? "what is expected holds of both (do threads race?)" : wrong);
	else
		fprintf(out, "  PASS  variants of %s leave the same memory\n", run_variants(r, &a));
	arena_free(&a);
}

void run_print_result(FILE *out, const struct run *r)
{
	const char *verdict = r->check == CHECK_PASS ? "PASS" : "FAIL";

	if (r->check == CHECK_PARTIAL) {
		struct arena a;

		arena_init(&a);
		fprintf(out, "\nresult   PARTIAL: %s\n", run_stop_text(r, &a));
		arena_free(&a);
		return;
	}
	fprintf(out, "\nresult   %s\n",
		r->check == CHECK_NONE ? "not checked: the launch file expects nothing" : verdict);
	for (unsigned i = 0; i < r->f->nexpect; i++)
		print_expect(out, &r->expect[i]);
	if (run_both_programs(r))
		print_variant(out, r);
	if (r->opt.checked)
		print_checked(out, r);
	if (r->opt.controls && !r->stop.at.why)
		fprintf(out, "  PASS  by its control codes no instruction reads or overwrites what is not delivered\n");
}

void run_print_failures(FILE *out, const struct run *r)
{
	if (r->check != CHECK_FAIL)
		return;
	for (unsigned i = 0; i < r->f->nexpect; i++)
		if (!r->expect[i].pass)
			print_expect(out, &r->expect[i]);
	if (run_both_programs(r) && r->variant.where && r->variant_check != CHECK_PASS)
		print_variant(out, r);
}

static void print_stats(FILE *out, const struct run *r, const struct stats *st, const struct stats *base, bool all)
{
	if (base) /* over the columns of stats_print() */
		fprintf(out, "\n%40s%16s%9s", "this run", "baseline", "ratio");
	fputc('\n', out);
	stats_print(out, st, r->opt.config[0].params, base, all);
}

void run_print(FILE *out, const struct run *r, bool all, bool per_kernel)
{
	const struct run_config *c = r->opt.config;
	bool base = has_baseline(r);
	struct metric_choice shown;
	struct arena a;

	arena_init(&a);
	metric_choice_parse(&shown, all ? NULL : "cycles,ipc", &a, NULL);
	if (all)
		metric_choice_all(&shown, &a);
	fprintf(out, "kernel   %s\n", run_kernel_names(r, &a));
	if (!run_timed(r))
		fprintf(out, "machine  none: executed, not timed\n");
	else
		fprintf(out, "machine  %s%s%s, register file %s%s\n", c->params->machine,
			c->params->changes[0] ? " with " : "", c->params->changes,
			rf_config_name(&c->rf, c->params, &a), base ? " beside baseline" : "");
	if (run_timed(r) ? r->timing[0].program == PROGRAM_VARIANT : !r->device[PROGRAM_PLAIN])
		fprintf(out, "program  variants of %s\n", run_variants(r, &a));
	run_print_launches(out, r, run_timed(r) ? r->timing[0].cycles : NULL);
	run_print_result(out, r);
	for (unsigned i = 0; i < r->opt.nconfig; i++)
		print_estimate(out, &r->timing[i], r->opt.config[i].name);
	if (run_timed(r))
		print_stats(out, r, &r->timing[0].stats, base ? &r->timing[1].stats : NULL, all);
	else
		print_counts(out, &r->counts);
	if (run_timed(r))
		run_print_shared(out, r, 0);
	if (base)
		noise_print(out, r, RUN_ALL_KERNELS, &shown);
	for (unsigned i = 0; per_kernel && i < r->nkernel; i++) {
		fprintf(out, "\nkernel   %s\n", kernel_name(r->kernel[i], &a));
		print_stats(out, r, &r->timing[0].kernel[i], base ? &r->timing[1].kernel[i] : NULL, all);
		if (base)
			noise_print(out, r, (int)i, &shown);
	}
	arena_free(&a);
}

/* ---- for tools ---- */
static json_t *dims_json(const uint32_t v[3])
{
	return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *launches_json(const struct run *r, const uint64_t *cycles)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->f->nlaunch; i++) {
		const struct launch_spec *l = &r->f->launch[i];
		const struct run_launch *n = &r->launch[i];
		json_t *o = json_pack("{s:s, s:o, s:o, s:I, s:I, s:I, s:I}", "kernel", l->kernel, "grid",
				      dims_json(l->grid), "block", dims_json(l->block), "dynamic_shared_bytes",
				      (json_int_t)l->shared_bytes, "rounds", (json_int_t)n->rounds, "warp_instructions",
				      (json_int_t)n->warp_insns, "thread_instructions", (json_int_t)n->thread_insns);

		if (cycles)
			json_object_set_new(o, "cycles", json_integer((json_int_t)cycles[i]));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *expect_json(const struct run *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->f->nexpect && r->check != CHECK_PARTIAL; i++) {
		const struct expect_result *e = &r->expect[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:f}", "buffer", e->buffer, "against",
						e->against, "pass", e->pass, "elements", (json_int_t)e->count,
						"mismatches", (json_int_t)e->mismatches, "allowed",
						(json_int_t)e->allowed, "largest_difference", e->largest));
	}
	return list;
}

static json_t *count_json(uint64_t n, const char *unit)
{
	return json_pack("{s:I, s:s}", "value", (json_int_t)n, "unit", unit);
}

static json_t *counts_json(const struct engine_counts *c)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "warp_instructions", count_json(c->warp_insns, "instructions"),
			 "thread_instructions", count_json(c->thread_insns, "instructions"), "branches",
			 count_json(c->branches, "instructions"), "divergent_branches",
			 count_json(c->divergent, "instructions"));
}

const char *run_stop_why(const struct run *r)
{
	static const char *const why[] = {
		[STOP_NOT] = NULL,
		[STOP_ASKED] = "asked",
		[STOP_INSNS] = "max_insns",
		[STOP_CYCLES] = "max_cycles",
	};

	return why[r->stop.at.why];
}

json_t *run_json_stop(const struct run *r)
{
	static const char *const part[] = {
		[RUN_MAIN] = "run", [RUN_POISON] = "checked", [RUN_CONTROLS] = "controls", [RUN_PROFILE] = "profile"
	};
	const struct run_stop *s = &r->stop;

	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "part", part[s->part], "why", run_stop_why(r), "launch",
			 (json_int_t)s->launch, "round", (json_int_t)s->round, "ctas_done", (json_int_t)s->at.ctas_done,
			 "ctas", (json_int_t)s->at.ctas);
}

static json_t *checked_json(const struct run *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < r->opt.nconfig; i++) {
		const struct checked_sums *c = &r->timing[i].checked;

		if (!r->timing[i].failed)
			json_array_append_new(list,
					      json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "configuration",
							r->opt.config[i].name, "operands", (json_int_t)c->compared,
							"l1_operands", (json_int_t)c->l1, "l0_operands",
							(json_int_t)c->l0, "overtaken", (json_int_t)c->overtaken,
							"poisoned_bytes", (json_int_t)c->poisoned_bytes));
	}
	return list;
}

const char *run_program_name(enum run_program p) { return p == PROGRAM_VARIANT ? "variant" : "plain"; }

static json_t *variant_json(const struct run *r)
{
	const struct memory_difference *x = &r->variant;
	json_t *o = json_pack("{s:b}", "same", x->where == LEFT_SAME);

	if (o && x->where == LEFT_PRINTED)
		json_object_set_new(o, "printed", json_false());
	else if (o && x->where)
		json_object_update_new(o, json_pack("{s:s, s:I, s:I}", x->where == LEFT_BUFFER ? "buffer" : "variable",
						    x->name, "element", (json_int_t)x->element, "address",
						    (json_int_t)x->address));
	if (o && x->where)
		json_object_set_new(o, "check", json_string(check_name(r->variant_check)));
	return o;
}

json_t *run_json_result(const struct run *r, const char *schema, const uint64_t *cycles)
{
	struct arena a;
	json_t *o;

	arena_init(&a);
	o = json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "schema", schema, "kernel", run_kernels(r, &a), "check",
		      check_name(r->check), "poisoned", r->opt.checked, "expect", expect_json(r), "launches",
		      launches_json(r, cycles));
	if (o && r->opt.checked && run_timed(r))
		json_object_set_new(o, "delivered", checked_json(r));
	if (o && run_both_programs(r) && r->check != CHECK_PARTIAL)
		json_object_set_new(o, "variant_memory", variant_json(r));
	if (o && r->stop.at.why)
		json_object_set_new(o, "partial", run_json_stop(r));
	arena_free(&a);
	return o;
}

json_t *run_json_kernels(const struct run *r, unsigned config)
{
	json_t *o = json_object();

	for (unsigned i = 0; o && i < r->nkernel; i++)
		json_object_set_new(o, r->kernel[i],
				    json_pack("{s:o, s:o*}", "metrics",
					      stats_json(&r->timing[config].kernel[i], r->opt.config[config].params),
					      "perturbed", noise_json(r, config, (int)i)));
	return o;
}

static json_t *estimate_json(const struct sample_estimate *e)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f}", "launches", (json_int_t)e->launches,
			 "whole_launches", (json_int_t)e->whole, "whole_ctas", (json_int_t)e->whole_ctas, "whole_needs",
			 (json_int_t)e->whole_needs, "timed_ctas", (json_int_t)e->timed_ctas, "ctas",
			 (json_int_t)e->ctas, "cycles_bias", e->bias, "cycles_error", e->error);
}

json_t *run_json(const struct run *r)
{
	const struct run_config *c = r->opt.config;
	bool timed = run_timed(r);
	json_t *o = run_json_result(r, "regloom-run-1", timed ? r->timing[0].cycles : NULL);
	const enum run_program run = r->device[PROGRAM_PLAIN] ? PROGRAM_PLAIN : PROGRAM_VARIANT;
	struct arena a;

	if (!o)
		return NULL;
	arena_init(&a);
	json_object_set_new(o, "mode", json_string(timed ? "timed" : "functional"));
	json_object_set_new(o, "machine", timed ? json_string(c->params->machine) : json_null());
	json_object_set_new(o, "program", json_string(run_program_name(timed ? r->timing[0].program : run)));
	json_object_set_new(o, "rf", timed ? json_string(rf_config_name(&c->rf, c->params, &a)) : json_null());
	if (timed) {
		json_object_set_new(o, "axes", rf_config_json(&c->rf));
		json_object_set_new(o, "config", params_json(c->params));
	}
	json_object_set_new(o, "metrics", timed ? stats_json(&r->timing[0].stats, c->params) : counts_json(&r->counts));
	if (timed) {
		json_object_set_new(o, "kernels", run_json_kernels(r, 0));
		if (r->opt.perturb)
			json_object_set_new(o, "perturbed", noise_json(r, 0, RUN_ALL_KERNELS));
		json_object_set_new(o, "registers", run_json_shared(r, 0));
		if (c->rf.reuse->renames)
			json_object_set_new(o, "reuse_races", races_json(&r->timing[0].races));
	}
	if (timed && r->opt.sample)
		json_object_set_new(o, "estimate", estimate_json(&r->timing[0].estimate));
	if (has_baseline(r))
		json_object_set_new(o, "baseline",
				    json_pack("{s:s, s:o}", "rf", "baseline", "metrics",
					      stats_json(&r->timing[1].stats, c->params)));
	arena_free(&a);
	return o;
}

bool run_write_json(json_t *o, const char *path, struct arena *a, struct diag *d)
{
	const size_t form = o && json_object_get(o, "detail") ? JSON_COMPACT : JSON_INDENT(2);
	struct outfile out;
	bool ok;

	if (!o)
		return diag_failed(d) ? false : diag_error_plain(d, path, "out of memory for JSON");
	if (!outfile_open(&out, path, a, d)) {
		json_decref(o);
		return false;
	}
	ok = json_dumpf(o, out.f, form | JSON_REAL_PRECISION(12)) == 0 && fputc('\n', out.f) != EOF;
	json_decref(o);
	if (!ok && !ferror(out.f)) {
		outfile_discard(&out);
		return diag_error_plain(d, path, "a number cannot be written as JSON");
	}
	return outfile_commit(&out);
}

/* What a gate found: tables for people, JSON, findings. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/lib/gate.h"

#include <string.h>

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

static const char *clean(const char *s, struct arena *a) { return view_clean(a, s, strlen(s)); }

static const char *name_of(const struct limit *l, struct arena *a)
{
	return arena_printf(a, "%s-%s", figure_info[l->figure].better == FIGURE_LESS ? "max" : "min",
			    figure_info[l->figure].name);
}

static void write_result(FILE *f, const struct gate_result *r, struct arena *a)
{
	const char *at = figure_place_text(&r->at, a), *broken = r->untold ? "UNKNOWN" : "BROKEN";

	fprintf(f, "  %-22s %10s %10s %-12s  %s", name_of(r->limit, a),
		r->missing ? "-" : figure_text(r->limit->figure, r->value, false, a),
		arena_printf(a, "%g", r->limit->bound), figure_info[r->limit->figure].unit,
		r->holds ? "holds" : broken);
	if (r->missing)
		fprintf(f, "; %s", r->missing);
	else if (*at)
		fprintf(f, "  %s%s%s", at, r->at.text ? "  " : "", r->at.text ? r->at.text : "");
	fputc('\n', f);
	if (r->help)
		fprintf(f, "  %-22s would help: %s\n", "", r->help);
}

void gate_write(FILE *f, const struct gate *g)
{
	uint32_t limits = 0, kernels = 0;
	struct arena a;

	arena_init(&a);
	for (uint32_t n = 0; n < g->n; n++) {
		const struct gate_kernel *k = &g->of[n];
		const struct kernel_figures *x = k->of;

		limits += k->nresult;
		kernels += k->nbroken || k->nuntold;
		fprintf(f, "kernel %s of %s (%s)", clean(kernel_name(x->name, &a), &a), clean(k->input, &a), x->code);
		if (x->occupancy.threads)
			fprintf(f, ", in blocks of %u threads", x->occupancy.threads);
		fprintf(f, " on %s", x->machine);
		if (x->unknown)
			fprintf(f, "; %u instruction%s taken at worst: registers at most", x->unknown,
				x->unknown == 1 ? " is" : "s are");
		if (x->also && (!n || strcmp(k->input, k[-1].input) != 0))
			fprintf(f, "\n  also there: %s", x->also);
		fprintf(f, "\n  %-22s %10s %10s\n", "limit", "value", "bound");
		for (uint32_t r = 0; r < k->nresult; r++)
			write_result(f, &k->result[r], &a);
		if (!k->nresult)
			fputs("  none is for this kernel\n", f);
		arena_reset(&a);
	}
	if (!gate_holds(g)) {
		fprintf(f, "check: %u of %u limit%s broken", gate_broken(g), limits, plural(limits));
		if (gate_untold(g))
			fprintf(f, ", %u cannot be told", gate_untold(g));
		fprintf(f, ", in %u of %u kernel%s\n", kernels, g->n, plural(g->n));
	} else {
		fprintf(f, "check: %u limit%s hold%s, in %u kernel%s\n", limits, plural(limits), limits == 1 ? "s" : "",
			g->n, plural(g->n));
	}
	arena_free(&a);
}

/* ---- for tools ---- */
static json_t *place_json(const struct figure_place *p, struct arena *a)
{
	json_t *j = json_pack("{s:s, s:I, s:I}", "file", clean(p->file, a), "line", (json_int_t)p->line, "column",
			      (json_int_t)p->col);

	if (p->text)
		json_object_set_new(j, "text", json_string(p->text));
	return j;
}

static json_t *result_json(const struct gate_result *r, struct arena *a)
{
	const char *broken = r->untold ? "unknown" : "broken";
	json_t *j = json_pack("{s:s, s:s, s:f, s:b, s:s}", "limit", name_of(r->limit, a), "unit",
			      figure_info[r->limit->figure].unit, "bound", r->limit->bound, "holds", r->holds,
			      "verdict", r->holds ? "holds" : broken);

	json_object_set_new(j, "value", r->missing ? json_null() : json_real(r->value));
	if (r->missing)
		json_object_set_new(j, "missing", json_string(r->missing));
	if (r->at.file)
		json_object_set_new(j, "where", place_json(&r->at, a));
	if (r->help)
		json_object_set_new(j, "help", json_string(r->help));
	return j;
}

bool gate_write_json(FILE *f, const struct gate *g)
{
	json_t *kernels = json_array(), *j;
	struct arena a;
	bool ok;

	arena_init(&a);
	for (uint32_t n = 0; n < g->n; n++) {
		const struct gate_kernel *k = &g->of[n];
		json_t *limits = json_array(), *x;

		for (uint32_t r = 0; r < k->nresult; r++)
			json_array_append_new(limits, result_json(&k->result[r], &a));
		x = json_pack("{s:s, s:s, s:s, s:s, s:b, s:o}", "name", clean(k->of->name, &a), "input",
			      clean(k->input, &a), "code", k->of->code, "machine", k->of->machine, "holds",
			      !k->nbroken && !k->nuntold, "limits", limits);
		if (k->of->also)
			json_object_set_new(x, "also_there", json_string(k->of->also));
		if (k->of->occupancy.threads)
			json_object_set_new(x, "block_threads", json_integer(k->of->occupancy.threads));
		if (k->of->unknown)
			json_object_set_new(x, "unknown_instructions", json_integer(k->of->unknown));
		json_array_append_new(kernels, x);
	}
	j = json_pack("{s:s, s:i, s:b, s:I, s:I, s:o}", "format", "regloom-check", "version", 1, "holds", gate_holds(g),
		      "broken", (json_int_t)gate_broken(g), "unknown", (json_int_t)gate_untold(g), "kernels", kernels);
	ok = j && json_dumpf(j, f, JSON_INDENT(1)) == 0 && fputc('\n', f) != EOF;
	json_decref(j);
	arena_free(&a);
	return ok && !ferror(f);
}

void gate_findings(const struct gate *g, struct findings *all)
{
	for (uint32_t n = 0; n < g->n; n++)
		for (uint32_t r = 0; r < g->of[n].nresult; r++) {
			const struct gate_kernel *k = &g->of[n];
			const struct gate_result *x = &k->result[r];
			const char *name = name_of(x->limit, all->a);
			struct finding *f;

			if (x->holds)
				continue;
			f = finding_add(all, LIMIT_RULE + (unsigned)x->limit->figure, k->of->name, &x->at, name);
			f->input = k->input;
			finding_words(f, "kernel ");
			finding_value(f, "Kernel", k->of->name);
			finding_words(f, x->untold ? " may break " : " breaks ");
			finding_value(f, "Limit", limit_text(x->limit, all->a));
			finding_words(f, ": ");
			finding_value(f, "Value",
				      x->untold ? x->missing : figure_text(x->limit->figure, x->value, true, all->a));
			if (x->help)
				finding_words(f, arena_printf(all->a, "; would help: %s", x->help));
		}
}

/* What a sweep measured, a row a point: CSV for spreadsheets, JSON lines (docs/sweep.schema.json) for programs. Rows
 * hold nothing that differs from one run of the sweep to the next. */
#include "runtime-model/sweep/sweep.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A table of energies may lack what a configuration has: the row says so, if it would have shown the energy. "reason"
 * is what it says then. */
static bool explain(json_t *o, const struct sweep *w, const char *const *metric, struct row_counts *n, struct arena *a)
{
	const char *missing = json_string_value(json_object_get(o, "missing")),
		   *reason = json_string_value(json_object_get(o, "reason"));
	bool asked = false;

	for (unsigned i = 0; missing && i < w->metrics.n; i++)
		asked |= (strstr(metric[i], "energy") || strstr(metric[i], "leakage")) &&
			 !json_is_number(json_object_get(json_object_get(o, "metrics"), metric[i]));
	if (!asked)
		return true;
	n->unknown++;
	if (!n->missing)
		n->missing = arena_printf(a, "%s", missing);
	return json_object_set_new(o, "reason",
				   json_sprintf("%s%s%s", reason ? reason : "", reason ? "; " : "", missing)) == 0;
}

static void csv_row(FILE *f, const struct sweep *w, const struct sweep_point *p, unsigned number, const json_t *o,
		    const char *const *metric)
{
	const struct sweep_kernel *k = &w->kernel[p->kernel];
	const char *const text[] = { k->name, k->launch[p->launch].name, w->machine[p->machine].text,
				     w->rf[p->rf].text };
	const char *const result[] = { "status", "check", "reason" };
	const json_t *metrics = json_object_get(o, "metrics");

	fprintf(f, "%u", number + 1);
	for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
		fputc(',', f);
		csv_text(f, text[i]);
	}
	for (unsigned i = 0; i < w->nset; i++) {
		fputc(',', f);
		csv_text(f, w->set[i].value[p->value[i]]);
	}
	for (unsigned i = 0; i < sizeof result / sizeof *result; i++) {
		const char *s = json_string_value(json_object_get(o, result[i]));

		fputc(',', f);
		csv_text(f, s ? s : "");
	}
	for (unsigned i = 0; i < w->metrics.n; i++) {
		const json_t *v = json_object_get(metrics, metric[i]);

		fputc(',', f);
		if (json_is_integer(v))
			fprintf(f, "%" PRIu64, (uint64_t)json_integer_value(v));
		else if (json_is_real(v))
			fprintf(f, "%.12g", json_real_value(v));
	}
	fputc('\n', f);
}

static bool json_row(FILE *f, const struct sweep *w, const struct sweep_point *p, unsigned number, json_t *o,
		     const char *const *metric)
{
	const struct sweep_kernel *k = &w->kernel[p->kernel];
	json_t *set = json_object(), *metrics = json_object(), *have = json_object_get(o, "metrics"), *row;
	bool ok;

	for (unsigned i = 0; i < w->nset; i++)
		json_object_set_new(set, w->set[i].name, json_string(w->set[i].value[p->value[i]]));
	for (unsigned i = 0; have && i < w->metrics.n; i++) {
		json_t *v = json_object_get(have, metric[i]);

		json_object_set(metrics, metric[i], v ? v : json_null());
	}
	row = json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:O, s:O, s:O, s:o}", "point", (int)number + 1, "kernel",
			k->name, "launch", k->launch[p->launch].name, "machine", w->machine[p->machine].text, "rf",
			w->rf[p->rf].text, "set", set, "status", json_object_get(o, "status"), "check",
			json_object_get(o, "check"), "reason", json_object_get(o, "reason"), "metrics", metrics);
	ok = row && json_dumpf(row, f, JSON_REAL_PRECISION(12)) == 0 && fputc('\n', f) != EOF;
	json_decref(row);
	return ok;
}

static void count(struct row_counts *n, const json_t *o)
{
	const char *status = json_string_value(json_object_get(o, "status")),
		   *check = json_string_value(json_object_get(o, "check"));

	n->done += strcmp(status, "done") == 0;
	n->stopped += strcmp(status, "stopped") == 0;
	n->refused += strcmp(status, "refused") == 0;
	n->failed += strcmp(status, "failed") == 0;
	n->wrong += check && strcmp(check, "fail") == 0;
}

bool rows_write(const struct sweep *w, const struct points *p, const struct journal *j, struct row_counts *n,
		struct arena *a, struct diag *d)
{
	const char **metric = new_array(a, const char *, w->metrics.n);
	struct outfile csv, json;
	bool ok = true;

	*n = (struct row_counts){ 0 };
	if (!outfile_open(&csv, arena_printf(a, "%s.csv", w->out), a, d))
		return false;
	if (!outfile_open(&json, arena_printf(a, "%s.jsonl", w->out), a, d)) {
		outfile_discard(&csv);
		return false;
	}
	fputs("point,kernel,launch,machine,rf", csv.f);
	for (unsigned i = 0; i < w->nset; i++)
		fprintf(csv.f, ",%s", w->set[i].name);
	fputs(",status,check,reason", csv.f);
	for (unsigned i = 0; i < w->metrics.n; i++) {
		metric[i] = run_metric_name(w->metrics.metric[i]);
		fputc(',', csv.f);
		csv_text(csv.f, w->units ? arena_printf(a, "%s [%s]", metric[i], run_metric_unit(w->metrics.metric[i]))
					 : metric[i]);
	}
	fputc('\n', csv.f);
	for (unsigned i = 0; ok && i < p->n; i++) {
		json_t *o = journal_result(j, i);

		ok = json_is_string(json_object_get(o, "status")) ||
		     diag_error_plain(d, j->path, "the result of point %u cannot be read", i + 1);
		if (ok) {
			ok = explain(o, w, metric, n, a) || diag_error_plain(d, json.path, "out of memory");
			count(n, o);
			csv_row(csv.f, w, &p->point[i], i, o, metric);
			ok = ok && (json_row(json.f, w, &p->point[i], i, o, metric) || ferror(json.f) ||
				    diag_error_plain(d, json.path, "out of memory"));
		}
		json_decref(o);
	}
	if (!ok) {
		outfile_discard(&csv);
		outfile_discard(&json);
		return false;
	}
	/* Neither appears if the other cannot be written. */
	if (fflush(json.f) != 0 || fflush(csv.f) != 0) {
		diag_error_plain(d, csv.path, "cannot write: %s", strerror(errno));
		outfile_discard(&csv);
		outfile_discard(&json);
		return false;
	}
	return outfile_commit(&json) && outfile_commit(&csv);
}

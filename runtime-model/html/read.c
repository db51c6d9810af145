/* What a report is made of: results of sm-model, lines of regloom-run --report as such results; of what else our
 * programs write as JSON it says who shows that. */
#include "analyzer/base/infile.h"
#include "runtime-model/html/report.h"

#include <string.h>

void report_put(struct report *r, const char *name, json_t *result, struct arena *a)
{
	arena_grow(a, r->file, r->n, r->cap);
	r->file[r->n++] = (struct report_file){ .name = name, .result = report_named(result, a) };
	json_decref(result);
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* ---- lines of a CUDA program ---- */
struct rows {
	json_t **row;
	uint32_t n, cap;
};

static bool is_launch_of(const json_t *row, const json_t *kernel)
{
	return strcmp(text_of(row, "type"), "launch") == 0 &&
	       json_equal(json_object_get(row, "pid"), json_object_get(kernel, "pid")) &&
	       strcmp(text_of(row, "name"), text_of(kernel, "name")) == 0;
}

static void add_up(json_t *sum, const json_t *row, const char *key, const char *from)
{
	const json_int_t n =
		json_integer_value(json_object_get(sum, key)) + json_integer_value(json_object_get(row, from));

	json_object_set_new(sum, key, json_integer(n));
}

/* The entry of launches of the same shape. */
static json_t *entry_of(json_t *list, const json_t *row)
{
	static const char *const shape[] = { "grid", "block", "dynamic_shared_bytes" };
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
	{
		bool same = true;

		for (unsigned n = 0; n < sizeof shape / sizeof *shape; n++)
			same &= json_equal(json_object_get(o, shape[n]), json_object_get(row, shape[n])) != 0;
		if (same)
			return o;
	}
	o = json_pack("{s:s, s:i, s:i, s:i}", "kernel", text_of(row, "name"), "rounds", 0, "warp_instructions", 0,
		      "thread_instructions", 0);
	for (unsigned n = 0; n < sizeof shape / sizeof *shape; n++)
		json_object_set(o, shape[n], json_object_get(row, shape[n]));
	json_array_append_new(list, o);
	return o;
}

static json_t *launches_of(const struct rows *rows, const json_t *kernel)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < rows->n; i++) {
		json_t *o;

		if (!is_launch_of(rows->row[i], kernel))
			continue;
		o = entry_of(list, rows->row[i]);
		json_object_set_new(o, "rounds", json_integer(json_integer_value(json_object_get(o, "rounds")) + 1));
		add_up(o, rows->row[i], "warp_instructions", "warp_instructions");
		add_up(o, rows->row[i], "thread_instructions", "thread_instructions");
	}
	return list;
}

/* {NAME: {"metrics"}} */
static json_t *kernels_of(const json_t *kernel, json_t *metrics)
{
	return json_pack("{s:{s:O}}", text_of(kernel, "name"), "metrics", metrics);
}

static json_t *configuration(const json_t *kernel, const json_t *c)
{
	json_t *metrics = json_object_get(c, "metrics");
	json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:{}, s:b}", "name", text_of(c, "name"), "machine",
			      text_of(c, "machine"), "rf", text_of(c, "name"), "program", "plain", "config", "failed",
			      metrics == NULL);

	if (metrics) {
		json_object_set(o, "metrics", metrics);
		json_object_set_new(o, "launch_cycles", json_array());
		json_object_set_new(o, "kernels", kernels_of(kernel, metrics));
	}
	return o;
}

/* NULL: no configuration has timed it. */
static json_t *result_of(const struct rows *rows, const json_t *kernel)
{
	const json_t *configs = json_object_get(kernel, "configurations"), *c, *first = json_array_get(configs, 0);
	json_t *list = json_array(), *o;
	bool timed = false;
	size_t i;

	json_array_foreach(configs, i, c)
	{
		timed |= json_object_get(c, "metrics") != NULL;
		json_array_append_new(list, configuration(kernel, c));
	}
	o = json_pack("{s:s, s:s, s:b, s:[], s:o}", "kernel", text_of(kernel, "name"), "check", "none", "poisoned", 0,
		      "expect", "launches", launches_of(rows, kernel));
	if (json_array_size(list) > 1) {
		json_object_set_new(o, "schema", json_string("regloom-compare-1"));
		json_object_set(o, "configurations", list);
	} else if (timed) {
		json_object_update_new(
			o, json_pack("{s:s, s:s, s:s, s:s, s:s, s:{}, s:O, s:o}", "schema", "regloom-run-1", "mode",
				     "timed", "machine", text_of(first, "machine"), "program", "plain", "rf",
				     text_of(first, "name"), "config", "metrics", json_object_get(first, "metrics"),
				     "kernels", kernels_of(kernel, json_object_get(first, "metrics"))));
	}
	json_decref(list);
	if (timed)
		return o;
	json_decref(o);
	return NULL;
}

static bool add_program(struct report *r, const char *name, const struct rows *rows, struct arena *a, struct diag *d)
{
	const unsigned before = r->n;

	for (uint32_t i = 0; i < rows->n; i++) {
		json_t *result =
			strcmp(text_of(rows->row[i], "type"), "kernel") == 0 ? result_of(rows, rows->row[i]) : NULL;

		if (!result)
			continue;
		if (!schema_check(result, name, d)) {
			json_decref(result);
			return false;
		}
		report_put(r, name, result, a);
		r->file[r->n - 1].program = true;
	}
	return r->n > before ||
	       diag_error_plain(d, name, "has no kernel that was timed: regloom-run --rf baseline times them");
}

/* ---- what else there is ---- */
/* By a member and how it begins: who shows it. */
static const struct {
	const char *member, *begins, *what, *who;
} others[] = {
	{ "schema", "regloom-usage", "how values are used", "sm-model usage prints it" },
	{ "schema", "regloom-values", "how alike values are", "sm-model values prints it" },
	{ "schema", "regloom-cubin", "what a cubin holds", "ptx-annotate --list prints it" },
	{ "schema", "regloom-profile", "a profile", "ptx-annotate --profile takes it, and --emit=listing shows it" },
	{ "format", "regloom-profile", "a profile", "ptx-annotate --profile takes it, and --emit=listing shows it" },
	{ "format", "regloom-annotate", "an annotated kernel", "ptx-annotate --emit=listing shows it" },
	{ "format", "regloom-check", "what limits hold", "ptx-annotate --check prints it" },
	{ "format", "regloom-diff", "two versions side by side", "ptx-annotate --diff prints it" },
	{ "journal", "regloom-sweep", "the journal of a sweep", "sm-model sweep goes on with it" },
	{ "$schema", "https://", "findings for other programs (SARIF)", "ptx-annotate --check prints them" },
	{ "point", "", "the points of a sweep", "the .csv beside it is their table" },
};

static bool is_other(const json_t *j, const char *name, struct diag *d)
{
	for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
		const char *text = text_of(j, others[i].member);

		if (json_object_get(j, others[i].member) &&
		    strncmp(text, others[i].begins, strlen(others[i].begins)) == 0) {
			diag_error_plain(d, name, "holds %s, of which there is no page: %s", others[i].what,
					 others[i].who);
			return true;
		}
	}
	return false;
}

/* ---- files ---- */
static bool read_rows(struct rows *rows, const struct source *src, struct arena *a)
{
	const char *at = src->text, *end = at + src->len;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const size_t n = (size_t)((stop ? stop : end) - at);
		json_t *row = n ? json_loadb(at, n, JSON_REJECT_DUPLICATES, NULL) : NULL;

		if (n && !json_is_object(row)) {
			json_decref(row);
			return false;
		}
		if (row) {
			arena_grow(a, rows->row, rows->n, rows->cap);
			rows->row[rows->n++] = row;
		}
		at += n + 1;
	}
	return rows->n != 0;
}

static bool is_program(const struct rows *rows)
{
	return *text_of(rows->row[0], "type") && json_object_get(rows->row[0], "pid");
}

/* One result; rows: the same as lines, if it is that. */
static bool add_result(struct report *r, const struct source *src, const struct rows *rows, struct arena *a,
		       struct diag *d)
{
	json_error_t e;
	json_t *j = json_loadb(src->text, src->len, JSON_REJECT_DUPLICATES, &e);

	if (!j && rows && is_other(rows->row[0], src->name, d))
		return false;
	if (!j)
		return diag_error_plain(d, src->name, "is no JSON: line %d, column %d: %s", e.line, e.column, e.text);
	if (is_other(j, src->name, d) || !schema_check(j, src->name, d)) {
		json_decref(j);
		return false;
	}
	report_put(r, src->name, j, a);
	return true;
}

bool report_add(struct report *r, const char *path, struct arena *a, struct diag *d)
{
	struct rows rows = { NULL, 0, 0 };
	struct source src;
	bool lines, ok;

	if (!infile_source(&src, INFILE_JSON, path, a, d))
		return false;
	if (src.len >= 4 && memcmp(src.text, "\177ELF", 4) == 0)
		return diag_error_plain(d, src.name, "is an object, no result: --launch FILE says how it runs");
	if (strcmp(path, "-") == 0)
		src.name = "standard input";
	lines = read_rows(&rows, &src, a);
	ok = lines && is_program(&rows) ? add_program(r, src.name, &rows, a, d)
					: add_result(r, &src, lines ? &rows : NULL, a, d);
	for (uint32_t i = 0; i < rows.n; i++)
		json_decref(rows.row[i]);
	return ok;
}

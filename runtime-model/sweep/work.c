#include "runtime-model/sweep/work.h"
#include "analyzer/base/outfile.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/core/energy.h"
#include "runtime-model/sweep/process.h"
#include "runtime-model/sweep/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct work {
	const char *object, *launch;
	struct sweep_options o;
	struct config_list list;
	const char *id[SIM_JOBS_MAX];
	json_t *result[SIM_JOBS_MAX]; /* NULL: none */
	unsigned threads, timeout;
	struct arena *a;
	struct diag *d;
};

/* ---- the unit ---- */
static uint64_t number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static bool read_unit(struct work *w, const json_t *o, const char *path)
{
	const char *object = json_string_value(json_object_get(o, "object")),
		   *launch = json_string_value(json_object_get(o, "launch"));
	const json_t *points = json_object_get(o, "points"), *p;
	size_t i;

	if (!object || !launch || !json_array_size(points) || json_array_size(points) > SIM_JOBS_MAX)
		return diag_error_plain(w->d, path, "is not a unit of a sweep");
	w->object = arena_printf(w->a, "%s", object);
	w->launch = arena_printf(w->a, "%s", launch);
	w->o = (struct sweep_options){ number(o, "max_insns"), number(o, "max_cycles"), number(o, "sample"),
				       json_is_true(json_object_get(o, "checked")) };
	w->threads = (unsigned)number(o, "threads");
	w->timeout = (unsigned)number(o, "timeout");
	w->list.machine = params_machine_name(0); /* of a configuration that names none, which no sweep writes */
	json_array_foreach(points, i, p)
	{
		const char *id = json_string_value(json_object_get(p, "id")),
			   *config = json_string_value(json_object_get(p, "config"));

		if (!id || strlen(id) != SHA256_HEX - 1 || !config)
			return diag_error_plain(w->d, path, "is not a unit of a sweep");
		w->id[i] = arena_printf(w->a, "%s", id);
		if (!config_list_add(&w->list, config, w->a, w->d))
			return false;
	}
	return true;
}

/* Are object, launch file and program those that the sweep saw? */
static bool same_contents(struct work *w, const struct launch_file *f)
{
	const struct loc nowhere = { NULL, 0 };
	char object[SHA256_HEX], launch[SHA256_HEX], id[SHA256_HEX];

	if (!point_hash_object(w->object, nowhere, object, w->d) || !point_hash_launch(f, nowhere, launch, w->a, w->d))
		return false;
	for (unsigned i = 0; i < w->list.n; i++) {
		point_id(object, launch, &w->o, &w->list.config[i], id);
		if (strcmp(id, w->id[i]) != 0)
			return diag_error_plain(
				w->d, w->object,
				"this object, its launch file or this program are not those that the sweep began with");
	}
	return true;
}

/* ---- results ---- */
static json_t *metrics_of(const struct run *r, unsigned i)
{
	json_t *o = json_object();

	for (unsigned m = 0; m < run_metric_count(); m++) {
		struct metric v = run_metric(r, i, RUN_ALL_KERNELS, m);

		json_object_set_new(o, v.name, metric_json(&v));
	}
	return o;
}

static const char *remark(const struct run *r, unsigned i, struct arena *a)
{
	const struct sample_estimate *e = &r->timing[i].estimate;

	if (r->stop.at.why)
		return run_stop_text(r, a);
	return e->launches ? arena_printf(a, "estimated from %" PRIu64 " of %" PRIu64 " CTAs, cycles to +-%.0f",
					  e->timed_ctas, e->ctas, e->error)
			   : NULL;
}

static void keep(struct work *w, const struct run *r, bool ok)
{
	for (unsigned i = 0; i < w->list.n; i++) {
		const struct run_timing *t = &r->timing[i];
		const char *missing =
			ok && !t->failed ? energy_missing(&t->stats, r->opt.config[i].params, w->a) : NULL;

		if (t->refused && !r->bug) {
			struct diag said = { .last = arena_printf(w->a, "%s", t->refused) };

			w->result[i] = result_refused(w->id[i], "refused", sweep_reason(&said, w->a));
		} else if (ok && !t->failed &&
			   (!r->stop.at.why || w->list.n == 1)) { /* what stops one stops those beside it */
			w->result[i] = json_pack("{s:s, s:s, s:s, s:s?, s:o}", "id", w->id[i], "status",
						 r->stop.at.why ? "stopped" : "done", "check", check_name(r->check),
						 "reason", remark(r, i, w->a), "metrics", metrics_of(r, i));
			if (missing)
				json_object_set_new(w->result[i], "missing", json_string(missing));
		}
	}
}

static bool write_rows(struct work *w, const char *path)
{
	struct outfile out;
	bool ok = true;

	if (!outfile_open(&out, path, w->a, w->d))
		return false;
	for (unsigned i = 0; i < w->list.n && ok; i++)
		if (w->result[i])
			ok = json_dumpf(w->result[i], out.f, JSON_COMPACT) == 0 && fputc('\n', out.f) != EOF;
	if (!ok && !ferror(out.f)) {
		outfile_discard(&out);
		return diag_error_plain(w->d, path, "a number cannot be written as JSON");
	}
	return outfile_commit(&out);
}

static int time_points(struct work *w, const char *rows)
{
	struct run_options o = { .config = w->list.config,
				 .nconfig = w->list.n,
				 .have_anno = ANNO_ALL,
				 .checked = w->o.checked,
				 .threads = w->threads,
				 .guard_insns = w->o.max_insns ? 0 : RUN_GUARD_INSNS,
				 .guard_all = w->o.max_insns ? 0 : RUN_GUARD_ALL,
				 .max_insns = w->o.max_insns,
				 .max_cycles = w->o.max_cycles,
				 .sample = (unsigned)w->o.sample };
	struct module *m = run_read_object(w->object, w->a, w->d);
	struct launch_file *f = m ? launch_read(w->launch, w->a, w->d) : NULL;
	struct run r = { 0 };
	unsigned have = 0;
	bool ok;

	if (!f || !launch_name_kernels(f, m, w->d) || !same_contents(w, f))
		return 1;
	ok = run_share_native(m, f, &o, w->a, w->d) && run_launches(&r, m, f, &o, w->a, w->d);
	keep(w, &r, ok);
	for (unsigned i = 0; i < w->list.n; i++)
		have += w->result[i] != NULL;
	run_free(&r);
	if (!write_rows(w, rows))
		return 1;
	return r.bug ? 3 : have < w->list.n;
}

int work_run(const char *unit, struct arena *a, struct diag *d)
{
	struct work *w = new(a, struct work);
	json_error_t wrong;
	json_t *o;
	size_t n;
	char *text;
	int code = 1;

	w->a = a;
	w->d = d;
	unit = arena_strndup(
		a, unit, strlen(unit) - (strlen(unit) > 5 && strcmp(unit + strlen(unit) - 5, ".unit") == 0 ? 5 : 0));
	text = process_slurp(arena_printf(a, "%s.unit", unit), &n, a);
	if (!text) {
		diag_error_plain(d, arena_printf(a, "%s.unit", unit), "cannot read: %s", strerror(errno));
		return 1;
	}
	o = json_loadb(text, n, 0, &wrong);
	if (!o || read_unit(w, o, unit)) {
		if (!o) {
			diag_error_plain(d, unit, "is not a unit of a sweep: %s", wrong.text);
			return 1;
		}
		signal(SIGALRM, SIG_DFL);
		alarm(w->timeout); /* its signal ends the process, which is how the sweep knows */
		code = time_points(w, arena_printf(a, "%s.rows", unit));
	}
	json_decref(o);
	for (unsigned i = 0; i < w->list.n; i++)
		json_decref(w->result[i]);
	return code;
}

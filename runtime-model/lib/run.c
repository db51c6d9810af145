/* The public interface, part two: running (include/regloom.h). */
#include "analyzer/elf/rlo.h"
#include "runtime-model/lib/api.h"
#include "runtime-model/core/machine_file.h"
#include "regloom.h"
#include "runtime-model/run/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct regloom_result {
	json_t *json;
	char *text;
};

bool api_limits(const char *name, const char *const *set, size_t n, struct sm_limits *out, char **error)
{
	struct api_log log;
	struct params p;
	bool ok;

	if (!api_log_open(&log))
		return false;
	ok = params_machine(&p, name ? name : params_machine_name(0), &log.d);
	for (size_t i = 0; ok && i < n; i++)
		ok = params_set(&p, set[i], &log.d);
	if (ok)
		*out = params_limits(&p);
	api_log_close(&log, !ok, error);
	return ok;
}

static bool take_options(struct regloom_run_options *o, const char *object, const char *launch,
			 const struct regloom_run_options *given, char **error)
{
	*o = (struct regloom_run_options)REGLOOM_RUN_OPTIONS;
	if (!object || !launch || strcmp(object, "-") == 0 || strcmp(launch, "-") == 0)
		return api_refuse(error, "object and launch must be files");
	if (given && (given->size < sizeof given->size || given->size > sizeof *o))
		return api_refuse(error, "options of %zu bytes; this library knows %zu", given->size, sizeof *o);
	if (given)
		memcpy(o, given, given->size);
	return true;
}

/* Names and numbers of the configuration: what is wrong here is the caller's argument, not a file. */
static bool configure(const struct regloom_run_options *o, struct params *p, struct run_config *c,
		      struct run_options *run, struct arena *a, struct diag *d)
{
	*run = (struct run_options){ .config = c,
				     .nconfig = o->functional ? 0 : 1,
				     .have_anno = ANNO_ALL,
				     .checked = o->checked != 0,
				     .guard_insns = o->max_insns,
				     .max_cycles = o->max_cycles,
				     .stop = o->stop };
	*c = (struct run_config){ .name = o->rf ? o->rf : "baseline", .params = p };
	if (!machine_read(p, o->machine ? o->machine : "gtx480", a, d) || !rf_config_parse(&c->rf, c->name, p, d))
		return false;
	for (size_t i = 0; i < o->nset; i++)
		if (!params_set(p, o->set[i], d))
			return false;
	return true;
}

static enum regloom_status run_file(const char *object, const char *launch, const struct run_options *o,
				    json_t *(*report)(const struct run *), struct regloom_result *out, struct diag *d)
{
	enum regloom_status status = REGLOOM_INPUT;
	struct launch_file *f;
	struct module *m;
	struct arena a;
	struct run r;

	arena_init(&a);
	m = run_read_object(object, &a, d);
	f = m ? launch_read(launch, &a, d) : NULL;
	if (f && launch_name_kernels(f, m, d)) {
		if (run_share_native(m, f, o, &a, d) && run_launches(&r, m, f, o, &a, d)) {
			out->json = report(&r);
			out->text = out->json ? json_dumps(out->json, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
			status = out->text && !r.bug ? REGLOOM_OK : REGLOOM_INTERNAL;
		}
		run_free(&r);
	}
	arena_free(&a);
	return status;
}

struct request {
	struct regloom_run_options o;
	struct regloom_result *out;
	struct api_log log;
};

/* REGLOOM_OK: c->log takes the diagnostics of what follows, and call_end() must come. */
static enum regloom_status call_begin(struct request *c, const char *object, const char *launch,
				      const struct regloom_run_options *options, struct regloom_result **result,
				      char **error)
{
	*result = NULL;
	if (error)
		*error = NULL;
	if (!take_options(&c->o, object, launch, options, error))
		return REGLOOM_USAGE;
	c->out = calloc(1, sizeof *c->out);
	if (c->out && api_log_open(&c->log))
		return REGLOOM_OK;
	free(c->out);
	return REGLOOM_INTERNAL;
}

static enum regloom_status call_end(struct request *c, enum regloom_status status, struct regloom_result **result,
				    char **error)
{
	api_log_close(&c->log, status != REGLOOM_OK, error);
	if (status == REGLOOM_OK)
		*result = c->out;
	else
		regloom_result_free(c->out);
	return status;
}

enum regloom_status regloom_run(const char *object, const char *launch, const struct regloom_run_options *options,
				struct regloom_result **result, char **error)
{
	enum regloom_status status;
	struct run_options run;
	struct run_config config;
	struct params p;
	struct request c;
	struct arena a;

	status = call_begin(&c, object, launch, options, result, error);
	if (status != REGLOOM_OK)
		return status;
	arena_init(&a);
	status = configure(&c.o, &p, &config, &run, &a, &c.log.d)
			 ? run_file(object, launch, &run, run_json, c.out, &c.log.d)
			 : REGLOOM_USAGE;
	arena_free(&a);
	return call_end(&c, status, result, error);
}

static bool list_configurations(const struct regloom_run_options *o, const char *const *text, size_t n,
				struct config_list *l, struct arena *a, struct diag *d)
{
	if (o->rf || o->functional)
		return diag_error_plain(d, NULL,
					"a comparison has its register files in its configurations, and times them");
	if (n < 2)
		return diag_error_plain(d, NULL, "a comparison needs two configurations or more");
	l->machine = o->machine ? o->machine : "gtx480";
	l->set = o->set;
	l->nset = (unsigned)o->nset;
	for (size_t i = 0; i < n; i++)
		if (!config_list_add(l, text[i], a, d))
			return false;
	return true;
}

enum regloom_status regloom_compare(const char *object, const char *launch, const struct regloom_run_options *options,
				    const char *const *configurations, size_t n, struct regloom_result **result,
				    char **error)
{
	enum regloom_status status;
	struct config_list *l;
	struct run_options run;
	struct arena a;
	struct request c;

	status = call_begin(&c, object, launch, options, result, error);
	if (status != REGLOOM_OK)
		return status;
	arena_init(&a);
	l = new(&a, struct config_list);
	status = REGLOOM_USAGE;
	if (list_configurations(&c.o, configurations, n, l, &a, &c.log.d)) {
		run = (struct run_options){ .config = l->config,
					    .nconfig = l->n,
					    .have_anno = ANNO_ALL,
					    .checked = c.o.checked != 0,
					    .guard_insns = c.o.max_insns,
					    .max_cycles = c.o.max_cycles,
					    .stop = c.o.stop };
		status = run_file(object, launch, &run, compare_json, c.out, &c.log.d);
	}
	arena_free(&a);
	return call_end(&c, status, result, error);
}

const char *regloom_result_check(const struct regloom_result *result)
{
	return json_string_value(json_object_get(result->json, "check"));
}

/* What configuration i measured; of a run there is one. NULL: there is no such one, or it failed. */
static const json_t *metrics(const struct regloom_result *result, size_t i)
{
	const json_t *list = json_object_get(result->json, "configurations");

	if (list)
		return json_object_get(json_array_get(list, i), "metrics");
	return i == 0 ? json_object_get(result->json, "metrics") : NULL;
}

double regloom_result_value_of(const struct regloom_result *result, size_t i, const char *name)
{
	const json_t *v = json_object_get(json_object_get(metrics(result, i), name), "value");

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

double regloom_result_value(const struct regloom_result *result, const char *name)
{
	return regloom_result_value_of(result, 0, name);
}

const char *regloom_result_unit(const struct regloom_result *result, const char *name)
{
	const json_t *unit = json_object_get(json_object_get(metrics(result, 0), name), "unit");

	for (size_t i = 1; !unit && metrics(result, i); i++) /* the first may have failed */
		unit = json_object_get(json_object_get(metrics(result, i), name), "unit");
	return json_string_value(unit);
}

const char *regloom_result_json(const struct regloom_result *result) { return result->text; }

void regloom_result_free(struct regloom_result *result)
{
	if (!result)
		return;
	json_decref(result->json);
	free(result->text);
	free(result);
}

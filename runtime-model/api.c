/* The public interface, part two: running (include/regloom.h). */
#include "analyzer/elf/rlo.h"
#include "analyzer/lib/api.h"
#include "regloom.h"
#include "runtime-model/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct regloom_result { json_t *json; char *text; };

static bool take_options(struct regloom_run_options *o, const char *object, const char *launch, const struct regloom_run_options *given,
                         char **error)
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
static bool configure(const struct regloom_run_options *o, struct params *p, struct run_config *c, struct run_options *run, struct diag *d)
{
	*run = (struct run_options){ .config = c, .nconfig = o->functional ? 0 : 1, .have_anno = ANNO_LIVE, .checked = o->checked != 0,
	                              .guard_insns = o->max_insns, .max_cycles = o->max_cycles, .stop = o->stop };
	*c = (struct run_config){ .name = o->rf ? o->rf : "baseline", .params = p };
	if (!params_machine(p, o->machine ? o->machine : "gtx480", d) || !rf_config_parse(&c->rf, c->name, p, d))
		return false;
	for (size_t i = 0; i < o->nset; i++)
		if (!params_set(p, o->set[i], d))
			return false;
	return true;
}

static enum regloom_status run_file(const char *object, const char *launch, const struct run_options *o, struct regloom_result *out,
                                    struct diag *d)
{
	enum regloom_status status = REGLOOM_INPUT;
	struct launch_file *f;
	struct module *m;
	struct arena a;
	struct run r;

	arena_init(&a);
	m = rlo_read(object, &a, d);
	f = m ? launch_read(launch, &a, d) : NULL;
	if (f) {
		if (run_launches(&r, m, f, o, &a, d)) {
			out->json = run_json(&r);
			out->text = out->json ? json_dumps(out->json, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
			status = out->text && !r.bug ? REGLOOM_OK : REGLOOM_INTERNAL;
		}
		run_free(&r);
	}
	arena_free(&a);
	return status;
}

enum regloom_status regloom_run(const char *object, const char *launch, const struct regloom_run_options *options,
                                struct regloom_result **result, char **error)
{
	enum regloom_status status = REGLOOM_USAGE;
	struct regloom_run_options o;
	struct regloom_result *out;
	struct run_options run;
	struct run_config config;
	struct api_log log;
	struct params p;

	*result = NULL;
	if (error)
		*error = NULL;
	if (!take_options(&o, object, launch, options, error))
		return REGLOOM_USAGE;
	out = calloc(1, sizeof *out);
	if (!out || !api_log_open(&log)) {
		free(out);
		return REGLOOM_INTERNAL;
	}
	if (configure(&o, &p, &config, &run, &log.d))
		status = run_file(object, launch, &run, out, &log.d);
	api_log_close(&log, status != REGLOOM_OK, error);
	if (status == REGLOOM_OK)
		*result = out;
	else
		regloom_result_free(out);
	return status;
}

const char *regloom_result_check(const struct regloom_result *result)
{
	return json_string_value(json_object_get(result->json, "check"));
}

static const json_t *metric(const struct regloom_result *result, const char *name, const char *part)
{
	return json_object_get(json_object_get(json_object_get(result->json, "metrics"), name), part);
}

double regloom_result_value(const struct regloom_result *result, const char *name)
{
	const json_t *v = metric(result, name, "value");

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

const char *regloom_result_unit(const struct regloom_result *result, const char *name)
{
	return json_string_value(metric(result, name, "unit"));
}

const char *regloom_result_json(const struct regloom_result *result)
{
	return result->text;
}

void regloom_result_free(struct regloom_result *result)
{
	if (!result)
		return;
	json_decref(result->json);
	free(result->text);
	free(result);
}

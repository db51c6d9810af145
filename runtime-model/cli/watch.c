#include "runtime-model/cli/watch.h"

int watch_open(struct watch *w, const struct options *args, struct run_options *o, struct arena *a, struct diag *d)
{
	const char *list = value_of(args, OPT_EXPLAIN);
	bool interval = given(args, OPT_INTERVAL), series = given(args, OPT_SERIES);

	if (!args->number[OPT_INTERVAL])
		return usage(args->command, "%s", "--interval wants 1 cycle or more");
	if (given(args, OPT_EXPLAIN) && given(args, OPT_QUIET) && !given(args, OPT_JSON))
		return usage(args->command, "%s", "--explain with --quiet wants --json, where to write");
	if (given(args, OPT_EXPLAIN) && !explain_parse(&w->sections, list ? list : "", d))
		return EXIT_USAGE;
	if (interval && !series && !given(args, OPT_JSON))
		return usage(args->command, "%s", "--interval wants --series or --json, where to write");
	if (interval || series) {
		w->series = series_new(args->number[OPT_INTERVAL], a);
		o->probe = series_probe(w->series, o->probe);
	}
	if (given(args, OPT_EXPLAIN)) {
		w->explain = explain_new(w->sections >> EXPLAIN_REUSE & 1, a);
		o->probe = explain_probe(w->explain, o->probe);
	}
	return EXIT_FINE;
}

void watch_close(struct watch *w)
{
	if (w->series)
		series_free(w->series);
	if (w->explain)
		explain_free(w->explain);
}

bool watch_check(const struct watch *w, const struct run *r, struct diag *d)
{
	return !w->explain || explain_check(w->explain, r->timing[0].stop.why != STOP_NOT, d);
}

void watch_print(FILE *out, const struct watch *w, const struct run *r)
{
	if (w->explain)
		explain_print(out, w->explain, r->m, w->sections);
}

json_t *watch_json(const struct watch *w, const struct options *args, const struct run *r, json_t *o)
{
	if (o && given(args, OPT_INTERVAL))
		json_object_set_new(o, "intervals", series_json(w->series, r->opt.config[0].params));
	if (o && w->explain)
		json_object_set_new(o, "explain", explain_json(w->explain, r->m));
	return o;
}

bool watch_write(const struct watch *w, const struct options *args, const struct run *r, struct arena *a,
		 struct diag *d)
{
	return !given(args, OPT_SERIES) ||
	       series_write_csv(w->series, r->opt.config[0].params, run_stop_why(r), value_of(args, OPT_SERIES), a, d);
}

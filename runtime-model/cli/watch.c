#include "runtime-model/cli/watch.h"

int watch_open(struct watch *w, const struct options *args, struct run_options *o, struct arena *a)
{
	bool interval = given(args, OPT_INTERVAL), series = given(args, OPT_SERIES);

	if (!args->number[OPT_INTERVAL])
		return usage(args->command, "%s", "--interval wants 1 cycle or more");
	if ((interval || series) && given(args, OPT_FUNCTIONAL))
		return usage(args->command, "--%s wants a timed run, not --functional", series ? "series" : "interval");
	if (interval && !series && !given(args, OPT_JSON))
		return usage(args->command, "%s", "--interval wants --series or --json, where to write");
	if (interval || series) {
		w->series = series_new(args->number[OPT_INTERVAL], a);
		o->probe = series_probe(w->series, o->probe);
	}
	return EXIT_FINE;
}

void watch_close(struct watch *w)
{
	if (w->series)
		series_free(w->series);
}

json_t *watch_json(const struct watch *w, const struct options *args, const struct run *r, json_t *o)
{
	if (o && given(args, OPT_INTERVAL))
		json_object_set_new(o, "intervals", series_json(w->series, r->opt.config[0].params));
	return o;
}

bool watch_write(const struct watch *w, const struct options *args, const struct run *r, struct arena *a, struct diag *d)
{
	return !given(args, OPT_SERIES) || series_write_csv(w->series, r->opt.config[0].params, value_of(args, OPT_SERIES), a, d);
}

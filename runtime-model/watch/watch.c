#include "runtime-model/watch/watch.h"

#include "runtime-model/core/params.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- options ---- */
/* The word behind --explain: sections of it; with a wrong one among them too, which explain_parse() names, unless it is
 * a file. */
bool watched_lists_sections(const char *word)
{
	struct stat s;

	return explain_is_list(word) || (explain_names_some(word) && stat(word, &s) != 0);
}

bool watched_takes_sm(struct options *o, const char *value, uint64_t *number)
{
	(void)o;
	if (strcmp(value, "all") != 0)
		return option_whole(value, number);
	*number = TRACE_ALL_SMS;
	return true;
}

bool watched_read(struct watch_request *q, const struct options *x, unsigned first, bool json, const char **wrong,
		  struct diag *d)
{
	const unsigned *given = x->given + first;
	const char *const *value = x->value + first;
	const uint64_t *number = x->number + first;
	const char *list = value[WATCH_OPT_EXPLAIN];

	*q = (struct watch_request){
		.explain = given[WATCH_OPT_EXPLAIN],
		.clocks = given[WATCH_OPT_CLOCKS],
		.intervals = given[WATCH_OPT_INTERVAL],
		.series = value[WATCH_OPT_SERIES],
		.trace = value[WATCH_OPT_TRACE],
		.pipeview = value[WATCH_OPT_PIPEVIEW],
		.window = { number[WATCH_OPT_TRACE_FROM], number[WATCH_OPT_TRACE_CYCLES],
			    (uint32_t)number[WATCH_OPT_TRACE_SM] },
		.sm = number[WATCH_OPT_TRACE_SM],
	};
	*wrong = NULL;
	if (q->intervals || q->series)
		q->interval = number[WATCH_OPT_INTERVAL];
	if (!number[WATCH_OPT_INTERVAL])
		*wrong = "--interval wants 1 cycle or more";
	else if (q->intervals && !q->series && !json)
		*wrong = "--interval wants --series or --json, where to write";
	else if (!q->trace && !q->pipeview &&
		 (given[WATCH_OPT_TRACE_FROM] || given[WATCH_OPT_TRACE_CYCLES] || given[WATCH_OPT_TRACE_SM]))
		*wrong = "--trace-from, --trace-cycles and --trace-sm need --trace or --pipeview";
	return !*wrong && (!q->explain || explain_parse(&q->sections, list ? list : "", d));
}

const char *watched_wrong(const struct watch_request *q, const struct params *p, struct arena *a)
{
	if (q->sm == TRACE_ALL_SMS || q->sm < p->sms)
		return NULL;
	return arena_printf(a, "the machine has %" PRIu32 " SMs, --trace-sm %" PRIu64 " is none of them", p->sms,
			    q->sm);
}

/* ---- watchers ---- */
static void link_probe(struct watch *w, struct gpu_probe *p)
{
	p->next = w->probe;
	w->probe = p;
}

static bool open_traces(struct watch *w, struct arena *a, struct diag *d)
{
	const struct watch_request *q = w->q;

	if (q->trace) {
		if (!(w->chrome = chrome_open(q->trace, &q->window, a, d)))
			return false;
		link_probe(w, chrome_probe(w->chrome));
	}
	if (q->pipeview) {
		if (!(w->kanata = kanata_open(q->pipeview, &q->window, a, d)))
			return false;
		link_probe(w, kanata_probe(w->kanata));
	}
	if (q->clocks) {
		w->clocks = clocks_new(a);
		link_probe(w, clocks_probe(w->clocks));
	}
	if (q->records) {
		if (!outfile_open(&w->records_out, q->records, a, d))
			return false;
		w->records = records_new(w->records_out.f, a);
		link_probe(w, records_probe(w->records));
	}
	return true;
}

bool watched_open(struct watch *w, const struct watch_request *q, const struct gpu_probe *next, struct arena *a,
		  struct diag *d)
{
	*w = (struct watch){ .q = q, .probe = next };
	if (q->interval) {
		w->series = series_new(q->interval, a);
		w->probe = series_probe(w->series, w->probe);
	}
	if (q->explain) {
		w->explain = explain_new(q->sections >> EXPLAIN_REUSE & 1, a);
		w->probe = explain_probe(w->explain, w->probe);
	}
	return open_traces(w, a, d);
}

static bool end_records(struct watch *w)
{
	if (records_end(w->records))
		return outfile_commit(&w->records_out);
	outfile_discard(&w->records_out);
	return diag_error_plain(w->records_out.d, w->records_out.path, "cannot write all records");
}

bool watched_end(struct watch *w, const char *partial)
{
	bool ok = !w->chrome || chrome_close(w->chrome, partial);

	ok = (!w->kanata || kanata_close(w->kanata, partial)) && ok;
	return (!w->records || end_records(w)) && ok;
}

void watched_close(struct watch *w)
{
	if (w->clocks)
		clocks_free(w->clocks);
	if (w->series)
		series_free(w->series);
	if (w->explain)
		explain_free(w->explain);
}

/* ---- what they saw ---- */
bool watched_check(const struct watch *w, bool stopped, struct diag *d)
{
	return !w->explain || explain_check(w->explain, stopped, d);
}

void watched_print_explain(FILE *out, const struct watch *w, const struct module *m)
{
	if (w->explain)
		explain_print(out, w->explain, m, w->q->sections);
}

static void print_file(FILE *out, const char *path, const char *what, const char *with, const struct trace_window *w,
		       bool all, uint64_t cycles)
{
	uint64_t to = trace_window_end(w) < cycles ? trace_window_end(w) : cycles;

	fprintf(out, "%s  %s: ", what, path);
	if (w->from < cycles && all)
		fputs("all SMs, ", out);
	else if (w->from < cycles)
		fprintf(out, "SM %" PRIu32 ", ", w->sm == TRACE_ALL_SMS ? 0 : w->sm);
	if (w->from >= cycles)
		fprintf(out, "nothing, the run ended in cycle %" PRIu64 "\n", cycles);
	else if (to < cycles)
		fprintf(out,
			"cycles %" PRIu64 " to %" PRIu64 " of %" PRIu64
			" (--trace-cycles 0: to the end); open it in %s\n",
			w->from, to, cycles, with);
	else
		fprintf(out, "cycles %" PRIu64 " to %" PRIu64 "; open it in %s\n", w->from, to, with);
}

void watched_print_files(FILE *out, const struct watch *w, uint64_t cycles)
{
	const struct watch_request *q = w->q;

	if (w->clocks)
		clocks_print(out, w->clocks);
	if (q->trace || q->pipeview)
		fputc('\n', out);
	if (q->trace)
		print_file(out, q->trace, "trace   ", "ui.perfetto.dev", &q->window, q->window.sm == TRACE_ALL_SMS,
			   cycles);
	if (q->pipeview)
		print_file(out, q->pipeview, "pipeview", "Konata", &q->window, false, cycles);
}

json_t *watched_json(const struct watch *w, const struct params *p, const struct module *m, json_t *o)
{
	if (o && w->q->intervals)
		json_object_set_new(o, "intervals", series_json(w->series, p));
	if (o && w->explain)
		json_object_set_new(o, "explain", explain_json(w->explain, m));
	if (o && w->clocks)
		json_object_set_new(o, "clocks", clocks_json(w->clocks));
	return o;
}

bool watched_write_series(const struct watch *w, const struct params *p, const char *partial, struct arena *a,
			  struct diag *d)
{
	return !w->q->series || series_write_csv(w->series, p, partial, w->q->series, a, d);
}

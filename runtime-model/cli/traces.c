#include "runtime-model/cli/traces.h"

#include <inttypes.h>
#include <string.h>

int traces_check(const struct options *args, const struct params *p)
{
	bool files = given(args, OPT_TRACE) || given(args, OPT_PIPEVIEW);
	char sms[64];

	if (!files && (given(args, OPT_TRACE_FROM) || given(args, OPT_TRACE_CYCLES) || given(args, OPT_TRACE_SM)))
		return usage(args->command, "%s",
			     "--trace-from, --trace-cycles and --trace-sm need --trace or --pipeview");
	snprintf(sms, sizeof sms, "the machine has %" PRIu32 " SMs, --trace-sm %%s is none of them", p->sms);
	if (given(args, OPT_TRACE_SM) && args->number[OPT_TRACE_SM] >= p->sms &&
	    strcmp(value_of(args, OPT_TRACE_SM), "all") != 0)
		return usage(args->command, sms, value_of(args, OPT_TRACE_SM));
	return EXIT_FINE;
}

static void link_probe(const struct gpu_probe **list, struct gpu_probe *p)
{
	p->next = *list;
	*list = p;
}

bool traces_open(struct traces *t, const struct options *args, const struct gpu_probe **list, struct arena *a,
		 struct diag *d)
{
	t->window = (struct trace_window){
		args->number[OPT_TRACE_FROM],
		args->number[OPT_TRACE_CYCLES],
		(uint32_t)args->number[OPT_TRACE_SM],
	};
	t->trace = value_of(args, OPT_TRACE);
	t->pipeview = value_of(args, OPT_PIPEVIEW);
	if (t->trace) {
		if (!(t->chrome = chrome_open(t->trace, &t->window, a, d)))
			return false;
		link_probe(list, chrome_probe(t->chrome));
	}
	if (t->pipeview) {
		if (!(t->kanata = kanata_open(t->pipeview, &t->window, a, d)))
			return false;
		link_probe(list, kanata_probe(t->kanata));
	}
	if (given(args, OPT_CLOCKS)) {
		t->clocks = clocks_new(a);
		link_probe(list, clocks_probe(t->clocks));
	}
	if (given(args, OPT_RECORDS)) {
		if (!outfile_open(&t->records_out, value_of(args, OPT_RECORDS), a, d))
			return false;
		t->records = records_new(t->records_out.f, a);
		link_probe(list, records_probe(t->records));
	}
	return true;
}

static bool close_records(struct traces *t)
{
	if (records_end(t->records))
		return outfile_commit(&t->records_out);
	outfile_discard(&t->records_out);
	return diag_error_plain(t->records_out.d, t->records_out.path, "cannot write all records");
}

bool traces_close(struct traces *t, const char *partial)
{
	bool ok = !t->chrome || chrome_close(t->chrome, partial);

	ok = (!t->kanata || kanata_close(t->kanata, partial)) && ok;
	ok = (!t->records || close_records(t)) && ok;
	if (t->clocks)
		clocks_free(t->clocks);
	return ok;
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

void traces_print(FILE *out, const struct traces *t, uint64_t cycles)
{
	if (t->clocks)
		clocks_print(out, t->clocks);
	if (t->trace || t->pipeview)
		fputc('\n', out);
	if (t->trace)
		print_file(out, t->trace, "trace   ", "ui.perfetto.dev", &t->window, t->window.sm == TRACE_ALL_SMS,
			   cycles);
	if (t->pipeview)
		print_file(out, t->pipeview, "pipeview", "Konata", &t->window, false, cycles);
}

json_t *traces_json(const struct traces *t, json_t *o)
{
	if (o && t->clocks)
		json_object_set_new(o, "clocks", clocks_json(t->clocks));
	return o;
}

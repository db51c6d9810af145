/* The public interface, part one: version, strings, annotating (include/regloom.h). */
#include "runtime-model/lib/api.h"

#include "analyzer/base/inside.h"
#include "analyzer/lib/annotate.h"
#include "passes/corf.h"
#include "regloom.h"

#include <stdlib.h>
#include <string.h>

bool api_log_open(struct api_log *l)
{
	FILE *f;

	*l = (struct api_log){ .text = NULL };
	f = open_memstream(&l->text, &l->n);
	if (!f)
		return false;
	diag_init(&l->d, f);
	l->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	l->theirs = uselocale(l->plain);
	return true;
}

void api_log_close(struct api_log *l, bool keep, char **error)
{
	uselocale(l->theirs);
	if (l->plain)
		freelocale(l->plain);
	fclose(l->d.out);
	diag_free(&l->d);
	if (keep && error)
		*error = l->text;
	else
		free(l->text);
}

bool api_refuse(char **error, const char *fmt, ...)
{
	struct api_log l;
	va_list ap;

	if (error && api_log_open(&l)) {
		va_start(ap, fmt);
		diag_error_plain(&l.d, NULL, "%s", arena_vprintf(&l.d.a, fmt, ap));
		va_end(ap);
		api_log_close(&l, true, error);
	}
	return false;
}

const char *regloom_version(void) { return REGLOOM_VERSION; }

void regloom_string_free(char *text) { free(text); }

/* The options of the caller, with defaults for fields that its version of the struct does not have. */
static bool job_from(struct annotate_job *job, struct source_dirs *sources, const char *input, const char *output,
		     const struct regloom_annotate_options *given, char **error)
{
	struct regloom_annotate_options o = REGLOOM_ANNOTATE_OPTIONS;

	if (!input || !output || strcmp(input, "-") == 0 || strcmp(output, "-") == 0)
		return api_refuse(error, "input and output must be files");
	if (given && (given->size < sizeof given->size || given->size > sizeof o))
		return api_refuse(error, "options of %zu bytes; this library knows %zu", given->size, sizeof o);
	if (given)
		memcpy(&o, given, given->size);
	*job = annotate_job_default(input, output);
	job->kernel = o.kernel;
	job->sources = sources;
	for (size_t i = 0; i < o.nsource_dirs; i++)
		if (!source_dir_add(sources, o.source_dirs[i]))
			return api_refuse(error, "source_dirs: \"%s\" is no folder, or the 65th", o.source_dirs[i]);
	if (o.emit) {
		job->view = annotate_view_find(o.emit);
		if (job->view == VIEW_COUNT)
			return api_refuse(error, "there is no view \"%s\"", o.emit);
		job->view_given = true;
	}
	if (o.maxreg) {
		if (o.maxreg < 8 || o.maxreg > 254)
			return api_refuse(error, "maxreg %u is not from 8 to 254", o.maxreg);
		job->pass.maxreg = o.maxreg;
	}
	if (o.input) {
		job->kind = annotate_input_find(o.input);
		if (job->kind == INPUT_COUNT)
			return api_refuse(error, "there is no kind of input \"%s\"", o.input);
	}
	if (o.sm) {
		job->sm = fatbin_sm(o.sm);
		if (!job->sm)
			return api_refuse(error, "sm \"%s\" is not an architecture like \"80\" or \"sm_90a\"", o.sm);
	}
	if (o.optimise) {
		if (strlen(o.optimise) != 1 || *o.optimise < '0' || *o.optimise > '3')
			return api_refuse(error, "optimise \"%s\" is not a level from 0 to 3", o.optimise);
		job->level = *o.optimise - '0';
	}
	if (o.save_ptx && strcmp(o.save_ptx, "-") == 0)
		return api_refuse(error, "save_ptx must be a file");
	if (o.pairs) {
		job->pass.pairs = corf_pairs_find(o.pairs);
		if (job->pass.pairs == PAIRS_COUNT)
			return api_refuse(error, "there is no way \"%s\" to choose pairs", o.pairs);
	}
	if (o.align) {
		job->pass.sides = corf_sides_find(o.align);
		if (job->pass.sides == SIDES_COUNT)
			return api_refuse(error, "there is no way \"%s\" to choose the alignment", o.align);
	}
	if (!(o.align_seconds >= 0 && o.align_seconds <= CORF_SECONDS_MAX))
		return api_refuse(error, "align_seconds %g is not from 0 to %d", o.align_seconds, CORF_SECONDS_MAX);
	if (o.align_seconds > 0)
		job->pass.sides_seconds = o.align_seconds;
	if (o.orf_entries > ORF_ENTRIES_MAX || o.orf_warps > ORF_WARPS_MAX)
		return api_refuse(error, "orf_entries %u is not from 1 to %d, or orf_warps %u from 1 to %d",
				  o.orf_entries, ORF_ENTRIES_MAX, o.orf_warps, ORF_WARPS_MAX);
	if (!(o.orf_exact_seconds >= 0 && o.orf_exact_seconds <= ORF_SECONDS_MAX))
		return api_refuse(error, "orf_exact_seconds %g is not from 0 to %d", o.orf_exact_seconds,
				  ORF_SECONDS_MAX);
	if (o.orf_entries)
		job->pass.orf.entries = o.orf_entries;
	if (o.orf_warps)
		job->pass.orf.warps = o.orf_warps;
	if (o.orf_exact_seconds > 0) {
		job->pass.orf.exact = true;
		job->pass.orf.exact_seconds = o.orf_exact_seconds;
	}
	if (!api_limits(o.machine, o.set, o.nset, &job->pass.regmutex.sm, error))
		return false;
	if (o.regmutex && !regmutex_size_parse(o.regmutex, &job->pass.regmutex.size))
		return api_refuse(error,
				  "regmutex \"%s\" is not auto, paper, off or a number of registers from 1 to %d",
				  o.regmutex, REGMUTEX_MAX);
	if (o.regmutex_place &&
	    (job->pass.regmutex.place = regmutex_place_find(o.regmutex_place)) == REGMUTEX_PLACE_COUNT)
		return api_refuse(error, "there is no way \"%s\" to place what acquires registers", o.regmutex_place);
	if (o.regmutex_liveness &&
	    (job->pass.regmutex.liveness = regmutex_liveness_find(o.regmutex_liveness)) == REGMUTEX_LIVENESS_COUNT)
		return api_refuse(error, "there is no liveness \"%s\" for RegMutex", o.regmutex_liveness);
	if (!(o.regmutex_exact_seconds >= 0 && o.regmutex_exact_seconds <= ORF_SECONDS_MAX))
		return api_refuse(error, "regmutex_exact_seconds %g is not from 0 to %d", o.regmutex_exact_seconds,
				  ORF_SECONDS_MAX);
	job->pass.regmutex.exact_seconds = o.regmutex_exact_seconds;
	job->pass.regmutex.rules_off = o.regmutex_rules_off != 0;
	job->machine_given = o.machine || o.nset;
	job->module = o.module;
	job->save_ptx = o.save_ptx;
	job->pass.schedule = o.no_schedule ? SCHEDULE_NONE : SCHEDULE_LATENCY;
	job->pass.check |= o.check != 0;
	job->code_options = o.maxreg || o.no_schedule;
	job->compile_options = job->code_options || o.pairs || o.align || o.orf_entries || o.orf_warps ||
			       o.orf_exact_seconds > 0 || o.regmutex || o.regmutex_place || o.regmutex_liveness ||
			       o.regmutex_rules_off || o.regmutex_exact_seconds > 0;
	return true;
}

enum regloom_status regloom_annotate(const char *input, const char *output,
				     const struct regloom_annotate_options *options, char **error)
{
	struct source_dirs sources = { .n = 0 };
	struct annotate_job job;
	struct api_log log;
	bool ok;

	if (error)
		*error = NULL;
	if (!job_from(&job, &sources, input, output, options, error))
		return REGLOOM_USAGE;
	if (!api_log_open(&log))
		return REGLOOM_INTERNAL;
	ok = annotate_run(&job, &log.d);
	api_log_close(&log, !ok, error);
	return ok ? REGLOOM_OK : REGLOOM_INPUT;
}

/* Options as a job: inputs and outputs, what is known of launches. */
#include "analyzer/cli/job.h"
#include "runtime-model/run/launch_facts.h"

#include <stdlib.h>
#include <string.h>

static int make_facts(const struct options *x, struct known *n)
{
	/* CUDA's limits */
	static const uint32_t block[3] = { 1024, 1024, 64 }, grid[3] = { INT32_MAX, 65535, 65535 };

	if (x->given[OPT_BLOCK] && !facts_sizes(x->value[OPT_BLOCK], block, 1024, n->launch.block))
		return usage("--block=%s is no size of a block: X, X,Y or X,Y,Z, at most 1024 threads",
			     x->value[OPT_BLOCK]);
	if (x->given[OPT_GRID] && !facts_sizes(x->value[OPT_GRID], grid, 0, n->launch.grid))
		return usage("--grid=%s is no size of a grid: X, X,Y or X,Y,Z", x->value[OPT_GRID]);
	for (uint32_t p = 0; p < x->given[OPT_PARAM]; p++)
		if (!facts_param(x->list[OPT_PARAM][p], &n->param[p], &n->a))
			return usage("--param=%s is not NAME=VALUE with a whole number", x->list[OPT_PARAM][p]);
	n->launch.param = n->param;
	n->launch.nparam = x->given[OPT_PARAM];
	return EXIT_FINE;
}

/* "k.ptx" for an object: whoever asks for it wants a view. NULL: it is no view's name. */
static const char *view_named(const char *path)
{
	static const struct {
		const char *end, *view;
	} named[] = {
		{ ".ptx", "ptx" },
		{ ".json", "json" },
		{ ".dot", "dot" },
		{ ".sarif", "sarif" },
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof named / sizeof *named; i++)
		if (strcmp(dot, named[i].end) == 0)
			return named[i].view;
	return NULL;
}

int object_named(const struct options *x, const struct annotate_job *job, struct arena *a)
{
	const char *view = job->output && job->view == VIEW_OBJ && !job->list && !x->given[OPT_EMIT]
				   ? view_named(job->output)
				   : NULL;

	return view ? usage("%s",
			    arena_printf(
				    a,
				    "%s would be an object: --emit=%s makes what its name says, --emit=obj an object",
				    job->output, view))
		    : EXIT_FINE;
}

static int no_input(const struct options *x, struct arena *a)
{
	const char *list = x->value[OPT_CHECK];

	if (list && !strchr(list, '='))
		return usage("%s", arena_printf(a, "--check takes limits, then comes the file: --check max-live=64 %s",
						list));
	return usage("%s", "which file?");
}

int make_job(const struct options *x, struct annotate_job *job, struct known *known)
{
	unsigned sass = 0;
	int code;

	if (!x->ninput)
		return no_input(x, &known->a);
	*job = annotate_job_default(x->input[0], x->value[OPT_OUTPUT]);
	job->kernel = x->value[OPT_KERNEL];
	if (!takes(x, OPT_EMIT, &job->view))
		return EXIT_USAGE;
	job->view_given = x->given[OPT_EMIT];
	if (x->given[OPT_DUMP]) {
		if (x->given[OPT_EMIT])
			return usage("--dump=%s and --emit both say what to write", x->value[OPT_DUMP]);
		job->view = VIEW_DUMP;
		if (!takes(x, OPT_DUMP, &job->dump))
			return EXIT_USAGE;
	}
	if (!takes(x, OPT_INPUT, &job->kind))
		return EXIT_USAGE;
	if (x->given[OPT_SM]) {
		job->sm = fatbin_sm(x->value[OPT_SM]);
		if (!job->sm)
			return usage(WRONG_SM, x->value[OPT_SM]);
	}
	if (x->given[OPT_LEVEL]) {
		if (strlen(x->value[OPT_LEVEL]) != 1 || *x->value[OPT_LEVEL] < '0' || *x->value[OPT_LEVEL] > '3')
			return usage("-O%s is not a level from 0 to 3", x->value[OPT_LEVEL]);
		job->level = *x->value[OPT_LEVEL] - '0';
	}
	if (!takes(x, OPT_MODULE, &job->module) || !takes(x, OPT_CODE, &sass))
		return EXIT_USAGE;
	if (x->given[OPT_CODE])
		job->code = sass ? FATBIN_CODE_SASS : FATBIN_CODE_PTX;
	if (sass && x->given[OPT_SAVE_PTX])
		return usage("%s", "--save-ptx contradicts --code=sass");
	job->save_ptx = x->value[OPT_SAVE_PTX];
	job->sources = x->sources;
	job->fresh = x->given[OPT_FRESH];
	job->list = x->given[OPT_LIST];
	job->list_json = x->given[OPT_JSON];
	if (job->list && (x->given[OPT_EMIT] || x->given[OPT_DUMP] || job->kernel || job->save_ptx || job->fresh))
		return usage("%s", "--list goes with --json and -o only");
	if (job->list_json && !job->list && !x->given[OPT_CHECK] && !x->given[OPT_CHECK_FILE] && !x->given[OPT_DIFF])
		return usage("%s", "--json is for --list, --check and --diff; for kernels it is --emit=json");
	job->pass.check |= x->given[OPT_VERIFY];
	job->profile = x->value[OPT_PROFILE];
	job->pass.launch = &known->launch;
	job->launch = x->value[OPT_LAUNCH];
	job->read_launch = launch_facts_read;
	if (job->launch && strcmp(job->launch, "-") == 0 && strcmp(x->input[0], "-") == 0)
		return usage("%s", "input and launch file cannot both come from standard input");
	if (job->list && (job->profile || x->given[OPT_PARAM] || x->given[OPT_SET] || x->given[OPT_LAUNCH] ||
			  x->given[OPT_BLOCK] || x->given[OPT_GRID]))
		return usage("%s", "--list goes with --json and -o only");
	job->times = x->given[OPT_TIME] ? stderr : NULL;
	code = make_passes(x, job, known);
	return code != EXIT_FINE ? code : make_facts(x, known);
}

/* ptx-annotate: reads PTX, LLVM IR, cubins or what a fatbin holds, runs the register-file passes, writes annotated
 * kernels. Exit codes: 0 fine, 1 the input is wrong, breaks a limit or got worse, 2 usage, 4 out of memory. */
#include "analyzer/cli/job.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/signals.h"
#include "analyzer/base/stack.h"
#include "analyzer/ptx/ptx.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

/* "dir/saxpy.ptx" makes "saxpy.rlo", "dir/saxpy.cubin" makes "saxpy.annotated.cubin". The caller frees it; NULL: no
 * memory. */
static char *default_output(const char *input, bool native)
{
	static const char again[] = ".annotated";
	const char *base = strrchr(input, '/') ? strrchr(input, '/') + 1 : input, *dot = strrchr(base, '.'),
		   *end = native ? ".annotated.cubin" : ".rlo";
	size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base), n = sizeof again - 1;
	char *name;

	if (native && stem > n && strncmp(base + stem - n, again, n) == 0)
		stem -= n;
	name = malloc(stem + strlen(end) + 1);
	if (name)
		sprintf(name, "%.*s%s", (int)stem, base, end);
	return name;
}

bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool makes_object(const struct annotate_job *job)
{
	return !job->list && (job->view == VIEW_OBJ || job->view == VIEW_CUBIN);
}

static int annotate_known(const struct options *x, struct known *known)
{
	struct annotate_job job;
	char *name = NULL;
	struct diag d;
	int code = make_job(x, &job, known);

	if (code != EXIT_FINE)
		return code;
	if (!job.output && job.list)
		job.output = "-";
	if (!job.output && (job.view == VIEW_OBJ || job.view == VIEW_CUBIN)) {
		if (strcmp(job.input, "-") == 0)
			return usage("%s", "standard input has no name to make one of: an object, or an annotated "
					   "cubin, needs -o FILE; --emit=summary shows what was found");
		job.output = name = default_output(job.input, job.view == VIEW_CUBIN ||
								      (!job.view_given && annotate_is_native(&job)));
	} else if (!job.output) {
		job.output = "-";
	}
	if ((job.output && same_file(job.input, job.output)) || (job.save_ptx && same_file(job.input, job.save_ptx))) {
		free(name);
		return usage("%s is the input and would be overwritten", job.input);
	}
	if (job.profile && ((job.output && same_file(job.profile, job.output)) ||
			    (job.save_ptx && same_file(job.profile, job.save_ptx)))) {
		free(name);
		return usage("%s is the profile and would be overwritten", job.profile);
	}
	if (job.launch && ((job.output && same_file(job.launch, job.output)) ||
			   (job.save_ptx && same_file(job.launch, job.save_ptx)))) {
		free(name);
		return usage("%s is the launch file and would be overwritten", job.launch);
	}
	code = object_named(x, &job, &known->a);
	if (code != EXIT_FINE) {
		free(name);
		return code;
	}
	if (job.output && makes_object(&job) && strcmp(job.output, "-") == 0 && isatty(STDOUT_FILENO)) {
		free(name);
		return usage("%s", "an object is not for a terminal; use -o FILE or --emit=listing");
	}
	if (makes_object(&job) && job.output && strcmp(job.output, "-") != 0 && !x->given[OPT_QUIET])
		job.summary = stdout;
	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	code = job.output && annotate_run(&job, &d) ? EXIT_FINE : EXIT_INPUT;
	diag_free(&d);
	free(name);
	return code;
}

static int annotate(const struct options *x)
{
	struct known known = { .launch = { .nparam = 0 } };
	int code;

	arena_init(&known.a);
	code = annotate_known(x, &known);
	arena_free(&known.a);
	return code;
}

static int execute(const struct options *x, int code)
{
	if (x->given[OPT_HELP])
		return help();
	if (x->given[OPT_ISA]) {
		ptx_print_isa(stdout);
		return EXIT_FINE;
	}
	if (x->given[OPT_VERSION]) {
		puts("ptx-annotate (regloom) " REGLOOM_VERSION);
		return EXIT_FINE;
	}
	if (code != EXIT_FINE)
		return code;
	if (x->given[OPT_DIFF])
		return diff(x);
	if (x->given[OPT_DIFF_FAIL] || x->given[OPT_ALL])
		return usage("--%s goes with --diff only", x->given[OPT_ALL] ? "all" : "diff-fail");
	return x->given[OPT_CHECK] || x->given[OPT_CHECK_FILE] ? check(x) : annotate(x);
}

static int dispatch(int argc, char **argv)
{
	struct source_dirs sources = { .n = 0 };
	struct arena a;
	struct options x = { .sources = &sources, .a = &a };
	int code;

	arena_init(&a);
	code = execute(&x, parse_arguments(&x, argc, argv));
	arena_free(&a);
	source_note(&sources, "ptx-annotate");
	if (code == EXIT_FINE && (fflush(stdout) != 0 || ferror(stdout))) {
		fputs("ptx-annotate: cannot write to standard output\n", stderr);
		code = EXIT_INPUT;
	}
	return code;
}

int main(int argc, char **argv)
{
	signals_end();
	signal(SIGCHLD, SIG_DFL); /* whoever starts it may ignore it, and then no child can be waited for */
	ram_limit(ram_share());
	ram_tidy(outfile_abandon);
	json_set_alloc_funcs(ram_malloc, ram_free);
	return ram_exit(stack_main(dispatch, argc, argv));
}

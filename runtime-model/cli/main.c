/* sm-model: runs annotated kernels on the modelled SM. A table of commands over the library; exit codes: 0 fine, 1 the
 * input is wrong or an expectation failed, 2 usage, 3 internal, 4 out of memory. */
#include "runtime-model/cli/command.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/signals.h"
#include "analyzer/base/stack.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

static const struct {
	const char *name, *what;
	int (*run)(int, char **);
} commands[] = {
	{ "run", "execute, check and time the kernels of an object", command_run },
	{ "compare", "time several configurations over one execution and show them side by side", command_compare },
	{ "sweep", "time every combination that a file names, here or on a cluster, and go on where it stopped",
	  command_sweep },
	{ "usage", "execute and show how often the values in registers are read, how soon, and by which units",
	  command_usage },
	{ "values", "execute and show how alike the values of a warp are, and what a scalar unit could execute",
	  command_values },
	{ "report", "make a page or pictures of results: pressure, registers, issue slots, banks, energy, comparison",
	  command_report },
	{ "list", "machines, register-file configurations, parameters, metrics", command_list },
};
enum { COMMANDS = sizeof commands / sizeof *commands };
static const char *command_name(unsigned i) { return commands[i].name; }

static void help(void)
{
	puts("usage: sm-model COMMAND ...\n\n"
	     "Runs annotated GPU kernels on a timing and energy model of the streaming multiprocessor.\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].what);
	puts("  --help     this text; sm-model COMMAND --help tells more\n"
	     "  --version  the version\n\n"
	     "a first run:\n"
	     "  ptx-annotate examples/sgemm/sgemm.ptx -o sgemm.rlo\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml");
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return usage("", "%s", "which command? run, compare, sweep, usage, values, report or list");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help();
		return EXIT_FINE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("sm-model (regloom) " REGLOOM_VERSION);
		return EXIT_FINE;
	}
	for (unsigned i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return commands[i].run(argc - 2, argv + 2);
	return argv[1][0] == '-' ? usage("", "unknown option '%s'", argv[1])
				 : usage_unknown("sm-model", "", "no command '%s'", argv[1], command_name, COMMANDS);
}

int main(int argc, char **argv)
{
	int code;

	signals_end();
	signal(SIGCHLD, SIG_DFL); /* whoever starts it may ignore it, and then no child can be waited for */
	ram_limit(ram_share());
	ram_tidy(outfile_abandon);
	json_set_alloc_funcs(ram_malloc, ram_free);
	code = ram_exit(stack_main(dispatch, argc, argv));
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("sm-model: cannot write to standard output\n", stderr);
		return code == EXIT_FINE ? EXIT_INPUT : code;
	}
	return code;
}

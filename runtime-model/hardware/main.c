/* regloom-gpu: a real GPU as the judge of the model. Exit codes as of sm-model. */
#include "runtime-model/hardware/command.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/signals.h"
#include "analyzer/base/stack.h"
#include "runtime-model/core/machine_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

static const struct option_row rows[] = {
#define OPTION(id, ...) OPTION_ROW(__VA_ARGS__),
#include "runtime-model/hardware/options.def"
#undef OPTION
};
static const struct option_table table = { .row = rows, .n = OPT_COUNT, .column = 24 };

static const struct command {
	const char *name, *what;
	unsigned of;
	unsigned inputs;
	int (*run)(const struct options *, struct arena *, struct diag *);
	const char *example;
} commands[] = {
	{ "calibrate", "measure a GPU and fit a machine to it, with which the model takes as long", CALIBRATE, 0,
	  command_calibrate,
	  "  regloom-gpu calibrate -o mine.txt && sm-model run O --launch L --machine=mine.txt\n"
	  "      this GPU's latencies, and a run on the model of them\n"
	  "  regloom-gpu calibrate --model h100 --sm 90 --from a100\n"
	  "      what the model of an H100 would answer, and how far an A100's parameters are from it" },
	{ "mufu", "write down what a GPU's approximate functions give, for --mufu of sm-model and regloom-run", MUFU, 0,
	  command_mufu,
	  "  regloom-gpu mufu -o mine.mufu && sm-model run O --launch L --mufu mine.mufu\n"
	  "      kernels on the model get the bits that this GPU makes of rcp, ex2, sin ...\n"
	  "  regloom-gpu mufu --functions rcp,ex2\n"
	  "      how far two of them are from the correctly rounded results" },
	{ "matrix", "describe how a GPU's matrix units add and round, and how our engine does", MATRIX, 0,
	  command_matrix,
	  "  regloom-gpu matrix\n"
	  "      terms that are added together, the bits that are kept of them, rounding, subnormals" },
	{ "verify", "execute kernels on a GPU and in our engine, and compare all memory bit for bit", VERIFY, 1,
	  command_verify,
	  "  regloom-gpu verify K.ptx --launch K.yaml\n"
	  "      the same memory after each launch, or the first element that differs\n"
	  "  regloom-gpu verify --suite build/gpu-suite --json h200.json\n"
	  "      all kernels of a folder (make gpu-suite fills one), and what they answered\n"
	  "  regloom-gpu verify --suite build/gpu-suite --replay h200.json\n"
	  "      whether our engine still answers so; needs no GPU\n"
	  "  regloom-gpu mufu -o h200.mufu && regloom-gpu verify --suite build/gpu-suite --mufu h200.mufu\n"
	  "      the same, and approximate functions must give this GPU's bits, too" },
	{ "predict", "time kernels on a GPU and on the model, side by side", PREDICT, 1, command_predict,
	  "  regloom-gpu predict K.cubin --launch K.yaml --machine=mine.txt\n"
	  "      cycles and registers on both, and the error" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };
static const char *command_name(unsigned i) { return commands[i].name; }

void say_progress(const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s%s", what ? what : "", what ? " ..." : "");
}

/* The machine with sub-cores whose number of SMs, clock and room are most like the device's. */
static const char *nearest(const struct hardware *h, struct diag *d)
{
	const char *best = NULL, *name;
	double least = 0;

	for (unsigned i = 0; (name = params_machine_name(i)); i++) {
		struct params p;
		double far;

		if (!params_machine(&p, name, d) || !p.core)
			continue;
		far = abs((int)p.sms - (int)h->sms) + abs((int)p.sm_mhz - (int)h->sm_mhz) / 100.0;
		if (h->threads_per_sm)
			far += p.threads_per_sm != h->threads_per_sm ? 1000 : 0;
		if (!best || far < least) {
			best = name;
			least = far;
		}
	}
	return best;
}

static bool has_cores(const struct params *p, struct diag *d)
{
	return p->core || diag_error_plain(d, p->machine, "has no sub-cores, on which machine code is timed");
}

bool fitting_machine(struct params *p, const char *name, const struct hardware *h, const struct options *o,
		     struct arena *a, struct diag *d)
{
	bool ok = machine_read(p, name ? name : nearest(h, d), a, d);

	for (unsigned i = 0; ok && i < o->given[OPT_SET]; i++)
		ok = params_set(p, o->list[OPT_SET][i], d);
	return ok && params_fit(p, NULL, d) && has_cores(p, d);
}

bool open_hardware(struct hardware *h, const struct options *o, struct arena *a, struct diag *d)
{
	struct params *p;

	if (!o->given[OPT_MODEL])
		return hardware_driver(h, (unsigned)o->number[OPT_DEVICE], (unsigned)o->number[OPT_SECONDS], a, d);
	p = new(a, struct params);
	if (!machine_read(p, o->value[OPT_MODEL], a, d) || !has_cores(p, d))
		return false;
	hardware_model(h, p, o->given[OPT_SM] || !p->carveout ? (unsigned)o->number[OPT_SM] : p->carveout,
		       (unsigned)o->number[OPT_SECONDS], a, d);
	return true;
}

static void help(void)
{
	puts("usage: regloom-gpu COMMAND ...\n\n"
	     "Asks a real GPU, through its driver, what the model is right about. regloom-run puts the model in the "
	     "GPU's "
	     "place:\n"
	     "  regloom-run --machine rtx3080 --rf baseline --sm 86 regloom-gpu COMMAND ...\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].what);
	puts("  --help     this text; regloom-gpu COMMAND --help tells more\n"
	     "  --version  the version");
}

static void command_help(const struct command *c)
{
	printf("usage: regloom-gpu %s [OPTIONS]\n\n%s\n\n", c->name, c->what);
	options_help(stdout, &table, c->of);
	printf("\nexamples:\n%s\n\n"
	       "exit status: 0 fine, 1 no device, it failed, or a difference, 2 wrong usage, 3 a bug, 4 out of "
	       "memory\n",
	       c->example);
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct options o = { .command = c->name, .table = &table, .of = c->of, .inputs = c->inputs };
	const char *wrong;
	struct arena a;
	struct diag d;
	int code;

	arena_init(&a);
	diag_init(&d, stderr);
	o.a = &a;
	wrong = options_parse(&o, argc, argv);
	if (wrong) {
		code = usage_error("regloom-gpu", c->name, "%s", wrong);
	} else if (o.given[OPT_HELP]) {
		command_help(c);
		code = EXIT_FINE;
	} else {
		code = c->run(&o, &a, &d);
		say_progress(NULL);
	}
	diag_free(&d);
	arena_free(&a);
	return code;
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return usage_error("regloom-gpu", "", "%s", "which command?");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help();
		return EXIT_FINE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("regloom-gpu (regloom) " REGLOOM_VERSION);
		return EXIT_FINE;
	}
	for (unsigned i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return run_command(&commands[i], argc - 2, argv + 2);
	return argv[1][0] == '-' ? usage_error("regloom-gpu", "", "unknown option '%s'", argv[1])
				 : usage_unknown("regloom-gpu", "", "no command '%s'", argv[1], command_name, COMMANDS);
}

int main(int argc, char **argv)
{
	int code;

	signals_end();
	ram_limit(ram_share());
	ram_tidy(outfile_abandon);
	code = ram_exit(stack_main(dispatch, argc, argv));
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("regloom-gpu: cannot write to standard output\n", stderr);
		return code == EXIT_FINE ? EXIT_INPUT : code;
	}
	return code;
}

/* sm-model list: what can be chosen and what is measured. */
#include "runtime-model/cli/command.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/energy.h"
#include "runtime-model/core/machine_file.h"
#include "runtime-model/run/run.h"

#include <string.h>

static void list_metrics(FILE *f)
{
	stats_list(f);
	run_metric_list(f);
}

static void list_energy(FILE *f) { energy_list(f, NULL); }

static const struct {
	const char *name, *what;
	void (*print)(FILE *);
} topics[] = {
	{ "machines", "the modelled GPUs; with the name of one, its numbers and their sources", params_list_machines },
	{ "rf", "register-file configurations: presets, axes and their values", rf_config_list },
	{ "parameters", "what --set may change", params_list },
	{ "energy", "energy cost tables; with the name of one, it alone", list_energy },
	{ "metrics", "what a run counts", list_metrics },
};
enum { TOPICS = sizeof topics / sizeof *topics };
static const char *topic_name(unsigned i) { return topics[i].name; }

/* The machine and the configuration that it has by itself, as run --dump-config prints them. */
static int list_machine(const char *name)
{
	struct rf_config rf;
	struct params p;
	struct arena a;
	struct diag d;
	bool ok;

	arena_init(&a);
	diag_init(&d, stderr);
	d.program = "sm-model";
	ok = machine_read(&p, name, &a, &d) && rf_config_parse(&rf, "baseline", &p, &d);
	if (ok) {
		params_print(stdout, &p);
		rf_config_print(stdout, &rf, &p);
	}
	diag_free(&d);
	arena_free(&a);
	if (ok)
		return EXIT_FINE;
	return machine_is_file(name) ? EXIT_INPUT : EXIT_USAGE;
}

static int list_energy_table(const char *name)
{
	const struct energy_table *t;
	struct diag d;

	diag_init(&d, stderr);
	d.program = "sm-model";
	t = energy_named(name, &d);
	if (t)
		energy_list(stdout, t);
	diag_free(&d);
	return t ? EXIT_FINE : EXIT_USAGE;
}

static void help_list(void)
{
	puts("usage: sm-model list [TOPIC]\n       sm-model list machines NAME\n       sm-model list energy NAME\n\n"
	     "Prints what can be chosen and what is measured; all topics if none is named:");
	for (unsigned i = 0; i < TOPICS; i++)
		printf("  %-10s %s\n", topics[i].name, topics[i].what);
	puts("\nexamples:\n  sm-model list rf\n  sm-model list machines corf\n  sm-model list parameters | grep l1_");
}

int command_list(int argc, char **argv)
{
	unsigned i = TOPICS;

	if (argc && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
		help_list();
		return EXIT_FINE;
	}
	if (argc == 2 && strcmp(argv[0], "machines") == 0)
		return list_machine(argv[1]);
	if (argc == 2 && strcmp(argv[0], "energy") == 0)
		return list_energy_table(argv[1]);
	if (argc > 1)
		return usage("list", "one topic at a time: unexpected '%s'", argv[1]);
	if (argc) {
		for (i = 0; i < TOPICS && strcmp(argv[0], topics[i].name) != 0; i++)
			;
		if (i == TOPICS)
			return usage_unknown("sm-model", "list", "no topic '%s'", argv[0], topic_name, TOPICS);
		topics[i].print(stdout);
		return EXIT_FINE;
	}
	for (i = 0; i < TOPICS; i++) {
		if (i)
			putchar('\n');
		topics[i].print(stdout);
	}
	return EXIT_FINE;
}

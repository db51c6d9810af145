/* sm-model list: what can be chosen and what is measured. */
#include "runtime-model/cli/command.h"
#include "runtime-model/axis.h"
#include "runtime-model/energy.h"

#include <string.h>

static const struct { const char *name, *what; void (*print)(FILE *); } topics[] = {
	{ "rf", "register-file configurations: presets, axes and their values", rf_config_list },
	{ "machines", "machines and their parameters", params_list },
	{ "energy", "energy cost tables", energy_list },
	{ "metrics", "what a run counts", stats_list },
};
enum { TOPICS = sizeof topics / sizeof *topics };

int command_list(int argc, char **argv)
{
	unsigned i = TOPICS;

	if (argc && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
		puts("usage: sm-model list [TOPIC]\n\nPrints what can be chosen and what is measured; all topics if none is named:");
		for (i = 0; i < TOPICS; i++)
			printf("  %-10s %s\n", topics[i].name, topics[i].what);
		puts("\nexamples:\n  sm-model list rf\n  sm-model list machines | grep l1_");
		return EXIT_FINE;
	}
	if (argc > 1)
		return usage("list", "one topic at a time: unexpected '%s'", argv[1]);
	if (argc) {
		for (i = 0; i < TOPICS && strcmp(argv[0], topics[i].name) != 0; i++)
			;
		if (i == TOPICS)
			return usage("list", "no topic '%s'", argv[0]);
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

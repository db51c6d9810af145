/* Runs every Check suite: test/unit/t_NAME.c exports suite_NAME(); the list is generated from the files.
 * Arguments name suites to run; none: all. CK_FORK=no to debug. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#define SUITE(n) Suite *suite_##n(void);
#include "suites.def"
#undef SUITE

static const struct {
	const char *name;
	Suite *(*make)(void);
} suites[] = {
#define SUITE(n) { #n, suite_##n },
#include "suites.def"
#undef SUITE
};

enum { SUITES = sizeof suites / sizeof *suites };

/* The place of the suite of that name, or SUITES. */
static unsigned find(const char *name)
{
	unsigned i = 0;

	while (i < SUITES && strcmp(suites[i].name, name))
		i++;
	return i;
}

int main(int argc, char **argv)
{
	SRunner *run = srunner_create(NULL);
	int failed;

	for (int a = 1; a < argc; a++) {
		unsigned i = find(argv[a]);

		if (i == SUITES) {
			fprintf(stderr, "no suite '%s'; there are:", argv[a]);
			for (i = 0; i < SUITES; i++)
				fprintf(stderr, " %s", suites[i].name);
			fprintf(stderr, "\n");
			return 2;
		}
		srunner_add_suite(run, suites[i].make());
	}
	for (unsigned i = 0; argc < 2 && i < SUITES; i++)
		srunner_add_suite(run, suites[i].make());
	srunner_run_all(run, CK_ENV);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}

/* Runs every Check suite: test/unit/t_NAME.c exports suite_NAME(); the list is generated from the files.
 * Arguments name suites to run; none: all. CK_FORK=no to debug. */
#include <check.h>
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

int main(int argc, char **argv)
{
	SRunner *run = srunner_create(NULL);
	int failed;

	for (unsigned i = 0; i < sizeof suites / sizeof *suites; i++) {
		int wanted = argc < 2;

		for (int a = 1; a < argc; a++)
			wanted |= strcmp(argv[a], suites[i].name) == 0;
		if (wanted)
			srunner_add_suite(run, suites[i].make());
	}
	srunner_run_all(run, CK_ENV);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}

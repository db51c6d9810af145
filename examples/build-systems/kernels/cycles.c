/* cycles OBJECT LAUNCH: runs annotated kernels through the library and prints the cycles. */
#include <regloom.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct regloom_result *r = NULL;
	char *error = NULL;
	int ok;

	if (argc != 3) {
		fputs("usage: cycles OBJECT LAUNCH\n", stderr);
		return 2;
	}
	if (regloom_run(argv[1], argv[2], NULL, &r, &error) != REGLOOM_OK) {
		fputs(error, stderr);
		regloom_string_free(error);
		return 1;
	}
	printf("%s: %s, %.0f cycles\n", argv[1], regloom_result_check(r), regloom_result_value(r, "cycles"));
	ok = strcmp(regloom_result_check(r), "pass") == 0;
	regloom_result_free(r);
	return !ok;
}

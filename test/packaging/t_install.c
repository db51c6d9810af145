/* A program of someone else: it sees the installed header and library alone. t_install EXAMPLES CUBIN WORK [comma]
 * annotates an example, runs it, also as machine code, and makes each kind of mistake once; with "comma" in the user's
 * locale, which writes 0,5. */
#include <regloom.h>

#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int failed;

/* error: what the call in OK set, or NULL; freed here. */
static void expect(int ok, const char *what, char **error)
{
	if (!ok) {
		printf("FAIL  %s%s%s\n", what, error && *error ? ": " : "", error && *error ? *error : "");
		failed = 1;
	}
	if (error) {
		regloom_string_free(*error);
		*error = NULL;
	}
}

static void annotate(const char *ptx, const char *rlo, const char *listing)
{
	struct regloom_annotate_options o = REGLOOM_ANNOTATE_OPTIONS;
	char *error = NULL;

	expect(regloom_annotate(ptx, rlo, NULL, &error) == REGLOOM_OK && !error, "annotate", &error);
	o.emit = "listing";
	o.maxreg = 16;
	o.check = 1;
	expect(regloom_annotate(ptx, listing, &o, &error) == REGLOOM_OK && !error, "listing at 16 registers", &error);
	o.maxreg = 3;
	expect(regloom_annotate(ptx, listing, &o, &error) == REGLOOM_USAGE && error && strstr(error, "maxreg 3"),
	       "maxreg 3 is refused", &error);
	o.maxreg = 0;
	o.emit = "nonsense";
	expect(regloom_annotate(ptx, listing, &o, &error) == REGLOOM_USAGE && error && strstr(error, "nonsense"),
	       "an unknown view is refused", &error);
	expect(regloom_annotate("/nonexistent.ptx", rlo, NULL, &error) == REGLOOM_INPUT && error &&
		       strstr(error, "cannot open"),
	       "a missing file is reported", &error);
	o = (struct regloom_annotate_options)REGLOOM_ANNOTATE_OPTIONS;
	o.size = offsetof(struct regloom_annotate_options, input);
	o.input = "not known to a caller of version 0.1.0";
	expect(regloom_annotate(ptx, rlo, &o, &error) == REGLOOM_OK && !error, "the options of the first version",
	       &error);
	o.size = sizeof o;
	expect(regloom_annotate(ptx, rlo, &o, &error) == REGLOOM_USAGE && error && strstr(error, "not known"),
	       "an unknown kind is refused", &error);
	o.input = "ptx";
	o.sm = "80";
	expect(regloom_annotate(ptx, rlo, &o, &error) == REGLOOM_INPUT && error && strstr(error, "--sm"),
	       "PTX has its architecture", &error);
	o.sm = "eighty";
	expect(regloom_annotate(ptx, rlo, &o, &error) == REGLOOM_USAGE && error && strstr(error, "eighty"),
	       "a wrong architecture is refused", &error);
	o.sm = NULL;
	o.optimise = "4";
	expect(regloom_annotate(ptx, rlo, &o, &error) == REGLOOM_USAGE && error && strstr(error, "level"),
	       "a wrong level is refused", &error);
	expect(regloom_annotate("-", rlo, NULL, NULL) == REGLOOM_USAGE, "standard input is refused", NULL);
}

static void run(const char *rlo, const char *launch)
{
	struct regloom_run_options o = REGLOOM_RUN_OPTIONS;
	struct regloom_result *r = NULL;
	const char *set[] = { "rf_banks=8" };
	char *error = NULL;

	expect(regloom_run(rlo, launch, NULL, &r, &error) == REGLOOM_OK && r, "run", &error);
	if (r) {
		expect(strcmp(regloom_result_check(r), "pass") == 0, "the result is right", NULL);
		expect(regloom_result_value(r, "cycles") > 0, "cycles are counted", NULL);
		expect(regloom_result_unit(r, "cycles") && strcmp(regloom_result_unit(r, "cycles"), "cycles") == 0,
		       "and have a unit", NULL);
		expect(isnan(regloom_result_value(r, "nonsense")) && !regloom_result_unit(r, "nonsense"),
		       "an unknown metric is not a number", NULL);
		expect(strstr(regloom_result_json(r), "\"rf_reads\"") != NULL, "the JSON has the metrics", NULL);
		printf("%s: %.0f cycles, regloom %s\n", launch, regloom_result_value(r, "cycles"), regloom_version());
	}
	regloom_result_free(r);
	o.functional = 1;
	o.checked = 1;
	expect(regloom_run(rlo, launch, &o, &r, &error) == REGLOOM_OK && r &&
		       strcmp(regloom_result_check(r), "pass") == 0,
	       "functional run", &error);
	regloom_result_free(r);
	o.functional = o.checked = 0;
	o.set = set;
	o.nset = 1;
	expect(regloom_run(rlo, launch, &o, &r, &error) == REGLOOM_OK && r, "a parameter is set", &error);
	regloom_result_free(r);
	set[0] = "rf_banks=0";
	expect(regloom_run(rlo, launch, &o, &r, &error) == REGLOOM_USAGE && !r && error && strstr(error, "rf_banks"),
	       "its range is checked", &error);
	expect(regloom_run(launch, launch, NULL, &r, &error) == REGLOOM_INPUT && !r && error &&
		       strstr(error, "not an ELF file"),
	       "an object is wanted", &error);
}

/* Machine code instead of an object. */
static void run_native(const char *cubin, const char *launch)
{
	struct regloom_run_options o = REGLOOM_RUN_OPTIONS;
	struct regloom_result *r = NULL;
	char *error = NULL;

	o.rf = "corf";
	o.checked = 1;
	expect(regloom_run(cubin, launch, &o, &r, &error) == REGLOOM_OK && r, "machine code runs", &error);
	if (r) {
		expect(strcmp(regloom_result_check(r), "pass") == 0, "its result is right", NULL);
		expect(regloom_result_value(r, "cycles") > 0, "its cycles are counted", NULL);
	}
	regloom_result_free(r);
	o.functional = 1;
	expect(regloom_run(cubin, launch, &o, &r, &error) == REGLOOM_OK && r &&
		       strcmp(regloom_result_check(r), "pass") == 0,
	       "functional run of machine code", &error);
	regloom_result_free(r);
}

static void compare(const char *rlo, const char *launch)
{
	const char *which[] = { "baseline", "issue=lrr,rf_banks=4", "threads_per_sm=32,name=tiny" };
	struct regloom_run_options o = REGLOOM_RUN_OPTIONS;
	struct regloom_result *r = NULL;
	char *error = NULL;

	expect(regloom_compare(rlo, launch, NULL, which, 3, &r, &error) == REGLOOM_OK && r, "compare", &error);
	if (r) {
		expect(strcmp(regloom_result_check(r), "pass") == 0, "the result is right", NULL);
		expect(regloom_result_value_of(r, 0, "cycles") == regloom_result_value(r, "cycles"),
		       "the first is the result's", NULL);
		expect(regloom_result_value_of(r, 1, "rf_bank_conflicts") >
			       regloom_result_value_of(r, 0, "rf_bank_conflicts"),
		       "fewer banks conflict more", NULL);
		expect(isnan(regloom_result_value_of(r, 2, "cycles")) && isnan(regloom_result_value_of(r, 3, "cycles")),
		       "one that fails has no numbers", NULL);
		expect(strstr(regloom_result_json(r), "\"tiny\"") != NULL, "the JSON has its name", NULL);
	}
	regloom_result_free(r);
	expect(regloom_compare(rlo, launch, NULL, which, 1, &r, &error) == REGLOOM_USAGE && !r && error,
	       "one is too few", &error);
	which[1] = "nonsense=1";
	expect(regloom_compare(rlo, launch, NULL, which, 2, &r, &error) == REGLOOM_USAGE && !r && error &&
		       strstr(error, "nonsense"),
	       "an unknown item is refused", &error);
	o.rf = "baseline";
	expect(regloom_compare(rlo, launch, &o, which, 2, &r, &error) == REGLOOM_USAGE && !r && error, "rf is refused",
	       &error);
}

/* Numbers in PTX have a point, whatever the program writes. */
static void numbers(const char *ptx, const char *listing, const char *point)
{
	struct regloom_annotate_options o = REGLOOM_ANNOTATE_OPTIONS;
	char *error = NULL, text[4096] = "";
	FILE *f = fopen(ptx, "w");

	fputs(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry half(.param .u64 p)\n"
	      "{ .reg .b64 %d; .reg .f32 %f; ld.param.u64 %d, [p]; mov.f32 %f, 0.5; st.global.f32 [%d], %f; ret; }\n",
	      f);
	fclose(f);
	o.emit = "listing";
	expect(regloom_annotate(ptx, listing, &o, &error) == REGLOOM_OK && !error, "a decimal", &error);
	f = fopen(listing, "r");
	expect(f && fread(text, 1, sizeof text - 1, f) && strstr(text, "0f3F000000"), "is 0.5", NULL);
	fclose(f);
	expect(strcmp(localeconv()->decimal_point, point) == 0, "the program's locale stays", NULL);
}

int main(int argc, char **argv)
{
	char ptx[1024], rlo[1024], listing[1024], launch[1024], half[1024];

	if (argc != 4 && (argc != 5 || strcmp(argv[4], "comma") != 0 || !setlocale(LC_ALL, ""))) {
		fprintf(stderr, "usage: t_install EXAMPLES CUBIN WORK [comma]\n");
		return 2;
	}
	snprintf(ptx, sizeof ptx, "%s/saxpy/saxpy.ptx", argv[1]);
	snprintf(launch, sizeof launch, "%s/saxpy/saxpy.yaml", argv[1]);
	snprintf(rlo, sizeof rlo, "%s/api.rlo", argv[3]);
	snprintf(listing, sizeof listing, "%s/api.lst", argv[3]);
	annotate(ptx, rlo, listing);
	run(rlo, launch);
	run_native(argv[2], launch);
	compare(rlo, launch);
	snprintf(half, sizeof half, "%s/half.ptx", argv[3]);
	numbers(half, listing, argc == 5 ? "," : ".");
	return failed;
}

/* sm-model usage: how often values are read, how soon, and by which units. */
#include "runtime-model/cli/command.h"
#include "analyzer/base/kernel_name.h"
#include "analyzer/base/outfile.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/cli/follow.h"

#include <inttypes.h>
#include <string.h>

static struct usage total(const struct run *r)
{
	struct usage sum = { 0 };

	for (unsigned k = 0; k < r->nkernel; k++)
		usage_add(&sum, &r->usage[k]);
	return sum;
}

static void report(FILE *f, const struct run *r, bool per_kernel, struct arena *a)
{
	struct usage sum = total(r);

	fprintf(f, "kernel   %s\n", run_kernel_names(r, a));
	run_print_launches(f, r, NULL);
	run_print_result(f, r);
	fputc('\n', f);
	usage_print(f, &sum);
	for (unsigned k = 0; per_kernel && k < r->nkernel; k++) {
		fprintf(f, "\nkernel   %s\n", kernel_name(r->kernel[k], a));
		usage_print(f, &r->usage[k]);
	}
}

static json_t *report_json(const struct run *r)
{
	json_t *o = run_json_result(r, "regloom-usage-1", NULL), *kernels = json_object();
	struct usage sum = total(r);

	for (unsigned k = 0; k < r->nkernel; k++)
		json_object_set_new(kernels, r->kernel[k], usage_json(&r->usage[k]));
	if (!o || !kernels || json_object_set_new(o, "total", usage_json(&sum)) != 0) {
		json_decref(kernels);
		json_decref(o);
		return NULL;
	}
	json_object_set_new(o, "kernels", kernels);
	return o;
}

static void path_step(void *ctx, const struct kernel *k, unsigned launch, uint64_t round, uint32_t insn)
{
	fprintf(ctx, "%u,%" PRIu64 ",%s,%" PRIu32 "\n", launch, round, k->name, insn);
}

static int usage_object(const struct options *args, struct arena *a, struct diag *d)
{
	struct run_options o = { .usage = true };
	bool to_stdout = given(args, OPT_JSON) && strcmp(value_of(args, OPT_JSON), "-") == 0;
	struct launch_file *f = launch_read(value_of(args, OPT_LAUNCH), a, d);
	struct module *m = f ? object_read(args, f, a, d) : NULL;
	struct run r = { 0 };
	int code = EXIT_INPUT;
	struct run_path path = { .thread = args->number[OPT_PATH_THREAD], .step = path_step };
	struct outfile steps = { 0 };
	struct follow follow;
	bool ok;

	if (!m || (given(args, OPT_JSON) && !can_write(value_of(args, OPT_JSON), a, d)))
		return EXIT_INPUT;
	if (given(args, OPT_PATH)) {
		if (!outfile_open(&steps, value_of(args, OPT_PATH), a, d))
			return EXIT_INPUT;
		fputs("launch,round,kernel,instruction\n", steps.f);
		path.ctx = steps.f;
		o.path = &path;
		to_stdout |= strcmp(value_of(args, OPT_PATH), "-") == 0;
	}
	o.print = to_stdout ? stderr : stdout;
	follow_begin(&follow, args, &o);
	ok = run_launches(&r, m, f, &o, a, d);
	follow_end(&follow);
	if (ok) {
		int stopped = follow_verdict(&r, a);

		if (given(args, OPT_QUIET))
			run_print_failures(stderr, &r);
		else
			report(o.print, &r, given(args, OPT_PER_KERNEL), a);
		if (o.path && run_stop_why(&r))
			fprintf(steps.f, "partial,,%s,\n", run_stop_why(&r));
		ok = !o.path || outfile_commit(&steps);
		ok = (!given(args, OPT_JSON) || run_write_json(report_json(&r), value_of(args, OPT_JSON), a, d)) && ok;
		code = ok && r.check != CHECK_FAIL && !diag_failed(d) ? stopped : EXIT_INPUT;
	}
	if (o.path)
		outfile_discard(&steps);
	run_free(&r);
	return code;
}

static void help_usage(void)
{
	puts("usage: sm-model usage OBJECT --launch FILE [options]\n\n"
	     "Executes the kernels of an annotated object or a cubin, without timing, and shows what becomes of the "
	     "values that "
	     "threads write\n"
	     "to 32-bit registers: how often each is read before it is overwritten, how many instructions after it was "
	     "written the\n"
	     "only reader of a value comes, and how many values units read that lanes share (memory, textures, special "
	     "functions).\n");
	show_options(USAGE);
	puts("\nexamples:\n"
	     "  sm-model usage sgemm.rlo --launch examples/sgemm/sgemm.yaml\n"
	     "      of all kernels together\n"
	     "  sm-model usage lud.rlo --launch examples/lud/lud.yaml --per-kernel --json lud.json\n"
	     "      and of each; the numbers as JSON\n"
	     "  sm-model usage lud.rlo --launch examples/lud/lud.yaml --path path.csv --path-thread 40\n"
	     "      which instructions the thread with that number executes\n\n"
	     "exit status: as of sm-model run");
}

int command_usage(int argc, char **argv)
{
	const struct command c = { "usage", USAGE, help_usage, options_check, usage_object };

	return options_execute(&c, argc, argv);
}

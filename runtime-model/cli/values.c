/* sm-model values: how alike the values of a warp's lanes are, and what fewer lanes could execute. */
#include "runtime-model/cli/command.h"
#include "analyzer/base/kernel_name.h"
#include "analyzer/elf/rlo.h"
#include "passes/pass.h"
#include "passes/uniform.h"
#include "runtime-model/cli/follow.h"

#include <string.h>

static void print_apart(FILE *f, const struct run *r, struct arena *a)
{
	for (unsigned i = 0; i < r->f->nlaunch; i++) {
		const struct kernel *k = r->similar[r->launch[i].kernel].k;
		const uint32_t *b = r->f->launch[i].block;

		if (r->launch[i].rounds && k->facts & FACT_UNIFORM && !uniform_holds(k->uniform, b))
			fprintf(f,
				"  launch %u, %s in blocks of %u,%u,%u: annotated for blocks of %u,%u,%u, so nothing "
				"of this launch is compared\n",
				i, kernel_name(k->name, a), b[0], b[1], b[2], k->uniform->block[0],
				k->uniform->block[1], k->uniform->block[2]);
	}
}

static void report(FILE *f, const struct run *r, const struct options *args, struct arena *a)
{
	unsigned lanes = r->opt.similar;

	fprintf(f, "kernel   %s\n", run_kernel_names(r, a));
	run_print_launches(f, r, NULL);
	run_print_result(f, r);
	fputc('\n', f);
	similar_print(f, r->similar, r->nkernel, lanes);
	print_apart(f, r, a);
	for (unsigned k = 0; k < r->nkernel; k++) {
		if (given(args, OPT_PER_KERNEL)) {
			fprintf(f, "\nkernel   %s\n", kernel_name(r->kernel[k], a));
			similar_print(f, &r->similar[k], 1, lanes);
		}
		if (given(args, OPT_BY_LINE)) {
			fputc('\n', f);
			similar_print_lines(f, r->m, &r->similar[k]);
		}
	}
	if (given(args, OPT_BY_LINE)) {
		fputc('\n', f);
		similar_print_legend(f);
	}
}

static json_t *report_json(const struct run *r, bool lines)
{
	json_t *o = run_json_result(r, "regloom-values-1", NULL), *kernels = json_object();

	for (unsigned k = 0; k < r->nkernel; k++) {
		json_t *x = similar_json(&r->similar[k], 1, r->opt.similar);

		if (x && lines)
			json_object_set_new(x, "lines", similar_lines_json(r->m, &r->similar[k]));
		json_object_set_new(kernels, r->kernel[k], x);
	}
	if (!o || !kernels ||
	    json_object_set_new(o, "total", similar_json(r->similar, r->nkernel, r->opt.similar)) != 0) {
		json_decref(kernels);
		json_decref(o);
		return NULL;
	}
	json_object_set_new(o, "kernels", kernels);
	return o;
}

static int values_object(const struct options *args, struct arena *a, struct diag *d)
{
	struct run_options o = { .similar = (unsigned)args->number[OPT_WARP], .proofs = given(args, OPT_PROOFS) };
	bool to_stdout = given(args, OPT_JSON) && strcmp(value_of(args, OPT_JSON), "-") == 0;
	struct launch_file *f = launch_read(value_of(args, OPT_LAUNCH), a, d);
	struct module *m = f ? object_read(args, f, a, d) : NULL;
	struct run r = { 0 };
	int code = EXIT_INPUT;
	struct follow follow;
	bool ok;

	if (!m || (given(args, OPT_JSON) && !can_write(value_of(args, OPT_JSON), a, d)))
		return EXIT_INPUT;
	o.print = to_stdout ? stderr : stdout;
	follow_begin(&follow, args, &o);
	ok = run_launches(&r, m, f, &o, a, d);
	follow_end(&follow);
	if (ok) {
		int stopped = follow_verdict(&r, a);

		if (given(args, OPT_QUIET))
			run_print_failures(stderr, &r);
		else
			report(o.print, &r, args, a);
		ok = !given(args, OPT_JSON) ||
		     run_write_json(report_json(&r, given(args, OPT_BY_LINE)), value_of(args, OPT_JSON), a, d);
		code = ok && r.check != CHECK_FAIL && !diag_failed(d) ? stopped : EXIT_INPUT;
	}
	run_free(&r);
	return r.bug ? EXIT_INTERNAL : code;
}

static void help_values(void)
{
	puts("usage: sm-model values OBJECT --launch FILE [options]\n\n"
	     "Executes the kernels of an annotated object or a cubin, without timing, and shows how alike the values "
	     "of a warp's "
	     "lanes are: how many\n"
	     "instructions are divergent; how many bytes the lanes of the registers read share; which instructions one "
	     "lane could\n"
	     "execute for all, or for a half of the warp; what registers take if they are compressed; and how much of "
	     "it the object proves.\n"
	     "What the object proves is compared with what is seen: of the registers written, those the same in a "
	     "warp, affine, and with which\n"
	     "stride; with --proofs all of it. Launches in blocks that the object is not annotated for are named, and "
	     "not compared.\n");
	show_options(VALUES);
	puts("\nexamples:\n"
	     "  sm-model values sgemm.rlo --launch examples/sgemm/sgemm.yaml\n"
	     "      of all kernels together\n"
	     "  sm-model values lud.rlo --launch examples/lud/lud.yaml --per-kernel --by-line --json lud.json\n"
	     "      and of each, with its source lines; the numbers as JSON\n"
	     "  sm-model values lud.rlo --launch examples/lud/lud.yaml --warp 64\n"
	     "      as if warps had 64 lanes\n\n"
	     "exit status: as of sm-model run; 1 also where a value contradicts what the object proves of it");
}

int command_values(int argc, char **argv)
{
	const struct command c = { "values", VALUES, help_values, options_check, values_object };

	return options_execute(&c, argc, argv);
}

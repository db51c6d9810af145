/* The table of options, and the arguments read by it. */
#include "analyzer/cli/options.h"

#include "analyzer/base/text.h"

#include <stdio.h>
#include <string.h>

const struct option_row options[OPT_COUNT] = {
	[OPT_OUTPUT] = { "output", "FILE", "where to write; '-': standard output", 'o' },
	[OPT_EMIT] = { "emit", "VIEW", "what to write, see below", 0 },
	[OPT_INPUT] = { "input", "KIND", "what INPUT is, see below", 0 },
	[OPT_MODULE] = { "module", "N", "the module of a fatbin, numbered as --list does", 0 },
	[OPT_CODE] = { "code", "KIND", "of a fatbin 'ptx' or 'sass', machine code (default: PTX where there is any)",
		       0 },
	[OPT_SM] = { "sm", "ARCH", "compile LLVM IR for it, or choose a fatbin's code for it: 80, sm_90a", 0 },
	[OPT_LEVEL] = { "optimise", "LEVEL", "what LLVM does with its IR, 0 to 3 (default: 2)", 'O' },
	[OPT_SAVE_PTX] = { "save-ptx", "FILE", "write the PTX that LLVM made, or that was chosen from a fatbin", 0 },
	[OPT_LIST] = { "list", NULL, "say what a fatbin, an executable or a cubin holds, do nothing else", 0 },
	[OPT_JSON] = { "json", NULL, "the list of --list, or what --check or --diff found, as JSON", 0 },
	[OPT_KERNEL] = { "kernel", "NAME", "only this kernel", 0 },
	[OPT_MAXREG] = { "maxreg", "N", "general registers a thread may use, 8 to 254 (default: 63)", 0 },
	[OPT_INLINE] = { "inline", "N",
			 "inline calls while a body stays under N instructions; 0: call all (default: 10000)", 0 },
	[OPT_NO_FOLD] = { "no-fold", NULL, "an instruction for each of the input's: fold nothing, remove nothing", 0 },
	[OPT_NO_SCHEDULE] = { "no-schedule", NULL, "keep the order of the instructions", 0 },
	[OPT_SCHEDULE] = { "schedule", "WAY",
			   "reorder within blocks: 'latency' (default), 'orf' for short ranges of values, or 'none'",
			   0 },
	[OPT_PAIRS] = { "pairs", "WAY", "how CORF's pairs of registers are chosen, see below", 0 },
	[OPT_ALIGN] = { "align", "WAY", "how CORF++'s alignment of registers is chosen, see below", 0 },
	[OPT_ALIGN_TIME] = { "align-time", "S", "seconds for --align=exact in each kernel, about (default: 10)", 0 },
	[OPT_GRAPH] = { "graph", "GRAPH", "what --emit=dot draws, see below", 0 },
	[OPT_TECHNIQUES] = { "techniques", NULL,
			     "views of a cubin, and --diff, show also what register files of papers would do with the "
			     "code: strands, ORF, CORF, RegMutex; options of theirs say so too",
			     0 },
	[OPT_ORF] = { "orf", "ORG", "whose places listing and picture show, see below (default: split-lrf+orf)", 0 },
	[OPT_ORF_ENTRIES] = { "orf-entries", "N",
			      "entries of the operand register file (ORF) for each thread, 1 to 8 (default: 3)", 0 },
	[OPT_ORF_WARPS] = { "orf-warps", "N",
			    "active warps that have entries, 1 to 64: what an access costs (default: 8)", 0 },
	[OPT_ORF_COST_ENTRIES] = { "orf-cost-entries", "N", "let an access cost what it does with N entries", 0 },
	[OPT_NO_ORF_PARTIAL] = { "no-orf-partial", NULL, "all reads of a value from the ORF, or none", 0 },
	[OPT_NO_ORF_READ_OPERANDS] = { "no-orf-read-operands", NULL,
				       "only results go to the ORF, not operands that are read", 0 },
	[OPT_NO_ORF_BRANCHES] = { "no-orf-branches", NULL, "no value stays in the ORF past a branch", 0 },
	[OPT_ORF_WRITES] = { "orf-writes", "WAY", "which levels a result may be written to, see below", 0 },
	[OPT_ORF_RANGES] = { "orf-ranges", "WAY", "where a value takes an entry, see below", 0 },
	[OPT_ORF_WEIGHTS] = { "orf-weights", "WAY", "how often an instruction counts, see below", 0 },
	[OPT_ORF_NEVER_FLUSH] = { "orf-never-flush", NULL,
				  "a warp that waits for memory keeps its entries (limit study)", 0 },
	[OPT_ORF_EXACT] = { "orf-exact", "[S]",
			    "the best allocation, or what is found in S seconds for each kernel (default: 10)", 0 },
	[OPT_REGMUTEX] = { "regmutex", "N",
			   "registers that warps share in turn (RegMutex): N of them, 'off', 'paper' (the paper's "
			   "rule), or 'auto' (default)",
			   0 },
	[OPT_REGMUTEX_PLACE] = { "regmutex-place", "WAY", "where they are acquired and released, see below", 0 },
	[OPT_REGMUTEX_LIVENESS] = { "regmutex-liveness", "WAY", "which registers count as needed, see below", 0 },
	[OPT_REGMUTEX_EXACT] = { "regmutex-exact", "[S]",
				 "the fewest MOVs, or what is found in S seconds for each kernel (default: 10)", 0 },
	[OPT_REGMUTEX_KERNEL] = { "regmutex-kernel", "NAME", "the kernel that --regmutex=N is for; others 'auto'", 0 },
	[OPT_REGMUTEX_RULES] = { "regmutex-rules", "on|off", "off: do not rule out what may deadlock at barriers", 0 },
	[OPT_MACHINE] = { "machine", "NAME",
			  "the machine whose occupancy counts (default: gtx480, of a cubin its own GPU): one of "
			  "sm-model list machines, or a GPU, sm_75 to sm_121",
			  0 },
	[OPT_SET] = { "set", "NAME=VALUE", "change a parameter of it, rf_registers=16384; may be repeated", 0 },
	[OPT_LAUNCH] = { "launch", "FILE",
			 "a launch file: block, grid and parameters of each kernel's first launch, for trip counts, "
			 "occupancy and proofs of values",
			 0 },
	[OPT_BLOCK] = { "block", "X[,Y[,Z]]", "threads of a block in all launches, likewise", 0 },
	[OPT_GRID] = { "grid", "X[,Y[,Z]]", "blocks of the grid, likewise", 0 },
	[OPT_PARAM] = { "param", "NAME=VALUE", "an integer parameter, likewise; may be repeated", 0 },
	[OPT_PROFILE] = { "profile", "FILE", "block weights that sm-model run --profile=FILE counted", 0 },
	[OPT_DUMP] = { "dump", "PASS", "write the kernels after each run of PASS, instead of a view", 0 },
	[OPT_VERIFY] = { "verify-passes", NULL, "check every pass with its independent oracle; slow", 0 },
	[OPT_CHECK] = { "check", "LIST",
			"limits that every kernel must keep, see below; may be repeated, and takes several inputs", 0 },
	[OPT_CHECK_FILE] = { "check-file", "FILE", "likewise, a list a line; '#' begins a comment", 0 },
	[OPT_DIFF] = { "diff", NULL, "compare the kernels of two inputs, OLD and NEW", 0 },
	[OPT_DIFF_FAIL] = { "diff-fail", "LIST", "which figures must not get worse, see below: names, 'all' or 'none'",
			    0 },
	[OPT_ALL] = { "all", NULL, "of --diff, what is the same as well", 0 },
	[OPT_FRESH] = { "fresh", NULL, "leave the annotations of a cubin unread: analyse its code anew", 0 },
	[OPT_SOURCE_DIR] = { "source-dir", "DIR",
			     "show lines of source files under DIR too, besides those under the input's "
			     "folder and the current one; may be repeated",
			     0 },
	[OPT_TIME] = { "time-passes", NULL, "print the time of each pass on standard error", 0 },
	[OPT_MEMORY] = { "max-memory", "MIB",
			 "end for lack of memory beyond so much (0: never; default: 3/4 of the machine's)", 0 },
	[OPT_QUIET] = { "quiet", NULL, "no summary after writing an object", 'q' },
	[OPT_ISA] = { "isa", NULL, "list the PTX instructions that are supported, and why others are not", 0 },
	[OPT_VERSION] = { "version", NULL, "print the version", 0 },
	[OPT_HELP] = { "help", NULL, "this text", 'h' },
};

int usage(const char *what, const char *arg)
{
	struct arena a;

	arena_init(&a);
	fputs("ptx-annotate: error: ", stderr);
	fprintf(stderr, what, text_shown(&a, arg, strlen(arg), ""));
	fputs("; see ptx-annotate --help\n", stderr);
	arena_free(&a);
	return EXIT_USAGE;
}

int usage_name(const char *what, const char *given, near_name *name, unsigned n)
{
	struct arena a;
	int code;

	arena_init(&a);
	code = usage("%s", arena_printf(&a, "%s: %s", arena_printf(&a, what, given), near_list(given, name, n, &a)));
	arena_free(&a);
	return code;
}

static int unknown_option(const char *arg)
{
	const char *name = arg + strspn(arg, "-");
	struct near near;
	struct arena a;
	int code;

	arena_init(&a);
	near_begin(&near, name, strcspn(name, "="));
	for (unsigned o = 0; o < OPT_COUNT; o++)
		near_offer(&near, options[o].name);
	code = usage("%s", near_meant(&near)
				   ? arena_printf(&a, "unknown option '%s'; did you mean --%s?", arg, near_meant(&near))
				   : arena_printf(&a, "unknown option '%s'", arg));
	arena_free(&a);
	return code;
}

/* "-emit=json": the whole name of an option behind one dash, which would be a letter's value. */
static bool one_dash(const char *arg)
{
	size_t n = strcspn(arg + 1, "=");

	for (unsigned o = 0; arg[1] != '-' && n > 1 && o < OPT_COUNT; o++)
		if (strlen(options[o].name) == n && strncmp(options[o].name, arg + 1, n) == 0)
			return true;
	return false;
}

static unsigned find_option(const char *arg, const char **value)
{
	size_t n;

	*value = NULL;
	if (arg[1] != '-') {
		for (unsigned o = 0; o < OPT_COUNT; o++)
			if (options[o].letter && arg[1] == options[o].letter) {
				*value = arg[2] ? arg + 2 : NULL;
				return o;
			}
		return OPT_COUNT;
	}
	n = strcspn(arg + 2, "=");
	for (unsigned o = 0; o < OPT_COUNT; o++)
		if (strlen(options[o].name) == n && strncmp(options[o].name, arg + 2, n) == 0) {
			*value = arg[2 + n] ? arg + 3 + n : NULL;
			return o;
		}
	return OPT_COUNT;
}

int parse_arguments(struct arguments *x, int argc, char **argv)
{
	bool plain = false; /* after "--" */

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value;
		unsigned o;

		if (!plain && strcmp(arg, "--") == 0) {
			plain = true;
			continue;
		}
		if (plain || arg[0] != '-' || !arg[1]) {
			if (x->ninput == INPUTS_MAX)
				return usage("more than 4096 inputs: '%s'", arg);
			x->input[x->ninput++] = arg;
			continue;
		}
		o = one_dash(arg) ? OPT_COUNT : find_option(arg, &value);
		if (o == OPT_COUNT)
			return unknown_option(arg);
		if (x->given[o] && o != OPT_PARAM && o != OPT_SET && o != OPT_CHECK && o != OPT_SOURCE_DIR)
			return usage("--%s is given twice", options[o].name);
		if (!options[o].arg && value)
			return usage("--%s takes no value", options[o].name);
		x->given[o] = true;
		x->value[o] = value;
		if (options[o].arg && *options[o].arg != '[' && !value) {
			if (++i == argc)
				return usage("--%s needs a value", options[o].name);
			x->value[o] = argv[i];
		}
		if (o == OPT_MEMORY && !ram_read_mib(x->value[o]))
			return usage("--max-memory wants a whole number of MiB, at most 1073741824, not '%s'",
				     x->value[o]);
		if (o == OPT_PARAM && x->nparam == FACTS_PARAM_MAX)
			return usage("%s", "more than 64 of --param");
		if (o == OPT_PARAM)
			x->param[x->nparam++] = x->value[o];
		if (o == OPT_SET && x->nset == SET_MAX)
			return usage("%s", "more than 64 of --set");
		if (o == OPT_SET)
			x->set[x->nset++] = x->value[o];
		if (o == OPT_SOURCE_DIR && !source_dir_add(x->sources, x->value[o]))
			return usage("--source-dir=%s is no folder, or the 65th", x->value[o]);
		if (o == OPT_CHECK && x->ncheck == CHECK_MAX)
			return usage("%s", "more than 64 of --check");
		if (o == OPT_CHECK)
			x->check[x->ncheck++] = x->value[o];
	}
	if (x->ninput > 1 && !x->given[OPT_CHECK] && !x->given[OPT_CHECK_FILE] && !x->given[OPT_DIFF])
		return usage("one input at a time: unexpected '%s'", x->input[1]);
	return EXIT_FINE;
}

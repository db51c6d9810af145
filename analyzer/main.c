/* ptx-annotate: reads PTX, LLVM IR or a fatbin's PTX, runs the register-file passes, writes annotated kernels. Exit codes:
 * 0 fine, 1 the input is wrong, 2 usage. */
#include "analyzer/lib/annotate.h"
#include "analyzer/lib/facts.h"
#include "analyzer/ptx/ptx.h"
#include "analyzer/base/near.h"
#include "passes/corf.h"
#include "runtime-model/launch_facts.h"
#include "runtime-model/params.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

enum exit_code { EXIT_FINE, EXIT_INPUT, EXIT_USAGE };

enum option {
	OPT_OUTPUT, OPT_EMIT, OPT_INPUT, OPT_KERNEL, OPT_MODULE, OPT_SM, OPT_LEVEL, OPT_SAVE_PTX, OPT_LIST, OPT_JSON,
	OPT_MAXREG, OPT_INLINE, OPT_NO_FOLD, OPT_NO_SCHEDULE, OPT_SCHEDULE, OPT_PAIRS, OPT_ALIGN, OPT_ALIGN_TIME, OPT_GRAPH,
	OPT_ORF, OPT_ORF_ENTRIES, OPT_ORF_WARPS, OPT_ORF_COST_ENTRIES, OPT_NO_ORF_PARTIAL, OPT_NO_ORF_READ_OPERANDS, OPT_NO_ORF_BRANCHES,
	OPT_ORF_WRITES, OPT_ORF_RANGES, OPT_ORF_WEIGHTS, OPT_ORF_NEVER_FLUSH, OPT_ORF_EXACT,
	OPT_REGMUTEX, OPT_REGMUTEX_PLACE, OPT_REGMUTEX_LIVENESS, OPT_REGMUTEX_KERNEL, OPT_REGMUTEX_EXACT, OPT_REGMUTEX_RULES, OPT_MACHINE, OPT_SET,
	OPT_LAUNCH, OPT_BLOCK, OPT_GRID, OPT_PARAM, OPT_PROFILE, OPT_DUMP, OPT_CHECK, OPT_TIME, OPT_QUIET, OPT_ISA, OPT_VERSION, OPT_HELP,
	OPT_COUNT
};
static const struct option_row { const char *name, *arg, *what; char letter; } options[OPT_COUNT] = {
	[OPT_OUTPUT]      = { "output", "FILE", "where to write; '-': standard output", 'o' },
	[OPT_EMIT]        = { "emit", "VIEW", "what to write, see below", 0 },
	[OPT_INPUT]       = { "input", "KIND", "what INPUT is, see below", 0 },
	[OPT_MODULE]      = { "module", "N", "the module of a fatbin, numbered as --list does", 0 },
	[OPT_SM]          = { "sm", "ARCH", "compile LLVM IR for it, or choose a fatbin's PTX for it: 80, sm_90a", 0 },
	[OPT_LEVEL]       = { "optimise", "LEVEL", "what LLVM does with its IR, 0 to 3 (default: 2)", 'O' },
	[OPT_SAVE_PTX]    = { "save-ptx", "FILE", "write the PTX that LLVM made, or that was chosen from a fatbin", 0 },
	[OPT_LIST]        = { "list", NULL, "say what a fatbin or an executable holds, do nothing else", 0 },
	[OPT_JSON]        = { "json", NULL, "the list as JSON", 0 },
	[OPT_KERNEL]      = { "kernel", "NAME", "only this kernel", 0 },
	[OPT_MAXREG]      = { "maxreg", "N", "general registers a thread may use, 8 to 254 (default: 63)", 0 },
	[OPT_INLINE]      = { "inline", "N", "inline calls while a body stays under N instructions; 0: call all (default: 10000)", 0 },
	[OPT_NO_FOLD]     = { "no-fold", NULL, "an instruction for each of the input's: fold nothing, remove nothing", 0 },
	[OPT_NO_SCHEDULE] = { "no-schedule", NULL, "keep the order of the instructions", 0 },
	[OPT_SCHEDULE]    = { "schedule", "WAY", "reorder within blocks: 'latency' (default), 'orf' for short ranges of values, or 'none'", 0 },
	[OPT_PAIRS]       = { "pairs", "WAY", "how CORF's pairs of registers are chosen, see below", 0 },
	[OPT_ALIGN]       = { "align", "WAY", "how CORF++'s alignment of registers is chosen, see below", 0 },
	[OPT_ALIGN_TIME]  = { "align-time", "S", "seconds for --align=exact in each kernel, about (default: 10)", 0 },
	[OPT_GRAPH]       = { "graph", "GRAPH", "what --emit=dot draws, see below", 0 },
	[OPT_ORF]         = { "orf", "ORG", "whose places listing and picture show, see below (default: split-lrf+orf)", 0 },
	[OPT_ORF_ENTRIES] = { "orf-entries", "N", "entries of the operand register file (ORF) for each thread, 1 to 8 (default: 3)", 0 },
	[OPT_ORF_WARPS]   = { "orf-warps", "N", "active warps that have entries, 1 to 32: what an access costs (default: 8)", 0 },
	[OPT_ORF_COST_ENTRIES] = { "orf-cost-entries", "N", "let an access cost what it does with N entries", 0 },
	[OPT_NO_ORF_PARTIAL] = { "no-orf-partial", NULL, "all reads of a value from the ORF, or none", 0 },
	[OPT_NO_ORF_READ_OPERANDS] = { "no-orf-read-operands", NULL, "only results go to the ORF, not operands that are read", 0 },
	[OPT_NO_ORF_BRANCHES] = { "no-orf-branches", NULL, "no value stays in the ORF past a branch", 0 },
	[OPT_ORF_WRITES]  = { "orf-writes", "WAY", "which levels a result may be written to, see below", 0 },
	[OPT_ORF_RANGES]  = { "orf-ranges", "WAY", "where a value takes an entry, see below", 0 },
	[OPT_ORF_WEIGHTS] = { "orf-weights", "WAY", "how often an instruction counts, see below", 0 },
	[OPT_ORF_NEVER_FLUSH] = { "orf-never-flush", NULL, "a warp that waits for memory keeps its entries (limit study)", 0 },
	[OPT_ORF_EXACT]   = { "orf-exact", "[S]", "the best allocation, or what is found in S seconds for each kernel (default: 10)", 0 },
	[OPT_REGMUTEX]    = { "regmutex", "N", "registers that warps share in turn (RegMutex): N of them, 'off', 'paper' (the paper's rule), or 'auto' (default)", 0 },
	[OPT_REGMUTEX_PLACE] = { "regmutex-place", "WAY", "where they are acquired and released, see below", 0 },
	[OPT_REGMUTEX_LIVENESS] = { "regmutex-liveness", "WAY", "which registers count as needed, see below", 0 },
	[OPT_REGMUTEX_EXACT] = { "regmutex-exact", "[S]", "the fewest MOVs, or what is found in S seconds for each kernel (default: 10)", 0 },
	[OPT_REGMUTEX_KERNEL] = { "regmutex-kernel", "NAME", "the kernel that --regmutex=N is for; others 'auto'", 0 },
	[OPT_REGMUTEX_RULES] = { "regmutex-rules", "on|off", "off: do not rule out what may deadlock at barriers", 0 },
	[OPT_MACHINE]     = { "machine", "NAME", "the machine whose occupancy counts (default: gtx480); sm-model list machines", 0 },
	[OPT_SET]         = { "set", "NAME=VALUE", "change a parameter of it, rf_registers=16384; may be repeated", 0 },
	[OPT_LAUNCH]      = { "launch", "FILE", "a launch file: block, grid and parameters of each kernel's first launch, for trip counts, occupancy and proofs of values", 0 },
	[OPT_BLOCK]       = { "block", "X[,Y[,Z]]", "threads of a block in all launches, likewise", 0 },
	[OPT_GRID]        = { "grid", "X[,Y[,Z]]", "blocks of the grid, likewise", 0 },
	[OPT_PARAM]       = { "param", "NAME=VALUE", "an integer parameter, likewise; may be repeated", 0 },
	[OPT_PROFILE]     = { "profile", "FILE", "block weights that sm-model run --profile=FILE counted", 0 },
	[OPT_DUMP]        = { "dump", "PASS", "write the kernels after each run of PASS, instead of a view", 0 },
	[OPT_CHECK]       = { "check", NULL, "check every pass with its independent oracle; slow", 0 },
	[OPT_TIME]        = { "time-passes", NULL, "print the time of each pass on standard error", 0 },
	[OPT_QUIET]       = { "quiet", NULL, "no summary after writing an object", 'q' },
	[OPT_ISA]         = { "isa", NULL, "list the PTX instructions that are supported, and why others are not", 0 },
	[OPT_VERSION]     = { "version", NULL, "print the version", 0 },
	[OPT_HELP]        = { "help", NULL, "this text", 'h' },
};

static int usage(const char *what, const char *arg)
{
	fputs("ptx-annotate: error: ", stderr);
	fprintf(stderr, what, arg);
	fputs("; see ptx-annotate --help\n", stderr);
	return EXIT_USAGE;
}

static int help(void)
{
	puts("ptx-annotate reads a GPU module, compiles its kernels to registers R0.. and P0.., finds what is live\n"
	     "where, and writes the annotated kernels.\n\n"
	     "usage: ptx-annotate INPUT [-o FILE] [--emit=VIEW] [OPTION...]\n\n"
	     "  INPUT                PTX, LLVM IR, a fatbin or executable with PTX inside, or an object written before;\n"
	     "                       '-': standard input");
	for (unsigned o = 0; o < OPT_COUNT; o++) {
		const char letter[] = { '-', options[o].letter, ',', ' ', 0 };
		char text[40];

		snprintf(text, sizeof text, options[o].arg && *options[o].arg == '[' ? "%s--%s[%s%s" : "%s--%s%s%s", options[o].letter ? letter : "",
		         options[o].name, options[o].arg ? "=" : "", options[o].arg ? options[o].arg + (*options[o].arg == '[') : "");
		printf("  %-20s %s\n", text, options[o].what);
	}
	puts("\nkinds of input:");
	for (unsigned i = 0; i < INPUT_COUNT; i++)
		printf("  %-20s %s\n", annotate_input_info[i].name, annotate_input_info[i].what);
	puts("\nviews:");
	for (unsigned v = 0; v < VIEW_COUNT; v++)
		if (annotate_view_info[v].name)
			printf("  %-20s %s\n", annotate_view_info[v].name, annotate_view_info[v].what);
	puts("\ngraphs, for --emit=dot --graph:");
	for (unsigned g = 0; g < DRAW_COUNT; g++)
		printf("  %-20s %s\n", annotate_graph_info[g].name, annotate_graph_info[g].what);
	puts("\npairs and alignment of registers, for --pairs and --align:");
#define P(id, name, what) printf("  --pairs=%-12s %s\n", name, what);
	CORF_PAIRS(P)
#undef P
#define P(id, name, what) printf("  --align=%-12s %s\n", name, what);
	CORF_SIDES(P)
#undef P
	puts("\nwhere the compiler keeps operands above the main register file (MRF), strand by strand, for --orf-...:\n"
	     "  --orf=orf            a file of a few entries, the ORF, that all units reach\n"
	     "  --orf=lrf+orf        and above it the LRF, of one entry, for arithmetic alone; or --orf=lrf\n"
	     "  --orf=split-lrf+orf  with an LRF entry for each of three operand slots (default); or --orf=split\n"
	     "  The summary estimates their shares by the executions of blocks; with --profile it has them counted.");
#define P(id, name, what) printf("  --orf-writes=%-7s %s\n", name, what);
	ORF_WRITES(P)
#undef P
#define P(id, name, what) printf("  --orf-ranges=%-7s %s\n", name, what);
	ORF_RANGES(P)
#undef P
#define P(id, name, what) printf("  --orf-weights=%-6s %s\n", name, what);
	ORF_WEIGHTS(P)
#undef P
	puts("\nregisters that warps share, for --regmutex-...:");
#define P(id, name, what) printf("  --regmutex-place=%-7s %s\n", name, what);
	REGMUTEX_PLACES(P)
#undef P
#define P(id, name, what) printf("  --regmutex-liveness=%-5s %s\n", name, what);
	REGMUTEX_LIVENESS(P)
#undef P
	puts("\npasses, for --dump:");
	for (unsigned p = 0; p < PASS_COUNT; p++)
		printf("  %-20s %s\n", pass_info[p].id, pass_info[p].what);
	puts("\nWithout -o, an object goes to INPUT's name with .rlo in this folder, and a summary to standard output;\n"
	     "every other view goes to standard output.\n\n"
	     "examples:\n"
	     "  ptx-annotate saxpy.ptx                          make saxpy.rlo, print what was found\n"
	     "  ptx-annotate saxpy.ptx --emit=listing | less    which registers are live at each instruction\n"
	     "  ptx-annotate saxpy.ptx --maxreg=16              what is spilled if a thread has 16 registers\n"
	     "  ptx-annotate saxpy.rlo --emit=dot | dot -Tsvg -o saxpy.svg\n"
	     "  ptx-annotate saxpy.ptx --emit=dot --graph=affinity | dot -Tsvg -o reads.svg\n"
	     "  ptx-annotate saxpy.ptx --emit=listing --orf=orf --orf-entries=4    what 4 entries of an ORF hold\n"
	     "  ptx-annotate saxpy.ptx --emit=dot --graph=orf | dot -Tsvg -o orf.svg    the same as a picture\n"
	     "  ptx-annotate saxpy.ptx --orf-exact --emit=summary      how much a better allocation would save\n"
	     "  ptx-annotate sgemm.ptx --emit=occupancy --block 16,16      what limits the warps of an SM\n"
	     "  ptx-annotate dwt2d.ptx --launch dwt2d.yaml      make dwt2d.rlo for these launches\n"
	     "  clang-19 --target=nvptx64 -O2 -emit-llvm -c k.c -o - | ptx-annotate - -o k.rlo\n"
	     "  ptx-annotate a.out --list                       the GPU code in an executable\n"
	     "  ptx-annotate a.out --kernel saxpy -o saxpy.rlo\n"
	     "  ptx-annotate saxpy.ptx -o - | sm-model run - --launch saxpy.yaml\n"
	     "  ptx-annotate sgemm.ptx --param sgemm_param_4=128 --block 16,16 --grid 8,8    how often its loops go round\n"
	     "  ptx-annotate sgemm.ptx --profile sgemm.prof     weigh blocks as a run counted them\n\n"
	     "exit status: 0 fine, 1 the input is wrong (nothing was written), 2 usage, 3 a bug");
	return EXIT_FINE;
}

/* "dir/saxpy.ptx" makes "saxpy.rlo". The caller frees it; NULL: no memory. */
static char *default_output(const char *input)
{
	const char *base = strrchr(input, '/') ? strrchr(input, '/') + 1 : input, *dot = strrchr(base, '.');
	int stem = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
	char *name = malloc((size_t)stem + sizeof ".rlo");

	if (name)
		sprintf(name, "%.*s.rlo", stem, base);
	return name;
}

enum { SET_MAX = 64 };
struct arguments {
	const char *input, *value[OPT_COUNT]; bool given[OPT_COUNT];
	const char *param[FACTS_PARAM_MAX]; uint32_t nparam;
	const char *set[SET_MAX]; uint32_t nset;
};

/* What the options say about a launch. */
struct known { struct arena a; struct params params; struct launch_facts launch; struct launch_param param[FACTS_PARAM_MAX]; };

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

static int parse_arguments(struct arguments *x, int argc, char **argv)
{
	bool plain = false;             /* after "--" */

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value;
		unsigned o;

		if (!plain && strcmp(arg, "--") == 0) {
			plain = true;
			continue;
		}
		if (plain || arg[0] != '-' || !arg[1]) {
			if (x->input)
				return usage("one input at a time: unexpected '%s'", arg);
			x->input = arg;
			continue;
		}
		o = find_option(arg, &value);
		if (o == OPT_COUNT)
			return usage("unknown option '%s'", arg);
		if (x->given[o] && o != OPT_PARAM && o != OPT_SET)
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
		if (o == OPT_PARAM && x->nparam == FACTS_PARAM_MAX)
			return usage("%s", "more than 64 of --param");
		if (o == OPT_PARAM)
			x->param[x->nparam++] = x->value[o];
		if (o == OPT_SET && x->nset == SET_MAX)
			return usage("%s", "more than 64 of --set");
		if (o == OPT_SET)
			x->set[x->nset++] = x->value[o];
	}
	return EXIT_FINE;
}

/* Options that say how registers are paired and aligned, and what is drawn of it. */
static int make_hints(const struct arguments *x, struct annotate_job *job)
{
	char *end;

	if (x->given[OPT_PAIRS]) {
		job->pass.pairs = corf_pairs_find(x->value[OPT_PAIRS]);
		if (job->pass.pairs == PAIRS_COUNT)
			return usage("--pairs=%s is not a way to choose pairs: greedy or matching", x->value[OPT_PAIRS]);
	}
	if (x->given[OPT_ALIGN]) {
		job->pass.sides = corf_sides_find(x->value[OPT_ALIGN]);
		if (job->pass.sides == SIDES_COUNT)
			return usage("--align=%s is not a way to choose the alignment: paper, default or exact", x->value[OPT_ALIGN]);
	}
	if (x->given[OPT_ALIGN_TIME]) {
		job->pass.sides_seconds = strtod(x->value[OPT_ALIGN_TIME], &end);
		if (end == x->value[OPT_ALIGN_TIME] || *end || !(job->pass.sides_seconds > 0) || job->pass.sides_seconds > CORF_SECONDS_MAX)
			return usage("--align-time=%s is not a number of seconds, up to 86400", x->value[OPT_ALIGN_TIME]);
		if (job->pass.sides != SIDES_EXACT)
			return usage("%s", "--align-time goes with --align=exact only");
	}
	if (x->given[OPT_GRAPH]) {
		while (job->graph < DRAW_COUNT && strcmp(annotate_graph_info[job->graph].name, x->value[OPT_GRAPH]) != 0)
			job->graph++;
		if (job->graph == DRAW_COUNT)
			return usage("--graph=%s is not a graph: cfg, affinity or orf", x->value[OPT_GRAPH]);
		if (job->view != VIEW_DOT)
			return usage("%s", "--graph goes with --emit=dot only");
	}
	return EXIT_FINE;
}

/* A number of an option, if it is given: from 1 to `most`. */
static bool small_number(const struct arguments *x, enum option o, unsigned most, unsigned *out)
{
	char *end;
	long n;

	if (!x->given[o])
		return true;
	n = strtol(x->value[o], &end, 10);
	if (end == x->value[o] || *end || n < 1 || n > (long)most)
		return false;
	*out = (unsigned)n;
	return true;
}

/* Options that say how operands get places in upper levels of the register file, and whose are shown. */
static int make_orf(const struct arguments *x, struct annotate_job *job)
{
	static const char *const brief[ORG_COUNT] = { [ORG_ORF] = "orf", [ORG_LRF] = "lrf", [ORG_SPLIT] = "split" };
	struct orf_options *o = &job->pass.orf;
	char *end;

	if (x->given[OPT_ORF]) {
		job->orf = ORG_ORF;
		while (job->orf < ORG_COUNT && strcmp(brief[job->orf], x->value[OPT_ORF]) != 0 &&
		       strcmp(orf_organisation_name[job->orf], x->value[OPT_ORF]) != 0)
			job->orf++;
		if (job->orf == ORG_COUNT)
			return usage("--orf=%s is not an organisation: orf, lrf+orf (or lrf) or split-lrf+orf (or split)", x->value[OPT_ORF]);
		if (job->view != VIEW_LISTING && !(job->view == VIEW_DOT && job->graph == DRAW_ORF))
			return usage("%s", "--orf goes with --emit=listing, and with --emit=dot --graph=orf, only");
	}
	if (!small_number(x, OPT_ORF_ENTRIES, ORF_ENTRIES_MAX, &o->entries))
		return usage("--orf-entries=%s is not a number from 1 to 8", x->value[OPT_ORF_ENTRIES]);
	if (!small_number(x, OPT_ORF_WARPS, ORF_WARPS_MAX, &o->warps))
		return usage("--orf-warps=%s is not a number from 1 to 64", x->value[OPT_ORF_WARPS]);
	if (!small_number(x, OPT_ORF_COST_ENTRIES, ORF_ENTRIES_MAX, &o->cost_entries))
		return usage("--orf-cost-entries=%s is not a number from 1 to 8", x->value[OPT_ORF_COST_ENTRIES]);
	if (x->given[OPT_ORF_WRITES] && (o->writes = orf_writes_find(x->value[OPT_ORF_WRITES])) == ORF_WRITES_COUNT)
		return usage("--orf-writes=%s is not a way to write results: both, one or l0", x->value[OPT_ORF_WRITES]);
	if (x->given[OPT_ORF_RANGES] && (o->ranges = orf_ranges_find(x->value[OPT_ORF_RANGES])) == ORF_RANGES_COUNT)
		return usage("--orf-ranges=%s says nothing of where a value takes an entry: exact or paper", x->value[OPT_ORF_RANGES]);
	if (x->given[OPT_ORF_WEIGHTS] && (o->weights = orf_weights_find(x->value[OPT_ORF_WEIGHTS])) == ORF_WEIGHTS_COUNT)
		return usage("--orf-weights=%s is not a way to weigh instructions: static or freq", x->value[OPT_ORF_WEIGHTS]);
	if (x->given[OPT_ORF_EXACT] && x->value[OPT_ORF_EXACT]) {
		o->exact_seconds = strtod(x->value[OPT_ORF_EXACT], &end);
		if (end == x->value[OPT_ORF_EXACT] || *end || !(o->exact_seconds > 0) || o->exact_seconds > ORF_SECONDS_MAX)
			return usage("--orf-exact=%s is not a number of seconds, up to 86400", x->value[OPT_ORF_EXACT]);
	}
	o->exact = x->given[OPT_ORF_EXACT];
	o->partial = !x->given[OPT_NO_ORF_PARTIAL];
	o->read_operands = !x->given[OPT_NO_ORF_READ_OPERANDS];
	o->forward_branches = !x->given[OPT_NO_ORF_BRANCHES];
	o->never_flush = x->given[OPT_ORF_NEVER_FLUSH];
	for (unsigned n = OPT_ORF_ENTRIES; n <= OPT_ORF_EXACT; n++)
		job->compile_options |= x->given[n];
	return EXIT_FINE;
}

static int make_facts(const struct arguments *x, struct known *n)
{
	static const uint32_t block[3] = { 1024, 1024, 64 }, grid[3] = { INT32_MAX, 65535, 65535 };     /* CUDA's limits */

	if (x->given[OPT_BLOCK] && !facts_sizes(x->value[OPT_BLOCK], block, 1024, n->launch.block))
		return usage("--block=%s is no size of a block: X, X,Y or X,Y,Z, at most 1024 threads", x->value[OPT_BLOCK]);
	if (x->given[OPT_GRID] && !facts_sizes(x->value[OPT_GRID], grid, 0, n->launch.grid))
		return usage("--grid=%s is no size of a grid: X, X,Y or X,Y,Z", x->value[OPT_GRID]);
	for (uint32_t p = 0; p < x->nparam; p++)
		if (!facts_param(x->param[p], &n->param[p], &n->a))
			return usage("--param=%s is not NAME=VALUE with a whole number", x->param[p]);
	n->launch.param = n->param;
	n->launch.nparam = x->nparam;
	return EXIT_FINE;
}

/* "; did you mean cost?" */
static const char *near_name(const char *given, const char *const *names, unsigned n, char hint[NEAR_HINT])
{
	struct near near;

	near_begin(&near, given, strlen(given));
	for (unsigned i = 0; i < n; i++)
		near_offer(&near, names[i]);
	return near_hint(&near, hint);
}

/* Says which of the parameters change nothing here. */
static void note_parameters(const struct arguments *x)
{
	static const char *const read[] = { "rf_registers=", "reg_round=", "shared_bytes=", "threads_per_sm=", "ctas_per_sm=" };

	for (uint32_t s = 0; s < x->nset; s++) {
		unsigned i = 0;

		while (i < sizeof read / sizeof *read && strncmp(x->set[s], read[i], strlen(read[i])) != 0)
			i++;
		if (i == sizeof read / sizeof *read && !x->given[OPT_QUIET])
			fprintf(stderr, "ptx-annotate: note: --set %s changes nothing here: occupancy follows from rf_registers, reg_round, shared_bytes, "
			        "threads_per_sm and ctas_per_sm alone\n", x->set[s]);
	}
}

/* Options that say how warps share registers, and on which machine. */
static int make_regmutex(const struct arguments *x, struct annotate_job *job, struct known *known)
{
	struct regmutex_options *o = &job->pass.regmutex;
	char hint[NEAR_HINT], *end;
	struct diag d;
	bool ok;

	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	ok = params_machine(&known->params, x->given[OPT_MACHINE] ? x->value[OPT_MACHINE] : params_machine_name(0), &d);
	for (uint32_t s = 0; ok && s < x->nset; s++)
		ok = params_set(&known->params, x->set[s], &d);
	diag_free(&d);
	if (!ok)
		return EXIT_USAGE;
	note_parameters(x);
	o->sm = params_limits(&known->params);
	job->machine_given = x->given[OPT_MACHINE] || x->given[OPT_SET];
	if (x->given[OPT_REGMUTEX] && !regmutex_size_parse(x->value[OPT_REGMUTEX], &o->size))
		return usage("--regmutex=%s is not auto, paper, off or a number of registers from 1 to 253", x->value[OPT_REGMUTEX]);
	if (x->given[OPT_REGMUTEX_KERNEL] && o->size <= 0)
		return usage("--regmutex-kernel=%s says which kernel --regmutex=N is for; give N", x->value[OPT_REGMUTEX_KERNEL]);
	o->kernel = x->given[OPT_REGMUTEX_KERNEL] ? x->value[OPT_REGMUTEX_KERNEL] : NULL;
	if (x->given[OPT_REGMUTEX_PLACE]) {
		const char *given = x->value[OPT_REGMUTEX_PLACE];

		o->place = regmutex_place_find(given);
		if (o->place == REGMUTEX_PLACE_COUNT)
			return usage("%s", arena_printf(&known->a, "--regmutex-place=%s is not cost or paper%s", given,
			                                near_name(given, regmutex_place_name, REGMUTEX_PLACE_COUNT, hint)));
	}
	if (x->given[OPT_REGMUTEX_LIVENESS]) {
		const char *given = x->value[OPT_REGMUTEX_LIVENESS];

		o->liveness = regmutex_liveness_find(given);
		if (o->liveness == REGMUTEX_LIVENESS_COUNT)
			return usage("%s", arena_printf(&known->a, "--regmutex-liveness=%s is not warp or paper%s", given,
			                                near_name(given, regmutex_liveness_name, REGMUTEX_LIVENESS_COUNT, hint)));
	}
	if (x->given[OPT_REGMUTEX_EXACT]) {
		const char *given = x->value[OPT_REGMUTEX_EXACT];

		o->exact_seconds = given ? strtod(given, &end) : REGMUTEX_SECONDS;
		if (given && (end == given || *end || !(o->exact_seconds > 0) || o->exact_seconds > ORF_SECONDS_MAX))
			return usage("--regmutex-exact=%s is not a number of seconds, up to 86400", given);
	}
	if (x->given[OPT_REGMUTEX_RULES]) {
		o->rules_off = strcmp(x->value[OPT_REGMUTEX_RULES], "off") == 0;
		if (!o->rules_off && strcmp(x->value[OPT_REGMUTEX_RULES], "on") != 0)
			return usage("--regmutex-rules=%s is not on or off", x->value[OPT_REGMUTEX_RULES]);
	}
	for (unsigned n = OPT_REGMUTEX; n <= OPT_REGMUTEX_RULES; n++)
		job->compile_options |= x->given[n];
	return EXIT_FINE;
}

/* Turns the options into a job; the output is the caller's. */
static int make_job(const struct arguments *x, struct annotate_job *job, struct known *known)
{
	char *end;
	long n;
	int code;

	if (!x->input)
		return usage("%s", "which file?");
	*job = annotate_job_default(x->input, x->value[OPT_OUTPUT]);
	job->kernel = x->value[OPT_KERNEL];
	if (x->given[OPT_EMIT]) {
		job->view = annotate_view_find(x->value[OPT_EMIT]);
		if (job->view == VIEW_COUNT)
			return usage("there is no view '%s': obj, ptx, listing, json, dot, occupancy or summary", x->value[OPT_EMIT]);
	}
	if (x->given[OPT_DUMP]) {
		if (x->given[OPT_EMIT])
			return usage("--dump=%s and --emit both say what to write", x->value[OPT_DUMP]);
		job->view = VIEW_DUMP;
		job->dump = annotate_pass_find(x->value[OPT_DUMP]);
		if (job->dump == PASS_COUNT)
			return usage("there is no pass '%s'", x->value[OPT_DUMP]);
	}
	if (x->given[OPT_INPUT]) {
		job->kind = annotate_input_find(x->value[OPT_INPUT]);
		if (job->kind == INPUT_COUNT)
			return usage("there is no kind of input '%s': auto, ptx, ll, bc, fatbin or obj", x->value[OPT_INPUT]);
	}
	if (x->given[OPT_SM]) {
		job->sm = x->value[OPT_SM] + (strncmp(x->value[OPT_SM], "sm_", 3) == 0 ? 3 : 0);
		if (!annotate_sm_valid(job->sm))
			return usage("--sm=%s is not an architecture like 80, 90a or sm_90a", x->value[OPT_SM]);
	}
	if (x->given[OPT_LEVEL]) {
		if (strlen(x->value[OPT_LEVEL]) != 1 || *x->value[OPT_LEVEL] < '0' || *x->value[OPT_LEVEL] > '3')
			return usage("-O%s is not a level from 0 to 3", x->value[OPT_LEVEL]);
		job->level = *x->value[OPT_LEVEL] - '0';
	}
	if (x->given[OPT_MODULE]) {
		n = strtol(x->value[OPT_MODULE], &end, 10);
		if (end == x->value[OPT_MODULE] || *end || n < 1 || n > 1 << 20)
			return usage("--module=%s is not the number of a module", x->value[OPT_MODULE]);
		job->module = (uint32_t)n;
	}
	job->save_ptx = x->value[OPT_SAVE_PTX];
	job->list = x->given[OPT_LIST];
	job->list_json = x->given[OPT_JSON];
	if (job->list && (x->given[OPT_EMIT] || x->given[OPT_DUMP] || job->kernel || job->save_ptx))
		return usage("%s", "--list goes with --json and -o only");
	if (job->list_json && !job->list)
		return usage("%s", "--json is for --list; for kernels it is --emit=json");
	if (x->given[OPT_MAXREG]) {
		n = strtol(x->value[OPT_MAXREG], &end, 10);
		if (end == x->value[OPT_MAXREG] || *end || n < 8 || n > 254)
			return usage("--maxreg=%s is not a number from 8 to 254", x->value[OPT_MAXREG]);
		job->pass.maxreg = (unsigned)n;
	}
	if (x->given[OPT_INLINE]) {
		n = strtol(x->value[OPT_INLINE], &end, 10);
		if (end == x->value[OPT_INLINE] || *end || n < 0 || n > 1000000)
			return usage("--inline=%s is not a number from 0 to 1000000", x->value[OPT_INLINE]);
		job->pass.inline_limit = (unsigned)n;
	}
	job->pass.fold = !x->given[OPT_NO_FOLD];
	if (x->given[OPT_SCHEDULE]) {
		static const char *const ways[] = { [SCHEDULE_NONE] = "none", [SCHEDULE_LATENCY] = "latency", [SCHEDULE_ORF] = "orf" };
		unsigned way = 0;

		while (way < 3 && strcmp(ways[way], x->value[OPT_SCHEDULE]) != 0)
			way++;
		if (way == 3)
			return usage("--schedule=%s is not latency, orf or none", x->value[OPT_SCHEDULE]);
		if (x->given[OPT_NO_SCHEDULE] && way != SCHEDULE_NONE)
			return usage("--no-schedule contradicts --schedule=%s", x->value[OPT_SCHEDULE]);
		job->pass.schedule = way;
	} else if (x->given[OPT_NO_SCHEDULE]) {
		job->pass.schedule = SCHEDULE_NONE;
	}
	job->pass.check |= x->given[OPT_CHECK];
	job->compile_options = x->given[OPT_MAXREG] || x->given[OPT_INLINE] || x->given[OPT_NO_FOLD] || x->given[OPT_NO_SCHEDULE] || x->given[OPT_SCHEDULE] ||
	                       x->given[OPT_PAIRS] || x->given[OPT_ALIGN];
	job->profile = x->value[OPT_PROFILE];
	job->pass.launch = &known->launch;
	job->launch = x->value[OPT_LAUNCH];
	job->read_launch = launch_facts_read;
	if (job->launch && strcmp(job->launch, "-") == 0 && strcmp(x->input, "-") == 0)
		return usage("%s", "input and launch file cannot both come from standard input");
	if (job->list && (job->profile || x->nparam || x->nset || x->given[OPT_LAUNCH] || x->given[OPT_BLOCK] || x->given[OPT_GRID]))
		return usage("%s", "--list goes with --json and -o only");
	job->times = x->given[OPT_TIME] ? stderr : NULL;
	code = make_hints(x, job);
	if (code == EXIT_FINE)
		code = make_orf(x, job);
	if (code == EXIT_FINE)
		code = make_regmutex(x, job, known);
	return code != EXIT_FINE ? code : make_facts(x, known);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int annotate_known(const struct arguments *x, struct known *known)
{
	struct annotate_job job;
	char *name = NULL;
	struct diag d;
	int code = make_job(x, &job, known);

	if (code != EXIT_FINE)
		return code;
	if (!job.output && job.list)
		job.output = "-";
	if (!job.output && job.view == VIEW_OBJ) {
		if (strcmp(job.input, "-") == 0)
			return usage("%s", "an object from standard input needs -o FILE");
		job.output = name = default_output(job.input);
	} else if (!job.output) {
		job.output = "-";
	}
	if ((job.output && same_file(job.input, job.output)) || (job.save_ptx && same_file(job.input, job.save_ptx))) {
		free(name);
		return usage("%s is the input and would be overwritten", job.input);
	}
	if (job.profile && ((job.output && same_file(job.profile, job.output)) || (job.save_ptx && same_file(job.profile, job.save_ptx)))) {
		free(name);
		return usage("%s is the profile and would be overwritten", job.profile);
	}
	if (job.launch && ((job.output && same_file(job.launch, job.output)) || (job.save_ptx && same_file(job.launch, job.save_ptx)))) {
		free(name);
		return usage("%s is the launch file and would be overwritten", job.launch);
	}
	if (job.output && job.view == VIEW_OBJ && !job.list && strcmp(job.output, "-") == 0 && isatty(STDOUT_FILENO)) {
		free(name);
		return usage("%s", "an object is not for a terminal; use -o FILE or --emit=listing");
	}
	if (job.view == VIEW_OBJ && !job.list && job.output && strcmp(job.output, "-") != 0 && !x->given[OPT_QUIET])
		job.summary = stdout;
	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	code = job.output && annotate_run(&job, &d) ? EXIT_FINE : EXIT_INPUT;
	diag_free(&d);
	free(name);
	if (code == EXIT_FINE && (fflush(stdout) != 0 || ferror(stdout))) {
		fputs("ptx-annotate: cannot write to standard output\n", stderr);
		code = EXIT_INPUT;
	}
	return code;
}

static int annotate(const struct arguments *x)
{
	struct known known = { .launch = { .nparam = 0 } };
	int code;

	arena_init(&known.a);
	code = annotate_known(x, &known);
	arena_free(&known.a);
	return code;
}

int main(int argc, char **argv)
{
	struct arguments x = { .input = NULL };
	int code = parse_arguments(&x, argc, argv);

	if (x.given[OPT_HELP])
		return help();
	if (x.given[OPT_ISA]) {
		ptx_print_isa(stdout);
		return EXIT_FINE;
	}
	if (x.given[OPT_VERSION]) {
		puts("ptx-annotate (regloom) " REGLOOM_VERSION);
		return EXIT_FINE;
	}
	return code != EXIT_FINE ? code : annotate(&x);
}

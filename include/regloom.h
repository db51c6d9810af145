/* regloom: GPU register-file analyses and an SM model, as a library. Annotate kernels, run the annotated kernels, read
 *numbers.
 *
 *	char *error = NULL;
 *	struct regloom_result *r = NULL;
 *
 *	if (regloom_annotate("saxpy.ptx", "saxpy.rlo", NULL, &error) == REGLOOM_OK &&
 *	    regloom_run("saxpy.rlo", "saxpy.yaml", NULL, &r, &error) == REGLOOM_OK)
 *		printf("%.0f cycles\n", regloom_result_value(r, "cycles"));
 *	else
 *		fputs(error, stderr);
 *	regloom_result_free(r);
 *	regloom_string_free(error);
 *
 * Calls share no state and may run in several threads at once. Nothing is printed. File names "-" are refused where
 *they would mean the process's standard input or output. Names and numbers, once given, stay. */
#ifndef REGLOOM_H
#define REGLOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define REGLOOM_API __attribute__((visibility("default")))
#else
#define REGLOOM_API
#endif

enum regloom_status {
	REGLOOM_OK = 0,
	/* a file is wrong, missing or cannot be written; the error text says where and why */
	REGLOOM_INPUT = 1,
	REGLOOM_USAGE = 2,   /* an argument has no meaning: unknown name, number out of range */
	REGLOOM_INTERNAL = 3 /* the library broke a rule of its own; please report it */
};

/* "0.1.0". Static. */
REGLOOM_API const char *regloom_version(void);

/* Options grow at the end; size says how much of the struct the caller knows. Set up with REGLOOM_ANNOTATE_OPTIONS. */
struct regloom_annotate_options {
	size_t size; /* sizeof(struct regloom_annotate_options) */
	/* "obj" (NULL; of machine code "cubin"), "cubin", "ptx", "listing", "json", "dot", "occupancy", "summary",
	 * "remarks" or "sarif" */
	const char *emit;
	const char *kernel; /* only this kernel; NULL: all */
	uint32_t maxreg;    /* general 32-bit registers a thread may use, 8 .. 254; 0: 63 */
	int no_schedule;    /* not 0: keep the order of the instructions */
	int check;          /* not 0: check every pass with its independent oracle; slow */
	const char *input;  /* "ptx", "ll", "bc", "fatbin" or "obj"; NULL: told apart by content */
	/* "80", "sm_90a": LLVM IR is compiled for it, a fatbin's PTX chosen for it; NULL: its own, the newest */
	const char *sm;
	const char *optimise; /* LLVM IR: "0" to "3"; NULL: "2" */
	uint32_t module;      /* of a fatbin, numbered from 1 as ptx-annotate --list does; 0: chosen */
	/* write the PTX made of LLVM IR, or chosen from a fatbin, here; NULL: nowhere */
	const char *save_ptx;
	const char *pairs;    /* how registers are paired for CORF: "greedy" (NULL) or "matching" */
	const char *align;    /* how they are aligned for CORF++: "paper", "default" (NULL) or "exact" */
	double align_seconds; /* "exact": of each kernel, about; 0: 10 */
	uint32_t orf_entries; /* of an operand register file, for each thread, 1 .. 8; 0: 3 */
	uint32_t orf_warps;   /* active warps that have entries, 1 .. 64; 0: 8 */
	/* search the best allocation to it, in each kernel for about so long; 0: the greedy one */
	double orf_exact_seconds;
	const char *machine;    /* the modelled GPU whose occupancy counts; NULL: "gtx480" */
	const char *const *set; /* parameters of it, "rf_registers=16384"; NULL: none */
	size_t nset;
	/* registers that warps share in turn: "auto" (NULL), "paper", "off" or a number */
	const char *regmutex;
	const char *regmutex_place;    /* where they are acquired and released: "cost" (NULL) or "paper" */
	const char *regmutex_liveness; /* which registers count as needed: "warp" (NULL) or "paper" */
	/* search the fewest MOVs, in each kernel for about so long; 0: those of the heuristic */
	double regmutex_exact_seconds;
	int regmutex_rules_off; /* not 0: what may deadlock at barriers is not ruled out */
	/* Folders of source files whose lines may be shown, besides the input's and the current one; NULL: none. */
	const char *const *source_dirs;
	size_t nsource_dirs;
};
#define REGLOOM_ANNOTATE_OPTIONS                                                                                     \
	{                                                                                                            \
		sizeof(struct regloom_annotate_options), NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, \
			0, 0, 0, 0, NULL, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, 0                                   \
	}

/* Reads PTX, LLVM IR, a fatbin or host object with PTX inside, or an object from file INPUT, compiles and annotates its
 * kernels, writes OUTPUT whole or not at all. options: NULL for the defaults. error: NULL, or set to the diagnostics as
 * ptx-annotate prints them ("k.ptx:4:7: error:
 * ..."), to be freed with regloom_string_free(); NULL if all went well. */
REGLOOM_API enum regloom_status regloom_annotate(const char *input, const char *output,
						 const struct regloom_annotate_options *options, char **error);

struct regloom_run_options {
	size_t size;            /* sizeof(struct regloom_run_options) */
	const char *machine;    /* the modelled GPU, or a file that describes one; NULL: "gtx480" */
	const char *rf;         /* register-file configuration as sm-model --rf takes it; NULL: "baseline" */
	const char *const *set; /* parameters of the machine, "name=value"; NULL: none */
	size_t nset;
	int functional; /* not 0: execute only, no timing */
	/* not 0: execute once more with dead registers overwritten; memory must be the same */
	int checked;
	/* warp instructions that one launch may execute, so that an endless kernel ends; 0: no limit */
	uint64_t max_insns;
	uint64_t max_cycles; /* modelled cycles of all launches; 0: no limit */
	/* not 0, set by a signal handler or another thread: stop soon; NULL: nobody will */
	const volatile int *stop;
};
#define REGLOOM_RUN_OPTIONS                                                                        \
	{                                                                                          \
		sizeof(struct regloom_run_options), NULL, NULL, NULL, 0, 0, 0, 1000000000, 0, NULL \
	}

struct regloom_result;

/* Executes and times the launches of file LAUNCH (YAML) on the kernels of file OBJECT, which may be a cubin as well. A
 * failed expectation is a result like another: see regloom_result_check(). *result is NULL unless REGLOOM_OK is
 * returned. */
REGLOOM_API enum regloom_status regloom_run(const char *object, const char *launch,
					    const struct regloom_run_options *options, struct regloom_result **result,
					    char **error);

/* Executes the launches once and times that execution by n configurations, each written as sm-model compare --config
 * takes it: "baseline", "issue=lrr,rf_banks=8", "machine=corf,name=paper". Options hold for all of them; rf and
 * functional must not be given. A configuration that cannot run is a result like another: its values are not numbers,
 * and the JSON says so. */
REGLOOM_API enum regloom_status regloom_compare(const char *object, const char *launch,
						const struct regloom_run_options *options,
						const char *const *configurations, size_t n,
						struct regloom_result **result, char **error);

/* "pass", "fail", "none" if the launch file expects nothing, or "partial" if the run was stopped or came to a limit:
 * then the metrics are of its part until then. */
REGLOOM_API const char *regloom_result_check(const struct regloom_result *result);
/* A metric by its name in docs/run.schema.json: "cycles", "ipc", "rf_reads", ... NaN if there is none of that name,
 * or if it is an energy for which the machine's energy table lacks a cost. */
REGLOOM_API double regloom_result_value(const struct regloom_result *result, const char *metric);
/* The same of configuration i of a comparison, numbered from 0 as they were given; regloom_result_value() gives the
 * first one's. */
REGLOOM_API double regloom_result_value_of(const struct regloom_result *result, size_t i, const char *metric);
/* Its unit, "cycles", "pJ", ...; NULL if there is none of that name. Lives as long as the result. */
REGLOOM_API const char *regloom_result_unit(const struct regloom_result *result, const char *metric);
/* All of it as JSON text (docs/run.schema.json, docs/compare.schema.json). Lives as long as the result. */
REGLOOM_API const char *regloom_result_json(const struct regloom_result *result);
REGLOOM_API void regloom_result_free(struct regloom_result *result); /* NULL: nothing */
REGLOOM_API void regloom_string_free(char *text);                    /* NULL: nothing */

#ifdef __cplusplus
}
#endif

#endif

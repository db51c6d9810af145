/* How a program is run on the model: what regloom-run takes, and hands on to the library inside the program. */
#ifndef REGLOOM_CUDA_OPTIONS_H
#define REGLOOM_CUDA_OPTIONS_H

#include "analyzer/base/options.h"
#include "analyzer/fatbin/fatbin.h"
#include "passes/pass.h"
#include "runtime-model/run/compare.h"
#include "runtime-model/watch/watch.h"

#include <regex.h>

enum cuda_option {
#define OPTION(id, ...) CUDA_OPT_##id,
#include "runtime-model/cuda/core/options.def"
#undef OPTION
	CUDA_OPT_COUNT
};

enum { CUDA_RANGES_MAX = 256 };

struct cuda_options {
	bool given[CUDA_OPT_COUNT];
	const char *text[CUDA_OPT_COUNT]; /* of the last time; NULL: not given */
	uint64_t number[CUDA_OPT_COUNT];  /* its default if not given */
	struct config_list *configs;      /* n 0: nothing is timed */
	const struct params *machine;     /* of the device: --machine with --set */
	const struct mufu_table *mufu;    /* of --mufu, or NULL */
	struct watch_request watch;       /* of all that are timed */
	struct pass_options pass;         /* how kernels are compiled and annotated, on the first one's machine */
	enum fatbin_code code;            /* ANY: machine code for the device, if all of it can be executed, else PTX */
	unsigned sm;
	char suffix; /* 90, 'a' or 0 */
	/* bytes of shared memory that GPUs of it have: of an SM, of a CTA at most */
	unsigned shared_sm, shared_cta;
	unsigned sample, sample_gain; /* sim_options */
	unsigned sanitize;            /* of --oob and --check: bits of enum sanitize */
	bool wrapped;                 /* they come from regloom-run */
	bool choose;
	regex_t kernels; /* --kernels was given */
	struct {
		uint64_t from, to;
	} range[CUDA_RANGES_MAX];
	unsigned nrange; /* 0: all launches */
};

#define CUDA_FIRST_PROCESS "REGLOOM_CUDA_PID" /* in the environment too: that regloom-run became */
#define CUDA_ENVIRONMENT "REGLOOM_CUDA"       /* the options as a JSON array of strings */

/* Reads options up to the first word that is none, or behind "--": *rest is its index. False with a diagnostic. All in
 * arena a. */
bool cuda_options_parse(struct cuda_options *o, int argc, char *const argv[], int *rest, struct arena *a,
			struct diag *d);
/* As it was written into the environment. */
bool cuda_options_environment(struct cuda_options *o, const char *json, struct arena *a, struct diag *d);
/* The words 0 .. n - 1 for the environment, in malloc's memory; the files that they name as absolute paths. NULL: no
 * memory. */
char *cuda_options_json(char *const argv[], int n);
void cuda_options_help(FILE *f);
/* Says on f what of the options changes nothing. */
void cuda_options_note(const struct cuda_options *o, FILE *f, struct arena *a);
const char *cuda_option_name(enum cuda_option id); /* "rf" */
/* Is this launch, the number'th of the program, one of those that --kernels and --launches name? demangled: or NULL. */
bool cuda_options_chooses(const struct cuda_options *o, uint64_t number, const char *kernel, const char *demangled);

#endif

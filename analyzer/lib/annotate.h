/* What ptx-annotate does, as one call: read PTX, machine code or an annotated object, run the passes, write one view of
 * the result. */
#ifndef REGLOOM_ANNOTATE_H
#define REGLOOM_ANNOTATE_H

#include "analyzer/emit/emit.h"
#include "analyzer/fatbin/fatbin.h"
#include "passes/orf.h"
#include "passes/pass.h"

/* clang-format off */
#define ANNOTATE_VIEWS(V) \
	V(OBJ, "obj", "annotated ELF object, for sm-model (default, but of machine code)") \
	V(CUBIN, "cubin", "of machine code: the cubin with what was found in sections behind it (its default)") \
	V(PTX, "ptx", "the input text with pragmas and comments; ptxas makes the same code of it") \
	V(LISTING, "listing", "machine code with the life range of each register, and source lines") \
	V(JSON, "json", "everything, for tools") \
	V(DOT, "dot", "the graph that --graph names, for Graphviz") \
	V(OCCUPANCY, "occupancy", "what an SM holds of the kernels, what limits that, " \
	  "what sharing registers would give") \
	V(PRESSURE, "pressure", "the registers that are live where most are: where each was made and is read next") \
	V(BANKS, "banks", "machine code: operands by register bank, conflicts, reuse flags set and missed") \
	V(SUMMARY, "summary", "what the passes found, in a few lines") \
	V(REMARKS, "remarks", "what the passes found with its place in the source, " \
	  "as LLVM's optimisation remarks (YAML)") \
	V(SARIF, "sarif", "the same for code scanning in CI (SARIF 2.1.0); of --check also the broken limits") \
	V(DUMP,    NULL, "the kernels after pass `dump`")
/* clang-format on */

enum annotate_view {
#define V(id, name, what) VIEW_##id,
	ANNOTATE_VIEWS(V)
#undef V
		VIEW_COUNT
};
struct annotate_view_info {
	const char *name, *what;
};
extern const struct annotate_view_info annotate_view_info[VIEW_COUNT];
enum annotate_view annotate_view_find(const char *name); /* VIEW_COUNT if there is none */
enum pass_id annotate_pass_find(const char *name);       /* PASS_COUNT if there is none */

#define ANNOTATE_GRAPHS(G)                                                            \
	G(CFG, "cfg", "control flow (default)")                                       \
	G(AFFINITY, "affinity", "registers that are read together, pairs, alignment") \
	G(ORF, "orf", "who is in which entry of the register-file hierarchy when, strand by strand")

enum annotate_graph {
#define G(id, name, what) DRAW_##id,
	ANNOTATE_GRAPHS(G)
#undef G
		DRAW_COUNT
};
extern const struct annotate_view_info annotate_graph_info[DRAW_COUNT];

/* clang-format off */
#define ANNOTATE_INPUTS(I) \
	I(AUTO,   "auto",   "told apart by content (default)") \
	I(PTX,    "ptx",    "PTX text") \
	I(LL,     "ll",     "LLVM IR as text") \
	I(BC,     "bc",     "LLVM bitcode") \
	I(FATBIN, "fatbin", "a fatbin, or an ELF file with fatbins inside: host object, library, executable") \
	I(CUBIN,  "cubin",  "a cubin, machine code of one GPU") \
	I(OBJECT, "obj",    "an object written before")
/* clang-format on */

enum annotate_input {
#define I(id, name, what) INPUT_##id,
	ANNOTATE_INPUTS(I)
#undef I
		INPUT_COUNT
};
extern const struct annotate_view_info annotate_input_info[INPUT_COUNT];
enum annotate_input annotate_input_find(const char *name); /* INPUT_COUNT if there is none */

struct annotate_job {
	const char *input;        /* "-": standard input */
	enum annotate_input kind; /* of the input */
	/* "80", "90a": LLVM IR is compiled for it, a fatbin's code chosen for it; NULL: see the readers */
	const char *sm;
	int level;             /* of LLVM's optimisation, 0 .. 3; -1: not given, 2 */
	uint32_t module;       /* of a fatbin; 0: chosen */
	enum fatbin_code code; /* of a fatbin */
	const char *save_ptx;  /* the PTX made of the input, or found in it, goes here; NULL: nowhere */
	bool list, list_json;  /* say what a fatbin or a cubin holds, do nothing else */
	/* "-": standard output; NULL: nothing is written, which `accept` is asked for alone */
	const char *output;
	/* Is asked of the compiled module before anything is written; false: nothing is. NULL: all are accepted. Facts
	 * about a launch and a machine then count for occupancy, of an object as well. */
	bool (*accept)(const struct module *m, const struct pass_ctx *cx, void *ctx);
	void *accept_ctx;
	unsigned accept_facts; /* what it looks at; FACT_ALL: also k->regmutex. 0 if there is none */
	enum annotate_view view;
	bool view_given;           /* else VIEW_OBJ stands for VIEW_CUBIN where the input is machine code */
	bool fresh;                /* the annotations of a cubin are not read: its code is analysed anew */
	enum annotate_graph graph; /* VIEW_DOT */
	enum orf_organisation orf; /* whose places the listing and DRAW_ORF show */
	/* views of machine code show what register files of papers would do with it; those of PTX do in any case */
	bool techniques;
	const char *kernel;          /* only this one; NULL: all */
	struct source_dirs *sources; /* base/inside.h; may be NULL */
	const char *profile;         /* a file of sm-model run --profile, for block weights; NULL: none */
	/* a launch file, read by read_launch(), for facts about a launch that pass.launch does not have; NULL: none */
	const char *launch;
	/* runtime-model/run/launch_facts.h; NULL where `launch` is */
	const struct launch_facts *(*read_launch)(const char *path, const struct module *m, bool part,
						  const struct launch_facts *given, struct arena *a, struct diag *d);
	struct pass_options pass;
	bool machine_given;   /* pass.regmutex.sm is another machine than by default */
	bool compile_options; /* an option was given that means nothing for an object; */
	bool code_options;    /* nothing for machine code either */
	enum pass_id dump;    /* VIEW_DUMP */
	FILE *summary;        /* after writing, the summary of each kernel goes here; NULL: nowhere */
	FILE *times;          /* table of passes with their times; NULL: none */
};

/* A job with the defaults: object, all kernels, 63 registers, scheduled. */
struct annotate_job annotate_job_default(const char *input, const char *output);
/* Whether the job's input is machine code, so that it makes a cubin where no view is asked for: a look at its bytes,
 * without messages. */
bool annotate_is_native(const struct annotate_job *job);
/* What occupancy of kernel k is shown for. */
struct emit_machine annotate_machine(const struct kernel *k, const struct pass_options *o);
/* False with diagnostics, or without where `accept` refused; then the output is as it was before. */
bool annotate_run(const struct annotate_job *job, struct diag *d);

#endif

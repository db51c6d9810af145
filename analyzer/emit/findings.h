/* Findings: what is said of a kernel with a place in its source, for LLVM's remarks and for SARIF. A rule is a row of
 * findings.def, or, of a broken limit of a gate, LIMIT_RULE and the figure that has it. */
#ifndef REGLOOM_EMIT_FINDINGS_H
#define REGLOOM_EMIT_FINDINGS_H

#include "analyzer/emit/figures.h"

enum finding_rule {
#define RULE(id, rule, pass, remark, level, name, what, help) RULE_##id,
#include "analyzer/emit/findings.def"
#undef RULE
	RULE_COUNT,
	LIMIT_RULE = RULE_COUNT,
	ALL_RULES = LIMIT_RULE + FIGURE_COUNT
};
struct finding_info {
	const char *rule, *pass, *remark, *level, *name, *what, *help;
};
struct finding_info finding_info(unsigned rule, struct arena *a);

enum { FINDING_PARTS = 32 };
/* key "String": words; else the text is a value of that name */
struct finding_part {
	const char *key, *text;
};
struct finding {
	unsigned rule;
	const char *kernel, *input; /* input: the file that the kernel is from */
	struct figure_place at;
	struct finding_part part[FINDING_PARTS];
	unsigned npart; /* the message is their texts, joined */
	/* what it is about, apart from the place: the same after other lines were changed */
	const char *identity;
	bool counted;
	uint64_t runs; /* by a profile: how often warps execute that instruction */
};
struct findings {
	struct finding *of;
	uint32_t n, cap;
	struct arena *a;
};

struct finding *finding_add(struct findings *all, unsigned rule, const char *kernel, const struct figure_place *at,
			    const char *identity);
/* Adds to the message; the text is kept as it is, or made in all->a. */
void finding_words(struct finding *f, const char *text);
void finding_value(struct finding *f, const char *key, const char *text);
char *finding_message(const struct finding *f, struct arena *a);

/* All that is to be said of v->k, whose figures x are. all->a lives as long as `all`. */
void findings_find(struct findings *all, struct view *v, const struct kernel_figures *x, const char *input);

/* A YAML stream of LLVM's remarks, which its own parser reads: llvm-c/Remarks.h, llvm/docs/Remarks.rst. */
void emit_remarks(FILE *f, const struct findings *all);

/* SARIF 2.1.0 (OASIS, 2020). inputs: the files that were read. exit_code: what the command ends with. False if memory
 * or f failed. */
struct sarif_run {
	const char *const *input;
	uint32_t ninput;
	int exit_code;
};
bool emit_sarif(FILE *f, const struct findings *all, const struct sarif_run *run);

#endif

/* Two versions of kernels side by side: ptx-annotate --diff. All that is known of a kernel is its figures. */
#ifndef REGLOOM_DIFF_H
#define REGLOOM_DIFF_H

#include "analyzer/emit/figures.h"

/* UNKNOWN: there is no value in one of the two */
enum diff_verdict { DIFF_SAME, DIFF_BETTER, DIFF_WORSE, DIFF_UNKNOWN };

struct diff_kernel {
	const struct kernel_figures *old, *new; /* NULL: there is none of that name */
	enum diff_verdict verdict[FIGURE_COUNT];
	bool differs, worse; /* worse: in a figure that counts */
};
struct diff {
	const char *old_path, *new_path;
	struct diff_kernel *of;
	uint32_t n;      /* as in the new version, then those that went */
	uint32_t counts; /* bit f: a figure that is worse makes the kernel worse */
	/* what register files of papers would do with machine code is shown to people, too; of PTX it is in any case */
	bool models;
};

struct figures_list {
	struct kernel_figures *of;
	uint32_t n;
};

/* "live,spill", "none", "all": *counts. NULL, or what is wrong with it, in arena a. */
const char *diff_counts(const char *list, uint32_t *counts, struct arena *a);
uint32_t diff_watched(void); /* the figures that count unless others are named */
/* Kernels match by name; of a name that one version has several times the first matches the first, and so on. In arena
 * a. */
void diff_find(struct diff *x, const struct figures_list *old, const struct figures_list *new, uint32_t counts,
	       struct arena *a);
uint32_t diff_worse(const struct diff *x);  /* kernels */
uint32_t diff_common(const struct diff *x); /* kernels that both have */

void diff_write(FILE *f, const struct diff *x, bool all); /* all: what is the same, too */
/* docs/diff.schema.json; false if memory or f failed */
bool diff_write_json(FILE *f, const struct diff *x);

#endif

/* A report of results: JSON of sm-model run and sm-model compare is checked (schema.c), put into one page that a
 * browser shows without a network (page.c), and drawn as pictures by gnuplot and Graphviz (pictures.c, plots.c,
 * graph.c). */
#ifndef REGLOOM_HTML_REPORT_H
#define REGLOOM_HTML_REPORT_H

#include "analyzer/base/diag.h"

#include <jansson.h>

/* ---- bundle.c: files that the program carries ---- */
struct bundled {
	const char *name, *text, *end;
};
extern const struct bundled bundle_page; /* runtime-model/html/web/dist/page.html */
enum { BUNDLE_SCHEMAS = 4 };
extern const struct bundled bundle_schema[BUNDLE_SCHEMAS]; /* docs/NAME: run, compare, and what they refer to */

/* ---- schema.c ---- */
/* Does `result` fit the schema that it names, of a run or a comparison? Members that a schema does not have are left
 * alone: a newer version may write them. False with a diagnostic: where, in the file `name`. */
bool schema_check(const json_t *result, const char *name, struct diag *d);

/* ---- page.c, read.c ---- */
struct report_file {
	const char *name;
	json_t *result;
	bool program; /* of a line of regloom-run --report */
};
struct report {
	const char *title;
	struct report_file *file; /* in an arena */
	uint32_t n, cap;
};
/* Adds the result in a file, or of each kernel that a CUDA program had timed (regloom-run --report). False with a
 * diagnostic: no JSON, no result of ours, not of its schema. */
bool report_add(struct report *r, const char *path, struct arena *a, struct diag *d);
/* names.c: the result with kernels by the names that people read. */
json_t *report_named(const json_t *result, struct arena *a);
/* One that was made here. */
void report_put(struct report *r, const char *name, json_t *result, struct arena *a);
/* "sgemm on gtx480", of the first file, in arena a. */
const char *report_title(const struct report *r, struct arena *a);
bool report_write_page(const struct report *r, const char *path, struct arena *a, struct diag *d);
/* Is there what the charts draw beside metrics? */
bool report_detailed(const struct report_file *f);

/* ---- pictures.c ---- */
enum picture_format { PICTURE_SVG, PICTURE_PNG, PICTURE_TXT, PICTURE_FORMATS };
/* "svg,png": bits 1 << enum picture_format; NULL: svg. 0: a name that is none. */
unsigned picture_formats(const char *list);
/* Draws what r holds into the folder `dir`, made if it is not there: each picture in each format, beside its source for
 * gnuplot or Graphviz. *count: pictures. False with a diagnostic: a program is missing or failed, a file cannot be
 * written, nothing to draw. */
bool pictures_write(const struct report *r, const char *dir, unsigned formats, unsigned *count, struct arena *a,
		    struct diag *d);

/* ---- between them ---- */
/* A configuration of a result. */
/* detail: its entry of detail.configurations; NULL: none */
struct shot {
	const char *name;
	const json_t *metrics, *detail;
};
/* The value of a metric. False: there is none, or it is not known. */
bool shot_metric(const struct shot *s, const char *name, double *v);
const json_t *shot_kernel(const struct shot *s, const char *kernel); /* of its explanation; NULL: none */
/* Text of the user's for a source of gnuplot or Graphviz: nothing in it has a meaning there. In arena a. */
const char *picture_label(const char *text, struct arena *a);

/* plots.c: sources for gnuplot. False: there is nothing to draw. */
bool plot_comparison(FILE *f, const char *title, const struct shot *s, unsigned n, struct arena *a);
bool plot_slots(FILE *f, const char *title, const struct shot *s, unsigned n, struct arena *a);
bool plot_energy(FILE *f, const char *title, const struct shot *s, unsigned n, struct arena *a);
bool plot_pressure(FILE *f, const json_t *kernel, struct arena *a); /* an annotated kernel */
/* slots by instruction */
bool plot_code(FILE *f, const json_t *explained, const struct shot *s, struct arena *a);
bool plot_banks(FILE *f, const char *kernel, const struct shot *s, unsigned n, struct arena *a);
/* graph.c: the affinity graph of an annotated kernel for Graphviz. Likewise. */
bool graph_affinity(FILE *f, const json_t *kernel, struct arena *a);

#endif

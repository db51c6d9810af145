/* Explanation of a run: a watcher (probe.h) that counts, for each kernel, where every issue slot went and what every
 * resident warp did in every cycle, by SM, warp, instruction and source line; which instructions others waited for; the
 * accesses of each register-file bank, and of memory; and how the SMs were occupied. docs/EXPLAIN.md says how to read
 * it. */
#ifndef REGLOOM_EXPLAIN_H
#define REGLOOM_EXPLAIN_H

#include "runtime-model/core/probe.h"

struct explain;
struct module;

/* In a; explain_free gives back the memory of its own. reuse: repeated computations too (repeat/repeat.h), which wants
 * values in the records. */
struct explain *explain_new(bool reuse, struct arena *a);
void explain_free(struct explain *e);
const struct gpu_probe *explain_probe(struct explain *e, const struct gpu_probe *next);

/* Everything adds up: slots by SM, warp and instruction to the counters; cycles of warps to their residence; what
 * producers are charged with to the slots that waited for results; accesses of banks to those counted; why computations
 * repeat to those that do. False with a diagnostic: a bug. After the run; stopped: before its end, when some accesses
 * still wait for their bank. */
bool explain_check(const struct explain *e, bool stopped, struct diag *d);

enum explain_section {
	EXPLAIN_SLOTS,
	EXPLAIN_LINES,
	EXPLAIN_PRODUCERS,
	EXPLAIN_MEMORY,
	EXPLAIN_WARPS,
	EXPLAIN_SMS,
	EXPLAIN_BANKS,
	EXPLAIN_OCCUPANCY,
	EXPLAIN_LISTING,
	EXPLAIN_REUSE,
	EXPLAIN_SECTIONS
};
#define EXPLAIN_DEFAULT ((1u << EXPLAIN_LISTING) - 1) /* all but the listing and reuse, */
#define EXPLAIN_DETAIL (1u << EXPLAIN_SECTIONS)       /* without every warp, SM, bank and line */
/* "lines,sms", "all": bits 1 << enum explain_section, in detail; "": the default. False with a diagnostic that names
 * the sections. */
bool explain_is_list(const char *text);    /* names of sections, one or more, and nothing else */
bool explain_names_some(const char *text); /* one or more, with whatever else */
bool explain_parse(unsigned *sections, const char *list, struct diag *d);
/* For people. m: the module of the kernels, for their source. */
void explain_print(FILE *f, const struct explain *e, const struct module *m, unsigned sections);
/* docs/run.schema.json, "explain"; a new reference, NULL if out of memory. */
json_t *explain_json(const struct explain *e, const struct module *m);

#endif

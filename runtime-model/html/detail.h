/* What a report draws, beyond what a run or a comparison counted: sm-model run --detail, sm-model compare --detail.
 * Watches every configuration and puts it all into the member "detail" of their JSON (docs/detail.schema.json). No
 * number of a run depends on it. */
#ifndef REGLOOM_HTML_DETAIL_H
#define REGLOOM_HTML_DETAIL_H

#include "runtime-model/explain/explain.h"
#include "runtime-model/run/run.h"

struct detail;

/* Watches the configurations of *o, of which it makes a copy in arena a; the first has the watcher `first` already,
 * unless that is NULL. */
struct detail *detail_new(struct run_options *o, struct explain *first, struct arena *a);
void detail_free(struct detail *x);
/* What was seen adds up to what was counted (explain.h). False with a diagnostic: a bug. */
bool detail_check(const struct detail *x, const struct run *r, struct diag *d);
/* Adds "detail" to the JSON of r, whose object was read into m, which gets facts that an object does not hold. Gives o
 * back; NULL if o is NULL, or with a diagnostic. */
json_t *detail_add(const struct detail *x, const struct run *r, struct module *m, json_t *o, struct diag *d);

#endif

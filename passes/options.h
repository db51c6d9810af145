/* What commands are told about compiling and annotating: the rows of options.def, which a command's table includes in
 * one piece, as pass_options. */
#ifndef REGLOOM_PASSES_OPTIONS_H
#define REGLOOM_PASSES_OPTIONS_H

#include "analyzer/base/options.h"
#include "passes/corf.h"
#include "passes/pass.h"

enum pass_option {
#define OPTION(id, ...) PASS_OPT_##id,
#include "passes/options.def"
#undef OPTION
	PASS_OPT_COUNT
};
/* rows that decide the code, not only what is known of it: those before this one */
enum { PASS_OPT_CODE_END = PASS_OPT_PAIRS };

/* names that the rows take */
near_name pass_schedule_name, pass_pairs_name, pass_sides_name, pass_writes_name, pass_ranges_name, pass_weights_name,
	pass_place_name, pass_liveness_name;

/* Into *o what was read of them; first: the row of x->table that is row 0 of options.def. What was not given stays as
 * it is. NULL, or what is wrong, in x->a. */
const char *pass_options_read(const struct options *x, unsigned first, struct pass_options *o);
void pass_options_help(FILE *f); /* the names that they take, and what each means */
/* Was one of the rows from `from` to before `end`, of enum pass_option, given? */
bool pass_options_given(const struct options *x, unsigned first, unsigned from, unsigned end);

#endif

#include "analyzer/cli/options.h"

#include "analyzer/lib/annotate.h"
#include "passes/options.h"

#include <string.h>

/* ---- names that options take ---- */
static const char *view_name(unsigned v) { return annotate_view_info[v].name; }
static const char *pass_name(unsigned p) { return pass_info[p].id; }
static const char *input_name(unsigned i) { return annotate_input_info[i].name; }
static const char *graph_name(unsigned i) { return annotate_graph_info[i].name; }
static const char *organisation_name(unsigned i) { return orf_organisation_name[i]; }

static const struct option_row row[OPT_COUNT] = {
#define OPTION(id, ...) [OPT_##id] = OPTION_ROW(__VA_ARGS__),
#include "analyzer/cli/options.def"
#undef OPTION
};
const struct option_table annotate_options = {
	.row = row,
	.n = OPT_COUNT,
	.style = OPTIONS_JOINED | OPTIONS_ONCE_FIRST | OPTIONS_ONCE_FLAGS,
	.column = 20,
	.meant = "; did you mean --%s?",
	.many = "more than 64 of %s",
};
_Static_assert(sizeof row / sizeof *row <= OPTIONS_MAX, "options fit");

int parse_arguments(struct options *x, int argc, char **argv)
{
	const char *wrong;

	x->table = &annotate_options;
	x->inputs = 4096;
	x->more = "more than 4096 inputs: '%s'";
	wrong = options_parse(x, argc - 1, argv + 1);
	if (wrong)
		return usage("%s", wrong);
	if (x->ninput > 1 && !x->given[OPT_CHECK] && !x->given[OPT_CHECK_FILE] && !x->given[OPT_DIFF])
		return usage("one input at a time: unexpected '%s'", x->input[1]);
	return EXIT_FINE;
}

bool takes(const struct options *x, enum option id, unsigned *v)
{
	const char *wrong = option_read(x, id, v);

	if (wrong)
		usage("%s", wrong);
	return !wrong;
}

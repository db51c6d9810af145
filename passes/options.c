#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

static const char *const schedule_name[SCHEDULE_COUNT] = {
	[SCHEDULE_NONE] = "none", [SCHEDULE_LATENCY] = "latency", [SCHEDULE_ORF] = "orf"
};

const char *pass_schedule_name(unsigned i) { return schedule_name[i]; }
const char *pass_pairs_name(unsigned i) { return corf_pairs_name[i]; }
const char *pass_sides_name(unsigned i) { return corf_sides_name[i]; }
const char *pass_writes_name(unsigned i) { return orf_writes_name[i]; }
const char *pass_ranges_name(unsigned i) { return orf_ranges_name[i]; }
const char *pass_weights_name(unsigned i) { return orf_weights_name[i]; }
const char *pass_place_name(unsigned i) { return regmutex_place_name[i]; }
const char *pass_liveness_name(unsigned i) { return regmutex_liveness_name[i]; }

struct reader {
	const struct options *x;
	unsigned first;
	const char *wrong; /* what is wrong first; NULL: nothing */
};

static bool given(const struct reader *r, enum pass_option id) { return r->x->given[r->first + id] != 0; }
static const char *value(const struct reader *r, enum pass_option id) { return r->x->value[r->first + id]; }

/* text: with a %s for the option's value */
static void refuse(struct reader *r, const char *text, enum pass_option id)
{
	if (!r->wrong)
		r->wrong = arena_printf(r->x->a, text, given(r, id) ? value(r, id) : "");
}

static void take(struct reader *r, enum pass_option id, unsigned *v)
{
	const char *wrong = option_read(r->x, r->first + id, v);

	r->wrong = r->wrong ? r->wrong : wrong;
}

/* Seconds, if they are given and not left out. */
static void seconds(struct reader *r, enum pass_option id, double *out)
{
	const char *text = value(r, id);
	char *end;

	if (!text)
		return;
	*out = strtod(text, &end);
	if (end == text || *end || !(*out > 0 && *out <= ORF_SECONDS_MAX))
		refuse(r,
		       arena_printf(r->x->a, "--%s=%%s is not a number of seconds, up to 86400",
				    r->x->table->row[r->first + id].name),
		       id);
}

static void read_code(struct reader *r, struct pass_options *o)
{
	if (given(r, PASS_OPT_MAXREG) && strcmp(value(r, PASS_OPT_MAXREG), "least") == 0)
		o->maxreg = MAXREG_LEAST;
	else
		take(r, PASS_OPT_MAXREG, &o->maxreg);
	take(r, PASS_OPT_INLINE, &o->inline_limit);
	take(r, PASS_OPT_SCHEDULE, &o->schedule);
	o->fold &= !given(r, PASS_OPT_NO_FOLD);
	if (given(r, PASS_OPT_NO_SCHEDULE) && given(r, PASS_OPT_SCHEDULE) && o->schedule != SCHEDULE_NONE)
		refuse(r, "--no-schedule contradicts --schedule=%s", PASS_OPT_SCHEDULE);
	if (given(r, PASS_OPT_NO_SCHEDULE))
		o->schedule = SCHEDULE_NONE;
}

static void read_hints(struct reader *r, struct pass_options *o)
{
	take(r, PASS_OPT_PAIRS, &o->pairs);
	take(r, PASS_OPT_ALIGN, &o->sides);
	seconds(r, PASS_OPT_ALIGN_TIME, &o->sides_seconds);
	if (given(r, PASS_OPT_ALIGN_TIME) && o->sides != SIDES_EXACT)
		refuse(r, "--align-time goes with --align=exact only", PASS_OPT_ALIGN_TIME);
}

static void read_orf(struct reader *r, struct orf_options *o)
{
	take(r, PASS_OPT_ORF_ENTRIES, &o->entries);
	take(r, PASS_OPT_ORF_WARPS, &o->warps);
	take(r, PASS_OPT_ORF_COST_ENTRIES, &o->cost_entries);
	take(r, PASS_OPT_ORF_WRITES, &o->writes);
	take(r, PASS_OPT_ORF_RANGES, &o->ranges);
	take(r, PASS_OPT_ORF_WEIGHTS, &o->weights);
	seconds(r, PASS_OPT_ORF_EXACT, &o->exact_seconds);
	o->exact |= given(r, PASS_OPT_ORF_EXACT);
	o->partial &= !given(r, PASS_OPT_NO_ORF_PARTIAL);
	o->read_operands &= !given(r, PASS_OPT_NO_ORF_READ_OPERANDS);
	o->forward_branches &= !given(r, PASS_OPT_NO_ORF_BRANCHES);
	o->never_flush |= given(r, PASS_OPT_ORF_NEVER_FLUSH);
	o->past_barriers |= given(r, PASS_OPT_ORF_PAST_BARRIERS);
	if (o->never_flush && o->past_barriers)
		refuse(r, "--orf-past-barriers says no more than --orf-never-flush", PASS_OPT_ORF_PAST_BARRIERS);
}

static void read_regmutex(struct reader *r, struct regmutex_options *o)
{
	const char *rules = value(r, PASS_OPT_REGMUTEX_RULES);

	if (given(r, PASS_OPT_REGMUTEX) && !regmutex_size_parse(value(r, PASS_OPT_REGMUTEX), &o->size))
		refuse(r, "--regmutex=%s is not auto, paper, off or a number of registers from 1 to 253",
		       PASS_OPT_REGMUTEX);
	if (given(r, PASS_OPT_REGMUTEX_KERNEL) && o->size <= 0)
		refuse(r, "--regmutex-kernel=%s says which kernel --regmutex=N is for; give N",
		       PASS_OPT_REGMUTEX_KERNEL);
	o->kernel = value(r, PASS_OPT_REGMUTEX_KERNEL);
	take(r, PASS_OPT_REGMUTEX_PLACE, &o->place);
	take(r, PASS_OPT_REGMUTEX_LIVENESS, &o->liveness);
	if (given(r, PASS_OPT_REGMUTEX_EXACT))
		o->exact_seconds = REGMUTEX_SECONDS;
	seconds(r, PASS_OPT_REGMUTEX_EXACT, &o->exact_seconds);
	o->rules_off = rules && strcmp(rules, "off") == 0;
	if (rules && !o->rules_off && strcmp(rules, "on") != 0)
		refuse(r, "--regmutex-rules=%s is not on or off", PASS_OPT_REGMUTEX_RULES);
}

const char *pass_options_read(const struct options *x, unsigned first, struct pass_options *o)
{
	struct reader r = { .x = x, .first = first };

	read_code(&r, o);
	read_hints(&r, o);
	read_orf(&r, &o->orf);
	read_regmutex(&r, &o->regmutex);
	return r.wrong;
}

bool pass_options_given(const struct options *x, unsigned first, unsigned from, unsigned end)
{
	while (from < end && !x->given[first + from])
		from++;
	return from < end;
}

void pass_options_help(FILE *f)
{
	fputs("\npairs and alignment of registers, for --pairs and --align:\n", f);
#define P(id, name, what) fprintf(f, "  --pairs=%-12s %s\n", name, what);
	CORF_PAIRS(P)
#undef P
#define P(id, name, what) fprintf(f, "  --align=%-12s %s\n", name, what);
	CORF_SIDES(P)
#undef P
	fputs("\nplaces of operands above the main register file, for --orf-...:\n", f);
#define P(id, name, what) fprintf(f, "  --orf-writes=%-7s %s\n", name, what);
	ORF_WRITES(P)
#undef P
#define P(id, name, what) fprintf(f, "  --orf-ranges=%-7s %s\n", name, what);
	ORF_RANGES(P)
#undef P
#define P(id, name, what) fprintf(f, "  --orf-weights=%-6s %s\n", name, what);
	ORF_WEIGHTS(P)
#undef P
	fputs("\nregisters that warps share, for --regmutex-...:\n", f);
#define P(id, name, what) fprintf(f, "  --regmutex-place=%-7s %s\n", name, what);
	REGMUTEX_PLACES(P)
#undef P
#define P(id, name, what) fprintf(f, "  --regmutex-liveness=%-5s %s\n", name, what);
	REGMUTEX_LIVENESS(P)
#undef P
}

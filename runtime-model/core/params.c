/* Parameters: everything here expands params.def and the machine files, which are rows of one table: a machine's rows
 * stand between its MACHINE row and the next. */
#include "runtime-model/core/params.h"
#include "analyzer/base/near.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/energy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct param_info {
	const char *name, *unit, *what;
	size_t offset;
	uint64_t def, min, max;
};

static const struct param_info info[PARAM_COUNT] = {
#define PARAM(name, type, unit, def, min, max, what) \
	{ #name, unit, what, offsetof(struct params, name), def, min, max },
#include "runtime-model/core/params.def"
#undef PARAM
};

enum row_kind { ROW_MACHINE, ROW_BASE, ROW_ISSUE, ROW_ENERGY, ROW_SET, ROW_UNIT };
struct row {
	enum row_kind kind;
	const char *name; /* of the machine, its base, its scheduler, its energy table */
	unsigned id;      /* enum param_id, enum fu */
	uint32_t value;
	struct unit_time unit;
	const char *source; /* of a machine: what it is */
};

static const struct row row[] = {
#define MACHINE(n, what) { .kind = ROW_MACHINE, .name = n, .source = what },
#define BASE(n) { .kind = ROW_BASE, .name = n },
#define ISSUE(n, src) { .kind = ROW_ISSUE, .name = n, .source = src },
#define ENERGY(n, src) { .kind = ROW_ENERGY, .name = n, .source = src },
#define SET(p, v, src) { .kind = ROW_SET, .id = PARAM_##p, .value = v, .source = src },
#define UNIT(fu, latency, interval, pipe, src) \
	{ .kind = ROW_UNIT, .id = FU_##fu, .unit = { latency, interval, PIPE_##pipe }, .source = src },
#include "runtime-model/machine/list.def"
#undef MACHINE
#undef BASE
#undef ISSUE
#undef ENERGY
#undef SET
#undef UNIT
};
enum { ROWS = sizeof row / sizeof *row };

static const char *const fu_name[FU_COUNT] = {
#define X(n) #n,
	FU_LIST(X)
#undef X
};

static const char *const pipe_name[PIPE_COUNT] = { [PIPE_SP] = "SP", [PIPE_SFU] = "SFU", [PIPE_MEM] = "MEM" };

/* the completion wheel of execute.c holds 1024 cycles */
enum { UNIT_LATENCY_MAX = 900, UNIT_INTERVAL_MAX = 900 };

uint32_t *params_value(struct params *p, unsigned id) { return (uint32_t *)((char *)p + info[id].offset); }

static uint32_t value(const struct params *p, unsigned i)
{
	uint32_t v;

	memcpy(&v, (const char *)p + info[i].offset, sizeof v);
	return v;
}

/* The MACHINE row of that name; ROWS: there is none. */
static unsigned machine_row(const char *name)
{
	unsigned i = 0;

	while (i < ROWS && (row[i].kind != ROW_MACHINE || strcmp(row[i].name, name) != 0))
		i++;
	return i;
}

unsigned params_active_warps(const struct params *p)
{
	return p->active_warps < p->schedulers ? p->schedulers : p->active_warps;
}

struct sm_limits params_limits(const struct params *p)
{
	return (struct sm_limits){
		.machine = p->machine,
		.registers = p->rf_registers,
		.granule = p->reg_round,
		.shared_bytes = p->shared_bytes,
		.threads = p->threads_per_sm,
		.ctas = p->ctas_per_sm,
		.parts = params_sub_cores(p),
		.cta_shared = p->core ? p->shared_cta_bytes : 0,
	};
}

const char *params_machine_name(unsigned n)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (row[i].kind == ROW_MACHINE && n-- == 0)
			return row[i].name;
	return NULL;
}

/* The rows of the machine at m, those of its base first. inherited: its name, if another machine is asked for. */
static void apply(struct params *p, unsigned m, const char *inherited)
{
	for (unsigned i = m + 1; i < ROWS && row[i].kind != ROW_MACHINE; i++) {
		const struct row *r = &row[i];
		struct origin from = { r->source, inherited };

		switch (r->kind) {
		case ROW_MACHINE:
			break;
		case ROW_BASE:
			apply(p, machine_row(r->name), r->name);
			break;
		case ROW_ISSUE:
			p->issue = r->name;
			p->issue_origin = from;
			break;
		case ROW_ENERGY:
			p->energy = energy_find(r->name);
			p->energy_origin = from;
			break;
		case ROW_SET:
			*params_value(p, r->id) = r->value;
			p->origin[r->id] = from;
			break;
		case ROW_UNIT:
			p->unit[r->id] = r->unit;
			p->unit_origin[r->id] = from;
			break;
		}
	}
}

bool params_machine_known(const char *name) { return machine_row(name) < ROWS; }

bool params_machine(struct params *p, const char *name, struct diag *d)
{
	unsigned m = machine_row(name);
	char names[512], hint[NEAR_HINT];
	struct near near;
	size_t n = 0;

	if (m < ROWS) {
		memset(p, 0, sizeof *p);
		p->machine = row[m].name;
		p->what = row[m].source;
		for (unsigned i = 0; i < PARAM_COUNT; i++) {
			*params_value(p, i) = (uint32_t)info[i].def;
			p->origin[i].source = "default";
		}
		apply(p, m, NULL);
		return true;
	}
	names[0] = '\0';
	near_begin(&near, name, strlen(name));
	for (unsigned i = 0; params_machine_name(i); i++) {
		near_offer(&near, params_machine_name(i));
		if (n < sizeof names)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
					      params_machine_name(i));
	}
	return diag_error_plain(
		d, NULL, "no machine is called '%s'; there is: %s%s%s", name, names, near_hint(&near, hint),
		strncmp(name, "sm_", 3) == 0
			? "; of GPUs like sm_86 ptx-annotate knows the occupancy, their time is not modelled"
			: "");
}

static void lower(char *out, const char *text, size_t cap)
{
	size_t i;

	for (i = 0; text[i] && i + 1 < cap; i++)
		out[i] = (char)tolower((unsigned char)text[i]);
	out[i] = '\0';
}

/* The name of a class's parameter. */
static void unit_param(char *out, size_t cap, unsigned fu, bool interval)
{
	char name[24];

	lower(name, fu_name[fu], sizeof name);
	snprintf(out, cap, "%s_%s", name, interval ? "interval" : "latency");
}

/* "fp_mad_latency": the class and whether it is the interval. False if the name is not of that form. */
static bool unit_name(const char *name, size_t n, unsigned *fu, bool *interval)
{
	for (unsigned f = 0; f < FU_COUNT; f++) {
		size_t k = strlen(fu_name[f]), i = 0;

		while (i < k && i < n && toupper((unsigned char)name[i]) == fu_name[f][i])
			i++;
		if (i < k)
			continue;
		if (n - k == 8 && memcmp(name + k, "_latency", 8) == 0) {
			*fu = f;
			*interval = false;
			return true;
		}
		if (n - k == 9 && memcmp(name + k, "_interval", 9) == 0) {
			*fu = f;
			*interval = true;
			return true;
		}
	}
	return false;
}

/* Choices that have names, too. */
static const struct {
	const char *param, *word, *number;
} words[] = {
	{ "core", "fermi", "0" },
	{ "core", "subcore", "1" },
	{ "dependences", "control-codes", "0" },
	{ "dependences", "scoreboard", "1" },
};

static const char *without_words(const char *name, size_t n, const char *text)
{
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].param) == n && memcmp(words[i].param, name, n) == 0 &&
		    strcmp(words[i].word, text) == 0)
			return words[i].number;
	return text;
}

/* The number that is all of `text`, for the parameter of n letters at `name`. */
static bool number(const char *name, size_t n, const char *given, uint64_t min, uint64_t max, const char *unit,
		   uint64_t *v, struct diag *d)
{
	const char *text = without_words(name, n, given);
	size_t digits = strspn(text + (*text == '-'), "0123456789");

	if (!digits || text[digits + (*text == '-')])
		return diag_error_plain(d, NULL, "%.*s: '%s' is not a whole number", (int)n, name, text);
	errno = 0;
	*v = strtoull(text, NULL, 10);
	if (*text == '-' || errno || *v < min || *v > max)
		return diag_error_plain(d, NULL, "%.*s=%s is out of range: %" PRIu64 " .. %" PRIu64 " %s", (int)n, name,
					text, min, max, unit);
	return true;
}

/* No parameter has the n letters at `name`: what may have been meant. */
static bool unknown(const char *name, size_t n, struct diag *d)
{
	char hint[NEAR_HINT], units[FU_COUNT][2][40];
	struct near near;

	if (axis_takes(name, n + 1))
		return diag_error_plain(d, NULL,
					"no parameter is called '%.*s', but an axis of the register file: --rf %s",
					(int)n, name, name);
	near_begin(&near, name, n);
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		near_offer(&near, info[i].name);
	near_offer(&near, "energy");
	for (unsigned u = 0; u < FU_COUNT; u++)
		for (unsigned i = 0; i < 2; i++) {
			unit_param(units[u][i], sizeof units[u][i], u, i != 0);
			near_offer(&near, units[u][i]);
		}
	return diag_error_plain(d, NULL, "no parameter is called '%.*s'; `sm-model list parameters` names them%s",
				(int)n, name, near_hint(&near, hint));
}

static const char by_user[] = "--set";

bool params_assign(struct params *p, const char *assignment, const struct origin *from, struct diag *d)
{
	const char *eq = strchr(assignment, '=');
	size_t n = eq ? (size_t)(eq - assignment) : strlen(assignment);
	bool interval;
	uint64_t v;
	unsigned fu;

	if (!eq)
		return diag_error_plain(d, NULL, "'%s' is not of the form name=value", assignment);
	if (n == 6 && memcmp(assignment, "energy", 6) == 0) {
		const struct energy_table *t = energy_named(eq + 1, d);

		if (!t)
			return false;
		p->energy = t;
		p->energy_origin = *from;
		return true;
	}
	for (unsigned i = 0; i < PARAM_COUNT; i++) {
		if (strlen(info[i].name) != n || memcmp(info[i].name, assignment, n) != 0)
			continue;
		if (!number(assignment, n, eq + 1, info[i].min, info[i].max, info[i].unit, &v, d))
			return false;
		*params_value(p, i) = (uint32_t)v;
		p->origin[i] = *from;
		return true;
	}
	if (unit_name(assignment, n, &fu, &interval)) {
		uint64_t max = interval ? UNIT_INTERVAL_MAX : UNIT_LATENCY_MAX;

		if (!number(assignment, n, eq + 1, 1, max, "cycles", &v, d))
			return false;
		if (interval)
			p->unit[fu].interval = (uint32_t)v;
		else
			p->unit[fu].latency = (uint32_t)v;
		p->unit_origin[fu] = *from;
		return true;
	}
	return unknown(assignment, n, d);
}

unsigned params_id(const char *name) { return names_find(NAMES_IN(info, name), name); }
const char *params_id_name(unsigned id) { return info[id].name; }
const char *params_unit(unsigned id) { return info[id].unit; }

void params_range(unsigned id, uint32_t *least, uint32_t *most)
{
	*least = (uint32_t)info[id].min;
	*most = (uint32_t)info[id].max;
}

const char *params_pipe(unsigned n) { return n < PIPE_COUNT ? pipe_name[n] : NULL; }

bool params_half(const char *name, unsigned *fu, bool *interval) { return unit_name(name, strlen(name), fu, interval); }

const char *params_fu_name(unsigned fu, struct arena *a)
{
	char name[24];

	lower(name, fu_name[fu], sizeof name);
	return arena_printf(a, "%s", name);
}

bool params_fu(const char *name, unsigned *fu)
{
	char lowered[24];

	for (*fu = 0; *fu < FU_COUNT; ++*fu) {
		lower(lowered, fu_name[*fu], sizeof lowered);
		if (strcmp(lowered, name) == 0)
			return true;
	}
	return false;
}

bool params_equal(const struct params *a, const struct params *b)
{
	bool equal = strcmp(a->issue, b->issue) == 0 && a->energy == b->energy;

	for (unsigned i = 0; i < PARAM_COUNT; i++)
		equal &= value(a, i) == value(b, i);
	for (unsigned u = 0; u < FU_COUNT; u++)
		equal &= a->unit[u].latency == b->unit[u].latency && a->unit[u].interval == b->unit[u].interval &&
			 a->unit[u].pipe == b->unit[u].pipe;
	return equal;
}

bool params_known(const char *name, size_t n)
{
	bool interval;
	unsigned fu;

	for (unsigned i = 0; i < PARAM_COUNT; i++)
		if (strlen(info[i].name) == n && memcmp(info[i].name, name, n) == 0)
			return true;
	return unit_name(name, n, &fu, &interval) || (n == 6 && memcmp(name, "energy", 6) == 0);
}

bool params_changed(const struct params *p, const char *name)
{
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		if (strcmp(info[i].name, name) == 0)
			return p->origin[i].source == by_user;
	return false;
}

bool params_set(struct params *p, const char *assignment, struct diag *d)
{
	static const struct origin from = { by_user, NULL };
	size_t n = strlen(p->changes);

	if (!params_assign(p, assignment, &from, d))
		return false;
	snprintf(p->changes + n, sizeof p->changes - n, "%s%s", n ? ", " : "", assignment);
	return true;
}

bool params_fit(const struct params *p, const char *name, struct diag *d)
{
	uint64_t sm = (uint64_t)p->l1_sets * p->l1_ways + (uint64_t)p->tex_sets * p->tex_ways +
		      (uint64_t)p->const_sets * p->const_ways + (uint64_t)p->icache_sets * p->icache_ways;
	uint64_t l2 = (uint64_t)p->partitions * p->l2_slices * p->l2_sets * p->l2_ways, all = l2 + p->sms * sm;

	if (all <= CACHE_LINES_MAX)
		return true;
	return diag_error_plain(d, name,
				"caches of %" PRIu64 " lines are over the limit of %d: %" PRIu64
				" of the L2 (partitions x l2_slices x l2_sets x l2_ways), "
				"%" PRIu64 " of each of %" PRIu32 " SMs",
				all, CACHE_LINES_MAX, l2, sm, p->sms);
}

static bool guessed(const struct origin *o) { return strncmp(o->source, GUESS, strlen(GUESS)) == 0; }

/* What stands before a value. */
static const char *mark(const struct origin *o) { return guessed(o) ? "? " : "  "; }

static void print_origin(FILE *f, const struct origin *o)
{
	if (o->inherited)
		fprintf(f, "inherited from %s: ", o->inherited);
	fprintf(f, "%s\n", o->source);
}

void params_print(FILE *f, const struct params *p)
{
	fprintf(f, "machine %s: %s\n", p->machine, p->what);
	for (unsigned i = 0; i < PARAM_COUNT; i++) {
		fprintf(f, "%s%-20s %8" PRIu32 " %-12s ", mark(&p->origin[i]), info[i].name, value(p, i), info[i].unit);
		print_origin(f, &p->origin[i]);
	}
	fprintf(f, "functional units       latency interval pipeline\n");
	for (unsigned u = 0; u < FU_COUNT; u++) {
		char name[24];

		lower(name, fu_name[u], sizeof name);
		fprintf(f, "%s%-20s %7" PRIu32 " %8" PRIu32 " %-8s ", mark(&p->unit_origin[u]), name,
			p->unit[u].latency, p->unit[u].interval, pipe_name[p->unit[u].pipe]);
		print_origin(f, &p->unit_origin[u]);
	}
	fprintf(f, "scheduler %s (--rf issue=...), ", p->issue);
	print_origin(f, &p->issue_origin);
	fprintf(f, "energy %s (%s), ", p->energy->name, p->energy->what);
	print_origin(f, &p->energy_origin);
}

/* Of the machine at row m: values that are guesses. */
static unsigned guesses(unsigned m)
{
	struct params p;
	unsigned n = 0;

	memset(&p, 0, sizeof p);
	apply(&p, m, NULL);
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		n += guessed(&p.origin[i]);
	for (unsigned u = 0; u < FU_COUNT; u++)
		n += guessed(&p.unit_origin[u]);
	return n;
}

void params_list_machines(FILE *f)
{
	fprintf(f, "machines (--machine NAME; sm-model list machines NAME prints its numbers, guesses with a ?)\n");
	for (unsigned i = 0; i < ROWS; i++) {
		unsigned n;

		if (row[i].kind != ROW_MACHINE)
			continue;
		fprintf(f, "  %-20s %s", row[i].name, row[i].source);
		if ((n = guesses(i)))
			fprintf(f, "; %u of its numbers are guesses", n);
		fputc('\n', f);
	}
}

void params_list(FILE *f)
{
	const char *machine = params_machine_name(0);
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	params_machine(&p, machine, &d);
	diag_free(&d);
	fprintf(f, "parameters (--set name=value), with the value on the default machine and the range\n");
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		fprintf(f, "  %-20s %s: %s %" PRIu32 ", %" PRIu64 " .. %" PRIu64 " %s\n", info[i].name, info[i].what,
			machine, value(&p, i), info[i].min, info[i].max, info[i].unit);
	fprintf(f, "  CLASS_latency, CLASS_interval: 1 .. %d cycles, CLASS one of", UNIT_LATENCY_MAX);
	for (unsigned u = 0; u < FU_COUNT; u++) {
		char name[24];

		lower(name, fu_name[u], sizeof name);
		fprintf(f, " %s", name);
	}
	fprintf(f, "\n  energy: a table of costs; sm-model list energy names them\n");
}

json_t *params_json(const struct params *p)
{
	json_t *o = json_object();

	for (unsigned i = 0; o && i < PARAM_COUNT; i++)
		json_object_set_new(o, info[i].name, json_integer(value(p, i)));
	for (unsigned u = 0; o && u < FU_COUNT; u++) {
		char key[40];

		unit_param(key, sizeof key, u, false);
		json_object_set_new(o, key, json_integer(p->unit[u].latency));
		unit_param(key, sizeof key, u, true);
		json_object_set_new(o, key, json_integer(p->unit[u].interval));
	}
	if (o)
		json_object_set_new(o, "energy", json_string(p->energy->name));
	return o;
}

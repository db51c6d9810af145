/* Parameters: everything here expands params.def, machine/list.def and the machine files. A machine that leaves a
 * functional-unit class untimed, or names one twice, does not compile. */
#include "runtime-model/params.h"
#include "runtime-model/energy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct param_info { const char *name, *unit, *what; size_t offset; uint64_t def, min, max; };

static const struct param_info info[PARAM_COUNT] = {
#define PARAM(name, type, unit, def, min, max, what) { #name, unit, what, offsetof(struct params, name), def, min, max },
#include "runtime-model/params.def"
#undef PARAM
};

struct machine_value { enum param_id id; uint64_t value; const char *source; };
struct machine { const char *name, *what; const struct machine_value *value; unsigned nvalue; const struct unit_time *unit; };

/* One table of values and one of units for each machine; the count of UNIT rows is checked, a duplicate is an error of
 * -Woverride-init. */
#define UNIT(fu, latency, interval, pipe, source)
#define SET(name, value, source) { PARAM_##name, value, source },
static const struct machine_value gtx480_value[] = {
#include "runtime-model/machine/gtx480.def"
};
#undef SET
#undef UNIT
#define SET(name, value, source)
#define UNIT(fu, latency, interval, pipe, source) [FU_##fu] = { latency, interval, PIPE_##pipe, source },
static const struct unit_time gtx480_unit[FU_COUNT] = {
#include "runtime-model/machine/gtx480.def"
};
#undef UNIT
#define UNIT(fu, latency, interval, pipe, source) + 1
_Static_assert(0
#include "runtime-model/machine/gtx480.def"
	== (int)FU_COUNT, "gtx480.def must time every unit once");
#undef UNIT
#undef SET

static const struct machine machine[] = {
#define MACHINE(name, what) { #name, what, name##_value, sizeof name##_value / sizeof *name##_value, name##_unit },
#include "runtime-model/machine/list.def"
#undef MACHINE
};
enum { MACHINES = sizeof machine / sizeof *machine };

static const char *const fu_name[FU_COUNT] = {
#define X(n) #n,
	FU_LIST(X)
#undef X
};

enum { UNIT_LATENCY_MAX = 900, UNIT_INTERVAL_MAX = 900 };        /* the completion wheel of execute.c holds 1024 cycles */

static uint32_t *field(struct params *p, unsigned i)
{
	return (uint32_t *)((char *)p + info[i].offset);
}

static uint32_t value(const struct params *p, unsigned i)
{
	uint32_t v;

	memcpy(&v, (const char *)p + info[i].offset, sizeof v);
	return v;
}

bool params_machine(struct params *p, const char *name, struct diag *d)
{
	for (unsigned m = 0; m < MACHINES; m++) {
		if (strcmp(machine[m].name, name) != 0)
			continue;
		memset(p, 0, sizeof *p);
		p->machine = machine[m].name;
		for (unsigned i = 0; i < PARAM_COUNT; i++) {
			*field(p, i) = (uint32_t)info[i].def;
			p->source[i] = "default";
		}
		for (unsigned i = 0; i < machine[m].nvalue; i++) {
			const struct machine_value *v = &machine[m].value[i];

			*field(p, v->id) = (uint32_t)v->value;
			p->source[v->id] = v->source;
		}
		memcpy(p->unit, machine[m].unit, sizeof p->unit);
		p->energy = energy_find("corf");
		return true;
	}
	diag_error_plain(d, NULL, "no machine is called '%s'; there is: %s", name, machine[0].name);
	return false;
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

/* A decimal number, all of it. */
static bool number(const char *text, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*v = strtoull(text, &end, 10);
	return *end == '\0' && errno == 0;
}

static bool assign(struct params *p, const char *assignment, struct diag *d)
{
	const char *eq = strchr(assignment, '=');
	size_t n = eq ? (size_t)(eq - assignment) : strlen(assignment);
	bool interval;
	uint64_t v;
	unsigned fu;

	if (!eq)
		return diag_error_plain(d, NULL, "'%s' is not of the form name=value", assignment);
	if (n == 6 && memcmp(assignment, "energy", 6) == 0) {
		const struct energy_table *t = energy_find(eq + 1);

		if (!t)
			return diag_error_plain(d, NULL, "no energy table is called '%s'; `sm-model list` names them", eq + 1);
		p->energy = t;
		return true;
	}
	for (unsigned i = 0; i < PARAM_COUNT; i++) {
		if (strlen(info[i].name) != n || memcmp(info[i].name, assignment, n) != 0)
			continue;
		if (!number(eq + 1, &v))
			return diag_error_plain(d, NULL, "%s: '%s' is not a whole number", info[i].name, eq + 1);
		if (v < info[i].min || v > info[i].max)
			return diag_error_plain(d, NULL, "%s=%" PRIu64 " is out of range: %" PRIu64 " .. %" PRIu64 " %s",
						info[i].name, v, info[i].min, info[i].max, info[i].unit);
		*field(p, i) = (uint32_t)v;
		p->source[i] = "set by the user";
		return true;
	}
	if (unit_name(assignment, n, &fu, &interval)) {
		uint64_t max = interval ? UNIT_INTERVAL_MAX : UNIT_LATENCY_MAX;

		if (!number(eq + 1, &v))
			return diag_error_plain(d, NULL, "%.*s: '%s' is not a whole number", (int)n, assignment, eq + 1);
		if (v < 1 || v > max)
			return diag_error_plain(d, NULL, "%.*s=%" PRIu64 " is out of range: 1 .. %" PRIu64 " cycles",
						(int)n, assignment, v, max);
		if (interval)
			p->unit[fu].interval = (uint32_t)v;
		else
			p->unit[fu].latency = (uint32_t)v;
		p->unit[fu].source = "set by the user";
		return true;
	}
	return diag_error_plain(d, NULL, "no parameter is called '%.*s'; `sm-model list` names them", (int)n, assignment);
}

bool params_set(struct params *p, const char *assignment, struct diag *d)
{
	size_t n = strlen(p->changes);

	if (!assign(p, assignment, d))
		return false;
	snprintf(p->changes + n, sizeof p->changes - n, "%s%s", n ? ", " : "", assignment);
	return true;
}

static void lower(char *out, const char *text, size_t cap)
{
	size_t i;

	for (i = 0; text[i] && i + 1 < cap; i++)
		out[i] = (char)tolower((unsigned char)text[i]);
	out[i] = '\0';
}

void params_print(FILE *f, const struct params *p)
{
	static const char *const pipe_name[PIPE_COUNT] = { [PIPE_SP] = "SP", [PIPE_SFU] = "SFU", [PIPE_MEM] = "MEM" };

	fprintf(f, "machine %s\n", p->machine);
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		fprintf(f, "  %-20s %8" PRIu32 " %-12s %s\n", info[i].name, value(p, i), info[i].unit, p->source[i]);
	fprintf(f, "functional units       latency interval pipeline\n");
	for (unsigned u = 0; u < FU_COUNT; u++) {
		char name[24];

		lower(name, fu_name[u], sizeof name);
		fprintf(f, "  %-20s %7" PRIu32 " %8" PRIu32 " %-8s %s\n", name, p->unit[u].latency, p->unit[u].interval,
			pipe_name[p->unit[u].pipe], p->unit[u].source);
	}
	fprintf(f, "energy %s (%s)\n", p->energy->name, p->energy->what);
}

void params_list(FILE *f)
{
	fprintf(f, "machines\n");
	for (unsigned m = 0; m < MACHINES; m++)
		fprintf(f, "  %-20s %s\n", machine[m].name, machine[m].what);
	fprintf(f, "parameters (--set name=value)\n");
	for (unsigned i = 0; i < PARAM_COUNT; i++)
		fprintf(f, "  %-20s %s: default %" PRIu64 ", %" PRIu64 " .. %" PRIu64 " %s\n", info[i].name, info[i].what,
			info[i].def, info[i].min, info[i].max, info[i].unit);
	fprintf(f, "  CLASS_latency, CLASS_interval: 1 .. %d cycles, CLASS one of", UNIT_LATENCY_MAX);
	for (unsigned u = 0; u < FU_COUNT; u++) {
		char name[24];

		lower(name, fu_name[u], sizeof name);
		fprintf(f, " %s", name);
	}
	fprintf(f, "\n");
}

json_t *params_json(const struct params *p)
{
	json_t *o = json_object();

	for (unsigned i = 0; o && i < PARAM_COUNT; i++)
		json_object_set_new(o, info[i].name, json_integer(value(p, i)));
	for (unsigned u = 0; o && u < FU_COUNT; u++) {
		char name[24], key[40];

		lower(name, fu_name[u], sizeof name);
		snprintf(key, sizeof key, "%s_latency", name);
		json_object_set_new(o, key, json_integer(p->unit[u].latency));
		snprintf(key, sizeof key, "%s_interval", name);
		json_object_set_new(o, key, json_integer(p->unit[u].interval));
	}
	if (o)
		json_object_set_new(o, "energy", json_string(p->energy->name));
	return o;
}

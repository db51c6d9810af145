/* Energy: expands energy.def over the cost tables of energy/list.def. */
#include "runtime-model/energy.h"

#include <string.h>

#define VALUE(name, pj, source) [COST_##name] = pj,
#define NOT_GIVEN(name, why)
static const double corf_cost[COST_COUNT] = {
#include "runtime-model/energy/corf.def"
};
static const double hrf_cost[COST_COUNT] = {
#include "runtime-model/energy/hrf.def"
};
#undef VALUE
#undef NOT_GIVEN
#define VALUE(name, pj, source) [COST_##name] = source,
#define NOT_GIVEN(name, why) [COST_##name] = why,
static const char *const corf_source[COST_COUNT] = {
#include "runtime-model/energy/corf.def"
};
static const char *const hrf_source[COST_COUNT] = {
#include "runtime-model/energy/hrf.def"
};
#undef VALUE
#undef NOT_GIVEN
#define VALUE(name, pj, source) [COST_##name] = false,
#define NOT_GIVEN(name, why) [COST_##name] = true,
static const bool corf_missing[COST_COUNT] = {
#include "runtime-model/energy/corf.def"
};
static const bool hrf_missing[COST_COUNT] = {
#include "runtime-model/energy/hrf.def"
};
#undef VALUE
#undef NOT_GIVEN
#define VALUE(name, pj, source) + 1
#define NOT_GIVEN(name, why) + 1
_Static_assert(0
#include "runtime-model/energy/corf.def"
	== (int)COST_COUNT, "corf.def must give every cost once");
_Static_assert(0
#include "runtime-model/energy/hrf.def"
	== (int)COST_COUNT, "hrf.def must give every cost once");
#undef VALUE
#undef NOT_GIVEN

#define ENERGY_TABLE(name, what) { #name, what, name##_cost, name##_source, name##_missing },
static const struct energy_table table[] = {
#include "runtime-model/energy/list.def"
};
#undef ENERGY_TABLE

static const struct { const char *name, *unit, *what; } cost_info[COST_COUNT] = {
#define COST(name, unit, what) { #name, unit, what },
#define COMPONENT(name, dynamic, value)
#include "runtime-model/energy.def"
#undef COST
#undef COMPONENT
};

static const bool is_dynamic[ENERGY_COUNT] = {
#define COST(name, unit, what)
#define COMPONENT(name, dynamic, value) dynamic,
#include "runtime-model/energy.def"
#undef COST
#undef COMPONENT
};

const struct energy_table *energy_find(const char *name)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

void energy_list(FILE *f)
{
	fprintf(f, "energy tables (--set energy=NAME)\n");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		fprintf(f, "  %-20s %s\n", table[i].name, table[i].what);
		for (unsigned c = 0; c < COST_COUNT; c++)
			if (table[i].missing[c])
				fprintf(f, "    %-18s not given    %s (%s)\n", cost_info[c].name, cost_info[c].what, table[i].source[c]);
			else
				fprintf(f, "    %-18s %8.2f %s  %s (%s)\n", cost_info[c].name, table[i].cost[c], cost_info[c].unit,
					cost_info[c].what, table[i].source[c]);
	}
}

/* Registers that pass a packer or an unpacker. */
static uint64_t pack_operations(const struct stats *s)
{
	return s->width1_operations + s->width2_operations + s->width3_operations + s->width4_operations;
}

double energy_component(enum energy_component which, const struct stats *s, const struct params *p)
{
	const double *c = p->energy->cost;

	switch (which) {
#define COST(name, unit, what)
#define COMPONENT(name, dynamic, value) case ENERGY_##name: return value;
#include "runtime-model/energy.def"
#undef COST
#undef COMPONENT
	case ENERGY_COUNT: break;
	}
	return 0;
}

double energy_dynamic(const struct stats *s, const struct params *p)
{
	double sum = 0;

	for (unsigned c = 0; c < ENERGY_COUNT; c++)
		if (is_dynamic[c])
			sum += energy_component(c, s, p);
	return sum;
}

double energy_total(const struct stats *s, const struct params *p)
{
	double sum = 0;

	for (unsigned c = 0; c < ENERGY_COUNT; c++)
		sum += energy_component(c, s, p);
	return sum;
}

/* Does anything that was counted cost it? Leakage of a register file that is wholly on is every configuration's. */
static bool counts(enum energy_cost which, const struct stats *s, const struct params *p)
{
	double cost[COST_COUNT] = { 0 };
	const struct energy_table only = { .cost = cost };
	struct params with = *p;

	if (which == COST_rf_leakage && s->rf_powered_entries == s->cycles * p->sms * (p->rf_registers / 32))
		return false;
	cost[which] = 1;
	with.energy = &only;
	return energy_total(s, &with) > 0;
}

const char *energy_missing(const struct stats *s, const struct params *p, struct arena *a)
{
	const char *text = NULL;

	for (unsigned c = 0; c < COST_COUNT; c++)
		if (p->energy->missing[c] && counts(c, s, p))
			text = text ? arena_printf(a, "%s, %s", text, cost_info[c].name) : cost_info[c].name;
	return !text ? NULL : arena_printf(a, "the energy table %s gives no %s: this configuration has them, and its energy leaves them out",
	                                   p->energy->name, text);
}

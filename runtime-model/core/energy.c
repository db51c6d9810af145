/* Energy: expands energy.def over the cost tables of energy/list.def. */
#include "runtime-model/core/energy.h"
#include "analyzer/base/near.h"
#include "runtime-model/core/storage.h"
#include "passes/orf_energy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Of the level's array, for a register of a whole warp. */
static struct rf_access hrf_access(enum rf_level level, const struct params *p)
{
	struct rf_access a;

	if (level != LEVEL_MRF && p->level_access)
		return p->level_access(p, level);
	a = orf_access_energy(level, params_cost_entries(p), params_active_warps(p));
	return (struct rf_access){ OPERAND_ACCESSES * a.read, OPERAND_ACCESSES * a.write };
}

static double hrf_wire(enum rf_level level, bool shared) { return OPERAND_WORDS * orf_wire_energy(level, shared); }

/* ---- of a GPU beside its register files: energy/gpu.def, docs/ENERGY.md ---- */
#define REST (p->rest_percent / 100.)
static const double COLLECT = 2.75, STEADY = 0.307;
/* of the chip's power, in SMs: Hierarchical RF section 6, of its dynamic power */
static const double SM_SHARE = 0.7;

/* ---- of sub-cores: energy/subcore.def, docs/ENERGY_SOURCES.md#sub-cores ---- */
#define NODE (p->node_percent / 100.)
/* of what an array or its logic takes at 40 or 45 nm: CACTI 6.5 from 40 to 22 nm 0.30 to 0.34, AccelWattch over
 * GPUWattch 0.34 to 0.36; and of what it leaks: 50 mW of 256 KB over CORF's 89.6 mW of 128 */
static const double OLD_TO_12 = 0.33, OLD_LEAKS = 50 / 2. / 89.6;

/* pJ of an access of a unit of GPUWattch (logic.cc), whose numbers are of 90 nm and `volt`: by capacitance and voltage
 * to the 40 nm and the GTX 480 of its configuration, whose voltage is on the line between CACTI's 1.0 V at 45 nm and
 * 0.9 V at 32. It counts each twice, and fits with a factor. */
static double gpuwattch(double pj, double volt, double fitted)
{
	const double v = 0.9 + 0.1 * (40 - 32) / (45 - 32);

	return 2 * pj * v * v / volt / volt * 40 / 90 * fitted;
}

static double fpu(double accesses) { return accesses * gpuwattch(3.9 * 14.91, 1.08, 0.64); }
static double sfu(double accesses) { return accesses * gpuwattch(8 * 14.91, 1.08, 0.51); }
static double alu(double accesses) { return accesses * gpuwattch(0.8 * 1.29, 1.3, 2.38); }

/* pJ of an access of so many bytes of an SRAM: 10 pJ for 64 bits of 8 KB, 20 of 32 KB, 100 of 1 MB, which grows with
 * the root of the capacity. */
static double sram(double bytes, double capacity) { return bytes / 8 * 10 * sqrt(capacity / 8192); }

/* Costs may depend on the parameters: those of the upper levels, on how many entries there are. */
#define TABLE(id, name, what)                                               \
	static double id##_cost(enum energy_cost c, const struct params *p) \
	{                                                                   \
		(void)p;                                                    \
		switch (c) {
#define VALUE(name, pj, source) \
	case COST_##name:       \
		return pj;
#define NOT_GIVEN(name, why) \
	case COST_##name:    \
		return 0;
#define TABLE_END         \
	case COST_COUNT:  \
		break;    \
		}         \
		return 0; \
		}
#include "runtime-model/energy/list.def"

#define TABLE(id, name, what) _Static_assert(0
#define VALUE(name, pj, source) +1
#define NOT_GIVEN(name, why) +1
#define TABLE_END == (int)COST_COUNT, "every table must give every cost once");
#include "runtime-model/energy/list.def"

static const struct energy_table table[] = {
#define TABLE(id, name, what)          \
	{                              \
		name, what, id##_cost, \
		{
#define VALUE(name, pj, source) [COST_##name] = { source, false },
#define NOT_GIVEN(name, why) [COST_##name] = { why, true },
#define TABLE_END \
	}         \
	}         \
	,
#include "runtime-model/energy/list.def"
};

static const struct {
	const char *name, *unit, *what;
} cost_info[COST_COUNT] = {
#define COST(name, unit, what) { #name, unit, what },
#define COMPONENT(name, kind, value)
#include "runtime-model/core/energy.def"
#undef COST
#undef COMPONENT
};

static const enum energy_kind kind[ENERGY_COUNT] = {
#define COST(name, unit, what)
#define COMPONENT(name, kind, value) ENERGY_##kind,
#include "runtime-model/core/energy.def"
#undef COST
#undef COMPONENT
};

static const char *const component_name[ENERGY_COUNT] = {
#define COST(name, unit, what)
#define COMPONENT(name, kind, value) #name,
#include "runtime-model/core/energy.def"
#undef COST
#undef COMPONENT
};

const char *energy_component_name(enum energy_component c) { return component_name[c]; }
enum energy_kind energy_component_kind(enum energy_component c) { return kind[c]; }

const struct energy_table *energy_find(const char *name)
{
	const unsigned i = names_find(NAMES_IN(table, name), name);

	return i < sizeof table / sizeof *table ? &table[i] : NULL;
}

const struct energy_table *energy_named(const char *name, struct diag *d)
{
	const struct energy_table *t = energy_find(name);
	char hint[NEAR_HINT];
	struct near near;

	near_begin(&near, name, strlen(name));
	near_offer_all(&near, NAMES_IN(table, name));
	if (!t)
		diag_error_plain(d, NULL, "no energy table is called '%s'; `sm-model list energy` names them%s", name,
				 near_hint(&near, hint));
	return t;
}

/* Costs from c on that a table lacks for the same reason, as one line. Returns the last of them. */
static unsigned list_missing(FILE *f, const struct energy_table *t, unsigned c)
{
	fprintf(f, "    not given: %s", cost_info[c].name);
	for (; c + 1 < COST_COUNT && t->given[c + 1].missing && strcmp(t->given[c + 1].source, t->given[c].source) == 0;
	     c++)
		fprintf(f, ", %s", cost_info[c + 1].name);
	fprintf(f, " (%s)\n", t->given[c].source);
	return c;
}

static void list_table(FILE *f, const struct energy_table *t, const struct params *p)
{
	fprintf(f, "  %-20s %s\n", t->name, t->what);
	for (unsigned c = 0; c < COST_COUNT; c++)
		if (t->given[c].missing)
			c = list_missing(f, t, c);
		else
			fprintf(f, "    %-18s %8.2f %s  %s (%s)\n", cost_info[c].name, t->cost(c, p), cost_info[c].unit,
				cost_info[c].what, t->given[c].source);
}

void energy_list(FILE *f, const struct energy_table *only)
{
	struct params p;
	struct diag d;

	diag_init(&d, NULL);
	params_machine(&p, params_machine_name(0), &d);
	fprintf(f,
		"energy tables (--set energy=NAME); of upper levels here with rf_l1_entries=%" PRIu32
		", active_warps=%" PRIu32 "\n",
		p.rf_l1_entries, p.active_warps);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!only || only == &table[i])
			list_table(f, &table[i], &p);
	diag_free(&d);
}

/* Registers that pass a packer or an unpacker. */
static uint64_t pack_operations(const struct stats *s)
{
	return s->width1_operations + s->width2_operations + s->width3_operations + s->width4_operations;
}

/* Accesses of L1 by the private datapath, to which evictions count: they pass its side. */
static uint64_t l1_private_reads(const struct stats *s)
{
	return s->rf_l1_reads - s->rf_l1_shared_reads + s->rf_l1_evictions;
}

static uint64_t l1_private_writes(const struct stats *s)
{
	return s->rf_l1_writes - s->rf_l1_shared_writes + s->rf_l0_evictions;
}

static uint64_t l0_reads(const struct stats *s) { return s->rf_l0_reads + s->rf_l0_evictions + s->rf_l0_flushes; }

static double component(enum energy_component which, const struct stats *s, const struct params *p, const double *c)
{
	switch (which) {
#define COST(name, unit, what)
#define COMPONENT(name, kind, value) \
	case ENERGY_##name:          \
		return value;
#include "runtime-model/core/energy.def"
#undef COST
#undef COMPONENT
	case ENERGY_COUNT:
		break;
	}
	return 0;
}

static double sum(unsigned kinds, const struct stats *s, const struct params *p, const double *c)
{
	double all = 0;

	for (unsigned i = 0; i < ENERGY_COUNT; i++)
		if (kinds & kind[i])
			all += component(i, s, p, c);
	return all;
}

static void costs(const struct params *p, double c[COST_COUNT])
{
	for (unsigned i = 0; i < COST_COUNT; i++)
		c[i] = p->energy->cost(i, p);
}

/* Is it what every configuration has, and may be left out of all: leakage of a register file that is wholly on, as it
 * is without renaming, the wires of one with nothing above it, and what machines of collectors have none of? */
static bool common(enum energy_cost which, const struct stats *s)
{
	if (which == COST_rf_leakage)
		return !s->rename_powered_cycles;
	if (which == COST_rf_wire)
		return !(s->rf_l0_reads + s->rf_l1_reads + s->rf_l0_writes + s->rf_l1_writes);
	return which == COST_operand_stage || which == COST_result_stage || which == COST_uniform_access;
}

/* 1 for each cost that the table lacks and that may not be left out: what comes to more than 0 with these is not
 * known. */
static void lacking(const struct stats *s, const struct params *p, double c[COST_COUNT])
{
	for (unsigned i = 0; i < COST_COUNT; i++)
		c[i] = p->energy->given[i].missing && !common(i, s);
}

double energy_component(enum energy_component which, const struct stats *s, const struct params *p)
{
	double c[COST_COUNT];

	lacking(s, p, c);
	if (component(which, s, p, c) > 0)
		return NAN;
	costs(p, c);
	return component(which, s, p, c);
}

double energy_sum(unsigned kinds, const struct stats *s, const struct params *p)
{
	double c[COST_COUNT];

	lacking(s, p, c);
	if (sum(kinds, s, p, c) > 0)
		return NAN;
	costs(p, c);
	return sum(kinds, s, p, c);
}

bool energy_has_gpu(const struct params *p) { return !p->energy->given[COST_front_end].missing; }

/* Does anything of the register file and of reuse that was counted cost it, beyond what every configuration has? */
static bool counts(enum energy_cost which, const struct stats *s, const struct params *p)
{
	double cost[COST_COUNT] = { 0 };

	cost[which] = 1;
	return !common(which, s) && sum(ENERGY_RF | ENERGY_REUSE, s, p, cost) > 0;
}

static bool gives_all(const struct energy_table *t, const struct stats *s, const struct params *p)
{
	for (unsigned c = 0; c < COST_COUNT; c++)
		if (t->given[c].missing && counts(c, s, p))
			return false;
	return true;
}

/* The first table that has every cost that is asked for; NULL: none. */
static const struct energy_table *remedy(const struct stats *s, const struct params *p)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (gives_all(&table[i], s, p))
			return &table[i];
	return NULL;
}

const char *energy_missing(const struct stats *s, const struct params *p, struct arena *a)
{
	const struct energy_table *other = remedy(s, p);
	const char *text = NULL;

	for (unsigned c = 0; c < COST_COUNT; c++)
		if (p->energy->given[c].missing && counts(c, s, p))
			text = text ? arena_printf(a, "%s, %s", text, cost_info[c].name) : cost_info[c].name;
	if (!text)
		return NULL;
	text = arena_printf(a,
			    "the energy table %s gives no %s: this configuration has them, so its energy is not known",
			    p->energy->name, text);
	if (!other)
		return arena_printf(a, "%s; no table gives them all", text);
	text = arena_printf(a, "%s; --set energy=%s gives them", text, other->name);
	return strcmp(other->name, "all") != 0 && gives_all(energy_find("all"), s, p)
		       ? arena_printf(a, "%s, energy=all those of every technique", text)
		       : text;
}

/* Energy is events times cost per event. The events are counters (stats.def), the costs a table with sources
 * (energy/NAME.def), the components and their formulas energy.def. Nothing here knows a technique. */
#ifndef REGLOOM_ENERGY_H
#define REGLOOM_ENERGY_H

#include "runtime-model/core/stats.h"

enum energy_cost {
#define COST(name, unit, what) COST_##name,
#define COMPONENT(name, kind, value)
#include "runtime-model/core/energy.def"
#undef COST
#undef COMPONENT
	COST_COUNT
};

enum energy_component {
#define COST(name, unit, what)
#define COMPONENT(name, kind, value) ENERGY_##name,
#include "runtime-model/core/energy.def"
#undef COST
#undef COMPONENT
	ENERGY_COUNT
};

enum energy_kind {
	ENERGY_ACCESS = 1,
	ENERGY_WIRE = 2,
	ENERGY_LEAKAGE = 4, /* the register file's */
	ENERGY_EXECUTE = 8,
	ENERGY_SM = 16,
	ENERGY_SM_STEADY = 32,
	ENERGY_CHIP = 64,
	ENERGY_CHIP_STEADY = 128,
	ENERGY_COLLECT = 256,
	ENERGY_REUSE = 512,
	ENERGY_DYNAMIC = ENERGY_ACCESS | ENERGY_WIRE,
	ENERGY_RF = ENERGY_DYNAMIC | ENERGY_LEAKAGE,
	ENERGY_SM_ALL = ENERGY_RF | ENERGY_COLLECT | ENERGY_EXECUTE | ENERGY_REUSE | ENERGY_SM | ENERGY_SM_STEADY,
	ENERGY_REST = ENERGY_SM | ENERGY_SM_STEADY | ENERGY_CHIP | ENERGY_CHIP_STEADY,
	ENERGY_GPU = ENERGY_SM_ALL | ENERGY_CHIP | ENERGY_CHIP_STEADY,
};

struct energy_table {
	const char *name, *what;
	double (*cost)(enum energy_cost c, const struct params *p); /* of one event */
	struct {
		const char *source; /* or why there is none */
		bool missing;       /* it does not give this cost */
	} given[COST_COUNT];
};

const struct energy_table *energy_find(const char *name);                  /* NULL if there is none */
const struct energy_table *energy_named(const char *name, struct diag *d); /* or NULL with a diagnostic */
void energy_list(FILE *f, const struct energy_table *only); /* tables and their costs with sources; NULL: all */
/* pJ. NAN: not known, as the table in force lacks a cost that the counters ask for; but the leakage of a register file
 * that is wholly on and the wires of one without upper levels, which every configuration has, count as 0 where the
 * table lacks them. */
double energy_component(enum energy_component c, const struct stats *s, const struct params *p);
const char *energy_component_name(enum energy_component c); /* as energy.def has it */
enum energy_kind energy_component_kind(enum energy_component c);
/* over the components of these kinds */
double energy_sum(unsigned kinds, const struct stats *s, const struct params *p);
/* Does the table have what a GPU takes beside its register files? */
bool energy_has_gpu(const struct params *p);
/* Of the register file: "the energy table corf gives no l1_read, ...; --set energy=hrf gives them": the costs for which
 * energies are not known. NULL: none. */
const char *energy_missing(const struct stats *s, const struct params *p, struct arena *a);

#endif

/* Where the energy of a GPU goes, configurations beside each other: parts of which each has a number in the JSON too,
 * as percent of what the first configuration takes (WIR's Figures 14 and 16). */
#include "runtime-model/run/compare.h"
#include "runtime-model/core/energy.h"
#include "analyzer/base/text_table.h"

enum { PART_METRICS = 2 };

/* A part is a metric or two; a sum is all parts above it. */
struct part {
	const char *name, *metric[PART_METRICS];
	bool sum;
};

static const struct part sm_part[] = {
	{ "fetch, decode, schedule", { "front_end_energy" }, false },
	{ "register file", { "rf_energy" }, false },
	{ "operand collectors", { "collect_energy" }, false },
	{ "integer, addresses", { "integer_energy", "address_energy" }, false },
	{ "floating point", { "floating_energy" }, false },
	{ "special functions", { "special_energy" }, false },
	{ "reuse logic", { "reuse_logic_energy" }, false },
	{ "L1, shared, read-only", { "sm_memory_energy" }, false },
	{ "SMs, by time", { "sm_steady_energy" }, false },
	{ "SMs", { "sm_energy" }, true },
};
static const struct part chip_part[] = {
	{ "interconnect", { "interconnect_energy" }, false },
	{ "L2", { "l2_energy" }, false },
	{ "DRAM", { "dram_energy" }, false },
	{ "beyond SMs, by time", { "uncore_steady_energy" }, false },
	{ "GPU", { "gpu_energy" }, true },
};
enum { SM_PARTS = sizeof sm_part / sizeof *sm_part, CHIP_PARTS = sizeof chip_part / sizeof *chip_part };

/* pJ. NAN: not known. */
static double energy_of(const struct part *p, const struct stats *st, const struct params *params)
{
	struct metric m;
	double all = 0;

	for (unsigned i = 0; i < PART_METRICS && p->metric[i]; i++)
		if (stats_find(p->metric[i], st, params, &m))
			all += metric_known(&m) ? m.value : (double)NAN;
	return all;
}

/* pJ. NAN: not known, or it failed. */
static double part_energy(const struct run *r, unsigned config, const struct part *p)
{
	return r->timing[config].failed ? (double)NAN
					: energy_of(p, &r->timing[config].stats, r->opt.config[config].params);
}

static const char *percent(const struct run *r, unsigned config, const struct part *p, double whole, struct arena *a)
{
	const double pj = part_energy(r, config, p);

	if (r->timing[config].failed)
		return "failed";
	return isnan(pj) || !(whole > 0) ? "not known" : arena_printf(a, "%.1f", 100 * pj / whole);
}

static void add_rows(struct text_table *t, unsigned row, const struct run *r, const struct part *part, unsigned n,
		     double whole)
{
	for (unsigned i = 0; i < n; i++) {
		text_table_set(t, row + i, 0, part[i].sum ? arena_printf(t->a, "= %s", part[i].name) : part[i].name);
		for (unsigned k = 0; k < r->opt.nconfig; k++)
			text_table_set(t, row + i, 1 + k, percent(r, k, &part[i], whole, t->a));
	}
}

static void print_parts(FILE *out, const struct run *r, const char *of, const struct part *whole, bool chip,
			struct arena *a)
{
	struct text_table t = text_table_new(1 + SM_PARTS + (chip ? CHIP_PARTS : 0), 1 + r->opt.nconfig, a);
	const double first = part_energy(r, 0, whole);

	text_table_set(&t, 0, 0, arena_printf(a, "energy, %% of %s of %s", of, r->opt.config[0].name));
	for (unsigned k = 0; k < r->opt.nconfig; k++)
		text_table_set(&t, 0, 1 + k, r->opt.config[k].name);
	add_rows(&t, 1, r, sm_part, SM_PARTS, first);
	if (chip)
		add_rows(&t, 1 + SM_PARTS, r, chip_part, CHIP_PARTS, first);
	fputc('\n', out);
	text_table_print(out, &t);
}

void compare_print_energy(FILE *out, const struct run *r)
{
	struct arena a;

	for (unsigned k = 0; k < r->opt.nconfig; k++)
		if (!energy_has_gpu(r->opt.config[k].params)) {
			fprintf(out,
				"\nenergy of the GPU: not known, as the energy table %s is of the register file alone; "
				"--set energy=g-scalar, energy=wir and energy=all have a GPU\n",
				r->opt.config[k].params->energy->name);
			return;
		}
	arena_init(&a);
	print_parts(out, r, "the GPU", &chip_part[CHIP_PARTS - 1], true, &a);
	print_parts(out, r, "the SMs", &sm_part[SM_PARTS - 1], false, &a);
	arena_free(&a);
}

/* ---- for tools ---- */
static void add_part(json_t *list, const char *name, const char *of, double pj)
{
	json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", name, "of", of, "uJ",
					      isnan(pj) ? json_null() : json_real(pj * 1e-6)));
}

static void add_parts(json_t *list, const char *of, const struct part *part, unsigned n, const struct stats *st,
		      const struct params *p)
{
	for (unsigned i = 0; i < n; i++)
		if (!part[i].sum)
			add_part(list, part[i].name, of, energy_of(&part[i], st, p));
}

json_t *compare_energy_json(const struct stats *st, const struct params *p)
{
	json_t *list = json_array();

	for (enum energy_component c = 0; c < ENERGY_COUNT; c++) {
		const double pj = energy_component_kind(c) & ENERGY_RF ? energy_component(c, st, p) : 0;

		if (isnan(pj) || pj > 0)
			add_part(list, energy_component_name(c), "rf", pj);
	}
	if (energy_has_gpu(p)) {
		add_parts(list, "sm", sm_part, SM_PARTS, st, p);
		add_parts(list, "gpu", chip_part, CHIP_PARTS, st, p);
	}
	return json_pack("{s:o}", "parts", list);
}

/* Statistics: everything here expands stats.def and stall.def. */
#include "runtime-model/core/stats.h"
#include "runtime-model/core/energy.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum counter {
#define COUNT(name, unit, what) COUNTER_##name,
#define FORMULA(name, unit, value, what)
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	COUNTER_COUNT
};

enum formula {
#define COUNT(name, unit, what)
#define FORMULA(name, unit, value, what) FORMULA_##name,
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	FORMULA_COUNT
};

struct row {
	const char *name, *unit, *what;
	size_t offset;
};

static const struct row counter_row[COUNTER_COUNT] = {
#define COUNT(name, unit, what) { #name, unit, what, offsetof(struct stats, name) },
#define FORMULA(name, unit, value, what)
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
};

static const struct row formula_row[FORMULA_COUNT] = {
#define COUNT(name, unit, what)
#define FORMULA(name, unit, value, what) { #name, unit, what, 0 },
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
};

static const struct row stall_row[STALL_COUNT] = {
#define STALL(id, metric, what) { #metric, "slots", what, 0 },
#include "runtime-model/core/stall.def"
#undef STALL
};

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

/* Of what is counted by some configurations alone: `looked` says whether this one does. */
static double seen_ratio(uint64_t a, uint64_t b, uint64_t looked) { return looked ? ratio(a, b) : METRIC_UNSEEN; }

static double gpu_power(const struct stats *s, const struct params *p)
{
	return s->cycles ? energy_sum(ENERGY_GPU, s, p) * p->sm_mhz * 1e-6 / (double)s->cycles : 0;
}

static double per_watt(double rate, const struct stats *s, const struct params *p)
{
	const double watts = gpu_power(s, p);

	return watts > 0 || isnan(watts) ? rate / watts : 0;
}

static double formula(enum formula f, const struct stats *s, const struct params *p)
{
	switch (f) {
#define COUNT(name, unit, what)
#define FORMULA(name, unit, value, what) \
	case FORMULA_##name:             \
		return value;
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	case FORMULA_COUNT:
		break;
	}
	return 0;
}

void stats_reset(struct stats *s) { memset(s, 0, sizeof *s); }

void stats_merge(struct stats *into, const struct stats *from)
{
#define COUNT(name, unit, what) into->name += from->name;
#define FORMULA(name, unit, value, what)
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	for (unsigned i = 0; i < STALL_COUNT; i++)
		into->slots[i] += from->slots[i];
}

void stats_add_since(struct stats *into, const struct stats *now, const struct stats *before)
{
#define COUNT(name, unit, what) into->name += now->name - before->name;
#define FORMULA(name, unit, value, what)
#include "runtime-model/core/stats.def"
#undef COUNT
#undef FORMULA
	for (unsigned i = 0; i < STALL_COUNT; i++)
		into->slots[i] += now->slots[i] - before->slots[i];
}

unsigned stats_count(void) { return (unsigned)COUNTER_COUNT + STALL_COUNT + FORMULA_COUNT; }

static struct metric integer(const struct row *r, uint64_t v)
{
	return (struct metric){ r->name, r->unit, r->what, true, v, (double)v };
}

struct metric stats_metric(unsigned i, const struct stats *s, const struct params *p)
{
	if (i < COUNTER_COUNT) {
		uint64_t v;

		memcpy(&v, (const char *)s + counter_row[i].offset, sizeof v);
		return integer(&counter_row[i], v);
	}
	i -= COUNTER_COUNT;
	if (i < STALL_COUNT)
		return integer(&stall_row[i], s->slots[i]);
	i -= STALL_COUNT;
	return (struct metric){ formula_row[i].name, formula_row[i].unit, formula_row[i].what, false, 0,
				formula(i, s, p) };
}

static const struct row *row_of(unsigned i)
{
	if (i < COUNTER_COUNT)
		return &counter_row[i];
	i -= COUNTER_COUNT;
	return i < STALL_COUNT ? &stall_row[i] : &formula_row[i - STALL_COUNT];
}

const char *stats_name(unsigned i) { return row_of(i)->name; }
const char *stats_unit(unsigned i) { return row_of(i)->unit; }

bool stats_index(const char *name, unsigned *i)
{
	for (*i = 0; *i < stats_count(); ++*i)
		if (strcmp(row_of(*i)->name, name) == 0)
			return true;
	return false;
}

void stats_near(struct near *x)
{
	for (unsigned i = 0; i < stats_count(); i++)
		near_offer(x, row_of(i)->name);
}

bool stats_find(const char *name, const struct stats *s, const struct params *p, struct metric *out)
{
	unsigned i;

	if (!stats_index(name, &i))
		return false;
	*out = stats_metric(i, s, p);
	return true;
}

/* For people, energies are in microjoules and times in microseconds; JSON keeps the table's units. */
const char *stats_shown_unit(const struct metric *m, double *scale)
{
	bool energy = strcmp(m->unit, "pJ") == 0, seconds = strcmp(m->unit, "s") == 0;

	*scale = 1;
	if (energy)
		*scale = 1e-6;
	else if (seconds)
		*scale = 1e6;
	if (energy)
		return "uJ";
	return seconds ? "us" : m->unit;
}

static void print_number(FILE *f, const struct metric *m)
{
	double scale;

	stats_shown_unit(m, &scale);
	if (m->integer)
		fprintf(f, "%16" PRIu64, m->count);
	else if (!metric_known(m))
		fprintf(f, "%16s", metric_unknown(m));
	else
		fprintf(f, "%16.4f", m->value * scale);
}

static void print_metric(FILE *f, const struct metric *m, const struct metric *base)
{
	double scale;

	fprintf(f, "  %-22s", m->name);
	print_number(f, m);
	if (base) {
		print_number(f, base);
		if (base->value != 0 && metric_known(base) && metric_known(m))
			fprintf(f, " %8.3f", m->value / base->value);
		else
			fprintf(f, " %8s", "-");
	}
	fprintf(f, " %-19s %s\n", stats_shown_unit(m, &scale), m->what);
}

/* What people see unasked; the rest is in the JSON and behind `all`. */
static const char *const main_metric[] = {
	"cycles",
	"seconds",
	"ctas",
	"warp_instructions",
	"thread_instructions",
	"ipc",
	"thread_ipc",
	"simd_lanes",
	"resident_warps",
	"occupancy",
	"control_flushes",
	"barrier_waits",
	NULL,
	"operand_reads",
	"operand_writes",
	"rf_reads",
	"rf_writes",
	"rf_bank_conflicts",
	"rf_conflict_rate",
	"rf_write_conflicts",
	"rf_read_energy",
	"rf_write_energy",
	"rf_dynamic_energy",
	"rf_leakage_energy",
	"rf_energy",
	NULL,
	"metadata_instructions",
	"multi_operand_instructions",
	"coalescable_instructions",
	"coalesced_instructions",
	"coalesced_operands",
	"pair_allocations",
	"pair_packed",
	"reallocations",
	"merge_reads",
	"rename_lookups",
	"rename_updates",
	"rename_conflicts",
	"packer_conflicts",
	"war_waits",
	"rf_powered_entries",
	"rf_held_registers",
	"rename_energy",
	"pack_logic_energy",
	NULL,
	"rf_l1_reads",
	"rf_l1_writes",
	"rf_l0_reads",
	"rf_l0_writes",
	"rf_fills",
	"rf_both_writes",
	"rf_split_reads",
	"rf_dropped_writes",
	"rf_l0_evictions",
	"rf_l1_evictions",
	"rf_flushes",
	"rf_dead_evictions",
	"strands",
	"strand_waits",
	"suspensions",
	"rf_access_energy",
	"rf_wire_energy",
	NULL,
	"divergent_share",
	"scalar_share",
	"scalar_alu",
	"scalar_sfu",
	"scalar_mem",
	"scalar_half",
	"scalar_divergent",
	"divergent_scalar_share",
	"executed_lanes",
	"rf_read_arrays",
	"rf_write_arrays",
	"compression_ratio",
	"bvr_reads",
	"bvr_writes",
	"injected_moves",
	"moves_elided",
	NULL,
	"reuse_rate",
	"reused_instructions",
	"reused_loads",
	"verify_reads",
	"dummy_moves",
	"vsb_hit_rate",
	"phys_registers",
	"reuse_races",
	"reuse_reordered",
	NULL,
	"shared_accesses",
	"shared_conflicts",
	"l1_reads",
	"l1_hit_rate",
	"l1_writes",
	"l1_stall_cycles",
	"load_latency",
	"l2_reads",
	"l2_hit_rate",
	"l2_writes",
	"l2_atomics",
	"dram_reads",
	"dram_writes",
	"dram_row_rate",
	"dram_bandwidth",
	NULL,
	"rf_dynamic_energy",
	"collect_energy",
	"exec_energy",
	"reuse_logic_energy",
	"front_end_energy",
	"sm_memory_energy",
	"sm_steady_energy",
	"sm_energy",
	"interconnect_energy",
	"l2_energy",
	"dram_energy",
	"uncore_steady_energy",
	"gpu_energy",
	"gpu_power",
	"ipc_per_watt",
};
static const char *const main_title[] = {
	"execution",
	"register file",
	"renaming and packing",
	"upper levels of the register file",
	"values that lanes share",
	"reuse",
	"memory",
	"energy of the GPU",
};
/* Are left out where there is no renaming table, no upper level, nobody looks at values, nothing is reused, the table
 * of energies has no GPU. */
enum { RENAMING_SECTION = 2, LEVELS_SECTION, VALUES_SECTION, REUSE_SECTION, ENERGY_SECTION = 7 };

static bool has_section(unsigned section, const struct stats *s, const struct params *p)
{
	if (section == ENERGY_SECTION)
		return energy_has_gpu(p);
	if (section == RENAMING_SECTION)
		return s->rename_powered_cycles;
	if (section == VALUES_SECTION)
		return s->stored_bytes + s->scalar_alu + s->scalar_sfu + s->scalar_mem + s->scalar_half +
		       s->scalar_divergent;
	if (section == REUSE_SECTION)
		return s->phys_register_cycles;
	return section != LEVELS_SECTION || s->rf_l0_reads + s->rf_l1_reads + s->rf_l0_writes + s->rf_l1_writes;
}

void stats_print(FILE *f, const struct stats *s, const struct params *p, const struct stats *base, bool all)
{
	unsigned section = 0;
	bool shown = true;
	struct metric m, b;

	if (all) {
		for (unsigned i = 0; i < stats_count(); i++) {
			m = stats_metric(i, s, p);
			if (base)
				b = stats_metric(i, base, p);
			print_metric(f, &m, base ? &b : NULL);
		}
		return;
	}
	fprintf(f, "%s\n", main_title[0]);
	for (size_t i = 0; i < sizeof main_metric / sizeof *main_metric; i++) {
		if (!main_metric[i]) {
			section++;
			shown = has_section(section, s, p) || (base && has_section(section, base, p));
			if (shown)
				fprintf(f, "%s\n", main_title[section]);
		}
		if (!main_metric[i] || !shown)
			continue;
		if (!stats_find(main_metric[i], s, p, &m))
			assert(!"a main metric that is none");
		if (base)
			stats_find(main_metric[i], base, p, &b);
		print_metric(f, &m, base ? &b : NULL);
	}
	fprintf(f, "issue slots\n");
	for (unsigned i = 0; i < STALL_COUNT; i++) {
		if (!s->slots[i] && (!base || !base->slots[i]))
			continue;
		fprintf(f, "  %-22s%15.2f%%", stall_row[i].name, 100 * ratio(s->slots[i], s->issue_slots));
		if (base)
			fprintf(f, "%15.2f%% %8s", 100 * ratio(base->slots[i], base->issue_slots), "");
		fprintf(f, " %-19s %s\n", "of slots", stall_row[i].what);
	}
}

json_t *metric_json(const struct metric *m)
{
	if (m->integer)
		return json_integer((json_int_t)m->count);
	return metric_known(m) ? json_real(m->value) : json_null();
}

json_t *stats_json(const struct stats *s, const struct params *p)
{
	json_t *o = json_object();

	for (unsigned i = 0; o && i < stats_count(); i++) {
		struct metric m = stats_metric(i, s, p);

		json_object_set_new(o, m.name, json_pack("{s:o, s:s}", "value", metric_json(&m), "unit", m.unit));
	}
	return o;
}

void stats_list(FILE *f)
{
	fprintf(f, "metrics\n");
	for (unsigned i = 0; i < stats_count(); i++) {
		const struct row *r = row_of(i);

		fprintf(f, "  %-22s %s (%s)\n", r->name, r->what, r->unit);
	}
}

/* Parameters of the modelled machine: one table (params.def), one machine description in force (machine/NAME.def), and
 * changes by name. Each number knows its unit and its source. */
#ifndef REGLOOM_PARAMS_H
#define REGLOOM_PARAMS_H

#include "analyzer/base/diag.h"
#include "passes/occupancy.h"
#include "passes/orf_energy.h"

#include <jansson.h>

typedef uint64_t cycle; /* of the SM clock, from the start of the launch */

enum pipe { PIPE_SP, PIPE_SFU, PIPE_MEM, PIPE_COUNT };

/* of a functional-unit class */
struct unit_time {
	uint32_t latency; /* cycles in the pipeline; MEM: of address generation, memory comes on top */
	/* cycles before the unit takes the next instruction; params.simt_lanes stretches it */
	uint32_t interval;
	enum pipe pipe;
};

/* Of a value in force. A text that begins with GUESS says that nobody has measured or published it. */
#define GUESS "guess:"
struct origin {
	const char *source;
	const char *inherited; /* the machine whose file gives it, if that is another one than asked for */
};

enum param_id {
#define PARAM(name, type, unit, def, min, max, what) PARAM_##name,
#include "runtime-model/core/params.def"
#undef PARAM
	PARAM_COUNT
};

struct energy_table; /* energy.h */

struct params {
	const char *machine, *what; /* "gtx480", "NVIDIA GTX 480 ..." */
	char changes[256];          /* what params_set() changed, "rf_banks=4, sms=1", as far as it fits */
#define PARAM(name, type, unit, def, min, max, what) type##_t name;
#include "runtime-model/core/params.def"
#undef PARAM
	struct unit_time unit[FU_COUNT];
	const char *issue; /* the machine's scheduler: a value of the issue axis (axis.h) */
	const struct energy_table *energy;
	/* hierarchy_ops.access of the configuration, if it has one (rf_config_parse()) */
	struct rf_access (*level_access)(const struct params *p, enum rf_level level);
	struct origin origin[PARAM_COUNT], unit_origin[FU_COUNT], issue_origin, energy_origin;
};

/* The machines in order, the default first; NULL after the last. */
const char *params_machine_name(unsigned i);

bool params_machine_known(const char *name);

/* Fills p with machine NAME. False with a diagnostic that names the machines there are. */
bool params_machine(struct params *p, const char *name, struct diag *d);
/* Applies "name=value": a row of params.def, CLASS_latency or CLASS_interval of a functional-unit class
 * ("fp_mad_latency"), or energy=TABLE. Checks the range. False with a diagnostic. */
bool params_set(struct params *p, const char *assignment, struct diag *d);
/* The same, as of `from`, and not one of the changes. */
bool params_assign(struct params *p, const char *assignment, const struct origin *from, struct diag *d);
unsigned params_id(const char *name); /* enum param_id; PARAM_COUNT: there is none */
const char *params_id_name(unsigned id);
const char *params_unit(unsigned id);
uint32_t *params_value(struct params *p, unsigned id);
void params_range(unsigned id, uint32_t *least, uint32_t *most);
bool params_fu(const char *name, unsigned *fu);                   /* "fp_mad" */
bool params_half(const char *name, unsigned *fu, bool *interval); /* "fp_mad_latency" */
const char *params_fu_name(unsigned fu, struct arena *a);
const char *params_pipe(unsigned n);                               /* NULL: there are less */
bool params_equal(const struct params *a, const struct params *b); /* values, whatever their sources */
bool params_known(const char *name, size_t n);                     /* may params_set() change it? */
bool params_changed(const struct params *p, const char *name);     /* has it, a row of params.def? */
/* Each number is within its range; are the caches that they make together small enough to model? False with a
 * diagnostic for `name`, a configuration, or NULL: the machine. */
bool params_fit(const struct params *p, const char *name, struct diag *d);
/* of a machine */
enum { CACHE_LINES_MAX = 1 << 24 };
/* The values in force with unit and source, one a line (--dump-config). */
void params_print(FILE *f, const struct params *p);
/* Machines, one a line; parameters with the default machine's value, range and meaning (sm-model list). */
void params_list_machines(FILE *f);
void params_list(FILE *f);
/* {"sms": 15, ..., "fp_mad_latency": 4, ..., "energy": "corf"}, a new reference; NULL if out of memory. */
json_t *params_json(const struct params *p);

static inline unsigned params_warps(const struct params *p) { return p->threads_per_sm / 32; }
/* What occupancy and the passes read of it. Points to p->machine. */
struct sm_limits params_limits(const struct params *p);
/* Sub-cores of an SM, which have its warps in turn; 0: it has none. */
static inline unsigned params_sub_cores(const struct params *p) { return p->core ? p->schedulers : 0; }
/* Register files of an SM: its own, or one of each sub-core. */
static inline unsigned params_register_files(const struct params *p) { return p->core ? p->schedulers : 1; }
/* Places for active warps under two-level scheduling: of all schedulers, each of which has one at least. So many warps
 * have entries in upper levels of the register file. */
unsigned params_active_warps(const struct params *p);
/* Entries a thread of the L1 whose energy counts. */
static inline unsigned params_cost_entries(const struct params *p)
{
	return p->rf_cost_entries ? p->rf_cost_entries : p->rf_l1_entries;
}

#endif

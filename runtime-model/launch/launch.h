/* Launch files: YAML that says how to run a kernel and what must come out. docs/LAUNCH.md is the reference.
 *
 *   buffers:
 *     - {name: A, type: f32, count: 65536, fill: ramp, start: -3, step: 1, modulo: 7}
 *     - {name: C, type: f32, count: 65536}
 *   launches:
 *     - kernel: sgemm
 *       grid: [16, 16]
 *       block: [16, 16]
 *       shared_bytes: 0
 *       args: [{buffer: A}, {buffer: C}, {value: 256, type: u32}]
 *   expect:
 *     - {buffer: C, file: sgemm.expect, abs: 1e-3, rel: 0}
 */
#ifndef REGLOOM_LAUNCH_H
#define REGLOOM_LAUNCH_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/engine.h"

enum fill { FILL_ZERO, FILL_CONSTANT, FILL_RAMP, FILL_RANDOM, FILL_FILE };

struct buffer_spec {
	const char *name;
	enum scalar_type type;
	uint64_t count;
	enum fill fill;
	double start, step;             /* constant: start. ramp: start + (i * step) mod modulo (modulo 0: no mod). */
	double modulo;
	double low, high;               /* random: uniform in [low, high), integers in low .. high - 1 */
	uint64_t seed;
	const char *file;               /* raw little-endian elements; relative to the launch file */
	uint64_t address;               /* set by launch_prepare() */
};

struct arg_spec { int32_t buffer; uint64_t offset; enum scalar_type type; bool is_float; double f; int64_t i; };  /* buffer < 0: a value */

struct launch_spec {
	const char *kernel;
	uint32_t grid[3], block[3], shared_bytes;
	struct arg_spec *arg; unsigned narg;
};

/* launches [first, last] repeat while the first element of `flag` is not zero; the flag is cleared before each round, and
 * the scalar argument `counter_arg` of each (if >= 0) grows by one each round. */
struct repeat_spec { unsigned first, last; int32_t flag; int32_t counter_arg; uint32_t max_rounds; };

struct expect_spec { uint32_t buffer; const char *file; int32_t other; double abs, rel; double allow_mismatch; };
                                        /* allow_mismatch: share of elements that may differ, 0..1 */

struct launch_file {
	const char *path;
	struct buffer_spec *buffer; unsigned nbuffer;
	struct launch_spec *launch; unsigned nlaunch;
	struct repeat_spec *repeat; unsigned nrepeat;
	struct expect_spec *expect; unsigned nexpect;
};

/* Reads and checks a launch file through libcyaml. NULL with a diagnostic (file and line where the library gives one). */
struct launch_file *launch_read(const char *path, struct arena *a, struct diag *d);
/* Allocates and fills the buffers. False with a diagnostic. */
bool launch_prepare(struct launch_file *f, struct device *dev, struct arena *a, struct diag *d);
/* Builds k's parameter block for launch i in round `round`, checking count and types against k->param. */
bool launch_params(const struct launch_file *f, unsigned i, unsigned round, const struct kernel *k, void *out, struct diag *d);
/* Compares the expectations. Returns mismatching elements beyond tolerance over all of them; reports the first few on d as
 * plain lines (name, index, got, expected). -1 if an expected file cannot be read. */
int64_t launch_check(const struct launch_file *f, struct device *dev, struct arena *a, struct diag *d);
bool launch_dump(const struct launch_file *f, struct device *dev, const char *buffer, const char *path, struct arena *a, struct diag *d);

#endif

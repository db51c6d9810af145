/* Launch files: YAML that says how to run kernels and what must come out. docs/LAUNCH.md is the reference.
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
 *
 * The order of use: launch_read, launch_bind to a module, launch_prepare on a device, then launch_advance and
 * launch_params for each launch, launch_check at the end. run.h does all of it. */
#ifndef REGLOOM_LAUNCH_H
#define REGLOOM_LAUNCH_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/engine.h"

enum {
	LAUNCH_SHOWN = 5,      /* mismatches kept for the report of one expectation */
	LAUNCH_PART = 1 << 16, /* elements between two looks at the stop flag */
};

/* a number of the file, exact if it is an integer of 64 bits and a sign */
struct number {
	bool is_int, neg;
	uint64_t mag; /* |value| of an integer */
	double f;     /* the value, rounded if need be */
};

/* MEMORY: the next bytes of launch_file.memory */
enum fill { FILL_ZERO, FILL_CONSTANT, FILL_RAMP, FILL_RANDOM, FILL_FILE, FILL_MEMORY, FILL_NONE, FILL_COUNT };

struct buffer_spec {
	const char *name;
	enum scalar_type type; /* b, u, s of 8 to 64 bits, f32, f64 */
	uint64_t count;        /* elements, 1 .. 2^32 */
	enum fill fill;
	struct number start, step; /* constant: start. ramp: start + (i * step) mod modulo (modulo 0: no mod). */
	struct number modulo;
	struct number low, high; /* random: uniform in [low, high), integers in low .. high - 1 */
	uint64_t seed;
	const char *file; /* raw little-endian elements; relative to the launch file */
	uint64_t place;   /* the address that it must have; 0: where a driver would put it */
	/* of the module, .global or .const, which it is: by its name; NULL: none */
	const char *variable;
	uint64_t address; /* set by launch_prepare() */
	struct loc at;
};

/* a texture, surface or sampler: r, whose data is a buffer's */
struct resource_spec {
	struct resource r;
	uint32_t buffer;
	uint64_t offset; /* of its texels in the buffer, bytes */
	uint64_t place;  /* the handle that it must have; 0: any */
	uint64_t handle; /* set by launch_prepare() */
	struct loc at;
};

struct arg_spec {
	int32_t resource;      /* 1 + index: its handle; 0: not one */
	int32_t buffer;        /* address of this buffer plus offset; < 0: a value, or fields */
	uint64_t offset;       /* bytes */
	enum scalar_type type; /* TY_COUNT: that of the kernel's parameter */
	struct number value;
	struct arg_spec *field;
	unsigned nfield; /* of a struct or array, placed by C's rules of alignment */
	struct loc at;
};

struct launch_spec {
	const char *kernel;
	/* cluster: zeros: as the kernel says */
	uint32_t grid[3], block[3], cluster[3], shared_bytes, stack_bytes;
	bool cooperative;
	uint32_t code_before; /* instructions of other kernels that lie before its code */
	struct arg_spec *arg;
	unsigned narg;
	struct loc at;
};

/* Launches [first, last] repeat: with `flag` while its first element is not zero after a round, at most max_rounds
 * times; the element is cleared before each round. Without (flag < 0), max_rounds times. The integer argument
 * `counter_arg` of each (if >= 0) grows by one each round. Repeats are in order and do not overlap. */
struct repeat_spec {
	unsigned first, last;
	int32_t flag;
	int32_t counter_arg;
	uint32_t max_rounds;
	struct loc at;
};

struct expect_spec {
	uint32_t buffer;
	const char *file; /* expected elements; NULL: those of buffer `other` */
	uint32_t other;
	double abs, rel;       /* floats: |got - expected| <= abs + rel * |expected|; NaN equals NaN */
	double allow_mismatch; /* share of elements that may differ, 0..1 */
	struct loc at;
};

struct launch_file {
	const char *path;
	struct buffer_spec *buffer;
	unsigned nbuffer;
	struct resource_spec *resource;
	unsigned nresource;
	struct launch_spec *launch;
	unsigned nlaunch;
	struct repeat_spec *repeat;
	unsigned nrepeat;
	struct expect_spec *expect;
	unsigned nexpect;
	uint64_t heap_bytes; /* that malloc of kernels may give; 0: not said */
	/* Of a launch that was saved (docs/SAVED.md): files, and what else was there before it; each
	 * NULL or 0 where it is not. */
	const char *memory, *l2;
	const char *object_sha256; /* of the file with the kernel */
	uint64_t grid_barrier;     /* the address of cooperative launches' */
	struct loc memory_at, l2_at, object_at;
	const struct module *loaded; /* set by launch_load() */
	/* what the user of the file may set: filling and comparing end early when it is raised; device_set_mufu() */
	stop_flag stop;
	const struct mufu_table *mufu;
};

/* Reads and checks a launch file ("-": standard input). NULL with a diagnostic that has line and column. In arena a. */
struct launch_file *launch_read(const char *path, struct arena *a, struct diag *d);
/* The same from a text already read; `file:` names are taken relative to the folder of s->name. */
struct launch_file *launch_read_source(const struct source *s, struct arena *a, struct diag *d);
/* Kernels that f calls by a C++ name (kernel_is_named()) get that of their symbol, if m has one of it alone. False with
 * a diagnostic: it has several. Before launch_bind(). */
bool launch_name_kernels(struct launch_file *f, const struct module *m, struct diag *d);
/* Checks f against m: kernels exist, their parameters match the arguments, blocks obey the launch bounds. */
bool launch_bind(const struct launch_file *f, const struct module *m, struct diag *d);
/* Checks launch i alone, which is k's. */
bool launch_bind_one(const struct launch_file *f, unsigned i, const struct kernel *k, struct diag *d);
/* Is the file with these bytes, called `name`, the one that f was saved with? False with a diagnostic. */
bool launch_object_fits(const struct launch_file *f, const void *bytes, size_t n, const char *name, struct diag *d);
/* Loads m; its variables that are buffers of f go where f says. Before launch_prepare(). False with a diagnostic. */
bool launch_load(struct launch_file *f, const struct module *m, struct device *dev, struct arena *a, struct diag *d);
/* Allocates and fills the buffers; what f->stop leaves unfilled is zero. False with a diagnostic. */
bool launch_prepare(struct launch_file *f, struct device *dev, struct arena *a, struct diag *d);
/* The same of buffers that have addresses in memory of dev, which is zero. */
bool launch_fill_buffers(struct launch_file *f, struct device *dev, struct arena *a, struct diag *d);
/* Writes a buffer's `count` elements to out, as its fill says, or the first of them if `stop` is raised. path: the
 * launch file's own. False with a diagnostic. */
bool launch_fill(const struct buffer_spec *b, const char *path, void *out, stop_flag stop, struct arena *a,
		 struct diag *d);

/* Goes through the launches in the order in which they run. Start with a zeroed cursor; call before each launch. */
struct launch_cursor {
	unsigned launch;
	uint32_t round;
	bool started;
};
enum launch_step { LAUNCH_RUN, LAUNCH_DONE, LAUNCH_FAILED };
enum launch_step launch_advance(const struct launch_file *f, struct device *dev, struct launch_cursor *c,
				struct diag *d);

uint32_t launch_param_bytes(const struct kernel *k); /* size of k's parameter block */
/* Builds k's parameter block for launch i in round `round` into launch_param_bytes(k) bytes, checking count and types
 * against k->param. False with a diagnostic. */
bool launch_params(const struct launch_file *f, unsigned i, uint32_t round, const struct kernel *k, void *out,
		   struct diag *d);

struct expect_result {
	const char *buffer, *against;        /* names of what was compared with what */
	uint64_t count, mismatches, allowed; /* elements; allowed: mismatches that still pass */
	bool pass;
	/* |got - expected| over all elements where both are finite numbers; floats only */
	double largest;
	unsigned nshown; /* the first mismatches */
	struct {
		uint64_t index;
		const char *got, *expected;
	} shown[LAUNCH_SHOWN];
};
/* PARTIAL: not judged, since the run was stopped. ERROR: an expected file is not usable; diagnostic */
enum check { CHECK_NONE, CHECK_PASS, CHECK_FAIL, CHECK_PARTIAL, CHECK_ERROR };
/* Compares all expectations of f; res: f->nexpect results, texts in arena a. */
enum check launch_check(const struct launch_file *f, struct device *dev, struct expect_result *res, struct arena *a,
			struct diag *d);
/* Element i of those at p, as reports show it, in arena a. */
const char *launch_element(struct arena *a, const void *p, uint64_t i, enum scalar_type t);
/* f as a file: its buffers that are zeros or memory, its launches, what it says of itself. `head`: lines of comment.
 * False: out of memory, or it cannot be written. */
bool launch_write(FILE *out, const struct launch_file *f, const char *head);
/* The bytes of a file that f names for itself, in arena a. NULL with a diagnostic. */
const void *launch_read_zipped(const struct launch_file *f, const char *file, struct loc at, uint64_t *n,
			       struct arena *a, struct diag *d);
/* Writes the elements of a buffer, raw and little-endian, to a file. */
bool launch_dump(const struct launch_file *f, struct device *dev, const char *buffer, const char *path, struct arena *a,
		 struct diag *d);

/* Parses all of text as a number: decimal or 0x integer with a sign, or what strtod takes, or .inf and .nan. */
bool number_parse(struct number *n, const char *text);
/* Is n a value of type t? u: 0 .. 2^bits - 1, s: two's complement, b: either, f: any number. */
bool number_fits(const struct number *n, enum scalar_type t);
/* Stores n as an element of type t (little-endian; n wraps if it does not fit). */
void number_store(const struct number *n, enum scalar_type t, void *out);

#endif

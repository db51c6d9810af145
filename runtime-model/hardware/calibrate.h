/* A machine measured: what kernels of ours take on a device, and the parameters with which the model takes as long. */
#ifndef REGLOOM_CALIBRATE_H
#define REGLOOM_CALIBRATE_H

#include "runtime-model/hardware/hardware.h"

#include <stdio.h>

enum probe_id {
#define PROBE(id, ...) PROBE_OF_##id,
#define FIT(param, first, last)
#include "runtime-model/hardware/probes.def"
#undef PROBE
#undef FIT
	PROBE_OF_COUNT
};

/* Cycles of an element: the median of the runs, the least and the most. */
struct measured_probe {
	double cycles, low, high;
};

/* A parameter; `low` to `high`: values with which the model measures the same. */
struct fitted {
	unsigned param, first, last; /* enum param_id; enum probe_id, of the probes that it is fitted to */
	uint32_t before, value, low, high;
	bool near; /* no value gives what the device takes: the one that comes nearest */
};

enum { TOLD_MOST = 8 };
struct calibration {
	const struct hardware *device;
	struct params machine; /* what it became */
	const char *base;      /* what it started from */
	unsigned sm;           /* of the machine code that ran */
	struct measured_probe on[PROBE_OF_COUNT];
	double model[PROBE_OF_COUNT]; /* with the parameters in the end */
	struct measured_probe launch; /* ns of a kernel that does nothing, by events */
	double model_launch;
	struct fitted *fit;
	unsigned nfit;
	unsigned told[TOLD_MOST], ntold; /* enum param_id: those that the device itself tells, and what hangs on them */
};

/* Measures h, `runs` times, and fits the parameters of `base`. progress: called with what is done, or NULL. False with
 * a diagnostic. */
bool calibrate(struct calibration *c, struct hardware *h, const struct params *base, unsigned runs,
	       void (*progress)(const char *what), struct arena *a, struct diag *d);
void calibrate_print(FILE *f, const struct calibration *c);
/* A file for --machine. */
void calibrate_machine(FILE *f, const struct calibration *c);

#endif

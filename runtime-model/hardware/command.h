/* regloom-gpu's commands, a file each. */
#ifndef REGLOOM_HARDWARE_COMMAND_H
#define REGLOOM_HARDWARE_COMMAND_H

#include "analyzer/base/options.h"
#include "runtime-model/hardware/walk.h"

/* the commands that take an option, as bits */
enum { CALIBRATE = 1, VERIFY = 2, PREDICT = 4, MUFU = 8, MATRIX = 16 };

enum option {
#define OPTION(id, ...) OPT_##id,
#include "runtime-model/hardware/options.def"
#undef OPTION
	OPT_COUNT
};

/* The device that the options ask for. False with a diagnostic. */
bool open_hardware(struct hardware *h, const struct options *o, struct arena *a, struct diag *d);
/* That of --machine or --from, else the machine with sub-cores which is most like the device. */
bool fitting_machine(struct params *p, const char *name, const struct hardware *h, const struct options *o,
		     struct arena *a, struct diag *d);
/* What is to be run: a kernel and its --launch, or all of --suite. An exit code. */
int pairs_given(struct pair **list, unsigned *n, const struct options *o, struct arena *a, struct diag *d);
/* What is being done, on a terminal, in place of what was said before; NULL: nothing more. */
void say_progress(const char *what);

int command_calibrate(const struct options *o, struct arena *a, struct diag *d);
int command_mufu(const struct options *o, struct arena *a, struct diag *d);
int command_matrix(const struct options *o, struct arena *a, struct diag *d);
int command_verify(const struct options *o, struct arena *a, struct diag *d);
int command_predict(const struct options *o, struct arena *a, struct diag *d);

#endif

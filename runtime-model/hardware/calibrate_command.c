/* regloom-gpu calibrate. */
#include "runtime-model/hardware/calibrate.h"
#include "runtime-model/hardware/command.h"
#include "analyzer/base/outfile.h"

static bool write_machine(const struct calibration *c, const char *path, struct arena *a, struct diag *d)
{
	struct outfile out;

	if (!outfile_open(&out, path, a, d))
		return false;
	calibrate_machine(out.f, c);
	return outfile_commit(&out);
}

int command_calibrate(const struct options *o, struct arena *a, struct diag *d)
{
	struct calibration c;
	struct hardware h;
	struct params base;
	bool ok;

	if (!open_hardware(&h, o, a, d))
		return EXIT_INPUT;
	ok = fitting_machine(&base, o->value[OPT_FROM], &h, o, a, d) &&
	     calibrate(&c, &h, &base, (unsigned)o->number[OPT_RUNS], say_progress, a, d);
	h.ops->close(&h);
	if (!ok)
		return EXIT_INPUT;
	say_progress(NULL);
	if (!o->given[OPT_QUIET])
		calibrate_print(stdout, &c);
	return !o->given[OPT_OUTPUT] || write_machine(&c, o->value[OPT_OUTPUT], a, d) ? EXIT_FINE : EXIT_INPUT;
}

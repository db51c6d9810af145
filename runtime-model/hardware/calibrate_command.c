/* regloom-gpu calibrate. */
#include "runtime-model/hardware/calibrate.h"
#include "runtime-model/hardware/command.h"
#include "analyzer/base/outfile.h"

#include <stdlib.h>

/* The machine with sub-cores whose number of SMs, clock and room are most like the device's. */
static const char *nearest(const struct hardware *h, struct diag *d)
{
	const char *best = NULL, *name;
	double least = 0;

	for (unsigned i = 0; (name = params_machine_name(i)); i++) {
		struct params p;
		double far;

		if (!params_machine(&p, name, d) || !p.core)
			continue;
		far = abs((int)p.sms - (int)h->sms) + abs((int)p.sm_mhz - (int)h->sm_mhz) / 100.0;
		if (h->threads_per_sm)
			far += p.threads_per_sm != h->threads_per_sm ? 1000 : 0;
		if (!best || far < least) {
			best = name;
			least = far;
		}
	}
	return best;
}

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
	const char *from;
	bool ok;

	if (!open_hardware(&h, o, a, d))
		return EXIT_INPUT;
	from = o->given[OPT_FROM] ? o->value[OPT_FROM] : nearest(&h, d);
	ok = read_machine(&base, from, o, a, d);
	if (ok && !base.core)
		ok = diag_error_plain(d, base.machine, "has no sub-cores, on which machine code is timed");
	ok = ok && calibrate(&c, &h, &base, (unsigned)o->number[OPT_RUNS], say_progress, a, d);
	h.ops->close(&h);
	if (!ok)
		return EXIT_INPUT;
	say_progress(NULL);
	if (!o->given[OPT_QUIET])
		calibrate_print(stdout, &c);
	return !o->given[OPT_OUTPUT] || write_machine(&c, o->value[OPT_OUTPUT], a, d) ? EXIT_FINE : EXIT_INPUT;
}

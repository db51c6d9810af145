/* What all watchers of a launch together want, and the ends of their intervals. */
#include "runtime-model/core/probe.h"
#include "runtime-model/core/job.h"

unsigned probe_wants(const struct gpu_job *j)
{
	unsigned want = 0;

	for (const struct gpu_probe *p = j->probe; p; p = p->next)
		want |= p->want;
	return want;
}

cycle probe_interval_end(const struct gpu_job *j, cycle now)
{
	cycle first = UINT64_MAX;

	for (const struct gpu_probe *p = j->probe; p; p = p->next)
		if (p->interval && (now / p->interval + 1) * p->interval < first)
			first = (now / p->interval + 1) * p->interval;
	return first;
}

void probe_sample(const struct gpu_job *j, unsigned sm, cycle upto, bool all, const struct stats *st)
{
	for (const struct gpu_probe *p = j->probe; p; p = p->next)
		if (p->interval && (all || upto % p->interval == 0))
			p->sample(p->ctx, sm, upto, st);
}

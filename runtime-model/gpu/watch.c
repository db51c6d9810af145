/* What the watchers of a launch are told of the whole GPU: its beginning and end, and what the memory system
 * counted. */
#include "runtime-model/gpu/private.h"

void probe_sample_memory(struct gpu *g, cycle now)
{
	while (g->sample_at <= now) {
		cycle upto = g->sample_at;

		g->sample_at = probe_interval_end(g->of.job, upto);
		probe_sample(g->of.job, PROBE_MEMORY, upto, false, &g->st);
	}
}

void probe_start(const struct gpu *g)
{
	for (const struct gpu_probe *p = g->of.job->probe; p; p = p->next)
		if (p->start)
			p->start(p->ctx, g->of.job);
}

void probe_last_samples(struct gpu *g, cycle end)
{
	probe_sample_memory(g, end);
	probe_sample(g->of.job, PROBE_MEMORY, end, true, &g->st);
	for (unsigned i = 0; i < g->of.p->sms; i++)
		probe_sample(g->of.job, i, end, true, &g->sm[i].st);
}

void probe_end(const struct gpu *g)
{
	for (const struct gpu_probe *p = g->of.job->probe; p; p = p->next)
		if (p->end)
			p->end(p->ctx, g->st.cycles, &g->st);
}

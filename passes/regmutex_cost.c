/* A cost model with few numbers. An acquire, a release and a move take an issue slot each. What it costs to hold the
 * set longer is that other warps wait: all warps of an SM share its issue slots, and those that want the extended set
 * share its sections. */
#include "passes/regmutex_place.h"

enum {
	SHORT_CYCLES = 8,
	LONG_CYCLES = 120,
	COST_BITS = 24,
	SERIAL = 8, /* this part of the shorter of two times is not hidden behind the longer one */
};

/* Half of the GTX 480's latency from issue to dependent issue: two independent instructions at a time. Of a load from
 * memory, a part is hidden by the loads beside it. */
unsigned regmutex_cycles(const struct insn *i) { return insn_is_long(i) ? LONG_CYCLES : SHORT_CYCLES; }

void regmutex_cost_init(struct regmutex_cost *c, const struct kernel *k, const struct regmutex *r, struct arena *a)
{
	uint64_t most = 1;
	unsigned shift = 0;

	*c = (struct regmutex_cost){
		.k = k, .runs = new_array(a, uint64_t, (size_t)k->nblock + 1), .warps = 1, .sections = 1
	};
	if (r->chosen != REGMUTEX_NONE) {
		c->warps = r->size[r->chosen].warps ? r->size[r->chosen].warps : 1;
		c->sections = r->size[r->chosen].sections ? r->size[r->chosen].sections : 1;
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		most = k->freq->executions[b] > most ? k->freq->executions[b] : most;
	while (most >> shift >> COST_BITS)
		shift++;
	for (uint32_t b = 0; b < k->nblock; b++)
		c->runs[b] = (k->freq->executions[b] >> shift) +
			     (k->cfg->rpo_index[b] != UINT32_MAX && !(k->freq->executions[b] >> shift));
}

uint64_t regmutex_edge_runs(const struct regmutex_cost *c, uint32_t from, uint32_t to)
{
	return c->runs[from] < c->runs[to] ? c->runs[from] : c->runs[to];
}

double regmutex_time(const struct regmutex_cost *c, double issued, double held)
{
	double issue = issued * c->warps,
	       sections = held * (c->sections < c->warps ? (double)c->warps / c->sections : 1);

	return issue > sections ? issue + sections / SERIAL : sections + issue / SERIAL;
}

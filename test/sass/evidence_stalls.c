/* Evidence from the stall counts: between an instruction of fixed latency and the first in its block that reads what it
 * writes there are as many cycles as latency.def says. The least that is met of each pair of units is what that table
 * was made from: --gaps prints its rows. */
#include "analyzer/sass/latency.h"
#include "test/sass/evidence.h"

#include <stdlib.h>
#include <string.h>

/* Targets whose code ptxas times alike. */
static const struct {
	unsigned lo, hi;
} targets[] = { { 75, 75 }, { 80, 89 }, { 90, 90 }, { 100, 119 }, { 120, 121 } };
enum { TARGETS = sizeof targets / sizeof *targets };

struct gaps {
	struct gap {
		uint32_t least, met, n; /* cycles; how often these, and any */
	} of[TARGETS][2][UNIT_COUNT][UNIT_COUNT];
};

struct written {
	uint32_t insn, unit;
	uint64_t at;
	bool fixed;
};

static void note_gap(struct evidence *e, unsigned sm, bool predicate, unsigned from, unsigned to, uint64_t gap)
{
	struct gap *g;
	unsigned t = 0;

	while (t < TARGETS && !(sm >= targets[t].lo && sm <= targets[t].hi))
		t++;
	if (t == TARGETS)
		return;
	if (!e->gaps)
		e->gaps = calloc(1, sizeof *e->gaps);
	if (!e->gaps)
		abort();
	g = &e->gaps->of[t][predicate][from][to];
	if (!g->n || gap < g->least) {
		g->least = (uint32_t)gap;
		g->met = 0;
	}
	g->met += gap == g->least;
	g->n++;
}

static void look(struct evidence *e, const struct kernel *k, uint32_t i, uint64_t now, const struct sass_access *x,
		 const struct written *w)
{
	const unsigned sm = k->native->sm, need = sass_latency(sm, mreg_is_pred(x->reg), w->unit, x->unit);
	const uint64_t gap = now - w->at;
	const char *where;
	uint64_t at;

	e->nstall++;
	if (e->list_gaps)
		note_gap(e, sm, mreg_is_pred(x->reg), w->unit, x->unit, gap);
	if (gap >= need)
		return;
	where = insn_where(k, i, &at);
	violation(e, CHECK_STALLS, where, at,
		  arena_printf(&e->a, "%s is read %llu cycles behind `%s`, which takes %u: %s", reg_name(e, x->reg),
			       (unsigned long long)gap, k->native->print(&e->a, k, w->insn), need,
			       k->native->print(&e->a, k, i)));
}

void check_stalls(struct evidence *e, const struct kernel *k)
{
	struct written *w = new_array(&e->a, struct written, MREG_ALL);
	struct sass_access x[SASS_ACCESSES];

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint64_t now = 0, set[BARRIERS_OF_DEPENDENCE] = { 0 };
		uint32_t is_set = 0;

		memset(w, 0, MREG_ALL * sizeof *w);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			struct sass_insn s;
			unsigned n;

			sass_decode(k->native->sm, insn_word(k, i), &s);
			n = sass_accesses(&s, x);
			for (unsigned d = 0; d < BARRIERS_OF_DEPENDENCE; d++)
				if (is_set & s.control.wait & 1u << d && now < set[d] + BARRIER_HELD_CYCLES)
					now = set[d] + BARRIER_HELD_CYCLES;
			for (unsigned a = 0; a < n; a++)
				if (!x[a].write && w[x[a].reg].fixed)
					look(e, k, i, now, &x[a], &w[x[a].reg]);
			for (unsigned a = 0; a < n; a++)
				if (x[a].write)
					w[x[a].reg] = (struct written){ i, x[a].unit, now,
									s.control.wbar >= BARRIERS_OF_DEPENDENCE &&
										x[a].unit < UNIT_GUARD &&
										sass_queue(k->native->sm, x[a].unit) ==
											QUEUE_NONE };
			for (unsigned r = 0; r < 2; r++) {
				const unsigned d = r ? s.control.rbar : s.control.wbar;

				if (d < BARRIERS_OF_DEPENDENCE) {
					is_set |= 1u << d;
					set[d] = now;
				}
			}
			now += sass_stall_cycles(s.control);
		}
	}
}

void print_gaps(const struct evidence *e)
{
	static const char *const id[] = {
#define UNIT_ID(name, what) #name,
		SASS_UNITS(UNIT_ID)
#undef UNIT_ID
	};

	for (unsigned t = 0; e->gaps && t < TARGETS; t++)
		for (unsigned p = 0; p < 2; p++)
			for (unsigned from = 0; from < UNIT_GUARD; from++) {
				uint32_t n = 0;

				for (unsigned to = 0; to < UNIT_COUNT; to++)
					n += e->gaps->of[t][p][from][to].n;
				if (!n)
					continue;
				printf("gaps %u %u %s %s", targets[t].lo, targets[t].hi, p ? "PRED" : "GPR", id[from]);
				for (unsigned to = 0; to < UNIT_COUNT; to++)
					if (e->gaps->of[t][p][from][to].n)
						printf(", %s %u %u", id[to], e->gaps->of[t][p][from][to].least,
						       e->gaps->of[t][p][from][to].met);
				printf("\n");
			}
}

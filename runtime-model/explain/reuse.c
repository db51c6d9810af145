/* What becomes of repeated computations in hardware that reuses results: each one is looked up a few cycles after it
 * has issued, and if it is not found there, what its latest equal (repeat.h) has come to by then says why. */
#include "runtime-model/explain/counts.h"

const struct became_text became_text[BECAMES] = {
#define BECAME(id, name, words) { #name, words },
#include "runtime-model/explain/became.def"
#undef BECAME
};

/* As many instructions of an SM as the latest that can be asked for, and those that issued while one waited: of more,
 * the equal's entry counts as gone. */
enum { PAST = 1 << 13, NOT_YET = OUTCOMES };

struct reuse_watch {
	bool pending; /* entries are made before their results are there */
	struct past_insn {
		uint64_t at, sources;
		uint8_t outcome;
		bool retired;
	} past[PAST];
	struct {
		uint64_t at, equal;
		bool repeats;
	} flight[PROBE_IDS];
};

struct reuse_watch *reuse_watch_new(struct arena *a) { return new(a, struct reuse_watch); }

void reuse_watch_begin(struct reuse_watch *w, bool pending)
{
	w->pending = pending;
	for (unsigned i = 0; i < PAST; i++)
		w->past[i].at = UINT64_MAX;
}

void reuse_watch_issue(struct reuse_watch *w, const struct probe_event *e, const struct repeat_found *found,
		       struct became_counts *n)
{
	w->flight[e->id].at = found->at;
	w->flight[e->id].equal = found->equal;
	w->flight[e->id].repeats = found->why != REPEAT_NOT;
	w->past[found->at % PAST] = (struct past_insn){ .at = found->at, .outcome = NOT_YET };
	n->of[BECAME_OPEN] += found->why != REPEAT_NOT;
}

/* It was looked up, as it might have been found, and was not. */
static enum became missed(const struct reuse_watch *w, uint64_t equal, uint64_t sources)
{
	const struct past_insn *p = &w->past[equal % PAST];

	if (p->at != equal)
		return BECAME_ENTRY;
	switch (p->outcome) {
	case OUTCOME_REUSED:
	case OUTCOME_REUSED_LATE:
	case OUTCOME_NEW:
	case OUTCOME_QUEUE_FULL:
	case OUTCOME_RACE:
		if (!p->retired && !w->pending)
			return BECAME_EARLY;
		return p->sources == sources ? BECAME_ENTRY : BECAME_REGISTERS;
	case NOT_YET:
		return BECAME_EARLY;
	default:
		return BECAME_NEVER;
	}
}

static enum became became_of(const struct reuse_watch *w, const struct probe_event *e)
{
	switch ((enum reuse_outcome)e->where) {
	case OUTCOME_REUSED:
		return BECAME_REUSED;
	case OUTCOME_REUSED_LATE:
		return BECAME_LATE;
	case OUTCOME_NEW:
		return missed(w, w->flight[e->id].equal, e->sources);
	case OUTCOME_QUEUE_FULL:
		return BECAME_QUEUE;
	case OUTCOME_RACE:
		return BECAME_RACE;
	case OUTCOME_KIND:
		return BECAME_KIND;
	case OUTCOME_DIVERGENT:
		return BECAME_DIVERGENT;
	case OUTCOME_PINNED:
		return BECAME_PINNED;
	case OUTCOME_UNMAPPED:
		return BECAME_UNMAPPED;
	case OUTCOME_STORE:
		return BECAME_STORE;
	case OUTCOME_BARRIERS:
		return BECAME_BARRIERS;
	case OUTCOMES:
		break;
	}
	return BECAME_OPEN;
}

void reuse_watch_outcome(struct reuse_watch *w, const struct probe_event *e, struct became_counts *n)
{
	struct past_insn *p = &w->past[w->flight[e->id].at % PAST];

	if (p->at == w->flight[e->id].at) {
		p->outcome = (uint8_t)e->where;
		p->sources = e->sources;
	}
	if (w->flight[e->id].repeats) {
		n->of[BECAME_OPEN]--;
		n->of[became_of(w, e)]++;
	} else {
		n->beyond += e->where == OUTCOME_REUSED || e->where == OUTCOME_REUSED_LATE;
	}
}

void reuse_watch_retire(struct reuse_watch *w, const struct probe_event *e)
{
	struct past_insn *p = &w->past[w->flight[e->id].at % PAST];

	if (p->at == w->flight[e->id].at)
		p->retired = true;
}

void became_add(struct became_counts *sum, const struct became_counts *x)
{
	for (unsigned i = 0; i < BECAMES; i++)
		sum->of[i] += x->of[i];
	sum->beyond += x->beyond;
}

void became_kinds(uint64_t of[REUSE_WHY_COUNT], const struct explain *x, const struct counts *c, struct arena *a)
{
	const struct kernel *k = c->kernel->k;
	const struct reuse_code code = reuse_decode(k, x->params->reuse_field_bits, x->id_bits, a);

	for (unsigned i = 0; i < REUSE_WHY_COUNT; i++)
		of[i] = 0;
	for (uint32_t i = 0; i < k->ninsn; i++)
		of[code.insn[i].why] += c->insn[i].became.of[BECAME_KIND];
}

uint64_t became_reused(const struct became_counts *n) { return n->of[BECAME_REUSED] + n->of[BECAME_LATE]; }

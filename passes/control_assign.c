/* Which of the six barriers tells of what. Two events may have one barrier: who waits for one of them waits for both,
 * which is for nothing where the other is outstanding and not needed yet. That is a colouring of events in which each
 * pair has a price at the instructions that wait. Events get the cheapest barrier in the order of the code, then single
 * ones move while that is cheaper, and few are pushed out of their place besides. The unit tests compare that with all
 * choices.
 *
 * An earlier instruction of the same queue is done when a later one is, so waiting for it costs nothing. */
#include "passes/control.h"

/* PUSHED: in code with more events than that none is pushed, which takes their square. */
enum { ROUNDS = 4, FREE = NO_BARRIER, PUSHED = 24 };

/* Whether event f is certainly done when e is. */
static bool done_with(const struct barrier_point *x, const struct barrier_event *e, const struct barrier_event *f)
{
	const bool f_is_later = f->insn > e->insn && f->insn < x->insn;

	return e->queue && e->queue == f->queue && e->insn >= x->block_first && e->insn < x->insn && !f_is_later &&
	       (e->write || !f->write);
}

static double point_cost(const struct barrier_problem *p, const struct barrier_point *x)
{
	const uint32_t *list = p->list + x->at;
	double cost = 0;

	for (uint32_t s = x->nwait; s < x->n; s++) {
		const struct barrier_event *f = &p->event[list[s]];
		bool waited = false, done = false;

		for (uint32_t d = 0; f->barrier != FREE && d < x->nwait; d++) {
			const struct barrier_event *e = &p->event[list[d]];

			waited |= e->barrier == f->barrier;
			done |= done_with(x, e, f);
		}
		cost += waited && !done ? x->weight * f->late : 0;
	}
	return cost;
}

double barriers_cost(const struct barrier_problem *p)
{
	double cost = 0;

	for (uint32_t x = 0; x < p->npoint; x++)
		cost += point_cost(p, &p->point[x]);
	return cost;
}

struct points_of {
	uint32_t *at, *point; /* of event e: point[at[e] .. at[e + 1]) */
};

static struct points_of points_of(const struct barrier_problem *p, struct arena *a)
{
	struct points_of of = { new_array(a, uint32_t, p->nevent + 2u), new_array(a, uint32_t, p->nlist + 1u) };

	for (uint32_t l = 0; l < p->nlist; l++)
		of.at[p->list[l] + 2]++;
	for (uint32_t e = 0; e < p->nevent; e++)
		of.at[e + 2] += of.at[e + 1];
	for (uint32_t x = 0; x < p->npoint; x++)
		for (uint32_t l = 0; l < p->point[x].n; l++)
			of.point[of.at[p->list[p->point[x].at + l] + 1]++] = x;
	return of;
}

/* The cheapest barrier for event e, the others being as they are. */
static void choose(struct barrier_problem *p, const struct points_of *of, uint32_t e)
{
	struct barrier_event *x = &p->event[e];
	const uint8_t was = x->barrier;
	uint8_t best = FREE;
	double least = 0;

	for (unsigned n = 0; n <= BARRIERS_OF_DEPENDENCE; n++) {
		const uint8_t b = n ? (uint8_t)(n - 1) : was; /* what it has, unless another is cheaper */
		double cost = 0;

		if (b == FREE || (x->twin != UINT32_MAX && p->event[x->twin].barrier == b))
			continue;
		x->barrier = b;
		for (uint32_t i = of->at[e]; i < of->at[e + 1]; i++)
			cost += point_cost(p, &p->point[of->point[i]]);
		if (best == FREE || cost < least) {
			best = b;
			least = cost;
		}
	}
	x->barrier = best;
}

/* Single events move while that is cheaper. */
static double descend(struct barrier_problem *p, const struct points_of *of)
{
	double cost = barriers_cost(p);

	for (unsigned round = 0; cost > 0 && round < ROUNDS; round++) {
		const double before = cost;

		for (uint32_t e = 0; e < p->nevent; e++)
			choose(p, of, e);
		cost = barriers_cost(p);
		if (cost >= before)
			break;
	}
	return cost;
}

/* Each event is pushed to each other barrier, and the others move from there: what is cheaper stays. */
static void push(struct barrier_problem *p, const struct points_of *of, struct arena *a)
{
	uint8_t *best = new_array(a, uint8_t, p->nevent + 1u);
	double least = barriers_cost(p);

	for (uint32_t e = 0; e < p->nevent && least > 0; e++)
		for (unsigned b = 0; b < BARRIERS_OF_DEPENDENCE; b++) {
			double cost;

			for (uint32_t x = 0; x < p->nevent; x++)
				best[x] = p->event[x].barrier;
			if (b == best[e] || (p->event[e].twin != UINT32_MAX && p->event[p->event[e].twin].barrier == b))
				continue;
			p->event[e].barrier = (uint8_t)b;
			for (uint32_t n = 0; n < p->nevent; n++)
				if (n != e)
					choose(p, of, n);
			cost = descend(p, of);
			for (uint32_t n = 0; cost >= least && n < p->nevent; n++)
				p->event[n].barrier = best[n];
			least = cost < least ? cost : least;
		}
}

void barriers_assign(struct barrier_problem *p, struct arena *a)
{
	const struct points_of of = points_of(p, a);

	for (uint32_t e = 0; e < p->nevent; e++)
		p->event[e].barrier = FREE;
	for (uint32_t e = 0; e < p->nevent; e++)
		choose(p, &of, e);
	if (descend(p, &of) > 0 && p->nevent <= PUSHED)
		push(p, &of, a);
}

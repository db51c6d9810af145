/* The integer program in a process of its own (solver.h): sides and bounds that it has found when the time is over are
 * there. */
#include "ilp.h"
#include "solver.h"

#include <string.h>

struct job {
	const struct sgraph *s;
	double seconds;
	struct progress *p;
};

static void work(void *arg)
{
	struct job *j = arg;

	ilp_solve(j->s, j->seconds, j->p);
}

/* What the solver has found, if it is right about it. */
static void take(const struct sgraph *s, const struct progress *p, uint8_t *side, uint64_t *bound, uint64_t *cycles)
{
	const uint8_t *found = p->side + (size_t)(__atomic_load_n(&p->current, __ATOMIC_ACQUIRE) & 1) * s->g.n;
	uint64_t lost = sides_loss(s, side);

	if (sides_loss(s, found) < lost) {
		memcpy(side, found, s->g.n);
		lost = sides_loss(s, side);
	}
	*bound = p->bound < lost ? p->bound : lost;
	*cycles += p->cycles;
}

bool sides_exact(const struct sgraph *s, double seconds, struct arena *a, uint8_t *side, uint64_t *bound,
		 uint64_t *cycles, const char **why)
{
	size_t bytes = sizeof(struct progress) + (size_t)s->g.n * 2;
	struct job job = { s, seconds, solver_share(bytes) };
	struct progress *p = job.p;
	bool timed_out;

	if (!p) {
		*why = "the solver cannot be started: no memory";
		return false;
	}
	memcpy(p->side, side, s->g.n);
	p->lost = sides_loss(s, side);
	*why = solver_run(work, &job, seconds, a, &timed_out);
	if (p->state == FAILED)
		*why = arena_printf(a, "%.*s", (int)sizeof p->why, p->why);
	else if (!*why && !timed_out && p->state == RUNNING)
		*why = "the solver ended without an answer";
	if (!*why)
		take(s, p, side, bound, cycles);
	solver_unshare(p, bytes);
	return !*why;
}

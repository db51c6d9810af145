/* Control codes for code of ours (control.c): what its parts share. */
#ifndef REGLOOM_PASSES_CONTROL_H
#define REGLOOM_PASSES_CONTROL_H

#include "analyzer/ir/latency.h"
#include "passes/pass.h"

struct control_work {
	struct kernel *k;
	struct arena *a;
	unsigned sm;
	struct control_code *code;  /* by instruction */
	struct sass_access *access; /* of instruction i: from access_at[i] up to access_at[i + 1] */
	uint32_t *access_at;
	uint8_t *queue; /* by instruction: enum sass_queue */
	/* by instruction: its results come whenever they come, or too late for stall counts, so a barrier tells */
	bool *slow;
};
static inline const struct sass_access *control_first(const struct control_work *w, uint32_t i)
{
	return w->access + w->access_at[i];
}
static inline unsigned control_accesses(const struct control_work *w, uint32_t i)
{
	return w->access_at[i + 1] - w->access_at[i];
}

/* ---- which barrier: control_assign.c ---- */
/* Something outstanding that a barrier tells of. */
struct barrier_event {
	uint32_t insn;
	bool write;   /* until its results are there; else until its sources have been read */
	uint8_t late; /* cycles that who waits for it without need may lose, about */
	uint8_t queue, barrier;
	uint32_t twin; /* the other event of the same instruction, which must have another barrier; UINT32_MAX: none */
};
/* An instruction that waits: for event[0 .. nwait), while the others are outstanding besides. */
struct barrier_point {
	uint32_t at, nwait, n; /* in barrier_problem.list */
	uint32_t insn, block_first;
	double weight; /* how often it executes, about */
};
struct barrier_problem {
	struct barrier_event *event;
	struct barrier_point *point;
	uint32_t nevent, npoint, event_cap, point_cap;
	uint32_t *list, nlist, list_cap;
};
/* Cycles that are lost, about, by waiting for what needs not be waited for. */
double barriers_cost(const struct barrier_problem *p);
/* Gives each event a barrier. cost: events times points that they are outstanding at. */
void barriers_assign(struct barrier_problem *p, struct arena *a);

/* ---- the parts of the pass ---- */
void control_barriers(struct control_work *w); /* wbar, rbar, wait */
/* stall. False: results of some instructions come too late, and are `slow` now. */
bool control_stalls(struct control_work *w);
void control_reuse(struct control_work *w); /* reuse, yield */

#endif

/* What files of launches and files of graphs need of each other: internal.h and graph.h cannot both be included. */
#ifndef REGLOOM_CUDA_SHARED_H
#define REGLOOM_CUDA_SHARED_H

#include "runtime-model/cuda/core/core.h"

/* Why a call fails, where that is known and not said by its status: a line of each kind, but with --quiet. */
enum explained {
	REASON_LAUNCH,
	REASON_SHARED,
	REASON_FREE,
	REASON_COPY,
	REASON_MEMORY,
	REASON_VIRTUAL,
	REASON_IPC,
	REASON_GRAPH,
	REASON_CONDITION
};
/* explain() of internal.h, outside any call */
void explain_outside(enum explained e, const char *why);

/* The condition of a graph with that handle (condition.c): whether there is one; its value, that a kernel sets. */
bool condition_there(uint64_t handle);
void condition_set(uint64_t handle, uint32_t value);

/* A WHILE node of a graph: the limits of a launch are those of all launches that it makes, too (watch.c). */
struct watch_loop {
	uint64_t since, insns, rounds; /* of the process, when it began */
};
void watch_loop_begin(struct watch_loop *l);
/* After a round: CU_OK, or LAUNCH_TIMEOUT, as later calls return too. idle: the round launched no kernel, so that
 * nothing can end the loop. */
enum cu_status watch_loop_again(struct watch_loop *l, bool idle);

#endif

/* Which registers long-latency operations may owe to a warp, and where it loses its place (passes/pending.c). */
#ifndef REGLOOM_PENDING_H
#define REGLOOM_PENDING_H

#include "passes/elsewhere.h"

/* wsum.flags: the warp may be descheduled there; a path may be left there */
enum { SIDE_LOSES = 1, SIDE_YIELDS = 2 };

struct pending {
	const struct kernel *k;
	struct arena *a;
	bool flush;         /* a warp that is descheduled loses what it has above the main register file */
	bool past_barriers; /* but where it waits at a barrier */
	bool grow, more;    /* sets and waits only grow; something did */
	/* the result, by instruction: it names a register that may be pending, or releases one */
	bool *wait;
	struct elsewhere side;        /* with SIDE_LOSES, SIDE_YIELDS of every side */
	struct wsum *own, *leaving;   /* by block: pending where a path may end in it; pending at its end */
	struct wsum *in, *out, *sent; /* pending at its start and end; sent by other sides to its start */
	struct wsum *exits;           /* pending where threads exit in it, or in what it calls */
	struct wsum *proc;            /* by function: of its blocks together */
	/* by edge of side.g: registers that operations on its side owe, SIDE_YIELDS; then by function */
	struct wsum *issued;
	struct wsum *midway; /* by function: sent by other sides to where paths were left midway */
	bool *mid;           /* by block: on a side that can be left midway while another one executes */
	bool *meets;         /* by block: sides of a branch meet there */
	uint32_t *proc_of;   /* by block */
};

/* k: machine form, FACT_CFG and FACT_PDOM valid. All in arena a. */
void pending_find(struct pending *s, const struct kernel *k, bool flush, bool past_barriers, struct arena *a);
/* The warp loses what it has after i: a barrier, or a fence. */
bool pending_stops(const struct pending *s, const struct insn *i);
uint32_t pending_procs(const struct kernel *k);             /* functions, the kernel's own code included */
uint32_t pending_first(const struct kernel *k, uint32_t p); /* block */

#endif

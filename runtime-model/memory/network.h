/* The way back from the L2: a crossbar between the slices and the SMs. */
#ifndef REGLOOM_NETWORK_H
#define REGLOOM_NETWORK_H

#include "runtime-model/core/stats.h"

/* What an SM waits for; the network reads `flits` and sets `at`, the cycle at which all of it is at the SM. insn: of an
 * acknowledgement, the store. */
struct response {
	cycle at;
	uint32_t order;
	uint16_t id;
	uint8_t kind, flits;
	uint32_t line, insn;
};

struct network;
struct network *network_new(const struct params *p, struct arena *a);
/* The reply r of a slice to an SM may leave from cycle `ready` on. Replies that may leave before the `end` of a
 * network_run() must be known when it is called. */
void network_reply(struct network *n, unsigned slice, unsigned sm, cycle ready, const struct response *r);
/* The least that a reply takes to its SM once it may leave. */
cycle network_least(const struct network *n);
/* No reply is at its SM before this cycle; UINT64_MAX: there is none. */
cycle network_next(const struct network *n);
/* Hands over, in the order in which they leave, all replies that are at their SMs before cycle `end`. */
void network_run(struct network *n, cycle end, void (*arrived)(void *ctx, unsigned sm, const struct response *r),
		 void *ctx);

#endif

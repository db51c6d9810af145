/* Reads all records of a launch as they are made, by one consumer and without a GPU: what only counts over an execution
 * is fed by this. A round lets the engine come to where the CTA that was begun first goes on, and then reads what was
 * made of all CTAs meanwhile, so that records never lie about for long. */
#ifndef REGLOOM_ENGINE_FEED_H
#define REGLOOM_ENGINE_FEED_H

#include "runtime-model/engine/engine.h"

struct feed_reader {
	void *ctx;
	/* state of a CTA in flight, in a; taken again for a later one, as record() and end() left it */
	void *(*cta_new)(void *ctx, struct arena *a);
	/* r is good until it returns */
	void (*record)(void *ctx, void *state, uint64_t cta, unsigned warp, const struct record *r);
	/* the warp has come to its end, or what was read of it has; once */
	void (*end)(void *ctx, void *state, unsigned warp);
};

struct feed_options {
	stop_flag stop;
	uint64_t max_insns;                                           /* stops after so many records; 0: no limit */
	void (*progress)(void *ctx, const struct engine_progress *p); /* often; or NULL */
	void *progress_ctx;
};

/* Reads e, which has one consumer. *stopped says whether it stopped before the end. False: e failed, with a
 * diagnostic. */
bool feed_launch(struct engine *e, const struct feed_reader *r, const struct feed_options *o, struct stopped *stopped);

#endif

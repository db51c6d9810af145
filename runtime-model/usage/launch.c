/* Value usage of a launch: feeds the engine's records to the warps that wrote them. */
#include "runtime-model/engine/feed.h"
#include "runtime-model/usage/usage.h"

struct reading {
	const struct usage_options *o;
	struct usage_code code;
	struct usage sum;
	unsigned warps;
};

static void *cta_new(void *ctx, struct arena *a)
{
	const struct reading *r = ctx;
	struct usage_warp **w = new_array(a, struct usage_warp *, r->warps);

	for (unsigned i = 0; i < r->warps; i++)
		w[i] = usage_warp_new(&r->code, a);
	return w;
}

static void take(void *ctx, void *state, uint64_t cta, unsigned warp, const struct record *rec)
{
	struct reading *r = ctx;
	struct usage_warp **w = state;

	if (r->o->step && cta == r->o->step_cta && warp == r->o->step_warp && rec->active >> r->o->step_lane & 1)
		r->o->step(r->o->step_ctx, rec->insn);
	usage_step(w[warp], &r->code, rec->insn, rec->active, &r->sum);
}

static void end(void *ctx, void *state, unsigned warp)
{
	struct reading *r = ctx;

	usage_end(((struct usage_warp **)state)[warp], &r->code, &r->sum);
}

bool usage_launch(struct engine *e, const struct kernel *k, const struct usage_options *o, struct usage *u,
		  struct stopped *stopped)
{
	struct reading r = { .o = o, .warps = engine_warps_per_cta(e) };
	const struct feed_reader to = { &r, cta_new, take, end };
	struct arena a;
	bool ok;

	arena_init(&a);
	r.code = usage_decode(k, &a);
	ok = feed_launch(e, &to, &(struct feed_options){ o->stop, o->max_insns, o->progress, o->progress_ctx },
			 stopped);
	usage_add(u, &r.sum);
	arena_free(&a);
	return ok;
}

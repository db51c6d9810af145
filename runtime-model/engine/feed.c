#include "runtime-model/engine/feed.h"

/* a CTA that has begun and not come to its end */
struct flight {
	struct flight *next;
	uint64_t cta;
	void *state;
	unsigned left; /* warps that have not come to theirs */
	bool ended[];  /* by warp */
};

struct feed {
	struct engine *e;
	const struct feed_reader *to;
	const struct feed_options *o;
	unsigned warps;
	uint64_t ctas, next, done; /* next: the first that has not begun */
	uint64_t insns;
	struct flight *first, **last, *spare;
	struct arena a;
};

static struct flight *flight_new(struct feed *f)
{
	struct flight *x = f->spare;

	if (x) {
		f->spare = x->next;
	} else {
		x = arena_alloc(&f->a, sizeof *x + f->warps * sizeof x->ended[0], _Alignof(struct flight));
		x->state = f->to->cta_new(f->to->ctx, &f->a);
	}
	for (unsigned w = 0; w < f->warps; w++)
		x->ended[w] = false;
	x->next = NULL;
	x->cta = f->next++;
	x->left = f->warps;
	*f->last = x;
	f->last = &x->next;
	return x;
}

static bool at_limit(const struct feed *f) { return f->o->max_insns && f->insns >= f->o->max_insns; }

/* Takes in what was got of warp w. True: there may be more. */
static bool take(struct feed *f, struct flight *x, unsigned w, enum record_status got, const struct record *r)
{
	if (got == RECORD_OK) {
		f->to->record(f->to->ctx, x->state, x->cta, w, r);
		f->insns++;
		return !at_limit(f);
	}
	if (got == RECORD_END) {
		f->to->end(f->to->ctx, x->state, w);
		x->ended[w] = true;
		x->left--;
	}
	return false;
}

/* What has been made of x. Whether that was anything. */
static bool drain(struct feed *f, struct flight *x)
{
	bool any = false;
	struct record r;

	for (unsigned w = 0; w < f->warps && !at_limit(f); w++) {
		enum record_status got = RECORD_END;

		if (x->ended[w])
			continue;
		while (take(f, x, w, got = engine_made(f->e, 0, x->cta, w, &r), &r))
			any = true;
		any |= got != RECORD_LATER;
	}
	return any;
}

/* All CTAs that have begun, the next ones as long as something has been made of them. */
static void drain_all(struct feed *f)
{
	for (struct flight **at = &f->first, *x; (x = *at) != NULL && !at_limit(f);) {
		bool any = drain(f, x);

		if (!x->next && any && f->next < f->ctas)
			flight_new(f);
		if (x->left) {
			at = &x->next;
			continue;
		}
		f->done++;
		*at = x->next;
		if (!*at)
			f->last = at;
		x->next = f->spare;
		f->spare = x;
	}
}

/* Lets the engine go on until the first CTA does. */
static enum record_status advance(struct feed *f)
{
	struct flight *x = f->first ? f->first : flight_new(f);
	enum record_status got;
	struct record r;
	unsigned w = 0;

	while (x->ended[w])
		w++;
	got = engine_next(f->e, 0, x->cta, w, &r);
	take(f, x, w, got, &r);
	return got;
}

static void report(const struct feed *f)
{
	struct engine_progress p = { f->done, f->ctas, f->insns };

	if (f->o->progress)
		f->o->progress(f->o->progress_ctx, &p);
}

bool feed_launch(struct engine *e, const struct feed_reader *r, const struct feed_options *o, struct stopped *stopped)
{
	struct feed f = {
		.e = e, .to = r, .o = o, .warps = engine_warps_per_cta(e), .ctas = engine_ctas(e), .last = &f.first
	};
	enum record_status got = RECORD_OK;

	arena_init(&f.a);
	stopped->why = STOP_NOT;
	while (f.done < f.ctas && !at_limit(&f) && !stop_asked(o->stop)) {
		got = advance(&f);
		if (got == RECORD_FAILED || got == RECORD_STOPPED)
			break;
		drain_all(&f);
		report(&f);
	}
	if (f.done < f.ctas && got != RECORD_FAILED) {
		enum stop why = engine_stopped(e);

		if (at_limit(&f))
			why = STOP_INSNS;
		*stopped = (struct stopped){ .why = why ? why : STOP_ASKED, .ctas_done = f.done, .ctas = f.ctas };
	}
	for (struct flight *x = f.first; x; x = x->next)
		for (unsigned w = 0; w < f.warps; w++)
			if (!x->ended[w])
				r->end(r->ctx, x->state, w);
	engine_leave(e, 0);
	arena_free(&f.a);
	return got != RECORD_FAILED;
}

/* Data races that reuse has found: races.h. */
#include "runtime-model/races.h"

#include <inttypes.h>

void races_add(struct races *to, const struct race *r)
{
	for (unsigned i = 0; i < to->n; i++) {
		struct race *known = &to->race[i];

		if (known->k == r->k && known->launch == r->launch && known->was.insn == r->was.insn && known->is.insn == r->is.insn) {
			known->times += r->times;
			return;
		}
	}
	if (to->n < RACES_KEPT)
		to->race[to->n++] = *r;
	else
		to->others += r->times;
}

void races_merge(struct races *to, const struct races *from)
{
	to->others += from->others;
	for (unsigned i = 0; i < from->n; i++)
		races_add(to, &from->race[i]);
}

uint64_t races_times(const struct races *r)
{
	uint64_t n = r->others;

	for (unsigned i = 0; i < r->n; i++)
		n += r->race[i].times;
	return n;
}

static const char *where(const struct race *r, const struct race_access *x, struct arena *a)
{
	return arena_printf(a, "%s of CTA %" PRIu64 " warp %u", ir_source(a, r->k, &r->k->insn[x->insn]), x->cta, x->warp);
}

const char *race_text(const struct race *r, struct arena *a)
{
	return arena_printf(a, "reuse: the load at %s would have got in cycle %" PRIu64 " what the one at %s loaded in cycle %" PRIu64
	                    ", and memory has changed between: a data race of %s%s", where(r, &r->is, a), r->is.cycle, where(r, &r->was, a), r->was.cycle,
	                    r->k->name, r->times > 1 ? arena_printf(a, ", which happens %" PRIu64 " times", r->times) : "");
}

const char *races_more(const struct races *r, struct arena *a)
{
	uint64_t more = races_times(r);

	for (unsigned i = 0; i < r->n && i < RACES_SHOWN; i++)
		more -= r->race[i].times;
	return more ? arena_printf(a, "reuse: ... and %" PRIu64 " more such loads", more) : NULL;
}

static json_t *access_json(const struct race *r, const struct race_access *x, struct arena *a)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "source", ir_source(a, r->k, &r->k->insn[x->insn]), "at", ir_where(a, r->k, &r->k->insn[x->insn]),
	                 "instruction", (json_int_t)x->insn, "cta", (json_int_t)x->cta, "warp", (json_int_t)x->warp, "cycle", (json_int_t)x->cycle);
}

json_t *races_json(const struct races *r)
{
	json_t *list = json_array();
	struct arena a;

	arena_init(&a);
	for (unsigned i = 0; i < r->n; i++) {
		const struct race *x = &r->race[i];

		json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:o, s:o}", "kernel", x->k->name, "launch", (json_int_t)x->launch, "times", (json_int_t)x->times,
		                                      "earlier", access_json(x, &x->was, &a), "load", access_json(x, &x->is, &a)));
	}
	arena_free(&a);
	return list;
}

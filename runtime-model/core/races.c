/* Races that reuse has found: races.h. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/core/races.h"

#include <inttypes.h>
#include <string.h>

/* Where a pair goes that is not known: at the end, or, if there is no room, a data race where the last is that may be
 * none. NULL: nowhere. */
static struct race *place_of(struct races *to, enum race_kind kind)
{
	if (to->n < RACES_KEPT)
		return &to->race[to->n++];
	for (unsigned i = to->n; kind == RACE_DATA && i--;)
		if (to->race[i].kind == RACE_ORDER) {
			to->others[RACE_ORDER] += to->race[i].times;
			memmove(&to->race[i], &to->race[i + 1], (to->n - i - 1) * sizeof *to->race);
			return &to->race[to->n - 1];
		}
	return NULL;
}

void races_add(struct races *to, const struct race *r)
{
	struct race *place;

	for (unsigned i = 0; i < to->n; i++) {
		struct race *known = &to->race[i];

		if (known->k == r->k && known->kind == r->kind && known->launch == r->launch &&
		    known->was.insn == r->was.insn && known->is.insn == r->is.insn) {
			known->times += r->times;
			return;
		}
	}
	place = place_of(to, r->kind);
	if (place)
		*place = *r;
	else
		to->others[r->kind] += r->times;
}

void races_merge(struct races *to, const struct races *from)
{
	for (unsigned kind = 0; kind < RACE_KINDS; kind++)
		to->others[kind] += from->others[kind];
	for (unsigned i = 0; i < from->n; i++)
		races_add(to, &from->race[i]);
}

uint64_t races_times(const struct races *r, enum race_kind kind)
{
	uint64_t n = r->others[kind];

	for (unsigned i = 0; i < r->n; i++)
		n += r->race[i].kind == kind ? r->race[i].times : 0;
	return n;
}

const struct race *races_first(const struct races *r, enum race_kind kind)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->race[i].kind == kind)
			return &r->race[i];
	return NULL;
}

static const char *where(const struct race *r, const struct race_access *x, struct arena *a)
{
	return arena_printf(a, "%s of CTA %" PRIu64 " warp %u", ir_source(a, r->k, &r->k->insn[x->insn]), x->cta,
			    x->warp);
}

const char *race_text(const struct race *r, struct arena *a)
{
	const char *times = r->times > 1 ? arena_printf(a, ", which happens %" PRIu64 " times", r->times) : "";
	const char *pair = arena_printf(a,
					"reuse: the load at %s would have got in cycle %" PRIu64
					" what the one at %s loaded in cycle %" PRIu64,
					where(r, &r->is, a), r->is.cycle, where(r, &r->was, a), r->was.cycle);

	if (r->kind == RACE_DATA)
		return arena_printf(a, "%s, and something was stored between them: a data race of %s%s", pair,
				    kernel_name(r->k->name, a), times);
	return arena_printf(a,
			    "%s, and memory held something else: warps of %s wait for each other by fences or "
			    "acquires, and the model replays them in another order than they "
			    "were executed in; it need not be a data race%s",
			    pair, kernel_name(r->k->name, a), times);
}

const char *races_more(const struct races *r, enum race_kind kind, struct arena *a)
{
	uint64_t more = races_times(r, kind);

	for (unsigned i = 0, shown = 0; i < r->n && shown < RACES_SHOWN; i++)
		if (r->race[i].kind == kind) {
			more -= r->race[i].times;
			shown++;
		}
	return more ? arena_printf(a, "reuse: ... and %" PRIu64 " more such loads", more) : NULL;
}

static json_t *access_json(const struct race *r, const struct race_access *x, struct arena *a)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "source", ir_source(a, r->k, &r->k->insn[x->insn]), "at",
			 ir_where(a, r->k, &r->k->insn[x->insn]), "instruction", (json_int_t)x->insn, "cta",
			 (json_int_t)x->cta, "warp", (json_int_t)x->warp, "cycle", (json_int_t)x->cycle);
}

json_t *races_json(const struct races *r)
{
	json_t *list = json_array();
	struct arena a;

	arena_init(&a);
	for (unsigned i = 0; i < r->n; i++) {
		const struct race *x = &r->race[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:o, s:o}", "kernel", x->k->name, "kind",
						      x->kind == RACE_DATA ? "race" : "order", "launch",
						      (json_int_t)x->launch, "times", (json_int_t)x->times, "earlier",
						      access_json(x, &x->was, &a), "load", access_json(x, &x->is, &a)));
	}
	arena_free(&a);
	return list;
}

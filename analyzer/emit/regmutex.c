/* What was decided of registers that warps share in turn, and what came of it, in the views. */
#include "analyzer/emit/view.h"
#include "passes/pass.h"
#include "passes/regmutex.h"

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* What a thread executes more than of the plain kernel, in percent of that. */
static double overhead(const struct regmutex *r)
{
	return r->all_weighted > r->plain_weighted
		       ? view_percent(r->all_weighted - r->plain_weighted, r->plain_weighted)
		       : 0;
}

static uint32_t code_more(const struct kernel *k) { return k->variant->ninsn - k->ninsn; }

/* Of blocks that edges got. */
static uint32_t jumps(const struct kernel *k)
{
	return code_more(k) - k->regmutex->acquires - k->regmutex->releases - k->regmutex->moves;
}

const struct regmutex_size *view_progress(const struct regmutex *r)
{
	const struct regmutex_size *best = NULL;

	for (uint32_t x = 0; x < r->nsize; x++)
		if (r->size[x].why == SIZE_LEGAL && r->size[x].progress &&
		    (!best || r->size[x].progress > best->progress))
			best = &r->size[x];
	return best;
}

static const char *progress_text(const struct regmutex_size *s, struct arena *a)
{
	return s->progress ? arena_printf(a, ", of which %.1f progress", (double)s->progress / REGMUTEX_PROGRESS) : "";
}

void view_put_regmutex(FILE *f, const struct kernel *k)
{
	const struct regmutex *r = k->regmutex;
	const struct regmutex_size *s = r->chosen != REGMUTEX_NONE ? &r->size[r->chosen] : NULL;

	struct arena a;

	if (!s || !r->extended) {
		const struct regmutex_size *best = r->reason == REGMUTEX_HELD ? view_progress(r) : NULL;

		fprintf(f, "  %-14s none: %s", "shared in turn", regmutex_reason_text[r->reason]);
		if (best)
			fprintf(f, " (with %u registers %.1f warps progress at a time, not %u)", best->extended,
				(double)best->progress / REGMUTEX_PROGRESS, r->warps);
		fputc('\n', f);
		return;
	}
	arena_init(&a);
	fprintf(f,
		"  %-14s %u of %u registers, %u are a warp's own (%s); %s: %u warps an SM, not %u%s, and %u "
		"section%s%s\n",
		"shared in turn", r->extended, r->regs, r->base, regmutex_reason_text[r->reason], r->sm.machine,
		s->warps, r->warps, progress_text(s, &a), s->sections, plural(s->sections),
		r->rules_off ? "; rules off: may deadlock" : "");
	arena_free(&a);
	if (k->native)
		fprintf(f,
			"  %-14s %u acquire%s, %u release%s would stand in the code, which stays as it is; held for "
			"%.1f%% of what is executed (estimated)\n",
			"", r->acquires, plural(r->acquires), r->releases, plural(r->releases),
			view_percent(r->held_weighted, r->all_weighted));
	if (!k->variant)
		return;
	fprintf(f,
		"  %-14s %u acquire%s, %u release%s, %u move%s, %u jump%s: code +%.1f%%, executed +%.1f%% (estimated); "
		"held for %.1f%% of what is executed\n",
		"", r->acquires, plural(r->acquires), r->releases, plural(r->releases), r->moves, plural(r->moves),
		jumps(k), plural(jumps(k)), view_percent(code_more(k), k->ninsn), overhead(r),
		view_percent(r->held_weighted, r->all_weighted));
}

const char *view_move(struct arena *a, const struct kernel *k, uint32_t i)
{
	const struct insn *n = &k->insn[i];

	if (!(n->mods & MOD_MOVED))
		return "";
	return arena_printf(a, "moves R%u to the %s set", insn_src(k, n)[0].val,
			    insn_dst(k, n)[0].val < k->base_regs ? "base" : "extended");
}

/* Where it is acquired and released, values are moved, and from where to where it may be held. */
/* Of machine code: what would be put in before instruction i, and on which ways; "" if nothing would. */
const char *view_points(struct arena *a, const struct kernel *k, uint32_t i)
{
	const struct regmutex *r = k->regmutex;
	uint32_t low = 0;
	const char *text = "";

	if (!k->native || !r || !r->npoint)
		return "";
	for (uint32_t high = r->npoint; low < high;) {
		uint32_t mid = low + (high - low) / 2;

		if (r->point[mid].at < i)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->npoint && r->point[low].at == i; low++)
		text = arena_printf(a, "%s%s%s before it%s", text, *text ? ", " : "",
				    r->point[low].acquire ? arena_printf(a, "regmutex: acquires R%u and above", r->base)
							  : "regmutex: releases them",
				    r->point[low].from == REGMUTEX_NONE
					    ? ""
					    : arena_printf(a, " from %s", view_insn_name(a, k, r->point[low].from)));
	return text;
}

/* Runs of instructions with a mark: [[4, 9], [12, 12]]. */
static json_t *runs_json(const uint8_t *mark, uint32_t n)
{
	json_t *held = json_array();

	for (uint32_t i = 0, from; i < n; i++) {
		if (!mark[i])
			continue;
		for (from = i; i + 1 < n && mark[i + 1];)
			i++;
		json_array_append_new(held, json_pack("[I, I]", (json_int_t)from, (json_int_t)i));
	}
	return held;
}

static json_t *points_json(const struct regmutex *r)
{
	json_t *points = json_array();

	for (uint32_t n = 0; n < r->npoint; n++) {
		json_t *j = json_pack("{s:I, s:s}", "instruction", (json_int_t)r->point[n].at, "what",
				      r->point[n].acquire ? "acquire" : "release");

		if (r->point[n].from != REGMUTEX_NONE)
			json_object_set_new(j, "from", json_integer(r->point[n].from));
		json_array_append_new(points, j);
	}
	return points;
}

static json_t *variant_json(const struct kernel *k)
{
	json_t *points = json_array(), *held;
	struct arena a;
	uint8_t *may;

	arena_init(&a);
	may = new_array(&a, uint8_t, (size_t)k->ninsn + 1);
	regmutex_held(k, &a, may);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const char *what = *view_move(&a, k, i) ? "move" : NULL;

		if (k->insn[i].op == OP_RF_ACQUIRE)
			what = "acquire";
		else if (k->insn[i].op == OP_RF_RELEASE)
			what = "release";

		if (what)
			json_array_append_new(points,
					      json_pack("{s:I, s:s}", "instruction", (json_int_t)i, "what", what));
	}
	held = runs_json(may, k->ninsn);
	arena_free(&a);
	return json_pack("{s:I, s:I, s:o, s:o}", "instructions", (json_int_t)k->ninsn, "blocks", (json_int_t)k->nblock,
			 "points", points, "held", held);
}

static json_t *size_json(const struct regmutex *r, uint32_t n)
{
	const struct regmutex_size *s = &r->size[n];
	json_t *j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b}", "extended", (json_int_t)s->extended, "base",
			      (json_int_t)s->base, "ctas", (json_int_t)s->ctas, "warps", (json_int_t)s->warps,
			      "sections", (json_int_t)s->sections, "paired_warps", (json_int_t)s->paired_warps, "legal",
			      s->why == SIZE_LEGAL, "chosen", n == r->chosen);

	if (j && s->progress)
		json_object_set_new(j, "progress", json_real((double)s->progress / REGMUTEX_PROGRESS));
	if (j && s->why != SIZE_LEGAL)
		json_object_set_new(j, "why", json_string(regmutex_why_text[s->why]));
	return j;
}

json_t *view_regmutex_json(const struct kernel *k)
{
	const struct regmutex *r = k->regmutex;
	json_t *sizes = json_array(), *j;

	for (uint32_t n = 0; n < r->nsize; n++)
		json_array_append_new(sizes, size_json(r, n));
	j = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:b, s:I, s:o}", "machine", r->sm.machine, "threads",
		      (json_int_t)r->cta.threads, "dynamic_shared_bytes", (json_int_t)r->cta.dynamic_bytes, "registers",
		      (json_int_t)r->regs, "base", (json_int_t)r->base, "extended", (json_int_t)r->extended, "reason",
		      regmutex_reason_text[r->reason], "rules", !r->rules_off, "warps_before", (json_int_t)r->warps,
		      "candidates", sizes);
	if (j && k->native && r->npoint) {
		json_object_set_new(j, "acquires", json_integer(r->acquires));
		json_object_set_new(j, "releases", json_integer(r->releases));
		json_object_set_new(j, "held_percent", json_real(view_percent(r->held_weighted, r->all_weighted)));
		json_object_set_new(j, "points", points_json(r));
		json_object_set_new(j, "held", runs_json(r->hold, k->ninsn));
	}
	if (j && k->variant) {
		json_object_set_new(j, "acquires", json_integer(r->acquires));
		json_object_set_new(j, "releases", json_integer(r->releases));
		json_object_set_new(j, "moves", json_integer(r->moves));
		json_object_set_new(j, "jumps", json_integer(jumps(k)));
		json_object_set_new(j, "code_percent", json_real(view_percent(code_more(k), k->ninsn)));
		json_object_set_new(j, "executed_percent", json_real(overhead(r)));
		json_object_set_new(j, "held_percent", json_real(view_percent(r->held_weighted, r->all_weighted)));
		json_object_set_new(j, "variant", variant_json(k->variant));
	}
	return j;
}

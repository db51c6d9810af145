/* The explanation for tools: docs/run.schema.json, "explain". Everything that was counted; reasons that count nothing
 * are left out. */
#include "analyzer/emit/view.h"
#include "runtime-model/explain/counts.h"

#include <string.h>

static json_t *number(uint64_t n) { return json_integer((json_int_t)n); }

static json_t *reasons(const uint64_t n[STALL_COUNT])
{
	json_t *o = json_object();

	for (unsigned i = 0; i < STALL_COUNT; i++)
		if (n[i])
			json_object_set_new(o, reason_name((enum stall)i), number(n[i]));
	return o;
}

/* In cycles of warps the row ISSUED holds those in which the warp was not chosen. */
static json_t *cycles(const uint64_t n[STALL_COUNT], uint64_t issued)
{
	uint64_t v[STALL_COUNT];
	json_t *o;

	memcpy(v, n, sizeof v);
	v[STALL_ISSUED] = issued;
	o = reasons(v);
	if (n[STALL_ISSUED])
		json_object_set_new(o, "not_chosen", number(n[STALL_ISSUED]));
	return o;
}

static json_t *memory(const struct memory_counts *m)
{
	static const char *const how[PROBE_LINES] = {
		[PROBE_LINE_HIT] = "hits",     [PROBE_LINE_MERGE] = "merges", [PROBE_LINE_MISS] = "misses",
		[PROBE_LINE_PAST] = "past_l1", [PROBE_LINE_STORE] = "stores", [PROBE_LINE_ATOMIC] = "atomics",
	};
	const struct {
		const char *name;
		uint64_t n;
	} v[] = {
		{ "times", m->times },
		{ "lanes", m->lanes },
		{ "unit_cycles", m->cycles },
		{ "with_lines", m->lined },
		{ "lines", m->lines },
		{ "ideal_lines", m->ideal_lines },
		{ "sectors", m->sectors },
		{ "with_passes", m->passed },
		{ "passes", m->passes },
		{ "ideal_passes", m->ideal_passes },
		{ "with_constants", m->uniform },
		{ "constant_addresses", m->addresses },
		{ "results", m->results },
		{ "latency_cycles", m->latency },
	};
	json_t *o = json_object();

	for (unsigned i = 0; i < sizeof v / sizeof *v; i++)
		json_object_set_new(o, v[i].name, number(v[i].n));
	for (unsigned i = 0; i < PROBE_LINES; i++)
		json_object_set_new(o, how[i], number(m->how[i]));
	return o;
}

static json_t *repeats(const struct repeat_counts *n)
{
	json_t *why = json_object();

	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (n->why[i])
			json_object_set_new(why, repeat_text[i].name, number(n->why[i]));
	return json_pack("{s:I, s:I, s:I, s:o}", "issued", (json_int_t)n->issued, "repeated", (json_int_t)n->repeated,
			 "often", (json_int_t)n->often, "why", why);
}

static bool any_became(const struct became_counts *n)
{
	uint64_t all = n->beyond;

	for (unsigned i = 0; i < BECAMES; i++)
		all += n->of[i];
	return all;
}

static json_t *became(const struct became_counts *n)
{
	json_t *of = json_object();

	for (unsigned i = 0; i < BECAMES; i++)
		if (n->of[i])
			json_object_set_new(of, became_text[i].name, number(n->of[i]));
	return json_pack("{s:o, s:I}", "repeated", of, "reused_beyond", (json_int_t)n->beyond);
}

static json_t *kinds(const struct explain *x, const struct counts *c, struct arena *a)
{
	uint64_t of[REUSE_WHY_COUNT];
	json_t *o = json_object();

	became_kinds(of, x, c, a);
	for (unsigned i = 0; i < REUSE_WHY_COUNT; i++)
		if (of[i])
			json_object_set_new(o, reuse_why_name[i], number(of[i]));
	return o;
}

static void set_insn(json_t *o, const struct insn_counts *n)
{
	json_object_set_new(o, "slots", reasons(n->slots));
	json_object_set_new(o, "warp_cycles", cycles(n->cycles, n->slots[STALL_ISSUED]));
	json_object_set_new(o, "slots_for", number(n->slots_for));
	json_object_set_new(o, "warp_cycles_for", number(n->cycles_for));
	json_object_set_new(o, "bank_accesses", number(n->accesses));
	json_object_set_new(o, "bank_delayed", number(n->delayed));
	json_object_set_new(o, "bank_cycles", number(n->delay));
	if (n->level[LEVEL_MRF] + n->level[LEVEL_L1] + n->level[LEVEL_L0])
		json_object_set_new(o, "operands_from",
				    json_pack("{s:I, s:I, s:I}", "mrf", (json_int_t)n->level[LEVEL_MRF], "l1",
					      (json_int_t)n->level[LEVEL_L1], "l0", (json_int_t)n->level[LEVEL_L0]));
	if (n->memory.times)
		json_object_set_new(o, "memory", memory(&n->memory));
	if (n->repeat.issued)
		json_object_set_new(o, "repeats", repeats(&n->repeat));
	if (any_became(&n->became))
		json_object_set_new(o, "became", became(&n->became));
}

static json_t *lines_json(const struct lines *l, struct arena *a)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < l->n; i++) {
		const struct line_counts *x = &l->v[i];
		const char *file = x->file ? view_clean(a, x->file, strlen(x->file)) : NULL;
		json_t *o = json_pack("{s:s?, s:I, s:s?}", "file", file, "line", (json_int_t)x->line, "text",
				      x->metadata ? "metadata before the kernel" : x->text);

		set_insn(o, &x->n);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *insns_json(const struct counts *c, const struct lines *l, struct arena *a)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->kernel->k->ninsn; i++) {
		json_t *o = json_pack("{s:I, s:s}", "index", (json_int_t)i, "text", view_insn(a, c->kernel->k, i));

		json_object_set_new(o, "line", l->of[i] != UINT32_MAX ? number(l->of[i]) : json_null());
		set_insn(o, &c->insn[i]);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *warps_json(const struct warp_counts *v)
{
	json_t *list = json_array();

	for (unsigned w = 0; w < PROBE_WARPS; w++)
		if (sum_reasons(v[w].slots) || sum_reasons(v[w].cycles))
			json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "warp", (json_int_t)w, "slots",
							      reasons(v[w].slots), "warp_cycles",
							      cycles(v[w].cycles, v[w].slots[STALL_ISSUED])));
	return list;
}

static json_t *sms_json(const struct explain *x, const struct kernel_counts *k)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < x->params->sms; i++)
		json_array_append_new(list,
				      json_pack("{s:I, s:o}", "sm", (json_int_t)i, "slots", reasons(k->sm[i]->slots)));
	return list;
}

static json_t *banks_json(const struct explain *x, const struct counts *c)
{
	json_t *list = json_array();

	for (unsigned b = 0; b < x->banks; b++) {
		const struct bank_counts *n = &c->bank[b];

		json_array_append_new(list,
				      json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "bank", (json_int_t)b, "reads",
						(json_int_t)n->accesses[0], "writes", (json_int_t)n->accesses[1],
						"reads_delayed", (json_int_t)n->delayed[0], "read_cycles",
						(json_int_t)n->delay[0], "writes_delayed", (json_int_t)n->delayed[1],
						"write_cycles", (json_int_t)n->delay[1]));
	}
	return list;
}

static json_t *of_banks(const struct explain *x, const uint64_t *first)
{
	json_t *list = json_array();

	for (unsigned b = 0; b < x->banks; b++)
		json_array_append_new(list, number(first[b * (sizeof(struct bank_counts) / sizeof *first)]));
	return list;
}

static json_t *banks_by_sm(const struct explain *x, const struct kernel_counts *k)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < x->params->sms; i++) {
		const struct bank_counts *b = k->sm[i]->bank;

		json_array_append_new(list,
				      json_pack("{s:I, s:o, s:o, s:o, s:o}", "sm", (json_int_t)i, "reads",
						of_banks(x, &b->accesses[0]), "writes", of_banks(x, &b->accesses[1]),
						"reads_delayed", of_banks(x, &b->delayed[0]), "writes_delayed",
						of_banks(x, &b->delayed[1])));
	}
	return list;
}

static json_t *occupancy_json(const struct kernel_counts *k)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < k->nlaunch; i++) {
		const struct launch_counts *l = &k->launch[i];
		json_t *limits = json_object(), *o;

		for (unsigned n = 0; n < LIMIT_COUNT; n++)
			if (l->occupancy.by[n] != OCCUPANCY_ANY)
				json_object_set_new(limits, occupancy_limit_name((enum occupancy_limit)n),
						    number(l->occupancy.by[n]));
		o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:o}", "threads",
			      (json_int_t)l->threads, "registers", (json_int_t)k->k->res.regs, "shared_bytes",
			      (json_int_t)l->shared_bytes, "launches", (json_int_t)l->launches, "grid_ctas",
			      (json_int_t)l->ctas, "ctas", (json_int_t)l->occupancy.ctas, "warps",
			      (json_int_t)l->occupancy.warps, "warp_slots", (json_int_t)l->occupancy.warp_slots,
			      "limited_by", occupancy_limit_name(l->occupancy.why), "limits", limits, "one_more",
			      view_gain_json(&l->gain));
		json_object_set_new(o, "held_warps",
				    json_real(l->sm_cycles ? (double)l->warp_cycles / (double)l->sm_cycles : 0));
		json_object_set_new(o, "best_block", number(l->best_block));
		json_object_set_new(o, "best_block_warps", number(l->best.warps));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *kernel_json(const struct explain *x, const struct module *m, const struct kernel_counts *k)
{
	struct counts c;
	struct lines l;
	struct view v;
	struct arena a;
	json_t *o;

	arena_init(&a);
	view_init_text(&v, m, k->k);
	counts_merge(&c, x, k, &a);
	counts_lines(&l, &c, &v, &a);
	o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I}", "kernel",
		      view_clean(&a, k->k->name, strlen(k->k->name)), "launches", (json_int_t)k->st.launches, "ctas",
		      (json_int_t)k->ctas, "timed_ctas", (json_int_t)k->timed_ctas, "cycles", (json_int_t)k->st.cycles,
		      "slots", reasons(c.slots), "warp_cycles", cycles(c.cycles, c.slots[STALL_ISSUED]),
		      "slots_for_none", (json_int_t)c.slots_for_none);
	json_object_set_new(o, "lines", lines_json(&l, &a));
	json_object_set_new(o, "instructions", insns_json(&c, &l, &a));
	json_object_set_new(o, "warps", warps_json(c.of_cta));
	json_object_set_new(o, "warp_slots", warps_json(c.slot));
	json_object_set_new(o, "sms", sms_json(x, k));
	json_object_set_new(o, "banks", banks_json(x, &c));
	json_object_set_new(o, "banks_by_sm", banks_by_sm(x, k));
	json_object_set_new(o, "occupancy", occupancy_json(k));
	if (x->reuse) {
		json_object_set_new(o, "repeats", repeats(&c.repeat));
		if (x->renames) {
			json_object_set_new(o, "became", became(&c.became));
			json_object_set_new(o, "became_kinds", kinds(x, &c, &a));
		}
		json_object_set_new(o, "sampled_repeats",
				    json_pack("{s:I, s:I, s:I}", "repeated", (json_int_t)c.samples.repeated, "often",
					      (json_int_t)c.samples.often, "first", (json_int_t)c.samples.first));
	}
	view_free(&v);
	arena_free(&a);
	return o;
}

json_t *explain_json(const struct explain *x, const struct module *m)
{
	json_t *list = json_array();

	for (const struct kernel_counts *k = x->first; k; k = k->next)
		if (k->st.launches)
			json_array_append_new(list, kernel_json(x, m, k));
	return json_pack("{s:o}", "kernels", list);
}

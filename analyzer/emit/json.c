/* A compiled module as JSON, for tools (docs/annotate.schema.json).
 * The frame is written as it goes and each block and spill through jansson as one line, instructions as text
 * (json_insn.c), so memory does not grow with the kernel beyond what its view takes. */
#include "json_insn.h"

#include "passes/freq.h"
#include "passes/orf_traffic.h"
#include "passes/orf_why.h"
#include "passes/strand.h"

#include <jansson.h>
#include <string.h>

enum { FORMAT_VERSION = 1 };

struct out {
	FILE *f;
	struct view *v;
	struct arena a;                /* text of one item */
	const uint8_t *why[ORG_COUNT]; /* orf_why(), where FACT_ORF is valid */
	bool ok;
	const struct banks *banks; /* of machine code; else NULL */
};

static json_t *text(struct out *o, const char *s) { return json_string(view_clean(&o->a, s, strlen(s))); }

static json_t *number(uint64_t n) { return json_integer((json_int_t)n); }

static json_t *block_number(uint32_t b) { return b == UINT32_MAX ? json_null() : number(b); }

static json_t *counts(const struct kernel *k, struct view_counts c)
{
	json_t *j = json_pack("{s:I, s:I}", "registers", (json_int_t)c.regs, "predicates", (json_int_t)c.preds);

	if (k->native) {
		json_object_set_new(j, "uniform_registers", json_integer(c.uregs));
		json_object_set_new(j, "uniform_predicates", json_integer(c.upreds));
	}
	return j;
}

/* Writes one value, which it takes over, on a line of its own; NULL: memory ran out. */
static void put(struct out *o, const char *lead, json_t *j)
{
	fputs(lead, o->f);
	o->ok &= j && json_dumpf(j, o->f, JSON_COMPACT | JSON_ENCODE_ANY) == 0;
	json_decref(j);
	arena_reset(&o->a);
}

static void set(struct out *o, json_t *object, const char *key, json_t *value)
{
	o->ok &= json_object_set_new(object, key, value) == 0;
}

static void append(struct out *o, json_t *array, json_t *value) { o->ok &= json_array_append_new(array, value) == 0; }

static json_t *registers(struct out *o, const uint64_t *s)
{
	uint32_t n = ir_nreg(o->v->k);
	json_t *j = json_array();

	for (uint32_t r = bitset_next(s, 0, n); r < n; r = bitset_next(s, r + 1, n))
		append(o, j, json_string(view_register(&o->a, o->v->k, r)));
	return j;
}

static json_t *register_list(struct out *o, const uint32_t *reg, uint32_t n)
{
	json_t *j = json_array();

	for (uint32_t i = 0; i < n; i++)
		append(o, j, json_string(view_register(&o->a, o->v->k, reg[i])));
	return j;
}

static json_t *released(struct out *o, const uint16_t *reg, uint32_t from, uint32_t to)
{
	json_t *j = json_array();

	for (; from < to; from++)
		append(o, j, json_string(view_register(&o->a, o->v->k, reg[from])));
	return j;
}

static json_t *numbers(struct out *o, const uint32_t *n, uint32_t count)
{
	json_t *j = json_array();

	for (uint32_t i = 0; i < count; i++)
		append(o, j, number(n[i]));
	return j;
}

static json_t *place(struct out *o, uint32_t i)
{
	struct view_place p;
	json_t *j;

	if (!view_find_place(o->v, i, &p))
		return NULL;
	j = json_object();
	set(o, j, "file", text(o, p.file));
	set(o, j, "line", number(p.line));
	set(o, j, "column", number(p.col));
	return j;
}

static json_t *block(struct out *o, uint32_t b)
{
	const struct kernel *k = o->v->k;
	const struct cfg *g = k->cfg;
	uint64_t *entry_release = bitset_new(&o->a, ir_nreg(k));
	json_t *j = json_object();

	set(o, j, "index", number(b));
	set(o, j, "label", json_string(view_block(&o->a, k, b)));
	set(o, j, "first", number(k->block[b].first));
	set(o, j, "instructions", number(k->block[b].n));
	set(o, j, "reachable", json_boolean(g->rpo_index[b] != UINT32_MAX));
	set(o, j, "successors", numbers(o, g->succ + g->succ_at[b], g->succ_at[b + 1] - g->succ_at[b]));
	set(o, j, "predecessors", numbers(o, g->pred + g->pred_at[b], g->pred_at[b + 1] - g->pred_at[b]));
	if (k->facts & FACT_DOM)
		set(o, j, "immediate_dominator", block_number(b ? k->dom->idom[b] : UINT32_MAX));
	if (k->facts & FACT_PDOM)
		set(o, j, "immediate_post_dominator", block_number(k->pdom->idom[b]));
	if (k->facts & FACT_LOOP)
		set(o, j, "loop_depth", number(g->depth[b]));
	if (k->facts & FACT_FREQ)
		set(o, j, "executions", number(k->freq->executions[b]));
	set(o, j, "live_in", register_list(o, live_in(k, b).reg, live_in(k, b).n));
	set(o, j, "live_out", register_list(o, live_out(k, b).reg, live_out(k, b).n));
	live_find_entry_release(k, b, entry_release);
	set(o, j, "entry_release", registers(o, entry_release));
	if (k->facts & FACT_WLIVE)
		set(o, j, "waiting", registers(o, k->wlive->wait[b]));
	if (k->facts & FACT_RELEASE)
		set(o, j, "warp_entry_release",
		    released(o, k->release->entry_reg, k->release->entry_at[b], k->release->entry_at[b + 1]));
	return j;
}

static json_t *spill(struct out *o, uint32_t n)
{
	static const char *const class_name[RC_COUNT] = { [RC_PRED] = "predicate", [RC_32] = "32", [RC_64] = "64" };
	const struct spill *s = &o->v->k->spill[n];
	json_t *j = json_object(), *where = s->insn < o->v->k->ninsn ? place(o, s->insn) : NULL;

	set(o, j, "instruction", number(s->insn));
	set(o, j, "kind", json_string(s->store ? "store" : "load"));
	set(o, j, "register", s->name ? text(o, s->name) : json_null());
	set(o, j, "class", json_string(class_name[s->rc]));
	set(o, j, "local_offset", number(s->slot));
	if (where)
		set(o, j, "source", where);
	return j;
}

static json_t *parameter(struct out *o, uint32_t n)
{
	const struct param *p = &o->v->k->param[n];
	json_t *j = json_object();

	set(o, j, "name", p->name ? text(o, p->name) : json_null());
	set(o, j, "type", json_string(p->type < TY_COUNT ? type_info[p->type].text : "b8"));
	set(o, j, "array", json_boolean(p->array));
	set(o, j, "offset", number(p->offset));
	set(o, j, "size", number(p->size));
	set(o, j, "align", number(p->align));
	return j;
}

static json_t *resources(struct out *o)
{
	const struct resources *r = &o->v->k->res;
	const bool untold = view_spills_untold(o->v->k);
	const char *unbounded = view_unbounded(o->v->k);
	json_t *j = json_object();
	const struct {
		const char *key;
		uint32_t n;
	} row[] = {
		{ "registers", r->regs },
		{ "predicates", r->preds },
		{ "shared_bytes", r->shared_bytes },
		{ "local_bytes", r->local_bytes },
		{ "param_bytes", r->param_bytes },
		{ "barriers", r->barriers },
		{ "spill_loads", r->spill_loads },
		{ "spill_stores", r->spill_stores },
		{ "spill_bytes", r->spill_bytes },
		{ "virtual_registers", r->virtual_regs },
		{ "virtual_instructions", r->virtual_insns },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		set(o, j, row[i].key,
		    (untold && strncmp(row[i].key, "spill_", 6) == 0) ||
				    (unbounded && strcmp(row[i].key, "local_bytes") == 0)
			    ? json_null()
			    : number(row[i].n));
	if (unbounded)
		set(o, j, "local_unbounded", json_string(unbounded));
	return j;
}

static json_t *most_live(struct out *o)
{
	const struct view *v = o->v;
	const struct kernel *k = v->k;
	json_t *j = counts(k, v->most), *where = v->most.regs ? place(o, v->most_at) : NULL;

	if (k->form == FORM_MACHINE && k->facts & FACT_WLIVE && k->facts & FACT_DLIVE) {
		set(o, j, "warp", number(dlive_most(k, k->wlive->wait)));
		set(o, j, "divergent", number(k->dlive->max_live32));
	}
	set(o, j, "instruction", v->most.regs ? number(v->most_at) : json_null());
	if (view_live_untold(v))
		set(o, j, "unbounded", json_string(view_live_untold(v)));
	if (where)
		set(o, j, "source", where);
	return j;
}

static json_t *register_name(struct out *o, uint32_t r) { return json_string(view_register(&o->a, o->v->k, r)); }

static json_t *words(struct out *o, const uint64_t *word, uint32_t n)
{
	json_t *j = json_array();

	for (uint32_t i = 0; i < n; i++)
		append(o, j, json_string(arena_printf(&o->a, "0x%016llx", (unsigned long long)word[i])));
	return j;
}

static json_t *pairs(struct out *o)
{
	const struct corf_hints *h = o->v->k->corf;
	json_t *j = json_object(), *list = json_array();

	for (uint32_t r = 0; r < MREG_RZ; r++)
		if (h->partner[r] != MREG_RZ && h->partner[r] > r) {
			json_t *pair = json_array();

			append(o, pair, register_name(o, r));
			append(o, pair, register_name(o, h->partner[r]));
			append(o, list, pair);
		}
	set(o, j, "method", json_string(corf_pairs_name[h->pairs]));
	set(o, j, "registers", list);
	set(o, j, "kept", number(h->pair_kept));
	set(o, j, "greedy_kept", number(h->greedy_kept));
	set(o, j, "matching_kept", number(h->matching_kept));
	set(o, j, "words", words(o, h->pair_word, h->npair_word));
	set(o, j, "code_increase", json_real(view_percent(h->npair_word, o->v->k->ninsn)));
	return j;
}

static json_t *aligned(struct out *o, enum corf_align to)
{
	json_t *j = json_array();

	for (uint32_t r = 0; r < MREG_RZ; r++)
		if (o->v->k->corf->align[r] == to)
			append(o, j, register_name(o, r));
	return j;
}

static json_t *alignment(struct out *o)
{
	const struct corf_hints *h = o->v->k->corf;
	uint64_t lost = h->total - h->align_kept;
	json_t *j = json_object();

	set(o, j, "method", json_string(corf_sides_name[h->sides]));
	set(o, j, "left", aligned(o, ALIGN_LEFT));
	set(o, j, "right", aligned(o, ALIGN_RIGHT));
	set(o, j, "kept", number(h->align_kept));
	set(o, j, "lost", number(lost));
	set(o, j, "bound", number(h->align_bound));
	set(o, j, "gap", number(lost - h->align_bound));
	set(o, j, "limited", json_boolean(h->limited));
	set(o, j, "words", words(o, h->align_word, h->nalign_word));
	set(o, j, "code_increase", json_real(view_percent(h->nalign_word, o->v->k->ninsn)));
	return j;
}

static json_t *edge(struct out *o, uint32_t n)
{
	const struct wedge *e = &o->v->k->affinity->e[n];
	json_t *j = json_object();

	set(o, j, "a", register_name(o, e->a));
	set(o, j, "b", register_name(o, e->b));
	set(o, j, "weight", number(e->w));
	return j;
}

static void put_hints(struct out *o)
{
	const struct kernel *k = o->v->k;

	put(o, ",\n   \"corf\": {\"total\": ", number(k->corf->total));
	put(o, ",\n    \"weights\": ", json_string(k->corf->counted ? "profile" : "estimate"));
	put(o, ",\n    \"pairs\": ", pairs(o));
	put(o, ",\n    \"alignment\": ", alignment(o));
	fputs(",\n    \"affinity\": [", o->f);
	for (uint32_t e = 0; e < k->affinity->m; e++)
		put(o, e ? ",\n     " : "\n     ", edge(o, e));
	fputs("]}", o->f);
}

static json_t *by_level(struct out *o, double n[RF_LEVELS][2])
{
	json_t *j = json_object();

	set(o, j, "mrf", json_real(n[LEVEL_MRF][0] + n[LEVEL_MRF][1]));
	set(o, j, "orf", json_real(n[LEVEL_L1][0] + n[LEVEL_L1][1]));
	set(o, j, "lrf", json_real(n[LEVEL_L0][0] + n[LEVEL_L0][1]));
	return j;
}

/* What places come to: operands by level, energy, encoding. */
static json_t *traffic(struct out *o, enum orf_organisation org)
{
	const struct kernel *k = o->v->k;
	const struct orf *x = k->orf[org];
	struct orf_encoding e = orf_encoding(k, x, org);
	json_t *j = json_object(), *bits = json_object();
	struct orf_traffic t;
	struct orf_spent s;

	orf_traffic_count(&t, k, x, k->facts & FACT_FREQ ? ORF_WEIGHTS_FREQ : ORF_WEIGHTS_STATIC);
	s = orf_traffic_energy(&t, &x->options);
	set(o, j, "reads", by_level(o, t.read));
	set(o, j, "writes", by_level(o, t.write));
	set(o, j, "operands_read", json_real(t.operands_read[0] + t.operands_read[1]));
	set(o, j, "operands_written", json_real(t.operands_written[0] + t.operands_written[1]));
	set(o, j, "fills", json_real(t.fills));
	set(o, j, "both", json_real(t.both));
	set(o, j, "access_pj", json_real(s.access));
	set(o, j, "wire_pj", json_real(s.wire));
	set(o, j, "without_pj", json_real(s.base_access + s.base_wire));
	set(o, bits, "names", number(e.names));
	set(o, bits, "name_bits", number(e.name_bits));
	set(o, bits, "name_bits_before", number(e.name_bits_before));
	set(o, bits, "second_bits", number(e.second_bits));
	set(o, bits, "second_sources", number(e.second_sources));
	set(o, bits, "second_results", number(e.second_results));
	set(o, j, "encoding", bits);
	return j;
}

/* The options that places were chosen by; how far the greedy allocation is from the best one, if that was asked. */
static json_t *allocation(struct out *o)
{
	struct orf *const *orf = o->v->k->orf;
	const struct orf_options *p = &orf[0]->options;
	json_t *j = json_object();

	set(o, j, "entries", number(p->entries));
	set(o, j, "warps", number(p->warps));
	set(o, j, "cost_entries", number(p->cost_entries ? p->cost_entries : p->entries));
	set(o, j, "partial", json_boolean(p->partial));
	set(o, j, "read_operands", json_boolean(p->read_operands));
	set(o, j, "forward_branches", json_boolean(p->forward_branches));
	set(o, j, "never_flush", json_boolean(p->never_flush));
	set(o, j, "past_barriers", json_boolean(p->past_barriers));
	set(o, j, "writes", json_string(orf_writes_name[p->writes]));
	set(o, j, "ranges", json_string(orf_ranges_name[p->ranges]));
	set(o, j, "weights", json_string(orf_weights_name[p->weights]));
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		json_t *x = traffic(o, org);

		if (p->exact) {
			set(o, x, "greedy_pj", json_real(orf[org]->greedy * 1e-3));
			set(o, x, "saved_pj", json_real(orf[org]->saved * 1e-3));
			set(o, x, "bound_pj", json_real(orf[org]->bound * 1e-3));
		}
		set(o, j, orf_organisation_name[org], x);
	}
	return j;
}

static json_t *release_metadata(const struct kernel *k, struct out *o)
{
	struct release_words w = release_words(k);
	json_t *j = json_object();

	set(o, j, "flag_words", number(w.flags));
	set(o, j, "register_words", number(w.numbers));
	return j;
}

static json_t *loop(struct out *o, uint32_t n)
{
	const struct freq_loop *l = &o->v->k->freq->loop[n];
	json_t *j = json_object(),
	       *where = o->v->k->block[l->header].n ? place(o, o->v->k->block[l->header].first) : NULL;

	set(o, j, "header", number(l->header));
	set(o, j, "outer", block_number(l->outer));
	set(o, j, "iterations", json_real(l->iterations));
	set(o, j, "source", json_string(trip_source_name[l->source]));
	set(o, j, "header_executions", json_real(l->header_runs));
	if (where)
		set(o, j, "place", where);
	return j;
}

static void put_kernel(struct out *o, const struct emit_machine *machine)
{
	const struct kernel *k = o->v->k;
	const char *sep = "\n    ";
	struct json_insn insns;

	put(o, "  {\n   \"name\": ", text(o, k->name));
	put(o, ",\n   \"resources\": ", resources(o));
	put(o, ",\n   \"max_live\": ", most_live(o));
	if (k->native)
		put(o, ",\n   \"machine_code\": ", view_native_json(k, &o->a));
	if (o->banks)
		put(o, ",\n   \"banks\": ", view_banks_json(o->banks));
	if (k->form == FORM_MACHINE)
		put(o, ",\n   \"occupancy\": ", view_occupancy_json(k, machine));
	if (k->facts & FACT_RELEASE)
		put(o, ",\n   \"release_metadata\": ", release_metadata(k, o));
	if (k->facts & FACT_STRAND)
		put(o, ",\n   \"strands\": ", view_strands_json(k));
	if (k->facts & FACT_UNIFORM && k->form == FORM_MACHINE)
		put(o, ",\n   \"lanes\": ", view_uniform_json(k));
	fputs(",\n   \"parameters\": [", o->f);
	for (uint32_t n = 0; n < k->nparam; n++)
		put(o, n ? ",\n    " : sep, parameter(o, n));
	fputs("],\n   \"blocks\": [", o->f);
	for (uint32_t b = 0; b < k->nblock; b++)
		put(o, b ? ",\n    " : sep, block(o, b));
	if (k->facts & FACT_FREQ) {
		static const char *const weights[] = {
			[FREQ_ESTIMATED] = "estimate", [FREQ_PROFILE] = "profile", [FREQ_NO_PROFILE] = "estimate"
		};

		fprintf(o->f, "],\n   \"block_weights\": \"%s\",\n   \"loops\": [", weights[k->freq->source]);
		for (uint32_t n = 0; n < k->freq->nloop; n++)
			put(o, n ? ",\n    " : sep, loop(o, n));
	}
	fputs("],\n   \"instructions\": [", o->f);
	json_insn_begin(&insns, o->v, o->banks, o->why, &o->a);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			fputs(i ? ",\n    " : sep, o->f);
			json_insn_put(o->f, &insns, b, i);
		}
	fputs("],\n   \"spills\": [", o->f);
	for (uint32_t n = 0; n < k->nspill; n++)
		put(o, n ? ",\n    " : sep, spill(o, n));
	fputs("]", o->f);
	if (k->facts & FACT_CORF)
		put_hints(o);
	if (k->facts & FACT_ORF)
		put(o, ",\n   \"orf\": ", allocation(o));
	if (k->facts & FACT_OWF)
		put(o, ",\n   \"owf\": ", view_owf_json(k));
	if (k->regmutex)
		put(o, ",\n   \"regmutex\": ", view_regmutex_json(k));
	fputs("\n  }", o->f);
}

bool emit_json(FILE *f, const struct module *m, const struct regmutex_options *options,
	       const struct launch_facts *launch)
{
	struct out o = { .f = f, .ok = true };
	struct view v;

	arena_init(&o.a);
	fprintf(f, "{\n \"format\": \"regloom-annotate\",\n \"version\": %d,\n", FORMAT_VERSION);
	put(&o, " \"source\": ", m->src_name ? text(&o, m->src_name) : json_null());
	put(&o, ",\n \"target\": ", text(&o, m->target));
	if (m->ptx_version)
		fprintf(f, ",\n \"ptx_version\": \"%u.%u\"", m->ptx_version / 10, m->ptx_version % 10);
	else /* machine code */
		fputs(",\n \"ptx_version\": null", f);
	fprintf(f, ",\n \"address_bits\": %u,\n \"kernels\": [", m->address_bits);
	for (uint32_t i = 0; i < m->nkernel; i++) {
		view_init(&v, m, m->kernel[i]);
		o.v = &v;
		o.banks = banks_find(m->kernel[i], &v.a);
		for (enum orf_organisation org = 0; org < ORG_COUNT && m->kernel[i]->facts & FACT_ORF; org++)
			o.why[org] = orf_why(m->kernel[i], org, &v.a);
		fputs(i ? ",\n" : "\n", f);
		put_kernel(&o, &(struct emit_machine){ options->sm, launch_cta(m->kernel[i], launch), options->liveness,
						       options->rules_off });
		view_free(&v);
	}
	fputs("]\n}\n", f);
	arena_free(&o.a);
	return o.ok && !ferror(f);
}

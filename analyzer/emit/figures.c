/* A compiled kernel in numbers (figures.def), and where they come from. */
#include "analyzer/emit/figures.h"

#include "analyzer/emit/pressure.h"
#include "passes/orf_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* of what we compile; INSN_BYTES: runtime-model/core/params.def, insn_bytes */
enum { INSN_BYTES = 8, SHARED_SHOWN = 3 };

const struct figure_info figure_info[FIGURE_COUNT] = {
#define FIGURE(id, name, unit, better, watched, what) [FIGURE_##id] = { name, unit, FIGURE_##better, watched, what },
#include "analyzer/emit/figures.def"
#undef FIGURE
};

/* The column of a byte of a line, counted in UTF-16 code units: two for what UTF-8 has in four bytes. */
static uint32_t utf16_column(struct view *v, const struct view_place *p)
{
	struct view_file f;
	uint32_t col = 1;

	if (!view_source_file(v, p, &f) || p->line > f.lines)
		return p->col;
	for (uint32_t i = f.at[p->line - 1]; i < f.at[p->line] && i < f.at[p->line - 1] + p->col - 1; i++) {
		unsigned char c = (unsigned char)f.text[i];

		if ((c & 0xc0) != 0x80)
			col += c >= 0xf0 ? 2 : 1;
	}
	return col;
}

struct figure_place figure_place(struct view *v, uint32_t i, struct arena *a)
{
	struct figure_place out = { .file = NULL };
	struct view_place p, seen;
	const char *text;

	if (i >= v->k->ninsn)
		return out;
	if (view_find_place(v, i, &p)) {
		out.file = arena_strndup(a, p.file, strlen(p.file));
		out.line = p.line;
		out.col = p.col;
	}
	out.path = view_find_readable(v, i, &seen);
	if (!out.path)
		return out;
	text = view_source_text(v, &seen);
	out.path = arena_strndup(a, out.path, strlen(out.path));
	out.path_line = seen.line;
	out.path_col = seen.col ? utf16_column(v, &seen) : 0;
	out.text = text && *text ? arena_strndup(a, text, strlen(text)) : NULL;
	return out;
}

const char *figure_place_text(const struct figure_place *p, struct arena *a)
{
	const char *base = p->file ? loc_base_name(p->file) : "";

	return p->file ? arena_printf(a, "%s:%u", view_clean(a, base, strlen(base)), p->line) : "";
}

const char *figure_text(enum figure f, double value, bool unit, struct arena *a)
{
	const struct figure_info *x = &figure_info[f];
	size_t n = strlen(x->unit);

	if (*x->unit == '%')
		return arena_printf(a, unit ? "%.1f %%" : "%.1f", value);
	if (!unit)
		return arena_printf(a, "%.0f", value);
	return arena_printf(a, "%.0f %.*s", value, (int)(fabs(value) == 1 ? n - 1 : n), x->unit);
}

/* ---- pressure ---- */
/* instructions to the next read; of one that stands before the peak more than any, as it comes after them */
struct waiting {
	const struct pressure_value *of;
	uint64_t distance;
};

static int by_distance(const void *pa, const void *pb)
{
	const struct waiting *a = pa, *b = pb;

	if (a->distance != b->distance)
		return a->distance < b->distance ? 1 : -1;
	return (a->of->reg > b->of->reg) - (a->of->reg < b->of->reg);
}

static bool reads(const struct kernel *k, uint32_t i, uint32_t reg)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, &k->insn[i], use);

	for (unsigned u = 0; u < n; u++)
		if (use[u].reg == reg && !use[u].write)
			return true;
	return false;
}

static const char *use_text(struct view *v, uint32_t i, struct arena *a)
{
	const struct figure_place at = figure_place(v, i, a);

	if (at.file)
		return figure_place_text(&at, a);
	return arena_printf(a, "%s%s", v->k->native ? "" : "instruction ", view_insn_name(a, v->k, i));
}

/* Both instructions are in one loop. */
static bool same_loop(const struct kernel *k, uint32_t i, uint32_t j)
{
	const struct cfg *g = k->cfg;
	uint32_t a = g->loop[ir_block_of(k, i)], b = g->loop[ir_block_of(k, j)];

	while (a != b && a != UINT32_MAX && b != UINT32_MAX)
		if (g->depth[a] >= g->depth[b])
			a = g->outer[a];
		else
			b = g->outer[b];
	return a == b && a != UINT32_MAX;
}

/* What is live at the peak and read after others: candidates to be computed later, or again. */
static void find_waits(struct kernel_figures *x, struct view *v, struct arena *a)
{
	const struct kernel *k = v->k;
	uint32_t found, n = 0;
	const struct pressure_value *p = pressure_find(v, &found, a);
	struct waiting w[MREG_RZ];

	for (uint32_t i = 0; i < found; i++)
		if (p[i].read.n)
			w[n++] = (struct waiting){ &p[i], (uint64_t)p[i].read.near +
								  (p[i].read.near < v->most_at ? k->ninsn : 0) -
								  v->most_at };
	qsort(w, n, sizeof *w, by_distance);
	for (uint32_t i = 0; i < n && x->nwait < FIGURE_WAITS && w[i].distance; i++) {
		const struct pressure_value *of = w[i].of;
		struct figure_wait *to = &x->wait[x->nwait++];
		const bool next_turn =
			of->read.near < v->most_at && k->facts & FACT_LOOP && same_loop(k, of->read.near, v->most_at);

		to->reg = arena_printf(a, "R%u", of->reg);
		to->made = of->made.n ? use_text(v, of->made.near, a) : "";
		to->read = next_turn ? "" : use_text(v, of->read.near, a);
	}
}

/* ---- what the passes found ---- */
static uint64_t executions(const struct kernel *k, uint32_t i)
{
	for (uint32_t b = 0; k->facts & FACT_FREQ && b < k->nblock; b++)
		if (i - k->block[b].first < k->block[b].n)
			return k->freq->executions[b];
	return 1;
}

/* A load or store of a spilled value. */
struct moved {
	const struct spill *spill;
	uint64_t times;
};

static const char *moved_name(const struct moved *m) { return m->spill->name ? m->spill->name : ""; }

static int by_value(const void *pa, const void *pb)
{
	const struct moved *a = pa, *b = pb;
	int order = (a->spill->slot > b->spill->slot) - (a->spill->slot < b->spill->slot);

	if (!order)
		order = strcmp(moved_name(a), moved_name(b));

	return order ? order : (a->spill->insn > b->spill->insn) - (a->spill->insn < b->spill->insn);
}

/* The value that is stored and loaded most often, by a thread, and where it is most often; of several what is first in
 * the code. */
static void find_spill(struct kernel_figures *x, struct view *v, struct arena *a)
{
	const struct kernel *k = v->k;
	struct moved *m = new_array(a, struct moved, (size_t)k->nspill + 1);
	const struct spill *worst = NULL;
	uint32_t n = 0, first = 0;
	uint64_t most = 0;

	for (uint32_t s = 0; s < k->nspill; s++)
		if (k->spill[s].insn < k->ninsn)
			m[n++] = (struct moved){ &k->spill[s], executions(k, k->spill[s].insn) };
	qsort(m, n, sizeof *m, by_value);
	for (uint32_t at = 0, end; at < n; at = end) {
		uint32_t often = at;
		uint64_t times = 0;

		for (end = at; end < n && m[end].spill->slot == m[at].spill->slot &&
			       strcmp(moved_name(&m[end]), moved_name(&m[at])) == 0;
		     end++)
			times += m[end].times;
		for (uint32_t i = at; i < end; i++)
			often = m[i].times > m[often].times ? i : often;
		if (worst && (times < most || (times == most && m[at].spill->insn >= first)))
			continue;
		most = times;
		first = m[at].spill->insn;
		worst = m[often].spill;
	}
	if (!worst)
		return;
	x->spill = figure_place(v, worst->insn, a);
	x->spilled =
		arena_printf(a, "%s at local+%u",
			     worst->name ? view_clean(a, worst->name, strlen(worst->name)) : "a value", worst->slot);
}

uint32_t figure_read_together(const struct kernel *k, uint32_t ra, uint32_t rb)
{
	uint32_t best = UINT32_MAX;
	uint64_t most = 0;

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint64_t times = k->facts & FACT_FREQ ? k->freq->executions[b] : 1;

		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			if ((best == UINT32_MAX || times > most) && reads(k, i, ra) && reads(k, i, rb)) {
				best = i;
				most = times;
			}
	}
	return best;
}

static void find_pairs(struct kernel_figures *x, struct view *v, struct arena *a)
{
	const struct kernel *k = v->k;
	const struct corf_hints *h = k->corf;
	const struct wedge *worst = NULL;

	if (!h->total) {
		x->missing[FIGURE_PAIRS] = x->missing[FIGURE_ALIGNED] = "no two registers are read together";
		return;
	}
	x->value[FIGURE_PAIRS] = view_percent(h->pair_kept, h->total);
	x->value[FIGURE_ALIGNED] = view_percent(h->align_kept, h->total);
	for (uint32_t e = 0; e < k->affinity->m; e++) {
		const struct wedge *w = &k->affinity->e[e];

		if (h->partner[w->a] != w->b && (!worst || w->w > worst->w))
			worst = w;
	}
	if (!worst)
		return;
	x->pair = figure_place(v, figure_read_together(k, worst->a, worst->b), a);
	x->pair_text =
		arena_printf(a, "R%u and R%u, %llu times by %s", worst->a, worst->b, (unsigned long long)worst->w,
			     h->counted ? "warps (profile)" : "a thread (estimated)");
}

static void find_upper(struct kernel_figures *x, const struct kernel *k)
{
	struct orf_traffic t;
	double all, mrf;

	orf_traffic_count(&t, k, k->orf[ORG_SPLIT], k->facts & FACT_FREQ ? ORF_WEIGHTS_FREQ : ORF_WEIGHTS_STATIC);
	all = t.operands_read[0] + t.operands_read[1];
	mrf = t.read[LEVEL_MRF][0] + t.read[LEVEL_MRF][1];
	if (all > 0)
		x->value[FIGURE_UPPER] = 100 * (1 - mrf / all);
	else
		x->missing[FIGURE_UPPER] = "no register is read";
}

static void find_shared(struct kernel_figures *x, const struct view *v, struct arena *a)
{
	const struct symbol *last = NULL;

	for (unsigned shown = 0; shown < SHARED_SHOWN; shown++) {
		const struct symbol *best = NULL;

		for (uint32_t s = 0; s < v->m->nsym; s++) {
			const struct symbol *y = &v->m->sym[s];
			bool after = !last || y->size < last->size || (y->size == last->size && y > last);

			if (y->space == SP_SHARED && y->size && after &&
			    (y->kernel == UINT32_MAX || v->m->kernel[y->kernel] == v->k) &&
			    (!best || y->size > best->size))
				best = y;
		}
		if (!best)
			break;
		last = best;
		x->shared_text =
			arena_printf(a, "%s%s%s (%llu bytes)", shown ? x->shared_text : "", shown ? ", " : "",
				     view_clean(a, best->name, strlen(best->name)), (unsigned long long)best->size);
	}
}

static void find_occupancy(struct kernel_figures *x, const struct kernel *k, const struct emit_machine *m,
			   struct arena *a)
{
	struct occupancy_gain g;
	struct occupancy o;

	x->machine = m->sm.machine;
	x->value[FIGURE_ALLOCATED] = occupancy_allocated(&m->sm, k->res.regs);
	x->value[FIGURE_SHARED] = k->res.shared_bytes + m->cta.dynamic_bytes;
	x->occupancy = regmutex_query(k, &m->sm, m->cta);
	x->occupancy.threads = m->cta.threads;
	if (!m->cta.threads) {
		x->missing[FIGURE_OCCUPANCY] = "the block size is not known";
		return;
	}
	o = occupancy_of(&x->occupancy);
	g = occupancy_gain(&x->occupancy);
	x->value[FIGURE_OCCUPANCY] = view_percent(o.warps, o.warp_slots);
	x->limited_by = o.warps == o.warp_slots ? "warp slots" : occupancy_limit_name(o.why);
	x->gain = o.warps == o.warp_slots ? NULL : occupancy_gain_text(&x->occupancy, &g, a);
}

static bool is_move(const struct kernel *k, const struct insn *i)
{
	const struct ref *s = insn_src(k, i), *d = insn_dst(k, i);

	if (!k->native)
		return op_info[i->op].flags & OPF_MOVE && s->kind == REF_REG;
	return i->op == OP_SASS_MOVE && i->ndst == 1 && i->nsrc == 1 && s->kind == REF_REG && mreg_is_general(s->val) &&
	       !mreg_is_fixed(s->val) && d->kind == REF_REG && mreg_is_general(d->val);
}

static void find_banks(struct kernel_figures *x, struct view *v, struct arena *a)
{
	const struct banks *b = banks_find(v->k, a);
	struct view_conflict *c;
	uint32_t n;

	x->value[FIGURE_CONFLICTS] = (double)b->code.conflicts;
	x->value[FIGURE_REUSE] = (double)b->code.missed;
	x->conflict_bound = b->code.bound;
	c = view_conflicts(v->k, b, 0, &n, a);
	if (!n)
		return;
	x->conflict = figure_place(v, c->insn, a);
	x->conflict_text = arena_printf(a, "%s: %s", view_insn_name(a, v->k, c->insn), view_insn(a, v->k, c->insn));
}

/* A cubin does not say which local memory is spilled values, but where there is none there are no spills. */
static void find_native(struct kernel_figures *x, struct view *v, bool with_banks, struct arena *a)
{
	static const char *const unknown = "machine code does not say which local memory is spilled values";
	const struct kernel *k = v->k;

	x->native = true;
	x->unknown = view_count_open(k);
	x->elsewhere = k->native->elsewhere != NULL;
	if (with_banks)
		find_banks(x, v, a);
	x->value[FIGURE_UNIFORM] = v->most.uregs;
	x->value[FIGURE_UNIFORM_PREDICATES] = v->most.upreds;
	x->missing[FIGURE_LIVE] = view_live_untold(v);
	x->peak_at = v->most.regs ? view_insn_name(a, k, v->most_at) : NULL;
	if (view_spills_untold(k))
		x->missing[FIGURE_SPILL] = x->missing[FIGURE_SPILL_INSN] = unknown;
}

static bool wants(uint32_t wanted, enum figure f) { return wanted >> f & 1; }

unsigned figures_facts(uint32_t wanted)
{
	unsigned facts = FACT_CFG | FACT_LIVE | FACT_LOOP;

	if (wants(wanted, FIGURE_SPILL) || wants(wanted, FIGURE_SPILL_INSN) || wants(wanted, FIGURE_LOCAL) ||
	    wants(wanted, FIGURE_CONFLICTS) || wants(wanted, FIGURE_REUSE))
		facts |= FACT_FREQ;
	if (wants(wanted, FIGURE_PAIRS) || wants(wanted, FIGURE_ALIGNED))
		facts |= FACT_FREQ | FACT_AFFINITY | FACT_CORF;
	return facts | (wants(wanted, FIGURE_UPPER) ? FACT_FREQ | FACT_ORF : 0);
}

void figures_find(struct kernel_figures *x, struct view *v, const struct emit_machine *m, uint32_t wanted,
		  struct arena *a)
{
	const struct kernel *k = v->k;
	const struct resources *r = &k->res;
	double *value = x->value;

	*x = (struct kernel_figures){
		.name = arena_strndup(a, k->name, strlen(k->name)),
		.code = view_code(v->m, k, a),
		.target = view_clean(a, v->m->target, strlen(v->m->target)),
		.also = v->m->also ? arena_strndup(a, v->m->also, strlen(v->m->also)) : NULL,
	};
	value[FIGURE_LIVE] = v->most.regs;
	value[FIGURE_REGISTERS] = r->regs;
	value[FIGURE_PREDICATES] = r->preds;
	value[FIGURE_SPILL] = r->spill_bytes;
	value[FIGURE_SPILL_INSN] = r->spill_loads + r->spill_stores;
	value[FIGURE_INSN] = k->ninsn;
	value[FIGURE_CODE] = (double)k->ninsn * (k->native ? NATIVE_BYTES : INSN_BYTES);
	for (uint32_t i = 0; i < k->ninsn; i++)
		value[FIGURE_MOVES] += is_move(k, &k->insn[i]);
	value[FIGURE_LOCAL] = r->local_bytes;
	x->missing[FIGURE_LOCAL] = view_unbounded(k);
	if (k->native)
		find_native(x, v, wants(wanted, FIGURE_CONFLICTS) || wants(wanted, FIGURE_REUSE), a);
	else
		x->missing[FIGURE_CONFLICTS] = x->missing[FIGURE_REUSE] = x->missing[FIGURE_UNIFORM] =
			x->missing[FIGURE_UNIFORM_PREDICATES] = "what is compiled here has none";
	x->start = figure_place(v, 0, a);
	x->peak = figure_place(v, v->most_at, a);
	find_waits(x, v, a);
	find_spill(x, v, a);
	if (wants(wanted, FIGURE_PAIRS) || wants(wanted, FIGURE_ALIGNED))
		find_pairs(x, v, a);
	if (wants(wanted, FIGURE_UPPER))
		find_upper(x, k);
	find_shared(x, v, a);
	find_occupancy(x, k, m, a);
}

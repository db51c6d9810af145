/* Findings of a kernel: from its figures and what the passes say. */
#include "analyzer/emit/findings.h"

#include "passes/orf_traffic.h"
#include "passes/orf_why.h"

#include <stdlib.h>
#include <string.h>

enum { LOST_SHOWN = 5, CONFLICTS_SHOWN = 5 };

static const struct finding_info rules[RULE_COUNT] = {
#define RULE(id, rule, pass, remark, level, name, what, help) \
	[RULE_##id] = { rule, pass, #remark, level, name, what, help },
#include "analyzer/emit/findings.def"
#undef RULE
};

struct finding_info finding_info(unsigned rule, struct arena *a)
{
	const struct figure_info *x;
	const char *bound;

	if (rule < RULE_COUNT)
		return rules[rule];
	x = &figure_info[rule - LIMIT_RULE];
	bound = x->better == FIGURE_LESS ? "max" : "min";
	return (struct finding_info){
		.rule = arena_printf(a, "limit-%s-%s", bound, x->name),
		.pass = "regloom-check",
		.remark = "Failure",
		.level = "error",
		.name = arena_printf(a, "Limit%s%s", x->better == FIGURE_LESS ? "Max" : "Min", x->name),
		.what = arena_printf(a, "A kernel breaks the limit %s-%s (%s): %s.", bound, x->name, x->unit, x->what),
		.help = arena_printf(a, "The limit was given by ptx-annotate --check %s-%s=N.", bound, x->name),
	};
}

struct finding *finding_add(struct findings *all, unsigned rule, const char *kernel, const struct figure_place *at,
			    const char *identity)
{
	struct finding *f;

	arena_grow(all->a, all->of, all->n, all->cap);
	f = &all->of[all->n++];
	*f = (struct finding){ .rule = rule, .kernel = kernel, .at = *at, .identity = identity };
	return f;
}

void finding_value(struct finding *f, const char *key, const char *text)
{
	if (f->npart < FINDING_PARTS)
		f->part[f->npart++] = (struct finding_part){ key, text };
}

void finding_words(struct finding *f, const char *text) { finding_value(f, "String", text); }

char *finding_message(const struct finding *f, struct arena *a)
{
	char *text = arena_printf(a, "%s", "");

	for (unsigned p = 0; p < f->npart; p++)
		text = arena_printf(a, "%s%s", text, f->part[p].text);
	return text;
}

/* ---- of a kernel ---- */
struct about {
	struct findings *all;
	struct view *v;
	const struct kernel_figures *x;
	const char *input;
};

static struct finding *add(struct about *o, enum finding_rule rule, uint32_t insn, const char *identity)
{
	const struct kernel *k = o->v->k;
	struct figure_place at = insn == UINT32_MAX ? o->x->start : figure_place(o->v, insn, o->all->a);
	struct finding *f = finding_add(o->all, rule, o->x->name, &at, identity);

	f->input = o->input;
	f->counted = k->facts & FACT_FREQ && k->freq->source == FREQ_PROFILE;
	for (uint32_t b = 0; f->counted && b < k->nblock; b++)
		if ((insn == UINT32_MAX ? 0 : insn) - k->block[b].first < k->block[b].n)
			f->runs = k->freq->executions[b];
	return f;
}

static const char *number(struct about *o, uint64_t n)
{
	return arena_printf(o->all->a, "%llu", (unsigned long long)n);
}

static const char *share(struct about *o, double percent) { return arena_printf(o->all->a, "%.1f", percent); }

static void add_pressure(struct about *o)
{
	const struct kernel_figures *x = o->x;
	struct finding *f;

	if (!o->v->most.regs)
		return;
	f = add(o, RULE_PRESSURE, o->v->most_at, "peak");
	if (x->unknown)
		finding_words(f, "at most ");
	finding_value(f, "LiveRegisters", number(o, o->v->most.regs));
	finding_words(f, " registers are live at once here, of ");
	finding_value(f, "Registers", number(o, o->v->k->res.regs));
	finding_words(f, x->native ? " declared, at " : " that a thread uses");
	if (x->native)
		finding_value(f, "Address", x->peak_at);
	for (uint32_t w = 0; w < x->nwait; w++) {
		const char *made = x->wait[w].made, *read = x->wait[w].read;

		finding_words(f, w ? ", " : "; read last of them: ");
		finding_value(f, "Register", x->wait[w].reg);
		if (*made) {
			finding_words(f, " of ");
			finding_value(f, "MadeAt", made);
		}
		finding_words(f, *read ? ", read at " : ", read in the next turn of the loop");
		if (*read)
			finding_value(f, "ReadAt", read);
	}
}

static void add_unknown(struct about *o)
{
	const struct kernel *k = o->v->k;
	uint32_t first = view_open(k, 0);
	struct finding *f;
	const char *why;

	if (!o->x->unknown)
		return;
	why = view_native_note(k, first);
	f = add(o, RULE_UNKNOWN, first, "unknown");
	finding_value(f, "Instructions", number(o, o->x->unknown));
	finding_words(f, o->x->unknown == 1 ? " instruction is taken at worst, at "
					    : " instructions are taken at worst, the first at ");
	finding_value(f, "Address", view_insn_name(o->all->a, k, first));
	finding_words(f, arena_printf(o->all->a, " (%s): registers that are live are at most so many",
				      *why ? why : "not known"));
}

static void add_banks(struct about *o)
{
	const struct kernel *k = o->v->k;
	const struct banks *b;
	struct view_conflict *c;
	uint32_t n;

	if (!k->native)
		return;
	b = banks_find(k, o->all->a);
	c = view_conflicts(k, b, 1, &n, o->all->a);
	for (uint32_t i = 0; i < n && i < CONFLICTS_SHOWN; i++) {
		const struct bank_use *u = &b->insn[c[i].insn];
		const char *name = view_insn_name(o->all->a, k, c[i].insn),
			   *advice = view_conflict_advice(k, b, c[i].insn, o->all->a);
		struct finding *f = add(o, RULE_CONFLICT, c[i].insn, name);

		finding_value(f, "Address", name);
		finding_words(f, " waits ");
		finding_value(f, "Cycles", number(o, u->conflict));
		finding_words(f, u->conflict == 1 ? " cycle for registers: " : " cycles for registers: ");
		finding_value(f, "Even", number(o, u->read[0]));
		finding_words(f, " from the even bank, ");
		finding_value(f, "Odd", number(o, u->read[1]));
		finding_words(f, " from the odd one");
		if (*advice)
			finding_words(f, "; less with ");
		else if (u->bound < u->conflict)
			finding_words(f, "; less with other register numbers");
		else
			finding_words(f, "; no register numbers make it less");
		if (*advice)
			finding_words(f, advice);
	}
}

static int by_slot(const void *pa, const void *pb)
{
	const struct spill *a = pa, *b = pb;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return (a->insn > b->insn) - (a->insn < b->insn);
}

static void add_spills(struct about *o)
{
	const struct kernel *k = o->v->k;
	struct spill *s = new_array(o->all->a, struct spill, (size_t)k->nspill + 1);

	if (k->nspill)
		memcpy(s, k->spill, k->nspill * sizeof *s);
	qsort(s, k->nspill, sizeof *s, by_slot);
	for (uint32_t at = 0, n; at < k->nspill; at += n) {
		const char *name = s[at].name ? view_clean(o->all->a, s[at].name, strlen(s[at].name)) : "a value";
		uint32_t stores = 0;
		struct finding *f;

		for (n = 0; at + n < k->nspill && s[at].slot == s[at + n].slot &&
			    strcmp(s[at].name ? s[at].name : "", s[at + n].name ? s[at + n].name : "") == 0;
		     n++)
			stores += s[at + n].store;
		f = add(o, RULE_SPILL, s[at].insn < k->ninsn ? s[at].insn : UINT32_MAX, name);
		finding_value(f, "Value", name);
		finding_words(f, " found no register and is in local memory: ");
		finding_value(f, "Stores", number(o, stores));
		finding_words(f, stores == 1 ? " store, " : " stores, ");
		finding_value(f, "Loads", number(o, n - stores));
		finding_words(f, n - stores == 1 ? " load, at local+" : " loads, at local+");
		finding_value(f, "Slot", number(o, s[at].slot));
	}
}

static void add_occupancy(struct about *o)
{
	const struct kernel_figures *x = o->x;
	struct occupancy c;
	struct finding *f;

	if (x->missing[FIGURE_OCCUPANCY])
		return;
	c = occupancy_of(&x->occupancy);
	f = add(o, x->gain ? RULE_OCCUPANCY : RULE_FULL, UINT32_MAX, x->limited_by);
	finding_words(f, x->gain ? "an SM of " : "every warp slot of an SM of ");
	finding_value(f, "Machine", x->machine);
	finding_words(f, x->gain ? " holds " : " is taken: ");
	finding_value(f, "Warps", number(o, c.warps));
	finding_words(f, " of ");
	finding_value(f, "WarpSlots", number(o, c.warp_slots));
	finding_words(f, " warps in blocks of ");
	finding_value(f, "BlockThreads", number(o, x->occupancy.threads));
	finding_words(f, " threads");
	if (!x->gain)
		return;
	finding_words(f, ", limited by ");
	finding_value(f, "LimitedBy", x->limited_by);
	finding_words(f, "; for one more block: ");
	finding_words(f, x->gain);
}

static int heavier(const void *pa, const void *pb)
{
	const struct wedge *a = *(const struct wedge *const *)pa, *b = *(const struct wedge *const *)pb;

	if (a->w != b->w)
		return a->w < b->w ? 1 : -1;
	return (a > b) - (a < b);
}

static void add_pairs(struct about *o)
{
	const struct kernel *k = o->v->k;
	const struct corf_hints *h = k->corf;
	const struct wedge **lost = new_array(o->all->a, const struct wedge *, (size_t)k->affinity->m + 1);
	uint32_t n = 0;
	struct finding *f;

	if (!h->total)
		return;
	f = add(o, RULE_PAIRS, UINT32_MAX, "pairs");
	finding_words(f, "of reads of two registers together pairs coalesce ");
	finding_value(f, "PairsPercent", share(o, o->x->value[FIGURE_PAIRS]));
	finding_words(f, " %, alignment ");
	finding_value(f, "AlignedPercent", share(o, o->x->value[FIGURE_ALIGNED]));
	finding_words(f, h->counted ? " %, by the profile" : " %, by estimated executions");
	for (uint32_t e = 0; e < k->affinity->m; e++)
		if (h->partner[k->affinity->e[e].a] != k->affinity->e[e].b)
			lost[n++] = &k->affinity->e[e];
	qsort(lost, n, sizeof *lost, heavier);
	for (uint32_t e = 0; e < n && e < LOST_SHOWN; e++) {
		uint32_t ra = lost[e]->a, rb = lost[e]->b;
		const char *name = arena_printf(o->all->a, "R%u R%u", ra, rb);

		f = add(o, RULE_LOST, figure_read_together(k, ra, rb), name);
		finding_value(f, "Registers", name);
		finding_words(f, " are read together ");
		finding_value(f, "Times", number(o, lost[e]->w));
		finding_words(f, h->counted ? " times by warps, and are no pair: "
					    : " times by a thread, as estimated, and are no pair: ");
		finding_words(f, h->partner[ra] == MREG_RZ
					 ? arena_printf(o->all->a, "R%u has no partner", ra)
					 : arena_printf(o->all->a, "R%u is with R%u", ra, h->partner[ra]));
		finding_words(f, h->partner[rb] == MREG_RZ
					 ? arena_printf(o->all->a, ", R%u has no partner", rb)
					 : arena_printf(o->all->a, ", R%u is with R%u", rb, h->partner[rb]));
	}
}

static void add_levels(struct about *o)
{
	const struct kernel *k = o->v->k;
	struct orf_traffic t;
	struct orf_spent s;
	uint32_t n[ORF_WHYS];
	struct finding *f;
	const char *sep = "; results in the main register file alone: ";

	if (o->x->missing[FIGURE_UPPER])
		return;
	orf_traffic_count(&t, k, k->orf[ORG_SPLIT], k->facts & FACT_FREQ ? ORF_WEIGHTS_FREQ : ORF_WEIGHTS_STATIC);
	s = orf_traffic_energy(&t, &k->orf[ORG_SPLIT]->options);
	orf_why_count(k, ORG_SPLIT, orf_why(k, ORG_SPLIT, o->all->a), n);
	f = add(o, RULE_ORF, UINT32_MAX, "levels");
	finding_value(f, "UpperPercent", share(o, o->x->value[FIGURE_UPPER]));
	finding_words(f, " % of operands are read from ORF or LRF (");
	finding_value(f, "Organisation", orf_organisation_name[ORG_SPLIT]);
	finding_words(f, "), at ");
	finding_value(f, "EnergyPercent", share(o, 100 * (s.access + s.wire) / (s.base_access + s.base_wire)));
	finding_words(f, " % of the energy of the main register file alone");
	for (enum orf_why w = ORF_WHY_NOT + 1; w < ORF_WHYS && f->npart + 2 <= FINDING_PARTS; w++)
		if (n[w]) {
			finding_words(f, arena_printf(o->all->a, "%s%s ", sep, orf_why_name[w]));
			finding_value(f, "Results", number(o, n[w]));
			sep = ", ";
		}
}

static void add_regmutex(struct about *o)
{
	const struct regmutex *r = o->v->k->regmutex;
	struct finding *f;

	if (!r)
		return;
	f = add(o, r->chosen == REGMUTEX_NONE ? RULE_NO_SHARES : RULE_SHARES, UINT32_MAX, "regmutex");
	if (r->chosen == REGMUTEX_NONE) {
		finding_words(f, "warps share no registers in turn: ");
		finding_words(f, regmutex_reason_text[r->reason]);
		finding_words(f, " than ");
		finding_value(f, "Warps", number(o, r->warps));
		return;
	}
	finding_words(f, "warps share ");
	finding_value(f, "Extended", number(o, r->extended));
	finding_words(f, " of ");
	finding_value(f, "Registers", number(o, r->regs));
	finding_words(f, " registers in turn: ");
	finding_value(f, "WarpsShared", number(o, r->size[r->chosen].warps));
	finding_words(f, " warps instead of ");
	finding_value(f, "Warps", number(o, r->warps));
	finding_words(f, " on an SM of ");
	finding_value(f, "Machine", r->sm.machine);
}

void findings_find(struct findings *all, struct view *v, const struct kernel_figures *x, const char *input)
{
	struct about o = { all, v, x, input };

	add_pressure(&o);
	add_unknown(&o);
	add_spills(&o);
	add_occupancy(&o);
	add_pairs(&o);
	add_banks(&o);
	add_levels(&o);
	add_regmutex(&o);
}

/* What the passes found in a kernel, in a few aligned lines for people. */
#include "view.h"

#include "passes/orf_traffic.h"
#include "passes/orf_why.h"
#include "passes/owf.h"

#include <stdlib.h>
#include <string.h>

enum { SPILLS_SHOWN = 12, PLACES_SHOWN = 4, LOOPS_SHOWN = 12 };

static const char *plural(uint32_t n) { return n == 1 ? "" : "s"; }

static int spill_order(const void *pa, const void *pb)
{
	const struct spill *a = pa, *b = pb;
	int by_name = strcmp(a->name ? a->name : "", b->name ? b->name : "");

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return by_name ? by_name : (a->insn > b->insn) - (a->insn < b->insn);
}

static bool same_value(const struct spill *a, const struct spill *b)
{
	return a->slot == b->slot && strcmp(a->name ? a->name : "", b->name ? b->name : "") == 0;
}

/* "stored 1x (k.cl:4)": where one value goes to or comes from memory. */
static void put_places(FILE *f, struct view *v, const struct spill *s, uint32_t n, bool store)
{
	uint32_t total = 0, shown = 0;
	const char *last = "";

	for (uint32_t j = 0; j < n; j++)
		total += s[j].store == store;
	fprintf(f, "%s %ux", store ? "stored" : "loaded", total);
	for (uint32_t j = 0; j < n; j++) {
		char *place = s[j].store == store && s[j].insn < v->k->ninsn ? view_place(&v->a, v, s[j].insn) : NULL;

		if (!place || strcmp(place, last) == 0)
			continue;
		if (shown == PLACES_SHOWN) {
			fputs(", ...", f);
			break;
		}
		fprintf(f, "%s%s", shown++ ? ", " : " (", place);
		last = place;
	}
	fputs(shown ? ")" : "", f);
}

static void put_spills(FILE *f, struct view *v)
{
	const struct kernel *k = v->k;
	const struct resources *r = &k->res;
	struct spill *s = new_array(&v->a, struct spill, (size_t)k->nspill + 1);
	uint32_t values = 0;

	if (!k->nspill && !r->spill_loads && !r->spill_stores) {
		fprintf(f, "  %-14s none\n", "spills");
		return;
	}
	fprintf(f, "  %-14s %u store%s, %u load%s, %u B of local memory a thread\n", "spills", r->spill_stores,
		plural(r->spill_stores), r->spill_loads, plural(r->spill_loads), r->spill_bytes);
	if (k->nspill)
		memcpy(s, k->spill, k->nspill * sizeof *s);
	qsort(s, k->nspill, sizeof *s, spill_order);
	for (uint32_t at = 0, n; at < k->nspill; at += n, values++) {
		for (n = 1; at + n < k->nspill && same_value(&s[at], &s[at + n]);)
			n++;
		if (values >= SPILLS_SHOWN)
			continue;
		fprintf(f, "  %-14s %-8s at local+%-4u ", "",
			s[at].name ? view_clean(&v->a, s[at].name, strlen(s[at].name)) : "?", s[at].slot);
		put_places(f, v, s + at, n, true);
		fputs(", ", f);
		put_places(f, v, s + at, n, false);
		fputc('\n', f);
	}
	if (values > SPILLS_SHOWN)
		fprintf(f, "  %-14s and %u more value%s\n", "", values - SPILLS_SHOWN, plural(values - SPILLS_SHOWN));
}

static void put_words(FILE *f, const struct kernel *k, uint32_t words)
{
	fprintf(f, "; %u metadata word%s, code +%.1f%%\n", words, plural(words), view_percent(words, k->ninsn));
}

/* What CORF and CORF++ are told; percentages are of the reads of two registers together. */
static void put_hints(FILE *f, const struct kernel *k)
{
	const struct corf_hints *h = k->corf;
	uint32_t pairs = 0, left = 0, right = 0;
	uint64_t lost = h->total - h->align_kept;

	if (!k->affinity->m) {
		fprintf(f, "  %-14s no registers\n", "read together");
		return;
	}
	for (uint32_t r = 0; r < MREG_RZ; r++) {
		pairs += h->partner[r] != MREG_RZ && h->partner[r] > r;
		left += h->align[r] == ALIGN_LEFT;
		right += h->align[r] == ALIGN_RIGHT;
	}
	fprintf(f, "  %-14s %u pairs of registers, %llu times by %s\n", "read together", k->affinity->m,
		(unsigned long long)h->total, h->counted ? "warps (profile)" : "a thread (estimated)");
	fprintf(f, "  %-14s %u exclusive pair%s keep%s %.1f%% (%s; greedy %.1f%%, matching %.1f%%)", "corf", pairs,
		plural(pairs), pairs == 1 ? "s" : "", view_percent(h->pair_kept, h->total), corf_pairs_name[h->pairs],
		view_percent(h->greedy_kept, h->total), view_percent(h->matching_kept, h->total));
	put_words(f, k, h->npair_word);
	fprintf(f, "  %-14s %u left, %u right, lost %.2f%% (%s%s; ", "corf++", left, right,
		view_percent(lost, h->total), corf_sides_name[h->sides], h->limited ? ", stopped at its limit" : "");
	if (lost == h->align_bound)
		fputs("the least)", f);
	else
		fprintf(f, "at least %.2f%%)", view_percent(h->align_bound, h->total));
	put_words(f, k, h->nalign_word);
}

/* Why results are in the main register file alone: how many in the code. */
static void put_whys(FILE *f, const struct kernel *k, enum orf_organisation org)
{
	uint32_t n[ORF_WHYS];
	const char *sep = "";
	struct arena a;

	arena_init(&a);
	orf_why_count(k, org, orf_why(k, org, &a), n);
	arena_free(&a);
	fprintf(f, "  %-14s results in the MRF alone: ", "");
	for (enum orf_why w = ORF_WHY_NOT + 1; w < ORF_WHYS; w++)
		if (n[w]) {
			fprintf(f, "%s%s %u", sep, orf_why_name[w], n[w]);
			sep = ", ";
		}
	fputs(*sep ? "\n" : "none\n", f);
}

/* What the allocation to upper levels comes to, and what it costs to say so in the code. */
static void put_levels(FILE *f, const struct kernel *k)
{
	static const char *const level[RF_LEVELS] = { [LEVEL_MRF] = "MRF", [LEVEL_L1] = "ORF", [LEVEL_L0] = "LRF" };
	struct orf_encoding e = orf_encoding(k, k->orf[ORG_SPLIT], ORG_SPLIT);
	bool counted = k->facts & FACT_FREQ && k->freq->source == FREQ_PROFILE;

	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		struct orf_traffic t;
		struct orf_spent s;
		double r, w;

		orf_traffic_count(&t, k, k->orf[org], k->facts & FACT_FREQ ? ORF_WEIGHTS_FREQ : ORF_WEIGHTS_STATIC);
		s = orf_traffic_energy(&t, &k->orf[org]->options);
		r = t.operands_read[0] + t.operands_read[1];
		w = t.operands_written[0] + t.operands_written[1];
		if (r + w <= 0) {
			fprintf(f, "  %-14s no registers\n", "upper levels");
			return;
		}
		fprintf(f, "  %-14s energy %.1f%% of the MRF alone (%s); reads", orf_organisation_name[org],
			100 * (s.access + s.wire) / (s.base_access + s.base_wire), counted ? "counted" : "estimated");
		for (enum rf_level l = 0; l < (org == ORG_ORF ? LEVEL_L0 : RF_LEVELS); l++)
			fprintf(f, " %s %.1f%%", level[l], r > 0 ? 100 * (t.read[l][0] + t.read[l][1]) / r : 0);
		fputs(", results", f);
		for (enum rf_level l = 0; l < (org == ORG_ORF ? LEVEL_L0 : RF_LEVELS); l++)
			fprintf(f, " %s %.1f%%", level[l],
				w > 0 ? 100 * (t.write[l][0] + t.write[l][1] - t.filled[l]) / w : 0);
		fprintf(f, " (two levels %.1f%%); fills %.1f%% of reads\n", w > 0 ? 100 * t.both / w : 0,
			r > 0 ? 100 * t.fills / r : 0);
		put_whys(f, k, org);
	}
	fprintf(f,
		"  %-14s 1 bit to deschedule; %u names instead of %u: %u bits instead of %u; a second place, %u bits, "
		"of %u source%s, %u result%s\n",
		"encoding", e.names, e.registers, e.name_bits, e.name_bits_before, e.second_bits, e.second_sources,
		plural(e.second_sources), e.second_results, plural(e.second_results));
	fprintf(f, "  %-14s sm-model compare charges what the paper counts, the 1 bit of each instruction\n", "");
}

/* How far the greedy allocation to upper levels is from the best one, or from the best that was found. */
static void put_exact(FILE *f, const struct kernel *k)
{
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		const struct orf *o = k->orf[org];
		bool proved = o->bound <= o->saved;

		fprintf(f, "  %-14s the best allocation %ssaves %.3g pJ (%s), ", orf_organisation_name[org],
			proved ? "" : "found ", o->saved * 1e-3,
			o->options.weights == ORF_WEIGHTS_FREQ ? "as often as blocks execute"
							       : "each instruction once");
		if (o->saved > o->greedy)
			fprintf(f, "the greedy one %#.3g%% less", 100 * (o->saved - o->greedy) / o->saved);
		else
			fputs("as the greedy one does", f);
		if (!proved)
			fprintf(f, "; not proved: none saves more than %.3g pJ", o->bound * 1e-3);
		fputc('\n', f);
	}
}

static void put_loops(FILE *f, struct view *v)
{
	const struct kernel *k = v->k;
	const struct freq *x = k->freq;

	if (x->source == FREQ_PROFILE)
		fprintf(f, "  %-14s counted by the profile\n", "block weights");
	else if (x->source == FREQ_NO_PROFILE)
		fprintf(f, "  %-14s estimated: the profile does not have this kernel\n", "block weights");
	for (uint32_t l = 0; l < x->nloop && l < LOOPS_SHOWN; l++) {
		uint32_t b = x->loop[l].header;
		char *place = k->block[b].n ? view_place(&v->a, v, k->block[b].first) : NULL;

		fprintf(f, "  %-14s %s%s%s: %s\n", l ? "" : "loops", view_block(&v->a, k, b), place ? ", " : "",
			place ? place : "", freq_text(&x->loop[l], &v->a));
	}
	if (x->nloop > LOOPS_SHOWN)
		fprintf(f, "  %-14s and %u more\n", "", x->nloop - LOOPS_SHOWN);
}

static void put_registers(FILE *f, const struct kernel *k)
{
	fprintf(f, "  %-14s %u a thread (32-bit)", "registers", k->res.regs);
	if (k->res.virtual_regs)
		fprintf(f, ", for %u virtual registers", k->res.virtual_regs);
	fprintf(f, "\n  %-14s %u\n", "predicates", k->res.preds);
}

/* " before instruction 12, k.cu:4" */
static void put_where(FILE *f, struct view *v, uint32_t i)
{
	char *place = view_place(&v->a, v, i);

	fprintf(f, " before %s%s%s%s", v->k->native ? "" : "instruction ", view_insn_name(&v->a, v->k, i),
		place ? ", " : "", place ? place : "");
}

static void put_live(FILE *f, struct view *v)
{
	const char *untold = view_live_untold(v);

	if (untold && !v->named[FILE_GPR]) {
		fprintf(f, "  %-14s unknown: %s\n", "most live", untold);
		return;
	}
	fprintf(f, "  %-14s %s%u register%s", "most live", view_open(v->k, 0) < v->k->ninsn ? "at most " : "",
		v->most.regs, plural(v->most.regs));
	if (v->most.regs)
		put_where(f, v, v->most_at);
	fprintf(f, "%s; %u predicate%s\n", untold ? ", functions of other files not counted" : "", v->most.preds,
		plural(v->most.preds));
	if (!v->most.uregs && !v->most.upreds)
		return;
	fprintf(f, "  %-14s %u uniform register%s", "", v->most.uregs, plural(v->most.uregs));
	if (v->most.uregs)
		put_where(f, v, v->most_uregs_at);
	fprintf(f, "; %u uniform predicate%s\n", v->most.upreds, plural(v->most.upreds));
}

/* What register files of papers, above or instead of the main one, would do with the code. */
static void put_models(FILE *f, const struct kernel *k)
{
	if (k->facts & FACT_ORF)
		put_levels(f, k);
	if (k->facts & FACT_ORF && k->orf[0]->options.exact)
		put_exact(f, k);
	if (k->facts & FACT_OWF && k->facts & FACT_FREQ && k->owf->n)
		view_put_owf(f, k);
	if (k->regmutex)
		view_put_regmutex(f, k);
}

void emit_summary(FILE *f, const struct module *m, const struct kernel *k, bool models)
{
	const struct resources *r = &k->res;
	struct view v;
	uint32_t deepest = 0;

	view_init(&v, m, k);
	fprintf(f, "kernel %s (%s)", view_name(&v.a, k), view_code(m, k, &v.a));
	if (k->plain)
		fprintf(f, ", the variant that shares registers in turn: R%u and above", k->base_regs);
	fprintf(f, "\n  %-14s %u in %u block%s", "instructions", k->ninsn, k->nblock, plural(k->nblock));
	if (r->virtual_insns)
		fprintf(f, "; %u in the input", r->virtual_insns);
	for (uint32_t b = 0; k->facts & FACT_LOOP && b < k->nblock; b++)
		deepest = k->cfg->depth[b] > deepest ? k->cfg->depth[b] : deepest;
	if (deepest)
		fprintf(f, "; loops nest %u deep", deepest);
	fputc('\n', f);
	if (m->also && k == m->kernel[0])
		fprintf(f, "  %-14s %s\n", "also there", m->also);
	if (k->native)
		view_put_native(f, &v);
	else
		put_registers(f, k);
	put_live(f, &v);
	if (k->native)
		view_put_pressure(f, &v);
	if (models && k->facts & FACT_WLIVE && k->facts & FACT_DLIVE)
		fprintf(f,
			"  %-14s %u with what waiting lanes of the warp read, %u on all sides of branches (RegMutex, "
			"III-A1)\n",
			"most alive", dlive_most(k, k->wlive->wait), k->dlive->max_live32);
	fprintf(f, "  %-14s shared %u B a block, local %s, parameters %u B\n", "memory", r->shared_bytes,
		view_unbounded(k) ? arena_printf(&v.a, "no bound (%s)", view_unbounded(k))
				  : arena_printf(&v.a, "%u B a thread", r->local_bytes),
		r->param_bytes);
	if (r->barriers)
		fprintf(f, "  %-14s %u\n", "barriers", r->barriers);
	if (models && k->facts & FACT_RELEASE) {
		struct release_words w = release_words(k);

		fprintf(f, "  %-14s %u point%s; as metadata %u word%s of flags, %u of registers\n", "warp releases",
			k->release->at[k->ninsn] + k->release->entry_at[k->nblock],
			plural(k->release->at[k->ninsn] + k->release->entry_at[k->nblock]), w.flags, plural(w.flags),
			w.numbers);
	}
	if (models && k->facts & FACT_STRAND)
		view_put_strands(f, k);
	if (k->facts & FACT_UNIFORM && k->form == FORM_MACHINE)
		view_put_uniform(f, k);
	if (k->facts & FACT_FREQ)
		put_loops(f, &v);
	if (!k->native)
		put_spills(f, &v);
	if (models && k->facts & FACT_CORF)
		put_hints(f, k);
	if (k->native)
		view_put_banks(f, k, &v.a);
	if (models)
		put_models(f, k);
	else
		fprintf(f, "  %-14s what register files of papers would do with the code: --techniques\n", "not shown");
	view_free(&v);
}

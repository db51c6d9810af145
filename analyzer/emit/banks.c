/* Register banks and reuse flags for people and tools (docs/BANKS.md). */
#include "view.h"

#include "analyzer/sass/banks.h"

#include <stdlib.h>
#include <string.h>

enum { CONFLICTS_SHOWN = 20, LOOPS_SHOWN = 16 };

struct about {
	FILE *f;
	struct view v;
	const struct kernel *k;
	const struct banks *b;
};

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static const char *total(struct about *o, const char *what, uint64_t code, uint64_t run, uint64_t of_code,
			 const char *of)
{
	const char *share =
		of && of_code ? arena_printf(&o->v.a, "  %5.1f %% %s", view_percent(code, of_code), of) : "";
	const char *weighed = o->b->weighted ? arena_printf(&o->v.a, " %14llu", (unsigned long long)run) : "";

	return arena_printf(&o->v.a, "  %-34s %9llu%s%s\n", what, (unsigned long long)code, weighed, share);
}

static void put_totals(struct about *o)
{
	const struct bank_totals *c = &o->b->code, *r = &o->b->run;
	const char *head = arena_printf(&o->v.a, "  %-34s %9s", "", "code");

	if (o->b->weighted)
		head = arena_printf(&o->v.a, "%s %14s", head,
				    o->k->freq->source == FREQ_PROFILE ? "profiled run" : "estimated run");
	fprintf(o->f, "%s\n", head);
	fputs(total(o, "instructions", c->insns, r->insns, 0, NULL), o->f);
	fputs(total(o, "registers read", c->wanted, r->wanted, 0, NULL), o->f);
	fputs(total(o, "  from banks", c->read, r->read, c->wanted, "of them"), o->f);
	fputs(total(o, "operands from the reuse cache", c->hits, r->hits, 0, NULL), o->f);
	fputs(total(o, "reuse flags", c->flags, r->flags, 0, NULL), o->f);
	fputs(total(o, "  that serve nobody", c->useless, r->useless, c->flags, "of them"), o->f);
	fputs(total(o, "  missed", c->missed, r->missed, c->missed + c->flags - c->useless, "of all that would serve"),
	      o->f);
	fputs(total(o, "instructions with a conflict", c->conflicted, r->conflicted, c->insns, "of all"), o->f);
	fputs(total(o, "conflicts [cycles]", c->conflicts, r->conflicts, 0, NULL), o->f);
	fputs(total(o, "  with the missed flags", c->flagged, r->flagged, 0, NULL), o->f);
	fputs(total(o, "  and operands exchanged", c->swapped, r->swapped, 0, NULL), o->f);
	fputs(total(o, "  with other numbers, at least", c->bound, r->bound, 0, NULL), o->f);
	fputs(total(o, "issue of a lone warp put back", c->delay, r->delay, 0, NULL), o->f);
}

/* Totals of the blocks whose innermost loop is number l of k->freq; UINT32_MAX: of those in none. */
static struct bank_totals of_loop(const struct about *o, uint32_t l, bool run)
{
	struct bank_totals t = { 0 };

	for (uint32_t b = 0; b < o->k->nblock; b++)
		for (uint32_t i = o->k->block[b].first;
		     o->k->freq->loop_of[b] == l && i < o->k->block[b].first + o->k->block[b].n; i++)
			bank_add(&t, &o->b->insn[i], run && o->b->weighted ? o->k->freq->executions[b] : 1);
	return t;
}

static void put_loop(struct about *o, uint32_t l)
{
	const struct bank_totals c = of_loop(o, l, false), r = of_loop(o, l, true);
	uint32_t b = l == UINT32_MAX ? 0 : o->k->freq->loop[l].header,
		 depth = l == UINT32_MAX ? 0 : o->k->cfg->depth[b];
	const char *place = o->k->block[b].n ? view_place(&o->v.a, &o->v, o->k->block[b].first) : NULL;

	if (!c.insns)
		return;
	fprintf(o->f, "  %10llu %14llu %12llu %10llu %8llu  %s", (unsigned long long)c.conflicts,
		(unsigned long long)r.conflicts, (unsigned long long)c.insns, (unsigned long long)c.hits,
		(unsigned long long)c.missed, l == UINT32_MAX ? "outside of loops" : view_block(&o->v.a, o->k, b));
	if (l != UINT32_MAX)
		fprintf(o->f, ", depth %u%s%s, %s", depth, place ? ", " : "", place ? place : "",
			freq_text(&o->k->freq->loop[l], &o->v.a));
	fputc('\n', o->f);
}

/* A line for each loop, without those inside it: what costs most of a run first. */
static void put_loops(struct about *o)
{
	uint32_t n = o->k->facts & FACT_FREQ && o->k->facts & FACT_LOOP ? o->k->freq->nloop : 0, shown = 0;
	bool *done = new_array(&o->v.a, bool, (size_t)n + 1);
	uint64_t *cost = new_array(&o->v.a, uint64_t, (size_t)n + 1);

	if (!n)
		return;
	for (uint32_t l = 0; l < n; l++)
		cost[l] = of_loop(o, l, true).conflicts;
	fprintf(o->f, "\n  %10s %14s %12s %10s %8s  %s\n", "conflicts",
		o->k->freq->source == FREQ_PROFILE ? "profiled run" : "estimated run", "instructions", "cache hits",
		"missed", "loop, without those in it");
	for (; shown < n && shown < LOOPS_SHOWN; shown++) {
		uint32_t best = UINT32_MAX;

		for (uint32_t l = 0; l < n; l++)
			if (!done[l] && (best == UINT32_MAX || cost[l] > cost[best]))
				best = l;
		done[best] = true;
		put_loop(o, best);
	}
	if (shown < n)
		fprintf(o->f, "  and %u more loops\n", n - shown);
	put_loop(o, UINT32_MAX);
}

/* "R2 R4|R7": registers of the slots in the even and in the odd bank, those from the cache in brackets. */
static const char *operands(struct about *o, uint32_t i)
{
	const struct bank_use *u = &o->b->insn[i];
	const char *text[BANKS] = { "", "" };

	for (unsigned s = 0; s < BANK_SLOTS; s++)
		for (unsigned r = u->reg[s]; r < (unsigned)u->reg[s] + u->n[s]; r++) {
			const char **to = &text[r & 1];
			bool again = false;

			for (unsigned t = 0; t < s; t++)
				again |= r >= u->reg[t] && r < (unsigned)u->reg[t] + u->n[t];
			if (!again)
				*to = arena_printf(&o->v.a, u->hit >> s & 1 ? "%s%s(R%u)" : "%s%sR%u", *to,
						   **to ? " " : "", r);
		}
	return arena_printf(&o->v.a, "%s|%s", text[0], text[1]);
}

/* The instruction before i whose missed flag would serve slot s there. */
static uint32_t giver(const struct banks *b, uint32_t i, unsigned s)
{
	uint32_t j = i;

	while (j-- > 0)
		if (b->insn[j].missed >> s & 1 && b->insn[j].reg[s] == b->insn[i].reg[s])
			return j;
	return UINT32_MAX;
}

const char *view_conflict_advice(const struct kernel *k, const struct banks *b, uint32_t i, struct arena *a)
{
	const struct bank_use *u = &b->insn[i];
	const char *text = "";

	for (unsigned s = 0; u->flagged < u->conflict && s < BANK_SLOTS; s++) {
		uint32_t by = u->served >> s & 1 ? giver(b, i, s) : UINT32_MAX;

		if (by != UINT32_MAX)
			text = arena_printf(a, "%s%sR%u.reuse at %s", text, *text ? ", " : "", u->reg[s],
					    view_insn_name(a, k, by));
	}
	if (u->swap)
		text = arena_printf(a, "%s%sexchange %s", text, *text ? ", " : "", bank_swap_name(u->swap));
	return text;
}

static int worse(const void *pa, const void *pb)
{
	const struct view_conflict *a = pa, *b = pb;

	if (a->cycles != b->cycles)
		return a->cycles < b->cycles ? 1 : -1;
	return (a->insn > b->insn) - (a->insn < b->insn);
}

struct view_conflict *view_conflicts(const struct kernel *k, const struct banks *b, uint32_t depth, uint32_t *n,
				     struct arena *a)
{
	struct view_conflict *out = new_array(a, struct view_conflict, b->code.conflicted + 1);

	*n = 0;
	for (uint32_t x = 0; x < k->nblock; x++) {
		uint32_t deep = k->facts & FACT_LOOP ? k->cfg->depth[x] : 0;

		for (uint32_t i = k->block[x].first; deep >= depth && i < k->block[x].first + k->block[x].n; i++)
			if (b->insn[i].conflict)
				out[(*n)++] = (struct view_conflict){
					i, deep, (b->weighted ? k->freq->executions[x] : 1) * b->insn[i].conflict
				};
	}
	qsort(out, *n, sizeof *out, worse);
	return out;
}

static void put_conflicts(struct about *o)
{
	uint32_t n, shown;
	struct view_conflict *c = view_conflicts(o->k, o->b, 0, &n, &o->v.a);
	const char **place, **cell;
	int wide = 6, banks = 8;

	if (!n)
		return;
	shown = n < CONFLICTS_SHOWN ? n : CONFLICTS_SHOWN;
	place = new_array(&o->v.a, const char *, shown);
	cell = new_array(&o->v.a, const char *, shown);
	for (uint32_t x = 0; x < shown; x++) {
		place[x] = view_place(&o->v.a, &o->v, c[x].insn);
		place[x] = place[x] ? place[x] : "-";
		cell[x] = operands(o, c[x].insn);
		wide = (int)strlen(place[x]) > wide ? (int)strlen(place[x]) : wide;
		banks = (int)strlen(cell[x]) > banks ? (int)strlen(cell[x]) : banks;
	}
	fprintf(o->f, "\n  %12s %5s %5s  %-*s  %-*s  %s\n", o->b->weighted ? "cycles a run" : "cycles", "each", "least",
		banks, "even|odd", wide, "source", "instruction");
	for (uint32_t x = 0; x < shown; x++) {
		const struct bank_use *u = &o->b->insn[c[x].insn];
		const char *what = view_conflict_advice(o->k, o->b, c[x].insn, &o->v.a);

		fprintf(o->f, "  %12llu %5u %5u  %-*s  %-*s  %s  %s%s%s\n", (unsigned long long)c[x].cycles,
			u->conflict, u->bound, banks, cell[x], wide, place[x], view_insn_name(&o->v.a, o->k, c[x].insn),
			view_insn(&o->v.a, o->k, c[x].insn), *what ? "  // " : "", what);
	}
	if (shown < n)
		fprintf(o->f, "  and %u more (--emit=json has all)\n", n - shown);
	fputs("  each, least: cycles of one; with the best register numbers. (R4): from the reuse cache. // what would "
	      "make less of it\n",
	      o->f);
}

void emit_banks(FILE *f, const struct module *m, const struct kernel *k)
{
	struct about o = { .f = f, .k = k };

	view_init_text(&o.v, m, k);
	o.b = banks_find(k, &o.v.a);
	fprintf(f,
		"kernel %s (%s): register banks, not those of shared memory: 2, even and odd, one register a cycle of "
		"each\n",
		view_name(&o.v.a, k), view_code(m, k, &o.v.a));
	if (k->native->unknown)
		fprintf(f, "  %u instruction%s not known: reads and reuse there are not counted\n", k->native->unknown,
			k->native->unknown == 1 ? " is" : "s are");
	put_totals(&o);
	put_loops(&o);
	put_conflicts(&o);
	view_free(&o.v);
}

static json_t *totals_json(const struct bank_totals *t)
{
	json_t *j = json_object();

#define T(id, what)                                                              \
	if (json_object_set_new(j, #id, json_integer((json_int_t)t->id)) != 0) { \
		json_decref(j);                                                  \
		return NULL;                                                     \
	}
	BANK_TOTALS(T)
#undef T
	return j;
}

json_t *view_banks_json(const struct banks *b)
{
	json_t *code = totals_json(&b->code), *run = totals_json(&b->run);

	return json_pack("{s:o, s:o, s:b}", "code", code, "run", run, "weighted", b->weighted);
}

void view_put_banks(FILE *f, const struct kernel *k, struct arena *a)
{
	const struct banks *b = banks_find(k, a);
	const struct bank_totals *c = &b->code;

	if (c->conflicted)
		fprintf(f, "  %-14s %llu instruction%s with a conflict, %llu cycle%s, %llu in a run%s",
			"register banks", (unsigned long long)c->conflicted, plural(c->conflicted),
			(unsigned long long)c->conflicts, plural(c->conflicts), (unsigned long long)b->run.conflicts,
			!b->weighted || k->freq->source == FREQ_PROFILE ? "" : " as estimated");
	else
		fprintf(f, "  %-14s no conflict", "register banks");
	fprintf(f, "; %llu of %llu reuse flags serve, %llu missed (--emit=banks)\n",
		(unsigned long long)(c->flags - c->useless), (unsigned long long)c->flags,
		(unsigned long long)c->missed);
}

/* Repeated computations: how many, why, on which lines; and what a programmer may do. Shares are of the kernel's warp
 * instructions unless they say otherwise. */
#include "runtime-model/explain/page.h"
#include "runtime-model/reuse/code.h"

#include <inttypes.h>

/* NAMED: a column of the table */
enum { TOP_REPEATS = 10, CODE = 60, NAMED = 7 };

static const char *const column[REPEAT_WHYS] = {
	[REPEAT_LOOP] = "loop",   [REPEAT_REWRITTEN] = "rewr", [REPEAT_ELEMENT] = "same", [REPEAT_EQUAL] = "equal",
	[REPEAT_AGAIN] = "again", [REPEAT_UNIFORM] = "unif",   [REPEAT_INDEX] = "index",  [REPEAT_CTA] = "CTA",
};

static void totals(const struct page *p)
{
	const struct repeat_counts *n = &p->c.repeat;
	const struct repeat_samples *s = &p->c.samples;

	fprintf(p->f,
		"\n  repeated computations                 of %" PRIu64
		" warp instructions; window: the %d that the SM issued before\n",
		n->issued, REPEAT_WINDOW);
	fprintf(p->f, "    %6.2f%%  compute again what is in the window; %.2f%% what occurs there more than %d times\n",
		page_share(n->repeated, n->issued), page_share(n->often, n->issued), REPEAT_OFTEN);
	fprintf(p->f, "    %6.2f%%  in windows of %d end to end, as the paper samples; %.2f%% more than %d times\n",
		page_share(s->repeated, n->issued), REPEAT_WINDOW, page_share(s->often, n->issued), REPEAT_OFTEN);
	if (!n->repeated)
		return;
	fprintf(p->f, "\n    %-83s  what may help\n", "why");
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (n->why[i])
			fprintf(p->f, "    %6.2f%%  %-5s  %-66s  %s\n", page_share(n->why[i], n->issued), column[i],
				repeat_text[i].what, repeat_text[i].remedy);
}

/* Repeats that are not looked up since instructions of their kind are not, by what the code says of them. */
static void kinds(struct page *p, const struct explain *x)
{
	uint64_t of[REUSE_WHY_COUNT];

	became_kinds(of, x, &p->c, &p->a);
	for (unsigned i = 0; i < REUSE_WHY_COUNT; i++)
		if (of[i])
			fprintf(p->f, "              %6.2f%%  %s\n", page_share(of[i], p->c.repeat.issued),
				i == REUSABLE ? "a load, of a memory whose loads are not reused" : reuse_why_words[i]);
}

static void hardware(struct page *p, const struct explain *x)
{
	const struct became_counts *n = &p->c.became;

	fprintf(p->f, "\n    what the register file made of them\n");
	for (unsigned i = 0; i < BECAMES; i++) {
		if (n->of[i])
			fprintf(p->f, "    %6.2f%%  %s\n", page_share(n->of[i], p->c.repeat.issued),
				became_text[i].words);
		if (n->of[i] && i == BECAME_KIND)
			kinds(p, x);
	}
	if (n->beyond)
		fprintf(p->f, "    %6.2f%%  reused too, and no repeats: their equal is older than the window\n",
			page_share(n->beyond, p->c.repeat.issued));
}

/* Why most of those that were not reused were not: "queue_full"; "": none. */
static const char *main_miss(const struct became_counts *n)
{
	unsigned most = BECAME_ENTRY;

	for (unsigned i = BECAME_ENTRY; i < BECAMES; i++)
		if (n->of[i] > n->of[most])
			most = i;
	return n->of[most] ? became_text[most].name : "";
}

static void share(const struct page *p, uint64_t n, uint64_t of)
{
	if (n)
		fprintf(p->f, " %*.0f%%", NAMED - 2, page_share(n, of));
	else
		fprintf(p->f, " %*s", NAMED - 1, "-");
}

static void head(const struct page *p, bool renames, const char *what)
{
	fprintf(p->f, "\n    of all  repeated ");
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (p->c.repeat.why[i])
			fprintf(p->f, " %*s", NAMED - 1, column[i]);
	if (renames)
		fprintf(p->f, "   reused  %-13s", "else mostly");
	fprintf(p->f, "   %s\n", what);
}

/* Of all: its repeats. The rest: of what it issued itself; reused: of what repeats. */
static void row(const struct page *p, bool renames, const struct repeat_counts *n, const struct became_counts *became)
{
	fprintf(p->f, "   %6.2f%%   %6.1f%% ", page_share(n->repeated, p->c.repeat.issued),
		page_share(n->repeated, n->issued));
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (p->c.repeat.why[i])
			share(p, n->why[i], n->issued);
	if (renames)
		fprintf(p->f, "   %5.0f%%  %-13s", page_share(became_reused(became), n->repeated), main_miss(became));
	fputs("   ", p->f);
}

static void by_line(struct page *p, bool renames)
{
	struct ranked *r = new_array(&p->a, struct ranked, p->l.n + 1);
	uint64_t rest = 0;
	uint32_t n = 0, shown;

	for (uint32_t i = 0; i < p->l.n; i++)
		if (p->l.v[i].n.repeat.repeated)
			r[n++] = (struct ranked){ p->l.v[i].n.repeat.repeated, i };
	page_rank(r, n);
	shown = n <= TOP_REPEATS + 1 ? n : TOP_REPEATS;
	head(p, renames, "lines that repeat most");
	for (uint32_t i = 0; i < shown; i++) {
		const struct line_counts *l = &p->l.v[r[i].at];

		row(p, renames, &l->n.repeat, &l->n.became);
		fprintf(p->f, "%-18s ", page_line_name(p, l));
		page_text(p, l->text ? l->text : "", CODE);
	}
	for (uint32_t i = shown; i < n; i++)
		rest += r[i].by;
	if (shown < n)
		fprintf(p->f, "   %6.2f%%  on %u lines more\n", page_share(rest, p->c.repeat.issued), n - shown);
}

static void by_insn(struct page *p, bool renames)
{
	head(p, renames, "instructions");
	for (uint32_t i = 0; i < p->c.kernel->k->ninsn; i++) {
		const struct repeat_counts *n = &p->c.insn[i].repeat;

		if (!n->repeated)
			continue;
		row(p, renames, n, &p->c.insn[i].became);
		fprintf(p->f, "%-18s [%04u]  ", page_insn_name(p, i), i);
		page_text(p, page_insn_text(p, i), CODE);
	}
}

void page_reuse(struct page *p, const struct explain *x, bool listing)
{
	totals(p);
	if (!p->c.repeat.repeated)
		return;
	if (x->renames)
		hardware(p, x);
	by_line(p, x->renames);
	if (listing)
		by_insn(p, x->renames);
}

/* Repeated computations: how many, why, on which lines; and what a programmer may do. Shares are of the kernel's warp instructions unless they say otherwise. */
#include "runtime-model/explain/page.h"

#include <inttypes.h>

enum { TOP_REPEATS = 10, CODE = 60, NAMED = 7 };         /* NAMED: a column of the table */

static const char *const column[REPEAT_WHYS] = {
	[REPEAT_LOOP] = "loop", [REPEAT_ELEMENT] = "same", [REPEAT_EQUAL] = "equal", [REPEAT_AGAIN] = "again", [REPEAT_UNIFORM] = "unif", [REPEAT_INDEX] = "index",
	[REPEAT_CTA] = "CTA",
};

static void totals(const struct page *p)
{
	const struct repeat_counts *n = &p->c.repeat;
	const struct repeat_samples *s = &p->c.samples;

	fprintf(p->f, "\n  repeated computations                 of %" PRIu64 " warp instructions; window: the %d that the SM issued before\n", n->issued, REPEAT_WINDOW);
	fprintf(p->f, "    %6.2f%%  compute again what is in the window; %.2f%% what occurs there more than %d times\n", page_share(n->repeated, n->issued),
	        page_share(n->often, n->issued), REPEAT_OFTEN);
	fprintf(p->f, "    %6.2f%%  in windows of %d end to end, as the paper samples; %.2f%% more than %d times\n", page_share(s->repeated, n->issued), REPEAT_WINDOW,
	        page_share(s->often, n->issued), REPEAT_OFTEN);
	if (!n->repeated)
		return;
	fprintf(p->f, "\n    why                                                                            what may help\n");
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (n->why[i])
			fprintf(p->f, "    %6.2f%%  %-5s  %-62s  %s\n", page_share(n->why[i], n->issued), column[i], repeat_text[i].what, repeat_text[i].remedy);
}

static void share(const struct page *p, uint64_t n, uint64_t of)
{
	if (n)
		fprintf(p->f, " %*.0f%%", NAMED - 2, page_share(n, of));
	else
		fprintf(p->f, " %*s", NAMED - 1, "-");
}

static void head(const struct page *p, const char *what)
{
	fprintf(p->f, "\n    of all  repeated ");
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (p->c.repeat.why[i])
			fprintf(p->f, " %*s", NAMED - 1, column[i]);
	fprintf(p->f, "   %s\n", what);
}

/* Of all: its repeats. The rest: of what it issued itself. */
static void row(const struct page *p, const struct repeat_counts *n)
{
	fprintf(p->f, "   %6.2f%%   %6.1f%% ", page_share(n->repeated, p->c.repeat.issued), page_share(n->repeated, n->issued));
	for (unsigned i = 0; i < REPEAT_WHYS; i++)
		if (p->c.repeat.why[i])
			share(p, n->why[i], n->issued);
	fputs("   ", p->f);
}

static void by_line(struct page *p)
{
	struct ranked *r = new_array(&p->a, struct ranked, p->l.n + 1);
	uint64_t rest = 0;
	uint32_t n = 0, shown;

	for (uint32_t i = 0; i < p->l.n; i++)
		if (p->l.v[i].n.repeat.repeated)
			r[n++] = (struct ranked){ p->l.v[i].n.repeat.repeated, i };
	page_rank(r, n);
	shown = n <= TOP_REPEATS + 1 ? n : TOP_REPEATS;
	head(p, "lines that repeat most");
	for (uint32_t i = 0; i < shown; i++) {
		const struct line_counts *l = &p->l.v[r[i].at];

		row(p, &l->n.repeat);
		fprintf(p->f, "%-18s ", page_line_name(p, l));
		page_text(p, l->text ? l->text : "", CODE);
	}
	for (uint32_t i = shown; i < n; i++)
		rest += r[i].by;
	if (shown < n)
		fprintf(p->f, "   %6.2f%%  on %u lines more\n", page_share(rest, p->c.repeat.issued), n - shown);
}

static void by_insn(struct page *p)
{
	head(p, "instructions");
	for (uint32_t i = 0; i < p->c.kernel->k->ninsn; i++) {
		const struct repeat_counts *n = &p->c.insn[i].repeat;

		if (!n->repeated)
			continue;
		row(p, n);
		fprintf(p->f, "%-18s [%04u]  ", page_insn_name(p, i), i);
		page_text(p, page_insn_text(p, i), CODE);
	}
}

void page_reuse(struct page *p, bool listing)
{
	totals(p);
	if (!p->c.repeat.repeated)
		return;
	by_line(p);
	if (listing)
		by_insn(p);
}

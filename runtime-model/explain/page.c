#include "runtime-model/explain/page.h"

#include <string.h>

double page_share(uint64_t n, uint64_t of) { return of ? 100 * (double)n / (double)of : 0; }

double page_ratio(uint64_t n, uint64_t of) { return of ? (double)n / (double)of : 0; }

void page_text(const struct page *p, const char *s, int max)
{
	if ((int)strlen(s) > max)
		fprintf(p->f, "%.*s...\n", max - 3, s);
	else
		fprintf(p->f, "%s\n", s);
}

const char *page_line_name(struct page *p, const struct line_counts *l)
{
	const char *file;

	if (l->metadata)
		return "(metadata)";
	if (!l->file)
		return "(no source line)";
	file = loc_base_name(l->file);
	return arena_printf(&p->a, "%s:%u", view_clean(&p->a, file, strlen(file)), l->line);
}

const char *page_insn_text(struct page *p, uint32_t i) { return view_insn(&p->a, p->c.kernel->k, i); }

const char *page_insn_name(struct page *p, uint32_t i) { return page_line_name(p, &p->l.v[p->l.of[i]]); }

static int descending(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->by != y->by ? (x->by < y->by) - (x->by > y->by) : (x->at > y->at) - (x->at < y->at);
}

void page_rank(struct ranked r[], uint32_t n) { qsort(r, n, sizeof *r, descending); }

const char *page_access_text(struct page *p, const struct memory_counts *m)
{
	double lines = page_ratio(m->lines, m->lined), ideal = page_ratio(m->ideal_lines, m->lined);
	double passes = page_ratio(m->passes, m->passed), fewest = page_ratio(m->ideal_passes, m->passed);

	if (m->passes && (!m->ideal_lines || passes * ideal >= lines * fewest))
		return arena_printf(&p->a, "passes %.1f/%.1f", passes, fewest);
	if (m->ideal_lines)
		return arena_printf(&p->a, "lines %.1f/%.1f", lines, ideal);
	if (m->addresses > m->uniform)
		return arena_printf(&p->a, "addresses %.1f/1.0", page_ratio(m->addresses, m->uniform));
	return "";
}

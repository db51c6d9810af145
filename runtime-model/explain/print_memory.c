/* Memory instructions: how many lines and passes each took, beside what its lanes would need at best, and what that
 * cost. */
#include "runtime-model/explain/page.h"

#include <inttypes.h>

enum { TOP_MEMORY = 8, CODE = 44 };

/* "  32.0", or a dash where there is nothing to say. */
static void mean(const struct page *p, int width, uint64_t n, uint64_t of, bool known)
{
	if (known)
		fprintf(p->f, " %*.1f", width, page_ratio(n, of));
	else
		fprintf(p->f, " %*s", width, "-");
}

static void row(const struct page *p, const struct memory_counts *m, uint64_t all)
{
	uint64_t looked = m->how[PROBE_LINE_HIT] + m->how[PROBE_LINE_MERGE] + m->how[PROBE_LINE_MISS];

	fprintf(p->f, "    %7.2f%% %9" PRIu64 " %6.1f", page_share(m->cycles, all), m->times,
		page_ratio(m->lanes, m->times));
	mean(p, 7, m->lines, m->lined, m->lines);
	mean(p, 5, m->ideal_lines, m->lined, m->ideal_lines);
	mean(p, 7, m->sectors, m->lined, m->lines);
	mean(p, 7, m->passes + m->addresses, m->passed + m->uniform, m->passes + m->addresses);
	mean(p, 5, m->ideal_passes + m->uniform, m->passed + m->uniform, m->passes + m->addresses);
	if (looked)
		fprintf(p->f, " %5.1f%%", page_share(m->how[PROBE_LINE_HIT], looked));
	else
		fprintf(p->f, " %6s", "-");
	mean(p, 7, m->latency, m->results, m->results);
	fputs("  ", p->f);
}

static void head(const struct page *p, const char *what, const char *name)
{
	fprintf(p->f, "\n  %s\n    of cycles    times  lanes   lines ideal sectors  passes ideal   hits latency  %s\n",
		what, name);
}

/* Lines and passes beyond the ideal, instruction by instruction: what shares a line with others does not make up for
 * them. */
static void wasted(const struct page *p)
{
	uint64_t lines = 0, more_lines = 0, passes = 0, more_passes = 0;

	for (uint32_t i = 0; i < p->c.kernel->k->ninsn; i++) {
		const struct memory_counts *m = &p->c.insn[i].memory;

		if (m->ideal_lines) {
			lines += m->lines;
			more_lines += m->lines > m->ideal_lines ? m->lines - m->ideal_lines : 0;
		}
		if (m->ideal_passes) {
			passes += m->passes;
			more_passes += m->passes > m->ideal_passes ? m->passes - m->ideal_passes : 0;
		}
	}
	if (more_lines)
		fprintf(p->f,
			"    %" PRIu64 " of %" PRIu64
			" lines (%.1f%%) would not be needed if the lanes of a warp lay side by side\n",
			more_lines, lines, page_share(more_lines, lines));
	if (more_passes)
		fprintf(p->f,
			"    %" PRIu64 " of %" PRIu64
			" passes (%.1f%%) of shared memory would not be needed without bank conflicts\n",
			more_passes, passes, page_share(more_passes, passes));
}

static void by_line(struct page *p, uint64_t all)
{
	struct ranked *r = new_array(&p->a, struct ranked, p->l.n + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->l.n; i++)
		if (p->l.v[i].n.memory.cycles)
			r[n++] = (struct ranked){ p->l.v[i].n.memory.cycles, i };
	page_rank(r, n);
	head(p, "lines of source, by cycles of the load-store units", "line");
	for (uint32_t i = 0; i < n && i < TOP_DETAIL; i++) {
		const struct line_counts *l = &p->l.v[r[i].at];

		row(p, &l->n.memory, all);
		fprintf(p->f, "%-18s ", page_line_name(p, l));
		page_text(p, l->text ? l->text : "", CODE);
	}
}

void page_memory(struct page *p)
{
	uint32_t ninsn = p->c.kernel->k->ninsn, n = 0;
	struct ranked *r = new_array(&p->a, struct ranked, ninsn + 1);
	uint64_t all = 0;

	for (uint32_t i = 0; i < ninsn; i++) {
		all += p->c.insn[i].memory.cycles;
		if (p->c.insn[i].memory.times)
			r[n++] = (struct ranked){ p->c.insn[i].memory.cycles, i };
	}
	if (!n)
		return;
	page_rank(r, n);
	head(p, "memory instructions, by cycles of the load-store units", "instruction");
	for (uint32_t i = 0; i < n && i < (p->detail ? TOP_DETAIL : TOP_MEMORY); i++) {
		row(p, &p->c.insn[r[i].at].memory, all);
		fprintf(p->f, "%-18s [%04u] ", page_insn_name(p, r[i].at), r[i].at);
		page_text(p, page_insn_text(p, r[i].at), CODE);
	}
	wasted(p);
	if (p->detail)
		by_line(p, all);
}

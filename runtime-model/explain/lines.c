/* Instructions grouped by source line: that of .loc, else the place in the PTX text (analyzer/emit/view.h). */
#include "analyzer/emit/view.h"
#include "runtime-model/explain/counts.h"

static bool counted(const struct insn_counts *n)
{
	return sum_reasons(n->slots) || sum_reasons(n->cycles) || n->slots_for || n->cycles_for || n->accesses;
}

/* source << 32 | line; 0: not known; UINT64_MAX: metadata */
struct key {
	uint64_t place;
	uint32_t insn;
};

static int by_place(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->place != y->place ? (x->place > y->place) - (x->place < y->place)
				    : (x->insn > y->insn) - (x->insn < y->insn);
}

void counts_lines(struct lines *l, const struct counts *c, struct view *v, struct arena *a)
{
	uint32_t ninsn = c->kernel->k->ninsn, n = 0;
	struct key *key = new_array(a, struct key, ninsn + 1);
	struct view_place p;

	for (uint32_t i = 0; i < ninsn; i++)
		if (counted(&c->insn[i]))
			key[n++] =
				(struct key){ view_find_place(v, i, &p) ? (uint64_t)(p.source + 1) << 32 | p.line : 0,
					      i };
	if (counted(&c->insn[ninsn]))
		key[n++] = (struct key){ UINT64_MAX, ninsn };
	qsort(key, n, sizeof *key, by_place);
	*l = (struct lines){ .v = new_array(a, struct line_counts, n + 1), .of = new_array(a, uint32_t, ninsn + 1) };
	for (uint32_t i = 0; i <= ninsn; i++)
		l->of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct line_counts *line = &l->v[l->n];

		if (i == 0 || key[i].place != key[i - 1].place) {
			l->n++;
			line->metadata = key[i].insn == ninsn;
			if (key[i].place && !line->metadata && view_find_place(v, key[i].insn, &p)) {
				line->file = p.file;
				line->line = p.line;
				line->text = view_source_text(v, &p);
			}
		} else {
			line--;
		}
		l->of[key[i].insn] = l->n - 1;
		line->insns++;
		counts_add_insn(&line->n, &c->insn[key[i].insn]);
	}
}

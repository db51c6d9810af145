/* CORF's hints for people: metadata words as text, and the register-affinity graph for Graphviz.
 *
 * An edge is as wide as the logarithm of its weight. Nodes are coloured by alignment; pairs that share an entry are
 * black, or red; a dashed red edge is lost to CORF++, since both of its registers lie at the same end. Registers
 * without an edge are left out. */
#include "view.h"

#include <math.h>

char *view_pair_word(struct arena *a, uint64_t word)
{
	uint8_t pair[4][2];
	unsigned n = corf_word_pairs(word, pair);
	char *t = arena_printf(a, "%s", "");

	for (unsigned p = 0; p < n; p++)
		t = arena_printf(a, "%s%sR%u+R%u", t, p ? " " : "", pair[p][0], pair[p][1]);
	return t;
}

static char *aligned(struct arena *a, const struct corf_hints *h, uint32_t n, enum corf_align to, const char *text)
{
	char *t = arena_printf(a, "%s", text);

	for (uint32_t r = n * CORF_ALIGN_REGS; r < (n + 1) * CORF_ALIGN_REGS && r < MREG_RZ; r++)
		if (h->align[r] == to)
			t = arena_printf(a, "%s R%u", t, r);
	return t;
}

char *view_align_word(struct arena *a, const struct corf_hints *h, uint32_t n)
{
	return arena_printf(a, "%s, %s", aligned(a, h, n, ALIGN_LEFT, "left"), aligned(a, h, n, ALIGN_RIGHT, "right"));
}

double view_percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void put_node(FILE *f, const struct corf_hints *h, uint32_t r)
{
	if (h->align[r] != ALIGN_ANY)
		fprintf(f, "  R%u [fillcolor=%s];\n", r, h->align[r] == ALIGN_LEFT ? "lightblue" : "navajowhite");
}

static void put_edge(FILE *f, const struct corf_hints *h, const struct wedge *e, uint64_t most)
{
	double wide = most ? 1 + 5 * log1p((double)e->w) / log1p((double)most) : 1;
	const char *look = h->partner[e->a] == e->b ? "color=black" : "color=gray60";

	if (h->align[e->a] == h->align[e->b])
		look = h->partner[e->a] == e->b ? "color=red" : "color=red, style=dashed";
	/* white behind the number, so that it can be read on its edge */
	fprintf(f,
		"  R%u -- R%u [label=<<table border=\"0\" cellspacing=\"0\" cellpadding=\"0\"><tr><td "
		"bgcolor=\"white\">%llu</td></tr></table>>, "
		"penwidth=%.1f, %s];\n",
		e->a, e->b, (unsigned long long)e->w, wide, look);
}

void emit_dot_affinity(FILE *f, const struct kernel *k)
{
	const struct wgraph *g = k->affinity;
	struct arena a;
	uint64_t most = 0;

	arena_init(&a);
	fputs("graph \"", f);
	view_put_quoted(f, view_name(&a, k));
	fputs("\" {\n  label=\"", f);
	view_put_quoted(f, view_name(&a, k));
	fputs(": registers read together, and how often\\nblue: left end of the entry, yellow: right; black: a pair of "
	      "CORF, "
	      "red: a pair at the same end\\ndashed red: at the same end, lost to CORF++\";\n  fontsize=9;"
	      "\n  layout=neato; overlap=scale; splines=true;\n  node [shape=circle, fixedsize=true, width=0.4, "
	      "style=filled, fontname=monospace, "
	      "fontsize=10];\n  edge [fontname=monospace, fontsize=9, len=1.6];\n",
	      f);
	for (uint32_t r = 0; r < g->n; r++)
		put_node(f, k->corf, r);
	for (uint32_t e = 0; e < g->m; e++)
		most = g->e[e].w > most ? g->e[e].w : most;
	for (uint32_t e = 0; e < g->m; e++)
		put_edge(f, k->corf, &g->e[e], most);
	fputs("}\n", f);
	arena_free(&a);
}

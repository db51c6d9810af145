/* The control-flow graph for Graphviz: a box for each block with its instructions and what is live into it; edges of a
 * guarded branch are labelled T (guard true) and F, where strands begin is a line of its own, back edges (to a block no
 * later in reverse post-order) are dashed. */
#include "view.h"

#include "passes/strand.h"

#include <string.h>

void view_put_quoted(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
}

static void put_block(FILE *f, const struct kernel *k, uint32_t b, bool models, struct arena *a)
{
	const struct block *bb = &k->block[b];
	struct view_counts in;
	uint64_t *set = bitset_new(a, ir_nreg(k));

	live_put(live_in(k, b), set);
	in = view_count(k, set);

	fprintf(f, "  b%u [label=\"", b);
	view_put_quoted(f, view_block(a, k, b));
	fprintf(f, "   live-in: %u registers, %u predicates", in.regs, in.preds);
	if (in.uregs || in.upreds)
		fprintf(f, ", %u uniform registers, %u uniform predicates", in.uregs, in.upreds);
	if (k->facts & FACT_LOOP && k->cfg->depth[b])
		fprintf(f, "   loop depth %u", k->cfg->depth[b]);
	fputs("\\l", f);
	for (uint32_t i = bb->first; i < bb->first + bb->n; i++) {
		if (models && k->facts & FACT_STRAND && k->strand->begin[i])
			fprintf(f, "---- %s\\l", view_strand(a, k, i));
		fprintf(f, "%s  ", view_insn_name(a, k, i));
		view_put_quoted(f, view_insn(a, k, i));
		fputs("\\l", f);
		arena_reset(a);
	}
	fprintf(f, "\"%s];\n", k->cfg->rpo_index[b] == UINT32_MAX ? ", style=dotted" : "");
}

static void put_edge(FILE *f, uint32_t from, const char *to, const char *label, bool back)
{
	fprintf(f, "  b%u -> %s", from, to);
	if (*label)
		fprintf(f, " [label=\"%s\"%s]", label, back ? ", style=dashed" : "");
	else if (back)
		fputs(" [style=dashed]", f);
	fputs(";\n", f);
}

static void put_edges(FILE *f, const struct kernel *k, uint32_t b, struct arena *a)
{
	const struct cfg *g = k->cfg;
	const struct block *bb = &k->block[b];
	const struct insn *last = bb->n ? &k->insn[bb->first + bb->n - 1] : NULL;
	bool branch = last && op_info[last->op].flags & OPF_BRANCH, guarded = last && !insn_kills(last);
	bool ends = last && op_info[last->op].flags & OPF_EXIT;

	for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++) {
		uint32_t to = g->succ[e];
		bool back = g->rpo_index[b] != UINT32_MAX && g->rpo_index[to] <= g->rpo_index[b];
		bool taken = branch && to == insn_src(k, last)[last->nsrc - 1].val;
		const char *label = "";

		if ((branch || ends) && guarded && taken)
			label = to == b + 1 ? "T/F" : "T";
		else if ((branch || ends) && guarded)
			label = "F";

		put_edge(f, b, arena_printf(a, "b%u", to), label, back);
	}
	if (ends)
		put_edge(f, b, "exit", guarded ? "T" : "", false);
}

void emit_dot(FILE *f, const struct module *m, const struct kernel *k, bool models)
{
	struct arena a;

	(void)m;
	arena_init(&a);
	fputs("digraph \"", f);
	view_put_quoted(f, view_name(&a, k));
	fputs("\" {\n  node [shape=box, fontname=monospace, fontsize=10];\n  edge [fontname=monospace, fontsize=10];\n"
	      "  exit [shape=ellipse];\n",
	      f);
	for (uint32_t b = 0; b < k->nblock; b++) {
		put_block(f, k, b, models, &a);
		arena_reset(&a);
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		put_edges(f, k, b, &a);
		arena_reset(&a);
	}
	fputs("}\n", f);
	arena_free(&a);
}

/* The register-affinity graph of an annotated kernel for Graphviz, as ptx-annotate --emit=dot --graph=affinity draws
 * it, but of the JSON. */
#include "runtime-model/html/report.h"

#include <math.h>

static bool has(const json_t *list, const json_t *name)
{
	const json_t *x;
	size_t i;

	json_array_foreach(list, i, x) if (json_equal(x, name)) return true;
	return false;
}

static bool is_pair(const json_t *pairs, const json_t *x, const json_t *y)
{
	const json_t *pair;
	size_t i;

	json_array_foreach(pairs, i, pair) if (has(pair, x) && has(pair, y)) return true;
	return false;
}

static const char *text(const json_t *s, struct arena *a) { return picture_label(json_string_value(s), a); }

bool graph_affinity(FILE *f, const json_t *kernel, struct arena *a)
{
	const json_t *corf = json_object_get(kernel, "corf"), *edges = json_object_get(corf, "affinity"), *e, *r;
	const json_t *pairs = json_object_get(json_object_get(corf, "pairs"), "registers"),
		     *align = json_object_get(corf, "alignment");
	const json_t *side[] = { json_object_get(align, "left"), json_object_get(align, "right") };
	static const char *const look[] = { "shape=box, fillcolor=lightblue", "shape=circle, fillcolor=navajowhite" };
	double most = 0;
	size_t i;

	if (!json_array_size(edges))
		return false;
	fprintf(f,
		"// sm-model report. Into a PDF: dot -Tpdf THIS-FILE -o picture.pdf\ngraph affinity {\n"
		"  label=\"%s: registers read together, and how often\\nblue boxes: left end of an entry, yellow "
		"circles: right end; black: a pair of CORF; "
		"dashed red: at the same end, lost to CORF++\";\n  fontsize=10; layout=neato; overlap=scale; "
		"splines=true;\n"
		"  node [shape=diamond, style=filled, fillcolor=white, fixedsize=true, width=0.45, height=0.4, "
		"fontname=monospace, fontsize=10];\n"
		"  edge [fontname=monospace, fontsize=9, len=1.6];\n",
		text(json_object_get(kernel, "name"), a));
	for (unsigned s = 0; s < 2; s++)
		json_array_foreach(side[s], i, r) fprintf(f, "  \"%s\" [%s];\n", text(r, a), look[s]);
	json_array_foreach(edges, i, e) most = fmax(most, json_number_value(json_object_get(e, "weight")));
	json_array_foreach(edges, i, e)
	{
		const json_t *x = json_object_get(e, "a"), *y = json_object_get(e, "b");
		double w = json_number_value(json_object_get(e, "weight"));
		bool pair = is_pair(pairs, x, y);
		const char *kept = pair ? "black" : "gray60";
		bool lost = !((has(side[0], x) && has(side[1], y)) || (has(side[1], x) && has(side[0], y)));

		fprintf(f, "  \"%s\" -- \"%s\" [label=\"%.0f\", penwidth=%.1f, color=%s%s];\n", text(x, a), text(y, a),
			w, most > 0 ? 1 + 5 * log1p(w) / log1p(most) : 1, lost ? "red" : kept,
			lost && !pair ? ", style=dashed" : "");
	}
	fputs("}\n", f);
	return true;
}

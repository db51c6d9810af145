/* By source line: what fewer lanes could execute, and how much of their work that would save. */
#include "analyzer/emit/view.h"
#include "runtime-model/similar/similar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t place;          /* source << 32 | line; 0: not known */
	const char *file, *text; /* NULL: not known; cannot be read */
	uint32_t line;
	struct similar_insn all;
	uint64_t uniform_loads; /* of global or local memory, that all lanes do with one address: times */
};

static uint64_t saved(const struct similar_insn *n) { return n->lanes - n->needed; }

/* Times that one lane could execute, and the object proves it. */
static uint64_t proven(const struct similar_insn *n) { return n->both[0] + n->both[1]; }

static int by_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static int by_saved(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	uint64_t p = saved(&x->all), q = saved(&y->all);

	return p != q ? (p < q) - (p > q) : by_line(a, b);
}

static bool is_load(const struct insn *i)
{
	return op_info[i->op].flags & OPF_LOAD && (i->space == SP_GLOBAL || i->space == SP_GENERIC);
}

/* Lines of s, in v->a; *n of them. */
static struct line *collect(const struct similar_kernel *s, struct view *v, uint32_t *n)
{
	struct line *line = new_array(&v->a, struct line, s->ninsn + (size_t)1);
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < s->ninsn; i++) {
		struct line *l = &line[count];
		struct view_place p;

		if (!s->insn[i].issued)
			continue;
		if (view_find_place(v, i, &p)) {
			l->place = (uint64_t)(p.source + 1) << 32 | p.line;
			l->file = p.file;
			l->line = p.line;
			l->text = view_source_text(v, &p);
		}
		l->all = s->insn[i];
		if (is_load(&s->k->insn[i]))
			l->uniform_loads = s->insn[i].how[SIMILAR_SCALAR] + s->insn[i].how[SIMILAR_DIVERGENT];
		count++;
	}
	qsort(line, count, sizeof *line, by_line);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && line[kept - 1].place == line[i].place) {
			similar_add(&line[kept - 1].all, &line[i].all);
			line[kept - 1].uniform_loads += line[i].uniform_loads;
		} else {
			line[kept++] = line[i];
		}
	}
	qsort(line, kept, sizeof *line, by_saved);
	*n = kept;
	return line;
}

enum { LINES_SHOWN = 20, TEXT = 60 };

static const char *line_name(const struct line *l, struct arena *a)
{
	const char *slash = l->file ? strrchr(l->file, '/') : NULL;

	if (!l->file)
		return "?";
	return arena_printf(a, "%s:%" PRIu32, slash ? slash + 1 : l->file, l->line);
}

void similar_print_lines(FILE *f, const struct module *m, const struct similar_kernel *s)
{
	uint64_t all = 0, left = 0;
	uint32_t n, more = 0;
	struct line *line;
	struct view v;

	view_init_text(&v, m, s->k);
	line = collect(s, &v, &n);
	for (uint32_t i = 0; i < n; i++)
		all += saved(&line[i].all);
	fprintf(f,
		"lines    of %s, by what a scalar unit would save: %" PRIu64
		" executions of lanes that do what another does\n",
		view_name(&v.a, s->k), all);
	fprintf(f, "  %6s %12s %6s %6s %6s %6s %6s %6s  %s\n", "saved", "issued", "diverg", "scalar", "parts", "div.sc",
		"proven", "1 addr", "line");
	for (uint32_t i = 0; i < n; i++) {
		const struct line *l = &line[i];
		const struct similar_insn *c = &l->all;

		if (i >= LINES_SHOWN || !saved(c)) {
			left += saved(c);
			more += saved(c) > 0;
			continue;
		}
		fprintf(f, "  %5.1f%% %12" PRIu64 " %5.0f%% %5.0f%% %5.0f%% %5.0f%% %5.0f%% %5.0f%%  %-20s %.*s\n",
			view_percent(saved(c), all), c->issued, view_percent(c->divergent, c->issued),
			view_percent(c->how[SIMILAR_SCALAR], c->issued), view_percent(c->how[SIMILAR_PARTS], c->issued),
			view_percent(c->how[SIMILAR_DIVERGENT], c->issued), view_percent(proven(c), c->issued),
			view_percent(l->uniform_loads, c->issued), line_name(l, &v.a), TEXT, l->text ? l->text : "");
	}
	if (more)
		fprintf(f, "  %5.1f%% in %" PRIu32 " more line%s\n", view_percent(left, all), more,
			more == 1 ? "" : "s");
	view_free(&v);
}

void similar_print_legend(FILE *f)
{
	fprintf(f, "saved: of all that lines would save; the others: of the instructions issued. diverg: not all lanes "
		   "execute; scalar, parts, div.sc: one lane\n"
		   "could, for all, for each part of 16 lanes, for the active ones; proven: scalar or div.sc, and the "
		   "object says so; 1 addr: loads of one address\n");
}

json_t *similar_lines_json(const struct module *m, const struct similar_kernel *s)
{
	json_t *list = json_array();
	struct line *line;
	struct view v;
	uint32_t n;

	view_init_text(&v, m, s->k);
	line = collect(s, &v, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct similar_insn *c = &line[i].all;

		json_array_append_new(
			list, json_pack("{s:s?, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
					line[i].file, "line", (json_int_t)line[i].line, "issued", (json_int_t)c->issued,
					"divergent", (json_int_t)c->divergent, "scalar",
					(json_int_t)c->how[SIMILAR_SCALAR], "parts", (json_int_t)c->how[SIMILAR_PARTS],
					"divergent_scalar", (json_int_t)c->how[SIMILAR_DIVERGENT], "proven",
					(json_int_t)proven(c), "uniform_loads", (json_int_t)line[i].uniform_loads,
					"active_lanes", (json_int_t)c->lanes, "needed_lanes", (json_int_t)c->needed));
	}
	view_free(&v);
	return list;
}

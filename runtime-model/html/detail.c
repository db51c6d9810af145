#include "runtime-model/html/detail.h"
#include "analyzer/emit/view.h"
#include "runtime-model/run/compare.h"
#include "runtime-model/run/launch_facts.h"

#include <stdlib.h>
#include <string.h>

/* a larger file is not part of a report */
enum { SOURCE_BYTES = 4 << 20 };

struct detail {
	unsigned n;
	struct explain **of; /* by configuration */
	bool first_lent;     /* the first belongs to the caller */
};

struct detail *detail_new(struct run_options *o, struct explain *first, struct arena *a)
{
	struct run_config *config = new_array(a, struct run_config, o->nconfig);
	struct detail *x = new(a, struct detail);

	*x = (struct detail){ o->nconfig, new_array(a, struct explain *, o->nconfig), first != NULL };
	memcpy(config, o->config, o->nconfig * sizeof *config);
	o->config = config;
	for (unsigned i = 0; i < x->n; i++) {
		x->of[i] = i || !first ? explain_new(false, a) : first;
		if (i)
			config[i].probe = explain_probe(x->of[i], NULL);
		else if (!first)
			o->probe = explain_probe(x->of[0], o->probe);
	}
	return x;
}

void detail_free(struct detail *x)
{
	for (unsigned i = x->first_lent; i < x->n; i++)
		explain_free(x->of[i]);
}

bool detail_check(const struct detail *x, const struct run *r, struct diag *d)
{
	for (unsigned i = 0; i < x->n; i++)
		if (!r->timing[i].failed && !explain_check(x->of[i], r->timing[i].stop.why != STOP_NOT, d))
			return false;
	return true;
}

/* ---- kernels as ptx-annotate writes them ---- */
/* Kernels that ran, as they are, or as variants if any configuration ran these. */
struct ran {
	struct kernel **v;
	uint32_t n;
};

static struct ran kernels_of(const struct run *r, enum run_program program, struct arena *a)
{
	struct ran x = { new_array(a, struct kernel *, r->nkernel), 0 };
	bool used = program == PROGRAM_PLAIN;

	for (unsigned i = 0; i < r->opt.nconfig; i++)
		used |= r->timing[i].program == program;
	for (uint32_t i = 0; used && i < r->m->nkernel; i++)
		for (unsigned k = 0; k < r->nkernel; k++)
			if (strcmp(r->m->kernel[i]->name, r->kernel[k]) == 0)
				x.v[x.n++] = program == PROGRAM_VARIANT && r->m->kernel[i]->variant
						     ? r->m->kernel[i]->variant
						     : r->m->kernel[i];
	return x;
}

/* Facts about the launches: no more than a trip count and an occupancy follow from them, so what is odd about them is
 * not said again. */
static const struct launch_facts *facts_of(const struct run *r, struct arena *a)
{
	static const struct launch_facts nothing = { .nparam = 0 };
	const struct launch_facts *facts;
	struct diag quiet;

	diag_init(&quiet, NULL);
	facts = launch_facts_from(r->f, r->m, false, &nothing, a, &quiet);
	diag_free(&quiet);
	return facts;
}

static bool make_facts(const struct ran *k, struct pass_ctx *cx)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (!pass_need(k->v[i], FACT_FREQ | FACT_DLIVE, cx))
			return false;
	return true;
}

/* docs/annotate.schema.json. NULL: with a diagnostic. */
static json_t *annotations(const struct run *r, const struct ran *ran, struct diag *d)
{
	struct module part = *r->m;
	struct pass_ctx cx;
	struct arena a;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	json_t *j = NULL;
	bool ok;

	arena_init(&a);
	pass_ctx_init(&cx, d);
	cx.opt.regmutex.sm = params_limits(r->opt.config[0].params);
	cx.opt.launch = facts_of(r, &a);
	part.kernel = ran->v;
	part.nkernel = ran->n;
	ok = f && make_facts(ran, &cx) && emit_json(f, &part, &cx.opt.regmutex, cx.opt.launch);
	if (f)
		ok = fclose(f) == 0 && ok;
	if (ok)
		j = json_loadb(text, n, 0, NULL);
	/* that of a variant is of sets of registers, which its configuration's metrics have */
	for (uint32_t i = 0; j && i < ran->n; i++)
		if (ran->v[i]->plain)
			json_object_del(json_array_get(json_object_get(j, "kernels"), i), "occupancy");
	if (!j && !diag_failed(d))
		diag_error_plain(d, r->m->src_name, "out of memory for JSON");
	free(text);
	pass_ctx_free(&cx);
	arena_free(&a);
	return j;
}

/* ---- their source ---- */
/* files by the names that views give them */
struct file_names {
	const char **v;
	uint32_t n, cap;
};

static bool seen(struct file_names *s, const char *name, struct arena *a)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], name) == 0)
			return true;
	arena_grow(a, s->v, s->n, s->cap);
	s->v[s->n++] = name;
	return false;
}

/* As it is where that is UTF-8, else what can be printed of it. */
static json_t *line_json(const char *p, size_t n, struct arena *a)
{
	json_t *s;

	while (n && strchr("\r\n", p[n - 1]))
		n--;
	s = memchr(p, 0, n) ? NULL : json_stringn(p, n);
	if (!s) {
		char *t = arena_alloc(a, n + 1, 1);

		for (size_t i = 0; i < n; i++)
			t[i] = p[i] == '\t' || (p[i] >= ' ' && p[i] <= '~') ? p[i] : '?';
		s = json_string(t);
	}
	return s;
}

static json_t *source_json(struct view *v, const struct view_place *p, const char *name, struct arena *a)
{
	struct view_file file;
	json_t *lines = json_array();

	if (!view_source_file(v, p, &file) || file.at[file.lines] > SOURCE_BYTES) {
		json_decref(lines);
		return json_pack("{s:s, s:n}", "file", name, "lines");
	}
	for (uint32_t i = 0; i < file.lines; i++)
		json_array_append_new(lines, line_json(file.text + file.at[i], file.at[i + 1] - file.at[i], a));
	return json_pack("{s:s, s:o}", "file", name, "lines", lines);
}

static void add_sources(json_t *list, const struct module *m, const struct ran *ran, struct file_names *names,
			struct arena *a)
{
	for (uint32_t k = 0; k < ran->n; k++) {
		struct view_place p;
		struct view v;

		view_init_text(&v, m, ran->v[k]);
		for (uint32_t i = 0; i < ran->v[k]->ninsn; i++) {
			const char *name = view_find_place(&v, i, &p) ? view_clean(a, p.file, strlen(p.file)) : NULL;

			if (name && !seen(names, name, a))
				json_array_append_new(list, source_json(&v, &p, name, a));
		}
		view_free(&v);
	}
}

/* Where an instruction stands in the PTX text, of which the object has the lines. */
static const struct srcline *ptx_place(const struct module *m, const struct insn *i)
{
	return i->where && i->where < m->nline && m->line[i->where].file < m->nfile && m->file[m->line[i->where].file]
		       ? &m->line[i->where]
		       : NULL;
}

/* The PTX file that instructions are of; UINT32_MAX: not known. */
static uint32_t ptx_file(const struct module *m, const struct ran *ran)
{
	for (uint32_t k = 0; k < ran->n; k++)
		for (uint32_t i = 0; i < ran->v[k]->ninsn; i++)
			if (ptx_place(m, &ran->v[k]->insn[i]))
				return ptx_place(m, &ran->v[k]->insn[i])->file;
	return UINT32_MAX;
}

static json_t *ptx_lines(const struct module *m, const struct kernel *k, uint32_t file)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < k->ninsn; i++) {
		const struct srcline *at = ptx_place(m, &k->insn[i]);

		json_array_append_new(list, json_integer(at && at->file == file ? at->line : 0));
	}
	return list;
}

/* {"file", "lines", "variant_lines"}; the file is added to the sources. */
static void add_ptx(json_t *detail, json_t *sources, const struct module *m, const struct ran ran[PROGRAMS],
		    struct file_names *names, struct arena *a)
{
	static const char *const member[PROGRAMS] = { [PROGRAM_PLAIN] = "lines", [PROGRAM_VARIANT] = "variant_lines" };
	uint32_t file = ptx_file(m, &ran[PROGRAM_PLAIN]);
	struct view_place p = { .source = file };
	json_t *ptx;
	struct view v;

	if (file == UINT32_MAX)
		return;
	p.file = view_clean(a, m->file[file], strlen(m->file[file]));
	ptx = json_pack("{s:s}", "file", p.file);
	for (enum run_program x = 0; x < PROGRAMS; x++) {
		json_t *of = json_object();

		for (uint32_t k = 0; k < ran[x].n; k++)
			json_object_set_new(of, ran[x].v[k]->name, ptx_lines(m, ran[x].v[k], file));
		if (ran[x].n)
			json_object_set(ptx, member[x], of);
		json_decref(of);
	}
	json_object_set_new(detail, "ptx", ptx);
	if (!seen(names, p.file, a)) {
		const char *name = p.file;

		p.file = m->file[file];
		view_init_text(&v, m, ran[PROGRAM_PLAIN].v[0]);
		json_array_append_new(sources, source_json(&v, &p, name, a));
		view_free(&v);
	}
}

/* ---- what each configuration measured ---- */
static json_t *configurations(const struct detail *x, const struct run *r, struct arena *a)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < x->n; i++) {
		const struct run_config *c = &r->opt.config[i];
		const struct run_timing *t = &r->timing[i];

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", c->name, "rf",
					rf_config_name(&c->rf, c->params, a), "program", run_program_name(t->program),
					"explain", t->failed ? json_null() : explain_json(x->of[i], r->m), "energy",
					t->failed ? json_null() : compare_energy_json(&t->stats, c->params)));
	}
	return list;
}

json_t *detail_add(const struct detail *x, const struct run *r, struct module *m, json_t *o, struct diag *d)
{
	static const char *const member[PROGRAMS] = { [PROGRAM_PLAIN] = "annotations", [PROGRAM_VARIANT] = "variants" };
	json_t *detail = o ? json_object() : NULL, *sources = json_array();
	struct file_names names = { NULL, 0, 0 };
	struct ran ran[PROGRAMS];
	struct arena a;
	bool ok = o != NULL;

	arena_init(&a);
	for (enum run_program p = 0; p < PROGRAMS && ok; p++) {
		ran[p] = kernels_of(r, p, &a);
		ok = !ran[p].n || json_object_set_new(detail, member[p], annotations(r, &ran[p], d)) == 0;
		if (ok)
			add_sources(sources, m, &ran[p], &names, &a);
	}
	if (ok) {
		add_ptx(detail, sources, m, ran, &names, &a);
		json_object_set(detail, "sources", sources);
		json_object_set_new(detail, "configurations", configurations(x, r, &a));
		json_object_set(o, "detail", detail);
	}
	arena_free(&a);
	json_decref(sources);
	json_decref(detail);
	if (!ok) {
		json_decref(o);
		o = NULL;
	}
	return o;
}

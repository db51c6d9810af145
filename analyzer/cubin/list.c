/* What is inside a cubin, for people and for tools: kernels and functions with their resources, sections. */
#include "analyzer/cubin/cubin.h"

#include "analyzer/base/text.h"

#include <elf.h>
#include <jansson.h>
#include <string.h>

enum { COLUMNS_MAX = 12 };

const char *cubin_reloc_name(uint32_t type, const char **what)
{
	static const struct {
		const char *name, *what;
	} info[] = {
#define RELOC(type, name, what) [type] = { #name, what },
#include "analyzer/cubin/relocs.def"
	};

	if (type >= sizeof info / sizeof *info)
		type = 0;
	if (what)
		*what = info[type].what;
	return info[type].name;
}

const char *cubin_arch(const struct cubin *c, struct arena *a)
{
	return arena_printf(a, c->suffix ? "sm_%u%c" : "sm_%u", c->sm, c->suffix);
}

static const char *section_kind(const struct cubin_section *s, struct arena *a)
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
		{ SHT_PROGBITS, "bits" },     { SHT_SYMTAB, "symbols" },   { SHT_STRTAB, "strings" },
		{ SHT_RELA, "rela" },         { SHT_NOTE, "note" },        { SHT_NOBITS, "no bits" },
		{ SHT_REL, "rel" },           { 0x70000000, "info" },      { 0x70000001, "call graph" },
		{ 0x70000002, "prototypes" }, { 0x70000007, "global" },    { 0x70000008, "global init" },
		{ 0x70000009, "local" },      { 0x7000000a, "shared" },    { 0x7000000b, "rel action" },
		{ 0x70000064, "constant0" },  { 0x70000066, "constant2" }, { 0x70000067, "constant3" },
		{ 0x70000068, "constant4" },  { 0x70000086, "compat" },
	};

	if (s->type == SHT_PROGBITS && s->flags & SHF_EXECINSTR)
		return "code";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].type == s->type)
			return names[i].name;
	return arena_printf(a, "0x%x", s->type);
}

static const char *toolkit(const struct cubin *c, struct arena *a)
{
	return c->toolkit ? arena_printf(a, "%u.%u", c->toolkit / 10, c->toolkit % 10) : NULL;
}

static const uint32_t *threads_of(const struct cubin_func *f)
{
	if (f->reqntid[0])
		return f->reqntid;
	return f->maxntid[0] ? f->maxntid : NULL;
}

/* Functions in the code of kernel K, beside itself. */
static bool inside(const struct cubin_func *f, const struct cubin_func *k) { return f != k && f->shndx == k->shndx; }

/* The section that S belongs to; 0: none. Files of older toolkits do not flag it. */
static uint32_t of(const struct cubin_section *s)
{
	bool one = s->flags & SHF_INFO_LINK || s->type == SHT_REL || s->type == SHT_RELA || s->type == 0x70000000 ||
		   strncmp(s->name, ".nv.constant", 12) == 0 || strncmp(s->name, ".nv.shared.", 11) == 0;

	return one ? s->info : 0;
}

/* ---- as tables ---- */
/* right: bits of columns of numbers */
struct grid {
	const char *(*cell)[COLUMNS_MAX];
	uint32_t rows;
	int columns;
	unsigned right;
};

static void print_grid(FILE *f, const struct grid *g)
{
	int width[COLUMNS_MAX] = { 0 };

	for (uint32_t i = 0; i < g->rows; i++)
		for (int c = 0; c < g->columns; c++)
			if ((int)strlen(g->cell[i][c]) > width[c])
				width[c] = (int)strlen(g->cell[i][c]);
	for (uint32_t i = 0; i < g->rows; i++)
		for (int c = 0; c < g->columns; c++)
			if (c + 1 == g->columns)
				fprintf(f, "%s\n", g->cell[i][c]);
			else
				fprintf(f, "%*s  ", g->right >> c & 1 ? width[c] : -width[c], g->cell[i][c]);
}

static struct grid begin(struct arena *a, uint32_t rows, int columns, unsigned right, const char *const head[])
{
	struct grid g = { arena_alloc_array(a, rows + 1, sizeof *g.cell, _Alignof(const char *)), 1, columns, right };

	memcpy(g.cell[0], head, (size_t)columns * sizeof *head);
	return g;
}

static const char *number(struct arena *a, uint64_t n) { return arena_printf(a, "%llu", (unsigned long long)n); }

/* Of a thread, as far as the linker knows the calls: UINT32_MAX where it found no bound. */
static uint32_t stack_of(const struct cubin_func *x)
{
	return x->min_stack > x->max_stack ? x->min_stack : x->max_stack;
}

static const char *clean(const char *s, struct arena *a) { return text_shown(a, s, strlen(s), ""); }

static void list_functions(FILE *f, const struct cubin *c, bool kernels, struct arena *a)
{
	static const char *const head[] = { "regs",       "barriers", "shared [B]", "frame [B]", "stack [B]",
					    "params [B]", "code [B]", "threads",    "inside",    "kernel" };
	static const char *const head_of_function[] = { "regs", "frame [B]", "code [B]", "offset", "function" };
	struct grid g = begin(a, c->nfunc, kernels ? 10 : 5, kernels ? 0x17f : 0xf, kernels ? head : head_of_function);
	uint32_t reserved = 0;

	for (uint32_t i = 0; i < c->nfunc; i++) {
		const struct cubin_func *x = &c->func[i];
		const uint32_t *t = threads_of(x);
		const char **cell = g.cell[g.rows];
		uint32_t others = 0, n = 0;

		if (x->entry != kernels)
			continue;
		for (uint32_t j = 0; j < c->nfunc; j++)
			others += inside(&c->func[j], x);
		cell[n++] = x->regs ? number(a, x->regs) : "-";
		if (kernels) {
			cell[n++] = number(a, x->barriers);
			cell[n++] = number(a, x->shared_bytes);
			reserved = x->shared_reserved > reserved ? x->shared_reserved : reserved;
		}
		cell[n++] = number(a, x->frame_bytes);
		if (kernels) {
			cell[n++] = stack_of(x) == UINT32_MAX ? "no bound" : number(a, stack_of(x));
			cell[n++] = number(a, x->param_bytes);
		}
		cell[n++] = number(a, x->size);
		if (kernels) {
			const char *most = x->reqntid[0] ? "" : "<= ";

			cell[n++] = t ? arena_printf(a, "%s%u,%u,%u", most, t[0], t[1], t[2]) : "-";
			cell[n++] = number(a, others);
		} else {
			cell[n++] = x->owner ? "-" : arena_printf(a, "0x%llx", (unsigned long long)x->offset);
		}
		cell[n] = clean(x->name, a);
		g.rows++;
	}
	if (g.rows > 1) {
		fputc('\n', f);
		print_grid(f, &g);
	}
	if (reserved)
		fprintf(f, "shared [B]: the first %u B of it are the driver's, where there is any\n", reserved);
}

static void list_sections(FILE *f, const struct cubin *c, struct arena *a)
{
	static const char *const head[] = { "section", "size [B]", "offset", "of", "kind", "name" };
	struct grid g = begin(a, c->nsection, 6, 0xf, head);

	for (uint32_t i = 1; i < c->nsection; i++, g.rows++) {
		const struct cubin_section *s = &c->section[i];
		const char **cell = g.cell[g.rows];

		cell[0] = number(a, i);
		cell[1] = number(a, s->size);
		cell[2] = arena_printf(a, "0x%llx", (unsigned long long)s->offset);
		cell[3] = of(s) ? number(a, of(s)) : "-";
		cell[4] = section_kind(s, a);
		cell[5] = clean(s->name, a);
	}
	fputc('\n', f);
	print_grid(f, &g);
}

/* One line for each kind of relocation and each attribute without a name. */
static void list_rest(FILE *f, const struct cubin *c, struct arena *a)
{
	uint32_t types[256] = { 0 }, other = 0;

	for (uint32_t i = 0; i < c->nreloc; i++)
		if (c->reloc[i].type < 256)
			types[c->reloc[i].type]++;
		else
			other++;
	if (c->nreloc)
		fputc('\n', f);
	for (uint32_t t = 0; t < 256; t++) {
		const char *what, *name = cubin_reloc_name(t, &what);

		if (types[t])
			fprintf(f, "relocation %u, %s: %u%s%s\n", t, name ? name : "unknown", types[t],
				what ? "; " : "", what ? what : "");
	}
	if (other)
		fprintf(f, "relocations from 256 on, unknown: %u\n", other);
	for (uint32_t i = 0; i < c->nfunc; i++)
		for (uint32_t k = 0; k < c->func[i].nattr; k++)
			if (!c->func[i].attr[k].name)
				fprintf(f, "attribute 0x%02x, unknown: %s\n", c->func[i].attr[k].id,
					clean(c->func[i].name, a));
	for (uint32_t k = 0; k < c->nattr; k++)
		if (!c->attr[k].name)
			fprintf(f, "attribute 0x%02x, unknown\n", c->attr[k].id);
}

static void list_text(FILE *f, const struct cubin *c, struct arena *a)
{
	const char *tk = toolkit(c, a);
	uint32_t kernels = 0;

	while (kernels < c->nfunc && c->func[kernels].entry)
		kernels++;
	fprintf(f, "%s: cubin for %s%s%s, %s, %s ABI (0x%x, %u); %u kernel%s, %u other function%s, line table: %s\n",
		clean(c->name, a), cubin_arch(c, a), tk ? ", CUDA " : "", tk ? tk : "",
		c->relocatable ? "relocatable: addresses are placeholders" : "linked", c->new_abi ? "new" : "old",
		c->os_abi, c->abi_version, kernels, kernels == 1 ? "" : "s", c->nfunc - kernels,
		c->nfunc - kernels == 1 ? "" : "s", c->nline ? "yes" : "no");
	list_functions(f, c, true, a);
	list_functions(f, c, false, a);
	list_sections(f, c, a);
	list_rest(f, c, a);
}

/* ---- as JSON ---- */
static json_t *text(const char *s)
{
	json_t *t = json_string(s);

	return t ? t : json_string(""); /* not UTF-8 */
}

static void put(json_t *o, const char *name, uint64_t n) { json_object_set_new(o, name, json_integer((json_int_t)n)); }

static void put_sizes(json_t *o, const char *name, const uint32_t n[3])
{
	json_object_set_new(o, name, n[0] ? json_pack("[i,i,i]", (int)n[0], (int)n[1], (int)n[2]) : json_null());
}

static void put_attrs(json_t *o, const struct cubin_attr *x, uint32_t n)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < n; i++) {
		json_t *one = json_object();

		put(one, "id", x[i].id);
		json_object_set_new(one, "name", x[i].name ? json_string(x[i].name) : json_null());
		put(one, "bytes", x[i].n);
		if (x[i].format != 4)
			put(one, "value", x[i].value);
		json_array_append_new(all, one);
	}
	json_object_set_new(o, "attributes", all);
}

static json_t *func_json(const struct cubin *c, const struct cubin_func *x)
{
	json_t *o = json_object(), *params = json_array(), *names = json_array();

	json_object_set_new(o, "name", text(x->name));
	put(o, "section", x->shndx);
	put(o, "offset", x->offset);
	put(o, "code_bytes", x->size);
	json_object_set_new(o, "registers", x->regs ? json_integer(x->regs) : json_null());
	put(o, "frame_bytes", x->frame_bytes);
	if (x->entry) {
		put(o, "barriers", x->barriers);
		put(o, "shared_bytes", x->shared_bytes);
		put(o, "shared_reserved_bytes", x->shared_reserved);
		json_object_set_new(o, "stack_bytes",
				    stack_of(x) == UINT32_MAX ? json_null() : json_integer(stack_of(x)));
		put_sizes(o, "max_threads", x->maxntid);
		put_sizes(o, "required_threads", x->reqntid);
		put_sizes(o, "cluster", x->cluster);
		json_object_set_new(o, "max_registers", x->maxreg ? json_integer(x->maxreg) : json_null());
		put(o, "parameter_base", x->param_base);
		put(o, "parameter_bytes", x->param_bytes);
		for (uint32_t p = 0; p < x->nparam; p++)
			json_array_append_new(params,
					      json_pack("{s:i,s:i,s:i}", "ordinal", (int)x->param[p].ordinal, "offset",
							(int)x->param[p].offset, "bytes", (int)x->param[p].size));
		json_object_set_new(o, "parameters", params);
		for (uint32_t i = 0; i < c->nfunc; i++)
			if (inside(&c->func[i], x))
				json_array_append_new(names, text(c->func[i].name));
		json_object_set_new(o, "functions", names);
	} else {
		json_decref(params);
		json_decref(names);
	}
	put_attrs(o, x->attr, x->nattr);
	return o;
}

static bool list_json(FILE *f, const struct cubin *c, struct arena *a)
{
	json_t *root = json_object(), *kernels = json_array(), *functions = json_array(), *sections = json_array(),
	       *relocs = json_array(), *calls = json_array();
	const char *tk = toolkit(c, a);
	bool ok;

	json_object_set_new(root, "schema", json_string("regloom-cubin-1"));
	json_object_set_new(root, "file", text(c->name));
	json_object_set_new(root, "arch", json_string(cubin_arch(c, a)));
	json_object_set_new(root, "abi", json_string(c->new_abi ? "new" : "old"));
	json_object_set_new(root, "toolkit", tk ? json_string(tk) : json_null());
	json_object_set_new(root, "relocatable", json_boolean(c->relocatable));
	json_object_set_new(root, "line_table", json_boolean(c->nline != 0));
	for (uint32_t i = 0; i < c->nfunc; i++)
		json_array_append_new(c->func[i].entry ? kernels : functions, func_json(c, &c->func[i]));
	for (uint32_t i = 1; i < c->nsection; i++) {
		const struct cubin_section *s = &c->section[i];
		json_t *o = json_object();

		put(o, "section", i);
		json_object_set_new(o, "name", text(s->name));
		json_object_set_new(o, "kind", json_string(section_kind(s, a)));
		put(o, "offset", s->offset);
		put(o, "bytes", s->size);
		json_object_set_new(o, "of", of(s) ? json_integer(of(s)) : json_null());
		json_array_append_new(sections, o);
	}
	for (uint32_t i = 0; i < c->nreloc; i++) {
		const struct cubin_reloc *x = &c->reloc[i];
		const char *name = cubin_reloc_name(x->type, NULL);
		json_t *o = json_object();

		put(o, "section", x->shndx);
		put(o, "offset", x->offset);
		put(o, "type", x->type);
		json_object_set_new(o, "name", name ? json_string(name) : json_null());
		json_object_set_new(o, "symbol", text(c->symbol[x->symbol].name));
		json_object_set_new(o, "addend", json_integer(x->addend));
		json_array_append_new(relocs, o);
	}
	for (uint32_t i = 0; i < c->ncall; i++)
		if (c->call[i].callee < CUBIN_CALL_FLAGS)
			json_array_append_new(calls,
					      json_pack("{s:o,s:o}", "caller", text(c->symbol[c->call[i].caller].name),
							"callee", text(c->symbol[c->call[i].callee].name)));
	json_object_set_new(root, "kernels", kernels);
	json_object_set_new(root, "functions", functions);
	json_object_set_new(root, "sections", sections);
	json_object_set_new(root, "relocations", relocs);
	json_object_set_new(root, "calls", calls);
	put_attrs(root, c->attr, c->nattr);
	ok = json_dumpf(root, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF;
	json_decref(root);
	return ok;
}

bool cubin_list(FILE *f, const struct cubin *c, bool json, struct arena *a)
{
	if (json)
		return list_json(f, c, a);
	list_text(f, c, a);
	return true;
}

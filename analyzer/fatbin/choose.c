/* Which of the modules in a file is meant (docs/FATBIN.md#which-module). */
#include "fatbin.h"

#include "analyzer/ptx/lex.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 6 };

const char *fatbin_kind_name(enum fatbin_kind kind)
{
	static const char *const name[] = { [FATBIN_PTX] = "PTX", [FATBIN_CUBIN] = "cubin", [FATBIN_LTO] = "LTO", [FATBIN_OTHER] = "other" };

	return name[kind];
}

char *fatbin_arch_name(const struct fatbin_entry *e, struct arena *a)
{
	return arena_printf(a, e->suffix ? "sm_%u%c" : "sm_%u", e->arch, e->suffix);
}

/* ---- kernels ---- */
const char **fatbin_kernels(const struct source *ptx, uint32_t *n, struct arena *a)
{
	const char **names = NULL;
	uint32_t cap = 0;
	struct lexer lx;
	struct token t;
	struct diag none;
	bool entry = false;

	*n = 0;
	diag_init(&none, NULL);
	lex_init(&lx, ptx, &none);
	lx.quiet = true;
	for (lex_next(&lx, &t); t.kind != T_END; lex_next(&lx, &t)) {
		if (entry && t.kind == T_IDENT) {
			arena_grow(a, names, *n, cap);
			names[(*n)++] = arena_strndup(a, ptx->text + t.off, t.len);
		}
		entry = t.kind == T_DOT && t.len == 6 && memcmp(ptx->text + t.off, ".entry", 6) == 0;
	}
	diag_free(&none);
	return names;
}

bool fatbin_kernel_named(const char *kernel, const char *name)
{
	char *end;
	unsigned long n;

	if (strcmp(kernel, name) == 0)
		return true;
	if (strncmp(kernel, "_Z", 2) != 0)
		return false;
	n = strtoul(kernel + 2, &end, 10);
	return n == strlen(name) && strncmp(end, name, n) == 0;
}

/* ---- choosing ---- */
struct candidate { const struct fatbin_entry *e; const char **kernel; uint32_t nkernel; struct source ptx; };

static bool read_candidate(struct candidate *c, const struct fatbin *f, const struct fatbin_entry *e, struct arena *a, struct diag *d)
{
	c->e = e;
	if (!fatbin_unpack(&c->ptx, f, e, a, d))
		return false;
	c->kernel = fatbin_kernels(&c->ptx, &c->nkernel, a);
	return true;
}

static bool has(const struct candidate *c, const char *kernel, bool exact)
{
	for (uint32_t k = 0; k < c->nkernel; k++)
		if (exact ? strcmp(c->kernel[k], kernel) == 0 : fatbin_kernel_named(c->kernel[k], kernel))
			return true;
	return false;
}

/* A GPU of architecture SM compiles this PTX: it is not newer; with 'a' it is the same; with 'f' of one family. */
static bool runs_on(const struct fatbin_entry *e, const char *sm)
{
	char *end;
	unsigned long n;

	if (!sm)
		return true;
	n = strtoul(sm, &end, 10);
	return e->suffix == 'a' ? n == e->arch && *end == 'a' : e->arch <= n && (e->suffix != 'f' || n / 10 == e->arch / 10);
}

/* The newer of two; of the same architecture the one without a suffix, since it says less about the GPU. */
static bool better(const struct fatbin_entry *x, const struct fatbin_entry *y)
{
	return x->arch != y->arch ? x->arch > y->arch : !x->suffix && y->suffix;
}

static char *join(char *list, const char *text, struct arena *a)
{
	return arena_printf(a, "%s%s%s", list, *list ? ", " : "", text);
}

static char *archs(const struct fatbin *f, enum fatbin_kind kind, struct arena *a)
{
	char *list = arena_strndup(a, "", 0);
	unsigned n = 0;

	for (uint32_t i = 0; i < f->n && n < NAMES_SHOWN; i++) {
		char *one = fatbin_arch_name(&f->entry[i], a);

		if (f->entry[i].kind == kind && !strstr(list, one)) {
			list = join(list, one, a);
			n++;
		}
	}
	return list;
}

static char *kernels_of(const struct candidate *c, uint32_t n, struct arena *a)
{
	char *list = arena_strndup(a, "", 0);
	unsigned shown = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < c[i].nkernel; k++, shown++)
			if (shown < NAMES_SHOWN)
				list = join(list, c[i].kernel[k], a);
	return shown > NAMES_SHOWN ? arena_printf(a, "%s, ...", list) : *list ? list : "none";
}

static bool no_ptx(const struct fatbin *f, const struct fatbin_choice *c, struct arena *a, struct diag *d)
{
	char *ptx = archs(f, FATBIN_PTX, a), *sass = archs(f, FATBIN_CUBIN, a);

	if (*ptx)
		return diag_error_plain(d, f->name, "has no PTX for sm_%s; it has PTX for %s", c->sm, ptx);
	if (*sass)
		return diag_error_plain(d, f->name, "has machine code (SASS) for %s and no PTX; compile it with code=compute_XX", sass);
	return diag_error_plain(d, f->name, "has no PTX; --list shows what it has");
}

static bool choose_module(struct source *ptx, const struct fatbin *f, const struct fatbin_choice *c, struct arena *a, struct diag *d)
{
	const struct fatbin_entry *e;

	if (c->module > f->n)
		return diag_error_plain(d, f->name, "has no module %u; it has %u, see --list", c->module, f->n);
	e = &f->entry[c->module - 1];
	if (e->kind != FATBIN_PTX)
		return diag_error_plain(d, f->name, "module %u is no PTX but %s for %s", c->module, e->kind == FATBIN_CUBIN ? "machine code (SASS)" :
		                        e->kind == FATBIN_LTO ? "NVVM code for link-time optimisation" : "of an unknown kind", fatbin_arch_name(e, a));
	return fatbin_unpack(ptx, f, e, a, d);
}

bool fatbin_choose(struct source *ptx, const struct fatbin *f, const struct fatbin_choice *c, struct arena *a, struct diag *d)
{
	struct candidate *best, *with;
	uint32_t n = 0, nwith = 0;
	char *list;

	if (c->module)
		return choose_module(ptx, f, c, a, d);
	best = new_array(a, struct candidate, f->containers + 1);
	with = new_array(a, struct candidate, f->containers + 1);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct fatbin_entry *e = &f->entry[i];
		bool same = n && best[n - 1].e->container == e->container;

		if (e->kind != FATBIN_PTX || !runs_on(e, c->sm) || (same && !better(e, best[n - 1].e)))
			continue;
		best[same ? n - 1 : n++].e = e;
	}
	if (!n)
		return no_ptx(f, c, a, d);
	for (uint32_t i = 0; i < n; i++)
		if (!read_candidate(&best[i], f, best[i].e, a, d))
			return false;
	for (int exact = 1; exact >= 0 && !nwith; exact--)
		for (uint32_t i = 0; i < n; i++)
			if (c->kernel ? has(&best[i], c->kernel, exact) : best[i].nkernel > 0)
				with[nwith++] = best[i];
	if (nwith == 1 || (n == 1 && !nwith)) {
		*ptx = nwith ? with[0].ptx : best[0].ptx;       /* without the kernel: the reader of PTX names those there are */
		return true;
	}
	if (!nwith)
		return c->kernel ? diag_error_plain(d, f->name, "has no kernel %s; it has %s", c->kernel, kernels_of(best, n, a))
		                 : diag_error_plain(d, f->name, "has no kernel in any module");
	list = arena_strndup(a, "", 0);
	for (uint32_t i = 0; i < nwith && i < NAMES_SHOWN; i++)
		list = join(list, arena_printf(a, "%u (%s)", with[i].e->number, kernels_of(&with[i], 1, a)), a);
	return diag_error_plain(d, f->name, "has %s%s in %u modules: %s%s; choose one with %s--module", c->kernel ? "kernel " : "kernels",
	                        c->kernel ? c->kernel : "", nwith, list, nwith > NAMES_SHOWN ? ", ..." : "", c->kernel ? "" : "--kernel or ");
}

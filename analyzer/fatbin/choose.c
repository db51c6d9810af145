/* Which of the modules in a file is meant (docs/FATBIN.md#which-module). */
#include "analyzer/base/kernel_name.h"
#include "fatbin.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/ptx/lex.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 6 };

const char *fatbin_kind_name(enum fatbin_kind kind)
{
	static const char *const name[] = {
		[FATBIN_PTX] = "PTX", [FATBIN_CUBIN] = "cubin", [FATBIN_LTO] = "LTO", [FATBIN_OTHER] = "other"
	};

	return name[kind];
}

const char *fatbin_code_word(unsigned code) { return code ? "sass" : "ptx"; }

const char *fatbin_sm(const char *text)
{
	const char *sm = text + (strncmp(text, "sm_", 3) == 0 ? 3 : 0);
	size_t n = strspn(sm, "0123456789");
	bool suffix = sm[n] == 'a' || sm[n] == 'f';

	return n >= 2 && n <= 3 && !sm[n + suffix] ? sm : NULL;
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

static const char **cubin_kernels(const struct cubin *c, uint32_t *n, struct arena *a)
{
	const char **names = new_array(a, const char *, c->nfunc + 1);

	for (*n = 0; *n < c->nfunc && c->func[*n].entry; ++*n)
		names[*n] = c->func[*n].name;
	return names;
}

bool fatbin_entry_kernels(const struct source *code, enum fatbin_kind kind, const char ***names, uint32_t *n,
			  struct arena *a, struct diag *d)
{
	const struct cubin *c;

	*n = 0;
	if (kind == FATBIN_PTX)
		*names = fatbin_kernels(code, n, a);
	if (kind != FATBIN_CUBIN)
		return true;
	c = cubin_read(code, a, d);
	if (c)
		*names = cubin_kernels(c, n, a);
	return c != NULL;
}

/* ---- choosing ---- */
struct candidate {
	const struct fatbin_entry *e;
	const char **kernel;
	uint32_t nkernel;
	struct source code;
};

static bool read_candidate(struct candidate *c, const struct fatbin *f, const struct fatbin_entry *e, struct arena *a,
			   struct diag *d)
{
	c->e = e;
	return fatbin_unpack(&c->code, f, e, a, d) &&
	       fatbin_entry_kernels(&c->code, e->kind, &c->kernel, &c->nkernel, a, d);
}

static bool has(const struct candidate *c, const char *kernel, bool exact)
{
	for (uint32_t k = 0; k < c->nkernel; k++)
		if (exact ? strcmp(c->kernel[k], kernel) == 0 : kernel_is_named(c->kernel[k], kernel))
			return true;
	return false;
}

/* A GPU of architecture SM compiles this PTX: it is not newer; with 'a' it is the same; with 'f' of one family. It runs
 * machine code of its own major version that is not newer. */
bool fatbin_runs_on(const struct fatbin_entry *e, const char *sm)
{
	char *end;
	unsigned long n;

	if (!sm)
		return true;
	n = strtoul(sm, &end, 10);
	if (e->suffix == 'a')
		return n == e->arch && *end == 'a';
	return e->arch <= n && ((e->suffix != 'f' && e->kind == FATBIN_PTX) || n / 10 == e->arch / 10);
}

/* PTX; the newer of two; of the same architecture the one without a suffix, since it says less about the GPU. */
static bool better(const struct fatbin_entry *x, const struct fatbin_entry *y)
{
	if (x->kind != y->kind)
		return x->kind == FATBIN_PTX;
	return x->arch != y->arch ? x->arch > y->arch : !x->suffix && y->suffix;
}

static char *join(char *list, const char *text, struct arena *a)
{
	return arena_printf(a, "%s%s%s", list, *list ? ", " : "", text);
}

/* Is e of this kind, and of this container unless that is 0? */
static bool among(const struct fatbin_entry *e, enum fatbin_kind kind, uint32_t container)
{
	return e->kind == kind && (!container || e->container == container);
}

/* Is one of them before number i and of its architecture? */
static bool arch_seen(const struct fatbin *f, uint32_t i, uint32_t container)
{
	for (uint32_t j = 0; j < i; j++)
		if (among(&f->entry[j], f->entry[i].kind, container) && f->entry[j].arch == f->entry[i].arch &&
		    f->entry[j].suffix == f->entry[i].suffix)
			return true;
	return false;
}

static char *archs(const struct fatbin *f, enum fatbin_kind kind, uint32_t container, struct arena *a)
{
	char *list = arena_strndup(a, "", 0);
	unsigned n = 0;

	for (uint32_t i = 0; i < f->n && n <= NAMES_SHOWN; i++) {
		const struct fatbin_entry *e = &f->entry[i];

		if (!among(e, kind, container) || arch_seen(f, i, container))
			continue;
		list = join(list, n < NAMES_SHOWN ? fatbin_arch_name(e, a) : "...", a);
		n++;
	}
	return list;
}

const char *fatbin_also(const struct fatbin *f, enum fatbin_kind chosen, const struct fatbin_choice *c, struct arena *a)
{
	enum fatbin_kind other = chosen == FATBIN_PTX ? FATBIN_CUBIN : FATBIN_PTX;
	const char *there = archs(f, other, 0, a);

	if (c->module || c->code != FATBIN_CODE_ANY || !*there)
		return NULL;
	if (other == FATBIN_PTX)
		return arena_printf(a, "PTX for %s (--code=ptx)", there);
	return arena_printf(a, "machine code for %s (--code=sass%s)", there,
			    strchr(there, ',') ? ", --sm=ARCH for one of them" : "");
}

static char *kernels_of(const struct candidate *c, uint32_t n, struct arena *a)
{
	char *list = arena_strndup(a, "", 0);
	unsigned shown = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < c[i].nkernel; k++, shown++)
			if (shown < NAMES_SHOWN)
				list = join(list, kernel_name(c[i].kernel[k], a), a);
	if (shown > NAMES_SHOWN)
		return arena_printf(a, "%s, ...", list);
	return *list ? list : "none";
}

static bool no_code(const struct fatbin *f, const struct fatbin_choice *c, struct arena *a, struct diag *d)
{
	char *ptx = archs(f, FATBIN_PTX, 0, a), *sass = archs(f, FATBIN_CUBIN, 0, a);
	bool want_ptx = c->code == FATBIN_CODE_PTX, want_sass = c->code == FATBIN_CODE_SASS;
	const char *only = want_ptx ? ptx : sass;

	if ((want_ptx || want_sass) && *only)
		return diag_error_plain(d, f->name, "has no %s for sm_%s; it has %s for %s",
					want_ptx ? "PTX" : "machine code (SASS)", c->sm, want_ptx ? "PTX" : "it", only);
	if (want_ptx && *sass)
		return diag_error_plain(
			d, f->name, "has machine code (SASS) for %s and no PTX; compile it with code=compute_XX", sass);
	if (want_sass && *ptx)
		return diag_error_plain(d, f->name,
					"has PTX for %s and no machine code (SASS); compile it with code=sm_XX", ptx);
	if (*ptx || *sass)
		return diag_error_plain(d, f->name, "has no code for sm_%s; it has %s%s%s%s%s", c->sm,
					*ptx ? "PTX for " : "", ptx, *ptx && *sass ? " and " : "",
					*sass ? "machine code (SASS) for " : "", sass);
	return diag_error_plain(d, f->name, "has neither PTX nor machine code (SASS); --list shows what it has");
}

/* Whether an entry is of the kind that is asked for. */
static bool wanted(const struct fatbin_entry *e, enum fatbin_code code)
{
	return (e->kind == FATBIN_PTX && code != FATBIN_CODE_SASS) ||
	       (e->kind == FATBIN_CUBIN && code != FATBIN_CODE_PTX);
}

static bool choose_module(struct source *out, enum fatbin_kind *kind, const struct fatbin *f,
			  const struct fatbin_choice *c, struct arena *a, struct diag *d)
{
	static const char *const is[] = {
		[FATBIN_PTX] = "PTX",
		[FATBIN_CUBIN] = "machine code (SASS)",
		[FATBIN_LTO] = "NVVM code for link-time optimisation",
		[FATBIN_OTHER] = "of an unknown kind",
	};
	static const char *const asked[] = { [FATBIN_CODE_ANY] = "neither PTX nor machine code",
					     [FATBIN_CODE_PTX] = "no PTX",
					     [FATBIN_CODE_SASS] = "no machine code (SASS)" };
	const struct fatbin_entry *e;

	if (c->module > f->n)
		return diag_error_plain(d, f->name, "has no module %u; it has %u, see --list", c->module, f->n);
	e = &f->entry[c->module - 1];
	if (!wanted(e, c->code))
		return diag_error_plain(d, f->name, "module %u is %s but %s for %s", c->module, asked[c->code],
					is[e->kind], fatbin_arch_name(e, a));
	*kind = e->kind;
	return fatbin_unpack(out, f, e, a, d);
}

/* c->sole: the machine code that was chosen has no other beside it. */
static bool is_sole(const struct fatbin *f, const struct fatbin_entry *e, const struct fatbin_choice *c,
		    struct arena *a, struct diag *d)
{
	const char *there = e->kind == FATBIN_CUBIN && !c->sm ? archs(f, FATBIN_CUBIN, e->container, a) : "";

	return !c->sole || !strchr(there, ',') ||
	       diag_error_plain(d, f->name, "has machine code for %s; choose one with --sm", there);
}

bool fatbin_choose(struct source *out, enum fatbin_kind *kind, const struct fatbin *f, const struct fatbin_choice *c,
		   struct arena *a, struct diag *d)
{
	struct candidate *best, *with;
	uint32_t n = 0, nwith = 0;
	char *list;

	if (c->module)
		return choose_module(out, kind, f, c, a, d);
	best = new_array(a, struct candidate, f->containers + 1);
	with = new_array(a, struct candidate, f->containers + 1);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct fatbin_entry *e = &f->entry[i];
		bool same = n && best[n - 1].e->container == e->container;

		if (!wanted(e, c->code) || !fatbin_runs_on(e, c->sm) || (same && !better(e, best[n - 1].e)))
			continue;
		best[same ? n - 1 : n++].e = e;
	}
	if (!n)
		return no_code(f, c, a, d);
	for (uint32_t i = 0; i < n; i++)
		if (!read_candidate(&best[i], f, best[i].e, a, d))
			return false;
	for (int exact = 1; exact >= 0 && !nwith; exact--)
		for (uint32_t i = 0; i < n; i++)
			if (c->kernel ? has(&best[i], c->kernel, exact) : best[i].nkernel > 0)
				with[nwith++] = best[i];
	if (nwith == 1 || (n == 1 && !nwith)) {
		with[0] = nwith ? with[0] : best[0]; /* without the kernel: the reader names those there are */
		*out = with[0].code;
		*kind = with[0].e->kind;
		return is_sole(f, with[0].e, c, a, d);
	}
	if (!nwith)
		return c->kernel ? diag_error_plain(d, f->name, "has no kernel %s; it has %s", c->kernel,
						    kernels_of(best, n, a))
				 : diag_error_plain(d, f->name, "has no kernel in any module");
	list = arena_strndup(a, "", 0);
	for (uint32_t i = 0; i < nwith && i < NAMES_SHOWN; i++)
		list = join(list, arena_printf(a, "%u (%s)", with[i].e->number, kernels_of(&with[i], 1, a)), a);
	return diag_error_plain(d, f->name, "has %s%s in %u modules: %s%s; choose one with %s--module",
				c->kernel ? "kernel " : "kernels", c->kernel ? c->kernel : "", nwith, list,
				nwith > NAMES_SHOWN ? ", ..." : "", c->kernel ? "" : "--kernel or ");
}

/* The module level: directives, functions that are only declared, and ptx_parse(). Errors are collected; after one the
 * parser goes on at the next statement. */
#include "ptx.h"
#include "parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- tokens ---- */
void parse_advance(struct parser *p) { lex_next(&p->lx, &p->t); }

bool parse_accept(struct parser *p, int kind)
{
	if (p->t.kind != kind)
		return false;
	parse_advance(p);
	return true;
}

bool parse_expect(struct parser *p, int kind, const char *what)
{
	return parse_accept(p, kind) ? true : parse_error(p, p->t.off, "expected %s", what);
}

bool token_is(const struct parser *p, const char *text)
{
	size_t n = strlen(text);

	return p->t.len == n && memcmp(token_text(p), text, n) == 0;
}

/* Skips to the end of a statement. Braces that open inside it are skipped whole; at module level such a block ends
 * it. */
void parse_skip_statement(struct parser *p)
{
	uint32_t open = p->open;

	p->open = 0;
	for (; p->t.kind != T_END; parse_advance(p)) {
		if (p->t.kind == T_IDENT && p->t.first && p->depth && !open && lex_ahead(&p->lx).kind == ':')
			return; /* a label: the ';' before it was forgotten */
		if (p->t.kind == '{') {
			open++;
		} else if (p->t.kind == '}') {
			if (!open && p->depth)
				return;
			open -= open != 0;
			if (!open && !p->depth) {
				parse_advance(p);
				parse_accept(p, ';');
				return;
			}
		} else if (p->t.kind == ';' && !(open && !p->depth)) {
			parse_advance(p);
			return;
		}
	}
}

void parse_skip_block(struct parser *p)
{
	uint32_t open = 0, at = p->t.off;

	for (; p->t.kind != T_END; parse_advance(p)) {
		if (p->t.kind == '{') {
			open++;
		} else if (p->t.kind == '}' && !--open) {
			parse_advance(p);
			return;
		}
	}
	parse_error(p, at, "this brace is not closed");
}

bool parse_u32(struct parser *p, uint32_t *v, const char *what)
{
	struct konst k;

	if (!expr_parse_int(p, &k))
		return false;
	if (k.i > UINT32_MAX)
		return parse_error(p, k.off, "%s is out of range", what);
	*v = (uint32_t)k.i;
	return true;
}

static bool parse_string(struct parser *p, const char **text)
{
	if (p->t.kind != T_STRING)
		return parse_error(p, p->t.off, "expected a string");
	*text = p->t.len >= 2 ? arena_strndup(p->m->a, token_text(p) + 1, p->t.len - 2) : "";
	parse_advance(p);
	return true;
}

/* ---- directives ---- */
enum { PTX_MAJOR_MAX = 9 };
static bool version(struct parser *p)
{
	uint32_t major = 0, minor = 0;
	const char *s = token_text(p), *end = s + p->t.len;

	if (p->t.kind != T_FLOAT)
		return parse_error(p, p->t.off, "expected a version like 8.0");
	for (; s < end && *s >= '0' && *s <= '9' && major < 1000; s++)
		major = major * 10 + (uint32_t)(*s - '0');
	if (s < end && *s == '.')
		for (s++; s < end && *s >= '0' && *s <= '9' && minor < 10; s++)
			minor = minor * 10 + (uint32_t)(*s - '0');
	if (s < end || !major || minor > 9)
		return parse_error(p, p->t.off, "expected a version like 8.0");
	if (major > PTX_MAJOR_MAX)
		return parse_error(p, p->t.off, "PTX %u.%u is newer than what is known, %d.x", major, minor,
				   PTX_MAJOR_MAX);
	parse_advance(p);
	p->m->ptx_version = major * 10 + minor;
	p->have_version = true;
	return true;
}

static bool target(struct parser *p)
{
	do {
		char *to = p->m->target;
		const char *s = token_text(p);
		unsigned sm = 0;

		if (p->t.kind != T_IDENT)
			return parse_error(p, p->t.off, "expected a target like sm_80");
		if (p->t.len > 3 && memcmp(s, "sm_", 3) == 0) {
			uint32_t i = 3;

			for (; i < p->t.len && s[i] >= '0' && s[i] <= '9' && sm < 1000; i++)
				sm = sm * 10 + (unsigned)(s[i] - '0');
			if (i + 1 < p->t.len || p->t.len >= sizeof p->m->target ||
			    !isa_target_version(s + 3, p->t.len - 3))
				return parse_error(p, p->t.off, "unknown target '%.*s'", (int)p->t.len, s);
			p->m->sm = sm;
			memset(to, 0, sizeof p->m->target);
			memcpy(to, s, p->t.len);
			p->have_target = true;
			/* files of the sm_20 age are taken as they are */
			if (p->m->ptx_version && sm >= 30 &&
			    isa_target_version(s + 3, p->t.len - 3) > p->m->ptx_version)
				parse_error(p, p->t.off, "'%s' needs PTX ISA %u.%u; this module says .version %u.%u",
					    to, isa_target_version(to + 3, strlen(to + 3)) / 10,
					    isa_target_version(to + 3, strlen(to + 3)) % 10, p->m->ptx_version / 10,
					    p->m->ptx_version % 10);
		} else if (token_is(p, "map_f64_to_f32")) {
			p->map_f64 = true;
		} else if (!token_is(p, "debug") && !token_is(p, "texmode_unified") &&
			   !token_is(p, "texmode_independent")) {
			return parse_error(p, p->t.off, "unknown target '%.*s'", (int)(p->t.len > 100 ? 100 : p->t.len),
					   s);
		}
		parse_advance(p);
	} while (parse_accept(p, ','));
	return p->have_target ? true : parse_error(p, p->t.off, "no sm_ target is named");
}

static bool address_size(struct parser *p)
{
	uint32_t at = p->t.off, bits;

	if (!parse_u32(p, &bits, "an address size"))
		return false;
	if (bits != 32 && bits != 64)
		return parse_error(p, at, "the address size is 32 or 64");
	if (p->m->nkernel || p->m->nsym)
		return parse_error(p, at, "the address size comes before all variables and kernels");
	p->m->address_bits = bits;
	return true;
}

/* .file N "name" [, timestamp, size]; the numbers are looked up when the module is whole, since uses may come first. */
static bool file(struct parser *p)
{
	struct file_number f;
	struct token t;
	const char *name = "";
	uint32_t id, ignore;

	if (!parse_u32(p, &f.number, "a file number"))
		return false;
	t = p->t;
	if (!parse_string(p, &name))
		return false;
	t.off++;
	t.len -= t.len >= 2 ? 2 : t.len;
	id = scope_id(p, &t);
	if (id >= p->file_of_name_cap) {
		uint32_t *wider = new_array(&p->a, uint32_t, p->name_cap);

		if (p->file_of_name_cap)
			memcpy(wider, p->file_of_name, p->file_of_name_cap * sizeof *wider);
		p->file_of_name = wider;
		p->file_of_name_cap = p->name_cap;
	}
	if (!p->file_of_name[id]) {
		arena_grow(p->m->a, p->m->file, p->m->nfile, p->m->file_cap);
		p->m->file[p->m->nfile++] = name;
		p->file_of_name[id] = p->m->nfile;
	}
	f.file = p->file_of_name[id] - 1;
	while (parse_accept(p, ','))
		if (!parse_u32(p, &ignore, "a file stamp"))
			return false;
	arena_grow(&p->a, p->file, p->nfile, p->file_cap);
	p->file[p->nfile++] = f;
	return true;
}

/* .loc file line column [, function_name NAME [+ n], inlined_at file line column]. The inlined place is the one
 * kept. */
static bool loc(struct parser *p)
{
	uint32_t v[3], call[3];
	struct konst k;

	for (unsigned i = 0; i < 3; i++)
		if (!parse_u32(p, &v[i], "a number of .loc"))
			return false;
	while (parse_accept(p, ',')) {
		if (token_is(p, "function_name")) {
			parse_advance(p);
			if (!parse_expect(p, T_IDENT, "a label"))
				return false;
			if (parse_accept(p, '+') && !expr_parse_int(p, &k))
				return false;
		} else if (token_is(p, "inlined_at")) {
			parse_advance(p);
			for (unsigned i = 0; i < 3; i++)
				if (!parse_u32(p, &call[i], "a number of .loc"))
					return false;
		} else {
			return parse_error(p, p->t.off, "expected function_name or inlined_at");
		}
	}
	p->line = module_line(p->m, v[0], v[1], v[2]);
	return true;
}

static bool section(struct parser *p)
{
	if (p->t.kind != T_DOT && p->t.kind != T_IDENT)
		return parse_error(p, p->t.off, "expected the name of a section");
	parse_advance(p);
	if (p->t.kind != '{')
		return parse_error(p, p->t.off, "expected '{'");
	parse_skip_block(p);
	return true;
}

static bool pragma(struct parser *p)
{
	const char *text;

	do {
		if (!parse_string(p, &text))
			return false;
	} while (parse_accept(p, ','));
	return parse_expect(p, ';', "';' after .pragma");
}

void module_directive(struct parser *p, bool *known)
{
	static const struct {
		const char *name;
		bool (*parse)(struct parser *);
	} row[] = {
		{ ".file", file },
		{ ".loc", loc },
		{ ".section", section },
		{ ".pragma", pragma },
	};

	*known = true;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (token_is(p, row[i].name)) {
			bool ok;

			parse_advance(p);
			ok = row[i].parse(p);
			if (!ok && row[i].parse == pragma)
				parse_skip_statement(p);
			while (!ok && row[i].parse != pragma && p->t.kind != T_END && !p->t.first)
				parse_advance(p); /* these end with their line */
			return;
		}
	*known = false;
}

/* .tex .u32 name: a texture, as PTX before 1.5 declared it. */
static bool old_texture(struct parser *p, struct linkage l)
{
	enum scalar_type type;
	uint32_t align;
	unsigned vec;

	parse_advance(p);
	return data_type(p, &type, &vec, &align) && texture_declare(p, l, REFERENCE_TEXTURE);
}

static bool unsupported(struct parser *p)
{
	return parse_error(p, p->t.off, "unknown directive '%.*s'%s", (int)(p->t.len > 100 ? 100 : p->t.len),
			   token_text(p), suggest_directive(p));
}

/* The flag of the linkage that p's token names; NULL: it names none. */
static bool *linkage_named(const struct parser *p, struct linkage *l)
{
	if (token_is(p, ".visible"))
		return &l->visible;
	if (token_is(p, ".extern"))
		return &l->external;
	if (token_is(p, ".weak"))
		return &l->weak;
	return token_is(p, ".common") ? &l->common : NULL;
}

static bool module_statement(struct parser *p)
{
	struct linkage l = { 0 };
	bool known, any = false;
	uint32_t at = p->t.off;

	if (p->t.kind == '@' && p->lx.at < p->src->len && p->src->text[p->lx.at] == '@') {
		lex_skip_line(&p->lx); /* @@DWARF lines of the first PTX versions */
		parse_advance(p);
		return true;
	}
	if (p->t.kind != T_DOT && !p->have_version) {
		p->have_version = true;
		p->lx.at = (uint32_t)p->src->len;
		return parse_error(p, p->t.off, "there is no .version: this is not PTX");
	}
	if (p->t.kind != T_DOT)
		return parse_error(p, p->t.off, "expected a directive");
	if (token_is(p, ".version")) {
		parse_advance(p);
		return version(p);
	}
	if (!p->have_version) {
		p->have_version = true; /* said once */
		parse_error(p, at, "a module starts with .version");
	}
	module_directive(p, &known);
	if (known)
		return true;
	if (token_is(p, ".target") || token_is(p, ".address_size")) {
		bool is_target = token_is(p, ".target");

		parse_advance(p);
		return is_target ? target(p) : address_size(p);
	}
	if (!p->have_target) {
		p->have_target = true;
		parse_error(p, at, "a .target comes before variables and kernels");
	}
	for (;; any = true) {
		bool *flag = linkage_named(p, &l);

		if (!flag)
			break;
		if (*flag)
			return parse_error(p, p->t.off, "this is given twice");
		*flag = true;
		parse_advance(p);
	}
	if (l.external + l.visible + l.weak + l.common > 1)
		return parse_error(p, at, "a name has one linkage");
	if (token_is(p, ".entry"))
		return entry_parse(p, l);
	if (token_is(p, ".func"))
		return func_parse(p, l);
	if (token_is(p, ".alias") && !any)
		return func_alias(p);
	if (token_is(p, ".global") || token_is(p, ".const") || token_is(p, ".shared") || token_is(p, ".local"))
		return data_parse(p, l) || scope_give_up(p);
	if (token_is(p, ".tex"))
		return old_texture(p, l) || scope_give_up(p);
	if (token_is(p, ".reg") && !any)
		return entry_parse_reg(p) || scope_give_up(p);
	return unsupported(p);
}

/* ---- the end of the module ---- */
static int by_number(const void *a, const void *b)
{
	const struct file_number *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void name_files(struct parser *p)
{
	if (p->nfile)
		qsort(p->file, p->nfile, sizeof *p->file, by_number);
	for (uint32_t i = 1; i < p->m->nline; i++) {
		struct file_number want = { p->m->line[i].file, 0 }, *f = NULL;

		if (p->nfile)
			f = bsearch(&want, p->file, p->nfile, sizeof *p->file, by_number);
		p->m->line[i].file = f ? f->file : UINT32_MAX;
	}
	for (uint32_t i = 1, unknown = UINT32_MAX; i < p->m->nline; i++) {
		if (p->m->line[i].file != UINT32_MAX)
			continue;
		if (unknown == UINT32_MAX)
			unknown = module_file(p->m, "<unknown file>");
		p->m->line[i].file = unknown;
	}
}

static void check_externals(struct parser *p)
{
	for (uint32_t s = 0; s < p->m->nsym; s++)
		if (p->m->sym[s].external && p->m->sym[s].space != SP_SHARED && p->sym_used[s])
			parse_error(p, p->sym_off[s], "'%s' is used but this module does not define it",
				    p->m->sym[s].name);
}

static void parse_all(struct parser *p)
{
	while (p->t.kind != T_END && !diag_full(p->d)) {
		uint32_t at = p->t.off;

		p->open = 0;
		if (!module_statement(p)) {
			if (p->t.off == at)
				parse_advance(p);
			/* The next directive that starts a line is a good place to go on from. */
			while (p->t.kind != T_END && !(p->t.kind == T_DOT && p->t.first)) {
				if (p->open || p->t.kind == ';' || p->t.kind == '{' || p->t.kind == '}') {
					parse_skip_statement(p);
					break;
				}
				parse_advance(p);
			}
		}
	}
	if (!p->have_version && !diag_full(p->d))
		parse_error(p, p->t.off, "there is no .version: this is not PTX");
}

struct module *ptx_parse(const struct source *src, struct arena *a, struct diag *d)
{
	return ptx_parse_kernel(src, NULL, NULL, a, d);
}

struct module *ptx_parse_kernel(const struct source *src, const char *kernel, kernel_named *named, struct arena *a,
				struct diag *d)
{
	struct parser *p;
	struct arena own;
	struct module *m;
	unsigned before = d->errors;

	if (src->len > (1u << 30)) {
		diag_error_plain(d, src->name, "is larger than 1 GiB");
		return NULL;
	}
	if (diag_full(d))
		return NULL;
	arena_init(&own);
	p = new(&own, struct parser);
	p->src = src;
	p->d = d;
	p->only = kernel;
	p->named = named;
	p->m = m = module_new(a);
	m->src = src;
	m->src_name = m->path = src->name;
	lex_init(&p->lx, src, d);
	parse_advance(p);
	parse_all(p);
	if (!diag_full(d))
		func_report_broken(p);
	for (uint32_t f = 0; f < m->nfunc && f < p->nelsewhere; f++)
		m->func[f]->address_taken |= p->elsewhere[f];
	if (d->errors == before) {
		name_files(p);
		check_externals(p);
	}
	for (uint32_t f = 0; d->errors == before && f < m->nfunc; f++)
		if (m->func[f]->nblock && !m->func[f]->broken) {
			ir_join_blocks(m->func[f]);
			ir_verify(m->func[f], d);
		}
	if (d->errors == before && ir_layout(m, d))
		for (uint32_t k = 0; k < m->nkernel; k++) {
			ir_join_blocks(m->kernel[k]);
			ir_verify(m->kernel[k], d);
		}
	arena_free(&p->a);
	arena_free(&own);
	return d->errors == before ? m : NULL;
}

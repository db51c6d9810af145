/* Reading what is the module's: names of opcodes, files and lines, variables with their initialisers, kernel names. */
#include "analyzer/elf/format.h"

#include <elf.h>

static bool head(struct reader *r)
{
	struct module *m = r->m;
	struct rlo_module x;
	struct table t;
	const char *target;

	if (!rlo_open(r, RLO_R_module, "", false, &t))
		return false;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, module, &x);
	if (x.ptx_version < 10 || x.ptx_version > 999)
		return rlo_bad(r, &t, 0, "PTX version %u is out of range", x.ptx_version);
	if (x.sm > 9999)
		return rlo_bad(r, &t, 0, "sm_%u is out of range", x.sm);
	if (x.address_bits != 32 && x.address_bits != 64)
		return rlo_bad(r, &t, 0, "addresses of %u bits", x.address_bits);
	if (!rlo_string(r, &r->strings, x.target, true, &target) || strlen(target) >= sizeof m->target)
		return rlo_bad(r, &t, 0, "has no target");
	if (!rlo_string(r, &r->strings, x.source, false, &m->src_name))
		return rlo_bad(r, &t, 0, "has no name of the PTX file");
	if (!m->src_name)
		m->src_name = "";
	m->ptx_version = x.ptx_version;
	m->sm = x.sm;
	m->address_bits = x.address_bits;
	memcpy(m->target, target, strlen(target));
	return true;
}

/* A table of names that this program must know, by the numbers that the object gives them. */
static bool names(struct reader *r, enum rlo_record t, const char *what, uint32_t **id, uint32_t *n)
{
	struct table tab;

	if (!rlo_open(r, t, "", true, &tab))
		return false;
	*id = new_array(r->a, uint32_t, tab.n + 1);
	*n = tab.n;
	for (uint32_t i = 0; i < tab.n; i++) {
		struct rlo_opcode x;
		const char *s;
		size_t len;
		bool known;

		RLO_GET(&tab, i, opcode, &x);
		if (!rlo_string(r, &r->strings, x.str, true, &s))
			return rlo_bad(r, &tab, i, "is not a name");
		len = strlen(s);
		if (t == RLO_R_opcode) {
			(*id)[i] = op_find(s, len);
			known = (*id)[i] < OP_COUNT;
		} else if (t == RLO_R_sreg) {
			(*id)[i] = sreg_find(s, len);
			known = (*id)[i] < SREG_COUNT;
		} else {
			(*id)[i] = type_find(s, len);
			known = (*id)[i] < TY_COUNT;
		}
		if (!known)
			return rlo_bad(r, &tab, i, "this program does not know the %s \"%s\"", what, s);
	}
	return true;
}

static bool lines(struct reader *r)
{
	struct module *m = r->m;
	struct table f, l;

	if (!rlo_open(r, RLO_R_file, "", true, &f) || !rlo_open(r, RLO_R_line, "", false, &l))
		return false;
	m->file = new_array(r->a, const char *, f.n + 1);
	m->nfile = m->file_cap = f.n;
	for (uint32_t i = 0; i < f.n; i++) {
		struct rlo_file x;

		RLO_GET(&f, i, file, &x);
		if (!rlo_string(r, &r->strings, x.str, false, &m->file[i]))
			return rlo_bad(r, &f, i, "is not a file name");
		if (!m->file[i])
			m->file[i] = "";
	}
	if (!l.n)
		return rlo_bad(r, &l, 0, "lacks the entry for no line");
	m->line = new_array(r->a, struct srcline, l.n);
	m->nline = m->line_cap = l.n;
	for (uint32_t i = 0; i < l.n; i++) {
		struct rlo_line x;

		RLO_GET(&l, i, line, &x);
		if (i ? x.file >= f.n : x.file || x.line || x.col)
			return rlo_bad(r, &l, i, "file %u of %u", x.file, f.n);
		m->line[i] = (struct srcline){ x.file, x.line, x.col };
	}
	return true;
}

/* The ELF symbol of a variable or kernel, with its name. */
static bool symbol(struct reader *r, const struct table *t, uint32_t record, uint32_t index, unsigned type,
		   struct rlo_sym *out, const char **name)
{
	if (!index || index >= r->symbols.n)
		return rlo_bad(r, t, record, "there is no symbol %u", index);
	RLO_GET(&r->symbols, index, sym, out);
	if (ELF64_ST_TYPE(out->info) != type)
		return rlo_bad(r, t, record, "symbol %u has a wrong type", index);
	if (!rlo_string(r, &r->symnames, out->name, true, name))
		return rlo_bad(r, t, record, "symbol %u has no name", index);
	if (out->shndx ? out->shndx >= r->nsec : type != STT_OBJECT)
		return rlo_bad(r, t, record, "symbol %s is in no section", *name);
	return true;
}

static bool variable(struct reader *r, const struct table *t, uint32_t i, struct symbol *v)
{
	static const char *const home[SP_COUNT] = {
		[SP_SHARED] = ".shared", [SP_LOCAL] = ".local", [SP_CONST] = ".const"
	};
	struct rlo_var x;
	struct rlo_sym s;
	const struct rlo_section *in;
	const char *want;

	RLO_GET(t, i, var, &x);
	if (!symbol(r, t, i, x.symbol, STT_OBJECT, &s, &v->name))
		return false;
	if (x.space != SP_GLOBAL && x.space != SP_CONST && x.space != SP_SHARED && x.space != SP_LOCAL)
		return rlo_bad(r, t, i, "%s is in no state space of variables", v->name);
	if (x.flags & ~(unsigned)(RLO_VAR_EXTERNAL | RLO_VAR_VISIBLE | RLO_VAR_INIT) || x.zero)
		return rlo_bad(r, t, i, "%s has unknown flags", v->name);
	if (!rlo_power_of_two(x.align) || x.align > 1 << 30)
		return rlo_bad(r, t, i, "%s has alignment %u", v->name, x.align);
	if (x.kernel != RLO_NONE && x.kernel >= r->m->nkernel)
		return rlo_bad(r, t, i, "%s belongs to no kernel", v->name);
	if (x.size > (uint64_t)1 << 40 || x.offset > RLO_SPACE_BYTES ||
	    (x.space != SP_GLOBAL && x.size > RLO_SPACE_BYTES - x.offset))
		return rlo_bad(r, t, i, "%s of %llu bytes does not fit its space", v->name, (unsigned long long)x.size);
	if (s.size != x.size)
		return rlo_bad(r, t, i, "%s has %llu bytes, its symbol says %llu", v->name, (unsigned long long)x.size,
			       (unsigned long long)s.size);
	*v = (struct symbol){
		.name = v->name,
		.space = x.space,
		.external = x.flags & RLO_VAR_EXTERNAL,
		.visible = x.flags & RLO_VAR_VISIBLE,
		.align = x.align,
		.size = x.size,
		.kernel = x.kernel,
		.offset = x.offset,
	};
	if (v->external)
		return !s.shndx && !(x.flags & RLO_VAR_INIT)
			       ? true
			       : rlo_bad(r, t, i, "%s is external and has storage", v->name);
	in = &r->sec[s.shndx];
	want = home[x.space];
	if (x.space == SP_GLOBAL)
		want = x.flags & RLO_VAR_INIT ? ".data" : ".bss";
	if (!s.shndx || strcmp(in->name, want) != 0)
		return rlo_bad(r, t, i, "%s is not in %s", v->name, want);
	if (s.value > in->size || x.size > in->size - s.value)
		return rlo_bad(r, t, i, "%s is outside %s", v->name, want);
	if (x.space != SP_GLOBAL && s.value != x.offset)
		return rlo_bad(r, t, i, "%s is at %llu, its symbol says %llu", v->name, (unsigned long long)x.offset,
			       (unsigned long long)s.value);
	if (x.flags & RLO_VAR_INIT) {
		if ((x.space != SP_GLOBAL && x.space != SP_CONST) || in->type != SHT_PROGBITS)
			return rlo_bad(r, t, i, "%s cannot have initial bytes", v->name);
		v->init = in->p + s.value;
	}
	if (x.space == SP_CONST && x.offset + x.size > r->const_bytes)
		r->const_bytes = x.offset + x.size;
	return true;
}

static bool relocations(struct reader *r)
{
	struct module *m = r->m;
	uint32_t last = 0;
	struct table t;

	if (!rlo_open(r, RLO_R_reloc, "", true, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_reloc x;
		struct symbol *v;

		RLO_GET(&t, i, reloc, &x);
		if (x.var >= m->nsym || x.target >= m->nsym || x.var < last)
			return rlo_bad(r, &t, i, "names variables %u and %u of %u", x.var, x.target, m->nsym);
		last = x.var;
		v = &m->sym[x.var];
		if ((x.bytes != 4 && x.bytes != 8) || x.generic > 1 || x.zero || x.zero2)
			return rlo_bad(r, &t, i, "has a wrong width or kind");
		if (!v->init || x.offset > v->size || x.bytes > v->size - x.offset)
			return rlo_bad(r, &t, i, "is outside the initial bytes of %s", v->name);
		if (m->sym[x.target].space == SP_LOCAL || m->sym[x.target].kernel != RLO_NONE)
			return rlo_bad(r, &t, i, "%s has no address outside its kernel", m->sym[x.target].name);
		arena_grow(r->a, v->reloc, v->nreloc, v->relocap);
		v->reloc[v->nreloc++] = (struct symreloc){ x.offset, x.target, x.addend, x.bytes, x.generic };
	}
	return true;
}

static bool variables(struct reader *r)
{
	struct module *m = r->m;
	struct table t;

	if (!rlo_open(r, RLO_R_var, "", true, &t))
		return false;
	m->sym = new_array(r->a, struct symbol, t.n + 1);
	m->nsym = m->sym_cap = t.n;
	for (uint32_t i = 0; i < t.n; i++)
		if (!variable(r, &t, i, &m->sym[i]))
			return false;
	return relocations(r);
}

static bool entries(struct reader *r)
{
	struct table t;

	if (!rlo_open(r, RLO_R_entry, "", false, &t))
		return false;
	if (!t.n || t.n > RLO_KERNELS_MAX)
		return rlo_bad(r, &t, 0, "%u kernels", t.n);
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_entry x;
		struct rlo_sym s;
		const char *name;
		const struct rlo_section *text;

		RLO_GET(&t, i, entry, &x);
		if (!symbol(r, &t, i, x.symbol, STT_FUNC, &s, &name))
			return false;
		text = &r->sec[s.shndx];
		if (strncmp(text->name, ".text.", 6) != 0 || strcmp(text->name + 6, name) != 0 || s.value ||
		    s.size != text->size)
			return rlo_bad(r, &t, i, "symbol %s does not cover .text.%s", name, name);
		if (intern_id(&r->m->names, name, strlen(name)) != i)
			return rlo_bad(r, &t, i, "there are two kernels %s", name);
		kernel_new(r->m, name);
	}
	return true;
}

bool rlo_read_module(struct reader *r)
{
	return head(r) && names(r, RLO_R_opcode, "opcode", &r->op, &r->nop) &&
	       names(r, RLO_R_sreg, "special register", &r->sreg, &r->nsreg) &&
	       names(r, RLO_R_type, "type", &r->type, &r->ntype) && lines(r) && entries(r) && variables(r);
}

/* Variables: .global, .const, .shared, .local with types, alignment, dimensions and initialisers. */
#include "parse.h"

#include <string.h>

enum { DIM_MAX = 16 };

struct decl {
	enum space space;
	enum scalar_type type;
	unsigned vec;
	uint32_t align;
	struct linkage l;
};

struct array {
	uint64_t n[DIM_MAX]; /* 0 only for a first dimension left open */
	unsigned ndim;
	uint64_t elements;
};

bool data_type(struct parser *p, enum scalar_type *type, unsigned *vec, uint32_t *align)
{
	uint32_t at;

	*vec = 1;
	*align = 0;
	*type = TY_COUNT;
	for (; p->t.kind == T_DOT;) {
		if (token_is(p, ".align")) {
			parse_advance(p);
			at = p->t.off;
			if (!parse_u32(p, align, "an alignment"))
				return false;
			if (!*align || *align & (*align - 1) || *align > 1 << 20)
				return parse_error(p, at, "an alignment is a power of two up to 1048576");
			continue;
		}
		if (token_is(p, ".v2") || token_is(p, ".v4")) {
			*vec = (unsigned)(token_text(p)[2] - '0');
		} else if (token_is(p, ".attribute")) {
			parse_advance(p);
			if (!parse_expect(p, '(', "'('"))
				return false;
			if (!token_is(p, ".managed"))
				return parse_error(p, p->t.off, "the attribute '%.*s' is not supported",
						   (int)(p->t.len > 100 ? 100 : p->t.len), token_text(p));
			parse_advance(p);
			if (!parse_expect(p, ')', "')'"))
				return false;
			continue;
		} else if (*type == TY_COUNT) {
			*type = type_find(token_text(p) + 1, p->t.len - 1);
			if (*type == TY_COUNT)
				return parse_error(p, p->t.off, "'%.*s' is not a type that is supported here%s",
						   (int)(p->t.len > 100 ? 100 : p->t.len), token_text(p),
						   suggest_type(p));
			if (type_info[*type].kind == 'x')
				return parse_error(p, p->t.off,
						   "the type '%.*s' is one of instructions only; its registers and "
						   "variables are .b%u",
						   (int)p->t.len, token_text(p),
						   type_info[*type].bits < 8 ? 32 : type_info[*type].bits);
		} else {
			return parse_error(p, p->t.off, "expected a name");
		}
		parse_advance(p);
	}
	return *type == TY_COUNT ? parse_error(p, p->t.off, "expected a type") : true;
}

static bool dimensions(struct parser *p, struct array *a, unsigned element_bytes)
{
	*a = (struct array){ .elements = 1 };
	while (parse_accept(p, '[')) {
		struct konst k = { 0 };
		uint32_t at = p->t.off;

		if (a->ndim == DIM_MAX)
			return parse_error(p, at, "more than %d dimensions", DIM_MAX);
		if (p->t.kind == ']' && !a->ndim) {
			a->n[a->ndim++] = 0;
		} else {
			if (!expr_parse_int(p, &k))
				return false;
			if (!k.i || k.i > VAR_MAX_BYTES || k.i * a->elements > VAR_MAX_BYTES ||
			    k.i * a->elements * element_bytes > VAR_MAX_BYTES)
				return parse_error(p, at,
						   k.i ? "this array is larger than 1 GiB"
						       : "an array has at least one element");
			a->n[a->ndim++] = k.i;
			a->elements *= k.i;
		}
		if (!parse_expect(p, ']', "']'"))
			return false;
	}
	return true;
}

/* ---- initialisers ---- */
struct init {
	struct symbol *s; /* m->sym does not grow while one initialiser is read */
	const struct array *a;
	unsigned bytes; /* of an element */
	enum scalar_type type;
	uint8_t *data; /* holds `cap` bytes; grows to what is written */
	uint64_t cap, used;
};

static void store(struct parser *p, struct init *in, uint64_t element, uint64_t v)
{
	uint64_t at = element * in->bytes;

	if (at + in->bytes > in->cap) {
		uint64_t cap = in->cap ? in->cap : 64;
		uint8_t *wider;

		while (cap < at + in->bytes)
			cap *= 2;
		wider = new_array(&p->a, uint8_t, cap);
		if (in->used)
			memcpy(wider, in->data, in->used);
		in->data = wider;
		in->cap = cap;
	}
	for (unsigned i = 0; i < in->bytes; i++)
		in->data[at + i] = (uint8_t)(v >> 8 * i);
	if (in->used < at + in->bytes)
		in->used = at + in->bytes;
}

/* sym, sym + n, generic(sym), generic(sym) + n at the current token. */
static bool symbol_address(struct parser *p, struct symreloc *r, uint64_t *code)
{
	bool generic = token_is(p, "generic");
	uint32_t at = p->t.off, id;
	struct binding *b;
	struct konst k;

	if (generic && lex_ahead(&p->lx).kind == '(') {
		parse_advance(p);
		parse_advance(p);
		at = p->t.off;
	} else {
		generic = false;
	}
	if (p->t.kind != T_IDENT)
		return parse_error(p, at, "expected the name of a variable");
	id = scope_id(p, &p->t);
	b = scope_find(p, id);
	if (!b)
		return parse_error(p, at, "'%s' is not declared%s", scope_name(p, id),
				   suggest_name(p, id, 1 << B_SYM | 1 << B_FUNC));
	*code = 0;
	if (b->kind == B_FUNC)
		*code = code_address(b->value);
	else if (b->kind == B_KERNEL)
		*code = kernel_address(scope_name(p, id), strlen(scope_name(p, id)));
	else if (b->kind == B_BROKEN)
		return false;
	else if (b->kind != B_SYM)
		return parse_error(p, at, "'%s' is no variable and no function", scope_name(p, id));
	parse_advance(p);
	if (generic && !parse_expect(p, ')', "')'"))
		return false;
	if (b->kind == B_FUNC)
		p->m->func[b->value]->address_taken = true;
	if (*code)
		return true;
	*r = (struct symreloc){ .sym = b->value, .generic = generic };
	if (p->t.kind == '+' || p->t.kind == '-') {
		if (!expr_parse_int(p, &k))
			return false;
		r->addend = (int64_t)k.i;
	}
	p->sym_used[b->value] = true;
	return true;
}

static void add_reloc(struct parser *p, struct init *in, struct symreloc r, uint64_t element, unsigned bytes)
{
	struct symbol *s = in->s;

	r.offset = element * in->bytes;
	r.bytes = (uint8_t)bytes;
	arena_grow(p->m->a, s->reloc, s->nreloc, s->relocap);
	s->reloc[s->nreloc++] = r;
	store(p, in, element, 0);
}

/* 0xff00(sym): one byte of an address. A run of them, low byte first, is one relocation. */
static bool masked_address(struct parser *p, struct init *in, const struct konst *mask, uint64_t element)
{
	uint64_t code;
	struct symreloc r, *last = in->s->nreloc ? &in->s->reloc[in->s->nreloc - 1] : NULL;
	unsigned byte = 0;

	while (byte < 8 && mask->i != (uint64_t)0xff << 8 * byte)
		byte++;
	if (byte == 8 || in->bytes != 1)
		return parse_error(p, mask->off,
				   "a mask selects one byte, 0xff to 0xff00000000000000, for an element of .b8");
	parse_advance(p);
	if (!symbol_address(p, &r, &code) || !parse_expect(p, ')', "')'"))
		return false;
	if (code) {
		store(p, in, element, code >> 8 * byte & 0xff);
		return true;
	}
	if (byte == 0) {
		add_reloc(p, in, r, element, 1);
		return true;
	}
	if (!last || last->bytes != byte || last->offset + byte != element || last->sym != r.sym ||
	    last->addend != r.addend || last->generic != r.generic)
		return parse_error(p, mask->off, "the bytes of an address follow each other, the lowest first");
	last->bytes++;
	store(p, in, element, 0);
	return true;
}

static bool init_scalar(struct parser *p, struct init *in, uint64_t element)
{
	const struct type_info *t = &type_info[in->type];
	struct symreloc r;
	struct konst k;
	uint32_t at = p->t.off;
	uint64_t v;

	if (p->t.kind == T_STRING)
		return parse_error(p, at, "a string is no initialiser");
	if (p->t.kind == T_IDENT && !token_is(p, "WARP_SZ")) {
		if (!symbol_address(p, &r, &v))
			return false;
		if (t->kind == 'f' || t->bits != p->m->address_bits)
			return parse_error(p, at, "an address takes an integer of %u bits", p->m->address_bits);
		if (v)
			store(p, in, element, v);
		else
			add_reloc(p, in, r, element, in->bytes);
		return true;
	}
	if (!expr_parse(p, &k))
		return false;
	if (p->t.kind == '(' && !k.is_float)
		return masked_address(p, in, &k, element);
	if (t->kind == 'f' && t->bits >= 32 && in->type != TY_F16X2 && in->type != TY_BF16X2) {
		if (!konst_float_bits(&k, p->map_f64 ? 32 : t->bits, &v))
			return parse_error(p, k.off, "an integer initialises .%s; write 1.0 for 1", t->text);
	} else if (k.is_float) {
		return parse_error(p, k.off, "a floating-point number initialises .%s", t->text);
	} else {
		v = k.i;
	}
	store(p, in, element, v);
	return true;
}

/* { ... } for dimension `dim` of the array, whose first element is `first` and which holds `elements` elements. An open
 * first dimension takes as many as there are; *n is their number. */
static bool init_list(struct parser *p, struct init *in, unsigned dim, uint64_t first, uint64_t *n)
{
	uint64_t each = 1, max = in->a->n[dim], done = 0;

	for (unsigned i = dim + 1; i < in->a->ndim; i++)
		each *= in->a->n[i];
	if (!max)
		max = VAR_MAX_BYTES / in->bytes / each;
	if (!parse_expect(p, '{', "'{'"))
		return false;
	p->open++;
	for (; p->t.kind != '}'; done++) {
		uint64_t ignore;

		if (done == max)
			return parse_error(p, p->t.off, "more initialisers than elements");
		if (p->init_bytes + (first + (done + 1) * each) * in->bytes > INIT_MAX_BYTES)
			return parse_error(p, p->t.off, "initialised variables take more than 64 MiB");
		if (dim + 1 == in->a->ndim ? !init_scalar(p, in, first + done)
					   : !init_list(p, in, dim + 1, first + done * each, &ignore))
			return false;
		if (!parse_accept(p, ',') && p->t.kind != '}')
			return parse_error(p, p->t.off, "expected ',' or '}'");
	}
	parse_advance(p);
	p->open--;
	*n = done;
	return true;
}

static bool initialiser(struct parser *p, const struct decl *d, struct array *a, struct symbol *s)
{
	unsigned bytes = type_info[d->type].bits / 8u;
	struct init in = { .s = s, .a = a, .bytes = bytes, .type = d->type };
	uint32_t at = p->t.off;
	struct array with_vec = *a;
	uint64_t n = 1;
	uint8_t *data;

	if (d->space != SP_GLOBAL && d->space != SP_CONST)
		return parse_error(p, at, "only .global and .const variables have initial values");
	if (d->l.external)
		return parse_error(p, at, "an external variable has no initial value here");
	if (d->vec > 1) {
		if (a->ndim == DIM_MAX)
			return parse_error(p, at, "more than %d dimensions", DIM_MAX);
		with_vec.n[with_vec.ndim++] = d->vec;
		in.a = &with_vec;
	}
	if (p->init_bytes + s->size > INIT_MAX_BYTES)
		return parse_error(p, at, "initialised variables take more than 64 MiB");
	if (in.a->ndim ? !init_list(p, &in, 0, 0, &n) : !init_scalar(p, &in, 0))
		return false;
	if (a->ndim && !a->n[0]) {
		if (!n)
			return parse_error(p, at, "this array has no elements");
		a->n[0] = n;
		s->size = n * a->elements * bytes * d->vec;
	}
	p->init_bytes += s->size;
	data = new_array(p->m->a, uint8_t, s->size);
	if (in.used)
		memcpy(data, in.data, in.used);
	s->init = data;
	return true;
}

static uint32_t add_symbol(struct parser *p, const char *name, enum space space, bool external, uint32_t off)
{
	arena_grow(p->m->a, p->m->sym, p->m->nsym, p->m->sym_cap);
	if (p->m->nsym == p->sym_used_cap) {
		uint32_t cap = p->sym_used_cap, cap2 = cap;

		arena_grow(&p->a, p->sym_used, p->m->nsym, p->sym_used_cap);
		arena_grow(&p->a, p->sym_off, p->m->nsym, cap);
		arena_grow(&p->a, p->sym_elem, p->m->nsym, cap2);
	}
	p->sym_off[p->m->nsym] = off;
	p->m->sym[p->m->nsym] =
		(struct symbol){ .name = name, .space = (uint8_t)space, .external = external, .kernel = UINT32_MAX };
	return p->m->nsym++;
}

/* Whose it is. What a function declares is the module's, one for all calls of it, but for .local variables. */
static void set_owner(const struct parser *p, struct symbol *s)
{
	s->kernel = p->k && p->depth && !p->func ? p->kernel - 1 : UINT32_MAX;
	s->func = p->func && p->depth && s->space == SP_LOCAL ? p->kernel - FUNC_NUMBER : 0;
}

uint32_t data_local(struct parser *p, const char *name, uint64_t size, uint32_t align, uint32_t off)
{
	uint32_t sym = add_symbol(p, name, SP_LOCAL, false, off);
	struct symbol *s = &p->m->sym[sym];

	s->size = size;
	s->align = align;
	set_owner(p, s);
	return sym;
}

/* The symbol of a name: a new one, or the one that an .extern declaration made. */
static bool symbol_declare(struct parser *p, const struct decl *d, uint32_t id, uint32_t off, uint32_t *sym)
{
	struct binding *b = p->depth ? NULL : scope_find_module(p, id);

	if (b && b->kind == B_SYM) {
		const struct symbol *s = &p->m->sym[b->value];

		if (s->space == d->space && (s->external || d->l.external)) {
			*sym = b->value;
			return true;
		}
	}
	b = scope_declare(p, id, B_SYM, off, 0);
	if (!b)
		return false;
	*sym = b->value = add_symbol(p, scope_name(p, id), d->space, d->l.external, off);
	return true;
}

bool data_reference(struct parser *p, uint32_t id, bool external, uint32_t off, uint32_t *sym)
{
	struct decl d = { .space = SP_GLOBAL, .l = { .external = external } };

	return symbol_declare(p, &d, id, off, sym);
}

static bool declarator(struct parser *p, const struct decl *d)
{
	unsigned bytes = type_info[d->type].bits / 8u * d->vec;
	struct array a;
	struct symbol *s;
	uint32_t id, off = p->t.off, sym;

	if (p->t.kind != T_IDENT)
		return parse_error(p, off, "expected a name");
	id = scope_id(p, &p->t);
	parse_advance(p);
	if (!dimensions(p, &a, bytes) || !symbol_declare(p, d, id, off, &sym))
		return false;
	s = &p->m->sym[sym];
	p->sym_elem[sym] = bytes;
	if (s->external || !d->l.external) {
		s->external = d->l.external;
		s->visible = d->l.visible || d->l.weak || d->l.common;
		s->align = d->align ? d->align : bytes;
		s->size = a.ndim && !a.n[0] ? 0 : a.elements * bytes;
		set_owner(p, s);
	}
	if (parse_accept(p, '='))
		return initialiser(p, d, &a, s);
	if (!s->size && !d->l.external)
		return parse_error(p, off, "'%s' needs a size or an initial value", s->name);
	return true;
}

bool data_parse(struct parser *p, struct linkage l)
{
	struct decl d = { .l = l };

	if (token_is(p, ".global"))
		d.space = SP_GLOBAL;
	else if (token_is(p, ".const"))
		d.space = SP_CONST;
	else
		d.space = token_is(p, ".shared") ? SP_SHARED : SP_LOCAL;
	parse_advance(p);
	if (p->t.kind == '[')
		return parse_error(p, p->t.off, "constant banks are not supported; write .const");
	if (p->t.kind == T_DOT && (token_is(p, ".texref") || token_is(p, ".samplerref") || token_is(p, ".surfref"))) {
		enum reference kind = token_is(p, ".surfref") ? REFERENCE_SURFACE : REFERENCE_SAMPLER;

		if (token_is(p, ".texref"))
			kind = REFERENCE_TEXTURE;

		if (d.space != SP_GLOBAL)
			return parse_error(p, p->t.off, "textures, samplers and surfaces are variables of .global");
		parse_advance(p);
		return texture_declare(p, l, kind);
	}
	if (!data_type(p, &d.type, &d.vec, &d.align))
		return false;
	if (d.type == TY_PRED)
		return parse_error(p, p->t.off, "predicates live in registers only");
	do {
		if (!declarator(p, &d))
			return false;
	} while (parse_accept(p, ','));
	return parse_expect(p, ';', "';' after a declaration");
}

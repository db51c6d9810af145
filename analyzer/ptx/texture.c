/* Textures and surfaces: instructions on [texture, sampler, {coordinates}], and the module variables that stand for a
 * texture, a sampler or a surface. Without a sampler the texture's own is meant, which the IR writes as 0. Elements of
 * vectors that PTX ignores are checked and left out. */
#include "insn.h"

#include "analyzer/ir/texture.h"

#include <string.h>

bool texture_is(const struct mnemonic *mn)
{
	static const char *const base[] = { "tex", "tld4", "txq", "suq", "suld", "sust", "sured", "istypep" };

	for (unsigned i = 0; i < sizeof base / sizeof *base; i++)
		if (mnemonic_is(mn, base[i]))
			return true;
	return false;
}

/* ---- operands ---- */
/* [a], [a, c], [a, b, c] */
struct place {
	struct operand part[3], elem[ELEMENT_MAX];
	unsigned n;
	uint32_t off;
};

static bool take_place(struct parser *p, struct place *at)
{
	at->off = p->t.off;
	at->n = 0;
	if (p->t.kind != '[')
		return parse_error(p, p->t.off, "expected '[' and a texture or surface");
	parse_advance(p);
	do {
		if (at->n == 3)
			return parse_error(p, p->t.off, "expected ']'");
		if (!operand_parse(p, &at->part[at->n], at->elem, NULL))
			return false;
	} while (at->n++, parse_accept(p, ','));
	return parse_expect(p, ']', "',' or ']'");
}

/* A handle: a register, a variable of the module or a parameter of the kernel. */
static bool take_handle(struct build *b, const struct operand *o, enum reference want, struct operand *own)
{
	static const char *const what[] = {
		[REFERENCE_TEXTURE] = "texture", [REFERENCE_SAMPLER] = "sampler", [REFERENCE_SURFACE] = "surface"
	};
	struct parser *p = b->p;

	if (o->kind == O_SYM && p->m->sym[o->val].reference != want)
		return parse_error(p, o->off, "'%s' is no %s", p->m->sym[o->val].name, what[want]);
	if (o->kind == O_PARAM && p->k->param[o->val].size * 8 != 64)
		return parse_error(p, o->off, "'%s' is no %s", p->k->param[o->val].name, what[want]);
	if ((o->kind != O_REG && o->kind != O_SYM && o->kind != O_PARAM) || o->plus)
		return parse_error(p, o->off,
				   "expected a %s: a variable of the module or a register that holds its handle",
				   what[want]);
	if (o->kind == O_REG && p->m->ptx_version < 31)
		return parse_error(p, o->off,
				   "'%s' needs PTX ISA 3.1 for a handle in a register; this module says .version %u.%u",
				   b->mn->text, p->m->ptx_version / 10, p->m->ptx_version % 10);
	*own = *o;
	if (o->kind == O_REG && type_info[o->type].bits == 32 && type_info[o->type].kind != 'f' &&
	    p->m->address_bits == 32) {
		own->val = build_convert(b, OP_CVT_U64_U32, RC_64, ref_reg(o->val)).val;
		own->type = TY_B64;
	}
	b->src[b->nsrc++] = (struct use){ .o = own, .letter = 'D', .bits = 64 };
	return true;
}

/* A vector of `written` elements, of which `used` become sources. A vector of one may lack its braces. */
static bool take_vector(struct build *b, const struct operand *o, unsigned written, unsigned used, const char *letter,
			bool braces)
{
	struct parser *p = b->p;
	unsigned n = o->kind == O_VECTOR ? o->n : 1;
	bool old = p->m->ptx_version < 20 && n == 4; /* which wrote four always */

	if ((n != written && !old) || (braces && o->kind != O_VECTOR))
		return parse_error(p, o->off, "this operand of '%s' is a vector of %u", b->mn->text, written);
	for (unsigned i = 0; i < n; i++) {
		const struct operand *e = o->kind == O_VECTOR ? &o->elem[i] : o;

		if (i >= used && e->kind == O_SINK)
			return parse_error(p, e->off, "'_' is no source");
		if (i < used)
			b->src[b->nsrc++] = (struct use){ .o = e,
							  .letter = letter[i],
							  .bits = (uint8_t)use_letter_bits(letter[i]) };
	}
	return true;
}

/* Registers of data, in braces unless it is one. */
static bool take_data(struct build *b, const struct operand *o, unsigned n, const char *letter, struct use *to)
{
	unsigned given = o->kind == O_VECTOR ? o->n : 1;

	if (given != n)
		return parse_error(b->p, o->off, "'%s' takes %u element%s; %u %s given", b->mn->text, n,
				   n > 1 ? "s" : "", given, given == 1 ? "is" : "are");
	for (unsigned i = 0; i < n; i++)
		to[i] = (struct use){ o->kind == O_VECTOR ? &o->elem[i] : o, letter[i],
				      (uint8_t)use_letter_bits(letter[i]), true };
	return true;
}

/* ---- instructions ---- */
/* Behind the place: a level, gradients; what else PTX allows there is refused. */
static bool take_rest(struct build *b, const struct texture *x)
{
	struct parser *p = b->p;
	const char *src = op_info[b->mn->op].sig + op_info[b->mn->op].ndst + 1;
	unsigned want = x->grad ? 2 : x->level, n = x->cube ? 3 : x->dims, first = p->nop, each;

	while (parse_accept(p, ',')) {
		if (p->nop == OPERAND_MAX)
			return parse_error(p, p->t.off, "an instruction has at most %d operands", OPERAND_MAX);
		if (!operand_parse(p, &p->op[p->nop], p->elem[p->nop], &p->second[p->nop]))
			return false;
		p->nop++;
	}
	if (p->t.kind != ';')
		return parse_error(p, p->t.off, "expected ',' or ';'");
	if (p->nop - first > want && x->kind != TEXTURE_QUERY)
		return parse_error(p, p->op[first + want].off,
				   "offsets of coordinates and depth comparisons are not supported");
	if (p->nop - first != want) {
		p->nop++; /* the place */
		return build_wrong_count(b, first + 1 + want, first + 1 + want);
	}
	each = x->grad ? n : 1;
	for (unsigned i = first; i < p->nop; i++)
		if (!take_vector(b, &p->op[i], x->grad && n == 3 ? 4 : each, each, src + b->nsrc, x->grad))
			return false;
	return true;
}

/* suld d, [a, {..}]; sust and sured [a, {..}], d */
static bool surface_access(struct build *b, const struct texture *x)
{
	struct parser *p = b->p;
	const struct op_info *o = &op_info[b->mn->op];
	bool load = x->kind == SURFACE_LOAD, clamp = mnemonic_has(b->mn, "clamp"), zero = mnemonic_has(b->mn, "zero");
	const char *src = strchr(o->sig, '_') + 1;
	struct operand handle;
	struct place at;

	if (mnemonic_has(b->mn, "trap") + clamp + zero != 1)
		return parse_error(p, b->mn->off, "'%s' says what happens outside the surface: .trap, .clamp or .zero",
				   b->mn->text);
	if (load ? b->mn->cop > COP_CV
		 : b->mn->cop != COP_DEFAULT && (x->kind == SURFACE_REDUCE ||
						 (b->mn->cop != COP_CG && b->mn->cop != COP_CS && b->mn->cop < COP_WB)))
		return parse_error(p, b->mn->off, "'%s' has a cache operator that is not for it", b->mn->text);
	b->offset = zero ? OUTSIDE_ZERO : OUTSIDE_TRAP;
	if (clamp)
		b->offset = OUTSIDE_CLAMP;
	p->nop = 1;
	if (load && (!operand_parse(p, &p->op[0], p->elem[0], &p->second[0]) || !parse_expect(p, ',', "','")))
		return false;
	if (!take_place(p, &at))
		return false;
	if (!load && (!parse_expect(p, ',', "','") || !operand_parse(p, &p->op[0], p->elem[0], &p->second[0])))
		return false;
	if (p->t.kind != ';')
		return parse_error(p, p->t.off, "expected ';'");
	if (at.n != 2)
		return parse_error(p, at.off, "'%s' takes a surface and coordinates", b->mn->text);
	if (!take_handle(b, &at.part[0], REFERENCE_SURFACE, &handle) ||
	    !take_vector(b, &at.part[1], texture_written(x), x->coords, src + b->nsrc, false))
		return false;
	if (!take_data(b, &p->op[0], x->elements, load ? o->sig : src + b->nsrc, load ? b->dst : b->src + b->nsrc))
		return false;
	b->ndst = load ? x->elements : 0;
	b->nsrc += load ? 0u : x->elements;
	return insn_finish(b);
}

static bool texture_access(struct build *b, const struct texture *x)
{
	static const struct operand own = { .kind = O_CONST };
	struct parser *p = b->p;
	const struct op_info *o = &op_info[b->mn->op];
	const char *src = o->sig + o->ndst + 1;
	bool samples = texture_has_sampler(x);
	enum reference want = x->kind == TEXTURE_FETCH || x->kind == TEXTURE_GATHER || x->kind == TEXTURE_QUERY
				      ? REFERENCE_TEXTURE
				      : REFERENCE_SURFACE;
	struct operand handle[2];
	struct place at;

	p->nop = 1;
	if (!operand_parse(p, &p->op[0], p->elem[0], &p->second[0]))
		return false;
	if (p->t.kind == '|')
		return parse_error(p, p->t.off, "the predicate of residency is not supported");
	if (!parse_expect(p, ',', "','") || !take_place(p, &at))
		return false;
	if (at.n < 1u + samples || at.n > 1u + 2 * samples)
		return parse_error(p, at.off,
				   samples ? "'%s' takes a texture, a sampler if need be, and coordinates"
					   : "'%s' takes a texture or surface alone",
				   b->mn->text);
	if (!take_data(b, &p->op[0], o->ndst, o->sig, b->dst))
		return false;
	b->ndst = o->ndst;
	if (x->kind == TEXTURE_QUERY && at.part[0].kind == O_SYM &&
	    p->m->sym[at.part[0].val].reference == REFERENCE_SAMPLER && x->query >= QUERY_FILTER &&
	    x->query <= QUERY_FORCE_UNNORMALIZED)
		want = REFERENCE_SAMPLER;
	if (!take_handle(b, &at.part[0], want, &handle[0]))
		return false;
	if (at.n == 3 && !take_handle(b, &at.part[1], REFERENCE_SAMPLER, &handle[1]))
		return false;
	if (samples && at.n < 3)
		b->src[b->nsrc++] = (struct use){ .o = &own, .letter = 'D', .bits = 64 };
	if (x->coords && !take_vector(b, &at.part[at.n - 1], texture_written(x), x->coords, src + b->nsrc, false))
		return false;
	return take_rest(b, x) && insn_finish(b);
}

/* istypep p, a: the handle stands without brackets. */
static bool type_test(struct build *b, const struct texture *x)
{
	struct parser *p = b->p;
	struct operand handle;

	if (!insn_operands(p))
		return false;
	if (p->nop != 2)
		return build_wrong_count(b, 2, 2);
	b->dst[b->ndst++] = (struct use){ .o = &p->op[0], .letter = 'P', .bits = 1 };
	return take_handle(b, &p->op[1],
			   p->op[1].kind == O_SYM ? (enum reference)p->m->sym[p->op[1].val].reference : x->tested,
			   &handle) &&
	       insn_finish(b);
}

bool texture_parse(struct build *b)
{
	struct mnemonic mn = *b->mn;
	struct texture x;

	if (!mnemonic_find(b->p, &mn))
		return false;
	b->mn = &mn;
	b->space = SP_GLOBAL;
	texture_of(mn.op, &x);
	if (x.kind >= SURFACE_LOAD)
		return surface_access(b, &x);
	return x.kind == TEXTURE_TEST ? type_test(b, &x) : texture_access(b, &x);
}

/* ---- variables ---- */
/* { filter_mode = linear, addr_mode_0 = wrap }: what a sampler does; of a texture, whose launch says it, only read. */
static bool attributes(struct parser *p, uint8_t bytes[REFERENCE_BYTES])
{
	static const char *const address[] = { "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border" };
	static const char *const other[] = { "width",         "height",
					     "depth",         "channel_data_type",
					     "channel_order", "normalized_coords",
					     "array_size",    "num_mipmap_levels",
					     "num_samples",   "memory_layout" };
	uint32_t v;

	if (!parse_expect(p, '{', "'{'"))
		return false;
	p->open++;
	bytes[MARK_AT] = REFERENCE_MARK;
	for (unsigned a = 0; a < 3; a++)
		bytes[ADDRESS_AT + a] = ADDRESS_CLAMP;
	do {
		struct token key = p->t;
		const char *text = token_text(p);
		bool known = false,
		     axis = key.len == 11 && memcmp(text, "addr_mode_", 10) == 0 && text[10] >= '0' && text[10] <= '2';
		uint32_t at;

		parse_advance(p);
		if (!parse_expect(p, '=', "'='"))
			return false;
		at = p->t.off;
		if (axis) {
			for (unsigned m = 0; m < ADDRESS_COUNT; m++)
				if (token_is(p, address[m])) {
					bytes[ADDRESS_AT + (text[10] - '0')] = (uint8_t)m;
					known = true;
				}
			parse_advance(p);
		} else if (key.len == 11 && memcmp(text, "filter_mode", 11) == 0) {
			known = token_is(p, "nearest") || token_is(p, "linear");
			bytes[FILTER_AT] = token_is(p, "linear");
			parse_advance(p);
		} else if (key.len == 25 && memcmp(text, "force_unnormalized_coords", 25) == 0) {
			if (!parse_u32(p, &v, "0 or 1"))
				return false;
			known = v <= 1;
			bytes[UNNORMALIZED_AT] = (uint8_t)v;
		} else {
			for (unsigned i = 0; i < sizeof other / sizeof *other; i++)
				known |= strlen(other[i]) == key.len && memcmp(other[i], text, key.len) == 0;
			if (!known)
				return parse_error(p, key.off,
						   "'%.*s' is no attribute of a texture, sampler or surface",
						   (int)(key.len > 40 ? 40 : key.len), text);
			if (!parse_u32(p, &v, "a number"))
				return false;
		}
		if (!known)
			return parse_error(p, at, "this is no value of '%.*s'", (int)key.len, text);
	} while (parse_accept(p, ','));
	p->open--;
	return parse_expect(p, '}', "',' or '}'");
}

bool texture_declare(struct parser *p, struct linkage l, enum reference kind)
{
	do {
		struct symbol *s;
		uint8_t bytes[REFERENCE_BYTES] = { 0 }, *init;
		uint32_t id, off = p->t.off, sym;

		if (p->t.kind != T_IDENT)
			return parse_error(p, off, "expected a name");
		if (p->depth)
			return parse_error(p, off, "textures, samplers and surfaces are declared outside functions");
		id = scope_id(p, &p->t);
		parse_advance(p);
		if (p->t.kind == '[')
			return parse_error(p, p->t.off, "arrays of textures, samplers or surfaces are not supported");
		if (!data_reference(p, id, l.external, off, &sym))
			return false;
		s = &p->m->sym[sym];
		s->external = l.external;
		s->visible = !l.external;
		s->align = 8;
		s->size = REFERENCE_BYTES;
		s->reference = (uint8_t)kind;
		if (!parse_accept(p, '='))
			continue;
		if (!attributes(p, bytes))
			return false;
		if (kind != REFERENCE_SAMPLER)
			continue;
		init = new_array(p->m->a, uint8_t, REFERENCE_BYTES);
		memcpy(init, bytes, sizeof bytes);
		s->init = init;
	} while (parse_accept(p, ','));
	return parse_expect(p, ';', "';' after a declaration");
}

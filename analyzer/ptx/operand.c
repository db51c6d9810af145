/* Operands as written: registers, constants, variables, special registers, vectors, addresses, p|q pairs. What an
 * instruction makes of them is insn.c's business. */
#include "parse.h"

#include <string.h>

/* The name of a special register at the current identifier: "%tid" with ".x" behind it, or "%clock". */
static bool special(struct parser *p, struct operand *o, bool *found)
{
	char name[40];
	struct token t = p->t, dot;
	enum sreg s;
	size_t n = t.len;
	char part;

	*found = false;
	if (n > sizeof name - 4 || token_text(p)[0] != '%')
		return true;
	memcpy(name, token_text(p), n);
	name[n] = 0;
	*o = (struct operand){ .kind = O_SREG, .off = t.off, .n = 1 };
	s = sreg_find(name, n);
	if (s == SREG_COUNT) {
		dot = lex_ahead(&p->lx);
		part = dot.kind == T_DOT && dot.len == 2 ? p->src->text[dot.off + 1] : 0;
		memcpy(name + n, ".x", 3);
		if (part && part != 'w')
			name[n + 1] = part;
		s = sreg_find(name, n + 2);
		if (s == SREG_COUNT)
			return true;
		if (part)
			parse_advance(p);
		else
			o->n = 4;
		if (part == 'w')
			*o = (struct operand){ .kind = O_CONST, .off = t.off, .n = 1, .k = { .off = t.off } };
	}
	*found = true;
	o->val = s;
	parse_advance(p);
	return true;
}

/* v.x or v.r of a vector register. */
static bool component(struct parser *p, struct operand *o, unsigned vec)
{
	const char *at, *all = "xyzwrgba";

	if (p->t.kind != T_DOT)
		return true;
	if (p->selectors) {
		p->selector.off = p->t.off;
		p->selector.len = p->t.len;
		parse_advance(p);
		return true;
	}
	at = p->t.len == 2 ? strchr(all, token_text(p)[1]) : NULL;
	if (!at || (unsigned)(at - all) % 4 >= vec)
		return parse_error(p, p->t.off, "a register of %u element%s has no '%.*s'", vec, vec > 1 ? "s" : "",
				   (int)(p->t.len > 20 ? 20 : p->t.len), token_text(p));
	parse_advance(p);
	o->kind = O_REG;
	o->val += (uint32_t)(at - all) % 4;
	return true;
}

static bool named(struct parser *p, struct operand *o, struct operand *elem)
{
	uint32_t id = scope_id(p, &p->t), off = p->t.off;
	struct binding *b = scope_find(p, id);
	bool found;

	if (!b) {
		if (!special(p, o, &found))
			return false;
		if (found)
			return true;
		parse_error(p, off, "'%s' is not declared%s", scope_name(p, id), suggest_name(p, id, KINDS_OPERAND));
		scope_declare(p, id, B_BROKEN, off, 0);
		return false;
	}
	parse_advance(p);
	*o = (struct operand){ .off = off, .val = b->value, .n = 1, .type = b->type };
	switch ((enum bind_kind)b->kind) {
	case B_BROKEN:
		return false;
	case B_CPARAM:
		o->kind = O_CPARAM;
		return true;
	case B_FUNC:
		o->kind = O_FUNC;
		return true;
	case B_TABLE:
		o->kind = O_TABLE;
		return true;
	case B_SYM:
		o->kind = O_SYM;
		p->sym_used[b->value] |= !p->func; /* else if a kernel calls it: func.c */
		return true;
	case B_PARAM:
		o->kind = O_PARAM;
		return true;
	case B_REG:
		break;
	case B_KERNEL:
		o->kind = O_KERNEL;
		o->val = id;
		return true;
	case B_LABEL:
		return parse_error(p, off, "'%s' is a label, which is no operand here", scope_name(p, id));
	}
	o->kind = O_REG;
	if (!scope_register(p, b, off, &o->val))
		return false;
	if (b->vec == 1)
		return p->t.kind == T_DOT ? component(p, o, 1) : true;
	o->kind = O_VECTOR;
	if (p->t.kind == T_DOT)
		return component(p, o, b->vec);
	if (!elem)
		return parse_error(p, off, "a vector is no element of a vector");
	o->n = b->vec;
	o->elem = elem;
	for (unsigned i = 0; i < b->vec; i++)
		elem[i] = (struct operand){ .kind = O_REG, .type = b->type, .off = off, .val = o->val + i, .n = 1 };
	return true;
}

/* name[register], behind '['. */
static bool register_index(struct parser *p, struct operand *o)
{
	struct operand i;
	struct konst k;
	uint32_t off = p->t.off;

	if (!named(p, &i, NULL))
		return false;
	if (i.kind != O_REG || type_info[i.type].kind == 'f' || type_info[i.type].bits < 32)
		return parse_error(p, off, "an index is a constant or an integer register of 32 or 64 bits");
	o->index = i.val + 1;
	o->index_signed = type_info[i.type].kind == 's';
	o->index_wide = type_info[i.type].bits == 64;
	o->scale = o->kind == O_SYM ? p->sym_elem[o->val] : type_info[p->k->param[o->val].type].bits / 8u;
	if (parse_accept(p, '+')) {
		if (!expr_parse_int(p, &k))
			return false;
		if (k.i > VAR_MAX_BYTES)
			return parse_error(p, k.off, "this index is out of range");
		o->addend = (int64_t)(k.i * o->scale);
	}
	return parse_expect(p, ']', "']'");
}

/* Behind a name: + n, and [n] for element n of a variable. */
static bool displacement(struct parser *p, struct operand *o)
{
	struct konst k;
	uint32_t at = p->t.off;

	if ((o->kind == O_SYM || o->kind == O_PARAM) && parse_accept(p, '[')) {
		const struct symbol *s = &p->m->sym[o->val];

		if (p->t.kind == T_IDENT && !token_is(p, "WARP_SZ"))
			return register_index(p, o);
		if (o->kind == O_PARAM) {
			if (!expr_parse_int(p, &k))
				return false;
			if (k.i > PARAM_MAX_BYTES)
				return parse_error(p, k.off, "this index is out of range");
			o->addend = (int64_t)(k.i * (type_info[p->k->param[o->val].type].bits / 8u));
			return parse_expect(p, ']', "']'");
		}
		if (!expr_parse_int(p, &k))
			return false;
		if (k.i > VAR_MAX_BYTES)
			return parse_error(p, k.off, "this index is out of range");
		o->addend = (int64_t)(k.i * p->sym_elem[o->val]);
		if (s->size && (uint64_t)o->addend > s->size)
			return parse_error(p, k.off, "'%s' has no such element", s->name);
		return parse_expect(p, ']', "']'");
	}
	if (!parse_accept(p, '+'))
		return true;
	if (!expr_parse_int(p, &k))
		return false;
	o->addend = (int64_t)k.i;
	if (o->addend < INT32_MIN || o->addend > INT32_MAX)
		return parse_error(p, at, "this offset does not fit in 32 bits");
	o->plus = true;
	return true;
}

/* [reg], [reg+n], [sym+n], [n]; behind '['. */
static bool address(struct parser *p, struct operand *o)
{
	struct operand base;
	uint32_t off = p->t.off;

	if (p->t.kind == T_IDENT && !token_is(p, "WARP_SZ")) {
		if (!named(p, &base, NULL) || !displacement(p, &base))
			return false;
		if (base.kind == O_SREG || base.kind == O_VECTOR || base.kind == O_FUNC || base.kind == O_KERNEL ||
		    base.kind == O_TABLE)
			return parse_error(p, off, "this is no address");
	} else {
		base = (struct operand){ .kind = O_CONST, .off = off };
		if (!expr_parse_int(p, &base.k))
			return false;
	}
	*o = base;
	o->base = base.kind;
	o->kind = O_ADDRESS;
	if (p->t.kind == '-')
		return parse_error(p, p->t.off, "a negative offset is written +-%s", "4");
	if (!parse_expect(p, ']', "']'"))
		return false;
	if (p->t.kind == T_DOT && token_is(p, ".unified"))
		parse_advance(p);
	return true;
}

static bool element(struct parser *p, struct operand *o, struct operand *elem)
{
	bool neg;

	if (p->t.kind == '_') {
		*o = (struct operand){ .kind = O_SINK, .off = p->t.off, .n = 1 };
		parse_advance(p);
		return true;
	}
	if (p->t.kind == '!' || (p->t.kind == T_IDENT && !token_is(p, "WARP_SZ"))) {
		uint32_t off = p->t.off;

		neg = p->t.kind == '!';
		if (!neg || lex_ahead(&p->lx).kind == T_IDENT) {
			if (neg)
				parse_advance(p);
			if (!named(p, o, elem))
				return false;
			o->neg = neg;
			o->off = off;
			if (o->kind == O_REG || o->kind == O_SYM || o->kind == O_PARAM || o->kind == O_CPARAM)
				return displacement(p, o);
			return true;
		}
	}
	*o = (struct operand){ .kind = O_CONST, .off = p->t.off, .n = 1 };
	return expr_parse(p, &o->k);
}

static bool vector(struct parser *p, struct operand *o, struct operand *elem)
{
	uint32_t off = p->t.off;
	unsigned n = 0;

	parse_advance(p);
	p->open++;
	do {
		if (n == ELEMENT_MAX)
			return parse_error(p, p->t.off, "a vector has at most %d elements", ELEMENT_MAX);
		if (!element(p, &elem[n++], NULL))
			return false;
	} while (parse_accept(p, ','));
	*o = (struct operand){ .kind = O_VECTOR, .off = off, .n = (uint8_t)n, .elem = elem };
	if (!parse_expect(p, '}', "',' or '}'"))
		return false;
	p->open--;
	return true;
}

bool operand_parse(struct parser *p, struct operand *o, struct operand *elem, struct operand *second)
{
	uint32_t off = p->t.off;

	if (p->t.kind == '{')
		return vector(p, o, elem);
	if (parse_accept(p, '[')) {
		if (!address(p, o))
			return false;
		o->off = off;
		return true;
	}
	if (!element(p, o, elem))
		return false;
	if (second && (o->kind == O_REG || o->kind == O_SINK) && !o->plus && parse_accept(p, '|')) {
		if (!element(p, second, NULL))
			return false;
		o->second = second;
	}
	return true;
}

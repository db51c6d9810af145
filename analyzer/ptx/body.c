/* The statements of a kernel: declarations, nested scopes, labels, guards, instructions; and the blocks they fall
 * into. */
#include "parse.h"

/* A label: the next instruction starts a block. Labels that follow each other share one. */
static bool label(struct parser *p, uint32_t id, uint32_t off)
{
	struct kernel *k = p->k;
	struct binding *b = scope_declare(p, id, B_LABEL, off, 0);
	struct block *last = &k->block[k->nblock - 1];

	if (!b)
		return false;
	if (!p->closed && !last->n) {
		if (!last->label)
			last->label = scope_name(p, id);
	} else {
		ir_block(k, scope_name(p, id));
		p->closed = false;
	}
	b->value = k->nblock - 1;
	return true;
}

/* @p and @!p; *g stays REF_NONE without a guard. */
static bool guard(struct parser *p, struct ref *g)
{
	struct binding *b;
	uint32_t id, r, off;
	bool neg;

	*g = ref_none();
	if (!parse_accept(p, '@'))
		return true;
	neg = parse_accept(p, '!');
	off = p->t.off;
	if (p->t.kind != T_IDENT)
		return parse_error(p, off, "expected a predicate register");
	id = scope_id(p, &p->t);
	b = scope_find(p, id);
	if (!b) {
		parse_error(p, off, "'%s' is not declared%s", scope_name(p, id), suggest_name(p, id, 1 << B_REG));
		scope_declare(p, id, B_BROKEN, off, 0);
		return false;
	}
	if (b->kind == B_BROKEN)
		return false;
	if (b->kind != B_REG || b->type != TY_PRED || b->vec != 1)
		return parse_error(p, off, "'%s' is not a predicate register", scope_name(p, id));
	if (!scope_register(p, b, off, &r))
		return false;
	parse_advance(p);
	*g = ref_reg(r);
	g->neg = neg;
	return true;
}

static bool directive(struct parser *p)
{
	bool known;

	if (token_is(p, ".reg"))
		return entry_parse_reg(p) || scope_give_up(p);
	if (token_is(p, ".global") || token_is(p, ".const") || token_is(p, ".shared") || token_is(p, ".local"))
		return data_parse(p, (struct linkage){ 0 }) || scope_give_up(p);
	if (token_is(p, ".extern")) {
		parse_advance(p);
		if (token_is(p, ".shared"))
			return data_parse(p, (struct linkage){ .external = true }) || scope_give_up(p);
		return parse_error(p, p->t.off, "only .shared variables are external in a kernel");
	}
	if (token_is(p, ".param"))
		return call_param(p) || scope_give_up(p);
	module_directive(p, &known);
	if (known)
		return true;
	if (token_is(p, ".branchtargets") || token_is(p, ".calltargets") || token_is(p, ".callprototype"))
		return parse_error(p, p->t.off, "a label stands before %.*s", (int)p->t.len, token_text(p));
	return parse_error(p, p->t.off, "unknown directive '%.*s'%s", (int)(p->t.len > 100 ? 100 : p->t.len),
			   token_text(p), suggest_directive(p));
}

/* Is the token behind the current one a colon? */
static bool colon_follows(const struct parser *p)
{
	const char *s = p->src->text + p->lx.at; /* the common cases need no token */

	while (*s == ' ' || *s == '\t')
		s++;
	if (*s != ':' && *s != '/' && *s != '\n' && *s != '\r')
		return false;
	return lex_ahead(&p->lx).kind == ':';
}

static bool statement(struct parser *p)
{
	struct ref g;

	p->where = p->t.off;
	p->open = 0;
	switch (p->t.kind) {
	case T_DOT:
		return directive(p);
	case '{':
		if (!scope_push(p)) {
			/* too deep to be meant: give up on this text */
			p->lx.at = (uint32_t)p->src->len;
			parse_advance(p);
			return false;
		}
		parse_advance(p);
		return true;
	case T_IDENT:
		if (colon_follows(p)) {
			uint32_t id = scope_id(p, &p->t), off = p->t.off;

			bool table;

			parse_advance(p);
			parse_advance(p);
			if (!call_table(p, id, off, &table)) {
				if (!scope_find(p, id))
					scope_declare(p, id, B_BROKEN, off, 0);
				return false;
			}
			if (table)
				return true;
			label(p, id, off); /* a second label of the name: said, and read on behind it */
			return true;
		}
		return insn_parse(p, ref_none());
	case '@':
		if (p->lx.at < p->src->len && p->src->text[p->lx.at] == '@') {
			lex_skip_line(&p->lx);
			parse_advance(p);
			return true;
		}
		if (!guard(p, &g))
			return false;
		if (p->t.kind != T_IDENT)
			return parse_error(p, p->t.off, "expected an instruction");
		return insn_parse(p, g);
	default:
		return parse_error(p, p->t.off, "expected a statement");
	}
}

/* The kernel's code ends here: a path that gets to the closing brace returns. */
static void finish(struct parser *p)
{
	struct kernel *k = p->k;
	const struct block *b = &k->block[k->nblock - 1];

	if (p->closed && b->n) {
		const struct insn *i = &k->insn[k->ninsn - 1];

		if (op_info[i->op].flags & OPF_END && insn_kills(i))
			return;
		ir_block(k, NULL);
	}
	ir_append(k, OP_RET, 0, 0)->where = p->t.off;
	k->insn[k->ninsn - 1].line = p->line;
}

void body_parse(struct parser *p)
{
	uint32_t base = p->depth, open = p->t.off;

	ir_block(p->k, NULL);
	if (p->func)
		ir_block(p->k, NULL); /* the first is func.c's, for what is done on entry */
	p->closed = false;
	while (p->t.kind != T_END) {
		if (p->t.kind == '}') {
			if (p->depth == base)
				finish(p);
			scope_pop(p);
			parse_advance(p);
			if (p->depth < base)
				return;
		} else {
			uint32_t at = p->t.off;

			if (!statement(p)) {
				parse_skip_statement(p);
				if (p->t.off == at && p->t.kind != '}')
					parse_advance(p);
			}
		}
	}
	if (!diag_full(p->d) && p->depth + 1 < SCOPE_MAX)
		diag_error(p->outer ? p->outer : p->d, parse_loc(p, open), "the %s's body is not closed",
			   p->func ? "function" : "kernel");
	while (p->depth >= base) {
		p->scope[p->depth].refs = NULL;
		scope_pop(p);
	}
}

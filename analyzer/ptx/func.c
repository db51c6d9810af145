/* Functions: headers with their parameters, declarations, definitions, aliases.
 *
 * A body is a struct kernel of its own in m->func. Its parameters are virtual registers: a scalar is its value, an
 * array or vector in .param space the address, in local memory, of what the caller passes. Each call of the PTX ABI has
 * .param variables of its own, so that passing their address is passing their value, unless the function lets a pointer
 * to a parameter out: then it works on a copy in its frame.
 *
 * Errors in a body are kept with the function and are reported only if a kernel may call it: libraries of device
 * functions hold much that a kernel does not use. */
#include "parse.h"

#include "insn.h"

#include <stdlib.h>
#include <string.h>

/* a parameter as declared */
struct item {
	struct formal f;
	uint32_t id, off;
	unsigned vec;
};
/* nret, narg: registers */
struct list {
	struct item *p;
	uint32_t n, cap, nret, narg;
};

/* .param .align 8 .b8 p[16], .reg .u32 %r, .param .b64 .ptr .global p */
static bool parameter(struct parser *p, struct list *l)
{
	struct item it = { .f = { .reg = token_is(p, ".reg") }, .vec = 1 };
	enum scalar_type type;
	uint64_t n = 1;

	if (!it.f.reg && !token_is(p, ".param"))
		return parse_error(p, p->t.off, "expected .param or .reg");
	parse_advance(p);
	it.off = p->t.off;
	if (!data_type(p, &type, &it.vec, &it.f.align))
		return false;
	if (type_info[type].kind == 'o' || type_info[type].bits > 64 || (type == TY_PRED && !it.f.reg))
		return parse_error(p, it.off, "'.%s' is not the type of a parameter", type_info[type].text);
	it.off = p->t.off;
	it.id = UINT32_MAX;
	if (p->t.kind == T_IDENT)
		it.id = scope_id(p, &p->t);
	else if (p->t.kind != '_')
		return parse_error(p, it.off, "expected the parameter's name");
	parse_advance(p);
	while (parse_accept(p, '[')) {
		struct konst c = { 0 };

		if (p->t.kind != ']' && !expr_parse_int(p, &c))
			return false;
		if (c.i > PARAM_MAX_BYTES || n * c.i > PARAM_MAX_BYTES)
			return parse_error(p, it.off, "a function's parameter takes at most %d bytes", PARAM_MAX_BYTES);
		n *= c.i;
		it.f.array = true;
		if (!parse_expect(p, ']', "']'"))
			return false;
	}
	if (it.f.reg && it.f.array)
		return parse_error(p, it.off, "a register is no array");
	it.f.array |= it.vec > 1 && !it.f.reg;
	it.f.type = (uint8_t)type;
	it.f.size = (uint32_t)n * (it.f.reg ? 1 : it.vec);
	if (type != TY_PRED)
		it.f.size *= type_info[type].bits / 8u;
	if (!it.f.align)
		it.f.align = it.f.size ? type_info[type].bits / 8u * it.vec : 1;
	it.f.rc = type_info[type].bits == 64 ? RC_64 : RC_32;
	if (it.f.array)
		it.f.rc = RC_32;
	else if (type == TY_PRED)
		it.f.rc = RC_PRED;
	arena_grow(&p->a, l->p, l->n, l->cap);
	l->p[l->n++] = it;
	return true;
}

static bool parameters(struct parser *p, struct list *l, uint32_t *registers)
{
	uint32_t at = p->t.off, first = l->n;

	*registers = 0;
	if (!parse_accept(p, '('))
		return true;
	if (!parse_accept(p, ')')) {
		do {
			if (!parameter(p, l))
				return false;
		} while (parse_accept(p, ','));
		if (!parse_expect(p, ')', "',' or ')'"))
			return false;
	}
	for (uint32_t i = first; i < l->n; i++)
		*registers += l->p[i].f.reg ? l->p[i].vec : 1;
	if (l->nret + l->narg > CALL_OPERANDS_MAX)
		return parse_error(p, at, "functions with more than %d parameters are not supported",
				   CALL_OPERANDS_MAX);
	return true;
}

/* .attribute(.unified(1, 2)), .noreturn, .abi_preserve 8 */
static bool attributes(struct parser *p, struct kernel *f)
{
	uint32_t ignore, open = 0;

	while (p->t.kind == T_DOT) {
		if (token_is(p, ".noreturn")) {
			if (f)
				f->noreturn = true;
			parse_advance(p);
		} else if (token_is(p, ".unified")) {
			parse_advance(p);
		} else if (token_is(p, ".abi_preserve") || token_is(p, ".abi_preserve_control")) {
			parse_advance(p);
			if (!parse_u32(p, &ignore, "this number"))
				return false;
		} else if (token_is(p, ".attribute")) {
			parse_advance(p);
			do {
				open += p->t.kind == '(';
				open -= p->t.kind == ')' && open;
				parse_advance(p);
			} while (open && p->t.kind != T_END);
		} else {
			return true; /* what follows a declaration without a ';' */
		}
	}
	return true;
}

static bool same_formals(const struct kernel *f, const struct formal *formal, const struct list *l)
{
	if (f->nret != l->nret || f->narg != l->narg)
		return false;
	for (uint32_t i = 0; i < f->nret + f->narg; i++) {
		const struct formal *a = &f->formal[i], *b = &formal[i];

		if (a->array != b->array || a->rc != b->rc || (a->size != b->size && a->size && b->size))
			return false;
	}
	return true;
}

/* One for each register: the elements of a .reg vector are parameters of their own. */
static struct formal *spread(struct parser *p, const struct list *l)
{
	struct formal *formal = new_array(p->m->a, struct formal, l->nret + l->narg + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		for (unsigned v = 0; v < (l->p[i].f.reg ? l->p[i].vec : 1); v++)
			formal[n++] = l->p[i].f;
	return formal;
}

/* Names of the parameters, and registers for them. */
static bool bind_names(struct parser *p, struct kernel *f, const struct list *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct item *it = &l->p[i];
		struct formal *to = &f->formal[n];
		const char *name = it->id == UINT32_MAX ? NULL : scope_name(p, it->id);
		struct binding *b = NULL;

		if (it->id != UINT32_MAX && !(b = scope_declare(p, it->id, it->f.reg ? B_REG : B_CPARAM, it->off, 0)))
			return false;
		if (b && it->f.reg) {
			b->type = it->f.type;
			b->vec = (uint8_t)it->vec;
			if (!scope_register(p, b, it->off, &to->vreg))
				return false;
			for (unsigned v = 1; v < it->vec; v++)
				to[v].vreg = to->vreg + v;
		} else {
			for (unsigned v = 0; v < (it->f.reg ? it->vec : 1); v++)
				to[v].vreg = ir_vreg(f, name, to->rc, it->f.array ? 32 : type_info[it->f.type].bits);
		}
		if (b && !it->f.reg)
			b->value = call_add_param(p, &(struct cparam){
							     .kind = it->f.array ? CP_CALLERS : CP_SCALAR,
							     .type = it->f.type,
							     .formal = true,
							     .ret = n < f->nret,
							     .size = it->f.size,
							     .align = it->f.align,
							     .off = it->off,
							     .value = to->vreg,
							     .name = name,
						     });
		n += it->f.reg ? it->vec : 1;
	}
	return true;
}

/* ---- what is done on entry ---- */
static enum op store_of(uint32_t bytes)
{
	switch (bytes) {
	case 8:
		return OP_ST_B64;
	case 4:
		return OP_ST_B32;
	case 2:
		return OP_ST_B16;
	}
	return OP_ST_B8;
}

static void copy_scalar(const struct build *b, const struct cparam *c)
{
	struct insn *i = build_append(b, store_of(c->size), 0, 2);

	i->space = SP_LOCAL;
	insn_src(b->p->k, i)[0] = use_symbol(b, c->copy - 1, 0);
	insn_src(b->p->k, i)[1] = ref_reg(c->value);
}

static void copy_array(const struct build *b, const struct cparam *c)
{
	static const enum op load[] = { OP_LD_U8, OP_LD_U16, OP_LD_B32 }, store[] = { OP_ST_B8, OP_ST_B16, OP_ST_B32 };
	unsigned log = c->align >= 4 ? 2 : c->align >> 1;

	for (uint32_t at = 0; at < c->size;) {
		struct insn *i;
		struct ref v = ref_reg(ir_vreg(b->p->k, NULL, RC_32, 32));

		while (c->size - at < 1u << log)
			log--;
		i = build_append(b, load[log], 1, 1);
		i->space = SP_LOCAL;
		i->offset = (int32_t)at;
		insn_dst(b->p->k, i)[0] = v;
		insn_src(b->p->k, i)[0] = ref_reg(c->value);
		i = build_append(b, store[log], 0, 2);
		i->space = SP_LOCAL;
		i->offset = (int32_t)at;
		insn_src(b->p->k, i)[0] = use_symbol(b, c->copy - 1, 0);
		insn_src(b->p->k, i)[1] = v;
		at += 1u << log;
	}
}

/* Copies of the parameters whose address is taken, in the block that body_parse() left free. */
static void finish_entry(struct parser *p, struct kernel *f)
{
	uint32_t body = f->ninsn, n;
	struct build b = { .p = p };
	struct insn *code;

	p->where = f->at.off;
	p->closed = true; /* a block of its own, moved to the front below */
	for (uint32_t c = 0; c < p->ncparam; c++)
		if (p->cparam[c].copy && p->cparam[c].kind == CP_SCALAR)
			copy_scalar(&b, &p->cparam[c]);
		else if (p->cparam[c].copy)
			copy_array(&b, &p->cparam[c]);
	n = f->ninsn - body;
	if (!n)
		return;
	f->nblock--;
	code = new_array(&p->a, struct insn, f->ninsn);
	memcpy(code, f->insn + body, n * sizeof *code);
	memcpy(code + n, f->insn, body * sizeof *code);
	memcpy(f->insn, code, f->ninsn * sizeof *code);
	f->block[0].n = n;
	for (uint32_t x = 1; x < f->nblock; x++)
		f->block[x].first += n;
}

/* ---- definitions ---- */
static void definition(struct parser *p, struct kernel *f, const struct list *l, uint32_t index)
{
	uint32_t open = p->t.off;
	struct diag own, *outer = p->d;
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	bool lost;

	p->k = p->func = f;
	p->kernel = FUNC_NUMBER + index + 1;
	p->ncparam = p->ntable = 0;
	if (!scope_push(p))
		return;
	out = open_memstream(&text, &len);
	diag_init(&own, out);
	p->outer = outer;
	p->d = p->lx.d = &own;
	bind_names(p, f, l);
	parse_advance(p);
	body_parse(p);
	if (!own.errors)
		finish_entry(p, f);
	p->d = p->lx.d = outer;
	p->outer = NULL;
	lost = diag_full(&own); /* the lexer gave up inside of the body */
	if (out)
		fclose(out);
	if (own.errors) {
		f->broken = arena_strndup(p->m->a, out ? text : own.last, out ? len : strlen(own.last));
		f->nbroken = own.errors;
	}
	free(text);
	diag_free(&own);
	if (lost) {
		p->lx.at = open;
		parse_advance(p);
		parse_skip_block(p);
	}
	p->k = p->func = NULL;
	p->line = 0;
}

/* The function called NAME: a new one, or one that was declared. NULL, reported, if the name is taken. */
static struct kernel *find(struct parser *p, uint32_t id, uint32_t off, uint32_t *index)
{
	struct binding *b = scope_find_module(p, id);

	if (!(b && b->kind == B_FUNC)) {
		b = scope_declare(p, id, B_FUNC, off, 0);
		if (!b)
			return NULL;
		b->value = p->m->nfunc;
		func_new(p->m, scope_name(p, id))->at = parse_loc(p, off);
	}
	*index = b->value;
	return p->m->func[b->value];
}

/* The header of a function is wrong, which has been reported: calls of it are no errors of their own. */
static bool broken(struct parser *p, uint32_t id, uint32_t off)
{
	if (!scope_find_module(p, id))
		scope_declare(p, id, B_BROKEN, off, 0);
	return false;
}

bool func_parse(struct parser *p, struct linkage l)
{
	struct list list = { .n = 0 };
	struct formal *formal;
	struct kernel *f;
	uint32_t id, off, index;

	if (l.common)
		return parse_error(p, p->t.off, "a function is not .common");
	parse_advance(p);
	if (!attributes(p, NULL) || !parameters(p, &list, &list.nret)) {
		while (p->t.kind != T_END && p->t.kind != ';' && p->t.kind != '{' && !parse_accept(p, ')'))
			parse_advance(p);
		return p->t.kind == T_IDENT ? broken(p, scope_id(p, &p->t), p->t.off) : false;
	}
	off = p->t.off;
	if (p->t.kind != T_IDENT)
		return parse_error(p, off, "expected the function's name");
	id = scope_id(p, &p->t);
	parse_advance(p);
	if (!parameters(p, &list, &list.narg))
		return broken(p, id, off);
	f = find(p, id, off, &index);
	if (!f || !attributes(p, f))
		return false;
	formal = spread(p, &list);
	if (f->declared && !same_formals(f, formal, &list)) {
		unsigned line, col;

		loc_line_col(f->at, &line, &col);
		parse_error(p, off, "'%s' has other parameters here than on line %u", f->name, line);
	} else if (f->declared && p->t.kind == '{' && (f->nblock || f->broken || f->alias)) {
		parse_error(p, off, "'%s' is already defined", f->name);
	}
	if (p->t.kind != '{') {
		if (!f->declared) {
			f->formal = formal;
			f->nret = list.nret;
			f->narg = list.narg;
		}
		f->declared = true;
		if (p->t.kind != ';' && p->t.kind != T_DOT && p->t.kind != T_END)
			return parse_error(p, p->t.off, "expected the function's body, or ';'");
		parse_accept(p, ';'); /* old compilers leave it out */
		return true;
	}
	if (f->nblock || f->broken) {
		parse_skip_block(p);
		return true;
	}
	f->formal = formal;
	f->nret = list.nret;
	f->narg = list.narg;
	f->declared = true;
	f->at = parse_loc(p, off);
	definition(p, f, &list, index);
	return true;
}

/* .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn; */
bool func_prototype(struct parser *p, struct proto *to)
{
	struct list list = { .n = 0 };

	if (!parameters(p, &list, &list.nret))
		return false;
	if (p->t.kind != '_' && p->t.kind != T_IDENT)
		return parse_error(p, p->t.off, "expected '_' where a function has its name");
	parse_advance(p);
	if (!parameters(p, &list, &list.narg) || !attributes(p, NULL))
		return false;
	to->formal = spread(p, &list);
	to->nret = list.nret;
	to->narg = list.narg;
	return parse_expect(p, ';', "';' after .callprototype");
}

/* .alias f, g; */
bool func_alias(struct parser *p)
{
	struct kernel *f[2];

	parse_advance(p);
	for (unsigned i = 0; i < 2; i++) {
		struct binding *b;
		uint32_t off;

		if (i && !parse_expect(p, ',', "','"))
			return false;
		off = p->t.off;
		if (p->t.kind != T_IDENT)
			return parse_error(p, off, "expected the name of a function");
		b = scope_find_module(p, scope_id(p, &p->t));
		if (b && b->kind == B_BROKEN)
			return false;
		if (!b || b->kind != B_FUNC)
			return parse_error(p, off, "'%.*s' is no function that is declared before",
					   (int)(p->t.len > 200 ? 200 : p->t.len), token_text(p));
		f[i] = p->m->func[b->value];
		if (!i && (f[0]->nblock || f[0]->broken || f[0]->alias))
			return parse_error(p, off, "'%s' is already defined", f[0]->name);
		if (i && !f[1]->nblock && !f[1]->broken)
			return parse_error(p, off, "'%s' is not defined before, so nothing can be its alias",
					   f[1]->name);
		if (i && !same_formals(f[0], f[1]->formal, &(struct list){ .nret = f[1]->nret, .narg = f[1]->narg }))
			return parse_error(p, off, "'%s' has other parameters than '%s'", f[1]->name, f[0]->name);
		if (i)
			f[0]->alias = b->value + 1;
		parse_advance(p);
	}
	return parse_expect(p, ';', "';' after .alias");
}

/* ---- what kernels may call ---- */
static void mark(struct parser *p, const struct kernel *k, uint32_t *stack, uint32_t *n, bool *seen)
{
	for (uint32_t s = 0; s < k->nsymref; s++)
		p->sym_used[k->symref[s].sym] = true;
	for (uint32_t c = 0; c < k->ncall; c++) {
		uint32_t f = k->call[c].func;

		if (!k->call[c].proto && !seen[f]) { /* what a register may call has had its address taken */
			seen[f] = true;
			stack[(*n)++] = f;
		}
	}
}

bool func_report_broken(struct parser *p)
{
	struct module *m = p->m;
	uint32_t *stack = new_array(&p->a, uint32_t, m->nfunc + 1), n = 0;
	bool *seen = new_array(&p->a, bool, m->nfunc + 1), ok = true;

	for (uint32_t k = 0; k < m->nkernel; k++)
		mark(p, m->kernel[k], stack, &n, seen);
	for (uint32_t f = 0; f < m->nfunc; f++)
		if (m->func[f]->address_taken && !seen[f]) {
			seen[f] = true;
			stack[n++] = f;
		}
	while (n) {
		const struct kernel *f = m->func[stack[--n]];

		if (f->alias && !seen[f->alias - 1]) {
			seen[f->alias - 1] = true;
			stack[n++] = f->alias - 1;
		}
		mark(p, f, stack, &n, seen);
	}
	for (uint32_t f = 0; f < m->nfunc; f++)
		if (seen[f] && m->func[f]->broken && !diag_full(p->d))
			ok = diag_replay(p->d, m->func[f]->broken, m->func[f]->nbroken);
	return ok;
}

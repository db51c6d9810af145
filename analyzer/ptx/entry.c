/* Kernels' headers: parameters with their offsets in constant bank 0, launch bounds; and .reg declarations. */
#include "parse.h"

#include <string.h>

static uint32_t align_up(uint32_t v, uint32_t to) { return (v + to - 1) / to * to; }

/* .param .align 4 .b8 p[32] | .param .u64 .ptr .global .align 16 p */
static bool parameter(struct parser *p, struct kernel *k, uint32_t *top)
{
	enum scalar_type type = TY_COUNT;
	unsigned vec = 1;
	uint32_t align = 0, at, id, elem;
	uint64_t n = 1;
	struct binding *b;
	struct konst c;
	bool array = false;

	if (!token_is(p, ".param"))
		return parse_error(p, p->t.off, "expected .param");
	parse_advance(p);
	while (p->t.kind == T_DOT && !token_is(p, ".ptr")) {
		at = p->t.off;
		if (token_is(p, ".align")) {
			parse_advance(p);
			at = p->t.off;
			if (!parse_u32(p, &align, "an alignment"))
				return false;
			if (!align || align & (align - 1) || align > 128)
				return parse_error(p, at, "a parameter's alignment is a power of two up to 128");
			continue;
		}
		if (token_is(p, ".v2") || token_is(p, ".v4")) {
			vec = (unsigned)(token_text(p)[2] - '0');
		} else if (type == TY_COUNT &&
			   (token_is(p, ".texref") || token_is(p, ".samplerref") || token_is(p, ".surfref"))) {
			type = TY_U64; /* the handle */
		} else {
			if (type != TY_COUNT)
				return parse_error(p, at, "expected a name");
			type = type_find(token_text(p) + 1, p->t.len - 1);
			if (type == TY_COUNT || type == TY_PRED || type_info[type].kind == 'x')
				return parse_error(p, at, "'%.*s' is not the type of a parameter%s",
						   (int)(p->t.len > 100 ? 100 : p->t.len), token_text(p),
						   type == TY_COUNT ? suggest_type(p) : "");
		}
		parse_advance(p);
	}
	if (type == TY_COUNT)
		return parse_error(p, p->t.off, "expected a type");
	/* Before PTX 2.3 no directive said how wide addresses are: as wide as the host's, whose pointers come here. */
	if (p->m->ptx_version < 23 && type_info[type].bits == 64 && type_info[type].kind != 'f')
		p->m->address_bits = 64;
	if (token_is(p, ".ptr")) { /* facts about what the pointer points to; the value is not changed */
		uint32_t pointee;

		parse_advance(p);
		while (p->t.kind == T_DOT) {
			bool is_align = token_is(p, ".align");

			if (!is_align && !token_is(p, ".texref") && !token_is(p, ".samplerref") &&
			    !token_is(p, ".surfref") && !token_is(p, ".global") && !token_is(p, ".const") &&
			    !token_is(p, ".shared") && !token_is(p, ".local"))
				return parse_error(p, p->t.off, "expected a state space, .align or a name");
			parse_advance(p);
			if (is_align && !parse_u32(p, &pointee, "an alignment"))
				return false;
		}
	}
	at = p->t.off;
	if (p->t.kind != T_IDENT)
		return parse_error(p, at, "expected the parameter's name");
	id = scope_id(p, &p->t);
	parse_advance(p);
	while (parse_accept(p, '[')) {
		array = true;
		if (!expr_parse_int(p, &c))
			return false;
		if (!c.i || c.i > PARAM_MAX_BYTES || n * c.i > PARAM_MAX_BYTES)
			return parse_error(p, at, "a kernel's parameters take at most %d bytes", PARAM_MAX_BYTES);
		n *= c.i;
		if (!parse_expect(p, ']', "']'"))
			return false;
	}
	elem = type_info[type].bits / 8u * vec;
	if (!align)
		align = elem;
	*top = align_up(*top, align);
	if (*top + n * elem > PARAM_MAX_BYTES)
		return parse_error(p, at, "a kernel's parameters take at most %d bytes", PARAM_MAX_BYTES);
	b = scope_declare(p, id, B_PARAM, at, 0);
	if (!b)
		return false;
	b->value = k->nparam;
	arena_grow(k->a, k->param, k->nparam, k->param_cap);
	k->param[k->nparam++] = (struct param){
		.name = scope_name(p, id),
		.offset = *top,
		.size = (uint32_t)n * elem,
		.align = align,
		.type = (uint8_t)type,
		.array = array || vec > 1,
	};
	*top += (uint32_t)n * elem;
	return true;
}

static bool parameters(struct parser *p, struct kernel *k)
{
	uint32_t top = 0;

	if (!parse_accept(p, '('))
		return true;
	if (!parse_accept(p, ')')) {
		do {
			if (!parameter(p, k, &top))
				return false;
		} while (parse_accept(p, ','));
		if (!parse_expect(p, ')', "',' or ')'"))
			return false;
	}
	k->res.param_bytes = top;
	return true;
}

static bool dimensions3(struct parser *p, uint32_t v[3], uint32_t most, const char *limit)
{
	for (unsigned i = 0; i < 3; i++)
		v[i] = 1;
	for (unsigned i = 0;; i++) {
		uint32_t at = p->t.off;

		if (!parse_u32(p, &v[i], "a block size"))
			return false;
		if (!v[i] || v[i] > most)
			return parse_error(p, at, "%s", limit);
		if (i == 2 || !parse_accept(p, ','))
			return true;
	}
}

#define CLUSTER_LIMIT "a cluster has 1 to 16 CTAs"
_Static_assert(CLUSTER_MAX == 16, "CLUSTER_LIMIT says so");

static bool required_cluster(struct parser *p, struct kernel *k)
{
	uint32_t at = p->t.off;

	return dimensions3(p, k->cluster, CLUSTER_MAX, CLUSTER_LIMIT) &&
	       (k->cluster[0] * k->cluster[1] * k->cluster[2] <= CLUSTER_MAX || parse_error(p, at, CLUSTER_LIMIT));
}

/* The directives between the parameters and the body. */
static bool bounds(struct parser *p, struct kernel *k)
{
	uint32_t ignore, blocks = 0;

	while (p->t.kind == T_DOT) {
		bool known, ok = true;

		module_directive(p, &known);
		if (known)
			continue;
		if (token_is(p, ".maxntid") || token_is(p, ".reqntid")) {
			uint32_t *v = token_is(p, ".maxntid") ? k->maxntid : k->reqntid;

			parse_advance(p);
			ok = dimensions3(p, v, 1024, "a block has 1 to 1024 threads in a dimension");
		} else if (token_is(p, ".minnctapersm") || token_is(p, ".maxnreg") || token_is(p, ".maxnctapersm")) {
			uint32_t *v = token_is(p, ".maxnreg") ? &k->maxnreg : &ignore;

			if (token_is(p, ".minnctapersm"))
				v = &k->minnctapersm;

			parse_advance(p);
			ok = parse_u32(p, v, "this number");
		} else if (token_is(p, ".reqnctapercluster")) {
			parse_advance(p);
			ok = required_cluster(p, k);
		} else if (token_is(p, ".maxclusterrank")) {
			parse_advance(p);
			ok = parse_u32(p, &k->max_cluster, "this number");
		} else if (token_is(p, ".explicitcluster") || token_is(p, ".blocksareclusters")) {
			k->explicit_cluster = true;
			if (token_is(p, ".blocksareclusters"))
				blocks = p->t.off;
			parse_advance(p);
		} else if (token_is(p, ".noreturn")) {
			parse_advance(p);
		} else {
			break;
		}
		if (!ok)
			return false;
	}
	return !blocks || k->cluster[0] * k->cluster[1] * k->cluster[2] <= 1 ||
	       parse_error(p, blocks,
			   "'.blocksareclusters' is not supported with clusters of several CTAs: its launches count "
			   "clusters, not CTAs");
}

/* Ends what entry_parse() began; without a body the kernel is only declared. */
static void end_kernel(struct parser *p, bool keep)
{
	if (!keep) {
		p->m->nkernel--;
		p->m->kernel[p->m->nkernel] = NULL;
	}
	p->k = NULL;
	p->line = 0;
}

/* The current token, in a body that is not read, names a function that other kernels may then call through a
 * pointer. */
static void take_elsewhere(struct parser *p)
{
	struct binding *b = scope_find_module(p, scope_id(p, &p->t));

	if (!b || b->kind != B_FUNC)
		return;
	if (b->value >= p->nelsewhere) {
		bool *wider = new_array(&p->a, bool, p->m->func_cap);

		if (p->nelsewhere)
			memcpy(wider, p->elsewhere, p->nelsewhere * sizeof *wider);
		p->elsewhere = wider;
		p->nelsewhere = p->m->func_cap;
	}
	p->elsewhere[b->value] = true;
}

/* The same where there is no function to name: without reading its words. */
static void skip_text(struct parser *p)
{
	const char *text = p->src->text;
	uint32_t depth = 1, at = p->lx.at, open = p->t.off;
	const uint32_t n = (uint32_t)p->src->len;

	for (; at < n && depth; at++) {
		const char c = text[at];

		if (c == '{') {
			depth++;
		} else if (c == '}') {
			depth--;
		} else if (c == '"') {
			for (at++; at < n && text[at] != '"' && text[at] != '\n'; at++)
				at += text[at] == '\\' && at + 1 < n && text[at + 1] == '"';
		} else if (c == '/' && at + 1 < n && text[at + 1] == '/') {
			while (at < n && text[at] != '\n')
				at++;
		} else if (c == '/' && at + 1 < n && text[at + 1] == '*') {
			for (at += 2; at + 1 < n && (text[at] != '*' || text[at + 1] != '/'); at++)
				;
			at++;
		}
	}
	p->lx.at = at < n ? at : n;
	parse_advance(p);
	if (depth)
		parse_error(p, open, "the kernel's body is not closed");
}

/* From "{" to behind the "}" that closes it. Every function that a statement names takes its address, but for the one
 * that a call names; of the tables that list functions too. */
static void skip_body(struct parser *p)
{
	uint32_t depth = 0, open = p->t.off;
	bool first = true, guard = false, call = false;

	if (!p->m->nfunc) {
		skip_text(p);
		return;
	}
	do {
		depth += p->t.kind == '{';
		depth -= p->t.kind == '}';
		if (p->t.kind == T_END) {
			parse_error(p, open, "the kernel's body is not closed");
			return;
		}
		if (p->t.kind == '@') {
			guard = true;
		} else if (p->t.kind == T_IDENT && guard) {
			guard = false;
		} else if (p->t.kind == T_IDENT && first) {
			call = token_is(p, "call");
			first = false;
		} else if (p->t.kind == T_IDENT) {
			if (!call && *token_text(p) != '%')
				take_elsewhere(p);
		} else if (p->t.kind != '!') {
			first = p->t.kind == ';' || p->t.kind == '{' || p->t.kind == '}' || p->t.kind == ':';
			call &= !first;
		}
		parse_advance(p);
	} while (depth);
}

/* From behind the name of a kernel that nobody asks for to behind its body, if it has one. What is wrong with it is
 * said once it is asked for. */
static void skip_kernel(struct parser *p)
{
	bool pragma = false;

	while (p->t.kind != T_END && p->t.kind != '{' && (p->t.kind != ';' || pragma)) {
		pragma = token_is(p, ".pragma") || (pragma && p->t.kind != ';');
		parse_advance(p);
	}
	if (p->t.kind == '{')
		skip_body(p);
	else if (p->t.kind == ';')
		parse_advance(p);
	else
		parse_error(p, p->t.off, "expected the kernel's body");
}

bool entry_parse(struct parser *p, struct linkage l)
{
	uint32_t id, off;
	struct binding *b;
	bool ok;

	if (l.common)
		return parse_error(p, p->t.off, "a kernel is not .common");
	parse_advance(p);
	off = p->t.off;
	if (p->t.kind != T_IDENT)
		return parse_error(p, off, "expected the kernel's name");
	id = scope_id(p, &p->t);
	parse_advance(p);
	b = scope_find_module(p, id);
	if (!(b && b->kind == B_KERNEL && !b->value))
		b = scope_declare(p, id, B_KERNEL, off, 0);
	p->k = kernel_new(p->m, scope_name(p, id));
	p->k->at = parse_loc(p, off);
	p->kernel = p->m->nkernel;
	p->ncparam = p->ntable = 0;
	if (!scope_push(p)) {
		end_kernel(p, false);
		return false;
	}
	if (p->only && !p->named(p->k->name, p->only)) {
		skip_kernel(p);
		scope_pop(p);
		end_kernel(p, false);
		return true;
	}
	ok = (parameters(p, p->k) || scope_give_up(p)) && bounds(p, p->k);
	if (p->t.kind == ';' && ok) {
		parse_advance(p);
		scope_pop(p);
		end_kernel(p, false);
		return true;
	}
	if (ok && p->t.kind != '{')
		ok = parse_error(p, p->t.off, "expected the kernel's body");
	/* After a wrong header the body is read all the same, for the other errors in it. */
	while (!ok && p->t.kind != '{' && p->t.kind != T_END &&
	       !(p->t.kind == T_DOT && p->t.first && !token_is(p, ".param")))
		parse_advance(p);
	if (p->t.kind == '{') {
		parse_advance(p);
		body_parse(p);
		if (b)
			b->value = 1;
		end_kernel(p, true);
	} else {
		scope_pop(p);
		end_kernel(p, false);
	}
	return true;
}

bool entry_parse_reg(struct parser *p)
{
	enum scalar_type type;
	unsigned vec;
	uint32_t align, at = p->t.off;

	parse_advance(p);
	if (!data_type(p, &type, &vec, &align))
		return false;
	type = p->map_f64 && type == TY_F64 ? TY_F32 : type;
	if (type == TY_B128)
		return parse_error(p, at, "registers of 128 bits are not supported");
	do {
		uint32_t id, off = p->t.off, count = 0;
		struct binding *b;

		if (p->t.kind != T_IDENT)
			return parse_error(p, off, "expected a register's name");
		id = scope_id(p, &p->t);
		parse_advance(p);
		if (parse_accept(p, '<')) {
			uint32_t n_at = p->t.off;

			if (p->t.kind != T_INT)
				return parse_error(p, n_at, "expected a number of registers");
			count = p->t.value > REG_MAX ? REG_MAX + 1 : (uint32_t)p->t.value;
			parse_advance(p);
			if (!parse_expect(p, '>', "'>'"))
				return false;
			if (!count || count > REG_MAX)
				return parse_error(p, n_at, "a range has 1 to %d registers", REG_MAX);
		}
		b = scope_declare(p, id, B_REG, off, count);
		if (b) {
			b->type = (uint8_t)type;
			b->vec = (uint8_t)vec;
		}
	} while (parse_accept(p, ','));
	return parse_expect(p, ';', "';' after a declaration");
}

/* Names. Scopes nest; registers, variables, parameters and labels share one name space in each. A declaration is linked
 * twice: from its name, innermost first, and from its scope, so that look-up and leaving a scope cost constant time
 * each. A range (.reg .b32 %r<43>) is one declaration; a register of it comes into being at its first use. */
#include "parse.h"

#include <string.h>

uint32_t scope_id(struct parser *p, const struct token *t)
{
	uint32_t id = intern_id(&p->m->names, p->src->text + t->off, t->len);

	if (id >= p->name_cap) {
		uint32_t cap = p->name_cap ? p->name_cap : 256;
		struct binding **single, **range;

		while (cap <= id)
			cap *= 2;
		single = new_array(&p->a, struct binding *, cap);
		range = new_array(&p->a, struct binding *, cap);
		if (p->name_cap) {
			memcpy(single, p->single, p->name_cap * sizeof *single);
			memcpy(range, p->range, p->name_cap * sizeof *range);
		}
		p->single = single;
		p->range = range;
		p->name_cap = cap;
	}
	return id;
}

bool scope_push(struct parser *p)
{
	if (p->depth + 1 == SCOPE_MAX)
		return parse_error(p, p->t.off, "scopes are nested deeper than %d", SCOPE_MAX - 1);
	p->scope[++p->depth] = (struct scope){ 0 };
	return true;
}

void scope_pop(struct parser *p)
{
	struct scope *s = &p->scope[p->depth];
	struct label_ref *r, *next;

	for (r = s->refs; r; r = next) {
		struct binding *b = p->single[r->id];

		next = r->next;
		if (b && b->kind == B_LABEL && b->depth == p->depth) {
			if (r->table)
				p->k->target[r->opnd].block = b->value;
			else
				p->k->opnd[r->opnd] = (struct ref){ .kind = REF_BLOCK, .val = b->value & REF_VAL_MAX };
		} else if (p->depth > 1) {
			r->next = s[-1].refs;
			s[-1].refs = r;
		} else {
			if (!b)
				b = scope_find(p, r->id);
			if (b && b->kind != B_BROKEN)
				parse_error(p, r->off, "'%s' is not a label", scope_name(p, r->id));
			else if (!b)
				parse_error(p, r->off, "label '%s' is not defined in this kernel%s",
					    scope_name(p, r->id), suggest_name(p, r->id, 1 << B_LABEL));
		}
	}
	for (struct binding *b = s->names; b; b = b->next) {
		struct binding **head = b->count ? &p->range[b->id] : &p->single[b->id];

		*head = b->outer;
	}
	p->depth--;
}

/* The innermost range, not outside depth `least`, that holds the register called TEXT; its number in *index. */
static struct binding *find_range(struct parser *p, const char *text, uint32_t least, uint32_t *index)
{
	size_t len = strlen(text), cut = len;
	uint64_t number = 0, ten = 1;
	struct binding *best = NULL;

	while (cut > 1 && len - cut < 8 && text[cut - 1] >= '0' && text[cut - 1] <= '9') {
		uint32_t id;

		cut--;
		number += (uint64_t)(text[cut] - '0') * ten;
		ten *= 10;
		if (text[cut] == '0' && cut + 1 < len)
			continue; /* no leading zeros: %r<10> has no %r01 */
		id = intern_find(&p->m->names, text, cut);
		if (id == INTERN_NONE || id >= p->name_cap)
			continue;
		for (struct binding *b = p->range[id]; b && b->depth >= least; b = b->outer)
			if (b->count > number) {
				if (!best || b->depth > best->depth) {
					best = b;
					*index = (uint32_t)number;
				}
				break;
			}
	}
	return best;
}

static bool declared_twice(struct parser *p, uint32_t off, const char *name, uint32_t before)
{
	unsigned line, col;

	loc_line_col(parse_loc(p, before), &line, &col);
	return parse_error(p, off, "'%s' is already declared on line %u", name, line);
}

/* Links b in at its depth: outer scopes may get a register of a range while inner declarations of the name exist. */
static void link_binding(struct parser *p, struct binding *b)
{
	struct binding **at = b->count ? &p->range[b->id] : &p->single[b->id];
	struct scope *s = &p->scope[b->depth];

	while (*at && (*at)->depth > b->depth)
		at = &(*at)->outer;
	b->outer = *at;
	*at = b;
	b->next = s->names;
	s->names = b;
}

struct binding *scope_declare(struct parser *p, uint32_t id, enum bind_kind kind, uint32_t off, uint32_t count)
{
	struct binding *b = count ? p->range[id] : p->single[id];
	uint32_t index;

	if (!count && !(b && b->depth == p->depth)) {
		struct binding *r = find_range(p, scope_name(p, id), p->depth, &index);

		if (r)
			b = r;
	}
	if (b && b->depth == p->depth && b->kind != B_BROKEN) {
		declared_twice(p, off, scope_name(p, id), b->off);
		return NULL;
	}
	b = new(&p->a, struct binding);
	*b = (struct binding){
		.id = id, .off = off, .depth = p->depth, .kind = (uint8_t)kind, .vec = 1, .count = count
	};
	link_binding(p, b);
	if (count)
		p->scope[p->depth].nrange++;
	b->ranges_seen = p->scope[p->depth].nrange;
	return b;
}

struct binding *scope_find(struct parser *p, uint32_t id)
{
	struct binding *b = p->single[id], *r;
	uint32_t index = 0, least = b ? b->depth : 0;
	bool look = !b || b->ranges_seen != p->scope[b->depth].nrange;

	for (uint32_t d = p->depth; !look && d > least; d--)
		look = p->scope[d].nrange != 0;
	if (!look)
		return b;
	r = find_range(p, scope_name(p, id), least, &index);
	if (b && r && r->depth == b->depth && b->ranges_seen < p->scope[b->depth].nrange && b->kind != B_BROKEN &&
	    r->kind != B_BROKEN && (b->kind != B_REG || b->off != r->off))
		declared_twice(p, r->off, scope_name(p, id), b->off);
	if (b)
		b->ranges_seen = p->scope[b->depth].nrange;
	if (!r || (b && r->depth <= b->depth))
		return b;
	b = new(&p->a, struct binding);
	*b = *r;
	b->id = id;
	b->count = 0;
	b->ranges_seen = p->scope[b->depth].nrange;
	link_binding(p, b);
	return b;
}

bool scope_give_up(struct parser *p)
{
	unsigned open = 0;

	for (; p->t.kind != T_END && p->t.kind != ';' && p->t.kind != '=' && p->t.kind != '{' && p->t.kind != '}';
	     parse_advance(p)) {
		struct binding *b;
		uint32_t id;

		if (p->t.kind == ')' && !open--)
			break;
		open += p->t.kind == '(';
		if (p->t.kind != T_IDENT)
			continue;
		id = scope_id(p, &p->t);
		b = scope_find(p, id);
		if (!(b && b->depth == p->depth) && !(p->range[id] && p->range[id]->depth == p->depth))
			scope_declare(p, id, B_BROKEN, p->t.off, lex_ahead(&p->lx).kind == '<' ? REG_MAX : 0);
	}
	return false;
}

struct binding *scope_find_module(struct parser *p, uint32_t id)
{
	struct binding *b = p->single[id];

	while (b && b->depth)
		b = b->outer;
	return b;
}

void scope_refer(struct parser *p, uint32_t id, uint32_t off, uint32_t opnd, bool table)
{
	struct label_ref *r = new(&p->a, struct label_ref);

	*r = (struct label_ref){ p->scope[p->depth].refs, id, off, opnd, table };
	p->scope[p->depth].refs = r;
}

bool scope_register(struct parser *p, struct binding *b, uint32_t off, uint32_t *r)
{
	const struct type_info *t = &type_info[b->type];
	const enum reg_class wide = t->bits == 64 ? RC_64 : RC_32, rc = t->bits == 1 ? RC_PRED : wide;

	if (b->kernel != p->kernel) {
		if (p->k->nvreg + b->vec > REG_MAX)
			return parse_error(p, off, "the kernel uses more than %d registers", REG_MAX);
		b->kernel = p->kernel;
		b->value = p->k->nvreg;
		for (unsigned v = 0; v < b->vec; v++) {
			const char *name = scope_name(p, b->id);

			ir_vreg(p->k, b->vec == 1 ? name : arena_printf(p->m->a, "%s.%c", name, "xyzw"[v]), rc,
				t->bits);
		}
	}
	*r = b->value;
	return true;
}

/* Calls of functions of the runtime, which the driver has: printf, assert, malloc, free. A linked file calls them
 * through a register that it loads from constant bank 4, where a relocation against an undefined symbol says which it
 * is:
 *
 *     MOV R0, 0x38 ;   LDC.64 R2, c[0x4][R0] ;   ...   CALL.ABS.NOINC R2 ;          .rela.nv.constant4: 0x38 vprintf
 *
 * Sought backwards from the call as far as control runs straight; where that finds no such load, or where control may
 * come in from a place that is not known, the call stays one of a function that a register names. In a file that is not
 * linked another one may have a function of that name. */
#include "analyzer/ir/runtime.h"
#include "analyzer/sass/lift_code.h"
#include "analyzer/sass/table.h"

#include <string.h>

struct search {
	const struct lift_kernel *x;
	const uint64_t *entered; /* instructions that control enters from elsewhere than the one before */
	uint32_t table;          /* section with bank 4 */
};

/* ---- code ---- */
/* NULL: control may go where nothing is known. */
static uint64_t *find_entered(const struct lift_kernel *x, struct arena *a)
{
	uint64_t *entered = bitset_new(a, x->k->ninsn);

	for (uint32_t p = 0; p < x->npart; p++)
		if (x->part[p].n)
			bitset_add(entered, x->part[p].first);
	for (uint32_t n = 0; n < x->njump; n++) {
		const struct jump *j = &x->jump[n];
		const struct cubin_range *r =
			j->class == SCLASS_BRANCH_INDIRECT ? lift_range(x, j->shndx, lift_address(x, j->insn)) : NULL;
		const uint32_t to = j->known ? lift_insn_at(x, j->shndx, j->to) : NOWHERE;

		if ((j->class == SCLASS_BRANCH_INDIRECT && !r) || (j->class == SCLASS_BRANCH && !j->known))
			return NULL;
		if (to != NOWHERE)
			bitset_add(entered, to);
		for (uint32_t t = 0; r && t < r->ntarget; t++) {
			const uint32_t i = lift_insn_at(x, j->shndx, x->l->c->target[r->target_first + t]);

			if (i != NOWHERE)
				bitset_add(entered, i);
		}
	}
	return entered;
}

/* The last instruction before i that writes register r; NOWHERE. */
static uint32_t writer(const struct search *q, uint32_t i, uint32_t r)
{
	const struct kernel *k = q->x->k;

	while (i && !bitset_has(q->entered, i)) {
		const struct insn *x = &k->insn[--i];

		if (op_info[x->op].flags & OPF_UNKNOWN ||
		    (op_info[x->op].flags & OPF_END && x->op != OP_SASS_BRANCH && x->op != OP_SASS_EXIT))
			return NOWHERE;
		for (unsigned d = 0; d < x->ndst; d++)
			if (insn_dst(k, x)[d].val == r)
				return i;
	}
	return NOWHERE;
}

/* Decodes instruction i if it is always executed and no relocation changes it. */
static bool decode(const struct search *q, uint32_t i, struct sass_insn *s)
{
	const struct lift_kernel *x = q->x;
	const uint32_t shndx = x->l->piece[x->part[lift_part_of(x, i)].piece].shndx;

	return x->k->insn[i].guard.kind == REF_NONE && !lift_reloc(x->l, shndx, lift_address(x, i), WORD_BYTES) &&
	       sass_decode_words(x->l->c->sm, x->word[i], s);
}

static const struct sass_operand *operand(const struct sass_insn *s, enum sass_role r)
{
	for (unsigned o = 0; o < s->nop; o++)
		if (s->op[o].role == r)
			return &s->op[o];
	return NULL;
}

static bool is_zero(const struct sass_operand *o) { return o && o->kind == SASS_GPR && o->reg == SASS_ZERO; }

/* The number that register r holds before instruction i: of MOV, IMAD RZ, RZ, or HFMA2 -RZ, RZ. */
static bool number(const struct search *q, uint32_t i, uint32_t r, uint64_t *value)
{
	const uint32_t w = writer(q, i, r);
	const struct sass_operand *b, *c;
	struct sass_insn s;

	if (w == NOWHERE || !decode(q, w, &s) || q->x->k->insn[w].ndst != 1)
		return false;
	b = operand(&s, SROLE_B);
	c = operand(&s, SROLE_C);
	if (strcmp(sass_mnemonic(&s), "MOV") == 0 && b && b->kind == SASS_INT)
		*value = b->value;
	else if (strcmp(sass_mnemonic(&s), "IMAD") == 0 && !sass_has(&s, "HI") && !sass_has(&s, "X") &&
		 is_zero(operand(&s, SROLE_A)) && is_zero(b) && c && c->kind == SASS_INT)
		*value = c->value;
	else if (strcmp(sass_mnemonic(&s), "HFMA2") == 0 && is_zero(operand(&s, SROLE_A)) &&
		 operand(&s, SROLE_A)->neg && is_zero(b) && !b->neg && c && c->kind == SASS_F16X2 && !c->neg &&
		 sass_mod(&s, "ftz") <= 0 && sass_mod(&s, "sat") <= 0 && sass_mod(&s, "hrelu") <= 0 &&
		 sass_mod(&s, "hf32") <= 0)
		*value = c->value;
	else
		return false;
	*value &= UINT32_MAX;
	return true;
}

/* The place in bank 4 that register r and the one behind it are loaded from. */
static bool place(const struct search *q, uint32_t i, uint32_t r, uint64_t *at)
{
	const uint32_t w = writer(q, i, r);
	const struct sass_operand *a, *b;
	uint64_t index = 0;
	struct sass_insn s;

	if (w == NOWHERE || writer(q, i, r + 1) != w || !decode(q, w, &s) || strcmp(sass_mnemonic(&s), "LDC") != 0 ||
	    q->x->k->insn[w].ndst != 2 || sass_mod(&s, "ldcmode") > 0)
		return false;
	a = operand(&s, SROLE_A);
	b = operand(&s, SROLE_B);
	if (!a || a->kind != SASS_GPR || !b || b->kind != SASS_CONST || b->bindless || b->bank != 4)
		return false;
	if (a->reg != SASS_ZERO && !number(q, w, a->reg, &index))
		return false;
	*at = b->value + index;
	return true;
}

/* ---- data ---- */
static uint32_t find_table(const struct cubin *c)
{
	uint32_t found = 0;

	for (uint32_t s = 1; s < c->nsection; s++)
		if (c->section[s].name && strcmp(c->section[s].name, ".nv.constant4") == 0)
			found = found ? NOWHERE : s;
	return found && found != NOWHERE ? found : 0;
}

/* What the loader puts there, if that is one of these functions and nothing else. */
static const struct host_info *function_at(const struct search *q, uint64_t at)
{
	enum { DATA_64 = 2, FUNC_64 = 102, ADDRESS = 8, TYPE_FUNC = 2 };
	const struct cubin *c = q->x->l->c;
	const struct cubin_section *s = &c->section[q->table];
	const struct cubin_reloc *r = lift_reloc(q->x->l, q->table, at, ADDRESS);
	const struct cubin_symbol *y;
	enum host_function f;

	if (!s->bytes || at % ADDRESS || s->size < ADDRESS || at > s->size - ADDRESS || !r || r->offset != at ||
	    (r->type != DATA_64 && r->type != FUNC_64) || r->addend ||
	    memcmp(s->bytes + at, (const uint8_t[ADDRESS]){ 0 }, ADDRESS) != 0 ||
	    (r + 1 < c->reloc + c->nreloc && r[1].shndx == r->shndx && r[1].offset - at < ADDRESS))
		return NULL;
	y = &c->symbol[r->symbol];
	f = !y->shndx && y->type == TYPE_FUNC && y->name ? host_function(y->name) : HOST_COUNT;
	return f == HOST_COUNT ? NULL : &host_info[f];
}

/* ---- calls ---- */
static const struct host_info *callee(const struct search *q, const struct jump *j)
{
	const struct insn *x = &q->x->k->insn[j->insn];
	uint32_t reg[2], n = 0;
	struct sass_insn s;
	uint64_t at;

	if (!decode(q, j->insn, &s) || s.has_target)
		return NULL;
	for (unsigned o = 0; o < x->nsrc; o++) {
		const struct ref r = insn_src(q->x->k, x)[o];

		if (r.kind != REF_REG || !mreg_is_general(r.val) || n == 2)
			return NULL;
		reg[n++] = r.val;
	}
	return n == 2 && reg[1] == reg[0] + 1 && place(q, j->insn, reg[0], &at) ? function_at(q, at) : NULL;
}

uint32_t lift_arguments(const struct host_info *r)
{
	uint32_t set = 0;
	unsigned at = 0;

	for (const char *c = r->sizes + 1; *c; c++) {
		const unsigned n = host_words(*c);

		at += n == 2 && at % 2;
		set |= ((1u << n) - 1) << at;
		at += n;
	}
	return set;
}

void lift_runtime(struct lift_kernel *x, struct arena *a)
{
	struct search q = { .x = x };
	bool asked = false;

	for (uint32_t n = 0; n < x->njump && !x->l->c->relocatable; n++) {
		if (x->jump[n].class != SCLASS_CALL_INDIRECT)
			continue;
		if (!asked) { /* among all sections of the file, which few kernels need */
			q.table = find_table(x->l->c);
			q.entered = q.table ? find_entered(x, a) : NULL;
		}
		asked = true;
		x->jump[n].runtime = q.entered ? callee(&q, &x->jump[n]) : NULL;
	}
}

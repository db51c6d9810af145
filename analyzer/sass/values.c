/* The frame of a kernel of values: blocks and control as they are, an instruction for each register that is not
 * understood. */
#include "analyzer/sass/values.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of work among which are instructions that value_of() knows: others are not decoded again. */
static bool may_be_known(const struct insn *i, const uint64_t word[2])
{
	switch (i->op) {
	case OP_SASS_FMAD: /* HFMA2 */
		return (word[0] & 0x1ff) == 0x031 || (word[0] & 0x1ff) == 0x035;
	case OP_SASS_MOVE:
	case OP_SASS_INT:
	case OP_SASS_MINMAX:
	case OP_SASS_IMAD:
	case OP_SASS_PRED:
	case OP_SASS_UNIFORM:
	case OP_SASS_SPECIAL:
		return true;
	case OP_SASS_LOAD:
		return i->space == SP_CONST;
	}
	return false;
}

static int by_number(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static bool is_relocated(const struct native *n, uint32_t i)
{
	return n->nrelocated && bsearch(&i, n->relocated, n->nrelocated, sizeof i, by_number);
}

static void guard_as(struct insn *to, const struct insn *i)
{
	to->guard = i->guard;
	to->mods = i->mods & (MOD_KILLS | MOD_KILLS_PREDS);
}

void value_put_two(struct values *v, enum op op, struct ref d, struct ref e, const struct ref *src, unsigned nsrc)
{
	const unsigned ndst = e.kind == REF_NONE ? 1 : 2;
	struct insn *x = ir_append(v->to, op, ndst, nsrc);

	insn_dst(v->to, x)[0] = d;
	if (ndst == 2)
		insn_dst(v->to, x)[1] = e;
	for (unsigned s = 0; s < nsrc; s++)
		insn_src(v->to, x)[s] = src[s];
	if (d.kind == REF_REG && d.val >= MREG_ALL)
		return;
	guard_as(x, v->i);
	for (unsigned n = 0; n < ndst; n++)
		if (insn_dst(v->to, x)[n].kind == REF_REG && v->ndone < VALUE_DONE)
			v->done[v->ndone++] = insn_dst(v->to, x)[n].val;
}

void value_put(struct values *v, enum op op, struct ref d, const struct ref *src, unsigned nsrc)
{
	value_put_two(v, op, d, ref_none(), src, nsrc);
}

static bool is_done(const struct values *v, struct ref r)
{
	for (unsigned n = 0; n < v->ndone; n++)
		if (r.kind == REF_REG && r.val == v->done[n])
			return true;
	return false;
}

/* Its destinations that have no values. */
static void put_unknown(struct values *v)
{
	const struct ref *d = insn_dst(v->k, v->i);
	unsigned n = 0, at = 0;
	struct insn *x;

	for (unsigned s = 0; s < v->i->ndst; s++)
		n += !is_done(v, d[s]);
	if (!n && v->ndone)
		return;
	x = ir_append(v->to, n ? OP_SASS_OTHER : OP_SASS_NOP, n, 0);
	guard_as(x, v->i);
	for (unsigned s = 0; s < v->i->ndst; s++)
		if (!is_done(v, d[s]))
			insn_dst(v->to, x)[at++] = d[s];
}

/* Where control goes stays; where two conditions decide, or the lanes together, nobody knows the guard. */
static void put_control(struct values *v)
{
	const struct insn *i = v->i;
	const bool branch = op_info[i->op].flags & OPF_BRANCH;
	struct insn *x = ir_append(v->to, i->op, 0, branch);

	if (branch)
		insn_src(v->to, x)[0] = insn_src(v->k, i)[i->nsrc - 1];
	guard_as(x, i);
	x->offset = i->offset;
	if (i->mods & MOD_MAY)
		x->guard = ref_reg(VALUE_P_UNKNOWN);
}

static void put_insn(struct values *v, uint32_t n)
{
	struct sass_insn s;
	unsigned preds = 0;
	bool over_guard = false;

	v->i = &v->k->insn[n];
	v->ndone = 0;
	if (op_info[v->i->op].flags & OPF_END) {
		put_control(v);
		return;
	}
	if (op_info[v->i->op].flags & OPF_UNKNOWN) {
		ir_append(v->to, OP_SASS_UNKNOWN, 0, 0);
		return;
	}
	for (unsigned d = 0; d < v->i->ndst; d++) {
		struct ref r = insn_dst(v->k, v->i)[d];

		preds += r.kind == REF_REG && mreg_is_pred(r.val);
		over_guard |= r.kind == REF_REG && v->i->guard.kind == REF_REG && r.val == v->i->guard.val;
	}
	/* of several instructions under a guard that the first one may change, the others would be under another */
	if (v->i->ndst && may_be_known(v->i, v->k->native->word[n]) && !(v->i->mods & MOD_MAY) &&
	    !(over_guard && preds > 1) && !is_relocated(v->k->native, n) &&
	    sass_decode(v->k->native->sm, (struct sass_word){ v->k->native->word[n][0], v->k->native->word[n][1] }, &s))
		value_of(v, &s);
	put_unknown(v);
}

static void declare_registers(struct kernel *to, struct arena *a)
{
	to->vreg = new_array(a, struct vreg, VALUE_COUNT);
	to->nvreg = to->vreg_cap = VALUE_COUNT;
	for (uint32_t r = 0; r < VALUE_COUNT; r++) {
		const bool pred = r >= VALUE_P0 || (r < MREG_ALL && mreg_is_pred(r)),
			   wide = r == VALUE_D0 || r == VALUE_D1;

		to->vreg[r].rc = wide ? RC_64 : RC_32;
		if (pred)
			to->vreg[r].rc = RC_PRED;
		to->vreg[r].bits = (uint8_t)reg_class_bits(to->vreg[r].rc);
	}
}

struct kernel *sass_values(const struct kernel *k, struct arena *a)
{
	struct kernel *to = new(a, struct kernel);
	struct values v = { .k = k, .to = to };

	*to = (struct kernel){
		.m = k->m,
		.a = a,
		.name = k->name,
		.form = FORM_VIRTUAL,
		.native = k->native,
		.cfg = k->cfg,
		.dom = k->dom,
		.pdom = k->pdom,
		.param = k->param,
		.nparam = k->nparam,
		.proc = k->proc,
		.nproc = k->nproc,
		.table = k->table,
		.ntable = k->ntable,
		.target = k->target,
		.ntarget = k->ntarget,
	};
	memcpy(to->maxntid, k->maxntid, sizeof to->maxntid);
	memcpy(to->reqntid, k->reqntid, sizeof to->reqntid);
	memcpy(to->cluster, k->cluster, sizeof to->cluster);
	declare_registers(to, a);
	for (uint32_t b = 0; b < k->nblock; b++) {
		ir_block(to, k->block[b].label);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			put_insn(&v, i);
	}
	return to;
}

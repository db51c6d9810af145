/* The frame of a kernel of values: blocks and control as they are, an instruction for each register that is not
 * understood; and of a kernel of steps, where nothing may be left out. */
#include "analyzer/sass/values_one.h"

#include <stdlib.h>
#include <string.h>

enum how { HOW_EVAL, HOW_STEPS, HOW_FLOW, HOW_NOTHING, HOW_REFUSED };
struct meaning {
	const char *mnemonic, *why; /* why: HOW_REFUSED */
	semantics *fn;
	enum how how;
};
static const struct meaning meanings[] = {
#define SEM(mnemonic, name, how) { #mnemonic, NULL, sem_##name, HOW_##how },
#define FLOW(mnemonic) { #mnemonic, NULL, NULL, HOW_FLOW },
#define NOTHING(mnemonic) { #mnemonic, NULL, NULL, HOW_NOTHING },
#define REFUSED(mnemonic, why) { #mnemonic, why, NULL, HOW_REFUSED },
#include "analyzer/sass/semantics.def"
};

static int by_mnemonic(const void *key, const void *row)
{
	return strcmp(key, ((const struct meaning *)row)->mnemonic);
}

static const struct meaning *meaning_of(const struct sass_insn *s)
{
	return bsearch(sass_mnemonic(s), meanings, sizeof meanings / sizeof *meanings, sizeof *meanings, by_mnemonic);
}

/* Kinds of work among which are instructions with values for passes: others are not decoded again. */
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

bool sass_is_relocated(const struct native *n, uint32_t i)
{
	return n->nrelocated && bsearch(&i, n->relocated, n->nrelocated, sizeof i, by_number);
}

static void guard_as(struct insn *to, const struct insn *i)
{
	to->guard = i->guard;
	to->mods = i->mods & (MOD_KILLS | MOD_KILLS_PREDS);
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
	const uint64_t *word = v->k->native->word[n];
	const struct meaning *m;
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
	if (v->i->ndst && may_be_known(v->i, word) && !(v->i->mods & MOD_MAY) && !(over_guard && preds > 1) &&
	    !sass_is_relocated(v->k->native, n) && sass_decode_words(v->k->native->sm, word, &s)) {
		m = meaning_of(&s);
		if (m && m->how == HOW_EVAL)
			m->fn(&(struct one){ v, &s });
	}
	put_unknown(v);
}

static void declare_registers(struct kernel *to, struct arena *a, uint32_t count)
{
	to->vreg = new_array(a, struct vreg, count);
	to->nvreg = to->vreg_cap = count;
	for (uint32_t r = 0; r < count; r++) {
		const bool pred = (r >= VALUE_P0 && r <= VALUE_P_UNKNOWN) || (r < MREG_ALL && mreg_is_pred(r)),
			   wide = (r >= VALUE_D0 && r < VALUE_P0) || r >= VALUE_PAIR0;

		to->vreg[r].rc = wide ? RC_64 : RC_32;
		if (pred)
			to->vreg[r].rc = RC_PRED;
		to->vreg[r].bits = (uint8_t)reg_class_bits(to->vreg[r].rc);
	}
}

static struct kernel *kernel_like(const struct kernel *k, struct arena *a)
{
	struct kernel *to = new(a, struct kernel);

	*to = (struct kernel){
		.m = k->m,
		.a = a,
		.name = k->name,
		.form = FORM_VIRTUAL,
		.native = k->native,
		.cfg = k->cfg,
		.dom = k->dom,
		.pdom = k->pdom,
		.meet = k->meet,
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
	return to;
}

struct kernel *sass_values(const struct kernel *k, struct arena *a)
{
	struct kernel *to = kernel_like(k, a);
	struct values v = { .k = k, .to = to };

	declare_registers(to, a, VALUE_PAIR0);
	for (uint32_t b = 0; b < k->nblock; b++) {
		ir_block(to, k->block[b].label);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			put_insn(&v, i);
	}
	return to;
}

/* ---- steps ---- */
/* What makes it uncertain what the instruction does; NULL: nothing. */
static const char *doubt(const struct sass_insn *s, struct arena *a)
{
	unsigned at = 0;
	const char *open;

	if (s->unclaimed.lo || s->unclaimed.hi)
		return arena_printf(a, "bits 0x%016llx%016llx of it are not known", (unsigned long long)s->unclaimed.hi,
				    (unsigned long long)s->unclaimed.lo);
	if (sass_sure(s) == SURE_GUESS)
		return "its operands are a guess";
	open = sass_open(s, &at);
	return open ? arena_printf(a, "what its field %s says is not known", open) : NULL;
}

static const char *missing(const struct values *v)
{
	for (unsigned d = 0; d < v->i->ndst; d++) {
		const struct ref r = insn_dst(v->k, v->i)[d];

		if (!is_done(v, r))
			return arena_printf(v->to->a, "what it writes to %s%u is not known",
					    reg_file_prefix[mreg_file(r.val)], r.val - mreg_first(mreg_file(r.val)));
	}
	return NULL;
}

static void put_steps(struct values *v, uint32_t n, const uint64_t word[2])
{
	const struct meaning *m;
	struct sass_insn s;

	v->i = &v->k->insn[n];
	v->ndone = 0;
	if (!sass_decode_words(v->k->native->sm, word, &s)) {
		v->step->refused = "it is not known";
		return;
	}
	m = meaning_of(&s);
	if (m && m->how == HOW_NOTHING)
		return;
	v->step->refused = doubt(&s, v->to->a);
	if (!m)
		v->step->refused = "what it does is not known";
	else if (m->how == HOW_REFUSED)
		v->step->refused = m->why;
	if (v->step->refused)
		return;
	v->step->uniform = s.guard.kind == SASS_UPRED;
	v->step->flow = m->how == HOW_FLOW;
	if (v->step->flow)
		return;
	m->fn(&(struct one){ v, &s });
	if (!v->step->refused)
		v->step->refused = missing(v);
}

struct kernel *sass_steps(const struct kernel *k, const uint64_t (*word)[2], struct arena *a, struct sass_steps *of)
{
	struct kernel *to = kernel_like(k, a);
	struct values v = { .k = k, .to = to };

	declare_registers(to, a, VALUE_COUNT);
	ir_block(to, NULL);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		of[i] = (struct sass_steps){ .first = to->ninsn };
		v.step = &of[i];
		put_steps(&v, i, word[i]);
		of[i].n = to->ninsn - of[i].first;
	}
	return to;
}

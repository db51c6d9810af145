/* The invariants of the IR (docs/IR.md), checked from scratch: blocks tile the code, control flow stays inside, every
 * operand has the kind, class and range that its row asks for. Used after each pass and on every object loaded. */
#include "ir.h"

#include <string.h>

struct check {
	const struct kernel *k;
	struct diag *d;
	uint32_t i;
};

static bool broken(const struct check *c, const char *what, unsigned slot)
{
	const char *op = c->i < c->k->ninsn && c->k->insn[c->i].op < OP_COUNT ? op_info[c->k->insn[c->i].op].id : "?";

	return diag_error_plain(c->d, c->k->name, "instruction %u (%s), operand %u: %s", c->i, op, slot, what);
}

static bool register_ok(const struct kernel *k, uint32_t r, enum reg_class rc)
{
	if (k->form == FORM_VIRTUAL)
		return r < k->nvreg && k->vreg[r].rc == rc;
	if (k->native)
		return r < MREG_ALL && (rc != RC_PRED || mreg_is_pred(r));
	if (rc == RC_PRED)
		return r >= MREG_P0 && r <= MREG_PT;
	if (rc == RC_64)
		return r == MREG_RZ || (r % 2 == 0 && r + 1 < MREG_RZ);
	return r <= MREG_RZ;
}

static bool operand_ok(const struct check *c, unsigned slot)
{
	const struct kernel *k = c->k;
	const struct insn *i = &k->insn[c->i];
	const struct op_info *o = &op_info[i->op];
	struct ref r = k->opnd[i->opnd + slot];
	char letter = insn_operand_letter(i, slot);
	bool dst = slot < i->ndst;

	if (letter == 'L')
		return r.kind == REF_BLOCK && r.val < k->nblock ? true : broken(c, "is not a block", slot);
	if (r.neg && !(letter == 'P' && !dst))
		return broken(c, "is negated", slot);
	if (r.abs)
		return broken(c, "takes an absolute value", slot);
	switch (r.kind) {
	case REF_REG:
		return register_ok(k, r.val, insn_operand_class(k, i, slot))
			       ? true
			       : broken(c, "names a wrong register", slot);
	case REF_NONE:
		return dst ? true : broken(c, "is missing", slot);
	case REF_IMM:
		if (dst || (letter == 'P' && o->flags & OPF_SETP))
			return broken(c, "is an immediate", slot);
		return r.val < k->nimm ? true : broken(c, "has no immediate", slot);
	case REF_CONST:
		if (dst || letter == 'P' || letter == 'A' ||
		    (letter == 'M' && i->space != SP_PARAM && i->space != SP_CONST))
			return broken(c, "is a constant", slot);
		return true;
	case REF_SREG:
		if (!(o->flags & OPF_MOVE || i->op == OP_SASS_SPECIAL) || dst)
			return broken(c, "is a special register outside mov", slot);
		return r.val < SREG_COUNT ? true : broken(c, "names no special register", slot);
	case REF_SYM:
		if (dst || letter == 'P')
			return broken(c, "is a symbol", slot);
		return r.val < k->nsymref && k->symref[r.val].sym < k->m->nsym ? true
									       : broken(c, "names no symbol", slot);
	default:
		return broken(c, "has a wrong kind", slot);
	}
}

static bool call_ok(const struct check *c)
{
	const struct kernel *k = c->k;
	const struct insn *i = &k->insn[c->i];
	const struct formal *formal;
	uint32_t d = 0, s = 0, at, nret, n;
	const struct call *call;

	if (k->form != FORM_VIRTUAL || i->offset < 0 || (uint32_t)i->offset >= k->ncall)
		return broken(c, "calls nothing", 0);
	call = &k->call[i->offset];
	if (!call->proto && call->func >= k->m->nfunc)
		return broken(c, "calls nothing", 0);
	formal = call->proto ? call->proto->formal : k->m->func[call->func]->formal;
	nret = call->proto ? call->proto->nret : k->m->func[call->func]->nret;
	n = nret + (call->proto ? call->proto->narg : k->m->func[call->func]->narg);
	if (i->opnd > k->nopnd || (uint32_t)i->ndst + i->nsrc > k->nopnd - i->opnd ||
	    i->ndst + (uint32_t)i->nsrc != n + !!call->proto)
		return broken(c, "wrong number of arguments", 0);
	if (call->proto) {
		struct ref r = k->opnd[i->opnd + i->ndst];

		s = 1;
		if (!i->nsrc || r.kind != REF_REG || r.neg || r.abs || !register_ok(k, r.val, RC_64))
			return broken(c, "is no register with an address", i->ndst);
	}
	for (uint32_t p = 0; p < n; p++) {
		bool dst = p < nret && !formal[p].array;
		struct ref r;

		at = dst ? d++ : i->ndst + s++;
		if (at >= i->ndst + (uint32_t)i->nsrc || (dst && at >= i->ndst))
			return broken(c, "wrong number of return values", at);
		r = k->opnd[i->opnd + at];
		if (!(dst && r.kind == REF_NONE) &&
		    (r.kind != REF_REG || r.neg || r.abs || !register_ok(k, r.val, formal[p].rc)))
			return broken(c, "is no register of the parameter's class", at);
	}
	return i->line < k->m->nline ? true : broken(c, "source line out of range", 0);
}

/* Decoded machine code: any number of operands, registers for the most part. */
static bool native_ok(const struct check *c)
{
	const struct kernel *k = c->k;
	const struct insn *i = &k->insn[c->i];

	if (!k->native || k->form != FORM_MACHINE)
		return broken(c, "is in no machine code", 0);
	if (i->opnd > k->nopnd || (uint32_t)i->ndst + i->nsrc > k->nopnd - i->opnd ||
	    (op_info[i->op].flags & OPF_BRANCH && !i->nsrc))
		return broken(c, "operands out of range", 0);
	if (i->space >= SP_COUNT ||
	    (i->mods & ~(uint32_t)(MOD_KILLS | MOD_KILLS_PREDS | MOD_MAY | MOD_VARIES | MOD_UNI)) ||
	    (i->mods & MOD_UNI && i->op != OP_SASS_BRANCH) ||
	    (i->mods & (MOD_KILLS | MOD_KILLS_PREDS) && i->guard.kind == REF_NONE) ||
	    (i->mods & MOD_MAY && i->guard.kind != REF_NONE))
		return broken(c, "wrong modifiers", 0);
	return i->line < k->m->nline ? true : broken(c, "source line out of range", 0);
}

static bool shape_ok(const struct check *c)
{
	const struct insn *i = &c->k->insn[c->i];
	const struct op_info *o;
	unsigned ndst, nsrc;

	if (i->op >= OP_COUNT)
		return broken(c, "no such opcode", 0);
	if (i->op == OP_CALL)
		return call_ok(c);
	o = &op_info[i->op];
	if (o->flags & OPF_NATIVE || c->k->native)
		return native_ok(c);
	if (o->flags & OPF_REGMUTEX && !c->k->base_regs)
		return broken(c, "is in no variant of a kernel", 0);
	if (o->flags & OPF_REGMUTEX && i->guard.kind != REF_NONE)
		return broken(c, "is guarded", 0);
	ndst = o->ndst;
	nsrc = o->nsrc;
	if (i->vec != 1 && i->vec != 2 && i->vec != 4 && i->vec != 8)
		return broken(c, "wrong vector width", 0);
	if (i->vec > 1 && (!o->mem_bytes || o->flags & OPF_ATOMIC))
		return broken(c, "vector width on an op that has none", 0);
	if (o->mem_bytes && !(o->flags & OPF_ATOMIC)) {
		if (o->flags & OPF_LOAD)
			ndst = i->vec;
		else
			nsrc = 1u + i->vec;
	}
	if (i->ndst != ndst && !(o->flags & OPF_SETP && i->ndst == ndst + 1))
		return broken(c, "wrong number of destinations", i->ndst);
	if (i->nsrc != nsrc && !(o->flags & OPF_SETP && o->sig[0] == 'P' && i->nsrc == nsrc + 1))
		return broken(c, "wrong number of sources", i->nsrc);
	if ((o->flags & OPF_SETP && o->sig[0] == 'P')
		    ? (i->cbool > CB_XOR || (i->cbool != CB_NONE) != (i->nsrc == nsrc + 1))
		    : i->cbool != CB_NONE)
		return broken(c, "wrong combination of predicates", 0);
	if (o->mem_bytes || strchr(o->sig, 'A') ? i->space < SP_GENERIC || i->space >= SP_COUNT : i->space >= SP_COUNT)
		return broken(c, "wrong state space", 0);
	if (i->cop > COP_NC)
		return broken(c, "wrong cache operator", 0);
	if ((i->mods & MOD_FTZ && !(o->flags & OPF_FTZ)) || (i->mods & MOD_SAT && !(o->flags & OPF_SAT)) ||
	    (i->mods & ~(uint32_t)MOD_CTA) >= MOD_MOVED << 1 || (i->mods & MOD_CTA && i->op != OP_MEMBAR) ||
	    (i->mods & MOD_MOVED && (i->op != OP_MOV_B32 || c->k->form != FORM_MACHINE)))
		return broken(c, "wrong modifiers", 0);
	if (i->opnd > c->k->nopnd || (uint32_t)i->ndst + i->nsrc > c->k->nopnd - i->opnd)
		return broken(c, "operands out of range", 0);
	if (i->line >= c->k->m->nline)
		return broken(c, "source line out of range", 0);
	return true;
}

/* Tables and functions of the kernel: all blocks exist, functions follow each other, calls enter them. */
static bool control_ok(struct check *c)
{
	const struct kernel *k = c->k;

	for (uint32_t t = 0; t < k->ntable; t++)
		if (!k->table[t].n || k->table[t].first > k->ntarget || k->table[t].n > k->ntarget - k->table[t].first)
			return diag_error_plain(c->d, k->name, "jump table %u is out of range", t);
	for (uint32_t t = 0; t < k->ntarget; t++)
		if (k->target[t].block >= k->nblock)
			return diag_error_plain(c->d, k->name, "a jump table names block %u of %u", k->target[t].block,
						k->nblock);
	for (uint32_t p = 0; p < k->nproc; p++) {
		if (k->proc[p].first >= k->nblock || (p ? k->proc[p].first <= k->proc[p - 1].first : k->proc[p].first))
			return diag_error_plain(c->d, k->name, "function %u starts at block %u", p, k->proc[p].first);
		if (p && !(ir_block_end(k, k->proc[p].first - 1, OPF_END) &&
			   insn_kills(ir_block_end(k, k->proc[p].first - 1, OPF_END))))
			return diag_error_plain(c->d, k->name, "control runs into function %u", p);
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct insn *i = ir_block_end(k, b, OPF_BRANCH | OPF_TABLE | OPF_CALL | OPF_RETURN);
		uint32_t flags = i ? op_info[i->op].flags : 0;
		struct ir_targets t;

		if (!i)
			continue;
		c->i = (uint32_t)(i - k->insn);
		if (flags & OPF_TABLE && (i->offset < 0 || (uint32_t)i->offset >= k->ntable))
			return broken(c, "has no table", 0);
		if (flags & OPF_RETURN && !ir_proc_of(k, b))
			return broken(c, "returns from the kernel", 0);
		if (flags & OPF_CALL && ((i->guard.kind != REF_NONE && !k->native) || b + 1 == k->nblock ||
					 ir_proc_of(k, b) != ir_proc_of(k, b + 1)))
			return broken(c, "does not come back", 0);
		t = ir_targets(k, i);
		for (uint32_t n = 0; n < t.n; n++)
			if (flags & OPF_CALL ? !ir_proc_of(k, ir_target(&t, n))
					     : ir_proc_of(k, ir_target(&t, n)) != ir_proc_of(k, b))
				return broken(c, flags & OPF_CALL ? "calls no function" : "leaves its function", n);
	}
	return true;
}

bool ir_verify(const struct kernel *k, struct diag *d)
{
	struct check c = { k, d, 0 };
	uint32_t at = 0;

	if ((k->base_regs || k->native) && k->form != FORM_MACHINE)
		return diag_error_plain(d, k->name, "machine code has virtual registers");
	if (!k->nblock)
		return diag_error_plain(d, k->name, "has no code");
	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct block *bb = &k->block[b];

		if (bb->first != at || bb->n > k->ninsn - at)
			return diag_error_plain(d, k->name, "block %u does not follow the one before it", b);
		at += bb->n;
		for (c.i = bb->first; c.i < at; c.i++) {
			const struct insn *i = &k->insn[c.i];

			if (!shape_ok(&c))
				return false;
			if (i->guard.kind != REF_NONE &&
			    (i->guard.kind != REF_REG || i->guard.abs || !register_ok(k, i->guard.val, RC_PRED)))
				return broken(&c, "guard is not a predicate", 0);
			for (unsigned s = 0; i->op != OP_CALL && s < i->ndst + (unsigned)i->nsrc; s++)
				if (!operand_ok(&c, s))
					return false;
			if (op_info[i->op].flags & OPF_END && c.i + 1 != at)
				return broken(&c, "code after the end of a block", 0);
		}
	}
	if (at != k->ninsn)
		return diag_error_plain(d, k->name, "code after the last block");
	if (!k->ninsn || !k->block[k->nblock - 1].n || !(op_info[k->insn[at - 1].op].flags & OPF_END) ||
	    !insn_kills(&k->insn[at - 1]))
		return diag_error_plain(d, k->name, "control runs off the end");
	return control_ok(&c);
}

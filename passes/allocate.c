/* Register allocation: virtual registers to R0.. and P0.., 64-bit values to aligned pairs, within the limits asked for.
 *
 * Rounds of: live intervals, linear scan, spilling of what did not fit; until everything fits. What spilling makes
 * lives from one instruction to the next and is never spilled again, so every round ends with fewer long-lived
 * registers and the rounds end; a kernel of which a single instruction needs more registers than allowed is refused
 * with its position. Moves whose two sides got the same register go. check_alloc() can verify the result. */
#include "passes/alloc.h"

/* The machine operand of r; a register that is never live is never written to effect, so it reads and writes
 * nothing. */
static struct ref machine_ref(const struct alloc *x, struct ref r, bool write)
{
	uint32_t reg;

	if (r.kind != REF_REG)
		return r;
	reg = x->life[r.val].reg;
	if (reg == MREG_COUNT && write)
		return ref_none();
	if (reg == MREG_COUNT)
		reg = x->k->vreg[r.val].rc == RC_PRED ? MREG_PT : MREG_RZ;
	r.val = reg & REF_VAL_MAX;
	return r;
}

/* Before the registers are renamed: whether move i will have one register on both sides. A guarded move of a temporary
 * stays, as the mark that tells check_alloc() where the spill code before it ends and that after it begins. */
static bool is_idle_move(const struct alloc *x, const struct insn *i)
{
	const struct kernel *k = x->k;
	const struct ref *src = insn_src(k, i), *dst = insn_dst(k, i);

	if (!(op_info[i->op].flags & OPF_MOVE) || src->kind != REF_REG || dst->kind != REF_REG ||
	    x->life[src->val].reg != x->life[dst->val].reg || src->neg || insn_operand_letter(i, 0) == 'H')
		return false;
	return insn_kills(i) || !(x->fate[src->val].temp || x->fate[dst->val].temp);
}

static void note_spill(struct alloc *x, uint32_t j)
{
	struct kernel *k = x->k;
	const struct insn *i = &k->insn[j];
	bool store = (op_info[i->op].flags & OPF_STORE) != 0;
	uint32_t slot = ((uint32_t)i->offset - x->slot_base) / 4;

	if (!op_info[i->op].mem_bytes)
		return;
	if (store)
		k->res.spill_stores++;
	else
		k->res.spill_loads++;
	arena_grow(k->a, k->spill, k->nspill, k->spill_cap);
	k->spill[k->nspill++] = (struct spill){ .insn = j,
						.store = store,
						.rc = x->slot_rc[slot],
						.slot = (uint32_t)i->offset,
						.name = x->slot_name[slot] };
}

/* Registers to machine numbers, idle moves out. */
static void finish(struct alloc *x)
{
	struct kernel *k = x->k;
	struct rewrite rw;
	uint32_t *origin = new_array(x->a, uint32_t, k->ninsn + 1);

	rewrite_begin(&rw, k);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;

		rewrite_block(&rw);
		for (uint32_t j = first; j < end; j++) {
			struct insn *i = &rw.old[j];

			if (is_idle_move(x, i))
				continue;
			i->guard = machine_ref(x, i->guard, false);
			for (unsigned o = 0; o < i->ndst + (unsigned)i->nsrc; o++)
				k->opnd[i->opnd + o] = machine_ref(x, k->opnd[i->opnd + o], o < i->ndst);
			origin[k->ninsn] = x->origin[j];
			rewrite_keep(&rw, i);
		}
	}
	rewrite_end(&rw);
	x->origin = origin;
	k->form = FORM_MACHINE;
	k->nvreg = k->vreg_cap = 0;
	k->vreg = NULL;
}

static void fill_resources(struct alloc *x, uint32_t frame_before)
{
	struct kernel *k = x->k;
	struct resources *r = &k->res;

	r->regs = r->preds = r->barriers = r->spill_loads = r->spill_stores = 0;
	k->nspill = 0;
	for (uint32_t j = 0; j < k->ninsn; j++) {
		const struct insn *i = &k->insn[j];
		struct reg_use use[REG_USE_MAX];
		unsigned nuse = insn_reg_uses(k, i, use);

		for (unsigned u = 0; u < nuse; u++) {
			uint32_t *top = mreg_is_pred(use[u].reg) ? &r->preds : &r->regs;
			uint32_t n = mreg_is_pred(use[u].reg) ? use[u].reg - MREG_P0 + 1 : use[u].reg + 1;

			if (n > *top)
				*top = n;
		}
		if (op_info[i->op].flags & OPF_BARRIER) {
			/* a computed number may be any of the 16 */
			struct ref id = i->nsrc ? insn_src(k, i)[0] : ref_none();
			uint32_t n = i->nsrc ? 16 : 0;

			if (id.kind == REF_IMM && k->imm[id.val] < 16)
				n = (uint32_t)k->imm[id.val] + 1;

			if (n > r->barriers)
				r->barriers = n;
		}
		if (x->origin[j] == ALLOC_NONE)
			note_spill(x, j);
	}
	r->spill_bytes = x->nslot ? x->local_bytes - frame_before : 0;
	r->local_bytes = x->nslot ? x->local_bytes : frame_before;
}

enum pass_result alloc_run(struct kernel *k, struct pass_ctx *cx, const uint32_t **origin)
{
	uint32_t frame_before = k->res.local_bytes, spilled;
	struct alloc *x;
	struct kernel *before;

	x = new(&cx->scratch, struct alloc);
	*x = (struct alloc){ .k = k, .cx = cx, .a = &cx->scratch, .nlive = k->nvreg, .fate_cap = k->nvreg + 1 };
	before = ir_clone(k, x->a); /* for check_alloc(), with the control flow, which does not change */
	before->cfg = k->cfg;
	x->fate = new_array(x->a, struct fate, x->fate_cap);
	x->origin = new_array(x->a, uint32_t, k->ninsn + 1);
	for (uint32_t j = 0; j < k->ninsn; j++)
		x->origin[j] = j;
	x->local_bytes = x->slot_base = (frame_before + 3) / 4 * 4;
	for (;;) {
		alloc_intervals(x);
		spilled = alloc_scan(x);
		if (spilled == 0)
			break;
		if (spilled == ALLOC_NONE || !alloc_spill(x))
			return PASS_FAILED;
	}
	finish(x);
	fill_resources(x, frame_before);
	*origin = x->origin;
	if (cx->opt.check && !check_alloc(before, k, x->origin, cx->diag))
		return PASS_FAILED;
	return PASS_CHANGED;
}

enum pass_result pass_allocate(struct kernel *k, struct pass_ctx *cx)
{
	const uint32_t *origin;

	return k->form == FORM_VIRTUAL ? alloc_run(k, cx, &origin) : PASS_SAME;
}

/* Spilling: a register that finds no place lives elsewhere and is fetched for each use and put back after each
 * definition.
 *
 *   a constant (one move from an immediate, the constant bank, a symbol or a fixed special register): computed again
 *   a predicate: kept as 0 or 1 in a general register (selp after a definition, setp before a use)
 *   any other: a slot of the kernel's local frame, 4-byte or 8-byte aligned, after the kernel's own variables
 *
 * A guarded definition is put back under the same guard. Where the instruction overwrites its own guard, the old value
 * is fetched first and the result put back by all threads. */
#include "passes/alloc.h"

struct spiller {
	struct alloc *x;
	struct kernel *k;
	struct rewrite rw;
	uint32_t *origin, norigin, origin_cap;
	struct {
		uint32_t v, temp;
	} pair[REG_USE_MAX]; /* fetched for the instruction at hand */
	unsigned npair;
};

static bool fixed_sreg(uint32_t s) { return s != SREG_CLOCK && s != SREG_CLOCK64 && s != SREG_GLOBALTIMER; }

bool alloc_is_constant(const struct kernel *k, const struct insn *i)
{
	struct ref from;

	if (!(op_info[i->op].flags & OPF_MOVE) || !insn_kills(i) || insn_operand_letter(i, 0) == 'P')
		return false;
	from = insn_src(k, i)[0];
	return from.kind == REF_IMM || from.kind == REF_CONST || from.kind == REF_SYM ||
	       (from.kind == REF_SREG && fixed_sreg(from.val));
}

static void grow_fate(struct alloc *x)
{
	uint32_t n = x->k->nvreg;

	while (x->fate_cap < n) {
		uint32_t cap = x->fate_cap * 2 > n ? x->fate_cap * 2 : n;
		struct fate *f = new_array(x->a, struct fate, cap);

		memcpy(f, x->fate, x->fate_cap * sizeof *f);
		x->fate = f;
		x->fate_cap = cap;
	}
}

static uint32_t new_temp(struct alloc *x, uint32_t like, enum reg_class rc, bool temp)
{
	uint32_t t = ir_vreg(x->k, x->k->vreg[like].name, rc, reg_class_bits(rc));

	grow_fate(x);
	x->fate[t].temp = temp;
	return t;
}

static bool new_slot(struct alloc *x, uint32_t v)
{
	uint32_t bytes = x->k->vreg[v].rc == RC_64 ? 8 : 4, at = (x->local_bytes + bytes - 1) / bytes * bytes;

	if (at + bytes > WINDOW_BYTES)
		return diag_error_plain(x->cx->diag, x->k->name,
					"spilled registers take more than %u bytes of local memory", WINDOW_BYTES);
	x->fate[v].how = TO_SLOT;
	x->fate[v].to = at;
	while (x->nslot <= (at - x->slot_base) / 4) {
		uint32_t n = x->nslot;

		arena_grow(x->a, x->slot_rc, x->nslot, x->rc_cap);
		arena_grow(x->a, x->slot_name, x->nslot, x->slot_cap);
		x->slot_rc[n] = x->k->vreg[v].rc;
		x->slot_name[n] = x->k->vreg[v].name;
		x->nslot++;
	}
	x->local_bytes = at + bytes;
	return true;
}

/* Decides where each marked register goes. */
static bool choose_homes(struct alloc *x)
{
	struct kernel *k = x->k;
	uint32_t n = k->nvreg, *ndef = new_array(x->a, uint32_t, n + 1), *defi = new_array(x->a, uint32_t, n + 1);

	for (uint32_t j = 0; j < k->ninsn; j++)
		for (unsigned s = 0; s < k->insn[j].ndst; s++)
			if (insn_dst(k, &k->insn[j])[s].kind == REF_REG) {
				ndef[insn_dst(k, &k->insn[j])[s].val]++;
				defi[insn_dst(k, &k->insn[j])[s].val] = j;
			}
	for (uint32_t v = 0; v < n; v++) {
		const struct insn *d = &k->insn[defi[v]];

		if (!x->life[v].spill)
			continue;
		if (ndef[v] == 1 && alloc_is_constant(k, d)) {
			x->fate[v].how = RECOMPUTED;
			x->fate[v].op = d->op;
			x->fate[v].from = insn_src(k, d)[0];
		} else if (k->vreg[v].rc == RC_PRED) {
			uint32_t g = new_temp(x, v, RC_32, false);

			x->fate[v].how = TO_REG;
			x->fate[v].to = g;
		} else if (!new_slot(x, v)) {
			return false;
		}
	}
	return true;
}

static void note_origin(struct spiller *s, uint32_t o)
{
	arena_grow(s->x->a, s->origin, s->norigin, s->origin_cap);
	s->origin[s->norigin++] = o;
}

static struct insn *emit(struct spiller *s, enum op op, unsigned ndst, unsigned nsrc, const struct insn *like,
			 struct ref guard)
{
	struct insn *i = rewrite_new(&s->rw, op, ndst, nsrc, like);

	i->guard = guard;
	note_origin(s, ALLOC_NONE);
	return i;
}

static struct insn *emit_local(struct spiller *s, bool store, uint32_t v, uint32_t temp, const struct insn *like,
			       struct ref guard)
{
	struct kernel *k = s->k;
	bool wide = k->vreg[v].rc == RC_64;
	static const enum op ops[2][2] = { { OP_LD_B32, OP_LD_B64 }, { OP_ST_B32, OP_ST_B64 } };
	const enum op op = ops[store][wide];
	struct ref base = ir_imm(k, 0);
	struct insn *i = emit(s, op, store ? 0 : 1, store ? 2 : 1, like, guard);

	i->space = SP_LOCAL;
	i->offset = (int32_t)s->x->fate[v].to;
	insn_src(k, i)[0] = base;
	*(store ? &insn_src(k, i)[1] : &insn_dst(k, i)[0]) = ref_reg(temp);
	return i;
}

/* Brings spilled register v into a temporary. */
static void fetch_into(struct spiller *s, uint32_t v, uint32_t temp, const struct insn *like)
{
	const struct fate *f = &s->x->fate[v];
	struct kernel *k = s->k;
	struct ref zero;
	struct insn *i;

	if (f->how == TO_SLOT) {
		emit_local(s, false, v, temp, like, ref_none());
	} else if (f->how == TO_REG) {
		zero = ir_imm(k, 0);
		i = emit(s, OP_SETP_NE_B32, 1, 2, like, ref_none());
		insn_dst(k, i)[0] = ref_reg(temp);
		insn_src(k, i)[0] = ref_reg(f->to);
		insn_src(k, i)[1] = zero;
	} else {
		i = emit(s, f->op, 1, 1, like, ref_none());
		insn_dst(k, i)[0] = ref_reg(temp);
		insn_src(k, i)[0] = f->from;
	}
}

static void put_back(struct spiller *s, uint32_t v, uint32_t temp, const struct insn *like, struct ref guard)
{
	const struct fate *f = &s->x->fate[v];
	struct kernel *k = s->k;
	struct ref one, zero;
	struct insn *i;

	if (f->how == TO_SLOT) {
		emit_local(s, true, v, temp, like, guard);
		return;
	}
	one = ir_imm(k, 1);
	zero = ir_imm(k, 0);
	i = emit(s, OP_SELP_B32, 1, 3, like, guard);
	insn_dst(k, i)[0] = ref_reg(f->to);
	insn_src(k, i)[0] = one;
	insn_src(k, i)[1] = zero;
	insn_src(k, i)[2] = ref_reg(temp);
}

static bool is_spilled(const struct spiller *s, struct ref r)
{
	return r.kind == REF_REG && s->x->fate[r.val].how != KEPT;
}

/* The temporary that holds spilled register v for this instruction, fetched at its first mention. */
static uint32_t fetched(struct spiller *s, uint32_t v, const struct insn *like)
{
	uint32_t t;

	for (unsigned p = 0; p < s->npair; p++)
		if (s->pair[p].v == v)
			return s->pair[p].temp;
	t = new_temp(s->x, v, s->k->vreg[v].rc, true);
	fetch_into(s, v, t, like);
	s->pair[s->npair].v = v;
	s->pair[s->npair++].temp = t;
	return t;
}

static bool writes_own_guard(const struct kernel *k, const struct insn *i)
{
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->guard.kind == REF_REG && insn_dst(k, i)[d].kind == REF_REG &&
		    insn_dst(k, i)[d].val == i->guard.val)
			return true;
	return false;
}

static bool mentions_spilled(const struct spiller *s, const struct insn *i)
{
	if (is_spilled(s, i->guard))
		return true;
	for (unsigned o = 0; o < i->ndst + (unsigned)i->nsrc; o++)
		if (is_spilled(s, s->k->opnd[i->opnd + o]))
			return true;
	return false;
}

static void spill_insn(struct spiller *s, struct insn copy, uint32_t origin)
{
	struct kernel *k = s->k;
	bool kills = insn_kills(&copy), own_guard = writes_own_guard(k, &copy) && !is_spilled(s, copy.guard);
	struct {
		uint32_t v, temp;
	} back[16];
	unsigned nback = 0;
	uint32_t old = copy.opnd;
	struct insn *n;

	s->npair = 0;
	if (copy.ndst == 1 && insn_dst(k, &copy)[0].kind == REF_REG &&
	    s->x->fate[insn_dst(k, &copy)[0].val].how == RECOMPUTED)
		return; /* the definition itself: each use computes it */
	if (is_spilled(s, copy.guard))
		copy.guard.val = fetched(s, copy.guard.val, &copy);
	ir_set_operands(k, &copy, copy.ndst, copy.nsrc); /* the old run belongs to the code before allocation */
	memcpy(k->opnd + copy.opnd, k->opnd + old, (copy.ndst + (size_t)copy.nsrc) * sizeof *k->opnd);
	for (unsigned o = copy.ndst; o < copy.ndst + (unsigned)copy.nsrc; o++) {
		struct ref r = k->opnd[copy.opnd + o];

		if (is_spilled(s, r)) {
			uint32_t t = fetched(s, r.val, &copy);

			k->opnd[copy.opnd + o].val = t;
		}
	}
	for (unsigned o = 0; o < copy.ndst; o++) {
		struct ref r = k->opnd[copy.opnd + o];
		uint32_t t;

		if (!is_spilled(s, r))
			continue;
		t = !kills && own_guard ? fetched(s, r.val, &copy) : new_temp(s->x, r.val, k->vreg[r.val].rc, true);
		s->x->fate[t].fresh = kills || !own_guard;
		k->opnd[copy.opnd + o].val = t;
		back[nback].v = r.val;
		back[nback++].temp = t;
	}
	rewrite_keep(&s->rw, &copy);
	note_origin(s, origin);
	n = &copy;
	for (unsigned p = 0; p < nback; p++)
		put_back(s, back[p].v, back[p].temp, n, own_guard ? ref_none() : copy.guard);
}

bool alloc_spill(struct alloc *x)
{
	struct spiller s = { .x = x, .k = x->k };
	struct kernel *k = x->k;

	if (!choose_homes(x))
		return false;
	rewrite_begin(&s.rw, k);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;

		rewrite_block(&s.rw);
		for (uint32_t j = first; j < end; j++) {
			if (mentions_spilled(&s, &s.rw.old[j])) {
				spill_insn(&s, s.rw.old[j], x->origin[j]);
			} else {
				rewrite_keep(&s.rw, &s.rw.old[j]);
				note_origin(&s, x->origin[j]);
			}
		}
	}
	rewrite_end(&s.rw);
	x->origin = s.origin;
	return true;
}

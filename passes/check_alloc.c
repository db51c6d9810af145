/* Verifier of register allocation, independent of how it was done (after Rideau and Leroy 2010).
 *
 * Forward dataflow over the machine code. A location is a machine register or a 4-byte word of the local frame; the
 * state is a set of facts "location L holds part h of virtual register v". Both codes are walked side by side: an
 * instruction with an origin must be that instruction with its operands replaced, each register it reads must hold the
 * virtual register that the original reads, and what it writes then holds what the original writes, and nothing else
 * does. Instructions of the original that have no counterpart must be moves that need none: copies between registers
 * (their effect on the facts is applied), or a register's only definition by a constant, which counts as known
 * everywhere and is recomputed by spill code. Spill code moves facts: local loads and stores, register moves, and
 * selp/setp, which keep a predicate as 0 or 1 in a general register. Facts at a join are those of all predecessors that
 * were reached.
 *
 * A guarded definition leaves the old value in threads that do not take part. Into a location that held the old value
 * it is an update. Into another, it is half an update, which the next instructions complete by storing under the same
 * guard into a location that held the old value.
 *
 * A virtual register that no definition reaches yet has no value to preserve: any location will do for it. */
#include "analyzer/base/rng.h"
#include "passes/facts.h"

static bool wrong(struct verify *v, const char *what, uint32_t vreg)
{
	const struct kernel *k = v->after;
	const char *name = "";

	if (vreg != NONE)
		name = v->before->vreg[vreg].name ? v->before->vreg[vreg].name : "(unnamed)";
	if (v->report && !v->failed)
		diag_error_plain(v->d, k->name, "allocation: instruction %u (%s): %s%s%s", v->at,
				 v->at < k->ninsn ? op_info[k->insn[v->at].op].id : "end", what,
				 vreg == NONE ? "" : " ", name);
	if (v->report)
		v->failed = true;
	return false;
}

/* ---- instructions ---- */
static bool is_constant(const struct verify *v, uint32_t vreg, const struct insn **def)
{
	const struct kernel *k = v->before;
	const struct insn *i = &k->insn[v->defi[vreg]];
	struct ref s;

	if (v->ndef[vreg] != 1 || !(op_info[i->op].flags & OPF_MOVE) || i->guard.kind != REF_NONE || i->nsrc != 1)
		return false;
	s = insn_src(k, i)[0];
	*def = i;
	return s.kind == REF_IMM || s.kind == REF_CONST || s.kind == REF_SYM ||
	       (s.kind == REF_SREG && s.val != SREG_CLOCK && s.val != SREG_CLOCK64 && s.val != SREG_GLOBALTIMER);
}

static unsigned parts(const struct verify *v, uint32_t vreg) { return v->before->vreg[vreg].rc == RC_64 ? 2 : 1; }

/* Whether location loc holds part h of virtual register r. */
static bool has_part(const struct verify *v, uint32_t loc, uint32_t r, unsigned h)
{
	return bitset_has(v->undef, r) || facts_hold(v, loc, r * KEY_PARTS + h);
}

static bool reads_ok(struct verify *v, struct ref was, struct ref is)
{
	if (was.kind != REF_REG)
		return was.kind == is.kind && was.val == is.val && was.neg == is.neg && was.abs == is.abs
			       ? true
			       : wrong(v, "an operand that is no register changed", NONE);
	if (is.kind != REF_REG || is.neg != was.neg || is.abs != was.abs || is.val + parts(v, was.val) > MREG_COUNT)
		return wrong(v, "a register operand changed its kind", was.val);
	for (unsigned h = 0; v->report && h < parts(v, was.val); h++)
		if (!has_part(v, is.val + h, was.val, h))
			return wrong(v, "reads a place that does not hold", was.val);
	return true;
}

/* One part of a register written: location loc now has it, alone; under a guard, the places that held the old value can
 * still follow. A register without a value may follow anywhere. */
static void write_part(struct verify *v, uint32_t loc, uint32_t key, bool guarded)
{
	bool undef = bitset_has(v->undef, key / KEY_PARTS), whole = !guarded || undef || facts_hold(v, loc, key);
	struct half *h = v->nhalf < sizeof v->half / sizeof *v->half ? &v->half[v->nhalf] : NULL;

	if (guarded && h) {
		h->key = key;
		h->from[0] = loc;
		h->nfrom = 1;
		h->anywhere = undef;
		h->nstale = 0;
		for (uint32_t c = v->by_key[key]; c != NONE; c = v->cell[c].next_key) {
			arena_grow(&v->a, h->stale, h->nstale, h->cap);
			h->stale[h->nstale++] = v->cell[c].loc;
		}
	}
	facts_clear_key(v, key);
	facts_clear_place(v, loc);
	if (guarded && h)
		v->nhalf++;
	if (whole)
		facts_add(v, loc, key);
}

static bool step_kept(struct verify *v, const struct insn *was, const struct insn *is)
{
	const struct kernel *k = v->before, *m = v->after;
	bool guarded = was->guard.kind != REF_NONE;
	uint32_t old[64];
	unsigned nold = 0;

	if (was->op != is->op || was->ndst != is->ndst || was->nsrc != is->nsrc || was->offset != is->offset ||
	    was->space != is->space || was->vec != is->vec || was->cop != is->cop || was->cbool != is->cbool ||
	    was->mods != is->mods)
		return wrong(v, "is not the instruction it came from", NONE);
	if (!reads_ok(v, was->guard, is->guard))
		return false;
	for (unsigned s = 0; s < was->nsrc; s++)
		if (!reads_ok(v, insn_src(k, was)[s], insn_src(m, is)[s]))
			return false;
	v->guard_loc = guarded ? is->guard.val : NONE;
	v->guard_vreg = guarded ? was->guard.val : NONE;
	v->guard_neg = is->guard.neg;
	for (unsigned s = 0; s < was->ndst; s++) {
		struct ref w = insn_dst(k, was)[s], r = insn_dst(m, is)[s];

		if (w.kind != REF_REG) {
			if (r.kind != w.kind)
				return wrong(v, "a destination appeared", NONE);
			continue;
		}
		if (r.kind != REF_REG)
			return wrong(v, "lost a destination, of", w.val);
		for (unsigned h = 0; h < parts(v, w.val); h++) {
			if (r.val + h >= MREG_COUNT || mreg_is_fixed(r.val + h))
				return wrong(v, "writes a fixed register for", w.val);
			for (unsigned o = 0; o < nold; o++)
				if (old[o] == r.val + h)
					return wrong(v, "writes one place twice, for", w.val);
			if (nold < 64)
				old[nold++] = r.val + h;
			write_part(v, r.val + h, w.val * KEY_PARTS + h, guarded);
		}
		bitset_del(v->undef, w.val);
		if (w.val == v->guard_vreg)
			v->guard_vreg = NONE;
	}
	return true;
}

/* A move of the code before that has no counterpart. */
static bool step_dropped(struct verify *v, const struct insn *was)
{
	const struct kernel *k = v->before;
	const struct insn *def;
	struct ref d, s;

	v->nhalf = 0;
	if (!(op_info[was->op].flags & OPF_MOVE) || insn_dst(k, was)[0].kind != REF_REG)
		return wrong(v, "an instruction before it is missing", NONE);
	d = insn_dst(k, was)[0];
	s = insn_src(k, was)[0];
	if (s.kind != REF_REG) { /* recomputed at each use: recompute() */
		bitset_del(v->undef, d.val);
		return is_constant(v, d.val, &def) ? true : wrong(v, "a definition before it is missing, of", d.val);
	}
	if (s.neg || s.abs || insn_operand_letter(was, 0) == 'H')
		return wrong(v, "a move that changes its value is missing, of", d.val);
	if (d.val == s.val || (bitset_has(v->undef, s.val) && bitset_has(v->undef, d.val)))
		return true;
	for (unsigned h = 0; h < parts(v, d.val); h++) {
		uint32_t to = d.val * KEY_PARTS + h, from = s.val * KEY_PARTS + h;
		uint32_t n = 0;

		if (was->guard.kind == REF_NONE) {
			facts_clear_key(v, to);
			for (uint32_t c = v->by_key[from]; c != NONE; c = v->cell[c].next_key)
				facts_add(v, v->cell[c].loc, to);
			continue;
		}
		/* a guarded copy that is missing: a place that holds both values holds the result */
		for (uint32_t c = v->by_key[bitset_has(v->undef, to / KEY_PARTS) ? from : to]; c != NONE;
		     c = v->cell[c].next_key) {
			uint32_t loc = v->cell[c].loc;

			if (!facts_hold(v, loc, from) && !bitset_has(v->undef, s.val))
				continue;
			arena_grow(&v->a, v->keys, n, v->keys_cap);
			v->keys[n++] = loc;
		}
		facts_clear_key(v, to);
		for (uint32_t q = 0; q < n; q++)
			facts_add(v, v->keys[q], to);
	}
	if (was->guard.kind == REF_NONE && bitset_has(v->undef, s.val))
		bitset_add(v->undef, d.val);
	else
		bitset_del(v->undef, d.val);
	return true;
}

/* A guarded move of a half-done update: complete where the old value was; from either place it can be carried on. */
static void complete_half(struct verify *v, uint32_t from, uint32_t to)
{
	struct half *h = NULL;
	bool follows = false;

	for (unsigned i = 0; i < v->nhalf; i++)
		for (unsigned q = 0; q < v->half[i].nfrom; q++)
			if (v->half[i].from[q] == from)
				h = &v->half[i];
	if (h) {
		follows = h->anywhere;
		for (uint32_t q = 0; q < h->nstale; q++)
			follows |= h->stale[q] == to;
	}
	facts_clear_place(v, to);
	if (follows)
		facts_add(v, to, h->key);
	if (h && h->nfrom < sizeof h->from / sizeof *h->from)
		h->from[h->nfrom++] = to;
}

/* Whether predicate r is the guard of the latest original instruction: where that read it, or another copy of it. */
static bool same_guard(const struct verify *v, struct ref r)
{
	return r.kind == REF_REG && r.neg == v->guard_neg &&
	       (r.val == v->guard_loc || (v->guard_vreg != NONE && facts_hold(v, r.val, v->guard_vreg * KEY_PARTS)));
}

static void transfer(struct verify *v, uint32_t from, uint32_t to, bool guarded)
{
	if (guarded)
		complete_half(v, from, to);
	else
		facts_copy(v, to, from);
}

static uint32_t constant_slot(const struct verify *v, enum op op, struct ref r)
{
	return (uint32_t)mix64((uint64_t)op << 32 | (uint64_t)r.kind << 27 | r.val) & v->const_mask;
}

/* A constant computed by spill code: its place holds every virtual register that this constant alone defines. */
static void recompute(struct verify *v, const struct insn *is)
{
	struct ref d = insn_dst(v->after, is)[0], s = insn_src(v->after, is)[0];
	unsigned n = insn_operand_class(v->after, is, 0) == RC_64 ? 2 : 1;

	for (unsigned h = 0; h < n; h++)
		facts_clear_place(v, d.val + h);
	for (uint32_t r = v->same_const[constant_slot(v, is->op, s)]; r != NONE; r = v->same_next[r]) {
		const struct insn *def = &v->before->insn[v->defi[r]];

		if (def->op == is->op && memcmp(insn_src(v->before, def), &s, sizeof s) == 0)
			for (unsigned h = 0; h < n; h++)
				facts_add(v, d.val + h, r * KEY_PARTS + h);
	}
}

static bool step_spill(struct verify *v, const struct insn *is)
{
	const struct kernel *m = v->after;
	struct ref d = is->ndst ? insn_dst(m, is)[0] : ref_none(), s = is->nsrc ? insn_src(m, is)[0] : ref_none();
	bool guarded = is->guard.kind != REF_NONE;
	const struct op_info *o = &op_info[is->op];

	if (guarded && !same_guard(v, is->guard))
		return wrong(v, "spill code under another guard", NONE);
	if (o->mem_bytes) {
		struct ref data = o->flags & OPF_STORE ? insn_src(m, is)[1] : d;
		uint32_t slot = MREG_COUNT + (uint32_t)is->offset / 4, n = o->mem_bytes / 4;

		if (is->space != SP_LOCAL || s.kind != REF_IMM || m->imm[s.val] != 0 || is->offset < 0 ||
		    (uint32_t)is->offset < v->slot_base || is->offset % o->mem_bytes || is->vec != 1 ||
		    data.kind != REF_REG || !n || slot + n > v->nloc || data.val + n > MREG_COUNT)
			return wrong(v, "spill code outside the spill slots", NONE);
		if (!(o->flags & OPF_STORE) && guarded)
			return wrong(v, "guarded reload", NONE);
		for (uint32_t h = 0; h < n; h++)
			if (o->flags & OPF_STORE)
				transfer(v, data.val + h, slot + h, guarded);
			else
				facts_copy(v, data.val + h, slot + h);
		return true;
	}
	if (d.kind != REF_REG)
		return wrong(v, "spill code of an unknown form", NONE);
	if (is->op == OP_SELP_B32 && insn_src(m, is)[2].kind == REF_REG && !insn_src(m, is)[2].neg &&
	    s.kind == REF_IMM && m->imm[s.val] == 1 && insn_src(m, is)[1].kind == REF_IMM &&
	    m->imm[insn_src(m, is)[1].val] == 0) {
		transfer(v, insn_src(m, is)[2].val, d.val, guarded);
		return true;
	}
	if (guarded)
		return wrong(v, "guarded spill code of an unknown form", NONE);
	if (is->op == OP_SETP_NE_B32 && is->ndst == 1 && is->nsrc == 2 && s.kind == REF_REG &&
	    insn_src(m, is)[1].kind == REF_IMM && m->imm[insn_src(m, is)[1].val] == 0) {
		facts_copy(v, d.val, s.val);
		return true;
	}
	if (o->flags & OPF_MOVE && s.kind != REF_REG) {
		recompute(v, is);
		return true;
	}
	return wrong(v, "spill code of an unknown form", NONE);
}

static bool walk_block(struct verify *v, uint32_t b)
{
	const struct block *was = &v->before->block[b], *is = &v->after->block[b];
	uint32_t j = was->first;

	v->nhalf = 0;
	v->guard_loc = v->guard_vreg = NONE;
	for (v->at = is->first; v->at < is->first + is->n; v->at++) {
		const struct insn *i = &v->after->insn[v->at];
		uint32_t o = v->origin[v->at];

		if (o == NONE) {
			if (!step_spill(v, i))
				return false;
			continue;
		}
		if (o < j || o >= was->first + was->n)
			return wrong(v, "is out of order", NONE);
		for (; j < o; j++)
			if (!step_dropped(v, &v->before->insn[j]))
				return false;
		v->nhalf = 0;
		if (!step_kept(v, &v->before->insn[j++], i))
			return false;
	}
	for (; j < was->first + was->n; j++)
		if (!step_dropped(v, &v->before->insn[j]))
			return false;
	return true;
}

static void count_defs(struct verify *v)
{
	const struct kernel *k = v->before;

	v->ndef = new_array(&v->a, uint32_t, (size_t)k->nvreg + 1);
	v->defi = new_array(&v->a, uint32_t, (size_t)k->nvreg + 1);
	for (uint32_t j = 0; j < k->ninsn; j++)
		for (unsigned s = 0; s < k->insn[j].ndst; s++) {
			struct ref r = insn_dst(k, &k->insn[j])[s];

			if (r.kind == REF_REG) {
				v->ndef[r.val]++;
				v->defi[r.val] = j;
			}
		}
}

/* Constants whose definition has no counterpart, by what they are. */
static void index_constants(struct verify *v)
{
	const struct kernel *k = v->before;
	uint64_t *present = bitset_new(&v->a, k->ninsn);
	const struct insn *def;
	uint32_t n = 64;

	while (n < k->nvreg)
		n *= 2;
	v->const_mask = n - 1;
	v->same_const = new_array(&v->a, uint32_t, n);
	v->same_next = new_array(&v->a, uint32_t, (size_t)k->nvreg + 1);
	memset(v->same_const, 0xff, n * sizeof *v->same_const);
	for (uint32_t j = 0; j < v->after->ninsn; j++)
		if (v->origin[j] < k->ninsn)
			bitset_add(present, v->origin[j]);
	for (uint32_t r = 0; r < k->nvreg; r++)
		if (v->ndef[r] == 1 && !bitset_has(present, v->defi[r]) && is_constant(v, r, &def)) {
			uint32_t *head = &v->same_const[constant_slot(v, def->op, insn_src(k, def)[0])];

			v->same_next[r] = *head;
			*head = r;
		}
}

/* To the fixed point, then once more with every read checked. */
static bool run(struct verify *v)
{
	const struct cfg *g = v->before->cfg;
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t n = 0; n < g->nrpo; n++) {
			uint32_t b = g->rpo[n];
			struct facts now;

			facts_enter(v, b);
			if (!walk_block(v, b)) {
				v->report = true;
				facts_enter(v, b);
				return walk_block(v, b);
			}
			now = facts_collect(v, &v->join);
			if (facts_same(v, &v->out[b], &now))
				continue;
			v->out[b] = facts_collect(v, &v->a);
			changed = true;
		}
	}
	v->report = true;
	for (uint32_t n = 0; n < g->nrpo; n++) {
		facts_enter(v, g->rpo[n]);
		if (!walk_block(v, g->rpo[n]))
			return false;
	}
	return true;
}

bool check_alloc(const struct kernel *before, const struct kernel *after, const uint32_t *origin, struct diag *d)
{
	struct verify v = { .before = before, .after = after, .origin = origin, .d = d, .free_cell = NONE };
	uint32_t nkey = before->nvreg * KEY_PARTS;
	bool ok;

	if (before->nblock != after->nblock || before->form != FORM_VIRTUAL || after->form != FORM_MACHINE)
		return diag_error_plain(d, after->name, "allocation: not the same kernel before and after");
	arena_init(&v.a);
	arena_init(&v.join);
	v.slot_base = before->res.local_bytes;
	v.nloc = MREG_COUNT + after->res.local_bytes / 4 + 1;
	v.by_loc = new_array(&v.a, uint32_t, v.nloc);
	v.by_key = new_array(&v.a, uint32_t, (size_t)nkey + 1);
	memset(v.by_loc, 0xff, v.nloc * sizeof *v.by_loc);
	memset(v.by_key, 0xff, nkey * sizeof *v.by_key);
	v.undef = bitset_new(&v.a, before->nvreg);
	v.out = new_array(&v.a, struct facts, before->nblock);
	count_defs(&v);
	index_constants(&v);
	ok = run(&v);
	arena_free(&v.a);
	arena_free(&v.join);
	return ok;
}

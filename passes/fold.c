/* Folding: copies and constants go into the operands that can hold them, integer operations over immediates are
 * computed, constant offsets go into addresses, and a product that feeds one sum becomes a multiply-add (integers only:
 * exact). Every rewrite reads the operands of an earlier definition at a later instruction; dead definitions are left
 * to dce.
 *
 * When is that sound, without SSA? Let D define y from x, U use y, both unguarded definitions where they matter.
 *  - D and U in one block, D the last definition of y before U: the value of y at U is what D computed. x is unchanged
 * if no instruction from D (itself included) to U defines it.
 *  - D in a block that strictly dominates U's: taken only if D is the one definition of y, and x has one definition E,
 *    which strictly dominates D. Then y at U is what the latest D computed. Were E executed between that D and U, there
 *    would be a path from E to U without D; and since E strictly dominates D, a path from the entry to E without D;
 * joined they reach U without D, against D dominating U. So loops need no further argument. Immediates, constants and
 * symbols do not change at all. Threads of a warp take paths of their own, and each register is written by its own
 * thread only, so the argument holds thread by thread.
 *
 * An operand may be a constant-bank reference only in arithmetic, once in an instruction; never an address, a
 * predicate, data to store or the operand of an atomic or of an exchange between lanes. Immediates may stand in any
 * arithmetic source; stores and atomics keep their data in registers. */
#include "passes/fold.h"
#include "passes/pass.h"

#define NONE UINT32_MAX
enum { ADDRESS_STEPS = 16 };

struct fold {
	struct kernel *k;
	uint32_t *ndef, *defi; /* by register: definitions, and the last one met */
	uint32_t *nuse;        /* by register: operands that read it */
	uint32_t *block_of;    /* by instruction */
	/* by register: latest definition in the current block, valid if stamp is b + 1 */
	uint32_t *last, *stamp;
	uint32_t *low; /* by 64-bit register: latest instruction that took its low half, or NONE */
	uint32_t b;    /* the block and instruction at hand */
	bool changed;
};

static void count(struct fold *f, struct ref r, int by)
{
	if (r.kind == REF_REG)
		f->nuse[r.val] += (uint32_t)by;
}

static void prepare(struct fold *f, struct arena *a)
{
	struct kernel *k = f->k;

	f->ndef = new_array(a, uint32_t, k->nvreg + 1);
	f->defi = new_array(a, uint32_t, k->nvreg + 1);
	f->nuse = new_array(a, uint32_t, k->nvreg + 1);
	f->last = new_array(a, uint32_t, k->nvreg + 1);
	f->stamp = new_array(a, uint32_t, k->nvreg + 1);
	f->low = new_array(a, uint32_t, k->nvreg + 1);
	f->block_of = new_array(a, uint32_t, k->ninsn + 1);
	for (uint32_t v = 0; v < k->nvreg; v++)
		f->low[v] = NONE;
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = k->block[b].first; j < k->block[b].first + k->block[b].n; j++) {
			const struct insn *i = &k->insn[j];

			f->block_of[j] = b;
			count(f, i->guard, 1);
			for (unsigned s = 0; s < i->nsrc; s++)
				count(f, insn_src(k, i)[s], 1);
			for (unsigned s = 0; s < i->ndst; s++)
				if (insn_dst(k, i)[s].kind == REF_REG) {
					f->ndef[insn_dst(k, i)[s].val]++;
					f->defi[insn_dst(k, i)[s].val] = j;
				}
		}
}

/* The one unguarded definition of v that strictly dominates block b; NONE. */
static uint32_t sole_def(const struct fold *f, uint32_t v, uint32_t b)
{
	uint32_t d = f->defi[v], bd;

	if (f->ndef[v] != 1 || !insn_kills(&f->k->insn[d]))
		return NONE;
	bd = f->block_of[d];
	if (bd == b || f->k->cfg->rpo_index[bd] == NONE || !dominates(f->k->dom, bd, b))
		return NONE;
	return d;
}

/* The definition whose result v holds here, or NONE. */
static uint32_t reach(const struct fold *f, uint32_t v)
{
	if (f->stamp[v] == f->b + 1)
		return insn_kills(&f->k->insn[f->last[v]]) ? f->last[v] : NONE;
	return sole_def(f, v, f->b);
}

/* Whether operand x of definition d (found by reach) has the same value here. */
static bool still(const struct fold *f, struct ref x, uint32_t d)
{
	uint32_t bd = f->block_of[d], e;

	if (x.kind != REF_REG)
		return x.kind == REF_IMM || x.kind == REF_CONST || x.kind == REF_SYM;
	if (bd == f->b)
		return f->stamp[x.val] != f->b + 1 || f->last[x.val] < d;
	e = f->defi[x.val];
	if (f->ndef[x.val] != 1 || !insn_kills(&f->k->insn[e]))
		return false;
	return f->block_of[e] == bd ? e < d : sole_def(f, x.val, bd) != NONE;
}

static unsigned consts_besides(const struct kernel *k, const struct insn *i, unsigned s)
{
	unsigned n = 0;

	for (unsigned t = 0; t < i->nsrc; t++)
		n += t != s && insn_src(k, i)[t].kind == REF_CONST;
	return n;
}

/* Whether source s of i may be r, the operand of a move whose letter is `from`. */
static bool can_hold(const struct kernel *k, const struct insn *i, unsigned s, struct ref r, char from)
{
	const struct op_info *o = &op_info[i->op];
	char to = insn_operand_letter(i, i->ndst + s);
	bool narrow = to == 'H' || to == 'B';

	if (to == 'M' || to == 'A' || to == 'L' || (from == 'H' && !narrow))
		return false; /* a 16-bit move fixes the upper half of its destination */
	if (r.kind == REF_REG)
		return true;
	if (to == 'P' || o->mem_bytes)
		return false;
	if (r.kind == REF_IMM)
		return true;
	return r.kind == REF_CONST && !narrow && !(o->flags & (OPF_CROSS | OPF_SIDE)) && o->fu != FU_CTRL &&
	       !consts_besides(k, i, s);
}

static struct ref imm_as(struct kernel *k, struct ref r, char letter)
{
	uint64_t v = k->imm[r.val];

	if (letter == 'B')
		v = (uint8_t)v;
	else if (letter == 'H')
		v = (uint16_t)v;
	else if (letter != 'D' && letter != 'G')
		v = (uint32_t)v;
	return ir_imm(k, v);
}

static void set_source(struct fold *f, struct insn *i, unsigned s, struct ref r)
{
	struct ref *p = &insn_src(f->k, i)[s];

	count(f, *p, -1);
	count(f, r, 1);
	*p = r;
	f->changed = true;
}

/* Copies and constants into source s. */
static void fold_copy(struct fold *f, struct insn *i, unsigned s)
{
	struct kernel *k = f->k;

	for (unsigned step = 0; step < ADDRESS_STEPS; step++) {
		struct ref r = insn_src(k, i)[s], from;
		const struct insn *d;
		uint32_t at;

		if (r.kind != REF_REG || (at = reach(f, r.val)) == NONE)
			return;
		d = &k->insn[at];
		if (!(op_info[d->op].flags & OPF_MOVE))
			return;
		from = insn_src(k, d)[0];
		if (from.abs || !can_hold(k, i, s, from, insn_operand_letter(d, 1)) || !still(f, from, at))
			return;
		if (from.kind == REF_IMM)
			from = imm_as(k, from, insn_operand_letter(i, i->ndst + s));
		from.neg ^= r.neg;
		set_source(f, i, s, from);
	}
}

/* ---- addresses ---- */
static bool offset_fits(int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; }

static bool space_is_32(const struct insn *i)
{
	return i->space == SP_SHARED || i->space == SP_LOCAL || i->space == SP_CONST || i->space == SP_PARAM;
}

/* The address is a plain number: into the offset, with base 0; a generic one in a window names its space. */
static bool absolute_address(struct fold *f, struct insn *i, uint64_t v)
{
	enum space space = i->space;

	v += (uint64_t)(int64_t)i->offset;
	if (space == SP_GENERIC && v >= SHARED_WINDOW && v < SHARED_WINDOW + WINDOW_BYTES) {
		space = SP_SHARED;
		v -= SHARED_WINDOW;
	} else if (space == SP_GENERIC && v >= LOCAL_WINDOW && v < LOCAL_WINDOW + WINDOW_BYTES) {
		space = SP_LOCAL;
		v -= LOCAL_WINDOW;
	} else if (!space_is_32(i)) {
		return false;
	}
	v = (uint32_t)v;
	i->space = space;
	i->offset = v <= INT32_MAX ? (int32_t)v : 0;
	set_source(f, i, 0, ir_imm(f->k, v <= INT32_MAX ? 0 : v));
	return true;
}

static bool symbol_address(struct fold *f, struct insn *i, struct ref r, int64_t offset)
{
	enum space space = f->k->m->sym[f->k->symref[r.val].sym].space;

	if (!offset_fits(offset) || (space != i->space && !(space == SP_GLOBAL && i->space == SP_GENERIC)))
		return false;
	i->space = space;
	i->offset = (int32_t)offset;
	set_source(f, i, 0, r);
	return true;
}

/* One step towards the root of an address; false when there is none. */
static bool fold_address(struct fold *f, struct insn *i)
{
	struct kernel *k = f->k;
	struct ref r = insn_src(k, i)[0], x, y;
	const struct insn *d;
	uint32_t at;
	int64_t by;

	if (r.kind == REF_IMM && i->space == SP_GENERIC)
		return absolute_address(f, i, k->imm[r.val]);
	if (r.kind != REF_REG || (at = reach(f, r.val)) == NONE)
		return false;
	d = &k->insn[at];
	if (!d->nsrc || d->ndst != 1)
		return false;
	x = insn_src(k, d)[0];
	if (op_info[d->op].flags & OPF_MOVE) {
		if (x.kind == REF_IMM)
			return absolute_address(f, i, k->imm[x.val]);
		if (x.kind == REF_SYM)
			return symbol_address(f, i, x, i->offset);
		if (x.kind != REF_REG || insn_operand_letter(d, 1) == 'H' || !still(f, x, at))
			return false;
		set_source(f, i, 0, x);
		return true;
	}
	if (d->op != OP_ADD_S64 && d->op != OP_SUB_S64 &&
	    !(space_is_32(i) && (d->op == OP_ADD_S32 || d->op == OP_SUB_S32)))
		return false;
	y = insn_src(k, d)[1];
	if (x.kind == REF_IMM && (d->op == OP_ADD_S64 || d->op == OP_ADD_S32)) {
		struct ref t = x;

		x = y;
		y = t;
	}
	if (y.kind != REF_IMM)
		return false;
	by = d->op == OP_ADD_S32 || d->op == OP_SUB_S32 ? (int32_t)k->imm[y.val] : (int64_t)k->imm[y.val];
	if (!offset_fits(by))
		return false;
	by = d->op == OP_SUB_S64 || d->op == OP_SUB_S32 ? i->offset - by : i->offset + by;
	if (x.kind == REF_SYM)
		return symbol_address(f, i, x, by);
	if (x.kind != REF_REG || !offset_fits(by) || !still(f, x, at))
		return false;
	i->offset = (int32_t)by;
	set_source(f, i, 0, x);
	return true;
}

/* ---- arithmetic ---- */
/* Makes i a move of r. */
static void become_move(struct fold *f, struct insn *i, enum op mov, struct ref r)
{
	struct kernel *k = f->k;
	struct ref dst = insn_dst(k, i)[0], *run;

	for (unsigned s = 0; s < i->nsrc; s++)
		count(f, insn_src(k, i)[s], -1);
	run = ir_set_operands(k, i, 1, 1);
	run[0] = dst;
	run[1] = r;
	count(f, r, 1);
	i->op = (uint16_t)mov;
	f->changed = true;
}

static void fold_constants(struct fold *f, struct insn *i)
{
	struct kernel *k = f->k;
	uint64_t v[3] = { 0 }, d;
	unsigned imms = 0;
	bool wide;

	if (insn_has_address(i) || i->ndst != 1 || !i->nsrc || i->nsrc > 3 ||
	    op_info[i->op].flags & (OPF_MOVE | OPF_SETP))
		return;
	for (unsigned s = 0; s < i->nsrc; s++) {
		struct ref r = insn_src(k, i)[s];

		if (r.kind != REF_IMM)
			continue;
		v[s] = k->imm[r.val];
		imms++;
	}
	if (imms == i->nsrc) {
		if (fold_eval(i->op, v, &d, &wide))
			become_move(f, i, wide ? OP_MOV_B64 : OP_MOV_B32, ir_imm(k, wide ? d : (uint32_t)d));
		return;
	}
	for (unsigned s = 0; imms == 1 && i->nsrc == 2 && s < 2; s++) {
		int keep = insn_src(k, i)[s].kind == REF_IMM ? fold_identity(i->op, s, v[s]) : -1;

		if (keep >= 0) {
			become_move(f, i, op_info[i->op].sig[0] == 'D' ? OP_MOV_B64 : OP_MOV_B32, insn_src(k, i)[keep]);
			return;
		}
	}
}

/* Registers first, for one form of each commutative instruction. */
static void swap_commuting(struct fold *f, struct insn *i)
{
	struct ref *src = insn_src(f->k, i), t;

	if (!(op_info[i->op].flags & OPF_COMMUTES) || op_info[i->op].mem_bytes || i->nsrc < 2 ||
	    src[1].kind != REF_REG || (src[0].kind != REF_IMM && src[0].kind != REF_CONST))
		return;
	t = src[0];
	src[0] = src[1];
	src[1] = t;
	f->changed = true;
}

static enum op mad_of(enum op mul, enum op add)
{
	if (add == OP_ADD_S64 && mul == OP_MUL_WIDE_U32)
		return OP_MAD_WIDE_U32;
	if (add == OP_ADD_S64 && mul == OP_MUL_WIDE_S32)
		return OP_MAD_WIDE_S32;
	if (add == OP_ADD_S64 && mul == OP_MUL_LO_S64)
		return OP_MAD_LO_S64;
	return add == OP_ADD_S32 && mul == OP_MUL_LO_S32 ? OP_MAD_LO_S32 : OP_COUNT;
}

/* product + addend, if the sum is the product's only use and both are in one block (a product hoisted out of a loop
 * stays there). A constant addend is left for the addresses that may take it as their offset. */
static void fold_mad(struct fold *f, struct insn *i)
{
	struct kernel *k = f->k;

	if (i->op != OP_ADD_S64 && i->op != OP_ADD_S32)
		return;
	for (unsigned s = 0; s < 2; s++) {
		struct ref r = insn_src(k, i)[s], c = insn_src(k, i)[1 - s], dst = insn_dst(k, i)[0], a, b, *run;
		const struct insn *mul;
		enum op mad;
		uint32_t at;

		if (r.kind != REF_REG || f->nuse[r.val] != 1 || f->ndef[r.val] != 1 ||
		    (c.kind != REF_REG && c.kind != REF_CONST) || (at = reach(f, r.val)) == NONE ||
		    f->block_of[at] != f->b)
			continue;
		mul = &k->insn[at];
		mad = mad_of(mul->op, i->op);
		if (mad == OP_COUNT)
			continue;
		a = insn_src(k, mul)[0];
		b = insn_src(k, mul)[1];
		if (!still(f, a, at) || !still(f, b, at) ||
		    (c.kind == REF_CONST && (a.kind == REF_CONST || b.kind == REF_CONST)))
			continue;
		count(f, r, -1);
		count(f, a, 1);
		count(f, b, 1);
		run = ir_set_operands(k, i, 1, 3);
		run[0] = dst;
		run[1] = a;
		run[2] = b;
		run[3] = c;
		i->op = (uint16_t)mad;
		f->changed = true;
		return;
	}
}

/* The low half of a 64-bit register: of a widened one, the original; taken before in this block, that result. */
static void fold_low_half(struct fold *f, struct insn *i, uint32_t j)
{
	struct kernel *k = f->k;
	struct ref x = insn_src(k, i)[0], y;
	const struct insn *d;
	uint32_t at;

	if (i->op != OP_CVT_U32_D || x.kind != REF_REG)
		return;
	at = reach(f, x.val);
	if (at != NONE) {
		d = &k->insn[at];
		if ((d->op == OP_CVT_U64_U32 || d->op == OP_CVT_S64_S32) && still(f, insn_src(k, d)[0], at)) {
			become_move(f, i, OP_MOV_B32, insn_src(k, d)[0]);
			return;
		}
	}
	at = f->low[x.val];
	if (at != NONE && f->block_of[at] == f->b && still(f, x, at) && k->insn[at].op == OP_CVT_U32_D) {
		y = insn_dst(k, &k->insn[at])[0];
		if (f->stamp[y.val] == f->b + 1 && f->last[y.val] == at) {
			become_move(f, i, OP_MOV_B32, y);
			return;
		}
	}
	if (insn_kills(i) && insn_dst(k, i)[0].kind == REF_REG)
		f->low[x.val] = j;
}

static void fold_insn(struct fold *f, uint32_t j)
{
	struct insn *i = &f->k->insn[j];

	for (unsigned s = 0; s < i->nsrc; s++)
		fold_copy(f, i, s);
	if (insn_has_address(i))
		for (unsigned step = 0; step < ADDRESS_STEPS && fold_address(f, i); step++)
			;
	swap_commuting(f, i);
	fold_constants(f, i);
	fold_mad(f, i);
	fold_low_half(f, i, j);
	for (unsigned s = 0; s < i->ndst; s++) {
		struct ref d = insn_dst(f->k, i)[s];

		if (d.kind != REF_REG)
			continue;
		f->last[d.val] = j;
		f->stamp[d.val] = f->b + 1;
	}
}

enum pass_result pass_fold(struct kernel *k, struct pass_ctx *cx)
{
	struct fold f = { .k = k };

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	prepare(&f, &cx->scratch);
	for (uint32_t n = 0; n < k->cfg->nrpo; n++) {
		f.b = k->cfg->rpo[n];
		for (uint32_t j = k->block[f.b].first; j < k->block[f.b].first + k->block[f.b].n; j++)
			fold_insn(&f, j);
	}
	return f.changed ? PASS_CHANGED : PASS_SAME;
}

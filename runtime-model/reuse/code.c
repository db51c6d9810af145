/* Static decode of reusable operations: code.h. */
#include "runtime-model/reuse/code.h"

#include "analyzer/base/bits.h"
#include "analyzer/ir/texture.h"
#include "analyzer/sass/sass.h"
#include "analyzer/sass/values.h"

#include <assert.h>
#include <string.h>

const char *const reuse_why_name[REUSE_WHY_COUNT] = {
#define X(id, name, words) [id] = #name,
	REUSE_WHYS(X)
#undef X
};
const char *const reuse_why_words[REUSE_WHY_COUNT] = {
#define X(id, name, words) [id] = words,
	REUSE_WHYS(X)
#undef X
};

/* What an operand looks like, which is part of the operation: bits of struct shape. */
enum { FORM_REGISTER = 1, FORM_PAIR, FORM_IMM, FORM_CONST, FORM_SYM, FORM_SREG, FORM_OFFSET };
enum { FORM_NEG_AT = 3, FORM_ABS_AT = 4, FORM_FIELDS_AT = 5, FORM_BANK_AT = 8 };
enum { DST_SINK = 255, FORMS = REUSE_FIELDS, DSTS = EXEC_DST_MAX };

/* Two instructions are the same operation if these are. No padding: compared as bytes. */
struct shape {
	/* of a row whose last operand says which function it is; of machine code the instruction */
	uint64_t selector[2];
	uint32_t mods;
	uint16_t op, operand[FORMS]; /* those that take fields, in order */
	uint8_t space, vec, cop, cbool;
	uint8_t dst[DSTS]; /* index into uop.dst of each 32-bit register, or DST_SINK */
};
_Static_assert(sizeof(struct shape) == 16 + 4 + 2 + 2 * FORMS + 4 + DSTS, "no padding");

struct decoder {
	const struct kernel *k;
	unsigned field_bits, id_bits;
	struct reuse_insn *insn;
	struct shape *form;              /* of each operation, from 1 */
	uint32_t *next, first[OP_COUNT]; /* operations of one opcode, a list */
	unsigned n;
};

static bool pairs_fit(const struct decoder *dc) { return 2 * dc->id_bits <= dc->field_bits; }

enum reuse_why reuse_why_of_op(enum op op)
{
	const struct op_info *o = &op_info[op];
	const uint32_t control =
		OPF_BRANCH | OPF_END | OPF_EXIT | OPF_CALL | OPF_RETURN | OPF_TABLE | OPF_BARRIER | OPF_REGMUTEX;
	struct texture x;

	if (o->flags & control || o->fu == FU_CTRL || o->fu == FU_BAR)
		return REUSE_CONTROL;
	if (o->flags & (OPF_CROSS | OPF_SIDE) && !(o->flags & (OPF_LOAD | OPF_STORE)))
		return REUSE_CROSS;
	if (o->flags & OPF_STORE || (o->flags & OPF_SIDE && !texture_of(op, &x))) /* copies write memory too */
		return REUSE_STORE;
	if (o->flags & OPF_CROSS)
		return REUSE_CROSS;
	return o->flags & OPF_SIDE ? REUSE_SURFACE : REUSABLE;
}

static enum reuse_load load_of(const struct insn *i)
{
	struct texture x;

	if (!(op_info[i->op].flags & OPF_LOAD))
		return LOAD_NONE;
	if (texture_of((enum op)i->op, &x) || i->cop == COP_NC)
		return LOAD_READ_ONLY;
	switch ((enum space)i->space) {
	case SP_CONST:
	case SP_PARAM:
		return LOAD_CONSTANT;
	case SP_SHARED:
		return LOAD_SHARED;
	case SP_GENERIC:
		return LOAD_GENERIC;
	case SP_NONE:
	case SP_GLOBAL:
	case SP_LOCAL:
	case SP_COUNT:
		break;
	}
	return LOAD_GLOBAL;
}

/* ---- order of memory ---- */
/* a look at it, whatever its flags say */
static bool waits_for_mbarrier(enum op op) { return op == OP_MBARRIER_WAIT || op == OP_MBARRIER_WAIT_PARITY; }

static unsigned stores_of(const struct insn *i)
{
	const enum op op = (enum op)i->op;

	if (op == OP_CP_ASYNC || op == OP_CP_BULK_LOAD || op == OP_CP_BULK_MULTICAST || op == OP_CP_BULK_SHARED)
		return ORDER_STORE_SHARED;
	if (op == OP_CP_BULK_STORE)
		return ORDER_STORE_GLOBAL;
	if (!(op_info[op].flags & OPF_STORE) || i->space == SP_LOCAL || waits_for_mbarrier(op))
		return 0;
	if (i->space == SP_SHARED)
		return ORDER_STORE_SHARED;
	return i->space == SP_GENERIC ? ORDER_STORE_SHARED | ORDER_STORE_GLOBAL : ORDER_STORE_GLOBAL;
}

static unsigned order_of(const struct insn *i)
{
	const enum op op = (enum op)i->op;
	const uint32_t flags = op_info[op].flags;

	if (op == OP_BAR_ARRIVE || op == OP_BAR_CLUSTER_ARRIVE)
		return 0; /* does not wait; whoever does, makes the count grow */
	if (op == OP_CP_ASYNC_WAIT || op == OP_CP_ASYNC_WAIT_ALL || waits_for_mbarrier(op))
		return ORDER_COUNT; /* for what its own CTA does */
	if (flags & OPF_BARRIER)
		return ORDER_CLEAR;
	if (flags & OPF_FENCE)
		return ORDER_CLEAR | ORDER_COUNT | ORDER_OTHERS;
	return stores_of(i) | (i->mods & MOD_ACQUIRE ? ORDER_COUNT | ORDER_OTHERS : 0);
}

/* ---- operands ---- */
/* The same in each warp of 32 threads, whichever one reads it. */
static bool same_in_warps(enum sreg s)
{
	return !sreg_is_of_warp(s) && !(s >= SREG_TID_X && s <= SREG_TID_Z) &&
	       !(s >= SREG_CTAID_X && s <= SREG_CTAID_Z) && s != SREG_SMID &&
	       !(s >= SREG_CLUSTERID_X && s <= SREG_CLUSTERID_Z) &&
	       !(s >= SREG_CLUSTER_CTAID_X && s <= SREG_CLUSTER_CTAID_Z) && s != SREG_CLUSTER_CTARANK;
}

/* The last operand, an immediate, says which function the row computes: it belongs to the opcode. */
static bool has_selector(const struct kernel *k, const struct insn *i)
{
	const char *sig = op_info[i->op].sig;

	return i->nsrc == 4 && insn_src(k, i)[3].kind == REF_IMM && (i->op == OP_LOP3_B32 || !strcmp(sig, "W_WWWD"));
}

struct fields {
	struct reuse_insn *out;
	struct shape *f;
	unsigned n, operands;
};

static bool add_register(const struct decoder *dc, struct fields *t, const struct insn_regs *regs, unsigned reg,
			 bool pair, unsigned form)
{
	struct reuse_field *to = &t->out->field[t->n];

	if (t->n == REUSE_FIELDS || (pair ? !pairs_fit(dc) : dc->id_bits > dc->field_bits))
		return false;
	to->kind = pair ? FIELD_PAIR : FIELD_REGISTER;
	for (unsigned h = 0; h < 1u + pair; h++)
		while (regs->src[to->src[h]] != reg + h)
			to->src[h]++;
	t->f->operand[t->operands++] = (uint16_t)((pair ? FORM_PAIR : FORM_REGISTER) | form | 1 << FORM_FIELDS_AT);
	t->n++;
	return true;
}

/* In as many fields as it takes with its sign. */
static bool add_number(const struct decoder *dc, struct fields *t, int64_t v, unsigned form)
{
	const unsigned bits = dc->field_bits;
	unsigned n = 1;

	while (n * bits < 64 && v >> (n * bits - 1) != 0 && v >> (n * bits - 1) != -1)
		n++;
	if (t->n + n > REUSE_FIELDS)
		return false;
	t->f->operand[t->operands++] = (uint16_t)(form | n << FORM_FIELDS_AT);
	for (unsigned x = 0; x < n; x++)
		t->out->field[t->n++] =
			(struct reuse_field){ .kind = FIELD_NUMBER,
					      .number = (uint32_t)((uint64_t)(x * bits < 64 ? v >> x * bits : v >> 63) &
								   (((uint64_t)1 << bits) - 1)) };
	return true;
}

/* An address that is known when the kernel is linked: a field must hold whatever it may become. The same variable is
 * the same number. */
static bool add_symbol(const struct decoder *dc, struct fields *t, uint32_t ref, bool wide, unsigned form)
{
	const unsigned n = ((wide ? 64 : 32) + dc->field_bits - 1) / dc->field_bits;
	const struct symref *s = dc->k->symref;
	uint32_t same = 0;

	if (t->n + n > REUSE_FIELDS)
		return false;
	while (s[same].sym != s[ref].sym || s[same].addend != s[ref].addend)
		same++;
	t->f->operand[t->operands++] = (uint16_t)(FORM_SYM | form | n << FORM_FIELDS_AT);
	for (unsigned x = 0; x < n; x++)
		t->out->field[t->n++] = (struct reuse_field){ .kind = FIELD_NUMBER, .number = x ? 0 : same };
	return true;
}

static bool add_operand(const struct decoder *dc, struct fields *t, const struct insn *i, const struct insn_regs *regs,
			unsigned slot)
{
	const struct ref r = insn_src(dc->k, i)[slot];
	const bool wide = insn_operand_class(dc->k, i, i->ndst + slot) == RC_64;
	const unsigned form = (unsigned)r.neg << FORM_NEG_AT | (unsigned)r.abs << FORM_ABS_AT;
	uint64_t imm;

	switch ((enum ref_kind)r.kind) {
	case REF_REG:
		if (mreg_is_fixed(r.val)) /* zero, or true */
			return add_number(dc, t, r.val == MREG_PT, FORM_IMM | form);
		return add_register(dc, t, regs, r.val, wide, form);
	case REF_IMM:
		imm = dc->k->imm[r.val];
		return add_number(dc, t, wide ? (int64_t)imm : (int32_t)(uint32_t)imm, FORM_IMM | form);
	case REF_CONST:
		return add_number(dc, t, const_offset(r), FORM_CONST | form | const_bank(r) << FORM_BANK_AT);
	case REF_SYM:
		return add_symbol(dc, t, r.val, wide, form);
	case REF_SREG:
		return add_number(dc, t, r.val, FORM_SREG | form);
	case REF_NONE:
	case REF_BLOCK:
		break;
	}
	return false;
}

static enum reuse_why add_operands(const struct decoder *dc, const struct insn *i, const struct insn_regs *regs,
				   struct reuse_insn *out, struct shape *f)
{
	struct fields t = { .out = out, .f = f };
	const bool selector = has_selector(dc->k, i);

	for (unsigned s = 0; s < i->nsrc - (unsigned)selector; s++)
		if (!add_operand(dc, &t, i, regs, s))
			return REUSE_OPERANDS;
	if (selector)
		f->selector[0] = dc->k->imm[insn_src(dc->k, i)[3].val];
	if (i->offset && op_info[i->op].flags & OPF_LOAD && !add_number(dc, &t, i->offset, FORM_OFFSET))
		return REUSE_OPERANDS;
	return REUSABLE;
}

/* A predicate that is data, other than PT and a sink; a special register of the warp. */
static enum reuse_why odd_operands(const struct kernel *k, const struct insn *i)
{
	enum reuse_why why = REUSABLE;

	for (unsigned n = 0; n < i->ndst + (unsigned)i->nsrc; n++) {
		const struct ref r = k->opnd[i->opnd + n];

		if (r.kind == REF_REG && mreg_is_pred(r.val) && !mreg_is_fixed(r.val))
			return REUSE_PREDICATE;
		if (r.kind == REF_SREG && !same_in_warps((enum sreg)r.val))
			why = REUSE_SPECIAL;
	}
	return why;
}

static void name_results(const struct decoder *dc, const struct insn *i, const struct insn_regs *regs, struct shape *f)
{
	unsigned at = 0;

	memset(f->dst, DST_SINK, sizeof f->dst);
	for (unsigned d = 0; d < i->ndst; d++) {
		const struct ref r = insn_dst(dc->k, i)[d];
		const unsigned n = insn_operand_class(dc->k, i, d) == RC_64 ? 2 : 1;

		for (unsigned h = 0; h < n && at < DSTS; h++, at++)
			if (r.kind == REF_REG && !mreg_is_pred(r.val) && !mreg_is_fixed(r.val))
				for (f->dst[at] = 0; regs->dst[f->dst[at]] != r.val + h;)
					f->dst[at]++;
	}
}

/* ---- machine code ---- */
static enum reuse_why why_of_load(const struct sass_insn *s)
{
	const char *m = sass_mnemonic(s), *order;
	size_t n;

	if (strcmp(m, "LDGSTS") == 0)
		return REUSE_STORE;
	if (strncmp(m, "LDSM", 4) == 0 || strncmp(m, "LDT", 3) == 0)
		return REUSE_CROSS;
	order = sass_mod_name(s, "order", &n);
	return order && (strncmp(order, "STRONG", 6) == 0 || strncmp(order, "MMIO", 4) == 0) ? REUSE_ORDERED : REUSABLE;
}

/* What the class and the mnemonic alone say. */
static enum reuse_why why_of_native(const struct sass_insn *s)
{
	const uint64_t of = bit(sass_class(s));
	const uint64_t plain = bit(SCLASS_MOVE) | bit(SCLASS_INT) | bit(SCLASS_MINMAX) | bit(SCLASS_IMAD) |
			       bit(SCLASS_FADD) | bit(SCLASS_FMUL) | bit(SCLASS_FMAD) | bit(SCLASS_FMINMAX) |
			       bit(SCLASS_DADD) | bit(SCLASS_DMUL) | bit(SCLASS_DMAD) | bit(SCLASS_CONVERT) |
			       bit(SCLASS_SFU) | bit(SCLASS_SPECIAL) | bit(SCLASS_UNIFORM);

	if (of & plain)
		return strcmp(sass_mnemonic(s), "FSWZADD") == 0 ? REUSE_CROSS : REUSABLE;
	if (of & (bit(SCLASS_SHUFFLE) | bit(SCLASS_VOTE) | bit(SCLASS_MMA)))
		return REUSE_CROSS;
	if (of & (bit(SCLASS_STORE) | bit(SCLASS_ATOMIC)))
		return REUSE_STORE;
	if (of & bit(SCLASS_LOAD))
		return why_of_load(s);
	if (of & bit(SCLASS_TEXTURE) && s->space == SSPACE_SURFACE)
		return strcmp(sass_mnemonic(s), "SULD") == 0 ? REUSE_SURFACE : REUSE_STORE;
	if (of & bit(SCLASS_TEXTURE))
		return REUSABLE;
	return of & bit(SCLASS_PRED) ? REUSE_PREDICATE : REUSE_CONTROL;
}

/* A source goes into fields, and out of what makes the operation. */
static enum reuse_why add_native(const struct decoder *dc, struct fields *t, const struct insn_regs *regs,
				 struct sass_operand *o)
{
	bool fits = true;

	switch ((unsigned)o->kind) {
	case SASS_GPR:
		if (!o->n || o->reg == SASS_ZERO)
			break;
		for (unsigned h = 0; h < o->n; h++)
			fits &= memchr(regs->src, (int)(o->reg + h), regs->nsrc) != NULL;
		fits = fits && o->n <= 2 && add_register(dc, t, regs, o->reg, o->n == 2, 0);
		o->reg = 0;
		break;
	case SASS_UGPR:
		return o->reg == SASS_ZERO ? REUSABLE : REUSE_UNIFORM;
	case SASS_PRED:
	case SASS_UPRED:
		return o->reg == SASS_TRUE ? REUSABLE : REUSE_PREDICATE;
	case SASS_CONST:
		if (o->bindless)
			return REUSE_UNIFORM;
		fits = add_number(dc, t, (int64_t)o->value, FORM_CONST | (unsigned)o->bank << FORM_BANK_AT);
		o->value = o->bank = 0;
		break;
	case SASS_INT:
	case SASS_F32:
	case SASS_F64:
	case SASS_F16X2:
	case SASS_INT64:
		if (o->role < SROLE_A || o->role > SROLE_E)
			break; /* a table, a shift: which function it is */
		fits = add_number(dc, t, o->kind == SASS_INT64 ? (int64_t)o->value : (int32_t)(uint32_t)o->value,
				  FORM_IMM);
		o->value = 0;
		break;
	case SASS_SREG:
		break; /* odd_operands() */
	case SASS_PREDS:
		return REUSE_PREDICATE;
	default:
		break;
	}
	return fits ? REUSABLE : REUSE_OPERANDS;
}

static enum reuse_why native_operands(const struct decoder *dc, uint32_t at, struct sass_insn s,
				      const struct insn_regs *regs, struct reuse_insn *out, struct shape *f)
{
	struct fields t = { .out = out, .f = f };
	struct sass_word same;
	enum reuse_why why;
	unsigned read = 0;

	if (sass_is_relocated(dc->k->native, at))
		return REUSE_OPERANDS;
	for (unsigned n = 0; n < s.nop; n++) {
		struct sass_operand *o = &s.op[n];

		if (o->write && o->kind == SASS_GPR)
			o->reg = o->reg == SASS_ZERO ? o->reg : 0;
		if (o->write || (o->role == SROLE_U && sass_has_descriptor(&s)))
			continue;
		read += o->kind == SASS_GPR && o->reg != SASS_ZERO ? o->n : 0;
		if ((why = add_native(dc, &t, regs, o)) != REUSABLE)
			return why;
	}
	if (s.imm && !add_number(dc, &t, s.imm, FORM_OFFSET))
		return REUSE_OPERANDS;
	if (read < regs->nsrc) /* it reads what no operand says */
		return REUSE_OPERANDS;
	s.imm = 0;
	s.guard = (struct sass_operand){ .kind = SASS_PRED, .reg = SASS_TRUE };
	s.control = (struct control_code){ 0 };
	same = sass_encode(dc->k->native->sm, &s);
	f->selector[0] = same.lo;
	f->selector[1] = same.hi;
	return REUSABLE;
}

/* What it loads from, and what it does to the order of memory, that its row of op_info does not say. */
static void order_native(const struct sass_insn *s, struct reuse_insn *out)
{
	if (out->load == LOAD_GLOBAL && (sass_has(s, "CONSTANT") || s->space == SSPACE_TEXTURE))
		out->load = LOAD_READ_ONLY;
	if (strcmp(sass_mnemonic(s), "LDGSTS") == 0)
		out->order |= ORDER_STORE_SHARED;
	if (sass_class(s) == SCLASS_BARRIER && !sass_has(s, "SYNC"))
		out->order &= (uint8_t)~ORDER_CLEAR; /* it may not wait */
	if (sass_class(s) == SCLASS_SYNC)
		out->order |= ORDER_COUNT; /* among them those that wait for copies of the CTA */
}

static uint16_t operation_of(struct decoder *dc, const struct shape *f)
{
	uint32_t *at = &dc->first[f->op];

	for (; *at; at = &dc->next[*at])
		if (!memcmp(&dc->form[*at], f, sizeof *f))
			return (uint16_t)*at;
	*at = ++dc->n;
	dc->form[dc->n] = *f;
	return (uint16_t)dc->n;
}

/* S: of machine code; no row if it is unknown. */
static enum reuse_why decode(struct decoder *dc, uint32_t at, const struct sass_insn *s, struct reuse_insn *out,
			     struct shape *f)
{
	const struct insn *i = &dc->k->insn[at];
	const struct op_info *op = &op_info[i->op];
	enum reuse_why why = dc->k->native ? why_of_native(s) : reuse_why_of_op((enum op)i->op);
	struct insn_regs regs;

	if (why != REUSABLE)
		return why;
	if (op->flags & OPF_LOAD &&
	    (i->mods & (MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE | MOD_RELEASE) || i->cop == COP_CV))
		return REUSE_ORDERED;
	if (op->flags & OPF_LOAD && i->space == SP_LOCAL)
		return REUSE_LOCAL;
	if ((why = odd_operands(dc->k, i)) != REUSABLE)
		return why;
	ir_insn_regs(dc->k, i, &regs);
	if (!regs.ndst)
		return REUSE_NO_RESULT;
	if (regs.ndst > (pairs_fit(dc) ? REUSE_RESULTS_MAX : 1))
		return REUSE_RESULTS;
	out->ndst = regs.ndst;
	*f = (struct shape){ .mods = i->mods & ~(unsigned)(MOD_MOVED | MOD_UNI),
			     .op = i->op,
			     .space = i->space,
			     .vec = i->vec,
			     .cop = i->cop,
			     .cbool = i->cbool };
	name_results(dc, i, &regs, f);
	if (dc->k->native)
		return native_operands(dc, at, *s, &regs, out, f);
	return add_operands(dc, i, &regs, out, f);
}

struct reuse_code reuse_decode(const struct kernel *k, unsigned field_bits, unsigned id_bits, struct arena *a)
{
	struct decoder *dc = new(a, struct decoder);

	assert(k->form == FORM_MACHINE && field_bits >= 10 && field_bits <= 32);
	dc->k = k;
	dc->field_bits = field_bits;
	dc->id_bits = id_bits;
	dc->insn = new_array(a, struct reuse_insn, k->ninsn + 1);
	dc->form = new_array(a, struct shape, k->ninsn + 1);
	dc->next = new_array(a, uint32_t, k->ninsn + 1);
	for (uint32_t n = 0; n < k->ninsn; n++) {
		const struct insn *i = &k->insn[n];
		struct reuse_insn out = { .ndst = 0 };
		struct sass_insn s = { .row = NULL };
		struct shape f;
		enum reuse_why why;

		if (k->native)
			sass_decode_words(k->native->sm, k->native->word[n], &s);
		why = decode(dc, n, &s, &out, &f);
		if (why == REUSABLE)
			out.operation = operation_of(dc, &f);
		else
			out = (struct reuse_insn){ .why = (uint8_t)why };
		out.load = (uint8_t)load_of(i);
		out.order = (uint8_t)order_of(i);
		if (s.row)
			order_native(&s, &out);
		dc->insn[n] = out;
	}
	return (struct reuse_code){ dc->insn, dc->n };
}

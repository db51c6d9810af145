/* What the back end's tests share: short ways to build kernels by hand, a plain interpreter of one thread for both
 * forms (the integer operations that these tests use, written from the PTX ISA and not from ops.def), and random
 * structured kernels over those operations. */
#ifndef REGLOOM_BACKEND_KIT_H
#define REGLOOM_BACKEND_KIT_H

#include "analyzer/base/rng.h"
#include "passes/pass.h"

#include <check.h>
#include <string.h>

enum {
	KIT_GLOBAL = 2048,
	KIT_SHARED = 1024,
	KIT_LOCAL = 16384,
	KIT_PARAMS = 64, /* bytes */
	KIT_STEPS = 400000,
};

struct kit {
	struct arena arena;
	struct diag diag;
	struct pass_ctx cx;
	struct module *m;
	struct kernel *k;
};

static inline void kit_open(struct kit *t)
{
	memset(t, 0, sizeof *t);
	arena_init(&t->arena);
	diag_init(&t->diag, NULL);
	pass_ctx_init(&t->cx, &t->diag);
	t->cx.opt.check = true;
	t->m = module_new(&t->arena);
	t->m->address_bits = 64;
	t->k = kernel_new(t->m, "kit");
}

static inline void kit_close(struct kit *t)
{
	pass_ctx_free(&t->cx);
	diag_free(&t->diag);
	arena_free(&t->arena);
}

/* ---- building ---- */
static inline struct ref kit_reg(struct kit *t, enum reg_class rc)
{
	static const char *const prefix[RC_COUNT] = { [RC_PRED] = "p", [RC_32] = "r", [RC_64] = "rd" };
	const char *name = arena_printf(&t->arena, "%%%s%u", prefix[rc], t->k->nvreg);

	return ref_reg(ir_vreg(t->k, name, rc, reg_class_bits(rc)));
}

static inline struct ref kit_imm(struct kit *t, uint64_t v) { return ir_imm(t->k, v); }
static inline struct ref kit_sreg(enum sreg s) { return (struct ref){ .kind = REF_SREG, .val = s & REF_VAL_MAX }; }
static inline struct ref kit_block(uint32_t b) { return (struct ref){ .kind = REF_BLOCK, .val = b & REF_VAL_MAX }; }

/* Appends op with the row's operand counts; destinations first. Missing operands: ref_none(). */
static inline struct insn *kit_op(struct kit *t, enum op op, struct ref a, struct ref b, struct ref c, struct ref d)
{
	struct insn *i = ir_append(t->k, op, op_info[op].ndst, op_info[op].nsrc);
	struct ref r[4] = { a, b, c, d };

	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc && s < 4; s++)
		t->k->opnd[i->opnd + s] = r[s];
	return i;
}
#define KIT1(t, op, a) kit_op(t, op, a, ref_none(), ref_none(), ref_none())
#define KIT2(t, op, a, b) kit_op(t, op, a, b, ref_none(), ref_none())
#define KIT3(t, op, a, b, c) kit_op(t, op, a, b, c, ref_none())

static inline void kit_load(struct kit *t, enum op op, enum space sp, struct ref d, struct ref base, int32_t offset)
{
	struct insn *i = KIT2(t, op, d, base);

	i->space = (uint8_t)sp;
	i->offset = offset;
}

static inline void kit_store(struct kit *t, enum op op, enum space sp, struct ref base, int32_t offset, struct ref v)
{
	struct insn *i = KIT2(t, op, base, v);

	i->space = (uint8_t)sp;
	i->offset = offset;
}

static inline void kit_param(struct kit *t, enum scalar_type type, uint32_t bytes)
{
	struct kernel *k = t->k;
	uint32_t at = 0;

	for (uint32_t p = 0; p < k->nparam; p++)
		at = k->param[p].offset + k->param[p].size;
	at = (at + bytes - 1) / bytes * bytes;
	arena_grow(k->a, k->param, k->nparam, k->param_cap);
	k->param[k->nparam++] =
		(struct param){ .name = "arg", .offset = at, .size = bytes, .align = bytes, .type = (uint8_t)type };
}

/* ---- running ---- */
struct kit_run {
	uint8_t global[KIT_GLOBAL], shared[KIT_SHARED], local[KIT_LOCAL], bank0[PARAM_BASE + KIT_PARAMS];
	uint64_t reg[4096]; /* virtual: a register each; machine: 32 bits each, predicates 0 or 1 */
	uint32_t tid;
	uint64_t steps;
	const char *fault;
};

static inline uint64_t kit_read(struct kit_run *x, const struct kernel *k, const struct insn *i, unsigned slot)
{
	struct ref r = k->opnd[i->opnd + slot];
	bool wide = insn_operand_class(k, i, slot) == RC_64, pred = insn_operand_letter(i, slot) == 'P';
	uint64_t v = 0;

	if (r.kind == REF_REG) {
		if (k->form == FORM_VIRTUAL)
			v = x->reg[r.val];
		else if (r.val == MREG_PT)
			v = 1;
		else if (r.val != MREG_RZ)
			v = x->reg[r.val] | (wide ? x->reg[r.val + 1] << 32 : 0);
	} else if (r.kind == REF_IMM) {
		v = k->imm[r.val];
	} else if (r.kind == REF_CONST) {
		if (const_bank(r) || const_offset(r) + (wide ? 8 : 4) > sizeof x->bank0)
			x->fault = "constant";
		else
			memcpy(&v, x->bank0 + const_offset(r), wide ? 8 : 4);
	} else if (r.kind == REF_SREG) {
		if (r.val == SREG_TID_X)
			v = x->tid;
		else if (r.val == SREG_NTID_X)
			v = 64;
		else
			v = r.val == SREG_NCTAID_X ? 3 : 0;
	} else {
		x->fault = "operand";
	}
	if (pred)
		return (v & 1) ^ r.neg;
	return wide ? v : (uint32_t)v;
}

static inline void kit_write(struct kit_run *x, const struct kernel *k, const struct insn *i, unsigned slot, uint64_t v)
{
	struct ref r = k->opnd[i->opnd + slot];
	enum reg_class rc = insn_operand_class(k, i, slot);

	if (r.kind != REF_REG)
		return;
	if (rc != RC_64)
		v = rc == RC_PRED ? v & 1 : (uint32_t)v;
	if (k->form == FORM_VIRTUAL) {
		x->reg[r.val] = v;
		return;
	}
	x->reg[r.val] = (uint32_t)v;
	if (rc == RC_64)
		x->reg[r.val + 1] = v >> 32;
}

static inline uint8_t *kit_memory(struct kit_run *x, const struct kernel *k, const struct insn *i, unsigned slot,
				  uint64_t bytes)
{
	struct ref r = k->opnd[i->opnd + slot];
	uint64_t base = r.kind == REF_CONST ? const_offset(r) : kit_read(x, k, i, slot),
		 at = base + (uint64_t)(int64_t)i->offset;
	enum space sp = i->space;

	if (insn_operand_class(k, i, slot) == RC_32)
		at = (uint32_t)at;
	if (sp == SP_GENERIC && at - SHARED_WINDOW < WINDOW_BYTES) {
		sp = SP_SHARED;
		at -= SHARED_WINDOW;
	} else if (sp == SP_GENERIC && at - LOCAL_WINDOW < WINDOW_BYTES) {
		sp = SP_LOCAL;
		at -= LOCAL_WINDOW;
	} else if (sp == SP_GENERIC || sp == SP_GLOBAL) {
		sp = SP_GLOBAL;
		at -= GLOBAL_START;
	}
	if (at % bytes == 0 && sp == SP_GLOBAL && at <= KIT_GLOBAL - bytes)
		return x->global + at;
	if (at % bytes == 0 && sp == SP_SHARED && at <= KIT_SHARED - bytes)
		return x->shared + at;
	if (at % bytes == 0 && sp == SP_LOCAL && at <= KIT_LOCAL - bytes)
		return x->local + at;
	if (at % bytes == 0 && sp == SP_PARAM && at <= sizeof x->bank0 - bytes)
		return x->bank0 + at;
	x->fault = "address";
	return x->global;
}

/* Result of an operation that is not memory or control. */
static inline uint64_t kit_value(struct kit_run *x, enum op op, uint64_t a, uint64_t b, uint64_t c)
{
	int64_t sa = (int32_t)(uint32_t)a, sb = (int32_t)(uint32_t)b;
	uint64_t za = (uint32_t)a, zb = (uint32_t)b;

	switch ((int)op) {
	case OP_MOV_PRED:
	case OP_MOV_B32:
	case OP_MOV_B64:
	case OP_MOV_F32:
	case OP_CVT_U64_D:
	case OP_CVT_U32_W:
		return a;
	case OP_ADD_S32:
	case OP_ADD_S64:
		return a + b;
	case OP_SUB_S32:
	case OP_SUB_S64:
		return a - b;
	case OP_MUL_LO_S32:
	case OP_MUL_LO_S64:
		return a * b;
	case OP_MAD_LO_S32:
	case OP_MAD_LO_S64:
		return a * b + c;
	case OP_MUL_WIDE_S32:
		return (uint64_t)(sa * sb);
	case OP_MUL_WIDE_U32:
		return za * zb;
	case OP_MAD_WIDE_S32:
		return (uint64_t)(sa * sb) + c;
	case OP_MAD_WIDE_U32:
		return za * zb + c;
	case OP_AND_B32:
	case OP_AND_B64:
	case OP_AND_PRED:
		return a & b;
	case OP_OR_B32:
	case OP_OR_B64:
	case OP_OR_PRED:
		return a | b;
	case OP_XOR_B32:
	case OP_XOR_B64:
		return a ^ b;
	case OP_NOT_B32:
	case OP_NOT_B64:
		return ~a;
	case OP_SHL_B32:
		return zb >= 32 ? 0 : za << zb;
	case OP_SHL_B64:
		return zb >= 64 ? 0 : a << zb;
	case OP_SHR_U32:
		return zb >= 32 ? 0 : za >> zb;
	case OP_CVT_U64_U32:
		return za;
	case OP_CVT_S64_S32:
		return (uint64_t)sa;
	case OP_CVT_U32_D:
		return za;
	case OP_SELP_B32:
	case OP_SELP_B64:
		return c ? a : b;
	case OP_SETP_LT_S32:
		return sa < sb;
	case OP_SETP_EQ_B32:
		return za == zb;
	case OP_SETP_NE_B32:
		return za != zb;
	case OP_SETP_LT_U64:
		return a < b;
	case OP_CVTA_U64:
	case OP_CVTA_TO_U64:
		return a; /* of global addresses only */
	}
	x->fault = op_info[op].id;
	return 0;
}

/* Executes i; returns the block to go to, UINT32_MAX to fall through, UINT32_MAX - 1 at the end. */
static inline uint32_t kit_step(struct kit_run *x, const struct kernel *k, const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];
	uint64_t v[3] = { 0 }, bytes = o->mem_bytes, p;
	uint64_t data[8] = { 0 };
	uint8_t *at;

	if (i->guard.kind == REF_REG) {
		p = (i->guard.val == MREG_PT && k->form == FORM_MACHINE) ? 1 : x->reg[i->guard.val] & 1;
		if ((p ^ i->guard.neg) == 0)
			return UINT32_MAX;
	}
	if (o->flags & OPF_BRANCH)
		return insn_src(k, i)[0].val;
	if (o->flags & OPF_EXIT)
		return UINT32_MAX - 1;
	if (o->flags & OPF_BARRIER)
		return UINT32_MAX;
	if (o->flags & OPF_LOAD && o->flags & OPF_STORE) { /* atom.add */
		at = kit_memory(x, k, i, i->ndst, bytes);
		memcpy(&data[0], at, bytes);
		data[1] = data[0] + kit_read(x, k, i, i->ndst + 1u);
		memcpy(at, &data[1], bytes);
		if (i->ndst)
			kit_write(x, k, i, 0, data[0]);
	} else if (o->flags & OPF_LOAD) {
		at = kit_memory(x, k, i, i->ndst, bytes * i->vec);
		for (unsigned e = 0; e < i->vec; e++)
			memcpy(&data[e], at + e * bytes, bytes);
		for (unsigned e = 0; e < i->vec; e++)
			kit_write(x, k, i, e, data[e]);
	} else if (o->flags & OPF_STORE) {
		at = kit_memory(x, k, i, 0, bytes * i->vec);
		for (unsigned e = 0; e < i->vec; e++) {
			data[0] = kit_read(x, k, i, 1 + e);
			memcpy(at + e * bytes, &data[0], bytes);
		}
	} else {
		for (unsigned s = 0; s < i->nsrc && s < 3; s++)
			v[s] = kit_read(x, k, i, i->ndst + s);
		data[0] = kit_value(x, i->op, v[0], v[1], v[2]);
		if (i->ndst == 2) /* setp p|q */
			kit_write(x, k, i, 1, !data[0]);
		kit_write(x, k, i, 0, data[0]);
	}
	return UINT32_MAX;
}

static inline void kit_thread(struct kit_run *x, const struct kernel *k)
{
	uint32_t b = 0, to;

	while (b < k->nblock) {
		to = UINT32_MAX;
		for (uint32_t j = k->block[b].first; j < k->block[b].first + k->block[b].n && to == UINT32_MAX; j++) {
			if (++x->steps > KIT_STEPS)
				x->fault = "too long";
			to = x->fault ? UINT32_MAX - 1 : kit_step(x, k, &k->insn[j]);
		}
		if (to == UINT32_MAX - 1)
			return;
		b = to == UINT32_MAX ? b + 1 : to;
	}
	x->fault = "ran off the end";
}

/* Runs `threads` threads one after the other from one filling of memory. The result: global and shared memory. */
static inline void kit_execute(struct kit_run *x, const struct kernel *k, uint64_t seed, unsigned threads)
{
	memset(x, 0, sizeof *x);
	for (unsigned i = 0; i < KIT_GLOBAL; i++)
		x->global[i] = (uint8_t)rng_next(&seed);
	for (unsigned p = 0; p < KIT_PARAMS; p += 8) { /* even parameters: the buffer; odd ones: numbers */
		uint64_t v = p % 16 ? rng_next(&seed) : GLOBAL_START;

		memcpy(x->bank0 + PARAM_BASE + p, &v, 8);
	}
	memcpy(x->bank0 + CONST_NTID, &(uint32_t){ 64 }, 4);
	memcpy(x->bank0 + CONST_NCTAID, &(uint32_t){ 3 }, 4);
	ck_assert_uint_le(ir_nreg(k), sizeof x->reg / sizeof *x->reg);
	for (x->tid = 0; x->tid < threads && !x->fault; x->tid++) {
		memset(x->local, 0xee, sizeof x->local);
		/* nothing may rest on the first values */
		for (unsigned r = 0; r < sizeof x->reg / sizeof *x->reg; r++)
			x->reg[r] = k->form == FORM_MACHINE && r >= MREG_P0 ? r & 1 : 0xdead0000u + r;
		kit_thread(x, k);
	}
}

/* ---- random kernels ---- */
struct kit_gen {
	struct kit *t;
	uint64_t seed;
	struct ref r[64], d[32], p[12], base; /* 32-bit, 64-bit, predicates, the buffer */
	unsigned nr, nd, np, budget, depth;
};

static inline struct ref kit_any(struct kit_gen *g, struct ref *set, unsigned n) { return set[rng_below(&g->seed, n)]; }

static inline struct ref kit_not(struct ref p, bool invert)
{
	p.neg = invert;
	return p;
}

static inline struct ref kit_src32(struct kit_gen *g)
{
	static const uint64_t odd[] = { 0, 1, 2, 4, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff };

	if (rng_below(&g->seed, 5) == 0)
		return kit_imm(g->t, odd[rng_below(&g->seed, sizeof odd / sizeof *odd)]);
	return kit_any(g, g->r, g->nr);
}

static inline struct ref kit_src64(struct kit_gen *g)
{
	if (rng_below(&g->seed, 6) == 0)
		return kit_imm(g->t, rng_below(&g->seed, 2) ? rng_below(&g->seed, 256) : rng_next(&g->seed));
	return kit_any(g, g->d, g->nd);
}

/* A 64-bit register with an address inside the buffer: base + (x & mask) * 8. */
static inline struct ref kit_address(struct kit_gen *g)
{
	struct kit *t = g->t;
	struct ref i = kit_reg(t, RC_32), w = kit_reg(t, RC_64), a = kit_reg(t, RC_64);

	KIT3(t, OP_AND_B32, i, kit_any(g, g->r, g->nr), kit_imm(t, 31));
	KIT3(t, rng_below(&g->seed, 2) ? OP_MUL_WIDE_S32 : OP_MUL_WIDE_U32, w, i, kit_imm(t, 16));
	KIT3(t, OP_ADD_S64, a, w, g->base);
	if (rng_below(&g->seed, 2)) {
		struct ref b = kit_reg(t, RC_64);

		KIT3(t, OP_ADD_S64, b, a, kit_imm(t, 64));
		return b;
	}
	return a;
}

/* The same in shared memory, computed in 64 bits as some compilers do, or in 32. */
static inline struct ref kit_shared_address(struct kit_gen *g)
{
	struct kit *t = g->t;
	struct ref i = kit_reg(t, RC_32), w = kit_reg(t, RC_64), s = kit_reg(t, RC_64), a = kit_reg(t, RC_32);

	KIT3(t, OP_AND_B32, i, kit_any(g, g->r, g->nr), kit_imm(t, 31));
	if (rng_below(&g->seed, 2)) {
		KIT3(t, OP_SHL_B32, a, i, kit_imm(t, 4));
		return a;
	}
	KIT2(t, OP_CVT_U64_U32, w, i);
	KIT3(t, OP_SHL_B64, s, w, kit_imm(t, 4));
	KIT3(t, OP_ADD_S64, s, s, kit_imm(t, 32));
	KIT2(t, OP_CVT_U32_D, a, s);
	return a;
}

static inline void kit_random_insn(struct kit_gen *g)
{
	static const enum op op32[] = { OP_ADD_S32, OP_SUB_S32, OP_MUL_LO_S32, OP_AND_B32,
					OP_OR_B32,  OP_XOR_B32, OP_SHL_B32,    OP_SHR_U32 };
	static const enum op op64[] = { OP_ADD_S64, OP_SUB_S64, OP_MUL_LO_S64, OP_AND_B64, OP_OR_B64, OP_XOR_B64 };
	static const enum op cmp[] = { OP_SETP_LT_S32, OP_SETP_EQ_B32, OP_SETP_NE_B32 };
	struct kit *t = g->t;
	struct ref guard = ref_none(), a, x, y;
	struct insn *i = NULL;
	uint64_t *s = &g->seed;

	if (rng_below(s, 5) == 0) {
		guard = kit_any(g, g->p, g->np);
		guard.neg = rng_below(s, 2) & 1;
	}
	switch (rng_below(s, 18)) {
	case 0:
	case 1:
	case 2:
	case 3:
		i = KIT3(t, op32[rng_below(s, 8)], kit_any(g, g->r, g->nr), kit_src32(g), kit_src32(g));
		break;
	case 4:
	case 5:
		i = KIT3(t, op64[rng_below(s, 6)], kit_any(g, g->d, g->nd), kit_src64(g), kit_src64(g));
		break;
	case 6:
		i = KIT3(t, OP_MUL_WIDE_S32, kit_any(g, g->d, g->nd), kit_src32(g), kit_src32(g));
		break;
	case 7:
		i = kit_op(t, OP_MAD_LO_S32, kit_any(g, g->r, g->nr), kit_src32(g), kit_src32(g), kit_src32(g));
		break;
	case 8:
		i = KIT2(t, OP_CVT_U32_D, kit_any(g, g->r, g->nr), kit_any(g, g->d, g->nd));
		break;
	case 9:
		i = KIT2(t, rng_below(s, 2) ? OP_CVT_U64_U32 : OP_CVT_S64_S32, kit_any(g, g->d, g->nd),
			 kit_any(g, g->r, g->nr));
		break;
	case 10:
		i = KIT3(t, cmp[rng_below(s, 3)], kit_any(g, g->p, g->np), kit_src32(g), kit_src32(g));
		if (rng_below(s, 4) == 0) { /* the complement too, in another register */
			struct ref *o, p = insn_dst(t->k, i)[0], q = kit_any(g, g->p, g->np);

			x = insn_src(t->k, i)[0];
			y = insn_src(t->k, i)[1];
			o = ir_set_operands(t->k, i, 2, 2);
			o[0] = p;
			o[1] = p.val == q.val ? ref_none() : q;
			o[2] = x;
			o[3] = y;
		}
		break;
	case 11:
		i = kit_op(t, OP_SELP_B32, kit_any(g, g->r, g->nr), kit_src32(g), kit_src32(g),
			   kit_any(g, g->p, g->np));
		break;
	case 12:
		if (rng_below(s, 2))
			i = KIT2(t, OP_MOV_B32, kit_any(g, g->r, g->nr), kit_src32(g));
		else
			i = rng_below(s, 2) ? KIT2(t, OP_MOV_PRED, kit_any(g, g->p, g->np),
						   kit_not(kit_any(g, g->p, g->np), rng_below(s, 2)))
					    : KIT2(t, OP_MOV_B64, kit_any(g, g->d, g->nd), kit_src64(g));
		break;
	case 13:
	case 14:
		a = kit_address(g);
		x = rng_below(s, 2) ? kit_any(g, g->r, g->nr) : ref_none();
		if (x.kind == REF_REG)
			kit_load(t, OP_LD_B32, SP_GLOBAL, x, a, 4 * (int)rng_below(s, 20));
		else
			kit_load(t, OP_LD_B64, SP_GLOBAL, kit_any(g, g->d, g->nd), a, 8 * (int)rng_below(s, 10));
		i = &t->k->insn[t->k->ninsn - 1];
		break;
	case 15:
		a = kit_address(g);
		if (rng_below(s, 2))
			kit_store(t, OP_ST_B32, SP_GLOBAL, a, 4 * (int)rng_below(s, 20), kit_any(g, g->r, g->nr));
		else
			kit_store(t, OP_ST_B64, rng_below(s, 2) ? SP_GENERIC : SP_GLOBAL, a, 8 * (int)rng_below(s, 10),
				  kit_any(g, g->d, g->nd));
		i = &t->k->insn[t->k->ninsn - 1];
		break;
	case 16:
		a = kit_shared_address(g);
		if (rng_below(s, 2))
			kit_store(t, OP_ST_B32, SP_SHARED, a, 4 * (int)rng_below(s, 8), kit_any(g, g->r, g->nr));
		else
			kit_load(t, OP_LD_B32, SP_SHARED, kit_any(g, g->r, g->nr), a, 4 * (int)rng_below(s, 8));
		i = &t->k->insn[t->k->ninsn - 1];
		break;
	case 17:
		a = kit_address(g);
		i = KIT3(t, OP_ATOM_ADD_U32, kit_any(g, g->r, g->nr), a, kit_any(g, g->r, g->nr));
		i->space = SP_GLOBAL;
		break;
	}
	i->guard = guard;
}

static inline void kit_branch(struct kit *t, struct ref guard, bool neg, uint32_t to)
{
	struct insn *i = KIT1(t, OP_BRA, kit_block(to));

	i->guard = guard;
	i->guard.neg = neg;
}

static inline void kit_patch(struct kit *t, uint32_t j, uint32_t to)
{
	insn_src(t->k, &t->k->insn[j])[0] = kit_block(to);
}

static inline void kit_random_body(struct kit_gen *g, unsigned n)
{
	struct kit *t = g->t;
	uint32_t skip, over, head;
	struct ref n32, p;

	for (unsigned q = 0; q < n && g->budget; q++) {
		unsigned kind = g->depth < 3 ? rng_below(&g->seed, 12) : 12;

		g->budget--;
		if (kind == 0) { /* if, else */
			kit_branch(t, kit_any(g, g->p, g->np), rng_below(&g->seed, 2), 0);
			skip = t->k->ninsn - 1;
			ir_block(t->k, NULL);
			g->depth++;
			kit_random_body(g, n / 2 + 1);
			KIT1(t, OP_BRA, kit_block(0));
			over = t->k->ninsn - 1;
			kit_patch(t, skip, ir_block(t->k, NULL));
			kit_random_body(g, n / 2 + 1);
			kit_patch(t, over, ir_block(t->k, NULL));
			g->depth--;
		} else if (kind == 1) { /* a loop of 1 to 4 rounds */
			n32 = kit_reg(t, RC_32);
			p = kit_reg(t, RC_PRED);
			KIT2(t, OP_MOV_B32, n32, kit_imm(t, 0));
			head = ir_block(t->k, NULL);
			g->depth++;
			kit_random_body(g, n / 2 + 1);
			g->depth--;
			KIT3(t, OP_ADD_S32, n32, n32, kit_imm(t, 1));
			KIT3(t, OP_SETP_LT_S32, p, n32, kit_imm(t, 1 + rng_below(&g->seed, 4)));
			kit_branch(t, p, false, head);
			ir_block(t->k, NULL);
		} else {
			kit_random_insn(g);
		}
	}
}

/* A random kernel: nr + nd registers that all live to the end, structured control, about `size` instructions. */
static inline void kit_random(struct kit *t, uint64_t seed, unsigned nr, unsigned nd, unsigned np, unsigned size)
{
	struct kit_gen g = { .t = t, .seed = mix64(seed), .nr = nr, .nd = nd, .np = np, .budget = size };

	for (unsigned p = 0; p < KIT_PARAMS / 8; p++)
		kit_param(t, TY_U64, 8);
	ir_block(t->k, NULL);
	g.base = kit_reg(t, RC_64);
	kit_load(t, OP_LD_B64, SP_PARAM, g.base, ref_const(0, PARAM_BASE), 0);
	for (unsigned i = 0; i < nr; i++) {
		g.r[i] = kit_reg(t, RC_32);
		if (i % 4 == 0)
			KIT2(t, OP_MOV_B32, g.r[i], kit_sreg(i % 8 ? SREG_NTID_X : SREG_TID_X));
		else if (i % 4 == 1)
			KIT2(t, OP_MOV_B32, g.r[i], kit_imm(t, rng_next(&g.seed) & UINT32_MAX));
		else
			kit_load(t, OP_LD_B32, SP_PARAM, g.r[i], ref_const(0, PARAM_BASE + 8), 16 * (int)(i % 3));
	}
	for (unsigned i = 0; i < nd; i++) {
		g.d[i] = kit_reg(t, RC_64);
		kit_load(t, OP_LD_B64, SP_PARAM, g.d[i], ref_const(0, PARAM_BASE + 8), 16 * (int)(i % 4));
	}
	for (unsigned i = 0; i < np; i++) {
		g.p[i] = kit_reg(t, RC_PRED);
		KIT3(t, OP_SETP_LT_S32, g.p[i], kit_any(&g, g.r, nr), kit_src32(&g));
	}
	kit_random_body(&g, 24);
	/* everything is used at the end, so everything lives through */
	for (unsigned i = 1; i < nr; i++)
		KIT3(t, OP_XOR_B32, g.r[0], g.r[0], g.r[i]);
	for (unsigned i = 1; i < nd; i++)
		KIT3(t, OP_XOR_B64, g.d[0], g.d[0], g.d[i]);
	for (unsigned i = 0; i < np; i++) {
		struct ref one = kit_reg(t, RC_32);

		kit_op(t, OP_SELP_B32, one, kit_imm(t, 1u << i), kit_imm(t, 0), g.p[i]);
		KIT3(t, OP_XOR_B32, g.r[0], g.r[0], one);
	}
	kit_store(t, OP_ST_B32, SP_GLOBAL, g.base, 8, g.r[0]);
	kit_store(t, OP_ST_B64, SP_GLOBAL, g.base, 16, g.d[0]);
	KIT1(t, OP_RET, ref_none());
}

#endif

/* From the IR to what the engine executes: registers become slots, immediates, constants and addresses of variables
 * become broadcast slots (all are known once a launch is), branches get their target and reconvergence point. Done once
 * for each launch, in time linear in the code. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/tensor.h"
#include "runtime-model/engine/texture.h"

#include "analyzer/base/rng.h"

#include <string.h>

static bool bad(struct decoder *dc, const char *what)
{
	return fault_in(dc->e, FAULT_ILLEGAL, NULL, NULL, dc->at, WARP_LANES, "%s", what);
}

/* ---- broadcast values ---- */
int32_t decode_number(struct decoder *dc, uint64_t value, bool pair)
{
	struct program *p = dc->p;
	uint32_t h;

	if (!pair)
		value = (uint32_t)value;
	if (dc->nkonst * 2 >= dc->nhash) {
		dc->nhash = dc->nhash ? dc->nhash * 2 : 64;
		dc->hash = new_array(&dc->scratch, uint32_t, dc->nhash);
		for (uint32_t n = 0; n < dc->nkonst; n++) {
			h = (uint32_t)mix64(dc->konst[n].value + dc->konst[n].pair) & (dc->nhash - 1);
			while (dc->hash[h])
				h = (h + 1) & (dc->nhash - 1);
			dc->hash[h] = n + 1;
		}
	}
	h = (uint32_t)mix64(value + pair) & (dc->nhash - 1);
	for (; dc->hash[h]; h = (h + 1) & (dc->nhash - 1)) {
		const struct konst *c = &dc->konst[dc->hash[h] - 1];

		if (c->value == value && c->pair == pair)
			return OPERAND_KONST | (int32_t)(c->at * WARP_LANES);
	}
	arena_grow(&dc->scratch, dc->konst, dc->nkonst, dc->konst_cap);
	dc->konst[dc->nkonst++] = (struct konst){ value, p->nkonst, pair };
	dc->hash[h] = dc->nkonst;
	p->nkonst += pair ? 2 : 1;
	return OPERAND_KONST | (int32_t)(dc->konst[dc->nkonst - 1].at * WARP_LANES);
}

static void fill_numbers(struct decoder *dc)
{
	struct program *p = dc->p;

	p->konst = aligned_array(&dc->e->a, p->nkonst, WARP_LANES * sizeof *p->konst);
	for (uint32_t n = 0; n < dc->nkonst; n++)
		for (unsigned l = 0; l < WARP_LANES; l++) {
			const struct konst *c = &dc->konst[n];

			p->konst[c->at * WARP_LANES + l] = (uint32_t)c->value;
			if (c->pair)
				p->konst[(c->at + 1) * WARP_LANES + l] = (uint32_t)(c->value >> 32);
		}
}

/* ---- operands ---- */
static uint32_t reg_slot(struct decoder *dc, uint32_t r)
{
	struct program *p = dc->p;

	if (p->slot[r] == UINT32_MAX) {
		p->slot[r] = p->nslot * WARP_LANES;
		p->nslot += dc->k->vreg[r].rc == RC_64 ? 2 : 1;
	}
	return p->slot[r];
}

static uint32_t pred_index(struct decoder *dc, uint32_t r)
{
	struct program *p = dc->p;

	if (dc->k->form == FORM_MACHINE && r == MREG_PT)
		return 0;
	if (p->slot[r] == UINT32_MAX)
		p->slot[r] = p->npred++;
	return p->slot[r];
}

static bool read_bank(struct decoder *dc, struct ref r, unsigned bytes, uint64_t *value)
{
	const struct engine *e = dc->e;
	unsigned bank = const_bank(r);
	uint32_t off = const_offset(r);
	const unsigned char *data = bank == 0 ? e->bank0 : e->mod->bank3;
	uint64_t size = bank == 0 ? e->bank0_bytes : e->mod->bank3_bytes;

	if (e->k->native)
		return native_constant(dc, bank, off, bytes, value);
	if ((bank != 0 && bank != 3) || off > size || bytes > size - off)
		return bad(dc, "names a constant outside the parameters and constant variables of this launch");
	*value = 0;
	memcpy(value, data + off, bytes);
	return true;
}

/* The address of a variable, in its own space or generic. */
static bool sym_address(struct decoder *dc, struct ref r, bool generic, uint64_t *value)
{
	const struct symref *s = &dc->k->symref[r.val];
	const struct symbol *sym = &dc->k->m->sym[s->sym];

	if (dc->e->mod->addr[s->sym] == UINT64_MAX)
		return fault_in(dc->e, FAULT_ILLEGAL, NULL, NULL, dc->at, WARP_LANES,
				"%s is declared extern and defined nowhere", sym->name);
	*value = sym->space == SP_SHARED ? ir_frame_offset(dc->k, sym) : dc->e->mod->addr[s->sym];
	*value += (uint64_t)s->addend + (generic ? space_window(sym->space) : 0);
	return true;
}

static bool letter_is_wide(char letter) { return letter == 'D' || letter == 'G'; }

static bool source(struct decoder *dc, struct ref r, bool wide, int32_t *out)
{
	uint64_t v = 0;

	if (r.kind == REF_REG) {
		if (dc->k->form == FORM_MACHINE && r.val == MREG_RZ)
			*out = decode_number(dc, 0, wide);
		else
			*out = (int32_t)reg_slot(dc, r.val);
		return true;
	}
	if (r.kind == REF_IMM)
		v = dc->k->imm[r.val];
	else if (r.kind == REF_SYM && !sym_address(dc, r, false, &v))
		return false;
	else if (r.kind == REF_CONST && !read_bank(dc, r, wide ? 8 : 4, &v))
		return false;
	*out = decode_number(dc, v, wide);
	return true;
}

static uint32_t destination(struct decoder *dc, struct ref r)
{
	if (r.kind != REF_REG || (dc->k->form == FORM_MACHINE && r.val == MREG_RZ))
		return 0;
	return reg_slot(dc, r.val);
}

static uint32_t pred_destination(struct decoder *dc, struct ref r)
{
	uint32_t at = r.kind == REF_REG ? pred_index(dc, r.val) : 0;

	return at ? at : SINK_PRED;
}

static void pred_source(struct decoder *dc, struct xinsn *x, unsigned s, struct ref r)
{
	bool neg = r.neg;

	x->src[s] = 0;
	if (r.kind == REF_REG)
		x->src[s] = (int32_t)pred_index(dc, r.val);
	else if (r.kind == REF_IMM)
		neg ^= !(dc->k->imm[r.val] & 1);
	x->sneg = (uint8_t)(x->sneg | neg << s);
}

/* Registers that i reads, then those it writes, as word offsets of 32-bit registers. */
void decode_registers(struct decoder *dc, const struct kernel *k, const struct insn *i, struct xinsn *x)
{
	unsigned nread = 0;

	x->regs = dc->nreg_list;
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned s = pass ? 0 : i->ndst; s < (pass ? i->ndst : i->ndst + (unsigned)i->nsrc); s++) {
			struct ref r = k->opnd[i->opnd + s];
			enum reg_class rc = insn_operand_class(k, i, s);

			if (r.kind != REF_REG || rc == RC_PRED || insn_operand_letter(i, s) == 'L' ||
			    (k->form == FORM_MACHINE && (!mreg_is_general(r.val) || r.val == MREG_RZ)))
				continue;
			for (unsigned half = 0; half < (rc == RC_64 ? 2u : 1u); half++) {
				arena_grow(&dc->e->a, dc->p->reg_list, dc->nreg_list, dc->reg_cap);
				dc->p->reg_list[dc->nreg_list++] = reg_slot(dc, r.val) + half * WARP_LANES;
				nread += pass == 0;
				x->nsig = (uint8_t)(x->nsig + pass);
			}
		}
	x->nval = (uint8_t)(nread + x->nsig);
}

/* ---- kinds of instruction ---- */
static bool decode_memory(struct decoder *dc, struct xinsn *x)
{
	const struct insn *i = dc->i;
	const struct op_info *o = &op_info[i->op];
	const struct ref *src = insn_src(dc->k, i), *dst = insn_dst(dc->k, i);
	bool wide = letter_is_wide(insn_operand_letter(i, i->ndst ? 0 : i->ndst + 1u));
	struct xmem *m;
	uint64_t v;

	arena_grow(&dc->e->a, dc->p->mem, dc->p->nmem, dc->mem_cap);
	x->target = dc->p->nmem;
	m = &dc->p->mem[dc->p->nmem++];
	*m = (struct xmem){
		.offset = i->offset,
		.space = i->space,
		.bytes = o->mem_bytes,
		.vec = i->vec,
		.total = (uint8_t)(o->mem_bytes * i->vec),
		.load = o->flags & OPF_LOAD,
		.atomic = o->flags & OPF_ATOMIC,
		.sx = (o->flags & OPF_SX) && o->mem_bytes < 4,
		.bank = i->space == SP_CONST ? 3 : 0, /* of machine code: cbool */
		.wide = insn_operand_class(dc->k, i, i->ndst) == RC_64,
		.strong = o->flags & OPF_ATOMIC || i->mods & (MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE) ||
			  i->cop == COP_CV,
		.release = i->mods & MOD_RELEASE,
		.nsrc = i->nsrc,
	};
	x->kind = X_MEM;
	if (dc->e->k->native && i->space == SP_CONST)
		m->bank = i->cbool;
	if (m->total > 32 || (m->total > LOCAL_ACCESS_MAX && i->space == SP_LOCAL))
		return bad(dc, "accesses more bytes a lane than its space allows");
	if (m->atomic && i->space != SP_GLOBAL && i->space != SP_SHARED && i->space != SP_GENERIC)
		return bad(dc, "is an atomic outside global and shared memory");
	if (!m->load && (i->space == SP_CONST || i->space == SP_PARAM))
		return bad(dc, "stores to a read-only space");
	switch ((enum ref_kind)src[0].kind) {
	case REF_CONST:
		m->bank = (uint8_t)const_bank(src[0]);
		if (m->bank != 0 && m->bank != 3)
			return bad(dc, "names a constant bank that is not bound");
		m->address = decode_number(dc, const_offset(src[0]), m->wide);
		break;
	case REF_SYM:
		if (i->space != SP_GENERIC && dc->k->m->sym[dc->k->symref[src[0].val].sym].space != i->space)
			return bad(dc, "addresses a variable of another state space");
		if (!sym_address(dc, src[0], i->space == SP_GENERIC, &v))
			return false;
		m->address = decode_number(dc, v, m->wide);
		break;
	case REF_REG:
	case REF_IMM:
		if (!source(dc, src[0], m->wide, &m->address))
			return false;
		break;
	case REF_NONE:
	case REF_SREG:
	case REF_BLOCK:
		return bad(dc, "has no address");
	}
	if (m->atomic) {
		x->fn.atom = dc->e->lanes->atom[i->op];
		x->together = dc->e->together;
		if (!x->fn.atom) {
			m->mbarrier = i->op;
			m->bytes = m->total = 8;
		}
		if (!i->ndst)
			x->dst[0] = 0;
		else
			x->dst[0] = o->sig[0] == 'P' ? pred_destination(dc, dst[0]) : destination(dc, dst[0]);
		for (unsigned s = 1; s < i->nsrc; s++)
			if (!source(dc, src[s], letter_is_wide(insn_operand_letter(i, i->ndst + s)), &x->src[s]))
				return false;
		return true;
	}
	for (unsigned v8 = 0; v8 < i->vec; v8++) {
		int32_t at;

		if (m->load) {
			m->data[v8] = destination(dc, dst[v8]);
		} else {
			if (!source(dc, src[1 + v8], wide, &at))
				return false;
			m->data[v8] = (uint32_t)at;
		}
	}
	return true;
}

/* By the device's table of approximate functions, if it has the one that x needs. */
static bool decode_mufu(struct decoder *dc, struct xinsn *x)
{
	struct device *dev = dc->e->dev;
	const enum mufu id = mufu_of((enum op)dc->i->op);

	if (id == MUFU_COUNT || !mufu_has(dev->mufu, id))
		return true;
	if (!dev->function[id])
		dev->function[id] = mufu_unpack(dev->mufu, id, &dev->a, dc->e->d);
	if (!dev->function[id])
		return false;
	x->fn.lane = mufu_lanes;
	x->src[MUFU_SRC_ROW] = decode_number(dc, dc->i->op, false);
	x->src[MUFU_SRC_FUNCTION] = decode_number(dc, (uint64_t)(uintptr_t)dev->function[id], true);
	return true;
}

static bool decode_alu(struct decoder *dc, struct xinsn *x)
{
	const struct insn *i = dc->i;
	const struct ref *src = insn_src(dc->k, i), *dst = insn_dst(dc->k, i);
	const struct lanes *ln = dc->e->lanes;
	bool mod = i->mods & (MOD_FTZ | MOD_SAT);
	uint64_t v;

	x->kind = X_ALU;
	x->cbool = i->cbool;
	x->ftz = (i->mods & MOD_FTZ) != 0;
	x->sat = (i->mods & MOD_SAT) != 0;
	x->fn.lane = mod && ln->fn_mod[i->op] ? ln->fn_mod[i->op] : ln->fn[i->op];
	x->dst[1] = op_info[i->op].sig[0] == 'P' ? SINK_PRED : 0;
	for (unsigned s = 0; s < i->ndst && s < 2; s++)
		x->dst[s] = insn_operand_letter(i, s) == 'P' ? pred_destination(dc, dst[s]) : destination(dc, dst[s]);
	for (unsigned s = 0; s < i->nsrc && s < 4; s++) {
		char letter = insn_operand_letter(i, i->ndst + s);

		if (letter == 'P') {
			pred_source(dc, x, s, src[s]);
		} else if (src[s].kind == REF_SREG) {
			if (sreg_constant(dc->e, src[s].val, &v)) {
				x->src[s] = decode_number(dc, v, letter_is_wide(letter));
			} else {
				x->kind = X_SREG;
				x->target = src[s].val;
				x->pair = letter_is_wide(letter);
			}
		} else if (!source(dc, src[s], letter_is_wide(letter), &x->src[s])) {
			return false;
		}
	}
	return !dc->e->dev->mufu || decode_mufu(dc, x);
}

/* cvta adds the window of its space, cvta.to takes it away. */
static bool decode_cvta(struct decoder *dc, struct xinsn *x)
{
	uint16_t op = dc->i->op;
	bool to = op == OP_CVTA_TO_U64 || op == OP_CVTA_TO_U32, wide = op == OP_CVTA_U64 || op == OP_CVTA_TO_U64;
	uint64_t window = space_window(dc->i->space);

	if (!source(dc, insn_src(dc->k, dc->i)[0], wide, &x->src[0]))
		return false;
	x->kind = X_ALU;
	x->dst[0] = destination(dc, insn_dst(dc->k, dc->i)[0]);
	x->src[1] = decode_number(dc, to ? 0 - window : window, wide);
	x->fn.lane = dc->e->lanes->fn[wide ? OP_ADD_S64 : OP_ADD_S32];
	return true;
}

/* The address of a matrix, a register, a constant or a variable. */
static bool matrix_address(struct decoder *dc, struct xmatrix *mx, struct ref r)
{
	uint64_t v;

	mx->wide = insn_operand_class(dc->k, dc->i, dc->i->ndst) == RC_64;
	mx->offset = dc->i->offset;
	mx->space = dc->i->space;
	if (r.kind != REF_SYM)
		return r.kind == REF_REG || r.kind == REF_IMM ? source(dc, r, mx->wide, &mx->address)
							      : bad(dc, "has no address");
	if (dc->i->space != SP_GENERIC && dc->k->m->sym[dc->k->symref[r.val].sym].space != dc->i->space)
		return bad(dc, "addresses a variable of another state space");
	if (!sym_address(dc, r, dc->i->space == SP_GENERIC, &v))
		return false;
	mx->address = decode_number(dc, v, mx->wide);
	return true;
}

static bool decode_matrix(struct decoder *dc, struct xinsn *x)
{
	const struct insn *i = dc->i;
	struct xmatrix *mx;
	unsigned at = insn_has_address(i);

	arena_grow(&dc->e->a, dc->p->matrix, dc->p->nmatrix, dc->matrix_cap);
	x->kind = X_MATRIX;
	x->target = dc->p->nmatrix;
	mx = &dc->p->matrix[dc->p->nmatrix++];
	fragments_find(dc->p, mx, i->op, &dc->e->a);
	if (at && !matrix_address(dc, mx, insn_src(dc->k, i)[0]))
		return false;
	for (unsigned d = 0; d < i->ndst; d++)
		mx->dst[d] = destination(dc, insn_dst(dc->k, i)[d]);
	for (unsigned s = at; s < i->nsrc; s++)
		if (!source(dc, insn_src(dc->k, i)[s], letter_is_wide(insn_operand_letter(i, i->ndst + s)),
			    &mx->src[s - at]))
			return false;
	return true;
}

bool decode_source(struct decoder *dc, struct ref r, char letter, int32_t *out)
{
	return source(dc, r, letter_is_wide(letter), out);
}

uint32_t decode_destination(struct decoder *dc, struct ref r, char letter)
{
	return letter == 'P' ? pred_destination(dc, r) : destination(dc, r);
}

static bool decode_branch(struct decoder *dc, struct xinsn *x, uint32_t b)
{
	const struct kernel *k = dc->k;

	x->kind = X_BRANCH;
	x->target = k->block[insn_src(k, dc->i)[0].val].first;
	x->rpc = UINT32_MAX;
	if (dc->i->guard.kind != REF_REG)
		return true;
	if (!(k->facts & FACT_PDOM))
		return bad(dc, "may diverge, and the kernel has no post-dominators");
	if (reconvergence(k, b) != UINT32_MAX)
		x->rpc = k->block[reconvergence(k, b)].first;
	return true;
}

static bool decode_control(struct decoder *dc, struct xinsn *x, uint32_t b)
{
	const struct kernel *k = dc->k;
	const struct insn *i = dc->i;
	uint32_t flags = op_info[i->op].flags;

	x->rpc = UINT32_MAX;
	if (flags & OPF_RETURN) {
		x->kind = X_RETURN;
		return true;
	}
	if (!(flags & OPF_TABLE)) {
		x->kind = X_CALL;
		x->target = k->block[insn_src(k, i)[0].val].first;
		return true;
	}
	x->kind = flags & OPF_CALL ? X_CALL_IND : X_BRX;
	x->dst[0] = k->table[i->offset].first;
	x->dst[1] = k->table[i->offset].n;
	if (x->kind == X_BRX && !(k->facts & FACT_PDOM))
		return bad(dc, "may diverge, and the kernel has no post-dominators");
	if (x->kind == X_BRX && reconvergence(k, b) != UINT32_MAX)
		x->rpc = k->block[reconvergence(k, b)].first;
	if (!dc->p->target) {
		dc->p->target = new_array(&dc->e->a, struct xtarget, k->ntarget);
		for (uint32_t t = 0; t < k->ntarget; t++)
			dc->p->target[t] = (struct xtarget){ k->target[t].key, k->block[k->target[t].block].first };
	}
	return source(dc, insn_src(k, i)[0], letter_is_wide(insn_operand_letter(i, 0)), &x->src[0]);
}

static bool decode_host(struct decoder *dc, struct xinsn *x)
{
	const struct insn *i = dc->i;

	x->kind = X_HOST;
	x->target = i->op;
	x->dst[0] = i->ndst ? destination(dc, insn_dst(dc->k, i)[0]) : 0;
	for (unsigned s = 0; s < i->nsrc; s++)
		if (!source(dc, insn_src(dc->k, i)[s], letter_is_wide(insn_operand_letter(i, i->ndst + s)), &x->src[s]))
			return false;
	if (i->op == OP_HOST_DEVICE)
		x->rpc = (uint32_t)dc->k->imm[insn_src(dc->k, i)[0].val];
	return !op_uses_heap(i->op) || heap_start(dc->e->dev);
}

/* Rows without a lane loop that take their operands as arithmetic does. */
static bool decode_engine_row(const struct insn *i, struct xinsn *x)
{
	unsigned flags = op_info[i->op].flags;

	x->target = i->op;
	if (i->ndst < 2)
		x->dst[1] = SINK_PRED;
	if (i->op == OP_SASS_SPREAD || i->op == OP_SASS_SPREAD_PRED) {
		x->fn.lane = i->op == OP_SASS_SPREAD ? native_spread : native_spread_pred;
		return true;
	}
	if (flags & OPF_BARRIER || i->op == OP_BAR_CLUSTER_ARRIVE) {
		x->kind = X_BARRIER;
	} else if (flags & OPF_CROSS || i->op == OP_BAR_WARP_SYNC) {
		x->kind = X_WARP; /* vote, shfl: with .sync only */
		x->rpc = i->op == OP_BAR_WARP_SYNC || i->mods & MOD_SYNC ? i->nsrc - 1u : UINT32_MAX;
	} else if (i->op == OP_CP_ASYNC || i->op == OP_CP_BULK_LOAD || i->op == OP_CP_BULK_MULTICAST ||
		   i->op == OP_CP_BULK_SHARED || i->op == OP_CP_BULK_STORE) {
		x->kind = X_COPY;
	} else if (i->op == OP_TRAP || i->op == OP_BRKPT) {
		x->kind = X_TRAP;
	} else if (i->op == OP_MEMBAR || i->op == OP_NANOSLEEP_U32 || i->op == OP_CP_ASYNC_COMMIT ||
		   i->op == OP_CP_ASYNC_WAIT || i->op == OP_CP_ASYNC_WAIT_ALL || i->op == OP_PREFETCH ||
		   i->op == OP_APPLYPRIORITY || i->op == OP_DISCARD || i->op == OP_GRIDDEPCONTROL ||
		   i->op == OP_SETMAXNREG || i->op == OP_PMEVENT || flags & OPF_REGMUTEX) {
		x->kind = X_NOTHING;
	} else {
		return false;
	}
	return true;
}

bool decode_row(struct decoder *dc, struct xinsn *x, uint32_t b)
{
	const struct insn *i = dc->i;
	uint32_t flags = op_info[i->op].flags;
	struct texture texture;
	struct matrix matrix;
	bool ok = true;

	if (i->guard.kind == REF_REG) {
		x->guard = pred_index(dc, i->guard.val);
		x->gmask = i->guard.neg ? UINT32_MAX : 0;
	}
	if (op_info[i->op].mem_bytes)
		ok = decode_memory(dc, x);
	else if (texture_of(i->op, &texture))
		ok = texture_decode(dc->e, dc, i, x);
	else if (matrix_of(i->op, &matrix))
		ok = decode_matrix(dc, x);
	else if (flags & (OPF_CALL | OPF_TABLE | OPF_RETURN))
		ok = decode_control(dc, x, b);
	else if (op_is_host(i->op))
		ok = decode_host(dc, x);
	else if (i->op == OP_CALL)
		ok = bad(dc, "is not linked: run the link pass first");
	else if (flags & OPF_BRANCH)
		ok = decode_branch(dc, x, b);
	else if (flags & OPF_EXIT)
		x->kind = X_EXIT;
	else if (i->op == OP_CVTA_U64 || i->op == OP_CVTA_U32 || i->op == OP_CVTA_TO_U64 || i->op == OP_CVTA_TO_U32)
		ok = decode_cvta(dc, x);
	else {
		ok = decode_alu(dc, x);
		if (ok && !x->fn.lane && x->kind == X_ALU && !decode_engine_row(i, x))
			ok = bad(dc, "has no code");
	}
	return ok;
}

/* The identity: the halves of a pair are registers of their own. */
static void place_registers(struct decoder *dc)
{
	const struct kernel *k = dc->k;
	uint32_t top = 0;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned n = insn_reg_uses(k, &k->insn[i], use);

		for (unsigned u = 0; u < n; u++)
			if (!mreg_is_pred(use[u].reg) && use[u].reg + 1 > top)
				top = use[u].reg + 1;
	}
	for (uint32_t r = 0; r < top; r++)
		dc->p->slot[r] = (FIRST_SLOT + r) * WARP_LANES;
	dc->p->nslot += top;
}

static bool decode_kernel(struct decoder *dc)
{
	const struct kernel *k = dc->k;
	struct program *p = dc->p;
	bool ok = true;

	p->code = aligned_array(&dc->e->a, k->ninsn, sizeof *p->code);
	p->slot = new_array(&dc->e->a, uint32_t, ir_nreg(k) + 1u);
	memset(p->slot, 0xff, ir_nreg(k) * sizeof *p->slot);
	if (k->form == FORM_MACHINE)
		place_registers(dc);
	for (uint32_t b = 0; b < k->nblock && ok; b++)
		for (uint32_t n = 0; n < k->block[b].n && ok; n++) {
			dc->at = k->block[b].first + n;
			dc->i = &k->insn[dc->at];
			ok = decode_row(dc, &p->code[dc->at], b);
			decode_registers(dc, k, dc->i, &p->code[dc->at]);
		}
	return ok;
}

bool program_decode(struct engine *e)
{
	struct program *p = &e->prog;
	struct decoder dc = { .e = e, .p = p, .k = e->k };
	bool ok;

	arena_init(&dc.scratch);
	/* never NULL, also where instructions have no registers */
	p->reg_list = new_array(&e->a, uint32_t, dc.reg_cap = 64);
	p->ninsn = e->k->ninsn;
	p->follow = new_array(&e->a, uint32_t, p->ninsn);
	p->nslot = FIRST_SLOT;
	p->npred = FIRST_PRED;
	ok = e->k->native ? native_decode(&dc) : decode_kernel(&dc);
	if (ok) {
		fill_numbers(&dc);
		for (uint32_t i = 0; i < p->ninsn; i++)
			p->follow[i] = p->code[i].kind == X_BRANCH ? p->code[i].target : i + 1;
		if (e->opt.poison)
			poison_list(e);
		if (e->opt.controls)
			controls_list(e);
	}
	arena_free(&dc.scratch);
	return ok;
}

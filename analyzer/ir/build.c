/* Building and rewriting kernels; the shape of an instruction's operands. */
#include "ir.h"
#include "runtime.h"

#include "analyzer/base/bitset.h"
#include "analyzer/base/range.h"
#include "analyzer/base/rng.h"

#include <assert.h>
#include <string.h>

struct module *module_new(struct arena *a)
{
	struct module *m = new(a, struct module);

	m->a = a;
	m->address_bits = 32;
	intern_init(&m->names, a);
	arena_grow(a, m->line, m->nline, m->line_cap);
	m->nline = 1; /* entry 0: no line */
	return m;
}

static struct kernel *body_new(struct module *m, const char *name)
{
	struct kernel *k = new(m->a, struct kernel);

	k->m = m;
	k->a = m->a;
	k->name = name;
	return k;
}

struct kernel *kernel_new(struct module *m, const char *name)
{
	arena_grow(m->a, m->kernel, m->nkernel, m->kernel_cap);
	return m->kernel[m->nkernel++] = body_new(m, name);
}

struct kernel *func_new(struct module *m, const char *name)
{
	struct kernel *f = body_new(m, name);

	f->is_func = true;
	arena_grow(m->a, m->func, m->nfunc, m->func_cap);
	return m->func[m->nfunc++] = f;
}

/* n elements of a flat array, with no room to spare, so that one more moves it. */
static void *copy(struct arena *a, const void *from, uint32_t n, size_t bytes)
{
	void *to = n ? arena_alloc_array(a, n, bytes, 8) : NULL;

	if (n)
		memcpy(to, from, n * bytes);
	return to;
}

struct kernel *ir_clone(const struct kernel *k, struct arena *a)
{
	struct kernel *c = new(a, struct kernel);

	*c = (struct kernel){
		.m = k->m,
		.a = a,
		.name = k->name,
		.at = k->at,
		.form = k->form,
		.res = k->res,
		.minnctapersm = k->minnctapersm,
		.maxnreg = k->maxnreg,
		.max_cluster = k->max_cluster,
		.explicit_cluster = k->explicit_cluster,
		.param = k->param,
		.nparam = k->nparam,
		.param_cap = k->nparam,
		.formal = k->formal,
		.nret = k->nret,
		.narg = k->narg,
		.call = k->call,
		.ncall = k->ncall,
		.call_cap = k->ncall,
		.alias = k->alias,
		.shared = k->shared,
		.nshared = k->nshared,
		.is_func = k->is_func,
		.declared = k->declared,
		.address_taken = k->address_taken,
		.noreturn = k->noreturn,
		.broken = k->broken,
		.nbroken = k->nbroken,
	};
	memcpy(c->maxntid, k->maxntid, sizeof c->maxntid);
	memcpy(c->reqntid, k->reqntid, sizeof c->reqntid);
	memcpy(c->cluster, k->cluster, sizeof c->cluster);
#define COPY(array, n, cap) c->array = copy(a, k->array, c->n = c->cap = k->n, sizeof *c->array)
	COPY(insn, ninsn, insn_cap);
	COPY(opnd, nopnd, opnd_cap);
	COPY(block, nblock, block_cap);
	COPY(vreg, nvreg, vreg_cap);
	COPY(imm, nimm, imm_cap);
	COPY(symref, nsymref, symref_cap);
	COPY(spill, nspill, spill_cap);
	COPY(table, ntable, table_cap);
	COPY(target, ntarget, target_cap);
	COPY(proc, nproc, proc_cap);
#undef COPY
	c->imm_slot = copy(a, k->imm_slot, c->nimm_slot = k->nimm_slot, sizeof *c->imm_slot);
	return c;
}

struct ref ir_imm(struct kernel *k, uint64_t bits)
{
	uint32_t i;

	if (k->nimm * 2 >= k->nimm_slot) {
		k->nimm_slot = k->nimm_slot ? k->nimm_slot * 2 : 64;
		k->imm_slot = new_array(k->a, uint32_t, k->nimm_slot);
		for (uint32_t id = 0; id < k->nimm; id++) {
			i = (uint32_t)mix64(k->imm[id]) & (k->nimm_slot - 1);
			while (k->imm_slot[i])
				i = (i + 1) & (k->nimm_slot - 1);
			k->imm_slot[i] = id + 1;
		}
	}
	i = (uint32_t)mix64(bits) & (k->nimm_slot - 1);
	while (k->imm_slot[i] && k->imm[k->imm_slot[i] - 1] != bits)
		i = (i + 1) & (k->nimm_slot - 1);
	if (!k->imm_slot[i]) {
		arena_grow(k->a, k->imm, k->nimm, k->imm_cap);
		k->imm[k->nimm++] = bits;
		k->imm_slot[i] = k->nimm;
	}
	return (struct ref){ .kind = REF_IMM, .val = k->imm_slot[i] - 1 };
}

struct ref ir_symref(struct kernel *k, uint32_t sym, int64_t addend)
{
	arena_grow(k->a, k->symref, k->nsymref, k->symref_cap);
	k->symref[k->nsymref] = (struct symref){ sym, addend };
	return (struct ref){ .kind = REF_SYM, .val = k->nsymref++ };
}

uint32_t ir_vreg(struct kernel *k, const char *name, enum reg_class rc, unsigned bits)
{
	assert(k->form == FORM_VIRTUAL && k->nvreg < REF_VAL_MAX);
	arena_grow(k->a, k->vreg, k->nvreg, k->vreg_cap);
	k->vreg[k->nvreg] = (struct vreg){ .name = name, .rc = (uint8_t)rc, .bits = (uint8_t)bits };
	return k->nvreg++;
}

uint32_t ir_block(struct kernel *k, const char *label)
{
	arena_grow(k->a, k->block, k->nblock, k->block_cap);
	k->block[k->nblock] = (struct block){ .first = k->ninsn, .label = label };
	return k->nblock++;
}

static uint32_t operand_run(struct kernel *k, unsigned n)
{
	uint32_t at = k->nopnd;

	while (!k->opnd_cap || k->opnd_cap < at + n) {
		struct ref *wider;

		k->opnd_cap = k->opnd_cap ? k->opnd_cap * 2 : 64;
		wider = new_array(k->a, struct ref, k->opnd_cap);
		if (at)
			memcpy(wider, k->opnd, at * sizeof *wider);
		k->opnd = wider;
	}
	if (n)
		memset(k->opnd + at, 0, n * sizeof *k->opnd);
	k->nopnd += n;
	return at;
}

struct insn *ir_append(struct kernel *k, enum op op, unsigned ndst, unsigned nsrc)
{
	uint32_t run = operand_run(k, ndst + nsrc);
	struct insn *i;

	assert(k->nblock && ndst < 256 && nsrc < 256);
	arena_grow(k->a, k->insn, k->ninsn, k->insn_cap);
	i = &k->insn[k->ninsn++];
	*i = (struct insn){ .op = (uint16_t)op, .ndst = (uint8_t)ndst, .nsrc = (uint8_t)nsrc, .opnd = run, .vec = 1 };
	k->block[k->nblock - 1].n++;
	k->facts = 0;
	return i;
}

struct ref *ir_set_operands(struct kernel *k, struct insn *i, unsigned ndst, unsigned nsrc)
{
	i->opnd = operand_run(k, ndst + nsrc);
	i->ndst = (uint8_t)ndst;
	i->nsrc = (uint8_t)nsrc;
	return k->opnd + i->opnd;
}

uint32_t module_file(struct module *m, const char *name)
{
	for (uint32_t f = 0; f < m->nfile; f++)
		if (strcmp(m->file[f], name) == 0)
			return f;
	arena_grow(m->a, m->file, m->nfile, m->file_cap);
	m->file[m->nfile] = name;
	return m->nfile++;
}

uint32_t module_line(struct module *m, uint32_t file, uint32_t line, uint32_t col)
{
	const struct srcline *last = &m->line[m->nline - 1];

	if (m->nline > 1 && last->file == file && last->line == line && last->col == col)
		return m->nline - 1;
	arena_grow(m->a, m->line, m->nline, m->line_cap);
	m->line[m->nline] = (struct srcline){ file, line, col };
	return m->nline++;
}

const struct kernel *module_find_kernel(const struct module *m, const char *name)
{
	for (uint32_t i = 0; i < m->nkernel; i++)
		if (strcmp(m->kernel[i]->name, name) == 0)
			return m->kernel[i];
	return NULL;
}

/* Frames: of the module's shared variables a kernel has those alone that it, or a function that it may call, names, as
 * ptxas has it, and then its own. Constants of the module come before those of kernels, so that they lie where they do
 * whichever kernels were read. Extern shared arrays share one address, after everything else, aligned to 16. */
/* bytes of shared, local or constant space: the size of their windows */
enum { FRAME_MAX = 16 << 20 };

/* Behind *top, which it moves; *at is where. */
static bool place_at(uint64_t *top, const struct symbol *s, uint64_t *at, const char *what, struct diag *d)
{
	uint64_t align = s->align ? s->align : 1;

	*at = (*top + align - 1) / align * align;
	if (s->size > FRAME_MAX || *at + s->size > FRAME_MAX)
		return diag_error_plain(d, s->name, "%s variables take more than %d bytes", what, FRAME_MAX);
	*top = *at + s->size;
	return true;
}

static bool place(uint64_t *top, struct symbol *s, const char *what, struct diag *d)
{
	return place_at(top, s, &s->offset, what, d);
}

static bool is_shared_of_all(const struct symbol *s)
{
	return s->space == SP_SHARED && s->kernel == UINT32_MAX && !s->func && !s->external;
}

static uint32_t round_up(uint32_t n, uint32_t align) { return (n + align - 1) / align * align; }

uint64_t ir_frame_offset(const struct kernel *k, const struct symbol *s)
{
	const uint32_t sym = (uint32_t)(s - k->m->sym);

	if (s->space == SP_SHARED && s->external)
		return round_up(k->res.shared_bytes, DYNAMIC_ALIGN);
	for (uint32_t i = 0; i < k->nshared; i++)
		if (k->shared[i].sym == sym)
			return k->shared[i].offset;
	return s->offset;
}

static bool calls(const struct kernel *k)
{
	for (uint32_t n = 0; n < k->ninsn && k->m->nfunc; n++)
		if (k->insn[n].op == OP_CALL || op_info[k->insn[n].op].flags & OPF_CALL)
			return true;
	return false;
}

/* Which symbols k, or a function if it calls any, names. */
static uint64_t *named_by(const struct module *m, const struct kernel *k, struct arena *a)
{
	uint64_t *set = bitset_new(a, m->nsym);
	const uint32_t nfunc = calls(k) ? m->nfunc : 0;

	for (uint32_t f = 0; f <= nfunc; f++) {
		const struct kernel *of = f ? m->func[f - 1] : k;

		for (uint32_t i = 0; i < of->nsymref; i++)
			bitset_add(set, of->symref[i].sym);
	}
	return set;
}

/* What the extern shared arrays among them are aligned to; 1: there are none. */
static uint32_t dynamic_align(const struct module *m, const uint64_t *named)
{
	uint32_t align = 1;

	for (uint32_t i = 0; i < m->nsym; i++) {
		if (m->sym[i].space != SP_SHARED || !m->sym[i].external || !bitset_has(named, i))
			continue;
		align = align > DYNAMIC_ALIGN ? align : DYNAMIC_ALIGN;
		align = align > m->sym[i].align ? align : m->sym[i].align;
	}
	return align;
}

/* The shared memory of a kernel, the number'th of m. */
static bool place_shared(struct module *m, uint32_t number, struct diag *d)
{
	struct kernel *k = m->kernel[number];
	uint64_t top = 0, at;
	struct arena a;
	uint64_t *named;
	bool ok = true;

	arena_init(&a);
	named = named_by(m, k, &a);
	for (uint32_t i = 0; i < m->nsym; i++)
		k->nshared += bitset_has(named, i) && is_shared_of_all(&m->sym[i]);
	k->shared = new_array(k->a, struct shared_place, k->nshared);
	k->nshared = 0;
	for (uint32_t i = 0; i < m->nsym && ok; i++) {
		if (!bitset_has(named, i) || !is_shared_of_all(&m->sym[i]))
			continue;
		ok = place_at(&top, &m->sym[i], &at, "shared", d);
		k->shared[k->nshared++] = (struct shared_place){ i, (uint32_t)at };
	}
	for (uint32_t i = 0; i < m->nsym && ok; i++)
		if (m->sym[i].space == SP_SHARED && m->sym[i].kernel == number && !m->sym[i].external)
			ok = place(&top, &m->sym[i], "shared", d);
	k->res.shared_bytes = round_up((uint32_t)top, dynamic_align(m, named));
	arena_free(&a);
	return ok;
}

bool ir_layout(struct module *m, struct diag *d)
{
	uint64_t consts = 0, local = 0, ltop;

	for (unsigned own = 0; own < 2; own++)
		for (uint32_t i = 0; i < m->nsym; i++)
			if (m->sym[i].space == SP_CONST && (m->sym[i].kernel != UINT32_MAX) == own &&
			    !place(&consts, &m->sym[i], "constant", d))
				return false;
	for (uint32_t i = 0; i < m->nsym; i++) {
		struct symbol *s = &m->sym[i];

		if (s->func) {
			uint64_t frame = m->func[s->func - 1]->res.local_bytes;

			if (!place(&frame, s, "local", d))
				return false;
			m->func[s->func - 1]->res.local_bytes = (uint32_t)frame;
			continue;
		}
		if (s->kernel != UINT32_MAX || s->external)
			continue;
		if (s->space == SP_LOCAL && !place(&local, s, "local", d))
			return false;
	}
	for (uint32_t f = 0; f < m->nfunc; f++)
		m->func[f]->res.local_bytes = (m->func[f]->res.local_bytes + FRAME_ALIGN - 1) & ~(FRAME_ALIGN - 1u);
	for (uint32_t k = 0; k < m->nkernel; k++) {
		ltop = local;
		for (uint32_t i = 0; i < m->nsym; i++) {
			struct symbol *s = &m->sym[i];

			if (s->kernel != k || s->external)
				continue;
			if (s->space == SP_LOCAL && !place(&ltop, s, "local", d))
				return false;
		}
		m->kernel[k]->res.local_bytes = (uint32_t)ltop;
		if (!place_shared(m, k, d))
			return false;
	}
	return true;
}

/* ---- operand shapes ---- */
char insn_operand_letter(const struct insn *i, unsigned slot)
{
	const struct op_info *o = &op_info[i->op];
	const char *dst = o->sig, *src = o->sig + (o->ndst ? o->ndst : 1) + 1;
	unsigned s;

	if (i->op == OP_CALL || o->flags & OPF_NATIVE)
		/* the class is the register's: insn_operand_class() */
		return o->flags & OPF_BRANCH && slot + 1u == i->ndst + (unsigned)i->nsrc ? 'L' : 'W';
	if (slot < i->ndst) {
		if (o->mem_bytes)
			return dst[0];                   /* vector elements are alike */
		return slot < o->ndst ? dst[slot] : 'P'; /* setp's q, shfl's p */
	}
	s = slot - i->ndst;
	if (o->mem_bytes && !(o->flags & OPF_ATOMIC) && s > 0)
		return src[1];
	return s < o->nsrc ? src[s] : 'P'; /* setp's c */
}

enum reg_class insn_operand_class(const struct kernel *k, const struct insn *i, unsigned slot)
{
	if (i->op == OP_CALL)
		return k->opnd[i->opnd + slot].kind == REF_REG ? k->vreg[k->opnd[i->opnd + slot].val].rc : RC_32;
	if (op_info[i->op].flags & OPF_NATIVE) {
		struct ref r = k->opnd[i->opnd + slot];

		return r.kind == REF_REG && mreg_is_pred(r.val) ? RC_PRED : RC_32;
	}
	switch (insn_operand_letter(i, slot)) {
	case 'P':
		return RC_PRED;
	case 'D':
	case 'G':
		return RC_64;
	case 'M':
	case 'A':
		return k->m->address_bits == 64 && (i->space == SP_GLOBAL || i->space == SP_GENERIC) ? RC_64 : RC_32;
	default:
		return RC_32;
	}
}

/* What may have been written before an instruction that may read everything. */
static const uint64_t *reach_of(const struct native *x, uint32_t insn)
{
	uint32_t lo = 0, hi = x->nreach;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (x->reach[mid].insn < insn)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->nreach && x->reach[lo].insn == insn ? x->reach[lo].set : x->named;
}

/* Whether a call of the runtime's reads register r: what names the function, its arguments, the stack pointer, where to
 * return to. */
static bool runtime_reads(const struct kernel *k, const struct insn *i, uint32_t r)
{
	for (unsigned s = 0; s < i->nsrc; s++)
		if (insn_src(k, i)[s].kind == REF_REG && insn_src(k, i)[s].val == r)
			return true;
	return r == RUNTIME_STACK || r == RUNTIME_RETURN || r == RUNTIME_RETURN + 1 ||
	       (r - RUNTIME_ARGUMENTS < 32 && insn_runtime_arguments(i) >> (r - RUNTIME_ARGUMENTS) & 1);
}

/* Those that i names. */
static unsigned named_uses(const struct kernel *k, const struct insn *i, struct reg_use *use)
{
	bool machine = k->form == FORM_MACHINE;
	unsigned n = 0;

	if (i->guard.kind == REF_REG && !(machine && mreg_is_fixed(i->guard.val)))
		use[n++] = (struct reg_use){ i->guard.val, 255, false };
	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
		struct ref r = k->opnd[i->opnd + s];
		bool write = s < i->ndst;

		if (r.kind != REF_REG || (machine && mreg_is_fixed(r.val)))
			continue;
		assert(n + 2 <= REG_USE_MAX);
		use[n++] = (struct reg_use){ r.val, (uint8_t)s, write };
		if (machine && insn_operand_class(k, i, s) == RC_64)
			use[n++] = (struct reg_use){ r.val + 1, (uint8_t)s, write };
	}
	return n;
}

static bool is_used(const struct reg_use *use, unsigned n, uint32_t r, bool write)
{
	unsigned u = 0;

	while (u < n && (use[u].reg != r || use[u].write != write))
		u++;
	return u < n;
}

/* Those that i names, so that they are numbered as those of records are, then all others that the kernel names:
 * written, and read as far as there may be anything in them and the callee is not known to read fewer. */
static unsigned unknown_uses(const struct kernel *k, const struct insn *i, struct reg_use *use)
{
	const uint64_t *reach = reach_of(k->native, (uint32_t)(i - k->insn));
	const bool runtime = insn_calls_runtime(i);
	const unsigned names = named_uses(k, i, use);
	unsigned n = names;

	for (uint32_t r = bitset_next(k->native->named, 0, MREG_ALL); r < MREG_ALL;
	     r = bitset_next(k->native->named, r + 1, MREG_ALL)) {
		if (bitset_has(reach, r) && (!runtime || runtime_reads(k, i, r)) && !is_used(use, names, r, false))
			use[n++] = (struct reg_use){ r, NO_SLOT, false };
		if (!is_used(use, names, r, true))
			use[n++] = (struct reg_use){ r, 0, true };
	}
	return n;
}

unsigned insn_reg_uses(const struct kernel *k, const struct insn *i, struct reg_use use[REG_USE_MAX])
{
	const bool unknown = op_info[i->op].flags & OPF_UNKNOWN && k->native;

	return (unknown ? unknown_uses : named_uses)(k, i, use);
}

static unsigned find_register(const uint8_t *list, unsigned n, uint32_t r)
{
	unsigned x = 0;

	while (x < n && list[x] != r)
		x++;
	return x;
}

static void general_registers(const struct insn *i, const struct reg_use *use, unsigned n, struct insn_regs *out)
{
	unsigned reads = 0, writes = 0;

	out->nsrc = out->ndst = 0;
	for (unsigned u = 0; u < n; u++) {
		unsigned x, slot;

		if (!mreg_is_general(use[u].reg))
			continue;
		if (use[u].write) {
			x = find_register(out->dst, out->ndst, use[u].reg);
			assert(x < INSN_DST_MAX);
			if (x == out->ndst) {
				out->dst_at[x] = (uint8_t)writes;
				out->dst[out->ndst++] = (uint8_t)use[u].reg;
			}
			writes++;
			continue;
		}
		x = find_register(out->src, out->nsrc, use[u].reg);
		assert(x < INSN_SRC_MAX);
		slot = (unsigned)use[u].slot - i->ndst < NO_SLOT ? (unsigned)use[u].slot - i->ndst : NO_SLOT;
		if (x == out->nsrc) {
			out->src_at[x] = (uint8_t)reads;
			out->slot[x] = (uint8_t)slot;
			out->src[out->nsrc++] = (uint8_t)use[u].reg;
		} else if (out->slot[x] != slot) {
			out->slot[x] = NO_SLOT;
		}
		reads++;
	}
	for (unsigned x = 0; x < out->ndst; x++)
		out->dst_at[x] = (uint8_t)(out->dst_at[x] + reads);
}

void ir_insn_regs(const struct kernel *k, const struct insn *i, struct insn_regs *out)
{
	struct reg_use use[REG_USE_MAX];

	general_registers(i, use, insn_reg_uses(k, i, use), out);
}

void ir_named_regs(const struct kernel *k, const struct insn *i, struct insn_regs *out)
{
	struct reg_use use[REG_USE_MAX];

	general_registers(i, use, named_uses(k, i, use), out);
}

bool insn_is_long(const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];

	if (!(o->flags & (OPF_LOAD | OPF_STORE)) || !i->ndst)
		return false;
	switch ((enum space)i->space) {
	case SP_SHARED:
	case SP_CONST:
	case SP_PARAM:
		return false;
	case SP_NONE:
	case SP_GENERIC:
	case SP_GLOBAL:
	case SP_LOCAL:
	case SP_COUNT:
		break;
	}
	return true;
}

/* ---- control ---- */
struct ir_targets ir_targets(const struct kernel *k, const struct insn *i)
{
	uint32_t flags = op_info[i->op].flags;
	struct ir_targets t = { .n = 0 };

	if (flags & OPF_TABLE) {
		t.table = k->target + k->table[i->offset].first;
		t.n = k->table[i->offset].n;
	} else if (flags & OPF_BRANCH) {
		t.one.block = insn_src(k, i)[i->nsrc - 1].val;
		t.n = 1;
	}
	return t;
}

uint32_t ir_proc_of(const struct kernel *k, uint32_t block)
{
	return range_of(k->proc, sizeof *k->proc, k->nproc, block);
}
uint32_t ir_block_of(const struct kernel *k, uint32_t insn)
{
	return range_of(k->block, sizeof *k->block, k->nblock, insn);
}

const struct insn *ir_block_end(const struct kernel *k, uint32_t b, uint32_t flags)
{
	const struct block *bb = &k->block[b];
	const struct insn *last = bb->n ? &k->insn[bb->first + bb->n - 1] : NULL;

	return last && op_info[last->op].flags & flags ? last : NULL;
}

/* ---- blocks ---- */
static bool ends_block(const struct insn *i) { return op_info[i->op].flags & OPF_END; }

void ir_join_blocks(struct kernel *k)
{
	uint64_t *target = bitset_new(k->a, k->nblock);
	uint32_t *now = new_array(k->a, uint32_t, k->nblock);
	uint32_t blocks = 0, insns = 0;

	for (uint32_t i = 0; i < k->ninsn; i++)
		if (op_info[k->insn[i].op].flags & OPF_BRANCH)
			bitset_add(target, insn_src(k, &k->insn[i])[k->insn[i].nsrc - 1u].val);
	for (uint32_t t = 0; t < k->ntarget; t++)
		bitset_add(target, k->target[t].block);
	for (uint32_t p = 0; p < k->nproc; p++)
		bitset_add(target, k->proc[p].first);
	for (uint32_t b = 0; b < k->nblock; b++) {
		struct block old = k->block[b];
		const struct insn *before = blocks && insns > k->block[blocks - 1].first ? &k->insn[insns - 1] : NULL;

		if (b && !bitset_has(target, b) && before && ends_block(before) && insn_kills(before) &&
		    !(op_info[before->op].flags & OPF_CALL))
			continue; /* nothing leads here */
		if (!b || bitset_has(target, b) || (before && ends_block(before)))
			k->block[blocks++] = (struct block){ .first = insns, .label = old.label };
		now[b] = blocks - 1;
		memmove(k->insn + insns, k->insn + old.first, old.n * sizeof *k->insn);
		insns += old.n;
		k->block[blocks - 1].n += old.n;
	}
	k->nblock = blocks;
	k->ninsn = insns;
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (ends_block(&k->insn[i]) && op_info[k->insn[i].op].flags & OPF_BRANCH) {
			struct ref *to = &insn_src(k, &k->insn[i])[k->insn[i].nsrc - 1u];

			to->val = now[to->val];
		}
	for (uint32_t t = 0; t < k->ntarget; t++)
		k->target[t].block = now[k->target[t].block];
	for (uint32_t p = 0; p < k->nproc; p++)
		k->proc[p].first = now[k->proc[p].first];
	k->facts = 0;
}

/* ---- rewriting ---- */
void rewrite_begin(struct rewrite *rw, struct kernel *k)
{
	*rw = (struct rewrite){ .k = k, .old = k->insn, .nold = k->ninsn };
	k->insn = NULL;
	k->ninsn = k->insn_cap = 0;
}

void rewrite_block(struct rewrite *rw)
{
	assert(rw->b < rw->k->nblock);
	rw->k->block[rw->b].first = rw->k->ninsn;
	rw->k->block[rw->b++].n = 0;
}

static struct insn *rewrite_slot(struct rewrite *rw)
{
	struct kernel *k = rw->k;

	if (!k->insn_cap) {
		k->insn_cap = rw->nold + rw->nold / 4 + 8;
		k->insn = new_array(k->a, struct insn, k->insn_cap);
	}
	arena_grow(k->a, k->insn, k->ninsn, k->insn_cap);
	k->block[rw->b - 1].n++;
	return &k->insn[k->ninsn++];
}

void rewrite_keep(struct rewrite *rw, const struct insn *i)
{
	struct insn copy = *i;

	*rewrite_slot(rw) = copy;
}

struct insn *rewrite_new(struct rewrite *rw, enum op op, unsigned ndst, unsigned nsrc, const struct insn *like)
{
	struct insn fresh = { .op = (uint16_t)op, .ndst = (uint8_t)ndst, .nsrc = (uint8_t)nsrc, .vec = 1 };
	struct insn *i;

	if (like) {
		fresh.where = like->where;
		fresh.line = like->line;
		fresh.guard = like->guard;
	}
	fresh.opnd = operand_run(rw->k, ndst + nsrc);
	i = rewrite_slot(rw);
	*i = fresh;
	return i;
}

void rewrite_end(struct rewrite *rw)
{
	assert(rw->b == rw->k->nblock);
	rw->k->facts = 0;
}

/* Reading one kernel: its code through ir_verify(), its facts against ranges, its analyses made again and compared. */
#include "analyzer/elf/format.h"

#include "passes/freq.h"
#include "passes/pass.h"

#include <elf.h>

static bool cluster_ok(const uint32_t n[3])
{
	uint64_t ctas = (uint64_t)n[0] * n[1];

	return (!n[0] && !n[1] && !n[2]) || (ctas && ctas <= CLUSTER_MAX && n[2] && ctas * n[2] <= CLUSTER_MAX);
}

static bool facts(struct reader *r, struct kernel *k, struct rlo_info *x)
{
	struct resources *s = &k->res;
	struct table t;

	if (!rlo_open(r, RLO_R_info, k->name, false, &t))
		return false;
	if (t.n != 1)
		return rlo_bad(r, &t, 0, "holds %u records instead of one", t.n);
	RLO_GET(&t, 0, info, x);
	if (x->code_version != RLO_CODE_VERSION)
		return rlo_bad(r, &t, 0, "code is version %u; this program reads version %u", x->code_version,
			       RLO_CODE_VERSION);
	if (x->regs > (k->base_regs ? (unsigned)RLO_REGMUTEX_REGS : MREG_RZ) || x->preds > MREG_PT - MREG_P0)
		return rlo_bad(r, &t, 0, "%u registers and %u predicates", x->regs, x->preds);
	if (x->shared_bytes > RLO_SPACE_BYTES || x->local_bytes > RLO_SPACE_BYTES || x->param_bytes > PARAM_MAX_BYTES)
		return rlo_bad(r, &t, 0, "%u bytes shared, %u local, %u of parameters", x->shared_bytes, x->local_bytes,
			       x->param_bytes);
	if (x->stack > 1)
		return rlo_bad(r, &t, 0, "a stack of kind %u", x->stack);
	if (x->barriers > 16)
		return rlo_bad(r, &t, 0, "%u barriers", x->barriers);
	if (x->spill_bytes > x->local_bytes)
		return rlo_bad(r, &t, 0, "%u bytes spilled, %u local", x->spill_bytes, x->local_bytes);
	if (!cluster_ok(x->cluster) || x->explicit_cluster > 1)
		return rlo_bad(r, &t, 0, "clusters of %ux%ux%u CTAs, of kind %u", x->cluster[0], x->cluster[1],
			       x->cluster[2], x->explicit_cluster);
	for (unsigned i = 0; i < 3; i++) {
		k->maxntid[i] = x->maxntid[i];
		k->reqntid[i] = x->reqntid[i];
		k->cluster[i] = x->cluster[i];
	}
	k->max_cluster = x->max_cluster;
	k->explicit_cluster = x->explicit_cluster;
	k->minnctapersm = x->minnctapersm;
	k->maxnreg = x->maxnreg;
	*s = (struct resources){
		.regs = x->regs,
		.preds = x->preds,
		.shared_bytes = x->shared_bytes,
		.local_bytes = x->local_bytes,
		.param_bytes = x->param_bytes,
		.barriers = x->barriers,
		.spill_loads = x->spill_loads,
		.spill_stores = x->spill_stores,
		.spill_bytes = x->spill_bytes,
		.virtual_regs = x->virtual_regs,
		.virtual_insns = x->virtual_insns,
		.stack = x->stack,
	};
	return true;
}

static bool params(struct reader *r, struct kernel *k)
{
	uint64_t end = 0;
	struct table t;

	if (!rlo_open(r, RLO_R_param, k->name, true, &t))
		return false;
	k->param = new_array(r->a, struct param, t.n + 1);
	k->nparam = k->param_cap = t.n;
	for (uint32_t i = 0; i < t.n; i++) {
		struct param *p = &k->param[i];
		struct rlo_param x;

		RLO_GET(&t, i, param, &x);
		if (!rlo_string(r, &r->strings, x.name, true, &p->name))
			return rlo_bad(r, &t, i, "parameter %u has no name", i);
		if (x.type >= r->ntype || r->type[x.type] == TY_PRED || x.array > 1)
			return rlo_bad(r, &t, i, "parameter %s has no type", p->name);
		if (!rlo_power_of_two(x.align) || x.offset % x.align || x.offset < end ||
		    x.offset > k->res.param_bytes || x.size > k->res.param_bytes - x.offset)
			return rlo_bad(r, &t, i, "parameter %s: %u bytes at %u, aligned to %u", p->name, x.size,
				       x.offset, x.align);
		if (!x.array && x.size != type_info[r->type[x.type]].bits / 8u)
			return rlo_bad(r, &t, i, "parameter %s of .%s has %u bytes", p->name,
				       type_info[r->type[x.type]].text, x.size);
		*p = (struct param){ p->name, x.offset, x.size, x.align, (uint8_t)r->type[x.type], x.array };
		end = (uint64_t)x.offset + x.size;
	}
	return true;
}

static bool constants(struct reader *r, struct kernel *k)
{
	struct table t;

	if (!rlo_open(r, RLO_R_imm, k->name, true, &t))
		return false;
	if (t.n > REF_VAL_MAX)
		return rlo_bad(r, &t, 0, "%u immediates", t.n);
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_imm x;

		RLO_GET(&t, i, imm, &x);
		if (ir_imm(k, x.bits).val != i)
			return rlo_bad(r, &t, i, "an immediate is there twice");
	}
	if (!rlo_open(r, RLO_R_symref, k->name, true, &t))
		return false;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_symref x;
		const struct symbol *v;

		RLO_GET(&t, i, symref, &x);
		if (x.var >= r->m->nsym || x.zero)
			return rlo_bad(r, &t, i, "there is no variable %u", x.var);
		v = &r->m->sym[x.var];
		if (v->space != SP_GLOBAL && v->space != SP_CONST)
			return rlo_bad(r, &t, i, "the address of %s is not a symbol", v->name);
		ir_symref(k, x.var, x.addend);
	}
	return true;
}

static bool blocks(struct reader *r, struct kernel *k, const struct rlo_info *info, struct table *t)
{
	if (!rlo_open(r, RLO_R_block, k->name, false, t))
		return false;
	if (t->n != info->blocks || !t->n || t->n > REF_VAL_MAX)
		return rlo_bad(r, t, 0, "holds %u blocks, .regloom.info says %u", t->n, info->blocks);
	k->block = new_array(r->a, struct block, t->n);
	k->nblock = k->block_cap = t->n;
	for (uint32_t i = 0; i < t->n; i++) {
		struct rlo_block x;

		RLO_GET(t, i, block, &x);
		if (x.first > info->insns || x.insns > info->insns - x.first)
			return rlo_bad(r, t, i, "block %u is outside the code", i);
		k->block[i] = (struct block){ .first = x.first, .n = x.insns };
		if (x.label && !rlo_string(r, &r->strings, x.label, true, &k->block[i].label))
			return rlo_bad(r, t, i, "block %u has no label", i);
	}
	return true;
}

/* Bytes that operand `slot` takes from a constant bank. */
static unsigned const_width(const struct insn *i, unsigned slot)
{
	switch (insn_operand_letter(i, slot)) {
	case 'B':
		return 1;
	case 'H':
		return 2;
	case 'D':
	case 'G':
		return 8;
	default:
		return 4;
	}
}

static bool operand(struct reader *r, const struct table *t, struct kernel *k, uint32_t n, unsigned slot, uint32_t word)
{
	const struct insn *i = &k->insn[n];
	struct ref x = rlo_unpack_ref(word);

	if (x.kind == REF_SREG) {
		if (x.val >= r->nsreg)
			return rlo_bad(r, t, n, "operand %u: there is no special register %u", slot, (unsigned)x.val);
		x.val = r->sreg[x.val] & REF_VAL_MAX;
	} else if (x.kind == REF_NONE && word) {
		return rlo_bad(r, t, n, "operand %u is not clean", slot);
	}
	k->opnd[i->opnd + slot] = x;
	return true;
}

/* What ir_verify() does not know: constants lie in the banks, registers in what the kernel says it uses. */
static bool ranges_ok(struct reader *r, const struct table *t, const struct kernel *k)
{
	uint64_t bank0 = PARAM_BASE + (k->res.param_bytes + 3) / 4 * 4;

	for (uint32_t n = 0; n < k->ninsn; n++) {
		const struct insn *i = &k->insn[n];
		struct reg_use use[REG_USE_MAX];
		unsigned nuse = insn_reg_uses(k, i, use);

		for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
			struct ref x = k->opnd[i->opnd + s];
			uint64_t top = const_bank(x) ? r->const_bytes : bank0;
			bool address = insn_operand_letter(i, s) == 'M';

			if (x.kind != REF_CONST)
				continue;
			if ((const_bank(x) != 0 && const_bank(x) != 3) ||
			    const_offset(x) + (address ? 0 : const_width(i, s)) > top)
				return rlo_bad(r, t, n, "operand %u: c[0x%x][0x%x] does not exist", s, const_bank(x),
					       const_offset(x));
		}
		for (unsigned u = 0; u < nuse; u++)
			if (use[u].reg < MREG_RZ ? use[u].reg >= k->res.regs : use[u].reg - MREG_P0 >= k->res.preds)
				return rlo_bad(r, t, n, "uses more than %u registers or %u predicates", k->res.regs,
					       k->res.preds);
	}
	return true;
}

/* ir_verify() reports by instruction; here the place in the object is added. */
static bool verify(struct reader *r, const struct table *t, struct kernel *k)
{
	struct diag quiet;
	bool ok;

	diag_init(&quiet, NULL);
	ok = ir_verify(k, &quiet);
	if (!ok)
		rlo_bad(r, t, 0, "the code is not well formed: %.*s", quiet.last ? (int)strcspn(quiet.last, "\n") : 0,
			quiet.last ? quiet.last : "");
	diag_free(&quiet);
	return ok;
}

static bool code(struct reader *r, struct kernel *k, const struct rlo_info *info, const struct rlo_section *text)
{
	struct table t = { .section = text->name, .p = text->p, .n = info->insns, .bytes = RLO_BYTES_insn }, lineno,
		     more;
	uint32_t nmore = 0;

	if (text->type != SHT_PROGBITS || text->size != (uint64_t)info->insns * RLO_BYTES_insn)
		return diag_error_bin(r->d, r->name, text->name, 0, "is not %u instructions of %d bytes", info->insns,
				      RLO_BYTES_insn);
	if (!rlo_open(r, RLO_R_lineno, k->name, false, &lineno) || !rlo_open(r, RLO_R_more, k->name, true, &more))
		return false;
	if (lineno.n != info->insns)
		return rlo_bad(r, &lineno, 0, "holds %u lines for %u instructions", lineno.n, info->insns);
	k->insn = new_array(r->a, struct insn, t.n + 1);
	k->ninsn = k->insn_cap = t.n;
	k->opnd = new_array(r->a, struct ref, (size_t)t.n * RLO_OPERANDS + more.n + 1);
	k->opnd_cap = t.n * RLO_OPERANDS + more.n;
	for (uint32_t n = 0; n < t.n; n++) {
		struct insn *i = &k->insn[n];
		struct rlo_insn x;
		struct rlo_lineno l;
		unsigned used;

		RLO_GET(&t, n, insn, &x);
		RLO_GET(&lineno, n, lineno, &l);
		used = x.ndst + (unsigned)x.nsrc;
		if (x.op >= r->nop || used > RLO_OPERANDS_MAX || x.more != (used > RLO_OPERANDS ? nmore : 0) ||
		    (used > RLO_OPERANDS && used - RLO_OPERANDS > more.n - nmore))
			return rlo_bad(r, &t, n, "opcode %u with %u operands", x.op, used);
		if (l.line >= r->m->nline || l.where >= r->m->nline)
			return rlo_bad(r, &lineno, n, "lines %u and %u of %u", l.line, l.where, r->m->nline);
		*i = (struct insn){
			.op = (uint16_t)r->op[x.op],
			.ndst = x.ndst,
			.nsrc = x.nsrc,
			.opnd = k->nopnd,
			.guard = rlo_unpack_ref(x.guard),
			.offset = x.offset,
			.space = x.space,
			.vec = x.vec,
			.cop = x.cop,
			.cbool = x.cbool,
			.mods = x.mods,
			.where = l.where,
			.line = l.line,
		};
		if (i->guard.kind == REF_NONE && x.guard)
			return rlo_bad(r, &t, n, "guard is not clean");
		k->nopnd += used;
		for (unsigned s = used; s < RLO_OPERANDS; s++)
			if (x.operand[s])
				return rlo_bad(r, &t, n, "operand %u is not used and not zero", s);
		for (unsigned s = 0; s < used; s++) {
			struct rlo_more m = { 0 };

			if (s >= RLO_OPERANDS)
				RLO_GET(&more, nmore++, more, &m);
			if (!operand(r, &t, k, n, s, s < RLO_OPERANDS ? x.operand[s] : m.operand))
				return false;
		}
	}
	if (nmore != more.n)
		return rlo_bad(r, &more, nmore, "%u operands, of which code has %u", more.n, nmore);
	return verify(r, &t, k) && ranges_ok(r, &t, k);
}

/* Tables of computed branches and calls, and functions; ir_verify() checks them with the code. */
static bool control(struct reader *r, struct kernel *k)
{
	struct table t;

	if (!rlo_open(r, RLO_R_jtable, k->name, true, &t))
		return false;
	k->table = new_array(r->a, struct jump_table, t.n + 1);
	k->ntable = k->table_cap = t.n;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_jtable x;

		RLO_GET(&t, i, jtable, &x);
		k->table[i] = (struct jump_table){ x.first, x.targets };
	}
	if (!rlo_open(r, RLO_R_target, k->name, true, &t))
		return false;
	k->target = new_array(r->a, struct target, t.n + 1);
	k->ntarget = k->target_cap = t.n;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_target x;

		RLO_GET(&t, i, target, &x);
		if (x.zero)
			return rlo_bad(r, &t, i, "is not clean");
		k->target[i] = (struct target){ x.key, x.block };
	}
	if (!rlo_open(r, RLO_R_proc, k->name, true, &t))
		return false;
	k->proc = new_array(r->a, struct proc, t.n + 1);
	k->nproc = k->proc_cap = t.n;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_proc x;

		RLO_GET(&t, i, proc, &x);
		if (!rlo_string(r, &r->strings, x.name, true, &k->proc[i].name))
			return rlo_bad(r, &t, i, "function %u has no name", i);
		k->proc[i].first = x.first;
	}
	return true;
}

static bool spills(struct reader *r, struct kernel *k)
{
	struct table t;

	if (!rlo_open(r, RLO_R_spill, k->name, true, &t))
		return false;
	k->spill = new_array(r->a, struct spill, t.n + 1);
	k->nspill = k->spill_cap = t.n;
	for (uint32_t i = 0; i < t.n; i++) {
		struct rlo_spill x;
		const struct insn *n;
		unsigned bytes, way;

		RLO_GET(&t, i, spill, &x);
		if (x.insn >= k->ninsn || x.store > 1 || x.rc >= RC_COUNT || x.zero)
			return rlo_bad(r, &t, i, "spills at instruction %u of %u", x.insn, k->ninsn);
		n = &k->insn[x.insn];
		bytes = x.rc == RC_64 ? 8 : 4;
		way = x.store ? OPF_STORE : OPF_LOAD;
		if (!(op_info[n->op].flags & way) || n->space != SP_LOCAL)
			return rlo_bad(r, &t, i, "instruction %u does not access local memory", x.insn);
		if (x.slot > k->res.local_bytes || bytes > k->res.local_bytes - x.slot)
			return rlo_bad(r, &t, i, "slot %u is outside %u bytes of local memory", x.slot,
				       k->res.local_bytes);
		k->spill[i] = (struct spill){ .insn = x.insn, .store = x.store, .rc = x.rc, .slot = x.slot };
		if (x.name && !rlo_string(r, &r->strings, x.name, true, &k->spill[i].name))
			return rlo_bad(r, &t, i, "is not the name of a register");
	}
	return true;
}

bool rlo_same(struct reader *r, const struct kernel *k, enum rlo_record id, const struct buf *made, const char *what)
{
	bool optional = made->n == RLO_HEAD_BYTES;
	struct table t;
	uint32_t n = (uint32_t)((made->n - RLO_HEAD_BYTES) / rlo_table[id].bytes);

	if (!rlo_open(r, id, k->name, optional, &t))
		return false;
	if (t.n != n)
		return rlo_bad(r, &t, 0,
			       "holds %u records where the code asks for %u; damaged, or made by another program", t.n,
			       n);
	for (uint32_t i = 0; i < n; i++)
		if (memcmp(t.p + (size_t)i * t.bytes, made->p + RLO_HEAD_BYTES + (size_t)i * t.bytes, t.bytes) != 0)
			return rlo_bad(r, &t, i,
				       "%s not that of the code (record %u); damaged, or made by another program", what,
				       i);
	return true;
}

bool rlo_need_facts(struct reader *r, struct kernel *k, const struct orf_options *options)
{
	struct launch_facts shape = { 0 };
	struct pass_ctx cx;
	bool ok;

	if (!rlo_read_shape(r, k, shape.block))
		return false;
	pass_ctx_init(&cx, r->d);
	cx.opt.orf = *options;
	cx.opt.launch = &shape;
	ok = pass_need(k, FACT_OBJECT & ~(FACT_AFFINITY | FACT_CORF | FACT_ORF | FACT_OWF), &cx);
	pass_ctx_free(&cx);
	return ok;
}

static bool analyses(struct reader *r, struct kernel *k, const struct rlo_info *info, const struct table *t,
		     const struct orf_options *options)
{
	static const char *const liveness = "liveness is", *const release = "the release of registers is",
				 *const strand = "a strand is";
	struct rlo_liveness live;
	struct rlo_releases releases;
	struct rlo_strand_tables strands;
	struct rlo_uniform_tables uniform;
	struct arena a;
	bool ok;

	if (!rlo_need_facts(r, k, options))
		return false;
	for (uint32_t b = 0; b < k->nblock; b++) {
		struct rlo_block x;

		RLO_GET(t, b, block, &x);
		if (x.depth != k->cfg->depth[b] || x.idom != k->dom->idom[b] || x.ipdom != k->pdom->idom[b])
			return rlo_bad(r, t, b,
				       "block %u: loop depth, dominator or post-dominator is not that of the code", b);
	}
	if (info->max_live32 != k->live->max_live32 || info->max_livep != k->live->max_livep)
		return diag_error_bin(r->d, r->name, arena_printf(r->a, "%s%s", rlo_table[RLO_R_info].section, k->name),
				      RLO_HEAD_BYTES,
				      "%u registers and %u predicates live at most, not as stored %u and %u",
				      k->live->max_live32, k->live->max_livep, info->max_live32, info->max_livep);
	arena_init(&a);
	rlo_encode_liveness(k, &a, &live);
	rlo_encode_release(k, &a, &releases);
	rlo_encode_strands(k, &a, &strands);
	rlo_encode_uniform(k, &a, &uniform);
	ok = rlo_same(r, k, RLO_R_live, &live.live, liveness) && rlo_same(r, k, RLO_R_point, &live.point, liveness) &&
	     rlo_same(r, k, RLO_R_release, &live.release, liveness) &&
	     rlo_same(r, k, RLO_R_wait, &releases.wait, release) &&
	     rlo_same(r, k, RLO_R_wfree, &releases.wfree, release) &&
	     rlo_same(r, k, RLO_R_strand, &strands.strand, strand) &&
	     rlo_same(r, k, RLO_R_rfc, &strands.rfc, "a hint for caches is") &&
	     rlo_same(r, k, RLO_R_shape, &uniform.shape, "the CTA, or the sum, is") &&
	     rlo_same(r, k, RLO_R_scalar, &uniform.scalar, "what lanes have in common is") &&
	     rlo_same(r, k, RLO_R_lanes, &uniform.lanes, "what lanes have in common is");
	arena_free(&a);
	return ok;
}

bool rlo_read_kernel(struct reader *r, struct kernel *k, const struct rlo_section *text)
{
	struct rlo_info info = { 0 };
	struct orf orf[ORG_COUNT];
	struct table block;

	k->form = FORM_MACHINE;
	return facts(r, k, &info) && params(r, k) && constants(r, k) && blocks(r, k, &info, &block) && control(r, k) &&
	       code(r, k, &info, text) && spills(r, k) && rlo_read_orf(r, k, orf) &&
	       analyses(r, k, &info, &block, &orf[0].options) && rlo_read_hints(r, k) && rlo_read_places(r, k, orf) &&
	       rlo_read_owf(r, k) && (k->base_regs || rlo_read_regmutex(r, k));
}

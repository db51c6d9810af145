/* Calls that stay calls. Arguments and results travel in virtual registers: those of the function's own parameters, so
 * that nothing is copied that need not be, or, for calls through registers, a common set for all functions, which an
 * entry block of each hands on. The analyses behind see the calls' real edges, so no register is anybody's to save, but
 * for one case.
 *
 * A function that recurses finds its registers overwritten by itself. Around a call that may come back to its cycle of
 * the call graph it stores what is live across the call in its frame, and moves the stack register by the size of that:
 *
 *     t = arguments; store live registers; stack += frame; parameters = t; call
 *     stack -= frame; t = results; load live registers; results = t
 *
 * Known limit: liveness here is dense, blocks x registers of the functions that recurse. */
#include "analyzer/ir/limits.h"
#include "passes/link.h"

#include <string.h>

static struct ref abi(struct link *l, unsigned result, enum reg_class rc, uint32_t n)
{
	while (l->nabi[result][rc] <= n) {
		arena_grow(l->a, l->abi[result][rc], l->nabi[result][rc], l->abi_cap[result][rc]);
		l->abi[result][rc][l->nabi[result][rc]++] = ir_vreg(l->k, NULL, rc, reg_class_bits(rc));
	}
	return ref_reg(l->abi[result][rc][n]);
}

/* Calls each(formal, its place in the common set). */
#define EACH_ABI(f_formal, nret_, narg_, p, r)                                                            \
	for (uint32_t p = 0, count_[2][RC_COUNT] = { { 0 } }; p < (nret_) + (narg_); p++)                 \
		for (struct ref r = abi(l, p < (nret_) && !(f_formal)[p].array, (f_formal)[p].rc,         \
					count_[p < (nret_) && !(f_formal)[p].array][(f_formal)[p].rc]++), \
				*once_ = &r;                                                              \
		     once_; once_ = NULL)

void link_enter(struct link *l, uint32_t func)
{
	struct kernel *k = l->k;
	const struct kernel *f = k->m->func[func];
	struct fn *fn = &l->fn[func];

	fn->first = k->nblock;
	if (fn->indirect) {
		ir_block(k, NULL);
		EACH_ABI(f->formal, f->nret, f->narg, p, r)
		if (p >= f->nret || f->formal[p].array)
			link_move(l, ref_reg(fn->reg[f->formal[p].vreg]), r, f->formal[p].rc, &f->insn[0]);
	}
	fn->entry = k->nblock;
}

void link_give_back(struct link *l, const struct body *b, const struct insn *ret)
{
	const struct kernel *f = l->k->m->func[b->fn];

	if (!l->fn[b->fn].indirect)
		return;
	EACH_ABI(f->formal, f->nret, f->narg, p, r)
	if (p < f->nret && !f->formal[p].array)
		link_move(l, r, ref_reg(l->fn[b->fn].reg[f->formal[p].vreg]), f->formal[p].rc, ret);
}

/* ---- liveness inside one function ---- */
/* of one call */
struct saves {
	uint32_t *reg, n;
};

/* Whether the call may come back to the cycle that its function is in. */
static bool recurses(struct link *l, const struct site *s)
{
	uint32_t n;
	const struct candidate *to = link_candidates(l, s->call, &n);

	if (!l->fn[s->fn].recursive)
		return false;
	for (uint32_t x = 0; x < n; x++)
		if (l->fn[to[x].func].scc == l->fn[s->fn].scc)
			return true;
	return false;
}

static void step(const struct link *l, const struct insn *i, uint32_t fn, uint64_t *set)
{
	const struct kernel *k = l->k, *f = k->m->func[fn];
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);

	for (unsigned u = 0; u < n && insn_kills(i); u++)
		if (use[u].write)
			bitset_del(set, use[u].reg);
	for (unsigned u = 0; u < n; u++)
		if (!use[u].write)
			bitset_add(set, use[u].reg);
	for (uint32_t p = 0; i->op == OP_RET && p < f->nret; p++)
		if (!f->formal[p].array)
			bitset_add(set, l->fn[fn].reg[f->formal[p].vreg]);
}

/* Live into block b of the function, from those behind it. */
static bool flow(struct link *l, uint32_t fn, uint32_t b, uint64_t *in, uint32_t words, uint64_t *set,
		 struct saves *save)
{
	const struct kernel *k = l->k;
	const struct fn *f = &l->fn[fn];
	const struct insn *end = ir_block_end(k, b, OPF_END);
	struct ir_targets t = { .n = 0 };
	bool grown = false;

	memset(set, 0, words * sizeof *set);
	if (end && op_info[end->op].flags & (OPF_BRANCH | OPF_TABLE))
		t = ir_targets(k, end);
	for (uint32_t n = 0; n < t.n; n++)
		for (uint32_t w = 0; w < words; w++)
			set[w] |= in[(size_t)(ir_target(&t, n) - f->first) * words + w];
	for (uint32_t w = 0; (!end || !insn_kills(end)) && b + 1 < f->end && w < words; w++)
		set[w] |= in[(size_t)(b + 1 - f->first) * words + w];
	for (uint32_t n = k->block[b].n; n--;) {
		const struct insn *i = &k->insn[k->block[b].first + n];

		if (save && i->op == OP_CALL && recurses(l, &l->site[i->offset])) {
			struct saves *s = &save[i->offset];

			s->reg = new_array(l->a, uint32_t, bitset_count(set, k->nvreg) + 1);
			for (uint32_t r = bitset_next(set, 0, k->nvreg); r < k->nvreg;
			     r = bitset_next(set, r + 1, k->nvreg)) {
				bool result = r == l->sp.val;

				for (unsigned d = 0; d < i->ndst; d++)
					result |= insn_dst(k, i)[d].kind == REF_REG && insn_dst(k, i)[d].val == r;
				if (!result)
					s->reg[s->n++] = r;
			}
		}
		step(l, i, fn, set);
	}
	for (uint32_t w = 0; w < words; w++) {
		uint64_t *to = &in[(size_t)(b - f->first) * words + w];

		grown |= (set[w] & ~*to) != 0;
		*to |= set[w];
	}
	return grown;
}

static bool find_saves(struct link *l, uint32_t fn, struct saves *save)
{
	struct kernel *k = l->k;
	const struct fn *f = &l->fn[fn];
	uint32_t words = bitset_words(k->nvreg);
	uint64_t *in, *set = bitset_new(l->a, k->nvreg);
	bool grown = true;

	if ((uint64_t)words * (f->end - f->first) > (64u << 20))
		return diag_error(l->d, k->at, "function %s is too large to recurse: %u blocks and %u registers",
				  k->m->func[fn]->name, f->end - f->first, k->nvreg);
	in = new_array(l->a, uint64_t, (size_t)words * (f->end - f->first) + 1);
	while (grown) {
		grown = false;
		for (uint32_t b = f->end; b-- > f->first;)
			grown |= flow(l, fn, b, in, words, set, NULL);
	}
	for (uint32_t b = f->end; b-- > f->first;)
		flow(l, fn, b, in, words, set, save);
	return true;
}

static uint32_t save_bytes(const struct kernel *k, uint32_t r) { return k->vreg[r].rc == RC_64 ? 8 : 4; }

/* Each register's place behind the local variables: 8-byte ones first. */
static uint32_t place_saves(const struct link *l, const struct saves *s, uint32_t r, uint32_t locals)
{
	uint32_t at = (locals + 7) & ~7u;

	for (unsigned bytes = 8; bytes >= 4; bytes -= 4)
		for (uint32_t x = 0; x < s->n; x++)
			if (save_bytes(l->k, s->reg[x]) == bytes) {
				if (s->reg[x] == r)
					return at;
				at += bytes;
			}
	return at;
}

/* ---- frames ---- */
static bool lay_out(struct link *l)
{
	struct kernel *k = l->k;
	uint32_t *base = new_array(l->a, uint32_t, l->nscc + 2), *site = new_array(l->a, uint32_t, l->nsite + 1),
		 top = 0;
	uint32_t *first = new_array(l->a, uint32_t, (size_t)l->nfunc + 3), *fill = first + 1;

	/* the calls of function f: site[first[f]] .. site[first[f + 1]] */
	for (uint32_t s = 0; s < l->nsite; s++)
		fill[l->site[s].fn + 1]++;
	for (uint32_t f = 0; f <= l->nfunc; f++)
		fill[f + 1] += fill[f];
	for (uint32_t s = 0; s < l->nsite; s++)
		site[fill[l->site[s].fn]++] = s;

	for (uint32_t o = l->norder; o-- > 0;) { /* callers first */
		uint32_t f = l->order[o];
		struct fn *fn = &l->fn[f];
		uint32_t end;

		if (f != l->nfunc && !fn->reg)
			continue;
		if (!fn->recursive)
			fn->base = base[fn->scc];
		end = base[fn->scc] + (fn->recursive ? 0 : (fn->frame + FRAME_ALIGN - 1) & ~(FRAME_ALIGN - 1u));
		top = end > top ? end : top;
		for (uint32_t s = first[f]; s < first[f + 1]; s++) {
			uint32_t n;
			const struct candidate *to = link_candidates(l, l->site[site[s]].call, &n);

			for (uint32_t x = 0; x < n; x++)
				if (base[l->fn[to[x].func].scc] < end)
					base[l->fn[to[x].func].scc] = end;
		}
	}
	if (top > WINDOW_BYTES)
		return diag_error(
			l->d, k->at,
			"kernel %s and the functions that it calls have %u bytes of local variables, more than %u",
			k->name, top, WINDOW_BYTES);
	k->res.local_bytes = l->ncalled ? top : l->fn[l->nfunc].frame;
	for (uint32_t x = 0; x < l->nfix; x++)
		k->opnd[l->fix[x].opnd] = ir_imm(k, l->fn[l->fix[x].fn].base + l->fix[x].at);
	return true;
}

/* ---- the code of a call ---- */
static void bump(struct link *l, enum op op, uint32_t bytes, const struct insn *like)
{
	struct insn *i;

	if (!bytes)
		return;
	i = link_append(l, op, 1, 2, like);
	insn_dst(l->k, i)[0] = l->sp;
	insn_src(l->k, i)[0] = l->sp;
	insn_src(l->k, i)[1] = ir_imm(l->k, bytes);
}

static void save(struct link *l, uint32_t r, uint32_t at, const struct insn *like)
{
	struct kernel *k = l->k;
	bool wide = k->vreg[r].rc == RC_64;
	struct ref v = ref_reg(r);
	struct insn *i;

	if (k->vreg[r].rc == RC_PRED) {
		v = ref_reg(ir_vreg(k, NULL, RC_32, 32));
		i = link_append(l, OP_SELP_B32, 1, 3, like);
		insn_dst(k, i)[0] = v;
		insn_src(k, i)[0] = ir_imm(k, 1);
		insn_src(k, i)[1] = ir_imm(k, 0);
		insn_src(k, i)[2] = ref_reg(r);
	}
	i = link_append(l, wide ? OP_ST_B64 : OP_ST_B32, 0, 2, like);
	i->space = SP_LOCAL;
	i->offset = (int32_t)at;
	insn_src(k, i)[0] = l->sp;
	insn_src(k, i)[1] = v;
}

static void restore(struct link *l, uint32_t r, uint32_t at, const struct insn *like)
{
	struct kernel *k = l->k;
	bool wide = k->vreg[r].rc == RC_64, pred = k->vreg[r].rc == RC_PRED;
	struct ref v = pred ? ref_reg(ir_vreg(k, NULL, RC_32, 32)) : ref_reg(r);
	struct insn *i = link_append(l, wide ? OP_LD_B64 : OP_LD_B32, 1, 1, like);

	i->space = SP_LOCAL;
	i->offset = (int32_t)at;
	insn_dst(k, i)[0] = v;
	insn_src(k, i)[0] = l->sp;
	if (!pred)
		return;
	i = link_append(l, OP_SETP_NE_B32, 1, 2, like);
	insn_dst(k, i)[0] = ref_reg(r);
	insn_src(k, i)[0] = v;
	insn_src(k, i)[1] = ir_imm(k, 0);
}

static struct ref temporary(struct link *l, enum reg_class rc)
{
	return ref_reg(ir_vreg(l->k, NULL, rc, reg_class_bits(rc)));
}

/* the caller's register, and the one that carries it */
struct pass_by {
	struct ref here, there;
	enum reg_class rc;
	bool result;
};

static unsigned list_passed(struct link *l, const struct call *c, uint32_t func, const struct ref *op, unsigned ndst,
			    struct pass_by by[])
{
	const struct kernel *f = c->proto ? NULL : l->k->m->func[func];
	const struct formal *formal = c->proto ? c->proto->formal : f->formal;
	uint32_t nret = c->proto ? c->proto->nret : f->nret, narg = c->proto ? c->proto->narg : f->narg;
	unsigned n = 0, d = 0, s = ndst + (c->proto != NULL);

	if (c->proto) {
		EACH_ABI(formal, nret, narg, p, r)
		by[n++] = (struct pass_by){ .there = r };
		n = 0;
	}
	for (uint32_t p = 0; p < nret + narg; p++, n++) {
		if (!c->proto)
			by[n].there = ref_reg(l->fn[func].reg[formal[p].vreg]);
		by[n].rc = formal[p].rc;
		by[n].result = p < nret && !formal[p].array;
		by[n].here = op[by[n].result ? d++ : s++];
	}
	return n;
}

static bool expand(struct link *l, const struct insn *call, const struct saves *s, uint32_t *entry_of)
{
	struct kernel *k = l->k;
	const struct site *site = &l->site[call->offset];
	const struct fn *me = &l->fn[site->fn];
	struct pass_by by[REG_USE_MAX];
	struct ref op[REG_USE_MAX], t[REG_USE_MAX];
	bool again = recurses(l, site);
	uint32_t count, bytes = me->recursive ? me->frame : 0, target_fn;
	const struct candidate *to = link_candidates(l, site->call, &count);
	unsigned n;
	struct insn *i;

	for (unsigned x = 0; x < call->ndst + (unsigned)call->nsrc; x++)
		op[x] = k->opnd[call->opnd + x];
	if (!count)
		return link_refuse(
			l, call,
			site->call->proto
				? "no function that this could call has its address taken and takes such parameters"
				: "this calls a function that the module does not define");
	target_fn = to[0].func;
	n = list_passed(l, site->call, target_fn, op, call->ndst, by);
	for (unsigned x = 0; x < n && again; x++)
		if (!by[x].result) {
			t[x] = temporary(l, by[x].rc);
			link_move(l, t[x], by[x].here, by[x].rc, call);
		}
	if (again && site->call->proto) {
		struct ref address = temporary(l, RC_64);

		link_move(l, address, op[call->ndst], RC_64, call);
		op[call->ndst] = address;
	}
	for (uint32_t x = 0; x < s->n; x++)
		save(l, s->reg[x], place_saves(l, s, s->reg[x], me->base), call);
	bump(l, OP_ADD_S32, bytes, call);
	for (unsigned x = 0; x < n; x++)
		if (!by[x].result)
			link_move(l, by[x].there, again ? t[x] : by[x].here, by[x].rc, call);
	if (site->call->proto) {
		if (count > IR_TARGETS_MAX - k->ntarget)
			return link_refuse(
				l, call,
				arena_printf(l->a,
					     "the calls of kernel %s through registers may lead to more than %d "
					     "functions in all, the limit",
					     k->name, IR_TARGETS_MAX));
		i = link_append(l, OP_CALL_IND, 0, 1, call);
		insn_src(k, i)[0] = op[call->ndst];
		i->offset = (int32_t)k->ntable;
		arena_grow(k->a, k->table, k->ntable, k->table_cap);
		k->table[k->ntable++] = (struct jump_table){ k->ntarget, count };
		for (uint32_t x = 0; x < count; x++) {
			arena_grow(k->a, k->target, k->ntarget, k->target_cap);
			k->target[k->ntarget++] = (struct target){ to[x].address, entry_of[l->fn[to[x].func].first] };
		}
	} else {
		i = link_append(l, OP_CALL_TO, 0, 1, call);
		insn_src(k, i)[0] =
			(struct ref){ .kind = REF_BLOCK, .val = entry_of[l->fn[target_fn].entry] & REF_VAL_MAX };
	}
	i->mods = call->mods;
	ir_block(k, NULL);
	bump(l, OP_SUB_S32, bytes, call);
	for (unsigned x = 0; x < n && again; x++)
		if (by[x].result && by[x].here.kind == REF_REG) {
			t[x] = temporary(l, by[x].rc);
			link_move(l, t[x], by[x].there, by[x].rc, call);
		}
	for (uint32_t x = 0; x < s->n; x++)
		restore(l, s->reg[x], place_saves(l, s, s->reg[x], me->base), call);
	for (unsigned x = 0; x < n; x++)
		if (by[x].result && by[x].here.kind == REF_REG)
			link_move(l, by[x].here, again ? t[x] : by[x].there, by[x].rc, call);
	return true;
}

/* The code once more, with a block for what is behind each call. */
static bool rewrite(struct link *l, const struct saves *save_of)
{
	struct kernel *k = l->k;
	struct insn *insn = k->insn;
	struct block *block = new_array(l->a, struct block, k->nblock + 1);
	uint32_t nblock = k->nblock, shift = 0, *now = new_array(l->a, uint32_t, nblock + 1), proc = 0;

	memcpy(block, k->block, nblock * sizeof *block);
	for (uint32_t b = 0; b < nblock; b++) {
		now[b] = b + shift;
		for (uint32_t n = 0; n < block[b].n; n++)
			shift += insn[block[b].first + n].op == OP_CALL;
	}
	for (uint32_t t = 0; t < k->ntarget; t++)
		k->target[t].block = now[k->target[t].block];
	k->insn = NULL;
	k->ninsn = k->insn_cap = k->nblock = 0;
	for (uint32_t b = 0; b < nblock; b++) {
		bool starts = proc < l->ncalled && l->fn[l->called[proc]].first == b;

		if (starts || (!b && l->ncalled)) {
			arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
			k->proc[k->nproc++] = (struct proc){ now[b], b ? k->m->func[l->called[proc]]->name : k->name };
			proc += starts;
		}
		ir_block(k, starts && !block[b].label ? k->proc[k->nproc - 1].name : block[b].label);
		if (!b && k->res.stack) {
			struct insn *i = link_append(l, OP_MOV_B32, 1, 1, &insn[0]);

			insn_dst(k, i)[0] = l->sp;
			insn_src(k, i)[0] = ref_const(0, CONST_STACK);
		}
		for (uint32_t n = 0; n < block[b].n; n++) {
			struct insn i = insn[block[b].first + n], *copy;
			uint32_t run;

			if (i.op == OP_CALL) {
				if (!expand(l, &i, &save_of[i.offset], now))
					return false;
				continue;
			}
			copy = ir_append(k, i.op, 0, 0);
			run = i.opnd;
			*copy = i;
			copy->opnd = run;
			if (i.op == OP_RET && k->nproc > 1)
				copy->op = OP_RETURN;
			if (op_info[i.op].flags & OPF_BRANCH) {
				struct ref *to = &insn_src(k, copy)[copy->nsrc - 1];

				to->val = now[to->val] & REF_VAL_MAX;
			}
		}
	}
	return true;
}

bool link_calls(struct link *l)
{
	struct saves *save_of = new_array(l->a, struct saves, l->nsite + 1);

	for (uint32_t c = 0; c < l->ncalled; c++) {
		struct fn *f = &l->fn[l->called[c]];

		if (f->recursive && !find_saves(l, l->called[c], save_of))
			return false;
		f->base = f->frame; /* of one that recurses: where what it saves begins */
	}
	for (uint32_t s = 0; s < l->nsite; s++) {
		struct fn *f = &l->fn[l->site[s].fn];
		uint32_t end = place_saves(l, &save_of[s], UINT32_MAX, f->base);

		if (f->recursive && save_of[s].n && end > f->frame)
			f->frame = end;
	}
	for (uint32_t c = 0; c < l->ncalled; c++)
		l->fn[l->called[c]].frame = (l->fn[l->called[c]].frame + FRAME_ALIGN - 1) & ~(FRAME_ALIGN - 1u);
	return lay_out(l) && (!l->nsite || rewrite(l, save_of));
}

/* Control flow of decoded instructions: blocks, functions, jump tables. What leads out of its function, or nobody knows
 * where, becomes a row that may read every register (SASS_LEAVE) and is noted. A call of what nobody knows comes back:
 * it may be of a function that the kernel has (SASS_CALLX, which these are entered from, with all that lives across
 * it), or of one in another file (SASS_UNKNOWN). Of the kernel's, a call through a register may be of those whose
 * address is taken (lift_taken.c), and so may be what a function in another file calls. One of the driver's functions
 * (lift_runtime.c) is SASS_UNKNOWN, but what it reads is known.
 *
 * A call that stores no return address itself (.NOINC) is given one in registers, by constant moves before it; the
 * function returns there. The graph has it return to the instruction behind the call: where the constants are found and
 * name another place, the call is as unknown as one through a register. */
#include "analyzer/ir/runtime.h"
#include "analyzer/sass/lift_code.h"

/* instructions before a call that are searched for its return address */
enum { RETURN_WINDOW = 64 };

/* how a function returns: to base + register */
struct ret {
	bool any, same;
	uint32_t reg;
	uint64_t base;
};

struct flow {
	struct lift_kernel *x;
	struct kernel *k;
	struct arena *a;               /* gone afterwards */
	uint64_t *leader, *proc_start; /* by instruction */
	uint64_t *named;               /* by instruction: a place that a branch or a barrier names */
	uint32_t *proc;
	uint32_t nproc;               /* first instructions */
	uint32_t *to;                 /* by jump: an instruction, or NOWHERE */
	uint64_t *taken;              /* functions that are entered through registers; NULL: not asked yet */
	uint32_t table[2];            /* by callee: 1 + the table of them, once it is made */
	const char *through_register; /* what is said of such a call */
};

/* What a call of a place that is not known may be of, besides functions that the kernel does not have. */
enum callee { CALLEE_TAKEN, CALLEE_ANY, CALLEE_NONE };

static uint32_t proc_of(const struct flow *f, uint32_t i)
{
	uint32_t lo = 0, hi = f->nproc;

	while (lo + 1 < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (f->proc[mid] <= i)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void leave(struct flow *f, uint32_t i, const char *why)
{
	struct insn *x = &f->k->insn[i];

	if (op_info[x->op].flags & OPF_BRANCH)
		x->nsrc--;
	x->op = OP_SASS_LEAVE;
	lift_note(f->x, i, why);
}

static const char *say_taken(const struct flow *f, const char *why)
{
	const uint32_t n = bitset_count(f->taken, f->nproc), all = f->nproc - 1;
	struct arena *a = f->x->l->a;

	if (!all)
		return "calls a function that a register names";
	if (why)
		return arena_printf(a, "calls a function that a register names (any of the kernel's %u: %s)", all, why);
	return arena_printf(a, "calls a function that a register names (of the kernel's %u, %u %s taken)", all, n,
			    n == 1 ? "has its address" : "have their address");
}

static void find_taken(struct flow *f)
{
	const char *why;

	if (f->taken)
		return;
	f->taken = lift_taken(f->x, f->a, &why);
	bitset_del(f->taken, 0); /* the kernel itself is not called */
	f->through_register = say_taken(f, why);
}

/* These functions of the kernel as targets, in one table for all calls; -1: there are none. */
static int32_t functions(struct flow *f, enum callee which)
{
	struct kernel *k = f->k;
	struct jump_table t = { .first = k->ntarget };

	if (which == CALLEE_NONE || f->table[which])
		return which == CALLEE_NONE ? -1 : (int32_t)(f->table[which] - 1);
	for (uint32_t p = 1; p < f->nproc; p++) {
		if (which == CALLEE_TAKEN && !bitset_has(f->taken, p))
			continue;
		arena_grow(k->a, k->target, k->ntarget, k->target_cap);
		k->target[k->ntarget++] = (struct target){ lift_address(f->x, f->proc[p]), f->proc[p] };
		t.n++;
	}
	if (!t.n)
		return -1;
	arena_grow(k->a, k->table, k->ntable, k->table_cap);
	k->table[k->ntable++] = t;
	return (int32_t)((f->table[which] = k->ntable) - 1);
}

static void call_unknown(struct flow *f, struct jump *j, enum callee which, const char *why)
{
	struct insn *x = &f->k->insn[j->insn];
	int32_t table;

	if (which == CALLEE_TAKEN)
		find_taken(f);
	table = functions(f, which);
	if (op_info[x->op].flags & OPF_BRANCH)
		x->nsrc--;
	x->op = table < 0 ? OP_SASS_UNKNOWN : OP_SASS_CALLX;
	x->offset = table >= 0 ? table : 0;
	if (x->guard.kind == REF_NONE)
		x->mods |= MOD_MAY;
	j->known = false;
	if (why)
		lift_note(f->x, j->insn, why);
}

/* Nothing runs from instruction i into the next one. */
static bool ends_here(const struct insn *i)
{
	return op_info[i->op].flags & OPF_END && !(op_info[i->op].flags & OPF_CALL) && insn_kills(i);
}

/* ---- functions ---- */
/* A call without return (.NOINC) to a place inside its function is how ptxas writes some branches. */
static bool is_jump(const struct flow *f, const struct jump *j, uint32_t t)
{
	const uint32_t p = lift_part_of(f->x, j->insn);

	return f->x->word[j->insn][1] >> (86 - 64) & 1 && lift_part_of(f->x, t) == p &&
	       (t != f->x->part[p].first || !p);
}

static const char *say_runtime(const struct flow *f, const struct host_info *r)
{
	const uint32_t set = lift_arguments(r);

	if (!set)
		return arena_printf(f->x->l->a, "calls %s of the runtime", r->name);
	return arena_printf(f->x->l->a, "calls %s of the runtime, with arguments in R%u to R%u", r->name,
			    RUNTIME_ARGUMENTS, RUNTIME_ARGUMENTS + 31 - (unsigned)__builtin_clz(set));
}

/* What the function is known to read and to write. */
static void call_runtime(struct flow *f, struct jump *j)
{
	struct insn *x = &f->k->insn[j->insn];
	const char result = *j->runtime->sizes;
	const unsigned words = (result != '-') + (result == '8'), nsrc = x->nsrc;
	struct ref src[CALL_OPERANDS_MAX], *to;

	memcpy(src, insn_src(f->k, x), nsrc * sizeof *src);
	to = ir_set_operands(f->k, x, words, nsrc);
	for (unsigned r = 0; r < words; r++)
		to[r] = ref_reg(RUNTIME_ARGUMENTS + r);
	memcpy(to + words, src, nsrc * sizeof *src);
	insn_set_runtime(x, lift_arguments(j->runtime));
}

static void find_calls(struct flow *f)
{
	struct lift_kernel *x = f->x;
	/* what is linked calls nothing outside that calls back */
	const enum callee elsewhere = x->l->c->relocatable ? CALLEE_TAKEN : CALLEE_NONE;

	for (uint32_t n = 0; n < x->njump; n++) {
		struct jump *j = &x->jump[n];
		const uint32_t t = f->to[n];

		if (j->runtime) {
			call_unknown(f, j, CALLEE_NONE, say_runtime(f, j->runtime));
			call_runtime(f, j);
		} else if (j->class == SCLASS_CALL_INDIRECT) {
			find_taken(f);
			call_unknown(f, j, CALLEE_TAKEN, f->through_register);
		}
		if (j->class != SCLASS_CALL)
			continue;
		if (!j->known && (j->noted || j->outside))
			call_unknown(f, j, elsewhere, j->noted ? NULL : lift_outside(x, "calls", j));
		else if (!j->known)
			call_unknown(f, j, CALLEE_ANY, "calls a place that is not known");
		else if (t == NOWHERE)
			call_unknown(f, j, elsewhere, "calls a place that has no code here");
		else if (is_jump(f, j, t)) {
			f->k->insn[j->insn].op = OP_SASS_BRANCH;
			j->class = SCLASS_BRANCH;
		} else if (!t || !bitset_has(f->proc_start, t)) {
			call_unknown(f, j, CALLEE_ANY, t ? "calls into the middle of a function" : "calls the kernel");
		}
	}
}

static void find_procs(struct flow *f)
{
	const struct lift_kernel *x = f->x;

	f->proc_start = bitset_new(f->a, f->k->ninsn);
	f->nproc = x->npart;
	f->proc = new_array(f->a, uint32_t, f->nproc + 1);
	for (uint32_t p = 0; p < x->npart; p++) {
		bitset_add(f->proc_start, x->part[p].first);
		f->proc[p] = x->part[p].first;
	}
	f->proc[f->nproc] = f->k->ninsn;
}

/* A function whose last instruction lets control run on is taken to leave there. */
static void close_procs(struct flow *f)
{
	for (uint32_t p = 0; p < f->nproc; p++) {
		const uint32_t last = f->proc[p + 1] - 1;
		struct insn *i = &f->k->insn[last];

		if (ends_here(i))
			continue;
		leave(f, last, "control runs on behind the function");
		i->guard = ref_none();
		i->mods = 0;
	}
}

/* ---- branches ---- */
const struct cubin_range *lift_range(const struct lift_kernel *x, uint32_t shndx, uint64_t at)
{
	const struct cubin *c = x->l->c;

	for (uint32_t n = 0; n < c->nfunc; n++)
		for (uint32_t r = 0; c->func[n].shndx == shndx && r < c->func[n].nrange; r++)
			if (c->func[n].range[r].offset == at)
				return &c->func[n].range[r];
	return NULL;
}

static void add_table(struct flow *f, struct jump *j)
{
	struct lift_kernel *x = f->x;
	struct kernel *k = f->k;
	const uint64_t at = lift_address(x, j->insn);
	const struct cubin_range *r = lift_range(x, j->shndx, at);
	struct jump_table t = { .first = k->ntarget };
	bool lost = false;

	for (uint32_t n = 0; r && n < r->ntarget; n++) {
		const uint64_t to = x->l->c->target[r->target_first + n];
		const uint32_t i = lift_insn_at(x, j->shndx, to);

		if (i == NOWHERE || proc_of(f, i) != proc_of(f, j->insn)) {
			lost = true;
			continue;
		}
		arena_grow(k->a, k->target, k->ntarget, k->target_cap);
		k->target[k->ntarget++] = (struct target){ to, i };
		bitset_add(f->named, i);
		t.n++;
	}
	if (!t.n || lost) {
		k->ntarget = t.first;
		leave(f, j->insn,
		      lost ? "branches to a register's value, out of its function"
			   : "branches to a register's value: the file lists no targets");
		return;
	}
	arena_grow(k->a, k->table, k->ntable, k->table_cap);
	k->insn[j->insn].offset = (int32_t)k->ntable;
	k->table[k->ntable++] = t;
}

static void find_branches(struct flow *f)
{
	struct lift_kernel *x = f->x;

	for (uint32_t n = 0; n < x->njump; n++) {
		struct jump *j = &x->jump[n];
		const uint32_t t = f->to[n];
		const bool inside = j->known && t != NOWHERE && proc_of(f, t) == proc_of(f, j->insn);

		if (j->class == SCLASS_BRANCH_INDIRECT) {
			add_table(f, j);
		} else if (j->class == SCLASS_BRANCH && !inside) {
			const char *where = j->outside ? lift_outside(x, "branches to", j)
						       : "branches to a place that is not known";

			leave(f, j->insn, j->known ? "branches out of its function" : where);
		} else if (j->class == SCLASS_RETURN) {
			if (!proc_of(f, j->insn))
				leave(f, j->insn, "returns from the kernel");
		} else if (inside && (j->class == SCLASS_BRANCH || j->mark)) {
			bitset_add(f->named, t);
		}
	}
}

/* ---- return addresses ---- */
static uint32_t first_general(const struct kernel *k, const struct insn *i)
{
	for (unsigned s = 0; s < i->nsrc; s++)
		if (insn_src(k, i)[s].kind == REF_REG && mreg_is_general(insn_src(k, i)[s].val))
			return insn_src(k, i)[s].val;
	return MREG_RZ;
}

static void find_returns(const struct flow *f, struct ret *ret)
{
	for (const struct jump *j = f->x->jump; j < f->x->jump + f->x->njump; j++) {
		const bool absolute = f->x->word[j->insn][1] >> (85 - 64) & 1;
		struct ret *r, is = { .any = true };

		if (f->k->insn[j->insn].op != OP_SASS_RETURN)
			continue;
		is.reg = first_general(f->k, &f->k->insn[j->insn]);
		is.base = j->to;
		is.same = !absolute && is.reg != MREG_RZ;
		r = &ret[proc_of(f, j->insn)];
		if (r->any)
			is.same &= r->same && r->reg == is.reg && r->base == is.base;
		*r = is;
	}
}

/* A function that writes the register has moved its return address there, or returns to another place. */
static void forget_moved(const struct flow *f, struct ret *ret)
{
	for (uint32_t p = 0; p < f->nproc; p++)
		for (uint32_t i = f->proc[p]; ret[p].any && ret[p].same && i < f->proc[p + 1]; i++) {
			const struct insn *x = &f->k->insn[i];

			for (unsigned d = 0; d < x->ndst; d++)
				if (insn_dst(f->k, x)[d].val == ret[p].reg)
					ret[p].same = false;
		}
}

/* Whether the instruction writes register r, and the constant if it is one and always written. */
static bool writes(const struct flow *f, uint32_t i, uint32_t r, bool *constant, uint32_t *value)
{
	const struct insn *x = &f->k->insn[i];
	struct sass_insn s;

	*constant = false;
	if (op_info[x->op].flags & OPF_UNKNOWN)
		return true;
	for (unsigned d = 0; d < x->ndst; d++) {
		if (insn_dst(f->k, x)[d].val != r)
			continue;
		if (x->guard.kind != REF_NONE || x->ndst != 1 || x->nsrc ||
		    (x->op != OP_SASS_MOVE && x->op != OP_SASS_IMAD) ||
		    !sass_decode_words(f->k->native->sm, f->x->word[i], &s))
			return true;
		for (unsigned o = 0; o < s.nop; o++)
			/* IMAD RZ, RZ, constant */
			if (s.op[o].kind == SASS_INT && (x->op == OP_SASS_MOVE || s.op[o].role == SROLE_C)) {
				*constant = true;
				*value = (uint32_t)s.op[o].value;
			}
		return true;
	}
	return false;
}

static void check_return_addresses(struct flow *f)
{
	struct ret *ret = new_array(f->a, struct ret, f->nproc + 1);

	find_returns(f, ret);
	forget_moved(f, ret);
	for (uint32_t n = 0; n < f->x->njump; n++) {
		struct jump *j = &f->x->jump[n];
		const struct ret *r;
		const uint32_t first = f->proc[proc_of(f, j->insn)];
		uint32_t value;
		bool constant;

		if (f->k->insn[j->insn].op != OP_SASS_CALL)
			continue;
		r = &ret[proc_of(f, f->to[n])];
		if (!r->any || !r->same || j->shndx != f->x->l->piece[f->x->part[j->part].piece].shndx ||
		    f->x->l->c->relocatable)
			continue;
		for (uint32_t i = j->insn; i > first && j->insn - i < RETURN_WINDOW && !bitset_has(f->leader, i); i--) {
			if (!writes(f, i - 1, r->reg, &constant, &value))
				continue;
			if (constant && r->base + value != lift_address(f->x, j->insn) + WORD_BYTES)
				call_unknown(f, j, CALLEE_ANY,
					     "is given another return address than that of the next instruction");
			break;
		}
	}
}

/* ---- blocks ---- */
/* Behind it lanes are together again that were not in it. */
static bool is_bsync(const struct kernel *k, const struct insn *i)
{
	return i->op == OP_SASS_SYNC && !i->ndst && i->nsrc && insn_src(k, i)->kind == REF_REG &&
	       insn_src(k, i)->val >= MREG_B0;
}

static void find_leaders(struct flow *f)
{
	const struct kernel *k = f->k;

	f->leader = bitset_new(f->a, k->ninsn);
	for (uint32_t w = 0; w < bitset_words(k->ninsn); w++)
		f->leader[w] = f->proc_start[w] | f->named[w];
	for (uint32_t i = 0; i + 1 < k->ninsn; i++)
		if (op_info[k->insn[i].op].flags & OPF_END || is_bsync(k, &k->insn[i]))
			bitset_add(f->leader, i + 1);
}

static const char *proc_name(const struct flow *f, uint32_t i)
{
	const struct lift_kernel *x = f->x;

	return x->l->c->func[x->l->piece[x->part[lift_part_of(x, i)].piece].func].name;
}

static void make_blocks(struct flow *f)
{
	struct kernel *k = f->k;
	uint32_t n = bitset_count(f->leader, k->ninsn), labels = 0,
		 *block_of = new_array(f->a, uint32_t, (size_t)k->ninsn + 1);

	k->block = new_array(k->a, struct block, n);
	k->nblock = k->block_cap = n;
	for (uint32_t i = 0, b = 0; b < n; b++) {
		uint32_t first = bitset_next(f->leader, i, k->ninsn),
			 next = bitset_next(f->leader, first + 1, k->ninsn);

		k->block[b] = (struct block){ .first = first, .n = next - first };
		block_of[first] = b;
		if (bitset_has(f->proc_start, first))
			k->block[b].label = proc_name(f, first);
		else if (bitset_has(f->named, first))
			k->block[b].label = arena_printf(k->a, ".L_x_%u", labels++);
		i = next;
	}
	for (uint32_t p = 0; f->nproc > 1 && p < f->nproc; p++) {
		arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
		k->proc[k->nproc++] = (struct proc){ block_of[f->proc[p]], k->block[block_of[f->proc[p]]].label };
	}
	for (uint32_t j = 0; j < f->x->njump; j++) {
		const struct insn *i = &k->insn[f->x->jump[j].insn];

		if (op_info[i->op].flags & OPF_BRANCH)
			insn_src(k, i)[i->nsrc - 1].val = block_of[f->to[j]];
	}
	for (uint32_t t = 0; t < k->ntarget; t++)
		k->target[t].block = block_of[k->target[t].block];
}

void lift_flow(struct lift_kernel *x)
{
	struct arena scratch;
	struct flow f = { .x = x, .k = x->k, .a = &scratch };

	arena_init(&scratch);
	f.to = new_array(&scratch, uint32_t, (size_t)x->njump + 1);
	f.named = bitset_new(&scratch, x->k->ninsn);
	for (uint32_t n = 0; n < x->njump; n++)
		f.to[n] = x->jump[n].known ? lift_insn_at(x, x->jump[n].shndx, x->jump[n].to) : NOWHERE;
	lift_runtime(x, &scratch);
	find_procs(&f);
	find_calls(&f);
	find_branches(&f);
	close_procs(&f);
	find_leaders(&f);
	check_return_addresses(&f);
	make_blocks(&f);
	arena_free(&scratch);
}

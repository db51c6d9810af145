/* Uniform and affine values, and dead writes: what passes/uniform_flow.c finds, instruction by instruction.
 *
 * All lanes of a full warp come to an instruction together if it is on no side of a branch that may part them, behind
 * none that some of them exit at, and in a function that is only called so.
 *
 * A write leaves what its register held in the lanes that do not execute it. Those are lanes whose guard is false,
 * unless it is uniform and so false in none or in all: they go on behind the instruction, and need it if the register
 * is live there. Or they wait elsewhere, and need it only if k->wlive says so of the block. Or they have exited. So the
 * old value is dead if neither is the case. */
#include "passes/uniform_flow.h"

#include "passes/calls.h"
#include "passes/freq.h"

#define NONE UINT32_MAX

/* Threads of a CTA as far as they are known, each at least 1; zeros: not. */
static void known_block(const struct kernel *k, const struct launch_facts *l, uint32_t block[3])
{
	const struct launch_facts *of = launch_facts_of(l, k);
	const uint32_t *given = of && of->block[0] ? of->block : NULL, *size = k->reqntid[0] ? k->reqntid : given;

	for (unsigned i = 0; i < 3; i++)
		block[i] = size && size[i] ? size[i] : size != NULL;
}

static void find_dead(const struct uniform_flow *f, const struct uniform *u, const struct insn_regs *regs,
		      struct uniform_value *value)
{
	const struct kernel *k = f->k;
	uint64_t *live = bitset_new(f->a, MREG_ALL);

	for (uint32_t b = 0; b < k->nblock; b++) {
		live_copy(live, live_out(k, b), MREG_ALL);
		for (uint32_t j = k->block[b].n; j--;) {
			const uint32_t i = k->block[b].first + j;
			const bool all = k->insn[i].guard.kind == REF_NONE && !(k->insn[i].mods & MOD_MAY),
				   none_held = all || uniform_guard(u, i) != UNIFORM_NOT;
			unsigned n;
			const struct reg_use *use = uniform_uses(f, &k->insn[i], &n);

			for (unsigned d = 0; d < regs[i].ndst; d++)
				value[u->at[i] + regs[i].nsrc + d].dead =
					!bitset_has(k->wlive->wait[b], regs[i].dst[d]) &&
					(none_held || !bitset_has(live, regs[i].dst[d]));
			for (unsigned x = 0; x < n; x++)
				if (use[x].write && insn_kills_reg(&k->insn[i], use[x].reg))
					bitset_del(live, use[x].reg);
			for (unsigned x = 0; x < n; x++)
				if (!use[x].write)
					bitset_add(live, use[x].reg);
		}
	}
}

/* ---- where all lanes come together ---- */
struct apart {
	const struct uniform_flow *f;
	const struct cfg *g;
	bool *apart;        /* by block: some lanes may be elsewhere, or have exited */
	bool *proc, *exits; /* by function: it is entered so; it, or one that it calls, has an exit */
	uint32_t *stack, *mark;
};

static uint32_t proc_of(const struct apart *s, uint32_t b) { return s->f->k->nproc ? ir_proc_of(s->f->k, b) : 0; }

/* All blocks that `from` leads to without passing p; NONE: up to the ends of the function. */
static void set_apart(struct apart *s, uint32_t from, uint32_t p)
{
	uint32_t top = 0;

	if (from == p || s->mark[from] == p + 2)
		return;
	s->stack[top++] = from;
	s->mark[from] = p + 2;
	while (top) {
		const uint32_t b = s->stack[--top];

		s->apart[b] = true;
		for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
			if (s->g->succ[e] != p && s->mark[s->g->succ[e]] != p + 2) {
				s->mark[s->g->succ[e]] = p + 2;
				s->stack[top++] = s->g->succ[e];
			}
	}
}

/* The branches that part warps, those that meet at one place one after the other: a block is gone through once for each
 * place. */
static void part_branches(struct apart *s, struct arena *a)
{
	const struct kernel *k = s->f->k;
	uint32_t *next = new_array(a, uint32_t, (size_t)k->nblock + 1),
		 *first = new_array(a, uint32_t, (size_t)k->nblock + 2);

	for (uint32_t b = 0; b < k->nblock; b++) {
		const uint32_t p = warp_parts(k, b) && s->f->reached[b] && s->f->branch[b] == LANES_VECTOR
					   ? reconvergence(k, b) + 1
					   : NONE;

		if (p == NONE)
			continue;
		next[b] = first[p];
		first[p] = b + 1;
	}
	for (uint32_t p = 0; p <= k->nblock; p++)
		for (uint32_t b = first[p]; b; b = next[b - 1])
			for (uint32_t e = s->g->succ_at[b - 1]; e < s->g->succ_at[b]; e++)
				set_apart(s, s->g->succ[e], p - 1);
}

static void find_exits(struct apart *s, const struct calls *calls)
{
	const struct kernel *k = s->f->k;

	for (uint32_t b = 0; b < k->nblock; b++)
		s->exits[proc_of(s, b)] |= ir_block_end(k, b, OPF_EXIT) != NULL;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t c = 0; c < calls->n; c++) {
			const uint32_t b = calls->block[c];
			const struct ir_targets t = calls_targets(k, b);

			for (uint32_t n = 0; n < t.n; n++)
				if (s->exits[proc_of(s, ir_target(&t, n))] && !s->exits[proc_of(s, b)])
					more = s->exits[proc_of(s, b)] = true;
		}
	}
}

/* A function is entered apart by one of its calls: so it is all through. */
static void enter_apart(struct apart *s, uint32_t p)
{
	const struct kernel *k = s->f->k;
	const uint32_t end = p + 1 < k->nproc ? k->proc[p + 1].first : k->nblock;

	s->proc[p] = true;
	for (uint32_t b = k->proc[p].first; b < end; b++)
		s->apart[b] = true;
}

static void find_apart(struct apart *s, const struct uniform_flow *f, struct arena *a)
{
	const struct kernel *k = f->k;
	const struct calls calls = calls_in_order(k, a);

	*s = (struct apart){ .f = f,
			     .g = k->cfg->local,
			     .apart = new_array(a, bool, (size_t)k->nblock + 1),
			     .proc = new_array(a, bool, (size_t)k->nproc + 1),
			     .exits = new_array(a, bool, (size_t)k->nproc + 1),
			     .stack = new_array(a, uint32_t, (size_t)k->nblock + 1),
			     .mark = new_array(a, uint32_t, (size_t)k->nblock + 1) };
	part_branches(s, a);
	find_exits(s, &calls);
	memset(s->mark, 0, k->nblock * sizeof *s->mark);
	/* lanes that exit, return before the others or are not called, in the middle of a path */
	for (uint32_t b = 0; b + 1 < k->nblock; b++) {
		const struct insn *end = ir_block_end(k, b, OPF_EXIT | OPF_RETURN | OPF_CALL);
		const struct ir_targets t =
			end && op_info[end->op].flags & OPF_CALL ? ir_targets(k, end) : (struct ir_targets){ .n = 0 };
		bool gone = end && !t.n && !insn_kills(end) && f->branch[b] == LANES_VECTOR;

		for (uint32_t n = 0; n < t.n; n++)
			gone |= s->exits[proc_of(s, ir_target(&t, n))];
		/* nothing but a barrier makes them wait for each other */
		if (k->native && t.n && (t.n > 1 || !insn_kills(end)))
			gone |= f->branch[b] == LANES_VECTOR;
		if (gone && f->reached[b])
			set_apart(s, b + 1, NONE);
	}
	for (bool more = k->nproc > 0; more;) {
		more = false;
		for (uint32_t c = calls.n; c--;) {
			const uint32_t b = calls.block[c];
			const struct ir_targets t = calls_targets(k, b);

			for (uint32_t n = 0; n < t.n; n++)
				if (f->reached[b] && (s->apart[b] || f->branch[b] == LANES_VECTOR) &&
				    !s->proc[proc_of(s, ir_target(&t, n))]) {
					enter_apart(s, proc_of(s, ir_target(&t, n)));
					more = true;
				}
		}
	}
}

/* ---- the pass ---- */
static void put(struct uniform_value *out, struct lanes v, uint8_t control)
{
	v = lanes_cap(v, control);
	out->level = (uint8_t)lanes_level(v);
	out->affine = v.kind == LANES_AFFINE || v.kind == LANES_STRIDE;
	out->known = v.kind == LANES_STRIDE;
	out->stride = v.stride;
}

static void put_insn(struct uniform_flow *f, struct uniform *u, struct uniform_value *value, const struct insn_regs *r,
		     uint8_t *flags, uint32_t b, uint32_t i, bool apart)
{
	const struct insn *x = &f->k->insn[i];
	const uint8_t control = f->control[b];
	const struct uniform_inputs in = uniform_read(f, x);
	unsigned n;
	const struct reg_use *use = uniform_uses(f, x, &n);

	for (unsigned s = 0; s < r->nsrc; s++)
		put(&value[u->at[i] + s], uniform_reg(f, r->src[s]), control);
	for (unsigned d = 0; d < r->ndst; d++)
		for (unsigned w = 0; w < n; w++)
			if (use[w].write && use[w].reg == r->dst[d])
				put(&value[u->at[i] + r->nsrc + d],
				    uniform_result(f, x, &in, use[w].slot,
						   use[w].reg - f->k->opnd[x->opnd + use[w].slot].val),
				    control);
	flags[i] = (uint8_t)(!apart * UNIFORM_CONVERGENT |
			     (unsigned)lanes_level(lanes_cap(in.all, control)) << UNIFORM_INPUTS_AT |
			     (unsigned)lanes_level(lanes_cap(in.guard, control)) << UNIFORM_GUARD_AT);
}

enum pass_result pass_uniform(struct kernel *k, struct pass_ctx *cx)
{
	struct uniform *u = k->uniform = new(k->a, struct uniform);
	struct uniform_value *value;
	struct uniform_flow f;
	struct apart apart;
	struct insn_regs *regs;
	uint32_t *at;
	uint8_t *flags;

	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	known_block(k, cx->opt.launch, u->block);
	regs = new_array_raw(&cx->scratch, struct insn_regs, (size_t)k->ninsn + 1);
	u->at = at = new_array(k->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &regs[i]);
		at[i + 1] = at[i] + regs[i].nsrc + regs[i].ndst;
	}
	u->value = value = new_array(k->a, struct uniform_value, (size_t)at[k->ninsn] + 1);
	u->flags = flags = new_array(k->a, uint8_t, (size_t)k->ninsn + 1);
	uniform_flow(&f, k, u->block, &cx->scratch);
	find_apart(&apart, &f, &cx->scratch);
	for (uint32_t b = 0; b < k->nblock; b++) {
		if (!f.reached[b])
			continue;
		uniform_enter(&f, b);
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			uniform_before(&f, b, &k->insn[i]);
			put_insn(&f, u, value, &regs[i], flags, b, i, apart.apart[b]);
			uniform_step(&f, b, &k->insn[i]);
		}
	}
	find_dead(&f, u, regs, value);
	return PASS_SAME;
}

/* Dead code: instructions without side effects whose results nothing needs, and the code of unreachable blocks.
 *
 * Two tests, both must say "needed". A register is needed at all if some instruction that must stay depends on it,
 * through any chain of definitions (mark and sweep over registers, which also ends cycles such as a loop counter that
 * only feeds itself). A definition is needed if its register is live after it. Stores, atomics, barriers, fences,
 * control and every OPF_SIDE row stay. A load whose result is dead goes, and with it the fault that a bad address would
 * have raised. A block of unreachable code keeps only what ends it, so that the last block still ends. */
#include "passes/pass.h"

static bool has_effect(const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];

	if (o->flags & (OPF_STORE | OPF_ATOMIC | OPF_BRANCH | OPF_END | OPF_EXIT | OPF_BARRIER | OPF_FENCE | OPF_SIDE))
		return true;
	return o->flags & OPF_LOAD && i->mods & (MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE);
}

struct mark {
	struct kernel *k;
	uint64_t *needed;
	uint32_t *def_at, *def; /* instructions that define register v: def[def_at[v] .. def_at[v+1]) */
	uint32_t *stack, top;
};

static void need(struct mark *m, struct ref r)
{
	if (r.kind == REF_REG && !bitset_has(m->needed, r.val)) {
		bitset_add(m->needed, r.val);
		m->stack[m->top++] = r.val;
	}
}

static void need_sources(struct mark *m, const struct insn *i)
{
	need(m, i->guard);
	for (unsigned s = 0; s < i->nsrc; s++)
		need(m, insn_src(m->k, i)[s]);
}

static void list_defs(struct mark *m, struct arena *a)
{
	struct kernel *k = m->k;
	uint32_t *fill;

	m->def_at = new_array(a, uint32_t, k->nvreg + 2);
	for (uint32_t j = 0; j < k->ninsn; j++)
		for (unsigned s = 0; s < k->insn[j].ndst; s++)
			if (insn_dst(k, &k->insn[j])[s].kind == REF_REG)
				m->def_at[insn_dst(k, &k->insn[j])[s].val + 2]++;
	for (uint32_t v = 0; v < k->nvreg; v++)
		m->def_at[v + 2] += m->def_at[v + 1];
	m->def = new_array(a, uint32_t, m->def_at[k->nvreg + 1] + 1);
	fill = m->def_at + 1;
	for (uint32_t j = 0; j < k->ninsn; j++)
		for (unsigned s = 0; s < k->insn[j].ndst; s++)
			if (insn_dst(k, &k->insn[j])[s].kind == REF_REG)
				m->def[fill[insn_dst(k, &k->insn[j])[s].val]++] = j;
}

static void mark_needed(struct mark *m, struct arena *a)
{
	struct kernel *k = m->k;

	m->needed = bitset_new(a, k->nvreg);
	m->stack = new_array(a, uint32_t, k->nvreg + 1);
	list_defs(m, a);
	/* Last block first, and each chain of definitions at once: they are mostly near. */
	for (uint32_t n = k->cfg->nrpo; n-- > 0;) {
		const struct block *b = &k->block[k->cfg->rpo[n]];

		for (uint32_t j = b->first + b->n; j-- > b->first;)
			if (has_effect(&k->insn[j]))
				need_sources(m, &k->insn[j]);
		while (m->top) {
			uint32_t v = m->stack[--m->top];

			for (uint32_t d = m->def_at[v]; d < m->def_at[v + 1]; d++)
				need_sources(m, &k->insn[m->def[d]]);
		}
	}
}

static bool is_needed(const struct mark *m, const struct insn *i, const uint64_t *live)
{
	const struct ref *dst = insn_dst(m->k, i);

	if (has_effect(i))
		return true;
	for (unsigned s = 0; s < i->ndst; s++) {
		if (dst[s].kind != REF_REG || !bitset_has(m->needed, dst[s].val) || !bitset_has(live, dst[s].val))
			continue;
		/* a move to itself does nothing */
		if (!(op_info[i->op].flags & OPF_MOVE && insn_src(m->k, i)[0].kind == REF_REG &&
		      insn_src(m->k, i)[0].val == dst[s].val && !insn_src(m->k, i)[0].neg &&
		      insn_operand_letter(i, 0) != 'H'))
			return true;
	}
	return false;
}

enum pass_result pass_dce(struct kernel *k, struct pass_ctx *cx)
{
	struct mark m = { .k = k };
	uint64_t *keep = bitset_new(&cx->scratch, k->ninsn), *live = bitset_new(&cx->scratch, ir_nreg(k));
	struct rewrite rw;
	uint32_t kept = 0;

	if (k->form != FORM_VIRTUAL)
		return PASS_SAME;
	mark_needed(&m, &cx->scratch);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;
		bool reachable = k->cfg->rpo_index[b] != UINT32_MAX;

		if (reachable)
			live_put(live_out(k, b), live);
		for (uint32_t j = end; j-- > first;) {
			const struct insn *i = &k->insn[j];

			if (!reachable ? !(op_info[i->op].flags & (OPF_END | OPF_BRANCH)) : !is_needed(&m, i, live))
				continue;
			bitset_add(keep, j);
			kept++;
			if (reachable)
				live_step_back(k, i, live);
		}
		live_take(live_in(k, b), live);
	}
	if (kept == k->ninsn)
		return PASS_SAME;
	rewrite_begin(&rw, k);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;

		rewrite_block(&rw);
		for (uint32_t j = first; j < end; j++)
			if (bitset_has(keep, j))
				rewrite_keep(&rw, &rw.old[j]);
	}
	rewrite_end(&rw);
	return PASS_CHANGED;
}

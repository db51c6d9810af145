/* Definitions are listed by register, joins found on demand (reach.h). What a search costs is bounded, for kernels
 * whose graph is a long chain or a deep nest: beyond that, nothing is known. */
#include "passes/reach.h"

#include "passes/calls.h"

#define NONE UINT32_MAX

enum { FRONTIER_MAX = 1 << 21, HOPS_MAX = 1 << 25, WORDS_MAX = 1 << 22, SPILL_WORDS_MAX = 1 << 16 };

/* Calls f for every register that instruction j writes, spill slots included. */
struct writes {
	uint32_t reg[REG_USE_MAX + 2];
	unsigned n;
};

static void writes_of(const struct reach *r, uint32_t j, struct writes *w)
{
	const struct spill *s = r->spill_of[j] ? &r->k->spill[r->spill_of[j] - 1] : NULL;
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(r->k, &r->k->insn[j], use);

	w->n = 0;
	for (unsigned u = 0; u < n; u++)
		if (use[u].write)
			w->reg[w->n++] = use[u].reg;
	if (s && s->store) {
		w->reg[w->n++] = reach_slot(r, s->slot);
		if (s->rc == RC_64)
			w->reg[w->n++] = reach_slot(r, s->slot + 4);
	}
}

/* What each function writes, with all that it calls. */
static uint64_t **function_writes(const struct reach *r)
{
	const struct kernel *k = r->k;
	const struct calls calls = calls_in_order(k, r->a);
	uint64_t **set = new_array(r->a, uint64_t *, (size_t)k->nproc + 1);

	for (uint32_t p = 0; p < k->nproc; p++)
		set[p] = bitset_new(r->a, r->nreg);
	for (uint32_t j = 0; j < k->ninsn; j++) {
		struct writes w;

		writes_of(r, j, &w);
		for (unsigned x = 0; x < w.n; x++)
			bitset_add(set[ir_proc_of(k, r->block_of[j])], w.reg[x]);
	}
	for (bool more = calls.n > 0; more;) {
		more = false;
		for (uint32_t c = 0; c < calls.n; c++) {
			const uint32_t b = calls.block[c];
			const struct ir_targets t = calls_targets(k, b);

			for (uint32_t x = 0; x < t.n; x++) {
				uint64_t *to = set[ir_proc_of(k, b)], *from = set[ir_proc_of(k, ir_target(&t, x))];

				for (uint32_t i = 0; i < bitset_words(r->nreg); i++) {
					more |= (from[i] & ~to[i]) != 0;
					to[i] |= from[i];
				}
			}
		}
	}
	return set;
}

/* Counts the definitions (round 0), then lists them; counted two places up, so that filling leaves the starts in
 * place. */
static void list_definitions(struct reach *r)
{
	const struct kernel *k = r->k;
	uint64_t **called = k->nproc ? function_writes(r) : NULL;
	uint32_t *fill = new_array(r->a, uint32_t, (size_t)r->nreg + 2) + 1,
		 *last = new_array(r->a, uint32_t, (size_t)r->nreg + 1);

	r->def_at = fill - 1;
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t v = 0; v < r->nreg; v++)
			last[v] = NONE;
		for (uint32_t j = 0; j < k->ninsn; j++) {
			const struct insn *i = &k->insn[j];
			struct ir_targets t = { .n = 0 };
			struct writes w;

			writes_of(r, j, &w);
			for (unsigned x = 0; x < w.n; x++) {
				if (last[w.reg[x]] == j)
					continue;
				last[w.reg[x]] = j;
				if (round)
					r->def[fill[w.reg[x]]++] = j;
				else
					fill[w.reg[x] + 1]++;
			}
			if (called && op_info[i->op].flags & OPF_CALL)
				t = ir_targets(k, i);
			for (uint32_t x = 0; x < t.n; x++) {
				const uint64_t *set = called[ir_proc_of(k, ir_target(&t, x))];

				for (uint32_t v = bitset_next(set, 0, r->nreg); v < r->nreg;
				     v = bitset_next(set, v + 1, r->nreg)) {
					if (last[v] == j)
						continue;
					last[v] = j;
					if (round)
						r->def[fill[v]++] = j;
					else
						fill[v + 1]++;
				}
			}
		}
		if (round)
			return;
		for (uint32_t v = 0; v < r->nreg; v++)
			fill[v + 1] += fill[v];
		r->def = new_array(r->a, uint32_t, (size_t)fill[r->nreg] + 1);
	}
}

/* Cooper, Harvey and Kennedy 2001, figure 5. A function's entry has a way in that is no edge. */
static bool find_frontiers(struct reach *r)
{
	uint32_t n = r->k->nblock, total = 0, *fill = new_array(r->a, uint32_t, (size_t)n + 3) + 1;
	uint32_t *mark = new_array(r->a, uint32_t, (size_t)n + 1);

	r->frontier_at = fill - 1;
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t b = 0; b < n; b++)
			mark[b] = NONE;
		for (uint32_t b = 0; b < n; b++) {
			bool root = r->dom->idom[b] == b;

			if (!reach_block_reached(r, b) || (r->g->pred_at[b + 1] - r->g->pred_at[b] < 2 && !root))
				continue;
			for (uint32_t e = r->g->pred_at[b]; e < r->g->pred_at[b + 1]; e++) {
				uint32_t p = r->g->pred[e];

				if (!reach_block_reached(r, p))
					continue;
				for (;;) {
					if ((!root && p == r->dom->idom[b]) || mark[p] == b)
						break;
					mark[p] = b;
					if (round)
						r->frontier[fill[p]++] = b;
					else
						fill[p + 1]++;
					if (!round && ++total > FRONTIER_MAX)
						return false;
					if (p == r->dom->idom[p])
						break;
					p = r->dom->idom[p];
				}
			}
		}
		if (round)
			return true;
		for (uint32_t b = 0; b < n; b++)
			fill[b + 1] += fill[b];
		r->frontier = new_array(r->a, uint32_t, (size_t)fill[n] + 1);
	}
	return true;
}

bool reach_init(struct reach *r, const struct kernel *k, struct arena *a)
{
	uint32_t words = 0;

	*r = (struct reach){
		.k = k, .a = a, .g = k->cfg->local, .dom = k->dom->local, .hops = HOPS_MAX, .words = WORDS_MAX
	};
	for (uint32_t s = 0; s < k->nspill; s++)
		if (k->form == FORM_MACHINE && k->spill[s].slot / 4 + 2 > words)
			words = k->spill[s].slot / 4 + 2;
	r->nreg = ir_nreg(k) + words;
	r->block_of = new_array(a, uint32_t, (size_t)k->ninsn + 1);
	r->spill_of = new_array(a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = k->block[b].first; j < k->block[b].first + k->block[b].n; j++)
			r->block_of[j] = b;
	for (uint32_t s = 0; s < k->nspill && words; s++)
		r->spill_of[k->spill[s].insn] = s + 1;
	if (words > SPILL_WORDS_MAX || (uint64_t)r->nreg * k->nproc > WORDS_MAX * 16u || !find_frontiers(r))
		return false;
	list_definitions(r);
	r->join = new_array(a, uint64_t *, (size_t)r->nreg + 1);
	return true;
}

static const uint64_t *joins_of(struct reach *r, uint32_t reg)
{
	uint32_t *stack, top = 0;

	if (r->join[reg])
		return r->join[reg];
	if (r->words < bitset_words(r->k->nblock))
		return NULL;
	r->words -= bitset_words(r->k->nblock);
	r->join[reg] = bitset_new(r->a, r->k->nblock);
	stack = new_array(r->a, uint32_t, (size_t)r->k->nblock + (r->def_at[reg + 1] - r->def_at[reg]) + 1);
	for (uint32_t d = r->def_at[reg]; d < r->def_at[reg + 1]; d++)
		stack[top++] = r->block_of[r->def[d]];
	while (top) {
		uint32_t b = stack[--top];

		for (uint32_t e = r->frontier_at[b]; e < r->frontier_at[b + 1]; e++)
			if (!bitset_has(r->join[reg], r->frontier[e])) {
				bitset_add(r->join[reg], r->frontier[e]);
				stack[top++] = r->frontier[e];
			}
	}
	return r->join[reg];
}

struct reach_def reach_find(struct reach *r, uint32_t reg, uint32_t b, uint32_t before)
{
	const uint64_t *join = joins_of(r, reg);

	while (join && r->hops) {
		uint32_t lo = r->def_at[reg], hi = r->def_at[reg + 1];

		r->hops--;
		while (lo < hi) { /* the last definition before `before` */
			uint32_t mid = lo + (hi - lo) / 2;

			if (r->def[mid] < before)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo > r->def_at[reg] && r->def[lo - 1] >= r->k->block[b].first) {
			uint32_t j = r->def[lo - 1];

			return (struct reach_def){ op_info[r->k->insn[j].op].flags & OPF_CALL ? REACH_UNKNOWN
											      : REACH_INSN,
						   j };
		}
		if (bitset_has(join, b))
			return (struct reach_def){ REACH_JOIN, b };
		if (!reach_block_reached(r, b) || r->dom->idom[b] == b)
			return (struct reach_def){ REACH_UNKNOWN, 0 };
		b = r->dom->idom[b];
		before = r->k->block[b].first + r->k->block[b].n;
	}
	return (struct reach_def){ REACH_UNKNOWN, 0 };
}

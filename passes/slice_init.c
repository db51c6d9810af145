/* What evaluation (slice.c) and counting (trip.c) find ready: constant bank 0 as far as the launch is known, which
 * loops lie in which, and every way out of each loop, with those that one condition decides in each iteration in order
 * of execution. */
#include "passes/slice.h"

#define NONE UINT32_MAX

enum { LOOPS_MAX = 1 << 14, EXIT_WORK = 1 << 24 };

static void put_bank(struct slice *s, uint32_t at, uint32_t bytes, uint64_t v)
{
	for (uint32_t x = 0; x < bytes && at + x < sizeof s->bank; x++) {
		s->bank[at + x] = (uint8_t)(x < 8 ? v >> 8 * x : 0);
		s->bank_known[at + x] = true;
	}
}

static void set_facts(struct slice *s, const struct launch_facts *facts)
{
	const struct kernel *k = s->k;

	for (unsigned d = 0; d < 3; d++) {
		s->block[d] = facts ? facts->block[d] : 0;
		if (k->reqntid[0])
			s->block[d] = k->reqntid[d] ? k->reqntid[d] : 1;
		s->grid[d] = facts ? facts->grid[d] : 0;
		if (s->block[d])
			put_bank(s, CONST_NTID + 4 * d, 4, s->block[d]);
		if (s->grid[d])
			put_bank(s, CONST_NCTAID + 4 * d, 4, s->grid[d]);
	}
	for (uint32_t n = 0; facts && n < facts->nparam; n++)
		for (uint32_t p = 0; p < k->nparam; p++)
			if (k->param[p].name && strcmp(k->param[p].name, facts->param[n].name) == 0 &&
			    k->param[p].size <= 8)
				put_bank(s, PARAM_BASE + k->param[p].offset, k->param[p].size, facts->param[n].value);
}

/* Numbers the loops so that those inside one are a range. */
static void number_loops(struct slice *s)
{
	uint32_t n = s->f->nloop, *size = new_array(s->r.a, uint32_t, (size_t)n + 1), next = 0;

	for (uint32_t l = n; l-- > 0;) { /* a loop comes before those inside it */
		size[l]++;
		if (s->f->loop[l].outer != NONE)
			size[s->f->loop[l].outer] += size[l];
	}
	for (uint32_t l = 0; l < n; l++) {
		uint32_t outer = s->f->loop[l].outer, *at = outer == NONE ? &next : &s->loop[outer].last;

		/* until all inside are placed, `last` is the place of the next of them */
		s->loop[l].first = *at;
		*at += size[l];
		s->loop[l].last = s->loop[l].first + 1;
	}
	for (uint32_t l = 0; l < n; l++)
		s->loop[l].last = s->loop[l].first + size[l] - 1;
}

static bool counts(struct slice *s, uint32_t l, uint32_t b, const struct insn *end)
{
	const struct cfg *g = s->r.g;
	uint32_t h = s->loop[l].header;

	if (!s->loop[l].natural || !end || end->guard.kind != REF_REG ||
	    op_info[end->op].flags & (OPF_TABLE | OPF_CALL) || s->loop_of[b] != l)
		return false;
	for (uint32_t e = g->pred_at[h]; e < g->pred_at[h + 1]; e++) {
		s->work -= s->work > 0;
		if (slice_in_loop(s, g->pred[e], l) && !dominates(s->r.dom, b, g->pred[e]))
			return false;
	}
	return true;
}

/* Block b leaves loop l. Counted exits are kept in order of execution. */
static void add_exit(struct slice *s, uint32_t l, uint32_t b, const struct insn *end)
{
	struct slice_loop *x = &s->loop[l];
	struct loop_exit e = { .block = b, .counted = counts(s, l, b, end) };
	uint32_t at;

	if (e.counted) { /* taken if the guard holds; else it is the fall-through that leaves */
		bool taken = op_info[end->op].flags & (OPF_EXIT | OPF_RETURN) ||
			     !slice_in_loop(s, insn_src(s->k, end)[0].val, l);

		e.guard = end->guard;
		e.want = taken != end->guard.neg;
	}
	arena_grow(s->r.a, x->exit, x->nexit, x->exit_cap);
	for (at = x->nexit++;
	     at > 0 && e.counted && !(x->exit[at - 1].counted && dominates(s->r.dom, x->exit[at - 1].block, b)); at--) {
		s->work -= s->work > 0;
		x->exit[at] = x->exit[at - 1];
	}
	x->exit[at] = e;
}

/* Whether threads may end in what this instruction calls. */
static bool call_ends(struct slice *s, const struct insn *i, const bool *ends)
{
	struct ir_targets t = { .n = 0 };

	if (op_info[i->op].flags & OPF_CALL)
		t = ir_targets(s->k, i);
	for (uint32_t n = 0; n < t.n && s->work; n++) {
		s->work--;
		if (ends[ir_proc_of(s->k, ir_target(&t, n))])
			return true;
	}
	return false;
}

/* By function: whether threads may end in it or in what it calls. */
static bool *list_ending(struct slice *s)
{
	const struct kernel *k = s->k;
	bool *ends = new_array(s->r.a, bool, (size_t)k->nproc + 1), more = k->nproc > 0;

	while (more && s->work) {
		more = false;
		/* functions mostly come before those they call */
		for (uint32_t b = k->nblock; b-- > 0 && s->work;) {
			const struct insn *end =
				reach_block_reached(&s->r, b) ? ir_block_end(k, b, OPF_END | OPF_CALL) : NULL;
			uint32_t p = ir_proc_of(k, b);
			bool here = end && op_info[end->op].flags & OPF_EXIT;

			s->work--;
			if (end && !ends[p] && (here || call_ends(s, end, ends)))
				more = ends[p] = true;
		}
	}
	return ends;
}

static void list_exits(struct slice *s)
{
	const struct kernel *k = s->k;
	const struct cfg *g = s->r.g;
	const bool *ending = list_ending(s);

	for (uint32_t l = 0; l < s->f->nloop; l++) {
		uint32_t h = s->loop[l].header;

		s->loop[l].natural = reach_block_reached(&s->r, h);
		for (uint32_t e = g->pred_at[h]; e < g->pred_at[h + 1]; e++)
			s->loop[l].natural &= !slice_in_loop(s, g->pred[e], l) || dominates(s->r.dom, h, g->pred[e]);
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct insn *end = ir_block_end(k, b, OPF_END | OPF_CALL);
		bool ends = end && (op_info[end->op].flags & (OPF_EXIT | OPF_RETURN) || call_ends(s, end, ending));

		if (!reach_block_reached(&s->r, b))
			continue;
		for (uint32_t l = s->loop_of[b]; l != NONE && s->work; l = s->f->loop[l].outer) {
			bool leaves = ends;

			s->work--;
			for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1] && !leaves; e++)
				leaves = !slice_in_loop(s, g->succ[e], l);
			if (!leaves)
				break; /* nor does it leave those around */
			add_exit(s, l, b, end);
		}
	}
}

bool slice_init(struct slice *s, const struct kernel *k, const struct freq *f, const uint32_t *loop_of,
		const struct launch_facts *facts, struct arena *a)
{
	memset(s, 0, sizeof *s);
	if (f->nloop > LOOPS_MAX || !reach_init(&s->r, k, a))
		return false;
	s->work = EXIT_WORK;
	s->samples = 1;
	s->k = k;
	s->f = f;
	s->loop_of = loop_of;
	s->loop = new_array(a, struct slice_loop, (size_t)f->nloop + 1);
	set_facts(s, facts);
	s->way = new_array(a, uint8_t, (size_t)s->r.g->pred_at[k->nblock] + 1);
	s->mark = new_array(a, uint32_t, (size_t)k->nblock + 1);
	s->queue = new_array(a, uint32_t, (size_t)k->nblock + 1);
	s->way_mark = new_array(a, uint32_t, (size_t)k->nblock + 1);
	s->way_queue = new_array(a, uint32_t, (size_t)k->nblock + 1);
	for (uint32_t l = 0; l < f->nloop; l++)
		s->loop[l].header = f->loop[l].header;
	number_loops(s);
	list_exits(s);
	return s->work > 0;
}

/* Whether the sample at hand comes to a loop: a search backwards from its header, over the ways that no known condition
 * closes. Blocks that dominate the header are come to one after the other, so each search ends at the immediate
 * dominator of where it began. What is not known is open: that control comes is said too often, that it does not is
 * never said wrongly. */
#include "passes/slice.h"

/* Whether control may go from block p to its successor b, on its way to the header. */
static bool is_open(struct slice *s, uint32_t p, uint32_t b, uint32_t header)
{
	const struct insn *end = ir_block_end(s->k, p, OPF_BRANCH | OPF_EXIT | OPF_RETURN);
	uint32_t left = slice_left_behind(s, p, header);
	uint64_t guard;

	if (left != UINT32_MAX) { /* inside of it, or where its last iteration leaves it */
		struct trip t;

		if (slice_in_loop(s, b, left))
			return true;
		t = trip_count(s, left);
		return !t.known || !t.exact || t.around || t.test == p;
	}
	if (!end || op_info[end->op].flags & OPF_CALL || end->guard.kind != REF_REG ||
	    !slice_condition(s, end->guard, p, &guard))
		return true;
	if ((guard != 0) == end->guard.neg)
		return p + 1 == b;
	return op_info[end->op].flags & OPF_BRANCH && insn_src(s->k, end)[0].val == b;
}

/* Whether a way from d, which dominates b, to b is open. */
static bool is_way_open(struct slice *s, uint32_t d, uint32_t b, uint32_t header)
{
	const struct cfg *g = s->r.g;
	uint32_t n = 0;

	s->way_stamp++;
	s->way_mark[b] = s->way_stamp;
	s->way_queue[n++] = b;
	while (n) {
		uint32_t x = s->way_queue[--n];

		for (uint32_t e = g->pred_at[x]; e < g->pred_at[x + 1]; e++) {
			uint32_t p = g->pred[e];

			if (!s->steps)
				return true;
			s->steps--;
			if (s->way_mark[p] == s->way_stamp || !reach_block_reached(&s->r, p) ||
			    dominates(s->r.dom, x, p) || !is_open(s, p, x, header))
				continue;
			if (p == d)
				return true;
			s->way_mark[p] = s->way_stamp;
			s->way_queue[n++] = p;
		}
	}
	return false;
}

bool slice_enters(struct slice *s, uint32_t header)
{
	const uint32_t *idom = s->r.dom->idom;

	for (uint32_t b = header; idom[b] != b && s->steps; b = idom[b])
		if (!is_way_open(s, idom[b], b, header))
			return false;
	return true;
}

/* Strands (passes/strand.h; Gebhart et al., TOCS 2012, section 5.1): where one must begin.
 *
 * Waits. An instruction that names a register which a long-latency operation may still owe has the deschedule bit
 * (passes/pending.c).
 *
 * Lanes elsewhere. A warp that waits there, at a barrier or at a fence is descheduled, and all its lanes lose what they
 * have in the upper levels. So a strand begins at every place where lanes may be while others of their warp pass such a
 * point: where those of other sides of a branch begin, where the sides meet, and, if a side can be left midway,
 * everywhere in it where lanes may stand.
 *
 * Regions. A strand has one entry and no cycle: one begins where a backward branch leads to, behind one, at entries of
 * functions and behind calls, after barriers and fences, and where predecessors are not all in one strand. The last
 * covers the case that the paper calls uncertain (its Figure 9b): there is no wait then, and what may be pending stays
 * so until it is used.
 *
 * "Backward" is an edge to a block that does not come later in the reverse post-order, so irreducible code has them
 * too. A block that nothing reaches is a strand of its own.
 *
 * Barriers are our choice: the paper (5.1) names long-latency dependences and backward branches alone, and says nothing
 * of what a warp does at a barrier. Here it gives its place among the active warps to one that has not come yet, as
 * else active warps might all wait for pending ones; so it loses its entries. With orf.past_barriers it keeps them
 * there: barriers begin no strand.
 *
 * With orf.never_flush (the limit study of section 8.3) a warp keeps what it has when it is descheduled: waits and
 * barriers begin no strand, and it does not matter what other lanes do. */
#include "passes/strand.h"

#include "passes/pending.h"

#define NONE UINT32_MAX

const char *const strand_cause_name[STRAND_CAUSES] = {
	[STRAND_LONG] = "long latency", [STRAND_ENTRY] = "entry", [STRAND_CALL] = "call",
	[STRAND_BARRIER] = "barrier",   [STRAND_LOOP] = "loop",   [STRAND_MERGE] = "merge",
	[STRAND_LANES] = "lanes",
};

struct build {
	const struct kernel *k;
	struct pending p;
	uint8_t *why; /* by block: why a strand must begin there, or STRAND_CAUSES */
	/* by function: while paths in it were left midway, other sides may lose their place */
	bool *mid_loses;
	/* by instruction: lanes may stand before it while others of the warp lose their place */
	bool *left;
	/* by block: the instruction that began the strand at its end; NONE: one must begin behind it */
	uint32_t *last;
	uint8_t *then; /* and why */
};

static void must(struct build *s, uint32_t b, enum strand_cause why)
{
	if (b != NONE && why < s->why[b])
		s->why[b] = (uint8_t)why;
}

/* ---- lanes elsewhere ---- */
static void find_losers(struct build *s, uint32_t b)
{
	const struct cfg *g = s->p.side.g;
	uint32_t first = g->succ_at[b], end = g->succ_at[b + 1], meet = reconvergence(s->k, b), losing = 0;

	for (unsigned way = 0; way < 2; way++)
		for (uint32_t e = first; e < end; e++) {
			struct wsum here = { .flags = 0 };
			bool loses;

			if (g->succ[e] != meet)
				elsewhere_side(&s->p.side, e, &here);
			loses = here.flags & SIDE_LOSES;
			if (!way) {
				losing += loses;
			} else if (losing > loses) { /* another side does */
				must(s, g->succ[e], STRAND_LANES);
				s->mid_loses[s->p.proc_of[b]] |= (here.flags & SIDE_YIELDS) != 0;
			}
		}
	if (losing)
		must(s, meet, STRAND_LANES);
}

/* Where a call goes and where it comes back to, strands begin anyway. */
static void find_called(struct build *s, const struct insn *call)
{
	struct ir_targets t = ir_targets(s->k, call);
	uint32_t losing = 0;

	for (unsigned way = 0; way < 2; way++)
		for (uint32_t x = 0; x < t.n; x++) {
			uint32_t q = s->p.proc_of[ir_target(&t, x)];
			bool loses = s->p.proc[q].flags & SIDE_LOSES;

			if (!way)
				losing += loses;
			else if (losing > loses && s->p.proc[q].flags & SIDE_YIELDS)
				s->mid_loses[q] = true;
		}
}

static void find_lanes(struct build *s)
{
	const struct kernel *k = s->k;
	const struct cfg *g = s->p.side.g;

	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct insn *call = ir_block_end(k, b, OPF_CALL);

		if (call && k->cfg->rpo_index[b] != NONE)
			find_called(s, call);
		if (warp_parts(k, b))
			find_losers(s, b);
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		if (!s->p.mid[b] || !s->mid_loses[s->p.proc_of[b]])
			continue;
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			s->left[i] = insn_yields(k, &k->insn[i]);
		if (!warp_parts(k, b))
			continue;
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			must(s, g->succ[e], STRAND_LANES);
		must(s, reconvergence(k, b), STRAND_LANES);
	}
}

/* ---- regions ---- */
static void find_entries(struct build *s)
{
	const struct kernel *k = s->k;
	const struct cfg *g = k->cfg;

	for (uint32_t p = 0; p < pending_procs(k); p++)
		must(s, pending_first(k, p), STRAND_ENTRY);
	for (uint32_t b = 0; b < k->nblock; b++) {
		bool back = false;

		if (ir_block_end(k, b, OPF_CALL) && b + 1 < k->nblock)
			must(s, b + 1, STRAND_CALL);
		if (g->rpo_index[b] == NONE) {
			must(s, b, STRAND_ENTRY);
			continue;
		}
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			if (g->rpo_index[g->succ[e]] <= g->rpo_index[b]) {
				must(s, g->succ[e], STRAND_LOOP);
				back = true;
			}
		for (uint32_t e = g->succ_at[b]; back && e < g->succ_at[b + 1]; e++)
			must(s, g->succ[e], STRAND_LOOP);
	}
}

/* The strand that goes on into block b, or NONE, and then *why one must begin there. */
static uint32_t enter(const struct build *s, uint32_t b, enum strand_cause *why)
{
	const struct cfg *g = s->k->cfg;
	uint32_t from = NONE;
	bool any = false;

	*why = s->why[b];
	if (*why < STRAND_MERGE)
		return NONE;
	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
		uint32_t p = g->pred[e];

		if (g->rpo_index[p] == NONE)
			continue;
		if (any && (s->last[p] != from || (from == NONE && s->then[p] != *why))) {
			*why = STRAND_MERGE;
			return NONE;
		}
		from = s->last[p];
		if (from == NONE)
			*why = s->then[p];
		any = true;
	}
	if (from != NONE && s->why[b] == STRAND_LANES) {
		*why = STRAND_LANES;
		return NONE;
	}
	return from;
}

static void go_through(struct build *s, uint32_t b, uint32_t *began, uint8_t *begin)
{
	const struct block *bb = &s->k->block[b];
	enum strand_cause why;
	uint32_t now = enter(s, b, &why);

	for (uint32_t i = bb->first; i < bb->first + bb->n; i++) {
		if (s->p.wait[i])
			begin[i] = STRAND_WAIT | STRAND_LONG;
		if (now != NONE && s->left[i]) {
			now = NONE;
			why = STRAND_LANES;
		}
		if (now != NONE && s->p.flush && s->p.wait[i]) {
			now = NONE;
			why = STRAND_LONG;
		}
		if (now == NONE) {
			begin[i] = (uint8_t)((begin[i] & STRAND_WAIT) | STRAND_BEGIN | (unsigned)why);
			now = i;
		}
		began[i] = now;
		if (pending_stops(&s->p, &s->k->insn[i])) {
			now = NONE;
			why = STRAND_BARRIER;
		}
	}
	s->last[b] = now;
	s->then[b] = (uint8_t)why;
}

static void number(const struct kernel *k, struct strands *t, const uint32_t *began, uint32_t *id)
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		if (t->begin[i] & STRAND_WAIT)
			t->waits++;
		if (!(t->begin[i] & STRAND_BEGIN))
			continue;
		for (enum strand_cause c = 0; c < STRAND_CAUSES; c++)
			t->count[c] += strand_begins_for(t, i, c);
		id[i] = t->n++;
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		id[i] = id[began[i]];
}

struct strands *strands_find(const struct kernel *k, const struct orf_options *o, struct arena *a,
			     struct arena *scratch)
{
	size_t n = (size_t)k->nblock + 1;
	uint32_t *id = new_array(a, uint32_t, (size_t)k->ninsn + 1),
		 *began = new_array(scratch, uint32_t, (size_t)k->ninsn + 1);
	uint8_t *begin = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	struct strands *t = new(a, struct strands);
	struct build s = {
		.k = k,
		.why = new_array(scratch, uint8_t, n),
		.last = new_array(scratch, uint32_t, n),
		.then = new_array(scratch, uint8_t, n),
		.left = new_array(scratch, bool, (size_t)k->ninsn + 1),
	};

	*t = (struct strands){
		.id = id, .begin = begin, .never_flush = o->never_flush, .past_barriers = o->past_barriers
	};
	if (k->form != FORM_MACHINE)
		return t;
	pending_find(&s.p, k, !o->never_flush, o->past_barriers, scratch);
	s.mid_loses = new_array(scratch, bool, pending_procs(k));
	memset(s.why, STRAND_CAUSES, n);
	find_entries(&s);
	find_lanes(&s);
	for (uint32_t x = 0; x < k->cfg->nrpo; x++)
		go_through(&s, k->cfg->rpo[x], began, begin);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (k->cfg->rpo_index[b] == NONE)
			go_through(&s, b, began, begin);
	number(k, t, began, id);
	return t;
}

enum pass_result pass_strand(struct kernel *k, struct pass_ctx *cx)
{
	k->strand = strands_find(k, &cx->opt.orf, k->a, &cx->scratch);
	return PASS_SAME;
}

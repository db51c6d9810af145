/* Barriers of a CTA, and of a cluster.
 *
 * A barrier is complete when all warps of the CTA that have not exited have arrived, or as many as the thread count of
 * the instruction says. A warp arrives once its paths that can come to the instruction have; then those that came do,
 * whichever of its lanes they are. A reduction (bar.red) is executed twice: the first time its warp arrives and waits,
 * the second time it takes the result. Threads arrive at the cluster's barrier one by one, and wait later. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/simt.h"

static const uint32_t *source(const struct engine *e, const struct warp *w, int32_t src)
{
	return (src < 0 ? e->prog.konst : w->reg) + (src & INT32_MAX);
}

static bool is_red(uint32_t op) { return op == OP_BAR_RED_POPC || op == OP_BAR_RED_AND || op == OP_BAR_RED_OR; }

static uint32_t need(const struct cta *c, const struct barrier *b)
{
	return b->threads ? b->threads / WARP_LANES : c->live;
}

static bool complete(struct engine *e, struct cta *c, unsigned id)
{
	struct barrier *b = &c->barrier[id];

	if (!b->warps || b->warps < need(c, b))
		return false;
	if (e->sanitizing)
		race_complete(e, c, id);
	for (unsigned i = 0; i < e->warps; i++) {
		struct warp *w = &c->warp[i];

		if (w->state != WARP_BARRIER || w->barrier != id)
			continue;
		w->state = WARP_READY;
		if (is_red(b->op)) {
			w->reduced = true;
			if (b->op == OP_BAR_RED_POPC)
				w->result = b->count;
			else
				w->result = b->op == OP_BAR_RED_AND ? b->all : b->count != 0;
		}
	}
	*b = (struct barrier){ 0 };
	e->events++;
	return true;
}

/* From the end: warps execute from the beginning, so those that have not come are there. Of a CTA that has exited no
 * warp has lanes. */
static bool cluster_here(const struct engine *e, const struct cta *first)
{
	for (uint32_t r = e->cluster_ctas; r--;)
		for (unsigned i = e->warps; i--;) {
			const struct warp *w = &first[r].warp[i];

			if (simt_live(&e->prog, w) & ~w->cluster_arrived)
				return false;
		}
	return true;
}

static void cluster_complete(struct engine *e, struct cta *c)
{
	struct cta *first = cluster_first(e, c);

	if (!cluster_here(e, first))
		return;
	for (uint32_t r = 0; r < e->cluster_ctas; r++) {
		for (unsigned i = 0; i < e->warps; i++) {
			first[r].warp[i].cluster_arrived = 0;
			if (first[r].warp[i].state != WARP_BARRIER || first[r].warp[i].barrier != CLUSTER_BARRIER)
				continue;
			first[r].warp[i].state = WARP_READY;
			if (e->sanitizing)
				race_acquire(e, &first[r], &first[r].warp[i]);
		}
		first[r].cluster_arrived = false;
	}
	e->events++;
}

static enum step cluster(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	uint32_t insn = insn_of(e, x);

	if (x->target == OP_BAR_CLUSTER_ARRIVE) {
		if (w->cluster_arrived & exec) {
			fault_in(e, FAULT_ILLEGAL, c, w, insn, (unsigned)__builtin_ctz(w->cluster_arrived & exec),
				 "arrives at the cluster's barrier again before it waits");
			return STEP_FAULT;
		}
		w->cluster_arrived |= exec;
		if (e->sanitizing)
			race_release(e, c, w);
		if (!c->cluster_arrived)
			for (uint32_t r = 0; r < e->cluster_ctas; r++)
				cluster_first(e, c)[r].cluster_arrived = true;
		cluster_complete(e, c);
		return STEP_DONE;
	}
	if (w->cluster_arrived & exec) {
		w->state = WARP_BARRIER;
		w->barrier = CLUSTER_BARRIER;
		w->waits_at = insn;
	} else if (e->sanitizing) {
		race_acquire(e, c, w);
	}
	return STEP_DONE;
}

static void take_result(struct warp *w, const struct xinsn *x, uint32_t exec)
{
	uint32_t *p = w->pred + x->dst[0];

	w->reduced = false;
	if (x->target != OP_BAR_RED_POPC) {
		*p = (*p & ~exec) | (w->result ? exec : 0);
		return;
	}
	EACH_ACTIVE(l, exec)
	w->reg[x->dst[0] + l] = w->result;
}

/* What is wrong with this arrival at a barrier where others wait; NULL: nothing. */
static const char *mismatch(const struct engine *e, const struct barrier *b, uint32_t op, uint32_t threads)
{
	uint32_t all = e->warps * WARP_LANES;

	if (!b->warps)
		return NULL;
	if ((b->threads ? b->threads : all) != (threads ? threads : all))
		return "another thread count than";
	return (is_red(op) || is_red(b->op)) && op != b->op ? "another operation than" : NULL;
}

enum step barrier_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	unsigned lane = (unsigned)__builtin_ctz(exec);
	uint32_t insn = insn_of(e, x), id, threads, p;
	const char *wrong;
	struct barrier *b;

	if (x->target == OP_BAR_CLUSTER_ARRIVE || x->target == OP_BAR_CLUSTER_WAIT)
		return cluster(e, c, w, x, exec);
	id = source(e, w, x->src[0])[lane];
	threads = source(e, w, x->src[1])[lane];
	if (e->recording && (x->src[0] >= 0 || x->src[1] >= 0))
		e->line[e->nline++] = BARRIER_WORD(id, threads);
	if (w->reduced) {
		take_result(w, x, exec);
		return STEP_DONE;
	}
	if (w->depth && simt_live(&e->prog, w) & ~w->top.active && (simt_yield(w, insn) || flow_hurry(e, w, insn)))
		return STEP_SWITCH;
	w->parked &= ~w->top.active;
	if (id >= BARRIERS) {
		fault_in(e, FAULT_ILLEGAL, c, w, insn, lane, "barrier %u does not exist; there are %d", id, BARRIERS);
		return STEP_FAULT;
	}
	if (threads % WARP_LANES) {
		fault_in(e, FAULT_ILLEGAL, c, w, insn, lane, "the barrier's thread count, %u, is not a multiple of %d",
			 threads, WARP_LANES);
		return STEP_FAULT;
	}
	b = &c->barrier[id];
	wrong = mismatch(e, b, x->target, threads);
	if (wrong) {
		fault_in(e, FAULT_ILLEGAL, c, w, insn, lane,
			 "barrier %u with %s where it is awaited, at instruction %u, %s", id, wrong, b->insn,
			 ir_print_insn(&e->a, e->k, &e->k->insn[b->insn]));
		return STEP_FAULT;
	}
	if (!b->warps)
		*b = (struct barrier){ .op = x->target, .insn = insn, .all = true };
	if (e->sanitizing)
		sync_arrive(e, c, w, insn, exec, id, threads);
	if (is_red(x->target)) {
		p = w->pred[x->src[2]] ^ (0u - (x->sneg >> 2 & 1u));
		b->count += (uint32_t)__builtin_popcount(p & exec);
		b->all &= (p & exec) == exec;
	}
	b->warps++;
	b->threads = threads;
	if (x->target != OP_BAR_ARRIVE) {
		w->state = WARP_BARRIER;
		w->barrier = id;
		w->waits_at = insn;
	}
	complete(e, c, id);
	if (!is_red(x->target))
		return STEP_DONE;
	if (!w->reduced)
		return STEP_AGAIN;
	take_result(w, x, exec);
	return STEP_DONE;
}

void barrier_lanes_gone(struct engine *e, struct cta *c)
{
	for (unsigned id = 0; id < BARRIERS; id++)
		if (c->barrier[id].warps && !c->barrier[id].threads)
			complete(e, c, id);
	if (c->cluster_arrived)
		cluster_complete(e, c);
}

/* Instructions in which lanes of a warp look at each other: vote, match, shfl, redux, elect, activemask, bar.warp.sync.
 *
 * The forms with .sync have a member mask: the lanes that it names meet. Lanes with different masks form groups, each
 * of which is served by itself. A member that has exited does not count. One that is on another path of the warp is
 * waited for, until that path gets to this instruction or, in PTX, to another one that is the same but for its
 * operands. If it does not, or if its guard is false, the launch ends with a report instead of reading the wrong lanes.
 * Forms without .sync are about the lanes that execute.
 *
 * Of a group whose members stand at several instructions the last one to come makes the results of all. Each path
 * takes its own when it is on top again: until then nothing says that the registers for them are in use. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/simt.h"

enum { SOURCES = 3 };

/* Results that paths have not taken yet. */
struct results {
	uint32_t lanes, pred, reg[WARP_LANES];
};

/* Of members at several instructions: what each has for its operands, by lane. */
struct gathered {
	uint32_t reg[SOURCES][2 * WARP_LANES], pred;
};

/* executing; members */
struct group {
	struct engine *e;
	struct warp *w;
	const struct xinsn *x;
	uint32_t lanes, among;
	const struct gathered *from; /* NULL: the operands are those of x */
	struct results *to;          /* NULL: the results go to the registers of x */
};

static const uint32_t *source(const struct group *g, unsigned s)
{
	if (g->from)
		return g->from->reg[s];
	return (g->x->src[s] < 0 ? g->e->prog.konst : g->w->reg) + (g->x->src[s] & INT32_MAX);
}

static uint32_t pred_source(const struct group *g, unsigned s)
{
	return g->from ? g->from->pred : g->w->pred[g->x->src[s]] ^ (0u - (g->x->sneg >> s & 1u));
}

static void put(const struct group *g, const uint32_t t[WARP_LANES])
{
	uint32_t *r = g->to ? g->to->reg : g->w->reg + g->x->dst[0];

	EACH_ACTIVE(l, g->lanes)
	r[l] = t[l];
}

static void put_same(const struct group *g, uint32_t v)
{
	uint32_t *r = g->to ? g->to->reg : g->w->reg + g->x->dst[0];

	EACH_ACTIVE(l, g->lanes)
	r[l] = v;
}

static void put_pred(const struct group *g, unsigned d, uint32_t mask)
{
	uint32_t *p = g->to ? &g->to->pred : g->w->pred + g->x->dst[d];

	*p = (*p & ~g->lanes) | (mask & g->lanes);
}

static void vote(const struct group *g)
{
	uint32_t p;
	bool holds;

	if (g->x->target == OP_ACTIVEMASK) {
		put_same(g, g->lanes);
		return;
	}
	p = pred_source(g, 0) & g->among;
	if (g->x->target == OP_VOTE_BALLOT) {
		put_same(g, p);
		return;
	}
	if (g->x->target == OP_VOTE_ALL)
		holds = p == g->among;
	else
		holds = g->x->target == OP_VOTE_ANY ? p != 0 : p == g->among || !p;
	put_pred(g, 0, holds ? UINT32_MAX : 0);
}

/* PTX ISA, shfl. A lane that reads one that does not execute gets what that lane's register holds. */
static void shuffle(const struct group *g)
{
	const uint32_t *a = source(g, 0), *b = source(g, 1), *c = source(g, 2);
	uint32_t t[WARP_LANES], in_range = 0;

	for (int l = 0; l < WARP_LANES; l++) {
		int n = (int)(b[l] & 31), clamp = (int)(c[l] & 31), seg = (int)(c[l] >> 8 & 31), from = l;
		int max = (l & seg) | (clamp & ~seg), min = l & seg;
		bool ok;

		switch (g->x->target) {
		case OP_SHFL_UP:
			from = l - n;
			ok = from >= max;
			break;
		case OP_SHFL_DOWN:
			from = l + n;
			ok = from <= max;
			break;
		case OP_SHFL_BFLY:
			from = l ^ n;
			ok = from <= max;
			break;
		default:
			from = min | (n & ~seg);
			ok = from <= max;
			break;
		}
		t[l] = a[ok ? from : l];
		in_range |= (uint32_t)ok << l;
	}
	put(g, t);
	put_pred(g, 1, in_range);
}

static void match(const struct group *g, bool all, bool wide)
{
	const uint32_t *a = source(g, 0);
	uint32_t t[WARP_LANES] = { 0 };
	unsigned first = (unsigned)__builtin_ctz(g->among);

	EACH_ACTIVE(l, g->among)
	for (unsigned n = 0; n < WARP_LANES; n++)
		t[l] |= g->among & (uint32_t)(a[l] == a[n] && (!wide || a[l + WARP_LANES] == a[n + WARP_LANES])) << n;
	if (!all) {
		put(g, t);
		return;
	}
	put_same(g, t[first] == g->among ? g->among : 0);
	put_pred(g, 1, t[first] == g->among ? UINT32_MAX : 0);
}

static uint32_t combine(uint32_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case OP_REDUX_ADD:
		return a + b;
	case OP_REDUX_MIN_U32:
		return a < b ? a : b;
	case OP_REDUX_MAX_U32:
		return a > b ? a : b;
	case OP_REDUX_MIN_S32:
		return (int32_t)a < (int32_t)b ? a : b;
	case OP_REDUX_MAX_S32:
		return (int32_t)a > (int32_t)b ? a : b;
	case OP_REDUX_AND:
		return a & b;
	case OP_REDUX_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static void reduce(const struct group *g)
{
	const uint32_t *a = source(g, 0);
	unsigned first = (unsigned)__builtin_ctz(g->among);
	uint32_t r = a[first];

	EACH_ACTIVE(l, g->among & (g->among - 1))
	r = combine(g->x->target, r, a[l]);
	put_same(g, r);
}

static void one_group(const struct group *g)
{
	unsigned leader;

	switch (g->x->target) {
	case OP_VOTE_ALL:
	case OP_VOTE_ANY:
	case OP_VOTE_UNI:
	case OP_VOTE_BALLOT:
	case OP_ACTIVEMASK:
		vote(g);
		return;
	case OP_SHFL_UP:
	case OP_SHFL_DOWN:
	case OP_SHFL_BFLY:
	case OP_SHFL_IDX:
		shuffle(g);
		return;
	case OP_MATCH_ANY_B32:
	case OP_MATCH_ANY_B64:
	case OP_MATCH_ALL_B32:
	case OP_MATCH_ALL_B64:
		match(g, g->x->target == OP_MATCH_ALL_B32 || g->x->target == OP_MATCH_ALL_B64,
		      g->x->target == OP_MATCH_ANY_B64 || g->x->target == OP_MATCH_ALL_B64);
		return;
	case OP_ELECT:
		leader = (unsigned)__builtin_ctz(g->among);
		put_same(g, leader);
		put_pred(g, 1, 1u << leader);
		return;
	case OP_BAR_WARP_SYNC:
		return;
	default:
		reduce(g);
		return;
	}
}

/* ---- members at several instructions ---- */
static bool is_vote(uint32_t op)
{
	return op == OP_VOTE_ALL || op == OP_VOTE_ANY || op == OP_VOTE_UNI || op == OP_VOTE_BALLOT;
}

static bool is_shuffle(uint32_t op)
{
	return op == OP_SHFL_UP || op == OP_SHFL_DOWN || op == OP_SHFL_BFLY || op == OP_SHFL_IDX;
}

/* Which of its sources are registers, beside the mask: bits. */
static uint32_t operands_of(uint32_t op)
{
	if (is_shuffle(op))
		return 7;
	return op == OP_BAR_WARP_SYNC || op == OP_ELECT || is_vote(op) ? 0 : 1;
}

/* Lanes of the group's instruction at another place give what they have for its operands. */
static void gather(const struct group *g, const struct xinsn *x, uint32_t lanes, struct gathered *to)
{
	const struct group there = { .e = g->e, .w = g->w, .x = x };

	for (uint32_t m = operands_of(x->target); m; m &= m - 1) {
		const unsigned s = (unsigned)__builtin_ctz(m);
		const uint32_t *r = source(&there, s);

		EACH_ACTIVE(l, lanes)
		{
			to->reg[s][l] = r[l];
			if (x->target == OP_MATCH_ANY_B64 || x->target == OP_MATCH_ALL_B64)
				to->reg[s][l + WARP_LANES] = r[l + WARP_LANES];
		}
	}
	if (is_vote(x->target))
		to->pred = (to->pred & ~lanes) | (pred_source(&there, 0) & lanes);
}

/* Lanes of `missing` that wait at the same instruction as the group, at another place, with the same mask; their
 * operands. None if some wait at this one, for these can join its path. */
static uint32_t gather_all(const struct group *g, uint32_t mask, uint32_t missing, struct gathered *to)
{
	const struct warp *w = g->w;
	uint32_t above = w->top.active, found = 0, frame = w->frame;

	for (uint32_t i = w->depth; i--;) {
		const struct level v = w->below[i];
		const struct xinsn *x = &g->e->prog.code[v.pc];
		const struct group there = { .e = g->e, .w = g->w, .x = x };
		uint32_t lanes = v.active & missing & w->parked & ~above;

		frame = simt_frame(w, i, frame);
		above |= v.active;
		if (lanes && x == g->x && v.rpc == w->top.rpc && frame == w->frame)
			return 0;
		if (!lanes || x->kind != g->x->kind || x->target != g->x->target || x->rpc == UINT32_MAX)
			continue;
		if (x->guard || x->gmask)
			lanes &= w->pred[x->guard] ^ x->gmask;
		EACH_ACTIVE(l, lanes)
		lanes &= ~((uint32_t)(source(&there, x->rpc)[l] != mask) << l);
		gather(g, x, lanes, to);
		found |= lanes;
	}
	return found;
}

/* The group's other members wait elsewhere in the code: the results of all. False: not all of them do. */
static bool serve_apart(struct group *g, uint32_t mask, uint32_t missing)
{
	struct warp *w = g->w;
	struct gathered from = { .pred = 0 };
	struct group all = *g;

	if (g->e->k->native || missing & w->top.active || missing & ~w->parked ||
	    gather_all(g, mask, missing, &from) != missing)
		return false;
	gather(g, g->x, g->lanes, &from);
	if (!w->results)
		w->results = new(&g->e->a, struct results);
	all.lanes = all.among = g->lanes | missing;
	all.from = &from;
	all.to = w->results;
	one_group(&all);
	w->results->lanes |= all.lanes;
	w->parked &= ~all.lanes;
	return true;
}

/* The lanes that execute have their results, which go to their registers. */
static void take_results(const struct group *g)
{
	const uint32_t op = g->x->target;
	struct results *r = g->w->results;

	if (op != OP_BAR_WARP_SYNC && (!is_vote(op) || op == OP_VOTE_BALLOT))
		put(g, r->reg);
	if (is_shuffle(op) || op == OP_MATCH_ALL_B32 || op == OP_MATCH_ALL_B64 || op == OP_ELECT)
		put_pred(g, 1, r->pred);
	else if (is_vote(op) && op != OP_VOTE_BALLOT)
		put_pred(g, 0, r->pred);
	r->lanes &= ~g->lanes;
}

/* The members of `mask` that are alive and do not come. */
static bool absent(const struct group *g, struct cta *c, uint32_t mask, uint32_t missing)
{
	struct engine *e = g->e;
	const struct warp *w = g->w;
	uint32_t insn = insn_of(e, g->x), guard = missing & w->top.active;
	const char *where = "";

	if (missing & ~guard)
		for (uint32_t i = w->depth; i-- && !*where;)
			if (w->below[i].active & missing & ~guard)
				where = arena_printf(&e->a, ", which wait at instruction %u, %s", w->below[i].pc,
						     ir_print_insn(&e->a, e->k, &e->k->insn[w->below[i].pc]));
	return fault_in(e, FAULT_ILLEGAL, c, w, insn, WARP_LANES, "the member mask 0x%x names lanes 0x%x, %s%s", mask,
			missing, missing & ~guard ? "on another path of the warp" : "whose guard is false", where);
}

enum step warp_op(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	struct group g = { .e = e, .w = w, .x = x, .lanes = exec, .among = exec };
	uint32_t live, insn = insn_of(e, x), done = w->results ? w->results->lanes & exec : 0, todo = exec & ~done;
	const uint32_t *mask;

	if (x->rpc == UINT32_MAX) { /* no .sync */
		one_group(&g);
		return STEP_DONE;
	}
	mask = source(&g, x->rpc);
	live = simt_live(&e->prog, w);
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t left = todo; left; left &= ~g.lanes) {
			uint32_t m = mask[__builtin_ctz(left)], missing;

			g.lanes = 0;
			EACH_ACTIVE(l, left)
			g.lanes |= (uint32_t)(mask[l] == m) << l;
			g.among = g.lanes;
			missing = m & live & ~g.lanes;
			if (pass) {
				one_group(&g);
			} else if (g.lanes & ~m) {
				fault_in(e, FAULT_ILLEGAL, c, w, insn, (unsigned)__builtin_ctz(g.lanes & ~m),
					 "this lane is not in its own member mask, 0x%x", m);
				return STEP_FAULT;
			} else if (missing) {
				if (serve_apart(&g, m, missing))
					return warp_op(e, c, w, x, exec);
				if (!(missing & w->top.active) &&
				    (simt_yield(w, insn) || flow_hurry(e, w, insn) || flow_release(e, w, insn)))
					return STEP_SWITCH;
				absent(&g, c, m, missing);
				return STEP_FAULT;
			}
		}
	g.lanes = done;
	if (done)
		take_results(&g);
	w->parked &= ~w->top.active;
	if (e->sanitizing)
		sync_members(e, c, w, insn, mask[__builtin_ctz(exec)], live);
	return STEP_DONE;
}

/* Instructions in which lanes of a warp look at each other: vote, match, shfl, redux, elect, activemask, bar.warp.sync.
 *
 * The forms with .sync have a member mask: the lanes that it names meet. Lanes with different masks form groups, each
 * of which is served by itself. A member that has exited does not count. One that is on another path of the warp is
 * waited for, if that path can get to this instruction before the branch's sides meet; if not, or if its guard is
 * false, the launch ends with a report instead of reading the wrong lanes. Forms without .sync are about the lanes that
 * execute. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/simt.h"

/* executing; members */
struct group {
	struct engine *e;
	struct warp *w;
	const struct xinsn *x;
	uint32_t lanes, among;
};

static const uint32_t *source(const struct group *g, unsigned s)
{
	return (g->x->src[s] < 0 ? g->e->prog.konst : g->w->reg) + (g->x->src[s] & INT32_MAX);
}

static uint32_t pred_source(const struct group *g, unsigned s)
{
	return g->w->pred[g->x->src[s]] ^ (0u - (g->x->sneg >> s & 1u));
}

static void put(const struct group *g, const uint32_t t[WARP_LANES])
{
	EACH_ACTIVE(l, g->lanes)
	g->w->reg[g->x->dst[0] + l] = t[l];
}

static void put_same(const struct group *g, uint32_t v)
{
	EACH_ACTIVE(l, g->lanes)
	g->w->reg[g->x->dst[0] + l] = v;
}

static void put_pred(const struct group *g, unsigned d, uint32_t mask)
{
	uint32_t *p = g->w->pred + g->x->dst[d];

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
	struct group g = { e, w, x, exec, exec };
	uint32_t live, insn = insn_of(e, x);
	const uint32_t *mask;

	if (x->rpc == UINT32_MAX) { /* no .sync */
		one_group(&g);
		return STEP_DONE;
	}
	mask = source(&g, x->rpc);
	live = simt_live(&e->prog, w);
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t left = exec; left; left &= ~g.lanes) {
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
				if (!(missing & w->top.active) && (simt_yield(w, insn) || flow_release(e, w)))
					return STEP_SWITCH;
				absent(&g, c, m, missing);
				return STEP_FAULT;
			}
		}
	w->parked &= ~w->top.active;
	return STEP_DONE;
}

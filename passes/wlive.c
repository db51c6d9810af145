/* Warp liveness: which registers lanes of a warp that wait elsewhere may still read, while others of it execute a
 * block.
 *
 * The lanes of a warp share physical registers, so one may be given back only where no lane reads it again: neither
 * those that execute, which liveness answers, nor those that wait at another place. Which places those are is a matter
 * of how a warp comes together again (runtime-model/engine/simt.h):
 *
 * Two lanes A and B of one call of a function that are not on the same path have parted last at some branch b, A to
 * its successor s, B to t, s != t. With P the block where b's sides meet, A is in the region of s: the blocks that s
 * leads to without passing P. B is in the region of t, or waits at P, from which none goes on before all have arrived.
 * While A executes, B waits:
 *   at t       if its side has not begun;
 *   at P       if its side is done. Where nothing post-dominates b, B is gone then: exited, or returned, see below;
 *   or between if its side has begun and is not done. Then B's side was left by simt_yield(), which a path does only
 *              at a barrier or an instruction with .sync, in that region and in the same call. B is there, at such an
 *              instruction, or where other branches of the region leave lanes, at their successors or meeting points.
 * So while A executes a block of the region of s, B may read what is live into the other successors, into P, and, if
 * their regions can be left midway, at all those places in them. Which side goes first plays no part. It may be A that
 * yielded and B that goes on: the rule is symmetric. Paths that meet early at an instruction with .sync are together
 * from there on; what was said of A and its last parting from any other lane still holds. A branch that says .uni has
 * one side only.
 *
 * Lanes that returned early wait behind the call. Lanes outside the call wait wherever they may while its block
 * executes. Those that a call through a register sends elsewhere wait at the other functions, or inside them if they
 * can yield.
 *
 * The regions of the branches that meet at one P are worked off together, forwards, as sets that flow over edges and
 * stop at P. The regions of P's lie inside each other or apart: the work is at most the code times the nesting of its
 * branches. */
#include "elsewhere.h"

#define NONE UINT32_MAX

struct wset {
	uint64_t w[WLIVE_WORDS];
};

struct wlive {
	struct kernel *k;
	const struct cfg *g; /* inside functions */
	struct arena *a;
	struct wset *in;          /* live into a block */
	struct wset *wait, *flow; /* the result; what flows over the edges to P */
	/* live where lanes may stand when the block is left midway; then from there to P */
	struct wset *places;
	bool *yields; /* the block can be left midway; then: a block from there to P can */
	bool any_yield;
	uint32_t *mark;     /* block is in the region at hand */
	uint32_t *order, n; /* the region, in post-order */
	uint32_t *stack, *next;
	/* block is one of these: sides of branches that begin with more than is waited for already */
	uint32_t *side, *begun;
};

static bool join(struct wset *to, const struct wset *from)
{
	uint64_t more = 0;

	for (unsigned x = 0; x < WLIVE_WORDS; x++) {
		more |= from->w[x] & ~to->w[x];
		to->w[x] |= from->w[x];
	}
	return more != 0;
}

static void find_places(struct wlive *s, uint32_t b, uint64_t *set)
{
	const struct kernel *k = s->k;

	for (uint32_t j = 0; j < k->block[b].n; j++)
		s->yields[b] |= insn_yields(k, &k->insn[k->block[b].first + j]);
	s->any_yield |= s->yields[b];
	if (s->yields[b]) {
		live_put(live_out(k, b), set);
		for (uint32_t j = k->block[b].n; j--;) {
			live_step_back(k, &k->insn[k->block[b].first + j], set);
			if (insn_yields(k, &k->insn[k->block[b].first + j]))
				for (unsigned x = 0; x < WLIVE_WORDS; x++)
					s->places[b].w[x] |= set[x];
		}
		live_take(live_in(k, b), set);
	}
	if (!warp_parts(s->k, b))
		return;
	for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
		join(&s->places[b], &s->in[s->g->succ[e]]);
	if (reconvergence(k, b) != NONE)
		join(&s->places[b], &s->in[reconvergence(k, b)]);
}

/* The blocks that `from` leads to without passing p, behind those in s->order, in post-order. */
static void add_region(struct wlive *s, uint32_t from, uint32_t p)
{
	uint32_t top = 0;

	if (from == p || s->mark[from] == p + 2)
		return;
	s->mark[from] = p + 2;
	s->next[from] = s->g->succ_at[from];
	s->stack[top++] = from;
	while (top) {
		uint32_t b = s->stack[top - 1], to;

		if (s->next[b] == s->g->succ_at[b + 1]) {
			s->order[s->n++] = b;
			top--;
			continue;
		}
		to = s->g->succ[s->next[b]++];
		if (to == p || s->mark[to] == p + 2)
			continue;
		s->mark[to] = p + 2;
		s->next[to] = s->g->succ_at[to];
		s->stack[top++] = to;
	}
}

/* Against the edges: where lanes may stand between a block of the region and p. */
static void spread_places(struct wlive *s, uint32_t p, struct wset *places, bool *yields)
{
	bool more = true;

	for (uint32_t x = 0; x < s->n; x++) {
		places[s->order[x]] = s->places[s->order[x]];
		yields[s->order[x]] = s->yields[s->order[x]];
	}
	while (more) {
		more = false;
		for (uint32_t x = 0; x < s->n; x++) {
			uint32_t b = s->order[x];

			for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++) {
				uint32_t to = s->g->succ[e];

				if (to == p)
					continue;
				more |= join(&places[b], &places[to]) || (yields[to] && !yields[b]);
				yields[b] |= yields[to];
			}
		}
	}
}

/* The sides of branch b: while one executes, lanes that took another may wait. */
static void part(struct wlive *s, uint32_t b, uint32_t p, const struct wset *places, const bool *yields)
{
	uint32_t first = s->g->succ_at[b], n = s->g->succ_at[b + 1] - first;
	struct wset others = { { 0 } };

	for (unsigned way = 0; way < 2; way++) { /* the successors before this one, then those behind it */
		memset(&others, 0, sizeof others);
		if (p != NONE)
			others = s->in[p];
		for (uint32_t x = 0; x < n; x++) {
			uint32_t t = s->g->succ[first + (way ? n - 1 - x : x)];

			if (t != p)
				join(&s->flow[t], &others);
			join(&others, &s->in[t]);
			if (t != p && yields && yields[t])
				join(&others, &places[t]);
		}
	}
}

/* Lets the sides of all branches that meet at p begin. True if that is news for a side; then its successor is in
 * s->stack. */
static uint32_t begin(struct wlive *s, uint32_t p, const uint32_t *branch, uint32_t nbranch, const struct wset *places,
		      const bool *yields)
{
	uint32_t top = 0;

	for (uint32_t x = 0; x < nbranch; x++)
		for (uint32_t e = s->g->succ_at[branch[x]]; e < s->g->succ_at[branch[x] + 1]; e++)
			memset(&s->flow[s->g->succ[e]], 0, sizeof *s->flow);
	for (uint32_t x = 0; x < nbranch; x++)
		part(s, branch[x], p, places, yields);
	for (uint32_t x = 0; x < nbranch; x++)
		for (uint32_t e = s->g->succ_at[branch[x]]; e < s->g->succ_at[branch[x] + 1]; e++) {
			uint32_t t = s->g->succ[e];
			struct wset known = s->wait[t];

			if (t != p && s->side[t] != p + 2 && join(&known, &s->flow[t])) {
				s->side[t] = p + 2;
				s->begun[top++] = t;
			}
		}
	return top;
}

/* All branches that meet at p. What is waited for already, because of branches that meet further out, has come to every
 * block of the region that it could come to: only sides that begin with more are gone through. */
static void meet(struct wlive *s, uint32_t p, const uint32_t *branch, uint32_t nbranch, struct wset *places,
		 bool *yields)
{
	bool more = false;
	uint32_t begun;

	s->n = 0;
	for (uint32_t x = 0; x < nbranch && s->any_yield; x++) {
		uint32_t sides = 0;

		for (uint32_t e = s->g->succ_at[branch[x]]; e < s->g->succ_at[branch[x] + 1]; e++)
			sides += s->g->succ[e] != p;
		more |= sides > 1;
	}
	if (more) {
		for (uint32_t x = 0; x < nbranch; x++)
			for (uint32_t e = s->g->succ_at[branch[x]]; e < s->g->succ_at[branch[x] + 1]; e++)
				add_region(s, s->g->succ[e], p);
		spread_places(s, p, places, yields);
	}
	if (!more)
		yields = NULL;
	begun = begin(s, p, branch, nbranch, places, yields);
	for (uint32_t x = 0; x < begun; x++)
		add_region(s, s->begun[x], p);
	if (!begun)
		return;
	for (uint32_t x = 0; x < s->n; x++)
		memset(&s->flow[s->order[x]], 0, sizeof *s->flow);
	for (uint32_t x = 0; x < nbranch; x++)
		part(s, branch[x], p, places, yields);
	for (more = true; more;) {
		more = false;
		for (uint32_t x = s->n; x--;) {
			uint32_t b = s->order[x];

			for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++)
				if (s->g->succ[e] != p)
					more |= join(&s->flow[s->g->succ[e]], &s->flow[b]);
		}
	}
	for (uint32_t x = 0; x < s->n; x++)
		join(&s->wait[s->order[x]], &s->flow[s->order[x]]);
}

/* ---- calls ---- */
static uint32_t proc_end(const struct kernel *k, uint32_t p)
{
	return p + 1 < k->nproc ? k->proc[p + 1].first : k->nblock;
}

/* A call through a register: while lanes are in one function, others wait at another, or in it if it can be left
 * midway. */
static void part_call(struct wlive *s, const struct ir_targets *t, const struct wset *inside, struct wset *outside)
{
	for (unsigned way = 0; way < 2; way++) {
		struct wset others = { { 0 } };

		for (uint32_t x = 0; x < t->n; x++) {
			uint32_t q = ir_proc_of(s->k, ir_target(t, way ? t->n - 1 - x : x));

			join(&outside[q], &others);
			join(&others, &inside[q]);
		}
	}
}

/* What lanes may read that are in a function while others of the same call are in another one. */
static struct wset *find_inside(struct wlive *s)
{
	const struct kernel *k = s->k;
	struct wset *inside = new_array(s->a, struct wset, (size_t)k->nproc + 1);

	for (uint32_t p = 0; p < k->nproc; p++) {
		bool yields = false;

		inside[p] = s->in[k->proc[p].first];
		for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++)
			yields |= s->yields[b];
		for (uint32_t b = k->proc[p].first; b < proc_end(k, p) && yields; b++)
			join(&inside[p], &s->places[b]);
	}
	return inside;
}

/* What lanes outside a call of a function may read, or lanes that have returned from it: for each function, from the
 * blocks that call it, until nothing changes. */
static void add_callers(struct wlive *s)
{
	const struct kernel *k = s->k;
	struct wset *outside = new_array(s->a, struct wset, (size_t)k->nproc + 1), *inside = find_inside(s);

	for (bool first = true, more = true; more; first = false) {
		more = first;
		for (uint32_t p = 0; p < k->nproc; p++)
			for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++) {
				const struct insn *call = ir_block_end(k, b, OPF_CALL);
				struct ir_targets t;
				struct wset w;

				if (!call || k->cfg->rpo_index[b] == NONE)
					continue;
				t = ir_targets(k, call);
				w = s->wait[b];
				join(&w, &outside[p]);
				if (b + 1 < k->nblock)
					join(&w, &s->in[b + 1]);
				for (uint32_t n = 0; n < t.n; n++)
					more |= join(&outside[ir_proc_of(k, ir_target(&t, n))], &w);
				if (first && t.n > 1)
					part_call(s, &t, inside, outside);
			}
	}
	for (uint32_t p = 0; p < k->nproc; p++)
		for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++)
			join(&s->wait[b], &outside[p]);
}

/* Lanes of machine code that return do not wait behind the call for those that are still in the function. They return
 * apart from a function that has a branch whose sides do not meet in it, and from calls that go different ways. */
static bool return_apart(const struct kernel *k)
{
	bool apart = false;

	for (uint32_t p = 0; p < k->nproc; p++)
		for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++) {
			const struct insn *call = ir_block_end(k, b, OPF_CALL);

			apart |= p && warp_parts(k, b) && reconvergence(k, b) == NONE;
			apart |= call && ir_targets(k, call).n > 1;
		}
	return apart;
}

/* Lanes of machine code also wait in a function for such as have not called it, leave it together and part behind their
 * calls: a block that calls one which can be left midway can be left in it, and behind it. */
static void wait_in_functions(struct wlive *s)
{
	const struct kernel *k = s->k;

	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = 0; b < k->nblock; b++) {
			const struct insn *call = ir_block_end(k, b, OPF_CALL);
			struct ir_targets t;

			if (!call)
				continue;
			t = ir_targets(k, call);
			for (uint32_t n = 0; n < t.n; n++) {
				const uint32_t q = ir_proc_of(k, ir_target(&t, n));
				struct wset inside = { { 0 } };
				bool yields = false;

				for (uint32_t x = k->proc[q].first; x < proc_end(k, q); x++) {
					yields |= s->yields[x];
					join(&inside, &s->places[x]);
				}
				if (!yields)
					continue;
				if (b + 1 < k->nblock)
					join(&inside, &s->in[b + 1]);
				more |= join(&s->places[b], &inside) || !s->yields[b];
				s->yields[b] = true;
			}
		}
	}
}

/* While some lanes are anywhere, others may be anywhere else. */
static void be_anywhere(struct wlive *s)
{
	struct wset all = { { 0 } };

	for (uint32_t b = 0; b < s->k->nblock; b++) {
		join(&all, &s->in[b]);
		join(&all, &s->places[b]);
	}
	for (uint32_t b = 0; b < s->k->nblock; b++)
		join(&s->wait[b], &all);
}

/* ---- the pass ---- */
/* Place of the block where the sides of branch b meet, outer ones first: its number in the post-dominator tree. */
static uint32_t meeting(const struct wlive *s, uint32_t b)
{
	uint32_t p = reconvergence(s->k, b);

	return s->k->meet->pre[p == NONE ? s->k->nblock : p];
}

/* The branches that part warps, by the block where they meet. */
static void work_off(struct wlive *s)
{
	uint32_t n = s->k->nblock, *at = new_array(s->a, uint32_t, (size_t)n + 4),
		 *branch = new_array(s->a, uint32_t, (size_t)n + 1);
	struct wset *places = new_array(s->a, struct wset, (size_t)n + 1);
	bool *yields = new_array(s->a, bool, (size_t)n + 1);

	for (uint32_t b = 0; b < n; b++)
		if (warp_parts(s->k, b))
			at[meeting(s, b) + 2]++;
	for (uint32_t p = 0; p <= n; p++)
		at[p + 2] += at[p + 1];
	for (uint32_t b = 0; b < n; b++)
		if (warp_parts(s->k, b))
			branch[at[meeting(s, b) + 1]++] = b;
	for (uint32_t p = 0; p <= n; p++)
		if (at[p + 1] > at[p])
			meet(s, reconvergence(s->k, branch[at[p]]), branch + at[p], at[p + 1] - at[p], places, yields);
}

enum pass_result pass_wlive(struct kernel *k, struct pass_ctx *cx)
{
	struct arena *a = &cx->scratch;
	uint32_t n = k->nblock;
	struct wlive s = {
		.k = k,
		.g = k->cfg->local,
		.a = a,
		.in = new_array(a, struct wset, (size_t)n + 1),
		.wait = new_array(k->a, struct wset, (size_t)n + 1),
		.flow = new_array(a, struct wset, (size_t)n + 1),
		.places = new_array(a, struct wset, (size_t)n + 1),
		.yields = new_array(a, bool, (size_t)n + 1),
		.mark = new_array(a, uint32_t, (size_t)n + 1),
		.order = new_array(a, uint32_t, (size_t)n + 1),
		.stack = new_array(a, uint32_t, (size_t)n + 1),
		.next = new_array(a, uint32_t, (size_t)n + 1),
		.side = new_array(a, uint32_t, (size_t)n + 1),
		.begun = new_array(a, uint32_t, (size_t)n + 1),
	};
	uint64_t *set = bitset_new(a, MREG_ALL);

	k->wlive = new(k->a, struct warp_liveness);
	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	for (uint32_t b = 0; b < n; b++)
		live_put(live_in(k, b), s.in[b].w);
	for (uint32_t b = 0; b < n; b++)
		find_places(&s, b, set);
	if (k->native && s.any_yield)
		wait_in_functions(&s);
	work_off(&s);
	add_callers(&s);
	if (k->native && return_apart(k))
		be_anywhere(&s);
	k->wlive->wait = (uint64_t(*)[WLIVE_WORDS])s.wait;
	return PASS_SAME;
}

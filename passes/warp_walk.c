/* A warp of three lanes that goes through a kernel in every way, for the oracles of facts about warps (check_wlive(),
 * check_strand()).
 *
 * At each branch every lane goes wherever it may, either side first; at a barrier or an instruction with .sync the path
 * may be left for any other of its call, or not, and paths that stand there may join or not. That is more than the
 * engine does (it has one order, and yields only where lanes are missing), so what holds here holds for any order.
 * Three lanes show every pair of places that more could: one lane executes, one waits, and a third makes the second's
 * path wait between them. */
#include "passes/warp_walk.h"

#include "analyzer/base/rng.h"

#define NONE UINT32_MAX

enum { STATES = 1 << 14, TARGETS = 4 };

static uint8_t lanes_from(const struct warp_state *s, uint32_t from)
{
	uint8_t lanes = 0;

	for (uint32_t x = from; x < s->n; x++)
		lanes |= s->p[x].lanes;
	return lanes;
}

static void add_state(struct warp_walk *w, const struct warp_state *from)
{
	struct warp_state copy = *from, *s = &copy;
	uint64_t hash;
	uint32_t at;

	for (uint32_t x = s->n; x < WALK_PATHS; x++)
		s->p[x] = (struct warp_path){ 0 };
	hash = mix64(s->note);
	for (uint32_t x = 0; x < s->n; x++)
		hash = mix64(hash ^ mix64((uint64_t)s->p[x].pc << 32 | s->p[x].rpc) ^
			     (uint64_t)(s->p[x].lanes << 1 | s->p[x].call) << 40);
	for (at = (uint32_t)hash & (2 * STATES - 1); w->slot[at]; at = (at + 1) & (2 * STATES - 1)) {
		const struct warp_state *t = &w->state[w->slot[at] - 1];
		bool same = t->n == s->n && t->note == s->note;

		for (uint32_t x = 0; same && x < s->n; x++)
			same = t->p[x].pc == s->p[x].pc && t->p[x].rpc == s->p[x].rpc &&
			       t->p[x].lanes == s->p[x].lanes && t->p[x].call == s->p[x].call;
		if (same)
			return;
	}
	if (w->nstate == STATES) {
		w->cut = true;
		return;
	}
	w->state[w->nstate++] = *s;
	w->slot[at] = w->nstate;
}

/* The top path has gone on: drops paths that have arrived, or have no lanes left. Nothing else does, as in the engine:
 * a path that a yield takes to the top while it is where it meets the others would go on from there without them. */
static void add_settled(struct warp_walk *w, struct warp_state *s)
{
	for (;;) {
		struct warp_path *top = &s->p[s->n - 1];

		if (top->lanes && top->pc != top->rpc)
			break;
		if (!--s->n)
			return;
		s->p[s->n - 1].call = 0;
	}
	add_state(w, s);
}

static void push(struct warp_state *s, struct warp_path p)
{
	if (p.lanes && s->n < WALK_PATHS)
		s->p[s->n++] = p;
}

/* The top path's lanes go to `to`, some each, in all orders of two; they meet at rpc. */
static void add_parted(struct warp_walk *w, const struct warp_state *s, const uint32_t *to, const uint8_t *lanes,
		       uint32_t n, uint32_t rpc)
{
	uint32_t ways = 0;

	for (uint32_t x = 0; x < n; x++)
		ways += lanes[x] != 0;
	for (uint32_t first = 0; first < n; first++) {
		struct warp_state t = *s;
		struct warp_path here = t.p[--t.n];

		if (!lanes[first])
			continue;
		if (ways > 1 && t.n + n + 1 > WALK_PATHS) {
			w->cut = true;
			return;
		}
		if (ways > 1 && rpc != here.rpc)
			push(&t, (struct warp_path){ rpc, here.rpc, here.lanes, here.call });
		/* a side that is there already waits in the path for the meeting point */
		for (uint32_t x = 0; x < n; x++)
			if (x != first && to[x] != rpc)
				push(&t, (struct warp_path){ to[x], ways > 1 ? rpc : here.rpc, lanes[x], 0 });
		push(&t, (struct warp_path){ to[first], ways > 1 ? rpc : here.rpc, lanes[first], 0 });
		add_settled(w, &t);
	}
}

static uint32_t entry_of(const struct kernel *k, uint32_t b) { return b == NONE ? NONE : k->block[b].first; }

/* Every lane of the top path takes one of n ways, or all take one. The states that follow. */
static void part(struct warp_walk *w, const struct warp_state *s, const uint32_t *to, uint32_t n, uint32_t rpc,
		 bool uniform)
{
	uint8_t here = s->p[s->n - 1].lanes;
	uint32_t ways = 1;

	for (unsigned l = 0; l < WALK_LANES; l++)
		ways *= n;
	for (uint32_t way = 0; way < ways; way++) {
		uint8_t lanes[TARGETS + 1] = { 0 };
		uint32_t rest = way;
		bool one = false;

		for (unsigned l = 0; l < WALK_LANES; l++, rest /= n)
			lanes[rest % n] |= (uint8_t)(here & 1u << l);
		for (uint32_t x = 0; x < n; x++)
			one |= lanes[x] == here;
		if (one || !uniform)
			add_parted(w, s, to, lanes, n, rpc);
	}
}

/* The first instructions of the blocks that i may go to, each once, behind the n that are in `to`. */
static uint32_t add_targets(const struct kernel *k, const struct insn *i, uint32_t to[TARGETS + 1], uint32_t n)
{
	struct ir_targets t = ir_targets(k, i);

	for (uint32_t x = 0; x < t.n && n <= TARGETS; x++) {
		bool seen = false;

		for (uint32_t y = 0; y < n; y++)
			seen |= to[y] == entry_of(k, ir_target(&t, x));
		if (!seen)
			to[n++] = entry_of(k, ir_target(&t, x));
	}
	return n;
}

static void branch(struct warp_walk *w, const struct warp_state *s, const struct insn *i, uint32_t b)
{
	uint32_t to[TARGETS + 1] = { s->p[s->n - 1].pc + 1 };
	uint32_t n = add_targets(w->k, i, to, i->guard.kind != REF_NONE);

	part(w, s, to, n, entry_of(w->k, reconvergence(w->k, b)), i->mods & MOD_UNI);
}

/* All lanes that execute it come back to the next instruction, where those that do not wait. */
static void call(struct warp_walk *w, const struct warp_state *s, const struct insn *i)
{
	uint32_t to[TARGETS + 1] = { 0 }, n = add_targets(w->k, i, to, 0);

	for (unsigned go = 0; go < 1u << WALK_LANES; go++) {
		struct warp_state t = *s;
		struct warp_path *top = &t.p[t.n - 1];

		if (go & ~top->lanes || (i->guard.kind == REF_NONE && go != top->lanes))
			continue;
		if (t.n == WALK_PATHS) {
			w->cut = true;
			continue;
		}
		top->pc++;
		if (!go) {
			add_settled(w, &t);
			continue;
		}
		top->call = 1;
		t.p[t.n++] = (struct warp_path){ 0, NONE, go, 0 };
		part(w, &t, to, n, NONE, false);
	}
}

/* First path of the innermost call. */
static uint32_t call_start(const struct warp_state *s)
{
	uint32_t x = s->n;

	while (x && !s->p[x - 1].call)
		x--;
	return x;
}

/* Some lanes exit or return, and the others go on. */
static void leave(struct warp_walk *w, const struct warp_state *s, const struct insn *i)
{
	uint32_t from = op_info[i->op].flags & OPF_RETURN ? call_start(s) : 0;

	for (unsigned go = 0; go < 1u << WALK_LANES; go++) {
		struct warp_state t = *s;
		struct warp_path *top = &t.p[t.n - 1];

		if (go & ~top->lanes || (i->guard.kind == REF_NONE && go != top->lanes))
			continue;
		for (uint32_t x = from; x < t.n; x++)
			t.p[x].lanes &= (uint8_t)~go;
		top->pc++;
		add_settled(w, &t);
	}
}

/* The path may be left for another one of its call, or joined by one that stands here. */
static void yield(struct warp_walk *w, const struct warp_state *s)
{
	const struct warp_path *top = &s->p[s->n - 1];

	for (uint32_t x = call_start(s); x + 1 < s->n; x++) {
		struct warp_state t = *s;

		if (!t.p[x].lanes || t.p[x].lanes & lanes_from(s, x + 1))
			continue;
		memmove(t.p + x, t.p + x + 1, (t.n - x - 1) * sizeof *t.p);
		t.p[t.n - 1] = s->p[x];
		add_state(w, &t);
		if (s->p[x].pc == top->pc && s->p[x].rpc == top->rpc) {
			t.n--;
			t.p[t.n - 1].lanes |= s->p[x].lanes;
			add_state(w, &t);
		}
	}
}

/* The top path goes on to the next place where more than one thing may happen. */
static void go_on(struct warp_walk *w, const struct warp_state *from)
{
	const struct kernel *k = w->k;
	struct warp_state s = *from;
	struct warp_path *top = &s.p[s.n - 1];

	for (uint32_t b = NONE;;) {
		const struct insn *i = &k->insn[top->pc];
		uint32_t flags = op_info[i->op].flags;

		if (flags & (OPF_BARRIER | OPF_CROSS) || i->op == OP_BAR_WARP_SYNC)
			yield(w, &s);
		w->visit(w, &s, w->block_of[top->pc] != b);
		if (w->wrong)
			return;
		b = w->block_of[top->pc];
		if (flags & OPF_CALL) {
			call(w, &s, i);
			return;
		}
		if (flags & (OPF_BRANCH | OPF_TABLE)) {
			branch(w, &s, i, b);
			return;
		}
		if (flags & (OPF_EXIT | OPF_RETURN)) {
			leave(w, &s, i);
			return;
		}
		if (++top->pc == top->rpc) {
			add_settled(w, &s);
			return;
		}
	}
}

uint8_t warp_waiting(const struct warp_state *s, uint32_t x) { return s->p[x].lanes & (uint8_t)~lanes_from(s, x + 1); }

void warp_walk(struct warp_walk *w)
{
	const struct kernel *k = w->k;
	struct warp_state start = { .n = 1, .p = { { 0, NONE, (1 << WALK_LANES) - 1, 0 } } };

	arena_init(&w->a);
	w->block_of = new_array(&w->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			w->block_of[k->block[b].first + j] = b;
	w->state = new_array(&w->a, struct warp_state, STATES);
	w->slot = new_array(&w->a, uint32_t, 2 * STATES);
	for (add_state(w, &start); w->done < w->nstate && !w->wrong; w->done++)
		go_on(w, &w->state[w->done]);
	arena_free(&w->a);
}

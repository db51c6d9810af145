/* Oracles for warp liveness and release points.
 *
 * check_wlive() executes the kernel's control flow with a warp of three lanes, in every way: at each branch every lane goes wherever
 * it may, either side first; at a barrier or an instruction with .sync the path may be left for any other of its call, or not,
 * and paths that stand there may join or not. That is more than the engine does (it has one order, and yields only where lanes
 * are missing), so what holds here holds for any order. In each state, what is live where the other lanes wait must be in the
 * waiting set of the block that executes. Three lanes show every pair of places that more could: one lane executes, one waits, and
 * a third makes the second's path wait between them.
 *
 * check_release() makes the release points again from their definition, register by register.
 *
 * cost  up to STATES states of the warp; what lies beyond them is accepted unchecked, as are kernels of more than CHECK_MAX
 * (instructions + blocks) x registers. */
#include "pass.h"

#include "analyzer/base/rng.h"

#define NONE UINT32_MAX

enum { CHECK_MAX = 4 << 20, LANES = 3, PATHS = 14, STATES = 1 << 14, TARGETS = 4 };

struct path { uint32_t pc, rpc; uint8_t lanes, call; };         /* call: lanes come back to it from the paths above */
struct state { uint32_t n; struct path p[PATHS]; };             /* the last one executes */

struct walk {
	const struct kernel *k;
	struct arena a;
	struct diag *d;
	uint64_t (*live)[WLIVE_WORDS];  /* before each instruction */
	uint32_t *block_of;
	struct state *state; uint32_t nstate, done;
	uint32_t *slot;                 /* hash of states: index + 1 */
	uint64_t *seen;                 /* blocks */
	bool wrong;
};

static uint8_t lanes_from(const struct state *s, uint32_t from)
{
	uint8_t lanes = 0;

	for (uint32_t x = from; x < s->n; x++)
		lanes |= s->p[x].lanes;
	return lanes;
}

static void add_state(struct walk *w, const struct state *from)
{
	struct state copy = *from, *s = &copy;
	uint64_t hash = 0;
	uint32_t at;

	for (uint32_t x = s->n; x < PATHS; x++)
		s->p[x] = (struct path){ 0 };
	for (uint32_t x = 0; x < s->n; x++)
		hash = mix64(hash ^ mix64((uint64_t)s->p[x].pc << 32 | s->p[x].rpc) ^ (uint64_t)(s->p[x].lanes << 1 | s->p[x].call) << 40);
	for (at = (uint32_t)hash & (2 * STATES - 1); w->slot[at]; at = (at + 1) & (2 * STATES - 1)) {
		const struct state *t = &w->state[w->slot[at] - 1];
		bool same = t->n == s->n;

		for (uint32_t x = 0; same && x < s->n; x++)
			same = t->p[x].pc == s->p[x].pc && t->p[x].rpc == s->p[x].rpc && t->p[x].lanes == s->p[x].lanes && t->p[x].call == s->p[x].call;
		if (same)
			return;
	}
	if (w->nstate == STATES)
		return;
	w->state[w->nstate++] = *s;
	w->slot[at] = w->nstate;
}

/* The top path has gone on: drops paths that have arrived, or have no lanes left. Nothing else does, as in the engine: a path that
 * a yield takes to the top while it is where it meets the others would go on from there without them. */
static void add_settled(struct walk *w, struct state *s)
{
	for (;;) {
		struct path *top = &s->p[s->n - 1];

		if (top->lanes && top->pc != top->rpc)
			break;
		if (!--s->n)
			return;
		s->p[s->n - 1].call = 0;
	}
	add_state(w, s);
}

static void push(struct state *s, struct path p)
{
	if (p.lanes && s->n < PATHS)
		s->p[s->n++] = p;
}

/* The top path's lanes go to `to`, some each, in all orders of two; they meet at rpc. */
static void add_parted(struct walk *w, const struct state *s, const uint32_t *to, const uint8_t *lanes, uint32_t n, uint32_t rpc)
{
	uint32_t ways = 0;

	for (uint32_t x = 0; x < n; x++)
		ways += lanes[x] != 0;
	for (uint32_t first = 0; first < n; first++) {
		struct state t = *s;
		struct path here = t.p[--t.n];

		if (!lanes[first])
			continue;
		if (ways > 1 && t.n + n + 1 > PATHS)
			return;
		if (ways > 1 && rpc != here.rpc)
			push(&t, (struct path){ rpc, here.rpc, here.lanes, here.call });
		for (uint32_t x = 0; x < n; x++)        /* a side that is there already waits in the path for the meeting point */
			if (x != first && to[x] != rpc)
				push(&t, (struct path){ to[x], ways > 1 ? rpc : here.rpc, lanes[x], 0 });
		push(&t, (struct path){ to[first], ways > 1 ? rpc : here.rpc, lanes[first], 0 });
		add_settled(w, &t);
	}
}

static uint32_t entry_of(const struct kernel *k, uint32_t b) { return b == NONE ? NONE : k->block[b].first; }

/* Every lane of the top path takes one of n ways, or all take one. The states that follow. */
static void part(struct walk *w, const struct state *s, const uint32_t *to, uint32_t n, uint32_t rpc, bool uniform)
{
	uint8_t here = s->p[s->n - 1].lanes;
	uint32_t ways = 1;

	for (unsigned l = 0; l < LANES; l++)
		ways *= n;
	for (uint32_t way = 0; way < ways; way++) {
		uint8_t lanes[TARGETS + 1] = { 0 };
		uint32_t rest = way;
		bool one = false;

		for (unsigned l = 0; l < LANES; l++, rest /= n)
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

static void branch(struct walk *w, const struct state *s, const struct insn *i, uint32_t b)
{
	uint32_t to[TARGETS + 1] = { s->p[s->n - 1].pc + 1 };
	uint32_t n = add_targets(w->k, i, to, i->guard.kind != REF_NONE);

	part(w, s, to, n, entry_of(w->k, reconvergence(w->k, b)), i->mods & MOD_UNI);
}

/* All lanes that execute it come back to the next instruction, where those that do not wait. */
static void call(struct walk *w, const struct state *s, const struct insn *i)
{
	uint32_t to[TARGETS + 1] = { 0 }, n = add_targets(w->k, i, to, 0);

	for (uint8_t go = 0; go < 1 << LANES; go++) {
		struct state t = *s;
		struct path *top = &t.p[t.n - 1];

		if (go & ~top->lanes || (i->guard.kind == REF_NONE && go != top->lanes) || t.n == PATHS)
			continue;
		top->pc++;
		if (!go) {
			add_settled(w, &t);
			continue;
		}
		top->call = 1;
		t.p[t.n++] = (struct path){ 0, NONE, go, 0 };
		part(w, &t, to, n, NONE, false);
	}
}

/* First path of the innermost call. */
static uint32_t call_start(const struct state *s)
{
	uint32_t x = s->n;

	while (x && !s->p[x - 1].call)
		x--;
	return x;
}

/* Some lanes exit or return, and the others go on. */
static void leave(struct walk *w, const struct state *s, const struct insn *i)
{
	uint32_t from = op_info[i->op].flags & OPF_RETURN ? call_start(s) : 0;

	for (uint8_t go = 0; go < 1 << LANES; go++) {
		struct state t = *s;
		struct path *top = &t.p[t.n - 1];

		if (go & ~top->lanes || (i->guard.kind == REF_NONE && go != top->lanes))
			continue;
		for (uint32_t x = from; x < t.n; x++)
			t.p[x].lanes &= (uint8_t)~go;
		top->pc++;
		add_settled(w, &t);
	}
}

/* The path may be left for another one of its call, or joined by one that stands here. */
static void yield(struct walk *w, const struct state *s)
{
	const struct path *top = &s->p[s->n - 1];

	for (uint32_t x = call_start(s); x + 1 < s->n; x++) {
		struct state t = *s;

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

/* While block b executes: what the lanes that wait may read. */
static void compare(struct walk *w, const struct state *s, uint32_t b)
{
	for (uint32_t x = 0; x + 1 < s->n && !w->wrong; x++) {
		if (!(s->p[x].lanes & ~lanes_from(s, x + 1)))
			continue;
		for (uint32_t r = 0; r < MREG_COUNT && !w->wrong; r++)
			if (bitset_has(w->live[s->p[x].pc], r) && !bitset_has(w->k->wlive->wait[b], r)) {
				w->wrong = true;
				diag_error_plain(w->d, w->k->name, "warp liveness is wrong in block %u: lanes that wait at instruction %u read %s, "
				                 "which is not in the waiting set", b, s->p[x].pc,
				                 ir_print_ref(&w->a, w->k, ref_reg(r), mreg_is_pred(r) ? 'P' : 'W'));
			}
	}
}

/* The top path goes on to the next place where more than one thing may happen. */
static void go_on(struct walk *w, const struct state *from)
{
	const struct kernel *k = w->k;
	struct state s = *from;
	struct path *top = &s.p[s.n - 1];

	for (uint32_t b = NONE;;) {
		const struct insn *i = &k->insn[top->pc];
		uint32_t flags = op_info[i->op].flags;

		if (w->block_of[top->pc] != b) {
			b = w->block_of[top->pc];
			compare(w, &s, b);
		}
		if (flags & (OPF_BARRIER | OPF_CROSS) || i->op == OP_BAR_WARP_SYNC)
			yield(w, &s);
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

static bool small(const struct kernel *k)
{
	return k->form == FORM_MACHINE && k->ninsn && ((uint64_t)k->ninsn + k->nblock) * MREG_COUNT <= CHECK_MAX;
}

static void prepare(struct walk *w)
{
	const struct kernel *k = w->k;
	uint64_t *set = bitset_new(&w->a, MREG_COUNT);

	w->live = arena_alloc(&w->a, (size_t)(k->ninsn + 1) * sizeof *w->live, 8);
	memset(w->live, 0, (size_t)(k->ninsn + 1) * sizeof *w->live);
	w->seen = bitset_new(&w->a, k->nblock);
	w->block_of = new_array(&w->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		live_copy(set, live_out(k, b), MREG_COUNT);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j;

			live_step_back(k, &k->insn[i], set);
			memcpy(w->live[i], set, sizeof *w->live);
			w->block_of[i] = b;
		}
	}
}

bool check_wlive(const struct kernel *k, struct diag *d)
{
	struct walk w = { .k = k, .d = d };
	struct state start = { .n = 1, .p = { { 0, NONE, (1 << LANES) - 1, 0 } } };

	if (!small(k))
		return true;
	arena_init(&w.a);
	prepare(&w);
	w.state = new_array(&w.a, struct state, STATES);
	w.slot = new_array(&w.a, uint32_t, 2 * STATES);
	for (add_state(&w, &start); w.done < w.nstate && !w.wrong; w.done++)
		go_on(&w, &w.state[w.done]);
	arena_free(&w.a);
	return !w.wrong;
}

/* ---- release points ---- */
static bool held_at_end(const struct kernel *k, uint32_t b, uint32_t r)
{
	struct live_set s = live_out(k, b);

	for (uint32_t x = 0; x < s.n; x++)
		if (s.reg[x] == r)
			return true;
	return bitset_has(k->wlive->wait[b], r);
}

/* Whether r may be held where block b is entered, also through blocks without instructions; seen: blocks asked already. */
static bool held_before(const struct kernel *k, uint32_t b, uint32_t r, uint64_t *seen)
{
	for (uint32_t e = k->cfg->pred_at[b]; e < k->cfg->pred_at[b + 1]; e++) {
		uint32_t p = k->cfg->pred[e];

		if (held_at_end(k, p, r))
			return true;
		if (k->block[p].n || bitset_has(seen, p))
			continue;
		bitset_add(seen, p);
		if (held_before(k, p, r, seen))
			return true;
	}
	return false;
}

static bool listed(const uint16_t *reg, uint32_t from, uint32_t to, uint32_t r)
{
	for (uint32_t x = from; x < to; x++)
		if (reg[x] == r)
			return true;
	return false;
}

static bool differs(struct walk *w, const char *where, uint32_t n, uint32_t r, bool found, bool given)
{
	if (found == given)
		return false;
	diag_error_plain(w->d, w->k->name, "release is wrong %s %u: by definition R%u is %sreleased", where, n, r, found ? "" : "not ");
	return true;
}

static bool check_block(struct walk *w, uint32_t b)
{
	const struct kernel *k = w->k;
	const struct release *l = k->release;
	const struct block *bb = &k->block[b];

	for (uint32_t r = 0; r < MREG_RZ; r++) {
		bool waits = bitset_has(k->wlive->wait[b], r), entry = false;

		if (bb->n && !waits && !bitset_has(w->live[bb->first], r)) {
			memset(w->seen, 0, bitset_words(k->nblock) * sizeof *w->seen);
			entry = held_before(k, b, r, w->seen);
		}
		if (differs(w, "on entry to block", b, r, entry, listed(l->entry_reg, l->entry_at[b], l->entry_at[b + 1], r)))
			return false;
		for (uint32_t i = bb->first; i < bb->first + bb->n; i++) {
			struct live_set out = live_out(k, b);
			struct reg_use use[REG_USE_MAX];
			unsigned n = insn_reg_uses(k, &k->insn[i], use);
			bool held = bitset_has(w->live[i], r), after = false;

			for (unsigned u = 0; u < n; u++)
				held |= use[u].write && use[u].reg == r;
			for (uint32_t x = 0; x < out.n && i + 1 == bb->first + bb->n; x++)
				after |= out.reg[x] == r;
			after |= i + 1 < bb->first + bb->n && bitset_has(w->live[i + 1], r);
			if (differs(w, "after instruction", i, r, held && !after && !waits, listed(l->reg, l->at[i], l->at[i + 1], r)))
				return false;
		}
	}
	return true;
}

bool check_release(const struct kernel *k, struct diag *d)
{
	struct walk w = { .k = k, .d = d };
	bool ok = true;

	if (!small(k))
		return true;
	arena_init(&w.a);
	prepare(&w);
	for (uint32_t b = 0; ok && b < k->nblock; b++)
		ok = check_block(&w, b);
	arena_free(&w.a);
	return ok;
}

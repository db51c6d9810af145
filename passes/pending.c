/* Registers that long-latency operations may still owe to a warp.
 *
 * The scoreboard belongs to the warp: what is owed is so whichever lanes issued the operation, and also to lanes that
 * took another way. So this is a may-analysis that follows the warp, along edges and, since a warp executes one side of
 * a branch after the other, from where a side ends (it meets the others, exits, or is left at a barrier or an
 * instruction with .sync) to where lanes wait that took another one. Those places are said in passes/wlive.c: the first
 * instructions of the other sides, the block where the sides meet, and, of a side that can be left midway, every place
 * in it. The last is rare, so all such sides of a function share one set. A side hands on what it owes itself, not what
 * it was handed: that came from where the sides part, or from a side that was there before it.
 *
 * An instruction that names a pending register, or gives back an extended set that something is owed to, has the warp
 * wait for all of them, and a fence waits for all accesses: nothing is pending then. Which instructions wait depends on
 * what is pending and the other way round, in both directions: an earlier wait makes a later one unnecessary. So there
 * may be several solutions, and each is sound. Rounds over the code in reverse post-order find one; if they have not
 * after ROUNDS of them, sets and waits only grow from there on.
 *
 * cost: nearly linear in blocks for each round; three rounds mostly. */
#include "passes/pending.h"

#define NONE UINT32_MAX

enum { ROUNDS = 8 };

bool pending_stops(const struct pending *s, const struct insn *i)
{
	uint32_t flags = op_info[i->op].flags;

	if (!s->flush || (s->past_barriers && flags & OPF_BARRIER && !(flags & OPF_UNKNOWN)))
		return false;
	return flags & (OPF_BARRIER | OPF_FENCE) || i->op == OP_RF_ACQUIRE;
}
/* The warp goes on only when all its accesses are done. */
static bool completes(const struct insn *i) { return (op_info[i->op].flags & (OPF_BARRIER | OPF_FENCE)) == OPF_FENCE; }

uint32_t pending_procs(const struct kernel *k) { return k->nproc ? k->nproc : 1; }
uint32_t pending_first(const struct kernel *k, uint32_t p) { return k->nproc ? k->proc[p].first : 0; }
static uint32_t pending_end(const struct kernel *k, uint32_t p)
{
	return p + 1 < pending_procs(k) ? k->proc[p + 1].first : k->nblock;
}

static void join_set(struct wsum *to, const struct wsum *from)
{
	for (unsigned w = 0; w < WLIVE_WORDS; w++)
		to->set[w] |= from->set[w];
}

/* Replaces what was found for a place in the round before. */
static void put(struct pending *s, struct wsum *to, struct wsum *now)
{
	if (s->grow)
		join_set(now, to);
	s->more |= memcmp(to, now, sizeof *now) != 0;
	*to = *now;
}

/* ---- through a block ---- */
static void step(struct pending *s, uint32_t b, uint32_t i, struct wsum *now)
{
	const struct insn *n = &s->k->insn[i];
	struct wsum *own = &s->own[b];
	struct reg_use use[REG_USE_MAX];
	unsigned nuse = insn_reg_uses(s->k, n, use);
	bool wait = s->grow && s->wait[i];

	if (insn_yields(s->k, n)) {
		if (s->mid[b])
			join_set(now, &s->midway[s->proc_of[b]]);
		own->flags |= SIDE_YIELDS;
		join_set(own, now);
	}
	for (unsigned u = 0; u < nuse; u++)
		wait |= bitset_has(now->set, use[u].reg);
	if (n->op == OP_RF_RELEASE) /* the extended set is not given back while something is owed to it */
		wait |= bitset_next(now->set, s->k->base_regs, MREG_RZ) < MREG_RZ;
	s->more |= wait != s->wait[i];
	s->wait[i] = wait;
	if (wait || completes(n))
		*now = (struct wsum){ .flags = 0 };
	if ((s->flush && wait) || pending_stops(s, n))
		own->flags |= SIDE_LOSES;
	for (unsigned u = 0; u < nuse && insn_is_long(n); u++)
		if (use[u].write)
			bitset_add(now->set, use[u].reg);
	if (op_info[n->op].flags & (OPF_EXIT | OPF_RETURN))
		join_set(own, now);
	if (op_info[n->op].flags & OPF_EXIT)
		join_set(&s->exits[b], now);
}

static void go_through(struct pending *s, uint32_t b)
{
	const struct kernel *k = s->k;
	struct wsum now = s->sent[b];

	s->own[b] = s->exits[b] = (struct wsum){ .flags = 0 };
	for (uint32_t e = k->cfg->pred_at[b]; e < k->cfg->pred_at[b + 1]; e++)
		join_set(&now, &s->out[k->cfg->pred[e]]);
	put(s, &s->in[b], &now);
	for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
		step(s, b, i, &now);
	s->out[b] = now;
}

/* What functions do is done by the blocks that call them, but for `inside`: flags of what ends with the function. OWN:
 * by block, of which `passed` goes on to callers. Recursion: until nothing changes. proc: then what all blocks of each
 * do. */
static void add_calls(struct pending *s, struct wsum *own, struct wsum *passed, uint64_t inside)
{
	const struct kernel *k = s->k;

	memset(s->proc, 0, pending_procs(k) * sizeof *s->proc);
	for (bool more = k->nproc > 1; more;) {
		more = false;
		for (uint32_t b = 0; b < k->nblock; b++) {
			const struct insn *call = ir_block_end(k, b, OPF_CALL);
			struct wsum done = passed[b];

			done.flags = own[b].flags & ~inside;
			if (call && k->cfg->rpo_index[b] != NONE) {
				struct ir_targets t = ir_targets(k, call);

				for (uint32_t n = 0; n < t.n; n++)
					wsum_join(&done, &s->proc[s->proc_of[ir_target(&t, n)]]);
				wsum_join(&own[b], &done);
				join_set(&passed[b], &done);
			}
			more |= wsum_join(&s->proc[s->proc_of[b]], &done);
		}
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		wsum_join(&s->proc[s->proc_of[b]], &own[b]);
}

static void sum(struct pending *s)
{
	const struct kernel *k = s->k;

	add_calls(s, s->own, s->exits, SIDE_YIELDS);
	memset(s->leaving, 0, k->nblock * sizeof *s->leaving);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t e = s->side.g->succ_at[b]; e < s->side.g->succ_at[b + 1]; e++)
			if (s->side.g->succ[e] == reconvergence(k, b))
				join_set(&s->leaving[b], ir_block_end(k, b, OPF_CALL) ? &s->in[b + 1] : &s->out[b]);
	elsewhere_sum(&s->side, s->own, s->leaving);
}

/* ---- to other sides ---- */
/* What a side owes itself of FROM. */
static void join_issued(struct wsum *to, const struct wsum *from, const struct wsum *issued)
{
	for (unsigned w = 0; w < WLIVE_WORDS; w++)
		to->set[w] |= from->set[w] & issued->set[w];
}

static void send_sides(struct pending *s, uint32_t b, struct wsum *sent, struct wsum *midway)
{
	const struct cfg *g = s->side.g;
	uint32_t first = g->succ_at[b], n = g->succ_at[b + 1] - first, meet = reconvergence(s->k, b);

	/* to each side from those before it, then from those behind it */
	for (unsigned way = 0; way < 2; way++) {
		struct wsum others = { .flags = 0 };

		for (uint32_t x = 0; x < n; x++) {
			uint32_t e = first + (way ? n - 1 - x : x);
			struct wsum here = { .flags = 0 };

			if (g->succ[e] == meet)
				continue;
			elsewhere_side(&s->side, e, &here);
			if (meet != NONE) /* for when all lanes of the side exit */
				join_set(&sent[meet], &here);
			join_set(&sent[g->succ[e]], &others);
			if (here.flags & SIDE_YIELDS)
				join_set(&midway[s->proc_of[b]], &others);
			join_issued(&others, &here, &s->issued[e]);
			join_issued(&others, &s->leaving[s->side.top[e]], &s->issued[e]);
		}
	}
}

/* Lanes that a call through a register sends to different functions, and those that it leaves behind. */
static void send_call(struct pending *s, uint32_t b, const struct insn *call, struct wsum *sent, struct wsum *midway)
{
	struct ir_targets t = ir_targets(s->k, call);

	if (b + 1 < s->k->nblock)
		join_set(&sent[b + 1], &s->exits[b]);
	for (unsigned way = 0; way < 2; way++) {
		struct wsum others = { .flags = 0 };

		for (uint32_t x = 0; x < t.n; x++) {
			uint32_t q = s->proc_of[ir_target(&t, way ? t.n - 1 - x : x)];

			join_set(&sent[pending_first(s->k, q)], &others);
			if (s->proc[q].flags & SIDE_YIELDS)
				join_set(&midway[q], &others);
			join_issued(&others, &s->proc[q], &s->issued[s->side.g->succ_at[s->k->nblock] + q]);
		}
	}
}

/* To the places in block b's side, that was left midway. Where paths were left, one that ends need not be followed by
 * those that it meets: what was left last is. */
static void send_midway(struct pending *s, uint32_t b, struct wsum *sent, struct wsum *midway)
{
	const struct wsum *from = &s->midway[s->proc_of[b]];

	for (uint32_t e = s->side.g->succ_at[b]; e < s->side.g->succ_at[b + 1]; e++)
		if (s->meets[s->side.g->succ[e]])
			join_set(&midway[s->proc_of[b]], &s->out[b]);
	if (!warp_parts(s->k, b))
		return;
	for (uint32_t e = s->side.g->succ_at[b]; e < s->side.g->succ_at[b + 1]; e++)
		join_set(&sent[s->side.g->succ[e]], from);
	if (reconvergence(s->k, b) != NONE)
		join_set(&sent[reconvergence(s->k, b)], from);
}

static void send(struct pending *s, struct wsum *sent, struct wsum *midway)
{
	const struct kernel *k = s->k;

	memset(sent, 0, k->nblock * sizeof *sent);
	memset(midway, 0, pending_procs(k) * sizeof *midway);
	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct insn *call = ir_block_end(k, b, OPF_CALL);

		if (k->cfg->rpo_index[b] == NONE)
			continue;
		if (call)
			send_call(s, b, call, sent, midway);
		if (warp_parts(k, b))
			send_sides(s, b, sent, midway);
		if (s->mid[b])
			send_midway(s, b, sent, midway);
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		put(s, &s->sent[b], &sent[b]);
	for (uint32_t p = 0; p < pending_procs(k); p++)
		put(s, &s->midway[p], &midway[p]);
}

/* ---- sides that can be left midway ---- */
/* All blocks that b leads to before block `meet`: the ancestors of b below it, and their sides. up: by block, the next
 * ancestor that may not be marked. */
static void mark_side(struct pending *s, uint32_t b, uint32_t meet, uint32_t *up, uint32_t *stack)
{
	const struct domtree *t = s->k->meet;
	uint32_t top = 0, end = meet;

	for (;;) {
		while (b != NONE && b != end && !(end != NONE && dominates(t, b, end))) {
			uint32_t next = reconvergence(s->k, b);

			if (s->mid[b]) { /* and so are its sides; what lies between is skipped from now on */
				while (up[b] != NONE && s->mid[up[b]])
					up[b] = up[up[b]];
				b = up[b];
				continue;
			}
			s->mid[b] = true;
			up[b] = next;
			for (uint32_t e = s->side.g->succ_at[b]; e < s->side.g->succ_at[b + 1]; e++)
				if (s->side.g->succ[e] != next) {
					stack[top++] = s->side.g->succ[e];
					stack[top++] = next;
				}
			b = next;
		}
		if (!top)
			return;
		end = stack[--top];
		b = stack[--top];
	}
}

/* What sides and functions may owe, and which of them can be left midway: that does not change. */
static void find_issued(struct pending *s)
{
	const struct kernel *k = s->k;
	const struct cfg *g = s->side.g;
	uint32_t nedge = g->succ_at[k->nblock];

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			struct reg_use use[REG_USE_MAX];
			unsigned nuse = insn_is_long(&k->insn[i]) ? insn_reg_uses(k, &k->insn[i], use) : 0;

			for (unsigned u = 0; u < nuse; u++)
				if (use[u].write)
					bitset_add(s->own[b].set, use[u].reg);
			if (insn_yields(k, &k->insn[i]))
				s->own[b].flags |= SIDE_YIELDS;
		}
	add_calls(s, s->own, s->own, SIDE_YIELDS);
	elsewhere_sum(&s->side, s->own, s->leaving);
	s->issued = new_array(s->a, struct wsum, (size_t)nedge + pending_procs(k));
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			if (k->cfg->rpo_index[b] != NONE && g->succ[e] != reconvergence(k, b))
				elsewhere_side(&s->side, e, &s->issued[e]);
	memcpy(&s->issued[nedge], s->proc, pending_procs(k) * sizeof *s->proc);
}

static void mark_midway(struct pending *s)
{
	const struct kernel *k = s->k;
	const struct cfg *g = s->side.g;
	uint32_t *up = new_array(s->a, uint32_t, (size_t)k->nblock + 1);
	uint32_t *stack = new_array(s->a, uint32_t, 2 * (size_t)g->succ_at[k->nblock] + 2);

	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct insn *call = ir_block_end(k, b, OPF_CALL);
		uint32_t meet = reconvergence(k, b), sides = 0;
		struct ir_targets t = { .n = 0 };

		if (k->cfg->rpo_index[b] == NONE)
			continue;
		if (call)
			t = ir_targets(k, call);
		for (uint32_t n = 0; n < t.n && t.n > 1; n++) {
			uint32_t q = s->proc_of[ir_target(&t, n)];

			for (uint32_t c = pending_first(k, q); s->proc[q].flags & SIDE_YIELDS && c < pending_end(k, q);
			     c++)
				mark_side(s, c, reconvergence(k, c), up, stack);
		}
		if (!warp_parts(k, b))
			continue;
		if (meet != NONE)
			s->meets[meet] = true;
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			sides += g->succ[e] != meet;
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1] && sides > 1; e++)
			if (g->succ[e] != meet && s->issued[e].flags & SIDE_YIELDS)
				mark_side(s, g->succ[e], meet, up, stack);
	}
}

void pending_find(struct pending *s, const struct kernel *k, bool flush, bool past_barriers, struct arena *a)
{
	size_t n = (size_t)k->nblock + 1;
	struct wsum *sent = new_array(a, struct wsum, n), *midway = new_array(a, struct wsum, pending_procs(k));

	*s = (struct pending){
		.k = k,
		.a = a,
		.flush = flush,
		.past_barriers = past_barriers,
		.wait = new_array(a, bool, (size_t)k->ninsn + 1),
		.own = new_array(a, struct wsum, n),
		.leaving = new_array(a, struct wsum, n),
		.in = new_array(a, struct wsum, n),
		.out = new_array(a, struct wsum, n),
		.sent = new_array(a, struct wsum, n),
		.exits = new_array(a, struct wsum, n),
		.mid = new_array(a, bool, n),
		.meets = new_array(a, bool, n),
		.proc = new_array(a, struct wsum, pending_procs(k)),
		.midway = new_array(a, struct wsum, pending_procs(k)),
		.proc_of = new_array(a, uint32_t, n),
		.more = true,
	};
	elsewhere_init(&s->side, k, a);
	for (uint32_t p = 0; p < pending_procs(k); p++)
		for (uint32_t b = pending_first(k, p); b < pending_end(k, p); b++)
			s->proc_of[b] = p;
	find_issued(s);
	mark_midway(s);
	for (unsigned round = 0; s->more; round++) {
		s->more = !round;
		s->grow = round >= ROUNDS;
		for (uint32_t x = 0; x < k->cfg->nrpo; x++)
			go_through(s, k->cfg->rpo[x]);
		sum(s);
		send(s, sent, midway);
	}
}

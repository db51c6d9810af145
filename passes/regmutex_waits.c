/* Where a warp waits for other warps, so that it must not hold the extended set (RegMutex, section III-A2, on
 * deadlocks, which names barriers of the CTA).
 *
 * Barriers of all kinds are rows of the opcode table. A warp also waits in a loop that goes round until another warp
 * has done something: whose exit depends on what a load that is volatile, relaxed, acquire or .cv, an atomic, or a test
 * of an mbarrier in the loop returned. The slice is backwards inside the loop: from what ends each exit of it, through
 * the definitions that reach it, to the conditions under which these and the exits are come by. What a load returns
 * depends on all stores in the loop to the same state space, or a generic address, whatever their address. What a loop
 * calls is in the loop; functions that call themselves are a loop, of which every branch is an exit. So a loop may be
 * taken for one that waits which does not (one that takes work from a queue with an atomic, for one), never the
 * reverse, but for a loop in which all that could see what others did are plain loads: then what these return is
 * undefined in PTX. */
#include "passes/regmutex.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct waits {
	const struct kernel *k;
	const struct cfg *g; /* inside functions */
	struct arena *a;
	uint8_t *wait;
	bool *source;      /* block has an instruction that sees what other warps did, or calls one */
	bool *proc_source; /* function has */
	uint32_t *proc_of;
	bool *in;                       /* block is in the loop at hand */
	uint32_t *list, n;              /* those that are */
	bool *relevant;                 /* whether and how often it executes decides when the loop ends */
	bool *ends;                     /* what its last instruction reads does */
	uint64_t (*slice)[WLIVE_WORDS]; /* registers whose values do, on entry to a block */
	/* relevant blocks above a block in the post-dominator tree; in which round */
	uint32_t *above, *counted, *stack, round;
	uint32_t memory; /* state spaces of which what is stored does: 1 << enum space */
	uint32_t proc;   /* of the loop; NONE: functions that call themselves */
	bool spins;
};

static bool sees_others(const struct insn *i)
{
	const struct op_info *o = &op_info[i->op];

	if (o->flags & OPF_ATOMIC)
		return i->ndst != 0;
	return o->flags & OPF_LOAD && (i->mods & (MOD_VOLATILE | MOD_RELAXED | MOD_ACQUIRE) || i->cop == COP_CV);
}

static uint32_t proc_end(const struct kernel *k, uint32_t p)
{
	return p + 1 < k->nproc ? k->proc[p + 1].first : k->nblock;
}

/* Functions that block b calls. */
static struct ir_targets calls_of(const struct kernel *k, uint32_t b)
{
	const struct insn *call = ir_block_end(k, b, OPF_CALL);

	return call ? ir_targets(k, call) : (struct ir_targets){ .n = 0 };
}

static void find_sources(struct waits *w)
{
	const struct kernel *k = w->k;

	for (uint32_t b = 0; b < k->nblock; b++) {
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			w->source[b] |= sees_others(&k->insn[i]);
		w->proc_source[w->proc_of[b]] |= w->source[b];
	}
	for (bool more = k->nproc > 1; more;) {
		more = false;
		for (uint32_t b = 0; b < k->nblock; b++) {
			struct ir_targets t = calls_of(k, b);

			for (uint32_t x = 0; x < t.n && !w->source[b]; x++)
				w->source[b] = w->proc_source[w->proc_of[ir_target(&t, x)]];
			more |= w->source[b] && !w->proc_source[w->proc_of[b]];
			w->proc_source[w->proc_of[b]] |= w->source[b];
		}
	}
}

/* ---- one loop ---- */
static void take(struct waits *w, uint32_t b)
{
	if (w->in[b] || w->k->cfg->rpo_index[b] == NONE)
		return;
	w->in[b] = true;
	w->list[w->n++] = b;
}

/* The functions that blocks in the list call. */
static void take_calls(struct waits *w)
{
	const struct kernel *k = w->k;

	for (uint32_t x = 0; x < w->n && k->nproc; x++) {
		struct ir_targets t = calls_of(k, w->list[x]);

		for (uint32_t c = 0; c < t.n; c++) {
			uint32_t p = w->proc_of[ir_target(&t, c)];

			for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++)
				take(w, b);
		}
	}
}

/* What i reads decides, whatever it writes: it may leave the loop. */
static bool leaves(const struct waits *w, uint32_t b, uint32_t i)
{
	uint32_t flags = op_info[w->k->insn[i].op].flags;

	return (w->ends[b] && i == w->k->block[b].first + w->k->block[b].n - 1) || flags & OPF_EXIT ||
	       (flags & OPF_RETURN && (w->proc == NONE || w->proc_of[b] == w->proc));
}

/* State spaces that i may have access to as a row of `flags`; copies have sources and destinations that the space does
 * not tell. */
static uint32_t memory_of(const struct insn *i, uint32_t flags)
{
	uint32_t has = op_info[i->op].flags;
	bool copies = has & OPF_SIDE && has & (OPF_LOAD | OPF_STORE) && !(has & OPF_ATOMIC);

	if (!copies && !(has & flags))
		return 0;
	return copies || i->space == SP_GENERIC || i->space == SP_NONE ? (1u << SP_COUNT) - 1 : 1u << i->space;
}

/* From behind i to before it. True: it decides. */
static bool step(struct waits *w, uint32_t b, uint32_t i, uint64_t *set)
{
	const struct insn *n = &w->k->insn[i];
	struct reg_use use[REG_USE_MAX];
	unsigned nuse = insn_reg_uses(w->k, n, use);
	bool decides = leaves(w, b, i) || memory_of(n, OPF_STORE | OPF_ATOMIC) & w->memory;

	for (unsigned u = 0; u < nuse; u++)
		decides |= use[u].write && bitset_has(set, use[u].reg);
	if (!decides)
		return false;
	for (unsigned u = 0; u < nuse && insn_kills(n); u++)
		if (use[u].write)
			bitset_del(set, use[u].reg);
	for (unsigned u = 0; u < nuse; u++)
		if (!use[u].write)
			bitset_add(set, use[u].reg);
	w->spins |= sees_others(n);
	return true;
}

/* Backwards through the loop, once. True: there was news. */
static bool grow_values(struct waits *w)
{
	const struct cfg *g = w->k->cfg; /* a call leads into the function, a return out of it */
	bool news = false;

	for (uint32_t x = w->n; x--;) {
		uint64_t set[WLIVE_WORDS] = { 0 };
		uint32_t b = w->list[x];
		uint32_t memory = w->memory;
		bool decides = false;

		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			for (unsigned n = 0; n < WLIVE_WORDS && w->in[g->succ[e]]; n++)
				set[n] |= w->slice[g->succ[e]][n];
		for (uint32_t i = w->k->block[b].first + w->k->block[b].n; i-- > w->k->block[b].first;)
			if (step(w, b, i, set)) {
				decides = true;
				memory |= memory_of(&w->k->insn[i], OPF_LOAD | OPF_ATOMIC);
			}
		news |= (decides && !w->relevant[b]) || memory != w->memory;
		w->relevant[b] |= decides;
		w->memory = memory;
		for (unsigned n = 0; n < WLIVE_WORDS; n++) {
			news |= (set[n] & ~w->slice[b][n]) != 0;
			w->slice[b][n] |= set[n];
		}
	}
	return news;
}

/* Relevant blocks from b up in the post-dominator tree, b included. */
static uint32_t count_above(struct waits *w, uint32_t b)
{
	uint32_t n = 0, top = 0, x = b;

	for (; x != NONE && w->counted[x] != w->round; x = reconvergence(w->k, x))
		w->stack[top++] = x;
	n = x == NONE ? 0 : w->above[x];
	while (top) {
		x = w->stack[--top];
		n += w->in[x] && w->relevant[x];
		w->above[x] = n;
		w->counted[x] = w->round;
	}
	return n;
}

/* Branches that decide whether a block that is relevant executes: it post-dominates one of their sides, not them. */
static bool grow_conditions(struct waits *w)
{
	const struct kernel *k = w->k;
	bool news = false;

	w->round++;
	for (uint32_t x = 0; x < w->n; x++) {
		uint32_t b = w->list[x], meet = reconvergence(k, b), above;

		if (w->g->succ_at[b + 1] - w->g->succ_at[b] < 2 || w->ends[b])
			continue;
		above = count_above(w, meet);
		for (uint32_t e = w->g->succ_at[b]; e < w->g->succ_at[b + 1]; e++)
			w->ends[b] |= count_above(w, w->g->succ[e]) > above;
		news |= w->ends[b];
	}
	return news;
}

/* Where the loop may be left; of functions that call themselves, whatever may choose. */
static void find_exits(struct waits *w)
{
	for (uint32_t x = 0; x < w->n; x++) {
		uint32_t b = w->list[x];

		w->ends[b] = false;
		for (uint32_t e = w->g->succ_at[b]; e < w->g->succ_at[b + 1]; e++)
			w->ends[b] |= !w->in[w->g->succ[e]] ||
				      (w->proc == NONE && w->g->succ_at[b + 1] - w->g->succ_at[b] > 1);
	}
}

static int by_number(const void *a, const void *b)
{
	return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* In reverse post-order, so that what flows backwards gets far at once. */
static void sort_list(struct waits *w)
{
	const struct cfg *c = w->k->cfg;

	for (uint32_t x = 0; x < w->n; x++)
		w->list[x] = c->rpo_index[w->list[x]];
	qsort(w->list, w->n, sizeof *w->list, by_number);
	for (uint32_t x = 0; x < w->n; x++)
		w->list[x] = c->rpo[w->list[x]];
}

/* The blocks in the list are a loop: does it wait? Empties the list. */
static void try(struct waits *w, uint32_t proc)
{
	take_calls(w);
	sort_list(w);
	w->proc = proc;
	w->memory = 0;
	w->spins = false;
	for (uint32_t x = 0; x < w->n; x++) {
		w->relevant[w->list[x]] = false;
		memset(w->slice[w->list[x]], 0, sizeof *w->slice);
	}
	find_exits(w);
	for (bool more = true; more && !w->spins;) {
		while (grow_values(w) && !w->spins)
			;
		more = grow_conditions(w);
	}
	for (uint32_t x = 0; x < w->n; x++) {
		const struct block *b = &w->k->block[w->list[x]];

		w->in[w->list[x]] = false;
		for (uint32_t i = b->first; i < b->first + b->n && w->spins; i++)
			if (w->wait[i] == WAIT_NONE)
				w->wait[i] = WAIT_SPIN;
	}
	w->n = 0;
}

/* ---- all loops ---- */
/* Headers of loops, outer ones first. */
static uint32_t sort_headers(const struct waits *w, uint32_t *header)
{
	const struct cfg *c = w->k->cfg;
	uint32_t n = w->k->nblock, *at = new_array(w->a, uint32_t, (size_t)n + 2), found = 0;

	for (uint32_t b = 0; b < n; b++)
		if (c->loop[b] == b)
			at[c->depth[b] + 1]++;
	for (uint32_t x = 0; x <= n; x++)
		at[x + 1] += at[x];
	for (uint32_t b = 0; b < n; b++)
		if (c->loop[b] == b) {
			header[at[c->depth[b]]++] = b;
			found++;
		}
	return found;
}

/* The blocks of a loop are a run of `body`: first those that are in no loop inside it, then loop after loop. */
static void try_loops(struct waits *w)
{
	const struct kernel *k = w->k;
	const struct cfg *c = k->cfg;
	size_t n = (size_t)k->nblock + 1;
	uint32_t *header = new_array(w->a, uint32_t, n), *start = new_array(w->a, uint32_t, n),
		 *size = new_array(w->a, uint32_t, n);
	uint32_t *next = new_array(w->a, uint32_t, n), *fill = new_array(w->a, uint32_t, n),
		 *body = new_array(w->a, uint32_t, n), loops = sort_headers(w, header), top = 0;
	bool *candidate = new_array(w->a, bool, n);

	for (uint32_t b = 0; b < k->nblock; b++) {
		for (uint32_t h = w->source[b] ? c->loop[b] : NONE; h != NONE && !candidate[h]; h = c->outer[h])
			candidate[h] = true;
		if (c->loop[b] != NONE)
			next[c->loop[b]] = ++size[c->loop[b]];
	}
	for (uint32_t x = loops; x--;)
		if (c->outer[header[x]] != NONE)
			size[c->outer[header[x]]] += size[header[x]];
	for (uint32_t x = 0; x < loops; x++) {
		uint32_t h = header[x], *from = c->outer[h] == NONE ? &top : &next[c->outer[h]];

		start[h] = fill[h] = *from;
		*from += size[h];
		next[h] += start[h];
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		if (c->loop[b] != NONE)
			body[fill[c->loop[b]]++] = b;
	for (uint32_t x = 0; x < loops; x++) {
		uint32_t h = header[x];

		/* in one that waits */
		if (!candidate[h] || (k->block[h].n && w->wait[k->block[h].first] == WAIT_SPIN))
			continue;
		for (uint32_t y = start[h]; y < start[h] + size[h]; y++)
			take(w, body[y]);
		try(w, w->proc_of[h]);
	}
}

/* Functions that may be called again before they return. */
static void try_recursion(struct waits *w)
{
	const struct kernel *k = w->k;

	for (uint32_t p = 1; p < k->nproc; p++) {
		bool again = false;

		if (!w->proc_source[p])
			continue;
		for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++) {
			struct ir_targets t = calls_of(k, b);

			for (uint32_t x = 0; x < t.n; x++)
				for (uint32_t q = w->proc_of[ir_target(&t, x)], s = k->proc[q].first;
				     s < proc_end(k, q); s++)
					take(w, s);
		}
		take_calls(w);
		for (uint32_t b = k->proc[p].first; b < proc_end(k, p); b++)
			again |= w->in[b];
		if (again) {
			try(w, NONE);
			continue;
		}
		while (w->n)
			w->in[w->list[--w->n]] = false;
	}
}

void regmutex_waits(const struct kernel *k, struct arena *a, uint8_t *wait)
{
	struct waits w = {
		.k = k,
		.g = k->cfg->local,
		.a = a,
		.wait = wait,
		.source = new_array(a, bool, (size_t)k->nblock + 1),
		.proc_source = new_array(a, bool, (size_t)k->nproc + 1),
		.proc_of = new_array(a, uint32_t, (size_t)k->nblock + 1),
		.in = new_array(a, bool, (size_t)k->nblock + 1),
		.list = new_array(a, uint32_t, (size_t)k->nblock + 1),
		.relevant = new_array(a, bool, (size_t)k->nblock + 1),
		.ends = new_array(a, bool, (size_t)k->nblock + 1),
		.above = new_array(a, uint32_t, (size_t)k->nblock + 1),
		.counted = new_array(a, uint32_t, (size_t)k->nblock + 1),
		.stack = new_array(a, uint32_t, (size_t)k->nblock + 1),
		.slice = arena_alloc(a, ((size_t)k->nblock + 1) * sizeof *w.slice, 8),
	};

	for (uint32_t i = 0; i < k->ninsn; i++)
		wait[i] = op_info[k->insn[i].op].flags & OPF_BARRIER ? WAIT_BARRIER : WAIT_NONE;
	for (uint32_t p = 0, b = 0; b < k->nblock; b++) {
		while (p + 1 < k->nproc && b >= k->proc[p + 1].first)
			p++;
		w.proc_of[b] = p;
	}
	find_sources(&w);
	try_loops(&w);
	try_recursion(&w);
}

/* Where the lanes of a warp that parted come together again. Our code has them meet at post-dominators, as the engine
 * does. Decoded machine code says itself where: BSSY puts the lanes that are there into a barrier, and none of them
 * passes a BSYNC of it before all have come or exited.
 *
 * So behind block b lanes meet at block P if P is what a BSYNC Bn leads to, and nothing else does; what Bn holds at the
 * end of b and there comes from one and the same BSSY; and whatever follows b gets to the BSYNC, or ends, without any
 * other word about Bn: another BSSY, a BREAK, which takes lanes out of it, a BMOV, or a call. Of several such P the one
 * whose region is the smallest, which lies inside those of the others. Without one the lanes meet nowhere: each goes on
 * by itself.
 *
 * The meeting points are a tree, as post-dominators are: P follows b on all ways, and the successors of b before P are
 * in the region of P. */
#include "elsewhere.h"

#include <string.h>

enum { BARRIERS = MREG_ALL - MREG_B0, UNSEEN = 0, UNKNOWN = 1, FROM_BSSY = 2 };
#define NONE UINT32_MAX

/* By block: what each barrier holds: FROM_BSSY + the instruction it is from. */
struct held {
	uint32_t of[BARRIERS];
};

struct meet {
	const struct kernel *k;
	const struct cfg *g; /* inside functions */
	struct held *in, *out;
	uint32_t *bsync, *from; /* by block: the barrier of the BSYNC that ends it, or NONE; what that holds there */
	uint32_t *region, *size, *parent;
	uint32_t *stack;
	uint32_t *mark; /* by block: in the region at hand */
};

/* What instruction i says about barriers. */
struct word {
	uint32_t reads, writes; /* barriers, as bits */
	bool sure;              /* it does what it says whenever it executes */
};

static struct word word_of(const struct kernel *k, const struct insn *i)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);
	struct word w = { .sure = i->guard.kind == REF_NONE && !(i->mods & MOD_MAY) };

	if (op_info[i->op].flags & (OPF_UNKNOWN | OPF_CALL))
		w.writes = (1u << BARRIERS) - 1;
	for (unsigned u = 0; u < n; u++)
		if (use[u].reg >= MREG_B0 && use[u].write)
			w.writes |= 1u << (use[u].reg - MREG_B0);
		else if (use[u].reg >= MREG_B0)
			w.reads |= 1u << (use[u].reg - MREG_B0);
	return w;
}

static bool is_bssy(const struct insn *i, const struct word *w)
{
	return i->op == OP_SASS_SYNC && w->sure && w->writes && !w->reads;
}

static bool is_bsync(const struct insn *i, const struct word *w)
{
	return i->op == OP_SASS_SYNC && w->reads && !w->writes;
}

static void step(const struct kernel *k, uint32_t insn, struct held *h)
{
	const struct insn *i = &k->insn[insn];
	const struct word w = word_of(k, i);
	const uint32_t ends = w.writes | (is_bsync(i, &w) ? w.reads : 0),
		       as = is_bssy(i, &w) ? FROM_BSSY + insn : UNKNOWN;

	for (uint32_t m = ends; m; m &= m - 1)
		h->of[__builtin_ctz(m)] = as;
}

static bool flow(struct meet *s, uint32_t b)
{
	const struct kernel *k = s->k;
	struct held h = { { UNSEEN } };

	if (s->g->pred_at[b] == s->g->pred_at[b + 1] || (k->nproc ? k->proc[ir_proc_of(k, b)].first == b : b == 0))
		for (unsigned n = 0; n < BARRIERS; n++)
			h.of[n] = UNKNOWN;
	for (uint32_t e = s->g->pred_at[b]; e < s->g->pred_at[b + 1]; e++) {
		const struct held *from = &s->out[s->g->pred[e]];

		for (unsigned n = 0; n < BARRIERS; n++)
			if (from->of[n] != UNSEEN && h.of[n] != from->of[n])
				h.of[n] = h.of[n] == UNSEEN ? from->of[n] : UNKNOWN;
	}
	s->in[b] = h;
	for (uint32_t i = 0; i < k->block[b].n; i++)
		step(k, k->block[b].first + i, &h);
	if (memcmp(&h, &s->out[b], sizeof h) == 0)
		return false;
	s->out[b] = h;
	return true;
}

static void find_bsync(struct meet *s, uint32_t b)
{
	const struct block *bb = &s->k->block[b];
	struct held h = s->in[b];
	struct word w;

	s->bsync[b] = NONE;
	if (!bb->n)
		return;
	w = word_of(s->k, &s->k->insn[bb->first + bb->n - 1]);
	if (!w.sure || !is_bsync(&s->k->insn[bb->first + bb->n - 1], &w))
		return;
	for (uint32_t i = 0; i + 1 < bb->n; i++)
		step(s->k, bb->first + i, &h);
	s->from[b] = h.of[__builtin_ctz(w.reads)];
	if (s->from[b] >= FROM_BSSY)
		s->bsync[b] = (uint32_t)__builtin_ctz(w.reads);
}

static void find_held(struct meet *s)
{
	const struct cfg *c = s->k->cfg;

	for (bool more = true; more;) {
		more = false;
		for (uint32_t x = 0; x < c->nrpo; x++)
			more |= flow(s, c->rpo[x]);
	}
	for (uint32_t b = 0; b < s->k->nblock; b++)
		find_bsync(s, b);
}

/* Whether block b says nothing about barrier n. */
static bool passes(const struct meet *s, uint32_t b, uint32_t n, uint32_t from)
{
	const struct block *bb = &s->k->block[b];

	return s->in[b].of[n] == from && s->out[b].of[n] == from &&
	       (from - FROM_BSSY < bb->first || from - FROM_BSSY >= bb->first + bb->n);
}

/* Whether some way from the end of b leaves the region of block q, which ends with a BSYNC, before q. */
static bool leaves(const struct meet *s, uint32_t b, uint32_t q)
{
	const struct block *bb = &s->k->block[b];

	if (bb->n && op_info[s->k->insn[bb->first + bb->n - 1].op].flags & OPF_RETURN)
		return true;
	for (uint32_t e = s->g->succ_at[b]; e < s->g->succ_at[b + 1]; e++) {
		const uint32_t to = s->g->succ[e];

		if (to != q && (s->mark[to] != q + 1 || !passes(s, to, s->bsync[q], s->from[q])))
			return true;
	}
	return false;
}

/* The region of q: what leads to it against the edges with the same in the barrier, less what leaves it. */
static void find_region(struct meet *s, uint32_t q, uint32_t p)
{
	const uint32_t n = s->bsync[q], from = s->from[q];
	uint32_t count = 1, top = 0;

	s->region[0] = q;
	s->mark[q] = q + 1;
	s->stack[top++] = q;
	while (top) {
		const uint32_t b = s->stack[--top];

		for (uint32_t e = s->g->pred_at[b]; e < s->g->pred_at[b + 1]; e++) {
			const uint32_t to = s->g->pred[e];

			if (s->mark[to] == q + 1 || s->out[to].of[n] != from)
				continue;
			s->mark[to] = q + 1;
			s->region[count++] = to;
			if (passes(s, to, n, from))
				s->stack[top++] = to;
		}
	}
	for (bool more = true; more;) {
		uint32_t kept = 0;

		for (uint32_t x = 0; x < count; x++) {
			const uint32_t b = s->region[x];

			if (b != q && leaves(s, b, q))
				s->mark[b] = 0;
			else
				s->region[kept++] = b;
		}
		more = kept != count;
		count = kept;
	}
	for (uint32_t x = 0; x < count; x++)
		if (s->parent[s->region[x]] == NONE || count < s->size[s->region[x]]) {
			s->parent[s->region[x]] = p;
			s->size[s->region[x]] = count;
		}
}

/* The block that nothing but q leads to, or NONE. */
static uint32_t behind(const struct meet *s, uint32_t q)
{
	const uint32_t p = s->g->succ_at[q + 1] == s->g->succ_at[q] + 1 ? s->g->succ[s->g->succ_at[q]] : NONE;

	return p != NONE && p != q && s->g->pred_at[p + 1] == s->g->pred_at[p] + 1 ? p : NONE;
}

void meet_find(const struct kernel *k, uint32_t *parent, struct arena *a)
{
	const uint32_t n = k->nblock + 1;
	struct meet s = {
		.k = k,
		.g = k->cfg->local,
		.in = new_array(a, struct held, n),
		.out = new_array(a, struct held, n),
		.bsync = new_array(a, uint32_t, n),
		.from = new_array(a, uint32_t, n),
		.region = new_array(a, uint32_t, n),
		.size = new_array(a, uint32_t, n),
		.stack = new_array(a, uint32_t, n),
		.mark = new_array(a, uint32_t, n),
		.parent = parent,
	};

	for (uint32_t b = 0; b < n; b++)
		parent[b] = NONE;
	find_held(&s);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (s.bsync[b] != NONE && behind(&s, b) != NONE)
			find_region(&s, b, behind(&s, b));
}

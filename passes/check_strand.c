/* Oracles for strands and for hints to caches, by other means than the passes.
 *
 * check_strand(). Each strand by itself: it begins at one instruction, a thread enters it nowhere else, and what a
 * thread may go through without a beginning has no cycle. Then a warp of three lanes goes through the kernel in every
 * way (passes/warp_walk.c) with a scoreboard of what long-latency operations owe, and notes which lanes lost what they
 * held: none may go on without beginning a strand, and an instruction that names an owed register must be a wait.
 *
 * check_rfc(). For each operand, every path from it to the next place that reads or overwrites its register.
 *
 * cost  what the walk takes, once for each 60 registers that are ever owed; for hints instructions x operands. Larger
 * kernels than CHECK_MAX are accepted unchecked. */
#include "passes/rfc.h"
#include "passes/strand.h"
#include "passes/warp_walk.h"

#define NONE UINT32_MAX

enum { CHECK_MAX = 4 << 20, OWED_MAX = 60 };

struct check {
	const struct kernel *k;
	struct diag *d;
	struct arena a;
	uint32_t *block_of;
	/* registers of this walk; bit 3 + n of a state's note is owed[n], bits 0 to 2 are lanes that lost */
	uint32_t owed[OWED_MAX], nowed;
};

static bool may_stop(const struct insn *i)
{
	return op_info[i->op].flags & OPF_BARRIER || op_info[i->op].flags & OPF_FENCE || i->op == OP_RF_ACQUIRE;
}

/* A barrier of the program's own, at which a warp may keep its entries; what code of others does is not known. */
static bool keeps(const struct strands *t, const struct insn *i)
{
	return t->past_barriers && op_info[i->op].flags & OPF_BARRIER && !(op_info[i->op].flags & OPF_UNKNOWN);
}

static void wrong(struct warp_walk *w, uint32_t i, const char *what, const char *reg)
{
	struct check *c = w->ctx;

	w->wrong = true;
	diag_error_plain(c->d, c->k->name, "strands are wrong at instruction %u: %s%s", i, what, reg);
}

static void visit(struct warp_walk *w, struct warp_state *s, bool entered)
{
	struct check *c = w->ctx;
	const struct strands *t = c->k->strand;
	uint32_t i = s->p[s->n - 1].pc;
	const struct insn *n = &c->k->insn[i];
	struct reg_use use[REG_USE_MAX];
	unsigned nuse = insn_reg_uses(c->k, n, use);
	uint64_t present = 0, lost = s->note & 7, owed = s->note >> WALK_LANES, lanes = s->p[s->n - 1].lanes;

	(void)entered;
	for (uint32_t x = 0; x < s->n; x++)
		present |= s->p[x].lanes;
	if (t->begin[i] & STRAND_WAIT) {
		owed = 0;
		lost = present;
	}
	if (t->begin[i] & STRAND_BEGIN)
		lost &= ~lanes;
	if (lost & lanes && !t->never_flush)
		wrong(w, i, "lanes go on in a strand although their warp was descheduled", "");
	for (unsigned u = 0; u < nuse; u++)
		for (uint32_t x = 0; x < c->nowed; x++)
			if (c->owed[x] == use[u].reg && owed >> x & 1 && !w->wrong)
				wrong(w, i, "it does not wait for ",
				      ir_print_ref(&c->a, c->k, ref_reg(use[u].reg),
						   mreg_is_pred(use[u].reg) ? 'P' : 'W'));
	for (uint32_t x = 0; x < c->nowed && n->op == OP_RF_RELEASE; x++)
		if (c->owed[x] >= c->k->base_regs && !mreg_is_pred(c->owed[x]) && owed >> x & 1 && !w->wrong)
			wrong(w, i, "the extended set is released while it is owed ",
			      ir_print_ref(&c->a, c->k, ref_reg(c->owed[x]), 'W'));
	if (may_stop(n) && !keeps(t, n))
		lost = present;
	if (may_stop(n) && !(op_info[n->op].flags & OPF_BARRIER)) /* a fence: all accesses are done */
		owed = 0;
	for (unsigned u = 0; u < nuse && insn_is_long(n); u++)
		for (uint32_t x = 0; x < c->nowed; x++)
			if (use[u].write && c->owed[x] == use[u].reg)
				owed |= (uint64_t)1 << x;
	s->note = (lost & present) | owed << WALK_LANES;
}

/* ---- each strand by itself ---- */
/* The instructions that a thread may execute after i, each with a call of f. */
static bool each_next(const struct check *c, uint32_t i, uint64_t *seen, uint32_t *stack,
		      bool (*f)(const struct check *c, uint32_t i, uint32_t next))
{
	const struct kernel *k = c->k;
	uint32_t b = c->block_of[i], top = 0;

	if (i + 1 < k->block[b].first + k->block[b].n)
		return f(c, i, i + 1);
	memset(seen, 0, bitset_words(k->nblock) * sizeof *seen);
	for (stack[top++] = b; top;) {
		b = stack[--top];
		for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++) {
			uint32_t to = k->cfg->succ[e];

			if (bitset_has(seen, to))
				continue;
			bitset_add(seen, to);
			if (!k->block[to].n)
				stack[top++] = to;
			else if (!f(c, i, k->block[to].first))
				return false;
		}
	}
	return true;
}

/* A thread enters strands at their beginnings only. */
static bool goes_on(const struct check *c, uint32_t i, uint32_t next)
{
	const struct strands *t = c->k->strand;

	return t->begin[next] & STRAND_BEGIN || t->id[next] == t->id[i] ||
	       diag_error_plain(
		       c->d, c->k->name,
		       "strands are wrong: a thread comes into strand %u in its middle, from instruction %u to %u",
		       t->id[next], i, next);
}

static bool check_entries(const struct check *c)
{
	const struct strands *t = c->k->strand;
	uint64_t *seen = bitset_new((struct arena *)&c->a, c->k->nblock);
	uint32_t *stack = new_array((struct arena *)&c->a, uint32_t, (size_t)c->k->nblock + 1), n = 0, waits = 0;

	for (uint32_t i = 0; i < c->k->ninsn; i++) {
		if (t->begin[i] & STRAND_BEGIN && t->id[i] != n++)
			return diag_error_plain(
				c->d, c->k->name,
				"strands are wrong: strand %u begins at instruction %u, behind %u others", t->id[i], i,
				n - 1);
		waits += (t->begin[i] & STRAND_WAIT) != 0;
		if (t->id[i] >= t->n ||
		    (c->k->cfg->rpo_index[c->block_of[i]] != NONE && !each_next(c, i, seen, stack, goes_on)))
			return false;
	}
	return (n == t->n && waits == t->waits && (!n || t->begin[0] & STRAND_BEGIN)) ||
	       diag_error_plain(c->d, c->k->name, "strands are wrong: %u begin with %u waits, not %u with %u", n, waits,
				t->n, t->waits);
}

/* No cycle of blocks without a beginning: blocks that begin none are taken away while one has no predecessor left. */
static bool check_cycles(const struct check *c)
{
	const struct kernel *k = c->k;
	uint32_t *preds = new_array((struct arena *)&c->a, uint32_t, (size_t)k->nblock + 1);
	uint32_t *stack = new_array((struct arena *)&c->a, uint32_t, (size_t)k->nblock + 1), top = 0, left = 0;
	bool *begins = new_array((struct arena *)&c->a, bool, (size_t)k->nblock + 1);

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			begins[b] |= (k->strand->begin[k->block[b].first + j] & STRAND_BEGIN) != 0;
	for (uint32_t b = 0; b < k->nblock; b++) {
		if (begins[b])
			continue;
		left++;
		for (uint32_t e = k->cfg->pred_at[b]; e < k->cfg->pred_at[b + 1]; e++)
			preds[b] += !begins[k->cfg->pred[e]];
		if (!preds[b])
			stack[top++] = b;
	}
	while (top) {
		uint32_t b = stack[--top];

		left--;
		for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++)
			if (!begins[k->cfg->succ[e]] && --preds[k->cfg->succ[e]] == 0)
				stack[top++] = k->cfg->succ[e];
	}
	return !left ||
	       diag_error_plain(c->d, k->name,
				"strands are wrong: %u blocks are in or behind a cycle without a beginning", left);
}

static bool prepare(struct check *c)
{
	const struct kernel *k = c->k;

	if (k->form != FORM_MACHINE || !k->ninsn || ((uint64_t)k->ninsn + k->nblock) * MREG_ALL > CHECK_MAX)
		return false;
	arena_init(&c->a);
	c->block_of = new_array(&c->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			c->block_of[k->block[b].first + j] = b;
	return true;
}

bool check_strand(const struct kernel *k, struct diag *d)
{
	struct check c = { .k = k, .d = d };
	uint64_t all[WLIVE_WORDS] = { 0 };
	bool ok;

	if (!prepare(&c))
		return true;
	ok = check_entries(&c) && check_cycles(&c);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned n = insn_is_long(&k->insn[i]) ? insn_reg_uses(k, &k->insn[i], use) : 0;

		for (unsigned u = 0; u < n; u++)
			if (use[u].write)
				bitset_add(all, use[u].reg);
	}
	for (uint32_t r = bitset_next(all, 0, MREG_ALL), first = true; ok && (first || r < MREG_ALL); first = false) {
		struct warp_walk w = { .k = k, .ctx = &c, .visit = visit };

		for (c.nowed = 0; r < MREG_ALL && c.nowed < OWED_MAX; r = bitset_next(all, r + 1, MREG_ALL))
			c.owed[c.nowed++] = r;
		warp_walk(&w);
		ok = !w.wrong;
	}
	arena_free(&c.a);
	return ok;
}

/* ---- hints for caches ---- */
/* Whether a thread that has executed instruction i, under its guard, may read what r then holds: at all, by a shared
 * unit. */
static void find_reads(const struct check *c, uint32_t i, uint32_t r, uint64_t *seen, uint32_t *stack, bool *any,
		       bool *shared)
{
	const struct kernel *k = c->k;
	uint32_t b = c->block_of[i], top = 0;

	*any = *shared = false;
	memset(seen, 0, bitset_words(k->nblock) * sizeof *seen);
	for (uint32_t j = i + 1;;) {
		bool killed = false;

		for (; j < k->block[b].first + k->block[b].n && !killed; j++) {
			struct insn_regs regs;

			ir_insn_regs(k, &k->insn[j], &regs);
			if (memchr(regs.src, (int)r, regs.nsrc)) {
				*any = true;
				*shared |= insn_is_shared(&k->insn[j]);
			}
			killed = insn_kills(&k->insn[j]) && memchr(regs.dst, (int)r, regs.ndst);
		}
		for (uint32_t e = k->cfg->succ_at[b]; !killed && e < k->cfg->succ_at[b + 1]; e++)
			if (!bitset_has(seen, k->cfg->succ[e])) {
				bitset_add(seen, k->cfg->succ[e]);
				stack[top++] = k->cfg->succ[e];
			}
		if (!top)
			return;
		b = stack[--top];
		j = k->block[b].first;
	}
}

static bool check_hint(const struct check *c, uint32_t i, uint32_t r, const char *what, bool found, bool given)
{
	return found == given ||
	       diag_error_plain(c->d, c->k->name, "hints for caches are wrong at instruction %u: R%u is %s%s", i, r,
				found ? "" : "not ", what);
}

bool check_rfc(const struct kernel *k, struct diag *d)
{
	struct check c = { .k = k, .d = d };
	uint64_t *seen;
	uint32_t *stack;
	bool ok = true;

	if (!prepare(&c))
		return true;
	seen = bitset_new(&c.a, k->nblock);
	stack = new_array(&c.a, uint32_t, (size_t)k->cfg->succ_at[k->nblock] + 1);
	for (uint32_t i = 0; ok && i < k->ninsn; i++) {
		const bool surely = !(op_info[k->insn[i].op].flags & OPF_UNKNOWN || k->insn[i].mods & MOD_MAY);
		struct insn_regs r;
		bool any, shared;

		ir_insn_regs(k, &k->insn[i], &r);
		/* of decoded code with functions, liveness knows more: which call a return belongs to */
		for (unsigned s = 0; ok && s < r.nsrc && s < RFC_SOURCES && !(k->native && k->nproc); s++) {
			find_reads(&c, i, r.src[s], seen, stack, &any, &shared);
			ok = check_hint(&c, i, r.src[s], "read for the last time",
					(surely && memchr(r.dst, r.src[s], r.ndst)) || !any, k->rfc->last[i] >> s & 1);
		}
		for (unsigned x = 0; ok && x < r.ndst && x < RFC_RESULTS; x++) {
			find_reads(&c, i, r.dst[x], seen, stack, &any, &shared);
			ok = check_hint(&c, i, r.dst[x], "for a shared unit", shared, k->rfc->shared[i] >> x & 1);
		}
		ok = ok && !(r.nsrc < RFC_SOURCES && k->rfc->last[i] >> r.nsrc) &&
		     !(r.ndst < RFC_RESULTS && k->rfc->shared[i] >> r.ndst);
	}
	arena_free(&c.a);
	return ok;
}

/* Guarded writes of decoded machine code that need not keep what they overwrite: MOD_KILLS.
 *
 * Where the guard is false, the register keeps its old value. ptxas guards a write with the predicate that guards its
 * uses, or the branch to them, so that no lane reads that value; without this, such a register would be live from the
 * start of the kernel on.
 *
 * Backwards over the graph, for each register that has a guarded write: under which literals (a predicate, or its
 * negation) its value may be read later. It is read under one of a set of them, or in any case. A read under guard g
 * adds g; a write under g takes g out, and turns "in any case" into "where g is false"; if nothing is left, the write
 * kills. A branch on g is taken where g holds: what is read at its target in any case is, before the branch, read under
 * g. A literal whose predicate is written becomes what the write says of other predicates (insn_implies()), or "in any
 * case". That is a disjunction of single literals: of two that must both hold, one is forgotten, and the set only
 * grows. What the set says is what one lane does, so that predicates of lanes say nothing of uniform registers and
 * barriers, which a warp has once.
 *
 * Nothing here asks whether a branch can be taken for other reasons; check_kills() walks all paths with what is known
 * on each. */
#include "pass.h"

#include <string.h>

#define ALWAYS UINT32_C(0x80000000)

struct kills {
	const struct kernel *k;
	uint16_t index[MREG_ALL]; /* of a register that has a guarded write, 1 + its column; else 0 */
	uint16_t reg[MREG_ALL];
	uint32_t n;
	uint32_t *in;  /* n for each block */
	uint32_t *now; /* at the point at hand */
};

static bool of_warp(uint32_t r) { return mreg_file(r) != FILE_GPR && mreg_file(r) != FILE_PRED; }

/* Bit of a literal for what is known of register r; 0: it says nothing there. */
static uint32_t literal(struct ref g, uint32_t r)
{
	if (mreg_file(g.val) == FILE_PRED)
		return of_warp(r) ? 0 : UINT32_C(1) << (2 * (g.val - MREG_P0) + g.neg);
	return UINT32_C(1) << (14 + 2 * (g.val - MREG_UP0) + g.neg);
}

static uint32_t other(uint32_t bit) { return bit & 0x05555555 ? bit << 1 : bit >> 1; }

static uint32_t join(uint32_t a, uint32_t b)
{
	uint32_t x = a | b;

	return x & ALWAYS || (x & x >> 1 & 0x05555555) ? ALWAYS : x;
}

/* What is left of a where literal g is false; where it is true. */
static uint32_t unless(uint32_t a, uint32_t g) { return a & ALWAYS ? other(g) : a & ~g; }
static uint32_t under(uint32_t a, uint32_t g) { return a & ALWAYS || a & g ? g : a & ~other(g); }

static bool is_guarded(const struct insn *i) { return i->guard.kind == REF_REG && !mreg_is_fixed(i->guard.val); }

/* The bit of a literal as insn_implies() has it, for register r; ALWAYS: it says nothing there. */
static uint32_t implied(unsigned x, uint32_t r)
{
	uint32_t n = x - IMPLIES_LITERAL, bit;
	struct ref p;

	if (x == IMPLIES_NEVER)
		return 0;
	if (x == IMPLIES_NOTHING)
		return ALWAYS;
	p = ref_reg(n / 2 < 7 ? MREG_P0 + n / 2 : MREG_UP0 + (n / 2 - 7));
	p.neg = n & 1;
	bit = literal(p, r);
	return bit ? bit : ALWAYS;
}

/* Literals of predicates that i writes, in terms of what holds before it. */
static void before_writes(struct kills *s, const struct insn *i)
{
	const bool unknown = op_info[i->op].flags & OPF_UNKNOWN;
	struct reg_use use[REG_USE_MAX];
	const unsigned n = insn_reg_uses(s->k, i, use);
	uint32_t written = 0, preds[REG_USE_MAX];
	unsigned np = 0;

	for (unsigned u = 0; u < n; u++)
		if (use[u].write && mreg_is_pred(use[u].reg)) {
			preds[np++] = use[u].reg;
			written |= literal(ref_reg(use[u].reg), use[u].reg) |
				   other(literal(ref_reg(use[u].reg), use[u].reg));
		}
	if (!np)
		return;
	for (uint32_t c = 0; c < s->n; c++) {
		const uint32_t was = s->now[c], g = is_guarded(i) && !unknown ? literal(i->guard, s->reg[c]) : 0;
		uint32_t is = was & ~written;

		if (!(was & written))
			continue;
		for (unsigned p = 0; p < np; p++)
			for (unsigned value = 0; value < 2; value++) {
				uint32_t bit = literal(ref_reg(preds[p]), preds[p]), x;

				bit = value ? bit : other(bit);
				if (!(was & bit))
					continue;
				x = unknown ? ALWAYS : implied(insn_implies(i, p, value), s->reg[c]);
				is = join(is, x && g && !(was & x & ~ALWAYS) ? g : x); /* both hold: one will do */
				if (i->guard.kind != REF_NONE || i->mods & MOD_MAY)    /* or as it was */
					is = join(is, bit);
			}
		s->now[c] = is;
	}
}

/* The registers that i writes and reads; literals are of what holds before it. */
static void step_back(struct kills *s, const struct insn *i)
{
	struct reg_use use[REG_USE_MAX];
	const unsigned n = insn_reg_uses(s->k, i, use);
	const bool unknown = op_info[i->op].flags & OPF_UNKNOWN, guarded = is_guarded(i) && !unknown;

	for (unsigned u = 0; u < n; u++) {
		const uint32_t c = s->index[use[u].reg], g = c && guarded ? literal(i->guard, use[u].reg) : 0;

		if (!c || !use[u].write || unknown)
			continue;
		if (i->guard.kind == REF_NONE)
			s->now[c - 1] = i->mods & MOD_MAY ? s->now[c - 1] : 0;
		else if (g)
			s->now[c - 1] = unless(s->now[c - 1], g);
	}
	for (unsigned u = 0; u < n; u++) {
		const uint32_t c = s->index[use[u].reg];
		uint32_t g = c && guarded && use[u].slot != 255 ? literal(i->guard, use[u].reg) : 0;

		if (!c || use[u].write)
			continue;
		if (!g && !mreg_is_pred(use[u].reg) && insn_matters(i) != IMPLIES_NOTHING)
			g = implied(insn_matters(i), use[u].reg);
		s->now[c - 1] = join(s->now[c - 1], g ? g : ALWAYS);
	}
}

/* Into s->now: what its successors need at the end of block b. */
static void meet(struct kills *s, uint32_t b)
{
	const struct cfg *g = s->k->cfg;
	const struct insn *end = ir_block_end(s->k, b, OPF_END);
	const bool guarded = end && is_guarded(end);

	memset(s->now, 0, s->n * sizeof *s->now);
	for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++) {
		const uint32_t *in = s->in + (size_t)g->succ[e] * s->n;
		struct ref taken = guarded ? end->guard : ref_none();
		bool next = g->succ[e] == b + 1;

		if (next && guarded && op_info[end->op].flags & (OPF_BRANCH | OPF_TABLE) &&
		    !(op_info[end->op].flags & OPF_CALL)) {
			struct ir_targets t = ir_targets(s->k, end);

			for (uint32_t x = 0; x < t.n && taken.kind; x++)
				if (ir_target(&t, x) == b + 1)
					taken = ref_none(); /* either way */
		}
		if (next)
			taken.neg = !taken.neg;
		for (uint32_t c = 0; c < s->n; c++) {
			const uint32_t bit = taken.kind == REF_REG ? literal(taken, s->reg[c]) : 0;

			s->now[c] = join(s->now[c], bit && in[c] ? under(in[c], bit) : in[c]);
		}
	}
}

static void find_columns(struct kills *s)
{
	for (uint32_t i = 0; i < s->k->ninsn; i++) {
		const struct insn *x = &s->k->insn[i];

		if (!is_guarded(x) || op_info[x->op].flags & OPF_UNKNOWN)
			continue;
		for (unsigned d = 0; d < x->ndst; d++) {
			const struct ref r = insn_dst(s->k, x)[d];

			if (r.kind != REF_REG || mreg_is_fixed(r.val) || s->index[r.val] || !literal(x->guard, r.val))
				continue;
			s->reg[s->n++] = (uint16_t)r.val;
			s->index[r.val] = (uint16_t)s->n;
		}
	}
}

/* Blocks in an order in which successors come first, as far as that can be; those that nothing leads to behind them. */
static uint32_t *backwards(const struct kernel *k, struct arena *a)
{
	uint32_t *order = new_array(a, uint32_t, (size_t)k->nblock + 1), n = 0;

	for (uint32_t x = k->cfg->nrpo; x--;)
		order[n++] = k->cfg->rpo[x];
	for (uint32_t b = k->nblock; b--;)
		if (k->cfg->rpo_index[b] == UINT32_MAX)
			order[n++] = b;
	return order;
}

static void solve(struct kills *s, struct arena *a)
{
	const struct kernel *k = s->k;
	const uint32_t *order = backwards(k, a);
	uint64_t *todo = bitset_new(a, k->nblock);
	bool more = true;

	memset(todo, 0xff, bitset_words(k->nblock) * sizeof *todo);
	while (more) {
		more = false;
		for (uint32_t x = 0; x < k->nblock; x++) {
			const uint32_t b = order[x];
			uint32_t *in = s->in + (size_t)b * s->n;
			bool changed = false;

			if (!bitset_has(todo, b))
				continue;
			bitset_del(todo, b);
			meet(s, b);
			for (uint32_t j = k->block[b].n; j--;) {
				before_writes(s, &k->insn[k->block[b].first + j]);
				step_back(s, &k->insn[k->block[b].first + j]);
			}
			for (uint32_t c = 0; c < s->n; c++) {
				const uint32_t now = join(in[c], s->now[c]);

				changed |= now != in[c];
				in[c] = now;
			}
			for (uint32_t e = k->cfg->pred_at[b]; changed && e < k->cfg->pred_at[b + 1]; e++) {
				bitset_add(todo, k->cfg->pred[e]);
				more = true;
			}
		}
	}
}

/* MOD_KILLS, or of the predicates alone; s->now is after the instruction, its literals of before it. */
static uint32_t kills(const struct kills *s, const struct insn *i)
{
	uint32_t found = MOD_KILLS;
	bool pred = false;

	if (!is_guarded(i) || op_info[i->op].flags & OPF_UNKNOWN || !i->ndst)
		return 0;
	for (unsigned d = 0; d < i->ndst; d++) {
		const struct ref r = insn_dst(s->k, i)[d];
		uint32_t need, g;

		if (r.kind != REF_REG || mreg_is_fixed(r.val))
			continue;
		pred |= mreg_is_pred(r.val);
		g = literal(i->guard, r.val);
		need = s->index[r.val] ? s->now[s->index[r.val] - 1] : ALWAYS;
		if (g && !(need & ~g))
			continue;
		if (mreg_is_pred(r.val))
			return 0;
		found = MOD_KILLS_PREDS;
	}
	return found == MOD_KILLS || pred ? found : 0;
}

enum pass_result pass_kills(struct kernel *k, struct pass_ctx *cx)
{
	struct arena *a = &cx->scratch;
	struct kills *s;

	if (!k->native)
		return PASS_SAME;
	s = new(a, struct kills);
	s->k = k;
	find_columns(s);
	for (uint32_t i = 0; i < k->ninsn; i++)
		k->insn[i].mods &= ~(uint32_t)(MOD_KILLS | MOD_KILLS_PREDS);
	if (!s->n)
		return PASS_SAME;
	s->in = new_array(a, uint32_t, (size_t)k->nblock * s->n);
	s->now = new_array(a, uint32_t, s->n);
	solve(s, a);
	for (uint32_t b = 0; b < k->nblock; b++) {
		meet(s, b);
		for (uint32_t j = k->block[b].n; j--;) {
			struct insn *i = &k->insn[k->block[b].first + j];

			before_writes(s, i);
			i->mods |= kills(s, i);
			step_back(s, i);
		}
	}
	return PASS_SAME;
}

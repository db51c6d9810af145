/* Oracle of pass_kills(): from each write that is said to kill, along all paths, with the predicates that are known on
 * each: the guard was false, branches tell more, writes of predicates make them unknown. No instruction that may
 * execute on a path reads an old value before a write that does. Gives up, in favour of the pass, after STATES_MAX
 * states. */
#include "pass.h"

#include "analyzer/base/rng.h"

#include <string.h>

enum { STATES_MAX = 1 << 15 };

/* Bit 2p + 1: P(p) is known to be false; 2p: true. Uniform predicates from bit 14 on. */
struct state {
	uint32_t insn, known;
};

struct search {
	const struct kernel *k;
	uint32_t reg;
	struct state *todo;
	uint32_t ntodo;
	struct state *seen; /* open hash; insn + 1 */
	uint32_t nseen;
	bool read;
	uint32_t at;
};

static uint32_t bit_of(struct ref p, bool holds)
{
	uint32_t n = mreg_file(p.val) == FILE_PRED ? p.val - MREG_P0 : 7 + p.val - MREG_UP0;

	return UINT32_C(1) << (2 * n + (holds == (bool)p.neg));
}

/* 1: p holds, 0: it does not, -1: not known. */
static int truth(uint32_t known, struct ref p)
{
	if (known & bit_of(p, true))
		return 1;
	return known & bit_of(p, false) ? 0 : -1;
}

static int guard_is(const struct insn *i, uint32_t known)
{
	if (i->guard.kind == REF_NONE)
		return 1;
	if (mreg_is_fixed(i->guard.val))
		return !i->guard.neg;
	return truth(known, i->guard);
}

static uint32_t learn(const struct insn *i, uint32_t known, bool holds)
{
	return i->guard.kind == REF_REG && !mreg_is_fixed(i->guard.val) ? known | bit_of(i->guard, holds) : known;
}

/* 1: the literal holds, 0: it does not, -1: not known. */
static int literal_is(unsigned x, uint32_t known)
{
	const uint32_t p = (x - IMPLIES_LITERAL) / 2;
	struct ref r;

	if (x < IMPLIES_LITERAL)
		return x == IMPLIES_NEVER ? 0 : -1;
	r = ref_reg(p < 7 ? MREG_P0 + p : MREG_UP0 + (p - 7));
	r.neg = (x - IMPLIES_LITERAL) & 1;
	return truth(known, r);
}

/* What is known of predicate p, the n-th that i writes, behind it. */
static uint32_t written_as(const struct insn *i, unsigned n, uint32_t p, uint32_t known)
{
	const uint32_t both = bit_of(ref_reg(p), true) | bit_of(ref_reg(p), false);
	const int holds = op_info[i->op].flags & OPF_UNKNOWN ? -1 : guard_is(i, known);
	uint32_t is = 0;

	if (!holds)
		return known & both;
	for (unsigned value = 0; value < 2; value++) /* it cannot be `value`: it is the other one */
		if (!literal_is(insn_implies(i, n, value), known))
			is |= bit_of(ref_reg(p), !value);
	return holds > 0 && !(i->mods & MOD_MAY) ? is : is & known;
}

static void visit(struct search *s, uint32_t insn, uint32_t known)
{
	const uint32_t mask = 4 * STATES_MAX - 1;
	uint32_t h = (uint32_t)mix64((uint64_t)insn << 32 | known) & mask;

	for (; s->seen[h].insn; h = (h + 1) & mask)
		if (s->seen[h].insn == insn + 1 && s->seen[h].known == known)
			return;
	if (s->nseen == STATES_MAX)
		return;
	s->nseen++;
	s->seen[h] = (struct state){ insn + 1, known };
	s->todo[s->ntodo++] = (struct state){ insn, known };
}

/* The blocks behind the end of block b; its last instruction is i. */
static void follow(struct search *s, uint32_t b, const struct insn *i, uint32_t known)
{
	const struct kernel *k = s->k;
	const bool end = op_info[i->op].flags & OPF_END;
	const int holds = end ? guard_is(i, known) : 1;
	struct ir_targets t = ir_targets(k, i);

	for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++) {
		const uint32_t to = k->cfg->succ[e];
		bool taken = op_info[i->op].flags & OPF_RETURN && to != b + 1, next = to == b + 1;

		for (uint32_t x = 0; x < t.n; x++)
			taken |= ir_target(&t, x) == to;
		if (taken && holds)
			visit(s, k->block[to].first, learn(i, known, true));
		if (next && (!end || holds <= 0 || i->mods & MOD_MAY))
			visit(s, k->block[to].first, end && !(i->mods & MOD_MAY) ? learn(i, known, false) : known);
		else if (next && op_info[i->op].flags & (OPF_CALL | OPF_RETURN))
			visit(s, k->block[to].first, known);
	}
}

static void step(struct search *s, struct state at)
{
	const struct kernel *k = s->k;
	const struct insn *i = &k->insn[at.insn];
	const uint32_t b = ir_block_of(k, at.insn);
	struct reg_use use[REG_USE_MAX];
	const unsigned n = insn_reg_uses(k, i, use);
	const int holds = guard_is(i, at.known);
	uint32_t known = at.known, forget = 0, found = 0;
	unsigned np = 0;
	bool written = false;

	for (unsigned u = 0; u < n; u++) {
		if (use[u].reg != s->reg)
			continue;
		if (!use[u].write && (use[u].slot == 255 || holds) &&
		    !(!mreg_is_pred(s->reg) && insn_matters(i) && !literal_is(insn_matters(i), known))) {
			s->read = true;
			s->at = at.insn;
			return;
		}
		written |= use[u].write;
	}
	if (written && holds == 1 && !(i->mods & MOD_MAY))
		return;
	if (written && holds < 0)
		known = learn(i, known, false);
	for (unsigned u = 0; u < n; u++)
		if (use[u].write && mreg_is_pred(use[u].reg)) {
			forget |= bit_of(ref_reg(use[u].reg), true) | bit_of(ref_reg(use[u].reg), false);
			found |= written_as(i, np++, use[u].reg, known);
		}
	known = (known & ~forget) | found;
	if (at.insn + 1 < k->block[b].first + k->block[b].n)
		visit(s, at.insn + 1, known);
	else
		follow(s, b, i, known);
}

static bool never_read(struct search *s, uint32_t insn, uint32_t reg)
{
	const struct insn *i = &s->k->insn[insn];
	const uint32_t b = ir_block_of(s->k, insn);
	uint32_t known = learn(i, 0, false);

	s->reg = reg;
	s->ntodo = s->nseen = 0;
	s->read = false;
	memset(s->seen, 0, 4 * STATES_MAX * sizeof *s->seen);
	if (insn + 1 < s->k->block[b].first + s->k->block[b].n)
		visit(s, insn + 1, known);
	else
		follow(s, b, i, known);
	while (s->ntodo && !s->read)
		step(s, s->todo[--s->ntodo]);
	return !s->read;
}

bool check_kills(const struct kernel *k, struct diag *d)
{
	struct arena a;
	struct search s = { .k = k };
	bool ok = true;

	if (!k->native)
		return true;
	arena_init(&a);
	s.todo = new_array(&a, struct state, STATES_MAX + 1);
	s.seen = new_array(&a, struct state, 4 * STATES_MAX);
	for (uint32_t i = 0; ok && i < k->ninsn; i++)
		for (unsigned n = 0; ok && k->insn[i].mods & (MOD_KILLS | MOD_KILLS_PREDS) && n < k->insn[i].ndst;
		     n++) {
			const struct ref r = insn_dst(k, &k->insn[i])[n];

			if (r.kind != REF_REG || mreg_is_fixed(r.val) || !insn_kills_reg(&k->insn[i], r.val) ||
			    never_read(&s, i, r.val))
				continue;
			ok = diag_error_plain(d, k->name,
					      "kills: instruction %u overwrites %s where its guard holds; instruction "
					      "%u may read it where it does not",
					      i, ir_print_ref(&a, k, r, 'W'), s.at);
		}
	arena_free(&a);
	return ok;
}

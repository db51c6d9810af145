/* Forward data flow over the control-flow graph, to a fixed point: sets of registers at the start of each block, and
 * one set of memories for the whole launch. As long as no address, guard or branch hangs on a value that may differ,
 * the device executes the same instructions with the same addresses as the engine did, so that the memories which an
 * instruction touched there are those that it touches on the device. */
#include "runtime-model/hardware/flow.h"

#include "analyzer/sass/table.h"
#include "passes/pass.h"

#include <string.h>

struct state {
	struct flow *f;
	unsigned words, regs; /* of a set of memories; of a set of registers */
	uint64_t *in;         /* by block */
	uint64_t *now;
	const bool *source; /* by instruction: it is excluded */
	bool changed;
};

static bool is_data(const struct sass_operand *o) { return !o->write && (o->role == SROLE_B || o->role == SROLE_C); }

/* Is register r of a store or an atomic nothing but data? */
static bool native_data(const struct kernel *k, const struct insn *i, uint32_t r)
{
	const uint64_t *word = k->native->word[i - k->insn];
	struct sass_insn s;
	bool data = false;

	if (!sass_decode(k->native->sm, (struct sass_word){ word[0], word[1] }, &s))
		return false;
	for (unsigned n = 0; n < s.nop; n++) {
		const struct sass_operand *o = &s.op[n];
		const uint32_t first = o->reg + (o->kind == SASS_UGPR ? MREG_UR0 : 0);

		if (o->write || (o->kind != SASS_GPR && o->kind != SASS_UGPR) || r < first || r >= first + o->n)
			continue;
		if (!is_data(o))
			return false;
		data = true;
	}
	return data;
}

static bool is_address(const struct kernel *k, const struct insn *i, const struct reg_use *use)
{
	if (k->native)
		return !native_data(k, i, use->reg);
	return use->slot == i->ndst && insn_has_address(i);
}

static bool touches(const struct state *s, uint32_t n)
{
	const uint64_t *of = s->f->touched + (size_t)n * s->words;

	for (unsigned w = 0; w < s->words; w++)
		if (of[w] & s->f->differs[w])
			return true;
	return false;
}

static void spoil(struct state *s, uint32_t n)
{
	const uint64_t *of = s->f->touched + (size_t)n * s->words;

	for (unsigned w = 0; w < s->words; w++) {
		s->changed |= (of[w] & ~s->f->differs[w]) != 0;
		s->f->differs[w] |= of[w];
	}
}

static void decide(struct state *s, uint32_t n)
{
	s->changed |= s->f->decided == UINT32_MAX;
	s->f->decided = s->f->decided == UINT32_MAX ? n : s->f->decided;
}

/* What an instruction reads of what may differ. */
struct reads {
	bool any, address, guard;
};

static struct reads reads_of(const struct state *s, const struct insn *i, const struct reg_use *use, unsigned n)
{
	struct reads r = { false, false, false };

	for (unsigned j = 0; j < n; j++) {
		if (use[j].write || !bitset_has(s->now, use[j].reg))
			continue;
		r.any = true;
		if (i->guard.kind == REF_REG && i->guard.val == use[j].reg)
			r.guard = true;
		else
			r.address |= is_address(s->f->k, i, &use[j]);
	}
	return r;
}

static void step(struct state *s, uint32_t n)
{
	enum {
		CONTROL =
			OPF_BRANCH | OPF_EXIT | OPF_CALL | OPF_RETURN | OPF_TABLE | OPF_BARRIER | OPF_END | OPF_UNKNOWN
	};
	const struct kernel *k = s->f->k;
	const struct insn *i = &k->insn[n];
	const unsigned flags = op_info[i->op].flags, memory = flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC);
	struct reg_use use[REG_USE_MAX];
	const unsigned uses = insn_reg_uses(k, i, use);
	const struct reads r = reads_of(s, i, use, uses);
	const bool loads = flags & (OPF_LOAD | OPF_ATOMIC) && touches(s, n);
	const bool differs = r.any || loads || s->source[n], copies = memory == OPF_LOAD && !i->ndst;

	if (r.any && (flags & CONTROL || (flags & OPF_SIDE && !memory)))
		decide(s, n);
	if (flags & (OPF_STORE | OPF_ATOMIC) && (r.address || r.guard))
		decide(s, n);
	if (copies && differs) /* to memory, later and unseen */
		decide(s, n);
	if (flags & (OPF_STORE | OPF_ATOMIC) && differs)
		spoil(s, n);
	for (unsigned j = 0; j < uses; j++) {
		if (!use[j].write)
			continue;
		if (differs)
			bitset_add(s->now, use[j].reg);
		else if (insn_kills_reg(i, use[j].reg))
			bitset_del(s->now, use[j].reg);
	}
}

static void enter(struct state *s, uint32_t b)
{
	uint64_t *in = s->in + (size_t)b * s->regs;

	for (unsigned w = 0; w < s->regs; w++) {
		s->changed |= (s->now[w] & ~in[w]) != 0;
		in[w] |= s->now[w];
	}
}

void flow_run(struct flow *f, struct arena *a)
{
	const struct kernel *k = f->k;
	const struct cfg *g = k->cfg;
	struct state s = { .f = f, .words = flow_words(f->pieces), .regs = bitset_words(ir_nreg(k)) };

	bool *source = new_array(a, bool, k->ninsn + 1);

	for (uint32_t n = 0; n < k->ninsn; n++)
		source[n] = excluded(k, n, f->mufu);
	s.source = source;
	f->decided = UINT32_MAX;
	s.in = new_array(a, uint64_t, (size_t)k->nblock * s.regs + 1);
	s.now = new_array(a, uint64_t, s.regs);
	do {
		s.changed = false;
		for (uint32_t at = 0; at < g->nrpo; at++) {
			const struct block *b = &k->block[g->rpo[at]];

			memcpy(s.now, s.in + (size_t)g->rpo[at] * s.regs, s.regs * sizeof *s.now);
			for (uint32_t n = 0; n < b->n; n++)
				step(&s, b->first + n);
			for (uint32_t e = g->succ_at[g->rpo[at]]; e < g->succ_at[g->rpo[at] + 1]; e++)
				enter(&s, g->succ[e]);
		}
	} while (s.changed && f->decided == UINT32_MAX);
}

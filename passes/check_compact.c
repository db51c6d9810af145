/* Oracle of index compaction, by symbolic execution of one thread on every way, after check_alloc.c.
 *
 * The state says of each register of the new code which registers of the old code it has the current value of. A kept
 * instruction must be the old one with other registers, and each register that it reads must have the value of the one
 * that the old one reads; what it writes then has the value of what that writes, and nothing else has. A MOV that was
 * put in copies what is known of its source. Where ways meet, what both say stays. A register that nothing has defined
 * yet has no value to keep: any place will do. A guarded write leaves other threads what they had: the place has the
 * new value only if it had the old one.
 *
 * What follows an instruction must be what followed it, past what was put in. Then the rule: without the extended set
 * nothing in it is named, and nothing alive. */
#include "passes/regmutex_compact.h"

enum { WORDS = (MREG_RZ + 63) / 64 };
#define CHECK_MAX (64u << 20) /* bytes of states; a kernel that needs more is not checked */

/* a set of registers of the old code */
struct row {
	uint64_t w[WORDS];
};

/* has: by register of the new code */
struct state {
	bool reached;
	struct row undef, *has;
};

struct check {
	const struct kernel *was, *is;
	const struct compact_result *out;
	uint32_t n, base;       /* registers; of the base set */
	struct state now, *end; /* end: by block of the new code */
	struct diag *d;
	bool report, failed;
};

static bool wrong(struct check *c, uint32_t i, const char *what)
{
	if (c->report && !c->failed)
		diag_error_plain(c->d, c->is->name, "compaction: instruction %u (%s): %s", i,
				 i < c->is->ninsn ? op_info[c->is->insn[i].op].id : "end", what);
	c->failed |= c->report;
	return false;
}

/* ---- the same instructions in the same order ---- */
/* The old instruction that is executed when the new code goes on at i; ninsn of the old code: none. */
static uint32_t lands(const struct check *c, uint32_t i)
{
	for (uint32_t steps = 0; i < c->is->ninsn && steps <= c->is->ninsn; steps++) {
		uint32_t o = c->out->origin[i];

		if (o < COMPACT_MOVE)
			return o;
		i = o == COMPACT_MOVE ? i + 1 : c->is->block[insn_src(c->is, &c->is->insn[i])[0].val].first;
	}
	return c->was->ninsn;
}

static bool same_targets(const struct check *c, const struct insn *was, const struct insn *is)
{
	struct ir_targets a = ir_targets(c->was, was), b = ir_targets(c->is, is);

	if (a.n != b.n)
		return false;
	for (uint32_t t = 0; t < a.n; t++)
		if (lands(c, c->is->block[ir_target(&b, t)].first) != c->was->block[ir_target(&a, t)].first)
			return false;
	return true;
}

static bool same_code(struct check *c)
{
	const struct kernel *k = c->was, *m = c->is;
	uint64_t *seen = bitset_new(m->a, k->ninsn);
	uint32_t n = 0;

	if (lands(c, 0) != 0 || k->nproc != m->nproc)
		return wrong(c, 0, "begins elsewhere");
	for (uint32_t p = 0; p < k->nproc; p++)
		if (lands(c, m->block[m->proc[p].first].first) != k->block[k->proc[p].first].first)
			return wrong(c, m->block[m->proc[p].first].first, "a function begins elsewhere");
	for (uint32_t i = 0; i < m->ninsn; i++) {
		const struct insn *is = &m->insn[i], *was;
		uint32_t o = c->out->origin[i], flags = op_info[is->op].flags;

		if (o == COMPACT_MOVE ? is->op != OP_MOV_B32 || insn_dst(m, is)->kind != REF_REG ||
						insn_src(m, is)->kind != REF_REG
				      : o == COMPACT_JUMP && is->op != OP_BRA)
			return wrong(c, i, "was put in, and is no MOV");
		if (o >= COMPACT_MOVE) {
			if (is->guard.kind != REF_NONE)
				return wrong(c, i, "was put in with a guard");
			continue;
		}
		if (o >= k->ninsn || bitset_has(seen, o))
			return wrong(c, i, "comes from nowhere");
		bitset_add(seen, o);
		n++;
		was = &k->insn[o];
		if (was->op != is->op || was->ndst != is->ndst || was->nsrc != is->nsrc || was->space != is->space ||
		    was->vec != is->vec || was->cop != is->cop || was->cbool != is->cbool || was->mods != is->mods ||
		    memcmp(&was->guard, &is->guard, sizeof was->guard) != 0 ||
		    (!(flags & OPF_TABLE) && was->offset != is->offset))
			return wrong(c, i, "is not the instruction that it came from");
		if (!same_targets(c, was, is))
			return wrong(c, i, "goes elsewhere");
		if ((!(flags & OPF_END) || !insn_kills(is) || flags & OPF_CALL) && lands(c, i + 1) != o + 1)
			return wrong(c, i, "is followed by something else");
	}
	return n == k->ninsn || wrong(c, m->ninsn, "instructions are missing");
}

/* ---- values ---- */
static bool holds(const struct check *c, uint32_t reg, uint32_t was)
{
	return bitset_has(c->now.undef.w, was) || (reg < c->n && bitset_has(c->now.has[reg].w, was));
}

static void write(struct check *c, uint32_t reg, uint32_t was, bool guarded)
{
	bool whole = !guarded || holds(c, reg, was);

	for (uint32_t r = 0; r < c->n; r++)
		bitset_del(c->now.has[r].w, was);
	c->now.has[reg] = (struct row){ { 0 } };
	if (whole)
		bitset_add(c->now.has[reg].w, was);
	bitset_del(c->now.undef.w, was);
}

static bool is_general(struct ref r) { return r.kind == REF_REG && r.val < MREG_RZ; }

static bool step(struct check *c, uint32_t i)
{
	const struct kernel *m = c->is, *k = c->was;
	const struct insn *is = &m->insn[i], *was;
	uint32_t o = c->out->origin[i];

	if (o == COMPACT_JUMP)
		return true;
	if (o == COMPACT_MOVE) {
		if (insn_dst(m, is)->val >= c->n || insn_src(m, is)->val >= c->n)
			return wrong(c, i, "a MOV of a register that there is not");
		c->now.has[insn_dst(m, is)->val] = c->now.has[insn_src(m, is)->val];
		return true;
	}
	was = &k->insn[o];
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned s = pass ? 0 : is->ndst; s < (pass ? is->ndst : is->ndst + (unsigned)is->nsrc); s++) {
			struct ref a = k->opnd[was->opnd + s], b = m->opnd[is->opnd + s];
			uint32_t n = insn_operand_class(m, is, s) == RC_64 ? 2 : 1;

			if (a.kind != b.kind || a.neg != b.neg || a.abs != b.abs || is_general(a) != is_general(b) ||
			    (!is_general(a) && a.val != b.val && a.kind != REF_BLOCK))
				return wrong(c, i, "an operand changed");
			for (uint32_t h = 0; h < n && is_general(a); h++) {
				if (b.val + h >= c->n)
					return wrong(c, i, "names a register that there is not");
				if (pass)
					write(c, b.val + h, a.val + h, is->guard.kind != REF_NONE);
				else if (c->report && !holds(c, b.val + h, a.val + h))
					return wrong(c, i, "reads a register that does not have the value");
			}
		}
	return true;
}

static void enter(struct check *c, uint32_t b)
{
	const struct cfg *g = c->is->cfg;
	bool first = true;

	if (b == 0) {
		memset(c->now.undef.w, 0xff, sizeof c->now.undef.w);
		memset(c->now.has, 0, c->n * sizeof *c->now.has);
		first = false;
	}
	for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++) {
		const struct state *p = &c->end[g->pred[e]];

		if (!p->reached)
			continue;
		for (unsigned w = 0; w < WORDS; w++) {
			for (uint32_t r = 0; r < c->n; r++) {
				uint64_t has = p->has[r].w[w] | p->undef.w[w], *now = &c->now.has[r].w[w];

				*now = first ? has : (*now | c->now.undef.w[w]) & has;
			}
			c->now.undef.w[w] = first ? p->undef.w[w] : c->now.undef.w[w] & p->undef.w[w];
		}
		first = false;
	}
}

static bool walk(struct check *c, uint32_t b)
{
	for (uint32_t i = c->is->block[b].first; i < c->is->block[b].first + c->is->block[b].n; i++)
		if (!step(c, i))
			return false;
	return true;
}

static bool leave(struct check *c, uint32_t b, struct arena *a)
{
	struct state *e = &c->end[b];

	if (e->reached && memcmp(&e->undef, &c->now.undef, sizeof e->undef) == 0 &&
	    memcmp(e->has, c->now.has, c->n * sizeof *e->has) == 0)
		return false;
	if (!e->reached)
		e->has = new_array(a, struct row, (size_t)c->n + 1);
	e->reached = true;
	e->undef = c->now.undef;
	memcpy(e->has, c->now.has, c->n * sizeof *e->has);
	return true;
}

static bool same_values(struct check *c, struct arena *a)
{
	const struct cfg *g = c->is->cfg;

	c->report = false;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t n = 0; n < g->nrpo; n++) {
			enter(c, g->rpo[n]);
			if (!walk(c, g->rpo[n])) {
				c->report = true;
				enter(c, g->rpo[n]);
				return walk(c, g->rpo[n]);
			}
			more |= leave(c, g->rpo[n], a);
		}
	}
	c->report = true;
	for (uint32_t n = 0; n < g->nrpo; n++) {
		enter(c, g->rpo[n]);
		if (!walk(c, g->rpo[n]))
			return false;
	}
	return true;
}

/* ---- the rule ---- */
static bool alive_above(const struct check *c, const uint64_t *set)
{
	uint32_t r = bitset_next(set, c->base, MREG_RZ);

	return r < MREG_RZ;
}

static bool released_clean(struct check *c)
{
	const struct kernel *k = c->is;
	const uint8_t *hold = c->out->hold;
	uint64_t set[WLIVE_WORDS];

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, end = first + k->block[b].n;

		for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1] && end > first; e++) {
			live_copy(set, live_in(k, k->cfg->succ[e]), MREG_ALL);
			if (alive_above(c, set) && !(hold[end - 1] && hold[k->block[k->cfg->succ[e]].first]))
				return wrong(c, end - 1, "something is alive above the base set behind it");
		}
		live_copy(set, live_out(k, b), MREG_ALL);
		for (uint32_t i = end; i-- > first;) {
			struct insn_regs r;
			uint32_t top = 0;

			if (i + 1 < end && alive_above(c, set) && !(hold[i] && hold[i + 1]))
				return wrong(c, i, "something is alive above the base set behind it");
			ir_insn_regs(k, &k->insn[i], &r);
			for (unsigned s = 0; s < r.nsrc; s++)
				top = r.src[s] + 1u > top ? r.src[s] + 1u : top;
			for (unsigned s = 0; s < r.ndst; s++)
				top = r.dst[s] + 1u > top ? r.dst[s] + 1u : top;
			if (!hold[i] && top > c->base)
				return wrong(c, i, "names a register above the base set");
			live_step_back(k, &k->insn[i], set);
		}
	}
	live_copy(set, live_in(k, 0), MREG_ALL);
	return !alive_above(c, set) || wrong(c, 0, "something is alive above the base set at the entry");
}

bool check_compact(const struct kernel *before, const struct kernel *after, uint32_t base,
		   const struct compact_result *out, struct diag *d)
{
	struct check c = { .was = before, .out = out, .n = before->res.regs, .base = base, .d = d, .report = true };
	struct pass_ctx cx;
	struct arena a;
	struct kernel *is;
	bool ok;

	arena_init(&a);
	pass_ctx_init(&cx, d);
	cx.opt.check = false;
	c.is = is = ir_clone(after, &a);
	ok = same_code(&c) && pass_need(is, FACT_CFG | FACT_LIVE, &cx);
	if (ok && (uint64_t)is->nblock * c.n * sizeof(struct row) <= CHECK_MAX) {
		c.end = new_array(&a, struct state, (size_t)is->nblock + 1);
		c.now.has = new_array(&a, struct row, (size_t)c.n + 1);
		ok = same_values(&c, &a);
	}
	c.report = true;
	ok = ok && released_clean(&c);
	pass_ctx_free(&cx);
	arena_free(&a);
	return ok;
}

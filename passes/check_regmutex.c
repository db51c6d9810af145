/* Oracle for acquire and release: a warp of three lanes goes through the variant in every way (passes/warp_walk.c),
 * with its state. Wherever it may be without the extended set, the instruction that it executes names no register of
 * it, and none is alive there, nor where other lanes wait; and where it waits for other warps it is without. That knows
 * nothing of regions, edges or sides; where a warp waits it takes from regmutex_waits().
 *
 * What is alive in a function depends on who called it: a register that one caller keeps over the call may be dead for
 * another, which has released the set. So liveness is found twice for each function, as if its callers read nothing
 * behind it and as if they read everything; a register that is in the second alone is alive if it is behind the call
 * that the warp came by.
 *
 * cost  what the walk takes; larger kernels than it can go through are accepted as far as it comes. */
#include "passes/regmutex.h"
#include "passes/warp_walk.h"

#include <string.h>

/* general registers of the extended set */
enum { WORDS = (MREG_RZ + 63) / 64 };
struct regs {
	uint64_t w[WORDS];
};
/* alive, if behind the function nothing of it is read; if all of it may be */
struct alive {
	struct regs own, kept;
};

struct check {
	const struct kernel *k;
	struct diag *d;
	struct arena a;
	struct alive *before; /* by instruction */
	uint16_t *named;
	uint8_t *waits;
};

static void join(struct regs *to, const struct regs *from)
{
	for (unsigned x = 0; x < WORDS; x++)
		to->w[x] |= from->w[x];
}

/* Alive where *at is, if *behind is alive behind its function. */
static struct regs alive_with(const struct alive *at, const struct regs *behind)
{
	struct regs r = at->own;

	for (unsigned x = 0; x < WORDS; x++)
		r.w[x] |= at->kept.w[x] & behind->w[x];
	return r;
}

/* A register that is alive for the lanes of path x, in the calls that it is in; or 0. */
static uint32_t alive_in(const struct check *c, const struct warp_state *s, uint32_t x)
{
	struct regs behind = { { 0 } };
	uint32_t r;

	for (uint32_t y = 0; y < x; y++)
		if (s->p[y].call)
			behind = alive_with(&c->before[s->p[y].pc], &behind);
	behind = alive_with(&c->before[s->p[x].pc], &behind);
	r = bitset_next(behind.w, c->k->base_regs, MREG_RZ);
	return r < MREG_RZ ? r : 0;
}

static void wrong(struct warp_walk *w, const char *what, uint32_t i, uint32_t at, uint32_t r)
{
	struct check *c = w->ctx;

	w->wrong = true;
	if (r)
		diag_error_plain(
			c->d, c->k->name,
			"regmutex: at instruction %u the extended set may be released, but R%u %s instruction %u", i, r,
			what, at);
	else
		diag_error_plain(
			c->d, c->k->name,
			"regmutex: at instruction %u the extended set may be held, but a warp waits there for others",
			i);
}

static void visit(struct warp_walk *w, struct warp_state *s, bool entered)
{
	const struct check *c = w->ctx;
	uint32_t i = s->p[s->n - 1].pc;

	(void)entered;
	if (s->note && c->waits[i])
		wrong(w, NULL, i, i, 0);
	if (!s->note && c->named[i])
		wrong(w, "is named by", i, i, c->named[i]);
	for (uint32_t x = 0; !s->note && x < s->n && !w->wrong; x++)
		if ((x + 1 == s->n || warp_waiting(s, x)) && alive_in(c, s, x))
			wrong(w, x + 1 == s->n ? "is alive before" : "is alive for lanes that wait at", i, s->p[x].pc,
			      alive_in(c, s, x));
	if (c->k->insn[i].op == OP_RF_ACQUIRE)
		s->note = 1;
	if (c->k->insn[i].op == OP_RF_RELEASE)
		s->note = 0;
}

/* Over a call, from behind it to before it. */
static void step_call(const struct check *c, const struct insn *call, struct alive *now)
{
	struct ir_targets t = ir_targets(c->k, call);
	struct alive entry = { { { 0 } }, { { 0 } } }, over;

	if (!t.n)
		return;
	for (uint32_t x = 0; x < t.n; x++) {
		const struct block *b = &c->k->block[ir_target(&t, x)];

		join(&entry.own, &c->before[b->first].own);
		join(&entry.kept, &c->before[b->first].kept);
	}
	over.own = alive_with(&entry, &now->own);
	over.kept = alive_with(&entry, &now->kept);
	if (call->guard.kind != REF_NONE) {
		join(&over.own, &now->own);
		join(&over.kept, &now->kept);
	}
	*now = over;
}

/* From behind instruction i to before it. */
static void step(const struct check *c, const struct insn *i, struct alive *now)
{
	const uint32_t flags = op_info[i->op].flags;
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(c->k, i, use);

	if (flags & (OPF_EXIT | OPF_RETURN) && i->guard.kind == REF_NONE)
		*now = (struct alive){ { { 0 } }, { { 0 } } };
	if (flags & OPF_RETURN)
		memset(&now->kept, 0xff, sizeof now->kept);
	if (flags & OPF_CALL)
		step_call(c, i, now);
	for (unsigned u = 0; u < n; u++)
		if (use[u].write && use[u].reg < MREG_RZ && insn_kills_reg(i, use[u].reg)) {
			bitset_del(now->own.w, use[u].reg);
			bitset_del(now->kept.w, use[u].reg);
		}
	for (unsigned u = 0; u < n; u++)
		if (!use[u].write && use[u].reg < MREG_RZ) {
			bitset_add(now->own.w, use[u].reg);
			bitset_add(now->kept.w, use[u].reg);
		}
}

/* Backwards through block b; true: something is new at an instruction. at: by block, alive at its start. */
static bool go_through(struct check *c, uint32_t b, struct alive *at)
{
	const struct cfg *g = c->k->cfg->local;
	const struct block *bb = &c->k->block[b];
	struct alive now = { { { 0 } }, { { 0 } } };
	bool news = false;

	for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++) {
		join(&now.own, &at[g->succ[e]].own);
		join(&now.kept, &at[g->succ[e]].kept);
	}
	for (uint32_t i = bb->first + bb->n; i-- > bb->first;) {
		step(c, &c->k->insn[i], &now);
		news |= memcmp(&c->before[i], &now, sizeof now) != 0;
		c->before[i] = now;
	}
	news |= memcmp(&at[b], &now, sizeof now) != 0;
	at[b] = now;
	return news;
}

static void prepare(struct check *c)
{
	const struct kernel *k = c->k;
	struct alive *at = new_array(&c->a, struct alive, (size_t)k->nblock + 1);

	c->before = new_array(&c->a, struct alive, (size_t)k->ninsn + 1);
	c->named = new_array(&c->a, uint16_t, (size_t)k->ninsn + 1);
	c->waits = new_array(&c->a, uint8_t, (size_t)k->ninsn + 1);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = k->nblock; b--;)
			more |= go_through(c, b, at);
	}
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs regs;

		ir_insn_regs(k, &k->insn[i], &regs);
		for (unsigned x = 0; x < regs.nsrc; x++)
			c->named[i] = regs.src[x] >= k->base_regs ? regs.src[x] : c->named[i];
		for (unsigned x = 0; x < regs.ndst; x++)
			c->named[i] = regs.dst[x] >= k->base_regs ? regs.dst[x] : c->named[i];
	}
	/* Of decoded code, values may seem alive where the kernel begins: nothing has written them. */
	if (k->native && k->nblock && k->block[0].n)
		c->before[k->block[0].first] = (struct alive){ { { 0 } }, { { 0 } } };
}

bool check_regmutex(const struct kernel *k, bool rules, bool *all, struct diag *d)
{
	struct check c = { .k = k, .d = d };
	struct warp_walk w = { .k = k, .ctx = &c, .visit = visit };

	if (all)
		*all = false;
	if (!k->base_regs || !k->ninsn || ((uint64_t)k->ninsn + k->nblock) * MREG_ALL > CHECK_REGMUTEX_MAX)
		return true;
	arena_init(&c.a);
	prepare(&c);
	if (rules)
		regmutex_waits(k, &c.a, c.waits);
	warp_walk(&w);
	arena_free(&c.a);
	if (all)
		*all = !w.cut;
	return !w.wrong;
}

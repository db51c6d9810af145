/* Oracle for acquire and release: a warp of three lanes goes through the variant in every way (passes/warp_walk.c),
 * with its state. Wherever it may be without the extended set, the instruction that it executes names no register of
 * it, and none is alive there, nor where other lanes wait; and where it waits for other warps it is without. That knows
 * nothing of regions, edges or sides; where a warp waits it takes from regmutex_waits().
 *
 * cost  what the walk takes; larger kernels than it can go through are accepted as far as it comes. */
#include "passes/regmutex.h"
#include "passes/warp_walk.h"

struct check {
	const struct kernel *k;
	struct diag *d;
	struct arena a;
	/* by instruction: a register of the extended set that is alive before it, or 0 */
	uint16_t *alive;
	uint16_t *named;
	uint8_t *waits;
};

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
		if (x + 1 == s->n || warp_waiting(s, x))
			if (c->alive[s->p[x].pc])
				wrong(w, x + 1 == s->n ? "is alive before" : "is alive for lanes that wait at", i,
				      s->p[x].pc, c->alive[s->p[x].pc]);
	if (c->k->insn[i].op == OP_RF_ACQUIRE)
		s->note = 1;
	if (c->k->insn[i].op == OP_RF_RELEASE)
		s->note = 0;
}

static void prepare(struct check *c)
{
	const struct kernel *k = c->k;
	uint64_t *set = bitset_new(&c->a, MREG_ALL);

	c->alive = new_array(&c->a, uint16_t, (size_t)k->ninsn + 1);
	c->named = new_array(&c->a, uint16_t, (size_t)k->ninsn + 1);
	c->waits = new_array(&c->a, uint8_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		live_copy(set, live_out(k, b), MREG_ALL);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j, r;
			struct insn_regs regs;

			live_step_back(k, &k->insn[i], set);
			r = bitset_next(set, k->base_regs, MREG_RZ);
			c->alive[i] = (uint16_t)(r < MREG_RZ ? r : 0);
			ir_insn_regs(k, &k->insn[i], &regs);
			for (unsigned x = 0; x < regs.nsrc; x++)
				c->named[i] = regs.src[x] >= k->base_regs ? regs.src[x] : c->named[i];
			for (unsigned x = 0; x < regs.ndst; x++)
				c->named[i] = regs.dst[x] >= k->base_regs ? regs.dst[x] : c->named[i];
		}
	}
}

/* Of decoded code, values may seem alive where the kernel begins: nothing has written them. */
static void begin_empty(struct check *c)
{
	if (c->k->native && c->k->nblock && c->k->block[0].n)
		c->alive[c->k->block[0].first] = 0;
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
	begin_empty(&c);
	if (rules)
		regmutex_waits(k, &c.a, c.waits);
	warp_walk(&w);
	arena_free(&c.a);
	if (all)
		*all = !w.cut;
	return !w.wrong;
}

/* What poison mode spoils: registers that liveness calls dead behind each instruction, that are given back for the
 * whole warp, or of which other lanes need nothing (docs/RECORDS.md); and which instructions of a variant have to do
 * with its extended set. Listed once for each launch, in time linear in the code. */
#include "runtime-model/engine/core.h"

#include "passes/regmutex.h"
#include "passes/uniform.h"

struct listing {
	struct program *p;
	const struct kernel *k;
	struct arena *a, scratch; /* the engine's, of the lists; until they are made */
	uint32_t kill_cap, nkill;
};

static void kill(struct listing *l, uint32_t at)
{
	arena_grow(l->a, l->p->kill_list, l->nkill, l->kill_cap);
	l->p->kill_list[l->nkill++] = at;
}

static bool is_pred(const struct kernel *k, uint32_t r)
{
	return k->form == FORM_MACHINE ? mreg_is_pred(r) : k->vreg[r].rc == RC_PRED;
}

/* After each instruction: what was live before it or written by it, and is not live after it. */
static void list_kills(struct listing *l)
{
	const struct kernel *k = l->k;
	uint64_t *after = bitset_new(&l->scratch, ir_nreg(k));

	l->p->kill = new_array(l->a, struct kill_list, k->ninsn);
	l->p->block_of = new_array(l->a, uint32_t, k->ninsn);
	for (uint32_t b = 0; b < k->nblock; b++) {
		live_put(live_out(k, b), after);
		for (uint32_t n = k->block[b].n; n--;) {
			uint32_t at = k->block[b].first + n;
			struct kill_list *kl = &l->p->kill[at];
			struct reg_use use[REG_USE_MAX];
			unsigned nuse = insn_reg_uses(k, &k->insn[at], use);

			l->p->block_of[at] = b;
			kl->first = l->nkill;
			for (unsigned pass = 0; pass < 2; pass++)
				for (unsigned u = 0; u < nuse; u++) {
					uint32_t r = use[u].reg;
					bool seen = bitset_has(after, r);

					for (unsigned v = 0; v < u; v++)
						seen |= use[v].reg == r;
					if (seen || is_pred(k, r) != (pass == 1) || l->p->slot[r] == UINT32_MAX)
						continue;
					kill(l, l->p->slot[r]);
					kl->nreg += pass == 0;
					kl->npred += pass == 1;
					if (!pass && k->form == FORM_VIRTUAL && k->vreg[r].rc == RC_64) {
						kill(l, l->p->slot[r] + WARP_LANES);
						kl->nreg++;
					}
				}
			live_step_back(k, &k->insn[at], after);
		}
		live_take(live_in(k, b), after);
	}
}

static struct kill_list list_given(struct listing *l, const uint16_t *reg, uint32_t n)
{
	struct kill_list kl = { .first = l->nkill };

	for (uint32_t x = 0; x < n; x++)
		if (l->p->slot[reg[x]] != UINT32_MAX) {
			kill(l, l->p->slot[reg[x]]);
			kl.nreg++;
		}
	return kl;
}

/* What k->release says is dead for the whole warp, and k->uniform, if it is valid, of what is written. */
static void list_releases(struct listing *l)
{
	const struct kernel *k = l->k;
	const struct release *given = k->release;

	if (k->form != FORM_MACHINE)
		return;
	for (uint32_t i = 0; k->facts & FACT_UNIFORM && i < k->ninsn; i++) {
		struct insn_regs r;
		uint16_t over[INSN_DST_MAX];
		uint32_t n = 0;

		if (!l->p->over)
			l->p->over = new_array(l->a, struct kill_list, k->ninsn);
		ir_insn_regs(k, &k->insn[i], &r);
		for (unsigned d = 0; d < r.ndst; d++)
			if (uniform_dst(k->uniform, i, &r, d)->dead)
				over[n++] = r.dst[d];
		l->p->over[i] = list_given(l, over, n);
	}
	l->p->give = new_array(l->a, struct kill_list, k->ninsn);
	l->p->enter = new_array(l->a, struct kill_list, k->ninsn);
	for (uint32_t i = 0; i < k->ninsn; i++)
		l->p->give[i] = list_given(l, given->reg + given->at[i], given->at[i + 1] - given->at[i]);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (k->block[b].n)
			l->p->enter[k->block[b].first] = list_given(l, given->entry_reg + given->entry_at[b],
								    given->entry_at[b + 1] - given->entry_at[b]);
}

/* What instructions of a variant have to do with the extended set. */
static void list_extended(struct listing *l)
{
	const struct kernel *k = l->k;

	if (!k->base_regs)
		return;
	l->p->extended = new_array(l->a, uint8_t, k->ninsn);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned n = insn_reg_uses(k, &k->insn[i], use);

		if (op_info[k->insn[i].op].flags & OPF_REGMUTEX)
			l->p->extended[i] = k->insn[i].op == OP_RF_ACQUIRE ? EXTENDED_ACQUIRE : EXTENDED_RELEASE;
		for (unsigned u = 0; u < n; u++)
			if (mreg_is_general(use[u].reg) && use[u].reg >= k->base_regs)
				l->p->extended[i] = EXTENDED_NAMED;
		/* machine code has no acquires and releases */
		if (k->native && k->regmutex->hold[i])
			l->p->extended[i] = EXTENDED_ACQUIRE;
		else if (k->native && l->p->extended[i] == EXTENDED_NONE)
			l->p->extended[i] = EXTENDED_RELEASE;
	}
}

void poison_list(struct engine *e)
{
	struct listing l = { .p = &e->prog, .k = e->k, .a = &e->a };

	arena_init(&l.scratch);
	/* never NULL, also where nothing dies */
	e->prog.kill_list = new_array(&e->a, uint32_t, l.kill_cap = 64);
	list_kills(&l);
	list_releases(&l);
	list_extended(&l);
	arena_free(&l.scratch);
}

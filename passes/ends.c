/* What ends where, read off liveness: the last reads and releases of an instruction, and the releases on entry to a
 * block. All are facts of one thread. The lanes of a warp that take the other side of a divergent branch use the same
 * physical registers before or after, so what is released here on one side may still be read there. */
#include "passes/pass.h"

/* Puts r into an ascending list that does not have it yet. */
static void add(uint32_t *list, uint32_t *n, uint32_t r)
{
	uint32_t at = *n;

	while (at && list[at - 1] > r)
		at--;
	if (at && list[at - 1] == r)
		return;
	for (uint32_t x = (*n)++; x > at; x--)
		list[x] = list[x - 1];
	list[at] = r;
}

static bool overwritten(const struct insn *i, const struct reg_use *use, unsigned n, uint32_t r)
{
	for (unsigned u = 0; u < n; u++)
		if (use[u].write && use[u].reg == r && insn_kills_reg(i, r))
			return true;
	return false;
}

void live_find_ends(const struct kernel *k, const struct insn *i, const uint64_t *after, struct live_ends *e)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);
	uint32_t again = 0;

	e->nlast = e->nrelease = e->last_operands = 0;
	e->last_guard = false;
	for (unsigned u = 0; u < n; u++) {
		/* of what no operand names it is none */
		const unsigned operand = (unsigned)use[u].slot - i->ndst;
		uint32_t r = use[u].reg;
		bool last;

		/* what is live before i and not after it is read by i: only what i names can be released */
		if (!bitset_has(after, r))
			add(e->release, &e->nrelease, r);
		if (use[u].write)
			continue;
		last = !bitset_has(after, r) || overwritten(i, use, n, r);
		if (last)
			add(e->last, &e->nlast, r);
		if (use[u].slot == 255) /* the guard, one predicate */
			e->last_guard = last;
		else if (operand < 32 && operand < i->nsrc)
			*(last ? &e->last_operands : &again) |= 1u << operand;
	}
	e->last_operands &= ~again;
}

void live_find_entry_release(const struct kernel *k, uint32_t b, uint64_t *set)
{
	memset(set, 0, bitset_words(ir_nreg(k)) * sizeof *set);
	for (uint32_t p = k->cfg->pred_at[b]; p < k->cfg->pred_at[b + 1]; p++)
		live_put(live_out(k, k->cfg->pred[p]), set);
	live_take(live_in(k, b), set);
}

/* How many registers a warp needs at each instruction, for RegMutex (section III-A1).
 *
 * An instruction occupies what is live before it, what is live behind it, and what it writes: where a destination takes
 * the place of a source that ends there, both are counted once each, as hardware reads all sources before it writes. To
 * these come registers that other lanes of the warp wait with (passes/wlive.c), or, the paper's way, all that any side
 * of a branch uses (passes/dlive.c).
 *
 * In a variant they are moved to the lowest registers, so it counts how many there are. Decoded machine code stays as
 * it is. */
#include "passes/regmutex.h"

/* General registers up to the highest one of a set. */
static uint32_t highest(const uint64_t *set)
{
	for (uint32_t r = MREG_RZ; r--;)
		if (bitset_has(set, r))
			return r + 1;
	return 0;
}

void regmutex_demand(const struct kernel *k, enum regmutex_liveness how, uint16_t *demand)
{
	uint64_t(*also)[WLIVE_WORDS] = how == REGMUTEX_LIVENESS_PAPER ? k->dlive->alive : k->wlive->wait;

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint64_t set[WLIVE_WORDS] = { 0 }, with[WLIVE_WORDS];

		live_put(live_out(k, b), set);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j;
			struct reg_use use[REG_USE_MAX];
			unsigned n = insn_reg_uses(k, &k->insn[i], use);

			memcpy(with, set, sizeof with);
			for (unsigned u = 0; u < n; u++)
				bitset_add(with, use[u].reg);
			for (unsigned x = 0; x < WLIVE_WORDS; x++)
				with[x] |= also[b][x];
			demand[i] = (uint16_t)(k->native ? highest(with) : dlive_count(with, with));
			live_step_back(k, &k->insn[i], set);
		}
	}
}

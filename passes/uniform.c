/* Uniform and affine values, and dead writes.
 *
 * A write leaves what its register held in the lanes that do not execute it. Those are lanes whose guard is false: they go on behind the
 * instruction, and need it if the register is live there. Or they wait elsewhere, and need it only if k->wlive says so of the block. Or
 * they have exited. So the old value is dead if neither is the case. */
#include "passes/uniform.h"

#include "passes/freq.h"
#include "passes/pass.h"

void uniform_block(const struct kernel *k, const struct launch_facts *l, uint32_t block[3])
{
	const struct launch_facts *of = launch_facts_of(l, k);
	const uint32_t *size = k->reqntid[0] ? k->reqntid : of && of->block[0] ? of->block : NULL;

	for (unsigned i = 0; i < 3; i++)
		block[i] = !size ? 0 : size[i] ? size[i] : 1;
}

static void find_dead(const struct kernel *k, struct uniform_value *value, const uint32_t *at, struct arena *a)
{
	uint64_t *live = bitset_new(a, MREG_COUNT);

	for (uint32_t b = 0; b < k->nblock; b++) {
		live_copy(live, live_out(k, b), MREG_COUNT);
		for (uint32_t j = k->block[b].n; j--;) {
			const uint32_t i = k->block[b].first + j;
			struct insn_regs r;

			ir_insn_regs(k, &k->insn[i], &r);
			for (unsigned d = 0; d < r.ndst; d++)
				value[at[i] + r.nsrc + d].dead = !bitset_has(k->wlive->wait[b], r.dst[d]) &&
				                                 (insn_kills(&k->insn[i]) || !bitset_has(live, r.dst[d]));
			live_step_back(k, &k->insn[i], live);
		}
	}
}

enum pass_result pass_uniform(struct kernel *k, struct pass_ctx *cx)
{
	struct uniform *u = k->uniform = new(k->a, struct uniform);
	uint32_t *at;
	struct uniform_value *value;

	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	uniform_block(k, cx->opt.launch, u->block);
	u->at = at = new_array(k->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs r;

		ir_insn_regs(k, &k->insn[i], &r);
		at[i + 1] = at[i] + r.nsrc + r.ndst;
	}
	u->value = value = new_array(k->a, struct uniform_value, (size_t)at[k->ninsn] + 1);
	u->flags = new_array(k->a, uint8_t, (size_t)k->ninsn + 1);
	find_dead(k, value, at, &cx->scratch);
	return PASS_SAME;
}

/* Static allocation, as GPUs do it: a CTA holds all the registers of its warps from its launch to its end. A thread's
 * registers are allocated in multiples of reg_round.
 *
 * Warp w's R registers are the physical ones w * R .. w * R + R - 1. Inside them they are rotated so that register r
 * lies in bank (r + w) mod banks, the peer's rule, which spreads one register of many warps over all banks. Where R is
 * not a multiple of the banks, the registers that wrap round lie R mod banks further: a warp's space has no holes. */
#include "runtime-model/core/axis.h"

struct residency {
	unsigned regs;       /* R */
	uint16_t rotate[64]; /* by warp */
	unsigned subs;       /* sub-cores, each with two of the banks; 0: all banks are for all warps */
};

static struct residency *static_create(const struct axis_ctx *cx)
{
	struct residency *r = new(cx->arena, struct residency);
	const struct sm_limits sm = params_limits(cx->params);
	unsigned banks = cx->params->rf_banks;

	r->regs = occupancy_allocated(&sm, cx->kernel->res.regs);
	r->subs = params_sub_cores(cx->params);
	for (unsigned w = 0; w < cx->warps; w++)
		r->rotate[w] = (uint16_t)((w + banks - w * r->regs % banks) % banks % r->regs);
	return r;
}

static unsigned static_max_ctas(const struct params *p, const struct kernel *k, unsigned warps_per_cta)
{
	const struct sm_limits sm = params_limits(p);

	return occupancy_static(&sm, k->res.regs, warps_per_cta);
}

/* Even registers are in the first bank of the warp's sub-core, odd ones in the second. */
static unsigned in_sub_core(const struct residency *r, unsigned warp, unsigned reg)
{
	const unsigned row = warp / r->subs * (r->regs / 2) + reg / 2;

	return (row * r->subs + warp % r->subs) * 2 + reg % 2;
}

static unsigned static_map(struct residency *r, unsigned warp, unsigned reg)
{
	const unsigned at = reg + r->rotate[warp]; /* both are less than R */

	if (r->subs)
		return in_sub_core(r, warp, reg);
	return warp * r->regs + (at < r->regs ? at : at - r->regs);
}

const struct residency_ops static_residency = {
	.name = "static",
	.source = "GPGPU-Sim: bank = (register + warp) mod banks; allocation rounded to 4 registers",
	.create = static_create,
	.max_ctas = static_max_ctas,
	.map = static_map,
	.fixed = true,
	.subcores = true,
};

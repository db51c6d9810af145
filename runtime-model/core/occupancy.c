#include "runtime-model/core/occupancy.h"
#include "runtime-model/core/axis.h"

enum { CTX_PARAMS, CTX_RF };

static unsigned by_registers(const struct occupancy_query *q, unsigned warps_per_cta)
{
	const struct rf_config *rf = q->ctx[CTX_RF];
	struct kernel k = *q->kernel;

	k.res.regs = q->regs;
	return rf->residency->max_ctas(q->ctx[CTX_PARAMS], &k, warps_per_cta);
}

struct occupancy_query occupancy_query_of(const struct params *p, const struct rf_config *rf, const struct kernel *k,
					  unsigned threads, uint32_t shared_bytes)
{
	return (struct occupancy_query){
		.sm = params_limits(p),
		.kernel = k,
		.threads = threads,
		.regs = k->res.regs,
		.shared_bytes = shared_bytes,
		.by_registers = by_registers,
		.ctx = { [CTX_PARAMS] = p, [CTX_RF] = rf },
	};
}

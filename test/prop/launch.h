/* The launch that a generated kernel is made for: its memory and parameters. */
#ifndef REGLOOM_PROP_LAUNCH_H
#define REGLOOM_PROP_LAUNCH_H

#include "runtime-model/engine/engine.h"
#include "test/prop/gen.h"

struct gen_params { uint64_t out, in; uint32_t n; };     /* the kernel's parameter block; 20 bytes count */

static inline size_t gen_out_bytes(const struct gen_options *o)
{
	return GEN_SHARED_BYTES + (size_t)o->grid * o->block * GEN_SLOT_BYTES;
}

/* Loads m, makes `out` (zeros) and `in` (from the seed) and points l at them through p, which must outlive it. */
static inline bool gen_launch(struct device *dev, const struct module *m, uint64_t seed, const struct gen_options *o, struct gen_params *p,
                              struct launch *l)
{
	if (!dev || !device_load(dev, m))
		return false;
	p->out = device_alloc(dev, "out", gen_out_bytes(o));
	p->in = device_alloc(dev, "in", GEN_IN_BYTES);
	p->n = o->n;
	if (!p->out || !p->in)
		return false;
	gen_fill(seed, device_ptr(dev, p->in, GEN_IN_BYTES));
	*l = (struct launch){ .m = m, .k = m->kernel[0], .grid = { o->grid, 1, 1 }, .block = { o->block, 1, 1 }, .params = p, .param_bytes = 20 };
	return true;
}

#endif

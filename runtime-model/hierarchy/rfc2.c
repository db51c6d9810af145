/* Register-file cache of two levels: a result of the private datapath that no shared unit may read takes the one entry
 * of the L0, and what it pushes out goes to the L1, which is the cache of rfc.c. */
#include "runtime-model/hierarchy/cache.h"

#include "analyzer/elf/rlo.h"

static struct hierarchy *rfc2_create(const struct axis_ctx *cx) { return cache_create(cx, true); }

static unsigned rfc2_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	return cache_storage(p, true, out);
}

/* And what the L0 must not hold. */
static unsigned rfc2_encoding_bits(const struct params *p) { return cache_encoding_bits(p) + 1; }

const struct hierarchy_ops rfc2_hierarchy = {
	.name = "rfc2",
	.source = "Gebhart et al., TOCS 2012, sections 4.4 and 7.6: the last result of the ALUs in an L0, which evicts "
		  "to the cache of rfc",
	.needs_anno = ANNO_RFC,
	.parameters = cache_parameters,
	.two_level = true,
	.writes_back = true,
	.branch_cycles = 1,
	.encoding_bits = rfc2_encoding_bits,
	.create = rfc2_create,
	.storage = rfc2_storage,
	.read = cache_read,
	.filled = cache_filled,
	.write = cache_write,
	.suspend = cache_suspend,
	.warp_exit = cache_warp_exit,
	.deliver = store_deliver,
};

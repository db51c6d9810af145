/* Register-file cache of one level: each result of an active warp takes an entry of its L1, but those of long-latency
 * operations; what it pushes out is written back to the main register file, unless the compiler says that nobody reads
 * it again. */
#include "runtime-model/hierarchy/cache.h"

#include "analyzer/elf/rlo.h"

static struct hierarchy *rfc_create(const struct axis_ctx *cx) { return cache_create(cx, false); }

static unsigned rfc_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	return cache_storage(p, false, out);
}

const struct hierarchy_ops rfc_hierarchy = {
	.name = "rfc",
	.source = "Gebhart et al., TOCS 2012, section 4.1: a cache of --set rf_l1_entries=N results a thread, written "
		  "back when evicted",
	.needs_anno = ANNO_RFC,
	.parameters = cache_parameters,
	.two_level = true,
	.writes_back = true,
	.branch_cycles = 1,
	.encoding_bits = cache_encoding_bits,
	.create = rfc_create,
	.storage = rfc_storage,
	.read = cache_read,
	.filled = cache_filled,
	.write = cache_write,
	.suspend = cache_suspend,
	.warp_exit = cache_warp_exit,
	.deliver = store_deliver,
};

/* CORF: exclusive pairs of registers, which the compiler names, share an entry where their widths allow it (Asghari
 * Esfeden et al., "CORF: Coalescing Operand Register File for GPUs", ASPLOS 2019, section 4.3). */
#include "analyzer/elf/rlo.h"
#include "runtime-model/packing/packed.h"

/* The first of a pair takes an entry that holds nothing, whose rest is reserved for the other; that one goes beside it
 * if it fits. All else: first fit. */
static void corf_allocate(struct packing *pk, unsigned warp, unsigned reg, unsigned width)
{
	unsigned partner = pk->hints->partner[reg];
	bool first = partner != MREG_RZ && !rename_find(pk->r, warp, partner)->mask;
	struct slot s = { 0, 0 };

	if (first)
		s = packed_search(pk, warp, reg, width, FIT_EMPTY);
	else if (partner != MREG_RZ)
		s = rename_search_beside(pk->r, warp, partner, reg, width);
	if (!s.mask) {
		packed_first_fit(pk, warp, reg, width);
		return;
	}
	rename_map(pk->r, warp, reg, s);
	if (first)
		rename_reserve(pk->r, warp, reg);
}

static const struct pack_policy policy = { .allocate = corf_allocate };

static struct packing *corf_create(const struct axis_ctx *cx)
{
	rename_pairs(cx->axes->rename, cx->kernel->corf->partner);
	return packed_create(cx, &policy, cx->kernel->corf);
}

static unsigned corf_preamble(const struct kernel *k) { return k->corf->npair_word; }

/* For each register the one that it goes with, of up to eight kernels at once. The paper has "a small associative
 * structure" (section 4.2) and no size; for each kernel, as it counts CORF++'s: own reading. */
static unsigned corf_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)p;
	regs = regs > STORAGE_REGISTERS ? regs : STORAGE_REGISTERS;
	out[0] = (struct storage_part){ "register pairs", PACK_KERNELS * regs * index_bits(regs + 1) };
	return 1;
}

static const char *const parameters[] = { "pack_search",  "pack_shrink",   "metadata", "packers",
					  "rename_ports", "rename_cycles", NULL };

const struct packing_ops corf_packing = {
	.name = "corf",
	.source = "CORF section 4: pairs named by the compiler share an entry; operands of one entry coalesce",
	.needs_anno = ANNO_CORF,
	.needs_record = WANT_SIG,
	.renames = true,
	.packed = true,
	.parameters = parameters,
	.create = corf_create,
	.preamble = corf_preamble,
	.storage = corf_storage,
	.read = packed_read,
	.write = packed_write,
	.warp_exit = packed_warp_exit,
	.store = packed_store,
	.deliver = packed_deliver,
};

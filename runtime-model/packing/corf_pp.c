/* CORF++: a warp's registers lie in one bank, at the left or the right end of their entries as the compiler says, and
 * two operands coalesce whose bytes do not overlap, whatever entries they are in (Asghari Esfeden et al., "CORF:
 * Coalescing Operand Register File for GPUs", ASPLOS 2019, section 5). */
#include "analyzer/elf/rlo.h"
#include "runtime-model/packing/packed.h"

/* The first left or right part in the warp's bank; without a hint, or room there, the first room in it; then the next
 * bank. */
static void corf_pp_allocate(struct packing *pk, unsigned warp, unsigned reg, unsigned width)
{
	static const enum fit fits[] = { [ALIGN_ANY] = FIT_ANY, [ALIGN_LEFT] = FIT_LEFT, [ALIGN_RIGHT] = FIT_RIGHT };
	const enum fit fit = fits[pk->hints->align[reg]];
	struct slot s = { 0, 0 };

	for (unsigned b = 0; !s.mask && b < packed_reach(pk); b++) {
		s = rename_search_bank(pk->r, packed_bank(pk, warp, reg, b), width, fit);
		if (!s.mask)
			s = rename_search_bank(pk->r, packed_bank(pk, warp, reg, b), width, FIT_ANY);
	}
	rename_map(pk->r, warp, reg, s);
}

static const struct pack_policy policy = { .allocate = corf_pp_allocate, .byte_sliced = true };

static struct packing *corf_pp_create(const struct axis_ctx *cx)
{
	return packed_create(cx, &policy, cx->kernel->corf);
}

static unsigned corf_pp_preamble(const struct kernel *k) { return k->corf->nalign_word; }

/* Section 6: 2 bits a register, 128 bits for a kernel, of up to eight kernels: 128 bytes. */
static unsigned corf_pp_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)p;
	regs = regs > STORAGE_REGISTERS ? regs : STORAGE_REGISTERS;
	out[0] = (struct storage_part){ "alignment", PACK_KERNELS * 2 * (1u << index_bits(regs)) };
	return 1;
}

static const char *const parameters[] = { "rf_gate_slices", "pack_shrink",   "metadata", "packers",
					  "rename_ports",   "rename_cycles", NULL };

const struct packing_ops corf_pp_packing = {
	.name = "corf++",
	.source = "CORF section 5: one bank a warp, left and right ends; operands coalesce whose bytes do not overlap",
	.needs_anno = ANNO_CORF,
	.needs_record = WANT_SIG,
	.renames = true,
	.packed = true,
	.parameters = parameters,
	.create = corf_pp_create,
	.preamble = corf_pp_preamble,
	.storage = corf_pp_storage,
	.read = packed_read,
	.write = packed_write,
	.warp_exit = packed_warp_exit,
	.store = packed_store,
	.deliver = packed_deliver,
};

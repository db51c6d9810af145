/* No packing: a register is one whole entry of one bank, physical number modulo the banks, and each operand is an
 * access of its own that activates every array, or those of the lanes that it writes (rf_partial_writes). Under a
 * residency that renames, the entry is the first free one of the register's own bank, (register + warp) mod banks, the
 * baseline's rule; then of the next. */
#include "runtime-model/packing/packed.h"

static const struct pack_policy policy = { .allocate = packed_first_fit, .whole = true };

static struct packing *none_create(const struct axis_ctx *cx) { return packed_create(cx, &policy, NULL); }

static struct bank_access whole_entry(const struct packing *pk, unsigned phys, uint32_t operands)
{
	return (struct bank_access){
		.bank = (uint16_t)(phys % pk->banks),
		.entry = (uint16_t)(phys / pk->banks),
		.arrays = (uint8_t)pk->arrays,
		.operands = operands,
	};
}

static unsigned none_read(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
			  struct bank_access out[])
{
	unsigned n = 0;

	if (pk->r)
		return packed_read(pk, u, operands, phys, out);
	for (uint32_t m = operands; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		out[n++] = whole_entry(pk, phys[i], (uint32_t)1 << i);
	}
	return n;
}

static unsigned none_write(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys,
			   struct bank_access out[])
{
	unsigned n = 1;

	if (pk->r)
		n = packed_write(pk, u, dst, phys, out);
	else
		out[0] = whole_entry(pk, phys, (uint32_t)1 << dst);
	if (pk->partial)
		out[n - 1].arrays = (uint8_t)lane_arrays(pk->arrays, u->active);
	return n;
}

static void none_warp_exit(struct packing *pk, unsigned warp)
{
	if (pk->r)
		packed_warp_exit(pk, warp);
}

static const char *const parameters[] = { "rf_partial_writes", NULL };

const struct packing_ops none_packing = {
	.name = "none",
	.source = "docs/AXES.md: the baseline",
	.create = none_create,
	.read = none_read,
	.write = none_write,
	.whole = true,
	.parameters = parameters,
	.warp_exit = none_warp_exit,
};

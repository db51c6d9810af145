/* No packing: a physical register is one whole entry of one bank, physical number modulo the banks, and each operand is
 * an access of its own that activates every array. */
#include "runtime-model/axis.h"

struct packing { unsigned banks; uint8_t arrays; };

static struct packing *none_create(const struct axis_ctx *cx)
{
	struct packing *pk = new(cx->arena, struct packing);

	pk->banks = cx->params->rf_banks;
	pk->arrays = (uint8_t)cx->params->rf_arrays;
	return pk;
}

static struct bank_access whole_entry(const struct packing *pk, unsigned phys, uint32_t operands)
{
	return (struct bank_access){
		.bank = (uint16_t)(phys % pk->banks), .entry = (uint16_t)(phys / pk->banks),
		.arrays = pk->arrays, .operands = operands,
	};
}

static unsigned none_read(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[], struct bank_access out[])
{
	unsigned n = 0;

	(void)u;
	for (uint32_t m = operands; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		out[n++] = whole_entry(pk, phys[i], (uint32_t)1 << i);
	}
	return n;
}

static unsigned none_write(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys, struct bank_access out[])
{
	(void)u;
	out[0] = whole_entry(pk, phys, (uint32_t)1 << dst);
	return 1;
}

const struct packing_ops none_packing = {
	.name = "none", .source = "docs/TIMING.md#axes: the baseline",
	.create = none_create, .read = none_read, .write = none_write, .whole = true,
};

/* Warped-Compression (Lee et al., ISCA 2015): a register is lane 0's value and what the others differ from it by, in 0,
 * 1 or 2 bytes each, packed from the first array of its bank on. Every active lane executes. */
#include "runtime-model/values/encoded.h"

static bool compressed(struct encoding e, bool half)
{
	(void)half;
	return e.bdi != BDI_NONE;
}

static unsigned bytes(struct encoding e, bool half)
{
	(void)half;
	return bdi_bytes((enum bdi)e.bdi, WARP_LANES);
}

static unsigned arrays(struct encoding e, bool half, unsigned all)
{
	return (bytes(e, half) * all + WARP_LANES * 4 - 1) / (WARP_LANES * 4);
}

static const struct encoded_policy policy = {
	.compressed = compressed,
	.arrays = arrays,
	.bytes = bytes,
	.layout = LAYOUT_BDI,
	.compressor = COMPRESS_WHOLE,
	.deltas = true,
	.decompressor = true,
	.by_lane = true,
};
/* Which of the four a register is stored as: own, as G-Scalar, which describes it, gives no number. */
static unsigned bdi_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "encoding bits", storage_entries(p) * index_bits(BDI_2 + 1) };
	return 1;
}

static const char *const parameters[] = { "gs_moves", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

const struct values_ops bdi_values = {
	.name = "bdi",
	.source = "docs/SCALAR_FILES.md#warped-compression: lane 0's value, and differences of 0, 1 or 2 bytes; "
		  "no scalar execution",
	.parameters = parameters,
	.create = create,
	.extra_cycles = 3,
	.storage = bdi_storage,
	ENCODED_OPS,
};

/* Warped-Compression (Lee et al., ISCA 2015): a register is lane 0's value and what the others differ from it by, in 0, 1 or 2 bytes each, packed
 * from the first array of its bank on. Every active lane executes. */
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
	.compressed = compressed, .arrays = arrays, .bytes = bytes, .layout = LAYOUT_BDI, .compressor = COMPRESS_WHOLE, .decompressor = true, .by_lane = true,
};
static const char *const parameters[] = { "gs_moves", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

/* Its compressor subtracts where G-Scalar's compares: what it takes is apart. */
static void write(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a)
{
	const uint64_t before = v->st->compressions;

	encoded_write(v, u, dst, a);
	v->st->delta_compressions += v->st->compressions - before;
}

const struct values_ops bdi_values = {
	.name = "bdi", .source = "docs/GSCALAR.md#warped-compression: lane 0's value, and differences of 0, 1 or 2 bytes; no scalar execution", .parameters = parameters,
	.needs_record = WANT_SIG, .create = create, .issue = encoded_issue, .read = encoded_read, .write = write, .move = encoded_move,
	.lanes = encoded_lanes, .extra_cycles = 3, .warp_exit = encoded_warp_exit,
	.store = encoded_store, .deliver = encoded_deliver, .poison = encoded_poison,
};

/* Byte-wise compression alone (Liu et al., G-Scalar, HPCA 2017, section 3): the upper bytes that all lanes of a register share are stored once,
 * in its base value register, and their arrays stay off. Every active lane executes. */
#include "runtime-model/values/encoded.h"

static const struct encoded_policy policy = {
	.rules = 0, .halves = true, .compressed = encoding_is_compressed, .arrays = encoding_arrays, .bytes = encoding_bytes, .bvr = true,
	.layout = LAYOUT_SLICED, .compressor = COMPRESS_ALL, .decompressor = true,
};
static const char *const parameters[] = { "gs_half", "gs_moves", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

const struct values_ops compress_values = {
	.name = "compress", .source = "docs/GSCALAR.md#hardware: bytes that lanes share are stored once; no scalar execution", .parameters = parameters,
	.needs_record = WANT_SIG, .create = create, .issue = encoded_issue, .read = encoded_read, .write = encoded_write, .move = encoded_move,
	.lanes = encoded_lanes, .extra_cycles = 3, .warp_exit = encoded_warp_exit,
	.store = encoded_store, .deliver = encoded_deliver, .poison = encoded_poison,
};

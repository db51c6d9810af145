/* G-Scalar (Liu et al., HPCA 2017): byte-wise compression, and one lane executes for all lanes, for a half, or for the active ones of a divergent
 * instruction, on all three kinds of pipelines. */
#include "runtime-model/values/encoded.h"

static const struct encoded_policy policy = {
	.rules = RULE_ALL, .halves = true, .compressed = encoding_is_compressed, .arrays = encoding_arrays, .bytes = encoding_bytes, .bvr = true,
	.layout = LAYOUT_SLICED, .compressor = COMPRESS_ALL, .decompressor = true,
};
static const char *const parameters[] = { "gs_half", "gs_moves", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

const struct values_ops g_scalar_values = {
	.name = "g-scalar", .source = "docs/GSCALAR.md#hardware: and for half a warp, or the active lanes of a divergent instruction", .parameters = parameters,
	.needs_record = WANT_SIG, .create = create, .issue = encoded_issue, .read = encoded_read, .write = encoded_write, .move = encoded_move,
	.lanes = encoded_lanes, .extra_cycles = 3, .warp_exit = encoded_warp_exit,
	.store = encoded_store, .deliver = encoded_deliver, .poison = encoded_poison,
};

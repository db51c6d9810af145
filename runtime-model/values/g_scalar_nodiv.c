/* G-Scalar without divergent-scalar execution, as Figure 11 of its paper has it (Liu et al., HPCA 2017): its register file, and one lane for 32 on all
 * three kinds of pipelines; no half warps. */
#include "runtime-model/values/encoded.h"

static const struct encoded_policy policy = {
	.rules = RULE_ALU | RULE_SFU | RULE_MEM, .halves = true, .compressed = encoding_is_compressed, .arrays = encoding_arrays, .bytes = encoding_bytes, .bvr = true,
	.layout = LAYOUT_SLICED, .compressor = COMPRESS_ALL, .decompressor = true,
};
static const char *const parameters[] = { "gs_half", "gs_moves", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

const struct values_ops g_scalar_nodiv_values = {
	.name = "g-scalar-nodiv", .source = "docs/GSCALAR.md#hardware: values=compress, and one lane executes what is the same in all 32", .parameters = parameters,
	.needs_record = WANT_SIG, .create = create, .issue = encoded_issue, .read = encoded_read, .write = encoded_write, .move = encoded_move,
	.lanes = encoded_lanes, .extra_cycles = 3, .warp_exit = encoded_warp_exit,
	.store = encoded_store, .deliver = encoded_deliver, .poison = encoded_poison,
};

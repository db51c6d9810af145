/* G-Scalar (Liu et al., HPCA 2017): the upper bytes that all lanes of a register share are stored once, in its base
 * value register, and their arrays stay off (section 3); one lane executes for all lanes, for a half, or for the active
 * ones of a divergent instruction, on all three kinds of pipelines. And two steps to it: compression alone, in which
 * every active lane executes; and without divergent-scalar execution, as Figure 11 has it, which has no half warps
 * either. */
#include "runtime-model/values/encoded.h"

/* Section 5.1: 38 bits for each register, of which 32 are the base, 4 its encoding, and D and FS. Halves have one more
 * base and encoding each (section 3.2). */
static unsigned g_scalar_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "base value registers", storage_entries(p) * (p->gs_half ? 2 : 1) * 32 };
	out[1] = (struct storage_part){ "encoding bits", storage_entries(p) * ((p->gs_half ? 2 : 1) * 4 + 2) };
	return 2;
}

static const char *const parameters[] = { "gs_half", "gs_moves", NULL };

#define G_SCALAR(id, text, what_one_lane_does, where)                                                             \
	static const struct encoded_policy id##_policy = {                                                        \
		.rules = what_one_lane_does,                                                                      \
		.halves = true,                                                                                   \
		.compressed = encoding_is_compressed,                                                             \
		.arrays = encoding_arrays,                                                                        \
		.bytes = encoding_bytes,                                                                          \
		.bvr = true,                                                                                      \
		.layout = LAYOUT_SLICED,                                                                          \
		.compressor = COMPRESS_ALL,                                                                       \
		.decompressor = true,                                                                             \
	};                                                                                                        \
	static struct values *id##_create(const struct axis_ctx *cx) { return encoded_create(cx, &id##_policy); } \
	const struct values_ops id##_values = {                                                                   \
		.name = text,                                                                                     \
		.source = "docs/GSCALAR_HARDWARE.md#hardware: " where,                                            \
		.parameters = parameters,                                                                         \
		.create = id##_create,                                                                            \
		.extra_cycles = 3,                                                                                \
		.storage = g_scalar_storage,                                                                      \
		ENCODED_OPS,                                                                                      \
	};

G_SCALAR(compress, "compress", 0, "bytes that lanes share are stored once; no scalar execution")
G_SCALAR(g_scalar_nodiv, "g-scalar-nodiv", RULE_ALU | RULE_SFU | RULE_MEM,
	 "values=compress, and one lane executes what is the same in all 32")
G_SCALAR(g_scalar, "g-scalar", RULE_ALL, "and for half a warp, or the active lanes of a divergent instruction")

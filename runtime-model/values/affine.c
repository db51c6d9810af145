/* The hypothetical Affine GPU that WIR (Kim and Ro, HPCA 2018, section VII-A) compares with, after Collange et al.
 * (Euro-Par 2009) and Kim et al. (ISCA 2013): a register of which lane l holds base + l * stride is these two words, in
 * one array of eight, and one lane executes what has only such operands and keeps them so. No cycle more, and no price
 * of the conversion: the paper gives it none. */
#include "runtime-model/values/encoded.h"

enum { TUPLE_BYTES = 8 };

static bool is_tuple(struct encoding e, bool half)
{
	(void)half;
	return e.affine;
}

/* 64 of 1024 bits lie in one of eight arrays; other than eight: those that hold as much of a register, rounded up. */
static unsigned arrays(struct encoding e, bool half, unsigned all) { return is_tuple(e, half) ? (all + 7) / 8 : all; }

static unsigned bytes(struct encoding e, bool half) { return is_tuple(e, half) ? TUPLE_BYTES : WARP_LANES * 4; }

static const struct encoded_policy policy = {
	.rules = RULE_ALU | RULE_SFU,
	.tuples = true,
	.compressed = is_tuple,
	.arrays = arrays,
	.bytes = bytes,
	.layout = LAYOUT_AFFINE,
	.by_lane = true,
};
/* Whether a register is a tuple, which lies in an array that it has anyway: own, as WIR's section VII-A gives no
 * number. */
static unsigned affine_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "encoding bits", storage_entries(p) };
	return 1;
}

static const char *const parameters[] = { "gs_moves", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

const struct values_ops affine_values = {
	.name = "affine",
	.source =
		"docs/AFFINE.md#affine: registers that are base and stride in one array of eight; one lane executes on "
		"them",
	.parameters = parameters,
	.create = create,
	.storage = affine_storage,
	ENCODED_OPS,
};

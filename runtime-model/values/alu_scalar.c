/* A register file for scalars, of one bank, and one lane that executes what arithmetic reads from there alone (Gilani
 * et al., HPCA 2013, as Liu et al., G-Scalar, HPCA 2017, sections 1, 4.1 and 5 compare with it). */
#include "runtime-model/values/encoded.h"

static bool is_there(struct encoding e, bool half)
{
	(void)half;
	return encoding_is_scalar(e);
}

static unsigned arrays(struct encoding e, bool half, unsigned all) { return is_there(e, half) ? 0 : all; }

static unsigned bytes(struct encoding e, bool half) { return is_there(e, half) ? 4 : WARP_LANES * 4; }

static const struct encoded_policy policy = {
	.rules = RULE_ALU,
	.compressed = is_there,
	.arrays = arrays,
	.bytes = bytes,
	.layout = LAYOUT_SCALAR,
	.by_lane = true,
};
static const char *const parameters[] = { "gs_moves", "scalar_banks", NULL };

static struct values *create(const struct axis_ctx *cx) { return encoded_create(cx, &policy); }

const struct values_ops alu_scalar_values = {
	.name = "alu-scalar",
	.source = "docs/SCALAR_FILES.md#scalar-register-file: equal lanes in a register file of their own; one lane "
		  "executes arithmetic on them",
	.parameters = parameters,
	.scalar_banks = true,
	.storage = scalar_banks_storage,
	.create = create,
	ENCODED_OPS,
};

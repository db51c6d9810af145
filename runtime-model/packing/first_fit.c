/* First fit: a register goes where the first room for its width is, with no regard to what is read together. Operands
 * that meet in an entry by chance coalesce (Asghari Esfeden et al., CORF, ASPLOS 2019, section 3, Figure 4; packing as
 * in Wang and Zhang, "GPU register packing", 2017, its reference 56). */
#include "runtime-model/packing/packed.h"

static const struct pack_policy policy = { .allocate = packed_first_fit };

static struct packing *first_fit_create(const struct axis_ctx *cx) { return packed_create(cx, &policy, NULL); }

static const char *const parameters[] = {
	"pack_search", "pack_shrink", "packers", "rename_ports", "rename_cycles", NULL
};

const struct packing_ops first_fit_packing = {
	.name = "first-fit",
	.source = "CORF sections 3 and 6: register packing, first fit; operands of one entry coalesce",
	.needs_record = WANT_SIG,
	.renames = true,
	.packed = true,
	.parameters = parameters,
	.create = first_fit_create,
	.read = packed_read,
	.write = packed_write,
	.warp_exit = packed_warp_exit,
	.store = packed_store,
	.deliver = packed_deliver,
};

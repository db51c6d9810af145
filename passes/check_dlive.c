/* Oracle for divergence-conservative liveness: for each branch that parts warps, the blocks on its sides by a search
 * from its successors that does not pass the block where they meet; in them is alive what is live out of the branch,
 * and live into that block. So are lanes' registers that wlive says are waited for. Nothing else is.
 *
 * cost  branches x blocks; kernels where that is more than CHECK_MAX are accepted unchecked. */
#include "passes/elsewhere.h"

enum { CHECK_MAX = 4 << 20 };

struct check {
	const struct kernel *k;
	struct arena a;
	uint64_t (*alive)[WLIVE_WORDS];
	uint32_t *stack;
	bool *seen;
};

static void add_branch(struct check *c, uint32_t b)
{
	const struct kernel *k = c->k;
	const struct cfg *g = k->cfg->local;
	uint32_t p = reconvergence(k, b), top = 0;

	memset(c->seen, 0, k->nblock * sizeof *c->seen);
	c->stack[top++] = b;
	while (top) {
		uint32_t from = c->stack[--top];

		for (uint32_t e = g->succ_at[from]; e < g->succ_at[from + 1]; e++)
			if (g->succ[e] != p && !c->seen[g->succ[e]]) {
				c->seen[g->succ[e]] = true;
				c->stack[top++] = g->succ[e];
			}
	}
	for (uint32_t x = 0; x < k->nblock; x++) {
		if (!c->seen[x])
			continue;
		live_put(live_out(k, b), c->alive[x]);
		if (p != UINT32_MAX)
			live_put(live_in(k, p), c->alive[x]);
	}
}

bool check_dlive(const struct kernel *k, struct diag *d)
{
	struct check c = { .k = k };
	uint64_t branches = 0;
	bool ok = true;

	for (uint32_t b = 0; k->form == FORM_MACHINE && b < k->nblock; b++)
		branches += warp_parts(k, b);
	if (k->form != FORM_MACHINE || branches * k->nblock > CHECK_MAX)
		return true;
	arena_init(&c.a);
	c.alive = arena_alloc(&c.a, ((size_t)k->nblock + 1) * sizeof *c.alive, 8);
	c.stack = new_array(&c.a, uint32_t, (size_t)k->nblock + 1);
	c.seen = new_array(&c.a, bool, (size_t)k->nblock + 1);
	memcpy(c.alive, k->wlive->wait, k->nblock * sizeof *c.alive);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (warp_parts(k, b))
			add_branch(&c, b);
	for (uint32_t b = 0; b < k->nblock && ok; b++)
		for (uint32_t r = 0; r < MREG_ALL && ok; r++)
			if (bitset_has(c.alive[b], r) != bitset_has(k->dlive->alive[b], r))
				ok = diag_error_plain(
					d, k->name,
					"divergence-conservative liveness is wrong in block %u: %s is %s there", b,
					ir_print_ref(&c.a, k, ref_reg(r), mreg_is_pred(r) ? 'P' : 'W'),
					bitset_has(c.alive[b], r) ? "alive" : "not alive");
	arena_free(&c.a);
	return ok;
}

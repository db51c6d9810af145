/* The register-affinity graph (CORF, section 4.2): which registers one instruction reads together, and how often.
 *
 * Nodes are the 32-bit registers of the allocated code, so the two halves of an address or of a 64-bit value are two
 * nodes that are read together. A register that an instruction names twice is read once; RZ is not read; guards are
 * predicates. Each pair of registers that an instruction reads adds the executions of its block to their edge. An edge
 * weighs GRAPH_WEIGHT_MAX at most, and 1 at least: code that never ran in a profile may run another time, and an edge
 * that weighs nothing would have no side. Code that no path reaches adds nothing. */
#include "passes/corf.h"
#include "passes/pass.h"

/* The distinct general registers that i reads, ascending; none if that is not known. */
static unsigned sources(const struct kernel *k, const struct insn *i, uint32_t reg[REG_USE_MAX])
{
	struct reg_use use[REG_USE_MAX];
	unsigned nuse = insn_reg_uses(k, i, use), n = 0;

	for (unsigned u = 0; u < nuse && !(op_info[i->op].flags & OPF_UNKNOWN); u++) {
		uint32_t r = use[u].reg;
		unsigned at = 0;

		if (use[u].write || r >= MREG_RZ)
			continue;
		while (at < n && reg[at] < r)
			at++;
		if (at < n && reg[at] == r)
			continue;
		memmove(reg + at + 1, reg + at, (n - at) * sizeof *reg);
		reg[at] = r;
		n++;
	}
	return n;
}

static uint32_t registers(const struct kernel *k)
{
	uint32_t n = k->res.regs;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned nuse = insn_reg_uses(k, &k->insn[i], use);

		for (unsigned u = 0; u < nuse; u++)
			if (use[u].reg < MREG_RZ && use[u].reg >= n)
				n = use[u].reg + 1;
	}
	return n;
}

void affinity_build(const struct kernel *k, const uint64_t *executions, struct arena *a, struct wgraph *g)
{
	uint32_t n = registers(k);
	struct arena scratch;
	uint64_t *weight, *edge;

	arena_init(&scratch);
	weight = new_array(&scratch, uint64_t, (size_t)n * n + 1);
	edge = bitset_new(&scratch, n * n + 1);
	*g = (struct wgraph){ .n = n };
	for (uint32_t b = 0; b < k->nblock; b++) {
		if (k->cfg->rpo_index[b] == UINT32_MAX)
			continue;
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			uint32_t reg[REG_USE_MAX];
			unsigned nreg = sources(k, &k->insn[i], reg);

			for (unsigned x = 0; x < nreg; x++)
				for (unsigned y = x + 1; y < nreg; y++) {
					uint32_t e = reg[x] * n + reg[y];
					uint64_t more = executions ? executions[b] : 0,
						 room = GRAPH_WEIGHT_MAX - weight[e];

					g->m += !bitset_has(edge, e);
					bitset_add(edge, e);
					weight[e] += more < room ? more : room;
				}
		}
	}
	g->e = new_array(a, struct wedge, (size_t)g->m + 1);
	g->m = 0;
	for (uint32_t e = bitset_next(edge, 0, n * n); e < n * n; e = bitset_next(edge, e + 1, n * n))
		g->e[g->m++] = (struct wedge){ e / n, e % n, executions && !weight[e] ? 1 : weight[e] };
	arena_free(&scratch);
}

enum pass_result pass_affinity(struct kernel *k, struct pass_ctx *cx)
{
	(void)cx;
	k->affinity = new(k->a, struct wgraph);
	if (k->form == FORM_MACHINE)
		affinity_build(k, k->freq->executions, k->a, k->affinity);
	return PASS_SAME;
}

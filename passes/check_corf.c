/* CORF's hints looked at again, from the operands of the code: weights of the affinity graph by a count for each pair
 * of registers, pairs and alignment by their definitions. Slower, and shares nothing with affinity.c and corf.c. */
#include "passes/corf.h"
#include "passes/pass.h"

static bool reads(const struct kernel *k, const struct insn *i, uint32_t r)
{
	for (unsigned s = i->ndst; s < i->ndst + (unsigned)i->nsrc && !(op_info[i->op].flags & OPF_UNKNOWN); s++) {
		struct ref x = k->opnd[i->opnd + s];

		if (x.kind == REF_REG && x.val < MREG_RZ &&
		    (x.val == r || (r && x.val == r - 1 && insn_operand_class(k, i, s) == RC_64)))
			return true;
	}
	return false;
}

/* [lower][higher register] */
struct tally {
	uint64_t weight[256][256];
	bool edge[256][256];
};

/* What the code says. */
static void tally_code(const struct kernel *k, struct tally *t)
{
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first;
		     k->cfg->rpo_index[b] != UINT32_MAX && i < k->block[b].first + k->block[b].n; i++)
			for (uint32_t x = 0; x < MREG_RZ; x++)
				for (uint32_t y = x + 1; y < MREG_RZ && reads(k, &k->insn[i], x); y++)
					if (reads(k, &k->insn[i], y)) {
						uint64_t most = GRAPH_WEIGHT_MAX - t->weight[x][y],
							 n = k->freq->executions[b];

						t->edge[x][y] = true;
						t->weight[x][y] += n < most ? n : most;
					}
}

/* An edge of blocks that never executed counts once. */
static uint64_t edge_weight(const struct tally *t, uint32_t x, uint32_t y)
{
	return t->edge[x][y] && !t->weight[x][y] ? 1 : t->weight[x][y];
}

static bool check_graph(const struct kernel *k, struct diag *d)
{
	struct arena a;
	struct tally *code, *graph;
	bool ok = true;

	arena_init(&a);
	code = new(&a, struct tally);
	graph = new(&a, struct tally);
	tally_code(k, code);
	for (uint32_t i = 0; i < k->affinity->m && ok; i++) {
		const struct wedge *e = &k->affinity->e[i];

		if (e->a >= e->b || e->b >= k->affinity->n || graph->edge[e->a][e->b])
			ok = diag_error_plain(d, k->name, "edge %u of the affinity graph is not normal", i);
		graph->edge[e->a][e->b] = true;
		graph->weight[e->a][e->b] = e->w;
	}
	for (uint32_t x = 0; x < MREG_RZ && ok; x++)
		for (uint32_t y = x + 1; y < MREG_RZ && ok; y++)
			if (code->edge[x][y] != graph->edge[x][y] || edge_weight(code, x, y) != graph->weight[x][y])
				ok = diag_error_plain(d, k->name, "R%u and R%u are read together %llu times, not %llu",
						      x, y, (unsigned long long)edge_weight(code, x, y),
						      (unsigned long long)graph->weight[x][y]);
	arena_free(&a);
	return ok;
}

/* Pairs exclude each other and are edges; a register has an alignment if and only if it has an edge; weights add up. */
static bool check_hints(const struct kernel *k, struct diag *d)
{
	const struct corf_hints *h = k->corf;
	uint64_t total = 0, pairs = 0, apart = 0, together = 0;
	bool joined[256] = { false }, edge[256] = { false };

	for (uint32_t i = 0; i < k->affinity->m; i++) {
		const struct wedge *e = &k->affinity->e[i];

		edge[e->a] = edge[e->b] = true;
		total += e->w;
		if (h->partner[e->a] == e->b && h->partner[e->b] == e->a) {
			joined[e->a] = joined[e->b] = true;
			pairs += e->w;
		}
		*(h->align[e->a] == h->align[e->b] ? &together : &apart) += e->w;
	}
	for (uint32_t r = 0; r < 256; r++) {
		if (joined[r] != (h->partner[r] != MREG_RZ))
			return diag_error_plain(d, k->name, "R%u has the partner R%u, which is no pair", r,
						h->partner[r]);
		if ((h->align[r] == ALIGN_LEFT || h->align[r] == ALIGN_RIGHT) != edge[r])
			return diag_error_plain(d, k->name, "R%u has alignment %u", r, h->align[r]);
	}
	if (total != h->total || pairs != h->pair_kept || apart != h->align_kept || apart + together != total)
		return diag_error_plain(d, k->name, "the weights of CORF's hints do not add up");
	if (h->pair_kept != (h->pairs == PAIRS_GREEDY ? h->greedy_kept : h->matching_kept) ||
	    h->greedy_kept > h->matching_kept || h->align_bound > together)
		return diag_error_plain(d, k->name, "CORF's hints are better than the best");
	return true;
}

bool check_corf(const struct kernel *k, struct diag *d)
{
	struct corf_hints again = *k->corf;

	if (!check_graph(k, d) || !check_hints(k, d))
		return false;
	if (!corf_decode(&again, k->affinity->n) ||
	    memcmp(again.partner, k->corf->partner, sizeof again.partner) != 0 ||
	    memcmp(again.align, k->corf->align, sizeof again.align) != 0)
		return diag_error_plain(d, k->name, "CORF's metadata words say something else");
	return true;
}

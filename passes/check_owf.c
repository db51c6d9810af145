/* Oracle of passes/owf.c, by definition: a register can have been touched before an instruction if a search along the
 * instructions from one that names it comes there. Ranks are a permutation, and no register below a rank would leave
 * more before the first touch. */
#include "passes/owf.h"

#include "passes/pass.h"

#define STEPS_MAX ((uint64_t)1 << 28) /* of what is compared: of larger kernels the highest ranks alone */

struct search {
	const struct kernel *k;
	uint32_t *todo, *block_of;
	uint64_t *seen;
};

/* What follows instruction i, if it was not seen yet, is to be looked at. */
static void go_on(struct search *s, uint32_t i, uint32_t *n)
{
	if (!bitset_has(s->seen, i)) {
		bitset_add(s->seen, i);
		s->todo[(*n)++] = i;
	}
}

static void enter_block(struct search *s, uint32_t b, uint64_t *empty, uint32_t *n)
{
	if (s->k->block[b].n) {
		go_on(s, s->k->block[b].first, n);
		return;
	}
	if (bitset_has(empty, b))
		return;
	bitset_add(empty, b);
	for (uint32_t e = s->k->cfg->succ_at[b]; e < s->k->cfg->succ_at[b + 1]; e++)
		enter_block(s, s->k->cfg->succ[e], empty, n);
}

static bool reached(const struct search *s, uint32_t i) { return s->k->cfg->rpo_index[s->block_of[i]] != UINT32_MAX; }

/* In s->seen: the instructions that a thread reaches and that name r, and those that may follow them. */
static void find(struct search *s, uint32_t r, struct arena *a)
{
	const struct kernel *k = s->k;
	uint64_t *empty = bitset_new(a, k->nblock + 1);
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned nuse = reached(s, i) ? insn_reg_uses(k, &k->insn[i], use) : 0;

		for (unsigned u = 0; u < nuse; u++)
			if (use[u].reg == r)
				go_on(s, i, &n);
	}
	while (n) {
		const uint32_t i = s->todo[--n], b = s->block_of[i];

		if (i + 1 < k->block[b].first + k->block[b].n)
			go_on(s, i + 1, &n);
		else
			for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++)
				enter_block(s, k->cfg->succ[e], empty, &n);
	}
}

/* Executions of instructions in neither of the sets. */
static double executions(const struct search *s, const uint64_t *a, const uint64_t *b)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->k->ninsn; i++)
		if (reached(s, i) && !bitset_has(a, i) && !bitset_has(b, i))
			sum += (double)s->k->freq->executions[s->block_of[i]];
	return sum;
}

static bool check(const struct kernel *k, struct diag *d, struct arena *a)
{
	const struct owf *o = k->owf;
	struct search s = { .k = k,
			    .todo = new_array(a, uint32_t, (size_t)k->ninsn + 1),
			    .block_of = new_array(a, uint32_t, (size_t)k->ninsn + 1) };
	uint64_t **after = new_array(a, uint64_t *, 256), *all = bitset_new(a, k->ninsn + 1);
	uint32_t at[256], ranks = o->n;

	memset(at, 0xff, sizeof at);
	for (uint32_t r = 0; r < 256; r++) {
		if (r < o->n ? o->rank[r] >= o->n || at[o->rank[r]] != UINT32_MAX : o->rank[r] != r)
			return diag_error_plain(d, k->name,
						"owf: R%u has rank %u of %u, which is not one, or another register's",
						r, o->rank[r], o->n);
		if (r < o->n)
			at[o->rank[r]] = r;
	}
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = 0; j < k->block[b].n; j++)
			s.block_of[k->block[b].first + j] = b;
	for (uint32_t r = 0; r < o->n; r++) {
		s.seen = after[r] = bitset_new(a, k->ninsn + 1);
		find(&s, r, a);
	}
	if ((uint64_t)o->n * o->n * (k->ninsn + 1) > STEPS_MAX)
		ranks = (uint32_t)(STEPS_MAX / ((uint64_t)o->n * (k->ninsn + 1)));
	for (uint32_t rank = o->n; rank-- && rank + ranks >= o->n;) {
		const double with = executions(&s, all, after[at[rank]]);

		for (uint32_t below = 0; below < rank; below++)
			if (executions(&s, all, after[at[below]]) > with * (1 + 1e-12) + 0.5)
				return diag_error_plain(
					d, k->name,
					"owf: R%u has rank %u, but R%u would leave more before it is touched", at[rank],
					rank, at[below]);
		for (uint32_t w = 0; w < bitset_words(k->ninsn + 1); w++)
			all[w] |= after[at[rank]][w];
	}
	return true;
}

bool check_owf(const struct kernel *k, struct diag *d)
{
	struct arena a;
	bool ok;

	if (k->form != FORM_MACHINE)
		return true;
	arena_init(&a);
	ok = check(k, d, &a);
	arena_free(&a);
	return ok;
}

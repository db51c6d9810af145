/* Register declaration reordering for register sharing (Jatala, Anantpur, Karkare: Improving GPU Performance Through
 * Resource Sharing, HPDC 2016): registers that are first used late get high ranks. The paper renames them where they
 * are declared; here the code stays as it is and the order is an annotation, which is what hardware maps registers by.
 *
 * Of each block and register: how many of the block's instructions come before any that can have touched the register,
 * whichever way led there. Those before which no register of a set can have been touched are, block by block, the
 * fewest over its members. Ranks are given from the highest down, each to the register that leaves most instructions,
 * weighted by their executions, before the first touch of it and those that have a rank already; of several to the one
 * with the highest number. So the best set of one register is found, and each larger set is the best that contains the
 * one before. */
#include "passes/owf.h"

#include "passes/pass.h"

enum { WORDS = MREG_RZ / 64 + 1 };

struct named {
	uint64_t w[WORDS];
};

struct touch {
	uint32_t n; /* registers */
	uint32_t nblock;
	uint32_t *block; /* those that a thread reaches and that have instructions */
	uint32_t *at;    /* [register * nblock + block]: instructions of it before the first touch */
};

const uint8_t owf_by_number[256] = {
#define ROW(r) r, r + 1, r + 2, r + 3, r + 4, r + 5, r + 6, r + 7
#define ROWS(r) ROW(r), ROW(r + 8), ROW(r + 16), ROW(r + 24)
	ROWS(0), ROWS(32), ROWS(64), ROWS(96), ROWS(128), ROWS(160), ROWS(192), ROWS(224),
#undef ROWS
#undef ROW
};

static struct named names(const struct kernel *k, uint32_t i)
{
	struct named set = { { 0 } };
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned s = 0; s < r.nsrc; s++)
		bitset_add(set.w, r.src[s]);
	for (unsigned d = 0; d < r.ndst; d++)
		bitset_add(set.w, r.dst[d]);
	return set;
}

/* Registers that can have been touched when a block begins. */
static struct named *touched(const struct kernel *k, struct arena *a)
{
	struct named *in = new_array(a, struct named, (size_t)k->nblock + 1),
		     *own = new_array(a, struct named, (size_t)k->nblock + 1);

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			struct named set = names(k, i);

			for (unsigned w = 0; w < WORDS; w++)
				own[b].w[w] |= set.w[w];
		}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t x = 0; x < k->cfg->nrpo; x++) {
			const uint32_t b = k->cfg->rpo[x];

			for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++)
				for (unsigned w = 0; w < WORDS; w++) {
					uint64_t *to = &in[k->cfg->succ[e]].w[w], now = *to | in[b].w[w] | own[b].w[w];

					more |= now != *to;
					*to = now;
				}
		}
	}
	return in;
}

static struct touch find_touches(const struct kernel *k, uint32_t n, struct arena *a)
{
	const struct named *in = touched(k, a);
	struct touch t = { .n = n, .block = new_array(a, uint32_t, (size_t)k->nblock + 1) };

	for (uint32_t b = 0; b < k->nblock; b++)
		if (k->cfg->rpo_index[b] != UINT32_MAX && k->block[b].n)
			t.block[t.nblock++] = b;
	t.at = new_array(a, uint32_t, (size_t)n * t.nblock + 1);
	for (uint32_t x = 0; x < t.nblock; x++) {
		const struct block *b = &k->block[t.block[x]];

		for (uint32_t r = 0; r < n; r++)
			t.at[(size_t)r * t.nblock + x] = bitset_has(in[t.block[x]].w, r) ? 0 : b->n;
		for (uint32_t j = b->n; j--;) {
			const struct named set = names(k, b->first + j);

			for (uint32_t r = bitset_next(set.w, 0, MREG_RZ); r < n; r = bitset_next(set.w, r + 1, MREG_RZ))
				if (t.at[(size_t)r * t.nblock + x] > j)
					t.at[(size_t)r * t.nblock + x] = j;
		}
	}
	return t;
}

uint32_t owf_registers(const struct kernel *k)
{
	uint32_t n = k->res.regs;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		const struct named set = names(k, i);

		for (uint32_t r = bitset_next(set.w, n, MREG_RZ); r < MREG_RZ; r = bitset_next(set.w, r + 1, MREG_RZ))
			n = r + 1;
	}
	return n;
}

/* Executions of the instructions before a touch of r or of what left[] stands for. */
static double left_with(const struct kernel *k, const struct touch *t, const uint32_t *block, uint32_t nblock,
			const uint32_t left[], uint32_t r)
{
	double sum = 0;

	for (uint32_t x = 0; x < nblock; x++) {
		const uint32_t at = t->at[(size_t)r * t->nblock + block[x]];

		sum += (double)k->freq->executions[t->block[block[x]]] * (at < left[block[x]] ? at : left[block[x]]);
	}
	return sum;
}

enum pass_result pass_owf(struct kernel *k, struct pass_ctx *cx)
{
	struct owf *o = k->owf = new(k->a, struct owf);
	uint32_t *left, *block, nblock = 0;
	uint64_t ranked[WORDS] = { 0 };
	struct touch t;

	memcpy(o->rank, owf_by_number, sizeof o->rank);
	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	o->n = owf_registers(k);
	t = find_touches(k, o->n, &cx->scratch);
	left = new_array(&cx->scratch, uint32_t, (size_t)t.nblock + 1);
	block = new_array(&cx->scratch, uint32_t, (size_t)t.nblock + 1);
	for (uint32_t x = 0; x < t.nblock; x++) {
		left[x] = k->block[t.block[x]].n;
		block[nblock++] = x;
	}
	for (uint32_t rank = o->n; rank--;) {
		uint32_t best = UINT32_MAX, kept = 0;
		double most = -1;

		for (uint32_t r = o->n; r--;) {
			double sum = bitset_has(ranked, r) ? -1 : left_with(k, &t, block, nblock, left, r);

			if (sum > most) {
				most = sum;
				best = r;
			}
		}
		o->rank[best] = (uint8_t)rank;
		bitset_add(ranked, best);
		/* blocks with nothing left need not be looked at again */
		for (uint32_t x = 0; x < nblock; x++) {
			const uint32_t at = t.at[(size_t)best * t.nblock + block[x]];

			if (at < left[block[x]])
				left[block[x]] = at;
			if (left[block[x]])
				block[kept++] = block[x];
		}
		nblock = kept;
	}
	return PASS_SAME;
}

double owf_before(const struct kernel *k, const uint8_t rank[256], uint32_t own)
{
	double all = 0, before = 0;
	struct arena a;
	struct touch t;

	arena_init(&a);
	t = find_touches(k, owf_registers(k), &a);
	for (uint32_t x = 0; x < t.nblock; x++) {
		const double runs = (double)k->freq->executions[t.block[x]];
		uint32_t least = k->block[t.block[x]].n;

		all += runs * least;
		for (uint32_t r = 0; r < t.n; r++)
			if (rank[r] >= own && t.at[(size_t)r * t.nblock + x] < least)
				least = t.at[(size_t)r * t.nblock + x];
		before += runs * least;
	}
	arena_free(&a);
	return all ? before / all : 0;
}

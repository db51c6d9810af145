/* Liveness: which registers hold a value that may still be read, at both ends of each block and, on demand, at each point
 * between two instructions. Backward data flow over bit vectors (Aho, Sethi, Ullman 1986, 10.6), blocks that changed taken
 * in post-order.
 *
 * A guarded write does not kill: the lanes whose guard is false keep the old value. A guard is read. In machine form a
 * 64-bit operand is two registers, and RZ and PT are none. A register read before any write is live into the entry.
 *
 * Limit: the sets are dense, blocks x registers bits each; a kernel whose live-in and live-out sets would take more than
 * LIVE_MAX_BYTES is refused. */
#include "pass.h"

#define LIVE_MAX_BYTES ((uint64_t)1 << 30)

/* From after i to before it; what i kills is added to `kills` if there is one. */
static void step(const struct kernel *k, const struct insn *i, uint64_t *set, uint64_t *kills)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);

	if (insn_kills(i))
		for (unsigned j = 0; j < n; j++)
			if (use[j].write) {
				bitset_del(set, use[j].reg);
				if (kills)
					bitset_add(kills, use[j].reg);
			}
	for (unsigned j = 0; j < n; j++)
		if (!use[j].write)
			bitset_add(set, use[j].reg);
}

void live_step_back(const struct kernel *k, const struct insn *i, uint64_t *set)
{
	step(k, i, set, NULL);
}

static bool is_pred(const struct kernel *k, uint32_t r)
{
	return k->form == FORM_MACHINE ? mreg_is_pred(r) : k->vreg[r].rc == RC_PRED;
}

static uint32_t weight(const struct kernel *k, uint32_t r)      /* in 32-bit registers */
{
	return is_pred(k, r) ? 0 : k->form == FORM_VIRTUAL && k->vreg[r].rc == RC_64 ? 2 : 1;
}

/* in[b] starts as what b reads; the sets only grow. */
static void solve(const struct kernel *k, struct liveness *l, const uint64_t *kills, struct arena *a)
{
	const struct cfg *g = k->cfg;
	uint32_t n = k->nblock, words = l->words, unreached = g->nrpo;
	uint32_t *order = new_array(a, uint32_t, (size_t)n + 1), *place = new_array(a, uint32_t, (size_t)n + 1);
	uint64_t *dirty = bitset_new(a, n);

	for (uint32_t b = 0; b < n; b++) {
		place[b] = g->rpo_index[b] == UINT32_MAX ? unreached++ : g->nrpo - 1 - g->rpo_index[b];
		order[place[b]] = b;
		bitset_add(dirty, b);
	}
	for (bool any = true; any;) {
		any = false;
		for (uint32_t p = bitset_next(dirty, 0, n); p < n; p = bitset_next(dirty, p + 1, n)) {
			uint32_t b = order[p];
			uint64_t *in = l->in + (size_t)b * words, *out = l->out + (size_t)b * words, grown = 0;
			const uint64_t *kill = kills + (size_t)b * words;

			any = true;
			bitset_del(dirty, p);
			for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
				for (uint32_t w = 0; w < words; w++)
					out[w] |= l->in[(size_t)g->succ[e] * words + w];
			for (uint32_t w = 0; w < words; w++) {
				uint64_t x = out[w] & ~kill[w] & ~in[w];

				grown |= x;
				in[w] |= x;
			}
			if (grown)
				for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++)
					bitset_add(dirty, place[g->pred[e]]);
		}
	}
}

struct pressure { uint32_t live32, livep; };

static void set_bit(const struct kernel *k, uint64_t *set, uint32_t r, bool on, struct pressure *p)
{
	if (bitset_has(set, r) == on)
		return;
	if (on) {
		bitset_add(set, r);
		p->live32 += weight(k, r);
		p->livep += is_pred(k, r);
	} else {
		bitset_del(set, r);
		p->live32 -= weight(k, r);
		p->livep -= is_pred(k, r);
	}
}

/* The most that is live at any one point: before each instruction and at the end of each block. */
static void find_maxima(const struct kernel *k, struct liveness *l, struct arena *a)
{
	uint32_t n = ir_nreg(k);
	uint64_t *set = bitset_new(a, n);

	for (uint32_t b = 0; b < k->nblock; b++) {
		const struct block *bb = &k->block[b];
		struct pressure p = { 0, 0 };

		memcpy(set, l->out + (size_t)b * l->words, l->words * sizeof *set);
		for (uint32_t r = bitset_next(set, 0, n); r < n; r = bitset_next(set, r + 1, n)) {
			p.live32 += weight(k, r);
			p.livep += is_pred(k, r);
		}
		for (uint32_t j = bb->n;; j--) {
			const struct insn *i;
			struct reg_use use[REG_USE_MAX];
			unsigned m;

			l->max_live32 = p.live32 > l->max_live32 ? p.live32 : l->max_live32;
			l->max_livep = p.livep > l->max_livep ? p.livep : l->max_livep;
			if (!j)
				break;
			i = &k->insn[bb->first + j - 1];
			m = insn_reg_uses(k, i, use);
			for (unsigned u = 0; u < m; u++)
				if (use[u].write && insn_kills(i))
					set_bit(k, set, use[u].reg, false, &p);
			for (unsigned u = 0; u < m; u++)
				if (!use[u].write)
					set_bit(k, set, use[u].reg, true, &p);
		}
	}
}

enum pass_result pass_live(struct kernel *k, struct pass_ctx *cx)
{
	struct liveness *l = new(k->a, struct liveness);
	uint64_t *kills, bytes;

	l->words = bitset_words(ir_nreg(k));
	bytes = 2 * (uint64_t)k->nblock * l->words * sizeof *l->in;
	if (bytes > LIVE_MAX_BYTES) {
		diag_error(cx->diag, k->at, "kernel %s is too large for liveness: %u blocks and %u registers take %llu MiB of "
		           "live sets, more than %llu MiB", k->name, k->nblock, ir_nreg(k), (unsigned long long)(bytes >> 20),
		           (unsigned long long)(LIVE_MAX_BYTES >> 20));
		return PASS_FAILED;
	}
	l->in = new_array(k->a, uint64_t, (size_t)k->nblock * l->words + 1);
	l->out = new_array(k->a, uint64_t, (size_t)k->nblock * l->words + 1);
	kills = new_array(&cx->scratch, uint64_t, (size_t)k->nblock * l->words + 1);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t j = k->block[b].n; j-- > 0;)
			step(k, &k->insn[k->block[b].first + j], l->in + (size_t)b * l->words, kills + (size_t)b * l->words);
	solve(k, l, kills, &cx->scratch);
	find_maxima(k, l, &cx->scratch);
	k->live = l;
	return PASS_SAME;
}

/* Hints for hardware that caches registers (passes/rfc.h).
 *
 * The last read of a value is where its register is not live afterwards, or is overwritten by the reader itself in
 * every lane that executes it: also under a guard, since the hint is about those lanes alone; but not by what only may
 * write it, a call of machine code that is not known.
 *
 * Which values a shared unit may read is liveness with fewer uses: registers flow backwards from instructions of shared
 * units to where they are written in every lane. A guarded write does not end a value, and may be one of those that are
 * read. */
#include "passes/rfc.h"

#include "passes/pass.h"

enum { WORDS = MREG_RZ / 64 + 1 };

/* general registers whose values shared units may read */
struct reads {
	uint64_t w[WORDS];
};

static void step_back(const struct kernel *k, uint32_t i, struct reads *now, uint16_t *shared)
{
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned d = 0; d < r.ndst; d++)
		if (bitset_has(now->w, r.dst[d]) && shared && d < 16)
			shared[i] = (uint16_t)(shared[i] | 1u << d);
	for (unsigned d = 0; d < r.ndst && insn_kills(&k->insn[i]); d++)
		bitset_del(now->w, r.dst[d]);
	for (unsigned s = 0; s < r.nsrc && insn_is_shared(&k->insn[i]); s++)
		bitset_add(now->w, r.src[s]);
}

static struct reads at_end(const struct kernel *k, uint32_t b, const struct reads *in)
{
	struct reads now = { { 0 } };

	for (uint32_t e = k->cfg->succ_at[b]; e < k->cfg->succ_at[b + 1]; e++)
		for (unsigned w = 0; w < WORDS; w++)
			now.w[w] |= in[k->cfg->succ[e]].w[w];
	return now;
}

static bool go_back(const struct kernel *k, uint32_t b, struct reads *in)
{
	struct reads now = at_end(k, b, in);
	bool more;

	for (uint32_t j = k->block[b].n; j--;)
		step_back(k, k->block[b].first + j, &now, NULL);
	more = memcmp(&now, &in[b], sizeof now) != 0;
	in[b] = now;
	return more;
}

static void find_shared(const struct kernel *k, uint16_t *shared, struct arena *a)
{
	struct reads *in = new_array(a, struct reads, (size_t)k->nblock + 1);

	for (bool more = true; more;) {
		more = false;
		for (uint32_t x = k->cfg->nrpo; x--;)
			more |= go_back(k, k->cfg->rpo[x], in);
		for (uint32_t b = k->nblock; b--;)
			if (k->cfg->rpo_index[b] == UINT32_MAX)
				more |= go_back(k, b, in);
	}
	for (uint32_t b = 0; b < k->nblock; b++) {
		struct reads now = at_end(k, b, in);

		for (uint32_t j = k->block[b].n; j--;)
			step_back(k, k->block[b].first + j, &now, shared);
	}
}

static uint32_t last_reads(const struct kernel *k, const struct insn *i, const uint64_t *after)
{
	const bool overwrites = !(op_info[i->op].flags & OPF_UNKNOWN || i->mods & MOD_MAY);
	struct insn_regs r;
	uint32_t last = 0;

	ir_insn_regs(k, i, &r);
	for (unsigned s = 0; s < r.nsrc && s < RFC_SOURCES; s++)
		if (!bitset_has(after, r.src[s]) || (overwrites && memchr(r.dst, r.src[s], r.ndst)))
			last |= 1u << s;
	return last;
}

enum pass_result pass_rfc(struct kernel *k, struct pass_ctx *cx)
{
	uint32_t *last = new_array(k->a, uint32_t, (size_t)k->ninsn + 1);
	uint16_t *shared = new_array(k->a, uint16_t, (size_t)k->ninsn + 1);
	uint64_t *set = bitset_new(&cx->scratch, MREG_ALL);

	k->rfc = new(k->a, struct rfc_hints);
	k->rfc->last = last;
	k->rfc->shared = shared;
	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	find_shared(k, shared, &cx->scratch);
	for (uint32_t b = 0; b < k->nblock; b++) {
		live_put(live_out(k, b), set);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j;

			last[i] = last_reads(k, &k->insn[i], set);
			live_step_back(k, &k->insn[i], set);
		}
		live_take(live_in(k, b), set);
	}
	return PASS_SAME;
}

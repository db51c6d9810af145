/* Release points: where a general register becomes dead for a whole warp, so that its physical register may be given
 * back or overwritten.
 *
 * At a point, a register may hold something that is read again if it is live there or waited for (passes/wlive.c). It
 * is released after an instruction that reads or writes it and leaves it neither; and on entry to a block if it was one
 * or the other at the end of a predecessor and is neither in the block. Both hold whichever lanes execute and however
 * the warp came there, also where it goes from one side of a branch to the other: so a register that is not held any
 * more may be released again, which does nothing.
 *
 * How hardware is told is after Jeon et al., GPU Register File Virtualization, MICRO-48, 2015, the paper that CORF
 * takes virtualization from: flags for each instruction and register numbers where branches meet, in metadata
 * instructions at the start of blocks.
 *
 * A register that only the lanes of one side held at their last block, on its edge to another place than where the
 * sides meet, is released when the warp comes to that place, not when it turns to the other side: later than it could
 * be, never too early. */
#include "pass.h"

struct points {
	const struct kernel *k;
	uint32_t *at, *entry_at;
	uint16_t *reg, *entry_reg;
	uint32_t n, cap, nentry, entry_cap;
	uint16_t *late;
	uint32_t nlate, late_cap; /* releases of one block, from its end to its start */
	uint32_t *count;          /* by instruction */
};

/* Lanes that wait while others execute block b may read r. */
static bool waited(const struct kernel *k, uint32_t b, uint32_t r) { return bitset_has(k->wlive->wait[b], r); }

static void find_in_block(struct points *p, uint32_t b, uint64_t *set, struct arena *a)
{
	const struct kernel *k = p->k;
	const struct block *bb = &k->block[b];

	p->nlate = 0;
	live_put(live_out(k, b), set);
	for (uint32_t j = bb->n; j--;) {
		struct live_ends e;

		live_find_ends(k, &k->insn[bb->first + j], set, &e);
		live_step_back(k, &k->insn[bb->first + j], set);
		for (uint32_t x = e.nrelease; x--;) {
			if (e.release[x] >= MREG_RZ || waited(k, b, e.release[x]))
				continue;
			arena_grow(a, p->late, p->nlate, p->late_cap);
			p->late[p->nlate++] = (uint16_t)e.release[x];
			p->count[bb->first + j]++;
		}
	}
	live_take(live_in(k, b), set);
	for (uint32_t j = 0; j < bb->n; j++) {
		for (uint32_t x = p->count[bb->first + j]; x--;) {
			arena_grow(k->a, p->reg, p->n, p->cap);
			p->reg[p->n++] = p->late[--p->nlate];
		}
		p->at[bb->first + j + 1] = p->n;
	}
}

/* What a warp may hold at the end of each block. A block without instructions releases nothing: it hands on what it
 * gets. */
static uint64_t (*find_held(const struct kernel *k, struct arena *a))[WLIVE_WORDS]
{
	uint64_t(*held)[WLIVE_WORDS] = arena_alloc(a, ((size_t)k->nblock + 1) * sizeof *held, 8);
	bool more = true;

	memset(held, 0, k->nblock * sizeof *held);
	for (uint32_t b = 0; b < k->nblock; b++) {
		live_put(live_out(k, b), held[b]);
		for (unsigned x = 0; x < WLIVE_WORDS; x++)
			held[b][x] |= k->wlive->wait[b][x];
	}
	while (more) {
		more = false;
		for (uint32_t b = 0; b < k->nblock; b++)
			for (uint32_t e = k->cfg->pred_at[b]; e < k->cfg->pred_at[b + 1] && !k->block[b].n; e++)
				for (unsigned x = 0; x < WLIVE_WORDS; x++) {
					more |= (held[k->cfg->pred[e]][x] & ~held[b][x]) != 0;
					held[b][x] |= held[k->cfg->pred[e]][x];
				}
	}
	return held;
}

static void find_on_entry(struct points *p, uint32_t b, uint64_t (*held)[WLIVE_WORDS])
{
	const struct kernel *k = p->k;
	uint64_t set[WLIVE_WORDS] = { 0 };

	for (uint32_t e = k->cfg->pred_at[b]; e < k->cfg->pred_at[b + 1] && k->block[b].n; e++)
		for (unsigned x = 0; x < WLIVE_WORDS; x++)
			set[x] |= held[k->cfg->pred[e]][x];
	for (unsigned x = 0; x < WLIVE_WORDS; x++)
		set[x] &= ~k->wlive->wait[b][x];
	live_take(live_in(k, b), set);
	for (uint32_t r = bitset_next(set, 0, MREG_RZ); r < MREG_RZ; r = bitset_next(set, r + 1, MREG_RZ)) {
		arena_grow(k->a, p->entry_reg, p->nentry, p->entry_cap);
		p->entry_reg[p->nentry++] = (uint16_t)r;
	}
	p->entry_at[b + 1] = p->nentry;
}

struct release_words release_words_of(const struct kernel *k, uint32_t b)
{
	enum { SLOTS = 18, SOURCES = 3 };
	uint32_t numbers = k->res.regs > 63 ? 6 : 9, first = k->block[b].first, end = first + k->block[b].n, slots = 0;
	struct release_words w = { 0, 0 };

	for (uint32_t i = first; i < end; i++) {
		struct reg_use use[REG_USE_MAX];
		unsigned n = insn_reg_uses(k, &k->insn[i], use), sources = 0;

		for (unsigned u = 0; u < n; u++)
			sources += !use[u].write && use[u].reg < MREG_RZ;
		slots += sources > SOURCES ? (sources + SOURCES - 1) / SOURCES : 1;
	}
	if (k->release->at[end] > k->release->at[first])
		w.flags = (slots + SLOTS - 1) / SLOTS;
	w.numbers = (k->release->entry_at[b + 1] - k->release->entry_at[b] + numbers - 1) / numbers;
	return w;
}

struct release_words release_words(const struct kernel *k)
{
	struct release_words sum = { 0, 0 };

	for (uint32_t b = 0; b < k->nblock; b++) {
		struct release_words w = release_words_of(k, b);

		sum.flags += w.flags;
		sum.numbers += w.numbers;
	}
	return sum;
}

enum pass_result pass_release(struct kernel *k, struct pass_ctx *cx)
{
	struct arena *a = &cx->scratch;
	struct points p = {
		.k = k,
		.at = new_array(k->a, uint32_t, (size_t)k->ninsn + 1),
		.entry_at = new_array(k->a, uint32_t, (size_t)k->nblock + 1),
		.count = new_array(a, uint32_t, (size_t)k->ninsn + 1),
	};
	uint64_t *set = bitset_new(a, ir_nreg(k));

	if (k->form == FORM_MACHINE) {
		uint64_t(*held)[WLIVE_WORDS] = find_held(k, a);

		for (uint32_t b = 0; b < k->nblock; b++) {
			find_in_block(&p, b, set, a);
			find_on_entry(&p, b, held);
		}
	}
	k->release = new(k->a, struct release);
	*k->release = (struct release){ .at = p.at, .reg = p.reg, .entry_at = p.entry_at, .entry_reg = p.entry_reg };
	return PASS_SAME;
}

/* Oracles for warp liveness and release points.
 *
 * check_wlive() executes the kernel's control flow with a warp of three lanes, in every way (passes/warp_walk.c). In
 * each state, what is live where the other lanes wait must be in the waiting set of the block that executes.
 *
 * check_release() makes the release points again from their definition, register by register.
 *
 * cost  what the walk takes; kernels of more than CHECK_MAX (instructions + blocks) x registers are accepted
 * unchecked. */
#include "passes/warp_walk.h"

enum { CHECK_MAX = 4 << 20 };

struct check {
	const struct kernel *k;
	struct arena a;
	struct diag *d;
	uint64_t (*live)[WLIVE_WORDS]; /* before each instruction */
	uint32_t *block_of;
	uint64_t *seen; /* blocks */
};

/* While a block executes: what the lanes that wait may read. */
static void compare(struct warp_walk *w, struct warp_state *s, bool entered)
{
	struct check *c = w->ctx;
	uint32_t b = c->block_of[s->p[s->n - 1].pc];

	for (uint32_t x = 0; entered && x + 1 < s->n && !w->wrong; x++) {
		if (!warp_waiting(s, x))
			continue;
		for (uint32_t r = 0; r < MREG_ALL && !w->wrong; r++)
			if (bitset_has(c->live[s->p[x].pc], r) && !bitset_has(c->k->wlive->wait[b], r)) {
				w->wrong = true;
				diag_error_plain(c->d, c->k->name,
						 "warp liveness is wrong in block %u: lanes that wait at instruction "
						 "%u read %s, "
						 "which is not in the waiting set",
						 b, s->p[x].pc,
						 ir_print_ref(&c->a, c->k, ref_reg(r), mreg_is_pred(r) ? 'P' : 'W'));
			}
	}
}

static bool small(const struct kernel *k)
{
	return k->form == FORM_MACHINE && k->ninsn && ((uint64_t)k->ninsn + k->nblock) * MREG_ALL <= CHECK_MAX;
}

static void prepare(struct check *w)
{
	const struct kernel *k = w->k;
	uint64_t *set = bitset_new(&w->a, MREG_ALL);

	w->live = arena_alloc(&w->a, (size_t)(k->ninsn + 1) * sizeof *w->live, 8);
	memset(w->live, 0, (size_t)(k->ninsn + 1) * sizeof *w->live);
	w->seen = bitset_new(&w->a, k->nblock);
	w->block_of = new_array(&w->a, uint32_t, (size_t)k->ninsn + 1);
	for (uint32_t b = 0; b < k->nblock; b++) {
		live_copy(set, live_out(k, b), MREG_ALL);
		for (uint32_t j = k->block[b].n; j--;) {
			uint32_t i = k->block[b].first + j;

			live_step_back(k, &k->insn[i], set);
			memcpy(w->live[i], set, sizeof *w->live);
			w->block_of[i] = b;
		}
	}
}

bool check_wlive(const struct kernel *k, struct diag *d)
{
	struct check c = { .k = k, .d = d };
	struct warp_walk w = { .k = k, .ctx = &c, .visit = compare };

	if (!small(k))
		return true;
	arena_init(&c.a);
	prepare(&c);
	warp_walk(&w);
	arena_free(&c.a);
	return !w.wrong;
}

/* ---- release points ---- */
static bool held_at_end(const struct kernel *k, uint32_t b, uint32_t r)
{
	struct live_set s = live_out(k, b);

	for (uint32_t x = 0; x < s.n; x++)
		if (s.reg[x] == r)
			return true;
	return bitset_has(k->wlive->wait[b], r);
}

/* Whether r may be held where block b is entered, also through blocks without instructions; seen: blocks asked
 * already. */
static bool held_before(const struct kernel *k, uint32_t b, uint32_t r, uint64_t *seen)
{
	for (uint32_t e = k->cfg->pred_at[b]; e < k->cfg->pred_at[b + 1]; e++) {
		uint32_t p = k->cfg->pred[e];

		if (held_at_end(k, p, r))
			return true;
		if (k->block[p].n || bitset_has(seen, p))
			continue;
		bitset_add(seen, p);
		if (held_before(k, p, r, seen))
			return true;
	}
	return false;
}

static bool listed(const uint16_t *reg, uint32_t from, uint32_t to, uint32_t r)
{
	for (uint32_t x = from; x < to; x++)
		if (reg[x] == r)
			return true;
	return false;
}

static bool differs(struct check *w, const char *where, uint32_t n, uint32_t r, bool found, bool given)
{
	if (found == given)
		return false;
	diag_error_plain(w->d, w->k->name, "release is wrong %s %u: by definition R%u is %sreleased", where, n, r,
			 found ? "" : "not ");
	return true;
}

static bool check_block(struct check *w, uint32_t b)
{
	const struct kernel *k = w->k;
	const struct release *l = k->release;
	const struct block *bb = &k->block[b];

	for (uint32_t r = 0; r < MREG_RZ; r++) {
		bool waits = bitset_has(k->wlive->wait[b], r), entry = false;

		if (bb->n && !waits && !bitset_has(w->live[bb->first], r)) {
			memset(w->seen, 0, bitset_words(k->nblock) * sizeof *w->seen);
			entry = held_before(k, b, r, w->seen);
		}
		if (differs(w, "on entry to block", b, r, entry,
			    listed(l->entry_reg, l->entry_at[b], l->entry_at[b + 1], r)))
			return false;
		for (uint32_t i = bb->first; i < bb->first + bb->n; i++) {
			struct live_set out = live_out(k, b);
			struct reg_use use[REG_USE_MAX];
			unsigned n = insn_reg_uses(k, &k->insn[i], use);
			bool held = bitset_has(w->live[i], r), after = false;

			for (unsigned u = 0; u < n; u++)
				held |= use[u].write && use[u].reg == r;
			for (uint32_t x = 0; x < out.n && i + 1 == bb->first + bb->n; x++)
				after |= out.reg[x] == r;
			after |= i + 1 < bb->first + bb->n && bitset_has(w->live[i + 1], r);
			if (differs(w, "after instruction", i, r, held && !after && !waits,
				    listed(l->reg, l->at[i], l->at[i + 1], r)))
				return false;
		}
	}
	return true;
}

bool check_release(const struct kernel *k, struct diag *d)
{
	struct check w = { .k = k, .d = d };
	bool ok = true;

	if (!small(k))
		return true;
	arena_init(&w.a);
	prepare(&w);
	for (uint32_t b = 0; ok && b < k->nblock; b++)
		ok = check_block(&w, b);
	arena_free(&w.a);
	return ok;
}

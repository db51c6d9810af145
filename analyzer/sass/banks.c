/* Banks and the reuse cache: what each instruction reads where, by the model of docs/BANKS.md.
 *
 * from   Huerta et al., MICRO 2025, section 5.3: one register a cycle and bank, three cycles to read in, one entry for
 *        each bank and operand slot, which the next read of that slot and bank takes or puts out. Jia et al. 2018 and
 *        2019 found for Volta and Turing that three sources in one bank conflict and two do not: these take two cycles
 *        for 32 lanes. */
#include "analyzer/sass/banks.h"

#include <string.h>

/* cycles that an instruction has to read its operands in */
enum { WINDOW = 3 };

/* Registers of an operand that bank b has: those from `first` on, every other one. */
struct run {
	uint8_t first, n;
};

static struct run in_bank(struct bank_operand o, unsigned b)
{
	unsigned first = o.reg + ((o.reg & 1) != b), end = o.reg + o.n;

	return (struct run){ (uint8_t)first, (uint8_t)(first < end ? (end - first + 1) / 2 : 0) };
}

/* The last that read a slot from a bank: what the cache holds there, or would hold, had it the flag. */
/* at: cycle of issue, by the stall counts */
struct entry {
	uint32_t by, at;
	struct run run;
	bool valid, held;
};

static bool same(const struct entry *e, struct run r) { return e->valid && e->run.first == r.first && e->run.n >= r.n; }

static bool overlaps(const struct entry *e, struct bank_operand w)
{
	return w.n && (w.n > 1 || !((w.reg ^ e->run.first) & 1)) && e->run.first < w.reg + w.n &&
	       w.reg <= e->run.first + 2 * (e->run.n - 1);
}

/* Reads of each bank, each register once. from_held: those that the cache holds come from there; from_any: also those
 * that it would. */
static void count(const struct bank_operand slot[BANK_SLOTS], const struct entry *e, bool from_held, bool from_any,
		  uint8_t read[BANKS])
{
	for (unsigned b = 0; b < BANKS; b++) {
		uint64_t seen[4] = { 0 };

		read[b] = 0;
		for (unsigned s = 0; s < BANK_SLOTS; s++) {
			struct run r = in_bank(slot[s], b);

			if (!r.n || ((from_any || (from_held && e[s * BANKS + b].held)) && same(&e[s * BANKS + b], r)))
				continue;
			for (unsigned x = r.first; x < r.first + 2u * r.n; x += 2) {
				read[b] += !(seen[x >> 6] >> (x & 63) & 1);
				seen[x >> 6] |= UINT64_C(1) << (x & 63);
			}
		}
	}
}

static unsigned beyond(const uint8_t read[BANKS], unsigned cycles)
{
	unsigned most = read[0] > read[1] ? read[0] : read[1];

	return cycles && most > cycles ? most - cycles : 0;
}

static void exchange(struct bank_operand slot[BANK_SLOTS], unsigned swap)
{
	unsigned x = swap == 4, y = swap == 1 ? 1 : 2;
	struct bank_operand was = slot[x];

	slot[x] = slot[y];
	slot[y] = was;
}

/* The three stages of a warp that is alone: issue, one stage behind it, and the one where it waits until it can read
 * its operands within WINDOW cycles. Times are those of the last stage, cycles from the block's start. */
/* busy: bit c is cycle base + c */
struct ports {
	uint64_t busy[BANKS];
	uint32_t base, issue, taken, late;
};

static unsigned put_back(struct ports *p, const struct bank_request *q, const struct bank_use *u)
{
	uint32_t enter = p->issue > p->taken + 1 ? p->issue : p->taken + 1, at = enter, was = p->late;
	unsigned most = u->read[0] > u->read[1] ? u->read[0] : u->read[1], window = most > WINDOW ? most : WINDOW;

	for (unsigned b = 0; b < BANKS; b++)
		p->busy[b] = at - p->base > 63 ? 0 : p->busy[b] >> (at - p->base);
	p->base = at;
	for (bool fits = !q->cycles || window > 32; !fits;) {
		fits = true;
		for (unsigned b = 0; b < BANKS; b++) {
			uint64_t span = ((UINT64_C(1) << window) - 1) << (at - p->base);

			fits = fits && window - (unsigned)__builtin_popcountll(p->busy[b] & span) >= u->read[b];
		}
		at += !fits;
	}
	for (unsigned b = 0; q->cycles && b < BANKS; b++)
		for (unsigned n = u->read[b], c = at - p->base; n && c < 64; c++)
			if (!(p->busy[b] >> c & 1)) {
				p->busy[b] |= UINT64_C(1) << c;
				n--;
			}
	p->taken = at;
	/* The next one issues when this one's stall count says so, and no sooner than this one has left the stage
	 * between. */
	p->late += enter + 1 > p->issue + q->stall ? enter + 1 - (p->issue + q->stall) : 0;
	p->issue = enter + 1 > p->issue + q->stall ? enter + 1 : p->issue + q->stall;
	return p->late - was;
}

void banks_block(const struct bank_request *q, uint32_t n, struct bank_use *out)
{
	struct entry all[BANK_CACHES * BANK_SLOTS * BANKS]; /* by cache, slot, bank */
	struct ports p = { { 0, 0 }, 1, 1, 0, 0 };
	uint32_t now = 0;

	memset(all, 0, sizeof all);
	for (uint32_t i = 0; i < n; i++, q++) {
		struct bank_use *u = &out[i];
		struct bank_operand slot[BANK_SLOTS];
		uint8_t read[BANKS];
		bool cached = q->cache && !q->unknown;
		struct entry *e = all + q->cache * (BANK_SLOTS * BANKS);

		*u = (struct bank_use){ .flags = cached ? q->flags : 0, .useless = cached ? q->flags : 0 };
		if (q->unknown)
			memset(all, 0, sizeof all);
		for (struct entry *x = all; x < all + BANK_CACHES * BANK_SLOTS * BANKS; x++)
			x->valid = x->valid && (x->held || (!q->waits && now - x->at <= BANK_NEAR));
		memcpy(slot, q->slot, sizeof slot);
		for (unsigned s = 0; s < BANK_SLOTS; s++) {
			u->reg[s] = slot[s].n ? slot[s].reg : MREG_RZ;
			u->n[s] = slot[s].n;
		}
		count(slot, e, false, false, read);
		u->wanted = (uint8_t)(read[0] + read[1]);
		count(slot, e, cached, false, u->read);
		u->conflict = (uint8_t)beyond(u->read, q->cycles);
		read[0] = read[1] = (uint8_t)((u->read[0] + u->read[1] + 1) / 2);
		u->bound = (uint8_t)beyond(read, q->cycles);
		count(slot, e, cached, cached, read);
		u->swapped = u->flagged = (uint8_t)beyond(read, q->cycles);
		for (unsigned swap = 1; cached && u->flagged && swap <= 4; swap *= 2) {
			if (!(q->swaps & swap))
				continue;
			exchange(slot, swap);
			count(slot, e, true, true, read);
			exchange(slot, swap);
			if (beyond(read, q->cycles) < u->swapped) {
				u->swapped = (uint8_t)beyond(read, q->cycles);
				u->swap = (uint8_t)swap;
			}
		}
		for (unsigned s = 0; cached && s < BANK_SLOTS; s++)
			for (unsigned b = 0; b < BANKS; b++) {
				struct run r = in_bank(slot[s], b);
				struct entry *x = &e[s * BANKS + b];

				if (!r.n)
					continue;
				if (same(x, r) && x->held) {
					u->hit |= 1 << s;
					out[x->by].useless &= ~(1u << s);
				} else if (same(x, r)) {
					u->served |= 1 << s;
					out[x->by].missed |= 1 << s;
				}
				*x = (struct entry){ i, now, r, true, q->flags >> s & 1 };
			}
		for (struct entry *x = all; x < all + BANK_CACHES * BANK_SLOTS * BANKS; x++)
			for (unsigned w = 0; w < BANK_WRITES; w++)
				x->valid = x->valid && !overlaps(x, q->write[w]);
		u->delay = (uint8_t)put_back(&p, q, u);
		now += q->stall;
	}
}

void bank_add(struct bank_totals *t, const struct bank_use *u, uint64_t times)
{
	t->insns += times;
	t->wanted += times * u->wanted;
	t->read += times * (u->read[0] + u->read[1]);
	t->hits += times * (unsigned)__builtin_popcount(u->hit);
	t->flags += times * (unsigned)__builtin_popcount(u->flags);
	t->useless += times * (unsigned)__builtin_popcount(u->useless);
	t->missed += times * (unsigned)__builtin_popcount(u->missed);
	t->conflicts += times * u->conflict;
	t->flagged += times * u->flagged;
	t->swapped += times * u->swapped;
	t->bound += times * u->bound;
	t->delay += times * u->delay;
	t->conflicted += times * (u->conflict != 0);
}

const char *bank_swap_name(uint8_t swap)
{
	static const char *const name[] = { [1] = "a/b", [2] = "a/c", [4] = "b/c" };

	return swap < sizeof name / sizeof *name && name[swap] ? name[swap] : "";
}

/* An independent, slower count of what banks.c finds: for each operand the instruction behind which it could be in the
 * cache is searched for backwards, for each flag the one that finds it forwards, register by register. */
#include "analyzer/sass/banks.h"

static bool has(struct bank_operand o, unsigned r) { return r >= o.reg && r < (unsigned)o.reg + o.n; }

static bool writes(const struct bank_request *q, unsigned r)
{
	for (unsigned w = 0; w < BANK_WRITES; w++)
		if (has(q->write[w], r))
			return true;
	return false;
}

static bool reads_bank(struct bank_operand o, unsigned bank) { return o.n > 1 || (o.n && (o.reg & 1) == bank); }

/* Whether the registers of bank `bank` in operand o lie, from the lowest on, at the start of those in `was`. */
static bool served(struct bank_operand o, struct bank_operand was, unsigned bank)
{
	unsigned r = o.reg, w = was.reg;

	r += (r & 1) != bank;
	w += (w & 1) != bank;
	if (r != w || !has(o, r))
		return false;
	for (; has(o, r); r += 2)
		if (!has(was, r))
			return false;
	return true;
}

/* The instruction before i whose read of `slot` from `bank` is the last, if its operand is the same there and not
 * overwritten since; UINT32_MAX: none. *wait: other warps are likely to have come between. */
static uint32_t source(const struct bank_request *q, uint32_t i, unsigned slot, unsigned bank, bool *wait)
{
	struct bank_operand o = q[i].slot[slot];

	unsigned cycles = 0;

	*wait = q[i].waits;
	if (!q[i].cache || q[i].unknown || !reads_bank(o, bank))
		return UINT32_MAX;
	for (uint32_t j = i; j-- > 0;) {
		cycles += q[j].stall;
		*wait |= cycles > BANK_NEAR;
		if (q[j].unknown)
			return UINT32_MAX;
		if (q[j].cache == q[i].cache && reads_bank(q[j].slot[slot], bank)) {
			if (!served(o, q[j].slot[slot], bank))
				return UINT32_MAX;
			/* What it held is stale once any of its registers there was written, also by itself. */
			for (uint32_t w = j; w < i; w++)
				for (unsigned r = q[j].slot[slot].reg; has(q[j].slot[slot], r); r++)
					if ((r & 1) == bank && writes(&q[w], r))
						return UINT32_MAX;
			return j;
		}
		*wait |= q[j].waits;
	}
	return UINT32_MAX;
}

static bool held(const struct bank_request *q, uint32_t i, unsigned slot, unsigned bank, uint32_t *by)
{
	bool wait;

	*by = source(q, i, slot, bank, &wait);
	return *by != UINT32_MAX && q[*by].flags >> slot & 1;
}

/* Whether the next that reads the slot from the bank finds what i read there. */
enum found { FOUND_NOT, FOUND_HELD, FOUND_NOT_HELD };
static enum found found(const struct bank_request *q, uint32_t n, uint32_t i, unsigned slot, unsigned bank)
{
	for (uint32_t j = i + 1; j < n && !q[j].unknown; j++) {
		bool wait;

		if (q[j].cache != q[i].cache || !reads_bank(q[j].slot[slot], bank))
			continue;
		if (source(q, j, slot, bank, &wait) != i)
			break;
		if (q[i].flags >> slot & 1)
			return FOUND_HELD;
		return wait ? FOUND_NOT : FOUND_NOT_HELD;
	}
	return FOUND_NOT;
}

static unsigned conflict(const unsigned read[BANKS], unsigned cycles)
{
	unsigned n = 0;

	for (unsigned b = 0; b < BANKS; b++)
		for (unsigned c = cycles; cycles && c < read[b]; c++)
			n = c - cycles + 1 > n ? c - cycles + 1 : n;
	return n;
}

bool banks_check(const struct bank_request *q, uint32_t n, const struct bank_use *out)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned read[BANKS] = { 0, 0 }, with[BANKS] = { 0, 0 }, wanted = 0, hit = 0,
			 useless = q[i].cache && !q[i].unknown ? q[i].flags : 0, flags = useless, missed = 0,
			 helped = 0, half[BANKS];

		for (unsigned r = 0; r < MREG_RZ; r++) {
			bool named = false, bank_read = false, any_read = false, wait;

			for (unsigned s = 0; s < BANK_SLOTS; s++) {
				uint32_t by;

				if (!has(q[i].slot[s], r))
					continue;
				named = true;
				if (held(q, i, s, r & 1, &by)) {
					hit |= 1u << s;
					continue;
				}
				bank_read = true;
				by = source(q, i, s, r & 1, &wait);
				any_read |= by == UINT32_MAX || wait;
				helped |= by != UINT32_MAX && !wait ? 1u << s : 0;
			}
			wanted += named;
			read[r & 1] += bank_read;
			with[r & 1] += any_read;
		}
		for (unsigned s = 0; q[i].cache && !q[i].unknown && s < BANK_SLOTS; s++)
			for (unsigned b = 0; b < BANKS; b++)
				switch (reads_bank(q[i].slot[s], b) ? found(q, n, i, s, b) : FOUND_NOT) {
				case FOUND_NOT:
					break;
				case FOUND_HELD:
					useless &= ~(1u << s);
					break;
				case FOUND_NOT_HELD:
					missed |= 1u << s;
					break;
				}
		for (unsigned s = 0; s < BANK_SLOTS; s++)
			if (out[i].reg[s] != (q[i].slot[s].n ? q[i].slot[s].reg : MREG_RZ) ||
			    out[i].n[s] != q[i].slot[s].n)
				return false;
		half[0] = half[1] = (read[0] + read[1] + 1) / 2;
		if (out[i].read[0] != read[0] || out[i].read[1] != read[1] || out[i].wanted != wanted ||
		    out[i].hit != hit || out[i].useless != useless || out[i].missed != missed ||
		    out[i].served != helped || out[i].flags != flags ||
		    out[i].conflict != conflict(read, q[i].cycles) || out[i].flagged != conflict(with, q[i].cycles) ||
		    out[i].bound != conflict(half, q[i].cycles) || out[i].bound > out[i].conflict ||
		    out[i].flagged > out[i].conflict || out[i].swapped > out[i].flagged)
			return false;
	}
	return true;
}

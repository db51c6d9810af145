/* Reuse flags, and the hint to yield. A core keeps, for each of two banks and each of three slots, an operand that an
 * arithmetic instruction reads with a flag; the next one that reads the same register in the same slot takes it from
 * there, and one that reads another register of that bank in that slot throws it away (Huerta et al., MICRO 2025,
 * section 5.3.1). So the flag is set where the next reader in the slot and bank reads the same value soon: other warps
 * issue in between and throw away what they do not share.
 *
 * A warp that has to wait anyway hints that another may issue; flags are only legal without that hint. */
#include "passes/control.h"

enum { BANKS = 2, SLOTS = 3, NEAR = 4, STALL_HINT = 11 };

/* What stands in a slot: general registers, one or a pair; 0 if there is none. */
struct slot {
	uint16_t reg;
	uint8_t n;
};

static bool looks(const struct control_work *w, uint32_t i)
{
	return insn_unit(w->k, &w->k->insn[i]) < UNIT_UNIFORM && !w->queue[i];
}

static void find_slots(const struct control_work *w, uint32_t i, struct slot slot[SLOTS])
{
	const struct kernel *k = w->k;
	const struct insn *x = &k->insn[i];
	unsigned n = 0;

	memset(slot, 0, SLOTS * sizeof *slot);
	for (unsigned s = 0; s < x->nsrc && n < SLOTS; s++) {
		const struct ref r = insn_src(k, x)[s];

		if (r.kind == REF_REG && r.val < MREG_RZ)
			slot[n++] = (struct slot){ (uint16_t)r.val,
						   insn_operand_class(k, x, x->ndst + s) == RC_64 ? 2 : 1 };
	}
}

static bool writes(const struct control_work *w, uint32_t i, struct slot s)
{
	const struct sass_access *a = control_first(w, i);

	for (unsigned n = 0; n < control_accesses(w, i); n++)
		if (a[n].write && a[n].reg >= s.reg && a[n].reg < s.reg + s.n)
			return true;
	return false;
}

/* Whether who reads S next in slot n behind i finds the same value there. */
static bool read_again(const struct control_work *w, const struct block *b, uint32_t i, unsigned n, struct slot s)
{
	unsigned seen = 0;

	if (writes(w, i, s))
		return false;
	for (uint32_t j = i + 1; j < b->first + b->n && seen < NEAR; j++) {
		struct slot slot[SLOTS];

		if (looks(w, j)) {
			find_slots(w, j, slot);
			seen++;
			if (slot[n].n && slot[n].reg == s.reg)
				return slot[n].n == s.n;
			if (slot[n].n && (slot[n].n == BANKS || s.n == BANKS || slot[n].reg % BANKS == s.reg % BANKS))
				return false;
		}
		if (writes(w, j, s))
			return false;
	}
	return false;
}

void control_reuse(struct control_work *w)
{
	const struct kernel *k = w->k;

	for (uint32_t x = 0; x < k->nblock; x++) {
		const struct block *b = &k->block[x];

		for (uint32_t i = b->first; i < b->first + b->n; i++) {
			struct control_code *c = &w->code[i];
			struct slot slot[SLOTS];

			if (c->stall <= STALL_HINT && looks(w, i)) {
				find_slots(w, i, slot);
				for (unsigned n = 0; n < SLOTS; n++)
					if (slot[n].n && read_again(w, b, i, n, slot[n]))
						c->reuse |= (uint8_t)(1u << n);
			}
			c->yield = c->reuse || c->stall == 1;
		}
	}
}

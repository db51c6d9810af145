/* Metadata instructions of CORF (section 4.2: 64 bits, an opcode of 10, four pairs of 6-bit register numbers) and of
 * CORF++ (section 5.1: two bits a register).
 *
 *     63..54  opcode
 *     53..48  zero                    pairs: slot s of 4 has its lower register at 12 s, the other at 12 s + 6
 *     47..0   pairs                   wide:  slot s of 3 has them at 16 s and 16 s + 8
 *     53..0   alignment               word n: register 27 n + j at 2 j
 *
 * A slot without a pair is all ones: R63 and, wide, R255 are RZ. */
#include "passes/corf.h"

enum { OPCODE_SHIFT = 64 - CORF_OPCODE_BITS, PAIR_BITS = 48 };

struct pair_form {
	uint32_t opcode;
	unsigned bits;
};

static struct pair_form form_of(uint32_t regs)
{
	return regs <= CORF_NARROW_REGS ? (struct pair_form){ CORF_OP_PAIRS, 6 }
					: (struct pair_form){ CORF_OP_PAIRS_WIDE, 8 };
}

void corf_encode(struct corf_hints *h, uint32_t regs, struct arena *a)
{
	struct pair_form f = form_of(regs);
	unsigned slots = PAIR_BITS / (2 * f.bits);
	uint32_t pairs = 0, top = 0;

	for (uint32_t r = 0; r < regs; r++) {
		pairs += h->partner[r] != MREG_RZ && h->partner[r] > r;
		top = h->align[r] != ALIGN_ANY ? r + 1 : top;
	}
	h->npair_word = (pairs + slots - 1) / slots;
	h->nalign_word = (top + CORF_ALIGN_REGS - 1) / CORF_ALIGN_REGS;
	h->pair_word = new_array(a, uint64_t, h->npair_word + 1);
	h->align_word = new_array(a, uint64_t, h->nalign_word + 1);
	for (uint32_t w = 0; w < h->npair_word; w++)
		h->pair_word[w] = (uint64_t)f.opcode << OPCODE_SHIFT | ((UINT64_C(1) << PAIR_BITS) - 1);
	for (uint32_t w = 0; w < h->nalign_word; w++)
		h->align_word[w] = (uint64_t)CORF_OP_ALIGN << OPCODE_SHIFT;
	pairs = 0;
	for (uint32_t r = 0; r < regs; r++) {
		uint32_t other = h->partner[r];

		if (other != MREG_RZ && other > r) {
			unsigned at = pairs % slots * 2 * f.bits;

			h->pair_word[pairs / slots] &= ~(((UINT64_C(1) << 2 * f.bits) - 1) << at);
			h->pair_word[pairs / slots] |= (r | (uint64_t)other << f.bits) << at;
			pairs++;
		}
		if (r < top)
			h->align_word[r / CORF_ALIGN_REGS] |= (uint64_t)h->align[r] << 2 * (r % CORF_ALIGN_REGS);
	}
}

unsigned corf_word_pairs(uint64_t word, uint8_t pair[4][2])
{
	unsigned bits = word >> OPCODE_SHIFT == CORF_OP_PAIRS_WIDE ? 8 : 6, n = 0;
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	for (unsigned at = 0; at < PAIR_BITS; at += 2 * bits) {
		pair[n][0] = (uint8_t)(word >> at & mask);
		pair[n][1] = (uint8_t)(word >> (at + bits) & mask);
		n += pair[n][0] != mask || pair[n][1] != mask;
	}
	return n;
}

/* Pairs in slots of all words; false on a register that the kernel lacks, or that is there twice. */
static bool decode_pairs(struct corf_hints *h, uint32_t regs)
{
	for (uint32_t w = 0; w < h->npair_word; w++) {
		uint8_t pair[4][2];
		unsigned n = corf_word_pairs(h->pair_word[w], pair);

		for (unsigned p = 0; p < n; p++) {
			uint8_t x = pair[p][0], y = pair[p][1];

			if (x >= y || y >= regs || h->partner[x] != MREG_RZ || h->partner[y] != MREG_RZ)
				return false;
			h->partner[x] = y;
			h->partner[y] = x;
		}
	}
	return true;
}

static bool decode_alignment(struct corf_hints *h, uint32_t regs)
{
	for (uint32_t w = 0; w < h->nalign_word; w++)
		for (unsigned j = 0; j < CORF_ALIGN_REGS; j++) {
			uint64_t x = h->align_word[w] >> 2 * j & 3, r = (uint64_t)w * CORF_ALIGN_REGS + j;

			if (x > ALIGN_RIGHT || (x != ALIGN_ANY && r >= regs))
				return false;
			if (r < regs)
				h->align[r] = (uint8_t)x;
		}
	return true;
}

bool corf_decode(struct corf_hints *h, uint32_t regs)
{
	struct corf_hints again;
	struct arena a;
	bool same;

	memset(h->partner, MREG_RZ, sizeof h->partner);
	memset(h->align, ALIGN_ANY, sizeof h->align);
	if (!decode_pairs(h, regs) || !decode_alignment(h, regs))
		return false;
	/* opcodes, the order of pairs and unused bits are as they are written, or it is no word */
	again = *h;
	arena_init(&a);
	corf_encode(&again, regs, &a);
	same = again.npair_word == h->npair_word && again.nalign_word == h->nalign_word &&
	       memcmp(again.pair_word, h->pair_word, h->npair_word * sizeof *h->pair_word) == 0 &&
	       memcmp(again.align_word, h->align_word, h->nalign_word * sizeof *h->align_word) == 0;
	arena_free(&a);
	return same;
}

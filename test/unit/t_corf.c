/* CORF's hints: metadata words, the affinity graph, pairs and alignment. */
#include "analyzer/base/rng.h"
#include "analyzer/ir/ir.h"
#include "passes/corf.h"

#include <check.h>

Suite *suite_corf(void);

static struct arena a;

static void setup(void) { arena_init(&a); }
static void teardown(void) { arena_free(&a); }

static struct corf_hints no_hints(void)
{
	struct corf_hints h = { .pair_word = NULL };

	memset(h.partner, MREG_RZ, sizeof h.partner);
	return h;
}

static void put_pair(struct corf_hints *h, unsigned x, unsigned y)
{
	h->partner[x] = (uint8_t)y;
	h->partner[y] = (uint8_t)x;
}

/* ---- metadata words ---- */
START_TEST(words_of_63_registers_have_the_bits_of_the_paper)
{
	struct corf_hints h = no_hints();

	put_pair(&h, 1, 3);
	put_pair(&h, 2, 4);
	h.align[1] = ALIGN_LEFT;
	h.align[3] = ALIGN_RIGHT;
	h.align[27] = ALIGN_RIGHT;
	corf_encode(&h, 63, &a);
	ck_assert_uint_eq(h.npair_word, 1);
	ck_assert_uint_eq(h.pair_word[0], UINT64_C(0x3c0) << 54 | UINT64_C(0xffffff) << 24 | (4u << 6 | 2) << 12 | (3u << 6 | 1));
	ck_assert_uint_eq(h.nalign_word, 2);
	ck_assert_uint_eq(h.align_word[0], UINT64_C(0x3c2) << 54 | 2u << 6 | 1u << 2);
	ck_assert_uint_eq(h.align_word[1], UINT64_C(0x3c2) << 54 | 2);
}
END_TEST

START_TEST(more_registers_take_eight_bits_each)
{
	struct corf_hints h = no_hints();

	put_pair(&h, 0, 253);
	put_pair(&h, 63, 64);
	corf_encode(&h, 254, &a);
	ck_assert_uint_eq(h.npair_word, 1);
	ck_assert_uint_eq(h.pair_word[0], UINT64_C(0x3c1) << 54 | UINT64_C(0xffff) << 32 | UINT64_C(0x403f) << 16 | 0xfd00);
}
END_TEST

START_TEST(no_hints_take_no_words)
{
	struct corf_hints h = no_hints();

	corf_encode(&h, 63, &a);
	ck_assert_uint_eq(h.npair_word, 0);
	ck_assert_uint_eq(h.nalign_word, 0);
	ck_assert(corf_decode(&h, 63));
}
END_TEST

static struct corf_hints random_hints(uint64_t *g, uint32_t regs)
{
	struct corf_hints h = no_hints();

	for (unsigned n = (unsigned)rng_below(g, regs + 1); n--;) {
		unsigned x = (unsigned)rng_below(g, regs), y = (unsigned)rng_below(g, regs);

		if (x != y && h.partner[x] == MREG_RZ && h.partner[y] == MREG_RZ)
			put_pair(&h, x, y);
		h.align[x] = (uint8_t)rng_below(g, 3);
	}
	return h;
}

START_TEST(words_decode_to_what_was_encoded)
{
	uint64_t g = 1;

	for (unsigned round = 0; round < 2000; round++) {
		uint32_t regs = 1 + (uint32_t)rng_below(&g, 254);
		struct corf_hints h = random_hints(&g, regs), back;

		corf_encode(&h, regs, &a);
		back = h;
		memset(back.partner, 0, sizeof back.partner);
		memset(back.align, 3, sizeof back.align);
		ck_assert(corf_decode(&back, regs));
		ck_assert_mem_eq(back.partner, h.partner, sizeof h.partner);
		ck_assert_mem_eq(back.align, h.align, sizeof h.align);
		arena_reset(&a);
	}
}
END_TEST

START_TEST(a_bit_of_a_word_changes_what_it_says_or_makes_it_invalid)
{
	uint64_t g = 2;

	for (unsigned round = 0; round < 2000; round++) {
		uint32_t regs = 2 + (uint32_t)rng_below(&g, 253);
		struct corf_hints h = random_hints(&g, regs), bad;
		uint64_t *word;
		uint32_t n;

		corf_encode(&h, regs, &a);
		word = rng_below(&g, 2) && h.nalign_word ? h.align_word : h.pair_word;
		n = word == h.align_word ? h.nalign_word : h.npair_word;
		if (n) {
			word[rng_below(&g, n)] ^= UINT64_C(1) << rng_below(&g, 64);
			bad = h;
			ck_assert(!corf_decode(&bad, regs) || memcmp(bad.partner, h.partner, sizeof h.partner) != 0 ||
			          memcmp(bad.align, h.align, sizeof h.align) != 0);
		}
		arena_reset(&a);
	}
}
END_TEST

Suite *suite_corf(void)
{
	Suite *s = suite_create("corf");
	TCase *words = tcase_create("words");

	tcase_add_checked_fixture(words, setup, teardown);
	tcase_add_test(words, words_of_63_registers_have_the_bits_of_the_paper);
	tcase_add_test(words, more_registers_take_eight_bits_each);
	tcase_add_test(words, no_hints_take_no_words);
	tcase_add_test(words, words_decode_to_what_was_encoded);
	tcase_add_test(words, a_bit_of_a_word_changes_what_it_says_or_makes_it_invalid);
	suite_add_tcase(s, words);
	return s;
}

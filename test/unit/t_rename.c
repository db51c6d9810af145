/* The renaming table and free map: where a search finds room, when a register is given back, ports, bytes in checked
 * mode, and random sequences against a map of every byte. */
#include "stream.h"

#include "analyzer/base/rng.h"
#include "runtime-model/core/rename.h"

struct bench {
	struct arena a;
	struct diag d;
	struct params p;
	struct stats st;
	struct rf_config rf;
	struct axes ax;
	struct axis_ctx cx;
	uint64_t now;
	struct rename *r;
};

static void setup(struct bench *b, unsigned registers, unsigned banks, bool checked)
{
	memset(b, 0, sizeof *b);
	arena_init(&b->a);
	diag_init(&b->d, NULL);
	ck_assert(params_machine(&b->p, "gtx480", &b->d));
	ck_assert(rf_config_parse(&b->rf, "rfv", &b->p, &b->d));
	b->ax.rf = &b->rf;
	b->p.rf_registers = registers * WARP_LANES;
	b->p.rf_banks = banks;
	b->cx = (struct axis_ctx){ .params = &b->p,
				   .stats = &b->st,
				   .arena = &b->a,
				   .diag = &b->d,
				   .axes = &b->ax,
				   .warps = 48,
				   .warps_per_cta = 1,
				   .now = &b->now,
				   .checked = checked };
	b->r = rename_new(&b->cx);
}

static void teardown(struct bench *b)
{
	diag_free(&b->d);
	arena_free(&b->a);
}

static struct uop uop(unsigned warp, int dst, int a, int b)
{
	struct uop u = { .warp = (uint16_t)warp, .active = UINT32_MAX };

	if (dst >= 0)
		u.dst[u.ndst++] = (uint8_t)dst;
	if (a >= 0)
		u.src[u.nsrc++] = (uint8_t)a;
	if (b >= 0)
		u.src[u.nsrc++] = (uint8_t)b;
	return u;
}

static unsigned mask_of(const struct bench *b, unsigned reg) { return rename_find(b->r, 0, reg)->mask; }

static void put(struct bench *b, unsigned reg, unsigned width, enum fit fit, unsigned entry, unsigned mask)
{
	struct slot s = rename_search_file(b->r, width, fit);

	ck_assert_uint_eq(s.entry, entry);
	ck_assert_uint_eq(s.mask, mask);
	rename_map(b->r, 0, reg, s);
}

START_TEST(the_first_entry_with_room_is_found)
{
	struct bench b;

	setup(&b, 32, 4, false);
	put(&b, 1, 2, FIT_ANY, 0, 3);
	put(&b, 2, 3, FIT_RIGHT, 1, 7);
	put(&b, 3, 1, FIT_LEFT, 0, 8);
	put(&b, 4, 1, FIT_ANY, 0, 4);
	put(&b, 5, 1, FIT_ANY, 1, 8);
	put(&b, 6, 3, FIT_EMPTY, 2, 7);
	put(&b, 7, 4, FIT_LEFT, 3, 15);
	put(&b, 8, 2, FIT_LEFT, 4, 12);
	ck_assert_uint_eq(rename_entries(b.r), 5);
	rename_unmap(b.r, 0, 1);
	rename_unmap(b.r, 0, 4);
	put(&b, 9, 3, FIT_ANY, 0, 7);
	ck_assert_uint_eq(rename_entries(b.r), 5);
	rename_warp_exit(b.r, 0);
	ck_assert_uint_eq(rename_entries(b.r), 0);
	put(&b, 1, 4, FIT_ANY, 0, 15);
	teardown(&b);
}
END_TEST

START_TEST(a_bank_has_every_nth_entry)
{
	struct bench b;
	struct slot s;

	setup(&b, 10, 4, false); /* banks 0 and 1 have three entries, 2 and 3 have two */
	for (unsigned i = 0; i < 2; i++) {
		s = rename_search_bank(b.r, 3, 4, FIT_ANY);
		ck_assert_uint_eq(s.entry, 3 + 4 * i);
		rename_map(b.r, 0, i, s);
	}
	ck_assert_uint_eq(rename_search_bank(b.r, 3, 1, FIT_ANY).mask, 0);
	s = rename_search_bank(b.r, 1, 2, FIT_LEFT);
	ck_assert_uint_eq(s.entry, 1);
	ck_assert_uint_eq(s.mask, 12);
	teardown(&b);
}
END_TEST

START_TEST(shrinking_frees_bytes_at_either_end)
{
	struct bench b;

	setup(&b, 4, 1, false);
	put(&b, 1, 3, FIT_RIGHT, 0, 7);
	rename_shrink(b.r, 0, 1, 1, false, false);
	ck_assert_uint_eq(mask_of(&b, 1), 1);
	put(&b, 2, 3, FIT_LEFT, 0, 14);
	rename_shrink(b.r, 0, 2, 2, true, false);
	ck_assert_uint_eq(mask_of(&b, 2), 12);
	rename_shrink(b.r, 0, 2, 1, false, false);
	ck_assert_uint_eq(mask_of(&b, 2), 4);
	put(&b, 3, 1, FIT_ANY, 0, 2);
	put(&b, 4, 1, FIT_ANY, 0, 8);
	ck_assert_uint_eq(rename_entries(b.r), 1);
	teardown(&b);
}
END_TEST

/* Registers 1 and 2 are a pair, 3 and 4 another. */
START_TEST(what_a_pair_leaves_is_reserved_for_it)
{
	struct bench b;
	uint8_t partner[256];
	struct slot s;

	setup(&b, 8, 1, false);
	memset(partner, MREG_RZ, sizeof partner);
	partner[1] = 2, partner[2] = 1, partner[3] = 4, partner[4] = 3;
	rename_pairs(b.r, partner);
	put(&b, 1, 1, FIT_EMPTY, 0, 1);
	rename_reserve(b.r, 0, 1);
	put(&b, 9, 1, FIT_ANY, 1, 1); /* not beside register 1 */
	s = rename_search_beside(b.r, 0, 1, 2, 3);
	ck_assert_uint_eq(s.mask, 14);
	rename_map(b.r, 0, 2, s);
	rename_unmap(b.r, 0, 2); /* kept for it */
	put(&b, 10, 3, FIT_ANY, 1, 14);
	s = rename_search_file(b.r, 1, FIT_ANY);
	ck_assert_uint_eq(s.entry, 2);
	rename_map(b.r, 0, 2, s); /* elsewhere: no longer */
	put(&b, 11, 3, FIT_ANY, 0, 14);
	rename_unmap(b.r, 0, 2);
	put(&b, 3, 2, FIT_EMPTY, 2, 3);
	rename_reserve(b.r, 0, 3);
	rename_shrink(b.r, 0, 3, 1, false, false);
	put(&b, 12, 1, FIT_ANY, 3, 1);
	ck_assert_uint_eq(rename_search_beside(b.r, 0, 3, 4, 3).mask, 14);
	rename_unmap(b.r, 0, 3);
	put(&b, 13, 4, FIT_ANY, 2, 15);
	rename_warp_exit(b.r, 0);
	put(&b, 13, 4, FIT_ANY, 0, 15);
	teardown(&b);
}
END_TEST

static void issue(struct bench *b, int dst, int x, int y)
{
	struct uop u = uop(0, dst, x, y);

	rename_issue(b->r, &u);
}

static struct uop issue_as(struct bench *b, unsigned id, int dst, int x)
{
	struct uop u = uop(0, dst, x, -1);

	u.id = (uint16_t)id;
	rename_issue(b->r, &u);
	return u;
}

/* Where a reader issues before the result that it reads is there, and the next write behind it: on a core of sub-
 * cores. */
START_TEST(a_release_is_of_the_value_before_it)
{
	struct uop first, second;
	struct bench b;

	for (unsigned late = 0; late < 2; late++) {
		setup(&b, 8, 1, true);
		first = issue_as(&b, 1, 1, -1);
		issue_as(&b, 2, -1, 1);
		rename_release(b.r, 0, 1);
		second = issue_as(&b, 3, 1, -1);
		issue_as(&b, 4, -1, 1);                   /* reads what the second writes */
		ck_assert(rename_may_write(b.r, &first)); /* a younger read is no obstacle */
		put(&b, 1, 4, FIT_ANY, 0, 15);
		ck_assert(!rename_may_write(b.r, &second));
		if (!late) {
			rename_written(b.r, 0, 1);
			ck_assert_uint_eq(mask_of(&b, 1), 15);
			rename_read(b.r, 0, 1);
			ck_assert_uint_eq(mask_of(&b, 1), 0);
			ck_assert(rename_may_write(b.r, &second));
			put(&b, 1, 4, FIT_ANY, 0, 15);
		} else { /* the first write is done when the second has its result: that is no more what was released */
			rename_read(b.r, 0, 1);
			ck_assert(rename_may_write(b.r, &second));
			rename_written(b.r, 0, 1);
		}
		ck_assert_uint_eq(mask_of(&b, 1), 15);
		rename_written(b.r, 0, 1);
		ck_assert_uint_eq(mask_of(&b, 1), 15);
		rename_read(b.r, 0, 1);
		ck_assert_uint_eq(mask_of(&b, 1), 15);
		ck_assert_uint_eq(rename_held_by(b.r, 0), 1);
		teardown(&b);
	}
}
END_TEST

START_TEST(a_search_of_two_banks_finds_no_others)
{
	struct bench b;

	setup(&b, 16, 4, false); /* four rows */
	for (unsigned reg = 0; reg < 8; reg++) {
		const struct slot s = rename_search_banks(b.r, 2, 2, 4, FIT_ANY);

		ck_assert_uint_eq(s.mask, 15);
		ck_assert_uint_eq(s.entry, reg / 2 * 4 + 2 + reg % 2);
		rename_map(b.r, 0, reg, s);
	}
	ck_assert_uint_eq(rename_search_banks(b.r, 2, 2, 1, FIT_ANY).mask, 0);
	ck_assert_uint_eq(rename_search_file(b.r, 4, FIT_ANY).entry, 0);
	teardown(&b);
}
END_TEST

static bool may_write(struct bench *b, int dst)
{
	struct uop u = uop(0, dst, -1, -1);

	return rename_may_write(b->r, &u);
}

START_TEST(a_register_lives_until_its_reads_and_writes_are_done)
{
	struct bench b;

	setup(&b, 8, 1, true);
	rename_release(b.r, 0, 1); /* not mapped: nothing */
	put(&b, 1, 4, FIT_ANY, 0, 15);
	issue(&b, -1, 1, -1);
	issue(&b, 1, 1, 2); /* reads it, overwrites it: */
	ck_assert(!may_write(&b, 1));
	rename_read(b.r, 0, 1);
	rename_read(b.r, 0, 2);
	ck_assert(!may_write(&b, 1));
	rename_read(b.r, 0, 1);
	ck_assert(may_write(&b, 1));
	rename_release(b.r, 0, 1); /* and what it writes is dead */
	ck_assert_uint_eq(mask_of(&b, 1), 15);
	rename_written(b.r, 0, 1);
	ck_assert_uint_eq(mask_of(&b, 1), 0);
	put(&b, 1, 4, FIT_ANY, 0, 15);
	issue(&b, -1, 1, -1);
	rename_release(b.r, 0, 1); /* the last read */
	issue(&b, 1, -1, -1);      /* a younger write waits for it */
	ck_assert(!may_write(&b, 1));
	ck_assert_uint_eq(mask_of(&b, 1), 15);
	rename_read(b.r, 0, 1);
	ck_assert_uint_eq(mask_of(&b, 1), 0);
	put(&b, 1, 4, FIT_ANY, 0, 15);
	rename_written(b.r, 0, 1); /* and its own value lives */
	ck_assert_uint_eq(mask_of(&b, 1), 15);
	issue(&b, -1, 1, -1);
	rename_release(b.r, 0, 1);
	issue(&b, 1, -1, -1);
	/* both values are dead; the write is none, as no lane was active, and done before the read */
	rename_release(b.r, 0, 1);
	rename_written(b.r, 0, 1);
	ck_assert_uint_eq(mask_of(&b, 1), 15);
	rename_read(b.r, 0, 1);
	ck_assert_uint_eq(mask_of(&b, 1), 0);
	put(&b, 1, 4, FIT_ANY, 0, 15);
	rename_release(b.r, 0, 1); /* nothing outstanding: at once */
	ck_assert_uint_eq(mask_of(&b, 1), 0);
	teardown(&b);
}
END_TEST

START_TEST(ports_are_booked_ahead)
{
	struct bench b;

	setup(&b, 8, 4, false);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(rename_port(b.r, 1), i / 2);
	ck_assert_uint_eq(rename_port(b.r, 2), 0);
	b.now = 1;
	ck_assert_uint_eq(rename_port(b.r, 1), 1); /* cycles 1 and, once, 2 are booked */
	b.now = 9;
	ck_assert_uint_eq(rename_port(b.r, 1), 0);
	teardown(&b);
}
END_TEST

/* Every width and place: what is unpacked is what was packed, and other bytes stay as they are. */
START_TEST(bytes_are_packed_and_unpacked)
{
	static const uint32_t extreme[SLOT_BYTES][4] = {
		{ 0x7f, 0xffffff80, 0, 0xffffffff },
		{ 0x7fff, 0xffff8000, 0x80, 0xffffff7f },
		{ 0x7fffff, 0xff800000, 0x8000, 0xffff7fff },
		{ 0x7fffffff, 0x80000000, 0x800000, 0xff7fffff },
	};
	struct bench b;

	setup(&b, 4, 1, true);
	for (unsigned width = 1; width <= SLOT_BYTES; width++)
		for (unsigned low = 0; low + width <= SLOT_BYTES; low++) {
			uint32_t in[WARP_LANES], out[WARP_LANES], beside[WARP_LANES];

			for (unsigned l = 0; l < WARP_LANES; l++)
				in[l] = extreme[width - 1][l % 4];
			if (low)
				rename_map(b.r, 0, 7, (struct slot){ 0, (uint8_t)((1u << low) - 1) });
			rename_map(b.r, 0, 1, (struct slot){ 0, (uint8_t)(((1u << width) - 1) << low) });
			if (low)
				ck_assert(rename_load(b.r, 0, 7, beside));
			rename_store(b.r, 0, 1, in, UINT32_MAX);
			ck_assert(rename_load(b.r, 0, 1, out));
			ck_assert_mem_eq(in, out, sizeof in);
			memset(in, 0, sizeof in);
			rename_store(b.r, 0, 1, in, 0xffff);
			ck_assert(rename_load(b.r, 0, 1, in));
			ck_assert_mem_eq(in + 16, out + 16, sizeof in / 2);
			ck_assert_uint_eq(in[15], 0);
			if (low) {
				ck_assert(rename_load(b.r, 0, 7, out));
				ck_assert_mem_eq(out, beside, sizeof out);
			}
			rename_warp_exit(b.r, 0);
		}
	teardown(&b);
}
END_TEST

START_TEST(a_released_register_reads_as_garbage)
{
	struct bench b;
	uint32_t lane[WARP_LANES] = { 0 }, want[WARP_LANES] = { 0 };

	setup(&b, 4, 1, true);
	ck_assert(!rename_load(b.r, 0, 1, lane)); /* never written: there is nothing to compare */
	put(&b, 1, 4, FIT_ANY, 0, 15);
	rename_store(b.r, 0, 1, want, UINT32_MAX);
	rename_release(b.r, 0, 1);
	ck_assert(rename_load(b.r, 0, 1, lane));
	for (unsigned l = 0; l < WARP_LANES; l++)
		ck_assert_uint_ne(lane[l], 0);
	put(&b, 2, 4, FIT_ANY, 0, 15); /* nor does anyone else find what was there */
	ck_assert(rename_load(b.r, 0, 2, lane));
	for (unsigned l = 0; l < WARP_LANES; l++)
		ck_assert_uint_ne(lane[l], 0);
	teardown(&b);
}
END_TEST

/* Check writes every assertion down; these are many. */
#define NEED(what)                                 \
	do {                                       \
		if (!(what))                       \
			ck_abort_msg("%s", #what); \
	} while (0)

/* ---- random sequences ---- */
enum { WARPS = 5, REGS = 12, ENTRIES = WARPS * REGS };

/* Who holds each byte, from the table alone: -1 nobody; fails if two do. */
static void owners(const struct bench *b, int own[ENTRIES][SLOT_BYTES])
{
	memset(own, -1, sizeof(int[ENTRIES][SLOT_BYTES]));
	for (unsigned w = 0; w < WARPS; w++)
		for (unsigned reg = 0; reg < REGS; reg++) {
			struct slot s = *rename_find(b->r, w, reg);

			for (unsigned i = 0; i < SLOT_BYTES; i++)
				if (s.mask >> i & 1) {
					NEED(s.entry < ENTRIES);
					NEED(own[s.entry][i] == -1);
					own[s.entry][i] = (int)(w * REGS + reg);
				}
		}
}

static bool run_free(int own[SLOT_BYTES], unsigned low, unsigned width)
{
	for (unsigned i = low; i < low + width; i++)
		if (own[i] >= 0)
			return false;
	return true;
}

/* The same search over the bytes: the entry; *mask. ENTRIES: none. */
static unsigned naive(int own[ENTRIES][SLOT_BYTES], unsigned bank, unsigned banks, unsigned width, enum fit fit,
		      unsigned *mask)
{
	for (unsigned e = 0; e < ENTRIES; e++) {
		if (bank < banks && e % banks != bank)
			continue;
		for (unsigned low = 0; low + width <= SLOT_BYTES; low++) {
			if ((fit == FIT_LEFT && low + width != SLOT_BYTES) ||
			    ((fit == FIT_RIGHT || fit == FIT_EMPTY) && low) ||
			    !run_free(own[e], fit == FIT_EMPTY ? 0 : low, fit == FIT_EMPTY ? SLOT_BYTES : width))
				continue;
			*mask = ((1u << width) - 1) << low;
			return e;
		}
	}
	return ENTRIES;
}

/* Every register of every warp may be mapped: the file has as many entries, and never none for one more. */
START_TEST(random_sequences_agree_with_a_map_of_bytes)
{
	static const unsigned banks[] = { 1, 4, 7, 16 };
	struct bench b;
	uint64_t g;
	int own[ENTRIES][SLOT_BYTES];

	g = (uint64_t)_i + 1;
	setup(&b, ENTRIES, banks[_i % 4], false);
	for (unsigned n = 0; n < 3000; n++) {
		unsigned w = rng_below(&g, WARPS), reg = rng_below(&g, REGS), width = 1 + rng_below(&g, 4), used = 0;
		struct slot s = *rename_find(b.r, w, reg);

		owners(&b, own);
		for (unsigned e = 0; e < ENTRIES; e++)
			used += !run_free(own[e], 0, SLOT_BYTES);
		NEED(rename_entries(b.r) == used);
		if (rng_below(&g, 200) == 0) {
			rename_warp_exit(b.r, w);
		} else if (!s.mask) {
			enum fit fit = (enum fit)rng_below(&g, 4);
			unsigned bank = rng_below(&g, 2 * b.p.rf_banks), mask = 0,
				 e = naive(own, bank, b.p.rf_banks, width, fit, &mask);

			s = bank < b.p.rf_banks ? rename_search_bank(b.r, bank, width, fit)
						: rename_search_file(b.r, width, fit);
			NEED(s.mask == mask);
			if (mask)
				NEED(s.entry == e);
			else
				s = rename_search_file(b.r, width, FIT_ANY);
			NEED(s.mask != 0);
			rename_map(b.r, w, reg, s);
		} else if (slot_width(s) > width && rng_below(&g, 2)) {
			rename_shrink(b.r, w, reg, width, rng_below(&g, 2), false);
			NEED(!rename_regrow(b.r, w, reg, width + 1, false));
		} else if (rng_below(&g, 4) == 0) {
			rename_release(b.r, w, reg);
		}
	}
	teardown(&b);
}
END_TEST

/* With pairs: no byte twice, always room, and nothing reserved is left when all have gone. */
START_TEST(random_pairs_always_find_room)
{
	struct bench b;
	uint64_t g;
	uint8_t partner[256];
	int own[ENTRIES][SLOT_BYTES];

	g = (uint64_t)_i + 100;
	setup(&b, ENTRIES, 4, false);
	memset(partner, MREG_RZ, sizeof partner);
	for (unsigned i = 0; i < REGS - 4; i++)
		partner[i] = (uint8_t)(i ^ 1);
	rename_pairs(b.r, partner);
	for (unsigned n = 0; n < 3000; n++) {
		unsigned w = rng_below(&g, WARPS), reg = rng_below(&g, REGS), width = 1 + rng_below(&g, 4);
		struct slot s = *rename_find(b.r, w, reg);

		owners(&b, own);
		if (s.mask && slot_width(s) > width) {
			rename_shrink(b.r, w, reg, width, false, false);
		} else if (s.mask) {
			rename_unmap(b.r, w, reg);
		} else {
			bool empty = false;

			s.mask = 0;
			if (partner[reg] != MREG_RZ && rename_find(b.r, w, partner[reg])->mask)
				s = rename_search_beside(b.r, w, partner[reg], reg, width);
			else if (partner[reg] != MREG_RZ)
				empty = (s = rename_search_file(b.r, width, FIT_EMPTY)).mask;
			if (!s.mask)
				s = rename_search_file(b.r, width, FIT_ANY);
			NEED(s.mask != 0);
			rename_map(b.r, w, reg, s);
			if (empty)
				rename_reserve(b.r, w, reg);
		}
	}
	for (unsigned w = 0; w < WARPS; w++)
		rename_warp_exit(b.r, w);
	for (unsigned e = 0; e < ENTRIES; e++) {
		struct slot s = rename_search_file(b.r, 4, FIT_ANY);

		NEED(s.entry == e);
		rename_map(b.r, e / REGS, e % REGS, s);
	}
	NEED(rename_search_file(b.r, 1, FIT_ANY).mask == 0);
	teardown(&b);
}
END_TEST

Suite *suite_rename(void);
Suite *suite_rename(void)
{
	Suite *s = suite_create("rename");
	TCase *t = tcase_create("rename");

	tcase_add_test(t, the_first_entry_with_room_is_found);
	tcase_add_test(t, a_bank_has_every_nth_entry);
	tcase_add_test(t, shrinking_frees_bytes_at_either_end);
	tcase_add_test(t, what_a_pair_leaves_is_reserved_for_it);
	tcase_add_test(t, a_register_lives_until_its_reads_and_writes_are_done);
	tcase_add_test(t, a_release_is_of_the_value_before_it);
	tcase_add_test(t, a_search_of_two_banks_finds_no_others);
	tcase_add_test(t, ports_are_booked_ahead);
	tcase_add_test(t, bytes_are_packed_and_unpacked);
	tcase_add_test(t, a_released_register_reads_as_garbage);
	tcase_add_loop_test(t, random_sequences_agree_with_a_map_of_bytes, 0, 16);
	tcase_add_loop_test(t, random_pairs_always_find_room, 0, 8);
	suite_add_tcase(s, t);
	return s;
}

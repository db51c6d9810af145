/* Register banks and the reuse cache: the published examples by hand, and random code against the slower count. */
#include "analyzer/base/rng.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/banks.h"
#include "analyzer/sass/lift.h"

#include <check.h>
#include <glob.h>
#include <stddef.h>
#include <string.h>

/* dst = op(a, b, c) of 32-bit registers, for a unit of `cycles` cycles; NO: the slot has no general register. */
enum { NO = 255, FULL = 1, HALF = 2 };
static struct bank_request op(unsigned cycles, unsigned dst, unsigned a, unsigned b, unsigned c, unsigned flags)
{
	struct bank_request q = {
		.cycles = (uint8_t)cycles, .stall = (uint8_t)cycles, .flags = (uint8_t)flags, .cache = BANK_CACHE_CORE
	};
	const unsigned src[3] = { a, b, c };

	if (dst != NO)
		q.write[0] = (struct bank_operand){ (uint8_t)dst, 1 };
	for (unsigned s = 0; s < 3; s++)
		if (src[s] != NO)
			q.slot[s] = (struct bank_operand){ (uint8_t)src[s], 1 };
	return q;
}

static struct bank_use use[16];
#define RUN(q) run(q, sizeof(q) / sizeof *(q))
static void run(const struct bank_request *q, uint32_t n)
{
	ck_assert_uint_le(n, 16);
	banks_block(q, n, use);
	ck_assert(banks_check(q, n, use));
}

/* Huerta et al., MICRO 2025, listing 4: R2 is flagged in slot a. */
START_TEST(a_hit_takes_the_value_out_of_the_cache)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(FULL, 5, 2, 7, 8, 0),
					  op(FULL, 10, 2, 12, 13, 0) };

	RUN(q);
	ck_assert(use[0].flags == 1 && use[0].useless == 0 && use[0].hit == 0);
	ck_assert(use[1].hit == 1 && use[1].missed == 1 && use[1].read[0] == 1 && use[1].read[1] == 1);
	ck_assert(use[2].hit == 0 && use[2].read[0] == 2 && use[2].read[1] == 1);
}
END_TEST

START_TEST(a_hit_with_the_flag_keeps_it)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(FULL, 5, 2, 7, 8, 1),
					  op(FULL, 10, 2, 12, 13, 0) };

	RUN(q);
	ck_assert(use[1].hit == 1 && use[2].hit == 1 && use[0].useless == 0 && use[1].useless == 0 &&
		  use[1].missed == 0);
}
END_TEST

START_TEST(another_slot_does_not_find_it_and_another_bank_leaves_it)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(FULL, 5, 7, 2, 8, 0),
					  op(FULL, 10, 2, 12, 13, 0) };

	RUN(q);
	ck_assert(use[1].hit == 0 && use[1].read[0] == 2 && use[1].read[1] == 1);
	ck_assert(use[2].hit == 1 && use[0].useless == 0);
}
END_TEST

START_TEST(a_read_of_the_same_slot_and_bank_puts_it_out)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(FULL, 5, 4, 7, 8, 0),
					  op(FULL, 10, 2, 12, 13, 0) };

	RUN(q);
	ck_assert(use[1].hit == 0 && use[2].hit == 0 && use[0].useless == 1);
}
END_TEST

/* Listing 1: 5, 6 and 7 cycles from one clock to the other. */
START_TEST(three_cycles_to_read_in_take_up_what_the_neighbours_leave)
{
	for (unsigned even = 0; even <= 2; even++) {
		const struct bank_request q[] = {
			op(FULL, NO, NO, NO, NO, 0), op(FULL, NO, NO, NO, NO, 0),
			op(FULL, 11, 10, 12, 14, 0), op(FULL, 13, 16, even > 0 ? 18 : 19, even > 1 ? 20 : 21, 0),
			op(FULL, NO, NO, NO, NO, 0), op(FULL, NO, NO, NO, NO, 0)
		};
		unsigned delay = 0;

		RUN(q);
		for (unsigned i = 0; i + 1 < 6; i++)
			delay += use[i].delay;
		ck_assert_uint_eq(delay, even);
	}
}
END_TEST

/* Section 5.3, on a GPU that takes in 32 lanes a cycle: two sources in one bank cost a cycle, three cost two. */
START_TEST(sources_in_one_bank_wait_for_each_other)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 4, NO, 0), op(FULL, 1, 2, 5, NO, 0), op(FULL, 1, 2, 4, 6, 0),
					  op(FULL, 1, 3, 5, 7, 0), op(FULL, 1, 3, 4, 5, 0) };
	const unsigned cycles[] = { 1, 0, 2, 2, 1 }, bound[] = { 0, 0, 1, 1, 1 };

	RUN(q);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(use[i].conflict, cycles[i]);
		ck_assert_uint_eq(use[i].bound, bound[i]);
	}
}
END_TEST

/* In a stream of them the same number of cycles is lost, two of three of them only behind what the first three take
 * up. */
START_TEST(a_stream_of_conflicts_loses_as_much)
{
	struct bank_request q[12];
	unsigned delay = 0;

	for (unsigned i = 0; i < 12; i++)
		q[i] = op(FULL, 1, 2, 4, NO, 0);
	RUN(q);
	for (unsigned i = 4; i < 12; i++)
		delay += use[i].delay;
	ck_assert_uint_eq(delay, 8);
}
END_TEST

/* Jia et al. 2018, on Volta: FFMA R6, R97, R99, RX takes longer where X is odd, FFMA R6, R98, R99, RX never does. */
START_TEST(on_volta_and_turing_three_sources_conflict_and_two_do_not)
{
	for (unsigned x = 10; x < 14; x++) {
		const struct bank_request q[] = { op(HALF, 6, 97, 99, x, 0), op(HALF, 6, 98, 99, x, 0) };

		RUN(q);
		ck_assert_uint_eq(use[0].conflict, x & 1);
		ck_assert_uint_eq(use[1].conflict, 0);
	}
}
END_TEST

START_TEST(a_written_register_is_found_by_nobody)
{
	struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(FULL, 2, 7, 9, 5, 0), op(FULL, 10, 2, 12, 13, 0),
				    op(FULL, 2, 2, 12, 13, 1), op(FULL, 3, 2, 5, 5, 0) };

	RUN(q);
	ck_assert(use[0].useless == 1 && use[2].hit == 0 && use[2].missed == 7 && use[3].useless == 1 &&
		  use[4].hit == 0);
	q[1].write[0].reg = 0;
	q[1].write[0].n = 4;
	RUN(q);
	ck_assert(use[0].useless == 1);
	q[1].write[0].n = 2;
	RUN(q);
	ck_assert(use[0].useless == 0);
}
END_TEST

START_TEST(a_wait_or_a_stall_spoils_a_chance_and_not_a_flag)
{
	struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 0), op(FULL, 5, 2, 7, 8, 0) };

	RUN(q);
	ck_assert_uint_eq(use[0].missed, 1);
	q[1].waits = true;
	RUN(q);
	ck_assert_uint_eq(use[0].missed, 0);
	q[1].waits = false;
	q[0].stall = BANK_NEAR;
	RUN(q);
	ck_assert_uint_eq(use[0].missed, 1);
	q[0].stall = BANK_NEAR + 1;
	RUN(q);
	ck_assert_uint_eq(use[0].missed, 0);
	q[0].flags = 1;
	RUN(q);
	ck_assert_uint_eq(use[1].hit, 1);
}
END_TEST

START_TEST(loads_and_stores_go_past_the_cache)
{
	struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(0, 5, 4, 7, NO, 0), op(FULL, 5, 2, 7, 8, 0) };

	q[1].cache = BANK_CACHE_NONE;
	RUN(q);
	ck_assert(use[1].read[0] == 1 && use[1].read[1] == 1 && use[1].conflict == 0 && use[2].hit == 1);
	q[1].unknown = true;
	RUN(q);
	ck_assert(use[2].hit == 0 && use[0].useless == 1);
	q[1].flags = 3;
	RUN(q);
	ck_assert(use[1].flags == 0 && use[1].useless == 0);
}
END_TEST

START_TEST(units_have_entries_of_their_own)
{
	struct bank_request q[] = { op(FULL, 1, 2, 3, 5, 1), op(FULL, 7, 4, 3, 5, 1), op(FULL, 8, 2, 12, 13, 0),
				    op(FULL, 8, 4, 12, 13, 0) };

	q[1].cache = q[3].cache = BANK_CACHE_HALF;
	RUN(q);
	ck_assert(use[1].hit == 0 && use[2].hit == 1 && use[3].hit == 1);
	q[1].cache = q[3].cache = BANK_CACHE_CORE;
	RUN(q);
	ck_assert(use[0].useless == 1 && use[2].hit == 0 && use[1].useless == 1 && use[3].hit == 0);
}
END_TEST

START_TEST(a_pair_lies_in_both_banks)
{
	struct bank_request q[] = { op(HALF, 0, 2, 4, 6, 1), op(HALF, 8, 2, 4, 6, 0), op(HALF, 9, 3, NO, NO, 0) };

	for (unsigned i = 0; i < 2; i++)
		for (unsigned s = 0; s < 3; s++)
			q[i].slot[s].n = 2;
	RUN(q);
	ck_assert(use[0].wanted == 6 && use[0].read[0] == 3 && use[0].read[1] == 3 && use[0].conflict == 1 &&
		  use[0].bound == 1);
	ck_assert(use[1].hit == 1 && use[1].read[0] == 2 && use[1].conflict == 0 && use[1].missed == 1 &&
		  use[0].missed == 6);
	ck_assert_uint_eq(use[2].read[1], 1);
}
END_TEST

START_TEST(a_register_that_is_named_twice_is_read_once)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 2, 2, 0), op(FULL, 1, 2, 2, 4, 0) };

	RUN(q);
	ck_assert(use[0].wanted == 1 && use[0].read[0] == 1 && use[0].conflict == 0 && use[1].conflict == 1);
}
END_TEST

START_TEST(an_exchange_brings_a_register_to_the_slot_that_has_it)
{
	struct bank_request q[] = { op(FULL, 1, 2, 3, 5, 0), op(FULL, 8, 6, 2, 9, 0) };

	RUN(q);
	ck_assert(use[1].conflict == 1 && use[1].swap == 0 && use[1].swapped == 1);
	q[1].swaps = 1;
	RUN(q);
	ck_assert(use[1].flagged == 1 && use[1].swap == 1 && use[1].swapped == 0);
	ck_assert_str_eq(bank_swap_name(use[1].swap), "a/b");
}
END_TEST

static struct bank_request any(uint64_t *r, bool wide)
{
	struct bank_request q = op(rng_below(r, 3), rng_below(r, 6), rng_below(r, 8), rng_below(r, 8), rng_below(r, 8),
				   rng_below(r, 16));

	q.stall = (uint8_t)(1 + rng_below(r, 4));
	q.swaps = wide ? 0 : (uint8_t)rng_below(r, 8);
	q.cache = (uint8_t)(rng_below(r, 8) ? BANK_CACHE_CORE + (rng_below(r, 6) == 0) : BANK_CACHE_NONE);
	q.waits = rng_below(r, 10) == 0;
	q.unknown = rng_below(r, 40) == 0;
	for (unsigned s = 0; s < 4; s++) {
		if (rng_below(r, 6) == 0)
			q.slot[s].n = 0;
		else if (wide && rng_below(r, 3) == 0)
			q.slot[s] = (struct bank_operand){ (uint8_t)(rng_below(r, 4) * 4), rng_below(r, 2) ? 4 : 2 };
		if (!wide && s < 3 && !q.slot[s].n)
			q.slot[s] = (struct bank_operand){ 9, 1 };
	}
	return q;
}

START_TEST(random_blocks_count_as_the_slower_count_does)
{
	uint64_t r = (uint64_t)_i + 1;

	for (unsigned turn = 0; turn < 200; turn++) {
		struct bank_request q[40];
		struct bank_use u[40], v[40];
		struct bank_totals t = { .insns = 0 };
		uint32_t n = 1 + rng_below(&r, 40);
		uint64_t conflicts = 0;

		for (uint32_t i = 0; i < n; i++)
			q[i] = any(&r, _i & 1);
		banks_block(q, n, u);
		ck_assert(banks_check(q, n, u));
		for (uint32_t i = 0; i < n; i++) {
			bank_add(&t, &u[i], 3);
			conflicts += u[i].conflict;
			ck_assert_uint_le(u[i].hit & u[i].missed, 15);
		}
		ck_assert(t.conflicts == 3 * conflicts && t.insns == 3 * n && t.bound <= t.conflicts &&
			  t.swapped <= t.flagged && t.flagged <= t.conflicts);
		ck_assert(t.read + 4 * t.hits >= t.wanted && t.read <= t.wanted && t.hits <= 2 * (t.flags - t.useless));
		/* An exchange that is advised is made, and comes out as it was said to; no other comes out better. */
		for (unsigned tries = 0; tries < 10; tries++) {
			uint32_t i = rng_below(&r, n);
			unsigned swap = 1u << rng_below(&r, 3), x = swap == 4, y = swap == 1 ? 1 : 2;
			struct bank_operand was = q[i].slot[x];

			if (!(q[i].swaps & swap))
				continue;
			q[i].slot[x] = q[i].slot[y];
			q[i].slot[y] = was;
			banks_block(q, n, v);
			ck_assert_uint_ge(v[i].flagged, u[i].swapped);
			if (u[i].swap == swap)
				ck_assert_uint_eq(v[i].flagged, u[i].swapped);
			q[i].slot[y] = q[i].slot[x];
			q[i].slot[x] = was;
		}
	}
}
END_TEST

START_TEST(the_slower_count_notices_what_is_wrong)
{
	const struct bank_request q[] = { op(FULL, 1, 2, 3, 4, 1), op(FULL, 5, 2, 7, 9, 2),
					  op(FULL, 10, 2, 12, 14, 0) };

	RUN(q);
	for (unsigned i = 0; i < 3; i++)
		for (unsigned byte = 0; byte < sizeof(struct bank_use); byte++) {
			struct bank_use wrong[3];

			/* Not recounted: `swapped` (upward), `delay` and `swap`. */
			if (byte == offsetof(struct bank_use, delay) || byte == offsetof(struct bank_use, swap))
				continue;
			memcpy(wrong, use, sizeof wrong);
			((uint8_t *)&wrong[i])[byte] += 8;
			ck_assert_msg(!banks_check(q, 3, wrong), "instruction %u, byte %u", i, byte);
		}
}
END_TEST

/* Words that ptxas wrote. n of a slot or write 0: none. */
static const struct {
	unsigned sm;
	struct sass_word w;
	const char *text;
	struct bank_request is;
} asked[] = {
#define CORE(n) .cache = BANK_CACHE_CORE, .cycles = n
	{ 75,
	  { 0x000000040d0a7825, 0x140fe200078e0004 },
	  "IMAD.WIDE.U32 R10, R13.reuse, 0x4, R4.reuse",
	  { .slot = { { 13, 1 }, { 0, 0 }, { 4, 2 } }, .write = { { 10, 2 } }, .flags = 5, CORE(2) } },
	{ 75,
	  { 0xc100000016167823, 0x100fe2000000000d },
	  "FFMA R22, R22, -8, R13.reuse",
	  { .slot = { { 22, 1 }, { 0, 0 }, { 13, 1 } }, .write = { { 22, 1 } }, .flags = 4, CORE(2) } },
	{ 86,
	  { 0xc100000016167823, 0x100fe2000000000d },
	  "FFMA R22, R22, -8, R13.reuse",
	  { .slot = { { 22, 1 }, { 0, 0 }, { 13, 1 } }, .write = { { 22, 1 } }, .flags = 4, CORE(1) } },
	{ 75, { 0x0000000502007386, 0x000fe2000010e900 }, "STG.E.SYS [R2], R5", { .slot = { { 2, 2 }, { 5, 1 } } } },
	{ 80,
	  { 0x000000140416723c, 0x0c4ff000000008ff },
	  "HMMA.16816.F16 R22, R4.reuse, R20.reuse, RZ",
	  { .slot = { { 4, 4 }, { 20, 2 } },
	    .write = { { 22, 2 } },
	    .flags = 3,
	    .cache = BANK_CACHE_MMA,
	    .waits = true } },
	{ 80,
	  { 0x00005c0004097a31, 0x010fe200003400ff },
	  "HFMA2.BF16_V2 R9, R4, c[0x0][0x170], -RZ.H0_H0",
	  { .slot = { { 4, 1 } }, .write = { { 9, 1 } }, .cache = BANK_CACHE_HALF, .cycles = 1, .waits = true } },
	{ 80,
	  { 0x000000090617723e, 0x000fcc00000010ff },
	  "F2FP.BF16.PACK_AB R23, R6, R9",
	  { .slot = { { 6, 1 }, { 9, 1 } }, .write = { { 23, 1 } }, CORE(2) } },
	{ 80,
	  { 0x0000000800077306, 0x001fe20000209400 },
	  "I2F.RP R7, R8",
	  { .slot = { { 0, 0 }, { 8, 1 } }, .write = { { 7, 1 } }, .waits = true } },
	{ 80, { 0, 0 }, "?", { .unknown = true } },
#undef CORE
};

START_TEST(an_instruction_asks_for_its_operands)
{
	struct bank_request want = asked[_i].is, got;
	struct control_code c = sass_control(asked[_i].w);
	struct sass_insn insn;
	struct arena a;

	arena_init(&a);
	sass_decode(asked[_i].sm, asked[_i].w, &insn);
	if (insn.row)
		ck_assert_str_eq(sass_print(&a, asked[_i].sm, &insn, &(struct sass_print){ .pc = 0 }), asked[_i].text);
	bank_request(&got, asked[_i].sm, &insn);
	want.stall = c.stall ? c.stall : 1;
	ck_assert_msg(memcmp(&got, &want, sizeof got) == 0, "%s", asked[_i].text);
	arena_free(&a);
}
END_TEST

START_TEST(sources_that_commute_may_change_places)
{
	/* FFMA, FADD, IADD3 with three registers; IMAD.WIDE, whose sources are of two widths; IDP.4A and IDP.2A;
	 * VIADDMNMX, with b negated, and an immediate; FMNMX3, with an immediate; FSWZADD. */
	static const struct {
		unsigned sm;
		struct sass_word w;
		unsigned swaps;
	} is[] = {
		{ 80, { 0x0000000a09087223, 0x000fe2000000000b }, 1 },
		{ 80, { 0x0000000a09087221, 0x000fe20000000000 }, 2 },
		{ 80, { 0x0000000a09087210, 0x000fe20007ffe00b }, 7 },
		{ 80, { 0x0000000a09087225, 0x000fe200078e000c }, 1 },
		{ 80, { 0x0000000a09087226, 0x000fe2000000000b }, 1 },
		{ 80, { 0x0000000a09087226, 0x000fe2000000100b }, 0 },
		{ 90, { 0x0000000a09087246, 0x000fe2000380000b }, 1 },
		{ 90, { 0x8000000a09087246, 0x000fe2000380000b }, 0 },
		{ 90, { 0x0000000a09087846, 0x000fe2000380000b }, 0 },
		{ 100, { 0x0000000a09087276, 0x000fe2000380000b }, 7 },
		{ 100, { 0x0000000a09087876, 0x000fe2000380000b }, 2 },
		{ 80, { 0x0000000009087822, 0x000fe2000000000a }, 0 },
	};

	for (unsigned i = 0; i < sizeof is / sizeof *is; i++) {
		struct bank_request q;
		struct sass_insn insn;

		ck_assert(sass_decode(is[i].sm, is[i].w, &insn));
		bank_request(&q, is[i].sm, &insn);
		ck_assert_msg(q.swaps == is[i].swaps, "%u, %s: %x", i, sass_mnemonic(&insn), q.swaps);
	}
}
END_TEST

/* ---- real code ---- */
static struct module *machine_code(const char *path, struct arena *a)
{
	struct source *src = new(a, struct source);
	struct diag d;
	struct cubin *c;
	struct module *m;

	diag_init(&d, stderr);
	ck_assert_msg(source_read(src, path, a, &d), "%s", path);
	c = cubin_read(src, a, &d);
	ck_assert_msg(c != NULL, "%s", path);
	m = sass_lift(c, a, &d);
	ck_assert_msg(m != NULL, "%s", path);
	diag_free(&d);
	return m;
}

/* ptxas sets a flag where it knows that the cache will have the operand: by the model some later instruction finds each
 * of them, but two of HMMA.SP, whose second source is a pair in one instruction and four registers in the next. */
START_TEST(the_flags_of_ptxas_serve)
{
	struct bank_totals all = { .insns = 0 };
	glob_t g;

	ck_assert_int_eq(glob("test/sass/cubin/*.cubin", 0, NULL, &g), 0);
	for (size_t f = 0; f < g.gl_pathc; f++) {
		struct arena a;
		struct module *m;

		arena_init(&a);
		m = machine_code(g.gl_pathv[f], &a);
		for (uint32_t x = 0; x < m->nkernel; x++) {
			const struct kernel *k = m->kernel[x];
			const struct banks *b = banks_find(k, &a);
			struct bank_totals sum = { .insns = 0 };
			struct bank_request *q = new_array(&a, struct bank_request, k->ninsn);

			for (uint32_t i = 0; i < k->ninsn; i++) {
				struct sass_insn insn;

				sass_decode_words(k->native->sm, k->native->word[i], &insn);
				bank_request(&q[i], k->native->sm, &insn);
				bank_add(&sum, &b->insn[i], 1);
				bank_add(&all, &b->insn[i], 1);
			}
			for (uint32_t i = 0; i < k->nblock; i++)
				ck_assert_msg(
					banks_check(q + k->block[i].first, k->block[i].n, b->insn + k->block[i].first),
					"%s, %s, block %u", g.gl_pathv[f], k->name, i);
			ck_assert(!b->weighted && memcmp(&sum, &b->code, sizeof sum) == 0 &&
				  memcmp(&sum, &b->run, sizeof sum) == 0);
		}
		arena_free(&a);
	}
	globfree(&g);
	ck_assert_uint_ge(all.flags, 2000);
	ck_assert_uint_le(all.useless, 2);
	ck_assert(all.hits >= all.flags - all.useless && all.conflicts > 0 && all.bound < all.conflicts &&
		  all.missed > 0);
}
END_TEST

Suite *suite_banks(void);
Suite *suite_banks(void)
{
	Suite *s = suite_create("banks");
	TCase *t = tcase_create("model");

	tcase_add_test(t, a_hit_takes_the_value_out_of_the_cache);
	tcase_add_test(t, a_hit_with_the_flag_keeps_it);
	tcase_add_test(t, another_slot_does_not_find_it_and_another_bank_leaves_it);
	tcase_add_test(t, a_read_of_the_same_slot_and_bank_puts_it_out);
	tcase_add_test(t, three_cycles_to_read_in_take_up_what_the_neighbours_leave);
	tcase_add_test(t, sources_in_one_bank_wait_for_each_other);
	tcase_add_test(t, a_stream_of_conflicts_loses_as_much);
	tcase_add_test(t, on_volta_and_turing_three_sources_conflict_and_two_do_not);
	tcase_add_test(t, a_written_register_is_found_by_nobody);
	tcase_add_test(t, a_wait_or_a_stall_spoils_a_chance_and_not_a_flag);
	tcase_add_test(t, loads_and_stores_go_past_the_cache);
	tcase_add_test(t, units_have_entries_of_their_own);
	tcase_add_test(t, a_pair_lies_in_both_banks);
	tcase_add_test(t, a_register_that_is_named_twice_is_read_once);
	tcase_add_test(t, an_exchange_brings_a_register_to_the_slot_that_has_it);
	tcase_add_test(t, the_slower_count_notices_what_is_wrong);
	tcase_add_loop_test(t, an_instruction_asks_for_its_operands, 0, sizeof asked / sizeof *asked);
	tcase_add_test(t, sources_that_commute_may_change_places);
	tcase_add_test(t, the_flags_of_ptxas_serve);
	tcase_add_loop_test(t, random_blocks_count_as_the_slower_count_does, 0, 10);
	suite_add_tcase(s, t);
	return s;
}

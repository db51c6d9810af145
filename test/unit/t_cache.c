/* Caches of an SM, as loads see them: tags, the L1 with its MSHRs, shared memory, the constant and texture caches. */
#include "stream.h"

#include "runtime-model/memory/cache.h"
#include "runtime-model/memory/memory.h"

#include "analyzer/base/rng.h"

START_TEST(the_least_recently_used_line_is_replaced)
{
	struct cache c;
	struct arena a;

	arena_init(&a);
	cache_init(&c, 2, 2, false, &a);
	for (uint64_t n = 0; n < 4; n++) { /* set 0: 0, 2; set 1: 1, 3 */
		ck_assert_ptr_null(cache_find(&c, n));
		cache_take(&c, cache_victim(&c, n), n);
	}
	ck_assert_ptr_nonnull(cache_find(&c, 0));
	ck_assert_uint_eq(cache_number(cache_victim(&c, 4)), 2);
	cache_find(&c, 2)->pending = true; /* a reserved line stays */
	ck_assert_uint_eq(cache_number(cache_victim(&c, 4)), 0);
	cache_find(&c, 0)->pending = true;
	ck_assert_ptr_null(cache_victim(&c, 4));
	ck_assert_ptr_nonnull(cache_victim(&c, 5)); /* the other set is its own */
	arena_free(&a);
}
END_TEST

START_TEST(lru_tags_agree_with_a_list_that_moves_to_the_front)
{
	enum { SETS = 4, WAYS = 3, STEPS = 4000 };
	uint64_t list[SETS][WAYS] = { { 0 } }, rng = 7;
	struct cache c;
	struct arena a;

	arena_init(&a);
	cache_init(&c, SETS, WAYS, false, &a);
	for (unsigned i = 0; i < STEPS; i++) {
		rng = rng * 6364136223846793005u + 1442695040888963407u;
		uint64_t n = rng >> 33 & 31, *l = list[n % SETS];
		unsigned at = 0;

		while (at < WAYS && l[at] != n + 1)
			at++;
		ck_assert_int_eq(at < WAYS, cache_find(&c, n) != NULL);
		if (at == WAYS) {
			cache_take(&c, cache_victim(&c, n), n);
			at = WAYS - 1;
		}
		for (; at; at--)
			l[at] = l[at - 1];
		l[0] = n + 1;
	}
	arena_free(&a);
}
END_TEST

#define LOCAL (LOCAL_LINES / LINE_BYTES) /* a line of local memory */

static cycle use_distance(struct stream *s, unsigned n)
{
	return stream_when(s->issued, 0, 1, n) - stream_when(s->issued, 0, 0, n);
}

START_TEST(a_hit_takes_the_l1_latency_and_a_miss_much_longer)
{
	struct stream s;
	cycle miss, hit;

	stream_load(&s, SP_GLOBAL);
	for (unsigned i = 0; i < 3; i++) {
		stream_line(stream_record(&s, 0, 0), 1000, 15);
		stream_record(&s, 0, 1);
	}
	ck_assert(stream_run(&s));
	miss = use_distance(&s, 0);
	hit = use_distance(&s, 1);
	ck_assert_uint_eq(hit, s.p.l1_latency + 5);
	ck_assert_uint_eq(use_distance(&s, 2), hit);
	ck_assert_uint_ge(miss, s.p.l2_latency + s.p.dram_latency + 2u * s.p.icnt_latency);
	ck_assert_uint_eq(s.st.l1_reads, 3);
	ck_assert_uint_eq(s.st.l1_read_misses, 1);
	ck_assert_uint_eq(s.st.l1_read_hits, 2);
	ck_assert_uint_eq(s.st.loads, 3);
	ck_assert_uint_gt(s.st.slots[STALL_MEMORY], 0);
	ck_assert_uint_eq(s.st.slots[STALL_SCOREBOARD], 0);
	s.p.l1_latency += 20;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(use_distance(&s, 1), hit + 20);
	stream_free(&s);
}
END_TEST

START_TEST(two_warps_that_miss_the_same_line_send_one_request)
{
	struct stream s;

	stream_load(&s, SP_GLOBAL);
	stream_line(stream_record(&s, 0, 0), 1000, 15);
	stream_record(&s, 0, 1);
	s.warps = 4;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_read_misses, 1);
	ck_assert_uint_eq(s.st.l1_read_merges, 3);
	ck_assert_uint_eq(s.st.l2_reads, 2); /* the data and one line of code */
	stream_free(&s);
}
END_TEST

START_TEST(a_store_goes_to_l2_and_evicts_the_line)
{
	struct stream s;
	uint32_t st;

	stream_load(&s, SP_GLOBAL);
	st = stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
	stream_line(stream_record(&s, 0, 0), 1000, 15);
	stream_record(&s, 0, 1);
	stream_line(stream_record(&s, 0, st), 1000, 15);
	stream_line(stream_record(&s, 0, 0), 1000, 15);
	stream_record(&s, 0, 1);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_read_misses, 2);
	ck_assert_uint_eq(s.st.l1_writes, 1);
	ck_assert_uint_eq(s.st.l2_writes, 1);
	ck_assert_uint_eq(s.st.l2_write_hits, 1);
	/* sectors of data and code; the write and the second read hit in L2 */
	ck_assert_uint_eq(s.st.dram_reads, 8);
	ck_assert_uint_gt(s.st.slots[STALL_DRAIN] + s.st.slots[STALL_MEMORY], 0);
	stream_free(&s);
}
END_TEST

START_TEST(local_stores_stay_in_l1_until_they_are_displaced)
{
	struct stream s;
	uint32_t st;

	stream_load(&s, SP_LOCAL);
	st = stream_memory(&s, OP_ST_B32, SP_LOCAL, -1, 2, 3);
	stream_line(stream_record(&s, 0, st), LOCAL, 15);
	stream_line(stream_record(&s, 0, 0), LOCAL, 15);
	stream_record(&s, 0, 1);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_read_hits, 1);
	ck_assert_uint_eq(s.st.l1_writebacks, 0);
	ck_assert_uint_eq(s.st.l2_writes, 0);
	s.p.l1_hash = 0;
	for (unsigned i = 1; i <= s.p.l1_ways; i++) /* the same set, often enough to push the first out */
		stream_line(stream_record(&s, 0, st), LOCAL + i * s.p.l1_sets, 15);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_writebacks, 1);
	ck_assert_uint_eq(s.st.l2_writes, 1);
	/* of a line of code: a write-back is not acknowledged */
	ck_assert_uint_eq(s.st.icnt_flits_down, 4);
	stream_free(&s);
}
END_TEST

static bool odd_cta(uint64_t cta, unsigned warp)
{
	(void)warp;
	return cta & 1;
}

/* Two CTAs of two warps with two lines of local memory each. The second reads what the first has stored there: a hit if
 * it has the slot that the first had, and so its lines; not from another slot, or on another SM. */
START_TEST(a_slot_of_an_sm_has_its_own_local_memory)
{
	static const struct {
		uint32_t shared_bytes, sms, hits;
	} t[] = { { 30000, 1, 2 }, { 20000, 1, 0 }, { 30000, 2, 0 } };
	struct stream s;
	uint32_t st;

	stream_load(&s, SP_LOCAL);
	st = stream_memory(&s, OP_ST_B32, SP_LOCAL, -1, 2, 3);
	s.local_lines = 2;
	s.warps = s.ctas = 2;
	s.second = odd_cta;
	s.shared_bytes = t[_i].shared_bytes;
	s.p.sms = t[_i].sms;
	/* every warp's record has the line of the CTA's first: the others' differ by warp, and by nothing else */
	stream_line(stream_record(&s, 0, st), LOCAL + 1, 15);
	stream_line(stream_record(&s, 1, 0), LOCAL + 5, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.l1_local_writes, 2);
	ck_assert_uint_eq(s.st.l1_reads, 2);
	ck_assert_uint_eq(s.st.l1_read_hits, t[_i].hits);
	/* of the warps of a CTA each has its own line */
	ck_assert_uint_eq(s.st.l1_read_misses, 2 - t[_i].hits);
	stream_free(&s);
}
END_TEST

/* Where the peer has a word: 4 (D N + nTpC (nS K + S) + t), N threads in the machine. Lines of two words, a machine
 * apart, share an L1 of one line only if no others lie between. */
START_TEST(words_of_a_warp_lie_a_machine_apart)
{
	struct stream s;
	uint32_t st;

	stream_load(&s, SP_LOCAL);
	st = stream_memory(&s, OP_ST_B32, SP_LOCAL, -1, 2, 3);
	s.local_lines = 3;
	s.warps = 2;
	s.p.ctas_per_sm = 4; /* 8 warps in the machine: word 1 lies 8 lines behind word 0 */
	s.p.l1_sets = 8;
	s.p.l1_ways = 1;
	s.p.l1_hash = 0;
	for (unsigned i = 0; i < 2; i++)
		stream_line(stream_record(&s, 0, st), LOCAL + i, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.l1_local_writes, 4);
	ck_assert_uint_eq(s.st.l1_writebacks, 2); /* each warp's second store displaces its first */
	s.p.l1_sets = 16;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.l1_writebacks, 0);
	stream_free(&s);
}
END_TEST

START_TEST(volatile_loads_and_atomics_pass_the_l1)
{
	struct stream s;
	uint32_t at;

	stream_load(&s, SP_GLOBAL);
	s.k->insn[0].mods = MOD_VOLATILE;
	at = stream_memory(&s, OP_ATOM_ADD_U32, SP_GLOBAL, 4, 2, 3);
	for (unsigned i = 0; i < 2; i++) {
		stream_line(stream_record(&s, 0, 0), 1000, 15);
		stream_record(&s, 0, 1);
	}
	stream_line(stream_record(&s, 0, at), 1000, 1);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_bypasses, 2);
	ck_assert_uint_eq(s.st.l1_reads, 0);
	ck_assert_uint_eq(s.st.l2_atomics, 1);
	ck_assert_uint_eq(s.st.l2_reads, 3); /* two loads and the code */
	ck_assert_uint_eq(s.st.l2_read_hits, 1);
	ck_assert_uint_eq(s.st.rf_writes, 2 + 2 + 1);
	stream_free(&s);
}
END_TEST

START_TEST(a_fence_waits_for_the_stores_before_it)
{
	struct stream s;
	uint32_t st, fence, after;

	stream_init(&s);
	st = stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 2, 3);
	fence = stream_insn(&s, OP_MEMBAR, -1, -1, -1, -1);
	after = stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_line(stream_record(&s, 0, st), 1000, 15);
	stream_record(&s, 0, fence);
	stream_record(&s, 0, after);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.fences, 1);
	ck_assert_uint_ge(stream_when(s.issued, 0, after, 0) - stream_when(s.issued, 0, fence, 0), s.p.l2_latency);
	stream_free(&s);
}
END_TEST

START_TEST(shared_memory_takes_a_cycle_for_each_pass)
{
	struct stream s;
	cycle one, four;

	stream_load(&s, SP_SHARED);
	stream_record(&s, 0, 0);
	stream_record(&s, 0, 1);
	stream_record(&s, 0, 0);
	stream_record(&s, 0, 1);
	for (unsigned i = 0; i < 4; i += 2) {
		s.rec[0][i].nline = 1;
		s.rec[0][i].line[0] = i ? 4 : 1;
	}
	ck_assert(stream_run(&s));
	one = use_distance(&s, 0);
	four = use_distance(&s, 1);
	ck_assert_uint_eq(four, one + 3);
	ck_assert_uint_eq(one, s.p.shared_latency + 5);
	ck_assert_uint_eq(s.st.shared_accesses, 2);
	ck_assert_uint_eq(s.st.shared_passes, 5);
	ck_assert_uint_eq(s.st.shared_conflicts, 3);
	stream_free(&s);
}
END_TEST

/* The word of a load of constants: so many passes, the first at an offset. */
static uint64_t constants(enum space space, unsigned passes, uint64_t offset)
{
	return (uint64_t)space << 56 | offset << 32 | passes;
}

START_TEST(a_constant_load_misses_once_for_each_line_and_bank)
{
	static const struct {
		enum space space;
		uint64_t offset;
		bool hit;
	} row[] = {
		{ SP_CONST, 0, false }, { SP_CONST, 60, true }, { SP_CONST, 64, false },
		{ SP_PARAM, 0, false }, { SP_PARAM, 8, true },  { SP_CONST, 4, true },
	};
	enum { ROWS = sizeof row / sizeof *row };
	struct stream s;

	stream_load(&s, SP_CONST);
	s.p.const_latency = 20; /* more than the way back to the load takes the fetch */
	for (unsigned i = 0; i < ROWS; i++) {
		stream_line(stream_record(&s, 0, 0), constants(row[i].space, 1, row[i].offset), 0);
		stream_record(&s, 0, 1);
	}
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.const_accesses, ROWS);
	ck_assert_uint_eq(s.st.const_reads, ROWS);
	ck_assert_uint_eq(s.st.const_read_misses, 3);
	ck_assert_uint_eq(s.st.l2_reads, 3 + 1);       /* and the code */
	ck_assert_uint_eq(s.st.dram_reads, 3 * 2 + 4); /* sectors: half a line each */
	for (unsigned i = 0; i < ROWS; i++) {
		if (row[i].hit)
			ck_assert_uint_eq(use_distance(&s, i), s.p.const_latency + 5);
		else
			ck_assert_uint_gt(use_distance(&s, i), s.p.l2_latency + 2u * s.p.icnt_latency);
	}
	stream_free(&s);
}
END_TEST

START_TEST(lanes_at_different_constants_take_passes_and_lines)
{
	struct stream s;

	stream_load(&s, SP_CONST);
	for (unsigned i = 0; i < 2; i++) {
		struct stream_record *r = stream_record(&s, 0, 0);

		stream_line(r, CONST_LINES / 128, 15); /* both halves of a line, one of the next */
		stream_line(r, CONST_LINES / 128 + 1, 1);
		stream_line(r, constants(SP_PARAM, 7, 0), 0);
		stream_record(&s, 0, 1);
	}
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.const_accesses, 2);
	ck_assert_uint_eq(s.st.const_reads, 6);
	ck_assert_uint_eq(s.st.const_read_misses, 3);
	ck_assert_uint_eq(s.st.const_read_hits, 3);
	ck_assert_uint_gt(s.st.l1_stall_cycles, 0); /* two may be outstanding, the third line waits for the first */
	ck_assert_uint_eq(use_distance(&s, 1), s.p.const_latency + 5 + 6);
	s.p.const_mshrs = 3;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_stall_cycles, 0);
	stream_free(&s);
}
END_TEST

START_TEST(warps_that_miss_one_constant_line_share_the_request)
{
	struct stream s;

	stream_load(&s, SP_PARAM);
	stream_line(stream_record(&s, 0, 0), constants(SP_PARAM, 1, 16), 0);
	stream_record(&s, 0, 1);
	s.warps = 8;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.const_read_misses, 1);
	ck_assert_uint_eq(s.st.const_read_merges, 7);
	ck_assert_uint_eq(s.st.l1_reads, 0);
	stream_free(&s);
}
END_TEST

/* Reads of lines 1, 2, 1: the last is of a line that is there by then, but leaves after the second. */
START_TEST(results_of_the_texture_cache_come_in_order)
{
	struct stream s;
	cycle hit;

	stream_init(&s);
	for (int i = 0; i < 3; i++)
		stream_insn(&s, OP_TEX_1D_F_F32, 4 * i, -1, -1, -1);
	stream_line(stream_record(&s, 0, 0), 1, 15);
	for (unsigned i = 0; i < 3; i++)
		stream_line(stream_record(&s, 0, i), i == 1 ? 2 : 1, 15);
	s.p.l1_queue = 1;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.tex_accesses, 4);
	ck_assert_uint_eq(s.st.tex_reads, 4);
	ck_assert_uint_eq(s.st.tex_read_misses, 2);
	ck_assert_uint_eq(s.st.tex_read_hits, 2);
	ck_assert_uint_eq(s.st.l1_reads, 0);
	ck_assert_uint_gt(stream_when(s.finished, 0, 2, 0), stream_when(s.finished, 0, 1, 0));
	stream_free(&s);

	stream_init(&s); /* alone, a hit takes the latency */
	stream_insn(&s, OP_TEX_1D_F_F32, 0, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, 5, 0, 0, -1);
	s.p.tex_latency = 20; /* more than the way back to the fetch takes */
	for (unsigned i = 0; i < 2; i++) {
		stream_line(stream_record(&s, 0, 0), 1, 15);
		stream_record(&s, 0, 1);
	}
	ck_assert(stream_run(&s));
	hit = use_distance(&s, 1);
	ck_assert_uint_eq(hit, 20 + 4); /* one less than a load: no register is read */
	s.p.tex_latency += 100;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(use_distance(&s, 1), hit + 100);
	stream_free(&s);
}
END_TEST

START_TEST(a_full_texture_queue_holds_the_load_store_unit)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_TEX_1D_F_F32, 0, -1, -1, -1);
	for (uint64_t i = 0; i < 4; i++)
		stream_line(stream_record(&s, 0, 0), 1 + i * 12, 15);
	s.p.tex_queue = 1;
	s.warps = 4;
	ck_assert(stream_run(&s));
	ck_assert_uint_gt(s.st.l1_stall_cycles, 3u * s.p.l2_latency);
	ck_assert_uint_eq(s.st.tex_reads, 16);
	s.p.tex_queue = 128;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.l1_stall_cycles, 0);
	stream_free(&s);
}
END_TEST

START_TEST(a_generic_access_goes_where_its_record_says)
{
	struct stream s;

	stream_load(&s, SP_GENERIC);
	stream_line(stream_record(&s, 0, 0), 2, 0); /* no sectors: a word of passes */
	stream_line(stream_record(&s, 0, 0), 77, 15);
	stream_line(stream_line(stream_record(&s, 0, 0), 78, 15), 3, 0); /* lanes went both ways */
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.shared_accesses, 2);
	ck_assert_uint_eq(s.st.shared_passes, 5);
	ck_assert_uint_eq(s.st.l1_reads, 2);
	stream_free(&s);

	stream_load(&s, SP_GENERIC);
	stream_line(stream_record(&s, 0, 0), constants(SP_CONST, 3, 40), 0); /* all in one constant line */
	/* in two of bank 0 */
	stream_line(stream_line(stream_record(&s, 0, 0), CONST_LINES / 128, 5), constants(SP_PARAM, 2, 0), 0);
	stream_line(stream_line(stream_line(stream_record(&s, 0, 0), 77, 15), CONST_LINES / 128, 12),
		    constants(SP_PARAM, 2, 64), 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.shared_accesses, 0);
	ck_assert_uint_eq(s.st.const_accesses, 2); /* the third is a load of global memory as well */
	ck_assert_uint_eq(s.st.const_reads, 1 + 2 + 1);
	ck_assert_uint_eq(s.st.l1_reads, 1);
	stream_free(&s);
}
END_TEST

START_TEST(a_full_mshr_table_holds_the_load_store_unit)
{
	struct stream s;
	cycle narrow, wide;

	stream_init(&s);
	for (int i = 0; i < 8; i++)
		stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1 + i, 0, -1);
	for (unsigned i = 0; i < 8; i++)
		stream_line(stream_record(&s, 0, i), 1000 + 12 * i, 15);
	s.p.l1_mshrs = 1;
	ck_assert(stream_run(&s));
	narrow = s.st.cycles;
	ck_assert_uint_gt(s.st.l1_stall_cycles, 6u * s.p.l2_latency);
	s.p.l1_mshrs = 64;
	ck_assert(stream_run(&s));
	wide = s.st.cycles;
	ck_assert_uint_eq(s.st.l1_stall_cycles, 0);
	ck_assert_uint_gt(narrow, wide + 6u * s.p.l2_latency);
	stream_free(&s);
}
END_TEST

/* Lines that the set index alone would put into one set lie in different ones: Nugteren et al., HPCA 2014. */
START_TEST(the_hash_of_the_l1_spreads_lines_a_power_of_two_apart)
{
	struct arena a;
	struct cache c;
	uint64_t set[4];

	arena_init(&a);
	for (unsigned sets = 16; sets <= 64; sets *= 2) {
		cache_init(&c, sets, 1, true, &a);
		for (uint64_t i = 0; i < 4; i++) {
			uint64_t n = i * 64; /* address bits 13 and 14 */
			struct cache_line *l = cache_victim(&c, n);

			set[i] = (uint64_t)(l - c.line);
			ck_assert_uint_eq(set[i], sets == 16 ? 0 : i);
			cache_take(&c, l, n);
			ck_assert_ptr_eq(cache_find(&c, n), l);
		}
	}
	cache_init(&c, 32, 1, true, &a);
	ck_assert_int_eq(cache_victim(&c, 1 << 10) - c.line, 8);  /* address bit 17 */
	ck_assert_int_eq(cache_victim(&c, 1 << 12) - c.line, 16); /* and 19 */
	ck_assert_int_eq(cache_victim(&c, 5 ^ 1 << 12) - c.line, 21);
	arena_free(&a);
}
END_TEST

Suite *suite_cache(void);
Suite *suite_cache(void)
{
	Suite *s = suite_create("cache");
	TCase *c = tcase_create("sm");

	tcase_add_test(c, the_least_recently_used_line_is_replaced);
	tcase_add_test(c, lru_tags_agree_with_a_list_that_moves_to_the_front);
	tcase_add_test(c, a_hit_takes_the_l1_latency_and_a_miss_much_longer);
	tcase_add_test(c, two_warps_that_miss_the_same_line_send_one_request);
	tcase_add_test(c, a_store_goes_to_l2_and_evicts_the_line);
	tcase_add_test(c, local_stores_stay_in_l1_until_they_are_displaced);
	tcase_add_loop_test(c, a_slot_of_an_sm_has_its_own_local_memory, 0, 3);
	tcase_add_test(c, words_of_a_warp_lie_a_machine_apart);
	tcase_add_test(c, volatile_loads_and_atomics_pass_the_l1);
	tcase_add_test(c, a_fence_waits_for_the_stores_before_it);
	tcase_add_test(c, shared_memory_takes_a_cycle_for_each_pass);
	tcase_add_test(c, a_constant_load_misses_once_for_each_line_and_bank);
	tcase_add_test(c, lanes_at_different_constants_take_passes_and_lines);
	tcase_add_test(c, warps_that_miss_one_constant_line_share_the_request);
	tcase_add_test(c, results_of_the_texture_cache_come_in_order);
	tcase_add_test(c, a_full_texture_queue_holds_the_load_store_unit);
	tcase_add_test(c, a_generic_access_goes_where_its_record_says);
	tcase_add_test(c, a_full_mshr_table_holds_the_load_store_unit);
	tcase_add_test(c, the_hash_of_the_l1_spreads_lines_a_power_of_two_apart);
	suite_add_tcase(s, c);
	return s;
}

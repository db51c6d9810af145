/* Packing: where registers go, which reads coalesce, what writes of another width do; the worked examples of CORF
 * (ASPLOS 2019). */
#include "stream.h"

#include "passes/corf.h"
#include "runtime-model/packing/packed.h"

extern const struct packing_ops none_packing, first_fit_packing, corf_packing, corf_pp_packing;

struct bench {
	struct arena a;
	struct diag d;
	struct params p;
	struct stats st;
	struct rf_config rf;
	struct axes ax;
	struct kernel k;
	struct corf_hints hints;
	uint64_t now;
	const struct packing_ops *ops;
	struct packing *pk;
	struct bank_access acc[ACCESS_MAX];
	unsigned n;
};

/* Pairs and alignments as text: "13 24", "r2 l3". */
static void setup(struct bench *b, const struct packing_ops *ops, const char *hints, bool checked)
{
	struct axis_ctx cx = { .params = &b->p,
			       .stats = &b->st,
			       .arena = &b->a,
			       .diag = &b->d,
			       .axes = &b->ax,
			       .kernel = &b->k,
			       .warps = 48,
			       .warps_per_cta = 1,
			       .now = &b->now,
			       .checked = checked };

	memset(b, 0, sizeof *b);
	arena_init(&b->a);
	diag_init(&b->d, NULL);
	ck_assert(params_machine(&b->p, "corf", &b->d));
	ck_assert(rf_config_parse(&b->rf, "rfv", &b->p, &b->d));
	b->ax.rf = &b->rf;
	memset(b->hints.partner, MREG_RZ, sizeof b->hints.partner);
	for (const char *t = hints; *t; t += t[2] ? 3 : 2) {
		unsigned r = (unsigned)(t[1] - '0');

		if (*t == 'l' || *t == 'r') {
			b->hints.align[r] = *t == 'l' ? ALIGN_LEFT : ALIGN_RIGHT;
		} else {
			b->hints.partner[r] = (uint8_t)(*t - '0');
			b->hints.partner[*t - '0'] = (uint8_t)r;
		}
	}
	b->k.corf = &b->hints;
	b->ops = ops;
	b->ax.rename = rename_new(&cx);
	b->pk = ops->create(&cx);
}

static void teardown(struct bench *b)
{
	diag_free(&b->d);
	arena_free(&b->a);
}

/* Warp 0 writes a value of `width` bytes to a register; in `active` lanes. Where it is then: row * 16 + mask. */
static unsigned write_lanes(struct bench *b, unsigned reg, unsigned width, uint32_t active)
{
	struct value_sig sig = { .width = width & 7 };
	struct uop u = { .ndst = 1, .dst = { (uint8_t)reg }, .active = active, .sig = &sig };
	struct slot s;

	b->n = b->ops->write(b->pk, &u, 0, 0, b->acc);
	s = *rename_find(b->ax.rename, 0, reg);
	ck_assert_uint_eq(slot_width(s), width);
	ck_assert_uint_eq(b->acc[b->n - 1].bank, s.entry % b->p.rf_banks);
	ck_assert_uint_eq(b->acc[b->n - 1].entry, s.entry / b->p.rf_banks);
	return s.entry * 16u + s.mask;
}

static unsigned write(struct bench *b, unsigned reg, unsigned width) { return write_lanes(b, reg, width, UINT32_MAX); }

/* Accesses of an instruction that reads the registers in the text "12": they deliver each once. */
static unsigned reads(struct bench *b, const char *regs)
{
	struct uop u = { .active = UINT32_MAX };
	uint32_t delivered = 0;

	for (; *regs; regs++)
		u.src[u.nsrc++] = (uint8_t)(*regs - '0');
	b->n = b->ops->read(b->pk, &u, ((uint32_t)1 << u.nsrc) - 1, NULL, b->acc);
	for (unsigned i = 0; i < b->n; i++) {
		ck_assert_uint_eq(delivered & b->acc[i].operands, 0);
		ck_assert_int_le(__builtin_popcount(b->acc[i].operands), 2);
		delivered |= b->acc[i].operands;
	}
	return b->n;
}

/* Pairs (r1, r3) and (r2, r4). The first does not fit an entry. */
START_TEST(figure_5)
{
	struct bench b;

	setup(&b, &corf_packing, "13 24", false);
	ck_assert_uint_eq(write(&b, 1, 3), 0 * 16 + 7);
	ck_assert_uint_eq(write(&b, 2, 1), 1 * 16 + 1); /* its rest is kept for r4, */
	ck_assert_uint_eq(write(&b, 3, 2), 2 * 16 + 3); /* which r3 does not take; nor does it fit beside r1 */
	ck_assert_uint_eq(write(&b, 4, 2), 1 * 16 + 6);
	ck_assert_uint_eq(reads(&b, "24"), 1);
	ck_assert_uint_eq(b.acc[0].bank, 1);
	ck_assert_uint_eq(reads(&b, "13"), 2);
	ck_assert_uint_eq(reads(&b, "12"), 2);
	ck_assert_uint_eq(reads(&b, "14"), 2);
	ck_assert_uint_eq(b.st.pair_allocations, 2);
	ck_assert_uint_eq(b.st.pair_packed, 1);
	ck_assert_uint_eq(b.st.multi_operand_instructions, 4);
	ck_assert_uint_eq(b.st.multi_operand_reads, 8);
	ck_assert_uint_eq(b.st.coalescable_instructions, 2); /* r1 with r2, of 3 and 1 bytes, too */
	ck_assert_uint_eq(b.st.coalesced_instructions, 1);
	ck_assert_uint_eq(b.st.coalesced_operands, 2);
	ck_assert_uint_eq(b.st.width1_operations, 1 + 2);
	ck_assert_uint_eq(b.st.width2_operations, 2 + 3);
	ck_assert_uint_eq(b.st.width3_operations, 1 + 3);
	ck_assert_uint_eq(b.st.rename_lookups, 4 + 8);
	ck_assert_uint_eq(b.st.rename_updates, 4);
	teardown(&b);
}
END_TEST

/* r1 and r4 have 1 byte, r2 and r3 have 3. (B): two in an entry; (C): also of different entries. */
START_TEST(figure_10)
{
	static const char *const both[] = { "13", "24" }, *const across[] = { "12", "34" };
	struct bench b;

	for (unsigned c = 0; c < 2; c++) {
		setup(&b, c ? &corf_pp_packing : &corf_packing, c ? "l1 r2 r3 l4" : "13 24", false);
		write(&b, 1, 1);
		write(&b, 2, 3);
		write(&b, 3, 3);
		write(&b, 4, 1);
		ck_assert_uint_eq(rename_entries(b.ax.rename), 2);
		for (unsigned i = 0; i < 2; i++) {
			ck_assert_uint_eq(reads(&b, both[i]), 1);
			ck_assert_uint_eq(reads(&b, across[i]), c ? 1 : 2);
		}
		ck_assert_uint_eq(reads(&b, "23"), 2);
		ck_assert_uint_eq(reads(&b, "1234"), 2);
		teardown(&b);
	}
}
END_TEST

/* Section 5.3: r1 has 2 bytes and no alignment, r2 and r4 are right, r3 and r5 left. P0, P1, P2 are rows of bank 0
 * (four banks). */
START_TEST(figure_12)
{
	struct bench b;

	setup(&b, &corf_pp_packing, "r2 r4 l3 l5", false);
	ck_assert_uint_eq(write(&b, 1, 2), 0 * 64 + 3);
	ck_assert_uint_eq(write(&b, 2, 2), 1 * 64 + 3); /* the first right part: of P1 */
	ck_assert_uint_eq(write(&b, 4, 2), 2 * 64 + 3);
	ck_assert_uint_eq(write(&b, 3, 2), 0 * 64 + 12); /* the first left part: of P0 */
	ck_assert_uint_eq(reads(&b, "23"), 1);
	ck_assert_uint_eq(write(&b, 5, 2), 1 * 64 + 12);
	ck_assert_uint_eq(reads(&b, "45"), 1);
	ck_assert_uint_eq(reads(&b, "34"), 1);
	ck_assert_uint_eq(rename_entries(b.ax.rename), 3);
	teardown(&b);
	setup(&b, &corf_packing, "23 45", false);
	for (const char *t = "12435"; *t; t++)
		write(&b, (unsigned)(*t - '0'), 2);
	ck_assert_uint_eq(reads(&b, "23"), 1);
	ck_assert_uint_eq(reads(&b, "45"), 1);
	ck_assert_uint_eq(reads(&b, "34"), 2); /* of two pairs */
	teardown(&b);
}
END_TEST

START_TEST(first_fit_coalesces_by_chance)
{
	struct bench b;

	setup(&b, &first_fit_packing, "", false);
	ck_assert_uint_eq(write(&b, 1, 1), 1);
	ck_assert_uint_eq(write(&b, 2, 4), 16 + 15);
	ck_assert_uint_eq(write(&b, 3, 2), 6);
	ck_assert_uint_eq(write(&b, 4, 1), 8);
	ck_assert_uint_eq(reads(&b, "13"), 1);
	ck_assert_uint_eq(b.acc[0].arrays, b.p.rf_arrays);
	ck_assert_uint_eq(reads(&b, "134"), 2); /* at most two in one access */
	ck_assert_uint_eq(reads(&b, "12"), 2);
	ck_assert_uint_eq(reads(&b, "19"), 1); /* r9 was never written */
	ck_assert_uint_eq(b.acc[0].operands, 1);
	ck_assert_uint_eq(b.st.unmapped_reads, 1);
	ck_assert_uint_eq(reads(&b, "9"), 0);
	teardown(&b);
}
END_TEST

START_TEST(a_search_may_begin_in_the_registers_own_bank)
{
	struct bench b;

	setup(&b, &first_fit_packing, "", false);
	b.pk->near = true;
	ck_assert_uint_eq(write(&b, 2, 3), 2 * 16 + 7);
	ck_assert_uint_eq(write(&b, 6, 2), 6 * 16 + 3);
	ck_assert_uint_eq(write(&b, 3, 1), 3 * 16 + 1);
	ck_assert_uint_eq(write(&b, 7, 1), 3 * 16 + 2);
	teardown(&b);
}
END_TEST

/* Without packing the entry is that of the baseline's bank. */
START_TEST(whole_entries_keep_their_banks)
{
	struct bench b;

	setup(&b, &none_packing, "", false);
	for (unsigned reg = 0; reg < 8; reg++) {
		struct uop u = { .warp = 1, .ndst = 1, .dst = { (uint8_t)reg }, .active = 1 };

		ck_assert_uint_eq(none_packing.write(b.pk, &u, 0, 0, b.acc), 1);
		ck_assert_uint_eq(b.acc[0].bank, (reg + 1) % 4);
		ck_assert_uint_eq(b.acc[0].arrays, b.p.rf_arrays);
	}
	ck_assert_uint_eq(rename_entries(b.ax.rename), 8);
	ck_assert_uint_eq(b.st.packed_writes + b.st.width4_operations, 0);
	none_packing.warp_exit(b.pk, 1);
	ck_assert_uint_eq(rename_entries(b.ax.rename), 0);
	teardown(&b);
}
END_TEST

START_TEST(a_full_bank_overflows_into_the_next)
{
	struct bench b;

	setup(&b, &corf_pp_packing, "l1 l3", false);
	for (unsigned row = 0; row < 256; row++)
		rename_map(b.ax.rename, 1 + row / 200, row % 200,
			   rename_search_bank(b.ax.rename, 0, row < 255 ? 4 : 3, FIT_LEFT));
	ck_assert_uint_eq(write(&b, 1, 1), 255 * 64 + 1); /* at the wrong end, but in its bank */
	ck_assert_uint_eq(write(&b, 2, 1), 1 * 16 + 1);
	ck_assert_uint_eq(write(&b, 3, 1), 1 * 16 + 8);
	ck_assert_uint_eq(reads(&b, "13"), 2); /* bytes that do not overlap, but of two banks */
	ck_assert_uint_eq(reads(&b, "23"), 1);
	teardown(&b);
}
END_TEST

START_TEST(writes_of_another_width_grow_and_shrink)
{
	struct bench b;

	setup(&b, &first_fit_packing, "", false);
	b.pk->keep = false;
	write(&b, 1, 1);
	write(&b, 2, 1);
	ck_assert_uint_eq(write(&b, 1, 3), 16 + 7); /* moves; its byte is free again */
	ck_assert_uint_eq(b.n, 1);
	/* its own byte is free too; the other lanes are carried over */
	ck_assert_uint_eq(write_lanes(&b, 2, 4, 1), 15);
	ck_assert_uint_eq(b.n, 2);
	ck_assert(!b.acc[0].write && b.acc[0].operands == 0 && b.acc[0].bank == 0 && b.acc[1].operands == 1);
	ck_assert_uint_eq(write(&b, 1, 1), 16 + 1); /* stays */
	ck_assert_uint_eq(write(&b, 1, 2), 16 + 3); /* the first room again */
	ck_assert_uint_eq(write(&b, 1, 3), 16 + 7);
	ck_assert_uint_eq(b.st.size_grows, 4);
	ck_assert_uint_eq(b.st.size_shrinks, 1);
	ck_assert_uint_eq(b.st.reallocations, 2);
	ck_assert_uint_eq(b.st.merge_reads, 1);
	ck_assert_uint_eq(b.st.rename_updates, 7);
	ck_assert_uint_eq(b.st.packed_writes, 7);
	teardown(&b);
}
END_TEST

/* The mask gets smaller, and what is read with it; nobody takes the bytes, and the register grows back into them. */
START_TEST(bytes_that_are_shed_stay_with_the_register)
{
	struct bench b;

	setup(&b, &first_fit_packing, "", false);
	ck_assert_uint_eq(write(&b, 1, 3), 7);
	ck_assert_uint_eq(write(&b, 1, 1), 1);
	ck_assert_uint_eq(write(&b, 2, 2), 16 + 3);
	ck_assert_uint_eq(write(&b, 3, 1), 8);
	ck_assert_uint_eq(reads(&b, "13"), 1);
	ck_assert_uint_eq(b.acc[0].mask[0], 1);
	ck_assert_uint_eq(b.acc[0].mask[1], 8);
	ck_assert_uint_eq(write_lanes(&b, 1, 2, 1), 3);
	ck_assert_uint_eq(b.n, 2); /* the other lanes' second byte is their sign */
	ck_assert_uint_eq(write(&b, 1, 3), 7);
	ck_assert_uint_eq(b.st.reallocations, 0);
	ck_assert_uint_eq(b.st.size_grows, 2);
	ck_assert_uint_eq(b.st.merge_reads, 1);
	ck_assert_uint_eq(write(&b, 1, 4), 32 + 15); /* more than it ever had */
	ck_assert_uint_eq(b.st.reallocations, 1);
	ck_assert_uint_eq(write(&b, 4, 3), 7); /* all three are free again */
	ck_assert_uint_eq(write(&b, 1, 1), 32 + 1);
	b.ops->warp_exit(b.pk, 0);
	ck_assert_uint_eq(rename_entries(b.ax.rename), 0);
	ck_assert_uint_eq(write(&b, 5, 4), 15);
	teardown(&b);
	setup(&b, &corf_pp_packing, "l1", false);
	ck_assert_uint_eq(write(&b, 1, 3), 14);
	ck_assert_uint_eq(write(&b, 1, 1), 8);
	ck_assert_uint_eq(write(&b, 1, 2), 12);
	ck_assert_uint_eq(write_lanes(&b, 1, 1, 5), 4);
	ck_assert_uint_eq(write(&b, 2, 2), 64 + 3);
	ck_assert_uint_eq(write(&b, 1, 2), 12);
	ck_assert_uint_eq(b.st.reallocations, 0);
	teardown(&b);
}
END_TEST

START_TEST(what_is_left_stays_left_if_all_lanes_are_written)
{
	struct bench b;

	setup(&b, &corf_pp_packing, "l1 l2 r3", false);
	b.pk->keep = false;
	ck_assert_uint_eq(write(&b, 1, 3), 14);
	ck_assert_uint_eq(write(&b, 1, 2), 12);
	ck_assert_uint_eq(write_lanes(&b, 1, 1, 5), 4); /* the other lanes' bytes stay where they are */
	ck_assert_uint_eq(write(&b, 3, 2), 3);
	ck_assert_uint_eq(write(&b, 3, 1), 1);
	teardown(&b);
}
END_TEST

/* A pair parts when one grows, and meets again when there is room. */
START_TEST(pairs_part_and_meet)
{
	struct bench b;

	setup(&b, &corf_packing, "12", false);
	b.pk->keep = false;
	ck_assert_uint_eq(write(&b, 1, 2), 3);
	ck_assert_uint_eq(write(&b, 2, 2), 12);
	ck_assert_uint_eq(write(&b, 3, 2), 16 + 3);
	ck_assert_uint_eq(write(&b, 2, 3), 2 * 16 + 7);
	ck_assert_uint_eq(reads(&b, "12"), 2);
	ck_assert_uint_eq(write(&b, 1, 1), 1);
	ck_assert_uint_eq(write(&b, 2, 4), 2 * 16 + 15);
	rename_unmap(b.ax.rename, 0, 2);
	ck_assert_uint_eq(write(&b, 2, 3), 14);
	ck_assert_uint_eq(reads(&b, "12"), 1);
	ck_assert_uint_eq(b.st.pair_allocations, 2); /* a register that grows tries nothing anew */
	ck_assert_uint_eq(b.st.pair_packed, 2);
	teardown(&b);
}
END_TEST

/* Two lookups a cycle in a bank of the table: all of a warp's are in one under corf++. The access waits for the later
 * one. */
START_TEST(lookups_wait_for_a_port)
{
	struct bench b;

	setup(&b, &corf_pp_packing, "l1 r2", false);
	write(&b, 1, 1);
	write(&b, 2, 1);
	write(&b, 3, 4);
	write(&b, 4, 4);
	b.now = 10;
	ck_assert_uint_eq(reads(&b, "13"), 2);
	ck_assert_uint_eq(b.acc[0].delay + b.acc[1].delay, 0);
	b.now = 11;
	ck_assert_uint_eq(reads(&b, "1342"), 3);
	ck_assert_uint_eq(b.acc[0].operands, 1 | 8);
	ck_assert_uint_eq(b.acc[0].delay, 1);
	ck_assert_uint_eq(b.acc[1].delay, 0);
	ck_assert_uint_eq(b.acc[2].delay, 1);
	ck_assert_uint_eq(b.st.rename_conflicts, 2);
	b.pk->lookup_cycles = 2;
	b.now = 13;
	reads(&b, "3");
	ck_assert_uint_eq(b.acc[0].delay, 2);
	teardown(&b);
}
END_TEST

START_TEST(only_the_arrays_of_its_bytes)
{
	struct bench b;

	setup(&b, &corf_pp_packing, "l1 r2", false);
	b.pk->gate = true;
	write(&b, 1, 1);
	ck_assert_uint_eq(b.acc[0].arrays, 2);
	write(&b, 2, 2);
	reads(&b, "12");
	ck_assert_uint_eq(b.acc[0].arrays, 6);
	write(&b, 3, 4);
	ck_assert_uint_eq(b.acc[0].arrays, 8);
	teardown(&b);
}
END_TEST

/* Check writes every assertion down; these are many. */
#define NEED(what)                                 \
	do {                                       \
		if (!(what))                       \
			ck_abort_msg("%s", #what); \
	} while (0)

/* The bytes of other lanes, through growth, shrinking and moves: what each lane wrote last comes back. */
START_TEST(every_lane_keeps_its_value)
{
	static const uint32_t value[] = { 0x11, 0xffffff80, 0x7123, 0xff923456, 0x12345678, 0x80000000, 0, 0xffff8000 };
	static const struct packing_ops *const all[] = { &first_fit_packing, &corf_packing, &corf_pp_packing };
	struct bench b;
	uint32_t want[4][WARP_LANES], now[WARP_LANES];

	setup(&b, all[_i / 2], _i / 2 == 1 ? "01" : "l0 r1 l2", true);
	b.pk->keep = _i % 2;
	for (unsigned n = 0; n < 4000; n++) {
		unsigned reg = n < 4 ? n : n * 7 / 3 % 4, width = 1;
		uint32_t active = n < 4 || n % 5 == 0 ? UINT32_MAX : 0x9e3779b9u * n;
		struct value_sig sig = { 0 };
		struct uop u = { .nsrc = 1,
				 .ndst = 1,
				 .src = { (uint8_t)reg },
				 .dst = { (uint8_t)reg },
				 .active = active,
				 .sig = &sig };

		for (unsigned l = 0; l < WARP_LANES; l++) {
			int32_t v;

			if (active >> l & 1)
				want[reg][l] = value[(n / 9 + l * (n / 40 % 3)) % 8];
			v = (int32_t)want[reg][l];
			while (width < 4 && (v < -(1 << (8 * width - 1)) || v >= 1 << (8 * width - 1)))
				width++;
		}
		sig.width = width & 7;
		u.dst_value = (const uint32_t(*)[WARP_LANES]) & want[reg];
		b.n = b.ops->write(b.pk, &u, 0, 0, b.acc);
		b.ops->store(b.pk, &u, &b.acc[b.n - 1], 0);
		if (n < 4)
			continue;
		u.nsrc = 4;
		for (unsigned r = 0; r < 4; r++)
			u.src[r] = (uint8_t)r;
		b.n = b.ops->read(b.pk, &u, 15, NULL, b.acc);
		for (unsigned i = 0; i < b.n; i++)
			for (uint32_t m = b.acc[i].operands; m; m &= m - 1) {
				unsigned r = (unsigned)__builtin_ctz(m);

				NEED(!b.ops->deliver(b.pk, &u, &b.acc[i], r, now));
				NEED(memcmp(now, want[r], sizeof now) == 0);
			}
	}
	NEED(b.st.size_grows && b.st.size_shrinks && b.st.merge_reads && b.st.reallocations && b.st.coalesced_operands);
	teardown(&b);
}
END_TEST

/* Registers 0 and 1 of one byte share entry 0. */
START_TEST(an_access_that_no_bank_can_make_delivers_nothing)
{
	static const struct {
		struct bank_access a;
		const char *why[2];
	} wrong[] = {
		{ { .operands = 7, .mask = { 1, 2 } }, { "more than two", "more than two" } },
		{ { .operands = 3, .mask = { 1, 1 } }, { "overlaps", "overlaps" } },
		{ { .operands = 3, .mask = { 3, 2 } }, { "overlaps", "overlaps" } },
		{ { .operands = 3, .mask = { 1, 4 } }, { NULL, "another place" } },
		{ { .operands = 3, .mask = { 1, 0 } }, { NULL, "nothing" } },
		{ { .operands = 3, .mask = { 1, 2 }, .bank = 1, .entry = 1, .entry2 = 1 },
		  { "another place", "another place" } },
		{ { .operands = 3, .mask = { 1, 2 }, .bank = 4 }, { "nothing", "nothing" } },
		{ { .operands = 3, .mask = { 1, 2 }, .entry = 256, .entry2 = 256 }, { "nothing", "nothing" } },
		{ { .operands = 3, .mask = { 1, 2 }, .entry2 = 1 }, { "two entries", "two entries" } },
	}, right = { { .operands = 3, .mask = { 1, 2 } }, { NULL, NULL } };
	static const uint32_t one[WARP_LANES] = { 1, 2, 3 };
	struct bench b;
	uint32_t lane[WARP_LANES];
	struct uop u = { .nsrc = 3, .src = { 0, 1, 2 } };

	setup(&b, &first_fit_packing, "", true);
	write(&b, 0, 1);
	write(&b, 1, 1);
	write(&b, 2, 4);
	for (unsigned r = 0; r < 2; r++)
		rename_store(b.ax.rename, 0, r, one, UINT32_MAX);
	for (unsigned i = 0; i <= sizeof wrong / sizeof *wrong; i++)
		for (unsigned n = 0; n < 2; n++) {
			const char *want = i ? wrong[i - 1].why[n] : NULL,
				   *is = b.ops->deliver(b.pk, &u, i ? &wrong[i - 1].a : &right.a, n, lane);

			ck_assert_msg(want ? is && strstr(is, want) : !is, "%u %u: %s", i, n, is ? is : "delivered");
			ck_assert(want || memcmp(lane, one, sizeof one) == 0);
		}
	teardown(&b);
}
END_TEST

/* ---- which operands go together ---- */
static unsigned best(const uint32_t meet[], uint32_t left)
{
	unsigned i, most;

	if (!left)
		return 0;
	i = (unsigned)__builtin_ctz(left);
	left &= left - 1;
	most = best(meet, left);
	for (uint32_t m = meet[i] & left; m; m &= m - 1) {
		unsigned with = 1 + best(meet, left & ~(m & -m));

		most = with > most ? with : most;
	}
	return most;
}

/* Every collection of up to seven slots of one bank. */
START_TEST(most_operands_coalesce)
{
	static const uint8_t slots[] = { 1, 2, 4, 8, 3, 6, 12, 7, 14 };
	enum { KINDS = sizeof slots, MOST = 7 };
	unsigned pick[MOST] = { 0 }, tried = 0;

	for (unsigned n = 1; n <= MOST; n++) {
		memset(pick, 0, sizeof pick);
		for (;;) {
			uint32_t meet[MOST] = { 0 };
			uint8_t partner[MOST];
			unsigned pairs = 0, at = n;

			for (unsigned i = 0; i < n; i++)
				for (unsigned j = 0; j < n; j++)
					meet[i] |= (uint32_t)(i != j && !(slots[pick[i]] & slots[pick[j]])) << j;
			packed_pair(meet, n, partner);
			for (unsigned i = 0; i < n; i++) {
				NEED(partner[partner[i]] == i);
				NEED(partner[i] == i || meet[i] >> partner[i] & 1);
				pairs += partner[i] > i;
			}
			NEED(pairs == best(meet, ((uint32_t)1 << n) - 1));
			tried++;
			/* the next collection, in ascending order of its kinds */
			while (at && pick[at - 1] == KINDS - 1)
				at--;
			if (!at)
				break;
			pick[at - 1]++;
			for (unsigned i = at; i < n; i++)
				pick[i] = pick[at - 1];
		}
	}
	NEED(tried == 11439); /* C(16, 7) - 1 */
}
END_TEST

Suite *suite_packing(void);
Suite *suite_packing(void)
{
	Suite *s = suite_create("packing");
	TCase *t = tcase_create("packing");

	tcase_add_test(t, figure_5);
	tcase_add_test(t, figure_10);
	tcase_add_test(t, figure_12);
	tcase_add_test(t, first_fit_coalesces_by_chance);
	tcase_add_test(t, a_search_may_begin_in_the_registers_own_bank);
	tcase_add_test(t, whole_entries_keep_their_banks);
	tcase_add_test(t, a_full_bank_overflows_into_the_next);
	tcase_add_test(t, writes_of_another_width_grow_and_shrink);
	tcase_add_test(t, bytes_that_are_shed_stay_with_the_register);
	tcase_add_test(t, an_access_that_no_bank_can_make_delivers_nothing);
	tcase_add_test(t, what_is_left_stays_left_if_all_lanes_are_written);
	tcase_add_test(t, pairs_part_and_meet);
	tcase_add_test(t, lookups_wait_for_a_port);
	tcase_add_test(t, only_the_arrays_of_its_bytes);
	tcase_add_loop_test(t, every_lane_keeps_its_value, 0, 6);
	tcase_add_test(t, most_operands_coalesce);
	suite_add_tcase(s, t);
	return s;
}

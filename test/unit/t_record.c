/* Records: lines and passes of memory instructions, signatures and values against each other. */
#include "test/unit/engine_run.h"

#include "analyzer/base/rng.h"

Suite *suite_record(void);

/* ---- lines ---- */
static void addresses(uint64_t a[32], uint64_t base, uint64_t step)
{
	for (unsigned l = 0; l < 32; l++)
		a[l] = base + l * step;
}

START_TEST(lines_come_in_the_order_of_lanes_with_their_sectors)
{
	static const struct {
		uint64_t base, step;
		unsigned bytes;
		uint32_t exec;
		unsigned n;
		uint64_t first, last, sectors;
	} rows[] = {
		{ 0x1000, 4, 4, UINT32_MAX, 1, 0x1000, 0x1000, 15 },   /* one line */
		{ 0x1000, 0, 4, UINT32_MAX, 1, 0x1000, 0x1000, 1 },    /* one word */
		{ 0x1040, 4, 4, UINT32_MAX, 2, 0x1000, 0x1080, 0x3c }, /* two halves: sectors 2, 3 and 0, 1 */
		{ 0x1000, 8, 8, UINT32_MAX, 2, 0x1000, 0x1080, 0xff },
		{ 0x1000, 16, 16, UINT32_MAX, 4, 0x1000, 0x1180, 0xff },
		{ 0x1000, 32, 32, UINT32_MAX, 8, 0x1000, 0x1380, 0xff },
		{ 0x1000, 128, 4, UINT32_MAX, 32, 0x1000, 0x1f80, 0x11 },
		{ 0x1f80, (uint64_t)-128, 4, UINT32_MAX, 32, 0x1f80, 0x1000, 0x11 }, /* descending */
		{ 0x1000, 4, 4, 0x00000100, 1, 0x1000, 0x1000, 2 },
		{ 0x1000, 64, 1, 0x0000ffff, 8, 0x1000, 0x1380, 0x55 },
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t a[32], line[256];
		unsigned n;

		addresses(a, rows[i].base, rows[i].step);
		n = coalesce_lines(a, rows[i].exec, rows[i].bytes, line);
		ck_assert_uint_eq(n, rows[i].n);
		ck_assert_uint_eq(line_address(line[0]), rows[i].first);
		ck_assert_uint_eq(line_address(line[n - 1]), rows[i].last);
		ck_assert_uint_eq(line_sectors(line[0]) | (n > 1 ? line_sectors(line[n - 1]) << 4 : 0),
				  rows[i].sectors);
	}
}
END_TEST

/* Random accesses against a list that is searched. */
START_TEST(lines_are_distinct_and_complete)
{
	uint64_t seed = 11;

	for (unsigned n = 0; n < 3000; n++) {
		uint64_t a[32], line[256], want[256], span = (uint64_t)128 << (n % 8);
		unsigned bytes = 1u << n % 6, got, k = 0;
		uint32_t exec = (uint32_t)rng_next(&seed) | 1;

		for (unsigned l = 0; l < 32; l++)
			a[l] = 0x123000 + (rng_next(&seed) % span) / bytes * bytes;
		for (unsigned l = 0; l < 32; l++) {
			unsigned i = 0;

			if (!(exec >> l & 1))
				continue;
			while (i < k && (want[i] & 0xfffffffffffff) != a[l] / 128)
				i++;
			if (i == k)
				want[k++] = a[l] / 128;
			for (unsigned b = 0; b < bytes; b++)
				want[i] |= (uint64_t)1 << (60 + (a[l] + b) % 128 / 32);
		}
		got = coalesce_lines(a, exec, bytes, line);
		ck_assert_uint_eq(got, k);
		ck_assert(memcmp(line, want, k * sizeof *line) == 0);
		for (unsigned step = 0; step <= bytes; step += bytes) {
			addresses(a, a[0], step);
			k = coalesce_lines(a, UINT32_MAX, bytes, want);
			got = coalesce_span(a[0], step ? 32 * bytes : bytes, line);
			ck_assert_uint_eq(got, k);
			ck_assert(memcmp(line, want, k * sizeof *line) == 0);
		}
	}
}
END_TEST

START_TEST(local_memory_is_interleaved_by_word)
{
	uint64_t a[32], line[256];

	addresses(a, 8, 0); /* one offset: one line for each word */
	ck_assert_uint_eq(coalesce_local(1ull << 40, a, UINT32_MAX, 4, line), 1);
	ck_assert_uint_eq(line_address(line[0]), (1ull << 40) + 2 * 128);
	ck_assert_uint_eq(line_sectors(line[0]), 15);
	ck_assert_uint_eq(coalesce_local(1ull << 40, a, 0xff00, 8, line), 2);
	ck_assert_uint_eq(line_address(line[1]), (1ull << 40) + 3 * 128);
	ck_assert_uint_eq(line_sectors(line[1]), 2);
	addresses(a, 0, 4); /* each lane another word: 32 lines */
	ck_assert_uint_eq(coalesce_local(1ull << 40, a, UINT32_MAX, 4, line), 32);
	addresses(a, 0, 16);
	ck_assert_uint_eq(coalesce_local(1ull << 40, a, UINT32_MAX, 16, line), 128);
}
END_TEST

START_TEST(shared_passes_count_bank_conflicts)
{
	static const struct {
		uint64_t base, step;
		unsigned bytes;
		bool atomic;
		uint32_t exec;
		unsigned want, words;
	} rows[] = {
		{ 0, 4, 4, false, UINT32_MAX, 1, 32 },
		{ 0, 0, 4, false, UINT32_MAX, 1, 1 },
		{ 0, 8, 4, false, UINT32_MAX, 2, 32 },
		{ 0, 16, 4, false, UINT32_MAX, 4, 32 },
		{ 0, 128, 4, false, UINT32_MAX, 32, 32 },
		{ 0, 132, 4, false, UINT32_MAX, 1, 32 },
		{ 0, 128, 4, false, 0x0000000f, 4, 4 },
		{ 0, 12, 4, false, UINT32_MAX, 1, 32 },
		{ 0, 1, 1, false, UINT32_MAX, 1, 8 },
		{ 0, 2, 2, false, UINT32_MAX, 1, 16 },
		{ 64, 4, 4, false, UINT32_MAX, 1, 32 },
		{ 0, 8, 8, false, UINT32_MAX, 2, 64 },
		{ 0, 8, 8, false, 0x0000ffff, 1, 32 },
		{ 0, 16, 8, false, UINT32_MAX, 4, 64 },
		{ 0, 16, 16, false, UINT32_MAX, 4, 128 },
		{ 0, 0, 4, true, UINT32_MAX, 32, 32 },
		{ 0, 4, 4, true, UINT32_MAX, 1, 32 },
		{ 0, 0, 4, true, 0x11111111, 8, 8 },
		{ 0, 0, 8, false, UINT32_MAX, 2, 4 },
		{ 3, 4, 1, false, UINT32_MAX, 1, 32 },
		{ 3, 127, 1, false, 3, 2, 2 },
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t a[32];
		unsigned got;

		addresses(a, rows[i].base, rows[i].step);
		got = shared_passes(a, rows[i].exec, rows[i].bytes, rows[i].atomic);
		ck_assert_msg(smem_passes(got) == rows[i].want && smem_words(got) == rows[i].words,
			      "row %u: %u passes, %u words", i, smem_passes(got), smem_words(got));
	}
}
END_TEST

/* Counted word by word: what the rules at the head of coalesce.c say. */
static unsigned plain_passes(const uint64_t a[32], uint32_t exec, unsigned bytes, bool atomic)
{
	unsigned words = bytes > 4 ? bytes / 4 : 1, part = 32 / words, passes = 0, moved = 0;

	for (unsigned p = 0; p < words; p++) {
		unsigned most = 0;

		for (unsigned bank = 0; bank < 32; bank++) {
			uint64_t seen[32];
			unsigned n = 0;

			for (unsigned l = p * part; l < (p + 1) * part; l++)
				for (unsigned w = 0; exec >> l & 1 && w < words; w++) {
					uint64_t at = a[l] / 4 + w;
					unsigned i = 0;

					while (!atomic && i < n && seen[i] != at)
						i++;
					if (at % 32 == bank && (atomic || i == n))
						seen[n++] = at;
				}
			most = n > most ? n : most;
			moved += n;
		}
		passes += most;
	}
	return moved << 16 | passes;
}

START_TEST(shared_passes_of_any_lanes)
{
	uint64_t seed = 5;

	for (unsigned n = 0; n < 3000; n++) {
		unsigned bytes = 1u << n % 5;
		uint32_t exec = n % 3 ? (uint32_t)rng_next(&seed) | 1 : UINT32_MAX;
		uint64_t a[32], range = 1 + rng_below(&seed, n % 7 ? 64 : 4096);

		for (unsigned l = 0; l < 32; l++)
			a[l] = rng_below(&seed, (uint32_t)range) * bytes;
		for (unsigned atomic = 0; atomic < 2; atomic++)
			ck_assert_uint_eq(shared_passes(a, exec, bytes, atomic), plain_passes(a, exec, bytes, atomic));
	}
}
END_TEST

START_TEST(constant_passes_count_addresses)
{
	uint64_t a[32];

	addresses(a, 16, 0);
	ck_assert_uint_eq(const_passes(a, UINT32_MAX), 1);
	addresses(a, 16, 4);
	ck_assert_uint_eq(const_passes(a, 0xff), 8);
}
END_TEST

/* ---- one warp's records ---- */
#define TRACED                                                                                                        \
	KERNEL("mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; setp.lt.u32 %p0, %r0, 3; " \
	       "@%p0 add.u32 %r4, %r3, 1;\n"                                                                          \
	       "@!%p0 bra A; mov.b64 %d4, {%r3, %r0}; st.global.u32 [%d0+128], %r4; A: @%p0 red.global.add.u32 "      \
	       "[%d1], 0;")

START_TEST(a_record_tells_what_its_instruction_did)
{
	struct rig r;
	struct engine *e;
	struct record rec;
	unsigned seen = 0, n = 0;

	rig_open(&r, TRACED, 0);
	r.opt.consumers = 1;
	r.opt.want = WANT_SIG | (_i ? WANT_VALUES : 0);
	e = rig_engine(&r);
	for (; engine_next(e, 0, 0, 0, &rec) == RECORD_OK; n++) {
		const struct insn *i = &r.k->insn[rec.insn];

		ck_assert((rec.values != NULL) == (_i && rec.active && e->prog.code[rec.insn].nval));
		switch (i->op) {
		case OP_LD_B32:
			if (i->space == SP_PARAM) {
				ck_assert(rec.nline == 1 && !is_line(rec.line[0]) && smem_passes(rec.line[0]) == 1);
				ck_assert_uint_eq(smem_offset(rec.line[0]), PARAM_BASE + 16);
				ck_assert(rec.nsig == 1 && rec.sig[0].same_all == 4 && rec.sig[0].width == 1 &&
					  rec.sig[0].affine);
				seen |= 256;
				break;
			}
			ck_assert(rec.active == UINT32_MAX && rec.nline == 1 && rec.nsig == 1);
			ck_assert(line_address(rec.line[0]) == r.in_addr && line_sectors(rec.line[0]) == 15);
			ck_assert(rec.sig[0].width == 4 && !rec.sig[0].same_all);
			ck_assert(!_i ||
				  (rec.values[0] == (uint32_t)r.in_addr &&
				   rec.values[32] == (uint32_t)(r.in_addr >> 32) && rec.values[64 + 5] == r.in[5]));
			seen |= 1;
			break;
		case OP_PACK_B64:
			ck_assert(rec.active == 7 && rec.nsig == 2 && rec.nline == 0);
			seen |= 2;
			break;
		case OP_ST_B32:
			ck_assert(rec.active == 7 && rec.nsig == 0 && rec.nline == 1 && line_sectors(rec.line[0]) == 1);
			ck_assert(line_address(rec.line[0]) == r.out_addr + 128);
			seen |= 4;
			break;
		case OP_RED_ADD_U32:
			ck_assert(rec.active == 7 && rec.nline == 1);
			seen |= 8;
			break;
		case OP_SETP_LT_U32:
			ck_assert(rec.nsig == 0 && rec.nline == 0);
			seen |= 16;
			break;
		case OP_BRA:
			ck_assert(rec.active == 0xfffffff8 && rec.nsig == 0);
			seen |= 32;
			break;
		case OP_ADD_S32:
			ck_assert(rec.active == 7 && rec.nsig == 1 && rec.sig[0].same_active < 4);
			seen |= 64;
			break;
		case OP_RET:
			ck_assert(rec.active == UINT32_MAX);
			seen |= 128;
			break;
		default:
			break;
		}
	}
	ck_assert_uint_eq(seen, 511);
	ck_assert_uint_eq(n, engine_counts(e)->warp_insns);
	ck_assert(engine_next(e, 0, 1, 0, &rec) == RECORD_END);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* Memory words of one warp's records, in the order of its ld, st and atom instructions. */
#define TOUCHES                                                                                                        \
	PTX_MODULE(".const .align 4 .u32 table[32];",                                                                  \
		   ".shared .align 16 .b8 tile[8192]; .local .align 8 .b8 mine[64];\n" PTX_INDEX                       \
		   "mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r6, %r4, %r5; ld.shared.u32 %r7, [%r6];\n"        \
		   "setp.gt.u32 %p0, %r0, 30; @%p0 add.u32 %r6, %r6, 3; ld.shared.u8 %r7, [%r6+3]; shr.u32 %r6, %r5, " \
		   "4; add.u32 %r6, %r6, %r4; ld.shared.u8 %r7, [%r6];\n"                                              \
		   "shl.b32 %r5, %r0, 3; add.u32 %r6, %r4, %r5; ld.shared.u32 %r7, [%r6]; ld.shared.b64 %d3, [%r6]; "  \
		   "st.shared.u32 [%r4+64], %r0;\n"                                                                    \
		   "shl.b32 %r5, %r0, 7; add.u32 %r6, %r4, %r5; ld.shared.u32 %r7, [%r6]; atom.shared.add.u32 %r7, "   \
		   "[%r4], 1; ld.shared.b64 %d3, [%r4];\n"                                                             \
		   "mov.u32 %r8, table; ld.const.u32 %r7, [%r8+8]; shl.b32 %r5, %r0, 2; add.u32 %r8, %r8, %r5; "       \
		   "ld.const.u32 %r7, [%r8];\n"                                                                        \
		   "st.local.u32 [mine+4], %r0; ld.local.b64 %d3, [mine+8]; and.b32 %r5, %r5, 28; mov.u32 %r9, mine; " \
		   "add.u32 %r9, %r9, %r5; ld.local.u32 %r7, [%r9];\n"                                                 \
		   "setp.lt.u32 %p0, %r0, 8; @%p0 ld.global.u32 %r7, [%d0];\n"                                         \
		   "cvt.u64.u32 %d4, %r6; cvta.shared.u64 %d4, %d4; selp.b64 %d5, %d0, %d4, %p0; ld.u32 %r7, [%d5]; "  \
		   "st.u32 [%d4], %r7; st.u32 [%d0], %r7; ret;")

START_TEST(memory_records_carry_lines_or_passes)
{
	static const struct {
		unsigned lines, passes, offset, words;
	} want[] = {
		/* shared */
		{ 0, 1, 0, 32 },
		{ 0, 2, 3, 32 },
		{ 0, 1, 0, 2 },
		{ 0, 2, 0, 32 },
		{ 0, 2, 0, 64 },
		{ 0, 1, 64, 1 },
		{ 0, 32, 0, 32 },
		{ 0, 32, 0, 32 },
		{ 0, 2, 0, 4 },
		/* const: of 128 bytes */
		{ 0, 1, 8, 0 },
		{ 1, 32, 0, 0 },
		/* local */
		{ 1, 0, 0, 0 },
		{ 2, 0, 0, 0 },
		{ 8, 0, 0, 0 },
		/* global */
		{ 1, 0, 0, 0 },
		/* generic */
		{ 1, 24, 1024, 0 },
		{ 0, 32, 0, 0 },
		{ 1, 0, 0, 0 },
	};
	struct rig r;
	struct engine *e;
	struct record rec;
	unsigned n = 0;

	rig_open(&r, TOUCHES, 0);
	r.opt.consumers = 1;
	e = rig_engine(&r);
	while (engine_next(e, 0, 0, 0, &rec) == RECORD_OK) {
		const struct insn *i = &r.k->insn[rec.insn];
		unsigned lines = 0;

		if (!op_info[i->op].mem_bytes || i->space == SP_PARAM) {
			ck_assert(!rec.nline || i->space == SP_PARAM);
			continue;
		}
		ck_assert_uint_lt(n, sizeof want / sizeof *want);
		while (lines < rec.nline && is_line(rec.line[lines])) {
			ck_assert((line_address(rec.line[lines]) >= LOCAL_LINES) ==
				  (i->space == SP_LOCAL || i->space == SP_CONST));
			ck_assert((line_address(rec.line[lines]) == CONST_LINES + CONST_BANK_BYTES) ==
				  (i->space == SP_CONST));
			ck_assert(i->space != SP_CONST || line_sectors(rec.line[lines]) == 15);
			lines++;
		}
		ck_assert_msg(lines == want[n].lines, "access %u: %u lines", n, lines);
		ck_assert_uint_eq(rec.nline, lines + (want[n].passes != 0));
		if (want[n].passes) {
			ck_assert_msg(smem_passes(rec.line[lines]) == want[n].passes, "access %u: %u passes", n,
				      smem_passes(rec.line[lines]));
			ck_assert_uint_eq(smem_offset(rec.line[lines]), want[n].offset);
			ck_assert_msg(!want[n].words || smem_words(rec.line[lines]) == want[n].words,
				      "access %u: %u words", n, smem_words(rec.line[lines]));
		}
		n++;
	}
	ck_assert_uint_eq(n, sizeof want / sizeof *want);
	ck_assert_uint_eq(r.d.errors, 0);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* The values of a record are its destinations after the instruction, so their signatures must be the record's; and a
 * source must be what the latest writer left there. */
static void check_values(struct rig *r, struct engine *e, uint64_t cta, unsigned w, unsigned c)
{
	uint32_t *last = new_array(&r->a, uint32_t, e->prog.nslot * 32u);
	struct record rec;

	while (engine_next(e, c, cta, w, &rec) == RECORD_OK) {
		const struct xinsn *x = &e->prog.code[rec.insn];
		unsigned nread = x->nval - (unsigned)x->nsig;
		const uint32_t *list = e->prog.reg_list + x->regs;

		if (!rec.active)
			continue;
		for (unsigned i = 0; i < nread; i++)
			ck_assert(memcmp(rec.values + i * 32, last + list[i], 128) == 0);
		for (unsigned i = 0; i < x->nsig; i++) {
			const uint32_t *v = rec.values + (nread + i) * 32;
			struct value_sig s;

			lanes_base.sig(v, rec.active, &s);
			ck_assert(s.hash == rec.sig[i].hash && rec.sig[i].h3 == (e->rec.h3 ? lanes_base.h3(v) : 0) &&
				  s.width == rec.sig[i].width && s.same_active == rec.sig[i].same_active &&
				  s.affine == rec.sig[i].affine && s.delta == rec.sig[i].delta &&
				  s.same_lo == rec.sig[i].same_lo);
			for (unsigned l = 0; l < 32; l++)
				ck_assert(rec.active >> l & 1 || v[l] == last[list[nread + i] + l]);
			memcpy(last + list[nread + i], v, 128);
		}
	}
}

#define BUSY                                                                                                          \
	KERNEL("mov.u32 %r3, 0; and.b32 %r6, %r0, 15;\n"                                                              \
	       "L: mad.lo.u32 %r4, %r3, 3, %r0; and.b32 %r4, %r4, 1023; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d1, " \
	       "%d3; ld.global.u32 %r5, [%d3];\n"                                                                     \
	       "and.b32 %r7, %r5, 1; setp.eq.u32 %p0, %r7, 0; @%p0 add.u32 %r8, %r8, %r5; @%p0 bra N; xor.b32 %r8, "  \
	       "%r8, %r5; N: add.u32 %r3, %r3, 1;\n"                                                                  \
	       "add.u32 %r9, %r6, 40; setp.lt.u32 %p1, %r3, %r9; @%p1 bra L; bar.sync 0; st.global.u32 [%d0], %r8;")

START_TEST(values_follow_from_each_other)
{
	struct rig r;
	struct engine *e;

	rig_open(&r, BUSY, _i ? 63 : 0);
	r.l.grid[0] = 3;
	r.l.block[0] = 64;
	r.opt.consumers = 1;
	r.opt.want = WANT_SIG | WANT_VALUES | (_i & 1 ? WANT_H3 : 0);
	e = rig_engine(&r);
	for (uint64_t cta = 0; cta < 3; cta++)
		for (unsigned w = 0; w < 2; w++)
			check_values(&r, e, cta, w, 0);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* Of the lanes of a record's register that have a thread, one by one; lane 16 stands for a part of the upper half. */
static unsigned same_bytes_of(const uint32_t *v, uint32_t lanes)
{
	uint32_t differ = 0;

	for (unsigned l = 0; l < WARP_LANES; l++)
		differ |= lanes >> l & 1 ? v[l] ^ v[__builtin_ctz(lanes)] : 0;
	return differ ? (unsigned)__builtin_clz(differ) / 8 : 4;
}

static void check_part(const struct record *rec, const uint32_t *v, const struct value_sig *sig, unsigned threads)
{
	const uint32_t all = threads < WARP_LANES ? (1u << threads) - 1 : UINT32_MAX, high = all & 0xffff0000;
	bool affine = true;

	for (unsigned l = 2; l < threads; l++)
		affine &= v[l] == v[0] + l * (v[1] - v[0]);
	ck_assert(!(rec->active & ~all));
	ck_assert_uint_eq(sig->same_all, same_bytes_of(v, all));
	ck_assert_uint_eq(sig->same_lo, same_bytes_of(v, all & 0xffff));
	ck_assert_uint_eq(sig->same_hi, high ? same_bytes_of(v, high) : 4);
	ck_assert_uint_eq(sig->same_active, same_bytes_of(v, rec->active));
	ck_assert_uint_eq(sig->affine, affine);
	ck_assert_uint_eq(sig->stride, affine && threads > 1 ? v[1] - v[0] : 0);
	ck_assert_uint_eq(sig->delta == 0, sig->same_all == 4);
}

/* A warp of fewer threads than lanes: its signatures are of those that it has, whatever the others hold. */
START_TEST(signatures_are_of_threads)
{
	static const unsigned blocks[] = { 1, 16, 17, 20, 33, 48, 63 };
	const unsigned block = blocks[_i], w = (block - 1) / WARP_LANES;
	static struct value_sig seen[1024];
	static uint32_t value[1024][WARP_LANES];

	for (unsigned poison = 0; poison < 2; poison++) {
		struct record rec;
		struct engine *e;
		unsigned n = 0;
		struct rig r;

		rig_open(&r, BUSY, 63);
		r.l.block[0] = block;
		r.opt.consumers = 1;
		r.opt.want = WANT_SIG | WANT_VALUES | WANT_H3;
		r.opt.poison = poison;
		r.opt.poison_seed = 5;
		e = rig_engine(&r);
		while (engine_next(e, 0, 0, w, &rec) == RECORD_OK && n < 1000)
			for (unsigned i = 0; rec.active && i < rec.nsig; i++, n++) {
				const struct xinsn *x = &e->prog.code[rec.insn];
				const uint32_t *v = rec.values + (x->nval - (unsigned)x->nsig + i) * WARP_LANES;
				const size_t bytes = (block - w * WARP_LANES) * sizeof *v;

				check_part(&rec, v, &rec.sig[i], block - w * WARP_LANES);
				if (poison && !memcmp(value[n], v, bytes))
					ck_assert_mem_eq(&seen[n], &rec.sig[i], sizeof *seen);
				seen[n] = rec.sig[i];
				memcpy(value[n], v, bytes);
			}
		ck_assert_uint_ge(n, 100);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

Suite *suite_record(void)
{
	Suite *s = suite_create("record");
	TCase *t = tcase_create("record");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, lines_come_in_the_order_of_lanes_with_their_sectors);
	tcase_add_test(t, lines_are_distinct_and_complete);
	tcase_add_test(t, local_memory_is_interleaved_by_word);
	tcase_add_test(t, shared_passes_count_bank_conflicts);
	tcase_add_test(t, shared_passes_of_any_lanes);
	tcase_add_test(t, constant_passes_count_addresses);
	tcase_add_test(t, memory_records_carry_lines_or_passes);
	tcase_add_loop_test(t, a_record_tells_what_its_instruction_did, 0, 2);
	tcase_add_loop_test(t, values_follow_from_each_other, 0, 2);
	tcase_add_loop_test(t, signatures_are_of_threads, 0, 7);
	suite_add_tcase(s, t);
	return s;
}

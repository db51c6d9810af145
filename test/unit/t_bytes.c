/* Where encoded registers have their bytes; and in the SM Warped-Compression, and the register file for scalars. */
#include "analyzer/base/rng.h"
#include "runtime-model/core/encode.h"
#include "runtime-model/engine/lanes.h"
#include "runtime-model/values/bytes.h"
#include "stream.h"

/* ---- bytes ---- */
/* Lanes that share some upper bytes, or differ from lane 0 by a little, or in one half alone. */
static void draw(uint32_t v[WARP_LANES], uint64_t *rng)
{
	const unsigned kind = rng_below(rng, 5), bits = rng_below(rng, 33);
	const uint32_t base = (uint32_t)rng_next(rng), other = (uint32_t)rng_next(rng),
		       mask = bits < 32 ? ((uint32_t)1 << bits) - 1 : UINT32_MAX;

	for (unsigned l = 0; l < WARP_LANES; l++) {
		const uint32_t r = (uint32_t)rng_next(rng) & mask;

		if (kind == 0)
			v[l] = base ^ r;
		else if (kind == 1)
			v[l] = base + r - mask / 2;
		else if (kind == 2 && l >= HALF_LANES)
			v[l] = other ^ (r >> 8);
		else
			v[l] = kind == 4 ? base + l * (other & mask) : base;
	}
}

/* Bytes of the arrays that are not what they were. */
static unsigned changed(const struct stored *r, const struct stored *was, unsigned *arrays)
{
	unsigned n = 0;

	*arrays = 0;
	for (unsigned a = 0; a < BYTE_ARRAYS; a++)
		for (unsigned i = 0; i < ARRAY_BYTES; i++)
			if (r->array[a][i] != was->array[a][i]) {
				n++;
				*arrays |= 1u << a;
			}
	return n;
}

/* Written and read again as it is encoded, a register is what it was; nothing is written but what is stored. */
START_TEST(what_is_stored_is_found)
{
	static const unsigned bdi_arrays[] = { [BDI_NONE] = 8, [BDI_0] = 1, [BDI_1] = 3, [BDI_2] = 5 };
	unsigned seen[4] = { 0 }, tuples = 0;
	uint64_t rng = 4;

	for (unsigned n = 0; n < 20000; n++) {
		const enum bytes_layout layout = (enum bytes_layout)(n % 4);
		const bool half = n / 4 % 2;
		uint32_t v[WARP_LANES], found[WARP_LANES + 1] = { [WARP_LANES] = n };
		unsigned stored, want, touched, arrays, most;
		struct stored r, was;
		struct value_sig sig;
		struct encoding e;

		draw(v, &rng);
		lanes_best()->sig(v, UINT32_MAX, &sig);
		e = encoding_of(&sig, UINT32_MAX, 0);
		bytes_poison(&r, n % 100);
		was = r;
		stored = bytes_store(&r, layout, e, half, v);
		touched = bytes_load(&r, layout, e, half, found);
		if (memcmp(v, found, sizeof v) != 0)
			ck_abort_msg("layout %u: register %u is another one", layout, n);
		ck_assert_uint_eq(found[WARP_LANES], n); /* nothing behind it is written */
		ck_assert_uint_eq(stored, touched);
		if (layout == LAYOUT_SLICED)
			want = encoding_arrays(e, half, 8);
		else if (layout == LAYOUT_BDI)
			want = bdi_arrays[e.bdi];
		else if (layout == LAYOUT_AFFINE)
			want = e.affine ? 1 : 8;
		else
			want = encoding_is_scalar(e) ? 0 : 8;
		/* two halves of one value each are read from the base value registers */
		ck_assert_uint_eq((unsigned)__builtin_popcount(stored), want);
		most = 16 * want;
		if (layout == LAYOUT_BDI && e.bdi)
			most = 4 + 31 * ((unsigned)e.bdi - BDI_0);
		else if (layout == LAYOUT_AFFINE && e.affine)
			most = 8;
		ck_assert_uint_le(changed(&r, &was, &arrays), most);
		ck_assert_uint_eq(arrays & ~stored, 0);
		seen[e.bdi]++;
		tuples += e.affine && !encoding_is_scalar(e);
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_msg(seen[i] > 500, "%u of class %u", seen[i], i);
	ck_assert_uint_gt(tuples, 2000);
}
END_TEST

START_TEST(some_lanes_are_written_among_others)
{
	uint64_t rng = 5;

	for (unsigned n = 0; n < 8000; n++) {
		const enum bytes_layout layout = (enum bytes_layout)(n % 4);
		const uint32_t lanes = (uint32_t)rng_next(&rng) | 1;
		const struct encoding all = encoding_plain(), some = { .divergent = 1, .lanes = lanes };
		uint32_t v[WARP_LANES], w[WARP_LANES], found[WARP_LANES];
		struct stored r;

		draw(v, &rng);
		draw(w, &rng);
		bytes_poison(&r, 0);
		bytes_store(&r, layout, all, n / 4 % 2, v);
		bytes_store(&r, layout, some, n / 4 % 2, w);
		bytes_load(&r, layout, some, n / 4 % 2, found);
		for (unsigned l = 0; l < WARP_LANES; l++)
			if (found[l] != (lanes >> l & 1 ? w[l] : v[l]))
				ck_abort_msg("layout %u: lane %u", layout, l);
		ck_assert(layout != LAYOUT_SLICED || r.base[0] == lanes);
	}
}
END_TEST

/* The move that is left out: what the other lanes held is in the base alone, and they have garbage. */
START_TEST(a_partial_write_of_a_compressed_register_loses_its_other_lanes)
{
	static const enum bytes_layout layouts[] = { LAYOUT_SLICED, LAYOUT_BDI, LAYOUT_SCALAR, LAYOUT_AFFINE };
	const struct encoding some = { .divergent = 1, .lanes = 0xff };
	uint32_t v[WARP_LANES], found[WARP_LANES];
	struct value_sig sig;
	struct stored r;

	for (unsigned l = 0; l < WARP_LANES; l++)
		v[l] = 0x12345678;
	lanes_best()->sig(v, UINT32_MAX, &sig);
	for (unsigned i = 0; i < 4; i++) {
		bytes_poison(&r, 7);
		bytes_store(&r, layouts[i], encoding_of(&sig, UINT32_MAX, 0), false, v);
		bytes_store(&r, layouts[i], some, false, v);
		bytes_load(&r, layouts[i], some, false, found);
		ck_assert_uint_eq(found[7], v[7]);
		ck_assert_uint_ne(found[8], v[8]);
		ck_assert_uint_ne(found[31], v[31]);
	}
}
END_TEST

/* ---- in the SM ---- */
static const struct value_sig scalar = { .same_all = 4, .same_lo = 4, .same_hi = 4, .same_active = 4 };
static const struct value_sig delta[] = { { .same_all = 4, .same_lo = 4, .same_hi = 4, .same_active = 4 },
					  { .delta = 1 },
					  { .delta = 2 },
					  { .delta = 3 },
					  { .delta = 4 } };
static struct stream s;

static void begin(const char *rf, const char *set)
{
	stream_init(&s);
	ck_assert(params_machine(&s.p, "g-scalar", &s.d));
	s.p.sms = 1;
	ck_assert_msg(rf_config_parse(&s.rf, rf, &s.p, &s.d), "%s", s.d.last);
	ck_assert_msg(params_set(&s.p, set, &s.d), "%s", s.d.last);
}

static void add(int d, int x, int y, uint32_t active, const struct value_sig *sig)
{
	struct stream_record *r = stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, d, x, y, -1));

	r->active = active;
	r->nsig = 1;
	r->sig = sig;
}

static void check(unsigned reads, unsigned writes)
{
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_read_arrays, reads);
	ck_assert_uint_eq(s.st.rf_write_arrays, writes);
}

START_TEST(warped_compression_has_four_sizes)
{
	begin("warped-compression", "gs_moves=1");
	for (int n = 0; n < 5; n++)
		add(10 + n, -1, -1, UINT32_MAX, &delta[n]);
	check(0, 1 + 3 + 5 + 8 + 8);
	ck_assert_uint_eq(s.st.stored_bytes, 4 + 35 + 66 + 128 + 128);
	ck_assert_uint_eq(s.st.bvr_writes, 0);
	for (int n = 0; n < 5; n++)
		add(1, 10 + n, -1, UINT32_MAX, &delta[4]);
	check(25, 25 + 5 * 8);
	ck_assert_uint_eq(s.st.decompressions, 3);
	ck_assert_uint_eq(s.st.scalar_alu, 0);
	ck_assert_uint_eq(s.st.executed_lanes, 10 * 32);
	stream_free(&s);
}
END_TEST

/* Moved first, then written word by word; the compressor does not look at it. */
START_TEST(warped_compression_leaves_divergent_writes_alone)
{
	for (unsigned partial = 0; partial < 2; partial++) {
		begin("warped-compression", partial ? "rf_partial_writes=1" : "rf_partial_writes=0");
		add(1, -1, -1, UINT32_MAX, &delta[1]);
		add(1, -1, -1, 0x1f, &delta[0]);
		add(2, 1, -1, UINT32_MAX, &delta[4]);
		check(3 + 8, 3 + 8 + (partial ? 2 : 8) + 8);
		ck_assert_uint_eq(s.st.injected_moves, 1);
		ck_assert_uint_eq(s.st.compressions, 2);
		ck_assert_uint_eq(s.st.decompressions, 1);
		stream_free(&s);
	}
}
END_TEST

START_TEST(scalars_live_in_a_register_file_of_their_own)
{
	begin("alu-scalar", "scalar_banks=1");
	add(1, -1, -1, UINT32_MAX, &scalar);
	add(2, 9, -1, UINT32_MAX, &delta[1]); /* nobody has written R9 */
	add(3, 1, -1, UINT32_MAX, &scalar);   /* one lane */
	add(4, 1, 2, UINT32_MAX, &delta[1]);
	/* moved; a divergent instruction is executed by its lanes */
	add(1, 1, -1, 0xff, &scalar);
	check(8 + 0 + 8 + 0 + 8, 0 + 8 + 0 + 8 + 8 + 2);
	ck_assert_uint_eq(s.st.rf_reads, 6);
	ck_assert_uint_eq(s.st.bvr_reads, 3);
	ck_assert_uint_eq(s.st.bvr_writes, 2);
	ck_assert_uint_eq(s.st.injected_moves, 1);
	ck_assert_uint_eq(s.st.scalar_alu, 2); /* with R1's constant */
	ck_assert_uint_eq(s.st.scalar_divergent, 0);
	ck_assert_uint_eq(s.st.executed_lanes, 1 + 32 + 1 + 32 + 32 + 8);
	stream_free(&s);
}
END_TEST

/* Warps that read scalars in the same cycles meet in the one bank, and do not in sixteen. */
START_TEST(one_bank_for_scalars_is_too_few)
{
	static const char *const banks[] = { "scalar_banks=1", "scalar_banks=16" };
	uint64_t conflicts[2], cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		begin("alu-scalar", banks[i]);
		s.warps = 16;
		for (int r = 0; r < 6; r++)
			add(r, -1, -1, UINT32_MAX, &scalar);
		for (int n = 0; n < 40; n++)
			add(6 + n % 8, n % 3, 3 + n % 3, UINT32_MAX, &scalar);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		conflicts[i] = s.st.rf_bank_conflicts;
		cycles[i] = s.st.cycles;
		ck_assert_uint_eq(s.st.rf_reads, 16 * 80);
		ck_assert_uint_eq(s.st.rf_read_arrays + s.st.rf_write_arrays, 0);
		/* each read and write has the bank for a cycle */
		ck_assert_uint_ge(s.st.cycles, i ? 0 : 16 * (80 + 46));
		stream_free(&s);
	}
	ck_assert_uint_gt(conflicts[0], 4 * conflicts[1]);
	ck_assert_uint_gt(cycles[0], cycles[1]);
}
END_TEST

Suite *suite_bytes(void);
Suite *suite_bytes(void)
{
	Suite *suite = suite_create("bytes");
	TCase *c = tcase_create("bytes");

	tcase_add_test(c, what_is_stored_is_found);
	tcase_add_test(c, some_lanes_are_written_among_others);
	tcase_add_test(c, a_partial_write_of_a_compressed_register_loses_its_other_lanes);
	tcase_add_test(c, warped_compression_has_four_sizes);
	tcase_add_test(c, warped_compression_leaves_divergent_writes_alone);
	tcase_add_test(c, scalars_live_in_a_register_file_of_their_own);
	tcase_add_test(c, one_bank_for_scalars_is_too_few);
	suite_add_tcase(suite, c);
	return suite;
}

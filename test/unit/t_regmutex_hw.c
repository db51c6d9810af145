/* RegMutex's hardware on written-out streams: where registers lie, who gets a section when, what it costs, and what goes wrong. */
#include "stream.h"

extern const struct residency_ops regmutex_residency, regmutex_paired_residency, static_residency, rfv_residency;

enum { BASE = 8, REGS = 12 };

static void use(struct stream *s, const char *rf)
{
	ck_assert_msg(rf_config_parse(&s->rf, rf, &s->p, &s->d), "%s", s->d.last);
}

/* A variant of 8 registers and 4 more, in a file that has room for so many warps and `sections` sections. */
static void variant(struct stream *s, const char *rf, unsigned warps, unsigned ctas, unsigned sections)
{
	stream_init(s);
	s->k->res.regs = REGS;
	s->k->base_regs = BASE;
	s->warps = warps;
	s->ctas = ctas;
	s->p.rf_registers = WARP_LANES * (warps * ctas * BASE + sections * (REGS - BASE));
	s->p.icache_sets = 0;
	use(s, rf);
}

/* The section of the program in which a warp holds its extended set: two instructions that depend on each other. */
static void section(struct stream *s)
{
	stream_insn(s, OP_RF_ACQUIRE, -1, -1, -1, -1);
	stream_insn(s, OP_ADD_S32, BASE, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 2, BASE, 1, -1);
	stream_insn(s, OP_RF_RELEASE, -1, -1, -1, -1);
}

/* ---- where registers lie ---- */
struct bench { struct stream s; struct stats st; struct axes ax; uint64_t now; const struct residency_ops *ops; struct residency *r; unsigned warps; };

static void bench(struct bench *b, const struct residency_ops *ops, unsigned regs, unsigned base, unsigned resident)
{
	memset(b, 0, sizeof *b);
	stream_init(&b->s);
	b->s.k->res.regs = regs;
	b->s.k->base_regs = base;
	b->ops = ops;
	b->ax.rf = &b->s.rf;
	b->warps = resident;
	b->r = ops->create(&(struct axis_ctx){ .params = &b->s.p, .kernel = b->s.k, .stats = &b->st, .arena = &b->s.a, .diag = &b->s.d, .axes = &b->ax,
	                                       .warps = 48, .resident = resident, .warps_per_cta = 1, .now = &b->now });
	ck_assert_ptr_nonnull(b->r);
}

/* RegMutex section III-A2: 24 registers, 48 warps, 32 K registers. */
START_TEST(the_pool_has_the_sections_of_the_worked_example)
{
	static const struct { unsigned base, sections; } row[] = { { 20, 16 }, { 18, 26 }, { 16, 32 } };
	struct stream s;

	stream_init(&s);
	s.k->res.regs = 24;
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		s.k->base_regs = row[i].base;
		ck_assert_uint_eq(regmutex_residency.sections(&s.p, s.k, 48), row[i].sections);
		ck_assert_uint_ge(regmutex_residency.max_ctas(&s.p, s.k, 1), 48);
	}
	s.k->base_regs = 4;             /* no more than warps */
	ck_assert_uint_eq(regmutex_residency.sections(&s.p, s.k, 8), 8);
	s.k->base_regs = 0;
	ck_assert_uint_eq(regmutex_residency.sections(&s.p, s.k, 42), 0);
	stream_free(&s);
}
END_TEST

/* RegMutex section III-B: 384 bits, where renaming takes 30,240 and 1,024; III-C: half a bit a warp. */
START_TEST(storage_is_what_the_paper_counts)
{
	struct stream s;

	stream_init(&s);
	ck_assert_uint_eq(regmutex_residency.storage_bits(&s.p), 384);
	ck_assert_uint_eq(regmutex_paired_residency.storage_bits(&s.p), 24);
	ck_assert_uint_eq(rfv_residency.storage_bits(&s.p), 30240 + 1024);
	ck_assert(!static_residency.storage_bits);
	stream_free(&s);
}
END_TEST

/* Figure 6: base sets one behind the other, then the sections. Each set is rotated, so it holds the same registers in another order. */
START_TEST(registers_lie_where_figure_6_has_them)
{
	const struct residency_ops *ops = _i ? &regmutex_paired_residency : &regmutex_residency;
	enum { R = 24, B = 18, E = R - B, WARPS = 40, OFFSET = B * WARPS };
	unsigned holds[64], n = 0;
	bool used[1024] = { false };
	struct bench b;

	bench(&b, ops, R, B, WARPS);
	for (unsigned w = 0; w < WARPS; w++) {
		holds[w] = UINT32_MAX;
		if (_i ? w % 2 == 0 : w % 3 != 1) {
			ck_assert_int_eq(ops->acquire(b.r, w), ACQUIRE_TAKEN);
			holds[w] = _i ? w / 2 : n++;            /* the first free one */
			ck_assert_int_eq(ops->acquire(b.r, w), ACQUIRE_HELD);
		}
	}
	for (unsigned w = 0; w < WARPS; w++)
		for (unsigned x = 0; x < (holds[w] == UINT32_MAX ? B : R); x++) {
			unsigned y = ops->map(b.r, w, x), from = x < B ? w * B : OFFSET + holds[w] * E, size = x < B ? B : E;

			ck_assert_uint_ge(y, from);
			ck_assert_uint_lt(y, from + size);
			ck_assert(!used[y]);
			used[y] = true;
			if (y != from)          /* one after the other, from the set's first bank on */
				ck_assert_uint_eq(ops->map(b.r, w, x < B ? (x + B - 1) % B : B + (x - B + E - 1) % E), y - 1);
		}
	stream_free(&b.s);
}
END_TEST

/* As under static allocation: register x of warp w in bank (x + w) mod 16, where the set does not wrap round. */
START_TEST(a_plain_kernel_lies_as_under_static_allocation)
{
	struct bench a, b;

	bench(&a, &static_residency, 20, 0, 48);
	bench(&b, _i ? &regmutex_paired_residency : &regmutex_residency, 20, 0, 48);
	for (unsigned w = 0; w < 48; w++)
		for (unsigned x = 0; x < 20; x++)
			ck_assert_uint_eq(b.ops->map(b.r, w, x), a.ops->map(a.r, w, x));
	for (unsigned n = 1; n <= 48; n++)
		ck_assert_uint_eq(b.ops->max_ctas(&b.s.p, b.s.k, n), a.ops->max_ctas(&a.s.p, a.s.k, n));
	stream_free(&a.s);
	stream_free(&b.s);
}
END_TEST

/* ---- CTAs ---- */
START_TEST(an_sm_holds_the_ctas_whose_base_sets_and_least_sections_fit)
{
	struct stream s;

	stream_init(&s);
	s.k->res.regs = REGS;
	s.k->base_regs = BASE;
	for (unsigned room = 0; room < 60; room++)
		for (unsigned w = 1; w < 5; w++) {
			unsigned one = 0, pairs = 0;

			s.p.rf_registers = WARP_LANES * room;
			while ((one + 1) * w * BASE + 4 <= room)
				one++;
			while ((pairs + 1) * w * BASE + ((pairs + 1) * w + 1) / 2 * 4 <= room)
				pairs++;
			ck_assert_uint_eq(regmutex_residency.max_ctas(&s.p, s.k, w), one);
			ck_assert_uint_eq(regmutex_paired_residency.max_ctas(&s.p, s.k, w), pairs);
		}
	stream_free(&s);
}
END_TEST

/* ---- acquire and release ---- */
START_TEST(a_warp_waits_while_another_one_holds_the_only_section)
{
	struct stream s;
	cycle got, back;

	variant(&s, _i ? "regmutex-paired" : "regmutex", 2, 1, 1);
	section(&s);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires, 2);
	ck_assert_uint_eq(s.st.rf_releases, 2);
	ck_assert_uint_eq(s.st.rf_acquires_held, 0);
	ck_assert_uint_eq(s.st.rf_acquires_first, 1);
	ck_assert_uint_eq(s.st.rf_acquire_tries, 3);
	/* Release, of whose registers none is written or read any more, and acquire take a cycle. */
	got = stream_when(s.issued, 1, 1, 0) - 1;
	back = stream_when(s.issued, 0, 2, 0) + 1;
	ck_assert_uint_gt(got, back);
	ck_assert_uint_gt(s.st.slots[STALL_RESIDENCY], 0);
	ck_assert_uint_ge(s.st.rf_acquire_wait_cycles, s.st.slots[STALL_RESIDENCY]);
	ck_assert_uint_eq(s.st.warp_instructions, 8);
	ck_assert_uint_eq(s.st.sp_instructions, 4);
	stream_free(&s);
}
END_TEST

START_TEST(warps_with_a_section_each_never_wait)
{
	struct stream s;
	cycle alone;

	variant(&s, "regmutex", 2, 1, 2);
	section(&s);
	section(&s);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_acquires_first, 4);
	ck_assert_uint_eq(s.st.rf_acquire_tries, 4);
	ck_assert_uint_eq(s.st.rf_acquire_wait_cycles, 0);
	ck_assert_uint_eq(s.st.slots[STALL_RESIDENCY], 0);
	alone = s.st.cycles;
	s.p.rf_registers -= WARP_LANES * (REGS - BASE);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(s.st.cycles, alone);
	stream_free(&s);
}
END_TEST

Suite *suite_regmutex_hw(void);
Suite *suite_regmutex_hw(void)
{
	Suite *s = suite_create("regmutex_hw");
	TCase *t = tcase_create("hardware");

	tcase_add_test(t, the_pool_has_the_sections_of_the_worked_example);
	tcase_add_test(t, storage_is_what_the_paper_counts);
	tcase_add_loop_test(t, registers_lie_where_figure_6_has_them, 0, 2);
	tcase_add_loop_test(t, a_plain_kernel_lies_as_under_static_allocation, 0, 2);
	tcase_add_test(t, an_sm_holds_the_ctas_whose_base_sets_and_least_sections_fit);
	tcase_add_loop_test(t, a_warp_waits_while_another_one_holds_the_only_section, 0, 2);
	tcase_add_test(t, warps_with_a_section_each_never_wait);
	suite_add_tcase(s, t);
	return s;
}

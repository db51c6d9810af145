/* Register virtualization: what an instruction's issue releases, and when that takes effect. */
#include "stream.h"

#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/core/rename.h"

extern const struct residency_ops rfv_residency, static_residency;

struct bench {
	struct arena a;
	struct diag d;
	struct pass_ctx cx;
	struct params p;
	struct stats st;
	struct rf_config rf;
	struct axes ax;
	struct kernel *k;
	struct residency *r;
	uint64_t now;
};

/* Lanes part at the branch: r2 is read on one side, r3 on the other, r1 behind them. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
	".reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d;\nld.param.u64 %d, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 7; "
	"mov.u32 %r3, 9;\n"
	"setp.lt.u32 %p, %r1, 5; @%p bra T;\nF: st.global.u32 [%d], %r2; bra J;\nT: st.global.u32 [%d+4], %r3;\n"
	"J: mov.u32 %r2, 3; st.global.u32 [%d+8], %r2; ret;\n}\n";

static void setup(struct bench *b)
{
	struct axis_ctx cx = { .params = &b->p,
			       .stats = &b->st,
			       .arena = &b->a,
			       .diag = &b->d,
			       .axes = &b->ax,
			       .warps = 48,
			       .warps_per_cta = 1,
			       .now = &b->now,
			       .checked = true };
	struct source src = { "k.ptx", ptx, sizeof ptx - 1 };
	struct module *m;

	memset(b, 0, sizeof *b);
	arena_init(&b->a);
	diag_init(&b->d, NULL);
	pass_ctx_init(&b->cx, &b->d);
	b->cx.opt.fold = false;
	b->cx.opt.schedule = SCHEDULE_NONE;
	ck_assert(params_machine(&b->p, "corf", &b->d));
	ck_assert(rf_config_parse(&b->rf, "rfv", &b->p, &b->d));
	b->ax.rf = &b->rf;
	m = ptx_parse(&src, &b->a, &b->d);
	ck_assert_msg(m && pass_compile(m->kernel[0], &b->cx), "%s", b->d.last);
	b->k = m->kernel[0];
	cx.kernel = b->k;
	b->ax.rename = rename_new(&cx);
	b->r = rfv_residency.create(&cx);
	ck_assert_ptr_nonnull(b->r);
}

static void teardown(struct bench *b)
{
	pass_ctx_free(&b->cx);
	diag_free(&b->d);
	arena_free(&b->a);
}

/* The n-th store to global memory. */
static uint32_t store(const struct bench *b, unsigned n)
{
	for (uint32_t i = 0; i < b->k->ninsn; i++)
		if (op_info[b->k->insn[i].op].flags & OPF_STORE && !n--)
			return i;
	ck_abort_msg("there is no such store");
	return 0;
}

static uint32_t block_of(const struct bench *b, uint32_t i)
{
	uint32_t x = 0;

	while (i >= b->k->block[x].first + b->k->block[x].n)
		x++;
	return x;
}

static unsigned stored(const struct bench *b, unsigned n) { return insn_src(b->k, &b->k->insn[store(b, n)])[1].val; }

static struct uop uop_of(const struct bench *b, uint32_t insn)
{
	struct uop u = { .insn = insn, .active = UINT32_MAX };
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(b->k, &b->k->insn[insn], use);

	for (unsigned x = 0; x < n; x++)
		if (use[x].reg < MREG_RZ)
			*(use[x].write ? &u.dst[u.ndst++] : &u.src[u.nsrc++]) = (uint8_t)use[x].reg;
	return u;
}

static void issue(struct bench *b, const struct uop *u)
{
	rename_issue(b->ax.rename, u);
	rfv_residency.issue(b->r, u);
}

static bool mapped(const struct bench *b, unsigned reg) { return rename_find(b->ax.rename, 0, reg)->mask != 0; }

static void map(struct bench *b, unsigned reg)
{
	if (!mapped(b, reg))
		rename_map(b->ax.rename, 0, reg, rename_search_file(b->ax.rename, 4, FIT_ANY));
}

START_TEST(a_register_goes_when_its_last_read_is_done)
{
	struct bench b;
	struct uop u;

	setup(&b);
	u = uop_of(&b, store(&b, 2));
	for (unsigned i = 0; i < u.nsrc; i++)
		map(&b, u.src[i]);
	ck_assert_uint_eq(rename_entries(b.ax.rename), u.nsrc);
	issue(&b, &u);
	for (unsigned i = 0; i < u.nsrc; i++) {
		ck_assert(mapped(&b, u.src[i]));
		rename_read(b.ax.rename, 0, u.src[i]);
		ck_assert(!mapped(&b, u.src[i]));
	}
	ck_assert_uint_eq(rename_entries(b.ax.rename), 0);
	teardown(&b);
}
END_TEST

START_TEST(a_side_leaves_what_waiting_lanes_read)
{
	struct bench b;
	struct uop u;
	unsigned r2, r3;

	setup(&b);
	r2 = stored(&b, 0);
	r3 = stored(&b, 1);
	map(&b, r2);
	map(&b, r3);
	u = uop_of(&b, store(&b, 1)); /* of r3, in T: the first of its block */
	ck_assert_uint_eq(b.k->block[block_of(&b, u.insn)].first, u.insn);
	issue(&b, &u);
	for (unsigned i = 0; i < u.nsrc; i++)
		rename_read(b.ax.rename, 0, u.src[i]);
	ck_assert(mapped(&b, r2) && !mapped(&b, r3));
	teardown(&b);
}
END_TEST

START_TEST(what_is_dead_on_entry_goes_unless_it_is_written_there)
{
	struct bench b;
	struct uop u, move;
	uint32_t j;
	unsigned r2, r3, made;

	setup(&b);
	r2 = stored(&b, 0);
	r3 = stored(&b, 1);
	j = block_of(&b, store(&b, 2));
	u = uop_of(&b, b.k->block[j].first); /* writes r2 anew, in some register */
	made = u.dst[0];
	map(&b, r2);
	map(&b, r3);
	map(&b, made);
	move = u;
	move.move = true;
	issue(&b, &move);
	rename_written(b.ax.rename, 0, made);
	ck_assert(mapped(&b, r2) && mapped(&b, r3));
	issue(&b, &u);
	ck_assert(mapped(&b, made));
	ck_assert_int_eq(mapped(&b, r2), r2 == made);
	ck_assert_int_eq(mapped(&b, r3), r3 == made);
	rename_written(b.ax.rename, 0, made);
	ck_assert(mapped(&b, made));
	teardown(&b);
}
END_TEST

START_TEST(a_kernel_without_release_points_is_refused)
{
	struct bench b;

	setup(&b);
	b.k->facts &= ~(unsigned)FACT_RELEASE;
	ck_assert_ptr_null(rfv_residency.create(&(struct axis_ctx){ .params = &b.p,
								    .stats = &b.st,
								    .arena = &b.a,
								    .diag = &b.d,
								    .axes = &b.ax,
								    .kernel = b.k,
								    .warps = 48,
								    .warps_per_cta = 1 }));
	ck_assert_ptr_nonnull(strstr(b.d.last, "release points"));
	ck_assert_uint_eq(rfv_residency.max_ctas(&b.p, b.k, 4), static_residency.max_ctas(&b.p, b.k, 4));
	teardown(&b);
}
END_TEST

Suite *suite_rfv(void);
Suite *suite_rfv(void)
{
	Suite *s = suite_create("rfv");
	TCase *t = tcase_create("rfv");

	tcase_add_test(t, a_register_goes_when_its_last_read_is_done);
	tcase_add_test(t, a_side_leaves_what_waiting_lanes_read);
	tcase_add_test(t, what_is_dead_on_entry_goes_unless_it_is_written_there);
	tcase_add_test(t, a_kernel_without_release_points_is_refused);
	suite_add_tcase(s, t);
	return s;
}

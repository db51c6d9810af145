/* Value similarity: what is counted of records written out by hand, in warps of 32 and of 64 lanes, and how launches
 * are read. */
#include "passes/uniform.h"
#include "runtime-model/similar/similar.h"
#include "test/unit/engine_run.h"

struct kit {
	struct arena a;
	struct kernel *k;
	struct similar_code *c;
	struct similar_warp *w;
	struct similar_wide *wide;
	struct similar_insn n[9];
};

enum { WRITE, READ, MIX, SELECT, COMPARE, WARPID, LOAD, CLOCK, UPDATE };

/* 0: R1 = R2; 1: R3 = R1; 2: R1 = R1 + R1; 3: R4 = P0 ? R2 : R2; 4: P0 = R1 == R1; 5: R1 = %warpid; 6: R3 = [R1]; 7: P0
 * = %clock == R1; 8: R2 = R5 */
static void kit_open(struct kit *t)
{
	static const struct {
		enum op op;
		int d, a, b, c;
	} code[] = {
		{ OP_MOV_B32, 1, 2, -1, -1 },          { OP_MOV_B32, 3, 1, -1, -1 },
		{ OP_ADD_S32, 1, 1, 1, -1 },           { OP_SELP_B32, 4, 2, 2, MREG_P0 },
		{ OP_SETP_EQ_B32, MREG_P0, 1, 1, -1 }, { OP_MOV_B32, 1, -1, -1, -1 },
		{ OP_LD_B32, 3, 1, -1, -1 },           { OP_SETP_EQ_B32, MREG_P0, -1, 1, -1 },
		{ OP_MOV_B32, 2, 5, -1, -1 },
	};

	memset(t, 0, sizeof *t);
	arena_init(&t->a);
	t->k = kernel_new(module_new(&t->a), "test");
	t->k->form = FORM_MACHINE;
	ir_block(t->k, NULL);
	for (unsigned x = 0; x < sizeof code / sizeof *code; x++) {
		struct insn *i = ir_append(t->k, code[x].op, op_info[code[x].op].ndst, op_info[code[x].op].nsrc);
		const int src[3] = { code[x].a, code[x].b, code[x].c };

		i->vec = 1;
		insn_dst(t->k, i)[0] = ref_reg((uint32_t)code[x].d);
		for (unsigned s = 0; s < op_info[code[x].op].nsrc && s < 3; s++)
			if (src[s] >= 0)
				insn_src(t->k, i)[s] = ref_reg((uint32_t)src[s]);
	}
	insn_src(t->k, &t->k->insn[WARPID])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_WARPID };
	insn_src(t->k, &t->k->insn[CLOCK])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_CLOCK };
	t->k->insn[LOAD].space = SP_SHARED;
	t->c = similar_decode(t->k, &t->a);
	t->w = similar_warp_new(t->c, &t->a);
	t->wide = similar_wide_new(t->c, &t->a);
}

static void kit_close(struct kit *t) { arena_free(&t->a); }

/* Its result has so many equal bytes in all lanes, in each half, in those that execute. */
static void step(struct kit *t, uint32_t insn, uint32_t active, unsigned all, unsigned half, unsigned executed)
{
	const struct value_sig sig = { .same_all = all & 7,
				       .same_lo = half & 7,
				       .same_hi = half & 7,
				       .same_active = executed & 7,
				       .delta = (4 - all) & 7 };

	ck_assert(similar_step(t->w, &(struct record){ .insn = insn, .active = active, .nsig = 1, .sig = &sig }, t->n));
}

#define FULL UINT32_MAX

START_TEST(a_read_counts_by_the_bytes_that_all_lanes_share)
{
	static const unsigned bdi[] = { 128, 128, 66, 35, 4 };
	struct kit t;

	kit_open(&t);
	step(&t, READ, FULL, 0, 0, 0); /* nothing has written R1 */
	step(&t, WRITE, FULL, (unsigned)_i, (unsigned)_i, (unsigned)_i);
	step(&t, READ, FULL, (unsigned)_i, (unsigned)_i, (unsigned)_i);
	step(&t, READ, 1, 0, 0, 4);
	ck_assert_uint_eq(t.n[READ].read[_i], 1 + (_i == 0));
	ck_assert_uint_eq(t.n[READ].read[0], 1 + (_i == 0));
	ck_assert_uint_eq(t.n[READ].read_divergent, 1);
	ck_assert_uint_eq(t.n[READ].divergent, 1);
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_SCALAR], _i == 4);
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_WHOLE], (unsigned)_i + 32 * (4 - (unsigned)_i));
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_HALVES], _i == 4 ? 4 : 2 * ((unsigned)_i + 16 * (4 - (unsigned)_i)));
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_BDI], bdi[_i]);
	kit_close(&t);
}
END_TEST

START_TEST(one_lane_executes_for_all_for_halves_or_for_the_active_ones)
{
	struct kit t;

	kit_open(&t);
	step(&t, WRITE, FULL, 4, 4, 4);
	step(&t, READ, FULL, 4, 4, 4);
	step(&t, WRITE, FULL, 0, 4, 0); /* two values */
	step(&t, READ, FULL, 0, 4, 0);
	step(&t, WRITE, 0xff, 0, 0, 4);
	step(&t, READ, 0xff, 0, 0, 4);
	step(&t, READ, 0x7f, 0, 0, 4); /* other lanes than those that were compared */
	/* in no lane: it is not divergent, and its operand counts by its register */
	step(&t, READ, 0, 0, 0, 0);
	ck_assert_uint_eq(t.n[READ].read_divergent, 2);
	ck_assert_uint_eq(t.n[READ].read[0], 2);
	ck_assert_uint_eq(t.n[READ].issued, 5);
	ck_assert_uint_eq(t.n[READ].idle, 1);
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_SCALAR], 1);
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_PARTS], 1);
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_DIVERGENT], 1);
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_VECTOR], 2);
	ck_assert_uint_eq(t.n[READ].lanes, 32 + 32 + 8 + 7);
	ck_assert_uint_eq(t.n[READ].needed, 1 + 2 + 1 + 7);
	kit_close(&t);
}
END_TEST

START_TEST(a_compressed_register_is_moved_before_some_of_its_lanes_are_written)
{
	struct kit t;

	kit_open(&t);
	step(&t, WRITE, FULL, 4, 4, 4);
	/* it reads the register too, which the move has left without its encoding */
	step(&t, MIX, 0xff, 0, 0, 4);
	ck_assert_uint_eq(t.n[MIX].moves[STORED_HALVES], 1);
	ck_assert_uint_eq(t.n[MIX].moves[STORED_WHOLE], 1);
	ck_assert_uint_eq(t.n[MIX].moves[STORED_BDI], 1);
	ck_assert_uint_eq(t.n[MIX].elided[STORED_HALVES], 0);
	ck_assert_uint_eq(t.n[MIX].how[SIMILAR_DIVERGENT], 0);
	step(&t, MIX, 0xff, 0, 0, 4); /* not compressed any more, and these lanes are alike */
	ck_assert_uint_eq(t.n[MIX].moves[STORED_HALVES], 1);
	ck_assert_uint_eq(t.n[MIX].how[SIMILAR_DIVERGENT], 1);
	step(&t, WRITE, FULL, 0, 3, 0); /* its halves alone are */
	step(&t, MIX, 1, 0, 0, 4);
	ck_assert_uint_eq(t.n[MIX].moves[STORED_HALVES], 2);
	ck_assert_uint_eq(t.n[MIX].moves[STORED_WHOLE], 1);
	kit_close(&t);
}
END_TEST

START_TEST(results_that_differ_where_one_lane_would_execute_break_the_rules)
{
	const struct value_sig differ = { .same_lo = 4 };
	struct kit t;

	kit_open(&t);
	step(&t, WRITE, FULL, 4, 4, 4);
	ck_assert(!similar_step(t.w, &(struct record){ .insn = READ, .active = FULL, .nsig = 1, .sig = &differ }, t.n));
	kit_close(&t);
}
END_TEST

/* ---- 64 lanes ---- */
/* A result of each part. */
static bool wide_step(struct kit *t, uint32_t insn, uint64_t active, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t part[4] = { a, b, c, d };
	uint32_t v[2][1][WARP_LANES];

	for (unsigned l = 0; l < 64; l++)
		v[l / 32][0][l % 32] = part[l / 16];
	return similar_wide_step(t->wide,
				 &(struct joined){ .insn = insn,
						   .active = active,
						   .value = { (const uint32_t(*)[WARP_LANES])v[0],
							      (const uint32_t(*)[WARP_LANES])v[1] } },
				 t->n);
}

START_TEST(two_scalars_of_32_lanes_are_parts_of_64)
{
	struct kit t;

	kit_open(&t);
	ck_assert(wide_step(&t, WRITE, UINT64_MAX, 7, 7, 7, 7) && wide_step(&t, READ, UINT64_MAX, 7, 7, 7, 7));
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_SCALAR], 1);
	ck_assert_uint_eq(t.n[READ].needed, 1);
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_HALVES], 4);
	ck_assert(wide_step(&t, WRITE, UINT64_MAX, 7, 7, 9, 9) && wide_step(&t, READ, UINT64_MAX, 7, 7, 9, 9));
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_PARTS], 1);
	ck_assert_uint_eq(t.n[READ].needed, 1 + 4);
	ck_assert_uint_eq(t.n[READ].read[3], 1);
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_HALVES], 4 + 16);
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_WHOLE], 4 + 3 + 64);
	ck_assert_uint_eq(t.n[WRITE].stored[STORED_BDI], 4 + 4 + 63);
	ck_assert(wide_step(&t, READ, UINT64_MAX, 1, 2, 3, 4)); /* four values of parts that each agree */
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_PARTS], 2);
	kit_close(&t);
}
END_TEST

START_TEST(a_predicate_of_several_parts_is_one_value_in_each)
{ /* compared part by part, it may differ from part to part */
	struct kit t;

	kit_open(&t);
	ck_assert(wide_step(&t, WRITE, UINT64_MAX, 7, 7, 9, 9));
	ck_assert(wide_step(&t, COMPARE, UINT64_MAX, 0, 0, 0, 0));
	ck_assert_uint_eq(t.n[COMPARE].how[SIMILAR_PARTS], 1);
	ck_assert(wide_step(&t, SELECT, UINT64_MAX, 1, 1, 2, 2));
	ck_assert_uint_eq(t.n[SELECT].how[SIMILAR_VECTOR], 1); /* R2 was not written, */
	ck_assert(wide_step(&t, UPDATE, UINT64_MAX, 5, 5, 5, 5) && wide_step(&t, SELECT, UINT64_MAX, 1, 1, 2, 2));
	ck_assert_uint_eq(t.n[SELECT].how[SIMILAR_PARTS], 1);
	ck_assert_uint_eq(t.n[SELECT].how[SIMILAR_SCALAR], 0); /* and is one value now, which alone would do */
	ck_assert(wide_step(&t, SELECT, 0x18000, 1, 1, 1, 1));
	ck_assert_uint_eq(t.n[SELECT].how[SIMILAR_DIVERGENT], 0);
	kit_close(&t);
}
END_TEST

START_TEST(what_is_of_a_warp_is_no_scalar_of_two)
{
	struct kit t;

	kit_open(&t);
	ck_assert(wide_step(&t, WARPID, UINT64_MAX, 2, 2, 3, 3));
	ck_assert_uint_eq(t.n[WARPID].how[SIMILAR_PARTS], 1);
	ck_assert_uint_eq(t.n[WARPID].needed, 4);
	ck_assert(wide_step(&t, WARPID, UINT32_MAX, 2, 2, 9, 9)); /* in one of them it is */
	ck_assert_uint_eq(t.n[WARPID].how[SIMILAR_DIVERGENT], 1);
	ck_assert(wide_step(&t, WARPID, UINT64_C(0x100000001), 2, 2, 3, 3));
	ck_assert_uint_eq(t.n[WARPID].how[SIMILAR_VECTOR], 1);
	ck_assert(wide_step(&t, WRITE, UINT64_MAX, 7, 7, 7, 7) && wide_step(&t, CLOCK, UINT64_MAX, 0, 0, 0, 0));
	ck_assert_uint_eq(t.n[CLOCK].how[SIMILAR_PARTS], 1);
	ck_assert(wide_step(&t, SELECT, UINT64_MAX, 1, 1, 2, 2)); /* by clocks of two warps */
	ck_assert_uint_eq(t.n[SELECT].how[SIMILAR_VECTOR], 1);
	kit_close(&t);
}
END_TEST

START_TEST(two_warps_may_load_different_values_from_one_address)
{
	const uint64_t some = UINT64_C(0x0000000f0000000f);
	struct kit t;

	kit_open(&t);
	ck_assert(wide_step(&t, WRITE, UINT64_MAX, 7, 7, 7, 7) && wide_step(&t, LOAD, UINT64_MAX, 1, 1, 1, 1));
	ck_assert_uint_eq(t.n[LOAD].how[SIMILAR_SCALAR], 1);
	ck_assert(wide_step(&t, LOAD, UINT64_MAX, 1, 1, 2, 2));
	ck_assert_uint_eq(t.n[LOAD].how[SIMILAR_PARTS], 1);
	ck_assert_uint_eq(t.n[LOAD].needed, 1 + 4);
	ck_assert(wide_step(&t, LOAD, some, 1, 0, 1, 0) && wide_step(&t, LOAD, some, 1, 0, 2, 0));
	ck_assert_uint_eq(t.n[LOAD].how[SIMILAR_DIVERGENT], 1);
	ck_assert_uint_eq(t.n[LOAD].how[SIMILAR_VECTOR], 1);
	ck_assert(!wide_step(&t, LOAD, UINT64_MAX, 1, 3, 2, 2)); /* those of one warp are of one time */
	ck_assert(!wide_step(&t, READ, UINT64_MAX, 1, 1, 2, 2)); /* and what reads no memory has one result */
	kit_close(&t);
}
END_TEST

START_TEST(lanes_of_both_halves_that_agree_are_one_divergent_scalar)
{
	uint64_t some = UINT64_C(0x0000000f00000001);
	struct kit t;

	kit_open(&t);
	ck_assert(wide_step(&t, WRITE, some, 5, 6, 5, 6) && wide_step(&t, READ, some, 5, 6, 5, 6));
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_DIVERGENT], 1);
	ck_assert_uint_eq(t.n[READ].lanes, 5);
	ck_assert_uint_eq(t.n[READ].needed, 1);
	ck_assert(wide_step(&t, WRITE, some, 5, 6, 8, 6) && wide_step(&t, READ, some, 5, 6, 8, 6));
	ck_assert_uint_eq(t.n[READ].how[SIMILAR_DIVERGENT], 1);
	kit_close(&t);
}
END_TEST

/* ---- launches ---- */
#define LAUNCH_CODE                                                                                                   \
	KERNEL("setp.lt.u32 %p0, %r0, 40; @%p0 add.u32 %r39, %r39, 1; add.u32 %r3, %r0, %r39; mov.u32 %r5, %laneid; " \
	       "add.u32 %r3, %r3, %r5; st.global.u32 [%d0], %r3;")

static bool launch(struct rig *r, unsigned threads, const struct similar_options *o, struct similar_kernel *s,
		   struct engine_counts *n)
{
	struct stopped stopped;
	struct engine *e;
	bool ok, bug = false;

	r->opt.consumers = 1;
	r->opt.want = similar_wants(o);
	r->l.block[0] = threads;
	r->l.grid[0] = 3;
	*s = similar_kernel_new(r->k, &r->a);
	e = rig_engine(r);
	ok = similar_launch(e, &r->l, o, s, n, &stopped, &bug, &r->d);
	engine_free(e);
	ck_assert(!bug);
	return ok;
}

START_TEST(a_launch_in_wide_warps_executes_the_same_lanes)
{
	struct similar_kernel narrow, wide;
	struct engine_counts n, m;
	struct similar_insn x, y;
	struct rig r;

	rig_open(&r, LAUNCH_CODE, 63);
	ck_assert_msg(pass_need(r.k, FACT_UNIFORM, &r.cx), "%s", r.d.last);
	ck_assert_msg(launch(&r, 80, &(struct similar_options){ .lanes = 32, .proofs = _i & 1 }, &narrow, &n), "%s",
		      r.d.last);
	ck_assert_msg(launch(&r, 80, &(struct similar_options){ .lanes = 64, .proofs = _i & 1 }, &wide, &m), "%s",
		      r.d.last);
	x = similar_sum(&narrow, SCALAR_CLASSES);
	y = similar_sum(&wide, SCALAR_CLASSES);
	ck_assert_uint_eq(n.warp_insns, m.warp_insns);
	ck_assert_uint_eq(x.issued, n.warp_insns);
	ck_assert_uint_eq(x.issued % 3, 0);
	ck_assert_uint_eq(x.issued, 3 * (y.issued / 2)); /* three warps make two */
	ck_assert_uint_eq(x.lanes, y.lanes);
	ck_assert_uint_eq(x.lanes, n.thread_insns);
	ck_assert_uint_gt(x.proven[0], 0);
	ck_assert_uint_eq(x.found[0], x.how[SIMILAR_SCALAR]);
	ck_assert_uint_gt(narrow.compared, 0);
	ck_assert_uint_eq(narrow.compared, wide.compared);
	ck_assert(!narrow.apart && !wide.apart);
	rig_close(&r);
}
END_TEST

START_TEST(a_launch_in_other_blocks_is_not_compared)
{
	struct similar_kernel s;
	struct engine_counts n;
	struct similar_insn x;
	struct rig r;

	rig_open(&r, LAUNCH_CODE, 63);
	ck_assert_msg(pass_need(r.k, FACT_UNIFORM, &r.cx), "%s", r.d.last);
	((struct uniform *)(uintptr_t)r.k->uniform)->block[0] = 64;
	ck_assert_msg(launch(&r, 80, &(struct similar_options){ .lanes = 32, .proofs = _i }, &s, &n), "%s", r.d.last);
	x = similar_sum(&s, SCALAR_CLASSES);
	ck_assert_uint_gt(x.how[SIMILAR_SCALAR], 0);
	ck_assert(s.apart == 1 && !s.compared && !x.found[0] && !x.found[1] && !x.proven[0] && !x.both[0]);
	rig_close(&r);
}
END_TEST

START_TEST(a_value_that_contradicts_a_proof_fails_the_launch)
{
	static const char *const said[] = { "not the same in the lanes", "not the same in the lanes",
					    "has another stride", "not affine with that stride" };
	struct similar_kernel s;
	struct engine_counts n;
	struct rig r;
	unsigned changed = 0;

	rig_open(&r, LAUNCH_CODE, 63);
	ck_assert(pass_need(r.k, FACT_UNIFORM, &r.cx));
	for (uint32_t i = 0; i < r.k->ninsn; i++) {
		struct insn_regs regs;
		struct uniform_value *v;

		ir_insn_regs(r.k, &r.k->insn[i], &regs);
		v = (struct uniform_value *)(uintptr_t)uniform_dst(r.k->uniform, i, &regs, 0);
		if (regs.ndst != 1 || v->level || !v->known)
			continue;
		if (_i % 4 < 2)
			*v = (struct uniform_value){ .level = UNIFORM_WARP };
		else
			v->stride += 4;
		changed++;
	}
	ck_assert_uint_gt(changed, 0);
	ck_assert(!launch(&r, _i < 8 ? 80 : 20,
			  &(struct similar_options){ .lanes = _i % 8 < 4 ? 32 : 64, .proofs = _i & 1 }, &s, &n));
	ck_assert_msg(strstr(r.d.last, said[_i % 4]), "%s", r.d.last);
	ck_assert(strstr(r.d.last, "instruction ") && strstr(r.d.last, "; in CTA 0") &&
		  (!(_i & 1) || strstr(r.d.last, "lane 1 has 0x")));
	rig_close(&r);
}
END_TEST

Suite *suite_similar(void);
Suite *suite_similar(void)
{
	Suite *s = suite_create("similar");
	TCase *t = tcase_create("similar");

	tcase_add_loop_test(t, a_read_counts_by_the_bytes_that_all_lanes_share, 0, 5);
	tcase_add_test(t, one_lane_executes_for_all_for_halves_or_for_the_active_ones);
	tcase_add_test(t, a_compressed_register_is_moved_before_some_of_its_lanes_are_written);
	tcase_add_test(t, results_that_differ_where_one_lane_would_execute_break_the_rules);
	tcase_add_test(t, two_scalars_of_32_lanes_are_parts_of_64);
	tcase_add_test(t, a_predicate_of_several_parts_is_one_value_in_each);
	tcase_add_test(t, what_is_of_a_warp_is_no_scalar_of_two);
	tcase_add_test(t, two_warps_may_load_different_values_from_one_address);
	tcase_add_test(t, lanes_of_both_halves_that_agree_are_one_divergent_scalar);
	tcase_add_loop_test(t, a_launch_in_wide_warps_executes_the_same_lanes, 0, 2);
	tcase_add_loop_test(t, a_value_that_contradicts_a_proof_fails_the_launch, 0, 16);
	tcase_add_loop_test(t, a_launch_in_other_blocks_is_not_compared, 0, 2);
	suite_add_tcase(s, t);
	return s;
}

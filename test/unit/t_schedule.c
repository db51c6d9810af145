/* Scheduling: dependences kept, latencies hidden, registers not wasted. */
#include "test/unit/backend_kit.h"

static struct kit t;

static void setup(void) { kit_open(&t); }
static void setup_orf(void)
{
	kit_open(&t);
	t.cx.opt.schedule = SCHEDULE_ORF;
}
static void teardown(void) { kit_close(&t); }

static void run(void)
{
	ck_assert_msg(ir_verify(t.k, &t.diag), "%s", t.diag.last);
	ck_assert_msg(pass_run(t.k, PASS_ID_schedule, &t.cx), "%s", t.diag.last);
}

/* Positions of the instructions by what they were before: where[j] is the place of old instruction j (by text
 * offset). */
static void number(void)
{
	for (uint32_t j = 0; j < t.k->ninsn; j++)
		t.k->insn[j].where = j;
}

static uint32_t place(uint32_t old)
{
	for (uint32_t j = 0; j < t.k->ninsn; j++)
		if (t.k->insn[j].where == old)
			return j;
	ck_abort_msg("instruction %u is gone", old);
	return 0;
}

START_TEST(loads_move_up_and_their_uses_down)
{
	struct ref a, v[3], s;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	s = kit_reg(&t, RC_32);
	for (unsigned i = 0; i < 3; i++)
		v[i] = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B64, a, kit_imm(&t, GLOBAL_START));
	KIT2(&t, OP_MOV_B32, s, kit_imm(&t, 0));
	for (unsigned i = 0; i < 3; i++) {
		kit_load(&t, OP_LD_B32, SP_GLOBAL, v[i], a, 4 * (int)i);
		KIT3(&t, OP_ADD_S32, s, s, v[i]);
	}
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 64, s);
	KIT1(&t, OP_RET, ref_none());
	number();
	run();
	ck_assert_uint_lt(place(6), place(3)); /* the last load before the first sum */
	ck_assert_uint_lt(place(7), place(8));
	ck_assert_uint_eq(place(9), 9); /* the terminator stays last */
}
END_TEST

/* Two memory accesses with something slow between that would like to pass: index picks the pair. */
START_TEST(memory_order_is_kept_where_it_matters)
{
	static const struct {
		enum space a, b;
		int off_a, off_b;
		bool same_base, store_a, store_b, is_volatile, kept;
	} row[] = {
		{ SP_GLOBAL, SP_GLOBAL, 0, 0, true, true, false, false, true },   /* store, load of the same */
		{ SP_GLOBAL, SP_GLOBAL, 0, 4, true, true, false, false, false },  /* same base, apart */
		{ SP_GLOBAL, SP_GLOBAL, 0, 2, true, true, false, false, true },   /* overlapping */
		{ SP_GLOBAL, SP_GLOBAL, 0, 4, false, true, false, false, true },  /* other base: unknown */
		{ SP_SHARED, SP_GLOBAL, 0, 0, false, true, false, false, false }, /* spaces apart */
		{ SP_SHARED, SP_GENERIC, 0, 0, false, true, false, false, true }, /* generic may be shared */
		{ SP_GLOBAL, SP_GLOBAL, 0, 0, true, false, false, false, false }, /* loads pass loads */
		{ SP_GLOBAL, SP_GLOBAL, 0, 8, true, false, false, true, true },   /* but not volatile ones */
	};
	struct ref a, b, s, d, x, y;
	uint32_t first, second;

	ir_block(t.k, NULL);
	a = kit_reg(&t, row[_i].a == SP_SHARED ? RC_32 : RC_64);
	b = kit_reg(&t, RC_64);
	s = kit_reg(&t, RC_32);
	d = kit_reg(&t, RC_32);
	x = kit_reg(&t, RC_32);
	y = kit_reg(&t, RC_32);
	KIT2(&t, row[_i].a == SP_SHARED ? OP_MOV_B32 : OP_MOV_B64, a, kit_imm(&t, 64));
	KIT2(&t, OP_MOV_B64, b, kit_imm(&t, 128));
	KIT2(&t, OP_MOV_B32, s, kit_sreg(SREG_TID_X));
	/* the first access waits for a division, the second could go at once */
	KIT3(&t, OP_DIV_U32, d, s, kit_imm(&t, 7));
	if (row[_i].store_a) {
		kit_store(&t, OP_ST_B32, row[_i].a, a, row[_i].off_a, d);
	} else {
		struct ref w = kit_reg(&t, RC_64), base = kit_reg(&t, RC_64);

		KIT2(&t, OP_CVT_U64_U32, w, d);
		KIT3(&t, OP_ADD_S64, base, w, a);
		kit_load(&t, OP_LD_B32, row[_i].a, x, base, row[_i].off_a);
	}
	first = t.k->ninsn - 1;
	if (row[_i].store_b)
		kit_store(&t, OP_ST_B32, row[_i].b, b, row[_i].off_b, s);
	else
		kit_load(&t, OP_LD_B32, row[_i].b, y, row[_i].same_base ? a : b, row[_i].off_b);
	second = t.k->ninsn - 1;
	t.k->insn[second].mods = t.k->insn[first].mods = row[_i].is_volatile ? MOD_VOLATILE : 0;
	KIT3(&t, OP_ADD_S32, x, x, y);
	KIT3(&t, OP_DIV_U32, x, x, kit_imm(&t, 3));
	kit_store(&t, OP_ST_B32, SP_GLOBAL, b, 512, x);
	KIT1(&t, OP_RET, ref_none());
	number();
	run();
	/* which alone has a reason to swap the others */
	if (row[_i].kept || t.cx.opt.schedule == SCHEDULE_LATENCY)
		ck_assert_msg((place(first) < place(second)) == row[_i].kept, "row %d", _i);
}
END_TEST

START_TEST(a_load_over_its_own_base_still_orders_what_follows)
{
	struct ref a, v;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	v = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B64, a, kit_imm(&t, GLOBAL_START));
	KIT2(&t, OP_MOV_B32, v, kit_imm(&t, 1));
	kit_load(&t, OP_LD_B64, SP_GLOBAL, a, a, 0);
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 8, v); /* another base: may hit what the load read */
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 12, v);
	KIT1(&t, OP_RET, ref_none());
	number();
	run();
	ck_assert_uint_lt(place(2), place(3));
	ck_assert_uint_lt(place(2), place(4));
}
END_TEST

START_TEST(barriers_and_side_effects_stay_in_order)
{
	struct ref a, v, w, m, c;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	v = kit_reg(&t, RC_32);
	w = kit_reg(&t, RC_32);
	m = kit_reg(&t, RC_32);
	c = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, a, kit_imm(&t, 0));
	KIT2(&t, OP_MOV_B32, v, kit_sreg(SREG_TID_X));
	KIT2(&t, OP_MOV_B32, c, kit_sreg(SREG_CLOCK));
	KIT3(&t, OP_DIV_U32, v, v, kit_imm(&t, 9));
	kit_store(&t, OP_ST_B32, SP_SHARED, a, 0, v);
	KIT2(&t, OP_BAR_SYNC, kit_imm(&t, 0), kit_imm(&t, 0));
	kit_load(&t, OP_LD_B32, SP_SHARED, w, a, 4);
	KIT1(&t, OP_ACTIVEMASK, m);
	KIT2(&t, OP_MOV_B32, m, kit_sreg(SREG_CLOCK));
	KIT3(&t, OP_ADD_S32, w, w, m);
	KIT3(&t, OP_ADD_S32, w, w, c);
	kit_store(&t, OP_ST_B32, SP_SHARED, a, 8, w);
	KIT1(&t, OP_RET, ref_none());
	number();
	run();
	ck_assert_uint_lt(place(2), place(4));
	ck_assert_uint_lt(place(4), place(5));
	ck_assert_uint_lt(place(5), place(6));
	ck_assert_uint_lt(place(5), place(7));
	ck_assert_uint_lt(place(7), place(8));
}
END_TEST

static uint32_t most_live(void)
{
	ck_assert_msg(pass_need(t.k, FACT_LIVE, &t.cx), "%s", t.diag.last);
	return t.k->live->max_live32;
}

START_TEST(many_independent_loads_do_not_break_the_register_limit)
{
	struct ref a, v, s;

	t.cx.opt.maxreg = 16;
	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	s = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B64, a, kit_imm(&t, GLOBAL_START));
	KIT2(&t, OP_MOV_B32, s, kit_imm(&t, 0));
	for (unsigned i = 0; i < 100; i++) {
		v = kit_reg(&t, RC_32);
		kit_load(&t, OP_LD_B32, SP_GLOBAL, v, a, 4 * (int)i);
		KIT3(&t, OP_ADD_S32, s, s, v);
	}
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 0, s);
	KIT1(&t, OP_RET, ref_none());
	ck_assert_uint_eq(most_live(), 4);
	run();
	ck_assert_uint_gt(most_live(), 4);  /* loads were overlapped ... */
	ck_assert_uint_le(most_live(), 16); /* ... as far as registers go */
}
END_TEST

/* Index: seed. Results stay; a schedule that lifts the pressure stays under the limit. */
START_TEST(random_kernels_compute_the_same_in_their_new_order)
{
	static const unsigned limits[] = { 63, 32, 16 };
	struct kit_run *was = new(&t.arena, struct kit_run), *is = new(&t.arena, struct kit_run);
	uint64_t seed = 1000 + (uint64_t)_i;
	uint32_t before, after;

	t.cx.opt.maxreg = limits[_i % 3];
	kit_random(&t, seed, 4 + (unsigned)_i % 13, 2 + (unsigned)_i % 5, 2 + (unsigned)_i % 4, 80);
	kit_execute(was, t.k, seed, 3);
	ck_assert_msg(!was->fault, "seed %d: %s", _i, was->fault);
	/* as in the pipeline: a dead result takes a register too */
	ck_assert(pass_run(t.k, PASS_ID_dce, &t.cx));
	before = most_live();
	run();
	after = most_live();
	ck_assert_msg(after <= before || after <= t.cx.opt.maxreg, "seed %d: %u live, %u before", _i, after, before);
	kit_execute(is, t.k, seed, 3);
	ck_assert_msg(!is->fault, "seed %d: %s", _i, is->fault);
	ck_assert_msg(!memcmp(was->global, is->global, KIT_GLOBAL) && !memcmp(was->shared, is->shared, KIT_SHARED),
		      "seed %d", _i);
}
END_TEST

/* Four sums of squares, each product made long before it is used, and loads between them: values come to their uses,
 * loads to the start. */
START_TEST(values_come_to_their_uses_and_loads_to_the_start)
{
	struct ref a, in[4], sq[4], s;
	uint32_t load[4], mul[4], add[4];

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	s = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B64, a, kit_imm(&t, GLOBAL_START));
	KIT2(&t, OP_MOV_B32, s, kit_imm(&t, 0));
	for (unsigned i = 0; i < 4; i++) {
		in[i] = kit_reg(&t, RC_32);
		sq[i] = kit_reg(&t, RC_32);
		load[i] = t.k->ninsn;
		kit_load(&t, OP_LD_B32, SP_GLOBAL, in[i], a, 4 * (int)i);
		mul[i] = t.k->ninsn;
		KIT3(&t, OP_MUL_LO_S32, sq[i], in[i], in[i]);
	}
	for (unsigned i = 0; i < 4; i++) {
		add[i] = t.k->ninsn;
		KIT3(&t, OP_ADD_S32, s, s, sq[i]);
	}
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 64, s);
	KIT1(&t, OP_RET, ref_none());
	number();
	run();
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_uint_le(place(load[i]), 5);
		ck_assert_uint_le(place(mul[i]) + (i ? 1 : 2), place(add[i]));
		ck_assert_uint_gt(place(mul[i]) + 3, place(add[i]));
	}
}
END_TEST

/* Where registers run short, loads come in batches, each with its uses behind it, and not one by one. */
START_TEST(loads_come_in_batches_where_registers_run_short)
{
	struct ref a, v, s;
	uint32_t runs = 0;

	t.cx.opt.maxreg = 16;
	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	s = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B64, a, kit_imm(&t, GLOBAL_START));
	KIT2(&t, OP_MOV_B32, s, kit_imm(&t, 0));
	for (unsigned i = 0; i < 60; i++) {
		v = kit_reg(&t, RC_32);
		kit_load(&t, OP_LD_B32, SP_GLOBAL, v, a, 4 * (int)i);
		KIT3(&t, OP_ADD_S32, s, s, v);
	}
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 0, s);
	KIT1(&t, OP_RET, ref_none());
	run();
	for (uint32_t i = 1; i < t.k->ninsn; i++)
		runs += insn_is_long(&t.k->insn[i]) && !insn_is_long(&t.k->insn[i - 1]);
	ck_assert_uint_ge(runs, 4);
	ck_assert_uint_le(runs, 10);
}
END_TEST

START_TEST(nothing_crosses_a_clock_read)
{
	struct ref a, b, from, to;
	uint32_t at[2], n = 0;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	from = kit_reg(&t, RC_32);
	to = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, a, kit_imm(&t, 3));
	KIT2(&t, OP_MOV_B32, from, ((struct ref){ .kind = REF_SREG, .val = SREG_CLOCK }));
	for (unsigned i = 0; i < 20; i++)
		KIT3(&t, OP_ADD_S32, a, a, a);
	KIT2(&t, OP_MOV_B32, to, ((struct ref){ .kind = REF_SREG, .val = SREG_CLOCK }));
	KIT3(&t, OP_SUB_S32, b, to, from);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, b);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 4, a);
	KIT1(&t, OP_RET, ref_none());
	run();
	for (uint32_t i = 0; i < t.k->ninsn; i++)
		if (insn_src(t.k, &t.k->insn[i])->kind == REF_SREG)
			at[n++ & 1] = i;
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(at[1] - at[0], 21);
}
END_TEST

START_TEST(long_blocks_are_scheduled_piece_by_piece)
{
	struct kit_run *was = new(&t.arena, struct kit_run), *is = new(&t.arena, struct kit_run);
	struct kit_gen g = { .t = &t, .seed = 77, .nr = 10, .nd = 4, .np = 3 };

	for (unsigned p = 0; p < KIT_PARAMS / 8; p++)
		kit_param(&t, TY_U64, 8);
	ir_block(t.k, NULL);
	g.base = kit_reg(&t, RC_64);
	kit_load(&t, OP_LD_B64, SP_PARAM, g.base, ref_const(0, PARAM_BASE), 0);
	for (unsigned i = 0; i < g.nr; i++)
		KIT2(&t, OP_MOV_B32, g.r[i] = kit_reg(&t, RC_32), kit_imm(&t, i));
	for (unsigned i = 0; i < g.nd; i++)
		KIT2(&t, OP_MOV_B64, g.d[i] = kit_reg(&t, RC_64), kit_imm(&t, i));
	for (unsigned i = 0; i < g.np; i++)
		KIT3(&t, OP_SETP_EQ_B32, g.p[i] = kit_reg(&t, RC_PRED), g.r[i], kit_imm(&t, 1));
	while (t.k->ninsn < 3000)
		kit_random_insn(&g);
	for (unsigned i = 0; i < g.nr; i++)
		kit_store(&t, OP_ST_B32, SP_GLOBAL, g.base, 4 * (int)i, g.r[i]);
	KIT1(&t, OP_RET, ref_none());
	kit_execute(was, t.k, 5, 2);
	run();
	kit_execute(is, t.k, 5, 2);
	ck_assert(!was->fault && !is->fault);
	ck_assert_mem_eq(was->global, is->global, KIT_GLOBAL);
}
END_TEST

Suite *suite_schedule(void);
Suite *suite_schedule(void)
{
	Suite *s = suite_create("schedule");
	static const struct {
		const char *name;
		void (*setup)(void);
	} way[] = { { "latency", setup }, { "orf", setup_orf } };

	for (unsigned w = 0; w < 2; w++) {
		TCase *c = tcase_create(way[w].name);

		tcase_add_checked_fixture(c, way[w].setup, teardown);
		tcase_add_test(c, loads_move_up_and_their_uses_down);
		tcase_add_loop_test(c, memory_order_is_kept_where_it_matters, 0, 8);
		tcase_add_test(c, a_load_over_its_own_base_still_orders_what_follows);
		tcase_add_test(c, barriers_and_side_effects_stay_in_order);
		tcase_add_test(c, many_independent_loads_do_not_break_the_register_limit);
		tcase_add_loop_test(c, random_kernels_compute_the_same_in_their_new_order, 0, 200);
		tcase_add_test(c, nothing_crosses_a_clock_read);
		tcase_add_test(c, long_blocks_are_scheduled_piece_by_piece);
		if (w) {
			tcase_add_test(c, values_come_to_their_uses_and_loads_to_the_start);
			tcase_add_test(c, loads_come_in_batches_where_registers_run_short);
		}
		suite_add_tcase(s, c);
	}
	return s;
}

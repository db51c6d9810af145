/* Value usage: what the masks count of records written out by hand, and how launches are read. */
#include "runtime-model/usage/usage.h"
#include "test/unit/engine_run.h"

struct kit {
	struct arena a;
	struct kernel *k;
	struct usage_code c;
	struct usage_warp *w;
	struct usage u;
};

static void kit_open(struct kit *t)
{
	memset(t, 0, sizeof *t);
	arena_init(&t->a);
	t->k = kernel_new(module_new(&t->a), "test");
	t->k->form = FORM_MACHINE;
	ir_block(t->k, NULL);
}

/* Over registers, -1: none. Its index. */
static uint32_t kit_insn(struct kit *t, enum op op, int d, int a, int b)
{
	const int src[2] = { a, b };
	struct insn *i = ir_append(t->k, op, op_info[op].ndst, op_info[op].nsrc);

	i->vec = 1;
	i->space = SP_SHARED;
	if (d >= 0)
		insn_dst(t->k, i)[0] = ref_reg((uint32_t)d);
	for (unsigned n = 0; n < 2; n++)
		if (src[n] >= 0)
			insn_src(t->k, i)[n] = ref_reg((uint32_t)src[n]);
	return (uint32_t)(i - t->k->insn);
}

static void kit_begin(struct kit *t)
{
	t->c = usage_decode(t->k, &t->a);
	t->w = usage_warp_new(&t->c, &t->a);
}

static void step(struct kit *t, uint32_t insn, uint32_t active) { usage_step(t->w, &t->c, insn, active, &t->u); }

static void kit_end(struct kit *t)
{
	usage_end(t->w, &t->c, &t->u);
	ck_assert_uint_eq(usage_values(&t->u), t->u.writes);
	ck_assert_uint_eq(t->u.by_life[0] + t->u.by_life[1] + t->u.by_life[2] + t->u.by_life[3], t->u.by_reads[1]);
}

static void kit_close(struct kit *t) { arena_free(&t->a); }

/* Instruction 0 writes R1, 1 reads it, 2 reads and writes other registers. */
static void kit_write_read(struct kit *t)
{
	kit_open(t);
	kit_insn(t, OP_MOV_B32, 1, -1, -1);
	kit_insn(t, OP_MOV_B32, 2, 1, -1);
	kit_insn(t, OP_MOV_B32, 4, 3, -1);
	kit_begin(t);
}

START_TEST(reads_of_a_value_are_counted_up_to_more_than_two)
{
	struct kit t;
	unsigned at = _i < 3 ? (unsigned)_i : 3;

	kit_write_read(&t);
	step(&t, 0, 1);
	for (int n = 0; n < _i; n++)
		step(&t, 1, 1);
	step(&t, 0, 2); /* another lane's ends nothing */
	/* its own does; that one and lane 1's are never read, nor are those in R2 */
	step(&t, 0, 1);
	usage_end(t.w, &t.c, &t.u);
	ck_assert_uint_eq(t.u.writes, 3 + (unsigned)_i);
	ck_assert_uint_eq(t.u.by_reads[at], at == 0 ? 3 : 1);
	ck_assert_uint_eq(usage_values(&t.u), t.u.writes);
	kit_close(&t);
}
END_TEST

START_TEST(the_next_instruction_finds_a_lifetime_of_one)
{
	struct kit t;

	kit_write_read(&t);
	step(&t, 0, UINT32_MAX);
	for (int n = 0; n < _i; n++)
		step(&t, 2, UINT32_MAX);
	step(&t, 1, UINT32_MAX);
	kit_end(&t);
	ck_assert_uint_eq(t.u.by_reads[1], 32);
	ck_assert_uint_eq(t.u.by_life[_i < 3 ? _i : 3], 32);
	kit_close(&t);
}
END_TEST

START_TEST(a_second_read_leaves_no_lifetime)
{
	struct kit t;

	kit_write_read(&t);
	step(&t, 0, UINT32_MAX);
	step(&t, 1, UINT32_MAX);
	step(&t, 1, 0xff);
	kit_end(&t);
	ck_assert_uint_eq(t.u.by_reads[1], 24);
	ck_assert_uint_eq(t.u.by_life[0], 24);
	ck_assert_uint_eq(t.u.by_reads[2], 8);
	kit_close(&t);
}
END_TEST

/* Lanes 0 and 1 execute another instruction between, lane 2 three, the others none: each has its own time. */
START_TEST(time_is_the_lanes_own)
{
	struct kit t;

	kit_write_read(&t);
	step(&t, 0, 0xf);
	step(&t, 2, 0x7);
	step(&t, 2, 0x4);
	step(&t, 2, 0x4);
	step(&t, 2, 0); /* a guard that is false everywhere */
	step(&t, 1, 0xf);
	kit_end(&t);
	ck_assert_uint_eq(t.u.by_life[0], 1);
	ck_assert_uint_eq(t.u.by_life[1], 2);
	ck_assert_uint_eq(t.u.by_life[2], 0);
	ck_assert_uint_eq(t.u.by_life[3], 1);
	ck_assert_uint_eq(t.u.warp_insns, 6);
	ck_assert_uint_eq(t.u.thread_insns, 4 + 3 + 1 + 1 + 4);
	kit_close(&t);
}
END_TEST

/* While some lanes wait, the other side writes the same register over and over. */
START_TEST(a_waiting_lane_keeps_its_value_and_its_age)
{
	struct kit t;

	kit_write_read(&t);
	step(&t, 0, 0xffff);
	for (unsigned n = 0; n < 10; n++) {
		step(&t, 0, 0x00ff);
		step(&t, 1, 0x00ff);
	}
	step(&t, 1, 0xff00);
	kit_end(&t);
	ck_assert_uint_eq(t.u.by_reads[1], 80 + 8);
	ck_assert_uint_eq(t.u.by_life[0], 88);
	ck_assert_uint_eq(t.u.by_reads[0], 8 + 88); /* the first of lanes 0 to 7; all in R2 */
	kit_close(&t);
}
END_TEST

START_TEST(an_operand_named_twice_is_one_read_and_a_pair_is_two_values)
{
	struct kit t;

	kit_open(&t);
	kit_insn(&t, OP_MUL_F32, 2, 1, 1);
	kit_insn(&t, OP_ADD_F64, 4, 6, 8);
	kit_insn(&t, OP_ADD_F64, 4, 4, 4);
	kit_begin(&t);
	step(&t, 0, 1);
	ck_assert_uint_eq(t.u.reads, 1);
	ck_assert_uint_eq(t.u.unwritten, 1);
	step(&t, 1, 1);
	ck_assert_uint_eq(t.u.reads, 5);
	ck_assert_uint_eq(t.u.writes, 3);
	step(&t, 2, 1);
	kit_end(&t);
	ck_assert_uint_eq(t.u.unwritten, 5);
	ck_assert_uint_eq(t.u.by_reads[1], 2);
	ck_assert_uint_eq(t.u.by_life[0], 2);
	ck_assert_uint_eq(t.u.by_reads[0], 3);
	kit_close(&t);
}
END_TEST

START_TEST(who_makes_and_who_reads_a_value)
{
	struct kit t;
	uint32_t load, alu, sfu, store;

	kit_open(&t);
	alu = kit_insn(&t, OP_ADD_S32, 5, 1, 2);
	load = kit_insn(&t, OP_LD_B32, 6, 5, -1);
	sfu = kit_insn(&t, OP_SIN_F32, 5, 6, -1);
	store = kit_insn(&t, OP_ST_B32, -1, 6, 5);
	kit_begin(&t);
	step(&t, alu, UINT32_MAX);  /* R5, made by an ALU */
	step(&t, load, UINT32_MAX); /* reads it, makes R6 */
	step(&t, sfu, UINT32_MAX);  /* reads that, makes R5 */
	step(&t, store, 0xffff);    /* reads both in half of the lanes */
	step(&t, alu, UINT32_MAX);  /* nobody reads this one */
	kit_end(&t);
	ck_assert_uint_eq(t.u.writes, 4 * 32);
	ck_assert_uint_eq(t.u.by_shared, 32 + 32 + 16);
	ck_assert_uint_eq(t.u.by_shared_of_private, 32);
	kit_close(&t);
}
END_TEST

START_TEST(a_warp_in_the_place_of_another_knows_nothing_of_it)
{
	struct kit t;

	kit_write_read(&t);
	step(&t, 0, UINT32_MAX);
	usage_end(t.w, &t.c, &t.u);
	step(&t, 1, UINT32_MAX);
	kit_end(&t);
	ck_assert_uint_eq(t.u.unwritten, 32);
	ck_assert_uint_eq(t.u.by_reads[0], 64);
	kit_close(&t);
}
END_TEST

/* ---- launches ---- */
#define LOOP                                                                                                       \
	KERNEL("mov.u32 %r5, 0; L: add.u32 %r5, %r5, %r0; bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, " \
	       "%r39; @%p1 bra L; "                                                                                \
	       "st.global.u32 [%d0], %r5;")

static struct usage launch_usage(struct rig *r, const struct usage_options *o, struct stopped *s,
				 struct engine_counts *n)
{
	struct usage u = { 0 };
	struct engine *e;

	r->opt.consumers = 1;
	e = rig_engine(r);
	ck_assert(usage_launch(e, r->k, o, &u, s));
	*n = *engine_counts(e);
	engine_free(e);
	return u;
}

/* More CTAs than the window has, with barriers; the same sums whatever the window. */
START_TEST(a_launch_is_read_to_its_end)
{
	struct usage_options o = { .max_insns = 0 };
	struct engine_counts n;
	struct usage first = { 0 };
	struct rig r;

	for (unsigned window = 1; window < 512; window *= 4) {
		struct stopped s;
		struct usage u;

		rig_open(&r, LOOP, 63);
		r.l.grid[0] = 9;
		r.l.block[0] = 100;
		r.opt.window = window;
		u = launch_usage(&r, &o, &s, &n);
		ck_assert(s.why == STOP_NOT);
		ck_assert_uint_eq(u.warp_insns, n.warp_insns);
		ck_assert_uint_eq(u.thread_insns, n.thread_insns);
		ck_assert_uint_eq(usage_values(&u), u.writes);
		ck_assert_uint_gt(u.by_reads[2], 0);
		for (unsigned i = 0; i < 900; i++)
			ck_assert_uint_eq(r.out[i], i * 7);
		if (window == 1)
			first = u;
		ck_assert_mem_eq(&u, &first, sizeof u);
		rig_close(&r);
	}
}
END_TEST

START_TEST(a_limit_stops_at_the_instruction)
{
	struct usage_options o = { .max_insns = 100 };
	struct engine_counts n;
	struct stopped s;
	struct usage u;
	struct rig r;

	rig_open(&r, LOOP, 63);
	r.l.grid[0] = 9;
	r.l.block[0] = 100;
	u = launch_usage(&r, &o, &s, &n);
	ck_assert(s.why == STOP_INSNS && s.ctas == 9);
	ck_assert_uint_eq(u.warp_insns, 100);
	ck_assert_uint_eq(usage_values(&u), u.writes);
	rig_close(&r);
}
END_TEST

START_TEST(a_raised_flag_stops)
{
	volatile int flag = 1;
	struct usage_options o = { .stop = &flag };
	struct engine_counts n;
	struct stopped s;
	struct rig r;

	rig_open(&r, LOOP, 63);
	launch_usage(&r, &o, &s, &n);
	ck_assert(s.why == STOP_ASKED);
	rig_close(&r);
}
END_TEST

START_TEST(a_fault_is_a_failure)
{
	struct usage_options o = { .max_insns = 0 };
	struct usage u = { 0 };
	struct stopped s;
	struct engine *e;
	struct rig r;

	rig_open(&r, KERNEL("st.global.u32 [%d0+1000000], %r0;"), 63);
	r.opt.consumers = 1;
	e = rig_engine(&r);
	ck_assert(!usage_launch(e, r.k, &o, &u, &s));
	ck_assert_uint_eq(r.d.errors, 1);
	engine_free(e);
	rig_close(&r);
}
END_TEST

Suite *suite_usage(void);
Suite *suite_usage(void)
{
	Suite *s = suite_create("usage");
	TCase *t = tcase_create("values");

	tcase_add_loop_test(t, reads_of_a_value_are_counted_up_to_more_than_two, 0, 6);
	tcase_add_loop_test(t, the_next_instruction_finds_a_lifetime_of_one, 0, 7);
	tcase_add_test(t, a_second_read_leaves_no_lifetime);
	tcase_add_test(t, time_is_the_lanes_own);
	tcase_add_test(t, a_waiting_lane_keeps_its_value_and_its_age);
	tcase_add_test(t, an_operand_named_twice_is_one_read_and_a_pair_is_two_values);
	tcase_add_test(t, who_makes_and_who_reads_a_value);
	tcase_add_test(t, a_warp_in_the_place_of_another_knows_nothing_of_it);
	suite_add_tcase(s, t);
	t = tcase_create("launches");
	tcase_add_test(t, a_launch_is_read_to_its_end);
	tcase_add_test(t, a_limit_stops_at_the_instruction);
	tcase_add_test(t, a_raised_flag_stops);
	tcase_add_test(t, a_fault_is_a_failure);
	suite_add_tcase(s, t);
	return s;
}

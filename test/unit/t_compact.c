/* Index compaction: the paper's example, what is cut and what is not, parallel copies, edges, pairs, and what is
 * refused. */
#include "analyzer/base/rng.h"
#include "passes/regmutex_compact.h"
#include "test/unit/pass_fixture.h"

#include <check.h>
#include <string.h>

Suite *suite_compact(void);

static struct kernel *k, *before;
static struct compact_result out;

static struct insn *emit(enum op o, unsigned ndst, unsigned nsrc, struct ref a, struct ref b, struct ref c)
{
	struct insn *i = ir_append(k, o, ndst, nsrc);
	struct ref r[3] = { a, b, c };

	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = r[s];
	return i;
}

static void set(unsigned r) { emit(OP_MOV_B32, 1, 1, ref_reg(r), ir_imm(k, r + 1000), ref_none()); }
static void set_pair(unsigned r) { emit(OP_MOV_B64, 1, 1, ref_reg(r), ir_imm(k, r + 1000), ref_none()); }
static void add(unsigned d, unsigned x, unsigned y) { emit(OP_ADD_S32, 1, 2, ref_reg(d), ref_reg(x), ref_reg(y)); }
static void use(unsigned r) { emit(OP_ST_B32, 0, 2, ir_imm(k, 64), ref_reg(r), ref_none())->space = SP_SHARED; }
static void use_pair(unsigned r) { emit(OP_ST_B64, 0, 2, ir_imm(k, 64), ref_reg(r), ref_none())->space = SP_SHARED; }
static void add_pair(unsigned d, unsigned x) { emit(OP_ADD_S64, 1, 2, ref_reg(d), ref_reg(x), ref_reg(x)); }
static void load(unsigned d, unsigned at)
{
	emit(OP_LD_B32, 1, 1, ref_reg(d), ref_reg(at), ref_none())->space = SP_GLOBAL;
}
static void store(unsigned at, unsigned r)
{
	emit(OP_ST_B32, 0, 2, ref_reg(at), ref_reg(r), ref_none())->space = SP_GLOBAL;
}
static void leave(void) { ir_append(k, OP_EXIT, 0, 0); }

static void jump(uint32_t to, bool guarded)
{
	struct insn *i =
		emit(OP_BRA, 0, 1, (struct ref){ .kind = REF_BLOCK, .val = to & REF_VAL_MAX }, ref_none(), ref_none());

	if (guarded)
		i->guard = ref_reg(MREG_P0);
}

static void compare(unsigned r) { emit(OP_SETP_LT_S32, 1, 2, ref_reg(MREG_P0), ref_reg(r), ir_imm(k, 7)); }

static void begin(void)
{
	pass_setup();
	k = kernel_new(module_new(&arena), "k");
	k->m->address_bits = 64;
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
}

/* Compaction, with its oracle. held: a character for each instruction, 'h': held; spaces are left out. */
static bool compact(uint32_t regs, uint32_t base, const char *held)
{
	uint8_t hold[128] = { 0 };
	uint32_t n = 0;

	for (; *held; held++)
		if (*held != ' ')
			hold[n++] = *held == 'h';
	ck_assert_uint_eq(n, k->ninsn);
	k->res.regs = regs;
	k->res.preds = 1;
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	before = ir_clone(k, &arena);
	ck_assert(pass_need(k, FACT_CFG | FACT_LIVE | FACT_FREQ, &cx));
	if (!regmutex_compact(k, &cx, base, hold, &out)) {
		ck_assert_msg(out.refused_at != UINT32_MAX, "%s", diag.last);
		return false;
	}
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	for (uint32_t m = 0; m < out.nmove; m++) {
		const struct insn *i = &k->insn[out.move[m].insn];

		ck_assert(i->op == OP_MOV_B32 && out.hold[out.move[m].insn] &&
			  out.origin[out.move[m].insn] == COMPACT_MOVE);
		ck_assert(insn_dst(k, i)->val == out.move[m].to && insn_src(k, i)->val == out.move[m].from);
	}
	return true;
}

/* ---- the paper's example, section III-A4 ---- */
/* Base 6. All of 0 to 5 is alive when the set is acquired, and still when 9 is written; {2, 4, 5, 9} are when it is
 * released. */
START_TEST(register_9_moves_to_0_1_or_3_and_its_later_use_with_it)
{
	uint32_t to;

	for (unsigned r = 0; r < 6; r++)
		set(r);
	set(9); /* held from here */
	use(0);
	use(1);
	use(3);
	use(2); /* to here */
	use(4);
	use(5);
	use(9);
	leave();
	ck_assert(compact(12, 6, "...... hhhh ....."));
	ck_assert_uint_eq(out.nmove, 1);
	ck_assert_uint_eq(out.moves, 1);
	ck_assert_uint_eq(out.cut, 1);
	ck_assert_uint_eq(out.move[0].from, 9);
	to = out.move[0].to;
	ck_assert_msg(to == 0 || to == 1 || to == 3, "R%u", to);
	ck_assert_uint_eq(out.move[0].insn, 10); /* the last thing while it is held */
	ck_assert_uint_eq(insn_src(k, &k->insn[14])[1].val, to);
}
END_TEST

/* The same with the search for the fewest: there is no way without a MOV, and that is proved. */
START_TEST(one_move_is_the_fewest)
{
	for (unsigned r = 0; r < 6; r++)
		set(r);
	set(9); /* held from here */
	for (unsigned r = 0; r < 4; r++)
		use(r); /* to here */
	use(4);
	use(5);
	use(9);
	leave();
	cx.opt.regmutex.exact_seconds = 30;
	ck_assert(compact(12, 6, "...... hhhhh ...."));
	ck_assert_uint_eq(out.greedy, 1);
	ck_assert_uint_eq(out.best, 1);
	ck_assert_uint_eq(out.bound, 1);
}
END_TEST

/* The search finds a way of two MOVs where the heuristic takes four, and proves that there is no better one. */
START_TEST(two_moves_are_found_for_four)
{
	set_pair(2);
	set_pair(0);
	load(4, 2);
	load(5, 2);
	load(2, 2);
	add_pair(6, 0); /* held from here */
	add_pair(0, 0);
	add(3, 4, 4);
	add(2, 2, 2);
	add(4, 3, 2); /* to here */
	add(5, 5, 5);
	add(2, 4, 5);
	set_pair(4); /* and from here */
	store(6, 2); /* to here */
	load(2, 4);
	store(0, 2);
	leave();
	cx.opt.regmutex.exact_seconds = 30;
	ck_assert(compact(8, 6, "..... hhhhh .. hh ..."));
	ck_assert_uint_eq(out.greedy, 4);
	ck_assert_uint_eq(out.best, 2);
	ck_assert_uint_eq(out.bound, 2);
}
END_TEST

/* Where 0, 1 and 3 are written while the set is held, they are what goes into it, and nothing has to move. */
START_TEST(what_is_never_alive_outside_makes_room)
{
	set(2);
	set(4);
	set(5);
	set(0); /* held from here */
	set(1);
	set(3);
	set(6);
	set(9);
	use(0);
	use(1);
	use(3);
	use(6); /* to here */
	use(2);
	use(4);
	use(5);
	use(9);
	leave();
	ck_assert(compact(12, 6, "... hhhhhhhhh ....."));
	ck_assert_uint_eq(out.nmove, 0);
	ck_assert_uint_lt(insn_src(k, &k->insn[15])[1].val, 6);
	ck_assert_uint_ge(out.renamed, 1);
}
END_TEST

START_TEST(nothing_changes_where_nothing_has_to)
{
	set(0);
	set(9);
	add(0, 0, 9);
	use(0);
	leave();
	ck_assert(compact(12, 6, "hhh.."));
	ck_assert_uint_eq(out.nmove + out.renamed, 0);
	ck_assert_uint_eq(ir_hash_code(k), ir_hash_code(before));
}
END_TEST

/* ---- cuts ---- */
/* Two values that were high at the release, and the base set full until then: two MOVs, each into a register that
 * died. */
START_TEST(several_values_move_at_one_release)
{
	for (unsigned r = 0; r < 4; r++)
		set(r);
	set(6); /* held from here */
	set(7);
	use(0);
	use(1);
	use(2);
	use(3); /* to here */
	use(6);
	use(7);
	leave();
	ck_assert(compact(8, 4, ".... hhhhhh ..."));
	ck_assert_uint_eq(out.nmove, 2);
}
END_TEST

/* In a loop that acquires and releases, a MOV would be executed each time round: what lives through the loop stays,
 * what is written before it and read behind it moves. */
START_TEST(moves_are_kept_out_of_loops)
{
	uint32_t loop;

	set(0);
	set(1);
	loop = ir_block(k, NULL); /* 2 */
	set(4);                   /* held: 4, 5, 0, 1 and 6 */
	set(5);
	set(6);
	use(6);
	use(5);
	use(4);
	add(0, 0, 1); /* to here */
	compare(0);
	jump(loop, true);
	ir_block(k, NULL);
	use(0);
	leave();
	ck_assert(compact(8, 2, ".. hhhhhhh .. .."));
	ck_assert_uint_eq(out.nmove, 0);
}
END_TEST

/* It is released on an edge that is one of two from its block and one of two to its block. */
START_TEST(ways_part_and_meet_where_it_is_released)
{
	for (unsigned r = 0; r < 4; r++)
		set(r);
	set(6); /* held from here */
	use(0);
	use(1);
	compare(2);
	jump(2, true); /* not held at block 2 */
	ir_block(k, NULL);
	use(3);
	set(3);
	use(3);
	set(3); /* to here */
	ir_block(k, NULL);
	use(6);
	use(3);
	leave();
	ck_assert(compact(8, 4, ".... hhhhh hhhh ..."));
	/* of 0, 1 or 2 into the extended set, rather than of 6 on two edges */
	ck_assert_uint_eq(out.nmove, 1);
	ck_assert_uint_ge(out.move[0].to, 4);
	ck_assert_uint_eq(out.move[0].insn, 4);
}
END_TEST

START_TEST(pairs_move_in_halves_to_an_even_register)
{
	for (unsigned r = 0; r < 4; r++)
		set(r);
	set_pair(6); /* held from here */
	use(0);
	use(1);
	use(2);
	use(3); /* to here */
	use_pair(6);
	leave();
	ck_assert(compact(8, 4, ".... hhhhh .."));
	ck_assert_uint_eq(out.nmove, 2);
	ck_assert_uint_eq(out.move[0].to / 2, out.move[1].to / 2);
}
END_TEST

/* A guarded write leaves other threads their value: it has to go where that is. */
START_TEST(a_guarded_write_stays_with_the_value_that_it_updates)
{
	set(7);
	compare(7);
	emit(OP_MOV_B32, 1, 1, ref_reg(7), ir_imm(k, 5), ref_none())->guard = ref_reg(MREG_P0);
	use(7);
	leave();
	ck_assert(compact(8, 4, "....."));
	ck_assert_uint_eq(out.nmove, 0);
	ck_assert_uint_lt(insn_dst(k, &k->insn[0])->val, 4);
	ck_assert_uint_eq(insn_dst(k, &k->insn[0])->val, insn_dst(k, &k->insn[2])->val);
}
END_TEST

/* ---- refused ---- */
START_TEST(more_is_alive_than_the_base_set_has)
{
	for (unsigned r = 0; r < 6; r++)
		set(r);
	for (unsigned r = 0; r < 6; r++)
		use(r);
	leave();
	ck_assert(!compact(8, 4, "............."));
	ck_assert_uint_lt(out.refused_at, k->ninsn);
	ck_assert_uint_eq(ir_hash_code(k), ir_hash_code(before));
	ck_assert(k->facts & FACT_LIVE);
}
END_TEST

START_TEST(pairs_do_not_fit_between_two_that_are_apart)
{
	set(0);
	set(3);
	set_pair(4);
	use_pair(4);
	use(0);
	use(3);
	leave();
	ck_assert(compact(8, 4, ".......")); /* 0 and 3 become neighbours */
	ck_assert_uint_eq(out.nmove, 0);
	ck_assert_uint_lt(insn_dst(k, &k->insn[2])->val, 4);
}
END_TEST

/* ---- the oracle ---- */
START_TEST(the_oracle_finds_a_wrong_register_and_a_wrong_place)
{
	struct kernel *bad;
	uint8_t *hold;

	for (unsigned r = 0; r < 6; r++)
		set(r);
	set(9);
	use(0);
	use(1);
	use(3);
	use(2);
	use(4);
	use(5);
	use(9);
	leave();
	ck_assert(compact(12, 6, "...... hhhh ....."));
	bad = ir_clone(k, &arena);
	insn_src(bad, &bad->insn[14])[1].val ^= 1;
	ck_assert(!check_compact(before, bad, 6, &out, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "does not have the value"));
	bad = ir_clone(k, &arena);
	insn_dst(bad, &bad->insn[10])->val = 9; /* the MOV goes nowhere */
	ck_assert(!check_compact(before, bad, 6, &out, &diag));
	bad = ir_clone(k, &arena);
	bad->insn[13] = bad->insn[12];
	ck_assert(!check_compact(before, bad, 6, &out, &diag));
	hold = out.hold;
	out.hold = new_array(&arena, uint8_t, k->ninsn);
	ck_assert(!check_compact(before, k, 6, &out, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "above the base set"));
	out.hold = hold;
	ck_assert(check_compact(before, k, 6, &out, &diag));
}
END_TEST

/* Phases of high pressure, each around a side of a branch, with values of all lengths, of which many have to leave the
 * extended set. */
static unsigned spread(unsigned r) { return r * 3 % 16; }

static uint64_t steps_of(unsigned n)
{
	enum { BASE = 10, REGS = 16 };
	uint64_t rng = 1, steps;
	uint8_t *hold;
	uint32_t at;

	pass_teardown();
	begin();
	hold = new_array(&arena, uint8_t, (size_t)n * 200);
	for (unsigned r = 0; r < BASE; r++)
		set(spread(r));
	for (unsigned phase = 0; phase < n; phase++) {
		for (unsigned i = 0; i < 6; i++) {
			use(spread(rng_below(&rng, BASE)));
			set(spread(rng_below(&rng, BASE)));
		}
		compare(spread(rng_below(&rng, BASE)));
		at = k->ninsn;
		jump(2 * phase + 2, true);
		ir_block(k, NULL);
		for (unsigned r = BASE; r < REGS; r++)
			set(spread(r));
		for (unsigned i = 0; i < 8; i++)
			add(spread(rng_below(&rng, REGS)), spread(rng_below(&rng, REGS)),
			    spread(rng_below(&rng, REGS)));
		for (unsigned r = BASE; r < REGS; r++)
			add(spread(rng_below(&rng, BASE)), spread(r), spread(rng_below(&rng, BASE)));
		memset(hold + at + 1, 1, k->ninsn - at - 1);
		ir_block(k, NULL);
	}
	for (unsigned r = 0; r < BASE; r++)
		use(spread(r));
	leave();
	k->res.regs = REGS;
	k->res.preds = 1;
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert(pass_need(k, FACT_CFG | FACT_LIVE | FACT_FREQ, &cx));
	if (!regmutex_compact(k, &cx, BASE, hold, &out))
		ck_assert_msg(out.refused_at != UINT32_MAX, "%s", diag.last);
	steps = out.steps;
	pass_teardown();
	return steps;
}

START_TEST(the_search_grows_in_proportion)
{
	uint64_t some = steps_of(500), more = steps_of(2000), most = steps_of(8000);

	pass_setup();
	ck_assert_uint_gt(some, 0);
	ck_assert_msg(more <= 6 * some && most <= 6 * more, "%llu, %llu, %llu steps", (unsigned long long)some,
		      (unsigned long long)more, (unsigned long long)most);
}
END_TEST

Suite *suite_compact(void)
{
	Suite *s = suite_create("compact");
	TCase *t = tcase_create("compaction");

	tcase_add_checked_fixture(t, begin, pass_teardown);
	tcase_add_test(t, register_9_moves_to_0_1_or_3_and_its_later_use_with_it);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, one_move_is_the_fewest);
	tcase_add_test(t, two_moves_are_found_for_four);
	tcase_add_test(t, what_is_never_alive_outside_makes_room);
	tcase_add_test(t, nothing_changes_where_nothing_has_to);
	tcase_add_test(t, several_values_move_at_one_release);
	tcase_add_test(t, moves_are_kept_out_of_loops);
	tcase_add_test(t, ways_part_and_meet_where_it_is_released);
	tcase_add_test(t, pairs_move_in_halves_to_an_even_register);
	tcase_add_test(t, a_guarded_write_stays_with_the_value_that_it_updates);
	tcase_add_test(t, more_is_alive_than_the_base_set_has);
	tcase_add_test(t, pairs_do_not_fit_between_two_that_are_apart);
	tcase_add_test(t, the_oracle_finds_a_wrong_register_and_a_wrong_place);
	tcase_add_test(t, the_search_grows_in_proportion);
	suite_add_tcase(s, t);
	return s;
}

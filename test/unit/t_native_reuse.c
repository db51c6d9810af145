/* Which instructions of machine code are the same operation, and why others are never reused: a cubin of ptxas as it
 * is, and with instructions changed. Run from the root of the tree. */
#include "runtime-model/reuse/code.h"

#include "test/unit/lift_fixture.h"

Suite *suite_native_reuse(void);

static const char sgemm[] = CUBINS "sgemm.sm_86.cubin";

static const struct reuse_insn *decoded(const struct kernel *kernel)
{
	return reuse_decode(kernel, 32, 10, &arena).insn;
}

/* ---- as ptxas made it ---- */
#define AT(address) ((address) / 16)
static const struct {
	unsigned at;
	enum reuse_why why;
} reasons[] = {
	{ AT(0x010), REUSE_SPECIAL },   /* S2R R3, SR_TID.Y */
	{ AT(0x020), REUSE_PREDICATE }, /* ISETP */
	{ AT(0x030), REUSE_NO_RESULT }, /* ULDC.64 UR6: of the register file */
	{ AT(0x040), REUSABLE },        /* MOV R23, RZ */
	{ AT(0x0a0), REUSE_CONTROL },   /* BRA */
	{ AT(0x110), REUSE_PREDICATE }, /* PLOP3 */
	{ AT(0x180), REUSABLE },        /* IMAD.WIDE.U32 R12, R12, R17, c[0x0][0x160] */
	{ AT(0x1a0), REUSABLE },        /* LDG.E R19, desc[UR6][R12.64] */
	{ AT(0x1d0), REUSE_STORE },     /* STS */
	{ AT(0x1f0), REUSE_CONTROL },   /* BAR */
	{ AT(0x210), REUSE_RESULTS },   /* LDS.128 */
	{ AT(0x2c0), REUSABLE },        /* FFMA */
};

START_TEST(each_has_its_reason)
{
	const struct reuse_insn *r = decoded(kernel_called(lifted(sgemm), "sgemm"));

	for (unsigned n = 0; n < sizeof reasons / sizeof *reasons; n++)
		ck_assert_msg(r[reasons[n].at].why == reasons[n].why, "0x%x: %s", reasons[n].at * 16,
			      reuse_why_name[r[reasons[n].at].why]);
	ck_assert_int_eq(reuse_why_of_op(OP_SASS_UNKNOWN), REUSE_CONTROL); /* it may be a barrier */
	ck_assert_int_eq(r[AT(0x1a0)].load, LOAD_GLOBAL);
	ck_assert_int_eq(r[AT(0x200)].load, LOAD_SHARED);
	ck_assert_int_eq(r[AT(0x1d0)].order, ORDER_STORE_SHARED);
	ck_assert_int_eq(r[AT(0x1f0)].order & ORDER_CLEAR, ORDER_CLEAR);
}
END_TEST

/* Two of each are the same operation, with these fields. */
static const struct {
	unsigned one, other;
	uint8_t kind[REUSE_FIELDS];
	uint32_t number[2]; /* of the last field, if it is one */
} pairs[] = {
	{ AT(0x040), AT(0x130), { FIELD_NONE }, { 0 } },
	{ AT(0x080), AT(0x090), { FIELD_REGISTER, FIELD_REGISTER }, { 0 } },
	{ AT(0x0d0), AT(0x0e0), { FIELD_REGISTER, FIELD_NUMBER }, { 6, 2 } },
	{ AT(0x180), AT(0x190), { FIELD_REGISTER, FIELD_REGISTER, FIELD_NUMBER }, { 0x160, 0x168 } },
	{ AT(0x1a0), AT(0x1b0), { FIELD_PAIR }, { 0 } },
	{ AT(0x200), AT(0x220), { FIELD_REGISTER, FIELD_NUMBER }, { 0x400, 0x440 } },
	{ AT(0x2c0), AT(0x2e0), { FIELD_REGISTER, FIELD_REGISTER, FIELD_REGISTER }, { 0 } },
};

START_TEST(registers_and_numbers_make_no_other_operation)
{
	const struct reuse_insn *r = decoded(kernel_called(lifted(sgemm), "sgemm")), *one = &r[pairs[_i].one],
				*other = &r[pairs[_i].other];

	ck_assert_uint_ne(one->operation, 0);
	ck_assert_uint_eq(one->operation, other->operation);
	for (unsigned f = 0; f < REUSE_FIELDS; f++) {
		ck_assert_int_eq(one->field[f].kind, pairs[_i].kind[f]);
		ck_assert_int_eq(other->field[f].kind, pairs[_i].kind[f]);
		if (one->field[f].kind == FIELD_NUMBER) {
			ck_assert_uint_eq(one->field[f].number, pairs[_i].number[0]);
			ck_assert_uint_eq(other->field[f].number, pairs[_i].number[1]);
		}
	}
	for (unsigned n = 0; n < sizeof pairs / sizeof *pairs; n++)
		ck_assert((r[pairs[n].one].operation == one->operation) == ((int)n == _i));
}
END_TEST

/* ---- changed ---- */
static void of_place(const struct source *s, const struct cubin *c, unsigned at, struct sass_insn *out)
{
	const char *from = s->text + section_named(c, ".text.sgemm")->offset + 16 * at;
	struct sass_word w;

	memcpy(&w.lo, from, 8);
	memcpy(&w.hi, from + 8, 8);
	ck_assert(sass_decode(86, w, out));
}

static void set_mod(struct sass_insn *i, const char *id, unsigned value)
{
	const int was = sass_mod(i, id);
	unsigned n = 0;

	ck_assert_int_ge(was, 0);
	for (unsigned m = 0; m < i->nmod; m++) {
		const uint16_t old = i->mod[m].value;

		i->mod[m].value = (uint16_t)(old + 1);
		n = sass_mod(i, id) != was ? m : n;
		i->mod[m].value = old;
	}
	i->mod[n].value = (uint16_t)value;
	ck_assert_int_eq(sass_mod(i, id), (int)value);
}

enum { FFMA = AT(0x2c0), LDG = AT(0x1a0), IMAD = AT(0x0c0) };

START_TEST(guard_and_control_are_no_part_of_it_modifiers_are)
{
	struct source s;
	struct cubin *c = cubin_of(sgemm, &s);
	struct sass_insn i[6];
	struct sass_word word[6];
	const struct reuse_insn *r;

	for (unsigned n = 0; n < 4; n++)
		of_place(&s, c, FFMA, &i[n]);
	i[1].guard.reg = 3;
	i[1].control = (struct control_code){ .stall = 9, .wbar = 7, .rbar = 7, .wait = 5 };
	i[2].op[2].neg = true;
	ck_assert_int_eq(i[3].op[3].kind, SASS_GPR);
	i[3].op[3].reg = SASS_ZERO;
	i[3].op[3].n = 0;
	of_place(&s, c, LDG, &i[4]);
	set_mod(&i[4], "order", 5); /* .STRONG.SM */
	of_place(&s, c, IMAD, &i[5]);
	for (unsigned n = 0; n < 6; n++)
		word[n] = sass_encode(86, &i[n]);
	put_words(&s, c, ".text.sgemm", (uint64_t)16 * FFMA, word, 6);
	r = decoded(kernel_called(lift_checked(cubin_of_source(&s)), "sgemm")) + FFMA;
	ck_assert_uint_ne(r[0].operation, 0);
	ck_assert_uint_eq(r[0].operation, r[1].operation);
	ck_assert_uint_ne(r[0].operation, r[2].operation);
	ck_assert_int_eq(r[3].why, REUSABLE); /* RZ is no register */
	ck_assert_uint_ne(r[0].operation, r[3].operation);
	ck_assert_int_eq(r[3].field[2].kind, FIELD_NONE);
	ck_assert_int_eq(r[4].why, REUSE_ORDERED);
	ck_assert_int_eq(r[5].why, REUSABLE);
}
END_TEST

/* Of 32 bits with its sign: -6 takes one field, as 6 does. */
START_TEST(a_negative_number_takes_no_field_more)
{
	enum { SHIFTED = AT(0x0d0) };
	struct source s;
	struct cubin *c = cubin_of(sgemm, &s);
	const struct reuse_insn *r;
	struct sass_word word;
	struct sass_insn i;
	unsigned found = 0;

	of_place(&s, c, SHIFTED, &i);
	for (unsigned n = 0; n < i.nop; n++)
		if (i.op[n].kind == SASS_INT && i.op[n].value == 6) {
			i.op[n].value = (uint32_t)-6;
			found++;
		}
	ck_assert_uint_eq(found, 1);
	word = sass_encode(86, &i);
	put_words(&s, c, ".text.sgemm", (uint64_t)16 * SHIFTED, &word, 1);
	r = decoded(kernel_called(lift_checked(cubin_of_source(&s)), "sgemm")) + SHIFTED;
	ck_assert_int_eq(r->field[1].kind, FIELD_NUMBER);
	ck_assert_uint_eq(r->field[1].number, (uint32_t)-6);
	ck_assert_int_eq(r->field[2].kind, FIELD_NONE);
}
END_TEST

Suite *suite_native_reuse(void)
{
	Suite *s = suite_create("native_reuse");
	TCase *t = tcase_create("native_reuse");

	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_test(t, each_has_its_reason);
	tcase_add_loop_test(t, registers_and_numbers_make_no_other_operation, 0, sizeof pairs / sizeof *pairs);
	tcase_add_test(t, guard_and_control_are_no_part_of_it_modifiers_are);
	tcase_add_test(t, a_negative_number_takes_no_field_more);
	suite_add_tcase(s, t);
	return s;
}

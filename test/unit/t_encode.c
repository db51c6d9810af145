/* Encodings of registers and eligibility for execution in fewer lanes, with the worked examples of G-Scalar (HPCA
 * 2017): Figures 2, 6 and 7. */
#include "analyzer/ir/texture.h"
#include "runtime-model/core/encode.h"
#include "runtime-model/engine/core.h"

#include <check.h>

static struct arena a;

static struct encoding written(const uint32_t v[WARP_LANES], uint32_t lanes)
{
	struct value_sig sig;

	lanes_best()->sig(v, lanes, &sig);
	return encoding_of(&sig, lanes, 0);
}

/* The paper's warps of eight lanes, four times over: bit i of its mask, from the left, is lane i and each eighth after
 * it. */
static uint32_t four_times(const char *bits)
{
	uint32_t mask = 0;

	for (unsigned l = 0; l < WARP_LANES; l++)
		mask |= (uint32_t)(bits[l % 8] == '1') << l;
	return mask;
}

/* Figure 2, and section 3.1: C04039C0, C04039C8, ..., C04039F8. */
START_TEST(figure_2)
{
	uint32_t v[WARP_LANES];
	struct encoding e;

	for (unsigned l = 0; l < WARP_LANES; l++)
		v[l] = 0xC04039C0 + l % 8 * 8;
	e = written(v, UINT32_MAX);
	ck_assert_uint_eq(e.all, 3);                          /* enc 1110 */
	ck_assert_uint_eq(v[0] >> 8 * (4 - e.all), 0xC04039); /* the base */
	ck_assert(encoding_is_compressed(e, false) && !encoding_is_scalar(e));
	ck_assert_uint_eq(encoding_bytes(e, false), 3 + 32);
	/* byte 0 of 32 lanes: one array of 16 lanes in the figure */
	ck_assert_uint_eq(encoding_arrays(e, false, 8), 2);
	ck_assert_int_eq(e.bdi, BDI_1); /* 32-bit base and 8-bit deltas, section 2.2 */
}
END_TEST

/* Values that share n bytes in the whole, or in a half of the register. */
START_TEST(arrays_and_bytes_follow_from_the_equal_bytes)
{
	for (unsigned lo = 0; lo <= 4; lo++)
		for (unsigned hi = 0; hi <= 4; hi++) {
			struct encoding e;
			uint32_t v[WARP_LANES];
			const unsigned all = lo < hi ? lo : hi;

			for (unsigned l = 0; l < WARP_LANES; l++) {
				const unsigned same = l < 16 ? lo : hi;

				v[l] = 0x12345678 ^ (same < 4 ? (l & 1) << (8 * (3 - same)) : 0);
			}
			e = written(v, UINT32_MAX);
			ck_assert_uint_eq(e.lo, lo);
			ck_assert_uint_eq(e.hi, hi);
			ck_assert_uint_eq(e.all, all);
			ck_assert_uint_eq(encoding_arrays(e, false, 8), 2 * (4 - all));
			ck_assert_uint_eq(encoding_arrays(e, true, 8), 4 - lo + 4 - hi);
			ck_assert_uint_eq(encoding_arrays(e, true, 4), (4 - lo + 4 - hi + 1) / 2);
			ck_assert_uint_eq(encoding_arrays(e, true, 32), 4 * (4 - lo + 4 - hi));
			ck_assert_uint_eq(encoding_bytes(e, false), all + 32 * (4 - all));
			ck_assert_uint_eq(encoding_bytes(e, true),
					  all == 4 ? 4 : lo + 16 * (4 - lo) + hi + 16 * (4 - hi));
			ck_assert_int_eq(encoding_is_compressed(e, false), all > 0);
			ck_assert_int_eq(encoding_is_compressed(e, true), lo || hi);
			ck_assert_int_eq(encoding_is_scalar(e), all == 4);
		}
}
END_TEST

/* Two halves that are one value each, but not the same: no array holds a byte of them, and only FS would say that they
 * are one. */
START_TEST(two_halves_of_one_value_each)
{
	uint32_t v[WARP_LANES];
	struct encoding e;

	for (unsigned l = 0; l < WARP_LANES; l++)
		v[l] = l < 16 ? 7 : 9;
	e = written(v, UINT32_MAX);
	ck_assert(!encoding_is_scalar(e) && e.lo == 4 && e.hi == 4 && e.all == 3);
	ck_assert_uint_eq(encoding_arrays(e, true, 8), 0);
	ck_assert_uint_eq(encoding_arrays(e, false, 8), 2);
	ck_assert_uint_eq(encoding_bytes(e, true), 8);
}
END_TEST

START_TEST(what_is_not_compressed_takes_everything)
{
	const uint32_t v[WARP_LANES] = { 0 };
	const struct encoding all[] = { { .lanes = 0 }, encoding_plain(), written(v, 0xff) };

	for (unsigned i = 0; i < 3; i++)
		for (unsigned half = 0; half < 2; half++) {
			ck_assert(!encoding_is_compressed(all[i], half) && !encoding_is_scalar(all[i]));
			ck_assert_uint_eq(encoding_arrays(all[i], half, 8), 8);
			ck_assert_uint_eq(encoding_bytes(all[i], half), 128);
		}
}
END_TEST

static struct scalar_insn arithmetic = { .class = SCALAR_ALU };

/* One instruction of one or two sources, by all rules, after nothing. */
static enum scalar_how how(uint32_t active, struct encoding x, struct encoding y)
{
	const struct encoding src[] = { x, y };
	const struct scalar_warp w = { .divergent = false };
	const struct scalar_case c = { .insn = &arithmetic, .active = active, .n = 2, .src = src };

	return scalar_how(&w, &c, RULE_ALL);
}

/* Figure 6: AAABAABC, written in the lanes 10101100, A there; read under the same mask, and as a whole. */
START_TEST(figure_6)
{
	const uint32_t mask = four_times("10101100");
	uint32_t v[WARP_LANES];
	struct encoding e;

	for (unsigned l = 0; l < WARP_LANES; l++)
		v[l] = (uint32_t) "AAABAABC"[l % 8];
	e = written(v, mask);
	ck_assert(e.divergent && e.same && e.lanes == mask);
	ck_assert_int_eq(how(mask, e, e), HOW_DIVERGENT);
	ck_assert_int_eq(how(UINT32_MAX, e, e), HOW_VECTOR);
	ck_assert_int_eq(how(UINT32_MAX, written(v, UINT32_MAX), e), HOW_VECTOR);
	ck_assert(!encoding_is_scalar(written(v, UINT32_MAX)));
	/* section 4.2: all values are brought from the register file */
	ck_assert_uint_eq(encoding_arrays(e, true, 8), 8);
}
END_TEST

/* Figure 7(b): r2 = r2 * 2 under 10001111 leaves one value there; r1 = abs(r2) under 01110000, where lanes hold -2, 0,
 * 1, is no scalar, and under the first mask it is. Nor is it under a part of that: the masks are compared, section
 * 4.2. */
START_TEST(figure_7b)
{
	const uint32_t mask = four_times("10001111"), other = four_times("01110000"), part = four_times("10000000");
	static const int32_t r2[8] = { 2, -2, 0, 1, 2, 2, 2, 2 };
	uint32_t v[WARP_LANES];
	struct encoding e;

	for (unsigned l = 0; l < WARP_LANES; l++)
		v[l] = (uint32_t)(mask >> l & 1 ? 2 * r2[l % 8] : r2[l % 8]);
	e = written(v, mask);
	ck_assert(e.divergent && e.same);
	ck_assert_int_eq(how(other, e, e), HOW_VECTOR);
	ck_assert_int_eq(how(mask, e, e), HOW_DIVERGENT);
	ck_assert_int_eq(how(part, e, e), HOW_VECTOR);
	ck_assert_int_eq(how(UINT32_MAX, e, e), HOW_VECTOR);
	v[0]++;
	e = written(v, mask);
	ck_assert(e.divergent && !e.same);
	ck_assert_int_eq(how(mask, e, e), HOW_VECTOR);
}
END_TEST

/* Figure 7(c) and section 4.3: encL 1100 and encH 1111; both 1111, with and without FS. */
START_TEST(figure_7c)
{
	const struct encoding half = { .lo = 2, .hi = 4, .all = 2 }, other = { .lo = 4, .hi = 1, .all = 1 };
	const struct encoding two = { .lo = 4, .hi = 4, .all = 0 }, one = { .lo = 4, .hi = 4, .all = 4 },
			      none = { .lo = 3, .hi = 3, .all = 3 };
	const struct encoding fresh = { .lanes = 0 };

	ck_assert_int_eq(how(UINT32_MAX, half, half), HOW_HIGH);
	ck_assert_int_eq(how(UINT32_MAX, half, one), HOW_HIGH);
	ck_assert_int_eq(how(UINT32_MAX, half, other), HOW_VECTOR);
	ck_assert_int_eq(how(UINT32_MAX, other, two), HOW_LOW);
	ck_assert_int_eq(how(UINT32_MAX, two, one), HOW_HALVES);
	ck_assert_int_eq(how(UINT32_MAX, one, one), HOW_SCALAR);
	ck_assert_int_eq(how(UINT32_MAX, none, one), HOW_VECTOR);
	ck_assert_int_eq(how(UINT32_MAX, fresh, one), HOW_VECTOR);
	ck_assert_int_eq(how(LOW_HALF, two, one), HOW_VECTOR); /* of divergent instructions it is not done */
	ck_assert_int_eq(how(LOW_HALF, one, one), HOW_DIVERGENT);
	ck_assert_int_eq(how(0, one, one), HOW_VECTOR);
}
END_TEST

START_TEST(lanes_that_execute)
{
	static const struct {
		enum scalar_how how;
		uint32_t active;
		unsigned lanes;
	} of[] = {
		{ HOW_VECTOR, UINT32_MAX, 32 }, { HOW_VECTOR, 0x70, 3 },     { HOW_VECTOR, 0, 0 },
		{ HOW_SCALAR, UINT32_MAX, 1 },  { HOW_LOW, UINT32_MAX, 17 }, { HOW_HIGH, UINT32_MAX, 17 },
		{ HOW_HALVES, UINT32_MAX, 2 },  { HOW_DIVERGENT, 0xff, 1 },  { HOW_AFFINE, UINT32_MAX, 1 },
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		ck_assert_uint_eq(scalar_lanes(of[i].how, of[i].active), of[i].lanes);
}
END_TEST

/* Results of what one lane executed must be the same where it did; of vectors nothing is known. */
START_TEST(results_agree_with_what_executed)
{
	const struct value_sig one = { .same_active = 4, .same_all = 4, .same_lo = 4, .same_hi = 4, .affine = 1 },
			       none = { .same_active = 3 };
	const struct value_sig low = { .same_lo = 4, .same_active = 1 }, high = { .same_hi = 4, .same_active = 1 };
	const struct value_sig part = { .same_active = 4, .same_lo = 2, .same_hi = 1 };

	for (enum scalar_how h = HOW_VECTOR; h <= HOW_AFFINE; h++) {
		ck_assert(scalar_agrees(h, &one));
		ck_assert_int_eq(scalar_agrees(h, &none), h == HOW_VECTOR);
		ck_assert_int_eq(scalar_agrees(h, &low), h == HOW_VECTOR || h == HOW_LOW);
		ck_assert_int_eq(scalar_agrees(h, &high), h == HOW_VECTOR || h == HOW_HIGH);
		ck_assert_int_eq(scalar_agrees(h, &part), h == HOW_VECTOR || h == HOW_SCALAR || h == HOW_DIVERGENT);
	}
}
END_TEST

/* Hardware has its rules; what it lacks executes in all lanes. */
START_TEST(rules_say_what_hardware_can)
{
	const struct encoding one[] = { { .lo = 4, .hi = 4, .all = 4 } }, two[] = { { .lo = 4, .hi = 4 } };
	const struct scalar_warp w = { .divergent = false };

	for (enum scalar_class k = SCALAR_NEVER; k <= SCALAR_MEM; k++) {
		const struct scalar_insn i = { .class = (uint8_t)k }, vector = { .class = (uint8_t)k, .vector = true };
		struct scalar_case c = { .insn = &i, .active = UINT32_MAX, .n = 1, .src = one };
		const unsigned mine = k ? 1u << k : 0;

		ck_assert_int_eq(scalar_how(&w, &c, mine), k ? HOW_SCALAR : HOW_VECTOR);
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL & ~mine), k || !mine ? HOW_VECTOR : HOW_SCALAR);
		c.src = two;
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL), k ? HOW_HALVES : HOW_VECTOR);
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL & ~(unsigned)RULE_HALF), HOW_VECTOR);
		c.src = one;
		c.active = 3;
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL), k ? HOW_DIVERGENT : HOW_VECTOR);
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL & ~(unsigned)RULE_DIVERGENT), HOW_VECTOR);
		c.n = 0; /* constants alone */
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL), k ? HOW_DIVERGENT : HOW_VECTOR);
		c.local = true;
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL), HOW_VECTOR);
		c.local = false;
		c.insn = &vector;
		ck_assert_int_eq(scalar_how(&w, &c, RULE_ALL), HOW_VECTOR);
	}
}
END_TEST

/* A predicate is one value in the lanes for which one lane computed it, until it is written otherwise. */
START_TEST(predicates_remember_the_lanes_of_their_write)
{
	const struct encoding one[] = { { .lo = 4, .hi = 4, .all = 4 } };
	const struct scalar_insn setp = { .class = SCALAR_ALU, .writes = 4 },
				 selp = { .class = SCALAR_ALU, .reads = 4 };
	struct scalar_case write = { .insn = &setp, .active = UINT32_MAX, .n = 1, .src = one },
			   read = { .insn = &selp, .active = UINT32_MAX };
	struct scalar_warp w = { .divergent = false };

	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_VECTOR); /* never written */
	scalar_issued(&w, &write, HOW_SCALAR);
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_SCALAR);
	read.active = 0x3c;
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_DIVERGENT);
	write.active = 0xff;
	scalar_issued(&w, &write, HOW_DIVERGENT);
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_DIVERGENT); /* some of them */
	read.active = 0x1ff;
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_VECTOR);
	write.active = 0;
	scalar_issued(&w, &write, HOW_VECTOR); /* nobody wrote it */
	read.active = 0xff;
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_DIVERGENT);
	write.active = UINT32_MAX;
	scalar_issued(&w, &write, HOW_HIGH);
	read.active = UINT32_MAX;
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_HIGH);
	scalar_issued(&w, &write, HOW_LOW);
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_LOW);
	scalar_issued(&w, &write, HOW_HALVES); /* two values, one in each half, */
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_HALVES);
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL & ~(unsigned)RULE_HALF), HOW_VECTOR);
	read.active = 0x18000; /* which may differ */
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_VECTOR);
	read.active = UINT32_MAX;
	write.active = 0xfffff; /* one value in lanes 0 to 19 */
	scalar_issued(&w, &write, HOW_DIVERGENT);
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_LOW);
	write.active = UINT32_MAX;
	scalar_issued(&w, &write, HOW_VECTOR);
	ck_assert_int_eq(scalar_how(&w, &read, RULE_ALL), HOW_VECTOR);
}
END_TEST

/* A guarded branch is where its warp was, not only those that take it. */
START_TEST(branches_are_divergent_where_their_warp_was)
{
	const struct scalar_insn branch = { .control = true, .guarded = true }, always = { .control = true };
	struct scalar_warp w = { .divergent = false };
	struct scalar_case taken = { .insn = &branch, .active = 0xff },
			   all = { .insn = &arithmetic, .active = UINT32_MAX };
	struct scalar_case some = { .insn = &arithmetic, .active = 0xff }, jump = { .insn = &always, .active = 0xff },
			   none = { .insn = &arithmetic };

	scalar_issued(&w, &all, HOW_VECTOR);
	ck_assert(!scalar_divergent(&w, &taken));
	scalar_issued(&w, &taken, HOW_VECTOR);
	ck_assert(scalar_divergent(&w, &some) && scalar_divergent(&w, &jump));
	scalar_issued(&w, &some, HOW_VECTOR);
	ck_assert(!scalar_divergent(&w, &none));
	scalar_issued(&w, &none, HOW_VECTOR);
	ck_assert(scalar_divergent(&w, &taken));
	taken.active = 0; /* nobody takes it */
	ck_assert(scalar_divergent(&w, &taken));
	ck_assert(!scalar_divergent(&w, &all));
}
END_TEST

static enum scalar_class by_unit(enum fu fu)
{
	if (fu == FU_SFU)
		return SCALAR_SFU;
	return fu == FU_MEM ? SCALAR_MEM : SCALAR_ALU;
}

static struct kernel *empty(void)
{
	struct kernel *k;

	arena_init(&a);
	k = kernel_new(module_new(&a), "test");
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	return k;
}

/* Every row: what reads other lanes, decides where the warp goes, waits, or changes memory by what is there, each lane
 * does itself. */
START_TEST(every_opcode_has_a_class)
{
	struct kernel *k = empty();
	struct scalar_insn *of;

	for (unsigned op = 0; op < OP_COUNT; op++) {
		struct insn *i = ir_append(k, (enum op)op, 0, 0);

		i->space = op_info[op].fu == FU_MEM ? SP_GLOBAL : SP_NONE;
	}
	of = scalar_decode(k, &a);
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const struct op_info *i = &op_info[op];
		const bool both = (i->flags & OPF_LOAD) && (i->flags & OPF_STORE);
		const bool alone = i->flags & (OPF_CROSS | OPF_ATOMIC | OPF_BARRIER | OPF_FENCE | OPF_BRANCH | OPF_END |
					       OPF_REGMUTEX) ||
				   both || i->fu == FU_CTRL || i->fu == FU_BAR || i->fu == FU_SHFL ||
				   i->fu == FU_TENSOR;
		struct texture x;

		if (alone || (i->fu == FU_MEM && i->flags & OPF_SIDE && !texture_of((enum op)op, &x)))
			ck_assert_msg(of[op].class == SCALAR_NEVER, "%s", i->id);
		else
			ck_assert_msg(of[op].class == by_unit(i->fu), "%s", i->id);
	}
	ck_assert(of[OP_FMA_F32].class == SCALAR_ALU && of[OP_SIN_F32].class == SCALAR_SFU &&
		  of[OP_LD_B32].class == SCALAR_MEM && of[OP_ST_B64].class == SCALAR_MEM &&
		  of[OP_DIV_S32].class == SCALAR_ALU && of[OP_SELP_B32].class == SCALAR_ALU &&
		  of[OP_TEX_1D_F_F32].class == SCALAR_MEM && of[OP_SULD_1D_B32].class == SCALAR_MEM &&
		  of[OP_SUST_B_1D_B32].class == SCALAR_MEM);
	ck_assert(of[OP_RED_ADD_U32].class == SCALAR_NEVER && of[OP_SURED_B_ADD_1D_U32].class == SCALAR_NEVER &&
		  of[OP_VOTE_ANY].class == SCALAR_NEVER && of[OP_CP_ASYNC].class == SCALAR_NEVER &&
		  of[OP_SHFL_IDX].class == SCALAR_NEVER && of[OP_ACTIVEMASK].class == SCALAR_NEVER);
	arena_free(&a);
}
END_TEST

static struct insn *with(struct kernel *k, enum op op, struct ref d, struct ref x, struct ref y, struct ref z)
{
	const struct ref src[] = { x, y, z };
	struct insn *i = ir_append(k, op, 1, 3);

	insn_dst(k, i)[0] = d;
	for (unsigned n = 0; n < 3; n++)
		insn_src(k, i)[n] = src[n];
	return i;
}

START_TEST(operands_are_vectors_or_predicates_or_neither)
{
	static const enum sreg lanes[] = { SREG_TID_X,  SREG_TID_Y,       SREG_TID_Z,
					   SREG_LANEID, SREG_LANEMASK_EQ, SREG_LANEMASK_GT };
	static const enum sreg warps[] = {
		SREG_CTAID_X, SREG_NTID_Y, SREG_WARPID, SREG_CLOCK, SREG_SMID, SREG_CLOCK64
	};
	struct kernel *k = empty();
	const struct ref none = ref_none(), reg = ref_reg(3), imm = ir_imm(k, 7), cb = ref_const(0, PARAM_BASE);
	struct scalar_insn *of;

	for (unsigned i = 0; i < 6; i++) {
		with(k, OP_MOV_B32, reg, (struct ref){ .kind = REF_SREG, .val = lanes[i] }, none, none);
		with(k, OP_MOV_B32, reg, (struct ref){ .kind = REF_SREG, .val = warps[i] }, none, none);
	}
	with(k, OP_SELP_B32, reg, imm, cb, ref_reg(MREG_P0 + 2))->guard = ref_reg(MREG_P0 + 1);
	with(k, OP_SETP_LT_S32, ref_reg(MREG_P0 + 6), reg, imm, ref_reg(MREG_P0));
	with(k, OP_SELP_B32, reg, imm, cb, ref_reg(MREG_PT));
	with(k, OP_LD_B32, reg, reg, none, none)->space = SP_LOCAL;
	with(k, OP_LD_B32, reg, reg, none, none)->space = SP_GENERIC;
	with(k, OP_BRA, none, none, none, none)->guard = ref_reg(MREG_P0);
	of = scalar_decode(k, &a);
	for (unsigned i = 0; i < 6; i++)
		ck_assert(of[2 * i].vector && !of[2 * i + 1].vector);
	ck_assert(of[12].reads == 4 && of[12].writes == 0 && !of[12].vector && of[12].guarded && !of[12].control);
	ck_assert(of[13].reads == 1 && of[13].writes == 64);
	ck_assert(of[14].reads == 0 && of[14].writes == 0);
	ck_assert(of[15].class == SCALAR_NEVER && of[16].class == SCALAR_MEM);
	ck_assert(of[17].control && of[17].guarded);
	arena_free(&a);
}
END_TEST

START_TEST(words_of_local_memory)
{
	const uint64_t sectors = (uint64_t)15 << 60;

	ck_assert(scalar_is_local(sectors | LOCAL_LINES / LINE_BYTES) &&
		  scalar_is_local(sectors | (LOCAL_LINES / LINE_BYTES + 9)));
	ck_assert(!scalar_is_local(sectors | (LOCAL_LINES / LINE_BYTES - 1)) &&
		  !scalar_is_local(sectors | CONST_LINES / LINE_BYTES));
	ck_assert(!scalar_is_local((uint64_t)SP_SHARED << 56 | LOCAL_LINES / LINE_BYTES)); /* passes */
}
END_TEST

Suite *suite_encode(void);
Suite *suite_encode(void)
{
	Suite *s = suite_create("encode");
	TCase *c = tcase_create("encode");

	tcase_add_test(c, figure_2);
	tcase_add_test(c, arrays_and_bytes_follow_from_the_equal_bytes);
	tcase_add_test(c, two_halves_of_one_value_each);
	tcase_add_test(c, what_is_not_compressed_takes_everything);
	tcase_add_test(c, figure_6);
	tcase_add_test(c, figure_7b);
	tcase_add_test(c, figure_7c);
	tcase_add_test(c, lanes_that_execute);
	tcase_add_test(c, results_agree_with_what_executed);
	tcase_add_test(c, rules_say_what_hardware_can);
	tcase_add_test(c, predicates_remember_the_lanes_of_their_write);
	tcase_add_test(c, branches_are_divergent_where_their_warp_was);
	tcase_add_test(c, every_opcode_has_a_class);
	tcase_add_test(c, operands_are_vectors_or_predicates_or_neither);
	tcase_add_test(c, words_of_local_memory);
	suite_add_tcase(s, c);
	return s;
}

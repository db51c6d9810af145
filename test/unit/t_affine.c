/* Bases and strides: which operations make tuples of tuples, every row of the opcode table on random ones; and in the
 * SM the hypothetical Affine GPU of WIR (HPCA 2018, section VII-A). */
#include "analyzer/base/rng.h"
#include "runtime-model/core/affine.h"
#include "runtime-model/engine/lanes.h"
#include "stream.h"

/* ---- every operation ---- */
/* source s: registers 2 + 2s and 3 + 2s, or predicate 2 + s */
enum { ROUNDS = 200, DST = 12 };
struct file {
	uint32_t r[16][WARP_LANES], p[8];
};

static char letter_of(const struct op_info *o, unsigned s) { return strchr(o->sig, '_')[1 + s]; }

static struct insn *append(struct kernel *k, enum op op)
{
	const struct op_info *o = &op_info[op];
	struct insn *i = ir_append(k, op, o->ndst, o->nsrc);

	i->vec = 1;
	for (unsigned d = 0; d < o->ndst; d++)
		insn_dst(k, i)[d] = ref_reg(o->sig[d] == 'P' ? MREG_P0 + 5 + d : DST + 2 * d);
	for (unsigned s = 0; s < o->nsrc && s < 4; s++)
		insn_src(k, i)[s] = ref_reg(letter_of(o, s) == 'P' ? MREG_P0 + 2 + s : 2 + 2 * s);
	return i;
}

static struct xinsn decoded(const struct op_info *o)
{
	struct xinsn x = { .dst = { DST * WARP_LANES, o->ndst > 1 && o->sig[1] == 'P' ? 6 : (DST + 2) * WARP_LANES } };

	for (unsigned s = 0; s < 4; s++)
		x.src[s] =
			s < o->nsrc && letter_of(o, s) == 'P' ? (int32_t)(2 + s) : (int32_t)((2 + 2 * s) * WARP_LANES);
	return x;
}

/* Small strides and large ones, few bases near a wrap; the upper half of a pair is what a sign extension gives, or
 * anything. */
static void draw(struct file *f, uint64_t *rng, unsigned one)
{
	for (unsigned n = 0; n < 16; n++) {
		const uint32_t base = rng_below(rng, 4) ? (uint32_t)rng_next(rng) : rng_below(rng, 40),
			       wide = (uint32_t)rng_next(rng);
		uint32_t stride;
		if (one >> (n / 2) & 1 || (n % 2 && rng_below(rng, 2)))
			stride = 0;
		else
			stride = rng_below(rng, 3) ? 1 + rng_below(rng, 64) : wide | 1;

		for (unsigned l = 0; l < WARP_LANES; l++)
			f->r[n][l] = base + l * stride;
	}
	for (unsigned p = 0; p < 8; p++)
		f->p[p] = rng_below(rng, 2) ? UINT32_MAX : 0;
}

struct outcome {
	unsigned executes, tuples, tried;
};

/* Predicates are one value each here, and those that are read known to be. */
static struct outcome try_row(unsigned row)
{
	const struct op_info *o = &op_info[row];
	const struct scalar_warp w = {
		.same = { [2] = UINT32_MAX, [3] = UINT32_MAX, [4] = UINT32_MAX, [5] = UINT32_MAX }
	};
	const struct xinsn x = decoded(o);
	struct outcome out = { 0, 0, 0 };
	uint64_t rng = row + 1;
	struct affine_insn *affine;
	struct scalar_insn *insn;
	struct insn_regs r;
	struct stream s;

	stream_init(&s);
	append(s.k, (enum op)row);
	affine = affine_decode(s.k, &s.a);
	insn = scalar_decode(s.k, &s.a);
	ir_insn_regs(s.k, &s.k->insn[0], &r);
	for (unsigned n = 0; n < ROUNDS; n++) {
		struct encoding src[INSN_SRC_MAX];
		struct value_sig sig[INSN_DST_MAX];
		const struct scalar_case c = { .insn = insn, .active = UINT32_MAX, .n = r.nsrc, .src = src };
		bool tuples = true, one = true, still = false;
		struct file f;

		draw(&f, &rng, n % 16 << 1);
		for (unsigned i = 0; i < r.nsrc; i++) {
			lanes_best()->sig(f.r[r.src[i]], UINT32_MAX, &sig[0]);
			src[i] = encoding_of(&sig[0], UINT32_MAX, 0);
			one &= encoding_is_scalar(src[i]);
		}
		if (one)
			continue;
		lanes_base.fn[row](&x, f.r[0], NULL, f.p, UINT32_MAX);
		for (unsigned d = 0; d < r.ndst; d++) {
			lanes_best()->sig(f.r[r.dst[d]], UINT32_MAX, &sig[d]);
			tuples &= sig[d].affine;
			still |= sig[d].stride != 0;
		}
		out.tried++;
		out.tuples += tuples && still;
		if (!affine_executes(affine, &w, &c, sig, r.ndst))
			continue;
		out.executes++;
		if (!tuples)
			ck_abort_msg("%s: a result in round %u is no tuple", o->text, n);
	}
	stream_free(&s);
	return out;
}

/* Of all operands that are base and stride, what is executed so leaves such results, also where they are not looked at;
 * what is never executed so leaves others, seldom such: there is none to add among integers. */
START_TEST(operations_that_keep_tuples_are_those_listed)
{
	unsigned listed = 0;

	for (unsigned row = 0; row < OP_COUNT; row++) {
		const struct op_info *o = &op_info[row];
		struct outcome got;

		if (!lanes_base.fn[row] || !o->ndst || o->sig[0] == 'P' || o->flags & (OPF_ATOMIC | OPF_CROSS) ||
		    (o->ndst > 1 && o->sig[1] == 'P'))
			continue;
		got = try_row(row);
		if (got.executes) {
			listed++;
			ck_assert_msg(got.executes * 8 > got.tuples, "%s: %u of %u", o->text, got.executes, got.tuples);
		} else {
			ck_assert_msg(strpbrk(o->sig, "FG") || got.tuples * 10 < got.tried * 9,
				      "%s: %u of %u are tuples, and none is executed so", o->text, got.tuples,
				      got.tried);
		}
	}
	ck_assert_uint_gt(listed, 45);
}
END_TEST

/* ---- in the SM ---- */
static const struct value_sig vector = { .width = 4 }, tuple = {
	.affine = 1, .stride = 4, .same_all = 2, .same_lo = 2, .same_hi = 2, .same_active = 2
};
static const struct value_sig one = { .affine = 1, .same_all = 4, .same_lo = 4, .same_hi = 4, .same_active = 4 };
static struct stream s;

static void begin(const char *rf)
{
	stream_init(&s);
	ck_assert(params_machine(&s.p, "wir", &s.d));
	s.p.sms = 1;
	ck_assert_msg(rf_config_parse(&s.rf, rf, &s.p, &s.d), "%s", s.d.last);
}

static struct stream_record *then(uint32_t insn, uint32_t active, const struct value_sig *sig)
{
	struct stream_record *r = stream_record(&s, 0, insn);

	r->active = active;
	r->nsig = sig != NULL;
	r->sig = sig;
	return r;
}

/* R1 is 32 values, R2 base and stride, R3 one value; R4 is base and stride too. */
static void sources(void)
{
	const struct value_sig *const sig[] = { &vector, &tuple, &one, &tuple };

	begin("affine");
	for (int r = 0; r < 4; r++)
		then(stream_insn(&s, OP_XOR_B32, r + 1, 9, 9, -1), UINT32_MAX, sig[r]);
}

static void run(void) { ck_assert_msg(stream_run(&s), "%s", s.d.last); }

START_TEST(a_tuple_takes_one_array_of_eight)
{
	static const struct {
		const char *set;
		unsigned tuple, whole;
	} of[] = { { "rf_arrays=8", 1, 8 }, { "rf_arrays=1", 1, 1 }, { "rf_arrays=16", 2, 16 } };

	for (unsigned i = 0; i < 3; i++) {
		sources();
		ck_assert(params_set(&s.p, of[i].set, &s.d));
		run();
		ck_assert_uint_eq(s.st.rf_write_arrays, of[i].whole + 3 * of[i].tuple);
		ck_assert_uint_eq(s.st.rf_read_arrays, 4 * of[i].whole); /* R9, which nobody has written */
		ck_assert_uint_eq(s.st.affine_writes, 3);
		ck_assert_uint_eq(s.st.stored_bytes, 128 + 3 * 8);
		for (int r = 1; r <= 4; r++)
			then(stream_insn(&s, OP_XOR_B32, 5, r, -1, -1), UINT32_MAX, r == 3 ? &one : &vector);
		run();
		ck_assert_uint_eq(s.st.rf_read_arrays, 5 * of[i].whole + 3 * of[i].tuple);
		ck_assert_uint_eq(s.st.affine_reads, 3);
		ck_assert(s.st.compressions == 0 && s.st.decompressions == 0 && s.st.bvr_reads == 0 &&
			  s.st.bvr_writes == 0);
		stream_free(&s);
	}
}
END_TEST

/* It costs no cycle: the machine is hypothetical. */
START_TEST(no_cycle_more)
{
	cycle cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		begin(i ? "affine" : "baseline");
		for (int n = 0; n < 10; n++)
			then(stream_insn(&s, OP_ADD_S32, n + 1, n, -1, -1), UINT32_MAX, &tuple);
		run();
		cycles[i] = s.st.cycles;
		stream_free(&s);
	}
	ck_assert_uint_eq(cycles[0], cycles[1]);
}
END_TEST

/* What one lane executes, and what all of them must. */
START_TEST(one_lane_executes_on_tuples)
{
	enum { ALL = 32 };
	static const struct {
		enum op op;
		int a, b, c;
		const struct value_sig *sig;
		unsigned lanes;
	} of[] = {
		{ OP_ADD_S32, 2, 4, -1, &tuple, 1 },
		{ OP_ADD_S32, 2, 3, -1, &tuple, 1 },
		{ OP_SUB_S32, 2, 4, -1, &one, 1 },
		{ OP_ADD_S32, 2, 1, -1, &vector, ALL },
		{ OP_ADD_S32, 2, 1, -1, &tuple, ALL }, /* it happens to be one */
		{ OP_MOV_B32, 2, -1, -1, &tuple, 1 },
		{ OP_MUL_LO_S32, 2, 3, -1, &tuple, 1 },
		{ OP_MUL_LO_S32, 3, 2, -1, &tuple, 1 },
		{ OP_MUL_LO_S32, 2, 4, -1, &tuple, ALL },
		{ OP_MUL_LO_S32, 2, 2, -1, &tuple, ALL }, /* a square */
		{ OP_MUL_LO_S32, 2, -1, -1, &tuple, 1 },  /* by a constant */
		{ OP_MAD_LO_S32, 2, 3, 4, &tuple, 1 },
		{ OP_MAD_LO_S32, 2, 4, 3, &tuple, ALL },
		{ OP_MAD_LO_S32, 3, 3, 4, &tuple, 1 },
		{ OP_SHL_B32, 2, 3, -1, &tuple, 1 },
		{ OP_SHL_B32, 3, 2, -1, &tuple, ALL },
		{ OP_SHR_U32, 2, 3, -1, &tuple, ALL },
		/* of one value anything makes one value */
		{ OP_AND_B32, 2, 3, -1, &one, ALL },
		{ OP_AND_B32, 3, 3, -1, &one, 1 },
		{ OP_ADD_F32, 3, 3, -1, &one, 1 },
		{ OP_ADD_F32, 2, 3, -1, &tuple, ALL },
		{ OP_SIN_F32, 3, -1, -1, &one, 1 },
		{ OP_SIN_F32, 2, -1, -1, &vector, ALL },
		{ OP_CVT_U16_W, 2, -1, -1, &tuple, 1 },
		{ OP_CVT_U16_W, 2, -1, -1, &vector, ALL }, /* it wraps */
	};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		sources();
		then(stream_insn(&s, of[i].op, 5, of[i].a, of[i].b, of[i].c), UINT32_MAX, of[i].sig);
		run();
		if (s.st.executed_lanes != 4 * ALL + of[i].lanes)
			ck_abort_msg("%u: %s is executed by %u lanes", i, op_info[of[i].op].text,
				     (unsigned)s.st.executed_lanes - 4 * ALL);
		ck_assert_uint_eq(s.st.scalar_affine + s.st.scalar_alu + s.st.scalar_sfu, of[i].lanes == 1);
		stream_free(&s);
	}
}
END_TEST

/* A load from base and stride delivers whatever memory holds; a divergent instruction writes a vector; %tid.x is what
 * its result says. */
START_TEST(memory_divergence_and_special_registers)
{
	uint32_t tid;

	sources();
	then(stream_memory(&s, OP_LD_B32, SP_SHARED, 5, 3, -1), UINT32_MAX, &one);
	run();
	ck_assert(s.st.executed_lanes == 5 * 32 && s.st.affine_writes == 4);
	then(stream_insn(&s, OP_ADD_S32, 6, 2, 4, -1), 0xff, &tuple);
	run();
	ck_assert(s.st.executed_lanes == 5 * 32 + 8 && s.st.affine_writes == 4 && s.st.injected_moves == 0);
	tid = stream_insn(&s, OP_MOV_B32, 7, -1, -1, -1);
	insn_src(s.k, &s.k->insn[tid])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_TID_X };
	then(tid, UINT32_MAX, &tuple);
	run();
	ck_assert(s.st.executed_lanes == 5 * 32 + 8 + 1 && s.st.scalar_affine == 1);
	then(tid, UINT32_MAX, &vector);
	run();
	ck_assert(s.st.executed_lanes == 5 * 32 + 8 + 1 + 32 && s.st.scalar_affine == 1);
	stream_free(&s);
}
END_TEST

/* Predicates as data: one value, if one lane has computed it. */
START_TEST(a_select_by_one_value_keeps_tuples)
{
	uint32_t select;

	sources();
	select = stream_insn(&s, OP_SELP_B32, 5, 2, 4, MREG_P0 + 1);
	then(select, UINT32_MAX, &tuple);
	run();
	ck_assert_uint_eq(s.st.scalar_affine, 0);
	then(stream_insn(&s, OP_SETP_LT_S32, MREG_P0 + 1, 3, 3, -1), UINT32_MAX, NULL);
	then(select, UINT32_MAX, &tuple);
	then(stream_insn(&s, OP_SETP_LT_S32, MREG_P0 + 1, 2, 3, -1), UINT32_MAX, NULL);
	then(select, UINT32_MAX, &tuple);
	run();
	ck_assert(s.st.scalar_affine == 1 && s.st.scalar_alu == 1);
	stream_free(&s);
}
END_TEST

/* A register that is base and stride is spread over its lanes before some of them are written. */
START_TEST(a_tuple_is_expanded_before_some_lanes_are_written)
{
	for (int r = 1; r <= 3; r++) {
		sources();
		then(stream_insn(&s, OP_ADD_S32, r, 9, -1, -1), 0xff, &vector);
		then(stream_insn(&s, OP_ADD_S32, r, 9, -1, -1), 0xf0, &vector);
		run();
		ck_assert_uint_eq(s.st.injected_moves, r > 1);
		ck_assert_uint_eq(s.st.warp_instructions, 6);
		ck_assert_uint_eq(s.st.rf_write_arrays, 8 + 3 + 8 + 8 + (r > 1 ? 8 : 0));
		stream_free(&s);
	}
}
END_TEST

START_TEST(a_result_that_is_no_tuple_ends_the_run)
{
	sources();
	then(stream_insn(&s, OP_ADD_S32, 5, 2, 4, -1), UINT32_MAX, &vector);
	ck_assert(!stream_run(&s) && s.bug);
	ck_assert_msg(
		strstr(s.d.last, " is executed by one lane on bases and strides, and a result is not base and stride"),
		"%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* ---- with reuse ---- */
/* A tuple is written, found by the value signature buffer and compared, and copied to a register of which some lanes
 * are written: one array wherever it is a tuple. */
START_TEST(registers_that_are_shared_are_tuples_too)
{
	static const struct {
		const char *rf;
		unsigned tuple, lanes;
	} of[] = { { "wir-r", 8, 32 }, { "affine+wir-rlpv", 1, 1 } };

	for (unsigned i = 0; i < 2; i++) {
		struct value_sig same = tuple, part = vector;

		same.hash = 9;
		same.h3 = 77;
		part.hash = 5;
		part.h3 = 78;
		begin(of[i].rf);
		/* R9: nobody has written it, there is nothing to read */
		then(stream_insn(&s, OP_XOR_B32, 1, 9, 9, -1), UINT32_MAX, &same);
		then(stream_insn(&s, OP_MOV_B32, 2, 1, -1, -1), UINT32_MAX, &same);
		run();
		ck_assert(s.st.vsb_hits == 1 && s.st.verify_reads == 1 && s.st.rf_writes == 1 && s.st.rf_reads == 2);
		ck_assert_uint_eq(s.st.rf_write_arrays, of[i].tuple);
		ck_assert_uint_eq(s.st.rf_read_arrays, 2 * of[i].tuple); /* of R1; and to compare */
		ck_assert_uint_eq(s.st.executed_lanes, 32 + of[i].lanes);
		then(stream_insn(&s, OP_XOR_B32, 2, 9, 9, -1), 0xff, &part);
		run();
		ck_assert(s.st.dummy_moves == 1 && s.st.injected_moves == 0 && s.st.moves_elided == 0);
		ck_assert_uint_eq(s.st.rf_read_arrays, 3 * of[i].tuple);
		ck_assert_uint_eq(s.st.rf_write_arrays, of[i].tuple + 2 * 8);
		stream_free(&s);
	}
}
END_TEST

/* What is reused is executed by no lane, and counts as executed by none. */
START_TEST(what_is_reused_is_not_executed)
{
	struct value_sig value = tuple, other = tuple;
	uint32_t add;

	value.hash = 3;
	value.h3 = 4;
	other.hash = 5;
	other.h3 = 6;
	begin("affine+wir-rlpv");
	then(stream_insn(&s, OP_XOR_B32, 1, 9, 9, -1), UINT32_MAX, &value);
	add = stream_insn(&s, OP_ADD_S32, 2, 1, 1, -1);
	then(add, UINT32_MAX, &other);
	then(stream_insn(&s, OP_XOR_B32, 3, 2, 2, -1), UINT32_MAX, &vector);
	then(add, UINT32_MAX, &other);
	run();
	ck_assert_uint_eq(s.st.reused_instructions, 1);
	ck_assert_uint_eq(s.st.scalar_affine, 1);
	ck_assert_uint_eq(s.st.executed_lanes, 32 + 1 + 32);
	ck_assert_uint_eq(s.st.valued_instructions, 4);
	stream_free(&s);
}
END_TEST

START_TEST(values_that_fit_a_reuse)
{
	static const char *const fit[] = { "affine",         "bdi",      "alu-scalar", "compress",
					   "g-scalar-nodiv", "g-scalar", "none" };
	char text[64];

	begin("affine+wir-rlpv");
	ck_assert(rf_config_check(&s.rf, &s.p, ~0u, "test", &s.d));
	for (unsigned i = 0; i < sizeof fit / sizeof *fit; i++) {
		snprintf(text, sizeof text, "wir-r,values=%s", fit[i]);
		ck_assert(rf_config_parse(&s.rf, text, &s.p, &s.d));
		ck_assert_msg(rf_config_check(&s.rf, &s.p, ~0u, "test", &s.d), "%s: %s", text, s.d.last);
	}
	ck_assert(rf_config_parse(&s.rf, "wir-r,values=static-scalar", &s.p, &s.d));
	ck_assert(!rf_config_check(&s.rf, &s.p, ~0u, "test", &s.d));
	ck_assert_msg(strstr(s.d.last, "values=static-scalar has a register where its writer is proved to need it, and "
				       "under reuse=wir-r it may be one that another wrote"),
		      "%s", s.d.last);
	stream_free(&s);
}
END_TEST

Suite *suite_affine(void);
Suite *suite_affine(void)
{
	Suite *su = suite_create("affine");
	TCase *c = tcase_create("affine");

	tcase_add_test(c, operations_that_keep_tuples_are_those_listed);
	tcase_add_test(c, a_tuple_takes_one_array_of_eight);
	tcase_add_test(c, no_cycle_more);
	tcase_add_test(c, one_lane_executes_on_tuples);
	tcase_add_test(c, memory_divergence_and_special_registers);
	tcase_add_test(c, a_select_by_one_value_keeps_tuples);
	tcase_add_test(c, a_tuple_is_expanded_before_some_lanes_are_written);
	tcase_add_test(c, a_result_that_is_no_tuple_ends_the_run);
	tcase_add_test(c, registers_that_are_shared_are_tuples_too);
	tcase_add_test(c, what_is_reused_is_not_executed);
	tcase_add_test(c, values_that_fit_a_reuse);
	suite_add_tcase(su, c);
	return su;
}

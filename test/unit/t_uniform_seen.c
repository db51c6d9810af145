/* What is proved of values beside values that were seen: each sort of proof, kept and broken. test/prop/p_uniform.c has
 * that of whole kernels. */
#include "passes/uniform.h"
#include "runtime-model/core/uniform_seen.h"
#include "stream.h"

/* add.s32 R1, R2, R3 in two warps: what is proved of R2 alone. */
struct bench {
	struct stream s;
	struct uniform u;
	uint32_t at[2];
	uint8_t flags[1];
	struct uniform_value value[3];
	struct uniform_seen *seen;
	struct uniform_cta *cta;
	uint32_t lane[3 * WARP_LANES];
};

static void begin(struct bench *b, const struct uniform_value *v, uint8_t flags, uint32_t threads)
{
	memset(b, 0, sizeof *b);
	stream_init(&b->s);
	stream_insn(&b->s, OP_ADD_S32, 1, 2, 3, -1);
	b->at[1] = 3;
	b->flags[0] = flags;
	b->value[0] = *v;
	b->u = (struct uniform){ .at = b->at, .value = b->value, .flags = b->flags };
	b->s.k->uniform = &b->u;
	b->seen = uniform_seen_new(b->s.k, threads, &b->s.a);
	b->cta = uniform_cta_new(b->seen, &b->s.a);
	uniform_cta_begin(b->cta);
}

/* Lane l of R2 has base + l * stride, but one lane more than that. */
static const char *step(struct bench *b, unsigned warp, uint32_t active, uint32_t base, uint32_t stride, unsigned odd)
{
	const struct record r = { .active = active, .values = b->lane };

	for (unsigned l = 0; l < WARP_LANES; l++)
		b->lane[l] = base + l * stride + (l == odd);
	return uniform_seen_step(b->seen, b->cta, warp, &r, &b->s.a);
}

#define SAYS(text, what)                                                   \
	do {                                                               \
		const char *says = what;                                   \
		ck_assert_msg(says &&strstr(says, text), "says %s", says); \
	} while (0)
#define IS_SILENT(what)                                \
	do {                                           \
		const char *says = what;               \
		ck_assert_msg(!says, "says %s", says); \
	} while (0)

enum { NO_LANE = 99 };

START_TEST(the_same_in_the_lanes_that_execute)
{
	struct bench b;

	begin(&b, &(struct uniform_value){ .level = UNIFORM_WARP }, 0, 64);
	IS_SILENT(step(&b, 0, UINT32_MAX, 7, 0, NO_LANE));
	IS_SILENT(step(&b, 0, UINT32_MAX, 9, 0, NO_LANE));
	IS_SILENT(step(&b, 1, 0xfffffffe, 9, 0, 0)); /* lane 0 does not execute */
	IS_SILENT(step(&b, 1, 0x7fffffff, 9, 0, 31));
	IS_SILENT(step(&b, 1, 0x00040000, 9, 5, NO_LANE));
	ck_assert_uint_eq(uniform_seen_compared(b.seen), 5);
	SAYS("not the same in the lanes that execute (lane 0 has 0x9, lane 31 has 0xa)",
	     step(&b, 0, UINT32_MAX, 9, 0, 31));
	SAYS("not the same in the lanes that execute (lane 1 has 0x9, lane 4 has 0xa)", step(&b, 1, 0x12, 9, 0, 4));
	SAYS("reads in R2", step(&b, 1, 0x12, 9, 0, 4));
	stream_free(&b.s);
}
END_TEST

START_TEST(affine_with_and_without_a_known_stride)
{
	struct bench b;

	begin(&b, &(struct uniform_value){ .affine = true }, 0, 64);
	IS_SILENT(step(&b, 0, UINT32_MAX, 7, 3, NO_LANE));
	IS_SILENT(step(&b, 0, UINT32_MAX, 7, (uint32_t)-4, NO_LANE));
	IS_SILENT(step(&b, 0, 0x5, 7, 3, 2)); /* without neighbours no stride */
	IS_SILENT(step(&b, 0, 0x77777777, 7, 3, 7));
	SAYS("not affine (lane 0 has 0x7, lane 2 has 0xd)", step(&b, 0, UINT32_MAX, 7, 3, 1));
	SAYS("not affine (lane 29 has 0x5e, lane 31 has 0x65)", step(&b, 0, UINT32_MAX, 7, 3, 31));
	SAYS("not affine (lane 0 has 0x8, lane 2 has 0xd)", step(&b, 0, 0x7, 7, 3, 0));
	stream_free(&b.s);
	begin(&b, &(struct uniform_value){ .affine = true, .known = true, .stride = -4 }, 0, 64);
	IS_SILENT(step(&b, 0, UINT32_MAX, 7, (uint32_t)-4, NO_LANE));
	IS_SILENT(step(&b, 0, 0x80000001, 7, (uint32_t)-4, 15));
	SAYS("not affine with that stride", step(&b, 0, UINT32_MAX, 7, 4, NO_LANE));
	SAYS("not affine with that stride (lane 0 has 0x7, lane 31 has 0xffffff8c)",
	     step(&b, 0, 0x80000001, 7, (uint32_t)-4, 31));
	stream_free(&b.s);
}
END_TEST

/* The k-th executions of two warps, and of two CTAs, are compared; records without a lane count as executions. */
START_TEST(the_same_over_a_cta_and_a_grid)
{
	struct bench b;

	for (unsigned grid = 0; grid < 2; grid++) {
		begin(&b, &(struct uniform_value){ .level = grid ? UNIFORM_GRID : UNIFORM_CTA }, 0, 64);
		IS_SILENT(step(&b, 0, UINT32_MAX, 7, 0, NO_LANE));
		IS_SILENT(step(&b, 0, 0, 0, 5, NO_LANE));
		IS_SILENT(step(&b, 0, UINT32_MAX, 9, 0, NO_LANE));
		IS_SILENT(step(&b, 1, 0x10, 7, 0, NO_LANE));
		IS_SILENT(step(&b, 1, UINT32_MAX, 8, 0, NO_LANE)); /* the other warp had no lane here */
		SAYS("not the same over the CTA (0xa, and 0x9 before)", step(&b, 1, UINT32_MAX, 10, 0, NO_LANE));
		uniform_cta_begin(b.cta);
		if (grid)
			SAYS("not the same over the grid (0x8, and 0x7 before)", step(&b, 0, 1, 8, 0, NO_LANE));
		else
			IS_SILENT(step(&b, 0, 1, 8, 0, NO_LANE));
		stream_free(&b.s);
	}
}
END_TEST

/* Executions from the 64th on are not compared with other warps'. */
START_TEST(so_many_executions_are_compared)
{
	struct bench b;

	begin(&b, &(struct uniform_value){ .level = UNIFORM_CTA }, 0, 64);
	for (uint32_t n = 0; n < UNIFORM_TIMES + 2; n++)
		IS_SILENT(step(&b, 0, UINT32_MAX, n, 0, NO_LANE));
	for (uint32_t n = 0; n < UNIFORM_TIMES - 1; n++)
		IS_SILENT(step(&b, 1, UINT32_MAX, n, 0, NO_LANE));
	SAYS("execution 63 of warp 1", step(&b, 1, UINT32_MAX, 99, 0, NO_LANE));
	IS_SILENT(step(&b, 1, UINT32_MAX, 99, 0, NO_LANE));
	stream_free(&b.s);
}
END_TEST

/* Whole warps alone are said to come together, unless a guard that differs holds lanes back. */
START_TEST(all_lanes_come_together)
{
	const struct uniform_value nothing = { 0 };
	const uint8_t convergent = UNIFORM_CONVERGENT | UNIFORM_GRID << UNIFORM_GUARD_AT;
	struct bench b;

	begin(&b, &nothing, convergent, 48);
	IS_SILENT(step(&b, 0, UINT32_MAX, 7, 1, NO_LANE));
	IS_SILENT(step(&b, 1, 0xffff, 7, 1, NO_LANE)); /* half a warp */
	SAYS("not all lanes come to it together", step(&b, 0, 0x7fffffff, 7, 1, NO_LANE));
	ck_assert_uint_eq(uniform_seen_compared(b.seen), 0);
	stream_free(&b.s);
	begin(&b, &nothing, UNIFORM_CONVERGENT, 64);
	IS_SILENT(step(&b, 1, 0x7fffffff, 7, 1, NO_LANE));                        /* its guard is not the same */
	SAYS("not all lanes come to it together", step(&b, 1, 0, 7, 1, NO_LANE)); /* without a guard */
	stream_free(&b.s);
	begin(&b, &nothing, convergent & ~UNIFORM_CONVERGENT, 64);
	IS_SILENT(step(&b, 1, 0x7fffffff, 7, 1, NO_LANE));
	stream_free(&b.s);
}
END_TEST

Suite *suite_uniform_seen(void);
Suite *suite_uniform_seen(void)
{
	Suite *s = suite_create("uniform_seen");
	TCase *c = tcase_create("uniform_seen");

	tcase_add_test(c, the_same_in_the_lanes_that_execute);
	tcase_add_test(c, affine_with_and_without_a_known_stride);
	tcase_add_test(c, the_same_over_a_cta_and_a_grid);
	tcase_add_test(c, so_many_executions_are_compared);
	tcase_add_test(c, all_lanes_come_together);
	suite_add_tcase(s, c);
	return s;
}

/* What results of comparisons and of functions of predicates say of other predicates, against all values that these can
 * have. */
#include "analyzer/sass/lift_code.h"
#include "test/unit/lift_fixture.h"

Suite *suite_implies(void);

enum { SM = 80, PREDS = 3, VALUES = 1 << PREDS, TRUE_PRED = 7 };

struct bits {
	unsigned high, low, value;
};

static void put_bits(struct sass_word *w, struct bits b)
{
	for (unsigned at = b.low; at <= b.high; at++) {
		uint64_t *half = at < 64 ? &w->lo : &w->hi;

		*half = (*half & ~(UINT64_C(1) << at % 64)) | (uint64_t)(b.value >> (at - b.low) & 1) << at % 64;
	}
}

/* A source: the number of a predicate, TRUE_PRED is PT, and 8 if it is negated. */
static bool source_is(unsigned source, unsigned values)
{
	const unsigned p = source & 7;

	return (p == TRUE_PRED || values >> p & 1) != (source >> 3);
}

static struct insn implied_by(struct sass_word w, enum op op)
{
	const uint64_t word[2] = { w.lo, w.hi };
	struct insn i = { .op = (uint16_t)op };
	struct sass_insn s;

	ck_assert(sass_decode(SM, w, &s));
	lift_implied(&s, word, &i);
	return i;
}

/* can[v][value]: with predicates v the result may be that. What is said holds, and is said if it is of one
 * predicate. */
static void check_result(const struct insn *i, unsigned n, const bool can[VALUES][2], const unsigned *source,
			 unsigned nsource)
{
	for (unsigned value = 0; value < 2; value++) {
		const unsigned said = insn_implies(i, n, value);
		bool any = false, fixed = false;

		for (unsigned v = 0; v < VALUES; v++) {
			any |= can[v][value];
			if (can[v][value] && said >= IMPLIES_LITERAL)
				ck_assert_msg((v >> (said - IMPLIES_LITERAL) / 2 & 1) != (said - IMPLIES_LITERAL) % 2,
					      "result %u is %u: literal %u", n, value, said);
		}
		ck_assert_msg(said != IMPLIES_NEVER || !any, "result %u may be %u", n, value);
		for (unsigned x = 0; x < nsource; x++)
			for (unsigned is = 0; is < 2 && (source[x] & 7) != TRUE_PRED; is++) {
				bool all = true;

				for (unsigned v = 0; v < VALUES; v++)
					all &= !can[v][value] || source_is(source[x], v) == is;
				fixed |= all;
			}
		ck_assert_msg(said != IMPLIES_NOTHING || !fixed || !any, "result %u is %u: nothing is said", n, value);
	}
}

START_TEST(a_function_of_predicates_implies_what_its_table_does)
{
	for (unsigned table = 0; table < 256; table++) {
		struct sass_word w = { 0x781c, 0 };
		unsigned source[3], lut[2] = { table, (table * 37 + 11 + (unsigned)_i) & 255 };
		bool can[VALUES][2];
		struct insn i;

		for (unsigned s = 0; s < 3; s++) { /* three different ones, with either sign; at times PT */
			source[s] = (s + (unsigned)_i) % 3 | ((table ^ (unsigned)_i) >> s & 1) << 3;
			if ((table + (unsigned)_i) % 5 == s)
				source[s] = TRUE_PRED | (source[s] & 8);
		}
		put_bits(&w, (struct bits){ 83, 81, 4 });
		put_bits(&w, (struct bits){ 86, 84, 5 });
		put_bits(&w, (struct bits){ 90, 87, source[0] });
		put_bits(&w, (struct bits){ 80, 77, source[1] });
		put_bits(&w, (struct bits){ 71, 68, source[2] });
		put_bits(&w, (struct bits){ 76, 72, lut[0] >> 3 });
		put_bits(&w, (struct bits){ 66, 64, lut[0] & 7 });
		put_bits(&w, (struct bits){ 23, 16, lut[1] });
		i = implied_by(w, OP_SASS_PRED);
		for (unsigned n = 0; n < 2; n++) {
			memset(can, 0, sizeof can);
			for (unsigned v = 0; v < VALUES; v++)
				can[v][lut[n] >> (4 * source_is(source[0], v) + 2 * source_is(source[1], v) +
						  source_is(source[2], v)) &
				       1] = true;
			check_result(&i, n, (const bool(*)[2])can, source, 3);
		}
	}
}
END_TEST

static bool combined(unsigned how, bool p, bool q)
{
	if (how == 0)
		return p && q;
	return how == 1 ? p || q : p != q;
}

START_TEST(a_comparison_implies_the_predicate_that_it_is_combined_with)
{
	static const struct {
		struct sass_word w;
		unsigned bool_low;
	} of[] = {
		{ { 0xffffffff0800780c, 0x000fe20003f05270 }, 74 }, /* ISETP */
		{ { 0xc2fc00001200780b, 0x000fe40003f8e000 }, 74 }, /* FSETP */
		{ { 0x3000000b00007234, 0x000fe20003f2e800 }, 69 }, /* HSETP2 */
	};

	for (unsigned how = 0; how < 3; how++)
		for (unsigned source = 0; source < 16; source++) {
			struct sass_word w = of[_i].w;
			bool can[2][VALUES][2] = { { { false } } }, matters[VALUES] = { false };
			struct insn i;
			unsigned said;

			if ((source & 7) >= PREDS && (source & 7) != TRUE_PRED)
				continue;
			put_bits(&w, (struct bits){ of[_i].bool_low + 1, of[_i].bool_low, how });
			put_bits(&w, (struct bits){ 83, 81, 4 });
			put_bits(&w, (struct bits){ 86, 84, 5 });
			put_bits(&w, (struct bits){ 90, 87, source });
			i = implied_by(w, OP_SASS_PRED);
			for (unsigned v = 0; v < VALUES; v++)
				for (unsigned compared = 0; compared < 2; compared++) {
					const bool pp = source_is(source, v);

					for (unsigned n = 0; n < 2; n++) {
						const bool c = compared != n;

						can[n][v][combined(how, c, pp)] = true;
					}
					matters[v] = how == 2 || pp == (how == 0);
				}
			for (unsigned n = 0; n < 2; n++)
				check_result(&i, n, (const bool(*)[2])can[n], &source, 1);
			said = insn_matters(&i);
			ck_assert_uint_ne(said, IMPLIES_NEVER);
			ck_assert(said != IMPLIES_NOTHING || how == 2 || (source & 7) == TRUE_PRED);
			for (unsigned v = 0; v < VALUES && said >= IMPLIES_LITERAL; v++)
				ck_assert_msg(!matters[v] || (v >> (said - IMPLIES_LITERAL) / 2 & 1) !=
								     (said - IMPLIES_LITERAL) % 2,
					      "combination %u, source %u", how, source);
		}
}
END_TEST

Suite *suite_implies(void)
{
	Suite *s = suite_create("implies");
	TCase *t = tcase_create("implies");

	tcase_add_loop_test(t, a_function_of_predicates_implies_what_its_table_does, 0, 8);
	tcase_add_loop_test(t, a_comparison_implies_the_predicate_that_it_is_combined_with, 0, 3);
	suite_add_tcase(s, t);
	return s;
}

/* The parser of options, in the styles of the programs; their own options are tested by test/commands.sh and others. */
#include "analyzer/base/options.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_options(void);

static const char *const way[] = { "fast", NULL, "faster" };
static const char *way_name(unsigned i) { return way[i]; }
static bool is_pear(const char *word) { return strcmp(word, "pear") == 0; }
static bool take_even(struct options *o, const char *value, uint64_t *number)
{
	(void)o;
	(void)value;
	return *number % 2 == 0;
}

enum { ONE = 1, TWO = 2 };
enum { FLAG, TEXT, NUMBER, EVEN, LIST, PAIR, MAYBE, WAY, LATER, HIDDEN, ONES, HELP, ROWS };
static const struct option_row row[ROWS] = {
	[FLAG] = OPTION_ROW("flag", FLAG, NULL, "a flag", .letter = 'f'),
	[TEXT] = OPTION_ROW("text", TEXT, "T", "a text", .letter = 't'),
	[NUMBER] = OPTION_ROW("number", NUMBER, "N", "a number", .low = 3, .high = 9, .or_zero = true, .def = 7),
	[EVEN] = OPTION_ROW("even", NUMBER, "N", "even", .take = take_even, .outside = "'%s' is odd"),
	[LIST] = OPTION_ROW("list", LIST, "L", "a list", .most = 2),
	[PAIR] = OPTION_ROW("pair", PAIR, "A=B", "pairs"),
	[MAYBE] = OPTION_ROW("maybe", MAYBE, "M", "may be left out", .next = is_pear),
	[WAY] = OPTION_ROW("way", TEXT, "WAY", "a word", .word = way_name, .words = 3, .wrong = "no way '%s'"),
	[LATER] = OPTION_ROW("later", TEXT, "N", "read later", .low = 1, .high = 5, .wrong = "'%s' is not 1 to 5"),
	[HIDDEN] = OPTION_ROW("hidden", FLAG, NULL, NULL),
	[ONES] = OPTION_ROW("ones", FLAG, NULL, "of one command", .of = ONE),
	[HELP] = OPTION_ROW("help", FLAG, NULL, "this text", .letter = 'h'),
};
static const struct option_table joined = { row,
					    ROWS,
					    OPTIONS_JOINED | OPTIONS_ONCE_FIRST | OPTIONS_ONCE_FLAGS,
					    14,
					    "; did you mean --%s?",
					    "too many of %s" };
static const struct option_table written = { row, ROWS, OPTIONS_WRITTEN, 12, ", did you mean --%s", "too many of %s" };
static const struct option_table bare = { row, ROWS, OPTIONS_NO_DASHES, 12, "; did you mean %s?", "too many of %s" };

/* Words of an argument line, as many as there are before NULL. */
#define WORDS 6
static const char *parse(struct options *o, const struct option_table *t, unsigned of, struct arena *a,
			 const char *const word[WORDS])
{
	char *argv[WORDS];
	int n = 0;

	for (; n < WORDS && word[n]; n++)
		argv[n] = arena_printf(a, "%s", word[n]);
	*o = (struct options){ .table = t, .of = of, .inputs = 2, .more = "too many inputs: '%s'", .a = a };
	return options_parse(o, n, argv);
}

static const struct {
	const struct option_table *t;
	const char *word[WORDS], *wrong;
} lines[] = {
	{ &joined, { "-tx", "--number=3", "a", "--", "--flag" }, NULL },
	{ &joined, { "-ftrue" }, "--flag takes no value" },
	{ &joined, { "-flag" }, "unknown option '-flag'; did you mean --flag?" },
	{ &joined, { "--flg=1" }, "unknown option '--flg=1'; did you mean --flag?" },
	{ &joined, { "--hiden" }, "unknown option '--hiden'" },
	{ &joined, { "-f", "--flag=1" }, "--flag is given twice" },
	{ &joined, { "-tx", "-t" }, "--text is given twice" },
	{ &joined, { "-t" }, "--text needs a value" },
	{ &joined, { "--list=a", "--list", "b", "--list=c" }, "too many of --list" },
	{ &joined, { "--maybe=" }, NULL },
	{ &joined, { "a", "b", "--maybe", "c" }, "too many inputs: 'c'" },
	{ &written, { "-f", "-f", "-t", "--text", "--maybe", "pear" }, NULL },
	{ &written, { "-tx" }, "unknown option '-tx'" },
	{ &written, { "-t" }, "-t needs a value" },
	{ &written, { "--flag=1" }, "'--flag=1' takes no value" },
	{ &written, { "-t", "x", "--text" }, "--text needs a value" },
	{ &written, { "-t", "x", "--text=y" }, "--text=y is given twice" },
	{ &written, { "--maybe=" }, "'--maybe=' lacks what follows the equals sign" },
	{ &written, { "--pair", "a" }, "--pair wants A=B, not 'a'" },
	{ &written, { "--number=0" }, NULL },
	{ &written, { "--number=2" }, "--number wants 3 to 9, not 2" },
	{ &written, { "--number=10" }, "--number wants 3 to 9, not 10" },
	{ &written, { "--number=+3" }, "--number wants a whole number below 2^64, not '+3'" },
	{ &written,
	  { "--number=18446744073709551616" },
	  "--number wants a whole number below 2^64, not '18446744073709551616'" },
	{ &written, { "--even=18446744073709551614" }, NULL },
	{ &written, { "--even=7" }, "'7' is odd" },
	{ &written, { "--ones" }, "unknown option '--ones'" },
	{ &bare, { "-" }, "unknown option '-'" },
	{ &bare, { "--" }, "unknown option '--'" },
	{ &bare, { "--texd=1" }, "unknown option '--texd=1'; did you mean text?" },
	{ &bare, { "-t", "1", "--text=2" }, "--text is given twice" },
};

START_TEST(lines_are_read_or_refused)
{
	const char *wrong;
	struct options o;
	struct arena a;

	arena_init(&a);
	wrong = parse(&o, lines[_i].t, TWO, &a, lines[_i].word);
	if (lines[_i].wrong)
		ck_assert_str_eq(wrong, lines[_i].wrong);
	else
		ck_assert_ptr_null(wrong);
	arena_free(&a);
}
END_TEST

START_TEST(values_are_kept_as_they_came)
{
	static const char *const word[WORDS] = { "--list=a", "-tx", "in", "--list=b", "--pair=c=d", "-" };
	static const char *const more[WORDS] = { "--maybe", "pear", "--ones", "--even=4", "--maybe" };
	struct options o;
	struct arena a;

	arena_init(&a);
	ck_assert_ptr_null(parse(&o, &joined, ONE, &a, word));
	ck_assert_uint_eq(o.given[LIST], 2);
	ck_assert(strcmp(o.list[LIST][0], "a") == 0 && strcmp(o.list[LIST][1], "b") == 0);
	ck_assert_str_eq(o.value[TEXT], "x");
	ck_assert_str_eq(o.list[PAIR][0], "c=d");
	ck_assert(o.ninput == 2 && strcmp(o.input[0], "in") == 0 && strcmp(o.input[1], "-") == 0);
	ck_assert_uint_eq(o.number[NUMBER], 7);
	ck_assert_str_eq(parse(&o, &joined, ONE | TWO, &a, more), "--maybe is given twice");
	ck_assert(o.given[ONES] && o.number[EVEN] == 4 && strcmp(o.value[MAYBE], "pear") == 0);
	arena_free(&a);
}
END_TEST

START_TEST(the_first_input_ends_the_options)
{
	char *argv[] = { "-f", "--", "-t", "program", "-x" }, *plain[] = { "-f", "program", "-x" };
	struct options o;
	struct arena a;

	arena_init(&a);
	o = (struct options){ .table = &written, .a = &a };
	ck_assert_ptr_null(options_parse(&o, 5, argv));
	ck_assert(o.rest == 2 && o.given[FLAG] && !o.given[TEXT] && !o.ninput);
	o = (struct options){ .table = &written, .a = &a };
	ck_assert_ptr_null(options_parse(&o, 3, plain));
	ck_assert_int_eq(o.rest, 1);
	arena_free(&a);
}
END_TEST

/* A value left out before an input: one too many may have been meant as it. */
START_TEST(an_input_too_many_may_be_a_value)
{
	char *argv[] = { "--maybe", "plum", "object" };
	struct options o;
	struct arena a;

	arena_init(&a);
	o = (struct options){ .table = &written, .inputs = 1, .more = "unexpected '%s'", .a = &a };
	ck_assert_str_eq(options_parse(&o, 3, argv), "unexpected 'object'; a value of --maybe follows an equals sign");
	arena_free(&a);
}
END_TEST

START_TEST(words_and_numbers_are_read_when_asked_for)
{
	static const char *const right[WORDS] = { "--way=faster", "--later= +5" };
	static const char *const wrong[WORDS] = { "--way=fasst", "--later=6" };
	unsigned v = 77;
	struct options o;
	struct arena a;

	arena_init(&a);
	ck_assert_ptr_null(parse(&o, &joined, 0, &a, right));
	ck_assert(!option_read(&o, WAY, &v) && v == 2);
	ck_assert(!option_read(&o, LATER, &v) && v == 5);
	ck_assert_ptr_null(parse(&o, &joined, 0, &a, wrong));
	ck_assert_str_eq(option_read(&o, WAY, &v), "no way 'fasst': fast or faster; did you mean fast?");
	ck_assert_str_eq(option_read(&o, LATER, &v), "'6' is not 1 to 5");
	ck_assert(!option_read(&o, TEXT, &v) && v == 5);
	arena_free(&a);
}
END_TEST

START_TEST(help_has_a_line_for_each_that_is_taken)
{
	size_t n;
	char *text;
	FILE *f = open_memstream(&text, &n);

	options_help(f, &joined, TWO);
	options_help(f, &written, ONE);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "  -t, --text=T   a text\n  --number=N     a number\n"));
	ck_assert_ptr_nonnull(strstr(text, "  --maybe[=M]    may be left out\n"));
	ck_assert_ptr_nonnull(strstr(text, "  --later=N      read later\n  -h, --help     this text\n"));
	ck_assert_ptr_nonnull(strstr(text, "  --text T     a text\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "  --later N    read later\n  --ones       of one command\n  --help       this"));
	ck_assert_ptr_null(strstr(text, "hidden"));
	free(text);
}
END_TEST

Suite *suite_options(void)
{
	Suite *s = suite_create("options");
	TCase *t = tcase_create("options");

	tcase_add_loop_test(t, lines_are_read_or_refused, 0, sizeof lines / sizeof *lines);
	tcase_add_test(t, values_are_kept_as_they_came);
	tcase_add_test(t, the_first_input_ends_the_options);
	tcase_add_test(t, an_input_too_many_may_be_a_value);
	tcase_add_test(t, words_and_numbers_are_read_when_asked_for);
	tcase_add_test(t, help_has_a_line_for_each_that_is_taken);
	suite_add_tcase(s, t);
	return s;
}

/* SHA-256 against the examples of NIST and texts of every length around a block. */
#include "analyzer/base/sha256.h"

#include <check.h>
#include <string.h>

Suite *suite_sha256(void);

static const struct {
	const char *text;
	unsigned times;
	const char *hex;
} known[] = {
	{ "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
};

START_TEST(the_examples_of_fips_180_come_out)
{
	struct sha256 s;
	char hex[SHA256_HEX];

	sha256_begin(&s);
	for (unsigned i = 0; i < known[_i].times; i++)
		sha256_add(&s, known[_i].text, strlen(known[_i].text));
	sha256_end(&s, hex);
	ck_assert_str_eq(hex, known[_i].hex);
}
END_TEST

START_TEST(the_parts_of_a_text_do_not_matter)
{
	char text[200], whole[SHA256_HEX], parts[SHA256_HEX];
	struct sha256 s;

	memset(text, 'x', sizeof text);
	for (size_t n = 0; n <= sizeof text; n++) {
		sha256_begin(&s);
		sha256_add(&s, text, n);
		sha256_end(&s, whole);
		sha256_begin(&s);
		for (size_t at = 0, part = 1; at < n; at += part, part = part % 7 + 1) {
			part = part < n - at ? part : n - at;
			sha256_add(&s, text + at, part);
		}
		sha256_end(&s, parts);
		ck_assert_str_eq(whole, parts);
	}
}
END_TEST

Suite *suite_sha256(void)
{
	Suite *s = suite_create("sha256");
	TCase *t = tcase_create("sha256");

	tcase_add_loop_test(t, the_examples_of_fips_180_come_out, 0, sizeof known / sizeof *known);
	tcase_add_test(t, the_parts_of_a_text_do_not_matter);
	suite_add_tcase(s, t);
	return s;
}

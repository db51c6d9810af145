/* Any 128 bits for any SM: decoded, printed and encoded again. What is encoded are the bits that fields explained, and
 * means the same; what no row fits is unknown, and no more. The first byte chooses the SM. */
#include "analyzer/sass/sass.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void one(struct arena *a, unsigned sm, struct sass_word w)
{
	const struct sass_print how = { .pc = 0x1a0 };
	struct sass_insn i, j;
	struct sass_word again;
	struct control_code c;
	char control[SASS_CONTROL_CHARS];

	if (sass_decode(sm, w, &i) != (i.row != NULL))
		abort();
	c = sass_control(w);
	sass_print_control(control, c);
	if (memcmp(&c, &i.control, sizeof c) != 0 || strlen(control) + 1 > SASS_CONTROL_CHARS ||
	    sass_class(&i) >= SCLASS_COUNT || !*sass_mnemonic(&i))
		abort();
	if (!i.row)
		return;
	if (i.nop > SASS_OPERANDS || i.nmod > SASS_MODS || !*sass_print(a, sm, &i, &how))
		abort();
	again = sass_encode(sm, &i);
	if (again.lo != (w.lo & ~i.unclaimed.lo) || again.hi != (w.hi & ~i.unclaimed.hi))
		abort();
	if (!sass_decode(sm, again, &j) || j.row != i.row || j.unclaimed.lo || j.unclaimed.hi ||
	    strcmp(sass_print(a, sm, &i, &how), sass_print(a, sm, &j, &how)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const unsigned sms[] = { 75, 80, 86, 89, 90, 100, 103, 110, 120, 121 };
	struct arena a;

	arena_init(&a);
	for (size_t at = 1; at + 16 <= n; at += 16) {
		struct sass_word w;

		memcpy(&w.lo, data + at, 8);
		memcpy(&w.hi, data + at + 8, 8);
		one(&a, sms[data[0] % (sizeof sms / sizeof *sms)], w);
	}
	arena_free(&a);
	return 0;
}

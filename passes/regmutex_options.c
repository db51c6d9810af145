/* Names of the ways to divide registers for RegMutex. */
#include "passes/regmutex_options.h"

#include "analyzer/base/near.h"

#include <stdlib.h>
#include <string.h>

#define P(id, name, what) name,
const char *const regmutex_place_name[REGMUTEX_PLACE_COUNT] = { REGMUTEX_PLACES(P) };
const char *const regmutex_liveness_name[REGMUTEX_LIVENESS_COUNT] = { REGMUTEX_LIVENESS(P) };
#undef P

enum regmutex_place regmutex_place_find(const char *name) { return names_find(NAMES(regmutex_place_name), name); }

enum regmutex_liveness regmutex_liveness_find(const char *name)
{
	return names_find(NAMES(regmutex_liveness_name), name);
}

bool regmutex_size_parse(const char *text, int *size)
{
	long n;
	char *end;

	if (strcmp(text, "auto") == 0 || strcmp(text, "paper") == 0 || strcmp(text, "off") == 0) {
		if (*text == 'a')
			*size = REGMUTEX_AUTO;
		else
			*size = *text == 'p' ? REGMUTEX_PAPER : REGMUTEX_OFF;
		return true;
	}
	n = strtol(text, &end, 10);
	*size = (int)n;
	return *text >= '0' && *text <= '9' && !*end && n >= 1 && n <= REGMUTEX_MAX;
}

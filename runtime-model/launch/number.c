/* Numbers of launch files: exact 64-bit integers with a sign, or doubles. */
#include "runtime-model/launch/launch.h"

#include <stdlib.h>
#include <string.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* All of s as an integer of 64 bits. A leading 0 is a plain decimal zero. */
static bool parse_integer(const char *s, uint64_t *out)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	uint64_t v = 0;
	unsigned base = hex ? 16 : 10;

	s += hex ? 2 : 0;
	if (!*s)
		return false;
	for (; *s; s++) {
		unsigned k = (unsigned)digit(*s);

		if (k >= base || v > (UINT64_MAX - k) / base)
			return false;
		v = v * base + k;
	}
	*out = v;
	return true;
}

bool number_parse(struct number *n, const char *text)
{
	const char *s = text + (*text == '-' || *text == '+');
	char *end;

	*n = (struct number){ .neg = *text == '-' };
	if (parse_integer(s, &n->mag)) {
		n->is_int = true;
		n->f = n->neg ? -(double)n->mag : (double)n->mag;
		return true;
	}
	if (strcmp(s, ".inf") == 0 || strcmp(s, ".nan") == 0)
		s++;
	else if (!*s || !strchr("0123456789.in", *s) || strchr(s, '(')) /* no second sign, no spaces, no nan(...) */
		return false;
	n->f = strtod(s, &end);
	if (end == s || *end)
		return false;
	n->f = n->neg ? -n->f : n->f;
	return true;
}

bool number_fits(const struct number *n, enum scalar_type t)
{
	unsigned bits = type_info[t].bits;
	char kind = type_info[t].kind;
	uint64_t most = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX, half = (uint64_t)1 << (bits - 1);

	if (kind == 'f')
		return true;
	if (!n->is_int)
		return false;
	if (n->neg)
		return n->mag == 0 || (kind != 'u' && n->mag <= half);
	return n->mag <= (kind == 's' ? half - 1 : most);
}

void number_store(const struct number *n, enum scalar_type t, void *out)
{
	uint64_t v = n->neg ? 0 - n->mag : n->mag;
	float f = (float)n->f;

	if (t == TY_F64)
		memcpy(out, &n->f, 8);
	else if (t == TY_F32)
		memcpy(out, &f, 4);
	else
		memcpy(out, &v, type_info[t].bits / 8);
}

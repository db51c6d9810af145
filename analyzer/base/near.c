/* The distance of Damerau and Levenshtein where no part of a name is edited twice (optimal string alignment), in three
 * rows of the table. */
#include "analyzer/base/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *name_at(struct names s, unsigned i)
{
	return *(const char *const *)(const void *)((const char *)s.first + i * s.step);
}

unsigned names_find(struct names s, const char *name)
{
	unsigned i = 0;

	while (i < s.n && !(name_at(s, i) && strcmp(name_at(s, i), name) == 0))
		i++;
	return i;
}

unsigned name_find(const char *const *list, unsigned n, const char *name)
{
	return names_find((struct names){ list, n, sizeof *list }, name);
}

unsigned near_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit)
{
	unsigned row[3][NEAR_MAX + 1], *before = row[0], *last = row[1], *now = row[2];

	if (na > NEAR_MAX || nb > NEAR_MAX || na > nb + limit || nb > na + limit)
		return limit + 1;
	for (size_t j = 0; j <= nb; j++)
		last[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned best = now[0] = (unsigned)i, *spare = before;

		for (size_t j = 1; j <= nb; j++) {
			unsigned x = last[j - 1] + (a[i - 1] != b[j - 1]);

			x = last[j] + 1 < x ? last[j] + 1 : x;
			x = now[j - 1] + 1 < x ? now[j - 1] + 1 : x;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < x)
				x = before[j - 2] + 1;
			now[j] = x;
			best = x < best ? x : best;
		}
		if (best > limit) /* a swap's cost is never below the least of the row that it skips */
			return limit + 1;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

void near_begin(struct near *x, const char *name, size_t n)
{
	/* Three edits of a short name make any other of it. */
	const unsigned most = n < 8 ? 2 : 3;

	*x = (struct near){ .name = name, .n = n, .limit = n < 4 ? 1 : most };
}

/* Is it one or more of the words of other, which '-' or '+' joins? */
static bool is_part(const struct near *x, const char *other)
{
	for (const char *at = other; *at; at += strcspn(at, "-+"), at += *at != '\0')
		if (strncmp(at, x->name, x->n) == 0 && strchr("-+", at[x->n]))
			return true;
	return false;
}

/* Is each word of a, which '-' or '+' joins, one of b? */
static bool has_words(const char *b, const char *a, size_t na)
{
	for (size_t from = 0, n; from < na; from += n + 1) {
		n = strcspn(a + from, "-+");
		if (!is_part(&(struct near){ .name = a + from, .n = n }, b))
			return false;
	}
	return true;
}

/* The same words in another order? */
static bool is_shuffled(const struct near *x, const char *other)
{
	size_t n = strlen(other);
	char name[NEAR_MAX + 1];

	if (n != x->n || n > NEAR_MAX)
		return false;
	memcpy(name, x->name, n);
	name[n] = '\0';
	return has_words(other, name, n) && has_words(name, other, n);
}

/* Are the n letters at `word` left of those at `other`, up to the end of its word, in order, the first the same? */
static bool shortens(const char *word, size_t n, const char *other)
{
	if (*word != *other)
		return false;
	for (size_t i = 0; *other && *other != '-' && *other != '+'; other++)
		if (*other == word[i] && ++i == n)
			return true;
	return false;
}

/* Does each word shorten one of other, in order? */
static bool is_brief(const struct near *x, const char *other)
{
	for (size_t from = 0, n; from < x->n; from += n + 1) {
		n = strcspn(x->name + from, "-+=");
		if (from + n > x->n)
			n = x->n - from;
		while (*other && (!n || !shortens(x->name + from, n, other))) {
			other += strcspn(other, "-+");
			other += *other != '\0';
		}
		if (!*other)
			return false;
		other += strcspn(other, "-+");
		other += *other != '\0';
	}
	return x->n >= 3;
}

void near_offer(struct near *x, const char *other)
{
	unsigned d = near_distance(x->name, x->n, other, strlen(other), x->limit);

	if (x->n >= 3 && strlen(other) <= NEAR_MAX && (is_part(x, other) || is_shuffled(x, other)) &&
	    (!x->whole || strlen(other) < strlen(x->whole)))
		x->whole = other;
	if (is_brief(x, other) && (!x->brief || strlen(other) < strlen(x->brief)))
		x->brief = other;
	if (d > x->limit || d >= strlen(other) || (x->found && d == x->limit))
		return;
	x->limit = d;
	x->found = other;
}

void near_offer_all(struct near *x, struct names s)
{
	for (unsigned i = 0; i < s.n; i++)
		if (name_at(s, i))
			near_offer(x, name_at(s, i));
}

const char *near_meant(const struct near *x)
{
	if (x->whole)
		return x->whole;
	return x->found ? x->found : x->brief;
}

const char *near_hint(const struct near *x, char buf[NEAR_HINT])
{
	buf[0] = '\0';
	if (near_meant(x))
		snprintf(buf, NEAR_HINT, "; did you mean %s?", near_meant(x));
	return buf;
}

const char *near_list(const char *given, near_name *name, unsigned n, struct arena *a)
{
	const char *list = "", *last = NULL;
	char hint[NEAR_HINT];
	struct near near;

	near_begin(&near, given, strlen(given));
	for (unsigned i = 0; i < n; i++) {
		if (!name(i))
			continue;
		near_offer(&near, name(i));
		if (last)
			list = arena_printf(a, "%s%s%s", list, *list ? ", " : "", last);
		last = name(i);
	}
	return arena_printf(a, "%s%s%s%s", list, *list ? " or " : "", last ? last : "", near_hint(&near, hint));
}

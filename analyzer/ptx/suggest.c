/* What may have been meant by a name that nobody declares or knows: the nearest one, as the end of a message, or "".
 *
 * A name may have one wrong byte in three letters, two in six. Names that differ in digits only are not alike:
 * registers and labels are numbered, and the number next to a wrong one is rarely the right one. */
#include "parse.h"

#include "analyzer/base/near.h"

#include <stdlib.h>
#include <string.h>

/* looked for in one text; a search takes time linear in the names */
enum { SUGGESTIONS_MAX = 200 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static unsigned letters(const char *s, size_t n)
{
	unsigned l = 0;

	for (size_t i = 0; i < n; i++)
		l += (s[i] | 32) >= 'a' && (s[i] | 32) <= 'z';
	return l;
}

static bool same_but_digits(const char *a, size_t na, const char *b, size_t nb)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < na && is_digit(a[i]))
			i++;
		while (j < nb && is_digit(b[j]))
			j++;
		if (i == na || j == nb)
			return i == na && j == nb;
		if (a[i++] != b[j++])
			return false;
	}
}

static bool same_but_case(const char *a, size_t na, const char *b, size_t nb)
{
	for (size_t i = 0; na == nb && i < na; i++)
		if (a[i] != b[i] && ((a[i] ^ b[i]) != 32 || (a[i] | 32) < 'a' || (a[i] | 32) > 'z'))
			return false;
	return na == nb;
}

struct search {
	const char *text, *best;
	size_t len, best_len;
	unsigned limit, score;
};

static struct search search_for(const char *text, size_t len)
{
	unsigned l = letters(text, len), limit = (l >= 3) + (l >= 6);

	return (struct search){ .text = text, .len = len, .limit = limit, .score = limit + 1 };
}

static void consider(struct search *s, const char *name, size_t len)
{
	unsigned d;

	if (same_but_case(s->text, s->len, name, len))
		d = 0;
	else if (!s->score || (d = near_distance(s->text, s->len, name, len, s->limit)) >= s->score ||
		 same_but_digits(s->text, s->len, name, len))
		return;
	s->best = name;
	s->best_len = len;
	s->score = d;
}

/* The register with NAME's number in range b. */
static void consider_range(struct parser *p, struct search *s, const struct binding *b)
{
	const char *range = scope_name(p, b->id);
	size_t len = strlen(range), cut = s->len;
	struct search base = *s;

	while (cut && is_digit(s->text[cut - 1]))
		cut--;
	base.len = cut;
	if (cut == s->len || s->len - cut >= 10 || strtoul(s->text + cut, NULL, 10) >= b->count)
		return;
	consider(&base, range, len);
	if (base.score >= s->score)
		return;
	*s = base;
	s->len = strlen(s->text);
	s->best = arena_printf(&p->a, "%s%lu", range, strtoul(s->text + cut, NULL, 10));
	s->best_len = strlen(s->best);
}

static const char *found(struct parser *p, const struct search *s, const char *dot)
{
	return s->best ? arena_printf(&p->a, "; did you mean '%s%.*s'?", dot, (int)s->best_len, s->best) : "";
}

/* NAME is a number behind the name of a range, but beyond its end. */
static const char *beyond_range(struct parser *p, const char *name)
{
	size_t len = strlen(name), cut = len;

	while (cut > 1 && is_digit(name[cut - 1])) {
		uint32_t id = intern_find(&p->m->names, name, --cut);

		if (name[cut] != '0' && len - cut < 10 && id != INTERN_NONE && id < p->name_cap && p->range[id] &&
		    strtoul(name + cut, NULL, 10) >= p->range[id]->count)
			return arena_printf(&p->a, "; %.*s<%u> ends with %.*s%u", (int)cut, name, p->range[id]->count,
					    (int)cut, name, p->range[id]->count - 1);
	}
	return "";
}

const char *suggest_name(struct parser *p, uint32_t id, unsigned kinds)
{
	const char *name = scope_name(p, id), *range;
	size_t len = strlen(name);
	struct search s = search_for(name, len);

	if (p->suggestions++ >= SUGGESTIONS_MAX)
		return "";
	range = kinds & 1u << B_REG ? beyond_range(p, name) : "";
	if (*range)
		return range;
	for (uint32_t d = p->depth + 1; d-- > 0;)
		for (const struct binding *b = p->scope[d].names; b; b = b->next)
			if (kinds >> b->kind & 1 && b->count)
				consider_range(p, &s, b);
			else if (kinds >> b->kind & 1)
				consider(&s, scope_name(p, b->id), strlen(scope_name(p, b->id)));
	if (kinds & 1u << B_REG && name[0] == '%')
		for (unsigned i = 0; i < SREG_COUNT; i++)
			consider(&s, sreg_name[i], strcspn(sreg_name[i], "."));
	return found(p, &s, "");
}

const char *suggest_word(struct parser *p, const char *text, size_t len, const char *const words[], unsigned n)
{
	struct search s = search_for(text, len);

	for (unsigned i = 0; i < n; i++) {
		if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
			return ""; /* what is wrong is its place */
		consider(&s, words[i], strlen(words[i]));
	}
	return found(p, &s, *words[0] == '.' ? "" : ".");
}

const char *suggest_base(struct parser *p, const struct mnemonic *mn)
{
	struct search s = search_for(mn->part[0].s, mn->part[0].len);
	const char *name;

	for (unsigned i = 0; (name = isa_base(i)); i++)
		consider(&s, name, strlen(name));
	return found(p, &s, "");
}

const char *suggest_type(struct parser *p)
{
	struct search s = { .text = token_text(p) + 1, .len = p->t.len - 1u, .limit = 1, .score = 2 };

	for (unsigned t = 0; t < TY_COUNT; t++)
		if (type_info[t].kind != 'x' &&
		    near_distance(s.text, s.len, type_info[t].text, strlen(type_info[t].text), 1) < s.score) {
			s.best = type_info[t].text;
			s.best_len = strlen(s.best);
			s.score = 1;
		}
	return found(p, &s, ".");
}

const char *suggest_directive(struct parser *p)
{
	static const char *const module[] = {
		".version", ".target", ".address_size", ".visible", ".extern", ".weak", ".common",  ".entry",
		".func",    ".alias",  ".global",       ".const",   ".shared", ".file", ".section", ".pragma",
	};
	static const char *const body[] = {
		".reg",    ".param",  ".local", ".shared",        ".global",      ".const",
		".extern", ".pragma", ".loc",   ".branchtargets", ".calltargets", ".callprototype",
	};

	return p->depth ? suggest_word(p, token_text(p), p->t.len, body, sizeof body / sizeof *body)
			: suggest_word(p, token_text(p), p->t.len, module, sizeof module / sizeof *module);
}

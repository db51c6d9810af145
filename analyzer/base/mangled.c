/* Not done by a library: libiberty's demangler (libstdc++ has the same) takes twice as long for each type of a
 * conversion operator inside another,
 * "_ZN1acvT_IT_I...", and a cubin's names are anybody's; LLVM's has no interface for C. */
#include "analyzer/base/mangled.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

struct text {
	const char *s;
	size_t n;
};
/* the last component read, and the one before */
struct name {
	struct text own, of;
	enum { PLAIN, OPERATOR, DESTRUCTOR } kind;
};
struct reader {
	const char *p, *end;
	unsigned depth;
};

static const char lambda[] = "lambda";

static const struct {
	char code[3];
	const char *text;
} operators[] = {
	{ "nw", " new" }, { "na", " new[]" }, { "dl", " delete" }, { "da", " delete[]" }, { "co", "~" },
	{ "pl", "+" },    { "mi", "-" },      { "ml", "*" },       { "dv", "/" },         { "rm", "%" },
	{ "an", "&" },    { "or", "|" },      { "eo", "^" },       { "aS", "=" },         { "pL", "+=" },
	{ "mI", "-=" },   { "mL", "*=" },     { "dV", "/=" },      { "rM", "%=" },        { "aN", "&=" },
	{ "oR", "|=" },   { "eO", "^=" },     { "ls", "<<" },      { "rs", ">>" },        { "lS", "<<=" },
	{ "rS", ">>=" },  { "eq", "==" },     { "ne", "!=" },      { "lt", "<" },         { "gt", ">" },
	{ "le", "<=" },   { "ge", ">=" },     { "ss", "<=>" },     { "nt", "!" },         { "aa", "&&" },
	{ "oo", "||" },   { "pp", "++" },     { "mm", "--" },      { "cm", "," },         { "pm", "->*" },
	{ "pt", "->" },   { "cl", "()" },     { "ix", "[]" },      { "ps", "+" },         { "ng", "-" },
	{ "ad", "&" },    { "de", "*" },
};

static bool at(const struct reader *r, char c) { return r->p < r->end && *r->p == c; }
static bool at_any(const struct reader *r, const char *set) { return r->p < r->end && strchr(set, *r->p); }
static bool at_digit(const struct reader *r) { return at_any(r, "0123456789"); }
static bool at_two(const struct reader *r, char a, const char *set)
{
	return r->end - r->p > 1 && *r->p == a && strchr(set, r->p[1]);
}

static bool take(struct reader *r, char c)
{
	const bool found = at(r, c);

	r->p += found;
	return found;
}

static void digits(struct reader *r)
{
	while (at_digit(r))
		r->p++;
}

/* The rest of "S_", "S0_", "TA_". */
static bool sequence(struct reader *r)
{
	while (r->p < r->end && *r->p != '_' && at_any(r, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		r->p++;
	return take(r, '_');
}

static bool source_name(struct reader *r, struct text *t)
{
	size_t n = 0;

	for (; at_digit(r) && n < MANGLED_LOOK; r->p++)
		n = 10 * n + (size_t)(*r->p - '0');
	if (!n || n > (size_t)(r->end - r->p))
		return false;
	*t = (struct text){ r->p, n };
	r->p += n;
	return true;
}

static bool type(struct reader *r);
static bool name(struct reader *r, struct name *n);

static bool types(struct reader *r) /* up to E, or the end */
{
	while (r->p < r->end && !at(r, 'E')) {
		/* the object that a member function is called on */
		if (at_two(r, 'R', "E") || at_two(r, 'O', "E")) {
			r->p++;
			break;
		}
		if (!type(r))
			return false;
	}
	return true;
}

static bool encoding(struct reader *r, struct name *n) { return name(r, n) && types(r); }

static bool substitution(struct reader *r)
{
	r->p++;
	if (!at_any(r, "absiod"))
		return sequence(r);
	r->p++;
	return true;
}

/* ---- template arguments ---- */
static bool literal(struct reader *r)
{
	struct name n = { 0 };

	r->p++;
	if (at_two(r, '_', "Z")) {
		r->p += 2;
		if (!encoding(r, &n))
			return false;
	} else if (!type(r)) {
		return false;
	}
	while (at_any(r, "0123456789abcdefn_"))
		r->p++;
	return take(r, 'E');
}

static bool arguments(struct reader *r) /* from I, or of a pack from J, to E; not those that are expressions */
{
	bool good = ++r->depth < DEPTH_MAX;

	for (r->p++; good && !take(r, 'E');)
		if (at(r, 'L'))
			good = literal(r);
		else
			good = at(r, 'J') ? arguments(r) : type(r);
	r->depth--;
	return good;
}

/* ---- types ---- */
static bool d_type(struct reader *r)
{
	r->p++;
	if (at_any(r, "po")) {
		r->p++;
		return type(r);
	}
	if (at_any(r, "vFBU")) {
		const bool vector = *r->p++ == 'v';

		digits(r);
		if (at_any(r, "bx")) {
			r->p++;
			return !vector;
		}
		return take(r, '_') && (!vector || type(r));
	}
	if (!at_any(r, "nisuacdefh"))
		return false;
	r->p++;
	return true;
}

static bool optional_arguments(struct reader *r) { return !at(r, 'I') || arguments(r); }

static bool one_type(struct reader *r)
{
	struct name n = { 0 };
	struct text t;

	while (at_any(r, "KVrPROCGU"))
		if (*r->p++ == 'U' && (!source_name(r, &t) || !optional_arguments(r)))
			return false;
	if (r->p == r->end)
		return false;
	switch (*r->p) {
	case 'D':
		return d_type(r);
	case 'F':
		r->p++;
		take(r, 'Y');
		return types(r) && take(r, 'E');
	case 'A':
		r->p++;
		digits(r);
		return take(r, '_') && type(r);
	case 'M': /* a pointer to a member: the class, then what it is */
		r->p++;
		if (!type(r))
			return false;
		return type(r);
	case 'S':
		return at_two(r, 'S', "t") ? name(r, &n) : substitution(r) && optional_arguments(r);
	case 'T':
		r->p++;
		if (at_any(r, "sue")) {
			r->p++;
			return name(r, &n);
		}
		return sequence(r) && optional_arguments(r);
	case 'u':
		r->p++;
		return source_name(r, &t) && optional_arguments(r);
	default:
		if (at_any(r, "NZ") || at_digit(r))
			return name(r, &n);
		return at_any(r, "abcdefghijklmnopqrstvwxyz") && r->p++;
	}
}

static bool type(struct reader *r)
{
	const bool good = ++r->depth < DEPTH_MAX && one_type(r);

	r->depth--;
	return good;
}

/* ---- names ---- */
static void component(struct name *n, struct text own, int kind)
{
	n->of = n->own;
	n->own = own;
	n->kind = kind;
}

static bool operator_name(struct reader *r, struct name *n)
{
	struct text t;

	if (r->end - r->p < 2)
		return false;
	if (at_two(r, 'c', "v")) {
		r->p += 2;
		component(n, (struct text){ " TYPE", 5 }, OPERATOR);
		return type(r);
	}
	if (at_two(r, 'l', "i")) {
		r->p += 2;
		component(n, (struct text){ "\"\"", 2 }, OPERATOR);
		return source_name(r, &t);
	}
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (memcmp(r->p, operators[i].code, 2) == 0) {
			if (n->own.s != lambda) /* of which this is all that there is */
				component(n, (struct text){ operators[i].text, strlen(operators[i].text) }, OPERATOR);
			r->p += 2;
			return true;
		}
	return false;
}

static bool unqualified(struct reader *r, struct name *n)
{
	struct text t;

	take(r, 'L');
	if (at_digit(r)) {
		if (!source_name(r, &t))
			return false;
		component(n, t, PLAIN);
		while (at_two(r, 'B', "123456789"))
			if (r->p++, !source_name(r, &t))
				return false;
		return true;
	}
	if (at_two(r, 'C', "12345") || at_two(r, 'D', "01245")) {
		if (*r->p == 'D')
			component(n, n->own, DESTRUCTOR);
		r->p += 2;
		return n->own.n;
	}
	if (at_two(r, 'U', "lt")) {
		const bool unnamed = r->p[1] == 't';

		r->p += 2;
		component(n, unnamed ? (struct text){ "unnamed", 7 } : (struct text){ lambda, sizeof lambda - 1 },
			  PLAIN);
		if (!unnamed && !(types(r) && take(r, 'E')))
			return false;
		digits(r);
		return take(r, '_');
	}
	return operator_name(r, n);
}

static bool nested(struct reader *r, struct name *n)
{
	while (at_any(r, "rVK"))
		r->p++;
	if (at_any(r, "RO"))
		r->p++;
	while (!take(r, 'E'))
		if (at_two(r, 'S', "t")) {
			r->p += 2;
		} else if (at(r, 'S') || at(r, 'T')) {
			if (!(at(r, 'S') ? substitution(r) : (r->p++, sequence(r))))
				return false;
			component(n, (struct text){ NULL, 0 }, PLAIN);
		} else if (!(at(r, 'I') ? arguments(r) : unqualified(r, n))) {
			return false;
		}
	return true;
}

/* A name inside of a function. */
static bool local(struct reader *r, struct name *n)
{
	struct name of = { 0 };

	if (!encoding(r, &of) || !take(r, 'E'))
		return false;
	if (take(r, 's')) {
		component(n, (struct text){ "string", 6 }, PLAIN);
		return true;
	}
	if (take(r, 'd')) {
		digits(r);
		if (!take(r, '_'))
			return false;
	}
	if (!name(r, n))
		return false;
	if (take(r, '_')) {
		if (take(r, '_')) {
			digits(r);
			return take(r, '_');
		}
		r->p += at_digit(r);
	}
	return true;
}

static bool name(struct reader *r, struct name *n)
{
	bool good = ++r->depth < DEPTH_MAX;

	if (good) {
		if (take(r, 'N')) {
			good = nested(r, n);
		} else if (take(r, 'Z')) {
			good = local(r, n);
		} else {
			r->p += at_two(r, 'S', "t") ? 2 : 0;
			good = unqualified(r, n) && optional_arguments(r);
		}
	}
	r->depth--;
	return good;
}

size_t mangled_name(const char *symbol, char *out, size_t room)
{
	const size_t all = strnlen(symbol, MANGLED_LOOK);
	struct reader r = { .p = symbol + 2, .end = symbol + all };
	struct name n = { 0 };
	const bool mangled = all > 2 && symbol[0] == '_' && symbol[1] == 'Z',
		   inner = mangled && (symbol[2] == 'N' || symbol[2] == 'Z');
	int used;

	/* what follows the name of a function outside of all classes need not be read */
	if (!mangled || (!name(&r, &n) && inner) || !n.own.n)
		n = (struct name){ .own = { symbol, all } };
	if (n.kind == OPERATOR)
		used = snprintf(out, room, "%.*s%soperator%.*s", (int)n.of.n, n.of.n ? n.of.s : "", n.of.n ? "::" : "",
				(int)n.own.n, n.own.s);
	else
		used = snprintf(out, room, "%s%.*s", n.kind == DESTRUCTOR ? "~" : "", (int)n.own.n, n.own.s);
	if (used < 0)
		return 0;
	return (size_t)used < room ? (size_t)used : room - 1;
}

/* The PTX lexer.
 * Identifiers are [A-Za-z][A-Za-z0-9_$]* or [_$%][A-Za-z0-9_$]+ of any length (PTX ISA, Identifiers), so "7%4" is two
 * tokens. A dot and the word after it are one token, with its :: parts, so a mnemonic is an identifier and a run of
 * dots whether or not blanks stand between them. */
#include "lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
static bool is_alpha(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
static bool is_word(unsigned char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '$'; }

static int hex_digit(unsigned char c)
{
	if (is_digit(c))
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

void lex_init(struct lexer *lx, const struct source *src, struct diag *d)
{
	*lx = (struct lexer){ .src = src, .d = d };
}

void lex_skip_line(struct lexer *lx)
{
	const char *p = memchr(lx->src->text + lx->at, '\n', lx->src->len - lx->at);

	lx->at = p ? (uint32_t)(p - lx->src->text) : (uint32_t)lx->src->len;
}

/* The byte at offset i; 0 past the end. */
static unsigned char peek(const struct lexer *lx, uint32_t i)
{
	return i < lx->src->len ? (unsigned char)lx->src->text[i] : 0;
}

static bool complain(struct lexer *lx, uint32_t off, const char *what)
{
	return !lx->quiet && diag_error(lx->d, (struct loc){ lx->src, off }, "%s", what);
}

/* Skips blanks and comments; *first is set when a line ended. */
static void skip_blanks(struct lexer *lx, bool *first)
{
	for (;;) {
		unsigned char c = peek(lx, lx->at);

		if (c == '\n') {
			*first = true;
			lx->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			lx->at++;
		} else if (c == '/' && peek(lx, lx->at + 1) == '/') {
			lex_skip_line(lx);
		} else if (c == '/' && peek(lx, lx->at + 1) == '*') {
			uint32_t start = lx->at;

			for (lx->at += 2; lx->at < lx->src->len; lx->at++) {
				if (peek(lx, lx->at) == '\n')
					*first = true;
				if (peek(lx, lx->at) == '*' && peek(lx, lx->at + 1) == '/')
					break;
			}
			if (lx->at >= lx->src->len) {
				lx->at = (uint32_t)lx->src->len;
				complain(lx, start, "this comment is not closed");
				return;
			}
			lx->at += 2;
		} else {
			return;
		}
	}
}

/* 0f and 0d with `digits` hexadecimal digits. */
static bool lex_hex_float(struct lexer *lx, struct token *t, unsigned digits)
{
	unsigned n = 0;

	for (lx->at += 2; hex_digit(peek(lx, lx->at)) >= 0; lx->at++, n++)
		t->value = t->value << 4 | (unsigned)hex_digit(peek(lx, lx->at));
	t->kind = digits == 8 ? T_F32 : T_F64;
	return n == digits;
}

static bool lex_integer(struct lexer *lx, struct token *t, unsigned base)
{
	unsigned n = 0;
	bool over = false;

	t->kind = T_INT;
	for (;; lx->at++, n++) {
		int v = hex_digit(peek(lx, lx->at));
		uint64_t next;

		if (v < 0 || (unsigned)v >= base)
			break;
		next = t->value * base + (unsigned)v;
		over |= t->value > (UINT64_MAX - (unsigned)v) / base;
		t->value = next;
	}
	t->uns = t->value > INT64_MAX;
	if (peek(lx, lx->at) == 'U') {
		t->uns = true;
		lx->at++;
	}
	if (over)
		complain(lx, t->off, "this number needs more than 64 bits");
	return n > 0;
}

/* A decimal floating-point number, if one starts here: digits with a point or an exponent. */
static bool lex_decimal_float(struct lexer *lx, struct token *t)
{
	uint32_t i = lx->at;
	bool is_float = false;
	char small[64], *text = small;
	double v;

	while (is_digit(peek(lx, i)))
		i++;
	if (peek(lx, i) == '.') {
		is_float = true;
		for (i++; is_digit(peek(lx, i)); i++)
			;
	}
	if ((peek(lx, i) | 32) == 'e') {
		uint32_t e = i + 1;

		if (peek(lx, e) == '+' || peek(lx, e) == '-')
			e++;
		if (is_digit(peek(lx, e))) {
			is_float = true;
			for (i = e; is_digit(peek(lx, i)); i++)
				;
		}
	}
	if (!is_float)
		return false;
	if (i - lx->at >= sizeof small) {
		text = arena_strndup(&lx->d->a, lx->src->text + lx->at, i - lx->at);
	} else {
		memcpy(small, lx->src->text + lx->at, i - lx->at);
		small[i - lx->at] = 0;
	}
	v = strtod(text, NULL);
	memcpy(&t->value, &v, sizeof v);
	t->kind = T_FLOAT;
	lx->at = i;
	return true;
}

static void lex_number(struct lexer *lx, struct token *t)
{
	unsigned char c = peek(lx, lx->at), x = peek(lx, lx->at + 1) | 32;
	const char *wrong = "this is not a number";
	bool ok;

	if (c == '0' && x == 'f') {
		ok = lex_hex_float(lx, t, 8);
		wrong = "0f takes eight hexadecimal digits";
	} else if (c == '0' && x == 'd') {
		ok = lex_hex_float(lx, t, 16);
		wrong = "0d takes sixteen hexadecimal digits";
	} else if (c == '0' && (x == 'x' || x == 'b')) {
		lx->at += 2;
		ok = lex_integer(lx, t, x == 'x' ? 16 : 2);
	} else if (lex_decimal_float(lx, t)) {
		ok = true;
	} else {
		ok = lex_integer(lx, t, c == '0' ? 8 : 10);
	}
	if (!ok || is_word(peek(lx, lx->at))) {
		complain(lx, t->off, wrong);
		while (is_word(peek(lx, lx->at)))
			lx->at++;
	}
}

static void lex_string(struct lexer *lx, struct token *t)
{
	t->kind = T_STRING;
	for (lx->at++; lx->at < lx->src->len && peek(lx, lx->at) != '\n'; lx->at++) {
		if (peek(lx, lx->at) == '"') {
			lx->at++;
			return;
		}
		if (peek(lx, lx->at) == '\\' && peek(lx, lx->at + 1) == '"')
			lx->at++;
	}
	complain(lx, t->off, "this string is not closed on its line");
}

static uint16_t two_characters(unsigned char a, unsigned char b)
{
	static const struct {
		char text[3];
		uint16_t kind;
	} pair[] = {
		{ "<<", T_SHL }, { ">>", T_SHR }, { "<=", T_LE },     { ">=", T_GE },
		{ "==", T_EQ },  { "!=", T_NE },  { "&&", T_ANDAND }, { "||", T_OROR },
	};

	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (pair[i].text[0] == (char)a && pair[i].text[1] == (char)b)
			return pair[i].kind;
	return 0;
}

static void lex_word(struct lexer *lx, struct token *t)
{
	t->kind = T_IDENT;
	for (lx->at++; is_word(peek(lx, lx->at)); lx->at++)
		;
}

static void lex_dot(struct lexer *lx, struct token *t)
{
	t->kind = T_DOT;
	for (lx->at++;; lx->at++) {
		if (peek(lx, lx->at) == ':' && peek(lx, lx->at + 1) == ':' && is_word(peek(lx, lx->at + 2)))
			lx->at += 2;
		if (!is_word(peek(lx, lx->at)))
			break;
	}
}

/* One token at lx->at; false if there is none there. */
static bool lex_token(struct lexer *lx, struct token *t)
{
	unsigned char c = peek(lx, lx->at), next = peek(lx, lx->at + 1);

	if (is_alpha(c) || ((c == '_' || c == '$' || c == '%') && is_word(next))) {
		lex_word(lx, t);
	} else if (is_digit(c) || (c == '.' && is_digit(next) && !lx->after_word)) {
		lex_number(lx, t);
	} else if (c == '.' && is_word(next)) {
		lex_dot(lx, t);
	} else if (c == '"') {
		lex_string(lx, t);
	} else if ((t->kind = two_characters(c, next))) {
		lx->at += 2;
	} else if (c && strchr("(){}[]<>,;:@!=+-*/%&|^~?_", c)) {
		t->kind = c;
		lx->at++;
	} else {
		return false;
	}
	return true;
}

void lex_next(struct lexer *lx, struct token *t)
{
	bool first = lx->at == 0;

	for (;;) {
		unsigned char c;

		skip_blanks(lx, &first);
		*t = (struct token){ .kind = T_END, .first = first, .off = lx->at };
		if (lx->at >= lx->src->len || diag_full(lx->d))
			return;
		if (lex_token(lx, t))
			break;
		c = peek(lx, lx->at);
		if (lx->quiet)
			;
		else if (c > ' ' && c < 0x7f)
			diag_error(lx->d, (struct loc){ lx->src, lx->at }, "unexpected character '%c'", c);
		else
			diag_error(lx->d, (struct loc){ lx->src, lx->at }, "unexpected byte 0x%02x", c);
		/* a run of foreign bytes is one error */
		for (lx->at++; lx->at < lx->src->len && (peek(lx, lx->at) >= 0x7f || !peek(lx, lx->at)); lx->at++)
			;
	}
	t->len = lx->at - t->off;
	lx->after_word = t->kind == T_IDENT || t->kind == T_DOT;
}

struct token lex_ahead(const struct lexer *lx)
{
	struct lexer copy = *lx;
	struct token t;

	copy.quiet = true;
	lex_next(&copy, &t);
	return t;
}

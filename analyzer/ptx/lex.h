/* Tokens of PTX. A token is a range of the source text; nothing is copied. */
#ifndef REGLOOM_PTX_LEX_H
#define REGLOOM_PTX_LEX_H

#include "analyzer/base/diag.h"

/* A single-character token is its character; the others follow. */
enum token_kind {
	T_END = 0,     /* end of the text, or too many errors */
	T_IDENT = 256, /* add, %r1, $L__BB0_2, _Z3fooPi */
	T_DOT,         /* .u32, .L1::evict_last: the dot and the word after it */
	T_INT,
	T_FLOAT,
	T_F32,
	T_F64, /* 12, 1.5, 0f3F800000, 0d3FF0000000000000 */
	T_STRING,
	T_SHL,
	T_SHR,
	T_LE,
	T_GE,
	T_EQ,
	T_NE,
	T_ANDAND,
	T_OROR,
};

struct token {
	uint16_t kind;
	bool first; /* of its line */
	bool uns;   /* T_INT with U, or too large for int64_t */
	uint32_t off, len;
	/* T_INT: the number; T_F32, T_F64: its bits; T_FLOAT: bits of the nearest double */
	uint64_t value;
};

struct lexer {
	const struct source *src;
	struct diag *d;
	uint32_t at;
	bool quiet;      /* looking ahead: what is wrong is reported when it is read */
	bool after_word; /* the token before was T_IDENT or T_DOT: ".5" continues a mnemonic (tex.2d) */
};

void lex_init(struct lexer *lx, const struct source *src, struct diag *d);
/* The next token. Reports what is no token and goes on behind it; T_END for ever at the end or once the diag is
 * full. */
void lex_next(struct lexer *lx, struct token *t);
/* The token behind the current one; nothing is consumed or reported. */
struct token lex_ahead(const struct lexer *lx);
/* Goes on at the end of the current line. */
void lex_skip_line(struct lexer *lx);

#endif

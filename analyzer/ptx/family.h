/* For families of instructions that read their mnemonic word by word and emit rows of their own choice. */
#ifndef REGLOOM_PTX_FAMILY_H
#define REGLOOM_PTX_FAMILY_H

#include "insn.h"

/* ---- the parts of a mnemonic, taken one by one ---- */
struct words {
	struct build *b;
	uint32_t left;         /* bit i: part[i] has not been taken */
	const char *asked[64]; /* the words that might have been there */
	unsigned nasked, last; /* last: the part that was taken last */
};

struct words words_of(struct build *b);
bool words_take(struct words *w, const char *text); /* false: it is not there */
bool words_next(struct words *w, const char *text); /* behind the last one */
/* Takes the first word of a list that is there: its index + 1; 0: none is. */
unsigned words_any(struct words *w, const char *const text[], unsigned n);
#define WORDS_ANY(w, ...)                                    \
	words_any((w), (const char *const[]){ __VA_ARGS__ }, \
		  sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
void words_order(struct words *w);     /* memory order and scope */
void words_space(struct words *w);     /* of an mbarrier object, into b->space */
bool words_end(const struct words *w); /* all are taken; else reported */
/* Reports, false: a modifier that must be there is not; one that nobody took may be it, misspelt. */
bool words_missing(const struct words *w, const char *what);

/* ---- operands and rows ---- */
extern const struct operand family_zero, family_one;
bool family_policy(const struct build *b, const struct operand *o); /* is o a cache policy? else reported */
/* one made by the reader, as an operand */
struct operand family_register(struct ref r, enum scalar_type type, uint32_t off);
/* [a] as the value of its address, in 32 or 64 bits; the offset is added. Space SP_GENERIC or the one that variables
 * need. */
bool family_address(struct build *b, const struct operand *o, enum space space, bool wide, struct operand *out);
/* Row OP, with its operands by the letters of its signature: DST (may be NULL) and N sources. */
bool family_emit(struct build *b, enum op op, const struct operand *dst, const struct operand *const src[], unsigned n);
#define EMIT(b, op, dst, ...)                                                         \
	family_emit((b), (op), (dst), (const struct operand *const[]){ __VA_ARGS__ }, \
		    sizeof((const struct operand *const[]){ __VA_ARGS__ }) / sizeof(void *))

/* ---- async.c ---- */
bool sync_parse_copy(struct build *b);
bool sync_parse_access(struct build *b);

#endif

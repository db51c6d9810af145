/* The conformance suite: every row of the opcode table is executed by PTX text and judged by an oracle that was written
 * from the PTX ISA without a look at the row. README.md says how to add rows, oracles and kernels. */
#ifndef REGLOOM_CONFORM_H
#define REGLOOM_CONFORM_H

#include "analyzer/ir/ir.h"

/* One execution of one text. Operands are register contents by letter of the signature: predicates 0 or 1, B and H
 * zero-extended, floats as their bits. */
struct trial {
	const struct op_info *row;
	const char *text;
	size_t len;    /* the alternative that was written, without .ftz and .sat */
	unsigned mods; /* MOD_FTZ | MOD_SAT */
	uint64_t src[4], want[2];
	const struct variant *v;
};

/* What is written in the PTX: s0 .. s3 are the sources, d0 and d1 the destinations, registers of the letters' types. A
 * source that the text writes as a constant has its bit in `fixed`, and its value in src. */
struct variant {
	char ptx[640];
	unsigned fixed;
	uint64_t src[4];
	uint64_t tag; /* for the oracle: whatever its writer wants to tell it */
};

struct oracle {
	/* The rows whose canonical text begins with these parts; '*' stands for any characters: "min", "min*.f32",
	 * "add*.u*". The pattern with the most characters wins. */
	const char *base;
	/* Sets t->want; true if got is right. */
	bool (*check)(struct trial *t, const uint64_t got[2]);
	/* The n-th way to write the text (with its modifiers inserted: mnemonic); false: there are no more. NULL: once,
	 * by the signature. */
	bool (*write)(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v);
};

#define ORACLE_TABLES(X) X(int) X(bits) X(carry) X(video) X(select) X(float) X(half) X(convert)
#define X(name) extern const struct oracle oracles_##name[]; /* ends with { NULL, NULL, NULL } */
ORACLE_TABLES(X)
#undef X

/* Texts without a row of their own, which the reader turns into other rows; checked like rows. */
struct text_form {
	const char *text, *sig;
	uint32_t flags;
};
extern const struct text_form forms[]; /* ends with { NULL, NULL, 0 } */

/* ---- for oracles: the text ---- */
bool trial_has(const struct trial *t, const char *part);                /* ".sat" is asked for as "sat"; of the text */
const char *trial_part(const struct trial *t, unsigned n, size_t *len); /* the n-th part, 0: the base; NULL */
/* the n-th type of the text, from the left; TY_COUNT */
enum scalar_type trial_type(const struct trial *t, unsigned n);

/* ---- values.c ---- */
/* Value i of n for source s: awkward ones of the source's type, and random ones. */
uint64_t value_draw(const struct op_info *row, const char *text, size_t len, unsigned s, unsigned i, unsigned n,
		    const uint64_t before[4]);
uint64_t value_cut(char letter, uint64_t v); /* what a register of that letter holds of v */

/* ---- write.c ---- */
/* The kernel around a variant: thread i reads its sources at in + 32 i and writes its results at out + 16 i. */
char *write_module(struct arena *a, const struct op_info *row, const struct variant *v);
bool write_plain(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v);

/* ---- kernels.c ---- */
/* Runs FOLDER/NAME.ptx as FOLDER/NAME.yaml says, in both forms; sets executed[op] of each row that was. False with text
 * on stdout. */
bool kernel_run(const char *folder, const char *name, bool executed[OP_COUNT]);

#endif

/* Inside the PTX reader: one instruction on its way from operands to IR. use.c fits the operands, insn.c knows the
 * shapes. */
#ifndef REGLOOM_PTX_INSN_H
#define REGLOOM_PTX_INSN_H

#include "analyzer/ptx/parse.h"

/* an operand slot and what it wants */
struct use {
	const struct operand *o;
	char letter;
	uint8_t bits;
	bool relaxed;
};

/* a product of matrices has three vectors */
enum { BUILD_SRC_MAX = 3 * ELEMENT_MAX + OPERAND_MAX };

struct build {
	struct parser *p;
	const struct mnemonic *mn;
	struct ref guard;
	struct use dst[ELEMENT_MAX + 1], src[BUILD_SRC_MAX];
	unsigned ndst, nsrc;
	int32_t offset;
	enum space space;
};

/* Appends an instruction at the place being read; it starts a block if the last one has ended. */
struct insn *build_append(const struct build *b, enum op op, unsigned ndst, unsigned nsrc);
void build_emit1(const struct build *b, enum op op, struct ref d, struct ref s, struct ref guard);
/* An operation's result in a fresh register. Not guarded: it has no effect but on the fresh register. */
struct ref build_convert(const struct build *b, enum op op, enum reg_class rc, struct ref s);
struct ref build_binary(const struct build *b, enum op op, enum reg_class rc, struct ref x, struct ref y);

/* Appends the instruction of b->mn with the operands in b->dst and b->src. */
bool insn_finish(struct build *b);
bool insn_operands(struct parser *p); /* reads p->op[0 .. nop), up to the ';' */
/* half.c: setp on pairs, a result for each half; the type of an operand that is f16, bf16 or a smaller format, else
 * TY_PRED. */
bool half_setp(struct build *b);
bool half_set(struct build *b, struct mnemonic *cmp); /* set on pairs; cmp: its comparison, with the row of setp */
enum scalar_type half_type(const struct mnemonic *mn, bool dst, char letter);
/* the operands as they stand in the parser, by what row b->mn->op wants */
bool build_by_row(struct build *b);
bool build_wrong_count(const struct build *b, unsigned least, unsigned most); /* reports; false */

unsigned use_letter_bits(char letter);
struct ref use_symbol(const struct build *b, uint32_t sym, int64_t addend);
/* The operand as a source in the width of its slot. May emit conversions before. */
bool use_source(struct build *b, const struct use *u, struct ref *r);
/* The operand as the address of the memory row being built: sets b->offset and, for a variable, b->space. */
bool use_address(struct build *b, const struct operand *o, struct ref *r);
/* *narrow: the register of 64 bits that the result is extended into afterwards; REF_NONE: none. */
bool use_destination(const struct build *b, const struct use *u, bool sink_ok, struct ref *r, struct ref *narrow);

/* ---- families of instructions, which read their operands themselves ---- */
bool carry_parse(struct build *b); /* carry.c */
bool set_parse(struct build *b);   /* expand.c */
bool lop3_predicate_parse(struct build *b);
bool video_parse(struct build *b); /* video.c */

/* call.c: a family of its own; and ld.param, st.param of a scalar .param variable, whose data operands are in b. */
bool call_parse(struct build *b);
bool call_branch(struct build *b); /* brx.idx */
bool call_access(struct build *b, const struct operand *at);
/* The address of a .param variable or parameter, as a value (mov) in a register of class rc. */
bool call_param_address(struct build *b, const struct operand *o, enum reg_class rc, struct ref *r);

/* texture.c */
bool texture_is(const struct mnemonic *mn);
bool texture_parse(struct build *b);

/* matrix.c */
bool matrix_is(const struct mnemonic *mn);
bool matrix_parse(struct build *b);
/* ---- sync.c ---- */
bool (*sync_family(const struct mnemonic *mn))(struct build *b); /* NULL: not one of its families */
bool sync_parse_vector_atomic(struct build *b);

#endif

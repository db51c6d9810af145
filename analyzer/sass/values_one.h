/* One instruction of machine code whose values are put down in rows of PTX: its operands by role, and the rows.
 * Private to values*.c.
 *
 * There are two readers (values.h). For passes an operand that is not understood is VALUE_W_UNKNOWN, and what was put
 * down before one is in doubt may be left out; destinations without values become unknown by themselves. For the
 * engine, one_steps(), all or nothing: what is not understood is refused with a reason, and every destination must be
 * written. */
#ifndef REGLOOM_SASS_VALUES_ONE_H
#define REGLOOM_SASS_VALUES_ONE_H

#include "analyzer/sass/table.h"
#include "analyzer/sass/values.h"

/* destinations that one row of insns.def may have */
enum { VALUE_DONE = 64 };
struct values {
	const struct kernel *k;
	struct kernel *to;
	const struct insn *i;    /* of k */
	struct sass_steps *step; /* of i; NULL: for passes */
	uint32_t done[VALUE_DONE];
	unsigned ndone; /* registers that have been written */
};
struct one {
	struct values *v;
	const struct sass_insn *s;
};

/* sem_NAME(): what the mnemonics of semantics.def with NAME do. */
typedef void semantics(const struct one *o);
#define SEM(mnemonic, name, how) void sem_##name(const struct one *o);
#include "analyzer/sass/semantics.def"

static inline bool one_steps(const struct one *o) { return o->v->step != NULL; }
/* The instruction cannot be executed, WHY; the first reason counts. Nothing for passes. */
void one_refuse(const struct one *o, const char *why);

/* ---- operands ---- */
/* NULL: it has none. */
const struct sass_operand *one_role(const struct one *o, enum sass_role r);
static inline bool one_negated(const struct one *o, enum sass_role r) { return one_role(o, r) && one_role(o, r)->neg; }
/* The name of modifier field ID's value, as it is written ("U32"); "": it writes nothing, or there is no such field. */
const char *one_named(const struct one *o, const char *id);
/* The 32 bits number `part` of an operand, its sign and .ABS left out: a register, a constant or an immediate. A
 * double's immediate has its high word in part 1. */
struct ref one_bits32(const struct one *o, const struct sass_operand *x, unsigned part);
static inline struct ref one_source(const struct one *o, enum sass_role r) { return one_bits32(o, one_role(o, r), 0); }
/* 64 bits of an operand, its sign left out: for passes in the n-th value of 64 bits, for the engine where they are. */
struct ref one_pair(const struct one *o, enum sass_role r, unsigned n);
/* Register number `part` of a destination, or none. */
struct ref one_result(const struct one *o, enum sass_role r, unsigned part);
/* Where 64 bits of result are to be written, from register number `part` of the destination on: one_put_pair() puts
 * them into the destination, and must follow. For passes the n-th value of 64 bits; for the engine the destination. */
struct ref one_pair_result(const struct one *o, enum sass_role r, unsigned part, unsigned n);
void one_put_pair(const struct one *o, enum sass_role r, unsigned part, struct ref from);
/* A source predicate, with its negation; 0 or 1 if that is what it always is. */
struct ref one_predicate(const struct one *o, enum sass_role r);
bool one_number(const struct one *o, struct ref r, uint64_t *n); /* false: not a number; *n is 0 */
bool one_is_number(const struct one *o, struct ref r, uint64_t want);
static inline bool one_is_zero(const struct one *o, struct ref r) { return one_is_number(o, r, 0); }

/* Values between: 32 bits, 64 bits, predicates; numbers. */
static inline struct ref one_word(unsigned n) { return ref_reg(VALUE_W0 + n); }
static inline struct ref one_wide(unsigned n) { return ref_reg(VALUE_D0 + n); }
static inline struct ref one_flag(unsigned n) { return ref_reg(VALUE_P0 + n); }
static inline struct ref one_imm(const struct one *o, uint64_t bits) { return ir_imm(o->v->to, bits); }

/* ---- rows ---- */
/* Appends an instruction; what it has beyond operands (ftz, a guard ...) is the caller's to set. Destinations that are
 * none go nowhere. For passes it is under the guard of the machine's instruction if it writes a register of the
 * machine. NULL for passes, nothing is appended: no destination is a register. */
struct insn *one_row(const struct one *o, enum op op, const struct ref *dst, unsigned ndst, const struct ref *src,
		     unsigned nsrc);
/* The row with this mnemonic of PTX ("cvt.rzi.s32.f32"), made like printf; OP_COUNT, and refused: there is none. */
enum op one_op(const struct one *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One destination; nothing if it is none. */
struct insn *one_put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b,
		     struct ref c);
/* d = x or -x plus y or -y */
void one_put_sum(const struct one *o, struct ref d, struct ref x, bool nx, struct ref y, bool ny);

static inline struct insn *one_put1(const struct one *o, enum op op, struct ref d, struct ref a)
{
	return one_put(o, op, d, 1, a, ref_none(), ref_none());
}
static inline struct insn *one_put2(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b)
{
	return one_put(o, op, d, 2, a, b, ref_none());
}
static inline struct insn *one_put3(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b,
				    struct ref c)
{
	return one_put(o, op, d, 3, a, b, c);
}

#endif

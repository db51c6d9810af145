/* One instruction of machine code whose values are put down in rows of PTX: its operands by role, and the rows. Private
 * to values_*.c. */
#ifndef REGLOOM_SASS_VALUES_ONE_H
#define REGLOOM_SASS_VALUES_ONE_H

#include "analyzer/sass/table.h"
#include "analyzer/sass/values.h"

struct one {
	struct values *v;
	const struct sass_insn *s;
};

/* NULL: it has none. */
const struct sass_operand *one_role(const struct one *o, enum sass_role r);
/* The 32 bits number `part` of an operand, its sign left out. */
struct ref one_bits32(const struct one *o, const struct sass_operand *x, unsigned part);
/* Register number `part` of a destination, or none. */
struct ref one_result(const struct one *o, enum sass_role r, unsigned part);
/* A source predicate, with its negation; 0 or 1 if that is what it always is. */
struct ref one_predicate(const struct one *o, enum sass_role r);
bool one_number(const struct one *o, struct ref r, uint64_t *n); /* false: not a number; *n is 0 */
bool one_is_number(const struct one *o, struct ref r, uint64_t want);

/* Nothing if d is none. */
void one_put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b, struct ref c);
/* d = x or -x plus y or -y */
void one_put_sum(const struct one *o, struct ref d, struct ref x, bool nx, struct ref y, bool ny);
/* Two words of an operand in the n-th value of 64 bits, and such a value into two registers. */
struct ref one_pair(const struct one *o, enum sass_role r, unsigned n);
void one_put_pair(const struct one *o, struct ref from);

/* ---- values_pred.c: comparisons; functions of predicates ---- */
void value_compare(const struct one *o);
void value_predicates(const struct one *o);

static inline struct ref one_imm(const struct one *o, uint64_t bits) { return ir_imm(o->v->to, bits); }
static inline struct ref one_word(unsigned n) { return ref_reg(VALUE_W0 + n); }
static inline struct ref one_wide(unsigned n) { return ref_reg(VALUE_D0 + n); }
static inline struct ref one_flag(unsigned n) { return ref_reg(VALUE_P0 + n); }
static inline struct ref one_source(const struct one *o, enum sass_role r) { return one_bits32(o, one_role(o, r), 0); }
static inline bool one_negated(const struct one *o, enum sass_role r) { return one_role(o, r) && one_role(o, r)->neg; }
static inline bool one_is_zero(const struct one *o, struct ref r) { return one_is_number(o, r, 0); }

static inline void one_put1(const struct one *o, enum op op, struct ref d, struct ref a)
{
	one_put(o, op, d, 1, a, ref_none(), ref_none());
}
static inline void one_put2(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b)
{
	one_put(o, op, d, 2, a, b, ref_none());
}
static inline void one_put3(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b, struct ref c)
{
	one_put(o, op, d, 3, a, b, c);
}

#endif

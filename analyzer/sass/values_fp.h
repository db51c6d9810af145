/* What the files of floating point machine code share: operands with their signs, .FTZ and .SAT. Private to
 * values_float.c, values_double.c, values_half.c and values_convert.c. */
#ifndef REGLOOM_SASS_VALUES_FP_H
#define REGLOOM_SASS_VALUES_FP_H

#include "analyzer/sass/values_one.h"

enum fp_size { FP_16X2, FP_32 };

/* The fields of relations and roundings, as stored. */
enum { REL_FALSE, REL_LESS, REL_EQUAL, REL_MORE = 4, REL_NUMBERS = 7, REL_NO_NUMBERS, REL_TRUE = 15, RELATIONS };
enum { FP_RN, FP_RM, FP_RP, FP_RZ, ROUNDINGS };

/* An operand of 32 bits, with .ABS, and its sign if it is a number; *neg: whether it must still be negated. What takes
 * a step stands in word n. */
struct ref fp_size(const struct one *o, enum sass_role r, enum fp_size size, unsigned n, bool *neg);
/* -r, in word n if it is not a number. */
struct ref fp_negated(const struct one *o, struct ref r, enum fp_size size, unsigned n);
/* The operand with its sign. */
struct ref fp_value(const struct one *o, enum sass_role r, enum fp_size size, unsigned n);

/* Appends with the instruction's .FTZ and .SAT; refused if the row allows none. */
void fp_put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b, struct ref c);

/* pd = (a rel b) combined with pp, pe = !(a rel b) likewise; ops: by the field's value. */
void fp_put_compared(const struct one *o, const enum op ops[RELATIONS], int rel, struct ref a, struct ref b,
		     struct ref pd, struct ref pe, int how);
/* d = p combined with the source predicate. */
void fp_put_combined(const struct one *o, int how, struct ref d, struct ref p);
bool fp_xorsign(const struct one *o);
/* d = minimum if the source predicate holds, else maximum. */
void fp_put_least(const struct one *o, enum op least, enum op most, struct ref d, unsigned n, const struct ref src[3]);

#endif

/* Addresses of machine code, for values_*.c whose instructions access memory. */
#ifndef REGLOOM_SASS_VALUES_MEMORY_H
#define REGLOOM_SASS_VALUES_MEMORY_H

#include "analyzer/sass/values_one.h"

/* The space in which an instruction's addresses are. */
enum space memory_space_of(const struct one *o);
/* Its address, the offset left out: 32 bits in shared and local memory, else 64. Steps before it may use word 0, wide
 * 0. */
struct ref memory_address(const struct one *o);
/* A register and, unless that is NULL or URZ, a uniform one; 32 bits each. The sum of two is in word 0. */
struct ref memory_narrow(const struct one *o, enum sass_role a, const struct sass_operand *u);
/* Space, offset and order of an access to so many elements. */
void memory_describe(const struct one *o, struct insn *x, unsigned vec);

#endif

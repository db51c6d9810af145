/* Which values are the same in all lanes of a warp that execute together, in all threads of a CTA, or of a grid, and
 * which grow evenly from lane to lane; which writes overwrite what no other lane needs. passes/uniform.c says how it is
 * proved, docs/UNIFORM.md what each word means. */
#ifndef REGLOOM_UNIFORM_H
#define REGLOOM_UNIFORM_H

#include "analyzer/ir/ir.h"

struct launch_facts;

/* The same in the lanes that execute the instruction together; in all threads of a CTA at the k-th execution of it by
 * their warp; of a grid. Each says what those before it say. */
enum uniform_level { UNIFORM_NOT, UNIFORM_WARP, UNIFORM_CTA, UNIFORM_GRID };

/* of a 32-bit register that an instruction reads or writes */
struct uniform_value {
	int32_t stride; /* if `known` */
	uint8_t level;  /* enum uniform_level; of a value written: in the lanes whose guard is true */
	bool affine;    /* UNIFORM_NOT: lane l that executes has base + l * stride, mod 2^32 */
	bool known;     /* and what the stride is */
	/* of a value written: what the register held in other lanes of the warp, nothing reads again */
	bool dead;
};

enum {
	UNIFORM_CONVERGENT = 1 << 0, /* all lanes of a warp of 32 threads come to the instruction together */
	/* 2 bits, enum uniform_level: of all it reads as data, registers, predicates and special ones */
	UNIFORM_INPUTS_AT = 1,
	UNIFORM_GUARD_AT = 3, /* 2 bits: of its guard; UNIFORM_GRID if it has none */
	UNIFORM_FLAGS = 31,
};

struct uniform {
	uint32_t block[3]; /* threads of a CTA in the launches that it is proved for; zeros: in any */
	/* values of instruction i: value[at[i] .. at[i + 1]), as ir_insn_regs() has them, those read first */
	const uint32_t *at;
	const struct uniform_value *value;
	const uint8_t *flags; /* by instruction */
};

static inline const struct uniform_value *uniform_src(const struct uniform *u, uint32_t i, unsigned s)
{
	return &u->value[u->at[i] + s];
}
static inline const struct uniform_value *uniform_dst(const struct uniform *u, uint32_t i, const struct insn_regs *r,
						      unsigned d)
{
	return &u->value[u->at[i] + r->nsrc + d];
}
static inline enum uniform_level uniform_inputs(const struct uniform *u, uint32_t i)
{
	return (enum uniform_level)(u->flags[i] >> UNIFORM_INPUTS_AT & 3);
}
static inline enum uniform_level uniform_guard(const struct uniform *u, uint32_t i)
{
	return (enum uniform_level)(u->flags[i] >> UNIFORM_GUARD_AT & 3);
}
/* Does what is proved hold in launches with such CTAs? */
static inline bool uniform_holds(const struct uniform *u, const uint32_t block[3])
{
	return !u->block[0] || (u->block[0] == block[0] && u->block[1] == block[1] && u->block[2] == block[2]);
}
extern const char *const uniform_level_name[4]; /* "cta" */
/* "vector", "affine 4", "cta", in arena a. */
const char *uniform_value_text(const struct uniform_value *v, struct arena *a);
/* What is proved of the registers that instruction i writes, "R4 cta, R5 affine 4", or "", in arena a. */
char *uniform_text(const struct kernel *k, uint32_t i, struct arena *a);

#endif

/* What the two halves of the generator share: gen_insn.c draws instructions, gen.c the kernel around them. */
#ifndef REGLOOM_GEN_INSN_H
#define REGLOOM_GEN_INSN_H

#include "analyzer/base/rng.h"
#include "analyzer/ir/ops.h"
#include "test/prop/gen.h"

#include <stdio.h>

enum {
	LOOPS_MAX = 8,
	SCRATCH_BYTES = 256,
	LOCAL_BYTES = 128,
	SHARED_SLOT = 16,
	REACH = 64, /* bytes after a computed address that an access may touch */
};

struct rows {
	uint16_t *op;
	unsigned n;
};

struct gen {
	FILE *f; /* the body so far */
	uint64_t rng;
	const struct gen_options *o;
	struct rows plain, load, store, atomic, commuting;
	unsigned nt, ntd, nq, nlabel;    /* temporaries and labels used */
	unsigned depth, left;            /* nesting now; statements to go */
	unsigned loop[LOOPS_MAX], nloop; /* loops around: label after each */
	bool narrow;                     /* draw variables from the first two of each class: results feed each other */
};

/* one operand */
struct text {
	char s[56];
};
/* [base + 0 .. reach) may be accessed */
struct place {
	const char *space;
	struct text base;
	unsigned reach;
};

/* No expression draws twice where C leaves the order open (arguments, operands, initialisers): compilers differ, and a
 * seed stands for one kernel. */
static inline unsigned below(struct gen *g, unsigned n) { return rng_below(&g->rng, n); }
static inline bool chance(struct gen *g, unsigned percent) { return below(g, 100) < percent; }

/* Values at the edges of types. */
extern const uint32_t gen_awkward32[35];
extern const uint64_t gen_awkward64[18];
#define PICK(rng, table) ((table)[rng_below((rng), sizeof(table) / sizeof *(table))])

void gen_collect(struct gen *g, struct arena *a); /* the table's rows by kind */

/* Operands. A letter is one of a signature (analyzer/ir/ops.h). */
struct text gen_temp_w(struct gen *g);
struct text gen_temp_d(struct gen *g);
struct text gen_temp_p(struct gen *g);
const char *gen_pool_prefix(char letter);
unsigned gen_pool_size(const struct gen *g, char letter);
struct text gen_var(struct gen *g, char letter); /* one of the pool */
struct text gen_immediate(struct gen *g, char letter);
/* One of the spellings that a row's text lists; sync: only those with .sync, where there are any. */
const char *gen_spelling(struct gen *g, enum op op, bool sync, size_t *len);

void gen_guard(struct gen *g);   /* starts a line; sometimes with a guard */
void gen_compute(struct gen *g); /* a row without effect on memory or control */
void gen_memory(struct gen *g);  /* a load, store or atomic with its address */
/* a few of these on the same variables and addresses */
void gen_burst(struct gen *g);
void gen_access(struct gen *g, const struct place *p, bool store);
struct place gen_own_place(struct gen *g);                      /* scratch of this thread in `out` */
struct place gen_slot_place(struct gen *g, const char *thread); /* shared slot of thread THREAD, a 32-bit register */

#endif

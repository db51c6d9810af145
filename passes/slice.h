/* Values of registers before a kernel runs: evaluates the slice of code that a register's value depends on, for one
 * sample of what differs between threads and iterations (slice.c), and says how often loops go round in that sample
 * (trip.c). No part of this executes memory accesses: a loaded value is not known. */
#ifndef REGLOOM_SLICE_H
#define REGLOOM_SLICE_H

#include "passes/freq.h"
#include "passes/reach.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

enum slice_relation { REL_EQ, REL_NE, REL_LT, REL_LE, REL_GT, REL_GE };
struct slice_compare {
	enum slice_relation rel;
	unsigned bits;
	bool sign;
};

/* What a sample chose: a special register, the low bits of an unknown value, an iteration of a loop. */
enum choice_kind { CHOICE_SREG, CHOICE_RANGE, CHOICE_ITERATION };
struct choice {
	enum choice_kind kind;
	uint32_t id;
	uint64_t domain, value;
};

enum { PHI_MAX = 16, CHOICE_MAX = 16 };

/* A loop exit that is taken or not in every iteration; in order of execution. */
struct loop_exit {
	uint32_t block;
	bool counted;     /* every iteration comes here, and one condition decides */
	struct ref guard; /* leaves if this predicate (without its neg) is `want` */
	bool want;
};

/* of freq.loop */
struct slice_loop {
	uint32_t header;
	bool natural;         /* the header dominates what leads back to it */
	uint32_t first, last; /* in the tree of loops: those inside have a `first` in this range */
	struct loop_exit *exit;
	uint32_t nexit, exit_cap;
	/* where an evaluation stands */
	bool active; /* registers in it have their values of iteration k */
	/* k is open: values that depend on it are not known, and say so (slice.varied) */
	bool symbolic;
	bool moving; /* k goes up step by step from 0 */
	bool counting;
	uint64_t k;
	struct {
		uint32_t reg;
		bool known;
		uint64_t value;
	} phi[PHI_MAX];
	unsigned nphi; /* values at the header in iteration k, as far as asked for */
};

/* What a register holds behind an instruction, or at a join, in no loop: one value in a sample. */
struct slice_memo {
	uint32_t at, reg, sample;
	bool join;
	uint64_t value;
};
enum { SLICE_MEMO = 256 };

struct slice {
	struct reach r;
	const struct kernel *k;
	const struct freq *f;
	const uint32_t *loop_of; /* by block: index of the innermost loop; UINT32_MAX: none */
	struct slice_loop *loop;
	uint32_t work;                              /* left, of finding exits */
	uint8_t bank[PARAM_BASE + PARAM_MAX_BYTES]; /* constant bank 0, and which bytes of it are known */
	bool bank_known[PARAM_BASE + PARAM_MAX_BYTES];
	uint32_t block[3], grid[3]; /* 0: not known */
	uint64_t steps;             /* left before everything counts as unknown */
	/* by edge, of cfg.pred: which ways of the branch that decides lead to it, once searched */
	uint8_t *way;
	uint32_t *mark, *queue, stamp;             /* of that search, by block */
	uint32_t *way_mark, *way_queue, way_stamp; /* of slice_enters() */
	unsigned depth;
	bool varied;  /* a value was not known because of a symbolic loop */
	bool guessed; /* an iteration was chosen in a loop that may have more */
	struct choice choice[CHOICE_MAX];
	unsigned nchoice; /* of the sample at hand */
	uint64_t preset[CHOICE_MAX];
	unsigned npreset; /* values of the first choices; others are 0 */
	bool spread;      /* rather: by the sample's number, spread over their domains */
	uint64_t sample;
	struct slice_memo memo[SLICE_MEMO];
	uint32_t samples; /* begun: memo.sample */
};

/* of one loop in one sample */
struct trip {
	bool known;
	bool exact;    /* else: at most, other exits may be taken before */
	uint64_t runs; /* executions of the header, each time the loop is entered */
	uint32_t test; /* the block that it is left from */
	bool around;   /* the counter passes half of its range until it is equal: nobody means that */
};

/* slice_init.c. False: the kernel is too large for it. */
bool slice_init(struct slice *s, const struct kernel *k, const struct freq *f, const uint32_t *loop_of,
		const struct launch_facts *facts, struct arena *a);
/* before a sample: nothing is chosen, no loop is active */
void slice_reset(struct slice *s);
/* False: not known. Position: block b, before instruction `before`. A 64-bit operand reads both registers of its
 * pair. */
bool slice_register(struct slice *s, uint32_t reg, uint32_t b, uint32_t before, uint64_t *v);
bool slice_source(struct slice *s, uint32_t insn, unsigned slot, uint64_t *v);
/* at the end of block b, without neg */
bool slice_condition(struct slice *s, struct ref guard, uint32_t b, uint64_t *v);
static inline bool slice_in_loop(const struct slice *s, uint32_t b, uint32_t l)
{
	uint32_t x = s->loop_of[b];

	return x != UINT32_MAX && s->loop[l].first <= s->loop[x].first && s->loop[x].first <= s->loop[l].last;
}
/* at the header, when the loop is entered */
bool slice_first(struct slice *s, uint32_t l, uint32_t reg, uint64_t *v);
/* Goes on to the next iteration of an active loop. */
void slice_advance(struct slice *s, uint32_t l);
/* the outermost loop around block b that block `user` is not in; UINT32_MAX */
uint32_t slice_left_behind(const struct slice *s, uint32_t b, uint32_t user);
uint32_t slice_end(const struct slice *s, uint32_t b); /* the position behind block b */

/* slice_enter.c: whether the sample comes to a loop's header, as far as the conditions on the way are known. */
bool slice_enters(struct slice *s, uint32_t header);

/* slice_op.c */
/* false: not a row it knows */
bool slice_op(const struct insn *i, const uint64_t *src, unsigned dst, uint64_t *out);
bool slice_compare(enum op op, struct slice_compare *c);
uint64_t slice_cut(uint64_t v, char letter); /* the bits that an operand with this letter reads */
unsigned slice_bits(char letter);

/* trip.c */
struct trip trip_count(struct slice *s, uint32_t l); /* in the sample at hand */
/* what an iteration adds to a register */
bool trip_step(struct slice *s, uint32_t l, uint32_t reg, bool wide, uint64_t *step);

#endif
